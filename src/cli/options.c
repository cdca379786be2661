/* The option rows: those of options.def, then the kernels' parameters. */
#include "cli/options.h"

#include "confirm/launch.h"
#include "query/query.h"

enum {
#define COMMAND(ID, name) ID = 1 << SMC_COMMAND_##ID,
#include "cli/commands.def"
#undef COMMAND
    ASKING = QUERY | SWEEP | LIMITS | BEST | CARVEOUT, /* about a launch that need not happen */
    SHOWING = ASKING | TUI,                            /* that, or a screen about it */
    ALL = (1 << SMC_COMMAND_COUNT) - 1,
};

#define PARAM_TYPE(id)                                                                             \
    ((id) == SMC_PARAM_DTYPE          ? SMC_OPTION_DTYPE                                           \
     : (id) == SMC_PARAM_STATIC_BYTES ? SMC_OPTION_BYTES                                           \
                                      : SMC_OPTION_INTEGER)
#define PARAM_VALUE(id)                                                                            \
    ((id) == SMC_PARAM_DTYPE          ? "TYPE"                                                     \
     : (id) == SMC_PARAM_STATIC_BYTES ? "BYTES"                                                    \
     : (id) == SMC_PARAM_BLOCK        ? "SHAPE"                                                    \
                                      : "N")

/* `best` chooses the tile or the block itself; `banks` and `run` read --block as a shape, and no
   bank depends on the problem's sizes, which begin with M. */
#define PARAM_COMMANDS(id)                                                                         \
    (QUERY | TUI | SWEEP | LIMITS | CARVEOUT | ((id) == SMC_PARAM_BLOCK ? 0 : RUN) |               \
     ((id) == SMC_PARAM_TILE    ? BANKS                                                            \
      : (id) == SMC_PARAM_BLOCK ? 0                                                                \
      : (id) < SMC_PARAM_M      ? BANKS | BEST                                                     \
                                : BEST))

const struct smc_option smc_options[SMC_OPTION_COUNT] = {
#define OPTION(id, name, letter, value, type, lowest, highest, initial, choices, group, commands,  \
               help)                                                                               \
    [SMC_OPTION_##id] = {name,    letter,  value,   SMC_OPTION_##type, lowest,                     \
                         highest, initial, choices, SMC_GROUP_##group, commands,                   \
                         help},
#include "cli/options.def"
#undef OPTION
#define PARAM(id, option, lowest, highest, initial, unit, help)                                    \
    [SMC_OPTION_FIRST_PARAM + SMC_PARAM_##id] = {option,                                           \
                                                 SMC_PARAM_##id == SMC_PARAM_TILE ? 't' : 0,       \
                                                 PARAM_VALUE(SMC_PARAM_##id),                      \
                                                 PARAM_TYPE(SMC_PARAM_##id),                       \
                                                 lowest,                                           \
                                                 highest,                                          \
                                                 initial,                                          \
                                                 NULL,                                             \
                                                 SMC_GROUP_KERNEL,                                 \
                                                 PARAM_COMMANDS(SMC_PARAM_##id),                   \
                                                 help},
#include "catalog/params.def"
#undef PARAM
};
