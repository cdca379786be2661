/* Running a kernel on the CPU from the PTX that NVRTC made: a warp at a time, every access to
   memory counted and checked. The way in for all other layers:

     smc_program_read     PTX text -> the decoded kernel
     smc_emulate          one launch of it -> counts and findings
     smc_emulation_free
     smc_annotate         counts -> lines of the source, with their text

   Nothing here prints. A launch's results and counts do not depend on the number of threads: a
   kernel with atomic operations on global memory runs on one, its blocks in order. */
#ifndef SMC_EMULATOR_EMULATOR_H
#define SMC_EMULATOR_EMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "emulator/arena.h"
#include "model/banks.h"

/* --- The program ------------------------------------------------------------------------------ */

struct smc_program;

/* What kind of instruction a mnemonic names; mnemonics.def says which. */
enum smc_instruction_flags {
    SMC_INSTRUCTION_MEMORY = 1 << 0,     /* loads, stores, atomics, asynchronous copies */
    SMC_INSTRUCTION_ASYNC_COPY = 1 << 1, /* cp.async, its commit and its wait */
    SMC_INSTRUCTION_BRANCH = 1 << 2,
    SMC_INSTRUCTION_BARRIER = 1 << 3,
    SMC_INSTRUCTION_PREDICATE = 1 << 4, /* sets a predicate: setp and its like */
};

/* One instruction of the kernel, as the PTX has it. */
struct smc_instruction {
    const char *text; /* in the PTX, without the ';'; not ended by '\0' */
    uint32_t text_bytes;
    uint32_t ptx_line;     /* from 1 */
    uint32_t file, line;   /* of the source (.loc), 0 where there is none */
    uint32_t inlined_line; /* where the function that holds it was inlined, 0: it was not */
    uint32_t flags;        /* of enum smc_instruction_flags, by its mnemonic */
};

/* Reads the kernel `entry` (NULL: the only one). SMC_USAGE: not PTX, no such kernel, or an
   instruction that is not supported; the message names it and its line. The text is copied. */
enum smc_status smc_program_read(const char *ptx, size_t bytes, const char *entry,
                                 struct smc_program **program, struct smc_error *error);
void smc_program_free(struct smc_program *program);
const char *smc_program_entry(const struct smc_program *program);
size_t smc_program_instruction_count(const struct smc_program *program);
const struct smc_instruction *smc_program_instruction(const struct smc_program *program,
                                                      size_t index);
/* The kernel's parameters: how many, and the bytes of one. */
size_t smc_program_parameter_count(const struct smc_program *program);
size_t smc_program_parameter_bytes(const struct smc_program *program, size_t index);
/* The name of file number `file` of the line table; NULL where it has none. */
const char *smc_program_file(const struct smc_program *program, uint32_t file);
uint32_t smc_program_static_smem_bytes(const struct smc_program *program);

/* What the machine code made of the loads of shared memory. */
enum smc_following {
    SMC_FOLLOWING_UNKNOWN, /* more or other loads than joining explains, or several ways to do it */
    SMC_FOLLOWING_SAME,    /* each load is as the PTX has it */
    SMC_FOLLOWING_JOINED,  /* some were joined, and it is known which */
};

/* `loads_of_width[n]`: how many loads of 2^n bytes the machine code has, n from 0 to 4. From then
   on launches count loads at that level too, unless UNKNOWN is returned. */
enum { SMC_EMULATOR_WIDTHS = 5 };
enum smc_following smc_program_follow(struct smc_program *program,
                                      const uint64_t loads_of_width[SMC_EMULATOR_WIDTHS]);

/* --- A launch --------------------------------------------------------------------------------- */

/* Global memory that the kernel is given. The emulator chooses its address and checks its bounds.
 */
struct smc_emulated_array {
    const char *name;
    void *data;
    uint64_t bytes;
};

struct smc_emulated_argument {
    bool is_array;
    size_t array; /* with is_array: its index; the address `offset` bytes into it is passed */
    uint64_t offset;
    const void *value; /* else: as many bytes as the parameter has */
};

struct smc_emulation_request {
    const struct smc_program *program;
    uint32_t grid[3], block[3];
    uint32_t dynamic_smem_bytes;
    const struct smc_emulated_array *arrays;
    size_t array_count;
    const struct smc_emulated_argument *arguments;
    size_t argument_count;
    struct smc_bank_layout banks;
    uint32_t sm_count; /* what %nsmid says; 0 counts as 1 */
    unsigned threads;  /* 0: one for each core */
    uint64_t budget;   /* instructions of one warp, above which it counts as endless; 0:
                          SMC_EMULATOR_BUDGET */
    bool unchecked;    /* no races and no unwritten memory: bounds are checked always */
    bool (*stop)(const void *context); /* true: end early with SMC_INTERRUPTED; asked every few
                                          milliseconds by all threads; may be NULL */
    const void *stop_context;
};

#define SMC_EMULATOR_BUDGET (UINT64_C(1) << 30)

/* --- What was counted ------------------------------------------------------------------------- */

