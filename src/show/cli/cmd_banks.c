/* smemcalc banks: wavefronts and bank conflicts of accesses to shared memory. */
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/sandbox.h"
#include "show/cli/ask.h"
#include "show/cli/output.h"

/* From CC 5.0 on the banks of all devices are alike. */
static const char usual_device[] = "9.0";

enum { MOST_THREADS = 1024 };

static enum smc_status cmd_banks_read_block(const char *text, struct smc_banks_query *query,
                                            struct smc_error *error)
{
    int64_t edge[3] = {1, 1, 1};
    size_t count = smc_parse_dimensions(text, MOST_THREADS, edge, 3);
    if (count == 0 || edge[0] * edge[1] * edge[2] > MOST_THREADS)
        return smc_fail(error, SMC_USAGE,
                        "option --block: '%s' is not a shape such as 256, 32x8 or 8x8x4 of 1 to %d "
                        "threads",
                        text, MOST_THREADS);
    for (size_t i = 0; i < 3; i++)
        query->block[i] = (uint32_t)edge[i];
    return SMC_OK;
}

static enum smc_status cmd_banks_read_mask(const char *text, uint32_t *mask,
                                           struct smc_error *error)
{
    uint64_t value = 0;
    if (smc_parse_hexadecimal(text, UINT32_MAX, &value)) {
        *mask = (uint32_t)value;
        return SMC_OK;
    }
    return smc_fail(error, SMC_USAGE,
                    "option --mask: '%s' is not a hexadecimal number between 0 and ffffffff", text);
}

static enum smc_status cmd_banks_find_device(const struct smc_arguments *arguments,
                                             struct smc_chosen_devices *devices,
                                             struct smc_banks_query *query, struct smc_error *error)
{
    char note[256];
    SMC_TRY(smc_ask_named_device(arguments, devices, error));
    query->device_assumed = devices->count == 0;
    if (query->device_assumed && devices->file_count > 0)
        return smc_fail(error, SMC_USAGE,
                        "option --device-file: banks is about one device; name it with --device");
    if (query->device_assumed)
        return smc_device_find(usual_device, &query->device, note, error);
    query->device = devices->chosen->device;
    smc_output_note(devices->chosen->note);
    return SMC_OK;
}

static enum smc_status cmd_banks_read_device(const struct smc_arguments *arguments,
                                             struct smc_chosen_devices *devices,
                                             struct smc_banks_query *query, struct smc_error *error)
{
    SMC_TRY(cmd_banks_find_device(arguments, devices, query, error));
    query->mode = (enum smc_bank_mode)arguments->number[SMC_OPTION_BANK_WIDTH];
    if (arguments->given[SMC_OPTION_BANK_WIDTH] && query->device.sm.bank_width_bytes != 8)
        return smc_fail(error, SMC_USAGE,
                        "option --bank-width: only on compute capability 3.x, not %u.%u",
                        query->device.sm.cc / 10, query->device.sm.cc % 10);
    return SMC_OK;
}

static enum smc_status cmd_banks_read_kernel(const struct smc_arguments *arguments,
                                             struct smc_banks_query *query, struct smc_error *error)
{
    struct smc_query launch;
    smc_query_init(&launch);
    SMC_TRY(smc_refuse_given(arguments,
                             SMC_OPTIONS(SMC_OPTION_WIDTH, SMC_OPTION_STORE, SMC_OPTION_BANK_OP),
                             error, "not with a kernel, which determines it"));
    SMC_TRY(smc_ask_kernel(arguments, &launch, error));
    query->kernel = launch.kernel;
    query->params = launch.params;
    return SMC_OK;
}

static enum smc_status cmd_banks_read_op(const struct smc_arguments *arguments,
                                         struct smc_banks_query *query, struct smc_error *error)
{
    const char *name = arguments->text[SMC_OPTION_BANK_OP];
    query->op = arguments->given[SMC_OPTION_STORE] ? SMC_BANK_STORE : SMC_BANK_LOAD;
    if (name && arguments->given[SMC_OPTION_STORE])
        return smc_fail(error, SMC_USAGE, "option --store: not with --op");
    SMC_TRY(name ? smc_banks_read_op(name, "option --", &query->op, error) : SMC_OK);
    query->width_bytes = arguments->given[SMC_OPTION_WIDTH]
                             ? 1u << arguments->number[SMC_OPTION_WIDTH]
                             : smc_bank_operations[query->op].usual_width;
    return SMC_OK;
}

