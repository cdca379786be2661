/* The parts of a demangled C++ name, and the patterns that name kernels. */
#include "code/names.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "code/user_kernels.h"

/* A pattern is not compared with the bare form of a longer name, only with its other forms. */
enum { LONGEST_BARE = 1024 };

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* The length of "operator<<" or "operator()" at `i`; 0: none begins there. */
static size_t operator_at(const char *text, size_t i)
{
    static const char word[] = "operator";
    const size_t length = sizeof word - 1;
    if (text[i] != word[0] || (i > 0 && is_letter(text[i - 1])) ||
        strncmp(text + i, word, length) != 0 || is_letter(text[i + length]))
        return 0;
    const char *symbol = text + i + length;
    if (strncmp(symbol, "()", 2) == 0 || strncmp(symbol, "[]", 2) == 0)
        return length + 2;
    size_t symbols = strspn(symbol, "<>=!+-*/%^&|~,");
    bool arguments_follow = symbol[symbols] == ' ' && symbol[symbols + 1] == '<';
    return length + symbols + arguments_follow;
}

size_t smc_name_bracketed(const char *text)
{
    enum { DEEPEST = 256 };
    char open[DEEPEST];
    size_t depth = 0, i = 0;
    while (text[i]) {
        size_t skipped = operator_at(text, i);
        i += skipped;
        if (skipped > 0)
            continue;
        char c = text[i++];
        if (is_letter(c) || c == ' ' || c == ':' || c == ',')
            continue;
        if (strchr("<([{", c)) {
            if (depth == DEEPEST)
                return 0;
            open[depth++] = c;
        } else if (c == '>') {
            bool closes = open[depth - 1] == '<' && text[i - 2] != '-';
            depth -= closes;
        } else if (strchr(")]}", c)) {
            while (depth > 1 && open[depth - 1] == '<') /* "less than" */
                depth--;
            depth--;
        }
        if (depth == 0)
            return i;
    }
    return 0;
}

/* The length of "(anonymous namespace)", "{lambda(int)#1}" or "[abi:v1]", which are names or part
   of one, or of an operator's name; 0: none begins there. */
static size_t special_at(const char *text, size_t i)
{
    static const char anonymous[] = "(anonymous namespace)";
    if (strncmp(text + i, anonymous, sizeof anonymous - 1) == 0)
        return sizeof anonymous - 1;
    if (text[i] == '{' || text[i] == '[')
        return smc_name_bracketed(text + i);
    return operator_at(text, i);
}

/* "void a::k<1>(int)": `end` is where the parameters begin. False: this is not a C++ name. */
static bool scan(const char *text, size_t *begin, size_t *last, size_t *arguments, size_t *end)
{
    size_t i = 0, skipped;
    *begin = *last = *arguments = 0;
    while (text[i]) {
        if ((skipped = special_at(text, i)) > 0) {
            i += skipped;
        } else if (text[i] == '<') {
            if ((skipped = smc_name_bracketed(text + i)) == 0)
                return false;
            *arguments = i;
            i += skipped;
        } else if (text[i] == '(' || (text[i] == ' ' && text[i + 1] == '[')) {
            break;
        } else if (text[i] == ' ') {
            *begin = *last = ++i;
            *arguments = 0;
        } else if (text[i] == ':' && text[i + 1] == ':') {
            *last = i += 2;
            *arguments = 0;
        } else {
            i++;
        }
    }
    *end = i;
    return i > *last;
}

void smc_name_parse(const char *shown, struct smc_name *name)
{
    size_t begin, last, arguments, end;
    if (!scan(shown, &begin, &last, &arguments, &end)) {
        size_t length = strlen(shown);
        *name = (struct smc_name){shown, length, 0, length};
        return;
    }
    *name = (struct smc_name){
        .begin = shown + begin,
        .length = end - begin,
        .last = last - begin,
        .arguments = (arguments ? arguments : end) - begin,
    };
}

/* Where the next template arguments begin at or after `i`, or the end of the name. */
static size_t plain_end(const struct smc_name *name, size_t i)
{
    while (i < name->length && name->begin[i] != '<') {
        size_t special = special_at(name->begin, i);
        i += special > 0 ? special : 1;
    }
    return i < name->length ? i : name->length;
}

static size_t skip_arguments(const struct smc_name *name, size_t i)
{
    size_t skipped = i < name->length ? smc_name_bracketed(name->begin + i) : 0;
    return skipped > 0 && i + skipped < name->length ? i + skipped : name->length;
}

/* A part of the name between template arguments. */
struct plain {
    const char *text;
    size_t length;
};

