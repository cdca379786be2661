/* Which instances of kernel templates the host code launches. Host templates and macros are
   followed with their arguments in place of their parameters. */
#include "config.h"

#include "source/instantiations.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

enum { MAX_PARAMETERS = 24, MAX_DEPTH = 16, MAX_VISITS = 20000, MAX_FOUND = 4000 };

/* A parameter and the text that replaces it. */
struct binding {
    uint64_t hash;
    char *text; /* NULL: unknown */
};

/* A piece of host code: a function, a class, or the replacement of a macro. */
struct owner {
    const struct smc_tokens *tokens;
    uint32_t begin, end;
    uint32_t body; /* the first token of code */
    size_t file;
    uint32_t line;  /* of a macro's use; 0: each token has its own */
    uint32_t scope; /* index of the namespace around it */
    struct binding binding[MAX_PARAMETERS];
    size_t count;
    const struct smc_source_tree *tree;
};

struct search {
    const struct smc_source_tree *tree;
    struct smc_instantiations *found;
    struct smc_name_set kernels, templates, seen; /* names of templates; what was visited */
    size_t visits;
    bool has_memory;
};

static bool is(const struct owner *owner, uint32_t i, const char *text)
{
    return i < owner->end && smc_token_is(owner->tokens, i, text);
}

static bool is_word(const struct owner *owner, uint32_t i)
{
    return i < owner->end && owner->tokens->item[i].kind == SMC_TOKEN_WORD;
}

static uint32_t match_of(const struct owner *owner, uint32_t i)
{
    uint32_t match = owner->tokens->item[i].match;
    return match != SMC_NO_TOKEN && match < owner->end ? match : SMC_NO_TOKEN;
}

/* --- Text of tokens with parameters replaced -------------------------------------------------- */

static const struct binding *find_binding(const struct owner *owner, uint64_t hash)
{
    for (size_t i = owner->count; i-- > 0;)
        if (owner->binding[i].hash == hash)
            return &owner->binding[i];
    return NULL;
}

static bool write_range(const struct owner *owner, uint32_t begin, uint32_t end, int depth,
                        struct smc_text *text);

/* The end of an initializer or of an argument: ',' or ';' outside brackets. */
static uint32_t end_of_item(const struct owner *owner, uint32_t i)
{
    for (; i < owner->end && !is(owner, i, ",") && !is(owner, i, ";"); i++) {
        uint32_t angle = smc_token_close_angle(owner->tokens, i, owner->end);
        if (angle != SMC_NO_TOKEN) {
            i = angle;
            continue;
        }
        bool opens = is(owner, i, "(") || is(owner, i, "[") || is(owner, i, "{");
        if (opens && match_of(owner, i) != SMC_NO_TOKEN)
            i = match_of(owner, i);
    }
    return i;
}

/* The value of a name that is declared in the function before its use. */
struct local {
    uint32_t begin, end; /* tokens */
    bool is_type;
};

/* The first token of the statement that token `i` is in. */
static uint32_t begin_of_statement(const struct owner *owner, uint32_t i)
{
    while (i > owner->begin && !is(owner, i - 1, ";") && !is(owner, i - 1, "{") &&
           !is(owner, i - 1, "}"))
        i--;
    return i;
}

/* "using T = ...;", "typedef ... T;" or "constexpr int N = ...;" if it declares the name at `i`. */
static bool read_local(const struct owner *owner, uint32_t i, struct local *local)
{
    if (is(owner, i + 1, ";")) {
        uint32_t begin = begin_of_statement(owner, i);
        *local = (struct local){begin + 1, i, true};
        return i > begin + 1 && is(owner, begin, "typedef");
    }
    if (!is(owner, i + 1, "=") || is(owner, i + 2, "="))
        return false;
    for (uint32_t k = i; k-- > owner->begin && i - k <= 6;) {
        if (is(owner, k, ";") || is(owner, k, "{") || is(owner, k, "}"))
            break;
        bool is_type = is(owner, k, "using") && k + 1 == i;
        if (!is_type && !is(owner, k, "const") && !is(owner, k, "constexpr"))
            continue;
        *local = (struct local){i + 2, end_of_item(owner, i + 2), is_type};
        return true;
    }
    return false;
}

