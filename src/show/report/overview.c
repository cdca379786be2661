/* Many kernels at a glance. The instances of a template share a line, which has the lowest and
   highest value of each figure. */
#include "show/report/overview.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/selection.h"
#include "base/hash.h"
#include "base/memory.h"
#include "code/names.h"
#include "show/report/text_table.h"
#include "show/words/layout.h"
#include "show/words/words.h"

enum { MOST_LINES = 20 };
enum { LEAST_DEVICE = 13, MORE_WIDTH = 4 };

const char smc_overview_dynamic_smem[] =
    "uses dynamic shared memory, which the launch gives: state it with --dynamic-smem BYTES or "
    "--dynamic-smem NAME=BYTES; counted as 0 here";

size_t smc_overview_kernels(const struct smc_inspect_rows *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++)
        count += smc_inspect_begins_kernel(rows, i);
    return count;
}

int smc_overview_device_width(const struct smc_device *devices, size_t count, int most)
{
    int longest = 0;
    for (size_t i = 0; i < count; i++) {
        smc_auto_text label = {0};
        smc_words_device(&devices[i], &label);
        const int columns = smc_utf8_string_columns(smc_text_string(&label));
        longest = columns > longest ? columns : longest;
    }
    return longest < most ? longest : most;
}

/* --- Headline --------------------------------------------------------------------------------- */

/* At most HEADLINE_NAME columns of the name. */
static void overview_append_short(const struct smc_kernel_names *names, const char *shown,
                                  struct smc_text *line)
{
    enum { HEADLINE_NAME = 60 };
    smc_auto_text name = {0};
    smc_kernel_names_choose(names, shown, &name);
    bool fits = smc_utf8_string_columns(smc_text_string(&name)) <= HEADLINE_NAME;
    smc_text_append_bytes(line, smc_text_string(&name),
                          fits ? name.length : smc_utf8_fit(name.data, HEADLINE_NAME));
    smc_text_append(line, fits ? "" : "..");
}

static void overview_append_worst(const struct smc_inspect_summary *summary,
                                  const struct smc_kernel_names *names, struct smc_text *line)
{
    const struct smc_occupancy limits = {.limiters = summary->worst_limiters};
    if (summary->worst_launches && summary->worst_percent >= 100) {
        smc_text_append(line, summary->unknown > 0 ? "; each can reach 100 %" : "; all at 100 %");
        return;
    }
    smc_text_append(line, "; worst: ");
    overview_append_short(names, summary->worst->shown, line);
    if (!summary->worst_launches) {
        smc_text_append(line, " (cannot launch)");
        return;
    }
    smc_text_append(line, summary->worst_settled ? " (" : " (at most ");
    smc_layout_percent(line, summary->worst_percent);
    smc_text_append(line, ", ");
    smc_words_limiters(&limits, line);
    smc_text_append(line, ")");
}

static void overview_append_count(size_t count, const char *what, const char *several,
                                  struct smc_text *line)
{
    if (count > 0)
        smc_text_printf(line, "; %zu %s", count, count == 1 ? what : several);
}

/* "412 kernels in 3 files", or that the filter keeps none of them. */
static void overview_append_kernels(const struct smc_inspect_summary *summary, size_t shown,
                                    struct smc_text *line)
{
    if (shown > 0)
        smc_text_printf(line, "%zu kernel%s", summary->kernels, smc_text_plural(summary->kernels));
    else if (summary->kernels == 1)
        smc_text_append(line, "the only kernel does not meet the conditions of --only");
    else
        smc_text_printf(line, "none of %zu kernels meets the conditions of --only",
                        summary->kernels);
    if (summary->files > 1)
        smc_text_printf(line, " in %zu files", summary->files);
}

void smc_overview_headline(const struct smc_inspect_rows *rows,
                           const struct smc_kernel_names *names, struct smc_text *out)
{
    const struct smc_inspect_summary *summary = &rows->summary;
    const size_t shown = smc_overview_kernels(rows);
    struct smc_text line = {0};
    char low[32];
    snprintf(low, sizeof low, "below %d %%", SMC_LOW_PERCENT);
    overview_append_kernels(summary, shown, &line);
    overview_append_count(summary->spilling, "spills", "spill", &line);
    overview_append_count(summary->low, low, low, &line);
    overview_append_count(summary->failing, "cannot launch", "cannot launch", &line);
    overview_append_count(summary->unknown, "of unknown block size", "of unknown block size",
                          &line);
    if (summary->worst && summary->kernels > 1)
        overview_append_worst(summary, names, &line);
    if (shown > 0 && shown < summary->kernels)
        smc_text_printf(&line, "; %zu shown", shown);
    smc_layout_verdict(out, SMC_STRONG, &line);
}

