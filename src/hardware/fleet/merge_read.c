/* Reads run reports from JSON; a line in `problems` explains each that cannot be read. */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/platform.h"
#include "base/text.h"
#include "hardware/merge.h"

enum { SMC_LONGEST_QUESTION = 4096 };

/* --- Documents -------------------------------------------------------------------------------- */

enum {
    /* Each unclosed document is searched to the end of the text; after this many, the rest counts
       as one document. */
    MOST_UNCLOSED = 16,
    /* This many bytes suffice to recognize what kind of text it is. */
    LOOKED_AT = 512,
};

static const char mark[] = "\xEF\xBB\xBF"; /* of a text in UTF-8 */

static const struct {
    const char *name;
    size_t length;
    const char *bytes;
} beginnings[] = {
    {"compressed by zstd", 4, "\x28\xb5\x2f\xfd"},
    {"compressed by xz", 6,
     "\xfd"
     "7zXZ"},
    {"compressed by bzip2", 3, "BZh"},
    {"a ZIP archive", 4, "PK\x03\x04"},
    {"UTF-16", 2, "\xff\xfe"},
    {"UTF-16", 2, "\xfe\xff"},
    {"UTF-16", 2, "{\0"},
    {"UTF-16", 2, "[\0"},
};

static bool merge_read_is_control(char c)
{
    return (unsigned char)c < ' ' && !strchr("\t\n\f\r", c);
}

/* JSON has no control characters. But a control character after a bracket may be a fault of a
   single document, unless it is one that no text contains. */
const char *smc_documents_foreign(const char *text, size_t length)
{
    size_t looked_at = length < LOOKED_AT ? length : LOOKED_AT;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (length >= beginnings[i].length &&
            memcmp(text, beginnings[i].bytes, beginnings[i].length) == 0)
            return beginnings[i].name;
    bool bracket = length > 0 && (*text == '{' || *text == '[');
    for (size_t i = 0; i < looked_at; i++)
        if (text[i] == '\0' || (!bracket && merge_read_is_control(text[i])))
            return "not text";
    return NULL;
}

/* A position in a JSON document: how many brackets are open, and whether it is in a string. */
struct position {
    size_t depth;
    bool quoted, escaped;
};

static void step_over(struct position *position, char c)
{
    if (position->escaped)
        position->escaped = false;
    else if (c == '"')
        position->quoted = !position->quoted && position->depth > 0;
    else if (position->quoted)
        position->escaped = c == '\\';
    else if (c == '{' || c == '[')
        position->depth++;
    else if (c == '}' || c == ']')
        position->depth -= position->depth > 0;
}

/* The length of the document at `text`, up to its closing bracket; 0 if the brackets do not
   close. */
static size_t merge_read_measure(const char *text, size_t length, bool *too_deep)
{
    struct position position = {0};
    for (size_t i = 0; i < length; i++) {
        step_over(&position, text[i]);
        *too_deep |= position.depth > SMC_DEEPEST_DOCUMENT;
        if (position.depth == 0)
            return i + 1;
    }
    return 0;
}

/* The length up to the next line that begins with `first`, or up to any next line if it is 0. */
static size_t up_to_line(const char *text, size_t length, char first)
{
    for (size_t i = 1; i < length; i++)
        if (text[i - 1] == '\n' && (!first || text[i] == first))
            return i;
    return length;
}

bool smc_documents_next(struct smc_documents *documents, struct smc_document *out)
{
    const char *text = documents->text;
    if (documents->at == 0 && documents->length >= sizeof mark - 1 &&
        memcmp(text, mark, sizeof mark - 1) == 0)
        documents->at = sizeof mark - 1;
    while (documents->at < documents->length && strchr(" \t\r\n", text[documents->at]) &&
           text[documents->at])
        documents->line += text[documents->at++] == '\n';
    *out = (struct smc_document){.text = text + documents->at, .line = documents->line};
    size_t rest = documents->length - documents->at;
    if (rest == 0)
        return false;
    bool bracket = *out->text == '{' || *out->text == '[';
    if (bracket)
        out->length = merge_read_measure(out->text, rest, &out->too_deep);
    if (bracket && out->length == 0 && documents->unclosed++ >= MOST_UNCLOSED)
        out->length = rest;
    if (out->length == 0)
        out->length = up_to_line(out->text, rest, bracket ? '{' : '\0');
    documents->at += out->length;
    documents->line += smc_count_lines(out->text, out->length);
    return true;
}

