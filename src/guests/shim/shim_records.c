/* What a process of `smemcalc trace --on emulator` leaves in its file of records, and the device
   that its environment asks for. */
#include "config.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/trace_records.h"
#include "base/hash.h"
#include "guests/inject/inject.h"
#include "guests/inject/inject_table.h"
#include "guests/shim/driver.h"

/* --- What inject_table.c needs ---------------------------------------------------------------- */

bool inject_is_over;
static bool forked;
static struct inject_settings settings;

const struct inject_settings *inject_settings(void)
{
    return &settings;
}

bool inject_forked(void)
{
    return forked;
}

/* --- The process ------------------------------------------------------------------------------ */

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static struct smc_device device;
static enum smc_strictness strictness; /* of the emulator: as --strict has it */
static bool started;

void shim_lock(void)
{
    pthread_mutex_lock(&lock);
}

void shim_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

const struct smc_device *shim_device(void)
{
    return &device;
}

enum smc_strictness shim_strictness(void)
{
    return strictness;
}

static void choose_strictness(void)
{
    const char *asked = getenv(TRACE_ENV_STRICT);
    const int number = asked ? atoi(asked) : 0;
    if (number == SMC_STRICT_CUDA || number == SMC_STRICT_PTX)
        strictness = (enum smc_strictness)number;
}

static void shim_records_choose_device(void)
{
    const char *asked = getenv(TRACE_ENV_DEVICE);
    struct smc_error error = {""};
    char note[256];
    if (!asked || smc_device_find(asked, &device, note, &error) != SMC_OK)
        if (smc_device_find(TRACE_DEFAULT_DEVICE, &device, note, &error) != SMC_OK)
            abort(); /* it is in the table */
}

static void in_child(void)
{
    table_forget();
    forked = true;
    started = false;
}

/* --- Errors that the program did not look at -------------------------------------------------- */

/* What a call returned may have been looked at, which is not seen; but the error of a launch with
   <<<>>> is only known to a program that calls cudaGetLastError. */

enum { MOST_UNSEEN = 16 };

static struct unseen {
    bool is_launch;
    char kernel[256], text[640];
} unseen[MOST_UNSEEN], refusal;
static size_t unseen_count;

void shim_note_refusal(const char *kernel, const char *format, ...)
{
    refusal.is_launch = true;
    snprintf(refusal.kernel, sizeof refusal.kernel, "%s", kernel);
    SMC_PRINT_TO(refusal.text, format);
}

/* For the runtime: it has refused a launch. Only of <<< >>> is it known that nobody sees the error
   which the call returns; a refused call that the program wrote itself is a note, not a finding. */
API cuSmemcalcRefused(int error, int by_syntax)
{
    shim_lock();
    if (refusal.is_launch && shim_sticky_error() == 0 && unseen_count < MOST_UNSEEN) {
        struct unseen *added = &unseen[unseen_count++];
        *added = refusal;
        added->is_launch = by_syntax;
        if (!by_syntax)
            snprintf(added->text, sizeof added->text, "%.80s: %.*s", refusal.kernel,
                     (int)sizeof added->text - 83, refusal.text);
    }
    refusal.is_launch = false;
    shim_unlock();
    return error;
}

/* A call of it has failed, */
API cuSmemcalcFailed(const char *call, int error)
{
    const char *text = "";
    shim_lock();
    cuGetErrorString(error, &text);
    if (shim_sticky_error() == 0 && error != SHIM_NOT_SUPPORTED && unseen_count < MOST_UNSEEN)
        snprintf(unseen[unseen_count++].text, sizeof unseen->text,
                 "%s failed (%s), and the program did not ask for errors after it", call,
                 text ? text : "?");
    refusal.is_launch = false;
    shim_unlock();
    return error;
}

/* or the program looks at an error. */
API cuSmemcalcLooked(void)
{
    shim_lock();
    memset(unseen, 0, sizeof unseen);
    unseen_count = 0;
    shim_unlock();
    return SHIM_SUCCESS;
}

