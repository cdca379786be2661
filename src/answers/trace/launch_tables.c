/* Tables with a row for each launch, as `nsys stats --report cuda_gpu_trace` and `nvprof
   --print-gpu-trace` print them: in CSV, or in columns. A file is read twice: first to see how many
   bytes a KB has, which depends on the release of nvprof, then for its launches. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/trace/ncu_numbers.h"
#include "answers/trace_answer.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"

enum {
    MOST_FIELDS = 64,
    MOST_LINE = 1 << 20,
    MOST_UNIT = 16,
    ABSENT = MOST_FIELDS,
};

enum launch_tables_column {
    START,
    DURATION,
    GRID_X,
    GRID_Y,
    GRID_Z,
    GRID_SIZE,
    BLOCK_X,
    BLOCK_Y,
    BLOCK_Z,
    BLOCK_SIZE,
    REGISTERS,
    STATIC_SMEM,
    DYNAMIC_SMEM,
    SIZE, /* of a copy */
    DEVICE,
    INSTANCES,
    TOTAL_TIME,
    LEAST_TIME,
    GREATEST_TIME,
    NAME,
    COLUMNS,
};

/* A heading begins with one of these names; a unit may follow in parentheses. */
static const char *const column_names[COLUMNS][3] = {
    [START] = {"Start"},
    [DURATION] = {"Duration"},
    [GRID_X] = {"GrdX", "Grid X"},
    [GRID_Y] = {"GrdY", "Grid Y"},
    [GRID_Z] = {"GrdZ", "Grid Z"},
    [GRID_SIZE] = {"Grid Size", "GridXYZ"},
    [BLOCK_X] = {"BlkX", "Block X"},
    [BLOCK_Y] = {"BlkY", "Block Y"},
    [BLOCK_Z] = {"BlkZ", "Block Z"},
    [BLOCK_SIZE] = {"Block Size", "BlockXYZ"},
    [REGISTERS] = {"Reg/Trd", "Registers Per Thread", "Regs*"},
    [STATIC_SMEM] = {"StcSMem", "Static SMem", "SSMem*"},
    [DYNAMIC_SMEM] = {"DymSMem", "Dynamic SMem", "DSMem*"},
    [SIZE] = {"Bytes", "Size"},
    [DEVICE] = {"Device"},
    [INSTANCES] = {"Instances", "Calls", "Num Calls"},
    [TOTAL_TIME] = {"Total Time"},
    [LEAST_TIME] = {"Min", "Minimum"},
    [GREATEST_TIME] = {"Max", "Maximum"},
    [NAME] = {"Name"},
};

/* What separates the fields of a line. */
enum launch_tables_layout {
    NO_TABLE,
    SEPARATED, /* by `separator` */
    SPACED,    /* by two spaces or more */
    ALIGNED,   /* below the dashes under the headings */
};

struct layout_of {
    enum launch_tables_layout kind;
    char separator;
    size_t begin[MOST_FIELDS], end[MOST_FIELDS]; /* of aligned columns */
};

struct table_reading {
    const char *shown; /* the file's name, safe for a terminal */
    struct smc_trace *trace;
    struct smc_error *error;
    FILE *stream;
    struct smc_text line;
    uint64_t line_number;
    bool for_launches; /* the second time */

    struct layout_of layout;
    char *field[MOST_FIELDS]; /* in `line` */
    size_t field_count, header_fields;
    bool is_closed;         /* so is every quote of the line */
    size_t column[COLUMNS]; /* its field, or ABSENT */
    char unit[COLUMNS][MOST_UNIT];
    bool is_nvprof, units_follow, dashes_follow;

    int64_t pid; /* of nvprof's last message */
    struct smc_text command;
    uint64_t fits_1000, fits_1024; /* sizes that are whole numbers of bytes only so */
    bool has_trace, has_summary;
    uint64_t kernels, others, rounded, unknown_smem;
    bool guessed_kb, cut_names;
};

/* --- Lines and fields ------------------------------------------------------------------------- */

