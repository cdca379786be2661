#!/bin/sh
# smemcalc batch as a script uses it: files and standard input, options, exit statuses, a golden
# output, the same figures as a query, and memory that does not grow. Run in the build folder.
# GENERATE=1 writes tests/golden/batch.csv anew.

set -u
export LC_ALL=C NO_COLOR=1 SMEMCALC_PROGRAM=smemcalc

here=$(cd "$(dirname "$0")" && pwd) || exit 99
program=$PWD/smemcalc
# shellcheck source=tests/cases.sh
. "$here/cases.sh"

[ -x "$program" ] || { echo "batch.sh: no ./smemcalc here" >&2; exit 77; }
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99

smemcalc() {
    "$program" "$@"
}

# Runs a batch on standard input; compares exit status, standard output and standard error.
answers() { # NAME STATUS OUTPUT-FILE MESSAGE ARGUMENT...
    name=$1 status=$2 expected=$3 message=$4
    shift 4
    smemcalc batch "$@" >out 2>err
    seen=$?
    printf '%s' "${message:+smemcalc: $message
}" >message
    empty "$name" "$(
        [ "$seen" -eq "$status" ] || echo "exit status $seen, not $status"
        diff "$expected" out
        diff message err)"
}

# --- Golden ---------------------------------------------------------------------------------------

launches=$here/data/launches.csv
first_bad="line 11: threads: 'many' is not a number or shape (16x16) between 1 and 2147483647"
[ -z "${GENERATE-}" ] || smemcalc batch --pass id --pass "what, and why" "$launches" >"$here/golden/batch.csv"
answers "golden batch.csv, from a file" 2 "$here/golden/batch.csv" \
    "$launches: 4 of 15 rows cannot be read; the first: $first_bad" "$launches" --pass all
answers "golden batch.csv, from standard input" 2 "$here/golden/batch.csv" \
    "standard input: 4 of 15 rows cannot be read; the first: $first_bad" --pass all <"$launches"
answers "golden batch.csv, from -" 2 "$here/golden/batch.csv" \
    "standard input: 4 of 15 rows cannot be read; the first: $first_bad" - --pass id --pass "what, and why" <"$launches"
sed 's/$/\r/' "$launches" >crlf.csv
answers "golden batch.csv, from lines that end in CRLF" 2 "$here/golden/batch.csv" \
    "crlf.csv: 4 of 15 rows cannot be read; the first: $first_bad" crlf.csv --pass all

# --- Compressed input -----------------------------------------------------------------------------

gzip -c "$launches" >launches.csv.gz
smemcalc batch launches.csv.gz --pass all >out 2>err
if grep -q 'no zlib' err; then
    skip "launches compressed by gzip" "built without zlib"
else
    answers "a file compressed by gzip" 2 "$here/golden/batch.csv" \
        "launches.csv.gz: 4 of 15 rows cannot be read; the first: $first_bad" launches.csv.gz --pass all
    mkfifo pipe
    { head -c 1 launches.csv.gz; sleep 0.1; tail -c +2 launches.csv.gz; } >pipe &
    answers "a compressed pipe whose first byte comes alone" 2 "$here/golden/batch.csv" \
        "standard input: 4 of 15 rows cannot be read; the first: $first_bad" --pass all <pipe
    head -c 200 launches.csv.gz >cut.csv.gz
    smemcalc batch cut.csv.gz --pass all >out 2>err
    empty "a compressed file that was cut is an error" "$([ $? -eq 2 ] || echo "exit status $?"
        grep -q '^smemcalc: cut.csv.gz: the compressed file ends early' err || cat err)"
fi

# --- Options and exit statuses --------------------------------------------------------------------

: >nothing
results=blocks_per_sm,warps_per_sm,occupancy_percent,limiters,limit_warps,limit_blocks
results=$results,limit_registers,limit_shared_memory,limit_barriers,allocated_registers
results=$results,allocated_smem,error,outcome,refusals
printf 'threads\n256\n' >threads.csv
printf 'threads,%s\n256,8,64,100,warps+registers,8,32,8,25,32,8192,9216,,launches,\n' "$results" >expected
answers "batch: options give what no column does" 0 expected "" \
    threads.csv --device 9.0 --regs 32 --smem 4K --dynamic-smem 4K --barriers 2
printf 'name\na\n' >names.csv
printf 'name,%s\na,7,56,87.5,shared_memory,8,32,8,7,64,8192,17408,,launches,,,0\n' \
    "$results,resident_clusters,clusters_are_bound" >expected
