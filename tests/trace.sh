#!/bin/sh
# What `smemcalc trace` reports of a recorded program: text, JSON and CSV, another GPU, requirements,
# files and exit statuses. Run in the build folder; GENERATE=1 writes the golden output anew.

# shellcheck disable=SC2015 # what a case has to complain about is printed by the last command
set -u
unset COLUMNS
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"
cp "$here/data/trace/step.json" .

# Runs and remembers: out, err, status.
trace() { # ARGUMENT...
    "$program" trace "$@" >out 2>err </dev/null
    status=$?
}

says() { # NAME STATUS ERR-TEXT ARGUMENT...: the exit status, and what standard error holds
    name=$1 wanted=$2 text=$3
    shift 3
    trace "$@"
    empty "$name" "$(
        [ "$status" -eq "$wanted" ] || echo "exit status $status, not $wanted"
        [ -z "$text" ] && cat err
        [ -z "$text" ] || grep -qF -- "$text" err || { echo "no '$text' in:"; cat err; })"
}

contains() { # NAME FILE TEXT
    empty "$1" "$(grep -qF -- "$3" "$2" || { echo "no '$3' in:"; cat "$2"; })"
}

# --- Text -----------------------------------------------------------------------------------------

trace --read step.json
[ "${GENERATE-}" ] && cp out "$here/golden/trace.txt"
empty "the text of a recorded trace" "$(diff "$here/golden/trace.txt" out; cat err)"
empty "the text of a trace fits 80 columns" "$(awk 'length > 80' out)"

trace --read step.json --top 2
contains "--top 2 says how many kernels it omits" out "in 3 more kernels; --top all lists each"
trace --read step.json --top all --verbose
empty "--top all lists every kernel" "$(grep -q 'softmax' out && ! grep -q 'in . more ' out || cat out)"
trace --read step.json --kernel '*layer_norm*' --kernel softmax
empty "--kernel counts only the kernels that match" "$(grep -q '^612 launches of 2 kernels took 411 ms on NVIDIA H100 80GB HBM3$' out || head -n 1 out)"
trace --read step.json --kernel nothing
empty "a trace says that no kernel matches --kernel" "$(grep -q '^no kernel was launched that the options choose$' out || cat out)"

# --- JSON and CSV ---------------------------------------------------------------------------------

if command -v jq >/dev/null; then
    trace --read step.json --format json
    jq 'del(.trace.file)' out >again.json
    jq 'del(.trace.file)' step.json | diff - again.json >difference
    empty "JSON of a trace is read and written again unchanged" "$(head -n 20 difference)"
    holds "JSON of a trace has configurations by kernel and time" \
        '[.kernels[].name] | length == 11 and (.[0] | startswith("void cutlass::Kernel2"))' out
    holds "the kernels' shares of the time add up to 100 %" '[.kernels[].share_percent] | add | . > 99.9999 and . < 100.0001' out
    holds "the largest kernel of a trace has one block, limited by registers" '.kernels[0].occupancy | .blocks_per_sm == 1 and .limiters == ["registers"]' out
    "$program" --threads 256 --regs 238 --dynamic-smem 73728 --device 9.0 --format json >query.json
    empty "the occupancy of a trace is that of a query" "$(
        jq '.kernels[0].occupancy' out >seen
        jq '.occupancy' query.json | diff - seen)"
    trace --read step.json --format json --top 1
    holds "JSON of --top 1 has one kernel" '.kernels | map(.name) | unique | length == 1' out
else
    skip "JSON" "there is no jq"
fi

trace --read step.json --format csv
empty "CSV of a trace has a line for each configuration" "$([ "$(wc -l <out)" -eq 12 ] || cat out)"

# --- Files ----------------------------------------------------------------------------------------

trace --read step.json
cp out expected
trace --read step.json --output report.txt
empty "--output writes the report to a file" "$([ "$status" -eq 0 ] || echo "exit status $status"
    diff expected report.txt
    cat out err)"
says "--output in a missing folder is refused" 2 'nowhere/report.txt' --read step.json --output nowhere/report.txt
says "a missing trace is refused" 2 "missing.json: No such file or directory" --read missing.json
printf 'neither\n' >other.txt
says "a file that is no trace is refused" 2 "other.txt: not a trace" --read other.txt

