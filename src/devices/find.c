/* Looking a device up by what a person types. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/suggest.h"
#include "base/text.h"
#include "devices/boards.h"
#include "devices/devices.h"

/* How well a name fits what was typed; the best kind of fit that occurs decides. */
enum fit {
    FIT_NONE,
    FIT_PART,  /* the letters occur in the name, spaces and dashes aside */
    FIT_WORDS, /* they occur as whole words: "H100" in "NVIDIA H100 PCIe", not "H200" in "GH200" */
    FIT_MODEL, /* the name without its brand words */
    FIT_NAME,  /* the whole name */
};

static void normalise(const char *from, bool keep_gaps, char *to, size_t capacity)
{
    size_t n = 0;
    for (; *from && n + 1 < capacity; from++) {
        unsigned char c = (unsigned char)*from;
        if (isalnum(c) || c >= 0x80) /* of any alphabet */
            to[n++] = (char)tolower(c);
        else if (keep_gaps && n > 0 && to[n - 1] != ' ')
            to[n++] = ' ';
    }
    while (n > 0 && to[n - 1] == ' ')
        n--;
    to[n] = '\0';
}

static const char *without_brand(const char *words)
{
    static const char *const brands[] = {"nvidia ", "geforce ", "tesla ", "quadro "};
    for (size_t i = 0; i < sizeof brands / sizeof *brands; i++)
        if (strncasecmp(words, brands[i], strlen(brands[i])) == 0)
            words += strlen(brands[i]);
    return words;
}

