/* The accesses to an array that a layout places, as text and JSON, and what removes their
   conflicts in the words of the source and of CuTe. */
#include "show/report/banks_report.h"

#include <inttypes.h>

#include "show/report/writers.h"

/* --- Words ------------------------------------------------------------------------------------ */

/* "t[128][72]", or of a layout in CuTe's words with its padding in the strides. */
static void append_tile_declaration(const struct smc_tile *tile, struct smc_text *out)
{
    smc_text_printf(out, "%s[%" PRIu32 "][%" PRIu32 "]", tile->name, tile->layout.leaf[0].extent,
                    tile->layout.leaf[1].extent + tile->padding);
}

/* The strides of a padded layout: those that reach beyond a row grow by the padding of each row. */
static struct smc_cute_layout padded_layout(const struct smc_tile *tile)
{
    struct smc_cute_layout layout = tile->layout;
    for (uint32_t i = 0; tile->padding && i < layout.first[layout.rank]; i++)
        layout.leaf[i].stride += layout.leaf[i].stride / tile->pitch * tile->padding;
    return layout;
}

void smc_words_tile(const struct smc_tile *tile, struct smc_text *out)
{
    const struct smc_cute_layout layout = padded_layout(tile);
    if (tile->swizzle.bits) {
        smc_swizzle_print(&tile->swizzle, out);
        smc_text_append(out, " over ");
    }
    smc_cute_print(&layout, out);
}

static void append_tried(const struct smc_tile_remedy *remedy, const char *noun,
                         struct smc_text *out)
{
    const uint32_t smaller = remedy->tried - 2; /* but for itself and no change */
    smc_text_append(out, ": no conflict is left");
    if (smaller == 1)
        smc_text_printf(out, "; the one smaller %s leaves one", noun);
    else if (smaller)
        smc_text_printf(out, "; all %" PRIu32 " smaller %ss leave one", smaller, noun);
}

/* "declare it t[128][72]", "strides (128,64):(72,1)". */
void smc_words_tile_padding(const struct smc_tile_remedy *remedy, struct smc_text *out)
{
    const struct smc_tile *tile = &remedy->tile;
    if (!remedy->found)
        return;
    if (!tile->padding) {
        smc_text_append(out, "none is needed without the swizzle");
        return;
    }
    if (tile->name[0]) {
        smc_text_append(out, "declare it ");
        append_tile_declaration(tile, out);
    } else {
        smc_words_tile(tile, out);
    }
    smc_text_printf(out, ", %" PRIu32 " unused element%s after every %" PRIu32, tile->padding,
                    smc_text_plural(tile->padding), tile->pitch);
    append_tried(remedy, "padding", out);
}

/* Of a row-major array the swizzle in rows and columns: "c/8 ^ (r & 7)". */
static void append_xor(const struct smc_tile *tile, struct smc_text *out)
{
    const struct smc_swizzle *swizzle = &tile->swizzle;
    const struct smc_cute_layout *layout = &tile->layout;
    const uint32_t row = layout->leaf[0].stride;
    const int32_t above = swizzle->shift + (int32_t)swizzle->base - (row ? __builtin_ctz(row) : 0);
    if (layout->rank != 2 || layout->first[2] != 2 || layout->leaf[1].stride != 1 ||
        row & (row - 1) || swizzle->shift < 0 || above < 0 ||
        (uint32_t)1 << (swizzle->base + swizzle->bits) > row)
        return;
    smc_text_append(out, ", column c of row r at c");
    if (swizzle->base)
        smc_text_printf(out, "/%u", 1u << swizzle->base);
    smc_text_append(out, " ^ (r");
    if (above)
        smc_text_printf(out, " >> %" PRId32, above);
    smc_text_printf(out, " & %u)", (1u << swizzle->bits) - 1);
}

void smc_words_tile_swizzle(const struct smc_tile_remedy *remedy, struct smc_text *out)
{
    if (!remedy->found)
        return;
    if (!remedy->tile.swizzle.bits) {
        smc_text_append(out, "none is needed without the padding");
        return;
    }
    smc_words_tile(&remedy->tile, out);
    append_xor(&remedy->tile, out);
    append_tried(remedy, "swizzle", out);
}

