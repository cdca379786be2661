/* Answers for kernels: which version of a kernel a device runs, and with which launch. */
#include "answers/inspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse.h"
#include "code/names.h"
#include "rules/allocation.h"

/* What is stated of the kernel by its name; NULL: nothing. */
static const struct smc_stated *find_stated(const struct smc_inspect_request *request,
                                            enum smc_stated_kind kind,
                                            const struct smc_inspect_kernel *kernel)
{
    const struct smc_stated_list *list = &request->stated[kind];
    for (size_t i = 0; i < list->count; i++)
        if (smc_name_matches_kernel(kernel, list->item[i].pattern))
            return &list->item[i];
    return NULL;
}

/* The shape that was stated with the number of threads, or else that of the kernel's own bounds if
   it has this number. */
static void inspect_answer_choose_block(const struct smc_inspect_request *request,
                                        const struct smc_stated *listed,
                                        struct smc_inspect_row *row)
{
    static const uint32_t none[3];
    const uint32_t *own = row->kernel->block;
    const uint32_t *block = row->threads_source == SMC_THREADS_LISTED    ? listed->block
                            : row->threads_source == SMC_THREADS_GIVEN   ? request->block
                            : row->threads_source == SMC_THREADS_ASSUMED ? request->assumed_block
                                                                         : none;
    bool is_own = row->threads_source != SMC_THREADS_UNKNOWN && block[0] == 0 &&
                  own[0] * own[1] * own[2] == row->launch.threads_per_block;
    memcpy(row->block, is_own ? own : block, sizeof row->block);
    memcpy(row->launch.block, row->block, sizeof row->block);
}

/* If the block size is unknown, row->sizes must be set. */
static void choose_threads(const struct smc_inspect_request *request, struct smc_inspect_row *row)
{
    const struct smc_inspect_kernel *kernel = row->kernel;
    uint32_t *threads = &row->launch.threads_per_block;
    const struct smc_stated *listed = find_stated(request, SMC_STATED_THREADS, kernel);
    if (listed) {
        row->threads_source = SMC_THREADS_LISTED;
        *threads = listed->number;
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
            *threads = row->device->sm.warp_size;
    }
    inspect_answer_choose_block(request, listed, row);
}

/* A size that is given for all kernels does not count for those known to use none; that of a launch
   does. */
static void choose_dynamic_smem(const struct smc_inspect_request *request,
                                struct smc_inspect_row *row)
{
    const struct smc_inspect_kernel *kernel = row->kernel;
    uint32_t *bytes = &row->launch.dynamic_smem_bytes;
    const bool uses_none =
        request->dynamic_smem_given && kernel->dynamic_smem_known && !kernel->uses_dynamic_smem;
    const struct smc_stated *listed = find_stated(request, SMC_STATED_DYNAMIC_SMEM, kernel);
    *bytes = listed ? listed->number : uses_none ? 0 : request->dynamic_smem_bytes;
    row->dynamic_smem_unknown =
        !listed && kernel->uses_dynamic_smem && !request->dynamic_smem_given;
}

bool smc_inspect_records_bounds(const struct smc_inspect_kernel *kernel)
{
    return kernel->source != SMC_INSPECT_PTXAS_LOG && kernel->source != SMC_INSPECT_NVLINK_LOG &&
           kernel->source != SMC_INSPECT_RES_USAGE;
}

bool smc_inspect_is_same(const struct smc_inspect_row *a, const struct smc_inspect_row *b)
{
    return a->kernel->file == b->kernel->file && a->kernel->version_hash == b->kernel->version_hash;
}

