/* Judges a submission: its launches and the reference's in each case, then its figures and goals.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "hardware/executor/user_time.h"
#include "hardware/exercise/exercise_launch.h"
#include "hardware/exercise/wrong_result.h"
#include "rules/allocation.h"

enum { MOST_SOURCE_BYTES = 4 << 20 };

const char *const smc_exercise_outcome_names[SMC_EXERCISE_OUTCOMES] = {
#define OUTCOME(id, name) [SMC_EXERCISE_##id] = name,
#include "hardware/exercise/exercise_outcomes.def"
};

struct smc_exercise_attempt {
    struct smc_exercise_request request;
    struct smc_text source, reference_source, solution_source[SMC_EXERCISE_MOST_SOLUTIONS];
    struct smc_exercise_launch *own[SMC_EXERCISE_MOST_CASES];
    struct smc_exercise_launch *reference[SMC_EXERCISE_MOST_CASES];
    struct smc_exercise_launch *timed, *solution[SMC_EXERCISE_MOST_SOLUTIONS];
};

enum smc_status smc_exercise_status(const struct smc_exercise_verdict *verdict)
{
    switch (verdict->outcome) {
    case SMC_EXERCISE_SOLVED:
        return SMC_OK;
    case SMC_EXERCISE_UNUSABLE:
        return SMC_USAGE;
    case SMC_EXERCISE_FAILED:
        return SMC_MACHINE;
    default:
        return SMC_SHORTFALL;
    }
}

size_t smc_exercise_next_goal(const struct smc_exercise *exercise,
                              const struct smc_exercise_verdict *verdict)
{
    size_t i = 0;
    while (i < exercise->goals && verdict->met[i])
        i++;
    return i;
}

/* --- Compiling -------------------------------------------------------------------------------- */

static bool is_timed(const struct smc_exercise *exercise)
{
    for (size_t i = 0; i < exercise->names; i++)
        if (exercise->timed.value[i] != 0)
            return true;
    return false;
}

/* A file of the exercise, which must compile and launch. */
static enum smc_status prepare_known(const struct smc_exercise_request *request,
                                     const struct smc_exercise_case *one, const char *name,
                                     struct smc_text *source, struct smc_exercise_launch **launch,
                                     struct smc_error *error)
{
    smc_auto_text warnings = {0};
    enum smc_status status = SMC_OK;
    char file[128];
    snprintf(file, sizeof file, "%.100s.cu", name);
    if (source->length == 0)
        status = smc_exercise_read_file(request->exercise, file, source, error);
    if (status == SMC_OK)
        status = smc_exercise_launch_prepare(request, one, file, smc_text_string(source), launch,
                                             &warnings, error);
    if (status == SMC_OK && (*launch)->run.answer.outcome != SMC_LAUNCHES)
        status = smc_fail(error, SMC_USAGE, "%s does not launch on %s", file, request->device.name);
    return smc_fail_in(error, status, "exercise %.64s", request->exercise->name);
}

static enum smc_status prepare_references(struct smc_exercise_attempt *attempt,
                                          struct smc_error *error)
{
    const struct smc_exercise *exercise = attempt->request.exercise;
    for (size_t i = 0; i < exercise->cases; i++)
        SMC_TRY(prepare_known(&attempt->request, &exercise->one[i], exercise->reference,
                              &attempt->reference_source, &attempt->reference[i], error));
    for (size_t i = 0; is_timed(exercise) && i < exercise->solutions; i++)
        SMC_TRY(prepare_known(&attempt->request, &exercise->timed, exercise->solution[i],
                              &attempt->solution_source[i], &attempt->solution[i], error));
    return SMC_OK;
}

