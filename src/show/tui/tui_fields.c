/* What can be set in the explorer: which fields there are, what they show, and how they change, by
   a step or as typed. */
#include "show/tui/tui_fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "rules/allocation.h"

/* Of the fields after the parameters. */
static const struct field_info {
    const char *label;
    const char *unit;
    const char *absent; /* what is shown if it was not given; NULL: the kernel's number */
    int64_t not_given;  /* its value in a query that was not given it */
} field_info[SMC_FIELD_COUNT] = {
#define FIELD(id, label) [SMC_FIELD_##id] = {label, "", NULL, 0},
#include "show/tui/tui_fields.def"
#define FIELD_AFTER(id, label, unit, absent, not_given)                                            \
    [SMC_FIELD_##id] = {label, unit, absent, not_given},
#include "show/tui/tui_fields.def"
};

/* --- Which fields --- */

enum smc_field smc_field_of_param(enum smc_param param)
{
    return (enum smc_field)(SMC_FIELD_FIRST_PARAM + (int)param);
}

bool smc_field_is_param(enum smc_field field)
{
    return field >= SMC_FIELD_FIRST_PARAM && field <= SMC_FIELD_LAST_PARAM;
}

enum smc_param smc_field_param(enum smc_field field)
{
    return (enum smc_param)((int)field - SMC_FIELD_FIRST_PARAM);
}

bool smc_field_is_size(enum smc_field field)
{
    return field >= smc_field_of_param(SMC_PARAM_M) &&
           field <= smc_field_of_param(SMC_PARAM_LENGTH);
}

const char *smc_field_label(enum smc_field field)
{
    if (field == smc_field_of_param(SMC_PARAM_DTYPE))
        return "type";
    return smc_field_is_param(field) ? smc_param_info[smc_field_param(field)].option
                                     : field_info[field].label;
}

static bool tui_fields_applies(const struct smc_query *query, enum smc_field field)
{
    const struct smc_sm *sm = &query->device.sm;
    if (smc_field_is_param(field))
        return query->kernel && query->kernel->params & 1u << smc_field_param(field);
    switch (field) {
    case SMC_FIELD_THREADS:
    case SMC_FIELD_GRID:
        return !query->kernel;
    case SMC_FIELD_CARVEOUT: /* a value that was given is shown on any device */
        return sm->smem_carveout_count > 1 || smc_field_given(query, field);
    case SMC_FIELD_SMEM_MODE:
        return sm->smem_oversized_per_sm_bytes > 0 || smc_field_given(query, field);
    case SMC_FIELD_CLUSTER:
        return sm->cluster_max_nonportable > 0 || smc_field_given(query, field);
    default:
        return true;
    }
}

size_t smc_fields_shown(const struct smc_query *query, enum smc_field list[SMC_FIELD_COUNT])
{
    size_t count = 0;
    for (int last = 0; last <= 1; last++)
        for (int field = 0; field < SMC_FIELD_COUNT; field++)
            if (tui_fields_applies(query, (enum smc_field)field) &&
                smc_field_is_size((enum smc_field)field) == last)
                list[count++] = (enum smc_field)field;
    return count;
}

/* --- Numbers --- */

/* The query's member that holds a number; NULL for settings and the other fields. */
static int64_t *tui_fields_place_of(struct smc_query *query, enum smc_field field)
{
    switch (field) {
    case SMC_FIELD_THREADS:
        return &query->threads_per_block;
    case SMC_FIELD_GRID:
        return &query->grid_blocks;
    case SMC_FIELD_REGS:
        return &query->regs_per_thread;
    case SMC_FIELD_STATIC_SMEM:
        return &query->static_smem_bytes;
    case SMC_FIELD_DYNAMIC_SMEM:
        return &query->dynamic_smem_bytes;
    case SMC_FIELD_BARRIERS:
        return &query->barriers_per_block;
    default:
        return smc_field_is_param(field) ? &query->params.value[smc_field_param(field)] : NULL;
    }
}

static int64_t number_in(const struct smc_query *query, enum smc_field field)
{
    switch (field) {
    case SMC_FIELD_CARVEOUT:
        return query->settings.carveout_percent;
    case SMC_FIELD_SMEM_MODE:
        return query->settings.smem_mode;
    case SMC_FIELD_CLUSTER: /* 0 and 1 both mean none */
        return query->settings.blocks_per_cluster ? query->settings.blocks_per_cluster : 1;
    default:
        return *tui_fields_place_of((struct smc_query *)query, field);
    }
}

bool smc_field_given(const struct smc_query *query, enum smc_field field)
{
    if (field == SMC_FIELD_DEVICE)
        return !query->device_assumed;
    if (field == SMC_FIELD_KERNEL)
        return true;
    if (smc_field_is_param(field))
        return query->params.given & 1u << smc_field_param(field);
    return number_in(query, field) != field_info[field].not_given;
}

bool smc_field_is_device(const struct smc_device *a, const struct smc_device *b)
{
    return a->source == b->source && a->sm.cc == b->sm.cc && a->sm_count == b->sm_count &&
           a->gpu_index == b->gpu_index && strcmp(a->name, b->name) == 0 &&
           strcmp(a->chip, b->chip) == 0;
}

/* Of a block or a grid whose shape is known. */
static bool find_edges(const struct smc_query *query, enum smc_field field, uint32_t edge[3])
{
    const uint64_t y = query->grid_y, z = query->grid_z;
    if (field == SMC_FIELD_THREADS) {
        memcpy(edge, query->block, sizeof query->block);
        return (uint64_t)edge[0] * edge[1] * edge[2] == (uint64_t)query->threads_per_block;
    }
    if (field != SMC_FIELD_GRID || y * z == 0 || query->grid_blocks == SMC_NOT_GIVEN)
        return false;
    edge[0] = (uint32_t)((uint64_t)query->grid_blocks / y / z);
    edge[1] = query->grid_y;
    edge[2] = query->grid_z;
    return true;
}

void smc_field_write_shape(const struct smc_query *query, enum smc_field field, char text[48])
{
    uint32_t edge[3];
    if (!find_edges(query, field, edge) || (edge[1] == 1 && edge[2] == 1))
        snprintf(text, 48, "%" PRId64, number_in(query, field));
    else if (edge[2] == 1)
        snprintf(text, 48, "%" PRIu32 "x%" PRIu32, edge[0], edge[1]);
    else
        snprintf(text, 48, "%" PRIu32 "x%" PRIu32 "x%" PRIu32, edge[0], edge[1], edge[2]);
}

bool smc_field_equal(const struct smc_query *a, const struct smc_query *b, enum smc_field field)
{
    bool given = smc_field_given(a, field);
    uint32_t edge[2][3] = {{0}};
    return given == smc_field_given(b, field) &&
           (!given || number_in(a, field) == number_in(b, field)) &&
           find_edges(a, field, edge[0]) == find_edges(b, field, edge[1]) &&
           memcmp(edge[0], edge[1], sizeof edge[0]) == 0;
}

bool smc_fields_equal(const struct smc_query *a, const struct smc_query *b)
{
    bool equal = a->kernel == b->kernel && a->file_kernel == b->file_kernel &&
                 a->device_assumed == b->device_assumed &&
                 smc_field_is_device(&a->device, &b->device);
    for (int i = 0; i < SMC_FIELD_COUNT && equal; i++) {
        enum smc_field field = (enum smc_field)i;
        if (field != SMC_FIELD_DEVICE && field != SMC_FIELD_KERNEL)
            equal = smc_field_equal(a, b, field);
    }
    return equal;
}

static struct smc_field_range param_range(const struct smc_query *query, enum smc_param param)
{
    enum { DOUBLES = -1 };
    const struct smc_param_info *info = &smc_param_info[param];
    const int64_t unit = query->device.sm.smem_alloc_unit_bytes, warp = query->device.sm.warp_size;
    const struct {
        int64_t step, far; /* 0: 1 and 8 */
    } steps[SMC_PARAM_COUNT] = {
        [SMC_PARAM_STATIC_BYTES] = {unit, 4096},
        [SMC_PARAM_BLOCK] = {warp, 4 * warp},
        [SMC_PARAM_BLOCK_M] = {32, 64},
        [SMC_PARAM_BLOCK_N] = {32, 64},
        [SMC_PARAM_BLOCK_K] = {2, 0},
        [SMC_PARAM_THREAD_M] = {4, 0},
        [SMC_PARAM_THREAD_N] = {4, 0},
        [SMC_PARAM_LDA] = {0, 32},
        [SMC_PARAM_LDB] = {0, 32},
        [SMC_PARAM_LDC] = {0, 32},
        [SMC_PARAM_RADIUS] = {0, DOUBLES},
        [SMC_PARAM_M] = {0, DOUBLES},
        [SMC_PARAM_N] = {0, DOUBLES},
        [SMC_PARAM_K] = {0, DOUBLES},
        [SMC_PARAM_LENGTH] = {0, DOUBLES},
    };
    const int64_t step = steps[param].step, far = steps[param].far;
    return (struct smc_field_range){info->lowest, info->highest, step ? step : 1,
                                    far == DOUBLES ? 0
                                    : far          ? far
                                                   : 8,
                                    param == SMC_PARAM_STATIC_BYTES};
}

struct smc_field_range smc_field_range(const struct smc_query *query, enum smc_field field)
{
    const struct smc_sm *sm = &query->device.sm;
    if (smc_field_is_param(field))
        return param_range(query, smc_field_param(field));
    const uint32_t unit = sm->smem_alloc_unit_bytes;
    const struct smc_field_range ranges[SMC_FIELD_COUNT] = {
        [SMC_FIELD_THREADS] = {1, sm->max_threads_per_block, sm->warp_size,
                               (int64_t)4 * sm->warp_size, false},
        [SMC_FIELD_GRID] = {1, INT32_MAX, 1, 0, false},
        [SMC_FIELD_REGS] = {1, sm->max_regs_per_thread, 1, 8, false},
        [SMC_FIELD_STATIC_SMEM] = {0, sm->smem_per_block_default_bytes, unit, 4096, true},
        [SMC_FIELD_DYNAMIC_SMEM] = {0, smc_smem_most_per_block(sm, &query->settings), unit, 4096,
                                    true},
        [SMC_FIELD_CARVEOUT] = {0, 100, 5, 25, false},
        [SMC_FIELD_SMEM_MODE] = {0, SMC_SMEM_MODE_COUNT - 1, 1, 1, false},
        [SMC_FIELD_BARRIERS] = {0, sm->named_barriers_per_block, 1, 4, false},
        [SMC_FIELD_CLUSTER] = {1, sm->cluster_max_nonportable ? sm->cluster_max_nonportable : 1, 1,
                               0, false},
    };
    return ranges[field];
}

int64_t smc_field_number(const struct smc_query *query, const struct smc_answer *answer,
                         enum smc_field field)
{
    const struct smc_launch *launch = &answer->launch;
    if (smc_field_is_param(field))
        return answer->query.params.value[smc_field_param(field)];
    if (smc_field_given(query, field))
        return number_in(query, field);
    const int64_t numbers[SMC_FIELD_COUNT] = {
        [SMC_FIELD_THREADS] = launch->threads_per_block,
        [SMC_FIELD_REGS] = launch->regs_per_thread,
        [SMC_FIELD_STATIC_SMEM] = launch->static_smem_bytes,
        [SMC_FIELD_DYNAMIC_SMEM] = launch->dynamic_smem_bytes,
        [SMC_FIELD_BARRIERS] = launch->barriers_per_block,
        [SMC_FIELD_CARVEOUT] = field_info[SMC_FIELD_CARVEOUT].not_given,
        [SMC_FIELD_CLUSTER] = field_info[SMC_FIELD_CLUSTER].not_given,
    };
    return numbers[field];
}

void smc_field_set_number(struct smc_query *query, enum smc_field field, int64_t value)
{
    if (field == SMC_FIELD_CARVEOUT)
        query->settings.carveout_percent = (int32_t)value;
    else if (field == SMC_FIELD_SMEM_MODE)
        query->settings.smem_mode = (enum smc_smem_mode)value;
    else if (field == SMC_FIELD_CLUSTER)
        query->settings.blocks_per_cluster = (uint32_t)value;
    else
        *tui_fields_place_of(query, field) = value;
    if (field == SMC_FIELD_THREADS)
        memset(query->block, 0, sizeof query->block);
    if (field == SMC_FIELD_GRID)
        query->grid_y = query->grid_z = 0;
    if (smc_field_is_param(field))
        query->params.given |= 1u << smc_field_param(field);
}

/* --- Fields with names for values --- */

static bool is_dtype(enum smc_field field)
{
    return field == smc_field_of_param(SMC_PARAM_DTYPE);
}

/* The name of a value of the type or the mode; NULL if it has none, or the kernel has no such type.
 */
static const char *tui_fields_name_of(const struct smc_query *query, enum smc_field field,
                                      int64_t value)
{
    if (field == SMC_FIELD_SMEM_MODE)
        return value >= 0 && value < SMC_SMEM_MODE_COUNT
                   ? smc_smem_mode_name((enum smc_smem_mode)value)
                   : NULL;
    return value >= 0 && value < SMC_DTYPE_COUNT && query->kernel->dtypes >> value & 1
               ? smc_dtype_name((enum smc_dtype)value)
               : NULL;
}

enum {
    MOST_VALUES = (int)SMC_SMEM_MODE_COUNT > (int)SMC_DTYPE_COUNT ? (int)SMC_SMEM_MODE_COUNT
                                                                  : (int)SMC_DTYPE_COUNT
};

static void list_names(const struct smc_query *query, enum smc_field field, char list[128])
{
    int length = 0;
    for (int i = 0; i < MOST_VALUES; i++)
        if (tui_fields_name_of(query, field, i))
            length += snprintf(list + length, 128 - (size_t)length, "%s%s", length ? ", " : "",
                               tui_fields_name_of(query, field, i));
}

static enum smc_status type_name(struct smc_query *query, enum smc_field field, const char *typed,
                                 struct smc_error *error)
{
    char names[128];
    for (int i = 0; i < MOST_VALUES; i++) {
        const char *name = tui_fields_name_of(query, field, i);
        if (name && smc_equal_ignoring_case(name, typed)) {
            smc_field_set_number(query, field, i);
            return SMC_OK;
        }
    }
    list_names(query, field, names);
    return smc_fail(error, SMC_USAGE, "%s: '%.64s' is not one of %s", smc_field_label(field), typed,
                    names);
}

/* --- What a field shows --- */

static void set_source(struct smc_field_view *view, const char *source)
{
    snprintf(view->source, sizeof view->source, "%s", source);
}

static void show_param(const struct smc_answer *answer, enum smc_field field,
                       struct smc_field_view *view)
{
    int64_t value = answer->query.params.value[smc_field_param(field)];
    if (is_dtype(field))
        snprintf(view->value, sizeof view->value, "%s", smc_dtype_name((enum smc_dtype)value));
    else
        snprintf(view->value, sizeof view->value, "%" PRId64 "%s", value,
                 smc_field_range(&answer->query, field).bytes ? " B" : "");
    set_source(view, "default");
}

void smc_field_source(const struct smc_resources *resources, char text[40])
{
    static const char *const words[] = {
        [SMC_RESOURCES_TABLE] = "table",
        [SMC_RESOURCES_ASSUMED] = "assumed",
        [SMC_RESOURCES_GIVEN] = "given",
        [SMC_RESOURCES_FILE] = "file",
    };
    if (resources->source == SMC_RESOURCES_NVRTC)
        snprintf(text, 40, "NVRTC %d.%d", resources->nvrtc_major, resources->nvrtc_minor);
    else
        snprintf(text, 40, "%s", words[resources->source]);
}

static void show_device(const struct smc_query *query, struct smc_field_view *view)
{
    snprintf(view->value, sizeof view->value, "%s", query->device.name);
    set_source(view, query->device_assumed   ? "assumed"
                     : query->device_note[0] ? "closest match"
                                             : smc_device_source_name(query->device.source));
}

/* Of a launch that is not known (the answer says why), only numbers that were given are shown. */
static void tui_fields_show_number(const struct smc_query *query, const struct smc_answer *answer,
                                   enum smc_field field, struct smc_field_view *view)
{
    const char *word = view->given ? NULL : field_info[field].absent;
    if (!word && !view->given && answer->launch.threads_per_block == 0)
        word = "not known";
    if (!word && field == SMC_FIELD_SMEM_MODE)
        word = smc_smem_mode_name(query->settings.smem_mode);
    if (word) {
        snprintf(view->value, sizeof view->value, "%s", word);
        return;
    }
    if (view->given && (field == SMC_FIELD_THREADS || field == SMC_FIELD_GRID))
        smc_field_write_shape(query, field, view->value);
    else
        snprintf(view->value, sizeof view->value, "%" PRId64 "%s",
                 smc_field_number(query, answer, field), field_info[field].unit);
    if ((field == SMC_FIELD_REGS || field == SMC_FIELD_STATIC_SMEM) && query->file_kernel)
        snprintf(view->source, sizeof view->source, "%.39s",
                 answer->resources.source == SMC_RESOURCES_ASSUMED
                     ? "assumed"
                     : query->file_kernel->origin_name);
    else if (field == SMC_FIELD_REGS)
        smc_field_source(&answer->resources, view->source);
    else
        set_source(view, query->kernel ? "kernel" : "default");
}

void smc_field_show(const struct smc_query *query, const struct smc_answer *answer,
                    enum smc_field field, struct smc_field_view *view)
{
    *view = (struct smc_field_view){.label = smc_field_label(field),
                                    .given = smc_field_given(query, field)};
    if (field == SMC_FIELD_DEVICE)
        show_device(query, view);
    else if (field == SMC_FIELD_KERNEL)
        snprintf(view->value, sizeof view->value, "%s",
                 query->kernel        ? query->kernel->name
                 : query->file_kernel ? query->file_kernel->short_name
                                      : "your own");
    else if (smc_field_is_param(field))
        show_param(answer, field, view);
    else
        tui_fields_show_number(query, answer, field, view);
    if (view->given && field != SMC_FIELD_DEVICE && field != SMC_FIELD_KERNEL)
        set_source(view, "given");
}

/* --- Steps --- */

static int64_t tui_fields_clamp(int64_t value, int64_t lowest, int64_t highest)
{
    return value < lowest ? lowest : value > highest ? highest : value;
}

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
    next = tui_fields_clamp(at + by, 0, count - 1);
    if (next == at)
        return;
    smc_device_at((size_t)next, &query->device);
    query->device_assumed = false;
    query->device_note[0] = '\0';
}

