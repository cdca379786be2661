/* The architectures that the user's options of the compiler name, and that of a kernel. */
#include "code/compilers.h"

#include "code/user_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "code/source_tree.h"

void smc_architectures_add(const char *text, struct smc_inspect_target *target, size_t *count)
{
    const char *mark = strstr(text, "sm_") ? "sm_" : "compute_";
    while ((text = strstr(text, mark))) {
        char *end;
        size_t i = 0;
        text += strlen(mark);
        unsigned long number = strtoul(text, &end, 10);
        const char suffix = *end == 'a' || *end == 'f' ? *end : '\0';
        if (end == text || number == 0 || number >= 1000)
            continue;
        while (i < *count && (target[i].cc != number || target[i].suffix != suffix))
            i++;
        if (i == *count && i < SMC_INSPECT_MAX_TARGETS)
            target[(*count)++] = (struct smc_inspect_target){(uint16_t)number, suffix};
    }
}

/* The value of an option that names architectures; NULL: another option; "": the next word. */
static const char *architecture_value_of(const char *option)
{
    static const char *const names[] = {
        "-arch",    "--arch",     "-gpu-architecture", "--gpu-architecture",
        "-gencode", "--gencode",  "-generate-code",    "--generate-code",
        "-code",    "--gpu-code", "-gpu-code"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(option, names[i], length) != 0)
            continue;
        if (option[length] == '=')
            return option + length + 1;
        if (!option[length])
            return "";
    }
    return NULL;
}

static void architecture_append_option(const char *option, struct smc_text *options)
{
    const char *quote = !strchr(option, ' ') ? "" : strchr(option, '"') ? "'" : "\"";
    smc_text_printf(options, "%s%s%s%s", options->length ? " " : "", quote, option, quote);
}

/* Splits the options. `first`: the first option that names an architecture. */
static void architecture_split_options(const char *list, struct smc_architectures *read,
                                       char first[64])
{
    bool is_next = false;
    while (list && *list) {
        smc_auto_text word = {0};
        list = smc_source_next_option(list, &word);
        const char *option = smc_text_string(&word),
                   *value = is_next ? option : architecture_value_of(option);
        if ((value || is_next) && !first[0])
            snprintf(first, 64, "%.63s", option);
        is_next = !is_next && value && !*value;
        if (value)
            smc_architectures_add(value, read->target, &read->count);
        else if (*option)
            architecture_append_option(option, &read->options);
        read->options.failed |= word.failed;
    }
}

/* 'a' has all features of 'f'. */
static char richer(char a, char b)
{
    return a == 'a' || b == 'a' ? 'a' : a ? a : b;
}

enum smc_status smc_architectures_read(const char *options, const struct smc_inspect_target *asked,
                                       size_t count, bool assumed, struct smc_architectures *read,
                                       struct smc_error *error)
{
    char first[64] = "";
    struct smc_architectures named = {.count = 0};
    architecture_split_options(options, &named, first);
    *read = (struct smc_architectures){.options = named.options};
    if (named.options.failed)
        return smc_out_of_memory(error);
    if (first[0] && named.count == 0)
        return smc_fail(error, SMC_USAGE, "option --compiler-options: '%s': use --device instead",
                        first);
    for (size_t i = 0; i < count; i++)
        read->target[i] = asked[i];
    read->count = count;
    if (assumed && named.count > 0) {
        memcpy(read->target, named.target, sizeof read->target);
        read->count = named.count;
        read->are_named = true;
        return SMC_OK;
    }
    for (size_t k = 0; k < named.count; k++) {
        bool found = false;
        for (size_t i = 0; i < count; i++)
            if (asked[i].cc == named.target[k].cc) {
                read->target[i].suffix = richer(read->target[i].suffix, named.target[k].suffix);
                found = true;
            }
        if (!found)
            return smc_fail(error, SMC_USAGE,
                            "option --compiler-options: '%s' is not the architecture of the "
                            "device: use --device instead",
                            first);
    }
    return SMC_OK;
}

bool smc_architecture_extend(struct smc_inspect_target *target)
{
    static const uint16_t first = 90; /* compilers name such targets from sm_90a on */
    if (target->suffix == 'a' || target->cc < first)
        return false;
    target->suffix = 'a';
    return true;
}

const char *smc_feature_in(const char *text)
{
    static const char *const instructions[] = {"wgmma.", "setmaxnreg.", "tcgen05."};
    const char *found = NULL;
    for (size_t i = 0; !found && i < sizeof instructions / sizeof *instructions; i++)
        found = strstr(text, instructions[i]);
    return found;
}

bool smc_source_names_features(const struct smc_source_tree *tree)
{
    static const char *const questions[] = {"ARCH_FEAT", "ARCH_SPECIFIC", "ARCH_FAMILY",
                                            "HAS_FEATURE", "SM90A"};
    bool names = false, asks = false;
    for (size_t i = 0; i < tree->count; i++) {
        const char *text = smc_text_string(&tree->file[i].text);
        names |= smc_feature_in(text) != NULL;
        for (size_t k = 0; k < sizeof questions / sizeof *questions; k++)
            asks |= strstr(text, questions[k]) != NULL;
    }
    return names && !asks;
}

/* --- Of a kernel ------------------------------------------------------------------------------ */

struct smc_inspect_target smc_architecture_target(const char *typed, uint16_t cc)
{
    /* "sm_90a", "9.0a", "SM90a", "cc 9.0a" */
    const char *digits = typed + strcspn(typed, "0123456789");
    const char *end = digits + strspn(digits, "0123456789.");
    bool suffixed = end > digits && (*end == 'a' || *end == 'f') && !end[1];
    return (struct smc_inspect_target){cc, suffixed ? *end : '\0'};
}

size_t smc_architectures_all(struct smc_inspect_target targets[SMC_INSPECT_MAX_TARGETS])
{
    size_t count = 0;
    struct smc_capability capability;
    for (size_t i = 0; i < smc_capability_count() && count < SMC_INSPECT_MAX_TARGETS; i++) {
        smc_capability_at(i, &capability);
        targets[count++] = (struct smc_inspect_target){capability.sm.cc, '\0'};
    }
    return count;
}

const char *smc_architecture_name(const struct smc_inspect_kernel *kernel,
                                  char text[SMC_INSPECT_ARCHITECTURE])
{
    snprintf(text, SMC_INSPECT_ARCHITECTURE, "sm_%u%.1s", kernel->cc, &kernel->suffix);
    return text;
}

static bool runs_only_on_its_own_cc(uint16_t cc)
{
    struct smc_capability capability;
    return smc_capability_find(cc, &capability) && capability.cubin_for_itself_only;
}

bool smc_architecture_loads(const struct smc_inspect_kernel *kernel, uint16_t cc)
{
    if (kernel->cc == 0 || kernel->cc == cc)
        return true;
    if (kernel->suffix == 'a' || runs_only_on_its_own_cc(kernel->cc) || runs_only_on_its_own_cc(cc))
        return false;
    return kernel->cc / 10 == cc / 10 && kernel->cc < cc;
}

uint32_t smc_architecture_without_reserve(uint32_t smem_bytes, uint16_t cc)
{
    struct smc_capability capability;
    if (!smc_capability_find(cc, &capability) || !capability.cubin_smem_has_reserve)
        return smem_bytes;
    uint32_t reserve = capability.sm.smem_reserved_per_block_bytes;
    return smem_bytes >= reserve ? smem_bytes - reserve : smem_bytes;
}
