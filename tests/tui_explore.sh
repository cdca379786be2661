#!/bin/sh
# The explorer's first screen: how it looks, how it handles the user's devices and scripts, and
# that the command line it shows has the answer on the screen. NVRTC is left out, so that every
# machine shows the same.

set -u
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

export CUDA_VISIBLE_DEVICES= # a machine's own GPU would take the place of an assumed one
leave_out_keys

utf8=C.UTF-8
[ "$(LC_ALL=$utf8 locale charmap 2>/dev/null)" = UTF-8 ] || utf8=

# Plays what standard input has, with options as for `smemcalc`.
play() { # ARGUMENT...
    cat >keys.txt
    smemcalc tui --no-nvrtc --script keys.txt "$@"
}

# --- How it looks ---

# A screen of that size, once it was played upon.
looks() { # SIZE GOLDEN KEYS ARGUMENT...
    size=$1 file=$2 keys=$3
    shift 3
    { echo "size $size"; printf '%s\n' "$keys"; echo screen; } >keys.txt
    golden "$file" tui --no-nvrtc --script keys.txt "$@"
}

if [ -n "$utf8" ]; then
    export LC_ALL=$utf8
    for size in 80x24 120x40; do
        looks $size tui-explore-$size.txt '' --tile 16 --device "RTX 4090"
    done
    looks 80x24 tui-explore-refused.txt '' --tile 32 --device "8800 GTX"
    looks 80x24 tui-explore-no-answer.txt 'key Right' --tile 32 --barriers 17 --device H200
    looks 100x30 tui-explore-bytes.txt 'key Down 2' --kernel stencil-static --radius 6000 --device H200
    looks 60x16 tui-explore-command.txt 'key y' --kernel matmul-naive --size 1000x2000x3000 \
        --lda 4000 --dtype double --carveout 50 --device H200
    looks 80x24 tui-explore-help.txt 'key F1' --tile 32 --device H200
    export LC_ALL=C
else
    skip "screens in UTF-8" "no locale C.UTF-8"
fi
looks 80x24 tui-explore-ascii.txt '' --tile 20 --device H200
looks 120x40 tui-explore-own.txt 'key Down 2' --threads 250 --regs 40 --smem 1000 --grid 1000 --device 2.0
looks 59x16 tui-explore-small.txt '' --tile 32 --device H200

# --- What a screen of 200x60 shows beyond that ---

printf 'size 120x40\nscreen\nsize 200x60\nscreen\n' | play --tile 16 --device "RTX 4090" >both
grep -n '^  time  not predicted: no machine code for sm_89$' both | cut -d: -f1 | xargs >lines
empty "the explorer without machine code says why there is no time" "$(grep -vx '3 43' lines)"
grep -v '^  time ' both >screens
sed -n '/^-\{200\}$/,$p' screens >wide
sed -n 3p wide | tr -s ' -' | sed 's/+/|/g; s/ *- */ /g' >seen
echo '| launch <> change | one SM A Z blocks % rounding : driver'"'"'s . free / unreachable | blocks each resource allows } above 24 |' |
    diff - seen >difference
empty "a screen of 200x60 has three columns with titles" "$(cat difference)"
sed -n 4,19p screens | cut -c1-35 >expected
empty "a screen of 200x60 has the fields of a narrower one" "$(sed -n 4,19p wide | cut -c1-35 | diff expected -)"

cut -c36-152 wide | sed -n 4,18p >sm
cut -c98-116 sm | tr -d ' ' | tr -s '\n' ';' >seen
printf '48of48;100%%;8perblock;61440of65536;93.8%%;10240perblock;18KBof100KB;18%%;3KBperblock;6of24;25%%;1perblock;' >expected
empty "a screen of 200x60 shows what is used of each resource, in per cent, and by a block" "$(cmp -s expected seen || cat seen)"
# How many cells each block, and rounding, reserved, free and unreachable memory have, of 3 x 80.
for resource in 'warps' 'registers' 'shared memory' 'block slots'; do
    awk -v resource="$resource" '
        substr($0, 3, length(resource)) == resource { on = 3 }
        on-- > 0 { bar = bar substr($0, 17, 80) }
        END { n = split("A B C D E F % : . /", sign, " ")
              for (i = 1; i <= n; i++) printf "%d ", gsub("[" sign[i] "]", "", bar); print resource }' sm
done >seen
empty "a screen of 200x60 has the bars of the SM" "$(diff - seen <<'END'
40 40 40 40 40 40 0 0 0 0 warps
34 33 34 33 34 33 24 0 0 15 registers
5 5 5 5 5 5 0 13 197 0 shared memory
10 10 10 10 10 10 0 0 180 0 block slots
END
)"
cut -c154-199 wide | sed -n 4,7p | tr -s ' ' | sed 's/ $//' >seen
empty "a screen of 200x60 has the limits on resident blocks" "$(diff - seen <<'END'
 warps 6 ##### binds
 registers 6 ##### binds
 shared memory 33 #################}
 block slots 24 ##################
