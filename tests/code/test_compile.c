/* compile: ptxas logs are read, the cache never returns a wrong value, the table's rows are found.
   Tests that need an NVRTC are in nvrtc.c. */
#include "config.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "code/compile.h"
#include "code/compile/resource_table.h"
#include "code/nvrtc.h"
#include "code/ptx_facts.h"
#include "code/ptxas_log.h"
#include "code/readers/compilation.h"
#include "code/readers/nvcc_commands.h"
#include "temporary.h"
#include "unit.h"

/* --- What ptxas says -------------------------------------------------------------------------- */

struct log_case {
    const char *log;
    enum smc_ptxas_reading reading;
    uint32_t registers, smem, stack, spill_stores, spill_loads, barriers;
    bool has_barriers;
};

static const struct log_case log_cases[] = {
    /* CUDA 13 */
    {"ptxas info    : 0 bytes gmem\n"
     "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
     "ptxas info    : Function properties for k\n"
     "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
     "ptxas info    : Used 31 registers, used 1 barriers, 8192 bytes smem\n"
     "ptxas info    : Compile time = 24.726 ms\n",
     SMC_PTXAS_READ, 31, 8192, 0, 0, 0, 1, true},
    /* No shared memory, and the last line without its end */
    {"ptxas info    : Compiling entry function 'k' for 'sm_75'\n"
     "ptxas info    : Used 8 registers, used 0 barriers, 368 bytes cmem[0]",
     SMC_PTXAS_READ, 8, 0, 0, 0, 0, 0, true},
    /* Spills; the properties of a called function come after and are ignored */
    {"ptxas info    : Compiling entry function 'k' for 'sm_80'\n"
     "ptxas info    : Function properties for k\n"
     "ptxas         .     1384 bytes stack frame, 3100 bytes spill stores, 8196 bytes spill loads\n"
     "ptxas info    : Used 255 registers, used 16 barriers, 1384 bytes cumulative stack size, "
     "49152 bytes smem, 592 bytes cmem[0]\n"
     "ptxas info    : Function properties for helper\n"
     "ptxas         .     16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads\n",
     SMC_PTXAS_READ, 255, 49152, 1384, 3100, 8196, 16, true},
    /* CUDA 11: a warning first, no barriers */
    {"nvrtc: warning: Architectures prior to '<compute/sm>_75' are deprecated\n"
     "ptxas info    : Compiling entry function 'k' for 'sm_35'\n"
     "ptxas info    : Function properties for k\n"
     "    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads\n"
     "ptxas info    : Used 27 registers, 8192 bytes smem, 368 bytes cmem[0]\n",
     SMC_PTXAS_READ, 27, 8192, 8, 4, 12, 0, false},
    /* CUDA 4 for CC 1.x: the system's share of shared memory, no properties */
    {"ptxas info    : Compiling entry function 'k' for 'sm_10'\n"
     "ptxas info    : Used 14 registers, 60+56 bytes lmem, 2080+16 bytes smem, 8 bytes cmem[1]\n",
     SMC_PTXAS_READ, 14, 2096, 0, 0, 0, 0, false},
    /* Another kernel first, whose name begins with the same letters, and one after it */
    {"ptxas info    : Compiling entry function 'k2' for 'sm_90'\n"
     "ptxas info    : Function properties for k2\n"
     "ptxas         .     64 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
     "ptxas info    : Used 99 registers, used 2 barriers\n"
     "ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
     "ptxas info    : Function properties for k\n"
     "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
     "ptxas info    : Used 10 registers, used 1 barriers, 16 bytes smem\n"
     "ptxas info    : Compiling entry function '_k' for 'sm_90'\n"
     "ptxas info    : Used 77 registers, used 1 barriers, 99 bytes smem\n",
     SMC_PTXAS_READ, 10, 16, 0, 0, 0, 1, true},
    /* Nothing of this kernel */
    {"", SMC_PTXAS_NO_ENTRY, 0, 0, 0, 0, 0, 0, false},
    {"ptxas info    : Compiling entry function 'other' for 'sm_90'\n"
     "ptxas info    : Used 10 registers, used 1 barriers\n",
     SMC_PTXAS_NO_ENTRY, 0, 0, 0, 0, 0, 0, false},
    {"ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
     "ptxas info    : Used 99999999999 registers\n",
     SMC_PTXAS_NO_ENTRY, 0, 0, 0, 0, 0, 0, false},
    {"ptxas info    : Compiling entry function 'k' for 'sm_90'\nptxas info    : Used  registers\n",
     SMC_PTXAS_NO_ENTRY, 0, 0, 0, 0, 0, 0, false},
};

static void test_logs(void)
{
    for (size_t i = 0; i < sizeof log_cases / sizeof *log_cases; i++) {
        const struct log_case *c = &log_cases[i];
        struct smc_resources r = {0};
        bool has_barriers;
        CU_ASSERT_EQUAL(smc_ptxas_log_read(c->log, "k", &r, &has_barriers), c->reading);
        CU_ASSERT_EQUAL(r.regs_per_thread, c->registers);
        CU_ASSERT_EQUAL(r.static_smem_bytes, c->smem);
        CU_ASSERT_EQUAL(r.stack_bytes, c->stack);
        CU_ASSERT_EQUAL(r.spill_store_bytes, c->spill_stores);
        CU_ASSERT_EQUAL(r.spill_load_bytes, c->spill_loads);
        CU_ASSERT_EQUAL(r.barriers, c->barriers);
        CU_ASSERT_EQUAL(has_barriers, c->has_barriers);
        CU_ASSERT(!r.refused);
    }
}

static void check_refusal(const char *line, uint32_t bytes, uint32_t limit)
{
    struct smc_resources r = {0};
    bool has_barriers, refused = bytes != 0;
    enum smc_ptxas_reading reading = smc_ptxas_log_read(line, "k", &r, &has_barriers);
    CU_ASSERT_EQUAL(reading, refused ? SMC_PTXAS_REFUSED : SMC_PTXAS_NO_ENTRY);
    CU_ASSERT_EQUAL(r.refused, refused);
    CU_ASSERT_EQUAL(r.refused_smem_bytes, bytes);
    CU_ASSERT_EQUAL(r.refused_smem_limit_bytes, limit);
}

