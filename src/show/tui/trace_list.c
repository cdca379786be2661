/* The kernels of a trace as a list: its order, its lines, its columns, and what is said about one.
 */
#include "config.h"

#include "show/tui/trace_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "show/report/writers.h"
#include "show/words/kernel_names.h"

/* --- The lines -------------------------------------------------------------------------------- */

static const struct smc_trace_kernel *kernel_of(const struct smc_trace_list *list,
                                                const struct smc_trace_line *line)
{
    return &list->answer->kernels[line->kernel];
}

static const struct smc_trace_row *trace_list_row_of(const struct smc_trace_list *list,
                                                     const struct smc_trace_line *line)
{
    return &list->answer->rows[line->row];
}

const struct smc_open_kernel *smc_trace_list_open_kernel(const struct smc_trace_list *list)
{
    return list->file && list->count ? smc_open_kernel_at(list->file, list->line[list->cursor].row)
                                     : NULL;
}

const struct smc_file_kernel *smc_trace_list_file_kernel(const struct smc_trace_list *list,
                                                         size_t row)
{
    return list->file ? &smc_open_kernel_at(list->file, row)->file_kernel : &list->file_kernel[row];
}

const struct smc_trace_line *smc_trace_list_here(const struct smc_trace_list *list)
{
    return &list->line[list->cursor];
}

bool smc_trace_list_is_sum(const struct smc_trace_list *list, const struct smc_trace_line *line)
{
    return line->is_kernel && kernel_of(list, line)->count > 1;
}

static void add_line(struct smc_trace_list *list, size_t kernel, size_t row, bool is_kernel)
{
    list->line[list->count++] =
        (struct smc_trace_line){.kernel = kernel, .row = row, .is_kernel = is_kernel};
}

static bool trace_list_matches(const struct smc_trace_list *list, size_t kernel, const char *text)
{
    const struct smc_trace_kernel *found = &list->answer->kernels[kernel];
    for (size_t i = 0; i < found->count; i++)
        if (strcasestr(smc_trace_bounds[list->answer->rows[found->first + i].bound].label, text))
            return true;
    return strcasestr(found->shown, text);
}

/* The cursor stays on its line, or goes to the kernel of a line that is gone. */
static void make_lines(struct smc_trace_list *list)
{
    const bool first = list->count == 0;
    struct smc_trace_line here = {0};
    if (!first)
        here = list->line[list->cursor];
    list->count = list->cursor = 0;
    for (size_t i = 0; i < list->answer->kernel_count; i++) {
        const size_t k = list->order[i];
        const struct smc_trace_kernel *kernel = &list->answer->kernels[k];
        if (list->filter[0] && !trace_list_matches(list, k, list->filter))
            continue;
        add_line(list, k, kernel->first, true);
        for (size_t r = 0; list->unfolded[k] && r < kernel->count; r++)
            add_line(list, k, kernel->first + r, false);
    }
    for (size_t i = 0; i < list->count && !first; i++)
        if (list->line[i].kernel == here.kernel &&
            (list->line[i].is_kernel || (!here.is_kernel && list->line[i].row == here.row)))
            list->cursor = i;
}

void smc_trace_list_move(struct smc_trace_list *list, int by)
{
    long at = (long)list->cursor + by, last = (long)list->count - 1;
    at = at > last ? last : at;
    list->cursor = at < 0 ? 0 : (size_t)at;
}

static bool can_unfold(const struct smc_trace_list *list, size_t kernel)
{
    return list->answer->kernels[kernel].count > 1;
}

void smc_trace_list_unfold(struct smc_trace_list *list, bool unfold)
{
    const size_t kernel = smc_trace_list_here(list)->kernel;
    list->unfolded[kernel] = unfold && can_unfold(list, kernel);
    make_lines(list);
}

void smc_trace_list_unfold_all(struct smc_trace_list *list, bool unfold)
{
    for (size_t i = 0; i < list->answer->kernel_count; i++)
        list->unfolded[i] = unfold && can_unfold(list, i);
    make_lines(list);
}

bool smc_trace_list_search(struct smc_trace_list *list, const char *text, int direction)
{
    for (size_t i = 1; i <= list->count; i++) {
        const size_t by = direction > 0 ? i : list->count - i;
        const size_t at = (list->cursor + by) % list->count;
        if (!list->line[at].is_kernel || !trace_list_matches(list, list->line[at].kernel, text))
            continue;
        list->cursor = at;
        return true;
    }
    return false;
}

static bool has_match(const struct smc_trace_list *list, const char *text)
{
    for (size_t i = 0; i < list->answer->kernel_count; i++)
        if (trace_list_matches(list, i, text))
            return true;
    return false;
}

bool smc_trace_list_filter(struct smc_trace_list *list, const char *text)
{
    if (*text && !has_match(list, text))
        return false;
    snprintf(list->filter, sizeof list->filter, "%s", text);
    make_lines(list);
    return true;
}

