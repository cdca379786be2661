/* array_advice: what removes the conflicts of a shared array. Declarations are read from source and
   advice is worded as they are; and advice on random arrays is applied in PTX, and counted anew by
   the emulator. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "code/source/shared_arrays.h"
#include "machine/bank_accesses.h"
#include "share.h"
#include "show/report/banks_report.h"
#include "unit.h"

/* --- Declarations ----------------------------------------------------------------------------- */

static const char source[] =
    "#define TILE 32\n#define PAD (1 + 0)\n#ifndef LD\n#define LD 16\n#endif\n"
    "constexpr int ROWS = TILE / 2;\nusing namespace nvcuda;\nstruct P { float x, y, z; };\n"
    "__device__ float sum(int i) { __shared__ double partial[4][64]; return partial[0][i]; }\n"
    "template <int BM = 128, int BK = 8, typename T = float>\n"
    "__global__ void sg(T *a)\n{\n"
    "    const int half_of_it = BM / 2;\n"
    "    __shared__ T sa[BK][BM], sb[BK][ half_of_it ];\n"
    "    __shared__ __align__(128) unsigned char bytes[sizeof(float) * BM];\n"
    "    extern __shared__ float dynamic[];\n}\n"
    "extern \"C\" __global__ void plain(int n)\n{\n"
    "    __shared__ __half t[ROWS][TILE + PAD];\n    __shared__ P points[256];\n"
    "    __shared__ half m[16 * LD];\n    volatile __shared__ int cube[4][8][TILE];\n"
    "    __shared__ float unknown[N][32];\n    alignas(16) __shared__ uint4 q[64];\n"
    "    __shared__ std::uint16_t w[8][64], *pointer;\n}\n";

static struct smc_shared_arrays arrays;

static void find_arrays(const char *mangled, const char *shown, const char *options)
{
    struct smc_source_tree tree = {0};
    struct smc_error error;
    CU_ASSERT_EQUAL_FATAL(smc_source_tree_read("k.cu", source, options, "", &tree, &error), SMC_OK);
    CU_ASSERT_TRUE(smc_shared_arrays_find(&tree, mangled, shown, &arrays));
    smc_source_tree_free(&tree);
}

/* "T e[a][b]" of the array with that name: its element, extents as numbers, and bytes. */
static void check_array(const char *name, const char *expected)
{
    struct smc_text text = {0};
    for (size_t i = 0; i < arrays.count; i++) {
        const struct smc_declared_array *array = &arrays.item[i];
        if (strcmp(array->name, name) != 0)
            continue;
        smc_text_printf(&text, "%s %s", array->element, name);
        for (uint32_t d = 0; d < array->dimensions; d++)
            smc_text_printf(&text, "[%s=%u]", array->text[d], array->extent[d]);
        smc_text_printf(&text, " of %u", array->element_bytes);
        break;
    }
    CU_ASSERT_STRING_EQUAL(smc_text_string(&text), expected);
    if (strcmp(smc_text_string(&text), expected) != 0)
        printf("\n%s, not %s\n", smc_text_string(&text), expected);
    smc_text_free(&text);
}

static void test_declarations(void)
{
    find_arrays("plain", "plain", "-DLD=24 -I.");
    check_array("t", "__half t[ROWS=16][TILE + PAD=33] of 2");
    check_array("points", "P points[256=256] of 0");
    check_array("m", "half m[16 * LD=384] of 2");
    check_array("cube", "int cube[4=4][8=8][TILE=32] of 4");
    check_array("unknown", "float unknown[N=0][32=32] of 4");
    check_array("q", "uint4 q[64=64] of 16");
    check_array("w", "std::uint16_t w[8=8][64=64] of 2");
    check_array("partial", "double partial[4=4][64=64] of 8");
    check_array("sa", ""); /* of another kernel */
    find_arrays("_Z2sgILi64ELi16EdEvPT1_", "void sg<(int)64, (int)16, double>(T1_*)", "");
    check_array("sa", "double sa[BK=16][BM=64] of 8");
    check_array("sb", "double sb[BK=16][half_of_it=32] of 8");
    check_array("bytes", "unsigned char bytes[sizeof(float) * BM=256] of 1");
    check_array("dynamic", "float dynamic[=0] of 4");
    free(arrays.item);
    arrays = (struct smc_shared_arrays){0};
}

