/* What the worker does about the user's file that is open: reads it, and finds how a kernel of it
   accesses shared memory. What was read stays with the process for the next question. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/selection.h"
#include "base/file.h"
#include "base/memory.h"
#include "code/inputs.h"
#include "show/report/banks_report.h"
#include "show/tui/open_file.h"
#include "show/words/words.h"

/* The file as this process read it last. */
static struct open_reading {
    struct smc_inputs inputs; /* the kernels point into it */
    struct smc_inspect_kernels kernels;
    char file[SMC_OPEN_PATH_CHARS];
    uint32_t saves; /* of the file when it was read */
    int cc;         /* that a source was compiled for */
    bool cc_assumed;
    struct smc_text notes;
} reading;

static void forget_reading(void)
{
    smc_user_kernels_free(&reading.kernels);
    smc_inputs_free(&reading.inputs);
    smc_text_free(&reading.notes);
    reading = (struct open_reading){0};
}

/* --- Reading ---------------------------------------------------------------------------------- */

static void make_request(const struct smc_open_question *question, const struct smc_query *query,
                         struct smc_inspect_target *target, struct smc_inspect_request *request)
{
    *target = (struct smc_inspect_target){query->device.sm.cc, '\0'};
    *request = (struct smc_inspect_request){
        .targets = target,
        .target_count = 1,
        .targets_assumed = query->device_assumed,
        .no_cache = question->no_cache,
        .devices = &query->device,
        .device_count = 1,
        .threads_per_block = question->threads_per_block,
        .settings = SMC_LAUNCH_INIT,
    };
    memcpy(request->block, question->block, sizeof request->block);
    if (question->dynamic_smem_bytes != SMC_NOT_GIVEN) {
        request->dynamic_smem_bytes = (uint32_t)question->dynamic_smem_bytes;
        request->dynamic_smem_given = true;
    }
}

static void keep_notes(struct smc_inspect_notes *notes, struct smc_text *out)
{
    const struct smc_text *const texts[] = {&notes->faults, &notes->warnings, &notes->remarks};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i]->length)
            smc_text_printf(out, "%s%s", out->length ? "\n" : "", smc_text_string(texts[i]));
    smc_inspect_notes_free(notes);
}

/* Whether only launches differ from the question that was answered last. */
static bool is_as_read(const struct smc_open_question *question,
                       const struct smc_inspect_request *request)
{
    return reading.kernels.count > 0 && strcmp(reading.file, question->file) == 0 &&
           reading.saves == question->saves && reading.cc == request->targets[0].cc &&
           reading.cc_assumed == request->targets_assumed;
}

/* -lineinfo gives accesses their lines, and changes neither the code nor its registers. */
static enum smc_status read_file(const struct smc_open_question *question,
                                 const struct smc_inspect_request *asked, struct smc_error *error)
{
    struct smc_inspect_request request = *asked;
    struct smc_inspect_notes notes = {0};
    smc_auto_text options = {0};
    char *file = (char *)question->file;
    forget_reading();
    snprintf(reading.file, sizeof reading.file, "%s", question->file);
    reading.saves = question->saves;
    reading.cc = request.targets[0].cc;
    reading.cc_assumed = request.targets_assumed;
    smc_text_printf(&options, "-lineinfo %s", question->options);
    request.compiler_options = smc_text_string(&options);
    enum smc_status status =
        smc_inputs_read(&file, 1, &request, &reading.inputs, &reading.kernels, &notes);
    keep_notes(&notes, &reading.notes);
    if (status != SMC_MACHINE && reading.kernels.count > 0)
        return SMC_OK; /* what could not be read is among the notes */
    if (status == SMC_OK)
        return smc_fail(error, SMC_USAGE, "%s: no kernel in it", question->file);
    return smc_fail(error, status, "%.900s",
                    reading.notes.length ? smc_text_string(&reading.notes) : "out of memory");
}

/* --- The rows --------------------------------------------------------------------------------- */

static void copy_figures(const struct smc_inspect_row *row, struct smc_open_figures *figures)
{
    *figures = (struct smc_open_figures){
        .regs_per_thread = row->launch.regs_per_thread,
        .static_smem_bytes = row->launch.static_smem_bytes,
        .blocks_per_sm = row->occupancy.blocks_per_sm,
        .spilled_bytes = smc_selection_spilled_bytes(row),
        .conflicts_known = row->banks,
    };
    if (row->banks)
        figures->conflicts = row->banks->accesses.wavefronts - row->banks->accesses.least;
}

