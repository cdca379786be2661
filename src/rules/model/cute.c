/* CuTe's layouts and swizzles: read, evaluated, printed. */
#include "rules/banks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- Reading ---------------------------------------------------------------------------------- */

/* A shape or a tuple of strides: its integers, and how the parentheses nest, as a text such as
   "((..)(..))", by which a shape and its strides are compared. */
struct tuple {
    uint32_t rank, count;
    uint32_t first[SMC_CUTE_LEAVES + 1];
    uint32_t value[SMC_CUTE_LEAVES];
    char form[(2 * SMC_CUTE_DEPTH + 1) * SMC_CUTE_LEAVES + 1];
    size_t form_length;
};

struct reader {
    const char *name, *text, *at;
    struct smc_error *error;
};

static void skip_layout_blanks(struct reader *reader)
{
    reader->at += strspn(reader->at, " \t\r\n");
}

/* `expected` does not stand at the present position. */
static enum smc_status fail_here(const struct reader *reader, const char *expected)
{
    char found[32] = "but the text ends";
    size_t length = 1;
    while (*reader->at && (reader->at[length] & 0xc0) == 0x80 && length < 4)
        length++;
    if (*reader->at)
        snprintf(found, sizeof found, "not '%.*s'", (int)length, reader->at);
    return smc_fail(reader->error, SMC_USAGE, "%s: '%.100s', character %zu: %s expected, %s",
                    reader->name, reader->text, (size_t)(reader->at - reader->text) + 1, expected,
                    found);
}

static enum smc_status fail_text(const struct reader *reader, const char *problem)
{
    return smc_fail(reader->error, SMC_USAGE, "%s: '%.100s': %s", reader->name, reader->text,
                    problem);
}

static bool cute_accept(struct reader *reader, const char *word)
{
    skip_layout_blanks(reader);
    size_t length = strlen(word);
    if (strncmp(reader->at, word, length) != 0)
        return false;
    reader->at += length;
    return true;
}

/* A whole number of at most `most`; CuTe prints those known at compile time as _8. */
static enum smc_status read_number(struct reader *reader, uint32_t most, uint32_t *value)
{
    uint64_t number = 0;
    skip_layout_blanks(reader);
    const char *begun = reader->at;
    reader->at += *reader->at == '_';
    if (*reader->at < '0' || *reader->at > '9')
        return fail_here(reader, "a number");
    for (; *reader->at >= '0' && *reader->at <= '9'; reader->at++) {
        number = 10 * number + (uint32_t)(*reader->at - '0');
        if (number > most) {
            reader->at = begun;
            return smc_fail(reader->error, SMC_USAGE,
                            "%s: '%.100s', character %zu: a number above %" PRIu32, reader->name,
                            reader->text, (size_t)(begun - reader->text) + 1, most);
        }
    }
    *value = (uint32_t)number;
    return SMC_OK;
}

static void add_form(struct tuple *tuple, char c)
{
    if (tuple->form_length + 1 < sizeof tuple->form)
        tuple->form[tuple->form_length++] = c;
    tuple->form[tuple->form_length] = '\0';
}

static enum smc_status cute_read_integer(struct reader *reader, struct tuple *tuple)
{
    if (tuple->count == SMC_CUTE_LEAVES)
        return fail_text(reader, "a layout of more than 16 integers");
    add_form(tuple, '.');
    return read_number(reader, SMC_CUTE_MOST_SIZE, &tuple->value[tuple->count++]);
}

/* Reads nested parentheses without recursion; `depth` counts the open ones. */
static enum smc_status read_tuple(struct reader *reader, struct tuple *tuple)
{
    enum smc_status status;
    uint32_t depth = 0;
    *tuple = (struct tuple){0};
    skip_layout_blanks(reader);
    const bool is_integer = *reader->at != '(';
    do {
        for (; cute_accept(reader, "("); depth++) {
            if (depth == SMC_CUTE_DEPTH)
                return fail_text(reader, "more than 8 parentheses are open");
            add_form(tuple, '(');
            if (depth == 1)
                tuple->first[tuple->rank++] = tuple->count;
        }
        if (depth <= 1)
            tuple->first[tuple->rank++] = tuple->count;
        status = cute_read_integer(reader, tuple);
        if (status != SMC_OK)
            return status;
        for (; depth && cute_accept(reader, ")"); depth--)
            add_form(tuple, ')');
        if (depth && !cute_accept(reader, ","))
            return fail_here(reader, "',' or ')'");
    } while (depth && !is_integer);
    tuple->first[tuple->rank] = tuple->count;
    return SMC_OK;
}

