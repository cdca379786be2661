/* Source through nvcc, PTX through ptxas. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compile/ptxas_log.h"
#include "inspect/compilers.h"
#include "inspect/input.h"
#include "inspect/tools.h"

enum { MAX_ARGUMENTS = 64, ARCHITECTURE_BYTES = 32 };

/* One run of a tool. */
struct job {
    const struct smc_compilation *compilation;
    char tool[SMC_TOOL_PATH];
    char folder[SMC_TOOL_PATH];
    char source[SMC_TOOL_FILE]; /* the file that the tool is given */
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

/* Standard input is written to a file, for the tools take none. */
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
    if (!succeeded && !smc_compile_was_refused(&output->log))
        return smc_compile_fail(job->compilation, job->source, &output->log, error);
    read_binary(job->cubin, &output->binary);
    return SMC_OK;
}

/* Cuts the options at blanks, in place, behind those that are there. */
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
    const char *argv[MAX_ARGUMENTS] = {job->tool, job->architecture, "-cubin",     "-Xptxas",
                                       "-v",      "--keep",          "--keep-dir", job->folder,
                                       "-o",      job->cubin,        job->source};
    if (!options)
        return smc_out_of_memory(error);
    enum smc_status status = add_own(options, argv, 11, error);
    if (status == SMC_OK)
        status = run(job, argv, output, error);
    if (status == SMC_OK)
        read_ptx(job->folder, &output->ptx);
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
