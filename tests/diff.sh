#!/bin/sh
# Two builds compared as a user or a script does it. On stored output of compilers; and on builds of
# tests/data/diff/seeds.cu: regressions that were put in on purpose are found and named, and builds
# of the same source raise no alarm. Run in the build folder.
#   TEST_LIVE=1 REBUILDS=100 tests/diff.sh rebuilds   only builds of the same source, that many of each
#                                                     kind (2 by default)
#   OTHER_PTXAS=/path/ptxas ...        the ptxas of another toolkit, for the case of one

set -u
export LC_ALL=C NO_COLOR=1 SMEMCALC_PROGRAM=smemcalc
unset SMEMCALC_NVRTC SMEMCALC_CACHE_DIR

here=$(cd "$(dirname "$0")" && pwd) || exit 99
program=$PWD/smemcalc
# shellcheck source=tests/cases.sh
. "$here/cases.sh"

[ -x "$program" ] || { echo "diff.sh: no ./smemcalc here" >&2; exit 77; }
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
export SMEMCALC_CACHE_DIR="$scratch/cache"
cp -r "$here/data/inspect" "$scratch/data" && cp "$here/data/diff/seeds.cu" "$scratch/data" &&
    chmod -R u+w "$scratch/data" && cd "$scratch/data" || exit 99
# shellcheck source=tests/toolkit.sh
. "$here/toolkit.sh"

smemcalc() {
    "$program" "$@"
}

# The exit status, and for each further argument a line of the report (its text on one line, without
# doubled blanks) that contains it.
compares() { # NAME STATUS OLD NEW PATTERN... [-- OPTION...]
    name=$1 wanted=$2 old=$3 new=$4
    shift 4
    : >patterns
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        printf '%s\n' "$1" >>patterns
        shift
    done
    [ $# -eq 0 ] || shift
    smemcalc diff "$old" "$new" "$@" >out 2>err
    status=$?
    tr '\n' ' ' <out | tr -s ' ' >flat
    empty "$name" "$(
        [ "$status" -eq "$wanted" ] || echo "exit status $status, not $wanted"
        while read -r pattern; do
            grep -qF -e "$pattern" flat || echo "missing: $pattern"
        done <patterns
        [ ! -s err ] || cat err
        [ "$status" -eq "$wanted" ] || cat out)"
}

# Exactly one line on standard error, and nothing else.
refuses() { # STATUS MESSAGE ARGUMENT...
    wanted=$1 message=$2
    shift 2
    smemcalc diff "$@" >out 2>err </dev/null
    status=$?
    printf 'smemcalc: %s\n' "$message" >expected
    empty "refuses: $*" "$(
        [ "$status" -eq "$wanted" ] || echo "exit status $status, not $wanted"
        [ ! -s out ] || echo "something on standard output"
        diff expected err)"
}

# The kernels that are worse, in JSON.
worse() { # OLD NEW OPTION...
    smemcalc diff "$@" --format json 2>/dev/null |
        jq -r '.diff.changes[] | select(.worse != []) | .name' | sort -u
}

# --- Recorded output ------------------------------------------------------------------------------

compares "the same log" 0 own-sm90.ptxas own-sm90.ptxas "none of 3 kernels is worse" \
    "3 kernels are unchanged"
sed 's/Used 10 registers/Used 33 registers/' own-sm90.ptxas >more.ptxas
compares "a cliff, from logs" 1 own-sm90.ptxas more.ptxas "1 of 3 kernels is worse; 1 lost" \
    "bounded CC 9.0 10 -> 33 registers: 8 -> 6 blocks per SM (100 % -> 75 %) at 256 threads, limited by registers" \
    -- --threads 256
compares "without a block size every one is compared" 1 own-sm90.ptxas more.ptxas \
    "10 -> 33 registers: fewer blocks per SM at" "(256: 8 -> 6)"
compares "an improvement" 0 more.ptxas own-sm90.ptxas "none of 3 kernels is worse, 1 better" \
    "33 -> 10 registers: 6 -> 8 blocks"  -- --threads 256
