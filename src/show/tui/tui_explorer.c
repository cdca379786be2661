/* The explorer, whichever view is shown: what keys, clicks and finished jobs do to its state, and
   the parts of the screen that all views have. */
#include "show/tui/tui_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "show/words/words.h"

const struct smc_view *const smc_views[SMC_VIEW_COUNT] = {
#define VIEW(id, name) [SMC_VIEW_##id] = &smc_view_##name,
#include "show/tui/views.def"
};

void smc_tui_open(struct smc_tui *tui, const struct smc_query *query, int rows, int cols)
{
    *tui = (struct smc_tui){.views = smc_views, .rows = rows, .cols = cols};
    tui->run_job.kind = SMC_JOB_GPUS;
    tui->lessons.language = smc_language_of_user();
    tui->explore.file = &tui->file;
    smc_explore_open(&tui->explore, query);
    smc_confirm_open(&tui->confirm);
}

void smc_tui_close(struct smc_tui *tui)
{
    smc_popup_close(&tui->popup);
    smc_pick_close(&tui->pick);
    smc_devices_close(&tui->devices);
    smc_explore_close(&tui->explore);
    smc_lessons_close(&tui->lessons);
    smc_confirm_close(&tui->confirm);
    smc_trace_list_close(&tui->trace);
    smc_open_file_close(&tui->file);
    smc_text_free(&tui->saving.text);
    smc_text_free(&tui->copied);
}

void smc_tui_catch_up(struct smc_tui *tui)
{
    if (tui->is_behind && smc_views[tui->view]->catch_up)
        smc_views[tui->view]->catch_up(tui);
    tui->is_behind = false;
}

void smc_tui_resize(struct smc_tui *tui, int rows, int cols)
{
    tui->rows = rows;
    tui->cols = cols;
    if (smc_views[tui->view]->resized)
        smc_views[tui->view]->resized(tui);
}

void smc_tui_saved(struct smc_tui *tui, enum smc_status status, const char *failure)
{
    if (status == SMC_SHORTFALL) {
        smc_tui_ask(tui, "the file exists; overwrite it?", "y or n", "");
        tui->asked = SMC_ASKED_OVERWRITE;
        return;
    }
    if (status == SMC_OK)
        smc_tui_say(tui, SMC_STYLE_GOOD, "saved as %s", tui->saving.path);
    else
        smc_tui_say(tui, SMC_STYLE_BAD, "%s", failure);
    smc_text_free(&tui->saving.text);
}

static bool is_yes(const char *typed)
{
    return typed[0] == 'y' || typed[0] == 'Y';
}

static void answer_overwriting(struct smc_tui *tui, const char *typed)
{
    tui->saving.over = is_yes(typed);
    if (tui->saving.over)
        tui->effect = SMC_EFFECT_SAVE;
    else
        smc_tui_say(tui, SMC_STYLE_WARN, "%s was not overwritten", tui->saving.path);
}

static void open_search(struct smc_tui *tui)
{
    smc_tui_ask(tui, "search", "a part of what you look for", "");
    tui->asked = SMC_ASKED_SEARCH;
    tui->search_at = 0;
}

/* Up and Down recall what was searched before. */
static bool recall_search(struct smc_tui *tui, uint32_t key)
{
    size_t at = tui->search_at;
    if (tui->asked != SMC_ASKED_SEARCH || (key != SMC_KEY_UP && key != SMC_KEY_DOWN))
        return false;
    at = key == SMC_KEY_UP ? at + (at < tui->search_count) : at - (at > 0);
    tui->search_at = at;
    memcpy(tui->prompt.typed, at ? tui->searches[at - 1] : "", at ? SMC_PROMPT_CHARS : 1);
    return true;
}

static void remember_search(struct smc_tui *tui, const char *typed)
{
    size_t last =
        tui->search_count < SMC_MOST_SEARCHES ? tui->search_count++ : SMC_MOST_SEARCHES - 1;
    snprintf(tui->searched, sizeof tui->searched, "%s", typed);
    memmove(tui->searches + 1, tui->searches, last * sizeof tui->searches[0]);
    snprintf(tui->searches[0], sizeof tui->searches[0], "%s", typed);
}

/* A list that filters shows at each key what is left; Esc brings all of it back. */
static void filter_view(struct smc_tui *tui, enum smc_prompt_end end)
{
    const struct smc_view *view = smc_views[tui->view];
    if (tui->asked == SMC_ASKED_SEARCH && view->filter && end != SMC_PROMPT_DONE)
        view->filter(tui, end == SMC_PROMPT_GIVEN_UP ? "" : tui->prompt.typed);
}

