/* Two builds compared. Kernels are matched by the part of their names that does not change from
   build to build, then by similarity; what cannot be matched was added or removed. */
#include "answers/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "code/names.h"
#include "code/user_kernels.h"

#define BIT(change) (1u << SMC_DIFF_##change)

/* A kernel on a device in one build, until it is matched. */
struct diff_item {
    char *key;     /* its stable name */
    size_t device; /* index in diff->device */
    size_t order;  /* as it was read */
    struct smc_inspect_row side;
    bool is_taken;
};

struct items {
    struct diff_item *item;
    size_t count;
};

/* The items of one stable name in both builds. */
struct diff_group {
    struct diff_item *before, *after;
    size_t before_count, after_count;
    struct diff_group *match; /* of a removed kernel: the added one that it became */
    bool is_matched;
};

/* What the functions share. */
struct comparing {
    const struct smc_inspect_request *request;
    struct smc_diff *diff;
    struct items before, after;
    struct diff_group *group;
    size_t group_count;
};

/* --- The items of a build --------------------------------------------------------------------- */

static bool diff_find_device(struct smc_diff *diff, const struct smc_device *device, size_t *index)
{
    for (*index = 0; *index < diff->device_count; ++*index)
        if (strcmp(diff->device[*index].name, device->name) == 0)
            return true;
    if (!smc_make_room(&diff->device, diff->device_count, NULL, sizeof *diff->device))
        return false;
    diff->device[diff->device_count++] = *device;
    return true;
}

static struct smc_inspect_row side_of(const struct smc_inspect_row *row)
{
    struct smc_inspect_row side = *row;
    side.device = NULL;
    side.banks = NULL;
    if (row->threads_source == SMC_THREADS_UNKNOWN)
        side.launch.threads_per_block = 0;
    return side;
}

static int compare_items(const void *a, const void *b)
{
    const struct diff_item *i = a, *j = b;
    int order = strcmp(i->key, j->key);
    if (order == 0)
        order = (i->device > j->device) - (i->device < j->device);
    return order ? order : (i->order > j->order) - (i->order < j->order);
}

static bool take_rows(const struct smc_inspect_rows *rows, struct smc_diff *diff,
                      struct items *items)
{
    items->item = smc_calloc(rows->count ? rows->count : 1, sizeof *items->item);
    for (size_t i = 0; items->item && i < rows->count; i++) {
        const struct smc_inspect_row *row = &rows->item[i];
        struct diff_item *item = &items->item[i];
        *item = (struct diff_item){.key = smc_stable_name(row->kernel->name), .order = i};
        items->count++;
        item->side = side_of(row);
        if (!item->key || !diff_find_device(diff, row->device, &item->device))
            return false;
    }
    if (items->count > 1)
        qsort(items->item, items->count, sizeof *items->item, compare_items);
    return items->item != NULL;
}

static enum smc_status read_items(const struct smc_inspect_kernels *kernels,
                                  const struct smc_inspect_request *request, struct smc_diff *diff,
                                  struct items *items, struct smc_error *error)
{
    SMC_AUTO(smc_inspect_rows_free) struct smc_inspect_rows rows = {0};
    enum smc_status status = smc_inspect_answer(kernels, request, &rows, error);
    if (status != SMC_MACHINE && !take_rows(&rows, diff, items))
        status = smc_out_of_memory(error);
    return status;
}

static void free_items(struct items *items)
{
    for (size_t i = 0; i < items->count; i++)
        free(items->item[i].key);
    free(items->item);
}

/* --- What is worse, what is better ------------------------------------------------------------ */

static void weigh(enum smc_diff_change change, double before, double after,
                  struct smc_diff_pair *pair)
{
    pair->worse |= after > before ? 1u << change : 0;
    pair->better |= after < before ? 1u << change : 0;
}

static void weigh_bounds(const struct smc_inspect_kernel *before,
                         const struct smc_inspect_kernel *after, struct smc_diff_pair *pair)
{
    if (smc_inspect_records_bounds(before) && smc_inspect_records_bounds(after))
        weigh(SMC_DIFF_BOUNDS, before->max_threads_per_block == 0,
              after->max_threads_per_block == 0, pair);
    if (before->min_blocks_known && after->min_blocks_known && before->max_threads_per_block > 0 &&
        after->max_threads_per_block > 0)
        weigh(SMC_DIFF_BOUNDS, after->min_blocks_per_sm, before->min_blocks_per_sm, pair);
}

