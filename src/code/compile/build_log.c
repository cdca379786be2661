/* The log of a build in which several compilers wrote at once. ptxas writes for each kernel
     Compiling entry function 'NAME' for 'sm_90'      names the kernel
     Function properties for NAME                     names it, or a function that it calls
         0 bytes stack frame, ...                     names nothing
     Used 10 registers, ...                           names nothing
   in this order, and the lines of other compilations may be between them. A line without a name can
   belong to any compilation that has yet to write one. A period begins when a compilation is first
   expected to write a line, and ends when all that were expected have written theirs. Within a
   period, a compilation is assigned a line if all lines that it can have written are equal.

   A log whose beginning was cut off has figures of compilations that it does not name. Each such
   compilation counts as expected from the first line on, so that no other gets its figures. */
#include "config.h"

#include "code/compile/build_log.h"

#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "code/ptxas_log.h"
#include "rules/devices.h"

/* --- Lines ------------------------------------------------------------------------------------ */

/* Part of the log; NULL: absent. */
struct log_span {
    const char *start, *end;
};

static size_t build_log_length_of(struct log_span span)
{
    return (size_t)(span.end - span.start);
}

static bool build_log_is_same(struct log_span a, struct log_span b)
{
    const size_t length = build_log_length_of(a);
    return length == build_log_length_of(b) &&
           (length == 0 || memcmp(a.start, b.start, length) == 0);
}

/* Where `text` ends in the line, or NULL. */
static const char *build_log_after(struct log_span line, const char *text)
{
    size_t length = strlen(text);
    const char *found = memmem(line.start, build_log_length_of(line), text, length);
    return found ? found + length : NULL;
}

static struct log_span trimmed(struct log_span span)
{
    while (span.start < span.end && isspace((unsigned char)*span.start))
        span.start++;
    while (span.start < span.end && isspace((unsigned char)span.end[-1]))
        span.end--;
    return span;
}

/* From `start` up to `closing`; absent without it. */
static struct log_span quoted(const char *start, const char *end, char closing)
{
    const char *close = start ? memchr(start, closing, (size_t)(end - start)) : NULL;
    return close && close > start ? (struct log_span){start, close} : (struct log_span){0};
}

/* Copies the log without the escape sequences that colour a terminal. */
static void build_log_append_plain(const char *log, struct smc_text *plain)
{
    while (*log) {
        size_t length = strcspn(log, "\033");
        smc_text_append_bytes(plain, log, length);
        log += length;
        if (*log != '\033')
            continue;
        if (log[1] == '[') { /* parameters, then one letter */
            log += 2 + strspn(log + 2, "0123456789;:<=>?");
            log += *log > ' ' && *log <= '~';
        } else if (log[1] == ']') { /* a text, up to a bell or to "ESC \" */
            log += strcspn(log, "\a\n");
            log += *log == '\a';
        } else {
            log++;
        }
    }
}

/* Where the first message of a tool begins in the line, or NULL. */
static const char *find_message(struct log_span line)
{
    static const char *const heads[] = {"ptxas info ",    "ptxas error ", "ptxas fatal ",
                                        "ptxas warning ", "nvlink info ", "nvlink error "};
    const char *first = NULL;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        const char *end = build_log_after(line, heads[i]);
        const char *start = end ? end - strlen(heads[i]) : NULL;
        if (start && (!first || start < first))
            first = start;
    }
    return first;
}

/* Two messages may share a line if the line end between them was lost. */
static const char *end_of_message(const char *start, const char *end)
{
    const char *first = find_message((struct log_span){start, end});
    const char *second = first ? find_message((struct log_span){first + 1, end}) : NULL;
    return second ? second : end;
}

/* Moves `cursor` past the message; false at the end. */
static bool next_message(const char **cursor, struct log_span *line)
{
    if (!**cursor)
        return false;
    const char *end = *cursor + strcspn(*cursor, "\n");
    line->start = *cursor;
    line->end = end_of_message(*cursor, end);
    *cursor = line->end == end && *end ? end + 1 : line->end;
    return true;
}

/* --- Compilations ----------------------------------------------------------------------------- */

/* The nameless lines that follow the name of a compilation. */
enum reply { STACK, USED, LINKED, REPLY_COUNT };

/* One compilation, or one linking, of a kernel. */
struct logged_kernel {
    struct log_span name, target;                       /* "90a"; absent if unknown */
    struct log_span head, properties, refusal, ignored; /* `ignored`: ptxas ignores its bounds */
    struct log_span reply[REPLY_COUNT];
    uint64_t hash;
    size_t line; /* of `head` in the log */
    bool is_linking;
    bool needs_properties; /* ptxas writes them before the registers */
    bool is_mixed;         /* with others of the same name, for other architectures */
    bool is_ambiguous, is_replaced;
};

