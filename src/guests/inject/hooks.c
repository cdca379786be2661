/* The driver's launch calls, hooked. Programs find them in three ways, and all lead here: by their
   names when they are linked with the driver, with dlsym, and with cuGetProcAddress, as the runtime
   does. Arguments are passed on as they are: those of a newer version of a function that has more
   of them are in registers, too. */
#include "config.h"

#include "guests/inject/hooks.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "guests/inject/abi.h"
#include "guests/inject/inject.h"
#include "guests/inject/seen.h"

#define VISIBLE __attribute__((visibility("default")))

/* --- The hooks -------------------------------------------------------------------------------- */

typedef int launch_function(void *function, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z,
                            uint32_t block_x, uint32_t block_y, uint32_t block_z,
                            uint32_t smem_bytes, void *stream, void **params, void **extra);
typedef int cooperative_function(void *function, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z,
                                 uint32_t block_x, uint32_t block_y, uint32_t block_z,
                                 uint32_t smem_bytes, void *stream, void **params);
/* As many parameters as the watched function with the most of them. */
typedef int other_function(void *a, void *b, void *c, void *d, void *e, void *f);

#define LAUNCH_PARAMETERS                                                                          \
    void *function, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z, uint32_t block_x,           \
        uint32_t block_y, uint32_t block_z, uint32_t smem_bytes, void *stream, void **params
#define LAUNCH_ARGUMENTS                                                                           \
    function, grid_x, grid_y, grid_z, block_x, block_y, block_z, smem_bytes, stream, params

enum { DRIVER_NOT_FOUND = 500, PROC_ADDRESS_PER_THREAD = 2 };

/* A function of the driver that a hook stands for. */
struct hooked {
    void *real;      /* its address, stored once; NULL: not known yet */
    uint8_t kind;    /* enum seen_kind */
    bool per_thread; /* the stream that NULL stands for */
};

static void after_proc_address(const char *name, void **address, int version, uint64_t flags);

static bool counts(void)
{
    if (!inject_settings()->hooks)
        return false;
    inject_start();
    return inject_counts_hooks();
}

static void *real_address(const struct hooked *hooked)
{
    return __atomic_load_n(&hooked->real, __ATOMIC_ACQUIRE);
}

#define AFTER_LAUNCH                                                                               \
    seen_launch(                                                                                   \
        &(struct driver_launch_params){                                                            \
            function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, smem_bytes, stream},  \
        &(struct seen_caller){.per_thread_stream = hooked->per_thread})

static int hook_launch(const struct hooked *hooked, LAUNCH_PARAMETERS, void **extra)
{
    launch_function *call;
    void *real = real_address(hooked);
    memcpy(&call, &real, sizeof call);
    const int result = call ? call(LAUNCH_ARGUMENTS, extra) : DRIVER_NOT_FOUND;
    if (result == DRIVER_SUCCESS && counts())
        AFTER_LAUNCH;
    return result;
}

static int hook_cooperative(const struct hooked *hooked, LAUNCH_PARAMETERS)
{
    cooperative_function *call;
    void *real = real_address(hooked);
    memcpy(&call, &real, sizeof call);
    const int result = call ? call(LAUNCH_ARGUMENTS) : DRIVER_NOT_FOUND;
    if (result == DRIVER_SUCCESS && counts())
        AFTER_LAUNCH;
    return result;
}

static int hook_other(const struct hooked *hooked, void *a, void *b, void *c, void *d, void *e,
                      void *f)
{
    other_function *call;
    void *real = real_address(hooked);
    void *const words[] = {a, b, c};
    const enum seen_kind kind = hooked->kind;
    const struct seen_caller caller = {.per_thread_stream = hooked->per_thread};
    memcpy(&call, &real, sizeof call);
    if (!call)
        return DRIVER_NOT_FOUND;
    if (kind == SEEN_PROC_ADDRESS) {
        const int result = call(a, b, c, d, e, f);
        if (result == DRIVER_SUCCESS && inject_settings()->hooks)
            after_proc_address(a, b, (int)(uintptr_t)c, (uint64_t)(uintptr_t)d);
        return result;
    }
    if (counts())
        seen_before(kind, words);
    const int result = call(a, b, c, d, e, f);
    if (result == DRIVER_SUCCESS && counts())
        seen_after(kind, words, &caller);
    return result;
}

