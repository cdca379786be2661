/* What systems do in different ways, except for signals (base/signals.h), whose types ISO C lacks.
   Headers that only Linux has are included in platform.c alone, and in the two parts that are built
   only there, src/guests/shim and src/guests/inject. */
#ifndef SMC_BASE_PLATFORM_H
#define SMC_BASE_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/text.h"

#ifdef __APPLE__
#define st_mtim st_mtimespec
#endif

/* How an ELF file begins. */
#define SMC_ELF_MAGIC "\177ELF"
enum { SMC_ELF_MAGIC_BYTES = 4 };

/* The path of this program's file. False: it is unknown, or longer than `bytes`. */
bool smc_platform_program(char *path, size_t bytes);

/* Whether dlerror's text means that memory ran out. */
bool smc_platform_lacks_memory(const char *text);

/* A function of a library that is opened while the program runs, and its pointer. */
struct smc_platform_symbol {
    const char *name;
    void *function;
};

/* Finds all of them. Returns NULL, or the name of one that the library lacks. */
const char *smc_platform_find_symbols(void *library, const struct smc_platform_symbol *symbols,
                                      size_t count);

/* The address space that this process uses, in bytes; 0: it is unknown. */
uint64_t smc_platform_used_bytes(void);

/* What NVIDIA's kernel module says of its version, to be closed; NULL: there is none. */
FILE *smc_platform_open_nvidia_version(void);

/* A pipe that the programs started later do not inherit. 0, or -1 and errno. */
int smc_platform_pipe(int ends[2]);

/* Two connected sockets, likewise. */
int smc_platform_socket_pair(int ends[2]);

/* SIGKILL ends this process when its parent ends, where the system can do that. */
void smc_platform_end_with_parent(void);

/* Compares like strcmp, but digits by their number: "9" is before "10". */
int smc_platform_compare_numbered(const char *a, const char *b);

/* --- This machine ----------------------------------------------------------------------------- */

/* Facts about this machine. */

/* Sizes of texts, with the terminating byte. */
enum {
    SMC_HOST_NAME_CHARS = 65,
    SMC_GPU_UUID_CHARS = 48,    /* "GPU-..." as nvidia-smi prints it */
    SMC_GPU_VERSION_CHARS = 32, /* of a driver or CUDA: "580.159.03", "13.0" */
};

/* Processors that run threads; 1 if unknown. */
unsigned smc_machine_processors(void);

/* Bytes of memory; UINT64_MAX if unknown. */
uint64_t smc_machine_memory_bytes(void);

/* The host name, truncated to fit and made safe for a terminal; "" if unknown. */
void smc_machine_host_name(char name[SMC_HOST_NAME_CHARS]);

/* The name under which Slurm knows this node (SLURMD_NODENAME), likewise; "" outside Slurm. Several
   nodes may share a host. */
void smc_machine_node_name(char name[SMC_HOST_NAME_CHARS]);

/* The process's rank in its job, from PMIX_RANK, OMPI_COMM_WORLD_RANK or SLURM_PROCID; -1: none. */
int32_t smc_machine_rank(void);

/* --- A clock ---------------------------------------------------------------------------------- */

/* A clock for time budgets. */

/* Milliseconds since an arbitrary start; monotonic. */
double smc_clock_ms(void);

/* --- The name of this program ----------------------------------------------------------------- */

/* The name this program was called by, for hints: a command in a hint works when pasted. */

/* From $SMEMCALC_PROGRAM, which a script that starts the program sets to its own name, else from
   argv[0], which may be NULL. Call it once, before the first hint. */
void smc_program_set_name(const char *argv0);

/* The name, quoted for a shell if necessary; "smemcalc" before the name was set. */
const char *smc_program_name(void);

/* Appends a fixed text in which each command "smemcalc ..." begins with the program's name. */
void smc_program_append(struct smc_text *out, const char *text);

#endif
