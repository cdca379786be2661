/* Compiling one kernel with one NVRTC, unless the question has done so before or the cache has the
   outcome. */
#include "code/compile/build.h"

#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "code/compilers.h"
#include "code/machine_code.h"
#include "code/nvrtc.h"
#include "code/ptxas_log.h"

/* A cache entry begins with the members of struct smc_resources from regs_per_thread up to reason;
   the machine code and the PTX follow. If they change, write_key needs a new version number. */
enum {
    NUMBERS = offsetof(struct smc_resources, regs_per_thread),
    NUMBERS_BYTES = offsetof(struct smc_resources, reason) - NUMBERS,
};

struct build_record {
    unsigned char numbers[NUMBERS_BYTES];
    uint32_t cubin_bytes; /* the PTX is the rest */
};

/* -lineinfo changes neither the code nor the time; it lets a tool name source lines. */
static void build_write_options(const struct smc_build *build, struct smc_text *options)
{
    struct smc_inspect_target target = {.cc = build->cc};
    if (build->kernel->needs_features)
        smc_architecture_extend(&target);
    smc_nvrtc_write_log_options(&build->place->info, options);
    smc_text_printf(options,
                    "--gpu-architecture=sm_%u%.1s\n-default-device\n--std=c++17\n-lineinfo\n%s",
                    target.cc, &target.suffix, build->defines);
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

static void build_store(const struct smc_resources *resources,
                        const struct smc_nvrtc_output *output, const struct smc_text *key,
                        struct smc_cache *cache)
{
    struct build_record record = {.cubin_bytes = (uint32_t)output->binary.cubin_bytes};
    smc_auto_text value = {0};
    memcpy(record.numbers, (const char *)resources + NUMBERS, NUMBERS_BYTES);
    smc_text_append_bytes(&value, (const char *)&record, sizeof record);
    if (output->binary.cubin_bytes)
        smc_text_append_bytes(&value, output->binary.cubin, output->binary.cubin_bytes);
    if (output->ptx.length)
        smc_text_append_bytes(&value, output->ptx.data, output->ptx.length);
    if (!value.failed)
        smc_cache_write(cache, key, value.data, value.length);
}

/* The machine code and the PTX of an entry; either may be missing. */
static enum smc_status copy_code(const char *code, size_t cubin_bytes, size_t ptx_bytes,
                                 struct smc_built *built)
{
    struct smc_nvrtc_output *output = &built->output;
    output->binary.cubin = cubin_bytes ? smc_malloc(cubin_bytes) : NULL;
    output->binary.cubin_bytes = cubin_bytes;
    if (output->binary.cubin)
        memcpy(output->binary.cubin, code, cubin_bytes);
    if (ptx_bytes)
        smc_text_append_bytes(&output->ptx, code + cubin_bytes, ptx_bytes);
    if ((cubin_bytes && !output->binary.cubin) || output->ptx.failed)
        return smc_out_of_memory(&built->error);
    return SMC_OK;
}

/* False if the cache does not have it. */
static bool build_restore(struct smc_cache *cache, const struct smc_text *key,
                          struct smc_built *built)
{
    struct build_record record;
    smc_auto_text value = {0};
    bool found = smc_cache_read(cache, key, &value) && value.length >= sizeof record;
    if (found) {
        memcpy(&record, value.data, sizeof record);
        found = record.cubin_bytes <= value.length - sizeof record;
    }
    if (found) {
        built->resources.from_cache = true;
        memcpy((char *)&built->resources + NUMBERS, record.numbers, NUMBERS_BYTES);
        built->status = copy_code(value.data + sizeof record, record.cubin_bytes,
                                  value.length - sizeof record - record.cubin_bytes, built);
    }
    return found;
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
    if (has_barriers || smc_cubin_read_barriers(output->binary.cubin, output->binary.cubin_bytes,
                                                entry, &resources->barriers, error) == SMC_OK)
        return SMC_OK;
    return smc_fail_in(error, SMC_UNAVAILABLE, "%s", build->source->shown);
}

/* The log stays in the output only if NVRTC rejects the source. */
static enum smc_status build_compile(const struct smc_build *build, const char *options,
                                     const struct smc_text *key, struct smc_cache *cache,
                                     struct smc_built *built)
{
    struct smc_nvrtc nvrtc;
    struct smc_nvrtc_info info;
    struct smc_nvrtc_output *output = &built->output;
    enum smc_status status = smc_nvrtc_open(build->place->info.path, &nvrtc, &info, &built->error);
    if (status != SMC_OK)
        return status == SMC_MACHINE ? status : SMC_UNAVAILABLE;
    enum smc_nvrtc_outcome outcome = smc_nvrtc_compile(
        &nvrtc, smc_text_string(&build->source->text), build->kernel->file, options, output);
    struct smc_resources read = built->resources;
    status = read_output(build, outcome, output, &read, &built->error);
    if (status == SMC_OK) {
        if (read.refused) { /* ptxas reports registers even for a kernel that it refuses */
            read.regs_per_thread = read.static_smem_bytes = read.barriers = 0;
            read.stack_bytes = read.spill_store_bytes = read.spill_load_bytes = 0;
        }
        built->resources = read;
        if (!build->source->includes)
            build_store(&read, output, key, cache);
    }
    if (status == SMC_OK || outcome == SMC_NVRTC_COMPILED)
        smc_text_free(&output->log);
    return status;
}

static void build_or_restore(const struct smc_build *build, const char *options,
                             const struct smc_text *key, struct smc_cache *cache,
                             struct smc_built *built)
{
    const struct smc_nvrtc_info *info = &build->place->info;
    built->resources = (struct smc_resources){.source = SMC_RESOURCES_NVRTC,
                                              .cc = build->cc,
                                              .nvrtc_major = info->major,
                                              .nvrtc_minor = info->minor};
    if (build->source->includes || !build_restore(cache, key, built))
        built->status = build_compile(build, options, key, cache, built);
}

/* Both are malloc's. */
static void take_binary(struct smc_nvrtc_output *output, struct smc_binary *binary)
{
    *binary = output->binary;
    binary->ptx = output->ptx.data;
    binary->ptx_bytes = output->ptx.length;
    output->binary = (struct smc_binary){0};
    output->ptx = (struct smc_text){0};
}

enum smc_status smc_build_run(const struct smc_build *build, struct smc_cache *cache,
                              struct smc_resources *resources, struct smc_binary *binary,
                              struct smc_error *error)
{
    smc_auto_text options = {0}, key = {0};
    struct smc_built built = {.status = SMC_OK};
    build_write_options(build, &options);
    write_key(build, smc_text_string(&options), &key);
    if (options.failed || key.failed) {
        built.status = smc_out_of_memory(&built.error);
    } else if (!smc_builds_find(build->builds, &key, &built)) {
        build_or_restore(build, options.data, &key, cache, &built);
        smc_builds_keep(build->builds, &key, &built);
    }
    *resources = built.resources;
    if (built.status == SMC_OK && binary)
        take_binary(&built.output, binary);
    if (built.status != SMC_OK && error)
        *error = built.error;
    if (build->log)
        smc_text_append(build->log, smc_text_string(&built.output.log));
    smc_built_free(&built);
    return built.status;
}
