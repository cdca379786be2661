/* The explorer on a real terminal. The one file that includes curses. */
#include "config.h"

#include "show/tui/terminal.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/platform.h"
#include "show/tui/keys.h"
#include "show/tui/restore.h"

/* Global, as curses itself is. */
static struct {
    SCREEN *screen;
    attr_t attributes[SMC_STYLE_COUNT];
    short pair[SMC_STYLE_COUNT];
    bool utf8;
    struct smc_frame shown; /* what stdscr holds; 0 x 0: unknown */
    enum smc_theme theme;   /* the user's choice */
    bool is_light;          /* the terminal has a light background */
    bool answers;           /* within an answer of the terminal (OSC) */
    char answer[128];
    double heard_ms; /* when the last Esc, or byte of a sequence, arrived */
    bool in_sequence;
    char sequence[32]; /* the Esc and what arrived after it */
    bool pastes;       /* within pasted text */
    struct smc_text pasted;
    size_t end_matched; /* characters of paste_end, held back */
} on;

enum { MOST_PASTED = 1 << 16 };

/* An Esc is a key if nothing follows it within ESCAPE_MS, which covers a read that ends within a
   sequence and a serial line of 9600 baud. On a slow connection the rest may arrive later: two
   characters that look like it within SEQUENCE_MS are then read as one key, and run no commands. */
enum { ESCAPE_MS = 4, SEQUENCE_MS = 100 };

/* A key that curses does not name. */
enum { PASTE_BEGINS = KEY_MAX + 1 };

static attr_t curses_attributes(unsigned attributes)
{
    return (attributes & SMC_DIM ? A_DIM : 0) | (attributes & SMC_BOLD ? A_BOLD : 0) |
           (attributes & SMC_UNDERLINE ? A_UNDERLINE : 0) |
           (attributes & SMC_REVERSE ? A_REVERSE : 0);
}

/* What curses calls one of 256 colours: on a terminal of 24-bit colours, its RGB value. */
static int curses_colour(int colour)
{
    return colour < 0 || COLORS <= 256 ? colour : (int)smc_look_rgb(colour);
}

static void set_pair(short pair, int foreground, int background)
{
#if defined NCURSES_EXT_COLORS && NCURSES_EXT_COLORS
    init_extended_pair(pair, foreground, background);
#else
    init_pair(pair, (short)foreground, (short)background);
#endif
}

static enum smc_theme terminal_curses_theme(void)
{
    const char *no_color = getenv("NO_COLOR");
    return on.theme == SMC_THEME_NONE || (no_color && *no_color) ? SMC_THEME_NONE
           : on.is_light                                         ? SMC_THEME_LIGHT
                                                                 : SMC_THEME_DARK;
}

/* With 256 colours a background is used instead of reversing, and grey instead of dimming. */
static void set_style(short style, bool colour, bool many)
{
    const struct smc_look look = smc_look_of((enum smc_style)style, terminal_curses_theme());
    unsigned attributes = look.attributes;
    if (many && look.background >= 0)
        attributes &= ~(unsigned)SMC_REVERSE;
    if (many && look.foreground >= 0)
        attributes &= ~(unsigned)SMC_DIM;
    on.attributes[style] = curses_attributes(attributes);
    on.pair[style] = 0;
    int foreground = many ? curses_colour(look.foreground) : look.basic;
    int background = many ? curses_colour(look.background) : -1;
    if (colour && (foreground >= 0 || background >= 0)) {
        on.pair[style] = (short)(style + 1);
        set_pair(on.pair[style], foreground, background);
    }
}

static void set_styles(void)
{
    bool colour = terminal_curses_theme() != SMC_THEME_NONE && has_colors() && start_color() == OK;
    if (colour)
        use_default_colors();
    bool many = colour && COLORS >= 256 && COLOR_PAIRS > SMC_STYLE_COUNT;
    for (int i = 0; i < SMC_STYLE_COUNT; i++)
        set_style((short)i, colour, many);
}

/* Checked before curses starts: it would end the program, or write to a terminal that cannot. */
static bool can_place_text(void)
{
    int how;
    if (setupterm(NULL, STDOUT_FILENO, &how) != OK)
        return false;
    const char *place = tigetstr("cup");
    bool can = place && place != (char *)-1;
    del_curterm(cur_term);
    return can;
}

