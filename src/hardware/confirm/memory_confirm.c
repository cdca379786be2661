/* Compares memory accesses as predicted, as emulated and as counted by the GPU. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hardware/confirm/confirm.h"
/* One launch's counters and their expected values. */
struct smc_counted {
    const struct smc_answer *answer;
    const struct smc_run_result *result;
    double expected[SMC_METRIC_COUNT];
};

/* --- Counters --------------------------------------------------------------------------------- */

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

/* Seen on an H200. The counter of loads' wavefronts also has those that are repeated because
   something else uses the banks: as many as l1tex__data_bank_conflicts_type_arbitration, in
   stencil-static 11 to 14 of 33,055, in a histogram that fills the SMs 5 %. */
const char *smc_counted_residue(const struct smc_answer *answer, enum smc_metric metric,
                                double more)
{
    const double most_repeated = 0.06 * answer->workload.shared.loads.wavefronts;
    if (metric == SMC_METRIC_SHARED_LOAD_WAVEFRONTS && !smc_loads_are_words(answer) && more > 0 &&
        more <= most_repeated)
        return "the counter also has wavefronts that are repeated as something else uses the banks";
    return NULL;
}

/* --- Verdicts --------------------------------------------------------------------------------- */

/* Whether counters were requested. */
static bool counted_wanted(const struct smc_run_result *result)
{
    return result->counting.made || result->counting.message[0];
}

/* Judges the other sources; false if no counter has a value to add. */
static bool judge_others(const struct smc_counted *counted, struct smc_row *row)
{
    const struct smc_attempt *counting = &counted->result->counting;
    smc_row_judge(row);
    if (row->verdict == SMC_NOT_MEASURED && !counting->succeeded && !row->note[0])
        smc_row_note(row, "%s", counting->message);
    return counting->succeeded;
}

/* The tolerance of the counters: a share of `base`, which `of` names. */
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

/* Notes what the counters omit; if they omit everything, they confirm nothing. */
static void note_copies(double copied, double expected, struct smc_row *row)
{
    if (copied == 0 || row->verdict == SMC_DIFFERS || row->note[0])
        return;
    smc_row_note(row, "the counters leave out what cp.async stores, %.0f of them", copied);
    if (expected == 0 && !row->emulated.present)
        row->verdict = SMC_INFORMATION;
}

/* Judges a row whose other sources are set, with one metric as the measured value. If there are no
   counters and no other values, the note says why. */
static void counted_judge(const struct smc_counted *counted, enum smc_metric metric,
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
        .residue = smc_counted_residue(counted->answer, metric, seen - expected),
    };
    row->measured = smc_reading_of(seen);
    judge_measured(expected, &allowance, row);
    if (metric == SMC_METRIC_SHARED_STORES)
        note_copies(copies->instructions, expected, row);
    else if (metric == SMC_METRIC_SHARED_STORE_WAVEFRONTS)
        note_copies(copies->wavefronts, expected, row);
}

/* Wavefronts may deviate by 2 %, which is a larger share of the conflicts among them. */
static void judge_conflicts(const struct smc_counted *counted, struct smc_row *row)
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
        .residue = smc_counted_residue(counted->answer, loads, seen[loads] - expected[loads]),
    };
    row->measured = smc_reading_of(seen[loads] + seen[stores] - least);
    judge_measured(wavefronts - least, &allowance, row);
    note_copies(smc_bank_conflicts(&shared->copies), wavefronts - least, row);
}

/* --- DRAM ------------------------------------------------------------------------------------- */

enum { CACHES_JUDGED = 4 };

/* Shows a row without judging it; `why` is the reason, NULL if there is no further prediction. */
static void memory_confirm_show(double predicted, double seen, const char *why, struct smc_row *row)
{
    row->verdict = SMC_INFORMATION;
    if (predicted > 0)
        smc_row_note(row, "%.4g times the least%s%s", seen / predicted, why ? ": " : "",
                     why ? why : "");
}

