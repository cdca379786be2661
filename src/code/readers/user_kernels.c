/* The list of kernels, and its index by name and by version. */
#include "config.h"

#include "code/user_kernels.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "code/names.h"
#include "code/source/shared_arrays.h"

/* --- Versions of a kernel --------------------------------------------------------------------- */

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

/* --- The index of the list -------------------------------------------------------------------- */

/* Kernels of one name, and versions of one kernel, are linked in the order of the list. Hash tables
   of open addressing find the last one; they are at most half full. Numbers are an index + 1, so
   that 0 is none. */
enum user_kernels_key { BY_NAME, BY_VERSION, KEY_COUNT };

struct links {
    uint32_t before, after;
};

struct smc_inspect_index {
    uint32_t *last[KEY_COUNT];
    struct links *links[KEY_COUNT]; /* by the kernel's index */
    size_t slots, capacity;         /* of each table; of each array of links */
};

static bool has_same_key(const struct smc_inspect_kernel *a, const struct smc_inspect_kernel *b,
                         enum user_kernels_key key)
{
    return key == BY_NAME ? a->name_hash == b->name_hash
                          : a->version_hash == b->version_hash && a->file == b->file;
}

/* The slot with the last kernel of the same key, or the empty one where it belongs. */
static uint32_t *user_kernels_find_slot(const struct smc_inspect_kernels *kernels,
                                        const struct smc_inspect_kernel *kernel,
                                        enum user_kernels_key key)
{
    const struct smc_inspect_index *index = kernels->index;
    uint64_t hash =
        key == BY_NAME ? kernel->name_hash : kernel->version_hash ^ (uintptr_t)kernel->file << 16;
    size_t at = (size_t)(hash ^ hash >> 32) & (index->slots - 1);
    while (index->last[key][at] != 0 &&
           !has_same_key(&kernels->item[index->last[key][at] - 1], kernel, key))
        at = (at + 1) & (index->slots - 1);
    return &index->last[key][at];
}

static void link_at(struct smc_inspect_kernels *kernels, size_t i, enum user_kernels_key key)
{
    struct links *links = kernels->index->links[key];
    uint32_t *last = user_kernels_find_slot(kernels, &kernels->item[i], key);
    links[i] = (struct links){.before = *last};
    if (*last)
        links[*last - 1].after = (uint32_t)i + 1;
    *last = (uint32_t)i + 1;
}

static void link_all(struct smc_inspect_kernels *kernels)
{
    for (enum user_kernels_key key = 0; key < KEY_COUNT; key++) {
        memset(kernels->index->last[key], 0, kernels->index->slots * sizeof(uint32_t));
        for (size_t i = 0; i < kernels->count; i++)
            link_at(kernels, i, key);
    }
}

/* After a failure the index is unchanged. */
static bool user_kernels_grow_array(void *array, size_t count, size_t bytes)
{
    void *old, *grown;
    memcpy(&old, array, sizeof old);
    grown = smc_realloc(old, count * bytes);
    if (grown)
        memcpy(array, &grown, sizeof grown);
    return grown != NULL;
}

/* Makes room for one kernel more in the list and its index. */
static bool user_kernels_grow(struct smc_inspect_kernels *kernels)
{
    if (kernels->count < kernels->capacity)
        return true;
    size_t capacity = kernels->capacity ? 2 * kernels->capacity : 16;
    if (!kernels->index && !(kernels->index = smc_calloc(1, sizeof *kernels->index)))
        return false;
    struct smc_inspect_index *index = kernels->index;
    bool grown = user_kernels_grow_array(&kernels->item, capacity, sizeof *kernels->item);
    for (enum user_kernels_key key = 0; key < KEY_COUNT && grown; key++)
        grown = user_kernels_grow_array(&index->links[key], capacity, sizeof *index->links[key]) &&
                user_kernels_grow_array(&index->last[key], 2 * capacity, sizeof *index->last[key]);
    if (!grown)
        return false;
    kernels->capacity = capacity;
    index->slots = 2 * capacity;
    link_all(kernels);
    return true;
}

/* The number (index + 1) of the last kernel with the name of `kernel`; 0: none. */
static uint32_t user_kernels_find_last(const struct smc_inspect_kernels *kernels,
                                       const struct smc_inspect_kernel *kernel)
{
    return kernels->count > 0 ? *user_kernels_find_slot(kernels, kernel, BY_NAME) : 0;
}

