/* smemcalc sweep: one or two values varied, each point answered. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/cli/ask.h"
#include "show/cli/interrupt.h"
#include "show/cli/output.h"
#include "show/cli/progress.h"
#include "show/words/words.h"

static const char all_devices[] = "all";

enum { FLUSH_BYTES = 1 << 16 };

/* Of --show. */
enum { SHOW_OCCUPANCY, SHOW_TIME };

/* Owns what a sweep points to. Start from {0}. */
struct swept_devices {
    struct smc_chosen_devices chosen;
    struct smc_device *device;
    struct smc_ceilings *ceilings; /* of each, for predicted times; or NULL */
    size_t count, capacity;
};

static enum smc_status cmd_sweep_add_device(struct swept_devices *list,
                                            const struct smc_device *device,
                                            struct smc_error *error)
{
    if (!smc_make_room(&list->device, list->count, &list->capacity, sizeof *list->device))
        return smc_out_of_memory(error);
    list->device[list->count++] = *device;
    return SMC_OK;
}

static enum smc_status add_all(struct swept_devices *list, struct smc_error *error)
{
    for (size_t i = 0; i < smc_capability_count(); i++) {
        struct smc_capability capability;
        struct smc_device device;
        smc_capability_at(i, &capability);
        smc_device_of_capability(&capability, &device);
        SMC_TRY(cmd_sweep_add_device(list, &device, error));
    }
    return SMC_OK;
}

/* One name of a list. */
static enum smc_status add_named(struct swept_devices *list, bool notes, const char *name,
                                 size_t length, struct smc_error *error)
{
    struct smc_chosen_device chosen;
    if (length == strlen(all_devices) && strncmp(name, all_devices, length) == 0)
        return add_all(list, error);
    smc_auto_free char *typed = smc_strndup(name, length);
    if (!typed)
        return smc_out_of_memory(error);
    SMC_TRY(smc_ask_device_in(&list->chosen, typed, &chosen, error));
    if (notes)
        smc_output_note(chosen.note);
    return cmd_sweep_add_device(list, &chosen.device, error);
}

/* Names joined by commas, in one --device. */
static enum smc_status cmd_sweep_add_list(struct swept_devices *list, bool notes, const char *names,
                                          struct smc_error *error)
{
    for (;;) {
        size_t length = strcspn(names, ",");
        enum smc_status status = add_named(list, notes, names, length, error);
        if (status != SMC_OK || !names[length])
            return status;
        names += length + 1;
    }
}

/* The devices named, else those of --device-file. */
static enum smc_status cmd_sweep_read_devices(const struct smc_arguments *arguments, bool notes,
                                              struct swept_devices *list, struct smc_error *error)
{
    SMC_TRY(arguments->device.count ? smc_ask_device_files(arguments, &list->chosen, error)
                                    : smc_ask_devices(arguments, SIZE_MAX, &list->chosen, error));
    for (size_t i = 0; i < arguments->device.count; i++)
        SMC_TRY(cmd_sweep_add_list(list, notes, arguments->device.item[i], error));
    for (size_t i = 0; i < list->chosen.count; i++)
        SMC_TRY(cmd_sweep_add_device(list, &list->chosen.chosen[i].device, error));
    return SMC_OK;
}

static void free_devices(struct swept_devices *devices)
{
    free(devices->device);
    free(devices->ceilings);
    smc_chosen_devices_free(&devices->chosen);
    *devices = (struct swept_devices){0};
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
        if (smc_option_accepts_range(i, SMC_COMMAND_SWEEP) &&
            strcmp(smc_options[i].name, smc_axis_info[id].option) == 0)
            return i;
    return -1;
}

static enum smc_status cmd_sweep_find_axes(const struct smc_arguments *arguments,
                                           struct smc_sweep *sweep, struct smc_error *error)
{
    for (int id = SMC_AXIS_DEVICE + 1; id < SMC_AXIS_COUNT; id++) {
        const struct smc_range *range = &arguments->range[option_of_axis((enum smc_axis_id)id)];
        if (range->step)
            SMC_TRY(add_axis(sweep, (enum smc_axis_id)id, range, error));
    }
    return SMC_OK;
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
                        "option --%s: the sweep has %llu points, more than %d; give a range a "
                        "step, FIRST:LAST:STEP",
                        smc_axis_info[sweep->axis[sweep->axis_count - 1].id].option,
                        (unsigned long long)points, SMC_MOST_POINTS);
    return SMC_OK;
}

