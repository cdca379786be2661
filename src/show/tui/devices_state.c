/* The devices' screen: the present launch on every board and compute capability. */
#include "config.h"

#include "show/tui/devices_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "show/tui/tui_fields.h"
#include "show/words/words.h"

/* --- Answers --- */

bool smc_devices_is_bare(const struct smc_device *device)
{
    return device->source == SMC_DEVICE_TABLE && device->sm_count == 0;
}

/* Whether the launch is known to be accepted. */
static bool devices_state_launches(const struct smc_device_row *row)
{
    return row->answered && row->answer.outcome == SMC_LAUNCHES;
}

static bool is_row_of(const struct smc_device_row *row, const struct smc_device *device)
{
    return smc_field_is_device(&row->answer.query.device, device);
}

/* `known`: what the kernel uses on another device of the same compute capability, or NULL. */
static void devices_answer(const struct smc_query *launch, const struct smc_device *device,
                           const struct smc_resources *known, struct smc_device_row *row)
{
    struct smc_query query = *launch;
    smc_auto_text warnings = {0};
    struct smc_error error = {""};
    query.device = *device;
    query.device_assumed = false;
    query.compile.no_nvrtc = true;
    enum smc_status status = smc_query_evaluate(&query, known, &row->answer, &warnings, &error);
    row->answered = status == SMC_OK;
    row->is_uncompiled = status == SMC_UNAVAILABLE;
    snprintf(row->why, sizeof row->why, "%.255s", error.message);
}

/* What was compiled in this session, or what the row before found if it has the same architecture:
   looking a kernel up in the table costs more than all else. */
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

struct rows {
    struct smc_devices_state *devices;
    const struct smc_query *launch;
    const struct smc_memo *memo;
    const struct smc_devices_state *before; /* for the marks */
};

static void devices_add(struct rows *rows, const struct smc_device *device)
{
    struct smc_devices_state *devices = rows->devices;
    struct smc_device_row *row = &devices->row[devices->count];
    const struct smc_device_row *last = devices->count ? row - 1 : NULL;
    devices_answer(rows->launch, device, find_known(rows->launch, device, rows->memo, last), row);
    row->marked = false;
    for (size_t i = 0; i < rows->before->count; i++)
        if (rows->before->row[i].marked && is_row_of(&rows->before->row[i], device))
            row->marked = true;
    devices->order[devices->count] = devices->count;
    devices->count++;
}

static void add_table(struct rows *rows)
{
    struct smc_capability capability;
    struct smc_device device;
    for (size_t c = 0; c < smc_capability_count(); c++) {
        smc_capability_at(c, &capability);
        smc_device_of_capability(&capability, &device);
        devices_add(rows, &device);
        for (size_t i = 0; i < smc_device_count(); i++) {
            if (smc_device_cc_at(i) != capability.sm.cc)
                continue;
            smc_device_at(i, &device);
            devices_add(rows, &device);
        }
    }
}

static bool devices_state_allocate(struct smc_devices_state *devices, size_t count)
{
    devices->row = smc_calloc(count, sizeof *devices->row);
    devices->order = smc_calloc(count, sizeof *devices->order);
    return devices->row && devices->order;
}

/* The row of a device; the first one if it has none. */
static size_t devices_state_find(const struct smc_devices_state *devices,
                                 const struct smc_device *device)
{
    for (size_t i = 0; i < devices->count; i++)
        if (is_row_of(&devices->row[i], device))
            return i;
    return 0;
}