static void copy_row(const struct smc_inspect_row *row, struct smc_open_kernel *out)
{
    struct smc_answer answer;
    const struct smc_inspect_kernel *kernel = row->kernel;
    smc_auto_free char *short_name = smc_entry_short_name(kernel);
    *out = (struct smc_open_kernel){
        .threads_source = row->threads_source,
        .dynamic_smem_unknown = row->dynamic_smem_unknown,
        .launch = row->launch,
        .occupancy = row->occupancy,
        .occupancy_percent = row->occupancy_percent,
        .source_line = kernel->source_line,
    };
    memcpy(out->block, row->block, sizeof out->block);
    snprintf(out->symbol, sizeof out->symbol, "%s", kernel->name);
    snprintf(out->name, sizeof out->name, "%s", kernel->shown);
    snprintf(out->short_name, sizeof out->short_name, "%s", short_name ? short_name : "");
    smc_entry_on_device(&reading.kernels, kernel, row->device, &out->file_kernel);
    copy_figures(row, &out->now);
    smc_inspect_complete(row, &answer);
    out->next_steps = answer.next_steps;
}

/* As the request wants them, which borrows the names. */
struct open_stated {
    struct smc_stated item[SMC_STATED_KINDS][SMC_MOST_OPEN_LAUNCHES];
};

static void state_launches(const struct smc_open_question *question, struct open_stated *stated,
                           struct smc_inspect_request *request)
{
    for (int kind = 0; kind < SMC_STATED_KINDS; kind++)
        request->stated[kind].item = stated->item[kind];
    for (size_t i = 0; i < question->launch_count; i++) {
        const struct smc_open_launch *launch = &question->launch[i];
        struct smc_stated_list *threads = &request->stated[SMC_STATED_THREADS];
        struct smc_stated_list *dynamic = &request->stated[SMC_STATED_DYNAMIC_SMEM];
        struct smc_stated *one = &threads->item[threads->count++];
        *one = (struct smc_stated){.pattern = (char *)launch->kernel,
                                   .number = (uint32_t)launch->threads_per_block};
        memcpy(one->block, launch->block, sizeof one->block);
        if (launch->dynamic_smem_bytes != SMC_NOT_GIVEN)
            dynamic->item[dynamic->count++] = (struct smc_stated){
                .pattern = (char *)launch->kernel, .number = (uint32_t)launch->dynamic_smem_bytes};
    }
}

enum { MOST_ROWS_WITH_BANKS = 64 }; /* each takes some milliseconds */

/* The worst first, as `inspect` lists them. */
static enum smc_status answer_kernels(const struct smc_inspect_request *request,
                                      struct smc_open_kernel **kernels, size_t *count,
                                      struct smc_error *error)
{
    static const struct smc_inspect_selection worst_first = {
        .order = SMC_ORDER_OCCUPANCY, .top = SMC_MOST_OPEN_KERNELS, .without_strays = true};
    SMC_AUTO(smc_inspect_rows_free) struct smc_inspect_rows rows = {0};
    SMC_TRY(smc_inspect_answer(&reading.kernels, request, &rows, error));
    SMC_TRY(smc_selection_apply(&rows, &worst_first, error));
    if (rows.count <= MOST_ROWS_WITH_BANKS)
        SMC_TRY(smc_inspect_find_banks(&rows, NULL, error));
    if (!(*kernels = smc_calloc(rows.count + 1, sizeof **kernels)))
        return smc_out_of_memory(error);
    for (size_t i = 0; i < rows.count; i++)
        copy_row(&rows.item[i], &(*kernels)[(*count)++]);
    return SMC_OK;
}

enum smc_status smc_open_read(const struct smc_open_question *question, struct smc_query *query,
                              struct smc_open_kernel **kernels, size_t *count,
                              struct smc_text *notes, struct smc_error *error)
{
    struct smc_inspect_request request;
    struct smc_inspect_target target;
    struct open_stated stated = {0};
    *kernels = NULL;
    *count = 0;
    make_request(question, query, &target, &request);
    enum smc_status status =
        is_as_read(question, &request) ? SMC_OK : read_file(question, &request, error);
    smc_text_append(notes, smc_text_string(&reading.notes));
    if (status != SMC_OK)
        return status;
    smc_entry_assume_device(&reading.kernels, &reading.kernels.item[0], query);
    state_launches(question, &stated, &request);
    return answer_kernels(&request, kernels, count, error);
}

/* --- Accesses to shared memory ---------------------------------------------------------------- */

enum { MOST_SOURCE_BYTES = 16 << 20 };

static bool is_name(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* The next place with the name that is not part of a longer one; NULL: none. */
static const char *find_array_name(const char *line, const char *begin, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = strstr(begin, name); at; at = strstr(at + 1, name))
        if ((at == line || !is_name(at[-1])) && !is_name(at[length]))
            return at;
    return NULL;
}

