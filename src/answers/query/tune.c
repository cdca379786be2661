/* Lists the shapes of a kernel, predicts their times, ranks them. */
#include "config.h"

#include "answers/tune.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/parse.h"
#include "base/signals.h"
#include "base/text.h"
#include "code/nvrtc.h"

const struct smc_tune_state_info smc_tune_state_info[SMC_TUNE_STATE_COUNT] = {
#define STATE(id, name, meaning) [SMC_TUNE_##id] = {name, meaning},
#include "answers/query/tune_states.def"
};

/* --- Axes as the user gives them -------------------------------------------------------------- */

static enum smc_status tune_add_value(int64_t value, struct smc_tune_axis *axis,
                                      struct smc_error *error)
{
    for (size_t i = 0; i < axis->count; i++)
        if (axis->value[i] == value)
            return smc_fail(error, SMC_USAGE, "%" PRId64 " is given twice", value);
    if (axis->count == SMC_TUNE_MOST_VALUES)
        return smc_fail(error, SMC_USAGE, "more than %d values", SMC_TUNE_MOST_VALUES);
    axis->value[axis->count++] = value;
    return SMC_OK;
}

/* "8", or "8:32:8". */
static enum smc_status add_values(const char *text, struct smc_tune_axis *axis,
                                  struct smc_error *error)
{
    struct smc_range range;
    int64_t value;
    enum smc_status status = SMC_OK;
    if (smc_parse_integer(text, INT32_MIN, INT32_MAX, &value))
        return tune_add_value(value, axis, error);
    switch (smc_range_parse(text, INT32_MIN, INT32_MAX, false, &range)) {
    case SMC_RANGE_SOUND:
        for (uint64_t i = 0; i < smc_range_count(&range) && status == SMC_OK; i++)
            status = tune_add_value(smc_range_value(&range, i), axis, error);
        return status;
    case SMC_RANGE_EMPTY:
        return smc_fail(error, SMC_USAGE, "the range '%.64s' is empty: it ends before it begins",
                        text);
    case SMC_RANGE_NO_STEP:
        return smc_fail(error, SMC_USAGE, "the step of the range '%.64s' is not 1 or more", text);
    case SMC_RANGE_MALFORMED:
    case SMC_RANGE_OUTSIDE:
        break;
    }
    return smc_fail(error, SMC_USAGE,
                    "'%.64s' is neither a whole number nor a range FIRST:LAST or FIRST:LAST:STEP",
                    text);
}

static bool tune_is_name(const char *text, size_t length)
{
    if (length == 0 || isdigit((unsigned char)*text))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_' && text[i] != '-')
            return false;
    return true;
}

enum smc_status smc_tune_read_axis(const char *text, struct smc_tune_axis *axis,
                                   struct smc_error *error)
{
    const size_t length = strcspn(text, "=");
    *axis = (struct smc_tune_axis){.count = 0};
    if (!text[length] || !text[length + 1] || !tune_is_name(text, length))
        return smc_fail(error, SMC_USAGE, "'%.64s' is not of the form NAME=4,8,16 or NAME=8:32:8",
                        text);
    if (length >= sizeof axis->name)
        return smc_fail(error, SMC_USAGE, "the name '%.64s' has more than %d characters", text,
                        SMC_TUNE_NAME_CHARS - 1);
    memcpy(axis->name, text, length);
    for (const char *at = text + length; *at;) {
        char part[80];
        size_t part_length = strcspn(++at, ",");
        snprintf(part, sizeof part, "%.*s", (int)part_length, at);
        SMC_TRY(smc_fail_in(error, add_values(part, axis, error), "'%s'", axis->name));
        at += part_length;
    }
    return SMC_OK;
}

/* --- What is worth trying --------------------------------------------------------------------- */

/* For each parameter that changes the speed of a kernel and not its result. Other values are legal,
   and tried if the user gives them: these are enough to find a fast shape. */
static const struct usual {
    enum smc_param param;
    size_t count;
    int64_t value[SMC_TUNE_MOST_VALUES];
} usual[] = {
    {SMC_PARAM_TILE, 8, {4, 8, 12, 16, 20, 24, 28, 32}},
    {SMC_PARAM_PAD, 4, {0, 1, 2, 4}},
    {SMC_PARAM_BLOCK_M, 4, {32, 64, 128, 256}},
    {SMC_PARAM_BLOCK_N, 4, {32, 64, 128, 256}},
    {SMC_PARAM_BLOCK_K, 3, {8, 16, 32}},
    {SMC_PARAM_THREAD_M, 4, {2, 4, 8, 16}},
    {SMC_PARAM_THREAD_N, 4, {2, 4, 8, 16}},
    {SMC_PARAM_STAGES, 3, {2, 3, 4}},
    {SMC_PARAM_BLOCK, 0, {0}}, /* every number of whole warps */
};

