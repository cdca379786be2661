/* From a file and --entry to questions about the user's own kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/sandbox.h"
#include "code/tools.h"
#include "show/cli/ask_inspect.h"
#include "show/cli/output.h"
#include "show/cli/progress.h"

/* --- Which options go together ---------------------------------------------------------------- */

/* Of the catalog, or another kernel. */
static bool is_about_others(int option)
{
    return smc_options[option].group == SMC_GROUP_KERNEL || option == SMC_OPTION_KERNEL_DIR ||
           option == SMC_OPTION_NO_NVRTC || option == SMC_OPTION_SOURCE ||
           option == SMC_OPTION_EXPR || option == SMC_OPTION_STRIDE || option == SMC_OPTION_CSV;
}

enum smc_status smc_ask_whether_file(const struct smc_arguments *arguments, bool *asks_file,
                                     struct smc_error *error)
{
    *asks_file = arguments->file_count > 0;
    if (!*asks_file)
        return smc_refuse_given(arguments,
                                SMC_OPTIONS(SMC_OPTION_ENTRY, SMC_OPTION_COMPILER_OPTIONS,
                                            SMC_OPTION_TOP, SMC_OPTION_INSTANCES),
                                error, "only with a FILE of your own kernels");
    for (int i = 0; i < SMC_OPTION_COUNT; i++)
        if (arguments->given[i] && is_about_others(i))
            return smc_fail(error, SMC_USAGE, "option --%s: not with FILE '%.64s'%s",
                            smc_options[i].name, arguments->file[0],
                            i == SMC_OPTION_KERNEL ? ": --entry NAME chooses its kernel" : "");
    return SMC_OK;
}

/* --- The devices ------------------------------------------------------------------------------ */

/* The queries of the first entry, one for each device; the others are copies. */
static enum smc_status file_ask_devices(const struct smc_arguments *arguments,
                                        const struct smc_file_devices *devices,
                                        struct smc_asked_file *asked, struct smc_error *error)
{
    bool notes = !smc_ask_writer(arguments)->has_notes;
    struct smc_chosen_devices *chosen = &asked->chosen;
    if (!devices)
        SMC_TRY(smc_ask_devices(arguments, SMC_MAX_DEVICES, chosen, error));
    size_t named = devices ? devices->count : chosen->count;
    asked->device_count = named ? named : 1;
    asked->query = smc_calloc(asked->device_count, sizeof *asked->query);
    if (!asked->query)
        return smc_out_of_memory(error);
    for (size_t i = 0; i < asked->device_count; i++) {
        struct smc_query *query = &asked->query[i];
        smc_query_init(query);
        smc_ask_launch(arguments, query);
        query->threads_per_block = arguments->number[SMC_OPTION_THREADS];
        if (devices && named)
            query->device = devices->device[i];
        else
            SMC_TRY(smc_ask_query_device(chosen, i, query, error));
        if (notes)
            smc_output_note(query->device_note);
    }
    return SMC_OK;
}

/* --- Devices that no compiler supports -------------------------------------------------------- */

static void ask_file_drop_unsupported(const struct smc_inspect_notes *notes,
                                      struct smc_asked_file *asked)
{
    size_t kept = 0;
    for (size_t i = 0; i < asked->device_count; i++)
        if (!smc_ask_is_unsupported(notes, &asked->kernels, &asked->query[i].device))
            asked->query[kept++] = asked->query[i];
    asked->incomplete = kept < asked->device_count;
    asked->device_count = kept;
}

/* --- The sandbox ------------------------------------------------------------------------------ */

/* Machine code alone needs no compiler; what a program or a library holds may be PTX. */
static bool may_need_compiler(const char *path)
{
    enum { MACHINE = 18, CUDA = 190 }; /* in an ELF header */
    char start[64] = "", tool[SMC_TOOL_PATH];
    if (!smc_tool_find("nvcc", tool) && !smc_tool_find("ptxas", tool))
        return false;
    smc_auto_file FILE *file = smc_file_is_regular(path) ? fopen(path, "rbe") : NULL;
    size_t count = file ? fread(start, 1, sizeof start, file) : 0;
    bool is_cubin = count == sizeof start && memcmp(start, "\177ELF", 4) == 0 &&
                    (unsigned char)start[MACHINE] == CUDA && start[MACHINE + 1] == 0;
    return !is_cubin;
}

