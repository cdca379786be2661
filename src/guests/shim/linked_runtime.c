/* Programs that have CUDA's runtime linked into them, as nvcc does by default, or into libraries
   that they are linked with. That runtime needs undocumented calls of the driver, so it does not
   work on the emulator. This library is preloaded, and initialized first: before other code runs it
   makes each function of the runtime, found in the table of symbols of the program and of each
   library, jump to the same function of the emulator's runtime library. Where there is no such
   table (stripped) nothing is found, and the driver says what to do. */
#include "config.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
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
#else /* aarch64: ldr x16, .+8; br x16; the address */
static const uint32_t jump[] = {0x58000050, 0xd61f0200};
#endif
enum { JUMP_BYTES = sizeof jump + sizeof(uint64_t) };

static void write_jump(uint8_t *from, const void *to)
{
    const uint64_t address = (uint64_t)(uintptr_t)to;
    memcpy(from, jump, sizeof jump);
    memcpy(from + sizeof jump, &address, sizeof address);
    __builtin___clear_cache((char *)from, (char *)from + JUMP_BYTES);
}

static bool is_within(const struct image *image, uint64_t at, uint64_t bytes)
{
    return at <= image->size && bytes <= image->size - at;
}

/* The table of symbols and its strings. */
static bool linked_runtime_find_symbols(const struct image *image, const ElfW(Sym) * *symbol,
                                        size_t *count, const char **names, size_t *name_bytes)
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

/* The version whose structures the program has: only NVIDIA's 12 has two functions for the
   properties. The emulator's own runtime, which has a function of shim_runtime.h, is left alone. */
static void *open_runtime(const ElfW(Sym) * symbol, size_t count, const char *names,
                          size_t name_bytes)
{
    bool has_runtime = false, is_12 = false, is_own = false;
    for (size_t i = 0; i < count; i++) {
        const char *name = symbol[i].st_name < name_bytes ? names + symbol[i].st_name : "";
        if (symbol[i].st_shndx == SHN_UNDEF)
            continue;
        has_runtime |= strcmp(name, "__cudaRegisterFatBinary") == 0;
        is_own |= strcmp(name, "shim_noted_in") == 0;
        is_12 |= strcmp(name, "cudaGetDeviceProperties_v2") == 0;
    }
    return has_runtime && !is_own ? dlopen(is_12 ? "libcudart.so.12" : "libcudart.so.13", RTLD_NOW)
                                  : NULL;
}

static void linked_runtime_look_into(const char *path, uintptr_t base)
{
    struct image image = {NULL, 0, base};
    struct stat status;
    const ElfW(Sym) * symbol;
    const char *names;
    size_t count, name_bytes;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    const bool is_file = fstat(file, &status) == 0 && status.st_size > 0;
    image.size = is_file ? (size_t)status.st_size : 0;
    void *mapped = is_file ? mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    close(file);
    if (mapped == MAP_FAILED)
        return;
    image.bytes = mapped;
    if (linked_runtime_find_symbols(&image, &symbol, &count, &names, &name_bytes)) {
        void *library = open_runtime(symbol, count, names, name_bytes);
        if (library)
            redirect_all(&image, library, symbol, count, names, name_bytes);
    }
    munmap(mapped, image.size);
}

/* The objects are listed first, because looking into one can load the emulator's library. */
enum { MOST_OBJECTS = 512 };

static struct object {
    char path[512];
    uintptr_t base;
} objects[MOST_OBJECTS];
static size_t object_count;

static int list_object(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size, (void)context;
    const char *path = object_count == 0 ? "/proc/self/exe" : info->dlpi_name; /* the program */
    struct object *object = &objects[object_count];
    if (object_count == MOST_OBJECTS || strlen(path) >= sizeof object->path)
        return 0;
    strcpy(object->path, path);
    object->base = info->dlpi_addr;
    object_count++;
    return 0;
}

/* The C library, which is initialized later, has no environment yet. */
__attribute__((constructor)) static void load(int argc, char **argv, char **environment)
{
    (void)argc, (void)argv;
    if (!environ)
        environ = environment;
    dl_iterate_phdr(list_object, NULL);
    for (size_t i = 0; i < object_count; i++)
        if (objects[i].path[0] != '\0')
            linked_runtime_look_into(objects[i].path, objects[i].base);
}
