/* Lists of bytes, one for each warp. */
#include "machine/sass/returned.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

bool smc_returned_start(struct smc_returned *returned, size_t warps)
{
    *returned =
        (struct smc_returned){.warp = smc_calloc(warps, sizeof *returned->warp), .warps = warps};
    return returned->warp;
}

void smc_returned_free(struct smc_returned *returned)
{
    for (size_t i = 0; returned->warp && i < returned->warps; i++)
        free(returned->warp[i].byte);
    free(returned->warp);
    *returned = (struct smc_returned){0};
}

void smc_returned_again(struct smc_returned_block *block, struct smc_returned *returned,
                        size_t first, size_t warps)
{
    *block = (struct smc_returned_block){.all = returned, .first = first, .again = true};
    for (size_t i = first; i < first + warps; i++)
        returned->warp[i].next = 0;
}

static void keep_bytes(struct smc_returned *all, struct smc_returned_warp *of, const void *bytes,
                       size_t count)
{
    enum { LEAST = 512, MOST_BYTES = 256 << 20 };
    if (of->room - of->count < count) {
        size_t room = of->room ? of->room * 2 : LEAST;
        room = room - of->count < count ? of->count + count : room;
        unsigned char *more = all->bytes + room <= MOST_BYTES ? smc_realloc(of->byte, room) : NULL;
        all->full |= !more;
        if (!more)
            return;
        all->bytes += room - of->room;
        of->byte = more;
        of->room = room;
    }
    memcpy(of->byte + of->count, bytes, count);
    of->count += count;
}

void smc_returned_bytes(const struct smc_returned_block *block, uint32_t warp, void *bytes,
                        size_t count)
{
    struct smc_returned_warp *of = &block->all->warp[block->first + warp];
    if (!block->again) {
        keep_bytes(block->all, of, bytes, count);
    } else if (of->count - of->next >= count) {
        memcpy(bytes, of->byte + of->next, count);
        of->next += count;
    }
}

void smc_returned_results(const struct smc_returned_block *block, uint32_t number,
                          struct smc_sass_warp *warp, const struct smc_sass_instruction *in)
{
    const size_t head = offsetof(struct smc_lanes, value);
    const bool writes = in->to.kind == SMC_OPERAND_REGISTER;
    for (unsigned i = in->to.number; writes && i < (unsigned)in->to.number + in->to.registers;
         i++) {
        struct smc_lanes *lanes = &warp->reg[i];
        if (i >= SMC_ZERO_REGISTER)
            break;
        smc_returned_bytes(block, number, lanes, head);
        smc_returned_bytes(block, number, lanes->value,
                           lanes->same ? sizeof *lanes->value : sizeof lanes->value);
    }
    if (in->to_predicate[0] != SMC_TRUE_PREDICATE)
        smc_returned_bytes(block, number, &warp->predicate[in->to_predicate[0]],
                           sizeof *warp->predicate);
}
