/* Runs a user's kernel, from its source to the contents of its memory after the launch. */
#include "hardware/user.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/platform.h"
#include "code/compilers.h"
#include "code/inputs.h"
#include "code/nvrtc.h"
#include "code/ptx_facts.h"
#include "code/ptxas_log.h"
#include "code/source_tree.h"
#include "code/user_kernels.h"
#include "hardware/executor/user_code.h"
#include "hardware/executor/user_time.h"

/* --- Results compared ------------------------------------------------------------------------- */

/* How much the order of atomic additions can change an element. A sum has its own bound
   (smc_float_sum_bound). Each addition, or a plain store, also adds the largest bound of a sum in
   shared memory, because its value may come from such a sum. */
static double order_bound(const struct smc_user_memory *memory, const struct smc_emulated_run *seen,
                          uint64_t index)
{
    size_t cell = index * smc_user_types[memory->argument->type].bytes / sizeof(float);
    const struct smc_float_sum *sum =
        memory->sums ? &memory->sums[cell] : &(struct smc_float_sum){0};
    double additions = sum->adds ? (double)sum->adds : 1;
    return smc_float_sum_bound(sum) + additions * seen->shared_bound;
}

/* Whether an element of another result is not the emulator's. */
static bool is_other(const struct smc_user_memory *memory, const void *other, uint64_t i)
{
    const size_t width = smc_user_types[memory->argument->type].bytes;
    return memcmp((const char *)other + i * width, (const char *)memory->after_emulated + i * width,
                  width) != 0;
}

/* Whether the order of atomic additions of floats can explain the difference of an element. */
static bool is_rounding(const struct smc_user_memory *memory, const void *other,
                        const struct smc_emulated_run *seen, uint64_t i)
{
    const struct smc_user_argument *argument = memory->argument;
    if (seen->float_adds == 0 || smc_user_types[argument->type].class != SMC_USER_FLOAT)
        return false;
    const double a = smc_user_number(argument->type, other, i);
    const double b = smc_user_number(argument->type, memory->after_emulated, i);
    return a != b && fabs(a - b) <= order_bound(memory, seen, i);
}

/* Compares what the emulator left with another result. Also counts the floats whose difference the
   order of atomic additions can explain. */
static void compare_results(const struct smc_user_memory *memory, const void *other,
                            const struct smc_emulated_run *seen, struct smc_agreement *agreement)
{
    const struct smc_user_argument *argument = memory->argument;
    smc_user_compare(argument, other, memory->after_emulated, agreement);
    for (uint64_t i = agreement->first; agreement->differing > 0 && i < argument->elements; i++)
        agreement->by_order += is_rounding(memory, other, seen, i);
}

/* --- From the source to the launch ------------------------------------------------------------ */

static enum smc_status user_read_source(const struct smc_user_request *request,
                                        struct smc_text *text, struct smc_error *error)
{
    const char *file = request->file;
    if (request->source)
        smc_text_append(text, request->source);
    else
        SMC_TRY(smc_input_read(file, text, error));
    const enum smc_input_kind kind = smc_input_kind(file, text);
    if (kind == SMC_INPUT_CUBIN || kind == SMC_INPUT_EMBEDDED)
        return SMC_OK;
    if (text->length && memchr(text->data, '\0', text->length))
        return smc_fail(error, SMC_USAGE,
                        "%s: neither CUDA C++, PTX, machine code nor a program with it",
                        smc_file_name(file));
    smc_source_clean(text);
    return SMC_OK;
}

typedef enum smc_status compiler(const struct smc_compilation *, struct smc_nvrtc_output *,
                                 struct smc_error *);