struct kernels {
    struct logged_kernel *item;
    size_t count, capacity;
};

/* A compilation that has yet to write a line. */
struct expected {
    size_t kernel;       /* index, or no_kernel */
    size_t lines_before; /* lines of the period that precede its name */
};

struct period {
    enum reply reply;
    struct expected *expected;
    struct log_span *line;
    size_t expected_count, line_count, expected_capacity, line_capacity;
};

struct spans {
    struct log_span *item;
    size_t count, capacity;
};

struct log_reading {
    struct kernels kernels;
    struct period period[REPLY_COUNT];
    struct spans refusals, others; /* `others`: those of cuobjdump, in their order */
    struct spans ignored;          /* warnings about a kernel's launch bounds */
    struct spans remarks;          /* see message_of_remark */
    size_t *open;                  /* kernels whose properties have not come */
    size_t open_count, open_capacity;
    bool has_properties, has_stacks, failed;
    size_t line; /* the one being read, from 1 */
    struct log_span failure;
    size_t failures;
    size_t nameless[REPLY_COUNT]; /* lines of figures that no compilation was expected to write */
    bool has_late_nameless;       /* such a line after a compilation began */
    size_t nameless_others;       /* such lines of cuobjdump */
    bool in_function;             /* of cuobjdump, whose figures have not come */
    bool ends_within_head;
    struct log_span headless; /* the last properties of a kernel or function that was not begun */
    struct spans doubted;     /* all of them, in a log with late nameless figures */
    struct spans cut_off;     /* names of kernels whose head was cut off */
};

static const size_t no_kernel = SIZE_MAX;

static void append_span(struct log_reading *reading, struct spans *spans, struct log_span span)
{
    if (smc_make_room(&spans->item, spans->count, &spans->capacity, sizeof *spans->item))
        spans->item[spans->count++] = span;
    else
        reading->failed = true;
}

/* The end of a period: assigns its lines to the compilations for which only one text is possible.
 */
static void assign_lines(struct log_reading *reading, struct period *period)
{
    size_t same = period->line_count - 1; /* from here on all lines are equal */
    while (same > 0 && build_log_is_same(period->line[same - 1], period->line[same]))
        same--;
    for (size_t i = 0; i < period->expected_count; i++) {
        const struct expected *expected = &period->expected[i];
        if (expected->kernel != no_kernel && expected->lines_before >= same)
            reading->kernels.item[expected->kernel].reply[period->reply] =
                period->line[period->line_count - 1];
    }
    period->expected_count = period->line_count = 0;
}

static void build_log_expect(struct log_reading *reading, enum reply reply, size_t kernel)
{
    struct period *period = &reading->period[reply];
    if (smc_make_room(&period->expected, period->expected_count, &period->expected_capacity,
                      sizeof *period->expected))
        period->expected[period->expected_count++] = (struct expected){kernel, period->line_count};
    else
        reading->failed = true;
}

/* Figures of a kernel whose head was cut off. Its properties name it, unless other compilations
   may have written them. */
static void receive_nameless(struct log_reading *reading, enum reply reply)
{
    const bool is_late = reading->kernels.count > 0;
    reading->nameless[reply]++;
    reading->has_late_nameless |= is_late;
    if (reply == USED && reading->headless.start && !is_late)
        append_span(reading, &reading->cut_off, reading->headless);
    if (reply == USED)
        reading->headless = (struct log_span){0};
}

static void build_log_receive(struct log_reading *reading, enum reply reply, struct log_span line)
{
    struct period *period = &reading->period[reply];
    if (period->expected_count == 0) {
        receive_nameless(reading, reply);
        return;
    }
    if (!smc_make_room(&period->line, period->line_count, &period->line_capacity,
                       sizeof *period->line)) {
        reading->failed = true;
        return;
    }
    period->line[period->line_count++] = line;
    if (period->line_count == period->expected_count)
        assign_lines(reading, period);
}

/* --- Reading the lines ------------------------------------------------------------------------ */

static size_t build_log_add_kernel(struct log_reading *reading, const struct logged_kernel *kernel)
{
    struct kernels *kernels = &reading->kernels;
    if (!smc_make_room(&kernels->item, kernels->count, &kernels->capacity, sizeof *kernels->item)) {
        reading->failed = true;
        return no_kernel;
    }
    kernels->item[kernels->count] = *kernel;
    kernels->item[kernels->count].line = reading->line;
    kernels->item[kernels->count].hash =
        smc_hash(SMC_HASH_START, kernel->name.start, build_log_length_of(kernel->name));
    return kernels->count++;
}