void smc_overview_strays(const struct smc_inspect_rows *rows, struct smc_text *out)
{
    const struct smc_inspect_summary *summary = &rows->summary;
    const bool one = summary->strays == 1;
    struct smc_text line = {0};
    if (summary->strays == 0)
        return;
    smc_text_printf(&line, "%zu kernel%s no machine code for ", summary->strays,
                    one ? " has" : "s have");
    if (summary->stray_device)
        smc_text_append(&line, summary->stray_device->name);
    else
        smc_text_append(&line, "some of the devices");
    if (out->style->verbose)
        smc_text_append(&line, ", marked ~ and not counted");
    else
        smc_text_printf(&line, " and %s left out%s: --verbose shows %s", one ? "is" : "are",
                        summary->stray_device ? "" : " there", one ? "it" : "them");
    smc_layout_text(out, 0, &line);
}

/* --- Templates -------------------------------------------------------------------------------- */

/* The kernels of one template; a kernel that is not a template is alone. */
struct family {
    uint64_t hash;
    size_t first; /* row of its first kernel */
    size_t kernels;
    bool shares_name; /* another one has the same last component */
    size_t member;    /* its first kernel in the list of members */
};

struct families {
    const struct smc_inspect_rows *rows;
    const struct smc_kernel_names *names;
    struct family *item;
    size_t count;
    struct smc_hashed *member; /* the rows where kernels begin, by family */
    size_t member_count;
};

static uint64_t hash_of(const struct smc_inspect_kernel *kernel)
{
    struct smc_name name;
    smc_name_parse(kernel->shown, &name);
    return smc_hash(smc_name_family(&name), kernel->file, strlen(kernel->file));
}

