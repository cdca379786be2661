/* Reads the kernels in a compiler's log. The lines of ptxas, newest form first:
     ptxas info    : Compiling entry function 'k' for 'sm_90'
     ptxas info    : Function properties for k
     ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
     ptxas info    : Used 32 registers, used 1 barriers, 8192 bytes smem
   The third may begin with blanks alone; up to CUDA 12 barriers may be absent; for CC 1.x shared
   memory reads "2080+16 bytes smem", the second number being the system's, and the properties are
   missing. Functions that the kernel calls follow with properties of their own. nvlink:
     nvlink info    : Function properties for 'k': (target: sm_90)
     nvlink info    : used 10 registers, used 1 barriers, 0 stack, 3024 bytes smem, 0 bytes lmem
   (the target only where there are several),
   and cuobjdump, whose architecture stands above its functions:
     arch = sm_90
      Function k:
       REG:10 STACK:0 SHARED:3024 LOCAL:0 CONSTANT[0]:536 TEXTURE:0 SURFACE:0 SAMPLER:0
   Functions that kernels call have such lines, too, but without CONSTANT[0], where the parameters
   of a kernel are, of one without any as well. Whatever a build tool writes before these words is
   skipped. */
#include "config.h"

#include "base/text.h"
#include "code/ptxas_log.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code/nvrtc.h"

/* Not null-terminated. */
struct smc_log_line {
    const char *start, *end;
};

/* Finds the item with `unit` among those joined by ',': "8192 bytes smem"; "8+4 bytes smem" is 12.
   SMC_LOG_NEGATIVE if a 32-bit number with a sign precedes the unit, SMC_LOG_DAMAGED if no number
   does. */
enum smc_log_item { SMC_LOG_ABSENT, SMC_LOG_READ, SMC_LOG_NEGATIVE, SMC_LOG_DAMAGED };

/* --- Lines, and the numbers in them ----------------------------------------------------------- */

/* Moves `cursor` past the line; false at the end of the log. */
static bool ptxas_log_next_line(const char **cursor, struct smc_log_line *line)
{
    if (!**cursor)
        return false;
    line->start = *cursor;
    line->end = *cursor + strcspn(*cursor, "\n");
    *cursor = *line->end ? line->end + 1 : line->end;
    return true;
}

/* Where `text` ends in the line, or NULL. */
static const char *log_after(struct smc_log_line line, const char *text)
{
    size_t length = strlen(text);
    for (const char *s = line.start; s + length <= line.end; s++)
        if (memcmp(s, text, length) == 0)
            return s + length;
    return NULL;
}

/* Whether `name` is at `s`, followed by `closing` or, if that is 0, by the end of the line. */
static bool ptxas_log_is_name(const char *s, const char *end, const char *name, size_t length,
                              char closing)
{
    if ((size_t)(end - s) < length || memcmp(s, name, length) != 0)
        return false;
    s += length;
    if (closing)
        return s < end && *s == closing;
    while (s < end && isspace((unsigned char)*s))
        s++;
    return s == end;
}

/* Reads a decimal number, or a hexadecimal one after 0x. Returns its end, or NULL. */
static const char *ptxas_log_read_number(const char *s, const char *end, uint32_t *value)
{
    bool hexadecimal = end - s > 2 && s[0] == '0' && s[1] == 'x';
    uint64_t n = 0;
    const char *first = hexadecimal ? s + 2 : s;
    for (s = first; s < end; s++) {
        int c = tolower((unsigned char)*s);
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
        if (digit >= (hexadecimal ? 16 : 10))
            break;
        n = n * (hexadecimal ? 16 : 10) + (unsigned)digit;
        if (n > UINT32_MAX)
            return NULL;
    }
    *value = (uint32_t)n;
    return s > first ? s : NULL;
}

