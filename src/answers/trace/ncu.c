/* What Nsight Compute prints: `ncu --csv`, page details or raw, or its tables of text. A file is
   read twice: first to see how its numbers are written, which depends on the locale, then for its
   launches. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/trace/ncu_numbers.h"
#include "answers/trace/ncu_text.h"
#include "answers/trace_answer.h"
#include "base/csv_reader.h"
#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"

/* --- What is read ----------------------------------------------------------------------------- */

/* Columns that identify the launch or the metric of a row. */
enum ncu_column {
    ID,
    PROCESS_ID,
    PROCESS_NAME,
    KERNEL,
    BLOCK_SIZE,
    GRID_SIZE,
    DEVICE,
    CC,
    METRIC_NAME,
    METRIC_UNIT,
    METRIC_VALUE,
    INVOCATIONS,
    MINIMUM,
    MAXIMUM,
    AVERAGE,
    COLUMNS,
};

static const char *const column_names[COLUMNS] = {
    [ID] = "ID",
    [PROCESS_ID] = "Process ID",
    [PROCESS_NAME] = "Process Name",
    [KERNEL] = "Kernel Name",
    [BLOCK_SIZE] = "Block Size",
    [GRID_SIZE] = "Grid Size",
    [DEVICE] = "Device",
    [CC] = "CC",
    [METRIC_NAME] = "Metric Name",
    [METRIC_UNIT] = "Metric Unit",
    [METRIC_VALUE] = "Metric Value",
    [INVOCATIONS] = "Invocations",
    [MINIMUM] = "Minimum",
    [MAXIMUM] = "Maximum",
    [AVERAGE] = "Average",
};

enum metric {
#define TRACE_METRIC(id, ...) id,
#include "answers/trace/ncu_metrics.def"
    METRICS,
};

static const struct {
    const char *raw, *label;
    enum smc_ncu_unit unit;
    double least, greatest;
} metrics[METRICS] = {
#define TRACE_METRIC(id, raw, label, unit, least, greatest)                                        \
    [id] = {raw, label, SMC_NCU_##unit, least, greatest},
#include "answers/trace/ncu_metrics.def"
};

/* How the table is arranged. */
enum page {
    DETAILS, /* a row for each metric of each launch */
    SUMMARY, /* a row for each metric of all launches of a kernel with one grid and block */
    RAW,     /* a row for each launch, a column for each metric; the second row has the units */
};

enum {
    MOST_RECORD_BYTES = 1 << 20, /* the header of page raw has up to about 200 KB */
    MOST_RECORD_FIELDS = 1 << 14,
    MOST_LINE = 1 << 16, /* in which a header is looked for */
    MOST_VALUE = 256,    /* of a number, a unit, a metric's name */
    ABSENT = UINT32_MAX,
};

struct ncu_quantity {
    bool is_known;
    double value, least, greatest; /* in the metric's unit; the mean, if of several launches */
    double half_digit;             /* it was rounded, and may be off by so much */
};

/* The launch, or the launches, whose rows are being read. */
struct ncu_launch {
    bool begun;
    struct smc_text key; /* what its rows have in common */
    struct smc_text name, process, gpu_name;
    int64_t pid, device; /* SMC_TRACE_UNKNOWN: not recorded */
    uint16_t cc;         /* 0: not recorded */
    uint64_t launches;
    uint32_t grid[3], block[3];
    int32_t cache_config;
    struct ncu_quantity metric[METRICS];
};

/* What a note mentions if it is missing. */
static const char *const needs[] = {
    "numbers of registers",
    "sizes of static shared memory",
    "sizes of dynamic shared memory",
    "grid sizes",
    "block sizes",
    "times",
};

enum { NEEDS = sizeof needs / sizeof *needs };

struct ncu_reading {
    const char *shown; /* the file's name, safe for a terminal */
    struct smc_trace *trace;
    struct smc_error *error;
    FILE *stream;
    struct smc_csv_reader csv;
    struct smc_csv_record *record;
    uint64_t lines_before; /* the header */
    bool has_table;
    bool is_text; /* no CSV: `text` makes it of tables */
    struct smc_ncu_text text;
    bool for_launches; /* the second time */

    enum page page;
    uint32_t column[COLUMNS]; /* its field, or ABSENT */
    uint32_t metric[METRICS]; /* likewise, on page raw */
    char unit[METRICS][32];   /* on page raw */
    bool units_follow;        /* the next row has them */
    uint32_t header_fields;

    unsigned sign;                   /* before fractions: SMC_NCU_POINT or _COMMA; 0: unknown */
    uint64_t point_line, comma_line; /* of a number that only the one or the other explains */
    bool likely_point, likely_comma; /* of values that only the one or the other makes possible */
    struct ncu_launch launch;
    uint64_t launches, without[NEEDS];
    uint64_t strange_lines, strange_line; /* no rows: how many, the first */
    bool rounded_smem, flat_blocks, flat_clusters;
};

/* --- The header ------------------------------------------------------------------------------- */

static bool has_field(const char *line, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = line; (at = strstr(at, name)); at += length) {
        const char before = at > line ? at[-1] : ',', after = at[length];
        if ((before == '"' && after == '"') ||
            (before == ',' && (after == ',' || after == '\r' || after == '\n' || !after)))
            return true;
    }
    return false;
}

