#!/bin/sh
# The command line: golden outputs, every wrong input, and what it does when it cannot print.
# Run in the build folder. GENERATE=1 writes tests/golden/ anew.

set -u
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

# --- The kernels follow from the rows of the catalog ----------------------------------------------

# The kernels that accept the parameter, as messages list them.
kernels_with() { # PARAMETER
    smemcalc kernels --format csv | awk -F , -v parameter="$1" \
        'NR > 1 && "+" $3 "+" ~ "[+]" parameter "[+]" { printf "%s%s", comma, $1; comma = ", " }'
}

smemcalc kernels --format csv >kernels.csv
sed '1d; s/,.*//' kernels.csv | tr - _ >listed
sed -n 's/^KERNEL(\(.*\))$/\1/p' "$here/../src/rules/catalog/kernels.def" >rows
empty "kernels --format csv has a line for each kernel, in the catalog's order" "$(diff rows listed)"
sed -n '1p; /^aat-padded/p' kernels.csv >shown
cat >expected <<'END'
name,family,parameters,summary
aat-padded,aat,tile+dtype+pad+m+k+lda+ldc,C = A A^T by tiles; padded rows spread the transposed tile over the banks
END
empty "kernels --format csv has its columns" "$(diff expected shown)"
smemcalc kernels >text
sed -n 's/^\([a-z][^ ]*\) .*/\1/p' text | tr - _ >listed
empty "kernels as text has each kernel with its summary" "$(diff rows listed)"
smemcalc devices --format csv | sed '1d; s/^"*\([^",]*\).*/\1/' | cut -c 1-44 | sed 's/ $//' >names
smemcalc devices >text
empty "devices as text has a row for each board" "$(
    sed -n 's/  *[0-9]*\.[0-9]  *[-0-9]*  *[-0-9]*  *[-0-9]*  *[-0-9]*  *[-0-9]*$//p' text | diff names -)"
empty "kernels --format csv tells which kernels have a parameter" \
    "$([ "$(kernels_with occupy)" = residency ] || echo "occupy: $(kernels_with occupy)")"

# --- Golden outputs: from the table and given registers, so that no machine changes them; without
# NVRTC, so that there is no predicted time (tests/time.sh) ----------------------------------------

golden tile-32.txt --tile 32 --device H200 --regs 31 --no-nvrtc
golden tile-16-8800-gtx.txt --tile 16 --device "GeForce 8800 GTX" --regs 10 --explain --no-nvrtc
golden tile-16-8800-gtx-11.txt --tile 16 --device "GeForce 8800 GTX" --regs 11 --explain --no-nvrtc
golden tile-32-8800-gtx.txt --tile 32 --device "GeForce 8800 GTX" --regs 10 --no-nvrtc
golden stencil-static.txt --kernel stencil-static --block 1024 --radius 6000 --device H200 --regs 20 \
    --no-nvrtc
golden stencil-dynamic.txt --kernel stencil-dynamic --block 1024 --radius 6000 --device H200 \
    --regs 20 --no-nvrtc
golden grid-refused.txt --threads 256 --regs 10 --grid 70000 --device "GTX 480" --explain
golden grid-refused-kernel.txt --kernel stencil-static --size 1G --regs 10 --device 2.0 --no-nvrtc
golden grid-refused.json --threads 256 --regs 10 --grid 64x64x2 --device "9800 GT" --format json
golden own-kernel.txt --threads 256 --regs 40 --smem 8K --grid 1000 --device "RTX 4090" --explain
golden carveout.txt --tile 16 --dtype double --device 9.0 --regs 32 --carveout 20 --explain \
    --no-nvrtc
golden compare.txt --tile 16 --regs 32 --device H200 --device "RTX 4090" --device "GeForce 8800 GTX" \
    --no-nvrtc
golden sizes.txt --tile 13 --size 1000x777x513 --ldc 800 --device "Tesla T4" --regs 36 --no-nvrtc
golden tile-32.json --tile 32 --device H200 --regs 31 --format json --no-nvrtc
golden own-kernel.json --threads 256 --smem 8K --device "RTX 4090" --format json
for device in H200 1.0; do
    smemcalc --tile 16 --regs 32 --device $device --format json
done >each.json
smemcalc --tile 16 --regs 32 --device H200 --device 1.0 --format json >both.json
jq -s '[.[] | del(.schema)] == $both[0].answers' --slurpfile both both.json each.json >equal.json
holds "JSON of two devices holds the answers of each" '. == true' equal.json
golden compare.csv --tile 16 --regs 32 --device H200 --device 1.0 --format csv --no-nvrtc
golden device.txt devices --device H200
smemcalc devices --device 10.7 >out
empty "each fact of a device has a label of its own" \
    "$(cut -c1-32 out | grep -v '^ ' | sed 's/ *$//; /^$/d' | sort | uniq -d)"
golden device.json devices --device "GeForce 8800 GTX" --format json
golden no-arguments.txt
golden virtual-resources.txt --threads 64 --regs 16 --virtual-resources 8 --device B200
golden too-much-of-all.txt --threads 2147483647 --regs 255 --smem 2147483647 \
    --dynamic-smem 2147483647 --cluster 99 --device 8.0 --explain
golden aat-padded.txt --kernel aat-padded --tile 31 --size 1000x513 --lda 600 --ldc 1001 --regs 32 \
    --device H200 --explain --no-nvrtc
golden aat-naive.txt --kernel aat-naive --tile 16 --dtype double --m 77 --regs 32 --device 8.0 \
    --explain --no-nvrtc
golden padded.txt --tile 16 --pad 4 --regs 40 --device "RTX 4090" --no-nvrtc
golden reverse.txt --kernel reverse-dynamic --size 64K --regs 8 --device "RTX 4090" --no-nvrtc

# --- Lessons --------------------------------------------------------------------------------------

golden lesson.txt lesson
golden lesson-8800-gtx.txt lesson 8800-gtx --no-nvrtc
for lesson in tiling banks shared-memory occupancy memory carveout time; do
    golden "lesson-$lesson.txt" lesson "$lesson" --device H200 --no-nvrtc
done
golden lesson-page.txt lesson carveout --page 2 --device 8.6 --no-nvrtc
golden lesson-right.txt lesson 8800-gtx --answer 8
golden lesson-trap.txt lesson 8800-gtx --answer 12
golden lesson-wrong.txt lesson shared-memory --answer A --device H200 --no-nvrtc
empty "every lesson of the list has a golden output" "$(smemcalc lesson | sed '/^$/,$d; s/ .*//' |
    while read -r lesson; do
        [ -f "$golden/lesson-$lesson.txt" ] || echo "$lesson"
    done)"