/* Moves `at`, which starts from 0, past the next part. False: there is none. */
static bool next_plain(const struct smc_name *name, size_t *at, struct plain *plain)
{
    if (*at >= name->length)
        return false;
    size_t end = plain_end(name, *at);
    *plain = (struct plain){name->begin + *at, end - *at};
    *at = skip_arguments(name, end);
    return true;
}

uint64_t smc_name_family(const struct smc_name *name)
{
    uint64_t hash = SMC_HASH_START;
    struct plain plain;
    for (size_t at = 0; next_plain(name, &at, &plain);)
        hash = smc_hash(hash, plain.text, plain.length);
    return hash;
}

size_t smc_name_bare(const struct smc_name *name, char *bare, size_t size)
{
    size_t length = 0;
    struct plain plain;
    for (size_t at = 0; next_plain(name, &at, &plain);) {
        if (plain.length >= size - length)
            return 0;
        memcpy(bare + length, plain.text, plain.length);
        length += plain.length;
    }
    bare[length] = '\0';
    return length;
}

char *smc_name_last(const char *shown)
{
    struct smc_name name;
    smc_name_parse(shown, &name);
    return smc_strndup(name.begin + name.last, name.arguments - name.last);
}

/* --- Names as people write them --------------------------------------------------------------- */

/* A name being rewritten so that spellings of the same name become equal. */
struct spelling {
    char text[LONGEST_BARE];
    size_t length;
    bool fits;
};

static void spell(struct spelling *spelling, const char *text, size_t length)
{
    spelling->fits = spelling->fits && length < sizeof spelling->text - spelling->length;
    if (!spelling->fits)
        return;
    memcpy(spelling->text + spelling->length, text, length);
    spelling->length += length;
    spelling->text[spelling->length] = '\0';
}

/* The length of "(unsigned int)" before a number: a cast; else 0. */
static size_t cast_at(const char *text)
{
    size_t i = 1;
    while (is_letter(text[i]) || text[i] == ' ' || text[i] == ':')
        i++;
    if (text[0] != '(' || text[i] != ')' || i == 1)
        return 0;
    size_t number = i + 1 + strspn(text + i + 1, " -");
    return isdigit((unsigned char)text[number]) ? i + 1 : 0;
}

/* "32u", "32UL" become "32"; hexadecimal digits stay. */
static size_t number_length(const char *text, size_t length)
{
    while (length > 1 && strchr("uUlL", text[length - 1]))
        length--;
    return length;
}

/* Appends the word at `text`, and returns its length. */
static size_t spell_word(const char *text, bool any_namespace, struct spelling *spelling)
{
    size_t length = 0;
    while (is_letter(text[length]))
        length++;
    bool after_letter = spelling->length > 0 && is_letter(spelling->text[spelling->length - 1]);
    size_t blanks = strspn(text + length, " ");
    if (any_namespace && text[length + blanks] == ':' && text[length + blanks + 1] == ':')
        return length + blanks + 2;
    if (smc_equals(text, length, "int") && spelling->length >= strlen("unsigned") &&
        strcmp(spelling->text + spelling->length - strlen("unsigned"), "unsigned") == 0)
        return length;
    if (after_letter)
        spell(spelling, " ", 1);
    if (isdigit((unsigned char)*text))
        spell(spelling, text, number_length(text, length));
    else if (smc_equals(text, length, "true"))
        spell(spelling, "1", 1);
    else if (smc_equals(text, length, "false"))
        spell(spelling, "0", 1);
    else
        spell(spelling, text, length);
    return length;
}

static bool names_rewrite(const char *text, size_t length, bool any_namespace,
                          struct spelling *spelling)
{
    static const char anonymous[] = "(anonymous namespace)::";
    *spelling = (struct spelling){.fits = true};
    for (size_t i = 0; i < length;) {
        size_t cast = cast_at(text + i);
        if (any_namespace && strncmp(text + i, anonymous, sizeof anonymous - 1) == 0)
            i += sizeof anonymous - 1;
        else if (cast > 0)
            i += cast;
        else if (is_letter(text[i]))
            i += spell_word(text + i, any_namespace, spelling);
        else if (text[i] == ' ')
            i++;
        else
            spell(spelling, text + i++, 1);
    }
    return spelling->fits;
}

