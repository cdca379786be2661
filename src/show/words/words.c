/* Results in words, each with its numbers. */
#include "show/words/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "show/words/paragraphs.h"

void smc_words_limiters(const struct smc_occupancy *occupancy, struct smc_text *out)
{
    unsigned left = (unsigned)__builtin_popcount(occupancy->limiters);
    for (int i = 0; i < SMC_LIMIT_COUNT; i++) {
        if (!(occupancy->limiters & 1u << i))
            continue;
        left--;
        smc_text_append(out, smc_limit_label((enum smc_limit)i));
        smc_text_append(out, left > 1 ? ", " : left == 1 ? " and " : "");
    }
}

const char *smc_words_short_label(enum smc_limit limit)
{
    return limit == SMC_LIMIT_VIRTUAL_RESOURCES ? "virtual res." : smc_limit_label(limit);
}

char smc_words_limit_letter(enum smc_limit limit)
{
    static const char letters[] = {
        [SMC_LIMIT_WARPS] = 'w',   [SMC_LIMIT_REGISTERS] = 'r', [SMC_LIMIT_SHARED_MEMORY] = 's',
        [SMC_LIMIT_BLOCKS] = 'b',  [SMC_LIMIT_BARRIERS] = 'n',  [SMC_LIMIT_VIRTUAL_RESOURCES] = 'v',
        [SMC_LIMIT_CLUSTER] = 'c',
    };
    return letters[limit];
}

void smc_words_limiter_names(const struct smc_occupancy *occupancy, struct smc_text *out)
{
    bool first = true;
    for (int i = 0; i < SMC_LIMIT_COUNT; i++) {
        if (!(occupancy->limiters & 1u << i))
            continue;
        smc_text_printf(out, "%s%s", first ? "" : "+", smc_limit_name((enum smc_limit)i));
        first = false;
    }
}

void smc_words_limiters_within(const struct smc_occupancy *occupancy, int columns,
                               struct smc_text *out)
{
    smc_auto_text words = {0};
    smc_words_limiters(occupancy, &words);
    if (smc_utf8_string_columns(smc_text_string(&words)) > columns) {
        smc_text_free(&words);
        smc_words_limiter_names(occupancy, &words);
    }
    if (smc_utf8_string_columns(smc_text_string(&words)) > columns) {
        smc_text_free(&words);
        for (uint32_t left = occupancy->limiters; left; left &= left - 1)
            smc_text_printf(&words, "%s%c", words.length ? "+" : "",
                            smc_words_limit_letter(smc_words_first_limiter(left)));
    }
    smc_text_append(out, smc_text_string(&words));
}

static void refuse_static_smem(const struct smc_answer *answer, struct smc_text *out)
{
    const struct smc_resources *resources = &answer->resources;
    uint32_t bytes = answer->launch.static_smem_bytes;
    uint32_t limit = answer->query.device.sm.smem_per_block_default_bytes;
    if (resources->refused && resources->refused_smem_limit_bytes) {
        bytes = resources->refused_smem_bytes;
        limit = resources->refused_smem_limit_bytes;
    }
    smc_text_printf(out, "%u bytes (0x%x) of static shared memory; the limit is %u (0x%x)", bytes,
                    bytes, limit, limit);
}

/* Why the launch bounds of a file's kernel do not allow the block. */
static void refuse_by_bounds(const struct smc_file_kernel *kernel, uint32_t threads,
                             struct smc_text *out)
{
    bool by_size = kernel->required_threads_per_block > 0;
    smc_text_printf(out, "a block of %u threads; %s %s %u", threads, kernel->short_name,
                    by_size ? "launches only with" : "has launch bounds that allow",
                    by_size ? kernel->required_threads_per_block : kernel->max_threads_per_block);
}

