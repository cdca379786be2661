/* What the fake GPU does when `smemcalc check` runs on it, and the faults that it can have. */
#ifndef SMC_TESTS_GPU_FAKE_HEALTH_H
#define SMC_TESTS_GPU_FAKE_HEALTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A defect of the fake GPU: what FAKE_FAULT says. */
struct fake_fault {
    enum {
        FAKE_NO_FAULT,
        FAKE_LANE,     /* "lane SM PART LANE": its integer arithmetic is wrong */
        FAKE_SM,       /* "sm SM": all its float arithmetic is wrong */
        FAKE_UNSEEN,   /* "unseen SM": it gets no blocks */
        FAKE_SHARED,   /* "shared SM BYTE BIT": shared memory does not keep a bit */
        FAKE_MEMORY,   /* "memory BYTE BIT": global memory does not */
        FAKE_PRODUCT,  /* "product": a product of matrices is wrong in one bit */
        FAKE_RESIDENT, /* "resident": one block less than predicted is resident */
        FAKE_SLOW,     /* "slow": global memory is copied at half the speed */
        FAKE_DIES,     /* "dies": the process is ended */
    } kind;
    uint64_t number[3];
};

/* False: the text is not understood. */
bool fake_fault_read(const char *text, struct fake_fault *fault);

/* Runs the kernel if it is one that check alone launches. `bytes_of`: of an allocation. */
bool fake_health_run(const char *kernel, uint32_t blocks, uint32_t sms, void **arguments,
                     const struct fake_fault *fault, size_t (*bytes_of)(const void *memory));

#endif
