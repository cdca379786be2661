#!/bin/sh
# The explorer on the user's file: from a script, and on a real terminal beside an editor that saves
# the file. And pasting, copying and clicking there.
# Functions are called by name, words are split and kept whole on purpose:
# shellcheck disable=SC2016,SC2119,SC2317

set -u
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

# --- From a script --------------------------------------------------------------------------------

write_log() { # REGISTERS
    printf '%s\n' "ptxas info    : 0 bytes gmem" \
        "ptxas info    : Compiling entry function 'reduce' for 'sm_90'" \
        "ptxas info    : Function properties for reduce" \
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads" \
        "ptxas info    : Used $1 registers, 4096 bytes smem, 400 bytes cmem[0]" \
        "ptxas info    : Compiling entry function 'scale' for 'sm_90'" \
        "ptxas info    : Function properties for scale" \
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads" \
        "ptxas info    : Used 16 registers, 360 bytes cmem[0]" >build.log
}
write_log 64
printf '%s\n' wait screen 'key Enter' screen >keys.txt
smemcalc tui build.log --threads 256 --device H200 --script keys.txt >screens
empty "a build's log lists its kernels, worst first" "$(
    grep -q '2 kernels by occup., rising' screens || cat screens
    grep -A1 'kernel.*regs' screens | grep -q 'reduce.* 64 ' || cat screens
)"
empty "Enter takes a kernel along to F2" "$(grep -q 'registers *<64>' screens || cat screens)"

smemcalc tui build.log --threads 256 --device H200 --snapshot list.svg
smemcalc tui build.log --threads 256 --device H200 --snapshot list.json
empty "--snapshot writes the screen as SVG and JSON" "$(
    grep -q 'reduce' list.svg || echo "no kernel in list.svg"
    jq -e '.rows == 24 and (.lines | length) == 24' list.json >/dev/null || cat list.json
)"
smemcalc tui build.log --threads 256 --device H200 --theme light --snapshot light.svg
smemcalc tui build.log --threads 256 --device H200 --theme none --snapshot plain.svg
empty "a snapshot has the colours of --theme" "$(
    grep -q 'height="100%" fill="#1c1c1c"' list.svg || echo "list.svg is not dark"
    grep -q 'height="100%" fill="#ffffff"' light.svg || echo "light.svg is not light"
    grep -o 'fill="#[^"]*"' plain.svg | grep -v '#ffffff\|#1c1c1c' | sort -u
)"
printf '%s\n' wait 'key Enter' 'key Up 9' 'key Down 2' 'key Enter' 'type 32x2' 'key Enter' 'key F8' \
    wait screen 'key F2' screen >keys.txt
smemcalc tui build.log --device H200 --script keys.txt >screens
empty "a block typed on F2 is the one in the list" "$(
    grep -q 'launch  *block 32x2' screens || cat screens
    grep -q 'threads *<32x2> *given' screens || cat screens
)"
refuses 2 "option --snapshot: 'list.png' does not end in .txt, .svg or .json" \
    tui build.log --snapshot list.png
refuses 2 "option --arg: only with FILE: smemcalc tui FILE" tui --arg 3
refuses 2 "missing.cu: No such file or directory" tui missing.cu
refuses 2 "option --trace: not with FILE 'build.log'" tui build.log --trace x.json

cat >lines.cu <<'END'
extern "C" __global__ void lines(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x]; bool last = threadIdx.x == 63; if (last) *out = 1;
}
END
if smemcalc inspect lines.cu --device 9.0 >inspected 2>&1; then
    printf '%s\n' wait 'key Enter' wait 'key F3' wait screen >keys.txt
    smemcalc tui lines.cu --threads 64 --device 9.0 --script keys.txt >screens
    empty "an access is called by its array, and not by a word that contains the name" "$(
        grep -q '6: s\[63 - threadI' screens || cat screens)"
    sed '/syncthreads/d' lines.cu >race.cu
    printf '%s\n' wait 'key Enter' wait screen 'key F5' wait 'key Enter' wait screen 'key y' screen >keys.txt
    smemcalc tui race.cu --threads 64 --grid 1 --device H200 --arg i32x64:ramp --script keys.txt >screens
    empty "a launch of a file's kernel is predicted and emulated, and a finding has its line" "$(
        grep -q '^ *time  *[0-9.]* us (' screens || echo "no prediction"
        grep -q 'race.cu:4: race: written after' screens || echo "no race"
        grep -q '4 | s\[threadIdx.x\] = out\[threadIdx.x\];' screens || cat screens)"
    empty "y shows the command of that launch" "$(command_shown screens | tr -d '\\\n' | tr -s ' ' |
        grep -q 'run "race.cu" --entry "lines" --block 64 --grid 1 -a "i32x64:ramp" --on emulator' ||
        cat screens)"
