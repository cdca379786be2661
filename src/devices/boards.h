/* What looking up needs of the table of boards. */
#ifndef SMC_DEVICES_BOARDS_H
#define SMC_DEVICES_BOARDS_H

#include <stddef.h>
#include <stdint.h>

/* The name of smc_device_at(index), without making the whole device. */
const char *smc_board_name(size_t index);

/* What it is also called, joined by ';': "Orin", as the driver names every Jetson Orin. */
const char *smc_board_other_names(size_t index);

/* As marketed: 80 GB, though a driver reports somewhat less. */
uint64_t smc_board_memory_bytes(size_t index);

#endif
