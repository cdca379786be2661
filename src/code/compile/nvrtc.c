/* NVRTC: opening a library at run time, and finding those on this machine. */
#include "config.h"

#include "code/nvrtc.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/platform.h"
#include "base/signals.h"

/* --- One library ------------------------------------------------------------------------------ */

/* nvrtcResult: the source does not compile. All other errors are failures of the library. */
enum { RESULT_COMPILATION = 6 };

/* Returns the name of one that is missing, or NULL. */
static const char *nvrtc_find_functions(void *library, struct smc_nvrtc *nvrtc)
{
    const struct smc_platform_symbol functions[] = {
#define FUNCTION(name, symbol, parameters) {symbol, &nvrtc->name},
        SMC_NVRTC_FUNCTIONS(FUNCTION)
#undef FUNCTION
    };
    return smc_platform_find_symbols(library, functions, sizeof functions / sizeof *functions);
}

static bool nvrtc_describe(const struct smc_nvrtc *nvrtc, struct smc_nvrtc_info *info)
{
    int count = 0, archs[256];
    if (nvrtc->version(&info->major, &info->minor) || nvrtc->count_archs(&count))
        return false;
    if (count < 1 || count > (int)(sizeof archs / sizeof *archs) || nvrtc->list_archs(archs))
        return false;
    for (int i = 0; i < count; i++)
        if (archs[i] > 0 && archs[i] < 1000 && info->cc_count < sizeof info->cc / sizeof *info->cc)
            info->cc[info->cc_count++] = (uint16_t)archs[i];
    return info->cc_count > 0;
}

/* Whether the file is absent or not an ELF file. */
static bool is_no_library(const char *path)
{
    char start[SMC_ELF_MAGIC_BYTES] = "";
    smc_auto_file FILE *file = fopen(path, "rbe");
    if (!file)
        return errno == ENOENT || errno == ENOTDIR;
    return fread(start, 1, sizeof start, file) != sizeof start || ferror(file) ||
           memcmp(start, SMC_ELF_MAGIC, sizeof start) != 0;
}

static enum smc_status nvrtc_fail_opening(const char *name, const char *text, struct smc_error *why)
{
    size_t length = strlen(name);
    if (smc_platform_lacks_memory(text)) {
        smc_memory_note_failure();
        return smc_fail(why, SMC_MACHINE,
                        "not enough memory to load NVRTC: %s; --no-nvrtc avoids it", text);
    }
    bool absent = strncmp(text, name, length) == 0 && text[length] == ':' &&
                  strstr(text, "No such file or directory");
    /* The text lasts until another call of the linker. */
    smc_fail(why, SMC_UNAVAILABLE, "%s", text);
    if (strchr(name, '/'))
        absent = is_no_library(name);
    return absent ? SMC_USAGE : SMC_UNAVAILABLE;
}

enum smc_status smc_nvrtc_open(const char *name, struct smc_nvrtc *nvrtc,
                               struct smc_nvrtc_info *info, struct smc_error *why)
{
    *info = (struct smc_nvrtc_info){0};
    if (SMC_STATIC_PROGRAM)
        return smc_fail(why, SMC_UNAVAILABLE, "%s: %s", name, SMC_NVRTC_ABSENT);
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) /* try again: the linker reports some failed allocations as a missing file */
        library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *text = dlerror();
        return nvrtc_fail_opening(name, text ? text : "out of memory", why);
    }
    void *add_name = dlsym(library, "nvrtcAddNameExpression");
    memcpy(&nvrtc->add_name, &add_name, sizeof add_name);
    const char *missing = nvrtc_find_functions(library, nvrtc);
    if (missing) {
        smc_fail(why, SMC_USAGE, "%s: no NVRTC of CUDA 11.2 or later: it lacks %s", name, missing);
        dlclose(library);
        return SMC_USAGE;
    }
    Dl_info found;
    const char *path = name;
    if (dladdr(dlsym(library, "nvrtcVersion"), &found) != 0 && found.dli_fname && *found.dli_fname)
        path = found.dli_fname;
    if (strlen(path) >= sizeof info->path || !nvrtc_describe(nvrtc, info))
        return smc_fail(why, SMC_UNAVAILABLE,
                        "%s: this NVRTC does not describe itself; 'smemcalc doctor' tells more",
                        name);
    snprintf(info->path, sizeof info->path, "%s", path);
    return SMC_OK;
}

