#!/bin/sh
# smemcalc merge of the reports of checks: what to drain, in every form; what tools put around the
# lines; how long many GPUs take, and how much memory. tests/data/merge/checks.json is made up.
# GENERATE=1 writes tests/golden/merge_checks* anew.

# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"
command -v jq >/dev/null || { skip "merge" "there is no jq"; finish_cases; }
cp "$here"/data/merge/checks.json "$here"/data/merge/node1.json .
grep 'schema.*}]}$' checks.json >whole.json

golden merge_checks.txt merge checks.json --expect 'n[1-5]'
golden merge_checks.csv merge checks.json --expect 'n[1-5]' --format csv
golden merge_checks.prom merge checks.json --expect 'n[1-5]' --format openmetrics
golden_fields merge_checks.json 'if .checks then .checks | .verdict, .count, .drain[], .gpus[],
    .stragglers[], .figures[] else . end' merge whole.json --expect 'n[1-5]' --format json

answers() { # NAME STATUS OUTPUT, ARGUMENT...
    name=$1 wanted=$2 line=$3
    shift 3
    smemcalc merge "$@" >out 2>err
    seen=$?
    empty "$name" "$(
        [ $seen -eq "$wanted" ] || echo "exit status $seen, not $wanted"
        [ "$(cat out)" = "$line" ] || cat out err)"
}

answers "--exclude lists the nodes to drain" 1 n2,n4 checks.json --exclude
answers "--exclude lists nodes that did not report" 1 n2,n4,n5 checks.json --exclude --expect 'n[1-5]'
answers "--exclude lists nodes with a straggler" 1 n2,n3,n4 checks.json --exclude --drain-stragglers
answers "--drain prints commands for Slurm" 1 \
    'scontrol update nodename=n2 state=drain reason="smemcalc: GPU 3 differs: SM 17, sub-partition 2, lane 3: 5 instead of 4"
scontrol update nodename=n4 state=drain reason="smemcalc: its report is cut off"' checks.json --drain
grep '"n1"' checks.json >sound.json
answers "--exclude prints nothing where no node is to drain" 0 "" sound.json --exclude
answers "--exclude with a number of nodes, not all of which reported" 1 "" sound.json --exclude --expect 2
smemcalc merge sound.json --expect 2 >out 2>err
empty "the verdict counts the nodes without a report" "$(head -n 1 out |
    grep -qx '8 of 8 GPUs healthy; 1 node without a report' || cat out)"
smemcalc merge - --expect 'n[1-3]' </dev/null >out 2>err
status=$?
empty "the verdict where no node reported" "$(
    [ "$status" -eq 1 ] || echo "exit status $status"
    cat err
    head -n 1 out | grep -qx '0 of 0 GPUs healthy; 3 nodes to drain (3 without a report)' ||
        cat out)"

# --- What tools put around the lines --------------------------------------------------------------

labelled() { # NAME SED-EXPRESSION
    { echo "Welcome to the cluster"; grep schema checks.json; } | sed "$2" | smemcalc merge - >out 2>err
    empty "reports of checks are read with $1" "$(
        smemcalc merge checks.json 2>wanted.err | diff - out
        grep -q ': note: not a report: .*Welcome to the cluster$' err || cat err)"
}
labelled "a line of another program before them" ''
labelled "the labels of srun -l" 's/^/3: /'
labelled "the labels of pdsh" 's/^/node7: /'
labelled "the labels of mpirun --tag-output" 's/^/[1,3]<stdout>:/'
labelled "the labels of prterun" 's/^/[prterun-host-1@1,3]<stdout>: /'
labelled "line feeds of Windows" 's/$/\r/'
labelled "no line feed between them" ':a;N;$!ba;s/}\n{/}{/g'

# srun forwards 1024 bytes at a time; -l puts the label before, and a line feed after each.
in_pieces() { # RANK
    awk -v label="$1: " '{ for (; length($0) > 1024; $0 = substr($0, 1025))
        print label substr($0, 1, 1024); print label $0 }'
}
reports=$(grep -c schema checks.json)
for rank in $(seq "$reports"); do
    grep schema checks.json | sed -n "${rank}p" | in_pieces "$rank" >pieces"$rank"
done
{
    echo "1: Welcome to the cluster"
    paste -d '\n' pieces* | grep .
} | smemcalc merge - >out 2>err
empty "reports of checks are read from pieces that srun -l mixed" "$(
    smemcalc merge checks.json 2>wanted.err | diff - out
    grep -q ': note: not a report: 1: Welcome to the cluster$' err || cat err)"

