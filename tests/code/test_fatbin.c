/* Machine code within other files. The containers are made here, of the cubins in
   tests/data/inspect, and compressed with the libraries. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LZ4
#include <lz4.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "code/inputs.h"
#include "code/readers/embedded.h"
#include "code/user_kernels.h"
#include "unit.h"

#define DATA SMC_SOURCE_DIR "/tests/data/inspect/"

enum { PTX = 1, CODE = 2, LINKED = 8 };
enum { STORED = 0, OTHER = 0x4000, LZ4 = 0x2000, ZSTD = 0x8000 };

/* As nvcc writes it. Only what is read has a name. */
struct head {
    uint16_t kind, version;
    uint32_t head_bytes;
    uint64_t bytes;
    uint32_t compressed_bytes, options;
    uint16_t minor, major;
    uint32_t cc, name[2];
    uint64_t flags, reserved, code_bytes;
};

static struct smc_text file_of(const char *path)
{
    struct smc_text bytes = {0};
    struct smc_error error;
    CU_ASSERT_FATAL(smc_input_read(path, &bytes, &error) == SMC_OK);
    return bytes;
}

static size_t compress_bytes(const struct smc_text *body, uint64_t flags, char *out, size_t most)
{
    (void)flags; /* without the libraries nothing is compressed */
#ifdef HAVE_LZ4
    if (flags == LZ4)
        return (size_t)LZ4_compress_default(body->data, out, (int)body->length, (int)most);
#endif
#ifdef HAVE_ZSTD
    if (flags == ZSTD)
        return ZSTD_compress(out, most, body->data, body->length, 3);
#endif
    CU_ASSERT(body->length <= most);
    memcpy(out, body->data, body->length);
    return body->length;
}

/* Appends a part and returns where its header begins. The content is padded, as nvcc does. */
static size_t append_part(struct smc_text *out, uint16_t kind, uint64_t flags, uint32_t cc,
                          const struct smc_text *body)
{
    const size_t most = 2 * body->length + 1024, at = out->length;
    char *content = calloc(1, most + 8);
    CU_ASSERT_FATAL(content != NULL);
    size_t bytes = compress_bytes(body, flags, content, most), padded = (bytes + 7) / 8 * 8;
    const struct head head = {
        .kind = kind,
        .version = 0x101,
        .head_bytes = sizeof head,
        .bytes = padded,
        .compressed_bytes = flags ? (uint32_t)bytes : 0,
        .cc = cc,
        .flags = flags | 0x11,
        .code_bytes = flags ? body->length : 0,
    };
    smc_text_append_bytes(out, (const char *)&head, sizeof head);
    smc_text_append_bytes(out, content, padded);
    free(content);
    return at;
}

static void append_container(struct smc_text *out, const struct smc_text *parts)
{
    const struct {
        uint32_t magic;
        uint16_t version, head_bytes;
        uint64_t bytes;
    } head = {0xba55ed50, 1, sizeof head, parts->length};
    smc_text_append_bytes(out, (const char *)&head, sizeof head);
    smc_text_append_bytes(out, parts->data, parts->length);
}

enum { CONTAINER_HEAD = 16 };

/* What reading a file gave. */
struct reading {
    enum smc_status status;
    struct smc_inspect_kernels kernels;
    struct smc_embedded_count count;
    struct smc_inspect_notes notes;
    struct smc_error error;
};

static struct reading read_bytes(const struct smc_text *file, uint32_t threads)
{
    static const struct smc_inspect_kernel kind = {.file = "a\nb", .source = SMC_INSPECT_EMBEDDED};
    const struct smc_embedded_request request = {
        .file = file->data, .bytes = file->length, .kind = &kind, .threads = threads};
    struct reading reading = {.error = {""}};
    reading.status = smc_embedded_read(&request, &reading.kernels, &reading.count, &reading.notes,
                                       &reading.error);
    return reading;
}

static void forget(struct reading *reading)
{
    smc_user_kernels_free(&reading->kernels);
    smc_text_free(&reading->notes.remarks);
    smc_text_free(&reading->notes.faults);
}

static bool says(const struct reading *reading, const char *line)
{
    return strcmp(smc_text_string(&reading->notes.faults), line) == 0;
}

