/* A growing text buffer, and text from files made safe for a terminal. */
#include "base/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

bool smc_begins(const char *string, const char *start)
{
    return strncmp(string, start, strlen(start)) == 0;
}

bool smc_contains(const char *string, const char *part)
{
    return strstr(string, part) != NULL;
}

bool smc_is_same(const char *string, const char *other)
{
    return strcmp(string, other) == 0;
}

bool smc_any(bool (*is_such)(const char *string, const char *of_list), const char *string,
             const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_such(string, list[i]))
            return true;
    return false;
}

bool smc_equals(const char *bytes, size_t length, const char *string)
{
    return strlen(string) == length && memcmp(bytes, string, length) == 0;
}

size_t smc_count_lines(const char *bytes, size_t length)
{
    size_t lines = 0;
    for (size_t i = 0; i < length; i++)
        lines += bytes[i] == '\n';
    return lines;
}

const char *smc_text_line(const char *text, uint32_t line)
{
    for (; *text && line > 1; line--) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return text;
}

int smc_compare_strings(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool smc_ends(const char *string, const char *suffix)
{
    size_t length = strlen(string), end = strlen(suffix);
    return length > end && strcmp(string + length - end, suffix) == 0;
}

const char *smc_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool text_reserve(struct smc_text *text, size_t extra)
{
    if (text->failed)
        return false;
    if (extra > SIZE_MAX / 2 - text->length) {
        text->failed = true;
        return false;
    }
    size_t needed = text->length + extra + 1;
    if (needed <= text->capacity)
        return true;
    size_t capacity = text->capacity ? text->capacity : 256;
    while (capacity < needed)
        capacity *= 2;
    char *data = smc_realloc(text->data, capacity);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void smc_text_append_bytes(struct smc_text *text, const char *bytes, size_t count)
{
    if (!text_reserve(text, count))
        return;
    memcpy(text->data + text->length, bytes, count);
    text->length += count;
    text->data[text->length] = '\0';
}

void smc_text_append(struct smc_text *text, const char *string)
{
    smc_text_append_bytes(text, string, strlen(string));
}

void smc_text_move_new(struct smc_text *from, struct smc_text *to)
{
    if (to && from->length > 0 && !strstr(smc_text_string(to), smc_text_string(from)))
        smc_text_append(to, smc_text_string(from));
    smc_text_free(from);
}

void smc_text_cut(struct smc_text *text, size_t length)
{
    if (length >= text->length)
        return;
    text->length = length;
    text->data[length] = '\0';
}

void smc_text_append_char(struct smc_text *text, char c, size_t times)
{
    if (!text_reserve(text, times))
        return;
    memset(text->data + text->length, c, times);
    text->length += times;
    text->data[text->length] = '\0';
}

void smc_text_append_quoted(struct smc_text *text, const char *bytes, size_t count)
{
    smc_text_append_char(text, '"', 1);
    for (size_t i = 0; i < count; i++)
        smc_text_append_char(text, bytes[i], bytes[i] == '"' ? 2 : 1);
    smc_text_append_char(text, '"', 1);
}

void smc_text_append_shell_word(struct smc_text *text, const char *word)
{
    smc_text_append_char(text, '\'', 1);
    for (; *word; word++)
        smc_text_append_bytes(text, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
    smc_text_append_char(text, '\'', 1);
}

void smc_text_vprintf(struct smc_text *text, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int count = vsnprintf(NULL, 0, format, args);
    if (count < 0)
        text->failed = true;
    else if (text_reserve(text, (size_t)count)) {
        vsnprintf(text->data + text->length, (size_t)count + 1, format, again);
        text->length += (size_t)count;
    }
    va_end(again);
}

void smc_text_printf(struct smc_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    smc_text_vprintf(text, format, args);
    va_end(args);
}

void smc_text_safe_line(struct smc_text *text, const char *format, ...)
{
    size_t start = text->length;
    va_list args;
    va_start(args, format);
    smc_text_vprintf(text, format, args);
    va_end(args);
    if (text->failed)
        return;
    smc_utf8_make_safe(text->data + start);
    text->length = start + strlen(text->data + start);
    smc_text_append(text, "\n");
}

void smc_text_cell(struct smc_text *text, const char *string, int width)
{
    int most = width < 0 ? -width : width;
    size_t length = smc_utf8_fit(string, most), start = text->length;
    smc_text_append_bytes(text, string, length);
    if (text->failed)
        return;
    size_t blanks = (size_t)(most - smc_utf8_string_columns(text->data + start));
    smc_text_append_char(text, ' ', blanks);
    if (width < 0 || text->failed)
        return;
    memmove(text->data + start + blanks, text->data + start, length);
    memset(text->data + start, ' ', blanks);
}

const char *smc_text_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

const char *smc_text_string(const struct smc_text *text)
{
    return text->data ? text->data : "";
}

void smc_text_free(struct smc_text *text)
{
    free(text->data);
    *text = (struct smc_text){.style = text->style};
}

const struct smc_embedded_text *smc_embedded_find(const struct smc_embedded_text *list,
                                                  size_t count, const char *file)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].file, file) == 0)
            return &list[i];
    return NULL;
}

const char *smc_markup_entity(uint32_t character)
{
    return character == '&'   ? "&amp;"
           : character == '<' ? "&lt;"
           : character == '>' ? "&gt;"
                              : NULL;
}
