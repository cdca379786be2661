/* The user's own kernels, read from files: each with a line for each device and its next step, or
   checked against its launch bounds; as text, JSON and CSV. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "answers/selection.h"
#include "base/memory.h"
#include "code/names.h"
#include "show/report/overview.h"
#include "show/report/text_table.h"
#include "show/report/writers.h"

enum { LEAST_DEVICE = 13, STEPS_COLUMN = 6, VERDICT_COLUMN = 26 };

/* --- Fields ----------------------------------------------------------------------------------- */

static struct smc_value inspect_architecture_of(const struct smc_inspect_kernel *kernel)
{
    char text[SMC_INSPECT_ARCHITECTURE];
    return smc_value_copy(kernel->cc ? smc_architecture_name(kernel, text) : "");
}

static struct smc_value threads_source(enum smc_threads_source source)
{
    static const char *const names[] = {
        [SMC_THREADS_LISTED] = "listed",       [SMC_THREADS_GIVEN] = "given",
        [SMC_THREADS_RECORDED] = "recorded",   [SMC_THREADS_REQUIRED] = "required",
        [SMC_THREADS_BOUND] = "launch_bounds", [SMC_THREADS_ASSUMED] = "assumed",
        [SMC_THREADS_UNKNOWN] = "unknown",
    };
    return smc_value_string(names[source]);
}

static struct smc_value block_size(const struct smc_inspect_row *row)
{
    return SMC_VALUE_IF(row->threads_source != SMC_THREADS_UNKNOWN, row->launch.threads_per_block);
}

/* Whole numbers, one for each block size. */
static struct smc_value block_sizes(const struct smc_inspect_row *row)
{
    json_t *list = json_array();
    for (size_t i = 0; i < SMC_BLOCK_SIZES; i++)
        json_array_append_new(list, json_integer(row->sizes.blocks_per_sm[i]));
    return smc_value_json(list);
}

static struct smc_value settled(const struct smc_inspect_row *row, struct smc_value value)
{
    return SMC_VALUE_IF(smc_inspect_is_settled(row), value);
}

static struct smc_value inspect_loads(const struct smc_inspect_row *row)
{
    uint16_t cc = row->device->sm.cc;
    return SMC_VALUE_IF(row->kernel->cc != 0, smc_architecture_loads(row->kernel, cc));
}

/* Of a kernel, whatever the device. */
#define KERNEL_FIELDS(FIELD)                                                                       \
    FIELD("file", NULL, "", "the file that holds it", item->file)                                  \
    FIELD("name", NULL, "", "its name, demangled", item->shown)                                    \
    FIELD("mangled_name", NULL, "", "its name in the file", item->name)                            \
    FIELD("source", NULL, "", "the kind of file", smc_user_kernel_source_name(item->source))       \
    FIELD("compiled_for", NULL, "", "the architecture of its machine code",                        \
          inspect_architecture_of(item))                                                           \
    FIELD("max_threads_per_block", NULL, "threads", "its launch bound",                            \
          SMC_VALUE_IF(item->max_threads_per_block > 0, item->max_threads_per_block))              \
    FIELD("min_blocks_per_sm", NULL, "blocks", "the second value of its launch bounds",            \
          SMC_VALUE_IF(item->min_blocks_per_sm > 0, item->min_blocks_per_sm))                      \
    FIELD("uses_dynamic_smem", NULL, "",                                                           \
          "whether it has shared arrays whose size the launch gives",                              \
          SMC_VALUE_IF(item->dynamic_smem_known, item->uses_dynamic_smem))                         \
    FIELD("allocates_tensor_memory", NULL, "",                                                     \
          "whether it allocates Tensor Memory, as its PTX tells", item->allocates_tmem)            \
    FIELD("calls_unlinked", NULL, "",                                                              \
          "whether it calls functions that nvlink adds, so that its figures will grow",            \
          item->calls_unlinked)
SMC_FIELD_TABLE(kernel_fields, struct smc_inspect_kernel, KERNEL_FIELDS)

/* The kernel as compiled with a bound on its registers; absent if none was requested. */
static struct smc_value inspect_bounded(const struct smc_inspect_row *row)
{
    const struct smc_inspect_row *bounded = row->bounded;
    const struct smc_resources *resources = bounded ? &bounded->kernel->resources : NULL;
    const struct {
        const char *key;
        json_t *figure;
    } figures[] = {
        {"registers_per_thread", resources ? json_integer(resources->regs_per_thread) : NULL},
        {"spill_store_bytes", resources ? json_integer(resources->spill_store_bytes) : NULL},
        {"spill_load_bytes", resources ? json_integer(resources->spill_load_bytes) : NULL},
        {"blocks_per_sm", bounded ? json_integer(bounded->occupancy.blocks_per_sm) : NULL},
        {"occupancy_percent", bounded ? json_real(bounded->occupancy_percent) : NULL},
    };
    if (row->bound_regs == 0)
        return (struct smc_value){.kind = SMC_VALUE_ABSENT};
    json_t *object = json_pack("{sI}", "at_most", (json_int_t)row->bound_regs);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        json_object_set_new(object, figures[i].key,
                            figures[i].figure ? figures[i].figure : json_null());
    return smc_value_json(object);
}

