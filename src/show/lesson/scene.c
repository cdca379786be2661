/* The scene of a page: its device, its launches, the values that its text names, and its pictures.
 */
#include "show/lesson/scene.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "show/words/paragraphs.h"

/* --- The scene of one page: its device, its launches, its values and the text that names them - */

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

/* --- Launches --------------------------------------------------------------------------------- */

static void scene_set_param(struct smc_params *params, enum smc_param param, int64_t value)
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
    smc_ceilings_of_board(query->device.name, &query->ceilings);
    query->compile = scene->setting->compile;
    query->settings.smem_not_opted_in = launch->not_opted_in;
    if (launch->regs)
        query->regs_per_thread = launch->regs;
    if (launch->smem_bytes)
        query->static_smem_bytes = launch->smem_bytes;
    if (launch->dynamic_smem_bytes)
        query->dynamic_smem_bytes = launch->dynamic_smem_bytes;
    if (launch->cluster)
        query->settings.blocks_per_cluster = (uint32_t)launch->cluster;
    if (!launch->kernel) {
        query->threads_per_block = launch->threads;
        return;
    }
    query->kernel = smc_kernel_find(launch->kernel);
    smc_params_init(query->kernel, &query->params);
    scene_set_param(&query->params, SMC_PARAM_DTYPE, launch->dtype);
    scene_set_param(&query->params, SMC_PARAM_TILE, launch->tile);
    scene_set_param(&query->params, SMC_PARAM_BLOCK, launch->block);
    scene_set_param(&query->params, SMC_PARAM_RADIUS, launch->radius);
    for (int param = SMC_PARAM_M; param <= SMC_PARAM_K; param++)
        scene_set_param(&query->params, (enum smc_param)param, launch->size);
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

/* --- Values ----------------------------------------------------------------------------------- */

struct smc_text *smc_scene_value(struct smc_scene *scene, const char *name)
{
    if (scene->value_count == SMC_SCENE_MOST_VALUES) {
        scene->status = smc_fail(&scene->error, SMC_MACHINE, "no space for the value '%s'", name);
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
                    smc_text_plural(count));
}

static void scene_append_value(struct smc_scene *scene, const char *name, size_t length,
                               struct smc_text *out)
{
    for (size_t i = 0; i < scene->value_count; i++) {
        const struct smc_scene_value *value = &scene->value[i];
        if (smc_equals(name, length, value->name)) {
            smc_text_append(out, smc_text_string(&value->text));
            return;
        }
    }
    if (scene->status == SMC_OK)
        scene->status = smc_fail(&scene->error, SMC_MACHINE, "a lesson names no value '%.*s'",
                                 (int)length, name);
}

static void scene_expand(struct smc_scene *scene, const char *from, size_t length,
                         struct smc_text *out)
{
    const char *end = from + length;
    while (from < end) {
        size_t plain = strcspn(from, "{\n");
        smc_text_append_bytes(out, from, plain);
        from += plain;
        if (*from != '{')
            return;
        size_t name = strcspn(from + 1, "}");
        scene_append_value(scene, from + 1, name, out);
        from += name + 2;
    }
}

/* Appends the lines of a block; lines that are too long are broken at any character. */
static void scene_append_block(const char *text, unsigned columns, struct smc_text *out)
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
        scene_expand(scene, template, length, &paragraph);
        template += length + (template[length] == '\n');
        if (!first)
            smc_text_append(out, "\n");
        bool block = paragraph.length && paragraph.data[paragraph.length - 1] == '\n';
        if (block)
            scene_append_block(paragraph.data, scene->setting->columns, out);
        else
            smc_layout_paragraph(out, "", 0, smc_text_string(&paragraph), scene->setting->columns);
        smc_text_free(&paragraph);
    }
    if (out->failed && scene->status == SMC_OK)
        scene->status = smc_out_of_memory(&scene->error);
}

/* --- Tables and pictures for pages ------------------------------------------------------------ */

enum { WIDEST_BAR = 40 };

