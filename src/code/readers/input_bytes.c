/* The bytes of an input file, and what kind of file they are. */
#include "config.h"

#include "code/inputs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/platform.h"
#include "base/text.h"
#include "code/machine_code.h"
#include "code/ptxas_log.h"

/* No program is larger than this; the limit stops an endless stream. */
static const size_t most_bytes = (size_t)2 << 30;

/* Checks the file's size, if it is known before reading. */
static bool is_too_long(FILE *stream)
{
    struct stat status;
    return fstat(fileno(stream), &status) == 0 && S_ISREG(status.st_mode) &&
           status.st_size > (off_t)most_bytes;
}

static enum smc_status input_bytes_read_stream(FILE *stream, const char *file,
                                               struct smc_text *bytes, struct smc_error *error)
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
    return ferror(stream) ? smc_fail(error, smc_memory_status(errno, SMC_USAGE), "%s: %s", file,
                                     strerror(errno))
                          : SMC_OK;
}

enum smc_status smc_input_read(const char *file, struct smc_text *bytes, struct smc_error *error)
{
    const bool is_stdin = smc_file_is_standard_input(file);
    FILE *stream = is_stdin ? stdin : fopen(file, "rb");
    if (!stream)
        return smc_fail(error, smc_memory_status(errno, SMC_USAGE), "%s: %s", *file ? file : "''",
                        strerror(errno));
    enum smc_status status = input_bytes_read_stream(stream, smc_file_name(file), bytes, error);
    if (!is_stdin)
        fclose(stream);
    return status;
}

/* Whether a format that can hold machine code begins here: programs and objects, archives,
   containers. */
static bool holds_code(const char *bytes, size_t length)
{
    return (length >= SMC_ELF_MAGIC_BYTES &&
            memcmp(bytes, SMC_ELF_MAGIC, SMC_ELF_MAGIC_BYTES) == 0) ||
           smc_fatbin_is_archive(bytes, length) || smc_fatbin_is(bytes, length);
}

static enum smc_input_kind kind_of_binary(const struct smc_text *bytes)
{
    if (smc_cubin_is(bytes->data, bytes->length))
        return SMC_INPUT_CUBIN;
    bool known =
        holds_code(bytes->data, bytes->length) || smc_fatbin_occurs(bytes->data, bytes->length);
    return known ? SMC_INPUT_EMBEDDED : SMC_INPUT_UNKNOWN;
}

static bool input_bytes_is_log(const char *text)
{
    static const char *const signs[] = {"ptxas info ", "nvlink info ", "Compiling entry function '",
                                        "uses too much shared data ("};
    return SMC_ANY(smc_contains, text, signs) || (strstr(text, " REG:") && strstr(text, "SHARED:"));
}

/* "FILE(12): error: ...", "FILE:12:5: fatal error: ...", "nvcc fatal   : ...". Code that quotes
   such a line has something before it. */
static bool is_error_line(const char *line, size_t length)
{
    static const char tool[] = "nvcc fatal";
    if (length == 0 || strchr("*\"'#", line[0]) || strncmp(line, "//", 2) == 0 ||
        !smc_log_is_error(line, length))
        return false;
    bool has_line = false;
    for (size_t i = 1; i + 1 < length && line[i] != '"' && !has_line; i++)
        has_line = isdigit((unsigned char)line[i - 1]) &&
                   (strncmp(line + i, "): ", 3) == 0 || strncmp(line + i, ": ", 2) == 0);
    return has_line || strncmp(line, tool, sizeof tool - 1) == 0;
}

static bool has_errors(const char *text)
{
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        if (is_error_line(text, length))
            return true;
    }
    return false;
}

enum smc_input_kind smc_input_kind(const char *file, const struct smc_text *bytes)
{
    const char *text = smc_text_string(bytes);
    if (strlen(text) < bytes->length) {
        enum smc_input_kind kind = kind_of_binary(bytes);
        if (kind != SMC_INPUT_UNKNOWN)
            return kind;
    }
    if (smc_saved_is(bytes))
        return SMC_INPUT_SAVED;
    uint16_t cc;
    char suffix;
    if (smc_ptx_target(text, &cc, &suffix))
        return SMC_INPUT_PTX;
    bool is_source = smc_ends(file, ".cu") || smc_ends(file, ".cuh");
    if (!is_source && input_bytes_is_log(text))
        return SMC_INPUT_LOG;
    if (!is_source && has_errors(text))
        return SMC_INPUT_ERRORS;
    return is_source || strstr(text, "__global__") ? SMC_INPUT_SOURCE : SMC_INPUT_UNKNOWN;
}

void smc_input_make_text(struct smc_text *bytes)
{
    for (size_t i = 0; i < bytes->length; i++)
        if (bytes->data[i] == '\0' || bytes->data[i] == '\r')
            bytes->data[i] = '\n';
}

bool smc_input_is_header(const char *file)
{
    return smc_ends(file, ".cuh") || smc_ends(file, ".h") || smc_ends(file, ".hpp") ||
           smc_ends(file, ".inl");
}

/* A pipe must be opened only once. */
void *smc_input_map_code(const char *file, size_t *length)
{
    struct stat facts;
    void *bytes = MAP_FAILED;
    if (stat(file, &facts) != 0 || !S_ISREG(facts.st_mode))
        return NULL;
    int descriptor = open(file, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return NULL;
    if (fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0 &&
        (uintmax_t)facts.st_size <= most_bytes)
        bytes = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    close(descriptor);
    if (bytes == MAP_FAILED)
        return NULL;
    *length = (size_t)facts.st_size;
    if (holds_code(bytes, *length) && !smc_cubin_is(bytes, *length))
        return bytes;
    munmap(bytes, *length);
    return NULL;
}