void smc_devices_open(struct smc_devices_state *devices, const struct smc_query *query,
                      const struct smc_memo *memo, const struct smc_device *gpu, size_t gpu_count)
{
    struct smc_devices_state before = *devices;
    struct smc_query launch = *query;
    struct rows rows = {devices, &launch, memo, &before};
    bool fresh = before.count == 0;
    if (launch.kernel) /* each answer reports what cannot be completed */
        launch.kernel->complete(launch.kernel, &launch.params, NULL);
    *devices = (struct smc_devices_state){
        .gpu_count = gpu_count,
        .sort = fresh ? SMC_DEVICE_COLUMN_CC : before.sort,
        .reversed = before.reversed,
    };
    if (!devices_state_allocate(devices,
                                gpu_count + 1 + smc_capability_count() + smc_device_count())) {
        smc_devices_close(devices);
        smc_devices_close(&before);
        return;
    }
    for (size_t i = 0; i < gpu_count; i++)
        devices_add(&rows, &gpu[i]);
    if (query->device.source == SMC_DEVICE_FILE)
        devices_add(&rows, &query->device);
    add_table(&rows);
    devices->cursor = devices_state_find(
        devices, fresh ? &query->device : &before.row[before.cursor].answer.query.device);
    if (!smc_devices_filter(devices, before.filter))
        smc_devices_filter(devices, "");
    smc_devices_close(&before);
}

void smc_devices_close(struct smc_devices_state *devices)
{
    free(devices->row);
    free(devices->order);
    *devices = (struct smc_devices_state){0};
}

/* --- Columns --- */

/* What a column is sorted by. */
#define NUMBER(name, value)                                                                        \
    static double name(const struct smc_device_row *row)                                           \
    {                                                                                              \
        return (double)row->answer.value;                                                          \
    }
NUMBER(cc_of, query.device.sm.cc)
NUMBER(sms_of, query.device.sm_count)
NUMBER(smem_of, query.device.sm.smem_per_sm_bytes)
NUMBER(regs_of, launch.regs_per_thread)
NUMBER(source_of, resources.source)
NUMBER(blocks_of, occupancy.blocks_per_sm)
NUMBER(occupancy_of, occupancy_percent)
NUMBER(waves_of, waves.waves)
NUMBER(limiters_of, occupancy.limiters)
#undef NUMBER

static bool has_sms(const struct smc_device_row *row)
{
    return row->answer.query.device.sm_count > 0;
}

static bool has_waves(const struct smc_device_row *row)
{
    return row->answered && row->answer.has_waves;
}

static void devices_write_name(const struct smc_device_row *row, int columns,
                               char text[SMC_CELL_CHARS])
{
    const struct smc_device *device = &row->answer.query.device;
    (void)columns;
    if (device->source == SMC_DEVICE_LIVE)
        snprintf(text, SMC_CELL_CHARS, "gpu%d %s", device->gpu_index, smc_device_model(device));
    else
        snprintf(text, SMC_CELL_CHARS, "%s",
                 smc_devices_is_bare(device) ? device->family : smc_device_model(device));
}

/* A cell that does not depend on the width of its column. */
#define CELL(name, is_shown, ...)                                                                  \
    static void name(const struct smc_device_row *row, int columns, char text[SMC_CELL_CHARS])     \
    {                                                                                              \
        (void)columns;                                                                             \
        if (is_shown)                                                                              \
            snprintf(text, SMC_CELL_CHARS, __VA_ARGS__);                                           \
    }
CELL(write_cc, true, "%d.%d", row->answer.query.device.sm.cc / 10,
     row->answer.query.device.sm.cc % 10)
CELL(write_sms, has_sms(row), "%" PRIu32, row->answer.query.device.sm_count)
CELL(devices_state_write_smem, true, "%" PRIu32 "K",
     row->answer.query.device.sm.smem_per_sm_bytes / 1024)
/* The blank is for the letter of the source, which a narrow table shows there. */
CELL(devices_state_write_regs, row->answered &&smc_words_regs_known(&row->answer), "%" PRIu32 " ",
     row->answer.launch.regs_per_thread)
CELL(devices_state_write_blocks, row->answered, "%" PRIu32, row->answer.occupancy.blocks_per_sm)
CELL(write_waves, devices_state_launches(row) && row->answer.has_waves,
     row->answer.waves.waves < 1000000 ? "%.0f" : "%.1e", (double)row->answer.waves.waves)
#undef CELL

void smc_devices_source(const struct smc_resources *resources, char text[40])
{
    smc_field_source(resources, text);
    if (resources->source == SMC_RESOURCES_GIVEN ||
        resources->source == SMC_RESOURCES_FILE) /* on the first screen */
        snprintf(text, 40, "as on F2");
}