static void test_refusals(void)
{
    check_refusal("ptxas info    : Compiling entry function 'k' for 'sm_90'\n"
                  "ptxas info    : Used 10 registers, used 1 barriers, 52096 bytes smem\n\n"
                  "ptxas error   : Entry function 'k' uses too much shared data "
                  "(0xcb80 bytes, 0xc000 max)\n",
                  0xcb80, 0xc000);
    check_refusal("ptxas error   : Entry function 'k' uses too much shared data "
                  "(0x8010 bytes + 0x10 bytes system, 0x4000 max)",
                  0x8020, 0x4000);
    check_refusal("Entry function 'kk' uses too much shared data (0xcb80 bytes, 0xc000 max)", 0, 0);
    check_refusal("Entry function 'k' uses too much shared data (0xcb80 bytes", 0, 0);
    check_refusal("Entry function 'k' uses too much shared data (", 0, 0);
    check_refusal("Entry function 'k' uses too much shared data (0x1ffffffff bytes, 0xc000 max)", 0,
                  0);
}

static void test_error_lines(void)
{
    static const struct {
        const char *log, *text;
    } cases[] = {
        {"k.cu(3): error: identifier \"q\" is undefined\n    int x = q;\n\nk.cu(4): error: no\n",
         "/dir/k.cu:3: error: identifier \"q\" is undefined"},
        {"k.cu(2): warning #177-D: unused\nk.cu(7): error: expected a \";\"\n",
         "/dir/k.cu:7: error: expected a \";\""},
        {"k.cu(1): catastrophic error: cannot open source file \"x.h\"\n",
         "/dir/k.cu:1: catastrophic error: cannot open source file \"x.h\""},
        {"x.h(9): error: \x1b[31m bad\n", "x.h(9): error: ?[31m bad"},
        {"nvrtc: error: failed to open libnvrtc-builtins.so.13.0.\n",
         "nvrtc: error: failed to open libnvrtc-builtins.so.13.0."},
        {"ptxas fatal   : Value 'sm_10' is not defined\n",
         "ptxas fatal   : Value 'sm_10' is not defined"},
        {"k.cu(99999999999): error: far\n", "k.cu(99999999999): error: far"},
        {"ptxas k.cu, line 4; error   : Not a name: 'bad'\n",
         "/dir/k.cu:4: error: Not a name: 'bad'"},
        {"ptxas x.ptx, line 4; error   : bad\n", "ptxas x.ptx, line 4; error   : bad"},
        {"ptxas k.cu, line ; error   : bad\n", "ptxas k.cu, line ; error   : bad"},
        {"ptxas k.cu, line 4; error", "/dir/k.cu:4: error: "},
        {"In file included from my-error.h:1,\n                 from k.cu:1:\n"
         "types.h:1:10: fatal error: absent.h: No such file or directory\n",
         "types.h:1:10: fatal error: absent.h: No such file or directory"},
        {"fatal-error.cuh(2): warning #177-D: unused\nerror/k.cu(4): error #20: bad\n",
         "error/k.cu(4): error #20: bad"},
        {"In file included from error: no.h:1:\nk.cu:2:1: error: bad\n", "k.cu:2:1: error: bad"},
        {"k.cu(2): error: no instance matches\n            argument types are: (double *)\n  "
         "f(p);\n",
         "/dir/k.cu:2: error: no instance matches argument types are: (double *)"},
        {"k.cu(2): error: no\n                    const uint row,\n", "/dir/k.cu:2: error: no"},
        {"k.cu(2): error: no\n          detected during:\n", "/dir/k.cu:2: error: no"},
        {"nvcc error   : 'cicc' died due to signal 11\n",
         "nvcc error   : 'cicc' died due to signal 11"},
        {"ptxas k.cu, line 4; fatal   : Parsing error near 'f3'\n",
         "/dir/k.cu:4: error: Parsing error near 'f3'"},
        {"  k.cu(3): error: within a log of pip\n", "  k.cu(3): error: within a log of pip"},
        {"my_error.h is included twice\n", ""},
        {"all is well\n", ""},
        {"", ""},
    };
    char text[128];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        smc_log_first_error(cases[i].log, "k.cu", "/dir/k.cu", text, sizeof text);
        CU_ASSERT_STRING_EQUAL(text, cases[i].text);
    }
}

/* What the compiler's error is reported as: a hint is there where it can help, and only there. */
static void test_hints(void)
{
    static const struct {
        const char *log, *message;
    } cases[] = {
        {"k.cu:1:10: fatal error: x.h: No such file or directory\n    1 | #include \"x.h\"\n",
         "k.cu:1:10: fatal error: x.h: No such file or directory (looked for beside the file that "
         "includes it, in inc and in the compiler's own folders; --compiler-options \"-IFOLDER\" "
         "names its folder)"},
        {"k.cu:1:10: fatal error: x.h: No such file or directory\n    1 | #include <x.h>\n",
         "k.cu:1:10: fatal error: x.h: No such file or directory (looked for in inc and in the "
         "compiler's own folders; --compiler-options \"-IFOLDER\" names its folder)"},
        {"gcc: error: start.o: No such file or directory\n",
         "k.cu: gcc: error: start.o: No such file or directory"},
        {"k.cu:1:1: fatal error: too many errors\n", "k.cu:1:1: fatal error: too many errors"},
        {"ptxas fatal   : Unresolved extern function 'f'\n",
         "k.cu: ptxas fatal   : Unresolved extern function 'f' (--compiler-options \"-rdc=true\" "
         "compiles relocatable device code)"},
    };
    const struct smc_inspect_request request = {.compiler_options = "-Iinc"};
    const struct smc_compilation compilation = {.file = "k.cu", .request = &request};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_text log = {0};
        struct smc_error error = {""};
        smc_text_append(&log, cases[i].log);
        CU_ASSERT_EQUAL(smc_compilation_fail(&compilation, "k.cu", &log, &error), SMC_USAGE);
        CU_ASSERT_STRING_EQUAL(error.message, cases[i].message);
        smc_text_free(&log);
    }
}

