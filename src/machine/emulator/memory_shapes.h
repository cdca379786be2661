/* Shapes: the differences between the addresses of one instruction's lanes. An instruction mostly
   has the same shape as when it was last executed; then the first address tells the extent and the
   costs of all. Only emulator_memory.c and memory_shapes.c include this header. */
#ifndef SMC_MACHINE_MEMORY_SHAPES_H
#define SMC_MACHINE_MEMORY_SHAPES_H

#include "machine/emulator/emulator_state.h"
#include "machine/emulator/shadow.h"
#include "rules/banks.h"

enum { SECTOR_STEP = 4 }; /* sectors are only cached for addresses that it divides */

struct smc_shape {
    struct smc_lane_layout layout; /* what is used most is at its end and after it */
    const struct smc_op *op;       /* NULL: none */
    uint64_t number;
    uint32_t mask, changes;      /* times in a row that it was another one */
    uint32_t instruction, bytes; /* ops that exist only while they are executed look alike */
    uint32_t owner;              /* a warp, or SMC_MAX_WARPS for any */
    bool is_by_warp;             /* of any warp: no longer used, each warp has its own */
    bool is_near;                /* every delta is that of its lower 32 bits */
    int64_t least, most;
    uint64_t bits; /* OR of all deltas */
    uint8_t
        sectors[SMC_SECTOR_BYTES / SECTOR_STEP]; /* by the place of the first address; 0: unknown */
    const struct smc_allocation *allocation; /* where it went last; NULL: unknown, or the heap */
    uint64_t low, high; /* of the first address, if all are within that or within shared memory */
    struct smc_places places; /* count 0: not found yet */
    uint32_t near_delta[SMC_LANES];
    uint32_t near_active[SMC_LANES]; /* all bits, or none */
    uint64_t active[SMC_LANES];
    struct {
        uint32_t bytes, place; /* of each access; of the first address in a row of banks */
        enum smc_bank_op kind;
        struct smc_bank_cost cost;
        bool is_known;
    } banks[2]; /* as in PTX and as in machine code */
};

/* The shape of these addresses, or NULL if the instruction has had too many of them. */
struct smc_shape *smc_shape_of(struct smc_worker *worker, const struct smc_warp *warp,
                               const struct smc_op *op, const uint64_t address[SMC_LANES],
                               uint32_t mask);
/* Sets to which allocation all its accesses go; NULL: to several, or to the heap. */
void smc_shape_set_allocation(struct smc_worker *worker, struct smc_shape *shape,
                              const struct smc_allocation *allocation);
/* An operation of lanes on shared memory, of so many bytes each. */
struct smc_shared_request {
    enum smc_bank_op op;
    uint32_t mask, bytes;
};
/* The cost in shared memory, by the shape unless it is NULL; `form` is 1 for machine code. */
struct smc_bank_cost smc_shape_bank_cost(struct smc_worker *worker, struct smc_shape *shape,
                                         int form, const struct smc_shared_request *request,
                                         const uint64_t address[SMC_LANES]);
/* The sectors of global memory, by the shape unless it is NULL. */
uint32_t smc_shape_sectors(struct smc_shape *shape, const uint64_t address[SMC_LANES],
                           uint32_t mask);

/* The places of the lanes, for the shadow; places_of keeps them. */
const struct smc_places *smc_shape_list_places(const struct smc_worker *worker,
                                               struct smc_shape *shape, enum smc_ptx_space space);

static inline const struct smc_places *places_of(const struct smc_worker *worker,
                                                 struct smc_shape *shape, enum smc_ptx_space space)
{
    return shape->places.count ? &shape->places : smc_shape_list_places(worker, shape, space);
}

#endif
