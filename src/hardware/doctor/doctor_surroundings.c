/* What the program finds around itself: the system, its folders and files, the terminal, the
   locale, fonts, and the libraries that it was built with. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/sandbox.h"
#include "base/signals.h"
#include "code/nvrtc.h"
#include "hardware/doctor/subjects.h"
#include "rules/ceilings.h"

/* --- The system ------------------------------------------------------------------------------- */

/* "Debian GNU/Linux 12 (bookworm)"; "" if it does not say. */
static void find_distribution(char *name, size_t capacity)
{
    static const char key[] = "PRETTY_NAME=";
    char line[256];
    smc_auto_file FILE *file = fopen("/etc/os-release", "re");
    name[0] = '\0';
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, key, sizeof key - 1) != 0)
            continue;
        const char *value = line + sizeof key - 1;
        value += strspn(value, "\"'");
        snprintf(name, capacity, "%.*s", (int)strcspn(value, "\"'\n"), value);
    }
}

void smc_doctor_system(const struct smc_doctor_request *request, struct smc_doctor *doctor)
{
    (void)request;
    struct utsname system;
    char distribution[96];
    if (uname(&system) != 0)
        return;
    find_distribution(distribution, sizeof distribution);
    smc_doctor_add(doctor, SMC_DOCTOR_OK, "system", "%.32s %.64s %.32s%s%s", system.sysname,
                   system.release, system.machine, distribution[0] ? ", " : "", distribution);
}

/* --- The sandbox ------------------------------------------------------------------------------ */

void smc_doctor_sandbox(const struct smc_doctor_request *request, struct smc_doctor *doctor)
{
    (void)request;
    uint64_t limit_bytes;
    char memory[48] = "no limit of memory";
    struct smc_doctor_row *row;
    enum smc_sandbox_state state = smc_sandbox_try(&limit_bytes);
    if (limit_bytes > 0)
        snprintf(memory, sizeof memory, "%.0f GB of address space", (double)limit_bytes / 1e9);
    switch (state) {
    case SMC_SANDBOX_WORKS:
        smc_doctor_add(doctor, SMC_DOCTOR_OK, "sandbox", "works: seccomp, and at most %s", memory);
        return;
    case SMC_SANDBOX_NOT_BUILT:
        smc_doctor_add(doctor, SMC_DOCTOR_NOTE, "sandbox",
                       "%s; no seccomp in this build, which needs Linux's headers and x86-64 or "
                       "AArch64",
                       memory);
        return;
    case SMC_SANDBOX_OFF:
        row = smc_doctor_add(doctor, SMC_DOCTOR_NOTE, "sandbox",
                             "off, by SMEMCALC_SANDBOX or AddressSanitizer");
        smc_doctor_mend(row, "unset SMEMCALC_SANDBOX");
        return;
    case SMC_SANDBOX_REFUSED:
        break;
    }
    smc_doctor_add(doctor, SMC_DOCTOR_NOTE, "sandbox", "%s; this kernel refuses seccomp", memory);
}

/* --- Folders and files ------------------------------------------------------------------------ */

/* Returns 0, or the errno that says why no file can be written there. */
static int try_to_write(const char *folder)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/tmp-XXXXXX", folder) >= (int)sizeof path)
        return ENAMETOOLONG;
    sigset_t before;
    smc_signals_block(&before);
    int file = mkstemp(path);
    int failed = file >= 0 && write(file, "x", 1) == 1 ? 0 : errno;
    if (file >= 0 && close(file) != 0 && !failed)
        failed = errno;
    if (file >= 0)
        unlink(path);
    smc_signals_unblock(&before);
    return failed;
}

void smc_doctor_cache(const struct smc_doctor_request *request, struct smc_doctor *doctor)
{
    (void)request;
    struct smc_cache cache;
    struct smc_cache_size size;
    smc_auto_text quoted = {0};
    smc_cache_open(&cache, false, NULL);
    if (!cache.usable) {
        struct smc_doctor_row *row = smc_doctor_add(
            doctor, SMC_DOCTOR_BROKEN, "cache",
            "SMEMCALC_CACHE_DIR, XDG_CACHE_HOME and HOME name no folder: every run compiles anew");
        smc_doctor_mend(row, "export SMEMCALC_CACHE_DIR=/tmp/smemcalc-cache");
        return;
    }
    const bool existed = access(cache.folder, F_OK) == 0;
    int failed = smc_folder_make(cache.folder);
    if (!failed)
        failed = try_to_write(cache.folder);
    smc_cache_measure(&cache, &size);
    if (!existed)
        rmdir(cache.folder);
    if (!failed) {
        smc_doctor_add(doctor, SMC_DOCTOR_OK, "cache", "%s: writable, %zu entries, %.1f of %.0f MB",
                       cache.folder, size.entries, (double)size.bytes / 1e6,
                       (double)size.most_bytes / 1e6);
        return;
    }
    struct smc_doctor_row *row =
        smc_doctor_add(doctor, SMC_DOCTOR_BROKEN, "cache", "%s: %s: every run compiles anew",
                       cache.folder, strerror(failed));
    if (failed == ENOSPC || failed == EDQUOT)
        smc_doctor_mend(row, "df -h");
    else if (failed == EACCES && access(cache.folder, F_OK) == 0) {
        smc_text_append_shell_word(&quoted, cache.folder);
        smc_doctor_mend(row, "chmod u+rwx %s", smc_text_string(&quoted));
    } else
        smc_doctor_mend(row, "export SMEMCALC_CACHE_DIR=/tmp/smemcalc-cache");
}

