/* The types of PTX. */
#include "machine/emulator/ptx_reader.h"

const struct smc_ptx_type_info smc_ptx_type_info[SMC_PTX_TYPE_COUNT] = {
#define TYPE(id, name, bytes, class) [SMC_PTX_##id] = {name, bytes, SMC_CLASS_##class},
#include "machine/emulator/ptx_types.def"
};

bool smc_ptx_is_half(enum smc_ptx_type type)
{
    return type == SMC_PTX_F16 || type == SMC_PTX_F16X2 || type == SMC_PTX_BF16 ||
           type == SMC_PTX_BF16X2;
}

enum smc_ptx_type smc_ptx_type_find(struct smc_span name)
{
    int type = 0;
    while (type < SMC_PTX_TYPE_COUNT && !smc_span_is(name, smc_ptx_type_info[type].name))
        type++;
    return (enum smc_ptx_type)type;
}