/* The next line without its end. `*found`: false at the end of the file. */
static enum smc_status launch_tables_read_line(struct table_reading *reading, bool *found)
{
    char part[4096];
    struct smc_text *line = &reading->line;
    line->length = 0;
    *found = false;
    while (fgets(part, sizeof part, reading->stream)) {
        *found = true;
        smc_text_append(line, part);
        if (strchr(part, '\n') || line->length > MOST_LINE)
            break;
    }
    reading->line_number++;
    if (line->failed)
        return smc_out_of_memory(reading->error);
    if (ferror(reading->stream))
        return smc_fail(reading->error, SMC_USAGE, "%s: %s", reading->shown, strerror(errno));
    if (line->length > MOST_LINE)
        return smc_fail(reading->error, SMC_USAGE, "%s:%llu: a line of more than %d bytes",
                        reading->shown, (unsigned long long)reading->line_number, MOST_LINE);
    while (line->length > 0 && strchr("\r\n", line->data[line->length - 1]))
        line->data[--line->length] = '\0';
    return SMC_OK;
}

static char *launch_tables_trim(char *begin, char *end)
{
    while (begin < end && *begin == ' ')
        begin++;
    while (end > begin && end[-1] == ' ')
        end--;
    *end = '\0';
    return begin;
}

/* Ends a field at its separator. Quotes around it are removed, doubled ones within made single. */
static char *end_field(char *begin, char separator, char **rest, bool *is_closed)
{
    char *to = begin, *at = begin + 1;
    if (*begin != '"' || separator != ',') {
        char *end = begin + strcspn(begin, (const char[]){separator, '\0'});
        *rest = *end ? end + 1 : NULL;
        return launch_tables_trim(begin, end);
    }
    for (; *at && (*at != '"' || at[1] == '"'); at++) {
        at += *at == '"';
        *to++ = *at;
    }
    *is_closed &= *at == '"';
    at = strchr(at, separator);
    *to = '\0';
    *rest = at ? at + 1 : NULL;
    return begin;
}

static void split_separated(struct table_reading *reading, char *line)
{
    const char separator = reading->layout.separator;
    if (separator == '|' && *line == '|')
        line++;
    for (char *rest; line && reading->field_count < MOST_FIELDS; line = rest) {
        reading->field[reading->field_count++] =
            end_field(line, separator, &rest, &reading->is_closed);
        if (separator == '|' && rest && !*rest)
            break;
    }
}

static void split_spaced(struct table_reading *reading, char *line)
{
    line += strspn(line, " ");
    while (*line && reading->field_count < MOST_FIELDS) {
        char *gap = strstr(line, "  "), *end = gap ? gap : line + strlen(line);
        char *next = end + strspn(end, " ");
        reading->field[reading->field_count++] = launch_tables_trim(line, end);
        line = next;
    }
}

static void split_aligned(struct table_reading *reading, char *line)
{
    size_t length = strlen(line);
    const struct layout_of *layout = &reading->layout;
    for (size_t i = 0; i < reading->header_fields; i++) {
        size_t begin = layout->begin[i] < length ? layout->begin[i] : length;
        size_t end =
            i + 1 < reading->header_fields && layout->end[i] < length ? layout->end[i] : length;
        reading->field[reading->field_count++] = launch_tables_trim(line + begin, line + end);
    }
}

static void launch_tables_split(struct table_reading *reading, char *line)
{
    reading->field_count = 0;
    reading->is_closed = true;
    if (reading->layout.kind == SEPARATED)
        split_separated(reading, line);
    else if (reading->layout.kind == SPACED)
        split_spaced(reading, line);
    else if (reading->layout.kind == ALIGNED)
        split_aligned(reading, line);
}

static const char *launch_tables_get(const struct table_reading *reading,
                                     enum launch_tables_column column)
{
    const size_t index = reading->column[column];
    const char *value = index < reading->field_count ? reading->field[index] : "";
    return strcmp(value, "-") == 0 ? "" : value;
}

/* --- The header ------------------------------------------------------------------------------- */

