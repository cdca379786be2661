/* Compiles source with NVRTC, which needs no toolkit. */
#include "config.h"

#include "code/compilers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/platform.h"
#include "code/nvrtc.h"
#include "code/ptxas_log.h"
#include "code/readers/compilation.h"
#include "code/readers/output_cache.h"
#include "code/source/device_part.h"
#include "code/source/standard_headers.h"
#include "code/tools.h"

/* --- NVRTC: no toolkit is needed, but it accepts no host code --------------------------------- */

bool smc_compilation_was_refused(const struct smc_text *log)
{
    struct smc_log_reader reader = {.cursor = smc_text_string(log)};
    struct smc_log_kernel kernel;
    while (smc_log_next(&reader, &kernel))
        if (kernel.resources.refused)
            return true;
    return false;
}

/* Where a header was looked for, and how to name its folder. */
static void append_places(const struct smc_compilation *compilation, bool is_quoted,
                          struct smc_text *text)
{
    smc_auto_text own = {0}, folders = {0};
    smc_compile_options(compilation->request, &own);
    smc_source_folders(smc_text_string(&own), &folders);
    smc_text_append(text, is_quoted ? "looked for beside the file that includes it" : "looked for");
    for (const char *folder = smc_text_string(&folders); *folder;) {
        int length = (int)strcspn(folder, "\n");
        bool is_first = folder == smc_text_string(&folders);
        smc_text_printf(text, "%s%.*s",
                        !is_first   ? ", "
                        : is_quoted ? ", in "
                                    : " in ",
                        length, folder);
        folder += length + (folder[length] == '\n');
    }
    smc_text_append(text, folders.length || is_quoted ? " and " : " ");
    smc_text_append(text,
                    "in the compiler's own folders; --compiler-options \"-IFOLDER\" names its "
                    "folder");
}

/* Whether the log quotes the directive with the header's name in quotation marks: "fatal error:
   x.h: No such file" is about it. */
static bool is_quoted(const struct smc_text *log, const char *text)
{
    static const char mark[] = "fatal error: ";
    char directive[300];
    const char *name = strstr(text, mark), *end = name ? strchr(name + sizeof mark - 1, ':') : NULL;
    if (!end)
        return true;
    name += sizeof mark - 1;
    snprintf(directive, sizeof directive, "<%.*s>", (int)(end - name), name);
    return !strstr(smc_text_string(log), directive);
}

/* The remedy for an error of the compiler, in parentheses. */
static void compilers_append_hint(const struct smc_compilation *compilation,
                                  const struct smc_text *log, const char *text,
                                  struct smc_text *hint)
{
    bool is_missing = strstr(text, ": No such file or directory") || strstr(text, "file not found");
    if (is_missing && strstr(text, "fatal error")) {
        smc_text_append(hint, " (");
        append_places(compilation, is_quoted(log, text), hint);
        smc_text_append(hint, ")");
    } else if (strstr(text, "Unresolved extern ")) {
        smc_text_append(hint, " (--compiler-options \"-rdc=true\" compiles relocatable device "
                              "code)");
    }
}

/* "ptxas PATH, line 44; error   : MESSAGE" of PTX that the user does not have: "error: MESSAGE". */
static void shorten_ptxas(char *text)
{
    static const char mark[] = "; error   : ";
    char *message = strncmp(text, "ptxas ", 6) == 0 ? strstr(text, mark) : NULL;
    static const char start[] = "error: ";
    if (!message)
        return;
    message += sizeof mark - 1;
    memmove(text + sizeof start - 1, message, strlen(message) + 1);
    memcpy(text, start, sizeof start - 1);
}

enum smc_status smc_compilation_fail(const struct smc_compilation *compilation,
                                     const char *compiled, const struct smc_text *log,
                                     struct smc_error *error)
{
    const char *shown = compilation->file;
    char text[800];
    smc_auto_text hint = {0};
    smc_log_first_error(smc_text_string(log), compiled, shown, text, sizeof text);
    shorten_ptxas(text);
    compilers_append_hint(compilation, log, text, &hint);
    bool named = strncmp(text, shown, strlen(shown)) == 0;
    bool unknown_target = strstr(text, "Unsupported gpu architecture") ||
                          strstr(text, "is not defined for option 'gpu-name'");
    smc_fail(error, unknown_target ? SMC_UNAVAILABLE : SMC_USAGE, "%s%s%s%s", named ? "" : shown,
             named ? "" : ": ", text[0] ? text : "does not compile", smc_text_string(&hint));
    return unknown_target ? SMC_UNAVAILABLE : SMC_USAGE;
}

