/* A text of several JSON documents, cut into them. */
#include "confirm/merge_documents.h"

#include <string.h>

enum {
    /* Each is looked through to the end of the text: beyond so many the rest counts as one. */
    MOST_UNCLOSED = 16,
    /* A text shows what it is by then. */
    LOOKED_AT = 512,
};

static const char mark[] = "\xEF\xBB\xBF"; /* of a text in UTF-8 */

static const struct {
    const char *name;
    size_t length;
    const char *bytes;
} beginnings[] = {
    {"compressed by gzip", 2, "\x1f\x8b"},
    {"compressed by zstd", 4, "\x28\xb5\x2f\xfd"},
    {"compressed by xz", 6,
     "\xfd"
     "7zXZ"},
    {"compressed by bzip2", 3, "BZh"},
    {"a ZIP archive", 4, "PK\x03\x04"},
    {"UTF-16", 2, "\xff\xfe"},
    {"UTF-16", 2, "\xfe\xff"},
    {"UTF-16", 2, "{\0"},
    {"UTF-16", 2, "[\0"},
};

static bool is_control(char c)
{
    return (unsigned char)c < ' ' && !strchr("\t\n\f\r", c);
}

/* JSON has no control characters. But behind a bracket the fault may be that of one document, if
   it is not of a kind that no text has. */
const char *smc_documents_foreign(const char *text, size_t length)
{
    size_t looked_at = length < LOOKED_AT ? length : LOOKED_AT;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (length >= beginnings[i].length &&
            memcmp(text, beginnings[i].bytes, beginnings[i].length) == 0)
            return beginnings[i].name;
    bool bracket = length > 0 && (*text == '{' || *text == '[');
    for (size_t i = 0; i < looked_at; i++)
        if (text[i] == '\0' || (!bracket && is_control(text[i])))
            return "not text";
    return NULL;
}

/* The bytes of the document at `text`, by its brackets; 0 where they do not close. */
static size_t measure(const char *text, size_t length, bool *too_deep)
{
    size_t depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < length; i++) {
        if (quoted) {
            quoted = text[i] != '"';
            i += text[i] == '\\'; /* whatever follows it */
        } else if (text[i] == '"') {
            quoted = true;
        } else if (text[i] == '{' || text[i] == '[') {
            *too_deep |= ++depth > SMC_DEEPEST_DOCUMENT;
        } else if ((text[i] == '}' || text[i] == ']') && --depth == 0) {
            return i + 1;
        }
    }
    return 0;
}

/* Up to the next line that begins with `first`, or with anything where it is 0. */
static size_t up_to_line(const char *text, size_t length, char first)
{
    for (size_t i = 1; i < length; i++)
        if (text[i - 1] == '\n' && (!first || text[i] == first))
            return i;
    return length;
}

static size_t count_lines(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += text[i] == '\n';
    return count;
}

bool smc_documents_next(struct smc_documents *documents, struct smc_document *out)
{
    const char *text = documents->text;
    if (documents->at == 0 && documents->length >= sizeof mark - 1 &&
        memcmp(text, mark, sizeof mark - 1) == 0)
        documents->at = sizeof mark - 1;
    while (documents->at < documents->length && strchr(" \t\r\n", text[documents->at]) &&
           text[documents->at])
        documents->line += text[documents->at++] == '\n';
    *out = (struct smc_document){.text = text + documents->at, .line = documents->line};
    size_t rest = documents->length - documents->at;
    if (rest == 0)
        return false;
    bool bracket = *out->text == '{' || *out->text == '[';
    if (bracket)
        out->length = measure(out->text, rest, &out->too_deep);
    if (bracket && out->length == 0 && documents->unclosed++ >= MOST_UNCLOSED)
        out->length = rest;
    if (out->length == 0)
        out->length = up_to_line(out->text, rest, bracket ? '{' : '\0');
    documents->at += out->length;
    documents->line += count_lines(out->text, out->length);
    return true;
}
