/* The machine code and the PTX of one kernel, taken from a file that holds them. */
#include "hardware/executor/user_code.h"

#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "code/inputs.h"
#include "code/machine_code.h"
#include "code/ptx_facts.h"

bool smc_user_is_code(const struct smc_user_run *run)
{
    const enum smc_input_kind kind = smc_input_kind(run->request.file, &run->text);
    return kind == SMC_INPUT_CUBIN || kind == SMC_INPUT_EMBEDDED;
}

enum smc_status smc_user_list_code(struct smc_user_run *run, struct smc_text *warnings,
                                   struct smc_error *error)
{
    const struct smc_user_request *request = &run->request;
    SMC_AUTO(smc_inspect_notes_free) struct smc_inspect_notes notes = {0};
    const struct smc_inspect_target target = {request->device.sm.cc, request->suffix};
    const struct smc_inspect_request reading = {
        .targets = &target,
        .target_count = 1,
        .no_cache = request->no_cache,
        .threads_per_block = SMC_NOT_GIVEN,
        .settings = SMC_LAUNCH_INIT,
    };
    if (smc_file_is_standard_input(request->file))
        return smc_fail(error, SMC_USAGE, "%s: machine code is read from a file alone",
                        smc_file_name(request->file));
    SMC_TRY(smc_read_kernels(request->file, &reading, &run->kernels, &notes, error));
    smc_text_append(warnings, smc_text_string(&notes.warnings));
    smc_text_append(warnings, smc_text_string(&notes.faults));
    return run->kernels.count > 0
               ? SMC_OK
               : smc_fail(error, SMC_USAGE, "%s: no kernel in it", smc_file_name(request->file));
}

/* Copies the code, if it has the kernel for its architecture. SMC_UNAVAILABLE: it has not. */
static enum smc_status user_code_copy(const void *code, size_t bytes,
                                      const struct smc_inspect_kernel *kernel,
                                      struct smc_binary *binary, struct smc_error *error)
{
    struct smc_cubin cubin;
    SMC_TRY(smc_cubin_open(code, bytes, &cubin, error));
    const bool has_kernel = cubin.cc == kernel->cc && cubin.suffix == kernel->suffix &&
                            smc_cubin_kernel(&cubin, kernel->name);
    smc_cubin_close(&cubin);
    if (!has_kernel)
        return SMC_UNAVAILABLE;
    binary->cubin = smc_malloc(bytes);
    if (!binary->cubin)
        return smc_out_of_memory(error);
    memcpy(binary->cubin, code, bytes);
    binary->cubin_bytes = bytes;
    return SMC_OK;
}

static bool defines(const char *ptx, const struct smc_inspect_kernel *kernel)
{
    struct smc_ptx_kernel defined;
    while (smc_ptx_next(&ptx, &defined))
        if (strlen(kernel->name) == defined.name_length &&
            memcmp(kernel->name, defined.name, defined.name_length) == 0)
            return true;
    return false;
}

/* What a file holds, while a kernel is looked for in it. */
struct code_search {
    const struct smc_text *file;
    const struct smc_inspect_kernel *kernel;
    struct smc_fatbin_parts parts;
    struct smc_fatbin_buffer buffer;
    size_t container; /* of the machine code that was found; SIZE_MAX: none */
};

static enum smc_status find_code(struct code_search *search, struct smc_binary *binary,
                                 struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    for (size_t i = 0; i < search->parts.count && !binary->cubin; i++) {
        const struct smc_fatbin_part *part = &search->parts.item[i];
        const void *code;
        if (part->fault || part->cc != search->kernel->cc)
            continue;
        status = smc_fatbin_open(search->file->data, part, &search->buffer, &code, error);
        if (status == SMC_OK)
            status = user_code_copy(code, part->code_bytes, search->kernel, binary, error);
        if (status == SMC_OK)
            search->container = part->container;
        if (status == SMC_MACHINE)
            return status;
    }
    return SMC_OK;
}

