/* An array reversed by one block through static shared memory.

   Both global accesses go upwards, and a warp's 32 elements are adjacent; the order is reversed on
   the way out of shared memory, where any order without bank conflicts costs the same. The barrier
   is needed because nearly every thread stores an element that another one fetched.

   The idea follows Mark Harris, "Using Shared Memory in CUDA C/C++" (NVIDIA developer blog, 2013).

   -DLENGTH=n  elements; more than the block has threads is fine
   -DBLOCK=n   threads of the one block */

extern "C" __global__ void __launch_bounds__(BLOCK) reverse_static(const int *input, int *output)
{
    __shared__ int staged[LENGTH];

    /* Not unrolled: threads with one more iteration than others would diverge for the rest of
       the loop, and a warp's accesses would be split. */
#pragma unroll 1
    for (int i = threadIdx.x; i < LENGTH; i += BLOCK)
        staged[i] = input[i];
    __syncthreads();

#pragma unroll 1
    for (int i = threadIdx.x; i < LENGTH; i += BLOCK)
        output[i] = staged[LENGTH - 1 - i];
}
