/* How machine code was compiled: the toolkit, and the options that change code. */
#ifndef SMC_CODE_BUILD_NOTE_H
#define SMC_CODE_BUILD_NOTE_H

#include <stddef.h>

struct smc_build_note {
    char toolkit[16]; /* "13.0.88"; "": unknown */
    char options[64]; /* "-O1 -maxrregcount=32"; "": none, or unknown. Those that only name files,
                         the architecture or the messages are left out. */
};

/* Reads the section .note.nv.tkinfo, which need not be well-formed. The note of
   linked code has a record for each tool: the first toolkit counts, and the options of all tools.
 */
void smc_build_note_read(const void *note, size_t bytes, struct smc_build_note *build);

#endif
