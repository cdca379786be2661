/* The block sizes proposed for the kernels of a file: a line for each kernel. The instances of a
   template that get the same sizes share a line. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "code/names.h"
#include "show/report/text_table.h"
#include "show/report/writers.h"
#include "show/words/kernel_names.h"

enum { MOST_LINES = 20, DEVICE_WIDTH = 24, LIMITS_WIDTH = 14 };

struct kernel {
    const struct smc_best_proposal *first; /* one for each device follows */
    uint64_t family, last; /* hashes of the name without template arguments, of its end */
    double worst_percent;  /* -1: there is a device on which no size launches */
    bool strays;           /* on each device only other kernels' machine code loads */
};

/* Kernels that follow each other in the list. */
struct best_kernels_line {
    const struct kernel *first;
    size_t kernels;
};

struct best_kernels_list {
    size_t devices;
    struct kernel *kernel;
    size_t kernels, strays;
    struct best_kernels_line *line;
    size_t lines;
    struct smc_kernel_names names;
};

static const struct smc_answer *answer_of(const struct kernel *kernel, size_t device)
{
    return &kernel->first[device].candidate.answer;
}

static const char *best_kernels_shown_name(const struct kernel *kernel)
{
    return answer_of(kernel, 0)->query.file_kernel->name;
}

static bool is_proposed(const struct smc_best_proposal *proposal)
{
    return proposal->candidate.choice.dropped_by == SMC_RULE_COUNT;
}

/* --- The kernels ------------------------------------------------------------------------------ */

/* The proposals of a kernel are adjacent, and all have the first one's name. */
static size_t devices_of(const struct smc_best_proposal *proposals, size_t count)
{
    const char *name = proposals->candidate.answer.query.file_kernel->short_name;
    size_t devices = 1;
    while (devices < count &&
           proposals[devices].candidate.answer.query.file_kernel->short_name == name)
        devices++;
    return devices;
}

static bool best_kernels_loads(const struct smc_best_proposal *proposal)
{
    return proposal->candidate.answer.query.file_kernel->resources.source != SMC_RESOURCES_ASSUMED;
}

static struct kernel make_kernel(const struct smc_best_proposal *proposals, size_t devices,
                                 const bool *some_load)
{
    struct kernel kernel = {.first = proposals, .worst_percent = 100, .strays = true};
    struct smc_name name;
    for (size_t d = 0; d < devices; d++) {
        double percent =
            is_proposed(&proposals[d]) ? proposals[d].candidate.answer.occupancy_percent : -1;
        kernel.worst_percent = percent < kernel.worst_percent ? percent : kernel.worst_percent;
        kernel.strays &= some_load[d] && !best_kernels_loads(&proposals[d]);
    }
    smc_name_parse(best_kernels_shown_name(&kernel), &name);
    kernel.family = smc_name_family(&name);
    kernel.last = smc_hash(SMC_HASH_START, name.begin + name.last, name.arguments - name.last);
    return kernel;
}

static int compare_worst(const void *a, const void *b)
{
    const struct kernel *x = a, *y = b;
    if (x->worst_percent != y->worst_percent)
        return x->worst_percent < y->worst_percent ? -1 : 1;
    return x->first < y->first ? -1 : 1; /* as in the file */
}

/* As for `inspect`, kernels whose machine code does not load are left out if others do. False: out
   of memory. */
static bool best_find_kernels(const struct smc_best_proposal *proposals, size_t count,
                              struct best_kernels_list *list)
{
    const size_t devices = list->devices = devices_of(proposals, count), all = count / devices;
    smc_auto_free bool *some_load = smc_calloc(devices, sizeof *some_load);
    list->kernel = smc_calloc(all, sizeof *list->kernel);
    bool has_memory = some_load && list->kernel;
    for (size_t i = 0; has_memory && i < count; i++)
        some_load[i % devices] |= best_kernels_loads(&proposals[i]);
    for (size_t k = 0; has_memory && k < all; k++) {
        struct kernel kernel = make_kernel(&proposals[k * devices], devices, some_load);
        if (kernel.strays)
            list->strays++;
        else
            list->kernel[list->kernels++] = kernel;
    }
    if (has_memory)
        qsort(list->kernel, list->kernels, sizeof *list->kernel, compare_worst);
    return has_memory;
}

static void find_names(struct best_kernels_list *list)
{
    smc_auto_free const char **shown = smc_calloc(list->kernels + 1, sizeof *shown);
    for (size_t k = 0; shown && k < list->kernels; k++)
        shown[k] = best_kernels_shown_name(&list->kernel[k]);
    smc_kernel_names_init(&list->names, shown, shown ? list->kernels : 0);
}

/* --- The lines -------------------------------------------------------------------------------- */