/* The nearest declaration of the name in the owner before token `i`. */
static bool find_local(const struct owner *owner, uint32_t i, uint64_t hash, struct local *local)
{
    while (i-- > owner->begin + 1)
        if (is_word(owner, i) && smc_token_hash(owner->tokens, i) == hash &&
            read_local(owner, i, local))
            return true;
    return false;
}

/* "a::b::" of the namespaces around a declaration; anonymous ones have no part. */
static void write_scope(const struct smc_source_file *file, uint32_t parent, struct smc_text *text)
{
    if (parent == SMC_NO_TOKEN)
        return;
    const struct smc_declaration *scope = &file->declarations.item[parent];
    write_scope(file, scope->parent, text);
    if (scope->name == SMC_NO_TOKEN)
        return;
    for (uint32_t i = scope->name; i < scope->body; i++) {
        const struct smc_token *token = &file->tokens.item[i];
        if (scope->kind == SMC_DECLARE_CLASS && i > scope->name)
            break;
        smc_text_append_bytes(text, file->text.data + token->begin, token->end - token->begin);
    }
    smc_text_append(text, "::");
}

/* The argument is compiled outside the namespaces, so that names in them need their prefix. */
static void write_namespaces(const struct owner *owner, uint64_t hash, struct smc_text *text)
{
    for (size_t k = 0; k < owner->tree->count; k++) {
        const struct smc_source_file *file = &owner->tree->file[k];
        for (uint32_t i = 0; i < file->declarations.count; i++) {
            const struct smc_declaration *found = &file->declarations.item[i];
            if (found->name == SMC_NO_TOKEN || found->kind == SMC_DECLARE_NAMESPACE ||
                found->kind == SMC_DECLARE_DIRECTIVE || found->kind == SMC_DECLARE_MACRO ||
                smc_token_hash(&file->tokens, found->name) != hash)
                continue;
            const uint32_t parent = found->parent;
            if (parent != SMC_NO_TOKEN &&
                file->declarations.item[parent].kind == SMC_DECLARE_NAMESPACE)
                write_scope(file, parent, text);
            if (parent == SMC_NO_TOKEN ||
                file->declarations.item[parent].kind == SMC_DECLARE_NAMESPACE)
                return;
        }
    }
}

/* Appends a word, replaced where it is a parameter or a constant of the function. */
static bool write_word(const struct owner *owner, uint32_t i, int depth, struct smc_text *text)
{
    const struct smc_token *token = &owner->tokens->item[i];
    uint64_t hash = smc_token_hash(owner->tokens, i);
    const struct binding *binding = find_binding(owner, hash);
    if (binding && !binding->text)
        return false;
    if (binding) {
        smc_text_append(text, binding->text);
        return true;
    }
    struct local local;
    if (find_local(owner, i, hash, &local)) {
        if (depth >= MAX_DEPTH)
            return false;
        smc_text_append(text, local.is_type ? "" : "(");
        bool known = write_range(owner, local.begin, local.end, depth + 1, text);
        smc_text_append(text, local.is_type ? "" : ")");
        return known;
    }
    write_namespaces(owner, hash, text);
    smc_text_append_bytes(text, owner->tokens->text + token->begin, token->end - token->begin);
    return true;
}

/* Appends the tokens, with a blank between words. False: a parameter among them is unknown. */
static bool write_range(const struct owner *owner, uint32_t begin, uint32_t end, int depth,
                        struct smc_text *text)
{
    bool after_word = false;
    for (uint32_t i = begin; i < end; i++) {
        const struct smc_token *token = &owner->tokens->item[i];
        if (token->kind >= SMC_TOKEN_DIRECTIVE)
            return false;
        bool word = token->kind != SMC_TOKEN_MARK;
        bool member = i > begin && (is(owner, i - 1, "::") || is(owner, i - 1, "."));
        if (word && after_word)
            smc_text_append(text, " ");
        if (token->kind == SMC_TOKEN_WORD && !member) {
            if (is(owner, i, "auto") || is(owner, i, "decltype") ||
                !write_word(owner, i, depth, text))
                return false;
        } else {
            smc_text_append_bytes(text, owner->tokens->text + token->begin,
                                  token->end - token->begin);
        }
        after_word = word;
        if (text->length > 2000)
            return false;
    }
    return true;
}

/* --- What is found ---------------------------------------------------------------------------- */

