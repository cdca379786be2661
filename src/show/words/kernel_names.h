/* C++ kernels by names that fit a terminal: the shortest form of each that is still distinct. */
#ifndef SMC_SHOW_KERNEL_NAMES_H
#define SMC_SHOW_KERNEL_NAMES_H

#include "answers/inspect.h"
#include "answers/trace_answer.h"

/* Appends "k<float, policy<..>>" of "void a::k<float, b::policy<4>>(int)": the last component, and
   template arguments without namespaces and without their own arguments. */
void smc_kernel_name_brief(const char *shown, struct smc_text *out);

/* Appends "a::k<float, b::policy<..>>": without return type, parameters and the arguments of
   arguments. */
void smc_kernel_name_shorten(const char *shown, struct smc_text *out);

/* Appends a name as lines of at most so many columns; all but the first are indented. */
void smc_kernel_name_wrap(const char *text, size_t columns, struct smc_text *out);

/* The forms that several kernels share. */
enum { SMC_KERNEL_NAME_FORMS = 5 };
struct smc_kernel_names {
    char **ambiguous[SMC_KERNEL_NAME_FORMS]; /* ascending */
    size_t count[SMC_KERNEL_NAME_FORMS];
};

/* `shown`: the demangled names. A name that occurs twice does not need a longer form. */
void smc_kernel_names_init(struct smc_kernel_names *names, const char *const *shown, size_t count);
void smc_kernel_names_of_trace(struct smc_kernel_names *names,
                               const struct smc_trace_answer *answer);
void smc_kernel_names_free(struct smc_kernel_names *names);

/* Appends the shortest form that is distinct: brief with the first template arguments alone, brief,
   with the arguments' own arguments, with namespaces, the whole name. */
void smc_kernel_names_choose(const struct smc_kernel_names *names, const char *shown,
                             struct smc_text *out);

/* The same as the heading of a kernel, wrapped within `columns`. */
void smc_kernel_names_append(const struct smc_kernel_names *names, const char *shown,
                             size_t columns, struct smc_text *out);

#endif
