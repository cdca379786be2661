/* The emulator back end: runs the PTX on the CPU and counts. Quantities that only a GPU can provide
   are not measured, and the result says so. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/platform.h"
#include "base/text.h"
#include "code/compile.h"
#include "code/machine_code.h"
#include "code/names.h"
#include "code/user_kernels.h"
#include "hardware/fleet/check.h"
#include "hardware/user.h"

/* --- What was counted ------------------------------------------------------------------------- */

/* Runs the PTX. The machine code shows how ptxas joined the loads: if that is found, later launches
   also count loads as the machine code has them; otherwise `run` says why not. */
static void emulator_follow(struct smc_program *program, const struct smc_binary *binary,
                            const char *entry, struct smc_emulated_run *run)
{
    struct smc_error error = {""};
    uint64_t loads[SMC_LOAD_WIDTHS];
    if (smc_machine_code_loads(binary->cubin, binary->cubin_bytes, entry, loads, &error) !=
        SMC_OK) {
        snprintf(run->not_followed, sizeof run->not_followed, "%.159s", error.message);
        return;
    }
    run->follows_machine_code = smc_program_follow(program, loads) != SMC_FOLLOWING_UNKNOWN;
    if (!run->follows_machine_code)
        snprintf(run->not_followed, sizeof run->not_followed,
                 "which loads ptxas joined is not known");
}

void smc_emulated_copies(const struct smc_program *program, const struct smc_emulation *emulation,
                         struct smc_shared_count *copies)
{
    *copies = (struct smc_shared_count){0};
    for (size_t i = 0; i < emulation->count_length; i++) {
        if (!(smc_program_instruction(program, i)->flags & SMC_INSTRUCTION_ASYNC_COPY))
            continue;
        copies->instructions += (double)emulation->count[i].shared_stores;
        copies->wavefronts += (double)emulation->count[i].store_wavefronts;
    }
}

static void take_counts(const struct smc_emulation *emulation, struct smc_emulated_run *run)
{
    const struct smc_emulated_count *total = &emulation->total;
    run->loads = (struct smc_shared_count){.instructions = (double)total->shared_loads,
                                           .wavefronts = (double)total->load_wavefronts};
    run->stores = (struct smc_shared_count){.instructions = (double)total->shared_stores,
                                            .wavefronts = (double)total->store_wavefronts};
    run->conflicts =
        (double)(total->load_wavefronts + total->store_wavefronts - total->least_wavefronts);
    run->machine_loads =
        (struct smc_shared_count){.instructions = (double)total->machine_loads,
                                  .wavefronts = (double)total->machine_load_wavefronts};
    run->warp_instructions = (double)total->executions;
    run->thread_instructions = (double)total->lanes;
    run->threads = emulation->threads_used;
}

/* Where the name begins among those of the run; 0: there is no room for it. */
static uint16_t emulator_keep_name(struct smc_emulated_run *run, const char *name, size_t length)
{
    if (run->names_bytes == 0)
        run->names_bytes = 1; /* "" */
    for (size_t at = 1; at < run->names_bytes; at += strlen(run->names + at) + 1)
        if (strlen(run->names + at) == length && memcmp(run->names + at, name, length) == 0)
            return (uint16_t)at;
    if (length == 0 || length >= sizeof run->names - run->names_bytes)
        return 0;
    size_t at = run->names_bytes;
    memcpy(run->names + at, name, length);
    run->names[at + length] = '\0';
    smc_utf8_make_safe(run->names + at);
    run->names_bytes += strlen(run->names + at) + 1;
    return (uint16_t)at;
}

/* Removes the namespace that the compiler puts static functions into, which is named after the
   file. Returns the length that remains. */
static size_t drop_internal(char *name, size_t length)
{
    static const char internal[] = "_INTERNAL_";
    char *begin = name;
    while ((begin = strstr(begin, internal)) && begin < name + length) {
        char *end = strstr(begin, "::");
        if (!end || end >= name + length)
            break;
        memmove(begin, end + 2, strlen(end + 2) + 1);
        length -= (size_t)(end + 2 - begin);
    }
    return length;
}

