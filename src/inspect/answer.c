/* Answers for kernels: which version of a kernel a device runs, with which launch, and whether the
   result meets the build's requirements. */
#include "inspect/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "inspect/names.h"
#include "model/choices.h"
#include "query/best.h"

/* Ranks machine code for `cc`. Like the driver, prefers the nearest architecture that loads, and
   for one architecture the more specific suffix. If none loads, the nearest substitutes for a
   compilation that does not exist yet. */
static unsigned suitability(const struct smc_inspect_kernel *kernel, uint16_t cc)
{
    enum { FARTHEST = 999, LOADS = 4 * FARTHEST, BELOW = 2 * FARTHEST };
    if (kernel->cc == 0)
        return 0;
    unsigned distance = kernel->cc > cc ? kernel->cc - cc : cc - kernel->cc;
    unsigned near = FARTHEST - (distance > FARTHEST ? FARTHEST : distance);
    unsigned special = kernel->suffix == 'a' ? 2 : kernel->suffix == 'f' ? 1 : 0;
    unsigned group = smc_inspect_loads(kernel, cc) ? LOADS : kernel->cc < cc ? BELOW : 0;
    return 3 * (group + near) + special + 1;
}

const struct smc_inspect_kernel *smc_inspect_best_version(const struct smc_inspect_kernels *kernels,
                                                          const struct smc_inspect_kernel *first,
                                                          uint16_t cc)
{
    const struct smc_inspect_kernel *best = first;
    for (const struct smc_inspect_kernel *k = first; k; k = smc_inspect_next_version(kernels, k))
        if (suitability(k, cc) > suitability(best, cc))
            best = k;
    return best;
}

static const struct smc_inspect_threads *find_listed(const struct smc_inspect_request *request,
                                                     const struct smc_inspect_kernel *kernel)
{
    for (size_t i = 0; i < request->threads_count; i++)
        if (smc_inspect_matches(kernel, request->threads[i].pattern))
            return &request->threads[i];
    return NULL;
}

/* Of what says the number, or else of the kernel's own bounds if they have this number. */
static void choose_block(const struct smc_inspect_request *request,
                         const struct smc_inspect_threads *listed, struct smc_inspect_row *row)
{
    static const uint32_t none[3];
    const uint32_t *own = row->kernel->block;
    const uint32_t *block = row->threads_source == SMC_THREADS_LISTED    ? listed->block
                            : row->threads_source == SMC_THREADS_GIVEN   ? request->block
                            : row->threads_source == SMC_THREADS_ASSUMED ? request->assumed_block
                                                                         : none;
    bool is_own = row->threads_source != SMC_THREADS_UNKNOWN && block[0] == 0 &&
                  own[0] * own[1] * own[2] == row->answer.plan.threads_per_block;
    memcpy(row->block, is_own ? own : block, sizeof row->block);
}

/* Needs row->sizes where nothing says the block size. */
static void choose_threads(const struct smc_inspect_request *request, struct smc_inspect_row *row)
{
    const struct smc_inspect_kernel *kernel = row->kernel;
    uint32_t *threads = &row->answer.plan.threads_per_block;
    const struct smc_inspect_threads *listed = find_listed(request, kernel);
    if (listed) {
        row->threads_source = SMC_THREADS_LISTED;
        *threads = listed->threads_per_block;
    } else if (request->threads_per_block != SMC_NOT_GIVEN) {
        row->threads_source = SMC_THREADS_GIVEN;
        *threads = (uint32_t)request->threads_per_block;
    } else if (kernel->recorded_threads_per_block > 0) {
        row->threads_source = SMC_THREADS_RECORDED;
        *threads = kernel->recorded_threads_per_block;
    } else if (kernel->required_threads_per_block > 0) {
        row->threads_source = SMC_THREADS_REQUIRED;
        *threads = kernel->required_threads_per_block;
    } else if (kernel->max_threads_per_block > 0) {
        row->threads_source = SMC_THREADS_BOUND;
        *threads = kernel->max_threads_per_block;
    } else if (request->assumed_threads_per_block > 0) {
        row->threads_source = SMC_THREADS_ASSUMED;
        *threads = request->assumed_threads_per_block;
    } else {
        row->threads_source = SMC_THREADS_UNKNOWN;
        *threads = row->sizes.best_threads_per_block;
        if (*threads == 0) /* the answer says why no size launches */
            *threads = row->answer.query.device.sm.warp_size;
    }
    choose_block(request, listed, row);
}

bool smc_inspect_is_settled(const struct smc_inspect_row *row)
{
    return row->threads_source != SMC_THREADS_UNKNOWN || row->sizes.best_threads_per_block == 0;
}

