/* Uses the library from several threads at once: each asks about devices and launches, of
   both of which it takes every n-th, and must get the same answers as a single thread.
   Compiled by tests/library.sh, with ThreadSanitizer if the compiler has it. */
#include <inttypes.h>
#include <pthread.h>
#include <smemcalc.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, LAUNCHES = 24 };

static uint32_t step = 1;

static uint64_t mix(uint64_t sum, uint64_t value)
{
    return (sum ^ value) * UINT64_C(0x100000001b3);
}

static uint64_t ask_launch(const struct smc_sm *sm, uint32_t n, uint64_t sum)
{
    struct smc_launch launch;
    struct smc_occupancy occupancy;
    struct smc_next_steps steps;
    smc_launch_init(&launch);
    launch.threads_per_block = 32 + n * 41 % 993;
    launch.regs_per_thread = 8 + n * 37 % 120;
    launch.static_smem_bytes = n * 2749 % 49153;
    smc_occupancy_compute(sm, &launch, &occupancy);
    smc_next_steps_find(sm, &launch, &steps);
    for (int i = 0; i < SMC_LIMIT_COUNT; i++)
        sum = mix(sum, occupancy.limit[i]);
    for (uint32_t i = 0; i < steps.count; i++)
        sum = mix(sum, (uint64_t)steps.step[i].change);
    return mix(sum, occupancy.limiters);
}

static void *ask_all(void *result)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    char note[256];
    struct smc_device device, found;
    struct smc_error error;
    for (size_t d = 0; d < smc_device_count(); d += step) {
        smc_device_at(d, &device);
        sum = mix(sum, (uint64_t)smc_device_find(device.name, &found, note, &error));
        sum = mix(sum, (uint64_t)smc_sm_check(&found.sm, &error));
        for (uint32_t n = 0; n < LAUNCHES; n += step)
            sum = ask_launch(&found.sm, n, sum);
    }
    smc_device_find("no such device", &found, note, &error);
    for (const char *c = error.message; *c; c++)
        sum = mix(sum, (unsigned char)*c);
    *(uint64_t *)result = sum;
    return NULL;
}

int main(int argc, char **argv)
{
    const int wanted = argc > 1 ? atoi(argv[1]) : 1;
    if (wanted < 1 || wanted > LAUNCHES)
        return 99;
    step = (uint32_t)wanted;
    pthread_t threads[THREADS];
    uint64_t alone, sums[THREADS] = {0};
    int different = 0;
    ask_all(&alone);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, ask_all, &sums[i]) != 0)
            return 99;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        different += sums[i] != alone;
    }
    printf("%d of %d threads differ\n", different, THREADS);
    return different != 0;
}
