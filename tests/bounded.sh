#!/bin/sh
# Nothing on a GPU takes longer than it may, and what a machine refuses is told in one line: the
# catalog's kernels on a fake GPU. Run in the build folder; needs an NVRTC.
# The words of a launch are split on purpose:
# shellcheck disable=SC2086

set -u
fake=$PWD/tests/gpu/fake_smemcalc
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

[ -x "$fake" ] || { skip "a bounded GPU" "no fake GPU in this build"; finish_cases; }
if ! smemcalc --tile 8 --device 9.0 | grep -q '(NVRTC [0-9]*'; then
    skip "a bounded GPU" "no NVRTC was found"
    finish_cases
fi
program=$fake
launch='--kernel stencil-dynamic --radius 5 --regs 16 --length 5000'

# Standard output and standard error lie in `out` and `err`.
ends() { # NAME STATUS WORDS-FOR-THE-FAKE ARGUMENT...
    name=$1 status=$2
    export FAKE_GPU="$3"
    shift 3
    smemcalc run "$@" >out 2>err
    seen=$?
    unset FAKE_GPU
    empty "$name" "$([ $seen -eq "$status" ] || { echo "exit status $seen, not $status"; cat err; })"
}
tells() { # LINE: the only one on standard error
    printf 'smemcalc: %s\n' "$1" >expected
    empty "  in one line" "$(diff expected err)"
}
shows() { # PATTERN of a line of the report
    empty "  and shows $1" "$(tr -s ' ' <out | grep -q "$1" || cat out)"
}

# --- Kernels without an end ---------------------------------------------------------------------

late='not at its end after 100 ms on the GPU (--timeout)'
for on in gpu both; do
    ends "a kernel without an end, --on $on" 4 endless $launch --timeout 100 --on $on
    tells "stencil-dynamic: $late"
    shows '^launches yes - yes differs'
    shows '^wrong results 0 - - not measured'
done
ends "a residency probe without an end" 4 endless-probe $launch --timeout 100
tells "stencil-dynamic: the residency probe: $late"
shows '^wrong results 0 - 0 confirmed'
ends "timed launches without an end" 4 endless-timing $launch --timeout 100
tells "stencil-dynamic: the timed launches: $late"
shows '^blocks per SM 8 8 8 confirmed'
ends "the probe itself without an end" 4 endless --kernel residency --timeout 100
tells "residency: the residency probe: $late"

finish_cases
