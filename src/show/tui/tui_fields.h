/* What can be set in the explorer: each field's value, where it comes from, its range, and how it
   changes. Pure: a field changes a query, nothing else. */
#ifndef SMC_SHOW_TUI_FIELDS_H
#define SMC_SHOW_TUI_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "answers/query.h"
#include "base/status.h"
#include "show/tui/widgets.h"

enum smc_field {
#define FIELD(id, label) SMC_FIELD_##id,
#include "show/tui/tui_fields.def"
    SMC_FIELD_FIRST_PARAM,
    SMC_FIELD_LAST_PARAM = SMC_FIELD_FIRST_PARAM + SMC_PARAM_COUNT - 1,
#define FIELD_AFTER(id, label, unit, absent, not_given) SMC_FIELD_##id,
#include "show/tui/tui_fields.def"
    SMC_FIELD_COUNT
};

/* The field of a parameter, and back. */
enum smc_field smc_field_of_param(enum smc_param param);
bool smc_field_is_param(enum smc_field field);
enum smc_param smc_field_param(enum smc_field field);

/* A size of the problem, which does not change how many blocks fit; listed last. */
bool smc_field_is_size(enum smc_field field);

/* The fields that apply to the query's kernel and device, in order. */
size_t smc_fields_shown(const struct smc_query *query, enum smc_field list[SMC_FIELD_COUNT]);

const char *smc_field_label(enum smc_field field);

/* `answer`: to the query, as far as there is one. */
void smc_field_show(const struct smc_query *query, const struct smc_answer *answer,
                    enum smc_field field, struct smc_field_view *view);

/* Where a register count comes from: "NVRTC 13.0", "table", "assumed", "given". */
void smc_field_source(const struct smc_resources *resources, char text[40]);

/* Whether the user chose the value. */
bool smc_field_given(const struct smc_query *query, enum smc_field field);

/* Whether two devices are the same: boards may share a name. */
bool smc_field_is_device(const struct smc_device *a, const struct smc_device *b);

/* Whether a field that holds a number was given the same one in both, or in neither. */
bool smc_field_equal(const struct smc_query *a, const struct smc_query *b, enum smc_field field);

/* The same of all fields, the device and the kernel. */
bool smc_fields_equal(const struct smc_query *a, const struct smc_query *b);

struct smc_field_range {
    int64_t lowest, highest;
    int64_t step, far; /* what a key adds; a far of 0: it doubles or halves */
    bool bytes;        /* 48K may be typed */
};

/* Of a field that holds a number. */
struct smc_field_range smc_field_range(const struct smc_query *query, enum smc_field field);

/* The number in effect: the query's if it was given, else the answer's. */
int64_t smc_field_number(const struct smc_query *query, const struct smc_answer *answer,
                         enum smc_field field);
void smc_field_set_number(struct smc_query *query, enum smc_field field, int64_t value);

/* What may be typed: "between 1 and 32", "a board or a compute capability". */
/* "256", or the shape of a block or a grid if it is known: "32x8". */
void smc_field_write_shape(const struct smc_query *query, enum smc_field field, char text[48]);

void smc_field_hint(const struct smc_query *query, enum smc_field field, char hint[128]);

/* Fills the list of the field's values; false if it has none, since it is a number. */
bool smc_field_pick(const struct smc_query *query, enum smc_field field, struct smc_pick *pick);

/* One step down or up, or a large one; stops at the ends. */
void smc_field_step(struct smc_query *query, const struct smc_answer *answer, enum smc_field field,
                    int direction, bool far);

/* As typed. SMC_USAGE with a message that names the value and what is allowed; `query` is then
   unchanged. */
enum smc_status smc_field_type(struct smc_query *query, enum smc_field field, const char *typed,
                               struct smc_error *error);

/* As if it had not been given. */
void smc_field_reset(struct smc_query *query, enum smc_field field);

/* Makes the kernel of a trace, which query->file_kernel describes, the user's own with the numbers
   that it was launched with. */
void smc_field_leave_trace(struct smc_query *query);

/* Gives the query another kernel; parameters that both have keep their values. NULL: the user's
   own, with the threads and the shared memory of the kernel before. */
void smc_field_set_kernel(struct smc_query *query, const struct smc_kernel *kernel);

#endif
