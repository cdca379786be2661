/* Decompresses what gzip has compressed. */
#include "config.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#include "base/csv_reader.h"
#include "base/memory.h"

bool smc_gzip_begins(const char *bytes, size_t count)
{
    return count >= strlen(SMC_GZIP_MAGIC) &&
           memcmp(bytes, SMC_GZIP_MAGIC, strlen(SMC_GZIP_MAGIC)) == 0;
}

#ifdef HAVE_ZLIB

struct smc_gzip {
    const char *name;
    struct smc_csv_source source;
    z_stream stream;
    bool ended; /* the last member is complete; another one may follow */
    char bytes[SMC_GZIP_CHUNK];
};

enum smc_status smc_gzip_open(struct smc_gzip **gzip, const char *name,
                              const struct smc_csv_source *source, const char *bytes, size_t count,
                              struct smc_error *error)
{
    struct smc_gzip *opened = smc_calloc(1, sizeof *opened);
    *gzip = NULL;
    if (!opened || inflateInit2(&opened->stream, 16 + MAX_WBITS) != Z_OK) {
        free(opened);
        return smc_out_of_memory(error);
    }
    opened->name = name;
    opened->source = *source;
    memcpy(opened->bytes, bytes, count);
    opened->stream.next_in = (unsigned char *)opened->bytes;
    opened->stream.avail_in = (unsigned)count;
    *gzip = opened;
    return SMC_OK;
}

void smc_gzip_close(struct smc_gzip *gzip)
{
    if (gzip)
        inflateEnd(&gzip->stream);
    free(gzip);
}

/* Reads more compressed bytes if all are used. */
static enum smc_status fill_gzip(struct smc_gzip *gzip, struct smc_error *error)
{
    size_t count = 0;
    if (gzip->stream.avail_in > 0)
        return SMC_OK;
    enum smc_status status =
        gzip->source.read(gzip->source.context, gzip->bytes, sizeof gzip->bytes, &count, error);
    gzip->stream.next_in = (unsigned char *)gzip->bytes;
    gzip->stream.avail_in = (unsigned)count;
    return status;
}

static enum smc_status fail_to_inflate(const struct smc_gzip *gzip, int code,
                                       struct smc_error *error)
{
    const char *reason = gzip->stream.msg;
    if (code == Z_MEM_ERROR)
        return smc_out_of_memory(error);
    if (code == Z_BUF_ERROR)
        return smc_fail(error, SMC_USAGE,
                        "%s: the compressed file ends early: it was not written completely",
                        gzip->name);
    return smc_fail(error, SMC_USAGE, "%s: the compressed file is damaged: %.80s", gzip->name,
                    reason ? reason : "it needs a dictionary");
}

/* A file may have several members one after another. What follows the last one and begins
   otherwise is ignored, as gunzip does. */
enum smc_status smc_gzip_read(struct smc_gzip *gzip, char *bytes, size_t capacity, size_t *count,
                              struct smc_error *error)
{
    z_stream *stream = &gzip->stream;
    stream->next_out = (unsigned char *)bytes;
    stream->avail_out = (unsigned)capacity;
    while (stream->avail_out > 0) {
        SMC_TRY(fill_gzip(gzip, error));
        if (gzip->ended && (stream->avail_in == 0 || stream->next_in[0] != 0x1f))
            break;
        if (gzip->ended)
            inflateReset(stream);
        gzip->ended = false;
        const bool at_end = stream->avail_in == 0;
        const int code = at_end ? Z_BUF_ERROR : inflate(stream, Z_NO_FLUSH);
        gzip->ended = code == Z_STREAM_END;
        if (at_end || (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR))
            return fail_to_inflate(gzip, code, error);
    }
    *count = capacity - stream->avail_out;
    return SMC_OK;
}

#else

enum smc_status smc_gzip_open(struct smc_gzip **gzip, const char *name,
                              const struct smc_csv_source *source, const char *bytes, size_t count,
                              struct smc_error *error)
{
    (void)source, (void)bytes, (void)count;
    *gzip = NULL;
    return smc_fail(error, SMC_UNAVAILABLE,
                    "%s: compressed; this build has no zlib: 'gunzip' it first", name);
}

void smc_gzip_close(struct smc_gzip *gzip)
{
    (void)gzip;
}

enum smc_status smc_gzip_read(struct smc_gzip *gzip, char *bytes, size_t capacity, size_t *count,
                              struct smc_error *error)
{
    (void)gzip, (void)bytes, (void)capacity, (void)error;
    *count = 0;
    return SMC_OK;
}

#endif
