/* Runs one query on all GPUs of the machine at once, with one thread per GPU. CUDA keeps the
   current device and the last error per thread, and the code below has no state between calls. */
#include "config.h"

#include "hardware/all_gpus.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/platform.h"
#include "base/signals.h"

struct all_gpus_worker {
    pthread_t thread;
    bool started;
    const struct smc_query *query;
    const struct smc_run_settings *settings;
    void (*tell)(struct smc_query *query);
    struct smc_gpu_part *part;
};

static pthread_mutex_t telling = PTHREAD_MUTEX_INITIALIZER;

static enum smc_status run_part(const struct all_gpus_worker *worker)
{
    struct smc_gpu_part *part = worker->part;
    struct smc_run_settings settings = *worker->settings;
    struct smc_query query = *worker->query;
    settings.gpu_index = part->gpu_index;
    SMC_TRY(
        smc_place_executor(settings.place)->device(part->gpu_index, &part->device, &part->error));
    query.device = part->device;
    pthread_mutex_lock(&telling);
    worker->tell(&query);
    pthread_mutex_unlock(&telling);
    return smc_confirm_launch(&query, &settings, part->runs, &part->count, &part->warnings,
                              &part->error);
}

static void *work(void *argument)
{
    struct all_gpus_worker *worker = argument;
    worker->part->status = run_part(worker);
    return NULL;
}

/* If a thread cannot be created, only its GPU fails. */
static void run_parts(struct all_gpus_worker *workers, size_t count)
{
    sigset_t mask;
    smc_signals_divert(&mask);
    for (size_t i = 0; i < count; i++) {
        struct smc_gpu_part *part = workers[i].part;
        int problem = pthread_create(&workers[i].thread, NULL, work, &workers[i]);
        workers[i].started = problem == 0;
        if (problem != 0)
            part->status =
                smc_fail(&part->error, SMC_MACHINE, "no thread for it: %s", strerror(problem));
    }
    for (size_t i = 0; i < count; i++)
        if (workers[i].started)
            pthread_join(workers[i].thread, NULL);
    smc_signals_undivert(&mask);
}

enum smc_status smc_confirm_all_gpus(const struct smc_query *query,
                                     const struct smc_run_settings *settings,
                                     void (*tell)(struct smc_query *query),
                                     struct smc_all_gpus *out, struct smc_error *error)
{
    *out = (struct smc_all_gpus){0};
    int gpus = smc_place_executor(settings->place)->device_count(error);
    if (gpus <= 0)
        return SMC_UNAVAILABLE;
    smc_auto_free struct all_gpus_worker *workers = smc_calloc((size_t)gpus, sizeof *workers);
    out->part = smc_calloc((size_t)gpus, sizeof *out->part);
    if (!workers || !out->part)
        return smc_out_of_memory(error);
    out->count = (size_t)gpus;
    smc_machine_host_name(out->host_name);
    for (int i = 0; i < gpus; i++) {
        out->part[i].gpu_index = i;
        workers[i] = (struct all_gpus_worker){
            .query = query, .settings = settings, .tell = tell, .part = &out->part[i]};
    }
    run_parts(workers, out->count);
    enum smc_status worst = SMC_OK;
    for (size_t i = 0; i < out->count; i++)
        if (out->part[i].status > worst)
            worst = out->part[i].status;
    return worst;
}

void smc_all_gpus_free(struct smc_all_gpus *gpus)
{
    for (size_t i = 0; i < gpus->count; i++)
        smc_text_free(&gpus->part[i].warnings);
    free(gpus->part);
    *gpus = (struct smc_all_gpus){0};
}

bool smc_gpu_part_failed(const struct smc_gpu_part *part)
{
    return part->status != SMC_OK && part->status != SMC_SHORTFALL;
}

const char *smc_gpu_part_uuid(const struct smc_gpu_part *part)
{
    return part->runs[0].result.gpu_uuid;
}
