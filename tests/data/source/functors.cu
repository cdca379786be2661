// Functors passed to a kernel template, structs with operators, pairs of types.
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>
#include <cuda_runtime.h>
template <class T> struct Max {
    static __host__ __device__ T identity() { return T(-1e30); }
    __host__ __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T> struct Sum {
    static constexpr __host__ __device__ T identity() { return T(0); }
    __device__ T operator()(T a, T b) const { return a + b; }
};
struct float_pair { float x, y; };
__host__ __device__ inline float_pair operator+(float_pair a, float_pair b) { return {a.x + b.x, a.y + b.y}; }
std::vector<float> operator*(const std::vector<float> &v, float f)
{
    std::vector<float> r(v);
    for (auto &x : r) x *= f;
    return r;
}
template <typename T, template <class> class Op, int BLOCK = 256>
__global__ void reduce(const T *x, T *out, int n, Op<T> op = Op<T>())
{
    __shared__ T s[BLOCK];
    T v = Op<T>::identity();
    for (int i = threadIdx.x; i < n; i += BLOCK) v = op(v, x[i]);
    s[threadIdx.x] = v;
    __syncthreads();
    for (int w = BLOCK / 2; w; w >>= 1) {
        if (threadIdx.x < w) s[threadIdx.x] = op(s[threadIdx.x], s[threadIdx.x + w]);
        __syncthreads();
    }
    if (!threadIdx.x) *out = s[0];
}
__global__ void pairs(float_pair *p) { p[threadIdx.x] = p[threadIdx.x] + p[threadIdx.x + 1]; }
int main()
{
    const int B = 128;
    using Real = double;
    reduce<float, Max><<<1, 256>>>(nullptr, nullptr, 3, Max<float>());
    reduce<Real, Sum, B><<<1, B>>>(nullptr, nullptr, 3, Sum<Real>());
    pairs<<<1, 32>>>(nullptr);
    std::function<int(int)> f = [](int i) { return i; };
    return f(0);
}
