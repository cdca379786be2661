/* What a compiler's log says of its kernels. The lines of ptxas, newest form first:
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
   Whatever a build tool writes before these words is skipped. */
#include "compile/ptxas_log.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line of the log; never copied, never ended by '\0'. */
struct line {
    const char *start, *end;
};

static bool next_line(const char **cursor, struct line *line)
{
    if (!**cursor)
        return false;
    line->start = *cursor;
    line->end = *cursor + strcspn(*cursor, "\n");
    *cursor = *line->end ? line->end + 1 : line->end;
    return true;
}

/* Where `text` ends in the line, or NULL. */
static const char *after(struct line line, const char *text)
{
    size_t length = strlen(text);
    for (const char *s = line.start; s + length <= line.end; s++)
        if (memcmp(s, text, length) == 0)
            return s + length;
    return NULL;
}

/* Does `name` stand at `s`, followed by `closing` or, where that is 0, the end of the line? */
static bool is_name(const char *s, const char *end, const char *name, size_t length, char closing)
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

/* A number in decimal, or in hexadecimal after 0x. */
static const char *read_number(const char *s, const char *end, uint32_t *value)
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
static bool read_item(struct line item, const char *unit, uint32_t *value)
{
    const char *close = item.end, *s;
    size_t length = strlen(unit);
    while (close > item.start && isspace((unsigned char)close[-1]))
        close--;
    if ((size_t)(close - item.start) < length || memcmp(close - length, unit, length) != 0)
        return false;
    close -= length;
    for (s = close; s > item.start && (isdigit((unsigned char)s[-1]) || s[-1] == '+');)
        s--;
    uint32_t n, more = 0;
    s = read_number(s, close, &n);
    if (s && s < close && *s == '+')
        s = read_number(s + 1, close, &more);
    if (s != close || more > UINT32_MAX - n)
        return false;
    *value = n + more;
    return true;
}

/* Finds the item with `unit` among those joined by ','. */
static bool read_list(const char *s, const char *end, const char *unit, uint32_t *value)
{
    while (s < end) {
        const char *comma = memchr(s, ',', (size_t)(end - s));
        struct line item = {s, comma ? comma : end};
        if (read_item(item, unit, value))
            return true;
        s = item.end + 1;
    }
    return false;
}

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

/* "sm_90a" -> 90; 0 where there is none. */
static uint16_t read_cc(const char *s, const char *end)
{
    uint32_t cc;
    return s && read_number(s, end, &cc) && cc < 1000 ? (uint16_t)cc : 0;
}

static bool read_refusal(struct line line, struct smc_log_kernel *kernel)
{
    const char *name = after(line, "Entry function '");
    const char *s = after(line, "uses too much shared data (");
    struct smc_resources *out = &kernel->resources;
    if (!name || !s || !take_name(name, line.end, '\'', kernel))
        return false;
    uint32_t bytes, system = 0, limit;
    struct line rest = {read_number(s, line.end, &bytes), line.end};
    if (!rest.start)
        return false;
    const char *plus = after(rest, " bytes + ");
    if (plus && !read_number(plus, line.end, &system))
        return false;
    const char *comma = after(rest, ", ");
    if (!comma || !read_number(comma, line.end, &limit) || system > UINT32_MAX - bytes)
        return false;
    out->refused = true;
    out->refused_smem_bytes = bytes + system;
    out->refused_smem_limit_bytes = limit;
    return true;
}

/* "  Function NAME:", where NAME may be demangled. */
static bool read_cuobjdump_head(struct line line, struct smc_log_kernel *kernel)
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

/* Does a kernel's part of the log begin here? */
static bool read_head(struct line line, struct smc_log_kernel *kernel)
{
    *kernel = (struct smc_log_kernel){.form = SMC_LOG_PTXAS};
    const char *s = after(line, "Compiling entry function '");
    if (s && take_name(s, line.end, '\'', kernel)) {
        kernel->cc = read_cc(after(line, "' for 'sm_"), line.end);
        return true;
    }
    kernel->smem_has_reserve = true;
    kernel->form = SMC_LOG_NVLINK;
    s = after(line, "nvlink info") ? after(line, "Function properties for '") : NULL;
    kernel->cc = read_cc(after(line, "(target: sm_"), line.end);
    if (s)
        return take_name(s, line.end, '\'', kernel);
    kernel->form = SMC_LOG_CUOBJDUMP;
    return read_cuobjdump_head(line, kernel);
}

