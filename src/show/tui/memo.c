/* The kernels compiled in this session. */
#include "show/tui/memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct smc_memo_entry {
    const struct smc_kernel *kernel;
    uint16_t cc;
    char defines[128]; /* identify the compiled kernel, as in the compile cache */
    bool failed;       /* and no resources */
    struct smc_resources resources;
};

static bool memo_write_defines(const struct smc_query *query, char defines[128])
{
    smc_auto_text text = {0};
    query->kernel->defines(query->kernel, &query->params, &text);
    bool fits = !text.failed && text.length < 128;
    if (fits)
        memcpy(defines, smc_text_string(&text), text.length + 1);
    return fits;
}

static struct smc_memo_entry *memo_find_entry(const struct smc_memo *memo,
                                              const struct smc_query *query)
{
    char defines[128];
    if (!query->kernel || memo->count == 0 || !memo_write_defines(query, defines))
        return NULL;
    for (size_t i = 0; i < memo->count; i++) {
        struct smc_memo_entry *entry = &memo->entry[i];
        if (entry->kernel == query->kernel && entry->cc == query->device.sm.cc &&
            strcmp(entry->defines, defines) == 0)
            return entry;
    }
    return NULL;
}

const struct smc_resources *smc_memo_find(const struct smc_memo *memo,
                                          const struct smc_query *query)
{
    const struct smc_memo_entry *entry = memo_find_entry(memo, query);
    return entry && !entry->failed ? &entry->resources : NULL;
}

bool smc_memo_has_failed(const struct smc_memo *memo, const struct smc_query *query)
{
    const struct smc_memo_entry *entry = memo_find_entry(memo, query);
    return entry && entry->failed;
}

void smc_memo_keep(struct smc_memo *memo, const struct smc_query *query,
                   const struct smc_resources *resources)
{
    struct smc_memo_entry entry = {
        .kernel = query->kernel, .cc = query->device.sm.cc, .failed = !resources};
    struct smc_memo_entry *present = memo_find_entry(memo, query);
    if (resources)
        entry.resources = *resources;
    if (!query->kernel || !memo_write_defines(query, entry.defines))
        return;
    if (present && present->failed)
        *present = entry;
    else if (!present &&
             smc_make_room(&memo->entry, memo->count, &memo->capacity, sizeof *memo->entry))
        memo->entry[memo->count++] = entry;
}

void smc_memo_forget(struct smc_memo *memo)
{
    free(memo->entry);
    *memo = (struct smc_memo){0};
}
