/* The explorer's state. What keys do to it is pure; the loop (tui_run.c) shows it and does the
   rest: terminal, compiler, GPU, editor. */
#ifndef SMC_SHOW_TUI_STATE_H
#define SMC_SHOW_TUI_STATE_H

#include <stdbool.h>

#include "answers/query.h"
#include "base/text.h"
#include "show/lesson/lesson.h"
#include "show/tui/banks_state.h"
#include "show/tui/confirm_state.h"
#include "show/tui/devices_state.h"
#include "show/tui/explore.h"
#include "show/tui/frame.h"
#include "show/tui/keys.h"
#include "show/tui/open_file.h"
#include "show/tui/roofline_state.h"
#include "show/tui/trace_list.h"
#include "show/tui/widgets.h"
#include "show/tui/worker.h"

/* Which lesson is open, and the page as shown. Start from {0}. */
struct smc_lessons {
    enum smc_language language; /* of the user */
    size_t lesson;
    struct smc_lesson opened; /* while is_open; owned */
    bool is_open;             /* otherwise the list is shown */
    size_t page;              /* the question follows the last page */
    int top;                  /* the first line shown */
    bool can_try;             /* the page is about a launch: */
    struct smc_query launch;
    uint32_t solved;     /* bit n: lesson n's question was answered correctly */
    char own_file[1024]; /* the user's lesson, the last of the list; "": none */
    struct smc_lesson_head own;
    struct smc_text text; /* the page as shown; owned */
    int written_cols;     /* of the screen that it was written for */
    struct smc_device written_for;
    struct smc_text reply; /* to the last answer, or empty; owned */
    bool is_right;
};

static inline void smc_lessons_close(struct smc_lessons *lessons)
{
    smc_lesson_free(&lessons->opened);
    smc_text_free(&lessons->text);
    smc_text_free(&lessons->reply);
}

/* What the loop must do after a key, once. */
enum smc_effect {
    SMC_EFFECT_NONE,
    SMC_EFFECT_QUIT,
    SMC_EFFECT_SUSPEND,
    SMC_EFFECT_REDRAW, /* everything, since another program may have written to the terminal */
    SMC_EFFECT_EDIT,   /* the kernel's source in an editor */
    SMC_EFFECT_SAVE,   /* `saving`, as a file */
    SMC_EFFECT_CANCEL, /* the running launch */
    SMC_EFFECT_COPY,   /* `copied`, to the terminal's clipboard */
    SMC_EFFECT_MOUSE,  /* it is the terminal's, or the explorer's: `mouse_is_free` */
};

enum { SMC_LEAST_ROWS = 16, SMC_LEAST_COLS = 60, SMC_MOST_SEARCHES = 8 };

struct smc_tui;

/* One screen: a table of functions, which ends its file. */
struct smc_view {
    const char *title;
    void (*open)(struct smc_tui *tui); /* each time it is shown; or NULL */
    /* A GPU was found or a kernel compiled while it is shown; or NULL. */
    void (*refresh)(struct smc_tui *tui);
    void (*draw)(const struct smc_tui *tui, struct smc_rect body, struct smc_frame *frame);
    void (*resized)(struct smc_tui *tui); /* the screen has another size; or NULL */
    /* False: the view does not handle the action. */
    bool (*act)(struct smc_tui *tui, enum smc_action action);
    /* A character without an action; or NULL. */
    void (*character)(struct smc_tui *tui, uint32_t character);
    /* A line typed, or chosen, after the view opened tui->prompt or tui->pick. */
    void (*answered)(struct smc_tui *tui, const char *text);
    /* A click within the body; `direction` is 0, or that of the wheel. Or NULL. */
    void (*click)(struct smc_tui *tui, struct smc_rect body, int row, int col, int direction);
    /* While a search is typed: only lines with this text are listed; "": all. False: none has it,
       and the list is as before. Or NULL. */
    bool (*filter)(struct smc_tui *tui, const char *text);
    /* Writes what was put off so that the last key was drawn at once; or NULL. */
    void (*catch_up)(struct smc_tui *tui);
    /* A job's result that this view asked for; or NULL. */
    void (*done)(struct smc_tui *tui, const struct smc_job_result *result);
};

/* A file to be written. */
struct smc_saving {
    char path[SMC_PROMPT_CHARS];
    struct smc_text text; /* owned */
    bool over;            /* an existing file may be overwritten */
};

/* What a prompt asks for. */
enum smc_asked {
    SMC_ASKED_BY_VIEW,
    SMC_ASKED_SEARCH,
    SMC_ASKED_OVERWRITE, /* whether an existing file may be overwritten */
    SMC_ASKED_ARGUMENTS, /* of launches of the file's kernels */
    SMC_ASKED_LEAVE,     /* although a private copy was edited */
    SMC_ASKED_FILE,      /* to open */
    SMC_ASKED_POPUP,     /* what to search in the popup, which stays open */
    SMC_ASKED_SNAPSHOT,  /* the name of a file */
};

extern const struct smc_view *const smc_views[SMC_VIEW_COUNT];

#define VIEW(id, name) extern const struct smc_view smc_view_##name;
#include "show/tui/views.def"

