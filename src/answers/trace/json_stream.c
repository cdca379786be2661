/* JSON as a stream: yajl, given a part of the input at a time. Not jansson an event at a time: it
   takes four times as long (17 s instead of 5 for 1 GB), and its numbers are doubles, which do not
   hold the nanoseconds of a time since 1970. */
#include "answers/trace/json_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

enum {
    CHUNK = 1 << 16,
    KEY_SLOTS = 256, /* a power of two, more than twice SMC_JSON_KEYS */
    LONGEST_KEY = 47,
    POOL = 16 << 20,
};

struct smc_json_private {
    const char *file;
    const struct smc_json_reader *reader;
    yajl_handle yajl;
    struct smc_error *error;
    enum smc_status status; /* that a handler failed with */

    int16_t slot[KEY_SLOTS]; /* indices of keys by their hash; -1: empty */
    size_t key_length[SMC_JSON_KEYS];

    uint64_t offset, lines; /* of the file's text, before the chunk */
    size_t skipped;         /* bytes of the chunk before what yajl was given */
    const char *chunk;
    bool progressed; /* a value was seen in the chunk */

    /* yajl does not check its allocations, so they must not fail: they are taken one after another
       from this block. Its buffers grow with the longest string, which is bounded, by doubling. */
    char *pool;
    size_t pool_used;
};

/* --- Memory ----------------------------------------------------------------------------------- */

static void *pool_malloc(void *context, size_t bytes)
{
    struct smc_json_private *self = context;
    const size_t header = 16, whole = header + (bytes + 15) / 16 * 16;
    if (whole > POOL - self->pool_used)
        return NULL;
    char *memory = self->pool + self->pool_used + header;
    memcpy(memory - header, &bytes, sizeof bytes);
    self->pool_used += whole;
    return memory;
}

static void *pool_realloc(void *context, void *memory, size_t bytes)
{
    size_t old = 0;
    void *grown = pool_malloc(context, bytes);
    if (memory && grown) {
        memcpy(&old, (char *)memory - 16, sizeof old);
        memcpy(grown, memory, old < bytes ? old : bytes);
    }
    return grown;
}

static void pool_free(void *context, void *memory)
{
    (void)context, (void)memory;
}

/* --- Keys ------------------------------------------------------------------------------------- */

static size_t json_stream_slot_of(const char *text, size_t length)
{
    return (size_t)(smc_hash(SMC_HASH_START, text, length) % KEY_SLOTS);
}

static void index_keys(struct smc_json_private *self)
{
    memset(self->slot, 0xff, sizeof self->slot);
    for (size_t i = 0; i < self->reader->key_count && i < SMC_JSON_KEYS; i++) {
        self->key_length[i] = strlen(self->reader->keys[i]);
        size_t at = json_stream_slot_of(self->reader->keys[i], self->key_length[i]);
        while (self->slot[at] >= 0)
            at = (at + 1) % KEY_SLOTS;
        self->slot[at] = (int16_t)i;
    }
}

static int json_stream_find_key(const struct smc_json_private *self, const char *text,
                                size_t length)
{
    if (length > LONGEST_KEY)
        return SMC_JSON_UNKNOWN_KEY;
    for (size_t at = json_stream_slot_of(text, length); self->slot[at] >= 0;
         at = (at + 1) % KEY_SLOTS) {
        const int i = self->slot[at];
        if (self->key_length[i] == length && memcmp(self->reader->keys[i], text, length) == 0)
            return i;
    }
    return SMC_JSON_UNKNOWN_KEY;
}

/* --- Failures --------------------------------------------------------------------------------- */

/* "FILE:LINE: what", or with the byte if the file is one long line. */
static enum smc_status json_stream_fail_here(const struct smc_json_private *self, const char *what,
                                             struct smc_error *error)
{
    const size_t within = self->skipped + yajl_get_bytes_consumed(self->yajl);
    const uint64_t line = 1 + self->lines + smc_count_lines(self->chunk, within);
    if (line == 1)
        return smc_fail(error, SMC_USAGE, "%s: byte %llu: %s", self->file,
                        (unsigned long long)self->offset + within, what);
    return smc_fail(error, SMC_USAGE, "%s:%llu: %s", self->file, (unsigned long long)line, what);
}

bool smc_json_fail(struct smc_json_stream *stream, const char *format, ...)
{
    char what[512];
    SMC_PRINT_TO(what, format);
    stream->private->status = json_stream_fail_here(stream->private, what, stream->private->error);
    return false;
}

bool smc_json_stop(struct smc_json_stream *stream, enum smc_status status)
{
    stream->private->status = status;
    return false;
}