/* Pasted text is marked as such, so that it runs no commands. */
static const char paste_on[] = "\x1b[?2004h", paste_off[] = "\x1b[?2004l";
static const char paste_end[] = "\x1b[201~";

/* Past curses, whose own output is written out first. */
static void write_to_terminal(const char *sequence)
{
    fputs(sequence, stdout);
    fflush(stdout);
}

/* What a crash has to undo: marks of pasted text, attributes, application keys, the other screen,
   the hidden cursor. */
static void prepare_crashes(void)
{
    static const char *const names[] = {"sgr0", "rmkx", "rmcup", "cnorm"};
    const char *strings[sizeof names / sizeof *names + 2];
    size_t count = 0;
    strings[count++] = paste_off;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *string = tigetstr(names[i]);
        if (string && string != (char *)-1)
            strings[count++] = string;
    }
    strings[count] = NULL;
    smc_restore_with(strings);
}

/* Sequences that some terminals send although their TERM names others. */
static void know_more_keys(void)
{
    static const struct {
        const char *sequence;
        int key;
    } keys[] = {
        {"\x1b[1~", KEY_HOME},  {"\x1b[7~", KEY_HOME},       {"\x1b[H", KEY_HOME},
        {"\x1bOH", KEY_HOME},   {"\x1b[4~", KEY_END},        {"\x1b[8~", KEY_END},
        {"\x1b[F", KEY_END},    {"\x1bOF", KEY_END},         {"\x1b[A", KEY_UP},
        {"\x1b[B", KEY_DOWN},   {"\x1b[C", KEY_RIGHT},       {"\x1b[D", KEY_LEFT},
        {"\x1b[11~", KEY_F(1)}, {"\x1b[12~", KEY_F(2)},      {"\x1b[13~", KEY_F(3)},
        {"\x1b[14~", KEY_F(4)}, {"\x1b[15~", KEY_F(5)},      {"\x1b[17~", KEY_F(6)},
        {"\x1b[18~", KEY_F(7)}, {"\x1b[200~", PASTE_BEGINS},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (key_defined(keys[i].sequence) == 0 || keys[i].key == PASTE_BEGINS)
            define_key(keys[i].sequence, keys[i].key);
}

static void take_mouse(bool is_free)
{
    mousemask(is_free ? 0 : BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
}

/* Asks for the background; the answer comes as input, or never. */
static void ask_background(void)
{
    if (on.theme == SMC_THEME_AUTO)
        write_to_terminal("\x1b]11;?\x1b\\");
}

static enum smc_status open_terminal(void *context, int *rows, int *cols, struct smc_error *error)
{
    on.theme = context ? *(const enum smc_theme *)context : SMC_THEME_AUTO;
    on.is_light = on.theme == SMC_THEME_LIGHT;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return smc_fail(error, SMC_UNAVAILABLE,
                        "tui: standard input and output are not both a terminal; --script plays "
                        "keys without one");
    if (!can_place_text())
        return smc_fail(error, SMC_UNAVAILABLE,
                        "tui: this terminal cannot show a screen (TERM is '%.64s'); the other "
                        "commands need none",
                        getenv("TERM") ? getenv("TERM") : "");
    (void)setlocale(LC_CTYPE, ""); /* else it stays that of C, which has no UTF-8 */
    on.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    smc_restore_prepare();
    on.screen = newterm(NULL, stdout, stdin);
    if (!on.screen)
        return smc_fail(error, smc_memory_status(errno, SMC_MACHINE),
                        "tui: curses cannot open the terminal");
    prepare_crashes();
    set_styles();
    raw();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    know_more_keys();
    nodelay(stdscr, TRUE);
    set_escdelay(ESCAPE_MS);
    curs_set(0);
    take_mouse(false);
    mouseinterval(0);
    write_to_terminal(paste_on);
    ask_background();
    getmaxyx(stdscr, *rows, *cols);
    return SMC_OK;
}

static void close_terminal(void)
{
    write_to_terminal(paste_off);
    endwin();
    delscreen(on.screen);
    smc_frame_free(&on.shown);
    smc_text_free(&on.pasted);
    smc_restore_done();
}

static int terminal_curses_descriptor(void)
{
    return STDIN_FILENO;
}

static uint32_t key_of_curses(wint_t code)
{
    static const struct {
        wint_t code;
        uint32_t key;
    } keys[] = {
        {KEY_UP, SMC_KEY_UP},
        {KEY_DOWN, SMC_KEY_DOWN},
        {KEY_LEFT, SMC_KEY_LEFT},
        {KEY_RIGHT, SMC_KEY_RIGHT},
        {KEY_SLEFT, SMC_KEY_SHIFT_LEFT},
        {KEY_SRIGHT, SMC_KEY_SHIFT_RIGHT},
        {KEY_PPAGE, SMC_KEY_PAGE_UP},
        {KEY_NPAGE, SMC_KEY_PAGE_DOWN},
        {KEY_HOME, SMC_KEY_HOME},
        {KEY_END, SMC_KEY_END},
        {KEY_DC, SMC_KEY_DELETE},
        {KEY_BACKSPACE, SMC_KEY_BACKSPACE},
        {KEY_BTAB, SMC_KEY_BACK_TAB},
        {KEY_ENTER, SMC_KEY_ENTER},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].code == code)
            return keys[i].key;
    return code >= KEY_F(1) && code <= KEY_F(8) ? SMC_KEY_F1 + (uint32_t)(code - KEY_F(1)) : 0;
}

static void read_mouse(struct smc_event *event)
{
    MEVENT mouse = {.y = -1}; /* outside the screen if it cannot be read */
    getmouse(&mouse);
    event->kind = SMC_EVENT_CLICK;
    event->row = mouse.y;
    event->col = mouse.x;
    event->direction = mouse.bstate & BUTTON4_PRESSED ? -1 : mouse.bstate & BUTTON5_PRESSED ? 1 : 0;
}

/* Asked for, since the window may have changed while another program had the terminal. */
static void follow_size(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0 &&
        is_term_resized(size.ws_row, size.ws_col)) {
        resizeterm(size.ws_row, size.ws_col); /* curses then sends KEY_RESIZE */
        smc_frame_free(&on.shown);
    }
}

