/* Bank conflicts: the wavefronts of each access, the picture of the banks, and what removes the
   conflicts; as text, JSON and CSV. Also the conflicts of a run. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "show/report/banks_report.h"
#include "show/report/writers.h"

/* --- Words ------------------------------------------------------------------------------------ */

const char *smc_words_bank_op(enum smc_bank_op op)
{
    return op == SMC_BANK_LOAD    ? "load"
           : op == SMC_BANK_STORE ? "store"
                                  : smc_bank_operations[op].name;
}

static void banks_append_count(struct smc_text *out, uint32_t count, const char *noun)
{
    smc_text_printf(out, "%u %s%s", count, noun, smc_text_plural(count));
}

void smc_words_bank_cost(struct smc_bank_cost cost, struct smc_text *out)
{
    banks_append_count(out, cost.wavefronts, "wavefront");
    if (cost.wavefronts == cost.least) {
        smc_text_append(out, cost.wavefronts ? ", the least possible: no conflict" : "");
        return;
    }
    smc_text_printf(out, " where %u would do: ", cost.least);
    banks_append_count(out, cost.wavefronts - cost.least, "conflict");
}

enum { BANK_BYTES = 4 }; /* elements of which need no explanation */

/* "32 elements", "2 elements of 16 B". */
static void append_row_of(const struct smc_rearrangement *rearrangement, struct smc_text *out)
{
    smc_text_printf(out, "%u elements", rearrangement->row_elements);
    if (rearrangement->element_bytes != BANK_BYTES)
        smc_text_printf(out, " of %u B", rearrangement->element_bytes);
}

void smc_words_rearrangement(const struct smc_rearrangement *rearrangement, struct smc_text *out)
{
    if (rearrangement->dropped_elements) {
        smc_text_printf(out, "rows of %u elements, without the padding",
                        rearrangement->row_elements - rearrangement->dropped_elements);
        return;
    }
    if (rearrangement->padding_elements) {
        smc_text_append(out, "pad each row of ");
        append_row_of(rearrangement, out);
        smc_text_append(out, " by ");
        banks_append_count(out, rearrangement->padding_elements, "element");
        return;
    }
    smc_text_append(out, "in rows of ");
    append_row_of(rearrangement, out);
    smc_text_append(out, ", put column c of row r at c ^ (r");
    if (rearrangement->swizzle_shift)
        smc_text_printf(out, " >> %u", rearrangement->swizzle_shift);
    smc_text_printf(out, " & %u)", rearrangement->swizzle_span - 1);
}

/* --- Advice on a user's array ----------------------------------------------------------------- */

/* The dimension whose rows these are, from 1; 0: rows that the declaration does not have. */
static uint32_t dimension_of(const struct smc_declared_array *declared, uint32_t row_elements)
{
    uint64_t elements = 1;
    for (uint32_t i = declared->dimensions; i > 1; i--) {
        elements *= declared->extent[i - 1];
        if (elements == row_elements)
            return i;
    }
    return 0;
}

/* "72", or "BM + 4" where it is not a number. */
static void banks_append_extent(const char *text, uint32_t extent, uint32_t more,
                                struct smc_text *out)
{
    bool is_number = !*text || strspn(text, "0123456789") == strlen(text);
    bool binds = !strpbrk(text, "?<>&|^=,");
    if (is_number)
        smc_text_printf(out, extent ? "[%u]" : "[]", extent + more);
    else if (more)
        smc_text_printf(out, binds ? "[%s + %u]" : "[(%s) + %u]", text, more);
    else
        smc_text_printf(out, "[%s]", text);
}

/* ": declare it t[16][72]", where more elements in one dimension do it. */
static void append_declaration(const struct smc_array_advice *advice, struct smc_text *out)
{
    const struct smc_declared_array *declared = &advice->declared;
    const struct smc_rearrangement *padding = &advice->layout.padding;
    uint32_t changed = dimension_of(declared, padding->row_elements), inner = 1;
    for (uint32_t i = changed; changed && i < declared->dimensions; i++)
        inner *= declared->extent[i];
    if (!changed || padding->padding_elements % inner)
        return;
    smc_text_printf(out, ": declare it %s", declared->name);
    for (uint32_t i = 0; i < declared->dimensions; i++)
        banks_append_extent(declared->text[i], declared->extent[i],
                            i + 1 == changed ? padding->padding_elements / inner : 0, out);
}

static void append_elements(const struct smc_array_advice *advice, uint32_t bytes,
                            struct smc_text *out)
{
    const struct smc_declared_array *declared = &advice->declared;
    if (declared->element_bytes)
        smc_text_printf(out, "%u %s", bytes / declared->element_bytes, declared->element);
    else
        smc_text_printf(out, "%u byte%s", bytes, smc_text_plural(bytes));
}