static void memory_confirm_judge(const struct smc_answer *answer, double tolerance,
                                 struct smc_row *row)
{
    double l2_bytes = (double)answer->query.device.l2_bytes;
    double predicted = row->predicted.value, seen = row->measured.value;
    double allowed = tolerance * predicted + l2_bytes;
    if (!answer->query.kernel || !answer->query.kernel->streams) {
        memory_confirm_show(predicted, seen, NULL, row);
    } else if (l2_bytes == 0) {
        memory_confirm_show(predicted, seen, "the size of the L2 cache is not known", row);
    } else if (predicted <= CACHES_JUDGED * l2_bytes) {
        memory_confirm_show(predicted, seen, "the L2 cache may hold it", row);
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
    row->predicted = smc_reading_of(counted->expected[metric]);
    if (counting->succeeded) {
        row->measured = smc_reading_of(counted->result->counted[metric]);
        memory_confirm_judge(counted->answer, info->tolerance, row);
    } else {
        row->verdict = SMC_NOT_MEASURED;
        smc_row_note(row, "%s", counting->message);
    }
}

static void confirm_dram(const struct smc_counted *counted, struct smc_confirmation *out)
{
    confirm(counted, SMC_METRIC_DRAM_READ_BYTES, out);
    confirm(counted, SMC_METRIC_DRAM_WRITTEN_BYTES, out);
}

/* --- Rows ------------------------------------------------------------------------------------- */

struct memory_confirm_view {
    const struct smc_answer *answer;
    const struct smc_run_result *result;
    struct smc_counted counted;
    struct smc_confirmation *out;
};

static bool emulated(const struct memory_confirm_view *view)
{
    return view->result->emulation.made;
}

/* Adds a row with its prediction and, if it was emulated, the emulated value. */
static struct smc_row *memory_confirm_add(const struct memory_confirm_view *view,
                                          const char *quantity, const char *label, double predicted,
                                          double seen)
{
    struct smc_row *row = smc_row_add(view->out, quantity, label, "");
    row->predicted = smc_reading_of(predicted);
    if (emulated(view))
        row->emulated = smc_reading_of(seen);
    smc_row_judge(row);
    return row;
}

/* The same for a metric; `counts`: whether the GPU's counters count the same quantity. */
static struct smc_row *add_metric(const struct memory_confirm_view *view, enum smc_metric metric,
                                  bool counts, double predicted, double seen)
{
    const struct smc_metric_info *info = &smc_metric_info[metric];
    struct smc_row *row = memory_confirm_add(view, info->quantity, info->label, predicted, seen);
    if (counts)
        counted_judge(&view->counted, metric, row);
    return row;
}

/* --- Shared memory ---------------------------------------------------------------------------- */

/* The loads that the GPU executes after ptxas joined neighbouring ones. The counters only see
   these: without an emulation they are the only rows of loads. */
static void confirm_machine_loads(const struct memory_confirm_view *view)
{
    static const struct {
        enum smc_metric metric;
        const char *quantity, *label;
    } rows[] = {
        {SMC_METRIC_SHARED_LOADS, "machine_shared_loads", "  in machine code"},
        {SMC_METRIC_SHARED_LOAD_WAVEFRONTS, "machine_shared_load_wavefronts", "  their wavefronts"},
    };
    const struct smc_emulated_run *seen = &view->result->emulated;
    const struct smc_shared_count *made = &view->answer->workload.shared.loads;
    const double predicted[] = {made->instructions, made->wavefronts};
    const double counted[] = {seen->machine_loads.instructions, seen->machine_loads.wavefronts};
    for (int i = 0; i < 2; i++) {
        const char *alone = smc_metric_info[rows[i].metric].label;
        struct smc_row *row =
            smc_row_add(view->out, rows[i].quantity, emulated(view) ? rows[i].label : alone, "");
        row->predicted = smc_reading_of(predicted[i]);
        if (seen->follows_machine_code)
            row->emulated = smc_reading_of(counted[i]);
        else
            smc_row_note(row, "%s", seen->not_followed);
        smc_row_judge(row);
        if (counted_wanted(view->result))
            counted_judge(&view->counted, rows[i].metric, row);
    }
}

static void confirm_loads(const struct memory_confirm_view *view, bool machine_differs)
{
    const struct smc_shared_count *loads = &view->answer->workload.shared.written_loads;
    const struct smc_shared_count *seen = &view->result->emulated.loads;
    bool counts = !machine_differs && counted_wanted(view->result);
    struct smc_row *row =
        add_metric(view, SMC_METRIC_SHARED_LOADS, counts, loads->instructions, seen->instructions);
    if (machine_differs)
        smc_row_note(row, "as the PTX has them");
    add_metric(view, SMC_METRIC_SHARED_LOAD_WAVEFRONTS, counts, loads->wavefronts,
               seen->wavefronts);
}

/* Copies have separate rows if the emulator distinguishes them from other stores. */
static void confirm_stores(const struct memory_confirm_view *view)
{
    const struct smc_shared_work *shared = &view->answer->workload.shared;
    const struct smc_emulated_run *seen = &view->result->emulated;
    bool counts = counted_wanted(view->result);
    add_metric(view, SMC_METRIC_SHARED_STORES, counts, shared->stores.instructions,
               seen->stores.instructions);
    add_metric(view, SMC_METRIC_SHARED_STORE_WAVEFRONTS, counts, shared->stores.wavefronts,
               seen->stores.wavefronts);
    if (!emulated(view) || (shared->copies.instructions == 0 && seen->copies.instructions == 0))
        return;
    memory_confirm_add(view, "shared_copies", "  of these by cp.async", shared->copies.instructions,
                       seen->copies.instructions);
    struct smc_row *row = memory_confirm_add(view, "shared_copy_wavefronts", "  their wavefronts",
                                             shared->copies.wavefronts, seen->copies.wavefronts);
    if (shared->copies.wavefronts > 0 && row->verdict == SMC_CONFIRMED)
        smc_row_note(row, "each copy counted as reading from the beginning of a line");
}

/* Their addresses depend on the data, so that nothing predicts them. */
static void show_atomics(const struct memory_confirm_view *view)
{
    const struct smc_emulated_count *total = &view->result->emulated.total;
    const struct {
        const char *quantity, *label;
        uint64_t value, unknown;
    } rows[] = {
        {"shared_atomics", "shared atomics", total->shared_atomics, 0},
        {"shared_atomic_wavefronts", "  their wavefronts", total->atomic_wavefronts,
         total->atomic_loops},
        {"distributed_accesses", "accesses to other blocks", total->distributed, 0},
        {"distributed_wavefronts", "  their wavefronts", total->distributed_wavefronts,
         total->distributed_unknown},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].value == 0 || rows[i].unknown > 0)
            continue;
        struct smc_row *row = smc_row_add(view->out, rows[i].quantity, rows[i].label, "");
        row->emulated = smc_reading_of((double)rows[i].value);
        row->verdict = SMC_INFORMATION;
    }
}

