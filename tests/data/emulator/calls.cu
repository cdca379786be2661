/* Kernels that call functions: the source of calls.ptx beside it, which tests/machine/test_calls.c runs.
     nvcc -arch=sm_80 -ptx -lineinfo -o calls.ptx calls.cu
   Each thread has an element of `out` and one of `in`, both of 8 bytes. */
#include <cassert>
#include <cstdio>

#define ELEMENT (blockIdx.x * blockDim.x + threadIdx.x)

/* --- Recursion, with lanes that return at different depths ------------------------------------- */

__device__ __noinline__ unsigned fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

extern "C" __global__ void recursion(unsigned long long *out, const unsigned long long *in)
{
    out[ELEMENT] = fibonacci((unsigned)in[ELEMENT] % 13);
}

__device__ __noinline__ bool is_odd(unsigned n);
__device__ __noinline__ bool is_even(unsigned n)
{
    return n == 0 || is_odd(n - 1);
}
__device__ __noinline__ bool is_odd(unsigned n)
{
    return n != 0 && is_even(n - 1);
}

__device__ __noinline__ int ackermann(int m, int n)
{
    int local[4] = {m, n, m + n, m * n};
    if (m == 0)
        return n + 1;
    int inner = n == 0 ? 1 : ackermann(m, n - 1);
    return ackermann(local[(m ^ m)] - 1, inner) + (local[n & 3] - local[n & 3]);
}

extern "C" __global__ void mutual(unsigned long long *out, const unsigned long long *in)
{
    unsigned x = (unsigned)in[ELEMENT];
    out[ELEMENT] = (is_even(x % 21) ? 1000000 : 0) + ackermann(x % 3, x / 3 % 4);
}

/* --- Structures by value ----------------------------------------------------------------------- */

struct mixed {
    char first;
    double second;
    short third[3];
    char last;
};

__device__ __noinline__ mixed changed(mixed a, char by, mixed b)
{
    mixed c = {(char)(a.first + by), a.second * b.second, {b.third[2], a.third[1], b.third[0]}, b.last};
    return c;
}

extern "C" __global__ void structures(unsigned long long *out, const unsigned long long *in)
{
    unsigned x = (unsigned)in[ELEMENT];
    mixed a = {(char)x, x % 100 + 0.5, {(short)x, (short)(x >> 1), (short)(x >> 2)}, (char)(x >> 3)};
    mixed b = {(char)(x >> 4), x % 7 + 1.0, {(short)(x >> 5), (short)(x >> 6), (short)(x >> 7)},
               (char)(x >> 8)};
    mixed c = changed(a, (char)(x >> 9), changed(b, 3, a));
    out[ELEMENT] = (unsigned long long)(c.second * 4) * 31 + (unsigned char)c.first * 7 +
                   (unsigned short)c.third[0] + (unsigned short)c.third[1] * 3 +
                   (unsigned short)c.third[2] * 5 + (unsigned char)c.last;
}

/* --- Function pointers and virtual functions --------------------------------------------------- */

typedef unsigned operation(unsigned, unsigned);
__device__ __noinline__ unsigned sum(unsigned a, unsigned b) { return a + b; }
__device__ __noinline__ unsigned product(unsigned a, unsigned b) { return a * b; }
__device__ __noinline__ unsigned larger(unsigned a, unsigned b)
{
    if (a < b)
        return b;
    return a;
}
/* All lanes meet in the shuffle, whichever function they came from. */
__device__ __noinline__ unsigned rotated(unsigned x)
{
    return __shfl_sync(0xffffffff, x, (threadIdx.x + 1) % 32);
}
__device__ __noinline__ unsigned left_shuffle(unsigned a, unsigned b) { return rotated(a) + b; }
__device__ __noinline__ unsigned right_shuffle(unsigned a, unsigned b) { return rotated(b) + a; }

__device__ operation *const table[] = {sum, product, larger};
__device__ operation *const shuffles[] = {left_shuffle, right_shuffle};

extern "C" __global__ void pointers(unsigned long long *out, const unsigned long long *in)
{
    unsigned x = (unsigned)in[ELEMENT], y = (unsigned)(in[ELEMENT] >> 32);
    out[ELEMENT] = table[x % 3](x, y);
}

extern "C" __global__ void meeting(unsigned long long *out, const unsigned long long *in)
{
    out[ELEMENT] = shuffles[in[ELEMENT] & 1](threadIdx.x, 100 * threadIdx.x);
}

struct shape {
    __device__ virtual unsigned area() const = 0;
    unsigned size;
};
struct square : shape {
    __device__ unsigned area() const override { return size * size; }
};
struct line : shape {
    __device__ unsigned area() const override { return size; }
};

extern "C" __global__ void virtual_functions(unsigned long long *out, const unsigned long long *in)
{
    shape *one;
    if (in[ELEMENT] & 1)
        one = new square;
    else
        one = new line;
    one->size = (unsigned)in[ELEMENT] % 1000;
    out[ELEMENT] = one->area();
    delete one;
}

extern "C" __global__ void no_function(unsigned long long *out, const unsigned long long *in)
{
    operation *f = (operation *)in[ELEMENT];
    out[ELEMENT] = f(1, 2);
}

/* --- Mathematics that is compiled to calls ----------------------------------------------------- */

