/* Laying plain text out in columns: wrapped paragraphs, bars, percentages. */
#ifndef SMC_SHOW_PARAGRAPHS_H
#define SMC_SHOW_PARAGRAPHS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* A non-breaking space in a paragraph, for use between a number and its unit. */
#define SMC_TIE "\x1f"

/* Appends `label`, then `text` from column `indent` on, wrapped at `columns`. A label that leaves
   no gap gets a line of its own. Ends in a newline. */
void smc_layout_paragraph(struct smc_text *out, const char *label, size_t indent, const char *text,
                          size_t columns);

/* A bar that fills `share` (0 to 1) of `width` characters: blocks in UTF-8, '#' and '.' in
   ASCII. */
void smc_layout_bar(struct smc_text *out, double share, unsigned width, bool utf8);

/* "100 %", "62.5 %" with SMC_TIE, for a paragraph: one decimal unless it is 0. */
void smc_layout_percent(struct smc_text *out, double percent);

#endif