static void add_found(struct search *search, const struct owner *owner, uint32_t i,
                      struct smc_text *name, bool is_left_out)
{
    struct smc_instantiations *found = search->found;
    const char *text = smc_text_string(name);
    uint64_t hash = smc_hash(is_left_out ? 1 : 2, text, name->length);
    if (found->count >= MAX_FOUND || !smc_name_set_add(&search->seen, hash))
        return;
    if (found->count == found->capacity) {
        size_t capacity = found->capacity ? 2 * found->capacity : 16;
        void *item = smc_realloc(found->item, capacity * sizeof *found->item);
        search->has_memory &= item != NULL;
        if (!item)
            return;
        found->item = item;
        found->capacity = capacity;
    }
    char *copy = smc_strdup(text);
    search->has_memory &= copy != NULL;
    if (copy)
        found->item[found->count++] = (struct smc_instantiation){
            .name = copy,
            .file = search->tree->file[owner->file].path,
            .line = owner->line ? owner->line : owner->tokens->item[i].line,
            .is_left_out = is_left_out,
        };
}

/* --- Arguments that the compiler would deduce ------------------------------------------------- */

/* Writes the type of the variable `hash` as declared before token `i` of the owner, without its
   pointers, and counts these. False: not found. */
static bool find_variable(const struct owner *owner, uint32_t i, uint64_t hash,
                          struct smc_text *type, uint32_t *pointers)
{
    while (i-- > owner->begin + 1) {
        if (!is_word(owner, i) || smc_token_hash(owner->tokens, i) != hash)
            continue;
        uint32_t k = i;
        *pointers = 0;
        while (k > owner->begin &&
               (is(owner, k - 1, "*") || is(owner, k - 1, "&") ||
                is(owner, k - 1, "__restrict__") || is(owner, k - 1, "__restrict")))
            *pointers += is(owner, --k, "*");
        if (is(owner, k - 1, ",")) { /* "float *a, *b;": the type is where the statement begins */
            while (k > owner->begin && !is(owner, k - 1, ";") && !is(owner, k - 1, "{") &&
                   !is(owner, k - 1, "}") && !is(owner, k - 1, "("))
                k--;
            if (is(owner, k - 1, "("))
                continue;
            uint32_t end = k;
            while (is_word(owner, end) && (is_word(owner, end + 1) || is(owner, end + 1, "*")))
                end++;
            bool next = end > k || is(owner, end, "*");
            if (!next || is(owner, k, "return"))
                continue;
            return write_range(owner, k, end + (is_word(owner, end) && is(owner, end + 1, "*")), 0,
                               type);
        }
        uint32_t end = k;
        while (k > owner->begin && (is_word(owner, k - 1) || is(owner, k - 1, "::")))
            k--;
        while (k < end && (is(owner, k, "const") || is(owner, k, "static") || is(owner, k, "auto")))
            k++;
        if (k == end || is(owner, k, "return") || is(owner, k, "delete") || is(owner, k, "else") ||
            is(owner, k, "new"))
            continue;
        return write_range(owner, k, end, 0, type);
    }
    return false;
}

/* Binds the template's parameter at `name` by the call's argument; false: the text does not
 * determine it. */
static bool deduce(const struct owner *kernel, uint32_t name, const struct owner *owner,
                   uint32_t call, uint32_t parameters, struct smc_text *text)
{
    uint64_t hash = smc_token_hash(kernel->tokens, name);
    uint32_t parameter = parameters + 1, argument = call + 1;
    uint32_t close = kernel->tokens->item[parameters].match, last = match_of(owner, call);
    while (close != SMC_NO_TOKEN && last != SMC_NO_TOKEN && parameter < close && argument < last) {
        uint32_t end = end_of_item(kernel, parameter), stop = end_of_item(owner, argument);
        uint32_t wanted = 0, pointers = 0;
        bool holds = false;
        for (uint32_t i = parameter; i < end && i < close; i++) {
            holds |= is_word(kernel, i) && smc_token_hash(kernel->tokens, i) == hash;
            wanted += is(kernel, i, "*");
        }
        struct smc_text type = {0};
        bool is_name = is_word(owner, argument) && (stop == argument + 1 || last == argument + 1);
        if (holds && is_name &&
            find_variable(owner, call, smc_token_hash(owner->tokens, argument), &type, &pointers) &&
            pointers >= wanted && type.length > 0) {
            smc_text_append(text, smc_text_string(&type));
            smc_text_append_char(text, '*', pointers - wanted);
            smc_text_free(&type);
            return true;
        }
        smc_text_free(&type);
        parameter = end + 1;
        argument = stop + 1;
    }
    return false;
}