/* Of a kernel on a device. */
#define ROW_FIELDS(FIELD)                                                                          \
    FIELD(NULL, "file", "", "the file that holds the kernel", item->kernel->file)                  \
    FIELD(NULL, "kernel", "", "its name, demangled", item->kernel->shown)                          \
    FIELD(NULL, "device", "", "the device it was answered for", item->device->name)                \
    FIELD("loads", NULL, "", "whether its machine code loads on the device", inspect_loads(item))  \
    FIELD("threads_per_block", NULL, "threads", "the block size", block_size(item))                \
    FIELD("threads_source", NULL, "", "where the block size is from",                              \
          threads_source(item->threads_source))                                                    \
    FIELD("registers_per_thread", "registers", "registers", "registers per thread",                \
          SMC_VALUE_IF(smc_inspect_regs_known(item), item->kernel->resources.regs_per_thread))     \
    FIELD("nvcc_may_differ", NULL, "",                                                             \
          "whether NVRTC counted the registers, and 8 more or fewer would change its blocks",      \
          smc_inspect_nvcc_may_differ(item))                                                       \
    FIELD("spill_store_bytes", "spill_stores", "bytes", "spill stores per thread",                 \
          SMC_VALUE_IF(item->kernel->has_spills, item->kernel->resources.spill_store_bytes))       \
    FIELD("spill_load_bytes", "spill_loads", "bytes", "spill loads per thread",                    \
          SMC_VALUE_IF(item->kernel->has_spills, item->kernel->resources.spill_load_bytes))        \
    FIELD("stack_bytes", NULL, "bytes", "stack frame per thread",                                  \
          SMC_VALUE_IF(item->kernel->has_stack && !item->kernel->resources.refused,                \
                       item->kernel->resources.stack_bytes))                                       \
    FIELD("static_smem_bytes", "static_smem", "bytes", "static shared memory per block",           \
          item->launch.static_smem_bytes)                                                          \
    FIELD("dynamic_smem_bytes", "dynamic_smem", "bytes",                                           \
          "dynamic shared memory per block, empty where used but not stated",                      \
          SMC_VALUE_IF(!item->dynamic_smem_unknown, item->launch.dynamic_smem_bytes))              \
    FIELD("barriers_per_block", "barriers", "barriers", "barriers per block",                      \
          SMC_VALUE_IF(item->kernel->has_barriers, item->kernel->resources.barriers))              \
    FIELD(NULL, "blocks_per_sm", "blocks", "resident blocks per SM",                               \
          SMC_VALUE_IF(smc_inspect_is_settled(item), item->occupancy.blocks_per_sm))               \
    FIELD(NULL, "warps_per_sm", "warps", "resident warps per SM",                                  \
          SMC_VALUE_IF(smc_inspect_is_settled(item), item->occupancy.warps_per_sm))                \
    FIELD(NULL, "occupancy_percent", "percent", "occupancy",                                       \
          settled(item, smc_value_real(item->occupancy_percent)))                                  \
    FIELD(NULL, "limiters", "", "the limits that bind",                                            \
          settled(item, smc_value_limiters(item->occupancy.limiters)))                             \
    FIELD(NULL, "threads", "threads", "the block size, empty where unknown", block_size(item))     \
    FIELD(NULL, "threads_source", "", "where the block size is from",                              \
          threads_source(item->threads_source))                                                    \
    FIELD("blocks_per_sm_by_warps", NULL, "blocks",                                                \
          "resident blocks per SM of blocks of 1 to 32 warps", block_sizes(item))                  \
    FIELD(                                                                                         \
        "best_threads_per_block", "best_threads", "threads",                                       \
        "the smallest block size of the highest occupancy",                                        \
        SMC_VALUE_IF(item->sizes.best_threads_per_block > 0, item->sizes.best_threads_per_block))  \
    FIELD("best_occupancy_percent", "best_occupancy_percent", "percent",                           \
          "the occupancy at that size",                                                            \
          SMC_VALUE_IF(item->sizes.best_threads_per_block > 0, item->sizes.best_percent))          \
    FIELD(NULL, "compiled_for", "", "the architecture of its machine code",                        \
          inspect_architecture_of(item->kernel))                                                   \
    FIELD(NULL, "loads", "", "whether its machine code loads on the device", inspect_loads(item))  \
    FIELD(NULL, "stack", "bytes", "stack frame per thread",                                        \
          SMC_VALUE_IF(item->kernel->has_stack && !item->kernel->resources.refused,                \
                       item->kernel->resources.stack_bytes))                                       \
    FIELD("parameter_bytes", "parameter_bytes", "bytes", "the kernel's parameters together",       \
          SMC_VALUE_IF(item->kernel->memory.is_known, item->kernel->memory.parameter_bytes))       \
    FIELD("constant_bytes", "constant_bytes", "bytes", "__constant__ variables of its module",     \
          SMC_VALUE_IF(item->kernel->memory.is_known, item->kernel->memory.constant_bytes))        \
    FIELD("global_bytes", "global_bytes", "bytes",                                                 \
          "__device__ variables of its module, with printf's texts",                               \
          SMC_VALUE_IF(item->kernel->memory.is_known, item->kernel->memory.global_bytes))          \
    FIELD("bank_accesses", NULL, "",                                                               \
          "accesses to shared memory in its PTX, and their bank conflicts",                        \
          smc_json_bank_accesses(item->banks ? &item->banks->accesses : NULL))                     \
    FIELD("bounded", NULL, "", "as compiled with the bound of --regs; absent without it",          \
          inspect_bounded(item))
SMC_FIELD_TABLE(row_fields, struct smc_inspect_row, ROW_FIELDS)

