/* The predicted time of a launch: words for lines and tables, the object of JSON, the arithmetic.
 */
#ifndef SMC_SHOW_TIME_REPORT_H
#define SMC_SHOW_TIME_REPORT_H

#include <jansson.h>

#include "answers/query.h"
#include "show/report/report.h"

/* The line of an answer; nothing without a prediction. */
void smc_text_time_line(const struct smc_answer *answer, struct smc_text *out);

/* Why there is no prediction, where it would be missed. */
void smc_text_no_time(const struct smc_answer *answer, struct smc_text *line);

/* What makes the largest term smaller, an item on each line; nothing without a prediction. */
void smc_text_relief(const struct smc_answer *answer, struct smc_text *items);

/* Every term with what was counted for it, from column `indent` on; nothing without a
   prediction. */
void smc_text_explain_time(const struct smc_answer *answer, size_t indent, struct smc_text *out);

/* The object "time", null if it is unknown. With `measured_ms` > 0 also that and the error. */
json_t *smc_json_time(const struct smc_answer *answer, double measured_ms);

#endif
