/* Names that the injected library shares with the process that starts the program. */
#ifndef SMC_TRACE_INJECT_NAMES_H
#define SMC_TRACE_INJECT_NAMES_H

/* The environment of the traced program. */
#define TRACE_ENV_FOLDER      "SMEMCALC_TRACE_FOLDER" /* where the records are; unset: not traced */
#define TRACE_ENV_MODE        "SMEMCALC_TRACE_MODE"   /* one of the modes below */
#define TRACE_ENV_UNTIL       "SMEMCALC_TRACE_UNTIL" /* ns of CLOCK_MONOTONIC: the end of recording */
#define TRACE_ENV_MODULES     "SMEMCALC_TRACE_MODULES" /* folder for machine code */
#define TRACE_ENV_RANGE       "SMEMCALC_TRACE_RANGE"   /* "SKIP:COUNT" */
#define TRACE_ENV_CUPTI       "SMEMCALC_CUPTI"         /* the path of libcupti, the user's choice */
#define TRACE_ENV_FOUND_CUPTI "SMEMCALC_TRACE_CUPTI"   /* one that was found, if no other is */
#define TRACE_ENV_DEVICE      "SMEMCALC_TRACE_DEVICE"  /* on the emulator: as --device names it */

#define TRACE_DEFAULT_DEVICE "H200" /* on the emulator */

#define TRACE_MODE_CUPTI    "cupti"    /* the library is loaded by the driver and uses CUPTI */
#define TRACE_MODE_HOOKS    "hooks"    /* it is preloaded and hooks the driver's calls */
#define TRACE_MODE_AUTO     "auto"     /* both: the hooks count if CUPTI does not work */
#define TRACE_MODE_EMULATOR "emulator" /* not this library, but CUDA's on the emulator */

/* The file of the folder with the number of launches so far, of all processes. */
#define TRACE_COUNTER "launches"

/* Where CUPTI is looked for, the newest first. */
enum { TRACE_CUPTI_NAMES = 12, TRACE_CUPTI_PATHS = TRACE_CUPTI_NAMES + 4 };

static const char *const trace_cupti_paths[TRACE_CUPTI_PATHS] = {
    "libcupti.so.13",
    "libcupti.so.12",
    "libcupti.so.11.8",
    "libcupti.so.11.7",
    "libcupti.so.11.6",
    "libcupti.so.11.5",
    "libcupti.so.11.4",
    "libcupti.so.11.3",
    "libcupti.so.11.2",
    "libcupti.so.11.1",
    "libcupti.so.11.0",
    "libcupti.so",
    /* Toolkits that the loader does not search. */
    "/usr/local/cuda/lib64/libcupti.so",
    "/usr/local/cuda/lib64/libcupti.so.13",
    "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
    "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.12",
};

#endif
