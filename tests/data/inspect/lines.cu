// Kernels for the tests of source lines and of running machine code. In this folder, nvcc -arch=sm_90
// made lines-sm90.cubin (-cubin -lineinfo) and lines.fatbin (-fatbin) of it; the latter has PTX, too.
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
