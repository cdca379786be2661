/* Results in words, each with its numbers: the limiters, why a launch is refused, where a number
   comes from. */
#ifndef SMC_SHOW_WORDS_H
#define SMC_SHOW_WORDS_H

#include "answers/best.h"
#include "answers/sweep.h"
#include "answers/trace_answer.h"
#include "answers/tune.h"
#include "base/text.h"

/* "warps and registers". */
void smc_words_limiters(const struct smc_occupancy *occupancy, struct smc_text *out);

/* At most 13 characters, for the first column of a table. */
const char *smc_words_short_label(enum smc_limit limit);

/* One letter for a crowded table: 'w' for warps. */
char smc_words_limit_letter(enum smc_limit limit);

/* The limiters joined by `separator`, with the scripts' names: "warps+registers". */
void smc_words_limiter_names(const struct smc_occupancy *occupancy, struct smc_text *out);

/* The longest form that fits: "warps and registers", "warps+registers", "w+r". */
void smc_words_limiters_within(const struct smc_occupancy *occupancy, int columns,
                               struct smc_text *out);

/* "a block of 1024 threads; this device allows 512". */
void smc_words_refusal(const struct smc_answer *answer, enum smc_refusal refusal,
                       struct smc_text *out);

/* "cannot launch: ..." or "cannot compile: ...", all reasons. For answers that do not launch. */
void smc_words_failure(const struct smc_answer *answer, struct smc_text *out);

/* Appends "cudaFuncSetAttribute(scale<float>, ..., 98304)". `shown` is the demangled name; NULL:
   the answer's kernel's. False, and nothing, if the launch needs no such call. */
bool smc_words_opt_in(const struct smc_answer *answer, const char *shown, struct smc_text *line);

/* How many blocks a cooperative grid has too many; 0: it fits. False: it is not cooperative, or how
   many blocks the device holds is not known. */
bool smc_cooperative_excess(const struct smc_answer *answer, uint64_t *excess);

/* The name of a parameter in JSON and in columns: that of its option, with _ for -. */
enum { SMC_PARAM_KEY_CHARS = 32 };
const char *smc_words_param_key(enum smc_param param, char key[SMC_PARAM_KEY_CHARS]);

/* "tile 32, float, 1024 x 1024 x 1024": the kernel's parameters. */
void smc_words_params(const struct smc_answer *answer, struct smc_text *out);

/* The same without the parameters in the set `without`. */
void smc_words_some_params(const struct smc_query *query, uint32_t without, struct smc_text *out);

/* The options that ask for the same launch of `kernel`: "--kernel stencil-static --radius 6000". */
void smc_words_options(const struct smc_params *params, const char *kernel, struct smc_text *out);

/* " --regs 40 --carveout 50": the options that replace the kernel's numbers; with `for_run` only
   those that `smemcalc run` accepts. */
void smc_words_settings(const struct smc_query *query, bool for_run, struct smc_text *out);

/* The bound of a trace with the largest share after `last`; -1: the largest of all.
   SMC_TRACE_BOUND_COUNT: no other has a share. */
int smc_words_next_bound(const double *share, int last);

/* "none", "shared", "l1", "equal": the words of option --cache-config. */
const char *smc_words_cache_config(enum smc_cache_config config);

/* "; no GPU was found, so this one is assumed: ...", or nothing where it is not. */
void smc_words_assumed(const struct smc_query *query, struct smc_text *out);

/* " --device 9.0", " --device \"Tesla T4\"", or nothing if no device was named. */
void smc_words_device_option(const struct smc_query *query, struct smc_text *out);

/* "12,480". */
void smc_words_number(uint64_t number, struct smc_text *out);

/* "120 x 64", "120": without the last dimensions that are 1. */
void smc_words_extent(const uint32_t size[3], const char *times, struct smc_text *out);

/* "1 block", "3 blocks". */
void smc_words_blocks(uint32_t blocks, struct smc_text *out);

/* Whether the numbers are those of compiled source: a kernel of the catalog, or the user's. */
bool smc_words_is_compiled(const struct smc_answer *answer);

/* Whether the registers per thread are known. They are not if ptxas refused the kernel, or if the
   user's kernel was described without them. */
