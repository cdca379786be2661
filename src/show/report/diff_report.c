/* Two builds compared: the kernels that are worse, gravest first, then those that are better; as
   text, JSON, CSV, as a table for a comment on a pull request, and as findings. */
#include "config.h"

#include "show/report/diff_report.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "show/report/findings_report.h"
#include "show/report/overview.h"
#include "show/report/writers.h"

enum { LEAST_DEVICE = 13, MOST_DEVICE = 28 };

/* --- Fields ----------------------------------------------------------------------------------- */

/* The newer side of a pair that has one. */
static const struct smc_inspect_row *diff_latest(const struct smc_diff_pair *pair)
{
    return pair->after.kernel ? &pair->after : &pair->before;
}

static struct smc_value diff_architecture_of(const struct smc_inspect_row *side)
{
    char text[SMC_INSPECT_ARCHITECTURE];
    if (!side->kernel || side->kernel->cc == 0)
        return smc_value_string(NULL);
    return smc_value_copy(smc_architecture_name(side->kernel, text));
}

static struct smc_value change_list(uint32_t changes)
{
    json_t *list = json_array();
    for (int i = 0; i < SMC_DIFF_CHANGE_COUNT; i++)
        if (changes & 1u << i)
            json_array_append_new(list, json_string(smc_diff_change_name((enum smc_diff_change)i)));
    return smc_value_json(list);
}

static struct smc_value size_list(uint32_t sizes)
{
    json_t *list = json_array();
    for (int i = 0; i < SMC_BLOCK_SIZES; i++)
        if (sizes & 1u << i)
            json_array_append_new(list, json_integer((json_int_t)32 * (i + 1)));
    return smc_value_json(list);
}

/* Of the changes that count if there are any. */
static const char *gravest(const struct smc_diff_pair *pair)
{
    uint32_t counting = pair->worse & ~pair->excused;
    uint32_t changes = counting ? counting : pair->worse ? pair->worse : pair->better;
    return changes ? smc_diff_change_name((enum smc_diff_change)__builtin_ctz(changes)) : NULL;
}

/* Blocks and occupancy depend on it. */
static bool has_known_smem(const struct smc_inspect_row *side)
{
    return side->kernel && !side->dynamic_smem_unknown;
}

/* Of a kernel that this side has, and where that is known; of the side itself. */
#define OF_KERNEL(side, known, member)                                                             \
    SMC_VALUE_IF(item->side.kernel && (known), item->side.kernel->member)
#define OF_SIDE(side, known, member) SMC_VALUE_IF(item->side.kernel && (known), item->side.member)
#define SIDE_FIELDS(FIELD, side, when)                                                             \
    FIELD(#side ".file", NULL, "", when "the file that holds the kernel",                          \
          OF_KERNEL(side, true, file))                                                             \
    FIELD(#side ".compiled_for", NULL, "", when "the architecture of its machine code",            \
          diff_architecture_of(&item->side))                                                       \
    FIELD(#side ".toolkit", NULL, "", when "the CUDA Toolkit that compiled it",                    \
          OF_KERNEL(side, true, build.toolkit))                                                    \
    FIELD(#side ".compiler_options", NULL, "", when "the compiler options that change code",       \
          OF_KERNEL(side, true, build.options))                                                    \
    FIELD(#side ".registers_per_thread", #side "_registers", "registers",                          \
          when "registers per thread",                                                             \
          OF_KERNEL(side, !item->side.kernel->resources.refused, resources.regs_per_thread))       \
    FIELD(#side ".spill_store_bytes", #side "_spill_stores", "bytes",                              \
          when "spill stores per thread",                                                          \
          OF_KERNEL(side, item->side.kernel->has_spills, resources.spill_store_bytes))             \
    FIELD(#side ".spill_load_bytes", #side "_spill_loads", "bytes", when "spill loads per thread", \
          OF_KERNEL(side, item->side.kernel->has_spills, resources.spill_load_bytes))              \
    FIELD(#side ".stack_bytes", #side "_stack", "bytes", when "stack frame per thread",            \
          OF_KERNEL(side, item->side.kernel->has_stack, resources.stack_bytes))                    \
    FIELD(#side ".static_smem_bytes", #side "_static_smem", "bytes",                               \
          when "static shared memory per block", OF_SIDE(side, true, launch.static_smem_bytes))    \
    FIELD(#side ".dynamic_smem_bytes", #side "_dynamic_smem", "bytes",                             \
          when "dynamic shared memory per block; unknown if used but not stated",                  \
          OF_SIDE(side, !item->side.dynamic_smem_unknown, launch.dynamic_smem_bytes))              \
    FIELD(#side ".barriers_per_block", #side "_barriers", "barriers", when "barriers per block",   \
          OF_KERNEL(side, item->side.kernel->has_barriers, resources.barriers))                    \
    FIELD(#side ".max_threads_per_block", #side "_max_threads", "threads",                         \
          when "its launch bound",                                                                 \
          OF_KERNEL(side, item->side.kernel->max_threads_per_block > 0, max_threads_per_block))    \
    FIELD(#side ".threads_per_block", #side "_threads", "threads",                                 \
          when "the block size compared; unknown if every size is",                                \
          OF_SIDE(side, item->side.launch.threads_per_block > 0, launch.threads_per_block))        \
    FIELD(#side ".blocks_per_sm", #side "_blocks_per_sm", "blocks",                                \
          when "resident blocks per SM at that size",                                              \
          OF_SIDE(side,                                                                            \
                  item->side.launch.threads_per_block > 0 && !item->side.dynamic_smem_unknown,     \
                  occupancy.blocks_per_sm))                                                        \
    FIELD(#side ".occupancy_percent", #side "_occupancy_percent", "percent",                       \
          when "occupancy at that size, or at the best one",                                       \
          OF_SIDE(side, !item->side.dynamic_smem_unknown, occupancy_percent))                      \
    FIELD(#side ".limiters", #side "_limiters", "", when "the limits that bind",                   \
          SMC_VALUE_IF(has_known_smem(&item->side),                                                \
                       smc_value_limiters(item->side.occupancy.limiters)))
