/* Counts what the program has NVRTC compile, in this process and its children. The linker sends
   every call of smc_nvrtc_compile here: -Wl,--wrap=smc_nvrtc_compile in local.mk. */
#ifndef SMC_TESTS_COMPILATIONS_H
#define SMC_TESTS_COMPILATIONS_H

struct compilations {
    unsigned all;
    unsigned repeated; /* of a source with options that had been compiled before */
};

/* Counts from 0 again. Ends the program where the system gives no memory. */
void compilations_begin(void);

struct compilations compilations_counted(void);

#endif
