/* The driver's launch calls, hooked. Programs find them in three ways, and all lead here: by their
   names when they are linked with the driver, with dlsym, and with cuGetProcAddress, as the runtime
   does. Arguments are passed on as they are: those of a newer version of a function that has more
   of them are in registers, too. */
#include "config.h"

#include "trace/inject/hooks.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "trace/inject/abi.h"
#include "trace/inject/inject.h"
#include "trace/inject/seen.h"

#define VISIBLE __attribute__((visibility("default")))

/* --- What follows a call that succeeded ------------------------------------------------------- */

enum hook_kind {
    HOOK_LAUNCH,
    HOOK_COOPERATIVE,
    HOOK_LAUNCH_EX,
    HOOK_MULTI_DEVICE,
    HOOK_INSTANTIATE,
    HOOK_GRAPH_LAUNCH,
    HOOK_EXEC_DESTROY,
    HOOK_EXEC_SET_KERNEL,
    HOOK_EXEC_SET_KERNEL_2,
    HOOK_EXEC_SET_NODE,
    HOOK_EXEC_UPDATE,
    HOOK_BEGIN_CAPTURE,
    HOOK_END_CAPTURE,
    HOOK_UNLOAD,
    HOOK_SET_ATTRIBUTE,
    HOOK_PROC_ADDRESS,
    HOOK_KINDS
};

static const struct seen_caller unknown_caller;

static void after_proc_address(const char *name, void **address, int version);

static void after(enum hook_kind kind, void *a, void *b, void *c)
{
    const struct driver_graph_node *node = c;
    switch (kind) {
    case HOOK_LAUNCH_EX:
        seen_launch_ex(a, b, &unknown_caller);
        break;
    case HOOK_MULTI_DEVICE:
        seen_launch_multi_device(a, (uint32_t)(uintptr_t)b, &unknown_caller);
        break;
    case HOOK_INSTANTIATE:
        seen_graph(*(void **)a, b);
        break;
    case HOOK_GRAPH_LAUNCH:
        seen_graph_launch(a, 0);
        break;
    case HOOK_EXEC_DESTROY:
        seen_graph_destroyed(a);
        break;
    case HOOK_EXEC_SET_KERNEL:
    case HOOK_EXEC_SET_KERNEL_2:
        seen_graph_node(a, b, kind == HOOK_EXEC_SET_KERNEL_2, c);
        break;
    case HOOK_EXEC_SET_NODE:
        if (node->type == NODE_KERNEL)
            seen_graph_node(a, b, true, &node->kernel);
        break;
    case HOOK_EXEC_UPDATE:
        seen_graph(a, b);
        break;
    case HOOK_BEGIN_CAPTURE:
    case HOOK_END_CAPTURE:
        seen_capture(kind == HOOK_BEGIN_CAPTURE);
        break;
    case HOOK_SET_ATTRIBUTE:
        if ((int)(uintptr_t)b != FUNCTION_MAX_DYNAMIC_SMEM)
            seen_changed();
        break;
    case HOOK_UNLOAD:
        seen_changed();
        break;
    default:
        break;
    }
}

/* --- The hooks -------------------------------------------------------------------------------- */

typedef int launch_function(void *function, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z,
                            uint32_t block_x, uint32_t block_y, uint32_t block_z,
                            uint32_t smem_bytes, void *stream, void **params, void **extra);
typedef int cooperative_function(void *function, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z,
                                 uint32_t block_x, uint32_t block_y, uint32_t block_z,
                                 uint32_t smem_bytes, void *stream, void **params);
/* As many as the function with the most parameters. */
typedef int other_function(void *a, void *b, void *c, void *d, void *e, void *f);

#define LAUNCH_PARAMETERS                                                                          \
    void *function, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z, uint32_t block_x,           \
        uint32_t block_y, uint32_t block_z, uint32_t smem_bytes, void *stream, void **params
#define LAUNCH_ARGUMENTS                                                                           \
    function, grid_x, grid_y, grid_z, block_x, block_y, block_z, smem_bytes, stream, params

enum { DRIVER_NOT_FOUND = 500 };

static bool counts(void)
{
    if (!inject_settings()->hooks)
        return false;
    inject_start();
    return inject_counts_hooks();
}

#define AFTER_LAUNCH                                                                               \
    seen_launch(                                                                                   \
        &(struct driver_launch_params){                                                            \
            function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, smem_bytes, stream},  \
        &unknown_caller)

/* `real` is the function that the hook stands for. */