void smc_doctor_ceilings(const struct smc_doctor_request *request, struct smc_doctor *doctor)
{
    (void)request;
    char path[SMC_CEILINGS_PATH] = "";
    SMC_AUTO(smc_ceilings_file_free) struct smc_ceilings_file file = {0};
    struct smc_error error = {""};
    struct smc_doctor_row *row;
    enum smc_status status = smc_ceilings_path(path, &error);
    if (status == SMC_OK)
        status = smc_ceilings_file_read(path, &file, &error);
    if (status != SMC_OK) {
        row = smc_doctor_add(doctor, SMC_DOCTOR_BROKEN, "ceilings", "%s", error.message);
        if (access(path, R_OK) == 0) {
            smc_auto_text quoted = {0};
            smc_text_append_shell_word(&quoted, path);
            smc_doctor_mend(row, "mv %s %s.damaged", smc_text_string(&quoted),
                            smc_text_string(&quoted));
        }
    } else if (file.count > 0)
        smc_doctor_add(doctor, SMC_DOCTOR_OK, "ceilings", "%s: %zu GPU%s", path, file.count,
                       smc_text_plural(file.count));
    else
        smc_doctor_add(doctor, SMC_DOCTOR_OK, "ceilings",
                       "%s: none measured here; the built-in table is used", path);
}

void smc_doctor_temporary(const struct smc_doctor_request *request, struct smc_doctor *doctor)
{
    (void)request;
    const char *folder = smc_folder_variable("TMPDIR");
    if (!folder)
        folder = "/tmp";
    int failed = try_to_write(folder);
    if (!failed) {
        smc_doctor_add(doctor, SMC_DOCTOR_OK, "temporary files", "%s: writable", folder);
        return;
    }
    struct smc_doctor_row *row = smc_doctor_add(doctor, SMC_DOCTOR_BROKEN, "temporary files",
                                                "%s: %s", folder, strerror(failed));
    smc_doctor_mend(row, "%s", failed == ENOSPC ? "df -h" : "export TMPDIR=/var/tmp");
}

/* --- The terminal and the locale -------------------------------------------------------------- */

/* Whether a description of the terminal is installed, where ncurses looks for one. */
static bool is_described(const char *terminal)
{
    char own[PATH_MAX] = "";
    const char *home = smc_folder_variable("HOME");
    if (home)
        snprintf(own, sizeof own, "%s/.terminfo", home);
    const char *const folders[] = {smc_folder_variable("TERMINFO"), own, "/etc/terminfo",
                                   "/lib/terminfo", "/usr/share/terminfo"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[PATH_MAX];
        if (!folders[i] || !*folders[i])
            continue;
        snprintf(path, sizeof path, "%.3000s/%c/%.255s", folders[i], terminal[0], terminal);
        if (access(path, R_OK) == 0)
            return true;
        snprintf(path, sizeof path, "%.3000s/%02x/%.255s", folders[i],
                 (unsigned)(unsigned char)terminal[0], terminal);
        if (access(path, R_OK) == 0)
            return true;
    }
    return false;
}

enum { LEAST_COLUMNS = 60, LEAST_ROWS = 16 }; /* that the explorer needs */

