// Traits and functions of the standard library that device code uses, as the standard has them.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <type_traits>

enum Plain { none };
union Either {
    int i;
    float f;
};
struct Empty {};
struct Last final {
    int x;
    explicit Last(int x) : x(x) {}
};
struct Twice {
    __host__ __device__ double operator()(float x) const { return 2.0 * x; }
};

#define SAME(...) static_assert(std::is_same<__VA_ARGS__>::value, "")
SAME(std::decay_t<const int[3]>, const int *);
SAME(std::decay_t<int(float)>, int (*)(float));
SAME(std::decay_t<const float &>, float);
SAME(std::remove_all_extents_t<int[2][3]>, int);
SAME(std::remove_volatile_t<volatile int>, int);
SAME(std::add_cv_t<int>, const volatile int);
SAME(std::common_type_t<int, float, double>, double);
SAME(std::common_type_t<char, short>, int);
SAME(std::invoke_result_t<Twice, float>, double);
static_assert(std::is_pointer<int *const>::value && !std::is_pointer<int>::value, "");
static_assert(std::is_array_v<int[2]> && std::is_array_v<int[]> && !std::is_array_v<int *>, "");
static_assert(std::is_lvalue_reference_v<int &> && std::is_rvalue_reference_v<int &&>, "");
static_assert(!std::is_lvalue_reference_v<int &&> && !std::is_rvalue_reference_v<int>, "");
static_assert(std::is_volatile_v<volatile int> && std::is_null_pointer_v<decltype(nullptr)>, "");
static_assert(std::is_function_v<void(int)> && !std::is_function_v<void (*)(int)>, "");
static_assert(std::is_union_v<Either> && !std::is_union_v<Empty> && std::is_empty_v<Empty>, "");
static_assert(std::is_final_v<Last> && !std::is_final_v<Empty> && std::is_trivial_v<Either>, "");
static_assert(std::is_pod_v<Either> && std::is_standard_layout_v<Last>, "");
static_assert(!std::is_default_constructible_v<Last> && std::is_copy_constructible_v<Last>, "");
static_assert(std::is_constructible_v<Last, int> && !std::is_constructible_v<Last, int *>, "");
static_assert(std::is_trivially_destructible_v<Last> && std::is_fundamental_v<double>, "");
static_assert(!std::is_fundamental_v<Plain> && std::is_object_v<Plain> && !std::is_object_v<int &>, "");
static_assert(std::rank_v<int[2][3]> == 2 && std::extent_v<int[2][3], 1> == 3, "");
static_assert(std::extent_v<int[4]> == 4 && std::alignment_of_v<double> == 8, "");
static_assert(std::conjunction_v<std::true_type, std::is_integral<int>>, "");
static_assert(!std::conjunction_v<std::false_type> && std::disjunction_v<std::false_type, std::true_type>, "");
static_assert(std::negation_v<std::is_void<int>> && std::is_assignable<int &, float>::value, "");

template <class T, int n> struct Pack {
    typename std::aligned_storage<n * sizeof(T), n * sizeof(T)>::type storage;
};
static_assert(sizeof(Pack<float, 4>) == 16 && alignof(Pack<float, 4>) == 16, "");
static_assert(alignof(std::aligned_storage_t<3, 2>) == 2 && sizeof(std::aligned_storage_t<3, 2>) == 4, "");

// A trait by overloads that are only declared, and an anonymous union.
template <class F> class HasApply {
    typedef char one;
    struct two {
        char x[2];
    };
    template <class C> static one test(decltype(&C::apply));
    template <class C> static two test(...);

public:
    enum { value = sizeof(test<F>(0)) == sizeof(char) };
};
struct Applies {
    __device__ void apply(int) {}
};

template <class T, int n> struct alignas(sizeof(T) * n) Filled {
    __device__ Filled(T value)
    {
        for (int i = 0; i < n; i++)
            element[i] = value;
    }
    union {
        T element[n];
        char bytes[n * sizeof(T)];
    };
};

template <class F>
__device__ typename std::enable_if<HasApply<F>::value == true, int>::type chosen(F)
{
    return 1;
}

template <class F>
__device__ typename std::enable_if<HasApply<F>::value == false, int>::type chosen(F)
{
    return 2;
}

__global__ void choose(float *out)
{
    Filled<float, 4> filled(chosen(Applies()) + chosen(Empty()) * 2);
    out[threadIdx.x] = filled.element[threadIdx.x % 4] + filled.bytes[0];
}

__global__ void rounded(const double *in, const float *small, int64_t *out)
{
    const int i = threadIdx.x;
    int exponent;
    float whole;
    out[i] = std::llround(in[i]) + std::llrint(small[i]) + std::ilogb(in[i]);
    out[i] += static_cast<int64_t>(std::logb(small[i]) + std::scalbn(in[i], 3) + std::scalbln(in[i], 2l));
    out[i] += static_cast<int64_t>(std::nextafter(in[i], 2.0) + std::modf(small[i], &whole) + whole);
    out[i] += static_cast<int64_t>(std::remquo(in[i], 3.0, &exponent)) + exponent;
}

int main()
{
    choose<<<1, 32>>>(nullptr);
    rounded<<<1, 32>>>(nullptr, nullptr, nullptr);
    std::printf("%d\n", static_cast<int>(cudaDeviceSynchronize()));
    return 0;
}
