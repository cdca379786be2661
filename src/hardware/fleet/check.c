/* Compares the result of a run with the CPU reference, for every back end. */
#include "hardware/fleet/check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers.h"
#include "base/platform.h"

/* --- Rows, by all cores ----------------------------------------------------------------------- */

enum {
    MAX_THREADS = 64,
    PARTS_PER_THREAD = 32,
    SLICES_PER_PART = 64, /* the work may be stopped between slices */
};

struct shared {
    const struct smc_verify_request *request;
    uint64_t rows_per_part, part_count, stride;
    double deadline_ms;
    atomic_uint_fast64_t next;
};

struct check_worker {
    pthread_t thread;
    struct shared *shared;
    struct smc_comparison total;
    uint64_t rows;
};

static void check_add(struct smc_comparison *total, const struct smc_comparison *part)
{
    bool earlier = part->wrong > 0 && (total->wrong == 0 || part->first_wrong < total->first_wrong);
    if (earlier) {
        total->first_wrong = part->first_wrong;
        total->expected = part->expected;
        total->got = part->got;
    }
    total->checked += part->checked;
    total->wrong += part->wrong;
    if (!(part->worst <= total->worst)) /* a NaN counts as worse */
        total->worst = part->worst;
}

/* About 0.618 of the parts, and coprime to their number, so that every part is reached. */
static uint64_t stride_over(uint64_t parts)
{
    uint64_t stride = parts * 618 / 1000 + 1;
    while (smc_common_divisor(parts, stride) != 1)
        stride++;
    return stride;
}

static bool check_stops(const struct smc_verify_request *request)
{
    return request->stop && request->stop();
}

/* Compares one slice after another; returns the number of compared rows. */
static uint64_t compare_part(const struct smc_verify_request *request, uint64_t first,
                             uint64_t rows, struct smc_comparison *total)
{
    uint64_t slice = request->stop ? (rows - 1) / SLICES_PER_PART + 1 : rows, done = 0;
    while (done < rows && !check_stops(request)) {
        uint64_t count = rows - done < slice ? rows - done : slice;
        struct smc_comparison part = {0};
        request->kernel->compare(request->kernel, request->params, request->buffers, first + done,
                                 count, &part);
        check_add(total, &part);
        done += count;
    }
    return done;
}

static void *check_work(void *argument)
{
    struct check_worker *worker = argument;
    struct shared *shared = worker->shared;
    const struct smc_verify_request *request = shared->request;
    uint64_t all_rows = request->plan->output_rows;
    for (;;) {
        uint64_t turn = atomic_fetch_add(&shared->next, 1);
        if (turn >= shared->part_count || (turn > 0 && smc_clock_ms() > shared->deadline_ms) ||
            check_stops(request))
            return NULL;
        uint64_t row = turn * shared->stride % shared->part_count * shared->rows_per_part;
        uint64_t rows =
            all_rows - row < shared->rows_per_part ? all_rows - row : shared->rows_per_part;
        worker->rows += compare_part(request, row, rows, &worker->total);
    }
}

static unsigned check_thread_count(uint64_t rows)
{
    const unsigned cores = smc_machine_processors();
    const uint64_t count = cores > MAX_THREADS ? MAX_THREADS : cores;
    return (unsigned)(count < rows ? count : rows);
}

uint64_t smc_verify(const struct smc_verify_request *request, struct smc_comparison *result)
{
    *result = (struct smc_comparison){0};
    uint64_t rows = request->plan->output_rows, compared = 0;
    if (rows == 0)
        return 0;
    unsigned threads = check_thread_count(rows), started = 1;
    uint64_t parts = (uint64_t)threads * PARTS_PER_THREAD;
    struct shared shared = {
        .request = request,
        .rows_per_part = (rows - 1) / parts + 1,
        .deadline_ms = smc_clock_ms() + request->budget_ms,
    };
    shared.part_count = (rows - 1) / shared.rows_per_part + 1;
    shared.stride = stride_over(shared.part_count);

    struct check_worker workers[MAX_THREADS] = {{.shared = &shared}};
    for (; started < threads; started++) {
        workers[started].shared = &shared;
        if (pthread_create(&workers[started].thread, NULL, check_work, &workers[started]) != 0)
            break; /* runs with fewer threads; the result is the same */
    }
    check_work(&workers[0]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    for (unsigned i = 0; i < started; i++) {
        check_add(result, &workers[i].total);
        compared += workers[i].rows;
    }
    return compared;
}

/* --- The outputs of a run --------------------------------------------------------------------- */

/* The reference of a large product takes minutes. After this budget, only a sample of the rows is
   compared. */
static const double usual_budget_ms = 20000;

void smc_check_outputs(const struct smc_run_request *request, const void *const *buffers,
                       bool (*stop)(void), struct smc_run_result *result)
{
    const struct smc_query *query = &request->answer->query;
    const struct smc_plan *plan = &request->answer->plan;
    for (size_t i = 0; request->outputs && i < plan->buffer_count; i++)
        if (plan->buffer[i].output)
            memcpy(request->outputs[i], buffers[i],
                   plan->buffer[i].elements * smc_dtype_bytes(plan->buffer[i].dtype));
    const uint32_t check_ms = request->settings->check_ms;
    const double budget_ms = check_ms ? check_ms : usual_budget_ms;
    const struct smc_verify_request verify = {
        .kernel = query->kernel,
        .params = &query->params,
        .plan = plan,
        .buffers = buffers,
        .stop = stop,
        .budget_ms = budget_ms,
    };
    uint64_t rows = smc_verify(&verify, &result->comparison);
    result->check.made = true;
    result->check.succeeded = result->comparison.wrong == 0;
    if (rows < plan->output_rows)
        snprintf(result->check.message, sizeof result->check.message,
                 "a sample: %llu of %llu rows in %g s", (unsigned long long)rows,
                 (unsigned long long)plan->output_rows, budget_ms / 1000);
}
