#!/bin/sh
# The explorer on a real terminal: what it shows, and that it leaves the terminal as it was, whatever
# ends it.
# Functions are called by name, words are split and kept whole on purpose:
# shellcheck disable=SC2016,SC2119,SC2317

set -u
tests=$(dirname "$0")
crashing=$PWD/tests/crash_smemcalc
# shellcheck source=tests/command.sh
. "$tests/command.sh"
# shellcheck source=tests/terminal.sh
. "$here/terminal.sh"

# --- What it shows --------------------------------------------------------------------------------

open_terminal >complaint
keys 'clear; smemcalc' Enter
empty "smemcalc alone opens the explorer" "$(
    cat complaint
    sees 'smemcalc: explore | matmul-tiled'
    is_in_time is_shown || state
)"
empty "keys typed change a value" "$(keys 1 6 Enter; sees 'tile *<16>')"
empty "arrows change a value" "$(keys Right; sees 'tile *<17>')"
empty "the mouse selects a field" "$(
    row=$(screen | grep -n '^[^ ]* registers' | cut -d: -f1)
    keys -l "$(printf '\033[<0;4;%dM\033[<0;4;%dm' "$row" "$row")"
    sees 'registers *<[0-9]*>'
)"
empty "a key that the terminal's description lacks changes nothing" "$(
    sees_no 'compiling'
    screen >as-before
    keys -l "$(printf '\033[1;6S\033[99~')"
    keys '?'
    sees 'keys and signs of this screen' # what came before it has been read
    keys Escape
    sees_no 'keys and signs of this screen'
    screen | diff as-before -
)"
empty "? opens the help" "$(keys '?'; sees 'keys and signs of this screen')"
empty "Esc closes the help" "$(keys Escape; sees_no 'keys and signs of this screen')"
empty "a larger window is filled" "$(
    terminal resize-window -x 120 -y 40
    is_in_time last_line_is 40 || screen
)"
empty "a window that is too small says so" "$(
    terminal resize-window -x 50 -y 10
    sees 'smemcalc needs 60 x 16; this terminal has 50 x'
)"
empty "a window of the old size again is filled as before" "$(
    terminal resize-window -x 80 -y 24
    is_in_time last_line_is 24 || screen
)"
empty "Ctrl-Z gives the terminal to the shell" "$(
    keys C-z
    is_in_time is_plain || state
    sees '^\$ *$'
)"
empty "fg brings the explorer back, in a window of another size" "$(
    terminal resize-window -x 100 -y 30
    keys fg Enter
    is_in_time is_shown || state
    is_in_time last_line_is 30 || screen
    sees 'tile *17'
)"
empty "q after Ctrl-Z and fg ends the explorer" "$(
    keys q
    is_in_time is_plain || state
    is_in_time has_no_leftovers || leftovers
)"

# A terminal whose colours are RGB values, like ncurses' xterm-direct.
rgb='%p1%{65536}%/%d;%p1%{256}%/%{255}%&%d;%p1%{255}%&%d'
cat >direct.ti <<END
smemcalc-direct|24-bit colours,
	RGB, colors#0x1000000, pairs#0x7fff,
	setaf=\\E[%?%p1%{8}%<%t3%p1%d%e38;2;$rgb%;m,
	setab=\\E[%?%p1%{8}%<%t4%p1%d%e48;2;$rgb%;m,
	use=xterm-256color,
END
if tic -x -o terminfo direct.ti 2>/dev/null; then
    title="$(printf '\033')\\[[0-9;]*38;2;95;175;255m"
    has_title_colour() {
        terminal capture-pane -e -p | grep -q "$title"
    }
    keys "clear; TERMINFO=$scratch/terminfo TERM=smemcalc-direct smemcalc" Enter
    empty "24-bit colours are RGB values" "$(is_in_time has_title_colour || terminal capture-pane -e -p)"
    keys q
    is_in_time is_plain || state
else
    skip "24-bit colours are RGB values" "tic cannot make a description of such a terminal"
fi

# --- How it ends ----------------------------------------------------------------------------------

ends_by_key() { # KEY
    start_explorer >complaint
    keys "$1"
    empty "the key $1 ends the explorer, which leaves no trace" "$(cat complaint; complaints_after 0)"
}
ends_by_key q
ends_by_key C-c

ends_by_signal() { # SIGNAL STATUS
    start_explorer >complaint
    kill -"$1" "$(screen_process)"
    empty "SIG$1 ends the explorer, which leaves no trace" "$(
        cat complaint
        complaints_after "$2" "Terminated *\|Hangup *\|Segmentation fault.*\|Aborted.*\|"
    )"
}
ends_by_signal INT 130
ends_by_signal TERM 143
ends_by_signal HUP 129
ends_by_signal SEGV 139
ends_by_signal ABRT 134


# What is left of it where it cannot clean up itself, or has no terminal any more.
ends_with_its_workers() { # NAME COMMAND
    start_explorer >complaint
    processes | grep -q . || echo "it does not run" >>complaint
    eval "$2"
    empty "$1" "$(cat complaint; is_in_time has_no_leftovers || leftovers)"
}
ends_with_its_workers "SIGKILL of the explorer ends its workers too" 'kill -KILL "$(screen_process)"'
ends_with_its_workers "a window that is closed ends the explorer and its workers" close_terminal

# A crash of its own, where a handler has no stack left or the heap cannot be trusted.
crashes() { # NAME SIGNAL
    open_terminal >complaint
    start "exec $crashing"
    sees 'smemcalc: explore' >>complaint
    kill -"$2" "$(screen_process)"
    empty "$1 ends the explorer, which leaves no trace" "$(cat complaint; complaints_after 139 'Segmentation fault.*\|')"
}
crashes "a write where no memory is" USR1
crashes "a stack that runs out" USR2

# A process that nothing ends, in a session of its own.
if command -v setsid >/dev/null; then
    open_terminal >complaint
    start 'setsid sleep 600 >/dev/null 2>&1 & exec smemcalc --version >/dev/null'
    sleeps() { [ "$(leftovers | sed 's/^[0-9]* //')" = '(sleep)' ]; }
    empty "a process that is left behind is noticed" "$(
        cat complaint
        is_in_time test -s "$scratch/after" || screen
        is_in_time sleeps || echo "seen: $(leftovers)"
    )"
    kill -KILL "$(leftovers | cut -d' ' -f1)"
    empty "once a process that was left behind has ended, nothing is" "$(is_in_time has_no_leftovers || leftovers)"
else
    skip "a process that is left behind is noticed" "there is no setsid"
fi

# As a window's only program it has no job control: no shell would continue it.
open_terminal >complaint
keys 'exec smemcalc' Enter
sees 'smemcalc: explore' >>complaint
empty "Ctrl-Z in a window without a shell changes nothing" "$(
    cat complaint
    keys C-z
    keys '?'
    sees 'keys and signs of this screen'
    is_shown || state
)"

finish_cases
