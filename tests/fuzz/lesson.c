/* Fuzzes lessons: whatever a file says, its pages end soon, and a fault is one line that names the
   file. Nothing is run: the emulator's time is the launch's. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "show/lesson/lesson.h"

static void check(enum smc_status status, const struct smc_error *error)
{
    if (status != SMC_OK && (!error->message[0] || strpbrk(error->message, "\n\033")))
        abort();
    if (status == SMC_USAGE && strncmp(error->message, "mine.md:", 8) != 0)
        abort();
}

static void show_all(const struct smc_lesson *lesson)
{
    const struct smc_lesson_setting setting = {.compile = {.no_cache = true, .no_nvrtc = true},
                                               .columns = SMC_LESSON_LEAST_COLUMNS};
    struct smc_error error = {""};
    struct smc_text out = {0};
    bool right;
    for (size_t page = 0; page < lesson->page_count; page++)
        check(smc_lesson_page(lesson, page, &setting, &out, &error), &error);
    if (lesson->question.text.text) {
        check(smc_lesson_question(lesson, &setting, &out, &error), &error);
        smc_lesson_check(lesson, &setting, "1", &right, &out, NULL);
    }
    check(smc_lesson_html(lesson, &setting, &out, &error), &error);
    smc_text_free(&out);
}

int fuzz_lesson(const uint8_t *data, size_t size)
{
    struct smc_lesson lesson;
    struct smc_error error = {""};
    enum smc_status status = smc_lesson_parse("mine.md", (const char *)data, size, &lesson, &error);
    check(status, &error);
    /* A device that no table has is refused without the lesson's file. */
    if (status == SMC_OK && !lesson.device && !strstr(lesson.text, "run "))
        show_all(&lesson);
    smc_lesson_free(&lesson);
    return 0;
}
