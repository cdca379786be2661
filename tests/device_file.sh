#!/bin/sh
# --device-file on the command line: printing, editing and reading devices; which of them a call
# asks about; every way in which a file cannot be used. Run in the build folder.
# Functions are called by name, words are split and kept whole on purpose:
# shellcheck disable=SC2317

set -u
export LC_ALL=C NO_COLOR=1 SMEMCALC_PROGRAM=smemcalc
here=$(cd "$(dirname "$0")" && pwd) || exit 99
program=$PWD/smemcalc
# shellcheck source=tests/cases.sh
. "$here/cases.sh"

scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
export SMEMCALC_CACHE_DIR="$scratch/cache" SMEMCALC_CEILINGS="$scratch/ceilings.json"
cp "$here"/data/devices/*.json "$scratch" && chmod u+w "$scratch"/*.json
cd "$scratch" || exit 99

smemcalc() {
    "$program" "$@"
}

if ! command -v jq >/dev/null; then
    skip "device files" "there is no jq"
    finish_cases
fi

# --- Print, edit, read ----------------------------------------------------------------------------

smemcalc devices --format csv | sed '1d;/,live,/d' | wc -l >boards
smemcalc devices --format json | jq '.devices | map(select(.source == "table")) | length' >listed
[ "$(cat boards)" -ge 60 ] || fail "the table has boards"
empty "devices --format json lists every board of the table" "$(diff -b boards listed)"

smemcalc devices --format json | jq '.devices |= map(select(.source == "table"))' >all.json
smemcalc devices --device-file all.json --format json >again.json
jq '.devices[].source = "file"' all.json | jq -S . >expected
empty "every board is printed and read again unchanged" "$(jq -S . again.json | diff expected - | head)"

smemcalc devices --device H200 --format json |
    jq '.devices[0] | .name = "Mine" | .max_blocks_per_sm = 4' >mine.json
smemcalc --threads 32 --regs 16 --device-file mine.json --format json >out
empty "an edited number of a device file counts" "$(jq -r '.occupancy | "\(.blocks_per_sm) \(.limiters | join("+"))"' out |
    grep -vx '4 blocks')"
empty "JSON says that the device is from a file" "$(jq -r .device.source out | grep -vx file)"
jq .device out >answered.json
smemcalc devices --device-file answered.json >out 2>&1 || fail "an answer's device is a file"
empty "the device of an answer is read as a device file, and shown in full" "$(grep -q '^blocks per SM  *4$' out || cat out)"
smemcalc devices --device-file - <mine.json >piped 2>&1
empty "--device-file - reads standard input" "$(diff piped out)"
smemcalc --threads 256 --regs 32 --dynamic-smem 300K --device-file h300.json --format json >out
empty "a device file may have more shared memory than any board" "$(jq -c '[.occupancy.blocks_per_sm,
    .occupancy.carveout_bytes]' out | grep -vx '\[1,495616\]')"
smemcalc --kernel matmul-tiled --dtype double --tile 32 --regs 20 --device-file mine.json >out
empty "the text names the device of a file" "$(grep -q '^device  *Mine, CC 9.0.*(from a file)' out || cat out)"
smemcalc --kernel stencil-static --block 1024 --radius 6000 --regs 20 --device-file mine.json >out
empty "a hint names the device file" \
    "$(grep -q -e '--device-file "mine.json" --device "Mine"' out || cat out)"
printf '{"name":"Next","compute_capability":"13.0"}' >no-limits.json
jq '.compute_capability = "13.0"' mine.json >next.json
smemcalc --threads 32 --regs 16 --device-file next.json >out 2>&1
empty "a device file may have a compute capability that is not in the table" "$(grep -q '^4 blocks per SM' out || cat out)"
smemcalc --tile 16 --device-file next.json >out 2>&1
status=$?
empty "a kernel on a compute capability that is not in the table has an answer or a reason" "$(
    [ "$status" -eq 0 ] || [ "$(wc -l <out)" -eq 1 ] || cat out
    [ "$status" -le 3 ] || echo "exit status $status")"

# --- Which devices --------------------------------------------------------------------------------

asks_about() { # EXPECTED ARGUMENT...: the names, joined by commas
    expected=$1
    shift
    smemcalc --threads 64 --regs 16 --format json "$@" >out 2>err
    seen=$(jq -r '[.answers[]?.device.name, .device.name?] | map(select(.)) | join(",")' out)
    if [ "$seen" = "$expected" ]; then pass "asks: $*"; else fail "asks: $*" "$seen
$(cat err)"; fi
}

asks_about "Mine" --device-file mine.json
asks_about "NVIDIA H200,Mine" --device-file mine.json --device H200
asks_about "Mine" --device-file mine.json --device mine
asks_about "Half H200,Small Ada" --device-file several.json
asks_about "Small Ada" --device-file several.json --device 'small ada'
asks_about "Small Ada" --device-file several.json --device Small
asks_about "NVIDIA H200,Half H200,Small Ada" --device-file several.json --device H200
asks_about "Small Ada,Tesla T4,Half H200" --device-file several.json -d 'Small Ada' -d T4 \
    -d 'half-h200'
asks_about "Mine,Half H200,Small Ada" --device-file mine.json --device-file several.json
asks_about "Half H200,Mine" --device-file mine.json --device-file several.json -d 'Half H200'
asks_about "compute capability 9.0,Half H200" --device-file short.json --device 9.0

# --- The other commands that take a device --------------------------------------------------------

says() { # NAME EXPECTED COMMAND...: on both outputs
    name=$1 expected=$2
    shift 2
    seen=$("$@" 2>&1)
    if [ "$seen" = "$expected" ]; then pass "$name"; else fail "$name" "$seen"; fi
}
batch() { # ARGUMENT...: the first column and the blocks per SM of each row
    smemcalc batch --threads 64 --regs 16 --pass id "$@" | awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
        NR > 1 { printf "%s: %s; ", $1, $column["blocks_per_sm"] }'
}
names() { # ARGUMENT...: whom the answers are about
    smemcalc "$@" --format json | jq -r '[.answers[].device.name] | join(", ")'
}
printf 'device,id\nsmall ada,\nT4,\nhalf-h200,\nMine,\n9.0,\n' >devices.csv
printf 'id\n1\n2\n' >ids.csv
says "batch looks for devices in the device files first" "small ada: 16; T4: 16; half-h200: 32; Mine: 4; 9.0: 32; " \
    batch devices.csv --device-file several.json --device-file mine.json
says "batch: rows without a device have the only one of a device file" "1: 4; 2: 4; " \
    batch ids.csv --device-file mine.json
says "batch: --device names a device of a file" "1: 4; 2: 4; " \
    batch ids.csv --device-file several.json --device-file mine.json --device mine
says "batch: of several devices in a file none is taken" \
    "smemcalc: ids.csv:1: no column 'device', and no option --device" \
    batch ids.csv --device-file several.json
says "batch: standard input cannot be both the rows and the device file" \
    "smemcalc: option --device-file: '-' is standard input, which holds the rows" \
    batch --device-file -
says "limits takes the devices of a file" "Half H200, Small Ada" \
    names limits --threads 64 --device-file several.json
smemcalc lesson occupancy --no-nvrtc --device-file h300.json >out 2>&1
empty "a lesson is about the device of a file" "$(grep -q 'Hypothetical H300' out || head -n 20 out
    grep -q -e '--device-file "h300.json"' out || tail -n 3 out)"
says "best takes the devices of a file" "NVIDIA H200, Half H200, Small Ada" \
    names best --regs 40 --device H200 --device-file several.json
says "carveout takes the devices of a file" "Small Ada, Tesla T4" \
    names carveout --device small --device T4 --device-file several.json

smemcalc devices --device "8800 GTX" --format json | sed 's/GeForce 8800 GTX/Old/' >old.json
printf 'id,op,width,mask\n1,ld,4,f,0,4,64,8%s\n' ',,,,,,,,,,,,,,,,,,,,,,,,,,,,' >accesses.csv
for question in "--stride 2" "--tile 16" "--csv accesses.csv" "--stride 2 --format json"; do
    # shellcheck disable=SC2086
    smemcalc banks $question --device "8800 GTX" | sed 's/GeForce 8800 GTX/Old/; /"source"/d' >expected
    # shellcheck disable=SC2086
    smemcalc banks $question --device-file old.json 2>&1 | sed '/"source"/d' >out
    empty "banks counts as the device of a file does: $question" "$([ -s out ] || echo nothing
        diff expected out)"
done
says "banks: several devices in a file are too many" \
    "smemcalc: option --device-file: banks is about one device; name it with --device" \
    smemcalc banks --stride 2 --device-file several.json
says "banks: --device chooses one of several devices in a file" "$(smemcalc banks --stride 2 --device 8.9 --format csv)" \
    smemcalc banks --stride 2 --device-file several.json --device "Small Ada" --format csv
says "banks: standard input cannot be both the accesses and the device file" \
    "smemcalc: option --device-file: '-' is standard input, which holds the rows" \
    smemcalc banks --csv - --device-file -

# --- What cannot be used --------------------------------------------------------------------------

refuses() { # MESSAGE ARGUMENT...
    message=$1
    shift
    smemcalc "$@" >out 2>err </dev/null
    status=$?
    empty "refuses: $*" "$(
        [ "$status" -eq 2 ] || echo "exit status $status, not 2"
        [ ! -s out ] || echo "something on standard output"
        echo "smemcalc: $message" | diff - err)"
}

echo '{"name": "X", "compute_capability": "9.0", "regs_per_sm": -1}' >negative.json
echo '{"name": "X", "compute_capability": "9.0", "reg_per_sm": 1}' >unknown.json
printf '{"name": "X",\n "compute_capability": 9.0.1}\n' >syntax.json
head -c 17000000 /dev/zero | tr '\0' ' ' >large.json
mkdir folder.json

refuses "negative.json: key 'regs_per_sm': -1 is not between 1 and 16777216" \
    --threads 32 --device-file negative.json
refuses "unknown.json: unknown key 'reg_per_sm'; did you mean 'regs_per_sm'?" \
    --threads 32 --device-file unknown.json
refuses "no-limits.json: key 'warp_size' is missing; compute capability 13.0 is not in the \
table, so every limit of an SM must be given" devices --device-file no-limits.json
refuses "option --device-file: nowhere.json: cannot be read: No such file or directory" devices --device-file nowhere.json
refuses "option --device-file: folder.json: cannot be read: Is a directory" devices --device-file folder.json
refuses "option --device-file: large.json: larger than 16777216 bytes; no device file is" devices --device-file large.json
refuses "standard input:1:0: '[' or '{' expected near end of file" devices --device-file -
boards=$(jq '.devices | length' all.json)
refuses "option --device-file: $boards devices are too many to compare; name up to 16 of them with \
--device" --threads 32 --device-file all.json
refuses "option --device: unknown device 'Nobody'; 'smemcalc devices' lists them, or give a \
compute capability such as 9.0" --threads 32 --device-file mine.json --device Nobody
smemcalc devices --device-file syntax.json >out 2>err
status=$?
empty "a syntax error of a device file is told by line and column" "$(
    [ "$status" -eq 2 ] || echo "exit status $status"
    grep -q '^smemcalc: syntax.json:2:[0-9]*: ' err || cat err)"
printf '{"name": "\033[31m", "compute_capability": "9.0"}' >escape.json
smemcalc devices --device-file escape.json >out 2>&1
empty "no control character of a device file reaches the terminal" "$(LC_ALL=C grep '[[:cntrl:]]' out)"

# 20 characters of two columns each; the table has space for less.
name=$(awk 'BEGIN { for (i = 0; i < 20; i++) printf "\346\274\242" }')
printf '{"name": "%s", "compute_capability": "9.0"}' "$name" >wide.json
smemcalc --threads 256 --regs 32 --device-file wide.json --device H200 >out 2>&1
empty "a device name of wide characters is cut between two of them, and the columns stay aligned" "$(
    iconv -f UTF-8 -t UTF-16 out >/dev/null 2>&1 || echo "not UTF-8"
    LC_ALL=C sed "s/\(\o346\o274\o242\)/__/g" out | awk '/ 9\.0 / { print index($0, " 9.0 ") }' |
        uniq | awk 'END { if (NR != 1) print NR " places of the compute capability" }')"

finish_cases