/* "11;rgb:ffff/ffff/dddd": whether the background is light, by the weights of ITU-R BT.601. */
static bool is_light_answer(const char *answer)
{
    unsigned rgb[3];
    unsigned red_digits = (unsigned)strspn(answer + 7, "0123456789abcdefABCDEF");
    if (strncmp(answer, "11;rgb:", 7) != 0 ||
        sscanf(answer + 7, "%x/%x/%x", &rgb[0], &rgb[1], &rgb[2]) != 3 || red_digits > 4)
        return on.is_light;
    double most = (double)((1u << 4 * red_digits) - 1);
    return 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] > most / 2;
}

/* Drops the backslash that follows an ESC where both end an answer. */
static void drop_backslash(void)
{
    wint_t code;
    if (get_wch(&code) != ERR && code != '\\')
        unget_wch((wchar_t)code);
}

/* One more character of an answer, which ends in BEL or in ESC and a backslash; anything else that
   no answer has ends it, too, so that keys are not swallowed. */
static void add_to_answer(wint_t code)
{
    const size_t length = strlen(on.answer);
    if (code == '\x1b')
        drop_backslash();
    on.answers = code >= ' ' && code < 0x7f && length + 1 < sizeof on.answer;
    if (!on.answers)
        return;
    on.answer[length] = (char)code;
    on.answer[length + 1] = '\0';
}

/* Reads on in an answer of the terminal. True: it ended, and the colours are others now. */
static bool terminal_read_answer(void)
{
    wint_t code;
    while (on.answers && get_wch(&code) != ERR)
        add_to_answer(code);
    const bool was = on.is_light;
    if (!on.answers && on.theme == SMC_THEME_AUTO)
        on.is_light = is_light_answer(on.answer);
    return !on.answers && was != on.is_light;
}

static bool was_just_heard(void)
{
    return smc_clock_ms() - on.heard_ms < SEQUENCE_MS;
}

/* After an Esc: whether the character begins a sequence, or an answer of the terminal. */
static bool begin_sequence(wint_t code)
{
    if (code == ']') {
        on.answers = true;
        on.answer[0] = '\0';
    } else if (code == '[' || code == 'O') {
        on.in_sequence = true;
        memset(on.sequence, 0, sizeof on.sequence);
        on.sequence[0] = '\x1b';
        on.sequence[1] = (char)code;
    }
    return on.answers || on.in_sequence;
}

/* After an Esc that was taken for a key. A person types one character at a time; the rest of a
   sequence arrives together. */