void smc_compilation_write_line(const char *file, struct smc_text *text)
{
    smc_text_append(text, "#line 1 \"");
    for (const char *s = file; *s; s++)
        smc_text_printf(text, "%s%c", *s == '"' || *s == '\\' ? "\\" : "", *s);
    smc_text_append(text, "\"\n");
}

enum smc_status smc_compilation_fail_unsupported(const struct smc_compilation *compilation,
                                                 const char *compiler, uint16_t oldest,
                                                 struct smc_nvrtc_output *output,
                                                 struct smc_error *error)
{
    const uint16_t cc = compilation->target.cc;
    char supported[80] = "";
    output->target_unsupported = true;
    if (oldest > 0)
        snprintf(supported, sizeof supported, "; the oldest that it supports is %d.%d", oldest / 10,
                 oldest % 10);
    return smc_fail(error, SMC_UNAVAILABLE,
                    "%s: %s does not compile for compute capability %d.%d%s", compilation->file,
                    compiler, cc / 10, cc % 10, supported);
}

static void append_folder(const char *folder, int length, struct smc_text *options)
{
    char path[1200];
    if (snprintf(path, sizeof path, "%.*s", length, folder) < (int)sizeof path &&
        access(path, R_OK | X_OK) == 0)
        smc_text_printf(options, "-I%s\n", path);
}

/* The toolkit's headers are in a folder next to its libraries. */
static void append_toolkit_folders(const char *library, struct smc_text *options)
{
    const char *slash = strrchr(library, '/');
    static const char *const folders[] = {"include", "include/cccl"};
    for (size_t i = 0; slash && i < sizeof folders / sizeof *folders; i++) {
        char path[1200];
        int length =
            snprintf(path, sizeof path, "%.*s/../%s", (int)(slash - library), library, folders[i]);
        append_folder(path, length, options);
    }
}

/* Options of nvcc that NVRTC does not know: for the host's compiler, the linker and nvcc itself;
   also longer ones that begin with one of these. */
/* clang-format off */
static const char *const options_of_nvcc[] = {
    "-O", "-W", "-g", "-c", "-l", "-L", "-f", "-m64", "-M", "-t", "--threads=", "-Werror",
    "--expt-", "-expt-", "--extended-lambda", "-extended-lambda", "--compile", "-forward-unknown",
    "--forward-unknown", "-ccbin=", "--compiler-bindir=", "-Xcompiler=", "--compiler-options=",
    "-Xlinker=", "--optimize", "-split-compile", "--split-compile", "-Xcudafe", "-Xnvlink",
    "-cudart", "--cudart", "-v", "--verbose", "-pthread",
};

/* The next word is their value. */
static const char *const options_with_value[] = {
    "-Xcompiler", "--compiler-options", "-Xlinker", "--linker-options", "-ccbin",
    "--compiler-bindir", "-o", "--output-file", "-x", "-MF", "-MT", "-MQ", "--threads", "-gencode",
    "--generate-code", "-Xcudafe", "-Xnvlink", "-cudart", "--cudart", "-Xarchive",
};
/* clang-format on */

/* Whether NVRTC must not see the option. `takes_next`: nor the next word, which is its value. */
static bool is_for_nvcc(const char *option, bool *takes_next)
{
    static const char *const known[] = {"-fmad", "-ftz", "-lineinfo"}; /* of NVRTC, too */
    const bool is_known = SMC_ANY(smc_begins, option, known);
    *takes_next = !is_known && SMC_ANY(smc_is_same, option, options_with_value);
    return *takes_next || (!is_known && SMC_ANY(smc_begins, option, options_of_nvcc));
}

/* Appends the user's options, which are those of nvcc, as NVRTC accepts them. Folders are appended
   in one form. */
static void append_own(const char *list, struct smc_text *options)
{
    static const char *const folders[] = {"-I", "-isystem", "--include-path", "--system-include"};
    bool skip_next = false, folder_next = false;
    while (list && *list) {
        smc_auto_text word = {0};
        list = smc_source_next_option(list, &word);
        const char *option = smc_text_string(&word);
        bool is_folder = folder_next, skipped = skip_next;
        folder_next = skip_next = false;
        for (size_t i = 0; !skipped && i < sizeof folders / sizeof *folders; i++)
            if (strncmp(option, folders[i], strlen(folders[i])) == 0) {
                is_folder = true;
                folder_next = !option[strlen(folders[i])];
            }
        if (!skipped && !is_folder && *option && !is_for_nvcc(option, &skip_next))
            smc_text_printf(options, "%s\n", option);
    }
}

