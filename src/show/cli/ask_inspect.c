/* From arguments to the kernels of the user's files. */
#include "config.h"

#include "show/cli/ask_inspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse.h"
#include "code/names.h"
#include "code/user_kernels.h"
#include "show/cli/options.h"
#include "show/cli/output.h"
#include "show/cli/progress.h"

/* Which board a name was understood as, if that matters here: occupancy depends on the limits of an
   SM, not on how many there are. With --gate there is no such note. */
static void tell_choice(const struct smc_arguments *arguments, const char *typed,
                        const struct smc_chosen_device *chosen)
{
    if (!arguments->given[SMC_OPTION_GATE] && (chosen->device.source != SMC_DEVICE_TABLE ||
                                               smc_device_limits_vary(typed, &chosen->device)))
        smc_output_note(chosen->note);
}

static enum smc_status inspect_ask_devices(const struct smc_arguments *arguments,
                                           struct smc_inspection_question *question,
                                           struct smc_error *error)
{
    struct smc_chosen_devices *chosen = &question->chosen;
    enum smc_status status = smc_ask_devices(arguments, SMC_MAX_DEVICES, chosen, error);
    if (status != SMC_OK)
        return status;
    for (size_t i = 0; i < chosen->count; i++) {
        const char *typed = i < arguments->device.count ? arguments->device.item[i] : "";
        question->devices[i] = chosen->chosen[i].device;
        tell_choice(arguments, typed, &chosen->chosen[i]);
        smc_ask_add_target(typed, question->devices[i].sm.cc, question->targets,
                           &question->request.target_count);
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
    question->request.targets_present = !query.device_assumed;
    return status;
}

/* --- What the launches of kernels state ------------------------------------------------------- */

enum smc_status smc_inspection_add_threads(struct smc_inspection_question *question, char *pattern,
                                           uint32_t threads, const uint32_t block[3],
                                           struct smc_error *error)
{
    struct smc_inspect_request *request = &question->request;
    if (!smc_make_room(&question->threads, request->threads_count, &question->threads_capacity,
                       sizeof *question->threads)) {
        free(pattern);
        return smc_out_of_memory(error);
    }
    request->threads = question->threads;
    question->threads[request->threads_count++] = (struct smc_inspect_threads){
        .pattern = pattern,
        .threads_per_block = threads,
        .block = {block[0], block[1], block[2]},
    };
    return SMC_OK;
}

enum smc_status smc_inspection_add_dynamic_smem(struct smc_inspection_question *question,
                                                char *pattern, uint32_t bytes,
                                                struct smc_error *error)
{
    struct smc_inspect_request *request = &question->request;
    if (!smc_make_room(&question->dynamic_smem, request->dynamic_smem_count,
                       &question->dynamic_smem_capacity, sizeof *question->dynamic_smem)) {
        free(pattern);
        return smc_out_of_memory(error);
    }
    request->dynamic_smem = question->dynamic_smem;
    question->dynamic_smem[request->dynamic_smem_count++] =
        (struct smc_inspect_dynamic_smem){pattern, bytes};
    return SMC_OK;
}

/* --- Lists: --threads 'gemm*=256,k<int, 4>=16x16', --dynamic-smem 48K ------------------------- */

/* An item of a list. */
struct stated {
    char *pattern; /* taken over by what keeps it; NULL: every kernel that matches no pattern */
    uint32_t number, block[3];
};

static bool read_threads(const char *text, struct stated *stated)
{
    return smc_parse_block(text, SMC_NO_HIGHEST, &stated->number, stated->block);
}

static enum smc_status keep_threads(struct smc_inspection_question *question,
                                    const struct stated *stated, struct smc_error *error)
{
    if (stated->pattern)
        return smc_inspection_add_threads(question, stated->pattern, stated->number, stated->block,
                                          error);
    question->request.threads_per_block = stated->number;
    memcpy(question->request.block, stated->block, sizeof stated->block);
    return SMC_OK;
}

static bool ask_inspect_read_bytes(const char *text, struct stated *stated)
{
    uint64_t bytes = 0;
    bool sound = smc_parse_size(text, SMC_NO_HIGHEST, &bytes);
    stated->number = (uint32_t)bytes;
    return sound;
}

static enum smc_status keep_dynamic_smem(struct smc_inspection_question *question,
                                         const struct stated *stated, struct smc_error *error)
{
    if (stated->pattern)
        return smc_inspection_add_dynamic_smem(question, stated->pattern, stated->number, error);
    question->request.dynamic_smem_bytes = stated->number;
    question->request.dynamic_smem_given = true;
    return SMC_OK;
}

static const struct ask_inspect_list {
    const char *option, *allowed;
    bool (*read)(const char *text, struct stated *stated);
    enum smc_status (*keep)(struct smc_inspection_question *question, const struct stated *stated,
                            struct smc_error *error);
} threads_list = {"threads", "a number or shape (16x16) of threads, nor NAME=N", read_threads,
                  keep_threads},
  dynamic_smem_list = {"dynamic-smem", "a size (40000, 48K) nor NAME=SIZE", ask_inspect_read_bytes,
                       keep_dynamic_smem};

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

/* Takes over the item: "gemm*=256", or "256". */
static enum smc_status take_item(const struct ask_inspect_list *list, char *item,
                                 struct smc_inspection_question *question, struct smc_error *error)
{
    struct stated stated = {0};
    char *equals = strrchr(item, '=');
    if (equals == item || !list->read(equals ? equals + 1 : item, &stated)) {
        smc_fail(error, SMC_USAGE, "option --%s: '%.100s' is neither %s", list->option, item,
                 list->allowed);
        free(item);
        return SMC_USAGE;
    }
    if (equals) {
        *equals = '\0';
        stated.pattern = item;
    } else {
        free(item);
    }
    return list->keep(question, &stated, error);
}

static enum smc_status take_lists(const struct ask_inspect_list *list,
                                  const struct smc_repeated *values,
                                  struct smc_inspection_question *question, struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    for (size_t i = 0; i < values->count && status == SMC_OK; i++) {
        const char *text = values->item[i];
        do {
            size_t length = item_length(text);
            char *item = smc_malloc(length + 1);
            if (!item)
                return smc_out_of_memory(error);
            memcpy(item, text, length);
            item[length] = '\0';
            status = take_item(list, item, question, error);
            text += length + (text[length] == ',');
        } while (status == SMC_OK && *text);
    }
    return status;
}

/* --- The question ----------------------------------------------------------------------------- */

enum smc_status smc_ask_inspection(const struct smc_arguments *arguments, bool all_targets,
                                   struct smc_inspection_question *question,
                                   struct smc_error *error)
{
    struct smc_inspect_request *request = &question->request;
    *request = (struct smc_inspect_request){
        .targets = question->targets,
        .compiler_options = arguments->text[SMC_OPTION_COMPILER_OPTIONS],
        .no_cache = arguments->given[SMC_OPTION_NO_CACHE],
        .threads_per_block = SMC_NOT_GIVEN,
        .settings = SMC_LAUNCH_INIT,
        .patterns = arguments->own_kernel.item,
        .pattern_count = arguments->own_kernel.count,
    };
    smc_ask_settings(arguments, &request->settings);
    const char *assumed = arguments->text[SMC_OPTION_ASSUME_THREADS];
    if (assumed)
        smc_parse_block(assumed, SMC_NO_HIGHEST, &request->assumed_threads_per_block,
                        request->assumed_block);
    enum smc_status status = take_lists(&threads_list, &arguments->own_threads, question, error);
    if (status == SMC_OK)
        status = take_lists(&dynamic_smem_list, &arguments->own_dynamic_smem, question, error);
    if (status == SMC_OK)
        status = inspect_ask_devices(arguments, question, error);
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

/* Warnings are printed at once if there may be no report, else with it. */
static void ask_inspect_tell_notes(struct smc_inspect_notes *notes,
                                   const struct smc_inspect_kernels *kernels)
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
    smc_inspect_notes_free(notes);
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

/* Removes the devices that no compiler supports, so that the others are answered. */
static void drop_unsupported(const struct smc_inspect_notes *notes,
                             const struct smc_inspect_kernels *kernels,
                             struct smc_inspection_question *question)
{
    size_t kept = 0;
    for (size_t i = 0; i < question->request.device_count; i++)
        if (!smc_ask_is_unsupported(notes, kernels, &question->devices[i]))
            question->devices[kept++] = question->devices[i];
    question->request.device_count = kept;
}

enum smc_status smc_ask_kernels(char *const *files, size_t count,
                                struct smc_inspection_question *question, struct smc_inputs *inputs,
                                struct smc_inspect_kernels *kernels, struct smc_error *error)
{
    struct smc_inspect_request *request = &question->request;
    struct smc_inspect_notes notes = {0};
    struct smc_progress progress = {0}, part_progress = {0};
    request->progress = show_progress;
    request->progress_context = &progress;
    request->part_progress = smc_progress_of_parts;
    request->part_context = &part_progress;
    enum smc_status status = smc_inputs_read(files, count, request, inputs, kernels, &notes);
    smc_progress_erase(&progress);
    ask_inspect_tell_notes(&notes, kernels);
    smc_ask_tell_unlinked(kernels);
    if (kernels->count > 0)
        drop_unsupported(&notes, kernels, question);
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

static bool has_code_for(const struct smc_inspect_kernels *kernels, uint16_t cc)
{
    for (size_t i = 0; i < kernels->count; i++)
        if (kernels->item[i].cc > 0 && smc_inspect_loads(&kernels->item[i], cc))
            return true;
    return false;
}

bool smc_ask_is_unsupported(const struct smc_inspect_notes *notes,
                            const struct smc_inspect_kernels *kernels,
                            const struct smc_device *device)
{
    for (size_t i = 0; i < notes->unsupported_count; i++)
        if (notes->unsupported[i].cc == device->sm.cc && !has_code_for(kernels, device->sm.cc)) {
            struct smc_text line = {0};
            smc_text_safe_line(&line, "%s: not answered: %s", device->name,
                               notes->unsupported[i].reason);
            smc_output_tell("", smc_text_string(&line));
            smc_text_free(&line);
            return true;
        }
    return false;
}
