/* For programs that call CUDA's driver or runtime, which they find as any other program does: needs
   neither CUDA's headers nor its compiler. The errors are those of cuda.h. */
#ifndef SMC_TESTS_SHIM_CALLS_H
#define SMC_TESTS_SHIM_CALLS_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ERROR(name in the driver, name in the runtime, number) */
#define CUDA_ERRORS(ERROR)                                                                         \
    ERROR(CUDA_SUCCESS, cudaSuccess, 0)                                                            \
    ERROR(CUDA_ERROR_INVALID_VALUE, cudaErrorInvalidValue, 1)                                      \
    ERROR(CUDA_ERROR_OUT_OF_MEMORY, cudaErrorMemoryAllocation, 2)                                  \
    ERROR(CUDA_ERROR_NOT_INITIALIZED, cudaErrorInitializationError, 3)                             \
    ERROR(CUDA_ERROR_NO_DEVICE, cudaErrorNoDevice, 100)                                            \
    ERROR(CUDA_ERROR_INVALID_DEVICE, cudaErrorInvalidDevice, 101)                                  \
    ERROR(CUDA_ERROR_INVALID_IMAGE, cudaErrorInvalidKernelImage, 200)                              \
    ERROR(CUDA_ERROR_INVALID_CONTEXT, cudaErrorDeviceUninitialized, 201)                           \
    ERROR(CUDA_ERROR_NO_BINARY_FOR_GPU, cudaErrorNoKernelImageForDevice, 209)                      \
    ERROR(CUDA_ERROR_INVALID_PTX, cudaErrorInvalidPtx, 218)                                        \
    ERROR(CUDA_ERROR_FILE_NOT_FOUND, cudaErrorFileNotFound, 301)                                   \
    ERROR(CUDA_ERROR_INVALID_HANDLE, cudaErrorInvalidResourceHandle, 400)                          \
    ERROR(CUDA_ERROR_ILLEGAL_STATE, cudaErrorIllegalState, 401)                                    \
    ERROR(CUDA_ERROR_NOT_FOUND, cudaErrorSymbolNotFound, 500)                                      \
    ERROR(CUDA_ERROR_NOT_READY, cudaErrorNotReady, 600)                                            \
    ERROR(CUDA_ERROR_ILLEGAL_ADDRESS, cudaErrorIllegalAddress, 700)                                \
    ERROR(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, cudaErrorLaunchOutOfResources, 701)                  \
    ERROR(CUDA_ERROR_LAUNCH_TIMEOUT, cudaErrorLaunchTimeout, 702)                                  \
    ERROR(CUDA_ERROR_ASSERT, cudaErrorAssert, 710)                                                 \
    ERROR(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, cudaErrorHostMemoryAlreadyRegistered, 712)    \
    ERROR(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cudaErrorHostMemoryNotRegistered, 713)            \
    ERROR(CUDA_ERROR_HARDWARE_STACK_ERROR, cudaErrorHardwareStackError, 714)                       \
    ERROR(CUDA_ERROR_MISALIGNED_ADDRESS, cudaErrorMisalignedAddress, 716)                          \
    ERROR(CUDA_ERROR_INVALID_PC, cudaErrorInvalidPc, 718)                                          \
    ERROR(CUDA_ERROR_LAUNCH_FAILED, cudaErrorLaunchFailure, 719)                                   \
    ERROR(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, cudaErrorCooperativeLaunchTooLarge, 720)        \
    ERROR(CUDA_ERROR_NOT_SUPPORTED, cudaErrorNotSupported, 801)                                    \
    ERROR(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cudaErrorStreamCaptureUnsupported, 900)           \
    ERROR(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cudaErrorStreamCaptureInvalidated, 901)           \
    ERROR(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, cudaErrorStreamCaptureUnmatched, 903)               \
    ERROR(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, cudaErrorStreamCaptureUnjoined, 904)                 \
    ERROR(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, cudaErrorStreamCaptureIsolation, 905)               \
    ERROR(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cudaErrorStreamCaptureImplicit, 906)                 \
    ERROR(CUDA_ERROR_CAPTURED_EVENT, cudaErrorCapturedEvent, 907)                                  \
    ERROR(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, cudaErrorStreamCaptureWrongThread, 908)          \
    ERROR(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cudaErrorGraphExecUpdateFailure, 910)              \
    ERROR(CUDA_ERROR_INVALID_CLUSTER_SIZE, cudaErrorInvalidClusterSize, 912)                       \
    ERROR(CUDA_ERROR_UNKNOWN, cudaErrorUnknown, 999)

#define ERROR(driver, runtime, number) driver = (number), runtime = (number),
enum { CUDA_ERRORS(ERROR) };
#undef ERROR

static void *library;
static int failures;

static void expect(int line, const char *what, long expected, long seen)
{
    if (expected == seen)
        return;
    printf("line %d: %s: expected %ld, seen %ld\n", line, what, expected, seen);
    failures++;
}

/* Each call has other parameters. */
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
typedef int call();

static call *find(const char *name)
{
    call *found;
    void *symbol = dlsym(library, name);
    if (!symbol) {
        printf("%s is missing\n", name);
        exit(99);
    }
    memcpy(&found, &symbol, sizeof found);
    return found;
}

/* What the call returns. */
#define CALL(error, name, ...) expect(__LINE__, #name, error, find(#name)(__VA_ARGS__))
#define IS(expected, seen)     expect(__LINE__, #seen, (long)(expected), (long)(seen))
#define SIZE(bytes)            ((size_t)(bytes))

#endif
