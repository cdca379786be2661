/* Modules: the PTX of a container that suits the device, its kernels and its variables, which have
   their addresses and contents as long as the module is loaded. */
#include "config.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "code/machine_code.h"
#include "code/ptx_facts.h"
#include "guests/shim/shim.h"

struct registers {
    char *name;
    int32_t regs;
};

struct shim_module {
    struct shim_module *next;
    char *ptx;
    size_t bytes;
    struct shim_variable *variable;
    struct smc_variable_place *place;
    size_t variables;
    struct shim_function *functions;
    struct registers *registers; /* of kernels that the container also has machine code of */
    size_t register_count;
};

static struct shim_module *modules;

/* --- The image -------------------------------------------------------------------------------- */

#define COMPILE_WITH "compile with PTX: -gencode arch=compute_%u%.1s,code=compute_%u%.1s"
enum { WRAPPER_MAGIC = 0x466243b1, CONTAINER_MAGIC = 0xba55ed50 };

struct wrapper { /* of nvcc: what __cudaRegisterFatBinary and cuModuleLoadData get */
    uint32_t magic, version;
    const void *container;
    const void *file;
};

struct container {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes;
};

static const void *shim_modules_unwrap(const void *image)
{
    struct wrapper wrapper;
    memcpy(&wrapper.magic, image, sizeof wrapper.magic);
    if (wrapper.magic != (uint32_t)WRAPPER_MAGIC)
        return image;
    memcpy(&wrapper, image, sizeof wrapper);
    return wrapper.container;
}

/* The newest that is not newer than the device. */
static const struct smc_fatbin_part *shim_modules_choose(const struct smc_fatbin_parts *parts,
                                                         uint32_t *least)
{
    const struct smc_fatbin_part *chosen = NULL;
    *least = 0;
    for (size_t i = 0; i < parts->ptx_count; i++) {
        const struct smc_fatbin_part *part = &parts->ptx[i];
        if (!part->fault && part->cc <= shim_device()->sm.cc && (!chosen || part->cc > chosen->cc))
            chosen = part;
        if (*least == 0 || part->cc < *least)
            *least = part->cc;
    }
    return chosen;
}

/* What machine code was compiled for: "90a"; cc 0: unknown. */
struct target {
    unsigned cc;
    char suffix[2];
};

static void shim_modules_read_target(const void *code, size_t bytes, struct target *target)
{
    struct smc_error error;
    SMC_AUTO(smc_cubin_close) struct smc_cubin cubin = {0};
    if (smc_cubin_open(code, bytes, &cubin, &error) == SMC_OK)
        *target = (struct target){cubin.cc, {cubin.suffix, '\0'}};
}

/* That of the device's own machine code, or of any other. */
static struct target shim_modules_target_of(const void *file, const struct smc_fatbin_parts *parts)
{
    struct target target = {0};
    for (size_t i = 0; i < parts->count && target.cc != shim_device()->sm.cc; i++) {
        struct smc_fatbin_buffer buffer = {0};
        struct smc_error error;
        const void *code;
        if (!parts->item[i].fault &&
            smc_fatbin_open(file, &parts->item[i], &buffer, &code, &error) == SMC_OK)
            shim_modules_read_target(code, parts->item[i].code_bytes, &target);
        smc_fatbin_buffer_free(&buffer);
    }
    return target;
}

/* Of an image without a container, whose section headers are its last part but for the program's.
 */
static struct target target_of_image(const void *image)
{
    struct target target = {0};
    Elf64_Ehdr header;
    memcpy(&header, image, sizeof header);
    const size_t sections = header.e_shoff + (size_t)header.e_shnum * header.e_shentsize;
    const size_t programs = header.e_phoff + (size_t)header.e_phnum * header.e_phentsize;
    if (smc_cubin_is(image, sizeof header))
        shim_modules_read_target(image, sections > programs ? sections : programs, &target);
    return target;
}

/* Code for sm_90a may use what compute_90 lacks. What nvlink links (-rdc=true) has no PTX, whatever
   it was compiled for. */
static int refuse_machine_code(const struct target *target)
{
    const unsigned cc = shim_device()->sm.cc;
    const char *suffix = target->cc == cc ? target->suffix : "";
    char code[32] = "";
    if (target->cc > 0)
        snprintf(code, sizeof code, " (sm_%u%.1s)", target->cc, target->suffix);
    shim_tell("the program has only machine code%s, which the emulator does not run; " COMPILE_WITH
              ", and without -rdc=true",
              code, cc, suffix, cc, suffix);
    return SHIM_NO_BINARY;
}

static int shim_modules_refuse(const void *file, const struct smc_fatbin_parts *parts,
                               uint32_t least)
{
    const unsigned cc = shim_device()->sm.cc;
    const struct target target = shim_modules_target_of(file, parts);
    if (least == 0 && parts->linked_count == 0)
        return refuse_machine_code(&target);
    if (least > 0)
        shim_tell("the program has PTX for compute_%u and newer only, which the device (%u.%u) "
                  "cannot run; choose another --device, or " COMPILE_WITH,
                  least, cc / 10, cc % 10, cc, "", cc, "");
    else
        shim_tell("the program has only code for link-time optimization; " COMPILE_WITH, cc, "", cc,
                  "");
    return SHIM_NO_BINARY;
}

