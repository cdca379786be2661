/* The panel of what a person sets. */
#include <stdio.h>

#include "tui/explore_draw.h"
#include "tui/widgets.h"

static int list_fields(const struct smc_explore *explore, int rows,
                       enum smc_field fields[SMC_FIELD_COUNT], int *count)
{
    int at = 0;
    *count = (int)smc_fields_shown(&explore->query, fields);
    for (int i = 0; i < *count; i++)
        if (fields[i] == explore->field)
            at = i;
    return smc_list_first(at, *count, rows);
}

/* Where the value is long, its end is what tells devices and kernels apart least: cut there. */
static void draw_field(const struct smc_explore *explore, enum smc_field field,
                       struct smc_rect line, struct smc_frame *frame)
{
    struct smc_field_view view;
    smc_explore_show(explore, field, &view);
    if (field == SMC_FIELD_DEVICE)
        snprintf(view.value, sizeof view.value, "%s", smc_device_model(&explore->query.device));
    view.awaited = field == SMC_FIELD_REGS && explore->wants_compile;
    if (view.awaited)
        snprintf(view.source, sizeof view.source, "compiling\xe2\x80\xa6");
    smc_list_draw_field(&view, field == explore->field, line, frame);
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
    smc_list_draw_arrows(first, count, rect, frame);
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