static struct log_span build_log_read_target(struct log_span line, const char *before, char closing)
{
    return quoted(build_log_after(line, before), line.end, closing);
}

/* Filtered logs may have no properties at all. */
static bool has_properties(const struct log_reading *reading, struct log_span target)
{
    struct smc_capability capability;
    if (!reading->has_properties || !target.start)
        return false;
    unsigned long cc = strtoul(target.start, NULL, 10);
    smc_capability_nearest(cc < SMC_MAX_CC ? (uint16_t)cc : SMC_MAX_CC, &capability);
    return capability.ptxas_writes_properties;
}

static bool build_log_read_head(struct log_reading *reading, struct log_span line)
{
    struct logged_kernel kernel = {.head = line};
    kernel.name = quoted(build_log_after(line, "Compiling entry function '"), line.end, '\'');
    if (!kernel.name.start)
        return false;
    kernel.target = build_log_read_target(line, "' for 'sm_", '\'');
    kernel.needs_properties = has_properties(reading, kernel.target);
    size_t added = build_log_add_kernel(reading, &kernel);
    if (added == no_kernel)
        return true;
    if (!kernel.needs_properties)
        build_log_expect(reading, USED, added);
    if (smc_make_room(&reading->open, reading->open_count, &reading->open_capacity,
                      sizeof *reading->open))
        reading->open[reading->open_count++] = added;
    else
        reading->failed = true;
    return true;
}

static bool read_link_head(struct log_reading *reading, struct log_span line)
{
    struct logged_kernel kernel = {.head = line, .is_linking = true};
    if (!build_log_after(line, "nvlink info"))
        return false;
    kernel.name = quoted(build_log_after(line, "Function properties for '"), line.end, '\'');
    kernel.target = build_log_read_target(line, "(target: sm_", ')');
    if (!kernel.name.start)
        return false;
    size_t added = build_log_add_kernel(reading, &kernel);
    if (added != no_kernel)
        build_log_expect(reading, LINKED, added);
    return true;
}

static bool is_named(const struct logged_kernel *kernel, uint64_t hash, struct log_span name)
{
    return kernel->hash == hash && build_log_is_same(kernel->name, name);
}

/* The newest compilation of that name that waits for its properties. All that wait are marked if
   they are for different architectures, or if one of them is since earlier properties. */
static size_t find_open(struct log_reading *reading, struct log_span name, size_t *at)
{
    const uint64_t hash = smc_hash(SMC_HASH_START, name.start, build_log_length_of(name));
    struct logged_kernel *item = reading->kernels.item;
    size_t found = no_kernel;
    bool is_mixed = false;
    for (size_t i = reading->open_count; i-- > 0;) {
        const struct logged_kernel *kernel = &item[reading->open[i]];
        if (!is_named(kernel, hash, name))
            continue;
        if (found == no_kernel) {
            found = reading->open[i];
            *at = i;
        }
        is_mixed |= kernel->is_mixed || !build_log_is_same(kernel->target, item[found].target);
    }
    for (size_t i = 0; is_mixed && i < reading->open_count; i++)
        if (is_named(&item[reading->open[i]], hash, name))
            item[reading->open[i]].is_mixed = true;
    return found;
}

static bool build_log_read_properties(struct log_reading *reading, struct log_span line)
{
    const char *start = build_log_after(line, "Function properties for ");
    size_t at = 0;
    if (!start)
        return false;
    const struct log_span name = trimmed((struct log_span){start, line.end});
    size_t found = find_open(reading, name, &at);
    build_log_expect(reading, STACK, found); /* no_kernel: of a called function */
    if (found == no_kernel) {
        reading->headless = name;
        if (reading->has_late_nameless)
            append_span(reading, &reading->doubted, name);
        return true;
    }
    reading->kernels.item[found].properties = line;
    reading->open[at] = reading->open[--reading->open_count];
    if (reading->kernels.item[found].needs_properties)
        build_log_expect(reading, USED, found);
    return true;
}

/* The line from the word before `unit` on, without the prefix of a build tool. */
static struct log_span figures(struct log_span line, const char *unit)
{
    const char *end = build_log_after(line, unit), *start = end ? end - strlen(unit) : NULL;
    while (start && start > line.start && !isspace((unsigned char)start[-1]))
        start--;
    return start ? trimmed((struct log_span){start, line.end}) : (struct log_span){0};
}

static struct log_span used_figures(struct log_span line)
{
    bool is_whole = *line.end || !smc_log_is_cut(line.start, line.end);
    bool is_used = build_log_after(line, ": Used ") ||
                   (build_log_after(line, "nvlink info") && build_log_after(line, ": used "));
    return is_whole && is_used ? figures(line, " registers") : (struct log_span){0};
}