/* Where nothing is left, the view says so. */
static void search_view(struct smc_tui *tui, const char *typed)
{
    const struct smc_view *view = smc_views[tui->view];
    if (typed[0])
        remember_search(tui, typed);
    if (!view->filter || !view->filter(tui, typed)) {
        if (view->filter)
            view->filter(tui, "");
        view->act(tui, SMC_ACTION_AGAIN);
    }
}

/* --- The screen as a file --- */

static void ask_snapshot(struct smc_tui *tui)
{
    smc_tui_ask(tui, "save the screen as", "a name that ends in .txt, .svg or .json", "");
    tui->asked = SMC_ASKED_SNAPSHOT;
}

static void answer_snapshot(struct smc_tui *tui, const char *path)
{
    SMC_AUTO(smc_frame_free) struct smc_frame frame = {0};
    smc_auto_text text = {0};
    if (!*path)
        return;
    if (smc_frame_resize(&frame, tui->rows, tui->cols))
        smc_tui_draw(tui, &frame);
    if (smc_frame_write_as(&frame, tui->theme, path, &text))
        smc_tui_save(tui, path, &text);
    else
        smc_tui_say(tui, SMC_STYLE_BAD, "'%s' does not end in .txt, .svg or .json", path);
}

/* A private copy that was edited is in a folder that is easily forgotten. */
static void leave(struct smc_tui *tui)
{
    char question[SMC_PROMPT_CHARS];
    if (!tui->edited_folder) {
        tui->effect = SMC_EFFECT_QUIT;
        return;
    }
    snprintf(question, sizeof question, "your edited copy stays in %.60s", tui->edited_folder);
    smc_tui_ask(tui, "leave?", question, "y");
    tui->asked = SMC_ASKED_LEAVE;
}

/* One line, in which blanks separate the arguments. */
static void ask_arguments(struct smc_tui *tui)
{
    char typed[SMC_PROMPT_CHARS], hint[160];
    const struct smc_open_kernel *kernel = smc_tui_open_kernel(tui);
    const char *parameters = kernel ? strchr(kernel->name, '(') : NULL;
    if (!tui->file.question.file[0]) {
        smc_tui_say(tui, SMC_STYLE_WARN, "only kernels of your own file have arguments to type");
        return;
    }
    snprintf(typed, sizeof typed, "%s", tui->file.question.arguments);
    for (char *c = typed; *c; c++)
        *c = *c == '\n' ? ' ' : *c;
    snprintf(hint, sizeof hint, "%s%.80s, such as f32x1M:random 1.5f i32:1000000",
             parameters ? "for " : "in order", parameters ? parameters : "");
    smc_tui_ask(tui, "arguments", hint, typed);
    tui->asked = SMC_ASKED_ARGUMENTS;
    tui->prompt.is_fresh = true;
}

/* What was copied from a command line, or from a message, may have the option before each. */
static void blank_option(char *typed)
{
    for (char *at = typed; (at = strstr(at, "-a ")); at += 2)
        if (at == typed || at[-1] == ' ')
            memset(at, ' ', 2);
}

static void answer_arguments(struct smc_tui *tui, const char *typed)
{
    char *arguments = tui->file.question.arguments;
    struct smc_error error = {""};
    int depth = 0; /* blanks within a structure or a list separate its members */
    snprintf(arguments, sizeof tui->file.question.arguments, "%s", typed);
    blank_option(arguments);
    char *end = arguments;
    for (const char *c = arguments; *c; c++) {
        depth += strchr("{[", *c) ? 1 : strchr("}]", *c) ? -1 : 0;
        const char now = *c == ' ' && depth == 0 ? '\n' : *c;
        if (now != '\n' || (end > arguments && end[-1] != '\n'))
            *end++ = now;
    }
    *end = '\0';
    smc_explore_reread(&tui->explore);
    if (smc_open_check_arguments(arguments, &error) != SMC_OK)
        smc_tui_say(tui, SMC_STYLE_BAD, "%s", error.message);
}

static void free_mouse(struct smc_tui *tui)
{
    tui->mouse_is_free = !tui->mouse_is_free;
    tui->effect = SMC_EFFECT_MOUSE;
    smc_tui_say(tui, SMC_STYLE_GOOD, "%s",
                tui->mouse_is_free ? "the mouse selects text in the terminal; m takes it back"
                                   : "the mouse is the explorer's again");
}