# Screens have the requested width; a message is one line, however long.
wide=$(find "$golden" -name '*.txt' ! -name 'tui-*' ! -name '*-zh*' -exec cat {} + | grep -v '^smemcalc: ' |
    awk 'length > 80'
    LC_ALL=C.UTF-8 wc -L "$golden"/lesson-zh*.txt | awk '$1 > 80') # in columns, of which a character takes two
empty "no line of text is wider than 80 columns" "$wide"

# --- Wrong input ----------------------------------------------------------------------------------

refuses 2 "option --tile: '0' is not between 1 and 32" --tile 0
refuses 2 "option --tile: '33' is not between 1 and 32" --tile=33
refuses 2 "option --tile: '-1' is not between 1 and 32" --tile -1
refuses 2 "option --tile: '1e9' is not a whole number between 1 and 32" --tile 1e9
refuses 2 "option --tile: 'abc' is not a whole number between 1 and 32" --tile abc
refuses 2 "option --tile: '' is not a whole number between 1 and 32" --tile ''
refuses 2 "option --tile: '' is not a whole number between 1 and 32" --tile=
refuses 2 "option --tile: '99999999999999999999' is not between 1 and 32" --tile 99999999999999999999
refuses 2 "option --tile: '1:4' is a range; this command accepts one value" --tile 1:4
refuses 2 "option --smem: '1K:8K:1K' is a range; this command accepts one value" --threads 8 --smem 1K:8K:1K
refuses 2 "option --tile: '1:' is not a whole number between 1 and 32" --tile 1:
refuses 2 "option --tile: '1:1K' is not a whole number between 1 and 32" --tile 1:1K
refuses 2 "option --gpu: 'all' is not a whole number between 0 and 2147483647" calibrate --gpu all
refuses 2 "option --tile: the value N is missing" --tile
refuses 2 "option --tile: the value N is missing" --tile --device H200
refuses 2 "option --explain: accepts no value, but 'yes' is given" --tile 8 --explain=yes
refuses 2 "unknown option --tiel; did you mean --tile?" --tiel 8
refuses 2 "unknown option --qqq; 'smemcalc help query' lists them" --qqq
refuses 2 "unknown option --registers; did you mean --regs?" --tile 8 --registers 40
refuses 2 "unknown option --arch; did you mean --device 9.0?" --tile 8 --arch sm_90
refuses 2 "unknown option --arch; did you mean --device 9.0?" --tile 8 --arch=sm_90a
refuses 2 "unknown option --arch; did you mean --device?" --tile 8 --arch
refuses 2 "unknown option --maxrregcount; did you mean --max-regs?" inspect x.cu --maxrregcount=64
refuses 2 "unknown option --arch; did you mean --device 9.0?" inspect x.cu -arch=sm_90
refuses 2 "unknown option --arch; did you mean --device 9.0?" -arch sm_90
refuses 2 "unknown option -device; did you mean --device?" inspect x.cu -device 9.0
refuses 2 "option --tile: not for the command inspect: --threads N is the block size" x.cu -t 256
refuses 2 "option --device: unknown device 'A100,H100'; for several, repeat --device" \
    --tile 8 --device A100,H100
refuses 2 "mine.c: No such file or directory" mine.c
refuses 2 "unknown option -z; 'smemcalc help run' lists them" run -z
refuses 2 "option --gpu: not for the command query, only for run, tune, calibrate, check" --tile 8 --gpu 0
refuses 2 "unknown command 'devises'; did you mean 'devices'?" devises
refuses 2 "unknown command 'xyz'; 'smemcalc help' lists them" xyz
refuses 2 "unknown command ''; 'smemcalc help' lists them" ''
refuses 2 "'run': a command comes first: smemcalc run ..." --tile 8 run
refuses 2 "'tile' is not an option; options begin with two dashes ('smemcalc help query')" --regs 8 tile
refuses 2 "'H200' is not an option; did you mean --device 'H200'?" devices H200
refuses 2 "option --smem: not for the command run: the kernel states its static shared memory; \
--dynamic-smem is that of the launch" run x.cu --smem 1K
refuses 2 "option --dtype: 'half' is not one of float, double, int32" --tile 8 --dtype half
refuses 2 "option --dtype: 'int32' is not what matmul-tiled computes with: float or double" \
    --tile 8 --dtype int32
refuses 2 "option --carveout: '101' is not between -1 and 100" --tile 8 --carveout 101
refuses 2 "option --cache-config: 'both' is not one of none, shared, l1, equal" \
    --tile 8 --cache-config both
refuses 2 "option --smem: '8Q' is not a size in bytes between 0 and 2147483647" --threads 8 --smem 8Q
for size in 48.3K 4,91 0x '12 XB' 0xc400B -49152 '49,152,'; do
    refuses 2 "option --dynamic-smem: '$size' is not a size in bytes between 0 and 2147483647" \
        --threads 8 --dynamic-smem="$size"
done
smemcalc --threads 128 --dynamic-smem 50176 --device 8.6 >plain
for size in 0xc400 '0xc400 bytes' 50176B 49K '49 KB' 49KiB 49.0k 50,176 ' 50176 '; do
    smemcalc --threads 128 --dynamic-smem "$size" --device 8.6 >out 2>&1
    empty "a size in bytes may be written as '$size'" "$(diff plain out)"
done
refuses 2 "option --regs: '-1' is not between 0 and 2147483647" --tile 8 --regs -1
refuses 2 "option --threads: '9223372036854775808' is not between 1 and 2147483647 threads" \
    --threads 9223372036854775808
many=$(printf '%0100d' 0 | tr 0 x)
refuses 2 "option --tile: '$(printf '%.64s' "$many")...' is not a whole number between 1 and 32" \
    --tile "$many"
refuses 2 "option --m: not together with --size, which sets it" --tile 8 --size 5 --m 7
refuses 2 "option --length: not together with --size, which sets it" --kernel stencil-static \
    --size 64 --length 128
refuses 2 "option --cluster: '4x' is not a number or shape (16x16) between 1 and 2147483647 blocks" \
    --threads 256 --cluster 4x --device H200
