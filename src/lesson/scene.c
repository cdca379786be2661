/* The scene of one page: its device, its launches, its values and the text that names them. */
#include "lesson/scene.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/layout.h"
#include "base/memory.h"

static void find_device(struct smc_scene *scene, const char *name, struct smc_device *device)
{
    char note[256];
    if (scene->status == SMC_OK)
        scene->status = smc_device_find(name, device, note, &scene->error);
}

void smc_scene_open(const struct smc_lesson *lesson, const struct smc_lesson_setting *setting,
                    struct smc_scene *scene)
{
    *scene = (struct smc_scene){.setting = setting};
    if (!setting->device) {
        find_device(scene, lesson->device, &scene->device);
        return;
    }
    scene->device = *setting->device;
    scene->status = smc_lesson_accepts(lesson, setting->device, &scene->error);
}

enum smc_status smc_scene_close(struct smc_scene *scene, struct smc_error *error)
{
    for (size_t i = 0; i < scene->value_count; i++)
        smc_text_free(&scene->value[i].text);
    scene->value_count = 0;
    if (scene->status != SMC_OK && error)
        *error = scene->error;
    return scene->status;
}

/* --- Launches ----------------------------------------------------------------------------------*/

static void set_param(struct smc_params *params, enum smc_param param, int64_t value)
{
    if (value == 0)
        return;
    params->value[param] = value;
    params->given |= 1u << param;
}

void smc_scene_query(struct smc_scene *scene, const struct smc_lesson_launch *launch,
                     struct smc_query *query)
{
    smc_query_init(query);
    query->device = scene->device;
    if (launch->device)
        find_device(scene, launch->device, &query->device);
    query->compile = scene->setting->compile;
    query->settings.smem_not_opted_in = launch->not_opted_in;
    if (launch->regs)
        query->regs_per_thread = launch->regs;
    if (launch->smem_bytes)
        query->static_smem_bytes = launch->smem_bytes;
    if (!launch->kernel) {
        query->threads_per_block = launch->threads;
        return;
    }
    query->kernel = smc_kernel_find(launch->kernel);
    smc_params_init(query->kernel, &query->params);
    set_param(&query->params, SMC_PARAM_DTYPE, launch->dtype);
    set_param(&query->params, SMC_PARAM_TILE, launch->tile);
    set_param(&query->params, SMC_PARAM_BLOCK, launch->block);
    set_param(&query->params, SMC_PARAM_RADIUS, launch->radius);
}

bool smc_scene_ask(struct smc_scene *scene, const struct smc_lesson_launch *launch,
                   struct smc_answer *answer)
{
    struct smc_query query;
    *answer = (struct smc_answer){0};
    smc_scene_query(scene, launch, &query);
    if (scene->status == SMC_OK)
        scene->status =
            smc_query_evaluate(&query, NULL, answer, scene->setting->warnings, &scene->error);
    if (scene->status == SMC_OK)
        smc_query_find_work(answer);
    else
        *answer = (struct smc_answer){0};
    return scene->status == SMC_OK;
}

void smc_scene_banks_query(struct smc_scene *scene, const char *expression,
                           struct smc_banks_query *query)
{
    smc_banks_query_init(query);
    query->device = scene->device;
    query->expression = expression;
    query->block[0] = query->block[1] = SMC_WARP_LANES;
}

struct smc_banks_answer *smc_scene_ask_banks(struct smc_scene *scene, const char *expression)
{
    struct smc_banks_query query;
    if (scene->status != SMC_OK)
        return NULL;
    struct smc_banks_answer *answer = smc_calloc(1, sizeof *answer);
    smc_scene_banks_query(scene, expression, &query);
    query.warp = 0;
    scene->status =
        answer ? smc_banks_answer(&query, answer, &scene->error) : smc_out_of_memory(&scene->error);
    if (scene->status == SMC_OK)
        return answer;
    free(answer);
    return NULL;
}

/* --- Values ------------------------------------------------------------------------------------*/

