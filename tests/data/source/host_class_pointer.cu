// Device code has pointers to a class of the host, whose data are of the C++ library.
#include <iterator>
#include <memory>
#include <vector>

struct context {
    std::unique_ptr<std::vector<int>> list;
    std::shared_ptr<int> other;
    int plain;
};

template <class Iterator>
using element = typename std::iterator_traits<Iterator>::value_type;

template <int R, int M, class = typename std::enable_if<(R > 0) && R <= M>::type>
constexpr __host__ int rounded() { return (M + R - 1) / R; }
constexpr int count = rounded<4, 127>();

template <class T> struct traits;
#define TRAITS(type, n) template <> struct traits<type> { static constexpr int size = n; }
#define TRAITS_OF(type) TRAITS(type##1, 1); TRAITS(type##2, 2)
TRAITS_OF(int);

struct view {
    context *owner;
    float *x;
};

__global__ void compare(view v, const context *c)
{
    __shared__ element<const int *> s[count * traits<int2>::size];
    s[threadIdx.x] = c != v.owner;
    __syncthreads();
    v.x[threadIdx.x] = s[threadIdx.x ^ 1];
}

int main()
{
    context c{};
    view v{&c, nullptr};
    compare<<<1, 32>>>(v, &c);
    return c.plain;
}
