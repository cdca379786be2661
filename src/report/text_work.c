/* The work of a launch in words: a line, and its arithmetic. */
#include <stdarg.h>
#include <stdio.h>

#include "query/workload.h"
#include "report/layout.h"
#include "report/text_parts.h"

enum { EXPLAIN_INDENT = 15 };

/* "A's elements are loaded 32 times each, B's 32 times". */
static void append_loads(const struct smc_work *work, struct smc_text *line)
{
    const char *gap = "";
    for (size_t i = 0; i < work->access_count; i++) {
        const struct smc_global_access *access = &work->access[i];
        double times = access->elements / access->array_elements;
        if (access->store)
            continue;
        smc_text_printf(line,
                        *gap ? "%s%s's %.4g" SMC_TIE "times"
                             : "%s%s's elements are loaded %.4g" SMC_TIE "times each",
                        gap, access->name, times);
        gap = ", ";
    }
}

void smc_text_append_work(const struct smc_answer *answer, struct smc_text *line)
{
    const struct smc_work *work = &answer->work;
    const struct smc_workload *workload = &answer->workload;
    bool integers = answer->query.params.value[SMC_PARAM_DTYPE] == SMC_INT32;
    const char *flop = integers ? "operations" : "flop";
    double reuse =
        work->global_load_bytes > 0 ? work->untiled_load_bytes / work->global_load_bytes : 1;
    append_loads(work, line);
    if (reuse > 1.05)
        smc_text_printf(line, ", 1/%.3g of the untiled", reuse);
    if (work->flops > 0)
        smc_text_printf(line, "; %.3g %s, %.3g for each byte loaded", work->flops, flop,
                        workload->flops_per_load_byte);
    else
        smc_text_printf(line, "; %.4g" SMC_TIE "B loaded", work->global_load_bytes);
    if (workload->has_wall)
        smc_text_printf(line, "; shared memory allows %.0f" SMC_TIE "%% of the FMA peak",
                        100 * smc_workload_peak_share(workload));
}

/* A paragraph beside its heading, which stands once. */
static void say(struct smc_text *out, const struct smc_report_style *style, const char **heading,
                const char *format, ...) __attribute__((format(printf, 4, 5)));

static void say(struct smc_text *out, const struct smc_report_style *style, const char **heading,
                const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    smc_layout_paragraph(out, *heading, EXPLAIN_INDENT, text, style->columns);
    *heading = "";
}

static void explain_wall(const struct smc_answer *answer, const struct smc_report_style *style,
                         struct smc_text *out)
{
    const struct smc_workload *workload = &answer->workload;
    const struct smc_shared_work *shared = &workload->shared;
    const char *heading = "the wall";
    say(out, style, &heading, "a warp's FMA: %u lanes / %u of the SM = %.3g clocks",
        answer->query.device.sm.warp_size, answer->query.device.sm.fp32_lanes_per_sm,
        workload->fma_cycles_per_step);
    say(out, style, &heading,
        "its shared memory, a wavefront a clock: (%.4g loads + %.4g stores) / %.4g FMA = %.3g "
        "clocks: %.0f %% of the FMA peak at most",
        shared->loads.wavefronts, shared->stores.wavefronts, answer->work.fma_instructions,
        workload->shared_cycles_per_step, 100 * smc_workload_peak_share(workload));
}

void smc_text_explain_work(const struct smc_answer *answer, const struct smc_report_style *style,
                           struct smc_text *out)
{
    const struct smc_work *work = &answer->work;
    const struct smc_workload *workload = &answer->workload;
    const char *heading = "global memory";
    for (size_t i = 0; i < work->access_count; i++) {
        const struct smc_global_access *access = &work->access[i];
        const char *done = access->store ? "stored" : "loaded";
        if (answer->query.device.sm.global_sector_bytes == 0) /* half warps, and segments */
            say(out, style, &heading, "%s %s: %.4g elements", access->name, done, access->elements);
        else
            say(out, style, &heading,
                "%s %s: %.4g elements in %.4g requests of a warp = %.4g sectors of 32 B",
                access->name, done, access->elements, access->requests, access->sectors);
    }
    if (workload->flops_per_load > 0)
        say(out, style, &heading,
            "CGMA %.4g: %.4g operations for each element loaded; %.4g a byte loaded, %.4g a byte "
            "loaded or stored",
            workload->flops_per_load, workload->flops_per_load, workload->flops_per_load_byte,
            workload->flops_per_moved_byte);
    heading = "shared memory";
    if (workload->has_shared)
        say(out, style, &heading,
            "%.4g loads of a warp = %.4g wavefronts (as written %.4g loads); %.4g stores = %.4g "
            "wavefronts",
            workload->shared.loads.instructions, workload->shared.loads.wavefronts,
            workload->shared.written_loads.instructions, workload->shared.stores.instructions,
            workload->shared.stores.wavefronts);
    if (workload->has_wall)
        explain_wall(answer, style, out);
}