static bool is_header_line(const char *line)
{
    return has_field(line, column_names[KERNEL]) &&
           (has_field(line, column_names[ID]) || has_field(line, column_names[METRIC_NAME]));
}

static bool ncu_begins(const char *bytes, size_t count)
{
    static const char *const messages[] = {"==PROF== ", "==WARNING== ", "==ERROR== "};
    if (memchr(bytes, '\0', count))
        return false;
    for (const char *line = bytes; line && *line;) {
        if (SMC_ANY(smc_begins, line, messages))
            return true;
        line = strchr(line, '\n');
        if (line)
            line++;
    }
    /* The output of the program itself may come first, and be long. */
    return is_header_line(bytes) || strstr(bytes, "    Section: ") || count == SMC_TRACE_BEGINNING;
}

/* Moves the stream to the header: the program's output and messages may be before it. Tables of
   text begin at the beginning, and their CSV has a header more. */
static enum smc_status ncu_find_header(struct ncu_reading *reading)
{
    smc_auto_free char *line = smc_malloc(MOST_LINE);
    off_t at = 0;
    bool found = false, begins_line = true;
    reading->is_text = false;
    if (!line)
        return smc_out_of_memory(reading->error);
    reading->lines_before = 0;
    while (!found && fgets(line, MOST_LINE, reading->stream)) {
        found = begins_line && is_header_line(line);
        reading->is_text |= begins_line && !found && smc_ncu_text_is_launch(line);
        begins_line = strchr(line, '\n') != NULL;
        if (!found) {
            at = ftello(reading->stream);
            reading->lines_before += begins_line;
        }
    }
    reading->is_text &= !found;
    if (reading->is_text) {
        found = true;
        at = 0;
        reading->lines_before = UINT64_MAX;
    }
    if (ferror(reading->stream) || (found && fseeko(reading->stream, at, SEEK_SET) != 0))
        return smc_fail(reading->error, SMC_USAGE, "%s: %s", reading->shown, strerror(errno));
    reading->has_table = found;
    if (!found)
        return smc_fail(reading->error, SMC_USAGE,
                        "%s: not a trace: no table of 'ncu' (in CSV a header with \"ID\" and "
                        "\"Kernel Name\") is in it, nor one of 'nsys stats' or 'nvprof'",
                        reading->shown);
    return SMC_OK;
}

static void ncu_get(const struct ncu_reading *reading, uint32_t index, char *value, size_t capacity)
{
    const struct smc_csv_field *field = smc_csv_field_at(&reading->csv, reading->record, index);
    *value = '\0';
    if (field)
        smc_csv_value(field, value, capacity);
}

static void find_metric_columns(struct ncu_reading *reading)
{
    char value[MOST_VALUE];
    memset(reading->unit, 0, sizeof reading->unit);
    for (int i = 0; i < METRICS; i++)
        reading->metric[i] = ABSENT;
    for (uint32_t k = 0; k < reading->record->field_count; k++) {
        ncu_get(reading, k, value, sizeof value);
        for (int i = 0; i < METRICS; i++)
            if (reading->metric[i] == ABSENT && strcmp(value, metrics[i].raw) == 0)
                reading->metric[i] = k;
    }
}

static enum smc_status ncu_read_header(struct ncu_reading *reading)
{
    char value[MOST_VALUE];
    for (int i = 0; i < COLUMNS; i++)
        reading->column[i] = ABSENT;
    for (uint32_t k = 0; k < reading->record->field_count; k++) {
        ncu_get(reading, k, value, sizeof value);
        for (int i = 0; i < COLUMNS; i++)
            if (reading->column[i] == ABSENT && strcmp(value, column_names[i]) == 0)
                reading->column[i] = k;
    }
    const uint32_t *column = reading->column;
    reading->header_fields = reading->record->field_count;
    reading->page = column[METRIC_NAME] == ABSENT ? RAW
                    : column[AVERAGE] != ABSENT   ? SUMMARY
                                                  : DETAILS;
    reading->units_follow = reading->page == RAW;
    const enum ncu_column needed = reading->page == DETAILS   ? METRIC_VALUE
                                   : reading->page == SUMMARY ? INVOCATIONS
                                                              : ID;
    if (column[needed] == ABSENT || (reading->page == DETAILS && column[ID] == ABSENT))
        return smc_fail(reading->error, SMC_USAGE, "%s:%llu: the table has no column \"%s\"",
                        reading->shown,
                        (unsigned long long)reading->lines_before + reading->record->line,
                        column_names[column[needed] == ABSENT ? needed : ID]);
    find_metric_columns(reading);
    return SMC_OK;
}

