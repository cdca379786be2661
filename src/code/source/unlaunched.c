/* Kernel templates of which nothing was compiled. A template that no other code names cannot be
   launched, unless a macro puts its name together with "##". */
#include "code/source/unlaunched.h"

#include <string.h>

#include "base/memory.h"

enum { MOST_CALLS = 3 }; /* of members by each other */

/* Overloads cannot be distinguished: all that match best are marked. */
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
        const struct smc_cpp_token *token = &tokens->item[i];
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

static const struct smc_declaration *innermost_function(const struct smc_source_file *file,
                                                        uint32_t token)
{
    const struct smc_declaration *best = NULL;
    for (uint32_t i = 0; i < file->declarations.count; i++) {
        const struct smc_declaration *found = &file->declarations.item[i];
        if (found->kind == SMC_DECLARE_FUNCTION && found->begin <= token && token < found->end)
            best = found;
    }
    return best;
}

/* The class template of which the function is a member, in it or outside: "Buffer<T>::fill". 0:
   none. */
static uint64_t class_template_of(const struct smc_source_file *file,
                                  const struct smc_declaration *function)
{
    const struct smc_tokens *tokens = &file->tokens;
    const uint32_t parent = function->parent;
    if (parent != SMC_NO_TOKEN) {
        const struct smc_declaration *class = &file->declarations.item[parent];
        if (class->kind == SMC_DECLARE_CLASS && class->template_begin != SMC_NO_TOKEN)
            return smc_token_hash(tokens, class->name);
    }
    if (function->name != SMC_NO_TOKEN && function->name > 4 &&
        smc_token_is(tokens, function->name - 1, "::"))
        for (uint32_t i = function->name - 2; i > function->begin; i--)
            if (smc_token_close_angle(tokens, i, function->name) == function->name - 2)
                return smc_token_hash(tokens, i - 1);
    return 0;
}

static bool unlaunched_names(const struct smc_source_file *file,
                             const struct smc_declaration *function, uint64_t hash)
{
    for (uint32_t i = function->body; i < function->end; i++)
        if (smc_token_hash(&file->tokens, i) == hash)
            return true;
    return false;
}

/* Whether the member of the class template is called on an object of unknown type, or by another
   member that is. */
static bool is_unsure(const struct smc_source_tree *tree, const struct smc_instantiations *launches,
                      uint64_t class, uint64_t name, int depth)
{
    if (smc_name_set_has(&launches->unsure_members, name))
        return true;
    struct smc_declared at = {0};
    for (const struct smc_declaration *found;
         depth > 0 && (found = smc_source_tree_next(tree, &at));) {
        if (found->kind != SMC_DECLARE_FUNCTION || found->name == SMC_NO_TOKEN ||
            found->body == SMC_NO_TOKEN || class_template_of(at.file, found) != class)
            continue;
        const uint64_t other = smc_token_hash(&at.file->tokens, found->name);
        if (other != name && unlaunched_names(at.file, found, name) &&
            is_unsure(tree, launches, class, other, depth - 1))
            return true;
    }
    return false;
}

/* Whether the code at the token may be compiled although no launch was found by way of it: host
   templates are followed, except members of objects whose type the text does not tell. */
static bool may_be_compiled(const struct smc_source_tree *tree,
                            const struct smc_instantiations *launches,
                            const struct smc_source_file *file, uint32_t token)
{
    const struct smc_declaration *function = innermost_function(file, token);
    const uint64_t class = function ? class_template_of(file, function) : 0;
    if (function && function->name == token)
        return false; /* a declaration of it */
    if (!function || (class == 0 && function->template_begin == SMC_NO_TOKEN))
        return true;
    const uint64_t name =
        function->name != SMC_NO_TOKEN ? smc_token_hash(&file->tokens, function->name) : 0;
    return class != 0 && (!smc_name_set_has(&launches->known_classes, class) ||
                          is_unsure(tree, launches, class, name, MOST_CALLS));
}

/* How often code that may be compiled names it. */
static size_t count_mentions(const struct smc_source_tree *tree,
                             const struct smc_instantiations *launches,
                             const struct smc_source_file *file, uint64_t hash)
{
    size_t count = 0;
    for (uint32_t i = 0; i < file->tokens.count; i++)
        count += file->tokens.item[i].kind == SMC_TOKEN_WORD &&
                 smc_token_hash(&file->tokens, i) == hash &&
                 may_be_compiled(tree, launches, file, i);
    return count;
}