/* `refused` kernels have no figures. */
static void weigh_resources(struct smc_diff_pair *pair)
{
    const struct smc_inspect_kernel *before = pair->before.kernel, *after = pair->after.kernel;
    const struct smc_resources *r = &before->resources, *s = &after->resources;
    weigh(SMC_DIFF_STATIC_SMEM, pair->before.launch.static_smem_bytes,
          pair->after.launch.static_smem_bytes, pair);
    weigh_bounds(before, after, pair);
    if (r->refused || s->refused)
        return;
    weigh(SMC_DIFF_REGISTERS, r->regs_per_thread, s->regs_per_thread, pair);
    if (before->has_spills && after->has_spills)
        weigh(SMC_DIFF_SPILLS, (double)r->spill_store_bytes + r->spill_load_bytes,
              (double)s->spill_store_bytes + s->spill_load_bytes, pair);
    if (before->has_stack && after->has_stack)
        weigh(SMC_DIFF_STACK, r->stack_bytes, s->stack_bytes, pair);
    if (before->has_barriers && after->has_barriers)
        weigh(SMC_DIFF_BARRIERS, r->barriers, s->barriers, pair);
}

static double diff_percent_at(const struct smc_inspect_row *side, const struct smc_sm *sm,
                              uint32_t size)
{
    return 100.0 * side->sizes.blocks_per_sm[size] * (size + 1) / sm->max_warps_per_sm;
}

/* Every block size that both builds allow. */
static void weigh_sizes(struct smc_diff_pair *pair)
{
    const struct smc_inspect_row *before = &pair->before, *after = &pair->after;
    for (uint32_t i = 0; i < SMC_BLOCK_SIZES; i++) {
        uint32_t blocks = before->sizes.blocks_per_sm[i], now = after->sizes.blocks_per_sm[i];
        double loss = diff_percent_at(before, &pair->device->sm, i) -
                      diff_percent_at(after, &pair->device->sm, i);
        pair->lost_sizes |= now < blocks ? 1u << i : 0;
        pair->gained_sizes |= now > blocks ? 1u << i : 0;
        pair->loss += (loss > 0 ? loss : 0) / SMC_BLOCK_SIZES;
    }
    if (pair->lost_sizes)
        pair->worse |= BIT(BLOCKS) | BIT(OCCUPANCY);
    if (pair->gained_sizes)
        pair->better |= BIT(BLOCKS) | BIT(OCCUPANCY);
}

static bool diff_launches(const struct smc_inspect_row *side)
{
    if (side->launch.threads_per_block == 0)
        return side->sizes.best_threads_per_block > 0;
    return side->outcome == SMC_LAUNCHES;
}

/* At every block size compared. */
static bool has_same_blocks(const struct smc_inspect_row *before,
                            const struct smc_inspect_row *after)
{
    if (before->launch.threads_per_block != after->launch.threads_per_block)
        return false;
    if (before->launch.threads_per_block == 0)
        return memcmp(before->sizes.blocks_per_sm, after->sizes.blocks_per_sm,
                      sizeof before->sizes.blocks_per_sm) == 0;
    return before->occupancy.blocks_per_sm == after->occupancy.blocks_per_sm &&
           before->outcome == after->outcome;
}

/* Unknown dynamic shared memory can only lower blocks and occupancy. If two kernels have the same
   blocks, occupancy and static shared memory without it, they have the same with equal amounts of
   it. Otherwise keep only changes that unknown memory could enlarge. */
static void drop_uncertain(struct smc_diff_pair *pair)
{
    const struct smc_inspect_row *before = &pair->before, *after = &pair->after;
    const uint32_t figures = BIT(BLOCKS) | BIT(OCCUPANCY);
    const bool both = before->dynamic_smem_unknown && after->dynamic_smem_unknown;
    if (both && before->launch.static_smem_bytes == after->launch.static_smem_bytes &&
        has_same_blocks(before, after))
        return;
    if (after->dynamic_smem_unknown) {
        pair->better &= ~(figures | BIT(LAUNCH));
        pair->gained_sizes = 0;
    }
    if (before->dynamic_smem_unknown) {
        pair->worse &= ~figures; /* a launch that fails without it fails with any */
        pair->lost_sizes = 0;
        pair->loss = 0;
    }
    pair->is_undecided = ((pair->worse | pair->better) & (figures | BIT(LAUNCH))) == 0;
}

static void weigh_occupancy(struct smc_diff_pair *pair)
{
    const struct smc_inspect_row *before = &pair->before, *after = &pair->after;
    weigh(SMC_DIFF_LAUNCH, !diff_launches(before), !diff_launches(after), pair);
    if (before->launch.threads_per_block == 0) {
        weigh_sizes(pair);
    } else {
        if (before->launch.threads_per_block == after->launch.threads_per_block)
            weigh(SMC_DIFF_BLOCKS, after->occupancy.blocks_per_sm, before->occupancy.blocks_per_sm,
                  pair);
        weigh(SMC_DIFF_OCCUPANCY, after->occupancy_percent, before->occupancy_percent, pair);
        pair->loss = before->occupancy_percent - after->occupancy_percent;
    }
    if (before->dynamic_smem_unknown || after->dynamic_smem_unknown)
        drop_uncertain(pair);
}

