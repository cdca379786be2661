/* The device read from the GPU equals the table's row for its board. */
#include <stdio.h>
#include <string.h>

#include "gpu_tests.h"

static bool find_board(const char *name, struct smc_device *board)
{
    for (size_t i = 0; i < smc_device_count(); i++) {
        smc_device_at(i, board);
        if (strcmp(board->name, name) == 0)
            return true;
    }
    return false;
}

static void compare_sm(const struct smc_sm *live, const struct smc_sm *table)
{
#define SAME(field) CU_ASSERT_EQUAL(live->field, table->field)
    SAME(cc);
    SAME(warp_size);
    SAME(max_threads_per_block);
    SAME(max_warps_per_sm);
    SAME(max_threads_per_sm);
    SAME(max_blocks_per_sm);
    SAME(regs_per_sm);
    SAME(max_regs_per_block);
    SAME(smem_per_sm_bytes);
    SAME(smem_per_block_default_bytes);
    SAME(smem_per_block_optin_bytes);
    SAME(smem_reserved_per_block_bytes);
    SAME(smem_carveout_count);
    SAME(max_grid_x);
    SAME(max_grid_y);
    SAME(max_grid_z);
#undef SAME
    for (uint32_t i = 0; i < table->smem_carveout_count; i++)
        CU_ASSERT_EQUAL(live->smem_carveout_bytes[i], table->smem_carveout_bytes[i]);
}

static void test_live_equals_table(void)
{
    const struct smc_device *live = gpu_device();
    struct smc_capability capability;
    struct smc_device board;
    CU_ASSERT_EQUAL(live->source, SMC_DEVICE_LIVE);
    CU_ASSERT(live->sm_count > 0 && live->sm_clock_khz > 0 && live->memory_bytes_per_s > 0);
    if (smc_capability_find(live->sm.cc, &capability))
        compare_sm(&live->sm, &capability.sm);
    else
        printf("    the table has no compute capability %u\n", live->sm.cc);
    if (!find_board(live->name, &board)) {
        printf("    the table has no board '%s'\n", live->name);
        return;
    }
    CU_ASSERT_STRING_EQUAL(live->chip, board.chip);
    CU_ASSERT_EQUAL(live->sm_count, board.sm_count);
    CU_ASSERT_EQUAL(live->l2_bytes, board.l2_bytes);
    CU_ASSERT_EQUAL(live->memory_bus_bits, board.memory_bus_bits);
    CU_ASSERT_DOUBLE_EQUAL(live->memory_bytes_per_s, board.memory_bytes_per_s,
                           0.02 * board.memory_bytes_per_s);
    CU_ASSERT_DOUBLE_EQUAL((double)live->global_mem_bytes, (double)board.global_mem_bytes,
                           0.02 * (double)board.global_mem_bytes);
}

static void test_wrong_index(void)
{
    const struct smc_executor *executor = smc_executor_default();
    struct smc_device device;
    struct smc_error error = {""};
    int count = executor->device_count(&error);
    CU_ASSERT_EQUAL(executor->device(count, &device, &error), SMC_UNAVAILABLE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "no GPU"));
}

CU_TestInfo gpu_tests_device[] = {
    {"the live device equals the table", test_live_equals_table},
    {"a GPU that is not there", test_wrong_index},
    CU_TEST_INFO_NULL,
};
