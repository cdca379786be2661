/* A kernel's decoded code, and which instructions decide where its warps go: only those are
   evaluated when a warp walks, all others are merely counted. */
#ifndef SMC_MACHINE_SASS_PROGRAM_H
#define SMC_MACHINE_SASS_PROGRAM_H

#include "base/status.h"
#include "base/text.h"
#include "machine/sass/sass_instruction.h"

/* What an instruction is for. */
enum smc_purpose {
    SMC_PURPOSE_DATA,    /* neither of the two below */
    SMC_PURPOSE_ADDRESS, /* its results are part of an address, and decide nothing else */
    SMC_PURPOSE_CONTROL  /* its results decide which instructions are executed; or it branches */
};

struct smc_program_step {
    struct smc_sass_instruction in;
    uint8_t purpose;       /* enum smc_purpose */
    bool is_plain;         /* arithmetic: it only computes registers and predicates */
    bool calls;            /* a function, which returns to the next instruction */
    bool avoids_call;      /* a branch: without it, a call follows */
    bool is_taken;         /* a branch that always is, whatever its condition */
    uint32_t next_control; /* this or the next instruction that is for control */
    uint32_t next_address; /* the same, or for an address, or that accesses memory */
};

/* Owns `step`. Start from {0}. Whoever has the file may set `cubin` after reading. */
struct smc_machine_program {
    struct smc_program_step *step;
    uint32_t count;
    uint32_t registers; /* of a thread: at most so many, from 0 on, are accessed */
    uint32_t unknown;   /* instructions whose operation is not known */
    uint32_t first_unknown;
    bool follows_memory; /* loads return what is known of memory */
    bool follows_stores; /* also what is stored to global memory */
    bool shares;         /* what a warp executes depends on the shared memory or the votes of its
                            block */
    bool by_block;       /* the same, or on what other warps store to global memory */
    uint8_t followed_spaces; /* from which loads decide control flow or addresses; then stores to
                                them are evaluated as well */
    const struct smc_cubin *cubin; /* that has the source lines of kernel `entry`; NULL: unknown */
    const char *entry;
};

/* Decodes the code of one kernel. SMC_USAGE: it is not whole instructions of 16 bytes, or it is
   for an older architecture. SMC_MACHINE: memory. */
enum smc_status smc_machine_program_read(const void *code, size_t bytes, uint16_t cc,
                                         struct smc_machine_program *program,
                                         struct smc_error *error);

/* Leaves out the functions at these offsets in bytes, which handle exceptional operands: branches
   around their calls are taken, and what decides about them is not evaluated. False: there are no
   such branches. */
bool smc_machine_program_leave_out(struct smc_machine_program *program, const uint64_t *offset,
                                   size_t count);

/* Finds what each instruction is for, which must be known before a warp walks. With `memory`, loads
   are evaluated, too, and where stores that may precede them go; with `stores` also what they store
   in global memory. May be called again. SMC_MACHINE: memory. */
enum smc_status smc_machine_program_follow(struct smc_machine_program *program, bool memory,
                                           bool stores, struct smc_error *error);

/* The next step that is evaluated, not only counted: what a block shares is so throughout. */
static inline uint32_t smc_next_step(const struct smc_machine_program *program, uint32_t at,
                                     bool follows)
{
    if (at >= program->count)
        return program->count;
    return program->by_block || follows ? program->step[at].next_address
                                        : program->step[at].next_control;
}

/* Whether loads from memory or results of floating point decide which instructions follow. */
bool smc_machine_program_depends_on_data(const struct smc_machine_program *program);

/* Appends where a step is: "work.cu:39", or without source lines "0x1a30 of the machine code". */
void smc_machine_program_append_place(const struct smc_machine_program *program, uint32_t step,
                                      struct smc_text *text);

void smc_machine_program_free(struct smc_machine_program *program);

#endif