/* --- The order -------------------------------------------------------------------------------- */

static struct smc_trace_line trace_list_line_of(const struct smc_trace_list *list, size_t kernel)
{
    return (struct smc_trace_line){
        .kernel = kernel, .row = list->answer->kernels[kernel].first, .is_kernel = true};
}

struct trace_list_place {
    const struct smc_trace_list *list;
    size_t kernel;
    double number;
};

/* Of equal kernels, those that spill come first, then those with bank conflicts. */
static int compare_faults(const struct smc_trace_list *list, size_t a, size_t b)
{
    static const enum smc_trace_column faults[] = {SMC_TRACE_COLUMN_SPILLS,
                                                   SMC_TRACE_COLUMN_CONFLICTS};
    const struct smc_trace_line x = trace_list_line_of(list, a), y = trace_list_line_of(list, b);
    int order = 0;
    for (size_t i = 0; i < sizeof faults / sizeof *faults && order == 0; i++)
        order = smc_compare_reals(smc_trace_column_number(list, &y, faults[i]),
                                  smc_trace_column_number(list, &x, faults[i]));
    return order;
}

static int compare_places(const void *a, const void *b)
{
    const struct trace_list_place *x = a, *y = b;
    const struct smc_trace_list *list = x->list;
    const struct smc_trace_column_info *column = &smc_trace_column_info[list->sort];
    if ((x->number < 0) != (y->number < 0))
        return x->number < 0 ? 1 : -1;
    int order = list->sort == SMC_TRACE_COLUMN_NAME
                    ? strcasecmp(list->name[x->kernel], list->name[y->kernel])
                    : smc_compare_reals(x->number, y->number);
    const int faults = order == 0 ? compare_faults(list, x->kernel, y->kernel) : 0;
    if (order == 0)
        return faults ? faults : (x->kernel > y->kernel) - (x->kernel < y->kernel);
    return column->rises != list->reversed ? order : -order;
}

void smc_trace_list_sort(struct smc_trace_list *list, enum smc_trace_column column, bool reversed)
{
    const size_t count = list->answer->kernel_count;
    smc_auto_free struct trace_list_place *places = smc_calloc(count + 1, sizeof *places);
    list->sort = column;
    list->reversed = reversed;
    for (size_t i = 0; places && i < count; i++) {
        const struct smc_trace_line line = trace_list_line_of(list, i);
        places[i] =
            (struct trace_list_place){list, i, smc_trace_column_number(list, &line, column)};
    }
    if (places)
        qsort(places, count, sizeof *places, compare_places);
    for (size_t i = 0; places && i < count; i++)
        list->order[i] = places[i].kernel;
    make_lines(list);
}

/* --- Opening ---------------------------------------------------------------------------------- */

static bool trace_list_name_kernels(struct smc_trace_list *list)
{
    const size_t count = list->answer->kernel_count;
    SMC_AUTO(smc_kernel_names_free) struct smc_kernel_names names;
    bool ok = true;
    smc_kernel_names_of_trace(&names, list->answer);
    for (size_t i = 0; ok && i < count; i++) {
        smc_auto_text name = {0};
        smc_kernel_names_choose(&names, list->answer->kernels[i].shown, &name);
        ok = !name.failed && (list->name[i] = smc_strdup(smc_text_string(&name)));
    }
    return ok;
}

/* The kernel as the first screen shows it, with its registers and static shared memory. */
static void set_file_kernel(const struct smc_trace_list *list, size_t kernel, size_t row)
{
    enum { REGS = 32 };
    const struct smc_trace *trace = list->answer->trace;
    const struct smc_trace_row *traced = &list->answer->rows[row];
    const struct smc_trace_launch *launch = traced->launch;
    const bool known = launch->regs_per_thread >= 0;
    struct smc_file_kernel *out = &list->file_kernel[row];
    *out = (struct smc_file_kernel){
        .name = launch->shown,
        .short_name = list->name[kernel],
        .file = trace->file ? trace->file : "trace",
        .resources = {.source = known ? SMC_RESOURCES_FILE : SMC_RESOURCES_ASSUMED,
                      .regs_per_thread = known ? (uint32_t)launch->regs_per_thread : REGS,
                      .barriers = 1,
                      .cc = traced->device ? traced->device->sm.cc : 0},
    };
    if (!traced->unknown)
        out->resources.static_smem_bytes = traced->request.static_smem_bytes;
    snprintf(out->origin, sizeof out->origin, "a trace by %s",
             smc_trace_sources[trace->source].words);
    snprintf(out->origin_name, sizeof out->origin_name, "trace");
}

