/* The built-in table of resources. */
#include "code/compile/resource_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct smc_table_row rows[] = {
#include "code/compile/resources.inc"
};

size_t smc_table_count(void)
{
    return sizeof rows / sizeof *rows;
}

const struct smc_table_row *smc_table_row_at(size_t index)
{
    return &rows[index];
}

static int resource_table_compare(const struct smc_table_row *row, const char *kernel,
                                  const char *defines)
{
    int order = strcmp(row->kernel, kernel);
    return order || !defines ? order : strcmp(row->defines, defines);
}

/* The first row that is not before the kernel (and its defines, if not NULL). */
static size_t lower_bound(const char *kernel, const char *defines)
{
    size_t low = 0, high = smc_table_count();
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (resource_table_compare(&rows[middle], kernel, defines) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

unsigned smc_table_distance(uint16_t a, uint16_t b)
{
    return a > b ? (unsigned)(a - b) : (unsigned)(b - a);
}

/* The row of the nearest compute capability among those with these defines. */
static const struct smc_table_row *nearest_cc(const char *kernel, const char *defines, uint16_t cc)
{
    const struct smc_table_row *best = NULL;
    for (size_t i = lower_bound(kernel, defines);
         i < smc_table_count() && resource_table_compare(&rows[i], kernel, defines) == 0; i++)
        if (!best || smc_table_distance(rows[i].cc, cc) < smc_table_distance(best->cc, cc))
            best = &rows[i];
    return best;
}

/* How far apart two lists of options are: numbers by their difference, other values (the element
   type) by more than any number. */
static uint64_t defines_distance(const char *a, const char *b)
{
    const uint64_t apart = UINT64_C(1) << 48;
    uint64_t sum = 0;
    while (*a || *b) {
        size_t m = strcspn(a, " "), n = strcspn(b, " ");
        const char *p = memchr(a, '=', m), *q = memchr(b, '=', n);
        bool same = m == n && memcmp(a, b, m) == 0;
        bool same_name = p && q && p - a == q - b && memcmp(a, b, (size_t)(p - a)) == 0;
        if (!same && same_name) {
            char *p_end, *q_end;
            long long x = strtoll(p + 1, &p_end, 10), y = strtoll(q + 1, &q_end, 10);
            bool numbers = p_end == a + m && q_end == b + n && p_end > p + 1 && q_end > q + 1;
            uint64_t gap = x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
            sum += numbers && gap < apart ? gap : apart;
        } else if (!same) {
            sum += 2 * apart;
        }
        a += m + (a[m] != '\0');
        b += n + (b[n] != '\0');
    }
    return sum;
}

/* Only the first row of each list of options is compared. */
static const struct smc_table_row *nearest_defines(const char *kernel, const char *defines)
{
    const struct smc_table_row *best = NULL;
    uint64_t least = UINT64_MAX;
    char next_name[sizeof rows[0].kernel +
                   1]; /* after all rows of the kernel, before longer names */
    snprintf(next_name, sizeof next_name, "%s\x01", kernel);
    const size_t first = lower_bound(kernel, NULL), end = lower_bound(next_name, NULL);
    for (size_t i = first; i < end; i++) {
        if (i > first && strcmp(rows[i - 1].defines, rows[i].defines) == 0)
            continue;
        uint64_t gap = defines_distance(rows[i].defines, defines);
        if (gap < least) {
            least = gap;
            best = &rows[i];
        }
    }
    return best;
}

enum smc_table_match smc_table_find(const char *kernel, const char *defines, uint16_t cc,
                                    const struct smc_table_row **row)
{
    char wanted[256];
    snprintf(wanted, sizeof wanted, "%s", defines);
    for (char *s = wanted; *s; s++)
        if (*s == '\n')
            *s = s[1] ? ' ' : '\0';
    *row = nearest_cc(kernel, wanted, cc);
    if (*row)
        return (*row)->cc == cc ? SMC_TABLE_EXACT : SMC_TABLE_OTHER_CC;
    const struct smc_table_row *nearest = nearest_defines(kernel, wanted);
    if (!nearest)
        return SMC_TABLE_NOTHING;
    *row = nearest_cc(kernel, nearest->defines, cc);
    return SMC_TABLE_OTHER_PARAMETERS;
}

void smc_table_fill(const struct smc_table_row *row, struct smc_resources *resources)
{
    char *dot;
    resources->nvrtc_major = (int)strtol(row->nvrtc, &dot, 10);
    resources->nvrtc_minor = *dot == '.' ? (int)strtol(dot + 1, NULL, 10) : 0;
    resources->cc = row->cc;
    resources->regs_per_thread = row->registers;
    resources->static_smem_bytes = row->static_smem;
    resources->stack_bytes = row->stack;
    resources->spill_store_bytes = row->spill_stores;
    resources->spill_load_bytes = row->spill_loads;
    resources->barriers = row->barriers;
}
