/* What a person sets in the explorer: how a field changes, by a step or as typed. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "base/suggest.h"
#include "tui/field_numbers.h"

static int64_t clamp(int64_t value, int64_t lowest, int64_t highest)
{
    return value < lowest ? lowest : value > highest ? highest : value;
}

/* --- Steps --- */

/* The next board of the table; from a device that is not in it, the first or the last. */
static void step_device(struct smc_query *query, int by)
{
    int64_t count = (int64_t)smc_device_count(), at = by > 0 ? -1 : count, next;
    for (int64_t i = 0; i < count; i++) {
        struct smc_device device;
        smc_device_at((size_t)i, &device);
        if (smc_field_is_device(&device, &query->device))
            at = i;
    }
    next = clamp(at + by, 0, count - 1);
    if (next == at)
        return;
    smc_device_at((size_t)next, &query->device);
    query->device_assumed = false;
    query->device_note[0] = '\0';
}

/* Behind the catalog's last comes a person's own. */
static void step_kernel(struct smc_query *query, int by)
{
    int64_t count = (int64_t)smc_kernel_count(), at = count;
    for (int64_t i = 0; i < count; i++)
        if (smc_kernel_at((size_t)i) == query->kernel)
            at = i;
    at = clamp(at + by, 0, count);
    smc_field_set_kernel(query, at < count ? smc_kernel_at((size_t)at) : NULL);
}

static void step_dtype(struct smc_query *query, int direction)
{
    int64_t value = query->params.value[SMC_PARAM_DTYPE];
    do
        value += direction;
    while (value >= 0 && value < SMC_DTYPE_COUNT && !(query->kernel->dtypes >> value & 1));
    if (value >= 0 && value < SMC_DTYPE_COUNT)
        smc_field_set_number(query, smc_field_of_param(SMC_PARAM_DTYPE), value);
}

/* The next multiple of the step, so that the first key from 250 threads leads to 256. */
static int64_t next_multiple(int64_t value, int64_t step, int direction)
{
    if (value < 0) /* the driver's own carve-out lies below 0 % */
        return 0;
    int64_t below = value / step * step;
    return direction > 0 ? below + step : below == value ? below - step : below;
}

static int64_t stepped(const struct smc_field_range *range, int64_t value, int direction, bool far)
{
    if (far && range->far == 0) /* a size: doubled or halved */
        return direction > 0 ? (value > range->highest / 2 ? range->highest : 2 * value + !value)
                             : value / 2;
    return next_multiple(value, far ? range->far : range->step, direction);
}

void smc_field_step(struct smc_query *query, const struct smc_answer *answer, enum smc_field field,
                    int direction, bool far)
{
    enum { FAR_DEVICES = 10 };
    if (field == SMC_FIELD_DEVICE) {
        step_device(query, far ? FAR_DEVICES * direction : direction);
    } else if (field == SMC_FIELD_KERNEL) {
        step_kernel(query, direction);
    } else if (field == smc_field_of_param(SMC_PARAM_DTYPE)) {
        step_dtype(query, direction);
    } else if (field == SMC_FIELD_CARVEOUT && direction < 0 &&
               query->settings.carveout_percent <= 0) {
        query->settings.carveout_percent = SMC_CARVEOUT_DEFAULT; /* below 0 %: the driver's */
    } else {
        struct smc_field_range range = smc_field_range(query, field);
        int64_t value = stepped(&range, smc_field_number(query, answer, field), direction, far);
        smc_field_set_number(query, field, clamp(value, range.lowest, range.highest));
    }
}

/* --- Typing --- */

static enum smc_status type_device(struct smc_query *query, const char *typed,
                                   struct smc_error *error)
{
    struct smc_device device;
    char note[sizeof query->device_note];
    enum smc_status status = smc_device_find(typed, &device, note, error);
    if (status != SMC_OK)
        return status;
    query->device = device;
    query->device_assumed = false;
    memcpy(query->device_note, note, sizeof note);
    return SMC_OK;
}

static enum smc_status type_kernel(struct smc_query *query, const char *typed,
                                   struct smc_error *error)
{
    if (strncmp(typed, "your own", 8) == 0 || strcmp(typed, "own") == 0) {
        smc_field_set_kernel(query, NULL);
        return SMC_OK;
    }
    const struct smc_kernel *kernel = smc_kernel_find(typed);
    if (kernel) {
        smc_field_set_kernel(query, kernel);
        return SMC_OK;
    }
    struct smc_suggestion suggestion = {.typed = typed};
    for (size_t i = 0; i < smc_kernel_count(); i++)
        smc_suggest_consider(&suggestion, smc_kernel_at(i)->name);
    if (suggestion.best)
        return smc_fail(error, SMC_USAGE, "kernel: '%.64s' is unknown; did you mean '%s'?", typed,
                        suggestion.best);
    return smc_fail(error, SMC_USAGE,
                    "kernel: '%.64s' is unknown; the arrows lead through all of them, and to your "
                    "own",
                    typed);
}

static enum smc_status type_dtype(struct smc_query *query, const char *typed,
                                  struct smc_error *error)
{
    enum smc_dtype dtype;
    if (!smc_dtype_parse(typed, &dtype) || !(query->kernel->dtypes >> dtype & 1)) {
        char hint[128];
        smc_field_hint(query, smc_field_of_param(SMC_PARAM_DTYPE), hint);
        return smc_fail(error, SMC_USAGE, "type: '%.64s' is none of %s", typed, hint);
    }
    smc_field_set_number(query, smc_field_of_param(SMC_PARAM_DTYPE), dtype);
    return SMC_OK;
}

