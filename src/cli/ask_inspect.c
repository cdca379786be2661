/* From arguments to the kernels of the user's files. */
#include "cli/ask_inspect.h"

#include "cli/options.h"
#include "cli/output.h"

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
        .threads_per_block = number[SMC_OPTION_THREADS],
        .assumed_threads_per_block = (uint32_t)number[SMC_OPTION_ASSUME_THREADS],
        .settings = SMC_LAUNCH_INIT,
    };
    if (arguments->given[SMC_OPTION_DYNAMIC_SMEM])
        request->dynamic_smem_bytes = (uint32_t)number[SMC_OPTION_DYNAMIC_SMEM];
    smc_ask_settings(arguments, &request->settings);
    enum smc_status status = ask_devices(arguments, question, error);
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
}

enum smc_status smc_ask_kernels(char *const *files, size_t count,
                                const struct smc_inspect_request *request,
                                struct smc_inspect_kernels *kernels)
{
    enum smc_status worst = SMC_OK;
    struct smc_inspect_notes notes = {0};
    for (size_t i = 0; i < count && worst != SMC_MACHINE; i++) {
        struct smc_error error = {""};
        enum smc_status status = smc_inspect_read(files[i], request, kernels, &notes, &error);
        if (status != SMC_OK)
            smc_output_tell("", error.message);
        if (status > worst || status == SMC_USAGE)
            worst = status == SMC_UNAVAILABLE && worst == SMC_USAGE ? worst : status;
    }
    smc_output_warn(&notes.warnings);
    smc_output_tell("", smc_text_string(&notes.faults));
    if (notes.faults.length > 0 && worst != SMC_MACHINE)
        worst = SMC_USAGE;
    smc_text_free(&notes.faults);
    return worst;
}
