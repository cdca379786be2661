/* Shared-memory banks: how many wavefronts (passes) one access of a warp takes, and which lanes
   conflict in which bank. Pure integer arithmetic, like the rest of the model.

   The rule from CC 5.0 on: a set of lanes that is served together costs as many wavefronts as the
   most distinct 4-byte words it touches in any one of the 32 banks. With up to 4 bytes per lane the
   set is the whole warp, with 8 bytes a half warp, with 16 bytes a quarter warp. A load of 8 or 16
   bytes serves two such sets together (the two half warps, the two quarters of each half warp) if
   every pair of lanes (n, n^1) of the whole warp, or every pair (n, n^2), shares its address or has
   an inactive lane. Counted on an H200 (driver 580.159.04, 29 November 2026), by
   l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld and _op_st: 20,000 of 20,000 random patterns of
   every width, none of them used to find the rule. The clocks of a load say the same: 2 for each
   wavefront after the first. NVIDIA's instrumented counter (smsp__sass_l1tex_data_pipe_lsu_
   wavefronts_mem_shared_op_ld) computes wavefronts of loads of 8 and 16 bytes by another rule,
   which neither agrees with.

   ldmatrix and stmatrix serve one 8x8 matrix after the other, each as stores of 16 bytes are served
   (counted on an H100: 480 of 480 patterns).

   Atomics (atom, red) are served in the sets of a store, but each lane by itself: lanes that share
   an address conflict too. Compare-and-swap takes twice as many wavefronts. All 1,020 patterns of
   add, min, and, inc, max, or of 4 bytes, of exch and cas of 4, 8 and 16 bytes were counted so on
   an H200 (driver 580.159.04). An addition of the constant 1 whose result is not used (red.one, in
   machine code ATOMS.POPC.INC) serves lanes with the same address together (90 of 90 patterns).
   Other atomics of 8 bytes, those of 2 bytes and of floating point are
   loops of several instructions, whose wavefronts depend on the values: not known.

   cp.async.ca copies from L1 to shared memory. Lanes are served together if their lines of L1 are
   looked up together (smc_tag_bank), then in the sets of a store. In each wavefront a lane is
   served if no lower lane of its set that still waits reads from its banks of L1, whose lines begin
   at bank 0, and none writes to its banks. 900 patterns of 4, 8 and 16 bytes were counted so on the
   H200, whose lines came from L2, as they do the first time. Lines that L1 holds already
   (cp.async.ca.hit) are copied in the sets of a store alone: all of 640 patterns.

   cp.async.cg, past L1, takes no wavefront: sectors that come from L2 are written into the banks
   beside them. On the H200 the counters of wavefronts and conflicts showed none for any of 953
   patterns, and a copy into one bank takes no longer than one into all. What makes it slower are
   more lines that it reads, and more 128-byte rows that it writes. Not known are atomics and copies
   on other banks than those of CC 5.0 on.

   CC 1.x serves half warps over 16 banks. CC 3.x has banks of 8 bytes (CUDA C Programming Guide,
   "Compute Capability 3.x"): each delivers two words at a time, from a row of 64, and twice as many
   lanes are served together. No joining is known there. */
#ifndef SMC_RULES_BANKS_H
#define SMC_RULES_BANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/status.h"
#include "sm.h"

enum { SMC_WARP_LANES = 32, SMC_MAX_BANKS = 32, SMC_MAX_WAVEFRONTS = 64 };

#define SMC_ALL_LANES UINT32_MAX

enum smc_bank_op {
#define SMC_OPERATION(id, name, loads, matrices, trans, usual, widths, counted) SMC_BANK_##id,
#include "bank_operations.def"
    SMC_BANK_OPS
};

