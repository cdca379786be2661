/* Compiles source with nvcc, and PTX with ptxas. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "code/inputs.h"
#include "code/readers/compilation.h"
#include "code/readers/nvcc_commands.h"
#include "code/tools.h"

enum { MAX_ARGUMENTS = 65, ARCHITECTURE_BYTES = 32 };

/* A single run of a tool. */
struct job {
    const struct smc_compilation *compilation;
    char tool[SMC_TOOL_PATH];
    char folder[SMC_TOOL_PATH];
    char source[SMC_TOOL_FILE]; /* the tool's input file */
    const char *called;         /* its name in the tool's messages */
    char cubin[SMC_TOOL_PATH + 16];
    char architecture[ARCHITECTURE_BYTES];
};

static enum smc_status toolkit_compilers_begin(const struct smc_compilation *compilation,
                                               const char *tool, struct job *job,
                                               struct smc_error *error)
{
    const struct smc_inspect_target *target = &compilation->target;
    *job = (struct job){.compilation = compilation};
    if (!smc_tool_find(tool, job->tool))
        return smc_fail(error, SMC_UNAVAILABLE,
                        "%s: needs %s of the CUDA Toolkit, which is neither on PATH nor in "
                        "$CUDA_HOME/bin",
                        compilation->file, tool);
    SMC_TRY(smc_tool_folder_make(job->folder, error));
    snprintf(job->cubin, sizeof job->cubin, "%s/out.cubin", job->folder);
    snprintf(job->architecture, sizeof job->architecture, "-arch=sm_%u%.1s", target->cc,
             &target->suffix);
    return SMC_OK;
}

/* Whether a tool can read the file itself. A pipe was already read. */
static bool is_readable(const struct smc_compilation *compilation)
{
    return !compilation->is_standard_input && !compilation->is_part &&
           smc_file_is_regular(compilation->file);
}

/* The tools read files, so that text from elsewhere is written to one, after `start`. */
static enum smc_status give_source(struct job *job, const char *name, const char *start,
                                   struct smc_error *error)
{
    const struct smc_compilation *compilation = job->compilation;
    job->called = job->source;
    if (is_readable(compilation))
        return smc_tool_file(compilation->file, job->source, error);
    if (*start)
        job->called = compilation->file;
    snprintf(job->source, sizeof job->source, "%s/%s", job->folder, name);
    FILE *file = fopen(job->source, "w");
    bool written = file && fputs(start, file) >= 0 && fputs(compilation->text, file) >= 0;
    if (file)
        written = fclose(file) == 0 && written;
    return written ? SMC_OK : smc_fail(error, SMC_MACHINE, "%s: %s", job->source, strerror(errno));
}

/* Reads a file that a tool wrote; it need not have written one. */
static enum smc_status read_written(const char *path, struct smc_text *bytes,
                                    struct smc_error *error)
{
    struct stat status;
    if (stat(path, &status) != 0 && errno == ENOENT)
        return SMC_OK;
    return smc_input_read(path, bytes, error) == SMC_OK ? SMC_OK : SMC_MACHINE;
}

static enum smc_status read_binary(const char *path, struct smc_binary *binary,
                                   struct smc_error *error)
{
    struct smc_text bytes = {0};
    enum smc_status status = read_written(path, &bytes, error);
    if (status == SMC_OK && bytes.length > 0)
        *binary = (struct smc_binary){.cubin = bytes.data, .cubin_bytes = bytes.length};
    else
        smc_text_free(&bytes);
    return status;
}

/* Appends the files with this suffix that nvcc kept. */
static enum smc_status read_kept(const char *folder, const char *end, struct smc_text *text,
                                 struct smc_error *error)
{
    DIR *files = opendir(folder);
    if (!files)
        return smc_fail(error, smc_memory_status(errno, SMC_MACHINE), "%s: %s", folder,
                        strerror(errno));
    enum smc_status status = SMC_OK;
    errno = 0;
    for (struct dirent *file; status == SMC_OK && (file = readdir(files)); errno = 0) {
        const char *dot = strrchr(file->d_name, '.');
        char path[SMC_TOOL_PATH + 300];
        snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
        if (dot && strcmp(dot, end) == 0)
            status = read_written(path, text, error);
    }
    if (status == SMC_OK && errno != 0)
        status = smc_fail(error, SMC_MACHINE, "%s: %s", folder, strerror(errno));
    closedir(files);
    return status;
}

