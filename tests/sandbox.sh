#!/bin/sh
# What the sandbox forbids and what it leaves; that the commands which read what others wrote are in
# it, and those of a user's own making as far as they may be; and that it can be left out. The suites
# of the commands run in it, too. Run in the build folder.

set -u
calls=$PWD/tests/sandbox_calls
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

unset SMEMCALC_SANDBOX SMEMCALC_MEMORY_LIMIT
state=$(smemcalc doctor --format csv 2>/dev/null | sed -n 's/^sandbox,//p')
case $state in
ok,*) ;;
*) skip "the sandbox" "${state:-no row of doctor}"; finish_cases ;;
esac

for kind in reading compilers; do
    "$calls" $kind >out 2>&1
    status=$?
    empty "every call in the sandbox for $kind" \
        "$({ [ $status -eq 0 ] && grep -q '^[1-9][0-9]* passed, 0 failed' out; } || cat out)"
done

# shellcheck disable=SC2317 # await calls it
has_filter() { # PID
    grep -qx 'Seccomp:	2' "/proc/$1/status" && grep -qx 'NoNewPrivs:	1' "/proc/$1/status" &&
        grep -q '^Max address space *[0-9]' "/proc/$1/limits"
}

# The command waits for the input of the pipe, which stays open meanwhile.
mkfifo pipe
waits_inside() { # ARGUMENT...: one of them is `pipe`
    "$program" "$@" >out 2>err &
    pid=$!
    exec 7<>pipe # also where the command has not opened it
    empty "$1 reads its input in the sandbox" "$(await $pid has_filter $pid || { echo "it has no filter"; cat err; })"
    exec 7>&-
    # A command that opens the pipe only now would wait for a writer.
    while :; do
        exec 7<>pipe
        exec 7>&-
        sleep 0.1
    done &
    opener=$!
    wait $pid
    kill $opener 2>/dev/null
    wait $opener 2>/dev/null
}
waits_inside batch --device 9.0 pipe
waits_inside merge pipe
waits_inside banks --csv pipe
waits_inside trace --read pipe
waits_inside inspect pipe
waits_inside diff pipe "$here/data/inspect/own-sm90.cubin"
waits_inside best pipe --device 9.0

"$program" run --on emulator --no-nvrtc --tile 32 --size 4096 --device 9.0 --timeout 60000 >out 2>err &
pid=$!
empty "the emulator runs in the sandbox" "$(await $pid has_filter $pid || { echo "no filter"; cat err; })"
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null

empty "the sandbox refuses to make a socket" "$("$calls" enter socket || echo "it is not")"
empty "SMEMCALC_SANDBOX=off leaves the sandbox out" \
    "$(SMEMCALC_SANDBOX=off "$calls" enter socket && echo "it is refused")"

SMEMCALC_MEMORY_LIMIT=1M smemcalc merge "$here/data/merge/node1.json" >out 2>err
status=$?
empty "an SMEMCALC_MEMORY_LIMIT that is too low is told" \
    "$({ [ $status -eq 4 ] && [ "$(wc -l <err)" -eq 1 ]; } || { echo "$status"; cat out err; })"
SMEMCALC_MEMORY_LIMIT=0 "$program" merge "$here/data/merge/node1.json" >out 2>err
empty "SMEMCALC_MEMORY_LIMIT=0 is no limit" "$([ $? -le 1 ] || cat err)"

finish_cases
