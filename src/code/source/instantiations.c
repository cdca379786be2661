/* Which instances of kernel templates the host code launches. Host templates and macros are
   followed with their arguments substituted. */
#include "code/source/instantiations.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "code/source/object_types.h"

enum { MAX_VISITS = 20000, MAX_FOUND = 4000 };

struct template_search {
    const struct smc_source_tree *tree;
    struct smc_instantiations *found;
    struct smc_name_set kernels, templates, seen; /* names of templates; what was visited */
    struct smc_name_set loose; /* members that are called on an object of unknown type */
    struct smc_class_instances instances;
    size_t visits;
    bool has_memory;
};

/* --- What is found ---------------------------------------------------------------------------- */

static void instantiations_add_found(struct template_search *search, const struct smc_piece *owner,
                                     uint32_t i, struct smc_text *name, bool is_left_out)
{
    struct smc_instantiations *found = search->found;
    const char *text = smc_text_string(name);
    uint64_t hash = smc_hash(is_left_out ? 1 : 2, text, name->length);
    if (found->count >= MAX_FOUND || !smc_name_set_add(&search->seen, hash))
        return;
    if (!smc_make_room(&found->item, found->count, &found->capacity, sizeof *found->item)) {
        search->has_memory = false;
        return;
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

/* Where the type is in "float *a, *b;" whose later declarators begin at `k`: where the statement
   does. False: it declares nothing. */
static bool find_first_type(const struct smc_piece *owner, uint32_t k, uint32_t *begin,
                            uint32_t *end)
{
    static const char *const before[] = {";", "{", "}", "(", NULL};
    while (k > owner->begin && !smc_piece_is_any(owner, k - 1, before))
        k--;
    *begin = *end = k;
    while (smc_piece_is_word(owner, *end) &&
           (smc_piece_is_word(owner, *end + 1) || smc_piece_is(owner, *end + 1, "*")))
        ++*end;
    return *end > k && !smc_piece_is(owner, k - 1, "(") && !smc_piece_is(owner, k, "return");
}

/* The same for a declarator with its type in front of it. */
static bool instantiations_find_type(const struct smc_piece *owner, uint32_t k, uint32_t *begin,
                                     uint32_t *end)
{
    static const char *const passed[] = {"const", "static", "auto", NULL};
    static const char *const others[] = {"return", "delete", "else", "new", NULL};
    *end = k;
    while (k > owner->begin &&
           (smc_piece_is_word(owner, k - 1) || smc_piece_is(owner, k - 1, "::")))
        k--;
    while (k < *end && smc_piece_is_any(owner, k, passed))
        k++;
    *begin = k;
    return k < *end && !smc_piece_is_any(owner, k, others);
}

/* Writes the type of the variable `hash` as declared before token `i` of the owner, without its
   pointers, and counts these. False: not found. */
static bool instantiations_find_variable(const struct smc_piece *owner, uint32_t i, uint64_t hash,
                                         struct smc_text *type, uint32_t *pointers)
{
    static const char *const passed[] = {"*", "&", "__restrict__", "__restrict", NULL};
    while (i-- > owner->begin + 1) {
        if (!smc_piece_is_word(owner, i) || smc_token_hash(owner->tokens, i) != hash)
            continue;
        uint32_t k = i, begin, end;
        *pointers = 0;
        while (k > owner->begin && smc_piece_is_any(owner, k - 1, passed))
            *pointers += smc_piece_is(owner, --k, "*");
        if (smc_piece_is(owner, k - 1, ",") ? find_first_type(owner, k, &begin, &end)
                                            : instantiations_find_type(owner, k, &begin, &end))
            return smc_piece_write(owner, begin, end, 0, type);
    }
    return false;
}

/* Binds the template's parameter at `name` by the call's argument; false: the text does not
 * determine it. */
static bool deduce(const struct smc_piece *kernel, uint32_t name, const struct smc_piece *owner,
                   uint32_t call, uint32_t parameters, struct smc_text *text)
{
    uint64_t hash = smc_token_hash(kernel->tokens, name);
    uint32_t parameter = parameters + 1, argument = call + 1;
    uint32_t close = kernel->tokens->item[parameters].match, last = smc_piece_match(owner, call);
    while (close != SMC_NO_TOKEN && last != SMC_NO_TOKEN && parameter < close && argument < last) {
        uint32_t end = smc_piece_end_of_item(kernel, parameter),
                 stop = smc_piece_end_of_item(owner, argument);
        uint32_t wanted = 0, pointers = 0;
        bool holds = false;
        for (uint32_t i = parameter; i < end && i < close; i++) {
            holds |= smc_piece_is_word(kernel, i) && smc_token_hash(kernel->tokens, i) == hash;
            wanted += smc_piece_is(kernel, i, "*");
        }
        smc_auto_text type = {0};
        bool is_name =
            smc_piece_is_word(owner, argument) && (stop == argument + 1 || last == argument + 1);
        if (holds && is_name &&
            instantiations_find_variable(owner, call, smc_token_hash(owner->tokens, argument),
                                         &type, &pointers) &&
            pointers >= wanted && type.length > 0) {
            smc_text_append(text, smc_text_string(&type));
            smc_text_append_char(text, '*', pointers - wanted);
            return true;
        }
        parameter = end + 1;
        argument = stop + 1;
    }
    return false;
}

/* --- Templates -------------------------------------------------------------------------------- */

/* One parameter of a template: its name and its default value. */
struct template_parameter {
    uint32_t name, value, end; /* value: SMC_NO_TOKEN: none */
    bool is_pack;
};

/* Reads the parameters of "<...>", whose '<' is `i`. */
static size_t instantiations_read_parameters(const struct smc_tokens *tokens, uint32_t i,
                                             struct template_parameter *list)
{
    uint32_t close = smc_token_close_angle(tokens, i, tokens->count);
    size_t count = 0;
    if (close == SMC_NO_TOKEN)
        return 0;
    for (i++; i < close && count < SMC_PIECE_PARAMETERS;) {
        struct template_parameter found = {SMC_NO_TOKEN, SMC_NO_TOKEN, SMC_NO_TOKEN, false};
        for (; i < close && !smc_token_is(tokens, i, ","); i++) {
            const struct smc_cpp_token *token = &tokens->item[i];
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

static void bind(struct template_search *search, struct smc_piece *owner, uint64_t hash,
                 const char *text)
{
    if (owner->count == SMC_PIECE_PARAMETERS)
        return;
    char *copy = text ? smc_strdup(text) : NULL;
    search->has_memory &= copy || !text;
    owner->binding[owner->count++] = (struct smc_binding){hash, copy};
}

/* Cuts the arguments between the brackets `open` and `close` of `from`, with its own parameters
   replaced; unknown ones are NULL. Free them. */
static size_t instantiations_read_arguments(const struct smc_piece *from, uint32_t open,
                                            uint32_t close, char *arguments[SMC_PIECE_PARAMETERS])
{
    size_t count = 0;
    for (uint32_t i = open + 1; i < close && count < SMC_PIECE_PARAMETERS;) {
        uint32_t end = i;
        while (end < close && !smc_piece_is(from, end, ",")) {
            uint32_t angle = smc_token_close_angle(from->tokens, end, close);
            uint32_t match = from->tokens->item[end].match;
            if (angle != SMC_NO_TOKEN)
                end = angle;
            else if (match != SMC_NO_TOKEN && match > end && match < close)
                end = match;
            end++;
        }
        smc_auto_text text = {0};
        bool known = smc_piece_write(from, i, end, 0, &text) && !text.failed;
        arguments[count++] = known ? smc_strdup(smc_text_string(&text)) : NULL;
        i = end + 1;
    }
    return count;
}

/* --- The walk --------------------------------------------------------------------------------- */

static void visit(struct template_search *search, const struct smc_piece *owner, int depth);

/* Finds the declaration of a template of that name, the one nearest to the owner's namespace. */
static const struct smc_declaration *find_template(const struct template_search *search,
                                                   const struct smc_piece *owner, uint64_t hash,
                                                   bool is_kernel, size_t *file)
{
    const struct smc_declaration *best = NULL;
    struct smc_declared at = {0};
    for (const struct smc_declaration *found; (found = smc_source_tree_next(search->tree, &at));) {
        if (found->template_begin == SMC_NO_TOKEN || found->name == SMC_NO_TOKEN ||
            found->is_kernel != is_kernel ||
            smc_token_hash(&at.file->tokens, found->name) != hash ||
            (!is_kernel && smc_token_is(&at.file->tokens, found->name - 1, "::")))
            continue; /* Class<T>::name is not a template of its own */
        bool nearer = at.number == owner->file && found->parent == owner->scope;
        if (best && !nearer && best->body != SMC_NO_TOKEN)
            continue;
        best = found;
        *file = at.number;
    }
    return best;
}

static bool is_launch_at(const struct smc_piece *owner, uint32_t i)
{
    return smc_piece_is(owner, i, "<") && smc_piece_is(owner, i + 1, "<") &&
           smc_piece_is(owner, i + 2, "<");
}

/* The '(' of the arguments after "<<<...>>>" at `launch`; SMC_NO_TOKEN: none. */
static uint32_t find_arguments(const struct smc_piece *owner, uint32_t launch)
{
    enum { MOST_TOKENS = 400 };
    for (uint32_t k = launch + 3; is_launch_at(owner, launch) && k < launch + MOST_TOKENS; k++)
        if (smc_piece_is(owner, k, ">") && smc_piece_is(owner, k + 1, ">") &&
            smc_piece_is(owner, k + 2, ">") && smc_piece_is(owner, k + 3, "("))
            return k + 3;
    return SMC_NO_TOKEN;
}

/* Where a template is named: the arguments that it is given, which are owned, and the '(' of a
   call, or SMC_NO_TOKEN, in `owner`. */
struct template_use {
    const struct smc_piece *owner;
    uint32_t call;
    size_t given;
    char *argument[SMC_PIECE_PARAMETERS];
};

static void template_use_free(struct template_use *use)
{
    for (size_t k = 0; k < use->given; k++)
        free(use->argument[k]);
}

/* Writes the kernel's template arguments: those `given`, then those that its call determines.
   False: not all are known. */
static bool write_arguments(const struct smc_piece *of, const struct smc_declaration *kernel,
                            const struct template_use *use, struct smc_text *name)
{
    struct template_parameter list[SMC_PIECE_PARAMETERS];
    const size_t count = instantiations_read_parameters(of->tokens, kernel->template_begin, list);
    for (size_t k = 0; k < use->given; k++) {
        if (!use->argument[k])
            return false;
        smc_text_printf(name, "%s%s", k ? ", " : "<", use->argument[k]);
    }
    size_t k = use->given, before = name->length;
    for (; k < count && !list[k].is_pack && list[k].name != SMC_NO_TOKEN; k++) {
        before = name->length;
        smc_text_append(name, k ? ", " : "<");
        if (use->call == SMC_NO_TOKEN || kernel->parameters == SMC_NO_TOKEN ||
            !deduce(of, list[k].name, use->owner, use->call, kernel->parameters, name))
            break;
        before = name->length;
    }
    smc_text_cut(name, before);
    smc_text_append(name, k > 0 ? ">" : "<>");
    /* What is not written has a default value. */
    return k >= count || (!list[k].is_pack && list[k].value != SMC_NO_TOKEN);
}

/* The kernel template `hash`, named at `i`, launched with or without template arguments. */
static void visit_kernel(struct template_search *search, const struct smc_piece *owner, uint32_t i,
                         uint64_t hash)
{
    size_t file;
    const struct smc_declaration *kernel = find_template(search, owner, hash, true, &file);
    const bool is_launch = is_launch_at(owner, i + 1);
    const uint32_t close =
        is_launch ? SMC_NO_TOKEN : smc_token_close_angle(owner->tokens, i + 1, owner->end);
    if (!kernel || (close == SMC_NO_TOKEN && !is_launch))
        return;
    smc_auto_text name = {0};
    SMC_AUTO(template_use_free)
    struct template_use use = {
        owner, find_arguments(owner, is_launch ? i + 1 : close + 1), 0, {NULL}};
    if (!is_launch)
        use.given = instantiations_read_arguments(owner, i + 1, close, use.argument);
    const struct smc_piece of = smc_piece_of(search->tree, file, kernel);
    const struct smc_cpp_token *token = &of.tokens->item[kernel->name];
    smc_piece_write_scope(&search->tree->file[file], kernel->parent, &name);
    smc_text_append_bytes(&name, of.tokens->text + token->begin, token->end - token->begin);
    const size_t bare = name.length;
    const bool known = write_arguments(&of, kernel, &use, &name);
    if (!known)
        smc_text_cut(&name, bare);
    search->has_memory &= !name.failed;
    instantiations_add_found(search, owner, i, &name, !known);
}

/* Whether the compiler could deduce every argument of a call without any. Otherwise the call means
   another function of that name. */
static bool is_callable(const struct smc_piece *of, const struct smc_declaration *found)
{
    struct template_parameter list[SMC_PIECE_PARAMETERS];
    const size_t count = instantiations_read_parameters(of->tokens, found->template_begin, list);
    uint32_t open = found->parameters;
    uint32_t close = open == SMC_NO_TOKEN ? SMC_NO_TOKEN : smc_piece_match(of, open);
    for (size_t k = 0; k < count && close != SMC_NO_TOKEN; k++) {
        bool named =
            list[k].is_pack || list[k].value != SMC_NO_TOKEN || list[k].name == SMC_NO_TOKEN;
        for (uint32_t i = open + 1; i < close && !named; i++)
            named = smc_piece_is_word(of, i) &&
                    smc_token_hash(of->tokens, i) == smc_token_hash(of->tokens, list[k].name);
        if (!named)
            return false;
    }
    return true;
}

/* --- Members of class templates --------------------------------------------------------------- */

static uint32_t instantiations_index_of(const struct smc_source_file *file,
                                        const struct smc_declaration *declaration)
{
    return (uint32_t)(declaration - file->declarations.item);
}

/* Whether the token before the member's name is "Buffer<T>::" of this class. */
static bool is_defined_outside(const struct smc_source_file *file,
                               const struct smc_declaration *member, uint64_t class_hash)
{
    const struct smc_tokens *tokens = &file->tokens;
    uint32_t close = member->name - 2;
    if (member->kind != SMC_DECLARE_FUNCTION || member->template_begin == SMC_NO_TOKEN ||
        member->name == SMC_NO_TOKEN || member->name < 5 ||
        !smc_token_is(tokens, member->name - 1, "::") || !smc_token_is(tokens, close, ">"))
        return false;
    for (uint32_t open = close; open-- > member->begin + 1;)
        if (smc_token_close_angle(tokens, open, close + 1) == close)
            return smc_token_hash(tokens, open - 1) == class_hash;
    return false;
}

/* Whether the member exists as soon as an object does: constructors, destructors, operators and
   virtual functions. */
static bool comes_with_object(const struct smc_source_file *file,
                              const struct smc_declaration *member, uint64_t class_hash)
{
    if (member->name == SMC_NO_TOKEN || smc_token_hash(&file->tokens, member->name) == class_hash)
        return true;
    const uint32_t end = member->body != SMC_NO_TOKEN ? member->body : member->end;
    for (uint32_t i = member->begin; i < end; i++)
        if (smc_token_is(&file->tokens, i, "virtual") ||
            smc_token_is(&file->tokens, i, "override") ||
            smc_token_is(&file->tokens, i, "operator"))
            return true;
    return false;
}

static void visit_member(struct template_search *search, size_t number, size_t file,
                         const struct smc_declaration *member, bool is_inside, int depth)
{
    const struct smc_class_instance *instance = &search->instances.item[number - 1];
    struct smc_piece of = smc_piece_of(search->tree, file, member);
    struct smc_piece class = instance->of;
    of.instance = number;
    of.count = class.count;
    memcpy(of.binding, class.binding, sizeof of.binding);
    if (is_inside) { /* data members are found, too */
        of.begin = class.begin;
    } else {
        struct template_parameter list[SMC_PIECE_PARAMETERS];
        size_t count = instantiations_read_parameters(of.tokens, member->template_begin, list);
        for (size_t k = 0; k < count && k < of.count; k++)
            if (list[k].name != SMC_NO_TOKEN)
                of.binding[k].hash = smc_token_hash(of.tokens, list[k].name);
    }
    visit(search, &of, depth + 1); /* the texts belong to the instance */
}

enum { ANY_NUMBER = UINT32_MAX, MAX_GIVEN = 16 };

/* The arguments between the bracket `open` and its twin; ANY_NUMBER: the text does not tell. */
static uint32_t count_given(const struct smc_piece *owner, uint32_t open)
{
    const uint32_t close = smc_piece_match(owner, open);
    if ((!smc_piece_is(owner, open, "(") && !smc_piece_is(owner, open, "{")) ||
        close == SMC_NO_TOKEN)
        return ANY_NUMBER;
    uint32_t count = close > open + 1;
    for (uint32_t i = open + 1; i < close; i++) {
        const uint32_t angle = smc_token_close_angle(owner->tokens, i, close);
        const uint32_t match = owner->tokens->item[i].match;
        if (smc_piece_is(owner, i, ".") && smc_piece_is(owner, i + 1, "."))
            return ANY_NUMBER; /* a pack */
        count += smc_piece_is(owner, i, ",");
        i = angle != SMC_NO_TOKEN                                 ? angle
            : match != SMC_NO_TOKEN && match > i && match < close ? match
                                                                  : i;
    }
    return count <= MAX_GIVEN ? count : ANY_NUMBER;
}

/* Whether the member can be called with that many arguments. Its default values are where the class
   declares it. */
static bool instantiations_accepts(const struct smc_source_file *file,
                                   const struct smc_declaration *member, bool is_inside,
                                   uint32_t given)
{
    const struct smc_tokens *tokens = &file->tokens;
    const uint32_t open = member->parameters;
    const uint32_t close = open != SMC_NO_TOKEN ? tokens->item[open].match : SMC_NO_TOKEN;
    if (given == ANY_NUMBER || close == SMC_NO_TOKEN || close < open ||
        smc_token_is(tokens, member->name - 1, "~"))
        return true;
    uint32_t most = close > open + 1 && !smc_token_is(tokens, open + 1, "void"), defaults = 0;
    for (uint32_t i = open + 1; i < close; i++) {
        const uint32_t angle = smc_token_close_angle(tokens, i, close);
        const uint32_t match = tokens->item[i].match;
        if (smc_token_is(tokens, i, ".") || smc_token_is(tokens, i, "initializer_list"))
            return true;
        most += smc_token_is(tokens, i, ",");
        most +=
            smc_token_is(tokens, i, "void") && smc_token_is(tokens, i + 1, "*") && i == open + 1;
        defaults += smc_token_is(tokens, i, "=");
        i = angle != SMC_NO_TOKEN                                 ? angle
            : match != SMC_NO_TOKEN && match > i && match < close ? match
                                                                  : i;
    }
    return given <= most && (!is_inside || given + defaults >= most);
}

enum which { ALL_MEMBERS, WITH_OBJECT, NAMED, LOOSE };

/* Which members are visited: by name and number of arguments. */
struct wanted_members {
    enum which which;
    uint64_t name;
    uint32_t given;
};

static uint64_t hash_of_call(uint64_t name, uint32_t given)
{
    return smc_hash(name, &given, sizeof given);
}

static bool instantiations_is_wanted(const struct template_search *search,
                                     const struct smc_source_file *file,
                                     const struct smc_declaration *member, uint64_t class_hash,
                                     const struct wanted_members *wanted)
{
    const bool is_inside = !is_defined_outside(file, member, class_hash);
    const uint64_t hash =
        member->name != SMC_NO_TOKEN ? smc_token_hash(&file->tokens, member->name) : 0;
    switch (wanted->which) {
    case ALL_MEMBERS:
        return true;
    case WITH_OBJECT:
        return comes_with_object(file, member, class_hash) &&
               (hash != class_hash ||
                instantiations_accepts(file, member, is_inside, wanted->given));
    case NAMED:
        return hash == wanted->name &&
               instantiations_accepts(file, member, is_inside, wanted->given);
    case LOOSE:
        break;
    }
    bool is_called = smc_name_set_has(&search->loose, hash_of_call(hash, ANY_NUMBER));
    for (uint32_t given = 0; given <= MAX_GIVEN && !is_called; given++)
        is_called = smc_name_set_has(&search->loose, hash_of_call(hash, given)) &&
                    instantiations_accepts(file, member, is_inside, given);
    return is_called;
}

/* Visits the members of the instance; the number of those that there are. */
static size_t visit_members(struct template_search *search, size_t number,
                            const struct wanted_members *wanted, int depth)
{
    const struct smc_declaration *class = search->instances.item[number - 1].declaration;
    const size_t home = search->instances.item[number - 1].file;
    const struct smc_source_file *of = &search->tree->file[home];
    const uint64_t class_hash = smc_token_hash(&of->tokens, class->name);
    size_t count = 0;
    struct smc_declared at = {0};
    for (const struct smc_declaration *member;
         (member = smc_source_tree_next(search->tree, &at));) {
        bool is_inside = at.number == home &&
                         member->parent == instantiations_index_of(of, class) &&
                         member->kind == SMC_DECLARE_FUNCTION;
        if (!(is_inside || is_defined_outside(at.file, member, class_hash)) ||
            !instantiations_is_wanted(search, at.file, member, class_hash, wanted))
            continue;
        count++;
        if (member->body != SMC_NO_TOKEN)
            visit_member(search, number, at.number, member, is_inside, depth);
    }
    return count;
}

/* Visits the parts of the class that are not functions: its bases and data. */
static void visit_data(struct template_search *search, size_t number, int depth)
{
    const struct smc_class_instance *instance = &search->instances.item[number - 1];
    const struct smc_source_file *file = &search->tree->file[instance->file];
    const uint32_t index = instantiations_index_of(file, instance->declaration);
    struct smc_piece part = instance->of;
    const uint32_t end = part.end;
    part.instance = number;
    part.head = SMC_NO_TOKEN;
    part.body = part.begin;
    for (uint32_t i = 0; i < file->declarations.count; i++) {
        const struct smc_declaration *member = &file->declarations.item[i];
        if (member->parent != index || member->kind != SMC_DECLARE_FUNCTION ||
            member->begin < part.body)
            continue;
        part.end = member->begin;
        visit(search, &part, depth + 1);
        part.body = member->end;
    }
    part.end = end;
    visit(search, &part, depth + 1);
}

/* Whether "Buffer<int>", from `before` to `close`, is the type of an object, and not of a pointer,
   an alias, a parameter, which is made elsewhere, or the scope of a name. */
static bool makes_object(const struct smc_piece *owner, uint32_t before, uint32_t close)
{
    const uint32_t open = owner->head;
    uint32_t last = open == SMC_NO_TOKEN ? SMC_NO_TOKEN : smc_piece_match(owner, open);
    if (last != SMC_NO_TOKEN && before > open && before < last)
        return false;
    while (before > owner->begin && (smc_piece_is(owner, before - 1, "typename") ||
                                     smc_piece_is(owner, before - 1, "const")))
        before--;
    return close != SMC_NO_TOKEN && !smc_piece_is(owner, before - 1, "typedef") &&
           (smc_piece_is_word(owner, close + 1) || smc_piece_is(owner, close + 1, "(") ||
            smc_piece_is(owner, close + 1, "{"));
}

static void construct_with(struct template_search *search, size_t number, uint32_t given, int depth)
{
    const uint64_t hash = smc_hash(SMC_HASH_START, &number, sizeof number);
    if (smc_name_set_add(&search->seen, hash_of_call(hash, given)))
        visit_members(search, number, &(struct wanted_members){WITH_OBJECT, 0, given}, depth);
}

/* A constructor gives the member `name` other arguments: "Owner() : name(3)". */
static void construct_member(struct template_search *search, size_t number, uint64_t name,
                             int depth)
{
    for (size_t k = 0; k < search->tree->count; k++) {
        const struct smc_tokens *tokens = &search->tree->file[k].tokens;
        const struct smc_piece all = {.tokens = tokens, .end = tokens->count};
        for (uint32_t i = 1; i + 1 < tokens->count; i++)
            if (tokens->item[i].kind == SMC_TOKEN_WORD && smc_token_hash(tokens, i) == name &&
                (smc_token_is(tokens, i - 1, ":") || smc_token_is(tokens, i - 1, ",")) &&
                (smc_token_is(tokens, i + 1, "(") || smc_token_is(tokens, i + 1, "{")))
                construct_with(search, number, count_given(&all, i + 1), depth);
    }
}

/* The arguments of a base in the head of a class: its constructors' lists of initializers count by
   themselves. "using Base::Base" takes over others. */
static uint32_t count_of_base(const struct smc_piece *owner)
{
    for (uint32_t i = owner->body; i < owner->end; i++)
        if (smc_piece_is(owner, i, "using"))
            return ANY_NUMBER;
    return 0;
}

/* An object of the type that ends at `close`. */
static void construct(struct template_search *search, size_t number, const struct smc_piece *owner,
                      uint32_t close, int depth)
{
    const bool is_named = smc_piece_is_word(owner, close + 1);
    const uint32_t after = is_named ? close + 2 : close + 1;
    const bool is_base = close < owner->body && !smc_piece_is(owner, owner->head, "(");
    uint32_t given = is_base ? count_of_base(owner) : count_given(owner, after);
    if (is_named && (smc_piece_is(owner, after, ";") || smc_piece_is(owner, after, ",") ||
                     smc_piece_is(owner, after, "[")))
        given = 0;
    else if (is_named && smc_piece_is(owner, after, "="))
        given = 1;
    construct_with(search, number, given, depth);
    if (is_named && given == 0)
        construct_member(search, number, smc_token_hash(owner->tokens, close + 1), depth);
}

/* A mention of the class template `found` at `i`; `of` has its bindings, which are taken. */
static void visit_class(struct template_search *search, const struct template_use *use, uint32_t i,
                        const struct smc_declaration *found, struct smc_piece *of, int depth)
{
    const struct smc_piece *owner = use->owner;
    uint32_t close = smc_token_close_angle(owner->tokens, i + 1, owner->end), before = i;
    smc_auto_text raw = {0}, type = {0};
    const struct smc_cpp_token *name = &of->tokens->item[found->name];
    smc_text_printf(&raw, "%.*s<", (int)(name->end - name->begin), of->tokens->text + name->begin);
    for (size_t k = 0; k < use->given; k++)
        smc_text_printf(&raw, "%s%s", k ? "," : "", use->argument[k] ? use->argument[k] : "?");
    smc_text_append(&raw, ">");
    smc_object_type_append(smc_text_string(&raw), &type);
    smc_name_set_add(&search->found->known_classes, smc_token_hash(of->tokens, found->name));
    size_t number = smc_class_instance_find(&search->instances, smc_text_string(&type));
    const bool is_new = number == 0;
    if (is_new && depth <= SMC_PIECE_DEPTH)
        search->has_memory &= (number = smc_class_instance_add(&search->instances, found, of,
                                                               smc_text_string(&type))) > 0;
    smc_piece_free_bindings(of);
    if (number == 0)
        return;
    while (before >= 2 && smc_piece_is(owner, before - 1, "::"))
        before -= 2;
    bool is_explicit =
        before >= 2 && smc_piece_is(owner, before - 2, "template") &&
        (smc_piece_is(owner, before - 1, "class") || smc_piece_is(owner, before - 1, "struct"));
    const bool is_elsewhere = is_explicit && smc_piece_is(owner, before - 3, "extern");
    is_explicit &= !is_elsewhere;
    if (is_new)
        visit_data(search, number, depth);
    if (is_explicit && !search->instances.item[number - 1].is_explicit) {
        search->instances.item[number - 1].is_explicit = true;
        visit_members(search, number, &(struct wanted_members){ALL_MEMBERS, 0, ANY_NUMBER}, depth);
    }
    if (!is_elsewhere && makes_object(owner, before, close))
        construct(search, number, owner, close, depth);
}

/* The arguments of the call of the name at `i`, with or without those of a template. */
static uint32_t count_call(const struct smc_piece *owner, uint32_t i)
{
    const uint32_t close = smc_token_close_angle(owner->tokens, i + 1, owner->end);
    return count_given(owner, close == SMC_NO_TOKEN ? i + 1 : close + 1);
}

static void add_loose(struct template_search *search, uint64_t name, uint32_t given)
{
    smc_name_set_add(&search->loose, hash_of_call(name, given));
    smc_name_set_add(&search->found->unsure_members, name);
}

/* Visits the member of that name, of the instance or else of its bases; the number of those that
   there are. */
static size_t visit_named(struct template_search *search, size_t number,
                          const struct wanted_members *wanted, int depth)
{
    size_t count = visit_members(search, number, wanted, depth);
    if (count > 0 || depth > SMC_PIECE_DEPTH)
        return count;
    const struct smc_piece of = search->instances.item[number - 1].of;
    const uint32_t name = search->instances.item[number - 1].declaration->name;
    for (uint32_t i = name + 1; i < of.body && smc_piece_is_word(&of, name); i++) {
        uint32_t close = smc_token_close_angle(of.tokens, i + 1, of.body);
        smc_auto_text raw = {0}, type = {0};
        if (close == SMC_NO_TOKEN || !smc_piece_is_word(&of, i))
            continue;
        if (smc_piece_write(&of, i, close + 1, 0, &raw))
            smc_object_type_append(smc_text_string(&raw), &type);
        const size_t base = smc_class_instance_find(&search->instances, smc_text_string(&type));
        if (base > 0 && base != number)
            count += visit_named(search, base, wanted, depth + 1);
        i = close;
    }
    return count;
}

/* "object.name(" or "object->name(": the member of its type, or of every type that has one. */
static void visit_member_call(struct template_search *search, const struct smc_piece *owner,
                              uint32_t i, uint64_t hash, int depth)
{
    static const char std[] = "std::";
    const struct wanted_members wanted = {NAMED, hash, count_call(owner, i)};
    smc_auto_text type = {0};
    const bool known = smc_object_type_write(search->tree, &search->instances, owner, i, &type);
    const bool is_inner = smc_piece_is(owner, i - 1, "->") || smc_piece_is(owner, i - 2, "]");
    const bool is_foreign = !is_inner && strncmp(smc_text_string(&type), std, sizeof std - 1) == 0;
    const size_t number =
        known ? smc_object_type_instance(search->tree, &search->instances, is_inner, &type) : 0;
    const bool is_found =
        (number > 0 && visit_named(search, number, &wanted, depth) > 0) ||
        (known &&
         (is_foreign || smc_object_type_has_member(search->tree, smc_text_string(&type), hash)));
    if (!is_found)
        add_loose(search, hash, number > 0 ? ANY_NUMBER : wanted.given);
}

/* "Buffer<int>::name" */
static void visit_static_call(struct template_search *search, const struct smc_piece *owner,
                              uint32_t i, uint64_t hash, int depth)
{
    smc_auto_text raw = {0}, type = {0};
    uint32_t close = i - 2, open = close;
    while (open > owner->begin && smc_token_close_angle(owner->tokens, open, close + 1) != close)
        open--;
    bool known = open > owner->begin && smc_piece_write(owner, open - 1, close + 1, 0, &raw);
    smc_object_type_append(smc_text_string(&raw), &type);
    size_t number = known ? smc_class_instance_find(&search->instances, smc_text_string(&type)) : 0;
    const struct wanted_members wanted = {NAMED, hash, count_call(owner, i)};
    if (number == 0 || visit_named(search, number, &wanted, depth) == 0)
        add_loose(search, hash, ANY_NUMBER);
}

/* Members that are called on objects of unknown type, on every instance, until nothing is new. */
static void visit_loose(struct template_search *search)
{
    for (size_t before = SIZE_MAX; before != search->seen.count && search->has_memory;) {
        before = search->seen.count;
        for (size_t number = 1; number <= search->instances.count; number++)
            visit_members(search, number, &(struct wanted_members){LOOSE, 0, 0}, 0);
    }
}

/* The bindings of a template's parameters: the arguments that are given, then those that a call
   determines, then default values. */
static void bind_parameters(struct template_search *search, struct smc_piece *of,
                            const struct smc_declaration *found, const struct template_use *use)
{
    struct template_parameter list[SMC_PIECE_PARAMETERS];
    const size_t count = instantiations_read_parameters(of->tokens, found->template_begin, list);
    for (size_t k = 0; k < count; k++) {
        smc_auto_text text = {0};
        bool known = k < use->given && use->argument[k];
        if (known)
            smc_text_append(&text, use->argument[k]);
        else if (k >= use->given && use->call != SMC_NO_TOKEN && list[k].name != SMC_NO_TOKEN &&
                 found->parameters != SMC_NO_TOKEN)
            known = deduce(of, list[k].name, use->owner, use->call, found->parameters, &text);
        if (!known && k >= use->given && list[k].value != SMC_NO_TOKEN)
            known = smc_piece_write(of, list[k].value, list[k].end, 0, &text);
        if (list[k].name != SMC_NO_TOKEN)
            bind(search, of, smc_token_hash(of->tokens, list[k].name),
                 known ? smc_text_string(&text) : NULL);
    }
}

/* The host function or class template `hash`, named at `i`, with its arguments. */
static void visit_template(struct template_search *search, const struct smc_piece *owner,
                           uint32_t i, uint64_t hash, int depth)
{
    size_t file;
    const struct smc_declaration *found = find_template(search, owner, hash, false, &file);
    uint32_t close = smc_token_close_angle(owner->tokens, i + 1, owner->end);
    if (!found || (found->is_device && found->kind != SMC_DECLARE_CLASS))
        return;
    const bool is_class = found->kind == SMC_DECLARE_CLASS;
    const bool has_none = close == SMC_NO_TOKEN;
    SMC_AUTO(smc_piece_free_bindings)
    struct smc_piece of = smc_piece_of(search->tree, file, found);
    if (has_none && (found->kind != SMC_DECLARE_FUNCTION || !smc_piece_is(owner, i + 1, "(") ||
                     !is_callable(&of, found)))
        return;
    const uint32_t call = has_none ? i + 1 : close + 1;
    SMC_AUTO(template_use_free)
    struct template_use use = {
        owner, smc_piece_is(owner, call, "(") ? call : SMC_NO_TOKEN, 0, {NULL}};
    if (!has_none)
        use.given = instantiations_read_arguments(owner, i + 1, close, use.argument);
    bind_parameters(search, &of, found, &use);
    if (is_class)
        visit_class(search, &use, i, found, &of, depth);
    else
        visit(search, &of, depth + 1);
}

static void visit_macro(struct template_search *search, const struct smc_piece *owner, uint32_t i,
                        const struct smc_source_macro *macro, int depth)
{
    char *arguments[SMC_PIECE_PARAMETERS];
    size_t given = 0, k = 0;
    struct smc_piece of = {.tree = search->tree,
                           .tokens = &macro->tokens,
                           .begin = macro->body,
                           .end = macro->tokens.count,
                           .head = SMC_NO_TOKEN,
                           .body = macro->body,
                           .file = owner->file,
                           .line = owner->line ? owner->line : owner->tokens->item[i].line,
                           .scope = owner->scope};
    if (macro->is_function &&
        (!smc_piece_is(owner, i + 1, "(") || smc_piece_match(owner, i + 1) == SMC_NO_TOKEN))
        return;
    for (size_t b = 0; b < owner->count; b++) /* the text is expanded within the owner */
        bind(search, &of, owner->binding[b].hash, owner->binding[b].text);
    if (macro->is_function)
        given =
            instantiations_read_arguments(owner, i + 1, smc_piece_match(owner, i + 1), arguments);
    for (uint32_t at = 2; macro->is_function && at + 1 < macro->body; at++) {
        if (macro->tokens.item[at].kind != SMC_TOKEN_WORD)
            continue;
        bind(search, &of, smc_token_hash(&macro->tokens, at), k < given ? arguments[k] : NULL);
        k++;
    }
    for (k = 0; k < given; k++)
        free(arguments[k]);
    visit(search, &of, depth + 1);
    smc_piece_free_bindings(&of);
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

/* Visits what a parameter stands for: its text may have launches. */
static void visit_argument(struct template_search *search, const struct smc_piece *owner,
                           uint32_t i, const char *text, int depth)
{
    struct smc_piece of = *owner;
    SMC_AUTO(smc_tokens_free) struct smc_tokens tokens = {0};
    search->has_memory &= smc_tokens_read(text, strlen(text), &tokens);
    of.tokens = &tokens;
    of.begin = of.body = 0;
    of.head = SMC_NO_TOKEN;
    of.end = tokens.count;
    of.line = owner->line ? owner->line : owner->tokens->item[i].line;
    of.count = 0;
    if (search->has_memory)
        visit(search, &of, depth + 1);
}

static void visit_word(struct template_search *search, const struct smc_piece *owner, uint32_t i,
                       int depth)
{
    uint64_t hash = smc_token_hash(owner->tokens, i);
    const struct smc_binding *binding = smc_piece_binding(owner, hash);
    uint64_t meant = binding && binding->text ? hash_of_name(binding->text) : 0;
    if (meant != 0)
        hash = meant;
    const bool is_call = smc_piece_is(owner, i + 1, "(") || smc_piece_is(owner, i + 1, "<");
    if (i > owner->begin && (smc_piece_is(owner, i - 1, ".") || smc_piece_is(owner, i - 1, "->"))) {
        if (is_call)
            visit_member_call(search, owner, i, hash, depth);
        return;
    }
    if (i > owner->begin + 2 && smc_piece_is(owner, i - 1, "::") && smc_piece_is(owner, i - 2, ">"))
        visit_static_call(search, owner, i, hash, depth);
    else if (owner->instance > 0 && is_call &&
             visit_named(search, owner->instance,
                         &(struct wanted_members){NAMED, hash, count_call(owner, i)}, depth) > 0)
        return;
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
    if (binding && binding->text && strchr(binding->text, '<'))
        visit_argument(search, owner, i, binding->text, depth);
}

static void visit(struct template_search *search, const struct smc_piece *owner, int depth)
{
    uint64_t hash = smc_hash(SMC_HASH_START, &owner->tokens, sizeof owner->tokens);
    hash = smc_hash(hash, &owner->begin, sizeof owner->begin);
    hash = smc_hash(hash, &owner->body, sizeof owner->body);
    for (size_t i = 0; i < owner->count; i++)
        if (owner->binding[i].text)
            hash = smc_hash(hash, owner->binding[i].text, strlen(owner->binding[i].text) + 1);
        else
            hash = smc_hash(hash, "?", 2);
    if (depth > SMC_PIECE_DEPTH || ++search->visits > MAX_VISITS ||
        (owner->tokens->item && owner->count > 0 && owner->line == 0 &&
         !smc_name_set_add(&search->seen, hash)))
        return;
    const uint32_t begin = owner->head != SMC_NO_TOKEN ? owner->head : owner->body;
    for (uint32_t i = begin; i < owner->end && search->has_memory; i++)
        if (owner->tokens->item[i].kind == SMC_TOKEN_WORD)
            visit_word(search, owner, i, depth);
}

static void collect_names(struct template_search *search)
{
    struct smc_declared at = {0};
    for (const struct smc_declaration *found; (found = smc_source_tree_next(search->tree, &at));) {
        if (found->template_begin == SMC_NO_TOKEN || found->name == SMC_NO_TOKEN)
            continue;
        uint64_t hash = smc_token_hash(&at.file->tokens, found->name);
        if (found->is_kernel)
            smc_name_set_add(&search->kernels, hash);
        else if (found->kind == SMC_DECLARE_FUNCTION || found->kind == SMC_DECLARE_CLASS)
            smc_name_set_add(&search->templates, hash);
    }
}

/* Whether the walk begins here: code of the host that is not a template, nor in one. */
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
    struct template_search search = {.tree = tree, .found = found, .has_memory = true};
    collect_names(&search);
    for (size_t k = 0; k < tree->count && search.kernels.count > 0; k++)
        for (uint32_t i = 0; i < tree->file[k].declarations.count && search.has_memory; i++) {
            const struct smc_declaration *declaration = &tree->file[k].declarations.item[i];
            const struct smc_piece owner = smc_piece_of(search.tree, k, declaration);
            if (is_start(&tree->file[k], declaration))
                visit(&search, &owner, 0);
        }
    visit_loose(&search);
    search.has_memory &= !search.kernels.failed && !search.templates.failed &&
                         !search.seen.failed && !search.loose.failed &&
                         !found->unsure_members.failed && !found->known_classes.failed;
    smc_class_instances_free(&search.instances);
    smc_name_set_free(&search.loose);
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
    smc_name_set_free(&found->unsure_members);
    smc_name_set_free(&found->known_classes);
    *found = (struct smc_instantiations){0};
}
