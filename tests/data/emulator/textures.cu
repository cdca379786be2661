// Kernels of tests/gpu/test_textures.c. textures.ptx is made of this file:
//   nvcc -arch=sm_75 -std=c++17 -ptx textures.cu
// Each thread has a place (x, y, z) in 32 x 8 x 4, and stores one float.
struct place {
    int x, y, z, at;
};

__device__ place mine()
{
    const int at = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    return {at % 32, at / 32 % 8, at / 256, at};
}

extern "C" __global__ void linear_memory(cudaTextureObject_t object, float *out)
{
    out[mine().at] = tex1Dfetch<float>(object, mine().at - 16);
}

extern "C" __global__ void one(cudaTextureObject_t object, float *out)
{
    out[mine().at] = tex1D<float>(object, 0.75f * mine().x - 3.125f);
}

extern "C" __global__ void two(cudaTextureObject_t object, float *out)
{
    const place p = mine();
    out[p.at] = tex2D<float>(object, 0.75f * p.x - 3.125f, 1.25f * p.y - 1.375f);
}

extern "C" __global__ void three(cudaTextureObject_t object, float *out)
{
    const place p = mine();
    out[p.at] = tex3D<float>(object, 0.75f * p.x - 3.125f, 1.25f * p.y - 1.375f, 1.5f * p.z - 0.875f);
}

extern "C" __global__ void parts(cudaTextureObject_t object, float *out)
{
    const place p = mine();
    out[p.at] = tex2D<float>(object, p.x / 8.0f - 1.0f + 1 / 256.0f, p.y / 4.0f - 0.5f + 1 / 256.0f);
}

extern "C" __global__ void layers_of_one(cudaTextureObject_t object, float *out)
{
    const place p = mine();
    out[p.at] = tex1DLayered<float>(object, 0.75f * p.x - 3.125f, p.y);
}

extern "C" __global__ void layers_of_two(cudaTextureObject_t object, float *out)
{
    const place p = mine();
    out[p.at] = tex2DLayered<float>(object, 0.75f * p.x - 3.125f, 1.25f * p.y - 1.375f, p.z);
}

extern "C" __global__ void bytes(cudaTextureObject_t object, float *out)
{
    const place p = mine();
    const uchar4 all = tex2D<uchar4>(object, 0.75f * p.x - 3.125f, 1.25f * p.y - 1.375f);
    out[p.at] = all.x + 2.0f * all.y + 4.0f * all.z + 8.0f * all.w;
}

extern "C" __global__ void shares(cudaTextureObject_t object, float *out)
{
    const place p = mine();
    const float2 both = tex2D<float2>(object, 0.75f * p.x - 3.125f, 1.25f * p.y - 1.375f);
    out[p.at] = both.x + 2 * both.y;
}

extern "C" __global__ void surface(cudaSurfaceObject_t object, float *out)
{
    const place p = mine();
    out[p.at] = surf3Dread<float>(object, 4 * p.x, p.y, p.z);
    surf3Dwrite(2 * out[p.at] + 1, object, 4 * p.x, p.y, p.z);
}

extern "C" __global__ void layers_of_surface(cudaSurfaceObject_t object, float *out)
{
    const place p = mine();
    out[p.at] = surf2DLayeredread<float>(object, 4 * p.x, p.y, p.z);
    surf2DLayeredwrite(2 * out[p.at] + 1, object, 4 * p.x, p.y, p.z);
}
