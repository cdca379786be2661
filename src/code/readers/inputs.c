/* From the names on the command line to the list of files to read. Whether a file in a folder is
   read depends on its content, for text also on its suffix. If a folder has the compiled code of a
   source, the source is left out; a kernel that several files of a folder hold is listed once. */
#include "config.h"

#include "code/inputs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"
#include "code/machine_code.h"
#include "code/readers/compile_commands.h"
#include "code/readers/doubles.h"
#include "code/user_kernels.h"

enum { LONGEST_PATH = 4096 };

/* The arguments that the functions share. */
struct input_search {
    const struct smc_inspect_request *request;
    struct smc_inputs *inputs;
    struct smc_inspect_notes *notes;
    const char *folder;              /* being walked, as named */
    struct smc_double_places walked; /* folders that were entered, for loops of symbolic links */
    struct smc_double_places listed; /* of the inputs that are files: their indices */
    struct smc_words commands;       /* compile_commands.json in the folder: paths */
    size_t skipped;                  /* files without kernels */
    enum smc_status worst;
};

/* --- The list --------------------------------------------------------------------------------- */

static void note_status(struct input_search *search, enum smc_status status)
{
    bool is_worse = status > search->worst || status == SMC_USAGE;
    if (is_worse && !(status == SMC_UNAVAILABLE && search->worst == SMC_USAGE) &&
        search->worst < SMC_MACHINE)
        search->worst = status;
}

static void inputs_report(struct input_search *search, enum smc_status status,
                          const struct smc_error *error)
{
    note_status(search, status);
    smc_text_safe_line(&search->notes->faults, "%s", error->message);
}

/* --- What a file of a folder holds ------------------------------------------------------------ */

static bool ends_in_one_of(const char *file, const char *const *suffix)
{
    while (*suffix && !smc_ends(file, *suffix))
        suffix++;
    return *suffix != NULL;
}

/* The head of the containers in which nvcc stores machine code, up to its own size. */
static bool has_container(const char *bytes, size_t length)
{
    static const unsigned char head[] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0};
    return memmem(bytes, length, head, sizeof head) != NULL;
}

static enum smc_input_content content_of_binary(const char *path)
{
    struct stat status;
    enum smc_input_content content = SMC_CONTENT_NONE;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return SMC_CONTENT_UNKNOWN; /* its reader reports why it cannot be read */
    if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
        size_t length = (size_t)status.st_size;
        char *bytes = mmap(NULL, length, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (bytes != MAP_FAILED) {
            if (memchr(bytes, '\0', length < 4096 ? length : 4096) &&
                (smc_cubin_is(bytes, length) || has_container(bytes, length)))
                content = SMC_CONTENT_CODE;
            munmap(bytes, length);
        }
    }
    close(descriptor);
    return content;
}

static enum smc_input_content content_of_log(const char *path)
{
    smc_auto_text text = {0};
    struct smc_error ignored;
    enum smc_input_content content = SMC_CONTENT_UNKNOWN; /* as above */
    if (smc_input_read(path, &text, &ignored) == SMC_OK)
        content =
            smc_input_kind("log", &text) == SMC_INPUT_LOG ? SMC_CONTENT_LOG : SMC_CONTENT_NONE;
    return content;
}

static enum smc_input_content content_of(const char *path)
{
    static const char *const logs[] = {".log",       ".txt",    ".out",    ".err", ".ptxas",
                                       ".res-usage", ".stdout", ".stderr", NULL};
    static const char *const code[] = {".cubin", ".fatbin", NULL};
    static const char *const none[] = {
        ".c",   ".cc",  ".cpp",   ".cxx", ".h",    ".hpp",  ".inl", ".py",  ".json", ".d",   ".md",
        ".yml", ".xml", ".cmake", ".sh",  ".html", ".toml", ".png", ".svg", ".gz",   ".zip", NULL};
    if (smc_ends(path, ".cu"))
        return SMC_CONTENT_SOURCE;
    if (smc_ends(path, ".cuh"))
        return SMC_CONTENT_HEADER;
    if (smc_ends(path, ".ptx"))
        return SMC_CONTENT_PTX;
    if (ends_in_one_of(path, code)) /* damaged or empty ones are reported */
        return SMC_CONTENT_CODE;
    if (ends_in_one_of(path, none))
        return SMC_CONTENT_NONE;
    enum smc_input_content content = content_of_binary(path);
    return content == SMC_CONTENT_NONE && ends_in_one_of(path, logs) ? content_of_log(path)
                                                                     : content;
}