/* The number before `unit`, which ends the item: "8192 bytes smem"; "8+4 bytes smem" is 12. */
static enum smc_log_item read_item(struct smc_log_line item, const char *unit, uint32_t *value)
{
    const char *close = item.end, *s = item.start;
    size_t length = strlen(unit);
    while (close > item.start && isspace((unsigned char)close[-1]))
        close--;
    if ((size_t)(close - item.start) < length || memcmp(close - length, unit, length) != 0)
        return SMC_LOG_ABSENT;
    close -= length;
    for (const char *at = item.start; at < close;
         at++) /* find the last word; other words may precede it */
        s = isspace((unsigned char)*at) ? at + 1 : s;
    uint32_t n, more = 0;
    if (s < close && *s == '-' && ptxas_log_read_number(s + 1, close, &n) == close)
        return SMC_LOG_NEGATIVE;
    s = ptxas_log_read_number(s, close, &n);
    if (s && s < close && *s == '+')
        s = ptxas_log_read_number(s + 1, close, &more);
    if (s != close || more > UINT32_MAX - n)
        return SMC_LOG_DAMAGED;
    *value = n + more;
    return SMC_LOG_READ;
}

static enum smc_log_item log_read_list(const char *s, const char *end, const char *unit,
                                       uint32_t *value)
{
    while (s < end) {
        const char *comma = memchr(s, ',', (size_t)(end - s));
        struct smc_log_line item = {s, comma ? comma : end};
        enum smc_log_item read = read_item(item, unit, value);
        if (read != SMC_LOG_ABSENT)
            return read;
        s = item.end + 1;
    }
    return SMC_LOG_ABSENT;
}

/* --- What ptxas reports ----------------------------------------------------------------------- */

/* The name at `s` up to `closing`. */
static bool take_name(const char *s, const char *end, char closing, struct smc_log_kernel *kernel)
{
    const char *close = memchr(s, closing, (size_t)(end - s));
    if (!close || close == s)
        return false;
    kernel->name = s;
    kernel->name_length = (size_t)(close - s);
    return true;
}

/* What follows "sm_": "90a" -> 90 and 'a'; 0 if there is none. */
static void ptxas_log_read_target(const char *s, const char *end, uint16_t *cc, char *suffix)
{
    uint32_t number;
    const char *close = s ? ptxas_log_read_number(s, end, &number) : NULL;
    bool known = close && number < 1000;
    *cc = known ? (uint16_t)number : 0;
    *suffix = known && close < end && (*close == 'a' || *close == 'f') ? *close : '\0';
}

static bool read_refusal(struct smc_log_line line, struct smc_log_kernel *kernel)
{
    const char *name = log_after(line, "Entry function '");
    const char *s = log_after(line, "uses too much shared data (");
    struct smc_resources *out = &kernel->resources;
    if (!name || !s || !take_name(name, line.end, '\'', kernel))
        return false;
    uint32_t bytes, system = 0, limit;
    struct smc_log_line rest = {ptxas_log_read_number(s, line.end, &bytes), line.end};
    if (!rest.start)
        return false;
    const char *plus = log_after(rest, " bytes + ");
    if (plus && !ptxas_log_read_number(plus, line.end, &system))
        return false;
    const char *comma = log_after(rest, ", ");
    if (!comma || !ptxas_log_read_number(comma, line.end, &limit) || system > UINT32_MAX - bytes)
        return false;
    out->refused = true;
    out->refused_smem_bytes = bytes + system;
    out->refused_smem_limit_bytes = limit;
    return true;
}

/* "  Function NAME:", where NAME may be demangled. */
static bool read_cuobjdump_head(struct smc_log_line line, struct smc_log_kernel *kernel)
{
    static const char word[] = "Function ";
    const char *s = line.start, *end = line.end;
    while (s < end && isspace((unsigned char)*s))
        s++;
    while (end > s && isspace((unsigned char)end[-1]))
        end--;
    size_t length = sizeof word - 1;
    if ((size_t)(end - s) < length + 2 || memcmp(s, word, length) != 0 || end[-1] != ':')
        return false;
    kernel->name = s + length;
    kernel->name_length = (size_t)(end - 1 - kernel->name);
    return true;
}

/* Whether a kernel's part of the log begins here. */
static bool ptxas_log_read_head(struct smc_log_line line, struct smc_log_kernel *kernel)
{
    *kernel = (struct smc_log_kernel){.form = SMC_LOG_PTXAS};
    const char *s = log_after(line, "Compiling entry function '");
    if (s && take_name(s, line.end, '\'', kernel)) {
        ptxas_log_read_target(log_after(line, "' for 'sm_"), line.end, &kernel->cc,
                              &kernel->suffix);
        return true;
    }
    kernel->smem_has_reserve = true;
    kernel->form = SMC_LOG_NVLINK;
    s = log_after(line, "nvlink info") ? log_after(line, "Function properties for '") : NULL;
    ptxas_log_read_target(log_after(line, "(target: sm_"), line.end, &kernel->cc, &kernel->suffix);
    if (s)
        return take_name(s, line.end, '\'', kernel);
    kernel->form = SMC_LOG_CUOBJDUMP;
    return read_cuobjdump_head(line, kernel);
}