static enum smc_diff_verdict diff_verdict_of(const struct smc_diff_pair *pair)
{
    const struct smc_inspect_kernel *before = pair->before.kernel, *after = pair->after.kernel;
    if (pair->worse & (BIT(LAUNCH) | BIT(BLOCKS) | BIT(OCCUPANCY)))
        return SMC_DIFF_CLIFF;
    if (pair->worse)
        return pair->worse & BIT(SPILLS) ? SMC_DIFF_SPILLED : SMC_DIFF_WORSE;
    if (pair->better)
        return SMC_DIFF_BETTER;
    bool bounds_differ = smc_inspect_records_bounds(before) && smc_inspect_records_bounds(after) &&
                         (before->max_threads_per_block != after->max_threads_per_block ||
                          before->required_threads_per_block != after->required_threads_per_block);
    bool limiters_differ = pair->before.occupancy.limiters != pair->after.occupancy.limiters;
    return bounds_differ || limiters_differ || pair->is_undecided ? SMC_DIFF_CHANGED
                                                                  : SMC_DIFF_SAME;
}

/* --- The block size --------------------------------------------------------------------------- */

static bool is_stated(const struct smc_inspect_row *side)
{
    return side->threads_source != SMC_THREADS_ASSUMED &&
           side->threads_source != SMC_THREADS_UNKNOWN;
}

/* The kernel at the block size of its counterpart. */
static void answer_at(const struct comparing *comparing, const struct smc_device *device,
                      uint32_t threads_per_block, struct smc_inspect_row *side)
{
    struct smc_inspect_row row;
    struct smc_inspect_request request = *comparing->request;
    request.stated[SMC_STATED_THREADS].count = 0;
    request.threads_per_block = threads_per_block;
    smc_inspect_answer_one(side->kernel, device, &request, &row);
    *side = side_of(&row);
}

/* If only one build states the block size, it is used for both. */
static void share_threads(const struct comparing *comparing, struct smc_diff_pair *pair)
{
    struct smc_inspect_row *before = &pair->before, *after = &pair->after;
    if (is_stated(before) && !is_stated(after))
        answer_at(comparing, pair->device, before->launch.threads_per_block, after);
    else if (is_stated(after) && !is_stated(before))
        answer_at(comparing, pair->device, after->launch.threads_per_block, before);
}

/* The kernel as if it had that many barriers, at the same block size. */
static void answer_with_barriers(const struct comparing *comparing, const struct smc_device *device,
                                 uint32_t barriers, struct smc_inspect_row *side)
{
    const struct smc_inspect_row former = *side;
    struct smc_inspect_kernel kernel = *side->kernel;
    struct smc_inspect_request request = *comparing->request;
    struct smc_inspect_row row;
    kernel.has_barriers = true;
    kernel.resources.barriers = barriers;
    if (side->launch.threads_per_block > 0) {
        request.stated[SMC_STATED_THREADS].count = 0;
        request.threads_per_block = side->launch.threads_per_block;
    }
    smc_inspect_answer_one(&kernel, device, &request, &row);
    *side = side_of(&row);
    side->kernel = former.kernel;
    side->threads_source = former.threads_source;
}

/* Reports of cuobjdump and older logs do not state barriers: the other build's are assumed, so that
   resident blocks do not differ because of them. */
static void share_barriers(const struct comparing *comparing, struct smc_diff_pair *pair)
{
    struct smc_inspect_row *before = &pair->before, *after = &pair->after;
    if (before->kernel->has_barriers && !after->kernel->has_barriers)
        answer_with_barriers(comparing, pair->device, before->kernel->resources.barriers, after);
    else if (after->kernel->has_barriers && !before->kernel->has_barriers)
        answer_with_barriers(comparing, pair->device, after->kernel->resources.barriers, before);
}

/* Logs and machine code do not record whether a kernel uses dynamic shared memory. If only one
   build records it, it holds for both. */
static void share_dynamic_smem(struct smc_diff_pair *pair)
{
    struct smc_inspect_row *before = &pair->before, *after = &pair->after;
    before->dynamic_smem_unknown |=
        after->dynamic_smem_unknown && !before->kernel->dynamic_smem_known;
    after->dynamic_smem_unknown |=
        before->dynamic_smem_unknown && !after->kernel->dynamic_smem_known;
}

/* --- Pairs ------------------------------------------------------------------------------------ */

static struct smc_diff_pair *add_pair(const struct comparing *comparing,
                                      const struct diff_item *before, const struct diff_item *after,
                                      size_t group)
{
    struct smc_diff *diff = comparing->diff;
    if (!smc_make_room(&diff->pair, diff->count, &diff->capacity, sizeof *diff->pair))
        return NULL;
    struct smc_diff_pair *pair = &diff->pair[diff->count++];
    *pair = (struct smc_diff_pair){
        .device = &diff->device[(before ? before : after)->device],
        .group = group,
        .verdict = before ? SMC_DIFF_REMOVED : SMC_DIFF_ADDED,
    };
    if (before)
        pair->before = before->side;
    if (after)
        pair->after = after->side;
    return pair;
}