/* Lines of cuobjdump. Figures of a kernel, unlike those of a function, have a CONSTANT[0]. */
static bool build_log_read_other(struct log_reading *reading, struct log_span line)
{
    struct log_span text = trimmed(line);
    bool is_function = build_log_length_of(text) > 10 && !memcmp(text.start, "Function ", 9) &&
                       text.end[-1] == ':';
    bool has_figures = build_log_after(line, " REG:") && build_log_after(line, "SHARED:");
    bool ends_figures =
        build_log_after(line, " TEXTURE:") && build_log_after(line, " CONSTANT[0]:");
    reading->nameless_others += ends_figures && !reading->in_function;
    reading->in_function = is_function || (reading->in_function && !has_figures);
    if (!build_log_after(line, "arch = sm_") && !has_figures && !is_function)
        return ends_figures;
    append_span(reading, &reading->others, line);
    return true;
}

/* "Value of threads per SM for entry NAME is out of range. .minnctapersm will be ignored" */
static bool read_ignored(struct log_reading *reading, struct log_span line)
{
    if (!build_log_after(line, "ptxas warning") || !build_log_after(line, " for entry ") ||
        !build_log_after(line, "will be ignored"))
        return false;
    append_span(reading, &reading->ignored, line);
    return true;
}

/* "ptxas info    : (C7510) Potential Performance Loss: ... in function 'NAME'"; C7508 has no name.
   Warnings of limits that ptxas does not keep name no kernel: "ptxas k.ptx, line 7; warning :
   .minnctapersm is ignored when ...", "ptxas warning : Too big maxrregcount value specified 300,
   will be ignored", "... adjusting per thread register count of 16 to lower bound of 24". */
static const char *message_of_remark(struct log_span line)
{
    const char *info = build_log_after(line, "ptxas info"),
               *warning = build_log_after(line, "warning :");
    if (info && build_log_after(line, " Potential Performance Loss: "))
        return info;
    if (!warning || !build_log_after(line, "ptxas ") || build_log_after(line, " for entry "))
        return NULL;
    return build_log_after(line, "ignored") ||
                   build_log_after(line, "adjusting per thread register count")
               ? warning
               : NULL;
}

static bool read_remark(struct log_reading *reading, struct log_span line)
{
    if (!message_of_remark(line))
        return false;
    append_span(reading, &reading->remarks, trimmed(line));
    return true;
}

/* The first line of a log that was cut within the line "Used 10 registers, ...". */
static bool is_end_of_used(const struct log_reading *reading, struct log_span line)
{
    return reading->line == 1 && !build_log_after(line, " : ") && build_log_length_of(line) > 0 &&
           (build_log_after(line, " registers") || build_log_after(line, " barriers") ||
            build_log_after(line, " bytes smem") || build_log_after(line, "mem["));
}

/* The last line of a log that was cut within the line "Compiling entry function 'NAME' ...". */
static bool is_begin_of_head(struct log_span line)
{
    static const char head[] = "Compiling entry function '", *const mark = "ptxas info    : ";
    const char *text = build_log_after(line, mark);
    if (*line.end || !text)
        return false;
    const size_t length = (size_t)(line.end - text);
    return length < sizeof head - 1 ? memcmp(text, head, length) == 0
                                    : memcmp(text, head, sizeof head - 1) == 0;
}

static bool build_log_is_failure(struct log_span line)
{
    static const char *const signs[] = {
        ": *** ",       "ninja: build stopped", "FAILED: ",      "did NOT complete", "ptxas error ",
        "ptxas fatal ", "nvcc fatal ",          "nvlink error ", "nvlink fatal ",    "nvcc error "};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (build_log_after(line, signs[i]))
            return true;
    return false;
}

static void build_log_read_line(struct log_reading *reading, struct log_span line)
{
    const bool is_refused = build_log_after(line, "uses too much shared data (") != NULL;
    if (!is_refused && (build_log_read_head(reading, line) || read_link_head(reading, line) ||
                        build_log_read_properties(reading, line)))
        return;
    if (is_refused)
        append_span(reading, &reading->refusals, line);
    else if (build_log_after(line, " bytes stack frame"))
        build_log_receive(reading, STACK, figures(line, " bytes stack frame"));
    else if (used_figures(line).start)
        build_log_receive(reading, build_log_after(line, "nvlink info") ? LINKED : USED,
                          used_figures(line));
    else if (build_log_read_other(reading, line) || read_ignored(reading, line) ||
             read_remark(reading, line))
        return;
    else if (is_end_of_used(reading, line))
        receive_nameless(reading, USED);
    else if (is_begin_of_head(line))
        reading->ends_within_head = true;
    else if (build_log_is_failure(line) && reading->failures++ == 0)
        reading->failure = trimmed(line);
}

