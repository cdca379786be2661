/* The quantities of a GPU: measured ones, else those of its specifications. */
#include "machine/rates.h"

#include <math.h>

#include "machine/timing/l2.h"
#include "rules/banks.h"

/* Latencies in clocks and shares of the published bandwidths, for boards that nobody has measured:
   those of an H100 and an H200, rounded (data/ceilings.csv). */
enum {
    USUAL_SHARED_CLOCKS = 23,
    USUAL_L1_CLOCKS = 33,
    USUAL_L2_CLOCKS = 280,
    USUAL_DRAM_CLOCKS = 670,
    USUAL_L2_BYTES = 32, /* per SM and clock */
    USUAL_SPECIAL_CLOCKS = 17,
    USUAL_CONSTANT_CLOCKS = 28,
    USUAL_BARRIER_CLOCKS = 14,
    /* Sectors a clock between one SM and L2, measured on an H100 and an H200 (CUDA 13.0, driver
       580.159.04, 2026-11-24): 3.97 loaded, 0.999 stored. */
    L2_PORT_LOADS = 4,
    L2_PORT_STORES = 1,
    /* LDC of the H200 with 1 to 32 different words in tables of 256 bytes to 64 KiB, in chains and
       not, by 1 to 64 warps (2026-11-29). */
    CONSTANT_CLOCKS = 2,
    CONSTANT_MISS_CLOCKS = 34,
    CONSTANT_MISS_LATENCY = 90,
    CONSTANT_DELAYED_LATENCY = 5,
    /* ULDC at an index, of tables of 1 to 64 KiB in lines of 64 bytes: 18 clocks, and 70 more if
       the line is missing. With more than eight readers in a sub-partition every access misses, and
       takes 22 to 30 clocks of the SM (the same). */
    UNIFORM_MISS_CLOCKS = 26,
    UNIFORM_MISS_LATENCY = 70,
    /* Chains of atomics with a result: 590 and 610 clocks for 32 addresses, add and
       compare-and-swap, of one SM and of all; an SM sends one a clock (the same). */
    ATOMIC_CLOCKS = 550,
    ATOMIC_PORT_CLOCKS = 1,
    /* Sums of 256 and 1024 threads in a word of shared memory by compare-and-swap: float 84 and 45
       clocks for each, double 63 and 63 (the same): a load and a swap, one after the other. */
    SWAP_CLOCKS = 62,
    /* Of loads that L2 serves, by the place of the line: 262 to 328 clocks in 90 % of loads, so
       that warps wait 11, 24 and 33 clocks longer for 2, 4 and 8 lines than for one. */
    L2_SPREAD_CLOCKS = 66,
    /* What was stored to since, by a copy, is beyond the half of L2 that an SM is at in a quarter
       of loads: 46 clocks more for one line, 172 for 32. 256 loads one after the other (H200, CUDA
       13.0, driver 580.159.04, 2026-11-30). */
    L2_FAR_CLOCKS = 175,
    TEXTURE_QUEUE = 32, /* assumed: fetches of four warps */
    /* From the end of a block to the first instruction of the next one in its place: kernels that
       only read the clock, with 128 to 1024 threads a block, take 440 to 490 clocks more than they
       spin, 100 of which are a pass of that loop (H200, driver 580.159.04, 2026-11-29). */
    BLOCK_START_CLOCKS = 350
};

/* Atomics a second and GPU, of which one adds up to 32 lanes in one sector if each has an address
   of its own; those of the same address follow each other. A unit of L2 executes them one after the
   other, and sooner if they are of all words of a sector; floating-point ones of one address wait
   for each other. Twelve kinds of atomics in twelve patterns, in 4 bytes to 64 MiB, by 1 to 132 SMs
   (H200, CUDA 13.0, driver 580.159.04, 2026-11-30). */
static const double atomics_per_s = 103e9, atomics_with_result_per_s = 77e9,
                    atomic_unit_seconds = 0.732e-9, atomic_whole_seconds = 0.585e-9,
                    atomic_float_seconds = 1.757e-9;

/* Where lanes add to several words of sectors, a line with s of them takes as long as a + b s
   atomics of single lanes: 0.053 ns for 4 sectors of 4 lines, and 0.033 for those of one line, but
   0.304 for 32 single lanes; with a result 0.077, 0.059 and 0.404 (the same). */
static const struct smc_atomic_slots atomic_slots = {0.69, 0.68},
                                     atomic_result_slots = {0.47, 1.02};