/* --- Templates -------------------------------------------------------------------------------- */

/* One parameter of a template: its name and its default value. */
struct parameter {
    uint32_t name, value, end; /* value: SMC_NO_TOKEN: none */
    bool is_pack;
};

/* Reads the parameters of "<...>", whose '<' is `i`. */
static size_t read_parameters(const struct smc_tokens *tokens, uint32_t i, struct parameter *list)
{
    uint32_t close = smc_token_close_angle(tokens, i, tokens->count);
    size_t count = 0;
    if (close == SMC_NO_TOKEN)
        return 0;
    for (i++; i < close && count < MAX_PARAMETERS;) {
        struct parameter found = {SMC_NO_TOKEN, SMC_NO_TOKEN, SMC_NO_TOKEN, false};
        for (; i < close && !smc_token_is(tokens, i, ","); i++) {
            const struct smc_token *token = &tokens->item[i];
            uint32_t angle = smc_token_close_angle(tokens, i, close);
            if (angle != SMC_NO_TOKEN)
                i = angle;
            else if (token->kind == SMC_TOKEN_MARK && token->match != SMC_NO_TOKEN &&
                     token->match > i && token->match < close)
                i = token->match;
            else if (smc_token_is(tokens, i, "=") && found.value == SMC_NO_TOKEN)
                found.value = i + 1;
            else if (token->kind == SMC_TOKEN_WORD && found.value == SMC_NO_TOKEN)
                found.name = i;
            found.is_pack |= smc_token_is(tokens, i, ".");
        }
        found.end = i++;
        list[count++] = found;
    }
    return count;
}

static void free_bindings(struct owner *owner)
{
    for (size_t i = 0; i < owner->count; i++)
        free(owner->binding[i].text);
    owner->count = 0;
}

static void bind(struct search *search, struct owner *owner, uint64_t hash, const char *text)
{
    if (owner->count == MAX_PARAMETERS)
        return;
    char *copy = text ? smc_strdup(text) : NULL;
    search->has_memory &= copy || !text;
    owner->binding[owner->count++] = (struct binding){hash, copy};
}

/* Cuts the arguments between the brackets `open` and `close` of `from`, with its own parameters
   replaced; unknown ones are NULL. Free them. */
static size_t read_arguments(const struct owner *from, uint32_t open, uint32_t close,
                             char *arguments[MAX_PARAMETERS])
{
    size_t count = 0;
    for (uint32_t i = open + 1; i < close && count < MAX_PARAMETERS;) {
        uint32_t end = i;
        while (end < close && !is(from, end, ",")) {
            uint32_t angle = smc_token_close_angle(from->tokens, end, close);
            uint32_t match = from->tokens->item[end].match;
            if (angle != SMC_NO_TOKEN)
                end = angle;
            else if (match != SMC_NO_TOKEN && match > end && match < close)
                end = match;
            end++;
        }
        struct smc_text text = {0};
        bool known = write_range(from, i, end, 0, &text) && !text.failed;
        arguments[count++] = known ? smc_strdup(smc_text_string(&text)) : NULL;
        smc_text_free(&text);
        i = end + 1;
    }
    return count;
}

/* --- The walk --------------------------------------------------------------------------------- */

static void visit(struct search *search, const struct owner *owner, int depth);

/* Finds the declaration of a template of that name, the one nearest to the owner's namespace. */
static const struct smc_declaration *find_template(const struct search *search,
                                                   const struct owner *owner, uint64_t hash,
                                                   bool is_kernel, size_t *file)
{
    const struct smc_declaration *best = NULL;
    for (size_t k = 0; k < search->tree->count; k++) {
        const struct smc_source_file *of = &search->tree->file[k];
        for (uint32_t i = 0; i < of->declarations.count; i++) {
            const struct smc_declaration *found = &of->declarations.item[i];
            if (found->template_begin == SMC_NO_TOKEN || found->name == SMC_NO_TOKEN ||
                found->is_kernel != is_kernel || smc_token_hash(&of->tokens, found->name) != hash)
                continue;
            bool nearer = k == owner->file && found->parent == owner->scope;
            if (best && !nearer && best->body != SMC_NO_TOKEN)
                continue;
            best = found;
            *file = k;
        }
    }
    return best;
}