enum { USUAL = sizeof usual / sizeof *usual };

static bool is_varied(const struct smc_tune *tune, enum smc_tune_kind kind, enum smc_param param)
{
    for (size_t i = 0; i < tune->axis_count; i++)
        if (tune->axis[i].kind == kind && (kind != SMC_TUNE_PARAM || tune->axis[i].param == param))
            return true;
    return false;
}

static const struct usual *find_usual(const struct smc_kernel *kernel, const char *name)
{
    char option[SMC_TUNE_NAME_CHARS];
    snprintf(option, sizeof option, "%s", name);
    for (char *c = option; *c; c++)
        *c = *c == '_' ? '-' : *c;
    for (size_t i = 0; i < USUAL; i++)
        if (kernel->params & 1u << usual[i].param &&
            strcmp(smc_param_info[usual[i].param].option, option) == 0)
            return &usual[i];
    return NULL;
}

static enum smc_status fail_name(const struct smc_tune *tune, const char *name,
                                 struct smc_error *error)
{
    const struct smc_kernel *kernel = tune->query.kernel;
    smc_auto_text list = {0};
    for (size_t i = 0; i < USUAL; i++)
        if (kernel->params & 1u << usual[i].param)
            smc_text_printf(&list, "%s, ", smc_param_info[usual[i].param].option);
    return smc_fail(error, SMC_USAGE, "'%s' is not a parameter of %s that may vary: %scarveout",
                    name, kernel->name, smc_text_string(&list));
}

static enum smc_status check_values(const struct smc_tune_axis *axis, int64_t lowest,
                                    int64_t highest, struct smc_error *error)
{
    for (size_t i = 0; i < axis->count; i++)
        if (axis->value[i] < lowest || axis->value[i] > highest)
            return smc_fail(error, SMC_USAGE,
                            "'%s': %" PRId64 " is not between %" PRId64 " and %" PRId64, axis->name,
                            axis->value[i], lowest, highest);
    return SMC_OK;
}

enum smc_status smc_tune_append_axis(struct smc_tune *tune, const struct smc_tune_axis *axis,
                                     struct smc_error *error)
{
    for (size_t i = 0; i < tune->axis_count; i++)
        if (strcmp(tune->axis[i].name, axis->name) == 0)
            return smc_fail(error, SMC_USAGE, "'%s' is given twice", axis->name);
    if (tune->axis_count == SMC_TUNE_MOST_AXES)
        return smc_fail(error, SMC_USAGE, "more than %d names vary", SMC_TUNE_MOST_AXES);
    tune->axis[tune->axis_count++] = *axis;
    return SMC_OK;
}

static enum smc_status add_carveout(struct smc_tune *tune, struct smc_tune_axis *axis,
                                    struct smc_error *error)
{
    axis->kind = SMC_TUNE_CARVEOUT;
    if (tune->query.settings.carveout_percent != SMC_CARVEOUT_DEFAULT)
        return smc_fail(error, SMC_USAGE, "'carveout': not together with --carveout");
    SMC_TRY(check_values(axis, SMC_CARVEOUT_DEFAULT, 100, error));
    return smc_tune_append_axis(tune, axis, error);
}

enum smc_status smc_tune_add_axis(struct smc_tune *tune, const struct smc_tune_axis *axis,
                                  struct smc_error *error)
{
    struct smc_tune_axis added = *axis;
    if (strcmp(axis->name, "carveout") == 0)
        return add_carveout(tune, &added, error);
    const struct usual *found = find_usual(tune->query.kernel, axis->name);
    if (!found)
        return fail_name(tune, axis->name, error);
    const struct smc_param_info *info = &smc_param_info[found->param];
    added.kind = SMC_TUNE_PARAM;
    added.param = found->param;
    snprintf(added.name, sizeof added.name, "%s", info->option);
    if (tune->query.params.given & 1u << found->param)
        return smc_fail(error, SMC_USAGE, "'%s': not together with --%s", info->option,
                        info->option);
    SMC_TRY(check_values(&added, info->lowest, info->highest, error));
    return smc_tune_append_axis(tune, &added, error);
}

