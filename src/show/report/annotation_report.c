/* The lines of a kernel's source with the emulator's counts: the hottest, then all in order; as
   text, JSON and CSV. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "show/report/text_table.h"
#include "show/report/writers.h"

/* --- Text ------------------------------------------------------------------------------------- */

enum {
    HOTTEST_SHOWN = 5,
    CONTEXT = 2, /* lines without instructions that are shown around those with some */
    NARROW = 44, /* characters for the source, below which indentation is halved */
    NARROWEST = 24,
    CONTINUED = 2, /* further indentation of a line's second row */
};

/* --- Columns ---------------------------------------------------------------------------------- */

typedef uint64_t value_of(const struct smc_emulated_count *count);

static uint64_t requests_of(const struct smc_emulated_count *count)
{
    return count->global_requests;
}

static uint64_t sectors_of(const struct smc_emulated_count *count)
{
    return count->global_sectors;
}

static uint64_t splits_of(const struct smc_emulated_count *count)
{
    return count->divergent;
}

enum { HEAT, INSTRUCTIONS, LANES, FIRST_COUNT, LINE = FIRST_COUNT + 5, SOURCE, COLUMNS };
static const struct smc_text_column annotation_columns[COLUMNS + 1] = {
    [HEAT] = {"heat", 0, 6, false},
    [INSTRUCTIONS] = {"instr", 0, 6, false},
    [LANES] = {"lanes", 0, 6, false},
    [FIRST_COUNT] = {"shared", 0, 7, true},
    {"confl", 0, 6, true},
    {"req", 0, 6, true},
    {"sect", 0, 6, true},
    {"split", 0, 6, true},
    [LINE] = {"line", 0, 5, false},
    [SOURCE] = {"", 2, 0, false},
};
/* Of the columns from FIRST_COUNT; one without any value is omitted. */
static const struct count {
    value_of *value;
    const char *legend;
} counts[LINE - FIRST_COUNT] = {
    {smc_emulated_wavefronts, "wavefronts of shared memory"},
    {smc_emulated_conflicts, "those beyond the least possible, bank conflicts"},
    {requests_of, "requests of global memory"},
    {sectors_of, "their sectors of 32 B"},
    {splits_of, "branches that the lanes of one warp took both ways"},
};

struct annotation_table {
    const struct smc_annotation *annotation;
    struct smc_text *out;
    struct smc_text_column column[COLUMNS + 1];
    size_t indent;  /* that all lines have */
    size_t source;  /* the column at which the source begins */
    uint64_t least; /* heat of the coolest line that is marked as hot */
};

static void annotation_add_count(uint64_t value, struct smc_cells *cells)
{
    static const char units[] = " kMGTP";
    double scaled = (double)value;
    size_t unit = 0;
    for (; value >= 100000 && scaled >= 1000; unit++)
        scaled /= 1000;
    if (unit)
        smc_cells_printf(cells, "%.*f%c", scaled < 10 ? 2 : scaled < 100, scaled, units[unit]);
    else if (value)
        smc_cells_printf(cells, "%" PRIu64, value);
    else
        smc_cells_add(cells, "-");
}

static void annotation_report_add_counts(const struct annotation_table *table,
                                         const struct smc_annotated_line *line,
                                         struct smc_cells *cells)
{
    char text[16] = "-";
    double percent =
        table->annotation->heat ? 100.0 * (double)line->heat / (double)table->annotation->heat : 0;
    if (line->heat)
        snprintf(text, sizeof text, percent < 0.5 ? "<1%%" : "%.0f%%", percent);
    bool hot = line->heat && line->heat >= table->least;
    smc_cells_printf(cells, "%c%*s", hot ? '>' : ' ', cells->column->width - 1, text);
    annotation_add_count(line->count.executions, cells);
    if (line->count.executions)
        smc_cells_printf(cells, "%.*f", line->count.lanes % line->count.executions ? 1 : 0,
                         (double)line->count.lanes / (double)line->count.executions);
    else
        smc_cells_add(cells, "-");
    for (size_t i = 0; i < LINE - FIRST_COUNT; i++)
        annotation_add_count(counts[i].value(&line->count), cells);
}

static void annotation_append_head(struct annotation_table *table, const char *subject)
{
    table->column[SOURCE].heading = subject;
    smc_text_append_char(table->out, '\n', 1);
    smc_cells_headings((struct smc_cells){table->column, table->out});
}

/* --- Source ----------------------------------------------------------------------------------- */

/* The bytes of a row of at most `width` characters: it ends before a space in its second half. */
static size_t annotation_row_bytes(const char *text, size_t width)
{
    size_t most = smc_utf8_fit(text, (int)width), end = most;
    if (!text[most])
        return most;
    while (end > most / 2 && text[end] != ' ')
        end--;
    return end > most / 2 ? end : most;
}