/* --- What a report was asked ------------------------------------------------------------------ */

/* Members of a kernel that follow from its other members, from the compiler or from the device. */
static const char *const derived[] = {
    "name",
    "threads_per_block",
    "registers_per_thread",
    "registers_source",
    "registers_reason",
    "static_smem_bytes",
    "static_smem_source",
    "dynamic_smem_bytes",
    "dynamic_smem_source",
    "barriers_per_block",
    "stack_bytes",
    "spill_store_bytes",
    "spill_load_bytes",
    "block_dim",
    "grid_dim",
    "grid_blocks",
};

/* Members that are derived too, unless the user gave them. */
static const struct {
    const char *key, *source;
} given[] = {
    {"registers_per_thread", "registers_source"},
    {"static_smem_bytes", "static_smem_source"},
    {"dynamic_smem_bytes", "dynamic_smem_source"},
};

/* A user's kernel has no parameters to derive these from. */
static const char *const launched[] = {"block_dim", "grid_dim", "dynamic_smem_bytes"};

/* Settings of the launch that are omitted if they have these values. */
static const struct {
    const char *key, *value;
} usual[] = {
    {"carveout_percent", "-1"},  {"cache_config", "\"none\""}, {"smem_mode", "\"default\""},
    {"blocks_per_cluster", "1"}, {"virtual_resources", "0"},   {"tmem_columns_per_block", "0"},
};

static void merge_read_take(json_t *asked, const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    if (value && !json_is_null(value))
        json_object_set(asked, key, value);
}

static void merge_read_take_kernel(json_t *asked, const json_t *kernel, bool own)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)kernel, key, value)
    {
        if (!SMC_ANY(smc_is_same, key, derived))
            merge_read_take(asked, kernel, key);
    }
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        const char *source = json_string_value(json_object_get(kernel, given[i].source));
        if (source && strcmp(source, "given") == 0)
            merge_read_take(asked, kernel, given[i].key);
    }
    for (size_t i = 0; own && i < sizeof launched / sizeof *launched; i++)
        merge_read_take(asked, kernel, launched[i]);
}

static bool is_usual(const char *key, const json_t *value)
{
    bool same = false;
    for (size_t i = 0; i < sizeof usual / sizeof *usual && !same; i++) {
        if (strcmp(usual[i].key, key) != 0)
            continue;
        smc_auto_free char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        same = text && strcmp(text, usual[i].value) == 0;
    }
    return same;
}

static void merge_read_take_launch(json_t *asked, const json_t *launch)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)launch, key, value)
    {
        if (!is_usual(key, value))
            merge_read_take(asked, launch, key);
    }
}

static void merge_read_append_value(const json_t *value, struct smc_text *out)
{
    smc_auto_free char *text =
        json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    smc_text_append(out, json_is_string(value) ? json_string_value(value) : text ? text : "?");
}

static void append_sorted(const json_t *asked, struct smc_text *out)
{
    size_t count = 0;
    smc_auto_free const char **names = smc_calloc(json_object_size(asked) + 1, sizeof *names);
    const char *key;
    json_t *value;
    if (!names) {
        out->failed = true;
        return;
    }
    json_object_foreach((json_t *)asked, key, value)
    {
        names[count++] = key;
    }
    qsort(names, count, sizeof *names, smc_compare_strings);
    for (size_t i = 0; i < count; i++) {
        smc_text_append(out, i ? ", " : ": ");
        smc_text_append(out, names[i]);
        smc_text_append(out, " ");
        merge_read_append_value(json_object_get(asked, names[i]), out);
    }
}

/* Appends "matmul-tiled: tile 32, seed 1": equal texts for equal questions, whatever the order of
   the members. Values that a compiler or a device determines are not included. */