struct smc_bank_operation {
    const char *name;  /* "ld", "ldmatrix.x4.trans" */
    bool loads;        /* it reads shared memory and writes none */
    uint32_t matrices; /* of ldmatrix and stmatrix: 1, 2 or 4; lanes 8n to 8n + 7 give the addresses
                          of matrix n's rows, other lanes' are not used; 0: other instructions */
    bool trans;
    uint32_t usual_width; /* bytes of a lane */
    uint32_t widths;      /* the sum of the widths that the instruction has */
    uint32_t counted;     /* of these, the widths whose wavefronts are known from CC 5.0 on */
};

/* Of an operation below SMC_BANK_OPS. */
const struct smc_bank_operation *smc_bank_op_describe(enum smc_bank_op op);

/* The operation of that name, in any case; SMC_BANK_OPS: there is none. */
enum smc_bank_op smc_bank_op_find(const char *name);

/* Whether the SM executes it. */
bool smc_bank_op_exists(enum smc_bank_op op, const struct smc_sm *sm);

/* The lanes that give addresses: 0xff for one matrix, otherwise all. */
uint32_t smc_bank_op_lanes(enum smc_bank_op op);

/* ldmatrix (loads) or stmatrix of 1, 2 or 4 matrices. */
enum smc_bank_op smc_bank_matrix_op(bool loads, uint32_t matrices);

/* One instruction of one warp. */
struct smc_access {
    uint32_t address[SMC_WARP_LANES]; /* in bytes, multiples of the width */
    uint32_t mask;                    /* bit n: lane n is active; of matrices only lanes that give
                                         addresses count */
    uint32_t width_bytes;             /* of a lane: 1, 2, 4, 8 or 16; of matrices 16 */
    enum smc_bank_op op;
};

/* How words map to banks. On CC 3.x this can be chosen (cudaDeviceSetSharedMemConfig): neighbouring
   banks hold neighbouring words of 4 bytes, as on all other GPUs, or of 8. */
enum smc_bank_mode { SMC_BANK_MODE_4_BYTES, SMC_BANK_MODE_8_BYTES };

struct smc_bank_layout {
    uint32_t banks;
    uint32_t row_words;          /* 4-byte words that all banks together deliver in one pass */
    uint32_t neighbouring_words; /* in the same bank: 1, or 2 in the 8-byte mode */
    bool half_warps;             /* CC 1.x: half warps are served, whatever the width */
    bool loads_join;
};

/* `mode` has an effect on CC 3.x only. */
void smc_bank_layout_of(const struct smc_sm *sm, enum smc_bank_mode mode,
                        struct smc_bank_layout *layout);

/* The active lanes whose address is not a multiple of the width: the GPU would abort the kernel.
   The functions below require that there are none. */
uint32_t smc_access_misaligned(const struct smc_access *access);

/* What is no access, or costs what nobody knows: SMC_USAGE, and why. An operation or a width that
   does not exist, or banks of zeros, count as no wavefronts below; an address that is no multiple
   of the width, or an access that smc_banks_are_known does not know, is counted. Whether a device
   has the instruction is for smc_bank_op_exists to tell. */
enum smc_status smc_access_validate(const struct smc_bank_layout *layout,
                                    const struct smc_access *access, struct smc_error *error);

struct smc_bank_cost {
    uint32_t wavefronts;
    uint32_t least;  /* if the words of each set of lanes were spread evenly over the banks */
    uint32_t phases; /* sets of lanes, served one after the other */
};

/* Whether the wavefronts of the access are known. The functions below count others too, as if each
   lane were served like a store's, but that says nothing about the hardware. */
bool smc_banks_are_known(const struct smc_bank_layout *layout, const struct smc_access *access);

/* The conflicts are wavefronts - least. Without active lanes all are 0. The lanes of a copy
   (cp.async) read consecutive global memory, from the beginning of four lines of 128 bytes on. */
struct smc_bank_cost smc_banks_count(const struct smc_bank_layout *layout,
                                     const struct smc_access *access);

/* The same for a copy that reads these global addresses; NULL: as above. */
struct smc_bank_cost smc_banks_count_copy(const struct smc_bank_layout *layout,
                                          const struct smc_access *access,
                                          const uint64_t from[SMC_WARP_LANES]);