/* The actions of every view, unless the view handles them itself. */
static void tui_explorer_act(struct smc_tui *tui, enum smc_action action)
{
    if (smc_views[tui->view]->act(tui, action))
        return;
    switch (action) {
    case SMC_ACTION_HELP:
        smc_help_open(&tui->popup, tui->view);
        return;
    case SMC_ACTION_COMMAND:
        smc_tui_show_query(tui, "");
        return;
    case SMC_ACTION_SEARCH:
        open_search(tui);
        return;
    case SMC_ACTION_PALETTE:
        smc_palette_open(tui);
        return;
    case SMC_ACTION_MOUSE:
        free_mouse(tui);
        return;
    case SMC_ACTION_SAVE:
        ask_snapshot(tui);
        return;
    case SMC_ACTION_NONE:
        return;
    case SMC_ACTION_ARGUMENTS:
        ask_arguments(tui);
        return;
    case SMC_ACTION_EDIT:
        tui->effect = SMC_EFFECT_EDIT;
        return;
    case SMC_ACTION_REDRAW:
        tui->effect = SMC_EFFECT_REDRAW;
        return;
    case SMC_ACTION_SUSPEND:
        tui->effect = SMC_EFFECT_SUSPEND;
        return;
    case SMC_ACTION_QUIT:
        leave(tui);
        return;
    default:
        if (action >= SMC_ACTION_VIEW_EXPLORE && action < SMC_ACTION_VIEW_EXPLORE + SMC_VIEW_COUNT)
            smc_tui_show_view(tui, (enum smc_view_id)(action - SMC_ACTION_VIEW_EXPLORE));
    }
}

static void find_in_popup(struct smc_tui *tui)
{
    if (tui->searched[0] && !smc_popup_find(&tui->popup, tui->searched))
        smc_tui_say(tui, SMC_STYLE_WARN, "'%s' is not in this text", tui->searched);
}

/* False: the key is none of a search. */
static bool search_popup(struct smc_tui *tui, uint32_t key)
{
    if (key == '/') {
        smc_tui_ask(tui, "search", "in this text; n finds the next one", "");
        tui->asked = SMC_ASKED_POPUP;
    } else if (key == 'n' && tui->popup.found > 0) {
        find_in_popup(tui);
    } else {
        return false;
    }
    return true;
}

static void prompt_key(struct smc_tui *tui, uint32_t key)
{
    char typed[SMC_PROMPT_CHARS];
    if (recall_search(tui, key))
        return;
    enum smc_prompt_end end = smc_prompt_key(&tui->prompt, key);
    filter_view(tui, end);
    if (end != SMC_PROMPT_DONE)
        return;
    memcpy(typed, tui->prompt.typed, sizeof typed); /* the view may open the next one */
    switch (tui->asked) {
    case SMC_ASKED_SEARCH:
        search_view(tui, typed);
        break;
    case SMC_ASKED_OVERWRITE:
        answer_overwriting(tui, typed);
        break;
    case SMC_ASKED_ARGUMENTS:
        answer_arguments(tui, typed);
        break;
    case SMC_ASKED_LEAVE:
        tui->effect = is_yes(typed) ? SMC_EFFECT_QUIT : SMC_EFFECT_NONE;
        break;
    case SMC_ASKED_FILE:
        smc_palette_typed_file(tui, typed);
        break;
    case SMC_ASKED_POPUP:
        if (typed[0])
            remember_search(tui, typed);
        find_in_popup(tui);
        break;
    case SMC_ASKED_SNAPSHOT:
        answer_snapshot(tui, typed);
        break;
    case SMC_ASKED_BY_VIEW:
        smc_views[tui->view]->answered(tui, typed);
    }
}

/* After a key or a click on the list to choose from. */
static void pick_ended(struct smc_tui *tui, enum smc_prompt_end end)
{
    char chosen[SMC_PROMPT_CHARS];
    if (end == SMC_PROMPT_GOES_ON)
        return;
    snprintf(chosen, sizeof chosen, "%s", smc_pick_chosen(&tui->pick));
    smc_pick_close(&tui->pick);
    const bool palette = tui->picks_palette;
    tui->picks_palette = false;
    if (end == SMC_PROMPT_DONE && palette)
        tui_explorer_act(tui, smc_palette_choose(tui, chosen));
    else if (end == SMC_PROMPT_DONE)
        smc_views[tui->view]->answered(tui, chosen);
}

void smc_tui_key(struct smc_tui *tui, uint32_t key)
{
    tui->effect = SMC_EFFECT_NONE;
    tui->message[0] = '\0';
    enum smc_action action = smc_key_action(tui->view, key);
    if (action == SMC_ACTION_SUSPEND ||
        action == SMC_ACTION_REDRAW) { /* even if something is open */
        tui_explorer_act(tui, action);
        return;
    }
    if (tui->prompt.open) {
        prompt_key(tui, key);
        return;
    }
    if (tui->pick.open) {
        pick_ended(tui, smc_pick_key(&tui->pick, key));
        return;
    }
    if (tui->popup.open && search_popup(tui, key))
        return;
    if (tui->popup.open) {
        smc_popup_act(&tui->popup, key == 'q' ? SMC_ACTION_CANCEL : action);
        return;
    }
    if (action != SMC_ACTION_NONE)
        tui_explorer_act(tui, action);
    else if (smc_views[tui->view]->character && key >= ' ' && key < SMC_KEY_FIRST)
        smc_views[tui->view]->character(tui, key);
}

