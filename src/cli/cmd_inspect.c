/* smemcalc inspect: your own kernels, from source, machine code or compilers' logs. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse.h"
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "executor/executor.h"
#include "inspect/inputs.h"
#include "inspect/names.h"
#include "inspect/selection.h"

static smc_command_function run;

const struct smc_command smc_command_inspect = {
    .name = "inspect",
    .usage = "FILE... [OPTION]...",
    .help = "your own kernels: source, PTX, cubins, programs, ptxas logs",
    .examples = "  nvcc -Xptxas -v -c x.cu 2>&1 | smemcalc inspect - --threads 256\n"
                "  smemcalc inspect x.cu --device 8.0 --device 9.0 --max-regs 64\n"
                "  smemcalc inspect app --only spilling --kernel 'gemm*' --threads 'gemm*=256'\n"
                "  smemcalc inspect x.cu --lint\n",
    .most_files = SIZE_MAX,
    .run = run,
};

/* Everything that one call needs; the request points into it. */
struct inspection {
    struct smc_chosen_devices chosen;
    struct smc_device devices[SMC_MAX_DEVICES];
    struct smc_inspect_target targets[SMC_MAX_DEVICES + SMC_INSPECT_MAX_TARGETS];
    struct smc_inspect_request request;
    struct smc_inputs inputs; /* the kernels point into it */
    struct smc_inspect_kernels kernels;
    struct smc_inspect_rows rows;
    struct smc_inspect_promises promises;
    struct smc_inspect_threads *threads; /* the request's, with patterns of our own */
    size_t threads_capacity;
    struct smc_inspect_selection selection;
};

/* Boards of one architecture share a compilation. */
static void add_target(struct smc_inspect_target target, struct inspection *inspection)
{
    struct smc_inspect_request *request = &inspection->request;
    for (size_t i = 0; i < request->target_count; i++)
        if (inspection->targets[i].cc == target.cc &&
            inspection->targets[i].suffix == target.suffix)
            return;
    inspection->targets[request->target_count++] = target;
}

static enum smc_status ask_devices(const struct smc_arguments *arguments,
                                   struct inspection *inspection, struct smc_error *error)
{
    struct smc_chosen_devices *chosen = &inspection->chosen;
    enum smc_status status = smc_ask_devices(arguments, SMC_MAX_DEVICES, chosen, error);
    if (status != SMC_OK)
        return status;
    for (size_t i = 0; i < chosen->count; i++) {
        const char *typed = i < arguments->device_count ? arguments->device[i] : "";
        inspection->devices[i] = chosen->chosen[i].device;
        smc_output_note(chosen->chosen[i].note);
        add_target(smc_inspect_target_of(typed, inspection->devices[i].sm.cc), inspection);
    }
    inspection->request.devices = inspection->devices;
    inspection->request.device_count = chosen->count;
    return SMC_OK;
}

/* Source for which no device is named: compiled for the device that a query would be about. */
static enum smc_status assume_target(struct inspection *inspection, struct smc_error *error)
{
    struct smc_query query;
    smc_query_init(&query);
    enum smc_status status = smc_ask_query_device(&inspection->chosen, 0, &query, error);
    inspection->targets[0] = (struct smc_inspect_target){query.device.sm.cc, '\0'};
    inspection->request.target_count = 1;
    return status;
}

/* --- Block sizes: --threads 256, --threads 'gemm*=256,k<int, 4>=16x16' -------------------------
 */

/* Up to a comma that is in no bracket. */
static size_t item_length(const char *text)
{
    size_t i = 0;
    while (text[i] && text[i] != ',') {
        size_t bracketed = strchr("<([{", text[i]) ? smc_name_bracketed(text + i) : 0;
        i += bracketed > 0 ? bracketed : 1;
    }
    return i;
}

static enum smc_status add_threads(struct inspection *inspection, char *pattern, uint32_t threads,
                                   struct smc_error *error)
{
    struct smc_inspect_request *request = &inspection->request;
    if (request->threads_count == inspection->threads_capacity) {
        size_t capacity = 2 * inspection->threads_capacity + 8;
        void *list = smc_realloc(inspection->threads, capacity * sizeof *inspection->threads);
        if (!list) {
            free(pattern);
            return smc_out_of_memory(error);
        }
        request->threads = inspection->threads = list;
        inspection->threads_capacity = capacity;
    }
    inspection->threads[request->threads_count++] = (struct smc_inspect_threads){pattern, threads};
    return SMC_OK;
}

