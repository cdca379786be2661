/* Box sum of any radius over int32 or float, staged in dynamic shared memory.

   output[i] = input[i] + ... + input[i + 2 radius], for each place where the whole window lies
   inside the input: `outputs` results from outputs + 2 radius inputs. Like stencil_static.cu, but
   the radius and the block are chosen at launch, and so is the shared memory: (blockDim.x + 2
   radius) x 4 bytes. Above 48 KB the launch must opt in
   (cudaFuncAttributeMaxDynamicSharedMemorySize). Sums of whole numbers in float are as exact as
   those of stencil_naive.cu.

   -DELEMENT=type  int or float */

extern "C" __global__ void __launch_bounds__(1024)
    stencil_dynamic(const ELEMENT *input, ELEMENT *output, long long outputs, int radius)
{
    extern __shared__ ELEMENT window[];
    const int inputs = blockDim.x + 2 * radius;
    const long long first = (long long)blockIdx.x * blockDim.x;
    const long long left = outputs + 2 * radius - first;

    /* A stride of one block, since the halo may hold more inputs than the block has threads. */
    for (int i = threadIdx.x; i < inputs; i += blockDim.x)
        if (i < left)
            window[i] = input[first + i];
    __syncthreads();

    if (first + threadIdx.x >= outputs)
        return;
    ELEMENT sum = 0;
    for (int i = 0; i <= 2 * radius; i++)
        sum += window[threadIdx.x + i];
    output[first + threadIdx.x] = sum;
}
