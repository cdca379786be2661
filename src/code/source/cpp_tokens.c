/* The tokens of C++ source. */
#include "config.h"

#include "base/text.h"
#include "code/cpp_tokens.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

/* --- Reading ---------------------------------------------------------------------------------- */

struct token_reader {
    const char *text;
    uint32_t at, length, line;
    bool line_begins; /* only blanks and comments so far: '#' begins a directive */
    struct smc_tokens *tokens;
};

static char cpp_tokens_peek(const struct token_reader *reader, uint32_t ahead)
{
    return ahead < reader->length - reader->at ? reader->text[reader->at + ahead] : '\0';
}

static void cpp_tokens_step(struct token_reader *reader, uint32_t count)
{
    while (count-- > 0 && reader->at < reader->length)
        reader->line += reader->text[reader->at++] == '\n';
}

static bool is_word_start(char c)
{
    return isalpha((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool cpp_tokens_is_word(char c)
{
    return is_word_start(c) || isdigit((unsigned char)c);
}

static bool cpp_tokens_add(struct token_reader *reader, enum smc_cpp_token_kind kind,
                           uint32_t begin, uint32_t line)
{
    struct smc_tokens *tokens = reader->tokens;
    if (!smc_make_room(&tokens->item, tokens->count, &tokens->capacity, sizeof *tokens->item))
        return false;
    tokens->item[tokens->count++] =
        (struct smc_cpp_token){kind, begin, reader->at, line, SMC_NO_TOKEN};
    return true;
}

static void skip_block_comment(struct token_reader *reader)
{
    const char *start = reader->text + reader->at + 2;
    size_t left = reader->length - reader->at - 2;
    const char *end = memmem(start, left, "*/", 2);
    cpp_tokens_step(reader, end ? (uint32_t)(end - start) + 4 : (uint32_t)left + 2);
}

/* To the end of the line, or of the last line that a backslash continues. */
static void skip_line(struct token_reader *reader)
{
    while (reader->at < reader->length && cpp_tokens_peek(reader, 0) != '\n')
        cpp_tokens_step(reader, cpp_tokens_peek(reader, 0) == '\\' ? 2 : 1);
}

static bool cpp_tokens_skip_comment(struct token_reader *reader)
{
    if (cpp_tokens_peek(reader, 0) != '/')
        return false;
    if (cpp_tokens_peek(reader, 1) == '/')
        skip_line(reader);
    else if (cpp_tokens_peek(reader, 1) == '*')
        skip_block_comment(reader);
    else
        return false;
    return true;
}

/* A text between quotes; one that is not closed ends with its line. */
static void skip_quoted(struct token_reader *reader, char quote)
{
    cpp_tokens_step(reader, 1);
    while (reader->at < reader->length && cpp_tokens_peek(reader, 0) != quote &&
           cpp_tokens_peek(reader, 0) != '\n')
        cpp_tokens_step(reader, cpp_tokens_peek(reader, 0) == '\\' ? 2 : 1);
    if (cpp_tokens_peek(reader, 0) == quote)
        cpp_tokens_step(reader, 1);
}

/* R"x( ... )x" */
static void skip_raw(struct token_reader *reader)
{
    enum { MOST_DELIMITER = 16 };
    char end[MOST_DELIMITER + 2] = ")";
    uint32_t n = 0;
    cpp_tokens_step(reader, 1);
    while (n < MOST_DELIMITER && cpp_tokens_peek(reader, n) &&
           !strchr("(\n)\\ \"", cpp_tokens_peek(reader, n)))
        n++;
    if (cpp_tokens_peek(reader, n) != '(') {
        skip_quoted(reader, '"');
        return;
    }
    memcpy(end + 1, reader->text + reader->at, n);
    end[n + 1] = '"';
    const char *start = reader->text + reader->at;
    size_t left = reader->length - reader->at;
    const char *found = memmem(start, left, end, n + 2);
    cpp_tokens_step(reader, found ? (uint32_t)(found - start) + n + 2 : (uint32_t)left);
}

static bool add_directive(struct token_reader *reader, uint32_t begin, uint32_t line)
{
    while (reader->at < reader->length && cpp_tokens_peek(reader, 0) != '\n') {
        if (cpp_tokens_peek(reader, 0) == '"')
            skip_quoted(reader, '"');
        else if (cpp_tokens_peek(reader, 0) != '/' || cpp_tokens_peek(reader, 1) == '/' ||
                 !cpp_tokens_skip_comment(reader))
            cpp_tokens_step(reader, cpp_tokens_peek(reader, 0) == '\\' ? 2 : 1);
        if (reader->at < reader->length && cpp_tokens_peek(reader, 0) == '/' &&
            cpp_tokens_peek(reader, 1) == '/')
            skip_line(reader);
    }
    return cpp_tokens_add(reader, SMC_TOKEN_DIRECTIVE, begin, line);
}

/* A prefix such as u8R before a text. */
static bool is_prefix(const char *word, uint32_t length, bool *raw)
{
    *raw = length > 0 && word[length - 1] == 'R';
    length -= *raw;
    return length == 0 || (length == 1 && strchr("LuU", *word)) ||
           (length == 2 && memcmp(word, "u8", 2) == 0);
}

static bool cpp_tokens_add_word(struct token_reader *reader, uint32_t begin, uint32_t line)
{
    bool raw;
    while (cpp_tokens_is_word(cpp_tokens_peek(reader, 0)))
        cpp_tokens_step(reader, 1);
    char quote = cpp_tokens_peek(reader, 0);
    if ((quote != '"' && quote != '\'') ||
        !is_prefix(reader->text + begin, reader->at - begin, &raw))
        return cpp_tokens_add(reader, SMC_TOKEN_WORD, begin, line);
    if (raw && quote == '"')
        skip_raw(reader);
    else
        skip_quoted(reader, quote);
    return cpp_tokens_add(reader, SMC_TOKEN_STRING, begin, line);
}

static bool add_number(struct token_reader *reader, uint32_t begin, uint32_t line)
{
    for (;;) {
        char c = cpp_tokens_peek(reader, 0);
        bool is_sign = (c == '+' || c == '-') && strchr("eEpP", reader->text[reader->at - 1]);
        bool is_group = c == '\'' && isalnum((unsigned char)cpp_tokens_peek(reader, 1));
        if (!cpp_tokens_is_word(c) && c != '.' && !is_sign && !is_group)
            return cpp_tokens_add(reader, SMC_TOKEN_NUMBER, begin, line);
        cpp_tokens_step(reader, 1);
    }
}

static bool add_token(struct token_reader *reader)
{
    uint32_t begin = reader->at, line = reader->line;
    char c = cpp_tokens_peek(reader, 0), next = cpp_tokens_peek(reader, 1);
    bool line_begins = reader->line_begins;
    reader->line_begins = false;
    if (c == '#' && line_begins)
        return add_directive(reader, begin, line);
    if (is_word_start(c))
        return cpp_tokens_add_word(reader, begin, line);
    cpp_tokens_step(reader, 1);
    if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)next)))
        return add_number(reader, begin, line);
    if (c == '"' || c == '\'') {
        reader->at = begin;
        skip_quoted(reader, c);
        return cpp_tokens_add(reader, SMC_TOKEN_STRING, begin, line);
    }
    if ((c == ':' && next == ':') || (c == '-' && next == '>'))
        cpp_tokens_step(reader, 1);
    return cpp_tokens_add(reader, SMC_TOKEN_MARK, begin, line);
}