struct smc_inspect_kernel *smc_user_kernels_find(struct smc_inspect_kernels *kernels, size_t begin,
                                                 const char *name, size_t name_length)
{
    const struct smc_inspect_kernel wanted = {.name_hash =
                                                  smc_hash(SMC_HASH_START, name, name_length)};
    struct smc_inspect_kernel *first = NULL;
    uint32_t number = user_kernels_find_last(kernels, &wanted);
    for (; number > begin; number = kernels->index->links[BY_NAME][number - 1].before)
        first = &kernels->item[number - 1];
    return first;
}

bool smc_user_kernels_is_first(const struct smc_inspect_kernels *kernels, size_t index)
{
    return !kernels->index || kernels->index->links[BY_VERSION][index].before == 0;
}

const struct smc_inspect_kernel *
smc_user_kernels_next_version(const struct smc_inspect_kernels *kernels,
                              const struct smc_inspect_kernel *kernel)
{
    uint32_t number = kernels->index->links[BY_VERSION][kernel - kernels->item].after;
    return number ? &kernels->item[number - 1] : NULL;
}

/* Ranks machine code for `cc`. Like the driver, prefers the nearest architecture that loads, and
   for one architecture the more specific suffix. If none loads, the nearest substitutes for a
   compilation that does not exist yet. */
static unsigned suitability(const struct smc_inspect_kernel *kernel, uint16_t cc)
{
    enum { FARTHEST = 999, LOADS = 4 * FARTHEST, BELOW = 2 * FARTHEST };
    if (kernel->cc == 0)
        return 0;
    unsigned distance = kernel->cc > cc ? kernel->cc - cc : cc - kernel->cc;
    unsigned near = FARTHEST - (distance > FARTHEST ? FARTHEST : distance);
    unsigned special = kernel->suffix == 'a' ? 2 : kernel->suffix == 'f' ? 1 : 0;
    unsigned group = smc_architecture_loads(kernel, cc) ? LOADS : kernel->cc < cc ? BELOW : 0;
    return 3 * (group + near) + special + 1;
}

const struct smc_inspect_kernel *
smc_user_kernels_best_version(const struct smc_inspect_kernels *kernels,
                              const struct smc_inspect_kernel *first, uint16_t cc)
{
    const struct smc_inspect_kernel *best = first;
    for (const struct smc_inspect_kernel *k = first; k;
         k = smc_user_kernels_next_version(kernels, k))
        if (suitability(k, cc) > suitability(best, cc))
            best = k;
    return best;
}

/* --- The list --------------------------------------------------------------------------------- */

static bool user_kernels_is_same(const struct smc_inspect_kernel *a,
                                 const struct smc_inspect_kernel *b)
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

static bool user_kernels_is_known(const struct smc_inspect_kernels *kernels,
                                  const struct smc_inspect_kernel *kernel)
{
    uint32_t number = user_kernels_find_last(kernels, kernel);
    for (; number > 0; number = kernels->index->links[BY_NAME][number - 1].before)
        if (user_kernels_is_same(&kernels->item[number - 1], kernel))
            return true;
    return false;
}

bool smc_user_kernel_set_name(struct smc_inspect_kernel *kernel, const char *name,
                              size_t name_length)
{
    struct smc_resources *resources = &kernel->resources;
    kernel->name_hash = smc_hash(SMC_HASH_START, name, name_length);
    kernel->version_hash = hash_version(name, name_length);
    if (kernel->smem_has_reserve && kernel->cc != 0) {
        resources->static_smem_bytes =
            smc_architecture_without_reserve(resources->static_smem_bytes, kernel->cc);
        kernel->smem_has_reserve = false;
    }
    resources->cc = kernel->cc;
    const char *source = kernel->source_file;
    kernel->source_file = source ? smc_strdup(source) : NULL;
    kernel->name = smc_strndup(name, name_length);
    kernel->shown = kernel->name ? smc_demangle(smc_name_without_static(kernel->name)) : NULL;
    if (!kernel->shown || (source && !kernel->source_file)) {
        smc_user_kernel_free(kernel);
        return false;
    }
    smc_utf8_make_safe(kernel->shown);
    return true;
}

