/* Bank conflicts in words. */
#include "report/banks_words.h"

#include <inttypes.h>

#include "base/program.h"
#include "report/layout.h"
#include "report/words.h"

const char *smc_words_bank_op(enum smc_bank_op op)
{
    return op == SMC_BANK_LOAD ? "load" : "store";
}

static void append_count(struct smc_text *out, uint32_t count, const char *noun)
{
    smc_text_printf(out, "%u %s%s", count, noun, count == 1 ? "" : "s");
}

void smc_words_bank_cost(struct smc_bank_cost cost, struct smc_text *out)
{
    append_count(out, cost.wavefronts, "wavefront");
    if (cost.wavefronts == cost.least) {
        smc_text_append(out, cost.wavefronts ? ", the least possible: no conflict" : "");
        return;
    }
    smc_text_printf(out, " where %u would do: ", cost.least);
    append_count(out, cost.wavefronts - cost.least, "conflict");
}

void smc_words_rearrangement(const struct smc_rearrangement *rearrangement, struct smc_text *out)
{
    if (rearrangement->dropped_elements) {
        smc_text_printf(out, "rows of %u elements, without the padding",
                        rearrangement->row_elements - rearrangement->dropped_elements);
        return;
    }
    if (rearrangement->padding_elements) {
        smc_text_printf(out, "pad each row of %u elements by ", rearrangement->row_elements);
        append_count(out, rearrangement->padding_elements, "element");
        return;
    }
    smc_text_printf(out, "in rows of %u elements, put column c of row r at c ^ (r",
                    rearrangement->row_elements);
    if (rearrangement->swizzle_shift)
        smc_text_printf(out, " >> %u", rearrangement->swizzle_shift);
    smc_text_printf(out, " & %u)", rearrangement->swizzle_span - 1);
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
        append_count(out, change->padding_elements, "element");
        smc_text_printf(out, " unused after every %u", change->row_elements);
        return;
    }
    smc_words_rearrangement(change, out);
}

/* Lines break within the expression only, where the shell takes a line end as part of it. */
#define OPTION(name) SMC_TIE "--" name SMC_TIE

static void append_shape(const uint32_t block[3], struct smc_text *out)
{
    smc_text_printf(out, "%u", block[0]);
    if (block[1] > 1 || block[2] > 1)
        smc_text_printf(out, "x%u", block[1]);
    if (block[2] > 1)
        smc_text_printf(out, "x%u", block[2]);
}

static void append_block(const struct smc_banks_query *query, struct smc_text *out)
{
    const uint32_t *block = query->block;
    bool usual = block[0] == SMC_WARP_LANES && block[1] == 1 && block[2] == 1;
    if (usual)
        return;
    smc_text_append(out, OPTION("block"));
    append_shape(block, out);
}

/* What the device has a say in. */
static void append_device(const struct smc_banks_query *query, struct smc_text *out)
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
    append_shape(query->block, out);
    if (query->device_assumed)
        smc_text_append(out, ", CC 5.0 and later");
    else
        smc_text_printf(out, ", CC %u.%u", cc / 10, cc % 10);
    smc_text_printf(out, ", %u banks", answer->layout.banks);
    if (query->device.sm.bank_width_bytes > 4)
        smc_text_printf(out, " of %u bytes, %u-byte mode", query->device.sm.bank_width_bytes,
                        answer->layout.neighbouring_words * 4);
}

static void append_expression(const struct smc_banks_query *query, const char *expression,
                              struct smc_text *out)
{
    smc_text_printf(out, OPTION("expr") "'%s'", expression);
    append_block(query, out);
    if (query->width_bytes != 4)
        smc_text_printf(out, OPTION("width") "%u", query->width_bytes);
    if (query->op == SMC_BANK_STORE)
        smc_text_append(out, SMC_TIE "--store");
}

void smc_words_banks_command(const struct smc_banks_query *query, const char *expression,
                             struct smc_text *out)
{
    smc_text_printf(out, "%s" SMC_TIE "banks", smc_program_name());
    if (expression) {
        append_expression(query, expression, out);
    } else {
        smc_text_append(out, " ");
        smc_words_options(&query->params, query->kernel->name, out);
    }
    if (query->warp >= 0)
        smc_text_printf(out, OPTION("warp") "%d", query->warp);
    if (query->mask != SMC_ALL_LANES)
        smc_text_printf(out, OPTION("mask") "%" PRIx32, query->mask);
    append_device(query, out);
}

void smc_words_banks_row_command(const struct smc_banks_query *query,
                                 const struct smc_access *access, struct smc_text *out)
{
    smc_text_printf(out, "echo 1,%s,%u,%" PRIx32, access->op == SMC_BANK_LOAD ? "ld" : "st",
                    access->width_bytes, access->mask);
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
        smc_text_append(out, ",");
        if (access->mask >> lane & 1)
            smc_text_printf(out, "%" PRIu32, access->address[lane]);
    }
    smc_text_printf(out, " | %s" SMC_TIE "banks" OPTION("csv") "-", smc_program_name());
    append_device(query, out);
}