/* Of launch bounds on a device. */
#define BOUNDS_FIELDS(FIELD)                                                                       \
    FIELD(NULL, "file", "", "the file that holds the kernel", item->kernel->file)                  \
    FIELD(NULL, "kernel", "", "its name, demangled", item->kernel->shown)                          \
    FIELD("device", "device", "", "the device that it is checked for",                             \
          item->answer.query.device.name)                                                          \
    FIELD(NULL, "max_threads", "threads", "the launch bound",                                      \
          SMC_VALUE_IF(item->kernel->max_threads_per_block > 0,                                    \
                       item->kernel->max_threads_per_block))                                       \
    FIELD(NULL, "min_blocks", "blocks", "the second value of the launch bounds",                   \
          SMC_VALUE_IF(item->kernel->min_blocks_per_sm > 0, item->kernel->min_blocks_per_sm))      \
    FIELD("registers_per_thread", "registers", "registers", "registers per thread",                \
          SMC_VALUE_IF(item->regs_known, item->answer.launch.regs_per_thread))                     \
    FIELD("blocks_per_sm", "blocks_per_sm", "blocks",                                              \
          "resident blocks per SM of a block of that size",                                        \
          SMC_VALUE_IF(item->kernel->max_threads_per_block > 0,                                    \
                       item->answer.occupancy.blocks_per_sm))                                      \
    FIELD("limiters", "limiters", "", "the limits that bind",                                      \
          SMC_VALUE_IF(item->kernel->max_threads_per_block > 0,                                    \
                       smc_value_limiters(item->answer.occupancy.limiters)))                       \
    FIELD("verdict", "verdict", "", "whether the bounds hold",                                     \
          smc_promise_verdict_name(item->verdict))
SMC_FIELD_TABLE(bounds_fields, struct smc_inspect_promise, BOUNDS_FIELDS)

const struct smc_field_table smc_inspect_tables[] = {
    {"inspect", &row_fields},
    {"lint", &bounds_fields},
    {NULL, NULL},
};

/* --- Text ------------------------------------------------------------------------------------- */

static double inspect_percent_at(const struct smc_inspect_row *row, size_t warps_less_one)
{
    const struct smc_sm *sm = &row->device->sm;
    return 100.0 * row->sizes.blocks_per_sm[warps_less_one] * (double)(warps_less_one + 1) /
           sm->max_warps_per_sm;
}

static void inspect_find_names(const struct smc_inspect_rows *rows, struct smc_kernel_names *names)
{
    smc_auto_free const char **shown = smc_calloc(rows->count + 1, sizeof *shown);
    size_t count = 0;
    for (size_t i = 0; shown && i < rows->count; i++)
        if (smc_inspect_begins_kernel(rows, i))
            shown[count++] = rows->item[i].kernel->shown;
    smc_kernel_names_init(names, shown, count);
}

/* "LABEL x.cu (CUDA source)" */
static void inspect_append_file(const struct smc_inspect_kernel *kernel, const char *label,
                                struct smc_text *out)
{
    smc_auto_text line = {0};
    smc_text_printf(&line, "%s (%s)", kernel->file, smc_user_kernel_source_words(kernel->source));
    if (line.data)
        smc_utf8_make_safe(line.data);
    smc_layout_paragraph(out, label, *label ? strlen(label) + 1 : 0, smc_text_string(&line),
                         out->style->columns);
}

enum { DEVICE = 1, STACK = 4, COLUMNS = 10 };
struct inspect_columns {
    struct smc_text_column column[COLUMNS + 1];
};

static void append_numbers(const struct smc_inspect_row *row, struct smc_cells *cells)
{
    const struct smc_resources *resources = &row->kernel->resources;
    const bool settled = smc_inspect_is_settled(row);
    char regs[16] = "-", spills[32] = "-", stack[16] = "-", percent[32];
    if (smc_inspect_regs_known(row))
        snprintf(regs, sizeof regs, "%u", resources->regs_per_thread);
    if (row->kernel->has_spills && resources->spill_store_bytes + resources->spill_load_bytes == 0)
        snprintf(spills, sizeof spills, "0");
    else if (row->kernel->has_spills)
        snprintf(spills, sizeof spills, "%u+%u", resources->spill_store_bytes,
                 resources->spill_load_bytes);
    if (row->kernel->has_stack && !resources->refused)
        snprintf(stack, sizeof stack, "%u", resources->stack_bytes);
    smc_cells_add(cells, regs);
    smc_cells_add(cells, spills);
    smc_cells_add(cells, stack);
    smc_cells_printf(cells, "%u%s", row->launch.static_smem_bytes + row->launch.dynamic_smem_bytes,
                     row->dynamic_smem_unknown ? "+?" : "");
    if (row->threads_source == SMC_THREADS_UNKNOWN)
        smc_cells_add(cells, "?");
    else
        smc_cells_printf(cells, "%u%s", row->launch.threads_per_block,
                         row->threads_source == SMC_THREADS_ASSUMED ? "*" : "");
    smc_cells_printf(cells, settled ? "%u" : "?", row->occupancy.blocks_per_sm);
    smc_words_percent(row->occupancy_percent, percent);
    smc_cells_add(cells, settled ? percent : "?");
}

/* How reliable the figures are on a device that the code was not compiled for. */
static void append_architecture(const struct smc_inspect_row *row, struct smc_text *out)
{
    const struct smc_inspect_kernel *kernel = row->kernel;
    uint16_t cc = row->device->sm.cc;
    char architecture[SMC_INSPECT_ARCHITECTURE], line[96];
    if (kernel->cc == 0 || kernel->cc == cc)
        return;
    snprintf(line, sizeof line,
             smc_architecture_loads(kernel, cc)
                 ? "counted on machine code for %s"
                 : "estimated from machine code for %s, which this device cannot load",
             smc_architecture_name(kernel, architecture));
    smc_layout_paragraph(out, "", STEPS_COLUMN, line, out->style->columns);
}

