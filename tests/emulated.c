/* Emulates every kernel of the catalog: the result equals the reference, there are no memory errors
   or races, and the model's counts equal the emulator's exactly: instructions and wavefronts of
   shared memory, requests, sectors and bytes of each array. Tiles 1 to 32, paddings, every type,
   awkward sizes and leading dimensions, drawn from a fixed seed, and the smallest of the sets that
   are confirmed on GPUs. The racy kernel is caught wherever its race exists.

   A share of these sets; with TEST_WHOLE=1 all. Without an NVRTC: exit status 77. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog_sets.h"
#include "hardware/confirm/confirm.h"
#include "hardware/executor.h"
#include "launches.h"
#include "share.h"
#include "temporary.h"

static const uint16_t ccs[] = {90, 75, 80, 89, 120};
enum { CC_COUNT = sizeof ccs / sizeof *ccs, TURNS_OF_A_CC = 64, SMALLEST = 12 };

/* One turn of 37, which has no factor in common with the choices of launches_draw: each kernel
   meets every compute capability, and every block size or shape. */
enum { SHARE = 37, SMALLEST_SHARE = 4 };

static uint64_t state = 2026;

struct tally {
    unsigned passed, failed;
};

static void complain(const struct smc_answer *answer, const struct smc_confirmation *confirmation,
                     const char *why)
{
    struct smc_text defines = {0};
    answer->query.kernel->defines(answer->query.kernel, &answer->query.params, &defines);
    printf("FAIL: %s %s cc %u: %s\n", answer->query.kernel->name, smc_text_string(&defines),
           answer->query.device.sm.cc, why);
    for (size_t i = 0; confirmation && i < confirmation->row_count; i++)
        if (confirmation->row[i].verdict == SMC_DIFFERS)
            printf("      %s: predicted %.0f, emulated %.0f; %s\n", confirmation->row[i].quantity,
                   confirmation->row[i].predicted.value, confirmation->row[i].emulated.value,
                   confirmation->row[i].note);
    smc_text_free(&defines);
}

/* Counts the rows that differ, except the two that a race changes. */
static size_t differing(const struct smc_confirmation *confirmation, bool is_racy)
{
    size_t count = 0;
    for (size_t i = 0; i < confirmation->row_count; i++) {
        const char *quantity = confirmation->row[i].quantity;
        bool spoilt = is_racy && (strcmp(quantity, "findings") == 0 ||
                                  strcmp(quantity, "wrong_elements") == 0);
        count += confirmation->row[i].verdict == SMC_DIFFERS && !spoilt;
    }
    return count;
}

/* A block of one thread has no race, and the first pair of tiles overwrites nothing. */
static bool has_race(const struct smc_kernel *kernel, const struct smc_params *params)
{
    int64_t tile = params->value[SMC_PARAM_TILE];
    return kernel->is_racy && tile > 1 && params->value[SMC_PARAM_K] > tile;
}

/* Returns false if nothing can be emulated here. */
static bool try_set(const struct smc_kernel *kernel, const struct smc_params *params, uint16_t cc,
                    uint64_t seed, struct tally *tally)
{
    static struct smc_answer answer; /* too large for the stack */
    static struct smc_run_result result;
    static struct smc_confirmation confirmation;
    struct smc_query query;
    struct smc_capability capability;
    struct smc_error error = {""};
    smc_query_init(&query);
    query.kernel = kernel;
    query.params = *params;
    smc_capability_find(cc, &capability);
    smc_device_of_capability(&capability, &query.device);
    const struct smc_run_settings settings = {.place = SMC_ON_EMULATOR, .seed = seed};
    struct smc_compiled compiled;
    const struct smc_run_request request = {
        .answer = &answer, .compiled = &compiled, .settings = &settings};
    enum smc_status status =
        smc_run_answer(&query, SMC_ON_EMULATOR, &answer, &compiled, NULL, &error);
    if (status == SMC_OK)
        status = smc_executor_emulator.run(&request, &result, NULL, &error);
    smc_binary_free(&compiled.binary);
    if (status == SMC_UNAVAILABLE)
        return false;
    tally->failed++;
    if (status != SMC_OK) {
        complain(&answer, NULL, error.message);
        return true;
    }
    if (answer.outcome != SMC_LAUNCHES) { /* refused and not emulated, as expected */
        tally->failed -= !result.emulation.made;
        tally->passed += !result.emulation.made;
        return true;
    }
    smc_confirm(&answer, &result, &confirmation);
    bool caught = result.emulated.findings_total > 0;
    if (!result.emulation.made || confirmation.confirmed < 4)
        complain(&answer, &confirmation, "it was not emulated");
    else if (differing(&confirmation, kernel->is_racy))
        complain(&answer, &confirmation, "the model differs");
    else if (caught != has_race(kernel, &answer.query.params))
        complain(&answer, &confirmation, caught ? "a race is seen" : "the race is not seen");
    else {
        tally->failed--;
        tally->passed++;
    }
    return true;
}

static bool try_drawn(size_t number, uint32_t turn, struct tally *tally)
{
    const struct smc_kernel *kernel = smc_kernel_at(number);
    struct smc_params params;
    launches_draw(kernel, turn, &state, &params);
    return !share_has(turn + number, SHARE) ||
           try_set(kernel, &params, ccs[turn / TURNS_OF_A_CC], turn, tally);
}

/* Finds the set with the least effort above `floor`, and returns its effort. */
static double next_smallest(const struct catalog_sets *sets, double floor, size_t *set)
{
    double least = -1;
    for (size_t i = 0; i < sets->count; i++) {
        double effort = catalog_set_effort(sets->kernel, &sets->set[i]);
        if (effort > floor && (least < 0 || effort < least)) {
            least = effort;
            *set = i;
        }
    }
    return least;
}

/* Of the sets for the GPU, one for each of the smallest efforts. */
static bool try_smallest(const struct smc_kernel *kernel, struct tally *tally)
{
    static struct catalog_sets sets;
    struct smc_capability capability;
    bool served = smc_capability_find(90, &capability);
    catalog_sets_make(kernel, &capability.sm, &sets);
    double effort = -1;
    for (size_t i = 0, set = 0; served && i < SMALLEST; i++) {
        effort = next_smallest(&sets, effort, &set);
        served = !share_has(i, SMALLEST_SHARE) || try_set(kernel, &sets.set[set], 90, i, tally);
    }
    return served;
}

int main(void)
{
    struct temporary temporary;
    struct tally tally = {0, 0};
    struct smc_nvrtc_info info;
    struct smc_error error = {""};
    if (smc_nvrtc_describe(&info, &error) != SMC_OK) {
        printf("skipped: %s\n0 passed, 0 failed, 1 skipped\n", error.message);
        return 77;
    }
    temporary_begin(&temporary);
    bool served = true;
    for (uint32_t turn = 0; served && turn < CC_COUNT * TURNS_OF_A_CC; turn++)
        for (size_t i = 0; served && i < smc_kernel_count(); i++)
            if (!smc_kernel_at(i)->is_probe)
                served = try_drawn(i, turn, &tally);
    for (size_t i = 0; served && i < smc_kernel_count(); i++)
        if (!smc_kernel_at(i)->is_probe)
            served = try_smallest(smc_kernel_at(i), &tally);
    temporary_end(&temporary);
    share_print("sets of parameters");
    printf("%u passed, %u failed, %d skipped\n", tally.passed, tally.failed, !served);
    return tally.failed || !tally.passed;
}
