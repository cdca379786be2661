/* The choice of a block size: the proposal, the sizes that are nearly as good, and the rules; as
   text, JSON and CSV. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "show/report/writers.h"

static const struct smc_candidate *ranked(const struct smc_best *best, size_t rank)
{
    return &best->candidate[best->order[rank]];
}

/* The rules are numbered without that of a time where there is none. */
static bool applies(const struct smc_best *best, int rule)
{
    return rule != SMC_RULE_TIME || best->by_time;
}

static int best_number_of(const struct smc_best *best, int rule)
{
    return rule > SMC_RULE_TIME && !best->by_time ? rule : rule + 1;
}

/* --- Reasons ---------------------------------------------------------------------------------- */

static void best_append_percents(const char *what, double own, const char *unit, double other,
                                 int64_t size, struct smc_text *out)
{
    smc_text_append(out, what);
    smc_layout_percent(out, own);
    smc_text_printf(out, "%s, ", unit);
    smc_layout_percent(out, other);
    smc_text_printf(out, " with %" PRId64, size);
}

static void append_row_bytes(const struct smc_candidate *candidate, const char *unit,
                             unsigned bytes, struct smc_text *out)
{
    smc_text_printf(out, "rows of %" PRIu64 SMC_TIE "B are not a multiple of the %u" SMC_TIE "B %s",
                    smc_best_row_bytes(&candidate->answer), bytes, unit);
}

static void append_idle_lanes(const struct smc_answer *answer, struct smc_text *out)
{
    uint32_t idle = smc_best_idle_lanes(answer);
    smc_text_printf(out, "%u thread%s leave%s %u lane%s of each block's last warp idle",
                    answer->launch.threads_per_block,
                    smc_text_plural(answer->launch.threads_per_block),
                    answer->launch.threads_per_block == 1 ? "s" : "", idle, smc_text_plural(idle));
}

static void best_append_time(const struct smc_time *own, const struct smc_time *other, int64_t size,
                             struct smc_text *out)
{
    smc_words_time(own->predicted_ms, out);
    smc_text_printf(out, ", %.3g" SMC_TIE "times as long as with %" PRId64 "; bound by %s",
                    own->predicted_ms / other->predicted_ms, size,
                    smc_time_term_info[own->bound_by].label);
}

/* Why a size ranks below the proposal: "729 threads leave 7 lanes of each block's last warp idle".
   Nothing for the proposal itself. */
static void best_append_reason(const struct smc_best *best, const struct smc_candidate *candidate,
                               struct smc_text *out)
{
    const struct smc_candidate *proposal = smc_best_proposal(best);
    const struct smc_answer *answer = &candidate->answer;
    const double *value = candidate->choice.value;
    switch (candidate->choice.dropped_by) {
    case SMC_RULE_LAUNCHES:
        smc_words_failure(answer, out);
        return;
    case SMC_RULE_TIME:
        best_append_time(&answer->time, &proposal->answer.time, proposal->size, out);
        return;
    case SMC_RULE_WHOLE_WARPS:
        append_idle_lanes(answer, out);
        return;
    case SMC_RULE_ALIGNED_ROWS:
        append_row_bytes(candidate, "sector", SMC_SECTOR_BYTES, out);
        return;
    case SMC_RULE_WHOLE_LINES:
        append_row_bytes(candidate, "cache line", SMC_LINE_BYTES, out);
        return;
    case SMC_RULE_WARPS:
        best_append_percents("occupancy ", answer->occupancy_percent, "",
                             proposal->answer.occupancy_percent, proposal->size, out);
        return;
    case SMC_RULE_WAVES:
        best_append_percents("its waves keep the SMs ", 100 * value[SMC_RULE_WAVES], " busy",
                             100 * proposal->choice.value[SMC_RULE_WAVES], proposal->size, out);
        return;
    case SMC_RULE_TRAFFIC:
        smc_text_printf(out, "moves %.4g" SMC_TIE "MB, %.4g" SMC_TIE "MB with %" PRId64,
                        smc_best_moved_bytes(answer) / 1e6,
                        smc_best_moved_bytes(&proposal->answer) / 1e6, proposal->size);
        return;
    case SMC_RULE_ARCHITECTURES:
        smc_text_printf(out, "launches on %u compute capabilities, %u with %" PRId64,
                        candidate->architectures, proposal->architectures, proposal->size);
        return;
    case SMC_RULE_SMALLEST:
        smc_text_printf(out, "only %u threads per block", answer->launch.threads_per_block);
        return;
    case SMC_RULE_BLOCKS:
        smc_words_blocks(answer->occupancy.blocks_per_sm, out);
        smc_text_printf(out, " per SM, %u with %" PRId64, proposal->answer.occupancy.blocks_per_sm,
                        proposal->size);
        return;
    case SMC_RULE_THREADS:
        smc_text_printf(out, "as good, with %u threads per block",
                        answer->launch.threads_per_block);
        return;
    case SMC_RULE_COUNT:
        return;
    }
}