static bool has_words(const char *words, const char *wanted)
{
    size_t length = strlen(wanted);
    for (const char *at = strstr(words, wanted); at; at = strstr(at + 1, wanted))
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

/* What was typed, made ready to be held against many names. */
struct wanted {
    const char *typed;
    char words[128];
    char letters[128], model_letters[128]; /* the second without brand words */
};

static void make_ready(const char *typed, struct wanted *wanted)
{
    wanted->typed = typed;
    normalise(typed, true, wanted->words, sizeof wanted->words);
    normalise(typed, false, wanted->letters, sizeof wanted->letters);
    normalise(without_brand(wanted->words), false, wanted->model_letters,
              sizeof wanted->model_letters);
}

static enum fit fit_of(const char *name, const struct wanted *wanted)
{
    char words[128], letters[128];
    normalise(name, false, letters, sizeof letters);
    if (!wanted->letters[0] || !strstr(letters, wanted->model_letters))
        return FIT_NONE; /* most names: every better fit has the model's letters */
    normalise(name, true, words, sizeof words);
    if (strcmp(words, wanted->words) == 0)
        return FIT_NAME;
    if (strcmp(without_brand(words), without_brand(wanted->words)) == 0)
        return FIT_MODEL;
    if (has_words(words, wanted->words))
        return FIT_WORDS;
    return strstr(letters, wanted->letters) ? FIT_PART : FIT_NONE;
}

const char *smc_device_model(const struct smc_device *device)
{
    return without_brand(device->name);
}

bool smc_device_has_name(const struct smc_device *device, const char *typed, bool whole)
{
    struct wanted wanted;
    make_ready(typed, &wanted);
    return fit_of(device->name, &wanted) >= (whole ? FIT_MODEL : FIT_PART);
}

static bool same_chip(const struct smc_device *a, const struct smc_device *b)
{
    size_t length = strcspn(a->chip, " ");
    return length == strcspn(b->chip, " ") && strncmp(a->chip, b->chip, length) == 0;
}

static void list_matches(const struct wanted *wanted, enum fit fit, struct smc_text *list)
{
    size_t shown = 0, matches = 0;
    for (size_t i = 0; i < smc_device_count(); i++)
        if (fit_of(smc_board_name(i), wanted) == fit && matches++ < 6 && ++shown)
            smc_text_printf(list, "%s%s", shown > 1 ? ", " : "", smc_board_name(i));
    if (matches > shown)
        smc_text_printf(list, " and %zu more", matches - shown);
}

/* A name is offered as a person types it: the model, or its beginning as far as it has a number, as
   "a100" of "a100 sxm4 40gb". */
static void consider_model(struct smc_suggestion *suggestion, char *words)
{
    smc_suggest_consider(suggestion, words);
    for (char *gap = strrchr(words, ' '); gap; gap = strrchr(words, ' ')) {
        *gap = '\0';
        if (strpbrk(words, "0123456789"))
            smc_suggest_consider(suggestion, words);
    }
}

/* The board with the nearest name; NULL where none is near enough. */
static const char *find_near(const struct wanted *wanted)
{
    struct smc_suggestion suggestion = {.typed = without_brand(wanted->words)};
    const char *near = NULL;
    char words[128];
    for (size_t i = 0; i < smc_device_count(); i++) {
        normalise(smc_board_name(i), true, words, sizeof words);
        size_t before = suggestion.best ? suggestion.distance : SIZE_MAX;
        consider_model(&suggestion, words + (without_brand(words) - words));
        if (suggestion.best && suggestion.distance < before)
            near = smc_board_name(i);
    }
    return near;
}

static enum smc_status fail_unknown(const struct wanted *wanted, struct smc_error *error)
{
    const char *near = find_near(wanted);
    if (near)
        return smc_fail(error, SMC_USAGE,
                        "'%s' is no device of the table and no compute capability; did you mean "
                        "'%s'?",
                        wanted->typed, near);
    return smc_fail(error, SMC_USAGE,
                    "'%s' is no device of the table and no compute capability; 'smemcalc devices' "
                    "lists them, or give one such as 9.0",
                    wanted->typed);
}

static enum smc_status fail_several(const struct wanted *wanted, enum fit fit,
                                    struct smc_error *error)
{
    struct smc_text list = {0};
    list_matches(wanted, fit, &list);
    smc_fail(error, SMC_USAGE, "'%s' fits several devices: %s", wanted->typed,
             smc_text_string(&list));
    smc_text_free(&list);
    return SMC_USAGE;
}

static enum fit best_fit(const struct wanted *wanted)
{
    enum fit best = FIT_NONE;
    for (size_t i = 0; i < smc_device_count(); i++) {
        enum fit fit = fit_of(smc_board_name(i), wanted);
        best = fit > best ? fit : best;
    }
    return best;
}

/* Of those that fit best the one with the most SMs, if all have one chip. */
static enum smc_status find_board(const char *typed, struct smc_device *out, char note[256],
                                  struct smc_error *error)
{
    struct wanted wanted;
    make_ready(typed, &wanted);
    enum fit best = best_fit(&wanted);
    if (best == FIT_NONE)
        return fail_unknown(&wanted, error);
    struct smc_device device, other = {0};
    bool found = false;
    for (size_t i = 0; i < smc_device_count(); i++) {
        if (fit_of(smc_board_name(i), &wanted) != best)
            continue;
        smc_device_at(i, &device);
        if (found && !same_chip(out, &device))
            return fail_several(&wanted, best, error);
        bool larger = found && device.sm_count > out->sm_count;
        if (found)
            other = larger ? *out : device;
        if (!found || larger)
            *out = device;
        found = true;
    }
    if (other.name[0])
        snprintf(note, 256, "'%.40s' is taken as %.64s (%u SMs); also %.64s (%u SMs)", typed,
                 out->name, out->sm_count, other.name, other.sm_count);
    return SMC_OK;
}

enum smc_status smc_device_find(const char *text, struct smc_device *out, char note[256],
                                struct smc_error *error)
{
    uint16_t cc;
    struct smc_capability capability;
    note[0] = '\0';
    if (!smc_capability_parse(text, &cc))
        return find_board(text, out, note, error);
    if (!smc_capability_find(cc, &capability))
        return smc_capability_fail(
            cc, "'smemcalc devices' lists those it has; --device-file describes others", SMC_USAGE,
            error);
    smc_device_of_capability(&capability, out);
    return SMC_OK;
}

const char *smc_device_source_name(enum smc_device_source source)
{
    static const char *const names[] = {
        [SMC_DEVICE_TABLE] = "table",
        [SMC_DEVICE_LIVE] = "live",
        [SMC_DEVICE_FILE] = "file",
    };
    return names[source];
}