static void append_padding(const struct smc_array_advice *advice, struct smc_text *out)
{
    const struct smc_rearrangement *padding = &advice->layout.padding;
    const uint32_t bytes = padding->element_bytes, row_bytes = padding->row_elements * bytes;
    const uint32_t element_bytes = advice->declared.element_bytes;
    const uint32_t by = padding->padding_elements * bytes;
    if (element_bytes && by % element_bytes) {
        smc_text_printf(out, "pad each %s of %u byte%s by %u byte%s", advice->declared.element,
                        row_bytes, smc_text_plural(row_bytes), by, smc_text_plural(by));
        return;
    }
    const bool is_row =
        advice->layout.pads_rows &&
        (advice->declared.dimensions < 2 || dimension_of(&advice->declared, padding->row_elements));
    smc_text_append(out, is_row ? "pad each row of " : "leave ");
    append_elements(advice, is_row ? row_bytes : padding->padding_elements * bytes, out);
    smc_text_append(out, is_row ? " by " : " unused after every ");
    append_elements(advice, is_row ? padding->padding_elements * bytes : row_bytes, out);
    append_declaration(advice, out);
    if (advice->has_fragments)
        smc_text_append(out, ", and pass wmma the new distance of rows");
}

static void append_swizzle(const struct smc_array_advice *advice, struct smc_text *out)
{
    const struct smc_rearrangement *swizzle = &advice->layout.swizzle;
    const uint32_t bytes = swizzle->element_bytes;
    smc_text_append(out, "in rows of ");
    append_elements(advice, swizzle->row_elements * bytes, out);
    if (bytes == advice->declared.element_bytes)
        smc_text_append(out, ", put column c of row r at c ^ ");
    else
        smc_text_printf(out, ", put the %u-byte chunk c of row r at c ^ ", bytes);
    if (swizzle->swizzle_shift)
        smc_text_printf(out, "(r >> %u & %u)", swizzle->swizzle_shift, swizzle->swizzle_span - 1);
    else
        smc_text_printf(out, "(r & %u)", swizzle->swizzle_span - 1);
}

void smc_words_array_advice(const struct smc_array_advice *advice, bool padding, bool swizzle,
                            struct smc_text *out)
{
    const struct smc_layout_advice *layout = &advice->layout;
    if (padding && layout->has_padding)
        append_padding(advice, out);
    if (padding && layout->has_padding && swizzle && layout->has_swizzle)
        smc_text_append(out, "; or ");
    if (swizzle && layout->has_swizzle)
        append_swizzle(advice, out);
    if (layout->is_hopeless)
        smc_text_append(
            out, "no padding of rows of one length and no swizzle c ^ (r >> s & m) removes all "
                 "conflicts");
}

void smc_words_remedy(const struct smc_banks_pattern *pattern, const struct smc_remedy *remedy,
                      struct smc_text *out)
{
    const struct smc_rearrangement *change = &remedy->rearrangement;
    if (change->dropped_elements) {
        smc_text_printf(out, "rows of %u elements have no conflict: drop the padding",
                        change->row_elements - change->dropped_elements);
        return;
    }
    if (change->padding_elements && change->row_elements < pattern->row_elements) {
        smc_text_printf(out, "no padding of rows of %u elements helps; leave ",
                        pattern->row_elements);
        banks_append_count(out, change->padding_elements, "element");
        smc_text_printf(out, " unused after every %u", change->row_elements);
        return;
    }
    smc_words_rearrangement(change, out);
}

/* A command breaks only inside its quoted expression, where the shell accepts a line end. */
#define OPTION(name) SMC_TIE "--" name SMC_TIE

static void banks_append_block(const struct smc_banks_query *query, struct smc_text *out)
{
    const uint32_t *block = query->block;
    bool usual = block[0] == SMC_WARP_LANES && block[1] == 1 && block[2] == 1;
    if (usual)
        return;
    smc_text_append(out, OPTION("block"));
    smc_words_extent(block, "x", out);
}

/* The options that depend on the device. */
static void banks_append_device(const struct smc_banks_query *query, struct smc_text *out)
{
    if (query->mode == SMC_BANK_MODE_8_BYTES)
        smc_text_append(out, OPTION("bank-width") "8");
    if (!query->device_assumed)
        smc_text_printf(out, OPTION("device") "%u.%u", query->device.sm.cc / 10,
                        query->device.sm.cc % 10);
}

