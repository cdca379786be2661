/* The parts that the text report is made of, one file each. */
#ifndef SMC_SHOW_TEXT_PARTS_H
#define SMC_SHOW_TEXT_PARTS_H

#include "show/report/report.h"
#include "show/words/layout.h"

/* The line that names the GPU; nothing where none ran. */
void smc_text_machine_line(const char *host_name, const char *gpu_uuid, struct smc_text *out);

/* The line of a run's device; `driver` may be empty, and `query`, which says whether the device is
   assumed, NULL. */
void smc_text_run_device_line(const struct smc_device *device, const char *driver,
                              const char *runtime, const struct smc_query *query,
                              struct smc_text *out);
enum smc_emphasis smc_verdict_emphasis(enum smc_verdict verdict);

#define WRITER(kind, list, parameters, arguments)                                                  \
    SMC_WRITER_DECLARE(void smc_text_##kind(SMC_WRITER_LIST parameters,                            \
                                                                                                   \
                                            struct smc_text *out);)
#include "show/report/writers.def"

/* The first lines of an answer, for other reports that begin alike. */
void smc_text_kernel_line(const struct smc_answer *answer, struct smc_text *out);
void smc_text_device_line(const struct smc_answer *answer, struct smc_text *out);
void smc_text_block_line(const struct smc_answer *answer, struct smc_text *out);
/* The call that must come before the launch, and whether a cooperative grid fits; nothing
   otherwise. `shown` as for smc_words_opt_in. */
void smc_text_opt_in_line(const struct smc_answer *answer, const char *shown, struct smc_text *out);
void smc_text_cooperative_line(const struct smc_answer *answer, struct smc_text *out);
void smc_text_limits(const struct smc_answer *answer, struct smc_text *out);
void smc_text_advice(const struct smc_answer *answer, struct smc_text *out);
/* For an answer with work, an item on each line: what is loaded, computed, and what bounds it. */
void smc_text_append_work(const struct smc_answer *answer, struct smc_text *items);
void smc_text_explain(const struct smc_answer *answer, struct smc_text *out);
void smc_text_fleet(const struct smc_fleet *fleet, struct smc_text *out);
/* The rows of a run as a table; `all` also with the sources that no row has. */
void smc_text_rows(const struct smc_confirmation *confirmation, bool all, struct smc_text *out);
/* The kernel's lines with the emulator's counts; nothing where there are none. */
void smc_text_annotation(const struct smc_annotation *annotation, struct smc_text *out);
/* A line a ceiling, and where they are from; nothing where they are unknown. */
void smc_text_ceilings(const struct smc_ceilings *ceilings, const struct smc_device *device,
                       struct smc_text *out);
void smc_text_sweep(const struct smc_sweep_result *result, struct smc_text *out);
/* What a proposal cannot know of a kernel. */
void smc_text_best_caveat(struct smc_text *out);
size_t smc_text_inspection(const struct smc_inspect_rows *rows, size_t first, struct smc_text *out);

/* What removes the bank conflicts of a run; nothing where there are none. */
void smc_text_conflict_fix(const struct smc_conflict_fix *fix, const char *file,
                           struct smc_text *out);

/* A table after an empty line: of a kernel of a file, with the variables of its module; of a launch
   of one, with its arrays; of a kernel of the catalog, with its arrays (nothing for an answer about
   numbers alone, or the probe). Nothing where it was not compiled. What is not known is said. */
void smc_text_memory_of_row(const struct smc_inspect_row *row, struct smc_text *out);
void smc_text_memory_of_run(const struct smc_user_run *run, struct smc_text *out);
void smc_text_memory_of_answer(const struct smc_answer *answer, struct smc_text *out);

/* "confirmed: 107 quantities of 7 runs, 0 differ, 49 not measured": the verdict of all, and the
   quantities of each, shown in the table or not. */
void smc_words_series_verdicts(const struct smc_series *series, struct smc_text *out);

/* "2 runs were not started: aat-padded, pad 1; aat-swizzled"; of many runs only their
   number, of none nothing. */
void smc_words_series_not_started(const struct smc_series *series, struct smc_text *out);

/* One line without its end: "31 bank conflicts per warp at k.cu:41, a load with a stride of 128 B:
   pad each row of 32 elements by 1 element; 2 of 8 accesses cannot be followed". "no bank conflicts
   in 8 accesses". Nothing if the kernel does not access shared memory. */
void smc_words_bank_accesses(const struct smc_bank_accesses *accesses, struct smc_text *out);

/* The nearest changes that gain blocks, an item on each line: "a third block needs 28 registers or
   fewer (75 %)". */
void smc_text_gains(const struct smc_answer *answer, struct smc_text *items);

/* Those, and the nearest that lose one; for a launch that fails, what would launch. */
void smc_text_next_steps(const struct smc_answer *answer, struct smc_text *items);

/* The first kernels, style->most_kernels or by default 15, or style->all_kernels; of each the
   configurations that take most of its time, with style->verbose all. */
void smc_trace_table(const struct smc_trace_answer *answer, struct smc_text *out);
void smc_text_trace(const struct smc_trace_answer *answer, struct smc_text *out);
void smc_text_kernels(struct smc_text *out);

#endif
