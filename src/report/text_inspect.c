/* Somebody's own kernels: each with a line a device, and the next step. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/kernel_names.h"
#include "report/layout.h"
#include "report/text_parts.h"
#include "report/words.h"

enum { DEVICE_WIDTH = 13, LIMITERS_COLUMN = 61, STEPS_COLUMN = 6 };

static bool begins_kernel(const struct smc_inspect_rows *rows, size_t i)
{
    const struct smc_inspect_kernel *kernel = rows->item[i].kernel;
    return i == 0 || rows->item[i - 1].kernel->file != kernel->file ||
           rows->item[i - 1].kernel->version_hash != kernel->version_hash;
}

/* Of the file at row `i`, which kernels have the same short name. */
static void find_names(const struct smc_inspect_rows *rows, size_t i,
                       struct smc_kernel_names *names)
{
    const char *file = rows->item[i].kernel->file;
    const char **shown = smc_calloc(rows->count - i, sizeof *shown);
    size_t count = 0;
    for (; shown && i < rows->count && rows->item[i].kernel->file == file; i++)
        if (begins_kernel(rows, i))
            shown[count++] = rows->item[i].kernel->shown;
    smc_kernel_names_init(names, shown, count);
    free(shown);
}

static void append_file(const struct smc_inspect_kernel *kernel,
                        const struct smc_report_style *style, struct smc_text *out)
{
    struct smc_text line = {0};
    char *file = smc_strdup(strcmp(kernel->file, "-") == 0 ? "standard input" : kernel->file);
    if (file)
        smc_text_make_safe(file);
    smc_text_printf(&line, "%s (%s)", file ? file : "", smc_inspect_source_words(kernel->source));
    smc_layout_paragraph(out, "", 0, smc_text_string(&line), style->columns);
    smc_text_printf(out, "\n  %-*s %4s %8s %6s %7s %6s %7s  %s\n", DEVICE_WIDTH, "device", "regs",
                    "spills B", "smem B", "threads", "blocks", "occup.", "limited by");
    smc_text_free(&line);
    free(file);
}

/* "CC 9.0", or a board's name without its brand. */
static void append_device(const struct smc_inspect_row *row, struct smc_text *out)
{
    static const char *const brands[] = {"NVIDIA ", "GeForce "};
    const struct smc_device *device = &row->answer.query.device;
    const char *name = device->name;
    char text[32];
    for (size_t i = 0; i < sizeof brands / sizeof *brands; i++)
        if (strncmp(name, brands[i], strlen(brands[i])) == 0)
            name += strlen(brands[i]);
    if (device->sm_count == 0)
        snprintf(text, sizeof text, "CC %d.%d", device->sm.cc / 10, device->sm.cc % 10);
    else
        snprintf(text, sizeof text, "%.*s", DEVICE_WIDTH, name);
    smc_text_printf(out, "  %-*s", DEVICE_WIDTH, text);
}

static void append_numbers(const struct smc_inspect_row *row, struct smc_text *out)
{
    const struct smc_answer *answer = &row->answer;
    const struct smc_resources *resources = &answer->resources;
    char regs[16] = "-", spills[32] = "-", threads[16];
    struct smc_text percent = {0};
    if (smc_words_regs_known(answer))
        snprintf(regs, sizeof regs, "%u", resources->regs_per_thread);
    if (row->kernel->has_spills && resources->spill_store_bytes + resources->spill_load_bytes == 0)
        snprintf(spills, sizeof spills, "0");
    else if (row->kernel->has_spills)
        snprintf(spills, sizeof spills, "%u+%u", resources->spill_store_bytes,
                 resources->spill_load_bytes);
    snprintf(threads, sizeof threads, "%u%s", answer->launch.threads_per_block,
             row->threads_source == SMC_THREADS_ASSUMED ? "*" : "");
    smc_layout_percent(&percent, answer->occupancy_percent);
    smc_text_printf(out, " %4s %8s %6u %7s %6u %7s", regs, spills,
                    answer->launch.static_smem_bytes + answer->launch.dynamic_smem_bytes, threads,
                    answer->occupancy.blocks_per_sm, smc_text_string(&percent));
    smc_text_free(&percent);
}