static int hook_launch(void *const *real, LAUNCH_PARAMETERS, void **extra)
{
    launch_function *call;
    memcpy(&call, real, sizeof call);
    const int result = call ? call(LAUNCH_ARGUMENTS, extra) : DRIVER_NOT_FOUND;
    if (result == DRIVER_SUCCESS && counts())
        AFTER_LAUNCH;
    return result;
}

static int hook_cooperative(void *const *real, LAUNCH_PARAMETERS)
{
    cooperative_function *call;
    memcpy(&call, real, sizeof call);
    const int result = call ? call(LAUNCH_ARGUMENTS) : DRIVER_NOT_FOUND;
    if (result == DRIVER_SUCCESS && counts())
        AFTER_LAUNCH;
    return result;
}

static int hook_other(enum hook_kind kind, void *const *real, void *a, void *b, void *c, void *d,
                      void *e, void *f)
{
    other_function *call;
    memcpy(&call, real, sizeof call);
    const int result = call ? call(a, b, c, d, e, f) : DRIVER_NOT_FOUND;
    if (result == DRIVER_SUCCESS && kind == HOOK_PROC_ADDRESS && inject_settings()->hooks)
        after_proc_address(a, b, (int)(uintptr_t)c);
    else if (result == DRIVER_SUCCESS && counts())
        after(kind, a, b, c);
    return result;
}

/* The exported names. */
#define LAUNCH_HOOKS(H)      H(cuLaunchKernel) H(cuLaunchKernel_ptsz)
#define COOPERATIVE_HOOKS(H) H(cuLaunchCooperativeKernel) H(cuLaunchCooperativeKernel_ptsz)
#define OTHER_HOOKS(H)                                                                             \
    H(cuLaunchKernelEx, LAUNCH_EX)                                                                 \
    H(cuLaunchKernelEx_ptsz, LAUNCH_EX)                                                            \
    H(cuLaunchCooperativeKernelMultiDevice, MULTI_DEVICE)                                          \
    H(cuGraphInstantiate, INSTANTIATE)                                                             \
    H(cuGraphInstantiate_v2, INSTANTIATE)                                                          \
    H(cuGraphInstantiateWithFlags, INSTANTIATE)                                                    \
    H(cuGraphInstantiateWithParams, INSTANTIATE)                                                   \
    H(cuGraphInstantiateWithParams_ptsz, INSTANTIATE)                                              \
    H(cuGraphLaunch, GRAPH_LAUNCH)                                                                 \
    H(cuGraphLaunch_ptsz, GRAPH_LAUNCH)                                                            \
    H(cuGraphExecDestroy, EXEC_DESTROY)                                                            \
    H(cuGraphExecKernelNodeSetParams, EXEC_SET_KERNEL)                                             \
    H(cuGraphExecKernelNodeSetParams_v2, EXEC_SET_KERNEL_2)                                        \
    H(cuGraphExecNodeSetParams, EXEC_SET_NODE)                                                     \
    H(cuGraphExecUpdate, EXEC_UPDATE)                                                              \
    H(cuGraphExecUpdate_v2, EXEC_UPDATE)                                                           \
    H(cuStreamBeginCapture, BEGIN_CAPTURE)                                                         \
    H(cuStreamBeginCapture_ptsz, BEGIN_CAPTURE)                                                    \
    H(cuStreamBeginCapture_v2, BEGIN_CAPTURE)                                                      \
    H(cuStreamBeginCapture_v2_ptsz, BEGIN_CAPTURE)                                                 \
    H(cuStreamBeginCaptureToGraph, BEGIN_CAPTURE)                                                  \
    H(cuStreamBeginCaptureToGraph_ptsz, BEGIN_CAPTURE)                                             \
    H(cuStreamEndCapture, END_CAPTURE)                                                             \
    H(cuStreamEndCapture_ptsz, END_CAPTURE)                                                        \
    H(cuModuleUnload, UNLOAD)                                                                      \
    H(cuLibraryUnload, UNLOAD)                                                                     \
    H(cuFuncSetCacheConfig, UNLOAD)                                                                \
    H(cuKernelSetCacheConfig, UNLOAD)                                                              \
    H(cuKernelSetAttribute, UNLOAD)                                                                \
    H(cuFuncSetAttribute, SET_ATTRIBUTE)                                                           \
    H(cuGetProcAddress, PROC_ADDRESS)                                                              \
    H(cuGetProcAddress_v2, PROC_ADDRESS)