void smc_ask_sandbox(const struct smc_arguments *arguments)
{
    bool needed = false;
    for (size_t i = 0; i < arguments->file_count; i++)
        needed |= may_need_compiler(arguments->file[i]);
    smc_sandbox_enter(needed ? SMC_SANDBOX_COMPILERS : SMC_SANDBOX_READING);
}

/* --- The file --------------------------------------------------------------------------------- */

/* For many devices, such as all of a sweep, those that no compiler supports get estimates. */
static enum smc_status ask_read_file(const struct smc_arguments *arguments, bool for_many,
                                     struct smc_asked_file *asked, struct smc_error *error)
{
    const bool wants_ptx = arguments->command == SMC_COMMAND_BANKS;
    const char *options = arguments->text[SMC_OPTION_COMPILER_OPTIONS];
    smc_auto_text with_lines = {0}; /* changes neither the code nor its registers */
    SMC_AUTO(smc_inspect_notes_free) struct smc_inspect_notes notes = {0};
    smc_auto_free struct smc_inspect_target *targets =
        smc_calloc(asked->device_count, sizeof *targets);
    smc_text_printf(&with_lines, "-lineinfo %s", options ? options : "");
    if (!targets || with_lines.failed)
        return smc_out_of_memory(error);
    struct smc_progress progress = {0};
    struct smc_inspect_request request = {
        .part_progress = smc_progress_of_parts,
        .part_context = &progress,
        .targets = targets,
        .compiler_options = wants_ptx ? smc_text_string(&with_lines) : options,
        .no_cache = arguments->given[SMC_OPTION_NO_CACHE],
        .skip_unsupported = for_many,
        .threads_per_block = SMC_NOT_GIVEN,
        .settings = SMC_LAUNCH_INIT,
        .ptx = wants_ptx ? &asked->ptx : NULL,
    };
    smc_ask_sandbox(arguments);
    for (size_t i = 0; i < asked->device_count; i++)
        smc_ask_add_target(i < arguments->device.count ? arguments->device.item[i] : "",
                           asked->query[i].device.sm.cc, targets, &request.target_count);
    enum smc_status status =
        smc_read_kernels(arguments->file[0], &request, &asked->kernels, &notes, error);
    if (status == SMC_OK)
        *error = (struct smc_error){""}; /* of a target that was skipped */
    if (asked->kernels.count == 0 || asked->kernels.left_out > 0) {
        smc_output_tell("warning: ", smc_text_string(&notes.warnings)); /* there may be no report */
        smc_text_free(&notes.warnings);
    }
    smc_output_warn(&notes.warnings);
    smc_ask_tell_unlinked(&asked->kernels);
    if (status == SMC_OK)
        ask_file_drop_unsupported(&notes, asked);
    asked->damaged = notes.faults.length > 0;
    smc_output_tell("", smc_text_string(&notes.faults));
    return status;
}

/* --- Dynamic shared memory -------------------------------------------------------------------- */

/* "reduce", or "3 kernels" of several. */
static void append_who(const struct smc_inspect_kernel *first, size_t count, struct smc_text *note)
{
    if (count == 1)
        smc_name_append_bare(first, true, note);
    else
        smc_text_printf(note, "%zu kernels", count);
}

/* Whether --dynamic-smem does not apply to this kernel because it is known to use none, as for
   `inspect`. A sweep applies it to every kernel. */
static bool ignores_dynamic_smem(const struct smc_arguments *arguments,
                                 const struct smc_inspect_kernel *kernel)
{
    return arguments->command != SMC_COMMAND_SWEEP && kernel->dynamic_smem_known &&
           !kernel->uses_dynamic_smem;
}

