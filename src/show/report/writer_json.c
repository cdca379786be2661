/* The writers of JSON and of JSON Lines: the envelope of each kind of result. */
#include "config.h"

#include "show/report/writers.h"

void smc_json_answers(json_t *root, const struct smc_answer *answers, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *object = smc_json_add_object(list);
        smc_json_answer(object, &answers[i]);
        smc_json_set(object, "ceilings", smc_json_ceilings(&answers[i].query.ceilings));
    }
    smc_json_set_answers(root, list);
}

void smc_json_devices(json_t *root, const struct smc_device *devices,
                      const struct smc_ceilings *ceilings, size_t count)
{
    (void)ceilings;
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, smc_json_device(&devices[i]));
    smc_json_set(root, "devices", list);
}

void smc_json_calibration(json_t *object, const struct smc_calibration *calibration,
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
    smc_json_known_string(object, "kept_in", kept_in);
}

#define WRITER(kind, list, parameters, arguments)                                                  \
    static void write_##kind(SMC_WRITER_LIST parameters, struct smc_text *out)                     \
    {                                                                                              \
        json_t *root = smc_json_begin();                                                           \
        smc_json_##kind(root, SMC_WRITER_LIST arguments);                                          \
        smc_json_finish(root, out);                                                                \
    }                                                                                              \
    static void lines_##kind(SMC_WRITER_LIST parameters, struct smc_text *out)                     \
    {                                                                                              \
        json_t *root = smc_json_begin();                                                           \
        smc_json_##kind(root, SMC_WRITER_LIST arguments);                                          \
        smc_json_finish_lines(root, list, out);                                                    \
    }
#include "show/report/writers.def"

static json_t *trace_object(const struct smc_trace_answer *answer, const struct smc_text *out)
{
    json_t *root = smc_json_begin();
    smc_json_trace(root, answer, out->style->most_kernels);
    return root;
}

static void write_trace(const struct smc_trace_answer *answer, struct smc_text *out)
{
    smc_json_finish(trace_object(answer, out), out);
}

static void lines_trace(const struct smc_trace_answer *answer, struct smc_text *out)
{
    smc_json_finish_lines(trace_object(answer, out), "kernels", out);
}

static json_t *kernels_object(void)
{
    json_t *root = smc_json_begin();
    smc_json_set(root, "kernels", smc_json_kernels());
    return root;
}

static void write_kernels(struct smc_text *out)
{
    smc_json_finish(kernels_object(), out);
}

static void lines_kernels(struct smc_text *out)
{
    smc_json_finish_lines(kernels_object(), "kernels", out);
}

/* A row at a time: the values of all rows take several times the memory of their text. */
static size_t write_inspection(const struct smc_inspect_rows *rows, size_t first,
                               struct smc_text *out)
{
    size_t i = first;
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

static size_t lines_inspection(const struct smc_inspect_rows *rows, size_t first,
                               struct smc_text *out)
{
    size_t i = first;
    for (; i < rows->count && (i == first || out->length < SMC_REPORT_PART); i++)
        smc_json_append_line(smc_json_inspected(&rows->item[i]), out);
    return i;
}

const struct smc_writer smc_writer_json = {
    .name = "json",
    .has_notes = true,
#define WRITER(kind, list, parameters, arguments) .kind = write_##kind,
#include "show/report/writers.def"
    .inspection = write_inspection,
    .trace = write_trace,
    .kernels = write_kernels,
    .sweep_begin = smc_json_sweep_begin,
    .sweep_point = smc_json_sweep_point,
    .sweep_end = smc_json_sweep_end,
    .sweep_needs_whole_answers = true,
};

const struct smc_writer smc_writer_lines = {
    .name = "jsonl",
    .has_notes = true,
    .is_by_line = true,
#define WRITER(kind, list, parameters, arguments) .kind = lines_##kind,
#include "show/report/writers.def"
    .inspection = lines_inspection,
    .trace = lines_trace,
    .kernels = lines_kernels,
    .sweep_point = smc_lines_sweep_point,
    .sweep_needs_whole_answers = true,
};
