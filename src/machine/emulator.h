/* Runs a kernel on the CPU from the PTX that NVRTC generated, one warp at a time, and counts and
   checks every memory access. This is the interface for all other wings:

     smc_program_read     PTX text -> the decoded kernel
     smc_emulate          one launch of it -> counts and findings
     smc_emulation_free
     smc_annotate         counts -> lines of the source, with their text

   Nothing here prints. A launch's results and counts do not depend on the number of CPU threads: a
   kernel with atomic operations on global memory runs on one thread, with its blocks in order. */
#ifndef SMC_MACHINE_EMULATOR_H
#define SMC_MACHINE_EMULATOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "machine/emulator/access_log.h"
#include "machine/emulator/arena.h"
#include "rules/banks.h"

/* --- The program ------------------------------------------------------------------------------ */

struct smc_program;

/* The kind of instruction that a mnemonic is, as listed in mnemonics.def. */
enum smc_instruction_flags {
    SMC_INSTRUCTION_MEMORY = 1 << 0,     /* loads, stores, atomics, asynchronous copies */
    SMC_INSTRUCTION_ASYNC_COPY = 1 << 1, /* cp.async, its commit and its wait */
    SMC_INSTRUCTION_BRANCH = 1 << 2,
    SMC_INSTRUCTION_BARRIER = 1 << 3,
    SMC_INSTRUCTION_PREDICATE = 1 << 4,      /* sets a predicate: setp and its like */
    SMC_INSTRUCTION_IS_APPROXIMATE = 1 << 5, /* a GPU may return other bits */
    SMC_INSTRUCTION_HAS_NO_EFFECT = 1 << 6,  /* what it does is not modelled */
};

/* One instruction of the kernel, as it appears in the PTX. */
struct smc_instruction {
    const char *text; /* in the PTX, without the ';'; not terminated by '\0' */
    uint32_t text_bytes;
    uint32_t ptx_line;   /* from 1 */
    uint32_t file, line; /* of the source (.loc); 0 if unknown */
    uint32_t function;   /* that contains it, counted from 1; 0: the kernel */
    uint32_t loc;        /* for smc_finding_stack */
    uint32_t flags;      /* of enum smc_instruction_flags, determined by the mnemonic */
};

/* Reads the kernel `entry` (NULL: the only one). SMC_USAGE: not PTX, no such kernel, or an
   instruction that is not supported; the message names it and its line. The text is copied. */
enum smc_status smc_program_read(const char *ptx, size_t bytes, const char *entry,
                                 struct smc_program **program, struct smc_error *error);
/* The place of a variable of the module in global or constant memory. */
struct smc_variable_place {
    const char *name; /* in the PTX */
    uint64_t address;
};

struct smc_program_options {
    /* The addresses of variables of the module, so that all its kernels agree on them; others get
       addresses that the program chooses. The launches must have the data of those that are here,
       in smc_emulation_request.variables. */
    const struct smc_variable_place *place;
    size_t places;
    /* Instructions that are not supported are no failure, and the program only serves to look at:
       they become ops that cannot run, one for each register that they write. */
    bool is_lenient;
};

/* The same with options; {0} changes nothing. */
enum smc_status smc_program_read_with(const char *ptx, size_t bytes, const char *entry,
                                      const struct smc_program_options *options,
                                      struct smc_program **program, struct smc_error *error);
void smc_program_free(struct smc_program *program);
const struct smc_instruction *smc_program_instruction(const struct smc_program *program,
                                                      size_t index);
/* The number of the kernel's parameters, and the size of one in bytes. */
size_t smc_program_parameter_count(const struct smc_program *program);
size_t smc_program_parameter_bytes(const struct smc_program *program, size_t index);
/* Where it begins in a buffer that holds all of them. */
size_t smc_program_parameter_offset(const struct smc_program *program, size_t index);
/* Whether it asks for what a cooperative launch gives it, as grid synchronization does. */
bool smc_program_asks_cooperative(const struct smc_program *program);
/* The blocks of a cluster that it is compiled for, in x, y and z; {0}: none. */
void smc_program_cluster(const struct smc_program *program, uint32_t cluster[3]);
/* The local memory of a thread. */
uint32_t smc_program_local_bytes(const struct smc_program *program);
/* The name of file number `file` of the line table; NULL if it has none. */
const char *smc_program_file(const struct smc_program *program, uint32_t file);
uint32_t smc_program_static_smem_bytes(const struct smc_program *program);
/* Whether shared memory is accessed by lanes alone, not by bulk copies, wgmma and the like. */
bool smc_program_by_lanes_alone(const struct smc_program *program);
/* Finds the variable in shared memory that begins at or before the address. `name` receives its
   name in the source, truncated to `room`. `bytes` is 0 for dynamic shared memory. Returns false if
   there is no such variable. */
