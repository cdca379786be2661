/* The declarations of C++ source at namespace level and in classes. */
#include "code/source/cpp_declarations.h"

#include <stdlib.h>

#include "base/memory.h"

/* Declarations in deeper namespaces and classes are not read. */
enum { MAX_DEPTH = 64 };

struct declaration_scan {
    const struct smc_tokens *tokens;
    const struct smc_cpp_words *words;
    struct smc_declarations *out;
    bool has_memory;
};

/* The declaration being read. */
struct current {
    struct smc_declaration found;
    uint32_t last_word;  /* at depth 0 */
    uint32_t class_word; /* class, struct, union or enum */
    bool in_class;       /* it is a member */
    bool is_enum, is_alias, has_value, has_initializers, is_operator;
};

static bool scan_is(const struct declaration_scan *scan, uint32_t i, const char *text)
{
    return smc_token_is(scan->tokens, i, text);
}

static bool scan_is_one_of(const struct declaration_scan *scan, uint32_t i, const char *const *list)
{
    for (; *list; list++)
        if (scan_is(scan, i, *list))
            return true;
    return false;
}

static bool scan_is_word(const struct declaration_scan *scan, uint32_t i)
{
    return i < scan->tokens->count && scan->tokens->item[i].kind == SMC_TOKEN_WORD;
}

static uint32_t match_of(const struct declaration_scan *scan, uint32_t i)
{
    return scan->tokens->item[i].match;
}

static uint32_t cpp_declarations_append(struct declaration_scan *scan,
                                        const struct smc_declaration *declaration)
{
    struct smc_declarations *out = scan->out;
    if (!smc_make_room(&out->item, out->count, &out->capacity, sizeof *out->item)) {
        scan->has_memory = false;
        return SMC_NO_TOKEN;
    }
    out->item[out->count] = *declaration;
    return out->count++;
}

/* --- One declaration -------------------------------------------------------------------------- */

/* Words whose parentheses do not contain parameters. */
static const char *const attributes[] = {"alignas",
                                         "__align__",
                                         "__attribute__",
                                         "__declspec",
                                         "decltype",
                                         "noexcept",
                                         "explicit",
                                         "requires",
                                         "__launch_bounds__",
                                         "__block_size__",
                                         "__cluster_dims__",
                                         "__maxnreg__",
                                         "throw",
                                         NULL};

static bool has_name(const struct declaration_scan *scan, uint32_t i, const char *const *list,
                     const struct smc_name_set *macros)
{
    return scan_is_one_of(scan, i, list) ||
           (macros->count > 0 && smc_name_set_has(macros, smc_token_hash(scan->tokens, i)));
}

static void read_specifier(const struct declaration_scan *scan, uint32_t i, struct current *current)
{
    static const char *const device[] = {"__device__",  "__global__", "__constant__",
                                         "__managed__", "__shared__", NULL};
    static const char *const kernel[] = {"__global__", NULL}, *const host[] = {"__host__", NULL};
    static const char *const constant[] = {"constexpr", "consteval", NULL};
    static const char *const classes[] = {"class", "struct", "union", NULL};
    static const char *const alias[] = {"typedef", "using", NULL};
    struct smc_declaration *found = &current->found;
    found->is_device |= has_name(scan, i, device, &scan->words->device);
    found->is_kernel |= has_name(scan, i, kernel, &scan->words->kernel);
    found->is_host |= has_name(scan, i, host, &scan->words->host);
    found->is_constexpr |= has_name(scan, i, constant, &scan->words->constant);
    found->is_constant |= found->is_constexpr || scan_is(scan, i, "const");
    current->is_alias |= scan_is_one_of(scan, i, alias);
    current->is_enum |= scan_is(scan, i, "enum");
    current->is_operator |= scan_is(scan, i, "operator");
    if (found->parameters == SMC_NO_TOKEN && !current->has_value &&
        current->class_word == SMC_NO_TOKEN &&
        (scan_is_one_of(scan, i, classes) || scan_is(scan, i, "enum")))
        current->class_word = i;
}

