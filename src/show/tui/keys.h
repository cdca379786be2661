/* Keys and what they do: one table for the loop, the bottom bar, the help and scripts. */
#ifndef SMC_SHOW_KEYS_H
#define SMC_SHOW_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SMC_KEY_CONTROL(letter) ((letter)&0x1f)

/* Characters are themselves; other keys are above Unicode. */
enum smc_key {
    SMC_KEY_TAB = '\t',
    SMC_KEY_ENTER = '\n',
    SMC_KEY_ESCAPE = 0x1b,
    SMC_KEY_FIRST = 0x110000,
#define KEY(id, name) SMC_KEY_##id,
#include "show/tui/key_names.def"
};

enum smc_view_id {
#define VIEW(id, name) SMC_VIEW_##id,
#include "show/tui/views.def"
    SMC_VIEW_COUNT
};

enum smc_action {
    SMC_ACTION_NONE,
#define ACTION(id, where, label, help) SMC_ACTION_##id,
#include "show/tui/actions.def"
    SMC_ACTION_COUNT
};

struct smc_action_info {
    uint32_t views; /* bit n: has this action in view n */
    const char *label;
    const char *help;
};

extern const struct smc_action_info smc_action_info[SMC_ACTION_COUNT];

/* A sign of the screens and what it means in all views. */
struct smc_sign_info {
    uint32_t glyph;
    uint32_t views; /* bit n: occurs in view n */
    const char *meaning;
};

extern const struct smc_sign_info smc_sign_info[];
extern const size_t smc_sign_count;

/* SMC_ACTION_NONE if the key does nothing in that view. */
enum smc_action smc_key_action(enum smc_view_id view, uint32_t key);

/* The `index`-th key of an action; 0 after the last. */
uint32_t smc_action_key(enum smc_action action, size_t index);

/* "F1", "Ctrl-L", "Space", "q". */
void smc_key_name(uint32_t key, char name[16]);

/* The key of such a name; false if there is none. */
bool smc_key_of_name(const char *name, uint32_t *key);

#endif
