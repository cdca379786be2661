/* Reads machine code, step by step. The format was derived by comparing the files that ptxas 11.8
   to 13.0 write with their logs, and from NVIDIA's libraries that contain machine code. */
#include "config.h"

#include "code/machine_code.h"

#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rules/sm.h"

/* Other statements of the file about a kernel, which must be consistent with its figures. */
struct smc_cubin_claims {
    uint32_t code_regs; /* in the code's section: without called functions */
    bool has_frame, has_least_stack;
    uint32_t least_stack;    /* with called functions */
    uint32_t constant_bytes; /* of the constant bank that ends with its parameters */
    bool has_registers;      /* with called functions */
    bool has_attributes, has_bank, has_parameters;
    uint32_t bank_at, bank_bytes; /* the parameters within that bank */
    uint32_t parameter_bytes;
};

struct smc_cubin_section {
    GElf_Shdr header;
    Elf_Scn *content;
    const char *name;
    bool is_function;                /* code that a symbol names */
    struct smc_cubin_kernel *kernel; /* the kernel that the code belongs to, or NULL */
};

struct smc_cubin_reading {
    size_t bytes; /* of the file */
    GElf_Ehdr header;
    struct smc_cubin_section *section; /* by their index */
    size_t section_count;
    Elf_Data *symbols, *far_sections;  /* the second may be NULL */
    size_t symbol_count, symbol_names; /* the section of their names */
    struct smc_cubin *cubin;
    struct smc_cubin_claims *claims; /* as cubin->kernel */
    bool lists_registers; /* false: from an assembler for code without calls; some of NVIDIA's
                             libraries have such kernels */
    bool failed;          /* memory */
    struct smc_error *error;
};

/* --- Header, sections, segments --------------------------------------------------------------- */

/* Section types without space in the file, besides SHT_NOBITS: variables in global, local and
   shared memory of code that is not linked yet, and the driver's reserve. */
enum {
    TYPE_GLOBAL = 0x70000007,
    TYPE_LOCAL = 0x70000009,
    TYPE_SHARED = 0x7000000a,
    TYPE_RESERVED = 0x70000015,
};

/* The ABI of CUDA 13, and of CUDA 12 from CC 10.0 on, moved the architecture and its letter. */
enum {
    MOVED_ABI = 8,
    FLAG_ACCELERATED = 0x800,     /* sm_90a */
    FLAG_ACCELERATED_MOVED = 0x8, /* the same, as CUDA 12 writes it */
};

static bool cubin_is_within(uint64_t offset, uint64_t size, size_t bytes)
{
    return offset <= bytes && size <= bytes - offset;
}

static bool occupies_no_file_space(const GElf_Shdr *header)
{
    switch (header->sh_type) {
    case SHT_NULL:
    case SHT_NOBITS:
    case TYPE_GLOBAL:
    case TYPE_LOCAL:
    case TYPE_SHARED:
    case TYPE_RESERVED:
        return true;
    default:
        return false;
    }
}

/* If libelf finds fewer sections than the header declares, the file ends within the table. */
static enum smc_status check_header(const struct smc_cubin_reading *reading, size_t section_count)
{
    const GElf_Ehdr *header = &reading->header;
    Elf *elf = reading->cubin->elf;
    const size_t entry = gelf_fsize(elf, ELF_T_SHDR, 1, EV_CURRENT);
    const size_t segment = gelf_fsize(elf, ELF_T_PHDR, 1, EV_CURRENT);
    if (header->e_type != ET_REL && header->e_type != ET_EXEC)
        return smc_fail(reading->error, SMC_USAGE, "its header names no type of machine code");
    if (header->e_shentsize != entry || (header->e_phnum > 0 && header->e_phentsize != segment))
        return smc_fail(reading->error, SMC_USAGE, "its header has entries of a wrong size");
    if (section_count == 0 || section_count > reading->bytes / entry ||
        !cubin_is_within(header->e_shoff, section_count * entry, reading->bytes))
        return smc_fail(reading->error, SMC_USAGE,
                        "its table of sections extends beyond the end of the file");
    if (!cubin_is_within(header->e_phoff, header->e_phnum * segment, reading->bytes))
        return smc_fail(reading->error, SMC_USAGE,
                        "its table of segments extends beyond the end of the file");
    return SMC_OK;
}

