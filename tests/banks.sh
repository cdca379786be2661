#!/bin/sh
# smemcalc banks: its pictures and proposals, the stream of accesses, every wrong input.
# Run in the build folder. GENERATE=1 writes its tests/golden/ anew.

set -u
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

banks() {
    smemcalc banks "$@"
}

# --- Golden outputs -------------------------------------------------------------------------------

golden banks-column.txt banks --expr '(tx*32 + ty)*4' --block 32x8
golden banks-padded.txt banks --expr '(tx*33 + ty)*4' --block 32x8
golden banks-stride-2.txt banks --stride 2
golden banks-broadcast.txt banks --expr 'lane/8*4'
golden banks-store-8.txt banks --stride 1 --width 8 --store
golden banks-load-16.txt banks --expr 'lane/2*16' --width 16 --mask 0fffffff
empty "banks: rows of elements that are no words have their width" "$(
    smemcalc banks --expr '(tx%16)*32' --width 16 >out 2>err
    grep -c -e '^padding *pad each row of 2 elements of 16 B by 1 element: ' \
        -e '^swizzle *in rows of 8 elements of 16 B, put column c' out | grep -qx 2 || cat out err)"
golden banks-partial.txt banks --expr 'tx*8' --block 40 --warp 1
golden banks-cc-1.txt banks --stride 2 --device 1.1
golden banks-cc-3.txt banks --stride 32 --device "Tesla K40"
golden banks-cc-3-8.txt banks --stride 3 --device 3.5 --bank-width 8
golden banks-no-remedy.txt banks --expr 'lane*lane*lane*4'
golden banks-matmul.txt banks --kernel matmul-tiled --tile 16 --dtype double
golden banks-aat-conflict.txt banks --kernel aat-conflict --tile 32
golden banks-aat-padded.txt banks --kernel aat-padded --tile 16
golden banks-aat-padded-2.txt banks --kernel aat-padded --tile 16 --pad 2
golden banks-aat-swizzled.txt banks --kernel aat-swizzled --tile 32 --dtype double
golden banks-matmul-pad.txt banks --tile 8 --pad 24
golden banks-stencil.txt banks --kernel stencil-dynamic --block 96 --radius 100
golden banks-matmul.csv banks --tile 32 --format csv
golden banks-column.csv banks --expr '(tx*32 + ty)*4' --block 32x8 --format csv
empty "CSV: rows without their padding are proposed before more padding" "$(
    banks --expr '(ty*17 + tx)*4' --block 16x16 --format csv | grep -vx 'access,.*\|.*,2,16,0,8,,,')"
golden banks.json banks --expr 'tx*8' --format json --mask f0000001

golden banks-column.plot banks --expr '(tx*32 + ty)*4' --block 32x8 --plot -
golden banks-stride-2.plot banks --stride 2 --device 1.1 --plot -
golden banks-load-16.plot banks --expr 'lane/2*16' --width 16 --mask 0fffffff --plot -
golden banks-matmul.plot banks --kernel matmul-tiled --tile 16 --dtype double --plot -
golden banks-nothing.plot banks --stride 2 --mask 0 --plot -
empty "no picture is wider than 80 columns" "$(cat "$golden"/banks-*.plot | awk 'length > 80')"

banks --stride 2 --plot probe.svg >out 2>err
if [ $? -eq 3 ]; then
    skip "pictures in files" "built without cairo"
else
    banks --stride 2 >expected
    empty "a picture of banks goes beside the report" "$(diff expected out; cat err)"
    for kind in svg:'<?xml' png:PNG pdf:%PDF; do
        banks --tile 32 --format csv --plot "banks.${kind%%:*}" >out 2>err
        status=$?
        empty "a picture of banks as ${kind%%:*}" "$(
            [ "$status" -eq 0 ] || echo "exit status $status"
            head -c 8 "banks.${kind%%:*}" | grep -aqF "${kind#*:}" || echo "not of that kind"
            head -n 1 out | grep -q '^access,' || cat out
            cat err)"
    done
fi