static void write_source(const struct smc_device_row *row, int columns, char text[SMC_CELL_CHARS])
{
    (void)columns;
    if (row->answered)
        smc_devices_source(&row->answer.resources, text);
}

static void devices_state_write_occupancy(const struct smc_device_row *row, int columns,
                                          char text[SMC_CELL_CHARS])
{
    (void)columns;
    if (devices_state_launches(row))
        smc_words_percent(row->answer.occupancy_percent, text);
}

/* Or that the launch is not accepted. */
static void write_limiters(const struct smc_device_row *row, int columns, char text[SMC_CELL_CHARS])
{
    const struct smc_occupancy *occupancy = &row->answer.occupancy;
    smc_auto_text words = {0};
    if (!devices_state_launches(row)) {
        snprintf(text, SMC_CELL_CHARS, "%s",
                 row->is_uncompiled                          ? "not compiled"
                 : !row->answered                            ? "no answer"
                 : row->answer.outcome == SMC_CANNOT_COMPILE ? "cannot compile"
                                                             : "cannot launch");
        return;
    }
    smc_words_limiters_within(occupancy, columns, &words);
    snprintf(text, SMC_CELL_CHARS, "%.*s", SMC_CELL_CHARS - 1, smc_text_string(&words));
}

static enum smc_style style_of_name(const struct smc_device_row *row)
{
    const struct smc_device *device = &row->answer.query.device;
    return device->source == SMC_DEVICE_LIVE ? SMC_STYLE_GOOD
           : smc_devices_is_bare(device)     ? SMC_STYLE_TITLE
                                             : SMC_STYLE_NORMAL;
}

static enum smc_style style_of_regs(const struct smc_device_row *row)
{
    return row->answer.resources.source == SMC_RESOURCES_ASSUMED ? SMC_STYLE_WARN
                                                                 : SMC_STYLE_NORMAL;
}

static enum smc_style style_of_source(const struct smc_device_row *row)
{
    (void)row;
    return SMC_STYLE_DIM;
}

static enum smc_style style_of_occupancy(const struct smc_device_row *row)
{
    bool full = devices_state_launches(row) && row->answer.occupancy_percent > 99.99;
    return full ? SMC_STYLE_GOOD : SMC_STYLE_NORMAL;
}

static enum smc_style style_of_limiters(const struct smc_device_row *row)
{
    return devices_state_launches(row) ? SMC_STYLE_NORMAL : SMC_STYLE_BAD;
}

const struct smc_device_column_info smc_device_column_info[SMC_DEVICE_COLUMN_COUNT] = {
    [SMC_DEVICE_COLUMN_NAME] = {"device", 0, 0, true, true, NULL, NULL, devices_write_name,
                                style_of_name},
    [SMC_DEVICE_COLUMN_CC] = {"CC", 5, 0, false, false, cc_of, NULL, write_cc, NULL},
    [SMC_DEVICE_COLUMN_SMS] = {"SMs", 4, 75, false, false, sms_of, has_sms, write_sms, NULL},
    [SMC_DEVICE_COLUMN_SMEM] = {"smem", 5, 75, false, false, smem_of, NULL,
                                devices_state_write_smem, NULL},
    [SMC_DEVICE_COLUMN_REGS] = {"regs", 5, 0, true, false, regs_of, devices_state_launches,
                                devices_state_write_regs, style_of_regs},
    [SMC_DEVICE_COLUMN_SOURCE] = {"from", 11, 96, true, true, source_of, devices_state_launches,
                                  write_source, style_of_source},
    [SMC_DEVICE_COLUMN_BLOCKS] = {"blocks", 7, 0, false, false, blocks_of, devices_state_launches,
                                  devices_state_write_blocks, NULL},
    [SMC_DEVICE_COLUMN_OCCUPANCY] = {"occup.", 7, 0, false, false, occupancy_of,
                                     devices_state_launches, devices_state_write_occupancy,
                                     style_of_occupancy},
    [SMC_DEVICE_COLUMN_WAVES] = {"waves", 6, 75, true, false, waves_of, has_waves, write_waves,
                                 NULL},
    [SMC_DEVICE_COLUMN_LIMITERS] = {"limited by", 0, 0, true, true, limiters_of,
                                    devices_state_launches, write_limiters, style_of_limiters},
};