END
)"

# The words are those of the program, without its line breaks.
smemcalc --tile 16 --no-nvrtc --device "RTX 4090" | awk '
    /^[^ ]/ { label = substr($0, 1, 12); sub(/ *$/, "", label) }
    label == "next steps" || label == "work" { print substr($0, 13) ";" }' |
    tr -d ';\n' | tr -d ' ' >expected
cut -c154-199 wide | sed '1,/- next steps -/d; /^-*$/d; s/^- work -*//; s/^ - / /' >words
tr -d ' \n' <words | sed 's/4096blocks.*//' >seen
empty "a screen of 200x60 has the next steps and the work of a query" "$(cmp -s expected seen || cat expected seen)"
empty "a screen of 200x60 has the waves of the launch" "$(tr -d '\n' <words | tr -s ' ' | grep -q '4096 blocks in 6 waves, the last of 256' || cat words)"

# Each tile has a tick, below a column as high as its occupancy, and the letter of its limiter.
smemcalc sweep --tile 1:32 --no-nvrtc --device "RTX 4090" --format csv >sweep.csv
cut -c42-151 wide | sed -n '/by tile -/,$p' >chart
empty "the chart of tiles has the occupancies of a sweep" "$(awk -F, '
    NR == FNR { for (i = 1; FNR == 1 && i <= NF; i++) if ($i == "occupancy_percent") column = i
                percent[FNR - 1] = $column; next }
    { line[FNR] = $0 }
    /^-[-+]*===[-+]*/ { axis = FNR }
    END {
        rows = axis - 2
        gsub(/===/, "-+-", line[axis])
        for (at = 1; at <= length(line[axis]); at++) {
            if (substr(line[axis], at, 1) != "+") continue
            tile++
            high = 0
            for (i = 2; i < axis; i++) high += substr(line[i], at, 1) == "#"
            miss = high - percent[tile] * rows / 100
            if (miss < -1 || miss > 1) print tile ": " high " rows of " rows " for " percent[tile] " %"
        }
        if (tile != 32) print tile " tiles"
    }' sweep.csv chart)"
empty "the chart of tiles names every tile" "$(sed -n '/===/{n;p;}' wide | cut -c37-152 | tr -s '|' ' ' | xargs |
    grep -vx "$(seq -s ' ' 1 32)")"
empty "the chart of tiles has the limiters" "$(grep -c '| why b\{18\}w\{92\} |' wide | grep -vx 1)"

# --- Scripts that cannot be read ---

printf 'key Down\nkey Dwon\n' >keys.txt
refuses 2 "keys.txt:2: unknown key 'Dwon'" tui --tile 8 --device H200 --script keys.txt
printf '# 1\n\nsize 80\n' >keys.txt
refuses 2 "keys.txt:3: not COLUMNSxROWS up to 1000x500: '80'" tui --device H200 --script keys.txt
refuses 2 "no-such-file: No such file or directory" tui --script no-such-file
head -c 1100000 /dev/zero | tr '\0' '#' >keys.txt
refuses 2 "keys.txt: not a script of at most 1048576 bytes" tui --script keys.txt
printf 'screen\0' >keys.txt
refuses 2 "keys.txt: not a script of at most 1048576 bytes" tui --script keys.txt
: >keys.txt
empty "an empty script of keys prints nothing" "$(smemcalc tui --no-nvrtc --tile 8 --device H200 --script keys.txt 2>&1)"

# --- A person's own devices ---

# No row of a screen is wider than it, and it contains no terminal controls.
sound_rows() { # FILE COLUMNS
    widest=$(LC_ALL=${utf8:-C} wc -L <"$1")
    [ "$widest" -le "$2" ] || echo "a row of $widest columns"
    tr -d '\n' <"$1" | grep -aq '[[:cntrl:]]' && echo "a control character"
}

named() { # NAME: a device of that name in devices.json
    jq -n --arg name "$1" '{name: $name, compute_capability: "9.0", sm_count: 7}' >devices.json
}

long=$(printf 'W%.0s' $(seq 127))
wide=$(printf '\346\274\242%.0s' $(seq 42))
# shellcheck disable=SC2016 # it is to stay as it is
hostile='e"$(touch pwned)`touch pwned`\!'"'"
for name in "$long" "$wide" "$hostile" "$(printf 'a\314\201\357\270\217\360\237\232\200')"; do
    named "$name"
    printf 'screen\nsize 60x16\nscreen\nsize 200x60\nkey F1\nscreen\n' |
        LC_ALL=${utf8:-C} play --tile 16 --device-file devices.json --device "$name" >out 2>err
    seen=$?
    empty "a device with a strange name is shown: $(printf %.20s "$name")" \
        "$([ $seen -eq 0 ] || cat err)$(sound_rows out 200)$(wc -l <out | grep -vx 101)"