void smc_words_banks_place(const struct smc_banks_answer *answer, struct smc_text *out)
{
    const struct smc_banks_query *query = &answer->query;
    uint16_t cc = query->device.sm.cc;
    smc_text_append(out, "block ");
    smc_words_extent(query->block, "x", out);
    if (query->device_assumed)
        smc_text_append(out, ", CC 5.0 and later");
    else
        smc_text_printf(out, ", CC %u.%u", cc / 10, cc % 10);
    smc_text_printf(out, ", %u banks", answer->layout.banks);
    if (query->device.sm.bank_width_bytes > 4)
        smc_text_printf(out, " of %u bytes, %u-byte mode", query->device.sm.bank_width_bytes,
                        answer->layout.neighbouring_words * 4);
}

static void banks_append_expression(const struct smc_banks_query *query, const char *expression,
                                    struct smc_text *out)
{
    smc_text_printf(out, OPTION("expr") "'%s'", expression);
    banks_append_block(query, out);
    if (query->width_bytes != smc_bank_operations[query->op].usual_width)
        smc_text_printf(out, OPTION("width") "%u", query->width_bytes);
    if (query->op == SMC_BANK_STORE)
        smc_text_append(out, SMC_TIE "--store");
    else if (query->op != SMC_BANK_LOAD)
        smc_text_printf(out, OPTION("op") "%s", smc_bank_operations[query->op].name);
}

void smc_words_banks_command(const struct smc_banks_query *query, const char *expression,
                             struct smc_text *out)
{
    smc_text_printf(out, "%s" SMC_TIE "banks", smc_program_name());
    if (expression) {
        banks_append_expression(query, expression, out);
    } else {
        smc_text_append(out, " ");
        smc_words_options(&query->params, query->kernel->name, out);
    }
    if (query->warp >= 0)
        smc_text_printf(out, OPTION("warp") "%d", query->warp);
    if (query->mask != SMC_ALL_LANES)
        smc_text_printf(out, OPTION("mask") "%" PRIx32, query->mask);
    banks_append_device(query, out);
}

void smc_words_banks_row_command(const struct smc_banks_query *query,
                                 const struct smc_access *access, struct smc_text *out)
{
    smc_text_printf(out, "echo 1,%s,%u,%" PRIx32, smc_bank_operations[access->op].name,
                    access->width_bytes, access->mask);
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
        smc_text_append(out, ",");
        if (access->mask >> lane & 1)
            smc_text_printf(out, "%" PRIu32, access->address[lane]);
    }
    smc_text_printf(out, " | %s" SMC_TIE "banks" OPTION("csv") "-", smc_program_name());
    banks_append_device(query, out);
}

/* --- Fields ----------------------------------------------------------------------------------- */

/* Rows without the padding that they have are proposed before more padding. */
static const struct smc_remedy *padding_of(const struct smc_banks_pattern *pattern)
{
    return pattern->narrower.found ? &pattern->narrower : &pattern->padding;
}

static uint32_t row_elements(const struct smc_rearrangement *change)
{
    return change->row_elements - change->dropped_elements;
}

static struct smc_value of_cost(const struct smc_banks_pattern *pattern, uint32_t value)
{
    return SMC_VALUE_IF(!pattern->unknown, value);
}

static struct smc_value of_padding(const struct smc_banks_pattern *pattern, uint32_t value)
{
    return SMC_VALUE_IF(padding_of(pattern)->found, value);
}

/* An access of an answer. */
struct access_row {
    const struct smc_banks_answer *answer;
    const struct smc_banks_pattern *pattern;
};

/* The padding that removes all conflicts of an array that a layout places; NULL: none is proposed.
 */
static const struct smc_tile *padded_tile(const struct access_row *row)
{
    const struct smc_tile_remedy *remedy = &row->answer->tile_padding;
    return row->answer->query.tile && remedy->found && remedy->tile.padding ? &remedy->tile : NULL;
}

/* No bits: none is proposed. */
static struct smc_swizzle proposed_swizzle(const struct access_row *row)
{
    const struct smc_tile_remedy *remedy = &row->answer->tile_swizzle;
    return row->answer->query.tile && remedy->found ? remedy->tile.swizzle
                                                    : (struct smc_swizzle){0};
}

static struct smc_value swizzle_part(const struct access_row *row, int64_t part)
{
    return SMC_VALUE_IF(proposed_swizzle(row).bits > 0, (uint64_t)part);
}

static struct smc_value padded_row(const struct access_row *row)
{
    const struct smc_banks_pattern *item = row->pattern;
    return padded_tile(row) ? smc_value_integer(padded_tile(row)->pitch)
                            : of_padding(item, row_elements(&padding_of(item)->rearrangement));
}

