/* The panel of what a person sets. */
#include <string.h>

#include "tui/explore_draw.h"
#include "tui/glyph.h"

enum { LABEL_COLUMNS = 10 };

/* The first field shown, so that the one under the cursor is. */
static int first_shown(int at, int count, int rows)
{
    int first = at - rows / 2;
    first = first > count - rows ? count - rows : first;
    return first < 0 ? 0 : first;
}

static int list_fields(const struct smc_explore *explore, int rows,
                       enum smc_field fields[SMC_FIELD_COUNT], int *count)
{
    int at = 0;
    *count = (int)smc_fields_shown(&explore->query, fields);
    for (int i = 0; i < *count; i++)
        if (fields[i] == explore->field)
            at = i;
    return first_shown(at, *count, rows);
}

/* Where the value is long, its end is what tells devices and kernels apart least: cut there. */
static void draw_field(const struct smc_explore *explore, enum smc_field field,
                       struct smc_rect line, struct smc_frame *frame)
{
    struct smc_field_view view;
    smc_field_show(&explore->query, &explore->answer, field, &view);
    bool here = field == explore->field;
    const char *value =
        field == SMC_FIELD_DEVICE ? smc_device_model(&explore->query.device) : view.value;
    smc_frame_text(frame, line, 0, 1, here ? SMC_STYLE_STRONG : SMC_STYLE_LABEL, view.label);
    int col = LABEL_COLUMNS + 1;
    if (here)
        smc_frame_text(frame, line, 0, col - 1, SMC_STYLE_STRONG, "<");
    enum smc_style style = here         ? SMC_STYLE_CURSOR
                           : view.given ? SMC_STYLE_GIVEN
                                        : SMC_STYLE_NORMAL;
    struct smc_rect room = {line.row, line.col, 1, line.cols - (here ? 2 : 1)};
    col = smc_frame_text(frame, room, 0, col + here, style, value);
    if (here)
        smc_frame_text(frame, line, 0, col + 1, SMC_STYLE_STRONG, ">");
    const char *source = view.source;
    bool compiling = field == SMC_FIELD_REGS && explore->wants_compile;
    if (compiling)
        source = "compiling\xe2\x80\xa6";
    int columns = smc_glyph_string_columns(source);
    if (col + 2 * here + columns + 2 <= line.cols)
        smc_frame_text_right(frame, room, 0, compiling ? SMC_STYLE_WARN : SMC_STYLE_DIM, source);
}

void smc_draw_launch(const struct smc_explore *explore, struct smc_rect rect,
                     struct smc_frame *frame)
{
    enum smc_field fields[SMC_FIELD_COUNT];
    int count, first = list_fields(explore, rect.rows, fields, &count);
    for (int row = 0; row < rect.rows && first + row < count; row++) {
        struct smc_rect line = {rect.row + row, rect.col, 1, rect.cols};
        draw_field(explore, fields[first + row], line, frame);
    }
    if (first > 0)
        smc_frame_glyph(frame, rect, 0, rect.cols - 1, SMC_STYLE_DIM, 0x25b2);
    if (first + rect.rows < count)
        smc_frame_glyph(frame, rect, rect.rows - 1, rect.cols - 1, SMC_STYLE_DIM, 0x25bc);
}

bool smc_launch_field_at(const struct smc_explore *explore, struct smc_rect rect, int row,
                         enum smc_field *field)
{
    enum smc_field fields[SMC_FIELD_COUNT];
    int count, first = list_fields(explore, rect.rows, fields, &count);
    if (row < 0 || row >= rect.rows || first + row >= count)
        return false;
    *field = fields[first + row];
    return true;
}