static void read_units(struct ncu_reading *reading)
{
    for (int i = 0; i < METRICS; i++)
        ncu_get(reading, reading->metric[i], reading->unit[i], sizeof reading->unit[i]);
    reading->units_follow = false;
}

/* --- How numbers are written ------------------------------------------------------------------ */

/* Whether the metric can have the value that the text is with the sign: bytes and counts are whole,
   and none exceeds what a GPU has. */
static bool ncu_is_possible(enum metric metric, const char *unit, const char *text, unsigned sign)
{
    double value;
    int decimals;
    const bool is_whole =
        metrics[metric].unit == SMC_NCU_COUNT || metrics[metric].unit == SMC_NCU_BYTES;
    if (!smc_ncu_number(text, sign, &value, &decimals))
        return false;
    const double scale = smc_ncu_scale(metrics[metric].unit, unit);
    const double half_digit = 0.5 * scale / pow(10, decimals);
    value *= scale;
    return value >= metrics[metric].least && value <= metrics[metric].greatest &&
           (!is_whole || fabs(value - round(value)) <= half_digit);
}

/* The sign that an ambiguous number must have, or 0. */
static unsigned find_sign(enum metric metric, const char *unit, const char *text)
{
    if (!smc_ncu_is_ambiguous(text))
        return 0;
    const bool point = ncu_is_possible(metric, unit, text, SMC_NCU_POINT);
    const bool comma = ncu_is_possible(metric, unit, text, SMC_NCU_COMMA);
    return point == comma ? 0u : point ? SMC_NCU_POINT : SMC_NCU_COMMA;
}

static void see_metric(struct ncu_reading *reading, enum metric metric, const char *unit,
                       const char *value)
{
    const unsigned sign = find_sign(metric, unit, value);
    reading->likely_point |= sign == SMC_NCU_POINT;
    reading->likely_comma |= sign == SMC_NCU_COMMA;
}

/* The metric of that name; METRICS: none that is read. */
static enum metric find_metric(const char *name)
{
    int i = 0;
    while (i < METRICS && strcmp(name, metrics[i].raw) != 0 &&
           (!metrics[i].label || strcmp(name, metrics[i].label) != 0))
        i++;
    return (enum metric)i;
}

static void see_number(struct ncu_reading *reading, const char *value)
{
    const unsigned signs = smc_ncu_signs(value);
    const uint64_t line = reading->lines_before + reading->record->line;
    if (signs == SMC_NCU_POINT && reading->point_line == 0)
        reading->point_line = line;
    if (signs == SMC_NCU_COMMA && reading->comma_line == 0)
        reading->comma_line = line;
}

/* Only numbers with a unit: versions have none. */
static void see_numbers(struct ncu_reading *reading)
{
    char value[MOST_VALUE], unit[MOST_VALUE];
    static const enum ncu_column of_details[] = {METRIC_VALUE, MINIMUM, MAXIMUM, AVERAGE};
    if (reading->page == RAW) {
        for (int i = 0; i < METRICS; i++) {
            ncu_get(reading, reading->metric[i], value, sizeof value);
            if (reading->unit[i][0])
                see_number(reading, value);
            see_metric(reading, (enum metric)i, reading->unit[i], value);
        }
        return;
    }
    ncu_get(reading, reading->column[METRIC_NAME], value, sizeof value);
    const enum metric metric = find_metric(value);
    ncu_get(reading, reading->column[METRIC_UNIT], unit, sizeof unit);
    for (size_t i = 0; i < sizeof of_details / sizeof *of_details; i++) {
        ncu_get(reading, reading->column[of_details[i]], value, sizeof value);
        if (*unit)
            see_number(reading, value);
        if (metric < METRICS)
            see_metric(reading, metric, unit, value);
    }
}

static enum smc_status decide_sign(struct ncu_reading *reading)
{
    if (reading->point_line && reading->comma_line)
        return smc_fail(reading->error, SMC_USAGE,
                        "%s: numbers are written in two ways: with a decimal point in line %llu, "
                        "with a decimal comma in line %llu",
                        reading->shown, (unsigned long long)reading->point_line,
                        (unsigned long long)reading->comma_line);
    reading->sign = reading->point_line ? SMC_NCU_POINT : reading->comma_line ? SMC_NCU_COMMA : 0u;
    if (!reading->sign && reading->likely_point != reading->likely_comma)
        reading->sign = reading->likely_point ? SMC_NCU_POINT : SMC_NCU_COMMA;
    if (reading->comma_line)
        smc_trace_note(reading->trace, "numbers are read with a decimal comma, as in line %llu",
                       (unsigned long long)reading->comma_line);
    else if (reading->sign == SMC_NCU_COMMA)
        smc_trace_note(reading->trace, "numbers are read with a decimal comma: with a point some "
                                       "would be impossible");
    return SMC_OK;
}

/* --- Values of a launch ----------------------------------------------------------------------- */

