/* The elements of a page: texts with their values, and the live blocks: tables, curves, limits,
   banks, and rows of a report. */
#include "show/lesson/lesson_blocks.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse.h"
#include "show/cli/ask_words.h"
#include "show/words/paragraphs.h"

enum { MOST_ROWS = 1024 };

/* --- Tables ----------------------------------------------------------------------------------- */

static void free_row(struct smc_lesson_row *row)
{
    for (size_t c = 0; c < row->cell_count; c++)
        smc_text_free(&row->cell[c]);
}

static void free_table(struct smc_lesson_table *table)
{
    for (size_t i = 0; i < table->row_count; i++)
        free_row(&table->row[i]);
    free(table->row);
}

/* Whether the row differs from the other only in its first cell. */
static bool block_row_continues(const struct smc_lesson_row *row,
                                const struct smc_lesson_row *other)
{
    if (row->cell_count != other->cell_count || row->bar != other->bar)
        return false;
    for (size_t c = 1; c < row->cell_count; c++)
        if (strcmp(smc_text_string(&row->cell[c]), smc_text_string(&other->cell[c])) != 0)
            return false;
    return true;
}

/* Owns the row from now on. */
static void block_add_row(struct smc_scene *scene, struct smc_lesson_table *table,
                          struct smc_lesson_row *row)
{
    struct smc_lesson_row *last = table->row_count ? &table->row[table->row_count - 1] : NULL;
    bool empty = true;
    for (size_t c = 0; c < row->cell_count; c++)
        empty = empty && row->cell[c].length == 0;
    if (empty || scene->status != SMC_OK) {
        free_row(row);
        return;
    }
    if (table->is_curve && row->is_step && last && last->is_step &&
        block_row_continues(row, last)) {
        last->to = row->to;
        free_row(row);
        return;
    }
    if (table->row_count == MOST_ROWS)
        smc_scene_fail(scene, "more than %d rows", MOST_ROWS);
    else if (!smc_make_room(&table->row, table->row_count, &table->row_capacity,
                            sizeof *table->row))
        scene->status = smc_out_of_memory(&scene->error);
    if (scene->status != SMC_OK) {
        free_row(row);
        return;
    }
    table->row[table->row_count++] = *row;
    if (row->cell_count > table->columns)
        table->columns = row->cell_count;
}

/* Appends "{bar SHARE}" as a bar, anything else as a cell. */
static void block_add_cell(struct smc_scene *scene, const char *begin, const char *end,
                           unsigned line, struct smc_lesson_row *row)
{
    static const char bar[] = "{bar ";
    while (begin < end && *begin == ' ')
        begin++;
    while (end > begin && end[-1] == ' ')
        end--;
    smc_auto_free char *text = smc_strndup(begin, (size_t)(end - begin));
    if (!text) {
        scene->status = smc_out_of_memory(&scene->error);
        return;
    }
    size_t length = strlen(text);
    scene->line = line;
    if (smc_begins(text, bar) && text[length - 1] == '}') {
        text[length - 1] = '\0';
        struct smc_lesson_value value = smc_scene_evaluate(scene, text + strlen(bar));
        row->has_bar = value.kind == SMC_LESSON_NUMBER;
        row->bar = value.number;
    } else if (row->cell_count == SMC_LESSON_MOST_CELLS) {
        smc_scene_fail(scene, "more than %d columns", SMC_LESSON_MOST_CELLS);
    } else {
        smc_scene_expand(scene, text, line, &row->cell[row->cell_count++]);
    }
}

static void block_add_line(struct smc_scene *scene, const char *text, unsigned line,
                           struct smc_lesson_table *table)
{
    struct smc_lesson_row row = {0};
    if (scene->loop && scene->loop_value.kind == SMC_LESSON_NUMBER) {
        row.is_step = true;
        row.from = row.to = scene->loop_value.number;
    }
    for (const char *end; scene->status == SMC_OK; text = end + 1) {
        end = smc_lesson_find_outside((char *)text, '|');
        block_add_cell(scene, text, end, line, &row);
        if (!*end)
            break;
    }
    block_add_row(scene, table, &row);
}