else
    skip "an access is called by its array" "nothing here compiles CUDA C++"
fi

# --- On a terminal --------------------------------------------------------------------------------

# shellcheck source=tests/terminal.sh
. "$here/terminal.sh"

open_terminal >complaint
write_log 64
keys "clear; cd $scratch; smemcalc tui build.log --threads 256 --device H200" Enter
empty "the file is listed on a terminal" "$(cat complaint; sees 'reduce.* 64 ')"
write_log 72
empty "saving it marks what changed" "$(sees 'reduce: 64 -> 72 registers, 4 -> 3 blocks per SM')"
keys Enter
empty "F2 shows what a value was" "$(sees 'registers *<72> *was 64')"
rm build.log
write_log 40
empty "a build that replaces it is followed" "$(sees 'registers *<40> *was 72')"

paste() { # TEXT
    keys -l "$(printf '\033[200~%s\033[201~' "$1")"
}
empty "pasted text runs no commands" "$(
    paste 'qeq'
    sees 'pasted text runs no commands'
    is_shown || state
)"
empty "pasted text goes into an open field" "$(
    keys Enter
    sees 'registers *between'
    paste '99'
    sees '99'
    keys Enter
    sees 'registers *<99>'
)"
empty "the end of pasted text may arrive in two parts" "$(
    keys -l "$(printf '\033[200~qe\033[20')"
    keys -l '1~'
    sees 'pasted text runs no commands'
    keys '?'
    sees 'keys and signs of this screen'
    keys Escape
)"
empty "a click on the bar of keys changes the view" "$(
    terminal resize-window -x 160 -y 40
    is_in_time last_line_is 40 || screen
    col=$(screen | sed -n 40p | awk '{ print index($0, "F4 devices") }')
    keys -l "$(printf '\033[<0;%d;40M\033[<0;%d;40m' "$col" "$col")"
    sees 'smemcalc: devices'
)"
empty "y copies the command by OSC 52" "$(
    terminal set-option -g set-clipboard on
    keys F2 y
    sees 'on the clipboard'
    is_in_time eval 'terminal show-buffer | grep -q -- "--regs 99"' || terminal show-buffer
    keys Escape
)"
empty "the answer about a light background changes the colours and types nothing" "$(
    keys -l "$(printf '\033]11;rgb:ffff/ffff/f0f0\007')"
    is_in_time eval 'terminal capture-pane -p -e | grep -q "38;5;25m"' || screen
    on_screen 'smemcalc: explore' || screen
)"
empty "m leaves the mouse to the terminal" "$(
    keys m
    is_in_time eval 'state | grep -q "mouse 0"' || state
    keys m
    is_in_time is_shown || state
)"

# Whatever arrives, the explorer neither crashes nor leaves the terminal changed. Bytes that would
# end it, suspend it or start an editor are left out.
answers() { # after whatever is open is closed
    for key in Escape Escape Escape F4; do
        keys "$key"
        sleep 0.2 # keys that come at once after Escape are Alt with them
    done
    on_screen 'smemcalc: devices'
}
empty "random bytes do no harm" "$(
    LC_ALL=C awk 'BEGIN { srand(1); for (i = 0; i < 20000; i++) printf "%c", 1 + int(255 * rand()) }' |
        tr -d '\003\021\023\032qe\034' >noise
    terminal load-buffer -b noise noise
    terminal paste-buffer -r -b noise
    is_in_time answers || screen
)"
empty "afterwards q ends it, and the terminal is as before" "$(
    keys Escape Escape Escape q
    is_in_time is_plain || { state; screen; }
    is_in_time has_no_leftovers || leftovers
)"

finish_cases