/* A kernel with launch bounds launches with no more threads, one with .reqntid with no others. */
static bool allows(const struct smc_inspect_kernel *kernel, uint32_t threads_per_block)
{
    uint32_t most = kernel->max_threads_per_block, only = kernel->required_threads_per_block;
    return (most == 0 || threads_per_block <= most) && (only == 0 || threads_per_block == only);
}

/* By the rules of `best` that apply to a kernel whose grid and work are unknown. */
static void choose_best(const struct smc_sm *sm, struct smc_block_sizes *sizes)
{
    struct smc_choice choices[SMC_BLOCK_SIZES] = {0};
    for (uint32_t i = 0; i < SMC_BLOCK_SIZES; i++) {
        uint32_t threads = (i + 1) * sm->warp_size, blocks = sizes->blocks_per_sm[i];
        double *value = choices[i].value;
        value[SMC_RULE_LAUNCHES] = blocks > 0;
        value[SMC_RULE_WARPS] = (i + 1) * blocks;
        value[SMC_RULE_SMALLEST] = threads >= SMC_BEST_SMALL_BLOCK;
        value[SMC_RULE_BLOCKS] = blocks;
        value[SMC_RULE_THREADS] = threads;
    }
    smc_choices_apply(choices, SMC_BLOCK_SIZES);
    for (uint32_t i = 0; i < SMC_BLOCK_SIZES; i++)
        if (choices[i].dropped_by == SMC_RULE_COUNT) {
            sizes->best_threads_per_block = (i + 1) * sm->warp_size;
            sizes->best_percent = 100.0 * (i + 1) * sizes->blocks_per_sm[i] / sm->max_warps_per_sm;
        }
}

static void find_sizes(const struct smc_inspect_kernel *kernel, const struct smc_sm *sm,
                       struct smc_launch launch, struct smc_block_sizes *sizes)
{
    for (uint32_t i = 0; i < SMC_BLOCK_SIZES; i++) {
        struct smc_occupancy occupancy;
        launch.threads_per_block = (i + 1) * sm->warp_size;
        if (!allows(kernel, launch.threads_per_block))
            continue;
        smc_occupancy_compute(sm, &launch, &occupancy);
        sizes->blocks_per_sm[i] = (uint16_t)occupancy.blocks_per_sm;
    }
    choose_best(sm, sizes);
}

/* A block that exceeds the launch bounds is refused, like one that exceeds the device's limit. */
static void conclude(struct smc_inspect_row *row)
{
    struct smc_answer *answer = &row->answer;
    uint32_t *most = &answer->query.device.sm.max_threads_per_block, of_device = *most;
    uint32_t bound = row->kernel->max_threads_per_block;
    row->exceeds_bound = bound > 0 && answer->launch.threads_per_block > bound;
    *most = row->exceeds_bound && bound < of_device ? bound : of_device;
    smc_query_conclude(answer);
    *most = of_device;
}

void smc_inspect_answer_one(const struct smc_inspect_kernel *kernel,
                            const struct smc_device *device,
                            const struct smc_inspect_request *request, struct smc_inspect_row *row)
{
    struct smc_answer *answer = &row->answer;
    *row = (struct smc_inspect_row){.kernel = kernel};
    smc_query_init(&answer->query);
    answer->query.device = *device;
    answer->query.settings = request->settings;
    answer->resources = kernel->resources;
    answer->regs_given = !kernel->resources.refused;
    if (kernel->smem_has_reserve)
        answer->resources.static_smem_bytes =
            smc_inspect_without_reserve(kernel->resources.static_smem_bytes, device->sm.cc);
    if (kernel->resources.refused)
        answer->resources.static_smem_bytes = kernel->resources.refused_smem_bytes;
    struct smc_launch *launch = &answer->launch;
    *launch = request->settings;
    launch->regs_per_thread = answer->regs_given ? answer->resources.regs_per_thread : 0;
    launch->static_smem_bytes = answer->resources.static_smem_bytes;
    launch->dynamic_smem_bytes = request->dynamic_smem_bytes;
    launch->barriers_per_block = kernel->has_barriers ? answer->resources.barriers : 1;
    if (kernel->blocks_per_cluster > 1)
        launch->blocks_per_cluster = kernel->blocks_per_cluster;
    if (answer->regs_given)
        find_sizes(kernel, &device->sm, *launch, &row->sizes);
    choose_threads(request, row);
    launch->threads_per_block = answer->plan.threads_per_block;
    conclude(row);
}

static enum smc_status add_row(const struct smc_inspect_kernel *kernel,
                               const struct smc_device *device,
                               const struct smc_inspect_request *request,
                               struct smc_inspect_rows *rows, struct smc_error *error)
{
    if (rows->count == rows->capacity) {
        size_t capacity = rows->capacity ? 2 * rows->capacity : 16;
        void *item = smc_realloc(rows->item, capacity * sizeof *rows->item);
        if (!item)
            return smc_out_of_memory(error);
        rows->item = item;
        rows->capacity = capacity;
    }
    smc_inspect_answer_one(kernel, device, request, &rows->item[rows->count++]);
    return SMC_OK;
}