void smc_user_kernel_free(struct smc_inspect_kernel *kernel)
{
    free(kernel->name);
    free(kernel->shown);
    free(kernel->source_file);
    free(kernel->array);
    smc_shared_ptx_release(kernel->ptx);
    kernel->ptx = NULL;
    kernel->array = NULL;
    kernel->name = kernel->shown = kernel->source_file = NULL;
}

bool smc_user_kernels_take(struct smc_inspect_kernels *kernels, struct smc_inspect_kernel *kernel)
{
    bool known = user_kernels_is_known(kernels, kernel),
         added = !known && user_kernels_grow(kernels);
    if (!added) {
        smc_user_kernel_free(kernel);
        return known;
    }
    kernels->item[kernels->count++] = *kernel;
    kernel->name = kernel->shown = kernel->source_file = NULL;
    kernel->array = NULL;
    for (enum user_kernels_key key = 0; key < KEY_COUNT; key++)
        link_at(kernels, kernels->count - 1, key);
    return true;
}

bool smc_user_kernels_add(struct smc_inspect_kernels *kernels, const char *name, size_t name_length,
                          const struct smc_inspect_kernel *kernel)
{
    struct smc_inspect_kernel added = *kernel;
    return smc_user_kernel_set_name(&added, name, name_length) &&
           smc_user_kernels_take(kernels, &added);
}

size_t smc_user_kernels_count_unlinked(const struct smc_inspect_kernels *kernels)
{
    size_t count = 0;
    for (size_t i = 0; i < kernels->count; i++) {
        const struct smc_inspect_kernel *kernel = &kernels->item[i];
        count += kernel->calls_unlinked &&
                 smc_user_kernels_find((struct smc_inspect_kernels *)kernels, 0, kernel->name,
                                       strlen(kernel->name)) == kernel;
    }
    return count;
}

void smc_user_kernels_cut(struct smc_inspect_kernels *kernels, size_t count)
{
    if (kernels->count <= count)
        return;
    while (kernels->count > count)
        smc_user_kernel_free(&kernels->item[--kernels->count]);
    link_all(kernels);
}

void smc_inspect_notes_free(struct smc_inspect_notes *notes)
{
    smc_text_free(&notes->warnings);
    smc_text_free(&notes->faults);
    smc_text_free(&notes->remarks);
}

void smc_user_kernels_free(struct smc_inspect_kernels *kernels)
{
    smc_user_kernels_cut(kernels, 0);
    for (size_t i = 0; i < kernels->owned_file_count; i++)
        free(kernels->owned_file[i]);
    free(kernels->owned_file);
    for (enum user_kernels_key key = 0; key < KEY_COUNT && kernels->index; key++) {
        free(kernels->index->last[key]);
        free(kernels->index->links[key]);
    }
    free(kernels->index);
    free(kernels->item);
    *kernels = (struct smc_inspect_kernels){0};
}

static const struct {
    const char *name, *words;
} sources[] = {
#define SOURCE(id, name, words) [SMC_INSPECT_##id] = {name, words},
#include "code/readers/kernel_sources.def"
};

const char *smc_user_kernel_source_name(enum smc_inspect_source source)
{
    return sources[source].name;
}

const char *smc_user_kernel_source_words(enum smc_inspect_source source)
{
    return sources[source].words;
}

bool smc_user_kernels_locate(struct smc_inspect_kernels *kernels, size_t begin,
                             const struct smc_source_tree *tree)
{
    for (size_t i = begin; i < kernels->count; i++) {
        struct smc_inspect_kernel *kernel = &kernels->item[i];
        uint32_t line = 0;
        const char *file = smc_source_tree_find_kernel(tree, kernel->name, kernel->shown, &line);
        if (!file)
            continue;
        free(kernel->source_file);
        kernel->source_file = smc_strdup(file);
        kernel->source_line = line;
        struct smc_shared_arrays found = {kernel->array, 0, kernel->arrays};
        bool is_found = smc_shared_arrays_find(tree, kernel->name, kernel->shown, &found);
        kernel->array = found.item;
        kernel->arrays = found.count;
        if (!kernel->source_file || !is_found)
            return false;
    }
    return true;
}

bool smc_user_kernel_is_requested(const struct smc_inspect_kernel *kernel,
                                  const struct smc_inspect_request *request)
{
    for (size_t i = 0; i < request->pattern_count; i++)
        if (smc_name_matches_kernel(kernel, request->patterns[i]))
            return true;
    return request->pattern_count == 0;
}
