/* The kernels of machine code. A kernel k has a symbol and a section .text.k, whose sh_info holds
   the symbol's number (and up to CC 8.9 the registers of the code above it). The sections
   .nv.info.k, .nv.shared.k and .nv.constant0.k name that section in their sh_info. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compile/cubin_parts.h"

enum {
    ENTRY = 0x10, /* in st_other */
    TYPE_INFO = 0x70000000,
    SYMBOL_BITS = 24,
    MOST_REGS = 255,
};

const char *smc_cubin_behind(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(name, prefix, length) == 0 ? name + length : NULL;
}

static bool is_code_of(const struct smc_cubin_section *section, const char *name)
{
    const char *function = smc_cubin_behind(section->name, ".text.");
    return function && strcmp(function, name) == 0;
}

static uint32_t symbol_of(const struct smc_cubin_section *section)
{
    return section->header.sh_info & ((1u << SYMBOL_BITS) - 1);
}

/* `home` is the number of its section: 0 where it is not defined here. False: no such symbol. */
static bool read_symbol(const struct smc_cubin_reading *reading, uint32_t index, GElf_Sym *symbol,
                        uint32_t *home)
{
    Elf32_Word extended = 0;
    if (index >= reading->symbol_count ||
        !gelf_getsymshndx(reading->symbols, reading->far_sections, (int)index, symbol, &extended))
        return false;
    bool reserved = symbol->st_shndx >= SHN_LORESERVE;
    *home = symbol->st_shndx == SHN_XINDEX ? extended : reserved ? UINT32_MAX : symbol->st_shndx;
    return true;
}

struct smc_cubin_claims *smc_cubin_claims_of(const struct smc_cubin_reading *reading,
                                             const struct smc_cubin_kernel *kernel)
{
    return &reading->claims[kernel - reading->cubin->kernel];
}

bool smc_cubin_kernel_of(const struct smc_cubin_reading *reading, uint32_t symbol,
                         struct smc_cubin_kernel **kernel)
{
    GElf_Sym found;
    uint32_t home;
    *kernel = NULL;
    if (!read_symbol(reading, symbol, &found, &home))
        return false;
    if (home < reading->section_count && symbol_of(&reading->section[home]) == symbol)
        *kernel = reading->section[home].kernel;
    return true;
}

/* Where there are too many sections for a symbol's 16 bits, a section beside it has 32. */
static enum smc_status find_symbols(struct smc_cubin_reading *reading)
{
    const size_t entry = gelf_fsize(reading->cubin->elf, ELF_T_SYM, 1, EV_CURRENT);
    bool found = false;
    for (size_t i = 0; i < reading->section_count; i++) {
        const struct smc_cubin_section *section = &reading->section[i];
        if (section->header.sh_type == SHT_SYMTAB_SHNDX)
            reading->far_sections = elf_getdata(section->content, NULL);
        if (section->header.sh_type != SHT_SYMTAB)
            continue;
        found = true;
        reading->symbols = elf_getdata(section->content, NULL);
        if (section->header.sh_entsize != entry || !reading->symbols)
            return smc_fail(reading->error, SMC_USAGE, "its symbols cannot be read");
        reading->symbol_count = reading->symbols->d_size / entry;
        reading->symbol_names = section->header.sh_link;
    }
    return found ? SMC_OK : smc_fail(reading->error, SMC_USAGE, "it has no symbols");
}

