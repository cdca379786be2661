/* vprintf and __assertfail: what printf and assert of a kernel call. The arguments of printf lie in
   a buffer as C passes them: each at a multiple of its size, integers of at least 4 bytes, floats
   as doubles. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "machine/emulator/emulator_state.h"
#include "machine/emulator/emulator_steps.h"
#include "machine/narrow.h"

enum {
    MOST_ARGUMENTS = 32,    /* that CUDA's printf accepts, beside the format */
    MOST_OUTPUT = 16 << 20, /* bytes of a launch */
    MOST_STRING = 1 << 16,  /* bytes of one string */
    MOST_WIDTH = 1 << 12,   /* of one conversion */
};

/* One call of printf by one thread. */
struct print {
    struct smc_worker *worker;
    const struct smc_warp *warp;
    const struct smc_op *op;
    uint32_t lane;
    uint64_t buffer, offset; /* of the next argument */
    unsigned arguments;
    bool failed;           /* an address was bad: reported */
    const char *unknown;   /* the conversion that CUDA's printf does not know, */
    size_t unknown_bytes;  /* and its length */
    bool reads_after_that; /* arguments, which a GPU prints wrongly */
    struct smc_text *out;
};

/* --- Memory of the kernel --------------------------------------------------------------------- */

static void find_bad_address(struct print *print, uint64_t address, uint32_t bytes)
{
    struct smc_finding finding =
        smc_finding_at(print->worker, SMC_FINDING_OUT_OF_BOUNDS, print->op->instruction,
                       smc_thread_of(print->warp, print->lane));
    enum smc_ptx_space space = smc_space_of(address);
    smc_finding_set_address(print->worker, &finding, space, address - smc_window_of(space), bytes);
    smc_find(print->worker, &finding);
    print->failed = true;
}

/* The next argument; 0 after a failure. */
static uint64_t next_argument(struct print *print, uint32_t bytes)
{
    uint64_t value = 0, there;
    print->offset = (print->offset + bytes - 1) / bytes * bytes;
    uint64_t address = print->buffer + print->offset;
    const char *data = smc_memory_peek(print->worker, print->warp, print->lane, address, &there);
    print->offset += bytes;
    print->arguments++;
    print->reads_after_that |= print->unknown != NULL;
    if (data && there >= bytes)
        memcpy(&value, data, bytes);
    else if (!print->failed)
        find_bad_address(print, address, bytes);
    return value;
}

/* A string of at most `most` bytes; NULL after a failure. */
static const char *string_at(struct print *print, uint64_t address, size_t most, size_t *bytes)
{
    uint64_t there;
    const char *data = smc_memory_peek(print->worker, print->warp, print->lane, address, &there);
    *bytes = data ? strnlen(data, most < there ? most : there) : 0;
    if (data && (*bytes < there || *bytes == most))
        return data;
    find_bad_address(print, address + *bytes, 1);
    return NULL;
}

/* --- Conversions ------------------------------------------------------------------------------ */

struct conversion {
    char flags[8];
    int width, precision; /* precision -1: none */
    uint32_t bytes;       /* of an integer */
    char type;
    bool is_unknown; /* to CUDA's printf */
};

static const char *read_flags(const char *at, const char *end, struct conversion *conversion)
{
    size_t count = 0;
    for (; at < end && *at && strchr("-+ #0'", *at); at++) {
        conversion->is_unknown |= *at == '\'';
        if (*at != '\'' && !memchr(conversion->flags, *at, count) &&
            count + 2 < sizeof conversion->flags)
            conversion->flags[count++] = *at;
    }
    return at;
}

static const char *read_digits(const char *at, const char *end, int *number)
{
    for (*number = 0; at < end && *at >= '0' && *at <= '9'; at++)
        *number = *number < MOST_WIDTH ? *number * 10 + (*at - '0') : MOST_WIDTH;
    return at;
}

static int clamped(uint64_t argument)
{
    int32_t number = (int32_t)(uint32_t)argument;
    return number > MOST_WIDTH ? MOST_WIDTH : number < -MOST_WIDTH ? -MOST_WIDTH : number;
}

