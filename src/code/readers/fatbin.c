/* Containers of machine code. The format was derived from files that nvcc 11.8 to 13.0 wrote with
   each of its compression modes, and from NVIDIA's libraries. */
#include "config.h"

#include "code/machine_code.h"

#include <ar.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LZ4
#include <lz4.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "base/memory.h"

/* --- Containers and their parts --------------------------------------------------------------- */

enum {
    CONTAINER_VERSION = 1,
    PART_PTX = 1,
    PART_CODE = 2,
    PART_LINKED = 8,
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000, /* from CUDA 12.9 on */
    COMPRESSION_FLAGS = 0xf000,
};

static const unsigned char magic[] = {0x50, 0xed, 0x55, 0xba};

/* A header, then the parts, each with its own header. */
struct fatbin_container {
    unsigned char magic[4];
    uint16_t version, head_bytes;
    uint64_t bytes; /* of the parts */
};

/* Only the fields that are read here are named. `bytes` is rounded up for alignment. */
struct fatbin_part {
    uint16_t kind, version;
    uint32_t head_bytes;
    uint64_t bytes;
    uint32_t compressed_bytes, options;
    uint16_t minor, major;
    uint32_t cc;
    uint32_t name, name_bytes;
    uint64_t flags, reserved;
    uint64_t code_bytes; /* decompressed; 0 if it is not compressed */
};

struct fatbin_search {
    const char *file;
    size_t bytes;
    struct smc_fatbin_parts *parts;
    bool is_archive;
    size_t member, member_end; /* of the archive's member at the place of the search */
};

static bool fatbin_add(const struct fatbin_search *search, const struct smc_fatbin_part *part)
{
    struct smc_fatbin_parts *parts = search->parts;
    if (!smc_make_room(&parts->item, parts->count, &parts->capacity, sizeof *parts->item))
        return false;
    parts->item[parts->count] = *part;
    parts->item[parts->count++].member = search->member;
    return true;
}

static bool add_fault(const struct fatbin_search *search, size_t at, const char *fault)
{
    const struct smc_fatbin_part part = {.at = at, .fault = fault};
    return fatbin_add(search, &part);
}

static enum smc_fatbin_compression compression_of(const struct fatbin_part *part)
{
    switch (part->flags & COMPRESSION_FLAGS) {
    case 0:
        return SMC_FATBIN_STORED;
    case FLAG_LZ4:
        return SMC_FATBIN_LZ4;
    case FLAG_ZSTD:
        return SMC_FATBIN_ZSTD;
    default:
        return SMC_FATBIN_OTHER;
    }
}

static bool add_ptx(const struct fatbin_search *search, const struct smc_fatbin_part *part)
{
    struct smc_fatbin_parts *parts = search->parts;
    if (!smc_make_room(&parts->ptx, parts->ptx_count, &parts->ptx_capacity, sizeof *parts->ptx))
        return false;
    parts->ptx[parts->ptx_count] = *part;
    parts->ptx[parts->ptx_count++].member = search->member;
    return true;
}

/* With machine code or PTX. */
static bool add_content(const struct fatbin_search *search, const struct fatbin_part *head,
                        size_t container, size_t at)
{
    struct smc_fatbin_part part = {
        .at = at,
        .bytes = head->bytes,
        .code_bytes = head->bytes,
        .cc = head->cc,
        .compression = compression_of(head),
        .container = container,
    };
    if (part.compression != SMC_FATBIN_STORED) {
        part.code_bytes = head->code_bytes;
        if (head->compressed_bytes > head->bytes)
            part.fault = "more bytes are compressed than it has";
        part.bytes = head->compressed_bytes;
    }
    return head->kind == PART_PTX ? add_ptx(search, &part) : fatbin_add(search, &part);
}

/* Adds the parts between `at` and `end`. Returns where it ended: at `end`, or before it where a
   part is damaged, which is added as such. 0: out of memory. */
static size_t find_parts(const struct fatbin_search *search, size_t at, size_t end)
{
    const size_t container = at - sizeof(struct fatbin_container);
    struct fatbin_part part;
    while (at < end) {
        size_t left = end - at;
        if (left >= sizeof part)
            memcpy(&part, search->file + at, sizeof part);
        if (left < sizeof part || part.head_bytes < sizeof part || part.head_bytes > left ||
            part.bytes > left - part.head_bytes)
            return add_fault(search, at, "a part of it extends beyond its end") ? at : 0;
        search->parts->linked_count += part.kind == PART_LINKED;
        bool is_read = part.kind == PART_CODE || part.kind == PART_PTX;
        if (is_read && !add_content(search, &part, container, at + part.head_bytes))
            return 0;
        at += part.head_bytes + part.bytes;
    }
    return end;
}