/* --- Brackets --------------------------------------------------------------------------------- */

size_t smc_directive_name(const char *text, const struct smc_cpp_token *token, const char **name,
                          uint32_t *rest)
{
    uint32_t at = token->begin + 1, end = token->end;
    while (at < end && (text[at] == ' ' || text[at] == '\t'))
        at++;
    uint32_t begin = at;
    while (at < end && isalpha((unsigned char)text[at]))
        at++;
    while (rest && (*rest = at) < end && (text[at] == ' ' || text[at] == '\t'))
        at++;
    *name = text + begin;
    size_t length = 0;
    while (begin + length < end && isalpha((unsigned char)text[begin + length]))
        length++;
    return length;
}

/* One conditional group that is open. */
struct conditional {
    uint32_t depth; /* of the stack of brackets after the first branch */
    uint32_t floor; /* of the group around it */
    bool is_later;  /* in a branch after the first that counts */
    bool is_dead;   /* in the branch of an "#if 0" */
    bool was_dead;  /* around it */
};

struct pairing {
    struct smc_tokens *tokens;
    uint32_t *stack;
    uint32_t depth, floor; /* brackets below the floor are not closed in this branch */
    struct conditional *group;
    uint32_t groups;
    bool is_dead;
};

static bool cpp_tokens_is_zero(const struct pairing *pairing, const struct smc_cpp_token *token,
                               uint32_t rest)
{
    const char *text = pairing->tokens->text;
    return rest < token->end && text[rest] == '0' &&
           (rest + 1 == token->end || !cpp_tokens_is_word(text[rest + 1]));
}