/* Compiles in one way, unless the question has done so before. */
static enum smc_status compile_once(const struct smc_user_run *run,
                                    const struct smc_compilation *compilation,
                                    compiler *compile_with, struct smc_nvrtc_output *output,
                                    struct smc_error *error)
{
    const struct smc_inspect_target *target = &compilation->target;
    smc_auto_text key = {0};
    struct smc_built built = {.status = SMC_OK};
    smc_text_append_bytes(&key, (const char *)&compile_with, sizeof compile_with);
    smc_text_printf(&key, "%u%c%d\n%s\n", target->cc, target->suffix ? target->suffix : ' ',
                    compilation->only_cached, compilation->request->compiler_options);
    smc_text_append(&key, compilation->text);
    struct smc_builds *builds = key.failed ? NULL : run->request.builds;
    if (!smc_builds_find(builds, &key, &built)) {
        built.status = compile_with(compilation, &built.output, &built.error);
        smc_builds_keep(builds, &key, &built);
    }
    *output = built.output;
    if (built.status != SMC_OK)
        *error = built.error;
    return built.status;
}

/* The same, and lists the kernels. */
static enum smc_status compile_so(struct smc_user_run *run,
                                  const struct smc_compilation *compilation, compiler *compile_with,
                                  struct smc_nvrtc_output *output, struct smc_error *error)
{
    const struct smc_inspect_kernel kind = {
        .file = run->request.file,
        .source = compile_with == smc_compile_with_ptxas ? SMC_INSPECT_PTX : SMC_INSPECT_NVRTC,
        .cc = run->request.device.sm.cc,
        .suffix = compilation->target.suffix,
    };
    smc_auto_text faults = {0};
    SMC_TRY(compile_once(run, compilation, compile_with, output, error));
    return smc_read_nvrtc_output(output, &kind, &run->kernels, &faults, error);
}

/* In this order. What nvcc compiled before, for any command, is there at once. NVRTC compiles the
   source itself the fastest; nvcc compiles host code and all that it launches; without nvcc, or if
   it lacks a header, NVRTC compiles the device part. */
static const struct compile_way {
    compiler *compile_with;
    bool only_cached;
} ways[] = {{smc_compile_with_nvcc, true},
            {smc_compile_with_nvrtc, false},
            {smc_compile_with_nvcc, false},
            {smc_compile_device_part, false}};

/* nvcc's error counts most; else that of the device part, or that of the source as a whole if it is
   the only one. `needs_features`: another target may have the instructions. */
static enum smc_status compile_in_some_way(struct smc_user_run *run,
                                           struct smc_compilation compilation,
                                           struct smc_nvrtc_output *output, bool *needs_features,
                                           struct smc_error *error)
{
    enum smc_status worst = SMC_OK;
    struct smc_error refusal = {""};
    struct smc_text *const warnings = compilation.warnings;
    smc_auto_text part = {0};
    *needs_features = false;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const bool is_nvcc = ways[i].compile_with == smc_compile_with_nvcc;
        struct smc_error reason = {""};
        compilation.only_cached = ways[i].only_cached;
        compilation.warnings = ways[i].compile_with == smc_compile_device_part ? &part : warnings;
        enum smc_status status =
            compile_so(run, &compilation, ways[i].compile_with, output, &reason);
        if (status == SMC_OK && (run->kernels.count > 0 || is_nvcc)) {
            if (refusal.message[0])
                smc_warn(warnings, "%.900s; NVRTC compiled its kernels instead", refusal.message);
            smc_text_append(warnings, smc_text_string(&part));
            *error = (struct smc_error){""}; /* of a way before */
            return SMC_OK;
        }
        const bool was_not_compiled =
            ways[i].only_cached && (status == SMC_UNAVAILABLE || output->option_refused);
        if (status != SMC_OK && !was_not_compiled) {
            *needs_features =
                status == SMC_USAGE && smc_log_needs_features(smc_text_string(&output->log));
            if (!refusal.message[0] && (status != SMC_UNAVAILABLE || worst == SMC_OK)) {
                worst = status;
                *error = reason;
            }
            if (!refusal.message[0] && is_nvcc && status == SMC_USAGE)
                refusal = reason;
            if (status == SMC_MACHINE || status == SMC_INTERRUPTED || *needs_features ||
                output->option_refused)
                return worst;
        }
        smc_nvrtc_output_free(output);
        if (status == SMC_OK && ways[i].compile_with == smc_compile_device_part &&
            worst == SMC_UNAVAILABLE) { /* no nvcc would find a kernel in it */
            *error = (struct smc_error){""};
            worst = SMC_OK;
        }
    }
    return worst;
}

