/* Source through NVRTC: no toolkit is needed, but it takes no host code. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "compile/nvrtc.h"
#include "compile/ptxas_log.h"
#include "inspect/compilers.h"

bool smc_compile_was_refused(const struct smc_text *log)
{
    struct smc_log_reader reader = {.cursor = smc_text_string(log)};
    struct smc_log_kernel kernel;
    while (smc_log_next(&reader, &kernel))
        if (kernel.resources.refused)
            return true;
    return false;
}

enum smc_status smc_compile_fail(const struct smc_compilation *compilation, const char *compiled,
                                 const struct smc_text *log, struct smc_error *error)
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

/* The toolkit's headers lie beside its libraries. */
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

static void write_options(const struct smc_compilation *compilation, const char *library,
                          const struct smc_nvrtc_info *info, struct smc_text *options)
{
    const struct smc_inspect_target *target = &compilation->target;
    const char *slash = strrchr(compilation->file, '/');
    smc_nvrtc_write_log_options(info, options);
    smc_text_printf(options, "--gpu-architecture=sm_%u%.1s\n", target->cc, &target->suffix);
    append_own(compilation->request->compiler_options, options);
    append_folder(slash ? compilation->file : ".", slash ? (int)(slash - compilation->file + 1) : 1,
                  options);
    append_toolkit_folders(library, options);
}

/* What --device decides, among a person's own options; NULL: nothing. */
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
    if (outcome == SMC_NVRTC_COMPILED || smc_compile_was_refused(&output->log))
        return SMC_OK;
    if (outcome == SMC_NVRTC_REJECTED || output->log.length > 0) /* an option, or the text */
        return smc_compile_fail(compilation, compilation->file, &output->log, error);
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