struct decimal {
    double value;
    int decimals;
};

static bool ncu_read_number(struct ncu_reading *reading, enum metric metric, const char *unit,
                            const char *text, struct decimal *number)
{
    const unsigned sign = reading->sign ? reading->sign : find_sign(metric, unit, text);
    if (!sign && smc_ncu_is_ambiguous(text)) {
        smc_trace_note(reading->trace,
                       "%s is unknown where it is written as '%s': nothing in the file says "
                       "whether its sign is a decimal point",
                       metrics[metric].label ? metrics[metric].label : metrics[metric].raw, text);
        return false;
    }
    return smc_ncu_number(text, sign ? sign : SMC_NCU_POINT, &number->value, &number->decimals);
}

/* `fields`: the value, the least and the greatest, each ABSENT or a field of the record. */
static void set_metric(struct ncu_reading *reading, enum metric metric, const uint32_t fields[3],
                       const char *unit)
{
    char text[MOST_VALUE];
    struct decimal number[3] = {{0}};
    struct ncu_quantity *quantity = &reading->launch.metric[metric];
    ncu_get(reading, fields[0], text, sizeof text);
    if (metrics[metric].unit == SMC_NCU_TEXT) {
        if (metric == CACHE_CONFIG)
            reading->launch.cache_config = smc_trace_cache_config(text);
        else if (reading->launch.gpu_name.length == 0)
            smc_text_append(&reading->launch.gpu_name, text);
        return;
    }
    if (quantity->is_known || !*text || !ncu_read_number(reading, metric, unit, text, &number[0]))
        return;
    const double scale = smc_ncu_scale(metrics[metric].unit, unit);
    if (scale <= 0) {
        smc_trace_note(reading->trace, "%s is unknown: its unit is '%s'", metrics[metric].raw,
                       unit);
        return;
    }
    for (int i = 1; i < 3; i++) {
        ncu_get(reading, fields[i], text, sizeof text);
        if (!*text || !ncu_read_number(reading, metric, unit, text, &number[i]))
            number[i] = number[0];
    }
    const double half = 0.5 * scale / pow(10, number[0].decimals);
    *quantity = (struct ncu_quantity){
        .is_known = true,
        .value = scale * number[0].value,
        .least = scale * number[1].value,
        .greatest = scale * number[2].value,
        .half_digit = scale > 1 && reading->page != RAW && half > 0.5 ? half : 0,
    };
}

/* "(256, 1, 1)". */
static void ncu_read_dimensions(const char *text, uint32_t out[3])
{
    unsigned long value[3];
    char after;
    if (sscanf(text, "(%9lu , %9lu , %9lu %c", &value[0], &value[1], &value[2], &after) != 4 ||
        after != ')' || !value[0] || !value[1] || !value[2])
        return;
    for (int i = 0; i < 3; i++)
        out[i] = (uint32_t)value[i];
}

static int64_t get_integer(const struct ncu_reading *reading, enum ncu_column column)
{
    char text[MOST_VALUE];
    int64_t value;
    ncu_get(reading, reading->column[column], text, sizeof text);
    return smc_parse_integer(text, 0, INT64_MAX, &value) ? value : SMC_TRACE_UNKNOWN;
}

/* "9.0", or "9,0" by the locale. */
static uint16_t get_cc(const struct ncu_reading *reading)
{
    char text[MOST_VALUE];
    unsigned major, minor;
    ncu_get(reading, reading->column[CC], text, sizeof text);
    return sscanf(text, "%2u%*1[.,]%1u", &major, &minor) == 2 && major >= 1
               ? (uint16_t)(10 * major + minor)
               : 0;
}

static void append_field(const struct ncu_reading *reading, uint32_t index, struct smc_text *text)
{
    const struct smc_csv_field *field = smc_csv_field_at(&reading->csv, reading->record, index);
    const size_t before = text->length, capacity = field ? field->length + 1 : 0;
    if (!field)
        return;
    smc_text_append_char(text, ' ', capacity);
    if (text->failed)
        return;
    const size_t length = smc_csv_value(field, text->data + before, capacity);
    text->length = before + length;
    text->data[text->length] = '\0';
}

static void append_key(const struct ncu_reading *reading, struct smc_text *key)
{
    static const enum ncu_column columns[] = {ID,        PROCESS_ID, KERNEL,     BLOCK_SIZE,
                                              GRID_SIZE, DEVICE,     INVOCATIONS};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        append_field(reading, reading->column[columns[i]], key);
        smc_text_append_char(key, '\n', 1);
    }
}