/* A launch that a device refuses is a verdict. */
static enum smc_status prepare_own(struct smc_exercise_attempt *attempt, struct smc_text *warnings,
                                   struct smc_error *error)
{
    const struct smc_exercise_request *request = &attempt->request;
    const struct smc_exercise *exercise = request->exercise;
    smc_auto_text repeated = {0}; /* the same warnings as of the first case */
    SMC_TRY(smc_file_read(request->file, "submission", MOST_SOURCE_BYTES, &attempt->source, error));
    const char *source = smc_text_string(&attempt->source);
    if (strlen(source) != attempt->source.length)
        return smc_fail(error, SMC_USAGE, "%s: not a text: CUDA C++ is wanted", request->file);
    for (size_t i = 0; i < exercise->cases; i++)
        SMC_TRY(smc_exercise_launch_prepare(request, &exercise->one[i], request->file, source,
                                            &attempt->own[i], i ? &repeated : warnings, error));
    if (!is_timed(exercise))
        return SMC_OK;
    return smc_exercise_launch_prepare(request, &exercise->timed, request->file, source,
                                       &attempt->timed, &repeated, error);
}

enum smc_status smc_exercise_prepare(const struct smc_exercise_request *request,
                                     struct smc_exercise_attempt **attempt,
                                     struct smc_text *warnings, struct smc_error *error)
{
    *attempt = smc_calloc(1, sizeof **attempt);
    if (!*attempt)
        return smc_out_of_memory(error);
    (*attempt)->request = *request;
    enum smc_status status = prepare_references(*attempt, error);
    if (status == SMC_OK)
        status = prepare_own(*attempt, warnings, error);
    if (status != SMC_OK) {
        smc_exercise_attempt_free(*attempt);
        *attempt = NULL;
    }
    return status;
}

void smc_exercise_attempt_free(struct smc_exercise_attempt *attempt)
{
    if (!attempt)
        return;
    for (size_t i = 0; i < SMC_EXERCISE_MOST_CASES; i++) {
        smc_exercise_launch_free(attempt->own[i]);
        smc_exercise_launch_free(attempt->reference[i]);
    }
    smc_exercise_launch_free(attempt->timed);
    for (size_t i = 0; i < SMC_EXERCISE_MOST_SOLUTIONS; i++) {
        smc_exercise_launch_free(attempt->solution[i]);
        smc_text_free(&attempt->solution_source[i]);
    }
    smc_text_free(&attempt->source);
    smc_text_free(&attempt->reference_source);
    free(attempt);
}

/* --- One case --------------------------------------------------------------------------------- */

/* Why the device refuses the launch. */
static void verdict_note_refusal(const struct smc_answer *answer,
                                 struct smc_exercise_verdict *verdict)
{
    const struct smc_resources *resources = &answer->resources;
    smc_auto_text why = {0};
    verdict->outcome = SMC_EXERCISE_REFUSED;
    if (answer->outcome == SMC_CANNOT_COMPILE)
        smc_text_printf(&why, "%u bytes of static shared memory; the limit is %u",
                        resources->refused_smem_bytes ? resources->refused_smem_bytes
                                                      : answer->launch.static_smem_bytes,
                        resources->refused_smem_limit_bytes
                            ? resources->refused_smem_limit_bytes
                            : answer->query.device.sm.smem_per_block_default_bytes);
    for (int i = 0; answer->outcome != SMC_CANNOT_COMPILE && i < SMC_REFUSAL_COUNT; i++) {
        if (!(answer->occupancy.refusals & 1u << i))
            continue;
        smc_text_append(&why, why.length ? "; and " : "");
        smc_refusal_describe(&answer->query.device.sm, &answer->launch, &answer->occupancy,
                             (enum smc_refusal)i, &why);
    }
    snprintf(verdict->why, sizeof verdict->why, "%s", smc_text_string(&why));
}

static enum smc_status launch_reference(struct smc_exercise_attempt *attempt, size_t one,
                                        struct smc_text *warnings, struct smc_error *error)
{
    const struct smc_exercise *exercise = attempt->request.exercise;
    struct smc_exercise_launch *reference = attempt->reference[one];
    SMC_TRY(smc_exercise_make_memory(exercise, reference, error));
    return smc_exercise_launch_reference(exercise, reference, warnings, error);
}

static void verdict_take_launch(const struct smc_exercise_launch *own,
                                struct smc_exercise_verdict *verdict)
{
    const struct smc_user_request *request = &own->request;
    memcpy(verdict->grid, request->grid, sizeof verdict->grid);
    memcpy(verdict->block, request->block, sizeof verdict->block);
    verdict->smem_bytes = request->dynamic_smem_bytes;
}