#define PAIR_FIELDS(FIELD)                                                                         \
    FIELD("name", "kernel", "", "the kernel's name, demangled", diff_latest(item)->kernel->shown)  \
    FIELD("was", "was", "", "its name in the old build, if it was renamed",                        \
          item->is_renamed ? item->before.kernel->shown : NULL)                                    \
    FIELD("mangled_name", NULL, "", "its name in the file", diff_latest(item)->kernel->name)       \
    FIELD("source_file", NULL, "", "the source that defines it",                                   \
          diff_latest(item)->kernel->source_file)                                                  \
    FIELD("source_line", NULL, "", "its line there",                                               \
          smc_value_known(diff_latest(item)->kernel->source_line))                                 \
    FIELD("device", "device", "", "the device that it is compared for", item->device->name)        \
    FIELD("verdict", "verdict", "",                                                                \
          "cliff, spilled, worse, changed, better, same, removed or added",                        \
          smc_diff_verdict_name(item->verdict))                                                    \
    FIELD(NULL, "change", "", "the gravest change", gravest(item))                                 \
    FIELD("worse", NULL, "", "what is worse, gravest first", change_list(item->worse))             \
    FIELD("better", NULL, "", "what is better", change_list(item->better))                         \
    FIELD("allowed", NULL, "", "what is worse, but allowed by the gate file",                      \
          change_list(item->excused))                                                              \
    FIELD("allowed_by", NULL, "", "what the gate file says of it", item->excuse)                   \
    FIELD("fewer_blocks_at", NULL, "threads",                                                      \
          "where the block size is unknown: the sizes with fewer resident blocks",                 \
          size_list(item->lost_sizes))                                                             \
    FIELD("more_blocks_at", NULL, "threads", "and those with more", size_list(item->gained_sizes)) \
    FIELD("ambiguous", NULL, "", "whether several kernels with this name were matched in order",   \
          item->is_ambiguous)                                                                      \
    SIDE_FIELDS(FIELD, before, "before: ")                                                         \
    SIDE_FIELDS(FIELD, after, "in the new build: ")
SMC_FIELD_TABLE(pair_fields, struct smc_diff_pair, PAIR_FIELDS)

const struct smc_field_table smc_diff_tables[] = {
    {"diff", &pair_fields},
    {NULL, NULL},
};

/* Reports list the kernels that differ, and count the others. */
static bool diff_is_listed(const struct smc_diff_pair *pair)
{
    return pair->verdict != SMC_DIFF_SAME || pair->is_renamed;
}

/* --- In words --------------------------------------------------------------------------------- */

static void begin_item(struct smc_text *out, size_t start)
{
    if (out->length > start)
        smc_text_append(out, ", ");
}

static void append_launch_bounds(const struct smc_diff_pair *pair, struct smc_text *out,
                                 size_t start)
{
    const struct smc_inspect_kernel *before = pair->before.kernel, *after = pair->after.kernel;
    uint32_t most = before->max_threads_per_block, now = after->max_threads_per_block;
    uint32_t changed = (pair->worse | pair->better) & 1u << SMC_DIFF_BOUNDS;
    if (!changed && (pair->verdict != SMC_DIFF_CHANGED || most == now))
        return;
    begin_item(out, start);
    if (most > 0 && now == 0)
        smc_text_printf(out, "launch bounds of %u threads lost", most);
    else if (most == 0)
        smc_text_printf(out, "launch bounds of %u threads gained", now);
    else if (most != now)
        smc_text_printf(out, "launch bounds %u -> %u threads", most, now);
    if (most > 0 && now > 0 && before->min_blocks_per_sm != after->min_blocks_per_sm)
        smc_text_printf(out, "%slaunch bounds' blocks per SM %u -> %u", most != now ? ", " : "",
                        before->min_blocks_per_sm, after->min_blocks_per_sm);
}

