/* Maintainer's program: writes data/resources.csv to standard output, compiling every kernel of the
   catalog, or only those named, for every architecture that the given NVRTC libraries support, or
   only those named. The first library that supports an architecture compiles for it; all other rows
   are kept.
   Usage: update_resources LIBNVRTC... [sm_NN...] [KERNEL...] */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse.h"
#include "code/compile/build.h"
#include "code/compile/resource_table.h"
#include "code/nvrtc.h"

/* The values that get rows; for other values the nearest row is used. */
static const int64_t blocks[] = {32, 64, 128, 256, 512, 1024};
static const int64_t radii[] = {0, 1, 2, 3, 4, 5, 8, 16, 32, 64};
static const int64_t outputs[] = {4, 8, 16};
static const int64_t live[] = {0, 8, 16, 32, 48, 64, 96, 128, 192, 255};

struct update_resources_list {
    struct smc_table_row *row;
    size_t count, capacity;
};

/* The libraries, architectures and kernels that the command line names. */
struct libraries {
    struct smc_nvrtc_place place[SMC_MAX_NVRTC];
    size_t count;
    uint16_t cc[SMC_MAX_NVRTC];
    size_t cc_count; /* 0: all */
    char **kernel;
    int kernel_count; /* 0: all */
};

static int update_resources_complain(const char *message)
{
    fprintf(stderr, "update_resources: %s\n", message);
    return 1;
}

static bool update_resources_append(struct update_resources_list *list,
                                    const struct smc_table_row *row)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 1024;
        void *more = realloc(list->row, list->capacity * sizeof *list->row);
        if (!more)
            return false;
        list->row = more;
    }
    list->row[list->count++] = *row;
    return true;
}

static int update_resources_compare_rows(const void *a, const void *b)
{
    const struct smc_table_row *r = a, *s = b;
    int order = strcmp(r->kernel, s->kernel);
    if (!order)
        order = strcmp(r->defines, s->defines);
    return order ? order : (int)r->cc - (int)s->cc;
}

/* The kernel's options joined by blanks. False if they do not fit into a row. */
static bool update_resources_write_defines(const struct smc_kernel *kernel,
                                           const struct smc_params *params,
                                           struct smc_text *options, char *joined, size_t capacity)
{
    kernel->defines(kernel, params, options);
    if (options->failed || options->length > capacity)
        return false;
    snprintf(joined, capacity, "%s", smc_text_string(options));
    for (char *s = joined; *s; s++)
        if (*s == '\n')
            *s = s[1] ? ' ' : '\0';
    return true;
}

static bool update_resources_is_listed(const struct update_resources_list *list, const char *kernel,
                                       const char *defines)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->row[i].kernel, kernel) == 0 && strcmp(list->row[i].defines, defines) == 0)
            return true;
    return false;
}

static enum smc_status update_resources_compile_for(struct smc_build *build, const char *defines,
                                                    struct update_resources_list *list,
                                                    struct smc_error *error)
{
    struct smc_cache none = {.usable = false};
    struct smc_resources found = {0};
    struct smc_table_row row = {.cc = build->cc};
    enum smc_status status = smc_build_run(build, &none, &found, NULL, error);
    if (status != SMC_OK || found.refused)
        return status;
    snprintf(row.kernel, sizeof row.kernel, "%s", build->kernel->name);
    snprintf(row.defines, sizeof row.defines, "%s", defines);
    snprintf(row.nvrtc, sizeof row.nvrtc, "%u.%u", (unsigned)found.nvrtc_major % 100,
             (unsigned)found.nvrtc_minor % 100);
    row.registers = (uint16_t)found.regs_per_thread;
    row.static_smem = found.static_smem_bytes;
    row.stack = found.stack_bytes;
    row.spill_stores = found.spill_store_bytes;
    row.spill_loads = found.spill_load_bytes;
    row.barriers = (uint16_t)found.barriers;
    return update_resources_append(list, &row) ? SMC_OK
                                               : smc_fail(error, SMC_MACHINE, "out of memory");
}

