/* From --device and --device-file to devices, and one question asked on each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/memory.h"
#include "show/cli/ask.h"
#include "show/cli/output.h"

static const char assumed_device[] = "NVIDIA H200";

enum smc_status smc_ask_device_files(const struct smc_arguments *arguments,
                                     struct smc_chosen_devices *devices, struct smc_error *error)
{
    for (size_t i = 0; i < arguments->device_file.count; i++) {
        SMC_TRY(smc_device_file_read(arguments->device_file.item[i],
                                     &devices->file[devices->file_count], error));
        devices->file_count++;
    }
    return SMC_OK;
}

enum smc_status smc_ask_standard_input(const struct smc_arguments *arguments, const char *file,
                                       struct smc_error *error)
{
    for (size_t i = 0; i < arguments->device_file.count; i++)
        if (smc_file_is_standard_input(file) &&
            smc_file_is_standard_input(arguments->device_file.item[i]))
            return smc_fail(error, SMC_USAGE,
                            "option --device-file: '-' is standard input, which holds the rows");
    return SMC_OK;
}

/* The first device of a file that has the name, or the words in its name. */
static bool find_in_files(const struct smc_chosen_devices *devices, const char *typed,
                          enum smc_name_match match, struct smc_chosen_device *chosen)
{
    for (size_t f = 0; f < devices->file_count; f++)
        for (size_t i = 0; i < devices->file[f].count; i++)
            if (smc_device_has_name(&devices->file[f].devices[i], typed, match)) {
                chosen->device = devices->file[f].devices[i];
                return true;
            }
    return false;
}

/* What calibrate found of the groups of SMs counts for every command; of a damaged file those warn
   that need its ceilings. */
static void set_measured_groups(struct smc_device *device)
{
    struct smc_ceilings ceilings;
    smc_auto_text warnings = {0};
    if (device->sm.cluster_max_portable == 0 || device->sm_count == 0)
        return;
    smc_known_device_ceilings(device, &ceilings, &warnings);
    smc_ceilings_set_groups(&ceilings, device);
}

/* gpu0, a board, a compute capability. */
static enum smc_status find_elsewhere(const char *typed, struct smc_chosen_device *chosen,
                                      struct smc_error *error)
{
    static const char prefix[] = "gpu";
    int64_t index;
    bool live = strncasecmp(typed, prefix, sizeof prefix - 1) == 0 &&
                smc_parse_integer(typed + sizeof prefix - 1, 0, INT32_MAX, &index);
    SMC_TRY(live ? smc_executor_default()->device((int)index, &chosen->device, error)
                 : smc_device_find(typed, &chosen->device, chosen->note, error));
    set_measured_groups(&chosen->device);
    return SMC_OK;
}

enum smc_status smc_find_device_in(const struct smc_chosen_devices *devices, const char *typed,
                                   struct smc_chosen_device *chosen, struct smc_error *error)
{
    chosen->note[0] = '\0';
    if (find_in_files(devices, typed, SMC_NAME_WHOLE, chosen))
        return SMC_OK;
    struct smc_error reason = {""};
    enum smc_status status = find_elsewhere(typed, chosen, &reason);
    if (status == SMC_USAGE && find_in_files(devices, typed, SMC_NAME_WORDS, chosen)) {
        snprintf(chosen->note, sizeof chosen->note, "closest match for '%.32s': %.128s", typed,
                 chosen->device.name);
        return SMC_OK;
    }
    return status == SMC_OK ? status : smc_fail(error, status, "%s", reason.message);
}

enum smc_status smc_ask_device_in(const struct smc_chosen_devices *devices, const char *typed,
                                  struct smc_chosen_device *chosen, struct smc_error *error)
{
    enum smc_status status = smc_find_device_in(devices, typed, chosen, error);
    if (status != SMC_OK && strchr(typed, ','))
        return smc_fail(error, status,
                        "option --device: unknown device '%.64s'; for several, repeat --device",
                        typed);
    return smc_fail_in(error, status, "option --device");
}

static bool picked_from(const struct smc_chosen_devices *devices, const char *path)
{
    for (size_t i = 0; i < devices->count; i++)
        if (devices->chosen[i].device.file == path)
            return true;
    return false;
}

static size_t count_at_most(const struct smc_arguments *arguments,
                            const struct smc_chosen_devices *devices)
{
    size_t count = arguments->device.count;
    for (size_t f = 0; f < devices->file_count; f++)
        count += devices->file[f].count;
    return count;
}

static void add_whole_files(struct smc_chosen_devices *devices)
{
    size_t named = devices->count;
    for (size_t f = 0; f < devices->file_count; f++) {
        const struct smc_device_file *file = &devices->file[f];
        struct smc_chosen_devices by_name = {.chosen = devices->chosen, .count = named};
        if (picked_from(&by_name, file->devices[0].file))
            continue;
        for (size_t i = 0; i < file->count; i++)
            devices->chosen[devices->count++].device = file->devices[i];
    }
}

enum smc_status smc_ask_devices(const struct smc_arguments *arguments, size_t most,
                                struct smc_chosen_devices *devices, struct smc_error *error)
{
    enum smc_status status = smc_ask_device_files(arguments, devices, error);
    if (status != SMC_OK || count_at_most(arguments, devices) == 0)
        return status;
    devices->chosen = smc_calloc(count_at_most(arguments, devices), sizeof *devices->chosen);
    if (!devices->chosen)
        return smc_out_of_memory(error);
    for (size_t i = 0; i < arguments->device.count; i++) {
        SMC_TRY(smc_ask_device_in(devices, arguments->device.item[i],
                                  &devices->chosen[devices->count], error));
        devices->count++;
    }
    add_whole_files(devices);
    if (devices->count > most)
        return smc_fail(error, SMC_USAGE,
                        "option --device-file: %zu devices are too many to compare; name up to "
                        "%zu of them with --device",
                        devices->count, most);
    return SMC_OK;
}