static const char *read_width(struct print *print, const char *at, const char *end,
                              struct conversion *conversion)
{
    bool star = at < end && *at == '*';
    if (star)
        conversion->width = clamped(next_argument(print, 4));
    at = star ? at + 1 : read_digits(at, end, &conversion->width);
    conversion->precision = -1;
    if (at == end || *at != '.')
        return at;
    star = ++at < end && *at == '*';
    conversion->is_unknown |= star;
    if (star)
        conversion->precision = clamped(next_argument(print, 4));
    return star ? at + 1 : read_digits(at, end, &conversion->precision);
}

/* CUDA's printf knows h, l and ll. */
static const char *read_length(const char *at, const char *end, struct conversion *conversion)
{
    const char *begin = at;
    while (at < end && *at && strchr("hlzjtLq", *at) && at - begin < 2)
        at++;
    bool l = at > begin && *begin != 'h';
    conversion->bytes = l ? 8 : at - begin == 2 ? 1 : at > begin ? 2 : 4;
    if (at > begin && (strchr("zjtLq", *begin) || (at - begin == 2 && *begin == 'h')))
        conversion->is_unknown = true;
    return at;
}

/* Appends the conversion of an integer (as long long), of a double, or of an address. */
#define PRINT_AS(print, conversion, length, value)                                                 \
    do {                                                                                           \
        char format[24], text[2 * MOST_WIDTH];                                                     \
        snprintf(format, sizeof format, (conversion)->precision < 0 ? "%%%s*%s%c" : "%%%s*.*%s%c", \
                 (conversion)->flags, length, (conversion)->type);                                 \
        int wrote = (conversion)->precision < 0                                                    \
                        ? snprintf(text, sizeof text, format, (conversion)->width, value)          \
                        : snprintf(text, sizeof text, format, (conversion)->width,                 \
                                   (conversion)->precision, value);                                \
        size_t bytes = wrote < 0 ? 0 : (size_t)wrote;                                              \
        smc_text_append_bytes((print)->out, text, bytes < sizeof text ? bytes : sizeof text - 1);  \
    } while (0)

static void print_integer(struct print *print, struct conversion *conversion)
{
    uint64_t value = next_argument(print, conversion->bytes < 4 ? 4 : conversion->bytes);
    unsigned unused = 64 - 8 * conversion->bytes;
    bool is_signed = conversion->type == 'd' || conversion->type == 'i';
    if (is_signed)
        PRINT_AS(print, conversion, "ll", (long long)((int64_t)(value << unused) >> unused));
    else
        PRINT_AS(print, conversion, "ll", (unsigned long long)(value << unused >> unused));
}

static void print_double(struct print *print, struct conversion *conversion)
{
    const double value = smc_double_of_bits(next_argument(print, 8));
    PRINT_AS(print, conversion, "", value);
}

/* `count` bytes in the width of the conversion. */
static void print_bytes(struct print *print, const struct conversion *conversion, const char *bytes,
                        size_t count)
{
    int width = conversion->width < 0 ? -conversion->width : conversion->width;
    bool left = conversion->width < 0 || strchr(conversion->flags, '-');
    size_t blanks = (size_t)width > count ? (size_t)width - count : 0;
    smc_text_append_char(print->out, ' ', left ? 0 : blanks);
    smc_text_append_bytes(print->out, bytes, count);
    smc_text_append_char(print->out, ' ', left ? blanks : 0);
}

static void print_string(struct print *print, const struct conversion *conversion)
{
    uint64_t address = next_argument(print, 8);
    size_t bytes = 6,
           most = conversion->precision < 0 ? MOST_STRING : (size_t)conversion->precision;
    const char *string = "(null)";
    if (address)
        string = print->failed ? NULL : string_at(print, address, most, &bytes);
    if (string)
        print_bytes(print, conversion, string, bytes < most ? bytes : most);
}

/* Prints one conversion, from after its '%'; returns where the text continues. An unknown one is
   printed as it is written. */