static void scene_append_limit(const struct smc_answer *answer, enum smc_limit limit, uint32_t each,
                               uint32_t all, struct smc_text *out)
{
    uint32_t blocks = answer->occupancy.limit[limit];
    bool binds = answer->occupancy.limiters & 1u << limit;
    smc_text_printf(out, "%-14s%8u%8u", smc_limit_label(limit), each, all);
    if (blocks == SMC_UNLIMITED)
        smc_text_append(out, "       -\n");
    else
        smc_text_printf(out, "%8u%s\n", blocks, binds ? " <" : "");
}

void smc_figure_limits(struct smc_scene *scene, const char *name, const struct smc_answer *answer)
{
    const struct smc_sm *sm = &answer->query.device.sm;
    const struct smc_occupancy *occupancy = &answer->occupancy;
    struct smc_text *out = smc_scene_value(scene, name);
    smc_text_append(out, "               a block   an SM  blocks\n");
    scene_append_limit(answer, SMC_LIMIT_WARPS, occupancy->warps_per_block, sm->max_warps_per_sm,
                       out);
    scene_append_limit(answer, SMC_LIMIT_REGISTERS, occupancy->regs_allocated_per_block,
                       sm->regs_per_sm, out);
    scene_append_limit(answer, SMC_LIMIT_SHARED_MEMORY, occupancy->smem_allocated_per_block_bytes,
                       occupancy->smem_configured_bytes, out);
    scene_append_limit(answer, SMC_LIMIT_BLOCKS, 1, sm->max_blocks_per_sm, out);
}

void smc_figure_bar(const struct smc_scene *scene, double share, unsigned used,
                    struct smc_text *row)
{
    unsigned room = scene->setting->columns - used - 1;
    smc_text_append(row, " ");
    smc_layout_bar(row, share, room < WIDEST_BAR ? room : WIDEST_BAR, scene->setting->utf8);
    while (row->length && row->data[row->length - 1] == ' ')
        row->length--;
    smc_text_append(row, "\n");
}

static struct smc_occupancy with_registers(const struct smc_answer *answer, uint32_t regs)
{
    struct smc_launch launch = answer->launch;
    struct smc_occupancy occupancy;
    launch.regs_per_thread = regs;
    smc_occupancy_compute(&answer->query.device.sm, &launch, &occupancy);
    return occupancy;
}

void smc_figure_registers(struct smc_scene *scene, const char *name,
                          const struct smc_answer *answer)
{
    const struct smc_sm *sm = &answer->query.device.sm;
    struct smc_text *out = smc_scene_value(scene, name);
    smc_text_append(out, "registers     blocks occupancy\n");
    for (uint32_t from = 1, to; from <= sm->max_regs_per_thread; from = to + 1) {
        struct smc_occupancy step = with_registers(answer, from);
        for (to = from; to < sm->max_regs_per_thread; to++)
            if (with_registers(answer, to + 1).blocks_per_sm != step.blocks_per_sm)
                break;
        double percent = smc_occupancy_percent(sm, &step);
        size_t begin = out->length;
        smc_text_printf(out, "%5u to %-5u%6u%8.1f %%", from, to, step.blocks_per_sm, percent);
        smc_figure_bar(scene, percent / 100, (unsigned)(out->length - begin), out);
    }
}

void smc_figure_banks(struct smc_scene *scene, const char *name,
                      const struct smc_banks_answer *answer, uint32_t lanes)
{
    const struct smc_banks_pattern *pattern = &answer->pattern[answer->worst];
    uint32_t banks = answer->layout.banks;
    struct smc_text *out = smc_scene_value(scene, name);
    smc_text_append(out, "bank    0       8       16      24\n");
    for (uint32_t lane = 0; lane < lanes; lane++) {
        uint32_t bank = pattern->worst.address[lane] / answer->query.device.sm.bank_width_bytes;
        smc_text_printf(out, "lane %-2u ", lane);
        for (uint32_t i = 0; i < banks; i++)
            smc_text_append(out, i == bank % banks ? "#" : ".");
        smc_text_append(out, "\n");
    }
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
