#!/bin/sh
# Data races in the injected library, as ThreadSanitizer finds them: library, fakes and program are
# built with it here, and threads launch, make graphs, fork and end in both ways of recording.

set -u
export LC_ALL=C
source=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/cases.sh
. "$source/tests/cases.sh"

here=$(pwd)
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/records"

build() { # OUTPUT ARGUMENT...
    built=$1
    shift
    # The words of CC are several.
    # shellcheck disable=SC2086
    ${CC:-cc} -O1 -g -std=c11 -D_GNU_SOURCE -fsanitize=thread -fPIC -fvisibility=hidden \
        -I"$here" -I"$source/src" -I"$source" -o "$scratch/$built" "$@" -ldl -lpthread >>"$scratch/log" 2>&1
}

# Where the kernel spreads addresses widely, ThreadSanitizer up to GCC 13 ends some runs at once.
fixed=$(setarch -R true 2>/dev/null && echo setarch -R)

printf 'int main(void) { return 0; }\n' >"$scratch/empty.c"
if ! build empty "$scratch/empty.c" || ! $fixed "$scratch/empty" || ! [ -e "$here/.libs/libsmemcalc_trace.so" ]; then
    skip "data races" "no ThreadSanitizer, or no shared libraries are built"
    finish_cases
fi

library=libsmemcalc_trace.so
if build $library -shared "$source"/src/guests/inject/*.c -Wl,-z,nodelete &&
    build libcuda.so.1 -shared "$source/tests/trace/fake_driver.c" -Wl,-soname,libcuda.so.1 &&
    build libcupti.so.13 -shared "$source/tests/trace/fake_cupti.c" &&
    build app "$source/tests/trace/app.c" &&
    build app_hooks -DAPP_LINKED "$source/tests/trace/app.c" -Wl,--no-as-needed \
        "$scratch/$library" "$scratch/libcuda.so.1"; then
    pass "everything is built with ThreadSanitizer"
else
    fail "everything is built with ThreadSanitizer" "$(cat "$scratch/log")"
    finish_cases
fi

export LD_LIBRARY_PATH="$scratch" SMEMCALC_CUPTI="$scratch/libcupti.so.13"
export SMEMCALC_TRACE_FOLDER="$scratch/records" CUDA_INJECTION64_PATH="$scratch/$library"
# Before it ends, a program waits for races of its last moments: not for the usual second.
export TSAN_OPTIONS="log_path=$scratch/race exitcode=0 die_after_fork=0 atexit_sleep_ms=50"

record() { # PROGRAM STEP...; the exit status is in $ended
    rm -f "$scratch"/race* "$scratch"/records/*
    head -c 8 /dev/zero >"$scratch/records/launches" # of all processes, for a range of launches
    $fixed "$@" >"$scratch/out" 2>&1
    ended=$?
}

is_recorded() {
    find "$scratch/records" -name "[0-9]*" | grep -q .
}

judge() { # NAME, of what was recorded
    is_recorded || fail "$1: it is recorded"
    [ $ended -eq 0 ] || fail "$1: it ends with $ended" "$(cat "$scratch/out")"
    empty "$1: no race" "$(cat "$scratch"/race* 2>/dev/null)"
}

clean() { # NAME PROGRAM STEP...
    clean_name=$1
    shift
    record "$@"
    judge "$clean_name"
}

# The time that is recorded is doubled until the program begins within it, whatever else runs.
clean_until() { # NAME PROGRAM
    left_ms=200
    until
        SMEMCALC_TRACE_UNTIL=$(awk -v ms=$left_ms '{ printf "%.0f", ($1 + ms / 1e3) * 1e9 }' /proc/uptime)
        export SMEMCALC_TRACE_UNTIL
        record "$2" threads 16 2000 sleep $((left_ms + 100)) threads 4 200
        is_recorded || [ $left_ms -gt 10000 ]
    do
        left_ms=$((2 * left_ms))
    done
    unset SMEMCALC_TRACE_UNTIL
    judge "$1"
}

for mode in cupti hooks; do
    export SMEMCALC_TRACE_MODE=$mode
    program=$scratch/app
    [ $mode = cupti ] || program=$scratch/app_hooks
    clean "$mode: threads and graphs" "$program" threads 16 2000 configs 500 capture g 20 child 5 \
        disable d 3 update u 3
    APP_FINDS=proc clean "$mode: addresses by cuGetProcAddress" "$program" threads 8 500
    clean "$mode: fork" "$program" threads 4 50 fork launch k 1 32 0 50
    SMEMCALC_TRACE_RANGE=5:1000 clean "$mode: a range of launches" "$program" threads 8 500
    FAKE_REUSES_AT_ONCE=1 clean "$mode: a handle that is used again" "$program" recycle r 2
    clean_until "$mode: the end of the time" "$program"
done

finish_cases