/* Bank conflicts do not depend on how much there is. */
static void ask_file_note_dynamic_smem(const struct smc_arguments *arguments,
                                       const struct smc_asked_file *asked)
{
    const bool given =
        arguments->given[SMC_OPTION_DYNAMIC_SMEM] || arguments->given[SMC_OPTION_SMEM_PER_THREAD];
    const struct smc_inspect_kernel *first = NULL;
    smc_auto_text note = {0};
    size_t count = 0;
    if (arguments->command == SMC_COMMAND_BANKS)
        return;
    for (size_t e = 0; e < asked->entries.count; e++) {
        const struct smc_inspect_kernel *entry = asked->entries.item[e];
        if (given ? ignores_dynamic_smem(arguments, entry) : entry->uses_dynamic_smem)
            first = count++ == 0 ? entry : first;
    }
    if (count == 0)
        return;
    append_who(first, count, &note);
    smc_text_printf(&note,
                    given ? " use%s no dynamic shared memory, so none is counted there"
                          : " use%s dynamic shared memory, which the launch gives: state it "
                            "with --dynamic-smem BYTES; counted as 0 here",
                    count == 1 ? "s" : "");
    if (!note.failed)
        smc_output_note(smc_text_string(&note));
}

/* --- The questions ---------------------------------------------------------------------------- */

/* What the code itself asks for. */
static void set_compiled_in(const struct smc_arguments *arguments, struct smc_query *query)
{
    uint32_t blocks = query->file_kernel->blocks_per_cluster;
    if (blocks > 1 && !arguments->given[SMC_OPTION_CLUSTER])
        query->settings.blocks_per_cluster = blocks;
    if (!arguments->given[SMC_OPTION_TMEM_COLUMNS])
        query->settings.tmem_columns_per_block = query->file_kernel->tmem_columns;
}

static enum smc_status make_queries(const struct smc_arguments *arguments,
                                    struct smc_asked_file *asked, struct smc_error *error)
{
    const size_t entries = asked->entries.count, devices = asked->device_count;
    struct smc_query *grown = smc_realloc(asked->query, entries * devices * sizeof *grown);
    asked->query = grown ? grown : asked->query;
    asked->file_kernel = smc_calloc(entries * devices, sizeof *asked->file_kernel);
    asked->short_name = smc_calloc(entries, sizeof *asked->short_name);
    asked->shown_file = smc_strdup(smc_file_name(arguments->file[0]));
    if (!grown || !asked->file_kernel || !asked->short_name || !asked->shown_file)
        return smc_out_of_memory(error);
    smc_utf8_make_safe(asked->shown_file);
    for (size_t e = 0; e < entries; e++) {
        const struct smc_inspect_kernel *entry = asked->entries.item[e];
        asked->short_name[e] = smc_entry_short_name(entry);
        if (!asked->short_name[e])
            return smc_out_of_memory(error);
        for (size_t d = 0; d < devices; d++) {
            struct smc_query *query = &asked->query[e * devices + d];
            struct smc_file_kernel *loaded = &asked->file_kernel[e * devices + d];
            *query = asked->query[d];
            smc_entry_on_device(&asked->kernels, entry, &query->device, loaded);
            loaded->short_name = asked->short_name[e];
            loaded->file = asked->shown_file;
            query->file_kernel = loaded;
        }
    }
    for (size_t i = 0; i < entries * devices; i++) { /* the first are copied above */
        set_compiled_in(arguments, &asked->query[i]);
        if (ignores_dynamic_smem(arguments, asked->entries.item[i / devices]))
            asked->query[i].dynamic_smem_bytes = asked->query[i].smem_per_thread_bytes =
                SMC_NOT_GIVEN;
    }
    return SMC_OK;
}

