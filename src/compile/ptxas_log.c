/* What `ptxas -v` says of one kernel. The lines, newest form first:
     ptxas info    : Compiling entry function 'k' for 'sm_90'
     ptxas info    : Function properties for k
     ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
     ptxas info    : Used 32 registers, used 1 barriers, 8192 bytes smem
   Up to CUDA 10 the third begins with blanks; up to CUDA 11 barriers are absent; for CC 1.x shared
   memory reads "2080+16 bytes smem", the second number being the system's, and the properties are
   missing. Functions that the kernel calls follow with properties of their own. */
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
static bool is_name(const char *s, const char *end, const char *name, char closing)
{
    size_t length = strlen(name);
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

/* The number before `unit` in one item of a list, "8192 bytes smem"; "8+4 bytes smem" is 12. */
static bool read_item(struct line item, const char *unit, uint32_t *value)
{
    const char *s = item.start;
    while (s < item.end && !isdigit((unsigned char)*s))
        s++;
    uint32_t n, more = 0;
    s = read_number(s, item.end, &n);
    if (s && s < item.end && *s == '+')
        s = read_number(s + 1, item.end, &more);
    if (!s || more > UINT32_MAX - n || !is_name(s, item.end, unit, 0))
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

static bool read_refusal(struct line line, const char *entry, struct smc_resources *out)
{
    const char *name = after(line, "Entry function '");
    const char *s = after(line, "uses too much shared data (");
    if (!name || !s || !is_name(name, line.end, entry, '\''))
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

enum smc_ptxas_reading smc_ptxas_log_read(const char *log, const char *entry,
                                          struct smc_resources *out, bool *has_barriers)
{
    struct line line;
    bool in_entry = false, in_properties = false, found = false;
    *has_barriers = false;
    while (next_line(&log, &line)) {
        if (read_refusal(line, entry, out))
            return SMC_PTXAS_REFUSED;
        const char *s = after(line, "Compiling entry function '");
        if (s)
            in_entry = is_name(s, line.end, entry, '\'');
        if (!in_entry)
            continue;
        s = after(line, "Function properties for ");
        if (s)
            in_properties = is_name(s, line.end, entry, 0);
        if (in_properties && after(line, "bytes stack frame")) {
            read_list(line.start, line.end, " bytes stack frame", &out->stack_bytes);
            read_list(line.start, line.end, " bytes spill stores", &out->spill_store_bytes);
            read_list(line.start, line.end, " bytes spill loads", &out->spill_load_bytes);
        }
        s = after(line, ": Used ");
        if (s && !found && read_list(s, line.end, " registers", &out->regs_per_thread)) {
            found = true;
            read_list(s, line.end, " bytes smem", &out->static_smem_bytes);
            *has_barriers = read_list(s, line.end, " barriers", &out->barriers);
        }
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
        if (is_name(s, line.end, file, '('))
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
