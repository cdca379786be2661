/* Pictures of answers: laid out here, and painted as SVG, PNG, PDF or characters. */
#ifndef SMC_SHOW_PLOT_H
#define SMC_SHOW_PLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "answers/banks_query.h"
#include "answers/best.h"
#include "answers/query.h"
#include "answers/sweep.h"
#include "answers/trace_answer.h"
#include "answers/tune.h"
#include "base/status.h"
#include "base/text.h"
#include "show/plot/picture.h"

/* --- Layout ----------------------------------------------------------------------------------- */

/* Occupancy over the block size, the registers and the shared memory, each with the other values
   unchanged and the present point marked. */
void smc_plot_query(const struct smc_answer *answer, const struct smc_canvas *canvas,
                    struct smc_picture *picture);

/* One axis: a curve, or bars if there are few values or devices. Two axes: a heat map in which the
   best cells are outlined. SMC_USAGE if a heat map would have too many cells to be readable. */
enum smc_status smc_plot_sweep(const struct smc_sweep_result *result,
                               const struct smc_canvas *canvas, struct smc_picture *picture,
                               struct smc_error *error);

/* Makes the same check before anything is computed. */
enum smc_status smc_plot_check(const struct smc_sweep *sweep, struct smc_error *error);

/* Accesses to shared memory: banks in columns, wavefronts in rows, the lanes in the cells; next to
   them the same with the proposed paddings and swizzles. */
void smc_plot_banks(const struct smc_banks_answer *answer, const struct smc_canvas *canvas,
                    struct smc_picture *picture);

/* A roofline: the ceilings of the device over FLOP per byte, on logarithmic axes, and each kernel
   on them, once for each memory level; below it what each ceiling allows, and how much of it is
   used. The first answer is the one asked about, the others are its family; all are for one device.
   An answer without a predicted time is listed with the reason. A kernel that computes nothing has
   no intensity: it is in the table only. The diagram is twice the canvas's plot_height high. */
void smc_plot_roofline(const struct smc_answer *answers, size_t count,
                       const struct smc_canvas *canvas, struct smc_picture *picture);

/* Occupancy against time of the launches that `best` chooses among, of which at least one has a
   predicted time. The fastest one, and what has the highest occupancy, are named; a table lists the
   fastest. */
void smc_plot_candidates(const struct smc_candidates *candidates, const struct smc_canvas *canvas,
                         struct smc_picture *picture);

/* The same of the shapes that `tune` ranked: of those that were measured, or if none was, of those
   predicted. SMC_UNAVAILABLE, without a prefix: no shape has a time. */
enum smc_status smc_plot_tune(const struct smc_tune *tune, const struct smc_canvas *canvas,
                              struct smc_picture *picture, struct smc_error *error);

/* What a program launched: each kernel a bar as wide as its share of the time and as high as its
   occupancy, filled by what bounds it; the largest ones as a table; and how the GPUs are filled in
   the course of the program, if it was recorded when the launches ran. */
void smc_plot_trace(const struct smc_trace_answer *answer, const struct smc_canvas *canvas,
                    struct smc_picture *picture);

/* --- Painting --------------------------------------------------------------------------------- */

enum smc_plot_format { SMC_PLOT_SVG, SMC_PLOT_PNG, SMC_PLOT_PDF, SMC_PLOT_FORMAT_COUNT };

/* The format of a file name's extension, case-insensitive. SMC_USAGE for an unknown one;
   SMC_UNAVAILABLE without cairo. The messages have no prefix that names an option. */
enum smc_status smc_plot_format_of(const char *path, enum smc_plot_format *format,
                                   struct smc_error *error);

/* Appends the bytes of the file, and to `warnings` (may be NULL) a line if there is no font.
   SMC_UNAVAILABLE: no cairo. SMC_MACHINE: fonts cannot be opened. */
enum smc_status smc_plot_paint(const struct smc_picture *picture, enum smc_plot_format format,
                               struct smc_text *bytes, struct smc_text *warnings,
                               struct smc_error *error);

/* A character of a picture on a terminal. */
struct smc_plot_cell {
    uint32_t character;
    enum smc_ink ink;
    bool strong;
};

/* Fills rows x columns cells from a picture that was laid out on smc_canvas_cells, as UTF-8 shows
   it; what lies beyond them is cut. False: no memory. */
bool smc_plot_paint_grid(const struct smc_picture *picture, int rows, int columns,
                         struct smc_plot_cell *cells);

/* Prints a picture that was laid out on smc_canvas_cells. */
void smc_plot_paint_cells(const struct smc_picture *picture, bool utf8, bool colour,
                          struct smc_text *out);

#endif
