/* tui/fields: what can be set by steps and by typing, and what each field shows. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "show/tui/tui_fields.h"
#include "tui_support.h"
#include "unit.h"

static bool has_number(enum smc_field field)
{
    return field != SMC_FIELD_DEVICE && field != SMC_FIELD_KERNEL &&
           field != smc_field_of_param(SMC_PARAM_DTYPE);
}

static void answer(const struct smc_query *query, struct smc_answer *out)
{
    struct smc_text warnings = {0};
    smc_query_evaluate(query, NULL, out, &warnings, NULL);
    smc_text_free(&warnings);
}

static void for_each_field(void (*check)(struct smc_query *query, enum smc_field field))
{
    for (size_t kernel = 0; kernel < test_kernel_count(); kernel++) {
        for (size_t device = 0; device < TEST_DEVICES; device++) {
            struct smc_query query;
            enum smc_field fields[SMC_FIELD_COUNT];
            test_query(test_kernel(kernel), device, &query);
            size_t count = smc_fields_shown(&query, fields);
            CU_ASSERT(count > 4 && fields[0] == SMC_FIELD_DEVICE && fields[1] == SMC_FIELD_KERNEL);
            for (size_t i = 0; i < count; i++) {
                struct smc_query copy = query;
                check(&copy, fields[i]);
            }
        }
    }
}

/* --- Steps --- */

static int64_t number(const struct smc_query *query, enum smc_field field)
{
    struct smc_answer now;
    answer(query, &now);
    return smc_field_number(query, &now, field);
}

static void step(struct smc_query *query, enum smc_field field, int direction, bool far)
{
    struct smc_answer now;
    answer(query, &now);
    smc_field_step(query, &now, field, direction, far);
}

/* The lowest value of some fields means the kernel's own: a leading dimension or length of 0, a
   cluster of one block. */
static bool is_absence(enum smc_field field, int64_t value)
{
    bool own = smc_field_is_param(field) && smc_param_info[smc_field_param(field)].initial == 0 &&
               field != smc_field_of_param(SMC_PARAM_STATIC_BYTES);
    return (own && value == 0) || (field == SMC_FIELD_CLUSTER && value == 1);
}

/* Large steps reach the end and stay there, in both directions. */
static void check_steps(struct smc_query *query, enum smc_field field)
{
    if (!has_number(field))
        return;
    struct smc_field_range range = smc_field_range(query, field);
    CU_ASSERT(range.lowest < range.highest && range.step > 0);
    for (int direction = 1; direction >= -1; direction -= 2) {
        int64_t end = direction > 0 ? range.highest : range.lowest, far = 100 * range.far;
        int64_t last = number(query, field), steps = 0;
        if (is_absence(field, end) || last > range.highest) /* needs more than available */
            continue;
        if (far > 0 && (end - last) * direction > far) /* many steps are needed */
            smc_field_set_number(query, field, last = end - direction * far);
        for (; last != end && steps < 1000000; steps++) {
            step(query, field, direction, steps >= 3);
            int64_t value = number(query, field);
            if (value < range.lowest || value > range.highest || (value > last) != (direction > 0))
                break;
            last = value;
        }
        CU_ASSERT_EQUAL(last, end);
        CU_ASSERT(smc_field_given(query, field) || steps == 0);
        if (direction < 0 && field == SMC_FIELD_CARVEOUT)
            continue; /* values below 0 % mean the driver's own choice */
        step(query, field, direction, false);
        CU_ASSERT_EQUAL(number(query, field), end);
    }
}

static void test_steps(void)
{
    for_each_field(check_steps);
}

static void test_steps_to_multiples(void)
{
    struct smc_query query;
    test_query(NULL, 3, &query);
    query.threads_per_block = 250;
    step(&query, SMC_FIELD_THREADS, 1, false);
    CU_ASSERT_EQUAL(query.threads_per_block, 256);
    step(&query, SMC_FIELD_THREADS, -1, false);
    CU_ASSERT_EQUAL(query.threads_per_block, 224);
    step(&query, SMC_FIELD_THREADS, 1, true);
    CU_ASSERT_EQUAL(query.threads_per_block, 256);
    query.settings.carveout_percent = 0;
    step(&query, SMC_FIELD_CARVEOUT, -1, false);
    CU_ASSERT_EQUAL(query.settings.carveout_percent, SMC_CARVEOUT_DEFAULT);
    step(&query, SMC_FIELD_CARVEOUT, 1, false);
    CU_ASSERT_EQUAL(query.settings.carveout_percent, 0);
}