static enum smc_status toolkit_compilers_run(const struct job *job, const char *const *argv,
                                             struct smc_nvrtc_output *output,
                                             struct smc_error *error)
{
    bool succeeded = false;
    SMC_TRY(smc_tool_run(argv, job->folder, &output->log, &succeeded, error));
    smc_input_make_text(&output->log);
    if (!succeeded && !smc_compilation_was_refused(&output->log))
        return smc_compilation_fail(job->compilation, job->called, &output->log, error);
    return read_binary(job->cubin, &output->binary, error);
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

/* What the dry run depends on: nvcc with its profile, the arguments, the environment. It says which
   programs nvcc would start, whose identities are looked up each time. */
static void write_dry_key(const struct job *job, const char *const *argv, struct smc_text *key)
{
    static const char *const variables[] = {"PATH",       "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS",
                                            "NVCC_CCBIN", "CUDA_HOME",          "CUDA_PATH"};
    char path[SMC_TOOL_PATH + 16], current[SMC_TOOL_PATH];
    const char *slash = strrchr(job->tool, '/');
    smc_text_printf(key, "smemcalc dry run 1, %s\n%s\n", PACKAGE_VERSION,
                    getcwd(current, sizeof current) ? current : "");
    smc_tool_write_identity(job->tool, key);
    snprintf(path, sizeof path, "%.*s/nvcc.profile", slash ? (int)(slash - job->tool) : 1,
             slash ? job->tool : ".");
    smc_tool_write_identity(path, key);
    for (size_t i = 0; argv[i]; i++) /* the folder's name differs each time */
        smc_text_printf(key, "%s\n",
                        strncmp(argv[i], job->folder, strlen(job->folder)) == 0
                            ? argv[i] + strlen(job->folder)
                            : argv[i]);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        smc_text_printf(key, "%s=%s\n", variables[i], value ? value : "");
    }
}

/* Completes the key by what nvcc would do. False: it does not say, so nothing is cached. */
static bool complete_key(const char *dry_run, const char *folder, const struct job *job,
                         struct smc_text *key)
{
    smc_tool_write_identity(job->tool, key);
    if (smc_nvcc_write_commands(dry_run, folder, key))
        return true;
    smc_text_free(key);
    return false;
}

/* Asks nvcc what it would do, and keeps the answer, after the folder that it names. */
static enum smc_status ask_nvcc(const struct job *job, const char *const *dry_argv,
                                const struct smc_text *dry_key, struct smc_output_cache *cache,
                                struct smc_error *error)
{
    smc_auto_text log = {0}, value = {0};
    bool succeeded = false;
    enum smc_status status = smc_tool_run(dry_argv, job->folder, &log, &succeeded, error);
    smc_input_make_text(&log);
    if (!succeeded || log.failed) {
        smc_text_free(&cache->key);
    } else if (complete_key(smc_text_string(&log), job->folder, job, &cache->key)) {
        smc_text_printf(&value, "%s\n%s", job->folder, smc_text_string(&log));
        if (!value.failed && !dry_key->failed)
            smc_cache_write(&cache->cache, dry_key, value.data, value.length);
    }
    return status;
}

/* Looks for the outcome by what nvcc said that it would do the last time. The key is then as it was
   before. */
static bool find_as_before(const struct job *job, const struct smc_text *dry_key,
                           struct smc_output_cache *cache, struct smc_compile_outcome *outcome)
{
    smc_auto_text value = {0};
    const size_t bare = cache->key.length;
    bool found = false;
    const bool is_read = !dry_key->failed && smc_cache_read(&cache->cache, dry_key, &value);
    char *end = is_read && value.data ? strchr(value.data, '\n') : NULL;
    if (end) {
        *end = '\0';
        found = complete_key(end + 1, value.data, job, &cache->key) &&
                smc_output_cache_find(cache, outcome);
    }
    if (!found)
        smc_text_cut(&cache->key, bare);
    return found;
}