/* --- Loops: "for NAME in VALUES: QUESTION", "for each LIST: QUESTION" ---------------------------
 */

/* The lines of a block, each with its number. */
struct block_lines {
    char **line;
    unsigned first;
    size_t count;
};

struct block_loop {
    const char *name; /* NULL: of a list */
    char *values;     /* or the list */
    const char *question;
    size_t first, count; /* lines of the block that each value writes */
    unsigned line;
};

static void write_lines(struct smc_scene *scene, const struct block_lines *lines,
                        const struct block_loop *loop, struct smc_lesson_table *table)
{
    for (size_t i = 0; i < loop->count && scene->status == SMC_OK; i++)
        block_add_line(scene, lines->line[loop->first + i],
                       lines->first + (unsigned)(loop->first + i), table);
}

/* "a..b", "8", or a word. Returns what follows. */
static const char *block_read_values(const char *at, struct smc_lesson_value *from, double *to,
                                     char word[64])
{
    size_t length = strcspn(at, ", ");
    int64_t first, last;
    snprintf(word, 64, "%.*s", (int)length, at);
    char *dots = strstr(word, "..");
    if (dots)
        *dots = '\0';
    *from = (struct smc_lesson_value){SMC_LESSON_TEXT, 0, word};
    *to = 0;
    if (smc_parse_integer(word, INT32_MIN, INT32_MAX, &first)) {
        *from = (struct smc_lesson_value){SMC_LESSON_NUMBER, (double)first, NULL};
        *to = (double)first;
        if (dots)
            *to = smc_parse_integer(dots + 2, INT32_MIN, INT32_MAX, &last) ? (double)last : *to - 1;
    }
    at += length;
    return at + strspn(at, ", ");
}

static void loop_over_values(struct smc_scene *scene, const struct block_lines *lines,
                             const struct block_loop *loop, struct smc_lesson_table *table)
{
    smc_auto_text values = {0};
    smc_scene_expand(scene, loop->values, loop->line, &values);
    if (*loop->question)
        scene->question = loop->question;
    scene->loop = loop->name;
    for (const char *at = smc_text_string(&values); *at && scene->status == SMC_OK;) {
        char word[64];
        double to;
        at = block_read_values(at, &scene->loop_value, &to, word);
        do
            write_lines(scene, lines, loop, table);
        while (scene->status == SMC_OK && scene->loop_value.kind == SMC_LESSON_NUMBER &&
               ++scene->loop_value.number <= to);
    }
    scene->loop = NULL;
}

static void loop_over_list(struct smc_scene *scene, const struct block_lines *lines,
                           const struct block_loop *loop, struct smc_lesson_table *table)
{
    json_t *item, *answer = smc_scene_ask(scene, loop->question);
    json_t *list = answer ? smc_lesson_member(answer, loop->values) : NULL;
    size_t index;
    if (answer && !json_is_array(list))
        smc_scene_fail(scene, "'%s' is no list of the answer to '%.200s'", loop->values,
                       loop->question);
    scene->question = loop->question;
    json_array_foreach(list, index, item)
    {
        scene->item = item;
        write_lines(scene, lines, loop, table);
    }
    scene->item = NULL;
}

/* Reads the line that begins a loop; its texts are parts of the line. */
static bool read_loop(struct smc_scene *scene, char *line, struct block_loop *loop)
{
    char *colon = smc_lesson_find_outside(line, ':'), *in = strstr(line, " in ");
    const bool each = smc_begins(line, "for each ");
    if (!*colon || (!each && (!in || in > colon))) {
        smc_scene_fail(scene, "not 'for NAME in VALUES: QUESTION' or 'for each LIST: QUESTION'");
        return false;
    }
    *colon = '\0';
    loop->question = colon + 1 + strspn(colon + 1, " ");
    if (each) {
        loop->values = line + strlen("for each ");
        return true;
    }
    *in = '\0';
    loop->name = line + strlen("for ");
    loop->values = in + strlen(" in ");
    return true;
}