static uint64_t best_kernels_hash_of(const struct kernel *kernel, size_t devices)
{
    uint64_t hash = kernel->family;
    for (size_t d = 0; d < devices; d++) {
        const struct smc_best_proposal *proposal = &kernel->first[d];
        const int64_t size = is_proposed(proposal) ? proposal->candidate.size : 0;
        hash = smc_hash(hash, &size, sizeof size);
    }
    return hash;
}

static int best_kernels_compare_lines(const void *a, const void *b)
{
    const struct best_kernels_line *x = a, *y = b;
    return compare_worst(x->first, y->first);
}

/* False: out of memory. */
static bool best_kernels_find_lines(bool instances, struct best_kernels_list *list)
{
    smc_auto_free struct smc_hashed *member = smc_calloc(list->kernels + 1, sizeof *member);
    struct kernel *kernel = smc_calloc(list->kernels + 1, sizeof *kernel);
    list->line = smc_calloc(list->kernels + 1, sizeof *list->line);
    const bool has_memory = member && kernel && list->line;
    const size_t count = has_memory ? list->kernels : 0;
    for (size_t k = 0; k < count; k++)
        member[k] = (struct smc_hashed){
            instances ? k : best_kernels_hash_of(&list->kernel[k], list->devices), k};
    if (has_memory)
        qsort(member, count, sizeof *member, smc_compare_hashed);
    for (size_t k = 0; k < count; k++) {
        kernel[k] = list->kernel[member[k].index];
        if (k == 0 || member[k].hash != member[k - 1].hash)
            list->line[list->lines++] = (struct best_kernels_line){.first = &kernel[k]};
        list->line[list->lines - 1].kernels++;
    }
    free(list->kernel);
    list->kernel = kernel;
    if (has_memory)
        qsort(list->line, list->lines, sizeof *list->line, best_kernels_compare_lines);
    return has_memory;
}

static bool shares_name(const struct best_kernels_list *list, const struct kernel *kernel)
{
    for (size_t i = 0; i < list->lines; i++)
        if (list->line[i].first->last == kernel->last &&
            list->line[i].first->family != kernel->family)
            return true;
    return false;
}

/* "gemm<..> (12 instances)"; with namespaces if another template has the same last component. */
static void best_kernels_append_name(const struct best_kernels_list *list,
                                     const struct best_kernels_line *line, struct smc_text *out)
{
    const char *shown = best_kernels_shown_name(line->first);
    struct smc_name name;
    smc_name_parse(shown, &name);
    if (line->kernels == 1) {
        smc_kernel_names_choose(&list->names, shown, out);
        return;
    }
    const size_t begin = shares_name(list, line->first) ? 0 : name.last;
    smc_text_append_bytes(out, name.begin + begin, name.arguments - begin);
    smc_text_printf(out, "%s (%zu instances)", name.arguments < name.length ? "<..>" : "",
                    line->kernels);
}

/* --- Text ------------------------------------------------------------------------------------- */

enum { COLUMN_NAME, COLUMN_DEVICE, COLUMNS = 7 };
struct best_kernels_columns {
    struct smc_text_column column[COLUMNS + 1];
};

/* Marks that need a line of explanation. */
struct marks {
    bool estimated, forced, grouped;
};

/* The name column is as wide as the longest name that leaves room for the rest. */
static struct best_kernels_columns best_kernels_find_columns(const struct best_kernels_list *list,
                                                             size_t shown,
                                                             const struct smc_report_style *style)
{
    struct best_kernels_columns columns = {{
        [COLUMN_NAME] = {"kernel", 0, -6, false},
        [COLUMN_DEVICE] = {"device", 1, 0, list->devices == 1},
        {"regs", 1, 7, false},
        {"threads ", 1, 8, false},
        {"blocks", 1, 6, false},
        {"occup.", 1, 9, false},
        {"limited by", 2, 0, false},
    }};
    struct smc_text_column *name = &columns.column[COLUMN_NAME];
    for (size_t d = 0; d < list->devices; d++) {
        smc_auto_text device = {0};
        smc_words_device(&answer_of(list->kernel, d)->query.device, &device);
        smc_column_widen(&columns.column[COLUMN_DEVICE], smc_text_string(&device));
    }
    if (columns.column[COLUMN_DEVICE].width < -DEVICE_WIDTH)
        columns.column[COLUMN_DEVICE].width = -DEVICE_WIDTH;
    const int used = smc_columns_width(columns.column) + name->width + LIMITS_WIDTH;
    for (size_t i = 0; i < shown; i++) {
        smc_auto_text text = {0};
        best_kernels_append_name(list, &list->line[i], &text);
        const int width = smc_utf8_string_columns(smc_text_string(&text));
        if (width > -name->width && width + used <= (int)style->columns)
            name->width = -width;
    }
    return columns;
}

