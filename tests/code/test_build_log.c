/* Logs of builds in which several compilers wrote at once. Streams are made with known results and
   shuffled with a seed: whatever the order, each kernel is read as it is or reported, never with
   the figures of another. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "code/compile/build_log.h"
#include "code/ptxas_log.h"
#include "share.h"
#include "unit.h"

/* --- Streams with known results --------------------------------------------------------------- */

enum { MOST_STREAMS = 6, MOST_KERNELS = 4, MOST_LINES = 64, MOST_RESULTS = 64 };

struct result {
    const char *name;
    uint16_t cc;
    uint32_t regs_per_thread, smem_bytes, stack_bytes, spill_bytes;
    bool is_read;
};

struct stream {
    char line[MOST_LINES][160];
    size_t count, next;
};

struct build {
    struct stream stream[MOST_STREAMS];
    size_t streams;
    struct result result[MOST_RESULTS];
    size_t results;
    uint64_t random;
};

static uint32_t below(struct build *build, uint32_t bound)
{
    build->random = build->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(build->random >> 33) % bound;
}

/* One more line. */
#define LINE(stream, ...)                                                                          \
    snprintf((stream)->line[(stream)->count], sizeof *(stream)->line, __VA_ARGS__),                \
        (stream)->count++

static void add_called(struct build *build, struct stream *stream)
{
    LINE(stream, "ptxas info    : Function properties for called%u", below(build, 3));
    LINE(stream, "    %u bytes stack frame, 0 bytes spill stores, 0 bytes spill loads",
         8 * below(build, 3));
}

/* Few names and few values, so that they meet. */
static void add_kernel(struct build *build, struct stream *stream)
{
    static const uint16_t ccs[] = {75, 80, 90};
    static const char *const names[] = {"k0", "k1", "k2", "k3", "k4",  "k5",
                                        "k6", "k7", "k8", "k9", "k10", "k11"};
    struct result *result = &build->result[build->results++];
    result->cc = ccs[below(build, 3)];
    result->name = names[below(build, 12)];
    result->regs_per_thread = 10 + below(build, 4);
    result->smem_bytes = 400 * below(build, 2);
    result->stack_bytes = 8 * below(build, 2);
    result->spill_bytes = below(build, 4) ? 0 : 4;
    LINE(stream, "ptxas info    : Compiling entry function '%s' for 'sm_%u'", result->name,
         result->cc);
    LINE(stream, "ptxas info    : Function properties for %s", result->name);
    LINE(stream, "    %u bytes stack frame, %u bytes spill stores, %u bytes spill loads",
         result->stack_bytes, result->spill_bytes, result->spill_bytes);
    if (result->smem_bytes > 0)
        LINE(stream, "ptxas info    : Used %u registers, used 1 barriers, %u bytes smem",
             result->regs_per_thread, result->smem_bytes);
    else
        LINE(stream, "ptxas info    : Used %u registers, used 1 barriers", result->regs_per_thread);
    LINE(stream, "ptxas info    : Compile time = %u.5 ms", below(build, 100));
    if (below(build, 3) == 0)
        add_called(build, stream);
}

/* Some compilations are killed after any line. */
static void make(struct build *build, uint64_t seed, bool killed)
{
    *build = (struct build){.random = seed * 2 + 1};
    build->streams = 2 + below(build, MOST_STREAMS - 1);
    for (size_t i = 0; i < build->streams; i++) {
        struct stream *stream = &build->stream[i];
        LINE(stream, "ptxas info    : 0 bytes gmem");
        for (uint32_t n = 1 + below(build, MOST_KERNELS); n > 0; n--)
            add_kernel(build, stream);
        if (killed && below(build, 3) == 0)
            stream->count = 1 + below(build, (uint32_t)stream->count);
    }
}