/* "64 -> 65 registers, stack 0 -> 16 bytes": the resources that differ. */
static void append_causes(const struct smc_diff_pair *pair, struct smc_text *out)
{
    const struct smc_resources *r = &pair->before.kernel->resources;
    const struct smc_resources *s = &pair->after.kernel->resources;
    const uint32_t changes = pair->worse | pair->better;
    const size_t start = out->length;
    if (changes & 1u << SMC_DIFF_REGISTERS)
        smc_text_printf(out, "%u -> %u registers", r->regs_per_thread, s->regs_per_thread);
    if (changes & 1u << SMC_DIFF_SPILLS) {
        begin_item(out, start);
        smc_text_printf(out, "spill stores %u -> %u and loads %u -> %u bytes", r->spill_store_bytes,
                        s->spill_store_bytes, r->spill_load_bytes, s->spill_load_bytes);
    }
    if (changes & 1u << SMC_DIFF_STACK) {
        begin_item(out, start);
        smc_text_printf(out, "stack %u -> %u bytes", r->stack_bytes, s->stack_bytes);
    }
    if (changes & 1u << SMC_DIFF_STATIC_SMEM) {
        begin_item(out, start);
        smc_text_printf(out, "static shared memory %u -> %u bytes",
                        pair->before.launch.static_smem_bytes,
                        pair->after.launch.static_smem_bytes);
    }
    if (changes & 1u << SMC_DIFF_BARRIERS) {
        begin_item(out, start);
        smc_text_printf(out, "%u -> %u barriers", r->barriers, s->barriers);
    }
    append_launch_bounds(pair, out, start);
}

/* "96 to 128, 192 and 256": block sizes of a set. */
static void diff_append_sizes(uint32_t sizes, struct smc_text *out)
{
    enum { MOST_RANGES = 5 };
    size_t ranges = 0;
    for (int i = 0; i < SMC_BLOCK_SIZES; i++) {
        int last = i;
        if (!(sizes & 1u << i))
            continue;
        while (last + 1 < SMC_BLOCK_SIZES && sizes & 1u << (last + 1))
            last++;
        if (ranges++ == MOST_RANGES) {
            smc_text_append(out, ", ...");
            return;
        }
        smc_text_printf(out, "%s%d", ranges > 1 ? ", " : "", 32 * (i + 1));
        if (last > i)
            smc_text_printf(out, " to %d", 32 * (last + 1));
        i = last;
    }
}

/* What precedes a figure that unknown dynamic shared memory can only lower. */
static const char *diff_at_most(const struct smc_inspect_row *side)
{
    return side->dynamic_smem_unknown ? "at most " : "";
}

/* The example of a set of sizes: 256 threads if they are among them, else the first. */
static void append_example(const struct smc_diff_pair *pair, uint32_t sizes, struct smc_text *out)
{
    enum { USUAL = 256 / 32 - 1 };
    int size = sizes & 1u << USUAL ? USUAL : __builtin_ctz(sizes);
    smc_text_printf(out, " (%d: %s%u -> %s%u)", 32 * (size + 1), diff_at_most(&pair->before),
                    pair->before.sizes.blocks_per_sm[size], diff_at_most(&pair->after),
                    pair->after.sizes.blocks_per_sm[size]);
}

static void diff_append_curve(const struct smc_diff_pair *pair, struct smc_text *out)
{
    uint32_t lost = pair->lost_sizes, gained = pair->gained_sizes;
    if (lost) {
        smc_text_append(out, "fewer blocks per SM at ");
        diff_append_sizes(lost, out);
        smc_text_append(out, " threads");
        append_example(pair, lost, out);
    }
    if (lost && gained)
        smc_text_append(out, "; ");
    if (gained) {
        smc_text_append(out, "more blocks per SM at ");
        diff_append_sizes(gained, out);
        smc_text_append(out, " threads");
        append_example(pair, gained, out);
    }
    if (!lost && !gained)
        smc_text_append(out, "the same number of blocks at every block size");
}

static void diff_append_percents(const struct smc_diff_pair *pair, struct smc_text *out)
{
    char before[32], after[32];
    smc_words_percent(pair->before.occupancy_percent, before);
    smc_words_percent(pair->after.occupancy_percent, after);
    smc_text_printf(out, "%s%s -> %s%s", diff_at_most(&pair->before), before,
                    diff_at_most(&pair->after), after);
}

static void append_smem(const struct smc_inspect_row *side, struct smc_text *out)
{
    smc_text_printf(out, "%u%s", side->launch.static_smem_bytes + side->launch.dynamic_smem_bytes,
                    side->dynamic_smem_unknown ? "+?" : "");
}

/* "blocks per SM not compared: shared memory 1024+? -> 2048+? bytes, as launched" */
static void append_undecided(const struct smc_diff_pair *pair, struct smc_text *out)
{
    smc_text_append(out, "blocks per SM not compared: shared memory ");
    append_smem(&pair->before, out);
    smc_text_append(out, " -> ");
    append_smem(&pair->after, out);
    smc_text_append(out, " bytes, as launched");
}