/* The part of the line that names the array: the first of a store, the last of a load. NULL: none.
 */
static const char *find_expression(const char *line, const struct smc_bank_access *access)
{
    const char *array =
        access->advice && access->advice->array[0] ? access->advice->array : access->array;
    const char *found = NULL;
    if (!array || !*array)
        return NULL;
    for (const char *at = find_array_name(line, line, array); at;
         at = find_array_name(line, at + 1, array))
        if (!found || access->op == SMC_BANK_LOAD)
            found = at;
    return found;
}

/* The length of an array's name and its subscripts; 0: none follow. */
static size_t subscripted_length(const char *begin)
{
    const char *at = begin, *end = begin;
    int depth = 0;
    while (is_name(*at))
        at++;
    for (; at > begin && *at && (depth > 0 || strchr("[ ", *at)); at++) {
        depth += *at == '[' ? 1 : *at == ']' ? -1 : 0;
        end = depth == 0 && *at == ']' ? at + 1 : end;
    }
    return (size_t)(end - begin);
}

static void append_expression(const char *path, const struct smc_bank_access *access,
                              struct smc_text *out)
{
    smc_auto_text source = {0}, line = {0};
    if (access->line && smc_file_read(path, "source", MOST_SOURCE_BYTES, &source, NULL) == SMC_OK) {
        const char *at = smc_text_line(smc_text_string(&source), access->line);
        at += strspn(at, " \t");
        smc_text_append_bytes(&line, at, strcspn(at, "\r\n"));
    }
    const char *array = find_expression(smc_text_string(&line), access);
    const char *begin = array ? array : smc_text_string(&line);
    size_t length = array ? subscripted_length(array) : 0;
    if (length == 0)
        length = strcspn(begin, access->op == SMC_BANK_STORE ? ";=" : ";");
    while (length > 0 && strchr(" +-*/", begin[length - 1])) /* what comes before the '=' */
        length--;
    smc_text_append_bytes(out, begin, length);
    smc_text_free(&line);
}

static void write_label(const struct smc_bank_access *access, const char *file, char label[160])
{
    smc_auto_text words = {0};
    const bool is_own =
        access->file && strcmp(smc_last_part(access->file), smc_last_part(file)) == 0;
    if (!access->file)
        smc_text_printf(&words, "PTX line %u: %s", access->ptx_line, access->operation);
    else if (is_own)
        smc_text_printf(&words, "%u: ", access->line);
    else
        smc_text_printf(&words, "%s:%u: ", smc_last_part(access->file), access->line);
    if (access->file)
        append_expression(is_own ? file : access->file, access, &words);
    snprintf(label, 160, "%s", smc_text_string(&words));
    smc_utf8_make_safe(label);
}

static void write_remark(const struct smc_bank_access *access, char remark[512])
{
    smc_auto_text words = {0};
    if (access->verdict != SMC_BANK_KNOWN)
        smc_text_append(&words, smc_bank_verdict_words(access->verdict));
    if (access->reason)
        smc_text_printf(&words, ": %s", access->reason);
    if (access->advice && access->most_conflicts > 0) {
        smc_text_append(&words, words.length ? "; " : "");
        smc_words_array_advice(access->advice, true, true, &words);
    }
    smc_words_untie(&words);
    snprintf(remark, 512, "%s", smc_text_string(&words));
}

static bool is_counted(const struct smc_bank_access *access)
{
    return access->executions > 0 &&
           (access->verdict == SMC_BANK_KNOWN || access->verdict == SMC_BANK_IF_ALL_ACTIVE ||
            access->verdict == SMC_BANK_DEPENDS);
}

static uint32_t saturated(uint64_t number)
{
    return number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
}

static void copy_access(const struct smc_bank_access *access, const char *file,
                        struct smc_open_access *out)
{
    *out = (struct smc_open_access){
        .op = access->op,
        .width_bytes = access->width_bytes,
        .unknown = !is_counted(access),
        .worst_warp = access->worst_warp,
    };
    write_label(access, file, out->label);
    write_remark(access, out->remark);
    if (out->unknown)
        return;
    out->worst = access->worst;
    out->total = (struct smc_bank_cost){.wavefronts = saturated(access->wavefronts),
                                        .least = saturated(access->least)};
}

static bool is_same_array(const struct smc_bank_access *a, const struct smc_bank_access *b)
{
    return a->array && b->array ? strcmp(a->array, b->array) == 0 : a->array == b->array;
}

