/* Holds the library's ABI: programs compiled with an older smemcalc.h of this soname run with this
   library. Where a pointer has 64 bits, the only kind of machine that CUDA still runs on. */
#include <stddef.h>
#include <stdint.h>

#include "rules/banks.h"
#include "rules/devices.h"
#include "rules/headroom.h"
#include "rules/next_steps.h"
#include "rules/occupancy.h"

#if UINTPTR_MAX == UINT64_MAX
#define STRUCT(name, size, alignment)                                                              \
    _Static_assert(sizeof(struct name) == (size) && _Alignof(struct name) == (alignment),          \
                   "struct " #name " has another size");
#define MEMBER(owner, name, type, count, offset)                                                   \
    _Static_assert(offsetof(struct owner, name) == (offset) &&                                     \
                       sizeof((struct owner){0}.name) == sizeof(type) * (count),                   \
                   #owner "." #name " has moved");
#define VALUE(name, value) _Static_assert(name == (value), #name " has another value");
#include "rules/model/public_layout.def"
#endif

uint32_t smc_version(void)
{
    return SMEMCALC_VERSION;
}
