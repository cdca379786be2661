/* The first screen's state: one query, its answer, and the values around it. */
#include "show/tui/explore.h"

#include <stdio.h>
#include <string.h>

/* From what is known at once: compiled before, or the table's. Where there is no answer, `answer`
   has as much of it as could be found. */
static enum smc_status explore_evaluate(const struct smc_explore *explore,
                                        struct smc_answer *answer, struct smc_error *error)
{
    struct smc_query query = explore->query;
    const struct smc_resources *known = NULL;
    if (query.kernel && query.kernel->complete(query.kernel, &query.params, NULL) == SMC_OK)
        known = smc_memo_find(&explore->memo, &query);
    query.compile.no_nvrtc = true;
    smc_auto_text warnings = {0};
    enum smc_status status = smc_query_evaluate(&query, known, answer, &warnings, error);
    answer->query.compile = explore->query.compile;
    return status;
}

static bool needs_compiler(const struct smc_explore *explore)
{
    const struct smc_query *query = &explore->query;
    bool counted = query->regs_per_thread == SMC_NOT_GIVEN || query->compile.kernel_dir;
    return query->kernel && counted && !query->compile.no_nvrtc &&
           !smc_memo_find(&explore->memo, &explore->answer.query);
}

bool smc_explore_has_time(const struct smc_explore *explore)
{
    const struct smc_query *query = &explore->query;
    if (query->kernel)
        return !query->kernel->is_probe;
    return explore->file && smc_open_kernel_of(explore->file, query) &&
           query->grid_blocks != SMC_NOT_GIVEN;
}

/* Asks for the time, and until it is there keeps the one before. A launch that fails has none, and
   without NVRTC there is no machine code to predict it from. */
static void expect_time(struct smc_explore *explore, const struct smc_time *before)
{
    static const struct smc_binary nothing;
    bool no_code = explore->query.compile.no_nvrtc;
    bool launches =
        explore->answered ? explore->answer.outcome == SMC_LAUNCHES : explore->wants_compile;
    explore->serial++;
    explore->wants_time = smc_explore_has_time(explore) && launches && !no_code;
    explore->answer.time = explore->wants_time ? *before : (struct smc_time){0};
    if (launches && no_code && explore->query.kernel)
        smc_query_find_time_of(&explore->answer, &nothing, NULL);
}

static void explore_update(struct smc_explore *explore)
{
    struct smc_answer *answer = &explore->answer;
    struct smc_time before = answer->time;
    struct smc_error error = {""};
    enum smc_status status = explore_evaluate(explore, answer, &error);
    explore->answered = status == SMC_OK;
    explore->compile_failure[0] = '\0';
    snprintf(explore->why, sizeof explore->why, "%s", error.message);
    if (explore->answered) {
        smc_query_find_work(answer);
        smc_query_find_next_steps(answer);
    }
    /* Without resources NVRTC may still find them. */
    explore->wants_compile =
        (explore->answered || status == SMC_UNAVAILABLE) && needs_compiler(explore);
    expect_time(explore, &before);
    smc_chart_find(&explore->chart, &explore->query, answer, explore->field, &explore->memo);
}

void smc_explore_open(struct smc_explore *explore, const struct smc_query *query)
{
    explore->query = *query;
    enum smc_field fields[SMC_FIELD_COUNT];
    size_t count = smc_fields_shown(query, fields);
    explore->field = count > 2 ? fields[2] : fields[0]; /* the tile, or what shapes a block */
    explore_update(explore);
}

void smc_explore_close(struct smc_explore *explore)
{
    smc_memo_forget(&explore->memo);
    smc_chart_free(&explore->chart);
}

/* The field `by` places after the cursor, stopping at the ends. If the cursor's own field no longer
   applies, counts from the first field. */