/* --- What nvcc depends on --------------------------------------------------------------------- */

static void test_included(void)
{
    static const char preprocessed[] =
        "# 0 \"<command-line>\" 2\n# 1 \"/cuda/include/cuda_runtime.h\" 1\n"
        "# 1 \"/cuda/include/crt/host_config.h\" 1\n# 1 \"/usr/include/stdio.h\" 1 3\nint x;\n"
        "# 1 \"own.h\" 1\n# 9 \"own.h\" 2\n# 1 \"own.h\" 1\n# 1 \"/usr/include/math.h\" 1 3 4\n";
    struct smc_text files = {0};
    CU_ASSERT_TRUE(smc_nvcc_write_included(preprocessed, &files));
    CU_ASSERT_STRING_EQUAL(smc_text_string(&files),
                           "s/cuda/include/cuda_runtime.h\ns/cuda/include/crt/host_config.h\n"
                           "s/usr/include/stdio.h\nuown.h\ns/usr/include/math.h\n");
    CU_ASSERT_FALSE(smc_nvcc_write_included("# 1 \"a\\\"b.h\" 1\n", &files));
    CU_ASSERT_FALSE(smc_nvcc_write_included("# 1 \"k.cu\"\nint x;\n", &files));
    smc_text_free(&files);
}

/* An empty list of folders is that of the current folder alone; no list is none. */
static void test_variables(void)
{
    struct smc_text key = {0};
    setenv("CPATH", "", 1);
    unsetenv("C_INCLUDE_PATH");
    CU_ASSERT_TRUE(smc_nvcc_write_commands("#$ cicc -o /tmp/x/k.ptx\n", "/tmp/x", &key));
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&key), "#$ cicc -o /k.ptx\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&key), "\nCPATH=\n"));
    CU_ASSERT_PTR_NULL(strstr(smc_text_string(&key), "\nC_INCLUDE_PATH="));
    smc_text_free(&key);
    unsetenv("CPATH");
    CU_ASSERT_TRUE(smc_nvcc_write_commands("#$ cicc\n", "/tmp/x", &key));
    CU_ASSERT_PTR_NULL(strstr(smc_text_string(&key), "\nCPATH="));
    smc_text_free(&key);
    CU_ASSERT_FALSE(smc_nvcc_write_commands("nothing\n", "/tmp/x", &key));
    smc_text_free(&key);
}

/* --- The cache -------------------------------------------------------------------------------- */

static struct smc_text bytes_of(const void *bytes, size_t count)
{
    struct smc_text text = {0};
    smc_text_append_bytes(&text, bytes, count);
    return text;
}

/* Reads and compares: 1 the right value, 0 none, -1 a wrong one. */
static int look_up(struct smc_cache *cache, const struct smc_text *key, const struct smc_text *want)
{
    struct smc_text value = {0};
    int result = 0;
    if (smc_cache_read(cache, key, &value))
        result = value.length == want->length && memcmp(value.data, want->data, want->length) == 0
                     ? 1
                     : -1;
    smc_text_free(&value);
    return result;
}

static void test_cache_keeps(void)
{
    struct temporary t;
    struct smc_cache cache;
    struct smc_text warnings = {0};
    struct smc_text key = bytes_of("a\0b", 3), other = bytes_of("a\0c", 3);
    struct smc_text value = bytes_of("\0\1\2", 3);
    temporary_begin(&t);
    smc_cache_open(&cache, false, &warnings);
    CU_ASSERT_EQUAL(look_up(&cache, &key, &value), 0);
    smc_cache_write(&cache, &key, value.data, value.length);
    CU_ASSERT_EQUAL(look_up(&cache, &key, &value), 1);
    CU_ASSERT_EQUAL(look_up(&cache, &other, &value), 0);
    smc_cache_write(&cache, &key, "new", 3);
    CU_ASSERT_EQUAL(look_up(&cache, &key, &value), -1);
    struct stat status;
    CU_ASSERT(stat(t.folder, &status) == 0 && (status.st_mode & 0777) == 0700);
    CU_ASSERT_EQUAL(temporary_count(&t, ".smc"), 1);
    CU_ASSERT_EQUAL(temporary_count(&t, ""), 1);
    CU_ASSERT_STRING_EQUAL(smc_text_string(&warnings), "");

    smc_cache_open(&cache, true, &warnings); /* switched off */
    CU_ASSERT_EQUAL(look_up(&cache, &key, &value), 0);
    smc_cache_write(&cache, &other, value.data, value.length);
    CU_ASSERT_EQUAL(temporary_count(&t, ""), 1);
    smc_text_free(&key);
    smc_text_free(&other);
    smc_text_free(&value);
    temporary_end(&t);
}

/* After a change of any byte, and at every length but the right one, the value is absent, never
   wrong, and then rewritten. */
static void test_cache_damage(void)
{
    struct temporary t;
    struct smc_cache cache;
    struct smc_text key = bytes_of("the key", 7), value = bytes_of("32 registers", 12);
    char path[1300], whole[256], damaged[256];
    int wrong = 0, found = 0, cases = 0;
    temporary_begin(&t);
    smc_cache_open(&cache, false, NULL);
    smc_cache_write(&cache, &key, value.data, value.length);
    CU_ASSERT_FATAL(temporary_find(&t, ".smc", path, sizeof path));
    size_t length = temporary_read(path, whole, sizeof whole);
    CU_ASSERT_FATAL(length > 19 && length < sizeof whole);
    for (size_t i = 0; i < length; i++)
        for (int bit = 0; bit < 8; bit++, cases++) {
            memcpy(damaged, whole, length);
            damaged[i] = (char)(damaged[i] ^ 1 << bit);
            CU_ASSERT_FATAL(temporary_write(path, damaged, length));
            int result = look_up(&cache, &key, &value);
            wrong += result < 0;
            found += result > 0;
        }
    memcpy(damaged, whole, length);
    for (size_t i = 0; i < sizeof damaged; i++) {
        if (i == length)
            continue;
        if (i > length)
            damaged[i - 1] = 'x';
        CU_ASSERT_FATAL(temporary_write(path, damaged, i));
        int result = look_up(&cache, &key, &value);
        wrong += result < 0;
        found += result > 0;
        cases++;
    }
    CU_ASSERT(cases > 500);
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(found, 0);
    smc_cache_write(&cache, &key, value.data, value.length);
    CU_ASSERT_EQUAL(look_up(&cache, &key, &value), 1);
    CU_ASSERT_EQUAL(temporary_count(&t, ""), 1);
    smc_text_free(&key);
    smc_text_free(&value);
    temporary_end(&t);
}