static enum smc_status fail_architecture(const struct smc_inspect_kernel *kernel,
                                         struct smc_error *error)
{
    char architecture[SMC_INSPECT_ARCHITECTURE];
    struct smc_error reason = {""};
    smc_capability_fail(kernel->cc, "name a device with --device", SMC_USAGE, &reason);
    return smc_fail(error, SMC_USAGE, "%s: compiled for %s: %s", kernel->file,
                    smc_inspect_architecture(kernel, architecture), reason.message);
}

/* Answers for the architecture that the kernel was compiled for. */
static enum smc_status answer_own(const struct smc_inspect_kernel *kernel,
                                  const struct smc_inspect_request *request,
                                  struct smc_inspect_rows *rows, struct smc_error *error)
{
    struct smc_capability capability;
    struct smc_device device;
    if (kernel->cc == 0)
        return smc_fail(error, SMC_USAGE,
                        "%s: it does not say what it was compiled for; name that with --device",
                        kernel->file);
    if (!smc_capability_find(kernel->cc, &capability))
        return fail_architecture(kernel, error);
    smc_device_of_capability(&capability, &device);
    return add_row(kernel, &device, request, rows, error);
}

static enum smc_status answer_versions(const struct smc_inspect_kernels *kernels,
                                       const struct smc_inspect_kernel *first,
                                       const struct smc_inspect_request *request,
                                       struct smc_inspect_rows *rows, struct smc_error *error)
{
    enum smc_status status = SMC_OK, failed;
    for (size_t i = 0; i < request->device_count && status == SMC_OK; i++) {
        const struct smc_device *device = &request->devices[i];
        const struct smc_inspect_kernel *best =
            smc_inspect_best_version(kernels, first, device->sm.cc);
        /* Two kernels with the same name and architecture are different kernels, not versions of
           one. */
        for (const struct smc_inspect_kernel *k = first; k && status == SMC_OK;
             k = smc_inspect_next_version(kernels, k))
            if (k->cc == best->cc && k->suffix == best->suffix)
                status = add_row(k, device, request, rows, error);
    }
    if (request->device_count > 0)
        return status;
    for (const struct smc_inspect_kernel *k = first; k; k = smc_inspect_next_version(kernels, k))
        if ((failed = answer_own(k, request, rows, error)) != SMC_OK)
            status = failed;
    return status;
}

/* --- Kernels by name -------------------------------------------------------------------------- */

bool smc_inspect_is_asked(const struct smc_inspect_kernel *kernel,
                          const struct smc_inspect_request *request)
{
    for (size_t i = 0; i < request->pattern_count; i++)
        if (smc_inspect_matches(kernel, request->patterns[i]))
            return true;
    return request->pattern_count == 0;
}

enum smc_status smc_inspect_check_pattern(const struct smc_inspect_kernels *kernels,
                                          const char *option, const char *pattern,
                                          struct smc_error *error)
{
    enum { LONGEST = 128 };
    char near[LONGEST] = "", last[LONGEST], where[64];
    struct smc_suggestion suggestion = {.typed = pattern};
    for (size_t i = 0; i < kernels->count; i++) {
        struct smc_name name;
        if (smc_inspect_matches(&kernels->item[i], pattern))
            return SMC_OK;
        smc_name_parse(kernels->item[i].shown, &name);
        snprintf(last, sizeof last, "%.*s", (int)(name.arguments - name.last),
                 name.begin + name.last);
        smc_suggest_consider(&suggestion, last);
        if (suggestion.best == last) {
            memcpy(near, last, sizeof near);
            suggestion.best = near;
        }
    }
    snprintf(where, sizeof where, "option --%s", option);
    return smc_suggest_fail(&suggestion, where, "kernel", "no kernel of the input has this name",
                            error);
}

enum smc_status smc_inspect_answer(const struct smc_inspect_kernels *kernels,
                                   const struct smc_inspect_request *request,
                                   struct smc_inspect_rows *rows, struct smc_error *error)
{
    enum smc_status worst = SMC_OK;
    for (size_t i = 0; i < kernels->count && worst != SMC_MACHINE; i++) {
        if (!smc_inspect_is_asked(&kernels->item[i], request) || !smc_inspect_is_first(kernels, i))
            continue;
        enum smc_status status = answer_versions(kernels, &kernels->item[i], request, rows, error);
        worst = status == SMC_OK ? worst : status;
    }
    return worst;
}

void smc_inspect_rows_free(struct smc_inspect_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        smc_inspect_banks_release(rows->item[i].banks);
    free(rows->item);
    *rows = (struct smc_inspect_rows){0};
}