static bool diff_add_match(const struct comparing *comparing, struct diff_item *before,
                           struct diff_item *after, size_t group, bool is_ambiguous)
{
    struct smc_diff_pair *pair = add_pair(comparing, before, after, group);
    if (!pair)
        return false;
    before->is_taken = after->is_taken = true;
    share_threads(comparing, pair);
    share_barriers(comparing, pair);
    share_dynamic_smem(pair);
    weigh_resources(pair);
    weigh_occupancy(pair);
    pair->verdict = diff_verdict_of(pair);
    pair->is_ambiguous = is_ambiguous;
    pair->is_renamed = strcmp(before->key, after->key) != 0;
    return true;
}

/* What one of them does not record is not a difference. */
static bool has_same_figures(const struct diff_item *a, const struct diff_item *b)
{
    const struct smc_inspect_kernel *k = a->side.kernel, *l = b->side.kernel;
    const struct smc_resources *r = &k->resources, *s = &l->resources;
    bool same_spills =
        r->spill_store_bytes == s->spill_store_bytes && r->spill_load_bytes == s->spill_load_bytes;
    return k->suffix == l->suffix && r->refused == s->refused &&
           r->regs_per_thread == s->regs_per_thread &&
           (r->stack_bytes == s->stack_bytes || !k->has_stack || !l->has_stack) &&
           (same_spills || !k->has_spills || !l->has_spills) &&
           (r->barriers == s->barriers || !k->has_barriers || !l->has_barriers) &&
           a->side.launch.static_smem_bytes == b->side.launch.static_smem_bytes &&
           (k->max_threads_per_block == l->max_threads_per_block ||
            !smc_inspect_records_bounds(k) || !smc_inspect_records_bounds(l));
}

static const char *diff_file_of(const struct diff_item *item)
{
    const char *slash = strrchr(item->side.kernel->file, '/');
    return slash ? slash + 1 : item->side.kernel->file;
}

static bool is_of_same_file(const struct diff_item *a, const struct diff_item *b)
{
    return a->side.kernel->suffix == b->side.kernel->suffix &&
           strcmp(diff_file_of(a), diff_file_of(b)) == 0;
}

static bool is_any(const struct diff_item *a, const struct diff_item *b)
{
    (void)a;
    (void)b;
    return true;
}

/* Items of one name on one device in both builds. */
struct bucket {
    struct diff_item *before, *after;
    size_t before_count, after_count, group;
};

static size_t left(const struct diff_item *items, size_t count)
{
    size_t result = 0;
    for (size_t i = 0; i < count; i++)
        result += !items[i].is_taken;
    return result;
}

static bool match_by(const struct comparing *comparing, const struct bucket *bucket,
                     bool (*fits)(const struct diff_item *, const struct diff_item *))
{
    bool ambiguous = fits != has_same_figures && (left(bucket->before, bucket->before_count) > 1 ||
                                                  left(bucket->after, bucket->after_count) > 1);
    for (size_t i = 0; i < bucket->before_count; i++)
        for (size_t j = 0; j < bucket->after_count && !bucket->before[i].is_taken; j++)
            if (!bucket->after[j].is_taken && fits(&bucket->before[i], &bucket->after[j]) &&
                !diff_add_match(comparing, &bucket->before[i], &bucket->after[j], bucket->group,
                                ambiguous))
                return false;
    return true;
}

/* An instance of a template in an additional file with the same figures is not a new kernel. */
static bool diff_is_copy(const struct diff_item *item, const struct diff_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (&items[i] != item && items[i].is_taken && has_same_figures(item, &items[i]))
            return true;
    return false;
}

static bool add_rest(const struct comparing *comparing, const struct bucket *bucket)
{
    for (size_t i = 0; i < bucket->before_count; i++) {
        const struct diff_item *item = &bucket->before[i];
        if (!item->is_taken && !diff_is_copy(item, bucket->before, bucket->before_count) &&
            !add_pair(comparing, item, NULL, bucket->group))
            return false;
    }
    for (size_t i = 0; i < bucket->after_count; i++) {
        const struct diff_item *item = &bucket->after[i];
        if (!item->is_taken && !diff_is_copy(item, bucket->after, bucket->after_count) &&
            !add_pair(comparing, NULL, item, bucket->group))
            return false;
    }
    return true;
}

/* First those that did not change, then those of the same file, then in order. */
static bool match_bucket(const struct comparing *comparing, const struct bucket *bucket)
{
    return match_by(comparing, bucket, has_same_figures) &&
           match_by(comparing, bucket, is_of_same_file) && match_by(comparing, bucket, is_any) &&
           add_rest(comparing, bucket);
}

/* --- Notes ------------------------------------------------------------------------------------ */

