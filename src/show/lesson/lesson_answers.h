/* What both writers say about a question: the command to try, and the expected answer. */
#ifndef SMC_SHOW_LESSON_ANSWERS_H
#define SMC_SHOW_LESSON_ANSWERS_H

#include "show/lesson/lesson_values.h"

/* "smemcalc --tile 16 --device H200": a question as a command. */
void smc_lesson_command(struct smc_scene *scene, const struct smc_lesson_element *element,
                        const char *program, struct smc_text *command);

/* Of "answer: 8 within 5 %" or "not c: ...": the number, or the index of the choice; not a number
   where a value is unknown. `tolerance` is in its unit. */
double smc_lesson_expected(struct smc_scene *scene, const struct smc_lesson_element *element,
                           double *tolerance);

#endif
