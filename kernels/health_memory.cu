/* Does global memory keep what is written to it?

   health_write fills an array with values that depend on the address, 16 bytes at a time: no two
   places of an array below 64 GB have the same 16 bytes, and beyond that the second word differs,
   so that a wrong address line is found as well as a wrong cell. health_read compares. Both are
   called twice, the second time with every bit the opposite, so that each cell holds a 0 and a 1.
   Read in the order in which it was written, an array that is much larger than the L2 cache comes
   from DRAM; a small one, read repeatedly, from the cache. The loads bypass L1.

   Arguments:
     data     the array, in units of 16 bytes
     units    of it
     inverse  0 or ~0: changes the values
     found    what was wrong: how many words, and the first FAULTS that were found, in no order

   health_flip changes the bits `mask` of one word, for tests: as a cell does that does not keep its
   value. */

enum { THREADS = 256, LOADS = 4, FAULTS = 16 };

struct found {
    unsigned long long wrong;
    struct {
        unsigned long long word; /* of the array */
        unsigned bits, unused;
    } fault[FAULTS];
};

static __device__ uint4 pattern(unsigned long long unit, unsigned inverse)
{
    const unsigned low = (unsigned)unit, high = (unsigned)(unit >> 32);
    const unsigned mixed = low * 0x9e3779b9u;
    return make_uint4(mixed ^ inverse, (low + high * 0x10001u) ^ ~inverse,
                      __funnelshift_l(mixed, mixed, 13) ^ ~inverse, (mixed ^ low) ^ inverse);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    health_write(uint4 *data, unsigned long long units, unsigned inverse)
{
    const unsigned long long stride = (unsigned long long)gridDim.x * THREADS;
    for (unsigned long long i = (unsigned long long)blockIdx.x * THREADS + threadIdx.x; i < units;
         i += stride)
        data[i] = pattern(i, inverse);
}

static __device__ void report(unsigned long long word, unsigned bits, struct found *found)
{
    if (!bits)
        return;
    const unsigned long long place = atomicAdd(&found->wrong, 1ull);
    if (place < FAULTS) {
        found->fault[place].word = word;
        found->fault[place].bits = bits;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    health_read(const uint4 *data, unsigned long long units, unsigned inverse, struct found *found)
{
    const unsigned long long stride = (unsigned long long)gridDim.x * THREADS;
    for (unsigned long long first = (unsigned long long)blockIdx.x * THREADS + threadIdx.x;
         first < units; first += stride * LOADS) {
        uint4 value[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++)
            if (first + k * stride < units)
                asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(value[k].x), "=r"(value[k].y), "=r"(value[k].z),
                               "=r"(value[k].w)
                             : "l"(data + first + k * stride));
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            const unsigned long long unit = first + k * stride;
            if (unit >= units)
                break;
            const uint4 kept = pattern(unit, inverse);
            const unsigned wrong = (value[k].x ^ kept.x) | (value[k].y ^ kept.y) |
                                   (value[k].z ^ kept.z) | (value[k].w ^ kept.w);
            if (wrong) {
                report(4 * unit, value[k].x ^ kept.x, found);
                report(4 * unit + 1, value[k].y ^ kept.y, found);
                report(4 * unit + 2, value[k].z ^ kept.z, found);
                report(4 * unit + 3, value[k].w ^ kept.w, found);
            }
        }
    }
}

extern "C" __global__ void health_flip(unsigned *word, unsigned mask)
{
    *word ^= mask;
}