/* Exactly one of --expr, --stride and a kernel says what is accessed. */
static enum smc_status read_pattern(const struct smc_arguments *arguments,
                                    struct smc_banks_query *query, struct smc_error *error)
{
    bool expression = arguments->given[SMC_OPTION_EXPR],
         stride = arguments->given[SMC_OPTION_STRIDE];
    const char *param = NULL;
    for (int i = 0; i < SMC_PARAM_COUNT && !param; i++)
        if (arguments->given[SMC_OPTION_FIRST_PARAM + i])
            param = smc_param_info[i].option;
    if (arguments->given[SMC_OPTION_KERNEL])
        param = "kernel";
    if (expression && stride)
        return smc_fail(error, SMC_USAGE, "option --stride: not with --expr");
    if (param && (expression || stride))
        return smc_fail(error, SMC_USAGE, "option --%s: not with --%s", param,
                        expression ? "expr" : "stride");
    if (param)
        return cmd_banks_read_kernel(arguments, query, error);
    if (!expression && !stride)
        return smc_fail(error, SMC_USAGE,
                        "no pattern: give --expr TEXT, --stride N, --layout LAYOUT, "
                        "--kernel NAME, --csv FILE or a FILE");
    query->expression = arguments->text[SMC_OPTION_EXPR];
    query->stride = stride ? arguments->number[SMC_OPTION_STRIDE] : -1;
    SMC_TRY(cmd_banks_read_op(arguments, query, error));
    const char *block = arguments->text[SMC_OPTION_BLOCK_SHAPE];
    if (block && stride)
        return smc_fail(error, SMC_USAGE, "option --block: not with --stride, which has one warp");
    return block ? cmd_banks_read_block(block, query, error) : SMC_OK;
}

enum smc_status smc_ask_banks(const struct smc_arguments *arguments, struct smc_banks_query *query,
                              struct smc_error *error)
{
    smc_banks_query_init(query);
    query->warp = (int32_t)arguments->number[SMC_OPTION_WARP];
    query->row_elements = (uint32_t)arguments->number[SMC_OPTION_ROW];
    SMC_TRY(read_pattern(arguments, query, error));
    const char *mask = arguments->text[SMC_OPTION_MASK];
    if (mask)
        SMC_TRY(cmd_banks_read_mask(mask, &query->mask, error));
    if (mask && smc_bank_operations[query->op].matrices)
        return smc_fail(error, SMC_USAGE,
                        "option --mask: not with --op %s, which all lanes execute",
                        smc_bank_operations[query->op].name);
    return SMC_OK;
}

static enum smc_status ask_pattern(const struct smc_arguments *arguments,
                                   struct smc_chosen_devices *devices,
                                   struct smc_banks_query *query, struct smc_error *error)
{
    SMC_TRY(smc_ask_banks(arguments, query, error));
    SMC_TRY(cmd_banks_read_device(arguments, devices, query, error));
    return query->kernel ? SMC_OK
                         : smc_banks_check_op(query->op, query->width_bytes, &query->device.sm,
                                              "option --", error);
}

static enum smc_status ask_rows(const struct smc_arguments *arguments,
                                struct smc_chosen_devices *devices, struct smc_banks_query *query,
                                struct smc_error *error)
{
    static const bool taken[SMC_OPTION_COUNT] = {
        [SMC_OPTION_CSV] = true,
        [SMC_OPTION_DEVICE] = true,
        [SMC_OPTION_DEVICE_FILE] = true,
        [SMC_OPTION_BANK_WIDTH] = true,
    };
    for (int i = 0; i < SMC_OPTION_COUNT; i++) {
        if (arguments->given[i] && !taken[i])
            return smc_fail(error, SMC_USAGE,
                            "option --%s: not with --csv, which gives the accesses itself",
                            smc_options[i].name);
    }
    smc_banks_query_init(query);
    SMC_TRY(smc_ask_standard_input(arguments, arguments->text[SMC_OPTION_CSV], error));
    return cmd_banks_read_device(arguments, devices, query, error);
}

struct cmd_banks_stream {
    struct smc_stream input;
    const struct smc_bank_layout *layout;
    const struct smc_sm *sm;
    struct smc_text *out;
    struct smc_csv_record record;
};

/* Answers are written before more is read: memory does not grow with the input. */
static enum smc_status cmd_banks_flush_and_read(void *context, char *bytes, size_t capacity,
                                                size_t *count, struct smc_error *error)
{
    struct cmd_banks_stream *stream = context;
    SMC_TRY(smc_output_flush(stream->out, error));
    return smc_stream_read(&stream->input, bytes, capacity, count, error);
}

