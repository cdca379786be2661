/* The kernels of a trace as a table: a line for each kind of configuration, with what would fill
   the GPU better below it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "show/report/text_table.h"
#include "show/report/writers.h"
#include "show/words/kernel_names.h"

/* --- Configurations in lines ------------------------------------------------------------------ */

/* Configurations of a kernel that differ in nothing that a line shows: only in the grid, while the
   same keeps the GPU from being full, in the process, or in which of several equal GPUs. */
struct trace_table_line {
    const struct smc_trace_row *row; /* the one with the largest share */
    size_t configurations;
    uint64_t launches, timed_launches, total_ns;
    double share;
    double resident_sum, resident_share; /* of those that have one */
    uint64_t fewest_blocks, most_blocks; /* of their grids; 0: unknown */
};

static const char *trace_table_name_of(const struct smc_device *device)
{
    return device ? device->name : "";
}

/* Compares everything that two configurations must share to be in one line. */
static int compare_kinds(const struct smc_trace_row *a, const struct smc_trace_row *b)
{
    const struct smc_trace_launch *x = a->launch, *y = b->launch;
    const int64_t key[][2] = {
        {a->bound, b->bound},
        {a->agreement, b->agreement},
        {x->regs_per_thread, y->regs_per_thread},
        {smc_trace_smem_bytes(x, a->device), smc_trace_smem_bytes(y, b->device)},
        {x->static_smem_bytes, y->static_smem_bytes},
        {a->occupancy.blocks_per_sm, b->occupancy.blocks_per_sm},
        {a->device ? a->device->sm_count : 0, b->device ? b->device->sm_count : 0},
        {a->unknown != NULL, b->unknown != NULL},
    };
    int order = memcmp(x->block, y->block, sizeof x->block);
    if (order == 0)
        order = memcmp(x->cluster, y->cluster, sizeof x->cluster);
    for (size_t i = 0; i < sizeof key / sizeof *key && order == 0; i++)
        order = smc_compare_integers(key[i][0], key[i][1]);
    return order ? order : strcmp(trace_table_name_of(a->device), trace_table_name_of(b->device));
}

static int trace_table_compare_rows(const void *a, const void *b)
{
    const struct smc_trace_row *x = *(const struct smc_trace_row *const *)a;
    const struct smc_trace_row *y = *(const struct smc_trace_row *const *)b;
    const int order = compare_kinds(x, y);
    return order ? order : (x > y) - (x < y); /* the largest share first */
}