/* What build tools write before a line; blanks in front of the stack are kept. */
static void append_decorated(struct build *build, unsigned style, const char *line,
                             struct smc_text *log)
{
    static const char *const others[] = {"[ 45%] Building CUDA object a.o\n", "make[1]: done\n",
                                         "x.cu(3): warning #177-D: declared but unused\n"};
    switch (style) {
    case 0:
        smc_text_printf(log, "%s\n", line);
        break;
    case 1:
        smc_text_printf(log, "[12:01:%02u] %s\r\n", below(build, 60), line);
        break;
    case 2:
        smc_text_printf(log, "2026-01-01T00:00:%02u.0000000Z %s\n", below(build, 60), line);
        break;
    case 3:
        smc_text_printf(log, "\033[1;32m%u>\033[0m\033[36m %s\033[0m\n", below(build, 20), line);
        break;
    default:
        smc_text_printf(log, "#12 3.%03u %s\n", below(build, 1000), line);
        break;
    }
    if (below(build, 8) == 0)
        smc_text_append(log, others[below(build, 3)]);
}

/* `run`: how many lines of one stream may follow each other. */
static void shuffle(struct build *build, uint32_t run, struct smc_text *log)
{
    unsigned style = below(build, 5);
    for (size_t left = build->streams; left > 0;) {
        struct stream *stream = &build->stream[below(build, (uint32_t)build->streams)];
        bool had_lines = stream->next < stream->count;
        for (uint32_t n = 1 + below(build, run); n > 0 && stream->next < stream->count; n--)
            append_decorated(build, style, stream->line[stream->next++], log);
        left -= had_lines && stream->next == stream->count;
    }
}

/* --- What is read of them --------------------------------------------------------------------- */

struct score {
    size_t right, reported, wrong, lost;
};

static bool is_of(const struct smc_log_kernel *read, const struct result *result)
{
    return read->cc == result->cc && read->name_length == strlen(result->name) &&
           memcmp(read->name, result->name, read->name_length) == 0;
}

static bool is_right(const struct smc_log_kernel *read, const struct result *result)
{
    const struct smc_resources *r = &read->resources;
    bool stack = r->stack_bytes == result->stack_bytes;
    bool spills = r->spill_store_bytes == result->spill_bytes;
    return r->regs_per_thread == result->regs_per_thread && read->has_barriers &&
           r->barriers == 1 && r->static_smem_bytes == result->smem_bytes &&
           (!read->has_stack || stack) && (!read->has_spills || (spills && stack));
}

/* A kernel that is compiled several times may be read as any of these compilations. */
static void judge(struct build *build, const struct smc_log_kernel *read, const char *faults,
                  struct score *score)
{
    bool right = false;
    char place[64];
    for (size_t i = 0; i < build->results; i++) {
        struct result *result = &build->result[i];
        if (!is_of(read, result))
            continue;
        result->is_read = true;
        right |= read->is_incomplete || is_right(read, result);
    }
    snprintf(place, sizeof place, "%.*s for sm_%u: its stack", (int)read->name_length, read->name,
             read->cc);
    bool told = read->is_incomplete || read->has_spills || strstr(faults, place);
    score->right += right && !read->is_incomplete && told;
    score->reported += right && read->is_incomplete;
    score->wrong += !right || !told;
}