static enum smc_status ncu_begin_launch(struct ncu_reading *reading, struct smc_text *key)
{
    char text[MOST_VALUE];
    struct ncu_launch *launch = &reading->launch;
    *launch = (struct ncu_launch){
        .begun = true,
        .key = *key,
        .pid = get_integer(reading, PROCESS_ID),
        .device = get_integer(reading, DEVICE),
        .cc = get_cc(reading),
        .launches = 1,
        .cache_config = SMC_TRACE_UNKNOWN,
    };
    if (reading->page == SUMMARY) {
        const int64_t launches = get_integer(reading, INVOCATIONS);
        launch->launches = launches > 0 ? (uint64_t)launches : 1;
    }
    append_field(reading, reading->column[KERNEL], &launch->name);
    append_field(reading, reading->column[PROCESS_NAME], &launch->process);
    ncu_get(reading, reading->column[GRID_SIZE], text, sizeof text);
    ncu_read_dimensions(text, launch->grid);
    ncu_get(reading, reading->column[BLOCK_SIZE], text, sizeof text);
    ncu_read_dimensions(text, launch->block);
    return key->failed || launch->name.failed || launch->process.failed
               ? smc_out_of_memory(reading->error)
               : SMC_OK;
}

static void ncu_free_launch(struct ncu_launch *launch)
{
    smc_text_free(&launch->key);
    smc_text_free(&launch->name);
    smc_text_free(&launch->process);
    smc_text_free(&launch->gpu_name);
    *launch = (struct ncu_launch){0};
}

/* --- The launch is complete ------------------------------------------------------------------- */

static int64_t ncu_whole(const struct ncu_quantity *quantity, int64_t least, int64_t greatest)
{
    const double value = quantity->value;
    return quantity->is_known && value == floor(value) && value >= (double)least &&
                   value <= (double)greatest
               ? (int64_t)value
               : SMC_TRACE_UNKNOWN;
}

/* "4.10 Kbyte" stands for some number from 4095 to 4105 bytes: returns the one that is divisible by
   the highest power of two. */
static int64_t ncu_bytes_of(struct ncu_reading *reading, enum metric metric)
{
    struct ncu_quantity quantity = reading->launch.metric[metric];
    if (quantity.is_known && quantity.half_digit > 0 && quantity.value < INT32_MAX) {
        const double least = ceil(quantity.value - quantity.half_digit);
        const double greatest = floor(quantity.value + quantity.half_digit);
        double step = 1024;
        while (step > 1 && step * ceil(least / step) > greatest)
            step /= 2;
        quantity.value = step * ceil(least / step);
        reading->rounded_smem = true;
    }
    quantity.value = floor(quantity.value + 0.5);
    return ncu_whole(&quantity, 0, INT32_MAX);
}

/* From the three metrics of page raw, or else a total, which becomes the first. */
static bool ncu_take_dimensions(const struct ncu_launch *launch, enum metric x, enum metric total,
                                uint32_t out[3])
{
    const int64_t all = ncu_whole(&launch->metric[total], 1, INT32_MAX);
    int64_t value[3];
    if (out[0])
        return false;
    for (int i = 0; i < 3; i++)
        value[i] = ncu_whole(&launch->metric[x + i], 1, INT32_MAX);
    if (value[0] > 0 && value[1] > 0 && value[2] > 0) {
        for (int i = 0; i < 3; i++)
            out[i] = (uint32_t)value[i];
        return false;
    }
    if (all < 1)
        return false;
    out[0] = (uint32_t)all;
    out[1] = out[2] = 1;
    return true;
}

static int32_t ncu_find_device(struct ncu_reading *reading)
{
    const struct ncu_launch *launch = &reading->launch;
    const struct ncu_quantity *metric = launch->metric;
    const int64_t major = ncu_whole(&metric[CC_MAJOR], 1, 99),
                  minor = ncu_whole(&metric[CC_MINOR], 0, 9);
    const int64_t sms = ncu_whole(&metric[GPU_SMS], 1, 10000);
    const uint16_t cc = major > 0 && minor >= 0 ? (uint16_t)(10 * major + minor) : launch->cc;
    const bool known = cc != 0 || launch->gpu_name.length > 0;
    if (!known && launch->device < 0)
        return SMC_TRACE_UNKNOWN;
    const struct smc_trace_gpu gpu = {
        .id = launch->device < 0 ? 0 : launch->device,
        .name = launch->gpu_name.length ? smc_text_string(&launch->gpu_name) : NULL,
        .cc = cc,
        .sm_count = (uint32_t)fmax(0, (double)(sms > 0 ? sms : ncu_whole(&metric[SMS], 1, 10000))),
        .clock_khz = (uint32_t)fmax(0, (double)ncu_whole(&metric[GPU_KHZ], 1, INT32_MAX)),
        .regs_per_sm = (uint32_t)fmax(0, (double)ncu_whole(&metric[GPU_REGISTERS], 1, INT32_MAX)),
        .smem_per_sm_bytes = (uint32_t)fmax(0, (double)ncu_whole(&metric[GPU_SMEM], 1, INT32_MAX)),
        .l2_bytes = (uint64_t)fmax(0, (double)ncu_whole(&metric[GPU_L2], 1, INT64_C(1) << 50)),
    };
    return smc_trace_device(reading->trace, &gpu);
}

