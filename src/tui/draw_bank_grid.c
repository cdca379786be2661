/* The banks of shared memory: a column a bank, a row a wavefront, in each cell the lane served. */
#include <stdio.h>

#include "tui/banks_draw.h"
#include "tui/frame.h"
#include "tui/widgets.h"

enum {
    LABEL = SMC_BANKS_LABEL_COLUMNS,
    DOT = SMC_SIGN_FREE,
    DECIMAL_CELL = 3,
    BOTH_MARKS_CELL = 4
};

/* What the drawing needs to know of an access, found once. */
struct grid {
    const struct smc_bank_map *map;
    uint32_t banks;
    int cell;                              /* columns of a bank */
    uint32_t longest[SMC_MAX_BANKS];       /* queue of one set of lanes */
    uint32_t collides[SMC_MAX_WAVEFRONTS]; /* bit n: in bank n lanes of this set do */
    uint32_t colliding;                    /* bit n: lane n collides */
    bool several_sets, has_shared, has_idle;
};

static bool is_shared(uint32_t lanes)
{
    return (lanes & (lanes - 1)) != 0;
}

/* In one row of memory, whatever wavefronts they take. */
static bool has_shared_bank(const struct smc_bank_memory *memory)
{
    for (size_t row = 0; row < memory->count; row++)
        for (int bank = 0; bank < SMC_MAX_BANKS; bank++)
            if (is_shared(memory->lanes[row][bank]))
                return true;
    return false;
}

/* The wavefronts of one set of lanes follow each other; a bank's words come first. */
static void find_queues(struct grid *grid)
{
    const struct smc_wavefront *wavefront = grid->map->wavefront;
    uint32_t count = grid->map->cost.wavefronts;
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && wavefront[end].set == wavefront[first].set;)
            end++;
        grid->several_sets = grid->several_sets || end < count;
        for (uint32_t bank = 0; bank < grid->banks; bank++) {
            uint32_t length = 0;
            while (first + length < end && wavefront[first + length].lanes[bank])
                length++;
            for (uint32_t i = first; i < first + length; i++) {
                uint32_t lanes = wavefront[i].lanes[bank];
                grid->collides[i] |= (uint32_t)(length > 1) << bank;
                grid->colliding |= length > 1 ? lanes : 0;
            }
            if (length > grid->longest[bank])
                grid->longest[bank] = length;
        }
    }
}

static bool has_idle_bank(const struct grid *grid)
{
    for (uint32_t i = 0; i < grid->map->cost.wavefronts; i++)
        for (uint32_t bank = 0; bank < grid->banks; bank++)
            if (!grid->map->wavefront[i].lanes[bank])
                return true;
    return false;
}

static int column_of(const struct grid *grid, uint32_t bank)
{
    return LABEL + (int)bank * grid->cell;
}

/* Numbers of all banks, or where they are narrow of every fourth. */
static void draw_headings(const struct grid *grid, struct smc_rect rect, struct smc_frame *frame)
{
    uint32_t every = grid->cell < DECIMAL_CELL ? 4 : 1;
    int right = grid->cell < DECIMAL_CELL ? 1 : 2;
    smc_frame_text(frame, rect, 0, 1, SMC_STYLE_LABEL, "bank");
    smc_frame_text(frame, rect, 1, 1, SMC_STYLE_LABEL, "queue");
    for (uint32_t bank = 0; bank < grid->banks; bank++) {
        int col = column_of(grid, bank);
        if (bank % every == 0)
            smc_frame_printf(frame, rect, 0, col, SMC_STYLE_DIM, "%*u", right, bank);
        if (grid->longest[bank] <= 1)
            continue;
        if (grid->cell == 1)
            smc_frame_glyph(frame, rect, 1, col, SMC_STYLE_BAD, '!');
        else
            smc_frame_printf(frame, rect, 1, col, SMC_STYLE_BAD, "%*u", right, grid->longest[bank]);
    }
}

/* The first lane, in base 32 where a cell is narrow; beside it '!' where it collides and '+' where
   others get their words at the same time. */
static void draw_cell(const struct grid *grid, uint32_t lanes, bool collides, uint32_t bank,
                      struct smc_rect rect, int line, struct smc_frame *frame)
{
    int col = column_of(grid, bank);
    bool decimal = grid->cell >= DECIMAL_CELL;
    if (!lanes) {
        smc_frame_glyph(frame, rect, line, col + decimal, SMC_STYLE_DIM, DOT);
        return;
    }
    unsigned lane = (unsigned)__builtin_ctz(lanes);
    enum smc_style style = collides ? SMC_STYLE_BAD : SMC_STYLE_CURVE;
    if (decimal)
        smc_frame_printf(frame, rect, line, col, style, "%2u", lane);
    else
        smc_frame_glyph(frame, rect, line, col, style, lane < 10 ? '0' + lane : 'a' + lane - 10);
    const char *marks = !is_shared(lanes)               ? (collides ? "!" : "")
                        : !collides                     ? "+"
                        : grid->cell >= BOTH_MARKS_CELL ? "!+"
                                                        : "*";
    if (grid->cell > 1)
        smc_frame_text(frame, rect, line, col + 1 + decimal, style, marks);
}