/* Which library compiles for `cc`: the first that supports it; NULL if it was not requested. */
static const struct smc_nvrtc_place *library_for(const struct libraries *libraries, uint16_t cc)
{
    bool wanted = libraries->cc_count == 0;
    for (size_t i = 0; i < libraries->cc_count; i++)
        wanted |= libraries->cc[i] == cc;
    if (!wanted)
        return NULL;
    for (size_t i = 0; i < libraries->count; i++)
        if (smc_nvrtc_supports(&libraries->place[i].info, cc))
            return &libraries->place[i];
    return NULL;
}

static enum smc_status compile_everywhere(const struct smc_kernel *kernel,
                                          const struct smc_params *params,
                                          const struct libraries *libraries,
                                          struct update_resources_list *list,
                                          struct smc_error *error)
{
    smc_auto_text options = {0};
    SMC_AUTO(smc_source_free) struct smc_source source = {0};
    struct smc_table_row row;
    SMC_TRY(smc_source_load(kernel, NULL, &source, error));
    if (!update_resources_write_defines(kernel, params, &options, row.defines, sizeof row.defines))
        return smc_fail(error, SMC_MACHINE, "kernel %s: its options are too long for a row",
                        kernel->name);
    if (!update_resources_is_listed(list, kernel->name, row.defines))
        for (int cc = SMC_MIN_CC; cc <= SMC_MAX_CC; cc++) {
            struct smc_build build = {
                .kernel = kernel,
                .source = &source,
                .defines = smc_text_string(&options),
                .place = library_for(libraries, (uint16_t)cc),
                .cc = (uint16_t)cc,
            };
            if (build.place)
                SMC_TRY(update_resources_compile_for(&build, row.defines, list, error));
        }
    return SMC_OK;
}

static bool update_resources_is_wanted(const struct libraries *libraries, const char *kernel)
{
    return libraries->kernel_count == 0 ||
           smc_any(smc_is_same, kernel, (const char *const *)libraries->kernel,
                   (size_t)libraries->kernel_count);
}

/* Compiles for every combination of the parameters' values. */
static enum smc_status update_resources_vary(const struct smc_kernel *kernel,
                                             struct smc_params *params, enum smc_param param,
                                             const struct libraries *libraries,
                                             struct update_resources_list *list,
                                             struct smc_error *error)
{
    int64_t all_tiles[32];
    const struct {
        enum smc_param param;
        const int64_t *values;
        size_t count;
    } axes[] = {
        {SMC_PARAM_TILE, all_tiles, sizeof all_tiles / sizeof *all_tiles},
        {SMC_PARAM_THREAD_M, outputs, sizeof outputs / sizeof *outputs},
        {SMC_PARAM_THREAD_N, outputs, sizeof outputs / sizeof *outputs},
        {SMC_PARAM_BLOCK, blocks, sizeof blocks / sizeof *blocks},
        {SMC_PARAM_RADIUS, radii, sizeof radii / sizeof *radii},
        {SMC_PARAM_LIVE, live, sizeof live / sizeof *live},
    };
    if (param == SMC_PARAM_COUNT) {
        struct smc_params completed = *params;
        if (kernel->complete(kernel, &completed, NULL) != SMC_OK)
            return SMC_OK; /* these parameters are not valid */
        return compile_everywhere(kernel, &completed, libraries, list, error);
    }
    enum smc_param next = (enum smc_param)(param + 1);
    enum smc_status status = update_resources_vary(kernel, params, next, libraries, list, error);
    if (!(kernel->params & 1u << param))
        return status;
    struct smc_params varied = *params;
    for (size_t i = 0; i < sizeof all_tiles / sizeof *all_tiles; i++)
        all_tiles[i] = (int64_t)i + 1;
    for (size_t a = 0; a < sizeof axes / sizeof *axes; a++)
        for (size_t i = 0; axes[a].param == param && i < axes[a].count && status == SMC_OK; i++) {
            varied.value[param] = axes[a].values[i];
            status = update_resources_vary(kernel, &varied, next, libraries, list, error);
        }
    return status;
}

