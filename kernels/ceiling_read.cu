/* How fast all SMs together can read: global memory, or the L2 cache.

   Every thread loads 16 bytes at a time and has four loads in flight before it needs the first, so
   that a warp always waits for many lines at once, which saturates the memory system. The loads
   bypass the L1 cache (.cg), which would otherwise serve them. The data decide which level is
   measured: an array far larger than the L2 cache comes from DRAM; a fraction of it that is read
   repeatedly stays in L2. The result only keeps the loads from being optimized away.

   Arguments:
     sight   receives a sum that is never written for data of zeros
     data    tiles of 256 x 4 x 16 bytes, 256 threads a block
     tiles   in the array
     rounds  tiles to read in total, by all blocks: the array is read rounds / tiles times */

enum { THREADS = 256, LOADS = 4 };

struct sight {
    unsigned long long clocks, ns, address;
};

static __device__ uint4 load_past_l1(const uint4 *from)
{
    uint4 value;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                 : "l"(from));
    return value;
}

extern "C" __global__ void ceiling_read(struct sight *sight, const uint4 *data, unsigned tiles,
                                        unsigned rounds)
{
    unsigned sum = 0;
    for (unsigned round = blockIdx.x; round < rounds; round += gridDim.x) {
        const uint4 *tile = data + (size_t)(round % tiles) * (THREADS * LOADS) + threadIdx.x;
        uint4 value[LOADS];
#pragma unroll
        for (int i = 0; i < LOADS; i++)
            value[i] = load_past_l1(tile + i * THREADS);
#pragma unroll
        for (int i = 0; i < LOADS; i++)
            sum |= value[i].x | value[i].y | value[i].z | value[i].w;
    }
    if (sum != 0)
        sight->address = sum;
}