/* Reads the container at `at`. Returns where the search continues: after a damaged part, so that it
   hides no other container. 0: out of memory. */
static size_t find_in_container(const struct fatbin_search *search, size_t at)
{
    struct fatbin_container container;
    const size_t left = search->bytes - at;
    if (left >= sizeof container)
        memcpy(&container, search->file + at, sizeof container);
    /* The same four bytes may occur by chance, so the header is checked. */
    if (left < sizeof container || container.version != CONTAINER_VERSION ||
        container.head_bytes != sizeof container)
        return at + sizeof magic;
    bool is_cut = container.bytes > left - sizeof container;
    size_t begin = at + sizeof container, end = is_cut ? search->bytes : begin + container.bytes;
    size_t reached = find_parts(search, begin, end);
    if (is_cut && reached == end) /* truncated between two parts */
        return add_fault(search, at, "it goes beyond the end of the file") ? reached : 0;
    return reached > 0 && reached < end ? reached + 1 : reached;
}

/* --- Archives --------------------------------------------------------------------------------- */

/* Reads a member's header; false if there is none. `end`: of its content. */
static bool fatbin_read_member(const char *file, size_t bytes, size_t at, struct ar_hdr *header,
                               size_t *end)
{
    char size[sizeof header->ar_size + 1] = "";
    if (at > bytes || bytes - at < sizeof *header)
        return false;
    memcpy(header, file + at, sizeof *header);
    memcpy(size, header->ar_size, sizeof header->ar_size);
    if (memcmp(header->ar_fmag, ARFMAG, sizeof header->ar_fmag) != 0 || size[0] < '0' ||
        size[0] > '9')
        return false;
    size_t content = at + sizeof *header, length = strtoull(size, NULL, 10);
    *end = length > bytes - content ? bytes : content + length;
    return true;
}

bool smc_fatbin_is_archive(const void *file, size_t bytes)
{
    return bytes >= SARMAG && memcmp(file, ARMAG, SARMAG) == 0;
}

/* Moves to the member that contains `at`; members begin at even offsets. */
static void fatbin_find_member(struct fatbin_search *search, size_t at)
{
    struct ar_hdr header;
    while (search->is_archive && at >= search->member_end) {
        size_t next = search->member_end + (search->member_end & 1);
        search->is_archive =
            fatbin_read_member(search->file, search->bytes, next, &header, &search->member_end);
        search->member = search->is_archive ? next : 0;
    }
}

/* GNU's table of names that are longer than the header's field; the end of the file without one. */
static size_t find_long_names(const char *file, size_t bytes, size_t *end)
{
    struct ar_hdr header;
    for (size_t at = SARMAG; fatbin_read_member(file, bytes, at, &header, end);
         at = *end + (*end & 1))
        if (memcmp(header.ar_name, "// ", 3) == 0)
            return at + sizeof header;
    return *end = bytes;
}

/* A name ends at a line's end or a zero, before the blanks and the '/' that follow it. */
static void fatbin_append_name(const char *name, size_t length, struct smc_text *out)
{
    size_t end = 0;
    while (end < length && name[end] && name[end] != '\n')
        end++;
    while (end > 0 && name[end - 1] == ' ')
        end--;
    if (end > 0 && name[end - 1] == '/')
        end--;
    smc_text_append_bytes(out, name, end);
}

void smc_fatbin_append_member(const void *file, size_t bytes, size_t member, struct smc_text *out)
{
    struct ar_hdr header;
    size_t end, at = member;
    if (!fatbin_read_member(file, bytes, member, &header, &end))
        return;
    const char *name = (const char *)file + member;
    size_t length = sizeof header.ar_name;
    if (name[0] == '/' && name[1] >= '0' && name[1] <= '9') { /* "/N": in the table of names */
        at = find_long_names(file, bytes, &end);
        size_t offset = strtoull(name + 1, NULL, 10), left = end - at;
        offset = offset < left ? offset : left;
        name = (const char *)file + at + offset;
        length = left - offset;
    } else if (memcmp(name, "#1/", 3) == 0) { /* "#1/N": before the content, in N bytes */
        size_t stated = strtoull(name + 3, NULL, 10), left = end - member - sizeof header;
        name += sizeof header;
        length = stated < left ? stated : left;
    }
    fatbin_append_name(name, length, out);
}

static const char thin[] = "!<thin>\n";

bool smc_fatbin_is_thin_archive(const void *file, size_t bytes)
{
    return bytes >= sizeof thin - 1 && memcmp(file, thin, sizeof thin - 1) == 0;
}

