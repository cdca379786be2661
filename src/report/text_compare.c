/* The same launch on several devices, one line each. */
#include <string.h>

#include "report/layout.h"
#include "report/text_parts.h"
#include "report/words.h"

enum { NAME_WIDTH = 26, LEFT_WIDTH = 57 };

static const char *short_name(const char *name)
{
    static const char brand[] = "NVIDIA ";
    size_t length = sizeof brand - 1;
    return strncmp(name, brand, length) == 0 ? name + length : name;
}

static void append_device(const struct smc_answer *answer, const struct smc_report_style *style,
                          struct smc_text *out)
{
    const struct smc_device *device = &answer->query.device;
    struct smc_text left = {0}, right = {0}, percent = {0}, regs = {0};
    smc_layout_percent(&percent, answer->occupancy_percent);
    if (smc_words_regs_known(answer))
        smc_text_printf(&regs, "%u", answer->launch.regs_per_thread);
    else
        smc_text_append(&regs, "-");
    smc_text_cell(&left, short_name(device->name), -NAME_WIDTH);
    smc_text_printf(&left, " %2d.%d %4s %6u %6u %7s", device->sm.cc / 10, device->sm.cc % 10,
                    smc_text_string(&regs),
                    answer->launch.static_smem_bytes + answer->launch.dynamic_smem_bytes,
                    answer->occupancy.blocks_per_sm, smc_text_string(&percent));
    if (answer->outcome == SMC_LAUNCHES)
        smc_words_limiters(&answer->occupancy, &right);
    else
        smc_words_failure(answer, &right);
    smc_layout_paragraph(out, smc_text_string(&left), LEFT_WIDTH + 3, smc_text_string(&right),
                         style->columns);
    smc_text_free(&left);
    smc_text_free(&right);
    smc_text_free(&percent);
    smc_text_free(&regs);
}

/* Where each register count comes from: a number without its source is worth nothing. */
static void append_sources(const struct smc_answer *answers, size_t count,
                           const struct smc_report_style *style, struct smc_text *out)
{
    struct smc_text line = {0};
    for (size_t i = 0; i < count; i++) {
        char source[128];
        if (answers[i].regs_given || !smc_words_regs_known(&answers[i]))
            continue;
        smc_resources_describe(&answers[i].resources, source);
        smc_text_printf(&line, "%s%s %s", line.length ? "; " : "",
                        short_name(answers[i].query.device.name), source);
    }
    if (line.length == 0)
        smc_text_append(&line, answers->regs_given ? "given" : "not known, not counted");
    smc_text_append_char(out, '\n', 1);
    smc_text_line(out, style, "registers", &line);
    smc_text_free(&line);
}

void smc_text_compare(const struct smc_answer *answers, size_t count,
                      const struct smc_report_style *style, struct smc_text *out)
{
    struct smc_text line = {0};
    if (answers->query.kernel) {
        smc_text_printf(&line, "%s: ", answers->query.kernel->name);
        smc_words_params(answers, &line);
        smc_text_append(&line, "; ");
    }
    smc_text_printf(&line, "%u threads a block", answers->launch.threads_per_block);
    smc_layout_paragraph(out, "", 0, smc_text_string(&line), style->columns);
    smc_text_free(&line);
    smc_text_printf(out, "\n%-*s %4s %4s %6s %6s %7s  %s\n", NAME_WIDTH, "device", "CC", "regs",
                    "smem B", "blocks", "occup.", "limited by");
    for (size_t i = 0; i < count; i++)
        append_device(&answers[i], style, out);
    append_sources(answers, count, style, out);
}
