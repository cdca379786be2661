/* JSON of any size as a sequence of values: memory does not grow with the file. */
#ifndef SMC_ANSWERS_JSON_STREAM_H
#define SMC_ANSWERS_JSON_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "answers/trace/trace_input.h"
#include "base/status.h"

enum {
    SMC_JSON_DEPTH = 64,        /* most objects and arrays inside each other */
    SMC_JSON_LONGEST = 1 << 20, /* bytes of a string, at least */
    SMC_JSON_KEYS = 96,         /* most keys that a reader knows */
    SMC_JSON_UNKNOWN_KEY = -1,
};

enum smc_json_kind {
    SMC_JSON_NULL,
    SMC_JSON_FALSE,
    SMC_JSON_TRUE,
    SMC_JSON_NUMBER,
    SMC_JSON_STRING,
    SMC_JSON_OBJECT, /* begins; `end` is called at its end */
    SMC_JSON_ARRAY,  /* likewise */
};

struct smc_json_value {
    enum smc_json_kind kind;
    const char *text; /* of a number, or of a string without escapes; may contain '\0', and invalid
                         UTF-8; does not end in '\0' */
    size_t length;
};

/* An object or array that is open. */
struct smc_json_level {
    bool is_array;
    int key; /* of the member that is read: index in the reader's keys, or SMC_JSON_UNKNOWN_KEY */
};

struct smc_json_stream;

/* What is called with each value. False ends reading: smc_json_fail returns it. */
struct smc_json_reader {
    const char *const *keys; /* that the reader knows, shorter than 48 bytes */
    size_t key_count;
    bool (*value)(struct smc_json_stream *stream, const struct smc_json_value *value);
    bool (*end)(struct smc_json_stream *stream); /* of an object or array; depth is as before it */
};

struct smc_json_stream {
    void *context; /* the reader's */
    size_t depth;
    struct smc_json_level level[SMC_JSON_DEPTH];
    struct smc_json_private *private;
};

/* The member that is read in the innermost object; SMC_JSON_UNKNOWN_KEY also in an array. */
static inline int smc_json_key(const struct smc_json_stream *stream)
{
    return stream->depth > 0 ? stream->level[stream->depth - 1].key : SMC_JSON_UNKNOWN_KEY;
}

/* Reads the whole input. SMC_USAGE: it is not JSON, ends early or is nested too deep; the message
   begins with "FILE:LINE: ".
   `unclosed` (or NULL) receives whether the file is an array without its last bracket, which the
   format of Chrome permits; with NULL that is a failure. */
enum smc_status smc_json_read(struct smc_trace_input *input, const struct smc_json_reader *reader,
                              void *context, bool *unclosed, struct smc_error *error);

/* Fails with SMC_USAGE at the current place of the file. Returns false. */
bool smc_json_fail(struct smc_json_stream *stream, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Ends reading with this status, which the caller has already explained. Returns false. */
bool smc_json_stop(struct smc_json_stream *stream, enum smc_status status);

/* The value of a number, or of a number in a string, times 10 to the power of `decimals`, rounded.
   Exact: nothing goes through floating point. False: it is not a number, or exceeds 63 bits. */
bool smc_json_decimal(const struct smc_json_value *value, unsigned decimals, int64_t *number);

/* Whether the text begins an object that has this key among the members that can be seen. */
bool smc_json_begins_with_key(const char *text, size_t length, const char *key);

#endif
