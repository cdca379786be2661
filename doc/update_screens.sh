#!/bin/sh
# Takes the pictures of the documents anew: the explorer in a terminal that tmux plays. Run in the
# build folder; needs tmux and NVRTC.   update_screens.sh SOURCE-FOLDER

set -eu
doc=$1/doc
server=smemcalc-screens-$$
scratch=$(mktemp -d)
export LC_ALL=C.UTF-8 SMEMCALC_CACHE_DIR="$scratch/cache"
unset TMUX NO_COLOR

terminal() {
    tmux -u -L "$server" -f /dev/null "$@"
}
trap 'terminal kill-server 2>/dev/null || :; rm -rf "$scratch"' EXIT

wait_for() { # PATTERN
    end=$(($(date +%s) + 30))
    until terminal capture-pane -p | grep -q -- "$1"; do
        [ "$(date +%s)" -lt "$end" ] || { echo "update_screens.sh: '$1' is not seen" >&2; exit 1; }
        sleep 0.1
    done
}

# Opens the explorer on an H200, presses keys, waits until the pattern is seen, and draws.
picture() { # NAME PATTERN OPTIONS KEY...
    name=$1 pattern=$2 options=$3
    shift 3
    terminal new-session -d -x 120 -y 40 \
        "exec env TERM=xterm-256color ./smemcalc tui --device H200 $options" \; set-option status off
    wait_for 'NVRTC [0-9]'
    for key in "$@"; do
        terminal send-keys "$key"
    done
    wait_for "$pattern"
    terminal capture-pane -e -p | LC_ALL=C awk -f "$doc/screen_svg.awk" >"$scratch/$name.svg"
    terminal kill-server
    mv "$scratch/$name.svg" "$doc/$name.svg"
}

picture explore 'occupancy by tile' '--tile 16'
picture banks 'none of 992 conflicts is left' '--kernel aat-conflict' F3 End Up Up Up Right