/* "REG:10 STACK:0 SHARED:3024 ..." */
static bool read_res_usage(struct smc_log_line line, struct smc_log_kernel *kernel)
{
    struct smc_resources *out = &kernel->resources;
    const char *regs = log_after(line, " REG:"), *smem = log_after(line, " SHARED:");
    const char *stack = log_after(line, " STACK:"); /* may be "UNKNOWN" */
    kernel->has_stack = stack && ptxas_log_read_number(stack, line.end, &out->stack_bytes);
    const char *close =
        smem ? ptxas_log_read_number(smem, line.end, &out->static_smem_bytes) : NULL;
    return close && *close && regs && ptxas_log_read_number(regs, line.end, &out->regs_per_thread);
}

/* Whether the line is about a function that kernels call. A truncated line is not, nor is a kernel
   for CC 1.x, whose parameters are in shared memory. */
static bool is_of_function(struct smc_log_line line, const struct smc_log_kernel *kernel)
{
    return log_after(line, " TEXTURE:") && !log_after(line, " CONSTANT[0]:") &&
           kernel->resources.static_smem_bytes == 0;
}

/* Whether the item is present. A damaged item makes the kernel incomplete. */
static bool read_figure(struct smc_log_line line, const char *unit, struct smc_log_kernel *kernel,
                        uint32_t *value)
{
    enum smc_log_item item = log_read_list(line.start, line.end, unit, value);
    kernel->is_damaged |= item == SMC_LOG_DAMAGED || item == SMC_LOG_NEGATIVE;
    return item == SMC_LOG_READ;
}

/* ptxas has been seen to count spills to shared memory as negative, and a negative number may have
   been printed as one without a sign; the number is then unknown. */
static bool read_spills(struct smc_log_line line, const char *unit, struct smc_log_kernel *kernel,
                        uint32_t *value)
{
    enum smc_log_item item = log_read_list(line.start, line.end, unit, value);
    const bool negative = item == SMC_LOG_NEGATIVE || (item == SMC_LOG_READ && *value > INT32_MAX);
    kernel->is_damaged |= item == SMC_LOG_DAMAGED;
    kernel->spills_are_negative |= negative;
    return item == SMC_LOG_READ && !negative;
}

static void ptxas_log_read_properties(struct smc_log_line line, struct smc_log_kernel *kernel)
{
    struct smc_resources *out = &kernel->resources;
    kernel->has_stack = read_figure(line, " bytes stack frame", kernel, &out->stack_bytes);
    bool stores = read_spills(line, " bytes spill stores", kernel, &out->spill_store_bytes);
    bool loads = read_spills(line, " bytes spill loads", kernel, &out->spill_load_bytes);
    kernel->has_spills = stores && loads;
    if (!kernel->has_spills)
        out->spill_store_bytes = out->spill_load_bytes = 0;
}

bool smc_log_is_cut(const char *s, const char *end)
{
    static const char *const whole[] = {"registers", "barriers",   "mem",      "]",
                                        ")",         "stack size", "textures", "samplers"};
    for (size_t i = 0; i < sizeof whole / sizeof *whole && !*end; i++) {
        size_t length = strlen(whole[i]);
        if ((size_t)(end - s) >= length && memcmp(end - length, whole[i], length) == 0)
            return false;
    }
    return !*end;
}

static bool read_used(const char *s, const char *end, struct smc_log_kernel *kernel)
{
    struct smc_resources *out = &kernel->resources;
    const struct smc_log_line line = {s, end};
    if (!s || smc_log_is_cut(s, end) ||
        !read_figure(line, " registers", kernel, &out->regs_per_thread))
        return false;
    read_figure(line, " bytes smem", kernel, &out->static_smem_bytes);
    if (kernel->form == SMC_LOG_NVLINK)
        kernel->has_stack = read_figure(line, " stack", kernel, &out->stack_bytes);
    kernel->has_barriers = read_figure(line, " barriers", kernel, &out->barriers);
    return true;
}

