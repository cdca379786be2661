/* Compiles source with NVRTC or nvcc, and PTX with ptxas. */
#include "config.h"

#include "inspect/compilers.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "compile/nvrtc.h"
#include "compile/ptxas_log.h"
#include "inspect/readers.h"
#include "inspect/tools.h"
#include "source/device_part.h"
#include "source/standard_headers.h"

/* --- NVRTC: no toolkit is needed, but it accepts no host code --------------------------------- */

/* Whether the log holds a refusal, which is an answer and not a failure. */
static bool was_refused(const struct smc_text *log)
{
    struct smc_log_reader reader = {.cursor = smc_text_string(log)};
    struct smc_log_kernel kernel;
    while (smc_log_next(&reader, &kernel))
        if (kernel.resources.refused)
            return true;
    return false;
}

static enum smc_status fail_unsupported(const struct smc_compilation *compilation,
                                        const char *compiler, uint16_t oldest,
                                        struct smc_error *error)
{
    const uint16_t cc = compilation->target.cc;
    char supported[80] = "";
    if (oldest > 0)
        snprintf(supported, sizeof supported, "; the oldest that it supports is %d.%d", oldest / 10,
                 oldest % 10);
    return smc_fail(error, SMC_UNAVAILABLE,
                    "%s: %s does not compile for compute capability %d.%d%s", compilation->file,
                    compiler, cc / 10, cc % 10, supported);
}

static enum smc_status fail_to_compile(const struct smc_compilation *compilation,
                                       const char *compiled, const struct smc_text *log,
                                       struct smc_error *error)
{
    const char *shown = compilation->file;
    char text[800];
    smc_log_first_error(smc_text_string(log), compiled, shown, text, sizeof text);
    bool named = strncmp(text, shown, strlen(shown)) == 0;
    bool unknown_target = strstr(text, "Unsupported gpu architecture") ||
                          strstr(text, "is not defined for option 'gpu-name'");
    return smc_fail(error, unknown_target ? SMC_UNAVAILABLE : SMC_USAGE, "%s%s%s",
                    named ? "" : shown, named ? "" : ": ", text[0] ? text : "does not compile");
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
    *takes_next = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(option, known[i], strlen(known[i])) == 0)
            return false;
    for (size_t i = 0; i < sizeof options_with_value / sizeof *options_with_value; i++)
        if (strcmp(option, options_with_value[i]) == 0)
            return *takes_next = true;
    for (size_t i = 0; i < sizeof options_of_nvcc / sizeof *options_of_nvcc; i++)
        if (strncmp(option, options_of_nvcc[i], strlen(options_of_nvcc[i])) == 0)
            return true;
    return false;
}

/* Appends the user's options, which are those of nvcc, as NVRTC accepts them. Folders are appended
   in one form. */
static void append_own(const char *list, struct smc_text *options)
{
    static const char *const folders[] = {"-I", "-isystem", "--include-path", "--system-include"};
    bool skip_next = false, folder_next = false;
    while (list && *list) {
        struct smc_text word = {0};
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
        smc_text_free(&word);
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
    struct smc_text folders = {0};
    smc_source_folders(own, &folders);
    for (const char *folder = smc_text_string(&folders); *folder;) {
        int length = (int)strcspn(folder, "\n");
        smc_text_printf(options, "-I%.*s\n", length, folder);
        folder += length + 1;
    }
    smc_text_free(&folders);
}

/* Lines of the source for bank conflicts; this changes neither the code nor its speed. NVRTC
   refuses the option twice, and with -G has the lines anyway. */
static bool lacks_lines(const struct smc_inspect_request *request)
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

static void write_options(const struct smc_compilation *compilation, const char *library,
                          const struct smc_nvrtc_info *info, struct smc_text *options)
{
    const struct smc_inspect_target *target = &compilation->target;
    const char *slash = strrchr(compilation->file, '/');
    struct smc_text own = {0};
    smc_compile_options(compilation->request, &own);
    smc_nvrtc_write_log_options(info, options);
    smc_text_printf(options, "--gpu-architecture=sm_%u%.1s\n", target->cc, &target->suffix);
    if (lacks_lines(compilation->request))
        smc_text_append(options, "-lineinfo\n");
    append_own(smc_text_string(&own), options);
    append_folders(smc_text_string(&own), options);
    smc_text_free(&own);
    append_folder(slash ? compilation->file : ".", slash ? (int)(slash - compilation->file + 1) : 1,
                  options);
    append_toolkit_folders(library, options);
}

/* Finds an architecture among the user's own options, which --device should set instead; NULL if
   there is none. */
static const char *find_architecture(const char *list)
{
    static const char *const names[] = {"-arch", "--gpu-architecture", "-gpu-architecture"};
    for (; list && *list; list += strspn(list, " ")) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strncmp(list, names[i], strlen(names[i])) == 0)
                return list;
        list += strcspn(list, " ");
    }
    return NULL;
}