/* `inspect` reads folders; these commands are about one file. */
static enum smc_status refuse_folder(const char *file, struct smc_error *error)
{
    if (smc_file_is_standard_input(file) || !smc_file_is_folder(file))
        return SMC_OK;
    return smc_fail(error, SMC_USAGE,
                    "%s: a folder; name one of its files ('smemcalc %s' lists its kernels)", file,
                    file);
}

enum smc_status smc_ask_file(const struct smc_arguments *arguments,
                             const struct smc_file_devices *devices, bool one,
                             struct smc_asked_file *asked, struct smc_error *error)
{
    const char *file = arguments->file[0], *entry = arguments->text[SMC_OPTION_ENTRY];
    struct smc_idle_options idle = {0};
    SMC_TRY(file_ask_devices(arguments, devices, asked, error));
    SMC_TRY(smc_ask_standard_input(arguments, file, error));
    SMC_TRY(refuse_folder(file, error));
    SMC_TRY(ask_read_file(arguments, devices && devices->count > 1, asked, error));
    SMC_TRY(smc_entries_choose(&asked->kernels, file, entry, &asked->entries, error));
    if (one)
        SMC_TRY(smc_entries_need_one(&asked->entries, file, entry, error));
    smc_entry_assume_device(&asked->kernels, asked->entries.item[0], asked->query);
    for (size_t d = 0; d < asked->device_count; d++)
        smc_idle_consider(arguments, &asked->query[d].device, &idle);
    smc_idle_warn(&idle);
    ask_file_note_dynamic_smem(arguments, asked);
    smc_ask_ceilings(asked->query, asked->device_count);
    return make_queries(arguments, asked, error);
}

/* --- The block size --------------------------------------------------------------------------- */

static int64_t threads_of_bounds(const struct smc_file_kernel *kernel)
{
    if (kernel->required_threads_per_block)
        return kernel->required_threads_per_block;
    if (kernel->max_threads_per_block)
        return kernel->max_threads_per_block;
    return SMC_NOT_GIVEN;
}

/* If no block size launches: one warp, so that the answer explains why. */
static enum smc_status propose_threads(const struct smc_query *query, struct smc_best *best,
                                       int64_t *threads, struct smc_error *error)
{
    enum smc_status status = smc_best_find(query, SMC_NOT_GIVEN, best, NULL, error);
    const struct smc_candidate *proposal = status == SMC_OK ? smc_best_proposal(best) : NULL;
    *threads = proposal ? proposal->size : query->device.sm.warp_size;
    return status;
}

static void note_proposed(const struct smc_asked_file *asked, size_t entry, size_t count)
{
    smc_auto_text note = {0};
    const struct smc_query *query = &asked->query[entry * asked->device_count];
    if (count == 1)
        smc_text_printf(&note,
                        "%s has no launch bounds, and --threads is not given: %lld threads per "
                        "block, which 'best' proposes on %s",
                        asked->short_name[entry], (long long)query->threads_per_block,
                        query->device.name);
    else if (count > 1)
        smc_text_printf(&note,
                        "%zu kernels have no launch bounds, and --threads is not given: each has "
                        "the block size that 'best' proposes on %s",
                        count, query->device.name);
    if (!note.failed)
        smc_output_note(smc_text_string(&note));
}

enum smc_status smc_ask_file_threads(struct smc_asked_file *asked, struct smc_error *error)
{
    size_t proposed = 0, last = 0;
    const size_t devices = asked->device_count;
    smc_auto_free struct smc_best *best = smc_calloc(1, sizeof *best); /* too large for the stack */
    if (!best)
        return smc_out_of_memory(error);
    for (size_t e = 0; e < asked->entries.count; e++) {
        struct smc_query *query = &asked->query[e * devices];
        int64_t threads = query->threads_per_block;
        if (threads == SMC_NOT_GIVEN)
            threads = threads_of_bounds(query->file_kernel);
        if (threads == SMC_NOT_GIVEN) {
            SMC_TRY(propose_threads(query, best, &threads, error));
            proposed++;
            last = e;
        }
        for (size_t d = 0; d < devices; d++)
            query[d].threads_per_block = threads;
    }
    note_proposed(asked, last, proposed);
    return SMC_OK;
}