static bool names_features(const struct smc_user_run *run)
{
    SMC_AUTO(smc_source_tree_free) struct smc_source_tree tree = {0};
    struct smc_error ignored;
    return smc_source_tree_read(run->request.file, smc_text_string(&run->text),
                                run->request.compiler_options, "", &tree, &ignored) == SMC_OK &&
           smc_source_names_features(&tree);
}

/* Compiles a source once that would be refused without its architecture's features. False: it is
   to be tried without them. */
static bool compile_extended(struct smc_user_run *run, struct smc_compilation compilation,
                             struct smc_nvrtc_output *output)
{
    bool needs_features;
    struct smc_error ignored;
    struct smc_text *const warnings = compilation.warnings;
    smc_auto_text own = {0};
    if (!smc_architecture_extend(&compilation.target) || !names_features(run))
        return false;
    compilation.warnings = &own;
    if (compile_in_some_way(run, compilation, output, &needs_features, &ignored) != SMC_OK)
        return false;
    const char *feature = smc_feature_in(smc_text_string(&output->ptx));
    if (!feature) { /* it is in a function that no kernel calls */
        smc_user_kernels_free(&run->kernels);
        smc_nvrtc_output_free(output);
        return false;
    }
    smc_text_append(warnings, smc_text_string(&own));
    smc_warn(warnings, "compiled for sm_%u%c, which the source needs for %.*s",
             compilation.target.cc, compilation.target.suffix, (int)strcspn(feature, "."), feature);
    return true;
}

/* The same, and with the features of its architecture alone where the source needs them. */
static enum smc_status user_compile_source(struct smc_user_run *run,
                                           const struct smc_compilation *compilation,
                                           struct smc_nvrtc_output *output, struct smc_error *error)
{
    struct smc_compilation extended = *compilation;
    struct smc_error ignored;
    bool needs_features = false;
    if (compile_extended(run, *compilation, output))
        return SMC_OK;
    enum smc_status status = compile_in_some_way(run, *compilation, output, &needs_features, error);
    if (!needs_features || !smc_architecture_extend(&extended.target))
        return status;
    smc_nvrtc_output_free(output);
    if (compile_in_some_way(run, extended, output, &needs_features, &ignored) != SMC_OK)
        return status;
    smc_warn(compilation->warnings,
             "compiled for sm_%u%c, which the source needs; for sm_%u: %.500s", extended.target.cc,
             extended.target.suffix, extended.target.cc, error->message);
    *error = (struct smc_error){""};
    return SMC_OK;
}

/* PTX for sm_90a runs on 9.0 only with the letter. */
static enum smc_status user_compile_ptx(struct smc_user_run *run,
                                        struct smc_compilation compilation,
                                        struct smc_nvrtc_output *output, struct smc_error *error)
{
    uint16_t cc = 0;
    char suffix = '\0';
    smc_ptx_target(compilation.text, &cc, &suffix);
    if (cc == compilation.target.cc)
        compilation.target.suffix = suffix;
    return compile_so(run, &compilation, smc_compile_with_ptxas, output, error);
}

/* Where the kernels are defined; without it only their source lines are missing. */
static bool user_locate(struct smc_user_run *run)
{
    SMC_AUTO(smc_source_tree_free) struct smc_source_tree tree = {0};
    struct smc_error ignored;
    return smc_source_tree_read(run->request.file, smc_text_string(&run->text),
                                run->request.compiler_options, "", &tree, &ignored) == SMC_OK &&
           smc_user_kernels_locate(&run->kernels, 0, &tree);
}