/* --- Fields ----------------------------------------------------------------------------------- */

struct best_row {
    const struct smc_best *best;
    const struct smc_candidate *candidate;
    const struct smc_answer *answer; /* the candidate's */
    struct smc_text reason;          /* to be freed */
};

static struct best_row best_make_row(const struct smc_best *best, size_t rank)
{
    const struct smc_candidate *candidate = ranked(best, rank);
    struct best_row row = {.best = best, .candidate = candidate, .answer = &candidate->answer};
    best_append_reason(best, candidate, &row.reason);
    smc_words_untie(&row.reason);
    return row;
}

static struct smc_value excluding_rule(const struct smc_candidate *candidate)
{
    enum smc_rule rule = candidate->choice.dropped_by;
    return smc_value_string(rule == SMC_RULE_COUNT ? NULL : smc_rule_info[rule].name);
}

#define ROW_FIELDS(FIELD)                                                                          \
    FIELD(NULL, "device", "", "the device", smc_value_text(item->answer->query.device.name))       \
    FIELD(NULL, "kernel", "", "the kernel's name", smc_words_kernel_name(&item->answer->query))    \
    FIELD(NULL, "option", "", "what is chosen", smc_value_text(item->best->option))                \
    FIELD("size", "size", "", "its value", (uint64_t)item->candidate->size)                        \
    FIELD("threads_per_block", "threads", "threads", "the block size",                             \
          item->answer->launch.threads_per_block)                                                  \
    FIELD("registers_per_thread", "regs", "registers", "registers per thread",                     \
          SMC_VALUE_IF(smc_words_regs_known(item->answer), item->answer->launch.regs_per_thread))  \
    FIELD("static_smem_bytes", "static_smem", "bytes", "static shared memory per block",           \
          item->answer->launch.static_smem_bytes)                                                  \
    FIELD("dynamic_smem_bytes", "dynamic_smem", "bytes", "dynamic shared memory per block",        \
          item->answer->launch.dynamic_smem_bytes)                                                 \
    FIELD("outcome", NULL, "", "whether it launches",                                              \
          smc_value_text(smc_outcome_name(item->answer->outcome)))                                 \
    FIELD("blocks_per_sm", "blocks_per_sm", "blocks", "resident blocks per SM",                    \
          item->answer->occupancy.blocks_per_sm)                                                   \
    FIELD("percent", "occupancy_percent", "percent", "occupancy", item->answer->occupancy_percent) \
    FIELD("waves", "waves", "", "waves of the grid",                                               \
          SMC_VALUE_IF(item->answer->has_waves, item->answer->waves.waves))                        \
    FIELD("use_percent", "use_percent", "percent", "of the thread slots, on average",              \
          100 * item->candidate->use)                                                              \
    FIELD("global_bytes", "global_bytes", "bytes", "loaded and stored by its threads",             \
          SMC_VALUE_IF(item->answer->has_work, smc_best_moved_bytes(item->answer)))                \
    FIELD("architectures", "architectures", "", "architectures that can launch it",                \
          item->candidate->architectures)                                                          \
    FIELD("dropped_by", "dropped_by", "", "the rule that excludes it",                             \
          excluding_rule(item->candidate))                                                         \
    FIELD("idle_lanes", "idle_lanes", "lanes", "idle lanes of a block's last warp",                \
          smc_best_idle_lanes(item->answer))                                                       \
    FIELD("row_bytes", NULL, "bytes", "global memory of a row of a block's threads",               \
          SMC_VALUE_IF(smc_best_row_bytes(item->answer) > 0, smc_best_row_bytes(item->answer)))    \
    FIELD("wave_fill_percent", NULL, "percent", "how full the waves are on average",               \
          SMC_VALUE_IF(item->answer->has_waves, 100 * smc_best_fill(item->answer)))                \
    FIELD("reason", "reason", "", "why it ranks below the proposal",                               \
          smc_text_string(&item->reason))                                                          \
    FIELD("predicted_ms", "predicted_ms", "ms", "the predicted time of the launch",                \
          SMC_VALUE_IF(item->best->by_time && item->answer->outcome == SMC_LAUNCHES,               \
                       item->answer->time.predicted_ms))                                           \
    FIELD("bound_by", "bound_by", "", "what bounds it",                                            \
          SMC_VALUE_IF(item->best->by_time && item->answer->outcome == SMC_LAUNCHES,               \
                       smc_time_term_info[item->answer->time.bound_by].key))
