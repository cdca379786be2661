/* The kernels compiled in this session. */
#include "tui/memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct smc_memo_entry {
    const struct smc_kernel *kernel;
    uint16_t cc;
    char defines[128]; /* identify the compiled kernel, as in the compile cache */
    struct smc_compiled compiled;
};

static bool write_defines(const struct smc_query *query, char defines[128])
{
    struct smc_text text = {0};
    query->kernel->defines(query->kernel, &query->params, &text);
    bool fits = !text.failed && text.length < 128;
    if (fits)
        memcpy(defines, smc_text_string(&text), text.length + 1);
    smc_text_free(&text);
    return fits;
}

const struct smc_compiled *smc_memo_find_compiled(const struct smc_memo *memo,
                                                  const struct smc_query *query)
{
    char defines[128];
    if (!query->kernel || memo->count == 0 || !write_defines(query, defines))
        return NULL;
    for (size_t i = 0; i < memo->count; i++) {
        const struct smc_memo_entry *entry = &memo->entry[i];
        if (entry->kernel == query->kernel && entry->cc == query->device.sm.cc &&
            strcmp(entry->defines, defines) == 0)
            return &entry->compiled;
    }
    return NULL;
}

const struct smc_resources *smc_memo_find(const struct smc_memo *memo,
                                          const struct smc_query *query)
{
    const struct smc_compiled *compiled = smc_memo_find_compiled(memo, query);
    return compiled ? &compiled->resources : NULL;
}

static bool reserve(struct smc_memo *memo)
{
    if (memo->count < memo->capacity)
        return true;
    size_t capacity = memo->capacity ? 2 * memo->capacity : 64;
    struct smc_memo_entry *more = smc_realloc(memo->entry, capacity * sizeof *more);
    if (!more)
        return false;
    memo->entry = more;
    memo->capacity = capacity;
    return true;
}

void smc_memo_keep_compiled(struct smc_memo *memo, const struct smc_query *query,
                            struct smc_compiled *compiled)
{
    struct smc_memo_entry entry = {
        .kernel = query->kernel, .cc = query->device.sm.cc, .compiled = *compiled};
    free(compiled->binary.ptx);
    compiled->binary = (struct smc_binary){0};
    entry.compiled.binary.ptx = NULL;
    entry.compiled.binary.ptx_bytes = 0;
    if (query->kernel && !smc_memo_find(memo, query) && reserve(memo) &&
        write_defines(query, entry.defines))
        memo->entry[memo->count++] = entry;
    else
        smc_binary_free(&entry.compiled.binary);
}

void smc_memo_keep(struct smc_memo *memo, const struct smc_query *query,
                   const struct smc_resources *resources)
{
    struct smc_compiled compiled = {.resources = *resources};
    smc_memo_keep_compiled(memo, query, &compiled);
}

void smc_memo_forget(struct smc_memo *memo)
{
    for (size_t i = 0; i < memo->count; i++)
        smc_binary_free(&memo->entry[i].compiled.binary);
    free(memo->entry);
    *memo = (struct smc_memo){0};
}