void smc_compile_options(const struct smc_inspect_request *request, struct smc_text *options)
{
    smc_text_append(options, request->compiler_options ? request->compiler_options : "");
    for (size_t i = 0; i < request->compiler_argument_count; i++) {
        const char *argument = request->compiler_arguments[i];
        char quote = strchr(argument, '"') ? '\'' : '"';
        smc_text_printf(options, " %c%s%c", quote, argument, quote);
    }
}

/* The user's folders. */
static void append_folders(const char *own, struct smc_text *options)
{
    smc_auto_text folders = {0};
    smc_source_folders(own, &folders);
    for (const char *folder = smc_text_string(&folders); *folder;) {
        int length = (int)strcspn(folder, "\n");
        smc_text_printf(options, "-I%.*s\n", length, folder);
        folder += length + 1;
    }
}

/* Lines of the source for bank conflicts; this changes neither the code nor its speed. NVRTC
   refuses the option twice, and with -G has the lines anyway. */
bool smc_compilation_lacks_lines(const struct smc_inspect_request *request)
{
    static const char *const names[] = {"-lineinfo", "-generate-line-info", "-G", "-device-debug"};
    const char *own = request->compiler_options ? request->compiler_options : "";
    bool lacks = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        lacks &= strstr(own, names[i]) == NULL;
        for (size_t k = 0; k < request->compiler_argument_count; k++)
            lacks &= strstr(request->compiler_arguments[k], names[i]) == NULL;
    }
    return lacks;
}

static void compilers_write_options(const struct smc_compilation *compilation, const char *library,
                                    const struct smc_nvrtc_info *info, struct smc_text *options)
{
    const struct smc_inspect_target *target = &compilation->target;
    const char *slash = strrchr(compilation->file, '/');
    smc_auto_text own = {0};
    smc_compile_options(compilation->request, &own);
    smc_nvrtc_write_log_options(info, options);
    if (info->major >= 12)
        smc_text_append(options, "--device-int128\n"); /* as nvcc */
    smc_text_printf(options, "--gpu-architecture=sm_%u%.1s\n", target->cc, &target->suffix);
    if (smc_compilation_lacks_lines(compilation->request))
        smc_text_append(options, "-lineinfo\n");
    append_own(smc_text_string(&own), options);
    append_folders(smc_text_string(&own), options);
    append_folder(slash ? compilation->file : ".", slash ? (int)(slash - compilation->file + 1) : 1,
                  options);
    append_toolkit_folders(library, options);
}

/* An NVRTC and the options for it. */
struct nvrtc_job {
    const struct smc_compilation *compilation;
    struct smc_nvrtc nvrtc;
    struct smc_nvrtc_info info;
    struct smc_file_identity file;
    struct smc_text options;
    struct smc_text toolkit; /* its folders of headers, one a line */
    struct smc_text own;     /* the user's options */
};

static void list_toolkit(const char *library, struct smc_text *folders)
{
    smc_auto_text options = {0};
    append_toolkit_folders(library, &options);
    for (const char *line = smc_text_string(&options); *line;) {
        int length = (int)strcspn(line, "\n");
        smc_text_printf(folders, "%.*s\n", length - 2, line + 2); /* after "-I" */
        line += length + 1;
    }
}

/* The oldest architecture that an installed NVRTC supports; 0: unknown. */
static uint16_t compilers_find_oldest(const struct smc_nvrtc_search *search)
{
    uint16_t oldest = 0;
    for (size_t i = 0; i < search->count; i++)
        for (size_t k = 0; k < search->place[i].info.cc_count; k++) {
            const uint16_t cc = search->place[i].info.cc[k];
            oldest = oldest == 0 || cc < oldest ? cc : oldest;
        }
    return oldest;
}

/* The library is not opened here, because it is not needed if the cache has the output. */
static enum smc_status compilers_prepare(const struct smc_compilation *compilation,
                                         struct nvrtc_job *job, struct smc_nvrtc_output *output,
                                         struct smc_error *error)
{
    struct smc_nvrtc_search search;
    struct smc_cache cache;
    uint16_t cc = compilation->target.cc;
    *job = (struct nvrtc_job){.compilation = compilation};
    smc_cache_open(&cache, compilation->request->no_cache, compilation->warnings);
    const struct smc_nvrtc_place *place = smc_nvrtc_find(&cache, cc, &search);
    if (!place && search.failure)
        return smc_fail(error, SMC_MACHINE, "%s", search.problem);
    if (!place && search.count > 0)
        return smc_compilation_fail_unsupported(compilation, "the installed NVRTC",
                                                compilers_find_oldest(&search), output, error);
    if (!place)
        return smc_fail(error, SMC_UNAVAILABLE, "%s: " SMC_NVRTC_ABSENT " that compiles for sm_%u",
                        compilation->file, cc);
    job->info = place->info;
    job->file = place->file;
    compilers_write_options(compilation, place->info.path, &job->info, &job->options);
    list_toolkit(place->info.path, &job->toolkit);
    smc_compile_options(compilation->request, &job->own);
    return job->options.failed || job->toolkit.failed || job->own.failed ? smc_out_of_memory(error)
                                                                         : SMC_OK;
}