static enum smc_status cubin_read_section(struct smc_cubin_reading *reading, size_t names,
                                          size_t index)
{
    Elf *elf = reading->cubin->elf;
    struct smc_cubin_section *section = &reading->section[index];
    section->content = elf_getscn(elf, index);
    if (!section->content || !gelf_getshdr(section->content, &section->header))
        return smc_fail(reading->error, SMC_USAGE, "section %zu cannot be read", index);
    section->name = index == 0 ? "" : elf_strptr(elf, names, section->header.sh_name);
    if (!section->name)
        return smc_fail(reading->error, SMC_USAGE, "section %zu has no name", index);
    if (!occupies_no_file_space(&section->header) &&
        !cubin_is_within(section->header.sh_offset, section->header.sh_size, reading->bytes))
        return smc_fail(reading->error, SMC_USAGE,
                        "section %.200s extends beyond the end of the file", section->name);
    return SMC_OK;
}

/* Reads the header and the sections, each of which must be within the file. Allocates `section`. */
static enum smc_status read_sections(struct smc_cubin_reading *reading)
{
    Elf *elf = reading->cubin->elf;
    size_t count = 0, names = 0;
    if (elf_getshdrnum(elf, &count) != 0 || elf_getshdrstrndx(elf, &names) != 0)
        count = 0;
    SMC_TRY(check_header(reading, count));
    reading->section = smc_calloc(count, sizeof *reading->section);
    if (!reading->section)
        return smc_out_of_memory(reading->error);
    reading->section_count = count;
    for (size_t i = 0; i < count; i++)
        SMC_TRY(cubin_read_section(reading, names, i));
    return SMC_OK;
}

/* Sections without space in the file follow one another in memory. */
static uint64_t memory_of_sections(const struct smc_cubin_reading *reading)
{
    uint64_t end = 0;
    for (size_t i = 0; i < reading->section_count; i++) {
        const GElf_Shdr *header = &reading->section[i].header;
        if (header->sh_type != SHT_NOBITS)
            continue;
        uint64_t unit = header->sh_addralign ? header->sh_addralign : 1;
        end = (end + unit - 1) / unit * unit + header->sh_size;
    }
    return end;
}

/* Checks the segments: they must be within the file, and their memory must match that of the
   sections. */
static enum smc_status check_segments(const struct smc_cubin_reading *reading)
{
    uint64_t memory = 0;
    GElf_Phdr segment;
    /* Not linked, or linked by a tool that writes no segments. */
    if (reading->header.e_phnum == 0 &&
        (reading->header.e_type == ET_REL || reading->header.e_phoff == 0))
        return SMC_OK;
    for (int i = 0; i < reading->header.e_phnum; i++) {
        if (!gelf_getphdr(reading->cubin->elf, i, &segment) ||
            !cubin_is_within(segment.p_offset, segment.p_filesz, reading->bytes))
            return smc_fail(reading->error, SMC_USAGE,
                            "segment %d extends beyond the end of the file", i);
        if (segment.p_type == PT_LOAD)
            memory += segment.p_memsz - segment.p_filesz;
    }
    if (memory != memory_of_sections(reading))
        return smc_fail(reading->error, SMC_USAGE,
                        "its segments and its sections differ in the memory they take");
    return SMC_OK;
}

/* "-arch sm_90a" in the compiler's note of its command line. Code with the moved ABI flags has this
   note; the letter f, and from CUDA 13 on also a, is not spelled out anywhere else. */