static size_t count_text(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

/* Figures without a kernel's name are never passed over. */
static bool tells_nameless(const char *log, const char *faults)
{
    return count_text(log, ": Used ") <= count_text(log, "Compiling entry function") ||
           strstr(faults, "have no name") || strstr(faults, "left out");
}

static void read_build(struct build *build, struct smc_text *log, bool killed, struct score *score)
{
    struct smc_build_log read = {0};
    CU_ASSERT_TRUE_FATAL(smc_build_log_read(smc_text_string(log), &read));
    struct smc_log_reader reader = {.cursor = smc_text_string(&read.ordered)};
    struct smc_log_kernel kernel;
    while (smc_log_next(&reader, &kernel))
        judge(build, &kernel, smc_text_string(&read.faults), score);
    score->wrong += !tells_nameless(smc_text_string(log), smc_text_string(&read.faults));
    for (size_t i = 0; i < build->results && !killed; i++)
        score->lost += !build->result[i].is_read;
    smc_build_log_free(&read);
}

/* Up to the half of the log, as `tail` cuts it off: `bytes`: anywhere, also within a line. */
static void cut_head(struct build *build, bool bytes, struct smc_text *log)
{
    size_t at = below(build, (uint32_t)(log->length / 2));
    const char *line = strchr(log->data + at, '\n');
    at = bytes || !line ? at : (size_t)(line + 1 - log->data);
    memmove(log->data, log->data + at, log->length + 1 - at);
    log->length -= at;
}

enum cut { WHOLE, KILLED, HEAD_CUT, HEAD_CUT_IN_LINE };

static struct score play(uint64_t seeds, uint32_t run, enum cut cut)
{
    const bool killed = cut != WHOLE;
    struct score score = {0};
    struct build *build = malloc(sizeof *build);
    CU_ASSERT_PTR_NOT_NULL_FATAL(build);
    for (uint64_t seed = 0; seed < seeds; seed++) {
        struct smc_text log = {0};
        if (!share_has((size_t)seed, 12))
            continue;
        make(build, seed, cut == KILLED);
        shuffle(build, run, &log);
        if (cut == HEAD_CUT || cut == HEAD_CUT_IN_LINE)
            cut_head(build, cut == HEAD_CUT_IN_LINE, &log);
        size_t wrong = score.wrong + score.lost;
        read_build(build, &log, killed, &score);
        if (score.wrong + score.lost > wrong && wrong == 0)
            printf("\n    seed %llu, run %u:\n%s", (unsigned long long)seed, run,
                   smc_text_string(&log));
        smc_text_free(&log);
    }
    free(build);
    return score;
}

static void test_shuffled(void)
{
    for (uint32_t run = 1; run <= 9; run += 4) {
        struct score score = play(4000, run, WHOLE);
        CU_ASSERT_EQUAL(score.wrong, 0);
        CU_ASSERT_EQUAL(score.lost, 0);
        CU_ASSERT(score.right > 300);
        if (getenv("SMEMCALC_SHOW_SCORES"))
            printf("\n    run %u: %zu right, %zu reported\n", run, score.right, score.reported);
    }
}

static void test_killed(void)
{
    for (uint32_t run = 1; run <= 9; run += 4) {
        struct score score = play(4000, run, KILLED);
        CU_ASSERT_EQUAL(score.wrong, 0);
        CU_ASSERT(score.right > 300);
        if (getenv("SMEMCALC_SHOW_SCORES"))
            printf("\n    run %u: %zu right, %zu reported\n", run, score.right, score.reported);
    }
}

static void test_head_cut(void)
{
    for (uint32_t run = 1; run <= 9; run += 4)
        for (enum cut cut = HEAD_CUT; cut <= HEAD_CUT_IN_LINE; cut++) {
            struct score score = play(4000, run, cut);
            CU_ASSERT_EQUAL(score.wrong, 0);
            CU_ASSERT(score.right > 300);
            if (getenv("SMEMCALC_SHOW_SCORES"))
                printf("\n    run %u: %zu right, %zu reported\n", run, score.right, score.reported);
        }
}

static void test_one_by_one(void)
{
    size_t kernels = 0;
    struct score score = {0};
    struct build *build = malloc(sizeof *build);
    CU_ASSERT_PTR_NOT_NULL_FATAL(build);
    for (uint64_t seed = 0; seed < 500; seed++) {
        struct smc_text log = {0};
        make(build, seed, false);
        for (size_t i = 0; i < build->streams; i++)
            for (size_t k = 0; k < build->stream[i].count; k++)
                append_decorated(build, (unsigned)(seed % 5), build->stream[i].line[k], &log);
        read_build(build, &log, false, &score);
        kernels += build->results;
        smc_text_free(&log);
    }
    free(build);
    CU_ASSERT(score.right > 3 * kernels / 4); /* a kernel built again counts once */
    CU_ASSERT_EQUAL(score.reported + score.wrong + score.lost, 0);
}

/* --- Single cases ----------------------------------------------------------------------------- */

#define HEAD(name)       "ptxas info    : Compiling entry function '" name "' for 'sm_90'\n"
#define PROPERTIES(name) "ptxas info    : Function properties for " name "\n"
#define STACK(bytes)     "    " bytes " bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
#define IGNORED(name)                                                                              \
    "ptxas warning : Value of threads per SM for entry " name                                      \
    " is out of range. .minnctapersm will be ignored\n"
#define USED(regs) "ptxas info    : Used " regs " registers, used 1 barriers\n"

static void append_read(const char *ordered, struct smc_text *text)
{
    struct smc_log_reader reader = {.cursor = ordered};
    struct smc_log_kernel read;
    while (smc_log_next(&reader, &read)) {
        smc_text_printf(text, "%s%.*s:", text->length ? " " : "", (int)read.name_length, read.name);
        if (read.resources.refused)
            smc_text_append(text, "refused");
        else if (read.is_incomplete)
            smc_text_append(text, "incomplete");
        else
            smc_text_printf(text, "%u", read.resources.regs_per_thread);
        if (read.has_stack && !read.is_incomplete)
            smc_text_printf(text, "/%u", read.resources.stack_bytes);
        if (read.bounds_ignored)
            smc_text_append(text, "!");
    }
}

static const struct {
    const char *log, *read, *faults, *notes;
} cases[] = {
    /* The properties name the kernel whose registers come next. */
    {HEAD("a") HEAD("b") PROPERTIES("b") STACK("0") USED("9") PROPERTIES("a") STACK("8") USED("20"),
     "a:20/8 b:9/0", "", ""},
    /* Either may have 9 registers: neither is guessed. */
    {HEAD("a") PROPERTIES("a") STACK("0") HEAD("b") PROPERTIES("b") STACK("0") USED("9") USED("20"),
     "a:incomplete b:incomplete", "", ""},
    /* Both have the same. */
    {HEAD("a") PROPERTIES("a") STACK("0") HEAD("b") PROPERTIES("b") STACK("0") USED("9") USED("9"),
     "a:9/0 b:9/0", "", ""},
    /* The registers are clear, the stacks are not. */
    {HEAD("a") HEAD("b") PROPERTIES("a") PROPERTIES("b") STACK("0") STACK("8") USED("9") USED("9"),
     "a:9 b:9",
     "a for sm_90: its stack and spills are left out: several compilations wrote the log at once\n"
     "b for sm_90: its stack and spills are left out: several compilations wrote the log at once\n",
     ""},
    /* Killed while it compiled: the others are not affected. */
    {HEAD("a") HEAD("b") PROPERTIES("b") STACK("0")
         USED("9") "make: *** [Makefile:3: a.o] Error 1\n",
     "a:incomplete b:9/0", "the build failed: make: *** [Makefile:3: a.o] Error 1\n", ""},
    /* Built again */
    {HEAD("a") PROPERTIES("a") STACK("0") USED("9") HEAD("a") PROPERTIES("a") STACK("0") USED("10"),
     "a:9/0 a:10/0", "",
     "a\tcompiled several times with different results, each of which counts: sm_90: 9 registers "
     "(line 1); sm_90: 10 registers (line 5)\n"},
    {HEAD("a") PROPERTIES("a") STACK("0") USED("9") HEAD("a") PROPERTIES("a") STACK("0") USED("9"),
     "a:9/0", "", ""},
    {HEAD("a") HEAD("a") PROPERTIES("a") STACK("0") USED("9"), "a:incomplete a:9/0", "", ""},
    /* A line end was lost; a filter kept only the lines with the figures. */
    {"ptxas info    : 0 bytes gmem" HEAD("a") "ptxas info    : Used 9 registers", "a:9", "", ""},
    /* nvcc writes a refusal before the kernel. */
    {"ptxas error   : Entry function 'a' uses too much shared data (0x13880 bytes, 0xc000 "
     "max)\n" HEAD("b") PROPERTIES("b") STACK("0") USED("8") HEAD("a") PROPERTIES("a") STACK("0")
         USED("9"),
     "b:8/0 a:9/0 a:refused", "", ""},
    /* Linked at once */
    {"nvlink info    : Function properties for 'a':\nnvlink info    : Function properties for "
     "'b':\n"
     "nvlink info    : used 9 registers, 0 stack, 0 bytes smem, 0 bytes lmem\n"
     "nvlink info    : used 8 registers, 0 stack, 0 bytes smem, 0 bytes lmem\n",
     "a:incomplete b:incomplete", "", ""},
    /* The beginning is cut off: before the properties, the stack, the registers, and within them.
     */
    {PROPERTIES("a") STACK("8") USED("255") HEAD("b") PROPERTIES("b") STACK("0") USED("9"), "b:9/0",
     "a: left out: its architecture is unknown, since the log's beginning is cut off\n", ""},
    {STACK("8") USED("255") HEAD("b") PROPERTIES("b") STACK("0") USED("9"), "b:9/0",
     "the figures of 1 kernel have no name: the log's beginning is cut off, or lines were left "
     "out\n",
     ""},
    {"registers, used 1 barriers, 40000 bytes smem, 360 bytes cmem[0]\n" HEAD("b") PROPERTIES("b")
         STACK("0") USED("9"),
     "b:9/0",
     "the figures of 1 kernel have no name: the log's beginning is cut off, or lines were left "
     "out\n",
     ""},
    {"ng entry function 'a' for 'sm_90'\n" PROPERTIES("a") STACK("0") USED("8") USED("7"), "",
     "a: left out: its architecture is unknown, since the log's beginning is cut off\n"
     "the figures of 1 kernel have no name: the log's beginning is cut off, or lines were left "
     "out\n",
     ""},
    /* Properties of a function that no kernel of this file calls have no registers. */
    {PROPERTIES("f") STACK("0") HEAD("b") PROPERTIES("b") STACK("0") USED("9"), "b:9/0", "", ""},
    /* The registers of the kernel that was cut off are not b's, whichever come first. */
    {PROPERTIES("a") HEAD("b") PROPERTIES("b") STACK("0") STACK("0") USED("255") USED("9"),
     "b:incomplete",
     "the figures of 1 kernel have no name: the log's beginning is cut off, or lines were left "
     "out\n",
     ""},
    {"nvlink info    : used 10 registers, 0 stack, 0 bytes smem, 0 bytes lmem\n"
     "nvlink info    : Function properties for 'b':\n"
     "nvlink info    : used 8 registers, 0 stack, 0 bytes smem, 0 bytes lmem\n",
     "b:8/0",
     "the figures of 1 kernel have no name: the log's beginning is cut off, or lines were left "
     "out\n",
     ""},
    {"  REG:10 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:536 TEXTURE:0 SURFACE:0 SAMPLER:0\n"
     " Function b:\n"
     "  REG:8 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:536 TEXTURE:0 SURFACE:0 SAMPLER:0\n",
     "b:8/0",
     "the figures of 1 kernel have no name: the log's beginning is cut off, or lines were left "
     "out\n",
     ""},
    {"  REG:10 STACK:0 SHARED:0 LOCAL:0 TEXTURE:0 SURFACE:0 SAMPLER:0\n", "", "", ""},
    /* The end is cut off within a name. */
    {HEAD("b") PROPERTIES("b") STACK("0") USED("9") "ptxas info    : Compiling entry function 'a",
     "b:9/0", "the log is cut off: its last line begins a kernel\n", ""},
    {HEAD("b") PROPERTIES("b") STACK("0") USED("9") "ptxas info    : Compile time = 1.5 ms",
     "b:9/0", "", ""},
    /* Launch bounds that ptxas ignores: it warns of all kernels before it compiles them. */
    {IGNORED("a") HEAD("b") PROPERTIES("b") STACK("0") USED("8") HEAD("a") PROPERTIES("a")
         STACK("0") USED("9"),
     "b:8/0 a:9/0!", "",
     "a\tits launch bounds are broken on sm_90: Value of threads per SM for entry a is out of "
     "range. "
     ".minnctapersm will be ignored\n"},
    {HEAD("a") PROPERTIES("a") STACK("0") USED("9") IGNORED("a"), "a:9/0!", "",
     "a\tits launch bounds are broken on sm_90: Value of threads per SM for entry a is out of "
     "range. "
     ".minnctapersm will be ignored\n"},
    {"ptxas warning : Too many maxnreg specified for entry a, will be ignored\n" HEAD("ab")
         PROPERTIES("ab") STACK("0") USED("8") HEAD("a") PROPERTIES("a") STACK("0") USED("9"),
     "ab:8/0 a:9/0!", "",
     "a\tits launch bounds are broken on sm_90: Too many maxnreg specified for entry a, will be "
     "ignored\n"},
    /* The next compilation of the kernel is meant, for another architecture. */
    {"ptxas info    : Compiling entry function 'a' for 'sm_80'\n" PROPERTIES("a") STACK("0")
         USED("9") IGNORED("a") HEAD("a") PROPERTIES("a") STACK("0") USED("9"),
     "a:9/0 a:9/0!", "",
     "a\tits launch bounds are broken on sm_90: Value of threads per SM for entry a is out of "
     "range. "
     ".minnctapersm will be ignored\n"},
    /* What ptxas says of performance: of a kernel, of another function, of none; each once. */
    {"ptxas info    : (C7510) Potential Performance Loss: wgmma in function 'a'\n"
     "ptxas info    : (C7511) Potential Performance Loss: wgmma in the function 'f'\n"
     "ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored\n"
     "ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored\n" HEAD("a")
         PROPERTIES("a") STACK("0") USED("9"),
     "a:9/0", "",
     "a\tptxas: (C7510) Potential Performance Loss: wgmma in function 'a'\n"
     "\tptxas: (C7511) Potential Performance Loss: wgmma in the function 'f'\n"
     "\tptxas: (C7508) Potential Performance Loss: 'setmaxnreg' ignored\n"},
    /* Limits that ptxas does not keep, of no kernel by name. */
    {"ptxas warning : Too big maxrregcount value specified 300, will be ignored\n"
     "ptxas warning : For profile sm_90 adjusting per thread register count of 16 to lower bound "
     "of "
     "24\n"
     "ptxas k.ptx, line 7; warning : .minnctapersm is ignored when neither .maxntid nor .reqntid "
     "is "
     "specified.\n"
     "ptxas warning : Registers are spilled to local memory in function 'a', 8 bytes spill "
     "stores\n" HEAD("a") PROPERTIES("a") STACK("0") USED("9"),
     "a:9/0", "",
     "\tptxas: Too big maxrregcount value specified 300, will be ignored\n"
     "\tptxas: For profile sm_90 adjusting per thread register count of 16 to lower bound of 24\n"
     "\tptxas: .minnctapersm is ignored when neither .maxntid nor .reqntid is specified.\n"},
};

static void test_cases(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_build_log read = {0};
        struct smc_text text = {0};
        CU_ASSERT_TRUE_FATAL(smc_build_log_read(cases[i].log, &read));
        append_read(smc_text_string(&read.ordered), &text);
        CU_ASSERT_STRING_EQUAL(smc_text_string(&text), cases[i].read);
        CU_ASSERT_STRING_EQUAL(smc_text_string(&read.faults), cases[i].faults);
        CU_ASSERT_STRING_EQUAL(smc_text_string(&read.notes), cases[i].notes);
        if (strcmp(smc_text_string(&text), cases[i].read) != 0)
            printf("\n    case %zu: %s\n    is not: %s", i, smc_text_string(&text), cases[i].read);
        smc_text_free(&text);
        smc_build_log_free(&read);
    }
}

CU_TestInfo tests_build_log[] = {
    {"shuffled builds: no kernel gets another's figures", test_shuffled},
    {"the same with compilations that are killed", test_killed},
    {"the same with logs whose beginning is cut off", test_head_cut},
    {"builds one after the other are read wholly", test_one_by_one},
    {"interleaved, failed, repeated, filtered and cut logs", test_cases},
    CU_TEST_INFO_NULL,
};
