#!/bin/sh
# The PTX that comes with the program, where no NVRTC is used: the emulator confirms each of it. Run in
# the build folder.

set -u
update_ptx=$PWD/src/code/compile/update_ptx
build=$PWD
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

data=$here/../data/ptx.txt
command -v jq >/dev/null || { skip "the built-in PTX" "no jq"; finish_cases; }

small_for() { # KERNEL TILE: the options of a launch that takes no time
    case $1 in
    stencil-*) options="--length 700" ;;
    residency | reverse-*) options= ;;
    histogram-*) options="--length 3000" ;;
    aat-*) options="--tile $2 --size 40x35" ;;
    matmul-register) options="--size 70x66x34" ;;
    *) options="--tile $2 --size 40x35x38" ;;
    esac
}

grep -E '^[a-z-]+,.*,0x[0-9a-f]{16}$' "$data" >entries
# shellcheck disable=SC2034 # hash only ends the line
while IFS=, read -r kernel defines major minor cc hash; do
    case $kernel in health-* | ceiling-*) continue ;; esac # not of the catalog: tests/check.sh
    tile=${defines##*-DTILE=}
    tile=${tile%% *}
    [ "$tile" != "${defines%% *}" ] || tile=
    small_for "$kernel" "$tile"
    case $kernel-$tile in # a single thread races with none
    matmul-tiled-racy-1) wanted=0 ;;
    *-racy-*) wanted=1 ;;
    *) wanted=0 ;;
    esac
    # shellcheck disable=SC2086 # options are words
    smemcalc run --kernel "$kernel" $options --device 9.0 --on emulator --no-nvrtc >out 2>err
    status=$?
    read -r warning <err
    complaint=
    [ $status -eq $wanted ] || complaint="exit status $status
$(cat out)"
    [ "$warning" = "smemcalc: warning: PTX: built in, NVRTC $major.$minor, sm_$cc: NVRTC is not used" ] ||
        complaint="$complaint
$(cat err)"
    empty "$kernel $tile is confirmed" "$complaint"
done <entries
refuses 3 "kernel matmul-tiled: NVRTC is not used, and the built-in PTX is for the default \
parameters, tiles 1 to 32 and compute capability 8.0 or later (without --no-nvrtc it is compiled)" \
    run --tile 16 --pad 1 --size 40 --device 9.0 --on emulator --no-nvrtc

# The same NVRTC makes the same text.
step=20
! is_whole || step=1
IFS=, read -r _ _ major minor _ <entries
made=
for library in "$build"/nvrtc/nvidia/*/lib/libnvrtc.so.13 /usr/local/cuda/lib64/libnvrtc.so.13; do
    if [ ! -e "$library" ] || [ -n "$made" ]; then
        continue
    fi
    version=$(SMEMCALC_NVRTC=$library smemcalc --tile 8 --device 9.0 --format json |
        jq -r .kernel.registers_source)
    [ "$version" = "nvrtc $major.$minor sm_90" ] || continue
    made=yes
    awk -v step=$step '/^[a-z-]+,.*,0x[0-9a-f]+$/ { is_wanted = met++ % step == 0 } is_wanted' \
        "$data" >wanted
    "$update_ptx" "$library" $step >made 2>&1
    empty "NVRTC $major.$minor makes the built-in PTX" "$(diff wanted made | head -n 20)"
    print_share "$(grep -c '^\.$' made)" "$(grep -c '^\.$' "$data")" "built-in kernels, made again"
done
[ -n "$made" ] || skip "the built-in PTX is made again" "no NVRTC $major.$minor was found"

finish_cases