static double ncu_percent(const struct ncu_quantity *quantity)
{
    return quantity->is_known && quantity->value >= 0 && quantity->value <= 100.5
               ? fmin(quantity->value, 100)
               : SMC_TRACE_UNKNOWN;
}

static void take_time(const struct ncu_launch *launch, struct smc_trace_launch *out)
{
    static const enum metric order[] = {DURATION, DURATION_2019, DURATION_MEAN};
    const double longest = 9e15; /* 104 days */
    for (size_t i = 0; i < sizeof order / sizeof *order && out->timed_launches == 0; i++) {
        const struct ncu_quantity *time = &launch->metric[order[i]];
        const double total = time->value * (double)launch->launches;
        if (!time->is_known || time->least < 0 || time->value < 0 || total > longest ||
            time->greatest > longest)
            continue;
        out->timed_launches = launch->launches;
        out->total_ns = (uint64_t)(total + 0.5);
        out->least_ns = (uint64_t)(time->least + 0.5);
        out->greatest_ns = (uint64_t)(time->greatest + 0.5);
    }
}

static void count_unknown(struct ncu_reading *reading, const struct smc_trace_launch *launch)
{
    const bool lacks[NEEDS] = {
        launch->regs_per_thread < 0,
        launch->static_smem_bytes < 0 && launch->smem_bytes < 0,
        launch->dynamic_smem_bytes < 0 && launch->smem_bytes < 0,
        launch->grid[0] == 0,
        launch->block[0] == 0,
        launch->timed_launches == 0,
    };
    reading->launches += launch->launches;
    for (size_t i = 0; i < NEEDS; i++)
        reading->without[i] += lacks[i] ? launch->launches : 0;
}

static void ncu_fill_launch(struct ncu_reading *reading, struct smc_trace_launch *out)
{
    const struct ncu_launch *launch = &reading->launch;
    smc_trace_launch_init(out);
    memcpy(out->grid, launch->grid, sizeof out->grid);
    memcpy(out->block, launch->block, sizeof out->block);
    ncu_take_dimensions(launch, GRID_X, GRID_BLOCKS, out->grid);
    reading->flat_blocks |= ncu_take_dimensions(launch, BLOCK_X, BLOCK_THREADS, out->block);
    if (ncu_take_dimensions(launch, CLUSTER_X, CLUSTER_BLOCKS, out->cluster) && out->cluster[0] > 1)
        reading->flat_clusters = true;
    out->regs_per_thread = (int32_t)ncu_whole(&launch->metric[REGISTERS], 1, 1024);
    out->static_smem_bytes = ncu_bytes_of(reading, STATIC_SMEM);
    out->dynamic_smem_bytes = ncu_bytes_of(reading, DYNAMIC_SMEM);
    if (out->static_smem_bytes < 0 || out->dynamic_smem_bytes < 0)
        out->smem_bytes = ncu_bytes_of(reading, ALLOCATED_SMEM);
    out->smem_has_reserve = out->smem_bytes >= 0;
    out->smem_configured_bytes = ncu_bytes_of(reading, CONFIGURED_SMEM);
    out->resident_clusters = ncu_whole(&launch->metric[RESIDENT_CLUSTERS], 1, 1000000);
    out->cache_config = launch->cache_config;
    out->launches = launch->launches;
    out->recorded_occupancy_percent = ncu_percent(&launch->metric[THEORETICAL]);
    out->achieved_occupancy_percent = ncu_percent(&launch->metric[ACHIEVED]);
    take_time(launch, out);
}

static enum smc_status end_launch(struct ncu_reading *reading)
{
    const struct ncu_launch *launch = &reading->launch;
    struct smc_trace_launch out;
    enum smc_status status = SMC_OK;
    if (!launch->begun)
        return SMC_OK;
    char unnamed[] = "(unnamed)";
    ncu_fill_launch(reading, &out);
    out.name = launch->name.length > 0 ? launch->name.data : unnamed;
    const bool has_device = launch->device >= 0 || launch->cc || launch->gpu_name.length > 0;
    out.device = ncu_find_device(reading);
    if (launch->pid >= 0)
        out.process =
            smc_trace_process(reading->trace, launch->pid,
                              launch->process.length ? smc_text_string(&launch->process) : NULL);
    if ((has_device && out.device < 0) || (launch->pid >= 0 && out.process < 0))
        status = smc_out_of_memory(reading->error);
    count_unknown(reading, &out);
    if (status == SMC_OK)
        status = smc_trace_add_launches(reading->trace, &out, NULL, reading->error);
    ncu_free_launch(&reading->launch);
    return status;
}

/* --- Rows ------------------------------------------------------------------------------------- */