/* That this build reads. */
static const uint64_t compressions[] = {
    STORED,
#ifdef HAVE_LZ4
    LZ4,
#endif
#ifdef HAVE_ZSTD
    ZSTD,
#endif
};

static void test_compressions(void)
{
    struct smc_text code = file_of(DATA "own-sm90.cubin"), other = {0};
    smc_text_append(&other, "anything");
    for (size_t i = 0; i < sizeof compressions / sizeof *compressions; i++) {
        struct smc_text parts = {0}, file = {0};
        append_part(&parts, CODE, compressions[i], 90, &code);
        append_part(&parts, PTX, compressions[i], 90, &other);
        append_part(&parts, LINKED, compressions[i], 90, &other);
        smc_text_append(&file, "some bytes before P\xed\x55\xba and the magic again: ");
        append_container(&file, &parts);
        append_container(&file, &parts);
        smc_text_append(&file, "and after P\xed\x55\xba");
        struct reading reading = read_bytes(&file, 1);
        CU_ASSERT_EQUAL(reading.status, SMC_OK);
        CU_ASSERT_EQUAL(reading.count.read, 2);
        CU_ASSERT_EQUAL(reading.count.ptx, 2);
        CU_ASSERT_EQUAL(reading.count.linked, 2);
        CU_ASSERT_EQUAL(reading.count.empty, 0);
        CU_ASSERT_EQUAL(reading.kernels.count, 3); /* the same part twice counts once */
        CU_ASSERT(says(&reading, ""));
        const struct smc_inspect_kernel *kernel =
            smc_user_kernels_find(&reading.kernels, 0, "bounded", 7);
        CU_ASSERT_PTR_NOT_NULL_FATAL(kernel);
        CU_ASSERT_EQUAL(kernel->cc, 90);
        CU_ASSERT_EQUAL(kernel->resources.static_smem_bytes, 2000);
        forget(&reading);
        smc_text_free(&parts);
        smc_text_free(&file);
    }
    smc_text_free(&code);
    smc_text_free(&other);
}

/* Truncated anywhere, a file gives all kernels or says what is missing. */
static void test_truncated(void)
{
    struct smc_text code = file_of(DATA "own-sm90.cubin"), parts = {0}, file = {0};
#ifdef HAVE_ZSTD
    append_part(&parts, CODE, ZSTD, 90, &code);
#endif
    append_part(&parts, CODE, STORED, 90, &code);
    append_container(&file, &parts);
    const size_t whole = file.length;
    int silent = 0;
    for (file.length = 16; file.length < whole; file.length += 61) {
        struct reading reading = read_bytes(&file, 1);
        CU_ASSERT_EQUAL(reading.status, SMC_OK);
        silent += reading.notes.faults.length == 0;
        forget(&reading);
    }
    CU_ASSERT_EQUAL(silent, 0);
    smc_text_free(&code);
    smc_text_free(&parts);
    smc_text_free(&file);
}

/* A damaged part does not hide the others, and they do not hide it. */
static void test_damaged_second(void)
{
    struct smc_text first = file_of(DATA "own-sm75.cubin"), second = file_of(DATA "own-sm90.cubin"),
                    third = file_of(DATA "own-sm120.cubin");
    for (uint32_t threads = 1; threads <= 3; threads++) {
        struct smc_text parts = {0}, file = {0};
        char line[256];
        append_part(&parts, CODE, STORED, 75, &first);
        size_t at = append_part(&parts, CODE, STORED, 90, &second) + sizeof(struct head);
        append_part(&parts, CODE, STORED, 120, &third);
        append_container(&file, &parts);
        memset(file.data + CONTAINER_HEAD + at + 16, 7, 2); /* the ELF file's type */
        struct reading reading = read_bytes(&file, threads);
        snprintf(line, sizeof line,
                 "a?b: machine code at byte %zu: its header names no type of machine code\n",
                 CONTAINER_HEAD + at);
        CU_ASSERT_EQUAL(reading.status, SMC_OK);
        CU_ASSERT(says(&reading, line));
        CU_ASSERT_EQUAL(reading.count.read, 2);
        CU_ASSERT_EQUAL(reading.kernels.count, 6);
        forget(&reading);
        smc_text_free(&parts);
        smc_text_free(&file);
    }
    smc_text_free(&first);
    smc_text_free(&second);
    smc_text_free(&third);
}