/* What the devices were measured to reach, from which times are predicted. */
static enum smc_status ask_ceilings(struct swept_devices *devices, struct smc_sweep *sweep,
                                    struct smc_error *error)
{
    smc_ask_ceilings(&sweep->query, 1);
    if (devices->count == 0)
        return SMC_OK;
    devices->ceilings = smc_calloc(devices->count, sizeof *devices->ceilings);
    if (!devices->ceilings)
        return smc_out_of_memory(error);
    for (size_t i = 0; i < devices->count; i++)
        smc_ask_device_ceilings(&devices->device[i], &devices->ceilings[i]);
    sweep->ceilings = devices->ceilings;
    return SMC_OK;
}

/* The kernel of a file on each device, or on the one that is assumed. An axis of --threads needs no
   other block size. */
static enum smc_status cmd_sweep_ask_file(const struct smc_arguments *arguments,
                                          const struct swept_devices *devices,
                                          struct smc_asked_file *asked, struct smc_sweep *sweep,
                                          struct smc_error *error)
{
    const struct smc_file_devices named = {devices->device, devices->count};
    SMC_TRY(smc_ask_file(arguments, &named, true, asked, error));
    SMC_TRY(smc_ask_file_threads(asked, error));
    sweep->query = asked->query[0];
    sweep->file_kernels = asked->file_kernel;
    return SMC_OK;
}

/* Reads the question, its axes and its devices. SMC_USAGE with a message that names the options:
   none or more than two vary, or there are too many points. */
static enum smc_status ask_sweep(const struct smc_arguments *arguments, bool notes,
                                 struct smc_sweep *sweep, struct swept_devices *devices,
                                 struct smc_asked_file *asked, struct smc_error *error)
{
    bool file;
    *sweep = (struct smc_sweep){0};
    SMC_TRY(smc_ask_whether_file(arguments, &file, error));
    if (!file)
        SMC_TRY(smc_ask_query(arguments, &sweep->query, error));
    SMC_TRY(cmd_sweep_read_devices(arguments, notes, devices, error));
    sweep->devices = devices->device;
    if (devices->count > 1) {
        struct smc_range range = {0, (int64_t)devices->count - 1, 1};
        SMC_TRY(add_axis(sweep, SMC_AXIS_DEVICE, &range, error));
    }
    SMC_TRY(cmd_sweep_find_axes(arguments, sweep, error));
    SMC_TRY(check_points(sweep, error));
    if (file)
        return cmd_sweep_ask_file(arguments, devices, asked, sweep, error);
    if (devices->count == 0) {
        SMC_TRY(smc_ask_query_device(&devices->chosen, 0, &sweep->query, error));
        if (notes)
            smc_output_note(sweep->query.device_note);
    } else
        sweep->query.device = devices->device[0];
    struct smc_idle_options idle = {0};
    for (size_t i = 0; i < devices->count; i++)
        smc_idle_consider(arguments, &sweep->devices[i], &idle);
    if (devices->count == 0)
        smc_idle_consider(arguments, &sweep->query.device, &idle);
    smc_idle_warn(&idle);
    return SMC_OK;
}

/* Where each answer goes. */
struct sink {
    const struct smc_writer *writer;
    struct smc_sweep_result result;
    struct smc_progress progress;
    struct smc_text *out;
    enum smc_status status; /* of the output */
    struct smc_error *error;
};

static void keep_refusal(uint64_t index, const struct smc_answer *answer,
                         struct smc_sweep_result *result)
{
    smc_auto_text words = {0};
    if (result->refusal[0] || answer->outcome == SMC_LAUNCHES)
        return;
    smc_words_failure(answer, &words);
    result->refused = index;
    snprintf(result->refusal, sizeof result->refusal, "%s", smc_text_string(&words));
}

static bool write_point(void *context, uint64_t index, const struct smc_answer *answer,
                        const char *why)
{
    struct sink *sink = context;
    if (sink->writer->sweep_point)
        sink->writer->sweep_point(sink->result.sweep, index, answer, why, sink->out);
    if (!why && !sink->result.no_time[0] && answer->outcome == SMC_LAUNCHES)
        memcpy(sink->result.no_time, answer->time.reason, sizeof sink->result.no_time);
    if (!why)
        keep_refusal(index, answer, &sink->result);
    if (sink->result.point)
        smc_sweep_keep(answer, why, &sink->result.point[index]);
    sink->result.answered = index + 1;
    if (sink->out->length >= FLUSH_BYTES) {
        smc_progress_erase(&sink->progress);
        sink->status = sink->writer->is_by_line ? smc_output_flush(sink->out, sink->error)
                                                : smc_output_hold(sink->out, sink->error);
    }
    smc_progress_step(&sink->progress, index + 1);
    return sink->status == SMC_OK && !sink->out->failed && !smc_interrupt_seen();
}