/* A line without counts is cut; one with counts continues in the next row. */
static void annotation_append_source(const struct annotation_table *table, const char *text,
                                     size_t indent, bool counted)
{
    const struct smc_report_style *style = table->out->style;
    struct smc_text *out = table->out;
    size_t blanks = strspn(text, " ");
    size_t depth = blanks > indent ? blanks - indent : 0;
    size_t width = style->columns > table->source + NARROWEST ? style->columns - table->source : 0;
    width = width > NARROWEST ? width : NARROWEST;
    text += blanks;
    depth = width < NARROW ? depth / 2 : depth;
    depth = depth < width / 2 ? depth : width / 2;
    size_t bytes = annotation_row_bytes(text, width - depth);
    const char *more = style->utf8 ? "\xe2\x80\xa6" : "...";
    bool cut = text[bytes] && !counted;
    if (cut)
        bytes = smc_utf8_fit(text, (int)(width - depth) - (style->utf8 ? 1 : 3));
    if (!*text)
        return;
    smc_text_append_char(out, ' ', 2 + depth);
    smc_text_append_bytes(out, text, bytes);
    smc_text_append(out, cut ? more : "");
    depth = depth + CONTINUED < width / 2 ? depth + CONTINUED : depth;
    for (text += bytes; *text && counted; text += bytes) {
        text += strspn(text, " ");
        bytes = annotation_row_bytes(text, width - depth);
        smc_text_append_char(out, '\n', *text != '\0');
        smc_text_append_char(out, ' ', *text ? table->source + depth : 0);
        smc_text_append_bytes(out, text, bytes);
    }
}

/* `alone`: without the lines around it. Then a line whose text is not available has its file's
   name instead. */
static void annotation_append_line(const struct annotation_table *table,
                                   const struct smc_annotated_line *line, bool alone)
{
    struct smc_text *out = table->out;
    smc_auto_text name = {0};
    bool hot = line->heat && line->heat >= table->least;
    struct smc_cells cells = {table->column, out};
    if (line->instructions)
        annotation_report_add_counts(table, line, &cells);
    while (cells.column < &table->column[LINE])
        smc_cells_add(&cells, "");
    if (line->file)
        smc_cells_printf(&cells, "%" PRIu32, line->line);
    else
        smc_cells_add(&cells, "-");
    if (!line->text && !line->file)
        smc_text_append(&name, "no line of any file");
    else if (!line->text && alone)
        smc_text_append(&name, line->file);
    if (hot)
        smc_layout_begin(out, SMC_STRONG);
    annotation_append_source(table, line->text ? line->text : smc_text_string(&name),
                             alone ? SIZE_MAX : table->indent, line->instructions > 0);
    if (hot)
        smc_layout_end(out);
    smc_text_append_char(out, '\n', 1);
}

static bool annotation_is_shown(const struct smc_annotation *annotation, size_t index)
{
    size_t first = index > CONTEXT ? index - CONTEXT : 0;
    for (size_t i = first; i < annotation->lines && i <= index + CONTEXT; i++)
        if (annotation->line[i].instructions &&
            annotation->line[i].file == annotation->line[index].file)
            return true;
    return false;
}

static void append_listing(struct annotation_table *table)
{
    const struct smc_annotation *annotation = table->annotation;
    const char *file = NULL;
    bool first = true, left_out = false;
    for (size_t i = 0; i < annotation->lines; i++) {
        const struct smc_annotated_line *line = &annotation->line[i];
        if (!annotation_is_shown(annotation, i)) {
            left_out = true;
            continue;
        }
        bool same_file =
            !first && (line->file == file || (line->file && file && strcmp(line->file, file) == 0));
        if (!same_file)
            annotation_append_head(table, line->file ? line->file : "elsewhere");
        else if (left_out)
            smc_text_printf(table->out, "%*s\n", (int)table->source - 2, "...");
        annotation_append_line(table, line, false);
        file = line->file;
        first = left_out = false;
    }
}

static void append_hottest(struct annotation_table *table)
{
    const struct smc_annotation *annotation = table->annotation;
    annotation_append_head(table, "hottest lines");
    for (size_t i = 0; i < annotation->hottest_count && i < HOTTEST_SHOWN; i++)
        annotation_append_line(table, annotation->hottest[i], true);
}

/* --- The whole -------------------------------------------------------------------------------- */

static void annotation_lay_out(struct annotation_table *table)
{
    const struct smc_annotation *annotation = table->annotation;
    size_t indent = SIZE_MAX;
    memcpy(table->column, annotation_columns, sizeof annotation_columns);
    for (size_t c = 0; c < LINE - FIRST_COUNT; c++)
        for (size_t i = 0; i < annotation->lines; i++)
            table->column[FIRST_COUNT + c].omitted &=
                counts[c].value(&annotation->line[i].count) == 0;
    table->source = (size_t)smc_columns_width(table->column);
    for (size_t i = 0; i < annotation->lines; i++) {
        const char *text = annotation->line[i].text;
        size_t blanks = text ? strspn(text, " ") : 0;
        if (text && text[blanks] && annotation_is_shown(annotation, i) && blanks < indent)
            indent = blanks;
    }
    table->indent = indent;
    size_t hot =
        annotation->hottest_count < HOTTEST_SHOWN ? annotation->hottest_count : HOTTEST_SHOWN;
    table->least = hot ? annotation->hottest[hot - 1]->heat : 0;
}

