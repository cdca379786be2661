/* The source of a kernel: the built-in text, or an edited copy. */
#include "code/compile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "rules/devices.h"

enum { MAX_TEXT_BYTES = 1 << 20 };

static enum smc_status source_read_text(const char *path, struct smc_text *text,
                                        struct smc_error *error)
{
    struct stat status;
    char part[4096];
    size_t count;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return smc_fail(error, SMC_USAGE, "option --kernel-dir: %s: not a file", path);
    smc_auto_file FILE *file = fopen(path, "re");
    if (!file)
        return smc_fail(error, smc_memory_status(errno, SMC_USAGE), "option --kernel-dir: %s: %s",
                        path, strerror(errno));
    while (text->length <= MAX_TEXT_BYTES && (count = fread(part, 1, sizeof part, file)) > 0)
        smc_text_append_bytes(text, part, count);
    if (ferror(file))
        return smc_fail(error, SMC_USAGE, "option --kernel-dir: %s: cannot be read", path);
    if (text->length > MAX_TEXT_BYTES)
        return smc_fail(error, SMC_USAGE, "option --kernel-dir: %s: above %d bytes", path,
                        MAX_TEXT_BYTES);
    if (text->length && memchr(text->data, '\0', text->length))
        return smc_fail(error, SMC_USAGE, "option --kernel-dir: %s: not a text file", path);
    return SMC_OK;
}

enum smc_status smc_source_load(const struct smc_kernel *kernel, const char *kernel_dir,
                                struct smc_source *source, struct smc_error *error)
{
    size_t length = 0;
    const char *own = smc_kernel_text(kernel->file, &length);
    *source = (struct smc_source){0};
    if (!kernel_dir) {
        if (!own)
            return smc_fail(error, SMC_MACHINE, "kernel %s: no text is built in", kernel->name);
        smc_text_append_bytes(&source->text, own, length);
        snprintf(source->shown, sizeof source->shown, "%s", kernel->file);
    } else {
        int needed =
            snprintf(source->shown, sizeof source->shown, "%s/%s", kernel_dir, kernel->file);
        if (needed < 0 || (size_t)needed >= sizeof source->shown)
            return smc_fail(error, SMC_USAGE, "option --kernel-dir: the path is too long");
        SMC_TRY(source_read_text(source->shown, &source->text, error));
        source->folder = kernel_dir;
        source->includes = strstr(smc_text_string(&source->text), "include") != NULL;
        source->is_edited = !own || length != source->text.length ||
                            (length && memcmp(own, source->text.data, length) != 0);
    }
    return source->text.failed ? smc_out_of_memory(error) : SMC_OK;
}

void smc_source_free(struct smc_source *source)
{
    smc_text_free(&source->text);
}

/* The ')' that matches the '(' before `at`. `comma`: the only comma outside nested parentheses;
   NULL if there is none. NULL also for more commas. */
static const char *closing_parenthesis(const char *at, const char **comma)
{
    *comma = NULL;
    for (int depth = 1; *at; at++) {
        depth += (*at == '(') - (*at == ')');
        if (*at == ',' && depth == 1 && *comma)
            return NULL;
        *comma = *at == ',' && depth == 1 ? at : *comma;
        if (depth == 0)
            return at;
    }
    return NULL;
}

bool smc_launch_bounds_set(struct smc_text *text, uint32_t min_blocks)
{
    static const char name[] = "__launch_bounds__";
    struct smc_text bounded = {0};
    const char *rest = smc_text_string(text);
    bool found = false;
    for (const char *at = rest; (at = strstr(at, name)) != NULL;) {
        const char *comma, *open = at += sizeof name - 1;
        open += strspn(open, " \t\n");
        const char *end = *open == '(' ? closing_parenthesis(open + 1, &comma) : NULL;
        if (!end)
            continue;
        smc_text_append_bytes(&bounded, rest, (size_t)((comma ? comma : end) - rest));
        smc_text_printf(&bounded, ", %u", min_blocks);
        rest = at = end;
        found = true;
    }
    smc_text_append(&bounded, rest);
    smc_text_free(text);
    *text = bounded;
    return found;
}

/* --- Built-in PTX ----------------------------------------------------------------------------- */

static const struct smc_built_in_ptx entries[] = {
#include "code/compile/built_in_ptx.inc"
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

/* The PTX can also be used for an older architecture that CUDA still supports, since the program is
   the same unless the source depends on __CUDA_ARCH__. */
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
    smc_auto_text joined = {0};
    smc_join_defines(defines, &joined);
    for (size_t i = 0; i < sizeof entries / sizeof *entries && !found; i++)
        if (strcmp(entries[i].kernel, kernel) == 0 &&
            strcmp(entries[i].defines, smc_text_string(&joined)) == 0)
            found = &entries[i];
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