: >empty.json
says "an empty trace is refused" 2 "empty.json: not a trace: the file is empty" --read empty.json

# Tables of nsys stats and nvprof.
cat >nsys.csv <<'END'
Processing [x.sqlite] with [cuda_gpu_trace.py]...
Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,Strm,Name
900,661398,5,,,,,,,,,,4.194,6337.593,Pinned,Device,NVIDIA A100-SXM4-40GB (0),1,13,[CUDA memcpy Host-to-Device]
9961685,2707098,67,1,1,2304,128,1,1,160,0.000,0.025,,,,,NVIDIA A100-SXM4-40GB (0),1,7,"gemm(int, float)"
END
cat >nvprof.csv <<'END'
==15562== NVPROF is profiling process 15562, command: ./app
"Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z","Registers Per Thread","Static SMem","Dynamic SMem","Size","Throughput","Device","Context","Stream","Name"
us,us,,,,,,,,KB,KB,KB,GB/s,,,,
25.0,61.9,4096,1,1,256,1,1,40,8.015625,0.000000,,,"GeForce RTX 2080 Ti (0)","1","7","saxpy(int, float*) [104]"
END
trace --read nsys.csv
contains "a table of nsys stats is read" out "1 launch of 1 kernel took 2.71 ms on NVIDIA A100-SXM4-40GB"
contains "a size that nsys stats rounds is the multiple of 1 KB, with a note" out "multiple of 1 KB that fits"
says "a launch of nsys stats can miss a required occupancy" 1 "gemm" --read nsys.csv --require-occupancy 50
trace --read nvprof.csv
contains "a table of nvprof is read" out "1 launch of 1 kernel took 61.9 us on GeForce RTX 2080 Ti"
contains "a size of nvprof is whole bytes" out " 8208 "
printf 'Time (%%),Total Time (ns),Instances,Min (ns),Max (ns),Name\n100.0,9,1,9,9,f\n' >sum.csv
says "a summary of nsys stats is refused with the command that exports launches" 2 \
    "nsys export --type sqlite REPORT.nsys-rep" --read sum.csv
head -c -40 nvprof.csv >cut.csv
says "a table of nvprof that was cut is refused" 2 "cut.csv:4: the row does not fit the 17 columns" --read cut.csv

# A table of ncu that names no GPU, and what the tool computed for another one.
printf '%s\n' '"ID","Kernel Name","Block Size","Grid Size","launch__registers_per_thread","launch__shared_mem_per_block_allocated","sm__maximum_warps_per_active_cycle_pct"' \
    '"","","block","grid","register/thread","byte/block","%"' \
    '"0","b(float*)","(256, 1, 1)","(9, 1, 1)","32","33792","75"' >unnamed.csv
trace --read unnamed.csv --device A100
contains "an occupancy that a tool recorded is compared with that of the GPU that the user names" out \
    'configuration differs, first of b: 75.0 %'

# A pipe can be read only once, and a compressed file only from its beginning.
mkfifo pipe
for kind in step.json pytorch.json ncu_raw.csv nsys.csv nvprof.csv; do
    [ -e "$kind" ] || cp "$here/data/trace/$kind" .
    trace --read "$kind" --format csv
    cp out expected
    "$program" trace --read - --format csv <"$kind" >out 2>err
    empty "trace --read reads $kind from standard input" "$(diff expected out; cat err)"
    cat "$kind" >pipe &
    trace --read pipe --format csv
    empty "trace --read reads $kind from a pipe" "$(diff expected out; cat err)"
    gzip -c "$kind" >pipe &
    trace --read pipe --format csv
    if grep -q 'this build has no zlib' err; then
        skip "trace --read reads a compressed $kind" "built without zlib"
    else
        empty "trace --read reads a compressed $kind" "$(diff expected out; cat err)"
    fi
