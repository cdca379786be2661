/* smemcalc on a fake CUDA runtime: launches behave as the words of FAKE_GPU say; "at-1" among them
   applies them to GPU 1 alone. Its kernels have 16 registers, which --regs 16 predicts, or the
   number that they were compiled to. FAKE_COUNTS holds the values of the hardware counters, in the
   order of metrics.def; without it profiling is not permitted. With "computes" it also does what
   `check` launches, with the defect that FAKE_FAULT names (fake_health.h), and FAKE_MS is the time
   of matmul_tiled. With "counted" the last line on standard error counts what was compiled.
   "modest" has little memory and a small L2 cache, "scant" too little memory for rates. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compilations.h"
#include "fake_cuda.h"
#include "show/cli/cli.h"

static bool says(const char *words, const char *word)
{
    return words && strstr(words, word);
}

/* Reasons why a program cannot use the GPU. */
static void make_useless(const char *words)
{
    if (says(words, "none"))
        fake_cuda.device_count = 0;
    if (says(words, "driverless") || says(words, "outdated"))
        fake_cuda.device_count_error = cudaErrorInsufficientDriver;
    if (says(words, "driverless"))
        fake_cuda.driver_version = 0;
    if (says(words, "prohibited"))
        fake_cuda.compute_mode = cudaComputeModeProhibited;
    if (says(words, "exclusive"))
        fake_cuda.compute_mode = cudaComputeModeExclusiveProcess;
    fake_cuda.start_hangs = says(words, "stuck");
    fake_cuda.start_crashes = says(words, "bursts");
    if (says(words, "busy"))
        fake_cuda.use_error = cudaErrorDevicesUnavailable;
    if (says(words, "damaged"))
        fake_cuda.use_error = cudaErrorECCUncorrectable;
    if (says(words, "lost"))
        fake_cuda.use_error = cudaErrorUnknown;
    if (says(words, "full"))
        fake_cuda.use_error = cudaErrorMemoryAllocation;
    if (says(words, "small"))
        fake_cuda.free_bytes = 3500000;
}

/* What is written and read on the CPU takes its time. */
static void set_memory(const char *words)
{
    if (fake_cuda.computes || says(words, "modest")) {
        fake_cuda.l2_bytes = 1 << 20;
        fake_cuda.free_bytes = (size_t)1 << 28; /* the least in which rates are measured */
    }
    if (says(words, "scant"))
        fake_cuda.free_bytes = (size_t)1 << 25;
}

/* 10.7 with a driver and runtime that support its modes, or without; and a future compute
   capability. */
static void make_newer(const char *words)
{
    if (says(words, "rubin")) {
        fake_cuda.name = "NVIDIA Rubin";
        fake_cuda.major = 10;
        fake_cuda.minor = 7;
        fake_cuda.threads_per_sm = 1024;
        fake_cuda.blocks_per_sm = 16;
        fake_cuda.oversized_smem_bytes = 334848;
        fake_cuda.api_blocks_per_sm = 1;
        fake_cuda.resident_blocks = 1;
    }
    if (says(words, "cuda-13.5"))
        fake_cuda.driver_version = fake_cuda.runtime_version = 13050;
    if (says(words, "unheard-of")) {
        fake_cuda.name = "NVIDIA Whatever";
        fake_cuda.major = 10;
        fake_cuda.minor = 9;
    }
}

static void make_endless(const char *words)
{
    if (says(words, "endless"))
        fake_cuda.endless_from = 1;
    if (says(words, "endless-probe"))
        fake_cuda.endless_from = 2; /* after the launch whose result is checked */
    if (says(words, "endless-timing"))
        fake_cuda.endless_from = 4;
}

static void set_counters(const char *counts)
{
    if (!counts)
        return;
    fake_cuda.counters_refused = NULL;
    for (int i = 0; i < SMC_METRIC_COUNT; i++) {
        char *end;
        fake_cuda.counted[i] = strtod(counts, &end);
        counts = end;
    }
}

static bool make_faulty(const char *fault, const char *ms)
{
    if (ms)
        fake_cuda.product_ms = strtof(ms, NULL);
    if (!fault || fake_fault_read(fault, &fake_cuda.fault))
        return true;
    fprintf(stderr, "fake_smemcalc: FAKE_FAULT: '%s' is not understood\n", fault);
    return false;
}

int main(int argc, char **argv)
{
    const char *words = getenv("FAKE_GPU");
    fake_cuda_reset();
    make_useless(words);
    make_endless(words);
    make_newer(words);
    if (says(words, "two"))
        fake_cuda.device_count = 2;
    if (says(words, "compiled"))
        fake_cuda.regs_per_thread = 0;
    if (says(words, "slice"))
        fake_cuda.name = "NVIDIA H200 MIG 1g.18gb";
    if (says(words, "little")) /* the default stencil's arrays fit, but not much more */
        fake_cuda.free_bytes = (size_t)8600 << 10;
    if (says(words, "three"))
        fake_cuda.device_count = 3;
    if (says(words, "at-1"))
        fake_cuda.at = 1;
    fake_cuda.unreadable = says(words, "unreadable");
    fake_cuda.waits_for_all = says(words, "together");
    fake_cuda.hangs = says(words, "hangs");
    fake_cuda.wrong_result = says(words, "wrong");
    fake_cuda.block_matters = says(words, "paced");
    fake_cuda.wrong_block = says(words, "spoils-256") ? 256 : 0;
    fake_cuda.interrupted_at = says(words, "interrupted") ? 40 : 0;
    if (says(words, "refuses"))
        fake_cuda.launch_error = cudaErrorInvalidValue;
    if (says(words, "crashes"))
        fake_cuda.crash = cudaErrorIllegalAddress;
    fake_cuda.computes = says(words, "computes");
    set_memory(words);
    set_counters(getenv("FAKE_COUNTS"));
    if (!make_faulty(getenv("FAKE_FAULT"), getenv("FAKE_MS")))
        return 99;
    compilations_begin();
    int status = smc_cli_main(argc, argv);
    struct compilations seen = compilations_counted();
    if (says(words, "counted"))
        fprintf(stderr, "%u compilations, %u repeated\n", seen.all, seen.repeated);
    return status;
}