/* nvcc puts the current folder before the name that the text was given. */
static void shorten_name(const struct job *job, struct smc_text *ptx)
{
    char folder[SMC_TOOL_PATH];
    smc_auto_text full = {0};
    if (job->called == job->source || !getcwd(folder, sizeof folder))
        return;
    smc_text_printf(&full, "\"%s/%s\"", folder, job->called);
    char *name = full.failed || !ptx->data ? NULL : strstr(ptx->data, full.data);
    const size_t cut = strlen(folder) + 1;
    if (name) {
        memmove(name + 1, name + 1 + cut, strlen(name + cut));
        smc_text_cut(ptx, ptx->length - cut);
    }
}

/* Adds the user's file, which the preprocessed text does not name as included. */
static void store_of_nvcc(const struct job *job, struct smc_output_cache *cache,
                          const struct smc_compile_outcome *outcome)
{
    smc_auto_text preprocessed = {0}, files = {0};
    struct smc_error ignored;
    bool is_known =
        cache->key.length == 0 || read_kept(job->folder, ".ii", &preprocessed, &ignored) == SMC_OK;
    if (job->called == job->source)
        smc_text_printf(&files, "u%s\n", job->source);
    if (is_known && smc_nvcc_write_included(smc_text_string(&preprocessed), &files))
        smc_output_cache_store(cache, &files, outcome);
}

/* Compiles, unless the cache has it or may alone be asked. The first argument is for the dry run,
   and is replaced after it. */
static void find_or_compile(const struct job *job, const char **argv,
                            struct smc_output_cache *cache, struct smc_compile_outcome *outcome)
{
    smc_auto_text dry_key = {0};
    bool found = false;
    if (cache->key.length > 0) {
        write_dry_key(job, argv, &dry_key);
        found = find_as_before(job, &dry_key, cache, outcome);
    }
    if (!found && job->compilation->only_cached)
        outcome->status = smc_fail(&outcome->error, SMC_UNAVAILABLE, "not compiled before");
    else if (!found && cache->key.length > 0) {
        outcome->status = ask_nvcc(job, argv, &dry_key, cache, &outcome->error);
        found = outcome->status == SMC_OK && smc_output_cache_find(cache, outcome);
    }
    if (found || outcome->status != SMC_OK)
        return;
    argv[1] = argv[0];
    outcome->status = toolkit_compilers_run(job, argv + 1, outcome->output, &outcome->error);
    if (outcome->status == SMC_OK)
        outcome->status = read_kept(job->folder, ".ptx", &outcome->output->ptx, &outcome->error);
    shorten_name(job, &outcome->output->ptx);
    store_of_nvcc(job, cache, outcome);
}

static enum smc_status run_or_find(const struct job *job, const char **argv,
                                   struct smc_nvrtc_output *output, struct smc_error *error)
{
    SMC_AUTO(smc_output_cache_free) struct smc_output_cache cache;
    struct smc_compile_outcome outcome = {.output = output};
    smc_compilation_open_cache(job->compilation, &cache);
    find_or_compile(job, argv, &cache, &outcome);
    if (outcome.status != SMC_OK)
        *error = outcome.error;
    smc_text_free(&outcome.warnings);
    return outcome.status;
}

/* The oldest of the architectures that nvcc lists as "sm_75"; 0: it lists none. */
static uint16_t toolkit_compilers_find_oldest(const struct job *job)
{
    const char *const argv[] = {job->tool, "--list-gpu-code", NULL};
    smc_auto_text list = {0};
    struct smc_error ignored;
    bool succeeded = false;
    unsigned long oldest = 0;
    if (smc_tool_run(argv, job->folder, &list, &succeeded, &ignored) == SMC_OK && succeeded)
        for (const char *at = smc_text_string(&list); (at = strstr(at, "sm_")); at++) {
            unsigned long cc = strtoul(at + 3, NULL, 10);
            oldest = cc > 0 && cc < UINT16_MAX && (oldest == 0 || cc < oldest) ? cc : oldest;
        }
    return (uint16_t)oldest;
}