static void merge_question(const json_t *report, struct smc_text *out)
{
    const json_t *kernel = json_object_get(report, "kernel");
    const json_t *source = json_object_get(report, "source");
    const char *name = json_string_value(json_object_get(kernel, "name"));
    json_auto_t *asked = json_object();
    merge_read_take_kernel(asked, kernel, source != NULL);
    merge_read_take_launch(asked, json_object_get(report, "launch"));
    merge_read_take(asked, json_object_get(report, "run"), "seed");
    merge_read_take(asked, source, "entry");
    merge_read_take(asked, source, "arguments");
    smc_text_append(out, name ? name : "?");
    append_sorted(asked, out);
    if (out->data)
        smc_utf8_make_safe(out->data);
}

/* --- Reports ---------------------------------------------------------------------------------- */

/* Far more than the runs of one machine need, and far less than would exhaust memory. */
enum { LARGEST_DOCUMENT_BYTES = SMC_LARGEST_DOCUMENT_MIB << 20, MOST_PROBLEMS = 10 };

static const char *const source_names[SMC_SOURCE_COUNT] = {
    [SMC_SOURCE_PREDICTED] = "predicted",
    [SMC_SOURCE_API] = "api",
    [SMC_SOURCE_EMULATED] = "emulated",
    [SMC_SOURCE_MEASURED] = "measured",
};

struct merge_reader {
    struct smc_merge *merge;
    const char *file;
    size_t line; /* of the document */
    struct smc_text *problems;
    size_t problem_count, strange_lines, incomplete;
    bool lenient; /* lines that are not documents are noted; they are not problems */
    struct smc_check_reader *checks;
    bool out_of_memory;
};

static void merge_read_tell(struct merge_reader *reader, size_t line, const char *what)
{
    if (reader->problem_count++ < MOST_PROBLEMS)
        smc_text_safe_line(reader->problems, "%s:%zu: %s", reader->file, line, what);
}

static void merge_read_copy_text(const json_t *object, const char *key, char *out, size_t size)
{
    const char *text = json_string_value(json_object_get(object, key));
    snprintf(out, size, "%s", text ? text : "");
    smc_utf8_make_safe(out);
}

static void copy_identity(const json_t *object, struct smc_merge_report *report)
{
    const json_t *device = json_object_get(object, "device"), *run = json_object_get(object, "run");
    merge_read_copy_text(device, "name", report->device, sizeof report->device);
    merge_read_copy_text(device, "compute_capability", report->cc, sizeof report->cc);
    merge_read_copy_text(run, "host", report->host, sizeof report->host);
    merge_read_copy_text(run, "node", report->node, sizeof report->node);
    const json_t *rank = json_object_get(run, "rank");
    json_int_t number = json_is_integer(rank) ? json_integer_value(rank) : -1;
    report->rank = number >= 0 && number < INT32_MAX ? (int32_t)number : -1;
    merge_read_copy_text(run, "gpu_uuid", report->gpu_uuid, sizeof report->gpu_uuid);
    merge_read_copy_text(run, "driver", report->driver, sizeof report->driver);
    const json_t *index = json_object_get(object, "gpu_index"); /* of --gpu all */
    if (!report->device[0] && json_is_integer(index))
        snprintf(report->device, sizeof report->device, "GPU %lld",
                 (long long)json_integer_value(index));
}

static bool merge_copy_row(const json_t *object, struct smc_merge_row *row)
{
    const char *quantity = json_string_value(json_object_get(object, "quantity"));
    const char *verdict = json_string_value(json_object_get(object, "verdict"));
    if (!quantity || !*quantity || strlen(quantity) >= sizeof row->quantity || !verdict)
        return false;
    merge_read_copy_text(object, "quantity", row->quantity, sizeof row->quantity);
    merge_read_copy_text(object, "unit", row->unit, sizeof row->unit);
    const bool is_old = json_is_string(json_object_get(object, "predicted"));
    merge_read_copy_text(object, is_old ? "predicted" : "predicted_text", row->words,
                         sizeof row->words);
    row->confirmed = strcmp(verdict, "confirmed") == 0;
    row->differs = strcmp(verdict, "differs") == 0;
    for (int i = 0; i < SMC_SOURCE_COUNT; i++) {
        const json_t *value = json_object_get(object, source_names[i]);
        bool words = i == SMC_SOURCE_PREDICTED && json_is_string(value);
        if (value && !json_is_null(value) && !json_is_number(value) && !words)
            return false;
        row->seen[i].present = json_is_number(value);
        row->seen[i].value = json_number_value(value);
    }
    return true;
}