static void diff_append_limiters(const struct smc_inspect_row *side, struct smc_text *out)
{
    const struct smc_occupancy occupancy = {.limiters = side->occupancy.limiters};
    if (side->occupancy.limiters == 0 || side->dynamic_smem_unknown)
        return;
    smc_text_append(out, ", limited by ");
    smc_words_limiters(&occupancy, out);
}

static bool diff_report_launches(const struct smc_inspect_row *side)
{
    return side->launch.threads_per_block > 0 ? side->outcome == SMC_LAUNCHES
                                              : side->sizes.best_threads_per_block > 0;
}

/* "4 -> 3 blocks per SM (100 % -> 75 %) at 256 threads, limited by registers" */
static void append_effect(const struct smc_diff_pair *pair, struct smc_text *out)
{
    const struct smc_inspect_row *before = &pair->before, *after = &pair->after;
    uint32_t changes = pair->worse | pair->better;
    if (changes & 1u << SMC_DIFF_LAUNCH) {
        smc_text_append(out, pair->worse & 1u << SMC_DIFF_LAUNCH ? "it no longer launches"
                                                                 : "it now launches");
        if (after->launch.threads_per_block > 0)
            smc_text_printf(out, " at %u threads", after->launch.threads_per_block);
        if (after->kernel && after->kernel->resources.refused)
            smc_text_append(out, ": too much static shared memory to compile");
    } else if (!diff_report_launches(before) && !diff_report_launches(after)) {
        smc_text_append(out, "it launches in neither build");
        if (after->launch.threads_per_block > 0)
            smc_text_printf(out, " at %u threads", after->launch.threads_per_block);
    } else if (pair->is_undecided) {
        append_undecided(pair, out);
    } else if (before->launch.threads_per_block == 0) {
        diff_append_curve(pair, out);
    } else if (before->launch.threads_per_block != after->launch.threads_per_block) {
        smc_text_printf(out, "%u -> %u threads per block, occupancy ",
                        before->launch.threads_per_block, after->launch.threads_per_block);
        diff_append_percents(pair, out);
        diff_append_limiters(after, out);
    } else if (before->occupancy.blocks_per_sm != after->occupancy.blocks_per_sm) {
        smc_text_printf(out, "%s%u -> %s%u blocks per SM (", diff_at_most(before),
                        before->occupancy.blocks_per_sm, diff_at_most(after),
                        after->occupancy.blocks_per_sm);
        diff_append_percents(pair, out);
        smc_text_printf(out, ") at %u threads", after->launch.threads_per_block);
        diff_append_limiters(after, out);
    } else {
        smc_text_printf(out, "still %s", diff_at_most(after));
        smc_words_blocks(after->occupancy.blocks_per_sm, out);
        smc_text_printf(out, " per SM at %u threads", after->launch.threads_per_block);
        if (before->occupancy.limiters != after->occupancy.limiters)
            diff_append_limiters(after, out);
    }
}

void smc_words_difference(const struct smc_diff_pair *pair, struct smc_text *out)
{
    size_t start = out->length;
    if (!pair->before.kernel || !pair->after.kernel)
        return;
    append_causes(pair, out);
    if (out->length > start)
        smc_text_append(out, ": ");
    append_effect(pair, out);
    if (pair->excuse)
        smc_text_printf(out, "; %s", pair->excuse);
}

/* "3 of 412 kernels are worse (1 as allowed), 1 better, 2 added, 1 removed; 1 lost blocks" */
static void diff_append_headline(const struct smc_diff *diff, struct smc_text *out)
{
    const size_t *kernels = diff->kernels;
    size_t worse = smc_diff_worse(diff);
    static const struct {
        enum smc_diff_verdict verdict;
        const char *word;
    } others[] = {
        {SMC_DIFF_BETTER, "better"},
        {SMC_DIFF_CHANGED, "changed"},
        {SMC_DIFF_ADDED, "added"},
        {SMC_DIFF_REMOVED, "removed"},
    };
    if (worse == 0)
        smc_text_printf(out, "none of %zu kernel%s is worse", diff->compared,
                        smc_text_plural(diff->compared));
    else
        smc_text_printf(out, "%zu of %zu kernel%s %s worse", worse, diff->compared,
                        smc_text_plural(diff->compared), worse == 1 ? "is" : "are");
    if (diff->excused)
        smc_text_printf(out, " (%zu as allowed)", diff->excused);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (kernels[others[i].verdict])
            smc_text_printf(out, ", %zu %s", kernels[others[i].verdict], others[i].word);
    if (diff->renamed)
        smc_text_printf(out, ", %zu renamed", diff->renamed);
    if (kernels[SMC_DIFF_CLIFF])
        smc_text_printf(out, "; %zu lost resident blocks", kernels[SMC_DIFF_CLIFF]);
    if (kernels[SMC_DIFF_SPILLED])
        smc_text_printf(out, "; %zu spill%s more", kernels[SMC_DIFF_SPILLED],
                        kernels[SMC_DIFF_SPILLED] == 1 ? "s" : "");
}