static void add_registers(struct shim_module *module, const struct smc_cubin *cubin)
{
    for (size_t i = 0; i < cubin->kernel_count; i++) {
        if (!smc_make_room(&module->registers, module->register_count, NULL,
                           sizeof *module->registers))
            return;
        module->registers[module->register_count++] =
            (struct registers){.name = smc_strdup(cubin->kernel[i].name),
                               .regs = (int32_t)cubin->kernel[i].regs_per_thread};
    }
}

/* The registers of the device's own machine code, if the container has it. */
static void read_machine_code(struct shim_module *module, const void *file,
                              const struct smc_fatbin_parts *parts)
{
    for (size_t i = 0; i < parts->count && module->register_count == 0; i++) {
        SMC_AUTO(smc_fatbin_buffer_free) struct smc_fatbin_buffer buffer = {0};
        struct smc_error error;
        struct smc_cubin cubin;
        const void *code;
        if (parts->item[i].fault || parts->item[i].cc != shim_device()->sm.cc)
            continue;
        if (smc_fatbin_open(file, &parts->item[i], &buffer, &code, &error) == SMC_OK &&
            smc_cubin_open(code, parts->item[i].code_bytes, &cubin, &error) == SMC_OK) {
            add_registers(module, &cubin);
            smc_cubin_close(&cubin);
        }
    }
}

static int shim_modules_keep_text(struct shim_module *module, const char *text, size_t bytes)
{
    bytes = strnlen(text, bytes);
    module->ptx = smc_malloc(bytes + 1);
    if (!module->ptx)
        return SHIM_OUT_OF_MEMORY;
    memcpy(module->ptx, text, bytes);
    module->ptx[bytes] = '\0';
    module->bytes = bytes;
    return SHIM_SUCCESS;
}

static int read_container(struct shim_module *module, const void *image)
{
    struct container head;
    SMC_AUTO(smc_fatbin_parts_free) struct smc_fatbin_parts parts = {0};
    SMC_AUTO(smc_fatbin_buffer_free) struct smc_fatbin_buffer buffer = {0};
    struct smc_error error = {""};
    const void *text;
    uint32_t least;
    memcpy(&head, image, sizeof head);
    const size_t bytes = head.header_bytes + head.bytes;
    if (!smc_fatbin_find(image, bytes, NULL, NULL, &parts))
        return SHIM_OUT_OF_MEMORY;
    const struct smc_fatbin_part *part = shim_modules_choose(&parts, &least);
    if (!part)
        return shim_modules_refuse(image, &parts, least);
    if (smc_fatbin_open(image, part, &buffer, &text, &error) != SMC_OK) {
        shim_tell("%s", error.message);
        return SHIM_INVALID_IMAGE;
    }
    const int result = shim_modules_keep_text(module, text, part->code_bytes);
    read_machine_code(module, image, &parts);
    return result;
}

static int read_image(struct shim_module *module, const void *image)
{
    uint32_t magic;
    uint16_t cc;
    char suffix;
    image = shim_modules_unwrap(image);
    memcpy(&magic, image, sizeof magic);
    if (magic == (uint32_t)CONTAINER_MAGIC)
        return read_container(module, image);
    if (memcmp(image, "\177ELF", 4) == 0) {
        const struct target target = target_of_image(image);
        return refuse_machine_code(&target);
    }
    if (!smc_ptx_target(image, &cc, &suffix))
        return SHIM_INVALID_IMAGE;
    if (cc > shim_device()->sm.cc)
        return shim_modules_refuse(image, &(struct smc_fatbin_parts){0}, cc);
    return shim_modules_keep_text(module, image, strlen(image));
}

/* --- Variables -------------------------------------------------------------------------------- */

static int place_variables(struct shim_module *module)
{
    const char *cursor = module->ptx;
    struct smc_ptx_variable found;
    while (smc_ptx_next_variable(&cursor, &found)) {
        const size_t count = module->variables;
        const bool has_room =
            smc_make_room(&module->variable, count, NULL, sizeof *module->variable) &&
            smc_make_room(&module->place, count, NULL, sizeof *module->place);
        char *name = has_room ? smc_malloc(found.name_length + 1) : NULL;
        if (!name)
            return SHIM_OUT_OF_MEMORY;
        memcpy(name, found.name, found.name_length);
        name[found.name_length] = '\0';
        const uint64_t address =
            found.bytes > 0 ? shim_memory_allocate(found.bytes, SHIM_MEMORY_VARIABLE, name) : 0;
        if (address == 0) { /* of unknown size: the emulator refuses kernels that use it */
            free(name);
            continue;
        }
        memset((void *)(uintptr_t)address, 0, found.bytes);
        module->variable[module->variables] = (struct shim_variable){name, address, found.bytes};
        module->place[module->variables++] = (struct smc_variable_place){name, address};
    }
    return SHIM_SUCCESS;
}