static enum smc_status read_note(const struct smc_cubin_reading *reading,
                                 const struct smc_cubin_section *section)
{
    static const char option[] = "-arch sm_";
    const size_t length = sizeof option - 1;
    struct smc_cubin *cubin = reading->cubin;
    const Elf_Data *note = elf_rawdata(section->content, NULL);
    const char *s = note && note->d_buf ? memmem(note->d_buf, note->d_size, option, length) : NULL;
    if (note && note->d_buf)
        smc_build_note_read(note->d_buf, note->d_size, &cubin->build);
    if (!s)
        return SMC_OK;
    const char *const end = (const char *)note->d_buf + note->d_size;
    unsigned cc = 0;
    for (s += length; s < end && *s >= '0' && *s <= '9' && cc <= SMC_MAX_CC; s++)
        cc = cc * 10 + (unsigned)(*s - '0');
    if (cc != cubin->cc)
        return smc_fail(reading->error, SMC_USAGE,
                        "it was compiled for sm_%u by its note, for sm_%u by its header", cc,
                        cubin->cc);
    if (s < end && (*s == 'a' || *s == 'f'))
        cubin->suffix = *s;
    return SMC_OK;
}

/* The architecture, from the header and the compiler's note. */
static enum smc_status cubin_read_target(const struct smc_cubin_reading *reading)
{
    struct smc_cubin *cubin = reading->cubin;
    const GElf_Word flags = reading->header.e_flags;
    const bool moved = reading->header.e_ident[EI_ABIVERSION] >= MOVED_ABI;
    cubin->is_linked = reading->header.e_type == ET_EXEC;
    cubin->cc = (uint16_t)(moved ? flags >> 8 & 0xff : flags & 0xff);
    if (flags & (moved ? FLAG_ACCELERATED_MOVED : FLAG_ACCELERATED))
        cubin->suffix = 'a';
    for (size_t i = 0; i < reading->section_count; i++)
        if (strcmp(reading->section[i].name, ".note.nv.tkinfo") == 0)
            return read_note(reading, &reading->section[i]);
    return SMC_OK;
}

/* --- Attributes ------------------------------------------------------------------------------- */

enum {
    ENTRY = 0x10, /* in st_other */
    TYPE_INFO = 0x70000000,
    SYMBOL_BITS = 24,
    MOST_REGS = 255,
};

static uint32_t symbol_of(const struct smc_cubin_section *section)
{
    return section->header.sh_info & ((1u << SYMBOL_BITS) - 1);
}

/* `home` is the index of its section, 0 if it is not defined here. False: no such symbol. */
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

static struct smc_cubin_claims *claims_of(const struct smc_cubin_reading *reading,
                                          const struct smc_cubin_kernel *kernel)
{
    return &reading->claims[kernel - reading->cubin->kernel];
}

/* The kernel whose code the symbol names; NULL if it names none. False: no such symbol. */
static bool cubin_kernel_of(const struct smc_cubin_reading *reading, uint32_t symbol,
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

/* The rest of the name after the prefix, or NULL if it does not begin with it. */
static const char *after_prefix(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(name, prefix, length) == 0 ? name + length : NULL;
}

enum cubin_form { FORM_NONE = 1, FORM_BYTE, FORM_SHORT, FORM_SIZED };

enum cubin_kind {
    MAX_THREADS = 0x05,
    PARAMETER_BANK = 0x0a, /* symbol, 16 bits of offset, 16 of size */
    REQUIRED_THREADS = 0x10,
    FRAME_SIZE = 0x11,
    LEAST_STACK = 0x12,
    PARAMETER = 0x17, /* index, 16 bits of number, 16 of offset, size above 18 bits */
    PARAMETER_BYTES = 0x19,
    LARGE_PARAMETER = 0x45, /* the same with 16 bits of size: if one is larger than 4 KiB */
    REGISTER_COUNT = 0x2f,
    CLUSTER_SIZE = 0x3d,
    BARRIER_COUNT = 0x4c,
};

enum { MOST_BARRIERS = 16, PARAMETER_SIZE_SHIFT = 18 };

/* The layout of the attributes that are read here. */
static const struct {
    uint8_t kind, form;
    uint16_t bytes;
} layouts[] = {
    {MAX_THREADS, FORM_SIZED, 12},      {PARAMETER_BANK, FORM_SIZED, 8},
    {REQUIRED_THREADS, FORM_SIZED, 12}, {FRAME_SIZE, FORM_SIZED, 8},
    {LEAST_STACK, FORM_SIZED, 8},       {PARAMETER, FORM_SIZED, 12},
    {PARAMETER_BYTES, FORM_SHORT, 0},   {REGISTER_COUNT, FORM_SIZED, 8},
    {CLUSTER_SIZE, FORM_SIZED, 12},     {BARRIER_COUNT, FORM_BYTE, 0},
    {LARGE_PARAMETER, FORM_SIZED, 12},
};

struct attribute {
    uint8_t form, kind;
    uint16_t value;
    uint32_t word[3]; /* of what follows */
};

static bool has_expected_layout(const struct attribute *attribute)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (layouts[i].kind == attribute->kind)
            return layouts[i].form == attribute->form &&
                   (attribute->form != FORM_SIZED || layouts[i].bytes == attribute->value);
    return attribute->form >= FORM_NONE && attribute->form <= FORM_SIZED;
}