/* --- What is known in the end ----------------------------------------------------------------- */

/* By name, then in the order of the log. */
static int by_name(const void *a, const void *b)
{
    const struct logged_kernel *k = *(struct logged_kernel *const *)a,
                               *l = *(struct logged_kernel *const *)b;
    if (k->hash != l->hash)
        return k->hash < l->hash ? -1 : 1;
    return k->head.start < l->head.start ? -1 : k->head.start > l->head.start;
}

/* Whether both have, or lack, the same line. */
static bool agree(const struct logged_kernel *a, const struct logged_kernel *b, enum reply reply)
{
    return (!a->reply[reply].start) == (!b->reply[reply].start) &&
           build_log_is_same(a->reply[reply], b->reply[reply]);
}

/* `kernel` is all compilations of one name. The lines of mixed ones are kept only if it does not
   matter which is which. */
static void unmix(struct logged_kernel *const *kernel, size_t count)
{
    bool differs[REPLY_COUNT] = {false};
    const struct logged_kernel *first = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!kernel[i]->is_mixed)
            continue;
        first = first ? first : kernel[i];
        for (enum reply reply = STACK; reply <= USED; reply++)
            differs[reply] |= !agree(first, kernel[i], reply);
    }
    for (size_t i = 0; i < count; i++)
        for (enum reply reply = STACK; reply <= USED; reply++)
            if (kernel[i]->is_mixed && differs[reply])
                kernel[i]->reply[reply] = (struct log_span){0};
}

/* A refusal names its kernel, but not the architecture, and may come before the kernel's other
   lines. `is_used`: marks those of this name. */
static void build_log_refuse(const struct log_reading *reading, struct logged_kernel *const *kernel,
                             size_t count, bool *is_used)
{
    size_t refusals = 0, targets = 0;
    struct log_span refusal = {0};
    for (size_t i = 0; i < reading->refusals.count; i++) {
        struct log_span line = reading->refusals.item[i];
        struct log_span name = quoted(build_log_after(line, "Entry function '"), line.end, '\'');
        if (!name.start || !build_log_is_same(name, kernel[0]->name))
            continue;
        is_used[i] = true;
        refusal = line;
        refusals++;
    }
    for (size_t i = 0; i < count && refusals > 0; i++) {
        bool is_known = kernel[i]->is_linking;
        for (size_t k = 0; k < i && !is_known; k++)
            is_known =
                !kernel[k]->is_linking && build_log_is_same(kernel[k]->target, kernel[i]->target);
        targets += !is_known;
    }
    for (size_t i = 0; i < count && refusals > 0; i++) {
        if (refusals >= targets && !kernel[i]->is_linking)
            kernel[i]->refusal = refusal;
        kernel[i]->is_ambiguous |= refusals < targets;
    }
}

static void build_log_append_kernel(const struct logged_kernel *kernel, struct smc_text *text)
{
    smc_text_safe_line(text, "%.*s%s%.*s", (int)build_log_length_of(kernel->name),
                       kernel->name.start, kernel->target.start ? " for sm_" : "",
                       (int)build_log_length_of(kernel->target),
                       kernel->target.start ? kernel->target.start : "");
    text->length -= !text->failed; /* the sentence continues */
}

/* Whether two kernels of one name are results for the same architecture. */
static bool are_alike(const struct logged_kernel *a, const struct logged_kernel *b)
{
    enum reply reply = a->is_linking ? LINKED : USED;
    return a->is_linking == b->is_linking && a->target.start &&
           build_log_is_same(a->target, b->target) && !a->is_ambiguous && !b->is_ambiguous &&
           a->reply[reply].start && b->reply[reply].start;
}

static bool has_same_result(const struct logged_kernel *a, const struct logged_kernel *b)
{
    bool same = true;
    for (enum reply reply = STACK; reply < REPLY_COUNT; reply++)
        same = same && agree(a, b, reply);
    return same;
}

/* A kernel that was built again with the same result counts once. If the results differ, each
   counts: the log is of several programs, or of one before and after a change. True: some differ.
 */
static bool merge_repeated(struct logged_kernel *const *kernel, size_t count, bool is_linking)
{
    bool differ = false;
    for (size_t i = count; i-- > 1;)
        for (size_t k = 0; k < i && !kernel[i]->is_replaced; k++) {
            if (kernel[i]->is_linking != is_linking || kernel[k]->is_replaced ||
                !are_alike(kernel[k], kernel[i]))
                continue;
            bool same = has_same_result(kernel[k], kernel[i]);
            kernel[k]->is_replaced = same;
            differ = differ || !same;
        }
    return differ;
}