/* --- The bottom bar --- */

static bool leads_to_view(int action)
{
    return action >= SMC_ACTION_VIEW_EXPLORE && action < SMC_ACTION_VIEW_EXPLORE + SMC_VIEW_COUNT;
}

static bool is_of_view(const struct smc_tui *tui, int action)
{
    const struct smc_action_info *info = &smc_action_info[action];
    bool launching = smc_tui_is_launching(tui);
    if (action == SMC_ACTION_CANCEL && !(launching && tui->view == SMC_VIEW_CONFIRM))
        return false;
    const bool of_list = action == SMC_ACTION_UNFOLD || action == SMC_ACTION_TAKE ||
                         action == SMC_ACTION_DETAILS ||
                         (action == SMC_ACTION_SORT && tui->view == SMC_VIEW_TRACE);
    if ((action == SMC_ACTION_LAUNCH && launching) ||
        (action == SMC_ACTION_UNFOLD && tui->trace.file) || (of_list && tui->trace.count == 0))
        return false;
    return info->label && (info->views & 1u << tui->view) &&
           (!leads_to_view(action) || smc_views[action - SMC_ACTION_VIEW_EXPLORE]);
}

static const char *label_of(const struct smc_tui *tui, int action)
{
    return action == SMC_ACTION_LAUNCH && tui->confirm.settings.place == SMC_ON_EMULATOR
               ? "emulate"
               : smc_action_info[action].label;
}

static int explorer_columns_of(const struct smc_tui *tui, int action)
{
    char key[16];
    smc_key_name(smc_action_key((enum smc_action)action, 0), key);
    return smc_utf8_string_columns(key) + 1 + smc_utf8_string_columns(label_of(tui, action));
}

/* The columns of keys with a gap after each, without that of the view itself: of the help and the
   views, or of the others. */
static int columns_of_keys(const struct smc_tui *tui, bool of_views, int gap)
{
    int columns = 0;
    for (int i = SMC_ACTION_NONE + 1; i < SMC_ACTION_QUIT; i++)
        if (is_of_view(tui, i) && i != SMC_ACTION_VIEW_EXPLORE + (int)tui->view &&
            of_views == (leads_to_view(i) || i == SMC_ACTION_HELP))
            columns += explorer_columns_of(tui, i) + gap;
    return columns;
}

static const char quit_words[] = "q quit ", views_label[] = "views";

/* "F2-F8". */
static void write_view_keys(char keys[40])
{
    char first[16], last[16];
    smc_key_name(smc_action_key(SMC_ACTION_VIEW_EXPLORE, 0), first);
    smc_key_name(smc_action_key((enum smc_action)(SMC_ACTION_VIEW_EXPLORE + SMC_VIEW_COUNT - 1), 0),
                 last);
    snprintf(keys, 40, "%s-%s", first, last);
}

/* What is in the bottom bar, and where. */
struct bar_item {
    int action, col, cols;
    bool joins_views; /* the keys that lead to other views, as one */
};

struct bottom_bar {
    struct bar_item item[SMC_ACTION_COUNT];
    size_t count;
};

static int add_to_bar(struct bottom_bar *bar, int action, int col, int cols, bool joins_views)
{
    bar->item[bar->count++] = (struct bar_item){action, col, cols, joins_views};
    return col + cols;
}

/* The keys of the view, as many as fit, closer together on a narrow screen, where the other views
   share an entry if their names would leave too little for the keys of this one; quit always. */
static void lay_out_bar(const struct smc_tui *tui, struct bottom_bar *bar)
{
    enum { LEAST_OWN = 24 };
    char keys[40];
    const int room = tui->cols - (int)sizeof quit_words;
    const int present = SMC_ACTION_VIEW_EXPLORE + (int)tui->view;
    const int own = columns_of_keys(tui, false, 1);
    const bool wide = columns_of_keys(tui, true, 2) + columns_of_keys(tui, false, 2) +
                          explorer_columns_of(tui, present) + 3 <
                      room;
    const bool joined = columns_of_keys(tui, true, 1) + (own < LEAST_OWN ? own : LEAST_OWN) >= room;
    int col = 1;
    bar->count = 0;
    write_view_keys(keys);
    for (int i = SMC_ACTION_NONE + 1; i < SMC_ACTION_QUIT; i++) {
        if (!is_of_view(tui, i) || (i == present && !wide && !joined))
            continue;
        if (joined && leads_to_view(i)) {
            const int cols = (int)(strlen(keys) + strlen(views_label)) + 1;
            if (i == SMC_ACTION_VIEW_EXPLORE)
                col = add_to_bar(bar, i, col, cols, true) + 1;
        } else if (col + explorer_columns_of(tui, i) <= room) {
            col = add_to_bar(bar, i, col, explorer_columns_of(tui, i), false) + (wide ? 2 : 1);
        }
    }
    add_to_bar(bar, SMC_ACTION_QUIT, tui->cols - (int)sizeof quit_words + 1,
               (int)sizeof quit_words - 1, false);
}