/* Without return type and parameters. False: out of memory. */
static bool keep_function(const struct smc_program *program, const struct smc_stack_frame *frame,
                          struct smc_emulated_run *run, uint16_t *at)
{
    smc_auto_text compiled = {0};
    struct smc_name parsed;
    smc_stack_function(program, frame, &compiled);
    smc_auto_free char *shown = smc_demangle(smc_text_string(&compiled));
    if (shown) {
        smc_name_parse(shown, &parsed);
        char *begin = shown + (parsed.begin - shown);
        *at = emulator_keep_name(run, begin, drop_internal(begin, parsed.length));
    }
    return shown && !compiled.failed;
}

/* `source` is the kernel's file: as the user named it, if the line table has it in another form.
 * False: out of memory. */
static bool take_stack(const struct smc_program *program, const struct smc_finding *finding,
                       bool of_other, const char *source, struct smc_emulated_run *run,
                       struct smc_run_stack *out)
{
    struct smc_stack stack;
    smc_finding_stack(program, finding, of_other, &stack);
    out->frames = stack.frames;
    out->is_complete = stack.is_complete;
    for (size_t i = 0; i < stack.frames; i++) {
        const struct smc_stack_frame *frame = &stack.frame[i];
        const char *file = frame->file ? frame->file : "";
        if (strcmp(smc_last_part(file), smc_last_part(source)) == 0)
            file = source;
        out->frame[i] = (struct smc_run_frame){
            .line = frame->line,
            .file = emulator_keep_name(run, file, strlen(file)),
            .is_inlined = frame->is_inlined,
        };
        if (!keep_function(program, frame, run, &out->frame[i].function))
            return false;
    }
    return true;
}

/* `file`: as in `take`. False: out of memory. */
static bool emulator_take_findings(const struct smc_program *program,
                                   const struct smc_emulation *emulation, const char *file,
                                   const char *source, struct smc_emulated_run *run)
{
    run->findings_total = emulation->findings_total;
    run->finding_count = emulation->finding_count;
    for (size_t i = 0; i < emulation->finding_count; i++) {
        struct smc_run_finding *out = &run->finding[i];
        out->finding = emulation->finding[i];
        if (!take_stack(program, &out->finding, false, source, run, &out->stack))
            return false;
        if (out->finding.has_other &&
            !take_stack(program, &out->finding, true, source, run, &out->other_stack))
            return false;
        smc_finding_describe(program, &out->finding, file, out->text, sizeof out->text);
    }
    return true;
}

/* `file` is the name of the source in messages; if NULL, the line table's name is used. `source` is
   the file of the source. False: out of memory. */
static bool emulator_take(const struct smc_program *program, const struct smc_emulation *emulation,
                          const char *file, const char *source, struct smc_emulated_run *run)
{
    run->total = emulation->total;
    run->float_adds = emulation->float_adds;
    run->shared_bound = emulation->shared_bound;
    take_counts(emulation, run);
    smc_emulated_copies(program, emulation, &run->copies);
    return smc_emulation_find_fidelity(program, emulation, &run->fidelity) &&
           emulator_take_findings(program, emulation, file, source, run);
}

/* --- The line with the most bank conflicts, and what removes them ----------------------------- */

static uint32_t emulator_back_end_line_of(const struct smc_program *program, size_t instruction)
{
    return smc_program_instruction(program, instruction)->line;
}

static bool is_same_line(const struct smc_program *program, size_t a, size_t b)
{
    return emulator_back_end_line_of(program, a) == emulator_back_end_line_of(program, b) &&
           smc_program_instruction(program, a)->file == smc_program_instruction(program, b)->file;
}

/* The instruction with the most conflicts; other instructions of its line may have conflicts as
   well. */
static size_t emulator_find_worst(const struct smc_emulation *emulation)
{
    size_t worst = 0;
    for (size_t i = 1; i < emulation->count_length; i++)
        if (smc_emulated_conflicts(&emulation->count[i]) >
            smc_emulated_conflicts(&emulation->count[worst]))
            worst = i;
    return worst;
}

