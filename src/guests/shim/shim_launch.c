/* A launch: checked as a driver does, run by the emulator, and what it did wrong turned into the
   error that a GPU would raise. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/text.h"
#include "guests/shim/driver.h"
#include "rules/allocation.h"
#include "rules/banks.h"
#include "rules/occupancy.h"

static int sticky;
static struct smc_text output;
static struct smc_heap *heap; /* of kernels' malloc */

int shim_sticky_error(void)
{
    return sticky;
}

void shim_reset_context(void)
{
    sticky = 0;
    smc_heap_free(heap);
    heap = NULL;
}

void shim_flush_output(void)
{
    if (output.length == 0)
        return;
    (void)fwrite(smc_text_string(&output), 1, output.length, stdout); /* as CUDA does */
    fflush(stdout);
    smc_text_free(&output);
    output = (struct smc_text){0};
}

/* --- Checks ----------------------------------------------------------------------------------- */

static void shim_launch_describe(const struct shim_function *function, uint32_t threads,
                                 uint32_t dynamic_smem_bytes, struct smc_launch *launch)
{
    *launch = (struct smc_launch)SMC_LAUNCH_INIT;
    launch->threads_per_block = threads;
    launch->regs_per_thread = function->regs > 0 ? (uint32_t)function->regs : 0;
    launch->static_smem_bytes = smc_program_static_smem_bytes(function->program);
    launch->dynamic_smem_bytes = dynamic_smem_bytes;
    launch->static_smem_compiled = true;
    launch->smem_not_opted_in = dynamic_smem_bytes > function->max_dynamic_smem;
    launch->carveout_percent = function->carveout_percent;
    launch->cache_config = (enum smc_cache_config)function->cache_config;
}

uint32_t shim_occupancy(const struct shim_function *function, uint32_t threads,
                        uint32_t dynamic_smem_bytes)
{
    struct smc_launch launch;
    struct smc_occupancy occupancy;
    if (!function->program)
        return 0;
    shim_launch_describe(function, threads, dynamic_smem_bytes, &launch);
    smc_occupancy_compute(&shim_device()->sm, &launch, &occupancy);
    return occupancy.blocks_per_sm;
}

/* A program that sets no cluster gets the one that the kernel was compiled for. */
static void shim_launch_find_cluster(const struct shim_launch *launch, struct smc_launch *out)
{
    uint64_t blocks = 1;
    smc_program_cluster(launch->function->program, out->cluster);
    if (launch->cluster[0] > 0)
        memcpy(out->cluster, launch->cluster, sizeof out->cluster);
    for (int i = 0; i < 3 && out->cluster[0] > 0; i++)
        blocks = saturate(blocks * (out->cluster[i] ? out->cluster[i] : 1));
    out->blocks_per_cluster = (uint32_t)blocks;
}

static uint32_t parameter_bytes(const struct smc_program *program)
{
    const size_t count = smc_program_parameter_count(program);
    return count == 0 ? 0
                      : (uint32_t)(smc_program_parameter_offset(program, count - 1) +
                                   smc_program_parameter_bytes(program, count - 1));
}

static void describe_launch(const struct shim_launch *launch, struct smc_launch *model)
{
    const struct shim_function *function = launch->function;
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++)
        threads = saturate(threads * launch->block[i]);
    shim_launch_describe(function, (uint32_t)threads, launch->dynamic_smem_bytes, model);
    shim_launch_find_cluster(launch, model);
    memcpy(model->block, launch->block, sizeof model->block);
    memcpy(model->grid, launch->grid, sizeof model->grid);
    model->parameter_bytes = parameter_bytes(function->program);
    model->cluster_not_opted_in = !function->allows_large_clusters;
    model->is_cooperative = launch->cooperative;
}

static void check_model(const struct smc_launch *model, struct smc_occupancy *occupancy)
{
    const struct smc_device *device = shim_device();
    smc_launch_check(&device->sm, device->sm_count, &device->sm_groups, model, occupancy);
}

void shim_model(const struct shim_launch *launch, struct smc_occupancy *occupancy)
{
    struct smc_launch model;
    describe_launch(launch, &model);
    check_model(&model, occupancy);
}

bool shim_has_grid(const struct shim_launch *launch)
{
    const struct smc_sm *sm = &shim_device()->sm;
    const uint32_t most[3] = {sm->max_grid_x, sm->max_grid_y, sm->max_grid_z};
    for (int i = 0; i < 3; i++)
        if (launch->grid[i] == 0 || launch->grid[i] > most[i])
            return false;
    return true;
}

