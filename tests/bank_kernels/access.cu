// Accesses of many forms.
struct particle { float x, y, z, mass; };
struct node { int key; float weight; int next; };
struct wide { double a, b, c; };

// @ structures block 64 1 1 grid 2 1 1
extern "C" __global__ void structures(particle *out, const particle *in)
{
    __shared__ particle s[64];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    particle p = s[(t + 1) % 64], sum = {};
    for (int i = 0; i < 64; i++) {
        sum.x += s[i].x - p.x;
        sum.y += s[i].y - p.y;
        sum.z += s[i].z * p.mass;
    }
    sum.mass = s[63 - t].y;
    out[blockIdx.x * 64 + t] = sum;
}

// @ nodes block 96 1 1 grid 1 1 1
extern "C" __global__ void nodes(node *out, const node *in)
{
    __shared__ node s[96];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    node n = s[95 - t];
    n.key += s[t / 2].key + s[t & ~3].next;
    out[t] = n;
}

// @ wides block 32 4 1 grid 1 1 1
extern "C" __global__ void wides(wide *out, const wide *in)
{
    __shared__ wide s[4][32];
    s[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = s[threadIdx.x % 4][threadIdx.x / 4 + 8 * threadIdx.y];
}

// @ vectors block 128 1 1 grid 1 1 1
extern "C" __global__ void vectors(float4 *out, const float4 *in, const float2 *in2)
{
    __shared__ float4 s[128];
    __shared__ float2 s2[256];
    int t = threadIdx.x;
    s[t] = in[t];
    s2[t] = in2[t];
    s2[t + 128] = in2[t + 128];
    __syncthreads();
    float4 v = s[t ^ 5];
    float2 u = s2[2 * t], w = s2[(t * 17) & 255];
    v.x += u.x + w.x;
    v.y += u.y + w.y;
    v.z += s[t / 8].x;
    out[t] = v;
}

// @ histogram block 128 1 1 grid 2 1 1 args 2048
extern "C" __global__ void histogram(unsigned *out, const unsigned char *in, int n)
{
    __shared__ unsigned bins[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        bins[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&bins[in[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&out[i], bins[i]);
}

// Bins of each thread's own, one byte each, in columns.
// @ own_bins block 64 1 1 grid 2 1 1 args 512
extern "C" __global__ void own_bins(unsigned *out, const unsigned char *in, int n)
{
    __shared__ unsigned char bins[64 * 64];
    int t = threadIdx.x;
    for (int i = 0; i < 64; i++)
        bins[i * 64 + t] = 0;
    for (int i = t; i < n; i += 64)
        bins[(in[i] & 63) * 64 + t]++;
    __syncthreads();
    unsigned sum = 0;
    for (int i = 0; i < 64; i++)
        sum += bins[t * 64 + i];
    out[t] = sum;
}

// @ gathered block 64 1 1 grid 1 1 1
extern "C" __global__ void gathered(float *out, const float *in, const int *index)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    for (int i = t; i < 256; i += 64)
        s[i] = in[i];
    __syncthreads();
    out[t] = s[index[t] & 255];
}

// @ stencil block 32 4 1 grid 2 2 1 args 64 16
extern "C" __global__ void stencil(float *out, const float *in, int width, int height)
{
    __shared__ float s[6][34];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 4 + ty;
    s[ty + 1][tx + 1] = in[y * width + x];
    if (tx == 0)
        s[ty + 1][0] = x > 0 ? in[y * width + x - 1] : 0;
    if (tx == 31)
        s[ty + 1][33] = x + 1 < width ? in[y * width + x + 1] : 0;
    if (ty == 0)
        s[0][tx + 1] = y > 0 ? in[(y - 1) * width + x] : 0;
    if (ty == 3)
        s[5][tx + 1] = y + 1 < height ? in[(y + 1) * width + x] : 0;
    __syncthreads();
    out[y * width + x] = s[ty][tx + 1] + s[ty + 2][tx + 1] + s[ty + 1][tx] + s[ty + 1][tx + 2];
}

// A sort whose partners are found by XOR.
// @ bitonic block 128 1 1 grid 2 1 1
extern "C" __global__ void bitonic(int *data)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = data[blockIdx.x * 256 + t];
    s[t + 128] = data[blockIdx.x * 256 + t + 128];
    for (int size = 2; size <= 256; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int at = 2 * t - (t & (stride - 1));
            bool up = (t & size / 2) == 0;
            int a = s[at], b = s[at + stride];
            if ((a > b) == up) {
                s[at] = b;
                s[at + stride] = a;
            }
        }
    __syncthreads();
    data[blockIdx.x * 256 + t] = s[t];
    data[blockIdx.x * 256 + t + 128] = s[t + 128];
}

// @ cube block 8 8 4 grid 1 1 1
extern "C" __global__ void cube(float *out, const float *in)
{
    __shared__ float s[4][8][9];
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    s[z][y][x] = in[(z * 8 + y) * 8 + x];
    __syncthreads();
    out[(z * 8 + y) * 8 + x] = s[z][x][y] + s[3 - z][7 - y][x] + s[(x + y) & 3][y][x];
}

// @ partial block 50 1 1 grid 1 1 1
extern "C" __global__ void partial(float *out, const float *in)
{
    __shared__ float s[50 * 3];
    int t = threadIdx.x;
    for (int i = t; i < 150; i += 50)
        s[i] = in[i];
    __syncthreads();
    float sum = s[3 * t] + s[3 * t + 1];
    if (t % 3 == 1)
        sum += s[3 * t + 2];
    else if (t & 4)
        sum += s[t * 2];
    out[t] = sum;
}

// @ chosen block 64 1 1 grid 1 1 1 args 1
extern "C" __global__ void chosen(float *out, const float *in, int which)
{
    __shared__ float a[64], b[2][128];
    int t = threadIdx.x;
    a[t] = in[t];
    b[0][t] = b[1][t] = b[0][t + 64] = b[1][t + 64] = in[t];
    __syncthreads();
    float *s = which ? a : b[1];
    out[t] = s[t] + (t < 16 ? a : b[0])[t];
}

// @ by_switch block 64 1 1 grid 1 1 1
extern "C" __global__ void by_switch(float *out, const float *in)
{
    __shared__ float s[512];
    int t = threadIdx.x;
    for (int i = t; i < 512; i += 64)
        s[i] = in[i];
    __syncthreads();
    float v = 0;
    switch (t % 5) {
    case 0: v = s[t]; break;
    case 1: v = s[2 * t] * 2; break;
    case 2: v = s[4 * t] + 1; break;
    case 3: v = s[8 * t] - 1; break;
    default: v = s[0];
    }
    out[t] = v;
}

// The block's index shifts the whole access.
// @ shifted block 64 1 1 grid 3 1 1
extern "C" __global__ void shifted(float *out, const float *in)
{
    __shared__ float s[256];
    __shared__ unsigned char c[256];
    int t = threadIdx.x, b = blockIdx.x;
    for (int i = t; i < 256; i += 64) {
        s[i] = in[i];
        c[i] = i;
    }
    __syncthreads();
    out[b * 64 + t] = s[t + b] + s[2 * t + b] + c[t + b] + s[(t + b) % 256] + s[(t * 2 + b) & 255];
}

// @ rolled block 32 2 1 grid 1 1 1 args 40
extern "C" __global__ void rolled(float *out, const float *in, int n)
{
    __shared__ float ring[4][2][32];
    int tx = threadIdx.x, ty = threadIdx.y;
    float sum = 0;
    for (int i = 0; i < n; i++) {
        ring[i & 3][ty][tx] = in[i * 64 + ty * 32 + tx];
        __syncthreads();
        sum += ring[(i + 1) % 4][ty ^ 1][31 - tx] + ring[i & 3][tx & 1][tx / 2];
        __syncthreads();
    }
    out[ty * 32 + tx] = sum;
}

// @ inlined block 128 1 1 grid 1 1 1
__device__ __forceinline__ float pick(const float *s, int i) { return s[i * 5 % 128]; }
extern "C" __global__ void inlined(float *out, const float *in)
{
    __shared__ float s[128];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = pick(s, threadIdx.x) + pick(s, 127 - threadIdx.x);
}

// @ until_done block 64 1 1 grid 1 1 1 args 9
extern "C" __global__ void until_done(int *out, const int *in, int n)
{
    __shared__ int s[64];
    __shared__ int changed;
    int t = threadIdx.x, rounds = 0;
    s[t] = in[t];
    do {
        __syncthreads();
        if (t == 0)
            changed = 0;
        __syncthreads();
        int next = s[(t + 1) & 63];
        __syncthreads();
        if (next > s[t] && rounds < n) {
            s[t] = next;
            changed = 1;
        }
        __syncthreads();
        rounds++;
    } while (changed && rounds < n);
    out[t] = s[t];
}

// @ signed_division block 64 1 1 grid 2 1 1 args 300
extern "C" __global__ void signed_division(float *out, const float *in, int n)
{
    __shared__ float s[16][33];
    int t = threadIdx.x;
    for (int i = t; i < 512; i += 64)
        s[i / 32][i % 32] = in[i];
    __syncthreads();
    float sum = 0;
    for (int i = t; i < n; i += 64) {
        int row = i / 32 % 16, column = i % 32;
        sum += s[row][column];
    }
    out[blockIdx.x * 64 + t] = sum;
}

// @ early_exit block 96 1 1 grid 2 1 1 args 192
extern "C" __global__ void early_exit(float *out, const float *in, int n)
{
    __shared__ float s[96 * 2];
    int t = threadIdx.x, i = blockIdx.x * 96 + t;
    if (i >= n)
        return;
    s[2 * t] = in[i];
    if (t >= 80)
        return;
    s[2 * t + 1] = s[2 * t] * 2;
    out[i] = s[2 * t + 1];
}
