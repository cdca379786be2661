/* Proxies. Loads, stores and atomics access memory through the generic proxy, bulk copies, tensor
   copies and wgmma through the async proxy. An access of the second kind must be separated by a
   fence.proxy.async from an earlier generic write to the same bytes (PTX ISA 9.0, 9.7.9.25.2 "Async
   Proxy": "Accessing the same memory location across multiple proxies needs a cross-proxy fence";
   alike for wgmma in 9.7.15). The fence takes effect in the thread that executes it, and composes
   with other synchronization (9.7.13.4 "membar/fence"): it may be anywhere on the chain from the
   write to the access. So these are correct: each writer fences, then a barrier, then one thread
   copies; and a barrier, then a fence and the copy by one thread.

   In the other direction no fence is needed: the completion that a program has to wait for is
   followed by an implicit one (9.7.9.25.2). Two cases of the ISA's sentence are not reported, as
   libraries rely on them: a generic read before an asynchronous write (cuda::pipeline, which copies
   in bulk, has no fence there), and what cp.async wrote before wgmma reads it (neither CUTLASS nor
   Triton has one). Nor is an mbarrier object that was initialized without one: copies complete
   transactions through the generic proxy (PTX ISA 9.3).

   The same between blocks that run together is in concurrent_blocks.h. */
#ifndef SMC_MACHINE_PROXIES_H
#define SMC_MACHINE_PROXIES_H

#include "machine/emulator/order.h"

/* NULL: out of memory. */
struct smc_proxies *smc_proxies_new(void);
void smc_proxies_free(struct smc_proxies *proxies);
void smc_proxies_begin_block(struct smc_proxies *proxies);

/* Which memory a fence.proxy.async is for. */
enum { SMC_FENCES_SHARED = 1, SMC_FENCES_GLOBAL = 2 };

/* Lanes of the warp execute a fence for these spaces. */
void smc_proxies_fence(struct smc_proxies *proxies, struct smc_order *order,
                       const struct smc_warp *warp, uint32_t mask, uint32_t spaces);

/* A write of this block. */
struct smc_generic_write {
    enum smc_ptx_space space;
    uint32_t thread, when;
};

/* Whether a fence is between the write and what the warp does now. */
bool smc_proxies_cover(const struct smc_proxies *proxies, const struct smc_order *order,
                       uint32_t warp, const struct smc_generic_write *write);
/* Whether a fence after the write was executed before `until`. */
bool smc_proxies_cover_until(const struct smc_proxies *proxies, const struct smc_order *order,
                             uint32_t until, const struct smc_generic_write *write);

#endif
