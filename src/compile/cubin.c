/* Machine code as NVRTC gives it: an ELF file. Nothing in it is trusted. */
#include "compile/cubin.h"

#include <elf.h>
#include <string.h>

static bool read_at(const void *file, size_t bytes, uint64_t offset, void *out, size_t size)
{
    if (offset > bytes || bytes - offset < size)
        return false;
    memcpy(out, (const char *)file + offset, size);
    return true;
}

static bool read_section(const void *file, size_t bytes, const Elf64_Ehdr *elf, unsigned index,
                         Elf64_Shdr *section)
{
    uint64_t offset;
    return index < elf->e_shnum && elf->e_shentsize == sizeof *section &&
           !__builtin_add_overflow(elf->e_shoff, (uint64_t)index * sizeof *section, &offset) &&
           read_at(file, bytes, offset, section, sizeof *section);
}

/* Is the string at `offset` of the name section `.text.` and the entry? */
static bool is_code_of(const void *file, size_t bytes, const Elf64_Shdr *names, uint32_t offset,
                       const char *entry)
{
    static const char prefix[] = ".text.";
    const size_t prefix_length = sizeof prefix - 1, length = strlen(entry) + 1;
    uint64_t start;
    if (__builtin_add_overflow(names->sh_offset, offset, &start) || start > bytes ||
        bytes - start < prefix_length + length)
        return false;
    const char *name = (const char *)file + start;
    return memcmp(name, prefix, prefix_length) == 0 &&
           memcmp(name + prefix_length, entry, length) == 0;
}

bool smc_cubin_read_barriers(const void *cubin, size_t bytes, const char *entry, uint32_t *barriers)
{
    Elf64_Ehdr elf;
    Elf64_Shdr names, section;
    if (!read_at(cubin, bytes, 0, &elf, sizeof elf) || memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 ||
        elf.e_ident[EI_CLASS] != ELFCLASS64 ||
        !read_section(cubin, bytes, &elf, elf.e_shstrndx, &names))
        return false;
    for (unsigned i = 0; i < elf.e_shnum; i++)
        if (read_section(cubin, bytes, &elf, i, &section) &&
            is_code_of(cubin, bytes, &names, section.sh_name, entry)) {
            *barriers = (uint32_t)(section.sh_flags >> 20 & 0x7f);
            return true;
        }
    return false;
}
