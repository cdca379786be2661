/* What a lesson consists of: one file a lesson defines these. */
#ifndef SMC_LESSON_PARTS_H
#define SMC_LESSON_PARTS_H

#include "lesson/scene.h"

struct smc_lesson_page {
    const char *heading;
    const char *text; /* a template: smc_scene_write */
    void (*fill)(struct smc_scene *scene);
    const struct smc_lesson_launch *launch; /* for the explorer; or NULL */
    const char *expression;                 /* accesses of blocks of 32 x 32, in place of a launch;
                                               or NULL */
};

enum { SMC_NO_TRAP = -1 };

/* Numbers, or indices of choices. */
struct smc_lesson_solution {
    int64_t right;
    int64_t trap; /* the answer that a likely mistake leads to, or SMC_NO_TRAP */
};

struct smc_lesson_question {
    const char *text;           /* a template, as those below */
    const char *const *choices; /* up to NULL; or NULL: a whole number is asked for */
    const char *right;          /* why it is right */
    const char *wrong;          /* how to find it */
    const char *trap;           /* why the likely mistake is one */
    void (*fill)(struct smc_scene *scene, struct smc_lesson_solution *solution);
};

#define LESSON(id) extern const struct smc_lesson smc_lesson_about_##id;
#include "lesson/lessons.def"
#undef LESSON

#endif
