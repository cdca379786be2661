/* A user's kernel: compares the compiler and the model with the API, and shows the counts and
   errors. */

#include "hardware/confirm/confirm.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void judge_api(struct smc_row *row, uint32_t predicted, const struct smc_attempt *asked,
                      uint32_t api)
{
    row->predicted = smc_reading_of(predicted);
    if (asked->succeeded)
        row->api = smc_reading_of(api);
    smc_row_judge(row);
}

/* Warps and occupancy have rows only where a GPU measured the residency. */
static void confirm_api(const struct smc_user_run *run, struct smc_confirmation *out)
{
    const struct smc_run_result *gpu = &run->result;
    const struct smc_answer *answer = &run->answer;
    judge_api(smc_row_add(out, "registers_per_thread", "registers per thread", ""),
              answer->launch.regs_per_thread, &gpu->load, gpu->api_regs_per_thread);
    judge_api(smc_row_add(out, "static_smem_bytes", "static shared memory", "B"),
              answer->launch.static_smem_bytes, &gpu->load, gpu->api_static_smem_bytes);
    if (gpu->launch.made)
        smc_confirm_occupancy(answer, gpu, out);
    else
        judge_api(smc_row_add(out, "blocks_per_sm", "blocks per SM", ""),
                  answer->occupancy.blocks_per_sm, &gpu->api_occupancy, gpu->api_blocks_per_sm);
}

/* Where no GPU ran, the prediction stands alone. */
static void user_confirm_show_time(const struct smc_user_run *run, struct smc_confirmation *out)
{
    const struct smc_time *time = &run->answer.time;
    if (run->result.launch.made) {
        smc_confirm_time(&run->answer, &run->result, out);
        return;
    }
    if (time->basis == SMC_TIME_UNKNOWN && !time->lacks_rate)
        return;
    struct smc_row *row = smc_row_add(out, "time_ms", "time", "ms");
    if (time->lacks_rate)
        smc_row_note(row, "not predicted: %s", time->reason);
    else
        row->predicted = smc_reading_of(time->predicted_ms);
    row->verdict = SMC_INFORMATION;
}

static void user_confirm_show_memory(const struct smc_user_run *run, struct smc_confirmation *out)
{
    double bytes = 0;
    for (size_t i = 0; i < run->memory_count; i++)
        bytes += (double)run->memory[i].bytes;
    if (!run->result.launch.made || bytes == 0)
        return;
    struct smc_row *row = smc_row_add(out, "device_memory_bytes", "GPU memory", "B");
    row->measured = smc_reading_of(bytes);
    row->verdict = SMC_INFORMATION;
    smc_row_note(row,
                 "taken by the arrays; three times as much on the host, and as much again on the "
                 "GPU while they are timed");
}

