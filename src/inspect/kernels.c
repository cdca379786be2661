/* The list of kernels: names as in the source, architectures, and which code loads on a device. */
#include "config.h"

#include "inspect/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "inspect/stable_names.h"

/* --- C++ names as in the source, through libiberty where configure found it ------------------- */

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/utf8.h"

/* A name of a few hundred bytes can expand to more text than fits in memory, and a long name makes
   the demangler recurse deeply: both lengths are limited. */
enum { LONGEST_NAME = 4096, LONGEST_RESULT = 16384 };

struct result {
    struct smc_text text;
    jmp_buf too_long;
};

static void take(const char *text, size_t length, void *context)
{
    struct result *result = context;
    if (length > LONGEST_RESULT || result->text.length + length > LONGEST_RESULT)
        longjmp(result->too_long, 1);
    smc_text_append_bytes(&result->text, text, length);
}

/* The demangler allocates no memory itself, so it is safe to jump out of it. */
static bool demangle(const char *name, struct result *result)
{
    if (setjmp(result->too_long))
        return false;
    return cplus_demangle_v3_callback(name, DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT, take,
                                      result) != 0;
}

char *smc_demangle(const char *name)
{
    struct result result = {.text = {0}};
    if (strncmp(name, "_Z", 2) != 0 || strlen(name) > LONGEST_NAME)
        return smc_strdup(name);
    if (demangle(name, &result) && !result.text.failed && result.text.data)
        return result.text.data;
    smc_text_free(&result.text);
    return smc_strdup(name);
}

#else

char *smc_demangle(const char *name)
{
    return smc_strdup(name);
}

#endif

/* --- Architectures ---------------------------------------------------------------------------- */

struct smc_inspect_target smc_inspect_target_of(const char *typed, uint16_t cc)
{
    uint16_t named;
    size_t length = strlen(typed);
    char last = length ? typed[length - 1] : '\0';
    bool suffixed = (last == 'a' || last == 'f') && smc_capability_named(typed, &named);
    return (struct smc_inspect_target){cc, suffixed ? last : '\0'};
}

size_t smc_inspect_all_targets(struct smc_inspect_target targets[SMC_INSPECT_MAX_TARGETS])
{
    size_t count = 0;
    struct smc_capability capability;
    for (size_t i = 0; i < smc_capability_count() && count < SMC_INSPECT_MAX_TARGETS; i++) {
        smc_capability_at(i, &capability);
        targets[count++] = (struct smc_inspect_target){capability.sm.cc, '\0'};
    }
    return count;
}

const char *smc_inspect_architecture(const struct smc_inspect_kernel *kernel,
                                     char text[SMC_INSPECT_ARCHITECTURE])
{
    snprintf(text, SMC_INSPECT_ARCHITECTURE, "sm_%u%.1s", kernel->cc, &kernel->suffix);
    return text;
}

static bool is_apart(uint16_t cc)
{
    struct smc_capability capability;
    return smc_capability_find(cc, &capability) && capability.cubin_for_itself_only;
}

bool smc_inspect_loads(const struct smc_inspect_kernel *kernel, uint16_t cc)
{
    if (kernel->cc == 0 || kernel->cc == cc)
        return true;
    if (kernel->suffix == 'a' || is_apart(kernel->cc) || is_apart(cc))
        return false;
    return kernel->cc / 10 == cc / 10 && kernel->cc < cc;
}

/* --- The list --------------------------------------------------------------------------------- */

/* The length of a part such as "17CUB_300001_SM_900" at `s`: CUB and Thrust name a namespace for
   the architecture. 0 if there is none. */
static size_t architecture_part(const char *s, const char *end)
{
    static const char mark[] = "_SM_";
    size_t n = 0, digits = 0;
    while (s + digits < end && s[digits] >= '0' && s[digits] <= '9' && n < 100)
        n = n * 10 + (size_t)(s[digits++] - '0');
    if (n < sizeof mark || n > (size_t)(end - s) - digits)
        return 0;
    return memmem(s + digits, n, mark, sizeof mark - 1) ? digits + n : 0;
}

static uint64_t hash_version(const char *name, size_t length)
{
    const char *const end = name + length;
    uint64_t hash = SMC_HASH_START;
    while (name < end) {
        size_t part = architecture_part(name, end);
        if (part == 0)
            hash = smc_hash(hash, name, 1);
        name += part ? part : 1;
    }
    return hash;
}