static enum smc_field field_behind(const struct smc_explore *explore, int by)
{
    enum smc_field fields[SMC_FIELD_COUNT];
    int count = (int)smc_fields_shown(&explore->query, fields), at = 0;
    for (int i = 0; i < count; i++)
        if (fields[i] == explore->field)
            at = i;
    at += by;
    return fields[at < 0 ? 0 : at >= count ? count - 1 : at];
}

_Static_assert(SMC_FIELD_COUNT <= 64, "a bit for each field");

/* Marks each changed value as carried over, except that of the field `set`. */
static void find_carried(struct smc_explore *explore, const struct smc_query *before, int set)
{
    for (int i = 0; i < SMC_FIELD_COUNT; i++) {
        enum smc_field field = (enum smc_field)i;
        if (i == SMC_FIELD_DEVICE || i == SMC_FIELD_KERNEL ||
            (smc_field_equal(before, &explore->query, field) && i != set))
            continue;
        bool carried = i != set && smc_field_given(&explore->query, field);
        explore->carried &= ~(UINT64_C(1) << i);
        explore->carried |= (uint64_t)carried << i;
    }
}

static void push_undo(struct smc_explore *explore, const struct smc_query *before)
{
    if (explore->undo_count == SMC_UNDO_STEPS) {
        explore->undo_count--;
        memmove(explore->undo, explore->undo + 1, explore->undo_count * sizeof explore->undo[0]);
        memmove(explore->undo_carried, explore->undo_carried + 1,
                explore->undo_count * sizeof explore->undo_carried[0]);
    }
    explore->undo_carried[explore->undo_count] = explore->carried;
    explore->undo[explore->undo_count++] = *before;
}

static void take_change(struct smc_explore *explore, const struct smc_query *before, int set)
{
    push_undo(explore, before);
    find_carried(explore, before, set);
    explore->field = field_behind(explore, 0);
    explore_update(explore);
}

void smc_explore_changed(struct smc_explore *explore, const struct smc_query *before)
{
    take_change(explore, before, explore->field);
}

void smc_explore_brought(struct smc_explore *explore, const struct smc_query *before)
{
    take_change(explore, before, SMC_FIELD_COUNT);
}

void smc_explore_step(struct smc_explore *explore, int direction, bool far)
{
    struct smc_query before = explore->query;
    smc_field_step(&explore->query, &explore->answer, explore->field, direction, far);
    if (!smc_fields_equal(&before, &explore->query))
        smc_explore_changed(explore, &before);
}

static const char *source_of_threads(const struct smc_open_kernel *kernel)
{
    static const char *const words[SMC_THREADS_SOURCE_COUNT] = {
        [SMC_THREADS_LISTED] = "given",        [SMC_THREADS_GIVEN] = "given",
        [SMC_THREADS_RECORDED] = "recorded",   [SMC_THREADS_REQUIRED] = "required",
        [SMC_THREADS_BOUND] = "launch bounds", [SMC_THREADS_ASSUMED] = "assumed",
        [SMC_THREADS_UNKNOWN] = "best",
    };
    return words[kernel->threads_source];
}

/* What the last change of the file did to a value. */
static void show_change(const struct smc_open_kernel *kernel, enum smc_field field,
                        struct smc_field_view *view)
{
    const struct smc_open_figures *before = &kernel->before, *now = &kernel->now;
    const bool is_regs = field == SMC_FIELD_REGS;
    const uint32_t was = is_regs ? before->regs_per_thread : before->static_smem_bytes;
    const uint32_t is = is_regs ? now->regs_per_thread : now->static_smem_bytes;
    if (!kernel->is_changed || (!is_regs && field != SMC_FIELD_STATIC_SMEM) || was == is)
        return;
    view->changed = true;
    snprintf(view->source, sizeof view->source, "was %u", was);
}