/* "24-32". */
static void best_kernels_append_range(const double range[2], const char *mark, const char *unit,
                                      struct smc_cells *cells)
{
    if (range[0] < range[1])
        smc_cells_printf(cells, "%s%.0f-%.0f%s", mark, range[0], range[1], unit);
    else
        smc_cells_printf(cells, "%s%.3g%s", mark, range[0], unit);
}

/* Of the kernels of a line on one device. */
struct figures {
    bool known; /* the registers of one are */
    bool estimated, forced, proposed;
    double regs[2], blocks[2], percent[2]; /* the lowest and the highest */
    uint32_t limiters;                     /* of all */
};

static void best_kernels_widen(double range[2], bool first, double value)
{
    range[0] = first || value < range[0] ? value : range[0];
    range[1] = first || value > range[1] ? value : range[1];
}

static struct figures find_figures(const struct best_kernels_line *line, size_t device)
{
    struct figures figures = {.limiters = UINT32_MAX};
    for (size_t k = 0; k < line->kernels; k++) {
        const struct smc_answer *answer = answer_of(&line->first[k], device);
        if (smc_words_regs_known(answer)) {
            best_kernels_widen(figures.regs, !figures.known, answer->launch.regs_per_thread);
            figures.known = true;
        }
        best_kernels_widen(figures.blocks, k == 0, answer->occupancy.blocks_per_sm);
        best_kernels_widen(figures.percent, k == 0, answer->occupancy_percent);
        figures.limiters &= answer->occupancy.limiters;
        figures.estimated |= *smc_words_estimated_mark(answer) != '\0';
        figures.forced |= smc_best_is_forced(answer);
        figures.proposed = is_proposed(&line->first[k].first[device]);
    }
    return figures;
}

static void best_kernels_append_limiters(uint32_t limiters, struct smc_text *line)
{
    static const char *const names[SMC_LIMIT_COUNT] = {
        [SMC_LIMIT_WARPS] = "warps",       [SMC_LIMIT_BLOCKS] = "blocks",
        [SMC_LIMIT_REGISTERS] = "regs",    [SMC_LIMIT_SHARED_MEMORY] = "smem",
        [SMC_LIMIT_BARRIERS] = "barriers", [SMC_LIMIT_VIRTUAL_RESOURCES] = "virtual",
        [SMC_LIMIT_CLUSTER] = "cluster",
    };
    const char *separator = "";
    if (limiters == 0)
        smc_text_append(line, "varies");
    for (int i = 0; i < SMC_LIMIT_COUNT; i++)
        if (limiters & 1u << i) {
            smc_text_printf(line, "%s%s", separator, names[i]);
            separator = "+";
        }
}

static void best_kernels_append_figures(const struct best_kernels_line *line, size_t device,
                                        struct smc_cells *cells, struct marks *marks)
{
    const struct figures figures = find_figures(line, device);
    const struct smc_best_proposal *proposal = &line->first->first[device];
    struct smc_text limiters = {0};
    if (figures.known)
        best_kernels_append_range(figures.regs, figures.estimated ? "~" : "", "", cells);
    else
        smc_cells_add(cells, "-");
    marks->estimated |= figures.known && figures.estimated;
    if (!figures.proposed) {
        const enum smc_outcome outcome = proposal->candidate.answer.outcome;
        while (cells->column->width > 0)
            smc_cells_add(cells, "-");
        smc_cells_add(cells, outcome == SMC_CANNOT_COMPILE ? "cannot compile" : "cannot launch");
        return;
    }
    smc_cells_printf(cells, "%" PRId64 "%s", proposal->candidate.size, figures.forced ? "*" : " ");
    marks->forced |= figures.forced;
    best_kernels_append_range(figures.blocks, "", "", cells);
    best_kernels_append_range(figures.percent, "", " %", cells);
    best_kernels_append_limiters(figures.limiters, &limiters);
    smc_cells_text(cells, &limiters);
}

/* A name that is too long for its column has lines of its own. */
static void best_kernels_append_line(const struct best_kernels_list *list,
                                     const struct best_kernels_line *line,
                                     const struct best_kernels_columns *columns,
                                     struct marks *marks, struct smc_text *out)
{
    smc_auto_text name = {0};
    best_kernels_append_name(list, line, &name);
    const bool fits =
        smc_utf8_string_columns(smc_text_string(&name)) <= -columns->column[COLUMN_NAME].width;
    marks->grouped |= line->kernels > 1;
    if (!fits)
        smc_kernel_name_wrap(smc_text_string(&name), out->style->columns, out);
    for (size_t d = 0; d < list->devices; d++) {
        struct smc_text row = {0}, device = {0};
        struct smc_cells cells = {columns->column, &row};
        smc_cells_add(&cells, fits && d == 0 ? smc_text_string(&name) : "");
        smc_words_device(&answer_of(line->first, d)->query.device, &device);
        smc_cells_text(&cells, &device);
        best_kernels_append_figures(line, d, &cells, marks);
        smc_layout_emphatic_row(out, is_proposed(&line->first->first[d]) ? SMC_PLAIN : SMC_BAD,
                                &row);
    }
}