fits() { # LINES EXPRESSION OPTION...
    most=$1
    shift
    banks --expr "$@" >out 2>&1
    status=$?
    empty "a report of banks fits 80 columns and $most lines: $*" "$(
        [ "$status" -eq 0 ] || echo "exit status $status"
        awk 'length > 80' out
        [ "$(wc -l <out)" -le "$most" ] || cat out)"
}
long="(lane & 3)*512 + (lane >> 2)*16 + (lane & 3)*512 + (lane >> 2)*16 + warp*4096 + warp*4096"
for width in 1 2 4 8 16; do
    fits 24 "lane*128" --width "$width"
    fits 30 "(tx*64 + ty)*$width" --width "$width" --block 32x2x4 --store
    fits 30 "tx ? threadIdx.x*256 + threadIdx.y*16 : 0" --width "$width" --block 32x2x4 --store
    fits 36 "$long" --width "$width" --block 32x2x4 --store
done

# --- Strides: gcd(s, 32) wavefronts ---------------------------------------------------------------

wrong=
for stride in 0 1 2 3 4 6 8 12 16 31 32 33 48 63 64; do
    a=$stride b=32
    while [ "$b" -gt 0 ]; do t=$((a % b)) a=$b b=$t; done
    [ "$stride" -gt 0 ] || a=1
    seen=$(banks --stride "$stride" --format csv | sed -n 2p | cut -d, -f5)
    [ "$seen" = "$a" ] || wrong="$wrong $stride: $seen, not $a;"
done
empty "stride s takes gcd(s, 32) wavefronts" "$wrong"

# --- Proposals keep what they promise, also as they are printed -----------------------------------

mkdir bin
printf '#!/bin/sh\nexec "%s" "$@" --format csv\n' "$program" >bin/smemcalc
chmod +x bin/smemcalc
# Commands begin after the text's indent; within quotes they may go over several lines.
printed_commands() {
    awk '/^ *smemcalc banks / { inside = 1 } /^[^ ]/ { inside = 0 } inside'
}
for arguments in \
    "(tx*32 + ty)*4|--block 32x8" "tx*128|" "tx*256|--width 8" "(tx << 7) + ty*4|--block 32x4" \
    "lane*16|--width 1 --store" "(threadIdx.x*1024 + threadIdx.y)*16|--block 8x8 --width 16" \
    "lane*64|--device 1.3" "tx*512|--device 3.0 --bank-width 8 --mask ffff" "lane*128|--warp 0"; do
    # shellcheck disable=SC2086
    banks --expr "${arguments%%|*}" ${arguments#*|} >out 2>err
    printed_commands <out >commands
    count=$(grep -c 'smemcalc banks' commands)
    PATH="$scratch/bin:$PATH" sh ./commands >answers 2>&1
    empty "banks proposes paddings that hold: $arguments" "$(
        [ "$count" -eq 2 ] || { echo "$count commands, not 2"; cat out; }
        awk -F, 'NR % 2 == 0 && $(NF - 7) != 0' answers
        [ "$(wc -l <answers)" -eq 4 ] || cat answers)"
done

# Useless padding of rows is dropped; a row of a power of two is not padded.
proposes() { # LINE-OF-THE-PADDING EXPRESSION BLOCK
    banks --expr "$2" --block "$3" >out 2>&1
    seen=$(sed -n '/^padding  /,/^ *smemcalc banks/{/^ *smemcalc banks/d;s/^padding//;p;}' out |
        tr -s ' \n' ' ' | sed 's/^ //;s/ $//')
    printed_commands <out >commands
    PATH="$scratch/bin:$PATH" sh ./commands >answers 2>&1
    empty "banks proposes the padding that is known: $2" "$([ "$seen" = "$1" ] || echo "$seen, not $1"
        awk -F, 'NR % 2 == 0 && $(NF - 7) != 0' answers
        grep -q '^access,' answers || cat answers)"
}
proposes "rows of 16 elements have no conflict: drop the padding: (ty*16+tx)*4" "(ty*17+tx)*4" 16x16
proposes "rows of 16 elements have no conflict: drop the padding: ty*64+tx*4" "ty*96+tx*4" 16x16
proposes "pad each row of 33 elements by 7 elements: (ty*40+tx)*4 has no conflict" "(ty*33+tx)*4" 8x32
proposes "pad each row of 32 elements by 20 elements: (ty*52+tx)*4 has no conflict" "(ty*32+tx)*4" 20x16
# A swizzle of the columns does not lengthen the rows.
proposes "pad each row of 32 elements by 8 elements: (ty*40 + (tx^ty))*4 has no conflict" \
    "(ty*32 + (tx^ty))*4" 8x32

