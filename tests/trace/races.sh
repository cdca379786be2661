#!/bin/sh
# Data races in the injected library, as ThreadSanitizer finds them: library, fakes and program are
# built with it here, and threads launch, make graphs, fork and end in both ways of recording.

set -u
export LC_ALL=C
source=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd) || exit 99
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
if build $library -shared "$source"/src/trace/inject/*.c -Wl,-z,nodelete &&
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
export TSAN_OPTIONS="log_path=$scratch/race exitcode=0 die_after_fork=0"

record() { # PROGRAM STEP...: false if nothing is recorded
    rm -f "$scratch"/race* "$scratch"/records/*
    head -c 8 /dev/zero >"$scratch/records/launches" # of all processes, for a range of launches
    $fixed "$@" >"$scratch/out" 2>&1
    ended=$?
    find "$scratch/records" -name "[0-9]*" | grep -q .
}

judge() { # NAME STATUS-OF-RECORD
    [ "$2" -eq 0 ] || fail "$1: it is recorded"
    [ $ended -eq 0 ] || fail "$1: it ends with $ended" "$(cat "$scratch/out")"
    empty "$1" "$(cat "$scratch"/race* 2>/dev/null)"
}

clean() { # NAME PROGRAM STEP...
    clean_name=$1
    shift
    record "$@"
    judge "$clean_name" $?
}

soon() { # SECONDS: the time of CLOCK_MONOTONIC then
    awk -v seconds="$1" '{ printf "%.0f", ($1 + seconds) * 1e9 }' /proc/uptime
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
    for seconds in 0.2 2 20; do # on a slow machine the program starts after a short time
        until=$(soon $seconds)
        SMEMCALC_TRACE_UNTIL=$until record "$program" threads 16 2000 sleep 300 threads 4 200
        recorded=$?
        [ $recorded -ne 0 ] || break
    done
    judge "$mode: the end of the time" $recorded
done

finish_cases
