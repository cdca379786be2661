// Kernels in namespaces, an anonymous one among them.
#include <iostream>
#include <sstream>
#include <cuda_runtime.h>
namespace app {
namespace detail {
constexpr int kWarp = 32;
template <typename T> struct Traits { static constexpr int width = 16 / sizeof(T); using type = T; };
template <> struct Traits<double> { static constexpr int width = 1; using type = double; };
inline std::string describe(int n) { std::ostringstream s; s << n; return s.str(); }
__device__ __forceinline__ float warpSum(float v)
{
    for (int o = kWarp / 2; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}
} // namespace detail
namespace {
__global__ void sum(const float *x, float *y, int n)
{
    float v = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) v += x[i];
    v = detail::warpSum(v);
    if (threadIdx.x % detail::kWarp == 0) atomicAdd(y, v);
}
} // namespace
template <typename T> __global__ void copy(const T *x, T *y)
{
    constexpr int w = detail::Traits<T>::width;
    for (int i = 0; i < w; i++) y[threadIdx.x * w + i] = x[threadIdx.x * w + i];
}
namespace inner::deep {
template <int N> __global__ void __launch_bounds__(N) wait(int *flag) { if (threadIdx.x < N) flag[threadIdx.x] = N; }
}
void all(const float *x, float *y)
{
    sum<<<1, 256>>>(x, y, 100);
    copy<float><<<1, 32>>>(x, y);
    app::copy<double><<<1, 32>>>(nullptr, nullptr);
    inner::deep::wait<64><<<1, 64>>>(nullptr);
    std::cerr << detail::describe(3) << '\n';
}
} // namespace app
int main() { app::all(nullptr, nullptr); }
