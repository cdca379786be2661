#!/bin/sh
# The JSON Schema of the reports: it describes what the program prints, and has the members of
# smemcalc-formats(5) and no others. JSON Lines have the same content. Run in the build folder.
# The rows of tests/data/schema/commands are words for the shell:
# shellcheck disable=SC2154

set -u
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

data=$here/data
schema=$here/../data/smemcalc-1.schema.json
formats=$here/../man/smemcalc-formats.5
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    skip "the JSON Schema" "there is no python3, or it is older than 3.9"
    finish_cases
fi
check() { # SCHEMA ARGUMENT...
    python3 "$here/schema.py" "$@" 2>&1
}

# --- The schema and smemcalc-formats(5) -----------------------------------------------------------

empty "the schema has the members of smemcalc-formats(5)" "$(check "$schema" --formats "$formats")"
sed 's/"warps_per_sm"/"warps_by_sm"/' "$schema" >other.json
sed 's/^\.It mean_ms$/.It median_of_all/' "$formats" >other.5
finds() { # NAME MESSAGE SCHEMA PAGE
    empty "$1" "$(check "$3" --formats "$4" | grep -Fqx "$2" || echo "not found: $2")"
}
finds "a member that only the schema has is found" \
    "'warps_by_sm' of the schema is not in smemcalc-formats(5)" other.json "$formats"
finds "a member that only the page has is found" \
    "'median_of_all' of smemcalc-formats(5) is not in the schema" "$schema" other.5

# --- The schema and the program -------------------------------------------------------------------

case $(smemcalc --tile 32 --device 9.0 --format json 2>/dev/null) in
*'"nvrtc '*) nvrtc=yes ;;
*) nvrtc=no ;;
esac

: >list
number=0
while read -r row; do
    case $row in
    '#'* | '') continue ;;
    'nvrtc '*)
        [ $nvrtc = yes ] || continue
        row=${row#nvrtc }
        ;;
    esac
    definition=${row%% *}
    eval "set -- ${row#* }"
    number=$((number + 1))
    smemcalc "$@" --format json >$number.json 2>err </dev/null
    smemcalc "$@" --format jsonl >$number.jsonl 2>>err </dev/null
    if [ -s $number.json ]; then
        echo "$definition $number.json" >>list
    elif grep -q 'needs ptxas' err; then
        skip "JSON of $definition" "there is no ptxas"
    else
        fail "JSON of $*" "$(cat err)"
    fi
done <"$data/schema/commands"
# Reports without --format, of which one line is one report.
in_file() { # DEFINITION: of $number.json
    tr '\n' ' ' <$number.json >$number.jsonl
    echo "$1 $number.json" >>list
    number=$((number + 1))
}
number=$((number + 1))
head -n 1 "$data/merge/checks.json" >$number.json && in_file check
smemcalc inspect "$data/inspect/own-sm90.cubin" --save $number.json >/dev/null 2>&1 && in_file inspect_save
if [ $nvrtc = yes ]; then
    smemcalc run "$data/findings/faults.cu" --entry no_barrier --grid 1 --block 64 -a i32x64 --device 9.0 \
        --sanitize json >$number.json 2>/dev/null
    in_file run_sanitize
fi
[ $nvrtc = yes ] || skip "the schema of what is compiled" "there is no NVRTC for CC 9.0"
empty "the schema describes $number reports, and JSON Lines have their content" \
    "$(check "$schema" --documents <list)"
if [ $nvrtc = yes ]; then
    empty "what is always there is required, and a report without it fails" \
        "$(check "$schema" --required <list)"
    sed 's/"required": \["array", /"required": [/' "$schema" >other.json
    empty "a member that is always there and not required is found" "$(
        check other.json --required <list | grep -Fqx \
            "submission.properties.wrong_result: 'array' is in every document and not required" || echo no)"
fi
echo "query 1.json" >one
check other.json --documents <one >out
empty "a member that the schema lacks is found" \
    "$(grep -Fqx "1.json: .occupancy: 'warps_per_sm' is not in the schema" out || cat out)"
sed 's/"blocks_per_sm": {"type": \["integer", "null"\]}/"blocks_per_sm": {"type": "string"}/' "$schema" >other.json
check other.json --documents <one >out
empty "a member of another type is found" "$(grep -q '^1.json: .occupancy.blocks_per_sm: 2 is not of type string' out || cat out)"

finish_cases
