/* A launch: lays out memory, distributes blocks over one worker per core, and adds up the
   counts. */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "machine/emulator/clusters.h"
#include "machine/emulator/concurrent_blocks.h"
#include "machine/emulator/past_blocks.h"
#include "machine/emulator/peers.h"
#include "machine/emulator/shadow.h"
#include "machine/emulator/unset_values.h"

enum { MAX_WORKERS = 64, MAX_THREADS_PER_BLOCK = 1024, FILE_ALIGN = 64 };

/* --- Memory ----------------------------------------------------------------------------------- */

static char *variable_data(const struct smc_ptx_symbol *symbol)
{
    char *data = smc_calloc(1, symbol->bytes + 1);
    if (data && symbol->initial)
        memcpy(data, symbol->initial, symbol->bytes);
    return data;
}

void smc_program_variable(const struct smc_program *program, const char *name, void *data,
                          uint64_t bytes)
{
    const struct smc_ptx_module *module = &program->module;
    memset(data, 0, bytes);
    for (size_t i = 0; i < module->symbols; i++) {
        const struct smc_ptx_symbol *symbol = module->symbol[i];
        if (symbol->scope == 0 && symbol->initial && smc_span_is(symbol->name, name))
            memcpy(data, symbol->initial, bytes < symbol->bytes ? bytes : symbol->bytes);
    }
}

/* The caller's data of the variable; NULL: it has none. */
static char *given_data(const struct smc_emulation_request *request,
                        const struct smc_ptx_symbol *symbol)
{
    for (size_t i = 0; i < request->variable_count; i++)
        if (symbol->scope == 0 && request->variables[i].bytes == symbol->bytes &&
            smc_span_is(symbol->name, request->variables[i].name))
            return request->variables[i].data;
    return NULL;
}

static bool emulator_launch_add_variables(struct smc_launch_state *launch)
{
    const struct smc_ptx_module *module = &launch->program->module;
    for (size_t i = 0; i < module->symbols; i++) {
        const struct smc_ptx_symbol *symbol = module->symbol[i];
        if ((symbol->space != SMC_SPACE_GLOBAL && symbol->space != SMC_SPACE_CONST) ||
            !symbol->is_used)
            continue;
        struct smc_allocation *allocation = &launch->allocation[launch->allocations];
        char *given = given_data(launch->request, symbol);
        *allocation = (struct smc_allocation){.address = symbol->address,
                                              .bytes = symbol->bytes,
                                              .data = given ? given : variable_data(symbol),
                                              .is_given = given != NULL,
                                              .is_constant = symbol->space == SMC_SPACE_CONST,
                                              .array = SIZE_MAX,
                                              .name = symbol->name.at,
                                              .name_bytes = symbol->name.bytes};
        if (!allocation->data)
            return false;
        launch->allocations++;
    }
    return true;
}

static uint64_t address_after(const struct smc_emulated_array *array, uint64_t address)
{
    return address + (array->bytes + SMC_ALLOCATION_GAP + SMC_ALLOCATION_ALIGN) /
                         SMC_ALLOCATION_ALIGN * SMC_ALLOCATION_ALIGN;
}

void smc_emulated_addresses(const struct smc_emulated_array *arrays, size_t count,
                            uint64_t *address)
{
    uint64_t next = SMC_ARRAYS_BASE;
    for (size_t i = 0; i < count; i++) {
        address[i] = next;
        next = address_after(&arrays[i], next);
    }
}

static bool is_variable_at(const struct smc_launch_state *launch, size_t variables,
                           uint64_t address)
{
    for (size_t i = 0; i < variables; i++)
        if (launch->allocation[i].address == address)
            return true;
    return false;
}