enum smc_status smc_ask_assumed_device(struct smc_query *query, struct smc_error *error)
{
    query->device_assumed = true;
    return smc_device_find(assumed_device, &query->device, query->device_note, error);
}

/* No device was named: the first GPU here, else the assumed one. The driver is asked only then,
   because it takes longer to start than everything else. */
static enum smc_status choose_device(struct smc_query *query, struct smc_error *error)
{
    const struct smc_executor *executor = smc_executor_default();
    SMC_TRY(executor->device_count(NULL) > 0 ? executor->device(0, &query->device, error)
                                             : smc_ask_assumed_device(query, error));
    set_measured_groups(&query->device);
    return SMC_OK;
}

enum smc_status smc_ask_query_device(const struct smc_chosen_devices *devices, size_t index,
                                     struct smc_query *query, struct smc_error *error)
{
    if (devices->count == 0)
        return choose_device(query, error);
    query->device = devices->chosen[index].device;
    memcpy(query->device_note, devices->chosen[index].note, sizeof query->device_note);
    return SMC_OK;
}

static enum smc_status check_one(const struct smc_arguments *arguments, struct smc_error *error)
{
    if (arguments->device.count <= 1)
        return SMC_OK;
    return smc_fail(error, SMC_USAGE, "option --device: %s is about one device, but %zu are named",
                    smc_commands[arguments->command].name, arguments->device.count);
}

enum smc_status smc_ask_named_device(const struct smc_arguments *arguments,
                                     struct smc_chosen_devices *devices, struct smc_error *error)
{
    SMC_TRY(check_one(arguments, error));
    SMC_TRY(smc_ask_device_files(arguments, devices, error));
    devices->chosen = smc_calloc(1, sizeof *devices->chosen);
    if (!devices->chosen)
        return smc_out_of_memory(error);
    if (arguments->device.count == 1)
        SMC_TRY(smc_ask_device_in(devices, arguments->device.item[0], devices->chosen, error));
    else if (devices->file_count == 1 && devices->file[0].count == 1)
        devices->chosen->device = devices->file[0].devices[0];
    else
        return SMC_OK;
    devices->count = 1;
    return SMC_OK;
}

enum smc_status smc_ask_one_device(const struct smc_arguments *arguments,
                                   struct smc_chosen_devices *devices, struct smc_query *query,
                                   struct smc_error *error)
{
    SMC_TRY(check_one(arguments, error));
    SMC_TRY(smc_ask_devices(arguments, 1, devices, error));
    SMC_TRY(smc_ask_query_device(devices, 0, query, error));
    if (!smc_ask_writer(arguments)->has_notes)
        smc_output_note(query->device_note);
    return SMC_OK;
}

void smc_chosen_devices_free(struct smc_chosen_devices *devices)
{
    free(devices->chosen);
    for (size_t f = 0; f < devices->file_count; f++)
        smc_device_file_free(&devices->file[f]);
    *devices = (struct smc_chosen_devices){0};
}

void smc_ask_ceilings(struct smc_query *queries, size_t count)
{
    struct smc_text warnings = {0};
    smc_known_ceilings(queries, count, &warnings);
    smc_output_warn(&warnings);
}

void smc_ask_device_ceilings(const struct smc_device *device, struct smc_ceilings *ceilings)
{
    struct smc_text warnings = {0};
    smc_known_device_ceilings(device, ceilings, &warnings);
    smc_output_warn(&warnings);
}

enum smc_status smc_ask_questions(const struct smc_arguments *arguments,
                                  const struct smc_query *query, struct smc_questions *questions,
                                  struct smc_error *error)
{
    bool notes = !smc_ask_writer(arguments)->has_notes;
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
        if (status == SMC_OK && notes)
            smc_output_note(questions->query[i].device_note);
        if (status == SMC_OK)
            smc_idle_consider(arguments, &questions->query[i].device, &idle);
    }
    if (status == SMC_OK)
        smc_ask_ceilings(questions->query, count);
    smc_idle_warn(&idle);
    questions->count = count;
    return status;
}

enum smc_status smc_answer_questions(struct smc_questions *questions, struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    struct smc_text warnings = {0};
    questions->answer = smc_calloc(questions->count, sizeof *questions->answer);
    if (!questions->answer)
        return smc_out_of_memory(error);
    for (size_t i = 0; i < questions->count && status == SMC_OK; i++)
        status = smc_query_answer(&questions->query[i], &questions->answer[i], &warnings, error);
    smc_output_warn(&warnings);
    return status;
}

void smc_questions_free(struct smc_questions *questions)
{
    free(questions->answer);
    free(questions->query);
    smc_chosen_devices_free(&questions->devices);
    *questions = (struct smc_questions){0};
}

void smc_ask_add_target(const char *typed, uint16_t cc, struct smc_inspect_target *targets,
                        size_t *count)
{
    struct smc_inspect_target target = smc_architecture_target(typed, cc);
    for (size_t i = 0; i < *count; i++)
        if (targets[i].cc == target.cc && targets[i].suffix == target.suffix)
            return;
    targets[(*count)++] = target;
}