/* What was tried in vain. */
void smc_words_tile_hopeless(const struct smc_banks_answer *answer, struct smc_text *out)
{
    const bool is_tma = answer->query.tile->tile.is_tma;
    if (is_tma)
        smc_text_append(out, "none of TMA's swizzles that allow rows of this length");
    else
        smc_text_printf(out, "none of %" PRIu32 " paddings and none of %" PRIu32 " swizzles",
                        answer->tile_padding.tried - 1, answer->tile_swizzle.tried - 1);
    smc_text_append(out, " removes all conflicts: all were tried");
}

/* An argument in quotes; a line may end before its option, but not within the quotes. */
static void append_argument(const char *option, const char *argument, struct smc_text *out)
{
    smc_text_printf(out, " --%s" SMC_TIE, option);
    size_t begin = out->length;
    smc_text_append_shell_word(out, argument);
    for (size_t i = begin; i < out->length; i++)
        if (out->data[i] == ' ')
            out->data[i] = *SMC_TIE;
}

void smc_words_tile_command(const struct smc_banks_query *query, const struct smc_tile *tile,
                            struct smc_text *out)
{
    smc_auto_text layout = {0}, swizzle = {0}, accesses = {0};
    const struct smc_cute_layout padded = padded_layout(tile);
    if (tile->name[0]) /* the padding stays apart from what is accessed */
        smc_text_printf(&layout,
                        tile->padding ? "%s[%" PRIu32 "][%" PRIu32 "+%" PRIu32 "]"
                                      : "%s[%" PRIu32 "][%" PRIu32 "]",
                        tile->name, tile->layout.leaf[0].extent, tile->layout.leaf[1].extent,
                        tile->padding);
    else
        smc_cute_print(&padded, &layout);
    if (tile->is_tma)
        smc_text_printf(&swizzle, "tma.%s", smc_tma_modes[tile->swizzle.bits]);
    else
        smc_text_printf(&swizzle, "%" PRIu32 ",%" PRIu32 ",%" PRId32, tile->swizzle.bits,
                        tile->swizzle.base, tile->swizzle.shift);
    for (uint32_t i = 0; i < query->tile->access_count; i++)
        smc_text_printf(&accesses, "%s%s", i ? "; " : "", query->tile->access[i].label);
    smc_text_printf(out, "%s" SMC_TIE "banks", smc_program_name());
    append_argument("layout", smc_text_string(&layout), out);
    smc_text_printf(out, " --element" SMC_TIE "%s", query->tile->element);
    if (tile->swizzle.bits || tile->is_tma)
        smc_text_printf(out, " --swizzle" SMC_TIE "%s", smc_text_string(&swizzle));
    append_argument("op", smc_text_string(&accesses), out);
    if (query->mode == SMC_BANK_MODE_8_BYTES)
        smc_text_append(out, " --bank-width" SMC_TIE "8");
    if (!query->device_assumed)
        smc_text_printf(out, " --device" SMC_TIE "%u.%u", query->device.sm.cc / 10,
                        query->device.sm.cc % 10);
}

/* --- Text ------------------------------------------------------------------------------------- */

enum { ACCESS_WIDTH = 26, COMMAND_INDENT = 4 };

static void tile_append_remedy(const struct smc_banks_query *query,
                               const struct smc_tile_remedy *remedy, const char *label,
                               struct smc_text *words, struct smc_text *out)
{
    smc_auto_text command = {0};
    if (!remedy->found) {
        smc_text_free(words);
        return;
    }
    smc_layout_line(out, label, words);
    smc_words_tile_command(query, &remedy->tile, &command);
    smc_layout_paragraph(out, "", COMMAND_INDENT, smc_text_string(&command), out->style->columns);
    out->failed |= command.failed;
}

static void append_remedies_of(const struct smc_banks_answer *answer, struct smc_text *out)
{
    const struct smc_tile_remedy *padding = &answer->tile_padding, *swizzle = &answer->tile_swizzle;
    struct smc_text words = {0};
    smc_text_append(out, "\n");
    smc_words_tile_padding(padding, &words);
    tile_append_remedy(&answer->query, padding, "padding", &words, out);
    smc_words_tile_swizzle(swizzle, &words);
    tile_append_remedy(&answer->query, swizzle, "swizzle", &words, out);
    if (padding->found || swizzle->found)
        return;
    smc_words_tile_hopeless(answer, &words);
    smc_layout_line(out, "remedy", &words);
}

