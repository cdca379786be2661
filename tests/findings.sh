#!/bin/sh
# What the emulator finds: each fault of tests/data/findings/faults.cu at its line, and nothing in the
# kernels of correct.cu, with one CPU thread's result equal to that of several; the call stacks of
# stacks.cu; and `run --sanitize`. Needs an NVRTC.

set -u
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"
data=$here/data/findings

# --- Wrong usage of --sanitize --------------------------------------------------------------------

wrong() { # MESSAGE ARGUMENT...
    message=$1
    shift
    smemcalc run "$@" >out 2>errors </dev/null
    status=$?
    empty "wrong usage: $*" "$(
        [ "$status" -eq 2 ] || echo "exit status $status"
        [ ! -s out ] || cat out
        grep -qF -e "smemcalc: $message" errors || cat errors)"
}

one="$data/faults.cu --entry no_barrier --grid 1 --block 64 -a i32x64 -d 9.0"
# shellcheck disable=SC2086 # options are words
{
    wrong "option --sanitize: 'xml' is not one of text, json, sarif, junit, markdown" $one --sanitize xml
    wrong "option --format: not with --sanitize" $one --sanitize json --format json
    wrong "option --annotate: not with --sanitize" $one --sanitize text --annotate
    wrong "option --dry-run: not with --sanitize" $one --sanitize text --dry-run
    wrong "option --sanitize: only the emulator finds errors" $one --sanitize sarif --on both
    wrong "option --sanitize: for one run" --tile 4:8 --sanitize text
}

# --- In text --------------------------------------------------------------------------------------

smemcalc run --kernel matmul-tiled-racy --tile 4 --size 8 --on emulator -d 9.0 >out 2>&1
empty "run: of two findings both are in the text" "$(
    sed -n '/^findings, lowest block first$/,$p' out | grep -c 'matmul_tiled_racy.cu:2[67]: race' >count
    [ "$(cat count)" -eq 2 ] || cat out)"

# --- Faults ---------------------------------------------------------------------------------------

smemcalc --tile 4 --device 9.0 --format json >probe.json 2>/dev/null
case $(cat probe.json) in
*'"nvrtc '*) ;;
*)
    skip "findings" "there is no NVRTC"
    finish_cases
    ;;
esac

# However slow this machine is, no kernel is stopped.
long="--timeout 1000000"