static void write_loop(struct smc_scene *scene, const struct block_lines *lines,
                       const struct block_loop *loop, struct smc_lesson_table *table)
{
    const char *before = scene->question;
    scene->line = loop->line;
    if (loop->name)
        loop_over_values(scene, lines, loop, table);
    else
        loop_over_list(scene, lines, loop, table);
    scene->question = before;
}

/* Splits a copy of the block's text. */
static bool split_lines(char *text, unsigned first, struct block_lines *lines)
{
    lines->first = first;
    lines->line = smc_calloc(smc_count_lines(text, strlen(text)) + 1, sizeof *lines->line);
    if (!lines->line)
        return false;
    for (char *line = text; line;) {
        char *end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        lines->line[lines->count++] = line;
        line = end;
    }
    return true;
}

static void build_table(struct smc_scene *scene, const struct block_lines *lines,
                        struct smc_lesson_table *table)
{
    static const char loops[] = "for ";
    table->has_head = !smc_begins(lines->line[0], loops) && !strchr(lines->line[0], '{');
    for (size_t i = 0; i < lines->count && scene->status == SMC_OK;) {
        struct block_loop loop = {.first = i + 1, .line = lines->first + (unsigned)i};
        scene->line = loop.line;
        if (!smc_begins(lines->line[i], loops)) {
            block_add_line(scene, lines->line[i], loop.line, table);
            i++;
            continue;
        }
        while (loop.first + loop.count < lines->count &&
               !smc_begins(lines->line[loop.first + loop.count], loops))
            loop.count++;
        if (read_loop(scene, lines->line[i], &loop))
            write_loop(scene, lines, &loop, table);
        i = loop.first + loop.count;
    }
}

/* A curve's first cells become ranges: "1 to 10". */
static void name_ranges(const struct smc_scene *scene, struct smc_lesson_table *table)
{
    const char *to = scene->lesson->language == SMC_LANGUAGE_CHINESE ? "至" : "to";
    for (size_t i = 0; i < table->row_count; i++) {
        struct smc_lesson_row *row = &table->row[i];
        if (row->is_step && row->to > row->from)
            smc_text_printf(&row->cell[0], SMC_TIE "%s" SMC_TIE "%.0f", to, row->to);
    }
}

static void write_table(struct smc_scene *scene, const struct smc_lesson_element *element,
                        bool is_curve, const struct smc_lesson_writer *writer, void *context)
{
    struct smc_lesson_table table = {.is_curve = is_curve};
    struct block_lines lines = {0};
    smc_auto_free char *text = smc_strdup(element->text);
    if (!text || !split_lines(text, element->line, &lines))
        scene->status = smc_out_of_memory(&scene->error);
    else
        build_table(scene, &lines, &table);
    if (is_curve)
        name_ranges(scene, &table);
    if (scene->status == SMC_OK)
        writer->table(context, &table);
    free_table(&table);
    free(lines.line);
}

bool smc_lesson_is_numeric(const struct smc_lesson_table *table, size_t column)
{
    for (size_t i = table->has_head; i < table->row_count; i++) {
        const struct smc_lesson_row *row = &table->row[i];
        const char *text = column < row->cell_count ? smc_text_string(&row->cell[column]) : "";
        if (*text && !isdigit((unsigned char)*text) && !strchr("-<", *text))
            return false;
    }
    return true;
}

/* --- The limits of a launch ------------------------------------------------------------------- */

static void block_add_limit(struct smc_scene *scene, const char *label, const char *each,
                            const char *all, const char *name, struct smc_lesson_table *table)
{
    char line[512];
    snprintf(line, sizeof line,
             "%s | {= %s} | {= %s} | {? known(limits.%s) : {= limits.%s} | -} | {? limits.%s == "
             "occupancy.blocks_per_sm : <}",
             label, each, all, name, name, name);
    block_add_line(scene, line, scene->line, table);
}