/* "sm_90: 128 registers, used 1 barriers, 4096 bytes smem (line 12)" */
static void build_log_append_result(const struct logged_kernel *kernel, struct smc_text *notes)
{
    struct log_span result = kernel->reply[kernel->is_linking ? LINKED : USED];
    const char *smem = build_log_after(result, " bytes smem"),
               *comma = build_log_after(result, ",");
    const char *end = smem ? smem : comma ? comma - 1 : result.end;
    smc_text_safe_line(notes, "sm_%.*s: %.*s (%sline %zu)",
                       (int)build_log_length_of(kernel->target), kernel->target.start,
                       (int)(end - result.start), result.start,
                       kernel->is_linking ? "linked, " : "", kernel->line);
    notes->length -= !notes->failed; /* the sentence continues */
}

/* Appends the different results of the kernels of one name. */
static void build_log_append_results(struct logged_kernel *const *kernel, size_t count,
                                     struct smc_text *notes)
{
    enum { MOST_RESULTS = 8 };
    size_t results = 0;
    smc_text_append_bytes(notes, kernel[0]->name.start, build_log_length_of(kernel[0]->name));
    smc_text_append(notes, "\tcompiled several times with different results, each of which counts");
    for (size_t i = 0; i < count; i++) {
        bool differs = false;
        for (size_t k = 0; k < count && !kernel[i]->is_replaced; k++)
            differs |= k != i && !kernel[k]->is_replaced && are_alike(kernel[k], kernel[i]);
        if (differs && results < MOST_RESULTS) {
            smc_text_append(notes, results ? "; " : ": ");
            build_log_append_result(kernel[i], notes);
        }
        results += differs;
    }
    smc_text_append(notes, results > MOST_RESULTS ? "; ...\n" : "\n");
}

/* Different compilations may be linked with the same result, each for itself. */
static void tell_repeated(struct logged_kernel *const *kernel, size_t count, struct smc_text *notes)
{
    bool differ = merge_repeated(kernel, count, false);
    differ = differ || merge_repeated(kernel, count, true);
    if (differ)
        build_log_append_results(kernel, count, notes);
}

static void build_log_append_line(const char *before, struct log_span line, struct smc_text *text)
{
    if (line.start)
        smc_text_printf(text, "%s%.*s\n", before, (int)build_log_length_of(line), line.start);
}

static void build_log_write_kernel(const struct log_reading *reading,
                                   const struct logged_kernel *kernel, struct smc_build_log *read)
{
    if (kernel->is_replaced)
        return;
    build_log_append_line("", kernel->head, &read->ordered);
    build_log_append_line("", kernel->ignored, &read->ordered);
    if (kernel->is_ambiguous)
        return;
    if (kernel->is_linking) {
        build_log_append_line("nvlink info    : used ", kernel->reply[LINKED], &read->ordered);
        return;
    }
    if (kernel->reply[USED].start && kernel->reply[STACK].start) {
        build_log_append_line("", kernel->properties, &read->ordered);
        build_log_append_line("    ", kernel->reply[STACK], &read->ordered);
    } else if (kernel->reply[USED].start && kernel->properties.start && reading->has_stacks) {
        build_log_append_kernel(kernel, &read->faults);
        smc_text_append(&read->faults, ": its stack and spills are left out: several compilations "
                                       "wrote the log at once\n");
    }
    build_log_append_line("ptxas info    : Used ", kernel->reply[USED], &read->ordered);
    build_log_append_line("", kernel->refusal, &read->ordered);
}

/* The properties of a kernel may be those of a compilation of it whose head was cut off. */
static void doubt(const struct log_reading *reading, struct logged_kernel *const *kernel,
                  size_t count)
{
    for (size_t i = 0; i < reading->doubted.count; i++)
        for (size_t k = 0;
             k < count && build_log_is_same(reading->doubted.item[i], kernel[0]->name); k++)
            kernel[k]->reply[STACK] = (struct log_span){0};
}

/* ptxas warns before it compiles the kernel; of several architectures the next one is meant. */
static void assign_ignored(const struct log_reading *reading, struct logged_kernel *const *kernel,
                           size_t count, struct smc_text *notes)
{
    for (size_t i = 0; i < reading->ignored.count; i++) {
        const struct log_span line = reading->ignored.item[i];
        const char *message = build_log_after(line, "ptxas warning"),
                   *name = build_log_after(line, " for entry ");
        const char *blank = name ? memchr(name, ' ', (size_t)(line.end - name)) : NULL;
        struct log_span named = {name, blank && blank[-1] == ',' ? blank - 1 : blank};
        struct logged_kernel *meant = NULL;
        for (size_t k = 0; k < count && blank; k++)
            if (!kernel[k]->is_linking && build_log_is_same(named, kernel[k]->name) &&
                (!meant || meant->head.start < line.start))
                meant = kernel[k];
        if (!meant)
            continue;
        meant->ignored = line;
        message += strspn(message, " :");
        smc_text_append_bytes(notes, named.start, build_log_length_of(named));
        smc_text_append(notes, "\t");
        smc_text_safe_line(
            notes, "its launch bounds are broken%s%.*s: %.*s", meant->target.start ? " on sm_" : "",
            (int)build_log_length_of(meant->target), meant->target.start ? meant->target.start : "",
            (int)(trimmed(line).end - message), message);
    }
}

