/* A cell of the screen as text: UTF-8, or the ASCII that stands for it. */
#ifndef SMC_TUI_GLYPH_H
#define SMC_TUI_GLYPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "base/utf8.h"

/* The character to show where the locale is not UTF-8: '+' for a corner, '#' for a block, '?' for
   what has no likeness, and for the right half of a wide character (0), which takes a column as
   well. ASCII stays as it is. */
char smc_glyph_ascii(uint32_t glyph);

/* A cell of a screen as text: UTF-8, where the right half of a wide character adds nothing, or
   ASCII. */
void smc_glyph_append(uint32_t glyph, bool utf8, struct smc_text *out);

#endif
