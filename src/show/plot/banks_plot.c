/* The picture of accesses to shared memory: which bank serves which lane in which wavefront, for
   the present layout of the array and the proposed ones. */
#include <stdio.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "show/plot/page.h"
#include "show/plot/plot.h"
#include "show/report/banks_report.h"

enum {
    BAND = 16,         /* banks per row on a character canvas; the others are drawn below */
    TWO_COLUMNS = 1680 /* points: the page width with proposals next to the present layout */
};

/* What a picture shows, for its legend. */
struct shown {
    bool crowded, shared, idle, sets;
};

struct panel {
    const struct smc_bank_layout *layout;
    const struct smc_bank_map *map;
    const char *title, *text;
    bool cells;
    struct shown *shown;
};

struct picture {
    struct smc_page *page;
    const struct smc_banks_answer *answer;
    double left, right, width; /* of the two columns */
    struct shown shown;
};

/* Whether the lanes are served in several sets. */
static bool has_sets(const struct smc_bank_map *map)
{
    return map->wavefront[0].set != map->wavefront[map->cost.wavefronts - 1].set;
}

/* "3", or "3 (16-31)" if the lanes are served in several sets. */
static void append_row_label(const void *context, uint32_t row, struct smc_text *out)
{
    const struct panel *panel = context;
    uint32_t set = panel->map->wavefront[row].set;
    smc_text_printf(out, "%u", row + 1);
    if (has_sets(panel->map))
        smc_text_printf(out, " (%d-%d)", __builtin_ctz(set), 31 - __builtin_clz(set));
}

/* The first of the lanes; "+" if other lanes are served with it. */
static void get_cell(const void *context, uint32_t row, uint32_t bank, struct smc_grid_cell *cell)
{
    const struct panel *panel = context;
    const struct smc_wavefront *wavefront = &panel->map->wavefront[row];
    uint32_t lanes = wavefront->lanes[bank];
    bool shared = lanes & (lanes - 1), crowded = wavefront->crowded >> bank & 1;
    if (!lanes) {
        panel->shown->idle = true;
        snprintf(cell->text, sizeof cell->text, "%s", panel->cells ? " ." : "");
        return;
    }
    panel->shown->shared |= shared;
    panel->shown->crowded |= crowded;
    cell->ink = crowded ? SMC_INK_CROWDED : SMC_INK_SERVED;
    cell->outlined = crowded;
    snprintf(cell->text, sizeof cell->text, "%*d%s%s", panel->cells ? 2 : 1, __builtin_ctz(lanes),
             shared ? "+" : "", crowded && panel->cells ? "*" : "");
}

static void draw_band(struct smc_page *page, const struct panel *panel, uint32_t first,
                      uint32_t banks, double left, double width)
{
    bool sets = has_sets(panel->map);
    panel->shown->sets |= sets;
    const struct smc_grid grid = {
        .row_name = sets && !panel->cells ? "wavefront (lanes)" : "wavefront",
        .column_name = "bank",
        .rows = panel->map->cost.wavefronts,
        .first_column = first,
        .columns = banks,
        .context = panel,
        .row_label = append_row_label,
        .cell = get_cell,
    };
    smc_page_grid(page, &grid, left, width);
}

static void draw_panel(struct smc_page *page, const struct panel *panel, double left, double width)
{
    uint32_t banks = panel->layout->banks, each = panel->cells && banks > BAND ? BAND : banks;
    smc_page_paragraph(page, SMC_FACE_STRONG, SMC_INK_TEXT, left, width, panel->title);
    smc_page_paragraph(page, SMC_FACE_NORMAL, SMC_INK_MUTED, left, width, panel->text);
    page->y += page->canvas.cells ? 0 : page->canvas.gap / 2;
    for (uint32_t first = 0; first < banks && panel->map->cost.wavefronts; first += each) {
        char idle[64];
        snprintf(idle, sizeof idle, "banks %u to %u are idle", first, first + each - 1);
        if (each < banks && smc_banks_idle(panel->map, first, each))
            smc_page_paragraph(page, SMC_FACE_NORMAL, SMC_INK_MUTED, left, width, idle);
        else
            draw_band(page, panel, first, each, left, width);
    }
    page->y += page->canvas.cells ? 0 : page->canvas.gap;
}

