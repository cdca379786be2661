/* How long it takes until an SM runs the next block after one has ended.

   A launch has many more blocks than fit. Each is busy for some time and then adds, in the record
   of its SM, its duration. Between the first start and the last end on that SM, what is not the
   time of blocks is the time of starting them. It includes the last stores of a block.

   Arguments:
     sight  not used
     busy   clocks of a block
     spans  one for each SM: {2^64 - 1, 0, 0, 0} before */

struct sight {
    unsigned long long clocks, ns, address;
};

struct span {
    unsigned long long first, last, clocks, blocks;
};

extern "C" __global__ void ceiling_start(struct sight *sight, unsigned busy, struct span *spans)
{
    const unsigned long long start = clock64();
    unsigned long long end = start;
    unsigned sm;
    (void)sight;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    while (end - start < busy)
        end = clock64();
    if (threadIdx.x == 0) {
        atomicMin(&spans[sm].first, start);
        atomicMax(&spans[sm].last, end);
        atomicAdd(&spans[sm].clocks, end - start);
        atomicAdd(&spans[sm].blocks, 1ull);
    }
}
