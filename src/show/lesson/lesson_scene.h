/* The values of a lesson: questions that smemcalc answers, expressions of their answers' members,
   and texts in which {= ...} and {? ...} stand for values. Each answer is kept while a scene is
   open. */
#ifndef SMC_SHOW_LESSON_SCENE_H
#define SMC_SHOW_LESSON_SCENE_H

#include <jansson.h>

#include "show/lesson/lesson.h"

enum smc_lesson_value_kind { SMC_LESSON_UNKNOWN, SMC_LESSON_NUMBER, SMC_LESSON_TEXT };

struct smc_lesson_value {
    enum smc_lesson_value_kind kind;
    double number;
    const char *text; /* belongs to the scene */
};

struct smc_lesson_answer {
    char *words;
    bool whole; /* with the work and the time of a query */
    json_t *json;
};

/* A page while it is shown. After a failure its functions do nothing. */
struct smc_scene {
    const struct smc_lesson *lesson;
    const struct smc_lesson_setting *setting;
    struct smc_device device;
    const char *question; /* where a name is looked up that no question precedes */
    unsigned line;        /* of the file, for messages */
    const char *loop;     /* the name of the loop of a table, or NULL: */
    struct smc_lesson_value loop_value;
    json_t *item; /* or of the list whose members the loop goes through */
    struct smc_lesson_answer *answer;
    size_t answer_count, answer_capacity;
    unsigned depth; /* of names that are defined by names */
    enum smc_status status;
    struct smc_error error;
};

/* Close it whatever scene->status then is. Closing returns the first failure, whose
   message goes to `error`; NULL is allowed. */
void smc_scene_open(const struct smc_lesson *lesson, const struct smc_lesson_setting *setting,
                    struct smc_scene *scene);
enum smc_status smc_scene_close(struct smc_scene *scene, struct smc_error *error);

/* Fails with the lesson's file and the scene's line. */
void smc_scene_fail(struct smc_scene *scene, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The JSON answer to a question, or to the name of one; NULL after a failure. */
json_t *smc_scene_ask(struct smc_scene *scene, const char *question);

/* A member of an answer: "occupancy.blocks_per_sm" or, if no other member comes before it,
   "blocks_per_sm". NULL: there is none; null: it is unknown. */
json_t *smc_lesson_member(json_t *answer, const char *path);

/* The value of a whole expression. */
struct smc_lesson_value smc_scene_evaluate(struct smc_scene *scene, const char *expression);

/* Whether it holds: not 0, and known. */
bool smc_lesson_holds(const struct smc_lesson_value *value);

/* Appends the text, in which line feeds are blanks, with its values. `line` is where it begins. */
void smc_scene_expand(struct smc_scene *scene, const char *text, unsigned line,
                      struct smc_text *out);

/* The words of a question: those of a name, with their values. */
void smc_scene_words(struct smc_scene *scene, const char *question, struct smc_text *out);

/* --- What both writers say about a question (lesson_text.c) --- */

/* "smemcalc --tile 16 --device H200": a question as a command. */
void smc_lesson_command(struct smc_scene *scene, const struct smc_lesson_element *element,
                        const char *program, struct smc_text *command);

/* Of "answer: 8 within 5 %" or "not c: ...": the number, or the index of the choice; not a number
   where a value is unknown. `tolerance` is in its unit. */
double smc_lesson_expected(struct smc_scene *scene, const struct smc_lesson_element *element,
                           double *tolerance);

#endif
