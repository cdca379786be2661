/* Runs a program with smc_trace_collect and prints what was collected, a line for each thing, for
   tests that do not depend on a report:
     traced [--hooks] [--keep FOLDER] [--duration MS] [--skip N] [--count N] [--kernel PATTERN]
            PROGRAM [ARGUMENT]...
   Lines of launches: launch NAME device=D process=P grid=XxYxZ block=... cluster=... regs=... and
   so on. They go to descriptor 3 if it is open, else to standard error. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/trace_answer.h"

static void print_launch(FILE *out, const struct smc_trace *trace,
                         const struct smc_trace_launch *launch)
{
    if (launch->launches == 0)
        return;
    fprintf(out, "launch %s", launch->shown);
    fprintf(out, " device=%s",
            launch->device < 0 ? "?" : trace->devices[launch->device].device.name);
    fprintf(out, " process=%d grid=%ux%ux%u block=%ux%ux%u cluster=%ux%ux%u", (int)launch->process,
            launch->grid[0], launch->grid[1], launch->grid[2], launch->block[0], launch->block[1],
            launch->block[2], launch->cluster[0], launch->cluster[1], launch->cluster[2]);
    fprintf(out, " regs=%d static=%" PRId64 " dynamic=%" PRId64 " carveout=%d cache=%d sm=%" PRId64,
            (int)launch->regs_per_thread, launch->static_smem_bytes, launch->dynamic_smem_bytes,
            (int)launch->carveout_percent, (int)launch->cache_config,
            launch->smem_configured_bytes);
    fprintf(out, " launches=%" PRIu64 " graph=%" PRIu64 " timed=%" PRIu64, launch->launches,
            launch->graph_launches, launch->timed_launches);
    fprintf(out, " total=%" PRIu64 " least=%" PRIu64 " greatest=%" PRIu64, launch->total_ns,
            launch->least_ns, launch->greatest_ns);
    fprintf(out, " api=%d module=%d\n", (int)launch->api_blocks_per_sm, (int)launch->module);
}

static void print_course(FILE *out, const struct smc_trace *trace)
{
    uint64_t ns = 0;
    for (size_t i = 0; i < SMC_TRACE_SLICES; i++)
        for (size_t k = 0; k < trace->course.slice[i].count; k++)
            ns += trace->course.slice[i].share[k].ns;
    fprintf(out, "course ns=%" PRIu64 "\n", ns);
}

static void print(FILE *out, const struct smc_trace *trace)
{
    fprintf(out, "source %s\n", smc_trace_sources[trace->source].name);
    fprintf(out, "tool %s\n", trace->tool ? trace->tool : "?");
    fprintf(out, "program %s\n", trace->program);
    fprintf(out, "exit %d %d %d\n", trace->has_exit, trace->exit_status, trace->exit_signal);
    fprintf(out, "skipped %" PRIu64 "\n", trace->skipped);
    for (size_t i = 0; i < trace->device_count; i++)
        fprintf(out, "device %s cc=%d sms=%u known=%d\n", trace->devices[i].device.name,
                trace->devices[i].device.sm.cc, trace->devices[i].device.sm_count,
                trace->devices[i].known);
    for (size_t i = 0; i < trace->process_count; i++)
        fprintf(out, "process %s\n", trace->processes[i].command);
    for (size_t i = 0; i < trace->module_count; i++)
        fprintf(out, "module %s\n", trace->modules[i].shown);
    for (size_t i = 0; i < trace->launch_count; i++)
        print_launch(out, trace, &trace->launches[i]);
    print_course(out, trace);
    fputs(smc_text_string(&trace->notes), out);
}

int main(int argc, char **argv)
{
    static struct smc_trace trace;
    struct smc_trace_request request = {0};
    struct smc_error error = {""};
    struct smc_trace_program *program;
    const char *pattern = NULL;
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--hooks") == 0) {
            request.without_cupti = true;
            continue;
        }
        if (strcmp(argv[i], "--keep") == 0)
            request.keep_folder = value;
        else if (strcmp(argv[i], "--duration") == 0)
            request.duration_ms = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--skip") == 0)
            trace.filter.skip = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--count") == 0)
            trace.filter.count = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--kernel") == 0)
            pattern = value;
        i++;
    }
    if (pattern) {
        trace.filter.patterns = &pattern;
        trace.filter.pattern_count = 1;
    }
    request.command = argv + i;
    const enum smc_status status = smc_trace_collect(&request, &trace, &program, &error);
    FILE *out = fcntl(3, F_GETFD) >= 0 ? fdopen(3, "w") : stderr;
    if (status == SMC_OK)
        print(out, &trace);
    else
        fprintf(out, "status %d: %s\n", (int)status, error.message);
    fflush(out);
    smc_trace_await(program, &trace);
    if (program)
        fprintf(out, "afterwards %d %d %d\n", trace.has_exit, trace.exit_status, trace.exit_signal);
    fflush(out);
    smc_trace_free(&trace);
    return (int)status;
}