refuses 2 "option --kernel-dir: not with --threads; your own kernel is not compiled" --threads 8 \
    --kernel-dir /nowhere
refuses 2 "unknown command 'nonsense'; 'smemcalc help' lists them" help nonsense
refuses 2 "unknown command 'sweeep'; did you mean 'sweep'?" help sweeep
refuses 2 "option --regs: '256' is above 255, the most registers that a thread has on compute \
capability 9.0" --tile 8 --regs 256 --device H200
refuses 2 "option --barriers: '17' is above 16, the most barriers that a block has" \
    --threads 32 --regs 8 --barriers 17 --device H200
refuses 2 "option --device: unknown device 'Voodoo 2'; 'smemcalc devices' lists them, or \
give a compute capability such as 9.0" --tile 8 --device "Voodoo 2"
refuses 2 "option --device: compute capability 9.1 is newer than this table; 'smemcalc devices' lists \
those it has; --device-file describes others" --tile 8 --device 9.1
refuses 2 "option --kernel: unknown kernel 'matmul-tild'; did you mean 'matmul-tiled'?" \
    --kernel matmul-tild
refuses 2 "option --kernel: unknown kernel 'xyz'; 'smemcalc kernels' lists them" --kernel xyz
refuses 2 "option --radius: matmul-tiled does not accept it; these kernels do: $(kernels_with radius)" \
    --tile 8 --radius 3
refuses 2 "option --radius: name a kernel with --kernel; these accept it: $(kernels_with radius)" --radius 3
refuses 2 "no kernel: give --tile N, --kernel NAME, or --threads N for your own" --device H200
refuses 2 "option --threads: not with the kernel matmul-tiled: --tile sets the threads of a block" \
    --tile 8 --threads 64
refuses 2 "option --radius: '8389' is too much for float: stencil-dynamic's sums may have 16779 \
inputs of up to 1000, and whole numbers are exact up to 16777216; --dtype int32 accepts any radius" \
    --kernel stencil-dynamic --dtype float --radius 8389
refuses 2 "option --threads: not with the kernel stencil-static: --block sets the threads of a \
block" --kernel stencil-static --threads 64
refuses 2 "option --grid: '64x' is not a shape such as 4096, 512x512 or 64x64x8, with 1 to 2147483647 \
blocks in each dimension" --threads 32 --grid 64x
refuses 2 "option --grid: '2147483647x2147483647x3' is not a shape such as 4096, 512x512 or 64x64x8, \
with 1 to 2147483647 blocks in each dimension" --threads 32 --grid 2147483647x2147483647x3
refuses 2 "option --explain: not with --format json, only with text" \
    --threads 32 --explain --format json
refuses 2 "option --explain: not with --format csv, only with text" \
    --tile 8 --explain --format csv --no-nvrtc
refuses 2 "option --explain: not with --plot -, which draws instead of the text" \
    --threads 32 --explain --plot -
refuses 2 "option --kernel-dir: not with --no-nvrtc, which compiles nothing" \
    --tile 8 --kernel-dir . --no-nvrtc
refuses 2 "option --kernel-dir: name its kernel with --kernel" best --regs 8 --kernel-dir .
refuses 2 "no kernel: give --tile N, --kernel NAME, or --threads N for your own" \
    carveout --device 9.0 --kernel-dir .

# Options without effect on a device are reported, and no others.
tells() { # WARNINGS ARGUMENT...: these lines on standard error, and an answer
    expected=$1
    shift
    smemcalc "$@" >out 2>err
    status=$?
    seen=$(sed 's/^smemcalc: warning: option //' err)
    if [ "$status" -eq 0 ] && [ "$seen" = "$expected" ]; then pass "tells that an option has no effect: $*"; else
        fail "tells that an option has no effect: $*" "exit status $status
$(cat err)"; fi
}
tells "--carveout: no effect on CC 6.1, 5.2; percentages count from CC 7.0 on" \
    --threads 32 --carveout 50 -d 6.1 -d 7.0 -d 5.2 -d "Tesla P4" --format json
tells "" --threads 32 --carveout -1 -d 6.1
tells "" --threads 32 --carveout 50 --cluster 2 --barriers 1 -d 9.0
tells "--cache-config: no effect on CC 1.3, 6.0, whose shared memory has one size" \
    limits --threads 32 --cache-config l1 -d 1.3 -d 2.0 -d 6.0 -d 8.0
tells "--cache-config: no effect on CC 8.0, where --carveout takes precedence" \
    best --regs 32 --cache-config l1 --carveout 50 -d 8.0
tells "" --threads 32 --cache-config none -d 6.1
tells "--barriers: not counted on CC 8.9; they limit from CC 9.0 on" \
    carveout --threads 32 --barriers 2 -d 8.9
tells "--virtual-resources: not counted on CC 9.0; they limit from CC 10.0 on" \
    --threads 32 --virtual-resources 2 -d 9.0 -d 10.0
tells "--partitioned-caching: no effect on CC 6.0; CC 5.2, 5.3, 6.1 and 6.2 have it" \
    --threads 32 --partitioned-caching on -d 6.0 -d 6.1
tells "--grid: no waves on CC 9.0 without a number of SMs; name a board" \
    --threads 32 --grid 5 -d 9.0 -d H200
tells "--total-threads: no waves on CC 9.0 without a number of SMs; name a board" \
    best --regs 8 --total-threads 5 -d 9.0
tells "--carveout: no effect on CC 3.5; percentages count from CC 7.0 on" \
    sweep --threads 32 --regs 8 --carveout 0:100:50 -d 3.5
printf 'threads,regs\n32,8\n' >batch.csv
tells "--carveout: no effect on CC 3.5; percentages count from CC 7.0 on" \
    batch batch.csv --carveout 50 -d 3.5
refuses 2 "option --grid: only with --threads, your own kernel" --grid 5
refuses 2 "option --size: '0' is neither MxNxK nor one number, each between 1 and 2147483647" \
    --tile 8 --size 0
refuses 2 "option --size: '1x2' is neither MxNxK nor one number, each between 1 and 2147483647" \
    --tile 8 --size 1x2
refuses 2 "option --size: '1x2x3' is neither MxK nor one number, each between 1 and 2147483647" \
    --kernel aat-naive --size 1x2x3
refuses 2 "option --k: not together with --size, which sets it" --kernel aat-naive --size 5x6 --k 7
refuses 2 "option --n: aat-naive does not accept it; these kernels do: $(kernels_with n)" \
    --kernel aat-naive --n 7