void smc_words_refusal(const struct smc_answer *answer, enum smc_refusal refusal,
                       struct smc_text *out)
{
    const struct smc_launch *launch = &answer->launch;
    const struct smc_file_kernel *kernel = answer->query.file_kernel;
    if (refusal == SMC_REFUSAL_THREADS_PER_BLOCK && kernel &&
        !smc_file_kernel_allows(kernel, launch->threads_per_block))
        refuse_by_bounds(kernel, launch->threads_per_block, out);
    else if (refusal == SMC_REFUSAL_STATIC_SMEM)
        refuse_static_smem(answer, out);
    else
        smc_refusal_describe(&answer->query.device.sm, launch, &answer->occupancy, refusal, out);
}

void smc_words_failure(const struct smc_answer *answer, struct smc_text *out)
{
    uint32_t refusals = answer->occupancy.refusals;
    bool compiles = answer->outcome != SMC_CANNOT_COMPILE;
    smc_text_append(out, compiles ? "cannot launch: " : "cannot compile: ");
    if (!compiles)
        refuse_static_smem(answer, out);
    bool first = compiles;
    for (int i = 0; i < SMC_REFUSAL_COUNT; i++) {
        bool stated =
            !compiles && (i == SMC_REFUSAL_STATIC_SMEM || i == SMC_REFUSAL_SMEM_PER_BLOCK);
        if (!(refusals & 1u << i) || stated)
            continue;
        smc_text_append(out, first ? "" : "; and ");
        smc_words_refusal(answer, (enum smc_refusal)i, out);
        first = false;
    }
}

/* The sizes of a product are shown together. */
static void append_matrix_sizes(const struct smc_kernel *kernel, const struct smc_params *params,
                                const char *joint, struct smc_text *out)
{
    const char *before = "";
    for (int i = 0; i < SMC_PARAM_COUNT; i++) {
        if (!(kernel->params & SMC_MATRIX_SIZES & 1u << i))
            continue;
        smc_text_printf(out, "%s%" PRId64, before, params->value[i]);
        before = joint;
    }
}

/* Omitted are a leading dimension that follows from the sizes, a padding of 0, and N and K, which
   are shown together with M. */
static bool words_is_shown(const struct smc_params *params, int param)
{
    bool given = params->given & 1u << param;
    switch (param) {
    case SMC_PARAM_LDA:
    case SMC_PARAM_LDB:
    case SMC_PARAM_LDC:
        return given;
    case SMC_PARAM_PAD:
        return given || params->value[param] != 0;
    case SMC_PARAM_N:
    case SMC_PARAM_K:
        return false;
    default:
        return true;
    }
}

const char *smc_words_param_key(enum smc_param param, char key[SMC_PARAM_KEY_CHARS])
{
    snprintf(key, SMC_PARAM_KEY_CHARS, "%s", smc_param_info[param].option);
    for (char *dash = key; (dash = strchr(dash, '-'));)
        *dash = '_';
    return key;
}

void smc_words_params(const struct smc_answer *answer, struct smc_text *out)
{
    smc_words_some_params(&answer->query, 0, out);
}

void smc_words_some_params(const struct smc_query *query, uint32_t without, struct smc_text *out)
{
    const struct smc_kernel *kernel = query->kernel;
    const struct smc_params *params = &query->params;
    bool first = true;
    for (int i = 0; i < SMC_PARAM_COUNT; i++) {
        bool accepted = (kernel->params & ~without) & 1u << i;
        if (!accepted || !words_is_shown(params, i))
            continue;
        smc_text_append(out, first ? "" : ", ");
        first = false;
        int64_t value = params->value[i];
        if (i == SMC_PARAM_DTYPE)
            smc_text_append(out, smc_dtype_name((enum smc_dtype)value));
        else if (i == SMC_PARAM_M)
            append_matrix_sizes(kernel, params, " x ", out);
        else
            smc_text_printf(out, "%s %" PRId64, smc_param_info[i].option, value);
    }
}

