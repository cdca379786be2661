/* compile, end to end with the NVRTC of this machine: every case runs in its own process with its
   own cache. Without an NVRTC: exit status 77. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "code/compile.h"
#include "code/nvrtc.h"
#include "compilations.h"
#include "hardware/confirmed_launch.h"
#include "show/cli/cli.h"
#include "show/tui/worker.h"
#include "temporary.h"

/* --- A kernel of our own ---------------------------------------------------------------------- */

static const char probe_text[] = "extern \"C\" __global__ void probe(int *p)\n"
                                 "{\n"
                                 "    __shared__ int s[COUNT];\n"
                                 "    s[threadIdx.x] = p[threadIdx.x];\n"
                                 "    __syncthreads();\n"
                                 "    p[threadIdx.x] = s[COUNT - 1 - threadIdx.x];\n"
                                 "}\n";

static void probe_defines(const struct smc_kernel *kernel, const struct smc_params *params,
                          struct smc_text *options)
{
    (void)kernel;
    smc_text_printf(options, "-DCOUNT=%d\n", (int)params->value[SMC_PARAM_BLOCK]);
}

static const struct smc_kernel probe = {
    .name = "probe", .file = "probe.cu", .entry = "probe", .defines = probe_defines};

/* Each case has its own folder for kernels, with the cache beside it. */
struct place {
    struct temporary temporary;
    char kernels[300];
    uint16_t cc; /* one that the NVRTC supports */
};

struct answer {
    enum smc_status status;
    struct smc_resources resources;
    struct smc_binary binary;
    struct smc_text warnings;
    struct smc_error error;
};

static bool write_kernel(const struct place *place, const char *text, size_t length)
{
    char path[400];
    snprintf(path, sizeof path, "%s/probe.cu", place->kernels);
    return temporary_write(path, text, length);
}

static struct answer ask_of(const struct place *place, int64_t count, bool no_cache,
                            struct smc_builds *builds)
{
    struct answer a = {0};
    struct smc_params params = {0};
    struct smc_compile_options options = {
        .no_cache = no_cache, .kernel_dir = place->kernels, .builds = builds};
    params.value[SMC_PARAM_BLOCK] = count;
    a.status = smc_compile(&(struct smc_compile_request){&probe, &params, place->cc, &options},
                           &a.resources, &a.binary, &a.warnings, &a.error);
    return a;
}

static struct answer ask(const struct place *place, int64_t count, bool no_cache)
{
    return ask_of(place, count, no_cache, NULL);
}

static void answer_free(struct answer *a)
{
    smc_binary_free(&a->binary);
    smc_text_free(&a->warnings);
}

/* Everything is the same, except the source. */
static bool equal(const struct answer *a, const struct answer *b)
{
    const struct smc_resources *r = &a->resources, *s = &b->resources;
    return a->status == b->status && r->source == s->source && r->cc == s->cc &&
           r->nvrtc_major == s->nvrtc_major && r->nvrtc_minor == s->nvrtc_minor &&
           r->regs_per_thread == s->regs_per_thread &&
           r->static_smem_bytes == s->static_smem_bytes && r->stack_bytes == s->stack_bytes &&
           r->spill_store_bytes == s->spill_store_bytes &&
           r->spill_load_bytes == s->spill_load_bytes && r->barriers == s->barriers &&
           r->refused == s->refused && r->refused_smem_bytes == s->refused_smem_bytes &&
           r->refused_smem_limit_bytes == s->refused_smem_limit_bytes &&
           strcmp(r->reason, s->reason) == 0 && a->binary.cubin_bytes == b->binary.cubin_bytes &&
           (!a->binary.cubin_bytes ||
            memcmp(a->binary.cubin, b->binary.cubin, a->binary.cubin_bytes) == 0);
}

/* --- Cases: each returns how many of its checks failed ---------------------------------------- */

static int failed_at(bool ok, int line, const char *what)
{
    if (!ok)
        printf("  nvrtc.c:%d: %s\n", line, what);
    return !ok;
}

#define CHECK(condition) failures += failed_at(condition, __LINE__, #condition)

static int run_child(int (*body)(struct place *), struct place *place)
{
    int status = -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int result = body(place);
        fflush(NULL);
        _exit(result > 255 ? 255 : result);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return 1;
    return WEXITSTATUS(status);
}