/* What the figures are worth on a device that the code was not compiled for. */
static void append_architecture(const struct smc_inspect_row *row,
                                const struct smc_report_style *style, struct smc_text *out)
{
    const struct smc_inspect_kernel *kernel = row->kernel;
    uint16_t cc = row->answer.query.device.sm.cc;
    char architecture[SMC_INSPECT_ARCHITECTURE], line[96];
    if (kernel->cc == 0 || kernel->cc == cc)
        return;
    snprintf(line, sizeof line,
             smc_inspect_loads(kernel, cc)
                 ? "counted on machine code for %s"
                 : "machine code for %s does not load there: estimated by it",
             smc_inspect_architecture(kernel, architecture));
    smc_layout_paragraph(out, "", STEPS_COLUMN, line, style->columns);
}

static void append_steps(const struct smc_inspect_row *row, const struct smc_report_style *style,
                         struct smc_text *out)
{
    const struct smc_answer *answer = &row->answer;
    const struct smc_inspect_kernel *kernel = row->kernel;
    struct smc_text line = {0};
    if (row->exceeds_bound)
        smc_text_printf(&line, "cannot launch: more threads than its __launch_bounds__ of %u",
                        kernel->max_threads_per_block);
    else if (answer->outcome != SMC_LAUNCHES)
        smc_words_failure(answer, &line);
    else if (answer->occupancy.warps_per_sm < answer->query.device.sm.max_warps_per_sm)
        smc_text_gains(answer, &line);
    if (line.length > 0)
        smc_layout_paragraph(out, "", STEPS_COLUMN, smc_text_string(&line), style->columns);
    smc_text_free(&line);
}

static void append_row(const struct smc_inspect_row *row, const struct smc_report_style *style,
                       struct smc_text *out)
{
    struct smc_text left = {0}, right = {0};
    append_device(row, &left);
    append_numbers(row, &left);
    if (row->answer.outcome == SMC_LAUNCHES)
        smc_words_limiters(&row->answer.occupancy, &right);
    smc_layout_paragraph(out, smc_text_string(&left), LIMITERS_COLUMN, smc_text_string(&right),
                         style->columns);
    smc_text_free(&left);
    smc_text_free(&right);
    append_architecture(row, style, out);
    append_steps(row, style, out);
}

static void append_notes(const struct smc_inspect_rows *rows, const struct smc_report_style *style,
                         struct smc_text *out)
{
    bool assumed = false, without_spills = false;
    for (size_t i = 0; i < rows->count; i++) {
        assumed |= rows->item[i].threads_source == SMC_THREADS_ASSUMED;
        without_spills |= !rows->item[i].kernel->has_spills;
    }
    if (assumed || without_spills)
        smc_text_append_char(out, '\n', 1);
    if (assumed)
        smc_layout_paragraph(out, "  *", 4,
                             "256 threads a block are assumed, as nothing tells how many there "
                             "are: --threads N does",
                             style->columns);
    if (without_spills)
        smc_layout_paragraph(out, "  -", 4, "this input does not tell spills: ptxas -v does",
                             style->columns);
}

void smc_text_inspection(const struct smc_inspect_rows *rows, const struct smc_report_style *style,
                         struct smc_text *out)
{
    struct smc_kernel_names names = {0};
    for (size_t i = 0; i < rows->count; i++) {
        const struct smc_inspect_kernel *kernel = rows->item[i].kernel;
        if (i == 0 || rows->item[i - 1].kernel->file != kernel->file) {
            smc_kernel_names_free(&names);
            find_names(rows, i, &names);
            smc_text_append(out, i == 0 ? "" : "\n");
            append_file(kernel, style, out);
        }
        if (begins_kernel(rows, i)) {
            smc_layout_begin(out, style, SMC_STRONG);
            smc_kernel_names_append(&names, kernel->shown, style->columns, out);
            smc_layout_end(out, style);
        }
        append_row(&rows->item[i], style, out);
    }
    smc_kernel_names_free(&names);
    append_notes(rows, style, out);
}