/* --- Pasting and clicking --- */

/* The next character; a line end or a tab is a blank, since a field has one line. */
static uint32_t next_pasted(const char **text)
{
    if ((unsigned char)**text >= ' ')
        return smc_utf8_next(text);
    (*text)++;
    return ' ';
}

void smc_tui_paste(struct smc_tui *tui, const char *text)
{
    tui->effect = SMC_EFFECT_NONE;
    tui->message[0] = '\0';
    if (!tui->prompt.open && !tui->pick.open)
        smc_tui_say(tui, SMC_STYLE_WARN,
                    "pasted text runs no commands; first open a field, a search or the palette");
    while (*text && (tui->prompt.open || tui->pick.open)) {
        const uint32_t character = next_pasted(&text);
        if (character == ' ' && !*text)
            break; /* the end of a line that was copied whole */
        if (tui->prompt.open)
            prompt_key(tui, character);
        else
            smc_pick_key(&tui->pick, character);
    }
}

/* The action whose key is at a column of the bottom bar. */
static enum smc_action action_at(const struct smc_tui *tui, int col)
{
    struct bottom_bar bar;
    lay_out_bar(tui, &bar);
    for (size_t i = 0; i < bar.count; i++)
        if (col >= bar.item[i].col && col < bar.item[i].col + bar.item[i].cols)
            return bar.item[i].joins_views
                       ? (enum smc_action)(SMC_ACTION_VIEW_EXPLORE +
                                           ((int)tui->view + 1) % SMC_VIEW_COUNT)
                       : (enum smc_action)bar.item[i].action;
    return SMC_ACTION_NONE;
}

static bool is_on_bar(const struct smc_tui *tui, int row)
{
    return row == tui->rows - 1 && !tui->popup.open && !tui->pick.open && !tui->prompt.open;
}

void smc_tui_click(struct smc_tui *tui, int row, int col, int direction)
{
    struct smc_rect body = smc_tui_body(tui);
    tui->effect = SMC_EFFECT_NONE;
    if (is_on_bar(tui, row) && direction == 0) {
        enum smc_action action = tui->message[0] ? SMC_ACTION_NONE : action_at(tui, col);
        tui->message[0] = '\0';
        tui_explorer_act(tui, action);
        return;
    }
    tui->message[0] = '\0';
    if (tui->pick.open)
        pick_ended(tui, smc_pick_click(&tui->pick, body, row, col, direction));
    else if (tui->popup.open)
        smc_popup_act(&tui->popup, direction < 0   ? SMC_ACTION_UP
                                   : direction > 0 ? SMC_ACTION_DOWN
                                                   : SMC_ACTION_CANCEL);
    else if (!tui->prompt.open && smc_rect_holds(body, row, col) && smc_views[tui->view]->click)
        smc_views[tui->view]->click(tui, body, row, col, direction);
}

/* --- Jobs --- */

/* Reading the file again comes before all questions about it. It is answered for another device or
   launch when its kernels are looked at. */
static bool wants_file(const struct smc_tui *tui)
{
    const struct smc_open_file *file = &tui->file;
    const bool is_seen = tui->view == SMC_VIEW_TRACE || smc_tui_open_kernel(tui);
    return file->is_stale || (is_seen && smc_open_file_is_due(file, &tui->explore.query.device));
}

static bool wants_accesses(const struct smc_tui *tui)
{
    const struct smc_open_kernel *kernel = smc_tui_open_kernel(tui);
    const struct smc_open_accesses *accesses = &tui->file.accesses;
    return tui->view == SMC_VIEW_BANKS && kernel &&
           (accesses->is_due ||
            !smc_open_accesses_fit(accesses, kernel->symbol, &tui->explore.query));
}

/* A job about the user's file; kind NONE: there is none to do. */
static void make_file_job(const struct smc_tui *tui, struct smc_job *job)
{
    const struct smc_explore *explore = &tui->explore;
    const bool predicts = explore->wants_time && smc_tui_open_kernel(tui);
    smc_job_init(job,
                 wants_file(tui)       ? SMC_JOB_READ
                 : wants_accesses(tui) ? SMC_JOB_ACCESSES
                 : predicts            ? SMC_JOB_COMPILE
                                       : SMC_JOB_NONE,
                 &explore->query);
    job->serial = explore->serial;
    smc_open_file_ask(&tui->file, &explore->query, &job->open);
}

