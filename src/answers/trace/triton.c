/* Kernels in the cache of Triton: NAME.json says how NAME is launched, NAME.cubin beside it is its
   machine code. A launch is not recorded there, so that neither grids nor times are known. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answers/trace/json_stream.h"
#include "answers/trace_answer.h"
#include "base/file.h"
#include "base/memory.h"
#include "code/inputs.h"
#include "code/user_kernels.h"

enum {
    MOST_BYTES = 16 << 20, /* of a NAME.json */
    MOST_LEVELS = 4,       /* of folders: PyTorch's has triton/0/HASH */
};

struct metadata {
    const char *file;
    json_t *root;
    struct smc_error *error;
};

/* --- Values ----------------------------------------------------------------------------------- */

/* A whole number from `least` to `most`; `absent` if the object has no such key, or null. */
/* A member that is a whole number; `absent` is its value where there is no such member. */
struct triton_number {
    const json_t *of;
    const char *key;
    int64_t least, most, absent;
    int64_t *number;
};

static enum smc_status triton_read_number(const struct metadata *metadata,
                                          const struct triton_number *member)
{
    const json_t *value = json_object_get(member->of, member->key);
    *member->number = member->absent;
    if (!value || json_is_null(value))
        return SMC_OK;
    *member->number = json_is_integer(value) ? json_integer_value(value) : member->least - 1;
    if (*member->number >= member->least && *member->number <= member->most)
        return SMC_OK;
    smc_auto_free char *written = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    return smc_fail(metadata->error, SMC_USAGE,
                    "%s: \"%s\" is %.60s, not a whole number from %lld to %lld", metadata->file,
                    member->key, written ? written : "?", (long long)member->least,
                    (long long)member->most);
}

/* {0} unless it is a list of three numbers of 1 or more, at least one of them more than 1. */
static void read_cluster(const struct metadata *metadata, uint32_t cluster[3])
{
    const json_t *list = json_object_get(metadata->root, "cluster_dims");
    json_int_t ctas = json_integer_value(json_object_get(metadata->root, "num_ctas"));
    json_int_t dim[3] = {ctas > 0 ? ctas : 1, 1, 1}, most = 1;
    for (size_t i = 0; i < 3 && json_array_size(list) == 3; i++)
        dim[i] = json_integer_value(json_array_get(list, i));
    for (int i = 0; i < 3; i++)
        most = dim[i] > most ? dim[i] : most;
    for (int i = 0; i < 3 && most > 1 && most <= 1024; i++)
        cluster[i] = dim[i] > 0 ? (uint32_t)dim[i] : 1;
}

/* "target": {"backend": "cuda", "arch": 90}, ["cuda", 90] of older releases; "cc": 80 before. */
static const json_t *triton_find_target(const struct metadata *metadata, const char **backend)
{
    const json_t *target = json_object_get(metadata->root, "target");
    *backend = json_string_value(json_is_array(target) ? json_array_get(target, 0)
                                                       : json_object_get(target, "backend"));
    const json_t *arch =
        json_is_array(target) ? json_array_get(target, 1) : json_object_get(target, "arch");
    if (!arch)
        arch = json_object_get(metadata->root, "cc");
    if (!arch)
        arch = json_object_get(metadata->root, "arch");
    return arch;
}

/* 90 of 90, "90", "sm90" and "sm_90a"; 0: none. */
static uint16_t triton_find_capability(const struct metadata *metadata)
{
    const char *backend;
    const json_t *arch = triton_find_target(metadata, &backend);
    const char *text = json_string_value(arch);
    long long cc = json_integer_value(arch);
    if (backend && strcmp(backend, "cuda") != 0)
        return 0;
    if (text && strncmp(text, "sm", 2) == 0)
        text += text[2] == '_' ? 3 : 2;
    if (text && text[0] >= '0' && text[0] <= '9')
        cc = strtoll(text, NULL, 10);
    return cc >= SMC_MIN_CC && cc <= SMC_MAX_CC ? (uint16_t)cc : 0;
}

/* --- The machine code ------------------------------------------------------------------------- */

/* The file's name without its end and without its folder. NULL: out of memory. */
static char *triton_stem_of(const char *file)
{
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    const char *dot = strrchr(base, '.');
    return smc_strndup(base, dot ? (size_t)(dot - base) : strlen(base));
}

/* PATH/NAME.cubin of PATH/NAME.json. */
static bool name_cubin(const char *file, struct smc_text *cubin)
{
    const char *slash = strrchr(file, '/');
    smc_auto_free char *stem = triton_stem_of(file);
    if (stem)
        smc_text_printf(cubin, "%.*s%s.cubin", slash ? (int)(slash + 1 - file) : 0, file, stem);
    return stem && !cubin->failed;
}