bool smc_nvrtc_supports(const struct smc_nvrtc_info *info, uint16_t cc)
{
    for (size_t i = 0; i < info->cc_count; i++)
        if (info->cc[i] == cc)
            return true;
    return false;
}

static size_t nvrtc_count_lines(const char *text)
{
    size_t count = 0;
    for (; (text = strchr(text, '\n')); text++)
        count++;
    return count + 1; /* the last may lack its end */
}

/* Cuts `options` into lines, in place. */
static int nvrtc_split_options(char *options, const char **list)
{
    int count = 0;
    for (char *line = options; *line;) {
        char *end = strchr(line, '\n');
        list[count++] = line;
        if (!end)
            break;
        *end = '\0';
        line = end + 1;
    }
    return count;
}

/* Fetches a text; `fetch` and `size` belong together. */
static void fetch_text(void *program, int (*size)(void *, size_t *), int (*fetch)(void *, char *),
                       struct smc_text *out)
{
    size_t bytes = 0;
    if (size(program, &bytes) || bytes == 0)
        return;
    smc_auto_free char *text = smc_malloc(bytes);
    if (!text || fetch(program, text))
        return;
    /* Messages of ptxas about a refused kernel follow an embedded '\0'. */
    for (size_t i = 0; i + 1 < bytes; i++)
        if (!text[i])
            text[i] = '\n';
    smc_text_append_bytes(out, text, bytes - 1);
}

static bool fetch_cubin(const struct smc_nvrtc *nvrtc, void *program, struct smc_binary *binary)
{
    size_t bytes = 0;
    if (nvrtc->cubin_size(program, &bytes) || bytes == 0)
        return false;
    binary->cubin = smc_malloc(bytes);
    binary->cubin_bytes = bytes;
    return binary->cubin && nvrtc->cubin(program, binary->cubin) == 0;
}

void smc_nvrtc_write_log_options(const struct smc_nvrtc_info *info, struct smc_text *options)
{
    bool caches = info->major > 12 || (info->major == 12 && info->minor >= 9);
    smc_text_printf(options, "--ptxas-options=-v\n%s", caches ? "--no-cache\n" : "");
}

enum smc_nvrtc_outcome smc_nvrtc_compile(const struct smc_nvrtc *nvrtc, const char *text,
                                         const char *file, const char *options,
                                         struct smc_nvrtc_output *output)
{
    const struct smc_nvrtc_extras none = {0};
    return smc_nvrtc_compile_with(nvrtc, text, file, options, &none, output);
}

enum smc_nvrtc_outcome smc_nvrtc_compile_with(const struct smc_nvrtc *nvrtc, const char *text,
                                              const char *file, const char *options,
                                              const struct smc_nvrtc_extras *extras,
                                              struct smc_nvrtc_output *output)
{
    *output = (struct smc_nvrtc_output){0};
    sigset_t mask;
    enum smc_nvrtc_outcome outcome = SMC_NVRTC_FAILED;
    void *program = NULL;
    smc_auto_free const char **list = smc_calloc(nvrtc_count_lines(options), sizeof *list);
    smc_auto_free char *lines = smc_strdup(options);
    if (!list || !lines ||
        nvrtc->create(&program, text, file, (int)extras->header_count, extras->header,
                      extras->header_name))
        return SMC_NVRTC_FAILED;
    for (size_t i = 0; nvrtc->add_name && i < extras->instance_count; i++)
        nvrtc->add_name(program, extras->instance[i]);
    /* NVRTC handles SIGINT and SIGTERM while it compiles, by exit(), which frees memory that malloc
       may be changing; afterwards they have their default actions. */
    smc_signals_divert(&mask);
    int result = nvrtc->compile(program, nvrtc_split_options(lines, list), list);
    smc_signals_undivert(&mask);
    fetch_text(program, nvrtc->log_size, nvrtc->log, &output->log);
    fetch_text(program, nvrtc->ptx_size, nvrtc->ptx, &output->ptx);
    if (result == RESULT_COMPILATION)
        outcome = SMC_NVRTC_REJECTED;
    else if (result == 0 && !output->log.failed && fetch_cubin(nvrtc, program, &output->binary))
        outcome = SMC_NVRTC_COMPILED;
    nvrtc->destroy(&program);
    return outcome;
}