/* The remark's function; an empty span: it has none. */
static struct log_span function_of(struct log_span remark)
{
    const char *name = build_log_after(remark, " function '");
    const char *end = name ? memchr(name, '\'', (size_t)(remark.end - name)) : NULL;
    return end ? (struct log_span){name, end} : (struct log_span){remark.end, remark.end};
}

static int by_hash(const void *a, const void *b)
{
    const struct logged_kernel *k = *(struct logged_kernel *const *)a,
                               *l = *(struct logged_kernel *const *)b;
    return k->hash < l->hash ? -1 : k->hash > l->hash;
}

static bool build_log_has_kernel(struct logged_kernel *const *sorted, size_t count,
                                 struct log_span name)
{
    const struct logged_kernel wanted = {
        .hash = smc_hash(SMC_HASH_START, name.start, build_log_length_of(name))};
    const struct logged_kernel *const key = &wanted;
    struct logged_kernel *const *found =
        count > 0 ? bsearch(&key, sorted, count, sizeof(struct logged_kernel *), by_hash) : NULL;
    return found && build_log_is_same((*found)->name, name);
}

static int build_log_by_place(const void *a, const void *b)
{
    const struct log_span *k = a, *l = b;
    return k->start < l->start ? -1 : k->start > l->start;
}

static int by_text(const void *a, const void *b)
{
    const struct log_span *k = a, *l = b;
    if (build_log_length_of(*k) != build_log_length_of(*l))
        return build_log_length_of(*k) < build_log_length_of(*l) ? -1 : 1;
    const int order = memcmp(k->start, l->start, build_log_length_of(*k));
    return order ? order : build_log_by_place(a, b);
}

/* Keeps the first of equal texts, in their order. */
static void remove_repeated(struct spans *spans)
{
    size_t kept = 0;
    if (spans->count < 2)
        return;
    qsort(spans->item, spans->count, sizeof *spans->item, by_text);
    for (size_t i = 1; i < spans->count; i++)
        if (!build_log_is_same(spans->item[kept], spans->item[i]))
            spans->item[++kept] = spans->item[i];
    spans->count = kept + 1;
    qsort(spans->item, spans->count, sizeof *spans->item, build_log_by_place);
}

/* Each remark once, though several architectures may have it. `sorted`: by_name. */
static void build_log_tell_remarks(struct log_reading *reading, struct logged_kernel *const *sorted,
                                   struct smc_text *notes)
{
    remove_repeated(&reading->remarks);
    for (size_t i = 0; i < reading->remarks.count; i++) {
        const struct log_span line = reading->remarks.item[i], name = function_of(line);
        const char *message = message_of_remark(line);
        if (build_log_has_kernel(sorted, reading->kernels.count, name))
            smc_text_append_bytes(notes, name.start, build_log_length_of(name));
        message += strspn(message, " :");
        smc_text_append(notes, "\t");
        smc_text_safe_line(notes, "ptxas: %.*s", (int)(line.end - message), message);
    }
}

/* Kernels that the log does not name any more, or not yet. */
static void tell_cut_off(const struct log_reading *reading, struct smc_build_log *read)
{
    struct smc_text *faults = &read->faults;
    size_t nameless =
        reading->nameless_others + reading->nameless[USED] + reading->nameless[LINKED];
    for (size_t i = 0; i < reading->cut_off.count; i++)
        smc_text_safe_line(faults,
                           "%.*s: left out: its architecture is unknown, since the log's beginning "
                           "is cut off",
                           (int)build_log_length_of(reading->cut_off.item[i]),
                           reading->cut_off.item[i].start);
    read->cut_off_count = nameless;
    nameless -= reading->cut_off.count;
    if (nameless > 0)
        smc_text_printf(faults,
                        "the figures of %zu kernel%s have no name: the log's beginning is cut off, "
                        "or lines were left out\n",
                        nameless, smc_text_plural(nameless));
    if (reading->ends_within_head)
        smc_text_append(faults, "the log is cut off: its last line begins a kernel\n");
}