static enum smc_status compilers_open_library(struct nvrtc_job *job, struct smc_error *error)
{
    struct smc_nvrtc_info info;
    enum smc_status status = smc_nvrtc_open(job->info.path, &job->nvrtc, &info, error);
    return status == SMC_OK || status == SMC_MACHINE ? status : SMC_UNAVAILABLE;
}

static enum smc_status fail_library(const struct smc_compilation *compilation,
                                    const struct nvrtc_job *job, struct smc_error *error)
{
    return smc_fail(error, SMC_UNAVAILABLE, "%s: NVRTC %d.%d (%s) failed", compilation->file,
                    job->info.major, job->info.minor, job->info.path);
}

void smc_compilation_open_cache(const struct smc_compilation *compilation,
                                struct smc_output_cache *cache)
{
    const char *file = compilation->file, *slash = strrchr(file, '/');
    char current[SMC_TOOL_PATH], program[SMC_TOOL_PATH];
    smc_auto_text own = {0};
    *cache = (struct smc_output_cache){.key = {0}};
    smc_cache_open(&cache->cache, compilation->request->no_cache, compilation->warnings);
    if (!cache->cache.usable || !getcwd(current, sizeof current))
        return;
    /* Another build may read the source, or an error, in another way. */
    smc_text_printf(&cache->key, "smemcalc output 4, %s\n%s\n%s\n", PACKAGE_VERSION, current, file);
    if (smc_platform_program(program, sizeof program))
        smc_tool_write_identity(program, &cache->key);
    smc_text_append(&cache->key, compilation->text);
    smc_text_append(&cache->key, "\n");
    smc_text_printf(&cache->folders, "%.*s\n", slash ? (int)(slash - file) : 1, slash ? file : ".");
    smc_compile_options(compilation->request, &own);
    smc_source_folders(smc_text_string(&own), &cache->folders);
}

/* Completes the key. `way`: how NVRTC is given the source. */
static void write_nvrtc_key(const struct nvrtc_job *job, const char *way,
                            struct smc_output_cache *cache)
{
    const struct smc_file_identity *file = &job->file;
    if (cache->key.length == 0)
        return;
    smc_text_printf(&cache->key, "%s\n%s\n%d.%d %llu %llu %lld %lld.%09lld\n%s", way,
                    job->info.path, job->info.major, job->info.minor,
                    (unsigned long long)file->device, (unsigned long long)file->inode,
                    (long long)file->bytes, (long long)file->seconds, (long long)file->nanoseconds,
                    smc_text_string(&job->options));
    smc_text_append(&cache->folders, smc_text_string(&job->toolkit));
}

/* Appends what the file includes. False if a macro names a header. */
static bool list_includes(const struct smc_source_file *file, struct smc_text *files)
{
    for (size_t i = 0; i < file->include_count; i++) {
        const struct smc_source_include *include = &file->include[i];
        if (include->kind == SMC_INCLUDE_MACRO)
            return false;
        if (include->kind != SMC_INCLUDE_OWN)
            smc_text_printf(files, "m%.*s\n", (int)(include->end - include->begin),
                            smc_text_string(&file->text) + include->begin);
    }
    return true;
}

static bool is_of_toolkit(const struct nvrtc_job *job, const char *path)
{
    for (const char *folder = smc_text_string(&job->toolkit); *folder;) {
        size_t length = strcspn(folder, "\n");
        if (strncmp(path, folder, length) == 0 && path[length] == '/')
            return true;
        folder += length + (folder[length] == '\n');
    }
    return false;
}

/* Whether an option has NVRTC read a file that the source does not include. */
static bool reads_more_files(const char *options)
{
    static const char name[] = "-include";
    for (const char *at = options; (at = strstr(at, name)); at += sizeof name - 1)
        if (strncmp(at, "-include-path", strlen("-include-path")) != 0)
            return true;
    return false;
}

