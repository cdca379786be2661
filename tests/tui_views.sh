#!/bin/sh
# The explorer's screens of banks and devices, played from scripts: golden screens, and commands that
# they show, run. Run in the build folder. GENERATE=1 writes its tests/golden/ anew.

set -u
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

# Screens are the same everywhere: no GPU of this machine, no NVRTC, a named device.
export CUDA_VISIBLE_DEVICES=

leave_out_keys

# --- Golden screens -------------------------------------------------------------------------------

# A column of a tile meets one bank; a padding frees it.
banks='key F3
key Down
screen
key Right
screen'
# Three devices side by side, sorted by another column.
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
screen'

for size in 60x16 80x24 120x40 200x60; do
    printf 'size %s\n%s\n' "$size" "$banks" >banks
    printf 'size %s\n%s\n' "$size" "$devices" >devices
    golden "tui-banks-$size.txt" tui --threads 256 --regs 32 --device H200 --script banks
    golden "tui-devices-$size.txt" tui --tile 32 --no-nvrtc --device H200 --script devices
done

printf 'key F3\nscreen\nkey End\nkey Up 2\nkey Right 5\nscreen\n' >kernel
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
empty "an expression's command answers it" "$(
    grep -q '^store of 4 bytes per lane, block 32x4' out || cat shown.sh out)"
shown_command "$expression
key Down
key Right" >out
empty "that of a padded expression has the padding" "$(
    grep -q '^(tx\*65 + ty)\*4' out || cat shown.sh out)"
shown_command 'key F3
key Home' >out
empty "a kernel's command answers it" "$(
    grep -q '^matmul-tiled, block 32x32, CC 9.0' out || cat shown.sh out)"
shown_command 'key F3
key Home
key Right 3
key Enter
key Down 2
key Right 2' >out
echo '1,1,0' >expected
empty "an access of a changed layout is one row" "$(diff expected out || cat shown.sh)"
empty "with the addresses that it has" "$(
    grep -q '^echo 1,st,4,ffffffff,280,' shown.sh || cat shown.sh)"
shown_command 'key F4
key Space
key /
type RTX 4090
key Enter' >out
empty "devices side by side have one command" "$(
    grep '^GeForce RTX 4090  *8\.9 ' out | grep -q . || cat shown.sh out
    grep -q '^compute capability 9\.0' out || cat shown.sh out)"

# --- In UTF-8 -------------------------------------------------------------------------------------

utf8=$(locale -a 2>/dev/null | grep -iEx -m 1 'C\.utf-?8|en_US\.utf-?8')
if [ -z "$utf8" ]; then
    skip "screens in UTF-8" "no such locale here"
else
    export LC_ALL="$utf8"
    printf '%s\n' "$banks" >banks
    printf '%s\n' "$devices" >devices
    golden tui-banks-utf8.txt tui --threads 256 --regs 32 --device H200 --script banks
    golden tui-devices-utf8.txt tui --tile 32 --no-nvrtc --device H200 --script devices
fi

finish_cases