/* --- Words ------------------------------------------------------------------------------------ */

static void check_words(const struct smc_array_advice *advice, const char *expected)
{
    struct smc_text text = {0};
    smc_words_array_advice(advice, true, true, &text);
    CU_ASSERT_STRING_EQUAL(smc_text_string(&text), expected);
    if (strcmp(smc_text_string(&text), expected) != 0)
        printf("\n%s\nnot\n%s\n", smc_text_string(&text), expected);
    smc_text_free(&text);
}

static void test_words(void)
{
    struct smc_array_advice advice = {
        .declared = {"t", "half", 2, 2, {16, 64}, {"16", "64"}},
        .layout = {.has_padding = true,
                   .pads_rows = true,
                   .padding = {.element_bytes = 2, .row_elements = 64, .padding_elements = 8}}};
    check_words(&advice, "pad each row of 64 half by 8 half: declare it t[16][72]");
    advice.has_fragments = true;
    check_words(&advice,
                "pad each row of 64 half by 8 half: declare it t[16][72], and pass wmma the "
                "new distance of rows");
    advice.has_fragments = false;
    snprintf(advice.declared.text[1], sizeof advice.declared.text[1], "BM");
    check_words(&advice, "pad each row of 64 half by 8 half: declare it t[16][BM + 8]");
    snprintf(advice.declared.text[1], sizeof advice.declared.text[1], "1 << 6");
    check_words(&advice, "pad each row of 64 half by 8 half: declare it t[16][(1 << 6) + 8]");
    advice.layout.has_swizzle = true;
    advice.layout.swizzle = (struct smc_rearrangement){
        .element_bytes = 16, .row_elements = 8, .swizzle_span = 4, .swizzle_shift = 1};
    advice.layout.has_padding = false;
    check_words(&advice,
                "in rows of 64 half, put the 16-byte chunk c of row r at c ^ (r >> 1 & 3)");
    advice.layout.has_swizzle = false;
    advice.layout.is_hopeless = true;
    check_words(&advice, "no padding of rows of one length and no swizzle c ^ (r >> s & m) removes "
                         "all conflicts");
    advice = (struct smc_array_advice){
        .declared = {"c", "float", 4, 3, {4, 8, 32}, {"4", "8", "32"}},
        .layout = {.has_padding = true,
                   .pads_rows = true,
                   .padding = {.element_bytes = 4, .row_elements = 256, .padding_elements = 32}}};
    check_words(&advice, "pad each row of 256 float by 32 float: declare it c[4][9][32]");
    advice.layout.padding.padding_elements = 4; /* no declaration has it */
    check_words(&advice, "pad each row of 256 float by 4 float");
    advice.layout.padding.row_elements = 24;
    check_words(&advice, "leave 4 float unused after every 24 float");
    advice.declared = (struct smc_declared_array){"c", "float", 4, 1, {1024}, {"1024"}};
    check_words(&advice, "pad each row of 24 float by 4 float");
    advice.declared.dimensions = advice.declared.element_bytes = 0;
    check_words(&advice, "pad each row of 96 bytes by 16 bytes");
    advice = (struct smc_array_advice){
        .declared = {"p", "P", 128, 2, {8, 32}, {"8", "32"}},
        .layout = {.has_padding = true,
                   .pads_rows = true,
                   .padding = {.element_bytes = 4, .row_elements = 32, .padding_elements = 1}}};
    check_words(&advice, "pad each P of 128 bytes by 4 bytes");
}

/* --- Random arrays ---------------------------------------------------------------------------- */

enum { MOST_ACCESSES = 3, SHARE = 30, WHOLE = 300, ROOM = 65536 };

/* Lane n accesses ((n / a) * b + (n % a) * c) units of its width. */
struct random_access {
    uint32_t width, a, b, c;
    unsigned kind; /* 0: load, 1: store, 2: ldmatrix, 3: stmatrix */
    unsigned matrices;
};

static uint64_t state;