struct smc_wavefront {
    uint32_t set;                  /* the lanes served together */
    uint32_t crowded;              /* bit n: bank n holds more of the set's words than it can
                                      deliver in the fewest wavefronts: its lanes conflict */
    uint32_t lanes[SMC_MAX_BANKS]; /* those that the bank serves in this wavefront */
    uint32_t word[SMC_MAX_BANKS];  /* the first word that it delivers; valid if lanes is not 0 */
};

struct smc_bank_map {
    struct smc_bank_cost cost;
    struct smc_wavefront wavefront[SMC_MAX_WAVEFRONTS];
};

/* Which lanes are served in which wavefront: each bank delivers its words in the order of the lanes
   that request them. */
void smc_banks_map(const struct smc_bank_layout *layout, const struct smc_access *access,
                   struct smc_bank_map *map);

/* Whether the access takes no more wavefronts than necessary: what smc_banks_count says, faster. */
bool smc_banks_are_free(const struct smc_bank_layout *layout, const struct smc_access *access);

/* Whether none of `count` banks, from `first` on, serves any lane. */
bool smc_banks_idle(const struct smc_bank_map *map, uint32_t first, uint32_t count);

/* --- Sectors ---------------------------------------------------------------------------------- */

/* Global memory: the 32-byte sectors that one access of a warp touches, four to a line of L1. */

enum { SMC_SECTOR_BYTES = 32, SMC_LINE_BYTES = 128 };

/* The bank of L1's tags that looks up a line, by its number (address / 128). Each bank looks up one
   line at a time, of those that an instruction's lanes access in the order of the lanes. Measured
   with pairs of lines on an H200 and with random lines on an H100 (CUDA 13.0, driver 580.159.04),
   where it explains the clocks of 492 of 494 patterns of addresses; the H200's counter of lookups
   agrees with it for 900 copies and 2,148 accesses to other blocks' shared memory. */
enum { SMC_TAG_BANKS = 4 };
uint32_t smc_tag_bank(uint64_t line);

/* Distinct sectors of the active lanes; bit n of `mask`: lane n is active. Addresses are multiples
   of the width, which is at most a sector. */
uint32_t smc_sectors_count(const uint64_t address[32], uint32_t mask);

/* The same for an asynchronous copy that bypasses L1 (cp.async.cg, 16 bytes a lane) from global to
   shared-memory addresses. For each line that is read, counts the 32-byte pieces of shared memory
   that it is written to: a copy whose source and destination have different offsets within a sector
   takes a quarter more sectors. Measured on an H200
   (l1tex__t_sectors_pipe_lsu_mem_global_op_ld). */
uint32_t smc_sectors_count_copied(const uint64_t from[32], const uint64_t to[32], uint32_t mask);

/* --- Layouts without conflicts ---------------------------------------------------------------- */

/* The least change of an array's layout after which none of its accesses conflicts, be it a few
   unused elements after each row, or columns swapped by XOR with the row's number. Each proposal
   was applied to every access: it keeps them aligned, and contiguous, and leaves no conflict by
   smc_banks_count. */

/* Element e is in row e / row_elements and column e % row_elements. It moves to
   row * (row_elements + padding - dropped) + (column ^ (row >> swizzle_shift) % swizzle_span). */
struct smc_rearrangement {
    uint32_t element_bytes;
    uint32_t row_elements;     /* 1 or more */
    uint32_t padding_elements; /* 0: none */
    uint32_t swizzle_span;     /* a power of two that divides row_elements; 0: none */
    uint32_t swizzle_shift;
    uint32_t first_byte;       /* of the array; no accessed address is below it */
    uint32_t dropped_elements; /* removed from each row's end, which no access touches */
};

/* The address that a byte address moves to; UINT64_MAX if that is beyond 32 bits. */
uint64_t smc_rearrange(const struct smc_rearrangement *rearrangement, uint32_t address);

