/* Shared-memory banks: how many wavefronts (passes) one access of a warp takes, and which lanes
   meet in which bank. Pure integer arithmetic, as all of the model.

   The rule, from CC 5.0 on: lanes that are served together cost the largest number, over the 32
   banks, of distinct 4-byte words that they touch in one bank. Up to 4 bytes a lane the whole warp
   is served together, with 8 bytes each half warp, with 16 bytes each quarter. A load joins two
   such sets into one where every lane pair (n, n^1) of the two shares its address, or every pair
   (n, n^2) does, and where the two then take one wavefront: of 8 bytes two half warps, of 16 bytes
   two quarters of a half warp. A pair with an inactive lane asks for nothing, but in the lower half
   of a load of 16 bytes one active lane alone keeps the quarters apart; unless lane 31 is inactive:
   then any two quarters of the lower half join that take one wavefront. Where all active lanes load
   the same 16 bytes, one wavefront serves sixteen of them, wherever they are. The last three were
   found by counting: an H200 (driver 580.159.04, 22 November 2026) counted what this says on all of
   9960 patterns, random and made for this, of every width.

   CC 1.x serves half warps over 16 banks. CC 3.x has banks of 8 bytes (CUDA C Programming Guide,
   "Compute Capability 3.x"): each gives two words at a time, of a row of 64, and twice as many
   lanes are served together; no joining is known there. */
#ifndef SMC_MODEL_BANKS_H
#define SMC_MODEL_BANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/sm.h"

enum { SMC_WARP_LANES = 32, SMC_MAX_BANKS = 32, SMC_MAX_WAVEFRONTS = 32 };

#define SMC_ALL_LANES UINT32_MAX

enum smc_bank_op { SMC_BANK_LOAD, SMC_BANK_STORE };

/* One instruction of one warp. */
struct smc_access {
    uint32_t address[SMC_WARP_LANES]; /* in bytes, multiples of the width */
    uint32_t mask;                    /* bit n: lane n is active */
    uint32_t width_bytes;             /* of a lane: 1, 2, 4, 8 or 16 */
    enum smc_bank_op op;
};

/* How words lie in banks. On CC 3.x it can be chosen (cudaDeviceSetSharedMemConfig): neighbouring
   banks hold neighbouring words of 4 bytes, as everywhere else, or of 8. */
enum smc_bank_mode { SMC_BANK_MODE_4_BYTES, SMC_BANK_MODE_8_BYTES };

struct smc_bank_layout {
    uint32_t banks;
    uint32_t row_words;          /* 4-byte words that all banks give in one pass */
    uint32_t neighbouring_words; /* that lie in the same bank: 1, or 2 in the 8-byte mode */
    bool half_warps;             /* are served together, whatever the width: CC 1.x */
    bool loads_join;
};

/* `mode` counts on CC 3.x only. */
void smc_bank_layout_of(const struct smc_sm *sm, enum smc_bank_mode mode,
                        struct smc_bank_layout *layout);

/* The active lanes whose address is not a multiple of the width: the GPU would stop the kernel. The
   functions below expect that there are none. */
uint32_t smc_access_misaligned(const struct smc_access *access);

struct smc_bank_cost {
    uint32_t wavefronts;
    uint32_t least; /* with the words of each set of lanes spread evenly over the banks */
};

/* The conflicts are wavefronts - least. Nothing active costs nothing. */
struct smc_bank_cost smc_banks_count(const struct smc_bank_layout *layout,
                                     const struct smc_access *access);

struct smc_wavefront {
    uint32_t set;                  /* the lanes served together */
    uint32_t crowded;              /* bit n: bank n holds more of the set's words than it can give
                                      in the fewest wavefronts, so that lanes wait for each other */
    uint32_t lanes[SMC_MAX_BANKS]; /* those that the bank serves in this wavefront */
    uint32_t word[SMC_MAX_BANKS];  /* the first word that it gives; valid where lanes is not 0 */
};

struct smc_bank_map {
    struct smc_bank_cost cost;
    struct smc_wavefront wavefront[SMC_MAX_WAVEFRONTS];
};

/* Who is served when: a bank's words in the order of the lanes that want them. */
void smc_banks_map(const struct smc_bank_layout *layout, const struct smc_access *access,
                   struct smc_bank_map *map);

/* Whether none of `count` banks, from `first` on, serves any lane. */
bool smc_banks_idle(const struct smc_bank_map *map, uint32_t first, uint32_t count);

/* --- Layouts without conflicts ----------------------------------------------------------------

   The search for the least change of an array's layout after which accesses no longer conflict: a
   few unused elements after each row, or columns swapped by XOR with the row's number. Each
   proposal is proven by smc_banks_count on every access. */

enum { SMC_MOST_PADDING = 32 };

/* Element e lies in row e / row_elements and column e % row_elements. It moves to
   row * (row_elements + padding - dropped) + (column ^ (row >> swizzle_shift) % swizzle_span). */
struct smc_rearrangement {
    uint32_t element_bytes;
    uint32_t row_elements;     /* 1 or more */
    uint32_t padding_elements; /* 0: none */
    uint32_t swizzle_span;     /* a power of two that divides row_elements; 0: none */
    uint32_t swizzle_shift;
    uint32_t first_byte;       /* of the array; no address below it is asked about */
    uint32_t dropped_elements; /* from each row's end, where no column lies that is accessed */
};

/* Where a byte address moves to; UINT64_MAX where that is beyond 32 bits. */
uint64_t smc_rearrange(const struct smc_rearrangement *rearrangement, uint32_t address);

/* Moves the addresses of the active lanes. False where one moves beyond 32 bits. */
bool smc_rearrange_access(const struct smc_rearrangement *rearrangement, struct smc_access *access);

/* Accesses of one array, all of the same width, and the row lengths to try, in elements of that
   width. */
struct smc_conflict_search {
    const struct smc_bank_layout *layout;
    const struct smc_access *access;
    size_t access_count;
    const uint32_t *row_elements;
    size_t row_count;
    uint32_t first_byte; /* of the array */
};

/* The sum over all accesses, each moved (`rearrangement` may be NULL). False where an address moves
   beyond 32 bits. */
bool smc_conflicts_of(const struct smc_conflict_search *search,
                      const struct smc_rearrangement *rearrangement, struct smc_bank_cost *cost);

/* The smallest padding, up to SMC_MOST_PADDING, that leaves no conflict. Of several row lengths
   that it does for, the first. */
bool smc_find_padding(const struct smc_conflict_search *search, struct smc_rearrangement *found);

/* The shortest row, of `columns` elements or more but less than the first row length, that leaves
   no conflict. No access may be to a column beyond. */
bool smc_find_narrower(const struct smc_conflict_search *search, uint32_t columns,
                       struct smc_rearrangement *found);

/* The swizzle with the smallest span, then shift, that leaves no conflict. */
bool smc_find_swizzle(const struct smc_conflict_search *search, struct smc_rearrangement *found);

#endif
