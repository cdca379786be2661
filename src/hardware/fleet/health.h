/* The health of a GPU: whether every SM computes correctly and memory keeps what is written to it,
   at the speed of the board. The result for one GPU is plain data without pointers: a child process
   checks the GPU and leaves the result in memory that it shares with the process that reports. */
#ifndef SMC_HARDWARE_HEALTH_H
#define SMC_HARDWARE_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

#include "answers/query.h"
#include "base/platform.h"
#include "base/status.h"
#include "base/text.h"
#include "code/compile.h"
#include "rules/ceilings.h"

/* --- What was found --------------------------------------------------------------------------- */

enum smc_health_test {
#define TEST(id, ...) SMC_HEALTH_##id,
#include "hardware/fleet/health_tests.def"
    SMC_HEALTH_TESTS
};

enum smc_health_figure {
#define FIGURE(id, key, label, unit, per_unit) SMC_HEALTH_FIGURE_##id,
#include "hardware/fleet/health_figures.def"
    SMC_HEALTH_FIGURES
};

struct smc_health_test_info {
    const char *name, *unit, *shown_unit;
    double per_shown_unit; /* how many of `unit` make one `shown_unit` */
    bool is_measured;      /* a rate or a time, which need not be equal to what was expected */
};
struct smc_health_figure_info {
    const char *key, *label, *unit;
    double per_unit; /* how many of the key's unit make one `unit` */
};
extern const struct smc_health_test_info smc_health_test_info[SMC_HEALTH_TESTS];
extern const struct smc_health_figure_info smc_health_figure_info[SMC_HEALTH_FIGURES];

enum smc_health_outcome {
    SMC_HEALTH_SKIPPED, /* `detail` says why; also a test that was not reached */
    SMC_HEALTH_PASSED,
    SMC_HEALTH_WRONG,
};

enum smc_health_verdict {
    SMC_HEALTH_FAILED, /* it could not be checked: `error` says why */
    SMC_HEALTH_DIFFERS,
    SMC_HEALTHY,
};

enum smc_fault_kind {
    SMC_FAULT_LANE,
    SMC_FAULT_SM,
    SMC_FAULT_MEMORY,
    SMC_FAULT_RESIDENCY,
    SMC_FAULT_RATE,
    SMC_FAULT_RESULT,
};

/* "skip", "pass", "fail"; "failed", "differs", "healthy"; "lane", "sm", ... */
const char *smc_health_outcome_name(enum smc_health_outcome outcome);
const char *smc_health_verdict_name(enum smc_health_verdict verdict);
const char *smc_fault_kind_name(enum smc_fault_kind kind);

struct smc_health_result {
    enum smc_health_outcome outcome;
    double expected, seen; /* in the test's unit; NAN: unknown */
    char detail[200];      /* how it was tested, or why not, in words */
};

enum { SMC_NOWHERE = -1 };

/* What is wrong, and where. */
struct smc_fault {
    enum smc_fault_kind kind;
    enum smc_health_test test;
    int32_t sm;   /* %smid; this and the next three may be SMC_NOWHERE */
    int32_t part; /* the sub-partition of the SM, 0 to 3 */
    int32_t lane; /* 0 to 31 */
    int32_t bit;  /* the lowest wrong bit of a word of 32 bits */
    bool has_address;
    uint64_t address; /* in bytes: of global memory, or with an SM within its shared memory */
    char detail[200]; /* the fault in words */
};

enum { SMC_MOST_FAULTS = 32 };

enum smc_health_mode { SMC_MODE_WHOLE, SMC_MODE_MIG, SMC_MODE_EXCLUSIVE };
const char *smc_health_mode_name(enum smc_health_mode mode); /* "whole", "mig", "exclusive" */

struct smc_health {
    int gpu_index;
    char name[128], uuid[SMC_GPU_UUID_CHARS], pci_bus_id[16]; /* "" if unknown */
    char driver[SMC_GPU_VERSION_CHARS];
    uint16_t cc; /* 0: unknown */
    enum smc_health_mode mode;
    uint32_t sm_count;
    enum smc_health_verdict verdict;
    enum smc_status status; /* of a GPU that failed */
    char error[400];
    double elapsed_s;
    enum smc_health_test current; /* the one that runs at this moment; SMC_HEALTH_TESTS: none */
    struct smc_health_result test[SMC_HEALTH_TESTS];
    double figure[SMC_HEALTH_FIGURES]; /* in the unit of the key; 0: unknown */
    uint64_t memory_address;           /* of the array that was checked */
    uint64_t faults_total;             /* that were found; the first `fault_count` are kept */
    uint32_t fault_count;
    struct smc_fault fault[SMC_MOST_FAULTS];
};

/* Initializes the result: nothing is known, no test was reached. */
void smc_health_begin(int gpu_index, struct smc_health *health);

