/* Compiles every kernel of the catalog for every type and for the architectures that this machine's
   NVRTC supports: without spills and with the shared memory that the catalog plans. The table must
   agree if it was made by the same NVRTC. Every kernel and type is compiled for the oldest and the
   newest architecture and for one or two between them, other ones for the next kernel; with
   TEST_WHOLE=1 for all. Without an NVRTC: exit status 77. */
#include <stdio.h>
#include <string.h>

#include "code/compile.h"
#include "code/compile/resource_table.h"
#include "share.h"
#include "temporary.h"

struct tally {
    unsigned passed, failed, compared;
};

static void fail(struct tally *tally, const struct smc_kernel *kernel, enum smc_dtype dtype,
                 uint16_t cc, const char *what)
{
    printf("FAIL: %s %s sm_%u: %s\n", kernel->name, smc_dtype_name(dtype), cc, what);
    tally->failed++;
}

/* NULL, or what is wrong. */
/* A probe is limited to a number of registers and may spill because of it. So may, by a few words,
   a block with the most threads (NVRTC 13.5 needs more than 64 registers for tile 32 of
   matmul-a-tile on 10.x and 12.x) and a thread with the most registers (matmul-register
   before 9.0). */
static bool may_spill(const struct smc_kernel *kernel, const struct smc_plan *plan,
                      const struct smc_resources *r)
{
    enum { REGISTERS = 65536, MOST_REGISTERS = 255, FEW_BYTES = 128 };
    uint32_t threads = plan->block[0] * plan->block[1] * plan->block[2];
    bool is_bounded =
        r->regs_per_thread * threads == REGISTERS || r->regs_per_thread == MOST_REGISTERS;
    return kernel->is_probe || (is_bounded && r->spill_store_bytes <= FEW_BYTES &&
                                r->spill_load_bytes <= FEW_BYTES && r->stack_bytes <= FEW_BYTES);
}

static const char *judge(const struct smc_kernel *kernel, const struct smc_params *params,
                         const struct smc_resources *r, struct tally *tally)
{
    struct smc_plan plan;
    struct smc_text defines = {0};
    const struct smc_table_row *row = NULL;
    kernel->plan(kernel, params, &plan);
    kernel->defines(kernel, params, &defines);
    enum smc_table_match match =
        smc_table_find(kernel->name, smc_text_string(&defines), r->cc, &row);
    smc_text_free(&defines);
    if (r->source != SMC_RESOURCES_NVRTC)
        return "not compiled";
    if (r->refused)
        return "refused";
    bool spills = r->stack_bytes || r->spill_store_bytes || r->spill_load_bytes;
    if (spills && !may_spill(kernel, &plan, r))
        return "spills";
    if (r->regs_per_thread < 1 || r->regs_per_thread > 255 || r->barriers > 16)
        return "absurd registers or barriers";
    if (r->static_smem_bytes != plan.static_smem_bytes)
        return "not the static shared memory that was planned";
    if (match != SMC_TABLE_EXACT)
        return "data/resources.csv has no such row: make update-resources";
    char nvrtc[16];
    snprintf(nvrtc, sizeof nvrtc, "%d.%d", r->nvrtc_major, r->nvrtc_minor);
    if (strcmp(row->nvrtc, nvrtc) != 0)
        return NULL; /* another compiler may need other registers */
    tally->compared++;
    if (row->registers != r->regs_per_thread || row->static_smem != r->static_smem_bytes ||
        row->barriers != r->barriers)
        return "data/resources.csv says otherwise: make update-resources";
    return NULL;
}

static void try_one(const struct smc_kernel *kernel, enum smc_dtype dtype, uint16_t cc,
                    struct tally *tally)
{
    struct smc_params params;
    struct smc_compile_options options = {.no_cache = true};
    struct smc_resources resources;
    struct smc_binary binary;
    struct smc_error error = {""};
    smc_params_init(kernel, &params);
    params.value[SMC_PARAM_DTYPE] = dtype;
    if (kernel->complete(kernel, &params, &error) != SMC_OK ||
        smc_compile(&(struct smc_compile_request){kernel, &params, cc, &options}, &resources,
                    &binary, NULL, &error) != SMC_OK) {
        fail(tally, kernel, dtype, cc, error.message);
        return;
    }
    const char *wrong = judge(kernel, &params, &resources, tally);
    if (wrong)
        fail(tally, kernel, dtype, cc, wrong);
    else if (binary.cubin_bytes < 64)
        fail(tally, kernel, dtype, cc, "no machine code");
    else
        tally->passed++;
    smc_binary_free(&binary);
}

static bool is_wanted(const struct smc_nvrtc_info *nvrtc, size_t architecture, size_t kernel)
{
    enum { SHARE = 10 };
    return share_takes(architecture == 0 || architecture + 1 == nvrtc->cc_count ||
                       (architecture + kernel) % SHARE == 0);
}

static int try_all(void)
{
    struct smc_nvrtc_info nvrtc;
    struct smc_error error = {""};
    struct tally tally = {0};
    if (smc_nvrtc_describe(&nvrtc, &error) != SMC_OK) {
        printf("%s\n0 passed, 0 failed, %zu skipped\n", error.message, smc_kernel_count());
        return 77;
    }
    for (size_t i = 0; i < smc_kernel_count(); i++)
        for (unsigned dtype = 0; dtype < SMC_DTYPE_COUNT; dtype++)
            for (size_t k = 0; k < nvrtc.cc_count; k++)
                if (smc_kernel_at(i)->dtypes & 1u << dtype && is_wanted(&nvrtc, k, i + dtype))
                    try_one(smc_kernel_at(i), (enum smc_dtype)dtype, nvrtc.cc[k], &tally);
    printf("NVRTC %d.%d, %zu architectures; %u answers compared with the table\n", nvrtc.major,
           nvrtc.minor, nvrtc.cc_count, tally.compared);
    share_print("pairs of a kernel and an architecture");
    printf("%u passed, %u failed, 0 skipped\n", tally.passed, tally.failed);
    return tally.failed || !tally.passed;
}

int main(void)
{
    struct temporary temporary; /* the user's own cache is not used */
    temporary_begin(&temporary);
    int result = try_all();
    temporary_end(&temporary);
    return result;
}