/* "StcSMem (MB)" is the column of "StcSMem", with the unit "MB". */
static void take_heading(struct table_reading *reading, size_t field)
{
    const char *heading = reading->field[field];
    const char *unit = strchr(heading, '(');
    size_t length = unit ? (size_t)(unit - heading) : strlen(heading);
    while (length > 0 && heading[length - 1] == ' ')
        length--;
    for (int i = 0; i < COLUMNS; i++)
        for (int k = 0; k < 3 && column_names[i][k]; k++)
            if (reading->column[i] == ABSENT && strlen(column_names[i][k]) == length &&
                strncmp(heading, column_names[i][k], length) == 0) {
                reading->column[i] = field;
                const size_t end = unit ? strcspn(unit + 1, ")") : 0;
                if (end > 0 && end < MOST_UNIT)
                    snprintf(reading->unit[i], MOST_UNIT, "%.*s", (int)end, unit + 1);
            }
}

static void forget_header(struct table_reading *reading)
{
    reading->layout = (struct layout_of){NO_TABLE, 0, {0}, {0}};
    reading->header_fields = 0;
    reading->units_follow = reading->dashes_follow = false;
    memset(reading->unit, 0, sizeof reading->unit);
    for (int i = 0; i < COLUMNS; i++)
        reading->column[i] = ABSENT;
}

static bool has_column(const struct table_reading *reading, enum launch_tables_column column)
{
    return reading->column[column] != ABSENT;
}

/* A row is a launch, or several of one grid and block. */
static bool launch_tables_has_launches(const struct table_reading *reading)
{
    bool grid = has_column(reading, GRID_X) || has_column(reading, GRID_SIZE);
    return grid && has_column(reading, NAME) &&
           (has_column(reading, DURATION) || has_column(reading, INSTANCES));
}

/* Whether the line has the headings of a table that is known; then the table begins. */
static bool launch_tables_read_header(struct table_reading *reading)
{
    static const char separators[] = ",\t|";
    smc_auto_text copy = {0};
    const char *line = smc_text_string(&reading->line);
    bool found = false;
    if (!strstr(line, "Name"))
        return false;
    for (size_t i = 0; i < sizeof separators && !found; i++) {
        if (separators[i] && !strchr(line, separators[i]))
            continue;
        copy.length = 0;
        smc_text_append(&copy, line);
        if (copy.failed)
            break;
        forget_header(reading);
        reading->layout.kind = separators[i] ? SEPARATED : SPACED;
        reading->layout.separator = separators[i];
        launch_tables_split(reading, copy.data);
        for (size_t k = 0; k < reading->field_count; k++)
            take_heading(reading, k);
        found = launch_tables_has_launches(reading) ||
                (has_column(reading, NAME) && has_column(reading, INSTANCES) &&
                 has_column(reading, LEAST_TIME));
    }
    if (found) {
        reading->header_fields = reading->field_count;
        if (has_column(reading, DURATION))
            reading->is_nvprof = !reading->unit[DURATION][0];
        reading->units_follow = reading->is_nvprof && reading->layout.kind == SEPARATED;
        reading->dashes_follow = reading->layout.kind == SPACED;
        reading->has_trace |= launch_tables_has_launches(reading);
        reading->has_summary |= !launch_tables_has_launches(reading);
    }
    reading->field_count = 0;
    return found;
}

/* The dashes below headings tell where the columns are. */
static bool launch_tables_read_dashes(struct table_reading *reading)
{
    const char *line = smc_text_string(&reading->line);
    struct layout_of *layout = &reading->layout;
    size_t count = 0;
    if (line[strspn(line, "- ")] || !strchr(line, '-'))
        return false;
    for (size_t at = strspn(line, " "); line[at] && count < MOST_FIELDS; count++) {
        layout->begin[count] = at;
        layout->end[count] = at + strspn(line + at, "-");
        at = layout->end[count] + strspn(line + layout->end[count], " ");
    }
    if (count == reading->header_fields)
        layout->kind = ALIGNED;
    return count == reading->header_fields;
}

/* --- Numbers ---------------------------------------------------------------------------------- */