static int compare_hashes(const void *a, const void *b)
{
    const struct family *x = a, *y = b;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

static int compare_families(const void *a, const void *b)
{
    const struct family *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* Sorts the families by their last components. */
static void mark_shared_names(struct families *families)
{
    struct family *family = families->item;
    for (size_t i = 0; i < families->count; i++) {
        struct smc_name name;
        smc_name_parse(families->rows->item[family[i].first].kernel->shown, &name);
        family[i].hash =
            smc_hash(SMC_HASH_START, name.begin + name.last, name.arguments - name.last);
    }
    qsort(family, families->count, sizeof *family, compare_hashes);
    for (size_t i = 1; i < families->count; i++)
        if (family[i].hash == family[i - 1].hash)
            family[i].shares_name = family[i - 1].shares_name = true;
}

/* In the order of their first kernels. False: out of memory. */
static bool find_families(struct families *families, bool instances)
{
    const struct smc_inspect_rows *rows = families->rows;
    size_t kernels = smc_overview_kernels(rows);
    families->item = smc_calloc(kernels + 1, sizeof *families->item);
    families->member = smc_calloc(kernels + 1, sizeof *families->member);
    if (!families->item || !families->member)
        return false;
    for (size_t i = 0; i < rows->count; i++)
        if (smc_inspect_begins_kernel(rows, i))
            families->member[families->member_count++] =
                (struct smc_hashed){instances ? i : hash_of(rows->item[i].kernel), i};
    qsort(families->member, families->member_count, sizeof *families->member, smc_compare_hashed);
    for (size_t i = 0; i < families->member_count; i++) {
        const struct smc_hashed *member = &families->member[i];
        if (i == 0 || member->hash != member[-1].hash)
            families->item[families->count++] =
                (struct family){.hash = member->hash, .first = member->index, .member = i};
        families->item[families->count - 1].kernels++;
    }
    mark_shared_names(families);
    qsort(families->item, families->count, sizeof *families->item, compare_families);
    return true;
}

/* --- Lines ------------------------------------------------------------------------------------ */

struct overview_range {
    bool known;
    double low, high;
};

static void overview_widen(struct overview_range *range, double value)
{
    if (!range->known || value < range->low)
        range->low = value;
    if (!range->known || value > range->high)
        range->high = value;
    range->known = true;
}

/* The rows of a family on its worst device. */
struct overview_line {
    const struct smc_inspect_row *worst;
    size_t more;             /* devices that it also has rows for */
    uint32_t common, limits; /* limiters of all instances, and of any */
    bool launches, fails;    /* an instance does */
    bool stands_in;          /* machine code that does not load on the device */
    struct overview_range percent, threads, registers, spills, smem;
    bool at_best; /* of a kernel whose block size is unknown the occupancy is the highest */
    bool unknown;
    bool dynamic_smem_unknown;
};

static void overview_add_row(const struct smc_inspect_row *row, struct overview_line *line)
{
    const struct smc_launch *launch = &row->launch;
    if (row->outcome == SMC_LAUNCHES) {
        line->common =
            line->launches ? line->common & row->occupancy.limiters : row->occupancy.limiters;
        line->limits |= row->occupancy.limiters;
        line->launches = true;
    }
    line->fails |= row->outcome != SMC_LAUNCHES;
    line->stands_in |= !smc_selection_row_loads(row);
    overview_widen(&line->percent, smc_selection_percent(row));
    if (row->threads_source != SMC_THREADS_UNKNOWN)
        overview_widen(&line->threads, launch->threads_per_block);
    line->unknown |= row->threads_source == SMC_THREADS_UNKNOWN;
    line->at_best |= !smc_inspect_is_settled(row);
    if (smc_inspect_regs_known(row))
        overview_widen(&line->registers, row->kernel->resources.regs_per_thread);
    if (row->kernel->has_spills)
        overview_widen(&line->spills, (double)smc_selection_spilled_bytes(row));
    line->dynamic_smem_unknown |= row->dynamic_smem_unknown;
    overview_widen(&line->smem, (double)launch->static_smem_bytes + launch->dynamic_smem_bytes);
}

static bool is_same_device(const struct smc_inspect_row *a, const struct smc_inspect_row *b)
{
    return a->device->sm.cc == b->device->sm.cc && strcmp(a->device->name, b->device->name) == 0;
}

/* One past the last row of the kernel whose first this is. */
static size_t overview_end_of_kernel(const struct smc_inspect_rows *rows, size_t begin)
{
    size_t i = begin + 1;
    while (i < rows->count && !smc_inspect_begins_kernel(rows, i))
        i++;
    return i;
}

static void overview_find_worst(const struct smc_inspect_rows *rows, size_t begin,
                                struct overview_line *line)
{
    const size_t end = overview_end_of_kernel(rows, begin);
    size_t others = 0;
    for (size_t i = begin; i < end; i++) {
        others += i > begin && !is_same_device(&rows->item[i], &rows->item[i - 1]);
        if (!line->worst || smc_selection_is_worse(rows, &rows->item[i], line->worst))
            line->worst = &rows->item[i];
    }
    line->more = others > line->more ? others : line->more;
}

static struct overview_line overview_find_line(const struct families *families,
                                               const struct family *family)
{
    const struct smc_inspect_rows *rows = families->rows;
    const struct smc_hashed *member = &families->member[family->member];
    struct overview_line line = {0};
    for (size_t m = 0; m < family->kernels; m++)
        overview_find_worst(rows, member[m].index, &line);
    for (size_t m = 0; m < family->kernels; m++)
        for (size_t i = member[m].index; i < overview_end_of_kernel(rows, member[m].index); i++)
            if (is_same_device(&rows->item[i], line.worst))
                overview_add_row(&rows->item[i], &line);
    return line;
}

/* "64-128"; bytes as "12-48K" where five digits do not fit. */
static void append_range(const struct overview_range *range, bool bytes, const char *mark,
                         struct smc_cells *cells)
{
    const bool kilobytes = bytes && range->high >= 10000;
    const double unit = kilobytes ? 1024 : 1;
    if (range->known && range->low < range->high)
        smc_cells_printf(cells, "%.0f-%.0f%s%s", range->low / unit, range->high / unit,
                         kilobytes ? "K" : "", mark);
    else if (range->known)
        smc_cells_printf(cells, "%.0f%s%s", range->low / unit, kilobytes ? "K" : "", mark);
    else
        smc_cells_add(cells, "-");
}

/* "12.5%", "25-50%", "<=50%" of the best block size. */
static void append_percent(const struct overview_line *line, struct smc_cells *cells)
{
    const struct overview_range *percent = &line->percent;
    const char *most = line->at_best ? "<=" : "";
    if (percent->low < percent->high)
        smc_cells_printf(cells, "%s%.0f-%.0f%%", most, percent->low, percent->high);
    else
        smc_cells_printf(cells, "%s%.3g%%", most, percent->low);
}

/* Of several instances, what limits all of them. */
static void overview_append_limits(const struct overview_line *line, struct smc_cells *cells)
{
    if (line->launches && line->fails)
        smc_cells_add(cells, "not all launch");
    else if (line->launches && line->common)
        smc_cells_printf(cells, "%s%s",
                         smc_words_short_label(smc_words_first_limiter(line->common)),
                         line->limits & (line->limits - 1) ? "+" : "");
    else if (line->fails)
        smc_cells_add(cells, line->worst->outcome == SMC_CANNOT_COMPILE ? "cannot compile"
                                                                        : "cannot launch");
    else
        smc_cells_add(cells, "varies");
}

/* Columns that are the same for all kernels are omitted. */
enum { MARK, DEVICE, PERCENT, LIMITS, THREADS, REGISTERS, SPILLS, SMEM, INSTANCES, NAME, COLUMNS };
static const struct smc_text_column all_columns[COLUMNS + 1] = {
    [MARK] = {"", 0, -1, false},         [DEVICE] = {"device", 0, -MORE_WIDTH, true},
    [PERCENT] = {"occup.", 0, 9, false}, [LIMITS] = {"limited by", 1, -14, false},
    [THREADS] = {"threads", 1, 8, true}, [REGISTERS] = {"regs", 1, 7, false},
    [SPILLS] = {"spills B", 1, 8, true}, [SMEM] = {"smem B", 1, 7, true},
    [INSTANCES] = {"inst.", 1, 5, true}, [NAME] = {"kernel", 2, 0, false},
};
struct overview_columns {
    struct smc_text_column column[COLUMNS + 1];
    int device_width; /* without "+3" */
    bool name_first;  /* there is no room for it at the end of the line */
};

static void put_name_first(struct overview_columns *columns)
{
    columns->name_first = true;
    columns->column[MARK].width = -2;
    columns->column[NAME].omitted = columns->column[INSTANCES].omitted = true;
}

static void overview_find_device_column(const struct smc_inspect_rows *rows,
                                        const struct smc_report_style *style,
                                        struct overview_columns *columns)
{
    enum { LEAST_NAME = 16 };
    struct smc_text_column *device = &columns->column[DEVICE];
    device->omitted = false;
    columns->column[PERCENT].gap = 1;
    const int room = (int)style->columns - smc_columns_width(columns->column) + 1;
    columns->device_width = smc_overview_device_width(rows->device, rows->device_count,
                                                      room > LEAST_DEVICE ? room : LEAST_DEVICE);
    device->width -= columns->device_width + (rows->device_count > 100); /* "+100" */
    if (smc_columns_width(columns->column) + LEAST_NAME > (int)style->columns)
        put_name_first(columns);
}

static struct overview_columns overview_find_columns(const struct families *families,
                                                     const struct smc_report_style *style)
{
    const struct smc_inspect_rows *rows = families->rows;
    struct overview_columns columns;
    struct smc_text_column *column = columns.column;
    bool devices = false;
    memcpy(column, all_columns, sizeof all_columns);
    for (size_t i = 0; i < rows->count; i++) {
        const struct smc_inspect_row *row = &rows->item[i];
        const struct smc_launch *launch = &row->launch;
        devices |= !is_same_device(row, &rows->item[0]);
        column[THREADS].omitted &= row->threads_source == SMC_THREADS_UNKNOWN;
        column[SPILLS].omitted &= smc_selection_spilled_bytes(row) == 0;
        column[SMEM].omitted &= launch->static_smem_bytes + launch->dynamic_smem_bytes == 0 &&
                                !row->dynamic_smem_unknown;
    }
    column[INSTANCES].omitted = devices || families->count == families->member_count;
    columns.device_width = 0;
    columns.name_first = false;
    if (devices)
        overview_find_device_column(rows, style, &columns);
    return columns;
}

/* "CC 10.0 +3": the worst of four devices. */
static void overview_append_place(const struct overview_line *line,
                                  const struct overview_columns *columns, struct smc_cells *cells)
{
    smc_auto_text name = {0}, place = {0};
    smc_words_device(line->worst->device, &name);
    smc_text_cell(&place, smc_text_string(&name), -columns->device_width);
    if (line->more > 0)
        smc_text_printf(&place, " +%zu", line->more);
    smc_cells_text(cells, &place);
}

/* `kernels`: that share the line. "~": the machine code is not made for the device. */
static void overview_append_figures(const struct overview_line *line, size_t kernels,
                                    const char *name, const struct overview_columns *columns,
                                    struct smc_text *out)
{
    struct smc_cells cells = {columns->column, out};
    smc_cells_add(&cells, line->stands_in ? "~" : "");
    overview_append_place(line, columns, &cells);
    append_percent(line, &cells);
    overview_append_limits(line, &cells);
    if (line->unknown && !line->threads.known)
        smc_cells_add(&cells, "?");
    else
        append_range(&line->threads, false, "", &cells);
    append_range(&line->registers, false, "", &cells);
    append_range(&line->spills, true, "", &cells);
    append_range(&line->smem, true, line->dynamic_smem_unknown ? "+?" : "", &cells);
    smc_cells_printf(&cells, "%zu", kernels);
    smc_cells_add(&cells, name);
    smc_text_append_char(out, '\n', 1);
}

/* "gemm<..>"; with namespaces if another family has the same last component. */
static void append_family(const struct smc_inspect_rows *rows, const struct family *family,
                          const struct smc_kernel_names *names, struct smc_text *out)
{
    const struct smc_inspect_kernel *kernel = rows->item[family->first].kernel;
    struct smc_name name;
    if (family->kernels == 1) {
        smc_kernel_names_choose(names, kernel->shown, out);
        return;
    }
    smc_name_parse(kernel->shown, &name);
    if (family->shares_name)
        smc_name_append_bare(kernel, false, out);
    else
        smc_text_append_bytes(out, name.begin + name.last, name.arguments - name.last);
    smc_text_append(out, name.arguments < name.length ? "<..>" : "");
}

/* The families that the table lists, by names that fit and stay distinct. */
struct listed_name {
    struct smc_text whole, cut;
};

/* What is left of a name that does not fit, in the order of preference: its beginning, or both ends
   and not so much of the middle. */
enum { CUT_END, CUT_MIDDLE, CUT_EARLY, CUT_LATE, NAME_CUTS };

/* "a_kernel_with_a_lo..", "a_kernel..name_f16", of at most so many columns. */
static void cut_name(const struct smc_text *whole, size_t columns, int how, struct smc_text *cut)
{
    const char *string = smc_text_string(whole);
    const size_t all = (size_t)smc_utf8_string_columns(string), both = columns - 2;
    const size_t heads[NAME_CUTS] = {both, both / 2, both / 4, both - both / 4};
    const size_t tail = both - heads[how];
    if (all <= columns) {
        smc_text_append(cut, string);
        return;
    }
    smc_text_append_bytes(cut, string, smc_utf8_fit(string, (int)heads[how]));
    smc_text_append(cut, "..");
    if (tail == 0)
        return;
    const char *end = string + smc_utf8_fit(string, (int)(all - tail));
    if ((size_t)smc_utf8_string_columns(end) > tail) /* it begins with a wide character */
        smc_utf8_next(&end);
    smc_text_append(cut, end);
}

static int compare_cuts(const void *a, const void *b)
{
    const struct listed_name *const *x = a, *const *y = b;
    return strcmp(smc_text_string(&(*x)->cut), smc_text_string(&(*y)->cut));
}

static bool is_confused(const struct listed_name *a, const struct listed_name *b)
{
    return compare_cuts(&a, &b) == 0 &&
           strcmp(smc_text_string(&a->whole), smc_text_string(&b->whole)) != 0;
}

/* Cuts `names` in one way, and returns how many remain that another has, too. */
static size_t cut_names(struct listed_name **names, size_t count, size_t columns, int how)
{
    size_t left = 0;
    bool confused = false;
    for (size_t i = 0; i < count; i++) {
        names[i]->cut.length = 0;
        cut_name(&names[i]->whole, columns, how, &names[i]->cut);
    }
    qsort(names, count, sizeof *names, compare_cuts);
    for (size_t i = 0; i < count; i++) {
        const bool next = i + 1 < count && is_confused(names[i], names[i + 1]);
        if (next || confused)
            names[left++] = names[i];
        confused = next;
    }
    return left;
}

static void append_whole_name(const struct families *families, const struct family *family,
                              bool instances, struct smc_text *name)
{
    const struct smc_inspect_rows *rows = families->rows;
    append_family(rows, family, families->names, name);
    if (instances && family->kernels > 1)
        smc_text_printf(name, " (%zu instances)", family->kernels);
    if (rows->summary.files > 1)
        smc_text_printf(name, " in %s", rows->item[family->first].kernel->file);
    if (name->data)
        smc_utf8_make_safe(name->data);
}

static void free_names(struct listed_name *names, size_t count)
{
    for (size_t i = 0; names && i < count; i++) {
        smc_text_free(&names[i].whole);
        smc_text_free(&names[i].cut);
    }
    free(names);
}

/* Of the first `count` families, in at most so many columns; `distinct`: none is the same as
   another. NULL: out of memory. */
static struct listed_name *find_listed_names(const struct families *families, size_t count,
                                             bool above, size_t columns, bool *distinct)
{
    struct listed_name *listed = smc_calloc(count, sizeof *listed);
    smc_auto_free struct listed_name **left = smc_calloc(count, sizeof(struct listed_name *));
    size_t left_count = listed && left ? count : 0;
    for (size_t i = 0; i < left_count; i++) {
        left[i] = &listed[i];
        append_whole_name(families, &families->item[i], above, &listed[i].whole);
    }
    for (int how = 0; how < NAME_CUTS && left_count > 0; how++)
        left_count = cut_names(left, left_count, columns, how);
    for (size_t i = 0; above && i < left_count; i++)
        left[i]->cut.length = 0; /* shown whole */
    *distinct = left_count == 0;
    if (left)
        return listed;
    free_names(listed, count);
    return NULL;
}

/* The name ends the line, or is a paragraph before it. */
static void overview_append_line(const struct families *families, const struct family *family,
                                 const struct listed_name *name,
                                 const struct overview_columns *columns, struct smc_text *out)
{
    const struct overview_line line = overview_find_line(families, family);
    if (columns->name_first && name->cut.length > 0)
        smc_text_printf(out, "%s\n", smc_text_string(&name->cut));
    else if (columns->name_first)
        smc_kernel_name_wrap(smc_text_string(&name->whole), out->style->columns, out);
    overview_append_figures(&line, family->kernels, smc_text_string(&name->cut), columns, out);
}

/* How wide names are. */
static size_t name_columns(const struct overview_columns *columns,
                           const struct smc_report_style *style)
{
    enum { LEAST_COLUMNS = 16 };
    const size_t used = columns->name_first ? 0 : (size_t)smc_columns_width(columns->column);
    return style->columns > used + LEAST_COLUMNS ? style->columns - used : LEAST_COLUMNS;
}

static size_t overview_append_table(const struct families *families, struct smc_text *out)
{
    struct overview_columns columns = overview_find_columns(families, out->style);
    const bool all = out->style->all_kernels || families->count < MOST_LINES;
    const size_t most = all ? families->count : MOST_LINES;
    size_t left_out = 0;
    bool distinct;
    struct listed_name *listed = find_listed_names(families, most, columns.name_first,
                                                   name_columns(&columns, out->style), &distinct);
    if (listed && !distinct && !columns.name_first) {
        free_names(listed, most);
        put_name_first(&columns);
        listed =
            find_listed_names(families, most, true, name_columns(&columns, out->style), &distinct);
    }
    smc_cells_headings((struct smc_cells){columns.column, out});
    out->failed |= !listed;
    for (size_t i = 0; listed && i < most; i++)
        overview_append_line(families, &families->item[i], &listed[i], &columns, out);
    free_names(listed, most);
    for (size_t i = most; i < families->count; i++)
        left_out += families->item[i].kernels;
    return left_out;
}

size_t smc_overview_table(const struct smc_inspect_rows *rows, const struct smc_kernel_names *names,
                          struct smc_text *out)
{
    struct families families = {.rows = rows, .names = names};
    size_t left_out = 0;
    if (!find_families(&families, out->style->instances))
        out->failed = true;
    else if (rows->count > 0)
        left_out = overview_append_table(&families, out);
    free(families.item);
    free(families.member);
    return left_out;
}
