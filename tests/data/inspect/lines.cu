// Kernels for the tests of source lines and of running machine code. nvcc made lines-sm90.cubin of it (-arch=sm_90 -cubin
// -lineinfo) and lines.fatbin (-fatbin), which has PTX, too; NVRTC 13.5 made lines-sm90-dwarf3.cubin (-lineinfo).
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