static enum smc_status check_options(const struct smc_compilation *compilation,
                                     struct smc_error *error)
{
    const char *architecture = find_architecture(compilation->request->compiler_options);
    if (!architecture)
        return SMC_OK;
    return smc_fail(error, SMC_USAGE, "option --compiler-options: '%.*s': use --device instead",
                    (int)strcspn(architecture, " "), architecture);
}

/* An NVRTC and the options for it. */
struct nvrtc_job {
    struct smc_nvrtc nvrtc;
    struct smc_nvrtc_info info;
    struct smc_text options;
};

/* Of the architectures that an installed NVRTC supports; 0: it does not say. */
static uint16_t find_oldest(const struct smc_nvrtc_search *search)
{
    uint16_t oldest = 0;
    for (size_t i = 0; i < search->count; i++)
        for (size_t k = 0; k < search->place[i].info.cc_count; k++) {
            const uint16_t cc = search->place[i].info.cc[k];
            oldest = oldest == 0 || cc < oldest ? cc : oldest;
        }
    return oldest;
}

static enum smc_status prepare(const struct smc_compilation *compilation, struct nvrtc_job *job,
                               struct smc_error *error)
{
    struct smc_nvrtc_search search;
    struct smc_cache cache;
    uint16_t cc = compilation->target.cc;
    *job = (struct nvrtc_job){.options = {0}};
    smc_cache_open(&cache, compilation->request->no_cache, compilation->warnings);
    const struct smc_nvrtc_place *place = smc_nvrtc_find(&cache, cc, &search);
    if (!place && search.out_of_memory)
        return smc_fail(error, SMC_MACHINE, "%s", search.problem);
    if (!place && search.count > 0)
        return fail_unsupported(compilation, "the installed NVRTC", find_oldest(&search), error);
    if (!place)
        return smc_fail(error, SMC_UNAVAILABLE, "%s: no NVRTC was found that compiles for sm_%u",
                        compilation->file, cc);
    enum smc_status status = check_options(compilation, error);
    if (status != SMC_OK)
        return status;
    status = smc_nvrtc_open(place->info.path, &job->nvrtc, &job->info, error);
    if (status != SMC_OK)
        return status == SMC_MACHINE ? status : SMC_UNAVAILABLE;
    write_options(compilation, place->info.path, &job->info, &job->options);
    return job->options.failed ? smc_out_of_memory(error) : SMC_OK;
}

static enum smc_status fail_library(const struct smc_compilation *compilation,
                                    const struct nvrtc_job *job, struct smc_error *error)
{
    return smc_fail(error, SMC_UNAVAILABLE, "%s: NVRTC %d.%d (%s) failed", compilation->file,
                    job->info.major, job->info.minor, job->info.path);
}

enum smc_status smc_compile_with_nvrtc(const struct smc_compilation *compilation,
                                       struct smc_nvrtc_output *output, struct smc_error *error)
{
    struct nvrtc_job job;
    enum smc_status status = prepare(compilation, &job, error);
    enum smc_nvrtc_outcome outcome = SMC_NVRTC_FAILED;
    if (status == SMC_OK)
        outcome = smc_nvrtc_compile(&job.nvrtc, compilation->text, compilation->file,
                                    smc_text_string(&job.options), output);
    smc_text_free(&job.options);
    if (status != SMC_OK)
        return status;
    output->nvrtc_major = job.info.major;
    output->nvrtc_minor = job.info.minor;
    if (outcome == SMC_NVRTC_COMPILED || was_refused(&output->log))
        return SMC_OK;
    output->option_refused = outcome != SMC_NVRTC_REJECTED && output->log.length > 0;
    if (outcome == SMC_NVRTC_REJECTED || output->option_refused)
        return fail_to_compile(compilation, compilation->file, &output->log, error);
    return fail_library(compilation, &job, error);
}

