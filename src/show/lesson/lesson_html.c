/* A lesson as one page for a browser: pictures are SVG within it, the question is answered by a
   short script, and nothing is loaded from elsewhere. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "show/lesson/lesson_blocks.h"
#include "show/lesson/lesson_words.h"
#include "show/words/paragraphs.h"

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--soft:#f3f4f6;--line:#d0d7de;"
    "--mark:#2f6f0a;--bar:#76b900}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e8eb;--paper:#14171a;--soft:#1f2428;"
    "--line:#3a4147;--mark:#9bd83a}}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);font:1.05rem/1.6 system-ui,"
    "\"Noto Sans\",\"Noto Sans CJK SC\",\"PingFang SC\",\"Microsoft YaHei\",sans-serif}\n"
    "main{max-width:44rem;margin:auto;padding:1rem}\n"
    "h1{line-height:1.25}h2{margin-top:2.5rem;border-top:1px solid var(--line);padding-top:1rem}\n"
    "code,pre{font-family:ui-monospace,\"DejaVu Sans Mono\",monospace;font-size:.9em}\n"
    "code{overflow-wrap:anywhere}pre{background:var(--soft);padding:.8rem;overflow-x:auto}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;margin:1rem 0}\n"
    "td,th{padding:.15rem .7rem;text-align:left;font-variant-numeric:tabular-nums;"
    "white-space:nowrap}th{border-bottom:1px solid var(--line)}.n{text-align:right}\n"
    "svg{display:block;max-width:100%}.wide>svg{min-width:30rem}.bar{width:12rem;min-width:5rem}\n"
    ".bar svg{width:100%;height:.7rem}.bar rect,.on{fill:var(--bar)}.off{fill:var(--soft)}\n"
    "svg text{fill:var(--ink);font:12px system-ui,sans-serif}"
    ".axis{stroke:var(--line)}.step{fill:none;stroke:var(--bar);stroke-width:2}\n"
    ".try{border-left:.25rem solid var(--bar);padding-left:.8rem}\n"
    "form{background:var(--soft);padding:1rem;border-radius:.4rem}label{display:block}\n"
    "input,button{font:inherit}.reply{font-weight:600}.right{color:var(--mark)}\n";

/* Shows the reply to the answer given: the first whose value it is, else the hint. */
static const char script[] =
    "document.querySelector('form').addEventListener('submit', event => {\n"
    "  event.preventDefault();\n"
    "  const text = String(new FormData(event.target).get('answer') ?? '').trim();\n"
    "  const given = text === '' ? NaN : Number(text);\n"
    "  const replies = [...document.querySelectorAll('.reply')];\n"
    "  const is = reply => Math.abs(given - Number(reply.dataset.answer))\n"
    "    <= Math.max(Number(reply.dataset.within), 1e-9);\n"
    "  const shown = Number.isNaN(given) ? replies.find(reply => 'form' in reply.dataset)\n"
    "    : replies.find(reply => 'answer' in reply.dataset && is(reply))\n"
    "      ?? replies.find(reply => 'hint' in reply.dataset);\n"
    "  for (const reply of replies) reply.hidden = reply !== shown;\n"
    "});\n";

/* --- Text ------------------------------------------------------------------------------------- */

static void html_append_escaped(const char *text, size_t length, struct smc_text *out)
{
    for (size_t i = 0; i < length; i++) {
        const char c = text[i], *entity = smc_markup_entity((unsigned char)c);
        if (entity)
            smc_text_append(out, entity);
        else if (c == '"')
            smc_text_append(out, "&quot;");
        else if (c == *SMC_TIE)
            smc_text_append(out, "&#160;");
        else
            smc_text_append_char(out, c, 1);
    }
}

/* Appends `code`, **strong** or a link [text](address), whose beginning `text` is. Returns what
   follows it, or NULL: it is none of these. */