/* Extents of at least 1, and a size and offsets that an SM's shared memory may have. */
static enum smc_status check_sizes(const struct reader *reader,
                                   const struct smc_cute_layout *layout)
{
    uint64_t size = 1, last = 0;
    for (uint32_t i = 0; i < layout->first[layout->rank]; i++) {
        if (layout->leaf[i].extent == 0)
            return fail_text(reader, "an extent is 0, but the smallest is 1");
        size *= layout->leaf[i].extent;
        last += (uint64_t)(layout->leaf[i].extent - 1) * layout->leaf[i].stride;
        if (size > SMC_CUTE_MOST_SIZE || last >= SMC_CUTE_MOST_SIZE)
            return fail_text(reader, "larger than 1048576 elements");
    }
    return SMC_OK;
}

static enum smc_status read_layout(struct reader *reader, struct smc_cute_layout *layout)
{
    struct tuple shape, stride;
    SMC_TRY(read_tuple(reader, &shape));
    bool strided = cute_accept(reader, ":");
    if (strided)
        SMC_TRY(read_tuple(reader, &stride));
    if (strided && strcmp(shape.form, stride.form) != 0)
        return fail_text(reader, "the strides do not nest as the shape does");
    *layout = (struct smc_cute_layout){.rank = shape.rank};
    memcpy(layout->first, shape.first, sizeof layout->first);
    uint64_t compact = 1;
    for (uint32_t i = 0; i < shape.count; i++) {
        layout->leaf[i].extent = shape.value[i];
        layout->leaf[i].stride = strided ? stride.value[i] : (uint32_t)compact;
        compact *= shape.value[i];
        if (compact > SMC_CUTE_MOST_SIZE)
            return fail_text(reader, "larger than 1048576 elements");
    }
    return check_sizes(reader, layout);
}

bool smc_swizzle_is_sound(const struct smc_swizzle *swizzle)
{
    const int64_t distance = swizzle->shift < 0 ? -(int64_t)swizzle->shift : swizzle->shift;
    return swizzle->bits == 0 ||
           (distance >= swizzle->bits && distance <= SMC_CUTE_MOST_BITS &&
            swizzle->base <= SMC_CUTE_MOST_BITS && swizzle->bits <= SMC_CUTE_MOST_BITS &&
            swizzle->base + distance + swizzle->bits <= SMC_CUTE_MOST_BITS);
}

/* B,M,S. */
static enum smc_status read_swizzle(struct reader *reader, struct smc_swizzle *swizzle)
{
    uint32_t bits, base, distance;
    SMC_TRY(read_number(reader, SMC_CUTE_MOST_BITS, &bits));
    if (!cute_accept(reader, ","))
        return fail_here(reader, "','");
    SMC_TRY(read_number(reader, SMC_CUTE_MOST_BITS, &base));
    if (!cute_accept(reader, ","))
        return fail_here(reader, "','");
    const bool negative = cute_accept(reader, "-");
    SMC_TRY(read_number(reader, SMC_CUTE_MOST_BITS, &distance));
    *swizzle = (struct smc_swizzle){bits, base, negative ? -(int32_t)distance : (int32_t)distance};
    if (!smc_swizzle_is_sound(swizzle))
        return fail_text(reader, "not a swizzle: S must be at least B or at most -B, and "
                                 "B + M + |S| at most 20");
    return SMC_OK;
}

static enum smc_status read_end(struct reader *reader)
{
    skip_layout_blanks(reader);
    return *reader->at ? fail_here(reader, "the end") : SMC_OK;
}

enum smc_status smc_swizzle_parse(const char *text, const char *name, struct smc_swizzle *swizzle,
                                  struct smc_error *error)
{
    struct reader reader = {name, text, text, error};
    bool named = cute_accept(&reader, "Swizzle<") || cute_accept(&reader, "Sw<") ||
                 cute_accept(&reader, "S<");
    SMC_TRY(read_swizzle(&reader, swizzle));
    if (named && !cute_accept(&reader, ">"))
        return fail_here(&reader, "'>'");
    return read_end(&reader);
}

/* "Sw<3,3,3> o 0 o ", "Swizzle<3,3,3> o ": what stands before a layout in CuTe's prints. */
static enum smc_status read_composition(struct reader *reader, struct smc_swizzle *swizzle)
{
    uint32_t offset = 0;
    *swizzle = (struct smc_swizzle){0};
    if (!cute_accept(reader, "Swizzle<") && !cute_accept(reader, "Sw<") &&
        !cute_accept(reader, "S<"))
        return SMC_OK;
    SMC_TRY(read_swizzle(reader, swizzle));
    if (!cute_accept(reader, ">"))
        return fail_here(reader, "'>'");
    if (!cute_accept(reader, "o"))
        return fail_here(reader, "'o'");
    skip_layout_blanks(reader);
    if (*reader->at == '(')
        return SMC_OK;
    const char *begun = reader->at;
    SMC_TRY(read_number(reader, SMC_CUTE_MOST_SIZE, &offset));
    if (!cute_accept(reader, "o"))
        reader->at = begun; /* it was the layout */
    else if (offset)
        return fail_text(reader, "an offset between the swizzle and the layout is not supported");
    return SMC_OK;
}

