/* Kernels of a source that were not compiled, although the program may launch them. */
#include "config.h"

#include "code/readers/left_out.h"

#include <stdio.h>
#include <string.h>

#include "code/source/library_calls.h"
#include "code/source/unlaunched.h"

enum { MOST_LINES = 4, MOST_NAMED = 8 };

/* Whether a warning has named the launches of the kernel. */
static bool left_out_is_named(const struct smc_text *warnings, const char *name)
{
    const char *line = smc_text_string(warnings);
    const size_t length = strlen(name);
    while ((line = strstr(line, "this launch of "))) {
        const char *end = line + strcspn(line, "\n");
        for (const char *s = line; (s = memmem(s, (size_t)(end - s), name, length)); s++)
            if ((s[-1] == ' ' || s[-1] == ':') && (s[length] == ' ' || s[length] == '<'))
                return true;
        line = end;
    }
    return false;
}

static bool is_asked(const char *name, const struct smc_inspect_request *request)
{
    const struct smc_inspect_kernel kernel = {.name = (char *)name, .shown = (char *)name};
    return smc_user_kernel_is_requested(&kernel, request);
}

/* Launches that the compiler's warnings name. */
static size_t left_out_count_launches(const char *warnings,
                                      const struct smc_inspect_request *request)
{
    static const char before[] = "this launch of ", after[] = " was left out";
    size_t count = 0;
    while ((warnings = strstr(warnings, before))) {
        char name[256];
        warnings += sizeof before - 1;
        const char *end = strstr(warnings, after);
        snprintf(name, sizeof name, "%.*s", end ? (int)(end - warnings) : 0, warnings);
        count += is_asked(name, request);
    }
    return count;
}

struct telling {
    const struct smc_source_tree *tree;
    const struct smc_inspect_request *request;
    struct smc_text *warnings;
    struct smc_instantiations launches;
};

/* The next template to be mentioned; `name` receives its name. */
static bool left_out_next(const struct telling *telling, struct smc_unlaunched *found,
                          char name[256])
{
    found->launches = &telling->launches;
    while (smc_unlaunched_next(telling->tree, found)) {
        snprintf(name, 256, "%.*s", (int)found->name_length, found->name);
        if ((found->is_own || found->is_mentioned) && is_asked(name, telling->request) &&
            !left_out_is_named(telling->warnings, name))
            return true;
    }
    return false;
}

static const char reason[] = "no launch with known template arguments was found";

/* The templates of one file in a line. */
static void tell_many(const struct telling *telling, const char *file)
{
    struct smc_text *warnings = telling->warnings;
    struct smc_unlaunched found = {0};
    smc_auto_text names = {0};
    char name[256];
    size_t count = 0;
    while (left_out_next(telling, &found, name))
        if (found.file == file && count++ < MOST_NAMED)
            smc_text_printf(&names, "%s%s (line %u)", count > 1 ? ", " : "", name, found.line);
    if (count > MOST_NAMED)
        smc_text_printf(&names, " and %zu more", count - MOST_NAMED);
    smc_text_safe_line(warnings, "%s: %zu kernels: %s, so they are left out: %s", file, count,
                       reason, smc_text_string(&names));
    warnings->failed |= names.failed;
}

static size_t left_out_count_of(const struct telling *telling, const char *file, size_t *mentioned)
{
    struct smc_unlaunched found = {0};
    char name[256];
    size_t count = 0;
    while (left_out_next(telling, &found, name)) {
        count += found.file == file;
        *mentioned += found.file == file && found.is_mentioned;
    }
    return count;
}

static void tell_each(const struct telling *telling, const char *file)
{
    struct smc_unlaunched found = {0};
    char name[256];
    while (left_out_next(telling, &found, name))
        if (found.file == file)
            smc_text_safe_line(telling->warnings, "%s:%u: kernel %s: %s, so it is left out", file,
                               found.line, name, reason);
}

/* The first `MOST_NAMED` different names, and where each is called first. Returns how many calls
   there are. */
static size_t list_calls(const struct smc_source_tree *tree,
                         const struct smc_inspect_request *request, const char **file,
                         struct smc_text *names)
{
    struct smc_library_call call = {.file = NULL};
    size_t count = 0, named = 0, more = 0;
    while (smc_library_call_next(tree, &call)) {
        char entry[128];
        if (!is_asked(call.name, request))
            continue;
        *file = count++ == 0 ? call.file : *file;
        snprintf(entry, sizeof entry, "%s (line ", call.name);
        if (names->data && strstr(names->data, entry))
            continue;
        if (named == MOST_NAMED) {
            more++;
            continue;
        }
        smc_text_printf(names, "%s%s", named++ > 0 ? ", " : "", entry);
        if (call.file == *file)
            smc_text_printf(names, "%u)", call.line);
        else
            smc_text_printf(names, "%u of %s)", call.line, call.file);
    }
    if (more > 0)
        smc_text_printf(names, " and %zu more", more);
    return count;
}

/* Even where nothing is called. */
static void tell_header(const struct smc_source_tree *tree, struct smc_text *remarks)
{
    const char *file;
    uint32_t line;
    const char *name = smc_library_header_find(tree, &file, &line);
    if (name)
        smc_text_safe_line(remarks,
                           "%s:%u: includes %.*s: what nvcc compiles of its headers, such as "
                           "cub::EmptyKernel, is not listed",
                           file, line, (int)strcspn(name, ">\""), name);
}

/* Kernels of Thrust and CUB: their names are unknown until they are compiled. */
static void tell_calls(const struct smc_source_tree *tree,
                       const struct smc_inspect_request *request,
                       struct smc_inspect_kernels *kernels, struct smc_inspect_notes *notes)
{
    smc_auto_text names = {0};
    const char *file = "";
    const size_t count = list_calls(tree, request, &file, &names);
    if (count > 0)
        smc_text_safe_line(&notes->warnings,
                           "%s: %zu call%s Thrust or CUB, whose kernels only nvcc compiles, so "
                           "they are left out: %s",
                           file, count, count > 1 ? "s of" : " of", smc_text_string(&names));
    else if (request->pattern_count == 0)
        tell_header(tree, &notes->remarks);
    kernels->left_out += count;
    notes->warnings.failed |= names.failed;
}

void smc_left_out_tell(struct smc_source_tree *tree, const struct smc_inspect_request *request,
                       struct smc_inspect_kernels *kernels, size_t begin, size_t told,
                       struct smc_inspect_notes *notes)
{
    kernels->left_out += left_out_count_launches(smc_text_string(&notes->warnings) + told, request);
    for (size_t i = begin; i < kernels->count; i++)
        smc_unlaunched_mark(tree, kernels->item[i].name, kernels->item[i].shown);
    struct telling telling = {tree, request, &notes->warnings, {0}};
    notes->warnings.failed |= !smc_instantiations_find(tree, &telling.launches);
    for (size_t k = 0; k < tree->count; k++) {
        const char *file = tree->file[k].path;
        size_t count = left_out_count_of(&telling, file, &kernels->left_out);
        if (count > MOST_LINES)
            tell_many(&telling, file);
        else if (count > 0)
            tell_each(&telling, file);
    }
    smc_instantiations_free(&telling.launches);
    tell_calls(tree, request, kernels, notes);
}
