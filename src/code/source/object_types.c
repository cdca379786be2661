/* Types of objects in host code, as far as the text tells them. */
#include "code/source/object_types.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

void smc_object_type_append(const char *type, struct smc_text *text)
{
    SMC_AUTO(smc_tokens_free) struct smc_tokens tokens = {0};
    text->failed |= !smc_tokens_read(type, strlen(type), &tokens);
    for (uint32_t i = 0; i < tokens.count; i++) {
        bool is_scope =
            smc_token_is(&tokens, i + 1, "::")
                ? !smc_token_is(&tokens, i, "std")
                : smc_token_is(&tokens, i, "::") && !(i > 0 && smc_token_is(&tokens, i - 1, "std"));
        bool is_bracket = smc_token_is(&tokens, i, "(") || smc_token_is(&tokens, i, ")");
        if (!is_scope && !is_bracket && !smc_token_is(&tokens, i, "const"))
            smc_text_append_bytes(text, tokens.text + tokens.item[i].begin,
                                  tokens.item[i].end - tokens.item[i].begin);
    }
}

size_t smc_class_instance_find(const struct smc_class_instances *all, const char *type)
{
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->item[i].type, type) == 0)
            return i + 1;
    return 0;
}

size_t smc_class_instance_add(struct smc_class_instances *all,
                              const struct smc_declaration *declaration, struct smc_piece *of,
                              const char *type)
{
    if (!smc_make_room(&all->item, all->count, &all->capacity, sizeof *all->item))
        return 0;
    char *copy = smc_strdup(type);
    if (!copy)
        return 0;
    all->item[all->count] = (struct smc_class_instance){declaration, of->file, copy, *of, false};
    of->count = 0; /* the bindings are the instance's */
    return ++all->count;
}

void smc_class_instances_free(struct smc_class_instances *all)
{
    for (size_t i = 0; i < all->count; i++) {
        smc_piece_free_bindings(&all->item[i].of);
        free(all->item[i].type);
    }
    free(all->item);
    *all = (struct smc_class_instances){0};
}

/* What types are looked up in. */
struct known_types {
    const struct smc_source_tree *tree;
    const struct smc_class_instances *all;
};

/* Writes the type in front of the name at `i`: "Buffer<double> &b" has Buffer<double>. */
static bool write_type_before(const struct smc_piece *owner, uint32_t i, struct smc_text *type)
{
    uint32_t k = i;
    static const char *const passed[] = {"*", "&", "const", "__restrict__", NULL};
    static const char *const others[] = {"return", "else", "auto",     "new",
                                         "delete", "case", "typename", NULL};
    while (k > owner->begin && smc_piece_is_any(owner, k - 1, passed))
        k--;
    uint32_t end = k, begin = k;
    if (k > owner->begin && smc_piece_is(owner, k - 1, ">")) {
        while (begin > owner->begin + 1 &&
               smc_token_close_angle(owner->tokens, begin, end) != end - 1)
            begin--;
    }
    if (begin == owner->begin || !smc_piece_is_word(owner, begin - 1))
        return false;
    begin--;
    if (smc_piece_is_any(owner, begin, others))
        return false;
    if (begin >= owner->begin + 2 && smc_piece_is(owner, begin - 1, "::") &&
        smc_piece_is(owner, begin - 2, "std"))
        smc_text_append(type, "std::");
    return smc_piece_write(owner, begin, end, 0, type);
}

/* Writes the type with which the owner declares the name, the nearest before token `i` if it has
   several. */
static bool write_declared(const struct smc_piece *owner, uint32_t i, uint64_t hash,
                           struct smc_text *type)
{
    static const char *const after[] = {";", "=", ",", ")", "{", "(", "[", NULL};
    const uint32_t count = owner->end - owner->begin;
    for (uint32_t n = 1; n < count; n++) { /* backwards from `i`, then what follows it */
        uint32_t at = i > owner->begin + n ? i - n : owner->begin + n;
        if (!smc_piece_is_word(owner, at) || smc_token_hash(owner->tokens, at) != hash)
            continue;
        const size_t before = type->length;
        if (smc_piece_is_any(owner, at + 1, after) && write_type_before(owner, at, type))
            return true;
        smc_text_cut(type, before);
    }
    return false;
}