static int compare_addresses(const void *a, const void *b)
{
    const struct smc_allocation *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

static void add_arrays(struct smc_launch_state *launch)
{
    const struct smc_emulation_request *request = launch->request;
    uint64_t address = SMC_ARRAYS_BASE;
    const size_t variables = launch->allocations;
    for (size_t i = 0; i < request->array_count; i++) {
        const struct smc_emulated_array *array = &request->arrays[i];
        if (array->address && is_variable_at(launch, variables, array->address))
            continue;
        launch->allocation[launch->allocations++] =
            (struct smc_allocation){.address = array->address ? array->address : address,
                                    .bytes = array->bytes,
                                    .data = array->data,
                                    .array = i,
                                    .written = request->unchecked ? NULL : array->written,
                                    .is_freed = array->is_freed,
                                    .name = array->name,
                                    .name_bytes = strlen(array->name)};
        address = address_after(array, address);
    }
}

/* What cooperative groups keep of a grid, whose barrier is the second word. */
static bool add_workspace(struct smc_launch_state *launch)
{
    static const char name[] = "the workspace of the grid";
    uint32_t *data = launch->request->cooperative ? smc_calloc(1, SMC_WORKSPACE_BYTES) : NULL;
    if (!data)
        return !launch->request->cooperative;
    *data = SMC_WORKSPACE_BYTES;
    launch->allocation[launch->allocations++] =
        (struct smc_allocation){.address = SMC_WORKSPACE_BASE,
                                .bytes = SMC_WORKSPACE_BYTES,
                                .data = (char *)data,
                                .array = SIZE_MAX,
                                .name = name,
                                .name_bytes = sizeof name - 1};
    return true;
}

static bool lay_out_memory(struct smc_launch_state *launch)
{
    const struct smc_ptx_module *module = &launch->program->module;
    launch->allocation =
        smc_calloc(module->symbols + launch->request->array_count + 2, sizeof *launch->allocation);
    if (!launch->allocation || !emulator_launch_add_variables(launch) || !add_workspace(launch))
        return false;
    add_arrays(launch);
    qsort(launch->allocation, launch->allocations, sizeof *launch->allocation, compare_addresses);
    launch->parameters = smc_calloc(1, launch->program->parameter_bytes + 1u);
    launch->sum = smc_calloc(launch->request->array_count + 1, sizeof(struct smc_float_sum *));
    launch->heap = launch->request->heap ? *launch->request->heap : NULL;
    if (launch->heap)
        smc_heap_forget(launch->heap);
    else if (launch->program->has_heap)
        launch->heap = smc_heap_new();
    if (launch->request->heap)
        *launch->request->heap = launch->heap;
    bool failed = launch->program->has_heap && !launch->heap;
    if (!launch->request->unchecked && !failed && launch->together == 1)
        launch->past = smc_past_new(launch, smc_cell_bytes_global(launch->program), &failed);
    return launch->parameters && launch->sum && !failed;
}

static void free_memory(struct smc_launch_state *launch)
{
    for (size_t i = 0; i < launch->allocations; i++)
        if (launch->allocation[i].array == SIZE_MAX && !launch->allocation[i].is_given)
            free(launch->allocation[i].data);
    smc_past_free(launch->past);
    if (!launch->request->heap)
        smc_heap_free(launch->heap);
    free(launch->allocation);
    free(launch->parameters);
}

static enum smc_status check_textures(const struct smc_emulation_request *request,
                                      struct smc_error *error)
{
    for (size_t i = 0; i < request->texture_count; i++) {
        const struct smc_emulated_texture *texture = &request->textures[i];
        const uint64_t bytes = smc_emulated_texture_bytes(texture);
        if (texture->channels == 0)
            continue;
        if (bytes == 0 || texture->array >= request->array_count ||
            texture->offset > request->arrays[texture->array].bytes ||
            bytes > request->arrays[texture->array].bytes - texture->offset)
            return smc_fail(error, SMC_USAGE, "texture %zu: its array is too small", i + 1);
    }
    return SMC_OK;
}

static uint64_t address_of_array(const struct smc_launch_state *launch, size_t array)
{
    size_t i = 0;
    while (launch->allocation[i].array != array)
        i++;
    return launch->allocation[i].address;
}

static enum smc_status emulator_launch_pass_arguments(struct smc_launch_state *launch,
                                                      struct smc_error *error)
{
    const struct smc_emulation_request *request = launch->request;
    const struct smc_ptx_module *module = &launch->program->module;
    if (request->argument_count != module->parameters)
        return smc_fail(error, SMC_USAGE, "kernel %s: it has %zu parameters, %zu were given",
                        launch->program->entry, module->parameters, request->argument_count);
    for (size_t i = 0; i < module->parameters; i++) {
        const struct smc_ptx_symbol *parameter = module->parameter[i];
        const struct smc_emulated_argument *argument = &request->arguments[i];
        char *place = launch->parameters + parameter->address;
        if (!argument->is_array) {
            memcpy(place, argument->value, parameter->bytes);
            continue;
        }
        if (parameter->bytes != sizeof(uint64_t) || argument->array >= request->array_count)
            return smc_fail(error, SMC_USAGE, "kernel %s: argument %zu is not an address",
                            launch->program->entry, i + 1);
        uint64_t address = address_of_array(launch, argument->array) + argument->offset;
        memcpy(place, &address, sizeof address);
    }
    return SMC_OK;
}

/* --- Workers ---------------------------------------------------------------------------------- */

static void *launch_alloc_aligned(size_t bytes)
{
    size_t rounded = (bytes + FILE_ALIGN) / FILE_ALIGN * FILE_ALIGN;
    void *memory = smc_aligned_alloc(FILE_ALIGN, rounded);
    if (memory)
        memset(memory, 0, rounded);
    return memory;
}

/* Workers whose blocks make progress together run on one thread, and have their counts together. */
static void begin_counts(struct smc_worker *worker, const struct smc_worker *first)
{
    const struct smc_launch_state *launch = worker->launch;
    const size_t instructions = launch->program->instructions + 1;
    worker->shares = launch->together > 1 && worker != first;
    if (worker->shares) {
        worker->count = first->count;
        worker->pass = first->pass;
        worker->sample = first->sample;
        worker->log = first->log;
        worker->array_count = first->array_count;
        worker->memo = first->memo;
        return;
    }
    worker->count = smc_calloc(instructions, sizeof *worker->count);
    worker->pass = smc_calloc(launch->program->ops + 1, sizeof *worker->pass);
    worker->sample = smc_calloc(instructions, sizeof *worker->sample);
    if (launch->request->logs_shared)
        worker->log = smc_calloc(1, sizeof *worker->log);
    worker->array_count = smc_calloc(launch->request->array_count + 1, sizeof *worker->array_count);
    worker->memo = smc_bank_memo_new(launch->program);
}

static bool begin_warps(struct smc_worker *worker)
{
    const struct smc_program *program = worker->launch->program;
    const uint32_t warps = worker->launch->warps_per_block;
    worker->warp = smc_calloc(warps, sizeof *worker->warp);
    worker->files = launch_alloc_aligned((size_t)program->file_bytes * warps);
    if (!worker->warp || !worker->files)
        return false;
    for (uint32_t w = 0; w < warps; w++) {
        struct smc_warp *warp = &worker->warp[w];
        warp->index = w;
        warp->file = worker->files + (size_t)program->file_bytes * w;
        warp->frames.entered = smc_calloc(program->functions + 1, sizeof(uint32_t));
        if (program->has_async)
            warp->bulk = smc_calloc(1, sizeof *warp->bulk);
        if (!warp->frames.entered || !smc_wgmma_registers_new(worker, warp) ||
            (program->has_async && !warp->bulk))
            return false;
    }
    return true;
}

static bool begin_worker(struct smc_worker *worker, struct smc_launch_state *launch,
                         const struct smc_worker *first)
{
    const struct smc_program *program = launch->program;
    worker->launch = launch;
    begin_counts(worker, first);
    worker->shared = launch_alloc_aligned(launch->smem_bytes);
    worker->local = smc_calloc(launch->threads_per_block, program->local_bytes + 1u);
    if (!launch->request->unchecked)
        worker->shadow = smc_shadow_new(launch);
    size_t local_bytes = (size_t)program->local_bytes * launch->threads_per_block;
    bool checks_local = !launch->request->unchecked && local_bytes > 0;
    if (checks_local)
        worker->local_written = smc_calloc(local_bytes, 1);
    if (!smc_peers_new(worker) || !begin_warps(worker))
        return false;
    return worker->count && worker->pass && worker->sample && worker->array_count &&
           worker->shared && worker->local && worker->memo &&
           (worker->log || !launch->request->logs_shared) &&
           (worker->shadow || launch->request->unchecked) &&
           (worker->local_written || !checks_local);
}

static void end_worker(struct smc_worker *worker)
{
    for (uint32_t w = 0; worker->warp && worker->launch && w < worker->launch->warps_per_block;
         w++) {
        smc_copies_forget(&worker->warp[w]);
        smc_frames_free(&worker->warp[w]);
        free(worker->warp[w].use);
        free(worker->warp[w].bulk);
        smc_unset_free(&worker->warp[w]);
    }
    smc_output_free(&worker->output);
    free(worker->shared_sum);
    free(worker->object);
    if (!worker->shares) {
        free(worker->count);
        free(worker->pass);
        free(worker->sample);
        if (worker->log)
            smc_access_log_free(worker->log);
        free(worker->log);
        free(worker->array_count);
        smc_bank_memo_free(worker->memo);
    }
    free(worker->warp);
    free(worker->files);
    free(worker->shared);
    free(worker->local);
    free(worker->local_written);
    smc_peers_free(worker);
    if (worker->index == 0)
        smc_concurrent_free(worker->concurrent);
    smc_shadow_free(worker->shadow);
}

static void *emulator_launch_work(void *argument)
{
    struct smc_worker *worker = argument;
    struct smc_launch_state *launch = worker->launch;
    while (!smc_launch_stops(launch)) {
        uint64_t block = atomic_fetch_add(&launch->next_block, 1);
        if (block >= launch->blocks)
            break;
        if (launch->request->reversed)
            block = launch->blocks - 1 - block;
        if (block > atomic_load(&launch->last_block))
            break;
        uint64_t before = worker->blocks_run;
        smc_block_run(worker, block);
        if (launch->request->progress)
            atomic_fetch_add(&launch->request->progress->done, worker->blocks_run - before);
    }
    return NULL;
}

static unsigned worker_count(const struct smc_launch_state *launch)
{
    if (launch->together > 1)
        return (unsigned)launch->together;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned wanted = launch->request->threads;
    if (launch->program->runs_in_order || launch->request->reversed)
        return 1;
    uint64_t count = wanted ? wanted : cores < 1 ? 1 : (uint64_t)cores;
    if (count > MAX_WORKERS)
        count = MAX_WORKERS;
    return (unsigned)(count < launch->blocks ? count : launch->blocks);
}

static void add_worker(struct smc_worker *worker, struct smc_emulation *emulation)
{
    if (!worker->shares) {
        smc_memory_add_costs(worker);
        smc_warp_add_passes(worker);
    }
    if (!worker->shares && worker->log)
        smc_access_log_merge(worker->log, &emulation->log);
    for (size_t i = 0; !worker->shares && i < emulation->count_length; i++) {
        smc_emulated_count_add(&worker->count[i], &emulation->count[i]);
        smc_emulated_count_add(&worker->count[i], &emulation->total);
        if (smc_sample_replaces(&worker->sample[i], &emulation->sample[i]))
            emulation->sample[i] = worker->sample[i];
    }
    for (size_t i = 0; !worker->shares && i < emulation->array_count; i++)
        for (int kind = 0; kind < SMC_EMULATED_KINDS; kind++)
            smc_emulated_traffic_add(&worker->array_count[i].kind[kind],
                                     &emulation->array[i].kind[kind]);
    emulation->blocks_run += worker->blocks_run;
    emulation->waits |= worker->waits;
    emulation->float_adds += worker->float_adds;
    if (worker->shared_bound > emulation->shared_bound)
        emulation->shared_bound = worker->shared_bound;
}

static enum smc_status run_workers(struct smc_launch_state *launch, struct smc_worker *workers,
                                   unsigned count, struct smc_emulation *emulation,
                                   struct smc_error *error)
{
    pthread_t thread[MAX_WORKERS];
    unsigned ready = 0, started = 1;
    bool failed = false;
    while (ready < count && begin_worker(&workers[ready], launch, workers))
        ready++;
    struct smc_concurrent *concurrent = ready > 0 ? smc_concurrent_new(workers, &failed) : NULL;
    for (unsigned i = 0; i < ready; i++) {
        workers[i].concurrent = concurrent;
        workers[i].index = i;
    }
    if (ready == 0 || failed || (launch->together > 1 && ready < count))
        return smc_out_of_memory(error);
    for (; launch->together == 1 && started < ready; started++)
        if (pthread_create(&thread[started], NULL, emulator_launch_work, &workers[started]) != 0)
            break; /* runs with fewer threads; the results are the same */
    if (launch->together > 1)
        smc_run_together(launch, workers);
    else
        emulator_launch_work(&workers[0]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(thread[i], NULL);
    bool out_of_memory = false;
    for (unsigned i = 0; i < ready; i++) {
        add_worker(&workers[i], emulation);
        out_of_memory |= workers[i].out_of_memory;
    }
    out_of_memory |= !smc_output_merge(workers, ready, atomic_load(&launch->last_block), emulation);
    if (out_of_memory)
        return smc_out_of_memory(error);
    emulation->threads_used = started;
    smc_findings_merge(workers, ready, atomic_load(&launch->last_block), emulation);
    if (launch->past)
        smc_past_find(launch->past, workers, atomic_load(&launch->last_block), emulation);
    bool stopped = atomic_load(&launch->stopped);
    emulation->completed = !stopped && emulation->blocks_run == launch->blocks &&
                           atomic_load(&launch->last_block) == UINT64_MAX;
    if (!stopped)
        return SMC_OK;
    return smc_fail(error, SMC_INTERRUPTED, "%" PRIu64 " of %" PRIu64 " blocks were emulated",
                    emulation->blocks_run, launch->blocks);
}

/* --- The launch ------------------------------------------------------------------------------- */

static const uint32_t reserved_align = 128;
enum { REGISTER_UNIT = 8 }; /* of a thread, from compute capability 9.0 on */

static enum smc_status emulator_launch_check_shape(struct smc_launch_state *launch,
                                                   struct smc_error *error)
{
    const struct smc_emulation_request *request = launch->request;
    uint64_t threads = 1, blocks = 1;
    for (int i = 0; i < 3; i++)
        if (request->block[i] == 0 || request->grid[i] == 0 ||
            request->block[i] > MAX_THREADS_PER_BLOCK ||
            __builtin_mul_overflow(threads, (uint64_t)request->block[i], &threads) ||
            __builtin_mul_overflow(blocks, (uint64_t)request->grid[i], &blocks))
            return smc_fail(error, SMC_USAGE, "a launch of no or too many threads");
    if (threads > MAX_THREADS_PER_BLOCK)
        return smc_fail(error, SMC_USAGE, "'%" PRIu64 "' threads in a block are above %d", threads,
                        MAX_THREADS_PER_BLOCK);
    uint64_t smem = (uint64_t)launch->program->static_smem_bytes + request->dynamic_smem_bytes;
    if (smem > UINT32_MAX / 2)
        return smc_fail(error, SMC_USAGE, "'%" PRIu64 "' bytes of shared memory are too many",
                        smem);
    launch->threads_per_block = (uint32_t)threads;
    launch->warps_per_block = (uint32_t)((threads + SMC_LANES - 1) / SMC_LANES);
    launch->blocks = blocks;
    const uint32_t regs =
        request->regs_per_thread ? request->regs_per_thread : launch->program->module.entry_regs;
    launch->regs_per_thread = (regs + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
    launch->smem_bytes = (uint32_t)smem;
    launch->reserved_smem_at = (uint32_t)smem;
    if (launch->program->reads_reserved_smem) {
        launch->reserved_smem_at = ((uint32_t)smem + reserved_align - 1) & ~(reserved_align - 1);
        launch->smem_bytes = launch->reserved_smem_at + SMC_RESERVED_SMEM_BYTES;
    }
    atomic_init(&launch->next_block, 0);
    atomic_init(&launch->last_block, UINT64_MAX);
    atomic_init(&launch->stopped, false);
    return smc_clusters_check(launch, error);
}

static enum smc_status emulator_launch_prepare(struct smc_launch_state *launch,
                                               struct smc_emulation *emulation,
                                               struct smc_error *error)
{
    SMC_TRY(emulator_launch_check_shape(launch, error));
    emulation->count_length = launch->program->instructions;
    emulation->count = smc_calloc(emulation->count_length + 1, sizeof *emulation->count);
    emulation->sample = smc_calloc(emulation->count_length + 1, sizeof *emulation->sample);
    emulation->array_count = launch->request->array_count;
    emulation->array = smc_calloc(emulation->array_count + 1, sizeof *emulation->array);
    if (!emulation->count || !emulation->sample || !emulation->array || !lay_out_memory(launch))
        return smc_out_of_memory(error);
    SMC_TRY(check_textures(launch->request, error));
    return emulator_launch_pass_arguments(launch, error);
}

static void begin_progress(const struct smc_launch_state *launch)
{
    struct smc_emulation_progress *progress = launch->request->progress;
    if (!progress)
        return;
    atomic_store(&progress->done, 0);
    atomic_store(&progress->blocks, launch->blocks);
}

enum smc_status smc_emulate(const struct smc_emulation_request *request,
                            struct smc_emulation *emulation, struct smc_error *error)
{
    struct smc_launch_state launch = {.request = request, .program = request->program};
    struct smc_program traced;
    struct smc_worker *workers = NULL;
    *emulation = (struct smc_emulation){0};
    enum smc_status status = emulator_launch_prepare(&launch, emulation, error);
    if (status == SMC_OK && launch.program->tracks && !request->unchecked) {
        traced = *launch.program;
        traced.op = smc_tracked_ops(launch.program);
        if (traced.op)
            launch.program = &traced;
        else
            status = smc_out_of_memory(error);
    }
    unsigned count = status == SMC_OK ? worker_count(&launch) : 0;
    if (status == SMC_OK) {
        begin_progress(&launch);
        workers = smc_calloc(count, sizeof *workers);
        status = workers ? run_workers(&launch, workers, count, emulation, error)
                         : smc_out_of_memory(error);
    }
    for (unsigned i = 0; workers && i < count; i++)
        end_worker(&workers[i]);
    free(workers);
    free_memory(&launch);
    if (launch.program == &traced)
        free(traced.op);
    emulation->sum = launch.sum;
    return status;
}

void smc_emulation_free(struct smc_emulation *emulation)
{
    for (size_t i = 0; emulation->sum && i < emulation->array_count; i++)
        free(emulation->sum[i]);
    free(emulation->sum);
    free(emulation->output);
    free(emulation->count);
    free(emulation->sample);
    smc_access_log_free(&emulation->log);
    free(emulation->array);
    *emulation = (struct smc_emulation){0};
}
