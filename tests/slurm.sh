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
    for tool in slurmctld slurmd srun sinfo; do
        command -v "$tool" >/dev/null || cannot "there is no $tool (Debian: slurm-wlm)"
    done
    command -v jq >/dev/null || cannot "there is no jq"
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

all_idle() {
    [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 4 ]
}

until_true 40 all_idle || {
    tail -n 5 log/*
    sinfo
    cannot "Slurm does not start here"
}

# --- Runs -----------------------------------------------------------------------------------------

timeout 60 srun -N 4 -n 4 "$program" run --kernel reverse-static --on emulator --device 9.0 --no-nvrtc \
    --format json >runs.json 2>err
"$program" merge runs.json >out 2>>err
empty "runs of four nodes of one host are four machines" "$(
    head -n 1 out | grep -q '^agree: 4 emulators, ' || cat out err
    grep -c '^given twice' out | grep -vx 0)"
jq -s '[.[].run | [.host, .node, .rank]] | sort' runs.json >named.json
holds "each names its node and rank" 'map(.[:2]) == [["localhost", "n1"], ["localhost", "n2"],
    ["localhost", "n3"], ["localhost", "n4"]] and (map(.[2]) | sort == [0, 1, 2, 3])' named.json
timeout 60 srun -l -N 4 -n 4 "$program" run --kernel reverse-static --on emulator --device 9.0 \
    --no-nvrtc --format json 2>err | tee labelled | "$program" merge - >out 2>>err; head -c 3000 labelled
empty "srun -l, which puts the rank before each line" "$(
    head -n 1 out | grep -q '^agree: 4 emulators, ' || cat out err)"

# --- Checks ---------------------------------------------------------------------------------------

# shellcheck disable=SC2034
check_line() { # VERDICT FAULTS
    printf '{"schema":"smemcalc/1","command":"check","host":"%s","node":"%s","rank":%s,' \
        "$(hostname)" "$SLURMD_NODENAME" "$SLURM_PROCID"
    printf '"time":"2026-11-26T19:00:00Z","verdict":"%s","elapsed_s":1,"gpus":[{"gpu_index":0,' "$1"
    printf '"gpu_uuid":"GPU-001e2d3c","name":"NVIDIA H200","mode":"whole","verdict":"%s",' "$1"
    printf '"error":null,"tests":[],"figures":{"copy_bytes_per_s":4.1e12},"faults":[%s]}]}\n' "$2"
}

# A node that hangs stops itself; one that dies takes its daemons with it, in the middle of a line.
cat >node.sh <<end
#!/bin/sh
$(sed -n '/^check_line()/,/^}/p' "$here/slurm.sh")
case \$SLURMD_NODENAME in
n2) check_line differs '{"kind":"lane","sm":17,"lane":3,"detail":"SM 17 lane 3 computes 5, not 4"}' ;;
n3) kill -STOP \$\$ ;;
n4)
    check_line healthy | head -c 150
    until grep -q '"node":"n4"' "$PWD/lines"; do sleep 0.1; done
    kill -KILL \$(cat "$PWD/n4.pid") \$PPID \$\$
    ;;
*) check_line healthy ;;
esac
end
chmod +x node.sh

timeout 60 srun -N 4 -n 4 --wait=5 ./node.sh 2>srun.err | tee lines |
    "$program" merge - --expect 'n[1-4]' >out 2>err
cat out err lines srun.err
finish_cases