static struct owner owner_of(const struct search *search, size_t file,
                             const struct smc_declaration *declaration)
{
    return (struct owner){.tree = search->tree,
                          .tokens = &search->tree->file[file].tokens,
                          .begin = declaration->begin,
                          .end = declaration->end,
                          .body = declaration->body != SMC_NO_TOKEN ? declaration->body
                                                                    : declaration->begin,
                          .file = file,
                          .scope = declaration->parent};
}

/* The kernel template `hash`, named at `i`, launched with or without template arguments. */
static void visit_kernel(struct search *search, const struct owner *owner, uint32_t i,
                         uint64_t hash)
{
    size_t file;
    const struct smc_declaration *kernel = find_template(search, owner, hash, true, &file);
    if (!kernel)
        return;
    bool is_launch = is(owner, i + 1, "<") && is(owner, i + 2, "<") && is(owner, i + 3, "<");
    uint32_t close =
        is_launch ? SMC_NO_TOKEN : smc_token_close_angle(owner->tokens, i + 1, owner->end);
    uint32_t call = SMC_NO_TOKEN, launch = close == SMC_NO_TOKEN ? i + 1 : close + 1;
    for (uint32_t k = launch + 3;
         is(owner, launch, "<") && is(owner, launch + 1, "<") && k < owner->end && k < launch + 400;
         k++)
        if (is(owner, k, ">") && is(owner, k + 1, ">") && is(owner, k + 2, ">") &&
            is(owner, k + 3, "(")) {
            call = k + 3;
            break;
        }
    if (close == SMC_NO_TOKEN && !is_launch)
        return;
    struct smc_text name = {0};
    struct parameter list[MAX_PARAMETERS];
    char *arguments[MAX_PARAMETERS];
    size_t given = close == SMC_NO_TOKEN ? 0 : read_arguments(owner, i + 1, close, arguments);
    const struct owner of = owner_of(search, file, kernel);
    size_t count = read_parameters(of.tokens, kernel->template_begin, list);
    bool known = true, has_pack = false;
    write_scope(&search->tree->file[file], kernel->parent, &name);
    const struct smc_token *token = &of.tokens->item[kernel->name];
    smc_text_append_bytes(&name, of.tokens->text + token->begin, token->end - token->begin);
    size_t bare = name.length;
    for (size_t k = 0; k < given; k++) {
        known &= arguments[k] != NULL;
        smc_text_printf(&name, "%s%s", k ? ", " : "<", arguments[k] ? arguments[k] : "");
        free(arguments[k]);
    }
    for (size_t k = given; k < count && known; k++) {
        has_pack |= list[k].is_pack;
        size_t before = name.length;
        smc_text_append(&name, k ? ", " : "<");
        if (list[k].is_pack || list[k].name == SMC_NO_TOKEN || call == SMC_NO_TOKEN ||
            kernel->parameters == SMC_NO_TOKEN ||
            !deduce(&of, list[k].name, owner, call, kernel->parameters, &name)) {
            known = list[k].value != SMC_NO_TOKEN; /* the rest has default values */
            name.length = before;
            break;
        }
    }
    if (has_pack)
        known = false;
    if (known)
        smc_text_append(&name, name.length > bare ? ">" : "<>");
    else
        name.length = bare;
    if (name.data)
        name.data[name.length] = '\0';
    search->has_memory &= !name.failed;
    add_found(search, owner, i, &name, !known);
    smc_text_free(&name);
}

/* Whether the compiler could deduce every argument of a call without any. Otherwise the call means
   another function of that name. */
static bool is_callable(const struct owner *of, const struct smc_declaration *found,
                        const struct parameter *list, size_t count)
{
    uint32_t open = found->parameters;
    uint32_t close = open == SMC_NO_TOKEN ? SMC_NO_TOKEN : match_of(of, open);
    for (size_t k = 0; k < count && close != SMC_NO_TOKEN; k++) {
        bool named =
            list[k].is_pack || list[k].value != SMC_NO_TOKEN || list[k].name == SMC_NO_TOKEN;
        for (uint32_t i = open + 1; i < close && !named; i++)
            named = is_word(of, i) &&
                    smc_token_hash(of->tokens, i) == smc_token_hash(of->tokens, list[k].name);
        if (!named)
            return false;
    }
    return true;
}

