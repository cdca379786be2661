/* Reverses d[0] to d[n-1] in place; n is at most 256, and the block has n threads. */
__global__ void reverse(int *d, int n)
{
    /* Declare an array of 256 int in static shared memory. */

    /* Each thread copies one element there ... */

    /* ... and writes another one back. What must stand between the two? */
}
