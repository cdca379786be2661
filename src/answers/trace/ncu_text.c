/* The tables that Nsight Compute prints without --csv:
     [1234] app@127.0.0.1
       saxpy(int, float *) (4096, 1, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 8.6
         Section: Launch Statistics
         -------------------------------- --------------- ---------------
         Metric Name                          Metric Unit    Metric Value
         -------------------------------- --------------- ---------------
         Registers Per Thread             register/thread              16
         -------------------------------- --------------- ---------------
   Older releases have no heading in the table, and the date instead of grid and block. The dashes
   mark the columns. */
#include "answers/trace/ncu_text.h"

#include <string.h>

static const char header[] =
    "\"ID\",\"Process ID\",\"Process Name\",\"Kernel Name\",\"Block Size\","
    "\"Grid Size\",\"Device\",\"CC\",\"Metric Name\",\"Metric Unit\","
    "\"Metric Value\"\n";

static const char context[] = ", Context ";

/* --- Launches --------------------------------------------------------------------------------- */

static const char *ncu_text_find_last(const char *line, const char *part)
{
    const char *found = NULL;
    for (const char *at = line; (at = strstr(at, part)); at++)
        found = at;
    return found;
}

bool smc_ncu_text_is_launch(const char *line)
{
    const char *after = ncu_text_find_last(line, context);
    return strncmp(line, "  ", 2) == 0 && line[2] > ' ' && after &&
           strchr("0123456789", after[sizeof context - 1]) && after[sizeof context - 1];
}

/* Where "(1, 1, 1)x(32, 1, 1)" begins, which ends at `end`; NULL: it does not. */
static const char *find_shape(const char *begin, const char *end)
{
    const char *at = end;
    for (int open = 0; open < 2 && at > begin; open += *at == '(')
        at--;
    unsigned grid[3], block[3];
    int length = 0;
    const bool is_shape = sscanf(at, "(%9u, %9u, %9u)x(%9u, %9u, %9u)%n", &grid[0], &grid[1],
                                 &grid[2], &block[0], &block[1], &block[2], &length) == 6;
    return is_shape && at + length == end ? at : NULL;
}

/* Where ", 2021-Mar-04 10:11:12" begins, which ends at `end`; else `end`. */
static const char *find_date(const char *begin, const char *end)
{
    static const size_t length = sizeof ", 2021-Mar-04 10:11:12" - 1;
    const char *at = (size_t)(end - begin) > length ? end - length : end;
    unsigned year, day, time[3];
    char month[4];
    return at < end && sscanf(at, ", %4u-%3[A-Z,a-z]-%2u %2u:%2u:%2u", &year, month, &day, &time[0],
                              &time[1], &time[2]) == 6
               ? at
               : end;
}

/* `,"value"` of what follows `name` up to the next comma; an empty field without it. */
static void append_named(const char *line, const char *name, struct smc_text *fields)
{
    const char *value = ncu_text_find_last(line, name);
    value = value ? value + strlen(name) : "";
    smc_text_append(fields, ",");
    smc_text_append_quoted(fields, value, strcspn(value, ",\n\r"));
}

static void ncu_text_begin_launch(struct smc_ncu_text *text, const char *line)
{
    const char *begin = line + 2, *after = ncu_text_find_last(line, context), *end = after;
    const char *shape = find_shape(begin, end);
    text->launches++;
    text->kernel.length = text->shape.length = text->device.length = 0;
    end = shape ? shape : find_date(begin, end);
    while (end > begin && end[-1] == ' ')
        end--;
    smc_text_append_quoted(&text->kernel, begin, (size_t)(end - begin));
    if (shape) {
        const char *block = strchr(shape, 'x') + 1;
        smc_text_append_quoted(&text->shape, block, (size_t)(after - block));
        smc_text_append(&text->shape, ",");
        smc_text_append_quoted(&text->shape, shape, (size_t)(block - 1 - shape));
    } else {
        smc_text_append(&text->shape, "\"\",\"\"");
    }
    append_named(after, ", Device ", &text->device);
    append_named(after, ", CC ", &text->device);
}

/* "[1234] app@127.0.0.1" */
static bool ncu_text_read_process(struct smc_ncu_text *text, const char *line)
{
    const char *number = line + 1, *close = number + strspn(number, "0123456789");
    if (line[0] != '[' || close == number || strncmp(close, "] ", 2) != 0)
        return false;
    const char *name = close + 2, *at = ncu_text_find_last(name, "@");
    text->process.length = 0;
    smc_text_append_quoted(&text->process, number, (size_t)(close - number));
    smc_text_append(&text->process, ",");
    smc_text_append_quoted(&text->process, name, at ? (size_t)(at - name) : strcspn(name, "\r\n"));
    return true;
}

