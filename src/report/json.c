/* The JSON report: its table of functions. Schema "smemcalc/1": numbers as numbers, units in the
   keys, null where a value is unknown or does not apply. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/utf8.h"
#include "report/json_parts.h"

/* --- Members ---------------------------------------------------------------------------------- */

void smc_json_set(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

json_t *smc_json_number(double value)
{
    if (!isfinite(value))
        return json_null();
    return smc_number_is_whole(value) ? json_integer((json_int_t)value) : json_real(value);
}

void smc_json_integer(json_t *object, const char *key, uint64_t value)
{
    smc_json_set(object, key, json_integer((json_int_t)value));
}

void smc_json_real(json_t *object, const char *key, double value)
{
    smc_json_set(object, key, json_real(value));
}

/* Invalid UTF-8 becomes '?', so that no member is lost for its content. */
void smc_json_string(json_t *object, const char *key, const char *value)
{
    char *safe = smc_strdup(value);
    if (safe)
        smc_utf8_make_safe(safe);
    smc_json_set(object, key, safe ? json_string(safe) : NULL);
    free(safe);
}

void smc_json_known_string(json_t *object, const char *key, const char *value)
{
    if (value[0])
        smc_json_string(object, key, value);
    else
        smc_json_set(object, key, json_null());
}

void smc_json_known_integer(json_t *object, const char *key, uint64_t value)
{
    smc_json_set(object, key, value ? json_integer((json_int_t)value) : json_null());
}

void smc_json_known_real(json_t *object, const char *key, double value)
{
    smc_json_set(object, key, value != 0 ? json_real(value) : json_null());
}

/* --- Reports ---------------------------------------------------------------------------------- */

#define SCHEMA "smemcalc/1"
enum { FORMAT = JSON_INDENT(1) | JSON_REAL_PRECISION(15) };

json_t *smc_json_begin(void)
{
    json_t *root = json_object();
    smc_json_string(root, "schema", SCHEMA);
    return root;
}

void smc_json_finish(json_t *root, struct smc_text *out)
{
    char *text = json_dumps(root, FORMAT);
    json_decref(root);
    if (!text) {
        out->failed = true;
        return;
    }
    smc_text_append(out, text);
    smc_text_append_char(out, '\n', 1);
    free(text);
}

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

static void write_merge(const struct smc_merged *merged, const struct smc_report_style *style,
                        struct smc_text *out)
{
    (void)style;
    json_t *root = smc_json_begin();
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

static void write_calibration(const struct smc_calibration *calibration, const char *kept_in,
                              const struct smc_report_style *style, struct smc_text *out)
{
    (void)style;
    json_t *root = smc_json_begin();
    smc_json_calibration(root, calibration, kept_in);
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

/* Appends a member of a list of the report, as jansson would, and releases it. */
static void append_item(json_t *item, struct smc_text *out)
{
    char *text = json_dumps(item, FORMAT);
    json_decref(item);
    out->failed |= !text;
    for (const char *line = text; line && *line;) {
        size_t length = strcspn(line, "\n");
        length += line[length] == '\n';
        smc_text_append(out, "  ");
        smc_text_append_bytes(out, line, length);
        line += length;
    }
    free(text);
}

/* A row at a time: the values of all rows take several times the memory of their text. */
static size_t write_inspection(const struct smc_inspect_rows *rows, size_t first,
                               const struct smc_report_style *style, struct smc_text *out)
{
    size_t i = first;
    (void)style;
    if (first == 0)
        smc_text_append(out, "{\n \"schema\": \"" SCHEMA "\",\n \"kernels\": [");
    for (; i < rows->count && (i == first || out->length < SMC_REPORT_PART); i++) {
        smc_text_append(out, i ? ",\n" : "\n");
        append_item(smc_json_inspected(&rows->item[i]), out);
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
