/* Stragglers: the rule, and by simulation how often it raises a false alarm and how many true
   stragglers it finds, for noise of several kinds. doc/many-gpus.md has these rates. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "hardware/fleet/stragglers.h"
#include "share.h"
#include "unit.h"

/* --- Noise ------------------------------------------------------------------------------------ */

static uint64_t state;

/* Uniform between 0 and 1, neither included: xorshift64. */
static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

/* Whether a simulation is run. Where not all are, each begins with a state of its own. */
static bool begins_in_share(size_t noise, size_t deviation, size_t step)
{
    if (!share_is_whole())
        state = UINT64_C(0x9e3779b97f4a7c15) * (1 + noise + 8 * deviation + 64 * step);
    return share_has(noise + deviation + step, 6);
}

/* Each has a standard deviation of 1; below 0 is slower. */

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static double laplace(void)
{
    double x = uniform() - 0.5;
    return (x < 0 ? 1 : -1) * log(1 - 2 * fabs(x)) / sqrt(2);
}

/* Student's t with 3 degrees of freedom: tails that fall with the third power. */
static double heavy(void)
{
    double a = normal(), b = normal(), c = normal();
    return normal() / sqrt((a * a + b * b + c * c) / 3) / sqrt(3);
}

/* A twentieth of the values are three times as far off. */
static double contaminated(void)
{
    return normal() * (uniform() < 0.05 ? 3 : 1) / sqrt(1.4);
}

/* Only slower, never faster: what other programs do to a measurement. */
static double exponential(void)
{
    return log(uniform());
}

static double lognormal(void)
{
    return -exp(0.5 * normal()) / sqrt((exp(0.25) - 1) * exp(0.25));
}

static const struct {
    const char *name;
    double (*draw)(void);
} noises[] = {
    {"normal", normal},
    {"Laplace", laplace},
    {"Student's t, 3 degrees", heavy},
    {"contaminated normal", contaminated},
    {"exponential, slow side", exponential},
    {"log-normal, slow side", lognormal},
};

static const double deviations[] = {0.003, 0.005, 0.01};

/* --- Simulation ------------------------------------------------------------------------------- */

enum { FIGURES = 5, MOST_GPUS = 10000 };

/* How many of `count` GPUs are named for any of their figures. The first `slow` of them are slower
   by `slowness` in the first one; only the others count as false alarms. */
struct tally {
    size_t alarms, sound, found, slow;
};

static void simulate(size_t noise, double deviation, size_t count, size_t slow, double slowness,
                     struct tally *tally)
{
    static double values[MOST_GPUS], sorted[MOST_GPUS];
    static bool named[MOST_GPUS];
    for (size_t i = 0; i < count; i++)
        named[i] = false;
    for (int figure = 0; figure < FIGURES; figure++) {
        for (size_t i = 0; i < count; i++) {
            bool straggles = i < slow && figure == 0;
            values[i] = (1 + deviation * noises[noise].draw()) * (straggles ? 1 - slowness : 1);
            sorted[i] = values[i];
        }
        struct smc_peer_spread spread = smc_peer_spread_of(sorted, count, true);
        for (size_t i = 0; i < count; i++)
            named[i] |= smc_peer_straggles(&spread, values[i], true);
    }
    for (size_t i = 0; i < count; i++) {
        tally->alarms += i >= slow && named[i];
        tally->found += i < slow && named[i];
    }
    tally->sound += count - slow;
    tally->slow += slow;
}

static double percent(size_t part, size_t whole)
{
    return 100 * (double)part / (double)whole;
}

/* Less than 0.1 % of GPUs without a fault are named, though each is judged by five figures. */
static void test_false_alarms(void)
{
    static const size_t counts[] = {16, 64, 256, 1000, 10000};
    state = UINT64_C(0x9e3779b97f4a7c15);
    for (size_t n = 0; n < sizeof noises / sizeof *noises; n++)
        for (size_t d = 0; d < sizeof deviations / sizeof *deviations; d++) {
            printf("\n    %-24s %.1f %%:", noises[n].name, 100 * deviations[d]);
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
                struct tally tally = {0};
                if (!begins_in_share(n, d, c))
                    continue;
                while (tally.sound < 60000)
                    simulate(n, deviations[d], counts[c], 0, 0, &tally);
                printf("  %.3f %% of %zu", percent(tally.alarms, tally.sound), counts[c]);
                CU_ASSERT(percent(tally.alarms, tally.sound) < 0.1);
            }
        }
    printf("\n  ");
}

