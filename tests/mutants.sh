#!/bin/sh
# Mutants of the catalog's kernels, from mutants.list: what each does wrong is found by the
# emulator's checks or in the results, or it is known to do nothing wrong. Of each kernel and of each
# kind of fault the first, and a fifth of the others; with TEST_WHOLE=1 all. Run in the build folder.

set -u
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

kernels=$here/../kernels

file_of() { # KERNEL
    echo "$1.cu" | tr - _
}

emulate() { # FOLDER OF KERNELS
    # shellcheck disable=SC2086 # options are words
    smemcalc run --on emulator --device 9.0 --kernel "$kernel" $options --kernel-dir "$1" \
        --format json
}

# Words, one a line: findings by name, wrong; else counts; else same.
seen_in() { # FILE
    jq -r '[.emulation.findings[].kind] + [.confirmation[] | select(.verdict == "differs") |
        if .quantity == "findings" then empty
        elif .quantity == "wrong_elements" then "wrong" else "counts" end] | unique |
        if . == [] then ["same"] elif . == ["counts"] then . else . - ["counts"] end | .[]' "$1"
}

# Complaints about the mutant in $scratch/NUMBER, one a line.
judge() { # NUMBER
    mkdir "$1" && cp "$kernels"/*.cu "$1" || return
    sed "$edit" "$kernels/$(file_of "$kernel")" >"$1/$(file_of "$kernel")"
    emulate "$1" >"$1/out" 2>"$1/err"
    status=$?
    case $expected in same) wanted=0 ;; *) wanted=1 ;; esac
    [ $status -eq $wanted ] || echo "exit status $status, not $wanted: $(head -n 1 "$1/err")"
    [ $status -le 1 ] || return
    seen_in "$1/out" >"$1/seen"
    for word in $expected; do
        grep -q "^$word" "$1/seen" || echo "no $word, but $(tr '\n' ' ' <"$1/seen")"
    done
}

# At the same sizes, a kernel as it is has no fault.
judge_unchanged() { # NUMBER
    emulate "$kernels" >"out.$1" 2>&1
    status=$?
    [ $status -eq 0 ] || { echo "status $status"; cat "out.$1"; }
}

# The worker's share of the lines.
work() { # FIRST STEP
    number=0
    while IFS='@' read -r kernel expected name options edit; do
        number=$((number + 1))
        [ $((number % $2)) -eq "$1" ] || continue
        judge "$number" >"complaint.$number"
    done <list
    while IFS='@' read -r kernel options; do
        number=$((number + 1))
        [ $((number % $2)) -eq "$1" ] || continue
        judge_unchanged "$number" >"complaint.$number"
    done <launches
}

sed -e '/^#/d; /^$/d; s/ *@ */@/g' "$here/mutants.list" >all
if is_whole; then
    cp all list
else
    awk -F @ '{ first = !($1 in kernels) || !($2 in faults); kernels[$1]; faults[$2] }
        first || NR % 5 == 0' all >list
fi
print_share "$(wc -l <list)" "$(wc -l <all)" mutants
cut -d @ -f 1 all | sort -u >mutated
empty "every kernel but the probe has mutants" \
    "$(smemcalc kernels --format csv | sed '1d; s/,.*//; /^residency$/d' | sort | comm -23 - mutated)"
empty "the substitution of every mutant changes its kernel" "$(
    while IFS='@' read -r kernel expected name options edit; do
        file=$kernels/$(file_of "$kernel")
        ! sed "$edit" "$file" | cmp -s - "$file" || echo "$kernel: $name"
    done <all)"
case $(smemcalc --tile 1 --device 9.0 --format json | jq -r .kernel.registers_source) in
nvrtc*) ;;
*)
    skip "mutants of kernels" "there is no NVRTC that compiles for 9.0"
    finish_cases
    ;;
esac

grep -v '^matmul-tiled-racy' list | cut -d @ -f 1,4 | sort -u >launches
workers=$(nproc 2>/dev/null || echo 2)
worker=0
while [ "$worker" -lt "$workers" ]; do
    work "$worker" "$workers" &
    worker=$((worker + 1))
done
wait

number=0
while IFS='@' read -r kernel expected name options edit; do
    number=$((number + 1))
    empty "the mutant of $kernel $options is found: $name" "$(cat "complaint.$number" 2>&1)"
done <list
while IFS='@' read -r kernel options; do
    number=$((number + 1))
    empty "$kernel $options without a mutant has no finding" "$(cat "complaint.$number" 2>&1)"
done <launches

# The racy kernel's race is in the line that overwrites values that are still read.
kernel=matmul-tiled-racy options="--tile 16 --size 40x40x40"
emulate "$kernels" >out
empty "the racy kernel $kernel is exit status 1" "$([ $? -eq 1 ] || cat out)"
line=$(grep -n 'a_tile\[y\]\[x\] =' "$kernels/matmul_tiled_racy.cu" | cut -d : -f 1)
holds "$kernel: the line that overwrites" \
    "[.emulation.findings[] | select(.kind == \"race_read_write\").line] | index($line) != null" out

finish_cases
