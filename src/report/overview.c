/* Many kernels at a glance. The instances of a template share a line, which has the lowest and
   highest value of each figure. */
#include "report/overview.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "inspect/names.h"
#include "inspect/selection.h"
#include "report/layout.h"
#include "report/words.h"

enum { MOST_LINES = 20, MOST_DEVICES = 16 };
enum {
    DEVICE_WIDTH = 13,
    LIMITS_WIDTH = 14,
    THREADS_WIDTH = 8,
    REGS_WIDTH = 7,
    SPILLS_WIDTH = 8,
    SMEM_WIDTH = 7
};

const char smc_overview_dynamic_smem[] =
    "uses dynamic shared memory, which the launch gives: state it with --dynamic-smem BYTES or "
    "--dynamic-smem NAME=BYTES; counted as 0 here";

static bool begins_kernel(const struct smc_inspect_rows *rows, size_t i)
{
    return i == 0 || !smc_inspect_is_same(&rows->item[i - 1], &rows->item[i]);
}

size_t smc_overview_kernels(const struct smc_inspect_rows *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++)
        count += begins_kernel(rows, i);
    return count;
}

void smc_overview_append_device(const struct smc_device *device, int width, struct smc_text *out)
{
    char text[32];
    snprintf(text, sizeof text, "CC %d.%d", device->sm.cc / 10, device->sm.cc % 10);
    smc_text_cell(out, device->sm_count == 0 ? text : smc_device_model(device), width);
}

/* --- Headline --------------------------------------------------------------------------------- */

/* At most HEADLINE_NAME columns of the name. */
static void append_short(const struct smc_kernel_names *names, const char *shown,
                         struct smc_text *line)
{
    enum { HEADLINE_NAME = 60 };
    struct smc_text name = {0};
    smc_kernel_names_choose(names, shown, &name);
    bool fits = smc_utf8_string_columns(smc_text_string(&name)) <= HEADLINE_NAME;
    smc_text_append_bytes(line, smc_text_string(&name),
                          fits ? name.length : smc_utf8_fit(name.data, HEADLINE_NAME));
    smc_text_append(line, fits ? "" : "..");
    smc_text_free(&name);
}