static bool parse_number(const struct smc_field_range *range, const char *typed, int64_t *value)
{
    uint64_t bytes;
    if (!range->bytes)
        return smc_parse_integer(typed, range->lowest, range->highest, value);
    if (!smc_parse_size(typed, (uint64_t)range->highest, &bytes))
        return false;
    *value = (int64_t)bytes;
    return *value >= range->lowest;
}

enum smc_status smc_field_type(struct smc_query *query, enum smc_field field, const char *typed,
                               struct smc_error *error)
{
    if (field == SMC_FIELD_DEVICE)
        return type_device(query, typed, error);
    if (field == SMC_FIELD_KERNEL)
        return type_kernel(query, typed, error);
    if (field == smc_field_of_param(SMC_PARAM_DTYPE))
        return type_dtype(query, typed, error);
    struct smc_field_range range = smc_field_range(query, field);
    int64_t value;
    if (!parse_number(&range, typed, &value)) {
        char hint[128];
        smc_field_hint(query, field, hint);
        return smc_fail(error, SMC_USAGE, "%s: '%.64s' is not %s", smc_field_label(field), typed,
                        hint);
    }
    smc_field_set_number(query, field, value);
    return SMC_OK;
}

void smc_field_hint(const struct smc_query *query, enum smc_field field, char hint[128])
{
    if (field == SMC_FIELD_DEVICE) {
        snprintf(hint, 128, "a board (RTX 4090) or a compute capability (9.0)");
    } else if (field == SMC_FIELD_KERNEL) {
        snprintf(hint, 128, "a kernel of the catalog, or own");
    } else if (field == smc_field_of_param(SMC_PARAM_DTYPE)) {
        int length = 0;
        for (int i = 0; i < SMC_DTYPE_COUNT; i++)
            if (query->kernel->dtypes >> i & 1)
                length += snprintf(hint + length, 128 - (size_t)length, "%s%s", length ? ", " : "",
                                   smc_dtype_name((enum smc_dtype)i));
    } else {
        struct smc_field_range range = smc_field_range(query, field);
        snprintf(hint, 128, "between %" PRId64 " and %" PRId64 "%s", range.lowest, range.highest,
                 range.bytes ? " bytes (48K may be typed)" : "");
    }
}

void smc_field_reset(struct smc_query *query, enum smc_field field)
{
    if (smc_field_is_param(field)) {
        enum smc_param param = smc_field_param(field);
        struct smc_params fresh;
        smc_params_init(query->kernel, &fresh);
        query->params.value[param] = fresh.value[param];
        query->params.given &= ~(1u << param);
    } else if (field == SMC_FIELD_CARVEOUT) {
        query->settings.carveout_percent = SMC_CARVEOUT_DEFAULT;
    } else if (field == SMC_FIELD_CLUSTER) {
        query->settings.blocks_per_cluster = 1;
    } else if (field != SMC_FIELD_DEVICE && field != SMC_FIELD_KERNEL &&
               field != SMC_FIELD_THREADS) {
        smc_field_set_number(query, field, SMC_NOT_GIVEN);
    }
}

/* A person's own kernel begins as the launch that was looked at. */
static void become_own(struct smc_query *query)
{
    enum { REGS = 32 };
    struct smc_params params = query->params;
    struct smc_plan plan;
    if (query->kernel->complete(query->kernel, &params, NULL) != SMC_OK) {
        smc_params_init(query->kernel, &params);
        query->kernel->complete(query->kernel, &params, NULL);
    }
    query->kernel->plan(query->kernel, &params, &plan);
    query->threads_per_block = plan.threads_per_block;
    if (query->regs_per_thread == SMC_NOT_GIVEN)
        query->regs_per_thread = REGS;
    if (query->static_smem_bytes == SMC_NOT_GIVEN && plan.static_smem_bytes > 0)
        query->static_smem_bytes = (int64_t)plan.static_smem_bytes;
    if (query->dynamic_smem_bytes == SMC_NOT_GIVEN && plan.dynamic_smem_bytes > 0)
        query->dynamic_smem_bytes = (int64_t)plan.dynamic_smem_bytes;
    query->kernel = NULL;
}

void smc_field_set_kernel(struct smc_query *query, const struct smc_kernel *kernel)
{
    const struct smc_params before = query->params;
    const struct smc_kernel *old = query->kernel;
    if (kernel == old)
        return;
    if (!kernel) {
        become_own(query);
        return;
    }
    query->kernel = kernel;
    if (!old) { /* the numbers described a person's own kernel */
        query->regs_per_thread = query->static_smem_bytes = query->dynamic_smem_bytes =
            SMC_NOT_GIVEN;
        query->threads_per_block = query->grid_blocks = SMC_NOT_GIVEN;
    }
    smc_params_init(kernel, &query->params);
    for (int i = 0; old && i < SMC_PARAM_COUNT; i++) {
        bool fits = i != SMC_PARAM_DTYPE || kernel->dtypes >> before.value[i] & 1;
        if (before.given & old->params & kernel->params & 1u << i && fits)
            smc_field_set_number(query, smc_field_of_param((enum smc_param)i), before.value[i]);
    }
}
