/* An argument of a kernel as the user types it: a number (i32:5, u64:16M, f32:1.5) or global memory
   (f32x1024:random, i32x4K, u8x512:file:PATH). Pure: no file is opened here. */
#ifndef SMC_USER_ARGUMENT_H
#define SMC_USER_ARGUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum smc_user_type {
#define TYPE(id, name, bytes, class) SMC_USER_##id,
#include "executor/types.def"
#undef TYPE
    SMC_USER_TYPE_COUNT
};

enum smc_user_class { SMC_USER_SIGNED, SMC_USER_UNSIGNED, SMC_USER_FLOAT };

struct smc_user_type_info {
    const char *name;
    uint8_t bytes;
    enum smc_user_class class;
};
extern const struct smc_user_type_info smc_user_types[SMC_USER_TYPE_COUNT];

enum smc_user_filling {
    SMC_USER_NUMBER, /* every element `bits` */
    SMC_USER_RAMP,   /* 0, 1, 2, ... */
    SMC_USER_RANDOM, /* floats from -1 to 1, integers from -1000 to 1000 (unsigned: 0 to 2000; of
                       8 bits: all) */
    SMC_USER_FILE,   /* the bytes of `path` */
};

struct smc_user_argument {
    const char *typed; /* the caller's */
    enum smc_user_type type;
    bool is_buffer;
    uint64_t bits;     /* of a number: its low bytes */
    uint64_t elements; /* of a buffer: 1 or more */
    enum smc_user_filling filling;
    const char *path;
};

/* SMC_USAGE with an error message without a prefix: "'f33:1': ...". */
enum smc_status smc_user_argument_parse(const char *typed, struct smc_user_argument *argument,
                                        struct smc_error *error);

/* The size in bytes of a buffer or of a number. */
uint64_t smc_user_argument_bytes(const struct smc_user_argument *argument);

/* Element `index` of `data`, in decimal. */
void smc_user_show(enum smc_user_type type, const void *data, uint64_t index, char text[32]);

#endif