answers "batch: all inputs may come from options" 0 expected "" \
    names.csv --pass name --device 9.0 --threads 256 --regs 32 --smem 16K --carveout 50 --cluster 2
printf 'threads,device\n256,8.0\n512,\n' >mixed.csv
printf 'threads,device,%s\n%s\n%s\n' "$results" \
    '256,8.0,8,64,100,warps+registers,8,32,8,164,,8192,1024,,launches,' \
    '512,,4,64,100,warps+registers,4,32,4,228,64,16384,1024,,launches,' >expected
answers "batch: a column goes before an option, which counts for empty fields" 0 expected "" \
    mixed.csv --device 9.0 --regs 32

answers "batch refuses a missing file" 2 nothing "none.csv: No such file or directory" none.csv
answers "batch refuses a folder" 2 nothing ".: Is a directory" .
answers "batch refuses an empty input" 2 nothing "nothing:1: no header: the input is empty" nothing
answers "batch names a needed column that is missing" 2 nothing "threads.csv:1: no column 'regs', and no option \
--regs" threads.csv --device 9.0
answers "batch refuses two files" 2 nothing "'names.csv': the command batch accepts at most 1 file" \
    threads.csv names.csv
answers "batch refuses two devices" 2 nothing "option --device: several are named; one is for all rows, and a column \
'device' gives each its own" threads.csv --regs 1 --device 9.0 --device 8.0
answers "batch refuses an unknown device" 2 nothing "option --device: unknown device 'Voodoo'; 'smemcalc \
devices' lists them, or give a compute capability such as 9.0" \
    threads.csv --regs 1 --device Voodoo
printf 'device,threads,regs,smem_bytes,id\n9.0,256,40,12288,7\n' >other.csv
answers "an unknown column is an error before the first row" 2 nothing "other.csv:1: 2 unknown \
columns: --pass 'smem_bytes,id' copies them unread" other.csv
answers "an unknown column is named with what it may mean" 2 nothing "other.csv:1: unknown column \
'smem_bytes'; did you mean 'smem'? --pass 'smem_bytes' copies it unread" other.csv --pass id
printf 'device,threads,regs,smem_bytes,id,%s\n9.0,256,40,12288,7,%s\n' "$results" \
    '6,48,75,registers,8,32,6,228,64,10240,1024,,launches,' >expected
answers "columns named by two options are copied" 0 expected "" other.csv --pass id --pass smem_bytes
printf 'device,threads,regs,\n' >unnamed.csv
answers "a column without a name is unknown, too" 2 nothing "unnamed.csv:1: unknown column '': \
--pass '' copies it unread" unnamed.csv
answers "--pass all copies whatever is not known" 0 expected "" other.csv --pass all
printf 'threads,regs,smem,cluster,device\n256.0,32.00,NaN,<NA>,8.0\n256,nan,8192.0,1.0,nan\n' >frame.csv
printf 'threads,regs,smem,cluster,device,%s\n256.0,32.00,NaN,<NA>,8.0,%s\n256,nan,8192.0,1.0,nan,%s\n' \
    "$results,resident_clusters,clusters_are_bound" '8,64,100,warps+registers,8,32,8,164,,8192,1024,,launches,,,0' \
    '8,64,100,warps+registers,8,32,8,25,32,8192,9216,,launches,,,0' >expected
answers "what a data frame writes for whole numbers and for none is read" 0 expected "" \
    frame.csv --device 9.0 --regs 32 --barriers 2
printf 'threads,smem\n1x1x128,300000\n256.5,0\n' >refused.csv
printf 'threads,smem,%s\n1x1x128,300000,%s\n256.5,0,%s\n' "$results" \
    '0,0,0,shared_memory,16,32,16,0,64,4096,301056,,cannot_launch,static_smem_per_block+smem_per_block+block_z' \
    ",,,,,,,,,,,line 3: threads: '256.5' is not a number or shape (16x16) between 1 and 2147483647,," >expected
answers "a refused launch has its reasons" 2 expected "refused.csv: 1 of 2 rows cannot be read; the \
first: line 3: threads: '256.5' is not a number or shape (16x16) between 1 and 2147483647" \
    refused.csv --device 9.0 --regs 32
printf 'threads,registers,smem,device\n256,40,12K,8.0\n' >aliases.csv
printf 'threads,registers,smem,device,%s\n256,40,12K,8.0,%s\n' "$results" \
    '6,48,75,registers,8,32,6,12,,10240,13312,,launches,' >expected