bool smc_inspect_begins_kernel(const struct smc_inspect_rows *rows, size_t i)
{
    return i == 0 || !smc_inspect_is_same(&rows->item[i - 1], &rows->item[i]);
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

/* By those rules of `best` that need neither the grid nor the work. */
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

/* The device's SM, on which a block that exceeds the launch bounds is refused like one that exceeds
   the device's limit. */
static struct smc_sm bounded_sm(const struct smc_inspect_row *row)
{
    struct smc_sm sm = row->device->sm;
    if (row->exceeds_bound && row->kernel->max_threads_per_block < sm.max_threads_per_block)
        sm.max_threads_per_block = row->kernel->max_threads_per_block;
    return sm;
}

static void inspect_answer_conclude(struct smc_inspect_row *row)
{
    uint32_t bound = row->kernel->max_threads_per_block;
    row->exceeds_bound = bound > 0 && row->launch.threads_per_block > bound;
    const struct smc_sm sm = bounded_sm(row);
    const struct smc_device *device = row->device;
    smc_launch_check(&sm, device->sm_count, &device->sm_groups, &row->launch, &row->occupancy);
    row->occupancy_percent = smc_occupancy_percent(&sm, &row->occupancy);
    row->outcome = smc_outcome_of(&row->kernel->resources, &row->occupancy);
}

static uint32_t static_smem_of(const struct smc_inspect_kernel *kernel, uint16_t cc)
{
    const struct smc_resources *resources = &kernel->resources;
    if (resources->refused)
        return resources->refused_smem_bytes;
    return kernel->smem_has_reserve
               ? smc_architecture_without_reserve(resources->static_smem_bytes, cc)
               : resources->static_smem_bytes;
}

bool smc_inspect_regs_known(const struct smc_inspect_row *row)
{
    return !row->kernel->resources.refused;
}

bool smc_inspect_nvcc_may_differ(const struct smc_inspect_row *row)
{
    enum { UNIT = 8 };
    const struct smc_sm sm = bounded_sm(row);
    struct smc_launch launch = row->launch;
    const uint32_t registers = launch.regs_per_thread;
    struct smc_occupancy counted, other;
    if (row->kernel->source != SMC_INSPECT_NVRTC || !smc_inspect_regs_known(row))
        return false;
    if (!smc_inspect_is_settled(row))
        launch.threads_per_block = row->sizes.best_threads_per_block;
    smc_occupancy_compute(&sm, &launch, &counted);
    for (int sign = -1; sign <= 1; sign += 2) {
        launch.regs_per_thread = sign > 0           ? registers + UNIT
                                 : registers > UNIT ? registers - UNIT
                                                    : 1;
        if (launch.regs_per_thread > sm.max_regs_per_thread)
            continue;
        smc_occupancy_compute(&sm, &launch, &other);
        if (other.blocks_per_sm != counted.blocks_per_sm)
            return true;
    }
    return false;
}

void smc_inspect_answer_one(const struct smc_inspect_kernel *kernel,
                            const struct smc_device *device,
                            const struct smc_inspect_request *request, struct smc_inspect_row *row)
{
    *row = (struct smc_inspect_row){.kernel = kernel, .device = device};
    const bool regs_known = smc_inspect_regs_known(row);
    struct smc_launch *launch = &row->launch;
    *launch = request->settings;
    launch->regs_per_thread = regs_known ? kernel->resources.regs_per_thread : 0;
    launch->static_smem_bytes = static_smem_of(kernel, device->sm.cc);
    launch->static_smem_compiled = regs_known;
    choose_dynamic_smem(request, row);
    launch->barriers_per_block = kernel->has_barriers ? kernel->resources.barriers : 1;
    if (kernel->blocks_per_cluster > 1)
        launch->blocks_per_cluster = kernel->blocks_per_cluster;
    if (launch->tmem_columns_per_block == 0)
        launch->tmem_columns_per_block = kernel->tmem_columns;
    if (regs_known)
        find_sizes(kernel, &device->sm, *launch, &row->sizes);
    choose_threads(request, row);
    inspect_answer_conclude(row);
}

void smc_inspect_complete(const struct smc_inspect_row *row, struct smc_answer *answer)
{
    *answer = (struct smc_answer){
        .plan.threads_per_block = row->launch.threads_per_block,
        .resources = row->kernel->resources,
        .regs_given = smc_inspect_regs_known(row),
        .launch = row->launch,
    };
    smc_query_init(&answer->query);
    answer->query.device = *row->device;
    answer->query.device.sm = bounded_sm(row);
    answer->query.settings = row->launch;
    answer->resources.static_smem_bytes = row->launch.static_smem_bytes;
    smc_query_conclude(answer);
    answer->query.device.sm = row->device->sm;
}

static enum smc_status inspect_answer_add_row(const struct smc_inspect_kernel *kernel,
                                              const struct smc_device *device,
                                              const struct smc_inspect_request *request,
                                              struct smc_inspect_rows *rows,
                                              struct smc_error *error)
{
    if (!smc_make_room(&rows->item, rows->count, &rows->capacity, sizeof *rows->item))
        return smc_out_of_memory(error);
    smc_inspect_answer_one(kernel, device, request, &rows->item[rows->count++]);
    return SMC_OK;
}

static enum smc_status fail_architecture(const struct smc_inspect_kernel *kernel,
                                         struct smc_error *error)
{
    char architecture[SMC_INSPECT_ARCHITECTURE];
    smc_capability_fail(kernel->cc, "name a device with --device", SMC_USAGE, error);
    return smc_fail_in(error, SMC_USAGE, "%s: compiled for %s", kernel->file,
                       smc_architecture_name(kernel, architecture));
}

/* Answers for the architecture that the kernel was compiled for. */
static enum smc_status answer_own(const struct smc_inspect_kernel *kernel,
                                  const struct smc_inspect_request *request,
                                  struct smc_inspect_rows *rows, struct smc_error *error)
{
    if (kernel->cc == 0)
        return smc_fail(error, SMC_USAGE,
                        "%s: it does not say what it was compiled for; name that with --device",
                        kernel->file);
    for (size_t i = 0; i < rows->device_count; i++)
        if (rows->device[i].sm.cc == kernel->cc)
            return inspect_answer_add_row(kernel, &rows->device[i], request, rows, error);
    return fail_architecture(kernel, error);
}

static int compare_capabilities(const void *a, const void *b)
{
    const struct smc_inspect_row *x = a, *y = b;
    if (x->device->sm.cc != y->device->sm.cc)
        return x->device->sm.cc < y->device->sm.cc ? -1 : 1;
    return (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

/* On what they were compiled for, by compute capability. */
static enum smc_status answer_own_versions(const struct smc_inspect_kernels *kernels,
                                           const struct smc_inspect_kernel *first,
                                           const struct smc_inspect_request *request,
                                           struct smc_inspect_rows *rows, struct smc_error *error)
{
    enum smc_status status = SMC_OK, failed;
    const size_t begin = rows->count;
    for (const struct smc_inspect_kernel *k = first; k;
         k = smc_user_kernels_next_version(kernels, k))
        if ((failed = answer_own(k, request, rows, error)) != SMC_OK)
            status = failed;
    if (rows->count > begin)
        qsort(rows->item + begin, rows->count - begin, sizeof *rows->item, compare_capabilities);
    return status;
}

static enum smc_status answer_versions(const struct smc_inspect_kernels *kernels,
                                       const struct smc_inspect_kernel *first,
                                       const struct smc_inspect_request *request,
                                       struct smc_inspect_rows *rows, struct smc_error *error)
{
    if (request->device_count == 0)
        return answer_own_versions(kernels, first, request, rows, error);
    for (size_t i = 0; i < request->device_count; i++) {
        const struct smc_device *device = &rows->device[i];
        const struct smc_inspect_kernel *best =
            smc_user_kernels_best_version(kernels, first, device->sm.cc);
        /* Two kernels with the same name and architecture are different kernels, not versions of
           one. */
        for (const struct smc_inspect_kernel *k = first; k;
             k = smc_user_kernels_next_version(kernels, k))
            if (k->cc == best->cc && k->suffix == best->suffix)
                SMC_TRY(inspect_answer_add_row(k, device, request, rows, error));
    }
    return SMC_OK;
}

/* --- Kernels by name -------------------------------------------------------------------------- */

void smc_inspect_consider(const struct smc_inspect_kernel *kernel, struct smc_inspect_near *near)
{
    struct smc_suggestion suggestion = {
        .typed = near->pattern,
        .best = near->name[0] ? near->name : NULL,
        .distance = near->distance,
    };
    char last[sizeof near->name];
    struct smc_name name;
    smc_name_parse(kernel->shown, &name);
    snprintf(last, sizeof last, "%.*s", (int)(name.arguments - name.last), name.begin + name.last);
    smc_suggest_consider(&suggestion, last);
    if (suggestion.best != last)
        return;
    memcpy(near->name, last, sizeof near->name);
    near->distance = suggestion.distance;
}

enum smc_status smc_inspect_check_pattern(const struct smc_inspect_kernels *kernels,
                                          const char *option, const char *pattern,
                                          struct smc_error *error)
{
    char where[64];
    struct smc_inspect_near near = {.pattern = pattern};
    struct smc_suggestion suggestion = {.typed = pattern};
    for (size_t i = 0; i < kernels->count; i++) {
        if (smc_name_matches_kernel(&kernels->item[i], pattern))
            return SMC_OK;
        smc_inspect_consider(&kernels->item[i], &near);
    }
    suggestion.best = near.name[0] ? near.name : NULL;
    snprintf(where, sizeof where, "option --%s", option);
    smc_auto_text hint = {0};
    smc_text_append(&hint, "the input has ");
    smc_entries_list(kernels, &hint);
    return smc_suggest_fail(
        &suggestion, where, "kernel",
        hint.failed ? "no kernel of the input has this name" : smc_text_string(&hint), error);
}

/* Those that rows point to: the rows may outlive the request. */
static bool copy_devices(const struct smc_inspect_request *request, struct smc_inspect_rows *rows)
{
    const bool named = request->device_count > 0;
    struct smc_capability capability;
    rows->device_count = named ? request->device_count : smc_capability_count();
    rows->device = smc_calloc(rows->device_count, sizeof *rows->device);
    for (size_t i = 0; rows->device && i < rows->device_count; i++) {
        if (named) {
            rows->device[i] = request->devices[i];
        } else {
            smc_capability_at(i, &capability);
            smc_device_of_capability(&capability, &rows->device[i]);
        }
    }
    return rows->device != NULL;
}

enum smc_status smc_inspect_answer(const struct smc_inspect_kernels *kernels,
                                   const struct smc_inspect_request *request,
                                   struct smc_inspect_rows *rows, struct smc_error *error)
{
    enum smc_status worst = SMC_OK;
    if (!copy_devices(request, rows))
        return smc_out_of_memory(error);
    for (size_t i = 0; i < kernels->count && worst != SMC_MACHINE; i++) {
        if (!smc_user_kernel_is_requested(&kernels->item[i], request) ||
            !smc_user_kernels_is_first(kernels, i))
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
    free(rows->device);
    *rows = (struct smc_inspect_rows){0};
}

uint32_t *smc_inspect_given_threads(const struct smc_inspect_kernels *kernels,
                                    const struct smc_inspect_rows *rows)
{
    uint32_t *threads = smc_calloc(kernels->count ? kernels->count : 1, sizeof *threads);
    for (size_t i = 0; threads && i < rows->count; i++) {
        const struct smc_inspect_row *row = &rows->item[i];
        if (row->threads_source == SMC_THREADS_LISTED || row->threads_source == SMC_THREADS_GIVEN)
            threads[row->kernel - kernels->item] = row->launch.threads_per_block;
    }
    return threads;
}

static bool is_bounded_form(const struct smc_inspect_row *row, const struct smc_inspect_row *other,
                            uint32_t regs)
{
    const struct smc_inspect_kernel *kernel = row->kernel, *bounded = other->kernel;
    return strcmp(kernel->name, bounded->name) == 0 && strcmp(kernel->file, bounded->file) == 0 &&
           row->device->sm.cc == other->device->sm.cc &&
           strcmp(row->device->name, other->device->name) == 0 && bounded->has_spills &&
           smc_inspect_regs_known(other) && bounded->resources.regs_per_thread <= regs;
}

/* Both lists are of the same files, so that the search begins after the row found before. */
void smc_inspect_set_bounded(struct smc_inspect_rows *rows, const struct smc_inspect_rows *bounded,
                             uint32_t regs)
{
    size_t next = 0;
    for (size_t i = 0; i < rows->count; i++) {
        rows->item[i].bound_regs = regs;
        rows->item[i].bounded = NULL;
        for (size_t k = 0; k < bounded->count && !rows->item[i].bounded; k++) {
            size_t at = (next + k) % bounded->count;
            if (is_bounded_form(&rows->item[i], &bounded->item[at], regs)) {
                rows->item[i].bounded = &bounded->item[at];
                next = at + 1;
            }
        }
    }
}