/* Of one instruction, or of all. Instructions of warps with an active lane. */
struct smc_emulated_count {
    uint64_t executions; /* of warps */
    uint64_t lanes;      /* active, summed over the executions: thread-instructions */
    uint64_t divergent;  /* branches that lanes of one warp took both ways */
    uint64_t shared_loads, shared_stores; /* executions on shared memory */
    uint64_t load_wavefronts, store_wavefronts;
    uint64_t shared_atomics;   /* neither of these; how the hardware serves them is not known */
    uint64_t least_wavefronts; /* conflicts: load_wavefronts + store_wavefronts - this */
    uint64_t global_requests, global_sectors, global_bytes; /* loads, stores and atomics */
    /* Loads of shared memory as the machine code has them, where the program follows it. */
    uint64_t machine_loads, machine_load_wavefronts;
};

void smc_emulated_count_add(const struct smc_emulated_count *from, struct smc_emulated_count *to);

/* Of one array of global memory: [0] loads, [1] stores, [2] atomics. */
enum { SMC_EMULATED_LOAD, SMC_EMULATED_STORE, SMC_EMULATED_ATOMIC, SMC_EMULATED_KINDS };
struct smc_emulated_traffic {
    uint64_t requests, sectors, elements, bytes;
};
struct smc_emulated_array_count {
    struct smc_emulated_traffic kind[SMC_EMULATED_KINDS];
};

/* --- What was found --------------------------------------------------------------------------- */

enum smc_finding_kind {
#define FINDING(id, name, text) SMC_FINDING_##id,
#include "emulator/findings.def"
#undef FINDING
    SMC_FINDING_KINDS
};

struct smc_finding {
    enum smc_finding_kind kind;
    uint32_t instruction; /* its index in the program */
    bool has_other;       /* of a race: who came first */
    uint32_t other_instruction;
    uint32_t block[3], thread[3], other_thread[3];
    uint64_t address; /* of shared memory: from the beginning of the block's; else as the
                         kernel sees it */
    bool has_address, is_shared;
    char array[96];        /* that holds the address, or the nearest; "" where unknown */
    uint64_t array_offset; /* bytes from the array's beginning */
    uint64_t array_bytes;
    bool beyond; /* the offset is beyond its end (or, as a negative number, before it) */
    uint32_t width_bytes;
    uint32_t waiting, expected; /* threads at a barrier */
    uint64_t times;             /* how often at this instruction (and the other) */
};

enum { SMC_MAX_FINDINGS = 16 };

struct smc_emulation {
    bool completed; /* every block ran to its end */
    struct smc_emulated_count total;
    struct smc_emulated_count *count; /* by instruction */
    size_t count_length;
    struct smc_emulated_array_count *array; /* by array of the request */
    size_t array_count;
    uint64_t blocks_run;
    /* One a kind and place, in the order of blocks, then as they happened; `times` counts all. */
    struct smc_finding finding[SMC_MAX_FINDINGS];
    size_t finding_count;
    uint64_t findings_total; /* with repetitions, and beyond those kept */
    unsigned threads_used;
};

/* Runs. What the kernel does wrong is a finding (SMC_OK), after which other blocks still run, but
   for an endless loop. SMC_USAGE: arguments that do not fit the parameters, an impossible launch.
   SMC_MACHINE: memory. */
enum smc_status smc_emulate(const struct smc_emulation_request *request,
                            struct smc_emulation *emulation, struct smc_error *error);
void smc_emulation_free(struct smc_emulation *emulation);

/* "race", "out_of_bounds": for scripts. */
const char *smc_finding_name(enum smc_finding_kind kind);

/* One readable line: what, where in the source, block, thread, address, array. `file` names the
   source, NULL: as the line table does. Cut to `room`, ended by '\0'. */
void smc_finding_describe(const struct smc_program *program, const struct smc_finding *finding,
                          const char *file, char *text, size_t room);

/* --- By line of the source -------------------------------------------------------------------- */

/* One line, and what the instructions that the compiler made of it did together. */
struct smc_annotated_line {
    const char *file; /* NULL: instructions that the line table gives no line */
    uint32_t line;    /* from 1 */
    const char *text; /* safe for a terminal, without its end, no tabs; NULL: not at hand */
    uint32_t instructions;
    struct smc_emulated_count count;
    uint64_t heat; /* executed warp instructions and wavefronts of shared memory */
};

/* Start from {0}. */
struct smc_annotation {
    /* All lines of the source, then those of other files that have instructions, by name. */
    struct smc_annotated_line *line;
    size_t lines;
    const struct smc_annotated_line **hottest; /* those that were executed */
    size_t hottest_count;
    uint64_t heat; /* of all lines */
    struct smc_arena arena;
};

/* `source` is the kernel's text and `name` its file: lines of a file with this name, in any
   folder, are the source's. Replaces what is in `annotation`. SMC_MACHINE: memory. */
enum smc_status smc_annotate(const struct smc_program *program,
                             const struct smc_emulation *emulation, const char *name,
                             const char *source, struct smc_annotation *annotation,
                             struct smc_error *error);
void smc_annotation_free(struct smc_annotation *annotation);

/* Wavefronts of shared memory, and those beyond the least possible. */
uint64_t smc_emulated_wavefronts(const struct smc_emulated_count *count);
uint64_t smc_emulated_conflicts(const struct smc_emulated_count *count);

#endif