void smc_words_options(const struct smc_params *params, const char *kernel, struct smc_text *out)
{
    bool implied = strcmp(kernel, "matmul-tiled") == 0 && params->given & 1u << SMC_PARAM_TILE;
    const char *gap = "";
    if (!implied) {
        smc_text_printf(out, "--kernel %s", kernel);
        gap = " ";
    }
    const struct smc_kernel *taker = smc_kernel_find(kernel);
    const uint32_t sizes = taker->params & SMC_MATRIX_SIZES;
    bool all_sizes = sizes && (params->given & sizes) == sizes;
    for (int i = 0; i < SMC_PARAM_COUNT; i++) {
        if (!(params->given & 1u << i) || (all_sizes && sizes & 1u << i))
            continue;
        smc_text_printf(out, "%s--%s ", gap, smc_param_info[i].option);
        gap = " ";
        if (i == SMC_PARAM_DTYPE)
            smc_text_append(out, smc_dtype_name((enum smc_dtype)params->value[i]));
        else
            smc_text_printf(out, "%" PRId64, params->value[i]);
    }
    if (all_sizes) {
        smc_text_printf(out, "%s--size ", gap);
        append_matrix_sizes(taker, params, "x", out);
    }
}

static void words_append_number(const char *option, int64_t value, int64_t absent,
                                struct smc_text *out)
{
    if (value != absent)
        smc_text_printf(out, " --%s %" PRId64, option, value);
}

/* One word of a shell command, whatever characters the name of a device or folder has. An
   interactive shell expands '!' even between double quotes, so that it is quoted by itself. */
void smc_words_quote(const char *word, struct smc_text *out)
{
    smc_auto_text safe = {0};
    smc_text_append(&safe, word);
    if (safe.data)
        smc_utf8_make_safe(safe.data);
    smc_text_append(out, "\"");
    for (const char *at = smc_text_string(&safe); *at; at++) {
        if (strchr("\"$`\\", *at))
            smc_text_append(out, "\\");
        if (*at == '!')
            smc_text_append(out, "\"'!'\"");
        else
            smc_text_append_char(out, *at, 1);
    }
    smc_text_append(out, "\"");
}

int smc_words_next_bound(const double *share, int last)
{
    int next = SMC_TRACE_BOUND_COUNT;
    for (int i = 0; i < SMC_TRACE_BOUND_COUNT; i++) {
        const bool is_tie = last >= 0 && share[i] == share[last] && last < i;
        const bool after = last < 0 || share[i] < share[last] || is_tie;
        if (share[i] > 0 && after && (next == SMC_TRACE_BOUND_COUNT || share[i] > share[next]))
            next = i;
    }
    return next;
}

const char *smc_words_cache_config(enum smc_cache_config config)
{
    static const char *const words[] = {
        [SMC_CACHE_PREFER_NONE] = "none",
        [SMC_CACHE_PREFER_SHARED] = "shared",
        [SMC_CACHE_PREFER_L1] = "l1",
        [SMC_CACHE_PREFER_EQUAL] = "equal",
    };
    return words[config];
}

void smc_words_settings(const struct smc_query *query, bool for_run, struct smc_text *out)
{
    static const char *const caching[] = {"off", "on", "strict"};
    const struct smc_launch *settings = &query->settings;
    words_append_number("regs", query->regs_per_thread, SMC_NOT_GIVEN, out);
    words_append_number("dynamic-smem", query->dynamic_smem_bytes, SMC_NOT_GIVEN, out);
    words_append_number("carveout", settings->carveout_percent, SMC_CARVEOUT_DEFAULT, out);
    if (settings->cache_config != SMC_CACHE_PREFER_NONE)
        smc_text_printf(out, " --cache-config %s", smc_words_cache_config(settings->cache_config));
    if (settings->smem_mode != SMC_SMEM_MODE_DEFAULT)
        smc_text_printf(out, " --smem-mode %s", smc_smem_mode_name(settings->smem_mode));
    if (settings->blocks_per_cluster > 1 && settings->cluster[0] > 0)
        smc_text_printf(out, " --cluster %ux%ux%u", settings->cluster[0], settings->cluster[1],
                        settings->cluster[2]);
    else if (settings->blocks_per_cluster > 1 ||
             (settings->blocks_per_cluster && query->kernel && query->kernel->has_clusters))
        words_append_number("cluster", settings->blocks_per_cluster, 0, out);
    if (query->compile.kernel_dir) {
        smc_text_append(out, " --kernel-dir ");
        smc_words_quote(query->compile.kernel_dir, out);
    }
    if (for_run)
        return;
    words_append_number("smem", query->static_smem_bytes, SMC_NOT_GIVEN, out);
    words_append_number("barriers", query->barriers_per_block, SMC_NOT_GIVEN, out);
    words_append_number("virtual-resources", settings->virtual_resources, 0, out);
    words_append_number("tmem-columns", settings->tmem_columns_per_block, 0, out);
    if (settings->partitioned_caching != SMC_PARTITIONED_CACHING_OFF)
        smc_text_printf(out, " --partitioned-caching %s", caching[settings->partitioned_caching]);
}