static struct smc_value padding_elements(const struct access_row *row)
{
    const struct smc_banks_pattern *item = row->pattern;
    return padded_tile(row) ? smc_value_integer(padded_tile(row)->padding)
                            : of_padding(item, padding_of(item)->rearrangement.padding_elements);
}

#define ACCESS_FIELDS(FIELD)                                                                       \
    FIELD("access", "access", "", "the expression, or the kernel's",                               \
          smc_value_text(item->pattern->label))                                                    \
    FIELD("op", NULL, "", "load, store, or the instruction",                                       \
          smc_value_text(smc_words_bank_op(item->pattern->op)))                                    \
    FIELD(NULL, "op", "", "ld, st, atom ...",                                                      \
          smc_value_text(smc_bank_operations[item->pattern->op].name))                             \
    FIELD("width_bytes", "width", "bytes", "of one lane", item->pattern->width_bytes)              \
    FIELD("warps_counted", NULL, "warps", "counted", item->pattern->warps_counted)                 \
    FIELD("row_elements", NULL, "elements", "of a row of its array", item->pattern->row_elements)  \
    FIELD("steps", NULL, "", "iterations of the loop around it", item->pattern->steps)             \
    FIELD("steps_counted", NULL, "", "iterations counted", item->pattern->steps_counted)           \
    FIELD("accesses", "accesses", "", "accesses counted", item->pattern->accesses)                 \
    FIELD("wavefronts", "wavefronts", "", "their wavefronts",                                      \
          of_cost(item->pattern, item->pattern->total.wavefronts))                                 \
    FIELD("least_wavefronts", "least_wavefronts", "", "the fewest possible",                       \
          of_cost(item->pattern, item->pattern->total.least))                                      \
    FIELD("conflicts", "conflicts", "", "wavefronts above the fewest possible",                    \
          of_cost(item->pattern, item->pattern->total.wavefronts - item->pattern->total.least))    \
    FIELD(NULL, "worst_wavefronts", "", "of the access with the most",                             \
          of_cost(item->pattern, item->pattern->map.cost.wavefronts))                              \
    FIELD(NULL, "row_elements", "elements", "of a row without the proposed padding",               \
          padded_row(item))                                                                        \
    FIELD(NULL, "padding_elements", "elements", "padding of a row that removes all conflicts",     \
          padding_elements(item))                                                                  \
    FIELD("phases", "phases", "", "sets of lanes that are served one after the other",             \
          of_cost(item->pattern, item->pattern->total.phases))                                     \
    FIELD(NULL, "swizzle_bits", "bits",                                                            \
          "of a layout: bits of the smallest Swizzle<B,M,S> that removes all conflicts",           \
          swizzle_part(item, proposed_swizzle(item).bits))                                         \
    FIELD(NULL, "swizzle_base", "bits", "its M", swizzle_part(item, proposed_swizzle(item).base))  \
    FIELD(NULL, "swizzle_shift", "bits", "its S", swizzle_part(item, proposed_swizzle(item).shift))
SMC_FIELD_TABLE(access_fields, struct access_row, ACCESS_FIELDS)

/* --- Text: the picture ------------------------------------------------------------------------ */

enum {
    COLUMNS_SHOWN = 16, /* banks in one line; the others follow below */
    GRID_LABEL_WIDTH = 13,
    MOST_ROWS = 7,  /* of more wavefronts, those in the middle are omitted */
    FIRST_ROWS = 4, /* of those shown then, before the gap */
};

/* The first of the lanes; "+" if the bank serves others at the same time. */
static void banks_append_cell(uint32_t lanes, struct smc_text *out)
{
    bool more = lanes & (lanes - 1);
    if (lanes)
        smc_text_printf(out, "%3d%s", __builtin_ctz(lanes), more ? "+" : "");
    else
        smc_text_append(out, "  .");
}

static void append_grid_row(const struct smc_bank_map *map, uint32_t row, uint32_t first_bank,
                            struct smc_text *out)
{
    const struct smc_wavefront *wavefront = &map->wavefront[row];
    uint32_t first = (uint32_t)__builtin_ctz(wavefront->set);
    uint32_t last = 31 - (uint32_t)__builtin_clz(wavefront->set);
    smc_text_printf(out, "%3u of %2u-%-2u ", row + 1, first, last);
    for (uint32_t bank = first_bank; bank < first_bank + COLUMNS_SHOWN; bank++) {
        uint32_t lanes = wavefront->lanes[bank];
        bool marked = lanes & (lanes - 1), last_bank = bank + 1 == first_bank + COLUMNS_SHOWN;
        banks_append_cell(lanes, out);
        smc_text_append(out, marked || last_bank ? "" : " ");
    }
    smc_text_append(out, "\n");
}