/* --- What was found --------------------------------------------------------------------------- */

static void fail_memory(struct input_search *search)
{
    search->worst = SMC_MACHINE;
}

static bool was_walked(struct input_search *search, const struct stat *status)
{
    if (smc_double_places_find(&search->walked, status->st_dev, status->st_ino, NULL))
        return true;
    if (!smc_double_places_add(&search->walked, status->st_dev, status->st_ino, 0))
        fail_memory(search);
    return false;
}

/* Adds an input for a file. NULL: the file has one already, or out of memory. */
static struct smc_input *inputs_list(struct input_search *search, const char *path,
                                     const struct stat *status)
{
    if (smc_double_places_find(&search->listed, status->st_dev, status->st_ino, NULL))
        return NULL;
    struct smc_input *input = smc_inputs_add(search->inputs, path);
    if (!input || !smc_double_places_add(&search->listed, status->st_dev, status->st_ino,
                                         (size_t)(input - search->inputs->item))) {
        fail_memory(search);
        return NULL;
    }
    return input;
}

static void inputs_add_found(struct input_search *search, const char *path,
                             const struct stat *status)
{
    if (smc_ends(path, "/compile_commands.json")) {
        if (!smc_words_add(&search->commands, path, strlen(path)))
            fail_memory(search);
        return;
    }
    enum smc_input_content content = content_of(path);
    if (content == SMC_CONTENT_NONE) {
        search->skipped++;
        return;
    }
    struct smc_input *input = inputs_list(search, path, status);
    if (!input)
        return;
    input->content = content;
    input->folder = search->folder;
}

/* --- Options of the sources in a folder ------------------------------------------------------- */

static void give_options(struct smc_input *from, const struct input_search *search, size_t begin)
{
    struct stat status;
    size_t i;
    if (from->argument_count + from->target_count == 0 || stat(from->file, &status) != 0 ||
        !smc_double_places_find(&search->listed, status.st_dev, status.st_ino, &i) || i < begin)
        return;
    struct smc_input *to = &search->inputs->item[i];
    if (to->content != SMC_CONTENT_SOURCE || to->argument || to->target)
        return;
    to->argument = from->argument;
    to->argument_count = from->argument_count;
    to->target = from->target;
    to->target_count = from->target_count;
    from->argument = NULL;
    from->target = NULL;
    from->argument_count = from->target_count = 0;
}

/* A compile_commands.json in the folder has the options for its sources. */
static void inputs_read_options(struct input_search *search, size_t begin)
{
    for (size_t i = 0; i < search->commands.count; i++) {
        const char *file = search->commands.word[i];
        smc_auto_text text = {0};
        SMC_AUTO(smc_inputs_free) struct smc_inputs listed = {0};
        struct smc_error error;
        size_t others;
        enum smc_status status = smc_input_read(file, &text, &error);
        if (status == SMC_OK && smc_compile_commands_is(&text))
            status = smc_compile_commands_read(file, &text, &listed, &others,
                                               &search->notes->faults, &error);
        if (status != SMC_OK)
            inputs_report(search, status, &error);
        for (size_t k = 0; k < listed.count; k++)
            give_options(&listed.item[k], search, begin);
    }
    smc_words_free(&search->commands);
}

/* --- Folders ---------------------------------------------------------------------------------- */

/* The names in a folder, sorted; hidden ones are left out. An errno value, or 0. */
static int list_folder(const char *path, struct smc_words *names)
{
    DIR *folder = opendir(path);
    if (!folder)
        return errno;
    int failed = 0;
    errno = 0;
    for (const struct dirent *item; !failed && (item = readdir(folder)); errno = 0)
        if (item->d_name[0] != '.' && !smc_words_add(names, item->d_name, strlen(item->d_name)))
            failed = ENOMEM;
    if (!failed)
        failed = errno;
    closedir(folder);
    if (names->count > 0)
        qsort(names->word, names->count, sizeof *names->word, smc_compare_strings);
    return failed;
}