SMC_FIELD_TABLE(row_fields, struct best_row, ROW_FIELDS)

#define RULE_FIELDS(FIELD)                                                                         \
    FIELD("name", NULL, "", "its name", smc_value_text(item->name))                                \
    FIELD("within_percent", NULL, "percent", "how far from the best it keeps sizes",               \
          item->percent)                                                                           \
    FIELD("text", NULL, "", "what it compares", smc_value_text(item->text))
SMC_FIELD_TABLE(rule_fields, struct smc_rule_info, RULE_FIELDS)

/* --- Text: one device ------------------------------------------------------------------------- */

/* Sizes that an early rule excluded are not worth a line. */
enum { MOST_ROWS = 12, MOST_REASONS = 7, REASON_INDENT = 8 };

/* "use --threads 128: 12 blocks per SM, occupancy 75 %, limited by registers"; of a kernel of a
   file "saxpy: use blocks of 128 threads: ...". */
static void best_append_proposal(const struct smc_best *best, struct smc_text *line)
{
    const struct smc_candidate *proposal = smc_best_proposal(best);
    const struct smc_file_kernel *kernel = best->candidate[0].answer.query.file_kernel;
    if (kernel)
        smc_text_printf(line, "%s: ", kernel->short_name);
    if (!proposal) {
        smc_text_append(line, "no block size can be launched; the smallest ");
        smc_words_failure(&best->candidate[0].answer, line);
        return;
    }
    const struct smc_answer *answer = &proposal->answer;
    if (kernel)
        smc_text_printf(line, "use blocks of %" PRId64 " thread%s: ", proposal->size,
                        smc_text_plural((uint64_t)proposal->size));
    else
        smc_text_printf(line, "use --%s %" PRId64 ": ", best->option, proposal->size);
    if (best->by_time) {
        smc_words_time_range(&answer->time, line);
        smc_text_printf(line, " predicted, bound by %s; ",
                        smc_time_term_info[answer->time.bound_by].label);
    }
    smc_words_blocks(answer->occupancy.blocks_per_sm, line);
    smc_text_append(line, " per SM, occupancy ");
    smc_layout_percent(line, answer->occupancy_percent);
    smc_text_append(line, ", limited by ");
    smc_words_limiters(&answer->occupancy, line);
    smc_words_estimated(answer, line);
    if (smc_best_is_forced(answer))
        smc_text_append(line, kernel->required_threads_per_block
                                  ? "; it launches with no other block size"
                                  : "; its launch bounds allow no larger block");
}

static void append_verdict(const struct smc_best *best, struct smc_text *line, struct smc_text *out)
{
    best_append_proposal(best, line);
    smc_layout_verdict(out, smc_best_proposal(best) ? SMC_GOOD : SMC_BAD, line);
}