static bool is_mentioned(const struct smc_source_tree *tree,
                         const struct smc_instantiations *launches, uint64_t hash, const char *name,
                         size_t length)
{
    size_t count = 0;
    for (size_t k = 0; k < tree->count; k++)
        count += count_mentions(tree, launches, &tree->file[k], hash);
    if (count > 0)
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
            const struct smc_cpp_token *token = &file->tokens.item[declaration->name];
            *found = (struct smc_unlaunched){
                .name = file->tokens.text + token->begin,
                .name_length = token->end - token->begin,
                .file = file->path,
                .line = token->line,
                .is_own = k == 0,
                .launches = found->launches,
                .next_file = k,
                .next_declaration = i + 1,
            };
            found->is_mentioned = is_mentioned(tree, found->launches,
                                               smc_token_hash(&file->tokens, declaration->name),
                                               found->name, found->name_length);
            return true;
        }
    }
    return false;
}

/* --- A source without kernels ----------------------------------------------------------------- */

/* The names of the template's parameters: "T, N". */
static void append_template_names(const struct smc_tokens *tokens,
                                  const struct smc_declaration *template, struct smc_text *text)
{
    const uint32_t begin = template->template_begin;
    const uint32_t end = smc_token_close_angle(tokens, begin, template->end);
    uint32_t name = SMC_NO_TOKEN;
    int depth = 0;
    bool first = true, has_default = false;
    for (uint32_t i = begin + 1; i <= end && end != SMC_NO_TOKEN; i++) {
        const struct smc_cpp_token *token = &tokens->item[i];
        if (i == end || (depth == 0 && smc_token_is(tokens, i, ","))) {
            if (name != SMC_NO_TOKEN)
                smc_text_printf(text, "%s%.*s", first ? "" : ", ",
                                (int)(tokens->item[name].end - tokens->item[name].begin),
                                tokens->text + tokens->item[name].begin);
            name = SMC_NO_TOKEN;
            first = has_default = false;
            continue;
        }
        depth += smc_token_is(tokens, i, "<") || smc_token_is(tokens, i, "(");
        depth -= smc_token_is(tokens, i, ">") || smc_token_is(tokens, i, ")");
        has_default |= smc_token_is(tokens, i, "=");
        if (depth == 0 && token->kind == SMC_TOKEN_WORD && !has_default)
            name = i;
    }
}

/* The parameters as written, in one line. */
static void append_parameters_written(const struct smc_tokens *tokens, uint32_t begin,
                                      struct smc_text *text)
{
    const uint32_t end = tokens->item[begin].match;
    for (uint32_t i = begin; end != SMC_NO_TOKEN && i <= end; i++) {
        const struct smc_cpp_token *token = &tokens->item[i];
        const bool apart = i > begin && token->begin > tokens->item[i - 1].end;
        smc_text_printf(text, "%s%.*s", apart ? " " : "", (int)(token->end - token->begin),
                        tokens->text + token->begin);
    }
}

bool smc_source_append_template(const char *file, const char *source, const char *options,
                                struct smc_text *text)
{
    SMC_AUTO(smc_source_tree_free) struct smc_source_tree tree = {0};
    struct smc_error ignored;
    if (smc_source_tree_read(file, source, options, "", &tree, &ignored) != SMC_OK ||
        tree.count == 0)
        return false;
    const struct smc_tokens *tokens = &tree.file[0].tokens;
    const struct smc_declarations *declarations = &tree.file[0].declarations;
    for (uint32_t i = 0; i < declarations->count; i++) {
        const struct smc_declaration *found = &declarations->item[i];
        if (!is_unlaunched(found) || found->parameters == SMC_NO_TOKEN)
            continue;
        const struct smc_cpp_token *token = &tokens->item[found->name];
        const int length = (int)(token->end - token->begin);
        const char *name = tokens->text + token->begin;
        smc_text_printf(text,
                        "its template %.*s (line %u) has no instance: add 'template __global__ "
                        "void %.*s<",
                        length, name, token->line, length, name);
        append_template_names(tokens, found, text);
        smc_text_append(text, ">");
        append_parameters_written(tokens, found->parameters, text);
        smc_text_append(text, ";' with arguments for ");
        append_template_names(tokens, found, text);
        return true;
    }
    return false;
}