/* The class of that name that is not a template; NULL: none. */
static const struct smc_declaration *find_class(const struct smc_source_tree *tree, uint64_t hash,
                                                size_t *file)
{
    struct smc_declared at = {0};
    for (const struct smc_declaration *found; (found = smc_source_tree_next(tree, &at));) {
        *file = at.number;
        if (found->kind == SMC_DECLARE_CLASS && found->body != SMC_NO_TOKEN &&
            found->name != SMC_NO_TOKEN && found->template_begin == SMC_NO_TOKEN &&
            smc_token_hash(&at.file->tokens, found->name) == hash)
            return found;
    }
    return NULL;
}

/* Writes the type of a member of the class `class`. */
static bool write_member_type(const struct known_types *known, const char *class, uint64_t hash,
                              struct smc_text *type)
{
    size_t file, number = smc_class_instance_find(known->all, class);
    if (number > 0) {
        const struct smc_piece *of = &known->all->item[number - 1].of;
        return write_declared(of, of->end, hash, type);
    }
    const struct smc_declaration *found =
        find_class(known->tree, smc_hash(SMC_HASH_START, class, strlen(class)), &file);
    if (!found)
        return false;
    const struct smc_piece of = smc_piece_of(known->tree, file, found);
    return write_declared(&of, of.end, hash, type);
}

/* The class of which "void Owner::clear() {" defines a member; 0: none. */
static uint64_t class_around(const struct smc_piece *owner)
{
    for (uint32_t i = owner->begin + 2; i < owner->body; i++)
        if (smc_piece_is(owner, i, "(") && smc_piece_is_word(owner, i - 1) &&
            smc_piece_is(owner, i - 2, "::") && smc_piece_is_word(owner, i - 3))
            return smc_token_hash(owner->tokens, i - 3);
    return 0;
}

/* Writes the type of the name at `j`, which is not a member of another object. */
static bool write_name_type(const struct known_types *known, const struct smc_piece *owner,
                            uint32_t j, struct smc_text *type)
{
    const uint64_t hash = smc_token_hash(owner->tokens, j);
    size_t file;
    if (write_declared(owner, j, hash, type))
        return true;
    const uint64_t around = class_around(owner);
    const struct smc_declaration *class = around ? find_class(known->tree, around, &file) : NULL;
    if (class) {
        const struct smc_piece of = smc_piece_of(known->tree, file, class);
        return write_declared(&of, of.end, hash, type);
    }
    struct smc_declared at = {0};
    for (const struct smc_declaration *found; (found = smc_source_tree_next(known->tree, &at));) {
        if (found->kind != SMC_DECLARE_VALUE || found->parent != SMC_NO_TOKEN)
            continue;
        const struct smc_piece value = smc_piece_of(known->tree, at.number, found);
        if (write_declared(&value, value.end, hash, type))
            return true;
    }
    return false;
}

static bool write_object_type(const struct known_types *known, const struct smc_piece *owner,
                              uint32_t i, int depth, struct smc_text *type)
{
    smc_auto_text raw = {0};
    uint32_t j = i - 2;
    if (i < owner->begin + 2 || depth > 6)
        return false;
    if (smc_piece_is(owner, j, "]") && smc_piece_match(owner, j) != SMC_NO_TOKEN)
        j = smc_piece_match(owner, j) - 1;
    if (smc_piece_is(owner, j, "this") && owner->instance > 0)
        smc_text_append(&raw, known->all->item[owner->instance - 1].type);
    bool is_known = raw.length > 0;
    if (!is_known && smc_piece_is_word(owner, j) &&
        (smc_piece_is(owner, j - 1, ".") || smc_piece_is(owner, j - 1, "->"))) {
        smc_auto_text outer = {0};
        is_known = write_object_type(known, owner, j, depth + 1, &outer) &&
                   write_member_type(known, smc_text_string(&outer),
                                     smc_token_hash(owner->tokens, j), &raw);
    } else if (!is_known && smc_piece_is_word(owner, j) && !smc_piece_is(owner, j - 1, "::")) {
        is_known = write_name_type(known, owner, j, &raw);
    }
    smc_object_type_append(smc_text_string(&raw), type);
    return is_known;
}