static const char *print_convert(struct print *print, const char *at, const char *end)
{
    struct conversion conversion = {.bytes = 4};
    const char *begin = at - 1;
    at = read_flags(at, end, &conversion);
    at = read_width(print, at, end, &conversion);
    at = read_length(at, end, &conversion);
    conversion.type = at < end ? *at++ : '\0';
    if (conversion.type && strchr("diouxX", conversion.type)) {
        print_integer(print, &conversion);
    } else if (conversion.type && strchr("eEfFgGaA", conversion.type)) {
        print_double(print, &conversion);
    } else if (conversion.type == 'c') {
        conversion.is_unknown |= conversion.bytes != 4; /* %lc */
        print_bytes(print, &conversion, &(char){(char)next_argument(print, 4)}, 1);
    } else if (conversion.type == 's') {
        conversion.is_unknown |= conversion.bytes != 4;
        print_string(print, &conversion);
    } else if (conversion.type == 'p') {
        uint64_t address = next_argument(print, 8);
        PRINT_AS(print, &conversion, "", (void *)(uintptr_t)address);
    } else {
        conversion.is_unknown |= conversion.type == 'n';
        smc_text_append_char(print->out, '%', 1);
        smc_text_append_char(print->out, conversion.type,
                             conversion.type && conversion.type != '%');
    }
    if (conversion.is_unknown && !print->unknown) {
        print->unknown = begin;
        print->unknown_bytes = (size_t)(at - begin);
    }
    return at;
}

/* --- Calls ------------------------------------------------------------------------------------ */

static void print_text(struct print *print, const char *format, size_t bytes)
{
    const char *end = format + bytes;
    for (const char *at = format; at < end && !print->failed;) {
        const char *percent = memchr(at, '%', (size_t)(end - at));
        const char *stop = percent ? percent : end;
        smc_text_append_bytes(print->out, at, (size_t)(stop - at));
        at = percent ? print_convert(print, percent + 1, end) : end;
    }
}

static void report_format(const struct print *print)
{
    struct smc_finding finding =
        smc_finding_at(print->worker, SMC_FINDING_PRINTF, print->op->instruction,
                       smc_thread_of(print->warp, print->lane));
    if (print->arguments > MOST_ARGUMENTS)
        snprintf(finding.note, sizeof finding.note, "%u arguments, at most %d are printed",
                 print->arguments, MOST_ARGUMENTS);
    else
        snprintf(finding.note, sizeof finding.note, "'%.*s'",
                 (int)(print->unknown_bytes < 40 ? print->unknown_bytes : 40), print->unknown);
    smc_utf8_make_safe(finding.note);
    smc_find(print->worker, &finding);
}

/* The result: the number of arguments, or -1 without a format (as an H100 returns them). */
static int print_call(struct print *print)
{
    uint64_t format = smc_call_argument(print->worker, print->warp, print->op, 0, print->lane);
    size_t bytes;
    print->buffer = smc_call_argument(print->worker, print->warp, print->op, 1, print->lane);
    if (format == 0)
        return -1;
    const char *text = string_at(print, format, MOST_STRING, &bytes);
    size_t before = print->out->length;
    if (text)
        print_text(print, text, bytes);
    if (print->failed && print->out->data) /* the call printed nothing */
        print->out->data[print->out->length = before] = '\0';
    else if (print->reads_after_that || print->arguments > MOST_ARGUMENTS)
        report_format(print);
    return (int)(print->arguments < MOST_ARGUMENTS ? print->arguments : MOST_ARGUMENTS);
}

/* Notes that the text up to its end was printed by the current block. */
static bool end_segment(struct smc_output *output, uint64_t block)
{
    if (output->segments && output->segment[output->segments - 1].block == block) {
        output->segment[output->segments - 1].end = output->text.length;
        return true;
    }
    if (!smc_make_room(&output->segment, output->segments, &output->room, sizeof *output->segment))
        return false;
    output->segment[output->segments++] = (struct smc_output_segment){block, output->text.length};
    return true;
}

