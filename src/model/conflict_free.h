/* Layouts without bank conflicts: the search for the least change of an array's layout after which
   none of its accesses conflicts, be it a few unused elements after each row, or columns swapped by
   XOR with the row's number. Each proposal is applied to every access: it must keep them aligned,
   and contiguous, and leave no conflict by smc_banks_count. */
#ifndef SMC_MODEL_CONFLICT_FREE_H
#define SMC_MODEL_CONFLICT_FREE_H

#include "model/banks.h"

/* The largest padding that a user may try; more is no better than less. */
enum { SMC_MOST_PADDING = 32 };

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

/* The total cost of all accesses after the rearrangement (which may be NULL). False if an address
   moves beyond 32 bits. */
bool smc_conflicts_of(const struct smc_conflict_search *search,
                      const struct smc_rearrangement *rearrangement, struct smc_bank_cost *cost);

/* The smallest padding that leaves no conflict. If it works for several row lengths, the first of
   them. */
bool smc_find_padding(const struct smc_conflict_search *search, struct smc_rearrangement *found);

/* The shortest row that leaves no conflict, of at least `columns` elements but fewer than the first
   row length. No access may touch a column from `columns` on. */
bool smc_find_narrower(const struct smc_conflict_search *search, uint32_t columns,
                       struct smc_rearrangement *found);

/* The swizzle with the smallest span, then shift, that leaves no conflict. Its elements are as wide
   as the widest access, or the array's. */
bool smc_find_swizzle(const struct smc_conflict_search *search, struct smc_rearrangement *found);

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
void smc_advise_layout(const struct smc_conflict_search *search, size_t own, uint64_t array_bytes,
                       struct smc_layout_advice *advice);

#endif