void smc_tui_compile_job(const struct smc_tui *tui, struct smc_job *job)
{
    const struct smc_explore *explore = &tui->explore;
    if (tui->file.question.file[0]) {
        make_file_job(tui, job);
        if (job->kind != SMC_JOB_NONE)
            return;
    }
    bool wanted = explore->wants_compile || explore->wants_time;
    smc_job_init(job, wanted ? SMC_JOB_COMPILE : SMC_JOB_NONE, &explore->answer.query);
    job->serial = explore->serial;
    if (!wanted && tui->view == SMC_VIEW_ROOFLINE)
        smc_roofline_job(&tui->roofline, explore, job);
    struct smc_query around;
    if (job->kind == SMC_JOB_NONE && tui->view == SMC_VIEW_EXPLORE &&
        smc_explore_wants_around(explore, &around)) {
        smc_job_init(job, SMC_JOB_COMPILE, &around);
        job->of_chart = true;
    }
}

void smc_tui_edited(struct smc_tui *tui, const char *folder)
{
    tui->edited = true;
    tui->edited_folder = folder;
    tui->explore.query.compile.kernel_dir = folder;
    smc_explore_recompile(&tui->explore);
}

/* A message about a file without the folder, which is that of the private copies. */
static const char *find_failure(const struct smc_job_result *result)
{
    const char *message = result->error.message;
    size_t folder = strlen(result->job.kernel_dir);
    bool leads = folder > 0 && strncmp(message, result->job.kernel_dir, folder) == 0;
    return result->status == SMC_OK ? NULL : message + (leads ? folder + 1 : 0);
}

static void take_compiled(struct smc_tui *tui, const struct smc_job_result *result)
{
    if (result->job.open.kernel[0]) {
        smc_explore_timed(&tui->explore, result->job.serial, &result->time,
                          &result->job.query.ceilings);
        return;
    }
    if (result->job.of_family) {
        if (result->status == SMC_OK)
            smc_memo_keep(&tui->explore.memo, &result->job.query, &result->resources);
        smc_roofline_take(&tui->roofline, result);
        return;
    }
    const char *failure = find_failure(result);
    struct smc_explore *explore = &tui->explore;
    if (result->job.of_chart) {
        smc_explore_compiled_around(explore, &result->job.query,
                                    failure ? NULL : &result->resources);
        return;
    }
    bool is_present = result->job.serial == explore->serial;
    smc_explore_compiled(explore, &result->job.query, &result->resources, failure);
    if (is_present) /* late resources may change the answer; the time has the same ones */
        smc_explore_timed(explore, explore->serial, &result->time, &result->job.query.ceilings);
    if (failure)
        smc_tui_say_of_job(tui, SMC_JOB_COMPILE, SMC_STYLE_BAD, failure);
    if (failure && tui->edited && result->log[0]) {
        smc_popup_open(&tui->popup, "what the compiler says");
        smc_text_append(&tui->popup.text, result->log);
    }
    tui->edited = false;
}

/* A GPU of this machine replaces the device that was assumed until it was found. */
static void take_gpus(struct smc_tui *tui, const struct smc_job_result *result)
{
    tui->gpu_count = result->gpu_count;
    memcpy(tui->gpu, result->gpu, sizeof tui->gpu);
    snprintf(tui->no_gpu, sizeof tui->no_gpu, "%s", result->error.message);
    if (tui->gpu_count == 0) /* also for a launch that waits for the answer */
        tui->confirm.settings.place = tui->run_job.settings.place = SMC_ON_EMULATOR;
    else
        smc_explore_find_device(&tui->explore, &tui->gpu[0]);
}

/* Of the same launch, after the file was saved, unless the list tells them. */
static void say_changed_conflicts(struct smc_tui *tui, const struct smc_open_accesses *before,
                                  const struct smc_open_accesses *now)
{
    const struct smc_open_kernel *kernel = smc_tui_open_kernel(tui);
    const uint64_t were = smc_open_conflicts(before), are = smc_open_conflicts(now);
    if (!kernel || strcmp(now->kernel, kernel->symbol) != 0 || !before->is_due ||
        !smc_open_accesses_fit(before, now->kernel, &tui->explore.query) || were == are ||
        (kernel->before.conflicts_known && kernel->now.conflicts_known))
        return;
    char message[sizeof tui->message];
    snprintf(message, sizeof message, "%s: %" PRIu64 " -> %" PRIu64 " bank conflicts%s%.400s",
             kernel->short_name, were, are, tui->message[0] ? "; " : "", tui->message);
    smc_tui_say(tui, are < were ? SMC_STYLE_GOOD : SMC_STYLE_WARN, "%s", message);
}