static bool merge_read_copy_rows(const json_t *list, struct smc_merge_report *report, char *why,
                                 size_t size)
{
    size_t count = json_array_size(list);
    if (!json_is_array(list) || count == 0 || count > SMC_MOST_MERGED_ROWS) {
        snprintf(why, size, "key 'confirmation': not a list of 1 to %d quantities",
                 SMC_MOST_MERGED_ROWS);
        return false;
    }
    report->row = smc_calloc(count, sizeof *report->row);
    for (; report->row && report->row_count < count; report->row_count++)
        if (!merge_copy_row(json_array_get(list, report->row_count),
                            &report->row[report->row_count])) {
            snprintf(
                why, size,
                "key 'confirmation': element %zu is not a quantity with a name and with numbers or "
                "nulls as its values",
                report->row_count + 1);
            return false;
        }
    return report->row != NULL;
}

static bool copy_question(const json_t *object, struct smc_merge_report *report, char *why,
                          size_t size)
{
    struct smc_text question = {0};
    if (!json_is_object(json_object_get(object, "kernel"))) {
        snprintf(why, size, "key 'kernel': not there, or no object");
        return false;
    }
    merge_question(object, &question);
    report->question = question.data; /* malloc's */
    if (question.length > SMC_LONGEST_QUESTION)
        snprintf(why, size, "key 'kernel': longer than that of any run");
    return !question.failed && question.length <= SMC_LONGEST_QUESTION;
}

/* Adds a zeroed report; NULL if there is not enough memory. */
static struct smc_merge_report *merge_read_add(struct merge_reader *reader)
{
    struct smc_merge *merge = reader->merge;
    if (!smc_make_room(&merge->report, merge->count, &merge->capacity, sizeof *merge->report)) {
        reader->out_of_memory = true;
        return NULL;
    }
    struct smc_merge_report *report = &merge->report[merge->count];
    *report = (struct smc_merge_report){
        .file = reader->file, .line = reader->line, .index = merge->count};
    return report;
}

static void release(struct smc_merge_report *report)
{
    free(report->question);
    free(report->row);
}

static int hash_part(const char *text, size_t length, void *hash)
{
    uint64_t *whole = hash;
    *whole = smc_hash(*whole, text, length);
    return 0;
}

/* `why` receives what is wrong with the object; it stays empty if memory ran out. */
static bool merge_read_fill(const json_t *object, struct smc_merge_report *report, char *why,
                            size_t size)
{
    const json_t *error = json_object_get(object, "error");
    const json_t *rows = json_object_get(object, "confirmation");
    if (rows)
        return copy_question(object, report, why, size) &&
               merge_read_copy_rows(rows, report, why, size);
    if (json_is_object(error))
        return true;
    if (error && !json_is_null(error)) {
        snprintf(why, size, "key 'error' is not an object");
        return false;
    }
    snprintf(why, size,
             "no report of a run: key 'confirmation' is missing ('%s run --format "
             "json' has it)",
             smc_program_name());
    return false;
}

/* Without these members, reports of the same GPU or of the same question cannot be recognized. */
static void note_missing(struct merge_reader *reader, const json_t *object)
{
    const json_t *run = json_object_get(object, "run");
    bool host = json_is_string(json_object_get(run, "host"));
    bool seed = json_is_integer(json_object_get(run, "seed"));
    const char *missing = !run ? "'run'" : !host ? "'run.host'" : "'run.seed'";
    if ((host && seed) || reader->incomplete++ > 0)
        return;
    smc_text_safe_line(
        reader->problems, "%s:%zu: warning: key %s is missing: %s", reader->file, reader->line,
        missing, seed ? "taken for a GPU of its own" : "held against no report that has a seed");
}