/* Moves past the attribute; false if it does not end within the section. */
static bool next_attribute(const char **at, const char *end, struct attribute *attribute)
{
    const size_t head = 2 * sizeof(uint8_t) + sizeof(uint16_t);
    *attribute = (struct attribute){0};
    if ((size_t)(end - *at) < head)
        return false;
    memcpy(&attribute->form, *at, 1);
    memcpy(&attribute->kind, *at + 1, 1);
    memcpy(&attribute->value, *at + 2, sizeof attribute->value);
    *at += head;
    if (attribute->form != FORM_SIZED)
        return true;
    size_t bytes = attribute->value;
    if ((size_t)(end - *at) < bytes)
        return false;
    memcpy(attribute->word, *at, bytes < sizeof attribute->word ? bytes : sizeof attribute->word);
    *at += bytes;
    return true;
}

/* The first word is a symbol's index; attributes of functions that are not kernels are ignored. */
static bool take_count(struct smc_cubin_reading *reading, const struct attribute *attribute)
{
    struct smc_cubin_kernel *kernel;
    uint32_t value = attribute->word[1];
    reading->lists_registers |= attribute->kind == REGISTER_COUNT;
    if (!cubin_kernel_of(reading, attribute->word[0], &kernel))
        return false;
    if (!kernel)
        return true;
    struct smc_cubin_claims *claims = claims_of(reading, kernel);
    if (attribute->kind == REGISTER_COUNT) {
        kernel->regs_per_thread = value;
    } else if (attribute->kind == FRAME_SIZE) {
        claims->has_frame = true;
        kernel->stack_bytes = value;
    } else {
        claims->has_least_stack = true;
        claims->least_stack = value;
    }
    return true;
}

/* `block` receives a shape, unless it is NULL: N, 1, 1 is a number. */
static bool take_extent(const struct attribute *attribute, uint32_t *count, uint32_t *block)
{
    uint64_t n = 1;
    for (int i = 0; i < 3; i++) {
        n *= attribute->word[i];
        if (n == 0 || n > UINT32_MAX)
            return false;
    }
    *count = (uint32_t)n;
    if (block && (attribute->word[1] > 1 || attribute->word[2] > 1))
        memcpy(block, attribute->word, 3 * sizeof *block);
    return true;
}

/* They may come in any order. Each before this one takes at least one byte. */
static bool take_parameter(struct smc_cubin_reading *reading, const struct attribute *attribute,
                           struct smc_cubin_kernel *kernel)
{
    uint32_t number = attribute->word[1] & 0xffff, offset = attribute->word[1] >> 16;
    uint32_t size = attribute->word[2];
    bool is_large = attribute->kind == LARGE_PARAMETER;
    if (number > offset)
        return false;
    if (number >= kernel->parameter_count) {
        struct smc_cubin_parameter *more =
            smc_realloc(kernel->parameter, (number + (size_t)1) * sizeof *more);
        if (!more) {
            reading->failed = true;
            return false;
        }
        memset(more + kernel->parameter_count, 0,
               (number + (size_t)1 - kernel->parameter_count) * sizeof *more);
        kernel->parameter = more;
        kernel->parameter_count = number + 1;
    }
    struct smc_cubin_parameter *parameter = &kernel->parameter[number];
    if (parameter->bytes != 0)
        return false;
    parameter->offset = offset;
    parameter->bytes = is_large ? size & 0xffff : size >> PARAMETER_SIZE_SHIFT;
    return parameter->bytes != 0;
}