bool smc_program_shared_array(const struct smc_program *program, uint64_t address, char *name,
                              size_t room, uint64_t *first_byte, uint64_t *bytes);

/* How ptxas translated the loads of shared memory. */
enum smc_following {
    SMC_FOLLOWING_UNKNOWN, /* joining cannot explain the loads, or can in several ways */
    SMC_FOLLOWING_SAME,    /* each load is as in the PTX */
    SMC_FOLLOWING_JOINED,  /* some loads were joined, and it is known which */
};

/* `loads_of_width[n]`: the number of loads of 2^n bytes in the machine code, n from 0 to 4. Unless
   this returns UNKNOWN, later launches also count loads as the machine code has them. */
enum { SMC_EMULATOR_WIDTHS = 5 };
enum smc_following smc_program_follow(struct smc_program *program,
                                      const uint64_t loads_of_width[SMC_EMULATOR_WIDTHS]);

/* --- A launch --------------------------------------------------------------------------------- */

/* Global memory that is passed to the kernel. The emulator checks its bounds. */
struct smc_emulated_array {
    const char *name;
    void *data;
    uint64_t bytes;
    uint64_t address; /* as the kernel sees it; 0: the emulator chooses. An array whose address is
                         that of a variable that the kernel uses is left out. */
    uint8_t *written; /* a byte for each four, whose lowest bits are those of them that have been
                         written: reads of others are findings. Kept up to date; NULL: all */
    bool is_freed;    /* it has no data: accesses are findings */
};

/* The addresses that a launch gives to these arrays. */
void smc_emulated_addresses(const struct smc_emulated_array *arrays, size_t count,
                            uint64_t *address);

/* A texture or surface object over an array, in which texels are in row-major order. CUDA's
   documentation of texture fetching defines each member. */
enum smc_texel_kind { SMC_TEXEL_UNSIGNED, SMC_TEXEL_SIGNED, SMC_TEXEL_FLOAT };
enum smc_address_mode {
    SMC_ADDRESS_CLAMP,
    SMC_ADDRESS_WRAP,
    SMC_ADDRESS_MIRROR,
    SMC_ADDRESS_BORDER, /* of zeros */
};
struct smc_emulated_texture {
    size_t array;          /* of the request */
    uint64_t offset;       /* of the first texel in the array, in bytes */
    uint64_t pitch_bytes;  /* from one row to the next; 0: rows without gaps */
    uint32_t extent[3];    /* width, height, depth or layers; 1 where there is none */
    uint8_t channels;      /* 1, 2 or 4; 0: there is no object in this place */
    uint8_t channel_bytes; /* 1, 2 or 4; floats: 2 or 4 */
    enum smc_texel_kind kind;
    enum smc_address_mode address;
    bool linear;     /* filtering, of what is read as floats; otherwise the nearest texel */
    bool normalized; /* coordinates */
    bool as_float;   /* integers of 8 or 16 bits are read as floats up to 1 */
};

/* What the kernel is given for texture `index` of the request; how many bytes it has from its first
   texel to its last, UINT64_MAX: too many. */
uint64_t smc_emulated_texture_handle(size_t index);
uint64_t smc_emulated_texture_bytes(const struct smc_emulated_texture *texture);

struct smc_emulated_argument {
    bool is_array;
    size_t array; /* with is_array: its index; the address `offset` bytes into it is passed */
    uint64_t offset;
    const void *value; /* otherwise: as many bytes as the parameter has */
};

/* The progress of a launch. Another thread may read it, or another process if it is in shared
   memory of both. */
struct smc_emulation_progress {
    atomic_uint_fast64_t blocks; /* of the launch; 0: not started */
    atomic_uint_fast64_t done;   /* of them; set to 0 before `blocks` is set */
};

/* A variable of the module whose contents are the caller's, before the launch and after it. */
struct smc_emulated_variable {
    const char *name; /* in the PTX */
    void *data;
    uint64_t bytes;
};

/* Copies the initial contents of a variable; zeros if it has none. */
void smc_program_variable(const struct smc_program *program, const char *name, void *data,
                          uint64_t bytes);

