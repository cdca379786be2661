/* The screens. */
#include "tui/state.h"

const struct smc_view *const smc_views[SMC_VIEW_COUNT] = {
    [SMC_VIEW_EXPLORE] = &smc_view_explore, [SMC_VIEW_LESSONS] = &smc_view_lessons,
    [SMC_VIEW_BANKS] = &smc_view_banks,     [SMC_VIEW_DEVICES] = &smc_view_devices,
    [SMC_VIEW_CONFIRM] = &smc_view_confirm,
};