/* A file's path may hold something other than a file. */
static void test_cache_strange_files(void)
{
    struct temporary t;
    struct smc_cache cache;
    struct smc_text warnings = {0};
    struct smc_text key = bytes_of("k", 1), value = bytes_of("v", 1);
    char path[1300];
    temporary_begin(&t);
    smc_cache_open(&cache, false, &warnings);
    smc_cache_write(&cache, &key, value.data, value.length);
    CU_ASSERT_FATAL(temporary_find(&t, ".smc", path, sizeof path));

    CU_ASSERT(unlink(path) == 0 && mkfifo(path, 0600) == 0); /* reading it would hang */
    CU_ASSERT_EQUAL(look_up(&cache, &key, &value), 0);
    CU_ASSERT(unlink(path) == 0 && symlink("/dev/zero", path) == 0); /* never ends */
    CU_ASSERT_EQUAL(look_up(&cache, &key, &value), 0);
    smc_cache_write(&cache, &key, value.data, value.length); /* the link was replaced by a file */
    CU_ASSERT_EQUAL(look_up(&cache, &key, &value), 1);
    CU_ASSERT(truncate(path, INT64_C(1) << 40) == 0); /* a hole of 1 TiB */
    CU_ASSERT_EQUAL(look_up(&cache, &key, &value), 0);
    CU_ASSERT_STRING_EQUAL(smc_text_string(&warnings), "");

    CU_ASSERT(unlink(path) == 0 && mkdir(path, 0700) == 0); /* cannot be replaced */
    CU_ASSERT_EQUAL(look_up(&cache, &key, &value), 0);
    smc_cache_write(&cache, &key, value.data, value.length);
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&warnings), "continuing without it\n"));
    CU_ASSERT_EQUAL(temporary_count(&t, ""), 1);
    CU_ASSERT(rmdir(path) == 0);
    smc_text_free(&warnings);
    smc_text_free(&key);
    smc_text_free(&value);
    temporary_end(&t);
}

static void check_warns(const char *variable, const char *folder, const char *expected)
{
    struct smc_cache cache;
    struct smc_text warnings = {0};
    struct smc_text key = bytes_of("k", 1), value = bytes_of("v", 1);
    if (variable)
        setenv(variable, folder, 1);
    for (int i = 0; i < 2; i++) { /* the second time adds no second line */
        smc_cache_open(&cache, false, &warnings);
        CU_ASSERT_EQUAL(look_up(&cache, &key, &value), 0);
        smc_cache_write(&cache, &key, value.data, value.length);
        CU_ASSERT(!cache.usable);
    }
    CU_ASSERT_STRING_EQUAL(smc_text_string(&warnings), expected);
    smc_text_free(&warnings);
    smc_text_free(&key);
    smc_text_free(&value);
}

static void test_cache_bad_folders(void)
{
    struct temporary t;
    char home[128];
    snprintf(home, sizeof home, "%s", getenv("HOME") ? getenv("HOME") : "");
    temporary_begin(&t);
    check_warns("SMEMCALC_CACHE_DIR", "/dev/null",
                "cache /dev/null: Not a directory; continuing without it\n");
    check_warns("SMEMCALC_CACHE_DIR", "/dev/null/\x1b[31m",
                "cache /dev/null/?[31m: Not a directory; continuing without it\n");
    check_warns("SMEMCALC_CACHE_DIR", "/proc/none/here",
                "cache /proc/none/here: No such file or directory; continuing without it\n");
    unsetenv("SMEMCALC_CACHE_DIR");
    unsetenv("HOME");
    check_warns("XDG_CACHE_HOME", "relative",
                "cache: SMEMCALC_CACHE_DIR, XDG_CACHE_HOME and HOME give no folder; continuing "
                "without it\n");
    check_warns("XDG_CACHE_HOME", "/dev/null",
                "cache /dev/null/smemcalc: Not a directory; continuing without it\n");
    unsetenv("XDG_CACHE_HOME");
    check_warns("HOME", "/dev/null",
                "cache /dev/null/.cache/smemcalc: Not a directory; continuing without it\n");
    if (home[0])
        setenv("HOME", home, 1);
    temporary_end(&t);
}

/* In a child process that may not write files above 16 bytes, as on a full disk, until it has the
   answer: a build that counts what runs writes its counters at the end. */
static int write_without_room(void)
{
    struct smc_cache cache;
    struct smc_text warnings = {0};
    struct smc_text key = bytes_of("k", 1), value = bytes_of("value", 5);
    struct rlimit usual;
    signal(SIGXFSZ, SIG_DFL); /* would end the process if it were delivered */
    if (getrlimit(RLIMIT_FSIZE, &usual) != 0 ||
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){16, usual.rlim_max}) != 0)
        return 9;
    smc_cache_open(&cache, false, &warnings);
    smc_cache_write(&cache, &key, value.data, value.length);
    bool warned = strstr(smc_text_string(&warnings), ": File too large; continuing without it\n");
    bool found = look_up(&cache, &key, &value) != 0;
    setrlimit(RLIMIT_FSIZE, &usual);
    smc_text_free(&warnings);
    smc_text_free(&key);
    smc_text_free(&value);
    return warned && !found ? 0 : 1;
}

