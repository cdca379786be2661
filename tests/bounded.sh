#!/bin/sh
# Nothing on a GPU exceeds its time limit, and what a machine refuses is reported in one line: the
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

# Writes standard output and standard error to `out` and `err`.
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
    empty "$name: one line of standard error" "$(diff expected err)"
}
shows() { # PATTERN of a line of the report
    empty "$name: the report shows $1" "$(tr -s ' ' <out | grep -q "$1" || cat out)"
}

# --- Kernels without an end ---------------------------------------------------------------------

late='not finished after 100 ms on the GPU (--timeout)'
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
ends "the kernel residency without an end" 4 endless --kernel residency --timeout 100
tells "residency: the residency probe: $late"

# --- Ctrl-C -------------------------------------------------------------------------------------

cat >endless.cu <<'END'
__global__ void wait(volatile int *flag)
{
    while (*flag == 0)
        ;
}
END

# By then it runs an endless kernel; the time limit is for a program that ignores the signal.
interrupt() { # NAME PATTERN ARGUMENT...
    name=$1 pattern=$2
    shift 2
    FAKE_GPU=endless $default_signals "$program" run --source endless.cu --grid 1 \
        --block 32 -a i32x64 --timeout 60000 "$@" >out 2>err &
    await $! catches_interrupts $!
    kill -INT $!
    wait $!
    seen=$?
    empty "$name" "$(
        [ $seen -eq 130 ] || echo "exit status $seen"
        { grep -Eqx "smemcalc: interrupted: $pattern" err && [ "$(wc -l <err)" -eq 1 ]; } || cat err)"
}

# shellcheck disable=SC2154
if [ -r /proc/self/status ] && [ -n "$default_signals" ]; then
    late='(before the launch|wait\(int volatile\*\): not finished after [0-9]+ ms'
    interrupt "Ctrl-C at your own kernel, emulated" "$late of emulation; busiest at endless.cu:[1-4])" \
        --on emulator --device 9.0
    interrupt "Ctrl-C at your own kernel on a GPU" "$late on the GPU)"
    interrupt "Ctrl-C at your own kernel, --on both" "$late of emulation; busiest at endless.cu:[1-4])" --on both
else
    skip "Ctrl-C" "no /proc, or no env --default-signal"
fi

# --- Memory -------------------------------------------------------------------------------------

ends "buffers larger than the GPU's free memory" 4 small --kernel stencil-naive --length 1000000
tells "the buffers need 8 MB of GPU memory, of which 3 MB are free; a smaller --size needs less"
ends "buffers larger than this machine's memory" 4 well --kernel matmul-naive --size 2000000
empty "$name: one line of standard error" "$(grep -Evx "smemcalc: the buffers need 48000000 MB of this machine's memory, which has [0-9]+ MB; a smaller --size needs less" err)"
ends "the memory that buffers take is told" 0 well $launch
shows '^GPU memory - - 39960 B information'
ends "arrays of your own larger than the GPU's free memory" 4 small --source endless.cu --grid 1 --block 32 -a i32x1M
tells "the buffers need 5 MB of GPU memory, of which 3 MB are free; a smaller --arg needs less"

# --- A GPU that cannot be used ------------------------------------------------------------------

refuses_gpu() { # WORDS-FOR-THE-FAKE STATUS LINE
    ends "a GPU that is $1${CUDA_VISIBLE_DEVICES:+, CUDA_VISIBLE_DEVICES set}" "$2" "$1" $launch
    tells "$3"
}
otherwise='--on emulator needs none'
refuses_gpu none 3 "run: no GPU: the NVIDIA driver finds none on this machine; $otherwise"
CUDA_VISIBLE_DEVICES=7
export CUDA_VISIBLE_DEVICES
refuses_gpu none 3 "run: no GPU: the NVIDIA driver finds none on this machine, of those that CUDA_VISIBLE_DEVICES leaves; $otherwise"
unset CUDA_VISIBLE_DEVICES
ends "a GPU without a driver" 3 driverless $launch
empty "$name: one line of standard error" "$(grep -Evx "smemcalc: run: no GPU: there is no NVIDIA driver here \(libcuda.so.1\); install one for CUDA [0-9.]+ or newer; $otherwise" err)"
ends "a GPU with an outdated driver" 3 outdated $launch
empty "$name: one line of standard error" "$(grep -Evx "smemcalc: run: no GPU: the NVIDIA driver is for CUDA 12.4, this program needs [0-9.]+: install a driver for CUDA [0-9.]+ or newer; $otherwise" err)"
refuses_gpu prohibited 3 "GPU 0 is in compute mode Prohibited, in which no process may use it; 'nvidia-smi -c 0' lifts that"
refuses_gpu exclusive-busy 3 "GPU 0 is in exclusive process mode and another process uses it; 'nvidia-smi -c 0' lifts that"
for word in busy:3:'another process may hold the GPU' damaged:4:'memory is damaged' \
    lost:4:'has the GPU fallen off the bus' full:4:"shows who holds the GPU's memory"; do
    status=${word#*:}
    ends "a GPU that is ${word%%:*}" "${status%%:*}" "${word%%:*}" $launch
    empty "$name: one line of standard error" "$({ [ "$(wc -l <err)" -eq 1 ] &&
        grep -q "^smemcalc: GPU 0: cuda.*${word##*:}" err; } || cat err)"
done
ends "your own kernel on a GPU in compute mode Prohibited" 3 prohibited --source endless.cu --grid 1 --block 32 -a i32x64
ends "a GPU in exclusive process mode that nobody else uses" 0 exclusive $launch
ends "a slice of a GPU is told" 0 slice $launch
tells "warning: GPU 0 is a slice of a GPU (MIG): its SMs, its memory and its speed are the slice's, and counters may be out of reach"

# --- Predicted failures -------------------------------------------------------------------------

works_on='; the GPU works on$'
ends "too much static shared memory" 0 compiled --kernel stencil-static --radius 100000
shows '^compiles no no confirmed'
shows '^static shared memory 801024 B 801024 B confirmed'
ends "too much dynamic shared memory" 0 compiled --kernel stencil-dynamic --radius 40000
shows '^launches no - no confirmed'
shows "cudaErrorInvalidValue.*$works_on"
for registers in '--live 100' '--regs 128' '--regs 65'; do
    ends "too many registers for a block: $registers" 0 compiled --kernel residency \
        --block 1024 $registers
    shows '^launches no - no confirmed'
    shows "cudaErrorLaunchOutOfResources.*$works_on"
    shows '^blocks per SM 0 0 0 confirmed'
done

finish_cases
