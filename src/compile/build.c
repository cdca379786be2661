/* Compiling one kernel with one NVRTC, or reading the outcome from the cache. */
#include "compile/build.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compile/cubin.h"
#include "compile/nvrtc.h"
#include "compile/ptxas_log.h"

/* A cache entry begins with the members of struct smc_resources from regs_per_thread up to reason;
   the machine code and the PTX follow. If they change, write_key needs a new version number. */
enum {
    NUMBERS = offsetof(struct smc_resources, regs_per_thread),
    NUMBERS_BYTES = offsetof(struct smc_resources, reason) - NUMBERS,
};

struct record {
    unsigned char numbers[NUMBERS_BYTES];
    uint32_t cubin_bytes; /* the PTX is the rest */
};

/* -lineinfo changes neither the code nor the time; it lets a tool name source lines. */
static void write_options(const struct smc_build *build, struct smc_text *options)
{
    smc_nvrtc_write_log_options(&build->place->info, options);
    smc_text_printf(options,
                    "--gpu-architecture=sm_%u\n-default-device\n--std=c++17\n-lineinfo\n%s",
                    build->cc, build->defines);
    if (build->source->includes && !strchr(build->source->folder, '\n'))
        smc_text_printf(options, "--include-path=%s\n", build->source->folder);
}

/* Everything that the outcome depends on. */
static void write_key(const struct smc_build *build, const char *options, struct smc_text *key)
{
    const struct smc_nvrtc_place *place = build->place;
    smc_text_printf(key, "smemcalc build 3\nnvrtc %d.%d, %lld bytes\n%s %s\n%s\n",
                    place->info.major, place->info.minor, (long long)place->file.bytes,
                    build->kernel->file, build->kernel->entry, options);
    smc_text_append_bytes(key, smc_text_string(&build->source->text), build->source->text.length);
}

/* Copies the machine code and the PTX; either may be missing. */
static enum smc_status copy_binary(const void *cubin, size_t cubin_bytes, const char *ptx,
                                   size_t ptx_bytes, struct smc_binary *binary,
                                   struct smc_error *error)
{
    if (!binary)
        return SMC_OK;
    binary->cubin = cubin_bytes ? smc_malloc(cubin_bytes) : NULL;
    binary->ptx = ptx_bytes ? smc_malloc(ptx_bytes + 1) : NULL;
    if ((cubin_bytes && !binary->cubin) || (ptx_bytes && !binary->ptx)) {
        smc_binary_free(binary);
        return smc_out_of_memory(error);
    }
    if (cubin_bytes)
        memcpy(binary->cubin, cubin, cubin_bytes);
    if (ptx_bytes) {
        memcpy(binary->ptx, ptx, ptx_bytes);
        binary->ptx[ptx_bytes] = '\0';
    }
    binary->cubin_bytes = cubin_bytes;
    binary->ptx_bytes = ptx_bytes;
    return SMC_OK;
}

static void store(const struct smc_resources *resources, const struct smc_nvrtc_output *output,
                  const struct smc_text *key, struct smc_cache *cache)
{
    struct record record = {.cubin_bytes = (uint32_t)output->binary.cubin_bytes};
    struct smc_text value = {0};
    memcpy(record.numbers, (const char *)resources + NUMBERS, NUMBERS_BYTES);
    smc_text_append_bytes(&value, (const char *)&record, sizeof record);
    if (output->binary.cubin_bytes)
        smc_text_append_bytes(&value, output->binary.cubin, output->binary.cubin_bytes);
    if (output->ptx.length)
        smc_text_append_bytes(&value, output->ptx.data, output->ptx.length);
    if (!value.failed)
        smc_cache_write(cache, key, value.data, value.length);
    smc_text_free(&value);
}

static bool restore(struct smc_cache *cache, const struct smc_text *key, struct smc_text *value,
                    struct smc_resources *resources, size_t *cubin_bytes)
{
    struct record record;
    if (!smc_cache_read(cache, key, value) || value->length < sizeof record)
        return false;
    memcpy(&record, value->data, sizeof record);
    if (record.cubin_bytes > value->length - sizeof record)
        return false;
    *cubin_bytes = record.cubin_bytes;
    resources->from_cache = true;
    memcpy((char *)resources + NUMBERS, record.numbers, NUMBERS_BYTES);
    return true;
}

/* If an edited kernel is rejected, the user must correct it. The built-in kernels compile, so if
   one fails, this NVRTC is the cause. */