/* An attribute that applies to the kernel of its section. */
static bool take_own(struct smc_cubin_reading *reading, const struct attribute *attribute,
                     struct smc_cubin_kernel *kernel)
{
    struct smc_cubin_claims *claims = claims_of(reading, kernel);
    switch ((enum cubin_kind)attribute->kind) {
    case MAX_THREADS:
        return take_extent(attribute, &kernel->max_threads_per_block, kernel->block);
    case REQUIRED_THREADS:
        if (!take_extent(attribute, &kernel->required_threads_per_block, kernel->block))
            return false;
        kernel->max_threads_per_block = kernel->required_threads_per_block;
        return true;
    case CLUSTER_SIZE:
        return take_extent(attribute, &kernel->blocks_per_cluster, NULL);
    case BARRIER_COUNT:
        kernel->barriers = attribute->value;
        return kernel->barriers <= MOST_BARRIERS;
    case PARAMETER:
    case LARGE_PARAMETER:
        return take_parameter(reading, attribute, kernel);
    case PARAMETER_BYTES:
        claims->has_parameters = true;
        claims->parameter_bytes = attribute->value;
        return true;
    case PARAMETER_BANK:
        claims->has_bank = true;
        claims->bank_bytes = attribute->word[1] >> 16;
        claims->bank_at = attribute->word[1] & 0xffff;
        return true;
    default:
        return true;
    }
}

static bool cubin_take(struct smc_cubin_reading *reading, const struct attribute *attribute,
                       struct smc_cubin_kernel *kernel)
{
    switch ((enum cubin_kind)attribute->kind) {
    case REGISTER_COUNT:
    case FRAME_SIZE:
    case LEAST_STACK:
        return take_count(reading, attribute);
    default:
        return !kernel || take_own(reading, attribute, kernel);
    }
}

/* The attributes in a section .nv.info or .nv.info.KERNEL; `kernel` is NULL if they do not belong
   to one kernel. */
static enum smc_status read_attributes(struct smc_cubin_reading *reading,
                                       const struct smc_cubin_section *section,
                                       struct smc_cubin_kernel *kernel)
{
    const Elf_Data *data = elf_rawdata(section->content, NULL);
    const char *at = data ? data->d_buf : NULL, *const end = at ? at + data->d_size : NULL;
    struct attribute attribute;
    while (at < end) {
        bool whole = next_attribute(&at, end, &attribute);
        if (!whole || !has_expected_layout(&attribute) || !cubin_take(reading, &attribute, kernel))
            return smc_fail(reading->error, SMC_USAGE,
                            "section %.200s holds an attribute that cannot be", section->name);
    }
    return SMC_OK;
}

/* --- Kernels ---------------------------------------------------------------------------------- */

static bool is_code_of(const struct smc_cubin_section *section, const char *name)
{
    const char *function = after_prefix(section->name, ".text.");
    return function && strcmp(function, name) == 0;
}

/* If there are more sections than a symbol's 16-bit index can express, an extra section holds
   32-bit indices. */
static enum smc_status cubin_find_symbols(struct smc_cubin_reading *reading)
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

/* The registers that setmaxnreg sets: USETMAXREG, in instructions of 16 bytes. Only code for one
   architecture or family has it. */
static void cubin_take_set_regs(struct smc_cubin_kernel *kernel)
{
    enum { BYTES = 16, USETMAXREG = 0x9c8, OPERATION = 0xfff, REGISTERS_AT = 4 };
    const unsigned char *at = kernel->code;
    for (size_t i = 0; at && i + BYTES <= kernel->code_bytes; i += BYTES) {
        const uint32_t operation = at[i] | (uint32_t)at[i + 1] << 8, regs = at[i + REGISTERS_AT];
        if ((operation & OPERATION) != USETMAXREG)
            continue;
        if (!kernel->most_set_regs || regs < kernel->fewest_set_regs)
            kernel->fewest_set_regs = regs;
        if (regs > kernel->most_set_regs)
            kernel->most_set_regs = regs;
    }
}