static const char *html_append_marked(const char *text, struct smc_text *out)
{
    const char *end = *text == '`'                       ? strchr(text + 1, '`')
                      : text[0] == '*' && text[1] == '*' ? strstr(text + 2, "**")
                      : *text == '['                     ? strstr(text, "](")
                                                         : NULL;
    if (!end)
        return NULL;
    if (*text == '`') {
        smc_text_append(out, "<code>");
        html_append_escaped(text + 1, (size_t)(end - text - 1), out);
        smc_text_append(out, "</code>");
        return end + 1;
    }
    if (*text == '*') {
        smc_text_append(out, "<strong>");
        html_append_escaped(text + 2, (size_t)(end - text - 2), out);
        smc_text_append(out, "</strong>");
        return end + 2;
    }
    const char *address = end + 2, *close = strchr(address, ')');
    if (!close || (!smc_begins(address, "https://") && !smc_begins(address, "http://")))
        return NULL;
    smc_text_append(out, "<a href=\"");
    html_append_escaped(address, (size_t)(close - address), out);
    smc_text_append(out, "\">");
    html_append_escaped(text + 1, (size_t)(end - text - 1), out);
    smc_text_append(out, "</a>");
    return close + 1;
}

static void html_append_inline(const char *text, struct smc_text *out)
{
    while (*text) {
        const char *after = html_append_marked(text, out);
        if (!after) {
            html_append_escaped(text, 1, out);
            after = text + 1;
        }
        text = after;
    }
}

/* --- Elements --------------------------------------------------------------------------------- */

struct lesson_page_html {
    struct smc_text *out;
    enum smc_language language;
    bool in_list;
};

static void end_list(struct lesson_page_html *page)
{
    if (page->in_list)
        smc_text_append(page->out, "</ul>\n");
    page->in_list = false;
}

static void lesson_html_paragraph(void *context, const char *text)
{
    struct lesson_page_html *page = context;
    end_list(page);
    smc_text_append(page->out, "<p>");
    html_append_inline(text, page->out);
    smc_text_append(page->out, "</p>\n");
}

static void lesson_html_item(void *context, const char *marker, const char *text)
{
    struct lesson_page_html *page = context;
    const bool numbered = isdigit((unsigned char)*marker);
    if (!page->in_list)
        smc_text_append(page->out, "<ul>\n");
    page->in_list = true;
    smc_text_append(page->out, numbered ? "<li style=\"list-style:none\">" : "<li>");
    if (numbered)
        smc_text_printf(page->out, "%s ", marker);
    html_append_inline(text, page->out);
    smc_text_append(page->out, "</li>\n");
}

static void lesson_html_code(void *context, const char *text)
{
    struct lesson_page_html *page = context;
    end_list(page);
    smc_text_append(page->out, "<pre>");
    html_append_escaped(text, strlen(text), page->out);
    smc_text_append(page->out, "</pre>\n");
}

static double html_share_of(double bar)
{
    return fmin(fmax(bar, 0), 1);
}

/* The bars of a curve as steps, from left to right. */
static void append_curve(const struct smc_lesson_table *table, struct smc_text *out)
{
    enum { LEFT = 44, WIDTH = 580, TOP = 8, HEIGHT = 130 };
    const struct smc_lesson_row *first = &table->row[table->has_head],
                                *last = &table->row[table->row_count - 1];
    const double scale = WIDTH / fmax(last->to - first->from + 1, 1);
    smc_text_printf(out,
                    "<div class=\"wide\"><svg viewBox=\"0 0 640 170\" role=\"img\"><path "
                    "class=\"axis\" fill=\"none\" "
                    "d=\"M%d %dV%dH%d\"/>\n<path class=\"step\" d=\"",
                    LEFT, TOP, TOP + HEIGHT, LEFT + WIDTH);
    for (size_t i = table->has_head; i < table->row_count; i++) {
        const struct smc_lesson_row *row = &table->row[i];
        smc_text_printf(out, "%c%.1f %.1fH%.1f", i == table->has_head ? 'M' : 'L',
                        LEFT + (row->from - first->from) * scale,
                        TOP + HEIGHT * (1 - html_share_of(row->bar)),
                        LEFT + (row->to - first->from + 1) * scale);
    }
    smc_text_printf(out,
                    "\"/>\n<text x=\"%d\" y=\"%d\" text-anchor=\"end\">100&#160;%%</text>"
                    "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">0</text>"
                    "<text x=\"%d\" y=\"160\">%.0f</text>"
                    "<text x=\"%d\" y=\"160\" text-anchor=\"end\">%.0f</text></svg></div>\n",
                    LEFT - 4, TOP + 8, LEFT - 4, TOP + HEIGHT, LEFT, first->from, LEFT + WIDTH,
                    last->to);
}

