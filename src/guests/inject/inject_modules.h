/* The machine code of the modules that the program loads. */
#ifndef SMC_GUESTS_INJECT_MODULES_H
#define SMC_GUESTS_INJECT_MODULES_H

#include <stddef.h>

/* Writes the code to a file of the folder that is named by its content, unless it is there, and
   notes the file. */
void modules_keep(const void *code, size_t bytes);

#endif