static void diff_note(struct smc_diff *diff, enum smc_diff_note_kind kind, const char *before,
                      const char *after)
{
    size_t i = 0;
    for (; i < diff->note_count; i++)
        if (diff->note[i].kind == kind && strcmp(diff->note[i].before, before) == 0 &&
            strcmp(diff->note[i].after, after) == 0)
            break;
    if (i == SMC_DIFF_MOST_NOTES)
        return;
    struct smc_diff_note *found = &diff->note[i];
    if (i == diff->note_count) {
        *found = (struct smc_diff_note){.kind = kind};
        snprintf(found->before, sizeof found->before, "%s", before);
        snprintf(found->after, sizeof found->after, "%s", after);
        diff->note_count++;
    }
    found->count++;
}

static void note_pair(const struct smc_diff_pair *pair, struct smc_diff *diff)
{
    const struct smc_inspect_kernel *before = pair->before.kernel, *after = pair->after.kernel;
    char old_sm[SMC_INSPECT_ARCHITECTURE], new_sm[SMC_INSPECT_ARCHITECTURE];
    if (!before || !after)
        return;
    bool builds_known = before->build.toolkit[0] && after->build.toolkit[0];
    if (builds_known && strcmp(before->build.toolkit, after->build.toolkit) != 0)
        diff_note(diff, SMC_DIFF_NOTE_TOOLKIT, before->build.toolkit, after->build.toolkit);
    if (builds_known && strcmp(before->build.options, after->build.options) != 0)
        diff_note(diff, SMC_DIFF_NOTE_OPTIONS, before->build.options, after->build.options);
    if (before->cc && after->cc && (before->cc != after->cc || before->suffix != after->suffix))
        diff_note(diff, SMC_DIFF_NOTE_ARCHITECTURE, smc_architecture_name(before, old_sm),
                  smc_architecture_name(after, new_sm));
    if (!before->has_spills || !after->has_spills)
        diff_note(diff, SMC_DIFF_NOTE_SPILLS_UNKNOWN, before->has_spills ? "known" : "",
                  after->has_spills ? "known" : "");
    if (!before->has_barriers || !after->has_barriers)
        diff_note(diff, SMC_DIFF_NOTE_BARRIERS_UNKNOWN, "", "");
    if (pair->is_undecided)
        diff_note(diff, SMC_DIFF_NOTE_DYNAMIC_SMEM_UNKNOWN, "", "");
}

/* --- Groups ----------------------------------------------------------------------------------- */

static size_t count_key(const struct items *items, size_t from)
{
    size_t end = from + 1;
    while (end < items->count && strcmp(items->item[end].key, items->item[from].key) == 0)
        end++;
    return end - from;
}

/* Both lists are sorted by key. */
static bool diff_find_groups(struct comparing *comparing)
{
    struct items *before = &comparing->before, *after = &comparing->after;
    size_t most = before->count + after->count;
    comparing->group = smc_calloc(most ? most : 1, sizeof *comparing->group);
    for (size_t i = 0, j = 0; comparing->group && (i < before->count || j < after->count);) {
        struct diff_group *group = &comparing->group[comparing->group_count++];
        int order = i == before->count  ? 1
                    : j == after->count ? -1
                                        : strcmp(before->item[i].key, after->item[j].key);
        if (order <= 0) {
            group->before = &before->item[i];
            i += group->before_count = count_key(before, i);
        }
        if (order >= 0) {
            group->after = &after->item[j];
            j += group->after_count = count_key(after, j);
        }
    }
    return comparing->group != NULL;
}

static size_t count_device(const struct diff_item *items, size_t count)
{
    size_t end = 0;
    while (end < count && items[end].device == items[0].device)
        end++;
    return end;
}

/* The items of both are sorted by device. */
static bool match_group(const struct comparing *comparing, struct diff_item *before,
                        size_t before_count, struct diff_item *after, size_t after_count,
                        size_t group)
{
    struct smc_diff *diff = comparing->diff;
    while (before_count > 0 && after_count > 0) {
        struct bucket bucket = {before, after, count_device(before, before_count),
                                count_device(after, after_count), group};
        bool matches = before->device == after->device;
        if (matches && !match_bucket(comparing, &bucket))
            return false;
        if (!matches && before->device < after->device)
            diff_note(diff, SMC_DIFF_NOTE_ONLY_OLD, diff->device[before->device].name, "");
        if (!matches && before->device > after->device)
            diff_note(diff, SMC_DIFF_NOTE_ONLY_NEW, diff->device[after->device].name, "");
        size_t old = before->device <= after->device ? bucket.before_count : 0;
        size_t new = before->device >= after->device ? bucket.after_count : 0;
        before += old, before_count -= old;
        after += new, after_count -= new;
    }
    for (; before_count > 0; before++, before_count--)
        diff_note(diff, SMC_DIFF_NOTE_ONLY_OLD, diff->device[before->device].name, "");
    for (; after_count > 0; after++, after_count--)
        diff_note(diff, SMC_DIFF_NOTE_ONLY_NEW, diff->device[after->device].name, "");
    return true;
}

