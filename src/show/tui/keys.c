/* Keys and what they do. */
#include "show/tui/keys.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "show/tui/frame.h"

enum {
#define VIEW(id, name) id = 1 << SMC_VIEW_##id,
#include "show/tui/views.def"
    ALL = (1 << SMC_VIEW_COUNT) - 1
};

const struct smc_action_info smc_action_info[SMC_ACTION_COUNT] = {
#define ACTION(id, where, label, help) [SMC_ACTION_##id] = {where, label, help},
#include "show/tui/actions.def"
};

const struct smc_sign_info smc_sign_info[] = {
#define SIGN(id, glyph, ascii, where, meaning) {SMC_SIGN_##id, where, meaning},
#include "show/tui/signs.def"
};
const size_t smc_sign_count = sizeof smc_sign_info / sizeof *smc_sign_info;

static const struct {
    enum smc_action action;
    uint32_t key;
} bindings[] = {
#define BIND(action, key) {SMC_ACTION_##action, key},
#include "show/tui/keys.def"
#undef BIND
};

enum { BINDINGS = sizeof bindings / sizeof *bindings };

/* Keys that no character shows. */
static const struct {
    uint32_t key;
    const char *name;
} named[] = {
    {SMC_KEY_TAB, "Tab"},
    {SMC_KEY_ENTER, "Enter"},
    {SMC_KEY_ESCAPE, "Esc"},
    {' ', "Space"},
#define KEY(id, name) {SMC_KEY_##id, name},
#include "show/tui/key_names.def"
};

enum smc_action smc_key_action(enum smc_view_id view, uint32_t key)
{
    for (size_t i = 0; i < BINDINGS; i++)
        if (bindings[i].key == key && smc_action_info[bindings[i].action].views & 1u << view)
            return bindings[i].action;
    return SMC_ACTION_NONE;
}

uint32_t smc_action_key(enum smc_action action, size_t index)
{
    for (size_t i = 0; i < BINDINGS; i++)
        if (bindings[i].action == action && index-- == 0)
            return bindings[i].key;
    return 0;
}

void smc_key_name(uint32_t key, char name[16])
{
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        if (named[i].key == key) {
            snprintf(name, 16, "%s", named[i].name);
            return;
        }
    }
    if (key < ' ')
        snprintf(name, 16, "Ctrl-%c", (char)(key + '@'));
    else
        name[smc_utf8_encode(key, name)] = '\0';
}

bool smc_key_of_name(const char *name, uint32_t *key)
{
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        if (strcmp(named[i].name, name) == 0) {
            *key = named[i].key;
            return true;
        }
    }
    if (strncmp(name, "Ctrl-", 5) == 0 && name[5] && !name[6]) {
        int letter = toupper((unsigned char)name[5]);
        *key = (uint32_t)SMC_KEY_CONTROL(letter);
        return letter >= '@' && letter <= '_';
    }
    *key = smc_utf8_next(&name);
    return *key != 0 && *name == '\0';
}
