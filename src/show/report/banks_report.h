/* Bank conflicts in words: the verdict, a layout without them, the command that asks again. */
#ifndef SMC_SHOW_BANKS_REPORT_H
#define SMC_SHOW_BANKS_REPORT_H

#include "answers/banks_query.h"
#include "base/text.h"
#include "hardware/confirmed_launch.h"

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

#endif
