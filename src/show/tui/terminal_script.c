/* The explorer played from a script. */
#include <string.h>

#include "base/parse.h"
#include "show/tui/keys.h"
#include "show/tui/terminal.h"

enum { MOST_ROWS = 500, MOST_COLS = 1000, MOST_REPEATS = 100000 };

static struct smc_script *script; /* one per process, as with curses */

static void fail_line(const char *why, const char *what)
{
    script->status = smc_fail(&script->error, SMC_USAGE, "%s:%zu: %s '%.64s'", script->name,
                              script->line, why, what);
}

static bool terminal_script_read_size(const char *text, int *rows, int *cols)
{
    int64_t size[2];
    if (smc_parse_dimensions(text, MOST_COLS, size, 2) != 2 || size[1] > MOST_ROWS)
        return false;
    *cols = (int)size[0];
    *rows = (int)size[1];
    return true;
}

/* The next line that is neither empty nor a comment, without its newline; NULL after the last. */
static char *terminal_script_next_line(void)
{
    while (script->rest && *script->rest) {
        char *line = script->rest, *end = strchr(line, '\n');
        script->rest = end ? end + 1 : line + strlen(line);
        if (end)
            *end = '\0';
        script->line++;
        line += strspn(line, " \t");
        if (*line && *line != '#')
            return line;
    }
    return NULL;
}

static enum smc_status open_script(void *context, int *rows, int *cols, struct smc_error *error)
{
    (void)error;
    script = context;
    script->rest = script->text;
    *rows = 24;
    *cols = 80;
    return SMC_OK;
}

static void close_script(void)
{
    script = NULL;
}

static int terminal_script_descriptor(void)
{
    return -1;
}

/* Ends the first word there; `*rest` is moved to the next one. */
static char *next_word(char **rest)
{
    char *word = *rest, *end = word + strcspn(word, " ");
    *rest = end + strspn(end, " ");
    *end = '\0';
    return word;
}

static void read_key(char *rest, struct smc_event *event)
{
    const char *name = next_word(&rest);
    int64_t times = 1;
    if (!smc_key_of_name(name, &event->key)) {
        fail_line("unknown key", name);
    } else if (*rest && !smc_parse_integer(rest, 1, MOST_REPEATS, &times)) {
        fail_line("COUNT is not a number from 1 to 100000:", rest);
    } else {
        event->kind = SMC_EVENT_KEY;
        script->repeats = (unsigned)times - 1;
        script->repeated = event->key;
    }
}

/* "ROW COLUMN", and for a wheel then "up" or "down". */
static void read_click(char *rest, bool wheel, struct smc_event *event)
{
    const char *row = next_word(&rest), *col = next_word(&rest);
    int64_t place[2];
    int direction = strcmp(rest, "up") == 0 ? -1 : strcmp(rest, "down") == 0;
    if (smc_parse_integer(row, 0, MOST_ROWS, &place[0]) &&
        smc_parse_integer(col, 0, MOST_COLS, &place[1]) && (wheel ? direction != 0 : !*rest))
        *event = (struct smc_event){.kind = SMC_EVENT_CLICK,
                                    .row = (int)place[0],
                                    .col = (int)place[1],
                                    .direction = direction};
    else
        fail_line("the place is not of the form", wheel ? "ROW COLUMN up|down" : "ROW COLUMN");
}

static void read_command(char *line, struct smc_event *event)
{
    char *rest = line + strcspn(line, " ");
    if (*rest)
        *rest++ = '\0';
    if (strcmp(line, "key") == 0) {
        read_key(rest, event);
    } else if (strcmp(line, "type") == 0) {
        script->typing = rest;
    } else if (strcmp(line, "click") == 0 || strcmp(line, "wheel") == 0) {
        read_click(rest, *line == 'w', event);
    } else if (strcmp(line, "paste") == 0) {
        event->kind = SMC_EVENT_PASTE;
        event->text = rest;
    } else if (strcmp(line, "snapshot") == 0 && script->snapshot_path) {
        event->kind = SMC_EVENT_SHOW;
        script->to_file = true;
    } else if (strcmp(line, "size") == 0) {
        event->kind = SMC_EVENT_RESIZE;
        if (!terminal_script_read_size(rest, &event->rows, &event->cols))
            fail_line("not COLUMNSxROWS up to 1000x500:", rest);
    } else if (strcmp(line, "wait") == 0) {
        event->kind = SMC_EVENT_SETTLE;
    } else if (strcmp(line, "screen") == 0 || strcmp(line, "colours") == 0) {
        event->kind = SMC_EVENT_SHOW;
        script->colours = *line == 'c';
    } else {
        fail_line("unknown command", line);
    }
}

static void terminal_script_next(struct smc_event *event)
{
    *event = (struct smc_event){.kind = SMC_EVENT_NONE};
    if (script->repeats > 0) {
        script->repeats--;
        *event = (struct smc_event){.kind = SMC_EVENT_KEY, .key = script->repeated};
        return;
    }
    while (event->kind == SMC_EVENT_NONE && script->status == SMC_OK) {
        if (script->typing && *script->typing) {
            *event =
                (struct smc_event){.kind = SMC_EVENT_KEY, .key = smc_utf8_next(&script->typing)};
            return;
        }
        char *line = terminal_script_next_line();
        if (!line)
            break;
        read_command(line, event);
    }
    if (event->kind == SMC_EVENT_NONE || script->status != SMC_OK)
        event->kind = SMC_EVENT_END;
}

static void terminal_script_show(const struct smc_frame *frame, bool everything)
{
    (void)frame;
    (void)everything;
}

static void nothing(void)
{
}

static enum smc_theme terminal_script_theme(void)
{
    return script->theme == SMC_THEME_AUTO ? SMC_THEME_DARK : script->theme;
}

static void terminal_script_print(const struct smc_frame *frame)
{
    if (script->to_file) {
        smc_text_free(&script->snapshot);
        smc_frame_write_as(frame, terminal_script_theme(), script->snapshot_path,
                           &script->snapshot);
        script->to_file = false;
        return;
    }
    if (script->colours) {
        smc_frame_write_colours(frame, terminal_script_theme(), script->utf8, script->out);
        return;
    }
    smc_text_append_char(script->out, '-', (size_t)frame->cols);
    smc_text_append_char(script->out, '\n', 1);
    smc_frame_write(frame, script->utf8, script->out);
}

static void copy_nowhere(const char *text)
{
    (void)text;
}

static void has_no_mouse(bool is_free)
{
    (void)is_free;
}

const struct smc_terminal smc_terminal_script = {
    .open = open_script,
    .close = close_script,
    .descriptor = terminal_script_descriptor,
    .next = terminal_script_next,
    .show = terminal_script_show,
    .pause = nothing,
    .resume = nothing,
    .print = terminal_script_print,
    .copy = copy_nowhere,
    .free_mouse = has_no_mouse,
    .theme = terminal_script_theme,
};
