/* An array reversed by one block through dynamic shared memory.

   Like reverse_static.cu, but the length is chosen at launch, and so is the shared memory: length x
   4 bytes. Above 48 KB the launch must opt in (cudaFuncAttributeMaxDynamicSharedMemorySize). */

extern "C" __global__ void __launch_bounds__(1024)
    reverse_dynamic(const int *input, int *output, int length)
{
    extern __shared__ int staged[];

    for (int i = threadIdx.x; i < length; i += blockDim.x)
        staged[i] = input[i];
    __syncthreads();

    for (int i = threadIdx.x; i < length; i += blockDim.x)
        output[i] = staged[length - 1 - i];
}
