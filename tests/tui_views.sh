#!/bin/sh
# The explorer's screens of banks, devices and traces, played from scripts: golden screens, and commands that
# they show, run. Run in the build folder. GENERATE=1 writes its tests/golden/ anew.

set -u
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

# Screens are the same everywhere: no GPU of this machine, no NVRTC, a named device.
export CUDA_VISIBLE_DEVICES=

leave_out_keys

# --- Golden screens -------------------------------------------------------------------------------

# The elements of a column of a tile conflict in one bank; a padding removes the conflicts.
banks='key F3
key Down
screen
key Right
screen'
# Three devices compared, sorted by another column.
devices='key F4
key Space
key /
type RTX 4090
key Enter
key Space
key o 2
key /
type 8800
key Enter
key Esc
screen'

# A kernel of a trace unfolded, one configuration taken along to the first screen, and back.
trace='screen
key Right
key Down 2
key i
screen
key Esc
key Enter
screen
key F8
key o
screen'

for size in 60x16 80x24 120x40; do
    printf 'size %s\n%s\n' "$size" "$banks" >banks
    printf 'size %s\n%s\n' "$size" "$devices" >devices
    printf 'size %s\n%s\n' "$size" "$trace" >trace
    golden "tui-trace-$size.txt" tui --trace "$here/data/trace/step.json" --script trace
    golden "tui-banks-$size.txt" tui --threads 256 --regs 32 --device H200 --script banks
    golden "tui-devices-$size.txt" tui --tile 32 --no-nvrtc --device H200 --script devices
done

# --- What a screen of 200x60 shows beyond that ----------------------------------------------------

# Columns of a screen without trailing blanks, blanks within squeezed.
columns() { # FROM TO
    cut -c"$1-$2" | tr -s ' ' | sed 's/ *$//'
}

printf 'size 200x60\n%s\n' "$banks" >banks
smemcalc tui --threads 256 --regs 32 --device H200 --script banks >screens
awk 'length == 200 && !/[^-]/ { n++ } { print >"screen." n }' screens

# Every lane of the warp: one of 32 queues at bank 0, then each in a bank and a row of its own.
empty "the banks view: each of 32 wavefronts serves one lane of bank 0" "$(columns 62 199 <screen.1 | awk '
    $1 == "queue" { queue = 1; next }
    queue && NF == 0 { queue = 0 }
    queue { n++; if ($1 != n || $2 != n - 1 "!" || NF != 33) print }
    queue { for (i = 3; i <= NF; i++) if ($i != ".") print "bank " i - 2 " of " n }
    END { if (n != 32) print n " wavefronts" }')"
empty "the banks view shows the first rows of memory, and how many more there are" "$(columns 62 199 <screen.1 | awk '
    /in memory, rows of 128 bytes:/ { memory = 1; next }
    memory && $2 == "more" { more = $1; memory = 0 }
    memory { if ($1 != n || $2 != n++ "!" || NF != 33) print }
    END { if (n < 16 || n + more != 32) print n " rows and " more }')"
empty "the banks view: with padding one wavefront serves all banks" "$(columns 62 199 <screen.2 | awk '
    $1 == "queue" { getline; for (i = 1; i <= 33; i++) if ($i != (i == 1 ? 1 : i - 2)) print; n++ }
    END { if (n != 1) print "no queue" }')"
empty "the banks view: with padding each lane is in the next bank" "$(columns 62 199 <screen.2 | awk '
    memory && NF == 33 { for (i = 0; i < 32; i++) if ($(i + 2) != (i == n ? i : ".")) print
                         if ($1 != n++) print "row " $1 }
    /in memory, rows of 128 bytes:/ { memory = 1 }
    END { if (n != 32) print n " rows" }')"
columns 3 60 <screen.2 | tr -d '|' | tr '\n' ' ' | tr -s ' ' >words
empty "the banks view has the whole explanation" "$(grep -q 'what helps.* none of 248 conflicts is left: pad each row of 32 elements by 1 element: (tx\*33 + ty)\*4 A wavefront reads or writes one word of each bank\. .* using more memory\. ' words || cat words)"

