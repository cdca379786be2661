/* How machine code was compiled, from its note. The note holds strings that end in binary
   zeros: the tool's name, its version, its build, and its options joined by blanks. */
#include "config.h"

#include "base/text.h"
#include "code/compile/build_note.h"

#include <stdbool.h>
#include <string.h>

/* A word of the options. */
struct build_note_word {
    const char *text;
    size_t length;
};

static bool build_note_next_word(const char **at, const char *end, struct build_note_word *word)
{
    while (*at < end && **at == ' ')
        ++*at;
    word->text = *at;
    while (*at < end && **at != ' ')
        ++*at;
    word->length = (size_t)(*at - word->text);
    return word->length > 0;
}

static bool build_note_is_one_of(const struct build_note_word *word, const char *const *names)
{
    for (; *names; names++)
        if (smc_equals(word->text, word->length, *names))
            return true;
    return false;
}

static void build_note_append(struct smc_build_note *build, const char *text, size_t length)
{
    size_t used = strlen(build->options);
    if (used + length + 1 > sizeof build->options)
        return;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        build->options[used + i] = c > ' ' && c < 0x7f ? c : c == ' ' ? ' ' : '?';
    }
    build->options[used + length] = '\0';
}

/* "-O 1" is "-O1", "-maxrregcount 32" is "-maxrregcount=32". A path is not a value: it is a file.
 */
static void build_note_append_option(struct smc_build_note *build,
                                     const struct build_note_word *option,
                                     const struct build_note_word *value)
{
    bool has_value = value->length > 0 && !memchr(value->text, '.', value->length) &&
                     !memchr(value->text, '/', value->length);
    build_note_append(build, " ", build->options[0] ? 1 : 0);
    build_note_append(build, option->text, option->length);
    if (has_value && option->length > 2)
        build_note_append(build, "=", 1);
    if (has_value)
        build_note_append(build, value->text, value->length);
}

static void build_note_read_options(const char *at, const char *end, struct smc_build_note *build)
{
    static const char *const without_effect[] = {
        "-v", "-c", "-no-bb-merge", "-ret-end", "-lineinfo", "-generate-line-info", NULL};
    static const char *const with_value[] = {"-arch", "-m", "-o", "-l", "-L", "-cpu-arch", NULL};
    struct build_note_word word, value;
    while (build_note_next_word(&at, end, &word)) {
        const char *after = at;
        if (*word.text != '-')
            continue;
        if (!build_note_next_word(&after, end, &value) || *value.text == '-')
            value.length = 0;
        else
            at = after;
        if (!build_note_is_one_of(&word, without_effect) &&
            !build_note_is_one_of(&word, with_value))
            build_note_append_option(build, &word, &value);
    }
}

/* "Cuda compilation tools, release 13.0, V13.0.88" */
static void read_version(const char *text, const char *end, struct smc_build_note *build)
{
    static const char release[] = "release ", mark[] = ", V";
    size_t used = 0;
    text = memmem(text, (size_t)(end - text), release, sizeof release - 1);
    text = text ? memmem(text, (size_t)(end - text), mark, sizeof mark - 1) : NULL;
    if (!text || build->toolkit[0])
        return;
    for (text += sizeof mark - 1; text < end && used + 1 < sizeof build->toolkit; text++)
        if ((*text >= '0' && *text <= '9') || *text == '.')
            build->toolkit[used++] = *text;
    build->toolkit[used] = '\0';
}

void smc_build_note_read(const void *note, size_t bytes, struct smc_build_note *build)
{
    static const char architecture[] = "-arch sm_";
    const char *at = note, *const end = at + bytes;
    *build = (struct smc_build_note){"", ""};
    while (at < end) {
        const char *stop = memchr(at, '\0', (size_t)(end - at));
        if (!stop)
            stop = end;
        size_t length = (size_t)(stop - at);
        read_version(at, stop, build);
        if (memmem(at, length, architecture, sizeof architecture - 1))
            build_note_read_options(at, stop, build);
        at = stop + 1;
    }
}