static const struct smc_inspect_kernel *triton_find_kernel(const struct smc_inspect_found *found,
                                                           const char *name)
{
    for (size_t i = 0; i < found->count; i++)
        if (strcmp(found->kernel[i].name, name) == 0)
            return &found->kernel[i];
    return found->count == 1 ? &found->kernel[0] : NULL;
}

/* Registers and static shared memory. Without the file both stay unknown, which is noted. */
static enum smc_status triton_read_cubin(struct smc_trace *trace, const struct metadata *metadata,
                                         uint16_t *cc, struct smc_trace_launch *launch)
{
    smc_auto_text path = {0}, bytes = {0};
    SMC_AUTO(smc_inspect_found_free) struct smc_inspect_found found = {0};
    struct smc_error why = {""};
    const struct smc_inspect_kernel *kernel = NULL;
    enum smc_status status =
        name_cubin(metadata->file, &path) ? SMC_OK : smc_out_of_memory(metadata->error);
    const char *name = smc_text_string(&path);
    if (status == SMC_OK && access(name, F_OK) == 0 && !smc_file_is_regular(name))
        status = smc_fail(&why, SMC_USAGE, "its .cubin is not a file");
    if (status == SMC_OK)
        status = smc_input_read(name, &bytes, &why);
    if (status == SMC_OK) {
        const struct smc_inspect_kernel kind = {.file = smc_text_string(&path)};
        status = smc_read_cubin_apart(bytes.data, bytes.length, &kind, &found, &why);
        kernel = status == SMC_OK ? triton_find_kernel(&found, launch->name) : NULL;
    }
    if (kernel) {
        launch->regs_per_thread = (int32_t)kernel->resources.regs_per_thread;
        launch->static_smem_bytes = kernel->resources.static_smem_bytes;
        *cc = kernel->cc;
        launch->module = smc_trace_module(trace, smc_text_string(&path));
        if (launch->module == SMC_TRACE_UNKNOWN)
            status = smc_out_of_memory(metadata->error);
    } else if (status != SMC_MACHINE) {
        smc_trace_note(trace, "%s: %s: its registers are unknown", launch->name,
                       why.message[0] ? why.message : "not in its .cubin");
        status = SMC_OK;
    }
    return status;
}

/* --- One kernel ------------------------------------------------------------------------------- */

static enum smc_status set_device(struct smc_trace *trace, const struct metadata *metadata,
                                  uint16_t cc, struct smc_trace_launch *launch)
{
    const char *backend;
    triton_find_target(metadata, &backend);
    if (cc == 0) {
        smc_trace_note(trace, backend && strcmp(backend, "cuda") != 0
                                  ? "kernels for other GPUs than NVIDIA's: no occupancy"
                                  : "kernels for an unknown architecture: no occupancy");
        return SMC_OK;
    }
    const struct smc_trace_gpu gpu = {.id = cc, .cc = cc};
    launch->device = smc_trace_device(trace, &gpu);
    return launch->device == SMC_TRACE_UNKNOWN ? smc_out_of_memory(metadata->error) : SMC_OK;
}

static enum smc_status set_tool(struct smc_trace *trace, const struct metadata *metadata)
{
    const char *version = json_string_value(json_object_get(metadata->root, "triton_version"));
    struct smc_text tool = {0};
    if (trace->tool)
        return SMC_OK;
    smc_text_printf(&tool, "Triton%s%.40s", version ? " " : "", version ? version : "");
    if (tool.failed)
        return smc_out_of_memory(metadata->error);
    trace->tool = tool.data;
    return SMC_OK;
}

static enum smc_status triton_add_kernel(struct smc_trace *trace, const struct metadata *metadata,
                                         const char *name)
{
    struct smc_trace_launch launch;
    int64_t warps = 0, warp_size = 0, shared = 0, tensor_columns = 0;
    enum smc_status status = SMC_OK;
    smc_trace_launch_init(&launch);
    launch.name = (char *)(uintptr_t)name; /* it is copied */
    const json_t *root = metadata->root, *target = json_object_get(root, "target");
    const struct triton_number numbers[] = {
        {root, "num_warps", 1, 64, 0, &warps},
        {target, "warp_size", 1, 64, 32, &warp_size},
        {root, "shared", 0, INT32_MAX, SMC_TRACE_UNKNOWN, &shared},
        {root, "tmem_size", 0, INT32_MAX, 0, &tensor_columns},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && status == SMC_OK; i++)
        status = triton_read_number(metadata, &numbers[i]);
    if (status != SMC_OK)
        return status;
    uint16_t cc = triton_find_capability(metadata);
    launch.dynamic_smem_bytes = shared;
    if (warps > 0) {
        launch.block[0] = (uint32_t)(warps * warp_size);
        launch.block[1] = launch.block[2] = 1;
    }
    if (tensor_columns > 0)
        smc_trace_note(trace, "%s: the limit by tensor memory is not known", name);
    read_cluster(metadata, launch.cluster);
    if ((status = triton_read_cubin(trace, metadata, &cc, &launch)) != SMC_OK ||
        (status = set_device(trace, metadata, cc, &launch)) != SMC_OK ||
        (status = set_tool(trace, metadata)) != SMC_OK)
        return status;
    return smc_trace_add_launches(trace, &launch, NULL, metadata->error);
}

