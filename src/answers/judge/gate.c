/* Checks kernels against the limits of a gate. */
#include "config.h"

#include "answers/gate.h"

#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "base/parse.h"

enum gate_kind {
    MOST,
    LEAST,
    MUST,
};

static const struct gate_key {
    const char *name;
    enum smc_check_rule rule;
    enum gate_kind kind;
    bool needs_threads;
} keys[] = {
#define LIMIT(id, key, rule, kind, lowest, highest, needs_threads)                                 \
    {key, SMC_CHECK_##rule, kind, needs_threads},
#include "answers/judge/gate_limits.def"
};

/* The arguments that the steps share. */
struct judging {
    const struct smc_gate *gate;
    uint32_t today;
    struct smc_gate_verdict *verdict;
    bool *limit_named, *limit_used; /* by limit: a kernel matches; a kernel and its device match */
    bool *allowance_used, *stated_used[SMC_STATED_KINDS];
    size_t unsettled_rows;
    const struct smc_inspect_kernel *first_unsettled;
    bool first_lacks_smem; /* the first is unsettled for its dynamic shared memory */
    bool failed;           /* memory */
};

const char *smc_gate_key_name(enum smc_gate_key key)
{
    return keys[key].name;
}

uint32_t smc_gate_today(void)
{
    const char *set = getenv("SOURCE_DATE_EPOCH");
    int64_t seconds;
    time_t now = time(NULL);
    struct tm date;
    if (set && smc_parse_integer(set, 0, INT64_C(253402300799), &seconds))
        now = (time_t)seconds;
    if (!gmtime_r(&now, &date))
        return 0;
    return (uint32_t)((date.tm_year + 1900) * 10000 + (date.tm_mon + 1) * 100 + date.tm_mday);
}

/* --- Which entries apply ---------------------------------------------------------------------- */

/* Sets the last limit that applies to the row for each key, or NULL. Returns whether there is one.
 */
static bool find_limits(struct judging *judging, const struct smc_inspect_row *row,
                        const struct smc_gate_limit *applies[SMC_GATE_KEY_COUNT])
{
    const struct smc_gate *gate = judging->gate;
    bool any = false;
    for (int key = 0; key < SMC_GATE_KEY_COUNT; key++)
        applies[key] = NULL;
    for (size_t i = 0; i < gate->limit_count; i++) {
        const struct smc_gate_limit *limit = &gate->limit[i];
        if (!smc_gate_names_kernel(limit->kernel, row->kernel))
            continue;
        judging->limit_named[i] = true;
        if (!smc_gate_names_device(limit->device, row->device))
            continue;
        judging->limit_used[i] = true;
        for (int key = 0; key < SMC_GATE_KEY_COUNT; key++)
            if (limit->has[key])
                applies[key] = limit;
        any = true;
    }
    return any;
}

/* The first that covers the violation, and has expired or not; or NULL. */
static const struct smc_gate_allowance *gate_find_allowance(const struct judging *judging,
                                                            const struct smc_inspect_row *row,
                                                            enum smc_gate_key key, bool expired)
{
    const struct smc_gate *gate = judging->gate;
    for (size_t i = 0; i < gate->allowance_count; i++)
        if (smc_gate_has_expired(&gate->allowance[i], judging->today) == expired &&
            smc_gate_covers(&gate->allowance[i], row->kernel, row->device, key))
            return &gate->allowance[i];
    return NULL;
}

/* --- Findings --------------------------------------------------------------------------------- */

static void gate_add(struct judging *judging, const struct smc_check_finding *finding)
{
    judging->failed |= !smc_findings_add(&judging->verdict->findings, finding);
}

static struct smc_check_finding gate_finding_of(const struct smc_inspect_row *row,
                                                enum smc_check_rule rule)
{
    const struct smc_inspect_kernel *kernel = row->kernel;
    return (struct smc_check_finding){
        .rule = smc_check_rules[rule].name,
        .level = SMC_FINDING_ERROR,
        .file = kernel->source_file ? kernel->source_file : (char *)kernel->file,
        .line = kernel->source_file ? kernel->source_line : 0,
        .kernel = kernel->shown,
        .device = (char *)row->device->name,
    };
}

/* Reports a violation, or a note if it is allowed. `text` describes it, and is freed. */
static void violate(struct judging *judging, const struct smc_inspect_row *row,
                    enum smc_check_rule rule, enum smc_gate_key key, struct smc_text *text)
{
    const struct smc_gate *gate = judging->gate;
    struct smc_check_finding finding = gate_finding_of(row, rule);
    const struct smc_gate_allowance *allowance = gate_find_allowance(judging, row, key, false);
    if (allowance) {
        finding.level = SMC_FINDING_NOTE;
        judging->verdict->allowed++;
        smc_text_append(text, "; ");
    } else {
        judging->verdict->violations++;
        allowance = gate_find_allowance(judging, row, key, true);
        smc_text_append(text, allowance ? "; it was " : "");
    }
    if (allowance) {
        smc_gate_append_allowance(gate, allowance, judging->today, text);
        judging->allowance_used[allowance - gate->allowance] = true;
    }
    finding.message = (char *)smc_text_string(text);
    judging->failed |= text->failed;
    gate_add(judging, &finding);
    smc_text_free(text);
}

/* Where the violated limit is. */
static void append_limit(const struct smc_gate *gate, const struct smc_gate_limit *limit,
                         struct smc_text *text)
{
    if (gate->path && limit->line > 0)
        smc_text_printf(text, " (%s:%u)", gate->path, limit->line);
}

/* --- Values ----------------------------------------------------------------------------------- */

static bool has_bounds(const struct smc_inspect_kernel *kernel)
{
    return kernel->max_threads_per_block > 0 || kernel->required_threads_per_block > 0;
}

/* False: the input does not record it. */
static bool gate_find_value(const struct smc_inspect_row *row, enum smc_gate_key key, double *value)
{
    const struct smc_resources *resources = &row->kernel->resources;
    const struct smc_inspect_kernel *kernel = row->kernel;
    switch (key) {
    case SMC_GATE_REGISTERS:
        *value = row->launch.regs_per_thread;
        return true;
    case SMC_GATE_SPILLS:
        *value = (double)resources->spill_store_bytes + resources->spill_load_bytes;
        return kernel->has_spills;
    case SMC_GATE_STACK:
        *value = resources->stack_bytes;
        return kernel->has_stack;
    case SMC_GATE_STATIC_SMEM:
        *value = row->launch.static_smem_bytes;
        return true;
    case SMC_GATE_BARRIERS:
        *value = resources->barriers;
        return kernel->has_barriers;
    case SMC_GATE_BLOCKS:
        *value = row->occupancy.blocks_per_sm;
        return true;
    case SMC_GATE_OCCUPANCY:
        *value = row->occupancy_percent;
        return true;
    default:
        *value = has_bounds(kernel);
        return has_bounds(kernel) || smc_inspect_records_bounds(kernel);
    }
}

/* ", limited by registers and shared memory", if it launches. */
static void gate_append_limiters(const struct smc_inspect_row *row, struct smc_text *text)
{
    const char *before = ", limited by ";
    for (int i = 0; i < SMC_LIMIT_COUNT && row->occupancy.blocks_per_sm > 0; i++) {
        if (!(row->occupancy.limiters & 1u << i))
            continue;
        smc_text_printf(text, "%s%s", before, smc_limit_label((enum smc_limit)i));
        before = " and ";
    }
}

static void append_violation(const struct smc_inspect_row *row, enum smc_gate_key key, double value,
                             double allowed, struct smc_text *text)
{
    static const char *const counted[SMC_GATE_KEY_COUNT] = {
        [SMC_GATE_REGISTERS] = "registers per thread",
        [SMC_GATE_STACK] = "bytes of stack per thread",
        [SMC_GATE_STATIC_SMEM] = "bytes of static shared memory per block",
        [SMC_GATE_BARRIERS] = "barriers per block",
    };
    const struct smc_resources *resources = &row->kernel->resources;
    if (counted[key]) {
        smc_text_printf(text, "%.0f %s, but at most %.0f allowed", value, counted[key], allowed);
        return;
    }
    switch (key) {
    case SMC_GATE_SPILLS:
        smc_text_printf(text,
                        "%.0f bytes spilled per thread (stores %u, loads %u), but at most %.0f "
                        "allowed",
                        value, resources->spill_store_bytes, resources->spill_load_bytes, allowed);
        break;
    case SMC_GATE_BLOCKS:
        smc_text_printf(text, "%.0f block%s per SM", value, smc_text_plural((uint64_t)value));
        gate_append_limiters(row, text);
        smc_text_printf(text, ", but %.0f required", allowed);
        break;
    case SMC_GATE_OCCUPANCY:
        smc_text_printf(text, "occupancy %.4g %%", value);
        gate_append_limiters(row, text);
        smc_text_printf(text, ", but %.4g %% is required", allowed);
        break;
    default:
        smc_text_append(text, "no __launch_bounds__, but they are required");
    }
}

static bool is_violated(enum smc_gate_key key, double value, double allowed)
{
    return keys[key].kind == MOST    ? value > allowed
           : keys[key].kind == LEAST ? value < allowed
                                     : allowed != 0 && value == 0;
}

/* --- Judging ---------------------------------------------------------------------------------- */

/* False for a limit that only lifts an earlier one, such as min_blocks = 0. */
static bool gate_asks(const struct smc_gate_limit *limit, enum smc_gate_key key)
{
    return limit && !(keys[key].kind != MOST && limit->value[key] == 0);
}

static void judge_key(struct judging *judging, const struct smc_inspect_row *row,
                      enum smc_gate_key key, const struct smc_gate_limit *limit)
{
    struct smc_text text = {0};
    double value;
    if (!gate_find_value(row, key, &value)) {
        smc_text_printf(&text, "%s cannot be judged: the input does not record it", keys[key].name);
        append_limit(judging->gate, limit, &text);
        violate(judging, row, SMC_CHECK_UNKNOWN, key, &text);
    } else if (is_violated(key, value, limit->value[key])) {
        append_violation(row, key, value, limit->value[key], &text);
        append_limit(judging->gate, limit, &text);
        violate(judging, row, keys[key].rule, key, &text);
    }
}

/* Why no limit of this row can be checked, or NULL. */
static const char *gate_reason_unknown(const struct smc_inspect_row *row)
{
    if (row->outcome == SMC_CANNOT_COMPILE)
        return "cannot be compiled: more static shared memory than a block may declare";
    if (row->kernel->calls_unlinked)
        return "its figures are from before linking, and it calls functions whose registers nvlink "
               "adds: judge the linked program instead";
    return row->launch.regs_per_thread == 0 ? "its registers are unknown" : NULL;
}

static void append_unloadable(const struct smc_inspect_row *row, struct smc_text *text)
{
    char architecture[SMC_INSPECT_ARCHITECTURE];
    const unsigned cc = row->device->sm.cc;
    smc_text_printf(text,
                    "machine code for %s does not load there: compile with -gencode "
                    "arch=compute_%u,code=sm_%u",
                    smc_architecture_name(row->kernel, architecture), cc, cc);
}

/* Blocks and occupancy are not judged, as something of the launch is unknown. */
static void tell_unknown(struct judging *judging, const struct smc_inspect_row *row,
                         enum smc_check_rule rule, const char *message)
{
    struct smc_check_finding finding = gate_finding_of(row, rule);
    finding.message = (char *)message;
    if (judging->unsettled_rows++ == 0) {
        judging->first_unsettled = row->kernel;
        judging->first_lacks_smem = rule == SMC_CHECK_DYNAMIC_SMEM_UNKNOWN;
    }
    if (judging->gate->path)
        gate_add(judging, &finding);
}

static void tell_no_launch(struct judging *judging, const struct smc_inspect_row *row)
{
    struct smc_text text = {0};
    smc_text_printf(&text, "cannot launch with %u threads per block",
                    row->launch.threads_per_block);
    violate(judging, row, SMC_CHECK_CANNOT_LAUNCH, SMC_GATE_KEY_COUNT, &text);
}

/* Whether the row had to be left out because its block size or dynamic shared memory is unknown. */
static bool judge_limits(struct judging *judging, const struct smc_inspect_row *row,
                         const struct smc_gate_limit *const applies[SMC_GATE_KEY_COUNT])
{
    const bool settled = smc_inspect_is_settled(row);
    const bool from_file = judging->gate->path != NULL;
    const bool launches = row->outcome == SMC_LAUNCHES;
    bool unsettled = false;
    if (!launches && from_file) /* options require no more than they name */
        tell_no_launch(judging, row);
    for (int key = 0; key < SMC_GATE_KEY_COUNT; key++) {
        if (!gate_asks(applies[key], key))
            continue;
        if (keys[key].needs_threads && (!settled || row->dynamic_smem_unknown))
            unsettled = true;
        else if (!keys[key].needs_threads || launches || !from_file)
            judge_key(judging, row, key, applies[key]);
    }
    if (unsettled && !settled)
        tell_unknown(judging, row, SMC_CHECK_THREADS_UNKNOWN,
                     "blocks and occupancy are not judged: its block size is unknown; state it in "
                     "[threads], or with --threads NAME=N");
    if (unsettled && row->dynamic_smem_unknown)
        tell_unknown(judging, row, SMC_CHECK_DYNAMIC_SMEM_UNKNOWN,
                     "blocks and occupancy are not judged: the launch gives its dynamic shared "
                     "memory; state it in [dynamic_smem], or with --dynamic-smem NAME=BYTES");
    return unsettled;
}

/* Whether a limit applied. */
static bool judge_row(struct judging *judging, const struct smc_inspect_row *row, bool *unsettled)
{
    const struct smc_gate_limit *applies[SMC_GATE_KEY_COUNT];
    for (int kind = 0; kind < SMC_STATED_KINDS; kind++) {
        const struct smc_stated_list *list = &judging->gate->stated[kind];
        for (size_t i = 0; i < list->count; i++)
            judging->stated_used[kind][i] |=
                smc_gate_names_kernel(list->item[i].pattern, row->kernel);
    }
    if (!find_limits(judging, row, applies))
        return false;
    const struct smc_check_finding place = gate_finding_of(row, SMC_CHECK_UNKNOWN);
    judging->failed |=
        !smc_judgements_add(&judging->verdict->judgements, place.file, place.kernel, place.device);
    const char *unknown = gate_reason_unknown(row);
    struct smc_text text = {0};
    if (unknown) {
        smc_text_append(&text, unknown);
        violate(judging, row, SMC_CHECK_UNKNOWN, SMC_GATE_KEY_COUNT, &text);
    } else if (!smc_architecture_loads(row->kernel, row->device->sm.cc)) {
        append_unloadable(row, &text);
        violate(judging, row, SMC_CHECK_DOES_NOT_LOAD, SMC_GATE_KEY_COUNT, &text);
    } else {
        *unsettled |= judge_limits(judging, row, applies);
    }
    return true;
}

/* The rows of one kernel are adjacent. */
static void judge_rows(struct judging *judging, const struct smc_inspect_rows *rows)
{
    struct smc_gate_verdict *verdict = judging->verdict;
    for (size_t begin = 0, end; begin < rows->count; begin = end) {
        size_t before = verdict->violations;
        bool judged = false, unsettled = false;
        for (end = begin;
             end < rows->count && smc_inspect_is_same(&rows->item[begin], &rows->item[end]); end++)
            judged |= judge_row(judging, &rows->item[end], &unsettled);
        verdict->kernels += judged;
        verdict->unsettled += unsettled;
        verdict->violating += verdict->violations > before;
    }
}

/* --- Entries that no longer apply ------------------------------------------------------------- */

static void tell_entry(struct judging *judging, enum smc_finding_level level, uint32_t line,
                       struct smc_text *text)
{
    judging->failed |= text->failed;
    if (judging->gate->path)
        gate_add(judging, &(struct smc_check_finding){
                              .rule = smc_check_rules[SMC_CHECK_GATE_FILE].name,
                              .level = level,
                              .file = judging->gate->path,
                              .line = line,
                              .message = (char *)smc_text_string(text),
                          });
    smc_text_free(text);
}

static void gate_note(struct judging *judging, uint32_t line, struct smc_text *text)
{
    tell_entry(judging, SMC_FINDING_NOTE, line, text);
}

/* If the pattern of a limit matches no kernel, it is misspelt, or the kernel was renamed. */
static void tell_unnamed(struct judging *judging, const struct smc_inspect_rows *rows,
                         const struct smc_gate_limit *limit)
{
    struct smc_text text = {0};
    struct smc_inspect_near near = {.pattern = limit->kernel};
    if (limit->optional)
        return;
    smc_text_printf(&text, "[[limit]] for '%s' names no kernel", limit->kernel);
    if (judging->gate->partial) {
        gate_note(judging, limit->line, &text);
        return;
    }
    for (size_t i = 0; i < rows->count; i++)
        smc_inspect_consider(rows->item[i].kernel, &near);
    if (near.name[0])
        smc_text_printf(&text, "; did you mean '%s'?", near.name);
    else
        smc_text_append(&text, "; if it may match none, add optional = true");
    judging->verdict->unnamed++;
    tell_entry(judging, SMC_FINDING_ERROR, limit->line, &text);
}

static void tell_limits(struct judging *judging, const struct smc_inspect_rows *rows)
{
    const struct smc_gate *gate = judging->gate;
    for (size_t i = 0; i < gate->limit_count; i++) {
        const struct smc_gate_limit *limit = &gate->limit[i];
        struct smc_text text = {0};
        if (!judging->limit_named[i] && limit->kernel)
            tell_unnamed(judging, rows, limit);
        else if (!judging->limit_used[i] && limit->device)
            smc_text_printf(&text, "[[limit]] for device '%s', which is none of those judged",
                            limit->device);
        if (text.length > 0)
            gate_note(judging, limit->line, &text);
    }
}

static void note_allowances(struct judging *judging)
{
    const struct smc_gate *gate = judging->gate;
    for (size_t i = 0; i < gate->allowance_count; i++) {
        const struct smc_gate_allowance *allowance = &gate->allowance[i];
        struct smc_text text = {0};
        if (judging->allowance_used[i])
            continue;
        smc_text_printf(&text, "[[allow]] for '%s' is not needed: there is no such violation",
                        allowance->kernel);
        gate_note(judging, allowance->line, &text);
    }
}

static void note_stated(struct judging *judging, enum smc_stated_kind kind, const char *table)
{
    const struct smc_stated_list *list = &judging->gate->stated[kind];
    for (size_t i = 0; i < list->count; i++) {
        struct smc_text text = {0};
        if (judging->stated_used[kind][i])
            continue;
        smc_text_printf(&text, "[%s] '%s' names no kernel", table, list->item[i].pattern);
        gate_note(judging, list->item[i].line, &text);
    }
}

/* --- The whole -------------------------------------------------------------------------------- */

static bool gate_allocate(struct judging *judging)
{
    const struct smc_gate *gate = judging->gate;
    const size_t threads = gate->stated[SMC_STATED_THREADS].count;
    size_t count = 2 * gate->limit_count + gate->allowance_count + threads +
                   gate->stated[SMC_STATED_DYNAMIC_SMEM].count;
    bool *flags = smc_calloc(count + 1, sizeof *flags);
    judging->limit_named = flags;
    if (!flags)
        return false;
    judging->limit_used = flags + gate->limit_count;
    judging->allowance_used = judging->limit_used + gate->limit_count;
    judging->stated_used[SMC_STATED_THREADS] = judging->allowance_used + gate->allowance_count;
    judging->stated_used[SMC_STATED_DYNAMIC_SMEM] =
        judging->stated_used[SMC_STATED_THREADS] + threads;
    return true;
}

static enum smc_status fail_unsettled(const struct judging *judging, size_t rows,
                                      struct smc_error *error)
{
    const struct smc_gate *gate = judging->gate;
    bool occupancy = false;
    if (gate->path)
        return SMC_USAGE;
    for (size_t i = 0; i < gate->limit_count; i++)
        occupancy |= gate->limit[i].has[SMC_GATE_OCCUPANCY];
    if (judging->first_lacks_smem)
        return smc_fail(error, SMC_USAGE,
                        "option --%s: %zu of %zu answers cannot be judged, the first for %.200s: "
                        "it uses dynamic shared memory, which the launch gives; state it with "
                        "--dynamic-smem NAME=BYTES",
                        occupancy ? "require-occupancy" : "require-blocks", judging->unsettled_rows,
                        rows, judging->first_unsettled->shown);
    return smc_fail(error, SMC_USAGE,
                    "option --%s: the block size of %zu of %zu answers is unknown, the first for "
                    "%.200s; state it with --threads NAME=N, or --assume-threads N for all",
                    occupancy ? "require-occupancy" : "require-blocks", judging->unsettled_rows,
                    rows, judging->first_unsettled->shown);
}

enum smc_status smc_gate_judge(const struct smc_gate *gate, const struct smc_inspect_rows *rows,
                               uint32_t today, struct smc_diff *diff,
                               struct smc_gate_verdict *verdict, struct smc_error *error)
{
    struct judging judging = {.gate = gate, .today = today, .verdict = verdict};
    if (!gate_allocate(&judging))
        return smc_out_of_memory(error);
    judge_rows(&judging, rows);
    if (diff && !smc_gate_excuse(gate, today, diff, judging.allowance_used))
        judging.failed = true;
    tell_limits(&judging, rows);
    note_allowances(&judging);
    note_stated(&judging, SMC_STATED_THREADS, "threads");
    note_stated(&judging, SMC_STATED_DYNAMIC_SMEM, "dynamic_smem");
    free(judging.limit_named);
    if (judging.failed)
        return smc_out_of_memory(error);
    if (verdict->violations > 0)
        return SMC_SHORTFALL;
    if (verdict->unsettled > 0)
        return fail_unsettled(&judging, rows->count, error);
    return verdict->unnamed > 0 ? SMC_USAGE : SMC_OK;
}

bool smc_gate_fails(const struct smc_gate *gate, const struct smc_inspect_row *row)
{
    const struct smc_inspect_rows one = {.item = (struct smc_inspect_row *)row, .count = 1};
    SMC_AUTO(smc_gate_verdict_free) struct smc_gate_verdict verdict = {0};
    smc_gate_judge(gate, &one, smc_gate_today(), NULL, &verdict, NULL);
    return verdict.violations > 0;
}

void smc_gate_verdict_free(struct smc_gate_verdict *verdict)
{
    smc_findings_free(&verdict->findings);
    smc_judgements_free(&verdict->judgements);
    *verdict = (struct smc_gate_verdict){0};
}

void smc_gate_summary(const struct smc_gate_verdict *verdict, struct smc_text *out)
{
    if (verdict->violations > 0)
        smc_text_printf(out, "%zu of %zu kernel%s violate%s %zu limit%s", verdict->violating,
                        verdict->kernels, smc_text_plural(verdict->kernels),
                        verdict->violating == 1 ? "s" : "", verdict->violations,
                        smc_text_plural(verdict->violations));
    else
        smc_text_printf(out, "%zu kernel%s judged: no violation", verdict->kernels,
                        smc_text_plural(verdict->kernels));
    if (verdict->allowed > 0)
        smc_text_printf(out, "; %zu violation%s allowed", verdict->allowed,
                        verdict->allowed == 1 ? " is" : "s are");
    if (verdict->unsettled > 0)
        smc_text_printf(out, "; not judged, as the launch is unknown: %zu", verdict->unsettled);
    if (verdict->unnamed > 0)
        smc_text_printf(out, "; %zu limit%s no kernel", verdict->unnamed,
                        verdict->unnamed == 1 ? " names" : "s name");
    smc_text_append(out, "\n");
}