static bool is_rest_of_sequence(wint_t code)
{
    wint_t next;
    const int kind =
        was_just_heard() && code && code < 0x80 && strchr("[O]", (int)code) ? get_wch(&next) : ERR;
    if (kind == ERR)
        return false;
    if (kind == KEY_CODE_YES)
        ungetch((int)next);
    else
        unget_wch((wchar_t)next);
    return kind == OK && begin_sequence(code);
}

/* A sequence that curses did not recognize arrives as characters that were not typed. */
static bool is_sequence(void)
{
    wint_t code;
    if (get_wch(&code) == ERR) {
        on.heard_ms = smc_clock_ms();
        return false;
    }
    if (!begin_sequence(code))
        unget_wch((wchar_t)code);
    return on.answers || on.in_sequence;
}

/* Reads on in a sequence, like get_wch: the key that it is, or 0 for one that is none. A character
   that no sequence has, or that comes too late, ends it and counts for itself. */
static int read_sequence(wint_t *code)
{
    int kind = ERR;
    while (on.in_sequence && (kind = get_wch(code)) != ERR) {
        const size_t length = strlen(on.sequence);
        on.in_sequence = was_just_heard() && kind == OK && *code >= ' ' && *code <= '~';
        if (!on.in_sequence)
            return kind;
        on.heard_ms = smc_clock_ms();
        if (length + 1 < sizeof on.sequence)
            on.sequence[length] = (char)*code;
        on.in_sequence = *code < '@' || (length == 2 && *code == '['); /* a console's F1 to F5 */
    }
    if (on.in_sequence)
        return ERR;
    const int key = key_defined(on.sequence);
    on.heard_ms = 0;
    *code = key > 0 ? (wint_t)key : 0;
    return KEY_CODE_YES;
}

/* One more byte of pasted text, or of the sequence that ends it. */
static void add_pasted(char byte)
{
    const size_t held = on.end_matched;
    if (byte == paste_end[held]) {
        on.pastes = paste_end[++on.end_matched] != '\0';
        return;
    }
    on.end_matched = byte == paste_end[0];
    if (on.pasted.length >= MOST_PASTED)
        return;
    smc_text_append_bytes(&on.pasted, paste_end, held);
    smc_text_append_bytes(&on.pasted, &byte, !on.end_matched);
}

/* Reads on in pasted text, past curses, which takes several times as long. */
static void read_paste(struct smc_event *event)
{
    struct pollfd waiting = {.fd = STDIN_FILENO, .events = POLLIN};
    char byte;
    while (on.pastes && poll(&waiting, 1, 0) > 0 && read(STDIN_FILENO, &byte, 1) == 1)
        add_pasted(byte);
    if (on.pastes)
        return;
    event->kind = SMC_EVENT_PASTE;
    event->text = smc_text_string(&on.pasted);
}

/* Within what is not typed: an answer of the terminal, or pasted text. False: in neither. */
static bool read_untyped(struct smc_event *event)
{
    if (on.answers && terminal_read_answer()) {
        set_styles();
        smc_frame_free(&on.shown);
        event->kind = SMC_EVENT_REPAINT;
        return true;
    }
    if (on.pastes)
        read_paste(event);
    return on.answers || on.pastes || event->kind != SMC_EVENT_NONE;
}

/* False: it only begins something longer. */
static bool take_code(int kind, wint_t code, struct smc_event *event)
{
    if (kind == KEY_CODE_YES && code == KEY_RESIZE) {
        event->kind = SMC_EVENT_RESIZE;
        getmaxyx(stdscr, event->rows, event->cols);
    } else if (kind == KEY_CODE_YES && code == KEY_MOUSE) {
        read_mouse(event);
    } else if (kind == KEY_CODE_YES && code == PASTE_BEGINS) {
        smc_text_free(&on.pasted);
        on.pastes = true;
        on.end_matched = 0;
    } else if (kind == OK && (code == '\x1b' ? is_sequence() : is_rest_of_sequence(code))) {
        on.heard_ms = smc_clock_ms();
    } else {
        event->kind = SMC_EVENT_KEY;
        event->key = kind == KEY_CODE_YES           ? key_of_curses(code)
                     : code == '\r'                 ? SMC_KEY_ENTER
                     : code == 0x7f || code == '\b' ? (uint32_t)SMC_KEY_BACKSPACE
                                                    : (uint32_t)code;
    }
    return event->kind != SMC_EVENT_NONE;
}

