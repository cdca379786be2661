/* Box sum of radius RADIUS over int32 or float, staged in static shared memory.

   output[i] = input[i] + ... + input[i + 2 RADIUS], for each place where the whole window lies
   inside the input: `outputs` results from outputs + 2 RADIUS inputs. Neighbouring windows overlap
   almost completely, so a block first fetches the BLOCK + 2 RADIUS inputs that its BLOCK windows
   cover (its own and a halo on both sides), each once. The array's size is fixed when compiling:
   above 48 KB ptxas refuses it; stencil_dynamic.cu avoids that limit.

   The idea is the 1-D stencil of NVIDIA's introductory courses, here with any radius (a halo wider
   than the block as well) and any length. Sums of whole numbers in float are as exact as
   those of stencil_naive.cu.

   -DBLOCK=n       threads per block
   -DRADIUS=n      inputs summed on each side
   -DELEMENT=type  int or float */

extern "C" __global__ void __launch_bounds__(BLOCK)
    stencil_static(const ELEMENT *input, ELEMENT *output, long long outputs)
{
    __shared__ ELEMENT window[BLOCK + 2 * RADIUS];
    const long long first = (long long)blockIdx.x * BLOCK;
    const long long left = outputs + 2 * RADIUS - first;

    /* A stride of BLOCK, since the halo may hold more inputs than the block has threads. Not
       unrolled: threads with one more iteration than others would diverge for the rest of
       the loop, and a warp's accesses would be split. */
#pragma unroll 1
    for (int i = threadIdx.x; i < BLOCK + 2 * RADIUS; i += BLOCK)
        if (i < left)
            window[i] = input[first + i];
    __syncthreads();

    if (first + threadIdx.x >= outputs)
        return;
    ELEMENT sum = 0;
    for (int i = 0; i <= 2 * RADIUS; i++)
        sum += window[threadIdx.x + i];
    output[first + threadIdx.x] = sum;
}
