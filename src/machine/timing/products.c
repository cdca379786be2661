/* What instructions of tensor cores compute, and how fast: mma.sync of a warp, wgmma of a
   warpgroup. Encodings were found as those of sass_instruction.h. */
#include <math.h>
#include <string.h>

#include "machine/rates.h"

enum { WARPGROUP_ROWS = 64, WARPS_OF_GROUP = 4, WAVEFRONT_BYTES = 128, BITS_OF_BYTE = 8 };

const struct smc_product_info smc_product_info[SMC_PRODUCT_TYPES] = {
#define PRODUCT(id, key, label, bits, relief) [SMC_PRODUCT_##id] = {key, label, bits, relief},
#include "machine/timing/products.def"
};

/* --- Shapes ----------------------------------------------------------------------------------- */

/* HMMA. Bit 73: sparse; 75 and 78: k is 32 with both, 16 or 4 with one, otherwise 8; 76: FP32
   accumulators; 82: BF16; 83: TF32. */
static void read_half(const struct smc_sass_instruction *in, struct smc_mma *product)
{
    bool tf32 = smc_bit(in, 83), bf16 = smc_bit(in, 82);
    unsigned depth = smc_bit(in, 75) ? (smc_bit(in, 78) ? 32 : 16) : smc_bit(in, 78) ? 4 : 8;
    product->type = tf32 ? SMC_PRODUCT_TF32 : bf16 ? SMC_PRODUCT_BF16 : SMC_PRODUCT_FP16;
    product->m = 16;
    product->n = 8;
    product->is_sparse = smc_bit(in, 73);
    product->k = (uint16_t)(product->is_sparse ? depth / 2 : depth);
    product->is_wide = smc_bit(in, 76);
}

/* IMMA. Bit 72: sparse; 75, 85 and 86: the shape; 83 and 84: 4 bits. */
static bool read_bytes(const struct smc_sass_instruction *in, struct smc_mma *product)
{
    enum { M8_N8_K16 = 0, M16_N8_K16 = 4, M16_N8_K32 = 5, M16_N8_K64 = 6 };
    unsigned shape = (unsigned)(smc_bits(in, 85, 2) << 1 | smc_bits(in, 75, 1));
    unsigned depth = shape == M16_N8_K64 ? 64 : shape == M16_N8_K32 ? 32 : 16;
    product->type = SMC_PRODUCT_INT8;
    product->m = shape == M8_N8_K16 ? 8 : 16;
    product->n = 8;
    product->is_sparse = smc_bit(in, 72);
    product->k = (uint16_t)(product->is_sparse ? depth / 2 : depth);
    return smc_bits(in, 83, 2) == 0 &&
           (shape == M8_N8_K16 || (shape >= M16_N8_K16 && shape <= M16_N8_K64));
}

/* BMMA. Bit 75: m16n8k128, 76: m16n8k256, neither: m8n8k128. */
static bool read_single_bits(const struct smc_sass_instruction *in, struct smc_mma *product)
{
    product->type = SMC_PRODUCT_INT1;
    product->m = smc_bits(in, 75, 2) ? 16 : 8;
    product->n = 8;
    product->k = smc_bit(in, 76) ? 256 : 128;
    return smc_bits(in, 75, 2) < 3;
}

/* DMMA. Bits 76 and 77: m8n8k4, m16n8k4, m16n8k8, m16n8k16. */
static bool read_double(const struct smc_sass_instruction *in, struct smc_mma *product)
{
    static const uint8_t depth[4] = {4, 4, 8, 16};
    unsigned shape = (unsigned)smc_bits(in, 76, 2);
    product->type = SMC_PRODUCT_FP64;
    product->m = shape ? 16 : 8;
    product->n = 8;
    product->k = depth[shape];
    return true;
}

/* HGMMA, IGMMA, QGMMA. Form 6: A is in registers, otherwise in shared memory like B. Bit 73:
   sparse. HGMMA: bit 76: BF16, 77: TF32. */
