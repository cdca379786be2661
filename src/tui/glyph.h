/* Characters as a terminal shows them: reading UTF-8, columns taken, ASCII in their place. */
#ifndef SMC_TUI_GLYPH_H
#define SMC_TUI_GLYPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* Reads one character and moves `*text` behind it. What is no UTF-8, or would steer a terminal
   (control characters), is read as U+FFFD, a byte at a time. At the end of the string 0. */
uint32_t smc_glyph_next(const char **text);

/* Columns: 2 for East Asian wide characters and emoji, 0 for combining marks, else 1. */
int smc_glyph_columns(uint32_t glyph);

/* Columns of a whole string. */
int smc_glyph_string_columns(const char *text);

/* Writes UTF-8, without a '\0'; returns the bytes. */
size_t smc_glyph_encode(uint32_t glyph, char bytes[4]);

/* The character to show where the locale is not UTF-8: '+' for a corner, '#' for a block, '?' for
   what has no likeness, and for the right half of a wide character (0), which takes a column as
   well. ASCII stays as it is. */
char smc_glyph_ascii(uint32_t glyph);

/* A cell of a screen as text: UTF-8, where the right half of a wide character adds nothing, or
   ASCII. */
void smc_glyph_append(uint32_t glyph, bool utf8, struct smc_text *out);

#endif