static bool library_is_loaded(void)
{
    char line[1024];
    bool loaded = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && !loaded && fgets(line, sizeof line, maps))
        loaded = strstr(line, "libnvrtc") != NULL;
    if (maps)
        fclose(maps);
    return loaded;
}

static int compile_cold(struct place *place)
{
    int failures = 0;
    struct answer a = ask(place, 1024, false);
    CHECK(a.status == SMC_OK && !a.resources.from_cache);
    CHECK(library_is_loaded());
    answer_free(&a);
    return failures;
}

static int compile_warm(struct place *place)
{
    int failures = 0;
    struct answer warm = ask(place, 1024, false);
    CHECK(warm.resources.from_cache);
    CHECK(!library_is_loaded());
    struct answer again = ask(place, 1024, true);
    CHECK(!again.resources.from_cache);
    CHECK(again.status == SMC_OK && equal(&warm, &again));
    CHECK(again.resources.source == SMC_RESOURCES_NVRTC && again.resources.cc == place->cc);
    CHECK(again.resources.static_smem_bytes == 4096 && again.resources.barriers == 1);
    CHECK(again.resources.regs_per_thread > 0 && again.resources.regs_per_thread < 64);
    CHECK(again.binary.cubin_bytes > 100 && memcmp(again.binary.cubin, "\177ELF", 4) == 0);
    struct answer other = ask(place, 512, false);
    CHECK(!other.resources.from_cache && other.resources.static_smem_bytes == 2048);
    CHECK(warm.warnings.length + again.warnings.length + other.warnings.length == 0);
    answer_free(&warm);
    answer_free(&again);
    answer_free(&other);
    return failures;
}

static int hit_equals_miss(struct place *place)
{
    int failures = run_child(compile_cold, place);
    return failures + run_child(compile_warm, place);
}

static int an_edit_counts(struct place *place)
{
    int failures = 0;
    struct answer before = ask(place, 256, false);
    char text[sizeof probe_text + 32];
    snprintf(text, sizeof text, "#define COUNT 300\n%s", probe_text);
    CHECK(write_kernel(place, strchr(text, '\n') + 1, strlen(strchr(text, '\n') + 1)));
    struct answer same = ask(place, 256, false);
    CHECK(same.resources.from_cache && equal(&before, &same));
    memcpy(strstr(text, "COUNT 300"), "COUNTER 3", 9);
    CHECK(write_kernel(place, text, strlen(text)));
    struct answer edited = ask(place, 256, false);
    CHECK(edited.status == SMC_OK && !edited.resources.from_cache);
    answer_free(&before);
    answer_free(&same);
    answer_free(&edited);
    return failures;
}

/* Damages every file of the cache at many places, including the stored result of the search for
   NVRTC. */
static int damage_is_harmless(struct place *place)
{
    static char bytes[1 << 20];
    int failures = 0;
    char path[600];
    struct answer first = ask(place, 64, false);
    CHECK(temporary_count(&place->temporary, ".smc") == 2);
    for (unsigned round = 0; round < 12; round++) {
        if (!temporary_find(&place->temporary, round & 1 ? "" : ".smc", path, sizeof path))
            return failures + 1;
        size_t length = temporary_read(path, bytes, sizeof bytes);
        if (round % 3 == 0)
            length = length * round / 12;
        else if (length)
            bytes[length * round / 12] ^= 0x40;
        CHECK(temporary_write(path, bytes, length));
        struct answer a = ask(place, 64, false);
        CHECK(equal(&first, &a) && a.warnings.length == 0);
        answer_free(&a);
        a = ask(place, 64, false);
        CHECK(a.resources.from_cache && equal(&first, &a)); /* repaired */
        answer_free(&a);
    }
    answer_free(&first);
    return failures;
}

static int ptxas_refuses(struct place *place)
{
    int failures = 0;
    for (int i = 0; i < 2; i++) {
        struct answer a = ask(place, 13024, false);
        CHECK(a.status == SMC_OK && a.resources.refused);
        CHECK(a.resources.refused_smem_bytes == 52096);
        CHECK(a.resources.refused_smem_limit_bytes == 0xc000);
        CHECK(a.resources.regs_per_thread == 0 && a.resources.static_smem_bytes == 0);
        CHECK(a.binary.cubin == NULL && a.binary.cubin_bytes == 0);
        CHECK(a.resources.from_cache == (i == 1));
        answer_free(&a);
    }
    struct answer most = ask(place, 12288, false);
    CHECK(most.status == SMC_OK && !most.resources.refused);
    CHECK(most.resources.static_smem_bytes == 49152);
    answer_free(&most);
    return failures;
}