static void append_grid_rows(const struct smc_bank_map *map, uint32_t first_bank,
                             struct smc_text *out)
{
    uint32_t rows = map->cost.wavefronts;
    bool whole = rows <= MOST_ROWS;
    uint32_t before = whole ? rows : FIRST_ROWS;
    uint32_t after = whole ? rows : rows - (MOST_ROWS - FIRST_ROWS - 1);
    for (uint32_t row = 0; row < before; row++)
        append_grid_row(map, row, first_bank, out);
    if (!whole)
        smc_text_printf(out, "    ... %u more\n", after - before);
    for (uint32_t row = after; row < rows; row++)
        append_grid_row(map, row, first_bank, out);
}

static void banks_append_grid(const struct smc_bank_layout *layout, const struct smc_bank_map *map,
                              struct smc_text *out)
{
    for (uint32_t first = 0; first < layout->banks; first += COLUMNS_SHOWN) {
        if (smc_banks_idle(map, first, COLUMNS_SHOWN)) {
            smc_text_printf(out, "banks %u to %u are idle\n", first, first + COLUMNS_SHOWN - 1);
            continue;
        }
        smc_layout_begin(out, SMC_STRONG);
        smc_text_printf(out, "%*s", -GRID_LABEL_WIDTH, "lanes   bank");
        for (uint32_t bank = first; bank < first + COLUMNS_SHOWN; bank++)
            smc_text_printf(out, "%3u%s", bank, bank + 1 < first + COLUMNS_SHOWN ? " " : "");
        smc_layout_end(out);
        smc_text_append(out, "\n");
        append_grid_rows(map, first, out);
    }
}

/* --- Text ------------------------------------------------------------------------------------- */

enum { LABEL_WIDTH = 26, COMMAND_INDENT = 4, LONGEST_SHOWN = 60 };

static void banks_append_verdict(const struct smc_banks_pattern *pattern, struct smc_text *out)
{
    bool free = pattern->total.wavefronts == pattern->total.least;
    smc_text_append(out, "\n  ");
    if (pattern->unknown) {
        smc_text_printf(
            out,
            "wavefronts unknown: how the hardware serves %s of %u byte%s was not counted"
            "\n",
            smc_bank_operations[pattern->op].name, pattern->width_bytes,
            smc_text_plural(pattern->width_bytes));
        return;
    }
    smc_layout_begin(out, free ? SMC_GOOD : SMC_BAD);
    smc_words_bank_cost(pattern->map.cost, out);
    smc_layout_end(out);
    if (pattern->op > SMC_BANK_STORE)
        smc_text_printf(out, ", in %u phase%s", pattern->map.cost.phases,
                        smc_text_plural(pattern->map.cost.phases));
    if (pattern->accesses > 1) {
        smc_text_printf(out, "   (all %u warps: %u, least %u)", pattern->accesses,
                        pattern->total.wavefronts, pattern->total.least);
    }
    smc_text_append(out, "\n");
}

static void append_picture(const struct smc_banks_answer *answer,
                           const struct smc_banks_pattern *pattern, struct smc_text *out)
{
    bool more = false;
    for (uint32_t w = 0; w < pattern->map.cost.wavefronts; w++)
        for (uint32_t bank = 0; bank < answer->layout.banks; bank++) {
            uint32_t lanes = pattern->map.wavefront[w].lanes[bank];
            more |= (lanes & (lanes - 1)) != 0;
        }
    struct smc_text heading = {0};
    if (answer->query.tile)
        smc_text_printf(&heading, "%s, instruction %u of %u", pattern->label,
                        pattern->worst_step + 1, pattern->steps);
    else
        smc_text_printf(&heading, "Warp %u", pattern->worst_warp);
    if (pattern->steps > 1 && !answer->query.tile)
        smc_text_printf(&heading, ", iteration %u of the loop", pattern->worst_step);
    smc_text_printf(&heading, ": the lane that each bank serves, one row per wavefront%s",
                    more ? "; + if it serves more lanes" : "");
    smc_text_append(out, "\n");
    smc_layout_verdict(out, SMC_PLAIN, &heading);
    banks_append_grid(&answer->layout, &pattern->map, out);
}

static void banks_append_remedy(const struct smc_banks_query *query,
                                const struct smc_banks_pattern *pattern,
                                const struct smc_remedy *remedy, const char *label,
                                struct smc_text *out)
{
    smc_auto_text text = {0};
    if (!remedy->found)
        return;
    smc_words_remedy(pattern, remedy, &text);
    bool is_shown = remedy->expression[0] && strlen(remedy->expression) <= LONGEST_SHOWN;
    bool is_narrower = remedy->rearrangement.dropped_elements > 0; /* the words say so already */
    if (is_shown)
        smc_text_printf(&text, ": %s%s", remedy->expression, is_narrower ? "" : " has no conflict");
    else if (!is_narrower)
        smc_text_append(&text, ": no conflict is left");
    smc_layout_line(out, label, &text);
    if (!remedy->expression[0])
        return;
    smc_words_banks_command(query, remedy->expression, &text);
    smc_layout_paragraph(out, "", COMMAND_INDENT, smc_text_string(&text), out->style->columns);
    out->failed |= text.failed;
}