/* Unrolled copies of one line. */
static bool is_copy(const struct smc_bank_access *a, const struct smc_bank_access *b)
{
    return a->line > 0 && a->line == b->line && a->op == b->op && is_same_array(a, b) &&
           a->width_bytes == b->width_bytes && a->verdict == b->verdict &&
           a->most_conflicts == b->most_conflicts;
}

static uint64_t conflicts_of(const struct smc_bank_access *access)
{
    return is_counted(access) ? access->wavefronts - access->least : 0;
}

/* Sums up the copies of each access at the first of them; the rest is marked as left out. */
static void join_copies(struct smc_bank_accesses *accesses, bool *left_out)
{
    for (size_t i = 0; i < accesses->count; i++)
        for (size_t k = 0; k < i && !left_out[i]; k++)
            if (!left_out[k] && is_copy(&accesses->item[k], &accesses->item[i])) {
                accesses->item[k].wavefronts += accesses->item[i].wavefronts;
                accesses->item[k].least += accesses->item[i].least;
                left_out[i] = true;
            }
}

/* Leaves out those with the fewest conflicts until the list holds the rest. */
static size_t leave_out_best(const struct smc_bank_accesses *accesses, bool *left_out)
{
    size_t count = 0;
    for (size_t i = 0; i < accesses->count; i++)
        count += !left_out[i];
    for (size_t kept = count; kept > SMC_MOST_OPEN_ACCESSES; kept--) {
        size_t best = accesses->count;
        for (size_t i = accesses->count; i-- > 0;)
            if (!left_out[i] &&
                (best == accesses->count ||
                 conflicts_of(&accesses->item[i]) < conflicts_of(&accesses->item[best])))
                best = i;
        left_out[best] = true;
    }
    return count;
}

static void list_accesses(struct smc_bank_accesses *found, const char *file,
                          struct smc_open_accesses *out)
{
    smc_auto_free bool *left_out = smc_calloc(found->count + 1, sizeof *left_out);
    out->warps = found->warps;
    if (!left_out)
        return;
    join_copies(found, left_out);
    out->all = leave_out_best(found, left_out);
    for (size_t i = 0; i < found->count; i++)
        if (!left_out[i])
            copy_access(&found->item[i], file, &out->item[out->count++]);
}

static const char *reason_without(const struct smc_inspect_row *row)
{
    return !row->kernel->ptx  ? "machine code alone; bank conflicts are found in source and PTX"
           : row->needs_shape ? "its conflicts depend on the shape of the block: type it at "
                                "threads on F2, such as 32x8"
                              : "its PTX cannot be followed";
}

static void find_accesses_of(const struct smc_inspect_kernel *kernel,
                             const struct smc_open_question *question,
                             const struct smc_query *query, struct smc_open_accesses *out)
{
    struct smc_inspect_request request;
    struct smc_inspect_target target;
    struct smc_inspect_row row;
    struct smc_error error = {""};
    struct smc_inspect_rows rows = {.item = &row, .count = 1};
    make_request(question, query, &target, &request);
    request.threads_per_block = query->threads_per_block;
    memcpy(request.block, query->block, sizeof request.block);
    smc_inspect_answer_one(kernel, &query->device, &request, &row);
    smc_inspect_find_banks(&rows, NULL, &error);
    if (row.banks)
        list_accesses(&row.banks->accesses, question->file, out);
    else
        snprintf(out->why, sizeof out->why, "%s", reason_without(&row));
    smc_inspect_banks_release(row.banks);
}

void smc_open_find_accesses(const struct smc_open_question *question, const struct smc_query *query,
                            struct smc_open_accesses *accesses)
{
    struct smc_error error = {""};
    struct smc_inspect_request request;
    struct smc_inspect_target target;
    *accesses =
        (struct smc_open_accesses){.known = true, .threads_per_block = query->threads_per_block};
    memcpy(accesses->block, query->block, sizeof accesses->block);
    snprintf(accesses->kernel, sizeof accesses->kernel, "%s", question->kernel);
    make_request(question, query, &target, &request);
    if (strcmp(reading.file, question->file) != 0) /* by another process */
        read_file(question, &request, &error);
    const struct smc_inspect_kernel *first =
        smc_user_kernels_find(&reading.kernels, 0, question->kernel, strlen(question->kernel));
    if (first)
        find_accesses_of(
            smc_user_kernels_best_version(&reading.kernels, first, query->device.sm.cc), question,
            query, accesses);
    else
        snprintf(accesses->why, sizeof accesses->why, "%s",
                 reading.kernels.count > 0 ? "the file no longer has this kernel"
                                           : "the file cannot be read as it is now");
}
