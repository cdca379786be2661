/* One NVRTC library, opened at run time. */
#include "config.h"

#include "compile/nvrtc.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"

/* nvrtcResult: the text does not compile. Every other error is the library's own. */
enum { RESULT_COMPILATION = 6 };

static bool find_functions(void *library, struct smc_nvrtc *nvrtc, const char **missing)
{
    const struct {
        const char *symbol;
        void *function;
    } functions[] = {
#define FUNCTION(name, symbol, parameters) {symbol, &nvrtc->name},
        SMC_NVRTC_FUNCTIONS(FUNCTION)
#undef FUNCTION
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *address = dlsym(library, functions[i].symbol);
        if (!address) {
            *missing = functions[i].symbol;
            return false;
        }
        /* ISO C has no cast from an object to a function pointer; POSIX has the same size. */
        memcpy(functions[i].function, &address, sizeof address);
    }
    return true;
}

static bool describe(const struct smc_nvrtc *nvrtc, struct smc_nvrtc_info *info)
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

/* Neither a library of this kind of machine, nor one cut short. */
static bool is_no_library(const char *path)
{
    char start[SELFMAG] = "";
    FILE *file = fopen(path, "rbe");
    if (!file)
        return errno == ENOENT || errno == ENOTDIR;
    bool differs = fread(start, 1, sizeof start, file) != sizeof start || ferror(file) ||
                   memcmp(start, ELFMAG, SELFMAG) != 0;
    fclose(file);
    return differs;
}

/* The address space that the larger of these libraries take when they are opened. */
static bool has_address_space(void)
{
    enum { NVRTC_BYTES = 256 << 20 };
    void *space = mmap(NULL, NVRTC_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (space == MAP_FAILED)
        return false;
    munmap(space, NVRTC_BYTES);
    return true;
}

/* The dynamic linker has no words for a program to go by but these, in the language of the source:
   the program never takes over LC_MESSAGES. That a segment cannot be mapped has other causes too.
 */
static bool is_for_memory(const char *text)
{
    return strstr(text, "annot allocate memory") || strstr(text, "out of memory") ||
           (strstr(text, "failed to map segment") && !has_address_space());
}

static enum smc_status fail_opening(const char *name, const char *text, struct smc_error *why)
{
    size_t length = strlen(name);
    if (is_for_memory(text)) {
        smc_memory_note_failure();
        return smc_fail(why, SMC_MACHINE,
                        "not enough memory to load NVRTC: %s; --no-nvrtc avoids it", text);
    }
    bool absent = strchr(name, '/') ? is_no_library(name)
                                    : strncmp(text, name, length) == 0 && text[length] == ':' &&
                                          strstr(text, "No such file or directory");
    return smc_fail(why, absent ? SMC_USAGE : SMC_UNAVAILABLE, "%s", text);
}

enum smc_status smc_nvrtc_open(const char *name, struct smc_nvrtc *nvrtc,
                               struct smc_nvrtc_info *info, struct smc_error *why)
{
    *info = (struct smc_nvrtc_info){0};
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) /* once more: the linker takes some failed allocations for an absent file */
        library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *text = dlerror();
        return fail_opening(name, text ? text : "out of memory", why);
    }
    const char *missing;
    if (!find_functions(library, nvrtc, &missing)) {
        smc_fail(why, SMC_USAGE, "%s: no NVRTC of CUDA 11.2 or later: it lacks %s", name, missing);
        dlclose(library);
        return SMC_USAGE;
    }
    const struct link_map *map = NULL;
    const char *path = name;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name[0])
        path = map->l_name;
    if (strlen(path) >= sizeof info->path || !describe(nvrtc, info))
        return smc_fail(why, SMC_UNAVAILABLE, "%s: this NVRTC does not describe itself", name);
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

static size_t count_lines(const char *text)
{
    size_t count = 0;
    for (; (text = strchr(text, '\n')); text++)
        count++;
    return count + 1; /* the last may lack its end */
}

/* Cuts `options` into lines, in place. */
static int split_options(char *options, const char **list)
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
    char *text = smc_malloc(bytes);
    if (!text || fetch(program, text)) {
        free(text);
        return;
    }
    /* What ptxas refuses stands behind a '\0' of its own. */
    for (size_t i = 0; i + 1 < bytes; i++)
        if (!text[i])
            text[i] = '\n';
    smc_text_append_bytes(out, text, bytes - 1);
    free(text);
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

/* While it compiles NVRTC ends the program at these; afterwards it leaves them at their defaults,
   whatever they did before. */
static const int taken[] = {SIGINT, SIGTERM};
enum { TAKEN = sizeof taken / sizeof *taken };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned compiling; /* threads that do */
static struct sigaction before[TAKEN];

static void keep_signals(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; compiling == 0 && i < TAKEN; i++)
        sigaction(taken[i], NULL, &before[i]);
    compiling++;
    pthread_mutex_unlock(&lock);
}

static void regain_signals(void)
{
    pthread_mutex_lock(&lock);
    compiling--;
    for (int i = 0; compiling == 0 && i < TAKEN; i++)
        sigaction(taken[i], &before[i], NULL);
    pthread_mutex_unlock(&lock);
}

enum smc_nvrtc_outcome smc_nvrtc_compile(const struct smc_nvrtc *nvrtc, const char *text,
                                         const char *file, const char *options,
                                         struct smc_nvrtc_output *output)
{
    *output = (struct smc_nvrtc_output){0};
    enum smc_nvrtc_outcome outcome = SMC_NVRTC_FAILED;
    void *program = NULL;
    const char **list = smc_calloc(count_lines(options), sizeof *list);
    char *lines = smc_strdup(options);
    if (!list || !lines || nvrtc->create(&program, text, file, 0, NULL, NULL)) {
        free(list);
        free(lines);
        return SMC_NVRTC_FAILED;
    }
    keep_signals();
    int result = nvrtc->compile(program, split_options(lines, list), list);
    regain_signals();
    fetch_text(program, nvrtc->log_size, nvrtc->log, &output->log);
    fetch_text(program, nvrtc->ptx_size, nvrtc->ptx, &output->ptx);
    if (result == RESULT_COMPILATION)
        outcome = SMC_NVRTC_REJECTED;
    else if (result == 0 && !output->log.failed && fetch_cubin(nvrtc, program, &output->binary))
        outcome = SMC_NVRTC_COMPILED;
    nvrtc->destroy(&program);
    free(list);
    free(lines);
    return outcome;
}

void smc_nvrtc_output_free(struct smc_nvrtc_output *output)
{
    smc_text_free(&output->log);
    smc_text_free(&output->ptx);
    smc_binary_free(&output->binary);
}