/* "661,398" or "8.1920KB": the number, its digits after the point, and what follows it, else the
   column's unit. */
static bool launch_tables_read_number(const struct table_reading *reading,
                                      enum launch_tables_column column, double *value,
                                      int *decimals, char unit[MOST_UNIT])
{
    char number[64];
    const char *text = launch_tables_get(reading, column);
    const size_t length = strspn(text, "0123456789.,");
    if (length == 0 || length >= sizeof number)
        return false;
    snprintf(number, sizeof number, "%.*s", (int)length, text);
    snprintf(unit, MOST_UNIT, "%.15s", text[length] ? text + length : reading->unit[column]);
    return smc_ncu_number(number, SMC_NCU_POINT, value, decimals);
}

/* "nsec" is "ns". */
static double time_scale(const char *unit)
{
    char letters[MOST_UNIT];
    const char *second = strstr(unit, "sec");
    snprintf(letters, sizeof letters, "%.*s", second ? (int)(second - unit) + 1 : MOST_UNIT - 1,
             unit);
    return smc_ncu_scale(SMC_NCU_TIME, letters);
}

static bool launch_tables_read_time(const struct table_reading *reading,
                                    enum launch_tables_column column, uint64_t *ns)
{
    enum { MOST = 62 };
    double value;
    int decimals;
    char unit[MOST_UNIT];
    if (!launch_tables_read_number(reading, column, &value, &decimals, unit))
        return false;
    value *= time_scale(unit);
    *ns = (uint64_t)(value + 0.5);
    return time_scale(unit) > 0 && value < ldexp(1, MOST);
}

static int64_t launch_tables_read_integer(const struct table_reading *reading,
                                          enum launch_tables_column column, int64_t least,
                                          int64_t most)
{
    double value;
    int decimals;
    char unit[MOST_UNIT];
    return launch_tables_read_number(reading, column, &value, &decimals, unit) && decimals == 0 &&
                   !unit[0] && value >= (double)least && value <= (double)most
               ? (int64_t)value
               : SMC_TRACE_UNKNOWN;
}

/* "(20 10 1)", "1 1 2304", "(20,10,1)". */
static void launch_tables_read_dimensions(const char *text, uint32_t out[3])
{
    unsigned long value[3];
    if (sscanf(text + strcspn(text, "0123456789"), "%9lu%*[ ,]%9lu%*[ ,]%9lu", &value[0], &value[1],
               &value[2]) == 3 &&
        value[0] && value[1] && value[2])
        for (int i = 0; i < 3; i++)
            out[i] = (uint32_t)value[i];
}

static void launch_tables_read_shape(const struct table_reading *reading,
                                     enum launch_tables_column first,
                                     enum launch_tables_column together, uint32_t out[3])
{
    int64_t edge[3];
    if (!has_column(reading, first)) {
        launch_tables_read_dimensions(launch_tables_get(reading, together), out);
        return;
    }
    for (int i = 0; i < 3; i++)
        edge[i] = launch_tables_read_integer(reading, first + (enum launch_tables_column)i, 1,
                                             UINT32_MAX);
    for (int i = 0; i < 3 && edge[0] > 0 && edge[1] > 0 && edge[2] > 0; i++)
        out[i] = (uint32_t)edge[i];
}

/* --- Sizes ------------------------------------------------------------------------------------ */

/* Bytes in a unit whose K is `kilo`; 0: it is not a unit. */
static double size_scale(const char *unit, double kilo)
{
    static const char *const units[] = {"B", "KB", "MB", "GB"};
    static const char *const binary[] = {"B", "KiB", "MiB", "GiB"};
    double scale = 1;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++, scale *= kilo) {
        if (smc_equal_ignoring_case(unit, units[i]))
            return scale;
        if (smc_equal_ignoring_case(unit, binary[i]))
            return pow(1024, (double)i);
    }
    return 0;
}

/* The sizes from `least` to `most` that a printed number stands for. */
struct table_span {
    double least, most;
};

