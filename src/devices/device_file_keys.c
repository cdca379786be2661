/* The keys of a device in JSON, once for reading and for writing. */
#include "devices/device_file_keys.h"

#include <string.h>

/* What reports print in full. */
enum { MOST_TEXT = 1000 };

#define MEMBER(member)  offsetof(struct smc_device, member), sizeof((struct smc_device *)0)->member
#define LONGEST(member) (sizeof((struct smc_device *)0)->member - 1)
#define NUMBER(kind, name, member, highest)                                                        \
    {                                                                                              \
        name, SMC_KEY_##kind, MEMBER(member), 0, highest                                           \
    }
#define SKIPPED(kind, name)                                                                        \
    {                                                                                              \
        name, SMC_KEY_##kind, 0, 0, 0, 0                                                           \
    }

const struct smc_device_key smc_device_keys[] = {
    {"name", SMC_KEY_NAME, MEMBER(name), 1, LONGEST(name)},
    {"compute_capability", SMC_KEY_CAPABILITY, MEMBER(sm.cc), 0, 0},
    NUMBER(KNOWN, "sm_count", sm_count, 1000000),
    SKIPPED(SOURCE, "source"),
    SKIPPED(GPU_INDEX, "gpu_index"),
    {"family", SMC_KEY_TEXT, MEMBER(family), 0, MOST_TEXT},
    {"chip", SMC_KEY_NAME, MEMBER(chip), 0, LONGEST(chip)},
    NUMBER(KNOWN, "sm_clock_khz", sm_clock_khz, 1000000000),
    NUMBER(KNOWN, "memory_bus_bits", memory_bus_bits, 1000000),
    NUMBER(REAL, "memory_bytes_per_s", memory_bytes_per_s, 1000000000000000),
    NUMBER(KNOWN, "l2_bytes", l2_bytes, UINT64_C(1) << 50),
    NUMBER(KNOWN, "global_mem_bytes", global_mem_bytes, UINT64_C(1) << 60),
    NUMBER(REAL, "fp32_peak_tflops", fp32_peak_tflops, 1000000),
#define INTEGER(member, name, form, lowest, highest)                                               \
    {name, SMC_KEY_##form, MEMBER(sm.member), lowest, highest},
#define GRANULARITY(member, name)      {name, SMC_KEY_GRANULARITY, MEMBER(sm.member), 0, 0},
#define CARVEOUTS(count, member, name) {name, SMC_KEY_CARVEOUTS, MEMBER(sm.member), 0, UINT32_MAX},
#include "model/sm_fields.def"
#undef INTEGER
#undef GRANULARITY
#undef CARVEOUTS
    {"uncertain", SMC_KEY_TEXT, MEMBER(uncertain), 0, MOST_TEXT},
    {"sources", SMC_KEY_TEXT, MEMBER(sources), 0, MOST_TEXT},
    SKIPPED(ASSUMED, "assumed"),
};

const size_t smc_device_key_count = sizeof smc_device_keys / sizeof *smc_device_keys;

const void *smc_device_key_member(const struct smc_device_key *key, const struct smc_device *device)
{
    return (const char *)device + key->offset;
}

/* Members are 16, 32 or 64 bits wide. */
uint64_t smc_device_key_integer(const struct smc_device_key *key, const struct smc_device *device)
{
    const void *member = smc_device_key_member(key, device);
    uint16_t narrow;
    uint32_t word;
    uint64_t wide;
    switch (key->size) {
    case sizeof narrow:
        memcpy(&narrow, member, sizeof narrow);
        return narrow;
    case sizeof word:
        memcpy(&word, member, sizeof word);
        return word;
    default:
        memcpy(&wide, member, sizeof wide);
        return wide;
    }
}

void smc_device_key_set_integer(const struct smc_device_key *key, uint64_t value,
                                struct smc_device *device)
{
    char *member = (char *)device + key->offset;
    uint16_t narrow = (uint16_t)value;
    uint32_t word = (uint32_t)value;
    switch (key->size) {
    case sizeof narrow:
        memcpy(member, &narrow, sizeof narrow);
        return;
    case sizeof word:
        memcpy(member, &word, sizeof word);
        return;
    default:
        memcpy(member, &value, sizeof value);
    }
}