void smc_explore_show(const struct smc_explore *explore, enum smc_field field,
                      struct smc_field_view *view)
{
    const struct smc_open_kernel *kernel =
        explore->file ? smc_open_kernel_of(explore->file, &explore->query) : NULL;
    smc_field_show(&explore->query, &explore->answer, field, view);
    if (kernel && !view->given)
        show_change(kernel, field, view);
    if (!(explore->carried >> field & 1) || !view->given)
        return;
    view->given = false;
    if (kernel && field == SMC_FIELD_THREADS)
        snprintf(view->source, sizeof view->source, "%s", source_of_threads(kernel));
    else
        snprintf(view->source, sizeof view->source,
                 kernel                       ? "given"
                 : explore->query.file_kernel ? "trace"
                                              : "carried");
}

bool smc_explore_undo(struct smc_explore *explore)
{
    if (explore->undo_count == 0)
        return false;
    struct smc_compile_options compile = explore->query.compile;
    explore->query = explore->undo[--explore->undo_count];
    explore->carried = explore->undo_carried[explore->undo_count];
    explore->query.compile = compile; /* an edited source stays edited */
    explore->field = field_behind(explore, 0);
    explore_update(explore);
    return true;
}

void smc_explore_go(struct smc_explore *explore, enum smc_field field)
{
    if (explore->field == field)
        return;
    explore->field = field;
    smc_chart_find(&explore->chart, &explore->query, &explore->answer, field, &explore->memo);
}

void smc_explore_move(struct smc_explore *explore, int by)
{
    smc_explore_go(explore, field_behind(explore, by));
}

static bool explore_is_same_kernel(const struct smc_query *a, const struct smc_query *b)
{
    return a->kernel == b->kernel && a->device.sm.cc == b->device.sm.cc &&
           memcmp(a->params.value, b->params.value, sizeof a->params.value) == 0;
}

void smc_explore_compiled(struct smc_explore *explore, const struct smc_query *query,
                          const struct smc_resources *resources, const char *failure)
{
    if (!failure)
        smc_memo_keep(&explore->memo, query, resources);
    if (!explore->wants_compile)
        return;
    if (!failure) {
        explore_update(explore);
    } else if (explore_is_same_kernel(query, &explore->answer.query)) {
        explore->wants_compile = false;
        snprintf(explore->compile_failure, sizeof explore->compile_failure, "%s", failure);
        if (!explore->answered) /* it says more than that there are no registers */
            snprintf(explore->why, sizeof explore->why, "%s", failure);
    }
}

bool smc_explore_wants_around(const struct smc_explore *explore, struct smc_query *query)
{
    return explore->query.kernel && !explore->query.compile.no_nvrtc &&
           smc_chart_find_uncompiled(&explore->chart, &explore->query, &explore->memo, query);
}

void smc_explore_compiled_around(struct smc_explore *explore, const struct smc_query *query,
                                 const struct smc_resources *resources)
{
    smc_memo_keep(&explore->memo, query, resources);
    smc_chart_find(&explore->chart, &explore->query, &explore->answer, explore->field,
                   &explore->memo);
}

void smc_explore_timed(struct smc_explore *explore, uint64_t serial, const struct smc_time *time,
                       const struct smc_ceilings *ceilings)
{
    if (serial != explore->serial)
        return;
    explore->wants_time = false;
    explore->answer.time = *time;
    explore->query.ceilings = explore->answer.query.ceilings = *ceilings;
}

void smc_explore_reread(struct smc_explore *explore)
{
    explore_update(explore);
}

void smc_explore_recompile(struct smc_explore *explore)
{
    smc_memo_forget(&explore->memo);
    explore_update(explore);
}

static void take_device(struct smc_query *query, const struct smc_device *device)
{
    if (!query->device_assumed)
        return;
    query->device = *device;
    query->device_assumed = false;
    query->device_note[0] = '\0';
}

void smc_explore_find_device(struct smc_explore *explore, const struct smc_device *device)
{
    for (size_t i = 0; i < explore->undo_count; i++)
        take_device(&explore->undo[i], device);
    take_device(&explore->query, device);
    explore_update(explore);
}
