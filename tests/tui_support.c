/* What the explorer's tests share. */
#include "tui_support.h"

#include <stdio.h>
#include <stdlib.h>

#include "show/tui/frame.h"

static uint64_t random_state;

void random_begin(uint64_t seed)
{
    random_state = seed;
}

uint32_t random_below(uint32_t bound)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((random_state >> 33) % bound);
}

void test_device(size_t index, struct smc_device *device)
{
    static const char *const names[TEST_DEVICES] = {
        "GeForce 8800 GTX", "2.0", "Tesla K40c", "NVIDIA H200", "NVIDIA GeForce RTX 5090", "8.6"};
    char note[256];
    if (smc_device_find(names[index], device, note, NULL) != SMC_OK) {
        fprintf(stderr, "no device %s\n", names[index]);
        exit(99);
    }
}

void test_query(const struct smc_kernel *kernel, size_t device, struct smc_query *query)
{
    smc_query_init(query);
    query->kernel = kernel;
    if (kernel)
        smc_params_init(kernel, &query->params);
    else
        query->threads_per_block = 256;
    query->compile = (struct smc_compile_options){.no_nvrtc = true, .no_cache = true};
    test_device(device, &query->device);
}

size_t test_kernel_count(void)
{
    return smc_kernel_count() + 1;
}

const struct smc_kernel *test_kernel(size_t index)
{
    return index < smc_kernel_count() ? smc_kernel_at(index) : NULL;
}

struct smc_tui *test_open(const struct smc_query *query, int rows, int cols)
{
    struct smc_tui *tui = calloc(1, sizeof *tui);
    if (!tui)
        exit(99);
    smc_tui_open(tui, query, rows, cols);
    return tui;
}

void test_close(struct smc_tui *tui)
{
    smc_tui_close(tui);
    free(tui);
}

void test_type(struct smc_tui *tui, const char *text, uint32_t key)
{
    for (uint32_t glyph; (glyph = smc_utf8_next(&text)) != 0;)
        smc_tui_key(tui, glyph);
    smc_tui_key(tui, key);
}

struct smc_text test_screen(struct smc_tui *tui, bool utf8)
{
    struct smc_text text = {0};
    struct smc_frame frame = {0};
    if (!smc_frame_resize(&frame, tui->rows, tui->cols))
        exit(99);
    smc_tui_catch_up(tui);
    smc_tui_draw(tui, &frame);
    smc_frame_write(&frame, utf8, &text);
    smc_frame_free(&frame);
    return text;
}