/* Requests of one line each by all SMs to one piece of 512 bytes, which L2 serves one after the
   other: volatile loads of 1 to 8 lines; bytes that 131,072 and 524,288 warps store in one word,
   among stores elsewhere, take 0.32 and 0.34e-9 s each (likewise; the stores 2026-11-30). */
static const double piece_seconds = 0.295e-9;

/* Pieces of 64 bytes at random places of DRAM, by which a share of the measured rates of reading
   and copying they come or go: 42.1e9 loads a second, and 16.0e9 stores of less than a sector,
   which also read the piece (1 GiB; the same H200). */
static const double scattered_loads = 0.603, scattered_stores = 0.241;

/* Passes of textures: texture_lines.c. Chains of fetches of one warp with 1 and 32 lanes: 93 and 99
   clocks of linear memory, 116 and 130 of CUDA arrays, 123 and 137 filtered, of which the addition
   that makes the next coordinate takes 5 (floats that L1 has; H200, CUDA 13.0, driver 580.159.04,
   2026-11-30): passes count twice, on the way in and out. */
static const double texture_pass[2] = {1, 0.4375}, texture_latency[2] = {74, 52},
                    texture_filter = 7;

static const double constant_word_latency = 11.5; /* likewise */

/* Beyond the control bits, by one warp of each sub-partition: a pass of a loop of 8 to 64
   instructions takes 5.5 clocks more, likewise a branch around instructions; BSYNC takes 7.5 more,
   and so where half of the lanes are to go around: 17 more than where none does, 39 with another 16
   instructions for these; and a loop that one lane leaves in each pass takes 12.5 more (H200, CUDA
   13.0, driver 580.159.04, 2026-11-30). A call and the return from it take 26 more than two
   branches, a branch by a table 26 to 29 more than one. Where 8 and 16 warps issue all the time, a
   branch that is taken costs 0.2 to 0.9 clocks of it, in loops of 2 to 64 instructions. */
static const double branch_clocks = 5.5, sync_clocks = 7.5, indirect_clocks = 32,
                    branch_issue = 0.5;

/* Of one unit of a sub-partition: 8 of BSSY, a branch that is taken, BSYNC and two additions take
   64.5 clocks. Of another one, the ADU, S2R, S2UR, LDC, REDUX and a value of MATCH take 8.0, also
   with as much other work as fits (1 to 16 warps); BAR 4.3 to 4.8 among these (blocks of 64 to 1024
   threads; the same). */
static const double control_clocks = 2.6, adu_clocks = 8, barrier_clocks = 4.5;

static const double usual_read_share = 0.92, usual_copy_share = 0.88, usual_launch_us = 2.9,
                    usual_wide_multiplies = 0.8, usual_l2_writes = 0.52, usual_blocks_per_s = 1.6e9;

/* Empty blocks on several SMs take longer to start and end than a single one: 2.656 us for one
   block, 2.784 for 16 and for 132, by events, launches back to back (H200, CUDA 13.0, driver
   580.159.04, 2026-11-30). */
static const double several_sms_us = 0.13;

/* A launch takes longer the more copies or other kernels there are between the event and it, up to
   four, whatever they do: the median over seven kernels of 1 to 1056 blocks after copies of 4
   bytes to 4 MiB, of arrays that it uses or not (likewise). */
static const double after_copies_us[] = {0, 0.35, 0.49, 0.64, 0.65};

static double value(const struct smc_ceilings *ceilings, enum smc_ceiling id, double usual)
{
    double measured = ceilings ? ceilings->value[id] : 0;
    return measured > 0 ? measured : usual;
}

/* Clocks for which a warp's instruction occupies a pipe that has so many lanes per SM. */
static double clocks_of(const struct smc_sm *sm, double lanes)
{
    return 32 * sm->subpartitions / lanes;
}

/* Results per clock and SM: CUDA C++ Programming Guide, table "Throughput of Native Arithmetic
   Instructions". Integers: 64 lanes. Special functions and conversions: 16. Loads and stores: 32,
   with a queue. */