static void take_accesses(struct smc_tui *tui, const struct smc_job_result *result)
{
    struct smc_open_accesses *accesses = &tui->file.accesses;
    if (result->accesses && result->status == SMC_OK) {
        say_changed_conflicts(tui, accesses, result->accesses);
        *accesses = *result->accesses;
        return;
    }
    *accesses = (struct smc_open_accesses){
        .known = true, .threads_per_block = result->job.query.threads_per_block};
    memcpy(accesses->block, result->job.query.block, sizeof accesses->block);
    snprintf(accesses->kernel, sizeof accesses->kernel, "%s", result->job.open.kernel);
    snprintf(accesses->why, sizeof accesses->why, "%.255s", result->error.message);
}

static void take_found(struct smc_tui *tui, const struct smc_job_result *result)
{
    switch (result->job.kind) {
    case SMC_JOB_COMPILE:
        take_compiled(tui, result);
        break;
    case SMC_JOB_GPUS:
        take_gpus(tui, result);
        break;
    case SMC_JOB_READ:
        smc_tui_take_file(tui, result);
        break;
    case SMC_JOB_ACCESSES:
        take_accesses(tui, result);
        break;
    case SMC_JOB_NONE:
    case SMC_JOB_RUN:
        break;
    }
}

void smc_tui_done(struct smc_tui *tui, const struct smc_job_result *result)
{
    if (tui->message_job == result->job.kind)
        tui->message[0] = '\0';
    if (result->job.kind != SMC_JOB_RUN) {
        take_found(tui, result);
        if (smc_views[tui->view]->refresh)
            smc_views[tui->view]->refresh(tui);
        return;
    }
    tui->running = false;
    for (int i = 0; i < SMC_VIEW_COUNT; i++)
        if (smc_views[i] && smc_views[i]->done)
            smc_views[i]->done(tui, result);
}

/* --- The screen --- */

static const char pick_keys[] = "type to find   Up Down choose   Enter selects   Esc closes";
static const char popup_keys[] = "Up Down PgUp PgDn scroll  / searches  other keys close";

/* On other screens: the progress of a running launch, and the key of its screen. */
static void explorer_write_progress(const struct smc_tui *tui, char text[64])
{
    const struct smc_open_file *file = &tui->file;
    snprintf(text, 64, "%s",
             !file->question.file[0]             ? ""
             : file->is_stale                    ? " reading "
             : file->is_read && file->failure[0] ? " file not readable (F8) "
                                                 : "");
    if (!smc_tui_is_launching(tui) || tui->view == SMC_VIEW_CONFIRM)
        return;
    if (tui->blocks)
        snprintf(text, 64, " emulating %d %% (F5) ",
                 (int)(100.0 * (double)tui->blocks_done / (double)tui->blocks));
    else
        snprintf(text, 64, " launching (F5) ");
}

static void explorer_write_verdict(const struct smc_explore *explore, char text[64])
{
    const struct smc_answer *answer = &explore->answer;
    if (!explore->answered) {
        snprintf(text, 64, explore->wants_compile ? "not compiled yet " : "no answer ");
    } else if (answer->outcome != SMC_LAUNCHES) {
        snprintf(text, 64, "cannot %s ",
                 answer->outcome == SMC_CANNOT_COMPILE ? "compile" : "launch");
    } else {
        char percent[32];
        smc_words_percent(answer->occupancy_percent, percent);
        snprintf(text, 64, "%u block%s/SM  %s ", answer->occupancy.blocks_per_sm,
                 smc_text_plural(answer->occupancy.blocks_per_sm), percent);
    }
}

static void draw_top(const struct smc_tui *tui, struct smc_rect line, struct smc_frame *frame)
{
    char verdict[64], launch[64], subject[256];
    const struct smc_query *query = &tui->explore.query;
    smc_frame_fill(frame, line, SMC_STYLE_BAR, ' ');
    explorer_write_verdict(&tui->explore, verdict);
    snprintf(subject, sizeof subject, ": %s | %s on %s", smc_views[tui->view]->title,
             query->kernel        ? query->kernel->name
             : query->file_kernel ? query->file_kernel->short_name
                                  : "your own kernel",
             query->device.name);
    struct smc_rect left = {line.row, line.col, 1,
                            line.cols - smc_utf8_string_columns(verdict) - 1};
    explorer_write_progress(tui, launch);
    smc_frame_text_right(frame, left, 0, SMC_STYLE_BAR_STRONG, launch);
    left.cols -= smc_utf8_string_columns(launch);
    int col = smc_frame_text(frame, left, 0, 1, SMC_STYLE_BAR_STRONG, "smemcalc");
    smc_frame_text_within(frame, left, 0, col, left.cols - col, SMC_STYLE_BAR, subject);
    smc_frame_text_right(frame, line, 0, SMC_STYLE_BAR_STRONG, verdict);
}

