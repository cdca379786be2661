/* Reads the reports of `smemcalc check` from lines that tools may have put a prefix before. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/platform.h"
#include "base/text.h"
#include "hardware/checks.h"

/* --- Lines ------------------------------------------------------------------------------------ */

enum { LONGEST_PREFIX = 256, MOST_PROBLEMS = 10 };

static bool check_lines_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static size_t check_lines_skip_blanks(const char *text, size_t length, size_t at)
{
    while (at < length && check_lines_is_blank(text[at]))
        at++;
    return at;
}

/* Whether `"key"` at `at` is followed by a colon and `"value"`. */
static bool check_lines_is_member(const char *text, size_t length, size_t at, const char *key,
                                  const char *value)
{
    at = check_lines_skip_blanks(text, length, at + strlen(key));
    if (at == length || text[at] != ':')
        return false;
    at = check_lines_skip_blanks(text, length, at + 1);
    return length - at >= strlen(value) && memcmp(text + at, value, strlen(value)) == 0;
}

/* Whether there is a member "command":"check". It cannot be part of a string, in which each quote
   has a backslash before it. */
static bool has_command(const char *text, size_t length)
{
    static const char key[] = "\"command\"";
    const char *end = text + length, *found = text;
    while ((found = memmem(found, (size_t)(end - found), key, sizeof key - 1))) {
        if (check_lines_is_member(text, length, (size_t)(found - text), key, "\"check\""))
            return true;
        found += sizeof key - 1;
    }
    return false;
}

bool smc_checks_find(const char *line, size_t length, size_t *start)
{
    const char *bracket = memchr(line, '{', length);
    if (!bracket || bracket - line > LONGEST_PREFIX)
        return false;
    *start = (size_t)(bracket - line);
    size_t before = *start;
    while (before > 0 && check_lines_is_blank(line[before - 1]))
        before--;
    /* An element of a list is part of a document that has more lines. */
    if (before > 0 && (line[before - 1] == '[' || line[before - 1] == ','))
        return false;
    return has_command(bracket, length - *start);
}

/* The host's name that pdsh and clush put before a line; "" if it is none, such as a rank. */
static void prefix_name(const char *line, size_t length, char name[SMC_LONGEST_HOST_NAME + 1])
{
    size_t first = check_lines_skip_blanks(line, length, 0), end = first;
    bool digits = true;
    for (; end < length && line[end] != ':' && !check_lines_is_blank(line[end]); end++)
        digits &= line[end] >= '0' && line[end] <= '9';
    name[0] = '\0';
    if (digits || end == length || line[end] != ':' || end - first > SMC_LONGEST_HOST_NAME)
        return;
    memcpy(name, line + first, end - first);
    name[end - first] = '\0';
    if (!smc_host_name_is_valid(name))
        name[0] = '\0';
}

/* --- Problems --------------------------------------------------------------------------------- */

static void check_lines_tell(struct smc_check_reader *reader, const char *what)
{
    if (reader->problem_count++ < MOST_PROBLEMS)
        smc_text_safe_line(reader->problems, "%s:%zu: %s", reader->file, reader->line, what);
}

/* Keeps the beginning of a text, safe for a terminal. */
static uint32_t check_lines_keep(struct smc_checks *checks, const char *text, size_t longest)
{
    char kept[SMC_LONGEST_FAULT + 1];
    snprintf(kept, longest < sizeof kept ? longest + 1 : sizeof kept, "%s", text);
    smc_utf8_make_safe(kept);
    return smc_checks_keep(checks, kept);
}

/* Fails a node, keeping the first reason. */
static void fail_node(struct smc_check_reader *reader, const char *name, const char *why)
{
    struct smc_checks *checks = reader->checks;
    size_t node = smc_checks_node(checks, name);
    if (node == SIZE_MAX)
        reader->out_of_memory = true;
    else if (!checks->node[node].error)
        checks->node[node].error = check_lines_keep(checks, why, SMC_LONGEST_FAULT);
}

/* The value of the first member `"key"` with a string, if it is a host's name. */
static bool check_lines_find_name(const char *text, size_t length, const char *key,
                                  char name[SMC_LONGEST_HOST_NAME + 1])
{
    const char *found = memmem(text, length, key, strlen(key));
    if (!found || !check_lines_is_member(text, length, (size_t)(found - text), key, "\""))
        return false;
    const char *end_of_text = text + length, *value = found + strlen(key);
    value = memchr(value, '"', (size_t)(end_of_text - value));
    const char *end = memchr(value + 1, '"', (size_t)(end_of_text - value - 1));
    if (!end || end - value - 1 > SMC_LONGEST_HOST_NAME)
        return false;
    memcpy(name, value + 1, (size_t)(end - value - 1));
    name[end - value - 1] = '\0';
    return smc_host_name_is_valid(name);
}

