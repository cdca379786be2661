/* Bank conflicts in words: the verdict, a layout without them, the command that asks again. */
#ifndef SMC_SHOW_BANKS_REPORT_H
#define SMC_SHOW_BANKS_REPORT_H

#include <jansson.h>

#include "show/report/report.h"

/* "2 wavefronts where 1 would do: 1 conflict", "1 wavefront, the least possible". */
void smc_words_bank_cost(struct smc_bank_cost cost, struct smc_text *out);

/* "pad each row of 32 elements by 1 element", "in rows of 32 elements, put column c ...". */
void smc_words_rearrangement(const struct smc_rearrangement *rearrangement, struct smc_text *out);

/* What removes the conflicts of a user's array, in the words of its declaration: "pad each row of
   64 half by 8 half: declare it t[16][72]; or in rows of 64 half, put the 16-byte chunk c ...".
   Nothing if nothing can be said. */
void smc_words_array_advice(const struct smc_array_advice *advice, bool padding, bool swizzle,
                            struct smc_text *out);

/* The same of what removes a pattern's conflicts. Where its rows cannot be padded, parts of them
   may be. */
void smc_words_remedy(const struct smc_banks_pattern *pattern, const struct smc_remedy *remedy,
                      struct smc_text *out);

/* "smemcalc banks --expr '(tx*33 + ty)*4' --block 32x8": the same question about a changed
   expression; NULL: about the query's kernel. For a paragraph: spaces outside the expression are
   ties. */
void smc_words_banks_command(const struct smc_banks_query *query, const char *expression,
                             struct smc_text *out);

/* "block 32x8, CC 5.0 and later, 32 banks": where the access is made. */
void smc_words_banks_place(const struct smc_banks_answer *answer, struct smc_text *out);

/* "echo 1,ld,4,ffffffff,0,128,... | smemcalc banks --csv -": one access, from whatever source. */
void smc_words_banks_row_command(const struct smc_banks_query *query,
                                 const struct smc_access *access, struct smc_text *out);

/* "; 15,872 bank conflicts, 50 % of the wavefronts", of a run; nothing if there are none. */
void smc_words_conflicts(const struct smc_conflict_fix *fix, struct smc_text *out);

/* "load" or "store". */
const char *smc_words_bank_op(enum smc_bank_op op);

/* --- An array that a layout places (tile_report.c) ----------------------------------------------
 */

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