static void show_counts(const struct smc_emulated_run *emulated, struct smc_confirmation *out)
{
    const struct smc_emulated_count *total = &emulated->total;
    bool joined = emulated->follows_machine_code && total->machine_loads != total->shared_loads;
    uint64_t wavefronts = total->load_wavefronts + total->store_wavefronts;
    const struct {
        const char *quantity, *label, *unit;
        uint64_t value;
        bool is_left_out;
        const char *note;
    } rows[] = {
        {"warp_instructions", "instructions of warps", "", total->executions, false, NULL},
        {"thread_instructions", "  their active lanes", "", total->lanes, false, NULL},
        {"divergent_branches", "divergent branches", "", total->divergent, false, NULL},
        {"shared_loads", "shared loads", "", total->shared_loads, false, NULL},
        {"shared_load_wavefronts", "  their wavefronts", "", total->load_wavefronts, false, NULL},
        {"machine_shared_loads", "  in machine code", "", total->machine_loads, !joined, NULL},
        {"machine_shared_load_wavefronts", "  their wavefronts", "", total->machine_load_wavefronts,
         !joined, NULL},
        {"shared_stores", "shared stores", "", total->shared_stores, false, NULL},
        {"shared_store_wavefronts", "  their wavefronts", "", total->store_wavefronts, false, NULL},
        {"shared_atomics", "shared atomics", "", total->shared_atomics, total->shared_atomics == 0,
         total->atomic_loops ? "some are loops of instructions, whose wavefronts are not known"
                             : NULL},
        {"shared_atomic_wavefronts", "  their wavefronts", "", total->atomic_wavefronts,
         total->shared_atomics == 0 || total->atomic_loops > 0, NULL},
        {"shared_atomic_conflicts", "  their conflicts", "",
         total->atomic_wavefronts - total->least_atomic_wavefronts,
         total->shared_atomics == 0 || total->atomic_loops > 0, NULL},
        {"distributed_accesses", "accesses to other blocks", "", total->distributed,
         total->distributed == 0,
         total->distributed_unknown ? "the wavefronts of some are not known" : NULL},
        {"distributed_wavefronts", "  their wavefronts", "", total->distributed_wavefronts,
         total->distributed == 0 || total->distributed_unknown > 0, NULL},
        {"bank_conflicts", "bank conflicts", "", wavefronts - total->least_wavefronts, false, NULL},
        {"global_requests", "global requests", "", total->global_requests, false, NULL},
        {"global_sectors", "  their sectors", "", total->global_sectors, false, NULL},
        {"global_bytes", "  requested", "B", total->global_bytes, false, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].is_left_out)
            continue;
        struct smc_row *row = smc_row_add(out, rows[i].quantity, rows[i].label, rows[i].unit);
        row->emulated = smc_reading_of((double)rows[i].value);
        row->verdict = SMC_INFORMATION;
        if (rows[i].note)
            smc_row_note(row, "%s", rows[i].note);
    }
}

/* A metric's row of the emulator, whose loads are those of the machine code where ptxas joined
   some; else a new one. */
static struct smc_row *user_confirm_row_of(const struct smc_metric_info *info,
                                           struct smc_confirmation *out)
{
    char machine[64];
    snprintf(machine, sizeof machine, "machine_%s", info->quantity);
    for (size_t i = out->row_count; i > 0; i--)
        if (!strcmp(out->row[i - 1].quantity, info->quantity) ||
            !strcmp(out->row[i - 1].quantity, machine))
            return &out->row[i - 1];
    return smc_row_add(out, info->quantity, info->label, strstr(info->name, "bytes") ? "B" : "");
}

/* What the GPU counted in one launch, beside what the emulator counted. */
static void show_counters(const struct smc_run_result *result, struct smc_confirmation *out)
{
    const struct smc_attempt *counting = &result->counting;
    if (!counting->succeeded && counting->message[0]) {
        struct smc_row *row = smc_row_add(out, "hardware_counters", "hardware counters", "");
        row->verdict = SMC_NOT_MEASURED;
        smc_row_note(row, "%s", counting->message);
    }
    for (int i = 0; counting->succeeded && i < SMC_METRIC_COUNT; i++) {
        struct smc_row *row = user_confirm_row_of(&smc_metric_info[i], out);
        row->measured = smc_reading_of(result->counted[i]);
        row->verdict = SMC_INFORMATION;
    }
}

static void user_confirm_findings(const struct smc_emulated_run *emulated,
                                  struct smc_confirmation *out)
{
    struct smc_row *row = smc_row_add(out, "findings", "races, bad accesses", "");
    row->predicted = smc_reading_of(0);
    row->emulated = smc_reading_of((double)emulated->findings_total);
    smc_row_judge(row);
    if (row->verdict == SMC_CONFIRMED && !emulated->finish.succeeded) {
        row->verdict = SMC_NOT_MEASURED;
        smc_row_note(row, "the launch did not finish");
    }
}

/* The rounding depends on the order of the additions, which varies between runs. */
static void show_float_atomics(const struct smc_emulated_run *emulated,
                               struct smc_confirmation *out)
{
    if (emulated->float_adds == 0)
        return;
    struct smc_row *row = smc_row_add(out, "float_atomics", "atomic float additions", "");
    row->emulated = smc_reading_of((double)emulated->float_adds);
    row->verdict = SMC_INFORMATION;
    smc_row_note(row, "their sums depend on the order in which the threads add, within rounding");
}