static void set_usual(const struct smc_tune *tune, const struct usual *from,
                      struct smc_tune_axis *axis)
{
    const struct smc_sm *sm = &tune->query.device.sm;
    *axis = (struct smc_tune_axis){.kind = SMC_TUNE_PARAM, .param = from->param};
    snprintf(axis->name, sizeof axis->name, "%s", smc_param_info[from->param].option);
    axis->count = from->count;
    memcpy(axis->value, from->value, sizeof axis->value);
    for (int64_t threads = sm->warp_size; from->count == 0 && axis->count < SMC_TUNE_MOST_VALUES &&
                                          threads <= (int64_t)sm->max_threads_per_block;
         threads += sm->warp_size)
        axis->value[axis->count++] = threads;
}

/* One percentage for each size that the SM's shared memory can have. */
static void set_carveouts(const struct smc_tune *tune, struct smc_tune_axis *axis)
{
    struct smc_launch launch = tune->query.settings;
    struct smc_carveouts carveouts;
    *axis = (struct smc_tune_axis){.kind = SMC_TUNE_CARVEOUT, .name = "carveout"};
    launch.threads_per_block = tune->query.device.sm.warp_size;
    smc_carveouts_find(&tune->query.device.sm, &launch, &carveouts);
    for (uint32_t i = 0; i < carveouts.count && carveouts.by_percent; i++)
        if (carveouts.size[i].percent_from >= 0)
            axis->value[axis->count++] = carveouts.size[i].percent_from;
}

/* The carve-out matters most where few parameters can be chosen, and multiplies the shapes where
   many can. */
static bool varies_carveout(const struct smc_tune *tune)
{
    return tune->query.settings.carveout_percent == SMC_CARVEOUT_DEFAULT &&
           !is_varied(tune, SMC_TUNE_CARVEOUT, SMC_PARAM_COUNT) &&
           !(tune->query.kernel->params & 1u << SMC_PARAM_BLOCK_M);
}

static int tune_place_of(const struct smc_tune_axis *axis)
{
    return axis->kind == SMC_TUNE_PARAM ? (int)axis->param : SMC_PARAM_COUNT;
}

/* Insertion sort, in the order of the catalog: there are few. */
static void sort_axes(struct smc_tune *tune)
{
    for (size_t i = 1; i < tune->axis_count; i++) {
        struct smc_tune_axis axis = tune->axis[i];
        size_t at = i;
        for (; at > 0 && tune_place_of(&tune->axis[at - 1]) > tune_place_of(&axis); at--)
            tune->axis[at] = tune->axis[at - 1];
        tune->axis[at] = axis;
    }
}

enum smc_status smc_tune_add_usual_axes(struct smc_tune *tune, struct smc_error *error)
{
    const struct smc_query *query = &tune->query;
    struct smc_tune_axis axis;
    for (size_t i = 0; i < USUAL; i++) {
        uint32_t bit = 1u << usual[i].param;
        if (!(query->kernel->params & bit) || query->params.given & bit ||
            is_varied(tune, SMC_TUNE_PARAM, usual[i].param))
            continue;
        set_usual(tune, &usual[i], &axis);
        SMC_TRY(smc_tune_append_axis(tune, &axis, error));
    }
    if (varies_carveout(tune)) {
        set_carveouts(tune, &axis);
        if (axis.count > 1)
            SMC_TRY(smc_tune_append_axis(tune, &axis, error));
    }
    sort_axes(tune);
    if (tune->axis_count == 0)
        return smc_fail(error, SMC_USAGE,
                        "nothing varies: every parameter of %s has a value; --vary NAME=4,8,16 "
                        "gives several",
                        query->kernel->name);
    return SMC_OK;
}

/* --- Shapes ----------------------------------------------------------------------------------- */

void smc_tune_ask(const struct smc_tune *tune, const int64_t *value, struct smc_query *query)
{
    *query = tune->query;
    for (size_t i = 0; i < tune->axis_count; i++) {
        const struct smc_tune_axis *axis = &tune->axis[i];
        if (axis->kind == SMC_TUNE_CARVEOUT)
            query->settings.carveout_percent = (int32_t)value[i];
        if (axis->kind != SMC_TUNE_PARAM)
            continue;
        query->params.value[axis->param] = value[i];
        query->params.given |= 1u << axis->param;
    }
}

static bool kernel_allows(const struct smc_tune *tune, const int64_t *value, struct smc_error *why)
{
    struct smc_query query;
    smc_tune_ask(tune, value, &query);
    return query.kernel->complete(query.kernel, &query.params, why) == SMC_OK;
}

/* The values of combination `index`. */
static void combine(const struct smc_tune *tune, uint64_t index, int64_t *value)
{
    for (size_t i = tune->axis_count; i-- > 0;) {
        value[i] = tune->axis[i].value[index % tune->axis[i].count];
        index /= tune->axis[i].count;
    }
}

