/* What a person sets about banks: which fields there are, and what they show. */
#include "tui/bank_fields.h"

#include <inttypes.h>
#include <stdio.h>

#include "report/banks_words.h"

static bool applies(const struct smc_banks_state *banks, enum smc_bank_field field)
{
    switch (field) {
    case SMC_BANK_FIELD_EXPRESSION:
        return true;
    case SMC_BANK_FIELD_PADDING:
    case SMC_BANK_FIELD_SWIZZLE:
    case SMC_BANK_FIELD_WARP:
        return banks->answer.pattern_count > 0;
    case SMC_BANK_FIELD_ROW:
        return banks->answer.pattern_count > 0 && smc_banks_is_own(banks);
    case SMC_BANK_FIELD_TURN:
        return banks->answer.pattern_count > 0 && smc_banks_shown(banks)->steps > 1;
    case SMC_BANK_FIELD_MODE:
        return banks->launch.device.sm.bank_width_bytes == 8;
    default:
        return smc_banks_is_own(banks);
    }
}

size_t smc_bank_fields_shown(const struct smc_banks_state *banks,
                             enum smc_bank_field list[SMC_BANK_FIELD_COUNT])
{
    size_t count = 0;
    for (int field = 0; field < SMC_BANK_FIELD_COUNT; field++)
        if (applies(banks, (enum smc_bank_field)field))
            list[count++] = (enum smc_bank_field)field;
    return count;
}

static void show_padding(const struct smc_banks_state *banks, struct smc_field_view *view)
{
    struct smc_rearrangement layout;
    uint32_t padding = banks->choice.array[smc_banks_shown(banks)->array].padding_elements;
    smc_banks_arrange(banks, smc_banks_shown(banks)->array, padding, false, &layout);
    view->given = padding > 0;
    snprintf(view->value, sizeof view->value, "%" PRIu32, padding);
    snprintf(view->source, sizeof view->source, "rows of %" PRIu32, layout.row_elements);
}

static void show_swizzle(const struct smc_banks_state *banks, struct smc_field_view *view)
{
    struct smc_rearrangement layout;
    view->given = banks->choice.array[smc_banks_shown(banks)->array].swizzled;
    smc_banks_arrange(banks, smc_banks_shown(banks)->array, 0, true, &layout);
    snprintf(view->value, sizeof view->value, "%s", view->given ? "on" : "off");
    if (layout.swizzle_span == 0)
        snprintf(view->source, sizeof view->source, "rows are odd");
    else if (layout.swizzle_shift)
        snprintf(view->source, sizeof view->source, "c ^ (r >> %" PRIu32 " & %" PRIu32 ")",
                 layout.swizzle_shift, layout.swizzle_span - 1);
    else
        snprintf(view->source, sizeof view->source, "c ^ (r & %" PRIu32 ")",
                 layout.swizzle_span - 1);
}

static void show_block(const uint32_t block[3], struct smc_field_view *view)
{
    int used = snprintf(view->value, sizeof view->value, "%" PRIu32, block[0]);
    int last = block[2] > 1 ? 2 : block[1] > 1 ? 1 : 0;
    for (int i = 1; i <= last; i++)
        used +=
            snprintf(view->value + used, sizeof view->value - (size_t)used, "x%" PRIu32, block[i]);
    snprintf(view->source, sizeof view->source, "%" PRIu32 " threads",
             block[0] * block[1] * block[2]);
}

static void show_row(const struct smc_banks_state *banks, struct smc_field_view *view)
{
    uint32_t row = banks->choice.row_elements;
    view->given = row > 0;
    snprintf(view->value, sizeof view->value, "%" PRIu32,
             row ? row : smc_banks_shown(banks)->row_elements);
    snprintf(view->source, sizeof view->source, "%s", row ? "" : "found");
}

void smc_bank_field_show(const struct smc_banks_state *banks, enum smc_bank_field field,
                         struct smc_field_view *view)
{
    static const char *const labels[] = {
#define BANK_FIELD(id, label) [SMC_BANK_FIELD_##id] = label,
#include "tui/bank_fields.def"
#undef BANK_FIELD
    };
    const struct smc_banks_choice *choice = &banks->choice;
    *view = (struct smc_field_view){.label = labels[field]};
    switch (field) {
    case SMC_BANK_FIELD_PADDING:
        show_padding(banks, view);
        break;
    case SMC_BANK_FIELD_SWIZZLE:
        show_swizzle(banks, view);
        break;
    case SMC_BANK_FIELD_WARP:
        view->given = choice->placed;
        snprintf(view->value, sizeof view->value, "%" PRIu32, banks->warp);
        snprintf(view->source, sizeof view->source, "of %" PRIu32 "%s",
                 banks->answer.warps_per_block, choice->placed ? "" : ", worst");
        break;
    case SMC_BANK_FIELD_TURN:
        view->given = choice->placed;
        snprintf(view->value, sizeof view->value, "%" PRIu32, banks->turn);
        snprintf(view->source, sizeof view->source, "of %" PRIu32, smc_banks_shown(banks)->steps);
        break;
    case SMC_BANK_FIELD_EXPRESSION:
        view->given = smc_banks_is_own(banks);
        snprintf(view->value, sizeof view->value, "%.127s",
                 view->given ? choice->expression : "the kernel's");
        break;
    case SMC_BANK_FIELD_BLOCK:
        show_block(choice->block, view);
        break;
    case SMC_BANK_FIELD_WIDTH:
        snprintf(view->value, sizeof view->value, "%" PRIu32 " B", choice->width_bytes);
        snprintf(view->source, sizeof view->source, "a lane");
        break;
    case SMC_BANK_FIELD_ACCESS:
        snprintf(view->value, sizeof view->value, "%s", smc_words_bank_op(choice->op));
        break;
    case SMC_BANK_FIELD_ROW:
        show_row(banks, view);
        break;
    case SMC_BANK_FIELD_MODE:
        snprintf(view->value, sizeof view->value, "%d B",
                 choice->mode == SMC_BANK_MODE_8_BYTES ? 8 : 4);
        break;
    case SMC_BANK_FIELD_COUNT:
        break;
    }
}