# --- A stream of accesses -------------------------------------------------------------------------

addresses() { # STEP
    awk -v step="$1" 'BEGIN { for (i = 0; i < 32; i++) printf "%s%d", i ? "," : "", i * step }'
}
names=$(awk 'BEGIN { for (i = 0; i < 32; i++) printf "%sa%d", i ? "," : "", i }')
{
    printf 'id,op,width,mask,%s\r\n' "$names"
    printf '1,ld,4,ffffffff,%s\r\n' "$(addresses 128)"
    printf '"two, quoted ""x""",st,8,0xFFFF,%s\n' "$(addresses 8)"
    printf '\n'
    printf ' 3 , LD , 4 ,"f", %s\n' "$(addresses 4 | sed 's/,16,.*//'),16,,,,,,,,,,,,,,,,,,,,,,,,,,,"
    printf '4,ld,16,00000000,%s\n' "$(addresses 3)"
    printf '5,ld,4,1,0x80%s' ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,"
} >good.csv
banks --csv good.csv >out 2>err
status=$?
cat >expected <<'END'
id,wavefronts,conflicts
1,32,31
"two, quoted ""x""",1,0
 3 ,1,0
4,0,0
5,1,0
END
empty "banks --csv reads rows in many spellings" "$([ "$status" -eq 0 ] || echo "exit status $status"
    cat err; diff expected out)"
banks --csv - <good.csv >piped
empty "banks --csv reads standard input as a file" "$(diff expected piped)"
tail -n 1 good.csv | banks --csv - >out
empty "banks --csv answers rows without a header with none" "$(echo 5,1,0 | diff - out)"
{ printf '\357\273\277\n'; printf 'id,op,width,mask\n"two\nlines",ld,4,1,0,%s\n' \
    ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,"; } | banks --csv - >out
empty "banks --csv reads a byte order mark, and an id of two lines" \
    "$(printf 'id,wavefronts,conflicts\n"two\nlines",1,0\n' | diff - out)"
printf '' | banks --csv - >out
empty "banks --csv without rows prints nothing" "$(cat out)"

a=$(addresses 4)
{
    printf 'a,ld,4,ffffffff,%s\n' "$a"
    printf 'b,mv,4,ffffffff,%s\n' "$a"
    printf 'c,ld,3,ffffffff,%s\n' "$a"
    printf 'd,ld,4,xyz,%s\n' "$a"
    printf 'e,ld,4,1ffffffff,%s\n' "$a"
    printf 'f,ld,8,ffffffff,%s\n' "$a"
    printf 'g,ld,4,ffffffff,%s,9\n' "$a"
    printf 'h,ld,4\n'
    printf 'i,ld,4,ffffffff,-4,%s\n' "${a#0,}"
    printf 'j,ld,4,ffffffff,,%s\n' "${a#0,}"
    printf '"k,ld,4,ffffffff,%s\n' "$a"
    printf 'l,ld,4,ffffffff,\0330,%s\n' "${a#0,}"
    awk 'BEGIN { printf "m,ld,"; for (i = 0; i < 80000; i++) printf "x"; print ",ld" }'
    printf 'n,ld,4,ffffffff,4294967296,%s\n' "${a#0,}"
    printf 'z,ld,4,ffffffff,%s\n' "$a"
} >bad.csv
banks --csv bad.csv >out 2>err
status=$?
empty "bad rows of banks --csv keep their place" "$(
    [ "$status" -eq 2 ] || echo "exit status $status"
    sed 's/^"""k,ld,4,.*",,$/k,,/' out | tr '\n' ' ' |
        grep -qx 'a,1,0 b,, c,, d,, e,, f,, g,, h,, i,, j,, k,, l,, m,, n,, z,1,0 ' || cut -c 1-60 out)"
