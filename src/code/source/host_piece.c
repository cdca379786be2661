#include "code/source/host_piece.h"

#include <stdlib.h>

struct smc_piece smc_piece_of(const struct smc_source_tree *tree, size_t file,
                              const struct smc_declaration *declaration)
{
    return (struct smc_piece){
        .tree = tree,
        .tokens = &tree->file[file].tokens,
        .begin = declaration->begin,
        .end = declaration->end,
        .head = declaration->kind == SMC_DECLARE_FUNCTION ? declaration->parameters
                : declaration->kind == SMC_DECLARE_CLASS  ? declaration->name
                                                          : SMC_NO_TOKEN,
        .body = declaration->body != SMC_NO_TOKEN ? declaration->body : declaration->begin,
        .file = file,
        .scope = declaration->parent};
}

void smc_piece_free_bindings(struct smc_piece *piece)
{
    for (size_t i = 0; i < piece->count; i++)
        free(piece->binding[i].text);
    piece->count = 0;
}

bool smc_piece_is(const struct smc_piece *piece, uint32_t i, const char *text)
{
    return i < piece->end && smc_token_is(piece->tokens, i, text);
}

bool smc_piece_is_any(const struct smc_piece *piece, uint32_t i, const char *const texts[])
{
    while (*texts && !smc_piece_is(piece, i, *texts))
        texts++;
    return *texts != NULL;
}

bool smc_piece_is_word(const struct smc_piece *piece, uint32_t i)
{
    return i < piece->end && piece->tokens->item[i].kind == SMC_TOKEN_WORD;
}

uint32_t smc_piece_match(const struct smc_piece *piece, uint32_t i)
{
    uint32_t match = i < piece->end ? piece->tokens->item[i].match : SMC_NO_TOKEN;
    return match != SMC_NO_TOKEN && match < piece->end ? match : SMC_NO_TOKEN;
}

const struct smc_binding *smc_piece_binding(const struct smc_piece *piece, uint64_t hash)
{
    for (size_t i = piece->count; i-- > 0;)
        if (piece->binding[i].hash == hash)
            return &piece->binding[i];
    return NULL;
}

uint32_t smc_piece_end_of_item(const struct smc_piece *piece, uint32_t i)
{
    for (; i < piece->end && !smc_piece_is(piece, i, ",") && !smc_piece_is(piece, i, ";"); i++) {
        uint32_t angle = smc_token_close_angle(piece->tokens, i, piece->end);
        if (angle != SMC_NO_TOKEN) {
            i = angle;
            continue;
        }
        bool opens = smc_piece_is(piece, i, "(") || smc_piece_is(piece, i, "[") ||
                     smc_piece_is(piece, i, "{");
        if (opens && smc_piece_match(piece, i) != SMC_NO_TOKEN)
            i = smc_piece_match(piece, i);
    }
    return i;
}

/* The value of a name that is declared in the function before its use. */
struct local {
    uint32_t begin, end; /* tokens */
    bool is_type;
};

/* The first token of the statement that token `i` is in. */
static uint32_t begin_of_statement(const struct smc_piece *piece, uint32_t i)
{
    while (i > piece->begin && !smc_piece_is(piece, i - 1, ";") &&
           !smc_piece_is(piece, i - 1, "{") && !smc_piece_is(piece, i - 1, "}"))
        i--;
    return i;
}

/* "using T = ...;", "typedef ... T;" or "constexpr int N = ...;" if it declares the name at `i`. */
static bool read_local(const struct smc_piece *piece, uint32_t i, struct local *local)
{
    if (smc_piece_is(piece, i + 1, ";")) {
        uint32_t begin = begin_of_statement(piece, i);
        *local = (struct local){begin + 1, i, true};
        return i > begin + 1 && smc_piece_is(piece, begin, "typedef");
    }
    if (!smc_piece_is(piece, i + 1, "=") || smc_piece_is(piece, i + 2, "="))
        return false;
    for (uint32_t k = i; k-- > piece->begin && i - k <= 6;) {
        if (smc_piece_is(piece, k, ";") || smc_piece_is(piece, k, "{") ||
            smc_piece_is(piece, k, "}"))
            break;
        bool is_type = smc_piece_is(piece, k, "using") && k + 1 == i;
        if (!is_type && !smc_piece_is(piece, k, "const") && !smc_piece_is(piece, k, "constexpr"))
            continue;
        *local = (struct local){i + 2, smc_piece_end_of_item(piece, i + 2), is_type};
        return true;
    }
    return false;
}

