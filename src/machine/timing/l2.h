/* How much of arrays L2 keeps from one launch to the next, and how fast it takes stores. */
#ifndef SMC_MACHINE_L2_H
#define SMC_MACHINE_L2_H

#include <stdbool.h>
#include <stdint.h>

/* L2 keeps arrays of up to these shares of its size from one launch to the next, more of what is
   loaded than of what is stored; of larger ones less and less, up to the last share. Measured with
   loads, stores and copies of 4 to 255 MiB on an H100 and an H200 (CUDA 13.0, driver 580.159.04,
   2026-11-24). Of what is accessed at random places, these shares of its size are kept of arrays of
   any size: loads and stores of 64 to 4096 MiB on an H200 (2026-11-29). Of places
   that are stored to repeatedly, fewer are read first: 8, 16, 23, 31 and 47 % of 32, 40, 48, 56 and
   64 MiB (dram__bytes_read; the same, 2026-11-30). */
#define SMC_L2_KEEPS_LOADED           0.75
#define SMC_L2_KEEPS_STORED           0.35
#define SMC_L2_KEEPS_NONE             0.85
#define SMC_L2_KEEPS_SCATTERED_LOADS  0.7
#define SMC_L2_KEEPS_SCATTERED_STORES 0.4
#define SMC_L2_KEEPS_FILLED           0.58

/* Of arrays that are stored to, up to the first share of its size wait in L2 to be written; of more
   than the second all goes to DRAM in each launch, though L2 keeps it to be read: stores to 24, 30
   and 36 MiB of 60 write 3, 38 and 99 %, additions to them 3, 65 and 99 % (dram__bytes_write, H200,
   CUDA 13.0, driver 580.159.04, 2026-11-30). */
#define SMC_L2_WAITS      0.42
#define SMC_L2_WAITS_NONE 0.57

/* Of what SMs in both halves of L2 load, both keep a part of their own: arrays that all blocks that
   run at a time read, and later ones again, come from DRAM again to the following shares: 33 MB
   0.23, 39 MB 0.38, 53, 60 and 75 MB 1.0 (products of matrices; dram__bytes_read, H200 with L2 of
   63 MB, CUDA 13.0, driver 580.159.04, 2026-11-30). */
#define SMC_L2_KEEPS_SHARED 0.45

/* What DRAM gives and takes at a time; sm_memory.c has how long L2 takes for it. */
enum { SMC_L2_PIECE_BYTES = 64 };

/* What a launch loads from and stores to arrays, in bytes: once each, as far as it is accessed. */
struct smc_touched {
    double read, written, both; /* both: each byte counted once */
    double copied, beside; /* from other arrays, before each launch; what it then does not access */
    double asked_read, asked_written;
    double filled; /* sectors that are stored in part and not loaded: L2 reads them from DRAM */
};

void smc_touched_add(struct smc_touched *sum, const struct smc_touched *part);

/* How much of arrays that are passed through in order comes from and goes to DRAM in each launch.
   `both`: the bytes of all arrays. */
double smc_l2_share_of_dram(const struct smc_touched *touched, double both, double l2_bytes);

/* How much of what a launch stores goes to DRAM, since it is too much to wait in L2. */
double smc_l2_share_of_stored(double bytes, double l2_bytes);

/* How much of an array that was copied just before the launch comes from DRAM, when `first` and
   `last` bytes have passed since its first and last places were copied. What was copied is kept as
   what is loaded: of 24, 30, 36, 42 and 48 MiB, copied from others and then added to, 8, 40, 75, 93
   and 99 % (L2 of 60 MiB; dram__bytes_read, H200, CUDA 13.0, driver 580.159.04, 2026-11-30). */
double smc_l2_share_of_copied(double first, double last, double l2_bytes);

/* Likewise of what all SMs read at about the same time, when so many bytes have passed since. */
double smc_l2_share_of_shared(double passed, double l2_bytes);

/* How many sectors of whole lines L2 could give in the time that it needs for so many sectors of a
   line, wherever they are in it, which a request loads that has `many_lines`, or few. */
double smc_l2_load_slots(uint32_t sectors, bool many_lines);

/* How many sectors of whole lines L2 could take in the time that it needs for what is stored of a
   line: sectors that are stored in part (not `whole`) take longer, less so in local memory. */
double smc_l2_store_slots(uint32_t sectors, bool whole, bool local);

/* Likewise where L2 lacks that share of what it gets in part. */
double smc_l2_lacking_slots(double slots, double share);

#endif
