/* Names of kernels that stay the same when a program is built again. In a mangled name each
   identifier follows its length: "33_GLOBAL__N__92ac0243_4_a_cu_plain". nvcc writes the hash of the
   translation unit, the length and the letters of its file's name, and its first external symbol.
 */
#include "config.h"

#include "code/names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* --- Translation units ------------------------------------------------------------------------ */

struct name_span {
    const char *text;
    size_t length;
};

/* The number at the beginning of the span, which is moved past it. False: there is none. */
static bool stable_names_take_number(struct name_span *span, size_t *number)
{
    size_t digits = 0;
    for (*number = 0; digits < span->length && isdigit((unsigned char)span->text[digits]); digits++)
        *number = *number < 100000 ? *number * 10 + (size_t)(span->text[digits] - '0') : *number;
    span->text += digits;
    span->length -= digits;
    return digits > 0;
}

static bool take_prefix(struct name_span *span, const char *prefix)
{
    size_t length = strlen(prefix);
    if (span->length < length || memcmp(span->text, prefix, length) != 0)
        return false;
    span->text += length;
    span->length -= length;
    return true;
}

static bool take_hash(struct name_span *span)
{
    enum { DIGITS = 8 };
    for (size_t i = 0; i < DIGITS; i++)
        if (i >= span->length || !isxdigit((unsigned char)span->text[i]))
            return false;
    span->text += DIGITS;
    span->length -= DIGITS;
    return take_prefix(span, "_");
}

/* "a_cpp1_ii" of "tmpxft_00003613_00000000-6_a_cpp1_ii": older compilers name their temporary file.
   The rest of the text may be the hash. */
static bool take_temporary(struct name_span *span)
{
    static const char mark[] = "tmpxft_", end[] = "_cpp1_ii";
    size_t number;
    const char *at = memmem(span->text, span->length, mark, sizeof mark - 1);
    if (!at)
        return false;
    struct name_span rest = {at, span->length - (size_t)(at - span->text)};
    if (!take_prefix(&rest, mark) || !take_hash(&rest))
        return false;
    for (size_t i = 0; i < 2; i++) /* "00000000_", then "6_" */
        if (!stable_names_take_number(&rest, &number) ||
            !(take_prefix(&rest, "_") || take_prefix(&rest, "-")))
            return false;
    at = memmem(rest.text, rest.length, end, sizeof end - 1);
    *span = (struct name_span){rest.text, at ? (size_t)(at - rest.text) : rest.length};
    return true;
}

/* The file's name in "_92ac0243_4_a_cu_plain"; empty if the text has another form. */
static struct name_span unit_file(struct name_span unit)
{
    size_t length;
    if (take_temporary(&unit))
        return unit;
    take_prefix(&unit, "_");
    if (!take_hash(&unit) || !stable_names_take_number(&unit, &length) ||
        !take_prefix(&unit, "_") || length > unit.length)
        return (struct name_span){unit.text, 0};
    return (struct name_span){unit.text, length};
}

/* --- Stable names ----------------------------------------------------------------------------- */

/* An identifier after its length at the beginning of the name. */
static bool is_identifier(const char *name, const char *end, struct name_span *identifier)
{
    struct name_span rest = {name, (size_t)(end - name)};
    size_t length;
    if (!isdigit((unsigned char)*name) || !stable_names_take_number(&rest, &length) ||
        length == 0 || length > rest.length)
        return false;
    *identifier = (struct name_span){rest.text, length};
    return true;
}

/* Appends the stable part of an unstable identifier; false if it is an ordinary one. */
static bool append_unstable(struct name_span identifier, struct smc_text *out)
{
    static const char architectures[] = "_SM_", internal[] = "_INTERNAL_";
    const char *at = memmem(identifier.text, identifier.length, internal, sizeof internal - 1);
    if (take_prefix(&identifier, "_GLOBAL__N_")) {
        struct name_span file = unit_file(identifier);
        smc_text_append(out, "{anonymous ");
        smc_text_append_bytes(out, file.text, file.length);
        smc_text_append(out, "}");
        return true;
    }
    if (at) {
        struct name_span unit = {at + sizeof internal - 1, identifier.length -
                                                               (size_t)(at - identifier.text) -
                                                               (sizeof internal - 1)};
        struct name_span file = unit_file(unit);
        smc_text_append(out, "{internal ");
        smc_text_append_bytes(out, file.text, file.length);
        smc_text_append(out, "}");
        return true;
    }
    return memmem(identifier.text, identifier.length, architectures, sizeof architectures - 1) !=
           NULL;
}

/* The part before the name of a static kernel, and its unit. */
static bool take_static(struct name_span *name, struct name_span *unit)
{
    size_t length;
    if (!take_prefix(name, "__nv_static_") || !stable_names_take_number(name, &length) ||
        !take_prefix(name, "_") || length >= name->length || name->text[length] != '_')
        return false;
    *unit = (struct name_span){name->text, length};
    name->text += length + 1;
    name->length -= length + 1;
    return true;
}

const char *smc_name_without_static(const char *mangled)
{
    struct name_span name = {mangled, strlen(mangled)}, unit;
    return take_static(&name, &unit) ? name.text : mangled;
}

char *smc_stable_name(const char *mangled)
{
    struct smc_text out = {0};
    struct name_span name = {mangled, strlen(mangled)}, unit, identifier;
    const char *const end = mangled + name.length;
    if (take_static(&name, &unit)) {
        struct name_span file = unit_file(unit);
        smc_text_append(&out, "{static ");
        smc_text_append_bytes(&out, file.text, file.length);
        smc_text_append(&out, "}");
    } else {
        name.text = mangled;
    }
    for (const char *at = name.text; at < end;) {
        if (is_identifier(at, end, &identifier) && append_unstable(identifier, &out)) {
            at = identifier.text + identifier.length;
            continue;
        }
        smc_text_append_bytes(&out, at++, 1);
    }
    if (out.failed || !out.data) {
        smc_text_free(&out);
        return *mangled ? NULL : smc_strdup("");
    }
    return out.data;
}

/* --- Similarity ------------------------------------------------------------------------------- */

static int compare_pairs(const void *a, const void *b)
{
    return *(const uint16_t *)a - *(const uint16_t *)b;
}

struct smc_name_pairs smc_name_pairs(const char *name)
{
    enum { MOST = 1024 };
    size_t length = strlen(name);
    struct smc_name_pairs pairs = {NULL, length < MOST ? length : MOST};
    pairs.pair = smc_calloc(pairs.count ? pairs.count : 1, sizeof *pairs.pair);
    for (size_t i = 0; pairs.pair && i < pairs.count; i++) /* the last with the final '\0' */
        pairs.pair[i] = (uint16_t)((unsigned char)name[i] << 8 | (unsigned char)name[i + 1]);
    if (pairs.pair && pairs.count > 1)
        qsort(pairs.pair, pairs.count, sizeof *pairs.pair, compare_pairs);
    return pairs;
}

double smc_name_similarity(const struct smc_name_pairs *a, const struct smc_name_pairs *b)
{
    size_t common = 0, i = 0, j = 0;
    while (i < a->count && j < b->count) {
        if (a->pair[i] == b->pair[j]) {
            common++;
            i++;
            j++;
        } else if (a->pair[i] < b->pair[j]) {
            i++;
        } else {
            j++;
        }
    }
    size_t all = a->count + b->count;
    return all == 0 ? 1 : 2.0 * (double)common / (double)all;
}
