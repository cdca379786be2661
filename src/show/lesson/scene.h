/* The components of a lesson: its pages and question, and the scene of a page, which consists of
   the device, the launches that the page discusses, and the values that its text names. Fill
   functions query the model and set values; after a failure they do nothing. A lesson is one file
   and one row of lessons.def. */
#ifndef SMC_SHOW_SCENE_H
#define SMC_SHOW_SCENE_H

#include "answers/query.h"
#include "show/lesson/lesson.h"

/* --- The scene of a page ---------------------------------------------------------------------- */

/* Numbers that are 0 are not specified: the kernel's own are used. */
struct smc_lesson_launch {
    const char *device; /* NULL: the scene's */
    const char *kernel; /* NULL: a user's kernel with the numbers below */
    enum smc_dtype dtype;
    int64_t tile, block, radius;
    int64_t size; /* M, N and K of a product */
    int64_t threads, regs, smem_bytes;
    int64_t dynamic_smem_bytes;
    int64_t cluster;   /* blocks per cluster */
    bool not_opted_in; /* dynamic shared memory stays below the default limit */
};

enum { SMC_SCENE_MOST_VALUES = 32 };

struct smc_scene_value {
    const char *name;
    struct smc_text text; /* a value that ends in a newline is a block, which is not wrapped */
};

struct smc_scene {
    const struct smc_lesson_setting *setting;
    struct smc_device device;
    enum smc_status status;
    struct smc_error error;
    size_t value_count;
    struct smc_scene_value value[SMC_SCENE_MOST_VALUES];
};

/* Opens a scene without values; whatever scene->status then is, it is to be closed. Closing returns
   the first failure, whose message goes to `error`; NULL is allowed. */
void smc_scene_open(const struct smc_lesson *lesson, const struct smc_lesson_setting *setting,
                    struct smc_scene *scene);
enum smc_status smc_scene_close(struct smc_scene *scene, struct smc_error *error);

/* The questions behind smc_scene_ask and smc_scene_ask_banks, for the explorer. */
void smc_scene_query(struct smc_scene *scene, const struct smc_lesson_launch *launch,
                     struct smc_query *query);
void smc_scene_banks_query(struct smc_scene *scene, const char *expression,
                           struct smc_banks_query *query);

/* Appends a template in which each {name} is replaced by the value of that name. Each line is a
   paragraph; a line that is only a block is copied line by line. */
void smc_scene_write(struct smc_scene *scene, const char *template, struct smc_text *out);

/* Answers a query about a launch, without next steps. Returns false after a failure, and then
   `answer` is zero. */
bool smc_scene_ask(struct smc_scene *scene, const struct smc_lesson_launch *launch,
                   struct smc_answer *answer);

/* The same for accesses to shared memory by blocks of 32 x 32, at the byte address that the
   expression gives. The answer is for warp 0; the caller frees it. NULL after a failure. */
struct smc_banks_answer *smc_scene_ask_banks(struct smc_scene *scene, const char *expression);

/* Adds a new value, to whose text the caller appends; smc_scene_text also sets the text. */
struct smc_text *smc_scene_value(struct smc_scene *scene, const char *name);
void smc_scene_text(struct smc_scene *scene, const char *name, const char *text);
void smc_scene_number(struct smc_scene *scene, const char *name, int64_t number);
void smc_scene_bytes(struct smc_scene *scene, const char *name, uint64_t bytes); /* "2048 B" */
void smc_scene_percent(struct smc_scene *scene, const char *name, double percent);
/* "1 block", "3 blocks" */
void smc_scene_count(struct smc_scene *scene, const char *name, uint64_t count, const char *thing);

/* --- Tables and pictures ---------------------------------------------------------------------- */

/* Small tables and pictures for pages, at most SMC_LESSON_LEAST_COLUMNS wide except for bars, which
   fill the line. Each is added to the scene as a value that is a block. */

/* The blocks that warps, registers, shared memory and block slots allow; the binding limits are
   marked. */
void smc_figure_limits(struct smc_scene *scene, const char *name, const struct smc_answer *answer);

/* Occupancy by registers per thread, with all other values of the answer: one row per step. */
void smc_figure_registers(struct smc_scene *scene, const char *name,
                          const struct smc_answer *answer);

/* Adds a bar to `row`, which already has `used` columns, and ends the line. */
void smc_figure_bar(const struct smc_scene *scene, double share, unsigned used,
                    struct smc_text *row);

/* The first `lanes` lanes of the access with the most conflicts: one row per lane, with its bank
   marked. */
void smc_figure_banks(struct smc_scene *scene, const char *name,
                      const struct smc_banks_answer *answer, uint32_t lanes);

/* --- Pages and questions ---------------------------------------------------------------------- */

struct smc_lesson_page {
    const char *heading;
    const char *text; /* a template: each {name} is replaced by the value of that name */
    void (*fill)(struct smc_scene *scene);
    const struct smc_lesson_launch *launch; /* the launch for the explorer; or NULL */
    const char *expression;                 /* accesses of blocks of 32 x 32, instead of a launch;
                                               or NULL */
};

enum { SMC_NO_TRAP = -1 };

/* Integers, or indices of choices. */
struct smc_lesson_solution {
    int64_t right;
    int64_t trap; /* the answer after a common mistake, or SMC_NO_TRAP */
};

struct smc_lesson_question {
    const char *text;           /* a template, as are those below */
    const char *const *choices; /* ends with NULL; or NULL: the answer is an integer */
    const char *right;          /* why it is right */
    const char *wrong;          /* how to find it */
    const char *trap;           /* why the common mistake is wrong */
    void (*fill)(struct smc_scene *scene, struct smc_lesson_solution *solution);
};

#define LESSON(id) extern const struct smc_lesson smc_lesson_about_##id;
#include "show/lesson/lessons.def"

#endif