static void test_cache_no_room(void)
{
    struct temporary t;
    int status = -1;
    temporary_begin(&t);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(write_without_room());
    CU_ASSERT_FATAL(child > 0 && waitpid(child, &status, 0) == child);
    CU_ASSERT(WIFEXITED(status));
    CU_ASSERT_EQUAL(WEXITSTATUS(status), 0);
    CU_ASSERT_EQUAL(temporary_count(&t, ""), 0); /* nothing left behind */
    temporary_end(&t);
}

/* One of several processes that write and read the same few keys as fast as they can. */
static int hammer(int seed)
{
    struct smc_cache cache;
    int bad = 0;
    for (int i = 0; i < 300; i++) {
        int k = (i * 7 + seed) % 5;
        char large[9000];
        memset(large, 'a' + k, sizeof large);
        struct smc_text key = bytes_of(&"01234"[k], 1);
        struct smc_text value = bytes_of(large, (size_t)(1000 + 1600 * k));
        smc_cache_open(&cache, false, NULL);
        bad += look_up(&cache, &key, &value) < 0;
        smc_cache_write(&cache, &key, value.data, value.length);
        bad += look_up(&cache, &key, &value) != 1;
        smc_text_free(&key);
        smc_text_free(&value);
    }
    return bad ? 1 : 0;
}

static void test_cache_concurrent(void)
{
    enum { PROCESSES = 8 };
    struct temporary t;
    pid_t child[PROCESSES];
    int failed = 0;
    temporary_begin(&t);
    fflush(NULL);
    for (int i = 0; i < PROCESSES; i++) {
        child[i] = fork();
        if (child[i] == 0)
            _exit(hammer(i));
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = -1;
        bool ended = child[i] > 0 && waitpid(child[i], &status, 0) == child[i];
        failed += !ended || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }
    CU_ASSERT_EQUAL(failed, 0);
    CU_ASSERT_EQUAL(temporary_count(&t, ".smc"), 5);
    CU_ASSERT_EQUAL(temporary_count(&t, ""), 5);
    temporary_end(&t);
}

/* The size is limited; the oldest files are removed first; files that do not belong to the cache
   stay. */
static void test_cache_growth(void)
{
    struct temporary t;
    struct smc_cache cache;
    char path[1300];
    temporary_begin(&t);
    CU_ASSERT_FATAL(mkdir(t.folder, 0700) == 0);
    for (int i = 0; i < 4100; i++) {
        snprintf(path, sizeof path, "%s/%016x.smc", t.folder, i);
        CU_ASSERT_FATAL(temporary_write(path, "x", 1));
        struct timespec times[2] = {{1000000 + i, 0}, {1000000 + i, 0}};
        utimensat(AT_FDCWD, path, times, 0);
    }
    snprintf(path, sizeof path, "%s/letter.txt", t.folder);
    CU_ASSERT(temporary_write(path, "mine", 4));
    snprintf(path, sizeof path, "%s/tmp-stale1", t.folder);
    CU_ASSERT(temporary_write(path, "half", 4));
    utimensat(AT_FDCWD, path, (struct timespec[2]){{1000000, 0}, {1000000, 0}}, 0);
    snprintf(path, sizeof path, "%s/tmp-fresh1", t.folder);
    CU_ASSERT(temporary_write(path, "half", 4));

    struct smc_text key = bytes_of("k", 1), value = bytes_of("v", 1);
    smc_cache_open(&cache, false, NULL);
    smc_cache_write(&cache, &key, value.data, value.length);
    CU_ASSERT_EQUAL(look_up(&cache, &key, &value), 1);
    CU_ASSERT_EQUAL(temporary_count(&t, ".smc"), 3072);
    CU_ASSERT_EQUAL(temporary_count(&t, ""), 3072 + 2);
    snprintf(path, sizeof path, "%s/%016x.smc", t.folder, 4099);
    CU_ASSERT(access(path, F_OK) == 0);
    snprintf(path, sizeof path, "%s/%016x.smc", t.folder, 0);
    CU_ASSERT(access(path, F_OK) != 0);
    smc_text_free(&key);
    smc_text_free(&value);
    temporary_end(&t);
}

/* --- The table -------------------------------------------------------------------------------- */

static void test_table_order(void)
{
    int disorder = 0, absurd = 0;
    CU_ASSERT(smc_table_count() > 0);
    for (size_t i = 0; i < smc_table_count(); i++) {
        const struct smc_table_row *row = smc_table_row_at(i);
        absurd += row->registers < 1 || row->registers > 255 || row->barriers > 16 ||
                  row->cc < 35 || !strchr(row->nvrtc, '.') || row->static_smem > 48 * 1024;
        if (i == 0)
            continue;
        const struct smc_table_row *last = smc_table_row_at(i - 1);
        int order = strcmp(last->kernel, row->kernel);
        if (!order)
            order = strcmp(last->defines, row->defines);
        disorder += order > 0 || (order == 0 && last->cc >= row->cc);
    }
    CU_ASSERT_EQUAL(disorder, 0);
    CU_ASSERT_EQUAL(absurd, 0);
}

/* Every row is found by its own key. */
static void test_table_finds(void)
{
    int missed = 0;
    const struct smc_table_row *row;
    for (size_t i = 0; i < smc_table_count(); i++) {
        const struct smc_table_row *want = smc_table_row_at(i);
        missed += smc_table_find(want->kernel, want->defines, want->cc, &row) != SMC_TABLE_EXACT ||
                  row != want;
    }
    CU_ASSERT_EQUAL(missed, 0);
    CU_ASSERT_EQUAL(smc_table_find("no such kernel", "", 90, &row), SMC_TABLE_NOTHING);
    CU_ASSERT_EQUAL(smc_table_find("", "", 90, &row), SMC_TABLE_NOTHING);
    CU_ASSERT_EQUAL(smc_table_find("zzz", "", 90, &row), SMC_TABLE_NOTHING);
}