done
wait
"$program" trace --read - <step.json >out
contains "a trace from standard input is named so" out "in the process: standard input"
mkdir copies
TMPDIR=$PWD/copies "$program" trace --read - <ncu_raw.csv >out 2>&1
empty "no copy of a pipe's trace is left" "$(ls copies)"
TMPDIR=$PWD/nowhere "$program" trace --read - <ncu_raw.csv >out 2>err
empty "a pipe's trace that cannot be copied is refused" "$(
    grep -q "^smemcalc: standard input: cannot be copied to '.*/nowhere/smemcalc-trace-......': No such" err || cat err)"

# --- Several files --------------------------------------------------------------------------------

rank() { # NUMBER NAME MICROSECONDS
    cat <<JSON
{"schemaVersion": 1, "distributedInfo": {"rank": $1, "world_size": 3}, "deviceProperties": [{"id": 0,
"name": "NVIDIA H100 80GB HBM3", "computeMajor": 9, "computeMinor": 0, "numSms": 132}],
"traceEvents": [{"ph": "X", "cat": "kernel", "name": "$2", "pid": 0, "ts": $((1000 * ($1 + 1))).5, "dur": $3,
"args": {"device": 0, "grid": [400, 1, 1], "block": [256, 1, 1], "registers per thread": 64, "shared memory": 0}}]}
JSON
}
rank 0 gemm 900 >rank0.json
rank 1 gemm 700 >rank1.json
one=rank1.json
gzip -k rank1.json
trace --read rank1.json.gz
if [ "$status" -eq 0 ]; then
    rm rank1.json
    one=rank1.json.gz
else
    rm rank1.json.gz
fi
rank 2 other 400 >rank2.json
trace --read rank0.json --read "$one"
contains "the launches of two files are added" out "2 launches of 1 kernel took 1.60 ms on 2 x NVIDIA H100 80GB HBM3, in 2 files"
contains "each file of a merged trace has a line" out "$one: 1 launch, 0.700 ms, occupancy on average 50 %"
contains "a merged trace tells that ranks are missing" out "only 2 of 3 ranks are in these files"
contains "a merged trace names both files" out "recorded by PyTorch profiler: rank0.json, $one"
rank 1 short 30 >short.json
trace --read rank0.json --read short.json --format json
empty "the slices of files are joined by their time" "$(jq -c '.course.slices as $all | (30000 / .course.slice_ns) as $both |
    select(([$all[] | .[range(1; length; 2)]] | add) != 930000 or ([$all[] | length > 2] | index(false)) != $both) |
    .course.slices[:20]' out)"
trace --read rank* --top 1
contains "trace --read takes several files at once" out "3 launches of 2 kernels took 2.00 ms"
empty "a trace of all ranks tells of none missing" "$(grep -e 'ranks are in' -e 'only rank' out)"
trace --read rank0.json
contains "a trace of one rank tells that it is the only one" out "only rank 0 of 3 is in this file"
trace --read rank* --format csv
empty "CSV of a merged trace has the file of each kernel" "$(cut -d, -f4 out | sort | tr '\n' ' ' | grep -vx "file rank0.json $one rank2.json ")"
if command -v jq >/dev/null; then
    trace --read rank* --format json
    holds "GPUs of different files have numbers of their own" '[.devices[].id] == [0, 1, 2]' out
    holds "JSON of a merged trace has the file of each process" "[.processes[].file] == [\"rank0.json\", \"$one\", \"rank2.json\"]" out
    holds "each file of a merged trace begins at 0" '.course.slices[0] | length == 6' out
    mv out merged.json
    trace --read merged.json --format json
    jq 'del(.trace.file)' out >again.json
    jq 'del(.trace.file)' merged.json | diff - again.json >difference
    empty "JSON of a merged trace is read and written again unchanged" "$(head -n 20 difference)"