static enum smc_status parse(const char *file, const struct smc_text *bytes, json_t **root,
                             struct smc_error *error)
{
    json_error_t why;
    *root = json_loadb(smc_text_string(bytes), bytes->length, 0, &why);
    if (*root && json_is_object(*root))
        return SMC_OK;
    if (*root)
        return smc_fail(error, SMC_USAGE, "%s: JSON, but not of a kernel of Triton", file);
    return smc_fail(error, SMC_USAGE, "%s:%d: damaged JSON: %s", file, why.line, why.text);
}

static enum smc_status read_metadata(struct smc_trace_input *input, struct smc_trace *trace,
                                     struct smc_error *error)
{
    const char *file = input->path;
    smc_auto_text bytes = {0};
    struct metadata metadata = {.file = file, .error = error};
    smc_auto_free char *stem = triton_stem_of(file);
    trace->source = SMC_TRACE_TRITON;
    trace->launches_unknown = true;
    enum smc_status status = stem ? SMC_OK : smc_out_of_memory(error);
    if (status == SMC_OK)
        status = smc_trace_input_text(input, "metadata of Triton", MOST_BYTES, &bytes, error);
    if (status == SMC_OK)
        status = parse(input->shown, &bytes, &metadata.root, error);
    if (status == SMC_OK) {
        const char *name = json_string_value(json_object_get(metadata.root, "name"));
        status = triton_add_kernel(trace, &metadata, name && *name ? name : stem);
    }
    json_decref(metadata.root);
    return status;
}

/* --- A folder --------------------------------------------------------------------------------- */

static bool triton_begins(const char *bytes, size_t count)
{
    return smc_json_begins_with_key(bytes, count, "num_warps") &&
           !smc_json_begins_with_key(bytes, count, "traceEvents");
}

/* Other JSON is there too: lists of a kernel's files, results of autotuning. */
static enum smc_status read_if_metadata(const char *file, struct smc_trace *trace,
                                        struct smc_error *error)
{
    struct smc_trace_input input;
    const char *slash = strrchr(file, '/');
    if (!smc_file_is_regular(file) || strncmp(slash ? slash + 1 : file, "__grp__", 7) == 0)
        return SMC_OK;
    enum smc_status status = smc_trace_input_open(&input, file, error);
    if (status == SMC_OK && triton_begins(input.beginning, input.beginning_count))
        status = read_metadata(&input, trace, error);
    smc_trace_input_close(&input);
    return status;
}

/* A file that cannot be read is noted, and the others are read. */
static enum smc_status read_matches(const struct smc_folder_matches *matches,
                                    struct smc_trace *trace, struct smc_error *error)
{
    for (size_t i = 0; i < matches->count; i++) {
        struct smc_error why;
        enum smc_status status = read_if_metadata(matches->path[i], trace, &why);
        if (status == SMC_USAGE)
            smc_trace_note(trace, "left out: %s", why.message);
        else if (status != SMC_OK)
            return smc_fail(error, status, "%s", why.message);
    }
    return SMC_OK;
}

enum smc_status smc_trace_read_triton_cache(const char *folder, struct smc_trace *trace,
                                            struct smc_error *error)
{
    smc_auto_text pattern = {0};
    smc_text_append(&pattern, folder);
    for (int level = 0; level < MOST_LEVELS; level++) {
        SMC_AUTO(smc_folder_matches_free) struct smc_folder_matches matches = {0};
        const size_t length = pattern.length;
        smc_text_append(&pattern, "/*.json");
        smc_folder_match(smc_text_string(&pattern), &matches);
        if (pattern.failed)
            return smc_out_of_memory(error);
        if (matches.failed)
            return smc_fail(error, SMC_MACHINE, "%s: %s", smc_text_string(&pattern),
                            strerror(matches.failed));
        SMC_TRY(read_matches(&matches, trace, error));
        smc_text_cut(&pattern, length);
        smc_text_append(&pattern, "/*");
    }
    if (trace->launch_count > 0)
        return SMC_OK;
    return smc_fail(error, SMC_USAGE,
                    "%s: a folder without kernels of Triton, which has them in "
                    "~/.triton/cache or $TRITON_CACHE_DIR",
                    folder);
}

const struct smc_trace_reader smc_trace_reader_triton = {.begins = triton_begins,
                                                         .read = read_metadata};
