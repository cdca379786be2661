/* The frame of machine code: header, sections, segments, architecture. A file that was cut or
   overwritten shows it here. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compile/cubin_parts.h"
#include "model/sm.h"

/* Types of sections that take no room in the file, besides SHT_NOBITS: variables in global, local
   and shared memory of code that is still to be linked, and the driver's reserve. */
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

static bool is_within(uint64_t offset, uint64_t size, size_t bytes)
{
    return offset <= bytes && size <= bytes - offset;
}

static bool takes_no_room(const GElf_Shdr *header)
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

/* Where libelf finds less than the header promises, the file ends within the table. */
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
        !is_within(header->e_shoff, section_count * entry, reading->bytes))
        return smc_fail(reading->error, SMC_USAGE,
                        "its table of sections lies beyond the end of the file");
    if (!is_within(header->e_phoff, header->e_phnum * segment, reading->bytes))
        return smc_fail(reading->error, SMC_USAGE,
                        "its table of segments lies beyond the end of the file");
    return SMC_OK;
}

static enum smc_status read_section(struct smc_cubin_reading *reading, size_t names, size_t index)
{
    Elf *elf = reading->cubin->elf;
    struct smc_cubin_section *section = &reading->section[index];
    section->content = elf_getscn(elf, index);
    if (!section->content || !gelf_getshdr(section->content, &section->header))
        return smc_fail(reading->error, SMC_USAGE, "section %zu cannot be read", index);
    section->name = index == 0 ? "" : elf_strptr(elf, names, section->header.sh_name);
    if (!section->name)
        return smc_fail(reading->error, SMC_USAGE, "section %zu has no name", index);
    if (!takes_no_room(&section->header) &&
        !is_within(section->header.sh_offset, section->header.sh_size, reading->bytes))
        return smc_fail(reading->error, SMC_USAGE, "section %.200s lies beyond the end of the file",
                        section->name);
    return SMC_OK;
}

enum smc_status smc_cubin_read_sections(struct smc_cubin_reading *reading)
{
    Elf *elf = reading->cubin->elf;
    size_t count = 0, names = 0;
    if (elf_getshdrnum(elf, &count) != 0 || elf_getshdrstrndx(elf, &names) != 0)
        count = 0;
    enum smc_status status = check_header(reading, count);
    if (status != SMC_OK)
        return status;
    reading->section = smc_calloc(count, sizeof *reading->section);
    if (!reading->section)
        return smc_out_of_memory(reading->error);
    reading->section_count = count;
    for (size_t i = 0; i < count && status == SMC_OK; i++)
        status = read_section(reading, names, i);
    return status;
}

/* Sections without room in the file lie one behind the other in memory. */
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

enum smc_status smc_cubin_check_segments(const struct smc_cubin_reading *reading)
{
    uint64_t memory = 0;
    GElf_Phdr segment;
    if (reading->header.e_phnum == 0 && reading->header.e_type == ET_REL)
        return SMC_OK;
    for (int i = 0; i < reading->header.e_phnum; i++) {
        if (!gelf_getphdr(reading->cubin->elf, i, &segment) ||
            !is_within(segment.p_offset, segment.p_filesz, reading->bytes))
            return smc_fail(reading->error, SMC_USAGE, "segment %d lies beyond the end of the file",
                            i);
        if (segment.p_type == PT_LOAD)
            memory += segment.p_memsz - segment.p_filesz;
    }
    if (memory != memory_of_sections(reading))
        return smc_fail(reading->error, SMC_USAGE,
                        "its segments and its sections differ in the memory they take");
    return SMC_OK;
}

/* "-arch sm_90a", as the compiler noted how it was called. Code of the moved ABI has such a note;
   the letter f, and from CUDA 13 on a, stand nowhere else in words. */
static enum smc_status read_note(const struct smc_cubin_reading *reading,
                                 const struct smc_cubin_section *section)
{
    static const char option[] = "-arch sm_";
    const size_t length = sizeof option - 1;
    struct smc_cubin *cubin = reading->cubin;
    const Elf_Data *note = elf_rawdata(section->content, NULL);
    const char *s = note && note->d_buf ? memmem(note->d_buf, note->d_size, option, length) : NULL;
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

enum smc_status smc_cubin_read_target(const struct smc_cubin_reading *reading)
{
    struct smc_cubin *cubin = reading->cubin;
    const GElf_Word flags = reading->header.e_flags;
    const bool moved = reading->header.e_ident[EI_ABIVERSION] >= MOVED_ABI;
    cubin->cc = (uint16_t)(moved ? flags >> 8 & 0xff : flags & 0xff);
    if (flags & (moved ? FLAG_ACCELERATED_MOVED : FLAG_ACCELERATED))
        cubin->suffix = 'a';
    for (size_t i = 0; i < reading->section_count; i++)
        if (strcmp(reading->section[i].name, ".note.nv.tkinfo") == 0)
            return read_note(reading, &reading->section[i]);
    return SMC_OK;
}