static bool read_group(const struct smc_sass_instruction *in, struct smc_mma *product)
{
    enum { A_IN_REGISTERS = 6, BF16 = 1, TF32 = 2 };
    unsigned kind = (unsigned)smc_bits(in, 76, 2);
    product->is_group = true;
    product->a_in_registers = smc_bits(in, 9, 3) == A_IN_REGISTERS;
    product->m = WARPGROUP_ROWS;
    product->n = (uint16_t)smc_product_columns(in);
    product->k = 32;
    product->is_wide = smc_bit(in, 75);
    product->is_sparse = smc_bit(in, 73); /* of the shape, twice as deep, half is multiplied */
    if (in->operation == SMC_OP_IGMMA || in->operation == SMC_OP_QGMMA) {
        product->type = in->operation == SMC_OP_IGMMA ? SMC_PRODUCT_INT8 : SMC_PRODUCT_FP8;
        return true;
    }
    product->type = kind == TF32   ? SMC_PRODUCT_TF32
                    : kind == BF16 ? SMC_PRODUCT_BF16
                                   : SMC_PRODUCT_FP16;
    product->k = kind == TF32 ? 8 : 16;
    return in->operation == SMC_OP_HGMMA && kind <= TF32;
}

bool smc_mma_of(const struct smc_sass_instruction *in, struct smc_mma *product)
{
    *product = (struct smc_mma){.type = SMC_PRODUCT_FP16};
    switch (in->operation) {
    case SMC_OP_HMMA:
        read_half(in, product);
        return true;
    case SMC_OP_IMMA:
        return read_bytes(in, product);
    case SMC_OP_BMMA:
        return read_single_bits(in, product);
    case SMC_OP_DMMA:
        return read_double(in, product);
    case SMC_OP_HGMMA:
    case SMC_OP_IGMMA:
    case SMC_OP_QGMMA:
        return read_group(in, product);
    default:
        return false;
    }
}

/* --- Rates ------------------------------------------------------------------------------------ */

/* In a clock and SM, of the peak of FP16: twice as many of 8 bits, half as many of TF32. Double
   precision: a sixteenth (A100: 19.5 of 312 TFLOP/s, H100: 66.9 of 989), and where the FP64 pipe is
   narrow no more than that. */
static void set_peaks(struct smc_rates *rates, const struct smc_capability *capability)
{
    enum { MANY_LANES = 32, OF_FP16 = 16 };
    double peak = capability->tensor_fmas_per_sm;
    double *fmas = rates->product_peak;
    fmas[SMC_PRODUCT_FP16] = fmas[SMC_PRODUCT_BF16] = peak;
    fmas[SMC_PRODUCT_TF32] = peak / 2;
    fmas[SMC_PRODUCT_INT8] = fmas[SMC_PRODUCT_FP8] = peak * 2;
    fmas[SMC_PRODUCT_INT1] = capability->tensor_bit_fmas_per_sm;
    fmas[SMC_PRODUCT_FP64] = capability->fp64_lanes_per_sm >= MANY_LANES
                                 ? peak / OF_FP16
                                 : fmin(peak, capability->fp64_lanes_per_sm);
}

/* Measured on an H200 (CUDA 13.0, driver 580.159.04, 2026-11-29): mma.sync stays below 1352
   multiply-adds of FP16 a clock and SM, and no instruction takes less than 4 clocks, of double
   precision 16, of wgmma with A in registers 13. */
enum { MOST_MMA_FMAS = 1352, LEAST_MMA = 4, LEAST_FP64 = 16, LEAST_GROUP = 13 };

/* mma.sync of sparse matrices takes 8.05 clocks where it multiplies as much as a dense one in 6.03,
   and 6.02 where that is half as much, of all types (the same, 2026-11-30). GPUs whose dense
   products reach their peak are taken to reach twice as many of the shape's, as published. */