static enum smc_status count_combinations(struct smc_tune *tune, struct smc_error *error)
{
    tune->tried = 1;
    for (size_t i = 0; i < tune->axis_count; i++) {
        tune->tried *= tune->axis[i].count; /* at most 128^8 < 2^64 */
        if (tune->tried > SMC_TUNE_MOST_TRIED)
            return smc_fail(error, SMC_USAGE,
                            "more than %d combinations of values: give fewer with --vary NAME=...",
                            SMC_TUNE_MOST_TRIED);
    }
    return SMC_OK;
}

enum smc_status smc_tune_list(struct smc_tune *tune,
                              bool (*is_legal)(const struct smc_tune *tune, const int64_t *value,
                                               struct smc_error *why),
                              struct smc_error *error)
{
    struct smc_error first = {""}, why = {""};
    int64_t value[SMC_TUNE_MOST_AXES] = {0};
    size_t capacity = 0;
    SMC_TRY(count_combinations(tune, error));
    for (uint64_t i = 0; i < tune->tried; i++) {
        combine(tune, i, value);
        if (!(is_legal ? is_legal : kernel_allows)(tune, value, &why)) {
            first = first.message[0] ? first : why;
            continue;
        }
        if (tune->count == SMC_TUNE_MOST_SHAPES)
            return smc_fail(error, SMC_USAGE,
                            "more than %d shapes to compile: give fewer values with --vary "
                            "NAME=...",
                            SMC_TUNE_MOST_SHAPES);
        if (!smc_make_room(&tune->shape, tune->count, &capacity, sizeof *tune->shape))
            return smc_out_of_memory(error);
        struct smc_tune_shape *shape = &tune->shape[tune->count++];
        *shape = (struct smc_tune_shape){.state = SMC_TUNE_WAITING};
        memcpy(shape->value, value, sizeof shape->value);
    }
    if (tune->count > 0)
        return SMC_OK;
    return smc_fail(error, SMC_USAGE, "no combination of the values is legal; the first: %.800s",
                    first.message);
}

void smc_tune_free(struct smc_tune *tune)
{
    free(tune->shape);
    free(tune->order);
    tune->shape = NULL;
    tune->order = NULL;
    tune->count = tune->ranked = 0;
}

/* --- Predictions ------------------------------------------------------------------------------ */

static void append_refusals(const struct smc_answer *answer, struct smc_tune_shape *shape)
{
    size_t used = 0;
    for (int i = 0; i < SMC_REFUSAL_COUNT; i++)
        if (answer->occupancy.refusals & 1u << i && used < sizeof shape->why)
            used += (size_t)snprintf(shape->why + used, sizeof shape->why - used, "%s%s",
                                     used ? "+" : "", smc_refusal_name((enum smc_refusal)i));
    if (used == 0)
        snprintf(shape->why, sizeof shape->why, "%s", smc_outcome_name(answer->outcome));
}

void smc_tune_note(const struct smc_answer *answer, struct smc_tune_shape *shape)
{
    const struct smc_resources *resources = &answer->resources;
    shape->threads_per_block = answer->launch.threads_per_block;
    shape->regs_per_thread = answer->launch.regs_per_thread;
    shape->smem_bytes_per_block =
        answer->launch.static_smem_bytes + answer->launch.dynamic_smem_bytes;
    shape->spill_bytes = resources->spill_store_bytes + resources->spill_load_bytes;
    shape->blocks_per_sm = answer->occupancy.blocks_per_sm;
    shape->smem_configured_bytes = answer->occupancy.smem_configured_bytes;
    shape->percent = answer->occupancy_percent;
    shape->time = answer->time;
    if (answer->outcome != SMC_LAUNCHES) {
        shape->state = SMC_TUNE_REFUSED;
        append_refusals(answer, shape);
    } else if (shape->spill_bytes > 0) {
        shape->state = SMC_TUNE_SPILLS;
        snprintf(shape->why, sizeof shape->why, "%u bytes spilled", shape->spill_bytes);
    } else {
        bool known = answer->time.basis != SMC_TIME_UNKNOWN;
        shape->state = known ? SMC_TUNE_PREDICTED : SMC_TUNE_UNPREDICTED;
        if (!known)
            snprintf(shape->why, sizeof shape->why, "%.199s", answer->time.reason);
    }
}

/* Whether the launch is refused whatever the compiler makes of the kernel. */
static bool is_hopeless(const struct smc_query *query, struct smc_answer *answer)
{
    const struct smc_resources least = {.source = SMC_RESOURCES_NVRTC, .regs_per_thread = 1};
    return smc_query_evaluate(query, &least, answer, NULL, NULL) == SMC_OK &&
           answer->outcome != SMC_LAUNCHES;
}