/* --- The exported names ----------------------------------------------------------------------- */

enum name_index {
#define LAUNCH_CALL(name, number, stream)      NAME_##name,
#define COOPERATIVE_CALL(name, number, stream) NAME_##name,
#define OTHER_CALL(name, number, kind, stream) NAME_##name,
#include "guests/inject/driver_calls.def"
    NAMES
};

static const char *const name_of[NAMES] = {
#define LAUNCH_CALL(name, number, stream)      [NAME_##name] = #name,
#define COOPERATIVE_CALL(name, number, stream) [NAME_##name] = #name,
#define OTHER_CALL(name, number, kind, stream) [NAME_##name] = #name,
#include "guests/inject/driver_calls.def"
};

static struct hooked of_name[NAMES] = {
#define LAUNCH_CALL(name, number, stream)      [NAME_##name] = {NULL, SEEN_LAUNCH, stream},
#define COOPERATIVE_CALL(name, number, stream) [NAME_##name] = {NULL, SEEN_LAUNCH, stream},
#define OTHER_CALL(name, number, kind, stream) [NAME_##name] = {NULL, SEEN_##kind, stream},
#include "guests/inject/driver_calls.def"
};

/* The first address stays: another library of the driver's names, such as the stubs of the toolkit,
   is not what the program calls. */
static void set_real(struct hooked *hooked, void *real)
{
    void *none = NULL;
    __atomic_compare_exchange_n(&hooked->real, &none, real, false, __ATOMIC_ACQ_REL,
                                __ATOMIC_RELAXED);
}

/* A program that is linked with the driver calls without having asked for an address. */
static const struct hooked *found(enum name_index index)
{
    if (!real_address(&of_name[index])) {
        void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
        void *address = library ? seen_symbol(library, name_of[index]) : NULL;
        if (address)
            set_real(&of_name[index], address);
    }
    return &of_name[index];
}