compares "never fails" 0 own-sm90.ptxas more.ptxas "1 of 3 kernels is worse" -- --fail-on never
sed 's/Used 10 registers/Used 16 registers/' own-sm90.ptxas >some.ptxas
compares "more registers fail" 1 own-sm90.ptxas some.ptxas "10 -> 16 registers: still 8 blocks"\
    -- --threads 256
compares "only lost occupancy fails" 0 own-sm90.ptxas some.ptxas "10 -> 16 registers" \
    -- --threads 256 --fail-on occupancy
compares "a lost block fails then, too" 1 own-sm90.ptxas more.ptxas "6 blocks" \
    -- --threads 256 --fail-on occupancy
compares "only some kernels" 0 own-sm90.ptxas more.ptxas "none of 1 kernel is worse" \
    -- --kernel spilling
compares "on another device" 1 own-sm90.ptxas more.ptxas "H100" -- --device "H100 PCIe" --threads 256
compares "on one with a long name" 1 own-sm90.ptxas more.ptxas "A100-SXM4-80GB 10 -> 33" \
    -- --device A100-SXM4-80GB --threads 256
compares "machine code and a log agree, but only the log has spills" 0 own-sm90.cubin \
    own-sm90.ptxas "none of 3 kernels is worse" "spills are not compared"

smemcalc inspect own-sm90.cubin own-sm75.cubin --save baseline.json >/dev/null 2>err
empty "inspect --save writes figures" "$(cat err; [ -s baseline.json ] || echo nothing)"
compares "a saved build, of two architectures" 0 baseline.json own-sm90.cubin \
    "none of 3 kernels is worse" "compute capability 7.5: only in the old build"
compares "the saved build is whole" 0 baseline.json baseline.json "none of 3 kernels is worse"
smemcalc inspect own-sm90.cubin --format json >report.json 2>/dev/null
compares "a report in JSON" 0 report.json own-sm90.cubin "none of 3 kernels is worse"
compares "a report in JSON, as the new build" 0 own-sm90.cubin report.json \
    "none of 3 kernels is worse"
smemcalc inspect own-sm90.ptxas --threads 'bounded=256' --save threads.json >/dev/null 2>&1
compares "the block size is saved, too" 1 threads.json more.ptxas \
    "8 -> 6 blocks per SM (100 % -> 75 %) at 256 threads"

refuses 2 "diff: two files are compared, the old build and the new one, but none is given"
refuses 2 "diff: two files are compared, the old build and the new one, but only one is given" a
refuses 2 "diff: only one of the builds may be standard input" - -
refuses 2 "missing.cubin: No such file or directory" missing.cubin own-sm90.cubin
refuses 2 "option --format: 'xml' is not one of text, json, jsonl, csv, markdown, junit, sarif" \
    own-sm90.cubin own-sm90.cubin --format xml
refuses 2 "the old build is for compute capability 7.5, the new one for compute capability 9.0: no architecture is in both; --device compares them on one device, as far as the code can be estimated" \
    own-sm75.cubin own-sm90.cubin
head -c 300 baseline.json >cut.json
smemcalc diff cut.json own-sm90.cubin >out 2>err
empty "a damaged file of figures is one line" "$([ $? -eq 2 ] || echo status; [ ! -s out ] || cat out
    grep -q '^smemcalc: cut.json:[0-9]*: damaged JSON: ' err || cat err
    [ "$(wc -l <err)" -eq 1 ] || cat err)"
smemcalc inspect missing.cubin own-sm90.cubin --save not.json >out 2>err
empty "no figures are saved if a file cannot be read" "$([ ! -e not.json ] || echo it was
    grep -q 'option --save: not written' err || cat err)"

