/* What the program itself says around a lesson. */
#include "show/lesson/lesson_words.h"

const char *smc_lesson_word(enum smc_language language, enum smc_lesson_word_id id)
{
    static const char *const words[SMC_LESSON_WORD_COUNT][SMC_LANGUAGE_COUNT] = {
#define LESSON_WORD(id, english, chinese) [SMC_LESSON_WORD_##id] = {english, chinese},
#include "show/lesson/lesson_words.def"
#undef LESSON_WORD
    };
    return words[id][language];
}

void smc_lesson_say(enum smc_language language, enum smc_lesson_word_id id, const char *first,
                    const char *second, struct smc_text *out)
{
    for (const char *word = smc_lesson_word(language, id); *word; word++) {
        if (*word != '%' || !first) {
            smc_text_append_char(out, *word, 1);
            continue;
        }
        smc_text_append(out, first);
        first = second;
        second = NULL;
    }
}