bool shim_has_cluster(const struct shim_launch *launch)
{
    const struct shim_function *function = launch->function;
    struct smc_launch model;
    uint32_t compiled[3];
    shim_launch_find_cluster(launch, &model);
    if (model.cluster[0] == 0)
        return true;
    smc_program_cluster(function->program, compiled);
    if (compiled[0] > 0 && memcmp(compiled, model.cluster, sizeof compiled) != 0)
        return false;
    for (int i = 0; i < 3; i++)
        if (model.cluster[i] == 0 || launch->grid[i] % model.cluster[i] != 0)
            return false;
    return function->allows_large_clusters ||
           model.blocks_per_cluster <= shim_device()->sm.cluster_max_portable;
}

uint64_t shim_resident_clusters(const struct shim_launch *launch)
{
    const struct smc_device *device = shim_device();
    struct smc_launch model;
    shim_launch_find_cluster(launch, &model);
    const uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2],
                   blocks = shim_occupancy(launch->function, threads, launch->dynamic_smem_bytes);
    return smc_resident_clusters(device->sm_count, &device->sm_groups, model.blocks_per_cluster,
                                 blocks);
}

/* A cooperative grid that is too large, perhaps since the GPU holds no block of it at all. */
static bool is_beyond_resident(const struct shim_launch *launch, const struct smc_launch *model,
                               const struct smc_occupancy *occupancy)
{
    uint64_t blocks = 1;
    if (!launch->cooperative || !(occupancy->refusals >> SMC_REFUSAL_CLUSTER_SIZE & 1))
        return launch->cooperative && occupancy->refusals != 0;
    for (int i = 0; i < 3; i++)
        blocks = saturate(blocks * launch->grid[i]);
    return blocks > shim_resident_clusters(launch) * model->blocks_per_cluster;
}

/* In the order in which a driver checks: found by 24,000 random launches on an H100 (driver 580).
 */
static int shim_launch_check(const struct shim_launch *launch)
{
    const struct shim_function *function = launch->function;
    const uint32_t of_shape = (SMC_SHAPE_REFUSALS & ~(1u << SMC_REFUSAL_CLUSTER_SHAPE)) |
                              1u << SMC_REFUSAL_THREADS_PER_BLOCK;
    const uint32_t of_registers = 1u << SMC_REFUSAL_REGS_PER_BLOCK,
                   of_clusters =
                       1u << SMC_REFUSAL_CLUSTER_SIZE | 1u << SMC_REFUSAL_COOPERATIVE_SIZE;
    struct smc_occupancy occupancy;
    struct smc_launch model;
    for (int i = 0; i < 3; i++)
        if (launch->block[i] == 0 ||
            (function->required_block[0] && launch->block[i] != function->required_block[i]))
            return SHIM_INVALID_VALUE;
    describe_launch(launch, &model);
    check_model(&model, &occupancy);
    if (!shim_has_grid(launch) || occupancy.refusals & of_shape ||
        (function->max_threads > 0 && model.threads_per_block > function->max_threads))
        return SHIM_INVALID_VALUE;
    if (!shim_has_cluster(launch))
        return SHIM_INVALID_CLUSTER;
    if (is_beyond_resident(launch, &model, &occupancy))
        return SHIM_COOPERATIVE_TOO_LARGE;
    if (occupancy.refusals & ~(of_registers | of_clusters))
        return SHIM_INVALID_VALUE;
    return occupancy.refusals == 0             ? SHIM_SUCCESS
           : occupancy.refusals & of_registers ? SHIM_OUT_OF_RESOURCES
                                               : SHIM_INVALID_CLUSTER;
}

/* Appends ": " and the reason, if it is known. */
static void shim_launch_append_reason(const struct shim_launch *launch, struct smc_text *out)
{
    const struct shim_function *function = launch->function;
    const struct smc_sm *sm = &shim_device()->sm;
    const uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    struct smc_occupancy occupancy;
    struct smc_launch model;
    describe_launch(launch, &model);
    check_model(&model, &occupancy);
    if (occupancy.refusals >> SMC_REFUSAL_SMEM_NOT_OPTED_IN & 1)
        smc_text_printf(out,
                        ": a block of %u bytes of shared memory needs cudaFuncSetAttribute(kernel, "
                        "cudaFuncAttributeMaxDynamicSharedMemorySize, %u) first",
                        model.static_smem_bytes + model.dynamic_smem_bytes,
                        model.dynamic_smem_bytes);
    else if (threads <= sm->max_threads_per_block && function->max_threads > 0 &&
             threads > function->max_threads)
        smc_text_printf(out, ": it was compiled for blocks of at most %u threads",
                        function->max_threads);
    else if (occupancy.refusals) {
        smc_text_append(out, ": ");
        smc_refusal_describe(sm, &model, &occupancy,
                             (enum smc_refusal)__builtin_ctz(occupancy.refusals), out);
    }
}