answers "registers and smem are columns that are read" 0 expected "" aliases.csv
answers "batch takes a closed standard input for an empty one" 2 nothing \
    "standard input:1: no header: the input is empty" <&-

smemcalc batch mixed.csv --device 9.0 --regs 32 >&- 2>err
status=$?
empty "batch with a closed standard output is exit status 4" "$(
    [ "$status" -eq 4 ] || echo "exit status $status"
    echo "smemcalc: standard output: it is closed" | diff - err)"
if [ -c /dev/full ]; then
    smemcalc batch mixed.csv --device 9.0 --regs 32 >/dev/full 2>err
    status=$?
    empty "batch on a full disk is exit status 4" "$(
        [ "$status" -eq 4 ] || echo "exit status $status"
        echo "smemcalc: standard output: No space left on device" | diff - err)"
else
    skip "batch on a full disk" "no /dev/full"
fi

printf 'device,threads,regs\ngpu0,256,32\nGPU999,256,32\n' >gpus.csv
smemcalc batch gpus.csv >out 2>err
empty "a GPU of this machine is answered, or said not to be there" "$(
    sed -n 2p out | grep -Eq '^gpu0,256,32,([1-9].*,|,{11}"?line 2: device: no GPU: .*)$' || cat out
    sed -n 3p out | grep -Eq '^GPU999,256,32,{12}"?line 3: device: (no GPU|.*GPU 999)' || cat out)"

# --- The same figures as a query ------------------------------------------------------------------

smemcalc --threads 224 --regs 92 --smem 3000 --carveout 30 --barriers 3 --cluster 2 \
    -d 9.0 -d H200 -d "GeForce 8800 GTX" -d 6.2 --format csv >query.csv 2>err
smemcalc batch query.csv --pass all >again.csv 2>err
status=$?
empty "batch answers the CSV report of a query as the query did" "$(
    [ "$status" -eq 0 ] || cat err
    # Of the query's columns without times, the cooperative grid and the bins; of the batch's the last 16 without
    # the outcome.
    sed 1d query.csv | sed 's/,$//; s/,,,,,\(,[0-9]*,[01]\)$/\1/' | sed 's/.*,2,default,//' >a
    sed 1d again.csv | awk -F, '{ for (i = NF - 15; i <= NF; i++)
        if (i < NF - 3 || i > NF - 2) printf "%s%s", $i, i < NF ? "," : "\n" }' >b
    [ "$(wc -l <a)" -eq 4 ] || cat a
    diff a b)"

# --- Streaming ------------------------------------------------------------------------------------

rows() { # COUNT: launches of a few devices, one row in a thousand bad
    awk -v rows="$1" 'BEGIN {
        print "device,threads,regs,static_smem,dynamic_smem,note"
        for (i = 0; i < rows; i++)
            printf "%s,%s,%d,%d,%d,\"row %d\"\n", (i % 3 ? "H200" : "8.6"),
                i % 1000 == 999 ? "x" : 32 * (1 + i % 32), i % 200, i % 12 * 1024, i % 40 * 512, i
    }'
}

peak() { # ROWS: the program's peak memory in KiB, and how many rows and errors came out
    rows "$1" | /usr/bin/time -o time -f %M "$program" batch --pass note 2>err |
        awk -F, 'END { print NR - 1, bad > "counts" } $(NF - 1) == "" && NR > 1 { bad++ }'
    tail -n 1 time
}

if [ -x /usr/bin/time ] && /usr/bin/time -o time -f %M true 2>/dev/null; then
    small=$(peak 10000)
    large=$(peak 1000000)
    counts=$(cat counts)
    empty "a million rows, a thousand of them bad, are all answered" \
        "$([ "$counts" = "1000000 1000" ] || echo "rows and errors: $counts")"
    # The part of its files that is in memory differs between runs; memory leaked by rows would not.
    for _ in 2 3; do
        [ "$large" -le $((small + 512)) ] || large=$(peak 1000000)
    done
    empty "a million rows take no more memory than ten thousand" \
        "$([ "$large" -le $((small + 512)) ] || echo "$large KiB, not $small KiB")"
else
    skip "memory does not grow" "no GNU time"
fi

# shellcheck disable=SC2154,SC2086 # words
{ rows 100000 | $default_signals "$program" batch --pass note 2>err; echo $? >status; } | head -n 1 >out
empty "a reader that left ends batch quietly" "$(grep -v '^141$' status; cat err)"

