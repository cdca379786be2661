/* Words that blocks count themselves in. */
#include "machine/sass/tickets.h"

void smc_ticket_draw(struct smc_ticket *ticket, uint32_t start, bool late, uint64_t address,
                     unsigned bytes, uint64_t added)
{
    if (ticket->address == 0)
        *ticket = (struct smc_ticket){.address = address, .bytes = bytes, .ended = ticket->ended};
    if (ticket->start != start) {
        ticket->drawn = 0;
        ticket->late |= late;
    }
    ticket->differs |= ticket->address != address || ticket->bytes != bytes;
    ticket->start = start;
    ticket->drawn += added;
}

void smc_ticket_end(struct smc_ticket *ticket, uint32_t start)
{
    ticket->ended++;
    if (ticket->start != start)
        return;
    if (ticket->drew++ == 0)
        ticket->by = ticket->drawn;
    ticket->differs |= ticket->drawn != ticket->by;
}

void smc_ticket_join(struct smc_ticket *to, const struct smc_ticket *of_block)
{
    const bool same =
        to->address == of_block->address && to->bytes == of_block->bytes && to->by == of_block->by;
    to->ended++;
    to->differs |= of_block->differs;
    to->late |= of_block->late;
    if (of_block->drew == 0)
        return;
    to->differs |= to->drew > 0 && !same;
    to->drew++;
    to->address = of_block->address;
    to->bytes = of_block->bytes;
    to->by = of_block->by;
}

bool smc_ticket_is_drawn(const struct smc_ticket *ticket)
{
    return ticket->address != 0 && !ticket->differs && ticket->drew == ticket->ended;
}
