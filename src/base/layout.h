/* Laying plain text out in columns: wrapped paragraphs, bars, percentages. */
#ifndef SMC_BASE_LAYOUT_H
#define SMC_BASE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* In a paragraph: a space at which no line is broken, between a number and its unit. */
#define SMC_TIE "\x1f"

/* `label`, then `text` from column `indent` on, wrapped at `columns`. A label that leaves no gap
   stands on a line of its own. Ends in a newline. */
void smc_layout_paragraph(struct smc_text *out, const char *label, size_t indent, const char *text,
                          size_t columns);

/* `share` from 0 to 1 of `width` characters: blocks in UTF-8, '#' and '.' in ASCII. */
void smc_layout_bar(struct smc_text *out, double share, unsigned width, bool utf8);

/* "100 %", "62.5 %" with a tie, for a paragraph: one decimal where it is not 0. */
void smc_layout_percent(struct smc_text *out, double percent);

#endif