/* Shown if the device has an oversized configuration, or if a mode was given; by the words of its
   option. */
static void test_smem_mode(void)
{
    struct smc_query query;
    struct smc_error error = {""};
    struct smc_field_view view;
    struct smc_answer now;
    char note[256], hint[128];
    test_query(NULL, 3, &query);
    CU_ASSERT_EQUAL_FATAL(smc_device_find("10.7", &query.device, note, &error), SMC_OK);
    CU_ASSERT_EQUAL(smc_field_range(&query, SMC_FIELD_DYNAMIC_SMEM).highest, 232448);
    CU_ASSERT_EQUAL(smc_field_type(&query, SMC_FIELD_SMEM_MODE, "oversized", &error), SMC_OK);
    CU_ASSERT_EQUAL(query.settings.smem_mode, SMC_SMEM_MODE_OVERSIZED);
    CU_ASSERT_EQUAL(smc_field_range(&query, SMC_FIELD_DYNAMIC_SMEM).highest, 334848);
    answer(&query, &now);
    smc_field_show(&query, &now, SMC_FIELD_SMEM_MODE, &view);
    CU_ASSERT_STRING_EQUAL(view.value, "oversized");
    CU_ASSERT_STRING_EQUAL(view.source, "given");
    step(&query, SMC_FIELD_SMEM_MODE, 1, false);
    CU_ASSERT_EQUAL(query.settings.smem_mode, SMC_SMEM_MODE_PREFER_OVERSIZED);
    step(&query, SMC_FIELD_SMEM_MODE, 1, false);
    CU_ASSERT_EQUAL(query.settings.smem_mode, SMC_SMEM_MODE_PREFER_OVERSIZED);
    CU_ASSERT_EQUAL(smc_field_type(&query, SMC_FIELD_SMEM_MODE, "huge", &error), SMC_USAGE);
    smc_field_hint(&query, SMC_FIELD_SMEM_MODE, hint);
    CU_ASSERT_STRING_EQUAL(hint, "default, portable, non-portable, oversized, prefer-oversized");
    smc_field_reset(&query, SMC_FIELD_SMEM_MODE);
    CU_ASSERT_EQUAL(query.settings.smem_mode, SMC_SMEM_MODE_DEFAULT);
}

/* Steps reach every board and every kernel, and stop at the ends. */
static void test_lists(void)
{
    struct smc_query query, before;
    size_t boards = 0, kernels = 1;
    test_query(smc_kernel_at(0), 3, &query);
    step(&query, SMC_FIELD_DEVICE, -1, true);
    for (size_t i = 0; i < smc_device_count(); i++)
        step(&query, SMC_FIELD_DEVICE, -1, false);
    do {
        before = query;
        step(&query, SMC_FIELD_DEVICE, 1, false);
        boards++;
    } while (!smc_fields_equal(&before, &query));
    CU_ASSERT_EQUAL(boards, smc_device_count());
    for (; query.kernel; kernels++)
        step(&query, SMC_FIELD_KERNEL, 1, false);
    CU_ASSERT_EQUAL(kernels, test_kernel_count());
    before = query;
    step(&query, SMC_FIELD_KERNEL, 1, false);
    CU_ASSERT(smc_fields_equal(&before, &query));
}

/* --- Typing --- */

static bool types(struct smc_query *query, enum smc_field field, const char *text)
{
    struct smc_error error = {""};
    struct smc_query before = *query;
    bool taken = smc_field_type(query, field, text, &error) == SMC_OK;
    CU_ASSERT(taken || (error.message[0] && smc_fields_equal(&before, query)));
    CU_ASSERT(taken || strstr(error.message, text[0] ? text : "''") != NULL);
    return taken;
}