/* "40 registers per thread (x.cu, NVRTC 13.0, sm_90); ". */
static void append_registers(const struct smc_answer *answer, struct smc_text *line)
{
    const bool from_file = answer->query.file_kernel;
    char source[SMC_REGS_SOURCE_CHARS];
    if (!smc_words_regs_known(answer)) {
        smc_text_append(line, from_file ? "registers unknown, as it does not compile; "
                                        : "registers not given (--regs), so not counted; ");
        return;
    }
    smc_text_printf(line, "%u register%s per thread", answer->launch.regs_per_thread,
                    smc_text_plural(answer->launch.regs_per_thread));
    smc_words_regs_source(answer, source);
    if (from_file)
        smc_text_printf(line, " (%s)", source);
    smc_text_append(line, "; ");
}

/* Of all sizes; what depends on the size is told for each thread. */
static uint64_t bytes_per_block(const struct smc_launch *launch)
{
    return launch->static_smem_bytes + launch->dynamic_smem_bytes -
           (uint64_t)launch->smem_bytes_per_thread * launch->threads_per_block;
}

/* Whether each device loads a version with as much shared memory. */
static bool has_same_bytes(const struct smc_best *best, size_t count)
{
    const uint64_t bytes = bytes_per_block(&ranked(best, 0)->answer.launch);
    for (size_t i = 1; i < count; i++)
        if (bytes_per_block(&ranked(&best[i], 0)->answer.launch) != bytes)
            return false;
    return true;
}

/* What is the same for every size, without the parameters in the set `without`. */
static void best_append_launch(const struct smc_best *best, size_t count, uint32_t without,
                               struct smc_text *out)
{
    const struct smc_answer *answer = &ranked(best, 0)->answer;
    const struct smc_launch *launch = &answer->launch;
    struct smc_text line = {0};
    if (answer->query.kernel) {
        smc_text_printf(&line, "%s: ", answer->query.kernel->name);
        smc_words_some_params(&answer->query, without, &line);
    } else {
        if (answer->query.file_kernel) {
            smc_words_file_kernel(answer->query.file_kernel, &line);
            smc_text_append(&line, "; ");
        } else {
            smc_text_append(&line, "your own: ");
        }
        if (count == 1 || !answer->query.file_kernel)
            append_registers(answer, &line);
        if (has_same_bytes(best, count))
            smc_text_printf(&line, "%" PRIu64 SMC_TIE "B of shared memory per block",
                            bytes_per_block(launch));
        else
            smc_text_append(&line, "shared memory as below");
        if (launch->smem_bytes_per_thread)
            smc_text_printf(&line, " and %u" SMC_TIE "B per thread", launch->smem_bytes_per_thread);
        if (best->total_threads != SMC_NOT_GIVEN)
            smc_text_printf(&line, "; %" PRId64 " threads in total", best->total_threads);
    }
    smc_layout_line(out, "kernel", &line);
}

/* --- Text: a kernel of a file ----------------------------------------------------------------- */

/* "A100 26 per thread (NVRTC 13.0, sm_80); H100 28 per thread (NVRTC 13.0, sm_90)": each device may
   load another version. */
static void append_versions(const struct smc_best *best, size_t count, struct smc_text *out)
{
    struct smc_text line = {0};
    for (size_t i = 0; i < count; i++) {
        const struct smc_answer *answer = &ranked(&best[i], 0)->answer;
        const struct smc_file_kernel *kernel = answer->query.file_kernel;
        smc_text_printf(&line, "%s%s ", i ? "; " : "", smc_device_model(&answer->query.device));
        if (smc_words_regs_known(answer))
            smc_text_printf(&line, "%s%u per thread (%s)", smc_words_estimated_mark(answer),
                            answer->launch.regs_per_thread,
                            answer->regs_given ? "given" : kernel->origin);
        else
            smc_text_append(&line, "unknown");
    }
    smc_layout_line(out, "registers", &line);
    if (has_same_bytes(best, count))
        return;
    for (size_t i = 0; i < count; i++) {
        const struct smc_answer *answer = &ranked(&best[i], 0)->answer;
        smc_text_printf(&line, "%s%s %" PRIu64 SMC_TIE "B per block", i ? "; " : "",
                        smc_device_model(&answer->query.device), bytes_per_block(&answer->launch));
    }
    smc_layout_line(out, "shared mem.", &line);
}

/* Whether two devices have the same launch bounds to write. */
static bool writes_the_same(const struct smc_candidate *a, const struct smc_candidate *b)
{
    return a && b && a->size == b->size &&
           a->answer.occupancy.blocks_per_sm == b->answer.occupancy.blocks_per_sm;
}