static void draw_present(struct picture *picture, const struct smc_banks_pattern *pattern)
{
    const bool tile = picture->answer->query.tile;
    bool kernel = picture->answer->query.kernel;
    smc_auto_text title = {0}, text = {0};
    if (tile)
        smc_text_append(&title, pattern->label);
    else if (kernel)
        smc_text_printf(&title, "%s, %s of %u bytes", pattern->label,
                        smc_words_bank_op(pattern->op), pattern->width_bytes);
    else
        smc_text_append(&title, "as it is");
    if (pattern->accesses)
        smc_words_bank_cost(pattern->map.cost, &text);
    else
        smc_text_append(&text, "no lane is active");
    if (tile)
        smc_text_printf(&text, " (instruction %u", pattern->worst_step + 1);
    else
        smc_text_printf(&text, " (warp %u", pattern->worst_warp);
    if (pattern->steps > 1 && !tile)
        smc_text_printf(&text, ", turn %u of the loop", pattern->worst_step);
    smc_text_append(&text, ")");
    bool free = pattern->total.wavefronts == pattern->total.least;
    if (!free && !tile && !pattern->padding.found && !pattern->swizzle.found)
        smc_text_append(&text,
                        "; no padding and no swizzle c ^ (r >> s & m) removes all conflicts");
    const struct panel panel = {
        .layout = &picture->answer->layout,
        .map = &pattern->map,
        .title = smc_text_string(&title),
        .text = smc_text_string(&text),
        .cells = picture->page->canvas.cells,
        .shown = &picture->shown,
    };
    draw_panel(picture->page, &panel, picture->left, picture->width);
}

/* On the right, what a change leaves of the conflicts. Frees its name, `words`. */
static void draw_change(struct picture *picture, const struct smc_bank_map *map, const char *title,
                        struct smc_text *words)
{
    smc_text_append(words, ": ");
    smc_words_bank_cost(map->cost, words);
    const struct panel panel = {
        .layout = &picture->answer->layout,
        .map = map,
        .title = title,
        .text = smc_text_string(words),
        .cells = picture->page->canvas.cells,
        .shown = &picture->shown,
    };
    draw_panel(picture->page, &panel, picture->right, picture->width);
    smc_text_free(words);
}

/* The same access in the proposed layout of the array. */
static void draw_proposal(struct picture *picture, const struct smc_banks_pattern *pattern,
                          const struct smc_remedy *remedy, const char *title)
{
    struct smc_access moved = pattern->worst;
    struct smc_bank_map map;
    struct smc_text text = {0};
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++)
        moved.address[lane] =
            (uint32_t)smc_rearrange(&remedy->rearrangement, pattern->worst.address[lane]);
    smc_banks_map(&picture->answer->layout, &moved, &map);
    smc_words_rearrangement(&remedy->rearrangement, &text);
    draw_change(picture, &map, title, &text);
}

/* --- The array of a layout -------------------------------------------------------------------- */

enum { ARRAY_ROWS = 16, ARRAY_CELLS = 8, ARRAY_COLUMNS = 16, WORD_BYTES = 4 };

/* Pieces of an array, each as much as a lane accesses, with their banks and lanes. */
struct array_view {
    const struct smc_bank_layout *layout;
    const struct smc_tile *tile;
    const struct smc_access *access;
    struct smc_bank_map map;
    uint32_t piece[2]; /* in elements: rows and columns */
    uint32_t first[2]; /* the first piece shown */
    uint32_t lanes;    /* that conflict */
};

static uint32_t address_of_piece(const struct array_view *view, uint32_t row, uint32_t column)
{
    return smc_tile_address(
        view->tile, smc_cute_mode_offset(&view->tile->layout, 0, row * view->piece[0]) +
                        smc_cute_mode_offset(&view->tile->layout, 1, column * view->piece[1]));
}

