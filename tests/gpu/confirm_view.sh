#!/bin/sh
# A launch from the explorer's confirm screen on a GPU, in a terminal of 120x40 that tmux plays: what
# it shows and what it saves are kept. Needs NVRTC, tmux and a GPU that smemcalc finds.
# Usage: confirm_view.sh [PROGRAM [FOLDER FOR THE OUTPUT [OPTION OF smemcalc tui]...]]
# Exit status 0: confirmed; 77: no tmux or no GPU; 1: anything else.
# A function is called by its name:
# shellcheck disable=SC2317
set -u

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 2
program=${1:-$here/smemcalc}
out=${2:-$here/results}
if [ $# -gt 2 ]; then
    shift 2
else
    set -- --kernel stencil-dynamic --radius 5
fi
deadline_s=300
export LC_ALL=C.UTF-8 SHELL=/bin/sh
unset TMUX NO_COLOR COLUMNS LINES ENV

stop() { # STATUS WORDS
    printf 'confirm_view.sh: %s\n' "$2"
    exit "$1"
}
case $program in
/*) ;;
*) program=$PWD/$program ;;
esac
command -v tmux >/dev/null || stop 77 "skipped: there is no tmux"
"$program" devices --device gpu0 >/dev/null 2>&1 || stop 77 "skipped: there is no GPU"
mkdir -p "$out" && cd "$out" || exit 2
out=$PWD
scratch=$(mktemp -d) || exit 2

terminal() { # with a server and a socket of its own; a socket's path must be short
    (cd "$scratch" && exec tmux -u -S socket -f /dev/null "$@")
}
trap 'terminal kill-server 2>/dev/null; rm -rf "$scratch"' EXIT

press() { # KEY...
    terminal send-keys "$@"
}

# Keeps the screen as text and with its colours.
capture() {
    terminal capture-pane -p >confirm_view.txt
    terminal capture-pane -e -p >confirm_view.ansi
}

is_in_time() { # COMMAND...: it succeeds before the deadline
    end=$(($(date +%s) + deadline_s))
    until "$@" 2>/dev/null; do
        [ "$(date +%s)" -lt "$end" ] || return 1
        sleep 0.1
    done
}

on_screen() { # PATTERN
    terminal capture-pane -p | grep -q -- "$1"
}

wait_for() { # PATTERN
    is_in_time on_screen "$1" && return
    capture
    cat confirm_view.txt
    stop 1 "not seen within $deadline_s s: $1"
}

rm -f confirm_view.*
# shellcheck disable=SC2016 # for the shell in there
if ! terminal new-session -d -x 120 -y 40 -c "$out" env TERM=xterm-256color sh -c \
    '"$@"; echo $? >confirm_view.status' sh "$program" tui "$@" \; set-option status off \
    2>"$scratch/why"; then
    ! grep -q 'fork failed' "$scratch/why" ||
        stop 77 "skipped: no pseudo-terminal can be opened: $(cat "$scratch/why")"
    stop 1 "tmux: $(cat "$scratch/why")"
fi
wait_for 'smemcalc: explore'
press F5
wait_for 'on GPU 0:'
press r
wait_for 'predicted and observed, launch 1'
capture
cat confirm_view.txt
press s
press -l confirm_view.json
press Enter
wait_for 'saved as confirm_view.json'
press q
is_in_time test -s confirm_view.status || stop 1 "q does not end it"
[ "$(cat confirm_view.status)" -eq 0 ] || stop 1 "exit status $(cat confirm_view.status)"
grep -q ' confirmed: [1-9][0-9]* confirmed, 0 differ' confirm_view.txt || stop 1 "not confirmed"
grep -q '"verdict": *"confirmed"' confirm_view.json || stop 1 "nothing is confirmed in what was saved"
stop 0 "confirmed; the screen is in $out/confirm_view.txt and .ansi"