/* Advice holds only if every lane's address was seen. */
static enum smc_status find_remedy(const struct smc_program *program,
                                   const struct smc_run_request *request,
                                   const struct smc_emulation *emulation, size_t worst,
                                   struct smc_conflict_site *site)
{
    const struct smc_conflict_sample *sample = &emulation->sample[worst];
    const struct smc_inspect_kernel *kernel = request->user ? request->user->row.kernel : NULL;
    struct smc_bank_layout banks;
    if (!sample->taken)
        return SMC_OK;
    smc_bank_layout_of(&request->answer->query.device.sm, SMC_BANK_MODE_4_BYTES, &banks);
    const struct smc_array_question question = {
        .program = program,
        .log = &emulation->log,
        .banks = &banks,
        .declared = kernel ? kernel->array : NULL,
        .declared_count = kernel ? kernel->arrays : 0,
        .address = sample->access.address[__builtin_ctz(sample->access.mask)],
    };
    smc_array_describe(&question, &site->advice);
    if (!emulation->completed || emulation->log.failed || !smc_program_by_lanes_alone(program))
        return SMC_OK;
    return smc_array_advise(&question, &site->advice);
}

/* The file of the line: "" if it is the kernel's. */
static void name_file(const struct smc_program *program, const struct smc_run_request *request,
                      size_t instruction, struct smc_conflict_site *site)
{
    const struct smc_instruction *at = smc_program_instruction(program, (uint32_t)instruction);
    const char *file = at->line ? smc_program_file(program, at->file) : NULL;
    const char *own = request->user ? request->user->request.file : "";
    const char *base = file ? strrchr(file, '/') : NULL, *own_base = strrchr(own, '/');
    base = base ? base + 1 : file;
    own_base = own_base ? own_base + 1 : own;
    if (base && request->user && strcmp(base, own_base) != 0)
        snprintf(site->file, sizeof site->file, "%.95s", base);
}

/* The line with the most bank conflicts, and the change that removes them. SMC_MACHINE: out of
   memory. */
static enum smc_status find_conflicts(const struct smc_program *program,
                                      const struct smc_run_request *request,
                                      const struct smc_emulation *emulation,
                                      struct smc_conflict_site *site, struct smc_error *error)
{
    const struct smc_emulated_count *total = &emulation->total;
    *site = (struct smc_conflict_site){
        .all = smc_emulated_conflicts(total),
        .wavefronts = smc_emulated_wavefronts(total),
    };
    if (site->all == 0)
        return SMC_OK;
    size_t worst = emulator_find_worst(emulation);
    site->line = emulator_back_end_line_of(program, worst);
    for (size_t i = 0; i < emulation->count_length; i++)
        if (i == worst || (site->line && is_same_line(program, i, worst)))
            site->conflicts += smc_emulated_conflicts(&emulation->count[i]);
    name_file(program, request, worst, site);
    if (find_remedy(program, request, emulation, worst, site) != SMC_OK)
        return smc_out_of_memory(error);
    return SMC_OK;
}

/* --- A launch --------------------------------------------------------------------------------- */

struct emulator_job {
    const struct smc_run_request *request;
    struct smc_run_result *result;
    struct smc_error *error;
    struct smc_program *program;
    size_t array_count, argument_count;
    struct smc_emulated_array arrays[SMC_MAX_USER_MEMORIES];
    uint64_t address[SMC_MAX_USER_MEMORIES]; /* of a user's memory */
    size_t array_of[SMC_MAX_USER_MEMORIES];  /* the array or variable that it is */
    struct smc_emulated_variable variables[SMC_MAX_USER_ARGUMENTS];
    size_t variable_count;
    struct smc_emulated_texture textures[SMC_MAX_USER_MEMORIES];
    size_t texture_count;
    struct smc_emulated_argument arguments[SMC_MAX_USER_ARGUMENTS];
    bool owns_arrays;
    double deadline_ms; /* by smc_clock_ms; 0: none */
    struct smc_emulation emulation;
};