/* What warps, registers, shared memory and block slots allow; '<' marks what binds. */
static void write_limits(struct smc_scene *scene, const struct smc_lesson_element *element,
                         const struct smc_lesson_writer *writer, void *context)
{
    const bool chinese = scene->lesson->language == SMC_LANGUAGE_CHINESE;
    struct smc_lesson_table table = {.has_head = true};
    const char *before = scene->question;
    scene->question = element->text;
    block_add_line(scene, chinese ? " | 每块 | 每 SM | 块数" : " | a block | an SM | blocks",
                   scene->line, &table);
    block_add_limit(scene, chinese ? "线程束" : "warps", "ceil(threads_per_block / warp_size)",
                    "max_warps_per_sm", "warps", &table);
    block_add_limit(scene, chinese ? "寄存器" : "registers", "allocated.registers_per_block",
                    "regs_per_sm", "registers", &table);
    block_add_limit(scene, chinese ? "共享内存" : "shared memory", "allocated.smem_bytes_per_block",
                    "occupancy.carveout_bytes", "shared_memory", &table);
    block_add_limit(scene, chinese ? "线程块槽位" : "block slots", "1", "max_blocks_per_sm",
                    "blocks", &table);
    if (scene->status == SMC_OK)
        writer->table(context, &table);
    scene->question = before;
    free_table(&table);
}

/* --- Banks ------------------------------------------------------------------------------------ */

static uint32_t count_lanes(struct smc_scene *scene, const char *typed)
{
    int64_t lanes = SMC_WARP_LANES;
    if (*typed && !smc_parse_integer(typed, 1, SMC_WARP_LANES, &lanes))
        smc_scene_fail(scene, "'%.32s' is not a number of lanes from 1 to %d", typed,
                       SMC_WARP_LANES);
    return (uint32_t)lanes;
}

static void write_banks(struct smc_scene *scene, const struct smc_lesson_element *element,
                        const char *typed, const struct smc_lesson_writer *writer, void *context)
{
    struct smc_lesson_banks banks = {.lanes = count_lanes(scene, typed)};
    json_t *answer = scene->status == SMC_OK ? smc_scene_ask(scene, element->text) : NULL;
    if (!answer)
        return;
    const json_t *count = smc_lesson_member(answer, "banks.count"),
                 *width = smc_lesson_member(answer, "device.bank_width_bytes"),
                 *addresses = smc_lesson_member(answer, "worst.addresses");
    banks.banks = (uint32_t)json_integer_value(count);
    if (!banks.banks || !json_integer_value(width) || !json_is_array(addresses)) {
        smc_scene_fail(scene, "'%.200s' is not a question such as banks --stride 2", element->text);
        return;
    }
    for (uint32_t lane = 0; lane < banks.lanes; lane++)
        banks.bank[lane] = (uint32_t)(json_integer_value(json_array_get(addresses, lane)) /
                                      json_integer_value(width)) %
                           banks.banks;
    writer->banks(context, &banks);
}

/* --- Rows of a report ------------------------------------------------------------------------- */

/* Whether the line begins with one of the labels, which are joined by commas; "" is every line. */
static bool has_label(const char *line, const char *labels)
{
    line += strspn(line, " ");
    for (bool any = !*labels; !any; labels += strspn(labels, ", ")) {
        size_t length = strcspn(labels, ",");
        if (length == 0)
            return false;
        if (strncmp(line, labels, length) == 0)
            return true;
        labels += length;
    }
    return true;
}

