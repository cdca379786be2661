/* A chart's points spread over the columns of its picture. */
#include "tui/draw_chart.h"

static size_t first_point(const struct smc_chart_columns *columns, int column)
{
    return (size_t)column * columns->chart->count / (size_t)columns->count;
}

int smc_chart_last_column(const struct smc_chart_columns *columns, size_t point)
{
    return (int)(((point + 1) * (size_t)columns->count - 1) / columns->chart->count);
}

int smc_chart_first_column(const struct smc_chart_columns *columns, size_t point)
{
    size_t count = columns->chart->count;
    int last = smc_chart_last_column(columns, point);
    int first = (int)((point * (size_t)columns->count + count - 1) / count);
    return first < last ? first : last;
}

const struct smc_chart_point *smc_chart_point_of(const struct smc_chart_columns *columns,
                                                 int column)
{
    const struct smc_chart *chart = columns->chart;
    size_t from = first_point(columns, column), to = first_point(columns, column + 1);
    const struct smc_chart_point *best = &chart->point[from];
    for (size_t i = from; i < to; i++) {
        if (chart->point[i].value == chart->now)
            return &chart->point[i];
        if (chart->point[i].percent > best->percent)
            best = &chart->point[i];
    }
    return best;
}

size_t smc_chart_present_point(const struct smc_chart *chart)
{
    size_t i = 0;
    while (i + 1 < chart->count && chart->point[i].value != chart->now)
        i++;
    return i;
}
