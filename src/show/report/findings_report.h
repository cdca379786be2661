/* Findings of a check, as text, markdown, JUnit XML and SARIF. */
#ifndef SMC_SHOW_FINDINGS_REPORT_H
#define SMC_SHOW_FINDINGS_REPORT_H

#include "answers/judge_findings.h"
#include "base/text.h"

/* A line for each: "FILE:LINE: KERNEL on DEVICE: MESSAGE". */
void smc_lines_of_findings(const struct smc_findings *findings, struct smc_text *out);

/* A table for a comment on a pull request: errors first, notes folded below them. A comment that
   would be too long says how many it leaves out. */
void smc_markdown_findings(const struct smc_findings *findings, const char *title,
                           struct smc_text *out);
enum { SMC_LONGEST_COMMENT = 60000 }; /* bytes of `out`; GitHub refuses more than 65,536 */

/* Says how many rows a comment leaves out; nothing for 0. */
void smc_left_out(size_t rows, struct smc_text *out);

/* A suite for each file and a case for each kernel on a device: those that were judged, and those
   that a finding is about. Errors and warnings are failures; notes are the output of their case. */
void smc_junit_findings(const struct smc_findings *findings,
                        const struct smc_judgements *judgements, struct smc_text *out);

/* SARIF 2.1.0. Files below the current folder are named from there: run at the root of the
   repository, so that code scanning finds them. */
void smc_sarif_findings(const struct smc_findings *findings, struct smc_text *out);

#endif