/* That beside the machine code; if there is none, what a device of `cc` compiles. */
static enum smc_status find_ptx(struct code_search *search, uint16_t cc, struct smc_text *ptx,
                                struct smc_error *error)
{
    for (size_t i = 0; i < search->parts.ptx_count && ptx->length == 0; i++) {
        const struct smc_fatbin_part *part = &search->parts.ptx[i];
        const void *text;
        const bool is_beside = part->container == search->container;
        if (part->fault || (search->container == SIZE_MAX ? part->cc > cc : !is_beside))
            continue;
        enum smc_status status =
            smc_fatbin_open(search->file->data, part, &search->buffer, &text, error);
        if (status == SMC_MACHINE)
            return status;
        if (status == SMC_OK)
            smc_text_append_bytes(ptx, text, strnlen(text, part->code_bytes));
        if (ptx->length > 0 && !defines(ptx->data, search->kernel))
            smc_text_cut(ptx, 0);
    }
    return ptx->failed ? smc_out_of_memory(error) : SMC_OK;
}

static enum smc_status user_code_search(struct smc_user_run *run,
                                        const struct smc_inspect_kernel *kernel, bool loads,
                                        struct smc_nvrtc_output *output, struct smc_error *error)
{
    struct code_search search = {.file = &run->text, .kernel = kernel, .container = SIZE_MAX};
    enum smc_status status =
        smc_fatbin_find(run->text.data, run->text.length, NULL, NULL, &search.parts)
            ? loads ? find_code(&search, &output->binary, error) : SMC_OK
            : smc_out_of_memory(error);
    if (status == SMC_OK)
        status = find_ptx(&search, run->request.device.sm.cc, &output->ptx, error);
    smc_fatbin_parts_free(&search.parts);
    smc_fatbin_buffer_free(&search.buffer);
    return status;
}

enum smc_status smc_user_take_code(struct smc_user_run *run,
                                   const struct smc_inspect_kernel **kernel,
                                   struct smc_nvrtc_output *output, struct smc_error *error)
{
    const uint16_t cc = run->request.device.sm.cc;
    char architecture[SMC_INSPECT_ARCHITECTURE];
    *kernel = smc_user_kernels_best_version(&run->kernels, *kernel, cc);
    const bool loads = smc_architecture_loads(*kernel, cc);
    enum smc_status status = SMC_OK;
    if (smc_input_kind(run->request.file, &run->text) == SMC_INPUT_CUBIN)
        status = user_code_copy(run->text.data, run->text.length, *kernel, &output->binary, error);
    else
        status = user_code_search(run, *kernel, loads, output, error);
    if (status == SMC_MACHINE)
        return status;
    if (!loads)
        smc_binary_free(&output->binary);
    if (output->binary.cubin) {
        *error = (struct smc_error){""}; /* of a part that was passed over */
        return SMC_OK;
    }
    if (output->ptx.length == 0)
        return smc_fail(error, SMC_USAGE,
                        "%s: its machine code of %.128s is for %s, which compute capability %d.%d "
                        "does not load",
                        smc_file_name(run->request.file), (*kernel)->shown,
                        smc_architecture_name(*kernel, architecture), cc / 10, cc % 10);
    smc_text_free(&run->text);
    run->text = output->ptx;
    run->is_part = true;
    output->ptx = (struct smc_text){0};
    return SMC_OK;
}

/* Variables in shared memory and the compiler's own constants cannot be set. */
static bool is_settable(const struct smc_cubin_variable *variable)
{
    static const char *const sections[] = {".nv.global", ".nv.constant3"};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (strncmp(variable->section, sections[i], strlen(sections[i])) == 0)
            return true;
    return false;
}

enum smc_status smc_user_declare_variables(const struct smc_binary *binary, struct smc_text *ptx,
                                           struct smc_error *error)
{
    struct smc_cubin cubin;
    struct smc_cubin_variable variable;
    SMC_TRY(smc_cubin_open(binary->cubin, binary->cubin_bytes, &cubin, error));
    for (size_t at = 0; smc_cubin_next_variable(&cubin, &at, &variable);)
        if (is_settable(&variable))
            smc_text_printf(ptx, ".global .b8 %s[%" PRIu64 "];\n", variable.name, variable.bytes);
    smc_cubin_close(&cubin);
    return SMC_OK;
}
