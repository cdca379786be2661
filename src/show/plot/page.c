/* A page that is filled from top to bottom: heading, legend, grids, and diagrams of occupancy over
   one quantity. */
#include "show/plot/page.h"
#include "base/memory.h"
#include "base/numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

double smc_page_left(const struct smc_page *page)
{
    return page->canvas.metrics->margin;
}

double smc_page_right(const struct smc_page *page)
{
    return page->canvas.width - smc_page_left(page);
}

struct smc_page smc_page_begin(struct smc_picture *picture, const struct smc_canvas *canvas)
{
    return (struct smc_page){
        .picture = picture, .canvas = *canvas, .y = canvas->metrics->top_margin};
}

void smc_page_end(struct smc_page *page)
{
    page->picture->width = page->canvas.width;
    page->picture->height = page->y + page->canvas.metrics->bottom_margin;
}

void smc_page_text(struct smc_page *page, struct smc_text_look look, double x, const char *text)
{
    smc_picture_text(page->picture, look, x, page->y, text);
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
        smc_auto_text line = {0};
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
        smc_page_text(page, (struct smc_text_look){ink, face, SMC_ANCHOR_START, false}, left,
                      smc_text_string(&line));
        page->y += smc_canvas_line_height(&page->canvas, face);
        if (line.failed)
            return;
    }
}

void smc_heading_free(struct smc_heading *heading)
{
    smc_text_free(&heading->title);
    smc_text_free(&heading->verdict);
    smc_text_free(&heading->subject);
}

void smc_page_put_heading(struct smc_page *page, const struct smc_heading *heading)
{
    smc_page_heading(page, SMC_FACE_TITLE, SMC_INK_TEXT, smc_text_string(&heading->title));
    page->y += page->canvas.metrics->after_title;
    smc_page_heading(page, SMC_FACE_STRONG, SMC_INK_TEXT, smc_text_string(&heading->verdict));
    smc_page_heading(page, SMC_FACE_NORMAL, SMC_INK_MUTED, smc_text_string(&heading->subject));
    page->picture->failed |=
        heading->title.failed || heading->verdict.failed || heading->subject.failed;
}

/* The name of an ink that shows a result: "registers", "cannot launch". */
static const char *ink_label(enum smc_ink ink)
{
    if (ink == SMC_INK_REFUSED)
        return "cannot launch";
    return smc_limit_label((enum smc_limit)(ink - SMC_INK_FIRST_LIMIT));
}

/* Places entries next to each other, as many as fit on a line. */
struct page_row {
    struct smc_page *page;
    double x;
};

/* Reserves space for a sample of width `sample` and its text; returns the x of the sample. */
static double page_take(struct page_row *row, double sample, const char *text)
{
    struct smc_page *page = row->page;
    const struct smc_canvas *canvas = &page->canvas;
    double gap = canvas->metrics->sample_gap;
    double width = sample + gap + smc_canvas_text_width(canvas, SMC_FACE_NORMAL, text);
    if (row->x + width > smc_page_right(page)) {
        row->x = smc_page_left(page);
        page->y += canvas->line_height;
    }
    double x = row->x;
    smc_page_text(page, SMC_LOOK(TEXT, NORMAL, START), x + sample + gap, text);
    row->x += width + canvas->metrics->entry_gap;
    return x;
}

static void add_area(struct page_row *row, enum smc_ink ink, double shade, const char *text)
{
    const struct smc_canvas *canvas = &row->page->canvas;
    double width = canvas->metrics->sample_width, inset = canvas->metrics->sample_inset;
    double x = page_take(row, width, text);
    smc_picture_area(row->page->picture, ink, x, row->page->y + inset, width,
                     canvas->line_height - 2 * inset, shade);
}