static void take_metric_row(struct ncu_reading *reading)
{
    char name[MOST_VALUE], unit[MOST_VALUE];
    const uint32_t *column = reading->column;
    const bool summary = reading->page == SUMMARY;
    const uint32_t fields[3] = {column[summary ? AVERAGE : METRIC_VALUE],
                                summary ? column[MINIMUM] : ABSENT,
                                summary ? column[MAXIMUM] : ABSENT};
    ncu_get(reading, column[METRIC_NAME], name, sizeof name);
    if (!*name)
        return; /* advice of a rule */
    ncu_get(reading, column[METRIC_UNIT], unit, sizeof unit);
    const enum metric metric = find_metric(name);
    if (metric < METRICS)
        set_metric(reading, metric, fields, unit);
}

static enum smc_status ncu_take_row(struct ncu_reading *reading)
{
    struct smc_text key = {0};
    enum smc_status status = SMC_OK;
    append_key(reading, &key);
    const bool is_new = reading->page == RAW || !reading->launch.begun ||
                        strcmp(smc_text_string(&key), smc_text_string(&reading->launch.key)) != 0;
    if (!is_new)
        smc_text_free(&key);
    else {
        status = end_launch(reading);
        if (status == SMC_OK)
            status = ncu_begin_launch(reading, &key);
        else
            smc_text_free(&key);
    }
    if (status != SMC_OK)
        return status;
    if (reading->page != RAW)
        take_metric_row(reading);
    for (int i = 0; i < METRICS && reading->page == RAW; i++)
        if (reading->metric[i] != ABSENT)
            set_metric(reading, (enum metric)i,
                       (const uint32_t[3]){reading->metric[i], ABSENT, ABSENT}, reading->unit[i]);
    return SMC_OK;
}

/* A row of the table has the launch's number, and all fields that are needed. Older releases leave
   out the last ones if they are empty. */
static bool is_row(const struct ncu_reading *reading)
{
    const struct smc_csv_record *record = reading->record;
    const enum ncu_column last = reading->page == DETAILS ? METRIC_VALUE : AVERAGE;
    const uint32_t needed =
        reading->page == RAW ? reading->header_fields : reading->column[last] + 1;
    char id[MOST_VALUE];
    ncu_get(reading, reading->column[reading->page == SUMMARY ? INVOCATIONS : ID], id, sizeof id);
    return record->fault == SMC_CSV_SOUND && record->field_count >= needed && *id &&
           strspn(id, "0123456789") == strlen(id);
}

static bool is_header(const struct ncu_reading *reading)
{
    char value[MOST_VALUE];
    const struct smc_csv_record *record = reading->record;
    bool kernel = false, other = false;
    for (uint32_t i = 0; i < record->field_count && i < 64; i++) {
        ncu_get(reading, i, value, sizeof value);
        kernel |= strcmp(value, column_names[KERNEL]) == 0;
        other |=
            strcmp(value, column_names[ID]) == 0 || strcmp(value, column_names[METRIC_NAME]) == 0;
    }
    return kernel && other;
}

/* A row begins with its quoted ID; if a quote is not closed to the end, the rest is missing. */
static bool is_cut(const struct smc_csv_record *record)
{
    return record->fault == SMC_CSV_UNCLOSED_QUOTE && record->length > 1 &&
           record->text[0] == '"' && record->text[1] >= '0' && record->text[1] <= '9';
}

static enum smc_status take_record(struct ncu_reading *reading)
{
    enum smc_status status = SMC_OK;
    if (is_cut(reading->record))
        return smc_fail(reading->error, SMC_USAGE,
                        "%s:%llu: the file ends within a quoted field: it was cut", reading->shown,
                        (unsigned long long)reading->lines_before + reading->record->line);
    if (is_row(reading)) {
        reading->units_follow = false;
        if (reading->for_launches)
            return ncu_take_row(reading);
        see_numbers(reading);
    } else if (is_header(reading)) {
        if (reading->for_launches)
            status = end_launch(reading);
        return status == SMC_OK ? ncu_read_header(reading) : status;
    } else if (reading->units_follow && reading->record->field_count == reading->header_fields &&
               reading->record->fault == SMC_CSV_SOUND)
        read_units(reading);
    else if (reading->for_launches && strncmp(reading->record->text, "==", 2) != 0 &&
             reading->strange_lines++ == 0)
        reading->strange_line = reading->lines_before + reading->record->line;
    return SMC_OK;
}

static enum smc_status read_stream(void *context, char *bytes, size_t capacity, size_t *count,
                                   struct smc_error *error)
{
    struct ncu_reading *reading = context;
    *count = fread(bytes, 1, capacity, reading->stream);
    return ferror(reading->stream)
               ? smc_fail(error, SMC_USAGE, "%s: %s", reading->shown, strerror(errno))
               : SMC_OK;
}

static enum smc_status ncu_read_text(void *context, char *bytes, size_t capacity, size_t *count,
                                     struct smc_error *error)
{
    struct ncu_reading *reading = context;
    if (!smc_ncu_text_read(&reading->text, bytes, capacity, count))
        return smc_out_of_memory(error);
    return ferror(reading->stream)
               ? smc_fail(error, SMC_USAGE, "%s: %s", reading->shown, strerror(errno))
               : SMC_OK;
}