static int mistakes_are_named(struct place *place)
{
    static char large[(1 << 20) + 2];
    memset(large, '\n', sizeof large - 1);
    const struct {
        const char *text;
        size_t length;
        const char *message; /* after the path of the file */
    } cases[] = {
#define TEXT(text) text, sizeof text - 1
        {TEXT("int a;\n\nint b = q;\n"), ":3: error: identifier \"q\" is undefined"},
        {TEXT("#include \"no such file.h\"\n"), ":1: catastrophic error: "},
        {TEXT("#error \"\x1b[31mred\"\n"),
         ":1: catastrophic error: #error directive: \"?[31mred\""},
        {TEXT("extern \"C\" __global__ void prob(int *p) { *p = 1; }\n"),
         ": no kernel extern \"C\" probe"},
        {TEXT(""), ": no kernel extern \"C\" probe"},
        {TEXT("int a;\0int b;\n"), ": not a text file"},
        {large, sizeof large - 1, ": above 1048576 bytes"},
    };
    int failures = 0;
    char path[400];
    snprintf(path, sizeof path, "%s/probe.cu", place->kernels);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(write_kernel(place, cases[i].text, cases[i].length));
        struct answer a = ask(place, 32, false);
        const char *after = strstr(a.error.message, path);
        bool named =
            after && strncmp(after + strlen(path), cases[i].message, strlen(cases[i].message)) == 0;
        CHECK(a.status == SMC_USAGE && named);
        if (!named)
            printf("    %s\n", a.error.message);
        CHECK(a.warnings.length == 0);
        answer_free(&a);
    }
    remove(path);
    struct answer a = ask(place, 32, false);
    CHECK(a.status == SMC_USAGE && strstr(a.error.message, path) &&
          strstr(a.error.message, strerror(ENOENT)));
    answer_free(&a);
    CHECK(mkdir(path, 0700) == 0);
    a = ask(place, 32, false);
    CHECK(a.status == SMC_USAGE && strstr(a.error.message, ": not a file"));
    answer_free(&a);
    CHECK(rmdir(path) == 0);
    return failures;
}

static int complains(struct place *place)
{
    int failures = 0;
    struct answer a = ask(place, 32, false);
    CHECK(a.status == SMC_OK && a.resources.source == SMC_RESOURCES_NVRTC);
    CHECK(strstr(smc_text_string(&a.warnings), "SMEMCALC_NVRTC: "));
    CHECK(strstr(smc_text_string(&a.warnings), "/own.so: "));
    answer_free(&a);
    return failures;
}

static int is_content(struct place *place)
{
    int failures = 0;
    struct answer a = ask(place, 32, false);
    CHECK(a.status == SMC_OK && a.resources.source == SMC_RESOURCES_NVRTC);
    CHECK(a.warnings.length == 0);
    answer_free(&a);
    return failures;
}

/* The user's choice of library: a bad one is reported and skipped, whenever it becomes bad. Each
   search runs in its own process because a loaded library stays loaded. */
static int the_search_notices(struct place *place)
{
    int failures = 0;
    char own[400];
    struct smc_nvrtc_info info;
    CHECK(smc_nvrtc_describe(&info, NULL) == SMC_OK && info.cc_count > 0 && info.path[0] == '/');
    snprintf(own, sizeof own, "%s/own.so", place->kernels);
    failures += run_child(is_content, place);
    setenv("SMEMCALC_NVRTC", own, 1);
    failures += run_child(complains, place); /* no such file */
    failures += run_child(complains, place); /* remembered, and still reported */
    CHECK(symlink(info.path, own) == 0);
    failures += run_child(is_content, place);
    CHECK(unlink(own) == 0 && temporary_write(own, "no library", 10));
    failures += run_child(complains, place);
    CHECK(unlink(own) == 0);
    unsetenv("SMEMCALC_NVRTC");
    failures += run_child(is_content, place);
    return failures;
}