_Static_assert((int)SMC_MAX_BUFFERS <= (int)SMC_MAX_USER_ARGUMENTS &&
                   (int)SMC_MAX_ARGUMENTS <= (int)SMC_MAX_USER_ARGUMENTS,
               "a catalog kernel's arrays and arguments fit");

static bool is_stopped(const struct emulator_job *run)
{
    const struct smc_run_settings *settings = run->request->settings;
    return settings->stop && settings->stop();
}

static bool ends_early(const void *context)
{
    const struct emulator_job *run = context;
    return is_stopped(run) || (run->deadline_ms > 0 && smc_clock_ms() > run->deadline_ms);
}

/* Returns SMC_UNAVAILABLE for PTX that the emulator does not support, because it is the compiler's
   output, not the user's input. */
static enum smc_status emulator_read_program(struct emulator_job *run)
{
    const struct smc_binary *binary = &run->request->compiled->binary;
    const char *entry = smc_run_entry(run->request);
    if (!binary->ptx)
        return smc_fail(run->error, SMC_UNAVAILABLE, "this NVRTC gives no PTX");
    SMC_TRY(smc_program_read(binary->ptx, binary->ptx_bytes, entry, &run->program, run->error));
    emulator_follow(run->program, binary, entry, &run->result->emulated);
    return SMC_OK;
}

/* A line of the user's source. */
static bool emulator_read_line(void *context, const char *file, uint32_t line, char *text,
                               size_t room)
{
    const struct smc_user_run *user = ((const struct emulator_job *)context)->request->user;
    if (strcmp(smc_last_part(file), smc_last_part(user->request.file)) != 0)
        return false;
    const char *at = smc_text_line(smc_text_string(&user->text), line);
    snprintf(text, room, "%.*s", (int)strcspn(at, "\n"), at);
    return *at;
}

static struct smc_emulation_request emulator_launch_of(const struct emulator_job *run)
{
    const struct smc_answer *answer = run->request->answer;
    const uint32_t *grid = answer->plan.grid, *block = answer->plan.block;
    struct smc_emulation_request launch = {
        .program = run->program,
        .grid = {grid[0], grid[1], grid[2]},
        .block = {block[0], block[1], block[2]},
        .cooperative =
            smc_run_is_cooperative(run->request, smc_program_asks_cooperative(run->program)),
        .dynamic_smem_bytes = answer->launch.dynamic_smem_bytes,
        .arrays = run->arrays,
        .array_count = run->array_count,
        .textures = run->textures,
        .texture_count = run->texture_count,
        .arguments = run->arguments,
        .argument_count = run->argument_count,
        .variables = run->variables,
        .variable_count = run->variable_count,
        .sm_count = answer->query.device.sm_count,
        .ignores_sources = run->request->user == NULL,
        .strictness = run->request->settings->strictness,
        .threads = run->request->settings->threads,
        .logs_shared = run->request->user != NULL, /* the catalog has its own advice */
        .stop = run->request->settings->stop || run->deadline_ms > 0 ? ends_early : NULL,
        .stop_context = run,
        .progress = run->request->settings->progress,
    };
    smc_run_cluster(run->request, launch.cluster);
    smc_bank_layout_of(&answer->query.device.sm, SMC_BANK_MODE_4_BYTES, &launch.banks);
    return launch;
}

static enum smc_status emulator_emulate(struct emulator_job *run)
{
    const struct smc_answer *answer = run->request->answer;
    struct smc_emulated_run *emulated = &run->result->emulated;
    const struct smc_emulation_request launch = emulator_launch_of(run);
    double start_ms = smc_clock_ms();
    enum smc_status status = smc_emulate(&launch, &run->emulation, run->error);
    emulated->elapsed_ms = smc_clock_ms() - start_ms;
    if (status == SMC_INTERRUPTED && run->request->user) { /* the counts so far are valid */
        emulated->stopped = is_stopped(run);
        emulated->finish.made = true;
        run->error->message[0] = '\0';
        status = SMC_OK;
    }
    if (status != SMC_OK)
        return status;
    const struct smc_user_run *user = run->request->user;
    for (size_t i = 0; user && i < run->emulation.finding_count; i++)
        smc_finding_name_object(run->program, &run->emulation.finding[i], emulator_read_line, run);
    const char *of_catalog = user ? NULL : answer->query.kernel->file;
    if (!emulator_take(run->program, &run->emulation, of_catalog,
                       user ? user->request.file : of_catalog, emulated))
        return smc_out_of_memory(run->error);
    run->result->emulation = (struct smc_attempt){.made = true, .succeeded = true};
    return find_conflicts(run->program, run->request, &run->emulation, &emulated->site, run->error);
}

