/* The palette: one list of everything that can be done or chosen, found by a few letters: the
   actions of the screen, devices, kernels and lessons; and commands that are typed. */
#include <stdio.h>
#include <string.h>

#include "show/tui/tui_state.h"

/* What an entry begins with, if it is no action. */
static const char device_word[] = "device ", kernel_word[] = "kernel ", lesson_word[] = "lesson ",
                  open_word[] = "open ";

/* --- The list --- */

enum { ENTRY_CHARS = sizeof((struct smc_pick_entry *)0)->text };

/* "confirm: launch it and compare with the prediction". */
static void write_action(int action, char text[ENTRY_CHARS])
{
    const struct smc_action_info *info = &smc_action_info[action];
    snprintf(text, ENTRY_CHARS, "%s%s%s", info->label ? info->label : "", info->label ? ": " : "",
             info->help);
}

static void add_actions(const struct smc_tui *tui, struct smc_pick *pick)
{
    for (int i = SMC_ACTION_NONE + 1; i < SMC_ACTION_COUNT; i++) {
        char key[16], text[ENTRY_CHARS];
        if (!(smc_action_info[i].views & 1u << tui->view) || i == SMC_ACTION_PALETTE)
            continue;
        smc_key_name(smc_action_key((enum smc_action)i, 0), key);
        write_action(i, text);
        smc_pick_add(pick, text, key);
    }
}

static void palette_add_named(const char *word, const char *name, const char *note,
                              struct smc_pick *pick)
{
    char text[96];
    snprintf(text, sizeof text, "%s%.80s", word, name);
    smc_pick_add(pick, text, note);
}

static void palette_add_devices(struct smc_pick *pick)
{
    for (size_t i = 0; i < smc_device_count(); i++) {
        struct smc_device device;
        smc_device_at(i, &device);
        palette_add_named(device_word, device.name, device.chip, pick);
    }
}

void smc_palette_open(struct smc_tui *tui)
{
    struct smc_pick *pick = &tui->pick;
    smc_pick_open(pick, "find an action, a device, a kernel, a lesson; or open FILE");
    add_actions(tui, pick);
    palette_add_named(open_word, "FILE", "type the path: the kernels of your own file", pick);
    for (size_t i = 0; i < smc_kernel_count(); i++)
        palette_add_named(kernel_word, smc_kernel_at(i)->name, "of the catalog", pick);
    for (size_t i = 0; i < smc_lesson_count(); i++) {
        struct smc_lesson_head head;
        smc_lesson_head_at(i, SMC_LANGUAGE_ENGLISH, &head);
        palette_add_named(lesson_word, head.name, head.title, pick);
    }
    palette_add_devices(pick);
    smc_pick_show(pick, "");
    tui->picks_palette = true;
}

/* --- What was chosen --- */

static void choose_field(struct smc_tui *tui, enum smc_field field, const char *name)
{
    struct smc_explore *explore = &tui->explore;
    struct smc_query before = explore->query;
    struct smc_error error = {""};
    if (smc_field_type(&explore->query, field, name, &error) != SMC_OK) {
        smc_tui_say(tui, SMC_STYLE_BAD, "%s", error.message);
        return;
    }
    smc_explore_brought(explore, &before);
    if (field == SMC_FIELD_KERNEL)
        smc_tui_show_view(tui, SMC_VIEW_EXPLORE);
    else if (tui->views[tui->view]->refresh)
        tui->views[tui->view]->refresh(tui);
    smc_tui_say(tui, SMC_STYLE_GOOD, "%s %s; u on F2 undoes it", smc_field_label(field), name);
}

/* Enter opens it. */
static enum smc_action choose_lesson(struct smc_tui *tui, const char *name)
{
    const size_t found = smc_lesson_find(name);
    if (found < smc_lesson_count())
        tui->lessons.lesson = found;
    tui->lessons.is_open = false;
    smc_tui_show_view(tui, SMC_VIEW_LESSONS);
    return SMC_ACTION_ENTER;
}

static void open_file(struct smc_tui *tui, const char *path)
{
    struct smc_open_question question = tui->file.question;
    path += strspn(path, " ");
    if (!*path || strcmp(path, "FILE") == 0) {
        smc_tui_ask(tui, "open", "CUDA source, PTX, a program, a library, a cubin, a build's log",
                    "");
        tui->asked = SMC_ASKED_FILE;
        return;
    }
    if (!question.file[0])
        question = (struct smc_open_question){.threads_per_block = SMC_NOT_GIVEN,
                                              .dynamic_smem_bytes = SMC_NOT_GIVEN,
                                              .grid_blocks = SMC_NOT_GIVEN};
    snprintf(question.file, sizeof question.file, "%s", path);
    question.kernel[0] = '\0';
    smc_tui_open_file(tui, &question);
}

void smc_palette_typed_file(struct smc_tui *tui, const char *path)
{
    if (*path)
        open_file(tui, path);
}

/* What follows the word, if the text begins with it; else NULL. */
static const char *after(const char *text, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(text, word, length) == 0 ? text + length : NULL;
}

/* The action of that entry; SMC_ACTION_NONE: none. */
static enum smc_action action_of(const struct smc_tui *tui, const char *entry)
{
    for (int i = SMC_ACTION_NONE + 1; i < SMC_ACTION_COUNT; i++) {
        char text[ENTRY_CHARS];
        write_action(i, text);
        if (smc_action_info[i].views & 1u << tui->view && strcmp(text, entry) == 0)
            return (enum smc_action)i;
    }
    return SMC_ACTION_NONE;
}

enum smc_action smc_palette_choose(struct smc_tui *tui, const char *text)
{
    const char *name;
    const enum smc_action action = action_of(tui, text);
    if (action != SMC_ACTION_NONE)
        return action;
    if ((name = after(text, open_word)) || strcmp(text, "open") == 0)
        open_file(tui, name ? name : "");
    else if ((name = after(text, device_word)))
        choose_field(tui, SMC_FIELD_DEVICE, name);
    else if ((name = after(text, kernel_word)))
        choose_field(tui, SMC_FIELD_KERNEL, name);
    else if ((name = after(text, lesson_word)))
        return choose_lesson(tui, name);
    else
        smc_tui_say(tui, SMC_STYLE_BAD, "'%s' is neither an action nor a device, kernel or lesson",
                    text);
    return SMC_ACTION_NONE;
}
