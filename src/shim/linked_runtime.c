/* Programs that have CUDA's runtime linked into them, as nvcc does by default. That runtime needs
   undocumented calls of the driver, so it does not work on the emulator. This library is preloaded:
   before the program's own code runs it makes each function of the runtime, found in the program's
   table of symbols, jump to the same function of the emulator's runtime library. In a program
   without such a table (stripped) nothing is found, and the driver says what to do. */
#include "config.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
    const char *bytes;
    size_t size;
    uintptr_t base; /* that the loader added to the addresses in the file */
};

#ifdef __x86_64__
static const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0}; /* to the address that follows */
enum { JUMP_BYTES = sizeof jump + sizeof(uint64_t) };

static void write_jump(uint8_t *from, const void *to)
{
    const uint64_t address = (uint64_t)(uintptr_t)to;
    memcpy(from, jump, sizeof jump);
    memcpy(from + sizeof jump, &address, sizeof address);
}
#else /* aarch64: ldr x16, .+8; br x16; the address */
static const uint32_t jump[] = {0x58000050, 0xd61f0200};
enum { JUMP_BYTES = sizeof jump + sizeof(uint64_t) };

static void write_jump(uint8_t *from, const void *to)
{
    const uint64_t address = (uint64_t)(uintptr_t)to;
    memcpy(from, jump, sizeof jump);
    memcpy(from + sizeof jump, &address, sizeof address);
    __builtin___clear_cache((char *)from, (char *)from + JUMP_BYTES);
}
#endif

static int find_base(struct dl_phdr_info *info, size_t size, void *base)
{
    (void)size;
    *(uintptr_t *)base = info->dlpi_addr; /* the program is the first */
    return 1;
}

static bool is_within(const struct image *image, uint64_t at, uint64_t bytes)
{
    return at <= image->size && bytes <= image->size - at;
}

/* The table of symbols and its strings. */
static bool find_symbols(const struct image *image, const ElfW(Sym) * *symbol, size_t *count,
                         const char **names, size_t *name_bytes)
{
    const ElfW(Ehdr) *head = (const void *)image->bytes;
    if (image->size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_shentsize != sizeof(ElfW(Shdr)) ||
        !is_within(image, head->e_shoff, (uint64_t)head->e_shnum * sizeof(ElfW(Shdr))))
        return false;
    const ElfW(Shdr) *section = (const void *)(image->bytes + head->e_shoff);
    for (size_t i = 0; i < head->e_shnum; i++) {
        const ElfW(Shdr) *table = &section[i];
        if (table->sh_type != SHT_SYMTAB || table->sh_link >= head->e_shnum)
            continue;
        const ElfW(Shdr) *strings = &section[table->sh_link];
        if (!is_within(image, table->sh_offset, table->sh_size) ||
            !is_within(image, strings->sh_offset, strings->sh_size) || strings->sh_size == 0 ||
            image->bytes[strings->sh_offset + strings->sh_size - 1] != '\0')
            return false;
        *symbol = (const void *)(image->bytes + table->sh_offset);
        *count = table->sh_size / sizeof **symbol;
        *names = image->bytes + strings->sh_offset;
        *name_bytes = strings->sh_size;
        return true;
    }
    return false;
}

static bool is_of_runtime(const char *name)
{
    return strncmp(name, "cuda", 4) == 0 || strncmp(name, "__cuda", 6) == 0;
}

/* Functions shorter than a jump only call another one, which is redirected as well: compilers
   leave space up to a multiple of 16 bytes behind them. */
static bool redirect(uint8_t *from, const void *to)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uint8_t *first = (uint8_t *)((uintptr_t)from / page * page);
    const size_t bytes = (size_t)(from + JUMP_BYTES - first);
    if (mprotect(first, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return false;
    write_jump(from, to);
    return mprotect(first, bytes, PROT_READ | PROT_EXEC) == 0;
}

static void redirect_all(const struct image *image, void *library, const ElfW(Sym) * symbol,
                         size_t count, const char *names, size_t name_bytes)
{
    for (size_t i = 0; i < count; i++) {
        if (ELF64_ST_TYPE(symbol[i].st_info) != STT_FUNC || symbol[i].st_shndx == SHN_UNDEF ||
            symbol[i].st_name >= name_bytes || symbol[i].st_value % 16 != 0)
            continue;
        const char *name = names + symbol[i].st_name;
        void *to = is_of_runtime(name) ? dlsym(library, name) : NULL;
        if (to)
            redirect((uint8_t *)(image->base + symbol[i].st_value), to);
    }
}

/* The version whose structures the program has: only 12 has two functions for the properties. */
static void *open_runtime(const ElfW(Sym) * symbol, size_t count, const char *names,
                          size_t name_bytes)
{
    bool has_runtime = false, is_12 = false;
    for (size_t i = 0; i < count; i++) {
        const char *name = symbol[i].st_name < name_bytes ? names + symbol[i].st_name : "";
        if (symbol[i].st_shndx == SHN_UNDEF)
            continue;
        has_runtime |= strcmp(name, "__cudaRegisterFatBinary") == 0;
        is_12 |= strcmp(name, "cudaGetDeviceProperties_v2") == 0;
    }
    return has_runtime ? dlopen(is_12 ? "libcudart.so.12" : "libcudart.so.13", RTLD_NOW) : NULL;
}

__attribute__((constructor)) static void load(void)
{
    struct image image = {NULL, 0, 0};
    struct stat status;
    const ElfW(Sym) * symbol;
    const char *names;
    size_t count, name_bytes;
    const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0 || status.st_size == 0) {
        if (file >= 0)
            close(file);
        return;
    }
    image.size = (size_t)status.st_size;
    void *mapped = mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (mapped == MAP_FAILED)
        return;
    image.bytes = mapped;
    dl_iterate_phdr(find_base, &image.base);
    if (find_symbols(&image, &symbol, &count, &names, &name_bytes)) {
        void *library = open_runtime(symbol, count, names, name_bytes);
        if (library)
            redirect_all(&image, library, symbol, count, names, name_bytes);
    }
    munmap(mapped, image.size);
}