/* Sets the outcome of a test. */
void smc_health_skip(struct smc_health *health, enum smc_health_test test, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void smc_health_conclude(struct smc_health *health, enum smc_health_test test, bool passed,
                         double expected, double seen, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Adds a fault; the caller sets its place. Beyond SMC_MOST_FAULTS it is only counted, and NULL is
   returned. */
struct smc_fault *smc_health_add(struct smc_health *health, enum smc_health_test test,
                                 enum smc_fault_kind kind, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Sets the verdict from the outcomes, the faults and the error. */
void smc_health_judge(struct smc_health *health);

/* --- The kernel of the SMs: kernels/health_sms.cu --------------------------------------------- */

enum smc_health_unit {
#define UNIT(id, label, first_cc, last_cc, why) SMC_UNIT_##id,
#include "hardware/fleet/health_units.def"
    SMC_UNITS
};

enum {
    SMC_HEALTH_LANES = 32,
    SMC_HEALTH_PARTS = 4,
    SMC_HEALTH_THREADS = 1024,         /* of a block */
    SMC_HEALTH_VALUES = SMC_UNITS + 1, /* of a thread: the chains, and its warp's number */
    SMC_HEALTH_STEPS = 64,             /* of the shortest chain: a fault's step is below it */
    SMC_SEEN_FAULTS = 7,               /* wrong words of shared memory that a block reports */
    SMC_FOUND_FAULTS = 16,             /* wrong words of global memory that a launch reports */
};

/* What a block reports, as the kernel's `struct seen`. */
struct smc_health_seen {
    uint32_t sm, wrong; /* %smid; wrong words of shared memory */
    struct {
        uint32_t word, bits;
    } fault[SMC_SEEN_FAULTS];
};

/* What tests make go wrong, as the kernel's `struct fault`; `unit`: an enum smc_health_unit or one
   of the next two. `part` and `lane` may be UINT32_MAX: all. */
struct smc_health_injection {
    uint32_t unit, sm, part, lane, step, mask;
};
enum { SMC_INJECT_SHARED = SMC_UNITS + 1, SMC_INJECT_NOTHING };

/* The last value of a unit's chain in a lane, as the emulator computed it (data/health_lanes.csv).
 */
uint32_t smc_health_lane(enum smc_health_unit unit, unsigned lane);

/* Whether the chains of an architecture are known; if not, `reason` says why, and the chains are
   compared with those of most threads instead. */
bool smc_health_is_known(enum smc_health_unit unit, uint16_t cc, const char **reason);

/* Which SMs were seen, by %smid: numbers need not be contiguous. */
struct smc_health_sms {
    uint8_t seen[4096];
    uint32_t count; /* of different SMs */
};

/* Examines what one launch of `blocks` blocks reported, as read from the GPU or the emulator: notes
   the SMs and adds a fault for each wrong lane, SM or word of shared memory. */
void smc_health_examine_sms(const struct smc_health_seen *seen, const uint32_t *chains,
                            uint32_t blocks, struct smc_health_sms *sms, struct smc_health *health);

/* --- The kernel of memory: kernels/health_memory.cu ------------------------------------------- */

/* What a launch reports, as the kernel's `struct found`. */
struct smc_health_found {
    uint64_t wrong; /* words; the first SMC_FOUND_FAULTS are listed, in no order */
    struct {
        uint64_t word;
        uint32_t bits, unused;
    } fault[SMC_FOUND_FAULTS];
};

/* Adds a fault for each listed word, in order of addresses. `base` is the address of the array;
   `where` begins the message: "memory". */
void smc_health_examine_memory(const struct smc_health_found *found, uint64_t base,
                               const char *where, struct smc_health *health);

/* --- Kernels of the catalog ------------------------------------------------------------------- */

/* A launch whose result the emulator computed. */
struct smc_health_case {
    const char *kernel, *options; /* "tile=16 m=256": parameters by their option names */
    uint64_t hash;                /* of all outputs */
};
enum { SMC_HEALTH_SEED = 18 };
extern const struct smc_health_case smc_health_cases[]; /* ends with a case without a kernel */

/* Fills a query for the kernel and its parameters. False if the text is wrong. */
bool smc_health_read_case(const char *kernel, const char *options, struct smc_query *query);

/* The hash of the outputs among the plan's buffers. */
uint64_t smc_health_hash(const struct smc_plan *plan, const void *const *buffers);

/* --- The check -------------------------------------------------------------------------------- */

/* What a test injects into a check. */
struct smc_health_faults {
    bool in_sms, in_memory, in_cache;
    struct smc_health_injection sms;
    double place;  /* 0 to below 1: of the checked memory */
    uint32_t mask; /* of the word there */
};

struct smc_health_request {
    int gpu_index;
    uint32_t timeout_ms; /* for the whole check */
    struct smc_compile_options compile;
    struct smc_ceilings ceilings;           /* of the device, or unknown */
    const struct smc_health_faults *faults; /* or NULL */
    uint32_t tests;                         /* bit n: test n is made; 0: all */
};

/* Checks one GPU. `health` must have been initialized; it always holds what was found so far, and
   another process may read it. SMC_OK: the GPU could be checked, whatever the verdict. Else
   `health->error` has the message, too. */
enum smc_status smc_health_check(const struct smc_health_request *request,
                                 struct smc_health *health, struct smc_text *warnings,
                                 struct smc_error *error);

#endif
