/* A run: predicted values compared with what the API reported, the emulator counted and a GPU
   measured, on one GPU or on all of the machine; as text, JSON and CSV. */
#include <stdio.h>
#include <string.h>

#include "base/numbers.h"
#include "show/report/banks_report.h"
#include "show/report/emulator_findings.h"
#include "show/report/writers.h"

/* --- Words ------------------------------------------------------------------------------------ */

void smc_words_run_kernel(const struct smc_answer *answer, struct smc_text *out)
{
    if (!answer->query.kernel)
        return;
    smc_text_printf(out, "%s: ", answer->query.kernel->name);
    smc_words_params(answer, out);
}

void smc_words_run_device(const struct smc_device *device, struct smc_text *out)
{
    smc_text_append(out, device->name);
    if (device->sm_count == 0) /* a compute capability */
        return;
    smc_text_printf(out, ", CC %d.%d, %u SM%s", device->sm.cc / 10, device->sm.cc % 10,
                    device->sm_count, smc_text_plural(device->sm_count));
}

void smc_words_run_driver(const struct smc_run_result *result, struct smc_text *out)
{
    if (result->driver[0])
        smc_text_printf(out, "driver for CUDA %s, runtime %s", result->driver, result->runtime);
}

void smc_words_verdicts(const struct smc_confirmation *confirmation, struct smc_text *out)
{
    const char *verdict = confirmation->differing   ? "differs"
                          : confirmation->confirmed ? "confirmed"
                                                    : "nothing was measured";
    smc_text_printf(out, "%s: %zu confirmed, %zu differ%s, %zu not measured", verdict,
                    confirmation->confirmed, confirmation->differing,
                    confirmation->differing == 1 ? "s" : "", confirmation->not_measured);
}

const char *const smc_source_headings[SMC_SOURCE_COUNT] = {
    [SMC_SOURCE_PREDICTED] = "predicted",
    [SMC_SOURCE_API] = "API",
    [SMC_SOURCE_EMULATED] = "emulated",
    [SMC_SOURCE_MEASURED] = "measured",
};

const struct smc_reading *smc_row_reading(const struct smc_row *row, int column)
{
    const struct smc_reading *const sources[SMC_SOURCE_COUNT] = {
        [SMC_SOURCE_PREDICTED] = &row->predicted,
        [SMC_SOURCE_API] = &row->api,
        [SMC_SOURCE_EMULATED] = &row->emulated,
        [SMC_SOURCE_MEASURED] = &row->measured,
    };
    return sources[column];
}

void smc_words_source(const struct smc_row *row, const struct smc_reading *reading,
                      char text[SMC_ROW_WORDS])
{
    double value = reading->value;
    const char *gap = row->unit[0] ? " " : "";
    bool long_enough = value >= 1000 && value < 1e15; /* at least four significant digits */
    if (reading == &row->predicted && row->words[0])
        snprintf(text, SMC_ROW_WORDS, "%s", row->words);
    else if (!reading->present)
        snprintf(text, SMC_ROW_WORDS, "-");
    else if (strcmp(row->quantity, "compiles") == 0 || strcmp(row->quantity, "launches") == 0)
        snprintf(text, SMC_ROW_WORDS, "%s", value != 0 ? "yes" : "no");
    else
        snprintf(text, SMC_ROW_WORDS,
                 smc_number_is_whole(value) || long_enough ? "%.0f%s%s" : "%.4g%s%s", value, gap,
                 row->unit);
}

bool smc_words_any_emulated(const struct smc_confirmation *confirmation)
{
    for (size_t i = 0; i < confirmation->row_count; i++)
        if (confirmation->row[i].emulated.present)
            return true;
    return false;
}

enum smc_emphasis smc_verdict_emphasis(enum smc_verdict verdict)
{
    return verdict == SMC_CONFIRMED ? SMC_GOOD : verdict == SMC_DIFFERS ? SMC_BAD : SMC_PLAIN;
}

