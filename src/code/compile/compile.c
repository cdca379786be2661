/* Chooses the source of a kernel's resources. In order of preference: NVRTC for the architecture;
   the table for it; NVRTC or the table for the nearest architecture; the table for other
   parameters. */
#include "config.h"

#include "code/compile.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "code/compile/build.h"
#include "code/compile/resource_table.h"
#include "code/nvrtc.h"
#include "rules/devices.h"

/* Where to get the newest NVRTC that supports the architecture. */
static const char *hint(uint16_t cc)
{
    struct smc_capability capability;
    if (SMC_STATIC_PROGRAM)
        return "a smemcalc that is linked dynamically can";
    smc_capability_nearest(cc, &capability);
    switch (capability.last_cuda_major) {
    case 0:
        return "install the CUDA Toolkit or `pip install nvidia-cuda-nvrtc`, or set SMEMCALC_NVRTC";
    case 12:
        return "CUDA 12's does: `pip install nvidia-cuda-nvrtc-cu12`, or set SMEMCALC_NVRTC";
    case 11:
        return "CUDA 11's does: `pip install nvidia-cuda-nvrtc-cu11`, or set SMEMCALC_NVRTC";
    default:
        return "no NVRTC compiles for it any more";
    }
}

struct compile_job {
    const struct smc_params *params;
    struct smc_build build;
    struct smc_cache cache;
    struct smc_nvrtc_search search;
    struct smc_text *warnings;
    struct smc_error why; /* why NVRTC cannot be used */
    bool nvrtc_works;     /* but maybe not for this architecture */
};

static enum smc_status from_nvrtc(struct compile_job *job, struct smc_resources *resources,
                                  struct smc_binary *binary, struct smc_error *error)
{
    job->build.place = smc_nvrtc_find(&job->cache, job->build.cc, &job->search);
    if (!job->build.place && job->search.failure)
        return smc_fail(error, SMC_MACHINE, "%s", job->search.problem);
    if (job->search.problem[0])
        smc_warn(job->warnings, "%s", job->search.problem);
    if (!job->build.place) {
        job->nvrtc_works = job->search.count > 0;
        if (!job->nvrtc_works)
            return smc_fail(&job->why, SMC_UNAVAILABLE, SMC_NVRTC_ABSENT);
        const struct smc_nvrtc_info *first = &job->search.place[0].info;
        return smc_fail(&job->why, SMC_UNAVAILABLE, "NVRTC %d.%d does not compile for sm_%u",
                        first->major, first->minor, job->build.cc);
    }
    struct smc_error failure = {""};
    enum smc_status status = smc_build_run(&job->build, &job->cache, resources, binary, &failure);
    if (status == SMC_UNAVAILABLE) {
        smc_warn(job->warnings, "%s", failure.message);
        job->why = failure;
    } else if (status != SMC_OK && error) {
        *error = failure;
    }
    return status;
}

/* The nearest architecture that one of the libraries found compiles for; 0 if there is none. */
static uint16_t nearest_nvrtc(const struct compile_job *job, const struct smc_nvrtc_place **place)
{
    uint16_t wanted = job->build.cc, best = 0;
    for (size_t i = 0; job->nvrtc_works && i < job->search.count; i++) {
        const struct smc_nvrtc_info *info = &job->search.place[i].info;
        for (size_t k = 0; k < info->cc_count; k++)
            if (!best ||
                smc_table_distance(info->cc[k], wanted) < smc_table_distance(best, wanted)) {
                best = info->cc[k];
                *place = &job->search.place[i];
            }
    }
    return best;
}

static void set_reason(struct smc_resources *resources, const struct compile_job *job,
                       const struct smc_table_row *other_parameters)
{
    int length = resources->source == SMC_RESOURCES_TABLE ? 240 : 120;
    int used =
        snprintf(resources->reason, sizeof resources->reason, "%.*s", length, job->why.message);
    if (resources->source == SMC_RESOURCES_TABLE || used < 0)
        return;
    size_t room = sizeof resources->reason - (size_t)used;
    if (other_parameters)
        snprintf(resources->reason + used, room, "; as compiled for sm_%u with %s", resources->cc,
                 other_parameters->defines);
    else
        snprintf(resources->reason + used, room, "; as compiled for sm_%u", resources->cc);
}

/* Compiles for the nearest architecture instead; SMC_UNAVAILABLE if that fails as well. */
static enum smc_status from_nearest_nvrtc(struct compile_job *job, uint16_t cc,
                                          const struct smc_nvrtc_place *place,
                                          struct smc_resources *resources, struct smc_error *error)
{
    struct smc_build build = job->build;
    build.place = place;
    build.cc = cc;
    enum smc_status status = smc_build_run(&build, &job->cache, resources, NULL, error);
    resources->source = SMC_RESOURCES_ASSUMED;
    set_reason(resources, job, NULL);
    return status;
}

static enum smc_status from_table(struct compile_job *job, const struct smc_table_row *row,
                                  enum smc_table_match match, struct smc_resources *resources)
{
    smc_table_fill(row, resources);
    resources->source = match == SMC_TABLE_EXACT ? SMC_RESOURCES_TABLE : SMC_RESOURCES_ASSUMED;
    bool others = match == SMC_TABLE_OTHER_PARAMETERS;
    if (others) {
        struct smc_plan plan = {0};
        job->build.kernel->plan(job->build.kernel, job->params, &plan);
        resources->static_smem_bytes = (uint32_t)plan.static_smem_bytes;
    }
    set_reason(resources, job, others ? row : NULL);
    return SMC_OK;
}