static void banks_append_remedies(const struct smc_banks_query *query,
                                  const struct smc_banks_pattern *pattern, struct smc_text *out)
{
    if (pattern->total.wavefronts == pattern->total.least)
        return;
    smc_text_append(out, "\n");
    banks_append_remedy(query, pattern, padding_of(pattern), "padding", out);
    banks_append_remedy(query, pattern, &pattern->swizzle, "swizzle", out);
    if (padding_of(pattern)->found || pattern->swizzle.found)
        return;
    smc_layout_say(
        out, "remedy",
        "no padding of up to %d elements and no swizzle c ^ (r >> s & m) removes all conflicts%s",
        SMC_MOST_PADDING, query->row_elements ? "" : "; give the row's length with --row");
}

static void write_expression(const struct smc_banks_answer *answer, struct smc_text *out)
{
    const struct smc_banks_query *query = &answer->query;
    const struct smc_banks_pattern *pattern = answer->pattern;
    smc_layout_begin(out, SMC_STRONG);
    smc_layout_paragraph(out, "", 0, pattern->label, out->style->columns);
    smc_layout_end(out);
    smc_auto_text place = {0};
    smc_text_printf(&place, "%s of %u byte%s per lane, ", smc_words_bank_op(pattern->op),
                    pattern->width_bytes, smc_text_plural(pattern->width_bytes));
    smc_words_banks_place(answer, &place);
    smc_layout_paragraph(out, "", 0, smc_text_string(&place), out->style->columns);
    out->failed |= place.failed;
    banks_append_verdict(pattern, out);
    if (pattern->accesses && !pattern->unknown)
        append_picture(answer, pattern, out);
    banks_append_remedies(query, pattern, out);
}

static void append_row(const struct smc_banks_pattern *pattern, struct smc_text *out)
{
    uint32_t conflicts = pattern->total.wavefronts - pattern->total.least;
    smc_text_printf(out, "  %-*s %-5s %5u %8u %10u %7u %9u", LABEL_WIDTH, pattern->label,
                    smc_words_bank_op(pattern->op), pattern->width_bytes, pattern->accesses,
                    pattern->total.wavefronts, pattern->total.least, conflicts);
    smc_text_append(out, "\n");
}

static void banks_write_kernel(const struct smc_banks_answer *answer, struct smc_text *out)
{
    const struct smc_banks_query *query = &answer->query;
    const struct smc_banks_pattern *worst = &answer->pattern[answer->worst];
    struct smc_bank_cost total = {0};
    bool partly = false;
    smc_layout_words(out, SMC_STRONG, query->kernel->name);
    smc_text_append(out, ", ");
    smc_words_banks_place(answer, out);
    for (uint32_t i = 0; i < answer->pattern_count; i++) {
        smc_bank_cost_add(&total, answer->pattern[i].total);
        partly |= answer->pattern[i].steps > answer->pattern[i].steps_counted;
    }
    smc_text_append(out, "\n\n  ");
    smc_layout_begin(out, total.wavefronts == total.least ? SMC_GOOD : SMC_BAD);
    smc_words_bank_cost(total, out);
    smc_layout_end(out);
    smc_text_printf(out, "\n\n  %-*s %-5s %5s %8s %10s %7s %9s\n", LABEL_WIDTH, "access", "",
                    "bytes", "accesses", "wavefronts", "least", "conflicts");
    for (uint32_t i = 0; i < answer->pattern_count; i++)
        append_row(&answer->pattern[i], out);
    smc_auto_text remark = {0};
    smc_text_append(&remark, "Counted in the source, for all warps of a block");
    if (partly)
        smc_text_printf(&remark, ", in the first %d iterations of each loop", SMC_COUNTED_STEPS);
    smc_text_append(&remark, ".");
    smc_text_append(out, "\n");
    smc_layout_paragraph(out, "", 2, smc_text_string(&remark), out->style->columns);
    if (total.wavefronts == total.least)
        return;
    append_picture(answer, worst, out);
    banks_append_remedies(query, worst, out);
}

