/* The name this program was called by, for hints: a command in a hint works when pasted. */
#ifndef SMC_BASE_PROGRAM_H
#define SMC_BASE_PROGRAM_H

#include "base/text.h"

/* From $SMEMCALC_PROGRAM, which a script that starts the program sets to its own name, else from
   argv[0], which may be NULL. Call it once, before the first hint. */
void smc_program_set_name(const char *argv0);

/* The name, quoted for a shell if necessary; "smemcalc" before the name was set. */
const char *smc_program_name(void);

/* Appends a fixed text in which each command "smemcalc ..." begins with the program's name. */
void smc_program_append(struct smc_text *out, const char *text);

#endif