static void verdict_take_run(const struct smc_user_run *run, struct smc_exercise_verdict *verdict)
{
    verdict->emulated = run->result.emulated;
    verdict->emulated.annotation = NULL;
    memcpy(verdict->barrier_after, run->barrier_after, sizeof verdict->barrier_after);
}

/* SMC_OK: its outcome is in the verdict; SMC_EXERCISE_SOLVED: this case is right. */
static enum smc_status judge_case(struct smc_exercise_attempt *attempt, size_t one,
                                  struct smc_exercise_verdict *verdict, struct smc_text *warnings,
                                  struct smc_error *error)
{
    const struct smc_exercise *exercise = attempt->request.exercise;
    struct smc_exercise_launch *own = attempt->own[one];
    memcpy(verdict->value, exercise->one[one].value, sizeof verdict->value);
    verdict_take_launch(own, verdict);
    verdict->outcome = SMC_EXERCISE_SOLVED;
    if (own->run.answer.outcome != SMC_LAUNCHES) {
        verdict_note_refusal(&own->run.answer, verdict);
        return SMC_OK;
    }
    SMC_TRY(launch_reference(attempt, one, warnings, error));
    SMC_TRY(smc_exercise_make_memory(exercise, own, error));
    SMC_TRY(smc_user_launch(&own->run, warnings, error));
    if (smc_exercise_has_fault(&own->run.result.emulated))
        SMC_TRY(smc_user_advise_barriers(&own->run, error));
    verdict_take_run(&own->run, verdict);
    if (own->run.result.emulated.stopped)
        return smc_fail(error, SMC_INTERRUPTED, "interrupted");
    if (smc_exercise_has_fault(&verdict->emulated)) {
        verdict->outcome = SMC_EXERCISE_FAULT;
    } else if (!verdict->emulated.finish.succeeded) {
        verdict->outcome = SMC_EXERCISE_UNFINISHED;
        snprintf(verdict->why, sizeof verdict->why, "%s", verdict->emulated.finish.message);
    } else {
        const struct smc_exercise_comparison comparison = {exercise, own, attempt->reference[one]};
        smc_exercise_compare(&comparison, &verdict->wrong);
        if (verdict->wrong.wrong > 0) {
            verdict->outcome = SMC_EXERCISE_WRONG;
            return smc_exercise_find_cause(&comparison, &verdict->wrong, warnings, error);
        }
    }
    return SMC_OK;
}

/* --- Figures and goals ------------------------------------------------------------------------ */

static uint64_t verdict_traffic(const struct smc_user_run *run, int kind, bool sectors)
{
    uint64_t total = 0;
    for (size_t i = 0; i < run->memory_count; i++) {
        const struct smc_emulated_traffic *seen = &run->memory[i].traffic.kind[kind];
        total += sectors ? seen->sectors : seen->requests;
    }
    return total;
}

static void verdict_take_figures(const struct smc_user_run *run,
                                 struct smc_exercise_verdict *verdict)
{
    const struct smc_emulated_count *total = &run->result.emulated.total;
    const struct smc_answer *answer = &run->answer;
    const double static_smem = answer->launch.static_smem_bytes;
    const double dynamic_smem = answer->launch.dynamic_smem_bytes;
    const double figures[SMC_EXERCISE_FIGURES] = {
        [SMC_EXERCISE_CONFLICTS] = (double)smc_emulated_conflicts(total),
        [SMC_EXERCISE_LOAD_SECTORS] = (double)verdict_traffic(run, SMC_EMULATED_LOAD, true),
        [SMC_EXERCISE_SECTORS_PER_REQUEST] =
            total->global_requests ? (double)total->global_sectors / (double)total->global_requests
                                   : 0,
        [SMC_EXERCISE_GLOBAL_ATOMICS] = (double)verdict_traffic(run, SMC_EMULATED_ATOMIC, false),
        [SMC_EXERCISE_DIVERGENCE] = (double)total->divergent,
        [SMC_EXERCISE_INSTRUCTIONS] = (double)total->executions,
        [SMC_EXERCISE_SMEM] = static_smem + dynamic_smem,
        [SMC_EXERCISE_STATIC_SMEM] = static_smem,
        [SMC_EXERCISE_DYNAMIC_SMEM] = dynamic_smem,
        [SMC_EXERCISE_REGISTERS] = answer->resources.regs_per_thread,
        [SMC_EXERCISE_OCCUPANCY] = answer->occupancy_percent,
        [SMC_EXERCISE_TIME] = NAN,
    };
    memcpy(verdict->figure, figures, sizeof figures);
}