/* --- NVRTC on the device part of a source with host code -------------------------------------- */

enum { MAX_ATTEMPTS = 12 };

/* The texts of one attempt, in the form that NVRTC accepts. */
struct texts {
    struct smc_text source;
    struct smc_text *own; /* the headers of the tree */
    const char **header, **header_name, **instance;
    size_t own_count;
    struct smc_nvrtc_extras extras;
};

static void free_texts(struct texts *texts)
{
    for (size_t i = 0; texts->own && i < texts->own_count; i++)
        smc_text_free(&texts->own[i]);
    smc_text_free(&texts->source);
    free(texts->own);
    free(texts->header);
    free(texts->header_name);
    free(texts->instance);
    *texts = (struct texts){0};
}

/* Whether the toolkit's headers declare the types of <cstdint> themselves. */
static bool declares_integers(const struct smc_source_file *file,
                              const struct smc_source_include *include)
{
    static const char *const plain[] = {"cuda_runtime", "device_launch_parameters", "vector_",
                                        "math_constants"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strncmp(file->text.data + include->begin, plain[i], strlen(plain[i])) == 0)
            return false;
    return include->kind == SMC_INCLUDE_TOOLKIT;
}

/* Headers of the C++ library include each other, and sources rely on it. */
static void write_beginning(const struct smc_device_part *part, const char *file,
                            struct smc_text *text)
{
    bool has_headers = false, as_toolkit = false;
    for (size_t k = 0; k < part->tree.count; k++)
        for (size_t i = 0; i < part->tree.file[k].include_count; i++) {
            const struct smc_source_include *include = &part->tree.file[k].include[i];
            has_headers |= include->kind == SMC_INCLUDE_STANDARD;
            as_toolkit |= declares_integers(&part->tree.file[k], include);
        }
    smc_text_append(text, "namespace std {}\n");
    if (as_toolkit)
        smc_text_append(text, "#define SMC_INT64_AS_TOOLKIT\n");
    if (has_headers)
        smc_text_append(text, "#include <cstdint>\n#include <cstddef>\n#include <cmath>\n"
                              "#include <limits>\n#include <algorithm>\n");
    smc_text_append(text, "#line 1 \"");
    for (const char *s = file; *s; s++)
        smc_text_printf(text, "%s%c", *s == '"' || *s == '\\' ? "\\" : "", *s);
    smc_text_append(text, "\"\n");
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
    size_t headers = part->tree.count + smc_standard_header_count, n = 0;
    *texts = (struct texts){.own_count = part->tree.count};
    texts->own = smc_calloc(part->tree.count, sizeof *texts->own);
    texts->header = smc_calloc(headers, sizeof *texts->header);
    texts->header_name = smc_calloc(headers, sizeof *texts->header_name);
    texts->instance = smc_calloc(part->instances.count + 1, sizeof *texts->instance);
    if (!texts->own || !texts->header || !texts->header_name || !texts->instance)
        return false;
    bool has_memory = true;
    write_beginning(part, file, &texts->source);
    smc_device_part_write(part, 0, &texts->source);
    for (size_t i = 1; i < part->tree.count; i++) {
        smc_device_part_write(part, i, &texts->own[i]);
        has_memory &= !texts->own[i].failed;
        texts->header[n] = smc_text_string(&texts->own[i]);
        texts->header_name[n++] = part->tree.file[i].path;
    }
    for (size_t i = 0; i < smc_standard_header_count; i++) {
        const struct smc_standard_header *header = &smc_standard_headers[i];
        bool is_found = smc_source_tree_has_toolkit_header(&part->tree, header->name);
        if (!smc_standard_header_applies(header, is_found))
            continue;
        texts->header[n] = header->text;
        texts->header_name[n++] = header->name;
    }
    request_instances(part, texts);
    texts->extras.header = texts->header;
    texts->extras.header_name = texts->header_name;
    texts->extras.header_count = n;
    return has_memory && !texts->source.failed;
}