/* In a thin archive only the tables of symbols and names have content: "/", "/SYM64/" and "//". */
static bool is_table(const struct ar_hdr *header)
{
    return header->ar_name[0] == '/' && (header->ar_name[1] < '0' || header->ar_name[1] > '9');
}

bool smc_fatbin_thin_member(const void *file, size_t bytes, size_t *at, struct smc_text *name)
{
    struct ar_hdr header;
    size_t end, member;
    if (*at == 0)
        *at = SARMAG;
    do {
        member = *at;
        if (!fatbin_read_member(file, bytes, member, &header, &end))
            return false;
        *at = is_table(&header) ? end + (end & 1) : member + sizeof header;
    } while (is_table(&header));
    smc_fatbin_append_member(file, bytes, member, name);
    return true;
}

/* --- The search ------------------------------------------------------------------------------- */

enum { STRIDE = 1 << 23 };

bool smc_fatbin_is(const void *file, size_t bytes)
{
    return bytes >= sizeof magic && memcmp(file, magic, sizeof magic) == 0;
}

bool smc_fatbin_occurs(const void *file, size_t bytes)
{
    return memmem(file, bytes, magic, sizeof magic) != NULL;
}

bool smc_fatbin_find(const void *file, size_t bytes, void (*looked_at)(void *context, size_t end),
                     void *context, struct smc_fatbin_parts *parts)
{
    struct fatbin_search search = {
        .file = file,
        .bytes = bytes,
        .parts = parts,
        .is_archive = smc_fatbin_is_archive(file, bytes),
        .member_end = SARMAG,
    };
    for (size_t at = 0; at < bytes;) {
        size_t left = bytes - at, stride = left < STRIDE ? left : STRIDE;
        const char *found = memmem(search.file + at, stride, magic, sizeof magic);
        if (!found) { /* the magic may extend into the next stride */
            at += stride < left ? stride - (sizeof magic - 1) : stride;
        } else {
            at = (size_t)(found - search.file);
            fatbin_find_member(&search, at);
            at = find_in_container(&search, at);
            if (at == 0)
                return false;
        }
        if (looked_at)
            looked_at(context, at);
    }
    return true;
}

void smc_fatbin_parts_free(struct smc_fatbin_parts *parts)
{
    free(parts->item);
    free(parts->ptx);
    *parts = (struct smc_fatbin_parts){0};
}

/* --- Decompression ---------------------------------------------------------------------------- */

/* No part is larger than this: ptxas does not write such files. */
static const size_t most_code_bytes = (size_t)1 << 30;

/* These return the bytes written, 0 if the data are damaged, or NO_MEMORY. */
#define NO_MEMORY SIZE_MAX

static size_t open_lz4(const char *data, const struct smc_fatbin_part *part,
                       struct smc_fatbin_buffer *buffer)
{
#ifdef HAVE_LZ4
    int written = LZ4_decompress_safe(data, buffer->data, (int)part->bytes, (int)part->code_bytes);
    return written < 0 ? 0 : (size_t)written;
#else
    (void)data, (void)part, (void)buffer;
    return 0;
#endif
}

static size_t open_zstd(const char *data, const struct smc_fatbin_part *part,
                        struct smc_fatbin_buffer *buffer)
{
#ifdef HAVE_ZSTD
    if (!buffer->zstd && !(buffer->zstd = ZSTD_createDCtx()))
        return NO_MEMORY;
    size_t written =
        ZSTD_decompressDCtx(buffer->zstd, buffer->data, part->code_bytes, data, part->bytes);
    return ZSTD_isError(written) ? 0 : written;
#else
    (void)data, (void)part, (void)buffer;
    return 0;
#endif
}

void smc_fatbin_buffer_free(struct smc_fatbin_buffer *buffer)
{
#ifdef HAVE_ZSTD
    ZSTD_freeDCtx(buffer->zstd);
#endif
    free(buffer->data);
    *buffer = (struct smc_fatbin_buffer){0};
}

#ifdef HAVE_LZ4
enum { HAS_LZ4 = 1 };
#else
enum { HAS_LZ4 = 0 };
#endif
#ifdef HAVE_ZSTD
enum { HAS_ZSTD = 1 };
#else
enum { HAS_ZSTD = 0 };
#endif

/* `most_bytes` are the most that `of_bytes` compressed ones can yield: a length of LZ4 grows by 255
   with each byte; a block of Zstandard has at least 3 bytes and yields at most 128 KiB. */
