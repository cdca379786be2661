/* What a person sets in the explorer: each field's value, where it comes from, and how it changes.
   Pure: a field changes a query, nothing else. */
#ifndef SMC_TUI_FIELDS_H
#define SMC_TUI_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "query/query.h"
#include "tui/widgets.h"

enum smc_field {
#define FIELD(id, label) SMC_FIELD_##id,
#include "tui/fields.def"
    SMC_FIELD_FIRST_PARAM,
    SMC_FIELD_LAST_PARAM = SMC_FIELD_FIRST_PARAM + SMC_PARAM_COUNT - 1,
#define FIELD_BEHIND(id, label) SMC_FIELD_##id,
#include "tui/fields.def"
    SMC_FIELD_COUNT
};

/* The field of a parameter. */
enum smc_field smc_field_of_param(enum smc_param param);

/* Those that mean something for the query's kernel and device, in order. */
size_t smc_fields_shown(const struct smc_query *query, enum smc_field list[SMC_FIELD_COUNT]);

const char *smc_field_label(enum smc_field field);

/* `answer`: of the query, as far as there is one. */
void smc_field_show(const struct smc_query *query, const struct smc_answer *answer,
                    enum smc_field field, struct smc_field_view *view);

/* Where a register count comes from: "NVRTC 13.0", "table", "assumed", "given". */
void smc_field_source(const struct smc_resources *resources, char text[40]);

/* What may be typed: "1 to 32", "a board or a compute capability". */
void smc_field_hint(const struct smc_query *query, enum smc_field field, char hint[128]);

/* Fills the list of what a field can be; false where it is a number. */
bool smc_field_pick(const struct smc_query *query, enum smc_field field, struct smc_pick *pick);

/* One step down or up, or a large one; stays at the ends. */
void smc_field_step(struct smc_query *query, const struct smc_answer *answer, enum smc_field field,
                    int direction, bool far);

/* As typed. SMC_USAGE with a message that names the value and what is allowed; `query` is then
   unchanged. */
enum smc_status smc_field_type(struct smc_query *query, enum smc_field field, const char *typed,
                               struct smc_error *error);

/* Not given any more. */
void smc_field_reset(struct smc_query *query, enum smc_field field);

/* Gives the query another kernel; parameters that both take keep their values. NULL: a person's
   own, with the threads and the shared memory of the one before. */
void smc_field_set_kernel(struct smc_query *query, const struct smc_kernel *kernel);

#endif
