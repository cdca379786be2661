/* Two builds compared, in the forms that are not those of every report. */
#ifndef SMC_SHOW_DIFF_REPORT_H
#define SMC_SHOW_DIFF_REPORT_H

#include "answers/diff.h"
#include "answers/judge_findings.h"
#include "base/text.h"

/* "64 -> 65 registers: 4 -> 3 blocks per SM (100 % -> 75 %) at 256 threads". Nothing for kernels
   that are only in one build. */
void smc_words_difference(const struct smc_diff_pair *pair, struct smc_text *out);

/* Tables for a comment on a pull request: the worse kernels, and the others folded. A comment that
   would be too long says how many rows it leaves out. */
void smc_markdown_diff(const struct smc_diff *diff, struct smc_text *out);

/* A finding for each kernel and device that is worse: an error if it is in one of the `failing`
   changes (bit n: enum smc_diff_change n), else a warning; a note if a gate excuses all of it, and
   for each that is better, added, removed or renamed. Those in both builds count as judged; their
   texts are the diff's. False: out of memory. */
bool smc_diff_findings(const struct smc_diff *diff, uint32_t failing, struct smc_findings *findings,
                       struct smc_judgements *judgements);

#endif
