#!/bin/sh
# smemcalc run --gpu all: every GPU at once on the fake CUDA runtime, including GPUs that fail, and
# the names of the host and the GPU in each report. Run in the build folder.
# The words of a launch are split on purpose:
# shellcheck disable=SC2086

fake=$PWD/tests/gpu/fake_smemcalc
nvml=$PWD/tests/gpu/.libs/libfake_nvml.so
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"
[ -x "$fake" ] || { skip "every GPU" "no fake GPU in this build"; finish_cases; }
case $(smemcalc --tile 32 --device 9.0 --format json) in
*'"nvrtc '*) ;;
*) skip "every GPU" "there is no NVRTC"; finish_cases ;;
esac

launch="run --kernel stencil-dynamic --radius 5 --regs 16 --length 3010 --timeout 3000"
host=$(uname -n)
uuid=-4b5a-6978-0716-253443526170

# Writes the output to out and err; the exit status must be the expected one.
on_fake() { # STATUS WORDS OF FAKE_GPU, ARGUMENT...
    wanted=$1 words=$2
    shift 2
    FAKE_GPU=$words timeout 60 "$fake" $launch "$@" >out 2>err
    seen=$?
    empty "exit status $wanted:${words:+ $words,} $*" "$([ $seen -eq "$wanted" ] || { echo "$seen"; cat err; })"
}

shows() { # NAME LINE FILE
    empty "$1" "$(grep -qxF -e "$2" "$3" || cat "$3")"
}

begins() { # NAME BEGINNING OF A LINE, FILE
    empty "$1" "$(grep -q -e "^$2" "$3" || cat "$3")"
}

# --- All well -------------------------------------------------------------------------------------

# Each launch waits for the others, so launches one after another would never end.
on_fake 0 "three together" --gpu all
begins "run --gpu all: the first line is the verdict of all GPUs" \
    "3 GPUs: confirmed: [1-9]" out
for gpu in 0 1 2; do
    begins "GPU $gpu of three is reported" "GPU $gpu: confirmed: [1-9]" out
    shows "GPU $gpu of three is reported with its UUID" "machine     $host, GPU-0${gpu}1e2d3c$uuid" out
done
empty "three GPUs that work leave standard error empty" "$(cat err)"

# Opened and closed for each measurement, the real one sometimes waited for ever.
mkdir nvml && ln -s "$nvml" nvml/libnvidia-ml.so.1
FAKE_NVML_CALLS=calls LD_LIBRARY_PATH=nvml on_fake 0 "three together" --gpu all --format json
empty "NVML is opened once for all GPUs, and kept" "$(echo nvmlInit_v2 | diff - calls)"
holds "NVML gives the SM clock of each GPU" '.runs | map(.run.sm_clock_khz) == [1234000, 1234000, 1234000]' out

on_fake 0 "three" --gpu all --format json
holds "JSON: an element a GPU" '.schema == "smemcalc/1" and (.runs | map(.gpu_index)) == [0, 1, 2] and
    (.runs | map(.device.gpu_index)) == [0, 1, 2] and all(.runs[]; .error == null)' out
holds "JSON: host, UUID and seed" ".runs | map(.run.gpu_uuid) == [\"GPU-001e2d3c$uuid\", \"GPU-011e2d3c$uuid\", \"GPU-021e2d3c$uuid\"]
    and all(.[]; .run.host == \"$host\" and .run.seed == 1)" out
jq '.runs[1] | del(.gpu_index, .error, .emulation.elapsed_ms)' out >of-all
on_fake 0 "three" --gpu 1 --format json
holds "JSON: the report of one GPU alone has no list" '.runs == null and .run.gpu_uuid != null' out
jq 'del(.schema, .emulation.elapsed_ms)' out >alone
empty "JSON: the same as of that GPU alone" "$(jq -S 'del(.run.timed_launches) | .confirmation |= map(del(.note))' \
    alone >a; jq -S 'del(.run.timed_launches) | .confirmation |= map(del(.note))' of-all | diff a -)"

on_fake 0 "two" --gpu all --format csv
shows "CSV: host and UUID end a row" \
    "stencil-dynamic,blocks_per_sm,,8,8,,8,confirmed,resident on 131 of 132 SMs,$host,GPU-011e2d3c$uuid" out
shows "CSV: one header" \
    "kernel,quantity,unit,predicted,api,emulated,measured,verdict,note,host,gpu_uuid" out
empty "CSV: as many rows for each GPU" "$(
    [ "$(grep -c "GPU-001e2d3c$uuid\$" out)" -eq "$(grep -c "GPU-011e2d3c$uuid\$" out)" ] || cat out)"