/* --- Fields ----------------------------------------------------------------------------------- */

struct run_line {
    const struct smc_csv_run *run; /* in CSV */
    const struct smc_row *row;
    const char *verdict, *note;
};

#define LINE_FIELDS(FIELD)                                                                         \
    FIELD(NULL, "kernel", "", "the kernel", smc_value_text(item->run->kernel))                     \
    FIELD("quantity", "quantity", "", "what is compared", smc_value_text(item->row->quantity))     \
    FIELD("unit", "unit", "", "its unit", smc_value_text(item->row->unit))                         \
    FIELD("predicted", NULL, "", "by the model", item->row->predicted)                             \
    FIELD("predicted_text", NULL, "", "what is predicted in words",                                \
          smc_value_string(item->row->words))                                                      \
    FIELD(NULL, "predicted", "", "by the model",                                                   \
          item->row->words[0] ? smc_value_string(item->row->words)                                 \
                              : smc_value_reading(item->row->predicted))                           \
    FIELD("api", "api", "", "the driver's answer", item->row->api)                                 \
    FIELD("emulated", "emulated", "", "counted by the emulator", item->row->emulated)              \
    FIELD("measured", "measured", "", "on the GPU", item->row->measured)                           \
    FIELD("verdict", "verdict", "", "how they compare", smc_value_text(item->verdict))             \
    FIELD("note", "note", "", "the reason, or a remark", smc_value_string(item->note))             \
    FIELD(NULL, "host", "", "the machine's name", smc_value_text(item->run->host_name))            \
    FIELD(NULL, "gpu_uuid", "", "as nvidia-smi prints it", smc_value_text(item->run->gpu_uuid))
SMC_FIELD_TABLE(line_fields, struct run_line, LINE_FIELDS)

static struct run_line run_line_of(const struct smc_csv_run *run, const struct smc_row *row)
{
    return (struct run_line){run, row, smc_verdict_name(row->verdict), row->note};
}

/* --- Text: the table -------------------------------------------------------------------------- */

/* With the columns of a run on a GPU these fill 80. */
enum { LABEL_WIDTH = 24, VALUE_WIDTH = 13, VERDICT_WIDTH = 12, VERDICT_GAP = 2 };

struct run_table {
    int label_width, width[SMC_SOURCE_COUNT]; /* 0: no row has this source */
};

static void run_widen(int *width, size_t needed)
{
    if ((size_t)*width < needed)
        *width = (int)needed;
}

/* Each column as wide as its content. */
static void make_narrow(const struct smc_confirmation *confirmation, struct run_table *table)
{
    size_t words = 0; /* with the label before them */
    table->label_width = 0;
    for (int c = 0; c < SMC_SOURCE_COUNT; c++)
        if (table->width[c] > 0)
            table->width[c] = (int)strlen(smc_source_headings[c]);
    for (size_t i = 0; i < confirmation->row_count; i++) {
        const struct smc_row *row = &confirmation->row[i];
        char text[SMC_ROW_WORDS];
        run_widen(&table->label_width, strlen(row->label));
        if (row->words[0] && strlen(row->label) + strlen(row->words) > words)
            words = strlen(row->label) + strlen(row->words);
        for (int c = row->words[0] ? SMC_SOURCE_API : SMC_SOURCE_PREDICTED; c < SMC_SOURCE_COUNT;
             c++) {
            smc_words_source(row, smc_row_reading(row, c), text);
            if (table->width[c] > 0)
                run_widen(&table->width[c], strlen(text));
        }
    }
    if (words > (size_t)table->label_width)
        run_widen(&table->width[SMC_SOURCE_PREDICTED], words - (size_t)table->label_width);
}

