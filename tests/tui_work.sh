#!/bin/sh
# The explorer with compilers, editors and terminals of all kinds: how they affect it, and that it
# cleans up after itself.
# Functions are called by name, words are split and kept whole on purpose:
# shellcheck disable=SC2009,SC2016,SC2034,SC2094,SC2317

set -u
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"
refuses 3 "tui: standard input and output are not both a terminal; --script plays keys without one" tui
# shellcheck source=tests/terminal.sh
. "$here/terminal.sh"

# --- Terminals ------------------------------------------------------------------------------------

refuses_on() { # NAME COMMAND MESSAGE: on a terminal, in one line and nothing else
    open_terminal >complaint
    start "$2 2>err"
    empty "$1" "$(
        cat complaint
        complaints_after 3
        printf 'smemcalc: tui: %s\n' "$3" | diff - err
        [ ! -s out ] || echo "something on standard output"
    )"
}
refuses_on "the explorer refuses a pipe as standard output" "smemcalc tui >out" \
    "standard input and output are not both a terminal; --script plays keys without one"
refuses_on "the explorer refuses a terminal that cannot place text" "TERM=dumb smemcalc" \
    "this terminal cannot show a screen (TERM is 'dumb'); the other commands need none"
refuses_on "the explorer refuses a terminal that nobody knows" "TERM=nobodys smemcalc" \
    "this terminal cannot show a screen (TERM is 'nobodys'); the other commands need none"
refuses_on "the explorer refuses a terminal without TERM" "env -u TERM smemcalc" \
    "this terminal cannot show a screen (TERM is ''); the other commands need none"

colours() { # of the screen, as escape sequences
    terminal capture-pane -p -e | grep -o "$(printf '\033')\[[0-9;]*m" | sort -u
}
looks() { # NAME CONDITION ASSIGNMENT...
    condition=$2 name=$1
    shift 2
    open_terminal "$@" >complaint
    start smemcalc
    sees 'smemcalc: explore' >>complaint
    colours >colours
    empty "$name" "$(cat complaint; eval "$condition" || { cat -v colours; screen; })"
    keys q
}
many='[34]8;5;'
basic='\[\([0-9;]*;\)\?3[0-7][;m]'
looks "the explorer with 256 colours" 'grep -q "$many" colours'
looks "the explorer with 8 colours" 'grep -q "$basic" colours && ! grep -q "$many" colours' TERM=xterm
looks "NO_COLOR leaves the explorer attributes, but no colours" \
    '! grep -q "$basic\|$many" colours && grep -q "\[\([0-9;]*;\)\?7[;m]" colours' NO_COLOR=1
looks "the explorer on a terminal without colours" '! grep -q "$basic\|$many" colours' TERM=vt100
looks "the explorer is drawn in ASCII where the locale is not UTF-8" \
    'screen | grep -q "^+- launch" && ! screen | grep -q "[^ -~]"' LC_ALL=C

# --- A compiler that is killed --------------------------------------------------------------------

if ! smemcalc --tile 8 --device 9.0 | grep -q '(NVRTC [0-9]*'; then
    skip "a compiler that is killed, and editors" "no NVRTC was found"
    finish_cases
fi

workers() {
    processes | sed 1d
}
has_no_zombie() { ! ps -o stat= --ppid "$(screen_process)" | grep -q Z; }

start_explorer SMEMCALC_CACHE_DIR="$scratch/none" >complaint
sees 'NVRTC' >>complaint
workers >stopped
# shellcheck disable=SC2046 # one word a process
kill -STOP $(cat stopped) # whatever they are asked for now never comes
keys Left
sees 'compiling' >>complaint
# shellcheck disable=SC2046
kill -KILL $(cat stopped)
empty "a killed compiler is told in one line" "$(
    cat complaint
    sees 'the compiler was ended by signal 9 (Killed)'
    is_in_time has_no_zombie || ps -o pid,stat,args --ppid "$(screen_process)"
)"
empty "after a compiler that was killed the next change compiles again" "$(keys Left; sees 'NVRTC')"

workers >stopped
# shellcheck disable=SC2046
kill -STOP $(cat stopped)
keys Left
sees 'compiling' >complaint
is_replaced() { # a key that wants another compilation, until one that nobody waits for is cut off
    keys Left
    ! workers | grep -qxFf stopped
}
empty "a compiler that hangs is cut off once something else is wanted" "$(
    cat complaint
    is_in_time is_replaced || workers
    sees 'NVRTC'
    is_in_time has_no_zombie || ps -o pid,stat,args --ppid "$(screen_process)"
)"
keys q
empty "q leaves no compiler behind" "$(complaints_after 0)"

# --- An emulation ---------------------------------------------------------------------------------

start_explorer CUDA_VISIBLE_DEVICES= >complaint
sees 'NVRTC' >>complaint
keys F5
sees 'on the emulator' >>complaint
keys r
empty "an emulation shows its blocks, its time, and the key that stops it" "$(
    cat complaint
    sees 'emulating .* [1-9][0-9]* of 1024 blocks, [0-9.]* s; Esc stops it'
    sees ' views Esc stop'
)"
keys F2
empty "an emulation shows its share on other screens" "$(sees 'emulating [0-9]* % (F5)'; keys F5)"
keys Escape
empty "Esc stops an emulation; no process goes on" "$(
    sees 'the emulation was stopped ([1-9][0-9]* of 1024 blocks)'
    sees 'r emulate'
    is_in_time has_no_zombie || ps -o pid,stat,args --ppid "$(screen_process)"
)"
empty "after an emulation that was stopped the next one begins anew" "$(keys r; sees 'emulating .* blocks, [0-9.]* s'; keys Escape)"
keys q
empty "q leaves no emulation behind" "$(complaints_after 0)"