void smc_page_legend(struct smc_page *page, const struct smc_legend *legend)
{
    const struct smc_canvas *canvas = &page->canvas;
    static const char *const percent[] = {"0 %", "25 %", "50 %", "75 %", "100 %"};
    struct page_row row = {page, smc_page_left(page)};
    for (int i = 0; i < 5 && legend->heat; i++)
        add_area(&row, SMC_INK_HEAT, i / 4.0, percent[i]);
    for (int ink = 0; ink < SMC_INK_COUNT; ink++)
        if (legend->inks & 1u << ink)
            add_area(&row, (enum smc_ink)ink, 0, ink_label((enum smc_ink)ink));
    if (legend->now) {
        double width = canvas->metrics->disc_width, x = page_take(&row, width, legend->now);
        smc_picture_mark(page->picture, SMC_INK_NOW, x + width / 2,
                         page->y + canvas->line_height / 2);
    }
    if (legend->best) {
        double width = canvas->cells ? 1 : canvas->metrics->sample_width;
        double x = page_take(&row, width, legend->best);
        if (canvas->cells)
            smc_page_text(page, SMC_LOOK(BEST, NORMAL, START), x, "*");
        else
            smc_picture_line(page->picture, SMC_STROKE(BEST, 3), x,
                             page->y + canvas->line_height / 2, width, 0);
    }
    page->y += canvas->line_height + canvas->metrics->after_legend;
}

/* --- A grid with labels ----------------------------------------------------------------------- */

struct grid_layout {
    const struct smc_grid *grid;
    struct smc_page *page;
    double left, top, cell_width, cell_height;
};

static double small_width(const struct smc_page *page, const char *text)
{
    return smc_canvas_text_width(&page->canvas, SMC_FACE_SMALL, text);
}

static double row_label_width(const struct grid_layout *layout)
{
    double widest = 0;
    for (uint32_t row = 0; row < layout->grid->rows; row++) {
        smc_auto_text label = {0};
        layout->grid->row_label(layout->grid->context, row, &label);
        double width = small_width(layout->page, smc_text_string(&label));
        widest = width > widest ? width : widest;
    }
    return widest;
}

static void outline(struct smc_picture *picture, enum smc_ink ink, double x, double y, double width,
                    double height)
{
    const struct smc_stroke stroke = {ink, 1.5, false};
    smc_picture_line(picture, stroke, x, y, width, 0);
    smc_picture_line(picture, stroke, x, y + height, width, 0);
    smc_picture_line(picture, stroke, x, y, 0, height);
    smc_picture_line(picture, stroke, x + width, y, 0, height);
}

/* On a character canvas, the text alone shows the value. */
void smc_page_cell(struct smc_page *page, const struct smc_grid_cell *cell, double x, double y,
                   double width, double height)
{
    const struct smc_canvas *canvas = &page->canvas;
    const double line = smc_canvas_line_height(canvas, SMC_FACE_SMALL);
    const double border = canvas->metrics->cell_border;
    if (!canvas->cells)
        smc_picture_area(page->picture, cell->ink, x, y, width - border, height - border, 0);
    if (!canvas->cells && cell->outlined)
        outline(page->picture, cell->ink, x + 1, y + 1, width - border - 2, height - border - 2);
    enum smc_ink text_ink = canvas->cells ? cell->ink : SMC_INK_TEXT;
    smc_picture_text(page->picture,
                     (struct smc_text_look){text_ink, SMC_FACE_SMALL, SMC_ANCHOR_MIDDLE, false},
                     x + (width - border) / 2, y + (height - border - line) / 2, cell->text);
}

static void page_draw_row(const struct grid_layout *layout, uint32_t row)
{
    const struct smc_grid *grid = layout->grid;
    const struct smc_canvas *canvas = &layout->page->canvas;
    smc_auto_text label = {0};
    double line = smc_canvas_line_height(canvas, SMC_FACE_SMALL);
    double y = layout->top + row * layout->cell_height;
    grid->row_label(grid->context, row, &label);
    smc_picture_text(layout->page->picture, SMC_LOOK(MUTED, SMALL, END),
                     layout->left - canvas->metrics->label_gap,
                     y + (layout->cell_height - line) / 2, smc_text_string(&label));
    for (uint32_t i = 0; i < grid->columns; i++) {
        struct smc_grid_cell cell = {.ink = SMC_INK_GRID};
        grid->cell(grid->context, row, grid->first_column + i, &cell);
        smc_page_cell(layout->page, &cell, layout->left + i * layout->cell_width, y,
                      layout->cell_width, layout->cell_height);
    }
}