done
for name in "$(printf 'a\033[31mb')" "$(printf 'line\nline')" "${long}W"; do
    named "$name"
    printf 'screen\n' | play --tile 16 --device-file devices.json >out 2>err
    seen=$?
    empty "a device name is refused: $(printf %.8s "$name" | tr -d '\033\n')" \
        "$([ $seen -eq 2 ] || echo "exit status $seen")$(cat out)$(sound_rows err 400)"
done

# --- The command line it shows ---

# "4 blocks/SM 81.2 %", "cannot launch": what the top row ends in.
verdict_of() { # FILE
    sed -n 2p "$1" | tr -s ' ' |
        grep -oE '([0-9]+ blocks?/SM [0-9.]+ %|cannot (launch|compile)|no answer)$'
}

# The same from the real program, or "no answer".
verdict_of_command() { # COMMAND
    if ! eval "$1 --format json" >out.json 2>err.json; then
        echo "no answer"
    elif [ "$(jq .occupancy.blocks_per_sm out.json)" = 0 ]; then
        jq -r .occupancy.outcome out.json | tr _ ' '
    else
        jq -r .occupancy.blocks_per_sm out.json | sed 's/$/ blocks/; s/^1 blocks$/1 block/' | tr -d '\n'
        printf '/SM %.1f %%\n' "$(jq .occupancy.percent out.json)" | sed 's/\.0 %$/ %/'
    fi
}

# 30 random keys and lines typed, then the command line.
random_script() { # SEED
    awk -v seed="$1" 'BEGIN {
        srand(seed)
        keys = split("Down Down Down Up Left Right Right Home End < > x u PgDn", key, " ")
        lines = split("7 16 31 64 100 255 1024 2K 40K 9.0 1.0 own h200 8800 double 3", line, " ")
        for (i = 0; i < 30; i++) {
            if (rand() < 0.75) print "key " key[1 + int(rand() * keys)]
            else print "key Enter\ntype " line[1 + int(rand() * lines)] "\nkey Enter"
        }
        print "key y\nscreen"
    }'
}

kernels=$(smemcalc kernels --format csv | sed 1d | cut -d, -f1)
complaint='' answered=0 states=0
for seed in $(seq 50); do
    # shellcheck disable=SC2086 # a word each
    kernel=$(echo $kernels | cut -d' ' -f$((seed % $(echo $kernels | wc -w) + 1)))
    random_script "$seed" | play --kernel "$kernel" --device H200 >out 2>&1
    command=$(command_shown out) shown=$(verdict_of out)
    asked=$(verdict_of_command "$command")
    states=$((states + 1))
    [ "$asked" = "no answer" ] || answered=$((answered + 1))
    [ -n "$command" ] && [ "$shown" = "$asked" ] ||
        complaint="$complaint$seed: '$shown' on the screen; '$asked' for: $command
"
done
empty "50 command lines that the explorer shows have the answer on its screen" "$complaint"
empty "at least 30 of 50 command lines that the explorer shows have an answer" "$([ $answered -ge 30 ] || echo "$answered of $states")"

# The time is that of the program; a script that presses keys quickly sees that of its last one.
if smemcalc --tile 8 --device H200 --format json | jq -e '.time.predicted_ms' >/dev/null; then
    complaint=''
    for timed in matmul-tiled aat-padded stencil-window; do
        printf 'size 120x30\nkey Left 8\nkey Right 3\nscreen\nkey y\nscreen\n' >keys.txt
        smemcalc tui --kernel "$timed" --device H200 --script keys.txt >out
        shown=$(sed -n 's/^  time  //p' out | sed -n '1s/,.*//p')
        asked=$(eval "$(command_shown out)" | tr -s ' ' | sed -n 's/^time \([^)]*)\).*/\1/p')
        [ -n "$shown" ] && [ "$shown" = "$asked" ] || complaint="$complaint$timed: '$shown', '$asked'
"
    done
    empty "the predicted time on the screen is that of the command line" "$complaint"
    printf 'key F7\nscreen\n' >keys.txt
    smemcalc tui --tile 32 --device H200 --script keys.txt >out
    empty "the explorer's roofline shows the kernel's family" "$(grep -q '^| Roofline of the matmul kernels' out || cat out)"
else
    skip "predicted times" "there is no NVRTC, so no machine code"
fi

# A name that a shell would execute, quoted so that it does not.
named "$hostile"
printf 'key y\nscreen\n' |
    play --tile 16 --device-file devices.json --device "$hostile" >out 2>err
verdict_of_command "$(command_shown out)" >seen
empty "a device name that a shell would execute is quoted" "$(cat err err.json)$([ ! -e pwned ] || echo obeyed
    jq -r .device.name out.json | grep -vxF "$hostile")"

finish_cases
