/* Bank conflicts in words: the verdict, a layout without them, the command that asks again. */
#ifndef SMC_REPORT_BANKS_WORDS_H
#define SMC_REPORT_BANKS_WORDS_H

#include "base/text.h"
#include "confirm/launch.h"
#include "query/banks.h"

/* "2 wavefronts where 1 would do: 1 conflict", "1 wavefront, the least possible". */
void smc_words_bank_cost(struct smc_bank_cost cost, struct smc_text *out);

/* "pad each row of 32 elements by 1 element", "in rows of 32 elements, put column c ...". */
void smc_words_rearrangement(const struct smc_rearrangement *rearrangement, struct smc_text *out);

/* The same for what was found for a pattern, which says where its rows cannot be what is padded. */
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

/* "; 15,872 bank conflicts, 50 % of the wavefronts", of a run; nothing where there are none. */
void smc_words_conflicts(const struct smc_conflict_fix *fix, struct smc_text *out);

/* "load" or "store". */
const char *smc_words_bank_op(enum smc_bank_op op);

#endif
