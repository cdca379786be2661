/* Findings as lines of text and as a markdown table. */
#include "show/report/findings_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* --- Text ------------------------------------------------------------------------------------- */

/* Whether both say that machine code of a file does not load. */
static bool is_same_but_kernel(const struct smc_check_finding *a, const struct smc_check_finding *b)
{
    const char *rule = smc_check_rules[SMC_CHECK_DOES_NOT_LOAD].name;
    return strcmp(a->rule, rule) == 0 && strcmp(b->rule, rule) == 0 && a->level == b->level &&
           strcmp(a->message, b->message) == 0 && strcmp(a->device, b->device) == 0 &&
           strcmp(a->file, b->file) == 0;
}

/* Findings that share a line. */
struct shared_line {
    const struct smc_check_finding *first;
    size_t count;
};

/* In the order of the first ones. NULL: out of memory. */
static struct shared_line *share_lines(const struct smc_findings *findings, size_t *count)
{
    struct shared_line *lines = smc_calloc(findings->count + 1, sizeof *lines);
    smc_auto_free size_t *sharing =
        smc_calloc(findings->count + 1, sizeof *sharing); /* lines that may grow */
    size_t sharing_count = 0;
    *count = 0;
    for (size_t i = 0; lines && sharing && i < findings->count; i++) {
        const struct smc_check_finding *f = &findings->item[i];
        size_t at = 0;
        while (at < sharing_count && !is_same_but_kernel(f, lines[sharing[at]].first))
            at++;
        if (at < sharing_count) {
            lines[sharing[at]].count++;
            continue;
        }
        if (is_same_but_kernel(f, f))
            sharing[sharing_count++] = *count;
        lines[(*count)++] = (struct shared_line){f, 1};
    }
    if (!sharing) {
        free(lines);
        lines = NULL;
    }
    return lines;
}

static void append_finding_line(const struct shared_line *line, struct smc_text *out)
{
    const struct smc_check_finding *f = line->first;
    smc_auto_text place = {0}, kernel = {0};
    if (f->file[0])
        smc_text_append(&place, f->file);
    if (f->file[0] && f->line > 0 && line->count == 1)
        smc_text_printf(&place, ":%u", f->line);
    if (line->count > 1)
        smc_text_printf(&kernel, "%zu kernels", line->count);
    else
        smc_text_append(&kernel, f->kernel);
    smc_text_safe_line(out, "%s%s%s%s%s%s%s%s", smc_text_string(&place), f->file[0] ? ": " : "",
                       f->level == SMC_FINDING_WARNING ? "warning: "
                       : f->level == SMC_FINDING_NOTE  ? "note: "
                                                       : "",
                       smc_text_string(&kernel), f->device[0] ? " on " : "", f->device,
                       f->kernel[0] ? ": " : "", f->message);
}

void smc_lines_of_findings(const struct smc_findings *findings, struct smc_text *out)
{
    size_t count;
    smc_auto_free struct shared_line *lines = share_lines(findings, &count);
    for (size_t i = 0; lines && i < count; i++)
        append_finding_line(&lines[i], out);
    out->failed |= !lines;
}

/* --- Markdown --------------------------------------------------------------------------------- */

/* Text in a cell of a table; characters that are markup are escaped. */
static void append_prose(const char *text, struct smc_text *out)
{
    for (const char *c = text; *c; c++) {
        const char *entity = smc_markup_entity((unsigned char)*c);
        if (entity)
            smc_text_append(out, entity);
        else if (*c == '@') /* mentions nobody */
            smc_text_append(out, "&#64;");
        else if (*c == '\n' || *c == '\r')
            smc_text_append_char(out, ' ', 1);
        else {
            if (strchr("\\`*_{}[]#|~$!", *c))
                smc_text_append_char(out, '\\', 1);
            smc_text_append_bytes(out, c, 1);
        }
    }
}

/* A code span, in which only the '|' of tables must be escaped. */
static void findings_append_code(const char *text, struct smc_text *out)
{
    size_t run = 0, longest = 0;
    for (const char *c = text; *c; c++) {
        run = *c == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    smc_text_append_char(out, '`', longest + 1);
    smc_text_append(out, longest ? " " : "");
    for (const char *c = text; *c; c++)
        smc_text_append(out, *c == '|' ? "\\|" : (char[]){*c, '\0'});
    smc_text_append(out, longest ? " " : "");
    smc_text_append_char(out, '`', longest + 1);
}

static void append_safely(void (*append)(const char *, struct smc_text *), const char *text,
                          struct smc_text *out)
{
    smc_auto_free char *safe = smc_strdup(text);
    if (safe) {
        smc_utf8_make_safe(safe);
        append(safe, out);
    } else
        out->failed = true;
}

static void findings_append_place(const struct smc_check_finding *f, struct smc_text *out)
{
    smc_auto_text place = {0};
    smc_text_append(&place, f->file);
    if (f->line > 0)
        smc_text_printf(&place, ":%u", f->line);
    if (f->file[0])
        append_safely(append_prose, smc_text_string(&place), out);
}

static void findings_append_finding(const struct smc_check_finding *f, struct smc_text *out)
{
    smc_text_printf(out, "| %s | ", smc_finding_level_name(f->level));
    if (f->kernel[0])
        append_safely(findings_append_code, f->kernel, out);
    smc_text_append(out, " | ");
    append_safely(append_prose, f->device, out);
    smc_text_append(out, " | ");
    append_safely(append_prose, f->message, out);
    smc_text_append(out, " | ");
    findings_append_place(f, out);
    smc_text_append(out, " |\n");
}

void smc_left_out(size_t rows, struct smc_text *out)
{
    if (rows > 0)
        smc_text_printf(out, "\n%zu more row%s left out: the comment would be too long.\n", rows,
                        rows == 1 ? " is" : "s are");
}

static void findings_append_table(const struct smc_findings *findings,
                                  enum smc_finding_level highest, enum smc_finding_level lowest,
                                  struct smc_text *out)
{
    size_t left_out = 0;
    smc_text_append(out, "| | kernel | device | finding | where |\n|---|---|---|---|---|\n");
    for (int level = (int)highest; level >= (int)lowest; level--)
        for (size_t i = 0; i < findings->count; i++) {
            smc_auto_text row = {0};
            if (findings->item[i].level != (enum smc_finding_level)level)
                continue;
            findings_append_finding(&findings->item[i], &row);
            if (out->length + row.length > SMC_LONGEST_COMMENT)
                left_out++;
            else
                smc_text_append(out, smc_text_string(&row));
        }
    smc_left_out(left_out, out);
}

void smc_markdown_findings(const struct smc_findings *findings, const char *title,
                           struct smc_text *out)
{
    size_t errors = smc_findings_count(findings, SMC_FINDING_ERROR);
    size_t warnings = smc_findings_count(findings, SMC_FINDING_WARNING);
    size_t notes = smc_findings_count(findings, SMC_FINDING_NOTE);
    smc_text_printf(out, "### %s: %zu error%s, %zu warning%s\n", title, errors,
                    smc_text_plural(errors), warnings, smc_text_plural(warnings));
    if (errors + warnings > 0) {
        smc_text_append(out, "\n");
        findings_append_table(findings, SMC_FINDING_ERROR, SMC_FINDING_WARNING, out);
    }
    if (notes > 0) {
        smc_text_printf(out, "\n<details><summary>%zu note%s</summary>\n\n", notes,
                        smc_text_plural(notes));
        findings_append_table(findings, SMC_FINDING_NOTE, SMC_FINDING_NOTE, out);
        smc_text_append(out, "\n</details>\n");
    }
}
