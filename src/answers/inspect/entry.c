/* The kernels of a file that a command is about: chosen by name, and as one device would load
   them. */
#include "answers/inspect.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse.h"
#include "code/user_kernels.h"

/* More names than this would hide the rest of a message. */
enum { MOST_NAMES = 8, NAME_CHARS = 48 };

char *smc_entry_short_name(const struct smc_inspect_kernel *kernel)
{
    smc_auto_text bare = {0};
    smc_name_append_bare(kernel, true, &bare);
    const char *text = smc_text_string(&bare);
    return bare.failed ? NULL : smc_strdup(*text ? text : kernel->shown);
}

/* --- By name ---------------------------------------------------------------------------------- */

static bool entry_names(const struct smc_inspect_kernel *kernel, const char *entry, bool exactly)
{
    if (!entry)
        return true;
    return exactly ? smc_name_is_of_kernel(kernel, entry) : smc_name_matches_kernel(kernel, entry);
}

static void add_matches(const struct smc_inspect_kernels *kernels, const char *entry, bool exactly,
                        struct smc_entries *entries)
{
    for (size_t i = 0; i < kernels->count; i++)
        if (entry_names(&kernels->item[i], entry, exactly) && smc_user_kernels_is_first(kernels, i))
            entries->item[entries->count++] = &kernels->item[i];
}

/* "a, b, c and 9 more". */
static void entry_list_names(const struct smc_entries *entries, struct smc_text *list)
{
    for (size_t i = 0; i < entries->count && i < MOST_NAMES; i++) {
        smc_auto_free char *name = smc_entry_short_name(entries->item[i]);
        size_t length = name ? strlen(name) : 0;
        smc_text_printf(list, "%s%.*s%s", i ? ", " : "", NAME_CHARS, name ? name : "",
                        length > NAME_CHARS ? "..." : "");
    }
    if (entries->count > MOST_NAMES)
        smc_text_printf(list, " and %zu more", entries->count - MOST_NAMES);
}

bool smc_entries_list(const struct smc_inspect_kernels *kernels, struct smc_text *list)
{
    SMC_AUTO(smc_entries_free)
    struct smc_entries all = {.item = smc_calloc(kernels->count + 1, sizeof *all.item)};
    const bool has_memory = all.item;
    if (has_memory)
        add_matches(kernels, NULL, true, &all);
    entry_list_names(&all, list);
    return has_memory && !list->failed;
}

/* A pattern for a name as reports shorten it: "k<float, policy<..>>" of "k<float, a::policy<4> >"
   becomes "k<*float, *policy<***>*>*". "": it is no such name. */
static void append_pattern(const char *entry, struct smc_text *pattern)
{
    for (const char *c = entry; *c && strchr(entry, '<'); c++) {
        const bool begins =
            c > entry && (c[-1] == '<' || c[-1] == ' ') && isalpha((unsigned char)*c);
        const bool cut = c[0] == '.' && c[1] == '.';
        if (begins || cut || *c == '>')
            smc_text_append(pattern, "*");
        if (!cut)
            smc_text_append_char(pattern, *c, 1);
        c += cut;
    }
}

/* Considers the names with and without template arguments. The names must outlive the message. */
static enum smc_status entry_fail_unknown(const struct smc_entries *all, const char *file,
                                          const char *entry, struct smc_error *error)
{
    struct smc_suggestion suggestion = {.typed = entry};
    smc_auto_text list = {0}, hint = {0}, nearest = {0};
    for (size_t i = 0; i < all->count; i++)
        for (int arguments = 0; arguments < 2; arguments++) {
            smc_auto_text bare = {0};
            smc_name_append_bare(all->item[i], arguments, &bare);
            smc_suggest_consider(&suggestion, smc_text_string(&bare));
            if (suggestion.best == smc_text_string(&bare)) {
                smc_text_free(&nearest);
                smc_text_append(&nearest, suggestion.best);
                suggestion.best = smc_text_string(&nearest);
            }
        }
    entry_list_names(all, &list);
    smc_text_printf(&hint, "%s has %s", file, smc_text_string(&list));
    return smc_suggest_fail(&suggestion, "option --entry", "kernel", smc_text_string(&hint), error);
}