enum name_index {
#define LAUNCH_HOOK(name)      NAME_##name,
#define OTHER_HOOK(name, kind) NAME_##name,
    LAUNCH_HOOKS(LAUNCH_HOOK) COOPERATIVE_HOOKS(LAUNCH_HOOK) OTHER_HOOKS(OTHER_HOOK) NAMES
#undef LAUNCH_HOOK
#undef OTHER_HOOK
};

/* The driver's functions of these names. */
static void *real_of_name[NAMES];
static const char *const name_of[NAMES];

/* A program that is linked with the driver calls without having asked for an address. */
static void *const *found(enum name_index index)
{
    if (!__atomic_load_n(&real_of_name[index], __ATOMIC_ACQUIRE)) {
        void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
        void *address = library ? seen_symbol(library, name_of[index]) : NULL;
        __atomic_store_n(&real_of_name[index], address, __ATOMIC_RELEASE);
    }
    return &real_of_name[index];
}

#define LAUNCH_HOOK(name)                                                                          \
    VISIBLE launch_function name;                                                                  \
    int name(LAUNCH_PARAMETERS, void **extra)                                                      \
    {                                                                                              \
        return hook_launch(found(NAME_##name), LAUNCH_ARGUMENTS, extra);                           \
    }
LAUNCH_HOOKS(LAUNCH_HOOK)
#undef LAUNCH_HOOK

#define COOPERATIVE_HOOK(name)                                                                     \
    VISIBLE cooperative_function name;                                                             \
    int name(LAUNCH_PARAMETERS)                                                                    \
    {                                                                                              \
        return hook_cooperative(found(NAME_##name), LAUNCH_ARGUMENTS);                             \
    }
COOPERATIVE_HOOKS(COOPERATIVE_HOOK)
#undef COOPERATIVE_HOOK

#define OTHER_HOOK(name, kind)                                                                     \
    VISIBLE other_function name;                                                                   \
    int name(void *a, void *b, void *c, void *d, void *e, void *f)                                 \
    {                                                                                              \
        return hook_other(HOOK_##kind, found(NAME_##name), a, b, c, d, e, f);                      \
    }
OTHER_HOOKS(OTHER_HOOK)
#undef OTHER_HOOK

static const char *const name_of[NAMES] = {
#define LAUNCH_HOOK(name)      [NAME_##name] = #name,
#define OTHER_HOOK(name, kind) [NAME_##name] = #name,
    LAUNCH_HOOKS(LAUNCH_HOOK) COOPERATIVE_HOOKS(LAUNCH_HOOK) OTHER_HOOKS(OTHER_HOOK)
#undef LAUNCH_HOOK
#undef OTHER_HOOK
};

typedef void any_function(void);

static any_function *const hook_of_name[NAMES] = {
#define LAUNCH_HOOK(name)      [NAME_##name] = (any_function *)name,
#define OTHER_HOOK(name, kind) [NAME_##name] = (any_function *)name,
    LAUNCH_HOOKS(LAUNCH_HOOK) COOPERATIVE_HOOKS(LAUNCH_HOOK) OTHER_HOOKS(OTHER_HOOK)
#undef LAUNCH_HOOK
#undef OTHER_HOOK
};

static const enum hook_kind kind_of_name[NAMES] = {
#define LAUNCH_HOOK(name)      [NAME_##name] = HOOK_LAUNCH,
#define COOPERATIVE_HOOK(name) [NAME_##name] = HOOK_COOPERATIVE,
#define OTHER_HOOK(name, kind) [NAME_##name] = HOOK_##kind,
    LAUNCH_HOOKS(LAUNCH_HOOK) COOPERATIVE_HOOKS(COOPERATIVE_HOOK) OTHER_HOOKS(OTHER_HOOK)
#undef LAUNCH_HOOK
#undef COOPERATIVE_HOOK
#undef OTHER_HOOK
};

static void *address_of(any_function *function)
{
    void *address;
    memcpy(&address, &function, sizeof address);
    return address;
}

/* --- cuGetProcAddress ------------------------------------------------------------------------- */

/* Hooks for addresses that no exported name has. */
#define SPARE_NUMBERS(S) S(0) S(1) S(2) S(3) S(4) S(5) S(6) S(7)
enum { SPARES = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *spare_launch[SPARES], *spare_cooperative[SPARES], *spare_other[SPARES];
static enum hook_kind spare_kind[SPARES];

#define SPARE(n)                                                                                   \
    static int spare_launch_##n(LAUNCH_PARAMETERS, void **extra)                                   \
    {                                                                                              \
        return hook_launch(&spare_launch[n], LAUNCH_ARGUMENTS, extra);                             \
    }                                                                                              \
    static int spare_cooperative_##n(LAUNCH_PARAMETERS)                                            \
    {                                                                                              \
        return hook_cooperative(&spare_cooperative[n], LAUNCH_ARGUMENTS);                          \
    }                                                                                              \
    static int spare_other_##n(void *a, void *b, void *c, void *d, void *e, void *f)               \
    {                                                                                              \
        return hook_other(spare_kind[n], &spare_other[n], a, b, c, d, e, f);                       \
    }
SPARE_NUMBERS(SPARE)
#undef SPARE

#define SPARE(n)                                                                                   \
    {(any_function *)spare_launch_##n, (any_function *)spare_cooperative_##n,                      \
     (any_function *)spare_other_##n},
static any_function *const spare_hook[SPARES][3] = {SPARE_NUMBERS(SPARE)};
#undef SPARE

/* A spare hook of the kind for `real`; `real` itself if none is left. */
static void *use_spare(enum hook_kind kind, void *real)
{
    const int signature = kind == HOOK_LAUNCH ? 0 : kind == HOOK_COOPERATIVE ? 1 : 2;
    void **reals = signature == 0 ? spare_launch : signature == 1 ? spare_cooperative : spare_other;
    void *hook = real;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < SPARES && hook == real; i++)
        if (!reals[i] || (reals[i] == real && (signature < 2 || spare_kind[i] == kind))) {
            if (signature == 2)
                spare_kind[i] = kind;
            __atomic_store_n(&reals[i], real, __ATOMIC_RELEASE);
            hook = address_of(spare_hook[i][signature]);
        }
    pthread_mutex_unlock(&lock);
    return hook;
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
        if (address_of(hook_of_name[i]) == address)
            return true;
    return false;
}

static void after_proc_address(const char *name, void **address, int version)
{
    enum hook_kind kind = HOOK_KINDS;
    if (address && is_hook(*address))
        return;
    for (int i = 0; name && address && *address && i < NAMES; i++) {
        if (!is_version_of(name_of[i], name))
            continue;
        if (*found((enum name_index)i) == *address) {
            *address = address_of(hook_of_name[i]);
            return;
        }
        if (kind == HOOK_KINDS)
            kind = kind_of_name[i];
    }
    if (kind == HOOK_EXEC_SET_KERNEL && version >= VERSION_KERNEL_NODE_2)
        kind = HOOK_EXEC_SET_KERNEL_2;
    if (kind != HOOK_KINDS)
        *address = use_spare(kind, *address);
}

/* --- dlsym ------------------------------------------------------------------------------------ */

typedef void *dlsym_function(void *library, const char *name);

/* Used by the code below. */
extern dlsym_function *smemcalc_trace_dlsym;
dlsym_function *smemcalc_trace_dlsym;
dlsym_function smemcalc_trace_hook;

static void find_dlsym(void)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
    for (size_t i = 0; i < sizeof versions / sizeof *versions && !smemcalc_trace_dlsym; i++) {
        void *address = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
        memcpy(&smemcalc_trace_dlsym, &address, sizeof address);
    }
}

void *seen_symbol(void *library, const char *name)
{
    if (!smemcalc_trace_dlsym)
        find_dlsym();
    return smemcalc_trace_dlsym ? smemcalc_trace_dlsym(library, name) : NULL;
}

/* The hook instead of the driver's function of that name, or NULL: dlsym answers as always. */
__attribute__((visibility("hidden"), used)) void *smemcalc_trace_hook(void *library,
                                                                      const char *name)
{
    if (!smemcalc_trace_dlsym)
        find_dlsym();
    if (!inject_settings()->hooks || !name || name[0] != 'c' || name[1] != 'u')
        return NULL;
    for (int i = 0; i < NAMES; i++)
        if (strcmp(name_of[i], name) == 0) {
            void *real = smemcalc_trace_dlsym(library, name);
            void *hook = address_of(hook_of_name[i]), *none = NULL;
            if (!real)
                return NULL;
            if (real != hook)
                __atomic_compare_exchange_n(&real_of_name[i], &none, real, false, __ATOMIC_ACQ_REL,
                                            __ATOMIC_RELAXED);
            return hook;
        }
    return NULL;
}

/* dlsym(RTLD_NEXT) depends on who calls it, so that a call that is not for the driver must reach
   the real function with the caller's return address. */
#if defined(__x86_64__)
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