enum smc_status smc_tune_predict_catalog(const struct smc_tune *tune, struct smc_tune_shape *shape,
                                         struct smc_text *warnings, struct smc_error *error)
{
    struct smc_query query;
    struct smc_error why = {""};
    smc_auto_free struct smc_answer *answer = smc_calloc(1, sizeof *answer);
    if (!answer)
        return smc_out_of_memory(error);
    smc_tune_ask(tune, shape->value, &query);
    enum smc_status status = SMC_OK;
    if (!is_hopeless(&query, answer)) {
        status = smc_query_evaluate(&query, NULL, answer, warnings, &why);
        bool spills = answer->resources.spill_store_bytes || answer->resources.spill_load_bytes;
        if (status == SMC_OK && answer->outcome == SMC_LAUNCHES && !spills)
            status = smc_query_find_time(answer, &why);
    }
    if (status == SMC_OK) {
        smc_tune_note(answer, shape);
    } else {
        shape->state = SMC_TUNE_FAILED;
        shape->failure = status;
        snprintf(shape->why, sizeof shape->why, "%.199s", why.message);
        *error = why;
    }
    return status == SMC_MACHINE ? status : SMC_OK;
}

/* --- All shapes, by all cores ----------------------------------------------------------------- */

static bool is_same_but_carveout(const struct smc_tune *tune, const struct smc_tune_shape *a,
                                 const struct smc_tune_shape *b)
{
    for (size_t i = 0; i < tune->axis_count; i++)
        if (tune->axis[i].kind != SMC_TUNE_CARVEOUT && a->value[i] != b->value[i])
            return false;
    return true;
}

enum { MOST_THREADS = 64 };

struct tune_shared {
    struct smc_tune *tune;
    const struct smc_tune_watcher *watcher;
    atomic_size_t next, done;
    atomic_bool failed;
};

struct tune_worker {
    pthread_t thread;
    struct tune_shared *shared;
    bool reports; /* progress: the calling thread */
    struct smc_text warnings;
    enum smc_status status;
    struct smc_error error;
};

/* False: it failed, or the search ends. */
static bool predict_shape(struct tune_worker *worker, size_t index)
{
    struct tune_shared *shared = worker->shared;
    struct smc_tune *tune = shared->tune;
    if (shared->failed || (shared->watcher->stop && shared->watcher->stop()))
        return false;
    worker->status = tune->predict(tune, &tune->shape[index], &worker->warnings, &worker->error);
    if (worker->status != SMC_OK)
        shared->failed = true;
    else if (index == 0)
        tune->first_failure = worker->error;
    size_t done = atomic_fetch_add(&shared->done, 1) + 1;
    if (worker->reports && shared->watcher->step)
        shared->watcher->step(shared->watcher->context, done);
    return worker->status == SMC_OK;
}

/* One thread predicts neighbours that are compiled to the same code, which others would wait for.
 */
static void *tune_work(void *argument)
{
    struct tune_worker *worker = argument;
    const struct smc_tune *tune = worker->shared->tune;
    const struct smc_tune_shape *shape = tune->shape;
    bool goes_on = true;
    while (goes_on) {
        size_t i = atomic_fetch_add(&worker->shared->next, 1);
        if (i >= tune->count)
            return NULL;
        if (i > 0 && is_same_but_carveout(tune, &shape[i - 1], &shape[i]))
            continue;
        do
            goes_on = predict_shape(worker, i++);
        while (goes_on && i < tune->count && is_same_but_carveout(tune, &shape[i - 1], &shape[i]));
    }
    return NULL;
}

static size_t tune_thread_count(size_t shapes)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : (size_t)cores;
    return count < shapes ? count : shapes;
}