void smc_nvrtc_output_free(struct smc_nvrtc_output *output)
{
    smc_text_free(&output->log);
    smc_text_free(&output->ptx);
    smc_binary_free(&output->binary);
}

/* --- Which libraries this machine has --------------------------------------------------------- */

static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                    "libnvrtc.so"};

static const char *const folders[] = {"/usr/local/cuda/lib64", "/opt/cuda/lib64"};

/* Python wheels and Conda: below the folder that a variable names, or below "". */
static const struct {
    const char *variable, *pattern;
} wheels[] = {
    {"VIRTUAL_ENV", "/lib/python3*/*-packages/nvidia/*/lib/libnvrtc.so.*"},
    {"CONDA_PREFIX", "/lib/libnvrtc.so.*"},
    {"HOME", "/.local/lib/python3*/*-packages/nvidia/*/lib/libnvrtc.so.*"},
    {NULL, "/usr/local/lib/python3*/*-packages/nvidia/*/lib/libnvrtc.so.*"},
    {NULL, "/usr/lib/python3*/*-packages/nvidia/*/lib/libnvrtc.so.*"},
};

/* The candidates in order, one path or bare name per line, then everything that a search by name
   depends on. The lines are the cache key of the outcome. Where a folder could not be read, the
   list is certain only up to there. */
struct nvrtc_candidates {
    struct smc_text lines;
    size_t count, certain;
    char unread[400]; /* the pattern */
    int failure;      /* an errno value, or 0 */
};

static bool identify(const char *path, struct smc_file_identity *file)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return false;
    *file = (struct smc_file_identity){status.st_dev, status.st_ino, status.st_size,
                                       status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
    return true;
}

/* Appends a line with the file's identity; missing files are listed as such if `absent_too`. */
static bool nvrtc_append_file(struct smc_text *lines, const char *path, bool absent_too)
{
    struct smc_file_identity file = {.bytes = -1};
    if (!identify(path, &file) && !absent_too)
        return false;
    smc_text_printf(lines, "%s\n%llu:%llu %lld %lld.%09lld\n", path,
                    (unsigned long long)file.device, (unsigned long long)file.inode,
                    (long long)file.bytes, (long long)file.seconds, (long long)file.nanoseconds);
    return true;
}

static void add_path(struct nvrtc_candidates *candidates, const char *path, bool absent_too)
{
    /* Paths with a line break are not supported, since each candidate is one line. */
    if (!strchr(path, '\n') && nvrtc_append_file(&candidates->lines, path, absent_too))
        candidates->count++;
}

/* Sorts by file name, the newest first: "libnvrtc.so.13" before "libnvrtc.so.12". */
static int newest_first(const void *a, const void *b)
{
    const char *s = *(char *const *)a, *t = *(char *const *)b;
    int order = strcmp(strrchr(t, '/'), strrchr(s, '/'));
    return order ? order : strcmp(s, t);
}

static void nvrtc_add_matches(struct nvrtc_candidates *candidates, const char *root,
                              const char *pattern)
{
    char path[1200];
    SMC_AUTO(smc_folder_matches_free) struct smc_folder_matches found = {0};
    if (strlen(root) > 1000)
        return;
    snprintf(path, sizeof path, "%s%s", root, pattern);
    smc_folder_match(path, &found);
    if (found.failed && !candidates->failure) {
        candidates->failure = found.failed;
        candidates->certain = candidates->count;
        snprintf(candidates->unread, sizeof candidates->unread, "%.399s", path);
    }
    if (found.count > 0)
        qsort(found.path, found.count, sizeof *found.path, newest_first);
    for (size_t k = 0; k < found.count; k++)
        add_path(candidates, found.path[k], false);
}