/* Adds the counts to the lines of `text`. */
static enum smc_status annotate(struct emulator_job *run, const char *file, const char *text)
{
    struct smc_annotation *annotation = run->request->settings->annotation;
    SMC_TRY(smc_annotate(run->program, &run->emulation, file, text, annotation, run->error));
    run->result->emulated.annotation = annotation;
    return SMC_OK;
}

/* --- A kernel of the catalog ------------------------------------------------------------------ */

/* All arrays are written, so on a system that overcommits memory too large a launch could get other
   processes killed. It is refused instead. */
static enum smc_status emulator_check_memory(const struct smc_plan *plan, struct smc_error *error)
{
    uint64_t total = 0, bytes, machine = smc_machine_memory_bytes();
    for (size_t i = 0; i < plan->buffer_count; i++)
        if (__builtin_mul_overflow(plan->buffer[i].elements, smc_dtype_bytes(plan->buffer[i].dtype),
                                   &bytes) ||
            __builtin_add_overflow(total, bytes, &total))
            total = UINT64_MAX;
    if (total <= machine / 4 * 3)
        return SMC_OK;
    return smc_fail(
        error, SMC_MACHINE,
        "--on emulator: the arrays take %llu MB, too much of the %llu MB of this machine; "
        "give smaller sizes",
        (unsigned long long)(total >> 20), (unsigned long long)(machine >> 20));
}

static enum smc_status make_arrays(struct emulator_job *run)
{
    const struct smc_plan *plan = &run->request->answer->plan;
    SMC_TRY(emulator_check_memory(plan, run->error));
    run->owns_arrays = true;
    run->array_count = plan->buffer_count;
    for (size_t i = 0; i < plan->buffer_count; i++) {
        const struct smc_buffer *buffer = &plan->buffer[i];
        size_t bytes;
        bool fits =
            !__builtin_mul_overflow(buffer->elements, smc_dtype_bytes(buffer->dtype), &bytes);
        void *data = fits ? smc_malloc(bytes ? bytes : 1) : NULL;
        if (!data)
            return smc_fail(run->error, SMC_MACHINE, "no memory for buffer %s", buffer->name);
        run->arrays[i] =
            (struct smc_emulated_array){.name = buffer->name, .data = data, .bytes = bytes};
        if (buffer->output)
            memset(data, smc_dtype_poison(buffer->dtype), bytes);
        else
            smc_fill_random(buffer, run->request->settings->seed + i, data);
    }
    return SMC_OK;
}

static void set_arguments(struct emulator_job *run)
{
    const struct smc_plan *plan = &run->request->answer->plan;
    run->argument_count = plan->argument_count;
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct smc_argument *argument = &plan->argument[i];
        bool is_array = argument->kind == SMC_ARGUMENT_BUFFER;
        run->arguments[i] = (struct smc_emulated_argument){
            .is_array = is_array,
            .array = is_array ? (size_t)argument->value : 0,
            .value = &argument->value, /* the low bytes come first */
        };
    }
}

