/* Sorts and filters rows, and counts what is noteworthy about all of them. */
#include "answers/selection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/parse.h"

/* The adjacent rows of one kernel. */
struct row_group {
    size_t begin, count;
    const struct smc_inspect_row *worst;
};

double smc_selection_highest_percent(const struct smc_inspect_row *row)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < SMC_BLOCK_SIZES; i++) {
        uint32_t warps = (i + 1) * row->sizes.blocks_per_sm[i];
        most = warps > most ? warps : most;
    }
    return 100.0 * most / row->device->sm.max_warps_per_sm;
}

double smc_selection_percent(const struct smc_inspect_row *row)
{
    return smc_inspect_is_settled(row) ? row->occupancy_percent
                                       : smc_selection_highest_percent(row);
}

uint64_t smc_selection_spilled_bytes(const struct smc_inspect_row *row)
{
    const struct smc_resources *resources = &row->kernel->resources;
    return row->kernel->has_spills
               ? (uint64_t)resources->spill_store_bytes + resources->spill_load_bytes
               : 0;
}

bool smc_selection_row_loads(const struct smc_inspect_row *row)
{
    return smc_architecture_loads(row->kernel, row->device->sm.cc);
}

/* --- Machine code that does not load ---------------------------------------------------------- */

/* A file with machine code that loads on the device. */
struct loading {
    const char *file;
    const struct smc_device *device;
};

/* Sorted; empty if everything loads. */
struct loadings {
    struct loading *item;
    size_t count;
};

static int compare_loadings(const void *a, const void *b)
{
    const struct loading *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return (x->device > y->device) - (x->device < y->device);
}

/* False: out of memory. */
static bool find_loadings(const struct smc_inspect_rows *rows, struct loadings *loadings)
{
    size_t loading = 0;
    for (size_t i = 0; i < rows->count; i++)
        loading += smc_selection_row_loads(&rows->item[i]);
    if (loading == 0 || loading == rows->count)
        return true;
    loadings->item = smc_calloc(loading, sizeof *loadings->item);
    if (!loadings->item)
        return false;
    for (size_t i = 0; i < rows->count; i++)
        if (smc_selection_row_loads(&rows->item[i]))
            loadings->item[loadings->count++] =
                (struct loading){rows->item[i].kernel->file, rows->item[i].device};
    qsort(loadings->item, loadings->count, sizeof *loadings->item, compare_loadings);
    return true;
}

static bool is_stray(const struct smc_inspect_row *row, const struct loadings *loadings)
{
    const struct loading sought = {row->kernel->file, row->device};
    return loadings->count > 0 && !smc_selection_row_loads(row) &&
           bsearch(&sought, loadings->item, loadings->count, sizeof sought, compare_loadings);
}

/* --- Order ------------------------------------------------------------------------------------ */

static bool selection_launches(const struct smc_inspect_row *row)
{
    return row->outcome == SMC_LAUNCHES;
}

static double selection_registers_of(const struct smc_inspect_row *row)
{
    return row->launch.regs_per_thread;
}

/* Negative if `a` is worse than `b`, in the order of SMC_ORDER_OCCUPANCY. */
static int compare_by_occupancy(const struct smc_inspect_row *a, const struct smc_inspect_row *b)
{
    int order = selection_launches(a) - selection_launches(b);
    order = order ? order : smc_compare_reals(smc_selection_percent(a), smc_selection_percent(b));
    order = order ? order
                  : smc_compare_reals((double)smc_selection_spilled_bytes(b),
                                      (double)smc_selection_spilled_bytes(a));
    return order ? order : smc_compare_reals(selection_registers_of(b), selection_registers_of(a));
}

static double selection_smem_of(const struct smc_inspect_row *row)
{
    return (double)row->launch.static_smem_bytes + row->launch.dynamic_smem_bytes;
}

static double selection_threads_of(const struct smc_inspect_row *row)
{
    return row->threads_source == SMC_THREADS_UNKNOWN ? 0 : row->launch.threads_per_block;
}

static double spilled_of(const struct smc_inspect_row *row)
{
    return (double)smc_selection_spilled_bytes(row);
}