static const struct {
    const char *name;
    bool can_open;
    size_t most_bytes, of_bytes;
    size_t (*open)(const char *data, const struct smc_fatbin_part *part,
                   struct smc_fatbin_buffer *buffer);
} compressions[] = {
    [SMC_FATBIN_STORED] = {"no", true, 1, 1, NULL},
    [SMC_FATBIN_LZ4] = {"LZ4", HAS_LZ4, 255, 1, open_lz4},
    [SMC_FATBIN_ZSTD] = {"Zstandard", HAS_ZSTD, 128 << 10, 3, open_zstd},
    [SMC_FATBIN_OTHER] = {"unknown", true, 0, 1, NULL},
};

const char *smc_fatbin_compression_name(enum smc_fatbin_compression compression)
{
    return compressions[compression].name;
}

bool smc_fatbin_can_open(enum smc_fatbin_compression compression)
{
    return compressions[compression].can_open;
}

/* A Zstandard frame states its decompressed size; nvcc writes one frame for each part. */
static bool is_as_stated(const char *data, const struct smc_fatbin_part *part)
{
#ifdef HAVE_ZSTD
    if (part->compression == SMC_FATBIN_ZSTD) {
        const unsigned long long stated = ZSTD_getFrameContentSize(data, part->bytes);
        return stated == ZSTD_CONTENTSIZE_UNKNOWN || stated == ZSTD_CONTENTSIZE_ERROR ||
               stated == part->code_bytes;
    }
#else
    (void)data, (void)part;
#endif
    return true;
}

static bool fatbin_is_possible(const struct smc_fatbin_part *part)
{
    if (part->compression == SMC_FATBIN_OTHER)
        return false;
    size_t units = part->bytes / compressions[part->compression].of_bytes + 1;
    return part->code_bytes > 0 && part->code_bytes <= most_code_bytes &&
           part->bytes <= most_code_bytes &&
           part->code_bytes / compressions[part->compression].most_bytes <= units;
}

/* LZ4 yields at most 255 times its size, and machine code compressed with Zstandard far less; small
   files may have large tables. No library is near the highest limit. */
static uint64_t most_bytes_of(size_t file_bytes)
{
    const uint64_t most = (uint64_t)32 << 30, base = (uint64_t)256 << 20, ratio = 255;
    return file_bytes > (most - base) / ratio ? most : base + ratio * file_bytes;
}

enum smc_status smc_fatbin_check_total(const struct smc_fatbin_parts *parts, size_t file_bytes,
                                       struct smc_error *error)
{
    uint64_t total = 0;
    for (size_t i = 0; i < parts->count; i++)
        if (!parts->item[i].fault && fatbin_is_possible(&parts->item[i]))
            total += parts->item[i].code_bytes;
    if (total <= most_bytes_of(file_bytes))
        return SMC_OK;
    return smc_fail(error, SMC_USAGE,
                    "the %zu bytes would decompress to %" PRIu64
                    " bytes of machine code; at most %" PRIu64 " are read from such a file",
                    file_bytes, total, most_bytes_of(file_bytes));
}

/* The former content of the buffer is lost. */
static bool make_room(struct smc_fatbin_buffer *buffer, size_t bytes)
{
    if (bytes <= buffer->capacity)
        return true;
    free(buffer->data);
    buffer->capacity = 0;
    buffer->data = smc_malloc(bytes);
    buffer->capacity = buffer->data ? bytes : 0;
    return buffer->data != NULL;
}

enum smc_status smc_fatbin_open(const void *file, const struct smc_fatbin_part *part,
                                struct smc_fatbin_buffer *buffer, const void **code,
                                struct smc_error *error)
{
    const char *data = (const char *)file + part->at;
    *code = data;
    if (part->fault)
        return smc_fail(error, SMC_USAGE, "%s", part->fault);
    if (part->compression == SMC_FATBIN_STORED)
        return SMC_OK;
    if (part->compression == SMC_FATBIN_OTHER)
        return smc_fail(error, SMC_USAGE, "it is compressed in an unknown way");
    if (!smc_fatbin_can_open(part->compression))
        return smc_fail(error, SMC_UNAVAILABLE,
                        "it is compressed with %s, which this build "
                        "cannot read",
                        smc_fatbin_compression_name(part->compression));
    if (!fatbin_is_possible(part) || !is_as_stated(data, part))
        return smc_fail(error, SMC_USAGE, "%zu bytes of %s data cannot yield %zu bytes",
                        part->bytes, smc_fatbin_compression_name(part->compression),
                        part->code_bytes);
    if (!make_room(buffer, part->code_bytes))
        return smc_out_of_memory(error);
    *code = buffer->data;
    size_t written = compressions[part->compression].open(data, part, buffer);
    if (written == NO_MEMORY)
        return smc_out_of_memory(error);
    if (written != part->code_bytes)
        return smc_fail(error, SMC_USAGE, "its %s data are damaged",
                        smc_fatbin_compression_name(part->compression));
    return SMC_OK;
}