/* --- Text: block sizes ------------------------------------------------------------------------ */

/* Occupancy at common block sizes. */
static void inspect_append_curve(const struct smc_inspect_row *row, struct smc_text *out)
{
    static const uint16_t shown[] = {32, 64, 128, 256, 384, 512, 768, 1024};
    struct smc_text line = {0};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        smc_text_printf(&line, "%s%u:%.0f%%", i ? " " : "", shown[i],
                        inspect_percent_at(row, shown[i] / 32 - 1));
    smc_layout_text(out, STEPS_COLUMN, &line);
}

/* All of them, as a picture where the terminal has one. */
static void append_sparkline(const struct smc_inspect_row *row, struct smc_text *out)
{
    static const char *const levels[] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                         "\u2585", "\u2586", "\u2587", "\u2588"};
    smc_text_append_char(out, ' ', STEPS_COLUMN);
    for (size_t i = 0; i < SMC_BLOCK_SIZES; i++)
        smc_text_append(out, levels[(int)ceil(inspect_percent_at(row, i) * 8 / 100)]);
    smc_text_append(out, " 32 to 1024 threads\n");
}

/* Whether blocks of i + 1 warps have the highest occupancy. */
static bool is_highest(const struct smc_inspect_row *row, size_t i)
{
    return i < SMC_BLOCK_SIZES && inspect_percent_at(row, i) >= smc_selection_highest_percent(row);
}

/* "64 to 256, 512": those block sizes. */
static void append_highest(const struct smc_inspect_row *row, struct smc_text *line)
{
    enum { MOST_RANGES = 6 };
    size_t ranges = 0;
    for (size_t i = 0; i < SMC_BLOCK_SIZES; i++) {
        size_t begin = i;
        if (!is_highest(row, i))
            continue;
        while (is_highest(row, i + 1))
            i++;
        if (ranges == MOST_RANGES)
            smc_text_append(line, ", ...");
        if (ranges++ >= MOST_RANGES)
            continue;
        smc_text_printf(line, "%s%zu", ranges > 1 ? ", " : "", 32 * (begin + 1));
        if (i > begin)
            smc_text_printf(line, "%s%zu", i > begin + 1 ? " to " : ", ", 32 * (i + 1));
    }
}

/* "best block size: 128 threads (50 %, 8 blocks), limited by registers; highest occupancy: 50 %
   with 64, 128, 256": the best may have a little less, in more blocks. */
static void inspect_append_best(const struct smc_inspect_row *row, struct smc_text *line)
{
    const struct smc_block_sizes *sizes = &row->sizes;
    const uint32_t best = sizes->best_threads_per_block;
    smc_auto_text highest = {0};
    char alone[16];
    smc_text_printf(line, "best block size: %u" SMC_TIE "threads (", best);
    smc_layout_percent(line, sizes->best_percent);
    smc_text_append(line, ", ");
    smc_words_blocks(sizes->blocks_per_sm[best / 32 - 1], line);
    smc_text_append(line, ")");
    if (smc_inspect_is_settled(row))
        return;
    smc_text_append(line, ", limited by ");
    smc_words_limiters(&row->occupancy, line);
    append_highest(row, &highest);
    snprintf(alone, sizeof alone, "%u", best);
    if (strcmp(smc_text_string(&highest), alone) != 0) {
        smc_text_append(line, "\nhighest occupancy: ");
        smc_layout_percent(line, smc_selection_highest_percent(row));
        smc_text_printf(line, " with %s", smc_text_string(&highest));
    }
}

/* Of a kernel that is compiled for clusters, or launched with them. */
static void inspect_append_clusters(const struct smc_answer *answer, struct smc_text *line)
{
    const struct smc_occupancy *occupancy = &answer->occupancy;
    if (answer->launch.blocks_per_cluster <= 1 || answer->outcome != SMC_LAUNCHES)
        return;
    smc_text_printf(line, "%sclusters of %u blocks", line->length > 0 ? "\n" : "",
                    answer->launch.blocks_per_cluster);
    if (occupancy->resident_clusters > 0)
        smc_text_printf(line, ": %s%" PRIu64 " at a time",
                        occupancy->clusters_are_bound ? "at most " : "",
                        occupancy->resident_clusters);
}

static void inspect_append_tensor_memory(const struct smc_inspect_row *row,
                                         const struct smc_answer *answer, struct smc_text *line)
{
    smc_auto_text memory = {0};
    smc_words_tensor_memory(answer, &memory);
    if (row->kernel->allocates_tmem && answer->launch.tmem_columns_per_block == 0)
        smc_text_append(&memory, "its columns are not known; --tmem-columns states them");
    if (memory.length > 0)
        smc_text_printf(line, "%sTensor Memory: %s", line->length > 0 ? "\n" : "",
                        smc_text_string(&memory));
}