/* Adds the observed traffic to each of the model's arrays. */
static void copy_accesses(const struct emulator_job *run, struct smc_emulated_run *emulated)
{
    const struct smc_query *query = &run->request->answer->query;
    const struct smc_plan *plan = &run->request->answer->plan;
    struct smc_work work = {0};
    query->kernel->work(query->kernel, &query->params, &work);
    emulated->access_count = work.access_count;
    for (size_t i = 0; i < work.access_count; i++) {
        struct smc_global_access *out = &emulated->access[i];
        *out =
            (struct smc_global_access){.name = work.access[i].name, .store = work.access[i].store};
        for (size_t a = 0; a < plan->buffer_count; a++) {
            const struct smc_emulated_traffic *seen =
                &run->emulation.array[a].kind[out->store ? SMC_EMULATED_STORE : SMC_EMULATED_LOAD];
            if (strcmp(plan->buffer[a].name, out->name) != 0)
                continue;
            out->requests = (double)seen->requests;
            out->sectors = (double)seen->sectors;
            out->elements = (double)seen->bytes / (double)smc_dtype_bytes(plan->buffer[a].dtype);
        }
    }
}

static enum smc_status emulator_check(struct emulator_job *run)
{
    const void *buffers[SMC_MAX_BUFFERS] = {0};
    for (size_t i = 0; i < run->array_count; i++)
        buffers[i] = run->arrays[i].data;
    smc_check_outputs(run->request, buffers, run->request->settings->stop, run->result);
    if (is_stopped(run))
        return smc_fail(run->error, SMC_INTERRUPTED, "the results were being checked");
    return SMC_OK;
}

static enum smc_status emulator_run_kernel(struct emulator_job *run)
{
    SMC_TRY(emulator_read_program(run));
    SMC_TRY(make_arrays(run));
    set_arguments(run);
    SMC_TRY(emulator_emulate(run));
    copy_accesses(run, &run->result->emulated);
    SMC_TRY(emulator_check(run));
    const struct smc_query *query = &run->request->answer->query;
    SMC_AUTO(smc_source_free) struct smc_source source = {0};
    if (!run->request->settings->annotation)
        return SMC_OK;
    SMC_TRY(smc_source_load(query->kernel, query->compile.kernel_dir, &source, run->error));
    return annotate(run, query->kernel->file, smc_text_string(&source.text));
}

/* --- The user's kernel ------------------------------------------------------------------------ */

/* Returns the object that the kernel receives. */
static uint64_t add_texture(struct emulator_job *run, size_t memory)
{
    struct smc_emulated_texture *texture = &run->textures[run->texture_count];
    *texture = run->request->user->memory[memory].argument->texture;
    texture->array = run->array_of[memory];
    return smc_emulated_texture_handle(run->texture_count++);
}

/* Distributes the memory: global memory becomes arrays, in order, the rest variables. */
static void pass_memory(struct emulator_job *run)
{
    struct smc_user_run *user = run->request->user;
    uint64_t address[SMC_MAX_USER_MEMORIES];
    for (size_t i = 0; i < user->memory_count; i++) {
        struct smc_user_memory *memory = &user->memory[i];
        if (memory->is_initial)
            smc_program_variable(run->program, memory->symbol, memory->before, memory->bytes);
        run->array_of[i] = memory->symbol ? run->variable_count : run->array_count;
        if (memory->symbol)
            run->variables[run->variable_count++] = (struct smc_emulated_variable){
                memory->symbol, memory->after_emulated, memory->bytes};
        else
            run->arrays[run->array_count++] = (struct smc_emulated_array){
                .name = memory->name, .data = memory->after_emulated, .bytes = memory->bytes};
    }
    smc_emulated_addresses(run->arrays, run->array_count, address);
    for (size_t i = 0; i < user->memory_count; i++) {
        run->address[i] = user->memory[i].symbol ? 0 : address[run->array_of[i]];
        if (user->memory[i].argument->form == SMC_USER_TEXTURE)
            run->address[i] = add_texture(run, i);
    }
    smc_user_place(user, false, run->address);
}

static void emulator_pass_arguments(struct emulator_job *run)
{
    const struct smc_user_run *user = run->request->user;
    const struct smc_user_request *request = &user->request;
    run->argument_count = request->argument_count;
    for (size_t i = 0; i < request->argument_count; i++) {
        bool is_memory = smc_user_passes_memory(&request->argument[i]);
        size_t memory = is_memory ? smc_user_memory_of(user, i) : 0;
        bool is_array = is_memory && request->argument[i].form != SMC_USER_TEXTURE;
        run->arguments[i] = (struct smc_emulated_argument){
            .is_array = is_array,
            .array = is_array ? run->array_of[memory] : 0,
            .value = is_memory ? (const void *)&run->address[memory]
                               : smc_user_passed(user, i), /* the low bytes come first */
        };
    }
}

