/* Whether the time of a launch can be predicted, from which machine code, and what its terms are
   called. */
#include <math.h>
#include <stdio.h>

#include "code/machine_code.h"
#include "machine/sass/async.h"
#include "machine/sass/sass_instruction.h"
#include "machine/timing/launch_model.h"
#include "machine/timing/means.h"

const struct smc_time_term_info smc_time_term_info[SMC_TIME_TERM_COUNT] = {
#define TERM(id, key, label, relief) {#key, label, relief},
#include "machine/timing/terms.def"
};

const char *smc_time_basis_name(enum smc_time_basis basis)
{
    static const char *const names[] = {NULL, "table", "calibrated", "specifications"};
    return names[basis];
}

uint16_t smc_time_code_cc(uint16_t cc)
{
    struct smc_capability capability;
    smc_capability_nearest(cc, &capability);
    if (capability.machine_code_format <= SMC_NEWEST_CODE_FORMAT)
        return cc;
    for (size_t i = smc_capability_count(); i-- > 0;) {
        smc_capability_at(i, &capability);
        if (capability.machine_code_format == SMC_NEWEST_CODE_FORMAT)
            break;
    }
    return capability.sm.cc;
}

/* Encodings before format 1 are not known. */
static uint16_t oldest_code_cc(void)
{
    struct smc_capability capability = {0};
    for (size_t i = 0; i < smc_capability_count() && capability.machine_code_format == 0; i++)
        smc_capability_at(i, &capability);
    return capability.sm.cc;
}

void smc_time_unknown(struct smc_time *time, const char *reason)
{
    *time = (struct smc_time){0};
    snprintf(time->reason, sizeof time->reason, "%s", reason);
}

/* Whether there is a block, and space for one. */
static bool launches(const struct smc_time_launch *launch)
{
    uint64_t most = launch->device->sm.max_threads_per_block;
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1];
    threads = threads > most ? 0 : threads * launch->block[2];
    return launch->blocks_per_sm > 0 && threads > 0 && threads <= most && launch->grid[0] > 0 &&
           launch->grid[1] > 0 && launch->grid[2] > 0;
}

bool smc_time_is_possible(const struct smc_time_launch *launch, struct smc_time *time)
{
    const struct smc_device *device = launch->device;
    struct smc_capability capability;
    smc_capability_nearest(device->sm.cc, &capability);
    *time = (struct smc_time){0};
    if (!launches(launch))
        smc_time_unknown(time, "the launch is refused");
    else if (device->sm_count == 0 || device->sm_clock_khz == 0)
        smc_time_unknown(time, "a compute capability alone has no clock");
    else if (device->memory_bytes_per_s <= 0)
        smc_time_unknown(time, "the memory bandwidth of the device is unknown");
    else if (capability.machine_code_format == 0)
        snprintf(time->reason, sizeof time->reason,
                 "machine code of sm_%u is not read, only that of sm_%u and newer", device->sm.cc,
                 oldest_code_cc());
    else
        return true;
    return false;
}

/* Whether one of two means is more than half as large again as the other. */
static bool differ(double a, double b)
{
    return fmin(a, b) > 0 && fmax(a, b) > 1.5 * fmin(a, b);
}

/* Whether only the stores of the next block make blocks longer or shorter. */
static bool is_near(const struct smc_survey *survey)
{
    return survey->in_pairs && differ(survey->beside[1], survey->beside[0]) &&
           !differ(survey->beside[0], survey->unseeing);
}

/* SMC_USAGE if warps that see what other blocks stored before execute more, or less, than those
   that do not, by more than the range allows: the order of blocks is not known. */
static enum smc_status check_order(const struct model *model, struct smc_error *error)
{
    enum { SURELY = 3 };
    const struct smc_survey *survey = &model->survey;
    const double seeing = is_near(survey) ? survey->beside[1] : survey->seeing;
    const double longer = fmax(seeing, survey->unseeing);
    const double shorter = fmin(seeing, survey->unseeing);
    uint32_t loop = 0;
    double most = 0;
    const bool surely = longer - shorter > SURELY * survey->seeing_error;
    if (longer <= (1 + SMC_UNCERTAIN_CHANGES) * shorter || shorter <= 0 || !surely)
        return SMC_OK;
    for (uint32_t i = 0; i < model->program.count; i++) {
        const struct smc_sass_instruction *in = &model->program.step[i].in;
        const bool closes = in->operation == SMC_OP_BRA && in->target >= 0 &&
                            in->target / SMC_INSTRUCTION_BYTES <= i;
        if (!closes || survey->executions[i] <= most)
            continue;
        most = survey->executions[i];
        loop = i;
    }
    if (most <= 0)
        return smc_fail(error, SMC_USAGE, "%s",
                        "what it executes depends on what other blocks store at the same time");
    smc_auto_text place = {0};
    smc_machine_program_append_place(&model->program, loop, &place);
    return smc_fail(error, SMC_USAGE,
                    "how often the loop runs that the branch at %s closes depends on what other "
                    "blocks store at the same time",
                    smc_text_string(&place));
}

/* Replaces the survey by another one. SMC_USAGE, and the old one stays: blocks do not end; or part
   of the grid is walked at the same time and its second half differs in work from its first; or
   blocks in pairs do not affect each other. */