static uint32_t draw(uint32_t count)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % count;
}

static struct random_access draw_access(void)
{
    static const uint32_t strides[] = {1, 2, 3, 4, 5, 8, 9, 12, 16, 17, 20, 24, 32, 33, 36, 40, 64};
    struct random_access access = {.width = 1u << draw(5),
                                   .a = 1u << draw(6),
                                   .b = strides[draw(17)],
                                   .c = strides[draw(17)],
                                   .kind = draw(3) ? draw(2) : 2 + draw(2),
                                   .matrices = 1u << draw(3)};
    static const uint32_t rows[] = {8, 16, 24, 32, 64};
    const uint32_t row = rows[draw(5)];
    if (access.kind >= 2)
        access.width = 16;
    if (draw(4)) { /* down the columns of an array, or along its rows */
        access.b = draw(2) ? row : 1;
        access.c = access.b == 1 ? row : 1;
    }
    return access;
}

static void append_access(const struct random_access *access, struct smc_text *ptx)
{
    static const char *const types[] = {"u8 %s%%h1%s", "u16 %s%%h1%s", "u32 %s%%r8%s",
                                        "u64 %s%%rd2%s", "v2.u64 %s{%%rd2, %%rd3}%s"};
    static const char *const lists[] = {"", "{%r8}", "{%r8, %r9}", "", "{%r8, %r9, %r10, %r11}"};
    const unsigned n = access->matrices;
    if (access->kind == 2)
        smc_text_printf(ptx, "ldmatrix.sync.aligned.m8n8.x%u.shared.b16 %s, [%%r4];\n", n,
                        lists[n]);
    else if (access->kind == 3)
        smc_text_printf(ptx, "stmatrix.sync.aligned.m8n8.x%u.shared.b16 [%%r4], %s;\n", n,
                        lists[n]);
    else {
        char text[64];
        const char *before = access->kind ? "[%r4], " : "", *after = access->kind ? "" : ", [%r4]";
        snprintf(text, sizeof text, types[__builtin_ctz(access->width)], before, after);
        smc_text_printf(ptx, "%s.shared.%s;\n", access->kind ? "st" : "ld", text);
    }
}

/* The offset in %r4 becomes that in the new layout: what a user would write. */
static void append_change(const struct smc_rearrangement *change, struct smc_text *ptx)
{
    const uint32_t bytes = change->element_bytes, row = change->row_elements * bytes;
    smc_text_printf(ptx, "div.u32 %%r5, %%r4, %u;\n", row);
    if (change->padding_elements)
        smc_text_printf(ptx, "mad.lo.u32 %%r4, %%r5, %u, %%r4;\n",
                        change->padding_elements * bytes);
    else
        smc_text_printf(
            ptx,
            "shr.u32 %%r5, %%r5, %u;\nand.b32 %%r5, %%r5, %u;\ndiv.u32 %%r6, %%r4, %u;\n"
            "rem.u32 %%r7, %%r4, %u;\nxor.b32 %%r6, %%r6, %%r5;\n"
            "mad.lo.u32 %%r4, %%r6, %u, %%r7;\n",
            change->swizzle_shift, change->swizzle_span - 1, bytes, bytes, bytes);
}

static void write_kernel(const struct random_access *access, size_t count, uint32_t bytes,
                         const struct smc_rearrangement *change, struct smc_text *ptx)
{
    smc_text_free(ptx);
    smc_text_printf(ptx,
                    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
                    ".reg .b16 %%h<4>;\n.reg .b32 %%r<16>;\n.reg .b64 %%rd<8>;\n"
                    ".shared .align 128 .b8 s[%u];\nmov.u32 %%r1, %%tid.x;\nmov.u32 %%r2, s;\n",
                    bytes);
    for (size_t i = 0; i < count; i++) {
        smc_text_printf(ptx,
                        "div.u32 %%r5, %%r1, %u;\nrem.u32 %%r6, %%r1, %u;\n"
                        "mul.lo.u32 %%r4, %%r5, %u;\nmad.lo.u32 %%r4, %%r6, %u, %%r4;\n",
                        access[i].a, access[i].a, access[i].b * access[i].width,
                        access[i].c * access[i].width);
        if (change)
            append_change(change, ptx);
        smc_text_append(ptx, "add.u32 %r4, %r4, %r2;\n");
        append_access(&access[i], ptx);
    }
    smc_text_append(ptx, "ret;\n}\n");
}

