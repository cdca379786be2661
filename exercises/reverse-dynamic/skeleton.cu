/* Reverses d[0] to d[n-1] in place; the block has n threads. */

// launch: smem = 0

__global__ void reverse(int *d, int n)
{
}