/* "REG:10 STACK:0 SHARED:3024 ..." */
static bool read_res_usage(struct line line, struct smc_resources *out)
{
    const char *regs = after(line, " REG:"), *smem = after(line, " SHARED:");
    const char *stack = after(line, " STACK:");
    if (stack)
        read_number(stack, line.end, &out->stack_bytes); /* or "STACK:UNKNOWN" */
    return regs && smem && read_number(regs, line.end, &out->regs_per_thread) &&
           read_number(smem, line.end, &out->static_smem_bytes);
}

static void read_properties(struct line line, struct smc_log_kernel *kernel)
{
    struct smc_resources *out = &kernel->resources;
    read_list(line.start, line.end, " bytes stack frame", &out->stack_bytes);
    kernel->has_spills =
        read_list(line.start, line.end, " bytes spill stores", &out->spill_store_bytes) &&
        read_list(line.start, line.end, " bytes spill loads", &out->spill_load_bytes);
}

static bool read_used(const char *s, const char *end, struct smc_log_kernel *kernel)
{
    struct smc_resources *out = &kernel->resources;
    if (!s || !read_list(s, end, " registers", &out->regs_per_thread))
        return false;
    read_list(s, end, " bytes smem", &out->static_smem_bytes);
    if (kernel->form == SMC_LOG_NVLINK)
        read_list(s, end, " stack", &out->stack_bytes);
    kernel->has_barriers = read_list(s, end, " barriers", &out->barriers);
    return true;
}

/* Reads the lines that follow a head, up to the next. */
static bool read_body(const char **cursor, struct smc_log_kernel *kernel)
{
    bool found = false, in_properties = false;
    const char *next = *cursor;
    struct line line;
    struct smc_log_kernel other;
    for (; next_line(&next, &line); *cursor = next) {
        if (read_head(line, &other) || read_refusal(line, &other) || after(line, "arch = sm_"))
            break;
        const char *s = after(line, "Function properties for ");
        if (s)
            in_properties = is_name(s, line.end, kernel->name, kernel->name_length, 0);
        if (in_properties && after(line, "bytes stack frame"))
            read_properties(line, kernel);
        if (found)
            continue;
        if (kernel->form == SMC_LOG_CUOBJDUMP)
            found = read_res_usage(line, &kernel->resources);
        else
            found = read_used(after(line, kernel->form == SMC_LOG_PTXAS ? ": Used " : ": used "),
                              line.end, kernel);
    }
    return found;
}

bool smc_log_next(struct smc_log_reader *reader, struct smc_log_kernel *kernel)
{
    struct line line;
    while (next_line(&reader->cursor, &line)) {
        const char *arch = after(line, "arch = sm_");
        if (arch)
            reader->cc = read_cc(arch, line.end);
        if (!read_head(line, kernel)) {
            *kernel = (struct smc_log_kernel){.form = SMC_LOG_PTXAS, .cc = reader->cc};
            if (read_refusal(line, kernel))
                return true;
            continue;
        }
        if (kernel->form == SMC_LOG_PTXAS)
            reader->cc = kernel->cc;
        else if (kernel->form == SMC_LOG_CUOBJDUMP)
            kernel->cc = reader->cc;
        if (read_body(&reader->cursor, kernel))
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
        if (kernel.form != SMC_LOG_PTXAS || (found && !refused) ||
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

void smc_log_first_error(const char *log, const char *file, const char *shown, char *text,
                         size_t capacity)
{
    struct line line;
    uint32_t number;
    text[0] = '\0';
    while (next_line(&log, &line)) {
        if (!after(line, "error") && !after(line, "fatal"))
            continue;
        const char *s = line.start, *close = NULL;
        if (is_name(s, line.end, file, strlen(file), '('))
            close = read_number(s + strlen(file) + 1, line.end, &number);
        if (close && close < line.end && *close == ')')
            snprintf(text, capacity, "%s:%u%.*s", shown, number, (int)(line.end - close - 1),
                     close + 1);
        else
            snprintf(text, capacity, "%.*s", (int)(line.end - s), s);
        smc_text_make_safe(text);
        return;
    }
}
