/* What a launch on the emulator came to, for every kind of kernel. */
#include "config.h"

#include "executor/emulated_run.h"

#include <stdio.h>
#include <string.h>

#include "compile/machine_code.h"

void smc_emulated_follow(struct smc_program *program, const struct smc_binary *binary,
                         const char *entry, struct smc_emulated_run *run)
{
    struct smc_machine_code code;
    struct smc_error error = {""};
    uint64_t loads[SMC_EMULATOR_WIDTHS] = {0};
    if (smc_machine_code_of(binary->cubin, binary->cubin_bytes, entry, &code, &error) != SMC_OK) {
        snprintf(run->not_followed, sizeof run->not_followed, "%.159s", error.message);
        return;
    }
    for (unsigned i = 0; i < SMC_EMULATOR_WIDTHS; i++)
        loads[i] = smc_machine_code_count(&code, true, false, 1u << i);
    smc_machine_code_free(&code);
    run->follows_machine_code = smc_program_follow(program, loads) != SMC_FOLLOWING_UNKNOWN;
    if (!run->follows_machine_code)
        snprintf(run->not_followed, sizeof run->not_followed,
                 "which loads ptxas joined is not known");
}

void smc_emulated_copies(const struct smc_program *program, const struct smc_emulation *emulation,
                         struct smc_shared_count *copies)
{
    *copies = (struct smc_shared_count){0};
    for (size_t i = 0; i < emulation->count_length; i++) {
        if (!(smc_program_instruction(program, i)->flags & SMC_INSTRUCTION_ASYNC_COPY))
            continue;
        copies->instructions += (double)emulation->count[i].shared_stores;
        copies->wavefronts += (double)emulation->count[i].store_wavefronts;
    }
}

static void take_counts(const struct smc_emulation *emulation, struct smc_emulated_run *run)
{
    const struct smc_emulated_count *total = &emulation->total;
    run->loads = (struct smc_shared_count){.instructions = (double)total->shared_loads,
                                           .wavefronts = (double)total->load_wavefronts};
    run->stores = (struct smc_shared_count){.instructions = (double)total->shared_stores,
                                            .wavefronts = (double)total->store_wavefronts};
    run->conflicts =
        (double)(total->load_wavefronts + total->store_wavefronts - total->least_wavefronts);
    run->machine_loads =
        (struct smc_shared_count){.instructions = (double)total->machine_loads,
                                  .wavefronts = (double)total->machine_load_wavefronts};
    run->warp_instructions = (double)total->executions;
    run->thread_instructions = (double)total->lanes;
    run->threads = emulation->threads_used;
}

static void take_findings(const struct smc_program *program, const struct smc_emulation *emulation,
                          const char *file, struct smc_emulated_run *run)
{
    run->findings_total = emulation->findings_total;
    run->finding_count = emulation->finding_count;
    for (size_t i = 0; i < emulation->finding_count; i++) {
        struct smc_run_finding *out = &run->finding[i];
        out->finding = emulation->finding[i];
        out->line = smc_program_instruction(program, out->finding.instruction)->line;
        smc_finding_describe(program, &out->finding, file, out->text, sizeof out->text);
    }
}

void smc_emulated_take(const struct smc_program *program, const struct smc_emulation *emulation,
                       const char *file, struct smc_emulated_run *run)
{
    take_counts(emulation, run);
    smc_emulated_copies(program, emulation, &run->copies);
    take_findings(program, emulation, file, run);
}
