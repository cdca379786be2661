/* The file in which the injected library keeps what it sees. A process maps its file and updates it
   in place, so that whatever ends the process leaves what was seen. The process that started the
   program reads it (answers/trace/collect.c) and trusts nothing in it.

   A header is followed by entries, each of which begins with `struct record_entry`. An entry is
   written once; only the counts of a launch, the slices and the header change later. All numbers
   have the byte order of the machine; references between entries are offsets from the beginning of
   the file, 0: none. */
#ifndef SMC_ANSWERS_TRACE_RECORDS_H
#define SMC_ANSWERS_TRACE_RECORDS_H

#include <stdint.h>

#define RECORD_MAGIC   UINT64_C(0x454341525443534d)
#define RECORD_VERSION 2u
#define RECORD_UNKNOWN (-1)

enum {
    RECORD_SLICES = 256,         /* of a process's time */
    RECORD_MOST_NAME = 64 << 10, /* bytes of a string, its '\0' included */
    RECORD_MESSAGE = 160,
};

#define RECORD_MOST_BYTES (UINT64_C(256) << 20) /* of a file */

enum record_mode {
    RECORD_MODE_NONE,     /* neither works; `message` has the reason */
    RECORD_MODE_CUPTI,    /* times and configurations from CUPTI */
    RECORD_MODE_HOOKS,    /* the driver's launch calls */
    RECORD_MODE_EMULATOR, /* the emulator runs the launches */
};

enum record_end {
    RECORD_RUNS,   /* the process was killed, crashed, left with _exit or began another program */
    RECORD_EXITED, /* it ended regularly, and all that CUPTI had is here */
    RECORD_SIGNAL, /* a signal ended it, and all that CUPTI had is here */
};

struct record_header {
    uint64_t magic;
    uint32_t version;
    uint32_t header_bytes;
    uint64_t used; /* bytes of the file up to the end of the last entry */
    int64_t process, parent;
    int32_t mode, end;
    int32_t cupti_version; /* 0: none */
    int32_t driver_version;
    uint64_t dropped;                  /* activity records that CUPTI dropped */
    uint64_t lost_launches;            /* calls that found no space in the file */
    uint64_t lost_times;               /* executions that found no space in the file */
    uint64_t skipped;                  /* launches left out by --skip and --count */
    uint64_t unknown_launches;         /* launches whose kernel could not be found out */
    uint64_t failed_modules;           /* modules whose machine code could not be kept */
    uint64_t slice_begin_ns, slice_ns; /* the time of `struct record_slices` */
    uint32_t flags;
    uint32_t is_over; /* 1: the time of --duration is over, and what CUPTI had then is here */
    char message[RECORD_MESSAGE]; /* ends in '\0' */
};

enum record_flag {
    RECORD_FLAG_GRAPHS_INEXACT = 1, /* graphs that change themselves were launched without CUPTI */
    RECORD_FLAG_FORKED = 2,         /* began after fork, without exec */
};

enum record_kind {
    RECORD_TEXT = 1,
    RECORD_COMMAND, /* struct record_text */
    RECORD_DEVICE,
    RECORD_LAUNCH,
    RECORD_SLICE_TABLE,
    RECORD_MODULE,  /* struct record_text: the file with the machine code */
    RECORD_FINDING, /* struct record_text: "kind\tkernel\tdescription", of the emulator */
    RECORD_NOTE,    /* struct record_text: what the emulator refused */
};

struct record_entry {
    uint32_t bytes; /* with this header, a multiple of 8 */
    uint16_t kind;
    uint16_t ready; /* 1 after everything else is written */
};

struct record_text {
    struct record_entry entry;
    char text[]; /* ends in '\0' */
};

struct record_device {
    struct record_entry entry;
    int32_t ordinal; /* in the process */
    uint32_t cc;     /* 10 x major + minor */
    uint32_t sm_count, clock_khz;
    uint32_t regs_per_sm, max_threads_per_sm, smem_per_sm_bytes, reserved;
    uint64_t global_mem_bytes, l2_bytes;
    uint8_t uuid[16];
    char name[128]; /* ends in '\0' */
};

/* How the launches of a record came to be known. */
enum record_origin {
    RECORD_CALLED,   /* the program called the driver to launch them */
    RECORD_EXECUTED, /* CUPTI says that the GPU executed them */
};

/* What identifies a launch record. */
struct record_key {
    uint64_t name; /* offset of a RECORD_TEXT */
    int32_t origin;
    int32_t device; /* ordinal */
    uint32_t grid[3], block[3], cluster[3];
    int32_t regs_per_thread;
    int64_t static_smem_bytes, dynamic_smem_bytes;
    int32_t carveout_percent; /* -1: default or unknown */
    int32_t cache_config;     /* as the driver numbers it; -1: unknown */
};

struct record_launch {
    struct record_entry entry;
    struct record_key key;
    uint64_t launches, graph_launches;
    uint64_t timed_launches, total_ns, least_ns, greatest_ns;
    uint64_t smem_configured_bytes; /* the largest; 0: unknown */
    uint64_t slices;                /* offset of a RECORD_SLICE_TABLE */
    int32_t api_blocks_per_sm;      /* of the driver's occupancy call; -1: not asked or failed */
    int32_t api_clusters;           /* of cuOccupancyMaxActiveClusters; -1 */
    int32_t api_carveout_percent;   /* of the function; -1 */
    int32_t local_bytes;            /* per thread; -1 */
};

struct record_slices {
    struct record_entry entry;
    uint64_t ns[RECORD_SLICES]; /* that launches ran in each slice of header->slice_ns */
};

/* --- Names shared with the injected library --------------------------------------------------- */

/* Names that the injected library shares with the process that starts the program. */

/* The environment of the traced program. */
#define TRACE_ENV_FOLDER      "SMEMCALC_TRACE_FOLDER" /* where the records are; unset: not traced */
#define TRACE_ENV_MODE        "SMEMCALC_TRACE_MODE"   /* one of the modes below */
#define TRACE_ENV_UNTIL       "SMEMCALC_TRACE_UNTIL" /* ns of CLOCK_MONOTONIC: the end of recording */
#define TRACE_ENV_MODULES     "SMEMCALC_TRACE_MODULES" /* folder for machine code */
#define TRACE_ENV_RANGE       "SMEMCALC_TRACE_RANGE"   /* "SKIP:COUNT" */
#define TRACE_ENV_CUPTI       "SMEMCALC_CUPTI"         /* the path of libcupti, the user's choice */
#define TRACE_ENV_FOUND_CUPTI "SMEMCALC_TRACE_CUPTI"   /* one that was found, if no other is */
#define TRACE_ENV_DEVICE      "SMEMCALC_TRACE_DEVICE"  /* on the emulator: as --device names it */
#define TRACE_ENV_STRICT      "SMEMCALC_TRACE_STRICT"  /* there: a number, enum smc_strictness */

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