static bool add_unmatched(const struct comparing *comparing, const struct diff_group *group,
                          size_t index)
{
    for (size_t i = 0; i < group->before_count; i++)
        if (!add_pair(comparing, &group->before[i], NULL, index))
            return false;
    for (size_t i = 0; i < group->after_count; i++)
        if (!add_pair(comparing, NULL, &group->after[i], index))
            return false;
    return true;
}

/* --- Renamed kernels -------------------------------------------------------------------------- */

/* Kernels with a smaller share of common letter pairs are different kernels. */
static const double least_similarity = 0.3, least_similarity_of_names = 0.5;
/* Two candidates whose scores differ by less are equally similar. */
static const double margin = 0.02;
/* The most comparisons: a new release of a library renames thousands of kernels. */
enum { MOST_COMPARISONS = 4000000 };

/* A kernel that only one build has. */
struct candidate {
    struct diff_group *group;
    char *bare;
    struct smc_name_pairs pairs, bare_pairs;
    double best, second;
    struct candidate *best_match;
};

struct pair_candidates {
    struct candidate *item;
    size_t count;
};

static int compare_candidates(const void *a, const void *b)
{
    return strcmp(((const struct candidate *)a)->bare, ((const struct candidate *)b)->bare);
}

static bool take_candidates(const struct comparing *comparing, bool removed,
                            struct pair_candidates *candidates)
{
    candidates->item =
        smc_calloc(comparing->group_count ? comparing->group_count : 1, sizeof *candidates->item);
    for (size_t i = 0; candidates->item && i < comparing->group_count; i++) {
        struct diff_group *group = &comparing->group[i];
        if ((removed ? group->after_count : group->before_count) > 0)
            continue;
        const char *shown =
            (group->before_count ? group->before : group->after)->side.kernel->shown;
        struct candidate *candidate = &candidates->item[candidates->count++];
        *candidate = (struct candidate){.group = group, .bare = smc_name_last(shown)};
        if (!candidate->bare)
            return false;
        candidate->pairs = smc_name_pairs(shown);
        candidate->bare_pairs = smc_name_pairs(candidate->bare);
        if (!candidate->pairs.pair || !candidate->bare_pairs.pair)
            return false;
    }
    if (candidates->item && candidates->count > 1)
        qsort(candidates->item, candidates->count, sizeof *candidates->item, compare_candidates);
    return candidates->item != NULL;
}

static void free_candidates(struct pair_candidates *candidates)
{
    for (size_t i = 0; i < candidates->count; i++) {
        free(candidates->item[i].bare);
        free(candidates->item[i].pairs.pair);
        free(candidates->item[i].bare_pairs.pair);
    }
    free(candidates->item);
}

/* On the first device that both have. */
static bool share_device(const struct diff_group *removed, const struct diff_group *added,
                         bool *same)
{
    for (size_t i = 0; i < removed->before_count; i++)
        for (size_t j = 0; j < added->after_count; j++)
            if (removed->before[i].device == added->after[j].device) {
                *same = has_same_figures(&removed->before[i], &added->after[j]);
                return true;
            }
    return false;
}

/* A score; 0: different kernels. An equal name outweighs everything else. */
static double resemblance(const struct candidate *removed, const struct candidate *added)
{
    bool has_same_name = strcmp(removed->bare, added->bare) == 0, same;
    if (!share_device(removed->group, added->group, &same))
        return 0;
    double similarity = smc_name_similarity(&removed->pairs, &added->pairs);
    if (has_same_name)
        return similarity >= least_similarity ? 1 + similarity : 0;
    if (!same ||
        smc_name_similarity(&removed->bare_pairs, &added->bare_pairs) < least_similarity_of_names)
        return 0;
    return similarity;
}

static void consider(struct candidate *candidate, struct candidate *other, double score)
{
    if (score > candidate->best) {
        candidate->second = candidate->best;
        candidate->best = score;
        candidate->best_match = other;
    } else if (score > candidate->second) {
        candidate->second = score;
    }
}

/* Whether one candidate is clearly more similar than all others. */
static bool is_clear(const struct candidate *candidate)
{
    return candidate->best > 0 && candidate->best - candidate->second >= margin;
}

static size_t count_bare(const struct pair_candidates *candidates, size_t from)
{
    size_t end = from + 1;
    while (end < candidates->count &&
           strcmp(candidates->item[end].bare, candidates->item[from].bare) == 0)
        end++;
    return end - from;
}