cat >expected <<'END'
smemcalc: bad.csv:2: op: 'mv' is not ld, st, atom, atom.exch, atom.cas, red, red.one, ldmatrix.x1, .x2 or .x4, stmatrix.x1, .x2 or .x4, these with or without .trans, cp.async.ca, cp.async.ca.hit or cp.async.cg
smemcalc: bad.csv:3: width: '3' is not 1, 2, 4, 8 or 16
smemcalc: bad.csv:4: mask: 'xyz' is not hexadecimal between 0 and ffffffff
smemcalc: bad.csv:5: mask: '1ffffffff' is not hexadecimal between 0 and ffffffff
smemcalc: bad.csv:6: a1: '4' is not a multiple of the width, 8
smemcalc: bad.csv:7: fields after a31: a row is id,op,width,mask,a0,...,a31
smemcalc: bad.csv:8: mask is missing: a row is id,op,width,mask,a0,...,a31
smemcalc: bad.csv:9: a0: '-4' is not an address between 0 and 4294967295
smemcalc: bad.csv:10: a0: '' is not an address between 0 and 4294967295
smemcalc: bad.csv:11: the row has a quote that is never closed
smemcalc: bad.csv:12: a0: '?0' is not an address between 0 and 4294967295
smemcalc: bad.csv:13: the row has more than 65536 bytes
smemcalc: bad.csv:14: a0: '4294967296' is not an address between 0 and 4294967295
END
empty "each bad row of banks --csv is told with its line" "$(diff expected err)"

# Operations other than ld and st.
{
    printf '1,ldmatrix.x4,16,ffffffff,%s\n' "$(addresses 128)"
    printf '2,LDMATRIX.X1.trans,16,ff,0,16,32,48,64,80,96,112\n'
    printf '3,stmatrix.x2,16,ffffffff,%s\n' "$(addresses 64)"
    printf '4,atom,4,ffffffff,%s\n' "$(addresses 0)"
    printf '5,atom.cas,8,ffffffff,%s\n' "$(addresses 16)"
    printf '6,red,8,ffffffff,%s\n' "$(addresses 8)"
    printf '7,cp.async.ca,16,ffffffff,%s\n' "$(addresses 32)"
    printf '8,cp.async.ca,4,ffffffff,%s,%s\n' "$(addresses 4)" "$(addresses 0)"
    printf '9,cp.async.cg,16,ffffffff,%s\n' "$(addresses 16)"
    printf '10,cp.async.ca,8,ffffffff,%s,%s\n' "$(addresses 8)" "$(addresses 80)"
    printf '11,cp.async.ca.hit,8,ffffffff,%s,%s\n' "$(addresses 8)" "$(addresses 80)"
} >operations.csv
banks --csv operations.csv >out 2>err
cat >expected <<'END'
1,32,28
2,1,0
3,8,6
4,32,31
5,8,4
6,unknown,unknown
7,8,4
8,32,31
9,0,0
10,6,0
11,4,2
END
empty "banks --csv counts matrices, atomics and copies" "$(cat err; diff expected out)"
{
    printf '1,ldmatrix.x4,16,ff,%s\n' "$(addresses 128)"
    printf '2,ldmatrix.x2,8,ffff,%s\n' "$(addresses 128)"
    printf '3,stmatrix.x1,16,ff,%s\n' "$(addresses 16)"
    printf '4,cp.async.ca,16,f,%s,0,0,0,8\n' "$(addresses 16)"
    printf '5,red,4,1,%s,0\n' "$(addresses 4)"
} >bad.csv
banks --csv bad.csv --device 8.0 >out 2>err
cat >expected <<'END'
smemcalc: bad.csv:1: mask: 'ff' leaves out lanes that give rows of ldmatrix.x4: ffffffff does not
smemcalc: bad.csv:2: width: '8' is not 16, the bytes that each lane accesses with ldmatrix.x2
smemcalc: bad.csv:3: op: compute capability 8.0 does not have stmatrix.x1; the first that has it is 9.0
smemcalc: bad.csv:4: g3: '8' is not a multiple of the width, 16
smemcalc: bad.csv:5: fields after a31: a row is id,op,width,mask,a0,...,a31
END
empty "bad matrices, atomics and copies are told" "$(diff expected err)"
banks --op ldmatrix.x4 --expr 'lane*128' --format json >out.json
holds "banks --op counts a matrix load" '.accesses[0] | .op == "ldmatrix.x4" and .width_bytes == 16
    and .wavefronts == 32 and .least_wavefronts == 4 and .conflicts == 28 and .phases == 4' out.json
