/* smemcalc sweep: one or two values varied, each point answered. */
#include <stdlib.h>

#include "base/memory.h"
#include "cli/ask.h"
#include "cli/ask_axes.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/picture.h"
#include "cli/progress.h"

enum { FLUSH_BYTES = 1 << 16 };

/* What each answer passes through. */
struct sink {
    const struct smc_writer *writer;
    struct smc_sweep_result result;
    struct smc_progress progress;
    struct smc_text *out;
    enum smc_status status; /* of the output */
    struct smc_error *error;
};

static bool take_point(void *context, uint64_t index, const struct smc_answer *answer,
                       const char *why)
{
    struct sink *sink = context;
    sink->writer->sweep_point(sink->result.sweep, index, answer, why, sink->out);
    if (sink->result.point)
        smc_sweep_keep(answer, why, &sink->result.point[index]);
    sink->result.answered = index + 1;
    if (sink->out->length >= FLUSH_BYTES) {
        smc_progress_erase(&sink->progress);
        sink->status = sink->writer == &smc_writer_csv ? smc_output_flush(sink->out, sink->error)
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
        .visit = take_point,
        .context = sink,
        .wants_whole_answers = sink->writer->sweep_needs_whole_answers,
    };
    smc_interrupt_watch();
    smc_progress_begin(&sink->progress, smc_sweep_points(sweep), "points");
    enum smc_status status = smc_sweep_answer(sweep, &visitor, &warnings, error);
    smc_progress_erase(&sink->progress);
    smc_output_tell("warning: ", smc_text_string(&warnings));
    smc_text_free(&warnings);
    return sink->status == SMC_OK ? status : sink->status;
}

/* What was answered is reported, also where the sweep ended early. */
static enum smc_status report(const struct smc_arguments *arguments, const struct sink *sink,
                              enum smc_plot_target target, struct smc_text *out,
                              struct smc_error *error)
{
    struct smc_report_style style;
    smc_output_style(&style);
    if (target != SMC_PLOT_TERMINAL)
        sink->writer->sweep_end(&sink->result, &style, out);
    if (target == SMC_PLOT_NOWHERE)
        return SMC_OK;
    struct smc_picture picture = {0};
    struct smc_canvas canvas = smc_picture_canvas(target, &style);
    enum smc_status status = smc_plot_sweep(&sink->result, &canvas, &picture, error);
    if (status == SMC_OK)
        return smc_picture_finish(arguments, target, &picture, &style, out, error);
    smc_picture_free(&picture);
    return status;
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
    sink.writer->sweep_begin(sweep, out);
    enum smc_status status = answer_points(&sink, error);
    bool interrupted = status == SMC_OK && sink.result.answered < smc_sweep_points(sweep);
    if (sink.status == SMC_OK && status != SMC_USAGE) {
        enum smc_status reported = report(arguments, &sink, target, out, error);
        status = status == SMC_OK ? reported : status;
    }
    free(sink.result.point);
    if (status != SMC_OK || !interrupted)
        return status;
    return smc_fail(error, SMC_INTERRUPTED, "interrupted after %llu of %llu points",
                    (unsigned long long)sink.result.answered,
                    (unsigned long long)smc_sweep_points(sweep));
}

static enum smc_status run(const struct smc_arguments *arguments, struct smc_text *out,
                           struct smc_error *error)
{
    struct smc_sweep sweep;
    struct smc_swept_devices devices = {0};
    bool tell = smc_ask_writer(arguments) != &smc_writer_json;
    enum smc_status status = smc_ask_sweep(arguments, tell, &sweep, &devices, error);
    enum smc_plot_target target;
    if (status == SMC_OK)
        status = smc_picture_target(arguments, &target, error);
    if (status == SMC_OK && target != SMC_PLOT_NOWHERE)
        status = smc_plot_check(&sweep, error);
    if (status == SMC_OK)
        status = write_sweep(arguments, &sweep, target, out, error);
    smc_swept_devices_free(&devices);
    return status;
}

const struct smc_command smc_command_sweep = {
    .name = "sweep",
    .usage = "[OPTION]..., and one or two of them as FIRST:LAST[:STEP]",
    .help = "one or two values varied: a table or a picture",
    .examples = "  smemcalc sweep --tile 4:32:4 --regs 16:128:8\n"
                "  smemcalc sweep --threads 256 --dynamic-smem 0:96K:1K --plot smem.svg\n"
                "  smemcalc sweep --tile 16 --device all\n",
    .run = run,
};
