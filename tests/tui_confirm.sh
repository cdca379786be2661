#!/bin/sh
# The confirm view on a fake GPU: launching, stopping, what is shown and what is saved. Run in the
# build folder. GENERATE=1 rewrites tests/golden/.
# Functions are called by name, words are split and kept whole on purpose:
# shellcheck disable=SC2009

set -u
fake=$PWD/tests/gpu/fake_smemcalc
pty=$PWD/tests/trace/pty
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

[ -x "$fake" ] || { skip "the confirm screen" "no fake GPU in this build"; finish_cases; }
if ! smemcalc --tile 8 --device 9.0 | grep -q '(NVRTC [0-9]*'; then
    skip "the confirm screen" "no NVRTC was found"
    finish_cases
fi
program=$fake
smemcalc() { # ends, whatever a script waits for
    timeout -k 5 300 "$program" "$@"
}
# The fake GPU computes on this machine. The default length takes a second per launch, and on a busy
# machine not all launches of a series fit in its time.
short='--length 20000'
launch="--kernel stencil-dynamic --radius 5 --regs 16 $short"

play() { # SCRIPT [WORD-FOR-THE-FAKE]
    printf '%s\n' "$1" >script
    # shellcheck disable=SC2086 # one word an option
    FAKE_GPU=${2-} smemcalc tui $launch --script script 2>&1
}
golden_screens() { # NAME SCRIPT [WORD]
    printf '%s\n' "$2" >script
    export FAKE_GPU="${3-}"
    # shellcheck disable=SC2086
    golden "$1" tui $launch --script script
    unset FAKE_GPU
}
says() { # NAME WORDS SCRIPT [WORD]
    play "$3" "${4-}" >screens
    empty "$1" "$(grep -qF -- "$2" screens || { echo "not shown: $2"; cat screens; })"
}

# --- What it shows --------------------------------------------------------------------------------

golden_screens tui-confirm-80x24.txt 'key F5
wait
screen
key r
wait
screen
key PgDn
screen'
golden_screens tui-confirm-120x40.txt 'size 120x40
key F5
key r
wait
screen' wrong
golden_screens tui-confirm-200x60.txt 'size 200x60
key F5
key r
wait
key r
wait
key Down
screen'

cat >"$SMEMCALC_CEILINGS" <<'END'
{"schema": "smemcalc-ceilings/1",
 "ceilings": [{"device": "NVIDIA H200", "date": "2026-11-21", "copy_bytes_per_s": 4e12}]}
END
says "the confirm view has the user's ceilings instead of the table's" 'calibrated 2026-11-21' 'size 120x40
key F5
key r
wait
screen'
rm "$SMEMCALC_CEILINGS"

says "a running launch shows its time" '0.0 s of 10 s; Esc stops it' 'key F5
wait
key r
screen' hangs
says "Esc stops a launch" 'the launch was stopped' 'key F5
wait
key r
key Esc
screen' hangs
says "after a launch that was stopped the next one starts" '0.0 s of 10 s' 'key F5
wait
key r
key Esc
key r
screen' hangs
says "only one launch runs at a time" 'a launch is running' 'key F5
wait
key r
key r
screen' hangs
says "a launch may end on another screen" 'launch 1 is done: 9 confirmed, 0 differ; F5 shows it' 'key F5
wait
key Enter
key F2
wait
screen'
says "a refused launch is shown as a result" 'cudaErrorInvalidValue: invalid argument' 'key F5
key r
wait
screen' refuses
says "a CUDA error of a launch is shown" 'cudaErrorOther' 'key F5
key r
wait
screen' crashes
says "after a kernel that crashed the next launch has a GPU that works" 'the kernel crashed' 'key F5
key r
wait
key r
wait
screen' crashes
says "Esc stops a kernel that never ends" 'the launch was stopped' 'key F5
wait
key r
key Esc
screen' endless
says "without a GPU the confirm view runs on the emulator" 'on the emulator, as NVIDIA H200' 'key F5
wait
screen' none
says "the confirm view says why there is no GPU" 'no GPU: the NVIDIA driver finds none' 'key F5
wait
screen' none
says "one of several GPUs is chosen" 'smemcalc run --kernel stencil-dynamic --radius 5 --length 20000 --regs 16 --gpu 1' 'size 120x40
key F5
wait
key Right
key y
screen' two
says "the emulator follows the last GPU" '--regs 16 --on emulator' 'size 120x40
key F5
wait
key Right 9
key y
screen' two
says "a search finds a launch of the confirm view" 'radius 5' 'key F5
key r
wait
key /
type radius 5
key Enter
screen'
launch='--kernel stencil-static --radius 6100 --length 12500'
says "what cannot compile is confirmed with its sibling" 'stencil-dynamic: int32, block 256, radius 6100' \
    'size 120x60