static struct table_span span_of(double value, int decimals, double scale)
{
    const double half = 0.5 * scale / pow(10, decimals);
    return (struct table_span){ceil(value * scale - half - 1e-6),
                               floor(value * scale + half + 1e-6)};
}

/* A size whose digits go beyond the byte is whole with the right K alone. */
static void see_size(struct table_reading *reading, enum launch_tables_column column)
{
    double value;
    int decimals;
    char unit[MOST_UNIT];
    if (!reading->is_nvprof ||
        !launch_tables_read_number(reading, column, &value, &decimals, unit) || value == 0 ||
        size_scale(unit, 1000) == size_scale(unit, 1024))
        return;
    const struct table_span with_1000 = span_of(value, decimals, size_scale(unit, 1000));
    const struct table_span with_1024 = span_of(value, decimals, size_scale(unit, 1024));
    reading->fits_1000 += with_1000.most >= with_1000.least && with_1024.most < with_1024.least;
    reading->fits_1024 += with_1024.most >= with_1024.least && with_1000.most < with_1000.least;
}

/* Shared memory in bytes. If several sizes are printed alike, it is the multiple of 1 KB among
   them, if there is one. */
static int64_t read_smem(struct table_reading *reading, enum launch_tables_column column)
{
    enum { KB = 1024 };
    double value;
    int decimals;
    char unit[MOST_UNIT];
    if (!has_column(reading, column) ||
        !launch_tables_read_number(reading, column, &value, &decimals, unit))
        return SMC_TRACE_UNKNOWN;
    const bool is_known = reading->fits_1000 == 0 || reading->fits_1024 == 0;
    const double kilo = reading->is_nvprof && reading->fits_1000 == 0 ? KB : 1000;
    const double scale = size_scale(unit, kilo);
    const struct table_span span = span_of(value, decimals, scale);
    if (scale == 0 || (!is_known && value != 0 && scale > 1) || span.most > INT32_MAX ||
        span.most < span.least)
        return SMC_TRACE_UNKNOWN;
    reading->guessed_kb |=
        reading->is_nvprof && scale > 1 && value != 0 && !reading->fits_1024 && !reading->fits_1000;
    if (value == 0 || span.least == span.most) {
        reading->rounded += span.most > span.least && span.most > 0;
        return (int64_t)(value == 0 ? 0 : span.least);
    }
    const int64_t multiple = (int64_t)(span.most / KB) * KB;
    if ((double)multiple < span.least || (double)(multiple - KB) >= span.least)
        return SMC_TRACE_UNKNOWN;
    reading->rounded++;
    return multiple;
}

/* --- Launches --------------------------------------------------------------------------------- */

/* "NVIDIA H200 (0)": its name and its number. */
static int32_t launch_tables_find_device(struct table_reading *reading)
{
    char name[128];
    struct smc_trace_gpu gpu = {.name = name};
    snprintf(name, sizeof name, "%.127s", launch_tables_get(reading, DEVICE));
    char *number = strrchr(name, '(');
    int64_t id = 0;
    if (number && number > name) {
        char *end = strchr(number, ')');
        if (end && !end[1]) {
            *end = '\0';
            if (smc_parse_integer(number + 1, 0, INT32_MAX, &id))
                launch_tables_trim(name, number);
        }
    }
    gpu.id = id;
    return *name ? smc_trace_device(reading->trace, &gpu) : SMC_TRACE_UNKNOWN;
}

/* nvprof writes the number of the call after a name: "saxpy(int) [104]". */
static void cut_call(char *name)
{
    char *open = strrchr(name, '[');
    if (open && open > name && open[-1] == ' ' && open[1] &&
        strcmp(open + 1 + strspn(open + 1, "0123456789"), "]") == 0)
        open[-1] = '\0';
}