if command -v jq >/dev/null; then
    smemcalc diff own-sm90.ptxas more.ptxas --threads 256 --format json >out
    empty "JSON of diff counts kernels and changes" "$(jq -e '.diff.kernels.cliff == 1 and .diff.kernels.same == 2 and
        (.diff.changes | length) == 1 and .diff.changes[0].worse[0] == "blocks" and
        .diff.changes[0].before.blocks_per_sm == 8 and
        .diff.changes[0].after.registers_per_thread == 33' out >/dev/null || cat out)"
    # Nothing states the dynamic shared memory: nothing that depends on it is judged.
    for build in own-sm90 more; do
        smemcalc inspect $build.ptxas --save figures.json >/dev/null 2>&1
        jq -c '.kernels[].uses_dynamic_smem = true' figures.json >$build.dynamic.json
    done
    compares "unknown dynamic shared memory" 0 own-sm90.dynamic.json more.dynamic.json \
        "10 -> 33 registers: blocks per SM not compared: shared memory 2000+? -> 2000+? bytes, as launched" \
        "+?: dynamic shared memory is given by the launch, so blocks and occupancy are not compared (1 of 3); state it with --dynamic-smem BYTES or NAME=BYTES" \
        -- --threads 256 --fail-on occupancy
    compares "stated dynamic shared memory" 1 own-sm90.dynamic.json more.dynamic.json \
        "10 -> 33 registers: 8 -> 6 blocks per SM" -- --threads 256 --dynamic-smem 1024
    compares "in markdown" 1 own-sm90.dynamic.json more.dynamic.json \
        "shared memory 2000+? -> 2000+? bytes" "- +?: dynamic shared memory" \
        -- --threads 256 --format markdown
    smemcalc diff own-sm90.dynamic.json more.dynamic.json --threads 256 --format json >out
    empty "JSON of diff marks unknown dynamic shared memory" "$(jq -e '.diff |
        .notes[0].kind == "dynamic_smem_unknown" and (.changes[0] |
        .worse == ["registers"] and .before.dynamic_smem_bytes == null and
        .after.dynamic_smem_bytes == null and .after.blocks_per_sm == null and
        .after.occupancy_percent == null and .after.static_smem_bytes == 2000)' out >/dev/null ||
        cat out)"
    smemcalc diff own-sm90.ptxas more.ptxas --threads 256 --format sarif >out
    empty "SARIF of diff has a result" "$(jq -e '.version == "2.1.0" and (.runs[0].results | length) == 1 and
        .runs[0].results[0].ruleId == "blocks" and .runs[0].results[0].level == "error"' out \
        >/dev/null || cat out)"
fi
smemcalc diff own-sm90.ptxas more.ptxas --threads 256 --format junit >out
empty "JUnit of diff has a case for each kernel" "$(grep -q 'tests="3" failures="1"' out || cat out)"
smemcalc diff own-sm90.ptxas more.ptxas --threads 256 --format markdown >out
# shellcheck disable=SC2016 # backticks of markdown
empty "markdown of diff has a row for each change" "$(grep -qF '| `bounded` | CC 9.0 | 10 -> 33 registers: 8 -> 6 blocks per SM' out ||
    cat out)"

# --- Builds ---------------------------------------------------------------------------------------

if [ -z "$nvcc" ] || ! command -v jq >/dev/null; then
    skip "seeded regressions and identical builds" "no nvcc or no jq"
    finish_cases
fi

build() { # OUTPUT OPTION...: OUTPUT.cubin and OUTPUT.log
    output=$1
    shift
    "$nvcc" -arch=sm_90 "$@" -Xptxas -v -cubin seeds.cu -o "$output.cubin" 2>"$output.log" ||
        grep -q 'uses too much shared data' "$output.log" || { cat "$output.log" && return 1; }
}