/* A container that claims more than there is hides none after it. */
static void test_damaged_container(void)
{
    struct smc_text code = file_of(DATA "own-sm90.cubin"), parts = {0}, file = {0};
    append_part(&parts, CODE, STORED, 90, &code);
    append_container(&file, &parts);
    memset(file.data + 8, 0xff, 8);                  /* its size */
    memset(file.data + CONTAINER_HEAD + 8, 0x7f, 8); /* the part's size */
    append_container(&file, &parts);
    struct reading reading = read_bytes(&file, 1);
    CU_ASSERT_EQUAL(reading.kernels.count, 3);
    CU_ASSERT(
        says(&reading, "a?b: machine code at byte 16: a part of it extends beyond its end\n"));
    forget(&reading);
    smc_text_free(&code);
    smc_text_free(&parts);
    smc_text_free(&file);
}

static void test_wrong_architecture(void)
{
    struct smc_text code = file_of(DATA "own-sm90.cubin"), parts = {0}, file = {0};
    append_part(&parts, CODE, STORED, 80, &code);
    append_container(&file, &parts);
    struct reading reading = read_bytes(&file, 1);
    CU_ASSERT(says(&reading, "a?b: machine code at byte 80: it is for sm_90, where code for sm_80 "
                             "should be\n"));
    forget(&reading);
    smc_text_free(&code);
    smc_text_free(&parts);
    smc_text_free(&file);
}

/* Reads one part with the given header fields changed. */
static struct reading read_lie(const struct smc_text *code, uint64_t flags, uint64_t code_bytes,
                               uint32_t compressed_bytes)
{
    struct smc_text parts = {0}, file = {0};
    struct head head;
    append_part(&parts, CODE, flags, 90, code);
    memcpy(&head, parts.data, sizeof head);
    head.code_bytes += code_bytes;
    head.compressed_bytes += compressed_bytes;
    memcpy(parts.data, &head, sizeof head);
    append_container(&file, &parts);
    struct reading reading = read_bytes(&file, 1);
    smc_text_free(&parts);
    smc_text_free(&file);
    CU_ASSERT_EQUAL(reading.status, SMC_OK);
    CU_ASSERT_EQUAL(reading.kernels.count, 0);
    CU_ASSERT_EQUAL(reading.count.read, 0);
    return reading;
}

/* A size that the compressed bytes cannot yield is refused before memory is allocated for it. */
static void test_lying_sizes(void)
{
    static const struct {
        uint64_t flags, code_bytes;
        uint32_t compressed_bytes;
        const char *fault;
    } lies[] = {
#ifdef HAVE_LZ4
        {LZ4, 1, 0, ": its LZ4 data are damaged\n"},
        {LZ4, (uint64_t)-1, 0, ": its LZ4 data are damaged\n"},
        {LZ4, (uint64_t)1 << 29, 0, "bytes of LZ4 data cannot yield"},
        {LZ4, (uint64_t)1 << 40, 0, "bytes of LZ4 data cannot yield"},
        {LZ4, 0, 1000, ": more bytes are compressed than it has\n"},
        {LZ4, 0, (uint32_t)-100, ": its LZ4 data are damaged\n"},
#endif
#ifdef HAVE_ZSTD
        {ZSTD, 1, 0, "bytes of Zstandard data cannot yield"}, /* the frame states another size */
        {ZSTD, (uint64_t)-1, 0, "bytes of Zstandard data cannot yield"},
        {ZSTD, (uint64_t)1 << 30, 0, "bytes of Zstandard data cannot yield"},
        {ZSTD, UINT64_MAX / 2, 0, "bytes of Zstandard data cannot yield"},
        {ZSTD, 0, 1000, ": more bytes are compressed than it has\n"},
        {ZSTD, 0, (uint32_t)-100, ": its Zstandard data are damaged\n"},
#endif
        {OTHER, 0, 0, ": it is compressed in an unknown way\n"},
        {STORED, 0, 0, NULL},
    };
    struct smc_text code = file_of(DATA "own-sm90.cubin");
    for (size_t i = 0; lies[i].fault; i++) {
        struct reading reading =
            read_lie(&code, lies[i].flags, lies[i].code_bytes, lies[i].compressed_bytes);
        CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&reading.notes.faults), lies[i].fault));
        forget(&reading);
    }
    smc_text_free(&code);
}