/* Reads the '(' at `i`; returns the token after it. */
static uint32_t read_parentheses(const struct declaration_scan *scan, uint32_t i, uint32_t end,
                                 struct current *current)
{
    struct smc_declaration *found = &current->found;
    uint32_t close = match_of(scan, i);
    if (close == SMC_NO_TOKEN || close >= end)
        return i + 1;
    bool attribute = i > found->begin && scan_is_one_of(scan, i - 1, attributes);
    attribute |= current->class_word != SMC_NO_TOKEN && current->class_word + 2 == i &&
                 scan_is_word(scan, close + 1); /* struct ALIGNED(8) name */
    bool call = current->is_operator && scan_is(scan, i - 1, "operator"); /* operator()() */
    if (!attribute && !call && !current->has_value && found->parameters == SMC_NO_TOKEN) {
        found->parameters = i;
        found->name = current->last_word;
    }
    return close + 1;
}

/* Whether the '{' at `i` initializes a member in the list before a constructor's body. */
static bool initializes_member(const struct declaration_scan *scan, uint32_t i,
                               const struct current *current)
{
    return current->has_initializers && (scan_is_word(scan, i - 1) || scan_is(scan, i - 1, ">"));
}

/* Reads the '{' at `i`. Returns the token after it; `ended` if the declaration ends there. */
static uint32_t read_brace(const struct declaration_scan *scan, uint32_t i, uint32_t end,
                           struct current *current, bool *ended)
{
    struct smc_declaration *found = &current->found;
    uint32_t close = match_of(scan, i);
    if (close == SMC_NO_TOKEN || close >= end)
        return i + 1;
    if (current->has_value || initializes_member(scan, i, current))
        return close + 1;
    if (found->parameters != SMC_NO_TOKEN) {
        found->body = i;
        *ended = true;
    } else if (found->body == SMC_NO_TOKEN && current->class_word != SMC_NO_TOKEN) {
        found->body = i;
        if (found->name == SMC_NO_TOKEN)
            found->name = current->last_word;
    } else {
        current->has_value = true;
    }
    return close + 1;
}

/* A name in angle brackets after a word, such as vector<int>, is skipped, so that a comma, a word
   or '=' in it is not taken for one of the declaration. */
static uint32_t skip_angles(const struct declaration_scan *scan, uint32_t i, uint32_t end)
{
    uint32_t close = smc_token_close_angle(scan->tokens, i, end);
    return close == SMC_NO_TOKEN ? i + 1 : close + 1;
}

static void cpp_declarations_conclude(const struct declaration_scan *scan, uint32_t end,
                                      struct current *current)
{
    struct smc_declaration *found = &current->found;
    found->end = end;
    if (scan_is(scan, found->begin, "static_assert") ||
        scan_is(scan, found->begin, "_Static_assert"))
        found->kind = SMC_DECLARE_ASSERT;
    else if ((scan_is(scan, found->begin, "using") &&
              scan_is(scan, found->begin + 1, "namespace")) ||
             scan_is(scan, found->begin, "namespace"))
        found->kind = SMC_DECLARE_DIRECTIVE;
    else if (current->is_alias || current->is_enum)
        found->kind = SMC_DECLARE_TYPE;
    else if (found->parameters != SMC_NO_TOKEN)
        found->kind = SMC_DECLARE_FUNCTION;
    else if (current->class_word != SMC_NO_TOKEN &&
             (found->body != SMC_NO_TOKEN || current->class_word + 3 >= end))
        found->kind = SMC_DECLARE_CLASS;
    else
        found->kind = SMC_DECLARE_VALUE;
    if (found->name == SMC_NO_TOKEN)
        found->name = current->last_word;
}

/* A variable such as "dim3 block(16, 16);" reads as a function: its parentheses hold no types. */
static bool holds_values(const struct declaration_scan *scan, const struct current *current)
{
    uint32_t open = current->found.parameters;
    if (open == SMC_NO_TOKEN || current->found.body != SMC_NO_TOKEN)
        return false;
    enum smc_cpp_token_kind kind = scan->tokens->item[open + 1].kind;
    return kind == SMC_TOKEN_NUMBER || kind == SMC_TOKEN_STRING;
}

/* The use of a macro on a line of its own, without ';'. */
static bool is_macro_use(const struct declaration_scan *scan, uint32_t i, uint32_t end)
{
    if (!scan_is_word(scan, i) || !scan_is(scan, i + 1, "(") || scan_is_one_of(scan, i, attributes))
        return false;
    uint32_t close = match_of(scan, i + 1);
    if (close == SMC_NO_TOKEN || close >= end)
        return false;
    uint32_t next = close + 1;
    const struct smc_cpp_token *item = scan->tokens->item;
    static const char *const goes_on[] = {"{", ";", ":", "->", "=", ",", "const", "noexcept", NULL};
    return next >= end ||
           (item[next].line > item[close].line && !scan_is_one_of(scan, next, goes_on)) ||
           item[next].kind == SMC_TOKEN_DIRECTIVE;
}

