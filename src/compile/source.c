/* The text of a kernel: the program's own, or an edited copy. */
#include "config.h"

#include "compile/source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"

enum { MAX_TEXT_BYTES = 1 << 20 };

static enum smc_status read_text(const char *path, struct smc_text *text, struct smc_error *error)
{
    struct stat status;
    char part[4096];
    size_t count;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return smc_fail(error, SMC_USAGE, "option --kernel-dir: %s: not a file", path);
    FILE *file = fopen(path, "re");
    if (!file)
        return smc_fail(error, smc_memory_status(errno, SMC_USAGE), "option --kernel-dir: %s: %s",
                        path, strerror(errno));
    while (text->length <= MAX_TEXT_BYTES && (count = fread(part, 1, sizeof part, file)) > 0)
        smc_text_append_bytes(text, part, count);
    bool failed = ferror(file);
    fclose(file);
    if (failed)
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
        enum smc_status status = read_text(source->shown, &source->text, error);
        if (status != SMC_OK)
            return status;
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

/* The ')' that ends what begins at `at`, behind its '('; `comma`: one stands outside of others. */
static const char *closing_parenthesis(const char *at, bool *comma)
{
    for (int depth = 1; *at; at++) {
        depth += (*at == '(') - (*at == ')');
        *comma |= *at == ',' && depth == 1;
        if (depth == 0)
            return at;
    }
    return NULL;
}

bool smc_source_bound(struct smc_source *source, uint32_t min_blocks)
{
    static const char bounds[] = "__launch_bounds__(";
    const char *text = smc_text_string(&source->text);
    const char *at = strstr(text, bounds);
    bool comma = false;
    const char *end = at ? closing_parenthesis(at + sizeof bounds - 1, &comma) : NULL;
    if (!end || comma)
        return false;
    struct smc_text bounded = {0};
    smc_text_append_bytes(&bounded, text, (size_t)(end - text));
    smc_text_printf(&bounded, ", %u", min_blocks);
    smc_text_append(&bounded, end);
    smc_text_free(&source->text);
    source->text = bounded;
    return true;
}