/* An array in shared memory, and the instructions that access it. */
struct smc_bank_array {
    size_t size; /* sizeof(struct smc_bank_array): later versions have more members */
    const struct smc_bank_layout *layout;
    const struct smc_access *access;
    size_t access_count;    /* 1 or more */
    uint32_t element_bytes; /* 1 to 1024 */
    uint32_t row_elements;  /* 1 to 65536 */
    uint32_t first_byte;    /* of the array; no accessed address is below it */
};

struct smc_bank_remedy {
    struct smc_bank_cost cost;        /* of all accesses, as they are */
    bool has_padding, has_swizzle;    /* both false if nothing conflicts */
    struct smc_rearrangement padding; /* the fewest elements after each row */
    struct smc_rearrangement swizzle; /* the smallest span, then shift; its element is as wide as
                                         the widest access, or the array's, and at least 4 bytes */
    uint32_t reserved[8];             /* 0; space for members of later versions */
};

/* What removes the conflicts of all accesses together; each of the two by itself. SMC_USAGE, with a
   message that begins with the access's index, if smc_access_validate fails for one or an address
   is before the array. */
enum smc_status smc_bank_remedy_find(const struct smc_bank_array *array,
                                     struct smc_bank_remedy *out, struct smc_error *error);

#ifndef SMEMCALC_H /* not part of the library's interface */

/* Shared memory of other blocks of a cluster (CC 9.0 and newer) is accessed as global memory is, by
   lines of 128 bytes. Each bank of L1's tags looks one line up at a time, that of its lowest lane.
   The lanes of a load whose lines are looked up together take the wavefronts of a store; those of
   an atomic are served each by itself, and one whose banks a lower lane of the same tags waits for
   is looked up again. A store's lanes take the wavefronts of a store, eight lookups together; from
   the tenth lookup on that depends on how fast lines leave the SM, and is not known. Not known
   either are compare-and-swap and loops, and 1 and 2 bytes. Counted on an H200 (driver 580.159.04,
   29 November 2026): all of 1,578 patterns, of which 722 were not used to find the rule.

   An address is that in the block's shared memory, with the driver's part at its beginning, plus
   the block's rank in the cluster times SMC_DISTRIBUTED_STRIDE. Lanes that access their own block's
   memory do so in an access of their own, as without clusters. */
enum { SMC_DISTRIBUTED_STRIDE = 1 << 23, SMC_DISTRIBUTED_FIRST = 1 << 10 /* the driver's part */ };

/* The wavefronts; 0: not known, or no lane is active. */
uint32_t smc_banks_count_distributed(const struct smc_access *access);

#endif

/* --- CuTe's layouts --------------------------------------------------------------------------- */

/* A layout of CuTe, shape:stride, such as ((8,8),(8,2)):((1,64),(8,512)): a function from
   coordinates to offsets. Without strides it is compact, the first mode the fastest. An index runs
   through the first mode first, as CuTe's do. Sources: the CuTe documentation, "Layout", and
   cute/swizzle.hpp. */

enum {
    SMC_CUTE_LEAVES = 16,         /* integers of a shape */
    SMC_CUTE_DEPTH = 8,           /* of parentheses */
    SMC_CUTE_CHARS = 400,         /* of a layout's text */
    SMC_CUTE_MOST_SIZE = 1 << 20, /* elements, and the offset behind the last */
    SMC_CUTE_MOST_BITS = 20,      /* of an offset */
};

struct smc_cute_layout {
    uint32_t rank;                       /* modes of the outermost parentheses */
    uint32_t first[SMC_CUTE_LEAVES + 1]; /* leaf of each mode; first[rank]: their number */
    struct {
        uint32_t extent, stride;
    } leaf[SMC_CUTE_LEAVES];
};

/* CuTe's Swizzle<bits, base, shift>: `bits` bits of an offset from base + shift on are added by XOR
   to those from `base` on; with a negative shift those from `base` on to those from base - shift
   on. No bits: no swizzle. */
