/* A requirement for the kernels of a trace. */
#include "answers/trace_answer.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "code/names.h"

/* --- The file of kernels that may have less --------------------------------------------------- */

static bool trace_gate_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The pattern of a line: without its comment and the blanks around it. */
static size_t trace_gate_trim(const char **line, size_t length)
{
    const char *text = *line;
    for (size_t i = 0; i < length; i++)
        if (text[i] == '#' && (i == 0 || trace_gate_is_blank(text[i - 1])))
            length = i;
    while (length > 0 && trace_gate_is_blank(text[length - 1]))
        length--;
    while (length > 0 && trace_gate_is_blank(*text))
        text++, length--;
    *line = text;
    return length;
}

static bool add_pattern(const char *text, size_t length, uint32_t line, struct smc_trace_gate *gate)
{
    char *pattern = smc_strndup(text, length);
    if (!pattern || !smc_make_room(&gate->allowance, gate->count, NULL, sizeof *gate->allowance)) {
        free(pattern);
        return false;
    }
    gate->allowance[gate->count++] = (struct smc_trace_allowance){.pattern = pattern, .line = line};
    return true;
}

enum smc_status smc_trace_gate_allow(const char *path, struct smc_trace_gate *gate,
                                     struct smc_error *error)
{
    enum { MOST_BYTES = 1 << 20 };
    smc_auto_text text = {0};
    SMC_TRY(smc_file_read(path, "allow-list", MOST_BYTES, &text, error));
    if (!(gate->path = smc_strdup(path)))
        return smc_out_of_memory(error);
    smc_utf8_make_safe(gate->path);
    const char *at = smc_text_string(&text);
    for (uint32_t line = 1; *at; line++) {
        const size_t length = strcspn(at, "\n");
        const char *pattern = at;
        const size_t taken = trace_gate_trim(&pattern, length);
        if (taken > 0 && !add_pattern(pattern, taken, line, gate))
            return smc_out_of_memory(error);
        at += length + (at[length] == '\n');
    }
    return SMC_OK;
}

void smc_trace_gate_free(struct smc_trace_gate *gate)
{
    for (size_t i = 0; i < gate->count; i++)
        free(gate->allowance[i].pattern);
    free(gate->allowance);
    free(gate->path);
    *gate = (struct smc_trace_gate){0};
}

/* --- Judging ---------------------------------------------------------------------------------- */

/* The first line that allows the kernel; all that do are marked as used. */
static const struct smc_trace_allowance *
trace_gate_find_allowance(struct smc_trace_gate *gate, const struct smc_trace_launch *launch)
{
    const struct smc_trace_allowance *first = NULL;
    for (size_t i = 0; i < gate->count; i++)
        if (smc_name_matches(gate->allowance[i].pattern, launch->shown, launch->name)) {
            gate->allowance[i].used = true;
            first = first ? first : &gate->allowance[i];
        }
    return first;
}

static const char *trace_gate_file_of(const struct smc_trace *trace)
{
    return trace->file ? trace->file : trace->program ? trace->program : "trace";
}

/* The GPU of all its configurations, or "". */
static const char *trace_gate_device_of(const struct smc_trace_answer *answer,
                                        const struct smc_trace_kernel *kernel)
{
    const struct smc_device *first = answer->rows[kernel->first].device;
    for (size_t i = kernel->first; i < kernel->first + kernel->count; i++)
        if (!first || !answer->rows[i].device ||
            strcmp(answer->rows[i].device->name, first->name) != 0)
            return "";
    return first->name;
}

static bool trace_gate_add_finding(const struct smc_trace_answer *answer,
                                   const struct smc_trace_kernel *kernel, enum smc_check_rule rule,
                                   bool allowed, struct smc_text *message,
                                   struct smc_findings *findings)
{
    const struct smc_check_finding finding = {
        .rule = smc_check_rules[rule].name,
        .level = allowed ? SMC_FINDING_NOTE : SMC_FINDING_ERROR,
        .file = (char *)(uintptr_t)trace_gate_file_of(answer->trace),
        .kernel = (char *)(uintptr_t)kernel->shown,
        .device = (char *)(uintptr_t)trace_gate_device_of(answer, kernel),
        .message = message->data,
    };
    const bool added = !message->failed && smc_findings_add(findings, &finding);
    smc_text_free(message);
    return added;
}

/* False: out of memory. */
static bool trace_gate_judge_kernel(struct smc_trace_gate *gate,
                                    const struct smc_trace_answer *answer,
                                    const struct smc_trace_kernel *kernel,
                                    struct smc_trace_verdict *verdict)
{
    int others;
    struct smc_text message = {0};
    const struct smc_trace_row *row = &answer->rows[kernel->first];
    if (!smc_judgements_add(&verdict->judgements, trace_gate_file_of(answer->trace), kernel->shown,
                            trace_gate_device_of(answer, kernel)))
        return false;
    const bool unknown = kernel->occupancy_percent < 0;
    if (kernel->occupancy_percent >= gate->least_percent)
        return true;
    const struct smc_trace_allowance *allowance = trace_gate_find_allowance(gate, row->launch);
    if (unknown)
        smc_text_printf(&message, "its occupancy is unknown: %s", row->unknown);
    else
        smc_text_printf(&message, "occupancy %.3g %%, below %g %%", kernel->occupancy_percent,
                        gate->least_percent);
    smc_text_append(&message, "; ");
    smc_text_printf(&message, "%.3g %% of the %s", 100 * kernel->share,
                    answer->has_times ? "time" : "launches");
    if (!unknown)
        smc_text_printf(&message, ", %s",
                        smc_trace_bounds[smc_trace_main_bound(answer, kernel, &others)].words);
    if (allowance)
        smc_text_printf(&message, "; allowed (%s:%u)", gate->path, allowance->line);
    *(allowance ? &verdict->allowed : unknown ? &verdict->unknown : &verdict->low) += 1;
    return trace_gate_add_finding(answer, kernel, unknown ? SMC_CHECK_UNKNOWN : SMC_CHECK_OCCUPANCY,
                                  allowance != NULL, &message, &verdict->findings);
}

enum smc_status smc_trace_gate_judge(struct smc_trace_gate *gate,
                                     const struct smc_trace_answer *answer,
                                     struct smc_trace_verdict *verdict, struct smc_error *error)
{
    if (gate->least_percent <= 0 || answer->kernel_count == 0)
        return SMC_OK;
    if (gate->above_share > 0 && !answer->has_times)
        return smc_fail(error, SMC_USAGE,
                        "option --above: no times were recorded, so shares of the time are "
                        "unknown");
    for (size_t i = 0; i < answer->kernel_count; i++)
        if (answer->kernels[i].share > gate->above_share &&
            !trace_gate_judge_kernel(gate, answer, &answer->kernels[i], verdict))
            return smc_out_of_memory(error);
    return verdict->low > 0 ? SMC_SHORTFALL : verdict->unknown > 0 ? SMC_USAGE : SMC_OK;
}

void smc_trace_verdict_free(struct smc_trace_verdict *verdict)
{
    smc_findings_free(&verdict->findings);
    smc_judgements_free(&verdict->judgements);
    *verdict = (struct smc_trace_verdict){0};
}
