/* The kernels of `smemcalc check` in C, each with the faults of a GPU that is not healthy. */
#include "fake_health.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hardware/fleet/health.h"

bool fake_fault_read(const char *text, struct fake_fault *fault)
{
    static const struct {
        const char *word;
        int numbers;
    } kinds[] = {
        [FAKE_NO_FAULT] = {"none", 0},   [FAKE_LANE] = {"lane", 3},
        [FAKE_SM] = {"sm", 1},           [FAKE_UNSEEN] = {"unseen", 1},
        [FAKE_SHARED] = {"shared", 3},   [FAKE_MEMORY] = {"memory", 2},
        [FAKE_PRODUCT] = {"product", 0}, [FAKE_RESIDENT] = {"resident", 0},
        [FAKE_SLOW] = {"slow", 0},       [FAKE_DIES] = {"dies", 0},
    };
    char word[16] = "";
    uint64_t *n = fault->number;
    int read = sscanf(text, "%15s %" SCNu64 " %" SCNu64 " %" SCNu64, word, &n[0], &n[1], &n[2]);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (read == 1 + kinds[i].numbers && strcmp(word, kinds[i].word) == 0) {
            fault->kind = (int)i;
            return true;
        }
    return false;
}

/* --- SMs -------------------------------------------------------------------------------------- */

static bool is_wrong(const struct fake_fault *fault, uint32_t sm, uint32_t warp, uint32_t lane,
                     int unit)
{
    if (fault->kind == FAKE_SM)
        return fault->number[0] == sm && unit == SMC_UNIT_FLOAT;
    return fault->kind == FAKE_LANE && fault->number[0] == sm && fault->number[1] == warp % 4 &&
           fault->number[2] == lane && unit == SMC_UNIT_INTEGER;
}

static void run_block(uint32_t sm, uint32_t *chains, const struct fake_fault *fault)
{
    for (uint32_t t = 0; t < SMC_HEALTH_THREADS; t++) {
        uint32_t lane = t % SMC_HEALTH_LANES, warp = t / SMC_HEALTH_LANES;
        uint32_t *value = chains + t * SMC_HEALTH_VALUES;
        for (int unit = 0; unit < SMC_UNITS; unit++) {
            value[unit] = smc_health_lane((enum smc_health_unit)unit, lane);
            value[unit] ^= is_wrong(fault, sm, warp, lane, unit) ? 0x400u : 0;
        }
        value[SMC_UNITS] = warp;
    }
}

/* The faults that the program injects itself are real GPUs' and the emulator's. */
static void run_sms(uint32_t blocks, uint32_t sms, void **arguments, const struct fake_fault *fault)
{
    struct smc_health_seen *seen = *(struct smc_health_seen **)arguments[0];
    uint32_t *chains = *(uint32_t **)arguments[1];
    for (uint32_t b = 0; b < blocks; b++) {
        uint32_t sm = b % sms;
        if (fault->kind == FAKE_UNSEEN && fault->number[0] == sm)
            sm = (sm + 1) % sms;
        seen[b] = (struct smc_health_seen){.sm = sm};
        run_block(sm, chains + (size_t)b * SMC_HEALTH_THREADS * SMC_HEALTH_VALUES, fault);
        if (fault->kind != FAKE_SHARED || fault->number[0] != sm)
            continue;
        seen[b].wrong = 1;
        seen[b].fault[0].word = (uint32_t)fault->number[1] / 4;
        seen[b].fault[0].bits = 1u << fault->number[2];
    }
}

/* --- Memory ----------------------------------------------------------------------------------- */

/* What kernels/health_memory.cu writes into 16 bytes, which are number `unit` of the array. */
static void pattern(uint64_t unit, uint32_t inverse, uint32_t words[4])
{
    const uint32_t low = (uint32_t)unit, high = (uint32_t)(unit >> 32);
    const uint32_t mixed = low * 0x9e3779b9u;
    words[0] = mixed ^ inverse;
    words[1] = (low + high * 0x10001u) ^ ~inverse;
    words[2] = (mixed << 13 | mixed >> 19) ^ ~inverse;
    words[3] = (mixed ^ low) ^ inverse;
}

static void write_memory(void **arguments, const struct fake_fault *fault)
{
    uint32_t(*data)[4] = *(uint32_t(**)[4])arguments[0];
    uint64_t units = *(uint64_t *)arguments[1];
    uint32_t inverse = *(uint32_t *)arguments[2];
    for (uint64_t i = 0; i < units; i++)
        pattern(i, inverse, data[i]);
    uint64_t word = fault->number[0] / 4;
    if (fault->kind == FAKE_MEMORY && word / 4 < units)
        data[word / 4][word % 4] |= 1u << fault->number[1]; /* the cell is always 1 */
}

