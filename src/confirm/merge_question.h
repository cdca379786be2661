/* What a report was asked: everything that tells one run from another but the machine. */
#ifndef SMC_MERGE_QUESTION_H
#define SMC_MERGE_QUESTION_H

#include <jansson.h>

#include "base/text.h"

enum { SMC_LONGEST_QUESTION = 4096 };

/* Appends "matmul-tiled: tile 32, seed 1": equal texts for equal questions, in whatever order the
   members stand. What a compiler or a device decides is no part of it. */
void smc_merge_question(const json_t *report, struct smc_text *out);

#endif