static enum smc_status explain_failure(const struct smc_build *build,
                                       enum smc_nvrtc_outcome outcome, const char *log,
                                       struct smc_error *error)
{
    const struct smc_source *source = build->source;
    char text[800];
    smc_log_first_error(log, build->kernel->file, source->shown, text, sizeof text);
    if (build->log)
        smc_text_append(build->log, log);
    if (outcome == SMC_NVRTC_REJECTED && source->is_edited) {
        bool named = strncmp(text, source->shown, strlen(source->shown)) == 0;
        return smc_fail(error, SMC_USAGE, "%s%s%s", named ? "" : source->shown, named ? "" : ": ",
                        text[0] ? text : "does not compile");
    }
    return smc_fail(error, SMC_UNAVAILABLE, "NVRTC %d.%d (%s): %s", build->place->info.major,
                    build->place->info.minor, build->place->info.path,
                    text[0] ? text : "it failed without a reason");
}

static enum smc_status read_output(const struct smc_build *build, enum smc_nvrtc_outcome outcome,
                                   const struct smc_nvrtc_output *output,
                                   struct smc_resources *resources, struct smc_error *error)
{
    const char *entry = build->kernel->entry, *log = smc_text_string(&output->log);
    bool has_barriers;
    enum smc_ptxas_reading reading = smc_ptxas_log_read(log, entry, resources, &has_barriers);
    if (reading == SMC_PTXAS_REFUSED && outcome == SMC_NVRTC_REJECTED)
        return SMC_OK;
    if (outcome != SMC_NVRTC_COMPILED)
        return explain_failure(build, outcome, log, error);
    if (reading != SMC_PTXAS_READ)
        return smc_fail(error, build->source->is_edited ? SMC_USAGE : SMC_UNAVAILABLE,
                        "%s: no kernel extern \"C\" %s", build->source->shown, entry);
    struct smc_error reason;
    if (has_barriers || smc_cubin_read_barriers(output->binary.cubin, output->binary.cubin_bytes,
                                                entry, &resources->barriers, &reason) == SMC_OK)
        return SMC_OK;
    return smc_fail(error, SMC_UNAVAILABLE, "%s: %s", build->source->shown, reason.message);
}

static enum smc_status compile(const struct smc_build *build, const char *options,
                               const struct smc_text *key, struct smc_cache *cache,
                               struct smc_resources *resources, struct smc_binary *binary,
                               struct smc_error *error)
{
    struct smc_nvrtc nvrtc;
    struct smc_nvrtc_info info;
    struct smc_nvrtc_output output;
    enum smc_status status = smc_nvrtc_open(build->place->info.path, &nvrtc, &info, error);
    if (status != SMC_OK)
        return status == SMC_MACHINE ? status : SMC_UNAVAILABLE;
    enum smc_nvrtc_outcome outcome = smc_nvrtc_compile(
        &nvrtc, smc_text_string(&build->source->text), build->kernel->file, options, &output);
    struct smc_resources read = *resources;
    status = read_output(build, outcome, &output, &read, error);
    if (status == SMC_OK) {
        if (read.refused) { /* ptxas reports registers even for a kernel that it refuses */
            read.regs_per_thread = read.static_smem_bytes = read.barriers = 0;
            read.stack_bytes = read.spill_store_bytes = read.spill_load_bytes = 0;
        }
        *resources = read;
        if (!build->source->includes)
            store(resources, &output, key, cache);
        status = copy_binary(output.binary.cubin, output.binary.cubin_bytes, output.ptx.data,
                             output.ptx.length, binary, error);
    }
    smc_nvrtc_output_free(&output);
    return status;
}

enum smc_status smc_build_run(const struct smc_build *build, struct smc_cache *cache,
                              struct smc_resources *resources, struct smc_binary *binary,
                              struct smc_error *error)
{
    struct smc_text options = {0}, key = {0}, value = {0};
    size_t cubin_bytes = 0;
    enum smc_status status;
    resources->source = SMC_RESOURCES_NVRTC;
    resources->cc = build->cc;
    resources->nvrtc_major = build->place->info.major;
    resources->nvrtc_minor = build->place->info.minor;
    write_options(build, &options);
    write_key(build, smc_text_string(&options), &key);
    if (options.failed || key.failed)
        status = smc_out_of_memory(error);
    else if (!build->source->includes && restore(cache, &key, &value, resources, &cubin_bytes))
        status = copy_binary(value.data + sizeof(struct record), cubin_bytes,
                             value.data + sizeof(struct record) + cubin_bytes,
                             value.length - sizeof(struct record) - cubin_bytes, binary, error);
    else
        status = compile(build, options.data, &key, cache, resources, binary, error);
    smc_text_free(&options);
    smc_text_free(&key);
    smc_text_free(&value);
    return status;
}