static int trace_table_compare_lines(const void *a, const void *b)
{
    const struct trace_table_line *x = a, *y = b;
    const int order = (x->share < y->share) - (x->share > y->share);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

static void add_to_line(const struct smc_trace_row *row, struct trace_table_line *line)
{
    const uint64_t blocks = smc_trace_blocks(row->launch);
    line->row = line->row ? line->row : row;
    if (line->configurations++ == 0 || blocks < line->fewest_blocks)
        line->fewest_blocks = blocks;
    line->most_blocks = blocks > line->most_blocks ? blocks : line->most_blocks;
    line->launches += row->launch->launches;
    line->timed_launches += row->launch->timed_launches;
    line->total_ns += row->launch->total_ns;
    line->share += row->share;
    if (row->resident_percent >= 0) {
        line->resident_sum += row->resident_percent * row->share;
        line->resident_share += row->share;
    }
}

/* The lines of a kernel, by share; NULL: out of memory. Free them. */
static struct trace_table_line *trace_table_find_lines(const struct smc_trace_answer *answer,
                                                       const struct smc_trace_kernel *kernel,
                                                       size_t *count)
{
    smc_auto_free const struct smc_trace_row **rows = smc_malloc(kernel->count * sizeof *rows);
    struct trace_table_line *lines = smc_calloc(kernel->count, sizeof *lines);
    *count = 0;
    for (size_t i = 0; rows && lines && i < kernel->count; i++)
        rows[i] = &answer->rows[kernel->first + i];
    if (rows && lines)
        qsort(rows, kernel->count, sizeof *rows, trace_table_compare_rows);
    for (size_t i = 0; rows && lines && i < kernel->count; i++) {
        *count += i == 0 || compare_kinds(rows[i - 1], rows[i]) != 0;
        add_to_line(rows[i], &lines[*count - 1]);
    }
    if (lines)
        qsort(lines, *count, sizeof *lines, trace_table_compare_lines);
    return lines;
}

/* --- Cells ------------------------------------------------------------------------------------ */

enum { KERNEL_COLUMNS = 3 }; /* those that a kernel as a whole has, too */
static const struct smc_text_column trace_columns[] = {
    {"share%", 0, 6, false}, {"launches", 0, 9, false},   {"mean", 0, 9, false},
    {"block", 0, 6, false},  {"regs", 0, 5, false},       {"smem B", 0, 8, false},
    {"blk", 0, 4, false},    {"occ%", 0, 6, false},       {"res%", 0, 6, false},
    {"waves", 1, 9, false},  {"limited by", 1, 0, false}, {0},
};

/* "37.5", "100", "?" for unknown. */
static void add_percent(double percent, struct smc_cells *cells)
{
    if (percent < 0)
        smc_cells_add(cells, "?");
    else
        smc_cells_printf(cells, percent >= 99.95 || percent == 0 ? "%.0f" : "%.1f", percent);
}

static void trace_table_add_count(int64_t count, struct smc_cells *cells)
{
    if (count < 0)
        smc_cells_add(cells, "?");
    else
        smc_cells_printf(cells, "%" PRId64, count);
}

/* Two digits are enough: "0.13", "2.6", "48". */
static void append_waves(double waves, struct smc_text *out)
{
    smc_text_printf(out, "%.*f", waves >= 9.95 ? 0 : waves >= 0.995 ? 1 : 2, waves);
}

/* "2.6", or "0.13-2.6" for grids of several sizes. */
static void add_waves(const struct trace_table_line *line, struct smc_cells *cells)
{
    struct smc_text words = {0};
    const struct smc_waves *waves = &line->row->waves;
    if (line->row->has_waves) {
        append_waves((double)line->fewest_blocks / (double)waves->resident_blocks, &words);
        if (line->most_blocks > line->fewest_blocks) {
            smc_text_append(&words, "-");
            append_waves((double)line->most_blocks / (double)waves->resident_blocks, &words);
        }
    }
    if (words.length == 0)
        smc_text_append(&words, "?");
    smc_cells_text(cells, &words);
}

static const char *limit_words(const struct smc_trace_row *row)
{
    switch (row->bound) {
    case SMC_TRACE_BOUND_NONE:
        return "-";
    case SMC_TRACE_BOUND_GRID:
        return "small grid";
    case SMC_TRACE_BOUND_UNKNOWN:
        return "?";
    default:
        return smc_words_short_label(smc_words_first_limiter(row->occupancy.limiters));
    }
}

static void trace_table_append_heading(const struct smc_trace_answer *answer, struct smc_text *out)
{
    struct smc_cells cells = {trace_columns, out};
    if (answer->trace->launches_unknown) {
        smc_cells_add(&cells, "");
        smc_cells_add(&cells, "");
    } else if (answer->has_times) {
        smc_cells_add(&cells, "time%");
    }
    smc_cells_headings(cells);
}

static void trace_table_add_counts(const struct smc_trace *trace, double share, uint64_t launches,
                                   uint64_t timed_launches, uint64_t total_ns,
                                   struct smc_cells *cells)
{
    if (trace->launches_unknown) {
        for (int column = 0; column < KERNEL_COLUMNS; column++)
            smc_cells_add(cells, "");
        return;
    }
    add_percent(100 * share, cells);
    smc_cells_printf(cells, "%" PRIu64, launches);
    struct smc_text words = {0};
    if (timed_launches > 0)
        smc_words_time((double)total_ns / 1e6 / (double)timed_launches, &words);
    else
        smc_text_append(&words, "?");
    smc_words_untie(&words);
    smc_cells_text(cells, &words);
}

static void trace_table_append_figures(const struct smc_trace *trace,
                                       const struct trace_table_line *line, struct smc_text *out)
{
    const struct smc_trace_row *row = line->row;
    const uint64_t threads = smc_trace_threads(row->launch);
    struct smc_text text = {0};
    struct smc_cells cells = {trace_columns, &text};
    trace_table_add_counts(trace, line->share, line->launches, line->timed_launches, line->total_ns,
                           &cells);
    trace_table_add_count(threads ? (int64_t)threads : -1, &cells);
    trace_table_add_count(row->launch->regs_per_thread, &cells);
    trace_table_add_count(smc_trace_smem_bytes(row->launch, row->device), &cells);
    trace_table_add_count(row->unknown ? -1 : (int64_t)row->occupancy.blocks_per_sm, &cells);
    add_percent(row->occupancy_percent, &cells);
    add_percent(line->resident_share > 0 ? line->resident_sum / line->resident_share : -1, &cells);
    add_waves(line, &cells);
    smc_cells_add(&cells, limit_words(row));
    smc_layout_row(out, &text);
}

/* --- What a configuration needs --------------------------------------------------------------- */

/* "grid 120 x 64, block 32 x 8, cluster 2"; "86 grids of 1 to 4096 blocks". */
static void trace_table_append_shapes(const struct trace_table_line *line, struct smc_text *out)
{
    static const char times[] = SMC_TIE "x" SMC_TIE;
    const struct smc_trace_launch *launch = line->row->launch;
    if (line->most_blocks > line->fewest_blocks)
        smc_text_printf(out, "grids of %" PRIu64 " to %" PRIu64 " blocks", line->fewest_blocks,
                        line->most_blocks);
    else if (launch->grid[0] > 0) {
        smc_text_append(out, "grid ");
        smc_words_extent(launch->grid, times, out);
    }
    if (launch->block[1] > 1 || launch->block[2] > 1) {
        smc_text_append(out, ", block ");
        smc_words_extent(launch->block, times, out);
    }
    if (launch->cluster[0] > 0) {
        smc_text_append(out, ", cluster ");
        smc_words_extent(launch->cluster, times, out);
    }
}

static void append_item(struct smc_text *out, struct smc_text *item)
{
    if (item->length > 0)
        smc_text_printf(out, "%s%s", out->length > 0 ? "; " : "", smc_text_string(item));
    smc_text_free(item);
}

/* How far the grid is from filling the GPU, or how empty it leaves the last wave. */
static void trace_table_append_grid(const struct trace_table_line *line, struct smc_text *out)
{
    enum { FEW_WAVES = 4, LARGE_TAIL = 25 };
    const struct smc_trace_row *row = line->row;
    struct smc_text item = {0};
    if (row->bound == SMC_TRACE_BOUND_GRID)
        smc_text_printf(&item, "the GPU holds %" PRIu64 " of these blocks at a time",
                        row->waves.resident_blocks);
    else if (row->has_waves && row->waves.waves > 1 && row->waves.waves <= FEW_WAVES &&
             row->tail_percent >= LARGE_TAIL)
        smc_text_printf(&item,
                        "the last of %" PRIu64 " waves leaves %.0f" SMC_TIE "%% of the GPU empty",
                        row->waves.waves, row->tail_percent);
    append_item(out, &item);
}

/* The changes that raise the occupancy; none of them helps a grid that is too small. */
static void append_gains(const struct smc_trace_row *row, struct smc_text *out)
{
    struct smc_answer answer;
    struct smc_text items = {0};
    if (row->unknown || row->bound == SMC_TRACE_BOUND_GRID || row->bound == SMC_TRACE_BOUND_NONE)
        return;
    smc_trace_complete(row, &answer);
    if (answer.outcome != SMC_LAUNCHES)
        smc_words_failure(&answer, &items);
    else
        smc_text_gains(&answer, &items);
    if (items.length == 0)
        smc_text_append(&items, "no change of one resource alone raises occupancy");
    smc_text_join_items(&items);
    append_item(out, &items);
}

static bool has_several_models(const struct smc_trace_answer *answer)
{
    const struct smc_trace *trace = answer->trace;
    for (size_t i = 1; i < trace->device_count && !answer->instead; i++)
        if (strcmp(trace->devices[i].device.name, trace->devices[0].device.name) != 0 ||
            trace->devices[i].device.sm_count != trace->devices[0].device.sm_count)
            return true;
    return false;
}

static void trace_table_append_line(const struct smc_trace_answer *answer,
                                    const struct trace_table_line *line, struct smc_text *out)
{
    enum { STEPS_COLUMN = 7 };
    const struct smc_trace_row *row = line->row;
    struct smc_text words = {0}, item = {0};
    trace_table_append_figures(answer->trace, line, out);
    trace_table_append_shapes(line, &words);
    if (row->device && has_several_models(answer))
        smc_text_printf(&item, "on %s", row->device->name);
    append_item(&words, &item);
    if (row->unknown)
        smc_text_append(&item, row->unknown);
    if (row->agreement == SMC_TRACE_DIFFERS)
        smc_text_printf(&item, "the driver says %d blocks per SM", row->launch->api_blocks_per_sm);
    append_item(&words, &item);
    trace_table_append_grid(line, &words);
    append_gains(row, &words);
    smc_layout_text(out, STEPS_COLUMN, &words);
}

/* --- Kernels ---------------------------------------------------------------------------------- */

enum { MOST_KERNELS = 15, MOST_LINES = 3 };

/* A name has a line of its own: of two distinct forms the longer, with all template arguments, if
   it fits. */
static void trace_table_append_name(const struct smc_kernel_names *names, const char *shown,
                                    struct smc_text *out)
{
    smc_auto_text shortest = {0}, brief = {0};
    smc_kernel_names_choose(names, shown, &shortest);
    smc_kernel_name_brief(shown, &brief);
    const bool fits = brief.length > shortest.length && brief.length <= out->style->columns;
    smc_layout_begin(out, SMC_STRONG);
    smc_kernel_name_wrap(smc_text_string(fits ? &brief : &shortest), out->style->columns, out);
    smc_layout_end(out);
}

static void trace_table_append_kernel(const struct smc_trace_answer *answer,
                                      const struct smc_trace_kernel *kernel,
                                      const struct smc_kernel_names *names, struct smc_text *out)
{
    size_t count;
    double rest = 0;
    smc_auto_free struct trace_table_line *lines = trace_table_find_lines(answer, kernel, &count);
    out->failed |= !lines;
    const size_t shown = out->style->verbose || count <= MOST_LINES ? count : MOST_LINES;
    trace_table_append_name(names, kernel->shown, out);
    if (count > 1) {
        trace_table_add_counts(answer->trace, kernel->share, kernel->launches,
                               kernel->timed_launches, kernel->total_ns,
                               &(struct smc_cells){trace_columns, out});
        smc_text_append(out, "  in all:\n");
    }
    for (size_t i = 0; i < count; i++)
        if (i < shown)
            trace_table_append_line(answer, &lines[i], out);
        else
            rest += lines[i].share;
    if (shown < count) {
        add_percent(100 * rest, &(struct smc_cells){trace_columns, out});
        smc_text_printf(out, "  in %zu more configuration%s, shown by --verbose\n", count - shown,
                        smc_text_plural(count - shown));
    }
}

void smc_trace_table(const struct smc_trace_answer *answer, struct smc_text *out)
{
    SMC_AUTO(smc_kernel_names_free) struct smc_kernel_names names = {0};
    const size_t most = out->style->all_kernels    ? answer->kernel_count
                        : out->style->most_kernels ? out->style->most_kernels
                                                   : MOST_KERNELS;
    double rest = 0;
    smc_kernel_names_of_trace(&names, answer);
    smc_text_append(out, "\n");
    trace_table_append_heading(answer, out);
    for (size_t i = 0; i < answer->kernel_count; i++)
        if (i < most)
            trace_table_append_kernel(answer, &answer->kernels[i], &names, out);
        else
            rest += answer->kernels[i].share;
    if (most >= answer->kernel_count)
        return;
    add_percent(100 * rest, &(struct smc_cells){trace_columns, out});
    smc_text_printf(out, "  in %zu more kernel%s; --top all lists each\n",
                    answer->kernel_count - most, smc_text_plural(answer->kernel_count - most));
}