/* Lists the source and every header, including the toolkit's, whether or not a condition omits it.
   NVRTC does not say what it reads. False if they cannot be told. */
static bool list_files(const struct nvrtc_job *job, struct smc_text *files)
{
    const struct smc_compilation *compilation = job->compilation;
    SMC_AUTO(smc_source_tree_free) struct smc_source_tree tree = {0};
    smc_auto_text options = {0};
    struct smc_error ignored;
    smc_text_printf(&options, "%s ", smc_text_string(&job->own));
    for (const char *folder = smc_text_string(&job->toolkit); *folder;) {
        int length = (int)strcspn(folder, "\n");
        smc_text_printf(&options, "\"-I%.*s\" ", length, folder);
        folder += length + 1;
    }
    bool valid = !options.failed && !reads_more_files(smc_text_string(&job->own)) &&
                 smc_source_tree_read(compilation->file, compilation->text,
                                      smc_text_string(&options), "", &tree, &ignored) == SMC_OK;
    for (size_t i = 0; valid && i < tree.count; i++) {
        bool of_toolkit = is_of_toolkit(job, tree.file[i].path);
        if (i > 0 || !compilation->is_standard_input)
            smc_text_printf(files, "%c%s\n", of_toolkit ? 's' : 'u', tree.file[i].path);
        valid = of_toolkit || list_includes(&tree.file[i], files);
    }
    return valid;
}

/* One of the ways to use NVRTC. Warnings go to the outcome. */
typedef void nvrtc_way(struct nvrtc_job *job, struct smc_compile_outcome *outcome);

static void compilers_add_warnings(const struct smc_compilation *compilation,
                                   const struct smc_text *lines)
{
    for (const char *line = smc_text_string(lines); *line;) {
        int length = (int)strcspn(line, "\n");
        smc_warn(compilation->warnings, "%.*s", length, line);
        line += length + (line[length] == '\n');
    }
}

/* Compiles, or finds the outcome in the cache. */
static enum smc_status compile_or_find(const struct smc_compilation *compilation, const char *name,
                                       nvrtc_way *way, struct smc_nvrtc_output *output,
                                       struct smc_error *error)
{
    struct nvrtc_job job;
    SMC_AUTO(smc_output_cache_free) struct smc_output_cache cache = {.key = {0}};
    struct smc_compile_outcome outcome = {.output = output};
    smc_auto_text files = {0};
    outcome.status = compilers_prepare(compilation, &job, output, &outcome.error);
    if (outcome.status == SMC_OK) {
        smc_compilation_open_cache(compilation, &cache);
        write_nvrtc_key(&job, name, &cache);
        if (!smc_output_cache_find(&cache, &outcome)) {
            outcome.status = compilers_open_library(&job, &outcome.error);
            if (outcome.status == SMC_OK) {
                way(&job, &outcome);
                output->nvrtc_major = job.info.major;
                output->nvrtc_minor = job.info.minor;
                if (cache.key.length > 0 && list_files(&job, &files))
                    smc_output_cache_store(&cache, &files, &outcome);
            }
        }
        compilers_add_warnings(compilation, &outcome.warnings);
    }
    if (outcome.status != SMC_OK)
        *error = outcome.error;
    smc_text_free(&outcome.warnings);
    smc_text_free(&job.options);
    smc_text_free(&job.toolkit);
    smc_text_free(&job.own);
    return outcome.status;
}

/* Headers that replace those of the toolkit or of the C library: texts that NVRTC finds by name. */
struct headers {
    const char **text, **name;
    struct smc_text *owned; /* what was made */
    size_t count, owned_count;
};

static bool start_headers(size_t more, struct headers *headers)
{
    const size_t most = more + smc_standard_header_count + smc_adapted_header_count;
    *headers = (struct headers){
        .text = smc_calloc(most, sizeof *headers->text),
        .name = smc_calloc(most, sizeof *headers->name),
        .owned = smc_calloc(most, sizeof *headers->owned),
    };
    return headers->text && headers->name && headers->owned;
}

static void add_header(struct headers *headers, const char *name, const char *text)
{
    headers->name[headers->count] = name;
    headers->text[headers->count++] = text;
}

static void free_headers(struct headers *headers)
{
    for (size_t i = 0; headers->owned && i < headers->owned_count; i++)
        smc_text_free(&headers->owned[i]);
    free(headers->owned);
    free(headers->text);
    free(headers->name);
    *headers = (struct headers){0};
}

/* What makes the types of <cstdint> and the predefined macros those of nvcc. Their lines stay those
   of the toolkit's files. False: no memory. */