static void pair_directive(struct pairing *pairing, const struct smc_cpp_token *token)
{
    const char *name;
    uint32_t rest;
    size_t length = smc_directive_name(pairing->tokens->text, token, &name, &rest);
    struct conditional *last = pairing->groups ? &pairing->group[pairing->groups - 1] : NULL;
    if (length >= 2 && memcmp(name, "if", 2) == 0) {
        bool dead = smc_equals(name, length, "if") && cpp_tokens_is_zero(pairing, token, rest);
        pairing->group[pairing->groups++] =
            (struct conditional){pairing->depth, pairing->floor, false, dead, pairing->is_dead};
        pairing->is_dead |= dead;
    } else if (last && length >= 4 && memcmp(name, "el", 2) == 0) {
        if (last->is_dead) { /* the first branch that counts */
            last->is_dead = false;
            pairing->is_dead = last->was_dead;
            return;
        }
        if (!last->is_later)
            last->depth = pairing->depth;
        last->is_later = true;
        pairing->depth = pairing->floor = last->depth;
    } else if (last && smc_equals(name, length, "endif")) {
        if (last->is_later)
            pairing->depth = last->depth;
        pairing->floor = last->floor;
        pairing->is_dead = last->was_dead;
        pairing->groups--;
    }
}

static void pair_mark(struct pairing *pairing, uint32_t i)
{
    static const char openers[] = "([{", closers[] = ")]}";
    struct smc_cpp_token *item = pairing->tokens->item;
    char c = pairing->tokens->text[item[i].begin];
    if (strchr(openers, c)) {
        pairing->stack[pairing->depth++] = i;
        return;
    }
    const char *closer = strchr(closers, c);
    if (!closer || pairing->depth <= pairing->floor)
        return;
    uint32_t from = pairing->depth;
    while (from > pairing->floor) { /* skips brackets that are not closed, except braces */
        uint32_t open = pairing->stack[from - 1];
        char opener = pairing->tokens->text[item[open].begin];
        if (opener == openers[closer - closers]) {
            item[open].match = i;
            item[i].match = open;
            pairing->depth = from - 1;
            return;
        }
        if (opener == '{')
            return;
        from--;
    }
}

static bool pair_brackets(struct smc_tokens *tokens)
{
    struct pairing pairing = {.tokens = tokens};
    size_t most = (size_t)tokens->count + 1;
    pairing.stack = smc_malloc(most * sizeof *pairing.stack);
    pairing.group = smc_malloc(most * sizeof *pairing.group);
    bool has_memory = pairing.stack && pairing.group;
    for (uint32_t i = 0; has_memory && i < tokens->count; i++) {
        struct smc_cpp_token *token = &tokens->item[i];
        if (token->kind == SMC_TOKEN_DIRECTIVE)
            pair_directive(&pairing, token);
        else if (pairing.is_dead)
            token->kind = SMC_TOKEN_INACTIVE;
        else if (token->kind == SMC_TOKEN_MARK)
            pair_mark(&pairing, i);
    }
    free(pairing.stack);
    free(pairing.group);
    return has_memory;
}

bool smc_tokens_read(const char *text, size_t length, struct smc_tokens *tokens)
{
    struct token_reader reader = {.text = text, .line = 1, .line_begins = true, .tokens = tokens};
    reader.length = (uint32_t)(length < SMC_MAX_SOURCE_BYTES ? length : SMC_MAX_SOURCE_BYTES);
    *tokens = (struct smc_tokens){.text = text};
    while (reader.at < reader.length) {
        char c = cpp_tokens_peek(&reader, 0);
        if (c == '\n')
            reader.line_begins = true;
        if (isspace((unsigned char)c) || c == '\0' ||
            (c == '\\' && cpp_tokens_peek(&reader, 1) == '\n')) {
            cpp_tokens_step(&reader, 1);
            continue;
        }
        if (!cpp_tokens_skip_comment(&reader) && !add_token(&reader))
            return false;
    }
    return pair_brackets(tokens);
}