key F5
key r
wait
screen'
launch='--threads 256'
says "a kernel without a source is not launched" 'numbers without a kernel' 'key F5
wait
key r
screen'

# --- Saving ---------------------------------------------------------------------------------------

launch="--kernel stencil-dynamic --radius 5 --regs 16 $short"
for form in text:x.txt json:x.json csv:x.CSV; do
    file=${form#*:}
    play "key F5
key r
wait
key s
type $file
key Enter
screen" >screens
    # shellcheck disable=SC2086
    smemcalc run $launch --no-counters --format "${form%:*}" >expected
    empty "a launch that is saved as $file is what run prints" "$(
        diff expected "$file" 2>&1
        grep -q "saved as $file" screens || cat screens
    )"
done

saving='key F5
key r
wait
key s
type kept.txt
key Enter'
echo before >kept.txt
says "an existing file is overwritten only after a question" 'the file exists; overwrite it?' "$saving
screen"
says "n keeps an existing file" 'kept.txt was not overwritten' "$saving
type n
key Enter
screen"
empty "an existing file that is kept is unchanged" "$(echo before | diff - kept.txt)"
says "y overwrites an existing file" 'saved as kept.txt' "$saving
type y
key Enter
screen"
empty "an existing file is overwritten completely" "$(head -1 kept.txt | grep -v '^confirmed: ')"
says "a launch cannot be saved with another ending" "'x.doc' does not end in .txt, .json or .csv" 'key F5
key r
wait
key s
type x.doc
key Enter
screen'
says "a launch cannot be saved in a missing folder" "'nowhere/x.txt' cannot be written: No such file or directory" 'key F5
key r
wait
key s
type nowhere/x.txt
key Enter
screen'
ln -s /dev/full full.txt
says "a launch cannot be saved on a full disk" "'full.txt': No space left on device" 'key F5
key r
wait
key s
type full.txt
key Enter
type y
key Enter
screen'
says "without a launch there is nothing to save" 'nothing has been launched in this session yet' 'key F5
wait
key s
screen'

# --- The script that is run on a GPU -----------------------------------------------------------------------

# shellcheck disable=SC2086
sitting() { # STATUS WORDS [WORD-FOR-THE-FAKE]
    code=0
    (LC_ALL=C.UTF-8 FAKE_GPU=${3-} "$here/gpu/confirm_view.sh" "$fake" sitting $launch) >out || code=$?
    [ "$code" -eq "$1" ] || echo "exit status $code, not $1"
    grep -q "$2" out || cat out
}
missing=
command -v tmux >/dev/null || missing="there is no tmux"
! smemcalc tui 2>&1 | grep -q 'without ncursesw' || missing="this program was built without curses"
"$pty" never true
[ $? -ne 77 ] || missing="no pseudo-terminal can be opened"
if [ -z "$missing" ]; then
    empty "confirm_view.sh confirms a launch from the screen in tmux" "$(sitting 0 'confirm_view.sh: confirmed')"
    empty "confirm_view.sh keeps the screen of a launch" "$(grep -q 'occupancy *100 % *100 %' sitting/confirm_view.txt ||
        cat sitting/confirm_view.txt)"
    empty "confirm_view.sh fails where a launch differs" "$(sitting 1 'not confirmed' wrong)"
else
    skip "confirm_view.sh confirms a launch from the screen in tmux" "$missing"
fi
empty "confirm_view.sh without a GPU is skipped" "$(sitting 77 'skipped: there is no' none)"

# Other suites run the same program at the same time; this suite's processes have its folder open.
left_running() {
    for process in /proc/[0-9]*; do
        case $(readlink "$process/cwd") in
        "$scratch"*) grep -qx fake_smemcalc "$process/comm" && echo "${process#/proc/}" ;;
        esac
    done 2>/dev/null
}
settles_as() { # RUNNING: soon, what is left running is this
    for _ in $(seq 600); do
        [ "$(left_running)" != "$1" ] || return 0
        sleep 0.05
    done
    return 1
}
if [ -r /proc/self/comm ]; then
    empty "no process of the confirm view is left running" "$(settles_as '' || left_running)"
    # shellcheck disable=SC2086
    FAKE_GPU=endless "$fake" run $launch --timeout 600000 >out 2>&1 &
    empty "a launch that is left running is noticed" "$(settles_as $! || { echo "not $!"; left_running; })"
    kill -KILL $!
    wait $! 2>/dev/null
else
    skip "no process of the confirm view is left running" "there is no /proc"
fi

finish_cases
