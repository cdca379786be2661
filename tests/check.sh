#!/bin/sh
# smemcalc check as a user, node_exporter or Slurm runs it. Run it in the build folder. The GPUs, and
# what is wrong with them, are those of a fake CUDA runtime, if the program was built with the GPU's
# tests.
# The $ of jq are not the shell's:
# shellcheck disable=SC2016

set -u
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

fake=${program%/smemcalc}/tests/gpu/fake_smemcalc
unset SLURMD_NODENAME PMIX_RANK OMPI_COMM_WORLD_RANK SLURM_PROCID FAKE_FAULT FAKE_MS

# --- Without a GPU --------------------------------------------------------------------------------

refuses 2 "option --timeout: '0' is not between 1 and 2147483647" check --timeout 0
refuses 2 "option --format: 'xml' is not one of text, json, openmetrics" check --format xml
refuses 2 "'' cannot be written: No such file or directory" check --output ''
if smemcalc devices --device gpu0 >out 2>&1; then
    skip "no GPU: exit status 3" "there is one"
else
    smemcalc check >out 2>err
    status=$?
    empty "no GPU: exit status 3" "$(
        [ "$status" -eq 3 ] || echo "exit status $status"
        [ ! -s out ] || cat out
        { grep -q '^smemcalc: check: no GPU: ' err && [ "$(wc -l <err)" -eq 1 ]; } || cat err)"
    smemcalc check --output report.txt >out 2>err
    empty "the file of --output says why, for the reason of a drained node" "$(
        head -n 1 report.txt | grep -q '^failed: no GPU: ' || cat report.txt)"
    smemcalc check --format json --output - >out 2>err
    empty "--output - is standard output" "$(
        [ "$(wc -l <out)" -eq 1 ] || cat out
        [ ! -e - ] || echo "there is a file of that name")"
    smemcalc check --gpu 300 >out 2>err
    empty "a GPU beyond all numbers" "$(
        echo "smemcalc: check: there is no GPU 300: the highest number is 127" | diff - err)"
    SLURMD_NODENAME=n7 PMIX_RANK=3 SLURM_PROCID=9 smemcalc check --format json >out 2>err
    status=$?
    empty "no GPU: JSON says so in one line" "$(
        [ "$status" -eq 3 ] || echo "exit status $status"
        [ "$(wc -l <out)" -eq 1 ] || cat out)"
    if command -v jq >/dev/null; then
        holds "no GPU: host, node and rank are known" '.schema == "smemcalc/1" and .command == "check"
            and .verdict == "failed" and (.error | test("^no GPU: ")) and .gpus == []
            and .node == "n7" and .rank == 3 and (.host | length > 0)
            and (.time | test("^20[0-9-]*T[0-9:]*Z$")) and .elapsed_s >= 0' out
    fi
fi

# --- On a fake GPU --------------------------------------------------------------------------------

if [ ! -x "$fake" ]; then
    skip "a fake GPU" "no tests for a GPU were built"
    finish_cases
fi
command -v jq >/dev/null || { skip "a fake GPU" "no jq"; finish_cases; }
program=$fake
export FAKE_GPU=computes

# Its rates become the known ones. Much time, because other programs run, too.
check() {
    smemcalc check --timeout 120000 "$@"
}
smemcalc calibrate >out 2>err
case $(cat err) in
*NVRTC*)
    skip "a fake GPU" "there is no NVRTC"
    finish_cases
    ;;
esac
FAKE_GPU="computes scant" check --format json >out 2>err
FAKE_MS=$(jq '.gpus[0].figures.predicted_ms' out)
export FAKE_MS
check --format json >out 2>err
status=$?
holds "a healthy GPU passes every test" '.verdict == "healthy" and (.gpus | length == 1)
    and (.gpus[0] | .verdict == "healthy" and .error == null and .faults == [] and .mode == "whole"
        and .gpu_index == 0 and .gpu_uuid == "GPU-001e2d3c-4b5a-6978-0716-253443526170"
        and .pci_bus_id == "0000:00:00.0" and .name == "NVIDIA H200" and .compute_capability == "9.0"
        and [.tests[] | .name] == ["sms", "results", "residency", "bandwidth", "fma", "time", "memory"]
        and all(.tests[]; .verdict == "pass" and .seen != null)
        and (.figures | .copy_bytes_per_s > 0 and .fma_flops > 0 and .memory_bytes > 2e8))' out
empty "a healthy GPU is exit status 0, with nothing else to say" "$(
    [ "$status" -eq 0 ] || echo "exit status $status"
    cat err)"
check >out 2>err
empty "in the text of a check the verdict comes first" "$(
    head -n 1 out | grep -q '^healthy: 1 of 1 GPU of ' || cat out
    awk 'length > 80' out)"
empty "the text of a check has readable units, and no number with an exponent" "$(
    grep -Eq '^bandwidth +pass: [0-9.]+ GB/s, expected [0-9.]+; ' out || cat out
    grep -Eq '^fma +pass: [0-9.]+ TFLOP/s, expected [0-9.]+; ' out || cat out
    grep -Eq '^memory +pass: ([0-9.]+) of \1 GB; ' out || cat out
    grep -E '[0-9]e[+-][0-9]' out)"

