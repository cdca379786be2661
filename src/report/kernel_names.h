/* C++ kernels by names that fit a terminal: without the parameter list, and with only the outermost
   template arguments if the names are then still distinct. */
#ifndef SMC_REPORT_KERNEL_NAMES_H
#define SMC_REPORT_KERNEL_NAMES_H

#include "inspect/inspect.h"

/* Appends the short form. */
void smc_kernel_name_shorten(const char *name, struct smc_text *out);

/* The heading of a kernel: its short name, or the whole one where another kernel of the `count`
   has the same; wrapped within `columns`, indented by `indent`. */
struct smc_kernel_names {
    char **ambiguous; /* ascending */
    size_t count;
};

void smc_kernel_names_init(struct smc_kernel_names *names, const char *const *shown, size_t count);
void smc_kernel_names_free(struct smc_kernel_names *names);
void smc_kernel_names_append(const struct smc_kernel_names *names, const char *shown,
                             size_t columns, struct smc_text *out);

#endif