/* yajl's "lexical error: invalid char in json text.\n", with the text at that place. */
static enum smc_status fail_to_parse(const struct smc_json_private *self, size_t count,
                                     struct smc_error *error)
{
    char what[256];
    unsigned char *message = yajl_get_error(self->yajl, 0, NULL, 0);
    const char *reason = message ? (const char *)message : "";
    const char *colon = strstr(reason, ": ");
    const size_t at = self->skipped + yajl_get_bytes_consumed(self->yajl);
    const size_t from = at > 0 ? at - 1 : 0; /* the byte that yajl refused */
    reason = colon ? colon + 2 : reason;
    snprintf(what, sizeof what, "not valid JSON at '%.*s': %.*s",
             (int)(count - from < 16 ? count - from : 16), self->chunk + from,
             (int)strcspn(reason, ".\n"), reason);
    return json_stream_fail_here(self, what, error);
}

/* --- Values ----------------------------------------------------------------------------------- */

static int give(struct smc_json_stream *stream, enum smc_json_kind kind, const char *text,
                size_t length)
{
    const struct smc_json_value value = {.kind = kind, .text = text, .length = length};
    stream->private->progressed = true;
    return stream->private->reader->value(stream, &value);
}

static int on_null(void *context)
{
    return give(context, SMC_JSON_NULL, "null", 4);
}

static int on_boolean(void *context, int value)
{
    return value ? give(context, SMC_JSON_TRUE, "true", 4)
                 : give(context, SMC_JSON_FALSE, "false", 5);
}

static int on_number(void *context, const char *text, size_t length)
{
    return give(context, SMC_JSON_NUMBER, text, length);
}

static int on_string(void *context, const unsigned char *text, size_t length)
{
    return give(context, SMC_JSON_STRING, (const char *)text, length);
}

static int open_level(struct smc_json_stream *stream, enum smc_json_kind kind)
{
    if (stream->depth == SMC_JSON_DEPTH)
        return smc_json_fail(stream, "objects and arrays are nested more than %d deep",
                             SMC_JSON_DEPTH);
    if (!give(stream, kind, "", 0))
        return 0;
    stream->level[stream->depth++] =
        (struct smc_json_level){.is_array = kind == SMC_JSON_ARRAY, .key = SMC_JSON_UNKNOWN_KEY};
    return 1;
}

static int on_object(void *context)
{
    return open_level(context, SMC_JSON_OBJECT);
}

static int on_array(void *context)
{
    return open_level(context, SMC_JSON_ARRAY);
}

static int on_key(void *context, const unsigned char *text, size_t length)
{
    struct smc_json_stream *stream = context;
    stream->private->progressed = true;
    stream->level[stream->depth - 1].key =
        json_stream_find_key(stream->private, (const char *)text, length);
    return 1;
}

static int on_end(void *context)
{
    struct smc_json_stream *stream = context;
    stream->private->progressed = true;
    stream->depth--;
    return stream->private->reader->end(stream);
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_object,
    .yajl_map_key = on_key,
    .yajl_end_map = on_end,
    .yajl_start_array = on_array,
    .yajl_end_array = on_end,
};

/* --- Reading ---------------------------------------------------------------------------------- */

