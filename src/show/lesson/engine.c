/* The lesson engine: finds a lesson, sets up a page, shows it, and checks answers. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "show/lesson/scene.h"
#include "show/words/paragraphs.h"

/* --- The lessons ------------------------------------------------------------------------------ */

static const struct smc_lesson *const lessons[] = {
#define LESSON(id) &smc_lesson_about_##id,
#include "show/lesson/lessons.def"
};

size_t smc_lesson_count(void)
{
    return sizeof lessons / sizeof *lessons;
}

const struct smc_lesson *smc_lesson_at(size_t index)
{
    return lessons[index];
}

const struct smc_lesson *smc_lesson_find(const char *name)
{
    for (size_t i = 0; i < smc_lesson_count(); i++)
        if (smc_equal_ignoring_case(lessons[i]->name, name))
            return lessons[i];
    return NULL;
}

/* --- Pages ------------------------------------------------------------------------------------ */

const char *smc_lesson_heading(const struct smc_lesson *lesson, size_t page)
{
    return lesson->page[page].heading;
}

enum smc_status smc_lesson_page(const struct smc_lesson *lesson, size_t page,
                                const struct smc_lesson_setting *setting, struct smc_text *out,
                                struct smc_error *error)
{
    struct smc_scene scene;
    smc_scene_open(lesson, setting, &scene);
    if (scene.status == SMC_OK)
        lesson->page[page].fill(&scene);
    if (scene.status == SMC_OK)
        smc_scene_write(&scene, lesson->page[page].text, out);
    return smc_scene_close(&scene, error);
}

bool smc_lesson_launch(const struct smc_lesson *lesson, size_t page,
                       const struct smc_lesson_setting *setting, struct smc_query *query)
{
    struct smc_scene scene;
    const struct smc_lesson_launch *launch = lesson->page[page].launch;
    if (!launch)
        return false;
    smc_scene_open(lesson, setting, &scene);
    smc_scene_query(&scene, launch, query);
    return smc_scene_close(&scene, NULL) == SMC_OK;
}

bool smc_lesson_banks(const struct smc_lesson *lesson, size_t page,
                      const struct smc_lesson_setting *setting, struct smc_banks_query *query)
{
    struct smc_scene scene;
    const char *expression = lesson->page[page].expression;
    if (!expression)
        return false;
    smc_scene_open(lesson, setting, &scene);
    smc_scene_banks_query(&scene, expression, query);
    return smc_scene_close(&scene, NULL) == SMC_OK;
}

/* --- Questions, and answers compared with the model ------------------------------------------- */

static size_t choice_count(const struct smc_lesson_question *question)
{
    size_t count = 0;
    while (question->choices && question->choices[count])
        count++;
    return count;
}

static char engine_letter_of(int64_t choice)
{
    return (char)('a' + choice);
}

static void append_answer(const struct smc_lesson_question *question, int64_t answer,
                          struct smc_text *out)
{
    if (question->choices)
        smc_text_append_char(out, engine_letter_of(answer), 1);
    else
        smc_text_printf(out, "%" PRId64, answer);
}

static void open_question(const struct smc_lesson *lesson, const struct smc_lesson_setting *setting,
                          struct smc_scene *scene, struct smc_lesson_solution *solution)
{
    *solution = (struct smc_lesson_solution){.trap = SMC_NO_TRAP};
    smc_scene_open(lesson, setting, scene);
    if (scene->status == SMC_OK)
        lesson->question->fill(scene, solution);
}

enum smc_status smc_lesson_question(const struct smc_lesson *lesson,
                                    const struct smc_lesson_setting *setting, struct smc_text *out,
                                    struct smc_error *error)
{
    const struct smc_lesson_question *question = lesson->question;
    struct smc_lesson_solution solution;
    struct smc_scene scene;
    open_question(lesson, setting, &scene, &solution);
    if (scene.status == SMC_OK)
        smc_scene_write(&scene, question->text, out);
    smc_text_append(out, "\n");
    size_t count = choice_count(question);
    for (size_t i = 0; i < count; i++) {
        char label[] = {engine_letter_of((int64_t)i), '\0'};
        smc_layout_paragraph(out, label, 3, question->choices[i], setting->columns);
    }
    if (count)
        smc_text_printf(out, "\nThe answer is a letter, a to %c.\n",
                        engine_letter_of((int64_t)count - 1));
    else
        smc_text_append(out, "The answer is a whole number.\n");
    return smc_scene_close(&scene, error);
}

static enum smc_status read_answer(const struct smc_lesson_question *question, const char *given,
                                   int64_t *answer, struct smc_error *error)
{
    size_t count = choice_count(question);
    if (!question->choices) {
        if (smc_parse_integer(given, INT64_MIN, INT64_MAX, answer))
            return SMC_OK;
        return smc_fail(error, SMC_USAGE, "'%.64s' is not a whole number", given);
    }
    *answer = tolower((unsigned char)given[0]) - 'a';
    if (given[0] && !given[1] && *answer >= 0 && *answer < (int64_t)count)
        return SMC_OK;
    return smc_fail(error, SMC_USAGE, "'%.64s' is not a letter from a to %c", given,
                    engine_letter_of((int64_t)count - 1));
}

static void append_reply(struct smc_scene *scene, const struct smc_lesson_question *question,
                         const struct smc_lesson_solution *solution, int64_t answer,
                         struct smc_text *reply)
{
    struct smc_text template = {0};
    if (answer == solution->right) {
        smc_text_printf(&template, "Right. %s", question->right);
    } else {
        bool trapped = solution->trap != SMC_NO_TRAP && answer == solution->trap;
        smc_text_append(&template, "Not ");
        append_answer(question, answer, &template);
        smc_text_printf(&template, ". %s", trapped ? question->trap : question->wrong);
    }
    smc_scene_write(scene, smc_text_string(&template), reply);
    smc_text_free(&template);
}

enum smc_status smc_lesson_check(const struct smc_lesson *lesson,
                                 const struct smc_lesson_setting *setting, const char *given,
                                 bool *right, struct smc_text *reply, struct smc_error *error)
{
    struct smc_lesson_solution solution;
    struct smc_scene scene;
    int64_t answer = 0;
    *right = false;
    enum smc_status status = read_answer(lesson->question, given, &answer, error);
    if (status != SMC_OK)
        return status;
    open_question(lesson, setting, &scene, &solution);
    if (scene.status == SMC_OK) {
        *right = answer == solution.right;
        append_reply(&scene, lesson->question, &solution, answer, reply);
    }
    return smc_scene_close(&scene, error);
}