on_fake 0 "one" --gpu all
begins "one GPU is a list of one" "1 GPU: confirmed: [1-9]" out
on_fake 0 "two" --gpu all --on both --format json
holds "run --gpu all --on both has the emulation of each GPU" 'all(.runs[]; .emulation != null and .verdicts.differing == 0)' out
on_fake 0 "two" --gpu 1 --on both
empty "a table of four sources fits 80 columns" "$(awk 'length > 80' out
    grep -q '^ *predicted *API *emulated *measured  verdict$' out || cat out)"

# A launch that cannot compile has a sibling that can: each GPU shows both. (On the fake it differs,
# because the number of resident blocks does not change.)
launch="run --kernel stencil-static --radius 7000 --length 20000 --timeout 3000"
on_fake 1 "two" --gpu all --format json
holds "JSON: further runs, with their older name" 'all(.runs[]; .kernel.name == "stencil-static" and
    .further_runs[0].kernel.name == "stencil-dynamic" and .besides == .further_runs)' out
launch="run --kernel stencil-dynamic --radius 5 --regs 16 --length 3010 --timeout 3000"

# --- One that fails -------------------------------------------------------------------------------

on_fake 1 "three at-1 wrong" --gpu all
begins "the verdict of all GPUs where one differs" "3 GPUs: differs: [0-9]* confirmed, 1 differs" out
begins "where one GPU differs, the others are confirmed" "GPU 2: confirmed: [1-9]" out

on_fake 4 "three at-1 crashes" --gpu all
why="the kernel crashed: cudaErrorOther: as the test wants it"
begins "the verdict of all GPUs where one crashes" "3 GPUs, 1 of them failed: confirmed: [1-9]" out
shows "the error of a GPU that crashes stands in its place" "GPU 1: failed: $why" out
shows "a GPU that crashes is reported with its UUID" "machine     $host, GPU-011e2d3c$uuid" out
begins "where one GPU crashes, the others are confirmed" "GPU 2: confirmed: [1-9]" out
shows "the error of a GPU that crashes is on standard error, too" "smemcalc: GPU 1: $why" err

on_fake 4 "two at-1 crashes" --gpu all --format json
holds "JSON: the error of a GPU that crashes" ".runs[1] | .error == {status: 4, message: \"$why\"} and .confirmation == null
    and .device.name == \"NVIDIA H200\" and .run == {host: \"$host\", node: null, rank: null, gpu_uuid: \"GPU-011e2d3c$uuid\"}" out
holds "JSON: the result of a GPU beside one that crashes" '.runs[0] | .error == null and .verdicts.differing == 0' out
on_fake 4 "two at-1 crashes" --gpu all --format csv
shows "CSV: the error of a GPU that crashes" ",error,,,,,,failed,GPU 1: $why,$host,GPU-011e2d3c$uuid" out

on_fake 4 "two at-1 unreadable" --gpu all --format json
holds "JSON: a GPU that cannot be read" '.runs[1] | .device == null and .gpu_index == 1 and
    .error.status == 4' out
on_fake 4 "two unreadable" --gpu all
head -n 2 out | paste -sd ' ' >line
shows "the verdict where no GPU can be read" "2 GPUs, 2 of them failed: nothing was measured: 0 confirmed, 0 differ, 0 not measured" line

# --- Wrong usage ----------------------------------------------------------------------------------

refuses_fake() { # STATUS WORDS MESSAGE ARGUMENT...
    wanted=$1 words=$2 message=$3
    shift 3
    FAKE_GPU=$words "$fake" "$@" >out 2>err
    seen=$?
    empty "refuses: $*" "$(
        [ $seen -eq "$wanted" ] || echo "exit status $seen, not $wanted"
        [ ! -s out ] || echo "something on standard output"
        echo "smemcalc: $message" | diff - err)"
}

refuses_fake 3 none "run: no GPU: the NVIDIA driver finds none on this machine; --on emulator needs none" \
    $launch --gpu all
refuses_fake 2 two "option --length: '4' is not above 2 x 5, twice the radius" \
    run --kernel stencil-dynamic --radius 5 --length 4 --gpu all
refuses_fake 2 two "option --annotate: not with --gpu all; it shows one emulation" \
    run --tile 8 --on both --annotate --gpu all
: >x.cu
refuses_fake 2 two "option --gpu: 'all' is not for your own source; give the index of one GPU" \
    run --source x.cu --grid 1 --block 32 --gpu all
refuses_fake 2 two "option --gpu: not with --on emulator; --device names what to emulate" \
    run --tile 8 --on emulator --gpu all
refuses_fake 2 two "option --gpu: 'every' is not a whole number between 0 and 2147483647, nor all" \
    run --tile 8 --gpu every

finish_cases