/* False: out of memory. */
static bool list_kernels_of(struct smc_trace_list *list, const struct smc_trace_answer *answer)
{
    const size_t kernels = answer->kernel_count;
    *list = (struct smc_trace_list){
        .answer = answer,
        .kernels = kernels,
        .name = smc_calloc(kernels + 1, sizeof *list->name),
        .file_kernel = smc_calloc(answer->row_count + 1, sizeof *list->file_kernel),
        .unfolded = smc_calloc(kernels + 1, sizeof *list->unfolded),
        .order = smc_calloc(kernels + 1, sizeof *list->order),
        .line = smc_calloc(kernels + answer->row_count + 1, sizeof *list->line),
    };
    if (!list->name || !list->file_kernel || !list->unfolded || !list->order || !list->line ||
        !trace_list_name_kernels(list)) {
        smc_trace_list_close(list);
        return false;
    }
    return true;
}

void smc_trace_list_open(struct smc_trace_list *list, const struct smc_trace_answer *answer)
{
    if (!list_kernels_of(list, answer))
        return;
    for (size_t i = 0; i < list->kernels; i++)
        for (size_t r = 0; r < answer->kernels[i].count; r++)
            set_file_kernel(list, i, answer->kernels[i].first + r);
    smc_trace_list_sort(list, SMC_TRACE_COLUMN_SHARE, false);
}

/* Sorted by occupancy, the worst first. */
void smc_trace_list_open_file(struct smc_trace_list *list, const struct smc_open_file *file,
                              const struct smc_open_kernel *here)
{
    const bool again = list->file == file;
    const enum smc_trace_column sort = again ? list->sort : SMC_TRACE_COLUMN_OCCUPANCY;
    const bool reversed = again && list->reversed;
    char filter[sizeof list->filter] = "";
    if (again)
        memcpy(filter, list->filter, sizeof filter);
    smc_trace_list_close(list);
    if (!list_kernels_of(list, &file->answer))
        return;
    list->file = file;
    smc_trace_list_sort(list, sort, reversed);
    smc_trace_list_filter(list, filter);
    for (size_t i = 0; i < list->count; i++)
        if (smc_open_kernel_at(file, list->line[i].row) == here)
            list->cursor = i;
}

void smc_trace_list_close(struct smc_trace_list *list)
{
    for (size_t i = 0; list->name && i < list->kernels; i++)
        free(list->name[i]);
    free(list->name);
    free(list->file_kernel);
    free(list->unfolded);
    free(list->order);
    free(list->line);
    *list = (struct smc_trace_list){0};
}

/* --- Taking one along ------------------------------------------------------------------------- */

bool smc_trace_list_query(const struct smc_trace_list *list, size_t row, struct smc_query *query)
{
    const struct smc_trace_row *taken = &list->answer->rows[row];
    const struct smc_trace_launch *launch = taken->launch;
    const uint64_t threads = smc_trace_threads(launch), blocks = smc_trace_blocks(launch);
    const struct smc_query before = *query;
    if (threads == 0 || threads > INT32_MAX)
        return false;
    smc_query_init(query);
    query->compile = before.compile;
    query->device = taken->device ? *taken->device : before.device;
    query->device_assumed = (list->file || !taken->device) && before.device_assumed;
    query->threads_per_block = (int64_t)threads;
    if (blocks > 0 && blocks <= INT32_MAX) {
        query->grid_blocks = (int64_t)blocks;
        query->grid_y = launch->grid[1];
        query->grid_z = launch->grid[2];
    }
    if (!taken->unknown)
        query->settings = taken->request;
    if (!taken->unknown && taken->request.dynamic_smem_bytes > 0)
        query->dynamic_smem_bytes = taken->request.dynamic_smem_bytes;
    query->file_kernel = smc_trace_list_file_kernel(list, row);
    memcpy(query->block, list->file ? smc_open_kernel_at(list->file, row)->block : launch->block,
           sizeof query->block);
    return true;
}

/* --- Columns ---------------------------------------------------------------------------------- */

static int64_t trace_list_threads_of(const struct smc_trace_row *row)
{
    const uint64_t threads = smc_trace_threads(row->launch);
    return threads > 0 && threads <= INT32_MAX ? (int64_t)threads : SMC_TRACE_UNKNOWN;
}

static int64_t regs_of(const struct smc_trace_row *row)
{
    return row->launch->regs_per_thread;
}

static int64_t trace_list_smem_of(const struct smc_trace_row *row)
{
    return smc_trace_smem_bytes(row->launch, row->device);
}

static int64_t trace_list_blocks_of(const struct smc_trace_row *row)
{
    return row->unknown ? SMC_TRACE_UNKNOWN : (int64_t)row->occupancy.blocks_per_sm;
}

/* False if the configurations of the line differ in it. */
static bool is_common(const struct smc_trace_list *list, const struct smc_trace_line *line,
                      smc_trace_recorded *number)
{
    const struct smc_trace_kernel *kernel = kernel_of(list, line);
    for (size_t i = 0; smc_trace_list_is_sum(list, line) && i < kernel->count; i++)
        if (number(&list->answer->rows[kernel->first + i]) != number(trace_list_row_of(list, line)))
            return false;
    return true;
}