/* Compares all candidates if they are few enough, else only those with the same name. */
static void consider_all(struct pair_candidates *removed, struct pair_candidates *added)
{
    bool are_few = removed->count == 0 || added->count <= MOST_COMPARISONS / removed->count;
    size_t j = 0, n, m;
    for (size_t i = 0; i < removed->count && !are_few; i += n) {
        n = count_bare(removed, i);
        while (j < added->count && strcmp(added->item[j].bare, removed->item[i].bare) < 0)
            j++;
        if (j == added->count || strcmp(added->item[j].bare, removed->item[i].bare) != 0)
            continue;
        m = count_bare(added, j);
        for (size_t k = 0; k < n * m && m <= MOST_COMPARISONS / n; k++) {
            struct candidate *a = &removed->item[i + k / m], *b = &added->item[j + k % m];
            double score = resemblance(a, b);
            consider(a, b, score);
            consider(b, a, score);
        }
    }
    for (size_t k = 0; are_few && k < removed->count * added->count; k++) {
        struct candidate *a = &removed->item[k / added->count];
        struct candidate *b = &added->item[k % added->count];
        double score = resemblance(a, b);
        consider(a, b, score);
        consider(b, a, score);
    }
}

/* Matches two kernels only if each is clearly the best candidate of the other. */
static void match_candidates(const struct pair_candidates *removed, struct smc_diff *diff)
{
    for (size_t i = 0; i < removed->count; i++) {
        struct candidate *candidate = &removed->item[i], *best = candidate->best_match;
        if (!best)
            continue;
        if (is_clear(candidate) && is_clear(best) && best->best_match == candidate) {
            candidate->group->match = best->group;
            best->group->is_matched = true;
        } else if (!is_clear(candidate)) {
            diff_note(diff, SMC_DIFF_NOTE_RESEMBLING, "", "");
        }
    }
}

static bool find_renamed(const struct comparing *comparing)
{
    SMC_AUTO(free_candidates) struct pair_candidates removed = {0}, added = {0};
    if (!take_candidates(comparing, true, &removed) || !take_candidates(comparing, false, &added))
        return false;
    consider_all(&removed, &added);
    match_candidates(&removed, comparing->diff);
    return true;
}

/* --- All -------------------------------------------------------------------------------------- */

static bool match_all(const struct comparing *comparing)
{
    for (size_t i = 0; i < comparing->group_count; i++) {
        struct diff_group *group = &comparing->group[i];
        const struct diff_group *other = group->match ? group->match : group;
        bool in_both = group->before_count > 0 && other->after_count > 0, done = true;
        if (in_both)
            done = match_group(comparing, group->before, group->before_count, other->after,
                               other->after_count, i);
        else if (!group->is_matched)
            done = add_unmatched(comparing, group, i);
        if (!done)
            return false;
    }
    return true;
}

/* The rank of each group, for sorting. */
struct rank {
    enum smc_diff_verdict verdict;
    double loss;
};

/* qsort has no argument for it, so each pair has the rank of its group while they are sorted. */
struct ranked {
    struct smc_diff_pair pair;
    struct rank rank;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *p = a, *q = b;
    if (p->rank.verdict != q->rank.verdict)
        return p->rank.verdict < q->rank.verdict ? -1 : 1;
    if (p->rank.loss != q->rank.loss)
        return p->rank.loss > q->rank.loss ? -1 : 1;
    if (p->pair.group != q->pair.group)
        return p->pair.group < q->pair.group ? -1 : 1;
    if (p->pair.device != q->pair.device)
        return p->pair.device < q->pair.device ? -1 : 1;
    return (p->pair.verdict > q->pair.verdict) - (p->pair.verdict < q->pair.verdict);
}

static void count_kernel(const struct smc_diff_pair *pair, const struct rank *rank,
                         struct smc_diff *diff)
{
    diff->kernels[rank->verdict]++;
    diff->renamed += pair->is_renamed;
    diff->compared += pair->before.kernel && pair->after.kernel;
}

static bool sort_pairs(struct smc_diff *diff, size_t group_count)
{
    smc_auto_free struct rank *ranks = smc_calloc(group_count ? group_count : 1, sizeof *ranks);
    smc_auto_free struct ranked *list = smc_calloc(diff->count ? diff->count : 1, sizeof *list);
    for (size_t i = 0; ranks && i < group_count; i++)
        ranks[i] = (struct rank){SMC_DIFF_VERDICT_COUNT, 0};
    for (size_t i = 0; ranks && list && i < diff->count; i++) {
        struct rank *rank = &ranks[diff->pair[i].group];
        if (diff->pair[i].verdict < rank->verdict)
            rank->verdict = diff->pair[i].verdict;
        if (diff->pair[i].loss > rank->loss)
            rank->loss = diff->pair[i].loss;
    }
    for (size_t i = 0; ranks && list && i < diff->count; i++)
        list[i] = (struct ranked){diff->pair[i], ranks[diff->pair[i].group]};
    bool done = ranks && list;
    if (done && diff->count > 1)
        qsort(list, diff->count, sizeof *list, compare_ranked);
    for (size_t i = 0; done && i < diff->count; i++) {
        diff->pair[i] = list[i].pair;
        if (i == 0 || list[i - 1].pair.group != list[i].pair.group)
            count_kernel(&list[i].pair, &list[i].rank, diff);
        diff->compared_pairs += diff->pair[i].before.kernel && diff->pair[i].after.kernel;
        note_pair(&diff->pair[i], diff);
    }
    return done;
}