/* The host function or class template `hash`, named at `i`, with its arguments. */
static void visit_template(struct search *search, const struct owner *owner, uint32_t i,
                           uint64_t hash, int depth)
{
    size_t file;
    char *arguments[MAX_PARAMETERS];
    struct parameter list[MAX_PARAMETERS];
    const struct smc_declaration *found = find_template(search, owner, hash, false, &file);
    uint32_t close = smc_token_close_angle(owner->tokens, i + 1, owner->end);
    if (!found || (found->is_device && found->kind != SMC_DECLARE_CLASS))
        return;
    bool is_call =
        close == SMC_NO_TOKEN && is(owner, i + 1, "(") && found->kind == SMC_DECLARE_FUNCTION;
    if (close == SMC_NO_TOKEN && !is_call)
        return;
    struct owner of = owner_of(search, file, found);
    size_t count = read_parameters(of.tokens, found->template_begin, list);
    if (is_call && !is_callable(&of, found, list, count))
        return;
    size_t given = is_call ? 0 : read_arguments(owner, i + 1, close, arguments);
    uint32_t call = is_call ? i + 1 : is(owner, close + 1, "(") ? close + 1 : SMC_NO_TOKEN;
    for (size_t k = 0; k < count; k++) {
        struct smc_text text = {0};
        bool known = k < given && arguments[k];
        if (known)
            smc_text_append(&text, arguments[k]);
        else if (k >= given && call != SMC_NO_TOKEN && list[k].name != SMC_NO_TOKEN &&
                 found->parameters != SMC_NO_TOKEN)
            known = deduce(&of, list[k].name, owner, call, found->parameters, &text);
        if (!known && k >= given && list[k].value != SMC_NO_TOKEN)
            known = write_range(&of, list[k].value, list[k].end, 0, &text);
        if (list[k].name != SMC_NO_TOKEN)
            bind(search, &of, smc_token_hash(of.tokens, list[k].name),
                 known ? smc_text_string(&text) : NULL);
        smc_text_free(&text);
    }
    for (size_t k = 0; k < given; k++)
        free(arguments[k]);
    visit(search, &of, depth + 1);
    free_bindings(&of);
}

static void visit_macro(struct search *search, const struct owner *owner, uint32_t i,
                        const struct smc_source_macro *macro, int depth)
{
    char *arguments[MAX_PARAMETERS];
    size_t given = 0, k = 0;
    struct owner of = {.tree = search->tree,
                       .tokens = &macro->tokens,
                       .begin = macro->body,
                       .end = macro->tokens.count,
                       .body = macro->body,
                       .file = owner->file,
                       .line = owner->line ? owner->line : owner->tokens->item[i].line,
                       .scope = owner->scope};
    if (macro->is_function && (!is(owner, i + 1, "(") || match_of(owner, i + 1) == SMC_NO_TOKEN))
        return;
    for (size_t b = 0; b < owner->count; b++) /* the text is expanded within the owner */
        bind(search, &of, owner->binding[b].hash, owner->binding[b].text);
    if (macro->is_function)
        given = read_arguments(owner, i + 1, match_of(owner, i + 1), arguments);
    for (uint32_t at = 2; macro->is_function && at + 1 < macro->body; at++) {
        if (macro->tokens.item[at].kind != SMC_TOKEN_WORD)
            continue;
        bind(search, &of, smc_token_hash(&macro->tokens, at), k < given ? arguments[k] : NULL);
        k++;
    }
    for (k = 0; k < given; k++)
        free(arguments[k]);
    visit(search, &of, depth + 1);
    free_bindings(&of);
}

/* The hash of the name that a parameter stands for, without its namespaces; 0: not a name. */
static uint64_t hash_of_name(const char *text)
{
    const char *name = text;
    for (const char *s = text; *s; s++) {
        if (!isalnum((unsigned char)*s) && *s != '_' && *s != ':')
            return 0;
        name = *s == ':' ? s + 1 : name;
    }
    return smc_hash(SMC_HASH_START, name, strlen(name));
}

