# A terminal that tmux plays, for scripts that test what the explorer does to it; to be sourced after
# command.sh. Every wait polls, with a deadline. Skips if tmux or curses is missing.
# Functions are called by name, words are split and kept whole on purpose:
# shellcheck disable=SC2154
# shellcheck shell=sh

command -v tmux >/dev/null || { skip "the explorer in tmux" "there is no tmux"; finish_cases; }
if smemcalc tui </dev/null 2>&1 | grep -q 'without ncursesw'; then
    skip "the explorer in tmux" "this program was built without curses"
    finish_cases
fi

deadline_s=30
unset TMUX
mkdir "$scratch/tmp" "$scratch/bin"
ln -s "$program" "$scratch/bin/smemcalc"

terminals=0
server=smemcalc-test-$$-0
terminal() {
    tmux -u -L "$server" -f /dev/null "$@"
}

close_terminal() {
    terminal kill-server 2>/dev/null
}
trap 'close_terminal; rm -rf "$scratch"' EXIT

# A fresh window of 80x24 with a shell that has job control, where `smemcalc` is the program. Its
# environment, and so the program's, can be changed by assignments.
open_terminal() { # [ASSIGNMENT...]
    close_terminal
    terminals=$((terminals + 1))
    server=smemcalc-test-$$-$terminals
    (
        unset NO_COLOR ENV
        export LC_ALL=C.UTF-8 TMPDIR="$scratch/tmp" PATH="$scratch/bin:$PATH"
        terminal new-session -d -x 80 -y 24 "exec env TERM=xterm-256color PS1='\$ ' $* sh -i"
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
    end=$(($(date +%s) + deadline_s))
    until "$@" 2>/dev/null; do
        [ "$(date +%s)" -lt "$end" ] || return 1
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

# The program's processes there: the first is the one with the screen.
processes() {
    tty=$(terminal display-message -p '#{pane_tty}') && ps -t "${tty#/dev/}" -o pid= -o comm= |
        sed -n 's/^ *\([0-9]*\) [a-z_-]*smemcalc$/\1/p'
}
has_no_processes() { [ -z "$(processes)" ]; }

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
    is_in_time has_no_processes || echo "still there: $(processes)"
}
