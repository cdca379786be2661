/* The tokens of C++ source: words, numbers, texts, marks and preprocessor directives, with their
   lines. Any bytes are accepted: what is not C++ becomes marks. */
#ifndef SMC_CODE_CPP_TOKENS_H
#define SMC_CODE_CPP_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum smc_cpp_token_kind {
    SMC_TOKEN_WORD, /* an identifier or keyword */
    SMC_TOKEN_NUMBER,
    SMC_TOKEN_STRING,    /* a string, raw string or character constant */
    SMC_TOKEN_MARK,      /* one character of punctuation, but "::" and "->" are one mark */
    SMC_TOKEN_DIRECTIVE, /* from '#' to the end of its last continued line */
    SMC_TOKEN_INACTIVE,  /* text between "#if 0" and its #else or #endif */
};

enum { SMC_NO_TOKEN = UINT32_MAX };

struct smc_cpp_token {
    enum smc_cpp_token_kind kind;
    uint32_t begin, end; /* bytes of the text; the end is exclusive */
    uint32_t line;       /* from 1 */
    uint32_t match;      /* the bracket that closes or opens this one; SMC_NO_TOKEN: none */
};

/* Start from {0}. Points into the text, which must live as long. */
struct smc_tokens {
    const char *text;
    struct smc_cpp_token *item;
    uint32_t count;
    size_t capacity;
};

/* Reads all tokens, and pairs the brackets. Where #else or #elif repeats brackets, those of the
   first branch count. At most 64 MiB of text. False: out of memory. */
enum { SMC_MAX_SOURCE_BYTES = 64 << 20 };
bool smc_tokens_read(const char *text, size_t length, struct smc_tokens *tokens);
void smc_tokens_free(struct smc_tokens *tokens);

/* Whether token `i` is the given word or mark. False beyond the last token. */
bool smc_token_is(const struct smc_tokens *tokens, uint32_t i, const char *text);
/* Whether it is one of the list, which is an array. */
#define SMC_TOKEN_IS_ANY(tokens, i, list)                                                          \
    smc_token_is_any(tokens, i, list, sizeof(list) / sizeof *(list))
bool smc_token_is_any(const struct smc_tokens *tokens, uint32_t i, const char *const *list,
                      size_t count);

/* The hash of a token's text, for sets of names. */
uint64_t smc_token_hash(const struct smc_tokens *tokens, uint32_t i);

/* If `i` is the '<' of a template's list, the index of its '>' before `end`; else SMC_NO_TOKEN. */
uint32_t smc_token_close_angle(const struct smc_tokens *tokens, uint32_t i, uint32_t end);

/* The name of a directive, such as "include", and where its text continues. Length 0: none. */
size_t smc_directive_name(const char *text, const struct smc_cpp_token *token, const char **name,
                          uint32_t *rest);

/* A set of names by their hashes. Start from {0}. */
struct smc_name_set {
    uint64_t *hash; /* 0: a free slot */
    size_t count, capacity;
    bool failed; /* out of memory: a name is missing */
};

/* True if the name is new. */
bool smc_name_set_add(struct smc_name_set *set, uint64_t hash);
bool smc_name_set_has(const struct smc_name_set *set, uint64_t hash);
void smc_name_set_free(struct smc_name_set *set);

#endif