static double share_percent(const struct smc_trace_list *list, const struct smc_trace_line *line)
{
    return 100 *
           (line->is_kernel ? kernel_of(list, line)->share : trace_list_row_of(list, line)->share);
}

static uint64_t launches_of(const struct smc_trace_list *list, const struct smc_trace_line *line)
{
    return line->is_kernel ? kernel_of(list, line)->launches
                           : trace_list_row_of(list, line)->launch->launches;
}

static double launches_number(const struct smc_trace_list *list, const struct smc_trace_line *line)
{
    return list->answer->trace->launches_unknown ? -1 : (double)launches_of(list, line);
}

static double time_number(const struct smc_trace_list *list, const struct smc_trace_line *line)
{
    const struct smc_trace_launch *launch = trace_list_row_of(list, line)->launch;
    const struct smc_trace_kernel *kernel = kernel_of(list, line);
    if ((line->is_kernel ? kernel->timed_launches : launch->timed_launches) == 0)
        return -1;
    return (double)(line->is_kernel ? kernel->total_ns : launch->total_ns);
}

static double occupancy_number(const struct smc_trace_list *list, const struct smc_trace_line *line)
{
    return line->is_kernel ? kernel_of(list, line)->occupancy_percent
                           : trace_list_row_of(list, line)->occupancy_percent;
}

static double resident_number(const struct smc_trace_list *list, const struct smc_trace_line *line)
{
    return line->is_kernel ? kernel_of(list, line)->resident_percent
                           : trace_list_row_of(list, line)->resident_percent;
}

static double bound_number(const struct smc_trace_list *list, const struct smc_trace_line *line)
{
    return (double)trace_list_row_of(list, line)->bound;
}

/* The kernel of the file that a line is about; NULL for a trace. */
static const struct smc_open_kernel *open_kernel_of(const struct smc_trace_list *list,
                                                    const struct smc_trace_line *line)
{
    return list->file ? smc_open_kernel_at(list->file, line->row) : NULL;
}

static double spills_number(const struct smc_trace_list *list, const struct smc_trace_line *line)
{
    const struct smc_open_kernel *kernel = open_kernel_of(list, line);
    return kernel ? (double)kernel->now.spilled_bytes : -1;
}

static double conflicts_number(const struct smc_trace_list *list, const struct smc_trace_line *line)
{
    const struct smc_open_kernel *kernel = open_kernel_of(list, line);
    return kernel && kernel->now.conflicts_known ? (double)kernel->now.conflicts : -1;
}

static double change_number(const struct smc_trace_list *list, const struct smc_trace_line *line)
{
    const struct smc_open_kernel *kernel = open_kernel_of(list, line);
    return kernel ? kernel->is_changed || kernel->is_new : -1;
}

static void print_time(double ns, char text[SMC_TRACE_CELL_CHARS])
{
    smc_auto_text words = {0};
    smc_words_time(ns / 1e6, &words);
    smc_words_untie(&words);
    snprintf(text, SMC_TRACE_CELL_CHARS, "%.20s", smc_text_string(&words));
}

static void print_launches(double launches, char text[SMC_TRACE_CELL_CHARS])
{
    snprintf(text, SMC_TRACE_CELL_CHARS, launches < 1e8 ? "%.0f" : "%.2g", launches);
}

static void print_count(double count, char text[SMC_TRACE_CELL_CHARS])
{
    snprintf(text, SMC_TRACE_CELL_CHARS, "%.0f", count);
}

static void write_threads(const struct smc_trace_list *list, const struct smc_trace_line *line,
                          char text[SMC_TRACE_CELL_CHARS])
{
    enum { COLUMNS = 6 };
    const uint32_t *block = trace_list_row_of(list, line)->launch->block;
    if (list->file && block[1] * block[2] > 1) {
        char shape[SMC_TRACE_CELL_CHARS];
        snprintf(shape, sizeof shape, block[2] > 1 ? "%ux%ux%u" : "%ux%u", block[0], block[1],
                 block[2]);
        if (strlen(shape) <= COLUMNS)
            memcpy(text, shape, strlen(shape) + 1);
    }
    if (list->file && open_kernel_of(list, line)->threads_source == SMC_THREADS_UNKNOWN)
        snprintf(text + strlen(text), SMC_TRACE_CELL_CHARS - strlen(text), "?");
}

static void write_change(const struct smc_trace_list *list, const struct smc_trace_line *line,
                         char text[SMC_TRACE_CELL_CHARS])
{
    smc_auto_text words = {0};
    if (list->file)
        smc_open_kernel_append_change(open_kernel_of(list, line), &words);
    snprintf(text, SMC_TRACE_CELL_CHARS, "%s", words.length ? smc_text_string(&words) : " ");
}

static void write_kilobytes(const struct smc_trace_list *list, const struct smc_trace_line *line,
                            char text[SMC_TRACE_CELL_CHARS])
{
    const int64_t bytes = trace_list_smem_of(trace_list_row_of(list, line));
    if (bytes >= 1024 && bytes % 1024 == 0 && is_common(list, line, trace_list_smem_of))
        snprintf(text, SMC_TRACE_CELL_CHARS, "%" PRId64 "K", bytes / 1024);
}