static const char *or_none(const char *text)
{
    return *text ? text : "none";
}

/* "-g" for ptxas: code for a debugger. */
static bool is_debug(const char *options)
{
    const char *at = strstr(options, "-g");
    return at && (at[2] == '\0' || at[2] == ' ');
}

/* "(3 of 16 kernels)", unless it is about all. */
static void diff_append_share(const struct smc_diff *diff, const struct smc_diff_note *note,
                              struct smc_text *out)
{
    if (note->count < diff->compared_pairs)
        smc_text_printf(out, " (%zu of %zu)", note->count, diff->compared_pairs);
}

static void diff_append_note(const struct smc_diff *diff, const struct smc_diff_note *note,
                             struct smc_text *out)
{
    const char *plural = smc_text_plural(note->count);
    bool debug = is_debug(note->before) || is_debug(note->after);
    switch (note->kind) {
    case SMC_DIFF_NOTE_TOOLKIT:
        smc_text_printf(out, "another toolkit: CUDA %s -> CUDA %s", note->before, note->after);
        diff_append_share(diff, note, out);
        break;
    case SMC_DIFF_NOTE_OPTIONS:
        smc_text_printf(out, "other options of ptxas: %s -> %s%s", or_none(note->before),
                        or_none(note->after), debug ? ", which is nvcc -G" : "");
        diff_append_share(diff, note, out);
        break;
    case SMC_DIFF_NOTE_ARCHITECTURE:
        smc_text_printf(out, "another architecture: %s -> %s", note->before, note->after);
        diff_append_share(diff, note, out);
        break;
    case SMC_DIFF_NOTE_ONLY_OLD:
    case SMC_DIFF_NOTE_ONLY_NEW:
        smc_text_printf(out, "%s: only in the %s build, not compared (%zu kernel%s)", note->before,
                        note->kind == SMC_DIFF_NOTE_ONLY_OLD ? "old" : "new", note->count, plural);
        break;
    case SMC_DIFF_NOTE_SPILLS_UNKNOWN:
        smc_text_append(out, "spills are not compared: not recorded in both builds");
        diff_append_share(diff, note, out);
        break;
    case SMC_DIFF_NOTE_BARRIERS_UNKNOWN:
        smc_text_append(out, "barriers are not compared: not recorded in both builds");
        diff_append_share(diff, note, out);
        break;
    case SMC_DIFF_NOTE_DYNAMIC_SMEM_UNKNOWN:
        smc_text_append(out, "+?: dynamic shared memory is given by the launch, so blocks and "
                             "occupancy are not compared");
        diff_append_share(diff, note, out);
        smc_text_append(out, "; state it with --dynamic-smem BYTES or NAME=BYTES");
        break;
    case SMC_DIFF_NOTE_RESEMBLING:
        smc_text_printf(out,
                        "%zu removed kernel%s resemble%s several of the added ones equally: not "
                        "matched",
                        note->count, plural, note->count == 1 ? "s" : "");
        break;
    case SMC_DIFF_NOTE_KIND_COUNT:
        break;
    }
}

/* --- Text ------------------------------------------------------------------------------------- */

static const char *diff_heading_of(enum smc_diff_verdict verdict)
{
    static const char *const headings[] = {
        [SMC_DIFF_CLIFF] = "Fewer resident blocks or no launch",
        [SMC_DIFF_SPILLED] = "More spills",
        [SMC_DIFF_WORSE] = "More resources or a lost launch bound",
        [SMC_DIFF_CHANGED] = "Changed",
        [SMC_DIFF_BETTER] = "Better",
        [SMC_DIFF_SAME] = "Renamed",
        [SMC_DIFF_REMOVED] = "Removed",
        [SMC_DIFF_ADDED] = "Added",
    };
    return headings[verdict];
}

static void diff_append_names(const struct smc_kernel_names *names,
                              const struct smc_diff_pair *pair, struct smc_text *out)
{
    const struct smc_inspect_kernel *kernel = diff_latest(pair)->kernel;
    smc_auto_text line = {0};
    smc_layout_begin(out, SMC_STRONG);
    smc_kernel_names_append(names, kernel->shown, out->style->columns, out);
    smc_layout_end(out);
    if (kernel->source_line) {
        smc_text_printf(&line, "%s:%u", kernel->source_file, kernel->source_line);
        smc_layout_paragraph(out, "", 2, smc_text_string(&line), out->style->columns);
    }
    if (pair->is_renamed) {
        smc_text_append(out, "  was ");
        smc_kernel_names_append(names, pair->before.kernel->shown, out->style->columns - 6, out);
    }
    if (pair->is_ambiguous)
        smc_layout_paragraph(out, "", 2, "one of several kernels with this name, matched in order",
                             out->style->columns);
}