static void html_append_row(const struct smc_lesson_table *table, const struct smc_lesson_row *row,
                            const char *tag, struct smc_text *out)
{
    smc_text_append(out, "<tr>");
    for (size_t c = 0; c < table->columns; c++) {
        smc_text_printf(out, "<%s%s>", tag, smc_lesson_is_numeric(table, c) ? " class=\"n\"" : "");
        html_append_inline(c < row->cell_count ? smc_text_string(&row->cell[c]) : "", out);
        smc_text_printf(out, "</%s>", tag);
    }
    if (row->has_bar)
        smc_text_printf(out,
                        "<td class=\"bar\"><svg viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\">"
                        "<rect width=\"%.1f\" height=\"8\"/></svg></td>",
                        100 * html_share_of(row->bar));
    smc_text_append(out, "</tr>\n");
}

static void lesson_html_table(void *context, const struct smc_lesson_table *table)
{
    struct lesson_page_html *page = context;
    end_list(page);
    if (table->is_curve && table->row_count > table->has_head)
        append_curve(table, page->out);
    smc_text_append(page->out, "<div class=\"wide\"><table>\n");
    for (size_t i = 0; i < table->row_count; i++)
        html_append_row(table, &table->row[i], i == 0 && table->has_head ? "th" : "td", page->out);
    smc_text_append(page->out, "</table></div>\n");
}

static void lesson_html_banks(void *context, const struct smc_lesson_banks *banks)
{
    enum { LEFT = 56, TOP = 20, CELL = 18 };
    struct lesson_page_html *page = context;
    struct smc_text *out = page->out;
    end_list(page);
    smc_text_printf(out, "<div class=\"wide\"><svg viewBox=\"0 0 %u %u\" role=\"img\">\n",
                    LEFT + CELL * banks->banks, TOP + CELL * banks->lanes);
    for (uint32_t bank = 0; bank < banks->banks; bank += 8)
        smc_text_printf(out, "<text x=\"%u\" y=\"14\">%u</text>\n", LEFT + CELL * bank, bank);
    for (uint32_t lane = 0; lane < banks->lanes; lane++) {
        smc_text_printf(out, "<text x=\"0\" y=\"%u\">%s %u</text>\n", TOP + CELL * lane + 13,
                        smc_lesson_word(page->language, SMC_LESSON_WORD_LANE), lane);
        for (uint32_t bank = 0; bank < banks->banks; bank++)
            smc_text_printf(out,
                            "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\"/>",
                            bank == banks->bank[lane] ? "on" : "off", LEFT + CELL * bank,
                            TOP + CELL * lane, CELL - 2, CELL - 2);
        smc_text_append(out, "\n");
    }
    smc_text_append(out, "</svg></div>\n");
}

static const struct smc_lesson_writer html_writer = {
    .paragraph = lesson_html_paragraph,
    .item = lesson_html_item,
    .code = lesson_html_code,
    .table = lesson_html_table,
    .banks = lesson_html_banks,
};

/* --- The question ----------------------------------------------------------------------------- */

static void append_expanded(struct smc_scene *scene, const struct smc_lesson_element *element,
                            struct smc_text *out)
{
    smc_auto_text text = {0};
    smc_scene_expand(scene, element->text, element->line, &text);
    html_append_inline(smc_text_string(&text), out);
}

static void html_append_reply(struct smc_scene *scene, const struct smc_lesson_element *answer,
                              const struct smc_lesson_element *hint, bool right,
                              struct smc_text *out)
{
    double tolerance = 0;
    smc_text_printf(out, "<p class=\"reply%s\" hidden ", right ? " right" : "");
    if (answer) {
        double value = smc_lesson_expected(scene, answer, &tolerance);
        if (isnan(value))
            smc_text_append(out, "data-unknown");
        else
            smc_text_printf(out, "data-answer=\"%.17g\" data-within=\"%.17g\"", value, tolerance);
    } else {
        smc_text_append(out, "data-hint");
    }
    smc_text_append(out, ">");
    if (right)
        smc_text_append(out, smc_lesson_word(scene->lesson->language, SMC_LESSON_WORD_RIGHT));
    append_expanded(scene, hint, out);
    smc_text_append(out, "</p>\n");
}