static void banks_write_tile(const struct smc_banks_answer *answer, struct smc_text *out)
{
    const struct smc_bank_cost total = smc_text_tile_heading(answer, out);
    smc_text_append(out, "\n  ");
    smc_layout_begin(out, total.wavefronts == total.least ? SMC_GOOD : SMC_BAD);
    smc_words_bank_cost(total, out);
    smc_layout_end(out);
    smc_text_append(out, "\n");
    smc_text_tile_accesses(answer, out);
    append_picture(answer, &answer->pattern[answer->worst], out);
    smc_text_tile_remedies(answer, out);
}

void smc_text_banks(const struct smc_banks_answer *answer, struct smc_text *out)
{
    if (answer->query.tile)
        banks_write_tile(answer, out);
    else if (answer->query.kernel)
        banks_write_kernel(answer, out);
    else
        write_expression(answer, out);
}

/* --- The conflicts of a run ------------------------------------------------------------------- */

/* "32,505,856". */
static void append_grouped(double value, struct smc_text *out)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%.0f", value);
    for (int i = 0; i < length; i++) {
        smc_text_append(out, i > 0 && (length - i) % 3 == 0 ? "," : "");
        smc_text_append_char(out, digits[i], 1);
    }
}

void smc_words_conflicts(const struct smc_conflict_fix *fix, struct smc_text *out)
{
    if (fix->conflicts <= 0)
        return;
    double percent = 100 * fix->conflicts / fix->wavefronts;
    smc_text_append(out, "; ");
    append_grouped(fix->conflicts, out);
    smc_text_printf(out, " bank conflict%s, ", fix->conflicts == 1 ? "" : "s");
    smc_text_printf(out, percent < 0.5 ? "<1" SMC_TIE "%%" : "%.0f" SMC_TIE "%%", percent);
    smc_text_append(out, " of the wavefronts");
}

/* "t_tile[x][y], aat_conflict.cu:30: pad each row of 32 elements by 1 element; or ...". */
static void append_fix(const struct smc_conflict_fix *fix, const char *file, struct smc_text *out)
{
    smc_auto_text change = {0};
    smc_text_append(out, fix->access);
    if (fix->line)
        smc_text_printf(out, "%s%s:%u", fix->access[0] ? ", " : "", fix->file[0] ? fix->file : file,
                        fix->line);
    if (fix->advice)
        smc_words_array_advice(fix->advice, true, true, &change);
    if (!fix->advice && fix->has_padding)
        smc_words_rearrangement(&fix->padding, &change);
    if (!fix->advice && fix->has_swizzle) {
        smc_text_append(&change, fix->has_padding ? "; or " : "");
        smc_words_rearrangement(&fix->swizzle, &change);
    }
    for (size_t i = 0; i < fix->variant_count; i++)
        smc_text_printf(&change, "%s%s%s", change.length && i == 0 ? "; " : "",
                        i == 0 ? "without conflicts: " : ", ", fix->variant[i]);
    if (change.length)
        smc_text_printf(out, ": %s", smc_text_string(&change));
}

void smc_text_conflict_fix(const struct smc_conflict_fix *fix, const char *file,
                           struct smc_text *out)
{
    struct smc_text line = {0};
    if (fix->conflicts <= 0)
        return;
    append_fix(fix, file, &line);
    smc_layout_line(out, "conflicts", &line);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *lanes_list(uint32_t lanes)
{
    json_t *list = json_array();
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++)
        if (lanes >> lane & 1)
            json_array_append_new(list, json_integer(lane));
    return list;
}

static json_t *addresses_list(const struct smc_access *access)
{
    json_t *list = json_array();
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
        bool active = access->mask >> lane & 1;
        json_array_append_new(list, active ? json_integer(access->address[lane]) : json_null());
    }
    return list;
}

static json_t *wavefront_object(const struct smc_bank_layout *layout,
                                const struct smc_wavefront *wavefront)
{
    json_t *object = json_object(), *banks = json_array();
    smc_json_set(object, "served_together", lanes_list(wavefront->set));
    for (uint32_t bank = 0; bank < layout->banks; bank++) {
        if (!wavefront->lanes[bank])
            continue;
        json_t *one = json_object();
        smc_json_integer(one, "bank", bank);
        smc_json_integer(one, "word", wavefront->word[bank]);
        smc_json_set(one, "lanes", lanes_list(wavefront->lanes[bank]));
        json_array_append_new(banks, one);
    }
    smc_json_set(object, "banks", banks);
    return object;
}

