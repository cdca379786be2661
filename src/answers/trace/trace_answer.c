/* The model's answer for each configuration of a trace. */
#include "answers/trace_answer.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "rules/ceilings.h"

static uint64_t trace_answer_product(const uint32_t shape[3])
{
    const uint64_t plane = (uint64_t)shape[0] * shape[1];
    return shape[2] && plane > UINT64_MAX / shape[2] ? UINT64_MAX : plane * shape[2];
}

uint64_t smc_trace_threads(const struct smc_trace_launch *launch)
{
    return trace_answer_product(launch->block);
}

uint64_t smc_trace_blocks(const struct smc_trace_launch *launch)
{
    return trace_answer_product(launch->grid);
}

/* --- One configuration ------------------------------------------------------------------------ */

static const char *trace_answer_reason_unknown(const struct smc_trace *trace,
                                               const struct smc_trace_launch *launch,
                                               const struct smc_device *device)
{
    if (!device && launch->device == SMC_TRACE_UNKNOWN)
        return "the GPU was not recorded";
    if (!device)
        return trace->devices[launch->device].device.name[0] ? "the GPU is not in the table"
                                                             : "the GPU is not named";
    if (launch->regs_per_thread < 0)
        return "registers were not recorded";
    if (smc_trace_smem_bytes(launch, device) < 0)
        return "shared memory was not recorded";
    if (smc_trace_threads(launch) == 0)
        return "the block size was not recorded";
    return NULL;
}

/* The percentage that gives the configuration in which the launch was executed, if the source
   recorded it and the driver was asked about no other; SMC_CARVEOUT_DEFAULT: none is known, or none
   that the SM has and a block fits into. */
static int32_t executed_carveout(const struct smc_trace_launch *launch, const struct smc_sm *sm,
                                 int64_t smem_bytes)
{
    const uint64_t bytes = (uint64_t)launch->smem_configured_bytes;
    const uint64_t needed = (uint64_t)smem_bytes + sm->smem_reserved_per_block_bytes;
    if (launch->smem_configured_bytes <= 0 || launch->api_blocks_per_sm >= 0 ||
        sm->carveout_by_cache_config || needed > bytes)
        return SMC_CARVEOUT_DEFAULT;
    for (uint32_t i = 0; i < sm->smem_carveout_count; i++)
        if (sm->smem_carveout_bytes[i] == bytes)
            return (int32_t)(100 * bytes / sm->smem_per_sm_bytes);
    return SMC_CARVEOUT_DEFAULT;
}

/* The launch was executed, so it had opted in to its dynamic shared memory, in the mode that allows
   the most if need be. Only the sum of static and dynamic bytes matters then: where one sum was
   recorded, all of it counts as dynamic, and so does static memory above the default limit, which
   ptxas allows for targets such as sm_90a. No trace records barriers. */
static void trace_make_request(const struct smc_trace_launch *launch,
                               const struct smc_device *device, bool executed_there,
                               struct smc_launch *out)
{
    const int64_t smem_bytes = smc_trace_smem_bytes(launch, device);
    const bool known =
        launch->smem_bytes < 0 &&
        launch->static_smem_bytes <= (int64_t)device->sm.smem_per_block_default_bytes;
    const int64_t static_bytes = known ? launch->static_smem_bytes : 0;
    *out = (struct smc_launch)SMC_LAUNCH_INIT;
    out->threads_per_block = saturate(smc_trace_threads(launch));
    out->regs_per_thread = (uint32_t)launch->regs_per_thread;
    out->static_smem_bytes = saturate((uint64_t)static_bytes);
    out->dynamic_smem_bytes = saturate((uint64_t)(smem_bytes - static_bytes));
    out->carveout_percent = launch->carveout_percent;
    if (executed_there && launch->carveout_percent == SMC_CARVEOUT_DEFAULT)
        out->carveout_percent = executed_carveout(launch, &device->sm, smem_bytes);
    if (launch->cache_config > SMC_CACHE_PREFER_NONE &&
        launch->cache_config <= SMC_CACHE_PREFER_EQUAL)
        out->cache_config = (enum smc_cache_config)launch->cache_config;
    out->blocks_per_cluster = saturate(trace_answer_product(launch->cluster));
    if (device->sm.smem_oversized_per_block_bytes > 0 &&
        smem_bytes > (int64_t)device->sm.smem_per_block_optin_bytes)
        out->smem_mode = SMC_SMEM_MODE_OVERSIZED;
}