static void append_id(const struct smc_csv_record *record, struct smc_text *out)
{
    if (record->field_count == 0)
        return;
    const struct smc_csv_field *id = &record->field[0];
    size_t start = out->length;
    if (id->faulty)
        smc_text_append_quoted(out, id->text, id->length);
    else
        smc_text_append_bytes(out, id->text, id->length);
    if (!out->failed)
        smc_utf8_make_safe_csv(out->data + start, out->length - start);
}

static enum smc_status cmd_banks_answer_row(const struct cmd_banks_stream *stream)
{
    struct smc_banks_row row;
    struct smc_error reason = {""};
    enum smc_status status = smc_banks_row_read(&stream->record, stream->sm, &row, &reason);
    append_id(&stream->record, stream->out);
    if (status == SMC_OK && !smc_banks_are_known(stream->layout, &row.access)) {
        smc_text_append(stream->out, ",unknown,unknown\n");
        return SMC_OK;
    }
    if (status == SMC_OK) {
        struct smc_bank_cost cost =
            smc_banks_count_copy(stream->layout, &row.access, row.has_sources ? row.source : NULL);
        smc_text_printf(stream->out, ",%" PRIu32 ",%" PRIu32 "\n", cost.wavefronts,
                        cost.wavefronts - cost.least);
        return SMC_OK;
    }
    smc_text_append(stream->out, ",,\n");
    smc_fail_in(&reason, status, "%s:%" PRIu64, stream->input.name, stream->record.line);
    smc_output_tell("", reason.message);
    return status;
}

static enum smc_status cmd_banks_answer_all(struct cmd_banks_stream *stream,
                                            struct smc_csv_reader *reader, struct smc_error *error)
{
    enum smc_status answered = SMC_OK;
    for (bool first = true;; first = false) {
        bool found;
        SMC_TRY(smc_csv_read(reader, &stream->record, &found, error));
        if (!found)
            return answered;
        if (first && smc_banks_row_is_header(&stream->record))
            smc_text_append(stream->out, "id,wavefronts,conflicts\n");
        else if (cmd_banks_answer_row(stream) != SMC_OK)
            answered = SMC_USAGE;
    }
}

static enum smc_status cmd_banks_answer_file(const char *path, const struct smc_bank_layout *layout,
                                             const struct smc_sm *sm, struct smc_text *out,
                                             struct smc_error *error)
{
    struct cmd_banks_stream stream = {.layout = layout, .sm = sm, .out = out};
    const struct smc_csv_source source = {cmd_banks_flush_and_read, &stream};
    struct smc_csv_reader reader;
    enum smc_status status = smc_stream_open(path, &stream.input, error);
    if (status != SMC_OK)
        return smc_fail_in(error, status, "option --csv");
    smc_sandbox_enter(SMC_SANDBOX_READING);
    status = smc_csv_open(&reader, &source, error);
    if (status == SMC_OK)
        status = cmd_banks_answer_all(&stream, &reader, error);
    smc_csv_close(&reader);
    smc_stream_close(&stream.input);
    return status;
}

static enum smc_status answer_rows(const struct smc_arguments *arguments,
                                   const struct smc_banks_query *query, struct smc_text *out,
                                   struct smc_error *error)
{
    struct smc_bank_layout layout;
    smc_bank_layout_of(&query->device.sm, query->mode, &layout);
    return cmd_banks_answer_file(arguments->text[SMC_OPTION_CSV], &layout, &query->device.sm, out,
                                 error);
}

/* A picture in the terminal replaces the text. */
static enum smc_status cmd_banks_report(const struct smc_arguments *arguments,
                                        const struct smc_banks_answer *answer,
                                        enum smc_plot_target target, struct smc_text *out,
                                        struct smc_error *error)
{
    smc_output_style(out);
    if (target != SMC_PLOT_TERMINAL)
        smc_ask_writer(arguments)->banks(answer, out);
    if (target == SMC_PLOT_NOWHERE)
        return SMC_OK;
    struct smc_picture picture = {0};
    struct smc_canvas canvas = smc_picture_canvas(target, out->style);
    smc_plot_banks(answer, &canvas, &picture);
    return smc_picture_finish(arguments, target, &picture, out, error);
}

