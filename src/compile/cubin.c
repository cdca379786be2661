/* Machine code as ptxas and NVRTC give it: an ELF file. Nothing in it is trusted.
   A kernel k has a section .text.k, whose sh_info holds its symbol (and up to CC 8.9 its registers
   above), .nv.info.k with its attributes, and .nv.shared.k. Established by comparing what
   ptxas 11.8, 12.4 and 13.0 write with what they print. */
#include "compile/cubin.h"

#include <string.h>

enum { MACHINE_CUDA = 190, ENTRY = 0x10 /* in st_other */ };

/* Attributes: a byte of form, a byte of kind, then a 16-bit value, or the size of what follows. */
enum {
    FORM_SIZED = 4,
    MAX_THREADS = 0x05,
    REQUIRED_THREADS = 0x10,
    FRAME_SIZE = 0x11,
    REGISTER_COUNT = 0x2f,
    CLUSTER_SIZE = 0x3d,
    BARRIER_COUNT = 0x4c,
};

static const char text_prefix[] = ".text.";

static bool read_at(const struct smc_cubin *cubin, uint64_t offset, void *out, size_t size)
{
    if (offset > cubin->bytes || cubin->bytes - offset < size)
        return false;
    memcpy(out, (const char *)cubin->file + offset, size);
    return true;
}

static bool read_section(const struct smc_cubin *cubin, unsigned index, Elf64_Shdr *section)
{
    uint64_t offset;
    return index < cubin->elf.e_shnum && cubin->elf.e_shentsize == sizeof *section &&
           !__builtin_add_overflow(cubin->elf.e_shoff, (uint64_t)index * sizeof *section,
                                   &offset) &&
           read_at(cubin, offset, section, sizeof *section);
}

/* The string at `offset` of a table, or NULL where it does not end within the file. */
static const char *string_at(const struct smc_cubin *cubin, const Elf64_Shdr *table,
                             uint32_t offset)
{
    uint64_t start;
    if (__builtin_add_overflow(table->sh_offset, offset, &start) || start >= cubin->bytes)
        return NULL;
    const char *string = (const char *)cubin->file + start;
    return memchr(string, '\0', cubin->bytes - start) ? string : NULL;
}

/* The ABI of CUDA 13 moved the architecture up by a byte. */
static uint16_t architecture(const Elf64_Ehdr *elf)
{
    bool moved = elf->e_ident[EI_ABIVERSION] >= 8;
    return (uint16_t)(moved ? elf->e_flags >> 8 & 0xff : elf->e_flags & 0xff);
}

static bool find_symbols(struct smc_cubin *cubin)
{
    for (unsigned i = 0; i < cubin->elf.e_shnum; i++)
        if (read_section(cubin, i, &cubin->symbols) && cubin->symbols.sh_type == SHT_SYMTAB)
            return read_section(cubin, cubin->symbols.sh_link, &cubin->symbol_names);
    return false;
}

bool smc_cubin_open(const void *file, size_t bytes, struct smc_cubin *cubin)
{
    *cubin = (struct smc_cubin){.file = file, .bytes = bytes};
    if (!read_at(cubin, 0, &cubin->elf, sizeof cubin->elf) ||
        memcmp(cubin->elf.e_ident, ELFMAG, SELFMAG) != 0 ||
        cubin->elf.e_ident[EI_CLASS] != ELFCLASS64 || cubin->elf.e_machine != MACHINE_CUDA)
        return false;
    cubin->cc = architecture(&cubin->elf);
    return read_section(cubin, cubin->elf.e_shstrndx, &cubin->names) && find_symbols(cubin);
}

/* Is this the code of a kernel? Sets its name and the number of its symbol. */
static bool is_kernel(const struct smc_cubin *cubin, const Elf64_Shdr *section, const char **name,
                      uint32_t *symbol_index)
{
    Elf64_Sym symbol;
    uint64_t offset;
    const char *text = string_at(cubin, &cubin->names, section->sh_name);
    const size_t prefix = sizeof text_prefix - 1;
    if (!text || strncmp(text, text_prefix, prefix) != 0 || !text[prefix])
        return false;
    *symbol_index = section->sh_info & 0xffffff;
    if (__builtin_add_overflow(cubin->symbols.sh_offset, *symbol_index * sizeof symbol, &offset) ||
        !read_at(cubin, offset, &symbol, sizeof symbol) || !(symbol.st_other & ENTRY))
        return false;
    const char *known = string_at(cubin, &cubin->symbol_names, symbol.st_name);
    *name = text + prefix;
    return known && strcmp(known, *name) == 0;
}