/* What kernels allocated with malloc. */
struct smc_heap;
void smc_heap_free(struct smc_heap *heap);

/* Which findings are only notes: what PTX defines although CUDA C++ does not, or nothing; or, by
   default, barriers that threads pass by, which programs have more often than the others. */
enum smc_strictness { SMC_STRICT_USUAL, SMC_STRICT_CUDA, SMC_STRICT_PTX };

struct smc_emulation_request {
    const struct smc_program *program;
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; /* blocks of a cluster; 0: as the kernel was compiled */
    bool cooperative;    /* all blocks make progress together, and the grid can synchronize */
    uint32_t dynamic_smem_bytes;
    uint32_t regs_per_thread; /* as compiled, for setmaxnreg; 0: as the PTX's bounds allow */
    const struct smc_emulated_array *arrays;
    size_t array_count;
    const struct smc_emulated_texture *textures;
    size_t texture_count;
    const struct smc_emulated_argument *arguments;
    size_t argument_count;
    const struct smc_emulated_variable *variables;
    size_t variable_count;
    struct smc_bank_layout banks;
    bool ignores_sources; /* cp.async.ca counts as if each instruction read consecutive memory, as
                             the formulas of the catalog assume */
    uint32_t sm_count;    /* the value of %nsmid; 0 counts as 1 */
    unsigned threads;     /* 0: one for each core */
    uint64_t budget;      /* instructions of one warp, above which it counts as endless; 0:
                             SMC_EMULATOR_BUDGET */
    bool logs_shared;     /* keep the different accesses to shared memory */
    enum smc_strictness strictness;
    bool unchecked; /* do not check for races and unwritten memory; bounds are always checked */
    bool reversed;  /* blocks, warps, the groups of a branch, and lanes that store or update take
                       turns     from the last to the first, on one thread */
    bool (*stop)(const void *context); /* true: end early with SMC_INTERRUPTED; asked every few
                                          milliseconds by all threads; may be NULL */
    const void *stop_context;
    struct smc_heap *
        *heap; /* that outlasts the launch: of earlier launches with the same module, or
                  NULL, and of this one afterwards. Its owner frees it. May be NULL */
    struct smc_emulation_progress *progress; /* kept up to date by all threads; may be NULL */
};

#define SMC_EMULATOR_BUDGET (UINT64_C(1) << 30)

/* The most blocks that make progress together. */
#define SMC_MOST_TOGETHER (1 << 16)

/* --- What was counted ------------------------------------------------------------------------- */

/* Counts of one instruction, or of all. An instruction is counted if its warp has an active
   lane. */
struct smc_emulated_count {
    uint64_t executions; /* of warps */
    uint64_t lanes;      /* active lanes, summed over the executions: thread-instructions */
    uint64_t shared_loads, shared_stores; /* executions on shared memory */
    uint64_t load_wavefronts;
    uint64_t least_wavefronts; /* conflicts: load_wavefronts + store_wavefronts - this */
    /* Loads of shared memory as in the machine code; counted only if those are known. */
    uint64_t machine_loads, machine_load_wavefronts;
    uint64_t store_wavefronts;
    uint64_t shared_atomics;                             /* not in the loads and stores */
    uint64_t atomic_wavefronts, least_atomic_wavefronts; /* of those that are one instruction */
    /* Accesses to the shared memory of other blocks of the cluster, which are not in the others;
       how many of them take wavefronts that are not known. */
    uint64_t distributed, distributed_wavefronts, distributed_unknown;
    uint64_t atomic_loops; /* those that are a loop of several: their wavefronts are not known */
    uint64_t global_requests, global_sectors, global_bytes; /* loads, stores and atomics */
    uint64_t divergent; /* branches at which lanes of one warp diverged */
};

void smc_emulated_count_add(const struct smc_emulated_count *from, struct smc_emulated_count *to);

/* Counts of one array of global memory: [0] loads, [1] stores, [2] atomics. */
enum { SMC_EMULATED_LOAD, SMC_EMULATED_STORE, SMC_EMULATED_ATOMIC, SMC_EMULATED_KINDS };
struct smc_emulated_traffic {
    uint64_t requests, sectors, elements, bytes;
};
struct smc_emulated_array_count {
    struct smc_emulated_traffic kind[SMC_EMULATED_KINDS];
};

/* Statistics of the atomic additions of floats to one element. Their order depends on the threads,
   and the sum is rounded after each addition. */
