/* Machine code within programs, objects and libraries. nvcc lays it down in containers: a head
   (magic, version, its size, the size of what follows), then parts, each with a head of its own
   before PTX or an ELF file. They are looked for in the bytes themselves, so that every file format
   around them will do. */
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "inspect/readers.h"

enum {
    CONTAINER_VERSION = 1,
    PART_PTX = 1,
    PART_CODE = 2,
    COMPRESSED = 0x2000 | 0x8000, /* LZ4, or Zstandard from CUDA 12.9 on */
};

static const unsigned char magic[] = {0x50, 0xed, 0x55, 0xba};

struct container {
    unsigned char magic[4];
    uint16_t version, head_bytes;
    uint64_t bytes;
};

/* Only what is read here has a name. */
struct part {
    uint16_t kind, version;
    uint32_t head_bytes;
    uint64_t bytes;
    uint32_t compressed_bytes, options;
    uint16_t minor, major;
    uint32_t cc;
    uint32_t name, name_bytes;
    uint64_t flags, rest[2];
};

/* What reading needs besides the part. */
struct embedded {
    const char *file;
    const struct smc_inspect_kernel *kind;
    struct smc_inspect_kernels *kernels;
    struct smc_embedded_count *count;
    struct smc_text *faults;
};

static void append_fault(const struct embedded *reading, const char *at, const char *fault)
{
    smc_text_safe_line(reading->faults, "%s: machine code at byte %td: %s", reading->kind->file,
                       at - reading->file, fault);
}

static bool read_code(const struct embedded *reading, const struct part *part, const char *body)
{
    struct smc_inspect_kernel kind = *reading->kind;
    struct smc_error error;
    kind.cc = part->cc < UINT16_MAX ? (uint16_t)part->cc : UINT16_MAX;
    switch (smc_inspect_cubin(body, part->bytes, &kind, reading->kernels, &error)) {
    case SMC_OK:
        reading->count->read++;
        return true;
    case SMC_USAGE:
        append_fault(reading, body, error.message);
        return true;
    default:
        return false;
    }
}

static bool read_parts(const struct embedded *reading, const char *at, const char *end)
{
    struct part part;
    while (at < end) {
        size_t left = (size_t)(end - at);
        if (left >= sizeof part)
            memcpy(&part, at, sizeof part);
        if (left < sizeof part || part.head_bytes < sizeof part || part.head_bytes > left ||
            part.bytes > left - part.head_bytes) {
            append_fault(reading, at, "a part of it lies beyond its end");
            return true;
        }
        const char *body = at + part.head_bytes;
        bool closed = part.flags & COMPRESSED;
        reading->count->closed += closed && part.kind == PART_CODE;
        reading->count->ptx += part.kind == PART_PTX;
        if (part.kind == PART_CODE && !closed && !read_code(reading, &part, body))
            return false;
        at = body + part.bytes;
    }
    return true;
}

bool smc_inspect_embedded(const void *file, size_t bytes, const struct smc_inspect_kernel *kind,
                          struct smc_inspect_kernels *kernels, struct smc_embedded_count *count,
                          struct smc_text *faults)
{
    const struct embedded reading = {file, kind, kernels, count, faults};
    const char *at = file, *const end = at + bytes;
    struct container container;
    *count = (struct smc_embedded_count){0};
    while ((at = memmem(at, (size_t)(end - at), magic, sizeof magic))) {
        size_t left = (size_t)(end - at);
        if (left >= sizeof container)
            memcpy(&container, at, sizeof container);
        /* The same four bytes may stand anywhere, with other words behind them. */
        if (left < sizeof container || container.version != CONTAINER_VERSION ||
            container.head_bytes != sizeof container) {
            at += sizeof magic;
            continue;
        }
        bool is_cut = container.bytes > left - sizeof container;
        size_t before = faults->length;
        container.bytes = is_cut ? left - sizeof container : container.bytes;
        if (!read_parts(&reading, at + sizeof container, at + sizeof container + container.bytes))
            return false;
        if (is_cut && faults->length == before) /* between two parts */
            append_fault(&reading, at, "it goes beyond the end of the file");
        at += sizeof container + container.bytes;
    }
    return true;
}
