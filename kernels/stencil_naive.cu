/* Box sum of any radius over int32 or float, from global memory alone.

   output[i] = input[i] + ... + input[i + 2 radius], for each place where the whole window lies
   inside the input: `outputs` results from outputs + 2 radius inputs. Each thread adds up one
   window, so every input is loaded 2 radius + 1 times, and only the caches keep that from DRAM.
   This is the baseline for the staged kernels (stencil_static.cu, stencil_dynamic.cu) and
   stencil_window.cu.

   Float holds every whole number up to 2^24, so sums of whole numbers below that are exact in any
   order. With inputs from -1000 to 1000 no partial sum of a window exceeds (2 radius + 1) x 1000,
   so results are exact up to radius 8388.

   -DELEMENT=type  int or float */

extern "C" __global__ void __launch_bounds__(1024)
    stencil_naive(const ELEMENT *input, ELEMENT *output, long long outputs, int radius)
{
    const long long place = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (place >= outputs)
        return;
    ELEMENT sum = 0;
    for (int i = 0; i <= 2 * radius; i++)
        sum += input[place + i];
    output[place] = sum;
}