/* Draws as many column numbers as fit without touching. */
static void page_draw_column_labels(const struct grid_layout *layout)
{
    const struct smc_canvas *canvas = &layout->page->canvas;
    double end = layout->left - layout->cell_width;
    for (uint32_t i = 0; i < layout->grid->columns; i++) {
        char label[16];
        snprintf(label, sizeof label, "%u", layout->grid->first_column + i);
        double width = small_width(layout->page, label);
        double middle = layout->left + (i + 0.5) * layout->cell_width;
        if (middle - width / 2 < end)
            continue;
        smc_picture_text(layout->page->picture, SMC_LOOK(MUTED, SMALL, MIDDLE), middle,
                         layout->page->y, label);
        end = middle + width / 2 + canvas->char_width / 4;
    }
}

void smc_page_grid(struct smc_page *page, const struct smc_grid *grid, double left, double width)
{
    const struct smc_canvas *canvas = &page->canvas;
    struct grid_layout layout = {.grid = grid, .page = page};
    double labels = row_label_width(&layout), name = small_width(page, grid->row_name);
    double line = smc_canvas_line_height(canvas, SMC_FACE_SMALL);
    layout.left = left + (labels > name ? labels : name) + canvas->gap;
    layout.cell_width = (left + width - layout.left) / grid->columns;
    layout.cell_height = canvas->metrics->cell_height;
    if (canvas->cells)
        layout.cell_width = (double)(int)layout.cell_width;
    smc_page_text(page, SMC_LOOK(MUTED, SMALL, START), layout.left, grid->column_name);
    page->y += line;
    smc_page_text(page, SMC_LOOK(MUTED, SMALL, END), layout.left - canvas->metrics->label_gap,
                  grid->row_name);
    page_draw_column_labels(&layout);
    page->y += line;
    layout.top = page->y;
    for (uint32_t row = 0; row < grid->rows; row++)
        page_draw_row(&layout, row);
    page->y += grid->rows * layout.cell_height + canvas->gap;
}

/* --- Ticks ------------------------------------------------------------------------------------ */

/* 1, 2, 4, 8 ... or 1, 2, 5, 10 ... */
static int64_t next_round(int64_t step, enum smc_tick_kind kind)
{
    if (kind == SMC_TICKS_BINARY)
        return step * 2;
    int64_t lead = step;
    while (lead >= 10)
        lead /= 10;
    return lead == 2 ? step / 2 * 5 : step * 2;
}

/* Division that rounds toward plus infinity. */
static int64_t multiple_from(int64_t value, int64_t step)
{
    int64_t rest = value % step;
    return value - rest + (rest > 0 ? step : 0);
}

struct smc_ticks smc_ticks_between(int64_t low, int64_t high, enum smc_tick_kind kind,
                                   unsigned most)
{
    int64_t step = 1;
    while ((high - low) / step >= most && step <= high - low)
        step = next_round(step, kind);
    int64_t first = multiple_from(low, step);
    return first <= high ? (struct smc_ticks){first, step} : (struct smc_ticks){low, 0};
}

/* The first value that is a multiple of `round`; if there is none, first + count x step. */
static int64_t first_multiple(int64_t first, int64_t step, uint64_t count, int64_t round)
{
    uint64_t period = (uint64_t)(round / step);
    for (uint64_t i = 0; i < count && i < period; i++)
        if ((first + (int64_t)i * step) % round == 0)
            return first + (int64_t)i * step;
    return first + (int64_t)count * step;
}

