/* Bytes between DRAM and the L2 cache. */
#include "confirm/dram.h"

#include "confirm/rows.h"

enum { CACHES_JUDGED = 4 };

/* `why` it is not judged; NULL: nothing more is predicted. */
static void show(double predicted, double seen, const char *why, struct smc_row *row)
{
    row->verdict = SMC_INFORMATION;
    if (predicted > 0)
        smc_row_note(row, "%.4g times the least%s%s", seen / predicted, why ? ": " : "",
                     why ? why : "");
}

static void judge(const struct smc_answer *answer, double tolerance, struct smc_row *row)
{
    double l2_bytes = (double)answer->query.device.l2_bytes;
    double predicted = row->predicted.value, seen = row->measured.value;
    double allowed = tolerance * predicted + l2_bytes;
    if (!answer->query.kernel || !answer->query.kernel->streams) {
        show(predicted, seen, NULL, row);
    } else if (l2_bytes == 0) {
        show(predicted, seen, "the size of the L2 cache is not known", row);
    } else if (predicted <= CACHES_JUDGED * l2_bytes) {
        show(predicted, seen, "the L2 cache may hold it", row);
    } else {
        bool within = seen >= predicted - allowed && seen <= predicted + allowed;
        row->verdict = within ? SMC_CONFIRMED : SMC_DIFFERS;
        smc_row_note(row, "within %.4g %% and the %.0f B of the L2 cache", 100 * tolerance,
                     l2_bytes);
    }
}

static void confirm(const struct smc_counted *counted, enum smc_metric metric,
                    struct smc_confirmation *out)
{
    const struct smc_metric_info *info = &smc_metric_info[metric];
    const struct smc_attempt *counting = &counted->result->counting;
    struct smc_row *row = smc_row_add(out, info->quantity, info->label, "B");
    row->predicted = smc_witness_of(counted->expected[metric]);
    if (counting->succeeded) {
        row->measured = smc_witness_of(counted->result->counted[metric]);
        judge(counted->answer, info->tolerance, row);
    } else {
        row->verdict = SMC_NOT_MEASURED;
        smc_row_note(row, "%s", counting->message);
    }
}

void smc_confirm_dram(const struct smc_counted *counted, struct smc_confirmation *out)
{
    confirm(counted, SMC_METRIC_DRAM_READ_BYTES, out);
    confirm(counted, SMC_METRIC_DRAM_WRITTEN_BYTES, out);
}