/* Whether the name after "for entry " is the kernel's: "NAME is out of range" or "NAME, ...". */
static bool is_warned(const char *name, const char *end, const struct smc_log_kernel *kernel)
{
    return ptxas_log_is_name(name, end, kernel->name, kernel->name_length, ' ') ||
           ptxas_log_is_name(name, end, kernel->name, kernel->name_length, ',');
}

/* Reads the lines that follow a head, up to the next. In a ptxas log the kernel's own properties
   come first. If another function's come first, several compilations wrote at once, and it is
   unknown whose figures follow. */
static bool ptxas_log_read_body(const char **cursor, struct smc_log_kernel *kernel)
{
    bool found = false, in_properties = false, had_properties = false;
    const char *next = *cursor;
    struct smc_log_line line;
    struct smc_log_kernel other;
    for (; ptxas_log_next_line(&next, &line); *cursor = next) {
        if (ptxas_log_read_head(line, &other) || read_refusal(line, &other) ||
            log_after(line, "arch = sm_"))
            break;
        const char *s = log_after(line, "Function properties for ");
        const char *entry = log_after(line, " for entry ");
        kernel->bounds_ignored |=
            entry && log_after(line, "will be ignored") && is_warned(entry, line.end, kernel);
        if (s) {
            in_properties = ptxas_log_is_name(s, line.end, kernel->name, kernel->name_length, 0);
            if (!in_properties && !had_properties && !found)
                break;
            had_properties = true;
        }
        if (in_properties && log_after(line, "bytes stack frame"))
            ptxas_log_read_properties(line, kernel);
        if (found)
            continue;
        if (kernel->form == SMC_LOG_CUOBJDUMP) {
            found = read_res_usage(line, kernel);
            kernel->is_function = found && is_of_function(line, kernel);
        } else
            found =
                read_used(log_after(line, kernel->form == SMC_LOG_PTXAS ? ": Used " : ": used "),
                          line.end, kernel);
    }
    return found;
}

/* Whether there is a reason that `body`, which ends at `end`, has no figures for the kernel: its
   refusal follows, or "Function k:" was not written by cuobjdump. */
static bool ptxas_log_is_explained(const char *body, const char *end,
                                   const struct smc_log_kernel *kernel)
{
    static const char figures[] = "REG:";
    struct smc_log_line line;
    struct smc_log_kernel refused;
    if (kernel->form == SMC_LOG_CUOBJDUMP) {
        body += strspn(body, " \t\n");
        return strncmp(body, figures, strnlen(body, sizeof figures - 1)) != 0;
    }
    return ptxas_log_next_line(&end, &line) && read_refusal(line, &refused) &&
           refused.name_length == kernel->name_length &&
           memcmp(refused.name, kernel->name, kernel->name_length) == 0;
}

bool smc_log_next(struct smc_log_reader *reader, struct smc_log_kernel *kernel)
{
    struct smc_log_line line;
    while (ptxas_log_next_line(&reader->cursor, &line)) {
        const char *arch = log_after(line, "arch = sm_");
        if (arch)
            ptxas_log_read_target(arch, line.end, &reader->cc, &reader->suffix);
        if (!ptxas_log_read_head(line, kernel)) {
            *kernel = (struct smc_log_kernel){
                .form = SMC_LOG_PTXAS, .cc = reader->cc, .suffix = reader->suffix};
            if (read_refusal(line, kernel))
                return true;
            continue;
        }
        if (kernel->form == SMC_LOG_PTXAS) {
            reader->cc = kernel->cc;
            reader->suffix = kernel->suffix;
        } else if (kernel->form == SMC_LOG_CUOBJDUMP) {
            kernel->cc = reader->cc;
            kernel->suffix = reader->suffix;
        }
        const char *body = reader->cursor;
        kernel->is_incomplete = !ptxas_log_read_body(&reader->cursor, kernel) || kernel->is_damaged;
        if (kernel->is_function ||
            (kernel->is_incomplete && ptxas_log_is_explained(body, reader->cursor, kernel)))
            continue;
        return true;
    }
    return false;
}