bool smc_words_regs_known(const struct smc_answer *answer);

/* The kernel of the catalog or of a file; NULL if the launch was described by numbers. */
const char *smc_words_kernel_name(const struct smc_query *query);

/* "saxpy of x.cu; its launch bounds allow blocks of at most 256 threads". */
void smc_words_file_kernel(const struct smc_file_kernel *kernel, struct smc_text *out);

/* Where the registers per thread are from: "given", "NVRTC 13.0, sm_90", "x.cu, NVRTC 13.0, sm_90".
 */
enum { SMC_REGS_SOURCE_CHARS = 192 };
void smc_words_regs_source(const struct smc_answer *answer, char text[SMC_REGS_SOURCE_CHARS]);
/* "setmaxnreg sets 40 to 232 registers per thread", after `before`; nothing if it is not used. */
void smc_words_set_regs(const struct smc_resources *resources, const char *before,
                        struct smc_text *out);

/* "256 of 512 columns per block: 2 of the 8 resident blocks have theirs at a time, ..."; nothing if
   it uses no Tensor Memory. */
void smc_words_tensor_memory(const struct smc_answer *answer, struct smc_text *out);

/* Appends a word that a shell reads as this text: in single quotes where it needs them. */
void smc_words_quote(const char *text, struct smc_text *out);

/* Blanks for SMC_TIE: for JSON and CSV, where no line is broken. */
void smc_words_untie(struct smc_text *text);

/* " (registers estimated from sm_75)" where they were compiled for another architecture, or with
   other parameters; else nothing. */
void smc_words_estimated(const struct smc_answer *answer, struct smc_text *out);

/* "~" before such registers in a table, else "". */
const char *smc_words_estimated_mark(const struct smc_answer *answer);

/* Whether more blocks fit on an SM than it holds of clusters (SMC_MOST_CLUSTERED_BLOCKS). */
bool smc_words_is_clustered(const struct smc_answer *answer);

/* "100 %", "62.5 %", for a table; smc_layout_percent is for a paragraph. */
void smc_words_percent(double percent, char text[32]);

/* The first of the limits in a set that is not empty. */
enum smc_limit smc_words_first_limiter(uint32_t limiters);

/* "wr": the letter of each limit in a set. Returns how many there are. */
size_t smc_words_limit_letters(uint32_t limiters, char letters[SMC_LIMIT_COUNT + 1]);

/* Where the register counts of a sweep come from: "given", "NVRTC 13.0". */
void smc_words_sweep_sources(const struct smc_sweep_result *result, struct smc_text *out);

/* What a sweep keeps fixed: "matmul-tiled: float, 1024 x 1024 x 1024", "256 threads, 40 registers".
 */
void smc_words_sweep_subject(const struct smc_sweep *sweep, struct smc_text *out);

/* "NVIDIA H200, CC 9.0", or how many devices are compared. */
void smc_words_sweep_device(const struct smc_sweep *sweep, struct smc_text *out);

/* What every shape of a search shares: "float, 1024 x 1024 x 1024", or "f of x.cu" (tune.c). */
void smc_words_tune_subject(const struct smc_tune *tune, struct smc_text *out);

/* "CC 9.0", or a board's name without its brand. */
void smc_words_device(const struct smc_device *device, struct smc_text *out);

/* --- Predicted times -------------------------------------------------------------------------- */

/* The unit for a time, "us", "ms" or "s", and how many of it a millisecond has. */
double smc_words_time_unit(double ms, const char **name);

/* "0.25 ms", "25.1 us", "3.2 s", for a paragraph; three digits. */
void smc_words_time(double ms, struct smc_text *out);

/* "0.25 ms (0.24 to 0.27)", all of one unit. */
void smc_words_time_range(const struct smc_time *time, struct smc_text *out);

/* "0.248", "-" where it is 0, for unknown: milliseconds with three digits, for a table. */
void smc_words_time_cell(double ms, char text[24]);

/* One letter for a crowded table: 'd' for DRAM. */
char smc_words_time_letter(enum smc_time_term term);

/* "16x5 18x2 8": five groups of 16 SMs and so on; "" if they are not known. */
void smc_words_sm_groups(const struct smc_sm_groups *groups, struct smc_text *out);

#endif
