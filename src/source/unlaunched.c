/* Kernel templates of which nothing was compiled. A template that no other code names cannot be
   launched, unless a macro puts its name together with "##". */
#include "config.h"

#include "source/unlaunched.h"

#include <string.h>

/* Overloads cannot be told apart: all that fit best are marked. */
void smc_unlaunched_mark(struct smc_source_tree *tree, const char *mangled, const char *shown)
{
    int best = 1;
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = 0; k < tree->count; k++) {
            struct smc_source_file *file = &tree->file[k];
            for (uint32_t i = 0; i < file->declarations.count; i++) {
                struct smc_declaration *found = &file->declarations.item[i];
                int rating = smc_source_kernel_rating(file, found, mangled, shown);
                if (pass == 0)
                    best = rating > best ? rating : best;
                else
                    found->is_compiled |= rating == best;
            }
        }
}

/* --- Whether other code names it -------------------------------------------------------------- */

/* How often a kernel's declarations contain its name. */
static size_t count_declared(const struct smc_source_tree *tree, uint64_t hash)
{
    size_t count = 0;
    for (size_t k = 0; k < tree->count; k++) {
        const struct smc_source_file *file = &tree->file[k];
        for (uint32_t i = 0; i < file->declarations.count; i++) {
            const struct smc_declaration *found = &file->declarations.item[i];
            count += found->is_kernel && found->name != SMC_NO_TOKEN &&
                     smc_token_hash(&file->tokens, found->name) == hash;
        }
    }
    return count;
}

static size_t count_words(const struct smc_tokens *tokens, uint32_t begin, uint64_t hash)
{
    size_t count = 0;
    for (uint32_t i = begin; i < tokens->count; i++)
        count += tokens->item[i].kind == SMC_TOKEN_WORD && smc_token_hash(tokens, i) == hash;
    return count;
}

static bool is_paste(const struct smc_tokens *tokens, uint32_t i)
{
    return smc_token_is(tokens, i, "#") && smc_token_is(tokens, i + 1, "#");
}

/* Whether a macro puts together a name that begins or ends as this one: NAME ## _kernel. */
static bool is_pasted(const struct smc_source_macro *macro, const char *name, size_t length)
{
    const struct smc_tokens *tokens = &macro->tokens;
    for (uint32_t i = macro->body; i < tokens->count; i++) {
        const struct smc_token *token = &tokens->item[i];
        size_t part = token->end - token->begin;
        const char *text = tokens->text + token->begin;
        if (token->kind != SMC_TOKEN_WORD || part > length)
            continue;
        bool first = is_paste(tokens, i + 1) && memcmp(name, text, part) == 0;
        bool last = i >= macro->body + 2 && is_paste(tokens, i - 2) &&
                    memcmp(name + length - part, text, part) == 0;
        if (first || last)
            return true;
    }
    return false;
}

static bool is_mentioned(const struct smc_source_tree *tree, uint64_t hash, const char *name,
                         size_t length)
{
    size_t count = 0;
    for (size_t k = 0; k < tree->count; k++)
        count += count_words(&tree->file[k].tokens, 0, hash);
    if (count > count_declared(tree, hash))
        return true;
    for (size_t i = 0; i < tree->macro_count; i++)
        if (count_words(&tree->macro[i].tokens, tree->macro[i].body, hash) > 0 ||
            is_pasted(&tree->macro[i], name, length))
            return true;
    return false;
}

/* --- The list --------------------------------------------------------------------------------- */

static bool is_unlaunched(const struct smc_declaration *found)
{
    return found->is_kernel && found->kind == SMC_DECLARE_FUNCTION &&
           found->template_begin != SMC_NO_TOKEN && found->body != SMC_NO_TOKEN &&
           found->name != SMC_NO_TOKEN && !found->is_compiled;
}

bool smc_unlaunched_next(const struct smc_source_tree *tree, struct smc_unlaunched *found)
{
    uint32_t i = found->next_declaration;
    for (size_t k = found->next_file; k < tree->count; k++, i = 0) {
        const struct smc_source_file *file = &tree->file[k];
        for (; i < file->declarations.count; i++) {
            const struct smc_declaration *declaration = &file->declarations.item[i];
            if (!is_unlaunched(declaration))
                continue;
            const struct smc_token *token = &file->tokens.item[declaration->name];
            *found = (struct smc_unlaunched){
                .name = file->tokens.text + token->begin,
                .name_length = token->end - token->begin,
                .file = file->path,
                .line = token->line,
                .is_own = k == 0,
                .next_file = k,
                .next_declaration = i + 1,
            };
            found->is_mentioned =
                is_mentioned(tree, smc_token_hash(&file->tokens, declaration->name), found->name,
                             found->name_length);
            return true;
        }
    }
    return false;
}
