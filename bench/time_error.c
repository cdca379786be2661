/* How far predicted times are off. Launches are drawn, all of them predicted and written out, and
   only then measured on GPU 0: the median of many launches after a warm-up. The same table shows
   how far a plain roofline and the naive maximum of FMA, DRAM, L2 and shared memory are off.

     time_error [OPTION VALUE]...
       --launches N    random launches of the catalog; 500 by default
       --seed S        that they are drawn with, and inputs filled with; 1 by default
       --own FOLDER    instead the ten kernels of FOLDER (bench/kernels); inputs are known
       --against FILE  instead the launches of a CSV file with their measured times: no GPU is used
       --device NAME   only predicts, for this device: no GPU is used
       --emulate NAME  with --own: only checks the kernels' results, on an emulator of this device
       --csv FILE      every launch: written before the first measurement, and again after all
       --json FILE     the errors
       --limit-ms MS, --limit-mb MB   a launch predicted to exceed them is left out; 200 and 4000
       --budget-ms MS  of measuring for each launch; 250
       --noted yes     prints every launch

   Exit status: 0 measured or predicted; 1 a wrong result; 2 bad options; 4 a failure of the
   machine; 77 no GPU, or no NVRTC. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse.h"
#include "hardware/measured_ceilings.h"
#include "own_kernels.h"
#include "timed_launch.h"
#ifdef HAVE_CUDA
#include "gpu_bench.h"
#endif

struct options {
    const char *own, *against, *device, *emulate, *csv, *json, *noted;
    int64_t launches, seed, limit_ms, limit_mb, budget_ms;
};

struct session {
    struct options options;
    struct smc_device device;
    struct bench_launch *launch;
    size_t count;
};

/* --- Options ---------------------------------------------------------------------------------- */

/* 0, or the exit status. */
static int read_options(int argc, char **argv, struct options *options)
{
    const struct {
        const char *name;
        const char **text;
        int64_t *number;
    } known[] = {
        {"--own", &options->own, NULL},           {"--against", &options->against, NULL},
        {"--device", &options->device, NULL},     {"--emulate", &options->emulate, NULL},
        {"--csv", &options->csv, NULL},           {"--json", &options->json, NULL},
        {"--noted", &options->noted, NULL},       {"--launches", NULL, &options->launches},
        {"--seed", NULL, &options->seed},         {"--limit-ms", NULL, &options->limit_ms},
        {"--limit-mb", NULL, &options->limit_mb}, {"--budget-ms", NULL, &options->budget_ms},
    };
    for (int i = 1; i < argc; i += 2) {
        size_t k = 0, count = sizeof known / sizeof *known;
        while (k < count && strcmp(argv[i], known[k].name) != 0)
            k++;
        bool sound = k < count && i + 1 < argc;
        if (sound && known[k].text)
            *known[k].text = argv[i + 1];
        else if (sound)
            sound = smc_parse_integer(argv[i + 1], 1, INT32_MAX, known[k].number);
        if (!sound) {
            fprintf(stderr, "time_error: option %s: unknown, or its value is missing or wrong\n",
                    argv[i]);
            return 2;
        }
    }
    return 0;
}

/* --- The launches ----------------------------------------------------------------------------- */

static enum smc_status read_launches(struct session *session, struct smc_error *error)
{
    const struct smc_kernel *kernels[256];
    size_t count = 0;
    for (size_t i = 0; i < smc_kernel_count() && count < 200; i++)
        kernels[count++] = smc_kernel_at(i);
    for (size_t i = 0; bench_own_kernels[i]; i++)
        kernels[count++] = bench_own_kernels[i];
    kernels[count] = NULL;
    return bench_read_csv(session->options.against, kernels, &session->launch, &session->count,
                          error);
}

static enum smc_status make_launches(struct session *session, struct smc_error *error)
{
    const struct options *options = &session->options;
    if (options->against)
        return read_launches(session, error);
    if (options->own) {
        session->launch =
            bench_own_launches(&session->device, options->emulate != NULL, &session->count);
        return session->launch ? SMC_OK : smc_out_of_memory(error);
    }
    session->count = (size_t)options->launches;
    session->launch = smc_calloc(session->count, sizeof *session->launch);
    if (!session->launch)
        return smc_out_of_memory(error);
    for (size_t i = 0; i < session->count; i++)
        bench_draw((uint64_t)options->seed, i, &session->device, &session->launch[i]);
    return SMC_OK;
}

static struct smc_compile_options compile_options(const struct session *session,
                                                  const struct bench_launch *launch)
{
    bool is_own = bench_is_own(launch->kernel);
    return (struct smc_compile_options){.kernel_dir = is_own ? session->options.own : NULL};
}

/* What its buffers hold as it is measured; those of the catalog hold random numbers that nothing
   depends on but the bins of histograms. */
static bench_fill *fill_of(const struct bench_launch *launch)
{
    return bench_is_own(launch->kernel) ? bench_own_fill : NULL;
}

/* The device of a launch from a file; the session's otherwise. */
static enum smc_status find_device(const struct session *session, const struct bench_launch *launch,
                                   struct smc_device *device, struct smc_error *error)
{
    char note[256];
    *device = session->device;
    return session->options.against ? smc_device_find(launch->device, device, note, error) : SMC_OK;
}

