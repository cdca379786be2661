/* The scene of one page: the device and the launches it is about, and the values that its text
   names. Fillers ask and set values; after a failure all they do has no effect. */
#ifndef SMC_LESSON_SCENE_H
#define SMC_LESSON_SCENE_H

#include "lesson/lesson.h"
#include "query/query.h"

/* Numbers that are 0 are not given: the kernel's own count. */
struct smc_lesson_launch {
    const char *device; /* NULL: the scene's */
    const char *kernel; /* NULL: somebody's own, of the numbers below */
    enum smc_dtype dtype;
    int64_t tile, block, radius;
    int64_t threads, regs, smem_bytes;
    bool not_opted_in; /* dynamic shared memory stays below the default limit */
};

enum { SMC_SCENE_MOST_VALUES = 32 };

struct smc_scene_value {
    const char *name;
    struct smc_text text; /* one that ends in a newline is a block: it is not wrapped */
};

struct smc_scene {
    const struct smc_lesson_setting *setting;
    struct smc_device device;
    enum smc_status status;
    struct smc_error error;
    size_t value_count;
    struct smc_scene_value value[SMC_SCENE_MOST_VALUES];
};

/* To be closed whatever scene->status is afterwards. */
void smc_scene_open(const struct smc_lesson *lesson, const struct smc_lesson_setting *setting,
                    struct smc_scene *scene);

/* Returns scene->status, with its message in `error`, which may be NULL. */
enum smc_status smc_scene_close(struct smc_scene *scene, struct smc_error *error);

/* The query that asks about the launch. */
void smc_scene_query(struct smc_scene *scene, const struct smc_lesson_launch *launch,
                     struct smc_query *query);

/* Its answer without next steps; false after a failure, and `answer` is zero. */
bool smc_scene_ask(struct smc_scene *scene, const struct smc_lesson_launch *launch,
                   struct smc_answer *answer);

/* The same for accesses to shared memory by blocks of 32 x 32, at the byte address that the
   expression is. The answer is about warp 0, and the caller's, to be freed; NULL after a failure.
 */
void smc_scene_banks_query(struct smc_scene *scene, const char *expression,
                           struct smc_banks_query *query);
struct smc_banks_answer *smc_scene_ask_banks(struct smc_scene *scene, const char *expression);

/* A new value, for its text to be appended to; or its text set at once. */
struct smc_text *smc_scene_value(struct smc_scene *scene, const char *name);
void smc_scene_text(struct smc_scene *scene, const char *name, const char *text);
void smc_scene_number(struct smc_scene *scene, const char *name, int64_t number);
void smc_scene_bytes(struct smc_scene *scene, const char *name, uint64_t bytes); /* "2048 B" */
void smc_scene_percent(struct smc_scene *scene, const char *name, double percent);
/* "1 block", "3 blocks" */
void smc_scene_count(struct smc_scene *scene, const char *name, uint64_t count, const char *thing);

/* Appends a template: each {name} is replaced by the value of that name. Its lines are paragraphs;
   one that is nothing but a block is taken over line by line. */
void smc_scene_write(struct smc_scene *scene, const char *template, struct smc_text *out);

#endif
