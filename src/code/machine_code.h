/* Loads from shared memory in machine code, after ptxas has joined or split those of the PTX; and
   the files that hold machine code. Supports CC 7.0 and newer, with instructions of 16 bytes.

   The encoding is not published. These fields are used: bits 0 to 8 of an instruction are its
   operation (bits 9 to 11 the form of its operands), 12 to 15 the guard predicate, 73 to 75 the
   width. They were derived from the output of nvdisasm (13.5) for sm_75, 80, 86, 87, 88, 89, 90,
   100, 103, 110, 120 and 121. */
#ifndef SMC_CODE_MACHINE_CODE_H
#define SMC_CODE_MACHINE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "code/compile/build_note.h"

enum { SMC_LOAD_WIDTHS = 5 }; /* 1, 2, 4, 8 and 16 bytes */

/* Counts the loads of each width in the code of one kernel, without those that never execute.
   SMC_USAGE: the code does not consist of whole instructions, or is for an older architecture. */
enum smc_status smc_machine_code_count(const void *code, size_t bytes, uint16_t cc,
                                       uint64_t loads[SMC_LOAD_WIDTHS], struct smc_error *error);

/* The same for the kernel `entry` in a cubin. SMC_USAGE also if the cubin is damaged or has no such
   kernel; SMC_MACHINE: memory. */
enum smc_status smc_machine_code_loads(const void *cubin, size_t bytes, const char *entry,
                                       uint64_t loads[SMC_LOAD_WIDTHS], struct smc_error *error);

/* --- Cubins ----------------------------------------------------------------------------------- */

/* Machine code from ptxas, NVRTC or nvlink: an ELF file, read with libelf. The file is not trusted:
   facts that it states twice must agree, otherwise it counts as damaged and is not used at all. */

struct smc_cubin_parameter {
    uint32_t offset; /* in bytes, from the first one on */
    uint32_t bytes;
};

struct smc_cubin_kernel {
    const char *name;
    uint32_t regs_per_thread;
    uint32_t smem_bytes; /* from CC 9.0 on with the driver's reserve, if any is declared */
    uint32_t fewest_set_regs, most_set_regs; /* that its setmaxnreg instructions set; 0: none */
    uint32_t stack_bytes; /* of linked code with the functions that the kernel calls */
    uint32_t barriers;
    uint32_t max_threads_per_block;      /* __launch_bounds__ or a required size; 0: none */
    uint32_t required_threads_per_block; /* the only block size that launches; 0: any */
    uint32_t blocks_per_cluster;         /* __cluster_dims__; 0: none */
    const void *code;                    /* its instructions, within the file */
    size_t code_bytes;
    uint32_t block[3];        /* the shape of that size; {0}: none, or only a number */
    bool calls_unlinked;      /* it calls functions whose registers and stack nvlink will add */
    uint32_t parameters_at;   /* where they begin in constant bank 0, or would */
    uint32_t parameter_bytes; /* of all, with the gaps between them */
    struct smc_cubin_parameter *parameter; /* in their order; owned by the cubin */
    uint32_t parameter_count;              /* 0: none, or the file does not list them */
};

struct smc_cubin {
    uint16_t cc; /* what it was compiled for */
    char suffix; /* 'a' of sm_90a, 'f' of sm_100f, or 0 */
    struct smc_cubin_kernel *kernel;
    size_t kernel_count;
    struct smc_build_note build;
    bool is_linked;     /* false: from nvcc -dc; nvlink may add registers, stack, shared memory */
    bool has_functions; /* kernels, or functions that kernels call */
    struct Elf *elf;    /* libelf's; keeps the names */
};

/* Whether these bytes are GPU machine code, or the beginning of it. */
bool smc_cubin_is(const void *file, size_t bytes);

/* Reads all kernels; functions that kernels call are skipped. `file` must outlive `cubin`.
   SMC_USAGE: the file is damaged; the message says where ("section .text.k extends beyond the end
   of the file"). SMC_MACHINE: out of memory. After a failure there is nothing to close. */
enum smc_status smc_cubin_open(const void *file, size_t bytes, struct smc_cubin *cubin,
                               struct smc_error *error);
void smc_cubin_close(struct smc_cubin *cubin);

/* The kernel of this mangled name, which belongs to `cubin`; NULL: there is none. */
const struct smc_cubin_kernel *smc_cubin_kernel(const struct smc_cubin *cubin, const char *name);

/* The named barriers that the kernel `entry` uses, for logs that do not report them. SMC_USAGE if
   there is no such kernel. */
enum smc_status smc_cubin_read_barriers(const void *file, size_t bytes, const char *entry,
                                        uint32_t *barriers, struct smc_error *error);

/* --- Memory of a module ----------------------------------------------------------------------- */

/* A variable that code refers to: part of a section of memory. */
struct smc_cubin_variable {
    const char *name, *section; /* ".nv.constant3", ".nv.global.init"; the cubin's */
    uint64_t offset, bytes;     /* within the section */
};

/* An address of 64 bits that is written to a section when the module is loaded. */
struct smc_cubin_address {
    uint64_t place;         /* in the section */
    const char *of_section; /* the address of what is `offset` bytes into this one */
    uint64_t offset;
};

