/* What the tests of pictures share. */
#include "plot_support.h"

#include <math.h>
#include <stdio.h>

struct box {
    double left, top, right, bottom;
};

static struct box box_of(const struct smc_picture *picture, const struct smc_canvas *canvas,
                         const struct smc_plot_shape *shape)
{
    double width = smc_canvas_text_width(canvas, shape->face, smc_picture_string(picture, shape));
    double share = shape->anchor == SMC_ANCHOR_START ? 0
                   : shape->anchor == SMC_ANCHOR_END ? 1
                                                     : 0.5;
    double left = shape->x - share * width;
    if (canvas->cells)
        left = floor(left + 0.5);
    double top = canvas->cells ? floor(shape->y) : shape->y;
    return (struct box){left, top, left + width, top + smc_canvas_line_height(canvas, shape->face)};
}

static bool overlap(const struct box *a, const struct box *b)
{
    const double slack = 0.01;
    return a->left < b->right - slack && b->left < a->right - slack && a->top < b->bottom - slack &&
           b->top < a->bottom - slack;
}

size_t test_picture_flaws(const struct smc_picture *picture, const struct smc_canvas *canvas)
{
    size_t flaws = picture->failed;
    for (size_t i = 0; i < picture->count; i++) {
        const struct smc_plot_shape *shape = &picture->shape[i];
        struct box box = {shape->x, shape->y, shape->x + shape->width, shape->y + shape->height};
        bool text = shape->kind == SMC_SHAPE_TEXT;
        if (text)
            box = box_of(picture, canvas, shape);
        bool outside = box.left < -2 || box.right > picture->width + 2 || box.top < -0.01 ||
                       box.bottom > picture->height + 0.01;
        if (outside)
            printf("outside: %s\n", text ? smc_picture_string(picture, shape) : "a shape");
        flaws += outside;
        for (size_t j = 0; text && j < i; j++) {
            if (picture->shape[j].kind != SMC_SHAPE_TEXT)
                continue;
            struct box other = box_of(picture, canvas, &picture->shape[j]);
            if (!overlap(&box, &other))
                continue;
            printf("'%s' lies on '%s'\n", smc_picture_string(picture, shape),
                   smc_picture_string(picture, &picture->shape[j]));
            flaws++;
        }
    }
    return flaws;
}

struct smc_canvas test_canvas(int index)
{
    static const unsigned columns[] = {80, 120};
    return index == 0 ? smc_canvas_paper() : smc_canvas_cells(columns[index - 1]);
}