jq -c . node1.json >run1.json
as_from() { # FILE...: the difference to their report, but for the places
    smemcalc merge "$@" 2>/dev/null | sed 's/([^()]*:[0-9]*)$//' >wanted
    sed 's/([^()]*:[0-9]*)$//' out | diff wanted -
}
grep schema checks.json | head -n 1 >check1.json
{ in_pieces 0 <run1.json; echo '0: '; } | smemcalc merge - >out 2>err
empty "a label without text is no report" "$(cat err; as_from run1.json)"
cat run1.json check1.json | in_pieces 0 | smemcalc merge - >out 2>err
empty "one process may report a run and a check" "$(cat err; as_from run1.json check1.json)"
{ head -c 3000 run1.json; echo; cat run1.json; } | in_pieces 0 | smemcalc merge - >out 2>err
empty "a report that is cut off does not hide the next of its process" "$(
    [ "$(wc -l <err)" -eq 1 ] || cat err
    as_from run1.json)"
awk 'BEGIN { printf "{\"command\":\"check\","; for (i = 0; i < 20000; i++) printf "{\"schema\":0,\"a\":["; print "" }' |
    smemcalc merge - >out 2>err
status=$?
empty "reports within reports are read once" "$([ $status -eq 2 ] || echo "exit status $status"
    grep '[0-9]\{4\} more' err)"

grep schema checks.json | cut -c 1-1500 | sed 's/"node":"[^"]*",//; s/"host":"[^"]*",//; s/^/n6: /' |
    head -n 1 | smemcalc merge - --exclude >out 2>err
empty "a label names the node of a report that is cut off" "$(echo n6 | diff - out
    grep -qx 'smemcalc: standard input:1: the report of n6 is cut off' err || cat err)"
head -c 40 checks.json | smemcalc merge - >out 2>err
status=$?
empty "a report that is cut off before its node is a problem" "$([ $status -eq 2 ] || echo "exit status $status"
    [ "$(wc -l <err)" -eq 1 ] || cat err)"
jq -c '.node = "n1;reboot"' sound.json | smemcalc merge - sound.json --exclude >out 2>err
status=$?
empty "a node whose name is no host's is a problem" "$(cat out
    [ $status -eq 2 ] || echo "exit status $status"
    echo "smemcalc: standard input:1: key 'node': 'n1;reboot' is not a host name" | diff - err)"
# The $ are not this shell's.
# shellcheck disable=SC2016
jq -c '.verdict = "failed" | .gpus = [] | .error = "a\"b$(reboot)`reboot`\\\u001b[31m\nline"' sound.json |
    smemcalc merge - --drain >out 2>err
empty "the reason in a command of --drain is only text to a shell" "$(
    printf '%s\n' 'scontrol update nodename=n1 state=drain reason="smemcalc: a b?(reboot)?reboot????31m?line"' |
        diff - out)"
jq . sound.json >pretty.json
smemcalc merge sound.json >wanted 2>&1
empty "a report of a check in several lines is read" "$(smemcalc merge pretty.json 2>&1 | diff wanted -)"
empty "reports of checks in a list are read" "$(jq -s . sound.json | smemcalc merge - 2>&1 | diff wanted -)"
smemcalc merge sound.json sound.json >out 2>&1
empty "a GPU that reports twice counts once" "$(
    head -n 1 out | grep -qx '8 of 8 GPUs healthy' || cat out
    tr -s ' \n' ' ' <out | grep -q 'repeated 8 reports of a GPU that had reported before' || cat out)"
jq -c '.node = null' sound.json | smemcalc merge - --expect node1 >out 2>&1
empty "without Slurm the host's name is the node's" "$(head -n 1 out | grep -qx '8 of 8 GPUs healthy' || cat out)"
jq -c '.gpus |= [.[0] | .gpu_uuid = null] | ., (.rank = 1)' sound.json | smemcalc merge - >out 2>&1
empty "without UUID the rank tells GPUs apart" "$(head -n 1 out | grep -qx '2 of 2 GPUs healthy' || cat out)"

# --- Together with runs ---------------------------------------------------------------------------

smemcalc merge node1.json sound.json >out 2>err
status=$?
empty "reports of runs and of checks are merged together" "$(
    [ $status -eq 0 ] || echo "exit status $status"
    head -n 1 out | grep -qx '8 of 8 GPUs healthy' || cat out
    grep -qx 'agree: 2 GPUs, 11 quantities' out || cat out)"
smemcalc merge node1.json sound.json --format json >out 2>err
holds "JSON has the verdicts of runs and of checks" '.verdict == "agree" and .checks.verdict == "healthy"' out
refuses 2 "merge: CSV is a table either of runs or of checks; merge their reports separately" \
    merge node1.json sound.json --format csv
refuses 2 "option --exclude: there is no report of 'smemcalc check --format json'" \
    merge node1.json --exclude
refuses 2 "option --drain-stragglers: there is no report of 'smemcalc check --format json'" \
    merge node1.json --drain-stragglers