/* Of a solution that is right: a prediction takes longer than the rest of a verdict. */
static enum smc_status predict_time(const struct smc_exercise_request *request,
                                    struct smc_exercise_launch *launch,
                                    struct smc_exercise_times *times, struct smc_error *error)
{
    if (!launch)
        return SMC_OK;
    launch->run.request.ceilings = request->ceilings;
    SMC_TRY(smc_user_find_time(&launch->run, error));
    const struct smc_time *time = &launch->run.answer.time;
    if (smc_time_is_known(time))
        *times = (struct smc_exercise_times){time->predicted_ms, time->low_ms, time->high_ms};
    return SMC_OK;
}

static bool is_met(const struct smc_exercise_goal *goal, double figure, double bound)
{
    return goal->relation == SMC_EXERCISE_AT_MOST    ? figure <= bound
           : goal->relation == SMC_EXERCISE_AT_LEAST ? figure >= bound
                                                     : figure == bound;
}

/* A figure that is not known meets no goal. */
static enum smc_status judge_goals(const struct smc_exercise_attempt *attempt,
                                   struct smc_exercise_verdict *verdict, struct smc_error *error)
{
    const struct smc_exercise *exercise = attempt->request.exercise;
    const struct smc_exercise_case *last = &exercise->one[exercise->cases - 1];
    for (size_t i = 0; i < exercise->goals; i++) {
        const struct smc_exercise_goal *goal = &exercise->goal[i];
        int64_t bound;
        enum smc_status status = smc_exercise_evaluate(exercise, last, goal->bound, &bound, error);
        if (status != SMC_OK)
            return smc_fail_in(error, status, "exercise %.64s: a goal", exercise->name);
        verdict->bound[i] = (double)bound;
        if (goal->solution >= 0) {
            const double ms = verdict->solution[goal->solution].ms;
            verdict->bound[i] = ms > 0 ? (double)bound / 100 * ms : NAN;
        }
        verdict->met[i] = is_met(goal, verdict->figure[goal->figure], verdict->bound[i]);
    }
    return SMC_OK;
}

static enum smc_status judge_figures(struct smc_exercise_attempt *attempt,
                                     struct smc_exercise_verdict *verdict, struct smc_error *error)
{
    const struct smc_exercise *exercise = attempt->request.exercise;
    verdict_take_figures(&attempt->own[exercise->cases - 1]->run, verdict);
    verdict->has_figures = true;
    enum smc_status status = predict_time(&attempt->request, attempt->timed, &verdict->own, error);
    for (size_t i = 0; i < exercise->solutions && status == SMC_OK; i++)
        status =
            predict_time(&attempt->request, attempt->solution[i], &verdict->solution[i], error);
    if (verdict->own.ms > 0)
        verdict->figure[SMC_EXERCISE_TIME] = verdict->own.ms;
    if (status == SMC_OK)
        status = judge_goals(attempt, verdict, error);
    verdict->outcome = smc_exercise_next_goal(exercise, verdict) == exercise->goals
                           ? SMC_EXERCISE_SOLVED
                           : SMC_EXERCISE_GOAL;
    return status;
}

enum smc_status smc_exercise_judge(struct smc_exercise_attempt *attempt,
                                   struct smc_exercise_verdict *verdict, struct smc_text *warnings,
                                   struct smc_error *error)
{
    *verdict = (struct smc_exercise_verdict){.outcome = SMC_EXERCISE_SOLVED};
    for (size_t i = 0; i < attempt->request.exercise->cases; i++) {
        SMC_TRY(judge_case(attempt, i, verdict, warnings, error));
        if (verdict->outcome != SMC_EXERCISE_SOLVED)
            return SMC_OK;
        verdict->passed++;
    }
    return judge_figures(attempt, verdict, error);
}