static void append_access_row(const struct smc_banks_pattern *pattern, struct smc_text *out)
{
    smc_text_append(out, "  ");
    smc_text_cell(out, pattern->label, -ACCESS_WIDTH);
    smc_text_printf(out, " %5" PRIu32 " %12" PRIu32 " %10" PRIu32 " %7" PRIu32 " %9" PRIu32 "\n",
                    pattern->width_bytes, pattern->accesses, pattern->total.wavefronts,
                    pattern->total.least, pattern->total.wavefronts - pattern->total.least);
}

void smc_words_tile_place(const struct smc_banks_answer *answer, struct smc_text *out)
{
    const struct smc_tile_question *question = answer->query.tile;
    const uint16_t cc = answer->query.device.sm.cc;
    smc_text_printf(out, "%s, %" PRIu32 " bytes, ", question->element,
                    smc_tile_bytes(&question->tile));
    if (answer->query.device_assumed)
        smc_text_append(out, "CC 5.0 and later");
    else
        smc_text_printf(out, "CC %u.%u", cc / 10, cc % 10);
    smc_text_printf(out, ", %" PRIu32 " banks", answer->layout.banks);
}

struct smc_bank_cost smc_text_tile_heading(const struct smc_banks_answer *answer,
                                           struct smc_text *out)
{
    smc_auto_text title = {0}, place = {0};
    struct smc_bank_cost total = {0};
    if (answer->query.tile->tile.name[0]) {
        append_tile_declaration(&answer->query.tile->tile, &title);
        smc_text_append(&title, ", ");
    }
    smc_words_tile(&answer->query.tile->tile, &title);
    smc_layout_begin(out, SMC_STRONG);
    smc_layout_paragraph(out, "", 0, smc_text_string(&title), out->style->columns);
    smc_layout_end(out);
    smc_words_tile_place(answer, &place);
    smc_layout_paragraph(out, "", 0, smc_text_string(&place), out->style->columns);
    for (uint32_t i = 0; i < answer->pattern_count; i++)
        smc_bank_cost_add(&total, answer->pattern[i].total);
    return total;
}

void smc_text_tile_accesses(const struct smc_banks_answer *answer, struct smc_text *out)
{
    smc_text_printf(out, "\n  %-*s %5s %12s %10s %7s %9s\n", ACCESS_WIDTH, "access", "bytes",
                    "instructions", "wavefronts", "least", "conflicts");
    for (uint32_t i = 0; i < answer->pattern_count; i++)
        append_access_row(&answer->pattern[i], out);
}

void smc_text_tile_remedies(const struct smc_banks_answer *answer, struct smc_text *out)
{
    const struct smc_banks_pattern *worst = &answer->pattern[answer->worst];
    if (worst->total.wavefronts != worst->total.least)
        append_remedies_of(answer, out);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *swizzle_object(const struct smc_swizzle *swizzle)
{
    json_t *object = json_object();
    smc_json_integer(object, "bits", swizzle->bits);
    smc_json_integer(object, "base", swizzle->base);
    json_object_set_new(object, "shift", json_integer(swizzle->shift));
    return object;
}

static json_t *tile_remedy_object(const struct smc_tile_remedy *remedy)
{
    if (!remedy->found)
        return json_null();
    json_t *object = json_object();
    smc_auto_text words = {0};
    smc_words_tile(&remedy->tile, &words);
    smc_json_set(object, "layout", json_string(smc_text_string(&words)));
    smc_json_integer(object, "pitch_elements", remedy->tile.pitch);
    smc_json_integer(object, "padding_elements", remedy->tile.padding);
    smc_json_set(object, "swizzle", swizzle_object(&remedy->tile.swizzle));
    return object;
}

void smc_json_tile(json_t *object, const struct smc_banks_answer *answer)
{
    const struct smc_tile_question *question = answer->query.tile;
    json_t *array = json_object();
    smc_auto_text words = {0};
    smc_words_tile(&question->tile, &words);
    smc_json_set(array, "layout", json_string(smc_text_string(&words)));
    smc_json_set(array, "element", json_string(question->element));
    smc_json_integer(array, "bytes", smc_tile_bytes(&question->tile));
    smc_json_set(array, "swizzle", swizzle_object(&question->tile.swizzle));
    smc_json_set(array, "smallest_padding", tile_remedy_object(&answer->tile_padding));
    smc_json_integer(array, "paddings_tried", answer->tile_padding.tried);
    smc_json_set(array, "smallest_swizzle", tile_remedy_object(&answer->tile_swizzle));
    smc_json_integer(array, "swizzles_tried", answer->tile_swizzle.tried);
    smc_json_set(object, "array", array);
}