printf 'size 200x60\n%s\n' "$devices" >devices
smemcalc tui --tile 32 --no-nvrtc --device H200 --script devices >screen
columns 127 199 <screen | sed 's/^ //; s/ *|$//' | sed -n '4,29p' >seen
cat >expected <<'END'
8800 GTX H200 RTX 4090
occupancy - 100 % 66.7 %
blocks / SM - 2 1
limited by - warps+registers warps+registers
registers - 32 table 45 table
waves - 3.88 8.00
SMs 16 132 128
shared / SM 16 KB 228 KB 100 KB
memory 86 GB/s 4814 GB/s 1008 GB/s
float peak 0.3 TFLOP/s 66.9 TFLOP/s 82.6 TFLOP/s
SM clock 1350 MHz 1980 MHz 2520 MHz
L2 cache - 60.0 MB 72.0 MB
CC 1.0 9.0 8.9
warps / SM 24 64 48
block slots 8 32 24
regs / SM 8K 64K 64K
smem / block 16 KB 227 KB 99 KB
lanes / SM 8 128 128
memory size 0.8 GB 139.8 GB 23.5 GB

Tesla (G80), G80, table
uncertain: l2_bytes(0 = no CUDA-visible L2 on CC 1.x; TechPowerUp lists
a texture L2);name(PCI-ID tables; no deviceQuery dump seen)
sources: TechPowerUp
https://www.techpowerup.com/gpu-specs/geforce-8800-gtx.c187; shader
clock 1350 MHz
END
empty "the devices view shows three devices side by side, with all facts and sources" "$(diff expected seen)"
columns 2 124 <screen | sed 's/ *[v^]*$//' | grep ' [0-9]*\.[0-9] ' >rows
empty "a screen of 200x60 shows 55 devices in the devices view" "$(wc -l <rows | grep -vx 55)"
sed -n 's/^|\(.*\)|$/\1/p' "$golden/tui-devices-120x40.txt" | tr -s ' ' |
    sed 's/ *[v^]* *$//' | grep -E ' (warps and registers|cannot launch)$' >narrow
empty "a screen of 200x60 has the columns of the narrower table of devices" "$([ -s narrow ] || echo none
    grep -vxFf rows narrow)"

printf 'key F3\nscreen\nkey End\nkey Up 3\nkey Right 5\nscreen\n' >kernel
golden tui-banks-cc-3.txt tui --tile 20 --dtype double --no-nvrtc --device 3.5 --script kernel
printf 'key F3\nscreen\nkey Enter\nkey Down\nkey Right\nscreen\n' >kernel
golden tui-banks-kernel.txt tui --kernel aat-conflict --no-nvrtc --device H200 --script kernel

# --- The commands that y shows ----------------------------------------------------------------------

mkdir bin
printf '#!/bin/sh\nexec "%s" "$@"\n' "$program" >bin/smemcalc
chmod +x bin/smemcalc
shown_command() { # KEYS: commands of a script, before y
    printf '%s\nkey y\nscreen\n' "$1" >script
    smemcalc tui --tile 32 --no-nvrtc --device 9.0 --script script >screen
    command_shown screen >shown.sh
    PATH="$scratch/bin:$PATH" sh ./shown.sh 2>&1
}
expression='key F3
key End
key Enter
key Ctrl-U
type (tx*64 + ty)*4
key Enter
key Down
type 32x4
key Enter
key Down 2
key Right
key Home'
shown_command "$expression" >out
empty "the command that the banks view shows for an expression answers it" "$(
    grep -q '^store of 4 bytes per lane, block 32x4' out || cat shown.sh out)"
shown_command "$expression
key Down
key Right" >out
empty "the command that the banks view shows for a padded expression has the padding" "$(
    grep -q '^(tx\*65 + ty)\*4' out || cat shown.sh out)"
