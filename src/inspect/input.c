/* One input: its bytes, and what they are. */
#include "config.h"

#include "inspect/input.h"

#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "compile/cubin.h"
#include "compile/ptx.h"

/* No program is linked to more than this; an endless stream ends here. */
static const size_t most_bytes = (size_t)2 << 30;

/* What the file promises, where that is known before it is read. */
static bool is_too_long(FILE *stream)
{
    struct stat status;
    return fstat(fileno(stream), &status) == 0 && S_ISREG(status.st_mode) &&
           status.st_size > (off_t)most_bytes;
}

static enum smc_status read_stream(FILE *stream, const char *file, struct smc_text *bytes,
                                   struct smc_error *error)
{
    char part[65536];
    size_t count;
    bool too_long = is_too_long(stream);
    while (!too_long && (count = fread(part, 1, sizeof part, stream)) > 0) {
        smc_text_append_bytes(bytes, part, count);
        too_long = bytes->length > most_bytes;
    }
    if (too_long)
        return smc_fail(error, SMC_USAGE, "%s: longer than 2 GiB", file);
    if (bytes->failed)
        return smc_fail(error, SMC_MACHINE, "%s: out of memory", file);
    return ferror(stream) ? smc_fail(error, SMC_USAGE, "%s: %s", file, strerror(errno)) : SMC_OK;
}

enum smc_status smc_input_read(const char *file, struct smc_text *bytes, struct smc_error *error)
{
    bool is_stdin = strcmp(file, "-") == 0;
    FILE *stream = is_stdin ? stdin : fopen(file, "rb");
    if (!stream)
        return smc_fail(error, smc_memory_status(errno, SMC_USAGE), "%s: %s", *file ? file : "''",
                        strerror(errno));
    enum smc_status status = read_stream(stream, file, bytes, error);
    if (!is_stdin)
        fclose(stream);
    return status;
}

static bool begins(const struct smc_text *bytes, const char *magic, size_t length)
{
    return bytes->length >= length && memcmp(bytes->data, magic, length) == 0;
}

static bool ends(const char *file, const char *suffix)
{
    size_t length = strlen(file), end = strlen(suffix);
    return length > end && strcmp(file + length - end, suffix) == 0;
}

static enum smc_input_kind kind_of_binary(const struct smc_text *bytes)
{
    static const char container[] = {0x50, (char)0xed, 0x55, (char)0xba};
    if (smc_cubin_is(bytes->data, bytes->length))
        return SMC_INPUT_CUBIN;
    bool known = begins(bytes, ELFMAG, SELFMAG) || begins(bytes, "!<arch>\n", 8) ||
                 memmem(bytes->data, bytes->length, container, sizeof container);
    return known ? SMC_INPUT_EMBEDDED : SMC_INPUT_UNKNOWN;
}

static bool is_log(const char *text)
{
    static const char *const signs[] = {"ptxas info ", "nvlink info ", "Compiling entry function '",
                                        "uses too much shared data ("};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strstr(text, signs[i]))
            return true;
    return strstr(text, " REG:") && strstr(text, "SHARED:");
}

enum smc_input_kind smc_input_kind(const char *file, const struct smc_text *bytes)
{
    const char *text = smc_text_string(bytes);
    if (strlen(text) < bytes->length) {
        enum smc_input_kind kind = kind_of_binary(bytes);
        if (kind != SMC_INPUT_UNKNOWN)
            return kind;
    }
    uint16_t cc;
    char suffix;
    if (smc_ptx_target(text, &cc, &suffix))
        return SMC_INPUT_PTX;
    bool is_source = ends(file, ".cu") || ends(file, ".cuh");
    if (!is_source && is_log(text))
        return SMC_INPUT_LOG;
    return is_source || strstr(text, "__global__") ? SMC_INPUT_SOURCE : SMC_INPUT_UNKNOWN;
}

void smc_input_make_text(struct smc_text *bytes)
{
    for (size_t i = 0; i < bytes->length; i++)
        if (bytes->data[i] == '\0' || bytes->data[i] == '\r')
            bytes->data[i] = '\n';
}
