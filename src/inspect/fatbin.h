/* The containers ("fatbins") in which nvcc keeps machine code and PTX: found within any file, and
   their parts decompressed. The file is not trusted. */
#ifndef SMC_INSPECT_FATBIN_H
#define SMC_INSPECT_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"

enum smc_fatbin_compression {
    SMC_FATBIN_STORED,
    SMC_FATBIN_LZ4,
    SMC_FATBIN_ZSTD,
    SMC_FATBIN_OTHER, /* by flags that no known compiler sets */
};

/* A part with machine code or PTX, or a place where a container is damaged. */
struct smc_fatbin_part {
    size_t at, bytes;  /* its content within the file, as stored */
    size_t code_bytes; /* decompressed, as the file states */
    uint32_t cc;
    enum smc_fatbin_compression compression;
    size_t container;  /* where its container begins */
    size_t member;     /* where the header of the archive's member begins; 0: none */
    const char *fault; /* why it cannot be read, or NULL */
};

/* In the order of the file. Start from {0}. */
struct smc_fatbin_parts {
    struct smc_fatbin_part *item;
    size_t count, capacity;
    struct smc_fatbin_part *ptx; /* parts with PTX; smc_fatbin_open gives its text */
    size_t ptx_count, ptx_capacity;
    size_t linked_count; /* parts with a linker's intermediate code (-dlto) */
};

/* Whether the file begins as an archive of object files (.a), or as a container; whether the mark
   of one occurs anywhere. */
bool smc_fatbin_is_archive(const void *file, size_t bytes);
bool smc_fatbin_is(const void *file, size_t bytes);
bool smc_fatbin_occurs(const void *file, size_t bytes);

/* Searches all bytes of the file, whatever its format. `looked_at` is called, unless it is NULL,
   with ascending offsets: the bytes before them are not read again here. False: out of memory.
 */
bool smc_fatbin_find(const void *file, size_t bytes, void (*looked_at)(void *context, size_t end),
                     void *context, struct smc_fatbin_parts *parts);
void smc_fatbin_parts_free(struct smc_fatbin_parts *parts);

/* Appends the name of the member of an archive whose header begins at `member`. */
void smc_fatbin_append_member(const void *file, size_t bytes, size_t member, struct smc_text *out);

/* Thin archives, written by "ar rcT", which only name their members. smc_fatbin_thin_member appends
   the path of the member at `*at`, 0 for the first, relative to the archive, and moves `*at` to the
   next; false: none is left. */
bool smc_fatbin_is_thin_archive(const void *file, size_t bytes);
bool smc_fatbin_thin_member(const void *file, size_t bytes, size_t *at, struct smc_text *name);

/* "LZ4" ... */
const char *smc_fatbin_compression_name(enum smc_fatbin_compression compression);

/* Whether this build can decompress it. */
bool smc_fatbin_can_open(enum smc_fatbin_compression compression);

/* SMC_USAGE if the parts together would decompress to more than a valid file of this size holds. */
enum smc_status smc_fatbin_check_total(const struct smc_fatbin_parts *parts, size_t file_bytes,
                                       struct smc_error *error);

/* Memory for decompressing one part after the other. Start from {0}. */
struct smc_fatbin_buffer {
    void *data;
    size_t capacity;
    struct ZSTD_DCtx_s *zstd;
};
void smc_fatbin_buffer_free(struct smc_fatbin_buffer *buffer);

/* The part's machine code: in the file itself or in the buffer, until its next use. Memory is
   allocated only for a size that the compressed bytes can yield. SMC_USAGE: damaged;
   SMC_UNAVAILABLE: this build cannot decompress it; SMC_MACHINE: out of memory. */
enum smc_status smc_fatbin_open(const void *file, const struct smc_fatbin_part *part,
                                struct smc_fatbin_buffer *buffer, const void **code,
                                struct smc_error *error);

#endif
