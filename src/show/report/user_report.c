/* The user's own kernel, launched: its launch and limits, the counts, its memory and the findings,
   as text, JSON and CSV. */
#include <inttypes.h>
#include <stdio.h>

#include "show/report/banks_report.h"
#include "show/report/emulator_findings.h"
#include "show/report/writers.h"

enum { SHOWN_VALUES = 6 };

static const char *const kinds[SMC_EMULATED_KINDS] = {
    [SMC_EMULATED_LOAD] = "loads",
    [SMC_EMULATED_STORE] = "stores",
    [SMC_EMULATED_ATOMIC] = "atomics",
};

/* "launched", "1.2 ms measured, 1.1 to 1.3 ms predicted". */
static void append_measured(const struct smc_user_run *run, struct smc_text *out)
{
    if (!run->result.timing.succeeded) {
        smc_text_append(out, "launched");
        return;
    }
    smc_words_time(run->result.median_ms, out);
    smc_text_append(out, " measured");
    if (smc_time_is_known(&run->answer.time)) {
        smc_text_append(out, ", ");
        smc_words_time_range(&run->answer.time, out);
        smc_text_append(out, " predicted");
    }
}

/* "no findings", "no errors found; 15,872 bank conflicts, 50 % of the wavefronts", "5 findings in 2
 * places", or the first failure's message. */
static void user_append_verdict(const struct smc_user_run *run, struct smc_text *out)
{
    const struct smc_emulated_run *emulated = &run->result.emulated;
    const struct smc_run_result *gpu = &run->result;
    const struct smc_attempt *const ends[] = {&emulated->finish, &gpu->load, &gpu->launch,
                                              &gpu->finish};
    if (!gpu->emulation.made && !gpu->launch.made) {
        if (smc_time_is_known(&run->answer.time)) {
            smc_words_time_range(&run->answer.time, out);
            smc_text_append(out, " predicted; ");
        }
        smc_text_append(out, "nothing was run");
        return;
    }
    if (emulated->findings_total == 0 && emulated->site.all) {
        smc_text_append(out, "no errors found");
    } else if (run->result.emulation.made) {
        smc_words_headline(emulated, out);
        smc_words_findings(emulated, out);
    } else {
        append_measured(run, out);
        smc_text_append(out, "; only the emulator finds errors in a kernel");
    }
    struct smc_conflict_fix fix;
    smc_conflict_fix_of_site(&emulated->site, &fix);
    smc_words_conflicts(&fix, out);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends[i]->made && !ends[i]->succeeded)
            smc_text_printf(out, "; %s", ends[i]->message);
}

/* The emulator's, or else the GPU's; NULL if it ran on neither. */
static const struct smc_user_digest *digest_of(const struct smc_user_memory *memory)
{
    return memory->has_emulated ? &memory->emulated : memory->has_gpu ? &memory->gpu : NULL;
}

/* The first elements after the run on the emulator, or else on the GPU: "0, 1, 2, ...". */
static void user_append_values(const struct smc_user_memory *memory, struct smc_text *out)
{
    const struct smc_user_argument *argument = memory->argument;
    const void *data = memory->has_emulated ? memory->after_emulated : memory->after_gpu;
    uint64_t shown = argument->elements < SHOWN_VALUES ? argument->elements : SHOWN_VALUES;
    for (uint64_t i = 0; i < shown; i++) {
        char text[32];
        smc_user_show(argument->type, data, i, text);
        smc_text_printf(out, "%s%s", i ? ", " : "", text);
    }
    if (shown < argument->elements)
        smc_text_append(out, ", ...");
}

/* --- Text ------------------------------------------------------------------------------------- */

static void user_append_time(const struct smc_user_run *run, struct smc_text *out)
{
    const struct smc_time *time = &run->answer.time;
    struct smc_text line = {0};
    smc_text_time_line(&run->answer, out);
    smc_text_relief(&run->answer, &line);
    smc_layout_line(out, "faster", &line);
    if (smc_time_is_known(time) && time->contents_change)
        smc_layout_say(out, "note",
                       "what blocks execute depends on what other blocks store during the launch, "
                       "so that the range is wide");
    if (smc_time_is_known(time) && time->outside_arrays)
        smc_layout_say(out, "note",
                       "accesses lie outside the arrays given, which a GPU may end with an error: "
                       "--on emulator names them");
    if (smc_time_is_known(time) && time->unfollowed[0])
        smc_layout_say(out, "note", "not followed: %s, so that the range is wide",
                       time->unfollowed);
    bool ran = run->result.emulation.made || run->result.launch.made;
    if (!smc_time_is_known(time) && time->reason[0] && (!ran || time->lacks_rate))
        smc_layout_say(out, "time", "not predicted: %s", time->reason);
}

