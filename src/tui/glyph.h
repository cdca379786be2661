/* Characters as a terminal shows them: reading UTF-8, columns taken, ASCII in their place. */
#ifndef SMC_TUI_GLYPH_H
#define SMC_TUI_GLYPH_H

#include <stddef.h>
#include <stdint.h>

/* Reads one character and moves `*text` behind it. What is no UTF-8, or would steer a terminal
   (control characters), is read as U+FFFD, a byte at a time. At the end of the string 0. */
uint32_t smc_glyph_next(const char **text);

/* Columns: 2 for East Asian wide ones and emoji, 0 for combining marks, else 1. The ranges are
   those of Unicode 15's EastAsianWidth.txt (W and F) and general categories Mn, Me and Cf,
   coarsely: blocks that are nearly all of one kind count as a whole. */
int smc_glyph_columns(uint32_t glyph);

/* Columns of a whole string. */
int smc_glyph_string_columns(const char *text);

/* Writes UTF-8, without a '\0'; returns the bytes. */
size_t smc_glyph_encode(uint32_t glyph, char bytes[4]);

/* The character to show where the locale is not UTF-8: '+' for a corner, '#' for a block, '?' for
   what has no likeness. ASCII stays as it is. */
char smc_glyph_ascii(uint32_t glyph);

#endif
