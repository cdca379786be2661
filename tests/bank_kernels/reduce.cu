// Reductions and scans, whose strides change from step to step.
// @ interleaved block 256 1 1 grid 4 1 1 args 1024
extern "C" __global__ void interleaved(float *out, const float *in, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        int k = 2 * stride * t;
        if (k < blockDim.x)
            s[k] += s[k + stride];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

// @ sequential block 256 1 1 grid 4 1 1 args 1024
extern "C" __global__ void sequential(float *out, const float *in, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (t < stride)
            s[t] += s[t + stride];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

// @ dynamic block 128 1 1 grid 2 1 1 smem 1024 args 1000
extern "C" __global__ void dynamic(double *out, const double *in, int n)
{
    extern __shared__ double sums[];
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int stride = blockDim.x >> 1; stride; stride >>= 1) {
        if (threadIdx.x < stride)
            sums[threadIdx.x] += sums[threadIdx.x + stride];
        __syncthreads();
    }
    if (!threadIdx.x)
        out[blockIdx.x] = sums[0];
}

// @ warp_sums block 256 1 1 grid 2 1 1 args 512
extern "C" __global__ void warp_sums(float *out, const float *in, int n)
{
    __shared__ float s[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    float v = i < n ? in[i] : 0;
    for (int d = 16; d; d >>= 1)
        v += __shfl_down_sync(~0u, v, d);
    if (lane == 0)
        s[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < blockDim.x / 32 ? s[lane] : 0;
        for (int d = 16; d; d >>= 1)
            v += __shfl_down_sync(~0u, v, d);
        if (lane == 0)
            out[blockIdx.x] = v;
    }
}

// Hillis and Steele's scan, with two buffers.
// @ scan block 128 1 1 grid 2 1 1
extern "C" __global__ void scan(int *out, const int *in)
{
    __shared__ int s[2][128];
    int t = threadIdx.x, from = 0;
    s[0][t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        int to = 1 - from;
        s[to][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
        from = to;
        __syncthreads();
    }
    out[blockIdx.x * 128 + t] = s[from][t];
}

// Blelloch's scan, with its bank conflicts.
// @ tree_scan block 64 1 1 grid 2 1 1
extern "C" __global__ void tree_scan(int *out, const int *in)
{
    __shared__ int s[128];
    int t = threadIdx.x, offset = 1;
    s[2 * t] = in[2 * t];
    s[2 * t + 1] = in[2 * t + 1];
    for (int d = 64; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            s[b] += s[a];
        }
        offset *= 2;
    }
    if (t == 0)
        s[127] = 0;
    for (int d = 1; d < 128; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            int v = s[a];
            s[a] = s[b];
            s[b] += v;
        }
    }
    __syncthreads();
    out[2 * t] = s[2 * t];
    out[2 * t + 1] = s[2 * t + 1];
}

// The trip count is a parameter, and so is the stride.
// @ by_parameter block 128 1 1 grid 1 1 1 args 4 3
extern "C" __global__ void by_parameter(float *out, const float *in, int rounds, int stride)
{
    __shared__ float s[1024];
    int t = threadIdx.x;
    for (int i = t; i < 1024; i += 128)
        s[i] = in[i];
    __syncthreads();
    float sum = 0;
    for (int r = 0; r < rounds; r++) {
        sum += s[(t + r) & 1023];
        sum += s[(t * stride) & 1023];
        sum += s[(2 * t + 32 * r) & 1023];
    }
    out[t] = sum;
}
