/* Standard input, output and error: input in pieces, checked output, and what a terminal can show.
 */
#ifndef SMC_SHOW_OUTPUT_H
#define SMC_SHOW_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/text.h"
#include "show/cli/options.h"
#include "show/plot/plot.h"
#include "show/report/report.h"

/* --- Output --- */

/* Before anything opens a file: SMC_MACHINE if standard output is closed. A closed standard input
   or error becomes /dev/null, so that no file gets its number. A limit on the size of files fails
   a write instead of ending the program. */
enum smc_status smc_output_open(struct smc_error *error);

/* The end of every command: writes its report to standard output, which it closes, and `error` to
   standard error. A report is whole or absent: if memory ran out at any time, nothing is written,
   and a file that cannot hold all of it is cut back; the status is then SMC_MACHINE. Returns the
   exit status. */
enum smc_status smc_output_end(const struct smc_text *report, enum smc_status status,
                               struct smc_error *error);

/* Whole rows of a report that is a stream: writes them now. smc_output_flush empties `text`. */
enum smc_status smc_output_write(const char *bytes, size_t count, struct smc_error *error);
enum smc_status smc_output_flush(struct smc_text *text, struct smc_error *error);

/* The same for part of a report that is whole or absent: kept in a temporary file until the end. */
enum smc_status smc_output_hold(struct smc_text *text, struct smc_error *error);

/* If the command succeeds, smc_output_end returns this instead: the status of a program that was
   run. */
void smc_output_exit_with(int status);

/* One line on standard error for each line of `text`, after "smemcalc: " and `kind` ("note: ").
   Nothing after memory ran out: what was noticed then may be wrong. */
void smc_output_tell(const char *kind, const char *text);

/* Notes and warnings about the report: printed before it, and omitted if an error leaves no report.
   smc_output_warn frees the text. */
void smc_output_note(const char *text);
void smc_output_warn(struct smc_text *warnings);

/* Adopts the character set of the environment: is it UTF-8? A locale that is not installed, or that
   memory is too short for, is judged by its name. */
bool smc_output_locale(void);

/* Lays `out` out as standard output needs it: width, character set, colour (NO_COLOR and TERM=dumb
   respected). A command may complete the style, which the next call replaces. */
struct smc_report_style *smc_output_style(struct smc_text *out);

/* The same of another descriptor; -1: of a file. */
struct smc_report_style *smc_output_style_of(int descriptor, struct smc_text *out);

/* --- Pictures (--plot) --- */

enum smc_plot_target {
    SMC_PLOT_NOWHERE,
    SMC_PLOT_TERMINAL, /* instead of the text report */
    SMC_PLOT_FILE,     /* besides the report */
};

/* Before anything is computed: SMC_USAGE for an unknown format, or if a picture in the terminal
   would mix with JSON or CSV; SMC_UNAVAILABLE without cairo. */
enum smc_status smc_picture_target(const struct smc_arguments *arguments,
                                   enum smc_plot_target *target, struct smc_error *error);

/* The same with --roofline, which is drawn in the terminal where no file is named; and SMC_USAGE if
   --explain has no text to be in. */
enum smc_status smc_roofline_target(const struct smc_arguments *arguments,
                                    enum smc_plot_target *target, struct smc_error *error);

/* SMC_UNAVAILABLE, which says why, if none of the answers has a predicted time. */
enum smc_status smc_roofline_check(const struct smc_answer *answers, size_t count,
                                   struct smc_error *error);

struct smc_canvas smc_picture_canvas(enum smc_plot_target target,
                                     const struct smc_report_style *style);

/* Paints the picture to `out`, to the file or nowhere, and frees it. */
enum smc_status smc_picture_finish(const struct smc_arguments *arguments,
                                   enum smc_plot_target target, struct smc_picture *picture,
                                   struct smc_text *out, struct smc_error *error);

/* --- Input --- */

/* A file or standard input, read in pieces; decompressed if gzip compressed it. */
struct smc_stream {
    const char *name; /* for messages */
    int descriptor;
    bool has_begun;
    struct smc_gzip *gzip; /* NULL: not compressed */
};

/* "-" is standard input. SMC_USAGE: "FILE: why". */
enum smc_status smc_stream_open(const char *path, struct smc_stream *stream,
                                struct smc_error *error);
void smc_stream_close(struct smc_stream *stream);

/* Up to `capacity` bytes, at least 2, as soon as there are any; 0 at the end. SMC_USAGE for a
   folder and for damaged compressed bytes; SMC_UNAVAILABLE if they are compressed and this build
   lacks zlib. */
enum smc_status smc_stream_read(struct smc_stream *stream, char *bytes, size_t capacity,
                                size_t *count, struct smc_error *error);

#endif