static void confirm_conflicts(const struct memory_confirm_view *view, bool shows_ptx,
                              bool machine_differs)
{
    const struct smc_shared_work *shared = &view->answer->workload.shared;
    double stores = smc_bank_conflicts(&shared->stores);
    bool wanted = counted_wanted(view->result);
    struct smc_row *row = NULL;
    if (shows_ptx)
        row = memory_confirm_add(view, "bank_conflicts", "bank conflicts",
                                 smc_bank_conflicts(&shared->written_loads) + stores,
                                 view->result->emulated.conflicts);
    if (machine_differs && wanted) {
        row = smc_row_add(view->out, "machine_bank_conflicts",
                          shows_ptx ? "  in machine code" : "bank conflicts", "");
        row->predicted = smc_reading_of(smc_bank_conflicts(&shared->loads) + stores);
    }
    if (wanted)
        judge_conflicts(&view->counted, row);
}

static void confirm_shared(const struct memory_confirm_view *view)
{
    const struct smc_shared_work *shared = &view->answer->workload.shared;
    const struct smc_emulated_run *seen = &view->result->emulated;
    bool joined = shared->loads.instructions != shared->written_loads.instructions;
    bool machine_differs =
        joined ||
        (emulated(view) && (!seen->follows_machine_code ||
                            seen->machine_loads.instructions != seen->loads.instructions));
    bool shows_ptx = emulated(view) || !machine_differs;
    if (shows_ptx)
        confirm_loads(view, machine_differs);
    if (machine_differs)
        confirm_machine_loads(view);
    confirm_stores(view);
    show_atomics(view);
    confirm_conflicts(view, shows_ptx, machine_differs);
}

/* --- Global memory ---------------------------------------------------------------------------- */

enum memory_confirm_field { REQUESTS, SECTORS, BYTES };

