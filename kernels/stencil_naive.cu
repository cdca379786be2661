/* Box sum of any radius over int32 or float, from global memory alone.

   output[i] = input[i] + ... + input[i + 2 radius], for each place where the whole window lies in
   the input: `outputs` results from outputs + 2 radius inputs. Each thread adds up one window: every
   input is loaded 2 radius + 1 times, and only caches save the device's memory from it. What the
   staged kernels (stencil_static.cu, stencil_dynamic.cu) and stencil_window.cu are held against.

   Float holds every whole number up to 2^24, so that sums of whole numbers are exact in any order.
   Of numbers up to 1000 either way, no sum of a part of the window is above (2 radius + 1) x 1000:
   exact up to radius 8388.

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