/* One of an attribute's words; 0 where it has fewer. */
static uint32_t word(const struct smc_cubin *cubin, uint64_t at, unsigned size, unsigned index)
{
    uint32_t value = 0;
    if ((index + 1) * sizeof value > size || !read_at(cubin, at + index * sizeof value, &value, 4))
        return 0;
    return value;
}

static uint32_t product(const struct smc_cubin *cubin, uint64_t at, unsigned size)
{
    uint64_t n = 1;
    for (unsigned i = 0; i < 3; i++) {
        uint32_t extent = word(cubin, at, size, i);
        n *= extent ? extent : 1;
        if (n > UINT32_MAX)
            return 0;
    }
    return (uint32_t)n;
}

static void take_attribute(const struct smc_cubin *cubin, unsigned kind, uint64_t at, unsigned size,
                           uint32_t symbol, struct smc_cubin_kernel *kernel)
{
    bool own = word(cubin, at, size, 0) == symbol;
    switch (kind) {
    case REGISTER_COUNT:
        if (own)
            kernel->regs_per_thread = word(cubin, at, size, 1);
        return;
    case FRAME_SIZE:
        if (own)
            kernel->stack_bytes = word(cubin, at, size, 1);
        return;
    case MAX_THREADS:
    case REQUIRED_THREADS:
        kernel->max_threads_per_block = product(cubin, at, size);
        return;
    case CLUSTER_SIZE:
        kernel->blocks_per_cluster = product(cubin, at, size);
        return;
    default:
        return;
    }
}

static void read_attributes(const struct smc_cubin *cubin, const Elf64_Shdr *section,
                            uint32_t symbol, struct smc_cubin_kernel *kernel)
{
    struct {
        uint8_t form, kind;
        uint16_t value;
    } attribute;
    uint64_t at = section->sh_offset, end;
    if (__builtin_add_overflow(at, section->sh_size, &end) || end > cubin->bytes)
        return;
    while (end - at >= sizeof attribute && read_at(cubin, at, &attribute, sizeof attribute)) {
        at += sizeof attribute;
        if (attribute.kind == BARRIER_COUNT && attribute.form != FORM_SIZED)
            kernel->barriers = attribute.value & 0xff;
        if (attribute.form != FORM_SIZED)
            continue;
        if (end - at < attribute.value)
            return;
        take_attribute(cubin, attribute.kind, at, attribute.value, symbol, kernel);
        at += attribute.value;
    }
}

static bool is_named(const char *name, const char *prefix, const char *kernel)
{
    size_t length = strlen(prefix);
    return strncmp(name, prefix, length) == 0 && strcmp(name + length, kernel) == 0;
}

/* Gathers what the other sections say of the kernel. */
static void read_kernel(const struct smc_cubin *cubin, uint32_t symbol,
                        struct smc_cubin_kernel *kernel)
{
    Elf64_Shdr section;
    for (unsigned i = 0; i < cubin->elf.e_shnum; i++) {
        const char *name;
        if (!read_section(cubin, i, &section) ||
            !(name = string_at(cubin, &cubin->names, section.sh_name)) ||
            strncmp(name, ".nv.", 4) != 0)
            continue;
        if (strcmp(name, ".nv.info") == 0 || is_named(name, ".nv.info.", kernel->name))
            read_attributes(cubin, &section, symbol, kernel);
        else if (is_named(name, ".nv.shared.", kernel->name) && section.sh_size <= UINT32_MAX)
            kernel->smem_bytes = (uint32_t)section.sh_size;
    }
}

bool smc_cubin_next(struct smc_cubin *cubin, struct smc_cubin_kernel *kernel)
{
    Elf64_Shdr section;
    uint32_t symbol;
    while (cubin->next < cubin->elf.e_shnum) {
        *kernel = (struct smc_cubin_kernel){0};
        if (!read_section(cubin, cubin->next++, &section) ||
            !is_kernel(cubin, &section, &kernel->name, &symbol))
            continue;
        kernel->regs_per_thread = section.sh_info >> 24;
        kernel->barriers = (uint32_t)(section.sh_flags >> 20 & 0x7f);
        read_kernel(cubin, symbol, kernel);
        return true;
    }
    return false;
}

bool smc_cubin_read_barriers(const void *file, size_t bytes, const char *entry, uint32_t *barriers)
{
    struct smc_cubin cubin;
    struct smc_cubin_kernel kernel;
    if (!smc_cubin_open(file, bytes, &cubin))
        return false;
    while (smc_cubin_next(&cubin, &kernel))
        if (strcmp(kernel.name, entry) == 0) {
            *barriers = kernel.barriers;
            return true;
        }
    return false;
}
