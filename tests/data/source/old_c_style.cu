/* C style of the first years: helper headers, K&R braces, globals, goto. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <assert.h>
#define N (1<<10)
#define THREADS 256
typedef struct { float x, y, z, w; } body_t;
typedef struct node { struct node *next; char name[32]; } node;
body_t *h_bodies, *d_bodies;
int steps = 10, debug;
__device__ float3 interact(body_t a, body_t b, float3 acc)
{
	float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
	float d = rsqrtf(dx*dx + dy*dy + dz*dz + 1e-9f);
	acc.x += dx * d * d * d * b.w;
	acc.y += dy * d * d * d * b.w;
	acc.z += dz * d * d * d * b.w;
	return acc;
}
__global__ void nbody(body_t *b, float dt, int n)
{
	__shared__ body_t tile[THREADS];
	int i = blockIdx.x*blockDim.x + threadIdx.x, j, k;
	float3 acc = {0, 0, 0};
	for (j = 0; j < n; j += THREADS) {
		tile[threadIdx.x] = b[j + threadIdx.x];
		__syncthreads();
		for (k = 0; k < THREADS; k++)
			acc = interact(b[i], tile[k], acc);
		__syncthreads();
	}
	assert(i < n);
	b[i].x += acc.x * dt; b[i].y += acc.y * dt; b[i].z += acc.z * dt;
}
void
usage(const char *name)
{
	fprintf(stderr, "usage: %s [-n steps]\n", name);
	exit(1);
}
static node *push(node *list, const char *name)
{
	node *n = (node *)malloc(sizeof(node));
	strncpy(n->name, name, sizeof n->name);
	n->next = list;
	return n;
}
int
main(int argc, char *argv[])
{
	int i;
	if (argc > 3) usage(argv[0]);
	node *list = push(NULL, "x");
	h_bodies = (body_t *)calloc(N, sizeof(body_t));
	if (cudaMalloc((void**)&d_bodies, N * sizeof(body_t)) != cudaSuccess) goto fail;
	for (i = 0; i < steps; i++)
		nbody <<< N / THREADS, THREADS >>> (d_bodies, 0.01f, N);
	printf("%s %ld\n", list->name, (long)time(NULL));
	return 0;
fail:
	return 1;
}