static void report_reason(struct input_search *search, const char *path, int reason)
{
    struct smc_error error;
    enum smc_status status = smc_memory_status(reason, SMC_USAGE);
    smc_fail(&error, status, "%s: %s", path, strerror(reason));
    inputs_report(search, status, &error);
}

/* `path` has room for LONGEST_PATH characters and is a folder. */
static void inputs_walk(struct input_search *search, char *path, size_t length)
{
    SMC_AUTO(smc_words_free) struct smc_words names = {0};
    struct stat status;
    int failed = list_folder(path, &names);
    if (failed)
        report_reason(search, path, failed);
    for (size_t i = 0; i < names.count && search->worst < SMC_MACHINE; i++) {
        int added = snprintf(path + length, LONGEST_PATH - length, "%s%s",
                             path[length - 1] == '/' ? "" : "/", names.word[i]);
        if ((size_t)added >= LONGEST_PATH - length) {
            path[length] = '\0';
            report_reason(search, path, ENAMETOOLONG);
        } else if (stat(path, &status) != 0) {
            if (errno != ENOENT && errno != ELOOP) /* a link to nothing holds no kernels */
                report_reason(search, path, errno);
        } else if (S_ISREG(status.st_mode)) {
            inputs_add_found(search, path, &status);
        } else if (S_ISDIR(status.st_mode) && !was_walked(search, &status)) {
            inputs_walk(search, path, length + (size_t)added);
        }
    }
    path[length] = '\0';
}

static void read_folder(struct input_search *search, const char *folder, const struct stat *status)
{
    char path[LONGEST_PATH + 1];
    size_t begin = search->inputs->count;
    int length = snprintf(path, sizeof path, "%s", folder);
    if (length >= LONGEST_PATH) {
        report_reason(search, folder, ENAMETOOLONG);
        return;
    }
    search->folder = folder;
    if (was_walked(search, status))
        return;
    inputs_walk(search, path, (size_t)length);
    inputs_read_options(search, begin);
    size_t left_out, read = search->inputs->count - begin;
    if (!smc_inputs_leave_out(search->inputs, begin, &left_out))
        fail_memory(search);
    if (read == 0 && search->worst < SMC_MACHINE) {
        struct smc_error error;
        smc_fail(&error, SMC_USAGE, "%s: no file with kernels in this folder (%zu file%s)", folder,
                 search->skipped, smc_text_plural(search->skipped));
        inputs_report(search, SMC_USAGE, &error);
    } else if (left_out > 0) {
        smc_text_safe_line(&search->notes->remarks,
                           "%s: %zu source%s left out, because compiled code or a file that "
                           "includes it is there; name a file to have it compiled",
                           folder, left_out, smc_text_plural(left_out));
    }
}

/* --- What the user names ---------------------------------------------------------------------- */

/* A file in the same folder with a similar name. */
static void report_missing(struct input_search *search, const char *file, int reason)
{
    SMC_AUTO(smc_words_free) struct smc_words names = {0};
    const char *slash = strrchr(file, '/');
    char folder[LONGEST_PATH];
    struct smc_error error;
    struct smc_suggestion suggestion = {.typed = slash ? slash + 1 : file};
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - file + 1) : 1,
             slash ? file : ".");
    if (reason == ENOENT && strlen(file) < LONGEST_PATH && list_folder(folder, &names) == 0)
        for (size_t i = 0; i < names.count; i++)
            if (strcmp(names.word[i], suggestion.typed) != 0) /* a link to nothing */
                smc_suggest_consider(&suggestion, names.word[i]);
    if (suggestion.best)
        smc_fail(&error, SMC_USAGE, "%s: %s; did you mean '%.*s%s'?", file, strerror(reason),
                 slash ? (int)(slash - file + 1) : 0, file, suggestion.best);
    else
        smc_fail(&error, SMC_USAGE, "%s: %s", *file ? file : "''", strerror(reason));
    inputs_report(search, SMC_USAGE, &error);
}

