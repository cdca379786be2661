/* Small tables and pictures for pages, at most SMC_LESSON_LEAST_COLUMNS wide but for bars, which
   fill the line. Each becomes a value of the scene, a block. */
#ifndef SMC_LESSON_FIGURES_H
#define SMC_LESSON_FIGURES_H

#include "lesson/scene.h"

/* Blocks that warps, registers, shared memory and block slots allow; those that bind are marked. */
void smc_figure_limits(struct smc_scene *scene, const char *name, const struct smc_answer *answer);

/* Occupancy for every number of registers a thread, all else as in the answer: a row a step. */
void smc_figure_registers(struct smc_scene *scene, const char *name,
                          const struct smc_answer *answer);

/* A bar behind `row`, which has `used` columns. Ends the line. */
void smc_figure_bar(const struct smc_scene *scene, double share, unsigned used,
                    struct smc_text *row);

/* The first `lanes` lanes of the access with the most conflicts: a row a lane, its bank marked. */
void smc_figure_banks(struct smc_scene *scene, const char *name,
                      const struct smc_banks_answer *answer, uint32_t lanes);

#endif