static bool read_threads(const char *text, uint32_t *threads)
{
    int64_t edge[3] = {1, 1, 1}, number;
    bool sound = smc_parse_dimensions(text, SMC_NO_HIGHEST, edge, 3) > 0 &&
                 !__builtin_mul_overflow(edge[0], edge[1], &number) &&
                 !__builtin_mul_overflow(number, edge[2], &number) && number <= SMC_NO_HIGHEST;
    if (sound)
        *threads = (uint32_t)number;
    return sound;
}

/* Takes over the item: "gemm*=256", or "256" for every kernel that no pattern names. */
static enum smc_status take_item(struct inspection *inspection, char *item, struct smc_error *error)
{
    uint32_t threads;
    char *equals = strrchr(item, '=');
    const char *number = equals ? equals + 1 : item;
    if (equals == item || !read_threads(number, &threads)) {
        smc_fail(error, SMC_USAGE,
                 "option --threads: '%.100s' is neither a number or shape (16x16) of threads, nor "
                 "NAME=N",
                 item);
        free(item);
        return SMC_USAGE;
    }
    if (equals) {
        *equals = '\0';
        return add_threads(inspection, item, threads, error);
    }
    inspection->request.threads_per_block = threads;
    free(item);
    return SMC_OK;
}

static enum smc_status ask_threads(const struct smc_arguments *arguments,
                                   struct inspection *inspection, struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    for (size_t i = 0; i < arguments->own_threads_count; i++) {
        const char *text = arguments->own_threads[i];
        do {
            size_t length = item_length(text);
            char *item = smc_malloc(length + 1);
            if (!item)
                return smc_out_of_memory(error);
            memcpy(item, text, length);
            item[length] = '\0';
            status = take_item(inspection, item, error);
            text += length + (text[length] == ',');
        } while (status == SMC_OK && *text);
        if (status != SMC_OK)
            return status;
    }
    return SMC_OK;
}

/* --- The question ----------------------------------------------------------------------------- */

/* Text has the worst first; JSON and CSV are as the files are unless an order is requested. */
static enum smc_status ask_selection(const struct smc_arguments *arguments,
                                     struct smc_inspect_selection *selection,
                                     struct smc_error *error)
{
    const int64_t *number = arguments->number;
    bool text = smc_ask_writer(arguments) == &smc_writer_text;
    *selection = (struct smc_inspect_selection){
        .order = arguments->given[SMC_OPTION_SORT] ? (enum smc_inspect_order)number[SMC_OPTION_SORT]
                 : text                            ? SMC_ORDER_OCCUPANCY
                                                   : SMC_ORDER_FILE,
        .top = number[SMC_OPTION_TOP] > 0 ? (size_t)number[SMC_OPTION_TOP] : 0,
        .requirements =
            {
                .occupancy_percent = (double)number[SMC_OPTION_REQUIRE_OCCUPANCY],
                .blocks_per_sm = (uint32_t)number[SMC_OPTION_REQUIRE_BLOCKS],
                .registers_at_most = (uint32_t)number[SMC_OPTION_MAX_REGS],
            },
    };
    enum smc_status status = SMC_OK;
    for (size_t i = 0; i < arguments->only_count && status == SMC_OK; i++)
        status = smc_inspect_filter_add(&selection->only, arguments->only[i], error);
    return status;
}

static enum smc_status check_lint(const struct smc_arguments *arguments, struct smc_error *error)
{
    static const int judged[] = {
        SMC_OPTION_REQUIRE_OCCUPANCY,
        SMC_OPTION_REQUIRE_BLOCKS,
        SMC_OPTION_MAX_REGS,
        SMC_OPTION_OWN_THREADS,
        SMC_OPTION_ASSUME_THREADS,
        SMC_OPTION_SORT,
        SMC_OPTION_TOP,
        SMC_OPTION_ONLY,
        SMC_OPTION_INSTANCES,
    };
    for (size_t i = 0; i < sizeof judged / sizeof *judged; i++)
        if (arguments->given[SMC_OPTION_LINT] && arguments->given[judged[i]])
            return smc_fail(
                error, SMC_USAGE,
                "option --%s: not together with --lint, which checks a kernel's own bounds",
                smc_options[judged[i]].name);
    return SMC_OK;
}

