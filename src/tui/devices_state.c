/* The state of the devices' screen: the present launch on every board and compute capability. */
#include "config.h"

#include "tui/devices_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/words.h"

const struct smc_device_column_info smc_device_column_info[SMC_DEVICE_COLUMN_COUNT] = {
#define DEVICE_COLUMN(id, heading, columns, from, rises)                                           \
    [SMC_DEVICE_COLUMN_##id] = {heading, columns, from, rises},
#include "tui/device_columns.def"
#undef DEVICE_COLUMN
};

/* --- Answers --- */

static bool is_same(const struct smc_device *a, const struct smc_device *b)
{
    return a->source == b->source && a->gpu_index == b->gpu_index && a->sm.cc == b->sm.cc &&
           strcmp(a->name, b->name) == 0 && strcmp(a->chip, b->chip) == 0;
}

bool smc_devices_is(const struct smc_device_row *row, const struct smc_device *device)
{
    return is_same(&row->answer.query.device, device);
}

bool smc_devices_is_bare(const struct smc_device *device)
{
    return device->source == SMC_DEVICE_TABLE && device->sm_count == 0;
}

/* `known`: what the kernel takes on another device of the same compute capability, or NULL. */
static void answer(const struct smc_query *launch, const struct smc_device *device,
                   const struct smc_resources *known, struct smc_device_row *row)
{
    struct smc_query query = *launch;
    struct smc_text warnings = {0};
    struct smc_error error = {""};
    query.device = *device;
    query.device_assumed = false;
    query.compile.no_nvrtc = true;
    row->answered = smc_query_evaluate(&query, known, &row->answer, &warnings, &error) == SMC_OK;
    snprintf(row->why, sizeof row->why, "%.255s", error.message);
    smc_text_free(&warnings);
}

/* What was compiled in this session, or what the row before found, which has the same architecture
   more often than not: looking a kernel up in the table costs more than the rest. */
static const struct smc_resources *find_known(const struct smc_query *launch,
                                              const struct smc_device *device,
                                              const struct smc_memo *memo,
                                              const struct smc_device_row *before)
{
    struct smc_query query = *launch;
    query.device = *device;
    const struct smc_resources *known = smc_memo_find(memo, &query);
    bool same = before && before->answered && before->answer.query.device.sm.cc == device->sm.cc;
    return known ? known : same ? &before->answer.resources : NULL;
}

struct list {
    struct smc_devices_state *devices;
    const struct smc_query *launch;
    const struct smc_memo *memo;
    const struct smc_devices_state *before; /* for the marks */
};

static void add(struct list *list, const struct smc_device *device)
{
    struct smc_devices_state *devices = list->devices;
    struct smc_device_row *row = &devices->row[devices->count];
    const struct smc_device_row *last = devices->count ? row - 1 : NULL;
    answer(list->launch, device, find_known(list->launch, device, list->memo, last), row);
    row->marked = false;
    for (size_t i = 0; i < list->before->count; i++)
        if (smc_devices_is(&list->before->row[i], device))
            row->marked = list->before->row[i].marked;
    devices->order[devices->count] = devices->count;
    devices->count++;
}

static void add_table(struct list *list)
{
    struct smc_capability capability;
    struct smc_device device;
    for (size_t c = 0; c < smc_capability_count(); c++) {
        smc_capability_at(c, &capability);
        smc_device_of_capability(&capability, &device);
        add(list, &device);
        for (size_t i = 0; i < smc_device_count(); i++) {
            if (smc_device_cc_at(i) != capability.sm.cc)
                continue;
            smc_device_at(i, &device);
            add(list, &device);
        }
    }
}

static bool make_room(struct smc_devices_state *devices, size_t count)
{
    devices->row = smc_calloc(count, sizeof *devices->row);
    devices->order = smc_calloc(count, sizeof *devices->order);
    return devices->row && devices->order;
}

/* The row of a device; the first one where it has none. */
static size_t find(const struct smc_devices_state *devices, const struct smc_device *device)
{
    for (size_t i = 0; i < devices->count; i++)
        if (smc_devices_is(&devices->row[i], device))
            return i;
    return 0;
}

void smc_devices_open(struct smc_devices_state *devices, const struct smc_query *query,
                      const struct smc_memo *memo, const struct smc_device *gpu, size_t gpu_count)
{
    struct smc_devices_state before = *devices;
    struct smc_query launch = *query;
    struct list list = {devices, &launch, memo, &before};
    bool fresh = before.count == 0;
    if (launch.kernel) /* what cannot be completed is told by each answer */
        launch.kernel->complete(launch.kernel, &launch.params, NULL);
    *devices = (struct smc_devices_state){
        .gpu_count = gpu_count,
        .sort = fresh ? SMC_DEVICE_COLUMN_CC : before.sort,
        .reversed = before.reversed,
    };
    if (!make_room(devices, gpu_count + 1 + smc_capability_count() + smc_device_count())) {
        smc_devices_close(devices);
        smc_devices_close(&before);
        return;
    }
    for (size_t i = 0; i < gpu_count; i++)
        add(&list, &gpu[i]);
    if (query->device.source == SMC_DEVICE_FILE)
        add(&list, &query->device);
    add_table(&list);
    devices->cursor =
        find(devices, fresh ? &query->device : &before.row[before.cursor].answer.query.device);
    smc_devices_sort(devices, devices->sort, devices->reversed);
    smc_devices_close(&before);
}

void smc_devices_close(struct smc_devices_state *devices)
{
    free(devices->row);
    free(devices->order);
    *devices = (struct smc_devices_state){0};
}

/* --- Order --- */

static double number_of(const struct smc_device_row *row, enum smc_device_column column)
{
    const struct smc_answer *a = &row->answer;
    switch (column) {
    case SMC_DEVICE_COLUMN_CC:
        return a->query.device.sm.cc;
    case SMC_DEVICE_COLUMN_SMS:
        return a->query.device.sm_count;
    case SMC_DEVICE_COLUMN_SMEM:
        return a->query.device.sm.smem_per_sm_bytes;
    case SMC_DEVICE_COLUMN_REGS:
        return a->launch.regs_per_thread;
    case SMC_DEVICE_COLUMN_SOURCE:
        return a->resources.source;
    case SMC_DEVICE_COLUMN_BLOCKS:
        return a->occupancy.blocks_per_sm;
    case SMC_DEVICE_COLUMN_OCCUPANCY:
        return a->occupancy_percent;
    case SMC_DEVICE_COLUMN_WAVES:
        return (double)a->waves.waves;
    default:
        return a->occupancy.limiters;
    }
}

/* Whether a column has something to say of a row; the others stand last, either way round. */
static bool has_value(const struct smc_device_row *row, enum smc_device_column column)
{
    switch (column) {
    case SMC_DEVICE_COLUMN_NAME:
    case SMC_DEVICE_COLUMN_CC:
    case SMC_DEVICE_COLUMN_SMEM:
        return true;
    case SMC_DEVICE_COLUMN_SMS:
        return row->answer.query.device.sm_count > 0;
    case SMC_DEVICE_COLUMN_WAVES:
        return row->answered && row->answer.has_waves;
    default:
        return row->answered && row->answer.outcome == SMC_LAUNCHES;
    }
}

static bool stands_before(const struct smc_devices_state *devices, size_t a, size_t b)
{
    const struct smc_device_row *row = &devices->row[a], *other = &devices->row[b];
    enum smc_device_column column = devices->sort;
    if (a < devices->gpu_count || b < devices->gpu_count)
        return a < b;
    if (has_value(row, column) != has_value(other, column))
        return has_value(row, column);
    double x = number_of(row, column), y = number_of(other, column);
    int order = column == SMC_DEVICE_COLUMN_NAME
                    ? strcasecmp(smc_device_model(&row->answer.query.device),
                                 smc_device_model(&other->answer.query.device))
                    : (x > y) - (x < y);
    if (order == 0)
        return a < b;
    return (order < 0) == (smc_device_column_info[column].rises != devices->reversed);
}

void smc_devices_sort(struct smc_devices_state *devices, enum smc_device_column column,
                      bool reversed)
{
    devices->sort = column;
    devices->reversed = reversed;
    for (size_t i = 0; i < devices->count; i++) {
        size_t at = i;
        for (; at > 0 && stands_before(devices, i, devices->order[at - 1]); at--)
            devices->order[at] = devices->order[at - 1];
        devices->order[at] = i;
    }
}

struct smc_device_row *smc_devices_at(const struct smc_devices_state *devices, size_t place)
{
    return &devices->row[devices->order[place]];
}

size_t smc_devices_place(const struct smc_devices_state *devices)
{
    size_t place = 0;
    while (place < devices->count && devices->order[place] != devices->cursor)
        place++;
    return place;
}

void smc_devices_move(struct smc_devices_state *devices, int by)
{
    long place = (long)smc_devices_place(devices) + by, last = (long)devices->count - 1;
    place = place > last ? last : place;
    if (devices->count)
        devices->cursor = devices->order[place < 0 ? 0 : place];
}

/* --- Choosing --- */

static bool fits(const struct smc_device_row *row, const char *text)
{
    const struct smc_device *device = &row->answer.query.device;
    struct smc_text limiters = {0};
    uint16_t cc;
    if (smc_capability_parse(text, &cc))
        return device->sm.cc == cc;
    smc_words_limiters(&row->answer.occupancy, &limiters);
    bool limited = row->answered && strcasestr(smc_text_string(&limiters), text);
    smc_text_free(&limiters);
    return limited || smc_device_has_name(device, text, SMC_NAME_PART) ||
           strcasestr(device->chip, text) || strcasestr(device->family, text);
}

bool smc_devices_search(struct smc_devices_state *devices, const char *text)
{
    size_t here = smc_devices_place(devices);
    for (size_t i = 1; i <= devices->count; i++) {
        size_t row = devices->order[(here + i) % devices->count];
        if (!fits(&devices->row[row], text))
            continue;
        devices->cursor = row;
        return true;
    }
    return false;
}

size_t smc_devices_compared(const struct smc_devices_state *devices,
                            const struct smc_device_row **list, size_t most)
{
    size_t count = 0;
    for (size_t place = 0; place <= devices->count && devices->count; place++) {
        size_t row = place ? devices->order[place - 1] : devices->cursor;
        bool wanted = place == 0 || (devices->row[row].marked && row != devices->cursor);
        if (wanted && count++ < most)
            list[count - 1] = &devices->row[row];
    }
    return count;
}