enum smc_status smc_cute_parse(const char *text, const char *name, struct smc_cute_layout *layout,
                               struct smc_swizzle *swizzle, struct smc_error *error)
{
    struct reader reader = {name, text, text, error};
    struct smc_swizzle none;
    if (strlen(text) > SMC_CUTE_CHARS)
        return smc_fail(error, SMC_USAGE, "%s: longer than %d characters", name, SMC_CUTE_CHARS);
    SMC_TRY(read_composition(&reader, swizzle ? swizzle : &none));
    SMC_TRY(read_layout(&reader, layout));
    return read_end(&reader);
}

/* --- Evaluating ------------------------------------------------------------------------------- */

uint32_t smc_swizzle_apply(const struct smc_swizzle *swizzle, uint32_t offset)
{
    const uint32_t mask = ((uint32_t)1 << swizzle->bits) - 1;
    if (swizzle->shift < 0)
        return offset ^ (offset >> swizzle->base & mask) << (swizzle->base - swizzle->shift);
    return offset ^ (offset >> (swizzle->base + swizzle->shift) & mask) << swizzle->base;
}

static uint32_t cute_extent_of(const struct smc_cute_layout *layout, uint32_t from, uint32_t to)
{
    uint32_t extent = 1;
    for (uint32_t i = from; i < to; i++)
        extent *= layout->leaf[i].extent;
    return extent;
}

uint32_t smc_cute_extent(const struct smc_cute_layout *layout, uint32_t mode)
{
    return mode < layout->rank
               ? cute_extent_of(layout, layout->first[mode], layout->first[mode + 1])
               : 1;
}

uint32_t smc_cute_size(const struct smc_cute_layout *layout)
{
    return cute_extent_of(layout, 0, layout->first[layout->rank]);
}

uint32_t smc_cute_cosize(const struct smc_cute_layout *layout)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < layout->first[layout->rank]; i++)
        last += (layout->leaf[i].extent - 1) * layout->leaf[i].stride;
    return last + 1;
}

static uint32_t cute_offset_of(const struct smc_cute_layout *layout, uint32_t from, uint32_t to,
                               uint32_t index)
{
    uint32_t offset = 0;
    for (uint32_t i = from; i < to; i++) {
        offset += index % layout->leaf[i].extent * layout->leaf[i].stride;
        index /= layout->leaf[i].extent;
    }
    return offset;
}

uint32_t smc_cute_offset(const struct smc_cute_layout *layout, uint32_t index)
{
    return cute_offset_of(layout, 0, layout->first[layout->rank], index);
}

uint32_t smc_cute_mode_offset(const struct smc_cute_layout *layout, uint32_t mode,
                              uint32_t coordinate)
{
    return mode < layout->rank
               ? cute_offset_of(layout, layout->first[mode], layout->first[mode + 1], coordinate)
               : 0;
}

/* --- Printing --------------------------------------------------------------------------------- */

static void print_tuple(const struct smc_cute_layout *layout, bool strides, struct smc_text *out)
{
    smc_text_append(out, layout->rank > 1 ? "(" : "");
    for (uint32_t mode = 0; mode < layout->rank; mode++) {
        const uint32_t first = layout->first[mode], end = layout->first[mode + 1];
        smc_text_append(out, mode ? "," : "");
        smc_text_append(out, end - first > 1 ? "(" : "");
        for (uint32_t i = first; i < end; i++)
            smc_text_printf(out, "%s%" PRIu32, i > first ? "," : "",
                            strides ? layout->leaf[i].stride : layout->leaf[i].extent);
        smc_text_append(out, end - first > 1 ? ")" : "");
    }
    smc_text_append(out, layout->rank > 1 ? ")" : "");
}

void smc_cute_print(const struct smc_cute_layout *layout, struct smc_text *out)
{
    print_tuple(layout, false, out);
    smc_text_append(out, ":");
    print_tuple(layout, true, out);
}

void smc_swizzle_print(const struct smc_swizzle *swizzle, struct smc_text *out)
{
    smc_text_printf(out, "Swizzle<%" PRIu32 ",%" PRIu32 ",%" PRId32 ">", swizzle->bits,
                    swizzle->base, swizzle->shift);
}