# What a filter of jq makes of the answer; and what is on standard error. A file without a folder is
# of $data.
emulate() { # FILTER FILE KERNEL GRID BLOCK ARGUMENTS
    filter=$1 file=$2 options="--entry $3 --grid $4 --block $5"
    IFS=,
    for argument in $6; do
        options="$options --arg $argument"
    done
    unset IFS
    case $file in */*) ;; *) file=$data/$file ;; esac
    # shellcheck disable=SC2086 # options are words
    smemcalc run --source "$file" $options $long --on emulator --device 9.0 --format json \
        >found.json 2>&1
    jq -r "if .emulator then $filter else \"not emulated\" end" found.json 2>&1 || cat found.json
}

# The correct kernels run beside the faults, in a folder of their own.
grep '^//@' "$data/correct.cu" >correct
mkdir correct_kernels
(
    cd correct_kernels || exit
    while read -r _ name grid block arguments; do
        emulate '.findings[].text' correct.cu "$name" "$grid" "$block" "$arguments" >"$name.findings"
    done <../correct
) &

# Each fault with its line: the first that ends in a mark after the head of its kernel.
awk '/^\/\/@/ { name[++count] = $2; launch[count] = $2 " " $3 " " $4 " " $5 " " $7 }
    /void / { for (i = 1; i <= count; i++) if (!begun[i] && index($0, " " name[i] "(")) begun[i] = NR }
    /\/\/ <-$/ { for (i = 1; i <= count; i++) if (begun[i] && !mark[i]) mark[i] = NR }
    END { for (i = 1; i <= count; i++) print launch[i], mark[i] }' "$data/faults.cu" >faults
while read -r name grid block arguments kind line; do
    file=faults.cu
    # Alone, with its lines, if it has a race, too: where a barrier removes that is tried by compiling
    # the file again.
    case $kind in race_* | unwritten | pending_copy | split_barrier | skipped_barrier)
        file=./$name.cu
        awk -v name="$name" '/^\/\/@/ { begun = 1; own = $2 == name }
            { print begun && !own ? "" : $0 }' "$data/faults.cu" >"$file"
        ;;
    esac
    kinds=$(emulate '.findings[] | "\(.kind):\(.line)"' "$file" "$name" "$grid" "$block" "$arguments")
    case "
$kinds
" in
    *"
$kind:$line
"*) pass "the fault of kernel $name is found" ;;
    *) fail "the fault of kernel $name is found" "missing: $kind:$line
$kinds" ;;
    esac
done <faults

wait
while read -r _ name grid block arguments; do
    empty "no finding in the correct kernel $name" "$(cat "correct_kernels/$name.findings" 2>&1)"
done <correct

# --- Call stacks ----------------------------------------------------------------------------------

# Each mark of the sources with its line.
for source in stacks.cu stacks.h; do
    awk 'match($0, /\/\/ \[[a-z_]*\]$/) { print substr($0, RSTART + 4, RLENGTH - 5), FNR }' "$data/$source"
done >marks

with_lines() { # STACK: its marks replaced by lines
    echo "$1" | awk 'NR == FNR { line[$1] = $2; next }
        { for (i = 1; i <= NF; i++)
              if (split($i, part, "@") == 2) $i = part[1] "@" line[part[2]]
          print }' marks -
}

cat >stack.jq <<'END'
def stack: ([.function + "@" + (.line | tostring)] +
    [.called_from[] | (if .inlined then ">" else "" end) + .function + "@" + (.line | tostring)] +
    (if .callers_known then [] else ["..."] end)) | join(" ");
.findings[] | "\(.kind); \(stack); \(if .other then .other | stack else "none" end)"
END

sed -n 's|^//@ ||p' "$data/stacks.cu" >stacks
while read -r name grid block arguments _ rest; do
    kind=${rest%%;*} other=${rest##*; }
    first=${rest#*; } first=${first%%;*}
    wanted="$kind; $(with_lines "$first"); $(with_lines "$other")"
    empty "the call stack of a finding: $name" "$(
        emulate empty stacks.cu "$name" "$grid" "$block" "$arguments"
        jq -r -f stack.jq found.json >seen
        grep -qxF "$wanted" seen || { echo "missing: $wanted" && cat seen; })"
done <stacks

# --- Only the findings ----------------------------------------------------------------------------

sanitize() { # FORMAT KERNEL [ARGUMENT...]; the exit status in $status
    format=$1 name=$2
    shift 2
    # shellcheck disable=SC2086
    smemcalc run stacks.cu --entry "$name" --grid 1 --block 64 -a i32x64 -d 9.0 $long \
        --sanitize "$format" "$@" >out 2>errors
    status=$?
}

cp "$data/stacks.cu" "$data/stacks.h" .
line() { awk -v mark="$1" '$1 == mark { print $2 }' marks; }

smemcalc run "$data/faults.cu" --entry barrier_of_half_the_block --grid 1 --block 128 -a i32x128 \
    -d 9.0 --sanitize text >out 2>errors
status=$?
empty "a note alone does not fail --sanitize" "$(
    [ "$status" -eq 0 ] || echo "exit status $status"
    grep -q '^barrier_of_half_the_block: no findings, 1 note$' out || cat out errors)"

strictly() { # STATUS LAST-LINE WORD KERNEL BLOCK ARGUMENT
    wanted=$1 last=$2
    # shellcheck disable=SC2086 # several words
    smemcalc run "$data/faults.cu" --entry "$4" --grid 1 --block "$5" -a "$6" -d 9.0 $long \
        --sanitize text --strict "$3" >out 2>errors
    status=$?
    empty "--strict $3: $4" "$(
        [ "$status" -eq "$wanted" ] || echo "exit status $status"
        tail -n 1 out | grep -qx "$4: $last" || cat out errors)"
}
# shellcheck disable=SC2086
{
    strictly 1 '1 finding in 1 place' cuda barrier_of_half_the_block 128 i32x128
    strictly 0 'no findings, 1 note' ptx barrier_of_half_the_block 128 i32x128
    strictly 1 '1 finding in 1 place' usual barriers_in_two_branches_of_a_line 64 i32x64
    strictly 0 'no findings, .*' ptx barriers_in_two_branches_of_a_line 64 i32x64
    strictly 0 'no findings, .*' ptx volatile_warp_synchronous 64 i32x2
    strictly 1 '32 findings in 1 place' ptx volatile_read_of_plain_write 32 i32x32
}

sanitize text one_caller
empty "run --sanitize as text" "$(
    [ "$status" -eq 1 ] || echo "exit status $status"
    cat errors
    grep -q "^stacks.cu:$(line load): one_caller on compute capability 9.0: race: read .*; the other access in store, called from one_caller at stacks.cu:$(line store_call)$" out || cat out
    tail -n 1 out | grep -qx 'one_caller: 96 findings in 3 places' || cat out)"

sanitize json one_caller
empty "run --sanitize as JSON" "$(
    [ "$status" -eq 1 ] || echo "exit status $status"
    jq -e '.schema == "smemcalc/1" and (.kernels | length == 1) and (.kernels[0] |
        .kernel == "one_caller" and .file == "stacks.cu" and .findings_total == 96 and
        ([.findings[].kind] == ["unwritten", "race_read_write", "race_write_read"]))' out >/dev/null || cat out)"

sanitize sarif one_caller
mv out one.sarif
empty "run --sanitize as SARIF" "$(
    [ "$status" -eq 1 ] || echo "exit status $status"
    [ "$(jq -r '[.runs[0] | .tool.driver.rules as $r | .results[] | $r[.ruleIndex].id == .ruleId] | all' one.sarif)" = true ] ||
        echo ruleIndex
    jq -r '.runs[0].results[2] | .ruleId, .level, (.message.text | endswith("; [the other access](1)")),
        (.locations[0], .relatedLocations[0], .stacks[1].frames[1].location,
         .codeFlows[0].threadFlows[1].locations[0].location |
             "\(.physicalLocation.artifactLocation.uri):\(.physicalLocation.region.startLine) \(.logicalLocations[0].fullyQualifiedName) \(.id) \(.message.text)")' \
        one.sarif >seen
    cat >wanted <<END
race_write_read
error
true
stacks.cu:$(line load) one_caller null null
stacks.cu:$(line store) store 1 block (0,0,0), thread (31,0,0)
stacks.cu:$(line store_call) one_caller null calls store
stacks.cu:$(line store_call) one_caller null calls store
END
    diff wanted seen)"

printf '__global__ void wait(volatile int *flag)\n{\n    while (!*flag)\n        ;\n}\n' >wait.cu
smemcalc run wait.cu --grid 1 --block 32 -a i32x1 -d 9.0 --timeout 100 --sanitize junit >out 2>errors
status=$?
empty "a kernel that does not finish has not passed" "$(
    [ "$status" -eq 1 ] || echo "exit status $status"
    grep -q 'failure .*type="not_finished"' out || cat out errors
    smemcalc run wait.cu --grid 1 --block 32 -a i32x1 -d 9.0 --timeout 100 --sanitize json >out 2>errors
    jq -e '.kernels[0] | .finished == false and .findings_total == 0' out >/dev/null || cat out errors)"

# A header beside that of CUDA's runtime.
mkdir toolkit
touch toolkit/cuda_runtime_api.h
echo '__device__ inline int take(int v) { return __shfl_down_sync(0xffffffffu, v, 16); }' >toolkit/take.h
cat >part.cu <<'END'
#include "take.h"

__global__ void part(int *data)
{
    if (threadIdx.x < 20)
        data[threadIdx.x] = take(data[threadIdx.x]);
}
END
sanitize_part() { # FORMAT
    smemcalc run part.cu --grid 1 --block 32 -a i32x32 -d 9.0 --compiler-options "-I$PWD/toolkit" --sanitize "$1" 2>&1
}
empty "the line of a finding in the toolkit is that of the call" "$(
    sanitize_part text >out
    grep -q '^part.cu:6: part(int\*) on .*; in take at take.h:1, called from part at part.cu:6$' out || cat out
    sanitize_part sarif >out
    jq -e '.runs[0].results[0].locations[0] | .physicalLocation.artifactLocation.uri == "part.cu" and
        .physicalLocation.region.startLine == 6 and .logicalLocations[0].fullyQualifiedName == "part"' out >/dev/null ||
        cat out)"
rm toolkit/cuda_runtime_api.h
empty "the line of a finding in another header is its own" "$(
    sanitize_part text >out
    grep -q 'toolkit/take.h:1: part(int\*) on .*; in take, called from part at part.cu:6$' out || cat out)"

cat >copy.cu <<'END'
#include <cuda_pipeline.h>
__global__ void copy(int *out, const int *in)
{
    __shared__ int tile[32];
    tile[threadIdx.x] = 0;
    __pipeline_memcpy_async(&tile[31 - threadIdx.x], &in[threadIdx.x], sizeof(int));
    __pipeline_wait_prior(0);
    out[threadIdx.x] = tile[31 - threadIdx.x];
}
END
smemcalc run copy.cu --grid 1 --block 32 -a i32x32 -a i32x32 -d 9.0 --sanitize json >out 2>errors
if grep -q 'cuda_pipeline.h' errors; then
    skip "a finding in an adapted header of the toolkit" "there are no headers of CUDA's runtime"
else
    empty "the header of a finding is the toolkit's" "$(
        jq -r '.kernels[0].findings[] | (.file, .called_from[].file) | select(endswith(".h"))' out >files
        [ -s files ] || cat out errors
        while read -r file; do [ -f "$file" ] || echo "$file"; done <files)"
fi

prints() { # FILE: the fingerprints of its findings
    jq -r '.runs[0].results[].partialFingerprints.primaryLocationLineHash' "$1"
}
sed '1i // one line more' stacks.cu >moved.cu
mv stacks.cu stays.cu
mv moved.cu stacks.cu
sanitize sarif one_caller
mv stays.cu stacks.cu
empty "a finding that has moved has the same fingerprint, and each its own" "$(
    [ "$(prints out)" = "$(prints one.sarif)" ] || { prints out && prints one.sarif; }
    prints one.sarif | sort | uniq -d)"

sanitize junit called
empty "run --sanitize as JUnit" "$(
    [ "$status" -eq 1 ] || echo "exit status $status"
    grep -q 'tests="1" failures="1"' out || cat out
    grep -q 'type="out_of_bounds"' out || cat out)"
sanitize markdown header
empty "run --sanitize as markdown" "$(
    [ "$status" -eq 1 ] || echo "exit status $status"
    grep -q "^| error | \`header\` | compute capability 9.0 | out of bounds; .* in Cell&lt;int&gt;::get, called from header at stacks.cu:" out || cat out)"
smemcalc run stacks.cu --entry header --on emulator --grid 1 --block 64 -a i32x64 -d 9.0 >out 2>errors
empty "the headline has the line of the kernel's file, not of the header" "$(
    grep -q "^OUT OF BOUNDS on arg 1, line $(line header); " out || cat out errors)"

read -r _ name grid block arguments <correct
for format in text json sarif; do
    # shellcheck disable=SC2046,SC2086 # options are words
    smemcalc run "$data/correct.cu" --entry "$name" -d 9.0 $long --grid "$grid" --block "$block" \
        $(echo "-a $arguments" | sed 's/,/ -a /g') --sanitize "$format" >out 2>errors
    status=$?
    empty "sanitize finds nothing in a correct kernel, as $format" "$(
        [ "$status" -eq 0 ] || echo "exit status $status"
        cat errors
        case $format in
        text) grep -q ': no findings$' out ;;
        json) jq -e '.kernels[0].findings == []' out >/dev/null ;;
        sarif) jq -e '.runs[0].results == []' out >/dev/null ;;
        esac || cat out)"
done
cat >named.cu <<'END'
namespace outer { namespace inner { __shared__ int tile[32]; } }
extern "C" __global__ void named(int *out) { out[threadIdx.x] = outer::inner::tile[threadIdx.x]; }
END
smemcalc run named.cu --grid 1 --block 32 -a i32x32 -d 9.0 --sanitize text >out 2>errors
empty "an array in a namespace has its name" "$(grep -q '; 4 bytes at tile + 0 (shared memory)' out || cat out errors)"
smemcalc run --tile 4 --size 16 -d 9.0 --sanitize text >out 2>errors
status=$?
empty "sanitize finds nothing in a kernel of the catalog" "$(
    [ "$status" -eq 0 ] || echo "exit status $status"
    [ "$(cat out)" = 'matmul-tiled: no findings' ] || cat out errors)"
smemcalc run --kernel stencil-dynamic --radius 60000 -d 9.0 --sanitize text >out 2>errors
status=$?
empty "sanitize: a kernel that cannot run has not passed" "$(
    [ "$status" -eq 2 ] || echo "exit status $status"
    grep -q 'option --sanitize: stencil-dynamic was not run: ' errors || cat out errors)"

finish_cases
