#!/bin/sh
# What the emulator finds: each fault of tests/data/findings/faults.cu at its line, and nothing in the
# kernels of correct.cu, with one CPU thread's result equal to that of several; and the call stacks of
# stacks.cu. Needs an NVRTC.

set -u
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"
data=$here/data/findings

# --- Faults ---------------------------------------------------------------------------------------

smemcalc --tile 4 --device 9.0 --format json >probe.json 2>/dev/null
case $(cat probe.json) in
*'"nvrtc '*) ;;
*)
    skip "findings" "there is no NVRTC"
    finish_cases
    ;;
esac

# emulate FILE KERNEL GRID BLOCK ARGUMENTS: the findings in found.json
emulate() {
    options=
    for argument in $(echo "$5" | tr , ' '); do
        options="$options --arg $argument"
    done
    # shellcheck disable=SC2086 # options are words
    smemcalc run --source "$data/$1" --entry "$2" --grid "$3" --block "$4" $options \
        --on emulator --device 9.0 --format json >found.json 2>errors
    [ -s errors ] && cat errors
    jq -e '.emulator' found.json >/dev/null || echo "not emulated"
}

grep '^//@' "$data/faults.cu" >faults
while read -r _ name grid block arguments _ kind; do
    line=$(awk -v name="$name(" 'index($0, "void " name) { inside = 1 }
        inside && /\/\/ <-$/ { print NR; exit }' "$data/faults.cu")
    empty "fault $name" "$(
        emulate faults.cu "$name" "$grid" "$block" "$arguments"
        jq -r '.findings[] | "\(.kind):\(.line)"' found.json >kinds
        grep -qx "$kind:$line" kinds || { echo "missing: $kind:$line" && cat kinds; })"
done <faults

grep '^//@' "$data/correct.cu" >correct
while read -r _ name grid block arguments; do
    empty "correct $name" "$(
        emulate correct.cu "$name" "$grid" "$block" "$arguments"
        jq -r '.findings[].text' found.json)"
done <correct

# --- Call stacks ----------------------------------------------------------------------------------

# Each mark of the sources with its line.
for source in stacks.cu stacks.h; do
    awk 'match($0, /\/\/ \[[a-z_]*\]$/) { print substr($0, RSTART + 4, RLENGTH - 5), FNR }' "$data/$source"
done >marks

with_lines() { # STACK: its marks replaced by lines
    echo "$1" | awk 'NR == FNR { line[$1] = $2; next }
        { for (i = 1; i <= NF; i++)
              if (split($i, part, "@") == 2) $i = part[1] "@" line[part[2]]
          print }' marks -
}

cat >stack.jq <<'END'
def stack: ([.function + "@" + (.line | tostring)] +
    [.called_from[] | (if .inlined then ">" else "" end) + .function + "@" + (.line | tostring)] +
    (if .callers_known then [] else ["..."] end)) | join(" ");
.findings[] | "\(.kind); \(stack); \(if .other then .other | stack else "none" end)"
END

sed -n 's|^//@ ||p' "$data/stacks.cu" >stacks
while read -r name grid block arguments _ rest; do
    kind=${rest%%;*} other=${rest##*; }
    first=${rest#*; } first=${first%%;*}
    wanted="$kind; $(with_lines "$first"); $(with_lines "$other")"
    empty "stack $name" "$(
        emulate stacks.cu "$name" "$grid" "$block" "$arguments"
        jq -r -f stack.jq found.json >seen
        grep -qxF "$wanted" seen || { echo "missing: $wanted" && cat seen; })"
done <stacks

finish_cases
