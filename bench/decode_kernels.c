/* Prints a line for each kernel in files with PTX: the file, the kernel, and "decoded" or why the
   emulator refuses it, separated by tabs. For bench/corpus.sh. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "emulator/emulator.h"

enum { NAME_ROOM = 4096, MOST_BYTES = 1 << 30 };

static void decode(const char *file, const struct smc_text *ptx, const char *entry)
{
    struct smc_program *program = NULL;
    struct smc_error error = {""};
    enum smc_status status = smc_program_read(ptx->data, ptx->length, entry, &program, &error);
    for (char *at = error.message; *at; at++)
        *at = (unsigned char)*at < ' ' ? ' ' : *at;
    printf("%s\t%s\t%s\n", file, entry, status == SMC_OK ? "decoded" : error.message);
    smc_program_free(program);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct smc_text ptx = {0};
        struct smc_error error = {""};
        if (smc_file_read(argv[i], "PTX", MOST_BYTES, &ptx, &error) != SMC_OK) {
            fprintf(stderr, "%s\n", error.message);
            return EXIT_FAILURE;
        }
        static const char word[] = ".entry ";
        for (const char *at = smc_text_string(&ptx); (at = strstr(at, word));) {
            char name[NAME_ROOM];
            at += strlen(word);
            snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "( \n"), at);
            decode(argv[i], &ptx, name);
        }
        smc_text_free(&ptx);
    }
    return EXIT_SUCCESS;
}