static bool add_adapted(const struct smc_source_tree *tree, struct headers *headers)
{
    bool has_memory = true;
    for (size_t i = 0; i < smc_adapted_header_count; i++) {
        struct smc_text *adapted = &headers->owned[headers->owned_count];
        smc_auto_text text = {0}, path = {0};
        if (smc_source_tree_read_toolkit_header(tree, smc_adapted_headers[i], &path, &text)) {
            smc_compilation_write_line(smc_text_string(&path), adapted);
            smc_adapted_header_write(smc_text_string(&text), adapted);
            has_memory &= !path.failed && !adapted->failed;
            headers->owned_count++;
            add_header(headers, smc_adapted_headers[i], smc_text_string(adapted));
        }
    }
    return has_memory;
}

static void write_start(const char *file, const char *before, struct smc_text *text)
{
    smc_text_printf(text, "#include <" SMC_HEADER_PREDEFINED ">\n%s", before);
    smc_compilation_write_line(file, text);
}

static bool write_whole(const struct nvrtc_job *job, struct smc_text *text, struct headers *headers)
{
    static const char *const wanted[] = {SMC_HEADER_PREDEFINED, "cstdint", "stdint.h"};
    const struct smc_source_tree tree = {.toolkit = job->toolkit};
    if (!start_headers(0, headers) || !add_adapted(&tree, headers))
        return false;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const struct smc_standard_header *header =
            smc_standard_header_find(wanted[i], strlen(wanted[i]));
        add_header(headers, header->name, header->text);
    }
    write_start(job->compilation->file, "", text);
    smc_text_append(text, job->compilation->text);
    return !text->failed;
}

/* Whether the files name the compiler by a macro: only as a device part are they compiled as nvcc
   does. Then says so. */
static bool names_compiler(const struct nvrtc_job *job, struct smc_compile_outcome *outcome)
{
    SMC_AUTO(smc_source_tree_free) struct smc_source_tree tree = {0};
    smc_auto_text macro = {0};
    outcome->status = smc_source_tree_read(job->compilation->file, job->compilation->text,
                                           smc_text_string(&job->own),
                                           smc_text_string(&job->toolkit), &tree, &outcome->error);
    if (outcome->status == SMC_OK) {
        smc_device_part_compiler_macro(&tree, &macro);
        if (macro.length > 0)
            outcome->status =
                smc_fail(&outcome->error, SMC_USAGE, "%.500s is nvcc's", smc_text_string(&macro));
    }
    return outcome->status != SMC_OK;
}

static void compile_whole(struct nvrtc_job *job, struct smc_compile_outcome *outcome)
{
    if (names_compiler(job, outcome))
        return;
    const struct smc_compilation *compilation = job->compilation;
    struct smc_nvrtc_output *output = outcome->output;
    smc_auto_text text = {0};
    struct headers headers;
    enum smc_nvrtc_outcome how = SMC_NVRTC_FAILED;
    bool has_memory = write_whole(job, &text, &headers);
    const struct smc_nvrtc_extras extras = {
        .header = headers.text, .header_name = headers.name, .header_count = headers.count};
    if (has_memory)
        how = smc_nvrtc_compile_with(&job->nvrtc, smc_text_string(&text), compilation->file,
                                     smc_text_string(&job->options), &extras, output);
    free_headers(&headers);
    if (how == SMC_NVRTC_COMPILED || smc_compilation_was_refused(&output->log))
        return;
    output->option_refused = how != SMC_NVRTC_REJECTED && output->log.length > 0;
    if (!has_memory)
        outcome->status = smc_out_of_memory(&outcome->error);
    else if (how == SMC_NVRTC_REJECTED || output->option_refused)
        outcome->status =
            smc_compilation_fail(compilation, compilation->file, &output->log, &outcome->error);
    else
        outcome->status = fail_library(compilation, job, &outcome->error);
}

enum smc_status smc_compile_with_nvrtc(const struct smc_compilation *compilation,
                                       struct smc_nvrtc_output *output, struct smc_error *error)
{
    return compile_or_find(compilation, "whole", compile_whole, output, error);
}

/* --- NVRTC on the device part of a source with host code -------------------------------------- */

enum { MAX_ATTEMPTS = 12 };

/* The texts of one attempt, in the form that NVRTC accepts. */
struct texts {
    struct smc_text source;
    struct headers headers;
    const char **instance;
    struct smc_nvrtc_extras extras;
};

static void free_texts(struct texts *texts)
{
    free_headers(&texts->headers);
    smc_text_free(&texts->source);
    free(texts->instance);
    *texts = (struct texts){0};
}