struct smc_float_sum {
    uint64_t adds;
    double magnitude; /* sum of the absolute values of the initial value and of all addends */
    double roundoff;  /* 2^-24, or 2^-53 if all are doubles; of halves 2^-11, of bfloat16 2^-8 */
};

/* The largest difference between two sums of the same numbers in different orders: 2 n u / (1 - n
   u) times the magnitude, for n additions with the unit roundoff u (Higham, Accuracy and Stability
   of Numerical Algorithms, 4.2), plus what flushing of subnormal floats loses. */
double smc_float_sum_bound(const struct smc_float_sum *sum);

/* --- What was found --------------------------------------------------------------------------- */

enum smc_finding_kind {
#define FINDING(id, name, text) SMC_FINDING_##id,
#include "machine/findings.def"
    SMC_FINDING_KINDS
};

enum { SMC_MAX_CALLS = 16 };

struct smc_finding {
    enum smc_finding_kind kind;
    uint32_t instruction; /* its index in the program */
    bool has_calls, has_more_calls;
    uint32_t call[SMC_MAX_CALLS], calls; /* with has_calls: the instructions that called the
                                            functions around it, the innermost first */
    bool is_note;                        /* for information only: it counts nowhere */
    bool has_other;                      /* for a race: the earlier access, or that of the
                                            lower block */
    uint32_t other_instruction;
    bool between_blocks; /* the other access is of other_block */
    bool is_volatile;    /* so are both accesses, of two lanes of a warp */
    bool is_warpgroup;   /* wgmma reads, for all threads of the warpgroup of `thread` */
    uint32_t block[3], thread[3], other_block[3], other_thread[3];
    uint64_t address; /* for shared memory: relative to the block's first byte; otherwise as the
                         kernel sees it */
    bool has_address, is_shared;
    char array[96];        /* the array that holds the address, or the nearest; "" if unknown */
    uint64_t array_offset; /* bytes from the array's beginning */
    uint64_t array_bytes;
    bool beyond; /* the offset is beyond its end (or, as a negative number, before it) */
    uint32_t width_bytes;
    uint32_t waiting, expected; /* threads at a barrier, or arrivals at an mbarrier object */
    bool is_object;             /* the address is that of an mbarrier object, */
    char object[72];            /* of this name; "": it has none, */
    bool has_origin; /* and then origin_instruction initialized it, the one number origin_number
                        (from 0) of origin_count */
    uint32_t origin_instruction, origin_number, origin_count;
    char note[192]; /* of an assertion: it, its file, line and function; of printf: the
                       conversion; safe for a terminal */
    uint64_t times; /* number of occurrences at this instruction (and the other) */
};

enum { SMC_MAX_FINDINGS = 16 };

/* For one instruction on shared memory: the warp's access with the most conflicts, in the first
   block that has one. Addresses are relative to the block's shared memory. */
struct smc_conflict_sample {
    bool taken;
    uint32_t conflicts;
    uint64_t block;
    struct smc_access access;
};

struct smc_emulation {
    bool completed; /* every block ran to completion */
    struct smc_emulated_count total;
    struct smc_emulated_count *count; /* by instruction */
    size_t count_length;
    struct smc_conflict_sample *sample;     /* by instruction */
    struct smc_access_log log;              /* with logs_shared */
    struct smc_emulated_array_count *array; /* by array of the request */
    size_t array_count;
    uint64_t blocks_run;
    bool waits; /* not completed, and a block waited for what others store */
    /* One for each kind and place, in block order, then in order of occurrence; `times` counts
       all. */
    struct smc_finding finding[SMC_MAX_FINDINGS];
    size_t finding_count;
    uint64_t findings_total; /* including repetitions and findings that were not kept */
    unsigned threads_used;
    uint64_t float_adds; /* atomic additions of floats, counted per thread */
    /* By array: one for each four bytes; NULL if the array has no such additions. */
    struct smc_float_sum **sum;
    char *output; /* what printf wrote, block after block, as the kernel wrote it; NULL: nothing */
    size_t output_bytes;
    bool output_is_cut;  /* there was more */
    double shared_bound; /* the largest smc_float_sum_bound of an element in shared memory */
};

/* Runs a launch. An error of the kernel is a finding (SMC_OK), after which other blocks still run,
   except after an endless loop and what ends a launch on a GPU: a trap, a failed assertion, a stack
   that overflows, a call of what is no function, memory that is freed twice. SMC_USAGE: arguments
   that do not match the parameters, or an impossible launch. SMC_MACHINE: out of memory. */