static void draw_wavefront(const struct grid *grid, uint32_t row, struct smc_rect rect, int line,
                           struct smc_frame *frame)
{
    uint32_t set = grid->map->wavefront[row].set;
    if (grid->several_sets)
        smc_frame_printf(frame, rect, line, 0, SMC_STYLE_LABEL, "%2u %2d-%d", row + 1,
                         __builtin_ctz(set), 31 - __builtin_clz(set));
    else
        smc_frame_printf(frame, rect, line, 0, SMC_STYLE_LABEL, "%5u", row + 1);
    for (uint32_t bank = 0; bank < grid->banks; bank++)
        draw_cell(grid, grid->map->wavefront[row].lanes[bank], grid->collides[row] >> bank & 1,
                  bank, rect, line, frame);
}

/* The same lanes where their words lie, below the wavefronts and a blank line. */
static void draw_memory(const struct grid *grid, const struct smc_bank_memory *memory,
                        struct smc_rect rect, struct smc_frame *frame)
{
    int count = (int)memory->count, room = rect.rows - 2;
    int shown = count <= room ? count : room - 1;
    if (shown < 1)
        return;
    smc_frame_printf(frame, rect, 1, 1, SMC_STYLE_DIM,
                     "in memory, row by row of %u bytes:", memory->row_bytes);
    if (shown < count)
        smc_frame_printf(frame, rect, rect.rows - 1, LABEL, SMC_STYLE_DIM, "%d more rows",
                         count - shown);
    for (int i = 0; i < shown; i++) {
        smc_frame_printf(frame, rect, 2 + i, 0, SMC_STYLE_LABEL, "%8u", memory->row[i]);
        for (uint32_t bank = 0; bank < grid->banks; bank++)
            draw_cell(grid, memory->lanes[i][bank], memory->lanes[i][bank] & grid->colliding, bank,
                      rect, 2 + i, frame);
    }
}

/* --- Words on the edges --- */

/* On the upper edge, beside the title. */
static void draw_verdict(const struct smc_bank_map *map, struct smc_rect rect,
                         struct smc_frame *frame)
{
    struct smc_rect edge = {rect.row - 1, rect.col, 1, rect.cols - 1};
    uint32_t wavefronts = map->cost.wavefronts, conflicts = wavefronts - map->cost.least;
    char text[64], count[16];
    snprintf(count, sizeof count, "%u", conflicts);
    snprintf(text, sizeof text, " %u wavefront%s, %s conflict%s ", wavefronts,
             wavefronts == 1 ? "" : "s", conflicts ? count : "no", conflicts > 1 ? "s" : "");
    smc_frame_text_right(frame, edge, 0, conflicts ? SMC_STYLE_BAD : SMC_STYLE_GOOD, text);
}

static void draw_legend(const struct grid *grid, struct smc_rect rect, struct smc_frame *frame)
{
    struct smc_text legend = {0};
    bool shared = grid->cell > 1 && grid->has_shared;
    smc_list_add_sign(grid->cell < DECIMAL_CELL, "a-v: lanes 10-31", &legend);
    smc_list_add_sign(grid->colliding, "! conflicts", &legend);
    smc_list_add_sign(shared, "+ and others", &legend);
    smc_list_add_sign(shared && grid->colliding && grid->cell < BOTH_MARKS_CELL, "* both", &legend);
    smc_list_add_sign(grid->has_idle, "\xc2\xb7 free", &legend);
    smc_list_draw_legend(&legend, rect, frame);
}

void smc_draw_bank_grid(const struct smc_banks_state *banks, struct smc_rect rect,
                        struct smc_frame *frame)
{
    uint32_t count = banks->answer.layout.banks;
    struct grid grid = {
        .map = &banks->map,
        .banks = count,
        .cell = smc_banks_cell_columns(rect, count),
        .has_shared = has_shared_bank(&banks->memory),
    };
    int wavefronts = (int)banks->map.cost.wavefronts;
    struct smc_rect rows = rect;
    smc_rect_cut_top(&rows, SMC_BANKS_HEADINGS);
    int last = wavefronts - rows.rows, first = banks->top < last ? banks->top : last;
    first = first < 0 ? 0 : first;
    if (wavefronts == 0) {
        smc_frame_text(frame, rect, 0, 1, SMC_STYLE_DIM, "no lane of this warp is active here");
        return;
    }
    find_queues(&grid);
    grid.has_idle = has_idle_bank(&grid);
    draw_headings(&grid, rect, frame);
    for (int row = first; row < wavefronts && row - first < rows.rows; row++)
        draw_wavefront(&grid, (uint32_t)row, rows, row - first, frame);
    smc_list_draw_arrows(first, wavefronts, rows, frame);
    draw_verdict(&banks->map, rect, frame);
    smc_rect_cut_top(&rows, wavefronts);
    draw_memory(&grid, &banks->memory, rows, frame);
    draw_legend(&grid, rect, frame);
}
