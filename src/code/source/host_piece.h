/* A piece of host code whose tokens are written out with arguments substituted. */
#ifndef SMC_CODE_HOST_PIECE_H
#define SMC_CODE_HOST_PIECE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "code/source_tree.h"

enum { SMC_PIECE_PARAMETERS = 24, SMC_PIECE_DEPTH = 16 };

/* A parameter and the text that replaces it. */
struct smc_binding {
    uint64_t hash;
    char *text; /* NULL: unknown */
};

/* A piece of host code: a function, a class, or the replacement of a macro. */
struct smc_piece {
    const struct smc_tokens *tokens;
    uint32_t begin, end;
    uint32_t head; /* the '(' of a function or the name of a class; SMC_NO_TOKEN: none */
    uint32_t body; /* the first token of code */
    size_t file;
    uint32_t line;  /* of a macro's use; 0: each token has its own */
    uint32_t scope; /* index of the namespace around it */
    struct smc_binding binding[SMC_PIECE_PARAMETERS];
    size_t count;
    const struct smc_source_tree *tree;
    size_t instance; /* of which it is a member: its number, from 1; 0: none */
};

/* The declaration in file `file` of the tree. */
struct smc_piece smc_piece_of(const struct smc_source_tree *tree, size_t file,
                              const struct smc_declaration *declaration);
void smc_piece_free_bindings(struct smc_piece *piece);

/* Of token `i`; false beyond the piece. `texts` ends with NULL. */
bool smc_piece_is(const struct smc_piece *piece, uint32_t i, const char *text);
bool smc_piece_is_any(const struct smc_piece *piece, uint32_t i, const char *const texts[]);
bool smc_piece_is_word(const struct smc_piece *piece, uint32_t i);

/* The bracket that matches the one at `i`; SMC_NO_TOKEN: none within the piece, or `i` is beyond.
 */
uint32_t smc_piece_match(const struct smc_piece *piece, uint32_t i);

/* The end of an initializer or of an argument: ',' or ';' outside brackets. */
uint32_t smc_piece_end_of_item(const struct smc_piece *piece, uint32_t i);

/* The last one of that name; NULL: it is not a parameter. */
const struct smc_binding *smc_piece_binding(const struct smc_piece *piece, uint64_t hash);

/* "a::b::" of the namespaces around a declaration; anonymous ones have no part. */
void smc_piece_write_scope(const struct smc_source_file *file, uint32_t parent,
                           struct smc_text *text);

/* Appends the tokens from `begin` to before `end`, with a blank between words. False: a parameter
   among them is unknown, constants lead from one to the next more than SMC_PIECE_DEPTH times, or
   the text is too long. `depth` is 0 at first. */
bool smc_piece_write(const struct smc_piece *piece, uint32_t begin, uint32_t end, int depth,
                     struct smc_text *text);

#endif
