/* A page that fills from the top: heading and legend. */
#include "plot/page.h"

#include <string.h>

double smc_page_left(const struct smc_page *page)
{
    return page->canvas.cells ? 0 : 2 * page->canvas.gap;
}

double smc_page_right(const struct smc_page *page)
{
    return page->canvas.width - smc_page_left(page);
}

struct smc_page smc_page_begin(struct smc_picture *picture, const struct smc_canvas *canvas)
{
    return (struct smc_page){
        .picture = picture, .canvas = *canvas, .y = canvas->cells ? 0 : 1.5 * canvas->gap};
}

void smc_page_end(struct smc_page *page)
{
    page->picture->width = page->canvas.width;
    page->picture->height = page->y + (page->canvas.cells ? 0 : page->canvas.gap);
}

void smc_page_heading(struct smc_page *page, enum smc_face face, enum smc_ink ink, const char *text)
{
    double left = smc_page_left(page);
    smc_page_paragraph(page, face, ink, left, smc_page_right(page) - left, text);
}

void smc_page_paragraph(struct smc_page *page, enum smc_face face, enum smc_ink ink, double left,
                        double width, const char *text)
{
    while (*text) {
        struct smc_text line = {0};
        do {
            size_t word = strcspn(text, " ");
            struct smc_text longer = {0};
            smc_text_printf(&longer, "%s%s%.*s", smc_text_string(&line), line.length ? " " : "",
                            (int)word, text);
            bool fits =
                smc_canvas_text_width(&page->canvas, face, smc_text_string(&longer)) <= width;
            if (!fits && line.length) {
                smc_text_free(&longer);
                break;
            }
            smc_text_free(&line);
            line = longer;
            text += word;
            text += strspn(text, " ");
        } while (*text && !line.failed);
        smc_picture_text(page->picture, ink, face, SMC_ANCHOR_START, left, page->y,
                         smc_text_string(&line));
        page->y += smc_canvas_line_height(&page->canvas, face);
        bool failed = line.failed;
        smc_text_free(&line);
        if (failed)
            return;
    }
}

const char *smc_ink_label(enum smc_ink ink)
{
    if (ink == SMC_INK_REFUSED)
        return "cannot launch";
    return smc_limit_label((enum smc_limit)(ink - SMC_INK_FIRST_LIMIT));
}

/* Entries side by side, as many as a line holds. */
struct row {
    struct smc_page *page;
    double x;
};

/* Room for a sample of `sample` and its text; returns where the sample begins. */
static double take(struct row *row, double sample, const char *text)
{
    struct smc_page *page = row->page;
    const struct smc_canvas *canvas = &page->canvas;
    double gap = canvas->cells ? 1 : 0.7 * canvas->gap;
    double width = sample + gap + smc_canvas_text_width(canvas, SMC_FACE_NORMAL, text);
    if (row->x + width > smc_page_right(page)) {
        row->x = smc_page_left(page);
        page->y += canvas->line_height;
    }
    double x = row->x;
    smc_picture_text(page->picture, SMC_INK_TEXT, SMC_FACE_NORMAL, SMC_ANCHOR_START,
                     x + sample + gap, page->y, text);
    row->x += width + (canvas->cells ? 3 : 2 * canvas->gap);
    return x;
}

static double sample_width(const struct smc_canvas *canvas)
{
    return canvas->cells ? 2 : 26;
}

static void add_area(struct row *row, enum smc_ink ink, double shade, const char *text)
{
    const struct smc_canvas *canvas = &row->page->canvas;
    double width = sample_width(canvas), x = take(row, width, text);
    double inset = canvas->cells ? 0 : 3;
    smc_picture_area(row->page->picture, ink, x, row->page->y + inset, width,
                     canvas->line_height - 2 * inset, shade);
}

static void add_heat(struct row *row)
{
    static const char *const percent[] = {"0 %", "25 %", "50 %", "75 %", "100 %"};
    for (int i = 0; i < 5; i++)
        add_area(row, SMC_INK_HEAT, i / 4.0, percent[i]);
}

void smc_page_legend(struct smc_page *page, const struct smc_legend *legend)
{
    const struct smc_canvas *canvas = &page->canvas;
    struct row row = {page, smc_page_left(page)};
    if (legend->heat)
        add_heat(&row);
    for (int ink = 0; ink < SMC_INK_COUNT; ink++)
        if (legend->inks & 1u << ink)
            add_area(&row, (enum smc_ink)ink, 0, smc_ink_label((enum smc_ink)ink));
    if (legend->now) {
        double x = take(&row, canvas->cells ? 1 : 12, legend->now);
        smc_picture_mark(page->picture, SMC_INK_NOW, x + (canvas->cells ? 0.5 : 6),
                         page->y + canvas->line_height / 2);
    }
    if (legend->best) {
        double width = canvas->cells ? 1 : sample_width(canvas);
        double x = take(&row, width, legend->best);
        if (canvas->cells)
            smc_picture_text(page->picture, SMC_INK_BEST, SMC_FACE_NORMAL, SMC_ANCHOR_START, x,
                             page->y, "*");
        else
            smc_picture_line(page->picture, SMC_INK_BEST, x, page->y + canvas->line_height / 2,
                             width, 0, 3, false);
    }
    page->y += canvas->line_height + canvas->gap * (canvas->cells ? 0 : 1);
}