static void visit_word(struct search *search, const struct owner *owner, uint32_t i, int depth)
{
    uint64_t hash = smc_token_hash(owner->tokens, i);
    const struct binding *binding = find_binding(owner, hash);
    uint64_t meant = binding && binding->text ? hash_of_name(binding->text) : 0;
    if (meant != 0)
        hash = meant;
    if (smc_name_set_has(&search->kernels, hash)) {
        visit_kernel(search, owner, i, hash);
        return;
    }
    if (smc_name_set_has(&search->templates, hash)) {
        visit_template(search, owner, i, hash, depth);
        return;
    }
    const struct smc_source_macro *macro = smc_source_macro_find(search->tree, hash);
    if (macro)
        visit_macro(search, owner, i, macro, depth);
    if (binding && binding->text && strchr(binding->text, '<')) { /* a launch as an argument */
        struct owner of = *owner;
        struct smc_tokens tokens = {0};
        search->has_memory &= smc_tokens_read(binding->text, strlen(binding->text), &tokens);
        of.tokens = &tokens;
        of.begin = of.body = 0;
        of.end = tokens.count;
        of.line = owner->line ? owner->line : owner->tokens->item[i].line;
        of.count = 0;
        if (search->has_memory)
            visit(search, &of, depth + 1);
        smc_tokens_free(&tokens);
    }
}

static void visit(struct search *search, const struct owner *owner, int depth)
{
    uint64_t hash = smc_hash(SMC_HASH_START, (const char *)&owner->tokens, sizeof owner->tokens);
    hash = smc_hash(hash, (const char *)&owner->begin, sizeof owner->begin);
    for (size_t i = 0; i < owner->count; i++)
        if (owner->binding[i].text)
            hash = smc_hash(hash, owner->binding[i].text, strlen(owner->binding[i].text) + 1);
        else
            hash = smc_hash(hash, "?", 2);
    if (depth > MAX_DEPTH || ++search->visits > MAX_VISITS ||
        (owner->tokens->item && owner->count > 0 && owner->line == 0 &&
         !smc_name_set_add(&search->seen, hash)))
        return;
    for (uint32_t i = owner->body; i < owner->end && search->has_memory; i++)
        if (owner->tokens->item[i].kind == SMC_TOKEN_WORD &&
            !(i > owner->begin && is(owner, i - 1, ".")))
            visit_word(search, owner, i, depth);
}

static void collect_names(struct search *search)
{
    for (size_t k = 0; k < search->tree->count; k++) {
        const struct smc_source_file *file = &search->tree->file[k];
        for (uint32_t i = 0; i < file->declarations.count; i++) {
            const struct smc_declaration *found = &file->declarations.item[i];
            if (found->template_begin == SMC_NO_TOKEN || found->name == SMC_NO_TOKEN)
                continue;
            uint64_t hash = smc_token_hash(&file->tokens, found->name);
            if (found->is_kernel)
                smc_name_set_add(&search->kernels, hash);
            else if (found->kind == SMC_DECLARE_FUNCTION || found->kind == SMC_DECLARE_CLASS)
                smc_name_set_add(&search->templates, hash);
        }
    }
}

/* Whether the walk begins here: code of the host that is no template itself, nor in one. */
static bool is_start(const struct smc_source_file *file, const struct smc_declaration *found)
{
    if (found->kind == SMC_DECLARE_NAMESPACE || found->is_kernel ||
        (found->is_device && !found->is_host))
        return false;
    const struct smc_declaration *scope = found;
    while (scope->template_begin == SMC_NO_TOKEN && scope->parent != SMC_NO_TOKEN)
        scope = &file->declarations.item[scope->parent];
    return scope->template_begin == SMC_NO_TOKEN &&
           (found->parent == SMC_NO_TOKEN ||
            file->declarations.item[found->parent].kind == SMC_DECLARE_NAMESPACE);
}

bool smc_instantiations_find(const struct smc_source_tree *tree, struct smc_instantiations *found)
{
    struct search search = {.tree = tree, .found = found, .has_memory = true};
    collect_names(&search);
    for (size_t k = 0; k < tree->count && search.kernels.count > 0; k++)
        for (uint32_t i = 0; i < tree->file[k].declarations.count && search.has_memory; i++) {
            const struct smc_declaration *declaration = &tree->file[k].declarations.item[i];
            const struct owner owner = owner_of(&search, k, declaration);
            if (is_start(&tree->file[k], declaration))
                visit(&search, &owner, 0);
        }
    search.has_memory &= !search.kernels.failed && !search.templates.failed && !search.seen.failed;
    smc_name_set_free(&search.kernels);
    smc_name_set_free(&search.templates);
    smc_name_set_free(&search.seen);
    return search.has_memory;
}

void smc_instantiations_free(struct smc_instantiations *found)
{
    for (size_t i = 0; i < found->count; i++)
        free(found->item[i].name);
    free(found->item);
    *found = (struct smc_instantiations){0};
}