static enum smc_status tune_predict_all(struct smc_tune *tune,
                                        const struct smc_tune_watcher *watcher,
                                        struct smc_text *warnings, struct smc_error *error)
{
    struct tune_worker workers[MOST_THREADS] = {{.reports = true}};
    struct tune_shared shared = {.tune = tune, .watcher = watcher};
    size_t threads = tune_thread_count(tune->count), started = 1;
    enum smc_status status = SMC_OK;
    sigset_t mask;
    workers[0].shared = &shared;
    smc_signals_divert(&mask);
    for (; started < threads; started++) {
        workers[started].shared = &shared;
        if (pthread_create(&workers[started].thread, NULL, tune_work, &workers[started]) != 0)
            break; /* fewer threads: the result is the same */
    }
    tune_work(&workers[0]);
    for (size_t i = 1; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    smc_signals_undivert(&mask);
    for (size_t i = 0; i < started; i++) {
        if (workers[i].status != SMC_OK && status == SMC_OK) {
            status = workers[i].status;
            *error = workers[i].error;
        }
        smc_text_move_new(&workers[i].warnings, warnings);
    }
    tune->incomplete = shared.done < tune->count;
    return status;
}

/* --- Ranks ------------------------------------------------------------------------------------ */

static bool is_launchable(const struct smc_tune_shape *shape)
{
    return shape->state == SMC_TUNE_PREDICTED || shape->state == SMC_TUNE_REPEATED ||
           shape->state == SMC_TUNE_UNPREDICTED;
}

static bool has_same_prediction(const struct smc_tune_shape *a, const struct smc_tune_shape *b)
{
    return a->state == SMC_TUNE_PREDICTED && b->state == SMC_TUNE_PREDICTED &&
           a->blocks_per_sm == b->blocks_per_sm && a->time.predicted_ms == b->time.predicted_ms;
}

/* A carve-out too small for one block is raised: then several percentages are one launch. Others
   change nothing that the model knows: they are worth less than other shapes. */
static void drop_repeated(struct smc_tune *tune)
{
    if (!is_varied(tune, SMC_TUNE_CARVEOUT, SMC_PARAM_COUNT))
        return;
    for (size_t i = 0; i < tune->count; i++) {
        struct smc_tune_shape *shape = &tune->shape[i];
        size_t from = i > SMC_TUNE_MOST_VALUES ? i - SMC_TUNE_MOST_VALUES : 0;
        for (size_t k = from; k < i && is_launchable(shape); k++) {
            const struct smc_tune_shape *other = &tune->shape[k];
            if (!is_launchable(other) || !is_same_but_carveout(tune, other, shape))
                continue;
            if (other->smem_configured_bytes == shape->smem_configured_bytes)
                shape->state = SMC_TUNE_SAME;
            else if (has_same_prediction(other, shape))
                shape->state = SMC_TUNE_REPEATED;
        }
    }
}

/* Equal times keep the order of the values: shapes are elements of one array. */
static int compare_shapes(const void *left, const void *right)
{
    const struct smc_tune_shape *a = *(struct smc_tune_shape *const *)left;
    const struct smc_tune_shape *b = *(struct smc_tune_shape *const *)right;
    int order = (int)a->state - (int)b->state;
    if (order == 0 && a->state != SMC_TUNE_UNPREDICTED)
        order = smc_compare_reals(a->time.predicted_ms, b->time.predicted_ms);
    else if (order == 0)
        order = smc_compare_reals(b->percent, a->percent);
    return order ? order : (a > b) - (a < b);
}

/* The hash of the shape's values, without those of one axis. */
static uint64_t hash_values(const struct smc_tune_shape *shape, size_t without)
{
    int64_t value[SMC_TUNE_MOST_AXES];
    memcpy(value, shape->value, sizeof value);
    value[without] = 0;
    return smc_hash(SMC_HASH_START, value, sizeof value);
}

/* Whether shapes that differ in this axis alone are the same launch of the same code. */
static bool changes_nothing(const struct smc_tune *tune, size_t axis, struct smc_hashed *sorted)
{
    size_t pairs = 0;
    for (size_t i = 0; i < tune->count; i++)
        sorted[i] = (struct smc_hashed){hash_values(&tune->shape[i], axis), i};
    qsort(sorted, tune->count, sizeof *sorted, smc_compare_hashed);
    for (size_t i = 1; i < tune->count; i++) {
        const uint64_t launch = tune->shape[sorted[i].index].launch_hash;
        if (sorted[i].hash != sorted[i - 1].hash)
            continue;
        if (launch != tune->shape[sorted[i - 1].index].launch_hash)
            return false;
        pairs += launch != 0;
    }
    return pairs > 0;
}

/* Launches of the user's source that do not differ are ranked once: the first of them. */
static enum smc_status drop_same_launches(struct smc_tune *tune, struct smc_text *warnings,
                                          struct smc_error *error)
{
    smc_auto_free struct smc_hashed *sorted = smc_calloc(tune->count + 1, sizeof *sorted);
    if (!sorted)
        return smc_out_of_memory(error);
    for (size_t i = 0; i < tune->axis_count; i++)
        if (changes_nothing(tune, i, sorted))
            smc_warn(warnings, "option --vary: '%s' changes neither the code nor the launch",
                     tune->axis[i].name);
    for (size_t i = 0; i < tune->count; i++)
        sorted[i] = (struct smc_hashed){tune->shape[i].launch_hash, i};
    qsort(sorted, tune->count, sizeof *sorted, smc_compare_hashed);
    for (size_t i = 1; i < tune->count; i++)
        if (sorted[i].hash != 0 && sorted[i].hash == sorted[i - 1].hash)
            tune->shape[sorted[i].index].state = SMC_TUNE_SAME;
    return SMC_OK;
}

static enum smc_status rank_shapes(struct smc_tune *tune, struct smc_error *error)
{
    smc_auto_free struct smc_tune_shape **sorted = smc_calloc(tune->count + 1, sizeof *sorted);
    free(tune->order);
    tune->order = smc_calloc(tune->count + 1, sizeof *tune->order);
    tune->ranked = 0;
    if (!sorted || !tune->order)
        return smc_out_of_memory(error);
    drop_repeated(tune);
    for (size_t i = 0; i < tune->count; i++) {
        tune->shape[i].rank = 0;
        if (is_launchable(&tune->shape[i]))
            sorted[tune->ranked++] = &tune->shape[i];
    }
    qsort(sorted, tune->ranked, sizeof *sorted, compare_shapes);
    for (size_t i = 0; i < tune->ranked; i++) {
        sorted[i]->rank = i + 1;
        tune->order[i] = (size_t)(sorted[i] - tune->shape);
    }
    return SMC_OK;
}

/* No shape compiled: most often for one reason, such as a missing compiler or a wrong argument. */
static enum smc_status check_compiled(const struct smc_tune *tune, struct smc_error *error)
{
    size_t failed = smc_tune_state_count(tune, SMC_TUNE_FAILED), alike = 0;
    if (failed == 0 || failed < tune->count)
        return SMC_OK;
    for (size_t i = 0; i < tune->count; i++)
        alike += strcmp(tune->shape[i].why, tune->shape[0].why) == 0;
    if (alike == tune->count)
        return smc_fail(error, tune->shape[0].failure, "%s", tune->first_failure.message);
    return smc_fail(error, tune->shape[0].failure, "none of %zu shapes compiles; the first: %.900s",
                    tune->count, tune->first_failure.message);
}

/* Which shapes access memory that the user did not give. */
static void warn_of_outside(const struct smc_tune *tune, struct smc_text *warnings)
{
    size_t count = 0, first = 0;
    smc_auto_text values = {0};
    for (size_t i = tune->count; i-- > 0;)
        if (is_launchable(&tune->shape[i]) && tune->shape[i].time.outside_arrays)
            count++, first = i;
    for (size_t i = 0; i < tune->axis_count && count > 0; i++)
        smc_text_printf(&values, " %s=%" PRId64, tune->axis[i].name, tune->shape[first].value[i]);
    if (count > 1)
        smc_text_printf(&values, " and %zu other shape%s", count - 1, smc_text_plural(count - 1));
    if (count > 0)
        smc_warn(warnings,
                 "accesses lie outside the arrays given with%s: run --on emulator names them",
                 smc_text_string(&values));
}

enum smc_status smc_tune_predict(struct smc_tune *tune, const struct smc_tune_watcher *watcher,
                                 struct smc_text *warnings, struct smc_error *error)
{
    SMC_TRY(tune_predict_all(tune, watcher, warnings, error));
    SMC_TRY(check_compiled(tune, error));
    if (tune->source)
        SMC_TRY(drop_same_launches(tune, warnings, error));
    SMC_TRY(rank_shapes(tune, error));
    warn_of_outside(tune, warnings);
    return SMC_OK;
}

/* --- Which shape to run ----------------------------------------------------------------------- */

/* What is expected of the logarithms before anything is measured: how far the factor of all
   predictions, those of single values, and what these do not explain are from 0. */
static const double common_spread = 0.1, effect_spread = 0.15, residue_spread = 0.05;

enum { SWEEPS = 50 };

static double ridge(double spread)
{
    return residue_spread * residue_spread / (spread * spread);
}

static size_t position_of(const struct smc_tune_axis *axis, int64_t value)
{
    size_t i = 0;
    while (i + 1 < axis->count && axis->value[i] != value)
        i++;
    return i;
}

/* The logarithm of the factor that a shape's prediction is corrected by. */
static double correction_of(const struct smc_tune *tune, const struct smc_tune_shape *shape)
{
    double sum = tune->common;
    for (size_t i = 0; i < tune->axis_count; i++)
        sum += tune->effect[i][position_of(&tune->axis[i], shape->value[i])];
    return sum;
}

static bool teaches(const struct smc_tune_shape *shape)
{
    return shape->measured && !shape->wrong && shape->time.basis != SMC_TIME_UNKNOWN &&
           shape->time.predicted_ms > 0 && shape->median_ms > 0;
}

/* What the corrections leave unexplained of a measured shape. */
static double residue_of(const struct smc_tune *tune, const struct smc_tune_shape *shape)
{
    return log(shape->median_ms / shape->time.predicted_ms) - correction_of(tune, shape);
}

static void fit_common(struct smc_tune *tune)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < tune->count; i++)
        if (teaches(&tune->shape[i])) {
            sum += residue_of(tune, &tune->shape[i]);
            count++;
        }
    tune->common = (sum + count * tune->common) / (count + ridge(common_spread));
}