static enum smc_status ask(const struct smc_arguments *arguments, struct inspection *inspection,
                           struct smc_error *error)
{
    const int64_t *number = arguments->number;
    struct smc_inspect_request *request = &inspection->request;
    if (arguments->file_count == 0)
        return smc_fail(error, SMC_USAGE,
                        "inspect: no FILE is given; '-' reads what a compiler prints");
    enum smc_status status = check_lint(arguments, error);
    if (status != SMC_OK)
        return status;
    *request = (struct smc_inspect_request){
        .targets = inspection->targets,
        .compiler_options = arguments->text[SMC_OPTION_COMPILER_OPTIONS],
        .no_cache = arguments->given[SMC_OPTION_NO_CACHE],
        .threads_per_block = SMC_NOT_GIVEN,
        .assumed_threads_per_block = (uint32_t)number[SMC_OPTION_ASSUME_THREADS],
        .settings = SMC_LAUNCH_INIT,
        .patterns = arguments->own_kernel,
        .pattern_count = arguments->own_kernel_count,
    };
    if (arguments->given[SMC_OPTION_DYNAMIC_SMEM])
        request->dynamic_smem_bytes = (uint32_t)number[SMC_OPTION_DYNAMIC_SMEM];
    smc_ask_settings(arguments, &request->settings);
    status = ask_threads(arguments, inspection, error);
    if (status == SMC_OK)
        status = ask_selection(arguments, &inspection->selection, error);
    if (status == SMC_OK)
        status = ask_devices(arguments, inspection, error);
    if (status != SMC_OK || request->target_count > 0)
        return status;
    request->targets_assumed = true;
    if (!arguments->given[SMC_OPTION_LINT])
        return assume_target(inspection, error);
    request->skip_unsupported = true;
    request->target_count = smc_inspect_all_targets(inspection->targets);
    return SMC_OK;
}

/* A bar on a terminal while many files are read. */
static bool show_progress(void *context, size_t done, size_t total)
{
    struct smc_progress *progress = context;
    if (progress->total == 0)
        smc_progress_begin(progress, total, "files");
    smc_progress_step(progress, done);
    return true;
}