struct smc_text *smc_scene_value(struct smc_scene *scene, const char *name)
{
    if (scene->value_count == SMC_SCENE_MOST_VALUES) {
        scene->status = smc_fail(&scene->error, SMC_MACHINE, "no room for the value '%s'", name);
        scene->value_count--;
        smc_text_free(&scene->value[scene->value_count].text);
    }
    struct smc_scene_value *value = &scene->value[scene->value_count++];
    *value = (struct smc_scene_value){.name = name};
    return &value->text;
}

void smc_scene_text(struct smc_scene *scene, const char *name, const char *text)
{
    smc_text_append(smc_scene_value(scene, name), text);
}

void smc_scene_number(struct smc_scene *scene, const char *name, int64_t number)
{
    smc_text_printf(smc_scene_value(scene, name), "%" PRId64, number);
}

void smc_scene_bytes(struct smc_scene *scene, const char *name, uint64_t bytes)
{
    smc_text_printf(smc_scene_value(scene, name), "%" PRIu64 SMC_TIE "B", bytes);
}

void smc_scene_percent(struct smc_scene *scene, const char *name, double percent)
{
    smc_layout_percent(smc_scene_value(scene, name), percent);
}

void smc_scene_count(struct smc_scene *scene, const char *name, uint64_t count, const char *thing)
{
    smc_text_printf(smc_scene_value(scene, name), "%" PRIu64 SMC_TIE "%s%s", count, thing,
                    count == 1 ? "" : "s");
}

/* --- Templates ---------------------------------------------------------------------------------*/

static void append_value(struct smc_scene *scene, const char *name, size_t length,
                         struct smc_text *out)
{
    for (size_t i = 0; i < scene->value_count; i++) {
        const struct smc_scene_value *value = &scene->value[i];
        if (strlen(value->name) == length && memcmp(value->name, name, length) == 0) {
            smc_text_append(out, smc_text_string(&value->text));
            out->failed |= value->text.failed;
            return;
        }
    }
    if (scene->status == SMC_OK)
        scene->status = smc_fail(&scene->error, SMC_MACHINE, "a lesson names no value '%.*s'",
                                 (int)length, name);
}

static void expand(struct smc_scene *scene, const char *from, size_t length, struct smc_text *out)
{
    const char *end = from + length;
    while (from < end) {
        size_t plain = strcspn(from, "{\n");
        smc_text_append_bytes(out, from, plain);
        from += plain;
        if (*from != '{')
            return;
        size_t name = strcspn(from + 1, "}");
        append_value(scene, from + 1, name, out);
        from += name + 2;
    }
}

/* The lines of a block, those that are too long broken between any two characters. */
static void append_block(const char *text, unsigned columns, struct smc_text *out)
{
    unsigned column = 0;
    for (; *text; text++) {
        bool begins_character = ((unsigned char)*text & 0xc0) != 0x80;
        if (*text == '\n')
            column = 0;
        else if (begins_character && column++ == columns) {
            smc_text_append(out, "\n");
            column = 1;
        }
        smc_text_append_char(out, *text, 1);
    }
}

void smc_scene_write(struct smc_scene *scene, const char *template, struct smc_text *out)
{
    for (bool first = true; *template; first = false) {
        struct smc_text paragraph = {0};
        size_t length = strcspn(template, "\n");
        expand(scene, template, length, &paragraph);
        template += length + (template[length] == '\n');
        if (!first)
            smc_text_append(out, "\n");
        bool block = paragraph.length && paragraph.data[paragraph.length - 1] == '\n';
        if (block)
            append_block(paragraph.data, scene->setting->columns, out);
        else
            smc_layout_paragraph(out, "", 0, smc_text_string(&paragraph), scene->setting->columns);
        out->failed |= paragraph.failed;
        smc_text_free(&paragraph);
    }
    if (out->failed && scene->status == SMC_OK)
        scene->status = smc_out_of_memory(&scene->error);
}