/* If no block size is stated, the gains are those of the best one. */
static void inspect_append_steps(const struct smc_inspect_row *row, struct smc_text *out)
{
    const bool settled = smc_inspect_is_settled(row);
    smc_auto_text line = {0}, gains = {0}, call = {0};
    struct smc_answer answer;
    smc_inspect_complete(row, &answer);
    if (row->exceeds_bound)
        smc_text_printf(&line, "cannot launch: more threads than its __launch_bounds__ of %u",
                        row->kernel->max_threads_per_block);
    else if (answer.outcome != SMC_LAUNCHES)
        smc_words_failure(&answer, &line);
    else if (answer.occupancy.warps_per_sm < answer.query.device.sm.max_warps_per_sm)
        smc_text_gains(&answer, &gains);
    if (!settled || row->sizes.best_percent > answer.occupancy_percent) {
        smc_text_append(&line, line.length > 0 ? "\n" : "");
        inspect_append_best(row, &line);
    }
    smc_words_set_regs(&row->kernel->resources,
                       line.length > 0 ? "\nafter the launch " : "after the launch ", &line);
    inspect_append_clusters(&answer, &line);
    inspect_append_tensor_memory(row, &answer, &line);
    if (gains.length > 0)
        smc_text_printf(&line, "%s%s", line.length > 0 ? "\n" : "", smc_text_string(&gains));
    if (settled && smc_words_opt_in(&answer, row->kernel->shown, &call))
        smc_text_printf(&line, "%scall before the launch: %s", line.length > 0 ? "\n" : "",
                        smc_text_string(&call));
    smc_text_join_items(&line);
    if (line.length > 0)
        smc_layout_paragraph(out, "", STEPS_COLUMN, smc_text_string(&line), out->style->columns);
}

/* Only what needs attention: conflicts, and accesses that cannot be followed. */
static void append_banks(const struct smc_inspect_row *row, struct smc_text *out)
{
    struct smc_text line = {0};
    if (!row->banks)
        return;
    const struct smc_bank_accesses *accesses = &row->banks->accesses;
    if (accesses->worst < accesses->count || accesses->followed < accesses->counted)
        smc_words_bank_accesses(accesses, &line);
    smc_layout_text(out, STEPS_COLUMN, &line);
}

static void append_bounded(const struct smc_inspect_row *row, struct smc_text *line)
{
    const struct smc_inspect_row *bounded = row->bounded;
    const struct smc_resources *resources = &bounded->kernel->resources;
    char percent[32];
    if (resources->spill_store_bytes + resources->spill_load_bytes == 0)
        smc_text_append(line, "no spills, ");
    else
        smc_text_printf(line, "spills %u" SMC_TIE "B stored, %u" SMC_TIE "B loaded per thread, ",
                        resources->spill_store_bytes, resources->spill_load_bytes);
    smc_words_blocks(bounded->occupancy.blocks_per_sm, line);
    smc_words_percent(bounded->occupancy_percent, percent);
    smc_text_printf(line, " per SM (%s)", percent);
}

/* What a bound on the registers costs. */
static void inspect_append_bound(const struct smc_inspect_row *row, struct smc_text *out)
{
    struct smc_text line = {0};
    if (row->bound_regs == 0)
        return;
    smc_text_printf(&line, "at most %u" SMC_TIE "registers: ", row->bound_regs);
    if (row->bounded)
        append_bounded(row, &line);
    else
        smc_text_append(&line, row->kernel->max_threads_per_block > 0
                                   ? "not with -maxrregcount, as its __launch_bounds__ take "
                                     "precedence; 'limits' compiles those of each row"
                                   : "not compiled with -maxrregcount");
    smc_layout_text(out, STEPS_COLUMN, &line);
}

/* Devices have the width of the longest name, if it fits. */
static struct inspect_columns inspect_find_columns(const struct smc_inspect_rows *rows,
                                                   const struct smc_report_style *style)
{
    enum { LEAST_LIMITERS = 14, LEAST_WITH_STACK = 9 };
    struct inspect_columns columns = {{
        {"", 0, -2, false},
        [DEVICE] = {"device", 0, 0, false},
        {"regs", 1, 4, false},
        {"spills B", 1, 8, false},
        [STACK] = {"stack B", 1, 7, true},
        {"smem B", 1, 6, false},
        {"threads", 1, 7, false},
        {"blocks", 1, 6, false},
        {"occup.", 1, 7, false},
        {"limited by", 2, 0, false},
    }};
    for (size_t i = 0; i < rows->count; i++)
        columns.column[STACK].omitted &= !rows->item[i].kernel->has_stack ||
                                         rows->item[i].kernel->resources.refused ||
                                         rows->item[i].kernel->resources.stack_bytes == 0;
    const int taken = smc_columns_width(columns.column) +
                      (columns.column[STACK].omitted ? LEAST_LIMITERS : LEAST_WITH_STACK);
    const int width =
        smc_overview_device_width(rows->device, rows->device_count, (int)style->columns - taken);
    columns.column[DEVICE].width = width > LEAST_DEVICE ? -width : -LEAST_DEVICE;
    return columns;
}

static void inspect_append_row(const struct smc_inspect_row *row,
                               const struct inspect_columns *columns, struct smc_text *out)
{
    smc_auto_text left = {0}, right = {0}, device = {0};
    struct smc_cells cells = {columns->column, &left};
    smc_cells_add(&cells, smc_selection_row_loads(row) ? "" : "~");
    smc_words_device(row->device, &device);
    smc_cells_text(&cells, &device);
    append_numbers(row, &cells);
    if (row->outcome == SMC_LAUNCHES && smc_inspect_is_settled(row))
        smc_words_limiters(&row->occupancy, &right);
    smc_layout_paragraph(out, smc_text_string(&left), (size_t)smc_columns_width(columns->column),
                         smc_text_string(&right), out->style->columns);
    append_architecture(row, out);
    if (!smc_inspect_is_settled(row)) {
        inspect_append_curve(row, out);
        if (out->style->utf8)
            append_sparkline(row, out);
    }
    inspect_append_steps(row, out);
    inspect_append_bound(row, out);
    append_banks(row, out);
}