static enum smc_status parse_chunk(struct smc_json_private *self, const char *chunk, size_t count,
                                   struct smc_error *error)
{
    self->chunk = chunk;
    self->skipped =
        self->offset == 0 && count >= 3 && memcmp(chunk, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    self->progressed = false;
    const yajl_status status =
        yajl_parse(self->yajl, (const unsigned char *)chunk + self->skipped, count - self->skipped);
    if (status == yajl_status_client_canceled)
        return self->status;
    if (status == yajl_status_error)
        return fail_to_parse(self, count, error);
    return SMC_OK;
}

static enum smc_status parse_end(struct smc_json_stream *stream, bool *unclosed,
                                 struct smc_error *error)
{
    struct smc_json_private *self = stream->private;
    if (unclosed)
        *unclosed = stream->depth == 1 && stream->level[0].is_array;
    if (unclosed && *unclosed)
        return SMC_OK;
    if (stream->depth == 0 && yajl_complete_parse(self->yajl) == yajl_status_ok)
        return SMC_OK;
    return smc_fail(error, SMC_USAGE,
                    "%s:%llu: the file ends in the middle of the JSON: it was not written "
                    "completely, perhaps because the program crashed",
                    self->file, 1 + (unsigned long long)self->lines);
}

static enum smc_status parse_input(struct smc_json_stream *stream, struct smc_trace_input *input,
                                   char *chunk, bool *unclosed, struct smc_error *error)
{
    struct smc_json_private *self = stream->private;
    size_t without_value = 0;
    for (;;) {
        size_t count;
        enum smc_status status = smc_trace_input_read(input, chunk, CHUNK, &count, error);
        if (status != SMC_OK)
            return status;
        if (count == 0)
            return parse_end(stream, unclosed, error);
        status = parse_chunk(self, chunk, count, error);
        if (status != SMC_OK)
            return status;
        without_value = self->progressed ? 0 : without_value + count;
        if (without_value > SMC_JSON_LONGEST && stream->depth > 0)
            return json_stream_fail_here(self, "a string is longer than 1 MiB", error);
        self->lines += smc_count_lines(chunk, count);
        self->offset += count;
    }
}

enum smc_status smc_json_read(struct smc_trace_input *input, const struct smc_json_reader *reader,
                              void *context, bool *unclosed, struct smc_error *error)
{
    struct smc_json_private self = {.file = input->shown, .reader = reader, .error = error};
    struct smc_json_stream stream = {.context = context, .private = &self};
    yajl_alloc_funcs functions = {pool_malloc, pool_realloc, pool_free, &self};
    self.pool = smc_malloc(POOL + CHUNK);
    if (!self.pool)
        return smc_out_of_memory(error);
    index_keys(&self);
    self.yajl = yajl_alloc(&callbacks, &functions, &stream);
    yajl_config(self.yajl, yajl_dont_validate_strings, 1);
    enum smc_status status = parse_input(&stream, input, self.pool + POOL, unclosed, error);
    free(self.pool);
    return status;
}

/* --- Numbers ---------------------------------------------------------------------------------- */

struct digits {
    uint64_t value;
    int dropped; /* digits that `value` lacks, times ten each; negative: decimals it has */
    bool any, overflow;
};

static size_t json_stream_read_digits(const char *text, size_t at, size_t length, bool fraction,
                                      struct digits *digits)
{
    for (; at < length && text[at] >= '0' && text[at] <= '9'; at++) {
        digits->any = true;
        if (digits->value > (UINT64_MAX - 9) / 10) {
            digits->dropped += !fraction;
            continue;
        }
        digits->value = 10 * digits->value + (uint64_t)(text[at] - '0');
        digits->dropped -= fraction;
    }
    return at;
}

static bool read_exponent(const char *text, size_t at, size_t length, int *exponent)
{
    const bool negative = at < length && text[at] == '-';
    int value = 0;
    at += at < length && (text[at] == '-' || text[at] == '+');
    if (at == length)
        return false;
    for (; at < length; at++) {
        if (text[at] < '0' || text[at] > '9')
            return false;
        if (value < 100000)
            value = 10 * value + (text[at] - '0');
    }
    *exponent = negative ? -value : value;
    return true;
}

/* Times 10 to the power of `exponent`, rounded half up. */
static bool json_stream_scale(uint64_t *value, int exponent)
{
    for (; exponent > 0 && *value != 0; exponent--) {
        if (*value > UINT64_MAX / 10)
            return false;
        *value *= 10;
    }
    for (; exponent < -1 && *value != 0; exponent++)
        *value /= 10;
    if (exponent == -1)
        *value = *value / 10 + (*value % 10 >= 5);
    return true;
}

bool smc_json_decimal(const struct smc_json_value *value, unsigned decimals, int64_t *number)
{
    const char *text = value->text;
    const size_t length = value->length;
    struct digits digits = {0};
    int exponent = 0;
    if (value->kind != SMC_JSON_NUMBER && value->kind != SMC_JSON_STRING)
        return false;
    const bool negative = length > 0 && text[0] == '-';
    size_t at = json_stream_read_digits(text, negative, length, false, &digits);
    if (at < length && text[at] == '.')
        at = json_stream_read_digits(text, at + 1, length, true, &digits);
    if (at < length && (text[at] == 'e' || text[at] == 'E')) {
        if (!read_exponent(text, at + 1, length, &exponent))
            return false;
        at = length;
    }
    if (!digits.any || at < length ||
        !json_stream_scale(&digits.value, digits.dropped + exponent + (int)decimals) ||
        digits.value > INT64_MAX)
        return false;
    *number = negative ? -(int64_t)digits.value : (int64_t)digits.value;
    return true;
}

/* --- What kind of file it is ------------------------------------------------------------------ */

/* The end of the string that begins at `at`, past the quote; `length` if it has none. */
static size_t skip_string(const char *text, size_t length, size_t at)
{
    while (at < length && text[at] != '"')
        at += text[at] == '\\' ? 2 : 1;
    return at < length ? at + 1 : length;
}

bool smc_json_begins_with_key(const char *text, size_t length, const char *key)
{
    size_t depth = 0;
    for (size_t at = 0; at < length;) {
        const char c = text[at++];
        if (c == '{' || c == '[')
            depth++;
        else if (c == '}' || c == ']')
            depth -= depth > 0;
        if (c != '"')
            continue;
        const size_t begin = at;
        at = skip_string(text, length, at);
        if (depth == 1 && at - begin == strlen(key) + 1 &&
            memcmp(text + begin, key, strlen(key)) == 0 &&
            text[at + strspn(text + at, " \t\r\n")] == ':')
            return true;
    }
    return false;
}