static void terminal_curses_next(struct smc_event *event)
{
    wint_t code;
    int kind;
    *event = (struct smc_event){.kind = SMC_EVENT_NONE};
    follow_size();
    do {
        if (read_untyped(event))
            return;
        kind = on.in_sequence ? read_sequence(&code) : get_wch(&code);
    } while (kind != ERR && !take_code(kind, code, event));
}

static void show_cell(int row, int col, const struct smc_cell *cell)
{
    uint32_t glyph = on.utf8 ? cell->glyph : (uint32_t)smc_glyph_ascii(cell->glyph);
    wchar_t text[2] = {(wchar_t)glyph, 0};
    cchar_t character;
    setcchar(&character, text, on.attributes[cell->style], on.pair[cell->style], NULL);
    mvadd_wch(row, col, &character);
}

/* Curses takes longer for a cell than the explorer: it receives only the rows that changed, and
   whole ones, because it blanks the other half where half of a wide character is overwritten. */
static bool row_changed(const struct smc_cell *cells, int row, int cols)
{
    const struct smc_cell *before = &on.shown.cell[(size_t)row * (size_t)cols];
    for (int col = 0; col < cols; col++)
        if (cells[col].glyph != before[col].glyph || cells[col].style != before[col].style)
            return true;
    return false;
}

static void terminal_curses_show(const struct smc_frame *frame, bool everything)
{
    size_t cells = (size_t)frame->rows * (size_t)frame->cols;
    bool known = !everything && on.shown.rows == frame->rows && on.shown.cols == frame->cols;
    for (int row = 0; row < frame->rows; row++) {
        const struct smc_cell *cell = &frame->cell[(size_t)row * (size_t)frame->cols];
        if (known && !row_changed(cell, row, frame->cols))
            continue;
        for (int col = 0; col < frame->cols; col++)
            if (cell[col].glyph)
                show_cell(row, col, &cell[col]);
    }
    if (known || smc_frame_resize(&on.shown, frame->rows, frame->cols))
        memcpy(on.shown.cell, frame->cell, cells * sizeof *frame->cell);
    if (everything)
        redrawwin(stdscr);
    refresh();
}

static void pause_terminal(void)
{
    write_to_terminal(paste_off);
    endwin();
}

static void resume(void)
{
    refresh();
    curs_set(0);
    write_to_terminal(paste_on);
}

static void append_base64(const char *text, struct smc_text *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t left = strlen(text); left > 0; text += 3) {
        const unsigned char *c = (const unsigned char *)text;
        const size_t count = left < 3 ? left : 3;
        const unsigned bits = (unsigned)c[0] << 16 | (count > 1 ? (unsigned)c[1] << 8 : 0) |
                              (count > 2 ? (unsigned)c[2] : 0);
        char four[5] = {digits[bits >> 18], digits[bits >> 12 & 63], '=', '=', 0};
        if (count > 1)
            four[2] = digits[bits >> 6 & 63];
        if (count > 2)
            four[3] = digits[bits & 63];
        smc_text_append(out, four);
        left -= count;
    }
}

/* OSC 52. tmux hands it on where its set-clipboard is on, and otherwise only what is wrapped for
   the terminal outside. */
static void terminal_copy_text(const char *text)
{
    smc_auto_text encoded = {0}, sequence = {0};
    append_base64(text, &encoded);
    smc_text_printf(&sequence, "\x1b]52;c;%s\a", smc_text_string(&encoded));
    if (getenv("TMUX"))
        smc_text_printf(&sequence, "\x1bPtmux;\x1b\x1b]52;c;%s\a\x1b\\", smc_text_string(&encoded));
    write_to_terminal(smc_text_string(&sequence));
}

static void print_nothing(const struct smc_frame *frame)
{
    (void)frame;
}

const struct smc_terminal smc_terminal_curses = {
    .open = open_terminal,
    .close = close_terminal,
    .descriptor = terminal_curses_descriptor,
    .next = terminal_curses_next,
    .show = terminal_curses_show,
    .pause = pause_terminal,
    .resume = resume,
    .print = print_nothing,
    .copy = terminal_copy_text,
    .free_mouse = take_mouse,
    .theme = terminal_curses_theme,
};
