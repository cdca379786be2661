/* What the explorer's tests share: questions of every kind, chosen at random but the same in every
   run, and the explorer opened on them. */
#ifndef SMC_TESTS_TUI_SUPPORT_H
#define SMC_TESTS_TUI_SUPPORT_H

#include "show/tui/tui_state.h"

/* Starts the sequence again. */
void random_begin(uint64_t seed);
uint32_t random_below(uint32_t bound);

/* Devices of every kind: CC 1.0, 2.0, 3.5, 9.0, 12.0 and one bare compute capability. */
enum { TEST_DEVICES = 6 };
void test_device(size_t index, struct smc_device *device);

/* The kernel (NULL: one's own) on the device, nothing given; nothing is ever compiled. */
void test_query(const struct smc_kernel *kernel, size_t device, struct smc_query *query);

/* Each kernel of the catalog by its index, and one's own behind the last. */
size_t test_kernel_count(void);
const struct smc_kernel *test_kernel(size_t index);

/* In memory of its own, for smc_tui_close and free. */
struct smc_tui *test_open(const struct smc_query *query, int rows, int cols);
void test_close(struct smc_tui *tui);

/* Types every character, then the key. */
void test_type(struct smc_tui *tui, const char *text, uint32_t key);

/* The screen as text in UTF-8 or ASCII, for smc_text_free. */
struct smc_text test_screen(struct smc_tui *tui, bool utf8);

#endif