/* --- The answers ------------------------------------------------------------------------------ */

/* The most kernels in a text report. */
enum { MOST_KERNELS = 8 };

static enum smc_status ask_file_answer_all(const struct smc_arguments *arguments,
                                           const struct smc_asked_file *asked,
                                           smc_answers_report *report, struct smc_text *out,
                                           struct smc_error *error)
{
    struct smc_questions questions = {.query = asked->query,
                                      .count = asked->entries.count * asked->device_count};
    enum smc_status status = smc_answer_questions(&questions, error);
    if (status == SMC_OK)
        status = report(arguments, questions.answer, questions.count, out, error);
    free(questions.answer);
    return status;
}

static enum smc_status answer_each(const struct smc_arguments *arguments,
                                   const struct smc_asked_file *asked, smc_answers_report *report,
                                   struct smc_text *out, struct smc_error *error)
{
    const size_t count = asked->entries.count, devices = asked->device_count;
    const size_t shown = count < MOST_KERNELS ? count : MOST_KERNELS;
    enum smc_status status = SMC_OK;
    for (size_t e = 0; e < shown && status == SMC_OK; e++) {
        struct smc_questions questions = {.query = asked->query + e * devices, .count = devices};
        smc_text_append(out, e ? "\n" : "");
        status = smc_answer_questions(&questions, error);
        if (status == SMC_OK)
            status = report(arguments, questions.answer, devices, out, error);
        free(questions.answer);
    }
    if (shown < count && status == SMC_OK)
        smc_text_printf(out, "\nand %zu more kernel%s (--entry NAME shows one, --format csv all)\n",
                        count - shown, smc_text_plural(count - shown));
    return status;
}

enum smc_status smc_asked_file_end(struct smc_asked_file *asked, enum smc_status status)
{
    if (status == SMC_OK && asked->damaged)
        status = SMC_USAGE;
    if (status == SMC_OK && asked->incomplete)
        status = SMC_UNAVAILABLE;
    for (size_t e = 0; e < asked->entries.count && asked->short_name; e++)
        free(asked->short_name[e]);
    free(asked->short_name);
    free(asked->shown_file);
    free(asked->file_kernel);
    free(asked->query);
    smc_text_free(&asked->ptx);
    smc_entries_free(&asked->entries);
    smc_user_kernels_free(&asked->kernels);
    smc_chosen_devices_free(&asked->chosen);
    return status;
}

static enum smc_status ask_file_answer_file(const struct smc_arguments *arguments,
                                            smc_answers_report *report, struct smc_text *out,
                                            struct smc_error *error)
{
    const bool text = smc_ask_writer(arguments) == &smc_writer_text;
    struct smc_asked_file asked = {0};
    enum smc_status status = smc_ask_file(arguments, NULL, false, &asked, error);
    if (status == SMC_OK)
        status = smc_ask_file_threads(&asked, error);
    if (status == SMC_OK)
        status = text ? answer_each(arguments, &asked, report, out, error)
                      : ask_file_answer_all(arguments, &asked, report, out, error);
    return smc_asked_file_end(&asked, status);
}

enum smc_status smc_answer_launches(const struct smc_arguments *arguments,
                                    smc_answers_report *report, struct smc_text *out,
                                    struct smc_error *error)
{
    bool file;
    struct smc_query query;
    SMC_AUTO(smc_questions_free) struct smc_questions questions = {0};
    SMC_TRY(smc_ask_whether_file(arguments, &file, error));
    if (file)
        return ask_file_answer_file(arguments, report, out, error);
    SMC_TRY(smc_ask_query(arguments, &query, error));
    SMC_TRY(smc_ask_questions(arguments, &query, &questions, error));
    SMC_TRY(smc_answer_questions(&questions, error));
    return report(arguments, questions.answer, questions.count, out, error);
}