static void fit_axis(struct smc_tune *tune, size_t axis)
{
    double sum[SMC_TUNE_MOST_VALUES] = {0}, count[SMC_TUNE_MOST_VALUES] = {0};
    for (size_t i = 0; i < tune->count; i++) {
        const struct smc_tune_shape *shape = &tune->shape[i];
        size_t position = position_of(&tune->axis[axis], shape->value[axis]);
        if (!teaches(shape))
            continue;
        sum[position] += residue_of(tune, shape);
        count[position]++;
    }
    for (size_t k = 0; k < tune->axis[axis].count; k++) {
        double *effect = &tune->effect[axis][k];
        *effect = (sum[k] + count[k] * *effect) / (count[k] + ridge(effect_spread));
    }
}

/* One unknown after the other, until they settle. */
void smc_tune_learn(struct smc_tune *tune)
{
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        fit_common(tune);
        for (size_t i = 0; i < tune->axis_count; i++)
            fit_axis(tune, i);
    }
}

static double expected_ms(const struct smc_tune *tune, const struct smc_tune_shape *shape)
{
    return shape->time.predicted_ms * exp(correction_of(tune, shape));
}

struct smc_tune_shape *smc_tune_next(const struct smc_tune *tune)
{
    struct smc_tune_shape *next = NULL;
    for (size_t i = 0; i < tune->ranked; i++) {
        struct smc_tune_shape *shape = &tune->shape[tune->order[i]];
        if (shape->tried)
            continue;
        bool comparable = next && shape->state == next->state &&
                          shape->time.basis != SMC_TIME_UNKNOWN; /* else by rank */
        if (!next || (comparable && expected_ms(tune, shape) < expected_ms(tune, next)))
            next = shape;
    }
    return next;
}

