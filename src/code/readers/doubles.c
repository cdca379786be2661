/* Inputs that stand for the same kernels. A folder may have many thousand files, so they are found
   by hash and by order. */
#include "code/readers/doubles.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

/* --- Places on disk --------------------------------------------------------------------------- */

struct smc_double_place {
    dev_t device;
    ino_t number;
    size_t index;
    bool is_taken;
};

/* The slot of the place, or the free one where it belongs. The capacity is a power of two. */
static struct smc_double_place *doubles_find_slot(const struct smc_double_places *places,
                                                  dev_t device, ino_t number)
{
    uint64_t hash = smc_hash(SMC_HASH_START, &number, sizeof number);
    hash = smc_hash(hash, &device, sizeof device);
    for (size_t i = (size_t)hash;; i++) {
        struct smc_double_place *slot = &places->slot[i & (places->capacity - 1)];
        if (!slot->is_taken || (slot->number == number && slot->device == device))
            return slot;
    }
}

bool smc_double_places_find(const struct smc_double_places *places, dev_t device, ino_t number,
                            size_t *index)
{
    const struct smc_double_place *slot =
        places->count ? doubles_find_slot(places, device, number) : NULL;
    if (!slot || !slot->is_taken)
        return false;
    if (index)
        *index = slot->index;
    return true;
}

static bool doubles_grow(struct smc_double_places *places)
{
    const struct smc_double_places former = *places;
    const size_t capacity = former.capacity ? 2 * former.capacity : 64;
    struct smc_double_place *slot = smc_calloc(capacity, sizeof *slot);
    if (!slot)
        return false;
    *places = (struct smc_double_places){slot, former.count, capacity};
    for (size_t i = 0; i < former.capacity; i++)
        if (former.slot[i].is_taken)
            *doubles_find_slot(places, former.slot[i].device, former.slot[i].number) =
                former.slot[i];
    free(former.slot);
    return true;
}

bool smc_double_places_add(struct smc_double_places *places, dev_t device, ino_t number,
                           size_t index)
{
    if (2 * places->count >= places->capacity && !doubles_grow(places))
        return false;
    *doubles_find_slot(places, device, number) =
        (struct smc_double_place){device, number, index, true};
    places->count++;
    return true;
}

void smc_double_places_free(struct smc_double_places *places)
{
    free(places->slot);
    *places = (struct smc_double_places){0};
}

/* --- Sources and their compiled code ---------------------------------------------------------- */

/* The name without folders and from the first '.' on: "scan" of "a/scan.cu.o". */
struct stem {
    const char *text;
    size_t length;
    enum smc_input_content content;
};

static struct stem doubles_stem_of(const struct smc_input *input)
{
    const char *slash = strrchr(input->file, '/');
    const char *text = slash ? slash + 1 : input->file;
    return (struct stem){text, strcspn(text, "."), input->content};
}

static int doubles_compare_names(const struct stem *a, const struct stem *b)
{
    const size_t length = a->length < b->length ? a->length : b->length;
    const int order = memcmp(a->text, b->text, length);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* Of one name, machine code precedes PTX. */
static int compare_stems(const void *a, const void *b)
{
    const struct stem *s = a, *t = b;
    const int order = doubles_compare_names(s, t);
    return order ? order : (int)s->content - (int)t->content;
}

static int doubles_find_name(const void *name, const void *stem)
{
    return doubles_compare_names(name, stem);
}

/* Machine code and PTX of a folder, sorted. */
struct double_compiled {
    struct stem *item;
    size_t count;
    bool has_others; /* there are inputs other than headers */
};

static bool is_replaced(const struct double_compiled *compiled, const struct smc_input *input)
{
    if (input->content == SMC_CONTENT_HEADER)
        return compiled->has_others;
    const struct stem name = doubles_stem_of(input);
    const struct stem *found = compiled->count ? bsearch(&name, compiled->item, compiled->count,
                                                         sizeof name, doubles_find_name)
                                               : NULL;
    while (found && found > compiled->item && doubles_compare_names(&found[-1], &name) == 0)
        found--;
    return found && (found->content == SMC_CONTENT_CODE || input->content == SMC_CONTENT_SOURCE);
}

bool smc_inputs_leave_out(struct smc_inputs *inputs, size_t begin, size_t *count)
{
    struct double_compiled compiled = {
        .item = smc_calloc(inputs->count - begin + 1, sizeof *compiled.item)};
    *count = 0;
    if (!compiled.item)
        return false;
    for (size_t i = begin; i < inputs->count; i++) {
        const struct smc_input *input = &inputs->item[i];
        compiled.has_others |= input->content != SMC_CONTENT_HEADER;
        if (input->content == SMC_CONTENT_CODE || input->content == SMC_CONTENT_PTX)
            compiled.item[compiled.count++] = doubles_stem_of(input);
    }
    qsort(compiled.item, compiled.count, sizeof *compiled.item, compare_stems);
    for (size_t i = begin; i < inputs->count; i++) {
        struct smc_input *input = &inputs->item[i];
        if (input->content < SMC_CONTENT_PTX || !is_replaced(&compiled, input))
            continue;
        ++*count;
        input->content = SMC_CONTENT_NONE;
    }
    free(compiled.item);
    return true;
}
