/* Searching the least change of an array's layout after which accesses meet in no bank: a few
   unused elements behind each row, or columns swapped by XOR with the row's number. Each proposal
   is proven by smc_banks_count on every access. */
#ifndef SMC_MODEL_CONFLICT_FREE_H
#define SMC_MODEL_CONFLICT_FREE_H

#include <stddef.h>

#include "model/banks.h"

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