/* --- Text: the whole report ------------------------------------------------------------------- */

/* Why some rows have no spills. */
static const char *words_of_spills(bool machine_code, bool log)
{
    return machine_code && log ? "spills: not recorded in machine code and in these logs (ptxas -v "
                                 "prints them)"
           : log               ? "spills: not recorded in this log (ptxas -v prints them)"
                               : "spills: not recorded in machine code (ptxas -v prints them)";
}

static bool is_log(const struct smc_inspect_kernel *kernel)
{
    return kernel->source == SMC_INSPECT_PTXAS_LOG || kernel->source == SMC_INSPECT_NVLINK_LOG ||
           kernel->source == SMC_INSPECT_RES_USAGE;
}

/* What the signs in the tables mean. */
static void inspect_append_notes(const struct smc_inspect_rows *rows, bool only_worst,
                                 struct smc_text *out)
{
    bool estimated = false, more = false, assumed = false, unknown = false;
    bool several = false, spills = false;
    bool machine_code = false, log = false, negative = false, dynamic = false, nvrtc = false;
    for (size_t i = 0; i < rows->count; i++) {
        const struct smc_inspect_row *row = &rows->item[i];
        estimated |= !smc_selection_row_loads(row);
        more |= only_worst && !smc_inspect_begins_kernel(rows, i);
        several |= only_worst && row->outcome == SMC_LAUNCHES &&
                   row->occupancy.limiters & (row->occupancy.limiters - 1);
        spills |= smc_selection_spilled_bytes(row) > 0;
        nvrtc |= smc_inspect_nvcc_may_differ(row);
        assumed |= row->threads_source == SMC_THREADS_ASSUMED;
        unknown |= row->threads_source == SMC_THREADS_UNKNOWN;
        dynamic |= row->dynamic_smem_unknown;
        machine_code |= !row->kernel->has_spills && !is_log(row->kernel);
        negative |= !row->kernel->has_spills && row->kernel->spills_are_negative;
        log |= !row->kernel->has_spills && is_log(row->kernel) && !row->kernel->spills_are_negative;
    }
    const struct {
        bool applies;
        const char *sign, *words;
    } notes[] = {
        {estimated, "  ~", "estimated: the machine code does not load on the device"},
        {more, "  +",
         "so many more devices or architectures, on none of which it is worse: "
         "--verbose shows all"},
        {several, "  warps+", "warps, and other limits as well, which --verbose names"},
        {nvrtc, "  regs",
         "as NVRTC counts them: nvcc may count others, and 8 more or fewer change the blocks here"},
        {spills, "  spills B",
         only_worst ? "bytes per thread: in the table stores and loads together, below it stores + "
                      "loads"
                    : "bytes per thread, stores + loads"},
        {!inspect_find_columns(rows, out->style).column[STACK].omitted, "  stack B",
         "bytes per thread in local memory: local arrays, spilled registers, calls"},
        {assumed, "  *", "the block size of --assume-threads: the input does not state it"},
        {unknown, "  ?",
         "the input does not state the block size; state it with --threads N, "
         "--threads NAME=N or --assume-threads N"},
        {dynamic, "  +?", smc_overview_dynamic_smem},
        {machine_code || log, "  -", words_of_spills(machine_code, log)},
        {negative, "  -", "spills: unknown: the log counts them as negative"},
    };
    bool first = true;
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        if (!notes[i].applies)
            continue;
        smc_text_append(out, first ? "\n" : "");
        first = false;
        smc_layout_paragraph(out, notes[i].sign, strlen(notes[i].sign) + 1, notes[i].words,
                             out->style->columns);
    }
}

enum { MOST_WORST = 3 };

static bool inspect_has(const uint64_t *list, size_t count, uint64_t value)
{
    size_t i = 0;
    while (i < count && list[i] != value)
        i++;
    return i < count;
}

/* Those of the kernel that begins here; or the worst, and how many others there are. */
static void inspect_append_rows(const struct smc_inspect_rows *rows, size_t begin, bool only_worst,
                                struct smc_text *out)
{
    const struct smc_inspect_row *worst = &rows->item[begin];
    const struct inspect_columns columns = inspect_find_columns(rows, out->style);
    size_t end = begin;
    do {
        const struct smc_inspect_row *row = &rows->item[end++];
        if (smc_selection_is_worse(rows, row, worst))
            worst = row;
        if (!only_worst)
            inspect_append_row(row, &columns, out);
    } while (end < rows->count && !smc_inspect_begins_kernel(rows, end));
    if (!only_worst)
        return;
    inspect_append_row(worst, &columns, out);
    const size_t more = end - begin - 1;
    if (more > 0)
        smc_text_printf(out, "      +%zu more %s%s\n", more,
                        worst->device->sm_count > 0 ? "device" : "architecture",
                        smc_text_plural(more));
}

/* All kernels (SIZE_MAX), or the first `most` (up to MOST_WORST) of different templates, each where
   it is worst. */