uint32_t smc_inspect_without_reserve(uint32_t smem_bytes, uint16_t cc)
{
    struct smc_capability capability;
    if (!smc_capability_find(cc, &capability) || !capability.cubin_smem_has_reserve)
        return smem_bytes;
    uint32_t reserve = capability.sm.smem_reserved_per_block_bytes;
    return smem_bytes >= reserve ? smem_bytes - reserve : smem_bytes;
}

static bool is_same(const struct smc_inspect_kernel *a, const struct smc_inspect_kernel *b)
{
    const struct smc_resources *r = &a->resources, *s = &b->resources;
    return a->name_hash == b->name_hash && a->file == b->file && a->cc == b->cc &&
           a->suffix == b->suffix && a->source == b->source &&
           r->regs_per_thread == s->regs_per_thread &&
           r->static_smem_bytes == s->static_smem_bytes && r->stack_bytes == s->stack_bytes &&
           r->spill_store_bytes == s->spill_store_bytes &&
           r->spill_load_bytes == s->spill_load_bytes && r->barriers == s->barriers &&
           r->refused == s->refused && a->max_threads_per_block == b->max_threads_per_block;
}

static bool is_known(const struct smc_inspect_kernels *kernels,
                     const struct smc_inspect_kernel *kernel)
{
    for (size_t i = kernels->count; i-- > 0;)
        if (is_same(&kernels->item[i], kernel))
            return true;
    return false;
}

static bool grow(struct smc_inspect_kernels *kernels)
{
    if (kernels->count < kernels->capacity)
        return true;
    size_t capacity = kernels->capacity ? 2 * kernels->capacity : 16;
    void *item = smc_realloc(kernels->item, capacity * sizeof *kernels->item);
    if (!item)
        return false;
    kernels->item = item;
    kernels->capacity = capacity;
    return true;
}

bool smc_inspect_add(struct smc_inspect_kernels *kernels, const char *name, size_t name_length,
                     const struct smc_inspect_kernel *kernel)
{
    struct smc_inspect_kernel added = *kernel;
    struct smc_resources *resources = &added.resources;
    added.name_hash = smc_hash(SMC_HASH_START, name, name_length);
    added.version_hash = hash_version(name, name_length);
    if (added.smem_has_reserve && added.cc != 0) {
        resources->static_smem_bytes =
            smc_inspect_without_reserve(resources->static_smem_bytes, added.cc);
        added.smem_has_reserve = false;
    }
    resources->cc = added.cc;
    if (is_known(kernels, &added))
        return true;
    added.name = smc_strndup(name, name_length);
    added.shown = added.name ? smc_demangle(smc_name_without_static(added.name)) : NULL;
    if (!added.shown || !grow(kernels)) {
        free(added.name);
        free(added.shown);
        return false;
    }
    smc_utf8_make_safe(added.shown);
    kernels->item[kernels->count++] = added;
    return true;
}

struct smc_inspect_kernel *smc_inspect_find(struct smc_inspect_kernels *kernels, size_t begin,
                                            const char *name, size_t name_length)
{
    uint64_t wanted = smc_hash(SMC_HASH_START, name, name_length);
    for (size_t i = begin; i < kernels->count; i++)
        if (kernels->item[i].name_hash == wanted)
            return &kernels->item[i];
    return NULL;
}

void smc_inspect_cut(struct smc_inspect_kernels *kernels, size_t count)
{
    while (kernels->count > count) {
        struct smc_inspect_kernel *kernel = &kernels->item[--kernels->count];
        free(kernel->name);
        free(kernel->shown);
        free(kernel->source_file);
    }
}

void smc_inspect_free(struct smc_inspect_kernels *kernels)
{
    smc_inspect_cut(kernels, 0);
    for (size_t i = 0; i < kernels->owned_file_count; i++)
        free(kernels->owned_file[i]);
    free(kernels->owned_file);
    free(kernels->item);
    *kernels = (struct smc_inspect_kernels){0};
}

static const struct {
    const char *name, *words;
} sources[] = {
#define SOURCE(id, name, words) [SMC_INSPECT_##id] = {name, words},
#include "inspect/sources.def"
#undef SOURCE
};

const char *smc_inspect_source_name(enum smc_inspect_source source)
{
    return sources[source].name;
}

const char *smc_inspect_source_words(enum smc_inspect_source source)
{
    return sources[source].words;
}
