#!/bin/sh
# Rows a second of `smemcalc batch` through a pipe, on one core, and its peak memory.
# Run in the build folder.
#   bench/batch.sh [ROWS]    10 million by default

set -eu
export LC_ALL=C
rows=${1:-10000000}
program=$PWD/smemcalc
[ -x "$program" ] || { echo "batch.sh: no ./smemcalc here" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Launches of eight devices; what varies has the length of real values.
echo 'device,threads,regs,static_smem,dynamic_smem' >"$scratch/rows"
awk -v rows="$rows" 'BEGIN {
    srand(1)
    devices = split("NVIDIA H200|NVIDIA A100-SXM4-80GB|GeForce RTX 4090|9.0|8.6|7.5|Tesla T4|12.0", device, "|")
    for (i = 0; i < rows; i++)
        printf "%s,%d,%d,%d,%d\n", device[1 + int(rand() * devices)], 32 * (1 + int(rand() * 32)),
            16 + int(rand() * 112), 1024 * int(rand() * 12), 512 * int(rand() * 40)
}' >>"$scratch/rows"

on_one_core=
if command -v taskset >/dev/null; then
    # The last core that this shell may use: the others are left to the two ends of the pipe.
    core=$(taskset -cp $$ | sed 's/.*[^0-9]//')
    on_one_core="taskset -c $core"
fi

# GNU time where it is there: elapsed seconds, CPU seconds of the program alone, peak KiB.
time=
if [ -x /usr/bin/time ] && /usr/bin/time -f %M true 2>/dev/null; then time=/usr/bin/time; fi
for round in 1 2 3; do
    begin=$(date +%s.%N)
    # shellcheck disable=SC2002,SC2086 # a pipe is wanted; both variables are words, or none
    cat "$scratch/rows" |
        $on_one_core ${time:+$time -o "$scratch/time" -f '%U %S %M'} "$program" batch |
        tail -n 1 >"$scratch/last"
    end=$(date +%s.%N)
    [ -s "$scratch/time" ] || echo "0 0 0" >"$scratch/time"
    awk -v rows="$rows" -v round="$round" -v begin="$begin" -v end="$end" '{
        elapsed = end - begin
        printf "round %d: %.2f million rows a second (%.2f s for %d rows)", round, rows / elapsed / 1e6,
            elapsed, rows
        if ($3) printf ", %.2f s of CPU, peak memory %d KiB", $1 + $2, $3
        print ""
    }' "$scratch/time"
done