static enum smc_status answer_points(struct sink *sink, struct smc_error *error)
{
    const struct smc_sweep *sweep = sink->result.sweep;
    struct smc_text warnings = {0};
    struct smc_sweep_visitor visitor = {
        .visit = write_point,
        .context = sink,
        .wants_whole_answers = sink->writer->sweep_needs_whole_answers,
    };
    smc_interrupt_watch();
    smc_progress_begin(&sink->progress, smc_sweep_points(sweep), "points");
    enum smc_status status = smc_sweep_answer(sweep, &visitor, &warnings, error);
    smc_progress_erase(&sink->progress);
    smc_output_warn(&warnings);
    return sink->status == SMC_OK ? status : sink->status;
}

/* What was answered is reported, even if the sweep ended early. */
static enum smc_status cmd_sweep_report(const struct smc_arguments *arguments,
                                        const struct sink *sink, enum smc_plot_target target,
                                        struct smc_text *out, struct smc_error *error)
{
    smc_output_style(out);
    if (target != SMC_PLOT_TERMINAL && sink->writer->sweep_end)
        sink->writer->sweep_end(&sink->result, out);
    if (target == SMC_PLOT_NOWHERE)
        return SMC_OK;
    SMC_AUTO(smc_picture_free) struct smc_picture picture = {0};
    struct smc_canvas canvas = smc_picture_canvas(target, out->style);
    SMC_TRY(smc_plot_sweep(&sink->result, &canvas, &picture, error));
    return smc_picture_finish(arguments, target, &picture, out, error);
}

static enum smc_status write_sweep(const struct smc_arguments *arguments,
                                   const struct smc_sweep *sweep, enum smc_plot_target target,
                                   struct smc_text *out, struct smc_error *error)
{
    struct sink sink = {
        .writer = smc_ask_writer(arguments),
        .result.sweep = sweep,
        .out = out,
        .error = error,
    };
    if (sink.writer->sweep_needs_points || target != SMC_PLOT_NOWHERE) {
        sink.result.point = smc_calloc(smc_sweep_points(sweep), sizeof *sink.result.point);
        if (!sink.result.point)
            return smc_out_of_memory(error);
    }
    if (sink.writer->sweep_begin)
        sink.writer->sweep_begin(sweep, out);
    enum smc_status status = answer_points(&sink, error);
    bool interrupted = status == SMC_OK && sink.result.answered < smc_sweep_points(sweep);
    if (sink.status == SMC_OK && status != SMC_USAGE) {
        enum smc_status reported = cmd_sweep_report(arguments, &sink, target, out, error);
        status = status == SMC_OK ? reported : status;
    }
    free(sink.result.point);
    if (status != SMC_OK || !interrupted)
        return status;
    return smc_fail(error, SMC_INTERRUPTED, "interrupted after %llu of %llu points",
                    (unsigned long long)sink.result.answered,
                    (unsigned long long)smc_sweep_points(sweep));
}

enum smc_status smc_cmd_sweep(const struct smc_arguments *arguments, struct smc_text *out,
                              struct smc_error *error)
{
    struct smc_sweep sweep;
    SMC_AUTO(free_devices) struct swept_devices devices = {0};
    struct smc_asked_file asked = {0};
    bool notes = !smc_ask_writer(arguments)->has_notes;
    enum smc_status status = ask_sweep(arguments, notes, &sweep, &devices, &asked, error);
    enum smc_plot_target target;
    sweep.times = arguments->number[SMC_OPTION_SHOW] == SHOW_TIME;
    if (status == SMC_OK && sweep.times && !sweep.query.kernel)
        status =
            smc_fail(error, SMC_USAGE,
                     "option --show: 'time' is only for kernels of the catalog (--kernel), whose "
                     "arguments are known");
    if (status == SMC_OK && sweep.times)
        status = ask_ceilings(&devices, &sweep, error);
    if (status == SMC_OK)
        status = smc_picture_target(arguments, &target, error);
    if (status == SMC_OK && target != SMC_PLOT_NOWHERE)
        status = smc_plot_check(&sweep, error);
    if (status == SMC_OK)
        status = write_sweep(arguments, &sweep, target, out, error);
    return smc_asked_file_end(&asked, status);
}