#define LAUNCH_CALL(name, number, stream)                                                          \
    VISIBLE launch_function name;                                                                  \
    int name(LAUNCH_PARAMETERS, void **extra)                                                      \
    {                                                                                              \
        return hook_launch(found(NAME_##name), LAUNCH_ARGUMENTS, extra);                           \
    }
#define COOPERATIVE_CALL(name, number, stream)                                                     \
    VISIBLE cooperative_function name;                                                             \
    int name(LAUNCH_PARAMETERS)                                                                    \
    {                                                                                              \
        return hook_cooperative(found(NAME_##name), LAUNCH_ARGUMENTS);                             \
    }
#define OTHER_CALL(name, number, kind, stream)                                                     \
    VISIBLE other_function name;                                                                   \
    int name(void *a, void *b, void *c, void *d, void *e, void *f)                                 \
    {                                                                                              \
        return hook_other(found(NAME_##name), a, b, c, d, e, f);                                   \
    }
#include "guests/inject/driver_calls.def"

typedef void any_function(void);

enum signature { SIGNATURE_LAUNCH, SIGNATURE_COOPERATIVE, SIGNATURE_OTHER, SIGNATURES };

static const struct {
    any_function *hook;
    enum signature signature;
} hook_of_name[NAMES] = {
#define LAUNCH_CALL(name, number, stream) [NAME_##name] = {(any_function *)name, SIGNATURE_LAUNCH},
#define COOPERATIVE_CALL(name, number, stream)                                                     \
    [NAME_##name] = {(any_function *)name, SIGNATURE_COOPERATIVE},
#define OTHER_CALL(name, number, kind, stream)                                                     \
    [NAME_##name] = {(any_function *)name, SIGNATURE_OTHER},
#include "guests/inject/driver_calls.def"
};

static void *function_address(any_function *function)
{
    void *address;
    memcpy(&address, &function, sizeof address);
    return address;
}

/* --- cuGetProcAddress ------------------------------------------------------------------------- */

/* Hooks for versions of the functions that have no exported name of their own. */
#define SPARE_NUMBERS(S) S(0) S(1) S(2) S(3) S(4) S(5) S(6) S(7)
enum { SPARES = 8 };

static struct hooked spare[SIGNATURES][SPARES];

#define SPARE(n)                                                                                   \
    static int spare_launch_##n(LAUNCH_PARAMETERS, void **extra)                                   \
    {                                                                                              \
        return hook_launch(&spare[SIGNATURE_LAUNCH][n], LAUNCH_ARGUMENTS, extra);                  \
    }                                                                                              \
    static int spare_cooperative_##n(LAUNCH_PARAMETERS)                                            \
    {                                                                                              \
        return hook_cooperative(&spare[SIGNATURE_COOPERATIVE][n], LAUNCH_ARGUMENTS);               \
    }                                                                                              \
    static int spare_other_##n(void *a, void *b, void *c, void *d, void *e, void *f)               \
    {                                                                                              \
        return hook_other(&spare[SIGNATURE_OTHER][n], a, b, c, d, e, f);                           \
    }
SPARE_NUMBERS(SPARE)
#undef SPARE

#define SPARE(n)                                                                                   \
    {(any_function *)spare_launch_##n, (any_function *)spare_cooperative_##n,                      \
     (any_function *)spare_other_##n},
static any_function *const spare_hook[SPARES][SIGNATURES] = {SPARE_NUMBERS(SPARE)};
#undef SPARE

/* Two threads may ask at the same time. A hook is taken by one of them, which stores what it is for
   and then the address; the other then takes a second hook for the same function, which does no
   harm. There is no lock that a fork could leave locked in the child. */
static bool taken[SIGNATURES][SPARES];

/* A spare hook for the function at `real`; `real` itself if none is left. */
static void *use_spare(enum signature signature, enum seen_kind kind, bool per_thread, void *real)
{
    for (int i = 0; i < SPARES; i++) {
        struct hooked *hooked = &spare[signature][i];
        if (real_address(hooked) == real && hooked->kind == (uint8_t)kind)
            return function_address(spare_hook[i][signature]);
        if (__atomic_exchange_n(&taken[signature][i], true, __ATOMIC_ACQ_REL))
            continue;
        hooked->kind = (uint8_t)kind;
        hooked->per_thread = per_thread;
        __atomic_store_n(&hooked->real, real, __ATOMIC_RELEASE);
        return function_address(spare_hook[i][signature]);
    }
    return real;
}

/* "cuLaunchKernel" stands for itself and for its versions with a suffix. */
static bool is_version_of(const char *name, const char *base)
{
    const size_t length = strlen(base);
    return strncmp(name, base, length) == 0 && (name[length] == '\0' || name[length] == '_');
}

/* A library in between may have found the hook with dlsym. */
static bool is_hook(const void *address)
{
    for (int i = 0; i < NAMES; i++)
        if (function_address(hook_of_name[i].hook) == address)
            return true;
    return false;
}

/* The driver answered with an address for `name`: the program receives that of a hook instead. It
   is the hook of the exported function that has this address, or a spare one of the same kind. */
static void after_proc_address(const char *name, void **address, int version, uint64_t flags)
{
    int like = -1;
    if (!name || !address || !*address || is_hook(*address))
        return;
    for (int i = 0; i < NAMES; i++) {
        if (!is_version_of(name_of[i], name))
            continue;
        if (real_address(found((enum name_index)i)) == *address) {
            *address = function_address(hook_of_name[i].hook);
            return;
        }
        if (like < 0)
            like = i;
    }
    if (like < 0)
        return;
    enum seen_kind kind = of_name[like].kind;
    if (kind == SEEN_EXEC_SET_KERNEL && version >= VERSION_KERNEL_NODE_2)
        kind = SEEN_EXEC_SET_KERNEL_2;
    *address =
        use_spare(hook_of_name[like].signature, kind, flags & PROC_ADDRESS_PER_THREAD, *address);
}

/* --- dlsym ------------------------------------------------------------------------------------ */

typedef void *dlsym_function(void *library, const char *name);

/* The C library's own dlsym. The assembly below reads it, too. */
extern dlsym_function *smemcalc_trace_dlsym;
dlsym_function *smemcalc_trace_dlsym;
dlsym_function smemcalc_trace_hook;

/* Every thread that comes here first finds the same address. */
static dlsym_function *find_dlsym(void)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
    dlsym_function *now = __atomic_load_n(&smemcalc_trace_dlsym, __ATOMIC_ACQUIRE);
    for (size_t i = 0; i < sizeof versions / sizeof *versions && !now; i++) {
        void *address = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
        memcpy(&now, &address, sizeof now);
        __atomic_store_n(&smemcalc_trace_dlsym, now, __ATOMIC_RELEASE);
    }
    return now;
}

void *seen_symbol(void *library, const char *name)
{
    dlsym_function *real = find_dlsym();
    return real ? real(library, name) : NULL;
}

/* The hook instead of the driver's function of that name, or NULL: dlsym answers as always. */
__attribute__((visibility("hidden"), used)) void *smemcalc_trace_hook(void *library,
                                                                      const char *name)
{
    dlsym_function *real_dlsym = find_dlsym();
    if (!inject_settings()->hooks || !name || name[0] != 'c' || name[1] != 'u')
        return NULL;
    for (int i = 0; i < NAMES; i++)
        if (strcmp(name_of[i], name) == 0) {
            void *real = real_dlsym(library, name);
            void *hook = function_address(hook_of_name[i].hook);
            if (real && real != hook)
                set_real(&of_name[i], real);
            return real ? hook : NULL;
        }
    return NULL;
}

/* dlsym(RTLD_NEXT) depends on who calls it, so that a call that is not for the driver must reach
   the real function with the caller's return address. */
#if defined(__SANITIZE_THREAD__)
/* Its runtime calls dlsym before it has started: tests/trace/races.sh links with the hooks. */
#elif defined(__x86_64__)
__asm__(".text\n"
        ".globl dlsym\n"
        ".type dlsym, @function\n"
        "dlsym:\n"
        "endbr64\n"
        "pushq %rdi\n"
        "pushq %rsi\n"
        "subq $8, %rsp\n"
        "call smemcalc_trace_hook\n"
        "addq $8, %rsp\n"
        "popq %rsi\n"
        "popq %rdi\n"
        "testq %rax, %rax\n"
        "jne 1f\n"
        "jmp *smemcalc_trace_dlsym(%rip)\n"
        "1: ret\n"
        ".size dlsym, . - dlsym\n");
#elif defined(__aarch64__)
__asm__(".text\n"
        ".globl dlsym\n"
        ".type dlsym, %function\n"
        "dlsym:\n"
        "stp x29, x30, [sp, #-32]!\n"
        "stp x0, x1, [sp, #16]\n"
        "bl smemcalc_trace_hook\n"
        "mov x9, x0\n"
        "ldp x0, x1, [sp, #16]\n"
        "ldp x29, x30, [sp], #32\n"
        "cbz x9, 1f\n"
        "mov x0, x9\n"
        "ret\n"
        "1: adrp x9, smemcalc_trace_dlsym\n"
        "ldr x9, [x9, #:lo12:smemcalc_trace_dlsym]\n"
        "br x9\n"
        ".size dlsym, . - dlsym\n");
#endif

void hooks_start(void)
{
    find_dlsym();
}