static void html_append_question(struct smc_scene *scene, struct smc_text *out)
{
    const struct smc_lesson_question *question = &scene->lesson->question;
    const enum smc_language language = scene->lesson->language;
    smc_text_printf(out, "<section><h2>%s</h2>\n<p>",
                    smc_lesson_word(language, SMC_LESSON_WORD_QUESTION));
    append_expanded(scene, &question->text, out);
    smc_text_append(out, "</p>\n<form>\n");
    for (size_t i = 0; i < question->choice_count; i++) {
        smc_text_printf(out, "<label><input type=\"radio\" name=\"answer\" value=\"%zu\"> ", i);
        append_expanded(scene, &question->choice[i], out);
        smc_text_append(out, "</label>\n");
    }
    if (question->choice_count == 0)
        smc_text_append(out, "<input name=\"answer\" inputmode=\"decimal\" size=\"12\">\n");
    smc_text_printf(out, "<button>%s</button>\n</form>\n",
                    smc_lesson_word(language, SMC_LESSON_WORD_ANSWER));
    html_append_reply(scene, &question->answer, &question->right, true, out);
    for (size_t i = 0; i < question->trap_count; i++)
        html_append_reply(scene, &question->trap[i].answer, &question->trap[i].hint, false, out);
    html_append_reply(scene, NULL, &question->hint, false, out);
    smc_text_append(out, "<p class=\"reply\" hidden data-form>");
    if (question->choice_count == 0)
        smc_text_append(out, smc_lesson_word(language, SMC_LESSON_WORD_NUMBER));
    else
        smc_text_append(out, smc_lesson_word(language, SMC_LESSON_WORD_CHOOSE));
    smc_text_printf(out, "</p>\n</section>\n<script>\n%s</script>\n", script);
}

/* --- The page --------------------------------------------------------------------------------- */

/* The page is read elsewhere, where the program is not started by the path by which it was here. */
static const char program[] = "smemcalc";

static void append_command(struct smc_scene *scene, const struct smc_lesson_page *page,
                           struct smc_text *out)
{
    smc_auto_text command = {0};
    if (!page->try_it || scene->status != SMC_OK)
        return;
    smc_lesson_command(scene, page->try_it, program, &command);
    smc_text_printf(out, "<p class=\"try\">%s%s<code>",
                    smc_lesson_word(scene->lesson->language, SMC_LESSON_WORD_TRY),
                    smc_lesson_word(scene->lesson->language, SMC_LESSON_WORD_COLON));
    html_append_escaped(smc_text_string(&command), command.length, out);
    smc_text_append(out, "</code></p>\n");
}

static void html_append_page(struct smc_scene *scene, size_t number, struct smc_text *out)
{
    const struct smc_lesson_page *page = &scene->lesson->page[number];
    struct lesson_page_html html = {.out = out, .language = scene->lesson->language};
    smc_text_printf(out, "<section><h2>%zu&#160; ", number + 1);
    html_append_inline(page->heading, out);
    smc_text_append(out, "</h2>\n");
    smc_lesson_write(scene, page, &html_writer, &html);
    end_list(&html);
    append_command(scene, page, out);
    smc_text_append(out, "</section>\n");
}

static void append_head(const struct smc_scene *scene, struct smc_text *out)
{
    const struct smc_lesson *lesson = scene->lesson;
    smc_text_printf(
        out,
        "<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>",
        lesson->language == SMC_LANGUAGE_CHINESE ? "zh-CN" : "en");
    html_append_escaped(lesson->title, strlen(lesson->title), out);
    smc_text_printf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n<h1>", style);
    html_append_escaped(lesson->title, strlen(lesson->title), out);
    smc_text_append(out, "</h1>\n<p>");
    html_append_escaped(scene->device.name, strlen(scene->device.name), out);
    smc_text_append(out, "</p>\n");
}

enum smc_status smc_lesson_html(const struct smc_lesson *lesson,
                                const struct smc_lesson_setting *setting, struct smc_text *out,
                                struct smc_error *error)
{
    struct smc_scene scene;
    smc_scene_open(lesson, setting, &scene);
    append_head(&scene, out);
    for (size_t i = 0; i < lesson->page_count && scene.status == SMC_OK; i++)
        html_append_page(&scene, i, out);
    if (lesson->exercise) {
        smc_text_printf(out, "<p class=\"try\">%s%s<code>%s exercise ",
                        smc_lesson_word(lesson->language, SMC_LESSON_WORD_EXERCISE),
                        smc_lesson_word(lesson->language, SMC_LESSON_WORD_COLON), program);
        html_append_escaped(lesson->exercise, strlen(lesson->exercise), out);
        smc_text_append(out, "</code></p>\n");
    }
    if (lesson->question.text.text && scene.status == SMC_OK)
        html_append_question(&scene, out);
    smc_text_append(out, "</main>\n</body>\n</html>\n");
    return smc_scene_close(&scene, error);
}