static void set_pipes(struct smc_rates *rates, const struct smc_device *device,
                      const struct smc_ceilings *ceilings)
{
    const struct smc_sm *sm = &device->sm;
    struct smc_capability capability;
    smc_capability_nearest(sm->cc, &capability);
    double lanes = sm->fp32_lanes_per_sm ? sm->fp32_lanes_per_sm : 128;
    double fp64_lanes = capability.fp64_lanes_per_sm ? capability.fp64_lanes_per_sm : 2;
    double half_lanes = capability.half_lanes_per_sm ? capability.half_lanes_per_sm : lanes;
    double *issue = rates->issue;
    rates->fma_halves = lanes > 64 ? 2 : 1;
    issue[SMC_PIPE_NONE] = 1;
    issue[SMC_PIPE_FMA] = clocks_of(sm, 64); /* each half */
    issue[SMC_PIPE_FMA_HEAVY] = clocks_of(sm, 64);
    issue[SMC_PIPE_ALU] = clocks_of(sm, 64);
    issue[SMC_PIPE_FP64] = clocks_of(sm, fp64_lanes);
    issue[SMC_PIPE_HALF] = clocks_of(sm, half_lanes / 2); /* the other half is FMA_HEAVY */
    smc_rates_set_products(rates, device, &capability, ceilings);
    issue[SMC_PIPE_XU] = clocks_of(sm, 16);
    issue[SMC_PIPE_LSU] = 2;
    issue[SMC_PIPE_UNIFORM] = 2;
    issue[SMC_PIPE_UNIFORM_MOVE] = 1; /* 1.16 in loops of ULDC or UMOV (the same) */
    issue[SMC_PIPE_BRANCH] = control_clocks;
    issue[SMC_PIPE_CBU] = control_clocks;
    issue[SMC_PIPE_ADU] = adu_clocks;
    issue[SMC_PIPE_TEXTURE] = 2;
    issue[SMC_PIPE_UNKNOWN] = 2;
    rates->constant_clocks = CONSTANT_CLOCKS;
    rates->constant_miss_clocks = CONSTANT_MISS_CLOCKS;
    rates->constant_word_latency = constant_word_latency;
    rates->constant_delayed_latency = CONSTANT_DELAYED_LATENCY;
    rates->constant_miss_latency = CONSTANT_MISS_LATENCY;
    rates->uniform_miss_clocks = UNIFORM_MISS_CLOCKS;
    rates->uniform_miss_latency = UNIFORM_MISS_LATENCY;
    for (int linear = 0; linear < 2; linear++) {
        rates->texture_pass[linear] = texture_pass[linear];
        rates->texture_latency[linear] = texture_latency[linear];
    }
    rates->texture_filter = texture_filter;
    rates->texture_queue = TEXTURE_QUEUE;
    rates->wide_multiply =
        sm->subpartitions / value(ceilings, SMC_CEILING_IMAD_WIDE, usual_wide_multiplies);
}

/* Clocks of an SM for each request, on average over its blocks, if one takes so long while all SMs
   share L2 or DRAM, and at least `port` clocks of the SM's own. What an SM has more of than others
   of the last blocks, fewer SMs share. */
static double clocks_of_share(double shared, double port, uint64_t blocks, uint32_t sms)
{
    const double rounds = blocks > 0 ? (double)((blocks - 1) / sms) : 0;
    const double last = (double)blocks / sms - rounds; /* SMs that have a block more */
    return (rounds * fmax(shared, port) + fmax(shared * last, port)) / (rounds + 1);
}

void smc_rates_set_memory(struct smc_rates *rates, const struct smc_device *device,
                          const struct smc_ceilings *ceilings, uint64_t blocks)
{
    const uint32_t sms = device->sm_count;
    double peak = device->memory_bytes_per_s, clock = rates->clock_hz;
    double sectors = clock * SMC_SECTOR_BYTES; /* bytes a second to sectors a clock */
    double usual_l2 = USUAL_L2_BYTES * clock * sms;
    double l2 = sms * sectors / value(ceilings, SMC_CEILING_L2, usual_l2);
    double l2_write =
        sms * sectors / value(ceilings, SMC_CEILING_L2_WRITE, usual_l2 * usual_l2_writes);
    double copy = value(ceilings, SMC_CEILING_COPY, usual_copy_share * peak);
    double read = value(ceilings, SMC_CEILING_READ, usual_read_share * peak);
    double dram = clocks_of_share(sms, 0, blocks, sms) * clock;
    rates->l2_load_clocks = clocks_of_share(l2, 1.0 / L2_PORT_LOADS, blocks, sms);
    rates->l2_store_clocks = clocks_of_share(l2_write, 1.0 / L2_PORT_STORES, blocks, sms);
    rates->dram_load_clocks = dram * SMC_SECTOR_BYTES / read;
    rates->dram_store_clocks = 2 * dram * SMC_SECTOR_BYTES / copy - rates->dram_load_clocks;
    rates->dram_byte_clocks = clock / read;
    rates->dram_turn_clocks = 2 * (clock / copy - clock / read);
    rates->dram_scattered_load_clocks = dram * SMC_L2_PIECE_BYTES / (scattered_loads * read);
    rates->dram_scattered_store_clocks = dram * SMC_L2_PIECE_BYTES / (scattered_stores * copy);
    rates->atomic_clocks =
        clocks_of_share(sms * clock / atomics_per_s, ATOMIC_PORT_CLOCKS, blocks, sms);
    rates->atomic_result_clocks =
        clocks_of_share(sms * clock / atomics_with_result_per_s, ATOMIC_PORT_CLOCKS, blocks, sms);
    rates->atomic_latency = ATOMIC_CLOCKS;
    rates->swap_clocks = SWAP_CLOCKS;
    rates->atomic_slots = atomic_slots;
    rates->atomic_result_slots = atomic_result_slots;
    rates->atomic_unit_clocks = clock * atomic_unit_seconds;
    rates->atomic_whole_clocks = clock * atomic_whole_seconds;
    rates->atomic_float_clocks = clock * atomic_float_seconds;
    rates->piece_clocks = clock * piece_seconds;
}