# What is wrong is named: FAKE_FAULT, and a filter for the only kind of fault. Most faults are
# sought in little memory.
finds() { # FAULT FILTER
    FAKE_FAULT=$1 check --format json >out 2>err
    status=$?
    holds "the fault '$1' is found and named" ".verdict == \"differs\"
        and (.gpus[0] | .verdict == \"differs\" and .error == null
            and .faults_total == (.faults | length) and ($2))" out
    [ "$status" -eq 1 ] || fail "the fault '$1' is exit status 1" "exit status $status"
}
only='(.faults | length) == 1 and .faults[0]'
finds slow "$only.kind == \"rate\" and .tests[3].verdict == \"fail\""
FAKE_FAULT=slow check >out 2>err
empty "the text names a slow rate with its unit" "$(
    grep -Eq '^rate +copy: [0-9.]+ GB/s, [0-9.]+ % below the known [0-9.]+$' out || cat out)"
FAKE_GPU="computes scant"
finds "lane 17 2 3" "$only.kind == \"lane\" and .faults[0].sm == 17 and .faults[0].subpartition == 2
    and .faults[0].lane == 3 and (.faults[0].detail | test(\"^SM 17, sub-partition 2, lane 3: \"))"
finds "sm 40" "$only.kind == \"sm\" and .faults[0].sm == 40 and .faults[0].lane == null"
finds "unseen 100" "$only.kind == \"sm\" and .faults[0].sm == 100
    and (.tests[0] | .verdict == \"fail\" and .expected == 132 and .seen == 131)"
finds "shared 5 4000 7" "$only.kind == \"memory\" and .faults[0].sm == 5
    and .faults[0].address == \"0xfa0\" and .faults[0].bit == 7"
finds "memory 123456 9" "$only.kind == \"memory\" and .faults[0].sm == null
    and (.faults[0].address | test(\"^0x[0-9a-f]*$\")) and .faults[0].bit == 9
    and (.tests[6] | .verdict == \"fail\" and .seen == .expected - 4)"
finds product 'all(.faults[]; .kind == "result") and .tests[1].verdict == "fail"'
finds resident 'all(.faults[]; .kind == "residency") and .tests[2].verdict == "fail"'
FAKE_MS=9 check --format json >out 2>err
holds "a kernel that takes far longer than predicted is found and named" ".verdict == \"differs\"
    and (.gpus[0] | $only.kind == \"rate\" and .tests[5].verdict == \"fail\")" out
check --format json >out 2>err
holds "too little memory for rates: they are skipped, with the memory that they need" '.gpus[0]
    | .verdict == "healthy" and (.tests[3:5] | all(.verdict == "skip"
        and (.detail | test(" MB of the GPU.s memory are free; the measurements need "))))
    and ([.tests[] | select(.verdict == "pass")] | length) == 5' out

# Some GPUs of several.
FAKE_GPU="computes scant two at-1" FAKE_FAULT="sm 3" check --format json >out 2>err
holds "of two GPUs one differs" '.verdict == "differs"
    and [.gpus[] | .verdict] == ["healthy", "differs"] and [.gpus[] | .gpu_index] == [0, 1]
    and .gpus[1].faults[0].sm == 3' out
FAKE_GPU="computes scant two at-1" FAKE_FAULT="sm 3" check --gpu 0 --format json >out 2>err
holds "--gpu 0 checks only that one" '.verdict == "healthy" and [.gpus[] | .gpu_index] == [0]' out
FAKE_GPU="computes scant two at-1" FAKE_FAULT=dies check --format json >out 2>err
status=$?
holds "a GPU whose process dies does not keep the other from its verdict" '.verdict == "failed"
    and .gpus[0].verdict == "healthy" and .gpus[1].verdict == "failed"
    and (.gpus[1].error | test("^its process was ended by signal 9 .*, in the test sms$"))' out
empty "a GPU whose process dies is exit status 4" "$([ "$status" -eq 4 ] || echo "exit status $status")"

# The limit is doubled until this machine comes to the kernel within it, whatever else runs.
check_until() { # WORDS OF FAKE_GPU, FILTER with $limit
    limit=500
    until FAKE_GPU=$1 smemcalc check --timeout $limit --format json >out 2>err
        status=$?
        jq -e --argjson limit $limit "$2" out >/dev/null || [ $limit -gt 60000 ]; do
        limit=$((2 * limit))
    done
}
hung='.verdict == "failed" and .elapsed_s >= $limit / 1000 and (.gpus[0].error
    == "not finished after \($limit) ms (--timeout), in the test sms")'
check_until "computes hangs" "$hung"
holds "a GPU that hangs has failed when its time is over, and is not waited for" \
    "$limit as \$limit | $hung" out
empty "a GPU that hangs is exit status 4" "$([ "$status" -eq 4 ] || echo "exit status $status")"
endless='.gpus[0] | .verdict == "failed"
    and (.error | test("^the kernel of all SMs: not finished after [0-9]* ms on the GPU"))'
check_until "computes endless" "$endless"
holds "a kernel without an end fails when its time is over" "$endless" out
FAKE_GPU="computes crashes" check --format json >out 2>err
status=$?
holds "a CUDA error is the GPU's failure" '.gpus[0] | .verdict == "failed" and .error != null' out
empty "a CUDA error is exit status 4" "$([ "$status" -eq 4 ] || echo "exit status $status")"
FAKE_GPU="computes scant exclusive" check --format json >out 2>err
holds "exclusive process mode is known" '.gpus[0] | .mode == "exclusive" and .verdict == "healthy"' out
FAKE_GPU="computes exclusive busy" check --format json >out 2>err
status=$?
holds "a GPU that another process has to itself has failed, with that reason" '.gpus[0]
    | .mode == "exclusive" and .verdict == "failed" and (.error | test("another process uses it"))' out
empty "a GPU that another process has to itself is exit status 4" "$(
    [ "$status" -eq 4 ] || echo "exit status $status")"
FAKE_GPU="computes slice" check --format json >out 2>err
holds "of a slice, rates that are not known are skipped, with the reason" '.gpus[0]
    | .mode == "mig" and .verdict == "healthy" and .tests[3].verdict == "skip"
    and (.tests[3].detail | test("calibrate")) and .tests[6].verdict == "pass"' out
FAKE_GPU=computes
check --gpu 3 --format json >out 2>err
status=$?
empty "there is no such GPU: exit status 3" "$(
    [ "$status" -eq 3 ] || echo "exit status $status"
    echo "smemcalc: check: there is no GPU 3 on this machine; the highest number is 0" | diff - err)"
check --no-nvrtc --format json >out 2>err
holds "without NVRTC the built-in PTX serves" '.gpus[0] | .verdict == "healthy"
    and ([.tests[] | select(.verdict == "pass") | .name]
         == ["sms", "results", "residency", "bandwidth", "fma", "memory"])
    and .tests[1].seen >= 6 and (.tests[5].detail | length > 0)' out

# --- For node_exporter ----------------------------------------------------------------------------

export FAKE_GPU="computes two at-1"
umask 022
FAKE_FAULT="lane 1 2 3" SLURMD_NODENAME='a"b\c' check --format openmetrics --output node.prom >out 2>err
empty "metrics go to a file that others may read, and nothing is left beside it" "$(
    cat out err
    find . -name 'node.prom?*'
    [ "$(stat -c %a node.prom)" = 644 ] || stat -c %a node.prom)"
empty "metrics have the form of OpenMetrics" "$(
    tail -n 1 node.prom | grep -qx '# EOF' || tail -n 1 node.prom
    awk '/^# TYPE/ { if ($4 != "gauge" || seen[$3]++) print; family = $3; next }
        /^# (UNIT|HELP)/ { if ($3 != family) print; if ($2 == "UNIT" && $3 !~ $4 "$") print; next }
        /^# EOF$/ { next }
        { name = $1; sub(/\{.*/, "", name) } name != family' node.prom)"
empty "metrics have a sample for each GPU and test" "$(
    grep -q '^smemcalc_gpu_healthy{host="a\\"b\\\\c",gpu="0",uuid="GPU-00[^}]*verdict="healthy"} 1$' node.prom ||
        grep healthy node.prom
    grep -q '^smemcalc_gpu_healthy{.*,gpu="1",uuid="GPU-01[^}]*verdict="differs"} 0$' node.prom ||
        grep healthy node.prom
    grep -q '^smemcalc_host_healthy{[^}]*} 0$' node.prom || grep host_healthy node.prom
    grep -q '^smemcalc_gpu_test_passed{.*gpu="1".*,test="sms"} 0$' node.prom || grep passed node.prom)"
if python3 -c 'import prometheus_client.openmetrics.parser' 2>/dev/null; then
    empty "prometheus_client reads it" "$(python3 - node.prom 2>&1 <<'END'
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from prometheus_client.parser import text_string_to_metric_families as of_prometheus
text = open(sys.argv[1]).read()
families = {f.name: f for f in text_string_to_metric_families(text)}
values = [s.value for s in families["smemcalc_gpu_healthy"].samples]
if values != [1, 0] or len(list(of_prometheus(text))) != len(families):
    print(values, list(families))
END
    )"
else
    skip "prometheus_client reads it" "it is not installed"
fi
FAKE_GPU="computes scant"
check --format openmetrics >out 2>err
empty "a test that was skipped has no sample" "$(
    grep -q '^smemcalc_gpu_test_passed{.*test="sms"} 1$' out || cat out err
    grep '^smemcalc_gpu_test_passed{.*test="bandwidth"' out)"
check --output /nowhere/at/all.prom >out 2>err
status=$?
empty "metrics for a file that cannot be written are an error" "$(
    [ "$status" -ne 0 ] || echo "exit status $status"
    [ "$(wc -l <err)" -eq 1 ] || cat err)"

finish_cases
