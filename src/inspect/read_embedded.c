/* Machine code within programs, objects and libraries. nvcc lays it down in containers: a head
   (magic, version, its size, the size of what follows), then parts, each with a head of its own
   (kind, version, its size, the size of the part) before PTX or an ELF file. They are looked for in
   the bytes themselves, so that every file format around them will do. */
#include "config.h"

#include <elf.h>
#include <string.h>

#include "inspect/readers.h"

enum { CONTAINER_VERSION = 1, PART_PTX = 1, PART_CODE = 2 };

static const unsigned char magic[] = {0x50, 0xed, 0x55, 0xba};

struct container {
    unsigned char magic[4];
    uint16_t version, head_bytes;
    uint64_t bytes;
};

struct part {
    uint16_t kind, version;
    uint32_t head_bytes;
    uint64_t bytes;
};

static bool read_parts(const char *at, const char *end, const struct smc_inspect_kernel *kind,
                       struct smc_inspect_kernels *kernels, struct smc_embedded_count *count)
{
    struct part part;
    while ((size_t)(end - at) >= sizeof part) {
        memcpy(&part, at, sizeof part);
        size_t left = (size_t)(end - at);
        if (part.head_bytes < sizeof part || part.head_bytes > left ||
            part.bytes > left - part.head_bytes)
            return true;
        const char *body = at + part.head_bytes;
        bool is_elf = part.bytes > SELFMAG && memcmp(body, ELFMAG, SELFMAG) == 0;
        if (is_elf && !smc_inspect_cubin(body, part.bytes, kind, kernels))
            return false;
        count->read += is_elf;
        count->closed += !is_elf && part.kind == PART_CODE;
        count->ptx += part.kind == PART_PTX;
        at = body + part.bytes;
    }
    return true;
}

bool smc_inspect_embedded(const void *file, size_t bytes, const struct smc_inspect_kernel *kind,
                          struct smc_inspect_kernels *kernels, struct smc_embedded_count *count)
{
    const char *at = file, *const end = at + bytes;
    struct container container;
    *count = (struct smc_embedded_count){0};
    while ((at = memmem(at, (size_t)(end - at), magic, sizeof magic))) {
        size_t left = (size_t)(end - at);
        if (left < sizeof container)
            return true;
        memcpy(&container, at, sizeof container);
        if (container.version != CONTAINER_VERSION || container.head_bytes < sizeof container ||
            container.head_bytes > left || container.bytes > left - container.head_bytes) {
            at += sizeof magic;
            continue;
        }
        at += container.head_bytes;
        if (!read_parts(at, at + container.bytes, kind, kernels, count))
            return false;
        at += container.bytes;
    }
    return true;
}