static enum smc_status add_kernel(struct smc_cubin_reading *reading,
                                  struct smc_cubin_section *section, const char *name,
                                  const GElf_Sym *symbol, uint32_t index)
{
    if (!is_code_of(section, name) || section->kernel || symbol_of(section) != index ||
        symbol->st_value != 0 || symbol->st_size != section->header.sh_size)
        return smc_fail(reading->error, SMC_USAGE,
                        "the symbol of the kernel %.200s does not fit its code", name);
    size_t n = reading->cubin->kernel_count++;
    section->kernel = &reading->cubin->kernel[n];
    section->kernel->name = name;
    section->kernel->barriers = (uint32_t)(section->header.sh_flags >> 20 & 0x7f);
    const Elf_Data *code = elf_rawdata(section->content, NULL);
    section->kernel->code = code ? code->d_buf : NULL;
    section->kernel->code_bytes = code ? code->d_size : 0;
    reading->claims[n].code_regs = section->header.sh_info >> SYMBOL_BITS;
    return SMC_OK;
}

/* A function that is no kernel may be a part of other code, or be defined elsewhere. */
static enum smc_status take_symbol(struct smc_cubin_reading *reading, uint32_t index)
{
    GElf_Sym symbol;
    uint32_t home;
    if (!read_symbol(reading, index, &symbol, &home))
        return smc_fail(reading->error, SMC_USAGE, "symbol %u cannot be read", index);
    bool is_kernel = symbol.st_other & ENTRY;
    if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || (home == SHN_UNDEF && !is_kernel))
        return SMC_OK;
    const char *name = elf_strptr(reading->cubin->elf, reading->symbol_names, symbol.st_name);
    if (!name || home == SHN_UNDEF || home >= reading->section_count)
        return smc_fail(reading->error, SMC_USAGE, "symbol %u is a function without a name or code",
                        index);
    reading->section[home].is_function = true;
    return is_kernel ? add_kernel(reading, &reading->section[home], name, &symbol, index) : SMC_OK;
}

/* Code that no symbol names would be passed over in silence. */
static enum smc_status check_code(const struct smc_cubin_reading *reading)
{
    for (size_t i = 0; i < reading->section_count; i++) {
        const struct smc_cubin_section *section = &reading->section[i];
        if (smc_cubin_behind(section->name, ".text.") && !section->is_function)
            return smc_fail(reading->error, SMC_USAGE, "section %.200s has no symbol",
                            section->name);
    }
    return SMC_OK;
}

enum smc_status smc_cubin_find_kernels(struct smc_cubin_reading *reading)
{
    enum smc_status status = find_symbols(reading);
    if (status != SMC_OK)
        return status;
    /* A section is the code of one kernel at most. */
    reading->cubin->kernel = smc_calloc(reading->section_count, sizeof *reading->cubin->kernel);
    reading->claims = smc_calloc(reading->section_count, sizeof *reading->claims);
    if (!reading->cubin->kernel || !reading->claims)
        return smc_out_of_memory(reading->error);
    for (uint32_t i = 0; i < reading->symbol_count && status == SMC_OK; i++)
        status = take_symbol(reading, i);
    return status == SMC_OK ? check_code(reading) : status;
}

static enum smc_status fail_section(const struct smc_cubin_reading *reading,
                                    const struct smc_cubin_section *section)
{
    return smc_fail(reading->error, SMC_USAGE, "section %.200s belongs to no code that there is",
                    section->name);
}

/* The kernel that a section belongs to by its name and by its number. NULL: it belongs to a
   function that is no kernel, which has attributes alone. */
static enum smc_status find_kernel(const struct smc_cubin_reading *reading,
                                   const struct smc_cubin_section *section, const char *name,
                                   struct smc_cubin_kernel **kernel)
{
    uint32_t index = section->header.sh_info;
    if (index >= reading->section_count || !is_code_of(&reading->section[index], name))
        return fail_section(reading, section);
    *kernel = reading->section[index].kernel;
    return SMC_OK;
}

static enum smc_status take_size(const struct smc_cubin_reading *reading,
                                 const struct smc_cubin_section *section, const char *name,
                                 bool is_shared)
{
    struct smc_cubin_kernel *kernel = NULL;
    enum smc_status status = find_kernel(reading, section, name, &kernel);
    if (status != SMC_OK)
        return status;
    if (!kernel || section->header.sh_size > UINT32_MAX)
        return fail_section(reading, section);
    uint32_t bytes = (uint32_t)section->header.sh_size;
    if (is_shared)
        kernel->smem_bytes = bytes;
    else
        smc_cubin_claims_of(reading, kernel)->constant_bytes = bytes;
    return SMC_OK;
}

