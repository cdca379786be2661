// Host templates that call each other down to the launch.
#include <cassert>
#include <tuple>
#include <vector>
#include <cuda_runtime.h>
template <int BM, int BN, int BK> struct Tile { static constexpr int m = BM, n = BN, k = BK, threads = BM * BN / 64; };
template <typename T, typename Config, bool TransA>
__global__ void __launch_bounds__(Config::threads) gemm(const T *a, const T *b, T *c, int n)
{
    __shared__ T sa[Config::m * Config::k], sb[Config::k * Config::n];
    for (int i = threadIdx.x; i < Config::m * Config::k; i += Config::threads) sa[i] = TransA ? a[i * n] : a[i];
    for (int i = threadIdx.x; i < Config::n * Config::k; i += Config::threads) sb[i] = b[i];
    __syncthreads();
    T acc = 0;
    for (int k = 0; k < Config::k; k++) acc += sa[threadIdx.x % Config::m * Config::k + k] * sb[k];
    c[threadIdx.x] = acc;
}
template <typename T, typename Config> void launchTrans(bool trans, const T *a, T *c, int n)
{
    if (trans) gemm<T, Config, true><<<n, Config::threads>>>(a, a, c, n);
    else gemm<T, Config, false><<<n, Config::threads>>>(a, a, c, n);
}
template <typename T> void launchSize(int size, bool trans, const T *a, T *c)
{
    if (size > 64) launchTrans<T, Tile<128, 64, 8>>(trans, a, c, size);
    else launchTrans<T, Tile<64, 64, 16>>(trans, a, c, size);
}
int main()
{
    float *f = nullptr;
    launchSize<float>(12, true, f, f);
    launchSize((int)100, false, f, f);
    std::vector<std::tuple<int, int>> sizes{{1, 2}};
    assert(!sizes.empty());
}