enum { NEVER = SMC_TRACE_NEVER, BOUND_COLUMNS = 19 };

static bool is_of_limits(enum smc_trace_bound bound)
{
    return bound != SMC_TRACE_BOUND_NONE && bound != SMC_TRACE_BOUND_GRID &&
           bound != SMC_TRACE_BOUND_UNKNOWN;
}

/* That of the configuration which takes the most time, and how many others there are; of a single
   one, all limits that bind. */
static void write_bound(const struct smc_trace_list *list, const struct smc_trace_line *line,
                        char text[SMC_TRACE_CELL_CHARS])
{
    const struct smc_trace_kernel *kernel = kernel_of(list, line);
    const struct smc_trace_row *row = trace_list_row_of(list, line);
    const enum smc_trace_bound bound = row->bound;
    uint32_t seen = 1u << bound;
    int others = 0;
    for (size_t i = 0; line->is_kernel && i < kernel->count; i++) {
        const uint32_t bit = 1u << list->answer->rows[kernel->first + i].bound;
        others += !(seen & bit);
        seen |= bit;
    }
    snprintf(text, SMC_TRACE_CELL_CHARS, others > 0 ? "%s +%d" : "%s",
             smc_trace_bounds[bound].label, others);
    if (smc_trace_list_is_sum(list, line) || !is_of_limits(bound))
        return;
    smc_auto_text words = {0};
    smc_words_limiters_within(&row->occupancy, BOUND_COLUMNS - 2, &words);
    snprintf(text, SMC_TRACE_CELL_CHARS, "%.*s", SMC_TRACE_CELL_CHARS - 1, smc_text_string(&words));
}

/* The nearest change that gains a block, other than of the block size, as the new value. */
static void write_step(const struct smc_trace_list *list, const struct smc_trace_line *line,
                       char text[SMC_TRACE_CELL_CHARS])
{
    static const char *const units[SMC_STEP_COUNT] = {
        [SMC_STEP_REGISTERS] = "registers",
        [SMC_STEP_SHARED_MEMORY] = "B shared",
        [SMC_STEP_BARRIERS] = "barriers",
    };
    const struct smc_trace_row *row = trace_list_row_of(list, line);
    if (row->unknown || row->bound == SMC_TRACE_BOUND_NONE)
        return;
    if (row->bound == SMC_TRACE_BOUND_GRID) {
        snprintf(text, SMC_TRACE_CELL_CHARS, "a larger grid");
        return;
    }
    for (uint32_t i = 0; i < row->next_steps.count; i++) {
        const struct smc_next_step *step = &row->next_steps.step[i];
        if (!units[step->resource] || step->blocks_per_sm <= row->occupancy.blocks_per_sm)
            continue;
        const int64_t now = step->resource == SMC_STEP_REGISTERS ? row->request.regs_per_thread
                            : step->resource == SMC_STEP_SHARED_MEMORY ? trace_list_smem_of(row)
                                                                       : 1;
        snprintf(text, SMC_TRACE_CELL_CHARS, "%" PRId64 " %s: %u/SM", now + step->change,
                 units[step->resource], step->blocks_per_sm);
        return;
    }
}

const struct smc_trace_column_info smc_trace_column_info[SMC_TRACE_COLUMN_COUNT] = {
    [SMC_TRACE_COLUMN_NAME] = {"kernel", 0, 0, 0, true, .is_text = true},
    [SMC_TRACE_COLUMN_SHARE] = {"share", 7, 0, NEVER, .number = share_percent,
                                .print = smc_words_percent},
    [SMC_TRACE_COLUMN_TIME] = {"time", 9, 100, NEVER, .number = time_number, .print = print_time},
    [SMC_TRACE_COLUMN_LAUNCHES] = {"launches", 9, 90, NEVER, .number = launches_number,
                                   .print = print_launches},
    [SMC_TRACE_COLUMN_THREADS] = {"block", 7, 116, 86, .recorded = trace_list_threads_of,
                                  .print = print_count, .write = write_threads},
    [SMC_TRACE_COLUMN_REGS] = {"regs", 6, 74, 0, .recorded = regs_of, .print = print_count},
    [SMC_TRACE_COLUMN_SMEM] = {"shared", 8, 74, 70, .recorded = trace_list_smem_of,
                               .print = print_count, .write = write_kilobytes},
    [SMC_TRACE_COLUMN_SPILLS] = {"spills", 8, NEVER, 92, .number = spills_number,
                                 .print = print_count},
    [SMC_TRACE_COLUMN_BLOCKS] = {"blk/SM", 7, 124, 80, true, .recorded = trace_list_blocks_of,
                                 .print = print_count},
    [SMC_TRACE_COLUMN_OCCUPANCY] = {"occup.", 8, 0, 0, true, .number = occupancy_number,
                                    .print = smc_words_percent},
    [SMC_TRACE_COLUMN_RESIDENT] = {"resid.", 8, 108, NEVER, true, .number = resident_number,
                                   .print = smc_words_percent},
    [SMC_TRACE_COLUMN_CONFLICTS] = {"conflicts", 11, NEVER, 64, .number = conflicts_number,
                                    .print = print_count},
    [SMC_TRACE_COLUMN_BOUND] = {"limited by", BOUND_COLUMNS, 0, 0, true, true,
                                .number = bound_number, .write = write_bound},
    [SMC_TRACE_COLUMN_STEP] = {"next step", 28, 150, 130, true, true, .number = occupancy_number,
                               .write = write_step},
    [SMC_TRACE_COLUMN_CHANGE] = {"changed", 24, NEVER, 116, false, true, .number = change_number,
                                 .write = write_change},
};

