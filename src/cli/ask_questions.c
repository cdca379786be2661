/* One question on every device that a call is about. */
#include "cli/ask_questions.h"

#include <stdlib.h>

#include "base/memory.h"
#include "cli/ask.h"
#include "cli/ask_ceilings.h"
#include "cli/idle_options.h"
#include "cli/output.h"

enum smc_status smc_ask_questions(const struct smc_arguments *arguments,
                                  const struct smc_query *query, struct smc_questions *questions,
                                  struct smc_error *error)
{
    bool tell = smc_ask_writer(arguments) != &smc_writer_json;
    struct smc_idle_options idle = {0};
    struct smc_chosen_devices *devices = &questions->devices;
    enum smc_status status = smc_ask_devices(arguments, SMC_MAX_DEVICES, devices, error);
    if (status != SMC_OK)
        return status;
    size_t count = devices->count ? devices->count : 1;
    questions->query = smc_calloc(count, sizeof *questions->query);
    if (!questions->query)
        return smc_out_of_memory(error);
    for (size_t i = 0; i < count && status == SMC_OK; i++) {
        questions->query[i] = *query;
        status = smc_ask_query_device(devices, i, &questions->query[i], error);
        if (status == SMC_OK && tell)
            smc_output_tell("note: ", questions->query[i].device_note);
        if (status == SMC_OK)
            smc_idle_consider(arguments, &questions->query[i].device, &idle);
    }
    if (status == SMC_OK)
        smc_ask_ceilings(questions->query, count);
    smc_idle_tell(&idle);
    questions->count = count;
    return status;
}

enum smc_status smc_answer_questions(const struct smc_questions *questions,
                                     struct smc_answer **answers, struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    struct smc_text warnings = {0};
    *answers = smc_calloc(questions->count, sizeof **answers);
    if (!*answers)
        return smc_out_of_memory(error);
    for (size_t i = 0; i < questions->count && status == SMC_OK; i++)
        status = smc_query_answer(&questions->query[i], &(*answers)[i], &warnings, error);
    smc_output_tell("warning: ", smc_text_string(&warnings));
    smc_text_free(&warnings);
    return status;
}

void smc_questions_free(struct smc_questions *questions)
{
    free(questions->query);
    smc_chosen_devices_free(&questions->devices);
    *questions = (struct smc_questions){0};
}
