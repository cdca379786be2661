/* An array that a layout places, in words: the layout, what removes the conflicts of its accesses,
   the command that asks again; and the parts of its report. */
#ifndef SMC_SHOW_TILE_REPORT_H
#define SMC_SHOW_TILE_REPORT_H

#include <jansson.h>

#include "answers/banks_query.h"
#include "base/text.h"
#include "show/report/report.h"

/* "Swizzle<3,3,3> over (128,64):(64,1)". */
void smc_words_tile(const struct smc_tile *tile, struct smc_text *out);

/* "f16, 16384 bytes, CC 5.0 and later, 32 banks". */
void smc_words_tile_place(const struct smc_banks_answer *answer, struct smc_text *out);

/* "t[128][72], 8 unused elements after every 64: no conflict is left; all 7 smaller paddings
   leave one"; nothing where none was found. */
void smc_words_tile_padding(const struct smc_tile_remedy *remedy, struct smc_text *out);
void smc_words_tile_swizzle(const struct smc_tile_remedy *remedy, struct smc_text *out);

/* Where neither was found: how many were tried. */
void smc_words_tile_hopeless(const struct smc_banks_answer *answer, struct smc_text *out);

/* The same question about another array. For a paragraph: blanks outside quotes are ties. */
void smc_words_tile_command(const struct smc_banks_query *query, const struct smc_tile *tile,
                            struct smc_text *out);

/* The parts of the text; the heading returns the cost of all accesses. */
struct smc_bank_cost smc_text_tile_heading(const struct smc_banks_answer *answer,
                                           struct smc_text *out);
void smc_text_tile_accesses(const struct smc_banks_answer *answer, struct smc_text *out);
void smc_text_tile_remedies(const struct smc_banks_answer *answer, struct smc_text *out);

/* Adds "array". */
void smc_json_tile(json_t *object, const struct smc_banks_answer *answer);

#endif
