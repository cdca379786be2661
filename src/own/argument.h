/* An argument of a kernel as a person types it: a number (i32:5, u64:16M, f32:1.5) or global memory
   (f32x1024:random, i32x4K, u8x512:file:PATH). Pure: no file is opened here. */
#ifndef SMC_OWN_ARGUMENT_H
#define SMC_OWN_ARGUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum smc_own_type {
#define TYPE(id, name, bytes, class) SMC_OWN_##id,
#include "own/types.def"
#undef TYPE
    SMC_OWN_TYPE_COUNT
};

enum smc_own_class { SMC_OWN_SIGNED, SMC_OWN_UNSIGNED, SMC_OWN_FLOAT };

struct smc_own_type_info {
    const char *name;
    uint8_t bytes;
    enum smc_own_class class;
};
extern const struct smc_own_type_info smc_own_types[SMC_OWN_TYPE_COUNT];

enum smc_own_filling {
    SMC_OWN_NUMBER, /* every element `bits` */
    SMC_OWN_RAMP,   /* 0, 1, 2, ... */
    SMC_OWN_RANDOM, /* floats from -1 to 1, integers from -1000 to 1000 (unsigned: 0 to 2000; of
                       8 bits: all) */
    SMC_OWN_FILE,   /* the bytes of `path` */
};

struct smc_own_argument {
    const char *typed; /* the caller's */
    enum smc_own_type type;
    bool is_buffer;
    uint64_t bits;     /* of a number: its low bytes */
    uint64_t elements; /* of a buffer: 1 or more */
    enum smc_own_filling filling;
    const char *path;
};

/* SMC_USAGE with what is wrong, without a prefix: "'f33:1': ...". */
enum smc_status smc_own_argument_parse(const char *typed, struct smc_own_argument *argument,
                                       struct smc_error *error);

/* Bytes of a buffer, or of a number. */
uint64_t smc_own_argument_bytes(const struct smc_own_argument *argument);

/* Element `index` of `data`, in decimal. */
void smc_own_show(enum smc_own_type type, const void *data, uint64_t index, char text[32]);

#endif