struct smc_swizzle {
    uint32_t bits, base;
    int32_t shift; /* at least as many as bits, or as few as -bits */
};

/* The swizzles of TMA and wgmma exchange chunks of 16 bytes within none, 32, 64 or 128 bytes: 0, 1,
   2 or 3 bits. CUDA Driver API, CUtensorMapSwizzle. */
enum { SMC_TMA_MODES = 4, SMC_TMA_CHUNK_BYTES = 16 };

/* Such a swizzle of offsets in elements. */
struct smc_swizzle smc_tma_swizzle(uint32_t bits, uint32_t element_bits);

/* Reads a layout, also as CuTe prints it: "Sw<3,3,3> o 0 o (_8,_64):(_64,_1)"; then `swizzle`
   receives the swizzle, otherwise no bits. SMC_USAGE: the message begins with `name` and says at
   which character what is wrong. */
enum smc_status smc_cute_parse(const char *text, const char *name, struct smc_cute_layout *layout,
                               struct smc_swizzle *swizzle, struct smc_error *error);

/* Whether bits, base and shift are a swizzle of offsets of up to SMC_CUTE_MOST_BITS. */
bool smc_swizzle_is_sound(const struct smc_swizzle *swizzle);

/* "3,4,3". SMC_USAGE as above. */
enum smc_status smc_swizzle_parse(const char *text, const char *name, struct smc_swizzle *swizzle,
                                  struct smc_error *error);

uint32_t smc_swizzle_apply(const struct smc_swizzle *swizzle, uint32_t offset);

/* Elements of a mode, or of all modes. */
uint32_t smc_cute_extent(const struct smc_cute_layout *layout, uint32_t mode);
uint32_t smc_cute_size(const struct smc_cute_layout *layout);

/* One more than the largest offset. */
uint32_t smc_cute_cosize(const struct smc_cute_layout *layout);

/* The offset of the element `index`, which is below the size. */
uint32_t smc_cute_offset(const struct smc_cute_layout *layout, uint32_t index);

/* What the coordinate of one mode adds to the offset. */
uint32_t smc_cute_mode_offset(const struct smc_cute_layout *layout, uint32_t mode,
                              uint32_t coordinate);

#ifndef SMEMCALC_H /* not part of the library's interface */

#include "base/text.h"

extern const struct smc_bank_operation smc_bank_operations[SMC_BANK_OPS];

/* "none", "32B", "64B", "128B" */
extern const char *const smc_tma_modes[SMC_TMA_MODES];

/* "((8,8),(8,2)):((1,64),(8,512))", "Swizzle<3,3,3>". */
void smc_cute_print(const struct smc_cute_layout *layout, struct smc_text *out);
void smc_swizzle_print(const struct smc_swizzle *swizzle, struct smc_text *out);

/* --- The search for a layout without conflicts ------------------------------------------------ */

/* The largest padding that a user may try; more is no better than less. */
enum { SMC_MOST_PADDING = 32 };

/* Moves the addresses of the active lanes. False if one moves beyond 32 bits. */
bool smc_rearrange_access(const struct smc_rearrangement *rearrangement, struct smc_access *access);

/* What is known of an access besides its addresses. */
struct smc_access_bound {
    uint32_t
        unknown_step; /* all addresses may be larger by one multiple of it; 0: they are exact */
    /* Of a matrix that one instruction accesses, given its address and the distance of its lines
       (wmma.load, wmma.store): that distance, the bytes of a line that are accessed, and the
       address of the first. 0: each lane has its own address. */
    uint32_t line_bytes, line_width, first;
};

/* Accesses of one array, and the row lengths to try, in elements. */
struct smc_conflict_search {
    const struct smc_bank_layout *layout;
    const struct smc_access *access;
    size_t access_count;
    const uint32_t *row_elements;
    size_t row_count;
    uint32_t first_byte;                  /* of the array */
    uint32_t element_bytes;               /* 0: the width of the first access */
    const struct smc_access_bound *bound; /* of each access, or NULL: all are exact */
};