# A build that is worse in exactly these kernels, and whose report has these words.
seeded() { # NAME KERNELS OLD WORDS NEW-OPTION... : OLD is a build that exists
    name=$1 kernels=$2 old=$3 words=$4
    shift 4
    build new "$@" || { fail "$name" "it does not compile" && return; }
    smemcalc diff "$old" "new.${old##*.}" >out 2>err
    status=$?
    tr '\n' ' ' <out | tr -s ' ' >flat
    found=$(worse "$old" "new.${old##*.}" | sed 's/^void //; s/(anonymous namespace):://; s/.*:://
        s/[<(].*//' | sort | tr '\n' ' ')
    expected=1
    [ -n "$kernels" ] || expected=0
    empty "seeded: $name" "$(
        [ "$status" -eq "$expected" ] || echo "exit status $status"
        [ "$kernels" = all ] || [ "$found" = "$kernels${kernels:+ }" ] || echo "worse: $found"
        printf '%s\n' "$words" | while read -r word; do
            grep -qF -e "$word" flat || echo "missing: $word"
        done
        cat err
        [ "$status" -eq "$expected" ] || cat out)"
}

if [ "${1-}" != rebuilds ]; then
build base || { fail "seeds.cu compiles" "$(cat base.log)" && finish_cases; }
build fast -use_fast_math && build limited -maxrregcount=64

# The largest number of values that still fits into 64 registers: one more is over the cliff.
registers_of() { # CUBIN KERNEL
    smemcalc inspect "$1" --kernel "$2" --format json | jq '.kernels[0].kernel.registers_per_thread'
}
live=12
while live=$((live + 1)) && build step -DLIVE=$live && [ "$(registers_of step.cubin live)" -le 64 ]; do
    cp step.cubin below.cubin
done
low=$(registers_of below.cubin live)
high=$(registers_of step.cubin live)
seeded "more registers over a cliff" "live" below.cubin \
    "$low -> $high registers
4 -> 3 blocks per SM (50 % -> 37.5 %) at 256 threads, limited by registers" \
    -DLIVE=$live
seeded "a spill" "pressed" base.log "spill stores 0 ->" -DSPILL
seeded "a spill, from machine code" "pressed" base.cubin "stack 0 ->" -DSPILL
seeded "a lost launch bound" "bounded" base.cubin "launch bounds of 128 threads lost" -DBOUND=
seeded "more static shared memory" "tile" base.cubin "static shared memory 4096 -> 8192 bytes" \
    -DTILE=2048
seeded "too much static shared memory" "tile" base.log "it no longer launches" -DTILE=16384
seeded "-G" all base.cubin "other options of ptxas: none -> -g, which is nvcc -G" -G
seeded "-O1" "heavy" base.cubin "other options of ptxas: none -> -O1" -Xptxas -O1
seeded "-O0" all base.cubin "other options of ptxas: none -> -O0" -Xptxas -O0
seeded "fast-math off" "curved" fast.cubin "curved" -DNOTHING
seeded "-maxrregcount lost" "heavy pressed" limited.cubin \
    "other options of ptxas: -maxrregcount=64 -> none
64 -> 126 registers" -DNOTHING
seeded "more barriers" "meet" base.cubin "1 -> 4 barriers" -DBARRIERS=4
seeded "a larger stack" "stacked" base.cubin "stack 0 -> 64 bytes" -DDEPTH=16
seeded "another template argument" "wide" base.cubin "wide<float, 8> was wide<float, 4>" -DWIDTH=8
seeded "float to double" "wide" base.cubin "wide<double, 4> was wide<float, 4>" -DREAL=double
seeded "an unrolled loop" "rolled" base.cubin "rolled CC 9.0 12 ->" -DUNROLL=8
seeded "another namespace and more registers" "scale" base.cubin "second::scale was first::scale" \
    -DSPACE=second -DMORE
seeded "static kernels and anonymous namespaces" "hidden kept" base.cubin "hidden" -DHIDDEN=9
seeded "a function that is no longer inlined" "" base.cubin "helper CC 9.0" -DINLINE=__noinline__
seeded "a renamed kernel" "" base.cubin "1 renamed
scale_by was scale" -DSCALE=scale_by
seeded "a removed kernel" "" base.cubin "1 removed
Removed leaving" -DWITHOUT
seeded "another architecture's letter" "" base.cubin "another architecture: sm_90 -> sm_90a" \
    -arch=sm_90a
# The blocks that launch bounds promise are in PTX and in source, not in machine code.
"$nvcc" -arch=sm_90 -ptx seeds.cu -o base.ptx && "$nvcc" -arch=sm_90 -DPROMISE= -ptx seeds.cu -o new.ptx
compares "seeded: lost launch bounds in PTX" 1 base.ptx new.ptx "launch bounds of 256 threads lost"
sed 's/\.minnctapersm 2/.minnctapersm 1/' base.ptx >new.ptx
compares "seeded: fewer promised blocks in PTX" 1 base.ptx new.ptx \
    "launch bounds' blocks per SM 2 -> 1"

if [ -n "${OTHER_PTXAS-}" ] && "$OTHER_PTXAS" -arch=sm_90 base.ptx -o other.cubin; then
    smemcalc diff base.cubin other.cubin >out
    empty "seeded: another toolkit" "$(grep -q 'another toolkit: CUDA [0-9.]* -> CUDA [0-9.]*$' out ||
        cat out)"