/* After the catalog's last comes the user's own. */
static void step_kernel(struct smc_query *query, int by)
{
    int64_t count = (int64_t)smc_kernel_count(), at = count;
    for (int64_t i = 0; i < count; i++)
        if (smc_kernel_at((size_t)i) == query->kernel)
            at = i;
    if (at == count && by > 0)
        return;
    at = tui_fields_clamp(at + by, 0, count);
    smc_field_set_kernel(query, at < count ? smc_kernel_at((size_t)at) : NULL);
}

static void step_dtype(struct smc_query *query, enum smc_field field, int direction)
{
    int64_t value = query->params.value[SMC_PARAM_DTYPE];
    do
        value += direction;
    while (value >= 0 && value < SMC_DTYPE_COUNT && !tui_fields_name_of(query, field, value));
    if (tui_fields_name_of(query, field, value))
        smc_field_set_number(query, field, value);
}

/* The next multiple of the step, so that the first key from 250 threads leads to 256. */
static int64_t next_multiple(int64_t value, int64_t step, int direction)
{
    if (value < 0) /* the driver's own carve-out is below 0 % */
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

/* `edge`: {0}: only the number is known. */
static void tui_fields_set_shape(struct smc_query *query, enum smc_field field, int64_t number,
                                 const uint32_t edge[3])
{
    smc_field_set_number(query, field, number);
    if (field == SMC_FIELD_THREADS) {
        memcpy(query->block, edge, sizeof query->block);
    } else {
        query->grid_y = edge[1];
        query->grid_z = edge[2];
    }
}

/* A block has more or fewer rows then, a grid columns. False: only the number is known. */
static bool step_shape(struct smc_query *query, enum smc_field field, int direction, bool far)
{
    const struct smc_field_range range = smc_field_range(query, field);
    uint32_t edge[3];
    if (!find_edges(query, field, edge) || (uint64_t)edge[1] * edge[2] <= 1)
        return false;
    uint32_t *stepped_edge = &edge[field == SMC_FIELD_THREADS];
    const uint64_t now = *stepped_edge;
    const uint64_t next = far ? (direction > 0 ? 2 * now : now / 2) : now + (uint64_t)direction;
    const uint64_t others = (uint64_t)number_in(query, field) / now;
    if (next >= 1 && next * others <= (uint64_t)range.highest) {
        *stepped_edge = (uint32_t)next;
        tui_fields_set_shape(query, field, (int64_t)(next * others), edge);
    }
    return true;
}

void smc_field_step(struct smc_query *query, const struct smc_answer *answer, enum smc_field field,
                    int direction, bool far)
{
    enum { FAR_DEVICES = 10 };
    if (field == SMC_FIELD_DEVICE) {
        step_device(query, far ? FAR_DEVICES * direction : direction);
    } else if (field == SMC_FIELD_KERNEL) {
        step_kernel(query, direction);
    } else if (is_dtype(field)) {
        step_dtype(query, field, direction);
    } else if (field == SMC_FIELD_CARVEOUT && direction < 0 &&
               query->settings.carveout_percent <= 0) {
        smc_field_reset(query, field); /* the driver's own is below 0 % */
    } else if (!step_shape(query, field, direction, far)) {
        struct smc_field_range range = smc_field_range(query, field);
        int64_t value = stepped(&range, smc_field_number(query, answer, field), direction, far);
        smc_field_set_number(query, field, tui_fields_clamp(value, range.lowest, range.highest));
    }
}

/* --- Lists to choose from --- */

static const char own_kernel[] = "your own";

static void pick_device(const struct smc_query *query, struct smc_pick *pick)
{
    char name[96], note[64];
    struct smc_device device;
    struct smc_capability capability;
    for (size_t c = 0; c < smc_capability_count(); c++) {
        smc_capability_at(smc_capability_count() - 1 - c, &capability);
        for (size_t i = smc_device_count(); i-- > 0;) {
            if (smc_device_cc_at(i) != capability.sm.cc)
                continue;
            smc_device_at(i, &device);
            snprintf(note, sizeof note, "CC %d.%d, %" PRIu32 " SMs", device.sm.cc / 10,
                     device.sm.cc % 10, device.sm_count);
            smc_pick_add(pick, device.name, note);
        }
        snprintf(name, sizeof name, "%d.%d", capability.sm.cc / 10, capability.sm.cc % 10);
        snprintf(note, sizeof note, "%.63s", capability.family);
        smc_pick_add(pick, name, note);
    }
    smc_pick_show(pick, query->device.name);
}

static void pick_kernel(const struct smc_query *query, struct smc_pick *pick)
{
    for (size_t i = 0; i < smc_kernel_count(); i++)
        smc_pick_add(pick, smc_kernel_at(i)->name, smc_kernel_at(i)->summary);
    smc_pick_add(pick, own_kernel, "its threads, registers and shared memory as numbers");
    smc_pick_show(pick, query->kernel ? query->kernel->name : own_kernel);
}

static void pick_dtype(const struct smc_query *query, enum smc_field field, struct smc_pick *pick)
{
    for (int i = 0; i < SMC_DTYPE_COUNT; i++)
        if (tui_fields_name_of(query, field, i))
            smc_pick_add(pick, tui_fields_name_of(query, field, i), "");
    smc_pick_show(pick, smc_dtype_name((enum smc_dtype)query->params.value[SMC_PARAM_DTYPE]));
}

bool smc_field_pick(const struct smc_query *query, enum smc_field field, struct smc_pick *pick)
{
    if (field != SMC_FIELD_DEVICE && field != SMC_FIELD_KERNEL && !is_dtype(field))
        return false;
    smc_pick_open(pick, smc_field_label(field));
    if (field == SMC_FIELD_DEVICE)
        pick_device(query, pick);
    else if (field == SMC_FIELD_KERNEL)
        pick_kernel(query, pick);
    else
        pick_dtype(query, field, pick);
    return true;
}

/* --- Typing --- */

static enum smc_status type_device(struct smc_query *query, const char *typed,
                                   struct smc_error *error)
{
    struct smc_device device;
    char note[sizeof query->device_note];
    SMC_TRY(smc_device_find(typed, &device, note, error));
    query->device = device;
    query->device_assumed = false;
    memcpy(query->device_note, note, sizeof note);
    return SMC_OK;
}

static enum smc_status type_kernel(struct smc_query *query, const char *typed,
                                   struct smc_error *error)
{
    if (strcmp(typed, own_kernel) == 0 || strcmp(typed, "own") == 0) {
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
        return smc_fail(error, SMC_USAGE, "unknown kernel '%.64s'; did you mean '%s'?", typed,
                        suggestion.best);
    return smc_fail(error, SMC_USAGE, "unknown kernel '%.64s'; Enter on the field lists all",
                    typed);
}

static bool tui_fields_parse_number(const struct smc_field_range *range, const char *typed,
                                    int64_t *value)
{
    uint64_t bytes;
    if (!range->bytes)
        return smc_parse_integer(typed, range->lowest, range->highest, value);
    if (!smc_parse_size(typed, (uint64_t)range->highest, &bytes))
        return false;
    *value = (int64_t)bytes;
    return *value >= range->lowest;
}

/* "32x8" for a block or a grid. */
static bool type_shape(struct smc_query *query, enum smc_field field,
                       const struct smc_field_range *range, const char *typed)
{
    uint32_t number, edge[3];
    if ((field != SMC_FIELD_THREADS && field != SMC_FIELD_GRID) ||
        !smc_parse_block(typed, (uint32_t)range->highest, &number, edge))
        return false;
    tui_fields_set_shape(query, field, number, edge);
    return true;
}

enum smc_status smc_field_type(struct smc_query *query, enum smc_field field, const char *typed,
                               struct smc_error *error)
{
    if (field == SMC_FIELD_DEVICE)
        return type_device(query, typed, error);
    if (field == SMC_FIELD_KERNEL)
        return type_kernel(query, typed, error);
    if (is_dtype(field) || field == SMC_FIELD_SMEM_MODE)
        return type_name(query, field, typed, error);
    struct smc_field_range range = smc_field_range(query, field);
    int64_t value;
    if (type_shape(query, field, &range, typed))
        return SMC_OK;
    if (!tui_fields_parse_number(&range, typed, &value)) {
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
    } else if (is_dtype(field) || field == SMC_FIELD_SMEM_MODE) {
        list_names(query, field, hint);
    } else {
        struct smc_field_range range = smc_field_range(query, field);
        snprintf(hint, 128, "between %" PRId64 " and %" PRId64 "%s", range.lowest, range.highest,
                 range.bytes                  ? " bytes (48K may be typed)"
                 : field == SMC_FIELD_THREADS ? ", or a shape such as 32x8"
                 : field == SMC_FIELD_GRID    ? ", or a shape such as 64x64"
                                              : "");
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
    } else if (field != SMC_FIELD_DEVICE && field != SMC_FIELD_KERNEL &&
               field != SMC_FIELD_THREADS) {
        smc_field_set_number(query, field, field_info[field].not_given);
    }
}

/* The user's own kernel begins as the launch that was shown. */
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

void smc_field_leave_trace(struct smc_query *query)
{
    const struct smc_resources *resources = &query->file_kernel->resources;
    if (query->regs_per_thread == SMC_NOT_GIVEN)
        query->regs_per_thread = resources->regs_per_thread;
    if (query->static_smem_bytes == SMC_NOT_GIVEN && resources->static_smem_bytes > 0)
        query->static_smem_bytes = resources->static_smem_bytes;
    query->file_kernel = NULL;
}

void smc_field_set_kernel(struct smc_query *query, const struct smc_kernel *kernel)
{
    const struct smc_params before = query->params;
    const struct smc_kernel *old = query->kernel;
    if (query->file_kernel)
        smc_field_leave_trace(query);
    if (kernel == old)
        return;
    if (!kernel) {
        become_own(query);
        return;
    }
    query->kernel = kernel;
    if (!old) { /* the numbers described the user's own kernel */
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