struct smc_ticks smc_ticks_among(int64_t first, int64_t step, uint64_t count,
                                 enum smc_tick_kind kind, unsigned most)
{
    int64_t end = first + (int64_t)count * step;
    if (count <= most)
        return (struct smc_ticks){first, step};
    int64_t last = end - step;
    for (int64_t round = 1; round <= last - first; round = next_round(round, kind)) {
        if (round % step != 0 || (uint64_t)((last - first) / round) >= most)
            continue;
        int64_t from = first_multiple(first, step, count, round);
        if (from < end)
            return (struct smc_ticks){from, round};
    }
    int64_t every = (int64_t)((count + most - 1) / most);
    return (struct smc_ticks){first, every * step};
}

/* --- Diagrams --------------------------------------------------------------------------------- */

enum { LEVELS = 4 }; /* ticks of the vertical axis, one per quarter */

static const char warps_name[] = "warps per SM", percent_name[] = "occupancy";

/* Of areas below a quantity that no limit colours. */
static const double LEVEL_SHADE = 0.4;

/* The area inside the axes. */
struct page_frame {
    const struct smc_diagram *diagram;
    struct smc_picture *picture;
    const struct smc_canvas *canvas;
    double left, right, top, bottom;
};

static double page_x_of(const struct page_frame *frame, double value)
{
    const struct smc_diagram *diagram = frame->diagram;
    double share = (value - diagram->low) / (diagram->high - diagram->low);
    return frame->left + share * (frame->right - frame->left);
}

static double page_y_of(const struct page_frame *frame, double percent)
{
    return frame->bottom - percent / 100 * (frame->bottom - frame->top);
}

static double text_width(const struct page_frame *frame, enum smc_face face, const char *text)
{
    return smc_canvas_text_width(frame->canvas, face, text);
}

/* --- Axes ------------------------------------------------------------------------------------- */

static void page_draw_level(const struct page_frame *frame, int level)
{
    const struct smc_diagram *diagram = frame->diagram;
    double percent = 100.0 * level / LEVELS, y = page_y_of(frame, percent);
    double gap = frame->canvas->metrics->axis_gap;
    double line = frame->canvas->line_height;
    double top = frame->canvas->cells ? floor(y) : y - line / 2;
    smc_auto_text left = {0}, right = {0};
    smc_text_printf(&right, "%.0f %%", percent);
    if (diagram->level_name)
        smc_text_printf(&left, "%.3g", diagram->level_most * percent / 100);
    else if (diagram->max_warps)
        smc_text_printf(&left, "%.4g", diagram->max_warps * percent / 100);
    else
        smc_text_append(&left, smc_text_string(&right));
    if (level)
        smc_picture_line(frame->picture, SMC_STROKE(GRID, 1), frame->left, y,
                         frame->right - frame->left, 0);
    smc_picture_text(frame->picture, SMC_LOOK(MUTED, NORMAL, END), frame->left - gap, top,
                     smc_text_string(&left));
    if (diagram->max_warps)
        smc_picture_text(frame->picture, SMC_LOOK(MUTED, NORMAL, END),
                         frame->right + gap + text_width(frame, SMC_FACE_NORMAL, "100 %"), top,
                         smc_text_string(&right));
}

static void draw_tick(const struct page_frame *frame, int64_t value)
{
    double x = page_x_of(frame, (double)value), gap = frame->canvas->metrics->tick_gap;
    smc_auto_text label = {0};
    if (frame->diagram->in_k && value % 1024 == 0 && value)
        smc_text_printf(&label, "%" PRId64 "K", value / 1024);
    else
        smc_text_printf(&label, "%" PRId64, value);
    if (!frame->canvas->cells)
        smc_picture_line(frame->picture, SMC_STROKE(MUTED, 1), x, frame->bottom, 0,
                         frame->canvas->metrics->tick_length);
    smc_picture_text(frame->picture, SMC_LOOK(MUTED, NORMAL, MIDDLE), x, frame->bottom + gap,
                     smc_text_string(&label));
}