void smc_words_assumed(const struct smc_query *query, struct smc_text *out)
{
    if (query->device_assumed)
        smc_text_append(out, "; no GPU was found, so this one is assumed: --device NAME "
                             "chooses another");
}

void smc_words_device_option(const struct smc_query *query, struct smc_text *out)
{
    const struct smc_device *device = &query->device;
    if (device->file) {
        smc_text_append(out, " --device-file ");
        smc_words_quote(device->file, out);
    }
    if (query->device_assumed)
        return;
    if (device->source == SMC_DEVICE_LIVE) {
        if (device->gpu_index > 0) /* the first is the default */
            smc_text_printf(out, " --device gpu%d", device->gpu_index);
    } else if (device->file || device->sm_count) {
        smc_text_append(out, " --device ");
        smc_words_quote(device->name, out);
    } else {
        smc_text_printf(out, " --device %d.%d", device->sm.cc / 10, device->sm.cc % 10);
    }
}

void smc_words_number(uint64_t number, struct smc_text *out)
{
    if (number >= 1000)
        smc_words_number(number / 1000, out);
    smc_text_printf(out, number >= 1000 ? ",%03u" : "%u", (unsigned)(number % 1000));
}

void smc_words_extent(const uint32_t size[3], const char *times, struct smc_text *out)
{
    smc_text_printf(out, "%" PRIu32, size[0]);
    if (size[1] > 1 || size[2] > 1)
        smc_text_printf(out, "%s%" PRIu32, times, size[1]);
    if (size[2] > 1)
        smc_text_printf(out, "%s%" PRIu32, times, size[2]);
}

void smc_words_blocks(uint32_t blocks, struct smc_text *out)
{
    smc_text_printf(out, "%u block%s", blocks, smc_text_plural(blocks));
}

bool smc_words_is_compiled(const struct smc_answer *answer)
{
    return answer->query.kernel || answer->query.file_kernel || answer->resources.nvrtc_major > 0 ||
           answer->resources.source == SMC_RESOURCES_FILE;
}

void smc_words_untie(struct smc_text *text)
{
    for (char *at = text->data; at && *at; at++)
        *at = *at == *SMC_TIE ? ' ' : *at;
}

const char *smc_words_kernel_name(const struct smc_query *query)
{
    if (query->kernel)
        return query->kernel->name;
    return query->file_kernel ? query->file_kernel->name : NULL;
}

void smc_words_file_kernel(const struct smc_file_kernel *kernel, struct smc_text *out)
{
    smc_text_printf(out, "%s of %s", kernel->short_name, kernel->file);
    if (kernel->required_threads_per_block)
        smc_text_printf(out, "; it launches only with blocks of %u threads",
                        kernel->required_threads_per_block);
    else if (kernel->max_threads_per_block)
        smc_text_printf(out, "; its launch bounds allow blocks of at most %u threads",
                        kernel->max_threads_per_block);
}

void smc_words_set_regs(const struct smc_resources *resources, const char *before,
                        struct smc_text *out)
{
    const uint32_t fewest = resources->fewest_set_regs, most = resources->most_set_regs;
    if (!most)
        return;
    smc_text_printf(out, "%ssetmaxnreg sets %u", before, fewest);
    if (most > fewest)
        smc_text_printf(out, " to %u", most);
    smc_text_append(out, " registers per thread");
}