/* The toolkit's folders of headers, one a line. */
static void list_toolkit(const char *library, struct smc_text *folders)
{
    struct smc_text options = {0};
    append_toolkit_folders(library, &options);
    for (const char *line = smc_text_string(&options); *line;) {
        int length = (int)strcspn(line, "\n");
        smc_text_printf(folders, "%.*s\n", length - 2, line + 2); /* after "-I" */
        line += length + 1;
    }
    smc_text_free(&options);
}

/* The same message once, however many architectures are compiled for. */
static void warn_once(const struct smc_compilation *compilation, const struct smc_text *line)
{
    if (compilation->warnings && !strstr(smc_text_string(compilation->warnings), line->data))
        smc_text_append(compilation->warnings, line->data);
}

static void tell_left_out(const struct smc_compilation *compilation,
                          const struct smc_device_part *part)
{
    for (size_t i = 0; i < part->instances.count; i++) {
        const struct smc_instantiation *instance = &part->instances.item[i];
        struct smc_text line = {0};
        if (!instance->is_left_out)
            continue;
        const char *missing = smc_text_string(&part->missing);
        if (*missing)
            smc_text_safe_line(&line,
                               "%s:%u: this launch of %s was left out: the header of %.*s was not "
                               "found",
                               instance->file, instance->line, instance->name,
                               (int)strcspn(missing, "\n"), missing);
        else
            smc_text_safe_line(&line,
                               "%s:%u: this launch of %s was left out: without nvcc, its template "
                               "arguments must be written where it is launched",
                               instance->file, instance->line, instance->name);
        if (line.data)
            warn_once(compilation, &line);
        smc_text_free(&line);
    }
}

/* The compiler's first error, and what may have caused it. */
static enum smc_status fail_part(const struct smc_compilation *compilation,
                                 const struct smc_device_part *part, const struct smc_text *log,
                                 struct smc_error *error)
{
    enum smc_status status = fail_to_compile(compilation, compilation->file, log, error);
    struct smc_error first = *error;
    const char *missing = smc_text_string(&part->missing);
    const char *rejected = smc_text_string(&part->rejected);
    if (*missing)
        return smc_fail(error, status,
                        "%.500s (the header of %.*s was not found; --compiler-options "
                        "\"-IFOLDER\" names its folder)",
                        first.message, (int)strcspn(missing, "\n"), missing);
    if (*rejected)
        return smc_fail(error, status,
                        "%.500s (NVRTC compiles no host code, and left out %.*s; nvcc was not "
                        "found)",
                        first.message, (int)strcspn(rejected, "\n"), rejected);
    if (smc_device_part_is_whole(part))
        return status;
    return smc_fail(error, status,
                    "%.700s (in the device part: nvcc, which compiles all of it, was "
                    "not found)",
                    first.message);
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
        if (outcome == SMC_NVRTC_COMPILED || was_refused(&output->log))
            return SMC_OK;
        if (outcome != SMC_NVRTC_REJECTED && output->log.length == 0)
            return fail_library(compilation, job, error);
        if (i == MAX_ATTEMPTS || !smc_device_part_correct(part, smc_text_string(&output->log)))
            return fail_part(compilation, part, &output->log, error);
        smc_nvrtc_output_free(output);
    }
}

enum smc_status smc_compile_device_part(const struct smc_compilation *compilation,
                                        struct smc_nvrtc_output *output, struct smc_error *error)
{
    struct nvrtc_job job;
    struct smc_device_part part = {0};
    struct smc_text toolkit = {0}, own = {0};
    enum smc_status status = prepare(compilation, &job, error);
    if (status == SMC_OK) {
        smc_text_append(&job.options, "-default-device\n");
        list_toolkit(job.info.path, &toolkit);
        smc_compile_options(compilation->request, &own);
        status = smc_device_part_read(compilation->file, compilation->text, smc_text_string(&own),
                                      smc_text_string(&toolkit), &part, error);
        smc_text_free(&own);
    }
    if (status == SMC_OK)
        status = attempt(compilation, &job, &part, output, error);
    if (status == SMC_OK)
        tell_left_out(compilation, &part);
    output->nvrtc_major = job.info.major;
    output->nvrtc_minor = job.info.minor;
    smc_device_part_free(&part);
    smc_text_free(&toolkit);
    smc_text_free(&job.options);
    return status;
}