/* A report that ends too early is one of a node that died while it wrote. */
static void read_cut(struct smc_check_reader *reader, const char *text, size_t length,
                     const char *prefix)
{
    char name[SMC_LONGEST_HOST_NAME + 1];
    reader->found++;
    if (!check_lines_find_name(text, length, "\"node\"", name) &&
        !check_lines_find_name(text, length, "\"host\"", name))
        snprintf(name, sizeof name, "%s", prefix);
    if (!name[0]) {
        check_lines_tell(reader, "a report that is cut off before it names its node");
        return;
    }
    if (reader->cut++ < MOST_PROBLEMS)
        smc_text_safe_line(reader->problems, "%s:%zu: the report of %s is cut off", reader->file,
                           reader->line, name);
    fail_node(reader, name, "its report is cut off");
}

void smc_checks_read_line(struct smc_check_reader *reader, const char *line, size_t length)
{
    static const char beginning[] = "{\"schema\"";
    char prefix[SMC_LONGEST_HOST_NAME + 1];
    size_t at;
    prefix_name(line, length, prefix);
    for (bool more = smc_checks_find(line, length, &at); more && !reader->out_of_memory;) {
        json_error_t problem;
        json_auto_t *object = json_loadb(line + at, length - at,
                                         JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, &problem);
        /* Of one that is cut off, the next begins where it cannot be read any more, or just before.
         */
        size_t used = (size_t)problem.position;
        if (!object)
            used = used > 2 * sizeof beginning ? used - 2 * sizeof beginning : 1;
        const char *next =
            memmem(line + at + used, length - at - used, beginning, sizeof beginning - 1);
        size_t end = next ? (size_t)(next - line) : length;
        if (object)
            smc_checks_read_object(reader, object, prefix);
        else
            read_cut(reader, line + at, end - at, prefix);
        at = end;
        more = next != NULL;
    }
}

/* --- Reports ---------------------------------------------------------------------------------- */

static bool read_health(const json_t *object, enum smc_checked *health)
{
    const char *text = json_string_value(json_object_get(object, "verdict"));
    for (int i = 0; text && i < SMC_CHECKED_COUNT; i++)
        if (strcmp(text, smc_checked_names[i]) == 0) {
            *health = (enum smc_checked)i;
            return true;
        }
    return false;
}

static const char *check_lines_text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static int32_t check_lines_number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    json_int_t number = json_is_integer(value) ? json_integer_value(value) : -1;
    return number >= 0 && number < INT32_MAX ? (int32_t)number : -1;
}

/* "sms: 131 instead of 132 SMs", "memory: bit 5 is stuck". */
static bool append_test(const json_t *test, struct smc_text *out)
{
    const json_t *seen = json_object_get(test, "seen"), *wanted = json_object_get(test, "expected");
    const char *detail = check_lines_text_of(test, "detail");
    if (strcmp(check_lines_text_of(test, "verdict"), "fail") != 0)
        return false;
    smc_text_printf(out, "%s: ", check_lines_text_of(test, "name"));
    if (detail[0])
        smc_text_append(out, detail);
    else if (json_is_number(seen) && json_is_number(wanted))
        smc_text_printf(out, "%.10g instead of %.10g %s", json_number_value(seen),
                        json_number_value(wanted), check_lines_text_of(test, "unit"));
    else
        smc_text_append(out, "failed");
    return true;
}

/* Why the GPU is not healthy: its error, its first fault, or the first failed test. */
static void check_lines_append_fault(const json_t *gpu, struct smc_text *out)
{
    const json_t *faults = json_object_get(gpu, "faults"), *tests = json_object_get(gpu, "tests");
    const char *error = check_lines_text_of(gpu, "error");
    const char *detail = check_lines_text_of(json_array_get(faults, 0), "detail");
    if (error[0]) {
        smc_text_append(out, error);
        return;
    }
    smc_text_append(out, detail);
    for (size_t i = 0; !detail[0] && i < json_array_size(tests); i++)
        if (append_test(json_array_get(tests, i), out))
            break;
    if (out->length == 0)
        smc_text_append(out, "the report does not say why");
    if (json_array_size(faults) > 1)
        smc_text_printf(out, " (and %zu more)", json_array_size(faults) - 1);
}

/* The index of the board, which is added if it is new; an instance of MIG is another board than the
   whole GPU. False: there are too many. */
static bool check_lines_find_board(struct smc_checks *checks, const json_t *object, uint32_t *board)
{
    char name[128];
    bool mig = strcmp(check_lines_text_of(object, "mode"), "mig") == 0;
    snprintf(name, sizeof name, "%s", check_lines_text_of(object, "name"));
    smc_utf8_make_safe(name);
    for (*board = 0; *board < checks->board_count; (*board)++) {
        const struct smc_board *known = &checks->board[*board];
        if (known->mig == mig && strcmp(smc_checks_text(checks, known->name), name) == 0)
            return true;
    }
    if (checks->board_count == SMC_MOST_BOARDS)
        return false;
    checks->board[checks->board_count++] =
        (struct smc_board){.name = smc_checks_keep(checks, name), .mig = mig};
    return true;
}