/* --- Order --- */

static bool devices_comes_before(const struct smc_devices_state *devices, size_t a, size_t b)
{
    const struct smc_device_row *row = &devices->row[a], *other = &devices->row[b];
    const struct smc_device_column_info *column = &smc_device_column_info[devices->sort];
    if (row->is_listed != other->is_listed)
        return row->is_listed;
    if (a < devices->gpu_count || b < devices->gpu_count)
        return a < b;
    bool known = !column->is_known || column->is_known(row);
    if (column->is_known && known != column->is_known(other))
        return known;
    int order = column->number ? smc_compare_reals(column->number(row), column->number(other))
                               : strcasecmp(smc_device_model(&row->answer.query.device),
                                            smc_device_model(&other->answer.query.device));
    if (order == 0)
        return a < b;
    return (order < 0) == (column->rises != devices->reversed);
}

void smc_devices_sort(struct smc_devices_state *devices, enum smc_device_column column,
                      bool reversed)
{
    devices->sort = column;
    devices->reversed = reversed;
    for (size_t i = 0; i < devices->count; i++) {
        size_t at = i;
        for (; at > 0 && devices_comes_before(devices, i, devices->order[at - 1]); at--)
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
    while (place < devices->listed && devices->order[place] != devices->cursor)
        place++;
    return place;
}

void smc_devices_move(struct smc_devices_state *devices, int by)
{
    long place = (long)smc_devices_place(devices) + by, last = (long)devices->listed - 1;
    place = place > last ? last : place;
    if (devices->listed)
        devices->cursor = devices->order[place < 0 ? 0 : place];
}

/* --- Searching and comparing --- */

static bool devices_matches(const struct smc_device_row *row, const char *text)
{
    const struct smc_device *device = &row->answer.query.device;
    smc_auto_text limiters = {0};
    uint16_t cc;
    if (smc_capability_parse(text, &cc))
        return device->sm.cc == cc;
    smc_words_limiters(&row->answer.occupancy, &limiters);
    bool limited = row->answered && strcasestr(smc_text_string(&limiters), text);
    return limited || smc_device_has_name(device, text, SMC_NAME_PART) ||
           strcasestr(device->chip, text) || strcasestr(device->family, text);
}

bool smc_devices_search(struct smc_devices_state *devices, const char *text, int direction)
{
    size_t here = smc_devices_place(devices);
    for (size_t i = 1; i <= devices->listed; i++) {
        size_t by = direction > 0 ? i : devices->listed - i;
        size_t row = devices->order[(here + by) % devices->listed];
        if (!devices_matches(&devices->row[row], text))
            continue;
        devices->cursor = row;
        return true;
    }
    return false;
}

bool smc_devices_filter(struct smc_devices_state *devices, const char *text)
{
    size_t first = 0;
    while (*text && first < devices->count && !devices_matches(&devices->row[first], text))
        first++;
    if (*text && first == devices->count)
        return false;
    devices->listed = 0;
    for (size_t i = 0; i < devices->count; i++) {
        devices->row[i].is_listed =
            !*text || i == first || (i > first && devices_matches(&devices->row[i], text));
        devices->listed += devices->row[i].is_listed;
    }
    snprintf(devices->filter, sizeof devices->filter, "%s", text);
    smc_devices_sort(devices, devices->sort, devices->reversed);
    if (devices->listed > 0 && !devices->row[devices->cursor].is_listed)
        devices->cursor = devices->order[0];
    for (size_t place = 0; place < devices->listed; place++)
        if (!strcasecmp(smc_device_model(&smc_devices_at(devices, place)->answer.query.device),
                        text))
            devices->cursor = devices->order[place];
    return true;
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
