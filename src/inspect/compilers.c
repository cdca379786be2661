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

static void append_own(const char *list, struct smc_text *options)
{
    while (list && *list) {
        size_t length = strcspn(list, " ");
        if (length > 0)
            smc_text_printf(options, "%.*s\n", (int)length, list);
        list += length + (list[length] != '\0');
    }
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
    smc_nvrtc_write_log_options(info, options);
    smc_text_printf(options, "--gpu-architecture=sm_%u%.1s\n", target->cc, &target->suffix);
    if (lacks_lines(compilation->request))
        smc_text_append(options, "-lineinfo\n");
    append_own(compilation->request->compiler_options, options);
    for (size_t i = 0; i < compilation->request->compiler_argument_count; i++)
        smc_text_printf(options, "%s\n", compilation->request->compiler_arguments[i]);
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

static enum smc_status compile_at(const struct smc_compilation *compilation,
                                  const struct smc_nvrtc_place *place,
                                  struct smc_nvrtc_output *output, struct smc_error *error)
{
    struct smc_nvrtc nvrtc;
    struct smc_nvrtc_info info;
    struct smc_text options = {0};
    const char *architecture = find_architecture(compilation->request->compiler_options);
    if (architecture)
        return smc_fail(error, SMC_USAGE,
                        "option --compiler-options: '%.*s' is for --device to say",
                        (int)strcspn(architecture, " "), architecture);
    enum smc_status status = smc_nvrtc_open(place->info.path, &nvrtc, &info, error);
    if (status != SMC_OK)
        return status == SMC_MACHINE ? status : SMC_UNAVAILABLE;
    write_options(compilation, place->info.path, &info, &options);
    enum smc_nvrtc_outcome outcome = SMC_NVRTC_FAILED;
    if (!options.failed)
        outcome = smc_nvrtc_compile(&nvrtc, compilation->text, compilation->file,
                                    smc_text_string(&options), output);
    smc_text_free(&options);
    output->nvrtc_major = info.major;
    output->nvrtc_minor = info.minor;
    if (outcome == SMC_NVRTC_COMPILED || was_refused(&output->log))
        return SMC_OK;
    if (outcome == SMC_NVRTC_REJECTED || output->log.length > 0) /* a bad option, or an error in the
                                                                    source */
        return fail_to_compile(compilation, compilation->file, &output->log, error);
    return smc_fail(error, SMC_UNAVAILABLE, "%s: NVRTC %d.%d (%s) failed", compilation->file,
                    info.major, info.minor, info.path);
}

enum smc_status smc_compile_with_nvrtc(const struct smc_compilation *compilation,
                                       struct smc_nvrtc_output *output, struct smc_error *error)
{
    struct smc_nvrtc_search search;
    struct smc_cache cache;
    uint16_t cc = compilation->target.cc;
    smc_cache_open(&cache, compilation->request->no_cache, compilation->warnings);
    const struct smc_nvrtc_place *place = smc_nvrtc_find(&cache, cc, &search);
    if (place)
        return compile_at(compilation, place, output, error);
    if (search.out_of_memory)
        return smc_fail(error, SMC_MACHINE, "%s", search.problem);
    return smc_fail(error, SMC_UNAVAILABLE, "%s: no NVRTC was found that compiles for sm_%u",
                    compilation->file, cc);
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

/* Standard input is written to a file, because the tools do not read it. */
static enum smc_status give_source(struct job *job, const char *name, struct smc_error *error)
{
    const struct smc_compilation *compilation = job->compilation;
    if (strcmp(compilation->file, "-") != 0)
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
    const char *own = job->compilation->request->compiler_options;
    char *options = smc_strdup(own ? own : "");
    const char *const fixed[] = {job->tool, job->architecture, "-cubin",     "-Xptxas",
                                 "-v",      "--keep",          "--keep-dir", job->folder,
                                 "-o",      job->cubin,        job->source};
    const struct smc_inspect_request *request = job->compilation->request;
    size_t more = request->compiler_argument_count;
    const char **argv = smc_calloc(MAX_ARGUMENTS + more, sizeof *argv);
    if (!options || !argv) {
        free(options);
        free(argv);
        return smc_out_of_memory(error);
    }
    memcpy(argv, fixed, sizeof fixed);
    for (size_t i = 0; i < more; i++)
        argv[11 + i] = request->compiler_arguments[i];
    enum smc_status status = add_own(options, argv + more, 11, error);
    if (status == SMC_OK)
        status = run(job, argv, output, error);
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
    enum smc_status status = begin(compilation, "nvcc", &job, error);
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
