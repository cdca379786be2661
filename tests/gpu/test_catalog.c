/* Confirms every kernel of the catalog with the hundreds of sets of parameters that
   tests/catalog_sets.c draws, and once with more than 2^31 bytes in an array: result, registers,
   shared memory, resident blocks, and refusals if they are predicted. The racy kernel's result is
   undefined and not judged. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/platform.h"
#include "catalog_sets.h"
#include "gpu_tests.h"
#include "launches.h"
#include "results.h"
#include "temporary.h"

enum { TIMEOUT_MS = 200, WANTED_SETS = 300, MOST_THREADS = 32, MOST_SHOWN = 5 };

/* C of 2.6 GB, A of 2.4 GB, arrays of 2.4 GB. */
static const char *const large[] = {
    "matmul-naive m=32768 n=20000 k=1",
    "matmul-tiled tile=32 m=32768 n=20000 k=1",
    "matmul-a-tile tile=16 m=20000 n=32768 k=1",
    "matmul-async tile=31 m=32768 n=20000 k=1",
    "matmul-register m=32768 n=20001 k=1",
    "matmul-register m=30000 n=7 k=3 lda=20000",
    "aat-naive m=26000 k=1",
    "aat-conflict m=26000 k=1",
    "aat-padded tile=16 m=26000 k=1",
    "aat-swizzled tile=31 m=26000 k=1",
    "stencil-naive radius=3 length=600000000",
    "stencil-static radius=3 length=600000000",
    "stencil-dynamic radius=16 length=600000000",
    "stencil-window radius=1025 length=600000000",
};

struct tally {
    unsigned sets, confirmed, refused; /* refused as predicted: counted as confirmed */
};

/* --- Compiling ahead -------------------------------------------------------------------------- */

struct work {
    const struct smc_kernel *kernel;
    const struct smc_params *set[CATALOG_SETS];
    size_t count;
    atomic_size_t next;
};

/* A failure here occurs again, and is reported, when the kernel is used. */
static void *compile_some(void *argument)
{
    struct work *work = argument;
    const struct smc_compile_options options = {0};
    for (size_t i; (i = atomic_fetch_add(&work->next, 1)) < work->count;) {
        struct smc_resources resources;
        smc_compile(&(struct smc_compile_request){work->kernel, work->set[i], gpu_device()->sm.cc,
                                                  &options},
                    &resources, NULL, NULL, NULL);
    }
    return NULL;
}

/* Compiles into the cache, on all cores; returns the number of texts. */
static size_t compile_ahead(const struct catalog_sets *sets)
{
    static struct work work;
    pthread_t thread[MOST_THREADS];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int started = 0, wanted = cores < MOST_THREADS ? (int)cores : MOST_THREADS;
    work.kernel = sets->kernel;
    work.count = catalog_sets_compiled(sets, work.set);
    atomic_store(&work.next, 0);
    while (started < wanted - 1 && pthread_create(&thread[started], NULL, compile_some, &work) == 0)
        started++;
    compile_some(&work);
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    return work.count;
}

/* --- Confirming ------------------------------------------------------------------------------- */

/* The quantities that must be confirmed for a launch; for a refusal, by ptxas or the driver, only
   the first. */
static const char *const launched[] = {"compiles",      "static_smem_bytes",
                                       "launches",      "registers_per_thread",
                                       "blocks_per_sm", "wrong_elements"};

static bool is_result(const char *quantity)
{
    return strcmp(quantity, "wrong_elements") == 0;
}

static bool is_confirmed(const struct smc_confirmation *confirmation, const char *quantity)
{
    for (size_t i = 0; i < confirmation->row_count; i++)
        if (strcmp(confirmation->row[i].quantity, quantity) == 0)
            return confirmation->row[i].verdict == SMC_CONFIRMED;
    return false;
}