/* Of a sector of a bulk copy into each of so many SMs: 104 bytes a clock come into each of one or 4
   SMs, 86, 76, 63 and 58 into each of 8, 16, 32 and 64, since those of a GPC share its way to L2
   (2 to 16 MiB; H200, CUDA 13.0, driver 580.159.04, 2026-11-30). */
static double clocks_of_bulk_sector(double sms)
{
    enum { FEW = 4, DOUBLINGS = 4 };
    static const double few = 0.31, many = 0.55;
    const double share = fmin(fmax(log2(sms / FEW) / DOUBLINGS, 0), 1);
    return few + (many - few) * share;
}

void smc_rates_of(const struct smc_device *device, const struct smc_ceilings *ceilings,
                  uint64_t blocks, struct smc_rates *rates)
{
    const double busy_sms = fmin((double)blocks, device->sm_count);
    *rates = (struct smc_rates){.clock_hz = device->sm_clock_khz * 1e3,
                                .subpartitions = device->sm.subpartitions};
    set_pipes(rates, device, ceilings);
    smc_rates_set_memory(rates, device, ceilings, blocks);
    rates->shared_latency = value(ceilings, SMC_CEILING_SHARED_CLOCKS, USUAL_SHARED_CLOCKS);
    rates->l1_latency = value(ceilings, SMC_CEILING_L1_CLOCKS, USUAL_L1_CLOCKS);
    rates->l2_latency = value(ceilings, SMC_CEILING_L2_CLOCKS, USUAL_L2_CLOCKS);
    rates->l2_spread = L2_SPREAD_CLOCKS;
    rates->far_latency = L2_FAR_CLOCKS;
    rates->dram_latency = value(ceilings, SMC_CEILING_DRAM_CLOCKS, USUAL_DRAM_CLOCKS);
    rates->special_latency = value(ceilings, SMC_CEILING_SPECIAL_CLOCKS, USUAL_SPECIAL_CLOCKS);
    rates->constant_latency = value(ceilings, SMC_CEILING_CONSTANT_CLOCKS, USUAL_CONSTANT_CLOCKS);
    rates->barrier_latency = value(ceilings, SMC_CEILING_BARRIER_CLOCKS, USUAL_BARRIER_CLOCKS);
    rates->branch_latency = branch_clocks;
    rates->sync_latency = sync_clocks;
    rates->indirect_latency = indirect_clocks;
    rates->branch_issue = branch_issue;
    rates->block_start = BLOCK_START_CLOCKS;
    rates->bulk_sector_clocks = clocks_of_bulk_sector(busy_sms);
    rates->block_interval =
        busy_sms * rates->clock_hz / value(ceilings, SMC_CEILING_BLOCKS, usual_blocks_per_s);
    rates->launch_ms = value(ceilings, SMC_CEILING_EMPTY_LAUNCH, usual_launch_us) * 1e-3 +
                       (busy_sms > 1 ? several_sms_us * 1e-3 : 0);
}

double smc_rates_after_copies_ms(unsigned copies)
{
    enum { MOST = sizeof after_copies_us / sizeof *after_copies_us - 1 };
    return after_copies_us[copies < MOST ? copies : MOST] * 1e-3;
}

/* Conversions from 64 bits (the width of their operand at bits 84 and 85), and FCHK, take an
   operand more: 9.0 clocks, the others 8.0 (loops of each; H200, CUDA 13.0, driver 580.159.04,
   2026-11-30). */
