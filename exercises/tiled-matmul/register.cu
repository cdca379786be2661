// launch: block = 16,16; grid = (n+63)/64,(m+63)/64
#define TILE 64
#define STEP 16
#define EACH 4

/* Each thread computes 4 x 4 elements in registers, of a tile of 64 x 64. */
__global__ void matmul(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float a_tile[STEP][TILE + 4], b_tile[STEP][TILE];
    int x = threadIdx.x, y = threadIdx.y, thread = y * 16 + x;
    int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    float sum[EACH][EACH] = {};

    for (int base = 0; base < k; base += STEP) {
        for (int i = thread; i < TILE * STEP; i += 256) {
            int row = i / STEP, at = i % STEP;
            a_tile[at][row] = top + row < m && base + at < k ? a[(top + row) * k + base + at] : 0;
        }
        for (int i = thread; i < TILE * STEP; i += 256) {
            int at = i / TILE, column = i % TILE;
            b_tile[at][column] =
                base + at < k && left + column < n ? b[(base + at) * n + left + column] : 0;
        }
        __syncthreads();
        for (int at = 0; at < STEP; at++) {
            float own_a[EACH], own_b[EACH];
            for (int i = 0; i < EACH; i++) {
                own_a[i] = a_tile[at][y * EACH + i];
                own_b[i] = b_tile[at][x + 16 * i];
            }
            for (int i = 0; i < EACH; i++)
                for (int j = 0; j < EACH; j++)
                    sum[i][j] += own_a[i] * own_b[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < EACH; i++)
        for (int j = 0; j < EACH; j++) {
            int row = top + y * EACH + i, column = left + x + 16 * j;
            if (row < m && column < n)
                c[row * n + column] = sum[i][j];
        }
}