/* The nearest declaration of the name in the piece before token `i`. */
static bool find_local(const struct smc_piece *piece, uint32_t i, uint64_t hash,
                       struct local *local)
{
    while (i-- > piece->begin + 1)
        if (smc_piece_is_word(piece, i) && smc_token_hash(piece->tokens, i) == hash &&
            read_local(piece, i, local))
            return true;
    return false;
}

void smc_piece_write_scope(const struct smc_source_file *file, uint32_t parent,
                           struct smc_text *text)
{
    if (parent == SMC_NO_TOKEN)
        return;
    const struct smc_declaration *scope = &file->declarations.item[parent];
    smc_piece_write_scope(file, scope->parent, text);
    if (scope->name == SMC_NO_TOKEN)
        return;
    for (uint32_t i = scope->name; i < scope->body; i++) {
        const struct smc_cpp_token *token = &file->tokens.item[i];
        if (scope->kind == SMC_DECLARE_CLASS && i > scope->name)
            break;
        smc_text_append_bytes(text, file->text.data + token->begin, token->end - token->begin);
    }
    smc_text_append(text, "::");
}

/* The argument is compiled outside the namespaces, so that names in them need their prefix. */
static void write_namespaces(const struct smc_piece *piece, uint64_t hash, struct smc_text *text)
{
    struct smc_declared at = {0};
    for (const struct smc_declaration *found; (found = smc_source_tree_next(piece->tree, &at));) {
        if (found->name == SMC_NO_TOKEN || found->kind == SMC_DECLARE_NAMESPACE ||
            found->kind == SMC_DECLARE_DIRECTIVE || found->kind == SMC_DECLARE_MACRO ||
            smc_token_hash(&at.file->tokens, found->name) != hash)
            continue;
        const uint32_t parent = found->parent;
        if (parent != SMC_NO_TOKEN &&
            at.file->declarations.item[parent].kind == SMC_DECLARE_NAMESPACE)
            smc_piece_write_scope(at.file, parent, text);
        if (parent == SMC_NO_TOKEN ||
            at.file->declarations.item[parent].kind == SMC_DECLARE_NAMESPACE)
            return;
    }
}

/* Appends a word, replaced where it is a parameter or a constant of the function. */
static bool write_word(const struct smc_piece *piece, uint32_t i, int depth, struct smc_text *text)
{
    const struct smc_cpp_token *token = &piece->tokens->item[i];
    uint64_t hash = smc_token_hash(piece->tokens, i);
    const struct smc_binding *binding = smc_piece_binding(piece, hash);
    if (binding && !binding->text)
        return false;
    if (binding) {
        smc_text_append(text, binding->text);
        return true;
    }
    struct local local;
    if (find_local(piece, i, hash, &local)) {
        if (depth >= SMC_PIECE_DEPTH)
            return false;
        smc_text_append(text, local.is_type ? "" : "(");
        bool known = smc_piece_write(piece, local.begin, local.end, depth + 1, text);
        smc_text_append(text, local.is_type ? "" : ")");
        return known;
    }
    write_namespaces(piece, hash, text);
    smc_text_append_bytes(text, piece->tokens->text + token->begin, token->end - token->begin);
    return true;
}

bool smc_piece_write(const struct smc_piece *piece, uint32_t begin, uint32_t end, int depth,
                     struct smc_text *text)
{
    bool after_word = false;
    for (uint32_t i = begin; i < end; i++) {
        const struct smc_cpp_token *token = &piece->tokens->item[i];
        if (token->kind >= SMC_TOKEN_DIRECTIVE)
            return false;
        bool word = token->kind != SMC_TOKEN_MARK;
        bool member =
            i > begin && (smc_piece_is(piece, i - 1, "::") || smc_piece_is(piece, i - 1, "."));
        if (word && after_word)
            smc_text_append(text, " ");
        if (token->kind == SMC_TOKEN_WORD && !member) {
            if (smc_piece_is(piece, i, "auto") || smc_piece_is(piece, i, "decltype") ||
                !write_word(piece, i, depth, text))
                return false;
        } else {
            smc_text_append_bytes(text, piece->tokens->text + token->begin,
                                  token->end - token->begin);
        }
        after_word = word;
        if (text->length > 2000)
            return false;
    }
    return true;
}
