/* Which kernel of a file a user's words mean. */
#include "hardware/user.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "code/names.h"
#include "code/user_kernels.h"

/* The name without return type and parameters: "void scale<int>(int*)" becomes scale<int>,
   "scale(float*)" becomes scale. */
static bool has_source_name(const char *shown, const char *entry)
{
    static const char result[] = "void ";
    if (smc_begins(shown, result))
        shown += strlen(result);
    size_t length = strlen(entry);
    return strncmp(shown, entry, length) == 0 && (shown[length] == '(' || shown[length] == '<');
}

/* For a build without a demangler: _Z5scalePf. */
static bool has_plain_name(const char *name, const char *entry)
{
    char start[32];
    snprintf(start, sizeof start, "_Z%zu", strlen(entry));
    return smc_begins(name, start) && smc_begins(name + strlen(start), entry);
}

/* In this order: the first way in which a name means a kernel counts. */
enum meaning { EXACT, AS_SHOWN, AS_WRITTEN, IN_ANY_NAMESPACE, MEANINGS };

static bool is_meant(const struct smc_inspect_kernel *kernel, const char *entry, enum meaning way)
{
    switch (way) {
    case EXACT:
        return strcmp(kernel->name, entry) == 0;
    case AS_SHOWN:
        return strcmp(kernel->shown, entry) == 0 || has_source_name(kernel->shown, entry) ||
               has_plain_name(kernel->name, entry);
    case AS_WRITTEN:
        return smc_name_is_like(kernel->shown, entry, false);
    default:
        return smc_name_is_like(kernel->shown, entry, true);
    }
}

/* Lists all kernels of the file, or those that `entry` may mean in the way. */
static enum smc_status user_fail_choice(const struct smc_inspect_kernels *kernels, const char *file,
                                        const char *entry, enum meaning way,
                                        struct smc_error *error)
{
    smc_auto_text list = {0};
    bool several = entry && way < MEANINGS;
    for (size_t i = 0; i < kernels->count; i++)
        if (smc_user_kernels_is_first(kernels, i) &&
            (!several || is_meant(&kernels->item[i], entry, way)))
            smc_text_printf(&list, "%s%s", list.length ? ", " : "", kernels->item[i].shown);
    if (!entry)
        smc_fail(error, SMC_USAGE, "option --entry: needed to choose a kernel of %.256s: %.640s",
                 file, smc_text_string(&list));
    else if (several)
        smc_fail(error, SMC_USAGE,
                 "option --entry: '%.128s' is more than one kernel of %.256s: %.512s", entry, file,
                 smc_text_string(&list));
    else
        smc_fail(error, SMC_USAGE,
                 "option --entry: '%.128s' is no kernel of %.256s, which has %.512s", entry, file,
                 smc_text_string(&list));
    return SMC_USAGE;
}

enum smc_status smc_user_choose(const struct smc_inspect_kernels *kernels, const char *file,
                                const char *entry, const struct smc_inspect_kernel **kernel,
                                struct smc_error *error)
{
    if (kernels->count == 0)
        return smc_fail(error, SMC_USAGE, "%s: no kernel in it: no __global__ function", file);
    *kernel = &kernels->item[0];
    size_t versions = 1; /* of the first, each for another architecture */
    while (versions < kernels->count && !smc_user_kernels_is_first(kernels, versions))
        versions++;
    if (!entry)
        return versions == kernels->count ? SMC_OK
                                          : user_fail_choice(kernels, file, NULL, MEANINGS, error);
    for (enum meaning way = EXACT; way < MEANINGS; way++) {
        size_t found = 0;
        for (size_t i = 0; i < kernels->count; i++)
            if (smc_user_kernels_is_first(kernels, i) && is_meant(&kernels->item[i], entry, way) &&
                found++ == 0)
                *kernel = &kernels->item[i];
        if (found > 0)
            return found == 1 || way == EXACT ? SMC_OK
                                              : user_fail_choice(kernels, file, entry, way, error);
    }
    return user_fail_choice(kernels, file, entry, MEANINGS, error);
}