static void read_commands(struct input_search *search, const char *file)
{
    smc_auto_text text = {0};
    struct smc_error error;
    size_t others = 0, before = search->inputs->count;
    enum smc_status status = smc_input_read(file, &text, &error);
    if (status == SMC_OK && smc_compile_commands_is(&text))
        status = smc_compile_commands_read(file, &text, search->inputs, &others,
                                           &search->notes->faults, &error);
    else if (status == SMC_OK && !smc_inputs_add(search->inputs, file))
        status = smc_out_of_memory(&error); /* another kind of JSON: its reader decides */
    if (status == SMC_OK && search->inputs->count == before && search->notes->faults.length == 0)
        status = smc_fail(&error, SMC_USAGE, "%s: none of its %zu entr%s compiles CUDA", file,
                          others, others == 1 ? "y" : "ies");
    if (status != SMC_OK)
        inputs_report(search, status, &error);
}

static void inputs_add_member(struct input_search *search, const char *archive, const char *path)
{
    struct stat status;
    struct smc_error error;
    const bool exists = stat(path, &status) == 0;
    if (!exists || !S_ISREG(status.st_mode)) {
        smc_fail(&error, SMC_USAGE, "%.400s: its member %.400s: %s", archive, path,
                 exists ? "not a file" : strerror(errno));
        inputs_report(search, SMC_USAGE, &error);
        return;
    }
    if (content_of_binary(path) == SMC_CONTENT_NONE) {
        search->skipped++;
        return;
    }
    struct smc_input *input = inputs_list(search, path, &status);
    if (input)
        input->may_be_empty = true;
}

/* The members of a thin archive are files; their paths are relative to its folder. */
static void read_thin_archive(struct input_search *search, const char *archive)
{
    smc_auto_text bytes = {0}, path = {0}, name = {0};
    struct smc_error error;
    const char *slash = strrchr(archive, '/');
    size_t at = 0;
    enum smc_status status = smc_input_read(archive, &bytes, &error);
    if (status != SMC_OK)
        inputs_report(search, status, &error);
    while (status == SMC_OK && search->worst < SMC_MACHINE &&
           smc_fatbin_thin_member(bytes.data, bytes.length, &at, &name)) {
        const char *member = smc_text_string(&name);
        path.length = 0;
        smc_text_printf(&path, "%.*s%s", slash && *member != '/' ? (int)(slash + 1 - archive) : 0,
                        archive, member);
        if (path.failed || name.failed)
            fail_memory(search);
        else
            inputs_add_member(search, archive, smc_text_string(&path));
        name.length = 0;
    }
}

static bool is_thin_archive(const char *file)
{
    char begin[8];
    smc_auto_file FILE *stream = fopen(file, "rb");
    size_t length = stream ? fread(begin, 1, sizeof begin, stream) : 0;
    return smc_fatbin_is_thin_archive(begin, length);
}

static void read_named(struct input_search *search, const char *file)
{
    struct stat status = {0};
    const bool is_stdin = smc_file_is_standard_input(file);
    if (!is_stdin && stat(file, &status) != 0) {
        report_missing(search, file, errno);
        return;
    }
    if (!is_stdin && S_ISDIR(status.st_mode)) {
        read_folder(search, file, &status);
        return;
    }
    if (!is_stdin && smc_ends(file, ".json")) {
        read_commands(search, file);
        return;
    }
    for (size_t i = 0; i < search->inputs->count && is_stdin; i++)
        if (smc_file_is_standard_input(search->inputs->item[i].file))
            return;
    if (S_ISREG(status.st_mode) && is_thin_archive(file))
        read_thin_archive(search, file);
    else if (S_ISREG(status.st_mode))
        inputs_list(search, file, &status);
    else if (!smc_inputs_add(search->inputs, file))
        fail_memory(search);
}

/* --- Entries of one source -------------------------------------------------------------------- */

/* Another input of the same source; NULL after the last. */
static const struct smc_input *next_of_source(const struct smc_inputs *inputs,
                                              const struct smc_input *input,
                                              const struct smc_input *after)
{
    for (const struct smc_input *other = after ? after + 1 : inputs->item;
         other < inputs->item + inputs->count; other++)
        if (other != input && other->number > 0 && strcmp(other->file, input->file) == 0)
            return other;
    return NULL;
}

