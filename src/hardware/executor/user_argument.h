/* An argument of a kernel as the user types it: a number (i32:5, u64:16M, f32:1.5, or as in C: 5,
   int=5), global memory (f32x1024:random, i32x4K, u8x512:file:PATH, float[1024]), a structure
   ({1, 2.5f, f32x64}, struct:PATH), memory that holds members as a structure does ([f32x64,
   f32x64]: an array of pointers), an address within the memory of another argument (@2+16), or a
   texture or surface over memory of its own (tex.linear:f32x64x32:random), or a tensor map of such
   memory (tmap:f16x4096x4096:box=64x64:stride=8192:swizzle=128:random). Pure: no file is opened
   here. */
#ifndef SMC_HARDWARE_USER_ARGUMENT_H
#define SMC_HARDWARE_USER_ARGUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "machine/emulator.h"
#include "machine/tensor_maps.h"

enum smc_user_type {
#define TYPE(id, name, bytes, class) SMC_USER_##id,
#include "hardware/executor/types.def"
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
                       8 bits: all), or from `bits` to `highest` */
    SMC_USER_FILE,   /* the bytes of `path` */
};

enum smc_user_form {
    SMC_USER_PLAIN,      /* a number or memory */
    SMC_USER_STRUCT,     /* its members, by value */
    SMC_USER_BYTES,      /* a structure whose bytes are in a file */
    SMC_USER_LIST,       /* memory with members */
    SMC_USER_ADDRESS,    /* within the memory of another argument */
    SMC_USER_TEXTURE,    /* memory, of which the kernel receives a texture or surface object */
    SMC_USER_TENSOR_MAP, /* memory, of which the kernel receives a tensor map, by value */
};

struct smc_user_argument {
    const char *typed; /* the caller's */
    enum smc_user_form form;
    enum smc_user_type type;
    bool is_buffer;
    bool is_literal;   /* 5, 1.5f: a number whose type the parameter or variable decides */
    bool is_bounded;   /* SMC_USER_RANDOM with bounds */
    uint64_t bits;     /* of a number: its low bytes */
    uint64_t highest;  /* likewise */
    uint64_t elements; /* of a buffer: 1 or more */
    enum smc_user_filling filling;
    const char *path;
    uint64_t bytes;      /* of a structure */
    uint32_t align;      /* of a structure */
    size_t target, part; /* of an address: the argument, and which of its memories; from 1 */
    int64_t offset;      /* of an address, in elements of that memory */
    struct smc_emulated_texture texture; /* without its array */
    bool is_surface, is_layered;         /* of a texture */
    uint8_t dimensions;                  /* of a texture, without layers: 1 to 3 */
    struct smc_tensor_map map;           /* without its address */
};

enum { SMC_MOST_STRUCT_BYTES = 32764, SMC_MOST_LIST_BYTES = 1 << 24 };

/* SMC_USAGE with an error message without a prefix: "'f33:1': ...". */
enum smc_status smc_user_argument_parse(const char *typed, struct smc_user_argument *argument,
                                        struct smc_error *error);

/* What a type has: "a whole number from -128 to 127", "a number of type f16, from -65504 to
   65504". */
enum { SMC_USER_RANGE = 64 };
void smc_user_describe_range(enum smc_user_type type, char text[SMC_USER_RANGE]);

/* Gives a literal the type. False: the type has no such number. */
bool smc_user_convert_literal(enum smc_user_type type, struct smc_user_argument *argument);

/* Appends how to type a literal for a place of which only the size is known:
   ": write i32:5 or f32:5"; nothing if no type of that size has the number. */
void smc_user_suggest_types(const struct smc_user_argument *literal, uint64_t bytes,
                            struct smc_text *text);

/* A variable of the module: what it holds before the launch, or only its name. */
struct smc_user_variable {
    const char *typed;
    char name[256];
    bool is_set;
    struct smc_user_argument value;
};

/* "NAME=VALUE", a value as a member of a structure or memory, or "NAME:FILE". */
enum smc_status smc_user_variable_parse(const char *typed, struct smc_user_variable *variable,
                                        struct smc_error *error);

/* The length of the name at the beginning of "ns::name:rest"; 0: there is none. */
size_t smc_user_variable_name(const char *typed);

/* Is called for a member: a number, memory, an address or a tensor map, `place` bytes from the
   beginning. `typed` of the member does not outlive the call. */
typedef enum smc_status smc_user_visit(void *context, const struct smc_user_argument *member,
                                       uint64_t place, struct smc_error *error);

/* Visits the members of a structure or list in order, each at the next multiple of its size, as C
   places them. `visit` may be NULL. */
enum smc_status smc_user_members(const char *typed, smc_user_visit *visit, void *context,
                                 uint64_t *bytes, uint32_t *align, struct smc_error *error);

/* Whether the kernel receives the address of the argument's own memory, or an object over it. */
bool smc_user_passes_memory(const struct smc_user_argument *argument);

/* Whether the kernel receives an address: memory, or an address within it. */
bool smc_user_is_pointer(const struct smc_user_argument *argument);

/* The tensor map of an argument whose memory is at an address, as the emulator and the model of
   time read it. */
void smc_user_tensor_map(const struct smc_user_argument *argument, uint64_t address,
                         unsigned char bytes[SMC_TENSOR_MAP_BYTES]);

/* The size in bytes of a buffer, a number or a structure with members. */
uint64_t smc_user_argument_bytes(const struct smc_user_argument *argument);

/* Element `index` of `data`, of a type of floating point. */
double smc_user_number(enum smc_user_type type, const void *data, uint64_t index);

/* The same of any type; integers beyond 2^53 are rounded. */
double smc_user_any_number(enum smc_user_type type, const void *data, uint64_t index);

/* How far two floats of an array may differ to count as equal: this share of the largest finite one
   in it. 0 for integers. */
double smc_user_slack(const struct smc_user_argument *argument, const void *data, double share);

/* Whether the numbers count as equal. */
bool smc_user_is_close(double a, double b, double slack);

/* The nearest number of the type, ties to even; of a type of floating point. */
uint64_t smc_user_number_bits(enum smc_user_type type, double number);

/* Element `index` of `data`, in decimal. */
void smc_user_show(enum smc_user_type type, const void *data, uint64_t index, char text[32]);

#endif