double smc_trace_column_number(const struct smc_trace_list *list, const struct smc_trace_line *line,
                               enum smc_trace_column column)
{
    const struct smc_trace_column_info *info = &smc_trace_column_info[column];
    return info->recorded ? (double)info->recorded(trace_list_row_of(list, line))
           : info->number ? info->number(list, line)
                          : 0;
}

void smc_trace_column_write(const struct smc_trace_list *list, const struct smc_trace_line *line,
                            enum smc_trace_column column, char text[SMC_TRACE_CELL_CHARS])
{
    const struct smc_trace_column_info *info = &smc_trace_column_info[column];
    const double number = smc_trace_column_number(list, line, column);
    text[0] = '\0';
    if (info->recorded && !is_common(list, line, info->recorded))
        snprintf(text, SMC_TRACE_CELL_CHARS, "mixed");
    else if (info->print && number >= 0)
        info->print(number, text);
    if (info->write)
        info->write(list, line, text);
}

/* --- About a line ----------------------------------------------------------------------------- */

static void trace_list_append_shape(const char *what, const uint32_t shape[3], struct smc_text *out)
{
    if (shape[0] == 0)
        return;
    smc_text_printf(out, "%s%s %u", out->length ? ", " : "", what, shape[0]);
    if (shape[1] > 1 || shape[2] > 1)
        smc_text_printf(out, "x%u", shape[1]);
    if (shape[2] > 1)
        smc_text_printf(out, "x%u", shape[2]);
}

static void trace_list_append_launch(const struct smc_trace_list *list,
                                     const struct smc_trace_line *line, struct smc_text *out)
{
    const struct smc_trace_row *row = trace_list_row_of(list, line);
    const struct smc_trace_launch *launch = row->launch;
    trace_list_append_shape("block", launch->block, out);
    trace_list_append_shape("grid", launch->grid, out);
    trace_list_append_shape("cluster", launch->cluster, out);
    const char *comma = out->length ? ", " : "";
    if (launch->regs_per_thread >= 0)
        smc_text_printf(out, "%s%d registers", comma, launch->regs_per_thread);
    else
        smc_text_printf(out, "%sregisters unknown", comma);
    if (trace_list_smem_of(row) > 0)
        smc_text_printf(out, ", %" PRId64 " B shared", trace_list_smem_of(row));
    if (trace_list_smem_of(row) > 0 && launch->static_smem_bytes >= 0 &&
        launch->dynamic_smem_bytes >= 0)
        smc_text_printf(out, " (%" PRId64 " static, %" PRId64 " dynamic)",
                        launch->static_smem_bytes, launch->dynamic_smem_bytes);
    if (trace_list_smem_of(row) <= 0)
        smc_text_append(out, trace_list_smem_of(row) < 0 ? ", shared memory unknown"
                                                         : ", no shared memory");
    if (launch->carveout_percent != SMC_CARVEOUT_DEFAULT)
        smc_text_printf(out, ", carve-out %d %%", launch->carveout_percent);
}

static void trace_list_append_kernel(const struct smc_trace_list *list,
                                     const struct smc_trace_line *line, struct smc_text *out)
{
    const struct smc_trace_kernel *kernel = kernel_of(list, line);
    char percent[32];
    if (!smc_trace_list_is_sum(list, line))
        return;
    smc_words_percent(100 * trace_list_row_of(list, line)->share /
                          (kernel->share > 0 ? kernel->share : 1),
                      percent);
    smc_text_printf(out, "%zu configurations; below is the largest, %s of it", kernel->count,
                    percent);
}

static void append_occupancy(const struct smc_trace_list *list, const struct smc_trace_line *line,
                             struct smc_text *out)
{
    const struct smc_trace_row *row = trace_list_row_of(list, line);
    char percent[32];
    if (row->unknown) {
        smc_text_printf(out, "unknown: %s", row->unknown);
        return;
    }
    smc_words_percent(row->occupancy_percent, percent);
    smc_text_printf(out, "%s, ", percent);
    smc_words_blocks(row->occupancy.blocks_per_sm, out);
    smc_text_append(out, " per SM");
    if (row->occupancy.blocks_per_sm > 0) {
        smc_text_append(out, ", limited by ");
        smc_words_limiters(&row->occupancy, out);
    }
}