void smc_text_annotation(const struct smc_annotation *annotation, struct smc_text *out)
{
    struct annotation_table table = {.annotation = annotation, .out = out};
    if (!annotation || annotation->hottest_count == 0)
        return;
    annotation_lay_out(&table);
    append_hottest(&table);
    append_listing(&table);
    smc_auto_text text = {0};
    smc_text_append(&text, "heat: executed warp instructions plus wavefronts of shared memory, "
                           "of all; instr: executed warp instructions, as the PTX has them; "
                           "lanes: those active, of 32");
    for (size_t i = 0; i < LINE - FIRST_COUNT; i++)
        if (!table.column[FIRST_COUNT + i].omitted)
            smc_text_printf(&text, "; %s: %s", table.column[FIRST_COUNT + i].heading,
                            counts[i].legend);
    smc_text_append_char(table.out, '\n', 1);
    smc_layout_paragraph(table.out, "", 2, smc_text_string(&text), table.out->style->columns);
}

/* --- Fields ----------------------------------------------------------------------------------- */

struct hot_line {
    const char *kernel; /* in CSV */
    const struct smc_annotated_line *line;
};

#define LINE_FIELDS(FIELD)                                                                         \
    FIELD(NULL, "kernel", "", "the kernel", smc_value_text(item->kernel))                          \
    FIELD("file", "file", "", "of the source", item->line->file)                                   \
    FIELD("line", "line", "", "in the file", SMC_VALUE_IF(item->line->line > 0, item->line->line)) \
    FIELD("heat", "heat", "", "executions and wavefronts", item->line->heat)                       \
    FIELD("instructions", "instructions", "", "of the PTX", item->line->instructions)              \
    FIELD("executions", "executions", "", "of these by warps", item->line->count.executions)       \
    FIELD("active_lanes", "active_lanes", "lanes", "summed over the executions",                   \
          item->line->count.lanes)                                                                 \
    FIELD("shared_loads", "shared_loads", "", "loads from shared memory",                          \
          item->line->count.shared_loads)                                                          \
    FIELD("shared_load_wavefronts", "shared_load_wavefronts", "", "their wavefronts",              \
          item->line->count.load_wavefronts)                                                       \
    FIELD("shared_stores", "shared_stores", "", "stores to shared memory",                         \
          item->line->count.shared_stores)                                                         \
    FIELD("shared_store_wavefronts", "shared_store_wavefronts", "", "their wavefronts",            \
          item->line->count.store_wavefronts)                                                      \
    FIELD("bank_conflicts", "bank_conflicts", "", "wavefronts above the least possible",           \
          smc_emulated_conflicts(&item->line->count))                                              \
    FIELD("global_requests", "global_requests", "", "of global memory",                            \
          item->line->count.global_requests)                                                       \
    FIELD("global_sectors", "global_sectors", "", "of 32 bytes", item->line->count.global_sectors) \
    FIELD("global_bytes", "global_bytes", "bytes", "of global memory",                             \
          item->line->count.global_bytes)                                                          \
    FIELD("divergent_branches", "divergent_branches", "",                                          \
          "branches that lanes of one warp took both ways", item->line->count.divergent)           \
    FIELD("source", "source", "", "the text of the line",                                          \
          SMC_VALUE_IF(item->line->text != NULL, smc_value_text(item->line->text)))
SMC_FIELD_TABLE(line_fields, struct hot_line, LINE_FIELDS)

/* --- JSON ------------------------------------------------------------------------------------- */

json_t *smc_json_annotation(const struct smc_annotation *annotation)
{
    json_t *list = json_array();
    for (size_t i = 0; i < annotation->hottest_count; i++) {
        const struct hot_line line = {"", annotation->hottest[i]};
        json_array_append_new(list, smc_fields_object(&line_fields, &line));
    }
    return list;
}

/* --- CSV -------------------------------------------------------------------------------------- */

void smc_csv_annotation_head(struct smc_text *out)
{
    smc_fields_csv_head(&line_fields, out);
}

void smc_csv_annotation(const char *kernel, const struct smc_annotation *annotation,
                        struct smc_text *out)
{
    for (size_t i = 0; i < annotation->hottest_count; i++) {
        const struct hot_line line = {kernel, annotation->hottest[i]};
        smc_fields_csv_row(&line_fields, &line, out);
    }
}
