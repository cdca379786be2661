#!/bin/sh
# Little memory: failures are reported in one line with status 4, a report is whole or absent,
# and nothing of it is remembered. Run in the build folder. (tests/allocation fails each allocation.)
# `ulimit -v` is in every shell here:
# shellcheck disable=SC3045

set -u
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

limited() { # KIB ARGUMENT...: the exit status is in `seen`, outputs in `out` and `err`
    kib=$1
    shift
    (ulimit -v "$kib" && smemcalc "$@") >out 2>err
    seen=$?
}

whole_or_absent() { # NAME FILE-WITH-THE-USUAL-OUTPUT
    empty "$1" "$(
        case $seen in
        0) cmp "$2" out ;;
        4) [ ! -s out ] || echo "something on standard output"
           [ "$(wc -l <err)" -eq 1 ] || { echo "on standard error:"; cat err; } ;;
        *) echo "exit status $seen"; cat err ;;
        esac)"
}

registers() { # of a query: their source
    smemcalc --tile 16 --device 9.0 --format json 2>err | sed -n 's/.*"registers_source": "\(.*\)".*/\1/p'
}

limited 80000 --version
if [ $seen -ne 0 ]; then
    skip "little memory" "this build does not run in 80 MB of address space"
    finish_cases
fi

# --- NVRTC, for which there is too little ---------------------------------------------------------

case $(SMEMCALC_CACHE_DIR=$scratch/first registers) in
nvrtc*)
    limited 100000 --tile 16 --device 9.0
    empty "too little for NVRTC is told" "$(
        { [ $seen -eq 4 ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] &&
            grep -q '^smemcalc: not enough memory to load NVRTC: ' err; } || { echo "$seen"; cat out err; })"
    limited 100000 --tile 16 --device 9.0 --no-nvrtc
    empty "--no-nvrtc works with too little memory for NVRTC" "$([ $seen -eq 0 ] || cat err)"
    empty "too little memory for NVRTC is not remembered by a query" "$(registers | grep -v '^nvrtc')"
    limited 100000 run --tile 8 --size 32 --on emulator --device 9.0
    empty "too little memory for NVRTC is not remembered by a launch" "$(smemcalc run --tile 8 --size 32 --on emulator --device 9.0 2>&1 >/dev/null)"
    ;;
*) skip "too little memory for NVRTC" "no NVRTC was found" ;;
esac

# --- One that does not work now, and does later ---------------------------------------------------

cat >fake.c <<'END'
#include <stdlib.h>
int nvrtcVersion(int *major, int *minor)
{
    *major = 99;
    *minor = 1;
    return getenv("FAKE_FAILS") != NULL;
}
int nvrtcGetNumSupportedArchs(int *count) { return *count = 1, 0; }
int nvrtcGetSupportedArchs(int *archs) { return *archs = 90, 0; }
int nvrtcCreateProgram(void) { return 1; }
int nvrtcDestroyProgram(void) { return 1; }
int nvrtcCompileProgram(void) { return 1; }
int nvrtcGetProgramLogSize(void) { return 1; }
int nvrtcGetProgramLog(void) { return 1; }
int nvrtcGetCUBINSize(void) { return 1; }
int nvrtcGetCUBIN(void) { return 1; }
int nvrtcGetPTXSize(void) { return 1; }
int nvrtcGetPTX(void) { return 1; }
END
# CC may be several words.
# shellcheck disable=SC2086
if ${CC:-cc} -shared -fPIC -o fake.so fake.c 2>/dev/null; then
    export SMEMCALC_NVRTC="$scratch/fake.so"
    uses_fake() { # NAME
        registers >/dev/null
        empty "$1" "$(grep -q "NVRTC 99.1 ($SMEMCALC_NVRTC)" err || cat err)"
    }
    FAKE_FAILS=1 registers >/dev/null
    empty "an NVRTC that fails is told" "$(grep -q 'this NVRTC does not describe itself' err || cat err)"
    uses_fake "an NVRTC that failed is tried again"
    # The same path, length and time, but another file.
    cp -p fake.so other.so
    printf 'none' | dd of=other.so conv=notrunc 2>/dev/null
    touch -r fake.so other.so
    mv fake.so real.so && mv other.so fake.so
    registers >/dev/null
    empty "an NVRTC that is no library is told" "$(grep -q 'SMEMCALC_NVRTC: .*fake.so' err || cat err)"
    mv real.so fake.so
    uses_fake "an NVRTC that replaces one of the same length and time is tried"
    unset SMEMCALC_NVRTC
else
    skip "an NVRTC that fails" "no C compiler"
fi

# --- Reports --------------------------------------------------------------------------------------

report=$(tr -d '\n' <"$here/data/merge/node1.json")
awk -v report="$report" 'BEGIN {
    for (i = 0; i < 10000; i++) {
        line = report
        gsub(/"host": *"[^"]*"/, "\"host\": \"n" i "\"", line)
        print line
    }
}' >many.json
smemcalc merge many.json --format json >usual 2>/dev/null
for kib in 40000 60000 80000 120000; do
    limited $kib merge many.json --format json
    whole_or_absent "merge of 10000 reports in $kib KiB" usual
done

# --- Libraries with many kernels --------------------------------------------------------------

awk 'BEGIN {
    for (i = 0; i < 5000; i++) {
        print "ptxas info    : Compiling entry function \047kernel" i "\047 for \047sm_90\047"
        print "ptxas info    : Used " 16 + i % 200 " registers, " i " bytes smem, used 1 barriers"
    }
}' >many.ptxas
for format in text json csv; do
    smemcalc inspect many.ptxas --format $format >usual 2>/dev/null
    limited 90000 inspect many.ptxas --format $format
    empty "inspect of 5000 kernels in 90 MB as $format" \
        "$([ $seen -eq 0 ] || cat err)$(cmp usual out 2>&1)"
done
smemcalc inspect many.ptxas --format json >usual 2>/dev/null
empty "JSON of 5000 kernels, written in parts, is whole" \
    "$(jq '.kernels | length' usual 2>&1 | grep -vx 5000)"

finish_cases