static enum smc_status compile_for(struct smc_user_run *run,
                                   const struct smc_compilation *compilation,
                                   struct smc_nvrtc_output *output, struct smc_error *error)
{
    if (smc_input_kind(run->request.file, &run->text) == SMC_INPUT_PTX)
        return user_compile_ptx(run, *compilation, output, error);
    enum smc_status status = user_compile_source(run, compilation, output, error);
    return status == SMC_OK && !user_locate(run) ? smc_out_of_memory(error) : status;
}

/* -lineinfo changes neither the code nor its speed; it provides the source lines of findings. */
static enum smc_status user_compile(struct smc_user_run *run, struct smc_nvrtc_output *output,
                                    struct smc_text *warnings, struct smc_error *error)
{
    const struct smc_user_request *request = &run->request;
    const struct smc_inspect_target asked = {request->device.sm.cc, request->suffix};
    struct smc_architectures found;
    smc_auto_text options = {0};
    enum smc_status status =
        smc_architectures_read(request->compiler_options, &asked, 1, false, &found, error);
    smc_text_printf(&options, "-lineinfo %s", smc_text_string(&found.options));
    const struct smc_inspect_request compiling = {
        .compiler_options = smc_text_string(&options),
        .no_cache = request->no_cache,
    };
    const struct smc_compilation compilation = {
        .file = smc_file_name(request->file),
        .is_standard_input = smc_file_is_standard_input(request->file),
        .is_part = run->is_part,
        .text = smc_text_string(&run->text),
        .target = found.target[0],
        .request = &compiling,
        .warnings = warnings,
    };
    if (status == SMC_OK && options.failed)
        status = smc_out_of_memory(error);
    if (status == SMC_OK)
        status = compile_for(run, &compilation, output, error);
    smc_text_free(&found.options);
    if (status == SMC_OK)
        smc_log_tell_warnings(smc_text_string(&output->log), compilation.file, warnings);
    return status;
}

/* The model's prediction for the launch. */
static void user_answer(struct smc_user_run *run, const struct smc_inspect_kernel *kernel,
                        const struct smc_nvrtc_output *output)
{
    const struct smc_user_request *request = &run->request;
    const uint32_t *grid = request->grid, *block = request->block;
    struct smc_inspect_request asked = {
        .threads_per_block = (int64_t)block[0] * block[1] * block[2],
        .dynamic_smem_bytes = request->dynamic_smem_bytes,
        .settings = request->launch,
    };
    if (!request->launch.is_cooperative) /* is the grid a multiple of the cluster? */
        memcpy(asked.settings.grid, grid, sizeof asked.settings.grid);
    smc_inspect_answer_one(kernel, &request->device, &asked, &run->row);
    struct smc_answer *answer = &run->answer;
    smc_inspect_complete(&run->row, answer);
    answer->regs_given = false;
    answer->dynamic_smem_given = request->dynamic_smem_bytes > 0;
    answer->resources.source = output->nvrtc_major ? SMC_RESOURCES_NVRTC : SMC_RESOURCES_FILE;
    answer->resources.cc = kernel->cc;
    answer->resources.suffix = kernel->suffix;
    answer->resources.nvrtc_major = output->nvrtc_major;
    answer->resources.nvrtc_minor = output->nvrtc_minor;
    answer->plan.grid_blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    memcpy(answer->plan.grid, grid, sizeof answer->plan.grid);
    memcpy(answer->plan.block, block, sizeof answer->plan.block);
    smc_query_conclude(answer);
    run->compiled.resources = answer->resources;
}