static enum smc_status survey_again(struct model *model, struct smc_surveyed how,
                                    struct smc_error *error)
{
    static const double alike = 0.2;
    const bool is_part = how.at_once > 0 && how.at_once < model->blocks;
    struct smc_survey survey;
    const enum smc_status status = smc_survey_make(&model->machine, how, &survey, error);
    if (status != SMC_OK)
        return status;
    if ((is_part && fabs(survey.seeing - survey.unseeing) > alike * survey.length) ||
        (how.in_pairs && !is_near(&survey))) {
        smc_survey_free(&survey);
        return SMC_USAGE;
    }
    if (is_part) /* the last blocks may be long only because none after them store */
        survey.longest[0].place = 0;
    smc_survey_free(&model->survey);
    model->survey = survey;
    return SMC_OK;
}

/* Blocks drawn from the whole grid may not affect each other although neighbours do. Walks at least
   two pairs, unless that takes longer than a race. */
static enum smc_status survey_pairs(struct model *model, struct smc_error *error)
{
    enum { LEAST = 4 }; /* blocks */
    const struct smc_survey *survey = &model->survey;
    const double warps = LEAST * (double)smc_traces_warps(&model->machine);
    if (survey->steps * warps > (double)SMC_RACING_STEPS * (double)survey->warps ||
        !survey->others || survey->whole || smc_contents_change(survey) ||
        !smc_decides_and_changes(survey))
        return SMC_USAGE;
    return survey_again(model, (struct smc_surveyed){.in_pairs = true}, error);
}

/* How many warps may race (walk at the same time) without surely taking too many steps, by a survey
   of blocks one after the other. A race takes at least as many steps as blocks that see all stores
   of others, or none, whichever are fewer. If both are alike, a race adds little and gets fewer. */
static double racing_warps(const struct smc_survey *survey)
{
    enum { ALIKE_STEPS = 500000 };
    const bool both = survey->seeing > 0 && survey->unseeing > 0;
    const double seeing = is_near(survey) ? survey->beside[1] : survey->seeing;
    const double shorter = both ? fmin(seeing, survey->unseeing) : survey->length;
    const double longer = both ? fmax(seeing, survey->unseeing) : survey->length;
    const double all = survey->length * (double)survey->warps; /* instructions */
    const bool differ = !both || (longer - shorter) * SMC_ALIKE > longer;
    const double most = differ ? SMC_RACING_STEPS : ALIKE_STEPS;
    return all > 0 ? most * all / (survey->steps * shorter) : INFINITY;
}

enum smc_status smc_model_survey_races(struct model *model, enum smc_status status,
                                       struct smc_error *error)
{
    enum { LEAST = 16 };               /* blocks */
    static const double surely = 0.75; /* not too many */
    struct smc_error why;
    enum smc_status again = status == SMC_OK ? survey_pairs(model, &why) : SMC_USAGE;
    const bool races = status == SMC_OK ? smc_contents_change(&model->survey)
                                        : status == SMC_USAGE && model->program.by_block;
    if (again == SMC_MACHINE)
        return smc_fail(error, again, "%s", why.message);
    if (!races)
        return status;
    const double resident = (double)model->machine.resident, blocks = (double)model->blocks;
    const double most = racing_warps(&model->survey) / smc_traces_warps(&model->machine);
    const uint64_t some = (uint64_t)fmin(surely * most, resident);
    again = SMC_USAGE;
    if (blocks <= resident && blocks <= most)
        again = survey_again(model, (struct smc_surveyed){.at_once = model->blocks}, &why);
    if (again == SMC_USAGE && is_near(&model->survey) && some >= LEAST && some < model->blocks)
        again = survey_again(model, (struct smc_surveyed){.at_once = some}, &why);
    if (again == SMC_MACHINE)
        return smc_fail(error, again, "%s", why.message);
    return again == SMC_OK ? again : status == SMC_OK ? check_order(model, error) : status;
}

enum smc_status smc_model_check_rates(const struct model *model, struct smc_error *error)
{
    const char *unknown = NULL;
    for (uint32_t i = 0; i < model->program.count; i++) {
        const struct smc_sass_instruction *in = &model->program.step[i].in;
        const char *what = smc_rates_unknown(&model->rates, in);
        if (what && !unknown)
            unknown = what;
    }
    return unknown ? smc_fail(error, SMC_USAGE, "%s, whose rate is not in the model", unknown)
                   : SMC_OK;
}

/* The longest time that an entry of a trace may sleep until the timer ends it, in clocks. 0: it is
   no sleep; negative: not known. */
static double sleep_of(const struct model *model, const struct smc_warp_trace *trace,
                       const struct smc_warp_trace_entry *entry)
{
    const struct smc_program_step *step = model->program.step;
    if (entry->step >= SMC_WARP_TRACE_SKIP || step[entry->step].in.operation != SMC_OP_NANOSLEEP ||
        !step[entry->step].in.asynchronous)
        return 0;
    const struct smc_async async = smc_async_unpack(&trace->line[entry->line], entry->lines);
    return async.kind == SMC_ASYNC_SLEEP ? smc_rates_sleep_interval(&model->rates, async.bytes)
                                         : -1;
}

enum smc_status smc_model_find_sleeps(struct model *model, struct smc_error *error)
{
    const struct smc_traces *traces = &model->traces;
    for (size_t w = 0; w < (size_t)traces->blocks * traces->warps_per_block; w++)
        for (size_t i = 0; i < traces->pointer[w]->count; i++) {
            const double clocks =
                sleep_of(model, traces->pointer[w], &traces->pointer[w]->entry[i]);
            if (clocks < 0)
                return smc_fail(error, SMC_USAGE,
                                "for how long warps sleep (__nanosleep) is not known");
            model->sleep_clocks = fmax(model->sleep_clocks, clocks);
        }
    return SMC_OK;
}
