/* Arrays, swizzles and accesses as a user writes them. */
#include "rules/banks.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"

enum { MOST_BYTES = 1 << 22, MATRIX_ROWS = 8, GROUP = 4 };

/* --- Element types ---------------------------------------------------------------------------- */

uint32_t smc_element_bits(const char *name)
{
    static const struct {
        const char *name;
        uint32_t bits;
    } types[] = {
        {"f16", 16},   {"bf16", 16},  {"f32", 32},    {"tf32", 32},    {"f64", 64},   {"i8", 8},
        {"u8", 8},     {"i16", 16},   {"u16", 16},    {"i32", 32},     {"u32", 32},   {"i64", 64},
        {"u64", 64},   {"e4m3", 8},   {"e5m2", 8},    {"e8m0", 8},     {"e2m1", 4},   {"i4", 4},
        {"u4", 4},     {"half", 16},  {"float", 32},  {"double", 64},  {"int", 32},   {"char", 8},
        {"short", 16}, {"half2", 32}, {"float2", 64}, {"float4", 128}, {"int4", 128},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (smc_equal_ignoring_case(name, types[i].name))
            return types[i].bits;
    return 0;
}

/* --- Arrays ----------------------------------------------------------------------------------- */

static enum smc_status fail_tile(const char *name, const char *text, const char *problem,
                                 struct smc_error *error)
{
    return smc_fail(error, SMC_USAGE, "%s: '%.100s': %s", name, text, problem);
}

static const char *tile_read_number(const char *at, uint32_t *value)
{
    uint64_t number = 0;
    if (!isdigit((unsigned char)*at))
        return NULL;
    for (; isdigit((unsigned char)*at); at++) {
        number = 10 * number + (uint32_t)(*at - '0');
        if (number > SMC_CUTE_MOST_SIZE)
            return NULL;
    }
    *value = (uint32_t)number;
    return number ? at : NULL;
}

/* "[128][64]" or "[128][64+8]"; NULL where it is neither. */
static const char *read_extents(const char *at, uint32_t extent[2], uint32_t *padding)
{
    uint32_t count = 0;
    *padding = 0;
    for (; *at == '[' && count < 2; at++) {
        at = tile_read_number(at + 1, &extent[count++]);
        if (at && *at == '+' && count == 2)
            at = tile_read_number(at + 1, padding);
        if (!at || *at != ']')
            return NULL;
    }
    return count == 2 && *at == '\0' ? at : NULL;
}

static enum smc_status parse_declaration(const char *text, const char *name, struct smc_tile *tile,
                                         struct smc_error *error)
{
    uint32_t extent[2] = {0}, padding = 0;
    const size_t length = strcspn(text, "[");
    if (length >= sizeof tile->name || !read_extents(text + length, extent, &padding))
        return fail_tile(name, text,
                         "not a declaration such as t[128][64] or t[128][64+8], with extents "
                         "from 1 to 1048576",
                         error);
    if ((uint64_t)extent[0] * ((uint64_t)extent[1] + padding) > SMC_CUTE_MOST_SIZE)
        return fail_tile(name, text, "larger than 1048576 elements", error);
    memcpy(tile->name, text, length);
    tile->layout = (struct smc_cute_layout){
        .rank = 2,
        .first = {0, 1, 2},
        .leaf = {{extent[0], extent[1]}, {extent[1], 1}},
    };
    tile->pitch = padding ? extent[1] : 0;
    tile->padding = padding;
    return SMC_OK;
}

const char *const smc_tma_modes[SMC_TMA_MODES] = {"none", "32B", "64B", "128B"};

/* The number of bits that a swizzle of TMA or wgmma permutes, by its name "none", "32B", "64B" or
   "128B"; -1: another word. */
static int swizzle_bits_of(const char *word)
{
    for (int bits = 0; bits < SMC_TMA_MODES; bits++)
        if (smc_equal_ignoring_case(word, smc_tma_modes[bits]))
            return bits;
    return -1;
}

struct smc_swizzle smc_tma_swizzle(uint32_t bits, uint32_t element_bits)
{
    enum { SHIFT = 3 };
    const uint32_t chunk = SMC_TMA_CHUNK_BYTES * 8 / element_bits;
    return bits ? (struct smc_swizzle){bits, (uint32_t)__builtin_ctz(chunk), SHIFT}
                : (struct smc_swizzle){0};
}

/* Atoms of 8 lines of 16 bytes, or of the swizzle's 32, 64 or 128, one after the other along the
   rows and then along the columns. PTX ISA, "Canonical layouts" of wgmma. */
static enum smc_status parse_canonical(const char *text, const char *name, struct smc_tile *tile,
                                       struct smc_error *error)
{
    static const char form[] =
        "not a canonical layout such as wgmma.k.128B(64,64) or wgmma.mn.none(64,16)";
    char major[3] = "", mode[5] = "";
    unsigned extent[2];
    int used = 0;
    if (sscanf(text, "wgmma.%2[kmn].%4[0-9a-zA-Z](%7u,%7u)%n", major, mode, &extent[0], &extent[1],
               &used) != 4 ||
        !used || text[used] || (strcmp(major, "k") != 0 && strcmp(major, "mn") != 0))
        return fail_tile(name, text, form, error);
    const int bits = swizzle_bits_of(mode);
    if (bits < 0 || extent[0] == 0 || extent[1] == 0 ||
        (uint64_t)extent[0] * extent[1] > SMC_CUTE_MOST_SIZE)
        return fail_tile(name, text, form, error);
    const uint32_t line = (SMC_TMA_CHUNK_BYTES * 8 / tile->element_bits) << bits;
    const bool k_major = major[0] == 'k';
    const uint32_t row = k_major ? MATRIX_ROWS : line, column = k_major ? line : MATRIX_ROWS;
    if (extent[0] % row || extent[1] % column)
        return smc_fail(error, SMC_USAGE,
                        "%s: '%.100s': not a multiple of its atom of %" PRIu32 "x%" PRIu32
                        " elements",
                        name, text, row, column);
    const uint32_t atom = row * column, down = extent[0] / row;
    tile->layout = (struct smc_cute_layout){
        .rank = 2,
        .first = {0, 2, 4},
        .leaf = {{row, k_major ? line : 1},
                 {down, atom},
                 {column, k_major ? 1 : line},
                 {extent[1] / column, atom * down}},
    };
    tile->swizzle = smc_tma_swizzle((uint32_t)bits, tile->element_bits);
    return SMC_OK;
}

enum smc_status smc_tile_parse(const char *text, const char *name, uint32_t element_bits,
                               struct smc_tile *tile, struct smc_error *error)
{
    enum smc_status status;
    *tile = (struct smc_tile){.element_bits = element_bits};
    if (strncmp(text, "wgmma.", strlen("wgmma.")) == 0)
        status = parse_canonical(text, name, tile, error);
    else if (isalpha((unsigned char)text[0]) && strchr(text, '['))
        status = parse_declaration(text, name, tile, error);
    else
        status = smc_cute_parse(text, name, &tile->layout, &tile->swizzle, error);
    if (status == SMC_OK && smc_tile_bytes(tile) > MOST_BYTES)
        return fail_tile(name, text, "larger than 4 MB", error);
    return status;
}

/* --- Swizzles --------------------------------------------------------------------------------- */

static uint32_t log_of(uint32_t value)
{
    return value && !(value & (value - 1)) ? (uint32_t)__builtin_ctz(value) : UINT32_MAX;
}

/* Moves `at` past the word and the blanks around it; sets it to NULL if another word follows. */
static void skip(const char **at, const char *word)
{
    if (!*at)
        return;
    const char *begun = *at + strspn(*at, " ");
    const size_t length = strlen(word);
    *at = strncmp(begun, word, length) == 0 ? begun + length + strspn(begun + length, " ") : NULL;
}

/* "c/8 ^ (r >> 1 & 7)": `group` is 8, `rows`, by which r is shifted, is 1, and `mask` is 7. */
static bool read_xor(const char *text, uint32_t *group, uint32_t *rows, uint32_t *mask)
{
    const char *at = text;
    *group = 1;
    *rows = 0;
    skip(&at, "c");
    if (at && *at == '/')
        at = tile_read_number(at + 1, group);
    skip(&at, "^");
    skip(&at, "(");
    skip(&at, "r");
    if (at && *at == '>') {
        skip(&at, ">>");
        at = at ? tile_read_number(at, rows) : NULL;
    }
    skip(&at, "&");
    at = at ? tile_read_number(at, mask) : NULL;
    skip(&at, ")");
    return at && !*at;
}

/* Only row-major arrays whose rows are a power of two apart have such a swizzle. */
static enum smc_status parse_xor(const char *text, const char *name, struct smc_tile *tile,
                                 struct smc_error *error)
{
    uint32_t group, rows, mask;
    if (!read_xor(text, &group, &rows, &mask) || rows > SMC_CUTE_MOST_BITS)
        return fail_tile(name, text,
                         "not a swizzle such as 3,3,3, tma.128B, 'c ^ (r & 7)', "
                         "'c/8 ^ (r >> 1 & 3)' or none",
                         error);
    const uint32_t row =
        tile->layout.rank == 2 && tile->layout.first[2] == 2 && tile->layout.leaf[1].stride == 1
            ? log_of(tile->layout.leaf[0].stride)
            : UINT32_MAX;
    if (row == UINT32_MAX || tile->padding)
        return fail_tile(name, text,
                         "c and r are the column and row of a row-major array whose rows are a "
                         "power of two",
                         error);
    const uint32_t bits = log_of(mask + 1), base = log_of(group);
    if (bits == UINT32_MAX || base == UINT32_MAX || base + bits > row)
        return fail_tile(name, text,
                         "the mask must be 1, 3, 7 ..., the group a power of two, and "
                         "mask + 1 groups at most a row",
                         error);
    tile->swizzle = (struct smc_swizzle){bits, base, (int32_t)(row + rows - base)};
    return smc_swizzle_is_sound(&tile->swizzle)
               ? SMC_OK
               : fail_tile(name, text, "needs more than the 20 bits of an offset", error);
}

enum smc_status smc_tile_parse_swizzle(const char *text, const char *name, struct smc_tile *tile,
                                       struct smc_error *error)
{
    static const char tma[] = "tma.";
    if (smc_equal_ignoring_case(text, "none")) {
        tile->swizzle = (struct smc_swizzle){0};
        return SMC_OK;
    }
    if (strncmp(text, tma, strlen(tma)) == 0) {
        const int bits = swizzle_bits_of(text + strlen(tma));
        tile->is_tma = true;
        if (bits < 0)
            return fail_tile(name, text, "TMA has tma.none, tma.32B, tma.64B and tma.128B", error);
        if (tile->padding)
            return fail_tile(name, text, "TMA fills arrays without padding", error);
        tile->swizzle = smc_tma_swizzle((uint32_t)bits, tile->element_bits);
        return SMC_OK;
    }
    if (*text == 'c')
        return parse_xor(text, name, tile, error);
    return smc_swizzle_parse(text, name, &tile->swizzle, error);
}

/* --- Accesses --------------------------------------------------------------------------------- */

static enum smc_status fail_access(const char *name, const char *label, const char *problem,
                                   struct smc_error *error)
{
    return smc_fail(error, SMC_USAGE, "%s: '%.100s': %s", name, label, problem);
}

/* "st.16" is a store of 16 bytes. Without a number a lane accesses the only width that the
   instruction has, or one element. */
static enum smc_status parse_op(const char *word, const char *name, const struct smc_tile *tile,
                                struct smc_tile_access *access, struct smc_error *error)
{
    char op[64];
    int64_t width = 0;
    snprintf(op, sizeof op, "%s", word);
    char *dot = strrchr(op, '.');
    if (dot && smc_parse_integer(dot + 1, 1, 1024, &width))
        *dot = '\0';
    access->op = smc_bank_op_find(op);
    if (access->op == SMC_BANK_OPS)
        return fail_access(
            name, access->label,
            "not an instruction such as ld.16, st, ldmatrix.x4.trans, stmatrix.x2 or "
            "mma.m16n8k16.a",
            error);
    const struct smc_bank_operation *info = &smc_bank_operations[access->op];
    access->walk = info->matrices ? SMC_TILE_MATRICES : SMC_TILE_ROWS;
    const uint32_t element = tile->element_bits / 8;
    access->width_bytes = width                                  ? (uint32_t)width
                          : !(info->widths & (info->widths - 1)) ? info->widths
                                                                 : element;
    if (!(info->widths & access->width_bytes) || access->width_bytes & (access->width_bytes - 1))
        return smc_fail(error, SMC_USAGE,
                        "%s: '%.100s': %s does not access %" PRIu32 " bytes a lane", name,
                        access->label, info->name, access->width_bytes);
    if (!(info->counted & access->width_bytes))
        return smc_fail(error, SMC_USAGE,
                        "%s: '%.100s': the wavefronts of %s with %" PRIu32
                        " bytes a lane are not known",
                        name, access->label, info->name, access->width_bytes);
    return SMC_OK;
}

/* "mma.m16n8k16.a". The element type and k determine how many registers a and b have. */
static bool parse_operand(const char *word, uint32_t element_bits, struct smc_tile_access *access)
{
    unsigned k = 0;
    char operand = 0;
    int used = 0;
    if (sscanf(word, "mma.m16n8k%3u.%c%n", &k, &operand, &used) != 2 || word[used])
        return false;
    const uint32_t of_register = element_bits <= 32 ? GROUP * 32 / element_bits : 0;
    access->walk = SMC_TILE_FRAGMENT;
    access->operand = operand;
    if (operand == 'c' || operand == 'd') {
        access->operand = 'c';
        access->registers = 2;
        return element_bits >= 16 && element_bits <= 64;
    }
    if ((operand != 'a' && operand != 'b') || !of_register || k % of_register ||
        k / of_register < 1 || k / of_register > 2)
        return false;
    access->registers = k / of_register * (operand == 'a' ? 2 : 1);
    return true;
}

/* The first blank-separated word; `rest` receives what follows. */
static void split_word(const char *text, char word[64], const char **rest)
{
    text += strspn(text, " \t\r\n");
    const size_t length = strcspn(text, " \t\r\n");
    snprintf(word, 64, "%.*s", (int)(length < 63 ? length : 63), text);
    *rest = text + length + strspn(text + length, " \t\r\n");
}

/* Appends the layout of --threads-values to the label, which then says what is accessed. */
static void append_threads(const struct smc_cute_layout *threads, struct smc_tile_access *access)
{
    smc_auto_text text = {0};
    const size_t length = strlen(access->label);
    smc_cute_print(threads, &text);
    if (length + 1 + text.length < sizeof access->label)
        snprintf(access->label + length, sizeof access->label - length, " %s",
                 smc_text_string(&text));
}

static enum smc_status parse_walk(const char *text, const char *name, const struct smc_tile *tile,
                                  const struct smc_cute_layout *threads,
                                  struct smc_tile_access *access, struct smc_error *error)
{
    const bool matrices = access->walk == SMC_TILE_MATRICES;
    if (!*text && threads) {
        access->walk = SMC_TILE_THREADS;
        access->threads_values = *threads;
        append_threads(threads, access);
        return SMC_OK;
    }
    if (!*text)
        return SMC_OK;
    if (*text == '(' || isdigit((unsigned char)*text)) {
        access->walk = SMC_TILE_THREADS;
        return smc_cute_parse(text, name, &access->threads_values, NULL, error);
    }
    if (matrices)
        return fail_access(name, access->label,
                           "its lanes access 8x8 matrices, or what a layout of (thread,value) says",
                           error);
    access->walk = smc_equal_ignoring_case(text, "columns") ? SMC_TILE_COLUMNS : SMC_TILE_ROWS;
    if (access->walk == SMC_TILE_COLUMNS || smc_equal_ignoring_case(text, "rows"))
        return SMC_OK;
    return parse_operand(text, tile->element_bits, access)
               ? SMC_OK
               : fail_access(name, access->label,
                             "lanes go along rows, columns, an operand such as mma.m16n8k16.a of "
                             "these elements, or a layout of (thread,value)",
                             error);
}

enum smc_status smc_tile_parse_access(const char **text, const char *name,
                                      const struct smc_tile *tile,
                                      const struct smc_cute_layout *threads,
                                      struct smc_tile_access *access, struct smc_error *error)
{
    char word[64];
    const char *rest, *begun = *text + strspn(*text, " \t\r\n;");
    size_t length = strcspn(begun, ";");
    *access = (struct smc_tile_access){0};
    *text = begun + length;
    *text += **text == ';';
    while (length && strchr(" \t\r\n", begun[length - 1]))
        length--;
    if (length > SMC_CUTE_CHARS)
        return smc_fail(error, SMC_USAGE, "%s: an access is longer than %d characters", name,
                        SMC_CUTE_CHARS);
    snprintf(access->label, sizeof access->label, "%.*s", (int)length, begun);
    split_word(access->label, word, &rest);
    if (!*rest && strncmp(word, "mma.", strlen("mma.")) == 0) {
        rest = access->label + strcspn(access->label, "m");
        snprintf(word, sizeof word, "%s", strrchr(rest, '.')[1] == 'd' ? "st" : "ld");
    }
    SMC_TRY(parse_op(word, name, tile, access, error));
    return parse_walk(rest, name, tile, threads, access, error);
}