#ifdef HAVE_ZSTD
/* Parts each of which is possible, but not all of them in a file of this size: one message, and
   nothing is decompressed. */
static void test_bomb(void)
{
    enum { PARTS = 6, PART_BYTES = 64 << 20 };
    struct smc_text zeros = {0}, part = {0}, parts = {0}, file = {0};
    smc_text_append_char(&zeros, '\0', PART_BYTES);
    append_part(&part, CODE, ZSTD, 90, &zeros);
    for (int i = 0; i < PARTS; i++)
        smc_text_append_bytes(&parts, part.data, part.length);
    append_container(&file, &parts);
    struct reading reading = read_bytes(&file, 1);
    char expected[200];
    snprintf(
        expected, sizeof expected,
        "a?b: the %zu bytes would decompress to %d bytes of machine code; at most %zu are read "
        "from such a file",
        file.length, PARTS * PART_BYTES, (256 << 20) + 255 * file.length);
    CU_ASSERT_EQUAL(reading.status, SMC_USAGE);
    CU_ASSERT_STRING_EQUAL(reading.error.message, expected);
    CU_ASSERT_EQUAL(reading.notes.faults.length, 0);
    forget(&reading);
    smc_text_free(&zeros);
    smc_text_free(&part);
    smc_text_free(&parts);
    smc_text_free(&file);
}
#endif

/* Appends an archive's member; `name` as in its header. */
static void append_member(struct smc_text *out, const char *name, const char *bytes, size_t length)
{
    if (out->length == 0)
        smc_text_append(out, "!<arch>\n");
    if (out->length % 2)
        smc_text_append(out, "\n");
    smc_text_printf(out, "%-16s%-12d%-6d%-6d%-8s%-10zu`\n", name, 0, 0, 0, "100644", length);
    smc_text_append_bytes(out, bytes, length);
}

static void test_archive(void)
{
    static const char names[] = "a long name of a member.o/\nanother_long_name.o/\n";
    struct smc_text code = file_of(DATA "own-sm90.cubin"), parts = {0}, good = {0}, bad = {0},
                    archive = {0}, own = {0};
    append_part(&parts, CODE, STORED, 90, &code);
    append_container(&good, &parts);
    smc_text_append_bytes(&bad, good.data, good.length);
    memset(bad.data + CONTAINER_HEAD + 8, 0x7f, 8);
    smc_text_append(&own, "ends_before.o");
    smc_text_append_bytes(&own, bad.data, bad.length);
    append_member(&archive, "/", "index", 5);
    append_member(&archive, "//", names, sizeof names - 1);
    append_member(&archive, "short.o/", bad.data, bad.length);
    append_member(&archive, "/27", bad.data, bad.length);
    append_member(&archive, "good.o/", good.data, good.length);
    append_member(&archive, "#1/13", own.data, own.length);
    append_member(&archive, "/0", bad.data, bad.length);
    append_member(&archive, "bsd.o", bad.data, bad.length);
    append_member(&archive, "/9999", bad.data, bad.length);
    struct reading reading = read_bytes(&archive, 1);
    const char *line = smc_text_string(&reading.notes.faults);
    static const char *const expected[] = {"(short.o)",       "(another_long_name.o)",
                                           "(ends_before.o)", "(a long name of a member.o)",
                                           "(bsd.o)",         "()"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char begin[64];
        snprintf(begin, sizeof begin, "a?b%s: machine code at byte ", expected[i]);
        CU_ASSERT_EQUAL(strncmp(line, begin, strlen(begin)), 0);
        line = strchr(line, '\n') ? strchr(line, '\n') + 1 : line;
    }
    CU_ASSERT_STRING_EQUAL(line, "");
    CU_ASSERT_EQUAL(reading.kernels.count, 3);
    forget(&reading);
    struct smc_text *const texts[] = {&code, &parts, &good, &bad, &archive, &own};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        smc_text_free(texts[i]);
}