bool smc_object_type_write(const struct smc_source_tree *tree,
                           const struct smc_class_instances *all, const struct smc_piece *owner,
                           uint32_t i, struct smc_text *type)
{
    const struct known_types known = {tree, all};
    return write_object_type(&known, owner, i, 0, type);
}

bool smc_object_type_has_member(const struct smc_source_tree *tree, const char *type, uint64_t hash)
{
    size_t file;
    const struct smc_declaration *found =
        find_class(tree, smc_hash(SMC_HASH_START, type, strcspn(type, "*&")), &file);
    for (uint32_t i = found ? found->body : 0; found && i < found->end; i++)
        if (smc_token_hash(&tree->file[file].tokens, i) == hash)
            return true;
    return false;
}

/* The namespaces' alias of that name: "using D = Buffer<double>;". False: there is none. */
static bool write_alias(const struct smc_source_tree *tree, uint64_t hash, struct smc_text *type)
{
    struct smc_declared at = {0};
    for (const struct smc_declaration *found; (found = smc_source_tree_next(tree, &at));) {
        const struct smc_tokens *tokens = &at.file->tokens;
        const uint32_t begin = found->begin;
        if (found->kind != SMC_DECLARE_TYPE || found->end < begin + 4)
            continue;
        const struct smc_piece piece = smc_piece_of(tree, at.number, found);
        const bool is_using = smc_token_is(tokens, begin, "using");
        const uint32_t name = is_using ? begin + 1 : found->end - 2;
        const uint32_t from = is_using ? begin + 3 : begin + 1;
        const uint32_t to = is_using ? found->end - 1 : name;
        if ((is_using ? smc_token_is(tokens, begin + 2, "=")
                      : smc_token_is(tokens, begin, "typedef")) &&
            smc_token_hash(tokens, name) == hash && from < to)
            return smc_piece_write(&piece, from, to, 0, type);
    }
    return false;
}

/* "unique_ptr<Buffer<int>>" becomes "Buffer<int>": what a pointer points to, or a container has.
   False: the type has no arguments. */
static bool object_types_unwrap(struct smc_text *type)
{
    const char *text = smc_text_string(type), *open = strchr(text, '<');
    smc_auto_text inner = {0};
    size_t length = 0;
    if (!open)
        return false;
    for (int depth = 0; open[1 + length]; length++) {
        const char c = open[1 + length];
        if (depth == 0 && (c == ',' || c == '>'))
            break;
        depth += (c == '<') - (c == '>');
    }
    smc_text_append_bytes(&inner, open + 1, length);
    smc_text_cut(type, 0);
    smc_object_type_append(smc_text_string(&inner), type);
    return true;
}

size_t smc_object_type_instance(const struct smc_source_tree *tree,
                                const struct smc_class_instances *all, bool is_inner,
                                struct smc_text *type)
{
    for (int i = 0; i < SMC_PIECE_DEPTH; i++) {
        const char *text = smc_text_string(type);
        const size_t length = strcspn(text, "*&");
        const uint64_t hash = smc_hash(SMC_HASH_START, text, length);
        smc_auto_text alias = {0};
        size_t file, number;
        smc_text_cut(type, length);
        number = smc_class_instance_find(all, smc_text_string(type));
        if (number > 0 || find_class(tree, hash, &file))
            return number;
        const bool is_alias = write_alias(tree, hash, &alias);
        if (is_alias) {
            smc_text_cut(type, 0);
            smc_object_type_append(smc_text_string(&alias), type);
        }
        if (!is_alias && !(is_inner && object_types_unwrap(type)))
            return 0;
    }
    return 0;
}
