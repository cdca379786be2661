/* The bytes of a recorded file: of a file, a pipe or standard input, plain or gzip. */
#ifndef SMC_ANSWERS_TRACE_INPUT_H
#define SMC_ANSWERS_TRACE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/status.h"
#include "base/text.h"

enum { SMC_TRACE_BEGINNING = 4096 };

struct smc_trace_input {
    const char *path; /* as given; not owned */
    char *shown;      /* its name in messages, safe for a terminal: as smc_file_name has it */
    char beginning[SMC_TRACE_BEGINNING + 1]; /* its first bytes, decompressed, '\0' after them */
    size_t beginning_count;

    /* Private to trace_input.c. */
    FILE *stream;
    struct smc_gzip *gzip; /* NULL: it is not compressed */
    size_t given;          /* bytes of the beginning that smc_trace_input_read has returned */
    char *copy;            /* the path of the copy in $TMPDIR, or NULL */
    bool watches;          /* signals wait until the copy has no name any more */
};

/* Opens it and reads its beginning. SMC_USAGE: it cannot be read, or its compressed bytes are
   damaged; SMC_UNAVAILABLE: it is compressed and this build lacks zlib; SMC_MACHINE: memory. Close
   it in any case. */
enum smc_status smc_trace_input_open(struct smc_trace_input *input, const char *path,
                                     struct smc_error *error);
void smc_trace_input_close(struct smc_trace_input *input);

/* The next bytes, from the first on; `*count` is less than `capacity` only at the end. */
enum smc_status smc_trace_input_read(struct smc_trace_input *input, char *bytes, size_t capacity,
                                     size_t *count, struct smc_error *error);

/* Appends all bytes. SMC_USAGE: there are more than `most`, the limit for this `kind`. */
enum smc_status smc_trace_input_text(struct smc_trace_input *input, const char *kind, size_t most,
                                     struct smc_text *text, struct smc_error *error);

/* A path under which the bytes can be opened and read in any order: the file itself, or a copy in
   $TMPDIR of what is compressed or no regular file. Nothing may have been read before. The path is
   valid until the input is closed. SMC_USAGE: the copy could not be written; SMC_INTERRUPTED: a
   signal arrived, which takes effect in smc_trace_input_unlink. */
enum smc_status smc_trace_input_file(struct smc_trace_input *input, const char **path,
                                     struct smc_error *error);

/* Removes the name of the copy, if there is one, as soon as it has been opened: nothing is left
   behind, however the program ends. A signal that arrived since smc_trace_input_file may end it
   here. */
void smc_trace_input_unlink(struct smc_trace_input *input);

/* Both at once, with C's stream of what was opened: close it. NULL after an error. */
enum smc_status smc_trace_input_stream(struct smc_trace_input *input, FILE **stream,
                                       struct smc_error *error);

#endif