static enum smc_status take_attributes(const struct smc_cubin_reading *reading,
                                       const struct smc_cubin_section *section)
{
    struct smc_cubin_kernel *kernel = NULL;
    const char *name = smc_cubin_behind(section->name, ".nv.info.");
    if (!name && strcmp(section->name, ".nv.info") != 0)
        return fail_section(reading, section);
    enum smc_status status = name ? find_kernel(reading, section, name, &kernel) : SMC_OK;
    if (kernel)
        smc_cubin_claims_of(reading, kernel)->has_attributes = true;
    return status == SMC_OK ? smc_cubin_read_attributes(reading, section, kernel) : status;
}

/* What takes no room in the file and belongs to code is its memory: were its name damaged, the
   kernel would seem to need none. */
static enum smc_status take_section(const struct smc_cubin_reading *reading,
                                    const struct smc_cubin_section *section)
{
    const char *name;
    if (section->header.sh_type == TYPE_INFO || smc_cubin_behind(section->name, ".nv.info"))
        return take_attributes(reading, section);
    if (smc_cubin_behind(section->name, ".nv.shared.reserved."))
        return SMC_OK;
    if ((name = smc_cubin_behind(section->name, ".nv.shared.")))
        return take_size(reading, section, name, true);
    if ((name = smc_cubin_behind(section->name, ".nv.constant0.")))
        return take_size(reading, section, name, false);
    bool is_memory = section->header.sh_type == SHT_NOBITS && section->header.sh_info != 0;
    if (is_memory && !smc_cubin_behind(section->name, ".nv.local."))
        return fail_section(reading, section);
    return SMC_OK;
}

static enum smc_status check_kernel(const struct smc_cubin_reading *reading, size_t index)
{
    const struct smc_cubin_kernel *kernel = &reading->cubin->kernel[index];
    const struct smc_cubin_claims *claims = &reading->claims[index];
    if (!claims->has_attributes || claims->constant_bytes == 0)
        return smc_fail(reading->error, SMC_USAGE, "kernel %.200s lacks its %s", kernel->name,
                        claims->has_attributes ? "constants" : "attributes");
    if (kernel->regs_per_thread == 0 || kernel->regs_per_thread > MOST_REGS ||
        kernel->regs_per_thread < claims->code_regs)
        return smc_fail(reading->error, SMC_USAGE, "kernel %.200s cannot have %u registers",
                        kernel->name, kernel->regs_per_thread);
    if (!claims->has_frame ||
        (claims->has_least_stack && kernel->stack_bytes > claims->least_stack))
        return smc_fail(reading->error, SMC_USAGE, "kernel %.200s cannot have a stack of %u bytes",
                        kernel->name, kernel->stack_bytes);
    bool agree = claims->has_bank == claims->has_parameters &&
                 claims->bank_bytes == claims->parameter_bytes &&
                 claims->parameters_end == claims->parameter_bytes &&
                 (!claims->has_bank || claims->bank_end == claims->constant_bytes);
    if (!agree)
        return smc_fail(reading->error, SMC_USAGE,
                        "kernel %.200s has parameters of different sizes", kernel->name);
    return SMC_OK;
}

enum smc_status smc_cubin_read_kernels(const struct smc_cubin_reading *reading)
{
    enum smc_status status = SMC_OK;
    for (size_t i = 0; i < reading->section_count && status == SMC_OK; i++)
        status = take_section(reading, &reading->section[i]);
    for (size_t i = 0; i < reading->cubin->kernel_count && status == SMC_OK; i++)
        status = check_kernel(reading, i);
    return status;
}