static void inspect_append_kernels(const struct smc_inspect_rows *rows, size_t most,
                                   const struct smc_kernel_names *names, struct smc_text *out)
{
    const bool files = rows->summary.files > 1, all = most == SIZE_MAX;
    uint64_t families[MOST_WORST];
    size_t kernels = 0;
    const struct inspect_columns columns = inspect_find_columns(rows, out->style);
    smc_cells_headings((struct smc_cells){columns.column, out});
    for (size_t i = 0; i < rows->count && kernels < most; i++) {
        const struct smc_inspect_kernel *kernel = rows->item[i].kernel;
        struct smc_name name;
        if (!smc_inspect_begins_kernel(rows, i))
            continue;
        smc_name_parse(kernel->shown, &name);
        uint64_t family = smc_name_family(&name);
        if (!all && inspect_has(families, kernels, family))
            continue;
        if (!all)
            families[kernels] = family;
        kernels++;
        smc_layout_begin(out, SMC_STRONG);
        smc_kernel_names_append(names, kernel->shown, out->style->columns, out);
        smc_layout_end(out);
        if (files)
            inspect_append_file(kernel, "  in", out);
        inspect_append_rows(rows, i, !all, out);
    }
}

/* A line for each, those of the worst in full, and how to see more. */
static void append_overview(const struct smc_inspect_rows *rows,
                            const struct smc_kernel_names *names, struct smc_text *out)
{
    size_t left_out = smc_overview_table(rows, names, out);
    struct smc_text line = {0};
    if (!out->style->all_kernels) {
        smc_text_append(out, "\n");
        inspect_append_kernels(rows, MOST_WORST, names, out);
    }
    if (left_out > 0)
        smc_text_printf(&line, "%zu more kernel%s: ", left_out, smc_text_plural(left_out));
    if (!out->style->all_kernels)
        smc_text_append(&line, "--top all lists each, ");
    smc_text_append(&line, "--verbose shows each in full; --only, --kernel and --sort choose");
    smc_text_append(out, "\n");
    smc_layout_text(out, 0, &line);
}

/* Whether there is room for every kernel on every device. */
static bool fits_in_full(const struct smc_inspect_rows *rows)
{
    enum { MOST_KERNELS = 12, MOST_ROWS = 36 };
    const size_t kernels = smc_overview_kernels(rows);
    return kernels <= 1 || (kernels <= MOST_KERNELS && rows->count <= MOST_ROWS);
}

size_t smc_text_inspection(const struct smc_inspect_rows *rows, size_t first, struct smc_text *out)
{
    const struct smc_inspect_summary *summary = &rows->summary;
    const bool in_full = out->style->verbose || fits_in_full(rows);
    SMC_AUTO(smc_kernel_names_free) struct smc_kernel_names names = {0};
    (void)first;
    inspect_find_names(rows, &names);
    if (rows->count > 0 && summary->files <= 1)
        inspect_append_file(rows->item[0].kernel, "", out);
    if (summary->kernels > 1 || rows->count == 0)
        smc_overview_headline(rows, &names, out);
    smc_overview_strays(rows, out);
    if (rows->count > 0)
        smc_text_append(out, "\n");
    if (!in_full)
        append_overview(rows, &names, out);
    else if (rows->count > 0)
        inspect_append_kernels(rows, SIZE_MAX, &names, out);
    inspect_append_notes(rows, !in_full, out);
    if (rows->count == 1)
        smc_text_memory_of_row(&rows->item[0], out);
    return rows->count;
}

/* --- Text: launch bounds ---------------------------------------------------------------------- */

static bool begins_bounds(const struct smc_inspect_promises *promises, size_t i)
{
    const struct smc_inspect_kernel *kernel = promises->item[i].kernel;
    const struct smc_inspect_kernel *before = i > 0 ? promises->item[i - 1].kernel : NULL;
    return !before || before->file != kernel->file || before->version_hash != kernel->version_hash;
}

static void inspect_append_bounds(const struct smc_inspect_kernel *kernel, struct smc_text *out)
{
    const struct smc_kernel_names whole = {0};
    smc_layout_begin(out, SMC_STRONG);
    smc_kernel_names_append(&whole, kernel->shown, out->style->columns, out);
    smc_layout_end(out);
    if (kernel->max_threads_per_block == 0) {
        if (kernel->min_blocks_per_sm > 0)
            smc_text_printf(out, "  .minnctapersm %u\n", kernel->min_blocks_per_sm);
        else
            smc_text_append(out, "  __launch_bounds__ that the log does not show\n");
        return;
    }
    smc_text_printf(out, "  __launch_bounds__(%u", kernel->max_threads_per_block);
    if (kernel->min_blocks_per_sm)
        smc_text_printf(out, ", %u", kernel->min_blocks_per_sm);
    smc_text_append(out, ")\n");
}

/* Why the promise does not hold, or that it does. */
static void inspect_append_verdict(const struct smc_inspect_promise *promise, struct smc_text *out)
{
    const struct smc_answer *answer = &promise->answer;
    const struct smc_sm *sm = &answer->query.device.sm;
    uint32_t blocks = answer->occupancy.blocks_per_sm;
    switch (promise->verdict) {
    case SMC_PROMISE_HOLDS:
        smc_text_append(out, "holds: ");
        smc_words_blocks(blocks, out);
        if (promise->regs_known)
            smc_text_printf(out, " at %u registers", answer->launch.regs_per_thread);
        else
            smc_text_append(out, " at most (not compiled for it)");
        return;
    case SMC_PROMISE_UNKNOWN:
        smc_text_append(out, "cannot be checked: ");
        smc_words_blocks(blocks, out);
        if (promise->regs_known)
            smc_text_printf(out, " at %u registers", answer->launch.regs_per_thread);
        else
            smc_text_append(out, " at most");
        return;
    case SMC_PROMISE_FEWER_BLOCKS:
        smc_text_append(out, "BROKEN: ");
        smc_words_blocks(blocks, out);
        smc_text_append(out, ", limited by ");
        smc_words_limiters(&answer->occupancy, out);
        return;
    case SMC_PROMISE_IGNORED:
        if (promise->kernel->max_threads_per_block == 0 && promise->kernel->min_blocks_per_sm > 0)
            smc_text_append(out, "BROKEN: the compiler ignores it without .maxntid or .reqntid");
        else
            smc_text_printf(out,
                            "BROKEN: an SM holds %u threads and %u blocks; the compiler ignores it",
                            sm->max_threads_per_sm, sm->max_blocks_per_sm);
        return;
    case SMC_PROMISE_CANNOT_LAUNCH:
        smc_text_append(out, "BROKEN: ");
        smc_words_failure(answer, out);
        return;
    case SMC_PROMISE_VERDICT_COUNT:
        return;
    }
}