static void copy_numbers(const struct smc_resources *from, struct smc_resources *to)
{
    to->regs_per_thread = from->regs_per_thread;
    to->static_smem_bytes = from->static_smem_bytes;
    to->stack_bytes = from->stack_bytes;
    to->spill_store_bytes = from->spill_store_bytes;
    to->spill_load_bytes = from->spill_load_bytes;
    to->barriers = from->barriers;
    to->refused = from->refused;
    to->refused_smem_bytes = from->refused_smem_bytes;
    to->refused_smem_limit_bytes = from->refused_smem_limit_bytes;
}

enum smc_ptxas_reading smc_ptxas_log_read(const char *log, const char *entry,
                                          struct smc_resources *out, bool *has_barriers)
{
    struct smc_log_reader reader = {.cursor = log};
    struct smc_log_kernel kernel;
    bool found = false;
    *has_barriers = false;
    while (smc_log_next(&reader, &kernel)) {
        bool refused = kernel.resources.refused;
        if (kernel.form != SMC_LOG_PTXAS || kernel.is_incomplete || (found && !refused) ||
            kernel.name_length != strlen(entry) ||
            memcmp(kernel.name, entry, kernel.name_length) != 0)
            continue;
        copy_numbers(&kernel.resources, out);
        if (refused)
            return SMC_PTXAS_REFUSED;
        *has_barriers = kernel.has_barriers;
        found = true;
    }
    return found ? SMC_PTXAS_READ : SMC_PTXAS_NO_ENTRY;
}

/* The end of "FILE(NUMBER)" at the beginning of the line, or NULL. */
static const char *read_place(struct smc_log_line line, const char *file, uint32_t *number)
{
    const char *close = NULL;
    if (ptxas_log_is_name(line.start, line.end, file, strlen(file), '('))
        close = ptxas_log_read_number(line.start + strlen(file) + 1, line.end, number);
    return close && close < line.end && *close == ')' ? close + 1 : NULL;
}

/* "ptxas FILE, line NUMBER; error   : MESSAGE": where the message begins, or NULL. */
static const char *read_ptxas_error(struct smc_log_line line, const char *file, uint32_t *number)
{
    static const char tool[] = "ptxas ", where[] = ", line ";
    const size_t begin = sizeof tool - 1, length = strlen(file);
    if (!ptxas_log_is_name(line.start, line.end, tool, begin, file[0]) ||
        !ptxas_log_is_name(line.start + begin, line.end, file, length, ','))
        return NULL;
    struct smc_log_line rest = {line.start + begin + length, line.end};
    const char *place = log_after(rest, where);
    rest.start = place ? ptxas_log_read_number(place, line.end, number) : NULL;
    const char *error = rest.start ? log_after(rest, "; error") : NULL;
    if (rest.start && !error)
        error = log_after(rest, "; fatal");
    while (error && error < line.end && (*error == ' ' || *error == ':'))
        error++;
    return error;
}

void smc_log_tell_warnings(const char *log, const char *file, struct smc_text *warnings)
{
    static const char mark[] = ": warning ";
    struct smc_log_line line;
    uint32_t number;
    while (ptxas_log_next_line(&log, &line)) {
        const char *after = read_place(line, file, &number);
        size_t length = sizeof mark - 1;
        if (after && (size_t)(line.end - after) > length && strncmp(after, mark, length) == 0)
            smc_warn(warnings, "%s:%u: %.*s", file, number, (int)(line.end - after - (long)length),
                     after + length);
    }
}

/* --- Errors ----------------------------------------------------------------------------------- */

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || strchr("_-./\\", c);
}

/* Whether `word` is at `s`, and is not part of a longer word or of a file's name. */
static bool ptxas_log_is_word(struct smc_log_line line, const char *s, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(line.end - s) >= length && memcmp(s, word, length) == 0 &&
           (s == line.start || !is_of_name(s[-1])) &&
           (s + length == line.end || !is_of_name(s[length]));
}

/* Whether a message's severity may begin at `s`: after "FILE(3): ", "ptxas FILE, line 3; " or the
   name of a tool, or where the line begins. */