struct smc_tui {
    int rows, cols;
    const struct smc_view *const *views; /* by enum smc_view_id: smc_views */
    enum smc_view_id view;
    struct smc_explore explore;
    struct smc_lessons lessons;
    struct smc_banks_state banks;
    struct smc_devices_state devices;
    struct smc_confirm_state confirm;
    struct smc_roofline_state roofline;
    struct smc_trace_list trace; /* or the kernels of `file` */
    struct smc_open_file file;
    struct smc_prompt prompt;
    enum smc_asked asked; /* what the prompt is about */
    char searched[SMC_PROMPT_CHARS];
    char searches[SMC_MOST_SEARCHES][SMC_PROMPT_CHARS]; /* before, the latest one first */
    size_t search_count, search_at;                     /* the one recalled, from 1; 0: none */
    struct smc_popup popup;
    struct smc_pick pick;   /* the choice goes to the view's `answered` */
    bool picks_palette;     /* or to the palette */
    struct smc_text copied; /* owned */
    bool mouse_is_free;
    enum smc_theme theme; /* of the terminal, for pictures of the screen */
    bool is_behind;       /* the view put off what takes long, until no key is waiting */
    bool edited;        /* and not compiled since: then all of the compiler's messages are shown */
    char message[1024]; /* instead of the bottom bar until the next key, or "" */
    enum smc_style message_style;
    enum smc_job_kind
        message_job; /* the message is about such a job, and is removed when one has succeeded */
    enum smc_effect effect;
    struct smc_job run_job;               /* requested; kind NONE: none is */
    bool running;                         /* a launch is running */
    long running_ms;                      /* since when */
    uint64_t blocks_done, blocks;         /* of a running emulation; 0 of 0 before it begins */
    struct smc_device gpu[SMC_MOST_GPUS]; /* of this machine, once the worker has looked */
    size_t gpu_count;
    char no_gpu[1024]; /* why there is none */
    struct smc_saving saving;
    const char *edited_folder; /* private copies that were edited are kept there; NULL: none were */
};

/* `query` has a device; with or without a kernel. */
void smc_tui_open(struct smc_tui *tui, const struct smc_query *query, int rows, int cols);
void smc_tui_close(struct smc_tui *tui);

/* Opens the screen of a trace, which outlives the state, and takes its largest kernel over to the
   first screen. */
void smc_tui_take_trace(struct smc_tui *tui, const struct smc_trace_answer *answer);

/* Opens the screen of a file's kernels; the worker reads it. */
void smc_tui_open_file(struct smc_tui *tui, const struct smc_open_question *question);

/* The file was saved or built again. */
void smc_tui_file_changed(struct smc_tui *tui);

/* Writes what the view put off until no key is waiting, if `is_behind`. */
void smc_tui_catch_up(struct smc_tui *tui);

void smc_tui_resize(struct smc_tui *tui, int rows, int cols);
void smc_tui_key(struct smc_tui *tui, uint32_t key);
/* Text that was pasted: it is typed where something can be typed, and runs no command. */
void smc_tui_paste(struct smc_tui *tui, const char *text);
void smc_tui_click(struct smc_tui *tui, int row, int col, int direction);

/* Draws the present state; the frame has the state's rows and columns. */
void smc_tui_draw(struct smc_tui *tui, struct smc_frame *frame);

/* The job to hand to the compiling process now; kind NONE where there is none. */
void smc_tui_compile_job(const struct smc_tui *tui, struct smc_job *job);

/* The kernels' sources are now those in `folder`; the string outlives the state. */
void smc_tui_edited(struct smc_tui *tui, const char *folder);

/* The result of saving: for SMC_SHORTFALL it asks whether the existing file may be overwritten. */
void smc_tui_saved(struct smc_tui *tui, enum smc_status status, const char *failure);

/* The result of a job. */
void smc_tui_done(struct smc_tui *tui, const struct smc_job_result *result);

/* --- The palette (palette.c) --- */

void smc_palette_open(struct smc_tui *tui);

/* Does what was chosen or typed; the action that is left to do, or SMC_ACTION_NONE. */
enum smc_action smc_palette_choose(struct smc_tui *tui, const char *text);
void smc_palette_typed_file(struct smc_tui *tui, const char *path);

/* --- The user's lesson (view_lessons.c) --- */

/* Reads the file and shows its first page. */
void smc_tui_open_lesson(struct smc_tui *tui, const char *path);

/* --- For views --- */

/* The result of reading the file. */
void smc_tui_take_file(struct smc_tui *tui, const struct smc_job_result *result);

/* The kernel of the file that the first screen shows; NULL: none. */
const struct smc_open_kernel *smc_tui_open_kernel(const struct smc_tui *tui);

void smc_tui_say(struct smc_tui *tui, enum smc_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same about a job that is running or has failed. */
void smc_tui_say_of_job(struct smc_tui *tui, enum smc_job_kind kind, enum smc_style style,
                        const char *message);

void smc_tui_show_view(struct smc_tui *tui, enum smc_view_id view);

/* Asks for a line; it comes back through the view's `answered`. */
void smc_tui_ask(struct smc_tui *tui, const char *question, const char *hint, const char *typed);

/* Saves `text`, which it takes over; asks before it overwrites a file. */
void smc_tui_save(struct smc_tui *tui, const char *path, struct smc_text *text);

/* Whether a launch is requested or running. */
bool smc_tui_is_launching(const struct smc_tui *tui);

/* What views are drawn in: the screen without the bars. */
struct smc_rect smc_tui_body(const struct smc_tui *tui);

/* The command line that asks for the same answer. */
void smc_tui_command(const struct smc_query *query, struct smc_text *out);

/* The same in this session: about a kernel of the user's file, and on the device that is shown even
   if it is only assumed. */
void smc_tui_command_of(const struct smc_tui *tui, const struct smc_query *query,
                        struct smc_text *out);

/* Shows it, wrapped. */
void smc_tui_show_command(struct smc_tui *tui, const char *command);
/* That of the present query, with more options. */
void smc_tui_show_query(struct smc_tui *tui, const char *options);

#endif