enum { LEAST_SPARSE = 6 };
static const double sparse_share = 0.75;

/* The power that tensor cores of such a peak need lowers the clock of the device. Of random numbers
   an H200 did 1790 of 1980 MHz with mma.sync at 66 % of the peak, and 1587 to 1800 MHz with wgmma
   at 100 %, all of which this share explains within 6 %. */
#define SLOWDOWN 0.15

/* So does what L2 gives meanwhile, at its full rate: three matmuls with wgmma at 84 to 86 % of the
   peak of their clock and 6.2 to 8.5 TB/s from L2 run at 1441, 1605 and 1626 MHz, and one at 40 %
   and 8.9 TB/s at 1766 (the same, 2026-11-30). */
#define L2_SLOWDOWN 0.06

/* Any use of them lowers it, but in double precision: eleven kernels of 0.3 to 5 ms that use 3 to
   64 % of the peak run at 1768 to 1825 MHz, 1793 in the median, and a twelfth at 1918, where others
   run at 1980 (the same, 2026-11-30). How few they are is all the same: with FFMA and one mma.sync
   a warp or one in every 16 FFMA it is 1754 MHz, of 13 blocks as of 264, and with mma.sync alone
   1800; with products of doubles 1979 and without any 1980 (the same). The published peaks of an
   H100 likewise are those of 1830 MHz in half and of 1980 in single and double precision. */
#define LEAST_SLOWDOWN 0.095

/* The ceilings of mma.sync [0] and wgmma [1], less one; 0: not measured. */
#define MEASURED(ceiling) ((int)SMC_CEILING_##ceiling + 1)
static const int product_ceiling[2][SMC_PRODUCT_TYPES] = {
    {[SMC_PRODUCT_FP16] = MEASURED(MMA_FP16),
     [SMC_PRODUCT_BF16] = MEASURED(MMA_BF16),
     [SMC_PRODUCT_TF32] = MEASURED(MMA_TF32),
     [SMC_PRODUCT_INT8] = MEASURED(MMA_INT8),
     [SMC_PRODUCT_INT1] = MEASURED(MMA_INT8), /* an eighth */
     [SMC_PRODUCT_FP64] = MEASURED(MMA_FP64)},
    {[SMC_PRODUCT_FP16] = MEASURED(WGMMA_FP16),
     [SMC_PRODUCT_BF16] = MEASURED(WGMMA_BF16),
     [SMC_PRODUCT_TF32] = MEASURED(WGMMA_TF32),
     [SMC_PRODUCT_INT8] = MEASURED(WGMMA_INT8),
     [SMC_PRODUCT_FP8] = MEASURED(WGMMA_FP8)},
};

/* The published rate, in multiply-adds a clock and SM. */
static double published_rate(const struct smc_rates *rates, const struct smc_mma *product)
{
    bool halves = product->type == SMC_PRODUCT_FP16 || product->type == SMC_PRODUCT_BF16 ||
                  product->type == SMC_PRODUCT_TF32;
    double rate = rates->product_peak[product->type];
    return halves && product->is_wide ? rate / rates->wide_products : rate;
}

/* The share of the peak that was measured with accumulators of 32 bits; without a measurement that
   of an H200. Never more than the peak. */
static void set_shares(struct smc_rates *rates, const struct smc_ceilings *ceilings)
{
    double most = MOST_MMA_FMAS / rates->product_peak[SMC_PRODUCT_FP16];
    for (int group = 0; group < 2; group++)
        for (int type = 0; type < SMC_PRODUCT_TYPES; type++) {
            const struct smc_mma product = {.type = (enum smc_product_type)type, .is_wide = true};
            int ceiling = product_ceiling[group][type];
            double measured = ceilings && ceiling > 0 ? ceilings->value[ceiling - 1] : 0;
            measured *= type == SMC_PRODUCT_INT1 ? BITS_OF_BYTE : 1;
            double share = measured / fmax(published_rate(rates, &product), 1);
            if (measured <= 0)
                share = group || type == SMC_PRODUCT_FP64 ? 1 : most;
            rates->product_share[group][type] = fmin(share, 1);
        }
}

