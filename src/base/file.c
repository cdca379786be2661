/* A text as a file. */
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static enum smc_status fail_opening(const char *path, int reason, struct smc_error *error)
{
    return smc_fail(error, reason == EEXIST ? SMC_SHORTFALL : SMC_USAGE,
                    "'%s' cannot be written: %s", path, strerror(reason));
}

enum smc_status smc_file_write(const char *path, bool over, const struct smc_text *text,
                               struct smc_error *error)
{
    if (text->failed)
        return smc_fail(error, SMC_MACHINE, "out of memory");
    FILE *file = fopen(path, over ? "wb" : "wbx");
    if (!file)
        return fail_opening(path, errno, error);
    errno = 0;
    bool written = fwrite(smc_text_string(text), 1, text->length, file) == text->length;
    int reason = errno;
    if (fclose(file) != 0 && written) {
        written = false;
        reason = errno;
    }
    if (written)
        return SMC_OK;
    if (!over)
        remove(path);
    return smc_fail(error, SMC_MACHINE, "'%s': %s", path, strerror(reason));
}