/* --- nvcc and ptxas --------------------------------------------------------------------------- */

enum { MAX_ARGUMENTS = 64, ARCHITECTURE_BYTES = 32 };

/* A single run of a tool. */
struct job {
    const struct smc_compilation *compilation;
    char tool[SMC_TOOL_PATH];
    char folder[SMC_TOOL_PATH];
    char source[SMC_TOOL_FILE]; /* the tool's input file */
    char cubin[SMC_TOOL_PATH + 16];
    char architecture[ARCHITECTURE_BYTES];
};

static enum smc_status begin(const struct smc_compilation *compilation, const char *tool,
                             struct job *job, struct smc_error *error)
{
    const struct smc_inspect_target *target = &compilation->target;
    *job = (struct job){.compilation = compilation};
    if (!smc_tool_find(tool, job->tool))
        return smc_fail(error, SMC_UNAVAILABLE,
                        "%s: needs %s of the CUDA Toolkit, which is neither on PATH nor in "
                        "$CUDA_HOME/bin",
                        compilation->file, tool);
    enum smc_status status = smc_tool_folder_make(job->folder, error);
    if (status != SMC_OK)
        return status;
    snprintf(job->cubin, sizeof job->cubin, "%s/out.cubin", job->folder);
    snprintf(job->architecture, sizeof job->architecture, "-arch=sm_%u%.1s", target->cc,
             &target->suffix);
    return SMC_OK;
}

/* Standard input, and what is not a file of its own, is written to one: the tools read files. */
static enum smc_status give_source(struct job *job, const char *name, struct smc_error *error)
{
    const struct smc_compilation *compilation = job->compilation;
    if (strcmp(compilation->file, "-") != 0 && !compilation->is_part)
        return smc_tool_file(compilation->file, job->source, error);
    snprintf(job->source, sizeof job->source, "%s/%s", job->folder, name);
    FILE *file = fopen(job->source, "w");
    bool written = file && fputs(compilation->text, file) >= 0;
    if (file)
        written = fclose(file) == 0 && written;
    return written ? SMC_OK : smc_fail(error, SMC_MACHINE, "%s: %s", job->source, strerror(errno));
}

static void read_binary(const char *path, struct smc_binary *binary)
{
    struct smc_text bytes = {0};
    struct smc_error ignored;
    if (smc_input_read(path, &bytes, &ignored) == SMC_OK && bytes.length > 0)
        *binary = (struct smc_binary){.cubin = bytes.data, .cubin_bytes = bytes.length};
    else
        smc_text_free(&bytes);
}

/* The PTX that nvcc kept; its name follows the source's. */
static void read_ptx(const char *folder, struct smc_text *ptx)
{
    DIR *files = opendir(folder);
    smc_memory_status(files ? 0 : errno, SMC_OK);
    struct dirent *file;
    while (files && (file = readdir(files))) {
        const char *dot = strrchr(file->d_name, '.');
        char path[SMC_TOOL_PATH + 300];
        struct smc_error ignored;
        snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
        if (dot && strcmp(dot, ".ptx") == 0)
            (void)smc_input_read(path, ptx, &ignored);
    }
    if (files)
        closedir(files);
}

/* Of the architectures that nvcc lists, "sm_75" each; 0: it lists none. */
static uint16_t find_oldest_of_nvcc(const struct job *job)
{
    const char *const argv[] = {job->tool, "--list-gpu-code", NULL};
    struct smc_text list = {0};
    struct smc_error ignored;
    bool succeeded = false;
    unsigned oldest = 0;
    if (smc_tool_run(argv, job->folder, &list, &succeeded, &ignored) == SMC_OK && succeeded)
        for (const char *at = smc_text_string(&list); (at = strstr(at, "sm_")); at++) {
            unsigned long cc = strtoul(at + 3, NULL, 10);
            oldest =
                cc > 0 && cc < UINT16_MAX && (oldest == 0 || cc < oldest) ? (unsigned)cc : oldest;
        }
    smc_text_free(&list);
    return (uint16_t)oldest;
}