static void build_log_conclude(struct log_reading *reading, struct logged_kernel **sorted,
                               bool *is_used, struct smc_build_log *read)
{
    const size_t count = reading->kernels.count;
    for (size_t i = 0; i < count; i++)
        sorted[i] = &reading->kernels.item[i];
    if (count > 0)
        qsort(sorted, count, sizeof(struct logged_kernel *), by_name);
    for (size_t i = 0, n; i < count; i += n) {
        for (n = 1; i + n < count && is_named(sorted[i + n], sorted[i]->hash, sorted[i]->name);)
            n++;
        unmix(sorted + i, n);
        doubt(reading, sorted + i, n);
        assign_ignored(reading, sorted + i, n, &read->notes);
        if (reading->refusals.count > 0)
            build_log_refuse(reading, sorted + i, n, is_used);
        tell_repeated(sorted + i, n, &read->notes);
    }
    build_log_tell_remarks(reading, sorted, &read->notes);
    for (size_t i = 0; i < reading->refusals.count; i++)
        if (!is_used[i])
            build_log_append_line("", reading->refusals.item[i], &read->ordered);
    for (size_t i = 0; i < count; i++)
        build_log_write_kernel(reading, &reading->kernels.item[i], read);
    for (size_t i = 0; i < reading->others.count; i++)
        build_log_append_line("", reading->others.item[i], &read->ordered);
    tell_cut_off(reading, read);
    if (reading->failures == 0)
        return;
    struct log_span failure = reading->failure;
    smc_text_safe_line(&read->faults, "the build failed: %.*s",
                       build_log_length_of(failure) < 300 ? (int)build_log_length_of(failure) : 300,
                       failure.start);
}

static void free_reading(struct log_reading *reading)
{
    for (enum reply reply = STACK; reply < REPLY_COUNT; reply++) {
        free(reading->period[reply].expected);
        free(reading->period[reply].line);
    }
    free(reading->kernels.item);
    free(reading->refusals.item);
    free(reading->others.item);
    free(reading->ignored.item);
    free(reading->remarks.item);
    free(reading->cut_off.item);
    free(reading->doubted.item);
    free(reading->open);
}

/* `nameless`: how many figures without a name the log is known to have. */
static void build_log_read_lines(const char *log, const size_t nameless[REPLY_COUNT],
                                 struct log_reading *reading)
{
    struct log_span line;
    for (enum reply reply = STACK; reply < REPLY_COUNT; reply++)
        for (size_t i = 0; i < nameless[reply]; i++)
            build_log_expect(reading, reply, no_kernel);
    for (enum reply reply = STACK; reply < REPLY_COUNT; reply++)
        reading->period[reply].reply = reply;
    for (const char *at = log; (at = strstr(at, "Function properties for ")); at++)
        reading->has_properties |= at[strlen("Function properties for ")] != '\''; /* nvlink */
    reading->has_stacks = strstr(log, " bytes stack frame") != NULL;
    reading->line = 1;
    while (next_message(&log, &line) && !reading->failed) {
        build_log_read_line(reading, line);
        reading->line += log > line.end; /* unless another message follows on the line */
    }
}

bool smc_build_log_read(const char *log, struct smc_build_log *read)
{
    static const size_t none[REPLY_COUNT] = {0};
    smc_auto_text plain = {0};
    struct log_reading reading = {.failed = false};
    build_log_append_plain(log, &plain);
    build_log_read_lines(smc_text_string(&plain), none, &reading);
    if (reading.has_late_nameless) { /* others may have got their figures */
        struct log_reading first = reading;
        reading = (struct log_reading){.failed = first.failed, .has_late_nameless = true};
        build_log_read_lines(smc_text_string(&plain), first.nameless, &reading);
        memcpy(reading.nameless, first.nameless, sizeof reading.nameless);
        reading.failed |= first.failed;
        free(reading.cut_off.item);
        reading.cut_off = first.cut_off;
        first.cut_off = (struct spans){0};
        free_reading(&first);
    }
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
    smc_auto_free struct logged_kernel **sorted =
        smc_calloc(reading.kernels.count + 1, sizeof *sorted);
    smc_auto_free bool *is_used = smc_calloc(reading.refusals.count + 1, sizeof *is_used);
    bool succeeded = sorted && is_used && !reading.failed && !plain.failed;
    if (succeeded)
        build_log_conclude(&reading, sorted, is_used, read);
    free_reading(&reading);
    return succeeded && !read->ordered.failed && !read->faults.failed && !read->notes.failed;
}

void smc_build_log_free(struct smc_build_log *read)
{
    smc_text_free(&read->ordered);
    smc_text_free(&read->faults);
    smc_text_free(&read->notes);
}