static void trace_list_append_waves(const struct smc_trace_list *list,
                                    const struct smc_trace_line *line, struct smc_text *out)
{
    const struct smc_trace_row *row = trace_list_row_of(list, line);
    char percent[32];
    if (!row->has_waves)
        return;
    smc_words_percent(row->resident_percent, percent);
    if (row->bound == SMC_TRACE_BOUND_GRID)
        smc_text_printf(out,
                        "too small a grid: %" PRIu64 " of %" PRIu64
                        " blocks that the GPU holds; resident warps %s",
                        row->waves.grid_blocks, row->waves.resident_blocks, percent);
    else
        smc_text_printf(out, "%" PRIu64 ", the last %.0f %% empty; resident warps %s",
                        row->waves.waves, row->tail_percent, percent);
}

static void trace_list_append_steps(const struct smc_trace_list *list,
                                    const struct smc_trace_line *line, struct smc_text *out)
{
    const struct smc_trace_row *row = trace_list_row_of(list, line);
    struct smc_answer answer;
    if (row->unknown)
        return;
    if (row->bound == SMC_TRACE_BOUND_GRID)
        smc_text_append(out, "launch more blocks, of fewer threads or less work each");
    smc_trace_complete(row, &answer);
    if (row->bound != SMC_TRACE_BOUND_GRID)
        smc_text_next_steps(&answer, out);
    smc_text_join_items(out);
}

/* Where its figures are from, and what is assumed of its launch. */
static void append_code(const struct smc_trace_list *list, const struct smc_trace_line *line,
                        struct smc_text *out)
{
    static const char *const sizes[SMC_THREADS_SOURCE_COUNT] = {
        [SMC_THREADS_REQUIRED] = "the block size is the only one it launches with",
        [SMC_THREADS_BOUND] = "the block size is the most that its launch bounds allow",
        [SMC_THREADS_UNKNOWN] =
            "its block size is unknown: this is the best one; set it on F2 or by --threads",
    };
    const struct smc_open_kernel *kernel = open_kernel_of(list, line);
    if (!kernel)
        return;
    const struct smc_open_figures *now = &kernel->now;
    smc_text_append(out, kernel->file_kernel.origin);
    if (kernel->source_line)
        smc_text_printf(out, ", defined in line %u", kernel->source_line);
    if (kernel->file_kernel.spills_known)
        smc_text_printf(out, "; %" PRIu64 " B spilled", now->spilled_bytes);
    if (now->conflicts_known)
        smc_text_printf(out, "; %" PRIu64 " bank conflict%s in a block", now->conflicts,
                        smc_text_plural(now->conflicts));
    if (sizes[kernel->threads_source])
        smc_text_printf(out, "; %s", sizes[kernel->threads_source]);
    if (kernel->dynamic_smem_unknown)
        smc_text_append(out, "; it uses dynamic shared memory, counted as none until you set it "
                             "on F2");
}

static void append_ns(double ns, struct smc_text *out)
{
    smc_words_time(ns / 1e6, out);
}

static void trace_list_append_time(const struct smc_trace_list *list,
                                   const struct smc_trace_line *line, struct smc_text *out)
{
    const struct smc_trace_launch *launch = trace_list_row_of(list, line)->launch;
    if (list->answer->trace->launches_unknown)
        return;
    smc_text_printf(out, "%" PRIu64 " launch%s", launches_of(list, line),
                    launches_of(list, line) == 1 ? "" : "es");
    if (launch->graph_launches > 0 && !smc_trace_list_is_sum(list, line))
        smc_text_printf(out, " (%" PRIu64 " in graphs)", launch->graph_launches);
    if (time_number(list, line) < 0) {
        smc_text_append(out, ", times unknown");
        return;
    }
    smc_text_append(out, ", together ");
    append_ns(time_number(list, line), out);
    if (smc_trace_list_is_sum(list, line) || launch->timed_launches < 2)
        return;
    smc_text_append(out, ", each ");
    append_ns((double)launch->total_ns / (double)launch->timed_launches, out);
    if (launch->least_ns == launch->greatest_ns)
        return;
    smc_text_append(out, " (");
    append_ns((double)launch->least_ns, out);
    smc_text_append(out, " to ");
    append_ns((double)launch->greatest_ns, out);
    smc_text_append(out, ")");
}

