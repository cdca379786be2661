#!/bin/sh
# smemcalc merge: sample reports compared in every form, what is wrong with files, and what a
# hostile file cannot do. The samples in tests/data/merge were made by tests/gpu/fake_smemcalc, whose
# GPUs are made up; hosts, a count and a time in them were changed by hand. GENERATE=1 writes
# tests/golden/merge* anew.

# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"
command -v jq >/dev/null || { skip "merge" "there is no jq"; finish_cases; }
cp "$here"/data/merge/*.json .

golden merge-agree.txt merge node1.json
golden merge.txt merge node1.json node2.json node3.json
# A line for the counts, each GPU, and each quantity with the values of the four GPUs.
golden_fields merge-fields.json 'del(.questions),
    (.questions[]? | .question, (.machines[] | [.[]]), (.quantities[] |
        [.quantity, .unit, .verdict] +
        (.peers[] | [.compute_capability, {common, least, median, most}] +
            [.values[] | [.predicted, .api, .emulated, .measured], (select(.odd) | .host)])))' \
    merge node1.json node2.json node3.json --format json
golden merge.csv merge node1.json node2.json node3.json --format csv

ends_in() { # STATUS FIRST LINE, ARGUMENT...
    wanted=$1 line=$2
    shift 2
    smemcalc merge "$@" >out 2>err
    seen=$?
    case " $* " in
    *' changed.json '*) how=", changed by $(printf %s "$filter" | tr -s ' \n' ' ')" ;;
    *) how= ;;
    esac
    empty "$line: $*$how" "$(
        [ $seen -eq "$wanted" ] || echo "exit status $seen, not $wanted"
        [ "$(head -n 1 out)" = "$line" ] || cat out err)"
}

# A report of another host; the verdicts depend on how it was changed.
jq -c '.runs[0] | del(.gpu_index) | .run.host = "node4"' node1.json >sound.json
change() { # FILTER
    filter=$1
    jq -c "$filter" sound.json >changed.json
}

# --- Where reports come from ----------------------------------------------------------------------

cat node1.json sound.json >all.json
ends_in 0 "agree: 3 GPUs, 11 quantities" all.json
jq . node1.json >pretty.json
cat sound.json >>pretty.json
ends_in 0 "agree: 3 GPUs, 11 quantities" pretty.json
jq -cs . node1.json sound.json >list.json
ends_in 0 "agree: 3 GPUs, 11 quantities" list.json
smemcalc merge - <all.json >piped 2>&1
smemcalc merge all.json 2>&1 | sed 's/all\.json/standard input/' | diff - piped >out
empty "merge reads standard input as a file" "$(cat out)"
ends_in 0 "alone: 1 GPU, 11 quantities, no others to compare with" sound.json
change '.besides = [.] | .besides[0].kernel.name = "other"'
ends_in 0 "alone: 1 GPU, 2 questions, 22 quantities, no others to compare with" changed.json

empty "merge takes 1000 files on both sides of an option" "$(
    # shellcheck disable=SC2046 # a word each
    smemcalc merge $(yes nowhere.json | head -n 1000) --format csv sound.json >out 2>err
    [ "$(wc -l <err)" -eq 1000 ] || head err
    [ "$(wc -l <out)" -eq 13 ] || cat out)"

# --- Verdicts -------------------------------------------------------------------------------------

row='(.confirmation[] | select(.quantity == "'
ends_in 1 "differs from the prediction: 1 GPU, 1 of 11 quantities, 10 alone" node2.json
jq -c "${row}registers_per_thread\")) |= (.predicted = 40 | .verdict = \"differs\") | ., (.run.host = \"node5\")" \
    sound.json >both.json
ends_in 1 "differs from the prediction: 2 GPUs, 1 of 11 quantities" both.json
empty "merge says in one line what all GPUs saw and what was predicted" \
    "$(grep -q '^registers_per_thread  *differs  *16 (predicted 40)$' out || cat out)"
smemcalc merge both.json --format json >out
empty "JSON of merge has the quantity that differs from its prediction" "$(jq -c '[.verdict, .count.disagreeing, .count.differing,
    [.questions[].quantities[] | select(.verdict == "differs").quantity]]' out >seen
    echo '["differs",0,1,["registers_per_thread"]]' | diff - seen)"
change ".run.host = \"node5\" | ${row}registers_per_thread\")).api = 17"
ends_in 1 "disagree: 3 GPUs, 1 of 11 quantities" node1.json changed.json
empty "the GPU that disagrees is named" "$(grep -q '^registers_per_thread  *disagree  *16; node5 GPU-001e2d3c: 17 (predicted 16)$' out ||
    cat out)"
change ".run.host = \"node5\" | .device.compute_capability = \"8.9\" | ${row}registers_per_thread\")).predicted = 18 |
    ${row}registers_per_thread\")).api = 18"
ends_in 0 "agree: 3 GPUs, 11 quantities" node1.json changed.json
empty "another compute capability is held to its own prediction" \
    "$(grep -q '^registers_per_thread  *agree  *18 on 1 of CC 8.9; 16 on 2 of CC 9.0$' out || cat out)"
empty "merge explains that counts are compared within a compute capability" "$(grep -q '^Counts are compared with those of GPUs with the same' out || cat out)"
change ".run.host = \"node5\" | ${row}time_ms\")).measured = 3"
ends_in 0 "agree: 3 GPUs, 11 quantities, 1 with outliers" node1.json changed.json
empty "a GPU with an outlying time is named" \
    "$(tr -s ' \n' ' ' <out | grep -q 'time_ms outlier 2 to 3 ms, median 2; node5 GPU-001e2d3c: 3 ms (+50 %)' || cat out)"
change '.run.seed = 2'
ends_in 0 "agree: 3 GPUs, 2 questions, 22 quantities, 11 alone" node1.json changed.json
change '.kernel |= (to_entries | reverse | from_entries)'
ends_in 0 "agree: 3 GPUs, 11 quantities" node1.json changed.json
change '.run.gpu_uuid = "GPU-001e2d3c-4b5a-6978-0716-253443526170" | .run.host = "node1" | .run.seed = 1 | .note = "later"'
ends_in 0 "agree: 2 GPUs, 11 quantities" node1.json changed.json
empty "a GPU that reports twice is told" "$([ "$(grep -c 'reported before' out)" -eq 1 ] || cat out)"

jq -c '.run.gpu_uuid = null | .run.driver = null' sound.json >emulated.json
ends_in 0 "agree: 2 GPUs and 1 emulator, 11 quantities" node1.json emulated.json
empty "a report of the emulator is named as one" "$(grep -q '^ *node4 emulator: NVIDIA H200' out || cat out)"
ends_in 0 "alone: 1 emulator, 11 quantities, no others to compare with" emulated.json
change '.run.gpu_uuid = null'
ends_in 0 "alone: 1 GPU, 11 quantities, no others to compare with" changed.json

# --- Many sources ---------------------------------------------------------------------------------

i=0
while [ $i -lt 200 ]; do
    i=$((i + 1))
    jq -c ".run.host = \"rack$i\"" sound.json
done >racks.json
ends_in 0 "agree: 200 GPUs, 11 quantities" racks.json
empty "of many sources the first few are named, after the verdicts" "$(
    [ "$(wc -l <out)" -lt 30 ] || cat out
    grep -q '^ *and 197 more; --verbose lists them all$' out || cat out
    sed -n '/^reported by/,$p' out | grep ' agree '
    grep -c 'rack[0-9]* GPU' out | grep -vx 3)"
ends_in 0 "agree: 200 GPUs, 11 quantities" racks.json --verbose
empty "of many sources --verbose names all" "$(grep -c 'rack[0-9]* GPU' out | grep -vx 200; grep ' more;' out)"
ends_in 0 "agree: 200 GPUs, 11 quantities" racks.json racks.json
empty "of many reports given twice the first few are named" "$([ "$(wc -l <out)" -lt 40 ] || wc -l out)"

# --- Given twice ----------------------------------------------------------------------------------

ends_in 0 "agree: 2 GPUs, 11 quantities" node1.json node1.json
empty "a report given twice counts once" "$(
    printf 'given twice node1 GPU-0%s1e2d3c: node1.json:1 repeats node1.json:1\n' 0 1 >wanted
    sed '/^given twice/d' out | sed 's/; the first//' >once
    smemcalc merge node1.json | diff - once
    grep '^given twice' out | diff wanted -)"
jq . node1.json >pretty.json
jq -c '.runs[1]' node3.json >broken.json
smemcalc merge node1.json pretty.json broken.json node3.json --format json >out
empty "JSON has the reports given twice, whatever their blanks, and those of a GPU that failed" "$(
    jq -c '[.count | .machines, .failed, .given_twice], [.given_twice[] |
        [.host, .gpu_uuid[4:12], .file, .line, .first.file, .first.line]]' out >seen
    diff - seen <<end
[4,1,3]
[["node1","001e2d3c","pretty.json",1,"node1.json",1],["node1","011e2d3c","pretty.json",1,"node1.json",1],\
["node3","011e2d3c","node3.json",1,"broken.json",1]]
end
)"
empty "CSV has the values of a report given twice once" "$(smemcalc merge node1.json --format csv >once
    smemcalc merge node1.json node1.json --format csv | diff once -)"
change 'del(.run)'
ends_in 0 "agree: 2 GPUs, 11 quantities" changed.json changed.json

# --- Without a name -------------------------------------------------------------------------------

change 'del(.run)'
ends_in 0 "alone: 1 GPU, 11 quantities, no others to compare with" changed.json
change '.run = {seed: 1}'
ends_in 0 "agree: 3 GPUs, 11 quantities" node1.json changed.json
empty "a report without a host and a GPU is named by its file" "$(grep -q 'changed.json:1: NVIDIA H200' out || cat out)"

change 'del(.run.seed) | .run.host = "node5"'
smemcalc merge sound.json changed.json node1.json >out 2>err
empty "a report without a seed is a question of its own, and is named" "$(
    head -n 1 out | grep -qx 'agree: 4 GPUs, 2 questions, 22 quantities, 11 alone' || cat out
    [ "$(grep -c '), alone$' out)" -eq 1 ] || cat out
    echo "smemcalc: changed.json:1: warning: key 'run.seed' is missing: held against no report that \
has a seed" | diff - err)"
change 'del(.run.host, .run.gpu_uuid)'
cat changed.json changed.json >nameless.json
smemcalc merge nameless.json >out 2>err
empty "a report without a host is a GPU of its own" "$(
    head -n 1 out | grep -qx 'agree: 2 GPUs, 11 quantities' || cat out
    diff - err <<end
smemcalc: nameless.json:1: warning: key 'run.host' is missing: taken for a GPU of its own
smemcalc: nameless.json: warning: 1 more report with such a key missing
end
)"

# --- What is wrong is told, and the rest taken -----------------------------------------------------

tells() { # NAME MESSAGE FILE: beside a sound file
    smemcalc merge "$3" sound.json >out 2>err
    seen=$?
    empty "merge tells of $1" "$(
        [ $seen -eq 2 ] || echo "exit status $seen, not 2"
        head -n 1 out | grep -q '^alone: ' || cat out
        echo "smemcalc: $2" | diff - err)"
}

printf '{"a":\n' >cut.json
tells "a file that was cut" "cut.json:2: column 0: unexpected token near end of file" cut.json
printf 'srun: job 1\n' >noise.json
tells "a file without JSON" "noise.json:1: neither an object nor a list of JSON" noise.json
{ head -c 3000 node2.json; echo; jq -c '.run.host = "node6"' sound.json; } >middle.json
smemcalc merge middle.json >out 2>err
empty "a report that was cut hides none after it" "$(grep -q '^alone: 1 GPU, 11 quant' out || cat out err
    grep -qx "smemcalc: middle.json:2: column 0: '}' expected near end of file" err || cat err)"
: >empty.json
tells "an empty file" "empty.json:1: no report" empty.json
printf 'n1: g{"schema":"smemcalc/1","command":"check","host":"n1",\n' >cut.log
empty "a label and how a check's report begins are no report" "$(
    smemcalc merge cut.log >out 2>err
    seen=$?
    { [ $seen -eq 2 ] && grep -q '^smemcalc: cut.log:1: no report$' err; } || cat err)"
tells "a file that is not there" "nowhere.json: No such file or directory" nowhere.json
tells "a file without a name" "'': No such file or directory" ''
mkdir folder
tells "a folder" "folder: Is a directory" folder
echo '{"schema": "smemcalc/2"}' >newer.json
tells "a report of another schema" 'newer.json:1: key '\''schema'\'': only "smemcalc/1" can be read' newer.json
smemcalc --tile 8 --device 9.0 --no-nvrtc --format json >query.json
tells "the answer of a query" "query.json:1: no report of a run: key 'confirmation' is missing \
('smemcalc run --format json' has it)" query.json
echo '[7]' >number.json
tells "a list without reports" "number.json:1: an element of a list is not an object" number.json
change '.confirmation[2].predicted = "warps+registers" | .confirmation[2].measured = null'
ends_in 0 "alone: 1 GPU, 10 quantities, no others to compare with" changed.json
empty "a predicted value in words is shown as it is" "$(grep -q '^launches  *not measured  warps+registers predicted$' out || cat out)"
jq -c '.runs[1].error as $error | .runs[0] | .error = $error' node3.json >failed.json
ends_in 1 "failed: 1 GPU, 11 quantities, no others to compare with; 1 GPU failed" failed.json
change '.confirmation[2].measured = "8"'
tells "a measured value that is no number" "changed.json:1: key 'confirmation': element 3 is not a quantity with a \
name and with numbers or nulls as its values" changed.json
change '.confirmation = []'
tells "a report without quantities" "changed.json:1: key 'confirmation': not a list of 1 to 64 quantities" changed.json
change 'del(.kernel)'
tells "a report without a kernel" "changed.json:1: key 'kernel': not there, or no object" changed.json
refuses 2 "merge: name a file with reports of 'smemcalc run --format json' or 'smemcalc check --format json'; - is standard input" merge

# --- Hostile files --------------------------------------------------------------------------------

change '.run.host = "\u001b[31mred" | .device.name = "\u009b2J" | .kernel.name = "a\u0007b" |
    .confirmation[0].quantity = "\u001b]0;x\u0007"'
smemcalc merge changed.json >out 2>err
empty "merge shows no control characters of a report" "$(LC_ALL=C grep '[[:cntrl:]]' out; cat err
    grep -q 'a?b: block' out || cat out)"
head -c 200000 /dev/zero | tr '\0' '[' >deep.json
tells "200000 open brackets" "deep.json:1: more than 32 brackets deep, as no report is" deep.json
{ echo '['; yes "$(cat sound.json)," | head -n 6000; echo '{}]'; } >large.json
tells "a list that is too large, and of a way to split it" "large.json:1: larger than 16 MiB, the most that is \
read at once; give the reports of a list one after another, as jq -c '.[]' prints them" large.json
gzip <sound.json >sound.json.gz
smemcalc merge sound.json.gz >out 2>err
if grep -q 'no zlib' err; then
    skip "a file compressed by gzip" "built without zlib"
else
    ends_in 0 "alone: 1 GPU, 11 quantities, no others to compare with" sound.json.gz
    head -c 100 sound.json.gz >cut.json.gz
    tells "a compressed file that was cut" \
        "cut.json.gz: the compressed file ends early: it was not written completely" cut.json.gz
fi
printf '\050\265\057\375\004' >sound.json.zst
tells "a compressed file" "sound.json.zst: compressed by zstd; reports are JSON in UTF-8" sound.json.zst
sed 's/./&\n/g' sound.json | tr '\n' '\0' >wide.json
tells "a file in UTF-16" "wide.json: UTF-16; reports are JSON in UTF-8" wide.json
{ printf '\177ELF\2\1'; cat sound.json; } >program
tells "a binary file" "program: not text; reports are JSON in UTF-8" program
{ printf '\357\273\277'; cat sound.json; } >marked.json
ends_in 0 "alone: 1 GPU, 11 quantities, no others to compare with" marked.json
head -c 2000000 /dev/zero | tr '\0' '\n' | sed 's/^/{/' >braces.json
smemcalc merge braces.json sound.json >out 2>err
empty "two million unclosed documents do not hide a sound report" "$(head -n 1 out | grep -q '^alone: 1 GPU' || cat out
    [ "$(wc -l <err)" -le 12 ] || head err)"
yes 'x' | head -n 100000 >lines.json
smemcalc merge lines.json >out 2>err
empty "a file of 100000 lines without JSON is told in one line" "$(
    echo "smemcalc: lines.json:1: neither an object nor a list of JSON" | diff - err)"
cat sound.json >>lines.json
smemcalc merge lines.json >out 2>err
empty "lines that are no reports are counted" "$(
    grep -qx 'smemcalc: lines.json: 99999 more lines that are neither' err || cat err
    [ "$(wc -l <err)" -eq 2 ] || cat err)"
yes '{}' | head -n 100000 >objects.json
smemcalc merge objects.json >out 2>err
empty "100000 problems of a file are counted, not all told" "$(
    grep -qx 'smemcalc: objects.json: 99990 more of such problems' err || head err
    [ "$(wc -l <err)" -eq 11 ] || wc -l <err)"
jq -c '.confirmation |= [range(70) as $i | .[0]]' sound.json >rows.json
tells "a report with more quantities than a run has" \
    "rows.json:1: key 'confirmation': not a list of 1 to 64 quantities" rows.json
change '.confirmation |= .[:1] | {kernel: {name: "k"}, confirmation}'
yes "$(cat changed.json)" | head -n 10001 >many.json
smemcalc merge many.json --format csv >out 2>err
empty "merge takes 10000 reports and tells of more" "$(
    grep -v warning err >told
    echo "smemcalc: many.json:10001: no more than 10000 reports are merged" | diff - told
    [ "$(wc -l <err)" -eq 3 ] || cat err
    [ "$(wc -l <out)" -eq 10001 ] || wc -l <out)"

finish_cases