static const struct smc_bank_layout banks = {32, 32, 1, false, true};

/* The conflicts that the emulator counts; UINT64_MAX if it finds an error, or cannot run it. */
static uint64_t emulate(const struct smc_text *ptx)
{
    struct smc_program *program = NULL;
    struct smc_emulation emulation = {0};
    struct smc_error error = {""};
    uint64_t conflicts = UINT64_MAX;
    if (smc_program_read(smc_text_string(ptx), ptx->length, "k", &program, &error) == SMC_OK) {
        const struct smc_emulation_request request = {.program = program,
                                                      .grid = {1, 1, 1},
                                                      .block = {32, 1, 1},
                                                      .banks = banks,
                                                      .threads = 1,
                                                      .unchecked = true};
        if (smc_emulate(&request, &emulation, &error) == SMC_OK && emulation.findings_total == 0)
            conflicts = smc_emulated_conflicts(&emulation.total);
    }
    if (error.message[0])
        printf("\n%s\n", error.message);
    smc_emulation_free(&emulation);
    smc_program_free(program);
    return conflicts;
}

/* --- None, by brute force --------------------------------------------------------------------- */

static void lanes_of(const struct random_access *access, struct smc_access *lanes)
{
    const bool is_matrix = access->kind >= 2;
    *lanes = (struct smc_access){
        .mask =
            is_matrix && access->matrices < 4 ? (1u << 8 * access->matrices) - 1 : SMC_ALL_LANES,
        .width_bytes = access->width,
        .op = is_matrix          ? smc_bank_matrix_op(!(access->kind & 1), access->matrices)
              : access->kind & 1 ? SMC_BANK_STORE
                                 : SMC_BANK_LOAD};
    for (uint32_t n = 0; n < 32; n++)
        lanes->address[n] =
            ((n / access->a) * access->b + n % access->a * access->c) * access->width;
}

/* `pad` bytes after each row, or chunks swapped within rows; UINT32_MAX: not aligned, or cut. */
static uint32_t moved(uint32_t address, uint32_t width, uint32_t row, uint32_t pad, uint32_t chunk,
                      uint32_t shift, uint32_t span)
{
    uint32_t line = address / row, column = address % row;
    if (pad)
        return column + width > row || (address + line * pad) % width ? UINT32_MAX
                                                                      : address + line * pad;
    column = (column / chunk ^ (line >> shift) % span) * chunk + column % chunk;
    return line * row + column;
}

static bool is_free(const struct smc_access *lanes, size_t count, uint32_t row, uint32_t pad,
                    uint32_t chunk, uint32_t shift, uint32_t span)
{
    for (size_t i = 0; i < count; i++) {
        struct smc_access access = lanes[i];
        for (uint32_t n = 0; n < 32; n++) {
            if (!(access.mask >> n & 1))
                continue;
            access.address[n] =
                moved(access.address[n], access.width_bytes, row, pad, chunk, shift, span);
            if (access.address[n] == UINT32_MAX)
                return false;
        }
        struct smc_bank_cost cost = smc_banks_count(&banks, &access);
        if (cost.wavefronts > cost.least)
            return false;
    }
    return true;
}

/* Rows of every length, in units of the narrowest access. */
static bool any_is_free(const struct random_access *access, size_t count, uint32_t bytes)
{
    struct smc_access lanes[MOST_ACCESSES];
    uint32_t unit = 16, chunk = 1;
    for (size_t i = 0; i < count; i++) {
        lanes_of(&access[i], &lanes[i]);
        unit = access[i].width < unit ? access[i].width : unit;
        chunk = access[i].width > chunk ? access[i].width : chunk;
    }
    for (uint32_t row = unit; row < bytes; row += unit)
        for (uint32_t pad = unit; pad < 128; pad += unit)
            if (is_free(lanes, count, row, pad, 0, 0, 0))
                return true;
    for (uint32_t row = chunk; row < bytes; row += chunk)
        for (uint32_t span = 2; row % (chunk * span) == 0; span *= 2)
            for (uint32_t shift = 0; bytes / row >> shift; shift++)
                if (is_free(lanes, count, row, 0, chunk, shift, span))
                    return true;
    return false;
}

