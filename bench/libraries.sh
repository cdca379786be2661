#!/bin/sh
# How long inspect takes for libraries with machine code, and how much memory; with a cuobjdump, also
# whether every kernel that it lists has the same registers, stack and static shared memory here.
# Exit status 1 if one differs. Run in the build folder.
#   bench/libraries.sh [LIBRARY]...    those of CUDA in /usr/local/cuda/lib64 by default
# CUOBJDUMP names the tool; by default the one in PATH.

set -u
export LC_ALL=C
program=$PWD/smemcalc
list=$PWD/bench/list_kernels
if [ ! -x "$program" ] || [ ! -x "$list" ]; then
    echo "libraries.sh: make bench/list_kernels first" >&2
    exit 1
fi
cuobjdump=${CUOBJDUMP:-$(command -v cuobjdump)}
if [ $# -eq 0 ]; then
    for name in cublasLt cublas cufft cusparse cusolver nccl cudnn_adv cudnn_cnn cudnn_ops \
        cudnn_engines_precompiled cudnn_engines_runtime_compiled; do
        [ ! -e "/usr/local/cuda/lib64/lib$name.so" ] || set -- "$@" "/usr/local/cuda/lib64/lib$name.so"
    done
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# Functions that kernels call have no constants. Shared memory is listed with the driver's reserve of
# 1 KiB from sm_90 on.
usage_lines() {
    awk '/^arch = / { arch = $3; reserve = substr(arch, 4) + 0 >= 90 ? 1024 : 0 }
         /^ Function / { name = substr($2, 1, length($2) - 1) }
         /^  REG:/ && /CONSTANT\[0\]/ {
             split($1, r, ":"); split($2, s, ":"); split($3, m, ":")
             print arch, name, r[2], s[2], (m[2] + 0 >= reserve ? m[2] - reserve : m[2])
         }' | sort -u
}

differing=0
for library; do
    /usr/bin/time -f '%e %M' -o "$scratch/cost" "$program" inspect "$library" --format csv \
        >"$scratch/csv" 2>"$scratch/err"
    status=$?
    "$list" "$library" 2>/dev/null | sort -u >"$scratch/here"
    tail -n 1 "$scratch/cost" | {
        read -r seconds kilobytes
        printf '%s: %d kernels, %s s, %d MB, exit status %d\n' "${library##*/}" \
            "$(wc -l <"$scratch/here")" "$seconds" $((kilobytes / 1024)) "$status"
    }
    [ -n "$cuobjdump" ] || continue
    "$cuobjdump" -res-usage "$library" 2>/dev/null | usage_lines >"$scratch/there"
    comm -13 "$scratch/here" "$scratch/there" >"$scratch/missing"
    printf '    of the %d that cuobjdump lists %d differ; it does not list %d\n' \
        "$(wc -l <"$scratch/there")" "$(wc -l <"$scratch/missing")" \
        "$(comm -23 "$scratch/here" "$scratch/there" | wc -l)"
    head -n 3 "$scratch/missing"
    differing=$((differing + $(wc -l <"$scratch/missing")))
done
[ "$differing" -eq 0 ]