static void initialize_variables(struct shim_module *module)
{
    const struct smc_program_options options = {module->place, module->variables, true};
    struct smc_program *program;
    struct smc_error error = {""};
    if (module->variables == 0 || !module->functions ||
        smc_program_read_with(module->ptx, module->bytes, module->functions->name, &options,
                              &program, &error) != SMC_OK)
        return;
    for (size_t i = 0; i < module->variables; i++)
        smc_program_variable(program, module->variable[i].name,
                             (void *)(uintptr_t)module->variable[i].address,
                             module->variable[i].bytes);
    smc_program_free(program);
}

const struct shim_variable *shim_module_variable(struct shim_module *module, const char *name)
{
    for (size_t i = 0; i < module->variables; i++)
        if (strcmp(module->variable[i].name, name) == 0)
            return &module->variable[i];
    return NULL;
}

size_t shim_module_variables(const struct shim_module *module,
                             const struct shim_variable **variables)
{
    *variables = module->variable;
    return module->variables;
}

/* --- Functions -------------------------------------------------------------------------------- */

static int32_t registers_by_name(const struct shim_module *module, const char *name)
{
    for (size_t i = 0; i < module->register_count; i++)
        if (module->registers[i].name && strcmp(module->registers[i].name, name) == 0)
            return module->registers[i].regs;
    return -1;
}

static int list_functions(struct shim_module *module)
{
    const char *cursor = module->ptx;
    struct smc_ptx_kernel kernel;
    struct shim_function **end = &module->functions;
    while (smc_ptx_next(&cursor, &kernel)) {
        struct shim_function *function = smc_calloc(1, sizeof *function);
        char *name = function ? smc_malloc(kernel.name_length + 1) : NULL;
        if (!name) {
            free(function);
            return SHIM_OUT_OF_MEMORY;
        }
        memcpy(name, kernel.name, kernel.name_length);
        name[kernel.name_length] = '\0';
        *function = (struct shim_function){.module = module,
                                           .name = name,
                                           .regs = registers_by_name(module, name),
                                           .max_threads = kernel.max_threads_per_block,
                                           .carveout_percent = SMC_CARVEOUT_DEFAULT};
        if (kernel.required_threads_per_block > 0)
            memcpy(function->required_block, kernel.block, sizeof function->required_block);
        *end = function;
        end = &function->next;
    }
    return SHIM_SUCCESS;
}

struct shim_function *shim_module_function(struct shim_module *module, const char *name)
{
    struct shim_function *function = module->functions;
    while (function && strcmp(function->name, name) != 0)
        function = function->next;
    return function;
}

bool shim_function_read(struct shim_function *function)
{
    struct shim_module *module = function->module;
    struct smc_error error = {""};
    if (function->is_read)
        return function->program;
    function->is_read = true;
    const struct smc_program_options options = {module->place, module->variables, false};
    if (smc_program_read_with(module->ptx, module->bytes, function->name, &options,
                              &function->program, &error) == SMC_OK)
        return true;
    function->program = NULL;
    snprintf(function->refusal, sizeof function->refusal, "%.255s", error.message);
    shim_tell("kernel %s cannot be emulated: %s", function->name, function->refusal);
    return false;
}

/* --- The module ------------------------------------------------------------------------------- */

static void shim_modules_release(struct shim_module *module)
{
    for (size_t i = 0; i < module->variables; i++) {
        shim_memory_free(module->variable[i].address);
        free(module->variable[i].name);
    }
    while (module->functions) {
        struct shim_function *next = module->functions->next;
        smc_program_free(module->functions->program);
        free(module->functions->name);
        free(module->functions);
        module->functions = next;
    }
    for (size_t i = 0; i < module->register_count; i++)
        free(module->registers[i].name);
    free(module->registers);
    free(module->variable);
    free(module->place);
    free(module->ptx);
    free(module);
}

int shim_module_load(const void *image, struct shim_module **out)
{
    struct shim_module *module = smc_calloc(1, sizeof *module);
    int result = module ? read_image(module, image) : SHIM_OUT_OF_MEMORY;
    if (result == SHIM_SUCCESS)
        result = list_functions(module);
    if (result == SHIM_SUCCESS)
        result = place_variables(module);
    if (result != SHIM_SUCCESS) {
        if (module)
            shim_modules_release(module);
        return result;
    }
    initialize_variables(module);
    module->next = modules;
    modules = module;
    *out = module;
    return SHIM_SUCCESS;
}

bool shim_module_is(const struct shim_module *module)
{
    const struct shim_module *item = modules;
    while (item && item != module)
        item = item->next;
    return item != NULL;
}

void shim_module_unload(struct shim_module *module)
{
    struct shim_module **item = &modules;
    while (*item != module)
        item = &(*item)->next;
    *item = module->next;
    shim_modules_release(module);
}