struct tally {
    unsigned arrays, conflicts, paddings, swizzles, none, wrong;
};

static void check_change(const struct random_access *access, size_t count,
                         const struct smc_rearrangement *change, struct smc_text *ptx,
                         struct tally *tally)
{
    write_kernel(access, count, ROOM, change, ptx);
    if (emulate(ptx) != 0) {
        printf("\nwrong: rows of %u x %u bytes, padding %u, span %u, shift %u\n%s",
               change->row_elements, change->element_bytes, change->padding_elements,
               change->swizzle_span, change->swizzle_shift, smc_text_string(ptx));
        tally->wrong++;
    }
}

static void try_array(struct smc_text *ptx, struct tally *tally)
{
    struct random_access access[MOST_ACCESSES];
    struct smc_bank_accesses accesses = {0};
    struct smc_error error = {""};
    size_t count = 1 + draw(MOST_ACCESSES);
    uint32_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        struct smc_access lanes;
        access[i] = draw_access();
        lanes_of(&access[i], &lanes);
        for (uint32_t n = 0; n < 32; n++)
            if (lanes.address[n] + access[i].width > bytes)
                bytes = lanes.address[n] + access[i].width;
    }
    write_kernel(access, count, bytes, NULL, ptx);
    const struct smc_bank_accesses_request request = {
        .ptx = smc_text_string(ptx), .ptx_bytes = ptx->length, .block = {32, 1, 1}, .banks = banks};
    tally->arrays++;
    tally->wrong += smc_bank_accesses_find(&request, &accesses, &error) != SMC_OK;
    const uint64_t conflicts = accesses.wavefronts - accesses.least;
    tally->wrong += emulate(ptx) != conflicts;
    const struct smc_bank_access *worst =
        accesses.worst < accesses.count ? &accesses.item[accesses.worst] : NULL;
    tally->conflicts += worst != NULL;
    if (worst && !worst->advice)
        tally->wrong++;
    if (worst && worst->advice) {
        const struct smc_layout_advice *layout = &worst->advice->layout;
        tally->paddings += layout->has_padding;
        tally->swizzles += layout->has_swizzle;
        tally->none += layout->is_hopeless;
        if (layout->has_padding)
            check_change(access, count, &layout->padding, ptx, tally);
        if (layout->has_swizzle)
            check_change(access, count, &layout->swizzle, ptx, tally);
        if (layout->is_hopeless && any_is_free(access, count, bytes)) {
            printf("\nnot hopeless:\n%s", smc_text_string(ptx));
            tally->wrong++;
        }
    }
    smc_bank_accesses_free(&accesses);
}

/* A fixed share, or all with TEST_WHOLE=1. */
static void test_random_arrays(void)
{
    struct tally tally = {0};
    struct smc_text ptx = {0};
    const unsigned arrays_tried = share_is_whole() ? WHOLE : SHARE;
    state = 2026;
    while (tally.arrays < arrays_tried)
        try_array(&ptx, &tally);
    CU_ASSERT_EQUAL(tally.wrong, 0);
    CU_ASSERT_TRUE(tally.paddings > arrays_tried / 8 && tally.swizzles > arrays_tried / 8);
    CU_ASSERT_TRUE(tally.none > arrays_tried / 60);
    printf("%u arrays, %u with conflicts: %u paddings, %u swizzles, %u without either, %u wrong ",
           tally.arrays, tally.conflicts, tally.paddings, tally.swizzles, tally.none, tally.wrong);
    smc_text_free(&ptx);
}

CU_TestInfo tests_array_advice[] = {
    {"declarations of shared arrays are read", test_declarations},
    {"advice is worded as the array is declared", test_words},
    {"advice on random arrays, applied and counted anew", test_random_arrays},
    CU_TEST_INFO_NULL,
};
