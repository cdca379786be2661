/* A growing text buffer, and text from files made safe for a terminal. */
#ifndef SMC_BASE_TEXT_H
#define SMC_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool smc_begins(const char *string, const char *start);
bool smc_contains(const char *string, const char *part);
bool smc_is_same(const char *string, const char *other);
/* Whether is_such(string, X) holds for any X of the list, which is an array, no pointer:
   SMC_ANY(smc_begins, path, folders). */
#define SMC_ANY(is_such, string, list) smc_any(is_such, string, list, sizeof(list) / sizeof *(list))
bool smc_any(bool (*is_such)(const char *string, const char *of_list), const char *string,
             const char *const *list, size_t count);
/* Whether so many bytes are the string. */
bool smc_equals(const char *bytes, size_t length, const char *string);
/* Of line feeds. */
size_t smc_count_lines(const char *bytes, size_t length);
/* Where the line of that number, from 1, begins; the end of the text if it has fewer. */
const char *smc_text_line(const char *text, uint32_t line);
/* Of pointers to strings, for qsort and bsearch. */
int smc_compare_strings(const void *a, const void *b);
/* False if the string is the suffix alone. */
bool smc_ends(const char *string, const char *suffix);
/* What follows the last '/' of a path. */
const char *smc_last_part(const char *path);

struct smc_report_style;

/* Start from {0}. `data` is NULL or ends in '\0'. After an allocation failure `failed` stays
   set and further appends do nothing, so one check at the end suffices. */
struct smc_text {
    char *data;
    size_t length;
    size_t capacity;
    bool failed;
    const struct smc_report_style *style; /* of a report: how it is laid out; not owned */
};

/* A local text that is freed where its scope ends: smc_auto_text line = {0}; */
#define smc_auto_text __attribute__((cleanup(smc_text_free))) struct smc_text

void smc_text_append(struct smc_text *text, const char *string);
void smc_text_append_bytes(struct smc_text *text, const char *bytes, size_t count);
void smc_text_cut(struct smc_text *text, size_t length); /* to its first bytes */
void smc_text_append_char(struct smc_text *text, char c, size_t times);
/* Appends what `to` does not contain, and frees `from`. `to` may be NULL. */
void smc_text_move_new(struct smc_text *from, struct smc_text *to);
/* Appends a quoted CSV field: in double quotes, with those inside doubled. */
void smc_text_append_quoted(struct smc_text *text, const char *bytes, size_t count);
/* Appends a word for a shell, in single quotes. */
void smc_text_append_shell_word(struct smc_text *text, const char *word);

void smc_text_printf(struct smc_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void smc_text_vprintf(struct smc_text *text, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* In a variadic function: formats its arguments into the array, truncated to its size. */
#define SMC_PRINT_TO(array, format)                                                                \
    do {                                                                                           \
        va_list arguments_of_format;                                                               \
        va_start(arguments_of_format, format);                                                     \
        vsnprintf(array, sizeof(array), format, arguments_of_format);                              \
        va_end(arguments_of_format);                                                               \
    } while (0)

/* The same as one line with a newline, made safe for a terminal whatever names it contains. */
void smc_text_safe_line(struct smc_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Like "%*.*s", but in terminal columns: `string` is truncated and padded to `width`, on the right
   if it is negative; characters are never split. */
void smc_text_cell(struct smc_text *text, const char *string, int width);

/* "" for 1, else "s": "%zu block%s". */
const char *smc_text_plural(uint64_t count);

/* The text so far, never NULL. Owned by the buffer. */
const char *smc_text_string(const struct smc_text *text);

/* Frees the memory and makes the buffer empty again; its style stays. */
void smc_text_free(struct smc_text *text);

/* --- UTF-8 ------------------------------------------------------------------------------------ */

/* UTF-8, and the columns that its characters occupy on a terminal, from the tables of utf8proc. */

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

/* How XML and HTML write '&', '<' and '>'; NULL: the character stands for itself. */
const char *smc_markup_entity(uint32_t character);

/* A file that is built in. embed.sh writes TEXT(file, bytes...) for each; define TEXT as this. */
struct smc_embedded_text {
    const char *file;
    size_t length;
    const char *text; /* a 0 behind it, which `length` does not count */
};
#define SMC_EMBEDDED_TEXT(file, ...)                                                               \
    {file, sizeof((const unsigned char[]){__VA_ARGS__}),                                           \
     (const void *)(const unsigned char[]){__VA_ARGS__, 0}},

/* NULL: no file of the list has this name. */
const struct smc_embedded_text *smc_embedded_find(const struct smc_embedded_text *list,
                                                  size_t count, const char *file);

#endif