void smc_rates_set_products(struct smc_rates *rates, const struct smc_device *device,
                            const struct smc_capability *capability,
                            const struct smc_ceilings *ceilings)
{
    double peak = capability->tensor_fmas_per_sm;
    set_peaks(rates, capability);
    rates->wide_products = strstr(device->name, "GeForce") ? 2 : 1; /* data/README.md */
    set_shares(rates, ceilings);
    rates->tensor_slowdown = peak > MOST_MMA_FMAS ? SLOWDOWN : 0;
    rates->l2_slowdown = peak > MOST_MMA_FMAS ? L2_SLOWDOWN : 0;
    rates->least_tensor_slowdown = peak > MOST_MMA_FMAS ? LEAST_SLOWDOWN : 0;
    rates->product_latency[0] = 49;
    rates->product_latency[1] = 38;
    rates->product_queue = 7;
    rates->phase_check = 20;
    rates->phase_latency = 25;
    rates->bulk_row_clocks = 1;
    rates->bulk_store_latency = 46;
    rates->bulk_slots = 1;
}

bool smc_product_is_measured(const char *label, const struct smc_ceilings *ceilings)
{
    for (int group = 0; group < 2; group++)
        for (int type = 0; type < SMC_PRODUCT_TYPES; type++) {
            int ceiling = product_ceiling[group][type];
            if (strcmp(smc_product_info[type].label, label) == 0 && ceiling > 0 &&
                ceilings->value[ceiling - 1] > 0)
                return true;
        }
    return false;
}

double smc_rates_product_fmas(const struct smc_sass_instruction *in)
{
    struct smc_mma product;
    if (!smc_mma_of(in, &product))
        return 0;
    double fmas = (double)product.m * product.n * product.k;
    return product.is_group ? fmas / WARPS_OF_GROUP : fmas;
}

/* Clocks of its sub-partition at a rate in multiply-adds a clock and SM. */
static double clocks_at(const struct smc_rates *rates, const struct smc_sass_instruction *in,
                        double fmas)
{
    return fmas > 0 ? smc_rates_product_fmas(in) * rates->subpartitions / fmas : 0;
}

double smc_rates_product_clocks(const struct smc_rates *rates,
                                const struct smc_sass_instruction *in)
{
    struct smc_mma product;
    double least = LEAST_MMA;
    if (!smc_mma_of(in, &product))
        return 0;
    double rate =
        published_rate(rates, &product) * rates->product_share[product.is_group][product.type];
    if (product.is_sparse && !product.is_group &&
        rates->product_peak[SMC_PRODUCT_FP16] > MOST_MMA_FMAS) {
        rate *= sparse_share;
        least = LEAST_SPARSE;
    }
    if (product.is_group)
        least = product.a_in_registers ? LEAST_GROUP : 0;
    else if (product.type == SMC_PRODUCT_FP64)
        least = LEAST_FP64;
    return rate > 0 ? fmax(least, clocks_at(rates, in, rate)) : 0;
}

double smc_rates_product_peak_clocks(const struct smc_rates *rates,
                                     const struct smc_sass_instruction *in)
{
    struct smc_mma product;
    return smc_mma_of(in, &product) ? clocks_at(rates, in, published_rate(rates, &product)) : 0;
}

double smc_rates_product_wavefronts(const struct smc_sass_instruction *in)
{
    struct smc_mma product;
    if (!smc_mma_of(in, &product) || !product.is_group)
        return 0;
    double rows =
        (product.is_sparse ? 2 : 1) * product.n + (product.a_in_registers ? 0 : product.m);
    double bits = rows * product.k * smc_product_info[product.type].bits;
    return bits / 8 / WAVEFRONT_BYTES / WARPS_OF_GROUP;
}