shown_command 'key F3
key Home' >out
empty "the command that the banks view shows for a kernel answers it" "$(
    grep -q '^matmul-tiled, block 32x32, CC 9.0' out || cat shown.sh out)"
shown_command 'key F3
key Home
key Right 3
key Enter
key Down 2
key Right 2' >out
echo '1,1,0' >expected
empty "the command that the banks view shows for a changed layout has one row" "$(diff expected out || cat shown.sh)"
empty "the command that the banks view shows for a changed layout has its addresses" "$(
    grep -q '^echo 1,st,4,ffffffff,280,' shown.sh || cat shown.sh)"
shown_command 'key F4
key Space
key /
type RTX 4090
key Enter' >out
empty "the command that the devices view shows has all devices side by side" "$(
    grep '^GeForce RTX 4090  *8\.9 ' out | grep -q . || cat shown.sh out
    grep -q '^compute capability 9\.0' out || cat shown.sh out)"

traced_command() { # KEYS: the same for a trace
    printf '%s\nkey y\nscreen\n' "$1" >script
    smemcalc tui --trace "$here/data/trace/step.json" --script script >screen
    command_shown screen >shown.sh
    PATH="$scratch/bin:$PATH" sh ./shown.sh 2>&1
}
traced_command 'key Right
key Down' >out
empty "the command that the trace view shows for a configuration answers it" "$(
    grep -q '12\.5 %' out || cat shown.sh out
    grep -q -e '--threads 256 --grid 1000x2 --regs 238' shown.sh || cat shown.sh
    grep -q -e 'H100 80GB HBM3' shown.sh || cat shown.sh)"
traced_command 'key Enter
key Down
key Enter
key Left' >out
empty "the command of the first screen has a value of a trace that was varied there" "$(
    grep -q -e '--regs 237' shown.sh || cat shown.sh)"

# --- A trace that is not there --------------------------------------------------------------------

printf 'key F8\nsize 80x24\nscreen\n' >script
smemcalc tui --device H200 --no-nvrtc --script script >screen
empty "without a trace the trace view says how to get one" "$(
    grep -q 'smemcalc tui --trace FILE' screen || cat screen)"
refuses 2 'none.sqlite: No such file or directory' tui --trace none.sqlite --script script
refuses 2 "$here/data/trace/step.json: given twice: its launches would count twice" \
    tui --trace "$here/data/trace/step.json" --trace "$here/data/trace/step.json" --script script
sed 's/"id":4711/"id":5/' "$here/data/trace/step.json" >other-step.json
printf 'size 120x40\nscreen\n' >script
smemcalc tui --trace "$here/data/trace/step.json" --trace other-step.json --script script >screen
empty "the trace view adds the launches of two traces" "$(grep -q ' 2592 ' screen || cat screen)"
refuses 2 "option --trace: '-' is standard input, which has the keys; name a file" tui --trace - --script script
printf 'no trace\n' >none.txt
smemcalc tui --trace none.txt --script script >out 2>err
empty "tui --trace refuses a file that is no trace" "$(
    [ ! -s out ] || cat out
    grep -q '^smemcalc: none.txt: not a trace' err || cat err)"

# --- In UTF-8 -------------------------------------------------------------------------------------

utf8=$(locale -a 2>/dev/null | grep -iEx -m 1 'C\.utf-?8|en_US\.utf-?8')
if [ -z "$utf8" ]; then
    skip "screens in UTF-8" "no such locale here"
else
    export LC_ALL="$utf8"
    printf '%s\n' "$banks" >banks
    printf '%s\n' "$devices" >devices
    golden tui-banks-utf8.txt tui --threads 256 --regs 32 --device H200 --script banks
    golden tui-trace-utf8.txt tui --trace "$here/data/trace/step.json" --script trace
    golden tui-devices-utf8.txt tui --tile 32 --no-nvrtc --device H200 --script devices
fi

finish_cases