static void draw_ticks(const struct page_frame *frame)
{
    const struct smc_ticks *ticks = &frame->diagram->ticks;
    draw_tick(frame, ticks->first);
    for (int64_t value = ticks->first + ticks->step;
         ticks->step > 0 && (double)value <= frame->diagram->last_tick; value += ticks->step)
        draw_tick(frame, value);
}

static void draw_axes(const struct page_frame *frame)
{
    double edge = frame->canvas->metrics->half_line;
    smc_picture_line(frame->picture, SMC_STROKE(MUTED, 1), frame->left - edge, frame->top, 0,
                     frame->bottom + edge - frame->top);
    smc_picture_line(frame->picture, SMC_STROKE(MUTED, 1), frame->left - edge, frame->bottom + edge,
                     frame->right - frame->left + edge, 0);
}

/* --- What limits where ------------------------------------------------------------------------ */

static bool is_refused(const struct smc_value_run *run)
{
    return run->inks == 1u << SMC_INK_REFUSED;
}

static void draw_area(const struct page_frame *frame, const struct smc_value_run *run)
{
    double from = page_x_of(frame, run->from), to = page_x_of(frame, run->to);
    double y = is_refused(run) ? frame->top : page_y_of(frame, run->percent);
    if (frame->diagram->bars) {
        double inset = 0.15 * (to - from);
        from += inset;
        to -= inset;
    }
    smc_picture_areas(frame->picture, run->inks, from, y, to - from, frame->bottom - y,
                      frame->diagram->level_name ? LEVEL_SHADE : 0);
}

static void page_append_number(const struct smc_diagram *diagram, const struct smc_value_run *run,
                               struct smc_text *number)
{
    if (diagram->level_name && !is_refused(run))
        smc_text_printf(number, "%.3g", diagram->level_most * run->percent / 100);
    else if (!is_refused(run))
        smc_text_printf(number, "%d", (int)(run->percent + 0.5));
}

/* Draws the number above each bar that is wide enough. */
static void page_draw_numbers(const struct page_frame *frame)
{
    const struct smc_diagram *diagram = frame->diagram;
    double width = text_width(frame, SMC_FACE_SMALL, frame->canvas->cells ? "100" : "100 ");
    if (!diagram->run_count ||
        page_x_of(frame, diagram->runs->to) - page_x_of(frame, diagram->runs->from) < width)
        return;
    for (size_t i = 0; i < diagram->run_count; i++) {
        const struct smc_value_run *run = &diagram->runs[i];
        double y = page_y_of(frame, run->percent);
        double line = smc_canvas_line_height(frame->canvas, SMC_FACE_SMALL);
        smc_auto_text number = {0};
        page_append_number(diagram, run, &number);
        smc_picture_text(frame->picture, SMC_LOOK(TEXT, SMALL, MIDDLE),
                         page_x_of(frame, (run->from + run->to) / 2),
                         frame->canvas->cells ? ceil(y - 0.5) - 1 : y - line,
                         smc_text_string(&number));
    }
}

static void draw_step(const struct page_frame *frame, size_t index)
{
    const struct smc_value_run *run = &frame->diagram->runs[index];
    double from = page_x_of(frame, run->from), y = page_y_of(frame, run->percent);
    smc_picture_line(frame->picture, SMC_STROKE(CURVE, 2), from, y,
                     page_x_of(frame, run->to) - from, 0);
    if (index == 0 || frame->diagram->runs[index - 1].to != run->from)
        return;
    double before = page_y_of(frame, frame->diagram->runs[index - 1].percent);
    smc_picture_line(frame->picture, SMC_STROKE(CURVE, 2), from, before, 0, y - before);
}

/* --- Names ------------------------------------------------------------------------------------ */

struct span {
    double from, to;
};

static double height_of(const struct page_frame *frame, const struct smc_value_run *run)
{
    return frame->bottom - (is_refused(run) ? frame->top : page_y_of(frame, run->percent));
}