/* After a header that does not end in the two bytes of each, there are no members. */
static void test_damaged_archive(void)
{
    struct smc_text code = file_of(DATA "own-sm90.cubin"), parts = {0}, bad = {0}, archive = {0};
    append_part(&parts, CODE, STORED, 90, &code);
    append_container(&bad, &parts);
    memset(bad.data + CONTAINER_HEAD + 8, 0x7f, 8);
    append_member(&archive, "a.o/", bad.data, bad.length);
    append_member(&archive, "b.o/", bad.data, bad.length);
    archive.data[archive.length - bad.length - 2] = 'x';
    struct reading reading = read_bytes(&archive, 1);
    const char *line = smc_text_string(&reading.notes.faults);
    static const char first[] = "a?b(a.o): machine code at byte ", next[] = "a?b: machine code at ";
    CU_ASSERT_EQUAL(strncmp(line, first, sizeof first - 1), 0);
    line = strchr(line, '\n') ? strchr(line, '\n') + 1 : line;
    CU_ASSERT_EQUAL(strncmp(line, next, sizeof next - 1), 0);
    forget(&reading);
    struct smc_text *const texts[] = {&code, &parts, &bad, &archive};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        smc_text_free(texts[i]);
}

static void test_empty(void)
{
    struct smc_text empty = file_of(DATA "empty-sm80.cubin"), code = file_of(DATA "own-sm90.cubin"),
                    parts = {0}, file = {0};
    append_part(&parts, CODE, STORED, 80, &empty);
    append_part(&parts, CODE, STORED, 90, &code);
    append_container(&file, &parts);
    struct reading reading = read_bytes(&file, 1);
    CU_ASSERT_EQUAL(reading.status, SMC_OK);
    CU_ASSERT(says(&reading, ""));
    CU_ASSERT_STRING_EQUAL(
        smc_text_string(&reading.notes.remarks),
        "a?b: 1 of 2 parts with machine code is empty, as linkers leave them, and left out\n");
    CU_ASSERT_EQUAL(reading.kernels.count, 3);
    forget(&reading);
    smc_text_free(&empty);
    smc_text_free(&code);
    smc_text_free(&parts);
    smc_text_free(&file);
}

/* Of what nvlink read and what it wrote only the latter is run. */
static void test_unlinked(void)
{
    struct smc_text code = file_of(DATA "own-sm90.cubin"), parts = {0}, file = {0};
    size_t at = append_part(&parts, CODE, STORED, 90, &code) + sizeof(struct head);
    parts.data[at + 16] = 1; /* ET_REL */
    struct smc_text unlinked = {0};
    append_container(&unlinked, &parts);
    append_part(&parts, CODE, STORED, 90, &code);
    append_container(&file, &parts);
    char *name = memmem(file.data, file.length / 2, "bounded", 7);
    CU_ASSERT_PTR_NOT_NULL_FATAL(name);
    for (char *s; (s = memmem(file.data, file.length / 2, "bounded", 7));)
        memcpy(s, "another", 7);
    struct reading reading = read_bytes(&file, 1), alone = read_bytes(&unlinked, 1);
    CU_ASSERT_EQUAL(reading.kernels.count, 4); /* three and "another", which was not linked */
    CU_ASSERT_STRING_EQUAL(reading.kernels.item[3].name, "another");
    CU_ASSERT_EQUAL(alone.kernels.count, 3);
    forget(&reading);
    forget(&alone);
    smc_text_free(&code);
    smc_text_free(&parts);
    smc_text_free(&unlinked);
    smc_text_free(&file);
}

/* Containers of all cubins, in every compression, some of them damaged. */
static void append_many(struct smc_text *file)
{
    static const char *const cubins[] = {DATA "own-sm75.cubin", DATA "own-sm90.cubin",
                                         DATA "own-sm120.cubin", DATA "own-sm90-cuda12.cubin"};
    static const uint32_t ccs[] = {75, 90, 120, 90};
    for (unsigned i = 0; i < 60; i++) {
        struct smc_text code = file_of(cubins[i % 4]), parts = {0};
        uint64_t flags = STORED;
#ifdef HAVE_LZ4
        flags = i % 3 == 1 ? LZ4 : flags;
#endif
#ifdef HAVE_ZSTD
        flags = i % 3 == 2 ? ZSTD : flags;
#endif
        append_part(&parts, CODE, flags, ccs[i % 4], &code);
        if (i % 7 == 3)
            memset(parts.data + parts.length / 2, 0xff, 32);
        if (i % 7 == 5)
            parts.data[sizeof(struct head) + 16] ^= 0x7f;
        append_container(file, &parts);
        smc_text_free(&code);
        smc_text_free(&parts);
    }
}

