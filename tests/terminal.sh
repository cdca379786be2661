# A terminal that tmux plays, for scripts that test what the explorer does to it; to be sourced after
# command.sh. Every wait polls, with a deadline. Skips where a terminal cannot be played, or the
# program shows nothing on one. The server is the suite's own: its socket is in the scratch folder,
# and it reads no configuration.
# Functions are called by name, words are split and kept whole on purpose:
# shellcheck disable=SC2086,SC2154
# shellcheck shell=sh

cannot_play() { # WHY
    skip "the explorer in tmux" "$1"
    finish_cases
}
command -v tmux >/dev/null || cannot_play "there is no tmux"
[ -r /proc/self/environ ] || cannot_play "there is no /proc, which shows what is left running"
if smemcalc tui 2>&1 | grep -q 'without ncursesw'; then
    cannot_play "this program was built without curses"
fi
"${program%/*}/tests/trace/pty" "$scratch/never" true
[ $? -ne 77 ] || cannot_play "no pseudo-terminal can be opened"

# Only what fails waits so long; after the first of a suite the others do not.
deadline_s=1200
later_deadline_s=20

mkdir "$scratch/tmp" "$scratch/bin"
ln -s "$program" "$scratch/bin/smemcalc"

terminals=0
terminal() {
    # The path of a socket is short; that of the scratch folder need not be.
    (cd "$scratch" && exec tmux -u -S "socket-$terminals" -f /dev/null "$@")
}

close_terminal() {
    terminal kill-server 2>/dev/null
}
trap 'close_terminal; rm -rf "$scratch"' EXIT

# A fresh window of 80x24 with a shell that has job control, where `smemcalc` is the program. Its
# environment, and so the program's, can be changed by assignments. What is started there is known by
# a mark in its environment, wherever it goes.
open_terminal() { # [ASSIGNMENT...]
    close_terminal
    terminals=$((terminals + 1))
    mark=TERMINAL_OF_TEST=$scratch/$terminals-
    (
        unset NO_COLOR
        export LC_ALL=C.UTF-8 SHELL=/bin/sh TMPDIR="$scratch/tmp" PATH="$scratch/bin:$PATH"
        terminal new-session -d -x 80 -y 24 \
            "exec env '$mark' TERM=xterm-256color PS1='\$ ' $* sh -i"
    ) || return
    terminal set-option -g status off
    terminal set-option -g window-size manual
    terminal resize-window -x 80 -y 24
    sees '^\$'
}

screen() {
    terminal capture-pane -p
}

keys() { # KEY...
    terminal send-keys "$@"
}

is_in_time() { # COMMAND...: it succeeds before the deadline
    [ ! -e "$scratch/late" ] || deadline_s=$later_deadline_s
    end=$(($(date +%s) + deadline_s))
    until "$@" 2>/dev/null; do
        if [ "$(date +%s)" -ge "$end" ]; then
            : >"$scratch/late"
            return 1
        fi
        sleep 0.02
    done
}

on_screen() { # PATTERN
    screen | grep -q -- "$1"
}
not_on_screen() { # PATTERN
    ! on_screen "$1"
}
last_line_is() { # NUMBER: the bar with the keys is in it
    screen | sed -n "$1p" | grep -q 'F1 help.*q quit'
}

# Nothing, or the screen as it was at the deadline.
sees() { # PATTERN
    is_in_time on_screen "$1" || { echo "not seen: $1"; screen; }
}

sees_no() { # PATTERN
    is_in_time not_on_screen "$1" || { echo "still seen: $1"; screen; }
}

# What tmux knows of the terminal.
state() {
    terminal display-message -p 'alternate screen #{alternate_on}, cursor #{cursor_flag}, mouse #{mouse_any_flag}, application keys #{keypad_flag}#{keypad_cursor_flag}'
}
is_plain() { [ "$(state)" = 'alternate screen 0, cursor 1, mouse 0, application keys 00' ]; }
is_shown() { [ "$(state)" = 'alternate screen 1, cursor 0, mouse 1, application keys 11' ]; }

# "PID (NAME) STATE PARENT ..." of each process that was started in the window.
started_there() {
    grep -lsF -e "$mark" /proc/[0-9]*/environ | sed 's/environ$/stat/' | xargs cat 2>/dev/null
}

# The program's processes: the one with the screen, then its workers.
processes() {
    started_there | awk '
        match($0, /\([a-z_-]*smemcalc\)/) { split(substr($0, RSTART + RLENGTH), field, " "); parent[$1] = field[2] }
        END { for (pid in parent) if (!(parent[pid] in parent)) print pid
              for (pid in parent) if (parent[pid] in parent) print pid }'
}
screen_process() {
    processes | head -n 1
}

# All that still runs besides the window's shell.
leftovers() {
    shell=$(terminal display-message -p '#{pane_pid}' 2>/dev/null)
    started_there | grep -v "^${shell:-none} " | cut -d' ' -f1,2
}
has_no_leftovers() { [ -z "$(leftovers)" ]; }

# Starts a command line in the shell and notes the settings around it, its exit status and whatever
# it prints besides the screen.
start() { # COMMAND
    rm -f "$scratch/after" "$scratch/status"
    {
        printf "clear; stty -g >'%s'; echo BEGIN\n" "$scratch/before"
        printf "sh -c '%s; exit \$?'\n" "$1" # alone, or a signal ends this script too
        printf "echo \$? >'%s'; echo END; stty -g >'%s'\n" "$scratch/status" "$scratch/after"
    } >"$scratch/commands"
    keys ". $scratch/commands" Enter
}

start_explorer() {
    open_terminal "$@"
    start smemcalc
    sees 'smemcalc: explore'
    is_in_time is_shown || state
}

# Prints everything that is wrong with the state that the program left.
complaints_after() { # STATUS [LINES-THE-SHELL-MAY-ADD]
    is_in_time test -s "$scratch/after" || { echo "it has not ended"; screen; return; }
    [ "$(cat "$scratch/status")" = "$1" ] || echo "exit status $(cat "$scratch/status"), not $1"
    cmp "$scratch/before" "$scratch/after"
    is_in_time is_plain || echo "left behind: $(state)"
    screen | sed -n '/^BEGIN/,/^END/p' | grep -vx "BEGIN\|END${2:+\|$2}"
    ls -A "$scratch/tmp"
    is_in_time has_no_leftovers || echo "still there: $(leftovers)"
}