enum smc_status smc_emulate(const struct smc_emulation_request *request,
                            struct smc_emulation *emulation, struct smc_error *error);
void smc_emulation_free(struct smc_emulation *emulation);

/* Instructions of warps that return the bits of a GPU, that may not, and that have no effect here;
   and whether a value of the second may have reached an address, a branch or a predicate, or global
   memory. */
struct smc_fidelity {
    uint64_t exact, approximate, not_modelled;
    bool reaches_address, reaches_branch, reaches_result;
};
/* False: out of memory. */
bool smc_emulation_find_fidelity(const struct smc_program *program,
                                 const struct smc_emulation *emulation,
                                 struct smc_fidelity *fidelity);

/* The name of a finding for scripts: "race", "out_of_bounds". */
const char *smc_finding_name(enum smc_finding_kind kind);

/* Of two accesses that nothing orders. */
bool smc_finding_is_race(const struct smc_finding *finding);

/* A place on the way from the kernel to a finding. */
struct smc_stack_frame {
    const char *file; /* as the line table names it; NULL: unknown */
    uint32_t line;    /* 0: unknown */
    bool is_inlined;  /* the place is in a function that was inlined into that of the next frame */
    uint32_t function, loc; /* for smc_stack_function */
};

enum { SMC_MAX_FRAMES = 32 };

/* From the place itself to the kernel. */
struct smc_stack {
    struct smc_stack_frame frame[SMC_MAX_FRAMES];
    size_t frames;
    bool is_complete; /* otherwise the last frame's callers are unknown, or too many */
};

/* The stack of a finding, or of its other access. A function that calls itself appears once. */
void smc_finding_stack(const struct smc_program *program, const struct smc_finding *finding,
                       bool of_other, struct smc_stack *stack);
/* Appends the name, as compiled, of the function that a frame is in; nothing if unknown. */
void smc_stack_function(const struct smc_program *program, const struct smc_stack_frame *frame,
                        struct smc_text *name);

/* Reads line `line` (from 1) of a file of the source; false: it is not available. */
typedef bool smc_source_line(void *context, const char *file, uint32_t line, char *text,
                             size_t room);

/* Where a finding's mbarrier object is in memory whose parts have no names, as in a structure in
   dynamic shared memory: names it as the line that initializes it does. */
void smc_finding_name_object(const struct smc_program *program, struct smc_finding *finding,
                             smc_source_line *read, void *context);

/* Describes a finding in one line: what, where in the source, block, thread, address, array. `file`
   is the name of the source; if NULL, the line table's name is used. The text is truncated to
   `room` and terminated by '\0'. */
void smc_finding_describe(const struct smc_program *program, const struct smc_finding *finding,
                          const char *file, char *text, size_t room);

/* --- By line of the source -------------------------------------------------------------------- */

/* One line of the source, with the counts of all instructions that were compiled from it. */
struct smc_annotated_line {
    const char *file; /* NULL: instructions without a line in the line table */
    uint32_t line;    /* from 1 */
    const char *text; /* safe for a terminal, without line end or tabs; NULL: not available */
    uint32_t instructions;
    struct smc_emulated_count count;
    uint64_t heat; /* executed warp instructions and wavefronts of shared memory */
};

/* Initialize with {0}. */
struct smc_annotation {
    /* All lines of the source, then lines of other files that have instructions, by file name. */
    struct smc_annotated_line *line;
    size_t lines;
    const struct smc_annotated_line **hottest; /* the lines that were executed */
    size_t hottest_count;
    uint64_t heat; /* of all lines */
    struct smc_arena arena;
};

/* `source` is the kernel's text and `name` its file: lines of a file with this name, in any folder,
   count as the source's. Replaces the contents of `annotation`. SMC_MACHINE: out of memory. */
enum smc_status smc_annotate(const struct smc_program *program,
                             const struct smc_emulation *emulation, const char *name,
                             const char *source, struct smc_annotation *annotation,
                             struct smc_error *error);
void smc_annotation_free(struct smc_annotation *annotation);

/* Wavefronts of shared memory, and the wavefronts beyond the minimum. */
uint64_t smc_emulated_wavefronts(const struct smc_emulated_count *count);
uint64_t smc_emulated_conflicts(const struct smc_emulated_count *count);

#endif