static void write_rows(struct smc_scene *scene, const struct smc_lesson_element *element,
                       const char *labels, const struct smc_lesson_writer *writer, void *context)
{
    smc_auto_text words = {0}, report = {0}, kept = {0};
    struct smc_error reason = {""};
    smc_scene_words(scene, element->text, &words);
    const struct smc_worded_question question = {
        .words = smc_text_string(&words),
        .device = &scene->device,
        .compile = &scene->setting->compile,
        .warnings = scene->setting->warnings,
        .columns = scene->setting->columns,
        .utf8 = scene->setting->utf8,
    };
    const struct smc_worded_answer answer = {.out = &report};
    if (scene->status == SMC_OK && smc_ask_words(&question, &answer, &reason) != SMC_OK)
        smc_scene_fail(scene, "%s", reason.message);
    for (const char *line = smc_text_string(&report); *line;) {
        size_t length = strcspn(line, "\n");
        if (has_label(line, labels)) {
            smc_text_append_bytes(&kept, line, length);
            smc_text_append(&kept, "\n");
        }
        line += length + (line[length] == '\n');
    }
    if (scene->status == SMC_OK && kept.length == 0)
        smc_scene_fail(scene, "no line of the answer begins with '%.200s'", labels);
    if (scene->status == SMC_OK)
        writer->code(context, smc_text_string(&kept));
}

/* --- Pages ------------------------------------------------------------------------------------ */

static void write_block(struct smc_scene *scene, const struct smc_lesson_element *element,
                        const char *rest, const struct smc_lesson_writer *writer, void *context)
{
    const size_t word = strcspn(element->info, " ");
    if (smc_equals(element->info, word, "table") || smc_equals(element->info, word, "curve"))
        write_table(scene, element, *element->info == 'c', writer, context);
    else if (smc_equals(element->info, word, "limits"))
        write_limits(scene, element, writer, context);
    else if (smc_equals(element->info, word, "banks"))
        write_banks(scene, element, rest, writer, context);
    else if (smc_equals(element->info, word, "rows"))
        write_rows(scene, element, rest, writer, context);
    else if (!smc_equals(element->info, word, "try"))
        smc_scene_fail(scene,
                       "'%.32s': the blocks are names, try, table, curve, limits, banks, rows and "
                       "question",
                       element->info);
}

/* "WORD [ARGUMENT] [when CONDITION]" */
static void write_live(struct smc_scene *scene, const struct smc_lesson_element *element,
                       const struct smc_lesson_writer *writer, void *context)
{
    static const char when[] = " when ";
    const size_t word = strcspn(element->info, " ");
    const char *condition = strstr(element->info, when),
               *rest = element->info + word + strspn(element->info + word, " ");
    struct smc_lesson_value value = {SMC_LESSON_NUMBER, 1, NULL};
    if (condition)
        value = smc_scene_evaluate(scene, condition + strlen(when));
    if (!smc_lesson_holds(&value) || scene->status != SMC_OK)
        return;
    smc_auto_free char *argument =
        smc_strndup(rest, condition && condition > rest ? (size_t)(condition - rest)
                          : condition                   ? 0
                                                        : strlen(rest));
    if (argument)
        write_block(scene, element, argument, writer, context);
    else
        scene->status = smc_out_of_memory(&scene->error);
}

static void write_element(struct smc_scene *scene, const struct smc_lesson_element *element,
                          const struct smc_lesson_writer *writer, void *context)
{
    smc_auto_text text = {0};
    scene->line = element->line;
    switch (element->kind) {
    case SMC_ELEMENT_LIVE:
        write_live(scene, element, writer, context);
        return;
    case SMC_ELEMENT_CODE:
        writer->code(context, element->text);
        return;
    default:
        smc_scene_expand(scene, element->text, element->line, &text);
    }
    if (scene->status == SMC_OK && text.length > 0 && element->kind == SMC_ELEMENT_ITEM)
        writer->item(context, element->info, smc_text_string(&text));
    else if (scene->status == SMC_OK && text.length > 0)
        writer->paragraph(context, smc_text_string(&text));
}

void smc_lesson_write(struct smc_scene *scene, const struct smc_lesson_page *page,
                      const struct smc_lesson_writer *writer, void *context)
{
    scene->question = page->try_it ? page->try_it->text : "--threads 32 --regs 16";
    for (size_t i = 0; i < page->element_count && scene->status == SMC_OK; i++)
        write_element(scene, &scene->lesson->element[page->first_element + i], writer, context);
    scene->question = NULL;
}
