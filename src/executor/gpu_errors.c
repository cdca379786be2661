/* CUDA's errors as statuses and messages: where more than their name helps, what to do about them.
 */
#include <stdio.h>

#include "executor/gpu.h"

/* Of the machine rather than of a launch. A kernel's own errors explain themselves. */
static const struct known {
    cudaError_t code;
    enum smc_status status;
    const char *advice;
} known[] = {
    {cudaErrorMemoryAllocation, SMC_MACHINE, "nvidia-smi shows who holds the GPU's memory"},
    {cudaErrorInitializationError, SMC_UNAVAILABLE, "nvidia-smi and the kernel's log tell more"},
    {cudaErrorStubLibrary, SMC_UNAVAILABLE,
     "libcuda.so.1 is the toolkit's stub: leave its folder out of LD_LIBRARY_PATH"},
    {cudaErrorDevicesUnavailable, SMC_UNAVAILABLE,
     "another process may hold the GPU; nvidia-smi shows processes and compute mode"},
    {cudaErrorECCUncorrectable, SMC_MACHINE,
     "the GPU's memory is damaged: 'nvidia-smi -q -d ECC' tells more, a reset may help"},
    {cudaErrorOperatingSystem, SMC_UNAVAILABLE, "are /dev/nvidia* there, and may you open them?"},
    {cudaErrorLaunchTimeout, SMC_MACHINE, "the watchdog of a GPU that also drives a screen"},
    {cudaErrorSystemNotReady, SMC_UNAVAILABLE,
     "does the service that this machine's GPUs need run, such as nvidia-fabricmanager?"},
    {cudaErrorSystemDriverMismatch, SMC_UNAVAILABLE,
     "the driver's kernel module and libcuda.so.1 are of two versions: restart after an update"},
    {cudaErrorCompatNotSupportedOnDevice, SMC_UNAVAILABLE,
     "leave CUDA's compat folder out of LD_LIBRARY_PATH, or install a newer driver"},
    {cudaErrorMpsConnectionFailed, SMC_UNAVAILABLE, "the MPS server does not answer"},
    {cudaErrorUnknown, SMC_MACHINE,
     "has the GPU fallen off the bus? nvidia-smi and the kernel's log (Xid) tell"},
};

static const struct known *find(cudaError_t code)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].code == code)
            return &known[i];
    return NULL;
}

enum smc_status smc_gpu_fail(struct smc_error *error, cudaError_t code, const char *call)
{
    const struct known *entry = find(code);
    cudaGetLastError();
    return smc_fail(error, entry ? entry->status : SMC_MACHINE, "%s: %s: %s%s%s", call,
                    cudaGetErrorName(code), cudaGetErrorString(code), entry ? "; " : "",
                    entry ? entry->advice : "");
}

bool smc_gpu_attempt(struct smc_attempt *attempt, cudaError_t code)
{
    attempt->made = true;
    attempt->succeeded = code == cudaSuccess;
    if (attempt->succeeded)
        return true;
    snprintf(attempt->message, sizeof attempt->message, "%s: %s", cudaGetErrorName(code),
             cudaGetErrorString(code));
    cudaGetLastError();
    return false;
}