/* The value by which kernels are sorted, the largest first. */
static double (*const values[SMC_ORDER_COUNT])(const struct smc_inspect_row *row) = {
    [SMC_ORDER_REGISTERS] = selection_registers_of,
    [SMC_ORDER_SPILLS] = spilled_of,
    [SMC_ORDER_SMEM] = selection_smem_of,
    [SMC_ORDER_THREADS] = selection_threads_of,
};

static int selection_compare_rows(enum smc_inspect_order by, const struct smc_inspect_row *a,
                                  const struct smc_inspect_row *b)
{
    int order = 0;
    if (by == SMC_ORDER_NAME)
        order = strcmp(a->kernel->shown, b->kernel->shown);
    else if (values[by])
        order = smc_compare_reals(values[by](b), values[by](a));
    return order ? order : compare_by_occupancy(a, b);
}

bool smc_selection_is_worse(const struct smc_inspect_rows *rows, const struct smc_inspect_row *a,
                            const struct smc_inspect_row *b)
{
    return selection_compare_rows((enum smc_inspect_order)rows->order, a, b) < 0;
}

static int compare_groups(enum smc_inspect_order by, const void *untyped_a, const void *untyped_b)
{
    const struct row_group *a = untyped_a, *b = untyped_b;
    int order = selection_compare_rows(by, a->worst, b->worst);
    return order ? order : (a->begin > b->begin) - (a->begin < b->begin);
}

/* The compare function of qsort has no further argument. */
#define ORDERS(ORDER)                                                                              \
    ORDER(OCCUPANCY) ORDER(REGISTERS) ORDER(SPILLS) ORDER(SMEM) ORDER(THREADS) ORDER(NAME)
#define COMPARE(id)                                                                                \
    static int compare_##id(const void *a, const void *b)                                          \
    {                                                                                              \
        return compare_groups(SMC_ORDER_##id, a, b);                                               \
    }
ORDERS(COMPARE)
#define ROW(id) [SMC_ORDER_##id] = compare_##id,
static int (*const comparisons[SMC_ORDER_COUNT])(const void *a, const void *b) = {ORDERS(ROW)};

/* NULL: out of memory. */
static struct row_group *selection_find_groups(const struct smc_inspect_rows *rows,
                                               enum smc_inspect_order by, size_t *count)
{
    struct row_group *groups = smc_calloc(rows->count ? rows->count : 1, sizeof *groups);
    *count = 0;
    for (size_t i = 0; groups && i < rows->count; i++) {
        const struct smc_inspect_row *row = &rows->item[i];
        struct row_group *group = *count ? &groups[*count - 1] : NULL;
        if (!group || !smc_inspect_is_same(&rows->item[group->begin], row)) {
            groups[(*count)++] = (struct row_group){i, 1, row};
            continue;
        }
        group->count++;
        if (selection_compare_rows(by, row, group->worst) < 0)
            group->worst = row;
    }
    return groups;
}

static bool reorder(struct smc_inspect_rows *rows, const struct row_group *groups, size_t count)
{
    size_t n = 0;
    struct smc_inspect_row *item = smc_calloc(rows->count ? rows->count : 1, sizeof *item);
    if (!item)
        return false;
    for (size_t i = 0; i < count; i++) {
        memcpy(item + n, rows->item + groups[i].begin, groups[i].count * sizeof *item);
        n += groups[i].count;
    }
    free(rows->item);
    rows->item = item;
    rows->capacity = rows->count ? rows->count : 1;
    rows->count = n;
    return true;
}

/* --- Filters ---------------------------------------------------------------------------------- */

/* A kernel that exceeds the percentage at no block size is below it at most of them. */
static bool selection_is_below(const struct smc_inspect_row *row, double percent)
{
    const double most = smc_selection_percent(row);
    return most < percent || (!smc_inspect_is_settled(row) && most <= percent && most < 100);
}

/* The conditions that depend on the block size. */
static bool is_occupied(const struct smc_inspect_row *row, const struct smc_inspect_filter *only)
{
    return (row->occupancy.limiters & only->limited_by) == only->limited_by &&
           (only->below_percent <= 0 || selection_is_below(row, only->below_percent));
}

static bool selection_is_kept(const struct smc_inspect_row *row,
                              const struct smc_inspect_selection *selection)
{
    const struct smc_inspect_filter *only = &selection->only;
    if (only->failing && selection_launches(row) &&
        !(selection->gate && smc_gate_fails(selection->gate, row)))
        return false;
    if (only->spilling && smc_selection_spilled_bytes(row) == 0)
        return false;
    return !only->unknown || row->threads_source == SMC_THREADS_UNKNOWN;
}

static void filter(struct smc_inspect_rows *rows, const struct loadings *loadings,
                   const struct smc_inspect_selection *selection)
{
    size_t kept = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const struct smc_inspect_row *row = &rows->item[i];
        if (!selection_is_kept(row, selection) ||
            (selection->without_strays && is_stray(row, loadings)))
            continue;
        if (!is_occupied(row, &selection->only)) {
            rows->summary.undecided |= !smc_inspect_is_settled(row);
            continue;
        }
        if (kept < i)
            rows->item[kept] = *row;
        kept++;
    }
    rows->count = kept;
}

