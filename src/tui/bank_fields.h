/* What a person sets about banks: each field's value, where it comes from, and how it changes.
   Pure: a field changes a choice, nothing else. */
#ifndef SMC_TUI_BANK_FIELDS_H
#define SMC_TUI_BANK_FIELDS_H

#include "base/status.h"
#include "tui/banks_state.h"
#include "tui/fields.h"

/* Those that mean something for what is looked at, in order; never none. */
size_t smc_bank_fields_shown(const struct smc_banks_state *banks,
                             enum smc_bank_field list[SMC_BANK_FIELD_COUNT]);

void smc_bank_field_show(const struct smc_banks_state *banks, enum smc_bank_field field,
                         struct smc_field_view *view);

/* What may be typed, and what the line begins with. */
void smc_bank_field_hint(const struct smc_banks_state *banks, enum smc_bank_field field,
                         char hint[128]);
const char *smc_bank_field_begun(const struct smc_banks_state *banks, enum smc_bank_field field);

/* One step down or up, or a large one; stays at the ends. `choice` begins as the present one. */
void smc_bank_field_step(const struct smc_banks_state *banks, enum smc_bank_field field,
                         int direction, bool far, struct smc_banks_choice *choice);

/* The other of two; false where the field is no switch. */
bool smc_bank_field_flip(const struct smc_banks_state *banks, enum smc_bank_field field,
                         struct smc_banks_choice *choice);

/* As typed. SMC_USAGE with a message that names the value and what is allowed; `choice` is then
   unchanged. */
enum smc_status smc_bank_field_type(const struct smc_banks_state *banks, enum smc_bank_field field,
                                    const char *typed, struct smc_banks_choice *choice,
                                    struct smc_error *error);

/* Not set any more; what has no default stays. */
void smc_bank_field_reset(const struct smc_banks_state *banks, enum smc_bank_field field,
                          struct smc_banks_choice *choice);

#endif