static void check_typing(struct smc_query *query, enum smc_field field)
{
    static const char *const wrong[] = {"",    " ",  "x", "1.5", "0x", "-7", "99999999999999999999",
                                        "1 2", "48Q"};
    char hint[128], text[32];
    smc_field_hint(query, field, hint);
    CU_ASSERT(strlen(hint) >= 5);
    if (field == SMC_FIELD_DEVICE) /* "x" is a part of many names */
        return;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CU_ASSERT_FALSE(types(query, field, wrong[i]));
    if (!has_number(field))
        return;
    struct smc_field_range range = smc_field_range(query, field);
    int64_t values[] = {range.lowest, range.highest, (range.lowest + range.highest) / 2};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        snprintf(text, sizeof text, "%" PRId64, values[i]);
        CU_ASSERT(types(query, field, text));
        CU_ASSERT_EQUAL(smc_field_number(query, &(struct smc_answer){.query = *query}, field),
                        values[i]);
        CU_ASSERT(smc_field_given(query, field) || is_absence(field, values[i]));
    }
    snprintf(text, sizeof text, "%" PRId64, range.highest + 1);
    CU_ASSERT_FALSE(types(query, field, text));
    CU_ASSERT_EQUAL(types(query, field, "1K"), range.bytes && range.highest >= 1024);
}

static void test_typing(void)
{
    for_each_field(check_typing);
}

static void test_typing_names(void)
{
    struct smc_query query;
    test_query(smc_kernel_find("matmul-tiled"), 0, &query);
    CU_ASSERT(types(&query, SMC_FIELD_DEVICE, "h200"));
    CU_ASSERT_STRING_EQUAL(query.device.name, "NVIDIA H200");
    CU_ASSERT(types(&query, SMC_FIELD_DEVICE, "7.5"));
    CU_ASSERT_EQUAL(query.device.sm.cc, 75);
    CU_ASSERT_FALSE(types(&query, SMC_FIELD_DEVICE, "no such board"));
    CU_ASSERT(types(&query, SMC_FIELD_KERNEL, "stencil-static"));
    CU_ASSERT_STRING_EQUAL(query.kernel->name, "stencil-static");
    CU_ASSERT_FALSE(types(&query, SMC_FIELD_KERNEL, "stencil-statik"));
    CU_ASSERT(types(&query, smc_field_of_param(SMC_PARAM_DTYPE), "int32"));
    CU_ASSERT_FALSE(types(&query, smc_field_of_param(SMC_PARAM_DTYPE), "half"));
    CU_ASSERT(types(&query, SMC_FIELD_KERNEL, "own"));
    CU_ASSERT_PTR_NULL(query.kernel);
}

/* A block or a grid may be typed as its shape, which steps keep, and which lasts until
   another number is set. */
static void test_shapes(void)
{
    struct smc_query query, before;
    struct smc_answer now;
    struct smc_field_view view;
    test_query(NULL, 0, &query);
    CU_ASSERT(types(&query, SMC_FIELD_THREADS, "256"));
    before = query;
    CU_ASSERT(types(&query, SMC_FIELD_THREADS, "32x8"));
    CU_ASSERT_EQUAL(query.threads_per_block, 256);
    CU_ASSERT_FALSE(smc_fields_equal(&query, &before));
    answer(&query, &now);
    smc_field_show(&query, &now, SMC_FIELD_THREADS, &view);
    CU_ASSERT_STRING_EQUAL(view.value, "32x8");
    CU_ASSERT_FALSE(types(&query, SMC_FIELD_THREADS, "64x32"));
    CU_ASSERT(types(&query, SMC_FIELD_GRID, "64x3x2"));
    CU_ASSERT_EQUAL(query.grid_blocks, 384);
    smc_field_show(&query, &now, SMC_FIELD_GRID, &view);
    CU_ASSERT_STRING_EQUAL(view.value, "64x3x2");
    step(&query, SMC_FIELD_GRID, -1, false); /* by a column */
    CU_ASSERT(query.grid_blocks == 378 && query.grid_y == 3 && query.grid_z == 2);
    smc_field_set_number(&query, SMC_FIELD_GRID, 100);
    CU_ASSERT_EQUAL(query.grid_y, 0);
    step(&query, SMC_FIELD_THREADS, 1, false); /* by a row */
    CU_ASSERT(query.threads_per_block == 288 && query.block[0] == 32 && query.block[1] == 9);
    step(&query, SMC_FIELD_THREADS, 1, true); /* 32x18 are too many for the device */
    CU_ASSERT_EQUAL(query.threads_per_block, 288);
    step(&query, SMC_FIELD_THREADS, -1, true);
    CU_ASSERT(query.threads_per_block == 128 && query.block[1] == 4);
    for (int i = 0; i < 3; i++)
        step(&query, SMC_FIELD_THREADS, -1, false);
    CU_ASSERT(query.threads_per_block == 32 && query.block[1] == 1);
    step(&query, SMC_FIELD_THREADS, 1, false);
    CU_ASSERT_EQUAL(query.threads_per_block, 64);
}

