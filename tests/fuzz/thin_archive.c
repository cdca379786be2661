/* Fuzzes thin archives: the members that they name, each once, and no file is opened. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "code/machine_code.h"

int fuzz_thin_archive(const uint8_t *data, size_t size)
{
    static const char mark[] = "!<thin>\n";
    const size_t bytes = size + sizeof mark - 1;
    char *archive = malloc(bytes);
    size_t at = 0, before = 0;
    if (!archive)
        return 0;
    memcpy(archive, mark, sizeof mark - 1);
    if (size)
        memcpy(archive + sizeof mark - 1, data, size);
    if (!smc_fatbin_is_thin_archive(archive, bytes))
        abort();
    for (struct smc_text name = {0}; smc_fatbin_thin_member(archive, bytes, &at, &name);) {
        if (at <= before || at > bytes || strlen(smc_text_string(&name)) != name.length)
            abort();
        before = at;
        smc_text_free(&name);
    }
    free(archive);
    return 0;
}