banks --op red --width 8 --expr 'lane*8' --format json >out.json
holds "banks --op leaves open what was not counted" '.accesses[0] | .op == "red" and
    .wavefronts == null and .conflicts == null and .phases == null' out.json
refuses 2 "option --op: 'ldmatrix' is not ld, st, atom, atom.exch, atom.cas, red, red.one, ldmatrix.x1, .x2 or \
.x4, stmatrix.x1, .x2 or .x4, these with or without .trans, cp.async.ca, cp.async.ca.hit or cp.async.cg" banks --op ldmatrix --expr lane
refuses 2 "option --mask: not with --op ldmatrix.x1, which all lanes execute" \
    banks --op ldmatrix.x1 --expr 'lane*16' --mask f
refuses 2 "option --store: not with --op" banks --op st --store --expr lane
refuses 2 "option --width: '4' is not 16, the bytes that each lane accesses with ldmatrix.x1" \
    banks --op ldmatrix.x1 --width 4 --expr 'lane*16'
refuses 2 "option --op: compute capability 7.0 does not have ldmatrix.x1; the first that has it is 7.5" \
    banks --op ldmatrix.x1 --expr 'lane*16' --device 7.0
# --- Layouts --------------------------------------------------------------------------------------

golden banks-layout.txt banks --layout 'half t[128][64]' --op 'st.16 rows; ldmatrix.x4'
golden banks-layout.plot banks --layout 'half t[64][64]' --op 'st.16 rows; ldmatrix.x4.trans' --plot -
golden banks-layout.csv banks --layout 'half t[128][64]' --op 'st.16 rows; ldmatrix.x4' --format csv
golden banks-layout.json banks --layout 't[8][8]' --op 'st.16 rows' --format json

# NUMBER... are the wavefronts of each access, then the fewest of all together.
wavefronts() { # NAME NUMBERS ARGUMENT...
    counted=$1 numbers=$2
    shift 2
    banks "$@" --format json >out.json 2>err
    empty "wavefronts of $counted" "$(
        jq -r '[.accesses[].wavefronts, ([.accesses[].least_wavefronts] | add)] | join(" ")' out.json |
            grep -qx "$numbers" || cat out.json err)"
}

# What users asked in public, by the addresses that they describe.
# NVIDIA/cutlass 3172: halves, M-major rows of 128 of which ldmatrix.x4.trans reads 16x16: the first
# swizzle has no conflict in these loads, the second twice as many wavefronts as necessary.
wavefronts "cutlass 3172, Swizzle<3,3,4>" "64 64" --layout '(128,32):(1,128)' --swizzle 3,3,4 \
    --op ldmatrix.x4.trans
wavefronts "cutlass 3172, Swizzle<3,3,3>" "128 64" --layout '(128,32):(1,128)' --swizzle 3,3,3 \
    --op ldmatrix.x4.trans
wavefronts "cutlass 3172, no swizzle" "512 64" --layout '(128,32):(1,128)' --op ldmatrix.x4.trans
# NVIDIA/cutlass 2810: the Ampere example's tile of 128x32 halves, M-major with Swizzle<3,3,3> over
# lines of 64, K-major with Swizzle<2,3,3>.
wavefronts "cutlass 2810, M-major" "64 64" --layout 'Sw<3,3,3> o _0 o ((64,2),32):((1,2048),64)' \
    --op ldmatrix.x4.trans