/* The size of a section; 0: there is none. `data` receives its contents, or NULL if the file has
   none of it: it begins as zeros. */
size_t smc_cubin_section(const struct smc_cubin *cubin, const char *name, const void **data);

/* The variable that is found from symbol `*at` on, which is moved past it; start from 0. False:
   there is none. */
bool smc_cubin_next_variable(const struct smc_cubin *cubin, size_t *at,
                             struct smc_cubin_variable *variable);

/* The same for a function that ptxas added to the code of a kernel, such as the slow path of a
   division. `offset`: in the kernel's code. */
bool smc_cubin_next_helper(const struct smc_cubin *cubin, const char *kernel, size_t *at,
                           struct smc_cubin_variable *function);

/* The same for the addresses in a section. */
bool smc_cubin_next_address(const struct smc_cubin *cubin, const char *section, size_t *at,
                            struct smc_cubin_address *address);

/* Appends the source line of the instruction at `offset` in the code of a kernel, "work.cu:39": the
   file without its folder, of inlined code the innermost line in the file that defines the kernel.
   False: the cubin does not have it, as without -lineinfo. */
bool smc_cubin_append_line(const struct smc_cubin *cubin, const char *kernel, uint64_t offset,
                           struct smc_text *text);

/* --- Containers of machine code --------------------------------------------------------------- */

/* The containers ("fatbins") in which nvcc keeps machine code and PTX: found within any file, and
   their parts decompressed. The file is not trusted. */

enum smc_fatbin_compression {
    SMC_FATBIN_STORED,
    SMC_FATBIN_LZ4,
    SMC_FATBIN_ZSTD,
    SMC_FATBIN_OTHER, /* by flags that no known compiler sets */
};

/* A part with machine code or PTX, or a place where a container is damaged. */
struct smc_fatbin_part {
    size_t at, bytes;  /* its content within the file, as stored */
    size_t code_bytes; /* decompressed, as the file states */
    uint32_t cc;
    enum smc_fatbin_compression compression;
    size_t container;  /* where its container begins */
    size_t member;     /* where the header of the archive's member begins; 0: none */
    const char *fault; /* why it cannot be read, or NULL */
};

/* In the order of the file. Start from {0}. */
struct smc_fatbin_parts {
    struct smc_fatbin_part *item;
    size_t count, capacity;
    struct smc_fatbin_part *ptx; /* parts with PTX; smc_fatbin_open gives its text */
    size_t ptx_count, ptx_capacity;
    size_t linked_count; /* parts with a linker's intermediate code (-dlto) */
};

/* Whether the file begins as an archive of object files (.a), or as a container; whether the mark
   of one occurs anywhere. */
bool smc_fatbin_is_archive(const void *file, size_t bytes);
bool smc_fatbin_is(const void *file, size_t bytes);
bool smc_fatbin_occurs(const void *file, size_t bytes);

/* Searches all bytes of the file, whatever its format. `looked_at` is called, unless it is NULL,
   with ascending offsets: the bytes before them are not read again here. False: out of memory.
 */
bool smc_fatbin_find(const void *file, size_t bytes, void (*looked_at)(void *context, size_t end),
                     void *context, struct smc_fatbin_parts *parts);
void smc_fatbin_parts_free(struct smc_fatbin_parts *parts);

/* Appends the name of the member of an archive whose header begins at `member`. */
void smc_fatbin_append_member(const void *file, size_t bytes, size_t member, struct smc_text *out);

/* Thin archives, written by "ar rcT", which only name their members. smc_fatbin_thin_member appends
   the path of the member at `*at`, 0 for the first, relative to the archive, and moves `*at` to the
   next; false: none is left. */
bool smc_fatbin_is_thin_archive(const void *file, size_t bytes);
bool smc_fatbin_thin_member(const void *file, size_t bytes, size_t *at, struct smc_text *name);

/* "LZ4" ... */
const char *smc_fatbin_compression_name(enum smc_fatbin_compression compression);

/* Whether this build can decompress it. */
bool smc_fatbin_can_open(enum smc_fatbin_compression compression);

/* SMC_USAGE if the parts together would decompress to more than a valid file of this size holds. */
enum smc_status smc_fatbin_check_total(const struct smc_fatbin_parts *parts, size_t file_bytes,
                                       struct smc_error *error);

/* Memory for decompressing one part after the other. Start from {0}. */
struct smc_fatbin_buffer {
    void *data;
    size_t capacity;
    struct ZSTD_DCtx_s *zstd;
};
void smc_fatbin_buffer_free(struct smc_fatbin_buffer *buffer);

/* The part's machine code: in the file itself or in the buffer, until its next use. Memory is
   allocated only for a size that the compressed bytes can yield. SMC_USAGE: damaged;
   SMC_UNAVAILABLE: this build cannot decompress it; SMC_MACHINE: out of memory. */
enum smc_status smc_fatbin_open(const void *file, const struct smc_fatbin_part *part,
                                struct smc_fatbin_buffer *buffer, const void **code,
                                struct smc_error *error);

#endif
