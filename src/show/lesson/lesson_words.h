/* What the program itself says around a lesson, in each language. */
#ifndef SMC_SHOW_LESSON_WORDS_H
#define SMC_SHOW_LESSON_WORDS_H

#include "show/lesson/lesson.h"

enum smc_lesson_word_id {
#define LESSON_WORD(id, english, chinese) SMC_LESSON_WORD_##id,
#include "show/lesson/lesson_words.def"
    SMC_LESSON_WORD_COUNT
};

const char *smc_lesson_word(enum smc_language language, enum smc_lesson_word_id id);

/* Appends the word with these instead of its first and second '%'; NULL: it has none. */
void smc_lesson_say(enum smc_language language, enum smc_lesson_word_id id, const char *first,
                    const char *second, struct smc_text *out);

/* Appends a text of an answer, such as "table nvrtc 13.0 sm_90", whose words are in English. */
void smc_lesson_say_value(enum smc_language language, const char *value, struct smc_text *out);

/* `help lesson` in Chinese. */
void smc_lesson_help(const char *program, struct smc_text *out);

#endif