/* The lanes that access the address. */
static uint32_t lanes_at(const struct smc_access *access, uint32_t address)
{
    uint32_t lanes = 0;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        lanes |= (uint32_t)(access->address[lane] == address) << lane;
    }
    return lanes;
}

static void append_array_row(const void *context, uint32_t row, struct smc_text *out)
{
    const struct array_view *view = context;
    smc_text_printf(out, "%u", (view->first[0] + row) * view->piece[0]);
}

/* "lane:bank" where a lane accesses the piece, else its bank. */
static void get_array_cell(const void *context, uint32_t row, uint32_t column,
                           struct smc_grid_cell *cell)
{
    const struct array_view *view = context;
    const uint32_t address = address_of_piece(view, view->first[0] + row, view->first[1] + column);
    const uint32_t lanes = lanes_at(view->access, address);
    const uint32_t bank =
        address / (WORD_BYTES * view->layout->neighbouring_words) % view->layout->banks;
    if (!lanes) {
        snprintf(cell->text, sizeof cell->text, "%u", bank % SMC_MAX_BANKS);
        return;
    }
    cell->outlined = lanes & view->lanes;
    cell->ink = cell->outlined ? SMC_INK_CROWDED : SMC_INK_SERVED;
    snprintf(cell->text, sizeof cell->text, "%u:%u%s",
             (unsigned)__builtin_ctz(lanes) % SMC_WARP_LANES, bank % SMC_MAX_BANKS,
             cell->outlined ? "*" : "");
}

/* Begins with the first accessed piece, in blocks of the size shown. */
static void find_first_piece(struct array_view *view, const uint32_t pieces[2],
                             const uint32_t shown[2])
{
    for (uint32_t row = 0; row < pieces[0]; row++)
        for (uint32_t column = 0; column < pieces[1]; column++)
            if (lanes_at(view->access, address_of_piece(view, row, column))) {
                view->first[0] = row / shown[0] * shown[0];
                view->first[1] = column / shown[1] * shown[1];
                return;
            }
}

static void find_conflicting_lanes(struct array_view *view)
{
    for (uint32_t i = 0; i < view->map.cost.wavefronts; i++)
        for (uint32_t bank = 0; bank < view->layout->banks; bank++)
            if (view->map.wavefront[i].crowded >> bank & 1)
                view->lanes |= view->map.wavefront[i].lanes[bank];
}

static void draw_array(struct picture *picture, const struct smc_tile *tile, double left)
{
    const struct smc_banks_answer *answer = picture->answer;
    const struct smc_banks_pattern *pattern = &answer->pattern[answer->worst];
    struct smc_page *page = picture->page;
    struct smc_access access;
    if (smc_tile_answer_access(answer->query.tile, tile, answer->worst, pattern->worst_step,
                               &access, NULL) != SMC_OK)
        return;
    struct array_view view = {&answer->layout, tile, &access, .piece = {1, 1}};
    smc_banks_map(&answer->layout, &access, &view.map);
    find_conflicting_lanes(&view);
    const uint32_t together = pattern->width_bytes * 8 / tile->element_bits;
    const bool along = smc_cute_mode_offset(&tile->layout, 1, together - 1) == together - 1 &&
                       smc_cute_extent(&tile->layout, 1) >= together;
    view.piece[along] = together;
    const uint32_t pieces[2] = {smc_cute_extent(&tile->layout, 0) / view.piece[0],
                                smc_cute_extent(&tile->layout, 1) / view.piece[1]};
    uint32_t shown[2] = {smc_at_most(pieces[0], ARRAY_ROWS),
                         smc_at_most(pieces[1], page->canvas.cells ? ARRAY_CELLS : ARRAY_COLUMNS)};
    find_first_piece(&view, pieces, shown);
    for (int i = 0; i < 2; i++)
        shown[i] = smc_at_most(shown[i], pieces[i] - view.first[i]);
    smc_auto_text title = {0}, text = {0};
    char columns[80];
    smc_words_tile(tile, &title);
    smc_text_printf(&text,
                    "%s, instruction %u of %u: lane:bank of what it accesses, the bank of "
                    "the rest%s; rows %u to %u of %u",
                    pattern->label, pattern->worst_step + 1, pattern->steps,
                    view.lanes ? ", * conflicts" : "", view.first[0] * view.piece[0],
                    (view.first[0] + shown[0]) * view.piece[0] - 1,
                    smc_cute_extent(&tile->layout, 0));
    smc_page_paragraph(page, SMC_FACE_STRONG, SMC_INK_TEXT, left, picture->width,
                       smc_text_string(&title));
    smc_page_paragraph(page, SMC_FACE_NORMAL, SMC_INK_MUTED, left, picture->width,
                       smc_text_string(&text));
    snprintf(columns, sizeof columns, "columns from %u on, %u in each",
             view.first[1] * view.piece[1], view.piece[1]);
    const struct smc_grid grid = {
        .row_name = "row",
        .column_name = columns,
        .rows = shown[0],
        .columns = shown[1],
        .context = &view,
        .row_label = append_array_row,
        .cell = get_array_cell,
    };
    smc_page_grid(page, &grid, left, picture->width);
}

