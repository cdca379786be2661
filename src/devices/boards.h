/* What looking up needs of the table of boards. */
#ifndef SMC_DEVICES_BOARDS_H
#define SMC_DEVICES_BOARDS_H

#include <stddef.h>

/* The name of smc_device_at(index), without making the whole device. */
const char *smc_board_name(size_t index);

#endif