static void append_worst(const struct smc_inspect_summary *summary,
                         const struct smc_kernel_names *names, struct smc_text *line)
{
    const struct smc_occupancy limits = {.limiters = summary->worst_limiters};
    if (summary->worst_launches && summary->worst_percent >= 100) {
        smc_text_append(line, summary->unknown > 0 ? "; each can reach 100 %" : "; all at 100 %");
        return;
    }
    smc_text_append(line, "; worst: ");
    append_short(names, summary->worst->shown, line);
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

static void append_count(size_t count, const char *what, const char *several, struct smc_text *line)
{
    if (count > 0)
        smc_text_printf(line, "; %zu %s", count, count == 1 ? what : several);
}

void smc_overview_headline(const struct smc_inspect_rows *rows,
                           const struct smc_kernel_names *names,
                           const struct smc_report_style *style, struct smc_text *out)
{
    const struct smc_inspect_summary *summary = &rows->summary;
    const size_t shown = smc_overview_kernels(rows);
    struct smc_text line = {0};
    char low[32];
    snprintf(low, sizeof low, "below %d %%", SMC_LOW_PERCENT);
    smc_text_printf(&line, "%zu kernel%s", summary->kernels, smc_text_plural(summary->kernels));
    if (summary->files > 1)
        smc_text_printf(&line, " in %zu files", summary->files);
    append_count(summary->spilling, "spills", "spill", &line);
    append_count(summary->low, low, low, &line);
    append_count(summary->failing, "cannot launch", "cannot launch", &line);
    append_count(summary->unknown, "of unknown block size", "of unknown block size", &line);
    if (summary->worst)
        append_worst(summary, names, &line);
    if (shown < summary->kernels)
        smc_text_printf(&line, "; %zu shown", shown);
    smc_layout_begin(out, style, SMC_STRONG);
    smc_layout_paragraph(out, "", 0, smc_text_string(&line), style->columns);
    smc_layout_end(out, style);
    smc_text_free(&line);
}

/* --- Templates -------------------------------------------------------------------------------- */

/* The kernels of one template; a kernel that is no template is alone. */
struct family {
    uint64_t hash;
    size_t first; /* row of its first kernel */
    size_t kernels;
    bool shares_name; /* another one has the same last component */
    size_t member;    /* its first kernel in the list of members */
};

/* A kernel, by the row where it begins. */
struct member {
    uint64_t hash;
    size_t row;
};

struct families {
    struct family *item;
    size_t count;
    struct member *member; /* those of a family follow each other, by row */
    size_t member_count;
};

static uint64_t hash_of(const struct smc_inspect_kernel *kernel)
{
    struct smc_name name;
    smc_name_parse(kernel->shown, &name);
    return smc_hash(smc_name_family(&name), kernel->file, strlen(kernel->file));
}

static int compare_members(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
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
static void mark_shared_names(const struct smc_inspect_rows *rows, struct families *families)
{
    struct family *family = families->item;
    for (size_t i = 0; i < families->count; i++) {
        struct smc_name name;
        smc_name_parse(rows->item[family[i].first].kernel->shown, &name);
        family[i].hash =
            smc_hash(SMC_HASH_START, name.begin + name.last, name.arguments - name.last);
    }
    qsort(family, families->count, sizeof *family, compare_hashes);
    for (size_t i = 1; i < families->count; i++)
        if (family[i].hash == family[i - 1].hash)
            family[i].shares_name = family[i - 1].shares_name = true;
}

/* In the order of their first kernels. False: out of memory. */
static bool find_families(const struct smc_inspect_rows *rows, bool instances,
                          struct families *families)
{
    size_t kernels = smc_overview_kernels(rows);
    families->item = smc_calloc(kernels + 1, sizeof *families->item);
    families->member = smc_calloc(kernels + 1, sizeof *families->member);
    if (!families->item || !families->member)
        return false;
    for (size_t i = 0; i < rows->count; i++)
        if (begins_kernel(rows, i))
            families->member[families->member_count++] =
                (struct member){instances ? i : hash_of(rows->item[i].kernel), i};
    qsort(families->member, families->member_count, sizeof *families->member, compare_members);
    for (size_t i = 0; i < families->member_count; i++) {
        const struct member *member = &families->member[i];
        if (i == 0 || member->hash != member[-1].hash)
            families->item[families->count++] =
                (struct family){.hash = member->hash, .first = member->row, .member = i};
        families->item[families->count - 1].kernels++;
    }
    mark_shared_names(rows, families);
    qsort(families->item, families->count, sizeof *families->item, compare_families);
    return true;
}

static void free_families(struct families *families)
{
    free(families->item);
    free(families->member);
}

/* --- Lines ------------------------------------------------------------------------------------ */

struct range {
    bool known;
    double low, high;
};

static void widen(struct range *range, double value)
{
    if (!range->known || value < range->low)
        range->low = value;
    if (!range->known || value > range->high)
        range->high = value;
    range->known = true;
}

/* The rows of a family on one device. */
struct line {
    const struct smc_device *device;
    const struct smc_inspect_row *worst;
    struct range percent, threads, registers, spills, smem;
    bool at_best; /* of a kernel whose block size is unknown the occupancy is the highest */
    bool unknown;
    bool dynamic_smem_unknown;
};

static void add_row(const struct smc_inspect_row *row, struct line *line)
{
    const struct smc_launch *launch = &row->answer.launch;
    if (!line->worst || smc_inspect_compare(row, line->worst) < 0)
        line->worst = row;
    widen(&line->percent, smc_inspect_percent(row));
    if (row->threads_source != SMC_THREADS_UNKNOWN)
        widen(&line->threads, launch->threads_per_block);
    line->unknown |= row->threads_source == SMC_THREADS_UNKNOWN;
    line->at_best |= !smc_inspect_is_settled(row);
    if (smc_words_regs_known(&row->answer))
        widen(&line->registers, row->answer.resources.regs_per_thread);
    if (row->kernel->has_spills)
        widen(&line->spills, (double)smc_inspect_spilled(row));
    line->dynamic_smem_unknown |= row->dynamic_smem_unknown;
    widen(&line->smem, (double)launch->static_smem_bytes + launch->dynamic_smem_bytes);
}

static size_t find_line(struct line *lines, size_t count, const struct smc_device *device)
{
    size_t i = 0;
    while (i < count && (lines[i].device->sm.cc != device->sm.cc ||
                         strcmp(lines[i].device->name, device->name) != 0))
        i++;
    return i;
}

/* A line for each device, in the order of the devices. */
static size_t find_lines(const struct smc_inspect_rows *rows, const struct families *families,
                         const struct family *family, struct line *lines)
{
    size_t count = 0;
    for (size_t m = family->member; m < family->member + family->kernels; m++)
        for (size_t i = families->member[m].row;
             i < rows->count && (i == families->member[m].row || !begins_kernel(rows, i)); i++) {
            const struct smc_device *device = &rows->item[i].answer.query.device;
            size_t at = find_line(lines, count, device);
            if (at == MOST_DEVICES)
                continue;
            if (at == count)
                lines[count++] = (struct line){.device = device};
            add_row(&rows->item[i], &lines[at]);
        }
    return count;
}

/* "64-128"; bytes as "12-48K" where five digits do not fit. */
static void append_marked_range(const struct range *range, bool bytes, const char *mark, int width,
                                struct smc_text *out)
{
    const bool kilobytes = bytes && range->high >= 10000;
    const double unit = kilobytes ? 1024 : 1;
    char text[64] = "-";
    if (range->known && range->low < range->high)
        snprintf(text, sizeof text, "%.0f-%.0f%s%s", range->low / unit, range->high / unit,
                 kilobytes ? "K" : "", mark);
    else if (range->known)
        snprintf(text, sizeof text, "%.0f%s%s", range->low / unit, kilobytes ? "K" : "", mark);
    smc_text_printf(out, " %*s", width, text);
}

static void append_range(const struct range *range, bool bytes, int width, struct smc_text *out)
{
    append_marked_range(range, bytes, "", width, out);
}

/* "12.5%", "25-50%", "<=50%" of the best block size. */
static void append_percent(const struct line *line, struct smc_text *out)
{
    const struct range *percent = &line->percent;
    const char *most = line->at_best ? "<=" : "";
    char text[48];
    if (percent->low < percent->high)
        snprintf(text, sizeof text, "%s%.0f-%.0f%%", most, percent->low, percent->high);
    else
        snprintf(text, sizeof text, "%s%.3g%%", most, percent->low);
    smc_text_printf(out, " %9s ", text);
}

static void append_limits(const struct line *line, struct smc_text *out)
{
    const struct smc_answer *worst = &line->worst->answer;
    uint32_t limiters = worst->occupancy.limiters;
    char text[32];
    if (worst->outcome == SMC_LAUNCHES && limiters)
        snprintf(text, sizeof text, "%s%s",
                 smc_words_short_label(smc_words_first_limiter(limiters)),
                 limiters & (limiters - 1) ? "+" : "");
    else
        snprintf(text, sizeof text, "%s",
                 worst->outcome == SMC_CANNOT_COMPILE ? "cannot compile" : "cannot launch");
    smc_text_cell(out, text, -LIMITS_WIDTH);
}

/* Columns that are the same for all kernels are omitted. */
struct columns {
    bool devices, threads, spills, smem, instances;
};

static struct columns find_columns(const struct smc_inspect_rows *rows,
                                   const struct families *families)
{
    struct columns columns = {.instances = families->count < families->member_count};
    const struct smc_device *first = &rows->item[0].answer.query.device;
    for (size_t i = 0; i < rows->count; i++) {
        const struct smc_inspect_row *row = &rows->item[i];
        const struct smc_launch *launch = &row->answer.launch;
        const struct smc_device *device = &row->answer.query.device;
        columns.devices |= device->sm.cc != first->sm.cc || strcmp(device->name, first->name) != 0;
        columns.threads |= row->threads_source != SMC_THREADS_UNKNOWN;
        columns.spills |= smc_inspect_spilled(row) > 0;
        columns.smem |=
            launch->static_smem_bytes + launch->dynamic_smem_bytes > 0 || row->dynamic_smem_unknown;
    }
    return columns;
}

static void append_head(const struct columns *columns, struct smc_text *out)
{
    if (columns->devices)
        smc_text_printf(out, "  %-*s", DEVICE_WIDTH, "device");
    smc_text_printf(out, " %9s %-*s", "occup.", LIMITS_WIDTH, "limited by");
    if (columns->threads)
        smc_text_printf(out, " %*s", THREADS_WIDTH, "threads");
    smc_text_printf(out, " %*s", REGS_WIDTH, "regs");
    if (columns->spills)
        smc_text_printf(out, " %*s", SPILLS_WIDTH, "spills B");
    if (columns->smem)
        smc_text_printf(out, " %*s", SMEM_WIDTH, "smem B");
    if (columns->instances && !columns->devices)
        smc_text_append(out, " inst.");
    smc_text_append(out, columns->devices ? "\n" : "  kernel\n");
}

static void append_figures(const struct line *line, const struct columns *columns,
                           struct smc_text *out)
{
    append_percent(line, out);
    append_limits(line, out);
    if (columns->threads && line->unknown && !line->threads.known)
        smc_text_printf(out, " %*s", THREADS_WIDTH, "?");
    else if (columns->threads)
        append_range(&line->threads, false, THREADS_WIDTH, out);
    append_range(&line->registers, false, REGS_WIDTH, out);
    if (columns->spills)
        append_range(&line->spills, true, SPILLS_WIDTH, out);
    if (columns->smem)
        append_marked_range(&line->smem, true, line->dynamic_smem_unknown ? "+?" : "", SMEM_WIDTH,
                            out);
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
        smc_inspect_append_bare(kernel, false, out);
    else
        smc_text_append_bytes(out, name.begin + name.last, name.arguments - name.last);
    smc_text_append(out, name.arguments < name.length ? "<..>" : "");
}

/* A line of at most so many columns. */
static void append_cut(struct smc_text *text, size_t columns, struct smc_text *out)
{
    if (text->data)
        smc_utf8_make_safe(text->data);
    const char *string = smc_text_string(text);
    bool fits = smc_utf8_string_columns(string) <= (int)columns;
    size_t length = fits ? text->length : smc_utf8_fit(string, (int)columns - 2);
    smc_text_append_bytes(out, string, length);
    smc_text_append(out, fits ? "\n" : "..\n");
}

/* `used`: columns of the line before the name. */
static void append_name(const struct smc_inspect_rows *rows, const struct family *family,
                        const struct smc_kernel_names *names, bool instances, size_t used,
                        const struct smc_report_style *style, struct smc_text *out)
{
    enum { LEAST_COLUMNS = 16 };
    struct smc_text name = {0};
    append_family(rows, family, names, &name);
    if (instances && family->kernels > 1)
        smc_text_printf(&name, " (%zu instances)", family->kernels);
    if (rows->summary.files > 1)
        smc_text_printf(&name, " in %s", rows->item[family->first].kernel->file);
    append_cut(&name, style->columns > used + LEAST_COLUMNS ? style->columns - used : LEAST_COLUMNS,
               out);
    smc_text_free(&name);
}

/* One device: the name ends the line. Several: it begins a paragraph. */
static void append_lines(const struct smc_inspect_rows *rows, const struct families *families,
                         const struct family *family, const struct smc_kernel_names *names,
                         const struct columns *columns, const struct smc_report_style *style,
                         struct smc_text *out)
{
    struct line lines[MOST_DEVICES];
    size_t count = find_lines(rows, families, family, lines);
    if (columns->devices)
        append_name(rows, family, names, true, 0, style, out);
    for (size_t i = 0; i < count; i++) {
        size_t begin = out->length;
        if (columns->devices) {
            smc_text_append(out, "  ");
            smc_overview_append_device(lines[i].device, -DEVICE_WIDTH, out);
        }
        append_figures(&lines[i], columns, out);
        if (columns->devices) {
            smc_text_append(out, "\n");
            continue;
        }
        if (columns->instances)
            smc_text_printf(out, " %5zu", family->kernels);
        smc_text_append(out, "  ");
        append_name(rows, family, names, false, out->length - begin, style, out);
    }
}

/* How many devices a kernel has at most, up to MOST_DEVICES. */
static size_t count_devices(const struct smc_inspect_rows *rows)
{
    size_t most = 0, count = 0;
    for (size_t i = 0; i < rows->count; i++) {
        count = begins_kernel(rows, i) ? 1 : count + 1;
        most = count > most ? count : most;
    }
    return most < MOST_DEVICES ? most : MOST_DEVICES;
}

static size_t append_table(const struct smc_inspect_rows *rows, const struct families *families,
                           const struct smc_kernel_names *names,
                           const struct smc_report_style *style, struct smc_text *out)
{
    const struct columns columns = find_columns(rows, families);
    size_t each = columns.devices ? 1 + count_devices(rows) : 1, left_out = 0;
    size_t most = style->all_kernels ? families->count : MOST_LINES / each;
    append_head(&columns, out);
    for (size_t i = 0; i < families->count; i++) {
        if (i < most || i == 0)
            append_lines(rows, families, &families->item[i], names, &columns, style, out);
        else
            left_out += families->item[i].kernels;
    }
    return left_out;
}

size_t smc_overview_table(const struct smc_inspect_rows *rows, const struct smc_kernel_names *names,
                          const struct smc_report_style *style, struct smc_text *out)
{
    struct families families = {0};
    size_t left_out = 0;
    if (!find_families(rows, style->instances, &families))
        out->failed = true;
    else if (rows->count > 0)
        left_out = append_table(rows, &families, names, style, out);
    free_families(&families);
    return left_out;
}
