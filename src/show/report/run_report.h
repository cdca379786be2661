/* A run in words: the kernel, the device, the value of each source, how many predictions hold. */
#ifndef SMC_SHOW_RUN_REPORT_H
#define SMC_SHOW_RUN_REPORT_H

#include "base/text.h"
#include "hardware/confirmed_launch.h"

/* "matmul-tiled: tile 32, float, 1024 x 1024 x 1024"; nothing for the user's own kernel. */
void smc_words_run_kernel(const struct smc_answer *answer, struct smc_text *out);

/* "NVIDIA H200, CC 9.0, 132 SMs". */
void smc_words_run_device(const struct smc_device *device, struct smc_text *out);

/* "driver for CUDA 13.0, runtime 13.0"; nothing if they are unknown. */
void smc_words_run_driver(const struct smc_run_result *result, struct smc_text *out);

/* "confirmed: 8 confirmed, 0 differ, 1 not measured". */
void smc_words_verdicts(const struct smc_confirmation *confirmation, struct smc_text *out);

/* The sources of a row, in the order of their columns, and the headings of these. */
enum smc_source_column { SMC_PREDICTED, SMC_BY_API, SMC_EMULATED, SMC_MEASURED, SMC_ROW_SOURCES };
extern const char *const smc_source_headings[SMC_ROW_SOURCES]; /* "predicted", ... */
const struct smc_reading *smc_row_reading(const struct smc_row *row, int column);

/* "8192 B", "0.5386 ms", "yes", "warps+registers"; "-" if the source has no value. */
void smc_words_source(const struct smc_row *row, const struct smc_reading *reading,
                      char text[SMC_ROW_WORDS]);

/* Whether any row has a value of the emulator; its column is omitted otherwise. */
bool smc_words_any_emulated(const struct smc_confirmation *confirmation);

#endif