static void test_threads(void)
{
    struct smc_text file = {0};
    append_many(&file);
    struct reading one = read_bytes(&file, 1);
    CU_ASSERT(one.kernels.count >= 9);
    CU_ASSERT(one.notes.faults.length > 0);
    for (uint32_t threads = 2; threads <= 16; threads++) {
        struct reading many = read_bytes(&file, threads);
        CU_ASSERT_EQUAL(many.status, SMC_OK);
        CU_ASSERT_EQUAL(many.kernels.count, one.kernels.count);
        CU_ASSERT_EQUAL(many.count.read, one.count.read);
        CU_ASSERT(says(&many, smc_text_string(&one.notes.faults)));
        for (size_t i = 0; i < one.kernels.count && i < many.kernels.count; i++)
            CU_ASSERT(one.kernels.item[i].name_hash == many.kernels.item[i].name_hash &&
                      one.kernels.item[i].cc == many.kernels.item[i].cc);
        forget(&many);
    }
    forget(&one);
    smc_text_free(&file);
}

static enum smc_status list_ptx(void *context, const struct smc_embedded_ptx *ptx,
                                struct smc_error *error)
{
    (void)error;
    smc_text_printf(context, "%u-%u %.*s\n", ptx->first_cc, ptx->last_cc, (int)ptx->bytes,
                    ptx->text);
    return SMC_OK;
}

/* In two containers; the second has a part with machine code, too. */
static void append_ptx(struct smc_text *file, uint64_t flags, const char *cubin)
{
    struct smc_text first = {0}, second = {0}, entry = {0}, function = {0}, code = file_of(cubin);
    smc_text_append(&entry, ".target sm_80 .entry k() { ret; }");
    smc_text_append(&function, ".target sm_80 .func f() { ret; }");
    append_part(&first, PTX, flags, 90, &entry);
    append_part(&first, PTX, STORED, 80, &entry);
    append_part(&first, PTX, flags, 100, &entry);
    append_container(file, &first);
    append_part(&second, PTX, flags, 120, &function);
    append_part(&second, PTX, flags, 70, &entry);
    append_part(&second, CODE, STORED, 90, &code);
    append_container(file, &second);
    smc_text_free(&first);
    smc_text_free(&second);
    smc_text_free(&entry);
    smc_text_free(&function);
    smc_text_free(&code);
}

static void expect_ptx(uint64_t flags, const char *cubin, const char *expected)
{
    static const struct smc_inspect_kernel kind = {.file = "x"};
    struct smc_text file = {0}, seen = {0};
    struct reading reading = {.error = {""}};
    append_ptx(&file, flags, cubin);
    const struct smc_embedded_request request = {.file = file.data,
                                                 .bytes = file.length,
                                                 .kind = &kind,
                                                 .take_ptx = list_ptx,
                                                 .ptx_context = &seen};
    CU_ASSERT_EQUAL(smc_embedded_read(&request, &reading.kernels, &reading.count, &reading.notes,
                                      &reading.error),
                    SMC_OK);
    CU_ASSERT_STRING_EQUAL(smc_text_string(&seen), expected);
    forget(&reading);
    smc_text_free(&file);
    smc_text_free(&seen);
}

static void test_ptx(void)
{
    for (size_t i = 0; i < sizeof compressions / sizeof *compressions; i++) {
        expect_ptx(compressions[i], DATA "own-sm90.cubin", "");
        expect_ptx(compressions[i], DATA "empty-sm80.cubin",
                   "90-99 .target sm_80 .entry k() { ret; }\n"
                   "0-89 .target sm_80 .entry k() { ret; }\n"
                   "100-4294967295 .target sm_80 .entry k() { ret; }\n"
                   "0-119 .target sm_80 .entry k() { ret; }\n");
    }
}

struct progress {
    uint64_t most, total, last;
};

static bool count_progress(void *context, uint64_t done, uint64_t total)
{
    struct progress *progress = context;
    CU_ASSERT(done >= progress->last && done <= total);
    progress->last = done;
    progress->total = total;
    return done < progress->most;
}