static enum smc_status run(const struct job *job, const char *const *argv,
                           struct smc_nvrtc_output *output, struct smc_error *error)
{
    bool succeeded = false;
    enum smc_status status = smc_tool_run(argv, job->folder, &output->log, &succeeded, error);
    if (status != SMC_OK)
        return status;
    smc_input_make_text(&output->log);
    if (!succeeded && !was_refused(&output->log))
        return fail_to_compile(job->compilation, job->source, &output->log, error);
    read_binary(job->cubin, &output->binary);
    return SMC_OK;
}

/* Splits the options at blanks, in place, and appends them to `argv`. */
static enum smc_status add_own(char *options, const char **argv, size_t count,
                               struct smc_error *error)
{
    char *rest = NULL;
    const size_t most = MAX_ARGUMENTS - 1 - count;
    size_t given = 0;
    for (char *word = strtok_r(options, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (given == most)
            return smc_fail(error, SMC_USAGE, "option --compiler-options: more than %zu options",
                            most);
        argv[count + given++] = word;
    }
    argv[count + given] = NULL;
    return SMC_OK;
}

static enum smc_status run_nvcc(struct job *job, struct smc_nvrtc_output *output,
                                struct smc_error *error)
{
    const struct smc_inspect_request *request = job->compilation->request;
    const char *own = request->compiler_options;
    char *options = smc_strdup(own ? own : "");
    const char *const fixed[] = {job->tool,  job->architecture, "-cubin",     "-Xptxas",
                                 "-v",       "--keep",          "--keep-dir", job->folder,
                                 "-o",       job->cubin,        "-x",         "cu",
                                 job->source};
    const size_t more = request->compiler_argument_count;
    size_t count = sizeof fixed / sizeof *fixed;
    const char **argv = smc_calloc(MAX_ARGUMENTS + more, sizeof *argv);
    if (!options || !argv) {
        free(options);
        free(argv);
        return smc_out_of_memory(error);
    }
    memcpy(argv, fixed, sizeof fixed);
    if (lacks_lines(request))
        argv[count++] = "-lineinfo";
    for (size_t i = 0; i < more; i++)
        argv[count + i] = request->compiler_arguments[i];
    enum smc_status status = add_own(options, argv + more, count, error);
    output->option_refused = status == SMC_USAGE;
    if (status == SMC_OK)
        status = run(job, argv, output, error);
    if (status == SMC_UNAVAILABLE)
        fail_unsupported(job->compilation, "nvcc", find_oldest_of_nvcc(job), error);
    if (status == SMC_OK)
        read_ptx(job->folder, &output->ptx);
    free(argv);
    free(options);
    return status;
}

enum smc_status smc_compile_with_nvcc(const struct smc_compilation *compilation,
                                      struct smc_nvrtc_output *output, struct smc_error *error)
{
    struct job job;
    enum smc_status status = check_options(compilation, error);
    output->option_refused = status != SMC_OK;
    if (status == SMC_OK)
        status = begin(compilation, "nvcc", &job, error);
    if (status != SMC_OK)
        return status;
    status = give_source(&job, "stdin.cu", error);
    if (status == SMC_OK)
        status = run_nvcc(&job, output, error);
    smc_tool_folder_remove(job.folder);
    return status;
}

enum smc_status smc_compile_with_ptxas(const struct smc_compilation *compilation,
                                       struct smc_nvrtc_output *output, struct smc_error *error)
{
    struct job job;
    enum smc_status status = begin(compilation, "ptxas", &job, error);
    if (status != SMC_OK)
        return status;
    status = give_source(&job, "stdin.ptx", error);
    const char *argv[] = {job.tool, job.architecture, "-v", "-o", job.cubin, job.source, NULL};
    if (status == SMC_OK)
        status = run(&job, argv, output, error);
    if (status == SMC_OK)
        smc_text_append(&output->ptx, compilation->text);
    smc_tool_folder_remove(job.folder);
    return status;
}