static enum smc_status cubin_add_kernel(struct smc_cubin_reading *reading,
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
    if (reading->cubin->suffix)
        cubin_take_set_regs(section->kernel);
    reading->claims[n].code_regs = section->header.sh_info >> SYMBOL_BITS;
    return SMC_OK;
}

/* A function that is not a kernel may be part of other code, or be defined elsewhere. */
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
    reading->cubin->has_functions = true;
    return is_kernel ? cubin_add_kernel(reading, &reading->section[home], name, &symbol, index)
                     : SMC_OK;
}

/* Refuses code that no symbol names: it would otherwise be skipped silently. */
static enum smc_status check_code(const struct smc_cubin_reading *reading)
{
    for (size_t i = 0; i < reading->section_count; i++) {
        const struct smc_cubin_section *section = &reading->section[i];
        if (after_prefix(section->name, ".text.") && !section->is_function)
            return smc_fail(reading->error, SMC_USAGE, "section %.200s has no symbol",
                            section->name);
    }
    return SMC_OK;
}

/* Finds the symbols of kernels and the code of each. Allocates the kernels. */
static enum smc_status cubin_find_kernels(struct smc_cubin_reading *reading)
{
    SMC_TRY(cubin_find_symbols(reading));
    /* Each section holds the code of at most one kernel. */
    reading->cubin->kernel = smc_calloc(reading->section_count, sizeof *reading->cubin->kernel);
    reading->claims = smc_calloc(reading->section_count, sizeof *reading->claims);
    if (!reading->cubin->kernel || !reading->claims)
        return smc_out_of_memory(reading->error);
    for (uint32_t i = 0; i < reading->symbol_count; i++)
        SMC_TRY(take_symbol(reading, i));
    return check_code(reading);
}

static enum smc_status fail_section(const struct smc_cubin_reading *reading,
                                    const struct smc_cubin_section *section)
{
    return smc_fail(reading->error, SMC_USAGE, "section %.200s belongs to no code that there is",
                    section->name);
}

/* Finds the kernel that a section belongs to, by its name and its index, which must agree. NULL: it
   belongs to a function that is not a kernel, which only has attributes. */
static enum smc_status cubin_find_kernel(const struct smc_cubin_reading *reading,
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
    SMC_TRY(cubin_find_kernel(reading, section, name, &kernel));
    if (!kernel || section->header.sh_size > UINT32_MAX)
        return fail_section(reading, section);
    uint32_t bytes = (uint32_t)section->header.sh_size;
    if (is_shared)
        kernel->smem_bytes = bytes;
    else
        claims_of(reading, kernel)->constant_bytes = bytes;
    return SMC_OK;
}

static enum smc_status take_attributes(struct smc_cubin_reading *reading,
                                       const struct smc_cubin_section *section)
{
    struct smc_cubin_kernel *kernel = NULL;
    const char *name = after_prefix(section->name, ".nv.info.");
    if (!name && strcmp(section->name, ".nv.info") != 0)
        return fail_section(reading, section);
    SMC_TRY(name ? cubin_find_kernel(reading, section, name, &kernel) : SMC_OK);
    if (kernel)
        claims_of(reading, kernel)->has_attributes = true;
    return read_attributes(reading, section, kernel);
}

/* Functions of the driver, which nvlink does not add. */
static bool is_of_driver(const char *name)
{
    static const char *const names[] = {"vprintf", "__assertfail", "malloc", "free"};
    return SMC_ANY(smc_is_same, name, names);
}

static bool is_linked_later(const struct smc_cubin_reading *reading, uint32_t index)
{
    GElf_Sym symbol;
    uint32_t home;
    if (!read_symbol(reading, index, &symbol, &home) || GELF_ST_TYPE(symbol.st_info) != STT_FUNC)
        return false;
    const char *name = elf_strptr(reading->cubin->elf, reading->symbol_names, symbol.st_name);
    return name && !is_of_driver(name);
}

