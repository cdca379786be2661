/* PTX that comes with the program. */
#include "compile/built_in_ptx.h"

#include <string.h>

#include "base/hash.h"
#include "devices/devices.h"

static const struct smc_built_in_ptx entries[] = {
#include "compile/built_in_ptx.inc"
};

uint64_t smc_source_hash(const struct smc_source *source)
{
    return smc_hash(SMC_HASH_START, smc_text_string(&source->text), source->text.length);
}

void smc_join_defines(const char *defines, struct smc_text *joined)
{
    for (const char *s = defines; *s; s++)
        smc_text_append_char(joined, *s == '\n' ? ' ' : *s, *s != '\n' || s[1] ? 1 : 0);
}

/* An older architecture that CUDA still compiles for runs the same program, unless its text asks
   for which one it is. */
static bool serves_device(const struct smc_built_in_ptx *entry, const struct smc_source *source,
                          uint16_t cc)
{
    return cc >= entry->cc || (smc_capability_is_current(cc) &&
                               !strstr(smc_text_string(&source->text), "__CUDA_ARCH__"));
}

const struct smc_built_in_ptx *smc_built_in_ptx_find(const char *kernel,
                                                     const struct smc_source *source,
                                                     const char *defines, uint16_t cc)
{
    const struct smc_built_in_ptx *found = NULL;
    struct smc_text joined = {0};
    smc_join_defines(defines, &joined);
    for (size_t i = 0; i < sizeof entries / sizeof *entries && !found; i++)
        if (strcmp(entries[i].kernel, kernel) == 0 &&
            strcmp(entries[i].defines, smc_text_string(&joined)) == 0)
            found = &entries[i];
    smc_text_free(&joined);
    bool serves =
        found && serves_device(found, source, cc) && found->hash == smc_source_hash(source);
    return serves ? found : NULL;
}

void smc_ptx_shorten(const char *ptx, struct smc_text *out)
{
    while (*ptx) {
        size_t length = strcspn(ptx, "\n");
        const char *line = ptx + strspn(ptx, "\t ");
        bool is_needed = line < ptx + length && strncmp(line, "//", 2) != 0 &&
                         strncmp(line, ".loc", 4) != 0 && strncmp(line, ".file", 5) != 0;
        if (strncmp(line, ".section", 8) == 0)
            return; /* debugging information ends the file */
        if (is_needed) {
            smc_text_append_bytes(out, line, (size_t)(ptx + length - line));
            smc_text_append(out, "\n");
        }
        ptx += length + (ptx[length] != '\0');
    }
}
