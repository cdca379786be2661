/* From --device and --device-file to devices. */
#include "cli/ask_devices.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/ask.h"

enum smc_status smc_ask_device_files(const struct smc_arguments *arguments,
                                     struct smc_chosen_devices *devices, struct smc_error *error)
{
    for (size_t i = 0; i < arguments->device_file_count; i++) {
        enum smc_status status = smc_device_file_read(arguments->device_file[i],
                                                      &devices->file[devices->file_count], error);
        if (status != SMC_OK)
            return status;
        devices->file_count++;
    }
    return SMC_OK;
}

/* The first device of a file that has the name, whole or as a part of its own. */
static bool find_in_files(const struct smc_chosen_devices *devices, const char *typed, bool whole,
                          struct smc_device *out)
{
    for (size_t f = 0; f < devices->file_count; f++)
        for (size_t i = 0; i < devices->file[f].count; i++)
            if (smc_device_has_name(&devices->file[f].devices[i], typed, whole)) {
                *out = devices->file[f].devices[i];
                return true;
            }
    return false;
}

enum smc_status smc_ask_device_in(const struct smc_chosen_devices *devices, const char *typed,
                                  struct smc_chosen_device *chosen, struct smc_error *error)
{
    chosen->note[0] = '\0';
    if (find_in_files(devices, typed, true, &chosen->device))
        return SMC_OK;
    struct smc_error reason = {""};
    enum smc_status status = smc_ask_device(typed, &chosen->device, chosen->note, &reason);
    if (status == SMC_USAGE && find_in_files(devices, typed, false, &chosen->device))
        return SMC_OK;
    return status == SMC_OK ? status : smc_fail(error, status, "%s", reason.message);
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
    size_t count = arguments->device_count;
    for (size_t f = 0; f < devices->file_count; f++)
        count += devices->file[f].count;
    return count;
}

static void take_whole_files(struct smc_chosen_devices *devices)
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
    devices->chosen = calloc(count_at_most(arguments, devices), sizeof *devices->chosen);
    if (!devices->chosen)
        return smc_fail(error, SMC_MACHINE, "out of memory");
    for (size_t i = 0; i < arguments->device_count; i++) {
        status = smc_ask_device_in(devices, arguments->device[i], &devices->chosen[devices->count],
                                   error);
        if (status != SMC_OK)
            return status;
        devices->count++;
    }
    take_whole_files(devices);
    if (devices->count > most)
        return smc_fail(error, SMC_USAGE,
                        "option --device-file: %zu devices are too many to compare; name up to "
                        "%zu of them with --device",
                        devices->count, most);
    return SMC_OK;
}

void smc_chosen_devices_free(struct smc_chosen_devices *devices)
{
    free(devices->chosen);
    for (size_t f = 0; f < devices->file_count; f++)
        smc_device_file_free(&devices->file[f]);
    *devices = (struct smc_chosen_devices){0};
}