static enum smc_status assume(struct compile_job *job, struct smc_resources *resources,
                              struct smc_error *error)
{
    const struct smc_build *build = &job->build;
    const struct smc_table_row *row = NULL;
    enum smc_table_match match = SMC_TABLE_NOTHING;
    if (!build->source->is_edited)
        match = smc_table_find(build->kernel->name, build->defines, build->cc, &row);
    const struct smc_nvrtc_place *place = NULL;
    uint16_t nearest = nearest_nvrtc(job, &place);
    bool nvrtc_is_nearer =
        nearest && match != SMC_TABLE_EXACT &&
        (match != SMC_TABLE_OTHER_CC ||
         smc_table_distance(nearest, build->cc) <= smc_table_distance(row->cc, build->cc));
    if (nvrtc_is_nearer) {
        enum smc_status status = from_nearest_nvrtc(job, nearest, place, resources, error);
        if (status != SMC_UNAVAILABLE || match == SMC_TABLE_NOTHING)
            return status;
        *resources = (struct smc_resources){0};
    }
    if (match != SMC_TABLE_NOTHING)
        return from_table(job, row, match, resources);
    return smc_fail(error, SMC_UNAVAILABLE,
                    "kernel %s: %s, and the built-in table does not have it; give --regs N (%s)",
                    build->source->is_edited ? build->source->shown : build->kernel->name,
                    job->why.message, hint(build->cc));
}

/* The numbers come from the table, which has all of these kernels but the program's own helpers. */
static enum smc_status from_built_in_ptx(struct compile_job *job, bool no_nvrtc,
                                         struct smc_resources *resources, struct smc_binary *binary,
                                         struct smc_error *error)
{
    const struct smc_build *build = &job->build;
    const struct smc_built_in_ptx *entry =
        smc_built_in_ptx_find(build->kernel->name, build->source, build->defines, build->cc);
    if (!entry)
        return smc_fail(
            error, SMC_UNAVAILABLE,
            "kernel %s: %s, and the built-in PTX is for the default parameters, tiles 1 "
            "to 32 and compute capability 8.0 or later (%s)",
            build->kernel->name, job->why.message,
            no_nvrtc ? "without --no-nvrtc it is compiled" : hint(build->cc));
    binary->ptx = smc_strdup(entry->ptx);
    if (!binary->ptx)
        return smc_out_of_memory(error);
    binary->ptx_bytes = strlen(entry->ptx);
    enum smc_status status = build->kernel->plan ? assume(job, resources, error) : SMC_OK;
    if (status != SMC_OK)
        smc_binary_free(binary);
    else
        smc_warn(job->warnings, "PTX: built in, NVRTC %d.%d, sm_%u: %s", entry->nvrtc_major,
                 entry->nvrtc_minor, entry->cc, job->why.message);
    return status;
}

static enum smc_status compile_answer(struct compile_job *job,
                                      const struct smc_compile_options *options,
                                      struct smc_resources *resources, struct smc_binary *binary,
                                      struct smc_error *error)
{
    enum smc_status status;
    if (options->no_nvrtc)
        status = smc_fail(&job->why, SMC_UNAVAILABLE, "NVRTC is not used");
    else
        status = from_nvrtc(job, resources, binary, error);
    if (status != SMC_UNAVAILABLE)
        return status;
    *resources = (struct smc_resources){0};
    if (binary && options->ptx_suffices)
        return from_built_in_ptx(job, options->no_nvrtc, resources, binary, error);
    if (binary || options->min_blocks)
        return smc_fail(error, SMC_UNAVAILABLE, "kernel %s: no machine code: %s (%s)",
                        job->build.kernel->name, job->why.message, hint(job->build.cc));
    return assume(job, resources, error);
}

enum smc_status smc_compile(const struct smc_compile_request *request,
                            struct smc_resources *resources, struct smc_binary *binary,
                            struct smc_text *warnings, struct smc_error *error)
{
    const struct smc_kernel *kernel = request->kernel;
    const struct smc_compile_options *options = request->options;
    SMC_AUTO(smc_source_free) struct smc_source source = {0};
    smc_auto_text defines = {0};
    *resources = (struct smc_resources){0};
    if (binary)
        *binary = (struct smc_binary){0};
    SMC_TRY(smc_source_load(kernel, options->kernel_dir, &source, error));
    if (options->min_blocks && !smc_launch_bounds_set(&source.text, options->min_blocks))
        return smc_fail(error, SMC_UNAVAILABLE, "kernel %s: its __launch_bounds__ are its own",
                        kernel->name);
    kernel->defines(kernel, request->params, &defines);
    if (defines.failed)
        return smc_out_of_memory(error);
    struct compile_job job = {
        .params = request->params,
        .build = {kernel, &source, smc_text_string(&defines), NULL, request->cc, options->log,
                  options->builds},
        .warnings = warnings,
    };
    smc_cache_open(&job.cache, options->no_cache || options->no_nvrtc, warnings);
    return compile_answer(&job, options, resources, binary, error);
}

enum smc_status smc_nvrtc_describe(struct smc_nvrtc_info *info, struct smc_error *error)
{
    struct smc_cache cache;
    struct smc_nvrtc_search search;
    smc_cache_open(&cache, false, NULL);
    const struct smc_nvrtc_place *place = smc_nvrtc_find(&cache, 0, &search);
    *info = place ? place->info : (struct smc_nvrtc_info){0};
    if (place)
        return SMC_OK;
    if (search.failure)
        return smc_fail(error, SMC_MACHINE, "%s", search.problem);
    return smc_fail(error, SMC_UNAVAILABLE, SMC_NVRTC_ABSENT "%s%s (%s)",
                    search.problem[0] ? ": " : "", search.problem, hint(UINT16_MAX));
}