void smc_doctor_terminal(const struct smc_doctor_request *request, struct smc_doctor *doctor)
{
    const char *terminal = smc_folder_variable("TERM");
    struct smc_doctor_row *row;
    if (!request->is_terminal)
        smc_doctor_add(doctor, SMC_DOCTOR_OK, "terminal",
                       "standard output is not a terminal: reports have 80 columns, no colours");
    else if (!terminal || strchr(terminal, '/') || !is_described(terminal)) {
        row = smc_doctor_add(doctor, SMC_DOCTOR_NOTE, "terminal",
                             terminal ? "TERM=%s is not described on this machine: no explorer"
                                      : "TERM is not set: no explorer%s",
                             terminal ? terminal : "");
        smc_doctor_mend(row, "export TERM=xterm-256color");
    } else if (request->columns < LEAST_COLUMNS || request->rows < LEAST_ROWS) {
        row = smc_doctor_add(doctor, SMC_DOCTOR_NOTE, "terminal",
                             "%s, %u x %u: the explorer needs %d x %d", terminal, request->columns,
                             request->rows, LEAST_COLUMNS, LEAST_ROWS);
        smc_doctor_mend(row, "resize -s 24 80");
    } else
        smc_doctor_add(doctor, SMC_DOCTOR_OK, "terminal", "%s, %u x %u, %s", terminal,
                       request->columns, request->rows,
                       request->colour                   ? "colours"
                       : smc_folder_variable("NO_COLOR") ? "no colours (NO_COLOR)"
                                                         : "no colours");
}

void smc_doctor_locale(const struct smc_doctor_request *request, struct smc_doctor *doctor)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *name = NULL;
    for (size_t i = 0; i < sizeof variables / sizeof *variables && !name; i++)
        name = smc_folder_variable(variables[i]);
    bool installed = setlocale(LC_CTYPE, "") != NULL;
    if (installed && request->locale_is_utf8) {
        smc_doctor_add(doctor, SMC_DOCTOR_OK, "locale", "%s: UTF-8", name ? name : "C");
        return;
    }
    struct smc_doctor_row *row = smc_doctor_add(
        doctor, SMC_DOCTOR_NOTE, "locale",
        installed ? "%s: not UTF-8, so that screens and pictures are drawn in ASCII"
                  : "%s is not installed: other programs, and names in your files, may suffer",
        name ? name : "C");
    smc_doctor_mend(row, "export LC_ALL=C.UTF-8");
}

/* --- Fonts and libraries ---------------------------------------------------------------------- */

void smc_doctor_fonts(const struct smc_doctor_request *request, struct smc_doctor *doctor)
{
    if (!request->has_cairo)
        return; /* a row of the libraries says so */
    if (!request->has_cairo()) {
        smc_doctor_mend_package(smc_doctor_add(doctor, SMC_DOCTOR_NOTE, "cairo",
                                               "cannot be loaded: no pictures as SVG, PNG and PDF"),
                                "libcairo2");
        return;
    }
    if (request->has_font()) {
        smc_doctor_add(doctor, SMC_DOCTOR_OK, "fonts", "a font for pictures is installed");
        return;
    }
    struct smc_doctor_row *row =
        smc_doctor_add(doctor, SMC_DOCTOR_NOTE, "fonts",
                       "none: the text of SVG, PNG and PDF is drawn in strokes, or missing");
    smc_doctor_mend_package(row, "fonts-dejavu-core");
}

/* The libraries that a build can lack. */
static const struct {
    const char *name; /* as configure lists it */
    const char *package, *purpose;
} optional[] = {
    {"cairo", "libcairo2-dev", "no pictures as SVG, PNG and PDF"},
    {"ncursesw", "libncurses-dev", "no explorer"},
    {"libiberty", "libiberty-dev", "C++ kernels have mangled names"},
    {"liblz4", "liblz4-dev", "machine code compressed with LZ4 is not read"},
    {"libzstd", "libzstd-dev", "machine code compressed with Zstandard is not read"},
    {"zlib", "zlib1g-dev", "files compressed by gzip are not read"},
    {"sqlite3", "libsqlite3-dev", "exports of Nsight Systems are not read"},
    {"toml++", "libtomlplusplus-dev", "no gate files"},
};

static bool is_built_in(const char *name, const struct smc_doctor_request *request)
{
    static const char libraries[] = SMC_LIBRARIES;
    const size_t length = strlen(name);
    if (strcmp(name, "cairo") == 0)
        return request->has_cairo != NULL;
    for (const char *at = libraries; (at = strstr(at, name)); at += length)
        if ((at == libraries || at[-1] == ' ') && strchr(" ,", at[length]))
            return true;
    return false;
}

void smc_doctor_libraries(const struct smc_doctor_request *request, struct smc_doctor *doctor)
{
    smc_auto_text list = {0};
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++)
        if (is_built_in(optional[i].name, request))
            smc_text_printf(&list, "%s%s", list.length ? ", " : "", optional[i].name);
    smc_doctor_add(doctor, SMC_DOCTOR_OK, "libraries", "built in: %s",
                   list.length ? smc_text_string(&list) : "no optional ones");
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++) {
        if (is_built_in(optional[i].name, request))
            continue;
        struct smc_doctor_row *row =
            smc_doctor_add(doctor, SMC_DOCTOR_NOTE, optional[i].name,
                           "not built in: %s; install it, then build anew", optional[i].purpose);
        smc_doctor_mend_package(row, optional[i].package);
    }
}