/* Adds one run, or one failed GPU with what it observed before it failed. */
static void add_report(struct merge_reader *reader, const json_t *object)
{
    char why[128] = "";
    if (reader->merge->count == SMC_MOST_MERGED_REPORTS) {
        snprintf(why, sizeof why, "no more than %d reports are merged", SMC_MOST_MERGED_REPORTS);
        merge_read_tell(reader, reader->line, why);
        return;
    }
    struct smc_merge_report *report = merge_read_add(reader);
    if (!report)
        return;
    const json_t *error = json_object_get(object, "error");
    copy_identity(object, report);
    report->contents = SMC_HASH_START;
    json_dump_callback(object, hash_part, &report->contents, JSON_COMPACT | JSON_SORT_KEYS);
    merge_read_copy_text(error, "message", report->error, sizeof report->error);
    if (json_is_object(error) && !report->error[0])
        snprintf(report->error, sizeof report->error, "not said");
    bool taken = merge_read_fill(object, report, why, sizeof why);
    reader->merge->count += taken;
    reader->out_of_memory |= !taken && !why[0];
    if (taken && report->question)
        note_missing(reader, object);
    if (!taken) {
        release(report);
        merge_read_tell(reader, reader->line, why);
    }
}

static bool has_schema(const json_t *object)
{
    const json_t *schema = json_object_get(object, "schema");
    const char *text = json_string_value(schema);
    return !schema || (text && strcmp(text, "smemcalc/1") == 0);
}

static bool is_check(const json_t *object)
{
    const char *command = json_string_value(json_object_get(object, "command"));
    return command && strcmp(command, "check") == 0;
}

static void merge_read_add_value(struct merge_reader *reader, const json_t *value);

static void merge_read_add_list(struct merge_reader *reader, const json_t *list)
{
    size_t i;
    json_t *element;
    json_array_foreach(list, i, element)
    {
        if (reader->out_of_memory)
            return;
        merge_read_add_value(reader, element);
    }
}

/* The recursion is limited by the nesting depth of a document. */
static void merge_read_add_value(struct merge_reader *reader, const json_t *value)
{
    const json_t *runs = json_object_get(value, "runs");
    if (json_is_array(value)) {
        merge_read_add_list(reader, value);
    } else if (!json_is_object(value)) {
        merge_read_tell(reader, reader->line, "an element of a list is not an object");
    } else if (!has_schema(value)) {
        merge_read_tell(reader, reader->line, "key 'schema': only \"smemcalc/1\" can be read");
    } else if (is_check(value)) {
        reader->checks->line = reader->line;
        smc_checks_read_object(reader->checks, value, NULL);
        reader->out_of_memory |= reader->checks->out_of_memory;
    } else if (json_is_array(runs)) {
        merge_read_add_list(reader, runs);
    } else if (json_object_get(value, "comparison")) {
        merge_read_tell(reader, reader->line,
                        "of run --compare or of a range: only single runs are merged");
    } else {
        add_report(reader, value);
        merge_read_add_list(reader, json_object_get(value, "besides"));
    }
}

/* "all.json:3: note: not a report: srun: error: n3: task 2: Killed" */
static void note_line(struct merge_reader *reader, const struct smc_document *document)
{
    enum { SHOWN = 80 };
    size_t length = document->length;
    while (length > 0 && (document->text[length - 1] == '\n' || document->text[length - 1] == '\r'))
        length--;
    smc_text_safe_line(reader->problems, "%s:%zu: note: not a report: %.*s%s", reader->file,
                       document->line, (int)(length < SHOWN ? length : SHOWN), document->text,
                       length > SHOWN ? "..." : "");
}

static void read_strange(struct merge_reader *reader, const struct smc_document *document)
{
    bool first = reader->strange_lines++ == 0;
    if (first && reader->lenient)
        note_line(reader, document);
    else if (first)
        merge_read_tell(reader, document->line, "neither an object nor a list of JSON");
}

