#!/bin/sh
# Lessons from files: that of the manual, in a browser's page, in Chinese; and the glossary of the
# Chinese lessons. Run in the build folder. GENERATE=1 writes tests/golden/ anew.

set -u
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

lessons=$here/../lessons

# --- A lesson as a teacher writes it from the manual -----------------------------------------------

sed -n '/^\.Sh EXAMPLE/,$p' "$here/../man/smemcalc-lesson.5" |
    sed -n '/^\.Bd -literal/,/^\.Ed/p' | sed '1d; $d' >example.md
golden lesson-example.txt lesson ./example.md --no-nvrtc
empty "the right answer is accepted" "$(smemcalc lesson ./example.md --answer b >out 2>&1 || cat out)"
smemcalc lesson ./example.md --answer a >out 2>&1
status=$?
empty "another answer is not" "$([ $status -eq 1 ] || cat out)"
sed 's/{= blocks_per_sm | block(s)}/{= blocks_per_smm}/' example.md >broken.md
refuses 2 "./broken.md:17: no value 'blocks_per_smm' in the answer to '--threads 256 --regs 32'" \
    lesson ./broken.md --no-nvrtc --page 1
sed 's/^device: .*/device: NVIDIA H20000/' example.md >broken.md
refuses 2 "./broken.md:4: device: unknown device 'NVIDIA H20000'; did you mean 'NVIDIA H200'? \
'smemcalc devices' lists them, or give a compute capability such as 9.0" lesson ./broken.md --no-nvrtc
smemcalc lesson ./example.md --device 7.5 --page 1 >out 2>&1
empty "the reader chooses the device" "$(grep -q 'compute capability 7.5 runs 4 blocks' out || cat out)"

# --- Lines of each command's answer -----------------------------------------------------------------

lesson() { # QUESTION: a lesson with its answer
    printf '%s\n' --- 'title: Rows' 'summary: lines of an answer' 'device: NVIDIA H200' --- '# One' '' \
        '```smemcalc rows' "$1" '```' >rows.md
    smemcalc lesson ./rows.md --no-nvrtc >out 2>&1
}
answers() { # PATTERN QUESTION
    lesson "$2"
    empty "lines of $2" "$(grep -q -e "$1" out || cat out)"
}
answers '^15 to 28  *64 KB ' 'carveout --threads 256 --regs 32'
answers '__launch_bounds__(256, 8)' 'limits --threads 256 --regs 32'
answers '2 wavefronts where 1 would do' 'banks --stride 2'
answers '^confirmed: [1-9]' 'run --tile 4 --size 8'
complains() { # MESSAGE QUESTION
    lesson "$2"
    empty "a lesson's question is refused: $1" "$(grep -qF -e "./rows.md:9: $1" out || cat out)"
}
complains "a quote is not closed in '(tx*32'" "banks --expr '(tx*32"
complains "'x.cu': a lesson asks about no file" "banks x.cu"
complains "a question has at most 64 words" "$(printf -- '--threads 32 %.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 \
    18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33)"

# --- For a browser ---------------------------------------------------------------------------------

for lesson in banks 8800-gtx shared-memory; do
    for language in en zh; do
        empty "$lesson, $language: a page for a browser" "$(
            smemcalc lesson "$lesson" --no-nvrtc --language "$language" --html page.html 2>&1 ||
                echo "exit status $?"
            grep -c '<section>' page.html | grep -qx '[4-9]' || echo "too few sections"
            grep -q 'data-answer="[0-9]' page.html || echo "no answer"
            grep -oE '(src|href|url)[=(].{20}' page.html
            tail -n 1 page.html | grep -qx '</html>' || echo "no end")"
    done
done
smemcalc lesson banks --no-nvrtc --html /nowhere/page.html >out 2>&1
status=$?
empty "a page that cannot be written" "$([ $status -eq 2 ] || echo "exit status $status"
    grep -v "^smemcalc: option --html: '/nowhere/page.html' cannot be written: " out)"

# --- Chinese ---------------------------------------------------------------------------------------

golden lesson-zh.txt lesson --language zh
golden lesson-zh-banks.txt lesson banks --language zh --device H200 --no-nvrtc
smemcalc lesson memory --language zh --no-nvrtc --device 9.0 >out 2>&1
empty "words of an answer are in Chinese, too" "$(grep -q '（表格，nvrtc' out || cat out)"
smemcalc help lesson >out
empty "the help names the manual of the files" "$(LC_ALL=C smemcalc help lesson | grep -F 'smemcalc-lesson(5)' >/dev/null || cat out)"
empty "LANG chooses the language" "$(
    LC_ALL='' LC_MESSAGES='' LANG=zh_CN.UTF-8 "$program" lesson | grep -q '占用率' || echo "not Chinese"
    LC_ALL='' LC_MESSAGES='' LANG=de_DE.UTF-8 "$program" lesson | grep -q 'occupancy' || echo "not English")"

options_of() { # the help on stdin
    sed -nE 's/^  (-., |    )?(--[a-z-]*) .*/\2/p' | sort -u
}
smemcalc help lesson | options_of >english
LC_ALL='' LANG=zh_CN.UTF-8 "$program" help lesson | options_of >chinese
empty "the help in Chinese has the options of the English one" "$([ -s english ] || echo none; diff english chinese)"

# Each term that the English lesson has is in the Chinese one, and no other translation of it.
tab=$(printf '\t')
for file in "$lessons"/en/*.md; do
    name=${file##*/}
    empty "the glossary's terms in $name" "$(grep -v '^#' "$lessons/zh/glossary.tsv" |
        while IFS=$tab read -r english chinese others; do
            if grep -v '^```\|--' "$file" | tr '\n' ' ' | grep -qiE "(^|[^-a-z])${english}s?\b" &&
                ! grep -qF "$chinese" "$lessons/zh/$name"; then
                echo "$english is not $chinese"
            fi
            grep -nE "$others" "$lessons/zh/$name"
        done)"
done

finish_cases
