#!/bin/bash
# Runs fuzzers that build.sh built, as many at a time as there are processors, and prints a line for
# each: executions, covered edges, and what it found.
#   tests/fuzz/run.sh OUT SECONDS [NAME...]   each so long; new inputs in OUT/NAME_new
#   tests/fuzz/run.sh OUT keep [NAME...]      adds the new inputs that cover more to the kept ones
# FUZZ_SEED=N makes libFuzzer try the same inputs each time.
# Exit status 1: an input crashed, leaked, or took too long; it is kept in OUT/found.

set -uo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/fuzz/kept.sh
. "$source/tests/fuzz/kept.sh"
if [ $# -lt 2 ] || [[ ! $2 =~ ^([0-9]+|keep)$ ]]; then
    echo 'usage: tests/fuzz/run.sh OUT SECONDS|keep [NAME...]' >&2
    exit 2
fi
out=$(cd "$1" && pwd) || exit 2
work=$2
shift 2
names=("$@")
[ $# -gt 0 ] || mapfile -t names < <(find "$out" -maxdepth 1 -name '*.options' -printf '%f\n' | sed 's/\.options$//' | sort)
export ASAN_OPTIONS=${ASAN_OPTIONS-allocator_may_return_null=1:detect_leaks=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS-print_stacktrace=1}
export LSAN_OPTIONS=suppressions=$source/tests/lsan.supp:print_suppressions=0:intercept_tls_get_addr=0

option() { # NAME KEY
    sed -n "s/^$2 = //p" "$out/$1.options"
}

# Prints an input as a command that gives it back, since logs outlive the machine. It is one line,
# since CI shows only the last lines.
print_input() { # NAME FILE
    local to=">$1.input"
    [ -s "$2" ] || return 0
    [ "$(wc -c <"$2")" -gt "$most_bytes" ] || to="| tests/fuzz/add.sh $1 -"
    printf '    to get the input back:\n'
    printf '    echo %s | base64 -d | gunzip %s\n' "$(gzip -9 -n <"$2" | base64 -w 0)" "$to"
}

# libFuzzer limits an input's time by the clock. Where the input alone needs less processor time than
# that, the machine was busy, and nothing is found.
was_machine_busy() { # NAME INPUT
    [[ $2 == "$out/found/$1-timeout-"* ]] &&
        (ulimit -t "$(option "$1" timeout)" && "$out/$1" -timeout=0 "$2") >/dev/null 2>&1 </dev/null &&
        rm -f "$2"
}

fuzz_one() { # NAME
    local name=$1 log=$out/$1.log end=$((SECONDS + work)) verdict executed=0 dictionary=() found
    mkdir -p "$out/${name}_new" "$out/found"
    [ ! -f "$out/$name.dict" ] || dictionary=("-dict=$out/$name.dict")
    while
        verdict=ok
        "$out/$name" "-seed=${FUZZ_SEED:-0}" "-max_total_time=$((end - SECONDS))" \
            "-max_len=$(option "$name" max_len)" "-timeout=$(option "$name" timeout)" \
            -rss_limit_mb=2560 -print_final_stats=1 -close_fd_mask=1 \
            "-artifact_prefix=$out/found/$name-" "${dictionary[@]}" \
            "$out/${name}_new" "$out/${name}_seeds" >"$log" 2>&1 </dev/null || verdict=FAILED
        executed=$((executed + $(awk '/^stat::number_of_executed_units/ { n = $2 } END { print n + 0 }' "$log")))
        found=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
        [ "$verdict" = FAILED ] && was_machine_busy "$name" "$found" 2>/dev/null
    do
        verdict=ok
        [ "$SECONDS" -lt "$end" ] || break
    done
    printf '%-18s %-6s %9s executions, %6s edges covered, %s MB\n' "$name" "$verdict" "$executed" \
        "$(grep -o ' cov: [0-9]*' "$log" | tail -n 1 | cut -d ' ' -f 3)" \
        "$(sed -n 's/^stat::peak_rss_mb: *//p' "$log")"
    [ "$verdict" = FAILED ] || return 0
    printf '    input: %s\n    log:   %s\n' "${found:-none}" "$log"
    grep -m 1 -A 12 'ERROR: \|runtime error' "$log" | sed 's/^/    /'
    print_input "$name" "$found"
    return 1
}

# Edges alone count, not how often each was reached: the tree keeps few inputs, and short ones.
keep_one() { # NAME
    local name=$1 kept=$out/$1_kept merged=$out/$1_merged
    rm -rf "$kept" "$merged"
    mkdir -p "$kept" "$merged" "$out/${name}_new" "$out/found"
    unpack_kept "$name" "$kept" || return 1
    "$out/$name" -merge=1 -use_counters=0 "-max_len=$(option "$name" max_len)" \
        "-artifact_prefix=$out/found/$name-" "$merged" "$kept" "$out/${name}_seeds" "$out/${name}_new" >"$out/$name.merge.log" 2>&1 || return 1
    # An input that is a seed elsewhere in the tree is not stored twice.
    for file in "$out/${name}_seeds"/*; do
        [ ! -f "$file" ] || rm -f "$merged/$(sha1sum <"$file" | cut -d ' ' -f 1)"
    done
    find "$merged" -type f -size "-$((most_bytes + 1))c" -exec mv -t "$kept" {} +
    pack_kept "$name" "$kept" || return 1
    printf '%-18s %5s inputs, %s bytes\n' "$name" "$(find "$kept" -type f | wc -l)" \
        "$(cat "$kept"/* | wc -c)"
}

failed=0 running=0
for name in "${names[@]}"; do
    [ -x "$out/$name" ] || {
        echo "no fuzzer '$name' in $out" >&2
        exit 2
    }
    while [ "$running" -ge "$(nproc)" ]; do
        wait -n || failed=1
        running=$((running - 1))
    done
    if [ "$work" = keep ]; then keep_one "$name"; else fuzz_one "$name"; fi &
    running=$((running + 1))
done
while [ "$running" -gt 0 ]; do
    wait -n || failed=1
    running=$((running - 1))
done
exit "$failed"
