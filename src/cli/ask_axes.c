/* From arguments to a sweep: which options vary. */
#include "config.h"

#include "cli/ask_axes.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/ask.h"
#include "cli/idle_options.h"
#include "cli/output.h"

static const char all_devices[] = "all";

static enum smc_status add_device(struct smc_swept_devices *list, const struct smc_device *device,
                                  struct smc_error *error)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 16;
        struct smc_device *grown = smc_realloc(list->device, capacity * sizeof *grown);
        if (!grown)
            return smc_out_of_memory(error);
        list->device = grown;
        list->capacity = capacity;
    }
    list->device[list->count++] = *device;
    return SMC_OK;
}

static enum smc_status add_all(struct smc_swept_devices *list, struct smc_error *error)
{
    for (size_t i = 0; i < smc_capability_count(); i++) {
        struct smc_capability capability;
        struct smc_device device;
        smc_capability_at(i, &capability);
        smc_device_of_capability(&capability, &device);
        enum smc_status status = add_device(list, &device, error);
        if (status != SMC_OK)
            return status;
    }
    return SMC_OK;
}

/* One name of a list. */
static enum smc_status add_named(struct smc_swept_devices *list, bool tell, const char *name,
                                 size_t length, struct smc_error *error)
{
    struct smc_chosen_device chosen;
    if (length == strlen(all_devices) && strncmp(name, all_devices, length) == 0)
        return add_all(list, error);
    char *typed = smc_strndup(name, length);
    if (!typed)
        return smc_out_of_memory(error);
    enum smc_status status = smc_ask_device_in(&list->chosen, typed, &chosen, error);
    free(typed);
    if (status != SMC_OK)
        return status;
    if (tell)
        smc_output_tell("note: ", chosen.note);
    return add_device(list, &chosen.device, error);
}

/* Names joined by commas, in one --device. */
static enum smc_status add_list(struct smc_swept_devices *list, bool tell, const char *names,
                                struct smc_error *error)
{
    for (;;) {
        size_t length = strcspn(names, ",");
        enum smc_status status = add_named(list, tell, names, length, error);
        if (status != SMC_OK || !names[length])
            return status;
        names += length + 1;
    }
}

/* Those named; where nobody named any, those of --device-file. */
static enum smc_status read_devices(const struct smc_arguments *arguments, bool tell,
                                    struct smc_swept_devices *list, struct smc_error *error)
{
    enum smc_status status = arguments->device_count
                                 ? smc_ask_device_files(arguments, &list->chosen, error)
                                 : smc_ask_devices(arguments, SIZE_MAX, &list->chosen, error);
    for (size_t i = 0; i < arguments->device_count && status == SMC_OK; i++)
        status = add_list(list, tell, arguments->device[i], error);
    for (size_t i = 0; i < list->chosen.count && status == SMC_OK; i++)
        status = add_device(list, &list->chosen.chosen[i].device, error);
    return status;
}

void smc_swept_devices_free(struct smc_swept_devices *devices)
{
    free(devices->device);
    smc_chosen_devices_free(&devices->chosen);
    *devices = (struct smc_swept_devices){0};
}

static enum smc_status add_axis(struct smc_sweep *sweep, enum smc_axis_id id,
                                const struct smc_range *range, struct smc_error *error)
{
    if (sweep->axis_count == SMC_MOST_AXES)
        return smc_fail(error, SMC_USAGE,
                        "option --%s: a third axis after --%s and --%s; a sweep has one or two",
                        smc_axis_info[id].option, smc_axis_info[sweep->axis[0].id].option,
                        smc_axis_info[sweep->axis[1].id].option);
    sweep->axis[sweep->axis_count++] = (struct smc_axis){.id = id, .range = *range};
    return SMC_OK;
}

static int option_of_axis(enum smc_axis_id id)
{
    for (int i = 0; i < SMC_OPTION_COUNT; i++)
        if (smc_option_takes_range(i, SMC_COMMAND_SWEEP) &&
            strcmp(smc_options[i].name, smc_axis_info[id].option) == 0)
            return i;
    return -1;
}

static enum smc_status find_axes(const struct smc_arguments *arguments, struct smc_sweep *sweep,
                                 struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    for (int id = SMC_AXIS_DEVICE + 1; id < SMC_AXIS_COUNT && status == SMC_OK; id++) {
        const struct smc_range *range = &arguments->range[option_of_axis((enum smc_axis_id)id)];
        if (range->step)
            status = add_axis(sweep, (enum smc_axis_id)id, range, error);
    }
    return status;
}

static enum smc_status check_points(const struct smc_sweep *sweep, struct smc_error *error)
{
    uint64_t points = smc_sweep_points(sweep);
    if (sweep->axis_count == 0)
        return smc_fail(error, SMC_USAGE,
                        "sweep: nothing varies: give one or two options a range, such as --regs "
                        "16:128:8, or several devices");
    if (points > SMC_MOST_POINTS)
        return smc_fail(error, SMC_USAGE,
                        "option --%s: the sweep has %llu points, more than %d; a range takes a "
                        "step, FIRST:LAST:STEP",
                        smc_axis_info[sweep->axis[sweep->axis_count - 1].id].option,
                        (unsigned long long)points, SMC_MOST_POINTS);
    return SMC_OK;
}

static void tell_idle(const struct smc_arguments *arguments, const struct smc_sweep *sweep,
                      size_t count)
{
    struct smc_idle_options idle = {0};
    for (size_t i = 0; i < count; i++)
        smc_idle_consider(arguments, &sweep->devices[i], &idle);
    if (count == 0)
        smc_idle_consider(arguments, &sweep->query.device, &idle);
    smc_idle_tell(&idle);
}

enum smc_status smc_ask_sweep(const struct smc_arguments *arguments, bool tell,
                              struct smc_sweep *sweep, struct smc_swept_devices *devices,
                              struct smc_error *error)
{
    *sweep = (struct smc_sweep){0};
    enum smc_status status = smc_ask_query(arguments, &sweep->query, error);
    if (status == SMC_OK)
        status = read_devices(arguments, tell, devices, error);
    sweep->devices = devices->device;
    if (status == SMC_OK && devices->count > 1) {
        struct smc_range range = {0, (int64_t)devices->count - 1, 1};
        status = add_axis(sweep, SMC_AXIS_DEVICE, &range, error);
    }
    if (status == SMC_OK)
        status = find_axes(arguments, sweep, error);
    if (status == SMC_OK)
        status = check_points(sweep, error);
    if (status != SMC_OK)
        return status;
    if (devices->count == 0) {
        status = smc_ask_query_device(&devices->chosen, 0, &sweep->query, error);
        if (status == SMC_OK && tell)
            smc_output_tell("note: ", sweep->query.device_note);
    } else
        sweep->query.device = devices->device[0];
    if (status == SMC_OK)
        tell_idle(arguments, sweep, devices->count);
    return status;
}
