// nvcc -arch=sm_90 -cubin -o variables-sm90.cubin variables.cu (CUDA 13.0)
__constant__ float weights[32];
__device__ int count = 5;

extern "C" __global__ void weigh(float *x)
{
    float sum = 0;
    for (int i = 0; i < count; i++)
        sum += weights[i % 32] * x[threadIdx.x];
    x[threadIdx.x] = sum;
}