static void best_kernels_append_head(const struct best_kernels_list *list,
                                     const struct best_kernels_columns *columns,
                                     struct smc_text *out)
{
    const struct smc_answer *answer = answer_of(list->kernel, 0);
    struct smc_text line = {0};
    smc_text_printf(&line, "the best block size of each of the %zu kernels of %s",
                    list->kernels + list->strays, answer->query.file_kernel->file);
    if (list->devices == 1)
        smc_text_printf(&line, " on %s", answer->query.device.name);
    smc_text_append(&line, ", lowest occupancy first");
    smc_layout_verdict(out, SMC_PLAIN, &line);
    smc_text_append_char(out, '\n', 1);
    smc_cells_headings((struct smc_cells){columns->column, out});
}

static void append_strays(const struct best_kernels_list *list, struct smc_text *out)
{
    const bool one = list->strays == 1;
    struct smc_text line = {0};
    if (list->strays == 0)
        return;
    smc_text_printf(&line,
                    "%zu kernel%s no machine code for %s and %s left out: --entry NAME shows one, "
                    "--format csv all",
                    list->strays, one ? " has" : "s have",
                    list->devices == 1 ? answer_of(list->kernel, 0)->query.device.name
                                       : "any of the devices",
                    one ? "is" : "are");
    smc_layout_text(out, 0, &line);
}

static bool all_required(const struct best_kernels_list *list)
{
    for (size_t k = 0; k < list->kernels; k++)
        if (!answer_of(&list->kernel[k], 0)->query.file_kernel->required_threads_per_block)
            return false;
    return true;
}

static void append_foot(const struct best_kernels_list *list, const struct marks *marks,
                        size_t hidden, struct smc_text *out)
{
    if (hidden)
        smc_text_printf(out, "and %zu more kernel%s (--top all lists all)\n", hidden,
                        smc_text_plural(hidden));
    smc_text_append_char(out, '\n', 1);
    append_strays(list, out);
    if (marks->estimated)
        smc_text_append(out, "~ registers estimated from another architecture\n");
    if (marks->forced)
        smc_text_append(out, "* set by the kernel's launch bounds, which allow no larger block\n");
    if (marks->grouped)
        smc_text_append(out,
                        "<..> instances that get the same block size: --instances lists each\n");
    smc_layout_paragraph(out, "", 0,
                         "--entry NAME shows one of them with the reasons. To apply a size, write "
                         "__launch_bounds__(threads," SMC_TIE "blocks) before the kernel's name; "
                         "the registers are those compiled with its present launch bounds, if any.",
                         out->style->columns);
    if (!all_required(list))
        smc_text_best_caveat(out);
}

/* How many lines are shown, and how many kernels are not. */
static size_t count_shown(const struct best_kernels_list *list,
                          const struct smc_report_style *style, size_t *hidden)
{
    const size_t most = style->all_kernels ? list->lines : MOST_LINES;
    const size_t shown = list->lines < most ? list->lines : most;
    for (size_t i = shown; i < list->lines; i++)
        *hidden += list->line[i].kernels;
    return shown;
}

void smc_text_best_of_kernels(const struct smc_best_proposal *proposals, size_t count,
                              struct smc_text *out)
{
    struct best_kernels_list list = {0};
    struct marks marks = {0};
    size_t hidden = 0;
    bool has_memory = best_find_kernels(proposals, count, &list);
    if (has_memory && out->style->most_kernels > 0 && out->style->most_kernels < list.kernels) {
        hidden = list.kernels - out->style->most_kernels;
        list.kernels = out->style->most_kernels;
    }
    has_memory = has_memory && best_kernels_find_lines(out->style->instances, &list);
    if (has_memory) {
        find_names(&list);
        const size_t shown = count_shown(&list, out->style, &hidden);
        const struct best_kernels_columns columns =
            best_kernels_find_columns(&list, shown, out->style);
        best_kernels_append_head(&list, &columns, out);
        for (size_t i = 0; i < shown; i++)
            best_kernels_append_line(&list, &list.line[i], &columns, &marks, out);
        append_foot(&list, &marks, hidden, out);
    }
    out->failed |= !has_memory;
    smc_kernel_names_free(&list.names);
    free(list.line);
    free(list.kernel);
}