static uint64_t identity_of(const struct smc_checked_gpu *gpu, const char *uuid)
{
    char text[64];
    if (uuid[0])
        return smc_hash(SMC_HASH_START, uuid, strlen(uuid));
    int length = snprintf(text, sizeof text, "%d %d", (int)gpu->rank, (int)gpu->gpu_index);
    return smc_hash(SMC_HASH_START, text, (size_t)length);
}

static void read_figures(const json_t *figures, float figure[SMC_CHECK_FIGURE_COUNT])
{
    for (int i = 0; i < SMC_CHECK_FIGURE_COUNT; i++) {
        const json_t *value = json_object_get(figures, smc_check_figures[i].key);
        double number = json_is_number(value) ? json_number_value(value) : NAN;
        figure[i] = number > 0 && number < 1e30 ? (float)number : NAN;
    }
}

/* Adds a GPU of a report. Returns what is wrong with it, or NULL. */
static const char *check_lines_read_gpu(struct smc_check_reader *reader, const json_t *object,
                                        size_t node, int32_t rank)
{
    struct smc_checks *checks = reader->checks;
    enum smc_checked health;
    uint32_t board;
    if (!json_is_object(object) || !read_health(object, &health))
        return "key 'gpus': the verdict of an element is not healthy, differs or failed";
    if (!check_lines_find_board(checks, object, &board))
        return "more kinds of GPUs than can be merged";
    if (checks->gpu_count == SMC_MOST_CHECKED_GPUS)
        return "more GPUs than can be merged";
    struct smc_checked_gpu *gpu = smc_checks_add_gpu(checks);
    if (!gpu) {
        reader->out_of_memory = true;
        return NULL;
    }
    gpu->node = (uint32_t)node;
    gpu->board = board;
    gpu->line = (uint32_t)reader->line;
    gpu->rank = rank;
    gpu->gpu_index = check_lines_number_of(object, "gpu_index");
    gpu->health = health;
    gpu->uuid =
        check_lines_keep(checks, check_lines_text_of(object, "gpu_uuid"), SMC_GPU_UUID_CHARS - 1);
    gpu->identity = identity_of(gpu, smc_checks_text(checks, gpu->uuid));
    read_figures(json_object_get(object, "figures"), gpu->figure);
    if (health != SMC_CHECKED_HEALTHY) {
        smc_auto_text fault = {0};
        check_lines_append_fault(object, &fault);
        gpu->fault = check_lines_keep(checks, smc_text_string(&fault), SMC_LONGEST_FAULT);
    }
    return NULL;
}

/* SLURMD_NODENAME, else the host's name, else what a tool put before the line. NULL, with the
   reason in `why`, if that is not the name of a host. */
static const char *node_name(const json_t *object, const char *prefix, char why[192])
{
    static const char *const keys[] = {"node", "host"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *name = check_lines_text_of(object, keys[i]);
        if (name[0] && smc_host_name_is_valid(name))
            return name;
        if (name[0]) {
            snprintf(why, 192, "key '%s': '%.100s' is not a host name", keys[i], name);
            return NULL;
        }
    }
    snprintf(why, 192, "neither key 'node' nor 'host' names the machine");
    return prefix && prefix[0] ? prefix : NULL;
}

static const char *lines_check_shape(const json_t *object, enum smc_checked *health)
{
    const json_t *gpus = json_object_get(object, "gpus");
    if (strcmp(check_lines_text_of(object, "schema"), "smemcalc/1") != 0)
        return "key 'schema': only \"smemcalc/1\" can be read";
    if (!read_health(object, health))
        return "key 'verdict': only healthy, differs and failed can be read";
    if (!json_is_array(gpus) || json_array_size(gpus) > SMC_MOST_GPUS_OF_A_REPORT)
        return "key 'gpus': not a list of GPUs";
    return NULL;
}

void smc_checks_read_object(struct smc_check_reader *reader, const json_t *object,
                            const char *prefix)
{
    char why[192];
    enum smc_checked health;
    const char *wrong = lines_check_shape(object, &health);
    reader->found++;
    const char *name = wrong ? NULL : node_name(object, prefix, why);
    if (!name) {
        check_lines_tell(reader, wrong ? wrong : why);
        return;
    }
    size_t node = smc_checks_node(reader->checks, name);
    if (node == SIZE_MAX) {
        reader->out_of_memory = true;
        return;
    }
    const json_t *gpus = json_object_get(object, "gpus");
    reader->checks->reports++;
    for (size_t i = 0; !wrong && !reader->out_of_memory && i < json_array_size(gpus); i++)
        wrong = check_lines_read_gpu(reader, json_array_get(gpus, i), node,
                                     check_lines_number_of(object, "rank"));
    if (wrong)
        check_lines_tell(reader, wrong);
    if (health != SMC_CHECKED_HEALTHY && json_array_size(gpus) == 0) {
        const char *error = check_lines_text_of(object, "error");
        fail_node(reader, name, error[0] ? error : "the check failed");
    }
    reader->out_of_memory |= reader->checks->texts.failed;
}