static int works_without_a_cache(struct place *place)
{
    int failures = 0;
    struct answer with = ask(place, 96, false);
    setenv("SMEMCALC_CACHE_DIR", "/dev/null", 1);
    struct answer without = ask(place, 96, false);
    CHECK(without.status == SMC_OK && equal(&with, &without));
    CHECK(strcmp(smc_text_string(&without.warnings),
                 "cache /dev/null: Not a directory; continuing without it\n") == 0);
    setenv("SMEMCALC_CACHE_DIR", place->temporary.folder, 1);
    answer_free(&with);
    answer_free(&without);
    return failures;
}

static int one_of_eight(struct place *place)
{
    int failures = 0;
    for (int i = 0; i < 6; i++) {
        int64_t count = 32 * (1 + i % 2);
        struct answer a = ask(place, count, false);
        CHECK(a.status == SMC_OK && a.warnings.length == 0);
        CHECK(a.resources.static_smem_bytes == 4 * count && a.binary.cubin_bytes > 100);
        answer_free(&a);
    }
    return failures;
}

static int eight_at_once(struct place *place)
{
    enum { PROCESSES = 8 };
    pid_t child[PROCESSES];
    int failures = 0;
    fflush(NULL);
    for (int i = 0; i < PROCESSES; i++) {
        child[i] = fork();
        if (child[i] == 0)
            _exit(one_of_eight(place));
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = -1;
        CHECK(child[i] > 0 && waitpid(child[i], &status, 0) == child[i] && status == 0);
    }
    CHECK(temporary_count(&place->temporary, ".smc") == 3);
    CHECK(temporary_count(&place->temporary, "") == 3);
    return failures;
}

static int other_architectures(struct place *place)
{
    int failures = 0;
    place->cc = 10; /* no NVRTC supports it */
    struct answer a = ask(place, 32, false);
    CHECK(a.status == SMC_UNAVAILABLE && a.binary.cubin == NULL);
    CHECK(strstr(a.error.message, "sm_10") != NULL);
    answer_free(&a);
    struct smc_params params = {0};
    struct smc_compile_options options = {.kernel_dir = place->kernels};
    params.value[SMC_PARAM_BLOCK] = 32;
    a = (struct answer){0};
    a.status = smc_compile(&(struct smc_compile_request){&probe, &params, 10, &options},
                           &a.resources, NULL, &a.warnings, &a.error);
    CHECK(a.status == SMC_OK && a.resources.source == SMC_RESOURCES_ASSUMED);
    CHECK(a.resources.cc > 10 && a.resources.regs_per_thread > 0);
    CHECK(strstr(a.resources.reason, "sm_10; as compiled for sm_") != NULL);
    answer_free(&a);
    options.no_nvrtc = true; /* an edited kernel is not in the table */
    a.status = smc_compile(&(struct smc_compile_request){&probe, &params, 90, &options},
                           &a.resources, NULL, &a.warnings, &a.error);
    CHECK(a.status == SMC_UNAVAILABLE && strstr(a.error.message, "--regs N"));
    answer_free(&a);
    return failures;
}

/* Eight threads of one question; and a kernel with an error, which is not compiled again. */
enum { THREADS = 8 };

struct asking {
    const struct place *place;
    struct smc_builds *builds;
    struct answer answer;
};

static void *ask_in_thread(void *argument)
{
    struct asking *asking = argument;
    asking->answer = ask_of(asking->place, 64, true, asking->builds);
    return NULL;
}

static int threads_compile_once(struct place *place)
{
    int failures = 0;
    for (int mistaken = 0; mistaken < 2; mistaken++) {
        pthread_t thread[THREADS];
        struct asking asking[THREADS];
        struct smc_builds builds = SMC_BUILDS_INIT;
        compilations_begin();
        for (int i = 0; i < THREADS; i++) {
            asking[i] = (struct asking){.place = place, .builds = &builds};
            if (pthread_create(&thread[i], NULL, ask_in_thread, &asking[i]) != 0)
                return 1;
        }
        for (int i = 0; i < THREADS; i++) {
            const struct answer *first = &asking[0].answer, *a = &asking[i].answer;
            pthread_join(thread[i], NULL);
            CHECK(a->status == (mistaken ? SMC_USAGE : SMC_OK) && equal(a, first));
            CHECK(strcmp(a->error.message, first->error.message) == 0);
        }
        CHECK(compilations_counted().all == 1);
        for (int i = 0; i < THREADS; i++)
            answer_free(&asking[i].answer);
        smc_builds_free(&builds);
        CHECK(write_kernel(place, "int a = q;\n", 11));
    }
    return failures;
}

