/* The lessons as others see them: found, shown a page at a time. */
#include "lesson/lesson.h"

#include "base/parse.h"
#include "lesson/parts.h"

static const struct smc_lesson *const lessons[] = {
#define LESSON(id) &smc_lesson_about_##id,
#include "lesson/lessons.def"
#undef LESSON
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

enum smc_status smc_lesson_accepts(const struct smc_lesson *lesson, const struct smc_device *device,
                                   struct smc_error *error)
{
    if (lesson->least_cc == 0)
        return smc_fail(error, SMC_USAGE, "the lesson %s is about the %s alone", lesson->name,
                        lesson->device);
    if (device->sm.cc < lesson->least_cc)
        return smc_fail(error, SMC_USAGE,
                        "the lesson %s needs compute capability %u.%u or above, not %u.%u",
                        lesson->name, lesson->least_cc / 10, lesson->least_cc % 10,
                        device->sm.cc / 10, device->sm.cc % 10);
    return SMC_OK;
}

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