static void append_recorded(const struct smc_trace_list *list, const struct smc_trace_line *line,
                            struct smc_text *out)
{
    const struct smc_trace_row *row = trace_list_row_of(list, line);
    const struct smc_trace_launch *launch = row->launch;
    char percent[32];
    if (row->agreement == SMC_TRACE_AGREES)
        smc_text_append(out, "the driver says the same");
    else if (row->agreement == SMC_TRACE_DIFFERS)
        smc_text_printf(out, "the driver says %d blocks per SM", launch->api_blocks_per_sm);
    if (launch->recorded_occupancy_percent >= 0) {
        smc_words_percent(launch->recorded_occupancy_percent, percent);
        smc_text_printf(out, "%soccupancy %s", out->length ? ", " : "", percent);
    }
    if (launch->achieved_occupancy_percent >= 0) {
        smc_words_percent(launch->achieved_occupancy_percent, percent);
        smc_text_printf(out, "%sachieved %s", out->length ? ", " : "", percent);
    }
    if (row->barriers_matter)
        smc_text_printf(out, "%sbarriers are not: one is assumed", out->length ? ", " : "");
}

static void trace_list_append_place(const struct smc_trace_list *list,
                                    const struct smc_trace_line *line, struct smc_text *out)
{
    const struct smc_trace *trace = list->answer->trace;
    const struct smc_trace_launch *launch = trace_list_row_of(list, line)->launch;
    if (list->file)
        smc_text_append(out, list->file->device.name);
    else if (list->answer->instead)
        smc_text_printf(out, "%s, which was not the one", list->answer->instead->name);
    else
        smc_text_append(out, launch->device < 0 ? "an unknown GPU"
                                                : trace->devices[launch->device].device.name);
    if (launch->process >= 0 && trace->processes[launch->process].id >= 0)
        smc_text_printf(out, ", process %" PRId64, trace->processes[launch->process].id);
    if (launch->process >= 0 && trace->processes[launch->process].file)
        smc_text_printf(out, ", in %s", trace->processes[launch->process].file);
    if (launch->module >= 0 && trace->modules[launch->module].shown)
        smc_text_printf(out, ", module %s", trace->modules[launch->module].shown);
}

static void trace_list_append_change(const struct smc_trace_list *list,
                                     const struct smc_trace_line *line, struct smc_text *out)
{
    if (list->file)
        smc_open_kernel_append_change(open_kernel_of(list, line), out);
}

const struct smc_trace_fact smc_trace_facts[SMC_TRACE_FACTS] = {
    {"kernel", trace_list_append_kernel},  /* its configurations */
    {"changed", trace_list_append_change}, /* of the file */
    {"occupancy", append_occupancy},
    {"next steps", trace_list_append_steps},
    {"launch", trace_list_append_launch},
    {"waves", trace_list_append_waves},
    {"time", trace_list_append_time},
    {"recorded", append_recorded},   /* by the driver and the tool */
    {"code", append_code},           /* of a file: where its numbers are from, spills, conflicts */
    {"on", trace_list_append_place}, /* device, process, module */
};

static void append_tally(size_t count, const char *one, const char *several, struct smc_text *out)
{
    if (count > 0)
        smc_text_printf(out, ", %zu %s", count, count == 1 ? one : several);
}

static void append_file_summary(const struct smc_open_file *file, struct smc_text *out)
{
    size_t failing = 0, spilling = 0, conflicting = 0, unknown = 0;
    for (size_t i = 0; i < file->listed_count; i++) {
        const struct smc_open_kernel *kernel = smc_open_kernel_at(file, i);
        failing += kernel->occupancy.blocks_per_sm == 0;
        spilling += kernel->now.spilled_bytes > 0;
        conflicting += kernel->now.conflicts > 0;
        unknown += kernel->threads_source == SMC_THREADS_UNKNOWN;
    }
    smc_text_printf(out, "%s on %s", smc_last_part(file->shown), file->device.name);
    append_tally(failing, "does not launch", "do not launch", out);
    append_tally(spilling, "spills", "spill", out);
    append_tally(conflicting, "has bank conflicts", "have bank conflicts", out);
    append_tally(unknown, "of unknown block size (?)", "of unknown block size (?)", out);
}

void smc_trace_list_append_summary(const struct smc_trace_list *list, struct smc_text *out)
{
    const struct smc_trace_answer *answer = list->answer;
    char percent[32];
    if (list->file) {
        append_file_summary(list->file, out);
        return;
    }
    if (answer->occupancy_percent >= 0) {
        smc_words_percent(answer->occupancy_percent, percent);
        smc_text_printf(out, "occupancy %s", percent);
    }
    if (answer->resident_percent >= 0) {
        smc_words_percent(answer->resident_percent, percent);
        smc_text_printf(out, ", resident warps %s", percent);
    }
    const char *separator = out->length ? ": " : "";
    for (int i = smc_words_next_bound(answer->bound_share, -1); i < SMC_TRACE_BOUND_COUNT;
         i = smc_words_next_bound(answer->bound_share, i)) {
        smc_words_percent(100 * answer->bound_share[i], percent);
        smc_text_printf(out, "%s%s %s", separator, smc_trace_bounds[i].label, percent);
        separator = ", ";
    }
}