/* The smallest padding that leaves no conflict. If it works for several row lengths, the first of
   them. */
bool smc_conflict_free_padding(const struct smc_conflict_search *search,
                               struct smc_rearrangement *found);

/* The shortest row that leaves no conflict, of at least `columns` elements but fewer than the first
   row length. No access may touch a column from `columns` on. */
bool smc_conflict_free_narrower(const struct smc_conflict_search *search, uint32_t columns,
                                struct smc_rearrangement *found);

/* The swizzle with the smallest span, then shift, that leaves no conflict. Its elements are as wide
   as the widest access, or the array's. */
bool smc_conflict_free_swizzle(const struct smc_conflict_search *search,
                               struct smc_rearrangement *found);

/* --- A user's array --------------------------------------------------------------------------- */

enum { SMC_MOST_DIMENSIONS = 4 };

/* An array as the source declares it: half t[16][64]. */
struct smc_declared_array {
    char name[64];
    char element[48];                     /* "half" */
    uint32_t element_bytes;               /* 0: unknown */
    uint32_t dimensions;                  /* 0: no array */
    uint32_t extent[SMC_MOST_DIMENSIONS]; /* from the outermost one; 0: unknown */
    char text[SMC_MOST_DIMENSIONS][40];   /* as written: "BM", "16" */
};

/* What removes the conflicts of all accesses. */
struct smc_layout_advice {
    bool has_padding, has_swizzle;
    bool pads_rows; /* the padding is of the array's own rows; otherwise there is no swizzle */
    struct smc_rearrangement padding, swizzle;
    bool
        is_hopeless; /* all row lengths, paddings and swizzles were tried: each leaves a conflict */
};

/* Tries the first `own` rows of the search, which are the array's; if none has a padding or a
   swizzle, the others and rows as long as all banks; and then rows of all lengths within the array.
 */
void smc_conflict_free_advise(const struct smc_conflict_search *search, size_t own,
                              uint64_t array_bytes, struct smc_layout_advice *advice);

/* --- Arrays and how warps access them --------------------------------------------------------- */

/* An array in shared memory whose elements a layout places: mode 0 is its rows, mode 1 its columns.
   An element's offset is the layout's, moved by the padding and then by the swizzle. */
struct smc_tile {
    struct smc_cute_layout layout;
    struct smc_swizzle swizzle; /* of offsets in elements */
    uint32_t element_bits;      /* 4 to 128, a power of two */
    /* After every `pitch` offsets `padding` elements are unused; 0: none. */
    uint32_t pitch, padding;
    bool is_tma;   /* filled by a TMA copy, which has three swizzles and no padding */
    char name[64]; /* of a declaration such as t[128][64], else "" */
};

enum {
    SMC_TILE_ACCESSES = 8, /* of one array */
    SMC_TILE_MOST_INSTRUCTIONS = 1 << 13,
};

/* What the lanes of a warp access. */
enum smc_tile_walk {
    SMC_TILE_ROWS,     /* neighbouring lanes access neighbouring pieces of a row */
    SMC_TILE_COLUMNS,  /* ... of a column */
    SMC_TILE_MATRICES, /* ldmatrix, stmatrix: 8x8 matrices, one below the other, then beside it */
    SMC_TILE_FRAGMENT, /* an operand of mma.m16n8kK, each register by itself */
    SMC_TILE_THREADS   /* a layout of (thread, value), whose values are indices of the array */
};

/* Instructions of one warp that together access the whole array, or of all warps of a layout of
   threads. */
struct smc_tile_access {
    char label[SMC_CUTE_CHARS + 1]; /* as it was written */
    enum smc_bank_op op;
    uint32_t width_bytes; /* of a lane */
    enum smc_tile_walk walk;
    char operand;       /* of a fragment: a, b or c; d is where c is */
    uint32_t registers; /* of an operand, of 4 bytes; of c: pairs of elements */
    struct smc_cute_layout threads_values;
};