static void take_times(const struct table_reading *reading, struct smc_trace_launch *out)
{
    uint64_t start, ns;
    if (has_column(reading, INSTANCES)) {
        const int64_t launches = launch_tables_read_integer(reading, INSTANCES, 1, INT32_MAX);
        out->launches = launches > 0 ? (uint64_t)launches : 1;
        if (launches > 0 && launch_tables_read_time(reading, TOTAL_TIME, &out->total_ns) &&
            launch_tables_read_time(reading, LEAST_TIME, &out->least_ns) &&
            launch_tables_read_time(reading, GREATEST_TIME, &out->greatest_ns))
            out->timed_launches = out->launches;
    } else if (launch_tables_read_time(reading, START, &start) &&
               launch_tables_read_time(reading, DURATION, &ns)) {
        out->timed_launches = 1;
        out->total_ns = out->least_ns = out->greatest_ns = ns;
    }
}

static enum smc_status tables_add_launch(struct table_reading *reading,
                                         struct smc_trace_launch *launch)
{
    size_t index;
    uint64_t start;
    struct smc_trace *trace = reading->trace;
    if (has_column(reading, DEVICE) && *launch_tables_get(reading, DEVICE)) {
        launch->device = launch_tables_find_device(reading);
        if (launch->device == SMC_TRACE_UNKNOWN)
            return smc_out_of_memory(reading->error);
    }
    if (reading->pid >= 0) {
        const char *command = reading->command.length ? reading->command.data : NULL;
        launch->process = smc_trace_process(trace, reading->pid, command);
        if (launch->process == SMC_TRACE_UNKNOWN)
            return smc_out_of_memory(reading->error);
    }
    SMC_TRY(smc_trace_add_launches(trace, launch, &index, reading->error));
    if (launch->timed_launches == 1 && launch_tables_read_time(reading, START, &start))
        SMC_TRY(smc_trace_add_span(trace, index, start, start + launch->total_ns, reading->error));
    return SMC_OK;
}

static enum smc_status launch_tables_take_kernel(struct table_reading *reading)
{
    struct smc_trace_launch launch;
    char unnamed[] = "(unnamed)";
    char *name = reading->field[reading->column[NAME]];
    const bool has_smem = has_column(reading, STATIC_SMEM) || has_column(reading, DYNAMIC_SMEM);
    smc_trace_launch_init(&launch);
    cut_call(name);
    launch.name = *name ? name : unnamed;
    launch.launches = 1;
    launch_tables_read_shape(reading, GRID_X, GRID_SIZE, launch.grid);
    launch_tables_read_shape(reading, BLOCK_X, BLOCK_SIZE, launch.block);
    launch.regs_per_thread = (int32_t)launch_tables_read_integer(reading, REGISTERS, 1, 1024);
    launch.static_smem_bytes = read_smem(reading, STATIC_SMEM);
    launch.dynamic_smem_bytes = read_smem(reading, DYNAMIC_SMEM);
    take_times(reading, &launch);
    reading->kernels++;
    reading->unknown_smem +=
        has_smem && (launch.static_smem_bytes < 0 || launch.dynamic_smem_bytes < 0);
    reading->cut_names |= reading->layout.kind != SEPARATED && strstr(name, "...") != NULL;
    return tables_add_launch(reading, &launch);
}

/* --- Rows ------------------------------------------------------------------------------------- */

/* "==15562== NVPROF is profiling process 15562, command: ./app" */
static void read_message(struct table_reading *reading, const char *line)
{
    static const char command[] = ", command: ";
    char *rest;
    const unsigned long long pid = strtoull(line + 2, &rest, 10);
    if (rest == line + 2 || strncmp(rest, "== ", 3) != 0 || pid > INT32_MAX)
        return;
    const char *named = strstr(rest, command);
    if ((int64_t)pid != reading->pid)
        reading->command.length = 0;
    reading->pid = (int64_t)pid;
    if (named) {
        reading->command.length = 0;
        smc_text_append(&reading->command, named + sizeof command - 1);
    }
    if (strncmp(rest, "== Warning: ", 12) == 0 || strncmp(rest, "== Error: ", 10) == 0) {
        smc_auto_text note = {0};
        smc_text_append(&note, rest + 3);
        if (note.data)
            smc_utf8_make_safe(note.data);
        smc_trace_note(reading->trace, "nvprof: %.300s", smc_text_string(&note));
    }
}