/* If threads race, the GPU and the emulator may disagree; if they add floats atomically, by
   rounding; and if they compete for places by atomic operations, whichever comes first wins. */
static void user_confirm_agreement(const struct smc_user_run *run, struct smc_confirmation *out)
{
    double differing = 0, elements = 0, by_order = 0, by_turns = 0;
    for (size_t i = 0; i < run->memory_count; i++) {
        const struct smc_agreement *agreement = &run->memory[i].agreement;
        differing += (double)agreement->differing;
        elements += (double)agreement->elements;
        by_order += (double)agreement->by_order;
        by_turns += (double)agreement->by_turns;
    }
    if (elements == 0)
        return;
    struct smc_row *row = smc_row_add(out, "unlike_emulated", "unlike the emulator's", "");
    row->predicted = smc_reading_of(0);
    row->measured = smc_reading_of(differing);
    smc_row_judge(row);
    const struct smc_fidelity *fidelity = &run->result.emulated.fidelity;
    smc_row_note(row, "%s%.0f elements, bit for bit%s", differing > 0 ? "of " : "", elements,
                 differing > 0 && fidelity->approximate > 0 && fidelity->reaches_result
                     ? "; approximate instructions reach them: a GPU may return other last bits"
                     : "");
    if (by_turns > 0 && by_turns + by_order == differing) {
        row->verdict = SMC_BY_TURNS;
        smc_row_note(row,
                     "of %.0f elements, bit for bit; with blocks and warps in another order, the "
                     "emulator's result differs too: the GPU's is one of several",
                     elements);
        return;
    }
    if (by_turns > 0)
        smc_row_note(
            row,
            "of %.0f elements, bit for bit; %.0f depend on the order of blocks and warps, the "
            "others do not: the emulator has them alike in two orders",
            elements, by_turns + by_order);
    if (by_turns > 0 || by_order == 0)
        return;
    bool all = by_order == differing;
    if (all)
        row->verdict = SMC_BY_ORDER;
    smc_row_note(row,
                 "of %.0f elements, bit for bit; %s%.0f by no more than rounding in another order",
                 elements, all ? "all " : "", by_order);
}

/* Elements that are not as a file has them, of each argument that was compared with one. */
static void user_confirm_expected(const struct smc_user_run *run, struct smc_confirmation *out)
{
    for (size_t i = 0; i < run->memory_count; i++) {
        const struct smc_user_memory *memory = &run->memory[i];
        const struct smc_agreement *expected = &memory->expected;
        if (!expected->compared || out->row_count == SMC_MAX_ROWS)
            continue;
        struct smc_row *row = smc_row_add(out, "unlike_expected", "not as expected", "");
        row->predicted = smc_reading_of(0);
        *(memory->has_emulated ? &row->emulated : &row->measured) =
            smc_reading_of((double)expected->differing);
        smc_row_judge(row);
        if (expected->differing == 0)
            smc_row_note(row, "%s: all %" PRIu64 " element%s as in %.120s", memory->name,
                         expected->elements, expected->elements == 1 ? " is" : "s are",
                         memory->expected_as);
        else
            smc_row_note(row, "%s: the first is element %" PRIu64 ", %s; in %.120s %s",
                         memory->name, expected->first, memory->seen_value, memory->expected_as,
                         memory->expected_value);
    }
}

void smc_confirm_user(const struct smc_user_run *run, struct smc_confirmation *out)
{
    const struct smc_emulated_run *emulated = &run->result.emulated;
    *out = (struct smc_confirmation){0};
    confirm_api(run, out);
    smc_confirm_clusters(&run->answer, &run->result, out);
    if (run->result.emulation.made)
        show_counts(emulated, out);
    show_counters(&run->result, out);
    if (run->result.emulation.made) {
        user_confirm_findings(emulated, out);
        show_float_atomics(emulated, out);
    }
    user_confirm_agreement(run, out);
    user_confirm_expected(run, out);
    user_confirm_show_time(run, out);
    user_confirm_show_memory(run, out);
    smc_rows_count(out);
}
