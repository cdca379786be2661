/* A fake of CUDA's driver and of CUPTI, for tests of what is injected into programs. Both are
   shared libraries, as the real ones are; the program and the injected library find them by name.

   The driver "executes" a launch at once: a kernel with a grid of G blocks takes G ns. Its clock
   begins at 1000000 and runs on by that. Environment:
     FAKE_CUPTI_VERSION   what cuptiGetVersion says; also decides how long kernel records are
     FAKE_CUPTI_REFUSES   cuptiSubscribe fails: another subscriber
     FAKE_CUPTI_DROPS     so many records of each buffer are dropped
     FAKE_CUPTI_LACKS     the number of a driver's call that cuptiEnableCallback does not know
     FAKE_REUSES_AT_ONCE  cuGraphExecDestroy returns after the handle was given to another graph
     FAKE_API_BLOCKS      what the occupancy call answers, instead of threads per SM / threads */
#ifndef FAKE_H
#define FAKE_H

#include <stddef.h>
#include <stdint.h>

/* How the driver tells the fake CUPTI; addresses in its table `fake_observer`. */
struct fake_observer {
    void (*call)(int site, uint32_t call, const void *params, const int32_t *result,
                 const char *symbol, uint32_t correlation);
    void (*kernel)(const char *name, int device, const uint32_t *grid, const uint32_t *block,
                   const uint32_t *cluster, int regs, int static_smem, uint32_t dynamic_smem,
                   uint64_t start, uint64_t end, uint32_t correlation, uint64_t graph_node);
    void (*module)(int loaded, const void *code, size_t bytes);
};

#endif