/* The kernel's own clusters are those that a launch may ask for. */
static enum smc_status user_check_cluster(const struct smc_user_run *run, struct smc_error *error)
{
    const struct smc_inspect_kernel *kernel = run->row.kernel;
    const uint32_t asked = run->request.launch.blocks_per_cluster;
    if (asked <= 1 || kernel->blocks_per_cluster <= 1 || asked == kernel->blocks_per_cluster)
        return SMC_OK;
    return smc_fail(error, SMC_USAGE,
                    "option --cluster: '%u' blocks are not the %u that %s is compiled for "
                    "(__cluster_dims__)",
                    asked, kernel->blocks_per_cluster, kernel->shown);
}

static enum smc_status user_check_block(const struct smc_user_run *run, struct smc_error *error)
{
    const struct smc_inspect_kernel *kernel = run->row.kernel;
    if (!run->row.exceeds_bound)
        return SMC_OK;
    return smc_fail(error, SMC_USAGE,
                    "option --block: %u threads are more than the %u of the launch bounds of %s",
                    run->row.launch.threads_per_block, kernel->max_threads_per_block,
                    kernel->shown);
}

/* Nothing was compiled, because of a template. */
static enum smc_status fail_without_instance(const struct smc_user_run *run,
                                             struct smc_error *error)
{
    smc_auto_text why = {0};
    if (!smc_source_append_template(run->request.file, smc_text_string(&run->text),
                                    run->request.compiler_options, &why))
        return SMC_OK;
    return smc_fail(error, SMC_USAGE, "%s: no kernel in it: %s", smc_file_name(run->request.file),
                    smc_text_string(&why));
}

/* Compiles the text of the run and chooses the kernel, by another name than the request's if
   `entry` is not NULL. */
static enum smc_status compile_and_choose(struct smc_user_run *run, const char *entry,
                                          struct smc_nvrtc_output *output,
                                          const struct smc_inspect_kernel **kernel,
                                          struct smc_text *warnings, struct smc_error *error)
{
    const struct smc_user_request *request = &run->request;
    if (request->compiles)
        request->compiles(request, true);
    enum smc_status status = user_compile(run, output, warnings, error);
    if (request->compiles)
        request->compiles(request, false);
    if (status == SMC_OK && run->kernels.count == 0)
        SMC_TRY(fail_without_instance(run, error));
    return status == SMC_OK ? smc_user_choose(&run->kernels, smc_file_name(request->file),
                                              entry ? entry : request->entry, kernel, error)
                            : status;
}

/* The same for a file with machine code. */
static enum smc_status take_and_choose(struct smc_user_run *run, struct smc_nvrtc_output *output,
                                       const struct smc_inspect_kernel **kernel,
                                       struct smc_text *warnings, struct smc_error *error)
{
    const struct smc_user_request *request = &run->request;
    SMC_TRY(smc_user_list_code(run, warnings, error));
    SMC_TRY(smc_user_choose(&run->kernels, smc_file_name(request->file), request->entry, kernel,
                            error));
    SMC_TRY(smc_user_take_code(run, kernel, output, error));
    if (output->binary.cubin)
        return SMC_OK;
    smc_auto_free char *name = smc_strdup((*kernel)->name);
    smc_user_kernels_free(&run->kernels);
    return name ? compile_and_choose(run, name, output, kernel, warnings, error)
                : smc_out_of_memory(error);
}

/* The arguments, by the PTX if there is any, and the files that they name. */
static enum smc_status user_check_request(struct smc_user_run *run,
                                          const struct smc_inspect_kernel *kernel,
                                          const struct smc_nvrtc_output *output,
                                          struct smc_text *warnings, struct smc_error *error)
{
    if (output->binary.cubin && output->ptx.length == 0) {
        smc_auto_text variables = {0};
        SMC_TRY(smc_user_check_code_arguments(&output->binary, kernel, run, warnings, error));
        SMC_TRY(smc_user_declare_variables(&output->binary, &variables, error));
        SMC_TRY(smc_user_find_variables(smc_text_string(&variables), run, error));
    } else {
        const char *ptx = smc_text_string(&output->ptx);
        SMC_TRY(smc_user_check_arguments(ptx, kernel, run, warnings, error));
        SMC_TRY(smc_user_find_variables(ptx, run, error));
    }
    return smc_user_check_files(run, error);
}

