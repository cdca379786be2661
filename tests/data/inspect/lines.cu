// Kernels for the tests of source lines. Compile with nvcc -arch=sm_90 -cubin -lineinfo, in this
// folder; lines-sm90.cubin was made of it so.
__device__ __forceinline__ float twice(float x)
{
    return x * 2;
}

extern "C" __global__ void first(float *x)
{
    x[threadIdx.x] = twice(x[threadIdx.x]);
}

extern "C" __global__ void second(int *next, int *to)
{
    int i = atomicAdd(next, 1);
    while (to[i] > 0)
        to[i] -= 2;
}