/* The places in a kernel's code that nvlink will fill: those with functions are calls. */
static void take_calls(const struct smc_cubin_reading *reading,
                       const struct smc_cubin_section *section)
{
    const uint32_t home = section->header.sh_info;
    if (home >= reading->section_count || !reading->section[home].kernel)
        return;
    const uint32_t own = symbol_of(&reading->section[home]);
    Elf_Data *entries = elf_getdata(section->content, NULL);
    GElf_Rela with_addend;
    GElf_Rel without;
    for (int i = 0; entries && i < INT_MAX; i++) {
        uint64_t info;
        if (section->header.sh_type == SHT_RELA && gelf_getrela(entries, i, &with_addend))
            info = with_addend.r_info;
        else if (section->header.sh_type == SHT_REL && gelf_getrel(entries, i, &without))
            info = without.r_info;
        else
            return;
        uint32_t symbol = (uint32_t)GELF_R_SYM(info);
        if (symbol != own && is_linked_later(reading, symbol))
            reading->section[home].kernel->calls_unlinked = true;
    }
}

/* A section without space in the file that belongs to code is that code's memory. It is refused if
   its name is unknown: otherwise the kernel would seem to need no memory. */
static enum smc_status take_section(struct smc_cubin_reading *reading,
                                    const struct smc_cubin_section *section)
{
    const char *name;
    if (section->header.sh_type == SHT_RELA || section->header.sh_type == SHT_REL) {
        if (!reading->cubin->is_linked)
            take_calls(reading, section);
        return SMC_OK;
    }
    if (section->header.sh_type == TYPE_INFO || after_prefix(section->name, ".nv.info"))
        return take_attributes(reading, section);
    if (after_prefix(section->name, ".nv.shared.reserved."))
        return SMC_OK;
    if ((name = after_prefix(section->name, ".nv.shared.")))
        return take_size(reading, section, name, true);
    if ((name = after_prefix(section->name, ".nv.constant0.")))
        return take_size(reading, section, name, false);
    bool is_memory = section->header.sh_type == SHT_NOBITS && section->header.sh_info != 0 &&
                     section->header.sh_size > 0;
    if (is_memory && !after_prefix(section->name, ".nv.local."))
        return fail_section(reading, section);
    return SMC_OK;
}

/* Hands the parameters on. False: they overlap, one is missing, or they do not end where they
   should. */
static bool fill_parameters(struct smc_cubin_kernel *kernel, const struct smc_cubin_claims *claims)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const struct smc_cubin_parameter *parameter = &kernel->parameter[i];
        if (parameter->bytes == 0 || parameter->offset < end)
            return false;
        end = parameter->offset + parameter->bytes;
    }
    /* without parameters the bank ends where they would begin: after the shape of the launch */
    kernel->parameters_at = claims->has_bank ? claims->bank_at : claims->constant_bytes;
    kernel->parameter_bytes = claims->parameter_bytes;
    return kernel->parameter_count == 0 || end == claims->parameter_bytes;
}

static enum smc_status cubin_check_kernel(const struct smc_cubin_reading *reading, size_t index)
{
    struct smc_cubin_kernel *kernel = &reading->cubin->kernel[index];
    const struct smc_cubin_claims *claims = &reading->claims[index];
    if (!claims->has_attributes || claims->constant_bytes == 0)
        return smc_fail(reading->error, SMC_USAGE, "kernel %.200s lacks its %s", kernel->name,
                        claims->has_attributes ? "constants" : "attributes");
    if (!reading->lists_registers)
        kernel->regs_per_thread = claims->code_regs;
    if (kernel->regs_per_thread == 0 || kernel->regs_per_thread > MOST_REGS ||
        kernel->regs_per_thread < claims->code_regs)
        return smc_fail(reading->error, SMC_USAGE, "kernel %.200s cannot have %u registers",
                        kernel->name, kernel->regs_per_thread);
    if ((!claims->has_frame && reading->lists_registers) ||
        (claims->has_least_stack && kernel->stack_bytes > claims->least_stack))
        return smc_fail(reading->error, SMC_USAGE, "kernel %.200s cannot have a stack of %u bytes",
                        kernel->name, kernel->stack_bytes);
    bool agree =
        claims->has_bank == claims->has_parameters &&
        claims->bank_bytes == claims->parameter_bytes && fill_parameters(kernel, claims) &&
        (!claims->has_bank || claims->bank_at + claims->bank_bytes == claims->constant_bytes);
    if (!agree)
        return smc_fail(reading->error, SMC_USAGE,
                        "kernel %.200s has parameters of different sizes", kernel->name);
    if (reading->cubin->is_linked && claims->has_least_stack)
        kernel->stack_bytes = claims->least_stack;
    return SMC_OK;
}