/* --- Tables ----------------------------------------------------------------------------------- */

/* Whether the line is dashes and blanks, in three columns; then `text` has them. */
static bool ncu_text_read_dashes(struct smc_ncu_text *text, const char *line)
{
    const size_t length = strcspn(line, "\r\n");
    size_t count = 0;
    if (length < 8 || strspn(line, "- ") != length || strncmp(line, "    -", 5) != 0)
        return false;
    for (size_t at = 0; at < length;) {
        const size_t begin = at + strspn(line + at, " "), dashes = strspn(line + begin, "-");
        if (dashes == 0)
            break;
        if (count < SMC_NCU_TEXT_COLUMNS) {
            text->column_begin[count] = begin;
            text->column_end[count] = begin + dashes;
        }
        count++;
        at = begin + dashes;
    }
    text->column_count = count;
    return count == SMC_NCU_TEXT_COLUMNS;
}

/* Where the column `characters` begins in the line, which may have some of several bytes. */
static const char *at_column(const char *line, size_t characters)
{
    for (; characters > 0 && *line && *line != '\n'; characters--)
        for (line++; ((unsigned char)*line & 0xc0) == 0x80;)
            line++;
    return line;
}

static void ncu_text_append_cell(const struct smc_ncu_text *text, const char *line, size_t column,
                                 struct smc_text *out)
{
    const char *begin = at_column(line, text->column_begin[column]);
    const char *end = column + 1 < text->column_count ? at_column(line, text->column_end[column])
                                                      : line + strcspn(line, "\r\n");
    while (begin < end && *begin == ' ')
        begin++;
    while (end > begin && end[-1] == ' ')
        end--;
    smc_text_append(out, ",");
    smc_text_append_quoted(out, begin, (size_t)(end - begin));
}

static void ncu_text_append_row(struct smc_ncu_text *text, const char *line)
{
    struct smc_text *out = &text->out;
    smc_text_printf(out, "\"%llu\",%s,%s,%s%s", text->launches - 1,
                    text->process.length ? smc_text_string(&text->process) : "\"\",\"\"",
                    smc_text_string(&text->kernel), smc_text_string(&text->shape),
                    smc_text_string(&text->device));
    for (size_t i = 0; i < SMC_NCU_TEXT_COLUMNS; i++)
        ncu_text_append_cell(text, line, i, out);
}

/* A table is closed by dashes after its rows; advice may follow. */
static void ncu_text_take_line(struct smc_ncu_text *text, const char *line)
{
    static const char heading[] = "    Metric Name ";
    if (smc_ncu_text_is_launch(line)) {
        ncu_text_begin_launch(text, line);
        text->in_table = text->has_rows = false;
    } else if (ncu_text_read_process(text, line)) {
        text->in_table = false;
    } else if (strncmp(line, "    Section: ", 13) == 0) {
        text->in_table = text->has_rows = false;
    } else if (ncu_text_read_dashes(text, line)) {
        text->in_table = !text->has_rows;
        text->has_rows = false;
    } else if (text->in_table && text->launches > 0 &&
               strncmp(line, heading, sizeof heading - 1) != 0) {
        ncu_text_append_row(text, line);
        text->has_rows = true;
    }
    smc_text_append(&text->out, "\n");
}

bool smc_ncu_text_read(struct smc_ncu_text *text, char *bytes, size_t capacity, size_t *count)
{
    if (!text->has_header)
        smc_text_append(&text->out, header);
    text->has_header = true;
    while (text->out.length - text->returned < capacity && !text->out.failed &&
           fgets(text->line, sizeof text->line, text->stream))
        ncu_text_take_line(text, text->line);
    const size_t left = text->out.length - text->returned;
    *count = left < capacity ? left : capacity;
    if (*count > 0)
        memcpy(bytes, text->out.data + text->returned, *count);
    text->returned += *count;
    if (text->returned == text->out.length)
        text->out.length = text->returned = 0;
    return !text->out.failed && !text->kernel.failed && !text->shape.failed &&
           !text->process.failed && !text->device.failed;
}

void smc_ncu_text_free(struct smc_ncu_text *text)
{
    smc_text_free(&text->kernel);
    smc_text_free(&text->shape);
    smc_text_free(&text->process);
    smc_text_free(&text->device);
    smc_text_free(&text->out);
    text->has_header = text->in_table = text->has_rows = false;
    text->launches = text->column_count = text->returned = 0;
}
