/* The name this program was called by. */
#include "base/platform.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const char usual[] = "smemcalc";
static char name[1024] = "smemcalc";

static bool needs_no_quotes(const char *word)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789/._+-@%,:";
    return word[strspn(word, safe)] == '\0';
}

/* Control characters and line breaks would garble the output. */
static bool is_presentable(const char *word)
{
    char copy[sizeof name];
    if (!*word || *word == '-' || strlen(word) >= sizeof copy)
        return false;
    strcpy(copy, word);
    smc_utf8_make_safe(copy);
    return strcmp(copy, word) == 0;
}

void smc_program_set_name(const char *argv0)
{
    const char *word = getenv("SMEMCALC_PROGRAM");
    smc_auto_text quoted = {0};
    if (!word || !*word)
        word = argv0;
    if (!word || !is_presentable(word))
        word = usual;
    if (needs_no_quotes(word))
        smc_text_append(&quoted, word);
    else
        smc_text_append_shell_word(&quoted, word);
    strcpy(name, quoted.length > 0 && quoted.length < sizeof name ? quoted.data : usual);
}

const char *smc_program_name(void)
{
    return name;
}

/* In a sentence the word may also mean the program itself: only a command continues with an
   argument. */
static bool begins_command(const char *text, const char *at)
{
    const char *behind = at + strlen(usual);
    bool starts = at == text || strchr(" \n'(`", at[-1]);
    return starts && *behind == ' ' &&
           (islower((unsigned char)behind[1]) || strchr("-[", behind[1]));
}

void smc_program_append(struct smc_text *out, const char *text)
{
    const char *from = text, *at = text;
    while ((at = strstr(at, usual)) != NULL) {
        const char *behind = at + strlen(usual);
        if (begins_command(text, at)) {
            smc_text_append_bytes(out, from, (size_t)(at - from));
            smc_text_append(out, name);
            from = behind;
        }
        at = behind;
    }
    smc_text_append(out, from);
}