enum smc_next smc_library_print(struct smc_worker *worker, struct smc_warp *warp,
                                const struct smc_op *op, uint32_t mask)
{
    struct smc_output *output = &worker->output;
    EACH_ACTIVE(lane, mask) {
        bool is_full = output->text.length > MOST_OUTPUT;
        smc_auto_text dropped = {0};
        struct print print = {.worker = worker,
                              .warp = warp,
                              .op = op,
                              .lane = lane,
                              .out = is_full ? &dropped : &output->text};
        int result = print_call(&print);
        output->is_cut |= is_full;
        worker->out_of_memory |= output->text.failed || dropped.failed;
        smc_call_result(worker, warp, op, lane, (uint32_t)result);
    }
    worker->out_of_memory |= !end_segment(output, worker->block);
    return worker->out_of_memory ? SMC_GIVES_UP : SMC_GO_ON;
}

/* Appends a string of the kernel's memory, as much as fits. */
static void append_string(struct smc_worker *worker, const struct smc_warp *warp,
                          const struct smc_op *op, uint32_t lane, uint32_t argument,
                          struct smc_finding *finding)
{
    uint64_t there;
    size_t used = strlen(finding->note), room = sizeof finding->note - used;
    const char *text = smc_memory_peek(worker, warp, lane,
                                       smc_call_argument(worker, warp, op, argument, lane), &there);
    if (text)
        snprintf(finding->note + used, room, "%.*s", (int)(there < room ? there : room), text);
}

/* __assertfail(assertion, file, line, function, 1): every lane that is here has failed. The launch
   ends. */
enum smc_next smc_library_assert(struct smc_worker *worker, struct smc_warp *warp,
                                 const struct smc_op *op, uint32_t mask)
{
    EACH_ACTIVE(lane, mask) {
        struct smc_finding finding =
            smc_finding_at(worker, SMC_FINDING_ASSERT, op->instruction, smc_thread_of(warp, lane));
        char line[32];
        append_string(worker, warp, op, lane, 0, &finding);
        strncat(finding.note, " in ", sizeof finding.note - strlen(finding.note) - 1);
        append_string(worker, warp, op, lane, 3, &finding);
        strncat(finding.note, " at ", sizeof finding.note - strlen(finding.note) - 1);
        append_string(worker, warp, op, lane, 1, &finding);
        snprintf(line, sizeof line, ":%u", (unsigned)smc_call_argument(worker, warp, op, 2, lane));
        strncat(finding.note, line, sizeof finding.note - strlen(finding.note) - 1);
        smc_utf8_make_safe(finding.note);
        smc_find(worker, &finding);
    }
    smc_end_launch(worker);
    return SMC_GIVES_UP;
}

/* --- The output of a launch ------------------------------------------------------------------- */

void smc_output_free(struct smc_output *output)
{
    smc_text_free(&output->text);
    free(output->segment);
    *output = (struct smc_output){0};
}

/* The worker whose next segment is that of the lowest block; `count` if none is left. */
static size_t print_lowest(const struct smc_worker *worker, size_t count, uint64_t last_block,
                           const size_t *next)
{
    size_t best = count;
    for (size_t w = 0; w < count; w++) {
        const struct smc_output *output = &worker[w].output;
        if (next[w] < output->segments && output->segment[next[w]].block <= last_block &&
            (best == count ||
             output->segment[next[w]].block < worker[best].output.segment[next[best]].block))
            best = w;
    }
    return best;
}

bool smc_output_merge(const struct smc_worker *worker, size_t count, uint64_t last_block,
                      struct smc_emulation *emulation)
{
    struct smc_text all = {0};
    size_t *next = smc_calloc(count + 1, sizeof *next), w;
    while (next && (w = print_lowest(worker, count, last_block, next)) < count) {
        const struct smc_output *output = &worker[w].output;
        size_t begin = next[w] ? output->segment[next[w] - 1].end : 0;
        size_t bytes = output->segment[next[w]++].end - begin, room = MOST_OUTPUT - all.length;
        smc_text_append_bytes(&all, smc_text_string(&output->text) + begin,
                              bytes < room ? bytes : room);
        emulation->output_is_cut |= bytes > room;
    }
    bool worked = next && !all.failed;
    free(next);
    if (worked && all.length) {
        emulation->output = all.data;
        emulation->output_bytes = all.length;
        return true;
    }
    smc_text_free(&all);
    return worked;
}
