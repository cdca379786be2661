/* From arguments to the kernels of the user's files. */
#include "config.h"

#include "show/cli/ask_inspect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "code/names.h"
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
    SMC_TRY(smc_ask_devices(arguments, SMC_MAX_DEVICES, chosen, error));
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

/* --- Lists: --threads 'gemm*=256,k<int, 4>=16x16', --dynamic-smem 48K ------------------------- */

static bool read_threads(const char *text, struct smc_stated *stated)
{
    return smc_parse_block(text, SMC_NO_HIGHEST, &stated->number, stated->block);
}

static void keep_threads(const struct smc_stated *stated, struct smc_inspect_request *request)
{
    request->threads_per_block = stated->number;
    memcpy(request->block, stated->block, sizeof stated->block);
}

static bool ask_inspect_read_bytes(const char *text, struct smc_stated *stated)
{
    uint64_t bytes = 0;
    bool sound = smc_parse_size(text, SMC_NO_HIGHEST, &bytes);
    stated->number = (uint32_t)bytes;
    return sound;
}

static void keep_dynamic_smem(const struct smc_stated *stated, struct smc_inspect_request *request)
{
    request->dynamic_smem_bytes = stated->number;
    request->dynamic_smem_given = true;
}

static const struct stated_option {
    const char *option, *allowed;
    bool (*read)(const char *text, struct smc_stated *stated);
    /* What applies to every kernel that matches no pattern. */
    void (*keep)(const struct smc_stated *stated, struct smc_inspect_request *request);
} stated_options[SMC_STATED_KINDS] = {
    [SMC_STATED_THREADS] = {"threads", "a number or shape (16x16) of threads, nor NAME=N",
                            read_threads, keep_threads},
    [SMC_STATED_DYNAMIC_SMEM] = {"dynamic-smem", "a size (40000, 48K) nor NAME=SIZE",
                                 ask_inspect_read_bytes, keep_dynamic_smem},
};

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
static enum smc_status take_item(enum smc_stated_kind kind, char *item,
                                 struct smc_inspect_request *request, struct smc_error *error)
{
    const struct stated_option *option = &stated_options[kind];
    struct smc_stated stated = {0};
    char *equals = strrchr(item, '=');
    if (equals == item || !option->read(equals ? equals + 1 : item, &stated)) {
        smc_fail(error, SMC_USAGE, "option --%s: '%.100s' is neither %s", option->option, item,
                 option->allowed);
        free(item);
        return SMC_USAGE;
    }
    if (!equals) {
        free(item);
        option->keep(&stated, request);
        return SMC_OK;
    }
    *equals = '\0';
    stated.pattern = item;
    return smc_stated_add(&request->stated[kind], &stated) ? SMC_OK : smc_out_of_memory(error);
}

static enum smc_status take_lists(enum smc_stated_kind kind, const struct smc_repeated *values,
                                  struct smc_inspect_request *request, struct smc_error *error)
{
    for (size_t i = 0; i < values->count; i++) {
        const char *text = values->item[i];
        do {
            size_t length = item_length(text);
            char *item = smc_malloc(length + 1);
            if (!item)
                return smc_out_of_memory(error);
            memcpy(item, text, length);
            item[length] = '\0';
            SMC_TRY(take_item(kind, item, request, error));
            text += length + (text[length] == ',');
        } while (*text);
    }
    return SMC_OK;
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
    SMC_TRY(take_lists(SMC_STATED_THREADS, &arguments->own_threads, request, error));
    SMC_TRY(take_lists(SMC_STATED_DYNAMIC_SMEM, &arguments->own_dynamic_smem, request, error));
    SMC_TRY(inspect_ask_devices(arguments, question, error));
    if (request->target_count > 0)
        return SMC_OK;
    request->targets_assumed = true;
    if (!all_targets)
        return assume_target(question, error);
    request->skip_unsupported = true;
    request->target_count = smc_architectures_all(question->targets);
    return SMC_OK;
}

void smc_inspection_question_free(struct smc_inspection_question *question)
{
    smc_chosen_devices_free(&question->chosen);
    smc_stated_free(question->request.stated);
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
    size_t count = smc_user_kernels_count_unlinked(kernels);
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
    for (int kind = 0; kind < SMC_STATED_KINDS; kind++)
        for (size_t i = 0; i < request->stated[kind].count && status == SMC_OK; i++) {
            struct smc_error unknown = {""};
            if (smc_inspect_check_pattern(kernels, stated_options[kind].option,
                                          request->stated[kind].item[i].pattern,
                                          &unknown) != SMC_OK)
                smc_text_printf(&warnings, "%s%s", warnings.length > 0 ? "\n" : "",
                                unknown.message);
        }
    smc_output_warn(&warnings);
    return status;
}

static bool has_code_for(const struct smc_inspect_kernels *kernels, uint16_t cc)
{
    for (size_t i = 0; i < kernels->count; i++)
        if (kernels->item[i].cc > 0 && smc_architecture_loads(&kernels->item[i], cc))
            return true;
    return false;
}

bool smc_ask_is_unsupported(const struct smc_inspect_notes *notes,
                            const struct smc_inspect_kernels *kernels,
                            const struct smc_device *device)
{
    for (size_t i = 0; i < notes->unsupported_count; i++)
        if (notes->unsupported[i].cc == device->sm.cc && !has_code_for(kernels, device->sm.cc)) {
            smc_auto_text line = {0};
            smc_text_safe_line(&line, "%s: not answered: %s", device->name,
                               notes->unsupported[i].reason);
            smc_output_tell("", smc_text_string(&line));
            return true;
        }
    return false;
}
