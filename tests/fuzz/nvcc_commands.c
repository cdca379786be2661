/* Fuzzes the output of nvcc: its dry run, and the line markers of preprocessed source. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "code/readers/nvcc_commands.h"

/* Each line of the files is one path with its kind before it. */
static void check_files(const struct smc_text *files, bool is_clear)
{
    for (const char *line = smc_text_string(files); *line; line += strcspn(line, "\n") + 1) {
        if ((*line != 's' && *line != 'u') || !strchr(line, '\n'))
            abort();
        if (is_clear && memchr(line, '\\', strcspn(line, "\n")))
            abort();
    }
}

int fuzz_nvcc_commands(const uint8_t *data, size_t size)
{
    struct smc_text output = {0}, key = {0}, files = {0};
    smc_text_append_bytes(&output, (const char *)data, size);
    const char *text = smc_text_string(&output);
    const bool is_dry_run = smc_nvcc_write_commands(text, "/tmp/smemcalc-fuzz", &key);
    if (is_dry_run != (strncmp(text, "#$ ", 3) == 0 || strstr(text, "\n#$ ") != NULL))
        abort();
    if (key.length > 0 && key.data[key.length - 1] != '\n')
        abort();
    check_files(&files, smc_nvcc_write_included(text, &files));
    smc_text_free(&output);
    smc_text_free(&key);
    smc_text_free(&files);
    return 0;
}