/* What to write before the kernel, once for devices with the same result. A compiler that reads the
   bounds may allocate other registers than those counted. */
static void append_to_write(const struct smc_best *best, size_t count, struct smc_text *out)
{
    struct smc_text line = {0};
    const struct smc_candidate *first = smc_best_proposal(best);
    bool same = true, given = false;
    for (size_t i = 0; i < count; i++) {
        const struct smc_candidate *proposal = smc_best_proposal(&best[i]);
        same = same && writes_the_same(first, proposal);
        if (!proposal || proposal->answer.query.file_kernel->required_threads_per_block)
            return;
        given = given || proposal->answer.regs_given;
    }
    for (size_t i = 0; i < (same ? 1 : count); i++) {
        const struct smc_candidate *proposal = smc_best_proposal(&best[i]);
        if (!same)
            smc_text_printf(&line, "%s%s ", i ? "; " : "",
                            smc_device_model(&best[i].candidate[0].answer.query.device));
        smc_text_printf(&line, "__launch_bounds__(%" PRId64 "," SMC_TIE "%u)", proposal->size,
                        proposal->answer.occupancy.blocks_per_sm);
    }
    if (!given)
        smc_text_printf(&line,
                        "; counted with the registers compiled %s: with it the compiler may use "
                        "others",
                        first->answer.query.file_kernel->max_threads_per_block
                            ? "with its present launch bounds"
                            : "without it");
    smc_layout_line(out, "to write", &line);
    smc_text_best_caveat(out);
}

void smc_text_best_caveat(struct smc_text *out)
{
    smc_layout_paragraph(out, "", 0,
                         "A kernel whose code depends on its block size must be launched with the "
                         "size it was written for.",
                         out->style->columns);
}

static void append_file_lines(const struct smc_best *best, size_t count, struct smc_text *out)
{
    if (!best->candidate[0].answer.query.file_kernel)
        return;
    if (count > 1)
        append_versions(best, count, out);
    append_to_write(best, count, out);
}

/* "  0.0136    272.6  shared memory", and why not. */
static void append_time_columns(const struct smc_answer *answer, const char *moved,
                                struct smc_text *row)
{
    char time[24];
    bool launches = answer->outcome == SMC_LAUNCHES;
    smc_words_time_cell(answer->time.predicted_ms, time);
    smc_text_printf(row, " %9s %8s  %s", time, moved,
                    launches ? smc_time_term_info[answer->time.bound_by].label : "cannot launch");
}

static void best_append_row(const struct smc_best *best, const struct smc_candidate *candidate,
                            struct smc_text *out)
{
    const struct smc_answer *answer = &candidate->answer;
    const struct smc_launch *launch = &answer->launch;
    enum smc_rule rule = candidate->choice.dropped_by;
    bool chosen = rule == SMC_RULE_COUNT;
    char regs[16] = "-", waves[24] = "-", moved[24] = "-", percent[32], use[32];
    struct smc_text row = {0};
    if (smc_words_regs_known(answer))
        snprintf(regs, sizeof regs, "%s%u", smc_words_estimated_mark(answer),
                 launch->regs_per_thread);
    if (answer->has_waves)
        snprintf(waves, sizeof waves, "%" PRIu64, answer->waves.waves);
    if (answer->has_work)
        snprintf(moved, sizeof moved, "%.4g", smc_best_moved_bytes(answer) / 1e6);
    smc_words_percent(answer->occupancy_percent, percent);
    smc_words_percent(100 * candidate->use, use);
    smc_text_printf(&row, "%c %4" PRId64 " %7u %4s %6u %6u %7s", chosen ? '>' : ' ',
                    candidate->size, launch->threads_per_block, regs,
                    launch->static_smem_bytes + launch->dynamic_smem_bytes,
                    answer->occupancy.blocks_per_sm, percent);
    if (best->by_time)
        append_time_columns(answer, moved, &row);
    else if (chosen)
        smc_text_printf(&row, " %6s %7s %8s  proposed", waves, use, moved);
    else
        smc_text_printf(&row, " %6s %7s %8s  %d %s", waves, use, moved,
                        best_number_of(best, (int)rule), smc_rule_info[rule].name);
    smc_layout_emphatic_row(out, chosen ? SMC_STRONG : SMC_PLAIN, &row);
}