static enum smc_status predict_all(struct session *session, struct smc_error *error)
{
    const struct options *options = &session->options;
    for (size_t i = 0; i < session->count; i++) {
        struct bench_launch *launch = &session->launch[i];
        struct smc_device device;
        struct smc_ceilings ceilings;
        struct smc_text warnings = {0};
        enum smc_status status = find_device(session, launch, &device, error);
        if (status != SMC_OK)
            return status;
        smc_known_device_ceilings(&device, &ceilings, &warnings);
        smc_text_free(&warnings);
        const struct bench_prediction prediction = {
            .device = &device,
            .ceilings = &ceilings,
            .compile = compile_options(session, launch),
            .limits = {(double)options->limit_ms, (uint64_t)options->limit_mb * 1000000},
            .fill = fill_of(launch),
            .seed = (uint64_t)options->seed,
        };
        status = bench_predict(&prediction, launch, error);
        if (status != SMC_OK)
            return status;
    }
    return SMC_OK;
}

static enum smc_status write_csv(const struct session *session, struct smc_error *error)
{
    return session->options.csv
               ? bench_write_csv(session->options.csv, session->launch, session->count, error)
               : SMC_OK;
}

/* --- Measuring -------------------------------------------------------------------------------- */

enum { TIMEOUT_MS = 20000, WRITTEN_EVERY = 25 };

#ifdef HAVE_CUDA
static int open_gpu(struct smc_device *device)
{
    return bench_use_gpu(device);
}

static enum smc_status measure_all(struct session *session, struct smc_error *error)
{
    const struct options *options = &session->options;
    enum smc_status status = SMC_OK;
    for (size_t i = 0; i < session->count && status == SMC_OK; i++) {
        struct bench_launch *launch = &session->launch[i];
        const struct bench_measurement measurement = {
            .compile = compile_options(session, launch),
            .seed = (uint64_t)options->seed,
            .budget_ms = (double)options->budget_ms,
            .timeout_ms = TIMEOUT_MS,
            .fill = fill_of(launch),
            .checks = options->own != NULL,
        };
        if (launch->note[0])
            continue;
        status = bench_measure(&measurement, &session->device, launch, error);
        if (status == SMC_OK && i % WRITTEN_EVERY == 0)
            status = write_csv(session, error); /* what is measured is kept if this is ended */
    }
    return status;
}
#else
static int open_gpu(struct smc_device *device)
{
    (void)device;
    puts("skipped: this build has no CUDA");
    return 77;
}

static enum smc_status measure_all(struct session *session, struct smc_error *error)
{
    (void)session;
    return smc_fail(error, SMC_UNAVAILABLE, "this build has no CUDA");
}
#endif

/* --- The order of it all ---------------------------------------------------------------------- */

static int fail(const struct smc_error *error, enum smc_status status)
{
    fprintf(stderr, "time_error: %s\n", error->message);
    return status == SMC_UNAVAILABLE ? 77 : (int)status;
}

static int emulate_all(const struct session *session)
{
    int worst = 0;
    for (size_t i = 0; i < session->count; i++) {
        const struct bench_launch *launch = &session->launch[i];
        const struct smc_compile_options compile = compile_options(session, launch);
        struct smc_error error = {""};
        enum smc_status status = bench_emulate(launch, &session->device, &compile, &error);
        printf("%-16s %s\n", launch->kernel->name, status == SMC_OK ? "correct" : error.message);
        int code = status == SMC_UNAVAILABLE ? 77 : (int)status;
        worst = code > worst ? code : worst;
    }
    return worst;
}

static int write_json(const char *path, json_t *figures)
{
    int failed = path ? json_dump_file(figures, path, JSON_INDENT(1)) : 0;
    json_decref(figures);
    if (failed)
        fprintf(stderr, "time_error: %s: cannot be written\n", path);
    return failed ? 4 : 0;
}

/* A wrong result is told by its note. */
static int print_all(const struct session *session)
{
    int wrong = 0;
    for (size_t i = 0; i < session->count; i++) {
        if (session->options.noted)
            bench_print_launch(&session->launch[i], stdout);
        wrong |= strncmp(session->launch[i].note, "WRONG", 5) == 0;
    }
    json_t *figures = bench_print_errors(session->launch, session->count);
    json_t *named =
        json_pack("{so}", session->options.own ? "time_error_own" : "time_error", figures);
    int written = write_json(session->options.json, named);
    return written ? written : wrong;
}

/* 0, or the exit status. */
static int choose_device(struct session *session)
{
    const struct options *options = &session->options;
    const char *name = options->emulate ? options->emulate : options->device;
    struct smc_error error = {""};
    char note[256];
    if (options->against)
        return 0;
    if (!name)
        return open_gpu(&session->device);
    enum smc_status status = smc_device_find(name, &session->device, note, &error);
    return status == SMC_OK ? 0 : fail(&error, status);
}

static int predict_and_measure(struct session *session)
{
    const struct options *options = &session->options;
    struct smc_error error = {""};
    enum smc_status status = predict_all(session, &error);
    if (status == SMC_OK)
        status = write_csv(session, &error);
    if (status == SMC_OK && !options->against && !options->device) {
        printf("%s: %zu launches are predicted%s%s\n", session->device.name, session->count,
               options->csv ? ", in " : "", options->csv ? options->csv : "");
        fflush(stdout);
        status = measure_all(session, &error);
        struct smc_error unwritten = {""};
        if (write_csv(session, &unwritten) != SMC_OK && status == SMC_OK)
            return fail(&unwritten, SMC_MACHINE);
    }
    return status == SMC_OK ? print_all(session) : fail(&error, status);
}

int main(int argc, char **argv)
{
    struct session session = {
        .options =
            {.launches = 500, .seed = 1, .limit_ms = 200, .limit_mb = 4000, .budget_ms = 250},
    };
    struct smc_error error = {""};
    int code = read_options(argc, argv, &session.options);
    if (code == 0)
        code = choose_device(&session);
    if (code != 0)
        return code;
    enum smc_status status = make_launches(&session, &error);
    if (status != SMC_OK)
        code = fail(&error, status);
    else
        code = session.options.emulate ? emulate_all(&session) : predict_and_measure(&session);
    free(session.launch);
    return code;
}
