/* The numeric types of C and CUDA C++ by their names, as parameters are declared with them. */
#ifndef SMC_HARDWARE_C_TYPES_H
#define SMC_HARDWARE_C_TYPES_H

#include "base/text.h"
#include "hardware/executor/user_argument.h"

struct smc_c_type {
    enum smc_user_type type;     /* of void: bytes */
    unsigned lanes;              /* 4 of float4, 1 of float */
    unsigned pointers;           /* 1 of float * */
    bool is_texture, is_surface; /* an object: cudaTextureObject_t */
    bool is_tensor_map;          /* CUtensorMap */
};

/* Reads the type at the beginning of "const float4 *__restrict__ in", without the name. Returns the
   length of its text; 0: it is none of these types. */
size_t smc_c_type_read(const char *text, struct smc_c_type *type);

/* "float": the usual name in C. */
const char *smc_c_type_name(enum smc_user_type type);

/* Appends an argument that a parameter of the type accepts: f32x1024:random, i32:1024. */
void smc_c_type_example(const struct smc_c_type *type, struct smc_text *text);

#endif