static void tell_notes(struct smc_inspect_notes *notes)
{
    char *rest = NULL;
    for (char *line = notes->remarks.data ? strtok_r(notes->remarks.data, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        smc_output_note(line);
    smc_output_warn(&notes->warnings);
    smc_output_tell("", smc_text_string(&notes->faults));
    smc_text_free(&notes->faults);
    smc_text_free(&notes->remarks);
}

/* Files that cannot be read, and damaged parts of others, are reported one by one; the rest is
   answered. */
static enum smc_status read_files(const struct smc_arguments *arguments,
                                  struct inspection *inspection, struct smc_error *error)
{
    struct smc_inspect_notes notes = {0};
    struct smc_progress progress = {0}, part_progress = {0};
    inspection->request.progress = show_progress;
    inspection->request.progress_context = &progress;
    inspection->request.part_progress = smc_progress_of_parts;
    inspection->request.part_context = &part_progress;
    enum smc_status status =
        smc_inputs_read(arguments->file, arguments->file_count, &inspection->request,
                        &inspection->inputs, &inspection->kernels, &notes);
    smc_progress_erase(&progress);
    tell_notes(&notes);
    if (status == SMC_MACHINE && smc_memory_failed())
        return smc_out_of_memory(error);
    return status;
}

/* CSV has no column for it. */
static void tell_estimates(const struct smc_inspect_rows *rows)
{
    size_t count = 0;
    char text[128];
    for (size_t i = 0; i < rows->count; i++)
        count += !smc_inspect_loads(rows->item[i].kernel, rows->item[i].answer.query.device.sm.cc);
    snprintf(text, sizeof text,
             "in %zu of %zu rows the machine code does not load on the device: estimates", count,
             rows->count);
    if (count > 0)
        smc_output_note(text);
}

/* Every kernel that was asked for is judged, whichever are shown. */
static enum smc_status judge(const struct inspection *inspection)
{
    struct smc_text shortfalls = {0};
    struct smc_error error = {""};
    enum smc_status status = smc_inspect_require(
        &inspection->rows, &inspection->selection.requirements, &shortfalls, &error);
    smc_output_tell("", smc_text_string(&shortfalls));
    smc_output_tell("", error.message);
    smc_text_free(&shortfalls);
    return status;
}

/* A pattern that names no kernel is a mistake, of --threads perhaps one of a list for many files.
 */
static enum smc_status check_names(const struct inspection *inspection, struct smc_error *error)
{
    const struct smc_inspect_request *request = &inspection->request;
    enum smc_status status = SMC_OK;
    for (size_t i = 0; i < request->pattern_count && status == SMC_OK; i++)
        status =
            smc_inspect_check_pattern(&inspection->kernels, "kernel", request->patterns[i], error);
    struct smc_text warnings = {0};
    for (size_t i = 0; i < request->threads_count && status == SMC_OK; i++) {
        struct smc_error unknown = {""};
        if (smc_inspect_check_pattern(&inspection->kernels, "threads", request->threads[i].pattern,
                                      &unknown) != SMC_OK)
            smc_text_printf(&warnings, "%s%s", warnings.length > 0 ? "\n" : "", unknown.message);
    }
    smc_output_warn(&warnings);
    return status;
}

static void show(const struct smc_arguments *arguments, const struct inspection *inspection,
                 struct smc_text *out)
{
    const struct smc_inspect_rows *rows = &inspection->rows;
    struct smc_report_style style;
    smc_output_style(&style);
    style.verbose = arguments->given[SMC_OPTION_VERBOSE];
    style.instances = arguments->given[SMC_OPTION_INSTANCES];
    style.all_kernels = arguments->given[SMC_OPTION_TOP];
    smc_ask_writer(arguments)->inspection(rows, &style, out);
    if (smc_ask_writer(arguments) == &smc_writer_csv)
        tell_estimates(rows);
    if (rows->count == 0)
        smc_output_note("option --only: none of the kernels is like that");
}

static enum smc_status answer(const struct smc_arguments *arguments, struct inspection *inspection,
                              struct smc_text *out, struct smc_error *error)
{
    enum smc_status status =
        smc_inspect_answer(&inspection->kernels, &inspection->request, &inspection->rows, error);
    if (status == SMC_MACHINE || inspection->rows.count == 0)
        return status;
    enum smc_status judged = judge(inspection);
    enum smc_status selected = smc_inspect_select(&inspection->rows, &inspection->selection, error);
    if (selected != SMC_OK)
        return selected;
    show(arguments, inspection, out);
    return status == SMC_OK ? judged : status;
}

static enum smc_status lint(const struct smc_arguments *arguments, struct inspection *inspection,
                            struct smc_text *out, struct smc_error *error)
{
    struct smc_report_style style;
    enum smc_status status =
        smc_inspect_lint(&inspection->kernels, &inspection->request, &inspection->promises, error);
    smc_output_style(&style);
    if (status != SMC_MACHINE)
        smc_ask_writer(arguments)->promises(&inspection->promises, &style, out);
    return status;
}

static enum smc_status inspect(const struct smc_arguments *arguments, struct inspection *inspection,
                               struct smc_text *out, struct smc_error *error)
{
    enum smc_status status = ask(arguments, inspection, error);
    if (status != SMC_OK)
        return status;
    enum smc_status reading = read_files(arguments, inspection, error);
    if (reading == SMC_MACHINE || inspection->kernels.count == 0)
        return reading;
    status = check_names(inspection, error);
    if (status != SMC_OK)
        return status;
    status = arguments->given[SMC_OPTION_LINT] ? lint(arguments, inspection, out, error)
                                               : answer(arguments, inspection, out, error);
    return reading == SMC_OK ? status : reading;
}

static enum smc_status run(const struct smc_arguments *arguments, struct smc_text *out,
                           struct smc_error *error)
{
    struct inspection *inspection = smc_calloc(1, sizeof *inspection);
    if (!inspection)
        return smc_out_of_memory(error);
    enum smc_status status = inspect(arguments, inspection, out, error);
    smc_inspect_promises_free(&inspection->promises);
    smc_inspect_rows_free(&inspection->rows);
    smc_inspect_free(&inspection->kernels);
    smc_inputs_free(&inspection->inputs);
    smc_chosen_devices_free(&inspection->chosen);
    for (size_t i = 0; i < inspection->request.threads_count; i++)
        free((char *)inspection->threads[i].pattern);
    free(inspection->threads);
    free(inspection);
    return status;
}
