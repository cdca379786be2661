/* Findings of a check, as text, markdown, JUnit XML and SARIF. */
#ifndef SMC_REPORT_FINDINGS_H
#define SMC_REPORT_FINDINGS_H

#include "base/text.h"
#include "inspect/findings.h"

/* A line for each: "FILE:LINE: KERNEL on DEVICE: MESSAGE". */
void smc_lines_of_findings(const struct smc_findings *findings, struct smc_text *out);

/* A table for a comment on a pull request: errors first, notes folded below them. */
void smc_markdown_findings(const struct smc_findings *findings, struct smc_text *out);

/* A suite for each file and a case for each kernel on a device: those that were judged, and those
   that a finding is about. Errors and warnings are failures; notes are the output of their case. */
void smc_junit_findings(const struct smc_findings *findings,
                        const struct smc_judgements *judgements, struct smc_text *out);

/* SARIF 2.1.0. Files below the current folder are named from there: run at the root of the
   repository, so that code scanning finds them. */
void smc_sarif_findings(const struct smc_findings *findings, struct smc_text *out);

#endif