enum smc_status smc_user_prepare(const struct smc_user_request *request, struct smc_user_run *run,
                                 struct smc_text *warnings, struct smc_error *error)
{
    SMC_AUTO(smc_nvrtc_output_free) struct smc_nvrtc_output output = {0};
    const struct smc_inspect_kernel *kernel = NULL;
    run->request = *request;
    SMC_TRY(user_read_source(request, &run->text, error));
    if (smc_user_is_code(run))
        SMC_TRY(take_and_choose(run, &output, &kernel, warnings, error));
    else
        SMC_TRY(compile_and_choose(run, NULL, &output, &kernel, warnings, error));
    run->request.file = smc_file_name(request->file);
    if (!kernel->resources.refused)
        SMC_TRY(user_check_request(run, kernel, &output, warnings, error));
    user_answer(run, kernel, &output);
    struct smc_binary *binary = &run->compiled.binary;
    *binary = output.binary;
    output.binary = (struct smc_binary){0};
    binary->ptx = output.ptx.data; /* both come from malloc */
    binary->ptx_bytes = output.ptx.length;
    output.ptx = (struct smc_text){0};
    SMC_TRY(user_check_block(run, error));
    SMC_TRY(user_check_cluster(run, error));
    return request->without_time ? SMC_OK : smc_user_find_time(run, error);
}

/* --- Its memory ------------------------------------------------------------------------------- */

static void look_at_memory(struct smc_user_run *run)
{
    const struct smc_run_result *result = &run->result;
    for (size_t i = 0; i < run->memory_count; i++) {
        struct smc_user_memory *memory = &run->memory[i];
        const struct smc_user_argument *argument = memory->argument;
        memory->has_gpu = result->finish.succeeded;
        memory->has_emulated = result->emulation.succeeded;
        if (memory->has_gpu)
            smc_user_digest(argument, memory->before, memory->after_gpu, &memory->gpu);
        if (memory->has_emulated)
            smc_user_digest(argument, memory->before, memory->after_emulated, &memory->emulated);
        if (memory->has_gpu && memory->has_emulated)
            compare_results(memory, memory->after_gpu, &result->emulated, &memory->agreement);
    }
}

static bool is_explained(const struct smc_agreement *agreement)
{
    return agreement->by_turns + agreement->by_order == agreement->differing;
}

