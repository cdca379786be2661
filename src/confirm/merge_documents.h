/* A text of several JSON documents, one behind the other, cut into them without reading any: what
   is wrong with one hides none of the others. And what is no such text. */
#ifndef SMC_MERGE_DOCUMENTS_H
#define SMC_MERGE_DOCUMENTS_H

#include <stdbool.h>
#include <stddef.h>

enum { SMC_DEEPEST_DOCUMENT = 32, SMC_LARGEST_DOCUMENT_MIB = 16 };

/* Where the next one is looked for. Start from {.text, .length, .line = 1}; a byte order mark is
   skipped. */
struct smc_documents {
    const char *text;
    size_t length;
    size_t at, line;
    size_t unclosed; /* documents so far whose brackets do not close */
};

struct smc_document {
    const char *text;
    size_t length;
    size_t line;   /* it begins on, from 1 */
    bool too_deep; /* more brackets within each other than SMC_DEEPEST_DOCUMENT */
};

/* "compressed by gzip", "UTF-16", ...: what the bytes are, where they cannot be JSON at all; else
   NULL. */
const char *smc_documents_foreign(const char *text, size_t length);

/* False where there are no more. What begins with no bracket is a document up to the end of its
   line; one whose brackets do not close ends before the next line that begins with a brace. */
bool smc_documents_next(struct smc_documents *documents, struct smc_document *out);

#endif
