/* From arguments to the kernels of the user's files. */
#include "cli/ask_inspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "inspect/kernels.h"
#include "inspect/names.h"

/* Boards of one architecture share a compilation. */
static void add_target(struct smc_inspect_target target, struct smc_inspection_question *question)
{
    struct smc_inspect_request *request = &question->request;
    for (size_t i = 0; i < request->target_count; i++)
        if (question->targets[i].cc == target.cc && question->targets[i].suffix == target.suffix)
            return;
    question->targets[request->target_count++] = target;
}

static enum smc_status ask_devices(const struct smc_arguments *arguments,
                                   struct smc_inspection_question *question,
                                   struct smc_error *error)
{
    struct smc_chosen_devices *chosen = &question->chosen;
    enum smc_status status = smc_ask_devices(arguments, SMC_MAX_DEVICES, chosen, error);
    if (status != SMC_OK)
        return status;
    for (size_t i = 0; i < chosen->count; i++) {
        const char *typed = i < arguments->device_count ? arguments->device[i] : "";
        question->devices[i] = chosen->chosen[i].device;
        smc_output_note(chosen->chosen[i].note);
        add_target(smc_inspect_target_of(typed, question->devices[i].sm.cc), question);
    }
    question->request.devices = question->devices;
    question->request.device_count = chosen->count;
    return SMC_OK;
}

/* Source for which no device is named: compiled for the device that a query would be about. */
static enum smc_status assume_target(struct smc_inspection_question *question,
                                     struct smc_error *error)
{
    struct smc_query query;
    smc_query_init(&query);
    enum smc_status status = smc_ask_query_device(&question->chosen, 0, &query, error);
    question->targets[0] = (struct smc_inspect_target){query.device.sm.cc, '\0'};
    question->request.target_count = 1;
    return status;
}

/* --- Block sizes: --threads 256, --threads 'gemm*=256,k<int, 4>=16x16' -------------------------
 */

/* Up to a comma outside brackets. */
static size_t item_length(const char *text)
{
    size_t i = 0;
    while (text[i] && text[i] != ',') {
        size_t bracketed = strchr("<([{", text[i]) ? smc_name_bracketed(text + i) : 0;
        i += bracketed > 0 ? bracketed : 1;
    }
    return i;
}

enum smc_status smc_inspection_add_threads(struct smc_inspection_question *question, char *pattern,
                                           uint32_t threads, struct smc_error *error)
{
    struct smc_inspect_request *request = &question->request;
    if (request->threads_count == question->threads_capacity) {
        size_t capacity = 2 * question->threads_capacity + 8;
        void *list = smc_realloc(question->threads, capacity * sizeof *question->threads);
        if (!list) {
            free(pattern);
            return smc_out_of_memory(error);
        }
        request->threads = question->threads = list;
        question->threads_capacity = capacity;
    }
    question->threads[request->threads_count++] = (struct smc_inspect_threads){pattern, threads};
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

/* Takes over the item: "gemm*=256", or "256" for every kernel that matches no pattern. */
static enum smc_status take_threads(struct smc_inspection_question *question, char *item,
                                    struct smc_error *error)
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
        return smc_inspection_add_threads(question, item, threads, error);
    }
    question->request.threads_per_block = threads;
    free(item);
    return SMC_OK;
}

/* Takes over an item of a list. */
typedef enum smc_status item_taker(struct smc_inspection_question *question, char *item,
                                   struct smc_error *error);

static enum smc_status take_lists(const char *const *lists, size_t count, item_taker *take,
                                  struct smc_inspection_question *question, struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    for (size_t i = 0; i < count; i++) {
        const char *text = lists[i];
        do {
            size_t length = item_length(text);
            char *item = smc_malloc(length + 1);
            if (!item)
                return smc_out_of_memory(error);
            memcpy(item, text, length);
            item[length] = '\0';
            status = take(question, item, error);
            text += length + (text[length] == ',');
        } while (status == SMC_OK && *text);
        if (status != SMC_OK)
            return status;
    }
    return SMC_OK;
}

/* --- Dynamic shared memory: --dynamic-smem 48K, --dynamic-smem 'gemm*=48K,sum=4096' ------------
 */

enum smc_status smc_inspection_add_dynamic_smem(struct smc_inspection_question *question,
                                                char *pattern, uint32_t bytes,
                                                struct smc_error *error)
{
    struct smc_inspect_request *request = &question->request;
    if (request->dynamic_smem_count == question->dynamic_smem_capacity) {
        size_t capacity = 2 * question->dynamic_smem_capacity + 8;
        void *list = smc_realloc(question->dynamic_smem, capacity * sizeof *question->dynamic_smem);
        if (!list) {
            free(pattern);
            return smc_out_of_memory(error);
        }
        request->dynamic_smem = question->dynamic_smem = list;
        question->dynamic_smem_capacity = capacity;
    }
    question->dynamic_smem[request->dynamic_smem_count++] =
        (struct smc_inspect_dynamic_smem){pattern, bytes};
    return SMC_OK;
}

/* Takes over the item: "gemm*=48K", or "48K". */
static enum smc_status take_dynamic_smem(struct smc_inspection_question *question, char *item,
                                         struct smc_error *error)
{
    uint64_t bytes;
    char *equals = strrchr(item, '=');
    const char *number = equals ? equals + 1 : item;
    if (equals == item || !smc_parse_size(number, SMC_NO_HIGHEST, &bytes)) {
        smc_fail(error, SMC_USAGE,
                 "option --dynamic-smem: '%.100s' is neither a size (40000, 48K) nor NAME=SIZE",
                 item);
        free(item);
        return SMC_USAGE;
    }
    if (equals) {
        *equals = '\0';
        return smc_inspection_add_dynamic_smem(question, item, (uint32_t)bytes, error);
    }
    question->request.dynamic_smem_bytes = (uint32_t)bytes;
    question->request.dynamic_smem_given = true;
    free(item);
    return SMC_OK;
}

