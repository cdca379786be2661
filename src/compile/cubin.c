/* Machine code: the steps of reading it, in order. Established by comparing what ptxas 11.8 to 13.0
   write with what they print, and on the libraries of NVIDIA's that hold machine code. */
#include "compile/cubin.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compile/cubin_parts.h"

bool smc_cubin_is(const void *file, size_t bytes)
{
    Elf64_Half machine; /* at the same place in files of 32 and of 64 bits */
    const size_t at = offsetof(Elf64_Ehdr, e_machine);
    if (bytes < at + sizeof machine || memcmp(file, ELFMAG, SELFMAG) != 0)
        return false;
    memcpy(&machine, (const char *)file + at, sizeof machine);
    return machine == EM_CUDA;
}

static enum smc_status read_all(struct smc_cubin_reading *reading)
{
    enum smc_status status = smc_cubin_read_sections(reading);
    if (status == SMC_OK)
        status = smc_cubin_check_segments(reading);
    if (status == SMC_OK)
        status = smc_cubin_read_target(reading);
    if (status == SMC_OK)
        status = smc_cubin_find_kernels(reading);
    if (status == SMC_OK)
        status = smc_cubin_read_kernels(reading);
    return status;
}

/* libelf keeps the numbers of its errors to itself, but not their words. */
static bool is_short_of_memory(void)
{
    int number = elf_errno();
    const char *words = number ? elf_errmsg(number) : NULL;
    return words && strcmp(words, "out of memory") == 0;
}

enum smc_status smc_cubin_open(const void *file, size_t bytes, struct smc_cubin *cubin,
                               struct smc_error *error)
{
    *cubin = (struct smc_cubin){0};
    struct smc_cubin_reading reading = {.bytes = bytes, .cubin = cubin, .error = error};
    if (!smc_cubin_is(file, bytes))
        return smc_fail(error, SMC_USAGE, "no machine code of a GPU");
    elf_version(EV_CURRENT);
    elf_errno();                                  /* forgets errors of before */
    cubin->elf = elf_memory((char *)file, bytes); /* which only reads it */
    enum smc_status status;
    if (!cubin->elf || !gelf_getehdr(cubin->elf, &reading.header))
        status = smc_fail(error, SMC_USAGE, "its header is cut off or none of machine code");
    else
        status = read_all(&reading);
    if (status == SMC_USAGE && is_short_of_memory())
        status = smc_out_of_memory(error);
    free(reading.section);
    free(reading.claims);
    if (status != SMC_OK)
        smc_cubin_close(cubin);
    return status;
}

void smc_cubin_close(struct smc_cubin *cubin)
{
    free(cubin->kernel);
    elf_end(cubin->elf);
    *cubin = (struct smc_cubin){0};
}

enum smc_status smc_cubin_read_barriers(const void *file, size_t bytes, const char *entry,
                                        uint32_t *barriers, struct smc_error *error)
{
    struct smc_cubin cubin;
    enum smc_status status = smc_cubin_open(file, bytes, &cubin, error);
    if (status != SMC_OK)
        return status;
    status = smc_fail(error, SMC_USAGE, "no kernel %s in its machine code", entry);
    for (size_t i = 0; i < cubin.kernel_count; i++)
        if (strcmp(cubin.kernel[i].name, entry) == 0) {
            *barriers = cubin.kernel[i].barriers;
            status = SMC_OK;
        }
    smc_cubin_close(&cubin);
    return status;
}
