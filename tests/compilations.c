/* Counting compilations: a table of hashes in memory that child processes share. */
#include "config.h"

#include "compilations.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/hash.h"
#include "code/nvrtc.h"

enum { MOST = 4096 };

static struct table {
    atomic_uint count;
    uint64_t compiled[MOST];
} * table;

enum smc_nvrtc_outcome __real_smc_nvrtc_compile(const struct smc_nvrtc *, const char *,
                                                const char *, const char *,
                                                struct smc_nvrtc_output *);
enum smc_nvrtc_outcome __wrap_smc_nvrtc_compile(const struct smc_nvrtc *, const char *,
                                                const char *, const char *,
                                                struct smc_nvrtc_output *);
enum smc_nvrtc_outcome __real_smc_nvrtc_compile_with(const struct smc_nvrtc *, const char *,
                                                     const char *, const char *,
                                                     const struct smc_nvrtc_extras *,
                                                     struct smc_nvrtc_output *);
enum smc_nvrtc_outcome __wrap_smc_nvrtc_compile_with(const struct smc_nvrtc *, const char *,
                                                     const char *, const char *,
                                                     const struct smc_nvrtc_extras *,
                                                     struct smc_nvrtc_output *);

static void note(const char *text, const char *options)
{
    unsigned index = table ? atomic_fetch_add(&table->count, 1) : MOST;
    if (index < MOST)
        table->compiled[index] =
            smc_hash(smc_hash(SMC_HASH_START, text, strlen(text)), options, strlen(options));
}

enum smc_nvrtc_outcome __wrap_smc_nvrtc_compile(const struct smc_nvrtc *nvrtc, const char *text,
                                                const char *file, const char *options,
                                                struct smc_nvrtc_output *output)
{
    note(text, options);
    return __real_smc_nvrtc_compile(nvrtc, text, file, options, output);
}

enum smc_nvrtc_outcome __wrap_smc_nvrtc_compile_with(const struct smc_nvrtc *nvrtc,
                                                     const char *text, const char *file,
                                                     const char *options,
                                                     const struct smc_nvrtc_extras *extras,
                                                     struct smc_nvrtc_output *output)
{
    note(text, options);
    return __real_smc_nvrtc_compile_with(nvrtc, text, file, options, extras, output);
}

void compilations_begin(void)
{
    if (!table)
        table =
            mmap(NULL, sizeof *table, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (table == MAP_FAILED) {
        perror("compilations");
        exit(99);
    }
    atomic_store(&table->count, 0);
}

struct compilations compilations_counted(void)
{
    struct compilations counted = {.all = atomic_load(&table->count)};
    for (unsigned i = 0; i < counted.all && i < MOST; i++) {
        unsigned k = 0;
        while (k < i && table->compiled[k] != table->compiled[i])
            k++;
        counted.repeated += k < i;
    }
    return counted;
}