/* --- The question ----------------------------------------------------------------------------- */

enum smc_status smc_ask_inspection(const struct smc_arguments *arguments, bool all_targets,
                                   struct smc_inspection_question *question,
                                   struct smc_error *error)
{
    const int64_t *number = arguments->number;
    struct smc_inspect_request *request = &question->request;
    *request = (struct smc_inspect_request){
        .targets = question->targets,
        .compiler_options = arguments->text[SMC_OPTION_COMPILER_OPTIONS],
        .no_cache = arguments->given[SMC_OPTION_NO_CACHE],
        .threads_per_block = SMC_NOT_GIVEN,
        .assumed_threads_per_block = (uint32_t)number[SMC_OPTION_ASSUME_THREADS],
        .settings = SMC_LAUNCH_INIT,
        .patterns = arguments->own_kernel,
        .pattern_count = arguments->own_kernel_count,
    };
    smc_ask_settings(arguments, &request->settings);
    enum smc_status status = take_lists(arguments->own_threads, arguments->own_threads_count,
                                        take_threads, question, error);
    if (status == SMC_OK)
        status = take_lists(arguments->own_dynamic_smem, arguments->own_dynamic_smem_count,
                            take_dynamic_smem, question, error);
    if (status == SMC_OK)
        status = ask_devices(arguments, question, error);
    if (status != SMC_OK || request->target_count > 0)
        return status;
    request->targets_assumed = true;
    if (!all_targets)
        return assume_target(question, error);
    request->skip_unsupported = true;
    request->target_count = smc_inspect_all_targets(question->targets);
    return SMC_OK;
}

void smc_inspection_question_free(struct smc_inspection_question *question)
{
    smc_chosen_devices_free(&question->chosen);
    for (size_t i = 0; i < question->request.threads_count; i++)
        free((char *)question->threads[i].pattern);
    free(question->threads);
    for (size_t i = 0; i < question->request.dynamic_smem_count; i++)
        free((char *)question->dynamic_smem[i].pattern);
    free(question->dynamic_smem);
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

/* Warnings precede the report, unless there may be none. */
static void tell_notes(struct smc_inspect_notes *notes, const struct smc_inspect_kernels *kernels)
{
    char *rest = NULL;
    for (char *line = notes->remarks.data ? strtok_r(notes->remarks.data, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        smc_output_note(line);
    if (kernels->count == 0 || kernels->left_out > 0) {
        smc_output_tell("warning: ", smc_text_string(&notes->warnings));
        smc_text_free(&notes->warnings);
    }
    smc_output_warn(&notes->warnings);
    smc_output_tell("", smc_text_string(&notes->faults));
    smc_text_free(&notes->faults);
    smc_text_free(&notes->remarks);
}

void smc_ask_tell_unlinked(const struct smc_inspect_kernels *kernels)
{
    char note[160];
    size_t count = smc_inspect_count_unlinked(kernels);
    if (count == 0)
        return;
    snprintf(note, sizeof note,
             "figures before linking: %zu kernel%s functions that are linked later; inspect the "
             "linked program instead",
             count, count == 1 ? " calls" : "s call");
    smc_output_note(note);
}

enum smc_status smc_ask_kernels(char *const *files, size_t count,
                                struct smc_inspect_request *request, struct smc_inputs *inputs,
                                struct smc_inspect_kernels *kernels, struct smc_error *error)
{
    struct smc_inspect_notes notes = {0};
    struct smc_progress progress = {0}, part_progress = {0};
    request->progress = show_progress;
    request->progress_context = &progress;
    request->part_progress = smc_progress_of_parts;
    request->part_context = &part_progress;
    enum smc_status status = smc_inputs_read(files, count, request, inputs, kernels, &notes);
    smc_progress_erase(&progress);
    tell_notes(&notes, kernels);
    smc_ask_tell_unlinked(kernels);
    request->progress = NULL;
    request->progress_context = NULL;
    request->part_progress = NULL;
    request->part_context = NULL;
    if (status == SMC_MACHINE && smc_memory_failed())
        return smc_out_of_memory(error);
    return status;
}

enum smc_status smc_ask_known_names(const struct smc_inspect_request *request,
                                    const struct smc_inspect_kernels *kernels,
                                    struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    for (size_t i = 0; i < request->pattern_count && status == SMC_OK; i++)
        status = smc_inspect_check_pattern(kernels, "kernel", request->patterns[i], error);
    struct smc_text warnings = {0};
    for (size_t i = 0; i < request->threads_count && status == SMC_OK; i++) {
        struct smc_error unknown = {""};
        if (smc_inspect_check_pattern(kernels, "threads", request->threads[i].pattern, &unknown) !=
            SMC_OK)
            smc_text_printf(&warnings, "%s%s", warnings.length > 0 ? "\n" : "", unknown.message);
    }
    for (size_t i = 0; i < request->dynamic_smem_count && status == SMC_OK; i++) {
        struct smc_error unknown = {""};
        if (smc_inspect_check_pattern(kernels, "dynamic-smem", request->dynamic_smem[i].pattern,
                                      &unknown) != SMC_OK)
            smc_text_printf(&warnings, "%s%s", warnings.length > 0 ? "\n" : "", unknown.message);
    }
    smc_output_warn(&warnings);
    return status;
}