static void best_append_table(const struct smc_best *best, struct smc_text *out)
{
    size_t shown = best->count < MOST_ROWS ? best->count : MOST_ROWS;
    smc_text_printf(out, "\n  %4s threads regs smem B blocks  occup.%s\n",
                    strcmp(best->option, "tile") == 0 ? "tile" : "size",
                    best->by_time ? "   time ms moved MB  bound by"
                                  : "  waves  in use moved MB  excluded by");
    for (size_t rank = 0; rank < shown; rank++)
        best_append_row(best, ranked(best, rank), out);
    if (shown < best->count)
        smc_text_printf(out, "  and %zu more, clearly worse (--format csv lists all)\n",
                        best->count - shown);
    bool estimated = false;
    for (size_t rank = 0; rank < shown; rank++)
        estimated |= smc_words_estimated_mark(&ranked(best, rank)->answer)[0] != '\0';
    if (estimated)
        smc_text_append(out, "  ~ registers estimated from another architecture or size\n");
    smc_text_append_char(out, '\n', 1);
}

/* The runners-up, and why they are not the proposal. */
static void append_reasons(const struct smc_best *best, struct smc_text *out)
{
    size_t shown = best->count < MOST_REASONS ? best->count : MOST_REASONS;
    if (shown > 1)
        smc_text_append(out, "Why the next sizes rank below it:\n");
    for (size_t rank = 1; rank < shown; rank++) {
        const struct smc_candidate *candidate = ranked(best, rank);
        smc_auto_text text = {0};
        char label[32];
        snprintf(label, sizeof label, "%6" PRId64, candidate->size);
        best_append_reason(best, candidate, &text);
        smc_layout_paragraph(out, label, REASON_INDENT, smc_text_string(&text),
                             out->style->columns);
    }
    smc_text_append_char(out, '\n', shown > 1);
}

/* How many sizes were left before the rule was applied. */
static size_t count_left(const struct smc_best *best, enum smc_rule rule)
{
    size_t left = 0;
    for (size_t i = 0; i < best->count; i++)
        left += best->candidate[i].choice.dropped_by >= rule;
    return left;
}

static void append_rule(int rule, struct smc_text *line)
{
    const struct smc_rule_info *info = &smc_rule_info[rule];
    smc_text_append(line, info->text);
    if (info->percent > 0)
        smc_text_printf(line, " (within %.0f" SMC_TIE "%% of the best)", info->percent);
}

static void append_rules(const struct smc_best *best, struct smc_text *out)
{
    smc_text_append(out,
                    "Each rule keeps the sizes that are best, or nearly best, by its measure:\n");
    for (int rule = 0; rule < SMC_RULE_COUNT; rule++) {
        if (!applies(best, rule))
            continue;
        size_t before = count_left(best, (enum smc_rule)rule);
        if (best->by_time && before == 1)
            break;
        size_t after = count_left(best, (enum smc_rule)(rule + 1));
        smc_auto_text text = {0};
        char label[64];
        snprintf(label, sizeof label, "%2d %2zu->%zu", best_number_of(best, rule), before, after);
        append_rule(rule, &text);
        smc_layout_paragraph(out, label, SMC_TEXT_INDENT, smc_text_string(&text),
                             out->style->columns);
    }
}

static void best_write_one(const struct smc_best *best, struct smc_text *out)
{
    struct smc_text verdict = {0};
    append_verdict(best, &verdict, out);
    smc_text_append_char(out, '\n', 1);
    best_append_launch(best, 1, 0, out);
    append_file_lines(best, 1, out);
    smc_text_device_line(&ranked(best, 0)->answer, out);
    if (best->no_time[0])
        smc_layout_say(out, "time", "not predicted, so they rank by occupancy and traffic: %s",
                       best->no_time);
    if (!smc_best_proposal(best))
        return;
    best_append_table(best, out);
    append_reasons(best, out);
    append_rules(best, out);
}

/* --- Text: several devices -------------------------------------------------------------------- */

enum { RULE_INDENT = 17 };

