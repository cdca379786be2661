/* Shared-memory banks: how many wavefronts (passes) one access of a warp takes, and which lanes
   conflict in which bank. Pure integer arithmetic, like the rest of the model.

   The rule from CC 5.0 on: a set of lanes that is served together costs as many wavefronts as the
   most distinct 4-byte words it touches in any one of the 32 banks. With up to 4 bytes per lane the
   set is the whole warp, with 8 bytes a half warp, with 16 bytes a quarter warp. A load joins two
   such sets (two half warps for 8 bytes, the two quarters of a half warp for 16 bytes) if every
   lane pair (n, n^1) of the two shares its address, or every pair (n, n^2) does, and if the two
   together then take one wavefront. A pair with an inactive lane imposes no condition, except in
   the lower half of a 16-byte load: there a pair with only one active lane keeps the quarters
   apart, unless lane 31 is inactive; then any two quarters of the lower half join if together they
   take one wavefront. If all active lanes load the same 16 bytes, one wavefront serves sixteen of
   them, whichever lanes they are. The last three rules were found by measurement: on an H200
   (driver 580.159.04, 22 November 2026) the hardware counters matched this model for all of 9960
   patterns of every width, random and constructed.

   ldmatrix and stmatrix serve one 8x8 matrix after the other, each as stores of 16 bytes are served
   (counted on an H100: 480 of 480 patterns).

   CC 1.x serves half warps over 16 banks. CC 3.x has banks of 8 bytes (CUDA C Programming Guide,
   "Compute Capability 3.x"): each delivers two words at a time, from a row of 64, and twice as many
   lanes are served together. No joining is known there. */
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
    bool is_matrix; /* ldmatrix, stmatrix: rows of 16 bytes; each eight lanes, the rows of one 8x8
                       matrix, are served by themselves */
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

struct smc_bank_cost {
    uint32_t wavefronts;
    uint32_t least; /* if the words of each set of lanes were spread evenly over the banks */
};

/* The conflicts are wavefronts - least. Without active lanes both are 0. */
struct smc_bank_cost smc_banks_count(const struct smc_bank_layout *layout,
                                     const struct smc_access *access);

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

#endif