/* Which sources have a column; narrow columns where the usual width exceeds the terminal's. */
static struct run_table run_lay_out(const struct smc_confirmation *confirmation, bool all,
                                    size_t columns)
{
    struct run_table table = {.label_width = LABEL_WIDTH,
                              .width[SMC_SOURCE_PREDICTED] = VALUE_WIDTH};
    size_t total = LABEL_WIDTH + VERDICT_GAP + VERDICT_WIDTH;
    table.width[SMC_SOURCE_API] = table.width[SMC_SOURCE_MEASURED] = all ? VALUE_WIDTH : 0;
    for (size_t i = 0; i < confirmation->row_count; i++)
        for (int c = SMC_SOURCE_API; c < SMC_SOURCE_COUNT; c++)
            if (smc_row_reading(&confirmation->row[i], c)->present)
                table.width[c] = VALUE_WIDTH;
    for (int c = 0; c < SMC_SOURCE_COUNT; c++)
        total += table.width[c] > 0 ? 1 + VALUE_WIDTH : 0;
    if (total > columns)
        make_narrow(confirmation, &table);
    return table;
}

/* The prediction comes first: its words may begin right after a short label. */
static void run_append_values(const struct smc_row *row, const struct run_table *table,
                              struct smc_text *out)
{
    char text[SMC_ROW_WORDS];
    int label_width = (int)strlen(row->label);
    smc_words_source(row, &row->predicted, text);
    smc_text_printf(out, "%s %*s", row->label,
                    table->label_width + table->width[SMC_SOURCE_PREDICTED] - label_width, text);
    for (int c = SMC_SOURCE_API; c < SMC_SOURCE_COUNT; c++) {
        smc_words_source(row, smc_row_reading(row, c), text);
        if (table->width[c] > 0)
            smc_text_printf(out, " %*s", table->width[c], text);
    }
}

/* A note equal to that of the row before is not repeated. */
static void run_append_row(const struct smc_row *row, const char *note_before,
                           const struct run_table *table, struct smc_text *out)
{
    run_append_values(row, table, out);
    smc_text_append_char(out, ' ', VERDICT_GAP);
    smc_layout_words(out, smc_verdict_emphasis(row->verdict), smc_verdict_name(row->verdict));
    smc_text_append_char(out, '\n', 1);
    if (row->note[0] && strcmp(row->note, note_before) != 0)
        smc_layout_paragraph(out, "", 4, row->note, out->style->columns);
}

void smc_text_rows(const struct smc_confirmation *confirmation, bool all, struct smc_text *out)
{
    const struct run_table table = run_lay_out(confirmation, all, out->style->columns);
    smc_text_printf(out, "%-*s", table.label_width, "");
    for (int c = 0; c < SMC_SOURCE_COUNT; c++)
        if (table.width[c] > 0)
            smc_text_printf(out, " %*s", table.width[c], smc_source_headings[c]);
    smc_text_append(out, "  verdict\n");
    for (size_t i = 0; i < confirmation->row_count; i++)
        run_append_row(&confirmation->row[i], i ? confirmation->row[i - 1].note : "", &table, out);
}

/* --- Text: a run ------------------------------------------------------------------------------ */

void smc_text_machine_line(const char *host_name, const char *gpu_uuid, struct smc_text *out)
{
    if (gpu_uuid[0])
        smc_layout_say(out, "machine", "%s%s%s", host_name, host_name[0] ? ", " : "", gpu_uuid);
}

void smc_text_run_device_line(const struct smc_device *device, const char *driver,
                              const char *runtime, const struct smc_query *query,
                              struct smc_text *out)
{
    struct smc_text line = {0};
    smc_words_run_device(device, &line);
    if (driver[0])
        smc_text_printf(&line, "; driver for CUDA %s, runtime %s", driver, runtime);
    if (query)
        smc_words_assumed(query, &line);
    smc_layout_line(out, "device", &line);
}

