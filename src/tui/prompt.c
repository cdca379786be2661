/* One line that a person types at the bottom of the screen. */
#include "tui/prompt.h"

#include <stdio.h>
#include <string.h>

#include "tui/glyph.h"
#include "tui/keys.h"

void smc_prompt_open(struct smc_prompt *prompt, const char *question, const char *hint,
                     const char *typed)
{
    *prompt = (struct smc_prompt){.open = true};
    snprintf(prompt->question, sizeof prompt->question, "%s", question);
    snprintf(prompt->hint, sizeof prompt->hint, "%s", hint);
    snprintf(prompt->typed, sizeof prompt->typed, "%s", typed);
}

static void erase_last(char *typed)
{
    size_t length = strlen(typed);
    while (length > 0 && (typed[--length] & 0xc0) == 0x80) { /* the rest of a sequence */
    }
    typed[length] = '\0';
}

enum smc_prompt_end smc_prompt_key(struct smc_prompt *prompt, uint32_t key)
{
    size_t length = strlen(prompt->typed);
    switch (key) {
    case SMC_KEY_ESCAPE:
    case SMC_KEY_CONTROL('c'):
        prompt->open = false;
        return SMC_PROMPT_GIVEN_UP;
    case SMC_KEY_ENTER:
        prompt->open = false;
        return SMC_PROMPT_DONE;
    case SMC_KEY_BACKSPACE:
        erase_last(prompt->typed);
        return SMC_PROMPT_GOES_ON;
    case SMC_KEY_CONTROL('u'):
        prompt->typed[0] = '\0';
        return SMC_PROMPT_GOES_ON;
    default:
        if (key >= ' ' && key < SMC_KEY_FIRST && length + 5 < sizeof prompt->typed)
            prompt->typed[length + smc_utf8_encode(key, prompt->typed + length)] = '\0';
        return SMC_PROMPT_GOES_ON;
    }
}

void smc_prompt_draw(const struct smc_prompt *prompt, struct smc_rect line, struct smc_frame *frame)
{
    smc_frame_fill(frame, line, SMC_STYLE_NORMAL, ' ');
    int col = smc_frame_printf(frame, line, 0, 0, SMC_STYLE_STRONG, " %s ", prompt->question);
    const char *typed = prompt->typed;
    while (*typed && smc_utf8_string_columns(typed) > line.cols - col - 2)
        smc_utf8_next(&typed); /* the end of a long line stays in sight */
    col = smc_frame_text(frame, line, 0, col, SMC_STYLE_GIVEN, typed);
    smc_frame_glyph(frame, line, 0, col, SMC_STYLE_CURSOR, ' ');
    smc_frame_text(frame, line, 0, col + 3, SMC_STYLE_DIM, prompt->hint);
}
