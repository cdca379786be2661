/* smemcalc inspect: your own kernels, from source, machine code or compilers' logs. */
#include <stdint.h>
#include <stdio.h>

#include "answers/selection.h"
#include "base/file.h"
#include "base/memory.h"
#include "show/cli/ask_inspect.h"
#include "show/cli/output.h"

/* Everything that one call needs. */
struct inspection {
    struct smc_inspection_question question;
    struct smc_inputs inputs; /* the kernels point into it */
    struct smc_inspect_kernels kernels;
    struct smc_inspect_rows rows;
    struct smc_inspect_promises promises;
    struct smc_inspect_selection selection;
    struct smc_gate gate;
    struct { /* the same files, compiled with at most --regs */
        struct smc_text options;
        struct smc_inputs inputs;
        struct smc_inspect_kernels kernels;
        struct smc_inspect_rows rows;
    } bounded;
};

/* --- The question ----------------------------------------------------------------------------- */

/* Text has the worst first; JSON and CSV are as the files are unless an order is requested. */
static enum smc_status ask_selection(const struct smc_arguments *arguments,
                                     const struct smc_gate *gate,
                                     struct smc_inspect_selection *selection,
                                     struct smc_error *error)
{
    const int64_t *number = arguments->number;
    bool text = smc_ask_writer(arguments) == &smc_writer_text;
    *selection = (struct smc_inspect_selection){
        .order = arguments->given[SMC_OPTION_SORT] ? (enum smc_inspect_order)number[SMC_OPTION_SORT]
                 : text                            ? SMC_ORDER_OCCUPANCY
                                                   : SMC_ORDER_FILE,
        .top = number[SMC_OPTION_TOP] > 0 ? (size_t)number[SMC_OPTION_TOP] : 0,
        .without_strays = text && !arguments->given[SMC_OPTION_VERBOSE],
        .gate = gate->limit_count > 0 ? gate : NULL,
    };
    for (size_t i = 0; i < arguments->only.count; i++)
        SMC_TRY(smc_selection_filter_add(&selection->only, arguments->only.item[i], error));
    return SMC_OK;
}

static enum smc_status check_lint(const struct smc_arguments *arguments, struct smc_error *error)
{
    if (!arguments->given[SMC_OPTION_LINT])
        return SMC_OK;
    return smc_refuse_given(arguments,
                            SMC_OPTIONS(SMC_OPTION_GATE, SMC_OPTION_REQUIRE_OCCUPANCY,
                                        SMC_OPTION_REQUIRE_BLOCKS, SMC_OPTION_MAX_REGS,
                                        SMC_OPTION_OWN_THREADS, SMC_OPTION_ASSUME_THREADS,
                                        SMC_OPTION_SORT, SMC_OPTION_TOP, SMC_OPTION_ONLY,
                                        SMC_OPTION_INSTANCES, SMC_OPTION_SAVE, SMC_OPTION_REGS),
                            error, "not together with --lint, which checks a kernel's own bounds");
}

static enum smc_status check_regs(const struct smc_arguments *arguments, struct smc_error *error)
{
    for (size_t i = 0; i < arguments->file_count && arguments->given[SMC_OPTION_REGS]; i++)
        if (smc_file_is_standard_input(arguments->file[i]))
            return smc_fail(error, SMC_USAGE,
                            "option --regs: standard input is read once, and the bound compiles it "
                            "again: name a file");
    return SMC_OK;
}

static enum smc_status cmd_inspect_ask(const struct smc_arguments *arguments,
                                       struct inspection *inspection, struct smc_error *error)
{
    if (arguments->file_count == 0)
        return smc_fail(error, SMC_USAGE,
                        "inspect: no FILE is given; '-' reads what a compiler prints");
    SMC_TRY(check_lint(arguments, error));
    SMC_TRY(check_regs(arguments, error));
    SMC_TRY(ask_selection(arguments, &inspection->gate, &inspection->selection, error));
    return smc_ask_inspection(arguments, arguments->given[SMC_OPTION_LINT], &inspection->question,
                              error);
}

/* CSV has no column for the compiler. */
static void tell_compiler(const struct smc_inspect_rows *rows)
{
    bool is_nvrtc = false;
    for (size_t i = 0; i < rows->count; i++)
        is_nvrtc |= rows->item[i].kernel->source == SMC_INSPECT_NVRTC;
    if (is_nvrtc)
        smc_output_note("registers and spills are those of NVRTC: nvcc may count others");
}

/* CSV marks each such row only in its column `loads`. */
static void tell_estimates(const struct smc_inspect_rows *rows)
{
    size_t count = 0;
    char text[128];
    for (size_t i = 0; i < rows->count; i++)
        count += !smc_architecture_loads(rows->item[i].kernel, rows->item[i].device->sm.cc);
    snprintf(text, sizeof text,
             "in %zu of %zu rows the machine code does not load on the device: estimates", count,
             rows->count);
    if (count > 0)
        smc_output_note(text);
}