extern "C" __global__ void mathematics(double *out, const double *in)
{
    double x = in[ELEMENT];
    switch (blockIdx.x) {
    case 0: out[ELEMENT] = sin(x); break;
    case 1: out[ELEMENT] = cos(x); break;
    case 2: out[ELEMENT] = tan(x); break;
    case 3: out[ELEMENT] = pow(fabs(x), 1.7); break;
    case 4: out[ELEMENT] = tgamma(x); break;
    case 5: out[ELEMENT] = lgamma(x); break;
    case 6: out[ELEMENT] = exp(x / 1000); break;
    case 7: out[ELEMENT] = erfc(x / 1000); break;
    case 8: out[ELEMENT] = sinf((float)x); break;
    case 9: out[ELEMENT] = cosf((float)x); break;
    case 10: out[ELEMENT] = tanf((float)x); break;
    case 11: out[ELEMENT] = powf(fabsf((float)x), 1.25f); break;
    case 12: out[ELEMENT] = fmod(x, 3.7); break;
    case 13: out[ELEMENT] = cbrt(x); break;
    case 14: out[ELEMENT] = log(fabs(x)); break;
    default: out[ELEMENT] = j0(x); break;
    }
}

/* --- printf and assert ------------------------------------------------------------------------- */

__device__ const char *const words[] = {"zero", "one", "two"};

extern "C" __global__ void printing(unsigned long long *out, const unsigned long long *in)
{
    int count = printf("%d:%u|%5d|%-5d|%05d|%+d|% d|%x|%#X|%o|%c|%%\n", blockIdx.x, threadIdx.x, -42,
                       42, 42, 42, 42, 255, 255, 8, 'q');
    count += printf("%s|%10s|%-6s|%.2s|%s\n", words[threadIdx.x % 3], "abc", "de", "hijk",
                    (const char *)0);
    count += printf("%f|%.3f|%e|%g|%a|%10.2f\n", 1.5, 2.25, 1e10, 1e-7, 1.0, 3.14159);
    count += printf("%ld|%lld|%hd|%lu|%llx|%p|%*d\n", 1L << 40, -(1LL << 50), 70000, ~0UL, ~0ULL,
                    (void *)0x1234, 6, 7);
    out[ELEMENT] = count * 100 + printf("plain\n") * 10 + printf((const char *)0) + 1;
}

extern "C" __global__ void unknown_format(unsigned long long *out, const unsigned long long *in)
{
    printf("%zu then %d\n", (size_t)in[0], 5);
    out[ELEMENT] = printf("%zu\n", (size_t)7);
}

extern "C" __global__ void asserting(unsigned long long *out, const unsigned long long *in)
{
    assert(blockIdx.x < 1 || threadIdx.x < 30);
    out[ELEMENT] = in[ELEMENT];
}

/* --- malloc, free, alloca ---------------------------------------------------------------------- */

extern "C" __global__ void allocating(unsigned long long *out, const unsigned long long *in)
{
    unsigned count = (unsigned)in[ELEMENT] % 50 + 1, sum = 0;
    unsigned *a = (unsigned *)malloc(count * sizeof *a), *b = new unsigned[count];
    for (unsigned i = 0; i < count; i++)
        a[i] = i * i, b[count - 1 - i] = i;
    for (unsigned i = 0; i < count; i++)
        sum += a[i] * b[i];
    free(a);
    delete[] b;
    free(0);
    out[ELEMENT] = sum;
}

/* How much memory the heap has. */
extern "C" __global__ void exhausting(unsigned long long *out, const unsigned long long *in)
{
    unsigned got = 0;
    while (malloc(1 << 20))
        got++;
    out[ELEMENT] = got * 10 + (malloc(64 << 20) == 0) + (malloc(0) != 0);
}

extern "C" __global__ void heap_faults(unsigned long long *out, const unsigned long long *in)
{
    int *p = (int *)malloc(40), *q = (int *)malloc(40);
    switch (in[ELEMENT]) {
    case 1: out[ELEMENT] = p[10]; break;
    case 2: p[-1] = 5; break;
    case 3: free(p); out[ELEMENT] = p[3]; break;
    case 4: free(p); free(p); break;
    case 5: free(p + 1); break;
    case 6: free((void *)in); break;
    default: out[ELEMENT] = (unsigned long long)(q - p) > 9; free(p); free(q);
    }
}

extern "C" __global__ void variable_array(unsigned long long *out, const unsigned long long *in)
{
    unsigned count = (unsigned)in[ELEMENT] % 20 + 2, sum = 0;
    unsigned *a = (unsigned *)__builtin_alloca(count * sizeof *a);
    for (unsigned i = 0; i < count; i++)
        a[i] = i * i;
    for (unsigned i = 0; i < count; i++)
        sum += a[(i * 7) % count] * i + fibonacci(i % 3);
    out[ELEMENT] = sum;
}

extern "C" __global__ void overflowing(unsigned long long *out, const unsigned long long *in)
{
    out[ELEMENT] = fibonacci((unsigned)in[ELEMENT]);
}

/* --- Ends -------------------------------------------------------------------------------------- */

__device__ __noinline__ unsigned leaves(unsigned x)
{
    if (x % 3 == 0)
        asm volatile("exit;");
    if (x % 3 == 1)
        return x;
    return 2 * x + __popc(__ballot_sync(0x24924924, x & 4));
}

/* A third of the lanes exits in the function, a third returns early, and the others vote. */
extern "C" __global__ void leaving(unsigned long long *out, const unsigned long long *in)
{
    unsigned x = leaves(threadIdx.x);
    out[ELEMENT] = x;
}

extern "C" __global__ void trapping(unsigned long long *out, const unsigned long long *in)
{
    if (in[ELEMENT] == 1)
        __trap();
    if (in[ELEMENT] == 2)
        __brkpt();
    out[ELEMENT] = 1;
}