static void user_append_head(const struct smc_user_run *run, struct smc_text *out)
{
    const struct smc_user_request *request = &run->request;
    const struct smc_run_result *gpu = &run->result;
    struct smc_text kernel = {0};
    smc_text_printf(&kernel, "%s of %s: grid ", run->row.kernel->shown, request->file);
    smc_words_extent(request->grid, " x ", &kernel);
    smc_text_append(&kernel, ", block ");
    smc_words_extent(request->block, " x ", &kernel);
    if (kernel.data)
        smc_utf8_make_safe(kernel.data);
    smc_layout_line(out, "kernel", &kernel);
    smc_text_run_device_line(&request->device, gpu->driver, gpu->runtime, NULL, out);
    smc_text_machine_line(run->result.host_name, gpu->gpu_uuid, out);
    smc_text_block_line(&run->answer, out);
    smc_text_opt_in_line(&run->answer, run->row.kernel->shown, out);
    smc_text_cooperative_line(&run->answer, out);
    user_append_time(run, out);
    struct smc_conflict_fix fix;
    smc_conflict_fix_of_site(&run->result.emulated.site, &fix);
    smc_text_conflict_fix(&fix, request->file, out);
}

static void append_traffic(const struct smc_user_run *run, size_t index, struct smc_text *line)
{
    for (int kind = 0; kind < SMC_EMULATED_KINDS; kind++) {
        const struct smc_emulated_traffic *seen = &run->memory[index].traffic.kind[kind];
        if (seen->requests > 0)
            smc_text_printf(line,
                            "; %s: %" PRIu64 SMC_TIE "request%s, %" PRIu64 SMC_TIE
                            "sector%s, %" PRIu64 SMC_TIE "B",
                            kinds[kind], seen->requests, smc_text_plural(seen->requests),
                            seen->sectors, smc_text_plural(seen->sectors), seen->bytes);
    }
}

static void append_agreement(const struct smc_agreement *agreement, struct smc_text *line)
{
    if (!agreement->compared)
        return;
    if (agreement->differing == 0)
        smc_text_append(line, "; the same on the GPU");
    else
        smc_text_printf(line, "; %" PRIu64 " differ%s on the GPU, from element %" PRIu64 " on",
                        agreement->differing, agreement->differing == 1 ? "s" : "",
                        agreement->first);
    if (agreement->by_order > 0)
        smc_text_printf(line, "; %s by no more than the order of atomics",
                        agreement->by_order == agreement->differing ? "all" : "some");
    if (agreement->by_turns == 0)
        return;
    if (agreement->by_turns + agreement->by_order == agreement->differing)
        smc_text_append(line, "; the result depends on the order of blocks and warps");
    else
        smc_text_printf(
            line,
            "; %" PRIu64 " of them depend%s on the order of blocks and warps, but element %" PRIu64
            " does not",
            agreement->by_turns, agreement->by_turns == 1 ? "s" : "", agreement->first_left);
}

static void append_memory(const struct smc_user_run *run, struct smc_text *out)
{
    if (run->memory_count > 0)
        smc_text_append(out, "\nmemory, and what it holds afterwards\n");
    for (size_t i = 0; i < run->memory_count; i++) {
        const struct smc_user_memory *memory = &run->memory[i];
        const struct smc_user_argument *argument = memory->argument;
        const struct smc_user_digest *digest = digest_of(memory);
        struct smc_text line = {0};
        smc_text_printf(&line, "%" PRIu64 " x %s", argument->elements,
                        smc_user_types[argument->type].name);
        append_traffic(run, i, &line);
        if (digest) {
            smc_text_append(&line, "; ");
            user_append_values(memory, &line);
            smc_text_printf(&line, "; %" PRIu64 SMC_TIE "changed; CRC-32" SMC_TIE "%08" PRIx32,
                            digest->changed, digest->crc32);
            append_agreement(&memory->agreement, &line);
        }
        smc_layout_line(out, memory->name, &line);
    }
}

/* What the kernel printed comes first, as it would on a GPU. */
static void append_printed(const struct smc_user_run *run, struct smc_text *out)
{
    const struct smc_text *printed = &run->printed;
    if (printed->length == 0)
        return;
    smc_text_append_bytes(out, printed->data, printed->length);
    smc_text_append(out, printed->data[printed->length - 1] == '\n' ? "\n" : "\n\n");
    if (run->printed_is_cut)
        smc_text_append(out, "what printf wrote after these 16 MB is not shown\n\n");
}