static void begin_declaration(uint32_t i, uint32_t parent, bool in_class, struct current *current)
{
    *current = (struct current){
        .found = {.begin = i,
                  .end = i,
                  .name = SMC_NO_TOKEN,
                  .parameters = SMC_NO_TOKEN,
                  .body = SMC_NO_TOKEN,
                  .template_begin = SMC_NO_TOKEN,
                  .parent = parent},
        .last_word = SMC_NO_TOKEN,
        .class_word = SMC_NO_TOKEN,
        .in_class = in_class,
    };
}

/* Reads a word or mark of the declaration; returns the next token. */
static uint32_t read_token(const struct declaration_scan *scan, uint32_t i, uint32_t end,
                           struct current *current, bool *ended)
{
    struct smc_declaration *found = &current->found;
    if (scan_is_word(scan, i)) {
        read_specifier(scan, i, current);
        bool is_name = !current->has_value && found->parameters == SMC_NO_TOKEN &&
                       found->body == SMC_NO_TOKEN && !scan_is(scan, i, "final") &&
                       !scan_is_one_of(scan, i, attributes);
        if (is_name)
            current->last_word = i;
        bool listed =
            scan_is(scan, i + 1, "<") && !current->has_value && !scan_is(scan, i, "operator");
        return listed ? skip_angles(scan, i + 1, end) : i + 1;
    }
    if (scan_is(scan, i, "("))
        return read_parentheses(scan, i, end, current);
    if (scan_is(scan, i, "{"))
        return read_brace(scan, i, end, current, ended);
    if (scan_is(scan, i, "[") && match_of(scan, i) != SMC_NO_TOKEN && match_of(scan, i) < end)
        return match_of(scan, i) + 1;
    if (scan_is(scan, i, ";")) {
        *ended = true;
    } else if (scan_is(scan, i, "=") &&
               (!current->is_operator || found->parameters != SMC_NO_TOKEN)) {
        found->is_default |= scan_is(scan, i + 1, "default") || scan_is(scan, i + 1, "delete");
        current->has_value |= !current->is_alias;
    } else if (scan_is(scan, i, ":") && found->parameters != SMC_NO_TOKEN) {
        current->has_initializers = true;
    } else if (scan_is(scan, i, ":") && current->class_word != SMC_NO_TOKEN &&
               found->name == SMC_NO_TOKEN) {
        found->name = current->last_word; /* base classes follow */
    }
    return i + 1;
}

/* Reads the declaration at `i`; returns the token after it. */
static uint32_t read_cpp_declaration(const struct declaration_scan *scan, uint32_t i, uint32_t end,
                                     struct current *current)
{
    struct smc_declaration *found = &current->found;
    bool ended = false;
    while (scan_is(scan, i, "template") && scan_is(scan, i + 1, "<")) {
        uint32_t close = smc_token_close_angle(scan->tokens, i + 1, end);
        if (close == SMC_NO_TOKEN)
            break;
        if (close > i + 2) /* not "template <>" */
            found->template_begin = i + 1;
        i = close + 1;
    }
    if (is_macro_use(scan, i, end)) {
        uint32_t close = match_of(scan, i + 1);
        cpp_declarations_conclude(scan, close + 1, current);
        found->name = i;
        found->kind = SMC_DECLARE_MACRO;
        return close + 1;
    }
    while (i < end && !ended)
        i = read_token(scan, i, end, current, &ended);
    if (found->body != SMC_NO_TOKEN && found->parameters != SMC_NO_TOKEN && scan_is(scan, i, ";"))
        i++;
    cpp_declarations_conclude(scan, i, current);
    if (found->kind == SMC_DECLARE_FUNCTION && !found->is_device && holds_values(scan, current))
        found->kind = SMC_DECLARE_VALUE;
    return i;
}

/* --- Scopes ----------------------------------------------------------------------------------- */

static void read_scope(struct declaration_scan *scan, uint32_t i, uint32_t end, uint32_t parent,
                       bool in_class, int depth);