static enum smc_status read_table(struct ncu_reading *reading)
{
    bool found = true;
    rewind(reading->stream);
    SMC_TRY(ncu_find_header(reading));
    const struct smc_csv_source source = {reading->is_text ? ncu_read_text : read_stream, reading};
    reading->text.stream = reading->stream;
    enum smc_status status = smc_csv_open_wide(&reading->csv, &source, MOST_RECORD_BYTES,
                                               MOST_RECORD_FIELDS, reading->error);
    if (status == SMC_OK)
        status = smc_csv_read(&reading->csv, reading->record, &found, reading->error);
    if (status == SMC_OK && reading->record->fault == SMC_CSV_TOO_LONG)
        status = smc_fail(reading->error, SMC_USAGE, "%s:%llu: the header has more than %d bytes",
                          reading->shown, (unsigned long long)reading->lines_before + 1,
                          MOST_RECORD_BYTES);
    if (status == SMC_OK)
        status = ncu_read_header(reading);
    while (status == SMC_OK && found) {
        status = smc_csv_read(&reading->csv, reading->record, &found, reading->error);
        if (status == SMC_OK && found)
            status = take_record(reading);
    }
    if (status == SMC_OK && reading->for_launches)
        status = end_launch(reading);
    ncu_free_launch(&reading->launch);
    smc_ncu_text_free(&reading->text);
    smc_csv_close(&reading->csv);
    return status;
}

/* --- The whole file --------------------------------------------------------------------------- */

static void ncu_note_unknown(struct ncu_reading *reading)
{
    const unsigned long long all = reading->launches;
    struct smc_trace *trace = reading->trace;
    for (size_t i = 0; i < NEEDS; i++)
        if (reading->without[i] > 0 && reading->without[i] == all)
            smc_trace_note(trace,
                           "%s were not recorded (sections LaunchStats, Occupancy and "
                           "SpeedOfLight have all)",
                           needs[i]);
        else if (reading->without[i] > 0)
            smc_trace_note(trace, "%s are unknown for %llu of %llu launches", needs[i],
                           (unsigned long long)reading->without[i], all);
    if (reading->rounded_smem)
        smc_trace_note(trace, "sizes of shared memory are rounded in the file, and taken to be "
                              "the roundest number of bytes; 'ncu --print-units base' records "
                              "them exactly");
    if (reading->flat_blocks)
        smc_trace_note(trace, "of some blocks only the number of threads was recorded: they are "
                              "shown in x");
    if (reading->flat_clusters)
        smc_trace_note(trace, "of some clusters only the number of blocks was recorded: they are "
                              "shown in x");
    if (reading->strange_lines > 0)
        smc_trace_note(trace,
                       "%llu line%s that belong to no launch were left out, first line "
                       "%llu",
                       (unsigned long long)reading->strange_lines,
                       smc_text_plural(reading->strange_lines),
                       (unsigned long long)reading->strange_line);
    if (all == 0)
        smc_trace_note(trace, "no kernels were recorded");
}

static enum smc_status ncu_read_launches(struct ncu_reading *reading)
{
    SMC_TRY(read_table(reading));
    SMC_TRY(decide_sign(reading));
    reading->for_launches = true;
    SMC_TRY(read_table(reading));
    ncu_note_unknown(reading);
    return SMC_OK;
}

/* After much output of the program, the table may be one of nsys stats or nvprof. `status` says why
   it is none of ncu. */
static enum smc_status read_other_tables(struct ncu_reading *reading, enum smc_status status)
{
    bool found;
    struct smc_error why = {""};
    enum smc_status other = smc_trace_read_tables(reading->stream, reading->trace, &found, &why);
    if (!found && other != SMC_MACHINE)
        return status;
    *reading->error = why;
    return other;
}

static enum smc_status ncu_read(struct smc_trace_input *input, struct smc_trace *trace,
                                struct smc_error *error)
{
    smc_auto_free struct ncu_reading *reading = smc_calloc(1, sizeof *reading);
    smc_auto_free struct smc_csv_record *record = smc_malloc(sizeof *record);
    trace->source = SMC_TRACE_NSIGHT_COMPUTE;
    trace->tool = smc_strdup("Nsight Compute");
    if (!reading || !record || !trace->tool)
        return smc_out_of_memory(error);
    *reading = (struct ncu_reading){
        .shown = trace->file, .trace = trace, .error = error, .record = record};
    enum smc_status status = smc_trace_input_stream(input, &reading->stream, error);
    if (status == SMC_OK)
        status = ncu_read_launches(reading);
    if (status == SMC_USAGE && reading->stream && !reading->has_table)
        status = read_other_tables(reading, status);
    if (reading->stream)
        fclose(reading->stream);
    return status;
}

const struct smc_trace_reader smc_trace_reader_ncu = {.begins = ncu_begins, .read = ncu_read};