/* "registers", or as reports write it: "regs", "shared memory". */
static bool names_limit(const char *name, enum smc_limit limit)
{
    const char *brief = limit == SMC_LIMIT_REGISTERS       ? "regs"
                        : limit == SMC_LIMIT_SHARED_MEMORY ? "smem"
                                                           : "";
    return strcmp(name, smc_limit_name(limit)) == 0 || strcmp(name, smc_limit_label(limit)) == 0 ||
           strcmp(name, brief) == 0;
}

static enum smc_status add_limit(struct smc_inspect_filter *filter, const char *name,
                                 struct smc_error *error)
{
    for (int i = 0; i < SMC_LIMIT_COUNT; i++)
        if (names_limit(name, (enum smc_limit)i)) {
            filter->limited_by |= 1u << i;
            return SMC_OK;
        }
    smc_auto_text names = {0};
    for (int i = 0; i < SMC_LIMIT_COUNT; i++)
        smc_text_printf(&names, "%s%s", i ? ", " : "", smc_limit_name((enum smc_limit)i));
    return smc_fail(error, SMC_USAGE, "option --only: limited-by=%.64s: not one of %s", name,
                    smc_text_string(&names));
}

static enum smc_status add_below(struct smc_inspect_filter *filter, const char *text,
                                 struct smc_error *error)
{
    int64_t percent;
    char number[16];
    snprintf(number, sizeof number, "%.*s", (int)strcspn(text, " %"), text);
    const char *unit = text + strcspn(text, " %");
    bool sound = !*unit || strcmp(unit, "%") == 0 || strcmp(unit, " %") == 0;
    if (!sound || !smc_parse_integer(number, 1, 100, &percent))
        return smc_fail(error, SMC_USAGE,
                        "option --only: below=%.64s: not a whole number between 1 and 100", text);
    if (filter->below_percent <= 0 || (double)percent < filter->below_percent)
        filter->below_percent = (double)percent;
    return SMC_OK;
}

static enum smc_status add_condition(struct smc_inspect_filter *filter, const char *word,
                                     struct smc_error *error)
{
    static const char limited[] = "limited-by=", below[] = "below=";
    if (strncmp(word, limited, sizeof limited - 1) == 0)
        return add_limit(filter, word + sizeof limited - 1, error);
    if (strncmp(word, below, sizeof below - 1) == 0)
        return add_below(filter, word + sizeof below - 1, error);
    bool *flag = strcmp(word, "failing") == 0    ? &filter->failing
                 : strcmp(word, "spilling") == 0 ? &filter->spilling
                 : strcmp(word, "unknown") == 0  ? &filter->unknown
                                                 : NULL;
    if (!flag)
        return smc_fail(error, SMC_USAGE,
                        "option --only: '%.64s' is not failing, spilling, unknown, "
                        "limited-by=LIMIT or below=PERCENT",
                        word);
    *flag = true;
    return SMC_OK;
}

enum smc_status smc_selection_filter_add(struct smc_inspect_filter *filter, const char *text,
                                         struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    do {
        char word[128];
        size_t length = strcspn(text, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1),
                 text);
        status = add_condition(filter, word, error);
        text += length + (text[length] == ',');
    } while (status == SMC_OK && *text);
    return status;
}

/* --- Summary ---------------------------------------------------------------------------------- */

/* The rows of one kernel that count. */
struct traits {
    bool counts, spills, low, fails, unknown;
};