bool smc_name_is_like(const char *shown, const char *typed, bool any_namespace)
{
    struct spelling wanted, known;
    struct smc_name name, asked;
    smc_name_parse(shown, &name);
    smc_name_parse(typed, &asked);
    bool has_parameters = asked.begin[asked.length] == '(';
    size_t length = has_parameters ? strlen(asked.begin) : asked.length;
    if (!names_rewrite(asked.begin, length, any_namespace, &wanted) || wanted.length == 0)
        return false;
    if (names_rewrite(name.begin, has_parameters ? strlen(name.begin) : name.length, any_namespace,
                      &known) &&
        strcmp(known.text, wanted.text) == 0)
        return true;
    return asked.arguments == asked.length && !has_parameters &&
           names_rewrite(name.begin, name.arguments, any_namespace, &known) &&
           strcmp(known.text, wanted.text) == 0;
}

/* --- Patterns --------------------------------------------------------------------------------- */

/* "[a-z]" at the pattern, which ends at `close`. */
static bool accepts_set(const char *pattern, const char *close, char c)
{
    bool negated = pattern[1] == '!' || pattern[1] == '^', accepted = false;
    for (const char *p = pattern + 1 + negated; p < close; p++) {
        bool range = p[1] == '-' && p + 2 < close;
        accepted |= range ? c >= p[0] && c <= p[2] : c == *p;
        p += range ? 2 : 0;
    }
    return accepted != negated;
}

/* Where the set at the pattern ends; NULL: its '[' is an ordinary character. */
static const char *set_end(const char *pattern)
{
    if (pattern[0] != '[' || !pattern[1])
        return NULL;
    bool negated = pattern[1] == '!' || pattern[1] == '^';
    return pattern[1 + negated] ? strchr(pattern + 2 + negated, ']') : NULL;
}

/* Whether the first element of the pattern, which is not '*', accepts the character; moves the
   pattern past it. */
static bool names_accepts(const char **pattern, char c)
{
    const char *element = *pattern, *close = set_end(element);
    bool escaped = element[0] == '\\' && element[1];
    *pattern = close ? close + 1 : element + 1 + escaped;
    if (close)
        return accepts_set(element, close, c);
    return element[escaped] == c || (!escaped && *element == '?');
}

/* As fnmatch without flags, for bytes that do not end in '\0'. */
static bool names_matches(const char *pattern, const char *text, size_t length)
{
    const char *star = NULL;
    size_t i = 0, resume = 0;
    while (i < length) {
        const char *next = pattern;
        if (*pattern == '*') {
            star = ++pattern;
            resume = i;
        } else if (*pattern && names_accepts(&next, text[i])) {
            pattern = next;
            i++;
        } else if (star) {
            pattern = star;
            i = ++resume;
        } else {
            return false;
        }
    }
    return !pattern[strspn(pattern, "*")];
}

bool smc_name_matches(const char *pattern, const char *shown, const char *mangled)
{
    char bare[LONGEST_BARE];
    struct smc_name name;
    if (!pattern[strcspn(pattern, "*?[")])
        return strstr(shown, pattern) != NULL || strcmp(mangled, pattern) == 0;
    smc_name_parse(shown, &name);
    return names_matches(pattern, shown, strlen(shown)) ||
           names_matches(pattern, mangled, strlen(mangled)) ||
           names_matches(pattern, name.begin, name.length) ||
           names_matches(pattern, name.begin + name.last, name.length - name.last) ||
           names_matches(pattern, name.begin + name.last, name.arguments - name.last) ||
           names_matches(pattern, bare, smc_name_bare(&name, bare, sizeof bare));
}

bool smc_name_matches_kernel(const struct smc_inspect_kernel *kernel, const char *pattern)
{
    return smc_name_matches(pattern, kernel->shown, kernel->name);
}

/* --- Exact names ------------------------------------------------------------------------------ */

void smc_name_append_bare(const struct smc_inspect_kernel *kernel, bool template_arguments,
                          struct smc_text *bare)
{
    struct smc_name name;
    struct plain plain;
    smc_name_parse(kernel->shown, &name);
    if (template_arguments) {
        smc_text_append_bytes(bare, name.begin, name.length);
        return;
    }
    for (size_t at = 0; next_plain(&name, &at, &plain);)
        smc_text_append_bytes(bare, plain.text, plain.length);
}

bool smc_name_is_of_kernel(const struct smc_inspect_kernel *kernel, const char *name)
{
    char bare[LONGEST_BARE];
    struct smc_name parts;
    size_t length = strlen(name);
    smc_name_parse(kernel->shown, &parts);
    return strcmp(kernel->shown, name) == 0 || strcmp(kernel->name, name) == 0 ||
           smc_name_is_like(kernel->shown, name, false) ||
           (parts.length == length && memcmp(parts.begin, name, length) == 0) ||
           (length > 0 && smc_name_bare(&parts, bare, sizeof bare) == length &&
            strcmp(bare, name) == 0);
}