void smc_tokens_free(struct smc_tokens *tokens)
{
    free(tokens->item);
    *tokens = (struct smc_tokens){0};
}

/* --- Questions -------------------------------------------------------------------------------- */

bool smc_token_is(const struct smc_tokens *tokens, uint32_t i, const char *text)
{
    if (i >= tokens->count)
        return false;
    const struct smc_cpp_token *token = &tokens->item[i];
    return token->kind < SMC_TOKEN_DIRECTIVE && token->kind != SMC_TOKEN_STRING &&
           smc_equals(tokens->text + token->begin, token->end - token->begin, text);
}

bool smc_token_is_any(const struct smc_tokens *tokens, uint32_t i, const char *const *list,
                      size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (smc_token_is(tokens, i, list[k]))
            return true;
    return false;
}

uint64_t smc_token_hash(const struct smc_tokens *tokens, uint32_t i)
{
    const struct smc_cpp_token *token = &tokens->item[i];
    return smc_hash(SMC_HASH_START, tokens->text + token->begin, token->end - token->begin);
}

/* "<=" or ">=" */
static bool is_comparison(const struct smc_tokens *tokens, uint32_t i)
{
    return smc_token_is(tokens, i + 1, "=") && tokens->item[i + 1].begin == tokens->item[i].end;
}

uint32_t smc_token_close_angle(const struct smc_tokens *tokens, uint32_t i, uint32_t end)
{
    enum { LONGEST_LIST = 2000 };
    uint32_t depth = 0, most = end - i > LONGEST_LIST ? i + LONGEST_LIST : end;
    if (!smc_token_is(tokens, i, "<") || is_comparison(tokens, i))
        return SMC_NO_TOKEN;
    for (; i < most; i++) {
        const struct smc_cpp_token *token = &tokens->item[i];
        if (token->kind != SMC_TOKEN_MARK)
            continue;
        switch (tokens->text[token->begin]) {
        case '<':
            depth += !is_comparison(tokens, i);
            break;
        case '>':
            if (!is_comparison(tokens, i) && --depth == 0)
                return i;
            break;
        case '(':
        case '[':
        case '{':
            if (token->match == SMC_NO_TOKEN)
                return SMC_NO_TOKEN;
            i = token->match;
            break;
        case ';':
        case ')':
        case ']':
        case '}':
            return SMC_NO_TOKEN;
        default:
            break;
        }
    }
    return SMC_NO_TOKEN;
}

/* --- Sets of names ---------------------------------------------------------------------------- */

static bool find_slot(const struct smc_name_set *set, uint64_t hash, size_t *slot)
{
    *slot = hash & (set->capacity - 1);
    while (set->hash[*slot] != 0 && set->hash[*slot] != hash)
        *slot = (*slot + 1) & (set->capacity - 1);
    return set->hash[*slot] == hash;
}

static bool grow_set(struct smc_name_set *set)
{
    struct smc_name_set larger = {.capacity = set->capacity ? 2 * set->capacity : 64};
    size_t slot;
    larger.hash = smc_calloc(larger.capacity, sizeof *larger.hash);
    if (!larger.hash)
        return false;
    for (size_t i = 0; i < set->capacity; i++)
        if (set->hash[i] != 0 && !find_slot(&larger, set->hash[i], &slot))
            larger.hash[slot] = set->hash[i];
    larger.count = set->count;
    free(set->hash);
    *set = larger;
    return true;
}

bool smc_name_set_add(struct smc_name_set *set, uint64_t hash)
{
    size_t slot;
    if (2 * set->count >= set->capacity && !grow_set(set)) {
        set->failed = true;
        return false;
    }
    if (find_slot(set, hash, &slot))
        return false;
    set->hash[slot] = hash;
    set->count++;
    return true;
}

bool smc_name_set_has(const struct smc_name_set *set, uint64_t hash)
{
    size_t slot;
    return set->capacity > 0 && find_slot(set, hash, &slot);
}

void smc_name_set_free(struct smc_name_set *set)
{
    free(set->hash);
    *set = (struct smc_name_set){0};
}