static void add_wheels(struct nvrtc_candidates *candidates)
{
    for (size_t i = 0; i < sizeof wheels / sizeof *wheels; i++) {
        const char *root = wheels[i].variable ? getenv(wheels[i].variable) : "";
        if (root && (!wheels[i].variable || *root))
            nvrtc_add_matches(candidates, root, wheels[i].pattern);
    }
}

/* The NVRTC that quickstart fetched into its build folder, which contains this program; the test
   programs are up to two folders deeper. */
static void add_fetched(struct nvrtc_candidates *candidates)
{
    char folder[1000];
    if (!smc_platform_program(folder, sizeof folder))
        return;
    for (int up = 0; up < 3; up++) {
        char *slash = strrchr(folder, '/');
        if (!slash || slash == folder)
            return;
        *slash = '\0';
        nvrtc_add_matches(candidates, folder, "/nvrtc/nvidia/*/lib/libnvrtc.so.*");
    }
}

/* What the dynamic linker's own search depends on: its variable, the folders in it, its cache. */
static void append_linker_state(struct smc_text *lines)
{
    const char *list = getenv("LD_LIBRARY_PATH");
    char folder[1024];
    smc_text_append(lines, "\nlinker\n");
    nvrtc_append_file(lines, "/etc/ld.so.cache", true);
    while (list && *list) {
        size_t length = strcspn(list, ":;");
        if (length > 0 && length < sizeof folder) {
            snprintf(folder, sizeof folder, "%.*s", (int)length, list);
            nvrtc_append_file(lines, folder, true);
        }
        list += length + (list[length] != '\0');
    }
}

static void nvrtc_list_candidates(struct nvrtc_candidates *candidates)
{
    char path[1100];
    *candidates = (struct nvrtc_candidates){0};
    smc_text_append(&candidates->lines, "smemcalc search 2\n");
    const char *own = getenv("SMEMCALC_NVRTC");
    if (own && *own)
        add_path(candidates, own, true);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++, candidates->count++)
        smc_text_printf(&candidates->lines, "%s\n\n", names[i]);
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            snprintf(path, sizeof path, "%s/%s", folders[k], names[i]);
            add_path(candidates, path, false);
        }
    add_wheels(candidates);
    add_fetched(candidates);
    append_linker_state(&candidates->lines);
    if (candidates->lines.failed) { /* cut anywhere: that NVRTC is not in it means nothing */
        candidates->failure = ENOMEM;
        candidates->certain = 0;
        snprintf(candidates->unread, sizeof candidates->unread, "NVRTC");
    }
}

static bool nvrtc_is_known(const struct smc_nvrtc_search *search,
                           const struct smc_nvrtc_place *place)
{
    for (size_t i = 0; i < search->count; i++) {
        const struct smc_nvrtc_place *known = &search->place[i];
        if (strcmp(known->info.path, place->info.path) == 0 ||
            memcmp(&known->file, &place->file, sizeof place->file) == 0)
            return true;
    }
    return false;
}

static const struct smc_nvrtc_place *supporting(const struct smc_nvrtc_search *search, uint16_t cc)
{
    for (size_t i = 0; i < search->count; i++)
        if (cc == 0 || smc_nvrtc_supports(&search->place[i].info, cc))
            return &search->place[i];
    return NULL;
}

static void stop_at_unread_folder(const struct nvrtc_candidates *candidates,
                                  struct smc_nvrtc_search *search)
{
    search->is_final = false;
    if (search->failure)
        return;
    search->failure = (uint64_t)candidates->failure;
    snprintf(search->problem, sizeof search->problem,
             "cannot look for %s: %s; --no-nvrtc avoids it", candidates->unread,
             strerror(candidates->failure));
}