/* Of a thousand GPUs, ten are slower in one figure. Those far beyond the limit are found. */
static void test_detection(void)
{
    static const double slowness[] = {0.03, 0.04, 0.05, 0.08, 0.12};
    state = UINT64_C(0x9e3779b97f4a7c15);
    for (size_t n = 0; n < sizeof noises / sizeof *noises; n++)
        for (size_t d = 0; d < sizeof deviations / sizeof *deviations; d++) {
            printf("\n    %-24s %.1f %%:", noises[n].name, 100 * deviations[d]);
            for (size_t s = 0; s < sizeof slowness / sizeof *slowness; s++) {
                struct tally tally = {0};
                if (!begins_in_share(n, d, s))
                    continue;
                while (tally.slow < 300)
                    simulate(n, deviations[d], 1000, 10, slowness[s], &tally);
                double found = percent(tally.found, tally.slow);
                printf("  %.0f %% of %.0f %%", found, 100 * slowness[s]);
                if (deviations[d] < 0.004 && slowness[s] >= 0.05)
                    CU_ASSERT(found >= 95);
                if (deviations[d] < 0.004 && slowness[s] >= 0.04)
                    CU_ASSERT(found >= 75);
                if (slowness[s] >= 0.12)
                    CU_ASSERT(found >= 60);
            }
        }
    printf("\n  ");
}

/* --- The rule --------------------------------------------------------------------------------- */

static void test_limits(void)
{
    double values[SMC_FEWEST_PEERS];
    for (size_t i = 0; i < SMC_FEWEST_PEERS; i++)
        values[i] = 100;
    values[7] = 96.5;
    struct smc_peer_spread spread = smc_peer_spread_of(values, SMC_FEWEST_PEERS, true);
    CU_ASSERT_EQUAL(spread.median, 100);
    CU_ASSERT_EQUAL(spread.least, 96.5);
    CU_ASSERT_EQUAL(spread.limit, SMC_STRAGGLER_SHARE);
    CU_ASSERT(smc_peer_straggles(&spread, 96.5, true));
    CU_ASSERT(!smc_peer_straggles(&spread, 97.5, true));
    CU_ASSERT(!smc_peer_straggles(&spread, 200, true));
    values[0] = 103.5; /* 96.5 was sorted to the beginning */
    spread = smc_peer_spread_of(values, SMC_FEWEST_PEERS, false); /* times */
    CU_ASSERT_EQUAL(spread.limit, SMC_STRAGGLER_SHARE);
    CU_ASSERT(!smc_peer_straggles(&spread, 96.5, false));
    CU_ASSERT(smc_peer_straggles(&spread, 103.5, false));
    CU_ASSERT(!smc_peer_straggles(&spread, 102.5, false));
    CU_ASSERT_DOUBLE_EQUAL(smc_peer_slowness(&spread, 200, false), 0.5, 1e-12);
    spread = smc_peer_spread_of(values, SMC_FEWEST_PEERS - 1, true);
    CU_ASSERT_EQUAL(spread.limit, 0);
    CU_ASSERT(!smc_peer_straggles(&spread, 1, true));
    spread = smc_peer_spread_of(values, 0, true);
    CU_ASSERT_EQUAL(spread.median, 0);
    CU_ASSERT(!smc_peer_straggles(&spread, 1, true));
}

/* Up to a tenth of the peers may be stragglers. */
static void test_many_stragglers(void)
{
    struct tally tally = {0};
    state = UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 0; i < 20; i++)
        simulate(0, 0.003, 1000, 90, 0.06, &tally);
    CU_ASSERT(percent(tally.found, tally.slow) > 95);
    CU_ASSERT(percent(tally.alarms, tally.sound) < 0.1);
}

CU_TestInfo tests_stragglers[] = {
    {"the limit, for rates and times", test_limits},
    {"false alarms", test_false_alarms},
    {"stragglers found", test_detection},
    {"many stragglers", test_many_stragglers},
    CU_TEST_INFO_NULL,
};