fi
ln -s rank0.json same-rank.json
says "a trace file that is given twice is refused" 2 "same-rank.json: given twice: its launches would count twice" --read rank0.json same-rank.json
rank 0 gemm 100 >rank0-later.json
says "two trace files of one rank are refused" 2 "rank0-later.json: rank 0, as rank0.json; one file of each rank is read" --read rank0.json rank0-later.json
sed 's/"world_size": 3/"world_size": 8/' rank2.json >job.json
says "trace files of two jobs are refused" 2 "job.json: of a job of 8 ranks, but rank0.json of 3" --read rank0.json job.json
says "trace files of two tools are refused" 2 "ncu_raw.csv: recorded by Nsight Compute, but rank0.json by PyTorch" --read rank0.json ncu_raw.csv
sed 's/"dur": 400,//' rank2.json >untimed.json
says "trace files with and without times are refused" 2 "untimed.json has no times, but rank0.json has" --read untimed.json rank0.json
says "--skip with several trace files is refused" 2 "option --skip: only with one file" --read rank0.json rank2.json --skip 1
says "--output is refused where it would replace one of several traces" 2 "option --output: 'rank2.json' is the file of --read" \
    --read rank0.json rank2.json --output rank2.json

says "--plot - draws a trace" 0 '' --read step.json --plot -
contains "the picture names the kernels" out "Kernel2<"

# --- Programs -------------------------------------------------------------------------------------

# Runs and remembers: out, err, status. What is injected and what it sees is tested elsewhere.
trace true
if [ "$status" -eq 3 ] || grep -q 'cannot be run yet' err; then
    skip "programs" "$(cat err)"
else
    says "a traced program without CUDA has no kernels" 0 "no kernel was launched" true
    says "the exit status of a traced program is passed on" 7 "" --output report.txt sh -c 'exit 7'
    contains "the exit status of a traced program is in the report" report.txt "the program ended with exit status 7"
    says "the signal that ends a traced program is told" 139 "the program was ended by signal 11" sh -c 'kill -SEGV $$'
    says "options after a traced program's name are its own" 0 "" --output report.txt -- echo --read query --top
    empty "the output of a traced program is its own" "$([ "$(cat out)" = "--read query --top" ] || cat out)"
    says "tracing a program that is not there is refused" 2 "nowhere" ./nowhere
    says "a traced program that fails leaves a requirement unchecked" 7 "nothing was checked" --output report.txt --require-occupancy 50 \
        sh -c 'exit 7'
fi

# --- Another GPU ----------------------------------------------------------------------------------

says "--device judges a trace for another GPU" 0 '' --read step.json --device "RTX 4090"
contains "a trace for another GPU names it" out "for NVIDIA GeForce RTX 4090 instead"
empty "a trace for another GPU is not compared with the recorded driver" "$(grep 'driver says' out)"
sed 's/"dynamic_smem_bytes":73728/"dynamic_smem_bytes":200000/g' step.json >large.json
trace --read large.json --device "RTX 4090"
contains "a trace counts what cannot be launched on another GPU" out "2 configurations cannot be launched on NVIDIA GeForce RTX 4090"
sed 's/"known":true/"known":false/g; s/"device":[01],/"device":null,/g' step.json >nameless.json
trace --read nameless.json
contains "a trace tells that the GPU was not recorded" out "the GPU was not recorded"
trace --read nameless.json --device "H100 SXM"
contains "--device names the GPU that was not recorded" out "as option --device says"
contains "with --device a trace without its GPU has the occupancy" out "12.5  11.8        15 registers"
says "--device of trace refuses an unknown GPU" 2 "option --device" --read step.json --device "Riva 128"

# A kernel that cannot be launched there keeps no warps on it.
trace --read step.json --device 7.5 --format json
holds "resident warps of a kernel are no more than its occupancy" '[.kernels[] | select(.resident_percent > .occupancy.percent + 0.001)] == []' out
holds "resident warps of the whole trace are no more than its occupancy" '.summary.resident_percent <= .summary.occupancy_percent + 0.001' out
mkdir -p triton/A && mkfifo triton/A/k.json
says "a pipe among Triton's files is left alone" 2 'without kernels of Triton' --read triton

# --- Requirements ---------------------------------------------------------------------------------

says "a required occupancy that holds passes" 0 '' --read step.json --require-occupancy 10 --above 5%
says "a required occupancy that does not hold fails" 1 \
    'occupancy 12.5 %, below 50 %; 84.5 % of the time, limited by registers' \
    --read step.json --require-occupancy 50 --above 5%