static void read_document(struct merge_reader *reader, const struct smc_document *document)
{
    json_error_t problem;
    char why[256];
    reader->line = document->line;
    if (*document->text != '{' && *document->text != '[') {
        read_strange(reader, document);
        return;
    }
    if (document->too_deep) {
        snprintf(why, sizeof why, "more than %d brackets deep, as no report is",
                 SMC_DEEPEST_DOCUMENT);
        merge_read_tell(reader, document->line, why);
        return;
    }
    if (document->length > LARGEST_DOCUMENT_BYTES) {
        snprintf(why, sizeof why,
                 "larger than %d MiB, the most that is read at once; give the reports of a list "
                 "one after another, as jq -c '.[]' prints them",
                 SMC_LARGEST_DOCUMENT_MIB);
        merge_read_tell(reader, document->line, why);
        return;
    }
    json_auto_t *root =
        json_loadb(document->text, document->length, JSON_REJECT_DUPLICATES, &problem);
    if (!root) {
        snprintf(why, sizeof why, "column %d: %s", problem.column, problem.text);
        merge_read_tell(reader, document->line + (problem.line > 0 ? (size_t)problem.line - 1 : 0),
                        why);
        return;
    }
    merge_read_add_value(reader, root);
}

static void tell_counts(struct merge_reader *reader, bool nothing)
{
    struct smc_text *problems = reader->problems;
    bool all_strange = reader->problem_count == 1 && nothing;
    if (reader->strange_lines > 1 && reader->lenient)
        smc_text_safe_line(problems, "%s: note: %zu more line%s that are no reports", reader->file,
                           reader->strange_lines - 1, reader->strange_lines > 2 ? "s" : "");
    else if (reader->strange_lines > 1 && !all_strange)
        smc_text_safe_line(problems, "%s: %zu more lines that are neither", reader->file,
                           reader->strange_lines - 1);
    if (reader->incomplete > 1)
        smc_text_safe_line(problems, "%s: warning: %zu more report%s with such a key missing",
                           reader->file, reader->incomplete - 1, reader->incomplete > 2 ? "s" : "");
    size_t told = reader->problem_count, more = told > MOST_PROBLEMS ? told - MOST_PROBLEMS : 0;
    told = reader->checks->problem_count;
    more += told > MOST_PROBLEMS ? told - MOST_PROBLEMS : 0;
    if (more > 0)
        smc_text_safe_line(problems, "%s: %zu more of such problems", reader->file, more);
}

static void read_documents(struct merge_reader *reader, const char *text, size_t length,
                           size_t line)
{
    struct smc_documents documents = {.text = text, .length = length, .line = line};
    struct smc_document document;
    while (!reader->out_of_memory && smc_documents_next(&documents, &document))
        read_document(reader, &document);
}

/* --- Lines ------------------------------------------------------------------------------------ */

static bool is_label_character(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           strchr("._-", c);
}

/* The label that begins at the '[' of `at`. */
static size_t bracketed_label(const char *line, size_t length, size_t at)
{
    size_t end = at;
    while (end < length && !strchr("]\"{}\n", line[end]))
        end++;
    if (end == length || line[end] != ']' || end == at + 1)
        return 0;
    end++;
    if (end < length && line[end] == '<')
        while (end < length && line[end] != ':' && line[end] != '\n')
            end++;
    end += end < length && line[end] == ':';
    if (end == length || (line[end] != ' ' && line[end - 1] != ':'))
        return 0;
    return end + (line[end] == ' ');
}

/* The length of what a tool put before the line to name a process: "3: ", "node1: ",
   "[1,3]<stdout>:", "[3] "; 0: nothing. No line of JSON begins so. */
static size_t label_length(const char *line, size_t length)
{
    size_t at = 0;
    while (at < length && line[at] == ' ')
        at++;
    if (at < length && line[at] == '[')
        return bracketed_label(line, length, at);
    size_t end = at;
    while (end < length && line[end] && is_label_character(line[end]))
        end++;
    return end > at && end + 1 < length && line[end] == ':' && line[end + 1] == ' ' ? end + 2 : 0;
}

/* Remembers a line that has a label. */
static void keep_labelled(struct smc_merge_input *input, const char *line, size_t length,
                          size_t label)
{
    if (!smc_make_room(&input->labelled, input->labelled_count, &input->labelled_capacity,
                       sizeof *input->labelled)) {
        input->rest.failed = true;
        return;
    }
    input->labelled[input->labelled_count++] =
        (struct smc_labelled_line){.label = smc_hash(SMC_HASH_START, line, label),
                                   .label_length = label,
                                   .at = input->lines_text.length,
                                   .length = length,
                                   .line = input->lines};
    smc_text_append_bytes(&input->lines_text, line, length);
}

