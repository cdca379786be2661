/* How much one SM alone loads in a clock from its L1 cache.

   One block of 32 warps, each with four loads in flight. What is loaded lies in the cache after the
   first steps. The loads are written as PTX, so that the compiler does not drop them; their
   addresses change in each step, so that ptxas does not move them out of the loop.

   Arguments:
     sight  receives the clocks of the block
     steps  of each thread, four loads each
     data   its contents do not matter
     mask   elements of 16 bytes that are read, less one: 2^n - 1 */

enum { THREADS = 1024, LOADS = 4 };

struct sight {
    unsigned long long clocks, ns, address;
};

#define CACHE(name, load)                                                                          \
    extern "C" __global__ void __launch_bounds__(THREADS) ceiling_cache_##name(                    \
        struct sight *sight, unsigned steps, const uint4 *data, unsigned mask)                     \
    {                                                                                              \
        unsigned sum = 0, at = threadIdx.x;                                                        \
        __syncthreads();                                                                           \
        const unsigned long long start = clock64();                                                \
        for (unsigned step = 0; step < steps; step++) {                                            \
            uint4 value[LOADS];                                                                    \
            _Pragma("unroll") for (int i = 0; i < LOADS; i++, at += THREADS) asm volatile(         \
                load ".v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(value[i].x), "=r"(value[i].y),       \
                "=r"(value[i].z), "=r"(value[i].w) : "l"(data + (at & mask)));                     \
            _Pragma("unroll") for (int i = 0; i < LOADS; i++) sum |=                               \
                value[i].x | value[i].y | value[i].z | value[i].w;                                 \
        }                                                                                          \
        __syncthreads();                                                                           \
        const unsigned long long end = clock64();                                                  \
        if (sum == 12345)                                                                          \
            sight->address = sum;                                                                  \
        if (threadIdx.x == 0)                                                                      \
            sight->clocks = end - start;                                                           \
    }
CACHE(l1, "ld.global.ca")