/* Why the launch is refused, for a program that does not look (shim_records.c). */
static void note_refusal(const struct shim_launch *launch, int error)
{
    const char *text = "";
    smc_auto_text why = {0};
    shim_launch_append_reason(launch, &why);
    cuGetErrorString(error, &text);
    shim_note_refusal(launch->function->name,
                      "the launch with grid (%u,%u,%u) and block (%u,%u,%u) is refused (%s)%s; the "
                      "program does not call cudaGetLastError()",
                      launch->grid[0], launch->grid[1], launch->grid[2], launch->block[0],
                      launch->block[1], launch->block[2], text, why.data ? why.data : "");
}

/* --- Findings --------------------------------------------------------------------------------- */

enum { PAGE = 2 << 20 }; /* of a GPU: accesses within one that belongs to an allocation succeed */

static bool is_in_page(uint64_t address)
{
    size_t count;
    const struct shim_allocation *all = shim_memory_all(&count);
    for (size_t i = 0; i < count; i++)
        if (address >= all[i].address / PAGE * PAGE &&
            address < (all[i].address + all[i].bytes + PAGE - 1) / PAGE * PAGE)
            return true;
    return false;
}

static int shim_launch_error_of(const struct smc_finding *finding)
{
    static const int errors[SMC_FINDING_KINDS] = {
        [SMC_FINDING_OUT_OF_BOUNDS] = SHIM_ILLEGAL_ADDRESS,
        [SMC_FINDING_USE_AFTER_FREE] = SHIM_ILLEGAL_ADDRESS,
        [SMC_FINDING_MISALIGNED] = SHIM_MISALIGNED,
        [SMC_FINDING_ASSERT] = SHIM_ASSERT,
        [SMC_FINDING_TRAP] = SHIM_LAUNCH_FAILED,
        [SMC_FINDING_STACK_OVERFLOW] = SHIM_STACK_ERROR,
        [SMC_FINDING_BAD_CALL] = SHIM_INVALID_PC,
        [SMC_FINDING_DEADLOCK] = SHIM_TIMEOUT,
        [SMC_FINDING_ENDLESS] = SHIM_TIMEOUT,
    };
    const int error = errors[finding->kind];
    const bool is_mapped = finding->is_shared || is_in_page(finding->address);
    return error == SHIM_ILLEGAL_ADDRESS && is_mapped ? 0 : error;
}

static bool shim_launch_read_line(void *context, const char *path, uint32_t number, char *text,
                                  size_t room)
{
    smc_auto_file FILE *file = fopen(path, "re");
    bool is_found = false;
    for (uint32_t line = 1; file && line <= number && fgets(text, (int)room, file);) {
        is_found = line == number;
        line += strchr(text, '\n') != NULL;
    }
    return is_found;
}

/* "in wait, called from gemm at ws.cu:35", unless it is in the kernel itself. */
static void shim_launch_append_stack(const struct smc_program *program,
                                     const struct smc_finding *finding, bool of_other,
                                     struct smc_text *out)
{
    struct smc_stack stack;
    smc_finding_stack(program, finding, of_other, &stack);
    if (stack.frames < 2)
        return;
    smc_text_append(out, of_other ? "; the other access in " : "; in ");
    for (size_t i = 0; i < stack.frames; i++) {
        const struct smc_stack_frame *frame = &stack.frame[i];
        const char *slash = frame->file ? strrchr(frame->file, '/') : NULL;
        smc_auto_text name = {0};
        smc_stack_function(program, frame, &name);
        smc_text_append(out, i == 0 ? "" : i == 1 ? ", called from " : ", from ");
        smc_text_append(out, name.length > 0 ? smc_text_string(&name) : "an unknown function");
        if (i > 0 && frame->line > 0)
            smc_text_printf(out, " at %s:%u", slash ? slash + 1 : frame->file, frame->line);
    }
}

static void shim_launch_take_findings(const struct shim_function *function,
                                      const struct smc_emulation *emulation)
{
    char text[1024];
    for (size_t i = 0; i < emulation->finding_count; i++) {
        struct smc_finding finding = emulation->finding[i];
        smc_auto_text words = {0};
        smc_finding_name_object(function->program, &finding, shim_launch_read_line, NULL);
        smc_finding_describe(function->program, &finding, NULL, text, sizeof text);
        smc_text_append(&words, text);
        shim_launch_append_stack(function->program, &finding, false, &words);
        if (finding.has_other)
            shim_launch_append_stack(function->program, &finding, true, &words);
        if (finding.is_note)
            shim_tell("kernel %s: %s", function->name, smc_text_string(&words));
        else
            shim_record_finding(function->name, smc_finding_name(finding.kind),
                                smc_text_string(&words));
        const int error = shim_launch_error_of(&finding);
        if (error != 0 && sticky == 0)
            sticky = error;
    }
}

/* --- The run ---------------------------------------------------------------------------------- */

