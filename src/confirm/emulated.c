/* Memory as predicted and as the emulator saw it. */
#include "confirm/emulated.h"

#include <stdio.h>
#include <string.h>

#include "confirm/rows.h"

static struct smc_row *compare(struct smc_confirmation *out, const char *quantity,
                               const char *label, const char *unit, double predicted, double seen)
{
    struct smc_row *row = smc_row_add(out, quantity, label, unit);
    row->predicted = smc_witness_of(predicted);
    row->emulated = smc_witness_of(seen);
    smc_row_judge(row);
    return row;
}

/* What the GPU executes, where ptxas joined neighbouring loads. */
static void confirm_machine_loads(const struct smc_shared_count *made,
                                  const struct smc_emulated_run *seen, struct smc_confirmation *out)
{
    static const struct {
        const char *quantity, *label;
    } rows[] = {{"machine_shared_loads", "  in machine code"},
                {"machine_shared_load_wavefronts", "  their wavefronts"}};
    const double predicted[] = {made->instructions, made->wavefronts};
    const double counted[] = {seen->machine_loads.instructions, seen->machine_loads.wavefronts};
    for (int i = 0; i < 2; i++) {
        struct smc_row *row = smc_row_add(out, rows[i].quantity, rows[i].label, "");
        row->predicted = smc_witness_of(predicted[i]);
        if (seen->follows_machine_code)
            row->emulated = smc_witness_of(counted[i]);
        else
            smc_row_note(row, "%s", seen->not_followed);
        smc_row_judge(row);
    }
}

static void confirm_shared(const struct smc_shared_work *predicted,
                           const struct smc_emulated_run *seen, struct smc_confirmation *out)
{
    const struct smc_shared_count *loads = &predicted->written_loads, *made = &predicted->loads;
    const struct smc_shared_count *stores = &predicted->stores;
    double least = loads->least + stores->least;
    struct smc_row *row = compare(out, "shared_loads", "shared loads", "", loads->instructions,
                                  seen->loads.instructions);
    bool joined = made->instructions != loads->instructions;
    if (joined)
        smc_row_note(row, "as the PTX has them");
    compare(out, "shared_load_wavefronts", "  their wavefronts", "", loads->wavefronts,
            seen->loads.wavefronts);
    if (joined || !seen->follows_machine_code ||
        seen->machine_loads.instructions != seen->loads.instructions)
        confirm_machine_loads(made, seen, out);
    compare(out, "shared_stores", "shared stores", "", stores->instructions,
            seen->stores.instructions);
    compare(out, "shared_store_wavefronts", "  their wavefronts", "", stores->wavefronts,
            seen->stores.wavefronts);
    compare(out, "bank_conflicts", "bank conflicts", "",
            loads->wavefronts + stores->wavefronts - least, seen->conflicts);
}

enum field { REQUESTS, SECTORS, BYTES };

static double value_of(const struct smc_global_access *access, enum field field,
                       double element_bytes)
{
    return field == REQUESTS  ? access->requests
           : field == SECTORS ? access->sectors
                              : access->elements * element_bytes;
}

/* One row for all arrays that are loaded, or stored; each of them must agree. */
static void confirm_global(const struct smc_work *predicted, const struct smc_emulated_run *seen,
                           bool store, enum field field, double element_bytes,
                           struct smc_confirmation *out)
{
    static const struct {
        const char *quantity, *label, *unit;
    } rows[2][3] = {
        {{"global_load_requests", "global load requests", ""},
         {"global_load_sectors", "  their sectors", ""},
         {"global_load_bytes", "  asked for", "B"}},
        {{"global_store_requests", "global store requests", ""},
         {"global_store_sectors", "  their sectors", ""},
         {"global_store_bytes", "  asked for", "B"}},
    };
    double sum = 0, seen_sum = 0;
    bool differs = false;
    char note[128] = "";
    for (size_t i = 0; i < predicted->access_count; i++) {
        if (predicted->access[i].store != store)
            continue;
        double value = value_of(&predicted->access[i], field, element_bytes);
        double counted = value_of(&seen->access[i], field, element_bytes);
        size_t used = strlen(note);
        snprintf(note + used, sizeof note - used, "%s%s %.0f", used ? ", " : "",
                 seen->access[i].name, counted);
        sum += value;
        seen_sum += counted;
        differs |= value != counted;
    }
    struct smc_row *row = compare(out, rows[store][field].quantity, rows[store][field].label,
                                  rows[store][field].unit, sum, seen_sum);
    if (differs)
        row->verdict = SMC_DIFFERS;
    if (differs || (field == SECTORS && strchr(note, ',')))
        smc_row_note(row, "%s", note);
}

static void confirm_findings(const struct smc_emulated_run *seen, struct smc_confirmation *out)
{
    struct smc_row *row =
        compare(out, "findings", "races, bad accesses", "", 0, (double)seen->findings_total);
    if (seen->finding_count > 0)
        smc_row_note(row, "%s", seen->finding[0].text);
}

void smc_confirm_emulated(const struct smc_answer *answer, const struct smc_run_result *result,
                          struct smc_confirmation *out)
{
    const struct smc_emulated_run *seen = &result->emulated;
    if (!result->emulation.made)
        return;
    double element_bytes = (double)smc_dtype_bytes(answer->plan.buffer[0].dtype);
    if (answer->workload.has_shared)
        confirm_shared(&answer->workload.shared, seen, out);
    for (int store = 0; answer->has_work && store < 2; store++)
        for (int field = REQUESTS; field <= BYTES; field++)
            confirm_global(&answer->work, seen, store, (enum field)field, element_bytes, out);
    confirm_findings(seen, out);
}