/* Whether nothing but a row can have this in its first columns: a number and a time. */
static bool begins_row(const struct table_reading *reading)
{
    uint64_t ns;
    return has_column(reading, DURATION)
               ? launch_tables_read_time(reading, DURATION, &ns)
               : launch_tables_read_integer(reading, INSTANCES, 0, INT64_MAX) >= 0;
}

static enum smc_status launch_tables_take_row(struct table_reading *reading)
{
    const char *grid = launch_tables_get(reading, has_column(reading, GRID_X) ? GRID_X : GRID_SIZE);
    const bool fits = reading->field_count == reading->header_fields && reading->is_closed;
    const char *first = reading->field_count > 0 ? reading->field[0] : "";
    if (!begins_row(reading) && !(fits && *first >= '0' && *first <= '9')) {
        forget_header(reading); /* another table, or text */
        return SMC_OK;
    }
    if (!fits || !begins_row(reading))
        return smc_fail(reading->error, SMC_USAGE,
                        "%s:%llu: the row does not fit the %zu columns: the file is damaged or was "
                        "cut",
                        reading->shown, (unsigned long long)reading->line_number,
                        reading->header_fields);
    if (!reading->for_launches) {
        see_size(reading, STATIC_SMEM);
        see_size(reading, DYNAMIC_SMEM);
        see_size(reading, SIZE);
        return SMC_OK;
    }
    if (*grid)
        return launch_tables_take_kernel(reading);
    reading->others++;
    return SMC_OK;
}

/* The row below nvprof's headings in CSV. */
static bool launch_tables_read_units(struct table_reading *reading)
{
    const size_t start = reading->column[DURATION];
    if (start >= reading->field_count || time_scale(reading->field[start]) <= 0)
        return false;
    for (int i = 0; i < COLUMNS; i++)
        if (has_column(reading, (enum launch_tables_column)i))
            snprintf(reading->unit[i], MOST_UNIT, "%.15s",
                     launch_tables_get(reading, (enum launch_tables_column)i));
    return true;
}

static enum smc_status launch_tables_take_line(struct table_reading *reading)
{
    const char *line = smc_text_string(&reading->line);
    const bool units_follow = reading->units_follow, dashes_follow = reading->dashes_follow;
    const bool is_rule = line[0] == '+' && line[strspn(line, "+-=")] == '\0';
    reading->units_follow = reading->dashes_follow = false;
    if (strncmp(line, "==", 2) == 0 && reading->for_launches)
        read_message(reading, line);
    if (strncmp(line, "==", 2) == 0 || is_rule ||
        (dashes_follow && launch_tables_read_dashes(reading)) || launch_tables_read_header(reading))
        return SMC_OK;
    if (!*line)
        forget_header(reading);
    if (reading->layout.kind == NO_TABLE || !launch_tables_has_launches(reading))
        return SMC_OK;
    launch_tables_split(reading, reading->line.data);
    if (units_follow && launch_tables_read_units(reading))
        return SMC_OK;
    return launch_tables_take_row(reading);
}

/* --- The whole file --------------------------------------------------------------------------- */