/* --- What follows from the measurements ------------------------------------------------------- */

const struct smc_tune_shape *smc_tune_fastest(const struct smc_tune *tune, size_t runs)
{
    const struct smc_tune_shape *best = NULL;
    for (size_t i = 0; i < tune->count; i++) {
        const struct smc_tune_shape *shape = &tune->shape[i];
        bool counts = shape->measured && !shape->wrong && shape->turn <= runs;
        if (counts && (!best || shape->median_ms < best->median_ms))
            best = shape;
    }
    return best;
}

const struct smc_tune_shape *smc_tune_winner(const struct smc_tune *tune)
{
    return smc_tune_fastest(tune, SIZE_MAX);
}

size_t smc_tune_run_count(const struct smc_tune *tune)
{
    size_t count = 0;
    for (size_t i = 0; i < tune->count; i++)
        count += tune->shape[i].tried;
    return count;
}

size_t smc_tune_state_count(const struct smc_tune *tune, enum smc_tune_state state)
{
    size_t count = 0;
    for (size_t i = 0; i < tune->count; i++)
        count += tune->shape[i].state == state;
    return count;
}

bool smc_tune_is_exhaustive(const struct smc_tune *tune)
{
    return tune->ranked > 0 && !tune->incomplete && smc_tune_run_count(tune) == tune->ranked;
}

double smc_tune_regret(const struct smc_tune *tune, size_t runs)
{
    const struct smc_tune_shape *best = smc_tune_winner(tune);
    const struct smc_tune_shape *first = smc_tune_fastest(tune, runs);
    return best && first ? first->median_ms / best->median_ms - 1 : -1;
}

bool smc_tune_errors(const struct smc_tune *tune, double *mean, double *worst)
{
    size_t count = 0;
    double sum = 0;
    *worst = 0;
    for (size_t i = 0; i < tune->count; i++) {
        const struct smc_tune_shape *shape = &tune->shape[i];
        if (!shape->measured || shape->time.basis == SMC_TIME_UNKNOWN || shape->median_ms <= 0)
            continue;
        double error = shape->time.predicted_ms / shape->median_ms - 1;
        error = error < 0 ? -error : error;
        *worst = error > *worst ? error : *worst;
        sum += error;
        count++;
    }
    *mean = count ? sum / (double)count : 0;
    return count > 0;
}
