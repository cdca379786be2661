/* A person's own kernel in words. */
#include "report/words_own.h"

enum { SHOWN_VALUES = 6 };

void smc_words_own_verdict(const struct smc_own_run *run, struct smc_text *out)
{
    const struct smc_own_emulated *emulated = &run->result.emulated;
    const struct smc_own_on_gpu *gpu = &run->result.gpu;
    const struct smc_attempt *const ends[] = {&emulated->finish, &gpu->load, &gpu->launch,
                                              &gpu->finish};
    unsigned long long findings = emulated->counts.findings_total;
    size_t places = emulated->counts.finding_count;
    if (findings > 0)
        smc_text_printf(out, "%llu finding%s in %zu place%s", findings, findings == 1 ? "" : "s",
                        places, places == 1 ? "" : "s");
    else if (emulated->run.made)
        smc_text_append(out, "no findings");
    else
        smc_text_append(out, "launched; only the emulator finds what is wrong");
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends[i]->made && !ends[i]->succeeded)
            smc_text_printf(out, "; %s", ends[i]->message);
}

const struct smc_own_digest *smc_words_own_digest(const struct smc_own_memory *memory)
{
    return memory->has_emulated ? &memory->emulated : memory->has_gpu ? &memory->gpu : NULL;
}

void smc_words_own_values(const struct smc_own_memory *memory, struct smc_text *out)
{
    const struct smc_own_argument *argument = memory->argument;
    const void *data = memory->has_emulated ? memory->after_emulated : memory->after_gpu;
    uint64_t shown = argument->elements < SHOWN_VALUES ? argument->elements : SHOWN_VALUES;
    for (uint64_t i = 0; i < shown; i++) {
        char text[32];
        smc_own_show(argument->type, data, i, text);
        smc_text_printf(out, "%s%s", i ? ", " : "", text);
    }
    if (shown < argument->elements)
        smc_text_append(out, ", ...");
}