static void inspect_append_devices(const struct smc_inspect_promises *promises, size_t from,
                                   size_t to, struct smc_text *out)
{
    for (size_t i = from; i < to; i++) {
        const struct smc_device *device = &promises->item[i].answer.query.device;
        smc_text_append(out, i == from ? "  " : " ");
        if (device->sm_count)
            smc_text_append(out, device->name);
        else
            smc_text_printf(out, "%d.%d", device->sm.cc / 10, device->sm.cc % 10);
    }
}

/* Devices with the same verdict in a row share a line. */
static size_t append_same(const struct smc_inspect_promises *promises, size_t i,
                          struct smc_text *out)
{
    smc_auto_text verdict = {0}, left = {0};
    size_t end = i + 1;
    inspect_append_verdict(&promises->item[i], &verdict);
    for (; end < promises->count && end < i + 5 && !begins_bounds(promises, end); end++) {
        smc_auto_text next = {0};
        inspect_append_verdict(&promises->item[end], &next);
        bool same = strcmp(smc_text_string(&next), smc_text_string(&verdict)) == 0;
        if (!same)
            break;
    }
    inspect_append_devices(promises, i, end, &left);
    smc_layout_paragraph(out, smc_text_string(&left), VERDICT_COLUMN, smc_text_string(&verdict),
                         out->style->columns);
    return end;
}

void smc_text_promises(const struct smc_inspect_promises *promises, struct smc_text *out)
{
    size_t broken = 0, unknown = 0;
    for (size_t i = 0; i < promises->count;) {
        if (begins_bounds(promises, i)) {
            smc_text_append(out, i == 0 ? "" : "\n");
            inspect_append_bounds(promises->item[i].kernel, out);
        }
        i = append_same(promises, i, out);
    }
    for (size_t i = 0; i < promises->count; i++) {
        bool is_unknown = promises->item[i].verdict == SMC_PROMISE_UNKNOWN;
        unknown += is_unknown;
        broken += !is_unknown && promises->item[i].verdict != SMC_PROMISE_HOLDS;
    }
    if (promises->count > 0)
        smc_text_printf(out, "\n%zu of %zu promises are broken", broken, promises->count);
    if (unknown > 0)
        smc_text_printf(out, ", %zu unknown: machine code keeps the threads, not the blocks",
                        unknown);
    if (promises->count > 0)
        smc_text_append(out, "\n");
    if (promises->without_bounds > 0)
        smc_text_printf(out, "%zu kernel%s without __launch_bounds__, or the input keeps none\n",
                        promises->without_bounds, smc_text_plural(promises->without_bounds));
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void clear_members(json_t *object)
{
    const char *key;
    json_t *value;
    void *next;
    json_object_foreach_safe(object, next, key, value) if (json_is_object(value))
        clear_members(value);
    else if (strcmp(key, "outcome") != 0) json_object_set_new(object, key, json_null());
}

json_t *smc_json_inspected(const struct smc_inspect_row *row)
{
    json_t *object = json_object(), *kernel = json_object();
    struct smc_answer answer;
    smc_inspect_complete(row, &answer);
    smc_json_answer(object, &answer);
    if (!smc_inspect_is_settled(row)) { /* what follows from the block size is unknown, too */
        clear_members(json_object_get(object, "occupancy"));
        json_object_set_new(object, "next_steps", json_array());
    }
    smc_fields_json(&kernel_fields, row->kernel, kernel);
    smc_fields_json(&row_fields, row, kernel);
    smc_json_set(object, "kernel", kernel);
    if (row->exceeds_bound)
        smc_json_string(json_object_get(object, "occupancy"), "refusal_reason",
                        "cannot launch: more threads than its launch bounds allow");
    return object;
}

void smc_json_promises(json_t *root, const struct smc_inspect_promises *promises)
{
    json_t *list = json_array();
    for (size_t i = 0; i < promises->count; i++) {
        json_t *object = smc_json_add_object(list);
        smc_fields_json(&kernel_fields, promises->item[i].kernel, object);
        smc_fields_json(&bounds_fields, &promises->item[i], object);
    }
    smc_json_set(root, "launch_bounds", list);
}

/* --- CSV -------------------------------------------------------------------------------------- */

size_t smc_csv_inspection(const struct smc_inspect_rows *rows, size_t first, struct smc_text *out)
{
    size_t i = first;
    if (first == 0)
        smc_fields_csv_head(&row_fields, out);
    while (i < rows->count && (i == first || out->length < SMC_REPORT_PART))
        smc_fields_csv_row(&row_fields, &rows->item[i++], out);
    return i;
}

void smc_csv_promises(const struct smc_inspect_promises *promises, struct smc_text *out)
{
    smc_fields_csv_table(&bounds_fields, promises->item, promises->count, sizeof *promises->item,
                         out);
}
