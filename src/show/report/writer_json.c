/* The JSON writer: the envelope of each kind of result. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/report/json_parts.h"

/* One object is the report itself; several are its member "answers". */
static void finish_answers(json_t *list, struct smc_text *out)
{
    json_t *root = smc_json_begin();
    if (json_array_size(list) == 1) {
        json_object_update(root, json_array_get(list, 0));
        json_decref(list);
    } else
        smc_json_set(root, "answers", list);
    smc_json_finish(root, out);
}

/* A new object at the end of the list, which owns it. */
static json_t *add_object(json_t *list)
{
    json_t *object = json_object();
    json_array_append_new(list, object);
    return object;
}

static void describe_answer(json_t *object, const struct smc_answer *answer)
{
    smc_json_answer(object, answer);
    smc_json_set(object, "ceilings", smc_json_ceilings(&answer->query.ceilings));
}

static void write_answers(const struct smc_answer *answers, size_t count,
                          const struct smc_report_style *style, struct smc_text *out)
{
    (void)style;
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        describe_answer(add_object(list), &answers[i]);
    finish_answers(list, out);
}

static void write_runs(const struct smc_confirmed_run *runs, size_t count,
                       const struct smc_report_style *style, struct smc_text *out)
{
    (void)style;
    json_t *root = smc_json_begin();
    smc_json_runs(root, runs, count);
    smc_json_finish(root, out);
}

static void write_all_gpus(const struct smc_all_gpus *all, const struct smc_report_style *style,
                           struct smc_text *out)
{
    (void)style;
    json_t *root = smc_json_begin();
    smc_json_all_gpus(root, all);
    smc_json_finish(root, out);
}

static void write_merge(const struct smc_merged *merged, const struct smc_fleet *fleet,
                        const struct smc_report_style *style, struct smc_text *out)
{
    (void)style;
    json_t *root = smc_json_begin();
    if (fleet)
        smc_json_set(root, "checks", smc_json_fleet(fleet));
    if (merged)
        smc_json_merge(root, merged);
    smc_json_finish(root, out);
}

static void write_series(const struct smc_series *series, const struct smc_report_style *style,
                         struct smc_text *out)
{
    (void)style;
    json_t *root = smc_json_begin();
    smc_json_series(root, series);
    smc_json_finish(root, out);
}

static void write_own(const struct smc_user_run *run, const struct smc_confirmation *confirmation,
                      const struct smc_report_style *style, struct smc_text *out)
{
    (void)style;
    json_t *root = smc_json_begin();
    smc_json_user(root, run, confirmation);
    smc_json_finish(root, out);
}

static void write_devices(const struct smc_device *devices, const struct smc_ceilings *ceilings,
                          size_t count, const struct smc_report_style *style, struct smc_text *out)
{
    (void)style, (void)ceilings;
    json_t *root = smc_json_begin();
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, smc_json_device(&devices[i]));
    smc_json_set(root, "devices", list);
    smc_json_finish(root, out);
}

static void describe_calibration(json_t *object, const struct smc_calibration *calibration,
                                 const char *kept_in)
{
    json_t *spread = json_object();
    smc_json_set(object, "device", smc_json_device(&calibration->device));
    smc_json_set(object, "ceilings", smc_json_ceilings(&calibration->ceilings));
    for (int i = 0; i < SMC_CEILING_COUNT; i++) {
        const struct smc_spread *seen = &calibration->spread[i];
        json_t *one = json_object();
        smc_json_integer(one, "samples", seen->samples);
        smc_json_known_real(one, "lowest", seen->lowest);
        smc_json_known_real(one, "highest", seen->highest);
        smc_json_known_real(one, "theoretical_peak",
                            smc_ceiling_peak((enum smc_ceiling)i, &calibration->device));
        smc_json_set(spread, smc_ceiling_info[i].key, one);
    }
    smc_json_set(object, "spread", spread);
    smc_json_real(object, "elapsed_ms", calibration->elapsed_ms);
    if (kept_in)
        smc_json_string(object, "kept_in", kept_in);
    else
        smc_json_set(object, "kept_in", json_null());
}

static void write_calibration(const struct smc_calibration *calibration, const char *kept_in,
                              const struct smc_report_style *style, struct smc_text *out)
{
    (void)style;
    json_t *root = smc_json_begin();
    describe_calibration(root, calibration, kept_in);
    smc_json_finish(root, out);
}

static void write_rooms(const struct smc_answer *answers, const struct smc_headroom *headroom,
                        size_t count, const struct smc_report_style *style, struct smc_text *out)
{
    (void)style;
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *object = add_object(list);
        smc_json_answer(object, &answers[i]);
        smc_json_headroom(object, &answers[i], &headroom[i]);
    }
    finish_answers(list, out);
}

static void write_carveouts(const struct smc_answer *answers, const struct smc_carveouts *carveouts,
                            size_t count, const struct smc_report_style *style,
                            struct smc_text *out)
{
    (void)style;
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *object = add_object(list);
        if (answers[i].launch.threads_per_block)
            smc_json_answer(object, &answers[i]);
        else
            smc_json_set(object, "device", smc_json_device(&answers[i].query.device));
        smc_json_set(object, "carveouts", smc_json_carveouts(&answers[i], &carveouts[i]));
    }
    finish_answers(list, out);
}