/* Headers of the C++ library include each other, and sources rely on it. */
static void write_beginning(const struct smc_device_part *part, const char *file,
                            struct smc_text *text)
{
    bool has_headers = false;
    for (size_t k = 0; k < part->tree.count; k++)
        for (size_t i = 0; i < part->tree.file[k].include_count; i++)
            has_headers |= part->tree.file[k].include[i].kind == SMC_INCLUDE_STANDARD;
    smc_text_append(text, "namespace std {}\n");
    write_start(file,
                has_headers ? "#include <" SMC_HEADER_IMPLICIT ">\n#include <cstdint>\n"
                            : "#include <" SMC_HEADER_IMPLICIT ">\n",
                text);
}

static void request_instances(struct smc_device_part *part, struct texts *texts)
{
    for (size_t i = 0; i < part->instances.count; i++) {
        struct smc_instantiation *instance = &part->instances.item[i];
        instance->is_requested = !instance->is_left_out;
        if (instance->is_requested)
            texts->instance[texts->extras.instance_count++] = instance->name;
    }
    texts->extras.instance = texts->instance;
}

static bool write_texts(struct smc_device_part *part, const char *file, struct texts *texts)
{
    struct headers *headers = &texts->headers;
    *texts = (struct texts){.instance = smc_calloc(part->instances.count + 1, sizeof(char *))};
    if (!start_headers(part->tree.count, headers) || !texts->instance ||
        !add_adapted(&part->tree, headers))
        return false;
    bool has_memory = true;
    write_beginning(part, file, &texts->source);
    smc_device_part_write(part, 0, &texts->source);
    for (size_t i = 1; i < part->tree.count; i++) {
        struct smc_text *own = &headers->owned[headers->owned_count++];
        smc_device_part_write(part, i, own);
        has_memory &= !own->failed;
        add_header(headers, part->tree.file[i].path, smc_text_string(own));
    }
    for (size_t i = 0; i < smc_standard_header_count; i++) {
        const struct smc_standard_header *header = &smc_standard_headers[i];
        bool is_found = smc_source_tree_has_toolkit_header(&part->tree, header->name);
        if (smc_standard_header_applies(header, is_found))
            add_header(headers, header->name, header->text);
    }
    request_instances(part, texts);
    texts->extras.header = headers->text;
    texts->extras.header_name = headers->name;
    texts->extras.header_count = headers->count;
    return has_memory && !texts->source.failed;
}

static void tell_left_out(const struct smc_device_part *part, struct smc_text *warnings)
{
    for (size_t i = 0; i < part->instances.count; i++) {
        const struct smc_instantiation *instance = &part->instances.item[i];
        if (!instance->is_left_out)
            continue;
        const char *missing = smc_text_string(&part->missing);
        if (*missing)
            smc_text_safe_line(warnings,
                               "%s:%u: this launch of %s was left out: %.*s was not found",
                               instance->file, instance->line, instance->name,
                               (int)strcspn(missing, "\n"), missing);
        else
            smc_text_safe_line(warnings,
                               "%s:%u: this launch of %s was left out: NVRTC, unlike nvcc, needs "
                               "its template arguments where it is launched",
                               instance->file, instance->line, instance->name);
    }
}

/* The header that may hold what is missing. */
static enum smc_status compilers_fail_missing(const struct smc_compilation *compilation,
                                              const struct smc_device_part *part,
                                              const char *before, const char *after,
                                              struct smc_error *error)
{
    const char *missing = smc_text_string(&part->missing), *end = missing + strcspn(missing, "\n");
    smc_auto_text places = {0};
    append_places(compilation, end > missing && end[-1] == '"', &places);
    return smc_fail(error, SMC_USAGE, "%.700s%.*s was not found (%s)%s", before,
                    (int)(end - missing), missing, smc_text_string(&places), after);
}

/* The compiler's first error, and what may have caused it. */
static enum smc_status fail_part(const struct smc_compilation *compilation,
                                 const struct smc_device_part *part, const struct smc_text *log,
                                 struct smc_error *error)
{
    enum smc_status status = smc_compilation_fail(compilation, compilation->file, log, error);
    struct smc_error first = *error;
    const char *rejected = smc_text_string(&part->rejected);
    if (part->missing.length > 0) {
        size_t length = strlen(first.message);
        snprintf(first.message + length, sizeof first.message - length, "; ");
        return compilers_fail_missing(compilation, part, first.message, "", error);
    }
    if (*rejected)
        return smc_fail(error, status,
                        "%.700s (NVRTC compiles no host code, and left out %.*s; nvcc compiles it)",
                        first.message, (int)strcspn(rejected, "\n"), rejected);
    if (smc_device_part_is_whole(part))
        return status;
    return smc_fail(error, status, "%.700s (in the device part; nvcc compiles all of it)",
                    first.message);
}