wavefronts "cutlass 2810, K-major" "64 64" --layout '(128,32):(32,1)' --swizzle 2,3,3 --op ldmatrix.x4
# NVIDIA/cutlass 2212, triton 8149: cp.async.ca also waits for the banks of L1 that it reads. Copies of
# whole lines of 128 bytes have no conflict, while rows of 64 bytes that are 4096 apart have twice the
# wavefronts, with any swizzle of the shared memory that they fill.
copies() { # BYTES-OF-A-ROW
    awk -v row="$1" 'BEGIN { printf "1,cp.async.ca,16,ffffffff"
        for (lane = 0; lane < 32; lane++) printf ",%d", lane * 16
        for (lane = 0; lane < 32; lane++) printf ",%d", int(lane * 16 / row) * 4096 + lane * 16 % row
        print "" }' | banks --csv -
}
empty "cutlass 2212: cp.async.ca of rows of 128 and 64 bytes" "$(
    { copies 128; copies 64; } 2>&1 | tr '\n' ' ' | grep -vx '1,4,0 1,8,4 ')"
# triton 3059: a product's halves, K-major rows of 32, in triton's swizzle of 4 phases of 2 rows.
wavefronts "triton 3059" "32 32" --layout 'half t[64][32]' --swizzle 'c/8 ^ (r >> 1 & 3)' --op ldmatrix.x4

# Where nothing helps, all was tried.
hopeless() { # WORDS ARGUMENT...
    words=$1
    shift
    empty "no remedy: $*" "$(banks "$@" >out 2>err
        tr -s ' \n' ' ' <out | grep -qF "$words" || cat out err)"
}
hopeless "remedy none of 63 paddings and none of 140 swizzles removes all conflicts: all were tried" \
    --layout 't[64][64]' --op 'ld.16 rows; ld.2 columns; ld.8 columns'
hopeless "CC 9.0, 32 banks" --layout 't[64][64]' --op 'ld.2 columns; ld.8 columns; ld.16 rows' -d 9.0
hopeless "remedy none of TMA's swizzles that allow rows of this length removes all conflicts: all were" \
    --layout 't[64][64]' --swizzle tma.none --op 'ld.2 columns'

# The commands of the proposals ask about the same accesses.
banks --layout 'half t[128][64]' --op 'st.16 rows; ldmatrix.x4' >out 2>err
empty "the proposals' commands have no conflict" "$(
    awk '/smemcalc banks/ { line = $0; getline; print line " " $0 }' out | sed 's/.*smemcalc banks //' >commands
    [ "$(wc -l <commands)" -eq 2 ] || cat out err
    while read -r command; do
        eval "banks $command" >again 2>err
        grep -q '256 wavefronts, the least possible: no conflict' again || cat again err
    done <commands)"
wavefronts "wgmma's canonical layout" "64 64 128" --layout 'wgmma.k.128B(64,64)' --op 'st.16 rows; ldmatrix.x4'
wavefronts "a layout of threads" "4 4" --layout '(64,8):(8,1)' --op st.16 --threads-values '((8,4),8):((1,8),64)'
holds "a layout of threads is part of the access" \
    '.accesses[0].access == "st.16 ((8,4),8):((1,8),64)"' out.json
wavefronts "an operand of mma" "512 64" --layout 't[64][64]' --op mma.m16n8k16.a
banks --layout 'half t[64][64]' --swizzle tma.none --op 'ldmatrix.x4' --format json >out.json
holds "TMA has three swizzles and no padding" '.array | .smallest_swizzle.swizzle == {bits:3, base:3, shift:3}
    and .smallest_padding == null and .swizzles_tried == 2' out.json
refuses 2 "option --layout: '(8,8', character 5: ',' or ')' expected, but the text ends" banks --layout '(8,8' --op ld
refuses 2 "option --layout: also give the accesses, such as --op 'st.16 rows; ldmatrix.x4'" banks --layout '(8,8)'
refuses 2 "option --op: no access; such as 'st.16 rows; ldmatrix.x4'" banks --layout '(8,8)' --op ';'
refuses 2 "option --layout: 't[0][8]': not a declaration such as t[128][64] or t[128][64+8], with extents \
from 1 to 1048576" banks --layout 't[0][8]' --op ld
refuses 2 "option --swizzle: 'tma.256B': TMA has tma.none, tma.32B, tma.64B and tma.128B" \
    banks --layout '(8,8)' --swizzle tma.256B --op ld
refuses 2 "option --swizzle: only with --layout" banks --swizzle 3,3,3 --expr lane
refuses 2 "option --expr: not with --layout" banks --layout '(8,8)' --op ld --expr lane
refuses 2 "option --element: 'f12' is not a type such as f16, bf16, f32, f64, i8 or e4m3" \
    banks --layout '(8,8)' --element f12 --op ld

