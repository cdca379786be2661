/* A program with CUDA's runtime linked into it. On the emulator each of these functions is replaced
   by the emulator's: then the version is not 1, and there is a device. */
#include <stdio.h>

void **__cudaRegisterFatBinary(const void *image);
int cudaGetDeviceProperties_v2(void *properties, int device);
int cudaRuntimeGetVersion(int *version);
int cudaGetDeviceCount(int *count);
int behind(void);

void **__cudaRegisterFatBinary(const void *image)
{
    (void)image;
    return NULL;
}

#if LINKED_RUNTIME == 12
int cudaGetDeviceProperties_v2(void *properties, int device)
{
    (void)properties;
    return device;
}
#endif

__attribute__((aligned(16))) int cudaRuntimeGetVersion(int *version)
{
    *version = 1;
    return 0;
}

__attribute__((aligned(16))) int cudaGetDeviceCount(int *count)
{
    *count = 0;
    return 100;
}

/* So that there is space behind the others. */
__attribute__((aligned(16))) int behind(void)
{
    return 0;
}

int main(void)
{
    /* Not inlined. */
    int (*volatile find_version)(int *) = cudaRuntimeGetVersion;
    int (*volatile count_devices)(int *) = cudaGetDeviceCount;
    int version = 0, count = 0;
    const int errors = find_version(&version) + count_devices(&count);
    printf("version %d, %d devices, errors %d\n", version, count, errors);
    return 0;
}