static void describe_best(json_t *object, const struct smc_best *best)
{
    const struct smc_candidate *proposal = smc_best_proposal(best);
    if (proposal)
        smc_json_answer(object, &proposal->answer);
    else
        smc_json_set(object, "device", smc_json_device(&best->candidate[0].answer.query.device));
    smc_json_set(object, "best", smc_json_best(best));
}

static void write_best(const struct smc_best *best, size_t count,
                       const struct smc_report_style *style, struct smc_text *out)
{
    (void)style;
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        describe_best(add_object(list), &best[i]);
    finish_answers(list, out);
}

static void write_best_of_kernels(const struct smc_best_proposal *proposals, size_t count,
                                  const struct smc_report_style *style, struct smc_text *out)
{
    (void)style;
    json_t *list = json_array();
    struct smc_best *best = smc_calloc(1, sizeof *best); /* too large for the stack */
    for (size_t i = 0; i < count && best; i++) {
        smc_best_restore(&proposals[i], best);
        describe_best(add_object(list), best);
    }
    out->failed |= !best;
    free(best);
    finish_answers(list, out);
}

static void write_tune(const struct smc_tune *tune, const struct smc_report_style *style,
                       struct smc_text *out)
{
    (void)style;
    json_t *root = smc_json_begin();
    smc_json_set(root, "tune", smc_json_tune(tune));
    smc_json_finish(root, out);
}

static void write_trace(const struct smc_trace_answer *answer, const struct smc_report_style *style,
                        struct smc_text *out)
{
    json_t *root = smc_json_begin();
    smc_json_trace(root, answer, style->most_kernels);
    smc_json_finish(root, out);
}

static void write_doctor(const struct smc_doctor *doctor, const struct smc_report_style *style,
                         struct smc_text *out)
{
    (void)style;
    json_t *root = smc_json_begin();
    smc_json_doctor(root, doctor);
    smc_json_finish(root, out);
}

static void write_kernels(const struct smc_report_style *style, struct smc_text *out)
{
    (void)style;
    json_t *root = smc_json_begin();
    smc_json_set(root, "kernels", smc_json_kernels());
    smc_json_finish(root, out);
}

/* A row at a time: the values of all rows take several times the memory of their text. */
static size_t write_inspection(const struct smc_inspect_rows *rows, size_t first,
                               const struct smc_report_style *style, struct smc_text *out)
{
    size_t i = first;
    (void)style;
    if (first == 0)
        smc_text_append(out, "{\n \"schema\": \"" SMC_JSON_SCHEMA "\",\n \"kernels\": [");
    for (; i < rows->count && (i == first || out->length < SMC_REPORT_PART); i++) {
        smc_text_append(out, i ? ",\n" : "\n");
        smc_json_append_item(smc_json_inspected(&rows->item[i]), out);
    }
    if (i == rows->count)
        smc_text_append(out, rows->count ? "\n ]\n}\n" : "]\n}\n");
    return i;
}

static void write_diff(const struct smc_diff *diff, const struct smc_report_style *style,
                       struct smc_text *out)
{
    (void)style;
    json_t *root = smc_json_begin();
    smc_json_set(root, "diff", smc_json_diff(diff));
    smc_json_finish(root, out);
}

static void write_promises(const struct smc_inspect_promises *promises,
                           const struct smc_report_style *style, struct smc_text *out)
{
    (void)style;
    json_t *root = smc_json_begin();
    smc_json_set(root, "launch_bounds", smc_json_promises(promises));
    smc_json_finish(root, out);
}

static void write_banks(const struct smc_banks_answer *answer, const struct smc_report_style *style,
                        struct smc_text *out)
{
    (void)style;
    json_t *root = smc_json_begin();
    smc_json_banks(root, answer);
    smc_json_finish(root, out);
}

static void write_kernel_banks(const struct smc_kernel_banks *banks,
                               const struct smc_report_style *style, struct smc_text *out)
{
    (void)style;
    json_t *root = smc_json_begin();
    smc_json_kernel_banks(root, banks);
    smc_json_finish(root, out);
}

const struct smc_writer smc_writer_json = {
    .name = "json",
    .answers = write_answers,
    .runs = write_runs,
    .series = write_series,
    .all_gpus = write_all_gpus,
    .merge = write_merge,
    .own = write_own,
    .devices = write_devices,
    .calibration = write_calibration,
    .headroom = write_rooms,
    .carveouts = write_carveouts,
    .best = write_best,
    .best_of_kernels = write_best_of_kernels,
    .inspection = write_inspection,
    .promises = write_promises,
    .diff = write_diff,
    .tune = write_tune,
    .trace = write_trace,
    .kernels = write_kernels,
    .doctor = write_doctor,
    .sweep_begin = smc_json_sweep_begin,
    .sweep_point = smc_json_sweep_point,
    .sweep_end = smc_json_sweep_end,
    .sweep_needs_whole_answers = true,
    .banks = write_banks,
    .kernel_banks = write_kernel_banks,
};