/* Nothing was compiled, but what was not found may have kernels. */
static enum smc_status check_found(const struct smc_compilation *compilation,
                                   const struct smc_device_part *part,
                                   struct smc_nvrtc_output *output, struct smc_error *error)
{
    char before[400];
    if (part->missing.length == 0 || strstr(smc_text_string(&output->ptx), ".entry "))
        return SMC_OK;
    output->lacks_header = true;
    snprintf(before, sizeof before, "%.300s: no kernel in what could be read: ", compilation->file);
    return compilers_fail_missing(compilation, part, before, ", and may hold kernels", error);
}

/* Compiles until NVRTC accepts the part, or nothing can be learnt from its errors. */
static enum smc_status attempt(const struct smc_compilation *compilation,
                               const struct nvrtc_job *job, struct smc_device_part *part,
                               struct smc_nvrtc_output *output, struct smc_error *error)
{
    for (int i = 0;; i++) {
        struct texts texts;
        enum smc_nvrtc_outcome outcome = SMC_NVRTC_FAILED;
        bool has_memory = write_texts(part, compilation->file, &texts);
        if (has_memory)
            outcome = smc_nvrtc_compile_with(&job->nvrtc, smc_text_string(&texts.source),
                                             compilation->file, smc_text_string(&job->options),
                                             &texts.extras, output);
        free_texts(&texts);
        if (!has_memory)
            return smc_out_of_memory(error);
        smc_device_part_note_missing(part, &output->log);
        if (outcome == SMC_NVRTC_COMPILED || smc_compilation_was_refused(&output->log))
            return part->missing.failed ? smc_out_of_memory(error)
                                        : check_found(compilation, part, output, error);
        if (outcome != SMC_NVRTC_REJECTED && output->log.length == 0)
            return fail_library(compilation, job, error);
        if (i == MAX_ATTEMPTS || !smc_device_part_correct(part, smc_text_string(&output->log)))
            return fail_part(compilation, part, &output->log, error);
        smc_nvrtc_output_free(output);
    }
}

/* Reads and compiles the part; `macro` receives the first that names the compiler. */
static enum smc_status compile_part_as(const struct nvrtc_job *job, bool as_nvrtc,
                                       struct smc_text *macro, struct smc_compile_outcome *outcome,
                                       struct smc_error *error)
{
    const struct smc_compilation *compilation = job->compilation;
    SMC_AUTO(smc_device_part_free) struct smc_device_part part = {.as_nvrtc = as_nvrtc};
    enum smc_status status =
        smc_device_part_read(compilation->file, compilation->text, smc_text_string(&job->own),
                             smc_text_string(&job->toolkit), &part, error);
    if (status == SMC_OK)
        status = attempt(compilation, job, &part, outcome->output, error);
    if (status == SMC_OK)
        tell_left_out(&part, &outcome->warnings);
    else
        smc_device_part_compiler_macro(&part.tree, macro);
    return status;
}

/* What nvcc reads if __NVCC__ is defined may be more than NVRTC compiles. */
static void compile_part(struct nvrtc_job *job, struct smc_compile_outcome *outcome)
{
    smc_auto_text macro = {0};
    struct smc_error ignored;
    struct smc_nvrtc_output refused;
    smc_text_append(&job->options, "-default-device\n");
    outcome->status = compile_part_as(job, false, &macro, outcome, &outcome->error);
    if (outcome->status == SMC_USAGE && macro.length > 0) {
        refused = *outcome->output;
        *outcome->output = (struct smc_nvrtc_output){0};
        if (compile_part_as(job, true, &macro, outcome, &ignored) == SMC_OK) {
            smc_text_safe_line(&outcome->warnings,
                               "%.500s: compiled as NVRTC defines it, because what nvcc would "
                               "compile needs nvcc; its registers and memory may be others",
                               smc_text_string(&macro));
            outcome->status = SMC_OK;
        } else {
            smc_nvrtc_output_free(outcome->output);
            *outcome->output = refused;
            refused = (struct smc_nvrtc_output){0};
        }
        smc_nvrtc_output_free(&refused);
    }
}

enum smc_status smc_compile_device_part(const struct smc_compilation *compilation,
                                        struct smc_nvrtc_output *output, struct smc_error *error)
{
    return compile_or_find(compilation, "device part", compile_part, output, error);
}