static enum smc_status compile_all(const struct libraries *libraries,
                                   struct update_resources_list *list, struct smc_error *error)
{
    for (size_t i = 0; i < smc_kernel_count(); i++) {
        const struct smc_kernel *kernel = smc_kernel_at(i);
        for (unsigned dtype = 0; dtype < SMC_DTYPE_COUNT; dtype++) {
            struct smc_params params;
            smc_params_init(kernel, &params);
            if (!(kernel->dtypes & 1u << dtype) ||
                !update_resources_is_wanted(libraries, kernel->name))
                continue;
            params.value[SMC_PARAM_DTYPE] = dtype;
            SMC_TRY(
                update_resources_vary(kernel, &params, (enum smc_param)0, libraries, list, error));
            fprintf(stderr, "%s %s: %zu rows so far\n", kernel->name,
                    smc_dtype_name((enum smc_dtype)dtype), list->count);
        }
    }
    return SMC_OK;
}

static bool keep_others(const struct libraries *libraries, struct update_resources_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < smc_table_count(); i++) {
        const struct smc_table_row *row = smc_table_row_at(i);
        if (update_resources_is_wanted(libraries, row->kernel) && library_for(libraries, row->cc))
            continue;
        if (!update_resources_append(list, row))
            return false;
        kept++;
    }
    if (kept)
        fprintf(stderr,
                "%zu rows kept: of other kernels, or of an architecture that no library "
                "named compiles for\n",
                kept);
    return true;
}

static bool update_resources_read_architecture(const char *word, uint16_t *cc)
{
    int64_t number;
    if (strncmp(word, "sm_", 3) != 0 ||
        !smc_parse_integer(word + 3, SMC_MIN_CC, SMC_MAX_CC, &number))
        return false;
    *cc = (uint16_t)number;
    return true;
}

/* Libraries, then architectures, then kernels. */
static bool open_libraries(int count, char **names, struct libraries *libraries,
                           struct smc_error *error)
{
    int first_cc = 0;
    uint16_t cc;
    while (first_cc < count && !smc_kernel_find(names[first_cc]) &&
           !update_resources_read_architecture(names[first_cc], &cc))
        first_cc++;
    int first_kernel = first_cc;
    while (first_kernel < count && libraries->cc_count < SMC_MAX_NVRTC &&
           update_resources_read_architecture(names[first_kernel], &cc)) {
        libraries->cc[libraries->cc_count++] = cc;
        first_kernel++;
    }
    libraries->kernel = names + first_kernel;
    libraries->kernel_count = count - first_kernel;
    if (first_cc < 1 || first_cc > SMC_MAX_NVRTC) {
        smc_fail(error, SMC_USAGE,
                 "usage: update_resources LIBNVRTC... [sm_NN...] [KERNEL...] (1 to %d libraries)",
                 SMC_MAX_NVRTC);
        return false;
    }
    for (int i = 0; i < first_cc; i++) {
        struct smc_nvrtc nvrtc;
        if (smc_nvrtc_open(names[i], &nvrtc, &libraries->place[i].info, error) != SMC_OK)
            return false;
        libraries->count++;
    }
    return true;
}

static bool print_rows(const struct update_resources_list *list)
{
    puts("kernel,defines,cc,nvrtc,registers,static_smem,stack,spill_stores,spill_loads,barriers");
    for (size_t i = 0; i < list->count; i++) {
        const struct smc_table_row *row = &list->row[i];
        printf("%s,%s,%u,%s,%u,%u,%u,%u,%u,%u\n", row->kernel, row->defines, row->cc, row->nvrtc,
               row->registers, row->static_smem, row->stack, row->spill_stores, row->spill_loads,
               row->barriers);
    }
    return fflush(stdout) == 0 && !ferror(stdout);
}

int main(int argc, char **argv)
{
    struct libraries libraries = {.count = 0};
    struct update_resources_list list = {0};
    struct smc_error error = {""};
    if (!open_libraries(argc - 1, argv + 1, &libraries, &error) ||
        compile_all(&libraries, &list, &error) != SMC_OK)
        return update_resources_complain(error.message);
    if (!keep_others(&libraries, &list))
        return update_resources_complain("out of memory");
    if (list.count)
        qsort(list.row, list.count, sizeof *list.row, update_resources_compare_rows);
    bool printed = print_rows(&list);
    free(list.row);
    return printed ? 0 : update_resources_complain(strerror(errno));
}
