/* What launch bounds come to: each kernel with its promise, and a line for each verdict. */
#include <string.h>

#include "report/kernel_names.h"
#include "report/layout.h"
#include "report/text_parts.h"
#include "report/words.h"

enum { VERDICT_COLUMN = 26 };

static bool begins_kernel(const struct smc_inspect_promises *promises, size_t i)
{
    const struct smc_inspect_kernel *kernel = promises->item[i].kernel;
    return i == 0 || promises->item[i - 1].kernel->file != kernel->file ||
           promises->item[i - 1].kernel->version_hash != kernel->version_hash;
}

static void append_head(const struct smc_inspect_kernel *kernel,
                        const struct smc_report_style *style, struct smc_text *out)
{
    const struct smc_kernel_names whole = {0};
    smc_layout_begin(out, style, SMC_STRONG);
    smc_kernel_names_append(&whole, kernel->shown, style->columns, out);
    smc_layout_end(out, style);
    smc_text_printf(out, "  __launch_bounds__(%u", kernel->max_threads_per_block);
    if (kernel->min_blocks_per_sm)
        smc_text_printf(out, ", %u", kernel->min_blocks_per_sm);
    smc_text_append(out, ")\n");
}

/* Why the promise does not hold, or that it does. */
static void append_verdict(const struct smc_inspect_promise *promise, struct smc_text *out)
{
    const struct smc_answer *answer = &promise->answer;
    const struct smc_sm *sm = &answer->query.device.sm;
    uint32_t blocks = answer->occupancy.blocks_per_sm;
    switch (promise->verdict) {
    case SMC_PROMISE_HOLDS:
        smc_text_append(out, "holds: ");
        smc_words_blocks(blocks, out);
        if (promise->regs_known)
            smc_text_printf(out, " at %u registers", answer->launch.regs_per_thread);
        else
            smc_text_append(out, " at most (not compiled for it)");
        return;
    case SMC_PROMISE_UNKNOWN:
        smc_text_append(out, "unknown promise: ");
        smc_words_blocks(blocks, out);
        if (promise->regs_known)
            smc_text_printf(out, " at %u registers", answer->launch.regs_per_thread);
        else
            smc_text_append(out, " at most");
        return;
    case SMC_PROMISE_FEWER_BLOCKS:
        smc_text_append(out, "BROKEN: ");
        smc_words_blocks(blocks, out);
        smc_text_append(out, ", limited by ");
        smc_words_limiters(&answer->occupancy, out);
        return;
    case SMC_PROMISE_IGNORED:
        smc_text_printf(out, "BROKEN: an SM holds %u threads and %u blocks; the compiler drops it",
                        sm->max_threads_per_sm, sm->max_blocks_per_sm);
        return;
    case SMC_PROMISE_CANNOT_LAUNCH:
        smc_text_append(out, "BROKEN: ");
        smc_words_failure(answer, out);
        return;
    case SMC_PROMISE_VERDICT_COUNT:
        return;
    }
}

static void append_devices(const struct smc_inspect_promises *promises, size_t from, size_t to,
                           struct smc_text *out)
{
    for (size_t i = from; i < to; i++) {
        const struct smc_device *device = &promises->item[i].answer.query.device;
        smc_text_append(out, i == from ? "  " : " ");
        if (device->sm_count)
            smc_text_append(out, device->name);
        else
            smc_text_printf(out, "%d.%d", device->sm.cc / 10, device->sm.cc % 10);
    }
}

/* Devices with the same verdict in a row share a line. */
static size_t append_same(const struct smc_inspect_promises *promises, size_t i,
                          const struct smc_report_style *style, struct smc_text *out)
{
    struct smc_text verdict = {0}, left = {0};
    size_t end = i + 1;
    append_verdict(&promises->item[i], &verdict);
    for (; end < promises->count && end < i + 5 && !begins_kernel(promises, end); end++) {
        struct smc_text next = {0};
        append_verdict(&promises->item[end], &next);
        bool same = strcmp(smc_text_string(&next), smc_text_string(&verdict)) == 0;
        smc_text_free(&next);
        if (!same)
            break;
    }
    append_devices(promises, i, end, &left);
    smc_layout_paragraph(out, smc_text_string(&left), VERDICT_COLUMN, smc_text_string(&verdict),
                         style->columns);
    smc_text_free(&verdict);
    smc_text_free(&left);
    return end;
}

void smc_text_promises(const struct smc_inspect_promises *promises,
                       const struct smc_report_style *style, struct smc_text *out)
{
    size_t broken = 0, unknown = 0;
    for (size_t i = 0; i < promises->count;) {
        if (begins_kernel(promises, i)) {
            smc_text_append(out, i == 0 ? "" : "\n");
            append_head(promises->item[i].kernel, style, out);
        }
        i = append_same(promises, i, style, out);
    }
    for (size_t i = 0; i < promises->count; i++) {
        bool is_unknown = promises->item[i].verdict == SMC_PROMISE_UNKNOWN;
        unknown += is_unknown;
        broken += !is_unknown && promises->item[i].verdict != SMC_PROMISE_HOLDS;
    }
    if (promises->count > 0)
        smc_text_printf(out, "\n%zu of %zu promises are broken", broken, promises->count);
    if (unknown > 0)
        smc_text_printf(out, ", %zu unknown: machine code keeps the threads, not the blocks",
                        unknown);
    if (promises->count > 0)
        smc_text_append(out, "\n");
    if (promises->without_bounds > 0)
        smc_text_printf(out, "%zu kernel%s without __launch_bounds__, or the input keeps none\n",
                        promises->without_bounds, promises->without_bounds == 1 ? "" : "s");
}