static int by_bits(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The elements of which the GPU's result or that of the other order is not the emulator's. */
static uint64_t unlike(const struct smc_user_memory *memory, const void *reversed, const void *from,
                       uint64_t *bits)
{
    const size_t width = smc_user_types[memory->argument->type].bytes;
    uint64_t count = 0;
    for (uint64_t i = 0; i < memory->argument->elements; i++) {
        if (!is_other(memory, memory->after_gpu, i) && !is_other(memory, reversed, i))
            continue;
        bits[count] = 0;
        memcpy(&bits[count++], (const char *)from + i * width, width);
    }
    qsort(bits, count, sizeof *bits, by_bits);
    return count;
}

/* Whether they hold the same values on the GPU, in whatever places. */
static bool is_permuted(const struct smc_user_memory *memory, const void *reversed)
{
    const uint64_t elements = memory->argument->elements;
    smc_auto_free uint64_t *a = smc_malloc(elements * sizeof *a);
    smc_auto_free uint64_t *b = smc_malloc(elements * sizeof *b);
    if (!a || !b || smc_user_types[memory->argument->type].bytes > sizeof *a)
        return false;
    const uint64_t count = unlike(memory, reversed, memory->after_gpu, a);
    unlike(memory, reversed, memory->after_emulated, b);
    return memcmp(a, b, count * sizeof *a) == 0;
}

/* Counts the elements that are explained by what another order of turns gives. */
static void explain_by_turns(struct smc_user_memory *memory, const void *reversed,
                             const struct smc_emulated_run *seen)
{
    struct smc_agreement *agreement = &memory->agreement;
    uint64_t left = 0;
    for (uint64_t i = agreement->first; i < memory->argument->elements; i++) {
        if (!is_other(memory, memory->after_gpu, i) ||
            is_rounding(memory, memory->after_gpu, seen, i))
            continue;
        if (is_other(memory, reversed, i) && !is_rounding(memory, reversed, seen, i))
            agreement->by_turns++;
        else if (left++ == 0)
            agreement->first_left = i;
    }
    if (left > 0 && agreement->by_turns > 0 && is_permuted(memory, reversed))
        agreement->by_turns += left;
}

/* Keeps the emulator's results aside; or gives them back, and notes where another order of turns
   gave another one. */
static bool keep_results(struct smc_user_run *run, void **kept)
{
    for (size_t i = 0; i < run->memory_count; i++) {
        kept[i] = run->memory[i].after_emulated;
        run->memory[i].after_emulated = smc_malloc(run->memory[i].bytes);
        if (!run->memory[i].after_emulated)
            return false;
    }
    return true;
}

static void return_results(struct smc_user_run *run, void **kept, bool compares)
{
    for (size_t i = 0; i < run->memory_count && kept[i]; i++) {
        struct smc_user_memory *memory = &run->memory[i];
        smc_auto_free void *other = memory->after_emulated;
        memory->after_emulated = kept[i];
        if (compares && !is_explained(&memory->agreement))
            explain_by_turns(memory, other, &run->result.emulated);
    }
}

/* Where the GPU's result differs, whether the emulator's own depends on the order, too. Without
   memory or time for another emulation the difference stays unexplained. */
static void explain_differences(const struct smc_run_request *request)
{
    struct smc_user_run *run = request->user;
    void *kept[SMC_MAX_USER_MEMORIES] = {NULL};
    struct smc_error why;
    bool differs = false;
    for (size_t i = 0; i < run->memory_count; i++)
        differs |= !is_explained(&run->memory[i].agreement);
    if (differs)
        return_results(run, kept,
                       keep_results(run, kept) && smc_emulate_reversed(request, &why) == SMC_OK);
}

/* --- What is expected ------------------------------------------------------------------------- */

static void compare_with(const void *expected, struct smc_user_memory *memory)
{
    const struct smc_user_argument *argument = memory->argument;
    const void *seen = smc_user_after(memory, !memory->has_emulated);
    const double slack = smc_user_slack(argument, expected, SMC_USER_TOLERANCE);
    struct smc_agreement *agreement = &memory->expected;
    *agreement = (struct smc_agreement){.compared = true, .elements = argument->elements};
    for (uint64_t i = argument->elements; i-- > 0;) {
        if (smc_user_is_close(smc_user_any_number(argument->type, seen, i),
                              smc_user_any_number(argument->type, expected, i), slack))
            continue;
        agreement->differing++;
        agreement->first = i;
    }
    if (agreement->differing == 0)
        return;
    smc_user_show(argument->type, seen, agreement->first, memory->seen_value);
    smc_user_show(argument->type, expected, agreement->first, memory->expected_value);
}

static enum smc_status compare_expected(struct smc_user_run *run, struct smc_error *error)
{
    for (size_t i = 0; i < run->request.expected_count; i++) {
        const struct smc_user_expected *one = &run->request.expected[i];
        struct smc_user_memory *memory = &run->memory[smc_user_memory_of(run, one->argument)];
        struct smc_user_argument file = *memory->argument;
        file.typed = one->typed;
        file.filling = SMC_USER_FILE;
        file.path = one->path;
        memory->expected_as = one->path ? one->path : one->name;
        if (!memory->has_emulated && !memory->has_gpu)
            continue;
        smc_auto_free void *expected = smc_malloc(memory->bytes);
        const enum smc_status status =
            !expected        ? smc_out_of_memory(error)
            : one->reference ? one->reference->compute(one->reference, run, expected, error)
                             : smc_user_fill(&file, memory->name, 0, expected, error);
        SMC_TRY(smc_fail_in(error, status, "option --expect"));
        compare_with(expected, memory);
    }
    return SMC_OK;
}

/* --- The launch ------------------------------------------------------------------------------- */

enum smc_status smc_user_launch(struct smc_user_run *run, struct smc_text *warnings,
                                struct smc_error *error)
{
    const struct smc_run_settings *settings = run->request.settings;
    const struct smc_run_request request = {
        .answer = &run->answer,
        .compiled = &run->compiled,
        .settings = settings,
        .user = run,
    };
    enum smc_status status = run->has_memory ? SMC_OK : smc_user_make_memory(run, error);
    run->has_memory |= status == SMC_OK;
    if (status == SMC_OK)
        status = smc_place_executor(settings->place)->run(&request, &run->result, warnings, error);
    smc_machine_host_name(run->result.host_name);
    run->result.seed = run->request.settings->seed;
    if (status == SMC_OK || run->result.emulation.made)
        look_at_memory(run);
    smc_run_set_empty_launch(&run->result, &run->answer.time);
    if (status == SMC_OK)
        explain_differences(&request);
    return status == SMC_OK ? compare_expected(run, error) : status;
}

/* Whether the emulator, which has not run the kernel, may say why it failed on the GPU. */
static bool emulator_may_tell(const struct smc_user_run *run, const struct smc_attempt *failed)
{
    return failed == &run->result.finish && !run->result.emulation.made &&
           run->compiled.binary.ptx_bytes > 0;
}

enum smc_status smc_user_ending(const struct smc_user_run *run, struct smc_error *error)
{
    const struct smc_run_result *result = &run->result;
    const struct smc_attempt *finish = &result->emulated.finish;
    const struct {
        const struct smc_attempt *attempt;
        const char *what;
    } steps[] = {{&result->load, "the driver does not accept the machine code"},
                 {&result->launch, "the launch was refused"},
                 {&result->finish, "the kernel crashed or hangs on the GPU"}};
    const char *name = run->row.kernel->shown;
    if (result->stopped || result->emulated.stopped)
        return smc_fail(error, SMC_INTERRUPTED, "interrupted: %.256s: %s", name,
                        result->stopped ? result->finish.message : finish->message);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i].attempt->made && !steps[i].attempt->succeeded)
            return smc_fail(error, SMC_MACHINE, "%.256s: %s: %s%s", name, steps[i].what,
                            steps[i].attempt->message,
                            emulator_may_tell(run, steps[i].attempt)
                                ? "; --on emulator names a bad access and its line"
                                : "");
    if (finish->made && !finish->succeeded)
        return smc_fail(error, SMC_SHORTFALL, "%.256s: %s", name, finish->message);
    return SMC_OK;
}

void smc_user_free(struct smc_user_run *run)
{
    for (size_t i = 0; i < run->memory_count; i++) {
        free(run->memory[i].typed);
        free(run->memory[i].before);
        free(run->memory[i].after_gpu);
        free(run->memory[i].after_emulated);
        free(run->memory[i].sums);
    }
    for (size_t i = 0; i < SMC_MAX_USER_ARGUMENTS; i++)
        free(run->value[i].data), free(run->symbol[i].name);
    for (size_t i = 0; i < run->request.expected_count; i++)
        if (run->request.expected[i].reference)
            run->request.expected[i].reference->free(run->request.expected[i].reference);
    free(run->pointer);
    smc_annotation_free(&run->annotation);
    smc_text_free(&run->text);
    smc_text_free(&run->printed);
    smc_binary_free(&run->compiled.binary);
    smc_user_kernels_free(&run->kernels);
    *run = (struct smc_user_run){0};
}