/* A declaration "t[128][64]", "t[128][64+8]" with a padding, a layout of CuTe, or wgmma's canonical
   layout of a tile, by the major mode and the swizzle: "wgmma.k.128B(128,64)", "wgmma.mn.none(64,
   64)". Sets everything but is_tma; an element has `element_bits`. SMC_USAGE as above. */
enum smc_status smc_tile_parse(const char *text, const char *name, uint32_t element_bits,
                               struct smc_tile *tile, struct smc_error *error);

/* A swizzle for the tile: "3,3,3" of elements; "tma.128B", "tma.64B", "tma.32B" and "tma.none" of
   bytes, as TMA has them; "c ^ (r & 7)", "c/8 ^ (r >> 1 & 3)" of columns (or groups of 8) and rows;
   "none". */
enum smc_status smc_tile_parse_swizzle(const char *text, const char *name, struct smc_tile *tile,
                                       struct smc_error *error);

/* The bits of an element type such as f16, bf16, e4m3, i8, half, float; 0: unknown. */
uint32_t smc_element_bits(const char *name);

/* The next of several accesses joined by ';': "st.16 rows; ldmatrix.x4.trans", "ld.4 (32,8):(8,1)",
   "mma.m16n8k16.a". `threads` is the layout of those without one, or NULL. Moves `text` past
   it. SMC_USAGE: as above; also for accesses whose wavefronts are not known. */
enum smc_status smc_tile_parse_access(const char **text, const char *name,
                                      const struct smc_tile *tile,
                                      const struct smc_cute_layout *threads,
                                      struct smc_tile_access *access, struct smc_error *error);

/* The instructions of an access. */
struct smc_tile_walked {
    enum smc_bank_op op;
    uint32_t width_bytes, elements; /* that a lane accesses, of consecutive offsets */
    size_t count;
    struct smc_tile_lanes {
        uint32_t mask;
        uint32_t offset[SMC_WARP_LANES]; /* the layout's, of the lane's first element */
    } * instruction;                     /* owned */
};

/* SMC_USAGE: what a lane accesses together is not together in the array, or not aligned; the array
   is not a multiple of what an instruction accesses. */
enum smc_status smc_tile_walk(const struct smc_tile *tile, const struct smc_tile_access *access,
                              const char *name, struct smc_tile_walked *walked,
                              struct smc_error *error);
void smc_tile_walked_free(struct smc_tile_walked *walked);

/* The address of an element with this offset of the layout. */
uint32_t smc_tile_address(const struct smc_tile *tile, uint32_t offset);

/* One instruction as the banks see it. */
void smc_tile_access_of(const struct smc_tile *tile, const struct smc_tile_walked *walked, size_t i,
                        struct smc_access *access);

/* From the array's first byte to its last. */
uint32_t smc_tile_bytes(const struct smc_tile *tile);

/* A change after which every access takes the fewest wavefronts. Each smaller one was tried. */
struct smc_tile_remedy {
    bool found;
    uint32_t tried;       /* all that are smaller, and it; if none was found, all there are */
    struct smc_tile tile; /* the changed one */
};

/* The padding with the fewest unused elements, without a swizzle: after a length that the layout's
   strides have, at most as many elements as all banks hold. None for TMA. */
void smc_tile_find_padding(const struct smc_bank_layout *layout, const struct smc_tile *tile,
                           const struct smc_tile_walked *walked, size_t count,
                           struct smc_tile_remedy *remedy);

/* The swizzle with the fewest bits, then with the smallest base, then shift (a negative one last),
   without padding: of all that keep what a lane accesses together and the array within its
   length. For TMA of its three. */
void smc_tile_find_swizzle(const struct smc_bank_layout *layout, const struct smc_tile *tile,
                           const struct smc_tile_walked *walked, size_t count,
                           struct smc_tile_remedy *remedy);

#endif

#endif