/* smc_compile as on a machine without NVRTC. */
static enum smc_status without_nvrtc(const char *name, enum smc_param param, int64_t value,
                                     uint16_t cc, struct smc_resources *resources,
                                     struct smc_plan *plan)
{
    const struct smc_compile_options options = {.no_nvrtc = true};
    const struct smc_kernel *kernel = smc_kernel_find(name);
    struct smc_params params;
    CU_ASSERT_PTR_NOT_NULL_FATAL(kernel);
    smc_params_init(kernel, &params);
    params.value[param] = value;
    CU_ASSERT_EQUAL(kernel->complete(kernel, &params, NULL), SMC_OK);
    kernel->plan(kernel, &params, plan);
    return smc_compile(&(struct smc_compile_request){kernel, &params, cc, &options}, resources,
                       NULL, NULL, NULL);
}

static void test_table_answers(void)
{
    struct smc_resources r;
    struct smc_plan plan;
    CU_ASSERT_EQUAL(without_nvrtc("matmul-tiled", SMC_PARAM_TILE, 32, 90, &r, &plan), SMC_OK);
    CU_ASSERT(r.source == SMC_RESOURCES_TABLE && r.cc == 90 && r.nvrtc_major >= 13);
    CU_ASSERT(r.regs_per_thread >= 16 && r.regs_per_thread <= 64);
    CU_ASSERT(r.static_smem_bytes == 8192 && r.barriers == 1 && !r.from_cache);
    CU_ASSERT_STRING_EQUAL(r.reason, "NVRTC is not used");

    /* An architecture that compilers no longer support */
    CU_ASSERT_EQUAL(without_nvrtc("matmul-tiled", SMC_PARAM_TILE, 8, 10, &r, &plan), SMC_OK);
    CU_ASSERT(r.source == SMC_RESOURCES_ASSUMED && r.cc == 35 && r.static_smem_bytes == 512);
    CU_ASSERT_STRING_EQUAL(r.reason, "NVRTC is not used; as compiled for sm_35");

    /* Parameters without a row: the nearest row is used, but shared memory is known exactly */
    CU_ASSERT_EQUAL(without_nvrtc("stencil-static", SMC_PARAM_RADIUS, 7777, 75, &r, &plan), SMC_OK);
    CU_ASSERT(r.source == SMC_RESOURCES_ASSUMED && r.cc == 75 && r.regs_per_thread > 0);
    CU_ASSERT(r.static_smem_bytes == plan.static_smem_bytes && plan.static_smem_bytes > 4 * 7777);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.reason, "; as compiled for sm_75 with -DBLOCK=256 -DRADIUS="));
}

/* A kernel that is in no table, and machine code, are unavailable: the message says what to do. */
static void test_nothing_serves(void)
{
    const struct smc_compile_options options = {.no_nvrtc = true};
    const struct smc_kernel *tiled = smc_kernel_find("matmul-tiled");
    struct smc_kernel unknown = *tiled;
    struct smc_params params;
    struct smc_resources r;
    struct smc_binary binary;
    struct smc_error error = {""};
    smc_params_init(tiled, &params);
    unknown.name = "unknown";
    CU_ASSERT_EQUAL(smc_compile(&(struct smc_compile_request){&unknown, &params, 90, &options}, &r,
                                NULL, NULL, &error),
                    SMC_UNAVAILABLE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "--regs N"));
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "`pip install nvidia-cuda-nvrtc`"));
    CU_ASSERT_EQUAL(smc_compile(&(struct smc_compile_request){tiled, &params, 60, &options}, &r,
                                &binary, NULL, &error),
                    SMC_UNAVAILABLE);
    CU_ASSERT(binary.cubin == NULL && binary.cubin_bytes == 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "`pip install nvidia-cuda-nvrtc-cu12`"));
}

/* The table is used for an unchanged copy of the program's own text, but not for an edited one. */
static void test_table_and_edits(void)
{
    const struct smc_kernel *tiled = smc_kernel_find("matmul-tiled");
    struct temporary t;
    struct smc_params params;
    struct smc_resources r;
    struct smc_error error = {""};
    char path[600];
    size_t length = 0;
    const char *text = smc_kernel_text(tiled->file, &length);
    temporary_begin(&t);
    CU_ASSERT_FATAL(mkdir(t.folder, 0700) == 0);
    const struct smc_compile_options options = {.no_nvrtc = true, .kernel_dir = t.folder};
    smc_params_init(tiled, &params);
    CU_ASSERT_EQUAL(smc_compile(&(struct smc_compile_request){tiled, &params, 90, &options}, &r,
                                NULL, NULL, &error),
                    SMC_USAGE);
    snprintf(path, sizeof path, "%s/%s", t.folder, tiled->file);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, path));
    CU_ASSERT(temporary_write(path, text, length));
    CU_ASSERT_EQUAL(smc_compile(&(struct smc_compile_request){tiled, &params, 90, &options}, &r,
                                NULL, NULL, &error),
                    SMC_OK);
    CU_ASSERT_EQUAL(r.source, SMC_RESOURCES_TABLE);
    CU_ASSERT(temporary_write(path, text, length - 1));
    CU_ASSERT_EQUAL(smc_compile(&(struct smc_compile_request){tiled, &params, 90, &options}, &r,
                                NULL, NULL, &error),
                    SMC_UNAVAILABLE);
    temporary_end(&t);
}

/* --- What a question has compiled ------------------------------------------------------------- */

static void set_key(const char *text, struct smc_text *key)
{
    smc_text_free(key);
    smc_text_append(key, text);
}

/* Keeps an outcome with machine code of `bytes` bytes, each of which is `fill`. */
static void keep_code(struct smc_builds *builds, const struct smc_text *key, int fill, size_t bytes)
{
    struct smc_built built = {.resources.regs_per_thread = (uint32_t)fill};
    struct smc_binary *binary = &built.output.binary;
    binary->cubin = malloc(bytes);
    binary->cubin_bytes = bytes;
    CU_ASSERT_PTR_NOT_NULL_FATAL(binary->cubin);
    memset(binary->cubin, fill, bytes);
    smc_text_append(&built.output.ptx, ".version 8.0");
    smc_builds_keep(builds, key, &built);
    smc_built_free(&built);
}

