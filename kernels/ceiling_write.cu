/* How fast all SMs together can write to the L2 cache.

   Every thread stores 16 bytes at a time, a warp whole lines. The data decide which level is
   measured: a fraction of the cache that is written repeatedly stays in L2.

   Arguments:
     sight   not used
     data    tiles of 256 x 4 x 16 bytes, 256 threads a block
     tiles   in the array
     rounds  tiles to write in total, by all blocks: the array is written rounds / tiles times */

enum { THREADS = 256, STORES = 4 };

struct sight {
    unsigned long long clocks, ns, address;
};

extern "C" __global__ void ceiling_write(struct sight *, uint4 *data, unsigned tiles,
                                         unsigned rounds)
{
    for (unsigned round = blockIdx.x; round < rounds; round += gridDim.x) {
        uint4 *tile = data + (size_t)(round % tiles) * (THREADS * STORES) + threadIdx.x;
#pragma unroll
        for (int i = 0; i < STORES; i++)
            tile[i * THREADS] = make_uint4(round, 0, 0, 0);
    }
}