/* The widest part of a stretch whose areas are all at least `height` high; empty if there is
   none. */
static struct span widest_part(const struct page_frame *frame, size_t first, size_t end,
                               double height)
{
    const struct smc_value_run *runs = frame->diagram->runs;
    struct span widest = {0, 0};
    for (size_t i = first, next; i < end; i = next) {
        for (next = i; next < end && height_of(frame, &runs[next]) >= height;)
            next++;
        if (next == i) {
            next++;
            continue;
        }
        struct span part = {page_x_of(frame, runs[i].from), page_x_of(frame, runs[next - 1].to)};
        if (part.to - part.from > widest.to - widest.from)
            widest = part;
    }
    return widest;
}

/* The upper edge of the areas below a label. */
static double highest_top(const struct page_frame *frame, size_t first, size_t end,
                          struct span below)
{
    double highest = 0;
    for (size_t i = first; i < end; i++) {
        const struct smc_value_run *run = &frame->diagram->runs[i];
        bool apart =
            page_x_of(frame, run->to) < below.from || page_x_of(frame, run->from) > below.to;
        if (!apart && height_of(frame, run) > highest)
            highest = height_of(frame, run);
    }
    return frame->bottom - highest;
}

/* Draws the label within its areas if they are high enough, otherwise above them. */
static void draw_name(const struct page_frame *frame, size_t first, size_t end, const char *name)
{
    const struct smc_value_run *runs = frame->diagram->runs;
    double line = frame->canvas->line_height, pad = frame->canvas->metrics->name_pad;
    double width = text_width(frame, SMC_FACE_NORMAL, name) + pad;
    struct span part = widest_part(frame, first, end, frame->canvas->metrics->name_height);
    if (part.to - part.from >= width) {
        smc_picture_text(
            frame->picture,
            (struct smc_text_look){SMC_INK_TEXT, SMC_FACE_NORMAL, SMC_ANCHOR_MIDDLE, true},
            (part.from + part.to) / 2, frame->bottom - frame->canvas->metrics->name_rise, name);
        return;
    }
    struct span whole = {page_x_of(frame, runs[first].from), page_x_of(frame, runs[end - 1].to)};
    double middle = (whole.from + whole.to) / 2;
    if (whole.to - whole.from < width)
        return;
    struct span below = {middle - width / 2, middle + width / 2};
    double top = highest_top(frame, first, end, below);
    smc_picture_text(frame->picture, SMC_LOOK(TEXT, NORMAL, MIDDLE), middle,
                     frame->canvas->cells ? ceil(top - 0.5) - 1 : top - 1.15 * line, name);
}

/* Draws one label for each stretch that is wide enough. */
static void draw_names(const struct page_frame *frame)
{
    const struct smc_diagram *diagram = frame->diagram;
    for (size_t i = 0, end; i < diagram->run_count; i = end) {
        smc_auto_text name = {0};
        for (end = i + 1; end < diagram->run_count; end++)
            if (diagram->runs[end].inks != diagram->runs[i].inks ||
                diagram->runs[end].from != diagram->runs[end - 1].to)
                break;
        for (uint32_t inks = diagram->runs[i].inks; inks; inks &= inks - 1)
            smc_text_printf(&name, "%s%s", name.length ? " and " : "",
                            ink_label((enum smc_ink)__builtin_ctz(inks)));
        draw_name(frame, i, end, smc_text_string(&name));
    }
}

/* --- The present point ------------------------------------------------------------------------ */

static double x_of_now(const struct page_frame *frame)
{
    return smc_clamp(page_x_of(frame, frame->diagram->now), frame->left,
                     frame->right - frame->canvas->metrics->half_line);
}

/* Drawn before the labels, so that it is in the background. */
static void draw_now_line(const struct page_frame *frame)
{
    double top = frame->top - frame->canvas->metrics->now_line_rise;
    smc_picture_line(frame->picture, SMC_DASHED(NOW, 1.2), x_of_now(frame), top, 0,
                     frame->bottom - top);
}