static void test_builds_are_copied(void)
{
    struct smc_builds builds = SMC_BUILDS_INIT;
    struct smc_text key = {0}, other = {0};
    struct smc_built found = {.status = SMC_OK};
    set_key("tile 32", &key);
    set_key("tile 16", &other);
    CU_ASSERT_FALSE(smc_builds_find(&builds, &key, &found));
    keep_code(&builds, &key, 7, 100);
    for (int i = 0; i < 2; i++) { /* what the caller does with a copy changes nothing */
        CU_ASSERT_TRUE_FATAL(smc_builds_find(&builds, &key, &found));
        CU_ASSERT(found.status == SMC_OK && found.resources.regs_per_thread == 7);
        CU_ASSERT_EQUAL_FATAL(found.output.binary.cubin_bytes, 100);
        CU_ASSERT_EQUAL(((char *)found.output.binary.cubin)[99], 7);
        CU_ASSERT_STRING_EQUAL(smc_text_string(&found.output.ptx), ".version 8.0");
        memset(found.output.binary.cubin, 0, 100);
        smc_built_free(&found);
    }
    CU_ASSERT_FALSE(smc_builds_find(&builds, &other, &found));
    CU_ASSERT_FALSE(smc_builds_find(NULL, &key, &found));
    smc_builds_keep(NULL, &key, &found);
    smc_builds_free(&builds);
    CU_ASSERT_FALSE(smc_builds_find(&builds, &key, &found));
    smc_builds_free(&builds);
    smc_text_free(&key);
    smc_text_free(&other);
}

/* A source with errors has them again. More memory may be there the next time. */
static void test_builds_that_fail(void)
{
    struct smc_builds builds = SMC_BUILDS_INIT;
    struct smc_text key = {0};
    struct smc_built failed = {.status = SMC_USAGE, .error = {"x.cu:3: error"}}, found = failed;
    set_key("x.cu", &key);
    CU_ASSERT_FALSE(smc_builds_find(&builds, &key, &found));
    smc_text_append(&failed.output.log, "the whole log");
    smc_builds_keep(&builds, &key, &failed);
    smc_built_free(&failed);
    CU_ASSERT_TRUE(smc_builds_find(&builds, &key, &found));
    CU_ASSERT_EQUAL(found.status, SMC_USAGE);
    CU_ASSERT_STRING_EQUAL(found.error.message, "x.cu:3: error");
    CU_ASSERT_STRING_EQUAL(smc_text_string(&found.output.log), "the whole log");
    smc_built_free(&found);
    set_key("y.cu", &key);
    CU_ASSERT_FALSE(smc_builds_find(&builds, &key, &found));
    smc_builds_keep(&builds, &key, &(struct smc_built){.status = SMC_MACHINE});
    CU_ASSERT_FALSE(smc_builds_find(&builds, &key, &found));
    smc_builds_free(&builds);
    smc_text_free(&key);
}

/* 64 MiB hold seven of 8 MiB with their keys, not eight. */
static void test_builds_forget(void)
{
    enum { COUNT = 12, BYTES = 8 << 20, KEPT = 7 };
    struct smc_builds builds = SMC_BUILDS_INIT;
    struct smc_text key = {0};
    for (int i = 0; i < COUNT; i++) {
        char name[2] = {(char)('a' + i), '\0'};
        struct smc_built found;
        set_key(name, &key);
        CU_ASSERT_FALSE(smc_builds_find(&builds, &key, &found));
        keep_code(&builds, &key, i, BYTES);
    }
    for (int i = COUNT - 1; i >= 0; i--) {
        char name[2] = {(char)('a' + i), '\0'};
        struct smc_built found = {.status = SMC_OK};
        set_key(name, &key);
        CU_ASSERT_EQUAL(smc_builds_find(&builds, &key, &found), i >= COUNT - KEPT);
        smc_built_free(&found);
    }
    smc_builds_free(&builds);
    smc_text_free(&key);
}

struct asking {
    struct smc_builds *builds;
    atomic_int *begun;
    bool found;
};

static void *ask_for_tile(void *argument)
{
    struct asking *asking = argument;
    struct smc_text key = {0};
    struct smc_built built = {.status = SMC_OK};
    set_key("tile 32", &key);
    atomic_fetch_add(asking->begun, 1);
    asking->found = smc_builds_find(asking->builds, &key, &built);
    smc_built_free(&built);
    smc_text_free(&key);
    return NULL;
}

/* While one builds, others that want the same wait for it. */
static void test_builds_of_threads(void)
{
    enum { THREADS = 4 };
    struct smc_builds builds = SMC_BUILDS_INIT;
    struct asking asking[THREADS];
    pthread_t thread[THREADS];
    atomic_int begun = 0;
    struct smc_text key = {0};
    struct smc_built built;
    set_key("tile 32", &key);
    CU_ASSERT_FALSE(smc_builds_find(&builds, &key, &built));
    for (int i = 0; i < THREADS; i++) {
        asking[i] = (struct asking){&builds, &begun, false};
        CU_ASSERT_EQUAL_FATAL(pthread_create(&thread[i], NULL, ask_for_tile, &asking[i]), 0);
    }
    while (atomic_load(&begun) < THREADS)
        sched_yield();
    keep_code(&builds, &key, 1, 10);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        CU_ASSERT_TRUE(asking[i].found);
    }
    smc_builds_free(&builds);
    smc_text_free(&key);
}

/* --- Words ------------------------------------------------------------------------------------ */