static int by_label(const void *a, const void *b)
{
    const struct smc_labelled_line *s = a, *t = b;
    int order = (s->label > t->label) - (s->label < t->label);
    return order ? order : (s->line > t->line) - (s->line < t->line);
}

static int by_first(const void *a, const void *b)
{
    const struct smc_labelled_line *s = a, *t = b;
    int order = (s->first > t->first) - (s->first < t->first);
    return order ? order : (s->line > t->line) - (s->line < t->line);
}

/* Puts the lines of each process together, and the processes in the order in which they began. */
static void sort_labelled(struct smc_labelled_line *lines, size_t count)
{
    qsort(lines, count, sizeof *lines, by_label);
    for (size_t i = 0; i < count; i++) {
        bool more = i > 0 && lines[i].label == lines[i - 1].label;
        lines[i].first = more ? lines[i - 1].first : lines[i].line;
    }
    qsort(lines, count, sizeof *lines, by_first);
}

/* A document of one process, whose lines have a label. */
struct labelled_document {
    struct smc_text text; /* begins with the label */
    size_t label_length, line;
    struct position position;
};

static void end_document(struct merge_reader *reader, struct labelled_document *document)
{
    const char *text = smc_text_string(&document->text);
    const size_t length = document->text.length, label = document->label_length;
    size_t start;
    reader->out_of_memory |= document->text.failed;
    if (length > label && smc_checks_find(text, length, &start)) {
        reader->checks->line = document->line;
        smc_checks_read_line(reader->checks, text, length);
    } else if (length > label) {
        read_documents(reader, text + label, length - label, document->line);
    }
    smc_text_cut(&document->text, label);
    document->position = (struct position){0};
}

/* Adds a line without its label. Line feeds within a document are left out: srun -l puts one after
   each KiB. A report that begins while another is open says that the other is cut off. */
static void add_piece(struct merge_reader *reader, struct labelled_document *document,
                      const struct smc_document *line)
{
    static const char beginning[] = "{\"schema\"";
    const char *text = line->text + document->label_length;
    size_t length = line->length - document->label_length;
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r'))
        length--;
    if (length >= sizeof beginning - 1 && memcmp(text, beginning, sizeof beginning - 1) == 0)
        end_document(reader, document);
    for (size_t at = 0, first = 0; at < length; at++) {
        if (document->position.depth == 0 && strchr(" \t", text[at]) && text[at]) {
            first = at + 1;
            continue;
        }
        if (document->position.depth == 0 && text[at] != '{' && text[at] != '[') {
            read_strange(reader, line);
            return;
        }
        if (document->position.depth == 0)
            document->line = line->line;
        step_over(&document->position, text[at]);
        if (document->position.depth > 0 && at + 1 < length)
            continue;
        smc_text_append_bytes(&document->text, text + first, at + 1 - first);
        first = at + 1;
        if (document->position.depth == 0)
            end_document(reader, document);
    }
}

static void merge_read_process(struct merge_reader *reader, const struct smc_merge_input *input,
                               const struct smc_labelled_line *lines, size_t count)
{
    const char *text = smc_text_string(&input->lines_text);
    struct labelled_document document = {.label_length = lines->label_length};
    smc_text_append_bytes(&document.text, text + lines->at, lines->label_length);
    for (size_t i = 0; i < count; i++)
        add_piece(
            reader, &document,
            &(struct smc_document){text + lines[i].at, lines[i].length, lines[i].line, false});
    end_document(reader, &document);
    smc_text_free(&document.text);
}

static void read_labelled(struct merge_reader *reader, struct smc_merge_input *input)
{
    if (input->labelled_count == 0)
        return;
    sort_labelled(input->labelled, input->labelled_count);
    for (size_t i = 0, end; i < input->labelled_count; i = end) {
        for (end = i + 1;
             end < input->labelled_count && input->labelled[end].first == input->labelled[i].first;)
            end++;
        merge_read_process(reader, input, &input->labelled[i], end - i);
    }
}