/* --- What a build requires of its kernels ----------------------------------------------------- */

static void append_line(const struct smc_inspect_row *row, const char *shortfall,
                        struct smc_text *out)
{
    smc_text_safe_line(out, "%s: %s on %s: %s", row->kernel->file, row->kernel->shown,
                       row->answer.query.device.name, shortfall);
}

/* Why the requirements cannot be checked for this row, or NULL. */
static const char *reason_unknown(const struct smc_inspect_row *row)
{
    if (row->answer.outcome == SMC_CANNOT_COMPILE)
        return "cannot compile";
    if (row->answer.launch.regs_per_thread == 0)
        return "its registers are unknown";
    return smc_inspect_loads(row->kernel, row->answer.query.device.sm.cc)
               ? NULL
               : "its machine code does not load there";
}

/* In words; empty if the row meets the requirements, as far as they can be judged. */
struct shortfall {
    char occupancy[80], blocks[80], registers[80];
};

static void find_shortfall(const struct smc_inspect_row *row, const struct smc_requirements *need,
                           struct shortfall *found)
{
    const struct smc_answer *answer = &row->answer;
    uint32_t blocks = answer->occupancy.blocks_per_sm, regs = answer->launch.regs_per_thread;
    bool settled = smc_inspect_is_settled(row);
    *found = (struct shortfall){"", "", ""};
    if (settled && answer->occupancy_percent < need->occupancy_percent)
        snprintf(found->occupancy, sizeof found->occupancy,
                 "occupancy %.4g %%, but %.4g %% is required", answer->occupancy_percent,
                 need->occupancy_percent);
    if (settled && blocks < need->blocks_per_sm)
        snprintf(found->blocks, sizeof found->blocks, "%u block%s per SM, but %u required", blocks,
                 smc_text_plural(blocks), need->blocks_per_sm);
    if (need->registers_at_most && regs > need->registers_at_most)
        snprintf(found->registers, sizeof found->registers,
                 "%u registers per thread, but at most %u allowed", regs, need->registers_at_most);
}

static bool requires_launch(const struct smc_requirements *need)
{
    return need->occupancy_percent > 0 || need->blocks_per_sm > 0;
}

static bool requires_anything(const struct smc_requirements *need)
{
    return requires_launch(need) || need->registers_at_most > 0;
}

bool smc_inspect_meets(const struct smc_inspect_row *row, const struct smc_requirements *need)
{
    struct shortfall shortfall;
    if (!requires_anything(need))
        return true;
    find_shortfall(row, need, &shortfall);
    return !reason_unknown(row) && !shortfall.occupancy[0] && !shortfall.blocks[0] &&
           !shortfall.registers[0];
}

static void append_shortfall(const struct smc_inspect_row *row, const struct smc_requirements *need,
                             struct smc_text *out)
{
    struct shortfall shortfall;
    const char *unknown = reason_unknown(row);
    if (unknown) {
        append_line(row, unknown, out);
        return;
    }
    find_shortfall(row, need, &shortfall);
    if (shortfall.occupancy[0])
        append_line(row, shortfall.occupancy, out);
    if (shortfall.blocks[0])
        append_line(row, shortfall.blocks, out);
    if (shortfall.registers[0])
        append_line(row, shortfall.registers, out);
}

static enum smc_status fail_unsettled(const struct smc_requirements *requirements,
                                      const struct smc_inspect_row *first, size_t count, size_t all,
                                      struct smc_error *error)
{
    const char *option =
        requirements->occupancy_percent > 0 ? "require-occupancy" : "require-blocks";
    return smc_fail(error, SMC_USAGE,
                    "option --%s: the block size of %zu of %zu answers is unknown, the first for "
                    "%.200s; state it with --threads NAME=N, or --assume-threads N for all",
                    option, count, all, first->kernel->shown);
}

enum smc_status smc_inspect_require(const struct smc_inspect_rows *rows,
                                    const struct smc_requirements *requirements,
                                    struct smc_text *shortfalls, struct smc_error *error)
{
    const size_t before = shortfalls->length;
    const struct smc_inspect_row *first_unsettled = NULL;
    size_t unsettled = 0;
    for (size_t i = 0; i < rows->count && requires_anything(requirements); i++) {
        const struct smc_inspect_row *row = &rows->item[i];
        append_shortfall(row, requirements, shortfalls);
        if (!smc_inspect_is_settled(row) && !reason_unknown(row))
            first_unsettled = unsettled++ == 0 ? row : first_unsettled;
    }
    if (unsettled > 0 && requires_launch(requirements))
        return fail_unsettled(requirements, first_unsettled, unsettled, rows->count, error);
    return shortfalls->length > before ? SMC_SHORTFALL : SMC_OK;
}