void smc_text_user(const struct smc_user_run *run, const struct smc_confirmation *confirmation,
                   struct smc_text *out)
{
    const struct smc_emulated_run *counts = &run->result.emulated;
    struct smc_text verdict = {0};
    append_printed(run, out);
    user_append_verdict(run, &verdict);
    smc_layout_verdict(out, confirmation->differing ? SMC_BAD : SMC_GOOD, &verdict);
    smc_text_append_char(out, '\n', 1);
    if (counts->finding_count > 0) {
        smc_auto_text advice = {0};
        smc_words_barrier_advice(run->barrier_after, &advice);
        smc_text_leading_findings(counts, smc_text_string(&advice), out);
        smc_text_append_char(out, '\n', 1);
    }
    user_append_head(run, out);
    smc_text_append_char(out, '\n', 1);
    smc_text_answer_limits(&run->answer, out);
    smc_text_append_char(out, '\n', 1);
    smc_text_rows(confirmation, false, out);
    append_memory(run, out);
    smc_auto_text line = {0};
    if (run->result.emulation.made)
        smc_words_fidelity(&run->result.emulated.fidelity, &line);
    if (line.length > 0)
        smc_text_append_char(out, '\n', 1);
    if (line.length > 0)
        smc_layout_line(out, "fidelity", &line);
    smc_text_annotation(counts->annotation, out);
    if (out->style->explain) {
        smc_text_explain(&run->answer, out);
        smc_text_memory_of_run(run, out);
    }
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *source_object(const struct smc_user_run *run)
{
    const struct smc_user_request *request = &run->request;
    json_t *object = json_object(), *arguments = json_array();
    smc_json_string(object, "file", request->file);
    smc_json_string(object, "entry", run->row.kernel->name);
    for (size_t i = 0; i < request->argument_count; i++)
        json_array_append_new(arguments, json_string(request->argument[i].typed));
    smc_json_set(object, "arguments", arguments);
    return object;
}

/* null if it was not launched there. */
static json_t *attempt_object(const struct smc_attempt *attempt)
{
    if (!attempt->made)
        return json_null();
    json_t *object = json_object();
    smc_json_set(object, "succeeded", json_boolean(attempt->succeeded));
    smc_json_known_string(object, "message", attempt->message);
    return object;
}

static json_t *traffic_object(const struct smc_emulated_traffic *traffic)
{
    json_t *object = json_object();
    smc_json_integer(object, "requests", traffic->requests);
    smc_json_integer(object, "sectors", traffic->sectors);
    smc_json_integer(object, "elements", traffic->elements);
    smc_json_integer(object, "bytes", traffic->bytes);
    return object;
}

static json_t *digest_object(bool present, const struct smc_user_digest *digest)
{
    char text[16];
    if (!present)
        return json_null();
    json_t *object = json_object();
    snprintf(text, sizeof text, "%08" PRIx32, digest->crc32);
    smc_json_string(object, "crc32", text);
    smc_json_integer(object, "changed", digest->changed);
    return object;
}

static json_t *memory_object(const struct smc_user_run *run, size_t index)
{
    const struct smc_user_memory *memory = &run->memory[index];
    const struct smc_user_argument *argument = memory->argument;
    bool counted = run->result.emulation.made;
    json_t *object = json_object();
    smc_json_string(object, "name", memory->name);
    smc_json_known_integer(object, "argument", memory->position);
    smc_json_string(object, "type", smc_user_types[argument->type].name);
    smc_json_integer(object, "elements", argument->elements);
    for (int k = 0; k < SMC_EMULATED_KINDS; k++)
        smc_json_set(object, kinds[k],
                     counted ? traffic_object(&memory->traffic.kind[k]) : json_null());
    smc_json_set(object, "emulated", digest_object(memory->has_emulated, &memory->emulated));
    smc_json_set(object, "measured", digest_object(memory->has_gpu, &memory->gpu));
    const struct smc_agreement *agreement = &memory->agreement;
    const struct {
        const char *key;
        uint64_t elements;
    } counts[] = {{"differing_from_emulated", agreement->differing},
                  {"unlike_emulated", agreement->differing}, /* its older name */
                  {"by_order_of_atomics", agreement->by_order},
                  {"by_order_of_threads", agreement->by_turns}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        smc_json_set(object, counts[i].key,
                     agreement->compared ? json_integer((json_int_t)counts[i].elements)
                                         : json_null());
    return object;
}

void smc_json_user(json_t *object, const struct smc_user_run *run,
                   const struct smc_confirmation *confirmation)
{
    const struct smc_run_result *gpu = &run->result;
    json_t *memory = json_array();
    smc_json_answer(object, &run->answer);
    smc_json_set(object, "time",
                 smc_json_time(&run->answer, gpu->timing.succeeded ? gpu->median_ms : 0));
    smc_json_string(json_object_get(object, "kernel"), "name", run->row.kernel->shown);
    smc_json_set(object, "source", source_object(run));
    smc_json_rows(object, confirmation);
    smc_json_set(object, "run", smc_json_run(gpu));
    smc_json_set(object, "emulator", attempt_object(&run->result.emulated.finish));
    smc_json_set(object, "gpu", attempt_object(&gpu->finish));
    smc_json_set(object, "findings", smc_json_findings(&run->result.emulated));
    smc_json_set(object, "fidelity",
                 gpu->emulation.made ? smc_json_fidelity(&run->result.emulated.fidelity)
                                     : json_null());
    smc_auto_text advice = {0};
    smc_words_barrier_advice(run->barrier_after, &advice);
    smc_json_known_string(object, "advice", smc_text_string(&advice));
    smc_json_set(object, "printed",
                 run->printed.length ? json_stringn(run->printed.data, run->printed.length)
                                     : json_null());
    struct smc_conflict_fix fix;
    smc_conflict_fix_of_site(&run->result.emulated.site, &fix);
    smc_json_set(object, "conflicts", smc_json_conflicts(&fix));
    for (size_t i = 0; i < run->memory_count; i++)
        json_array_append_new(memory, memory_object(run, i));
    smc_json_set(object, "memory", memory);
    const struct smc_annotation *annotation = run->result.emulated.annotation;
    smc_json_set(object, "lines", annotation ? smc_json_annotation(annotation) : json_null());
}

/* --- CSV -------------------------------------------------------------------------------------- */

/* `name` is that of a quantity of the argument: "load_requests". */
static void append_memory_row(const struct smc_csv_run *of, const struct smc_user_memory *memory,
                              const char *name, struct smc_reading emulated,
                              struct smc_reading measured, struct smc_text *out)
{
    char quantity[48];
    snprintf(quantity, sizeof quantity, "arg_%zu_%s", memory->position, name);
    const struct smc_row row = {
        .quantity = quantity,
        .unit = "",
        .emulated = emulated,
        .measured = measured,
        .verdict = SMC_INFORMATION,
    };
    smc_csv_row(of, &row, out);
}

static void append_memory_rows(const struct smc_user_run *run, const struct smc_csv_run *of,
                               size_t index, struct smc_text *out)
{
    static const char *const names[SMC_EMULATED_KINDS][3] = {
        {"load_requests", "load_sectors", "load_bytes"},
        {"store_requests", "store_sectors", "store_bytes"},
        {"atomic_requests", "atomic_sectors", "atomic_bytes"},
    };
    const struct smc_reading none = {.present = false};
    const struct smc_user_memory *memory = &run->memory[index];
    for (int kind = 0; kind < SMC_EMULATED_KINDS && run->result.emulation.made; kind++) {
        const struct smc_emulated_traffic *seen = &run->memory[index].traffic.kind[kind];
        const uint64_t counts[] = {seen->requests, seen->sectors, seen->bytes};
        for (size_t i = 0; i < 3; i++)
            append_memory_row(of, memory, names[kind][i],
                              (struct smc_reading){true, (double)counts[i]}, none, out);
    }
    append_memory_row(of, memory, "changed",
                      (struct smc_reading){memory->has_emulated, (double)memory->emulated.changed},
                      (struct smc_reading){memory->has_gpu, (double)memory->gpu.changed}, out);
}

void smc_csv_user(const struct smc_user_run *run, const struct smc_confirmation *confirmation,
                  struct smc_text *out)
{
    const struct smc_emulated_run *counts = &run->result.emulated;
    const struct smc_csv_run of = {run->row.kernel->shown, run->result.host_name,
                                   run->result.gpu_uuid};
    if (counts->annotation) {
        smc_csv_annotation_head(out);
        smc_csv_annotation(run->row.kernel->shown, counts->annotation, out);
        return;
    }
    smc_csv_rows_head(out);
    for (size_t i = 0; i < confirmation->row_count; i++)
        smc_csv_row(&of, &confirmation->row[i], out);
    for (size_t i = 0; i < run->memory_count; i++)
        append_memory_rows(run, &of, i, out);
    for (size_t i = 0; i < counts->finding_count; i++) {
        const struct smc_run_finding *finding = &counts->finding[i];
        struct smc_row row = {
            .quantity = smc_finding_name(finding->finding.kind),
            .unit = "",
            .emulated = {true, (double)finding->finding.times},
            .verdict = finding->finding.is_note ? SMC_INFORMATION : SMC_DIFFERS,
        };
        snprintf(row.note, sizeof row.note, "%.255s", finding->text);
        smc_csv_row(&of, &row, out);
    }
}