/* Opens a candidate, and adds it if it is an NVRTC that is not known yet. */
static void nvrtc_try(const char *name, const char *chosen, struct smc_nvrtc_search *search)
{
    struct smc_nvrtc nvrtc = {0};
    struct smc_error why = {""};
    struct smc_nvrtc_place *place = &search->place[search->count];
    enum smc_status opened = smc_nvrtc_open(name, &nvrtc, &place->info, &why);
    search->is_final = search->is_final && (opened == SMC_OK || opened == SMC_USAGE);
    if (opened == SMC_OK && identify(place->info.path, &place->file) &&
        !nvrtc_is_known(search, place))
        search->count++;
    else
        memset(place, 0, sizeof *place);
    if (opened == SMC_MACHINE && !search->failure) {
        search->failure = ENOMEM;
        snprintf(search->problem, sizeof search->problem, "%.*s", 500, why.message);
    }
    if (chosen && *chosen && why.message[0] && !search->failure)
        snprintf(search->problem, sizeof search->problem, "SMEMCALC_NVRTC: %.*s", 480, why.message);
}

/* Opens the candidates one by one until one can be used. */
static void search_candidates(const struct nvrtc_candidates *candidates, uint16_t cc,
                              struct smc_nvrtc_search *search)
{
    const char *own = getenv("SMEMCALC_NVRTC");
    const char *line = strchr(smc_text_string(&candidates->lines), '\n');
    const size_t count = candidates->failure ? candidates->certain : candidates->count;
    char name[1024];
    memset(search, 0, sizeof *search);
    search->is_final = true;
    for (size_t i = 0; i < count && line && search->count < SMC_MAX_NVRTC; i++) {
        const char *start = line + 1;
        line = strchr(start, '\n');
        if (!line)
            break;
        int length = (int)(line - start);
        line = strchr(line + 1, '\n'); /* the identity's */
        if (length >= (int)sizeof name)
            continue;
        snprintf(name, sizeof name, "%.*s", length, start);
        nvrtc_try(name, i == 0 ? own : NULL, search);
        if (supporting(search, cc))
            return;
    }
    if (candidates->failure)
        stop_at_unread_folder(candidates, search);
    else
        search->is_complete = true;
}

/* A cached outcome is valid as long as its files have not changed. */
static bool read_search(struct smc_cache *cache, const struct smc_text *key, uint16_t cc,
                        struct smc_nvrtc_search *search)
{
    smc_auto_text value = {0};
    bool valid = smc_cache_read(cache, key, &value) && value.length == sizeof *search;
    if (valid) {
        memcpy(search, value.data, sizeof *search);
        valid = search->count <= SMC_MAX_NVRTC && (search->is_complete || supporting(search, cc));
        for (size_t i = 0; valid && i < search->count; i++) {
            struct smc_file_identity now;
            valid = identify(search->place[i].info.path, &now) &&
                    memcmp(&now, &search->place[i].file, sizeof now) == 0;
        }
    }
    return valid;
}

/* A failure that may be temporary, such as a lack of memory, is not cached, so that the next run
   tries again. Finding no library at all is fast, so that is not cached either. */
static bool is_worth_keeping(const struct smc_nvrtc_search *search)
{
    return search->count > 0 && search->is_final && !smc_memory_failed();
}

const struct smc_nvrtc_place *smc_nvrtc_find(struct smc_cache *cache, uint16_t cc,
                                             struct smc_nvrtc_search *search)
{
    struct nvrtc_candidates candidates;
    nvrtc_list_candidates(&candidates);
    const bool is_key = !candidates.lines.failed && !candidates.failure;
    if (!is_key || !read_search(cache, &candidates.lines, cc, search)) {
        search_candidates(&candidates, cc, search);
        if (is_worth_keeping(search) && is_key)
            smc_cache_write(cache, &candidates.lines, search, sizeof *search);
    }
    smc_text_free(&candidates.lines);
    return supporting(search, cc);
}