printf 'i\033d\342\200\256,ld,4,ffffffff,%s\n"a\tb\033",mv\n' "$a" | banks --csv - >out 2>err
empty "banks --csv copies no control characters" "$(
    printf 'i?d???,1,0\n"a\tb?",,\n' | diff - out)"

printf '1,ld,4,ffffffff,%s\n' "$(addresses 64)" >row.csv
yes "$(cat row.csv)" | head -n 300000 >many.csv
(
    # Less than the input but enough for the program, unless it was built with sanitizers.
    # shellcheck disable=SC3045
    ulimit -v 40000 2>/dev/null && smemcalc --version >/dev/null 2>&1 && touch limited &&
        banks --csv - <many.csv | uniq -c >out
)
if [ -e limited ]; then
    empty "banks --csv answers 300000 rows, 50 MB, in 40 MB of memory" "$(echo ' 300000 1,16,15' | diff -b - out)"
else
    skip "banks --csv answers 300000 rows, 50 MB, in 40 MB of memory" "memory cannot be limited here"
fi
{ yes "$(cat row.csv)" | banks --csv - 2>err; echo $? >status; } | head -n 3 >out
empty "a reader that left ends banks --csv" "$(grep -v '^4$\|^141$' status)"
if [ -c /dev/full ]; then
    banks --csv good.csv >/dev/full 2>err
    status=$?
    empty "banks --csv on a full disk is exit status 4" "$([ "$status" -eq 4 ] || echo "exit status $status")"
fi

# --- Wrong usage ----------------------------------------------------------------------------------

refuses 2 "no pattern: give --expr TEXT, --stride N, --layout LAYOUT, --kernel NAME, --csv FILE or a FILE" banks
refuses 2 "option --expr: column 9: ')' expected" banks --expr '(ty*33  '
refuses 2 "option --expr: column 9: unknown variable 'row'; known are tx, ty, tz, lane, warp, bx, by, \
bz, threadIdx.x, threadIdx.y, threadIdx.z, blockDim.x, blockDim.y, blockDim.z" \
    banks --expr '(ty*33 +row)*4'
refuses 2 "option --expr: warp 0, lane 1: the address 4 is not a multiple of 8 bytes, the --width of \
an access" banks --expr 'tx*4' --width 8
refuses 2 "option --expr: warp 1, lane 0: division by zero" banks --expr '4/(1 - warp)*4' --block 64
refuses 2 "option --expr: warp 0, lane 0: the address -4 is not between 0 and 4294967295" \
    banks --expr 'tx*4 - 4'
refuses 2 "option --expr: longer than 400 characters" banks --expr "$(printf '%0401d' 0)"
refuses 2 "option --stride: not with --expr" banks --expr 0 --stride 1
refuses 2 "option --stride: '1000001' is not between 0 and 1000000" banks --stride 1000001
refuses 2 "option --tile: not with --expr" banks --expr 0 --tile 16
refuses 2 "option --kernel: not with --stride" banks --stride 1 --kernel matmul-tiled
refuses 2 "option --block: not with --stride, which has one warp" banks --stride 1 --block 64
refuses 2 "option --block: '32x64' is not a shape such as 256, 32x8 or 8x8x4 of 1 to 1024 threads" \
    banks --expr 0 --block 32x64
refuses 2 "option --block: '0' is not a shape such as 256, 32x8 or 8x8x4 of 1 to 1024 threads" \
    banks --expr 0 --block 0
refuses 2 "option --block: '64x64' is not a number or shape (16x16) between 1 and 1024 threads" \
    banks --kernel stencil-static --block 64x64
refuses 2 "no pattern: give --expr TEXT, --stride N, --layout LAYOUT, --kernel NAME, --csv FILE or a FILE" banks --block 64
refuses 2 "option --warp: '8' is not between 0 and 7, the warps of a block of 256 threads" \
    banks --expr 0 --block 256 --warp 8
