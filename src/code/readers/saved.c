/* The figures of kernels in a file: written and read by one table. */
#include "code/inputs.h"

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "code/user_kernels.h"

static const char schema[] = "smemcalc-inspect/1";
static const char report_schema[] = "smemcalc/1"; /* of inspect --format json */

enum { ALWAYS_KNOWN = 0 };

/* A number of a kernel. The file omits it if it is unknown, or if it is 0 and 0 means none. */
struct saved_number {
    const char *key;
    size_t offset;       /* of a uint32_t in struct smc_inspect_kernel */
    size_t known_offset; /* of the bool that says whether it is known, or ALWAYS_KNOWN */
    uint32_t most;
    bool zero_is_none;
};

#define MEMBER(member)   offsetof(struct smc_inspect_kernel, member)
#define RESOURCE(member) MEMBER(resources.member)
static const struct saved_number numbers[] = {
    {"registers_per_thread", RESOURCE(regs_per_thread), ALWAYS_KNOWN, 256, false},
    {"spill_store_bytes", RESOURCE(spill_store_bytes), MEMBER(has_spills), UINT32_MAX, false},
    {"spill_load_bytes", RESOURCE(spill_load_bytes), MEMBER(has_spills), UINT32_MAX, false},
    {"stack_bytes", RESOURCE(stack_bytes), MEMBER(has_stack), UINT32_MAX, false},
    {"static_smem_bytes", RESOURCE(static_smem_bytes), ALWAYS_KNOWN, UINT32_MAX, false},
    {"barriers_per_block", RESOURCE(barriers), MEMBER(has_barriers), 64, false},
    {"max_threads_per_block", MEMBER(max_threads_per_block), ALWAYS_KNOWN, 65535, true},
    {"required_threads_per_block", MEMBER(required_threads_per_block), ALWAYS_KNOWN, 65535, true},
    {"min_blocks_per_sm", MEMBER(min_blocks_per_sm), MEMBER(min_blocks_known), 65535, false},
    {"blocks_per_cluster", MEMBER(blocks_per_cluster), ALWAYS_KNOWN, 65535, true},
    {"tmem_columns_per_block", MEMBER(tmem_columns), MEMBER(allocates_tmem), 512, false},
    {"threads_per_block", MEMBER(recorded_threads_per_block), ALWAYS_KNOWN, 65535, true},
    {"source_line", MEMBER(source_line), ALWAYS_KNOWN, UINT32_MAX, true},
    {"refused_smem_bytes", RESOURCE(refused_smem_bytes), RESOURCE(refused), UINT32_MAX, false},
    {"refused_smem_limit_bytes", RESOURCE(refused_smem_limit_bytes), RESOURCE(refused), UINT32_MAX,
     false},
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static const struct {
    const char *key;
    size_t offset; /* of a bool; left out if it is false */
} flags[] = {
    {"static_smem_has_reserve", MEMBER(smem_has_reserve)},
    {"linked", MEMBER(is_linked)},
    {"calls_unlinked", MEMBER(calls_unlinked)},
};
enum { FLAGS = sizeof flags / sizeof *flags };

static uint32_t *saved_number_at(struct smc_inspect_kernel *kernel,
                                 const struct saved_number *number)
{
    return (uint32_t *)(void *)((char *)kernel + number->offset);
}

static bool *flag_at(struct smc_inspect_kernel *kernel, size_t offset)
{
    return (bool *)(void *)((char *)kernel + offset);
}

/* --- Writing ---------------------------------------------------------------------------------- */

static void saved_set_text(json_t *object, const char *key, const char *text)
{
    smc_auto_free char *safe = text && *text ? smc_strdup(text) : NULL;
    if (!safe)
        return;
    smc_utf8_make_safe(safe);
    json_object_set_new(object, key, json_string(safe));
}

static void set_numbers(json_t *object, const struct smc_inspect_kernel *kernel)
{
    struct smc_inspect_kernel copy = *kernel;
    for (size_t i = 0; i < NUMBERS; i++) {
        uint32_t value = *saved_number_at(&copy, &numbers[i]);
        bool known =
            numbers[i].known_offset == ALWAYS_KNOWN || *flag_at(&copy, numbers[i].known_offset);
        if (known && !(numbers[i].zero_is_none && value == 0))
            json_object_set_new(object, numbers[i].key, json_integer(value));
    }
    for (size_t i = 0; i < FLAGS; i++)
        if (*flag_at(&copy, flags[i].offset))
            json_object_set_new(object, flags[i].key, json_true());
    if (kernel->dynamic_smem_known)
        json_object_set_new(object, "uses_dynamic_smem", json_boolean(kernel->uses_dynamic_smem));
}

static char *kernel_line(const struct smc_inspect_kernel *kernel)
{
    char architecture[SMC_INSPECT_ARCHITECTURE];
    json_auto_t *object = json_object();
    saved_set_text(object, "name", kernel->shown);
    saved_set_text(object, "mangled_name", kernel->name);
    saved_set_text(object, "file", kernel->file);
    saved_set_text(object, "source", smc_user_kernel_source_name(kernel->source));
    if (kernel->cc)
        saved_set_text(object, "compiled_for", smc_architecture_name(kernel, architecture));
    saved_set_text(object, "toolkit", kernel->build.toolkit);
    saved_set_text(object, "compiler_options", kernel->build.options);
    saved_set_text(object, "source_file", kernel->source_file);
    set_numbers(object, kernel);
    return json_dumps(object, JSON_COMPACT);
}

/* The order of the file: by name and architecture, then as they were read. */
static int saved_compare(const void *a, const void *b)
{
    const struct smc_inspect_kernel *k = a, *l = b;
    int order = strcmp(k->name, l->name);
    if (order == 0)
        order = k->cc != l->cc ? k->cc - l->cc : k->suffix - l->suffix;
    if (order == 0)
        order = strcmp(k->file, l->file);
    if (order == 0 && k->resources.regs_per_thread != l->resources.regs_per_thread)
        order = k->resources.regs_per_thread < l->resources.regs_per_thread ? -1 : 1;
    return order;
}

/* Copies share the texts. */
static struct smc_inspect_kernel *sorted(const struct smc_inspect_kernels *kernels,
                                         const struct smc_inspect_request *request,
                                         const uint32_t *threads, size_t *count)
{
    size_t all = kernels->count;
    struct smc_inspect_kernel *copy = smc_calloc(all ? all : 1, sizeof *copy);
    for (size_t i = 0; copy && i < all; i++)
        copy[i] = kernels->item[i];
    for (size_t i = 0; copy && i < all; i++)
        if (threads && threads[i] > 0)
            copy[i].recorded_threads_per_block = threads[i];
    *count = 0;
    for (size_t i = 0; copy && i < all; i++)
        if (smc_user_kernel_is_requested(&copy[i], request))
            copy[(*count)++] = copy[i];
    if (*count > 1)
        qsort(copy, *count, sizeof *copy, saved_compare);
    return copy;
}

enum smc_status smc_saved_write(const struct smc_inspect_kernels *kernels,
                                const struct smc_inspect_request *request, const uint32_t *threads,
                                struct smc_text *out, struct smc_error *error)
{
    size_t count;
    smc_auto_free struct smc_inspect_kernel *copy = sorted(kernels, request, threads, &count);
    if (!copy)
        return smc_out_of_memory(error);
    bool failed = false;
    smc_text_printf(out, "{\"schema\":\"%s\",\"kernels\":[", schema);
    for (size_t i = 0; i < count && !failed; i++) {
        smc_auto_free char *line = kernel_line(&copy[i]);
        failed = !line;
        smc_text_append(out, i ? ",\n" : "\n");
        smc_text_append(out, line ? line : "");
    }
    smc_text_append(out, "\n]}\n");
    return failed || out->failed ? smc_out_of_memory(error) : SMC_OK;
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* What a message about a kernel needs. */
struct saved_reading {
    const char *file;
    size_t index; /* from 1 */
    const char *name;
    struct smc_inspect_kernels *kernels;
    struct smc_error *error;
};

bool smc_saved_is(const struct smc_text *bytes)
{
    const char *text = smc_text_string(bytes);
    return text[strspn(text, " \t\r\n")] == '{';
}

static enum smc_status saved_fail(const struct saved_reading *reading, const char *key,
                                  const json_t *value, const char *allowed)
{
    smc_auto_free char *written = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    return smc_fail(reading->error, SMC_USAGE, "%s: kernel %zu%s%.200s: \"%s\" is %.60s, not %s",
                    reading->file, reading->index, *reading->name ? ", " : "", reading->name, key,
                    written ? written : "?", allowed);
}

static enum smc_status saved_read_text(const struct saved_reading *reading, const json_t *object,
                                       const char *key, const char **text)
{
    const json_t *value = json_object_get(object, key);
    *text = "";
    if (!value || json_is_null(value))
        return SMC_OK;
    if (!json_is_string(value))
        return saved_fail(reading, key, value, "a text");
    *text = json_string_value(value);
    return SMC_OK;
}

static enum smc_status saved_read_number(const struct saved_reading *reading, const json_t *object,
                                         const struct saved_number *number,
                                         struct smc_inspect_kernel *kernel)
{
    const json_t *value = json_object_get(object, number->key);
    char allowed[64];
    if (!value || json_is_null(value))
        return SMC_OK;
    json_int_t read = json_is_integer(value) ? json_integer_value(value) : -1;
    if (read < 0 || read > (json_int_t)number->most) {
        snprintf(allowed, sizeof allowed, "a whole number from 0 to %u", number->most);
        return saved_fail(reading, number->key, value, allowed);
    }
    *saved_number_at(kernel, number) = (uint32_t)read;
    if (number->known_offset != ALWAYS_KNOWN)
        *flag_at(kernel, number->known_offset) = true;
    return SMC_OK;
}

/* "sm_90a" */
static bool saved_read_architecture(const char *text, struct smc_inspect_kernel *kernel)
{
    char *end;
    if (!*text)
        return true;
    if (strncmp(text, "sm_", 3) != 0)
        return false;
    unsigned long cc = strtoul(text + 3, &end, 10);
    if (cc < SMC_MIN_CC || cc > SMC_MAX_CC || (*end && ((*end != 'a' && *end != 'f') || end[1])))
        return false;
    kernel->cc = (uint16_t)cc;
    kernel->suffix = *end;
    return true;
}

static bool saved_read_source(const char *text, struct smc_inspect_kernel *kernel)
{
    for (int i = 0; i < SMC_INSPECT_SOURCE_COUNT; i++)
        if (strcmp(smc_user_kernel_source_name((enum smc_inspect_source)i), text) == 0) {
            kernel->source = (enum smc_inspect_source)i;
            return true;
        }
    return false;
}

static enum smc_status read_texts(struct saved_reading *reading, const json_t *object,
                                  struct smc_inspect_kernel *kernel, const char **file,
                                  const char **source_file)
{
    const char *architecture, *source, *toolkit, *options;
    enum smc_status status = saved_read_text(reading, object, "mangled_name", &reading->name);
    if (status == SMC_OK && !*reading->name)
        status = saved_read_text(reading, object, "name", &reading->name);
    if (status == SMC_OK && !*reading->name)
        status = smc_fail(reading->error, SMC_USAGE, "%s: kernel %zu: it has no name",
                          reading->file, reading->index);
    if (status != SMC_OK || (status = saved_read_text(reading, object, "file", file)) != SMC_OK ||
        (status = saved_read_text(reading, object, "source", &source)) != SMC_OK ||
        (status = saved_read_text(reading, object, "toolkit", &toolkit)) != SMC_OK ||
        (status = saved_read_text(reading, object, "compiler_options", &options)) != SMC_OK ||
        (status = saved_read_text(reading, object, "source_file", source_file)) != SMC_OK ||
        (status = saved_read_text(reading, object, "compiled_for", &architecture)) != SMC_OK)
        return status;
    if (!saved_read_architecture(architecture, kernel))
        return saved_fail(reading, "compiled_for", json_object_get(object, "compiled_for"),
                          "an architecture such as sm_90");
    if (!saved_read_source(source, kernel))
        return saved_fail(reading, "source", json_object_get(object, "source"), "a kind of input");
    snprintf(kernel->build.toolkit, sizeof kernel->build.toolkit, "%s", toolkit);
    snprintf(kernel->build.options, sizeof kernel->build.options, "%s", options);
    return SMC_OK;
}

/* The text of the file's name that `kernels` owns. NULL: out of memory. */
static const char *own_file(struct smc_inspect_kernels *kernels, const char *file)
{
    for (size_t i = kernels->owned_file_count; i-- > 0;)
        if (strcmp(kernels->owned_file[i], file) == 0)
            return kernels->owned_file[i];
    if (!smc_make_room(&kernels->owned_file, kernels->owned_file_count, NULL,
                       sizeof *kernels->owned_file))
        return NULL;
    char *copy = smc_strdup(file);
    if (copy)
        kernels->owned_file[kernels->owned_file_count++] = copy;
    return copy;
}

/* A kernel that ptxas refused has no registers. */
static void saved_complete(const json_t *object, struct smc_inspect_kernel *kernel)
{
    struct smc_resources *resources = &kernel->resources;
    if (!json_is_integer(json_object_get(object, "registers_per_thread")) && !resources->refused) {
        resources->refused = true;
        resources->refused_smem_bytes = resources->static_smem_bytes;
    }
    if (resources->refused && resources->refused_smem_limit_bytes == 0)
        resources->refused_smem_limit_bytes = 48 * 1024;
}

static enum smc_status saved_read_kernel(struct saved_reading *reading, const json_t *object)
{
    struct smc_inspect_kernel kernel = {0};
    const char *file, *source_file;
    reading->name = "";
    if (!json_is_object(object))
        return smc_fail(reading->error, SMC_USAGE, "%s: kernel %zu: not an object", reading->file,
                        reading->index);
    SMC_TRY(read_texts(reading, object, &kernel, &file, &source_file));
    for (size_t i = 0; i < NUMBERS; i++)
        SMC_TRY(saved_read_number(reading, object, &numbers[i], &kernel));
    for (size_t i = 0; i < FLAGS; i++)
        *flag_at(&kernel, flags[i].offset) = json_is_true(json_object_get(object, flags[i].key));
    const json_t *uses = json_object_get(object, "uses_dynamic_smem");
    kernel.dynamic_smem_known = json_is_boolean(uses);
    kernel.uses_dynamic_smem = json_is_true(uses);
    saved_complete(object, &kernel);
    kernel.source_file = *source_file ? (char *)source_file : NULL; /* it is copied */
    kernel.file = own_file(reading->kernels, *file ? file : reading->file);
    if (!kernel.file ||
        !smc_user_kernels_add(reading->kernels, reading->name, strlen(reading->name), &kernel))
        return smc_out_of_memory(reading->error);
    return SMC_OK;
}

/* An element of a report has the kernel and its launch. */
static enum smc_status read_reported(struct saved_reading *reading, const json_t *element)
{
    const json_t *kernel = json_object_get(element, "kernel");
    const char *threads = json_string_value(json_object_get(kernel, "threads_source"));
    const json_t *launch = json_object_get(element, "launch");
    json_auto_t *copy = json_copy((json_t *)kernel);
    if (!json_is_object(copy))
        return smc_fail(reading->error, SMC_USAGE, "%s: kernel %zu: it has no member \"kernel\"",
                        reading->file, reading->index);
    if (!threads || (strcmp(threads, "given") != 0 && strcmp(threads, "listed") != 0))
        json_object_del(copy, "threads_per_block");
    json_int_t cluster = json_integer_value(json_object_get(launch, "blocks_per_cluster"));
    if (cluster > 1)
        json_object_set_new(copy, "blocks_per_cluster", json_integer(cluster));
    return saved_read_kernel(reading, copy);
}

static enum smc_status saved_read_list(struct saved_reading *reading, const json_t *root)
{
    const char *name = json_string_value(json_object_get(root, "schema"));
    const json_t *list = json_object_get(root, "kernels");
    bool is_report = name && strcmp(name, report_schema) == 0;
    if (!name || (!is_report && strcmp(name, schema) != 0))
        return smc_fail(reading->error, SMC_USAGE,
                        "%s: JSON, but its schema is %s%.60s%s; only \"%s\" (inspect --save) and "
                        "inspect --format json are read",
                        reading->file, name ? "\"" : "", name ? name : "missing", name ? "\"" : "",
                        schema);
    if (!json_is_array(list) || json_array_size(list) == 0)
        return smc_fail(reading->error, SMC_USAGE, "%s: no kernel in it%s", reading->file,
                        is_report ? ": a report of another command than inspect" : "");
    for (size_t i = 0; i < json_array_size(list); i++) {
        reading->index = i + 1;
        SMC_TRY((is_report ? read_reported : saved_read_kernel)(reading, json_array_get(list, i)));
    }
    return SMC_OK;
}

enum smc_status smc_saved_read(const char *file, const struct smc_text *bytes,
                               struct smc_inspect_kernels *kernels, struct smc_error *error)
{
    struct saved_reading reading = {.file = file, .name = "", .kernels = kernels, .error = error};
    json_error_t why;
    json_auto_t *root = json_loadb(bytes->data, bytes->length, JSON_REJECT_DUPLICATES, &why);
    if (!root)
        return smc_fail(error, SMC_USAGE, "%s:%d: damaged JSON: %s", file, why.line, why.text);
    return saved_read_list(&reading, root);
}
