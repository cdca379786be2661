/* C++ names as in the source, through libiberty where configure found it. */
#include "config.h"

#include <string.h>

#include "base/memory.h"
#include "code/user_kernels.h"

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>
#include <setjmp.h>

/* A name of a few hundred bytes can expand to more text than fits in memory, and a long name makes
   the demangler recurse deeply: both lengths are limited. */
enum { LONGEST_NAME = 4096, LONGEST_RESULT = 16384 };

struct result {
    struct smc_text text;
    jmp_buf too_long;
};

static void user_kernels_take(const char *text, size_t length, void *context)
{
    struct result *result = context;
    if (length > LONGEST_RESULT || result->text.length + length > LONGEST_RESULT)
        longjmp(result->too_long, 1);
    smc_text_append_bytes(&result->text, text, length);
}

/* The demangler allocates no memory itself, so it is safe to jump out of it. */
static bool demangle(const char *name, struct result *result)
{
    if (setjmp(result->too_long))
        return false;
    return cplus_demangle_v3_callback(name, DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT,
                                      user_kernels_take, result) != 0;
}

char *smc_demangle(const char *name)
{
    struct result result = {.text = {0}};
    if (strncmp(name, "_Z", 2) != 0 || strlen(name) > LONGEST_NAME)
        return smc_strdup(name);
    if (demangle(name, &result) && !result.text.failed && result.text.data)
        return result.text.data;
    smc_text_free(&result.text);
    return smc_strdup(name);
}

#else

char *smc_demangle(const char *name)
{
    return smc_strdup(name);
}

#endif
