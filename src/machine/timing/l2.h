/* How much of arrays L2 keeps from one launch to the next. */
#ifndef SMC_MACHINE_L2_H
#define SMC_MACHINE_L2_H

/* L2 keeps arrays of up to these shares of its size from one launch to the next, more of what is
   loaded than of what is stored; of larger ones less and less, up to the last share. Measured with
   loads, stores and copies of 4 to 255 MiB on an H100 and an H200 (CUDA 13.0, driver 580.159.04,
   2026-11-24). Of what is accessed at random places, these shares of its size are kept of arrays of
   any size: loads and stores of 64 to 4096 MiB on an H200 (2026-11-29). */
#define SMC_L2_KEEPS_LOADED           0.75
#define SMC_L2_KEEPS_STORED           0.35
#define SMC_L2_KEEPS_NONE             0.85
#define SMC_L2_KEEPS_SCATTERED_LOADS  0.7
#define SMC_L2_KEEPS_SCATTERED_STORES 0.4

/* Of what SMs in both halves of L2 load, both keep a part of their own: arrays that all blocks that
   run at a time read, and later ones again, come from DRAM again to the following shares: 33 MB
   0.23, 39 MB 0.38, 53, 60 and 75 MB 1.0 (products of matrices; dram__bytes_read, H200 with L2 of
   63 MB, CUDA 13.0, driver 580.159.04, 2026-11-30). */
#define SMC_L2_KEEPS_SHARED 0.45

/* What a launch loads from and stores to arrays, in bytes: once each, as far as it is accessed. */
struct smc_touched {
    double read, written, both; /* both: each byte counted once */
    double copied;              /* from other arrays, before each launch */
    double asked_read, asked_written;
    double filled; /* sectors that are stored in part and not loaded: L2 reads them from DRAM */
};

void smc_touched_add(struct smc_touched *sum, const struct smc_touched *part);

/* How much of arrays that are passed through in order comes from and goes to DRAM in each launch.
   `both`: the bytes of all arrays. */
double smc_l2_share_of_dram(const struct smc_touched *touched, double both, double l2_bytes);

/* Likewise of what all SMs read at about the same time, when so many bytes have passed since. */
double smc_l2_share_of_shared(double passed, double l2_bytes);

#endif