static enum smc_status answer_pattern(const struct smc_arguments *arguments,
                                      const struct smc_banks_query *query, struct smc_text *out,
                                      struct smc_error *error)
{
    enum smc_plot_target target;
    SMC_TRY(smc_picture_target(arguments, &target, error));
    smc_auto_free struct smc_banks_answer *answer = smc_calloc(1, sizeof *answer);
    if (!answer)
        return smc_out_of_memory(error);
    SMC_TRY(smc_banks_answer(query, answer, error));
    return cmd_banks_report(arguments, answer, target, out, error);
}

/* --- An array that a layout places ------------------------------------------------------------ */

static enum smc_status check_layout_options(const struct smc_arguments *arguments,
                                            struct smc_error *error)
{
    if (!arguments->given[SMC_OPTION_LAYOUT])
        return smc_refuse_given(
            arguments,
            SMC_OPTIONS(SMC_OPTION_SWIZZLE, SMC_OPTION_ELEMENT, SMC_OPTION_THREADS_VALUES), error,
            "only with --layout");
    SMC_TRY(smc_refuse_given(arguments,
                             SMC_OPTIONS(SMC_OPTION_EXPR, SMC_OPTION_STRIDE, SMC_OPTION_CSV,
                                         SMC_OPTION_KERNEL, SMC_OPTION_WARP, SMC_OPTION_WIDTH,
                                         SMC_OPTION_MASK, SMC_OPTION_BLOCK_SHAPE, SMC_OPTION_ROW,
                                         SMC_OPTION_STORE),
                             error, "not with --layout"));
    for (int i = 0; i < SMC_PARAM_COUNT; i++)
        if (arguments->given[SMC_OPTION_FIRST_PARAM + i])
            return smc_fail(error, SMC_USAGE, "option --%s: not with --layout",
                            smc_param_info[i].option);
    if (!arguments->given[SMC_OPTION_BANK_OP])
        return smc_fail(error, SMC_USAGE,
                        "option --layout: also give the accesses, such as --op 'st.16 rows; "
                        "ldmatrix.x4'");
    return SMC_OK;
}

static enum smc_status cmd_banks_run_layout(const struct smc_arguments *arguments,
                                            struct smc_text *out, struct smc_error *error)
{
    struct smc_banks_query query;
    SMC_AUTO(smc_chosen_devices_free) struct smc_chosen_devices devices = {0};
    const struct smc_tile_texts texts = {
        .layout = arguments->text[SMC_OPTION_LAYOUT],
        .element = arguments->text[SMC_OPTION_ELEMENT],
        .swizzle = arguments->text[SMC_OPTION_SWIZZLE],
        .accesses = arguments->text[SMC_OPTION_BANK_OP],
        .threads_values = arguments->text[SMC_OPTION_THREADS_VALUES],
    };
    smc_auto_free struct smc_tile_question *question = smc_calloc(1, sizeof *question);
    if (!question)
        return smc_out_of_memory(error);
    smc_banks_query_init(&query);
    query.tile = question;
    SMC_TRY(smc_tile_question_read(&texts, question, error));
    SMC_TRY(cmd_banks_read_device(arguments, &devices, &query, error));
    return answer_pattern(arguments, &query, out, error);
}

/* --- A kernel of a file ----------------------------------------------------------------------- */

static enum smc_status check_file_options(const struct smc_arguments *arguments,
                                          struct smc_error *error)
{
    SMC_TRY(smc_refuse_given(arguments,
                             SMC_OPTIONS(SMC_OPTION_WIDTH, SMC_OPTION_STORE, SMC_OPTION_MASK,
                                         SMC_OPTION_ROW, SMC_OPTION_WARP, SMC_OPTION_PLOT,
                                         SMC_OPTION_BANK_OP),
                             error, "not with FILE '%.64s'", arguments->file[0]));
    if (arguments->device.count > 1)
        return smc_fail(error, SMC_USAGE,
                        "option --device: banks is about one device, but %zu are named",
                        arguments->device.count);
    return SMC_OK;
}