static void read_memory(void **arguments)
{
    uint32_t(*data)[4] = *(uint32_t(**)[4])arguments[0];
    uint64_t units = *(uint64_t *)arguments[1];
    uint32_t inverse = *(uint32_t *)arguments[2];
    struct smc_health_found *found = *(struct smc_health_found **)arguments[3];
    for (uint64_t i = 0; i < units; i++) {
        uint32_t kept[4];
        pattern(i, inverse, kept);
        for (int k = 0; k < 4; k++) {
            if (data[i][k] == kept[k])
                continue;
            if (found->wrong < SMC_FOUND_FAULTS) {
                found->fault[found->wrong].word = 4 * i + (uint64_t)k;
                found->fault[found->wrong].bits = data[i][k] ^ kept[k];
            }
            found->wrong++;
        }
    }
}

/* --- Products --------------------------------------------------------------------------------- */

/* Column-major or not: element (row, step) of A is at a[row * lda + step], of B at b[step * step_b
   + column * column_b]. The sums are made in the order of the kernels. */
enum { MOST_STEPS = 1 << 26 };

struct product {
    int m, n, k, lda, ldc, step_b, column_b;
};

#define MULTIPLY(type, add)                                                                        \
    static void multiply_##type(const struct product *p, const type *a, const type *b, type *c)    \
    {                                                                                              \
        for (int i = 0; i < p->m; i++)                                                             \
            for (int j = 0; j < p->n; j++) {                                                       \
                type sum = 0;                                                                      \
                for (int k = 0; k < p->k; k++)                                                     \
                    sum = add(a[(size_t)i * (size_t)p->lda + (size_t)k],                           \
                              b[(size_t)k * (size_t)p->step_b + (size_t)j * (size_t)p->column_b],  \
                              sum);                                                                \
                c[(size_t)i * (size_t)p->ldc + (size_t)j] = sum;                                   \
            }                                                                                      \
    }
MULTIPLY(float, fmaf)
MULTIPLY(double, fma)

static void multiply(const struct product *product, void *a, void *b, void *c,
                     const struct fake_fault *fault, size_t (*bytes_of)(const void *memory))
{
    if ((double)product->m * product->n * product->k > MOST_STEPS)
        return; /* launched for its time alone */
    if (bytes_of(c) == (size_t)product->m * (size_t)product->ldc * sizeof(double))
        multiply_double(product, a, b, c);
    else
        multiply_float(product, a, b, c);
    if (fault->kind == FAKE_PRODUCT)
        ((uint32_t *)c)[product->ldc / 2] ^= 1;
}

static void run_matmul(void **arguments, const struct fake_fault *fault,
                       size_t (*bytes_of)(const void *memory))
{
    int *const *n = (int *const *)arguments;
    const struct product product = {
        .m = *n[3],
        .n = *n[4],
        .k = *n[5],
        .lda = *n[6],
        .step_b = *n[7],
        .column_b = 1,
        .ldc = *n[8],
    };
    multiply(&product, *(void **)arguments[0], *(void **)arguments[1], *(void **)arguments[2],
             fault, bytes_of);
}

static void run_aat(void **arguments, const struct fake_fault *fault,
                    size_t (*bytes_of)(const void *memory))
{
    int *const *n = (int *const *)arguments;
    const struct product product = {
        .m = *n[2],
        .n = *n[2],
        .k = *n[3],
        .lda = *n[4],
        .step_b = 1,
        .column_b = *n[4],
        .ldc = *n[5],
    };
    void *a = *(void **)arguments[0];
    multiply(&product, a, a, *(void **)arguments[1], fault, bytes_of);
}

static void run_reverse(void **arguments)
{
    const int *input = *(int **)arguments[0];
    int *output = *(int **)arguments[1], length = *(int *)arguments[2];
    for (int i = 0; i < length; i++)
        output[i] = input[length - 1 - i];
}

bool fake_health_run(const char *kernel, uint32_t blocks, uint32_t sms, void **arguments,
                     const struct fake_fault *fault, size_t (*bytes_of)(const void *memory))
{
    if (strcmp(kernel, "health_sms") == 0)
        run_sms(blocks, sms, arguments, fault);
    else if (strcmp(kernel, "health_write") == 0)
        write_memory(arguments, fault);
    else if (strcmp(kernel, "health_read") == 0)
        read_memory(arguments);
    else if (strncmp(kernel, "matmul_", 7) == 0)
        run_matmul(arguments, fault, bytes_of);
    else if (strncmp(kernel, "aat_", 4) == 0)
        run_aat(arguments, fault, bytes_of);
    else if (strncmp(kernel, "reverse_", 8) == 0)
        run_reverse(arguments);
    else
        return false;
    return true;
}