else
    skip "seeded: another toolkit" "no OTHER_PTXAS"
fi
fi

# Builds of the same source: in other folders, with other names of temporary files, several at once,
# the files in another order, as an object, a program and a library; relocatable ones are linked.
cp seeds.cu other.cu
cat >main.cu <<'END'
namespace { __global__ void hidden(float *p, int n) { p[n] = n; } }
static __global__ void kept(float *p, int n) { p[n] = 2 * n; }
template <class T> __global__ void shared_by_both(T *p) { p[threadIdx.x] += 1; }
void launch(float *p);
int main()
{
    float *p = nullptr;
    hidden<<<1, 1>>>(p, 1);
    kept<<<1, 1>>>(p, 1);
    shared_by_both<<<1, 1>>>(p);
    launch(p);
}
END
cat >>other.cu <<'END'
template <class T> __global__ void shared_by_both(T *p) { p[threadIdx.x] += 1; }
void launch_both(float *p) { shared_by_both<<<1, 1>>>(p); }
END

rebuild() { # NUMBER OPTION...: app, as the number varies it
    folder=build$1/deep$(($1 % 7))
    mkdir -p "$folder/tmp" && cp main.cu other.cu "$folder" || return
    number=$1
    shift
    (
        cd "$folder" || exit
        export TMPDIR="$PWD/tmp"
        set -- -arch=sm_90 --no-compress "$@"
        if [ $((number % 2)) -eq 0 ]; then
            "$nvcc" "$@" -c "$PWD/main.cu" -o m.o &
            main=$!
            "$nvcc" "$@" -c other.cu -o o.o && wait $main
        else
            "$nvcc" "$@" -c other.cu -o o.o && "$nvcc" "$@" -c main.cu -o m.o
        fi || exit
        if [ $((number % 3)) -eq 0 ]; then
            "$nvcc" "$@" m.o o.o -o app
        else
            "$nvcc" "$@" o.o m.o -o app
        fi
    )
}

alarms() { # HOW OPTION...
    how=$1
    shift
    rm -rf build[0-9]*
    rebuild 0 "$@" || { fail "identical builds, $how" "they do not compile" && return; }
    smemcalc inspect build0/deep0/app --save first.json >/dev/null 2>err
    count=0
    report=$(
        while [ "$count" -lt "${REBUILDS:-2}" ]; do
            count=$((count + 1))
            rebuild $count "$@" || echo "build $count does not compile"
            new=build$count/deep$((count % 7))/app
            for old in build0/deep0/app first.json; do
                smemcalc diff "$old" "$new" >out 2>err ||
                    { echo "build $count, $old: $?" && cat out err; }
                grep -E '[0-9] (renamed|added|removed|changed|better)' out
            done
            rm -rf "build$count"
        done)
    empty "${REBUILDS:-2} identical builds, $how" "$report"
}
alarms "of whole files"
alarms "relocatable and linked" -rdc=true

finish_cases