static void draw_changed_banks(struct picture *picture, const struct smc_tile_remedy *remedy,
                               const char *title)
{
    const struct smc_banks_answer *answer = picture->answer;
    struct smc_access access;
    struct smc_bank_map map;
    struct smc_text text = {0};
    if (!remedy->found ||
        smc_tile_answer_access(answer->query.tile, &remedy->tile, answer->worst,
                               answer->pattern[answer->worst].worst_step, &access, NULL) != SMC_OK)
        return;
    smc_banks_map(&answer->layout, &access, &map);
    smc_words_tile(&remedy->tile, &text);
    draw_change(picture, &map, title, &text);
}

/* The array and the wavefronts of its worst access, next to those of the smallest changes. */
static void draw_tile(struct picture *picture)
{
    const struct smc_banks_answer *answer = picture->answer;
    const struct smc_tile_remedy *swizzle = &answer->tile_swizzle, *padding = &answer->tile_padding;
    struct smc_page *page = picture->page;
    double top = page->y;
    draw_array(picture, &answer->query.tile->tile, picture->left);
    draw_present(picture, &answer->pattern[answer->worst]);
    double bottom = page->y;
    if (!page->canvas.cells)
        page->y = top;
    if (swizzle->found || padding->found)
        draw_array(picture, swizzle->found ? &swizzle->tile : &padding->tile, picture->right);
    draw_changed_banks(picture, swizzle, "swizzled");
    draw_changed_banks(picture, padding, "padded");
    page->y = page->y > bottom ? page->y : bottom;
}

/* --- The picture ------------------------------------------------------------------------------ */

/* The proposed layouts are drawn next to the present one on paper, below it on a terminal. */
static void banks_draw_pattern(struct picture *picture, const struct smc_banks_pattern *pattern)
{
    struct smc_page *page = picture->page;
    double top = page->y;
    draw_present(picture, pattern);
    double bottom = page->y;
    if (!page->canvas.cells)
        page->y = top;
    if (pattern->narrower.found)
        draw_proposal(picture, pattern, &pattern->narrower, "narrower");
    else if (pattern->padding.found)
        draw_proposal(picture, pattern, &pattern->padding, "padded");
    if (pattern->swizzle.found)
        draw_proposal(picture, pattern, &pattern->swizzle, "swizzled");
    page->y = page->y > bottom ? page->y : bottom;
}

static void banks_draw_heading(const struct picture *picture)
{
    const struct smc_banks_answer *answer = picture->answer;
    const struct smc_kernel *kernel = answer->query.kernel;
    const struct smc_banks_pattern *pattern = answer->pattern;
    SMC_AUTO(smc_heading_free) struct smc_heading heading = {0};
    if (answer->query.tile) {
        smc_words_tile(&answer->query.tile->tile, &heading.title);
        smc_words_tile_place(answer, &heading.subject);
    } else {
        smc_text_append(&heading.title, kernel ? kernel->name : pattern->label);
        if (!kernel)
            smc_text_printf(&heading.subject, "%s of %u byte%s a lane, ",
                            smc_words_bank_op(pattern->op), pattern->width_bytes,
                            smc_text_plural(pattern->width_bytes));
        smc_words_banks_place(answer, &heading.subject);
    }
    smc_page_put_heading(picture->page, &heading);
    picture->page->y += picture->page->canvas.gap;
}

