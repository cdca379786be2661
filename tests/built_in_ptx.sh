#!/bin/sh
# The PTX that comes with the program, where no NVRTC is used: the emulator confirms each of it. Run in
# the build folder.

set -u
update_ptx=$PWD/src/compile/update_ptx
build=$PWD
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

data=$here/../data/ptx.txt
command -v jq >/dev/null || { skip "the built-in PTX" "no jq"; finish_cases; }

small_for() { # KERNEL TILE: options of a launch that takes no time
    case $1 in
    stencil-*) echo --length 700 ;;
    residency) ;;
    reverse-*) ;;
    aat-*) echo --tile "$2" --size 40x35 ;;
    matmul-register) echo --size 70x66x34 ;;
    *) echo --tile "$2" --size 40x35x38 ;;
    esac
}

grep -E '^[a-z-]+,.*,0x[0-9a-f]{16}$' "$data" >entries
# shellcheck disable=SC2034 # hash and rest only end the line
while IFS=, read -r kernel defines major minor cc hash; do
    case $kernel in health-* | ceiling-*) continue ;; esac # not of the catalog: tests/check.sh
    tile=$(printf '%s' "$defines" | sed -n 's/.*-DTILE=\([0-9]*\).*/\1/p')
    case $kernel in *-racy) wanted=1 ;; *) wanted=0 ;; esac
    [ "$kernel-$tile" != matmul-tiled-racy-1 ] || wanted=0 # a single thread races with none
    # shellcheck disable=SC2046 # options are words
    smemcalc run --kernel "$kernel" $(small_for "$kernel" "$tile") --device 9.0 --on emulator \
        --no-nvrtc --format json >out 2>err
    status=$?
    empty "$kernel $tile is confirmed" "$(
        [ $status -eq $wanted ] || echo "exit status $status"
        jq -r '.confirmation[] | select(.verdict == "differs") | .quantity' out |
            { [ $wanted = 1 ] || cat; }
        grep -qx "smemcalc: warning: PTX: built in, NVRTC $major.$minor, sm_$cc: NVRTC is not used" err ||
            cat err)"
done <entries
refuses 3 "kernel matmul-tiled: NVRTC is not used, and the built-in PTX is for the default \
parameters, tiles 1 to 32 and compute capability 8.0 or later (without --no-nvrtc it is compiled)" \
    run --tile 16 --pad 1 --size 40 --device 9.0 --on emulator --no-nvrtc

# The same NVRTC makes the same text.
# shellcheck disable=SC2034
IFS=, read -r kernel defines major minor rest <entries
made=
for library in "$build"/nvrtc/nvidia/*/lib/libnvrtc.so.13 /usr/local/cuda/lib64/libnvrtc.so.13; do
    version=$(SMEMCALC_NVRTC=$library smemcalc --tile 8 --device 9.0 --format json |
        jq -r .kernel.registers_source)
    if [ -e "$library" ] && [ "$version" = "nvrtc $major.$minor sm_90" ] && [ -z "$made" ]; then
        made=yes
        "$update_ptx" "$library" >made 2>&1
        empty "NVRTC $major.$minor makes the built-in PTX" "$(diff "$data" made | head -n 20)"
    fi
done
[ -n "$made" ] || skip "the built-in PTX is made again" "no NVRTC $major.$minor was found"

finish_cases