/* --- What is kept and what is shown --- */

/* After a reset, a field is as if it had not been set. */
static void check_reset(struct smc_query *query, enum smc_field field)
{
    struct smc_query fresh = *query;
    if (!has_number(field) || field == SMC_FIELD_THREADS)
        return;
    smc_field_set_number(query, field, smc_field_range(query, field).highest);
    CU_ASSERT_FALSE(smc_fields_equal(query, &fresh));
    smc_field_reset(query, field);
    CU_ASSERT(smc_fields_equal(query, &fresh));
    CU_ASSERT_EQUAL(number(query, field), number(&fresh, field));
}

static void test_reset(void)
{
    for_each_field(check_reset);
}

static void check_shown(struct smc_query *query, enum smc_field field)
{
    struct smc_answer now;
    struct smc_field_view view;
    answer(query, &now);
    smc_field_show(query, &now, field, &view);
    CU_ASSERT(view.label[0] && strlen(view.label) <= 9);
    CU_ASSERT(view.value[0] && strcmp(view.value, "not known") != 0);
    if (!has_number(field))
        return;
    smc_field_set_number(query, field, smc_field_range(query, field).highest);
    answer(query, &now);
    smc_field_show(query, &now, field, &view);
    CU_ASSERT(view.given && strcmp(view.source, "given") == 0);
    CU_ASSERT(view.value[0] >= '0' && view.value[0] <= '9');
}

static void test_shown(void)
{
    for_each_field(check_shown);
}

/* Parameters that two kernels share are kept; the user's own kernel begins with the launch before
   it. */
static void test_other_kernel(void)
{
    struct smc_query query;
    test_query(smc_kernel_find("stencil-static"), 3, &query);
    smc_field_set_number(&query, smc_field_of_param(SMC_PARAM_RADIUS), 100);
    smc_field_set_number(&query, smc_field_of_param(SMC_PARAM_BLOCK), 128);
    smc_field_set_kernel(&query, smc_kernel_find("stencil-dynamic"));
    CU_ASSERT_EQUAL(query.params.value[SMC_PARAM_RADIUS], 100);
    CU_ASSERT_EQUAL(query.params.value[SMC_PARAM_BLOCK], 128);
    smc_field_set_kernel(&query, NULL);
    CU_ASSERT_EQUAL(query.threads_per_block, 128);
    CU_ASSERT_EQUAL(query.dynamic_smem_bytes, (128 + 2 * 100) * 4);
    CU_ASSERT(query.regs_per_thread > 0);
    smc_field_set_kernel(&query, smc_kernel_find("matmul-tiled"));
    CU_ASSERT_EQUAL(query.regs_per_thread, SMC_NOT_GIVEN);
    CU_ASSERT_EQUAL(query.dynamic_smem_bytes, SMC_NOT_GIVEN);
    CU_ASSERT_EQUAL(query.params.given, 0);
}

CU_TestInfo tests_tui_fields[] = {
    {"the shared-memory mode", test_smem_mode},
    {"steps stay in the range", test_steps},
    {"steps lead to multiples", test_steps_to_multiples},
    {"boards and kernels", test_lists},
    {"typing numbers", test_typing},
    {"typing names", test_typing_names},
    {"shapes of blocks and grids", test_shapes},
    {"reset", test_reset},
    {"what is shown", test_shown},
    {"another kernel", test_other_kernel},
    CU_TEST_INFO_NULL,
};
