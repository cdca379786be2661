/* The counts of the model, the emulator and the GPU's counters, summed by metric and by kernel for
   the results file. */
#ifndef SMC_TESTS_GPU_COUNTED_H
#define SMC_TESTS_GPU_COUNTED_H

/* One metric of one launch. */
struct gpu_counted {
    const char *kernel, *metric, *label;
    double model, emulator, counter;
    const char *residue; /* why emulator and counter differ; NULL if they agree */
};

void gpu_count(const struct gpu_counted *counted);

#endif
