/* The acceleration of every body by all others: x, y, z and mass in four floats, a block's bodies
   at a time in shared memory. Compile with -DBLOCK=256. */

extern "C" __global__ void n_body(const float4 *bodies, float4 *accelerations, int count)
{
    __shared__ float4 tile[BLOCK];
    const float softening = 0.01f; /* of the squared distance: a body does not attract itself */
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    const float4 self = i < count ? bodies[i] : make_float4(0, 0, 0, 0);
    float4 sum = make_float4(0, 0, 0, 0);
    for (int first = 0; first < count; first += BLOCK) {
        const int other = first + threadIdx.x;
        tile[threadIdx.x] = other < count ? bodies[other] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < BLOCK; j++) {
            const float4 body = tile[j];
            const float x = body.x - self.x, y = body.y - self.y, z = body.z - self.z;
            const float inverse = rsqrtf(x * x + y * y + z * z + softening);
            const float pull = body.w * inverse * inverse * inverse;
            sum.x += x * pull;
            sum.y += y * pull;
            sum.z += z * pull;
        }
        __syncthreads();
    }
    if (i < count)
        accelerations[i] = sum;
}