refuses 2 "option --pad: '33' is not between 0 and 32" --tile 8 --pad 33
refuses 2 "option --pad: aat-conflict does not accept it; these kernels do: $(kernels_with pad)" \
    --kernel aat-conflict --pad 1
refuses 2 "option --size: '5G' is not a number of elements between 1 and 4294967296" \
    --kernel stencil-static --size 5G
refuses 2 "unknown lesson 'tilig'; did you mean 'tiling'?" lesson tilig
refuses 2 "option --html: writes the whole lesson; not together with --page or --answer" lesson banks \
    --html x.html --page 1
refuses 2 "option --language: 'fr' is not en or zh" lesson banks --language fr
refuses 2 "./none.md: cannot be read: No such file or directory" lesson ./none.md
refuses 2 "unknown lesson 'xyz'; 'smemcalc lesson' lists them" lesson xyz
refuses 2 "option --answer: name a lesson; 'smemcalc lesson' lists them" lesson --answer 3
refuses 2 "option --page: not together with --answer" lesson banks --page 1 --answer 3
refuses 2 "option --page: '6' is above 5, the pages of banks" lesson banks --page 6
refuses 2 "option --answer: '3 blocks' is not a number" lesson 8800-gtx --answer '3 blocks'
refuses 2 "option --answer: 'd' is not a letter from a to c" lesson shared-memory --answer d \
    --device H200
refuses 2 "option --device: the lesson 8800-gtx is about the GeForce 8800 GTX alone" \
    lesson 8800-gtx --device H200
refuses 2 "option --device: the lesson carveout needs compute capability 7.0 or above, not 6.1" \
    lesson carveout --device 6.1
refuses 2 "option --device: lesson is about one device, but 2 are named" lesson banks --device 9.0 \
    --device 8.0
refuses 2 "option --gpu: not with --on emulator; --device names what to emulate" run --tile 8 \
    --on emulator --gpu 1
refuses 2 "option --device: a run uses the GPU that --gpu names; --on emulator accepts any device" \
    run --tile 8 --device H200

refuses_like() { # STATUS PATTERN ARGUMENT...: one line that matches
    status=$1 pattern=$2
    shift 2
    smemcalc "$@" >out 2>err
    seen=$?
    complaint=$(
        [ "$seen" -eq "$status" ] || echo "exit status $seen, not $status"
        [ ! -s out ] || echo "something on standard output"
        [ "$(wc -l <err)" -eq 1 ] || echo "not one line"
        grep -q "$pattern" err || cat err
    )
    empty "refuses: $*" "$complaint"
}

refuses_like 2 "option --device: 'RTX' matches several devices: " --tile 8 --device RTX
# No note or warning before an error without a report.
refuses_like 2 "option --regs: '400' is above " --tile 8 --device H100 --carveout 50 -d 6.1 --regs 400
refuses_like 2 "option --plot: 'x.gif' does not end" --tile 8 --carveout 50 -d 6.1 --plot x.gif
refuses_like 3 "option --device: " --tile 8 --device gpu4095
refuses_like 3 "option --gpu: \|^smemcalc: run: " run --tile 8 --gpu 4095
smemcalc --tile 8 --device 9.0 --format json --no-cache >probe.json 2>err
if holds "NVRTC or the table answers" '.kernel.registers_per_thread > 0' probe.json >/dev/null &&
    jq -r .kernel.registers_source probe.json | grep -q '^nvrtc'; then
    refuses_like 2 '/nowhere/' --tile 8 --device 9.0 --kernel-dir /nowhere
    refuses_like 2 '/nowhere/' --tile 8 --device 9.0 --kernel-dir /nowhere --regs 8
    registers='.kernel.registers_per_thread, .kernel.static_smem_bytes'
    mkdir -p edited
    printf '#define EXTRA 1\n' >edited/extra.h
    printf '#include "extra.h"\n%s\n' \
        'extern "C" __global__ void matmul_tiled(float *c) { __shared__ float s[EXTRA];
         s[threadIdx.x % EXTRA] = c[1]; __syncthreads(); c[0] = s[threadIdx.y % EXTRA]; }' >edited/matmul_tiled.cu
    smemcalc --tile 8 --device 9.0 --kernel-dir edited --format json >first.json 2>err
    printf '#define EXTRA 1000\n' >edited/extra.h
    smemcalc --tile 8 --device 9.0 --kernel-dir edited --format json >second.json 2>>err
    empty "a changed include is compiled anew" "$(
        cat err
        jq -c "[$registers]" first.json second.json | tr '\n' ' ' |
            grep -q '^\[[0-9]*,4\] \[[0-9]*,4000\]' || jq -c "[$registers]" first.json second.json)"
    smemcalc --kernel stencil-static --radius 6000 --block 1024 --smem 1K --device 9.0 \
        --format json >out.json
    holds "no number given mends what cannot compile" \
        '.occupancy | .blocks_per_sm == 0 and .outcome == "cannot_compile"' out.json
    SMEMCALC_CACHE_DIR=/dev/null/cache smemcalc --tile 8 --device 9.0 >out 2>err
    status=$?
    empty "a cache that cannot be used is a warning, not an end" "$(
        [ "$status" -eq 0 ] || echo "exit status $status"
        grep -q '^smemcalc: warning: .*/dev/null/cache' err || cat err
        [ "$(wc -l <err)" -eq 1 ] || cat err
        grep -q 'blocks per SM' out || echo "no answer")"
else
    skip "a kernel folder that cannot be read" "no NVRTC"
    skip "a kernel folder that cannot be read, registers given" "no NVRTC"
    skip "a changed include" "no NVRTC"
    skip "what cannot compile" "no NVRTC"
    skip "a cache that cannot be used" "no NVRTC"
fi

# Control characters in pasted input never reach the terminal.
escape=$(printf '\033[31m')
bell=$(printf '\007')
for option in --device --kernel --tile --size --format; do
    smemcalc --tile 8 "$option" "x$escape$bell" >out 2>&1
    status=$?
    empty "control characters in $option are replaced" "$(
        [ "$status" -eq 2 ] || echo "exit status $status"
        LC_ALL=C grep -q '[[:cntrl:]]' out && echo "a control character in the message"
        grep -q '?\[31m?' out || cat out)"
done

# --- Standard output that cannot be written -------------------------------------------------------