/* Without a cache, and also if the user gives the registers so that the query needs no compiler. */
static int a_run_compiles_once(struct place *place)
{
    static struct smc_confirmed_run run; /* too large for the stack */
    const struct smc_run_settings settings = {.place = SMC_ON_EMULATOR, .seed = 1};
    const int64_t regs[] = {SMC_NOT_GIVEN, 64};
    int failures = 0;
    struct smc_query query;
    struct smc_capability capability;
    struct smc_error error = {""};
    smc_query_init(&query);
    query.kernel = smc_kernel_find("reverse-static");
    query.compile.no_cache = true;
    smc_params_init(query.kernel, &query.params);
    CHECK(smc_capability_find(place->cc, &capability));
    smc_device_of_capability(&capability, &query.device);
    for (size_t i = 0; i < sizeof regs / sizeof *regs; i++) {
        query.regs_per_thread = regs[i];
        run = (struct smc_confirmed_run){0};
        compilations_begin();
        CHECK(smc_confirm_one(&query, &settings, &run, NULL, &error) == SMC_OK);
        CHECK(run.result.emulation.succeeded && run.result.comparison.wrong == 0);
        CHECK(compilations_counted().all == 1);
    }
    return failures;
}

/* Times are predicted for it. */
static bool compiles_for_h200(void)
{
    struct smc_nvrtc_info info;
    if (smc_nvrtc_describe(&info, NULL) == SMC_OK && smc_nvrtc_supports(&info, 90))
        return true;
    printf("  not asked: this NVRTC does not compile for an H200\n");
    return false;
}

/* --- What whole commands compile -------------------------------------------------------------- */

/* In a process of its own, since a command may end it. The cache is empty or not used. */
static struct compilations count_command(const char *options, const char *no_cache)
{
    char text[400], program[] = "smemcalc", *argv[40] = {program};
    int argc = 1, status = -1;
    snprintf(text, sizeof text, "%s%s", options, no_cache);
    for (char *word = strtok(text, " "); word && argc < 40; word = strtok(NULL, " "))
        argv[argc++] = word;
    compilations_begin();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
        for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
            dup2(nothing, i);
        _exit(smc_cli_main(argc, argv));
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
        WEXITSTATUS(status) != SMC_OK) {
        printf("  '%s' fails\n", options);
        return (struct compilations){0};
    }
    return compilations_counted();
}

/* Each asks for a predicted time, or for several answers about one kernel. */
static int commands_compile_once(struct place *place)
{
    static const struct {
        const char *options;
        unsigned kernels;
    } commands[] = {
        {"--tile 32 --device H200", 1},
        {"--tile 32 --device H200 --device H100 --explain", 1},
        {"--kernel matmul-register --regs 64 --device H200", 2}, /* as it is, and with the bound */
        {"--kernel matmul-tiled --tile 16 --device H200 --roofline --family", 5},
        {"limits --tile 32 --device H200", 1},
        {"best --kernel stencil-dynamic --device H200 --plot -", 1},
        {"best --kernel stencil-dynamic --device H200 --device H100", 1},
        {"sweep --tile 8:16:8 --carveout 0:100:50 --device H200 --show time", 2},
        {"sweep --tile 8:16:8 --device H200,H100 --show time", 2},
        {"tune --kernel matmul-tiled --vary tile=8,16 --vary pad=0 --device H200", 2},
        {"run --tile 8 --size 32 --carveout 0:100:50 --on emulator --device H200", 1},
        {"run --kernel reverse --compare --on emulator --device H200", 2},
        {"lesson time --device H200", 3},
    };
    static const char *const caches[] = {" --no-cache", ""};
    int failures = 0;
    char name[400];
    (void)place;
    if (!compiles_for_h200())
        return 0;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        for (size_t k = 0; k < sizeof caches / sizeof *caches; k++) {
            struct compilations seen = count_command(commands[i].options, caches[k]);
            snprintf(name, sizeof name, "'%s%s' has %u compilations, %u of them repeated",
                     commands[i].options, caches[k], seen.all, seen.repeated);
            bool cold = caches[k][0] || i == 0; /* the commands share a cache */
            failures += failed_at(seen.repeated == 0 && (cold ? seen.all == commands[i].kernels
                                                              : seen.all <= commands[i].kernels),
                                  __LINE__, name);
        }
    return failures;
}