static void draw_paper_legend(struct picture *picture)
{
    const struct {
        bool is_shown;
        struct smc_grid_cell cell;
        const char *text;
    } entries[] = {
        {true, {SMC_INK_SERVED, false, "7"}, "lane 7, in the bank that serves it"},
        {picture->shown.crowded,
         {SMC_INK_CROWDED, true, "7"},
         "lanes that conflict in a bank, which serves them one after another"},
        {picture->shown.shared, {SMC_INK_SERVED, false, "7+"}, "others are served with lane 7"},
        {picture->shown.idle, {SMC_INK_GRID, false, ""}, "an idle bank"},
    };
    const double width = 24, height = 20;
    struct smc_page *page = picture->page;
    const struct smc_canvas *canvas = &page->canvas;
    double x = smc_page_left(page);
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        if (!entries[i].is_shown)
            continue;
        double text = smc_canvas_text_width(canvas, SMC_FACE_NORMAL, entries[i].text);
        if (x + width + text > smc_page_right(page)) {
            x = smc_page_left(page);
            page->y += height + canvas->gap / 2;
        }
        smc_page_cell(page, &entries[i].cell, x, page->y, width, height);
        smc_page_text(page, SMC_LOOK(TEXT, NORMAL, START), x + width + canvas->gap / 2,
                      entries[i].text);
        x += width + text + 3 * canvas->gap;
    }
    page->y += height + canvas->gap;
}

static void banks_draw_legend(struct picture *picture)
{
    smc_auto_text text = {0};
    if (!picture->page->canvas.cells) {
        draw_paper_legend(picture);
        return;
    }
    smc_text_append(&text, "A number is a lane, in the bank that serves it");
    if (picture->shown.crowded)
        smc_text_append(&text,
                        "; * lanes that conflict in a bank, which serves them one after another");
    if (picture->shown.shared)
        smc_text_append(&text, "; + others are served with it");
    if (picture->shown.idle)
        smc_text_append(&text, "; dots are idle banks");
    if (picture->shown.sets)
        smc_text_append(&text, "; in brackets the lanes that are served together");
    smc_text_append(&text, ".");
    smc_page_heading(picture->page, SMC_FACE_NORMAL, SMC_INK_MUTED, smc_text_string(&text));
}

static bool has_proposals(const struct smc_banks_answer *answer)
{
    bool any = answer->tile_padding.found || answer->tile_swizzle.found;
    for (uint32_t i = 0; i < answer->pattern_count; i++)
        any |= answer->pattern[i].padding.found || answer->pattern[i].swizzle.found;
    return any;
}

void smc_plot_banks(const struct smc_banks_answer *answer, const struct smc_canvas *canvas,
                    struct smc_picture *out)
{
    struct smc_canvas wide = *canvas;
    bool two_columns = has_proposals(answer) && !canvas->cells;
    if (two_columns)
        wide.width = TWO_COLUMNS;
    struct smc_page page = smc_page_begin(out, &wide);
    double left = smc_page_left(&page), width = smc_page_right(&page) - left;
    struct picture picture = {.page = &page, .answer = answer, .left = left, .right = left};
    picture.width = two_columns ? (width - 4 * canvas->gap) / 2 : width;
    if (two_columns)
        picture.right = left + picture.width + 4 * canvas->gap;
    banks_draw_heading(&picture);
    if (answer->query.tile)
        draw_tile(&picture);
    for (uint32_t i = 0; i < answer->pattern_count && !answer->query.tile; i++)
        banks_draw_pattern(&picture, &answer->pattern[i]);
    banks_draw_legend(&picture);
    smc_page_end(&page);
}