/* The width of the longest device name, within limits. */
static int device_width(const struct smc_diff *diff)
{
    const int width = smc_overview_device_width(diff->device, diff->device_count, MOST_DEVICE);
    return width > LEAST_DEVICE ? width : LEAST_DEVICE;
}

static void append_pair(const struct smc_diff_pair *pair, int width, struct smc_text *out)
{
    smc_auto_text left = {0}, device = {0}, right = {0};
    smc_words_device(pair->device, &device);
    smc_text_append(&left, "  ");
    smc_text_cell(&left, smc_text_string(&device), -width);
    smc_words_difference(pair, &right);
    smc_layout_paragraph(out, smc_text_string(&left), (size_t)width + 3, smc_text_string(&right),
                         out->style->columns);
}

static bool begins_kernel(const struct smc_diff *diff, size_t i)
{
    return i == 0 || diff->pair[i - 1].group != diff->pair[i].group;
}

static size_t diff_end_of_kernel(const struct smc_diff *diff, size_t i)
{
    while (++i < diff->count && !begins_kernel(diff, i))
        ;
    return i;
}

/* The gravest verdict of a kernel among the devices on which it is listed; SMC_DIFF_VERDICT_COUNT:
   on none. */
static enum smc_diff_verdict verdict_of_kernel(const struct smc_diff *diff, size_t from, size_t end)
{
    enum smc_diff_verdict verdict = SMC_DIFF_VERDICT_COUNT;
    for (size_t i = from; i < end; i++)
        if (diff_is_listed(&diff->pair[i]) && diff->pair[i].verdict < verdict)
            verdict = diff->pair[i].verdict;
    return verdict;
}

static void diff_append_kernel(const struct smc_diff *diff, size_t from, size_t end,
                               const struct smc_kernel_names *names, struct smc_text *out)
{
    diff_append_names(names, &diff->pair[from], out);
    for (size_t i = from; i < end; i++)
        if (diff->pair[i].verdict < SMC_DIFF_SAME)
            append_pair(&diff->pair[i], device_width(diff), out);
}

/* Whether a list may end early: the worse ones are always complete. */
static bool is_limited(enum smc_diff_verdict verdict)
{
    return verdict > SMC_DIFF_WORSE;
}

static void append_section(const struct smc_diff *diff, enum smc_diff_verdict verdict,
                           const struct smc_kernel_names *names, struct smc_text *out)
{
    enum { MOST_LISTED = 50 };
    size_t listed = 0;
    for (size_t i = 0, end; i < diff->count; i = end) {
        end = diff_end_of_kernel(diff, i);
        if (verdict_of_kernel(diff, i, end) != verdict)
            continue;
        if (listed++ == 0)
            smc_text_printf(out, "\n%s\n", diff_heading_of(verdict));
        if (!is_limited(verdict) || listed <= MOST_LISTED)
            diff_append_kernel(diff, i, end, names, out);
    }
    if (is_limited(verdict) && listed > MOST_LISTED)
        smc_text_printf(out, "... and %zu more; --format csv lists all\n", listed - MOST_LISTED);
}

/* Which of all kernels have the same short name. */
static void diff_find_names(const struct smc_diff *diff, struct smc_kernel_names *names)
{
    smc_auto_free const char **shown = smc_calloc(2 * diff->count + 1, sizeof *shown);
    size_t count = 0;
    for (size_t i = 0, end; shown && i < diff->count; i = end) {
        end = diff_end_of_kernel(diff, i);
        shown[count++] = diff_latest(&diff->pair[i])->kernel->shown;
        if (diff->pair[i].is_renamed)
            shown[count++] = diff->pair[i].before.kernel->shown;
    }
    if (shown)
        smc_kernel_names_init(names, shown, count);
}

void smc_text_diff(const struct smc_diff *diff, struct smc_text *out)
{
    SMC_AUTO(smc_kernel_names_free) struct smc_kernel_names names = {0};
    struct smc_text line = {0};
    diff_append_headline(diff, &line);
    smc_layout_verdict(out, smc_diff_worse(diff) > diff->excused ? SMC_BAD : SMC_GOOD, &line);
    for (size_t i = 0; i < diff->note_count; i++) {
        struct smc_text note = {0};
        diff_append_note(diff, &diff->note[i], &note);
        smc_layout_text(out, 2, &note);
    }
    diff_find_names(diff, &names);
    for (int verdict = 0; verdict < SMC_DIFF_VERDICT_COUNT; verdict++)
        append_section(diff, (enum smc_diff_verdict)verdict, &names, out);
    if (diff->kernels[SMC_DIFF_SAME] > 0)
        smc_text_printf(out, "\n%zu kernel%s unchanged\n", diff->kernels[SMC_DIFF_SAME],
                        diff->kernels[SMC_DIFF_SAME] == 1 ? " is" : "s are");
}

/* --- Markdown --------------------------------------------------------------------------------- */

