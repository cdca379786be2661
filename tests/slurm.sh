#!/bin/sh
# Checks started by srun on a real Slurm, merged: one slurmctld and four slurmd on this host, where
# one node's GPU has a fault, one node hangs and one dies while it reports. Everything runs in
# namespaces of its own (network, host name, processes), which end with this script, so that traffic
# stays on a loopback device of its own, fixed ports are free, and no daemon is left behind.
#   tests/slurm.sh    in the build folder, as root

cannot() {
    echo "skipped: $1"
    exit 77
}

if [ "${1-}" != inside ]; then
    for tool in slurmctld slurmd srun sinfo scontrol ip unshare jq; do
        command -v "$tool" >/dev/null || cannot "there is no $tool (Debian: slurm-wlm iproute2)"
    done
    [ "$(id -u)" -eq 0 ] || cannot "only root can start Slurm's daemons"
    [ -x tests/gpu/fake_smemcalc ] || cannot "there is no tests/gpu/fake_smemcalc here"
    # shellcheck disable=SC2016 # the inner shell's
    alone='hostname localhost && ip link set lo up && ip addr add 192.0.2.1/32 dev lo && exec "$@"'
    unshare -n -u -p -f --kill-child --mount-proc sh -c "$alone" sh true 2>/dev/null ||
        cannot "no namespaces for the network and processes here"
    unshare -n -u -p -f --kill-child --mount-proc sh -c "$alone" sh timeout -k 5 120 "$0" inside
    exit
fi

fake=$PWD/tests/gpu/fake_smemcalc
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

# --- Slurm ----------------------------------------------------------------------------------------

mkdir state spool log
cat >slurm.conf <<end
ClusterName=scratch
SlurmctldHost=localhost(127.0.0.1)
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$PWD/state
SlurmdSpoolDir=$PWD/spool/%n
SlurmctldPidFile=$PWD/slurmctld.pid
SlurmdPidFile=$PWD/slurmd-%n.pid
SlurmctldLogFile=$PWD/log/slurmctld
SlurmdLogFile=$PWD/log/slurmd-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/linear
SwitchType=switch/none
MpiDefault=none
SlurmdTimeout=10
KillWait=1
ReturnToService=2
PartitionName=all Nodes=n[1-4] Default=YES State=UP
end
for n in 1 2 3 4; do
    echo "NodeName=n$n NodeHostname=localhost NodeAddr=127.0.0.1 Port=1700$n CPUs=1"
done >>slurm.conf
export SLURM_CONF="$PWD/slurm.conf"

slurmctld -D >log/slurmctld.out 2>&1 &
for n in 1 2 3 4; do
    slurmd -D -N n$n >log/slurmd-n$n.out 2>&1 &
    echo $! >n$n.pid
done

until_true() { # SECONDS COMMAND...: whether it became true in that time
    deadline=$(($(date +%s) + $1))
    shift
    until "$@"; do
        [ "$(date +%s)" -lt "$deadline" ] || return 1
        sleep 0.1
    done
}

# shellcheck disable=SC2317 # until_true calls it
all_idle() {
    [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 4 ]
}

until_true 40 all_idle || {
    tail -n 5 log/*
    sinfo
    cannot "Slurm does not start here"
}

# --- Runs -----------------------------------------------------------------------------------------

# Reports of several lines, which -l keeps apart.
timeout 60 srun -l -N 4 -n 4 "$program" run --kernel reverse-static --on emulator --device 9.0 \
    --no-nvrtc --format json >labelled 2>err
"$program" merge labelled --format json >out 2>>err
jq '[.verdict, .count.machines, .count.given_twice]' out >counts.json
holds "runs on four nodes of one host are four machines" '. == ["agree", 4, 0]' counts.json
jq '[.questions[0].machines[] | [.host, .node, .rank]] | sort' out >named.json
holds "each with its node and rank" 'map(.[:2]) == [["localhost", "n1"], ["localhost", "n2"],
    ["localhost", "n3"], ["localhost", "n4"]] and (map(.[2]) | sort == [0, 1, 2, 3])' named.json

# --- Checks ---------------------------------------------------------------------------------------

# The rates of the fake GPU are no H200's: with an entry that has none, they are not judged.
echo '{"schema": "smemcalc-ceilings/1", "ceilings": [{"device": "NVIDIA H200"}]}' >ceilings.json

# A node that hangs stops itself; one that dies takes its daemon with it, in the middle of its
# report, as soon as the beginning has arrived.
cat >node.sh <<end
#!/bin/sh
export FAKE_GPU=computes
check="$fake check --no-nvrtc --timeout 60000 --format json"
case \$SLURMD_NODENAME in
n2) FAKE_FAULT="lane 17 2 3" exec \$check ;;
n3) kill -STOP \$\$ ;;
n4)
    \$check | head -c 150
    until grep -q '"node":"n4"' "$PWD/lines"; do sleep 0.1; done
    kill -KILL \$(cat "$PWD/n4.pid") \$PPID \$\$
    ;;
*) exec \$check ;;
esac
end
chmod +x node.sh

timeout 90 srun -l -N 4 -n 4 --wait=10 ./node.sh 2>srun.err | tee lines |
    "$program" merge - --expect 'n[1-4]' >out 2>err
status=$?
empty "the verdict comes first" "$(
    [ "$status" -eq 1 ] || echo "exit status $status"
    head -n 1 out | grep -qx '1 of 2 GPUs healthy; 3 nodes to drain (1 without a report)' ||
        cat out srun.err lines)"
empty "the node with a fault, and the lane" \
    "$(grep -q '^drain  *n2: GPU 0 differs: SM 17, sub-partition 2, lane 3: ' out || cat out)"
empty "the node that died while it reported" "$(
    grep -qx ' *n4: its report is cut off' out || cat out
    grep -qx 'smemcalc: standard input:[0-9]*: the report of n4 is cut off' err || cat err)"
empty "the node that hangs" "$(grep -qx 'no report   n3' out || cat out)"
"$program" merge lines --expect 'n[1-4]' --exclude >excluded 2>err
empty "as sbatch takes it" "$(echo n2,n4,n3 | diff - excluded)"

# Slurm takes the commands, and the list.
"$program" merge lines --expect 'n[1-4]' --drain >drain.sh 2>err
sh -e drain.sh >out 2>&1
empty "scontrol takes the reasons" "$(
    cat out
    sinfo -h -N -o '%N %E' | sort >reasons
    grep -q '^n2 smemcalc: GPU 0 differs: SM 17, sub-partition 2, lane 3: ' reasons || cat reasons
    grep -qx 'n3 smemcalc: no report' reasons || cat reasons)"
empty "srun takes the list" "$(
    timeout 30 srun --immediate=20 -x "$(cat excluded)" -N 1 printenv SLURMD_NODENAME 2>&1 |
        grep -vx n1)"

finish_cases