/* A row for each size that uses at least one of the devices well. */
struct best_compared {
    const struct smc_best *best;
    bool by_time; /* all of them */
    size_t rows;
    int64_t size[SMC_MAX_CANDIDATES];
};

static const struct smc_candidate *find_size(const struct smc_best *best, int64_t size)
{
    for (size_t i = 0; i < best->count; i++)
        if (best->candidate[i].size == size)
            return &best->candidate[i];
    return NULL;
}

/* A little slower than the proposal. */
static const double USEFUL_SHARE = 1.25;

static bool is_useful(const struct smc_best *best, const struct smc_candidate *candidate)
{
    if (candidate && best->by_time)
        return candidate->answer.outcome == SMC_LAUNCHES &&
               candidate->answer.time.predicted_ms <=
                   USEFUL_SHARE * ranked(best, 0)->answer.time.predicted_ms;
    return candidate && candidate->choice.dropped_by > SMC_RULE_WARPS;
}

/* The device with the largest block has all sizes of the others. */
static void best_find_rows(const struct smc_best *best, size_t count,
                           struct best_compared *compared)
{
    const struct smc_best *most = best;
    *compared = (struct best_compared){.best = best, .by_time = true};
    for (size_t i = 0; i < count; i++)
        compared->by_time = compared->by_time && best[i].by_time;
    for (size_t i = 1; i < count; i++)
        most = best[i].count > most->count ? &best[i] : most;
    for (size_t k = 0; k < most->count; k++) {
        bool useful = false;
        for (size_t i = 0; i < count && !useful; i++)
            useful = is_useful(&best[i], find_size(&best[i], most->candidate[k].size));
        if (useful)
            compared->size[compared->rows++] = most->candidate[k].size;
    }
}

static const struct smc_device *best_device_of(const void *context, size_t device)
{
    const struct best_compared *compared = context;
    return &compared->best[device].candidate[0].answer.query.device;
}

static void best_append_label(const void *context, size_t row, struct smc_text *text)
{
    const struct best_compared *compared = context;
    smc_text_printf(text, "%" PRId64, compared->size[row]);
}

static void best_append_cell(const void *context, size_t device, size_t row, struct smc_text *text)
{
    const struct best_compared *compared = context;
    const struct smc_candidate *candidate = find_size(&compared->best[device], compared->size[row]);
    if (!candidate)
        return;
    enum smc_rule rule = candidate->choice.dropped_by;
    char percent[32], time[24];
    smc_words_percent(candidate->answer.occupancy_percent, percent);
    smc_words_time_cell(candidate->answer.time.predicted_ms, time);
    if (compared->by_time) {
        smc_text_printf(text, "%s%s %7s", rule == SMC_RULE_COUNT ? "> " : "", time, percent);
        return;
    }
    smc_text_printf(text, "%s%u %7s", rule == SMC_RULE_COUNT ? "> " : "",
                    candidate->answer.occupancy.blocks_per_sm, percent);
    if (rule == SMC_RULE_COUNT)
        smc_text_append(text, "  -");
    else
        smc_text_printf(text, " %2d", best_number_of(&compared->best[device], (int)rule));
}

static void compare_rules(const struct best_compared *compared, struct smc_text *out)
{
    if (compared->by_time) {
        smc_layout_paragraph(
            out, "", 0,
            "> is the proposal, by predicted time; with the same time, within 2 %, "
            "by the rules that the report of one device lists.",
            out->style->columns);
        return;
    }
    smc_layout_paragraph(
        out, "", 0,
        "> is the proposal; other sizes show the rule that excludes them. Each rule "
        "keeps the sizes that are best, or nearly best, by its measure:",
        out->style->columns);
    for (int rule = 0; rule < SMC_RULE_COUNT; rule++) {
        smc_auto_text label = {0}, text = {0};
        if (!applies(compared->best, rule))
            continue;
        smc_text_printf(&label, "%2d %s", best_number_of(compared->best, rule),
                        smc_rule_info[rule].name);
        append_rule(rule, &text);
        smc_layout_paragraph(out, smc_text_string(&label), RULE_INDENT, smc_text_string(&text),
                             out->style->columns);
    }
}