/* No kernel meets the conditions of --only. Text says so in the report. */
static void tell_empty(const struct smc_inspect_rows *rows, bool text)
{
    if (rows->summary.undecided)
        smc_output_note("option --only: no kernel meets the conditions at its best block size; "
                        "state the block size of its launches with --threads or --assume-threads");
    else if (!text)
        smc_output_note("option --only: no kernel meets the conditions");
}

/* A kernel that is compiled for several devices counts once. */
static void tell_shapes(const struct smc_inspect_rows *rows)
{
    bool counted = false;
    size_t count = 0;
    char text[200];
    for (size_t i = 0; i < rows->count; i++) {
        counted = counted && !smc_inspect_begins_kernel(rows, i);
        count += rows->item[i].needs_shape && !counted;
        counted = counted || rows->item[i].needs_shape;
    }
    snprintf(
        text, sizeof text,
        "bank conflicts of %zu kernel%s are unknown: they depend on the shape of the block; state "
        "it with --threads 32x8 or NAME=32x8",
        count, smc_text_plural(count));
    if (count > 0)
        smc_output_note(text);
}

/* The report may be long: the parts before the last are kept outside of memory. */
static enum smc_status cmd_inspect_write_rows(const struct smc_writer *writer,
                                              const struct smc_inspect_rows *rows,
                                              struct smc_text *out, struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    size_t next = 0;
    do {
        next = writer->inspection(rows, next, out);
        if (next < rows->count)
            status = out->failed ? smc_out_of_memory(error) : smc_output_hold(out, error);
    } while (next < rows->count && status == SMC_OK);
    return status;
}

static enum smc_status cmd_inspect_show(const struct smc_arguments *arguments,
                                        const struct inspection *inspection, struct smc_text *out,
                                        struct smc_error *error)
{
    const struct smc_inspect_rows *rows = &inspection->rows;
    struct smc_report_style *style = smc_output_style(out);
    style->verbose = arguments->given[SMC_OPTION_VERBOSE];
    style->instances = arguments->given[SMC_OPTION_INSTANCES];
    style->all_kernels = arguments->given[SMC_OPTION_TOP];
    enum smc_status status = cmd_inspect_write_rows(smc_ask_writer(arguments), rows, out, error);
    if (smc_ask_writer(arguments) == &smc_writer_csv) {
        tell_compiler(rows);
        tell_estimates(rows);
    }
    if (rows->count == 0)
        tell_empty(rows, smc_ask_writer(arguments) == &smc_writer_text);
    return status;
}

static enum smc_status cmd_inspect_save(const struct smc_arguments *arguments,
                                        const struct inspection *inspection,
                                        struct smc_error *error)
{
    const char *file = arguments->text[SMC_OPTION_SAVE];
    smc_auto_text text = {0};
    if (!file)
        return SMC_OK;
    smc_auto_free uint32_t *threads =
        smc_inspect_given_threads(&inspection->kernels, &inspection->rows);
    SMC_TRY(threads ? smc_saved_write(&inspection->kernels, &inspection->question.request, threads,
                                      &text, error)
                    : smc_out_of_memory(error));
    return smc_file_write(file, true, &text, error);
}

/* --- What a bound on the registers costs ------------------------------------------------------ */

/* The registers that one more block would need, which the text about a single kernel proposes: what
   the compiler spills for them is seen before they are proposed. 0: nothing is proposed, or no
   option of the compiler bounds the kernel. */
static uint32_t proposed_registers(const struct smc_arguments *arguments,
                                   const struct smc_inspect_rows *rows)
{
    static struct smc_answer answer; /* too large for the stack */
    const struct smc_inspect_row *row = rows->item;
    if (smc_ask_writer(arguments) != &smc_writer_text || rows->count != 1 ||
        smc_file_is_standard_input(arguments->file[0]) || !row->kernel->min_blocks_known ||
        row->kernel->max_threads_per_block > 0 || !smc_inspect_regs_known(row))
        return 0;
    smc_inspect_complete(row, &answer);
    const struct smc_next_step *step = smc_query_gain(&answer, SMC_STEP_REGISTERS);
    return step ? (uint32_t)(answer.launch.regs_per_thread + step->change) : 0;
}

/* What went wrong with the files was said when they were read without the bound. */
static enum smc_status bound_registers(const struct smc_arguments *arguments,
                                       struct inspection *inspection, struct smc_error *error)
{
    const char *options = arguments->text[SMC_OPTION_COMPILER_OPTIONS];
    const bool is_given = arguments->given[SMC_OPTION_REGS];
    const uint32_t regs = is_given ? (uint32_t)arguments->number[SMC_OPTION_REGS]
                                   : proposed_registers(arguments, &inspection->rows);
    struct smc_inspect_request request = inspection->question.request;
    SMC_AUTO(smc_inspect_notes_free) struct smc_inspect_notes notes = {0};
    if (regs == 0)
        return SMC_OK;
    smc_text_printf(&inspection->bounded.options, "%s%s-maxrregcount=%u", options ? options : "",
                    options ? " " : "", regs);
    if (inspection->bounded.options.failed)
        return smc_out_of_memory(error);
    request.compiler_options = smc_text_string(&inspection->bounded.options);
    enum smc_status status =
        smc_inputs_read(arguments->file, arguments->file_count, &request,
                        &inspection->bounded.inputs, &inspection->bounded.kernels, &notes);
    if (status != SMC_MACHINE)
        status = smc_inspect_answer(&inspection->bounded.kernels, &request,
                                    &inspection->bounded.rows, error);
    if (status == SMC_MACHINE)
        return smc_out_of_memory(error);
    smc_inspect_set_bounded(&inspection->rows, &inspection->bounded.rows, regs);
    if (!is_given && !inspection->rows.item->bounded)
        inspection->rows.item->bound_regs = 0;
    return SMC_OK;
}

