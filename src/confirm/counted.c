/* What the GPU's counters saw, against the model. */
#include "confirm/counted.h"

#include <math.h>

#include "confirm/rows.h"

/* --- What they should show -------------------------------------------------------------------- */

static void expect_global(const struct smc_answer *answer, double expected[SMC_METRIC_COUNT])
{
    double element_bytes = (double)smc_dtype_bytes(answer->plan.buffer[0].dtype);
    for (size_t i = 0; i < answer->work.access_count; i++) {
        const struct smc_global_access *access = &answer->work.access[i];
        double bytes = access->array_elements * element_bytes;
        expected[access->store ? SMC_METRIC_GLOBAL_STORE_REQUESTS
                               : SMC_METRIC_GLOBAL_LOAD_REQUESTS] += access->requests;
        expected[access->store ? SMC_METRIC_GLOBAL_STORE_SECTORS
                               : SMC_METRIC_GLOBAL_LOAD_SECTORS] += access->sectors;
        expected[access->store ? SMC_METRIC_DRAM_WRITTEN_BYTES : SMC_METRIC_DRAM_READ_BYTES] +=
            bytes;
    }
}

void smc_counted_expect(const struct smc_answer *answer, double expected[SMC_METRIC_COUNT])
{
    const struct smc_shared_work *shared = &answer->workload.shared;
    for (int i = 0; i < SMC_METRIC_COUNT; i++)
        expected[i] = 0;
    expected[SMC_METRIC_SHARED_LOADS] = shared->loads.instructions;
    expected[SMC_METRIC_SHARED_LOAD_WAVEFRONTS] = shared->loads.wavefronts;
    expected[SMC_METRIC_SHARED_STORES] = shared->stores.instructions - shared->copies.instructions;
    expected[SMC_METRIC_SHARED_STORE_WAVEFRONTS] =
        shared->stores.wavefronts - shared->copies.wavefronts;
    expect_global(answer, expected);
}

/* --- Where they are known to be off ----------------------------------------------------------- */

/* Seen on an H200. Before asynchronous copies ptxas puts loads that no lane executes: the counter
   has a few of them, though it is one of executed ones. */
const char *smc_counted_residue(const struct smc_answer *answer, enum smc_metric metric)
{
    if (metric == SMC_METRIC_SHARED_LOADS && answer->workload.shared.copies.instructions > 0)
        return "the counter has a few of the loads before copies that no lane executes";
    return NULL;
}

/* --- Verdicts --------------------------------------------------------------------------------- */

bool smc_counted_wanted(const struct smc_run_result *result)
{
    return result->counting.made || result->counting.message[0];
}

void smc_counted_begin(const struct smc_answer *answer, const struct smc_run_result *result,
                       struct smc_counted *counted)
{
    counted->answer = answer;
    counted->result = result;
    smc_counted_expect(answer, counted->expected);
}

/* Judges what others saw; false where no counter has anything to add. */
static bool judge_others(const struct smc_counted *counted, struct smc_row *row)
{
    const struct smc_attempt *counting = &counted->result->counting;
    smc_row_judge(row);
    if (row->verdict == SMC_NOT_MEASURED && !counting->succeeded && !row->note[0])
        smc_row_note(row, "%s", counting->message);
    return counting->succeeded;
}

/* What the counters may be off: a share of `base`, which `of` names. */
struct allowance {
    double share, base;
    const char *of, *residue;
};

static void judge_measured(double expected, const struct allowance *allowance, struct smc_row *row)
{
    double off = fabs(row->measured.value - expected);
    bool within = off <= allowance->share * allowance->base;
    if (row->verdict == SMC_DIFFERS)
        return;
    row->verdict = within ? SMC_CONFIRMED : allowance->residue ? SMC_INFORMATION : SMC_DIFFERS;
    if (!within && allowance->residue)
        smc_row_note(row, "%s", allowance->residue);
    else if (within && off > 0)
        smc_row_note(row, "within %.4g %%%s", 100 * allowance->share, allowance->of);
}

/* What the counters leave out stands in the note; where that is all, they confirm nothing. */
static void note_copies(double copied, double expected, struct smc_row *row)
{
    if (copied == 0 || row->verdict == SMC_DIFFERS || row->note[0])
        return;
    smc_row_note(row, "the counters leave out what cp.async stores, %.0f of them", copied);
    if (expected == 0 && !row->emulated.present)
        row->verdict = SMC_INFORMATION;
}

void smc_counted_judge(const struct smc_counted *counted, enum smc_metric metric,
                       struct smc_row *row)
{
    if (!judge_others(counted, row))
        return;
    double expected = counted->expected[metric], seen = counted->result->counted[metric];
    const struct smc_shared_count *copies = &counted->answer->workload.shared.copies;
    const struct allowance allowance = {
        .share = smc_metric_info[metric].tolerance,
        .base = expected,
        .of = "",
        .residue = smc_counted_residue(counted->answer, metric),
    };
    row->measured = smc_witness_of(seen);
    judge_measured(expected, &allowance, row);
    if (metric == SMC_METRIC_SHARED_STORES)
        note_copies(copies->instructions, expected, row);
    else if (metric == SMC_METRIC_SHARED_STORE_WAVEFRONTS)
        note_copies(copies->wavefronts, expected, row);
}

/* Wavefronts may be off by 2 % of themselves, which is more of the conflicts among them. */
void smc_counted_judge_conflicts(const struct smc_counted *counted, struct smc_row *row)
{
    const enum smc_metric loads = SMC_METRIC_SHARED_LOAD_WAVEFRONTS;
    const enum smc_metric stores = SMC_METRIC_SHARED_STORE_WAVEFRONTS;
    const struct smc_shared_work *shared = &counted->answer->workload.shared;
    const double *seen = counted->result->counted, *expected = counted->expected;
    double least = shared->loads.least + shared->stores.least - shared->copies.least;
    double wavefronts = expected[loads] + expected[stores];
    if (!judge_others(counted, row))
        return;
    const struct allowance allowance = {
        .share = smc_metric_info[loads].tolerance,
        .base = wavefronts,
        .of = " of the wavefronts",
    };
    row->measured = smc_witness_of(seen[loads] + seen[stores] - least);
    judge_measured(wavefronts - least, &allowance, row);
    note_copies(smc_bank_conflicts(&shared->copies), wavefronts - least, row);
}