smemcalc --tile 8 --device 9.0 --regs 8 >&- 2>err
status=$?
empty "a closed standard output is exit status 4" "$(
    [ "$status" -eq 4 ] || echo "exit status $status"
    echo "smemcalc: standard output: it is closed" | diff - err)"
if [ -c /dev/full ]; then
    for command in "--tile 8 --device 9.0 --regs 8" "--help" "devices --format json" "--version"; do
        # shellcheck disable=SC2086
        smemcalc $command >/dev/full 2>err
        status=$?
        empty "a full disk is exit status 4: $command" "$(
            [ "$status" -eq 4 ] || echo "exit status $status"
            echo "smemcalc: standard output: No space left on device" | diff - err)"
    done
else
    skip "a full disk" "no /dev/full"
fi
# 4 blocks of 512 or 1024 bytes: a file cannot grow beyond. In a build that counts what ran (gcc's
# --coverage) the counters are files, too: those of these commands go elsewhere, since a file that is
# cut is of no use to the commands that add to it later.
in_short_files() (
    export GCOV_PREFIX="$scratch/cut"
    ulimit -f 4 && "$@"
)
for command in "--help" "help all" "devices --format json" \
    "sweep --threads 32:1024:32 --regs 16:128 --device 9.0 --format json"; do
    # shellcheck disable=SC2086
    in_short_files smemcalc $command >cut.txt 2>err
    status=$?
    empty "a report that exceeds the limit on files is absent: $command" "$(
        if [ "$status" -eq 0 ]; then
            [ "$(wc -c <cut.txt)" -le 4096 ] || echo "longer than the limit"
        else
            [ "$status" -eq 4 ] || echo "exit status $status"
            [ ! -s cut.txt ] || echo "a cut report"
            grep -q '^smemcalc: \(standard output\|temporary file\): File too large$' err || cat err
            [ "$(wc -l <err)" -eq 1 ] || echo "not one line"
        fi)"
done
seq 1 2000 | sed '1i threads' >threads.csv
for command in "batch threads.csv --regs 8 --device 9.0" \
    "sweep --threads 32:1024:32 --regs 16:128 --device 9.0 --format csv"; do
    # shellcheck disable=SC2086
    in_short_files smemcalc $command >cut.txt 2>err
    status=$?
    empty "a stream that exceeds the limit on files ends with a whole row: $command" "$(
        [ "$status" -eq 4 ] || echo "exit status $status"
        [ -z "$(tail -c 1 cut.txt)" ] || echo "a cut row"
        echo "smemcalc: standard output: File too large" | diff - err)"
done
if smemcalc --tile 8 --regs 8 --device 9.0 --plot picture.svg >out 2>err; then
    rm picture.svg
    in_short_files smemcalc --tile 8 --regs 8 --device 9.0 --plot picture.svg >out 2>err
    status=$?
    empty "a picture that exceeds the limit on files is absent" "$(
        [ "$status" -eq 4 ] || echo "exit status $status"
        [ ! -e picture.svg ] || echo "a cut picture"
        grep -q "^smemcalc: option --plot: 'picture.svg': File too large$" err || cat err)"
else
    skip "a picture that exceeds the limit on files" "no cairo"
fi
# shellcheck disable=SC2086,SC2154 # words
{ $default_signals "$program" --help; echo $? >status; } | head -n 1 >out
empty "--help whose reader left ends quietly" "$(grep -v '^0$\|^141$' status)"

# --- Where things go ------------------------------------------------------------------------------

smemcalc --tile 8 --regs 8 --device H100 >out 2>err
empty "a name taken as another is told on standard error" \
    "$(grep -q "^smemcalc: note: closest match for 'H100': NVIDIA H100 80GB HBM3 (132 SMs); also " err || cat err)"
smemcalc --tile 8 --regs 8 --device H100 --format json >out.json 2>err
empty "a name taken as another leaves standard error empty with JSON" "$(cat err)"
for pair in "--help:--tile 32" "help run:--timeout MS" "run --help:--gpu N" "--version:smemcalc "; do
    # shellcheck disable=SC2086
    smemcalc ${pair%%:*} >out 2>err
    empty "smemcalc ${pair%%:*} shows ${pair#*:}" "$(grep -q -e "${pair#*:}" out || cat out err)"
done
smemcalc --help >screen
lines=$(wc -l <screen)
empty "--help fits on one screen" "$(
    if [ "$lines" -lt 24 ] || [ "$lines" -gt 40 ]; then cat screen; fi
    grep '.\{81\}' screen)"
smemcalc help | diff screen - >out
empty "the command help alone is --help" "$(cat out)"
for topic in all $(sed -n '/^Commands/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p' screen); do
    smemcalc help "$topic" | sed -n 's/^  \(-., \|    \)\(--[a-z][a-z-]*\).*/\2/p' | sort | uniq -d >out
    empty "help $topic lists no option twice" "$(cat out)"
done

# --- Shapes of blocks -----------------------------------------------------------------------------

same_answer() { # ARGUMENTS ARGUMENTS, each a list of words
    # shellcheck disable=SC2086
    smemcalc $1 --device H200 --format json >one 2>&1
    # shellcheck disable=SC2086
    smemcalc $2 --device H200 --format json >two 2>&1
    for answer in one two; do # the shape itself aside
        tr -d ' \n' <$answer | sed 's/"block_dim":\(\[[^]]*]\|null\)//g' >$answer.flat
    done
    empty "the same answer: $1 and $2" "$(diff one.flat two.flat; grep -c '^smemcalc' one | grep -v '^0')"
}
same_answer "--block 16x16 --regs 40" "--threads 256 --regs 40"
same_answer "--threads 16x16 --regs 40" "--threads 256 --regs 40"
same_answer "--block 8x8x4 --regs 40 --grid 100" "--threads 256 --regs 40 --grid 100"
same_answer "limits --block 16x16" "limits --threads 256"
same_answer "carveout --threads 32x8 --regs 40" "carveout --threads 256 --regs 40"
same_answer "sweep --block 64:256:64 --regs 40" "sweep --threads 64:256:64 --regs 40"
same_answer "--kernel stencil-static --block 16x8 --regs 20" \
    "--kernel stencil-static --block 128 --regs 20"
refuses 2 "option --threads: '16x' is not a number or shape (16x16) between 1 and 2147483647 threads" \
    --threads 16x