/* The question of a row. */
static void trace_answer_ask(const struct smc_trace_row *row, struct smc_answer *answer)
{
    *answer = (struct smc_answer){
        .plan.threads_per_block = row->request.threads_per_block,
        .plan.grid_blocks = smc_trace_blocks(row->launch),
        .resources.source = SMC_RESOURCES_GIVEN,
        .resources.cc = row->device->sm.cc,
        .resources.regs_per_thread = row->request.regs_per_thread,
        .resources.static_smem_bytes = row->request.static_smem_bytes,
        .resources.barriers = row->request.barriers_per_block,
        .regs_given = true,
        .static_smem_given = true,
        .dynamic_smem_given = true,
        .launch = row->request,
    };
    memcpy(answer->plan.block, row->launch->block, sizeof answer->plan.block);
    memcpy(answer->plan.grid, row->launch->grid, sizeof answer->plan.grid);
    smc_query_init(&answer->query);
    answer->query.device = *row->device;
    answer->query.device.sm_count = row->sm_count;
    answer->query.settings = row->request;
}

static void hold_recorded_clusters(const struct smc_trace_row *row, struct smc_answer *answer)
{
    if (row->ran_there && row->launch->resident_clusters > 0 && row->request.blocks_per_cluster > 1)
        smc_query_set_resident_clusters(answer, (uint64_t)row->launch->resident_clusters);
}

void smc_trace_complete(const struct smc_trace_row *row, struct smc_answer *answer)
{
    trace_answer_ask(row, answer);
    smc_query_conclude(answer);
    hold_recorded_clusters(row, answer);
}

/* Launches of many grids have few sets of resources: the next steps that were found for one, by a
   hash of them. */
enum { STEPS_KEPT = 1024 };

struct kept_steps {
    const struct smc_device *device; /* NULL: none */
    struct smc_launch request;
    struct smc_next_steps steps;
};

static bool is_same_request(const struct smc_launch *a, const struct smc_launch *b)
{
    return a->threads_per_block == b->threads_per_block &&
           a->regs_per_thread == b->regs_per_thread &&
           a->static_smem_bytes == b->static_smem_bytes &&
           a->dynamic_smem_bytes == b->dynamic_smem_bytes && a->smem_mode == b->smem_mode &&
           a->carveout_percent == b->carveout_percent && a->cache_config == b->cache_config &&
           a->blocks_per_cluster == b->blocks_per_cluster;
}

static void find_next_steps(struct smc_trace_row *row, struct smc_answer *answer,
                            struct kept_steps *kept)
{
    const struct smc_launch *request = &row->request;
    const uint32_t key[] = {request->threads_per_block, request->regs_per_thread,
                            request->static_smem_bytes, request->dynamic_smem_bytes};
    const uint64_t hash = smc_hash(SMC_HASH_START, key, sizeof key);
    struct kept_steps *place = &kept[hash % STEPS_KEPT];
    const bool plain = answer->outcome == SMC_LAUNCHES;
    if (plain && place->device == row->device && is_same_request(&place->request, request)) {
        row->next_steps = place->steps;
        return;
    }
    smc_query_find_next_steps(answer);
    row->next_steps = answer->next_steps;
    if (plain)
        *place = (struct kept_steps){row->device, *request, answer->next_steps};
}