static int draw_key(const struct smc_tui *tui, int action, struct smc_rect line, int col,
                    struct smc_frame *frame)
{
    char key[16];
    bool here = action == SMC_ACTION_VIEW_EXPLORE + (int)tui->view;
    smc_key_name(smc_action_key((enum smc_action)action, 0), key);
    col = smc_frame_text(frame, line, 0, col, SMC_STYLE_BAR_STRONG, key);
    return smc_frame_text(frame, line, 0, col + 1, here ? SMC_STYLE_BAR_STRONG : SMC_STYLE_BAR,
                          label_of(tui, action));
}

static void draw_views(struct smc_rect line, int col, struct smc_frame *frame)
{
    char keys[40];
    write_view_keys(keys);
    col = smc_frame_text(frame, line, 0, col, SMC_STYLE_BAR_STRONG, keys);
    smc_frame_text(frame, line, 0, col + 1, SMC_STYLE_BAR, views_label);
}

static void draw_bottom(const struct smc_tui *tui, struct smc_rect line, struct smc_frame *frame)
{
    struct bottom_bar bar;
    lay_out_bar(tui, &bar);
    smc_frame_fill(frame, line, SMC_STYLE_BAR, ' ');
    for (size_t i = 0; i < bar.count; i++) {
        const struct bar_item *item = &bar.item[i];
        if (item->joins_views)
            draw_views(line, item->col, frame);
        else if (item->action != SMC_ACTION_QUIT)
            draw_key(tui, item->action, line, item->col, frame);
    }
    smc_frame_text_right(frame, line, 0, SMC_STYLE_BAR, quit_words);
}

/* On the last row, and on rows above where it is longer. */
static void draw_message_line(const struct smc_tui *tui, struct smc_rect all,
                              struct smc_frame *frame)
{
    enum { MOST_ROWS = 4 };
    const struct smc_rect width = {all.row, all.col + 1, 0, all.cols - 2};
    int rows = smc_frame_paragraph(frame, width, 0, tui->message_style, tui->message);
    rows = rows < MOST_ROWS ? rows : MOST_ROWS;
    const struct smc_rect lines = smc_rect_cut_bottom(&all, rows);
    smc_frame_fill(frame, lines, SMC_STYLE_NORMAL, ' ');
    smc_frame_paragraph(frame, (struct smc_rect){lines.row, width.col, lines.rows, width.cols}, 0,
                        tui->message_style, tui->message);
}

static void draw_too_small(struct smc_frame *frame)
{
    struct smc_rect all = {0, 0, frame->rows, frame->cols};
    char text[96];
    snprintf(text, sizeof text, "smemcalc needs %d x %d; this terminal has %d x %d", SMC_LEAST_COLS,
             SMC_LEAST_ROWS, frame->cols, frame->rows);
    smc_frame_paragraph(frame, all, 0, SMC_STYLE_STRONG, text);
}

void smc_tui_draw(struct smc_tui *tui, struct smc_frame *frame)
{
    struct smc_rect body = {0, 0, frame->rows, frame->cols};
    smc_frame_fill(frame, body, SMC_STYLE_NORMAL, ' ');
    if (frame->rows < SMC_LEAST_ROWS || frame->cols < SMC_LEAST_COLS) {
        draw_too_small(frame);
        return;
    }
    draw_top(tui, smc_rect_cut_top(&body, 1), frame);
    struct smc_rect bottom = smc_rect_cut_bottom(&body, 1);
    smc_views[tui->view]->draw(tui, body, frame);
    if (tui->popup.open)
        smc_popup_draw(&tui->popup, body, frame);
    if (tui->pick.open)
        smc_pick_draw(&tui->pick, body, frame);
    if (tui->prompt.open) {
        smc_prompt_draw(&tui->prompt, bottom, frame);
    } else if (tui->message[0]) {
        draw_message_line(tui, (struct smc_rect){0, 0, frame->rows, frame->cols}, frame);
    } else if (tui->popup.open || tui->pick.open) {
        smc_frame_fill(frame, bottom, SMC_STYLE_BAR, ' ');
        smc_frame_text(frame, bottom, 0, 1, SMC_STYLE_BAR, tui->pick.open ? pick_keys : popup_keys);
    } else {
        draw_bottom(tui, bottom, frame);
    }
}