refuses 2 "option --block: '33x32' is not a number or shape (16x16) between 1 and 1024 threads" --block 33x32
refuses 2 "option --threads: '0x16' is not a number or shape (16x16) between 1 and 2147483647 threads" \
    --threads 0x16

if ! command -v jq >/dev/null; then
    skip "JSON against the contract" "no jq"
    finish_cases
fi
holds "JSON has the note on a name taken as another" '.note | startswith("closest match for '\''H100'\'': NVIDIA H100 80GB HBM3")' out.json
smemcalc --tile 32 --regs 31 --device H200 --format json >out.json
holds "JSON of a query has the contract's members" '
    ["schema", "device", "kernel", "occupancy", "next_steps", "workload"] - keys == []
    and .schema == "smemcalc/1"' out.json
holds "JSON of a query: the device" '.device | .name == "NVIDIA H200" and .compute_capability == "9.0"
    and .sm_count == 132 and .source == "table" and .assumed == false' out.json
holds "JSON of a query: the kernel" '.kernel | .name == "matmul-tiled" and .tile == 32
    and .threads_per_block == 1024 and .registers_per_thread == 31 and .registers_source == "given"
    and .static_smem_bytes == 8192 and .dynamic_smem_bytes == 0' out.json
holds "JSON of a query: the occupancy" '.occupancy | .blocks_per_sm == 2 and .warps_per_sm == 64
    and .percent == 100 and .limiters == ["warps", "registers"]
    and (.limits | .warps == 2 and .blocks == 32 and .registers == 2 and .shared_memory == 25
        and .barriers == 64 and .virtual_resources == null and .cluster == null)
    and .allocated == {registers_per_block: 32768, smem_bytes_per_block: 9216}
    and .carveout_bytes == 233472' out.json
holds "JSON of a query: the next step of registers" '.next_steps | map(select(.resource == "registers"))
    == [{resource: "registers", change: 2, blocks_per_sm: 1, percent: 50}]' out.json
holds "JSON of a query: the next step of shared memory" '.next_steps
    | any(. == {resource: "shared_memory", change: 107521, blocks_per_sm: 1, percent: 50})' out.json
smemcalc --tile 32 --regs 31 --device H200 --device 8.0 --format json >out.json
holds "JSON of a query: several devices" '.schema == "smemcalc/1"
    and (.answers | map(.device.compute_capability)) == ["9.0", "8.0"]' out.json
smemcalc --threads 64 --device 8.6 --format json >out.json
holds "JSON of a query: what nobody gave is null" '.kernel.registers_per_thread == null and .kernel.name == null
    and .occupancy.limits.registers == null and .occupancy.limits.barriers == null
    and .device.sm_count == null and .workload == null' out.json

# --- Next steps of what fails name a value that does not ------------------------------------------

steps() { # EXPECTED ARGUMENT...: the line "next steps" of a launch that fails
    expected=$1
    shift
    seen=$(smemcalc --threads 256 --regs 32 "$@" | sed -n '/^next steps /,/^try it /{/^try it/d;s/^next steps//;p;}' |
        tr -s ' \n' ' ' | sed 's/^ //;s/ $//')
    empty "next steps of a launch that fails: $*" "$([ "$seen" = "$expected" ] || echo "$seen, not $expected")"
}
steps "less shared memory: at most 49152 bytes static (--smem), up to 232448 as dynamic (--dynamic-smem)" \
    --smem 300K --device 9.0
steps "--smem-mode oversized, which CUDA 13.5 has; without it a block may have 232448 bytes at most" \
    --dynamic-smem 300K --device 10.7
steps "less shared memory: a block may have 334848 bytes at most" \
    --dynamic-smem 400K --device 10.7 --smem-mode oversized
steps "clusters need compute capability 9.0 or newer: --cluster 1 does without" --cluster 4 --device 8.0
steps "--cluster 16 or less" --cluster 32 --device H200
steps "49152 bytes of shared memory or less, or --smem-mode default or non-portable" \
    --smem-mode portable --dynamic-smem 64K --device 9.0
for launch in "--smem 49152 -d 9.0" "--dynamic-smem 232448 -d 9.0" "--cluster 16 -d H200" \
    "--dynamic-smem 300K --smem-mode oversized -d 10.7" "--dynamic-smem 64K -d 9.0" \
    "--dynamic-smem 64K --smem-mode non-portable -d 9.0" "--dynamic-smem 49152 --smem-mode portable -d 9.0"; do
    # shellcheck disable=SC2086
    smemcalc --threads 256 --regs 32 $launch >out 2>&1
    empty "what the next steps propose launches: $launch" "$(grep -q '^[1-9][0-9]* blocks\{0,1\} per SM' out || cat out)"
done

# --- Hints: commands that work when pasted --------------------------------------------------------

hint() { # NAME, and then as `smemcalc`: the command after "try it"
    SMEMCALC_PROGRAM=$1
    shift
    smemcalc "$@" | sed -n '/^try it /,/^$/s/^\(try it\)\{0,1\} *//p' | paste -sd' ' -
    SMEMCALC_PROGRAM=smemcalc
}
named() { # NAME-OF-THE-CASE EXPECTED SEEN
    empty "$1" "$([ "$3" = "$2" ] || echo "$3, not $2")"
}
small='--tile 8 --size 16 --device H200 --no-nvrtc'
tail='run --tile 8 --size 16x16x16 --on emulator --device "NVIDIA H200"'
# shellcheck disable=SC2086 # options are words
{
    named "a hint begins as the program was called by a script" "./quickstart $tail" \
        "$(hint ./quickstart $small)"
    named "a hint begins as the program was called itself" "$program $tail" "$(hint '' $small)"
    named "a hint quotes the program's name where a shell needs that" "'/my own/it'\\''s' $tail" "$(hint "/my own/it's" $small)"
    named "a hint does not repeat a program's name with escape sequences" "smemcalc $tail" \
        "$(hint "$(printf 'a\033[31m')" $small)"
}
named "a hint gives the emulator a size that does not take long" \
    "smemcalc run --tile 16 --regs 32 --size 256 --on emulator --device 9.0" \
    "$(hint smemcalc --tile 16 --regs 32 --device 9.0)"
named "a hint has a compute capability instead of a long name of a board" \
    "smemcalc run --tile 8 --size 16x16x16 --on emulator -d 12.0" \
    "$(hint smemcalc --tile 8 --size 16 --device "RTX PRO 4000 Blackwell SFF" --no-nvrtc)"