static bool begins_severity(struct smc_log_line line, const char *s)
{
    static const char *const kinds[] = {"fatal ",    "catastrophic ", "internal ",
                                        "Internal ", "command-line ", "compiler "};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i]);
        if ((size_t)(s - line.start) >= length && memcmp(s - length, kinds[i], length) == 0)
            return begins_severity(line, s - length);
    }
    if (s == line.start)
        return true;
    if (s - line.start >= 2 && s[-1] == ' ' && strchr(":;", s[-2]))
        return true;
    const char *tool = line.start;
    while (tool < s && (isalnum((unsigned char)*tool) || strchr("_+-", *tool)))
        tool++;
    return tool > line.start && tool + 1 == s && *tool == ' ';
}

/* Whether the severity's word ends at `s`: "error: ", "error   : ", "error #20-D: ", "error
   C1083: ". */
static bool ends_severity(struct smc_log_line line, const char *s)
{
    while (s < line.end && *s == ' ')
        s++;
    if (s < line.end && (*s == '#' || isupper((unsigned char)*s)) && s[-1] == ' ')
        while (s < line.end && (isalnum((unsigned char)*s) || *s == '#' || *s == '-'))
            s++;
    while (s < line.end && *s == ' ')
        s++;
    return s < line.end && *s == ':' && (s + 1 == line.end || s[1] == ' ');
}

/* `in_form`: only a message in a form that compilers write; otherwise the word is enough. */
static bool ptxas_log_is_error(struct smc_log_line line, bool in_form)
{
    static const char *const words[] = {"error", "fatal"};
    static const char included[] = "In file included from ";
    const size_t length = sizeof included - 1;
    if ((size_t)(line.end - line.start) > length && memcmp(line.start, included, length) == 0)
        return false;
    for (const char *s = line.start; s < line.end; s++)
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (ptxas_log_is_word(line, s, words[i]) &&
                (!in_form ||
                 (begins_severity(line, s) && ends_severity(line, s + strlen(words[i])))))
                return true;
    return false;
}

bool smc_log_is_error(const char *line, size_t length)
{
    return length > 0 && !isspace((unsigned char)*line) &&
           ptxas_log_is_error((struct smc_log_line){line, line + length}, true);
}

/* Finds the first error, and moves `log` after it. Where no line has the form of one, any line that
   has the word counts. */
static bool find_error(const char **log, struct smc_log_line *line)
{
    const char *begin = *log;
    while (ptxas_log_next_line(log, line))
        if (smc_log_is_error(line->start, (size_t)(line->end - line->start)))
            return true;
    for (*log = begin; ptxas_log_next_line(log, line);)
        if (ptxas_log_is_error(*line, false))
            return true;
    return false;
}

/* Appends the lines that continue a message, and are not source that the compiler quotes. */
static void append_rest(const char *log, char *text, size_t capacity)
{
    static const char *const starts[] = {
        "            argument types are: ", "            operand types are: ",
        "            object type is: "};
    struct smc_log_line line;
    while (ptxas_log_next_line(&log, &line)) {
        const size_t length = strlen(text);
        if (!SMC_ANY(smc_begins, line.start, starts))
            return;
        const char *s = line.start + strspn(line.start, " ");
        snprintf(text + length, capacity - length, " %.*s", (int)(line.end - s), s);
    }
}

/* As smc_log_first_error writes it. */
static void write_error(struct smc_log_line line, const char *file, const char *shown, char *text,
                        size_t capacity)
{
    uint32_t number;
    const char *s = line.start, *after = read_place(line, file, &number);
    const char *message = read_ptxas_error(line, file, &number);
    if (message)
        snprintf(text, capacity, "%s:%u: error: %.*s", shown, number, (int)(line.end - message),
                 message);
    else if (after)
        snprintf(text, capacity, "%s:%u%.*s", shown, number, (int)(line.end - after), after);
    else
        snprintf(text, capacity, "%.*s", (int)(line.end - s), s);
}

void smc_log_first_error(const char *log, const char *file, const char *shown, char *text,
                         size_t capacity)
{
    struct smc_log_line line;
    text[0] = '\0';
    if (!find_error(&log, &line))
        return;
    write_error(line, file, shown, text, capacity);
    append_rest(log, text, capacity);
    smc_utf8_make_safe(text);
}

bool smc_log_needs_features(const char *log)
{
    static const char *const words[] = {"not supported on .target 'sm_",
                                        "cannot be compiled for architecture 'sm_",
                                        "requires .target sm_"};
    return SMC_ANY(smc_contains, log, words);
}