static void write_run(const struct smc_confirmed_run *run, struct smc_text *out)
{
    const struct smc_query *query = &run->answer.query;
    const struct smc_run_result *result = &run->result;
    struct smc_text verdict = {0}, kernel = {0};
    smc_words_verdicts(&run->confirmation, &verdict);
    smc_words_conflicts(&run->conflicts, &verdict);
    smc_layout_verdict(out, run->confirmation.differing ? SMC_BAD : SMC_GOOD, &verdict);
    smc_text_append_char(out, '\n', 1);
    smc_words_run_kernel(&run->answer, &kernel);
    smc_layout_line(out, "kernel", &kernel);
    smc_text_run_device_line(&query->device, result->driver, result->runtime, query, out);
    smc_text_machine_line(result->host_name, result->gpu_uuid, out);
    smc_text_conflict_fix(&run->conflicts, query->kernel ? query->kernel->file : "", out);
    smc_text_append_char(out, '\n', 1);
    smc_text_rows(&run->confirmation, result->load.made, out);
    if (result->emulated.finding_count > 1 || /* the row's note has only the first */
        smc_findings_have_stacks(&result->emulated)) {
        smc_text_append(out, "\nfindings, lowest block first\n");
        smc_text_findings(&result->emulated, out);
    }
    smc_text_annotation(result->emulated.annotation, out);
}

void smc_text_runs(const struct smc_confirmed_run *runs, size_t count, struct smc_text *out)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            smc_text_append_char(out, '\n', 1);
        write_run(&runs[i], out);
    }
}

/* --- Text: all GPUs --------------------------------------------------------------------------- */

struct run_sum {
    struct smc_confirmation all; /* only its counts are used */
    size_t failed;
};

static struct run_sum run_add_up(const struct smc_all_gpus *all)
{
    struct run_sum sum = {.failed = 0};
    for (size_t i = 0; i < all->count; i++) {
        const struct smc_gpu_part *part = &all->part[i];
        sum.failed += smc_gpu_part_failed(part);
        for (size_t r = 0; r < part->count; r++)
            smc_confirmation_add(&part->runs[r].confirmation, &sum.all);
    }
    return sum;
}

static void write_part(const struct smc_gpu_part *part, const char *host_name, struct smc_text *out)
{
    smc_layout_begin(out, SMC_STRONG);
    smc_text_printf(out, "\nGPU %d", part->gpu_index);
    smc_layout_end(out);
    smc_text_append(out, ": ");
    if (part->count > 0)
        smc_text_runs(part->runs, part->count, out);
    if (!smc_gpu_part_failed(part))
        return;
    struct smc_text line = {0};
    smc_text_printf(&line, "failed: %s", part->error.message);
    smc_layout_verdict(out, SMC_BAD, &line);
    if (part->count > 0)
        return;
    smc_text_run_device_line(&part->device, "", "", NULL, out);
    smc_text_machine_line(host_name, smc_gpu_part_uuid(part), out);
}

void smc_text_all_gpus(const struct smc_all_gpus *all, struct smc_text *out)
{
    const struct run_sum sum = run_add_up(all);
    struct smc_text verdict = {0};
    smc_text_printf(&verdict, "%zu GPU%s", all->count, smc_text_plural(all->count));
    if (sum.failed > 0)
        smc_text_printf(&verdict, ", %zu of them failed", sum.failed);
    smc_text_append(&verdict, ": ");
    smc_words_verdicts(&sum.all, &verdict);
    smc_layout_verdict(out, sum.failed || sum.all.differing ? SMC_BAD : SMC_GOOD, &verdict);
    for (size_t i = 0; i < all->count; i++)
        write_part(&all->part[i], all->host_name, out);
}

/* --- JSON ------------------------------------------------------------------------------------- */

void smc_json_rows(json_t *object, const struct smc_confirmation *confirmation)
{
    const struct smc_csv_run run = {"", "", ""}; /* JSON has the machine elsewhere */
    json_t *rows = json_array(), *verdicts = json_object();
    for (size_t i = 0; i < confirmation->row_count; i++) {
        const struct run_line line = run_line_of(&run, &confirmation->row[i]);
        json_array_append_new(rows, smc_fields_object(&line_fields, &line));
    }
    smc_json_set(object, "confirmation", rows);
    smc_json_integer(verdicts, "confirmed", confirmation->confirmed);
    smc_json_integer(verdicts, "differing", confirmation->differing);
    smc_json_integer(verdicts, "not_measured", confirmation->not_measured);
    smc_json_set(object, "verdicts", verdicts);
}