named "a hint keeps a size that was given" \
    "smemcalc run --tile 16 --size 1024x1024x1024 --regs 32 --on emulator --device 9.0" \
    "$(hint smemcalc --tile 16 --size 1024 --regs 32 --device 9.0)"
export SMEMCALC_PROGRAM=./quickstart
empty "help calls the program by the name it was called by" "$(for word in '' query run sweep inspect banks batch lesson merge; do
    smemcalc help $word
done | grep -n '\(^\|[ (`'\'']\)smemcalc [a-z-]' | grep -v 'what smemcalc\|leave smemcalc')"
empty "errors call the program by the name it was called by" "$(for words in xyz '--xyz' '-Z' '--kernel xyz' 'lesson xyz' 'help xyz' merge '--tile 3 --device xyz' \
    '--tile 3 --device 10.9'; do
    # shellcheck disable=SC2086
    smemcalc $words 2>&1 | sed 's/^smemcalc: //' | grep smemcalc
done)"
SMEMCALC_PROGRAM=smemcalc

# --- What a launch must call, and whether a cooperative one fits ----------------------------------

# A line of the text with those that continue it, "" if there is none.
line_of() { # LABEL ARGUMENT...
    label=$1
    shift
    smemcalc "$@" 2>err |
        awk -v label="$label" '{ mine = $1 == label || (mine && /^            /) } mine' |
        tr -s '\n ' ' ' | sed "s/^$label \(first \)*//;s/ $//"
}
opt_in=cudaFuncAttributeMaxDynamicSharedMemorySize
named "more than 48 KB of shared memory: the call to paste" \
    "cudaFuncSetAttribute(kernel, $opt_in, 98304)" \
    "$(line_of call --threads 256 --regs 32 --dynamic-smem 96K --device 9.0)"
named "static and dynamic shared memory count together, and dynamic is what is set" \
    "cudaFuncSetAttribute(matmul_tiled, $opt_in, 45056)" \
    "$(line_of call --tile 32 --dynamic-smem 44K --device 9.0 --no-nvrtc)"
for words in "--dynamic-smem 48K" "--smem 48K" "--dynamic-smem 96K --smem-mode non-portable" \
    "--dynamic-smem 300K" "--smem 49153"; do
    # shellcheck disable=SC2086
    named "no call where none is needed or none helps: $words" "" \
        "$(line_of call --threads 256 --regs 32 --device 9.0 $words)"
done
named "--explain has the call" "cudaFuncSetAttribute(kernel, $opt_in, 98304)" "$(
    smemcalc --threads 256 --regs 32 --dynamic-smem 96K --device 9.0 --explain | tr -s '\n ' ' ' |
        sed -n 's/.*per block, so before the launch: \([^)]*)\).*/\1/p')"
named "limits has the call of the first row above 48 KB" \
    "cudaFuncSetAttribute(kernel, $opt_in, 232448); in a row with more than 49152 B, here that of 1 per SM" \
    "$(line_of call limits --threads 256 --device 9.0)"
named "limits has no call where the device has no more than 48 KB" "" \
    "$(line_of call limits --threads 256 --device 6.0)"
named "JSON has the bytes to opt in to" 98304 \
    "$(smemcalc --threads 256 --dynamic-smem 96K --device 9.0 --format json 2>err | jq .launch.opt_in_bytes)"
named "a cooperative grid that fits" "fits: 1056 blocks at a time, 8 on each of 132 SMs" \
    "$(line_of cooperative --threads 256 --regs 32 --grid 1056 --cooperative --device H200)"
named "a cooperative grid with a block too many" \
    "too large by 1 block: 1056 blocks at a time, 8 on each of 132 SMs; cudaLaunchCooperativeKernel returns cudaErrorCooperativeLaunchTooLarge" \
    "$(line_of cooperative --threads 256 --regs 32 --grid 1057 --cooperative --device H200)"
named "a cooperative grid in three dimensions" \
    "too large by 480 blocks: 1056 blocks at a time, 8 on each of 132 SMs; cudaLaunchCooperativeKernel returns cudaErrorCooperativeLaunchTooLarge" \
    "$(line_of cooperative --threads 256 --regs 32 --grid 16x12x8 --cooperative --device H200)"
named "a cooperative grid of a kernel of the catalog" \
    "too large by 760 blocks: 264 blocks at a time, 2 on each of 132 SMs; cudaLaunchCooperativeKernel returns cudaErrorCooperativeLaunchTooLarge" \
    "$(line_of cooperative --tile 32 --size 1024 --cooperative --device H200 --no-nvrtc)"
named "a cooperative grid needs a board" "name a board: what fits depends on its SMs" \
    "$(line_of cooperative --threads 256 --grid 16 --cooperative --device 9.0)"
