/* tui/keys: one meaning per key, a key for every action, and names that can be read back. */
#include <stdio.h>
#include <string.h>

#include "show/tui/frame.h"
#include "show/tui/keys.h"
#include "show/tui/widgets.h"
#include "unit.h"

/* In every view that has an action, each of its keys performs it and nothing else. */
static void test_one_meaning(void)
{
    for (int a = SMC_ACTION_NONE + 1; a < SMC_ACTION_COUNT; a++) {
        enum smc_action action = (enum smc_action)a;
        CU_ASSERT(smc_action_info[a].views != 0);
        CU_ASSERT_NOT_EQUAL(smc_action_key(action, 0), 0);
        for (int view = 0; view < SMC_VIEW_COUNT; view++) {
            if (!(smc_action_info[a].views & 1u << view))
                continue;
            for (size_t n = 0; smc_action_key(action, n); n++)
                CU_ASSERT_EQUAL(smc_key_action((enum smc_view_id)view, smc_action_key(action, n)),
                                action);
        }
    }
}

/* No key is bound twice to one action, and digits are left for typing. */
static void test_bindings(void)
{
    for (int a = SMC_ACTION_NONE + 1; a < SMC_ACTION_COUNT; a++)
        for (size_t n = 0; smc_action_key((enum smc_action)a, n); n++)
            for (size_t other = 0; other < n; other++)
                CU_ASSERT_NOT_EQUAL(smc_action_key((enum smc_action)a, n),
                                    smc_action_key((enum smc_action)a, other));
    for (int view = 0; view < SMC_VIEW_COUNT; view++) {
        for (uint32_t digit = '0'; digit <= '9'; digit++)
            CU_ASSERT_EQUAL(smc_key_action((enum smc_view_id)view, digit), SMC_ACTION_NONE);
        CU_ASSERT_EQUAL(smc_key_action((enum smc_view_id)view, 0), SMC_ACTION_NONE);
    }
}

static bool comes_back(uint32_t key)
{
    char name[16] = "";
    uint32_t again = 0;
    smc_key_name(key, name);
    return smc_key_of_name(name, &again) && again == key;
}

static void test_names(void)
{
    size_t failures = 0;
    for (uint32_t key = 1; key < 0x7f; key++)
        failures += !comes_back(key);
    for (uint32_t key = 0xa0; key < 0xd800; key++)
        failures += !comes_back(key);
    static const uint32_t others[] = {
        0,
#define KEY(id, name) SMC_KEY_##id,
#include "show/tui/key_names.def"
    };
    for (size_t i = 1; i < sizeof others / sizeof *others; i++)
        failures += !comes_back(others[i]);
    CU_ASSERT_EQUAL(failures, 0);
    uint32_t key;
    CU_ASSERT(smc_key_of_name("Ctrl-c", &key) && key == 3);
    static const char *const unknown[] = {"",       "F9",      "ab", "ctrl-a", "Ctrl-",
                                          "Ctrl-1", "Ctrl-ab", "up", "Space "};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        CU_ASSERT_FALSE(smc_key_of_name(unknown[i], &key));
}

/* The help has a line for every action of the view that names all its keys, and no other. */
static void test_help(void)
{
    for (int view = 0; view < SMC_VIEW_COUNT; view++) {
        struct smc_popup popup = {0};
        smc_help_open(&popup, (enum smc_view_id)view);
        const char *text = smc_text_string(&popup.text);
        for (int a = SMC_ACTION_NONE + 1; a < SMC_ACTION_COUNT; a++) {
            const struct smc_action_info *info = &smc_action_info[a];
            char line[128] = "\n", keys[64] = "";
            snprintf(line + 1, sizeof line - 1, "%s\n", info->help);
            for (size_t n = 0; smc_action_key((enum smc_action)a, n); n++) {
                char name[16];
                smc_key_name(smc_action_key((enum smc_action)a, n), name);
                strcat(strcat(keys, n ? " " : ""), name);
            }
            const char *help = strstr(text, line + 1);
            CU_ASSERT_EQUAL(help != NULL, (info->views & 1u << view) != 0);
            if (!help)
                continue;
            while (help > text && help[-1] != '\n')
                help--;
            size_t length = strlen(keys);
            CU_ASSERT(strncmp(help, keys, length) == 0 && help[length] == ' ');
        }
        smc_popup_close(&popup);
    }
}

/* A sign has one meaning, also in ASCII, is one column wide, and is used in a view. */
static void test_signs(void)
{
    for (size_t i = 0; i < smc_sign_count; i++) {
        const struct smc_sign_info *sign = &smc_sign_info[i];
        char ascii = smc_glyph_ascii(sign->glyph);
        CU_ASSERT_EQUAL(smc_utf8_columns(sign->glyph), 1);
        CU_ASSERT(sign->views != 0 && sign->meaning[0]);
        CU_ASSERT(ascii != '#' && strchr("<>|", ascii) == NULL); /* bars, values, edges */
        for (size_t k = 0; k < i; k++) {
            CU_ASSERT_NOT_EQUAL(sign->glyph, smc_sign_info[k].glyph);
            CU_ASSERT_NOT_EQUAL(ascii, smc_glyph_ascii(smc_sign_info[k].glyph));
            CU_ASSERT_STRING_NOT_EQUAL(sign->meaning, smc_sign_info[k].meaning);
        }
    }
}

/* The help of each view explains its signs. */
static void test_legend(void)
{
    for (int view = 0; view < SMC_VIEW_COUNT; view++) {
        struct smc_popup popup = {0};
        smc_help_open(&popup, (enum smc_view_id)view);
        for (size_t i = 0; i < smc_sign_count; i++) {
            bool here = smc_sign_info[i].views >> view & 1;
            const char *found = strstr(smc_text_string(&popup.text), smc_sign_info[i].meaning);
            CU_ASSERT_EQUAL(found != NULL, here);
        }
        smc_popup_close(&popup);
    }
}

CU_TestInfo tests_tui_keys[] = {
    {"a sign has one meaning", test_signs},
    {"the help explains the signs", test_legend},
    {"a key has one meaning in a view", test_one_meaning},
    {"bindings", test_bindings},
    {"names lead back", test_names},
    {"the help lists every key", test_help},
    CU_TEST_INFO_NULL,
};