/* Where a process of a job was started: several may share a host, or even a GPU. */
static void set_machine(json_t *object, const char *host_name, const char *gpu_uuid)
{
    char node[SMC_HOST_NAME_CHARS];
    int32_t rank = smc_machine_rank();
    smc_machine_node_name(node);
    smc_json_known_string(object, "host", host_name);
    smc_json_known_string(object, "node", node);
    smc_json_set(object, "rank", rank < 0 ? json_null() : json_integer(rank));
    smc_json_known_string(object, "gpu_uuid", gpu_uuid);
}

json_t *smc_json_run(const struct smc_run_result *result)
{
    bool timed = result->timing.succeeded;
    json_t *object = json_object();
    set_machine(object, result->host_name, result->gpu_uuid);
    smc_json_known_string(object, "driver", result->driver);
    smc_json_known_string(object, "runtime", result->runtime);
    smc_json_integer(object, "seed", result->seed);
    smc_json_set(object, "timed_launches",
                 timed ? json_integer(result->timed_launches) : json_null());
    smc_json_set(object, "median_ms", timed ? json_real(result->median_ms) : json_null());
    smc_json_set(object, "fastest_ms", timed ? json_real(result->fastest_ms) : json_null());
    smc_json_set(object, "slowest_ms", timed ? json_real(result->slowest_ms) : json_null());
    smc_json_set(object, "cold", timed ? json_boolean(result->cold) : json_null());
    smc_json_known_integer(object, "sm_clock_khz", result->sm_clock_khz);
    return object;
}

/* null where nothing was emulated. */
static json_t *emulated_object(const struct smc_run_result *result)
{
    const struct smc_emulated_run *emulated = &result->emulated;
    if (!result->emulation.made)
        return json_null();
    json_t *object = json_object();
    smc_json_integer(object, "warp_instructions", (uint64_t)emulated->warp_instructions);
    smc_json_integer(object, "thread_instructions", (uint64_t)emulated->thread_instructions);
    smc_json_real(object, "elapsed_ms", emulated->elapsed_ms);
    smc_json_set(object, "fidelity", smc_json_fidelity(&emulated->fidelity));
    smc_json_set(object, "findings", smc_json_findings(emulated));
    smc_json_set(object, "lines",
                 emulated->annotation ? smc_json_annotation(emulated->annotation) : json_null());
    return object;
}

void smc_json_confirmation(json_t *object, const struct smc_run_result *result,
                           const struct smc_confirmation *confirmation)
{
    smc_json_rows(object, confirmation);
    smc_json_set(object, "run", smc_json_run(result));
    smc_json_set(object, "emulation", emulated_object(result));
}

static void describe_run(json_t *object, const struct smc_confirmed_run *run)
{
    const struct smc_run_result *result = &run->result;
    smc_json_answer(object, &run->answer);
    smc_json_set(object, "time",
                 smc_json_time(&run->answer, result->timing.succeeded ? result->median_ms : 0));
    smc_json_set(object, "ceilings", smc_json_ceilings(&run->answer.query.ceilings));
    smc_json_confirmation(object, &run->result, &run->confirmation);
    smc_json_set(object, "conflicts", smc_json_conflicts(&run->conflicts));
}

/* "besides" is the older name of "further_runs". */
void smc_json_runs(json_t *object, const struct smc_confirmed_run *runs, size_t count)
{
    json_t *further = json_array();
    describe_run(object, &runs[0]);
    for (size_t i = 1; i < count; i++) {
        json_t *run = smc_json_add_object(further);
        describe_run(run, &runs[i]);
    }
    json_object_set(object, "further_runs", further);
    smc_json_set(object, "besides", further);
}