# As the driver answers on an H200: 15 clusters of 8 with a block an SM, not 132 / 8.
cluster="--threads 256 --regs 32 --dynamic-smem 200K --device H200"
# shellcheck disable=SC2086 # options
{
    named "clusters without a grid" "15 of 8 blocks at a time, 120 blocks" "$(line_of clusters $cluster --cluster 8)"
    named "waves by clusters" "1056 blocks in 132 clusters on 132 SMs: 9 waves of 120, the last of 96; 36 SMs idle in the last" \
        "$(line_of grid $cluster --cluster 8 --grid 1056)"
    named "the shape of a cluster" "15 of 4 x 2 blocks at a time, 120 blocks" "$(line_of clusters $cluster --cluster 4x2x1)"
    named "a cluster that needs the attribute" \
        "7 of 16 blocks at a time, 112 blocks; needs cudaFuncAttributeNonPortableClusterSizeAllowed" \
        "$(line_of clusters $cluster --cluster 16)"
    smemcalc $cluster --cluster 8 --explain >out
    named "the arithmetic of clusters" \
        "5 groups of 16 SMs x 1 blocks / 8, rounded down = 2 each; 4 groups of 2 SMs: less than the 8 of a cluster; together 15 clusters" \
        "$(sed -n 's/^clusters  *\(5 groups.*\)/\1/p;s/^  *\(4 groups of 2 .*\)/\1/p;s/^  *\(together.*\)/\1/p' out |
            paste -sd'#' - | sed 's/#/; /g')"
    named "clusters of several devices" "of 8 blocks at a time: H200 15, H100 NVL at most 16" \
        "$(line_of clusters $cluster --cluster 8 --device "H100 NVL" --device 9.0)"
    named "CSV has the clusters, and whether they are a bound" "15,0," \
        "$(smemcalc $cluster --cluster 8 --format csv | sed '1d;s/.*,\([^,]*,[^,]*,[^,]*\)$/\1/')"
    named "clusters are a bound where groups are not known" "at most 16 of 8" \
        "$(line_of clusters --threads 256 --regs 32 --dynamic-smem 200K --device "H100 NVL" --cluster 8 | sed "s/ blocks.*//")"
}
clustered="--threads 64 --regs 32 --cluster 4 --device H200"
# shellcheck disable=SC2086 # options
{
    named "a query's headline counts the blocks of clusters that an SM holds" \
        "8 blocks per SM in clusters, occupancy 25 % (16/64 warps); without clusters 32, limited by warps, registers and block slots" \
        "$(smemcalc $clustered | head -n 2 | paste -sd' ')"
    named "and so does a sweep" "8,16,25,cluster 8,64,100,warps+registers" \
        "$(smemcalc sweep --threads 64:256:192 --regs 32 --cluster 4 --device H200 --format csv |
            awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
                { print $at["blocks_per_sm"] "," $at["warps_per_sm"] "," $at["occupancy_percent"] "," $at["limiters"] }' |
            paste -sd' ')"
    named "best proposes blocks of which 8 fill an SM" "use --threads 256: 8 blocks per SM, occupancy 100 %" \
        "$(smemcalc best --regs 32 --cluster 4 --device H200 | sed -n '1s/, limited.*//p')"
}
named "Tensor Memory that some blocks wait for" \
    "tensor mem. 256 of 512 columns per block: 2 of the 8 resident blocks have theirs at a time, the others wait in tcgen05.alloc" \
    "$(smemcalc --threads 256 --regs 32 --tmem-columns 256 --device 10.0 | grep -A 1 '^tensor mem' | tr -s '\n ' ' ' | sed 's/ $//')"
named "Tensor Memory is in JSON" "[256,2,8]" "$(
    smemcalc --threads 256 --regs 32 --tmem-columns 256 --device 10.0 --format json |
        jq -c '[.launch.tmem_columns_per_block, .occupancy.tmem_blocks_per_sm, .occupancy.blocks_per_sm]')"
tells "--tmem-columns: no Tensor Memory is known on CC 9.0; CC 10.0, 10.3 and 11.0 have it" \
    --threads 256 --regs 32 --tmem-columns 64 -d 9.0
refuses 2 "option --tmem-columns: '48' is not one of 0, 32, 64, 128, 256, 512" --threads 256 --tmem-columns 48
named "CSV has how much a cooperative grid is too large" "cooperative_excess 1 0 " "$(
    smemcalc --threads 256 --regs 32 --grid 1057 --cooperative --device H200 --format csv |
        sed 's/,[^,]*,[^,]*,[^,]*$//;s/.*,//' | tr '\n' ' '
    smemcalc --threads 256 --regs 32 --grid 1056 --cooperative --device H200 --format csv |
        sed '1d;s/,[^,]*,[^,]*,[^,]*$//;s/.*,//' | tr '\n' ' ')"
named "JSON has how much a cooperative grid is too large" "1 null" "$(
    for words in "--cooperative" ""; do
        # shellcheck disable=SC2086
        smemcalc --threads 256 --regs 32 --grid 1057 $words --device H200 --format json |
            jq .occupancy.cooperative_excess_blocks
    done | paste -sd' ' -)"
refuses 2 "option --cooperative: needs --grid, the blocks of the launch" --threads 256 --cooperative
refuses 3 "kernel stencil-static: NVRTC is not used, and the built-in PTX is for the default parameters, tiles \
1 to 32 and compute capability 8.0 or later (without --no-nvrtc it is compiled)" \
    run --on emulator --kernel stencil-static --radius 7 --size 64 --no-nvrtc --device 9.0
smemcalc run --on emulator --kernel stencil-static --radius 7 --size 64 --device 3.5 >out 2>&1
status=$?
empty "which CUDA compiles for an old device is said" "$(
    [ $status -eq 3 ] || echo "exit status $status"
    grep -q "(CUDA 11's does: .pip install nvidia-cuda-nvrtc-cu11., or set SMEMCALC_NVRTC)" out || cat out)"
refuses 2 "option --cooperative: only with your own source: smemcalc run FILE --cooperative ..." \
    run --tile 16 --cooperative

# shellcheck disable=SC2086
eval "$(hint "$program" $small)" >out 2>&1
named "a hint works when pasted" 0 $?

# quickstart fetches an NVRTC into the folder of the program. None compiles for 1.3, so that all that
# are known are tried, and the dynamic linker tells which.
mkdir -p beside/nvrtc/nvidia/cu13/lib beside/tests/gpu
echo none >beside/nvrtc/nvidia/cu13/lib/libnvrtc.so.13
if LD_DEBUG=files "$program" --version 2>&1 | grep -q 'file='; then
    for place in . tests tests/gpu; do
        cp "$program" "beside/$place/smemcalc"
        LD_DEBUG=files "beside/$place/smemcalc" --tile 8 --device 1.3 --no-cache >out 2>&1
        empty "an NVRTC beside the program is tried, seen from $place" "$(
            grep -q "file=$scratch/beside/nvrtc/nvidia/cu13/lib/libnvrtc.so.13" out || grep nvrtc out)"
    done
else
    skip "an NVRTC beside the program is tried" "the dynamic linker does not tell"
fi

# The PTX that comes with the program, for the parameters that it has.
smemcalc run --on emulator --no-nvrtc --tile 8 --size 16 --device H200 >out 2>err
seen=$?
empty "the built-in PTX runs without NVRTC" "$({ [ $seen -eq 0 ] &&
    grep -q 'warning: PTX: built in, NVRTC [0-9.]*, sm_80: NVRTC is not used$' err; } || cat err)"
for others in '--dtype double --device H200' '--pad 1 --device H200' '--device 3.5'; do
    # shellcheck disable=SC2086
    smemcalc run --on emulator --no-nvrtc --tile 8 --size 16 $others >out 2>err
    seen=$?
    empty "the built-in PTX is not taken for $others" "$({ [ $seen -eq 3 ] &&
        grep -q 'the built-in PTX is for the default parameters' err; } || cat err)"
done

finish_cases
