/* compile, end to end with the NVRTC of this machine: every case runs in its own process with its
   own cache. Without an NVRTC: exit status 77. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compile/compile.h"
#include "compile/nvrtc.h"
#include "confirm/launch.h"
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

static struct answer ask(const struct place *place, int64_t count, bool no_cache)
{
    struct answer a = {0};
    struct smc_params params = {0};
    struct smc_compile_options options = {.no_cache = no_cache, .kernel_dir = place->kernels};
    params.value[SMC_PARAM_BLOCK] = count;
    a.status = smc_compile(&probe, &params, place->cc, &options, &a.resources, &a.binary,
                           &a.warnings, &a.error);
    return a;
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
    a.status =
        smc_compile(&probe, &params, 10, &options, &a.resources, NULL, &a.warnings, &a.error);
    CHECK(a.status == SMC_OK && a.resources.source == SMC_RESOURCES_ASSUMED);
    CHECK(a.resources.cc > 10 && a.resources.regs_per_thread > 0);
    CHECK(strstr(a.resources.reason, "sm_10; as compiled for sm_") != NULL);
    answer_free(&a);
    options.no_nvrtc = true; /* an edited kernel is not in the table */
    a.status =
        smc_compile(&probe, &params, 90, &options, &a.resources, NULL, &a.warnings, &a.error);
    CHECK(a.status == SMC_UNAVAILABLE && strstr(a.error.message, "--regs N"));
    answer_free(&a);
    return failures;
}

/* The linker sends every call of smc_nvrtc_compile here (local.mk). */
static unsigned compilations;
enum smc_nvrtc_outcome __real_smc_nvrtc_compile(const struct smc_nvrtc *, const char *,
                                                const char *, const char *,
                                                struct smc_nvrtc_output *);
enum smc_nvrtc_outcome __wrap_smc_nvrtc_compile(const struct smc_nvrtc *, const char *,
                                                const char *, const char *,
                                                struct smc_nvrtc_output *);

enum smc_nvrtc_outcome __wrap_smc_nvrtc_compile(const struct smc_nvrtc *nvrtc, const char *text,
                                                const char *file, const char *options,
                                                struct smc_nvrtc_output *output)
{
    compilations++;
    return __real_smc_nvrtc_compile(nvrtc, text, file, options, output);
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
        compilations = 0;
        CHECK(smc_confirm_one(&query, &settings, &run, NULL, &error) == SMC_OK);
        CHECK(run.result.emulation.succeeded && run.result.comparison.wrong == 0);
        CHECK(compilations == 1);
    }
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
    {"a run compiles once", a_run_compiles_once},
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