refuses 2 "option --width: '3' is not one of 1, 2, 4, 8, 16" banks --stride 1 --width 3
refuses 2 "option --mask: '0xg' is not a hexadecimal number between 0 and ffffffff" \
    banks --stride 1 --mask 0xg
refuses 2 "option --mask: '100000000' is not a hexadecimal number between 0 and ffffffff" \
    banks --stride 1 --mask 100000000
refuses 2 "option --width: not with a kernel, which determines it" banks --tile 8 --width 4
refuses 2 "option --kernel: matmul-naive does not use shared memory" banks --kernel matmul-naive
refuses 2 "option --kernel: aat-naive does not use shared memory" banks --kernel aat-naive
refuses 2 "option --pad: not with --stride" banks --stride 1 --pad 1
refuses 2 "option --device: banks is about one device, but 2 are named" banks --stride 1 -d 8.0 -d 9.0
refuses 2 "option --bank-width: only on compute capability 3.x, not 9.0" \
    banks --stride 1 --device 9.0 --bank-width 8
refuses 2 "option --bank-width: only on compute capability 3.x, not 1.1" \
    banks --csv - --device 1.1 --bank-width 4
refuses 2 "option --plot: not with --csv, which gives the accesses itself" banks --csv - --plot x.svg
refuses 2 "option --plot: '-' draws instead of the text report; not with --format csv" \
    banks --stride 1 --plot - --format csv
refuses 2 "option --stride: not with --csv, which gives the accesses itself" banks --csv - --stride 1
refuses 2 "option --csv: /nowhere/x.csv: No such file or directory" banks --csv /nowhere/x.csv
refuses 2 "option --expr: not for the command query, only for banks" --expr 0

# --- JSON -----------------------------------------------------------------------------------------

grep -oE '[a-z0-9_]+' "$here/../man/smemcalc-formats.5" | sort -u >documented
empty "every CSV column of banks is in the man page" "$(banks --stride 1 --format csv | head -n 1 |
    tr ',' '\n' | sort -u | comm -23 - documented)"
if ! command -v jq >/dev/null; then
    skip "JSON" "no jq"
    finish_cases
fi
banks --expr '(tx*32 + ty)*4' --block 32x8 --format json >out.json
holds "JSON of banks: the cost of an access" '.accesses[0] | .wavefronts == 256 and .least_wavefronts == 8
    and .conflicts == 248 and .accesses == 8 and .op == "load" and .width_bytes == 4' out.json
holds "JSON of banks: the worst warp of an access" '.accesses[0].worst | .warp == 0 and (.addresses | length) == 32
    and (.wavefronts | length) == 32 and .wavefronts[31].banks == [{bank: 0, word: 992, lanes: [31]}]
    and .least_wavefronts == 1' out.json
holds "JSON of banks: the padding to add" '.accesses[0].padding == {row_elements: 32, padding_elements: 1,
    swizzle_span: 0, swizzle_shift: 0, expression: "(tx*33 + ty)*4"}' out.json
holds "JSON of banks: null where no narrower row helps" '.accesses[0].narrower == null' out.json
banks --expr '(ty*17 + tx)*4' --block 16x16 --format json >narrower.json
holds "JSON of banks: a narrower row" '.accesses[0].narrower == {row_elements: 16,
    expression: "(ty*16 + tx)*4"}' narrower.json
holds "JSON of banks: the padding to drop" '.accesses[0].padding == {row_elements: 16, padding_elements: 0,
    swizzle_span: 0, swizzle_shift: 0, expression: "(ty*16 + tx)*4"}' narrower.json
holds "JSON of banks: the swizzle" '.accesses[0].swizzle | .swizzle_span == 32 and .padding_elements == 0' \
    out.json
jq -r '[paths | .[] | strings] | unique | .[]' out.json | sort -u >keys
empty "every JSON key of banks is in the man page" "$([ -s keys ] || echo "no keys"
    comm -23 keys documented)"
banks --kernel reverse-static --format json >out.json
holds "JSON of banks: a kernel of the catalog" '.banks.kernel == "reverse-static" and .banks.block == [256, 1, 1]
    and (.accesses | map(.access)) == ["staged[i]", "staged[length - 1 - i]"]
    and (.accesses | map(.conflicts) | add) == 0' out.json

finish_cases