# --- Editors --------------------------------------------------------------------------------------

# An editor that does what a file says; the terminal is its own meanwhile.
cat >editor <<END
#!/bin/sh
. "$scratch/edit"
END
chmod +x editor

edits() { # SCRIPT: with the source's path in \$1
    printf '%s\n' "$1" >edit
    keys e
}

start_explorer EDITOR="$scratch/editor" SMEMCALC_CACHE_DIR="$scratch/none" >complaint
sees 'NVRTC' >>complaint
empty "an editor that changes nothing is told" "$(
    cat complaint
    edits true
    sees 'the source was not changed'
)"
empty "an editor that fails is told" "$(edits 'exit 3'; sees "ended with exit status 3")"
empty "an editor that is interrupted is told" "$(edits 'kill -INT -- -$$ $$; exit 1'; sees "/editor' \(was\|ended\)")"
empty "an editor with a screen of its own gives the terminal back" "$(
    edits 'printf "\033[2J\033[Hthe editor"; read -r line'
    sees '^the editor'
    is_plain || state
    keys Enter
    sees 'smemcalc: explore'
    is_in_time is_shown || state
)"
empty "an edited source compiles, from then on from its copy" "$(
    edits 'sed -i "1s|^|// mine\\n|" "$1"; : >"$1~"; mkdir "${1%/*}/backup"; : >"${1%/*}/backup/x"'
    sees 'NVRTC'
    keys y
    sees 'kernel-dir'
    keys Escape
)"
empty "an error in an edited source is shown with its line, and whole" "$(
    edits 'for i in 1 2 3 4 5 6 7 8; do echo "no such thing_$i;"; done >"$1.new"
        cat "$1" >>"$1.new"; cp "$1" "$1.good"; mv "$1.new" "$1"'
    sees 'what the compiler says'
    sees 'matmul_tiled.cu(1): error'
    keys End
    sees 'errors detected'
    keys Escape
    sees 'matmul_tiled.cu:1'
)"
empty "an edited source whose error is mended compiles again" "$(edits 'mv "$1.good" "$1"'; sees 'NVRTC')"
empty "an editor that is not there is told" "$(rm editor; edits true; sees "cannot be run; .VISUAL and .EDITOR")"
keys q
empty "leaving with an edited source asks, and says where it stays" "$(sees 'leave? .*your edited copy stays in')"
keys Enter
is_in_time test -s "$scratch/after"
kept=$(echo "$scratch"/tmp/smemcalc-edit-*)
empty "an edited source is kept, and named after q" "$(
    grep -q '^// mine' "$kept/matmul_tiled.cu" || ls -R "$scratch/tmp"
    screen | tr -d '\n' | grep -qF "note: the edited source is kept: --kernel-dir $kept" || screen
    smemcalc --tile 16 --kernel-dir "$kept" --device 9.0 >out 2>&1 || cat out
    grep -q 'NVRTC' out || cat out)"
rm -rf "$kept"
empty "q after edits leaves nothing but the edited source" "$(
    complaints_after 0 '.*the edited source is kept.*\|.*smemcalc-edit-[A-Za-z0-9]*')"

start_explorer EDITOR=true SMEMCALC_CACHE_DIR="$scratch/none" >complaint
sees 'NVRTC' >>complaint
keys e
sees 'the source was not changed' >>complaint
keys q
empty "q removes the copies of a source that was opened and not changed" "$(
    cat complaint
    complaints_after 0)"

start_explorer EDITOR="sed\ -i\ s/step/stride/" SMEMCALC_CACHE_DIR="$scratch/none" >complaint
sees 'NVRTC' >>complaint
keys e
empty "other tiles of an edited source are not compiled yet, and then compiled" "$(
    cat complaint
    sees 'not compiled yet'
    screen | grep 'no launch'
    sees_no 'not compiled yet')"
kill -TERM "$(screen_process)"
is_in_time test -s "$scratch/after"
rm -rf "$scratch"/tmp/smemcalc-edit-*

printf '#!/bin/sh\necho "#if TILE > 30 && TILE < 32\n#error none\n#endif" >>"$1"\n' >breaks
chmod +x breaks
start_explorer EDITOR="$scratch/breaks" SMEMCALC_CACHE_DIR="$scratch/none" >complaint
sees 'NVRTC' >>complaint
keys e
empty "a tile that does not compile is not said to be compiled later" "$(
    cat complaint
    sees 'not compiled yet'
    sees ' not compiled  ')"
kill -TERM "$(screen_process)"
is_in_time test -s "$scratch/after"
rm -rf "$scratch"/tmp/smemcalc-edit-*

start_explorer EDITOR="sed\ -i\ s/step/stride/" >complaint
sees 'NVRTC' >>complaint
keys e
empty "an editor with arguments; SIGTERM keeps the edited source, too" "$(
    cat complaint
    sees 'NVRTC'
    kill -TERM "$(screen_process)"
    is_in_time test -s "$scratch/after"
    grep -q stride "$scratch"/tmp/smemcalc-edit-*/matmul_tiled.cu || ls -R "$scratch/tmp"
    rm -rf "$scratch"/tmp/smemcalc-edit-*
    complaints_after 143 'Terminated *\|'
)"

finish_cases
