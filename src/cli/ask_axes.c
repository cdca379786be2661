/* From arguments to a sweep: which options vary. */
#include "config.h"

#include "cli/ask_axes.h"

#include <stdlib.h>
#include <string.h>

#include "cli/ask.h"
#include "cli/output.h"

static const char all_devices[] = "all";

struct device_list {
    struct smc_device *device;
    size_t count, capacity;
    bool tell;
};

static enum smc_status add_device(struct device_list *list, const struct smc_device *device,
                                  struct smc_error *error)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 16;
        struct smc_device *grown = realloc(list->device, capacity * sizeof *grown);
        if (!grown)
            return smc_fail(error, SMC_MACHINE, "out of memory");
        list->device = grown;
        list->capacity = capacity;
    }
    list->device[list->count++] = *device;
    return SMC_OK;
}

static enum smc_status add_all(struct device_list *list, struct smc_error *error)
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
static enum smc_status add_named(struct device_list *list, const char *name, size_t length,
                                 struct smc_error *error)
{
    struct smc_device device;
    char note[256];
    char *typed = strndup(name, length);
    if (!typed)
        return smc_fail(error, SMC_MACHINE, "out of memory");
    bool all = strcmp(typed, all_devices) == 0;
    enum smc_status status =
        all ? add_all(list, error) : smc_ask_device(typed, &device, note, error);
    if (status == SMC_OK && !all) {
        if (list->tell)
            smc_output_tell("note: ", note);
        status = add_device(list, &device, error);
    }
    free(typed);
    return status;
}

/* Names joined by commas, in every --device. */
static enum smc_status read_devices(const struct smc_arguments *arguments, struct device_list *list,
                                    struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    for (size_t i = 0; i < arguments->device_count; i++) {
        const char *name = arguments->device[i];
        for (bool more = true; more && status == SMC_OK;) {
            size_t length = strcspn(name, ",");
            status = add_named(list, name, length, error);
            more = name[length] == ',';
            name += length + more;
        }
    }
    return status;
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
        if (strcmp(smc_options[i].name, smc_axis_info[id].option) == 0)
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

enum smc_status smc_ask_sweep(const struct smc_arguments *arguments, bool tell,
                              struct smc_sweep *sweep, struct smc_device **devices,
                              struct smc_error *error)
{
    struct device_list list = {.tell = tell};
    *sweep = (struct smc_sweep){0};
    *devices = NULL;
    enum smc_status status = smc_ask_query(arguments, &sweep->query, error);
    if (status != SMC_OK)
        return status;
    status = read_devices(arguments, &list, error);
    sweep->devices = *devices = list.device;
    if (status == SMC_OK && list.count > 1) {
        struct smc_range range = {0, (int64_t)list.count - 1, 1};
        status = add_axis(sweep, SMC_AXIS_DEVICE, &range, error);
    }
    if (status == SMC_OK)
        status = find_axes(arguments, sweep, error);
    if (status == SMC_OK)
        status = check_points(sweep, error);
    if (status != SMC_OK)
        return status;
    if (list.count > 0) {
        sweep->query.device = list.device[0];
        return SMC_OK;
    }
    status = smc_ask_query_device(arguments, 0, &sweep->query, error);
    if (status == SMC_OK && tell)
        smc_output_tell("note: ", sweep->query.device_note);
    return status;
}