static json_t *error_object(const struct smc_gpu_part *part)
{
    json_t *object = json_object();
    smc_json_integer(object, "status", part->status);
    smc_json_string(object, "message", part->error.message);
    return object;
}

/* A GPU that failed early has only its device and its name, as far as they are known. */
static json_t *part_object(const struct smc_gpu_part *part, const char *host_name)
{
    bool known = part->device.name[0] != '\0';
    json_t *object = json_object(), *run = json_object();
    smc_json_set(object, "gpu_index", json_integer(part->gpu_index));
    smc_json_set(object, "error", smc_gpu_part_failed(part) ? error_object(part) : json_null());
    if (part->count > 0) {
        json_decref(run);
        smc_json_runs(object, part->runs, part->count);
        return object;
    }
    smc_json_set(object, "device", known ? smc_json_device(&part->device) : json_null());
    set_machine(run, host_name, smc_gpu_part_uuid(part));
    smc_json_set(object, "run", run);
    return object;
}

void smc_json_all_gpus(json_t *object, const struct smc_all_gpus *all)
{
    json_t *list = json_array();
    for (size_t i = 0; i < all->count; i++)
        json_array_append_new(list, part_object(&all->part[i], all->host_name));
    smc_json_set(object, "runs", list);
}

/* --- CSV -------------------------------------------------------------------------------------- */

void smc_csv_rows_head(struct smc_text *out)
{
    smc_fields_csv_head(&line_fields, out);
}

void smc_csv_row(const struct smc_csv_run *run, const struct smc_row *row, struct smc_text *out)
{
    const struct run_line line = run_line_of(run, row);
    smc_fields_csv_row(&line_fields, &line, out);
}

static void append_csv_rows(const struct smc_confirmed_run *runs, size_t count,
                            struct smc_text *out)
{
    for (size_t r = 0; r < count; r++) {
        const struct smc_csv_run run = {runs[r].answer.query.kernel->name, runs[r].result.host_name,
                                        runs[r].result.gpu_uuid};
        for (size_t i = 0; i < runs[r].confirmation.row_count; i++)
            smc_csv_row(&run, &runs[r].confirmation.row[i], out);
    }
}

/* An annotation replaces the rows. */
void smc_csv_runs(const struct smc_confirmed_run *runs, size_t count, struct smc_text *out)
{
    bool is_annotated = false;
    for (size_t i = 0; i < count; i++)
        is_annotated |= runs[i].result.emulated.annotation != NULL;
    if (!is_annotated) {
        smc_csv_rows_head(out);
        append_csv_rows(runs, count, out);
        return;
    }
    smc_csv_annotation_head(out);
    for (size_t i = 0; i < count; i++)
        if (runs[i].result.emulated.annotation)
            smc_csv_annotation(runs[i].answer.query.kernel->name,
                               runs[i].result.emulated.annotation, out);
}

/* A GPU that failed has one row, whose note is the reason. */
static void append_csv_failure(const struct smc_gpu_part *part, const char *host_name,
                               struct smc_text *out)
{
    const struct smc_csv_run run = {"", host_name, smc_gpu_part_uuid(part)};
    const struct smc_row row = {.quantity = "error", .unit = ""};
    smc_auto_text reason = {0};
    smc_text_printf(&reason, "GPU %d: %s", part->gpu_index, part->error.message);
    const struct run_line line = {&run, &row, "failed", smc_text_string(&reason)};
    smc_fields_csv_row(&line_fields, &line, out);
}

void smc_csv_all_gpus(const struct smc_all_gpus *all, struct smc_text *out)
{
    smc_csv_rows_head(out);
    for (size_t i = 0; i < all->count; i++) {
        const struct smc_gpu_part *part = &all->part[i];
        append_csv_rows(part->runs, part->count, out);
        if (smc_gpu_part_failed(part))
            append_csv_failure(part, all->host_name, out);
    }
}