/* Code in a cell of a table: a bar would end the cell, a backtick the code. */
static void diff_append_code(const char *text, struct smc_text *out)
{
    smc_text_append_char(out, '`', 1);
    for (; *text; text++) {
        if (*text == '|')
            smc_text_append(out, "\\|");
        else
            smc_text_append_char(out, *text == '`' ? '\'' : *text, 1);
    }
    smc_text_append_char(out, '`', 1);
}

/* The short name unless another kernel has it, too. */
static void append_short_code(const struct smc_kernel_names *names, const char *shown,
                              struct smc_text *out)
{
    smc_auto_text name = {0}, flat = {0};
    smc_kernel_names_append(names, shown, SIZE_MAX, &name);
    smc_text_append_bytes(&flat, smc_text_string(&name), name.length ? name.length - 1 : 0);
    diff_append_code(smc_text_string(&flat), out);
}

/* Options come from files, so markup in them is escaped. */
static void diff_append_plain(const char *text, struct smc_text *out)
{
    for (char before = ' '; *text; before = *text++) {
        bool is_arrow = *text == '>' && before == '-';
        if (strchr("\\`*_{}[]#|~$!<>&@", *text) && !is_arrow)
            smc_text_append_char(out, '\\', 1);
        smc_text_append_char(out, *text, 1);
    }
}

static void append_markdown_row(const struct smc_diff_pair *pair,
                                const struct smc_kernel_names *names, struct smc_text *out)
{
    smc_text_append(out, "| ");
    append_short_code(names, diff_latest(pair)->kernel->shown, out);
    if (pair->is_renamed) {
        smc_text_append(out, " (was ");
        append_short_code(names, pair->before.kernel->shown, out);
        smc_text_append(out, ")");
    }
    smc_text_append(out, " | ");
    smc_words_device(pair->device, out);
    smc_text_append(out, " | ");
    if (pair->verdict < SMC_DIFF_SAME)
        smc_words_difference(pair, out);
    else
        smc_text_append(out, pair->verdict == SMC_DIFF_SAME      ? "renamed"
                             : pair->verdict == SMC_DIFF_REMOVED ? "removed"
                                                                 : "added");
    smc_text_append(out, " |\n");
}

/* The rows from one verdict to another, and how many were omitted. */
static void append_markdown_rows(const struct smc_diff *diff, enum smc_diff_verdict first,
                                 enum smc_diff_verdict last, const struct smc_kernel_names *names,
                                 struct smc_text *out)
{
    size_t left_out = 0;
    smc_text_append(out, "| kernel | device | change |\n|---|---|---|\n");
    for (size_t i = 0; i < diff->count; i++) {
        const struct smc_diff_pair *pair = &diff->pair[i];
        smc_auto_text row = {0};
        if (pair->verdict < first || pair->verdict > last || !diff_is_listed(pair))
            continue;
        append_markdown_row(pair, names, &row);
        if (out->length + row.length > SMC_LONGEST_COMMENT)
            left_out++;
        else
            smc_text_append(out, smc_text_string(&row));
    }
    smc_left_out(left_out, out);
}

static bool has_rows(const struct smc_diff *diff, enum smc_diff_verdict first,
                     enum smc_diff_verdict last)
{
    for (size_t i = 0; i < diff->count; i++)
        if (diff->pair[i].verdict >= first && diff->pair[i].verdict <= last &&
            diff_is_listed(&diff->pair[i]))
            return true;
    return false;
}

void smc_markdown_diff(const struct smc_diff *diff, struct smc_text *out)
{
    SMC_AUTO(smc_kernel_names_free) struct smc_kernel_names names = {0};
    smc_text_append(out, "### smemcalc: ");
    diff_append_headline(diff, out);
    smc_text_append(out, "\n\n");
    for (size_t i = 0; i < diff->note_count; i++) {
        smc_auto_text note = {0};
        diff_append_note(diff, &diff->note[i], &note);
        smc_text_append(out, "- ");
        diff_append_plain(smc_text_string(&note), out);
        smc_text_append(out, "\n");
    }
    smc_text_append(out, diff->note_count ? "\n" : "");
    diff_find_names(diff, &names);
    if (has_rows(diff, SMC_DIFF_CLIFF, SMC_DIFF_WORSE))
        append_markdown_rows(diff, SMC_DIFF_CLIFF, SMC_DIFF_WORSE, &names, out);
    if (has_rows(diff, SMC_DIFF_CHANGED, SMC_DIFF_ADDED)) {
        smc_text_append(out, "\n<details><summary>better, changed, added, removed"
                             "</summary>\n\n");
        append_markdown_rows(diff, SMC_DIFF_CHANGED, SMC_DIFF_ADDED, &names, out);
        smc_text_append(out, "\n</details>\n");
    }
}

/* --- Findings --------------------------------------------------------------------------------- */