printf 'device,threads,regs,no\033te\nH200,256,32,\033[31mx\nH200,256,\033,\342\200\256y\nH200,256,32,"a\tb\nc"\n' |
    smemcalc batch --pass all >out 2>err
empty "batch copies columns without control characters" "$(
    cut -d, -f4 out | head -n 4 | tr '\n' ' ' | grep -qx 'no?te ?\[31mx ???y "a	b ' || cat out
    LC_ALL=C tr -d '\n\t' <out | LC_ALL=C grep '[[:cntrl:]]')"

# --- JSON -----------------------------------------------------------------------------------------

# The results of a JSON row as batch writes them in CSV.
as_csv='[.blocks_per_sm, .warps_per_sm, .occupancy_percent, (.limiters | if . then join("+") else . end),
    .limit_warps, .limit_blocks, .limit_registers, .limit_shared_memory, .limit_barriers,
    .allocated_registers, .allocated_smem, .error, .outcome, (.refusals | if . then join("+") else . end),
    .resident_clusters, (.clusters_are_bound | if . == null then . elif . then 1 else 0 end)] |
    map(if . == null then "" else tostring end) | join(",")'
if command -v jq >/dev/null; then
    smemcalc batch --pass all "$launches" --format jsonl >rows.jsonl 2>err
    empty "JSON lines: the message is that of CSV" "$(
        echo "smemcalc: $launches: 4 of 15 rows cannot be read; the first: $first_bad" | diff - err)"
    empty "JSON lines have the columns of the input, numbers as numbers" "$(
        jq -c '[.id, (.device | type), .threads, ."what, and why"]' rows.jsonl | sed -n '1,3p;9p' >columns
        cat >expected <<'END'
[1,"number",128,"carve-out 24 %"]
[2,"number",128,"carve-out \"99 %\""]
[3,"number",224,null]
[9,"string","many","bad"]
END
        diff expected columns)"
    empty "JSON lines: a row that cannot be read has its reason, and no results" "$(
        jq -c 'select(.id == 9) | [.error, .blocks_per_sm, .limiters, .outcome]' rows.jsonl >seen
        echo "[\"$first_bad\",null,null,null]" | diff - seen)"
    printf 'threads,regs,cluster\n256,72,1\n2048,32,4\n96,0,2\n' >few.csv
    smemcalc batch few.csv --device H200 | sed 1d | cut -d, -f4- >few.answers
    smemcalc batch few.csv --device H200 --format jsonl >few.jsonl
    empty "JSON lines have the results of CSV" "$(jq -r "$as_csv" few.jsonl | diff few.answers -)"
    smemcalc batch few.csv --device H200 --format json >few.json
    empty "a JSON document has the same rows" "$(
        jq -r .schema few.json | grep -vx smemcalc/1
        jq -c '.rows[]' few.json >of.json
        jq -c . few.jsonl | diff of.json -)"
    printf 'threads,blocks_per_sm,"a""\\\001"\n256,7,<NA>\n' | # a name to be escaped
        smemcalc batch --pass all --device 9.0 --regs 32 --format jsonl >odd.jsonl 2>err
    empty "JSON escapes names, and has each result once" "$(
        jq -c '[.blocks_per_sm, .["a\"\\\ufffd"], (keys | length)]' odd.jsonl | grep -vFx '[8,null,16]'
        grep -o '"blocks_per_sm"' odd.jsonl | wc -l | grep -vx 1)"
    printf 'threads\n' | smemcalc batch --device 9.0 --regs 32 --format json >none.json
    empty "a document without rows" "$(jq -c .rows none.json | grep -vFx '[]')"
else
    skip "JSON" "there is no jq"
fi

# Asked row by row through two pipes, each answer comes before the next question.
mkfifo questions replies
smemcalc batch --device 9.0 --regs 32 <questions >replies 2>err &
exec 3>questions 4<replies
dialogue=$(
    for line in threads 256 128; do
        echo "$line" >&3
        read -r reply <&4 || break
        echo "$reply"
    done)
exec 3>&- 4<&-
wait $!
printf 'threads,%s\n%s\n%s\n' "$results" '256,8,64,100,warps+registers,8,32,8,228,64,8192,1024,,launches,' \
    '128,16,64,100,warps+registers,16,32,16,228,64,4096,1024,,launches,' >expected
empty "batch answers each row before it reads the next" "$(printf '%s\n' "$dialogue" | diff expected -)"

finish_cases
