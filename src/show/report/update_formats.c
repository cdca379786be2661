/* smemcalc-formats(5) with the lists of members and columns that follow from the field tables:
   reads the page and rewrites it. The lines after `fields: TABLE [OBJECT]` up to `end` are the
   members of the table in that object; those of the block after `columns: TABLE` are its columns.
     update_formats < man/smemcalc-formats.5 */
#include <stdio.h>
#include <string.h>

#include "show/report/report_fields.h"
#include "show/words/words.h"

enum { LINE = 4096, MEMBER_WIDTH = 100, COLUMN_WIDTH = 72 };

static const struct smc_fields *update_formats_find_table(const char *name)
{
    const struct smc_field_table *const lists[] = {
        smc_answer_tables, smc_workload_tables, smc_inspect_tables, smc_bank_accesses_tables,
        smc_diff_tables,   smc_time_tables,     smc_tune_tables,    smc_trace_tables,
        smc_health_tables, smc_doctor_tables,   smc_exercise_tables};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct smc_field_table *table = lists[i]; table->fields; table++)
            if (strcmp(table->name, name) == 0)
                return table->fields;
    return NULL;
}

/* Words wrapped at `width`; a dash before a word is one of mdoc. */
static void print_words(const char *text, size_t width)
{
    size_t column = 0;
    while (*text) {
        size_t length = strcspn(text, " ");
        if (column > 0 && column + 1 + length > width)
            column = 0, putchar('\n');
        else if (column > 0)
            column++, putchar(' ');
        column += length;
        for (; *text == '-'; text++, length--)
            printf("\\-");
        printf("%.*s", (int)length, text);
        text += length + strspn(text + length, " ");
    }
    putchar('\n');
}

/* "a,b" becomes "a, b". */
static void print_columns(const char *names, size_t width)
{
    smc_auto_text list = {0};
    for (; *names; names++)
        smc_text_append(&list, *names == ',' ? ", " : (const char[]){*names, '\0'});
    print_words(smc_text_string(&list), width);
}

/* What follows `object` and a dot in the key; NULL for the member of another object. */
static const char *member_of(const char *key, const char *object)
{
    size_t length = strlen(object);
    if (!key || strncmp(key, object, length) != 0 || (length > 0 && key[length] != '.'))
        return NULL;
    return length > 0 ? key + length + 1 : key;
}

static void print_member(const struct smc_report_field *field, const char *name)
{
    char text[512];
    bool named = !*field->unit || strstr(name, field->unit) || strstr(field->meaning, field->unit);
    printf(".It %s\n", name);
    snprintf(text, sizeof text, "%s%s%s%s", field->meaning, named ? "" : " (",
             named ? "" : field->unit, named ? "" : ")");
    print_words(text, MEMBER_WIDTH);
}

static void print_params(void)
{
    smc_auto_text names = {0};
    char key[SMC_PARAM_KEY_CHARS];
    for (int i = 0; i < SMC_PARAM_COUNT; i++)
        smc_text_printf(&names, "%s%s", i ? "," : "", smc_words_param_key((enum smc_param)i, key));
    printf(".It parameters\nthose that the kernel accepts, each by its name:\n");
    print_columns(smc_text_string(&names), MEMBER_WIDTH);
}

static void print_fields(const struct smc_fields *fields, const char *object)
{
    printf(".Bl -tag -width registers_per_thread -compact\n");
    for (const struct smc_report_field *field = fields->row; field->meaning; field++) {
        const char *name = member_of(field->key, object);
        if (name && strcmp(name, SMC_FIELD_PARAMS) == 0)
            print_params();
        else if (name)
            print_member(field, name);
    }
    printf(".El\n");
}

/* Skips lines until one that begins with `end`, which is left in `line`. */
static bool skip_until(const char *end, char line[LINE])
{
    while (fgets(line, LINE, stdin))
        if (strncmp(line, end, strlen(end)) == 0)
            return true;
    fprintf(stderr, "update_formats: no line '%s' ends a list\n", end);
    return false;
}

/* A list is replaced after its first line has been copied. */
static bool update_formats_replace(const char *copied)
{
    char name[64], object[64] = "", line[LINE];
    const struct smc_fields *fields;
    if (sscanf(copied, ".\\\" fields: %63s %63s", name, object) >= 1) {
        fields = update_formats_find_table(name);
        if (!fields)
            return fprintf(stderr, "update_formats: unknown table '%s'\n", name), false;
        print_fields(fields, object);
        if (!skip_until(".\\\" end", line))
            return false;
        fputs(line, stdout);
    } else if (sscanf(copied, ".\\\" columns: %63s", name) == 1 &&
               (fields = update_formats_find_table(name))) {
        if (!fgets(line, sizeof line, stdin))
            return false;
        fputs(line, stdout);
        smc_auto_text head = {0};
        smc_fields_csv_head(fields, &head);
        if (head.length > 0)
            head.data[head.length - 1] = '\0'; /* the newline */
        print_columns(smc_text_string(&head), COLUMN_WIDTH);
        if (!skip_until(".Ed", line))
            return false;
        fputs(line, stdout);
    }
    return true;
}

int main(void)
{
    char line[LINE];
    while (fgets(line, sizeof line, stdin)) {
        fputs(line, stdout);
        if (!update_formats_replace(line))
            return 1;
    }
    return 0;
}
