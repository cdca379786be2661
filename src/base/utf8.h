/* UTF-8, and the columns that its characters occupy on a terminal, from the tables of utf8proc. */
#ifndef SMC_BASE_UTF8_H
#define SMC_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Reads one character and moves `*text` past it. A byte that is not UTF-8, or that would control a
   terminal (C0, DEL, C1), is read as U+FFFD. 0 at the end of the string. */
uint32_t smc_utf8_next(const char **text);

/* 2 for East Asian wide characters and emoji, 0 for combining marks and format characters, else 1.
 */
int smc_utf8_columns(uint32_t character);
int smc_utf8_string_columns(const char *text);

/* The length in bytes of the longest beginning of `text` that fits into `width` columns: whole
   characters, with the combining marks that follow. */
size_t smc_utf8_fit(const char *text, int width);

/* Writes UTF-8 without a '\0'; returns the number of bytes. */
size_t smc_utf8_encode(uint32_t character, char bytes[4]);

/* Replaces, in place, control characters (C0, DEL, C1 in UTF-8), those that change the direction of
   text (U+202A to U+202E, U+2066 to U+2069) and broken UTF-8 by '?', byte by byte. */
void smc_utf8_make_safe(char *string);

/* The same for unchanged CSV fields: keeps tabs, line feeds, and carriage returns before line
   feeds. */
void smc_utf8_make_safe_csv(char *bytes, size_t length);

#endif