static void test_interrupted(void)
{
    struct smc_text file = {0};
    append_many(&file);
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
        static const struct smc_inspect_kernel kind = {.file = "x"};
        struct progress progress = {.most = 20}, whole = {.most = 1000};
        struct smc_embedded_request request = {.file = file.data,
                                               .bytes = file.length,
                                               .kind = &kind,
                                               .threads = threads,
                                               .progress = count_progress,
                                               .progress_context = &progress};
        struct reading reading = {.error = {""}};
        CU_ASSERT_EQUAL(smc_embedded_read(&request, &reading.kernels, &reading.count,
                                          &reading.notes, &reading.error),
                        SMC_INTERRUPTED);
        CU_ASSERT_EQUAL(progress.last, 20);
        CU_ASSERT_STRING_EQUAL(reading.error.message, "interrupted: x was not read to its end");
        request.progress_context = &whole;
        CU_ASSERT_EQUAL(smc_embedded_read(&request, &reading.kernels, &reading.count,
                                          &reading.notes, &reading.error),
                        SMC_OK);
        CU_ASSERT_EQUAL(whole.last, whole.total);
        forget(&reading);
    }
    smc_text_free(&file);
}

#if !defined HAVE_ZSTD
static void test_unavailable(void)
{
    struct smc_text code = file_of(DATA "own-sm90.cubin"), parts = {0}, file = {0};
    append_part(&parts, CODE, ZSTD, 90, &code);
    append_container(&file, &parts);
    struct reading reading = read_bytes(&file, 1);
    CU_ASSERT_EQUAL(reading.status, SMC_UNAVAILABLE);
    CU_ASSERT_PTR_NOT_NULL(strstr(reading.error.message, "compressed with Zstandard"));
    forget(&reading);
    smc_text_free(&code);
    smc_text_free(&parts);
    smc_text_free(&file);
}
#endif

/* A required block size, and parameters that are too large for the usual attribute. */
static void test_forms(void)
{
    struct smc_text code = file_of(DATA "own-forms-sm80.cubin");
    static const struct smc_inspect_kernel kind = {.file = "x"};
    struct smc_inspect_kernels kernels = {0};
    struct smc_error error = {""};
    CU_ASSERT_EQUAL(smc_read_cubin(code.data, code.length, &kind, &kernels, &error), SMC_OK);
    CU_ASSERT_STRING_EQUAL(error.message, "");
    const struct smc_inspect_kernel *required = smc_user_kernels_find(&kernels, 0, "required", 8);
    CU_ASSERT_PTR_NOT_NULL_FATAL(required);
    CU_ASSERT_EQUAL(required->required_threads_per_block, 192);
    CU_ASSERT_EQUAL(required->max_threads_per_block, 192);
    const struct smc_inspect_kernel *large =
        smc_user_kernels_find(&kernels, 0, "large_parameter", 15);
    CU_ASSERT_PTR_NOT_NULL_FATAL(large);
    CU_ASSERT_EQUAL(large->required_threads_per_block, 0);
    smc_user_kernels_free(&kernels);
    smc_text_free(&code);
}

CU_TestInfo tests_fatbin[] = {
    {"stored and compressed parts give the same", test_compressions},
    {"a truncated file is never silent", test_truncated},
    {"a damaged part is named, and hides no other", test_damaged_second},
    {"a damaged container hides none after it", test_damaged_container},
    {"code for another architecture than the part's", test_wrong_architecture},
    {"sizes that cannot be", test_lying_sizes},
#ifdef HAVE_ZSTD
    {"more than a file of its size can hold", test_bomb},
#endif
    {"the members of an archive are named", test_archive},
    {"a damaged header ends an archive's members", test_damaged_archive},
    {"empty machine code is noted", test_empty},
    {"linked code hides what it was linked from", test_unlinked},
    {"the result does not depend on the number of threads", test_threads},
    {"PTX of a file without machine code is taken", test_ptx},
    {"reading can be stopped", test_interrupted},
#if !defined HAVE_ZSTD
    {"a compression that this build does not read", test_unavailable},
#endif
    {"required block sizes and large parameters", test_forms},
    CU_TEST_INFO_NULL,
};