/* Reads the facts about each kernel from the other sections, then checks that they agree. */
static enum smc_status cubin_read_kernels(struct smc_cubin_reading *reading)
{
    for (size_t i = 0; i < reading->section_count; i++)
        SMC_TRY(take_section(reading, &reading->section[i]));
    for (size_t i = 0; i < reading->cubin->kernel_count; i++)
        SMC_TRY(cubin_check_kernel(reading, i));
    return SMC_OK;
}

/* --- Reading a file --------------------------------------------------------------------------- */

bool smc_cubin_is(const void *file, size_t bytes)
{
    Elf64_Half machine; /* at the same place in files of 32 and of 64 bits */
    const size_t at = offsetof(Elf64_Ehdr, e_machine);
    if (bytes < at + sizeof machine || memcmp(file, ELFMAG, SELFMAG) != 0)
        return false;
    memcpy(&machine, (const char *)file + at, sizeof machine);
    return machine == EM_CUDA;
}

static enum smc_status cubin_read_all(struct smc_cubin_reading *reading)
{
    SMC_TRY(read_sections(reading));
    SMC_TRY(check_segments(reading));
    SMC_TRY(cubin_read_target(reading));
    SMC_TRY(cubin_find_kernels(reading));
    return cubin_read_kernels(reading);
}

/* libelf does not publish its error numbers, so this compares the messages. */
static bool is_short_of_memory(void)
{
    int number = elf_errno();
    const char *words = number ? elf_errmsg(number) : NULL;
    return words && strcmp(words, "out of memory") == 0;
}

enum smc_status smc_cubin_open(const void *file, size_t bytes, struct smc_cubin *cubin,
                               struct smc_error *error)
{
    *cubin = (struct smc_cubin){0};
    struct smc_cubin_reading reading = {.bytes = bytes, .cubin = cubin, .error = error};
    if (!smc_cubin_is(file, bytes))
        return smc_fail(error, SMC_USAGE, "no machine code of a GPU");
    elf_version(EV_CURRENT);
    elf_errno();                                  /* clears earlier errors */
    cubin->elf = elf_memory((char *)file, bytes); /* libelf only reads it */
    enum smc_status status;
    if (!cubin->elf || !gelf_getehdr(cubin->elf, &reading.header))
        status = smc_fail(error, SMC_USAGE, "its header is cut off or none of machine code");
    else
        status = cubin_read_all(&reading);
    if (status == SMC_USAGE && (reading.failed || is_short_of_memory()))
        status = smc_out_of_memory(error);
    free(reading.section);
    free(reading.claims);
    if (status != SMC_OK)
        smc_cubin_close(cubin);
    return status;
}

void smc_cubin_close(struct smc_cubin *cubin)
{
    for (size_t i = 0; i < cubin->kernel_count; i++)
        free(cubin->kernel[i].parameter);
    free(cubin->kernel);
    elf_end(cubin->elf);
    *cubin = (struct smc_cubin){0};
}

const struct smc_cubin_kernel *smc_cubin_kernel(const struct smc_cubin *cubin, const char *name)
{
    for (size_t i = 0; i < cubin->kernel_count; i++)
        if (strcmp(cubin->kernel[i].name, name) == 0)
            return &cubin->kernel[i];
    return NULL;
}

enum smc_status smc_cubin_read_barriers(const void *file, size_t bytes, const char *entry,
                                        uint32_t *barriers, struct smc_error *error)
{
    SMC_AUTO(smc_cubin_close) struct smc_cubin cubin = {0};
    SMC_TRY(smc_cubin_open(file, bytes, &cubin, error));
    const struct smc_cubin_kernel *kernel = smc_cubin_kernel(&cubin, entry);
    if (!kernel)
        return smc_fail(error, SMC_USAGE, "no kernel %s in its machine code", entry);
    *barriers = kernel->barriers;
    return SMC_OK;
}
