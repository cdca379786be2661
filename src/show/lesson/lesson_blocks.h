/* The elements of a page as data, for the writers: of a terminal (lesson_text.c) and of a browser
   (lesson_html.c). */
#ifndef SMC_SHOW_LESSON_BLOCKS_H
#define SMC_SHOW_LESSON_BLOCKS_H

#include "rules/banks.h"
#include "show/lesson/lesson_scene.h"

enum { SMC_LESSON_MOST_CELLS = 12 };

struct smc_lesson_row {
    struct smc_text cell[SMC_LESSON_MOST_CELLS];
    size_t cell_count;
    bool has_bar; /* at its end: */
    double bar;   /* 0 to 1 */
    bool is_step; /* of a loop over numbers: */
    double from, to;
};

/* Of a curve, rows with the same result are one step. */
struct smc_lesson_table {
    struct smc_lesson_row *row;
    size_t row_count, row_capacity;
    size_t columns;
    bool has_head;
    bool is_curve;
};

/* The banks that the first lanes of a warp access. */
struct smc_lesson_banks {
    uint32_t banks, lanes;
    uint32_t bank[SMC_WARP_LANES];
};

/* Texts have ties (SMC_TIE) between numbers and units. */
struct smc_lesson_writer {
    void (*paragraph)(void *context, const char *text);
    void (*item)(void *context, const char *marker, const char *text);
    void (*code)(void *context, const char *text);
    void (*table)(void *context, const struct smc_lesson_table *table);
    void (*banks)(void *context, const struct smc_lesson_banks *banks);
};

/* Writes the elements of a page. */
void smc_lesson_write(struct smc_scene *scene, const struct smc_lesson_page *page,
                      const struct smc_lesson_writer *writer, void *context);

/* Whether the cells of a column are numbers, which are aligned to the right. */
bool smc_lesson_is_numeric(const struct smc_lesson_table *table, size_t column);

#endif