static bool list_arguments(const struct shim_launch *launch, struct smc_emulated_argument *argument,
                           size_t count)
{
    const struct smc_program *program = launch->function->program;
    for (size_t i = 0; i < count; i++) {
        const size_t at = smc_program_parameter_offset(program, i);
        if (launch->packed ? at + smc_program_parameter_bytes(program, i) > launch->packed_bytes
                           : !launch->parameters)
            return false;
        argument[i].value =
            launch->packed ? (const char *)launch->packed + at : launch->parameters[i];
        if (!argument[i].value)
            return false;
    }
    return true;
}

static struct smc_emulated_array *list_arrays(size_t *count)
{
    size_t used, freed;
    shim_memory_settle();
    const struct shim_allocation *all = shim_memory_all(&used), *old = shim_memory_freed(&freed);
    struct smc_emulated_array *array = smc_calloc(used + freed + 1, sizeof *array);
    for (size_t i = 0; array && i < used; i++)
        array[i] = (struct smc_emulated_array){.name = all[i].name,
                                               .data = (void *)(uintptr_t)all[i].address,
                                               .bytes = all[i].bytes,
                                               .address = all[i].address,
                                               .written = all[i].written};
    for (size_t i = 0; array && i < freed; i++)
        array[used + i] = (struct smc_emulated_array){.name = old[i].name,
                                                      .bytes = old[i].bytes,
                                                      .address = old[i].address,
                                                      .is_freed = true};
    *count = used + freed;
    return array;
}

static struct smc_emulated_variable *list_variables(const struct shim_function *function,
                                                    size_t *count)
{
    const struct shim_variable *all;
    *count = shim_module_variables(function->module, &all);
    struct smc_emulated_variable *variable = smc_calloc(*count + 1, sizeof *variable);
    for (size_t i = 0; variable && i < *count; i++)
        variable[i] = (struct smc_emulated_variable){all[i].name, (void *)(uintptr_t)all[i].address,
                                                     all[i].bytes};
    return variable;
}

static int shim_launch_emulate(const struct shim_launch *launch,
                               const struct smc_emulation_request *request)
{
    struct smc_emulation emulation;
    struct smc_error error = {""};
    const enum smc_status status = smc_emulate(request, &emulation, &error);
    if (status == SMC_OK) {
        shim_launch_take_findings(launch->function, &emulation);
        if (emulation.output)
            smc_text_append_bytes(&output, emulation.output, emulation.output_bytes);
        shim_record_launch(launch);
    } else {
        shim_tell("kernel %s: %s", launch->function->name, error.message);
    }
    smc_emulation_free(&emulation);
    return status == SMC_OK        ? SHIM_SUCCESS
           : status == SMC_MACHINE ? SHIM_OUT_OF_MEMORY
                                   : SHIM_INVALID_VALUE;
}

int shim_check_launch(const struct shim_launch *launch)
{
    if (!shim_function_read(launch->function))
        return SHIM_NOT_SUPPORTED;
    const int result = shim_launch_check(launch);
    if (result != SHIM_SUCCESS)
        note_refusal(launch, result);
    return result;
}

int shim_launch(const struct shim_launch *launch)
{
    int result = sticky != 0 ? sticky : shim_check_launch(launch);
    if (result != SHIM_SUCCESS)
        return result;
    const struct smc_program *program = launch->function->program;
    struct smc_emulation_request request = {
        .program = program,
        .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
        .block = {launch->block[0], launch->block[1], launch->block[2]},
        .cluster = {launch->cluster[0], launch->cluster[1], launch->cluster[2]},
        .cooperative = launch->cooperative,
        .dynamic_smem_bytes = launch->dynamic_smem_bytes,
        .regs_per_thread = launch->function->regs > 0 ? (uint32_t)launch->function->regs : 0,
        .argument_count = smc_program_parameter_count(program),
        .sm_count = shim_device()->sm_count,
        .strictness = shim_strictness(),
        .heap = &heap,
    };
    smc_bank_layout_of(&shim_device()->sm, SMC_BANK_MODE_4_BYTES, &request.banks);
    smc_auto_free struct smc_emulated_argument *arguments =
        smc_calloc(request.argument_count + 1, sizeof *arguments);
    smc_auto_free struct smc_emulated_array *arrays = list_arrays(&request.array_count);
    smc_auto_free struct smc_emulated_variable *variables =
        list_variables(launch->function, &request.variable_count);
    smc_auto_free struct smc_emulated_texture *textures = shim_textures(&request.texture_count);
    request.textures = textures;
    request.arguments = arguments;
    request.arrays = arrays;
    request.variables = variables;
    if (!arguments || !arrays || !variables || !textures)
        return SHIM_OUT_OF_MEMORY;
    if (!list_arguments(launch, arguments, request.argument_count))
        return SHIM_INVALID_VALUE;
    return shim_launch_emulate(launch, &request);
}