/* A race affects only the result. */
static bool all_confirmed(const struct smc_kernel *kernel,
                          const struct smc_confirmation *confirmation, bool launches)
{
    size_t count = launches ? sizeof launched / sizeof *launched : 1;
    for (size_t i = 0; i < confirmation->row_count; i++)
        if (confirmation->row[i].verdict == SMC_DIFFERS &&
            !(kernel->is_racy && is_result(confirmation->row[i].quantity)))
            return false;
    for (size_t i = 0; i < count; i++)
        if (!is_confirmed(confirmation, launched[i]) &&
            !(kernel->is_racy && is_result(launched[i])) &&
            !(kernel->has_clusters && is_confirmed(confirmation, "resident_clusters")))
            return false;
    return true;
}

/* Returns false if the GPU or the compiler failed. */
static bool confirm(const struct smc_query *query, struct tally *tally)
{
    static struct smc_answer answer; /* too large for the stack */
    static struct smc_run_result result;
    static struct smc_confirmation confirmation;
    struct smc_error error = {""};
    char text[LAUNCHES_TEXT];
    tally->sets++;
    launches_describe(query->kernel, &query->params, text);
    if (smc_query_answer(query, &answer, NULL, &error) != SMC_OK) {
        printf("    %s: %s\n", text, error.message);
        return false;
    }
    if (!gpu_confirm(&answer, TIMEOUT_MS, &result, &confirmation)) {
        printf("    %s\n", text);
        return false;
    }
    bool launches = answer.outcome == SMC_LAUNCHES;
    if (all_confirmed(query->kernel, &confirmation, launches)) {
        tally->confirmed++;
        tally->refused += !launches;
    } else if (tally->sets - tally->confirmed <= MOST_SHOWN) {
        gpu_print_rows(text, &confirmation);
    }
    return true;
}

static bool confirm_drawn(const struct catalog_sets *sets, struct tally *tally)
{
    bool works = true;
    for (size_t i = 0; i < sets->count && works; i++) {
        struct smc_query query;
        smc_query_init(&query);
        query.device = *gpu_device();
        query.kernel = sets->kernel;
        query.params = sets->set[i];
        works = confirm(&query, tally);
    }
    return works;
}

static void confirm_large(const struct smc_kernel *kernel, struct tally *tally)
{
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        struct smc_query query;
        gpu_read_case(large[i], &query);
        if (query.kernel == kernel)
            confirm(&query, tally);
    }
}

static void record(const struct smc_kernel *kernel, const struct tally *tally, size_t compiled)
{
    gpu_result_item("kernels", json_pack("{ss si si si si si}", "kernel", kernel->name, "sets",
                                         tally->sets, "confirmed", tally->confirmed, "differing",
                                         tally->sets - tally->confirmed, "refused_as_predicted",
                                         tally->refused, "compiled", (int)compiled));
}

/* A set that cannot be run counts as not confirmed and ends the tests of its kernel. */
static void confirm_kernel(const struct smc_kernel *kernel)
{
    static struct catalog_sets sets;
    struct tally tally = {0};
    double begun = smc_clock_ms();
    catalog_sets_make(kernel, &gpu_device()->sm, &sets);
    size_t compiled = compile_ahead(&sets);
    if (confirm_drawn(&sets, &tally))
        confirm_large(kernel, &tally);
    printf("    %s: %u of %u sets confirmed (%zu compiled, %d sizes), %u of them refused as "
           "predicted; %.1f s\n",
           kernel->name, tally.confirmed, tally.sets, compiled, CATALOG_SIZES, tally.refused,
           (smc_clock_ms() - begun) / 1000);
    record(kernel, &tally, compiled);
    CU_ASSERT(tally.confirmed - tally.refused >= WANTED_SETS);
    CU_ASSERT_EQUAL(tally.confirmed, tally.sets);
}

static void test_sets(void)
{
    struct temporary temporary;
    double begun = smc_clock_ms();
    printf("\n");
    temporary_begin(&temporary);
    for (size_t i = 0; i < smc_kernel_count(); i++)
        if (!smc_kernel_at(i)->is_probe)
            confirm_kernel(smc_kernel_at(i));
    temporary_end(&temporary);
    printf("    all in %.0f s\n", (smc_clock_ms() - begun) / 1000);
}

CU_TestInfo gpu_tests_catalog[] = {
    {"hundreds of sets of parameters for each kernel", test_sets},
    CU_TEST_INFO_NULL,
};