/* For a launch that does not end: the line of the instruction that most warps executed. */
static uint32_t busiest_line(const struct emulator_job *run)
{
    size_t busiest = 0;
    for (size_t i = 1; i < run->emulation.count_length; i++)
        if (run->emulation.count[i].executions > run->emulation.count[busiest].executions)
            busiest = i;
    return run->emulation.count_length > 0 && run->emulation.count[busiest].executions > 0
               ? smc_program_instruction(run->program, busiest)->line
               : 0;
}

/* What may help a launch that did not finish in time. Blocks that are not launched together run one
   after another: one that waits for a later one never ends. */
static void append_help(const struct emulator_job *run, struct smc_text *text)
{
    const uint32_t *grid = run->request->answer->plan.grid;
    const uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    if (!run->emulation.waits)
        smc_text_printf(
            text, "; %" PRIu64 " of %" PRIu64 " blocks ended: a longer --timeout may let more end",
            run->emulation.blocks_run, blocks);
    else if (blocks > 1 &&
             !smc_run_is_cooperative(run->request, smc_program_asks_cooperative(run->program)))
        smc_text_append(text, "; blocks that wait for each other need --cooperative");
}

static void emulator_note_end(struct emulator_job *run)
{
    struct smc_emulated_run *emulated = &run->result->emulated;
    struct smc_attempt *finish = &emulated->finish;
    bool ended = !finish->made; /* otherwise `emulate` has already noted that it was stopped */
    *finish = (struct smc_attempt){.made = true, .succeeded = ended};
    if (ended)
        return;
    const uint32_t line = busiest_line(run);
    smc_auto_text text = {0};
    if (emulated->stopped)
        smc_text_printf(&text, "not finished after %.0f ms of emulation", emulated->elapsed_ms);
    else
        smc_text_printf(&text, "not finished after %u ms of emulation (--timeout)",
                        run->request->settings->timeout_ms);
    if (line > 0)
        smc_text_printf(&text, "; busiest at %.100s:%u", run->request->user->request.file, line);
    if (!emulated->stopped)
        append_help(run, &text);
    snprintf(finish->message, sizeof finish->message, "%s", smc_text_string(&text));
}

static enum smc_status take_printed(struct emulator_job *run, struct smc_user_run *user)
{
    if (run->emulation.output_bytes == 0)
        return SMC_OK;
    smc_text_append_bytes(&user->printed, run->emulation.output, run->emulation.output_bytes);
    if (user->printed.failed)
        return smc_out_of_memory(run->error);
    smc_utf8_make_safe_csv(user->printed.data, user->printed.length);
    user->printed_is_cut = run->emulation.output_is_cut;
    return SMC_OK;
}

static enum smc_status run_reversed(struct emulator_job *run)
{
    SMC_TRY(emulator_read_program(run));
    pass_memory(run);
    emulator_pass_arguments(run);
    run->deadline_ms = smc_clock_ms() + run->request->settings->timeout_ms;
    struct smc_emulation_request launch = emulator_launch_of(run);
    launch.reversed = launch.unchecked = true;
    launch.logs_shared = false;
    enum smc_status status = smc_emulate(&launch, &run->emulation, run->error);
    smc_user_unplace(run->request->user, false, run->address);
    if (status == SMC_OK && (!run->emulation.completed || run->emulation.findings_total > 0))
        return smc_fail(run->error, SMC_SHORTFALL, "the other order does not run to its end");
    return status;
}