/* --block, else the launch bounds in x, else a usual one. */
static enum smc_status cmd_banks_choose_block(const struct smc_arguments *arguments,
                                              const struct smc_file_kernel *kernel,
                                              struct smc_bank_accesses_request *request,
                                              const char **source, struct smc_error *error)
{
    enum { USUAL_THREADS = 256 };
    const char *typed = arguments->text[SMC_OPTION_BLOCK_SHAPE];
    uint32_t bound = kernel->required_threads_per_block ? kernel->required_threads_per_block
                                                        : kernel->max_threads_per_block;
    request->block[0] = bound ? bound : USUAL_THREADS;
    request->block[1] = request->block[2] = 1;
    *source = bound ? ", of its launch bounds" : ", assumed: --block is not given";
    if (!typed)
        return SMC_OK;
    struct smc_banks_query query;
    smc_banks_query_init(&query);
    SMC_TRY(cmd_banks_read_block(typed, &query, error));
    memcpy(request->block, query.block, sizeof request->block);
    *source = "";
    if (!smc_file_kernel_allows(kernel, query.block[0] * query.block[1] * query.block[2]))
        return smc_fail(error, SMC_USAGE, "option --block: '%.64s' has %u threads; %.300s %s %u",
                        typed, query.block[0] * query.block[1] * query.block[2], kernel->short_name,
                        kernel->required_threads_per_block ? "launches only with"
                                                           : "has launch bounds that allow",
                        bound);
    return SMC_OK;
}

static enum smc_status find_accesses(const struct smc_arguments *arguments,
                                     const struct smc_asked_file *asked,
                                     struct smc_bank_accesses *accesses, const char **source,
                                     struct smc_error *error)
{
    const char *file = smc_file_name(arguments->file[0]);
    const struct smc_query *query = asked->query;
    if (asked->ptx.length == 0)
        return smc_fail(error, SMC_USAGE,
                        "%s: bank conflicts are found in source or PTX, not in %s", file,
                        smc_user_kernel_source_words(asked->entries.item[0]->source));
    struct smc_bank_accesses_request request = {
        .ptx = smc_text_string(&asked->ptx),
        .ptx_bytes = asked->ptx.length,
        .entry = asked->entries.item[0]->name,
        .declared = asked->entries.item[0]->array,
        .declared_count = asked->entries.item[0]->arrays,
    };
    enum smc_bank_mode mode = (enum smc_bank_mode)arguments->number[SMC_OPTION_BANK_WIDTH];
    smc_bank_layout_of(&query->device.sm, mode, &request.banks);
    SMC_TRY(cmd_banks_choose_block(arguments, query->file_kernel, &request, source, error));
    enum smc_status status = smc_bank_accesses_find(&request, accesses, error);
    if (status != SMC_OK)
        return smc_fail_in(error, status, "%s", file);
    if ((accesses->uses_y || accesses->uses_z) && !arguments->text[SMC_OPTION_BLOCK_SHAPE])
        return smc_fail(error, SMC_USAGE,
                        "%s: the accesses of %.300s depend on the shape of the block: give it, "
                        "such as --block 32x8",
                        file, query->file_kernel->short_name);
    return SMC_OK;
}

static enum smc_status cmd_banks_run_file(const struct smc_arguments *arguments,
                                          struct smc_text *out, struct smc_error *error)
{
    struct smc_asked_file asked = {0};
    SMC_AUTO(smc_bank_accesses_free) struct smc_bank_accesses accesses = {0};
    const char *source = "";
    enum smc_status status = check_file_options(arguments, error);
    if (status == SMC_OK)
        status = smc_ask_file(arguments, NULL, true, &asked, error);
    if (status == SMC_OK)
        status = find_accesses(arguments, &asked, &accesses, &source, error);
    if (status == SMC_OK) {
        const struct smc_kernel_banks banks = {asked.query, &accesses, source};
        smc_output_style(out);
        smc_ask_writer(arguments)->kernel_banks(&banks, out);
    }
    return smc_asked_file_end(&asked, status);
}

static enum smc_status cmd_banks_run_query(const struct smc_arguments *arguments,
                                           struct smc_text *out, struct smc_error *error)
{
    struct smc_banks_query query;
    SMC_AUTO(smc_chosen_devices_free) struct smc_chosen_devices devices = {0};
    bool rows = arguments->given[SMC_OPTION_CSV];
    SMC_TRY(rows ? ask_rows(arguments, &devices, &query, error)
                 : ask_pattern(arguments, &devices, &query, error));
    return rows ? answer_rows(arguments, &query, out, error)
                : answer_pattern(arguments, &query, out, error);
}

enum smc_status smc_cmd_banks(const struct smc_arguments *arguments, struct smc_text *out,
                              struct smc_error *error)
{
    bool file;
    SMC_TRY(check_layout_options(arguments, error));
    if (arguments->given[SMC_OPTION_LAYOUT])
        return cmd_banks_run_layout(arguments, out, error);
    SMC_TRY(smc_ask_whether_file(arguments, &file, error));
    return file ? cmd_banks_run_file(arguments, out, error)
                : cmd_banks_run_query(arguments, out, error);
}