empty "--above leaves out kernels with a smaller share" "$([ "$(wc -l <err)" -eq 1 ] || cat err)"
printf '# from cuBLAS\nKernel2\n\nunused*\n' >allowed.txt
says "--allow lets a kernel have less than the required occupancy" 0 'allowed (allowed.txt:2)' \
    --read step.json --require-occupancy 50 --above 5 --allow allowed.txt
contains "a pattern of --allow that is not needed is noted" err "note: allowed.txt:4: 'unused*' names no kernel that has less"
says "a required occupancy that is unknown is an error" 2 'its occupancy is unknown: registers were not recorded' \
    --read step.json --require-occupancy 10 --kernel 'nccl*'
trace --read step.json --require-occupancy 50 --above 5% --format junit
empty "JUnit of a required occupancy has a failure" "$([ "$status" -eq 1 ] || echo "exit status $status"
    grep -q '<failure' out || cat out)"
trace --read step.json --require-occupancy 50 --above 5% --format sarif
empty "SARIF of a required occupancy has a result" "$([ "$status" -eq 1 ] && grep -q '"ruleId": "occupancy"' out || cat out)"
trace --read step.json --require-occupancy 50 --above 5% --format markdown
empty "markdown of a required occupancy names the kernel" "$([ "$status" -eq 1 ] && grep -q 'Kernel2' out || cat out)"
for nothing in '--kernel nosuch' '--skip 1000000'; do
    # shellcheck disable=SC2086 # several words
    says "a required occupancy without launches is an error: $nothing" 2 'nothing was checked, as there is no launch' \
        --read step.json --require-occupancy 10 $nothing
done
says "a required occupancy of a program without kernels is an error" 2 'nothing was checked' --require-occupancy 10 true
head -c -3 "$here/data/trace/ncu_raw.csv" >cut.csv
says "a trace table that was cut off is refused" 2 'the file ends within a quoted field: it was cut' --read cut.csv
sed 's/"api_blocks_per_sm":9,/"api_blocks_per_sm":7,/' step.json >wrong.json
says "a driver that contradicts the occupancy fails the trace" 1 '' --read wrong.json
contains "a trace names where the driver contradicts the occupancy" out ": 9 blocks per SM; the driver says 7"

# --- Usage ----------------------------------------------------------------------------------------

says "trace without a program is refused" 2 "which program?"
says "a program besides trace --read is refused" 2 "nowhere: No such file or directory" --read step.json nowhere
says "--above without --require-occupancy is refused" 2 "option --above: only together with --require-occupancy" --read step.json --above 5%
says "--allow without --require-occupancy is refused" 2 "option --allow: only together with" --read step.json --allow allowed.txt
for wrong in 101% x 5%% -1 1e2 ''; do
    says "--above '$wrong' is refused" 2 "option --above" --read step.json --require-occupancy 5 "--above=$wrong"
done
says "a missing list of --allow is refused" 2 "missing.txt" --read step.json --require-occupancy 5 --allow missing.txt
says "trace --format sarif without a requirement is refused" 2 "option --format: 'sarif' needs --require-occupancy" \
    --read step.json --format sarif
cp step.json same.json && ln same.json linked.json
says "--output is refused where it would replace the trace" 2 "option --output: 'linked.json' is the file of --read" \
    --read same.json --output linked.json
says "--output is refused where it would replace the list of --allow" 2 "option --output: 'allowed.txt' is the file of --allow" \
    --read step.json --require-occupancy 5 --allow allowed.txt --output allowed.txt
empty "a trace that is read stays as it is" "$(cmp step.json same.json 2>&1)"
if smemcalc trace --read step.json --plot probe.svg >out 2>&1; then
    says "--output is refused where it would replace the picture" 2 "option --output: 'p.svg' is the file of --plot" \
        --read step.json --plot p.svg --output p.svg
    says "a picture of a trace that cannot be written is refused" 2 "missing/p.svg" --plot missing/p.svg -- touch ran
else
    says "a picture of a trace without cairo is refused" 3 "without cairo" --plot p.svg -- touch ran
fi
empty "a picture that cannot be written is refused before the program runs" "$([ ! -e ran ] || echo "it ran")"
says "--duration with --read is refused" 2 "option --duration: not together with --read" --read step.json --duration 5

finish_cases