enum smc_trace_bound smc_trace_bound_of(const struct smc_trace_row *row)
{
    const struct smc_occupancy *occupancy = &row->occupancy;
    if (occupancy->blocks_per_sm > 0 && row->has_waves &&
        row->waves.grid_blocks < row->waves.resident_blocks)
        return SMC_TRACE_BOUND_GRID;
    if (occupancy->warps_per_sm >= row->device->sm.max_warps_per_sm)
        return SMC_TRACE_BOUND_NONE;
#define SMC_LIMIT(id, name, label)                                                                 \
    if (occupancy->limiters & 1u << SMC_LIMIT_##id)                                                \
        return SMC_TRACE_BOUND_##id;
#include "rules/limits.def"
    return SMC_TRACE_BOUND_UNKNOWN; /* a grid that this GPU refuses */
}

/* Assumes that every wave takes the same time. */
static void find_fill(struct smc_trace_row *row)
{
    const struct smc_waves *waves = &row->waves;
    row->resident_percent = row->occupancy.blocks_per_sm == 0 ? 0 : -1; /* refused: none */
    if (!row->has_waves)
        return;
    const double slots = (double)waves->waves * (double)waves->resident_blocks;
    row->resident_percent = row->occupancy_percent * (double)waves->grid_blocks / slots;
    row->tail_percent =
        100.0 - 100.0 * (double)waves->last_wave_blocks / (double)waves->resident_blocks;
}

static bool do_barriers_matter(const struct smc_trace_row *row)
{
    struct smc_occupancy most;
    struct smc_launch launch = row->request;
    launch.barriers_per_block = row->device->sm.named_barriers_per_block;
    smc_occupancy_compute(&row->device->sm, &launch, &most);
    return most.blocks_per_sm < row->occupancy.blocks_per_sm;
}

static enum smc_trace_agreement find_agreement(const struct smc_trace_row *row)
{
    if (row->launch->api_blocks_per_sm < 0)
        return SMC_TRACE_NOT_ASKED;
    return (uint32_t)row->launch->api_blocks_per_sm == row->occupancy.blocks_per_sm
               ? SMC_TRACE_AGREES
               : SMC_TRACE_DIFFERS;
}

/* `instead`: the GPU to answer for; NULL: the recorded one. */
static void trace_answer_row(const struct smc_trace *trace, const struct smc_device *instead,
                             struct kept_steps *kept, struct smc_trace_row *row)
{
    struct smc_answer answer;
    const struct smc_trace_launch *launch = row->launch;
    const struct smc_trace_device *recorded =
        launch->device < 0 ? NULL : &trace->devices[launch->device];
    row->device = instead ? instead : recorded && recorded->known ? &recorded->device : NULL;
    row->ran_there = !instead || !recorded || !recorded->known;
    row->sm_count = row->device && row->device->sm_count ? row->device->sm_count
                    : recorded && !recorded->known       ? recorded->device.sm_count
                                                         : 0;
    row->mean_ns =
        launch->timed_launches ? (double)launch->total_ns / (double)launch->timed_launches : -1;
    row->bound = SMC_TRACE_BOUND_UNKNOWN;
    row->resident_percent = row->occupancy_percent = -1;
    row->unknown = trace_answer_reason_unknown(trace, launch, row->device);
    if (row->unknown)
        return;
    trace_make_request(launch, row->device, row->ran_there, &row->request);
    trace_answer_ask(row, &answer);
    smc_query_count_blocks(&answer);
    hold_recorded_clusters(row, &answer);
    find_next_steps(row, &answer, kept);
    row->occupancy = answer.occupancy;
    row->occupancy_percent = answer.occupancy_percent;
    row->has_waves = answer.has_waves;
    row->waves = answer.waves;
    find_fill(row);
    row->bound = smc_trace_bound_of(row);
    row->barriers_matter = do_barriers_matter(row);
    if (!instead)
        row->agreement = find_agreement(row);
}

/* --- The whole trace -------------------------------------------------------------------------- */

static enum smc_status collect_rows(const struct smc_trace *trace, struct smc_trace_answer *answer,
                                    struct smc_error *error)
{
    answer->rows = smc_calloc(trace->launch_count + 1, sizeof *answer->rows);
    answer->kernels = smc_calloc(trace->launch_count + 1, sizeof *answer->kernels);
    if (!answer->rows || !answer->kernels)
        return smc_out_of_memory(error);
    for (size_t i = 0; i < trace->launch_count; i++) {
        const struct smc_trace_launch *launch = &trace->launches[i];
        if (launch->launches == 0)
            continue;
        answer->rows[answer->row_count++].launch = launch;
        answer->launches += launch->launches;
        answer->timed_launches += launch->timed_launches;
        answer->total_ns += launch->total_ns;
    }
    answer->has_times = answer->total_ns > 0;
    return SMC_OK;
}

static double weight_of(const struct smc_trace_answer *answer, uint64_t ns, uint64_t launches)
{
    const uint64_t all = answer->has_times ? answer->total_ns : answer->launches;
    return (double)(answer->has_times ? ns : launches) / (double)all;
}

/* By name, then by share; of equal shares, as recorded. */
static int trace_answer_compare_rows(const void *a, const void *b)
{
    const struct smc_trace_row *x = a, *y = b;
    int order = strcmp(x->launch->shown, y->launch->shown);
    if (order == 0)
        order = smc_compare_reals(y->share, x->share);
    return order ? order : (x->launch > y->launch) - (x->launch < y->launch);
}

static int compare_kernels(const void *a, const void *b)
{
    const struct smc_trace_kernel *x = a, *y = b;
    int order = smc_compare_reals(y->share, x->share);
    if (order == 0)
        order = (x->launches < y->launches) - (x->launches > y->launches);
    return order ? order : strcmp(x->shown, y->shown);
}

/* A mean of the values that are known, each with its weight. */
struct mean {
    double sum, weight;
};

static void add_to_mean(struct mean *mean, double value, double weight)
{
    if (value < 0)
        return;
    mean->sum += value * weight;
    mean->weight += weight;
}

static double mean_of(const struct mean *mean)
{
    return mean->weight > 0 ? mean->sum / mean->weight : -1;
}

/* The kernel of the rows that begin at `first`. */
static struct smc_trace_kernel group_rows(const struct smc_trace_answer *answer, size_t first)
{
    struct smc_trace_kernel kernel = {.shown = answer->rows[first].launch->shown, .first = first};
    struct mean occupancy = {0}, resident = {0};
    for (size_t i = first; i < answer->row_count; i++) {
        const struct smc_trace_row *row = &answer->rows[i];
        if (strcmp(row->launch->shown, kernel.shown) != 0)
            break;
        kernel.count++;
        kernel.launches += row->launch->launches;
        kernel.timed_launches += row->launch->timed_launches;
        kernel.total_ns += row->launch->total_ns;
        add_to_mean(&occupancy, row->occupancy_percent, row->share);
        add_to_mean(&resident, row->resident_percent, row->share);
    }
    kernel.share = weight_of(answer, kernel.total_ns, kernel.launches);
    kernel.occupancy_percent = mean_of(&occupancy);
    kernel.resident_percent = mean_of(&resident);
    return kernel;
}

/* Puts the rows into the order of their kernels. */
static enum smc_status sort_kernels(struct smc_trace_answer *answer, struct smc_error *error)
{
    struct smc_trace_row *sorted = smc_malloc((answer->row_count + 1) * sizeof *sorted);
    if (!sorted)
        return smc_out_of_memory(error);
    qsort(answer->kernels, answer->kernel_count, sizeof *answer->kernels, compare_kernels);
    size_t next = 0;
    for (size_t i = 0; i < answer->kernel_count; i++) {
        struct smc_trace_kernel *kernel = &answer->kernels[i];
        memcpy(sorted + next, answer->rows + kernel->first, kernel->count * sizeof *sorted);
        kernel->first = next;
        next += kernel->count;
    }
    free(answer->rows);
    answer->rows = sorted;
    return SMC_OK;
}

/* While a launch takes longer than the kernel runs, the GPU waits for the next one. */
static void add_short(const struct smc_trace_row *row, struct smc_trace_answer *answer)
{
    struct smc_ceilings ceilings;
    const struct smc_trace_launch *launch = row->launch;
    if (!row->device || answer->instead || launch->timed_launches == 0 ||
        !smc_ceilings_of_board(row->device->name, &ceilings))
        return;
    const double us = ceilings.value[SMC_CEILING_LAUNCH];
    const uint64_t launches = launch->launches - launch->graph_launches;
    answer->short_us = us > answer->short_us ? us : answer->short_us;
    if (row->mean_ns >= 1000 * us || launches == 0)
        return;
    answer->short_launches += launches;
    answer->short_share += row->share * (double)launches / (double)launch->launches;
}

static void trace_answer_sum_up(struct smc_trace_answer *answer)
{
    struct mean occupancy = {0}, resident = {0};
    for (size_t i = 0; i < answer->row_count; i++) {
        const struct smc_trace_row *row = &answer->rows[i];
        answer->bound_share[row->bound] += row->share;
        answer->asked += row->agreement != SMC_TRACE_NOT_ASKED;
        answer->differing += row->agreement == SMC_TRACE_DIFFERS;
        answer->refused += !row->unknown && row->occupancy.blocks_per_sm == 0;
        add_to_mean(&occupancy, row->occupancy_percent, row->share);
        add_to_mean(&resident, row->resident_percent, row->share);
        add_short(row, answer);
    }
    answer->occupancy_percent = mean_of(&occupancy);
    answer->resident_percent = mean_of(&resident);
}

enum smc_status smc_trace_answer_on(const struct smc_trace *trace, const struct smc_device *device,
                                    struct smc_trace_answer *answer, struct smc_error *error)
{
    *answer = (struct smc_trace_answer){
        .trace = trace, .instead = device, .occupancy_percent = -1, .resident_percent = -1};
    enum smc_status status = collect_rows(trace, answer, error);
    if (status != SMC_OK || answer->row_count == 0)
        return status;
    smc_auto_free struct kept_steps *kept = smc_calloc(STEPS_KEPT, sizeof *kept);
    if (!kept)
        return smc_out_of_memory(error);
    for (size_t i = 0; i < answer->row_count; i++) {
        struct smc_trace_row *row = &answer->rows[i];
        row->share = weight_of(answer, row->launch->total_ns, row->launch->launches);
        trace_answer_row(trace, device, kept, row);
    }
    qsort(answer->rows, answer->row_count, sizeof *answer->rows, trace_answer_compare_rows);
    for (size_t i = 0; i < answer->row_count; i += answer->kernels[answer->kernel_count - 1].count)
        answer->kernels[answer->kernel_count++] = group_rows(answer, i);
    trace_answer_sum_up(answer);
    return sort_kernels(answer, error);
}

/* "132 SMs, as GH200 480GB, H100 80GB HBM3 and others have: --device 9.0 answers for one". */
static void append_boards(uint32_t sm_count, struct smc_text *note)
{
    enum { MOST_NAMED = 2 };
    struct smc_device board;
    size_t count = 0;
    uint16_t cc = 0;
    bool same = true;
    smc_text_printf(note, "%u SMs", sm_count);
    for (size_t i = 0; i < smc_device_count(); i++) {
        smc_device_at(i, &board);
        if (board.sm_count != sm_count)
            continue;
        same = same && (count == 0 || board.sm.cc == cc);
        cc = board.sm.cc;
        if (count++ < MOST_NAMED)
            smc_text_printf(note, "%s %s", count == 1 ? ", as" : ",", smc_device_model(&board));
    }
    if (count > 0)
        smc_text_append(note, count > MOST_NAMED ? " and others have"
                              : count > 1        ? " have"
                                                 : " has");
    if (count > 0 && same)
        smc_text_printf(note, ": --device %u.%u answers for one", cc / 10u, cc % 10u);
    else
        smc_text_append(note, ": --device NAME answers for one");
}

void smc_trace_compare_gpus(struct smc_trace *trace, const struct smc_device *instead,
                            struct smc_text *warnings)
{
    static const char unnamed[] =
        "the trace does not name its GPU: --device H100 answers for that one";
    if (trace->device_count == 0 && trace->launch_count > 0 && !instead)
        smc_trace_note(trace, "%s", unnamed);
    for (size_t i = 0; i < trace->device_count; i++) {
        const struct smc_device *recorded = &trace->devices[i].device;
        if (trace->devices[i].known || recorded->name[0])
            continue;
        if (instead && instead->sm_count && recorded->sm_count &&
            instead->sm_count != recorded->sm_count)
            smc_text_safe_line(warnings,
                               "option --device: %s has %u SMs, but the GPU of the trace has %u",
                               instead->name, instead->sm_count, recorded->sm_count);
        else if (!instead && recorded->sm_count) {
            smc_auto_text boards = {0};
            append_boards(recorded->sm_count, &boards);
            smc_trace_note(trace, "the trace does not name its GPU, which has %s",
                           smc_text_string(&boards));
        } else if (!instead)
            smc_trace_note(trace, "%s", unnamed);
    }
}

void smc_trace_answer_free(struct smc_trace_answer *answer)
{
    free(answer->rows);
    free(answer->kernels);
    *answer = (struct smc_trace_answer){0};
}

const struct smc_trace_bound_words smc_trace_bounds[SMC_TRACE_BOUND_COUNT] = {
#define TRACE_BOUND(id, name, label, words) [SMC_TRACE_BOUND_##id] = {name, label, words},
#include "answers/trace/bounds.def"
#undef TRACE_BOUND
};

enum smc_trace_bound smc_trace_main_bound(const struct smc_trace_answer *answer,
                                          const struct smc_trace_kernel *kernel, int *others)
{
    double share[SMC_TRACE_BOUND_COUNT] = {0};
    int most = 0;
    *others = -1;
    for (size_t i = kernel->first; i < kernel->first + kernel->count; i++)
        share[answer->rows[i].bound] += answer->rows[i].share;
    for (int i = 0; i < SMC_TRACE_BOUND_COUNT; i++) {
        *others += share[i] > 0;
        most = share[i] > share[most] ? i : most;
    }
    return (enum smc_trace_bound)most;
}
