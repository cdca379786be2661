/* The occupancy model against NVIDIA's cuda_occupancy.h: the same random launches in the same loop,
   rounds of both in turn, medians. Launches are of every compute capability from 3.0 up, and each
   side reads them in its own structures, made before. And how long a query takes with and without
   its predicted time, for a launch of each kernel of the catalog, compiled before.
   Usage: model_speed [ROUNDS], 31 by default. Exit status 1: the model is the slower one. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/numbers.h"
#include "rules/devices.h"
#include "rules/occupancy.h"

#include "answers/query.h"

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* --- Queries ---------------------------------------------------------------------------------- */

enum { QUERIES = 15, SIZE = 4096 };

/* Milliseconds, the median of some; with `timed` the time is predicted. Negative: no answer. */
static double query_ms(const struct smc_query *query, bool timed, const char **reason)
{
    static struct smc_answer answer;
    double ms[QUERIES];
    for (int i = -2; i < QUERIES; i++) { /* the first compile */
        struct smc_error error = {""};
        double begin = now_s();
        enum smc_status status = smc_query_evaluate(query, NULL, &answer, NULL, &error);
        if (status == SMC_OK && timed)
            status = smc_query_find_time(&answer, &error);
        if (status != SMC_OK)
            return -1;
        if (i >= 0)
            ms[i] = 1e3 * (now_s() - begin);
    }
    *reason = answer.time.reason;
    smc_numbers_sort(ms, QUERIES);
    return smc_numbers_median(ms, QUERIES);
}

static void print_query(const struct smc_kernel *kernel, const struct smc_device *device)
{
    struct smc_query query;
    const char *reason = "";
    smc_query_init(&query);
    query.kernel = kernel;
    query.device = *device;
    smc_ceilings_of_board(device->name, &query.ceilings);
    smc_params_init(kernel, &query.params);
    for (int p = SMC_PARAM_M; p <= SMC_PARAM_K; p++)
        query.params.value[p] = SIZE;
    double alone = query_ms(&query, false, &reason), timed = query_ms(&query, true, &reason);
    printf("query of %-17s %7.2f ms, with its time %7.2f ms%s%s\n", kernel->name, alone, timed,
           *reason ? ": " : "", reason);
}

/* Products of 4096 x 4096 x 4096, the default launch of the others. */
static void print_queries(void)
{
    struct smc_device device;
    char note[256];
    if (smc_device_find("NVIDIA H200", &device, note, NULL) != SMC_OK)
        return;
    for (size_t i = 0; i < smc_kernel_count(); i++)
        if (!smc_kernel_at(i)->is_probe)
            print_query(smc_kernel_at(i), &device);
}

/* --- Occupancy -------------------------------------------------------------------------------- */

#ifndef HAVE_OCCUPANCY_HEADER
int main(void)
{
    print_queries();
    puts("model_speed: no cuda_occupancy.h on this machine");
    return 77;
}
#else
#include "../tests/oracle_launches.h"

enum { LAUNCHES = 8192, PASSES = 64, MOST_ROUNDS = 1001 };

struct question {
    const struct smc_sm *sm;
    struct smc_launch launch;
};

struct oracle_question {
    cudaOccDeviceProp device;
    cudaOccFuncAttributes function;
    cudaOccDeviceState state;
    int threads;
    size_t dynamic_smem_bytes;
};

static struct smc_sm sms[64];
static struct question questions[LAUNCHES];
static struct oracle_question oracle_questions[LAUNCHES];

static size_t known_sms(void)
{
    size_t count = 0;
    for (size_t i = 0; i < smc_capability_count(); i++) {
        struct smc_capability capability;
        smc_capability_at(i, &capability);
        if (capability.sm.cc >= 30)
            sms[count++] = capability.sm;
    }
    return count;
}

static void prepare(void)
{
    size_t sm_count = known_sms();
    random_state = 20261120;
    for (size_t i = 0; i < LAUNCHES; i++) {
        const struct smc_sm *sm = &sms[random_below((uint32_t)sm_count)];
        struct smc_launch launch = random_launch(sm);
        questions[i] = (struct question){sm, launch};
        oracle_questions[i] = (struct oracle_question){
            oracle_device(sm, launch.smem_mode), oracle_function(&launch),
            oracle_state(sm, &launch),           (int)launch.threads_per_block,
            launch.dynamic_smem_bytes,
        };
    }
}

/* Each answers every launch once; the sum keeps the compiler from dropping the work. */
static uint64_t ask_model(void)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < LAUNCHES; i++) {
        struct smc_occupancy result;
        smc_occupancy_compute(questions[i].sm, &questions[i].launch, &result);
        sum += result.blocks_per_sm;
    }
    return sum;
}

static uint64_t ask_header(void)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < LAUNCHES; i++) {
        const struct oracle_question *q = &oracle_questions[i];
        cudaOccResult result;
        cudaOccError code = cudaOccMaxActiveBlocksPerMultiprocessor(
            &result, &q->device, &q->function, &q->state, q->threads, q->dynamic_smem_bytes);
        if (code == CUDA_OCC_SUCCESS)
            sum += (uint64_t)result.activeBlocksPerMultiprocessor;
    }
    return sum;
}

static double rate_of(uint64_t (*ask)(void), uint64_t *sum)
{
    double begin = now_s();
    for (int i = 0; i < PASSES; i++)
        *sum += ask();
    return (double)PASSES * LAUNCHES / (now_s() - begin);
}

static double median(double *rates, size_t count)
{
    smc_numbers_sort(rates, count);
    return smc_numbers_median(rates, count);
}

int main(int argc, char **argv)
{
    static double model[MOST_ROUNDS], header[MOST_ROUNDS];
    int rounds = argc > 1 ? atoi(argv[1]) : 31;
    uint64_t model_sum = 0, header_sum = 0;
    if (rounds < 1 || rounds > MOST_ROUNDS) {
        fprintf(stderr, "model_speed: '%s' is not between 1 and %d\n", argv[1], MOST_ROUNDS);
        return 2;
    }
    print_queries();
    prepare();
    rate_of(ask_model, &model_sum); /* warm up */
    rate_of(ask_header, &header_sum);
    for (int i = 0; i < rounds; i++) {
        model[i] = rate_of(ask_model, &model_sum);
        header[i] = rate_of(ask_header, &header_sum);
    }
    double ours = median(model, (size_t)rounds), theirs = median(header, (size_t)rounds);
    printf("%d launches, %d rounds of %d passes; sums of blocks %llu and %llu\n", LAUNCHES, rounds,
           PASSES, (unsigned long long)model_sum, (unsigned long long)header_sum);
    printf("smc_occupancy_compute  %6.1f million evaluations a second\n", ours / 1e6);
    printf("cuda_occupancy.h       %6.1f million evaluations a second\n", theirs / 1e6);
    printf("ratio                  %6.2f\n", ours / theirs);
    if (model_sum != header_sum) {
        puts("the sums differ");
        return 1;
    }
    return ours < theirs;
}
#endif