/* The rule and the level of a pair's finding. */
static struct smc_check_finding diff_finding_of(const struct smc_diff_pair *pair, uint32_t failing)
{
    const struct smc_inspect_kernel *kernel = diff_latest(pair)->kernel;
    const char *rule = gravest(pair);
    uint32_t counting = pair->worse & ~pair->excused;
    enum smc_finding_level level = SMC_FINDING_NOTE;
    if (counting)
        level = counting & failing ? SMC_FINDING_ERROR : SMC_FINDING_WARNING;
    else if (!pair->before.kernel || !pair->after.kernel)
        rule = smc_check_rules[pair->after.kernel ? SMC_CHECK_ADDED : SMC_CHECK_REMOVED].name;
    else if (pair->is_renamed && !rule)
        rule = smc_check_rules[SMC_CHECK_RENAMED].name;
    return (struct smc_check_finding){
        .rule = rule,
        .level = level,
        .file = kernel->source_file ? kernel->source_file : (char *)kernel->file,
        .line = kernel->source_line,
        .kernel = kernel->shown,
        .device = (char *)pair->device->name,
    };
}

static void append_message(const struct smc_diff_pair *pair, struct smc_text *out)
{
    if (!pair->before.kernel || !pair->after.kernel) {
        smc_text_printf(out, "only in the %s build", pair->after.kernel ? "new" : "old");
        return;
    }
    if (pair->is_renamed)
        smc_text_printf(out, "was %s; ", pair->before.kernel->shown);
    smc_words_difference(pair, out);
}

bool smc_diff_findings(const struct smc_diff *diff, uint32_t failing, struct smc_findings *findings,
                       struct smc_judgements *judgements)
{
    bool done = true;
    for (size_t i = 0; i < diff->count && done; i++) {
        const struct smc_diff_pair *pair = &diff->pair[i];
        struct smc_check_finding finding = diff_finding_of(pair, failing);
        smc_auto_text message = {0};
        if (pair->before.kernel && pair->after.kernel)
            done = smc_judgements_add(judgements, finding.file, finding.kernel, finding.device);
        if (!finding.rule)
            continue;
        append_message(pair, &message);
        finding.message = (char *)smc_text_string(&message);
        done = done && !message.failed && smc_findings_add(findings, &finding);
    }
    return done;
}

/* --- JSON and CSV ----------------------------------------------------------------------------- */

static const char *note_key(enum smc_diff_note_kind kind)
{
    static const char *const keys[] = {
        [SMC_DIFF_NOTE_TOOLKIT] = "toolkit",
        [SMC_DIFF_NOTE_OPTIONS] = "compiler_options",
        [SMC_DIFF_NOTE_ARCHITECTURE] = "architecture",
        [SMC_DIFF_NOTE_ONLY_OLD] = "only_old",
        [SMC_DIFF_NOTE_ONLY_NEW] = "only_new",
        [SMC_DIFF_NOTE_SPILLS_UNKNOWN] = "spills_unknown",
        [SMC_DIFF_NOTE_BARRIERS_UNKNOWN] = "barriers_unknown",
        [SMC_DIFF_NOTE_DYNAMIC_SMEM_UNKNOWN] = "dynamic_smem_unknown",
        [SMC_DIFF_NOTE_RESEMBLING] = "resembling",
    };
    return keys[kind];
}

static json_t *json_notes(const struct smc_diff *diff)
{
    json_t *list = json_array();
    for (size_t i = 0; i < diff->note_count; i++) {
        const struct smc_diff_note *note = &diff->note[i];
        smc_auto_text text = {0};
        json_t *object = smc_json_add_object(list);
        diff_append_note(diff, note, &text);
        smc_json_string(object, "kind", note_key(note->kind));
        smc_json_string(object, "before", note->before);
        smc_json_string(object, "after", note->after);
        smc_json_integer(object, "kernels", note->count);
        smc_json_string(object, "text", smc_text_string(&text));
    }
    return list;
}

void smc_json_diff(json_t *root, const struct smc_diff *diff)
{
    json_t *object = json_object(), *counts = json_object(), *list = json_array();
    smc_json_integer(counts, "compared", diff->compared);
    for (int i = 0; i < SMC_DIFF_VERDICT_COUNT; i++)
        smc_json_integer(counts, smc_diff_verdict_name((enum smc_diff_verdict)i), diff->kernels[i]);
    smc_json_integer(counts, "renamed", diff->renamed);
    smc_json_set(object, "kernels", counts);
    smc_json_set(object, "notes", json_notes(diff));
    for (size_t i = 0; i < diff->count; i++)
        if (diff_is_listed(&diff->pair[i]))
            json_array_append_new(list, smc_fields_object(&pair_fields, &diff->pair[i]));
    smc_json_set(object, "changes", list);
    smc_json_set(root, "diff", object);
}

void smc_csv_diff(const struct smc_diff *diff, struct smc_text *out)
{
    smc_fields_csv_head(&pair_fields, out);
    for (size_t i = 0; i < diff->count; i++)
        if (diff_is_listed(&diff->pair[i]))
            smc_fields_csv_row(&pair_fields, &diff->pair[i], out);
}
