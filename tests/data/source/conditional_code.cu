// Preprocessor branches that repeat function heads and braces; code for other compilers.
#include <cstdio>
#ifdef _WIN32
#include <windows.h>
#else
#include <sys/time.h>
#include <unistd.h>
#endif
#if 0
this is "not C++ at all { ( [
#endif
#ifndef TILE
#define TILE 16
#endif
static double now()
{
#ifdef _WIN32
    LARGE_INTEGER t; QueryPerformanceCounter(&t); return (double)t.QuadPart;
#else
    struct timeval t;
    gettimeofday(&t, NULL);
    return t.tv_sec + 1e-6 * t.tv_usec;
#endif
}
#ifdef USE_DOUBLE
typedef double real;
__global__ void axpy(double a, const double *x, double *y) {
#else
typedef float real;
__global__ void axpy(float a, const float *x, float *y) {
#endif
    int i = blockIdx.x * TILE + threadIdx.x;
    y[i] += a * x[i];
#if __CUDA_ARCH__ >= 700
    __syncwarp();
#endif
}
int main()
#ifdef QUIET
{ return 0; }
#else
{
    double t = now();
    if (t > 0) {
#ifdef USE_DOUBLE
        printf("double {\n"); }
#else
        printf("float }\n"); }
#endif
    axpy<<<1, TILE>>>((real)1, nullptr, nullptr);
    const char *s = R"cuda(
__global__ void not_a_kernel() { "
)cuda";
    return s[0] == 'x' || '"' == '\'' ;
}
#endif