static json_t *worst_object(const struct smc_bank_layout *layout,
                            const struct smc_banks_pattern *pattern)
{
    if (!pattern->accesses)
        return json_null();
    json_t *object = json_object(), *list = json_array();
    smc_json_integer(object, "warp", pattern->worst_warp);
    smc_json_integer(object, "step", pattern->worst_step);
    smc_json_integer(object, "mask", pattern->worst.mask);
    smc_json_set(object, "addresses", addresses_list(&pattern->worst));
    smc_json_integer(object, "least_wavefronts", pattern->map.cost.least);
    for (uint32_t i = 0; i < pattern->map.cost.wavefronts; i++)
        json_array_append_new(list, wavefront_object(layout, &pattern->map.wavefront[i]));
    smc_json_set(object, "wavefronts", list);
    return object;
}

static json_t *rearrangement_object(bool found, const struct smc_rearrangement *change)
{
    if (!found)
        return json_null();
    json_t *object = json_object();
    smc_json_integer(object, "row_elements", row_elements(change));
    smc_json_integer(object, "padding_elements", change->padding_elements);
    smc_json_integer(object, "swizzle_span", change->swizzle_span);
    smc_json_integer(object, "swizzle_shift", change->swizzle_shift);
    return object;
}

static json_t *remedy_object(const struct smc_remedy *remedy)
{
    json_t *object = rearrangement_object(remedy->found, &remedy->rearrangement);
    if (remedy->found)
        smc_json_known_string(object, "expression", remedy->expression);
    return object;
}

static json_t *narrower_object(const struct smc_remedy *remedy)
{
    if (!remedy->found)
        return json_null();
    json_t *object = json_object();
    smc_json_integer(object, "row_elements", row_elements(&remedy->rearrangement));
    smc_json_known_string(object, "expression", remedy->expression);
    return object;
}

json_t *smc_json_conflicts(const struct smc_conflict_fix *fix)
{
    if (fix->conflicts <= 0)
        return json_null();
    json_t *object = json_object(), *variants = json_array();
    smc_auto_text advice = {0};
    if (fix->advice)
        smc_words_array_advice(fix->advice, true, true, &advice);
    smc_json_set(object, "count", smc_json_number(fix->conflicts));
    smc_json_real(object, "percent_of_wavefronts", 100 * fix->conflicts / fix->wavefronts);
    smc_json_known_integer(object, "line", fix->line);
    smc_json_known_string(object, "file", fix->file);
    smc_json_known_string(object, "access", fix->access);
    smc_json_set(object, "padding", rearrangement_object(fix->has_padding, &fix->padding));
    smc_json_set(object, "swizzle", rearrangement_object(fix->has_swizzle, &fix->swizzle));
    for (size_t i = 0; i < fix->variant_count; i++)
        json_array_append_new(variants, json_string(fix->variant[i]));
    smc_json_set(object, "kernels_without", variants);
    smc_json_known_string(object, "advice", smc_text_string(&advice));
    return object;
}

static json_t *access_object(const struct smc_banks_answer *answer,
                             const struct smc_banks_pattern *pattern)
{
    const struct access_row row = {answer, pattern};
    json_t *object = smc_fields_object(&access_fields, &row);
    smc_json_set(object, "worst", worst_object(&answer->layout, pattern));
    smc_json_set(object, "padding", remedy_object(padding_of(pattern)));
    smc_json_set(object, "narrower", narrower_object(&pattern->narrower));
    smc_json_set(object, "swizzle", remedy_object(&pattern->swizzle));
    return object;
}

void smc_json_banks(json_t *object, const struct smc_banks_answer *answer)
{
    const struct smc_banks_query *query = &answer->query;
    json_t *banks = json_object(), *block = json_array(), *list = json_array();
    smc_json_set(object, "device", smc_json_device(&query->device));
    for (int i = 0; i < 3; i++)
        json_array_append_new(block, json_integer(query->block[i]));
    smc_json_known_string(banks, "kernel", query->kernel ? query->kernel->name : NULL);
    smc_json_set(banks, "block", block);
    smc_json_integer(banks, "warps_per_block", answer->warps_per_block);
    smc_json_integer(banks, "count", answer->layout.banks);
    smc_json_integer(banks, "width_bytes", (uint64_t)answer->layout.neighbouring_words * 4);
    smc_json_set(object, "banks", banks);
    if (answer->query.tile)
        smc_json_tile(object, answer);
    for (uint32_t i = 0; i < answer->pattern_count; i++)
        json_array_append_new(list, access_object(answer, &answer->pattern[i]));
    smc_json_set(object, "accesses", list);
}

/* --- CSV -------------------------------------------------------------------------------------- */

void smc_csv_banks(const struct smc_banks_answer *answer, struct smc_text *out)
{
    smc_fields_csv_head(&access_fields, out);
    for (uint32_t i = 0; i < answer->pattern_count; i++) {
        const struct access_row row = {answer, &answer->pattern[i]};
        smc_fields_csv_row(&access_fields, &row, out);
    }
}