refuses 2 "option --drain: not together with --exclude" merge sound.json --drain --exclude
refuses 2 "option --drain: not together with --format" merge sound.json --drain --format json
refuses 2 "option --expect: '0' is not between 1 and 200000" merge sound.json --expect 0
refuses 2 "option --expect: '200001' is not between 1 and 200000" merge sound.json --expect 200001
refuses 2 "option --expect: '4-1' is not a range of numbers such as 1-4; give a list of nodes such as \
n[1-4],login, or their number, from 1 to 200000" merge sound.json --expect 'n[4-1]'
jq -c '.run.node = "n1" | ., (.run.node = "n2")' <<end >nodes.json
$(jq -c '.runs[0] | del(.gpu_index)' node1.json)
end
smemcalc merge nodes.json >out 2>err
empty "runs of two nodes of one host are two machines" "$(
    head -n 1 out | grep -qx 'agree: 2 GPUs, 11 quantities' || cat out
    grep -q '^ *n2 GPU-001e2d3c: ' out || cat out)"
jq -c '.run.gpu_uuid = null | .run.driver = null | .run.rank = (0, 1)' nodes.json >ranks.json
smemcalc merge ranks.json >out 2>err
empty "without UUID the rank tells emulators apart" "$(
    head -n 1 out | grep -qx 'agree: 4 emulators, 11 quantities' || cat out)"
for rank in 0 1 2; do
    jq . nodes.json | sed "s/^/$rank: /" >labelled$rank
done
paste -d '\n' labelled0 labelled1 labelled2 >mixed.json
smemcalc merge mixed.json >out 2>err
empty "lines of several processes are told apart by their labels" "$(cat err
    head -n 1 out | grep -qx 'agree: 2 GPUs, 11 quantities' || cat out
    grep -c '^given twice' out | grep -vx 4)"

# --- OpenMetrics ----------------------------------------------------------------------------------

smemcalc merge checks.json node1.json --expect 'n[1-5]' --format openmetrics >fleet.prom 2>err
if python3 -c 'import prometheus_client.openmetrics.parser' 2>/dev/null; then
    empty "prometheus_client reads the OpenMetrics of merge" "$(python3 - fleet.prom 2>&1 <<'end'
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
families = {f.name: f.samples for f in text_string_to_metric_families(open(sys.argv[1]).read())}
drain = {s.labels["node"]: s.labels["reason"] for s in families["smemcalc_fleet_drain"]}
gpus = {s.labels["verdict"]: s.value for s in families["smemcalc_fleet_gpus"]}
if (sorted(drain) != ["n2", "n4", "n5"] or drain["n5"] != "no report"
        or gpus != {"healthy": 23, "differs": 1, "failed": 0}
        or families["smemcalc_merge_machines"][0].value != 2
        or len(families["smemcalc_fleet_straggler_ratio"]) != 2):
    print(families)
end
    )"
else
    skip "prometheus_client reads the OpenMetrics of merge" "it is not installed (python3-prometheus-client)"
fi

# --- Many GPUs ------------------------------------------------------------------------------------

# At most 256 bytes for each, and no more than four times the time for each of ten times as many. The
# memory of sanitizers does not count.
if [ -x /usr/bin/time ] && /usr/bin/time -f %M true 2>/dev/null; then
    most=
    for gpus in 1000 10000 100000; do
        awk -v gpus=$gpus -v seed=1 -f "$here/data/checks.awk" >fleet.json
        /usr/bin/time -f '%M %U' -o cost "$program" merge fleet.json >out 2>err
        read -r kib seconds <cost
        printf '        %s GPUs: %s KiB, %s s of a processor\n' $gpus "$kib" "$seconds"
        empty "checks of $gpus GPUs are merged in time and memory for each" "$(cat err
            head -n 1 out | tr -d , | grep -qx "$gpus of $gpus GPUs healthy; 1 straggler" || cat out
            grep -q __asan_init "$program" || [ "$kib" -lt $((30000 + gpus / 4)) ] || echo "$kib KiB"
            echo "$seconds ${most:-$seconds}" | awk '$1 > $2 { print $1 " s, more than " $2 }')"
        most=$(awk "BEGIN { print 1 + 40 * $seconds }")
    done
else
    skip "time and memory of many GPUs" "there is no GNU time (/usr/bin/time)"
fi
awk -v gpus=1000 -v seed=1 -f "$here/data/checks.awk" | smemcalc merge - >out 2>err
empty "the straggler among 1000 GPUs is named" "$(tr -s ' \n' ' ' <out |
    grep -q 'stragglers n10 GPU 5 GPU-0000004d-[^ ]* copy [0-9]* GB/s, 4.[0-9] % slower than' || cat out)"

finish_cases