/* --- The answer ------------------------------------------------------------------------------- */

enum { MOST_ROWS_WITH_BANKS = 64 }; /* each takes some milliseconds */

static enum smc_status cmd_inspect_answer(const struct smc_arguments *arguments,
                                          struct inspection *inspection, struct smc_text *out,
                                          struct smc_error *error)
{
    enum smc_status status = smc_inspect_answer(&inspection->kernels, &inspection->question.request,
                                                &inspection->rows, error);
    if (status == SMC_MACHINE || inspection->rows.count == 0)
        return status;
    SMC_TRY(cmd_inspect_save(arguments, inspection, error));
    SMC_TRY(bound_registers(arguments, inspection, error));
    /* Every kernel that was asked for is judged, whichever are shown. */
    enum smc_status judged =
        smc_answer_gate(arguments, &inspection->gate, &inspection->rows, out, error);
    judged = smc_gate_check_complete(&inspection->gate, &inspection->kernels, judged);
    /* A table would hide why nothing was judged. */
    const bool hides = judged == SMC_USAGE && smc_ask_writer(arguments) == &smc_writer_text;
    if (judged == SMC_MACHINE || hides || smc_gate_reports(arguments))
        return status == SMC_OK ? judged : status;
    SMC_TRY(smc_selection_apply(&inspection->rows, &inspection->selection, error));
    const bool shows_banks = smc_ask_writer(arguments) != &smc_writer_csv;
    if (shows_banks && inspection->rows.count <= MOST_ROWS_WITH_BANKS &&
        smc_inspect_find_banks(&inspection->rows, NULL, error) != SMC_OK)
        return SMC_MACHINE;
    tell_shapes(&inspection->rows);
    SMC_TRY(cmd_inspect_show(arguments, inspection, out, error));
    return status == SMC_OK ? judged : status;
}

static enum smc_status lint(const struct smc_arguments *arguments, struct inspection *inspection,
                            struct smc_text *out, struct smc_error *error)
{
    enum smc_status status = smc_inspect_lint(&inspection->kernels, &inspection->question.request,
                                              &inspection->promises, error);
    smc_output_style(out);
    if (status != SMC_MACHINE)
        smc_ask_writer(arguments)->promises(&inspection->promises, out);
    return status;
}

static enum smc_status inspect(const struct smc_arguments *arguments, struct inspection *inspection,
                               struct smc_text *out, struct smc_error *error)
{
    SMC_TRY(cmd_inspect_ask(arguments, inspection, error));
    smc_ask_sandbox(arguments);
    enum smc_status reading =
        smc_ask_kernels(arguments->file, arguments->file_count, &inspection->question,
                        &inspection->inputs, &inspection->kernels, error);
    if (reading == SMC_MACHINE || inspection->kernels.count == 0)
        return reading;
    SMC_TRY(smc_ask_known_names(&inspection->question.request, &inspection->kernels, error));
    SMC_TRY(smc_gate_add_threads(&inspection->gate, &inspection->question, error));
    if (reading != SMC_OK && arguments->given[SMC_OPTION_SAVE])
        return smc_fail(error, reading, "option --save: not written, because of the errors above");
    enum smc_status status = arguments->given[SMC_OPTION_LINT]
                                 ? lint(arguments, inspection, out, error)
                                 : cmd_inspect_answer(arguments, inspection, out, error);
    return reading == SMC_OK ? status : reading;
}

enum smc_status smc_cmd_inspect(const struct smc_arguments *arguments, struct smc_text *out,
                                struct smc_error *error)
{
    smc_auto_free struct inspection *inspection = smc_calloc(1, sizeof *inspection);
    if (!inspection)
        return smc_out_of_memory(error);
    struct smc_arguments asked = *arguments;
    enum smc_status status = smc_ask_gate(&asked, &inspection->gate, error);
    if (status == SMC_OK)
        status = smc_gate_check_limits(&asked, &inspection->gate, error);
    if (status == SMC_OK)
        status = inspect(&asked, inspection, out, error);
    smc_inspect_promises_free(&inspection->promises);
    smc_inspect_rows_free(&inspection->bounded.rows);
    smc_user_kernels_free(&inspection->bounded.kernels);
    smc_inputs_free(&inspection->bounded.inputs);
    smc_text_free(&inspection->bounded.options);
    smc_inspect_rows_free(&inspection->rows);
    smc_user_kernels_free(&inspection->kernels);
    smc_inputs_free(&inspection->inputs);
    smc_inspection_question_free(&inspection->question);
    smc_gate_free(&inspection->gate);
    return status;
}