static void tell_unseen(int status)
{
    for (size_t i = 0; i < unseen_count; i++)
        if (unseen[i].is_launch)
            shim_record_finding(unseen[i].kernel, "refused_launch", unseen[i].text);
        else if (status == 0)
            shim_tell("%s", unseen[i].text);
    unseen_count = 0;
}

static void finish(int status)
{
    tell_unseen(status);
    struct record_header *header = settings.folder ? table_header() : NULL;
    shim_flush_output();
    if (header)
        __atomic_store_n(&header->end, RECORD_EXITED, __ATOMIC_RELAXED);
}

#ifdef __GLIBC__
static void finish_with(int status, void *none)
{
    (void)none;
    finish(status);
}
#else
static void finish_anyhow(void)
{
    finish(0);
}
#endif

__attribute__((constructor)) static void load(void)
{
    settings.folder = getenv(TRACE_ENV_FOLDER);
    shim_records_choose_device();
    choose_strictness();
    pthread_atfork(NULL, NULL, in_child);
}

void shim_record_start(void)
{
    static bool registered;
    if (started)
        return;
    started = true;
#ifdef __GLIBC__
    if (!registered)
        on_exit(finish_with, NULL);
#else
    if (!registered)
        atexit(finish_anyhow);
#endif
    registered = true;
    struct record_header *header = settings.folder ? table_header() : NULL;
    if (!header)
        return;
    __atomic_store_n(&header->mode, RECORD_MODE_EMULATOR, __ATOMIC_RELAXED);
    struct record_device record = {.cc = device.sm.cc,
                                   .sm_count = device.sm_count,
                                   .clock_khz = device.sm_clock_khz,
                                   .regs_per_sm = device.sm.regs_per_sm,
                                   .max_threads_per_sm = device.sm.max_threads_per_sm,
                                   .smem_per_sm_bytes = device.sm.smem_per_sm_bytes,
                                   .global_mem_bytes = device.global_mem_bytes,
                                   .l2_bytes = device.l2_bytes};
    memcpy(record.name, device.name, sizeof record.name);
    table_device(&record);
}

/* --- Launches and findings -------------------------------------------------------------------- */

void shim_record_launch(const struct shim_launch *launch)
{
    const struct shim_function *function = launch->function;
    struct record_key key = {
        .origin = RECORD_CALLED,
        .regs_per_thread = function->regs,
        .static_smem_bytes = smc_program_static_smem_bytes(function->program),
        .dynamic_smem_bytes = launch->dynamic_smem_bytes,
        .carveout_percent = function->carveout_percent,
        .cache_config = function->cache_config,
    };
    shim_record_start();
    memcpy(key.grid, launch->grid, sizeof key.grid);
    memcpy(key.block, launch->block, sizeof key.block);
    memcpy(key.cluster, launch->cluster, sizeof key.cluster);
    struct record_launch *record = settings.folder ? table_launch(&key, function->name) : NULL;
    if (record)
        table_add(&record->launches, 1);
}

/* Whether the text is new: a kernel that is launched often repeats itself. */
static bool is_new(const char *text)
{
    enum { MOST = 256 };
    static uint64_t seen[MOST];
    static size_t count;
    const uint64_t hash = smc_hash(SMC_HASH_START, text, strlen(text));
    for (size_t i = 0; i < count; i++)
        if (seen[i] == hash)
            return false;
    if (count == MOST)
        return false;
    seen[count++] = hash;
    return true;
}

void shim_record_finding(const char *kernel, const char *kind, const char *text)
{
    char line[2048];
    snprintf(line, sizeof line, "%s\t%s\t%s", kind, kernel, text);
    if (!is_new(line))
        return;
    shim_record_start();
    if (settings.folder)
        table_text(RECORD_FINDING, line);
    else
        fprintf(stderr, "smemcalc: kernel %s: %s\n", kernel, text);
}

void shim_tell(const char *format, ...)
{
    char text[1200];
    SMC_PRINT_TO(text, format);
    if (!is_new(text))
        return;
    fflush(stdout);
    fprintf(stderr, "smemcalc: %s\n", text);
    shim_record_start();
    if (settings.folder)
        table_text(RECORD_NOTE, text);
}