static bool has_device(const struct items *items, size_t index)
{
    for (size_t i = 0; i < items->count; i++)
        if (items->item[i].device == index)
            return true;
    return false;
}

/* "compute capability 8.0 and 9.0" */
static void append_architectures(const struct items *items, const struct smc_diff *diff,
                                 struct smc_text *out)
{
    size_t count = 0, left = 0;
    for (size_t i = 0; i < diff->device_count; i++)
        left += has_device(items, i);
    for (size_t i = 0; i < diff->device_count; i++) {
        const struct smc_device *device = &diff->device[i];
        if (!has_device(items, i))
            continue;
        if (count++ > 0)
            smc_text_append(out, left == 1 ? " and " : ", ");
        if (device->sm_count > 0)
            smc_text_append(out, device->name);
        else
            smc_text_printf(out, "%s%d.%d", count == 1 ? "compute capability " : "",
                            device->sm.cc / 10, device->sm.cc % 10);
        left--;
    }
}

/* Builds without a device in common would only consist of removed and added kernels. */
static enum smc_status check_devices(const struct comparing *comparing, struct smc_error *error)
{
    const struct smc_diff *diff = comparing->diff;
    smc_auto_text before = {0}, after = {0};
    for (size_t i = 0; i < diff->device_count; i++)
        if (has_device(&comparing->before, i) && has_device(&comparing->after, i))
            return SMC_OK;
    if (comparing->before.count == 0 || comparing->after.count == 0)
        return SMC_OK;
    append_architectures(&comparing->before, diff, &before);
    append_architectures(&comparing->after, diff, &after);
    return smc_fail(
        error, SMC_USAGE,
        "the old build is for %.400s, the new one for %.400s: no architecture is in both; "
        "--device compares them on one device, as far as the code can be estimated",
        smc_text_string(&before), smc_text_string(&after));
}

static enum smc_status diff_compare(struct comparing *comparing, struct smc_error *error)
{
    SMC_TRY(check_devices(comparing, error));
    if (!diff_find_groups(comparing) || !find_renamed(comparing) || !match_all(comparing) ||
        !sort_pairs(comparing->diff, comparing->group_count))
        return smc_out_of_memory(error);
    return SMC_OK;
}

enum smc_status smc_diff_compare(const struct smc_inspect_kernels *before,
                                 const struct smc_inspect_kernels *after,
                                 const struct smc_inspect_request *request, struct smc_diff *diff,
                                 struct smc_error *error)
{
    struct comparing comparing = {.request = request, .diff = diff};
    enum smc_status worst = SMC_OK;
    for (int step = 0; step < 3 && worst != SMC_MACHINE; step++) {
        struct smc_error why = {""};
        enum smc_status status =
            step == 0   ? read_items(before, request, diff, &comparing.before, &why)
            : step == 1 ? read_items(after, request, diff, &comparing.after, &why)
                        : diff_compare(&comparing, &why);
        if (worst == SMC_OK && status != SMC_OK)
            *error = why; /* of the first step that failed */
        worst = status > worst ? status : worst;
    }
    free_items(&comparing.before);
    free_items(&comparing.after);
    free(comparing.group);
    return worst;
}

void smc_diff_free(struct smc_diff *diff)
{
    for (size_t i = 0; i < diff->count; i++)
        free(diff->pair[i].excuse);
    free(diff->pair);
    free(diff->device);
    *diff = (struct smc_diff){0};
}

size_t smc_diff_worse(const struct smc_diff *diff)
{
    return diff->kernels[SMC_DIFF_CLIFF] + diff->kernels[SMC_DIFF_SPILLED] +
           diff->kernels[SMC_DIFF_WORSE];
}

const char *smc_diff_change_name(enum smc_diff_change change)
{
    static const char *const names[] = {
#define CHANGE(id, name, limit) [SMC_DIFF_##id] = name,
#include "answers/judge/changes.def"
    };
    return names[change];
}

const char *smc_diff_verdict_name(enum smc_diff_verdict verdict)
{
    static const char *const names[] = {
        [SMC_DIFF_CLIFF] = "cliff",     [SMC_DIFF_SPILLED] = "spilled", [SMC_DIFF_WORSE] = "worse",
        [SMC_DIFF_CHANGED] = "changed", [SMC_DIFF_BETTER] = "better",   [SMC_DIFF_SAME] = "same",
        [SMC_DIFF_REMOVED] = "removed", [SMC_DIFF_ADDED] = "added",
    };
    return names[verdict];
}