/* Reads what is not a line with the report of a check. */
static enum smc_status merge_read_rest(struct merge_reader *reader, struct smc_merge_input *input)
{
    const char *text = smc_text_string(&input->rest);
    const struct smc_check_reader *checks = reader->checks;
    size_t before = reader->merge->count;
    const char *foreign = smc_documents_foreign(text, input->rest.length);
    reader->lenient = reader->merge->only_checks || input->has_checks;
    if (foreign && !input->has_checks) {
        smc_text_safe_line(reader->problems, "%s: %s; reports are JSON in UTF-8", reader->file,
                           foreign);
        return SMC_USAGE;
    }
    read_labelled(reader, input);
    read_documents(reader, text, input->rest.length, 1);
    if (reader->out_of_memory || checks->out_of_memory)
        return SMC_MACHINE;
    bool nothing = reader->merge->count == before && checks->found == 0;
    if (reader->problem_count + checks->problem_count == 0 && nothing &&
        !reader->merge->only_checks)
        merge_read_tell(reader, 1, "no report");
    tell_counts(reader, nothing);
    return reader->problem_count + checks->problem_count > 0 ? SMC_USAGE : SMC_OK;
}

/* Whether the document that begins at `start` goes on after the line. */
static bool goes_on(const char *line, size_t length, size_t start)
{
    bool too_deep = false;
    return merge_read_measure(line + start, length - start, &too_deep) == 0;
}

static void merge_read_line(struct smc_merge_input *input, const char *line, size_t length)
{
    size_t start = 0, label = label_length(line, length);
    bool of_check = smc_checks_find(line, length, &start);
    input->lines++;
    input->has_checks |= of_check;
    if (of_check && !(label > 0 && goes_on(line, length, start))) {
        input->checks.line = input->lines;
        smc_checks_read_line(&input->checks, line, length);
        smc_text_append(&input->rest, "\n"); /* so that the lines after it keep their numbers */
        return;
    }
    if (label > 0)
        keep_labelled(input, line, length, label);
    smc_text_append_bytes(&input->rest, label ? "\n" : line, label ? 1 : length);
}

static void begin(struct smc_merge_input *input)
{
    input->checks.checks = &input->merge->checks;
    input->checks.file = input->file;
    input->checks.problems = input->problems;
}

enum smc_status smc_merge_feed(struct smc_merge_input *input, const char *bytes, size_t count,
                               struct smc_error *error)
{
    const char *end = bytes + count, *next;
    begin(input);
    while (!input->checks.out_of_memory && (next = memchr(bytes, '\n', (size_t)(end - bytes)))) {
        size_t length = (size_t)(next + 1 - bytes);
        if (input->line.length > 0) {
            smc_text_append_bytes(&input->line, bytes, length);
            merge_read_line(input, smc_text_string(&input->line), input->line.length);
            smc_text_free(&input->line);
        } else {
            merge_read_line(input, bytes, length);
        }
        bytes = next + 1;
    }
    smc_text_append_bytes(&input->line, bytes, (size_t)(end - bytes));
    if (input->line.failed || input->rest.failed || input->lines_text.failed ||
        input->checks.out_of_memory)
        return smc_out_of_memory(error);
    if (input->line.length + input->rest.length + input->lines_text.length >
        SMC_LARGEST_INPUT_BYTES)
        return smc_fail(error, SMC_USAGE,
                        "%s: larger than %d bytes; split its reports into several files",
                        input->file, SMC_LARGEST_INPUT_BYTES);
    return SMC_OK;
}

enum smc_status smc_merge_finish(struct smc_merge_input *input)
{
    struct merge_reader reader = {.merge = input->merge,
                                  .file = input->file,
                                  .problems = input->problems,
                                  .checks = &input->checks};
    begin(input);
    if (input->line.length > 0)
        merge_read_line(input, smc_text_string(&input->line), input->line.length);
    if (input->line.failed || input->rest.failed || input->lines_text.failed)
        return SMC_MACHINE;
    return merge_read_rest(&reader, input);
}

void smc_merge_input_free(struct smc_merge_input *input)
{
    smc_text_free(&input->line);
    smc_text_free(&input->rest);
    smc_text_free(&input->lines_text);
    free(input->labelled);
}

void smc_merge_free(struct smc_merge *merge)
{
    for (size_t i = 0; i < merge->count; i++)
        release(&merge->report[i]);
    free(merge->report);
    smc_checks_free(&merge->checks);
    *merge = (struct smc_merge){0};
}
