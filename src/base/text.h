/* A growing text buffer, and text from files made safe for a terminal. */
#ifndef SMC_BASE_TEXT_H
#define SMC_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Start from {0}. `data` is NULL or ends in '\0'. After an allocation failure `failed` stays
   set and further appends do nothing, so one check at the end suffices. */
struct smc_text {
    char *data;
    size_t length;
    size_t capacity;
    bool failed;
};

void smc_text_append(struct smc_text *text, const char *string);
void smc_text_append_bytes(struct smc_text *text, const char *bytes, size_t count);
void smc_text_cut(struct smc_text *text, size_t length); /* to its first bytes */
void smc_text_append_char(struct smc_text *text, char c, size_t times);
/* Appends a quoted CSV field: in double quotes, with those inside doubled. */
void smc_text_append_quoted(struct smc_text *text, const char *bytes, size_t count);
/* Appends a word for a shell, in single quotes. */
void smc_text_append_shell_word(struct smc_text *text, const char *word);

void smc_text_printf(struct smc_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

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

/* Frees the memory and makes the buffer empty again. */
void smc_text_free(struct smc_text *text);

#endif
