/* One input: its bytes, and what they are. */
#include "config.h"

#include "inspect/input.h"

#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "compile/cubin.h"
#include "compile/ptx.h"

enum smc_status smc_input_read(const char *file, struct smc_text *bytes, struct smc_error *error)
{
    bool is_stdin = strcmp(file, "-") == 0;
    char part[65536];
    size_t count;
    FILE *stream = is_stdin ? stdin : fopen(file, "rb");
    if (!stream)
        return smc_fail(error, SMC_USAGE, "%s: %s", file, strerror(errno));
    while ((count = fread(part, 1, sizeof part, stream)) > 0)
        smc_text_append_bytes(bytes, part, count);
    int reason = ferror(stream) ? errno : 0;
    if (!is_stdin)
        fclose(stream);
    if (bytes->failed)
        return smc_fail(error, SMC_MACHINE, "%s: out of memory", file);
    return reason ? smc_fail(error, SMC_USAGE, "%s: %s", file, strerror(reason)) : SMC_OK;
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
    struct smc_cubin cubin;
    if (smc_cubin_open(bytes->data, bytes->length, &cubin))
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