static void best_write_several(const struct smc_best *best, size_t count, struct smc_text *out)
{
    const uint32_t chosen = 1u << SMC_PARAM_TILE | 1u << SMC_PARAM_BLOCK;
    struct best_compared compared;
    best_find_rows(best, count, &compared);
    const struct smc_device_table table = {
        .context = &compared,
        .devices = count,
        .rows = compared.rows,
        .device = best_device_of,
        .row_head = best->option,
        .cell_head = compared.by_time ? "time ms occup." : "blocks occup. by",
        .label = best_append_label,
        .cell = best_append_cell,
    };
    for (size_t i = 0; i < count; i++) {
        struct smc_text line = {0};
        smc_text_printf(&line, "%s: ", smc_device_model(best_device_of(&compared, i)));
        append_verdict(&best[i], &line, out);
    }
    smc_text_append_char(out, '\n', 1);
    best_append_launch(best, count, chosen, out);
    append_file_lines(best, count, out);
    if (compared.rows == 0)
        return;
    smc_device_table(&table, out);
    compare_rules(&compared, out);
}

void smc_text_best(const struct smc_best *best, size_t count, struct smc_text *out)
{
    if (count > 1)
        best_write_several(best, count, out);
    else
        best_write_one(best, out);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void best_add_answer(const struct smc_best *best, json_t *answers)
{
    const struct smc_candidate *proposal = smc_best_proposal(best);
    json_t *root = json_object(), *rules = json_array(), *list = json_array();
    json_t *object = smc_json_add_object(answers);
    for (int rule = 0; rule < SMC_RULE_COUNT; rule++)
        if (applies(best, rule))
            json_array_append_new(rules, smc_fields_object(&rule_fields, &smc_rule_info[rule]));
    for (size_t rank = 0; rank < best->count; rank++) {
        struct best_row row = best_make_row(best, rank);
        json_array_append_new(list, smc_fields_object(&row_fields, &row));
        smc_text_free(&row.reason);
    }
    smc_json_string(root, "option", best->option);
    smc_json_set(root, "proposal", proposal ? json_integer(proposal->size) : json_null());
    smc_json_string(root, "ranked_by", best->by_time ? "time" : "occupancy");
    smc_json_integer(root, "architectures_asked", best->architectures);
    smc_json_set(root, "rules", rules);
    smc_json_set(root, "candidates", list);
    if (proposal)
        smc_json_answer(object, &proposal->answer);
    else
        smc_json_set(object, "device", smc_json_device(&best->candidate[0].answer.query.device));
    smc_json_set(object, "best", root);
}

void smc_json_best(json_t *root, const struct smc_best *best, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        best_add_answer(&best[i], list);
    smc_json_set_answers(root, list);
}

void smc_json_best_of_kernels(json_t *root, const struct smc_best_proposal *proposals, size_t count)
{
    json_t *list = json_array();
    smc_auto_free struct smc_best *best = smc_calloc(1, sizeof *best); /* too large for the stack */
    for (size_t i = 0; i < count && best; i++) {
        smc_best_restore(&proposals[i], best);
        best_add_answer(best, list);
    }
    smc_json_set_answers(root, list);
}

/* --- CSV -------------------------------------------------------------------------------------- */

static void best_write_rows(const struct smc_best *best, struct smc_text *out)
{
    for (size_t rank = 0; rank < best->count; rank++) {
        struct best_row row = best_make_row(best, rank);
        smc_fields_csv_row(&row_fields, &row, out);
        smc_text_free(&row.reason);
    }
}

void smc_csv_best(const struct smc_best *best, size_t count, struct smc_text *out)
{
    smc_fields_csv_head(&row_fields, out);
    for (size_t i = 0; i < count; i++)
        best_write_rows(&best[i], out);
}

void smc_csv_best_of_kernels(const struct smc_best_proposal *proposals, size_t count,
                             struct smc_text *out)
{
    smc_auto_free struct smc_best *best = smc_calloc(1, sizeof *best); /* too large for the stack */
    smc_fields_csv_head(&row_fields, out);
    for (size_t i = 0; i < count && best; i++) {
        smc_best_restore(&proposals[i], best);
        best_write_rows(best, out);
    }
    out->failed |= !best;
}