static enum smc_status emulator_run_user(struct emulator_job *run)
{
    struct smc_user_run *user = run->request->user;
    enum smc_status status = emulator_read_program(run);
    if (status == SMC_USAGE)
        return smc_fail_in(run->error, SMC_UNAVAILABLE, "%s: the emulator does not run it",
                           user->request.file);
    if (status != SMC_OK)
        return status;
    pass_memory(run);
    emulator_pass_arguments(run);
    run->deadline_ms = smc_clock_ms() + run->request->settings->timeout_ms;
    status = emulator_emulate(run);
    smc_user_unplace(user, false, run->address);
    if (status != SMC_OK)
        return status;
    emulator_note_end(run);
    status = take_printed(run, user);
    if (status != SMC_OK)
        return status;
    for (size_t i = 0; i < user->memory_count; i++) {
        size_t array = run->array_of[i];
        if (user->memory[i].symbol)
            continue;
        user->memory[i].traffic = run->emulation.array[array];
        user->memory[i].sums = run->emulation.sum[array];
        run->emulation.sum[array] = NULL;
    }
    return run->request->settings->annotation
               ? annotate(run, user->request.file, smc_text_string(&user->text))
               : SMC_OK;
}

/* --- The back end ----------------------------------------------------------------------------- */

static void not_on_a_gpu(struct smc_run_result *result)
{
    struct smc_attempt *const steps[] = {&result->load,  &result->opt_in,        &result->launch,
                                         &result->probe, &result->api_occupancy, &result->timing};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        smc_not_made(steps[i], "only a GPU tells");
}

static void not_emulated(struct smc_run_result *result, const char *why)
{
    smc_not_made(&result->emulation, why);
    smc_not_made(&result->check, why);
}

static enum smc_status emulator_run_steps(struct emulator_job *run)
{
    const struct smc_answer *answer = run->request->answer;
    struct smc_occupancy occupancy;
    not_on_a_gpu(run->result);
    if (run->request->user)
        return emulator_run_user(run);
    smc_occupancy_compute(&answer->query.device.sm, &answer->launch, &occupancy);
    if (!run->result->compile.succeeded)
        not_emulated(run->result, "the kernel did not compile");
    else if (answer->query.kernel->is_probe)
        not_emulated(run->result, "the residency probe measures a GPU");
    else if (occupancy.blocks_per_sm == 0)
        not_emulated(run->result, "no GPU would launch it");
    else
        return emulator_run_kernel(run);
    return SMC_OK;
}

/* `steps` is emulator_run_steps or run_reversed. */
static enum smc_status run_state(const struct smc_run_request *request,
                                 struct smc_run_result *result,
                                 enum smc_status (*steps)(struct emulator_job *run),
                                 struct smc_error *error)
{
    smc_auto_free struct emulator_job *state =
        smc_calloc(1, sizeof *state); /* too large for the stack */
    if (!state)
        return smc_out_of_memory(error);
    state->request = request;
    state->result = result;
    state->error = error;
    enum smc_status status = steps(state);
    for (size_t i = 0; state->owns_arrays && i < state->array_count; i++)
        free(state->arrays[i].data);
    smc_emulation_free(&state->emulation);
    smc_program_free(state->program);
    return status;
}

static enum smc_status emulator_back_end_run(const struct smc_run_request *request,
                                             struct smc_run_result *result,
                                             struct smc_text *warnings, struct smc_error *error)
{
    (void)warnings;
    smc_run_begin(request, result);
    return run_state(request, result, emulator_run_steps, error);
}

enum smc_status smc_emulate_reversed(const struct smc_run_request *request, struct smc_error *error)
{
    smc_auto_free struct smc_run_result *result =
        smc_calloc(1, sizeof *result); /* too large for the stack */
    if (!result)
        return smc_out_of_memory(error);
    return run_state(request, result, run_reversed, error);
}

static int emulator_back_end_device_count(struct smc_error *why)
{
    (void)why;
    return 1;
}

static enum smc_status emulator_back_end_device(int index, struct smc_device *out,
                                                struct smc_error *error)
{
    (void)index, (void)out;
    return smc_fail(error, SMC_UNAVAILABLE, "the emulator has no device of its own; name one");
}

const struct smc_executor smc_executor_emulator = {
    .name = "emulator",
    .device_count = emulator_back_end_device_count,
    .device = emulator_back_end_device,
    .run = emulator_back_end_run,
};