void smc_words_tensor_memory(const struct smc_answer *answer, struct smc_text *out)
{
    const struct smc_occupancy *occupancy = &answer->occupancy;
    if (occupancy->tmem_blocks_per_sm == 0)
        return;
    smc_text_printf(out, "%u of %u columns per block: ", answer->launch.tmem_columns_per_block,
                    answer->query.device.sm.tmem_columns_per_sm);
    if (occupancy->tmem_blocks_per_sm == occupancy->blocks_per_sm)
        smc_text_append(out, "enough for all resident blocks");
    else
        smc_text_printf(out,
                        "%u of the %u resident blocks have theirs at a time, the others wait in "
                        "tcgen05.alloc",
                        occupancy->tmem_blocks_per_sm, occupancy->blocks_per_sm);
}

void smc_words_regs_source(const struct smc_answer *answer, char text[SMC_REGS_SOURCE_CHARS])
{
    const struct smc_file_kernel *kernel = answer->query.file_kernel;
    if (answer->regs_given)
        snprintf(text, SMC_REGS_SOURCE_CHARS, "given");
    else if (kernel)
        snprintf(text, SMC_REGS_SOURCE_CHARS, "%.60s, %s", kernel->file, kernel->origin);
    else
        smc_resources_describe(&answer->resources, text);
    smc_utf8_make_safe(text); /* a character may be cut */
}

static bool is_estimated(const struct smc_answer *answer)
{
    return smc_words_regs_known(answer) && answer->resources.source == SMC_RESOURCES_ASSUMED;
}

void smc_words_estimated(const struct smc_answer *answer, struct smc_text *out)
{
    uint16_t cc = answer->resources.cc;
    if (!is_estimated(answer))
        return;
    if (cc == answer->query.device.sm.cc)
        smc_text_append(out, " (registers estimated from other parameters)");
    else
        smc_text_printf(out, " (registers estimated from sm_%u)", cc);
}

bool smc_words_is_clustered(const struct smc_answer *answer)
{
    const struct smc_occupancy *occupancy = &answer->occupancy;
    return occupancy->resident_clusters > 0 && !occupancy->clusters_are_bound &&
           occupancy->blocks_per_sm > SMC_MOST_CLUSTERED_BLOCKS;
}

const char *smc_words_estimated_mark(const struct smc_answer *answer)
{
    return is_estimated(answer) ? "~" : "";
}

bool smc_words_regs_known(const struct smc_answer *answer)
{
    if (answer->regs_given)
        return true;
    return smc_words_is_compiled(answer) && !answer->resources.refused;
}

void smc_words_percent(double percent, char text[32])
{
    smc_auto_text tied = {0};
    smc_layout_percent(&tied, percent);
    smc_words_untie(&tied);
    snprintf(text, 32, "%s", smc_text_string(&tied));
}

enum smc_limit smc_words_first_limiter(uint32_t limiters)
{
    return (enum smc_limit)__builtin_ctz(limiters);
}

size_t smc_words_limit_letters(uint32_t limiters, char letters[SMC_LIMIT_COUNT + 1])
{
    size_t count = 0;
    for (; limiters; limiters &= limiters - 1)
        letters[count++] = smc_words_limit_letter(smc_words_first_limiter(limiters));
    letters[count] = '\0';
    return count;
}

void smc_words_device(const struct smc_device *device, struct smc_text *out)
{
    if (device->sm_count == 0)
        smc_text_printf(out, "CC %d.%d", device->sm.cc / 10, device->sm.cc % 10);
    else
        smc_text_append(out, smc_device_model(device));
}

void smc_words_sm_groups(const struct smc_sm_groups *groups, struct smc_text *out)
{
    for (uint32_t i = 0, same; i < groups->count; i += same) {
        for (same = 1; i + same < groups->count && groups->sms[i + same] == groups->sms[i]; same++)
            ;
        smc_text_printf(out, same > 1 ? "%s%ux%u" : "%s%u", i > 0 ? " " : "", groups->sms[i], same);
    }
}