/* "namespace a::b {", "inline namespace {", "extern "C" {": the '{', or SMC_NO_TOKEN. */
static uint32_t find_scope(const struct declaration_scan *scan, uint32_t i, uint32_t end,
                           uint32_t *name)
{
    bool is_linkage = scan_is(scan, i, "extern") && i + 1 < end &&
                      scan->tokens->item[i + 1].kind == SMC_TOKEN_STRING;
    *name = SMC_NO_TOKEN;
    if (is_linkage)
        return scan_is(scan, i + 2, "{") ? i + 2 : SMC_NO_TOKEN;
    i += scan_is(scan, i, "inline");
    if (!scan_is(scan, i, "namespace"))
        return SMC_NO_TOKEN;
    for (i++; i < end && !scan_is(scan, i, "{"); i++) {
        if (scan_is(scan, i, ";") || scan_is(scan, i, "="))
            return SMC_NO_TOKEN;
        if (scan_is_word(scan, i) && *name == SMC_NO_TOKEN)
            *name = i;
    }
    return i < end ? i : SMC_NO_TOKEN;
}

/* Tokens between declarations; 0 if one begins at `i`, else how many to skip. */
static uint32_t skip_between(const struct declaration_scan *scan, uint32_t i, bool in_class)
{
    static const char *const access[] = {"public", "private", "protected", NULL};
    static const char *const marks[] = {";", "}", ")", "]", NULL};
    if (scan->tokens->item[i].kind >= SMC_TOKEN_DIRECTIVE || scan_is_one_of(scan, i, marks))
        return 1;
    if (in_class && scan_is_one_of(scan, i, access) && scan_is(scan, i + 1, ":"))
        return 2;
    if (scan_is_word(scan, i) && scan->words->scopes.count > 0 && !scan_is(scan, i + 1, "(") &&
        smc_name_set_has(&scan->words->scopes, smc_token_hash(scan->tokens, i)))
        return 1;
    return 0;
}

/* Reads the namespace, or the linkage, whose '{' is `open`; returns the token after it. */
static uint32_t read_namespace(struct declaration_scan *scan, uint32_t i, uint32_t open,
                               uint32_t name, uint32_t end, uint32_t parent, int depth)
{
    struct current current;
    uint32_t close = match_of(scan, open);
    begin_declaration(i, parent, false, &current);
    current.found.kind = SMC_DECLARE_NAMESPACE;
    current.found.name = name;
    current.found.body = open;
    current.found.end = close == SMC_NO_TOKEN || close >= end ? end : close + 1;
    uint32_t index = cpp_declarations_append(scan, &current.found);
    read_scope(scan, open + 1, current.found.end, index, false, depth + 1);
    return current.found.end;
}

static void read_scope(struct declaration_scan *scan, uint32_t i, uint32_t end, uint32_t parent,
                       bool in_class, int depth)
{
    while (i < end && scan->has_memory) {
        uint32_t name, skipped = skip_between(scan, i, in_class);
        if (skipped > 0) {
            i += skipped;
            continue;
        }
        uint32_t open = find_scope(scan, i, end, &name);
        if (open != SMC_NO_TOKEN && depth < MAX_DEPTH) {
            i = read_namespace(scan, i, open, name, end, parent, depth);
            continue;
        }
        struct current current;
        begin_declaration(i, parent, in_class, &current);
        uint32_t next = read_cpp_declaration(scan, i, end, &current);
        uint32_t index = cpp_declarations_append(scan, &current.found);
        i = next > i ? next : i + 1;
        uint32_t body = current.found.body;
        if (current.found.kind == SMC_DECLARE_CLASS && body != SMC_NO_TOKEN && depth < MAX_DEPTH &&
            match_of(scan, body) != SMC_NO_TOKEN)
            read_scope(scan, body + 1, match_of(scan, body), index, true, depth + 1);
    }
}

bool smc_declarations_read(const struct smc_tokens *tokens, const struct smc_cpp_words *words,
                           struct smc_declarations *declarations)
{
    struct declaration_scan scan = {tokens, words, declarations, true};
    read_scope(&scan, 0, tokens->count, SMC_NO_TOKEN, false, 0);
    return scan.has_memory;
}

void smc_declarations_free(struct smc_declarations *declarations)
{
    free(declarations->item);
    *declarations = (struct smc_declarations){0};
}