static double memory_confirm_value_of(const struct smc_global_access *access,
                                      enum memory_confirm_field field, double element_bytes)
{
    return field == REQUESTS  ? access->requests
           : field == SECTORS ? access->sectors
                              : access->elements * element_bytes;
}

/* The total over all arrays that are loaded, or all that are stored. */
struct memory_confirm_sum {
    double predicted, seen;
    bool differs;   /* in at least one of them */
    char note[128]; /* what the emulator counted for each */
};

static struct memory_confirm_sum memory_confirm_sum_up(const struct memory_confirm_view *view,
                                                       bool store, enum memory_confirm_field field)
{
    const struct smc_work *work = &view->answer->work;
    double element_bytes = (double)smc_dtype_bytes(view->answer->plan.buffer[0].dtype);
    struct memory_confirm_sum sum = {0};
    for (size_t i = 0; i < work->access_count; i++) {
        if (work->access[i].store != store)
            continue;
        const struct smc_global_access *seen = &view->result->emulated.access[i];
        double value = memory_confirm_value_of(&work->access[i], field, element_bytes);
        double counted = memory_confirm_value_of(seen, field, element_bytes);
        size_t used = strlen(sum.note);
        snprintf(sum.note + used, sizeof sum.note - used, "%s%s %.0f", used ? ", " : "",
                 work->access[i].name, counted);
        sum.predicted += value;
        sum.seen += counted;
        sum.differs |= value != counted;
    }
    return sum;
}

/* If emulated, each array must agree. */
static void confirm_arrays(const struct memory_confirm_view *view,
                           const struct memory_confirm_sum *sum, enum memory_confirm_field field,
                           struct smc_row *row)
{
    if (!emulated(view))
        return;
    if (sum->differs)
        row->verdict = SMC_DIFFERS;
    if (sum->differs || (field == SECTORS && strchr(sum->note, ',')))
        smc_row_note(row, "%s", sum->note);
}

static void confirm_global(const struct memory_confirm_view *view, bool store)
{
    static const enum smc_metric metrics[2][2] = {
        {SMC_METRIC_GLOBAL_LOAD_REQUESTS, SMC_METRIC_GLOBAL_LOAD_SECTORS},
        {SMC_METRIC_GLOBAL_STORE_REQUESTS, SMC_METRIC_GLOBAL_STORE_SECTORS},
    };
    for (int field = REQUESTS; field <= SECTORS; field++) {
        struct memory_confirm_sum sum =
            memory_confirm_sum_up(view, store, (enum memory_confirm_field)field);
        const struct smc_metric_info *info = &smc_metric_info[metrics[store][field]];
        struct smc_row *row =
            memory_confirm_add(view, info->quantity, info->label, sum.predicted, sum.seen);
        if (counted_wanted(view->result))
            counted_judge(&view->counted, metrics[store][field], row);
        confirm_arrays(view, &sum, (enum memory_confirm_field)field, row);
    }
    if (!emulated(view))
        return;
    struct memory_confirm_sum sum = memory_confirm_sum_up(view, store, BYTES);
    struct smc_row *row =
        memory_confirm_add(view, store ? "global_store_bytes" : "global_load_bytes", "  requested",
                           sum.predicted, sum.seen);
    row->unit = "B";
    confirm_arrays(view, &sum, BYTES, row);
}

static void memory_confirm_findings(const struct memory_confirm_view *view)
{
    const struct smc_emulated_run *seen = &view->result->emulated;
    struct smc_row *row = memory_confirm_add(view, "findings", "races, bad accesses", 0,
                                             (double)seen->findings_total);
    if (seen->finding_count > 0)
        smc_row_note(row, "%s", seen->finding[0].text);
}

void smc_confirm_memory(const struct smc_answer *answer, const struct smc_run_result *result,
                        struct smc_confirmation *out)
{
    struct memory_confirm_view view = {.answer = answer, .result = result, .out = out};
    bool wanted = counted_wanted(result);
    if (!result->emulation.made && !wanted)
        return;
    view.counted.answer = answer;
    view.counted.result = result;
    smc_counted_expect(answer, view.counted.expected);
    if (answer->workload.has_shared)
        confirm_shared(&view);
    for (int store = 0; answer->has_work && store < 2; store++)
        confirm_global(&view, store);
    if (answer->has_work && wanted)
        confirm_dram(&view.counted, out);
    if (result->emulation.made)
        memory_confirm_findings(&view);
}