static void test_descriptions(void)
{
    static const struct {
        enum smc_resource_source source;
        const char *words, *name;
    } cases[] = {
        {SMC_RESOURCES_NVRTC, "NVRTC 13.0, sm_90", "nvrtc 13.0 sm_90"},
        {SMC_RESOURCES_TABLE, "table, NVRTC 13.0, sm_90", "table nvrtc 13.0 sm_90"},
        {SMC_RESOURCES_ASSUMED, "assumed: as sm_90 (NVRTC 13.0)", "assumed nvrtc 13.0 sm_90"},
        {SMC_RESOURCES_GIVEN, "given", "given"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_resources r = {.source = cases[i].source, .nvrtc_major = 13, .cc = 90};
        char words[128], name[64];
        smc_resources_describe(&r, words);
        smc_resources_source_name(&r, name);
        CU_ASSERT_STRING_EQUAL(words, cases[i].words);
        CU_ASSERT_STRING_EQUAL(name, cases[i].name);
    }
}

static bool has_built_in_ptx(const struct smc_kernel *kernel, const struct smc_params *params,
                             uint16_t cc)
{
    struct smc_text defines = {0};
    struct smc_source source;
    struct smc_error error;
    kernel->defines(kernel, params, &defines);
    bool found = smc_source_load(kernel, NULL, &source, &error) == SMC_OK &&
                 smc_built_in_ptx_find(kernel->name, &source, smc_text_string(&defines), cc);
    smc_text_free(&defines);
    smc_source_free(&source);
    return found;
}

/* PTX made from another text is not found; `make update-ptx` makes it again. */
static void test_built_in_ptx(void)
{
    for (size_t i = 0; i < smc_kernel_count(); i++) {
        const struct smc_kernel *kernel = smc_kernel_at(i);
        bool is_tiled = kernel->params & 1u << SMC_PARAM_TILE;
        for (int tile = 1; tile <= (is_tiled ? 32 : 1); tile++) {
            struct smc_params params;
            struct smc_error error;
            smc_params_init(kernel, &params);
            if (is_tiled)
                params.value[SMC_PARAM_TILE] = tile;
            CU_ASSERT_EQUAL(kernel->complete(kernel, &params, &error), SMC_OK);
            if (!has_built_in_ptx(kernel, &params, 90))
                printf("no PTX of %s as it is now, tile %d: make update-ptx\n", kernel->name, tile);
            CU_ASSERT(has_built_in_ptx(kernel, &params, 90));
            CU_ASSERT_FALSE(has_built_in_ptx(kernel, &params, 70));
            if (strcmp(kernel->name, "matmul-tiled") == 0)
                CU_ASSERT(has_built_in_ptx(kernel, &params, 75));
            if (strcmp(kernel->name, "matmul-async") == 0) /* cp.async requires CC 8.0 */
                CU_ASSERT_FALSE(has_built_in_ptx(kernel, &params, 75));
        }
    }
}

/* The parameters and variables that their PTX declares: the reports say so without reading it. */
static void test_catalog_memory(void)
{
    for (size_t i = 0; i < smc_kernel_count(); i++) {
        const struct smc_kernel *kernel = smc_kernel_at(i);
        struct smc_params params;
        struct smc_plan plan;
        struct smc_text defines = {0};
        struct smc_source source;
        struct smc_error error;
        struct smc_ptx_kernel entry;
        struct smc_ptx_memory memory = {.is_known = false};
        if (kernel->is_probe) /* launched with arguments of its own */
            continue;
        smc_params_init(kernel, &params);
        CU_ASSERT_EQUAL(kernel->complete(kernel, &params, &error), SMC_OK);
        kernel->plan(kernel, &params, &plan);
        kernel->defines(kernel, &params, &defines);
        CU_ASSERT_EQUAL_FATAL(smc_source_load(kernel, NULL, &source, &error), SMC_OK);
        const struct smc_built_in_ptx *found =
            smc_built_in_ptx_find(kernel->name, &source, smc_text_string(&defines), 90);
        CU_ASSERT_PTR_NOT_NULL_FATAL(found);
        const char *cursor = found->ptx;
        CU_ASSERT_FATAL(smc_ptx_next(&cursor, &entry));
        CU_ASSERT_EQUAL(smc_ptx_parameter_bytes(&entry), smc_plan_parameter_bytes(&plan));
        smc_ptx_module_memory(found->ptx, &memory);
        CU_ASSERT(memory.constant_bytes == 0 && memory.global_bytes == 0);
        smc_text_free(&defines);
        smc_source_free(&source);
    }
}

static void test_short_ptx(void)
{
    struct smc_text out = {0};
    smc_ptx_shorten(
        "//\n.version 9.0\n\n\t.loc 1 2 3\n\t.file 1 \"a\"\n  ret;\n}\n\t.section x\n{\n", &out);
    CU_ASSERT_STRING_EQUAL(smc_text_string(&out), ".version 9.0\nret;\n}\n");
    smc_text_free(&out);
}

CU_TestInfo tests_compile[] = {
    {"ptxas's report is read, in old and new forms", test_logs},
    {"ptxas's refusal is read", test_refusals},
    {"the first error of a log, with file and line", test_error_lines},
    {"hints where they can help", test_hints},
    {"the files that nvcc includes", test_included},
    {"the variables that nvcc's preprocessor reads", test_variables},
    {"the cache keeps what it is given", test_cache_keeps},
    {"a damaged file in the cache counts as absent", test_cache_damage},
    {"what is no file in the cache does no harm", test_cache_strange_files},
    {"a folder that cannot be used costs one line", test_cache_bad_folders},
    {"no room on the disk costs one line and leaves nothing", test_cache_no_room},
    {"eight processes share a cache", test_cache_concurrent},
    {"the cache does not grow without bound", test_cache_growth},
    {"the table is in order", test_table_order},
    {"every row of the table is found", test_table_finds},
    {"the table answers without NVRTC", test_table_answers},
    {"what to do where nothing serves", test_nothing_serves},
    {"the table knows nothing of edited kernels", test_table_and_edits},
    {"what was compiled is found again, as a copy", test_builds_are_copied},
    {"a build that failed fails again, except for lack of memory", test_builds_that_fail},
    {"what was compiled first is forgotten above 64 MiB", test_builds_forget},
    {"a thread waits for another that compiles the same", test_builds_of_threads},
    {"the source of numbers in words", test_descriptions},
    {"the built-in PTX is of the kernels as they are", test_built_in_ptx},
    {"parameters and variables of the catalog's kernels", test_catalog_memory},
    {"PTX without what nobody reads", test_short_ptx},
    CU_TEST_INFO_NULL,
};
