/* Constants and variables of a module: sections of machine code, the symbols in them, and the
   addresses that the loader writes. Found in what ptxas 13.0 writes for sm_75 to sm_90. */
#include <gelf.h>
#include <limits.h>
#include <string.h>

#include "code/machine_code.h"

static const char *module_name(Elf *elf, const GElf_Shdr *header)
{
    size_t names = 0;
    const char *name = NULL;
    if (elf_getshdrstrndx(elf, &names) == 0)
        name = elf_strptr(elf, names, header->sh_name);
    return name ? name : "";
}

/* The section of a name, or NULL. */
static Elf_Scn *find_section(Elf *elf, const char *name, GElf_Shdr *header)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section)))
        if (gelf_getshdr(section, header) && strcmp(module_name(elf, header), name) == 0)
            return section;
    return NULL;
}

/* The symbols, of which each section table has one. */
static Elf_Data *find_symbols(Elf *elf, GElf_Shdr *header)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section)))
        if (gelf_getshdr(section, header) && header->sh_type == SHT_SYMTAB)
            return elf_getdata(section, NULL);
    return NULL;
}

size_t smc_cubin_section(const struct smc_cubin *cubin, const char *name, const void **data)
{
    GElf_Shdr header;
    Elf_Scn *section = find_section(cubin->elf, name, &header);
    *data = NULL;
    if (!section || header.sh_size > INT_MAX)
        return 0;
    const Elf_Data *content = header.sh_type == SHT_NOBITS ? NULL : elf_rawdata(section, NULL);
    if (content && content->d_size == header.sh_size)
        *data = content->d_buf;
    return (size_t)header.sh_size;
}

/* The section of a symbol; NULL: none, or there are too many sections. */
static const char *section_of(Elf *elf, const GElf_Sym *symbol, GElf_Shdr *header)
{
    Elf_Scn *section = symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= SHN_LORESERVE
                           ? NULL
                           : elf_getscn(elf, symbol->st_shndx);
    return section && gelf_getshdr(section, header) ? module_name(elf, header) : NULL;
}

/* The symbol of a type that is found from symbol `*at` on. */
static bool next_symbol(const struct smc_cubin *cubin, unsigned type, size_t *at,
                        struct smc_cubin_variable *found)
{
    GElf_Shdr table, home;
    Elf_Data *symbols = find_symbols(cubin->elf, &table);
    GElf_Sym symbol;
    while (symbols && *at < INT_MAX && gelf_getsym(symbols, (int)*at, &symbol)) {
        ++*at;
        if (GELF_ST_TYPE(symbol.st_info) != type || symbol.st_size == 0)
            continue;
        found->section = section_of(cubin->elf, &symbol, &home);
        found->name = elf_strptr(cubin->elf, table.sh_link, symbol.st_name);
        found->offset = symbol.st_value;
        found->bytes = symbol.st_size;
        if (found->section && found->name && symbol.st_value <= home.sh_size &&
            symbol.st_size <= home.sh_size - symbol.st_value)
            return true;
    }
    return false;
}

bool smc_cubin_next_variable(const struct smc_cubin *cubin, size_t *at,
                             struct smc_cubin_variable *variable)
{
    return next_symbol(cubin, STT_OBJECT, at, variable);
}

bool smc_cubin_next_helper(const struct smc_cubin *cubin, const char *kernel, size_t *at,
                           struct smc_cubin_variable *function)
{
    static const char text[] = ".text.", helper[] = "$__cuda_";
    while (next_symbol(cubin, STT_FUNC, at, function))
        if (function->offset > 0 && strstr(function->name, helper) &&
            strncmp(function->section, text, strlen(text)) == 0 &&
            strcmp(function->section + strlen(text), kernel) == 0)
            return true;
    return false;
}

/* Entry `at` of a table of relocations. */
static bool read_entry(Elf_Data *entries, const GElf_Shdr *header, int at, GElf_Rela *entry)
{
    GElf_Rel plain;
    if (header->sh_type == SHT_RELA)
        return gelf_getrela(entries, at, entry) != NULL;
    if (header->sh_type != SHT_REL || !gelf_getrel(entries, at, &plain))
        return false;
    *entry = (GElf_Rela){.r_offset = plain.r_offset, .r_info = plain.r_info};
    return true;
}

bool smc_cubin_next_address(const struct smc_cubin *cubin, const char *section, size_t *at,
                            struct smc_cubin_address *address)
{
    enum { ADDRESS_OF_64_BITS = 2, MOST = 256 };
    char name[MOST];
    GElf_Shdr header, table, home;
    GElf_Rela entry;
    GElf_Sym symbol;
    static const char *const kinds[] = {".rela", ".rel"};
    Elf_Scn *found = NULL;
    for (size_t i = 0; i < 2 && !found; i++) {
        name[0] = 0;
        if (strlen(section) + strlen(kinds[i]) < sizeof name)
            strcat(strcpy(name, kinds[i]), section);
        found = find_section(cubin->elf, name, &header);
    }
    Elf_Data *entries = found ? elf_getdata(found, NULL) : NULL;
    Elf_Data *symbols = find_symbols(cubin->elf, &table);
    while (entries && symbols && *at < INT_MAX && read_entry(entries, &header, (int)*at, &entry)) {
        ++*at;
        if (GELF_R_TYPE(entry.r_info) != ADDRESS_OF_64_BITS || GELF_R_SYM(entry.r_info) > INT_MAX ||
            !gelf_getsym(symbols, (int)GELF_R_SYM(entry.r_info), &symbol))
            continue;
        address->place = entry.r_offset;
        address->of_section = section_of(cubin->elf, &symbol, &home);
        address->offset = symbol.st_value + (uint64_t)entry.r_addend;
        if (address->of_section)
            return true;
    }
    return false;
}