static void draw_now(const struct page_frame *frame)
{
    const struct smc_diagram *diagram = frame->diagram;
    double x = x_of_now(frame);
    double y = page_y_of(frame, diagram->now_percent);
    double width = text_width(frame, SMC_FACE_STRONG, diagram->now_text);
    double gap = frame->canvas->metrics->now_gap, page_left = frame->canvas->metrics->margin;
    double low = page_left + text_width(frame, SMC_FACE_NORMAL, warps_name) + gap + width / 2;
    double high = frame->canvas->width - page_left - gap - width / 2 -
                  text_width(frame, SMC_FACE_NORMAL, percent_name);
    smc_picture_mark(frame->picture, SMC_INK_NOW, x,
                     smc_clamp(y, frame->top, frame->bottom - frame->canvas->metrics->half_line));
    smc_picture_text(frame->picture, SMC_LOOK(TEXT, STRONG, MIDDLE), smc_clamp(x, low, high),
                     frame->top - frame->canvas->metrics->now_text_rise, diagram->now_text);
}

/* --- The whole -------------------------------------------------------------------------------- */

static void draw_title(struct smc_page *page, const struct smc_diagram *diagram)
{
    if (!diagram->title[0])
        return;
    smc_page_text(page, SMC_LOOK(TEXT, STRONG, START), smc_page_left(page), diagram->title);
    smc_page_text(page, SMC_LOOK(MUTED, NORMAL, END), smc_page_right(page), diagram->remark);
    page->y += page->canvas.metrics->title_height;
}

static void draw_names_of_axes(struct smc_page *page, const struct smc_diagram *diagram)
{
    const char *left = diagram->level_name  ? diagram->level_name
                       : diagram->max_warps ? warps_name
                                            : percent_name;
    smc_page_text(page, SMC_LOOK(MUTED, NORMAL, START), smc_page_left(page), left);
    if (diagram->max_warps)
        smc_page_text(page, SMC_LOOK(MUTED, NORMAL, END), smc_page_right(page), percent_name);
    page->y += page->canvas.metrics->axis_names_height;
}

void smc_page_diagram(struct smc_page *page, const struct smc_diagram *diagram)
{
    const struct smc_canvas *canvas = &page->canvas;
    draw_title(page, diagram);
    draw_names_of_axes(page, diagram);
    if (diagram->bars)
        page->y += canvas->metrics->bar_numbers_height;
    double margin =
        smc_canvas_text_width(canvas, SMC_FACE_NORMAL, "100 %") + canvas->metrics->axis_gap;
    struct page_frame frame = {
        .diagram = diagram,
        .picture = page->picture,
        .canvas = canvas,
        .left = smc_page_left(page) + margin,
        .right = smc_page_right(page) - margin,
        .top = page->y,
        .bottom = page->y + canvas->plot_height,
    };
    for (int level = 0; level <= LEVELS; level++)
        page_draw_level(&frame, level);
    for (size_t i = 0; i < diagram->run_count; i++)
        draw_area(&frame, &diagram->runs[i]);
    if (diagram->bars)
        page_draw_numbers(&frame);
    for (size_t i = 0; i < diagram->run_count && !diagram->bars && !canvas->cells; i++)
        draw_step(&frame, i);
    if (diagram->has_now)
        draw_now_line(&frame);
    if (!diagram->bars && !diagram->level_name)
        draw_names(&frame);
    draw_axes(&frame);
    draw_ticks(&frame);
    if (diagram->has_now)
        draw_now(&frame);
    page->y = frame.bottom + canvas->metrics->unit_below;
    smc_page_text(page, SMC_LOOK(MUTED, NORMAL, MIDDLE), (frame.left + frame.right) / 2,
                  diagram->unit);
    page->y += canvas->line_height + canvas->metrics->after_diagram;
}