/* The explorer's worker keeps the machine code: another size of the problem is only predicted. */
static int explorer_compiles_once(struct place *place)
{
    static struct smc_job_result result; /* too large for the stack */
    static const int64_t sizes[] = {1024, 2048, 1024};
    int failures = 0;
    struct smc_tui_worker worker = SMC_WORKER_INIT;
    struct smc_job job;
    struct smc_query query;
    struct smc_error error = {""};
    (void)place;
    if (!compiles_for_h200())
        return 0;
    smc_query_init(&query);
    query.kernel = smc_kernel_find("matmul-tiled");
    query.compile.no_cache = true;
    CHECK(smc_device_find("H200", &query.device, query.device_note, &error) == SMC_OK);
    compilations_begin();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        smc_params_init(query.kernel, &query.params);
        query.params.value[SMC_PARAM_M] = sizes[i];
        query.params.given = 1u << SMC_PARAM_M;
        smc_job_init(&job, SMC_JOB_COMPILE, &query);
        CHECK(smc_worker_give(&worker, &job, &error) == SMC_OK);
        CHECK(smc_worker_take(&worker, &result) && result.status == SMC_OK);
        CHECK(result.resources.regs_per_thread > 0 && !result.resources.from_cache);
        CHECK(result.time.basis != SMC_TIME_UNKNOWN);
    }
    CHECK(compilations_counted().all == 1);
    smc_worker_close(&worker);
    return failures;
}

/* --- Running them ----------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int (*body)(struct place *place);
} cases[] = {
    {"a hit in the cache equals a miss, and needs no NVRTC", hit_equals_miss},
    {"an edited kernel is compiled anew", an_edit_counts},
    {"damage to the cache changes no answer", damage_is_harmless},
    {"ptxas's refusal is an answer with its numbers", ptxas_refuses},
    {"mistakes in an edited kernel are named", mistakes_are_named},
    {"the search notices what changes", the_search_notices},
    {"a cache that cannot be used costs one line", works_without_a_cache},
    {"eight processes at once", eight_at_once},
    {"an architecture that no NVRTC knows", other_architectures},
    {"threads that want one kernel compile it once", threads_compile_once},
    {"a run compiles its kernel once", a_run_compiles_once},
    {"the explorer compiles a kernel once", explorer_compiles_once},
    {"no command compiles a kernel twice, with the cache or without", commands_compile_once},
};

enum { CASES = sizeof cases / sizeof *cases, NO_NVRTC = 77 };

static int find_nvrtc(struct place *place)
{
    struct smc_nvrtc_info info;
    struct smc_error error = {""};
    (void)place;
    if (smc_nvrtc_describe(&info, &error) == SMC_OK)
        return (int)info.cc[info.cc_count / 2];
    printf("%s\n", error.message);
    return 0;
}

static bool run_case(size_t index, uint16_t cc)
{
    struct place place = {.cc = cc};
    char path[400];
    temporary_begin(&place.temporary);
    snprintf(place.kernels, sizeof place.kernels, "%s/kernels", place.temporary.parent);
    snprintf(path, sizeof path, "%s/probe.cu", place.kernels);
    int failures = mkdir(place.kernels, 0700) != 0 ||
                   !write_kernel(&place, probe_text, sizeof probe_text - 1) ||
                   run_child(cases[index].body, &place) != 0;
    unlink(path);
    rmdir(place.kernels);
    temporary_end(&place.temporary);
    printf("%s: %s\n", failures ? "FAIL" : "PASS", cases[index].name);
    return failures == 0;
}

int main(void)
{
    struct place nowhere = {.cc = 0};
    size_t passed = 0;
    unsetenv("SMEMCALC_NVRTC");
    temporary_begin(&nowhere.temporary);
    int cc = run_child(find_nvrtc, &nowhere);
    temporary_end(&nowhere.temporary);
    if (cc == 0) {
        printf("0 passed, 0 failed, %d skipped\n", CASES);
        return NO_NVRTC;
    }
    for (size_t i = 0; i < CASES; i++)
        passed += run_case(i, (uint16_t)cc);
    printf("%zu passed, %zu failed, 0 skipped\n", passed, CASES - passed);
    return passed != CASES;
}