static void add_traits(const struct smc_inspect_row *row, struct traits *found)
{
    found->counts = true;
    found->spills |= smc_selection_spilled_bytes(row) > 0;
    found->fails |= !selection_launches(row);
    found->low |= selection_launches(row) && smc_selection_percent(row) < SMC_LOW_PERCENT;
    found->unknown |= row->threads_source == SMC_THREADS_UNKNOWN;
}

static void add_stray(const struct smc_inspect_row *row, bool first_of_kernel,
                      struct smc_inspect_summary *summary)
{
    if (summary->strays == 0)
        summary->stray_device = row->device;
    else if (summary->stray_device != row->device)
        summary->stray_device = NULL;
    summary->strays += first_of_kernel;
}

/* What is true of the kernel on at least one of its devices. */
static void summarize_kernel(const struct smc_inspect_row *rows, size_t count,
                             const struct loadings *loadings, struct smc_inspect_summary *summary,
                             const struct smc_inspect_row **worst)
{
    struct traits found = {0};
    bool stray = false;
    for (size_t i = 0; i < count; i++) {
        if (is_stray(&rows[i], loadings)) {
            add_stray(&rows[i], !stray, summary);
            stray = true;
            continue;
        }
        add_traits(&rows[i], &found);
        if (!*worst || compare_by_occupancy(&rows[i], *worst) < 0)
            *worst = &rows[i];
    }
    summary->kernels += found.counts;
    summary->spilling += found.spills;
    summary->low += found.low;
    summary->failing += found.fails;
    summary->unknown += found.unknown;
}

static int compare_pointers(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return (*x > *y) - (*x < *y);
}

/* False: out of memory. */
static bool selection_count_files(const struct smc_inspect_rows *rows,
                                  const struct row_group *groups, size_t count, size_t *files)
{
    smc_auto_free const char **file = smc_calloc(count ? count : 1, sizeof *file);
    if (!file)
        return false;
    for (size_t i = 0; i < count; i++)
        file[i] = rows->item[groups[i].begin].kernel->file;
    qsort(file, count, sizeof *file, compare_pointers);
    *files = 0;
    for (size_t i = 0; i < count; i++)
        *files += i == 0 || file[i] != file[i - 1];
    return true;
}

static bool summarize(const struct smc_inspect_rows *rows, const struct loadings *loadings,
                      const struct row_group *groups, size_t count,
                      struct smc_inspect_summary *summary)
{
    const struct smc_inspect_row *worst = NULL;
    *summary = (struct smc_inspect_summary){0};
    for (size_t i = 0; i < count; i++)
        summarize_kernel(rows->item + groups[i].begin, groups[i].count, loadings, summary, &worst);
    if (worst) {
        summary->worst = worst->kernel;
        summary->worst_settled = smc_inspect_is_settled(worst);
        summary->worst_launches = selection_launches(worst);
        summary->worst_percent = smc_selection_percent(worst);
        summary->worst_limiters = worst->occupancy.limiters;
    }
    return selection_count_files(rows, groups, count, &summary->files);
}

/* --- All of it -------------------------------------------------------------------------------- */

static bool sort_and_cut(struct smc_inspect_rows *rows,
                         const struct smc_inspect_selection *selection)
{
    size_t count;
    smc_auto_free struct row_group *groups = selection_find_groups(rows, selection->order, &count);
    if (!groups)
        return false;
    if (comparisons[selection->order])
        qsort(groups, count, sizeof *groups, comparisons[selection->order]);
    bool cut = selection->top > 0 && selection->top < count;
    return reorder(rows, groups, cut ? selection->top : count);
}

enum smc_status smc_selection_apply(struct smc_inspect_rows *rows,
                                    const struct smc_inspect_selection *selection,
                                    struct smc_error *error)
{
    size_t count;
    struct loadings loadings = {0};
    smc_auto_free struct row_group *groups =
        selection_find_groups(rows, SMC_ORDER_OCCUPANCY, &count);
    bool done = groups && find_loadings(rows, &loadings) &&
                summarize(rows, &loadings, groups, count, &rows->summary);
    if (done)
        filter(rows, &loadings, selection);
    free(loadings.item);
    rows->order = selection->order;
    return done && sort_and_cut(rows, selection) ? SMC_OK : smc_out_of_memory(error);
}