enum smc_status smc_entries_choose(const struct smc_inspect_kernels *kernels, const char *file,
                                   const char *entry, struct smc_entries *entries,
                                   struct smc_error *error)
{
    entries->item = smc_calloc(kernels->count + 1, sizeof *entries->item);
    if (!entries->item)
        return smc_out_of_memory(error);
    add_matches(kernels, entry, true, entries);
    if (entries->count == 0)
        add_matches(kernels, entry, false, entries);
    if (entries->count == 0 && entry) {
        smc_auto_text pattern = {0};
        append_pattern(entry, &pattern);
        if (pattern.length > 0 && !pattern.failed)
            add_matches(kernels, pattern.data, false, entries);
    }
    if (entries->count > 0)
        return SMC_OK;
    add_matches(kernels, NULL, true, entries);
    if (entries->count == 0)
        return smc_fail(error, SMC_USAGE, "%s: no kernel in it", file);
    return entry_fail_unknown(entries, file, entry, error);
}

enum smc_status smc_entries_need_one(const struct smc_entries *entries, const char *file,
                                     const char *entry, struct smc_error *error)
{
    smc_auto_text list = {0};
    if (entries->count == 1)
        return SMC_OK;
    entry_list_names(entries, &list);
    if (entry)
        smc_fail(error, SMC_USAGE, "option --entry: '%.64s' names %zu kernels of %s: %s", entry,
                 entries->count, file, smc_text_string(&list));
    else
        smc_fail(error, SMC_USAGE, "%s: choose one of its %zu kernels with --entry NAME: %s", file,
                 entries->count, smc_text_string(&list));
    return SMC_USAGE;
}

void smc_entries_free(struct smc_entries *entries)
{
    free(entries->item);
    *entries = (struct smc_entries){0};
}

/* --- On a device ------------------------------------------------------------------------------ */

void smc_entry_assume_device(const struct smc_inspect_kernels *kernels,
                             const struct smc_inspect_kernel *entry, struct smc_query *query)
{
    struct smc_capability capability;
    const uint16_t cc = query->device.sm.cc;
    if (!query->device_assumed ||
        smc_architecture_loads(smc_user_kernels_best_version(kernels, entry, cc), cc) ||
        !smc_capability_find(entry->cc, &capability))
        return;
    query->device_assumed = false;
    smc_device_of_capability(&capability, &query->device);
}

/* "NVRTC 13.0, sm_90"; the architecture and the compiler's version may be unknown. */
static void describe_origin(const struct smc_inspect_kernel *version,
                            struct smc_file_kernel *loaded)
{
    char architecture[SMC_INSPECT_ARCHITECTURE] = "", release[32] = "";
    const struct smc_resources *resources = &version->resources;
    if (version->cc)
        smc_architecture_name(version, architecture);
    if (resources->nvrtc_major && version->source == SMC_INSPECT_NVRTC)
        snprintf(release, sizeof release, " %d.%d", resources->nvrtc_major, resources->nvrtc_minor);
    snprintf(loaded->origin, sizeof loaded->origin, "%.30s%s%s%s",
             smc_user_kernel_source_words(version->source), release, version->cc ? ", " : "",
             architecture);
    snprintf(loaded->origin_name, sizeof loaded->origin_name, "%s%.24s%s%s%s",
             loaded->resources.source == SMC_RESOURCES_ASSUMED ? "assumed " : "",
             smc_user_kernel_source_name(version->source), release, version->cc ? " " : "",
             architecture);
}

void smc_entry_on_device(const struct smc_inspect_kernels *kernels,
                         const struct smc_inspect_kernel *entry, const struct smc_device *device,
                         struct smc_file_kernel *loaded)
{
    const struct smc_inspect_kernel *version =
        smc_user_kernels_best_version(kernels, entry, device->sm.cc);
    *loaded = (struct smc_file_kernel){
        .name = entry->shown,
        .file = entry->file,
        .resources = version->resources,
        .spills_known = version->has_spills && version->has_stack,
        .max_threads_per_block = version->max_threads_per_block,
        .required_threads_per_block = version->required_threads_per_block,
        .blocks_per_cluster = version->blocks_per_cluster,
        .tmem_columns = version->tmem_columns,
    };
    struct smc_resources *resources = &loaded->resources;
    resources->cc = version->cc;
    resources->source =
        smc_architecture_loads(version, device->sm.cc) ? SMC_RESOURCES_FILE : SMC_RESOURCES_ASSUMED;
    if (version->smem_has_reserve)
        resources->static_smem_bytes =
            smc_architecture_without_reserve(resources->static_smem_bytes, device->sm.cc);
    if (!version->has_barriers)
        resources->barriers = 1;
    describe_origin(version, loaded);
}