/* Targets that compile the same source are distinguished by their outputs, else by numbers. */
static bool label_entries(struct smc_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) {
        struct smc_input *input = &inputs->item[i];
        const struct smc_input *other = NULL;
        bool is_shared = false, is_distinct = input->output != NULL;
        while (input->number > 0 && (other = next_of_source(inputs, input, other))) {
            is_shared = true;
            is_distinct =
                is_distinct && (!other->output || strcmp(other->output, input->output) != 0);
        }
        struct smc_text label = {0};
        if (!is_shared)
            continue;
        smc_text_printf(&label, "%s (", input->file);
        if (is_distinct)
            smc_text_printf(&label, "%s)", input->output);
        else
            smc_text_printf(&label, "entry %zu)", input->number);
        input->label = label.data; /* malloc's */
        if (label.failed || !label.data)
            return false;
    }
    return true;
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* Adds to a kernel what another file has of it: a log has spills, machine code launch bounds. */
static void inputs_complete(struct smc_inspect_kernel *kernel,
                            const struct smc_inspect_kernel *other)
{
    if (!kernel->has_spills && other->has_spills) {
        kernel->has_spills = true;
        kernel->resources.spill_store_bytes = other->resources.spill_store_bytes;
        kernel->resources.spill_load_bytes = other->resources.spill_load_bytes;
    }
    if (kernel->resources.most_set_regs == 0) {
        kernel->resources.fewest_set_regs = other->resources.fewest_set_regs;
        kernel->resources.most_set_regs = other->resources.most_set_regs;
    }
    if (kernel->max_threads_per_block == 0)
        kernel->max_threads_per_block = other->max_threads_per_block;
    if (kernel->required_threads_per_block == 0)
        kernel->required_threads_per_block = other->required_threads_per_block;
    if (kernel->block[0] == 0)
        memcpy(kernel->block, other->block, sizeof kernel->block);
    if (kernel->blocks_per_cluster == 0)
        kernel->blocks_per_cluster = other->blocks_per_cluster;
}

static bool inputs_is_same(const struct smc_inspect_kernel *a, const struct smc_inspect_kernel *b)
{
    const struct smc_resources *r = &a->resources, *s = &b->resources;
    return a->cc == b->cc && a->suffix == b->suffix && r->regs_per_thread == s->regs_per_thread &&
           r->static_smem_bytes == s->static_smem_bytes && r->refused == s->refused &&
           (!a->has_stack || !b->has_stack || r->stack_bytes == s->stack_bytes) &&
           (!a->has_barriers || !b->has_barriers || r->barriers == s->barriers) &&
           (!a->has_spills || !b->has_spills ||
            (r->spill_store_bytes == s->spill_store_bytes &&
             r->spill_load_bytes == s->spill_load_bytes)) &&
           (a->max_threads_per_block == 0 || b->max_threads_per_block == 0 ||
            a->max_threads_per_block == b->max_threads_per_block);
}

/* The kernel with the same results from another file of the same folder, or NULL. */
static struct smc_inspect_kernel *find_double(struct smc_inspect_kernels *kernels, size_t begin,
                                              const struct smc_inspect_kernel *kernel)
{
    struct smc_inspect_kernel *other = NULL;
    do {
        begin = other ? (size_t)(other - kernels->item) + 1 : begin;
        other = smc_user_kernels_find(kernels, begin, kernel->name, strlen(kernel->name));
    } while (other && (other->file == kernel->file || !inputs_is_same(kernel, other)));
    return kernel->cc != 0 ? other : NULL;
}

/* Moves the kernels of one file to the list. `doubles` counts those that it has already. */
static bool move_kernels(struct smc_inspect_kernels *fresh, size_t begin,
                         struct smc_inspect_kernels *kernels, size_t *doubles)
{
    bool succeeded = true;
    for (size_t i = 0; i < fresh->count; i++) {
        struct smc_inspect_kernel *kernel = &fresh->item[i];
        struct smc_inspect_kernel *known = find_double(kernels, begin, kernel);
        if (known)
            inputs_complete(known, kernel);
        *doubles += known != NULL;
        if (known || !succeeded)
            smc_user_kernel_free(kernel);
        else
            succeeded = smc_user_kernels_take(kernels, kernel);
    }
    fresh->count = 0;
    smc_user_kernels_free(fresh);
    return succeeded;
}