static bool launch_tables_begins(const char *bytes, size_t count)
{
    smc_auto_free struct table_reading *reading = smc_calloc(1, sizeof *reading);
    bool found = false;
    if (!reading || memchr(bytes, '\0', count))
        return false;
    for (const char *line = bytes; line && *line && !found;) {
        const size_t length = strcspn(line, "\r\n");
        reading->line.length = 0;
        smc_text_append_bytes(&reading->line, line, length);
        found = launch_tables_read_header(reading) ||
                (strncmp(line, "==", 2) == 0 && length > 2 &&
                 strstr(smc_text_string(&reading->line), "== NVPROF is "));
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    smc_text_free(&reading->line);
    return found;
}

static enum smc_status launch_tables_read_lines(struct table_reading *reading)
{
    bool found = true;
    rewind(reading->stream);
    reading->line_number = 0;
    forget_header(reading);
    SMC_TRY(launch_tables_read_line(reading, &found));
    while (found) {
        SMC_TRY(launch_tables_take_line(reading));
        SMC_TRY(launch_tables_read_line(reading, &found));
    }
    return SMC_OK;
}

static enum smc_status refuse_summary(const struct table_reading *reading)
{
    return smc_fail(reading->error, SMC_USAGE,
                    "%s: %s, without the grid, block, registers and shared memory of launches; "
                    "'nsys export --type sqlite REPORT.nsys-rep' has all, 'nsys stats --report "
                    "cuda_gpu_trace --format csv' and 'nvprof --print-gpu-trace --csv' nearly all",
                    reading->shown,
                    reading->has_summary ? "a summary of kernels or calls"
                                         : "no table of launches");
}

static void launch_tables_note_unknown(const struct table_reading *reading)
{
    static const char exact[] = "the .sqlite that 'nsys export --type sqlite' writes has all bytes";
    struct smc_trace *trace = reading->trace;
    if (reading->others)
        smc_trace_note(trace, "without a grid, and passed over: %llu row%s, such as memory copies",
                       (unsigned long long)reading->others, smc_text_plural(reading->others));
    if (reading->rounded)
        smc_trace_note(trace,
                       "sizes of shared memory are rounded in the table, and taken to be 0 or the "
                       "multiple of 1 KB that fits; %s",
                       reading->is_nvprof ? "nvprof --csv prints more digits" : exact);
    if (reading->unknown_smem)
        smc_trace_note(trace,
                       "sizes of shared memory are unknown for %llu of %llu launches: as printed, "
                       "they fit no or several multiples of 1 KB; %s",
                       (unsigned long long)reading->unknown_smem,
                       (unsigned long long)reading->kernels,
                       reading->is_nvprof ? "nvprof --csv prints more digits" : exact);
    if (reading->guessed_kb)
        smc_trace_note(trace, "KB is taken as 1024 bytes, as in nvprof of CUDA 8 and newer: no "
                              "size in the file tells");
    if (reading->cut_names)
        smc_trace_note(trace, "names with '...' were shortened in the table: CSV has them whole");
    if (reading->kernels == 0)
        smc_trace_note(trace, "no kernels were recorded");
}

static enum smc_status read_twice(struct table_reading *reading)
{
    SMC_TRY(launch_tables_read_lines(reading));
    if (!reading->has_trace)
        SMC_TRY(refuse_summary(reading));
    reading->for_launches = true;
    SMC_TRY(launch_tables_read_lines(reading));
    struct smc_trace *trace = reading->trace;
    trace->source = reading->is_nvprof ? SMC_TRACE_NVPROF : SMC_TRACE_NSIGHT_SYSTEMS;
    free(trace->tool);
    trace->tool = smc_strdup(reading->is_nvprof ? "nvprof" : "Nsight Systems (nsys stats)");
    if (!trace->tool)
        return smc_out_of_memory(reading->error);
    launch_tables_note_unknown(reading);
    return SMC_OK;
}

enum smc_status smc_trace_read_tables(FILE *stream, struct smc_trace *trace, bool *found,
                                      struct smc_error *error)
{
    smc_auto_free struct table_reading *reading = smc_calloc(1, sizeof *reading);
    *found = false;
    if (!reading)
        return smc_out_of_memory(error);
    reading->shown = trace->file;
    reading->trace = trace;
    reading->error = error;
    reading->stream = stream;
    reading->pid = SMC_TRACE_UNKNOWN;
    enum smc_status status = read_twice(reading);
    *found = reading->has_trace || reading->has_summary;
    smc_text_free(&reading->line);
    smc_text_free(&reading->command);
    return status;
}

static enum smc_status tables_read(struct smc_trace_input *input, struct smc_trace *trace,
                                   struct smc_error *error)
{
    bool found;
    smc_auto_file FILE *stream = NULL;
    SMC_TRY(smc_trace_input_stream(input, &stream, error));
    return smc_trace_read_tables(stream, trace, &found, error);
}

const struct smc_trace_reader smc_trace_reader_tables = {.begins = launch_tables_begins,
                                                         .read = tables_read};