static enum smc_status run_nvcc(struct job *job, struct smc_nvrtc_output *output,
                                struct smc_error *error)
{
    const struct smc_inspect_request *request = job->compilation->request;
    const char *own = request->compiler_options;
    smc_auto_free char *options = smc_strdup(own ? own : "");
    const char *const fixed[] = {job->tool,   "--dryrun", job->architecture, "-cubin",
                                 "-Xptxas",   "-v",       "--keep",          "--keep-dir",
                                 job->folder, "-o",       job->cubin,        "-x",
                                 "cu",        job->source};
    const size_t more = request->compiler_argument_count;
    size_t count = sizeof fixed / sizeof *fixed;
    smc_auto_free const char **argv = smc_calloc(MAX_ARGUMENTS + more, sizeof *argv);
    if (!options || !argv)
        return smc_out_of_memory(error);
    memcpy(argv, fixed, sizeof fixed);
    if (smc_compilation_lacks_lines(request))
        argv[count++] = "-lineinfo";
    for (size_t i = 0; i < more; i++)
        argv[count + i] = request->compiler_arguments[i];
    enum smc_status status = add_own(options, argv + more, count, error);
    output->option_refused = status == SMC_USAGE;
    if (status == SMC_OK)
        status = run_or_find(job, argv, output, error);
    if (status == SMC_UNAVAILABLE && !job->compilation->only_cached)
        smc_compilation_fail_unsupported(job->compilation, "nvcc",
                                         toolkit_compilers_find_oldest(job), output, error);
    return status;
}

enum smc_status smc_compile_with_nvcc(const struct smc_compilation *compilation,
                                      struct smc_nvrtc_output *output, struct smc_error *error)
{
    struct job job;
    smc_auto_text start = {0};
    SMC_TRY(toolkit_compilers_begin(compilation, "nvcc", &job, error));
    smc_compilation_write_line(compilation->file, &start);
    enum smc_status status = start.failed
                                 ? smc_out_of_memory(error)
                                 : give_source(&job, "stdin.cu", smc_text_string(&start), error);
    if (status == SMC_OK)
        status = run_nvcc(&job, output, error);
    smc_tool_folder_remove(job.folder);
    return status;
}

/* ptxas reads nothing but the PTX. */
static enum smc_status run_ptxas(const struct job *job, struct smc_nvrtc_output *output,
                                 struct smc_error *error)
{
    const char *argv[] = {job->tool, job->architecture, "-v", "-o", job->cubin, job->source, NULL};
    SMC_AUTO(smc_output_cache_free) struct smc_output_cache cache;
    struct smc_compile_outcome outcome = {.output = output};
    smc_compilation_open_cache(job->compilation, &cache);
    if (cache.key.length > 0) {
        smc_tool_write_identity(job->tool, &cache.key);
        smc_text_append(&cache.key, job->architecture);
    }
    if (!smc_output_cache_find(&cache, &outcome)) {
        outcome.status = toolkit_compilers_run(job, argv, output, &outcome.error);
        if (outcome.status == SMC_OK) {
            smc_text_append(&output->ptx, job->compilation->text);
            smc_output_cache_store(&cache, &(struct smc_text){0}, &outcome);
        }
    }
    if (outcome.status != SMC_OK)
        *error = outcome.error;
    smc_text_free(&outcome.warnings);
    return outcome.status;
}

enum smc_status smc_compile_with_ptxas(const struct smc_compilation *compilation,
                                       struct smc_nvrtc_output *output, struct smc_error *error)
{
    struct job job;
    SMC_TRY(toolkit_compilers_begin(compilation, "ptxas", &job, error));
    enum smc_status status = give_source(&job, "stdin.ptx", "", error);
    if (status == SMC_OK)
        status = run_ptxas(&job, output, error);
    smc_tool_folder_remove(job.folder);
    return status;
}