static void read_one_input(struct input_search *search, const struct smc_input *input,
                           struct smc_inspect_kernels *kernels)
{
    struct smc_inspect_request request = *search->request;
    struct smc_error error = {""};
    request.compiler_arguments = (const char *const *)input->argument;
    request.compiler_argument_count = input->argument_count;
    request.label = input->label;
    if (request.targets_assumed && input->target_count > 0) {
        request.targets = input->target;
        request.target_count = input->target_count;
        request.targets_assumed = false;
    }
    enum smc_status status =
        smc_read_kernels(input->file, &request, kernels, search->notes, &error);
    if (status == SMC_OK)
        return;
    if (status == SMC_USAGE && (input->folder || input->may_be_empty) && search->notes->holds_none)
        search->skipped++;
    else
        inputs_report(search, status, &error);
}

/* Reads the inputs from `begin` on that are of one folder, or the one at `begin`. Returns the
   next. */
static size_t read_input_group(struct input_search *search, size_t begin,
                               struct smc_inspect_kernels *kernels)
{
    const struct smc_inspect_request *request = search->request;
    const struct smc_inputs *inputs = search->inputs;
    const char *folder = inputs->item[begin].folder;
    const size_t kernels_begin = kernels->count;
    size_t i = begin, doubles = 0;
    do {
        struct smc_inspect_kernels fresh = {0};
        if (inputs->item[i].content == SMC_CONTENT_NONE)
            continue;
        if (request->progress && inputs->count > 1 &&
            !request->progress(request->progress_context, i, inputs->count)) {
            search->worst = SMC_INTERRUPTED;
            break;
        }
        read_one_input(search, &inputs->item[i], folder ? &fresh : kernels);
        if (folder && !move_kernels(&fresh, kernels_begin, kernels, &doubles))
            fail_memory(search);
    } while (++i < inputs->count && folder && inputs->item[i].folder == folder &&
             search->worst < SMC_MACHINE);
    if (doubles > 0)
        smc_text_safe_line(&search->notes->remarks,
                           "%s: %zu kernel%s that several files hold with the same results %s "
                           "listed once",
                           folder, doubles, smc_text_plural(doubles), doubles == 1 ? "is" : "are");
    return i > begin ? i : begin + 1;
}

static void report_none(struct input_search *search, const char *first, size_t count)
{
    struct smc_error error;
    smc_fail(&error, SMC_USAGE, "%s%s: no kernel in any of the %zu file%s read", first,
             count > 1 ? " and others" : "", search->skipped, smc_text_plural(search->skipped));
    inputs_report(search, SMC_USAGE, &error);
}

enum smc_status smc_inputs_read(char *const *file, size_t count,
                                const struct smc_inspect_request *request,
                                struct smc_inputs *inputs, struct smc_inspect_kernels *kernels,
                                struct smc_inspect_notes *notes)
{
    struct input_search search = {.request = request, .inputs = inputs, .notes = notes};
    size_t skipped = 0;
    for (size_t i = 0; i < count && search.worst < SMC_MACHINE; i++) {
        search.skipped = 0;
        read_named(&search, file[i]);
        skipped += search.skipped;
    }
    search.skipped = skipped;
    if (!label_entries(inputs))
        fail_memory(&search);
    for (size_t i = 0; i < inputs->count && search.worst < SMC_MACHINE;)
        i = read_input_group(&search, i, kernels);
    if (search.skipped > 0 && kernels->count > 0)
        smc_text_safe_line(&notes->remarks, "%zu file%s without kernels skipped", search.skipped,
                           smc_text_plural(search.skipped));
    else if (search.skipped > 0 && search.worst == SMC_OK && notes->faults.length == 0)
        report_none(&search, file[0], count);
    if (notes->faults.length > 0)
        note_status(&search, search.worst == SMC_OK ? SMC_USAGE : search.worst);
    if (notes->unsupported_count > 0)
        note_status(&search, SMC_UNAVAILABLE);
    smc_double_places_free(&search.walked);
    smc_double_places_free(&search.listed);
    return search.worst;
}