static bool takes_two_operands(const struct smc_sass_instruction *in)
{
    enum { OF_64_BITS = 3 };
    const bool converts = in->operation == SMC_OP_F2F_64 || in->operation == SMC_OP_F2I_64 ||
                          in->operation == SMC_OP_I2F_64;
    return in->operation == SMC_OP_FCHK || (converts && smc_bits(in, 84, 2) == OF_64_BITS);
}

double smc_rates_clocks(const struct smc_rates *rates, const struct smc_sass_instruction *in)
{
    if (in->pipe == SMC_PIPE_TENSOR)
        return smc_rates_product_clocks(rates, in);
    if (in->operation == SMC_OP_BAR)
        return barrier_clocks;
    const double *clocks = &rates->issue[in->pipe];
    if (in->operation != SMC_OP_IMAD_WIDE && in->operation != SMC_OP_IMAD_HI)
        return *clocks + (takes_two_operands(in) ? 1 : 0);
    /* IMAD.HI takes 4.06 clocks, and so does IMAD.WIDE that adds nothing (H200, 2026-11-30). */
    const bool adds =
        in->from[2].kind == SMC_OPERAND_REGISTER && in->from[2].number != SMC_ZERO_REGISTER;
    return adds ? rates->wide_multiply : fmin(rates->wide_multiply, 2 * *clocks);
}

/* Of textures and surfaces. */
static const char *unknown_fetch(const struct smc_sass_instruction *in)
{
    const enum smc_fetched_shape shape = smc_fetched_shape(in);
    if (in->operation == SMC_OP_SULD || in->operation == SMC_OP_SUST)
        return "accesses to surfaces";
    if (in->operation == SMC_OP_TXQ)
        return "queries of textures";
    if (in->operation == SMC_OP_TXD || in->operation == SMC_OP_TXD_REGISTER)
        return "texture fetches with gradients";
    if (in->operation == SMC_OP_TLD4 || in->operation == SMC_OP_TLD4_REGISTER)
        return "gathers of textures (tld4)";
    if (shape == SMC_FETCHES_CUBE || shape == SMC_FETCHES_CUBE_LAYERED)
        return "fetches of cubemaps";
    if (in->from[2].kind != SMC_OPERAND_UNIFORM)
        return "texture fetches of GPUs before sm_90";
    return NULL;
}

const char *smc_rates_unknown(const struct smc_rates *rates, const struct smc_sass_instruction *in)
{
    if (in->pipe == SMC_PIPE_TEXTURE)
        return unknown_fetch(in);
    if (in->pipe != SMC_PIPE_TENSOR || smc_rates_product_clocks(rates, in) > 0)
        return NULL;
    switch (in->operation) {
    case SMC_OP_BMMA:
        return "mma.sync of single bits";
    case SMC_OP_HGMMA:
    case SMC_OP_IGMMA:
    case SMC_OP_BGMMA:
    case SMC_OP_QGMMA:
        return "wgmma of this kind";
    case SMC_OP_QMMA:
        return "mma.sync of FP8";
    case SMC_OP_HMMA_OLD:
        return "mma.sync of the shape m8n8k4";
    default:
        return "mma.sync of 4 bits";
    }
}

/* __nanosleep(t) ends with the next multiple of the least power of two above t of a timer of the
   GPU, which all its warps share: 64 ns for t from 32 to 63, 16384 for 10000, at most 2^20, and
   sooner the later it begins, but after 77 clocks at least; t below 32 takes 77 clocks. Chains of
   sleeps of 0 to 5e6 ns by 1 and 32 warps of 1 and 132 SMs (H200, CUDA 13.0, driver 580.159.04,
   2026-11-30). */
enum { LEAST_TIMED_NS = 32, LONGEST_SLEEP_NS = 1 << 20, LEAST_SLEEP_CLOCKS = 77 };

double smc_rates_sleep_interval(const struct smc_rates *rates, uint32_t ns)
{
    uint32_t interval = LEAST_TIMED_NS;
    if (ns < LEAST_TIMED_NS)
        return 0;
    while (interval <= ns && interval < LONGEST_SLEEP_NS)
        interval *= 2;
    return interval * 1e-9 * rates->clock_hz;
}

double smc_rates_sleep_end(const struct smc_rates *rates, uint32_t ns, double clock)
{
    const double interval = smc_rates_sleep_interval(rates, ns), least = clock + LEAST_SLEEP_CLOCKS;
    return interval > 0 ? fmax(least, (floor(clock / interval + 0.5) + 0.5) * interval) : least;
}
