/* A person's own kernel, from its source to what became of its memory: compiled by NVRTC for the
   device, launched once through a back end of executor/executor.h.

     smc_own_prepare      source, entry and arguments -> machine code and an answer
     smc_own_launch       -> counts, findings, memory
     smc_own_free                                                                              */
#ifndef SMC_OWN_OWN_H
#define SMC_OWN_OWN_H

#include "executor/own.h"
#include "inspect/inspect.h"
#include "own/argument.h"
#include "own/memory.h"

struct smc_own_request {
    const char *file;             /* "-": standard input */
    const char *entry;            /* NULL: the only one */
    const char *compiler_options; /* joined by blanks, or NULL */
    bool no_cache;                /* of the search for NVRTC */
    struct smc_device device;
    uint32_t grid[3], block[3];
    struct smc_launch settings; /* carve-out, cache configuration */
    uint32_t dynamic_smem_bytes;
    size_t argument_count;
    struct smc_own_argument argument[SMC_MAX_OWN_ARGUMENTS];
    const struct smc_executor *executor;
    int gpu_index;
    uint64_t seed;
    uint32_t timeout_ms;
    bool (*stop)(void); /* as in smc_own_launch */
    bool annotate;      /* the emulator's counts by line */
};

/* One buffer of a launch, and what became of it. */
struct smc_own_memory {
    const struct smc_own_argument *argument;
    size_t position; /* of --arg, from 1 */
    char name[32];   /* "arg 2" */
    void *before, *after_gpu, *after_emulated;
    bool has_gpu, has_emulated; /* the digest, of a back end that came to its end */
    struct smc_own_digest gpu, emulated;
    struct smc_agreement agreement; /* of the two */
};

/* Start from {0}; points into itself, so that it stays where it is. */
struct smc_own_run {
    struct smc_own_request request;
    struct smc_text text; /* the source */
    struct smc_annotation annotation;
    struct smc_inspect_kernels kernels; /* all of the source */
    struct smc_inspect_row row;         /* the one chosen, and what the model says of its launch */
    struct smc_binary binary;
    size_t memory_count;
    struct smc_own_memory memory[SMC_MAX_OWN_ARGUMENTS];
    struct smc_own_result result;
};

/* Compiles, chooses and checks. SMC_USAGE: a file that cannot be read or does not compile, no such
   kernel, arguments that do not fit, more threads than its launch bounds allow. Whether the model
   lets it launch stands in row.answer.outcome. SMC_UNAVAILABLE: no NVRTC for the device. Free in
   any case. */
enum smc_status smc_own_prepare(const struct smc_own_request *request, struct smc_own_run *run,
                                struct smc_text *warnings, struct smc_error *error);

/* Fills the memory and launches. As the back end; SMC_MACHINE also where there is not enough
   memory; SMC_INTERRUPTED where `stop` wished it before the launch. What the emulator saw stands in
   `result` even where the GPU failed after it. */
enum smc_status smc_own_launch(struct smc_own_run *run, struct smc_error *error);

/* How it ended: SMC_MACHINE: the GPU's driver refused it, it crashed there or did not end; the
   message says which. SMC_SHORTFALL: it did not end on the emulator. SMC_INTERRUPTED: `stop` ended
   it. */
enum smc_status smc_own_ending(const struct smc_own_run *run, struct smc_error *error);

void smc_own_free(struct smc_own_run *run);

#endif
