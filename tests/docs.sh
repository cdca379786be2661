#!/bin/sh
# The documentation is correct: the manual names the options that help all does, every key and
# column of the machine-readable outputs, and every example of README.md, HACKING.md, doc/*.md and
# the manual runs and prints what is shown.
#   docs.sh [DOCUMENT...]    such as README.md doc/trace.md man/smemcalc.1; by default all
#
# Examples are the lines "$ command" in ```console blocks of Markdown and in the manual's
# `.Bd -literal` blocks; the lines up to the next command are the expected output. A line `...`
# alone stands for any number of lines. A word after ```console, or a comment `.\" example: WORD`
# before .Bd, says what a block needs:
#   gpu     a GPU; figures differ from run to run, so only the exit status counts
#   nvrtc   NVRTC 13.0, because the output names it
#   no-run  is not run: installs something, or needs files of the user's
# A block ```cuda whose first line is `// NAME.cu: ...` is that file, for the examples to use.
# With GENERATE=1 the outputs shown in Markdown are written anew, except those with a `...`.
# Functions are called in functions:
# shellcheck disable=SC2317

set -u
export LC_ALL=C NO_COLOR=1
unset SMEMCALC_PROGRAM
unset COLUMNS SMEMCALC_NVRTC SMEMCALC_CACHE_DIR

here=$(cd "$(dirname "$0")" && pwd) || exit 99
top=$here/..
manual=$here/../man/smemcalc.1
formats=$here/../man/smemcalc-formats.5
program=$PWD/smemcalc
results_page=$PWD/tests/results_page
update_formats=$PWD/src/show/report/update_formats
ptx_table=$PWD/tests/ptx_table
for built in "$results_page" "$update_formats" "$ptx_table"; do
    [ -x "$built" ] && continue
    echo "docs.sh: $built is not built: 'make check TESTS=tests/docs.sh' builds it" >&2
    exit 99
done
# shellcheck source=tests/cases.sh
. "$here/cases.sh"

scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/examples"
# shellcheck disable=SC2016 # for the script
printf '#!/bin/sh\nexport SMEMCALC_PROGRAM="${SMEMCALC_PROGRAM:-smemcalc}"\nexec "%s" "$@"\n' "$program" >"$scratch/bin/smemcalc"
chmod +x "$scratch/bin/smemcalc"
# Examples show NVRTC's compilation: nvcc, which would be preferred, is hidden.
without_nvcc=$(printf '%s' "$PATH" | tr ':' '\n' | while read -r folder; do
    [ -x "$folder/nvcc" ] || printf ':%s' "$folder"
done)
export PATH="$scratch/bin$without_nvcc" SMEMCALC_CACHE_DIR="$scratch/cache"
export CUDA_HOME=/nowhere CUDA_PATH=/nowhere
export SMEMCALC_CEILINGS="$scratch/ceilings.json"
cd "$scratch" || exit 99

smemcalc devices --device gpu0 >/dev/null 2>&1 && gpu=yes || gpu=no

same_lines() { # NAME FILE FILE
    empty "$1" "$(diff "$2" "$3")"
}

# --- Options --------------------------------------------------------------------------------------

check_options() {
    smemcalc help all | sed -n 's/^  *\(-., \)\{0,1\}\(--[a-z][a-z-]*\).*/\2/p' | sort -u >options-help
    grep '^\.It .*Fl -' "$manual" | grep -o 'Fl -[a-z][a-z-]*' | sed 's/^Fl /-/' | sort -u >options-manual
    [ -s options-help ] || fail "help all shows options"
    same_lines "the man page has the options of help all" options-help options-manual

    smemcalc help all | sed -n 's/^  *\(-.\), \(--[a-z-]*\).*/\1 \2/p' | sort -u >letters-help
    sed -n 's/^\.It Fl \([a-zA-Z]\) *, Fl -\([a-z-]*\).*/-\1 --\2/p' "$manual" | sort >letters-manual
    same_lines "the man page has the letters of help all" letters-help letters-manual

    smemcalc --help | sed -n '/^Commands/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p' | sort >commands-help
    sed -n '/^\.Sh COMMANDS/,/^\.Sh OPTIONS/s/^\.Ss \([a-z]*\)$/\1/p' "$manual" | sort >commands-manual
    [ -s commands-help ] || fail "--help shows commands"
    same_lines "the man page has the commands of --help" commands-help commands-manual

    empty "the man page has every lesson" "$(smemcalc lesson | sed '/^$/,$d; s/ .*//' |
        while read -r lesson; do
            grep -qx "\.It $lesson" "$manual" || printf '%s is missing\n' "$lesson"
        done)"
}

# --- Keys and columns -----------------------------------------------------------------------------

undocumented() { # words on stdin
    sort -u | comm -23 - documented 2>&1 | sed 's/$/ is not in smemcalc-formats(5)/'
}

json_keys() { # COMMAND...
    smemcalc "$@" --format json | jq -r '[paths | .[] | strings] | unique | .[]'
}

# The CSV header on stdin is the list of columns that the manual has under `columns: NAME`. (Not in
# a pipeline, whose subshell would lose the count of cases.)
documented_csv() { # NAME
    head -n 1 | tr -d '\r' | tr ',' '\n' >columns-seen
    awk -v name="$1" '
        $0 == ".\\\" columns: " name { wanted = 1; next }
        wanted && /^\.Bd/ { inside = 1; next }
        inside && /^\.Ed/ { exit }
        inside { gsub(/[ ,]+/, "\n"); print }' "$formats" | sed '/^$/d' >columns-documented
    if [ -s columns-seen ]; then
        same_lines "the CSV columns: $1" columns-documented columns-seen
    else
        fail "the CSV columns: $1" "nothing was printed"
    fi
}

documented_json() { # NAME COMMAND...
    name=$1
    shift
    keys=$(json_keys "$@") || keys=
    if [ -z "$keys" ]; then
        fail "$name" "no JSON keys from: smemcalc $*"
    else
        empty "$name" "$(printf '%s\n' "$keys" | undocumented)"
    fi
}

csv() { # NAME ARGUMENT...
    name=$1
    shift
    smemcalc "$@" --format csv >csv-seen
    documented_csv "$name" <csv-seen
}

check_fields() {
    grep -oE '[a-z0-9_-]+' "$formats" | sort -u >documented
    if command -v jq >/dev/null; then
        documented_json "every JSON key of a query" --tile 32 --device H200 --no-nvrtc
        documented_json "every JSON key of an own kernel" --threads 256 --regs 40 --grid 100 --device 9.0
        documented_json "every JSON key of tune" tune --kernel reverse-dynamic --vary block=64 --device 9.0
        documented_json "every JSON key of devices" devices --device H200
        documented_json "every JSON key of kernels" kernels
        documented_json "every JSON key of doctor" doctor
        printf '{"schema": "smemcalc-ceilings/1", "ceilings": [{"device": "NVIDIA A30"}]}' >ceilings.json
        documented_json "every JSON key of ceilings" --tile 32 --device A30 --no-nvrtc
        rm ceilings.json
        documented_json "every JSON key of inspect" inspect "$here/data/inspect/own-sm90.cubin"
        documented_json "every JSON key of merge" merge "$here/data/merge/node1.json" "$here/data/merge/node3.json"
        documented_json "every JSON key of merged checks" merge "$here/data/merge/checks.json"
        documented_json "every JSON key of a diff" diff --fail-on never "$here/data/inspect/own-sm90.cubin" "$here/data/inspect/own-sm90.ptxas"
        documented_json "every JSON key of a trace" trace --read "$here/data/trace/step.json"
        documented_json "every JSON key of a lint" inspect --lint "$here/data/inspect/own-sm90.cubin"
        if [ "$gpu" = yes ]; then
            documented_json "every JSON key of a run" run --tile 8 --size 64
        else
            skip "every JSON key of a run" "there is no GPU"
        fi
    else
        skip "JSON keys are documented" "there is no jq"
    fi
    csv query --tile 32 --device H200 --no-nvrtc
    csv query sweep --threads 256 --regs 16:18 --device H200
    csv merge merge "$here/data/merge/node1.json"
    csv checks merge "$here/data/merge/checks.json"
    csv limits limits --threads 256 --device H200
    csv best best --regs 40 --device H200
    csv carveout carveout --device H200
    smemcalc tune --kernel reverse-dynamic --vary block=64 --vary carveout=50 --device 9.0 --format csv |
        sed 's/^block,carveout,//' >csv-seen
    documented_csv tune <csv-seen
    csv inspect inspect "$here/data/inspect/own-sm90.cubin"
    csv diff diff --fail-on never "$here/data/inspect/own-sm90.cubin" "$here/data/inspect/own-sm90.ptxas"
    csv trace trace --read "$here/data/trace/step.json"
    csv lint inspect --lint "$here/data/inspect/own-sm90.cubin"
    csv banks banks --kernel matmul-tiled --tile 32
    printf '.version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n' >empty.ptx
    if smemcalc banks empty.ptx --device 8.0 >/dev/null 2>&1; then
        csv bank_accesses banks empty.ptx --device 8.0
    else
        skip "columns of bank_accesses" "there is no ptxas"
    fi
    csv devices devices
    csv kernels kernels
    csv doctor doctor
    documented_csv calibrate <"$top/data/ceilings.csv"
    printf 'threads,regs\n256,40\n' | smemcalc batch --device 9.0 | sed 's/^threads,regs,//' >csv-seen
    documented_csv batch <csv-seen

    if [ "$nvrtc" = no ]; then
        skip "every JSON key of an own source" "there is no NVRTC 13.0"
    elif command -v jq >/dev/null; then
        documented_json "every JSON key of an own source" run --source smooth.cu --grid 4 --block 256 \
            --arg f32x1K --arg f32x1K:random --arg i32:1K --on emulator --device H200
    fi

    solution=$here/data/exercises/right/reverse-static.cu
    if [ "$nvrtc" = no ]; then
        skip "keys of an exercise are documented" "there is no NVRTC 13.0"
    else
        ! command -v jq >/dev/null || documented_json "every JSON key of an exercise" exercise reverse-static "$solution"
        csv exercise exercise reverse-static "$solution"
    fi

    compared="run --on emulator --kernel stencil --radius 1:2 --size 64 --device 9.0"
    if [ "$nvrtc" = yes ] && command -v jq >/dev/null; then
        # shellcheck disable=SC2086 # words
        documented_json "every JSON key of a comparison" $compared
        # shellcheck disable=SC2086
        csv compare $compared
    else
        skip "keys of a comparison are documented" "there is no NVRTC 13.0, or no jq"
    fi

    annotated="run --on emulator --tile 4 --size 8 --device 9.0 --annotate"
    if [ "$nvrtc" = yes ] && command -v jq >/dev/null; then
        # shellcheck disable=SC2086 # words
        documented_json "every JSON key of an annotated run" $annotated
        # shellcheck disable=SC2086
        csv annotate $annotated
        csv run run --on emulator --tile 4 --size 8 --device 9.0
    else
        skip "keys of an annotated run are documented" "there is no NVRTC 13.0, or no jq"
    fi
}

# --- Pictures, links and generated pages -----------------------------------------------------------

# `tests/test_x.c` "title", "title": the file, and the cases that it must have.
named_in() { # DOCUMENT: a line `FILE` or `FILE<tab>TITLE` for each that it names
    tr '\n' ' ' <"$1" | awk -v RS='`' '
        NR % 2 == 0 { file = $0; if (file ~ /^(src|tests|data|kernels|bench|doc|man)\/[^ ]*$/) print file; next }
        file ~ /^tests\/.*\.c$/ {
            gsub(/  +/, " ")
            while (match($0, /^[ ,;and]*"[^"]*"/)) {
                title = substr($0, RSTART, RLENGTH)
                sub(/^[^"]*"/, "", title); sub(/"$/, "", title)
                print file "\t" title
                $0 = substr($0, RSTART + RLENGTH)
            }
        }'
}

check_links() {
    empty "the links and pictures of documents lead to a file" "$(cd "$top" &&
        for document in $markdown; do
            grep -o '](\([^)#:]*\)[^):]*)' "$document" | sed 's/^](//; s/[#)].*//; /^$/d' |
                while read -r target; do
                    [ -s "$(dirname "$document")/$target" ] ||
                        echo "$document: $target is missing"
                done
        done)"
    empty "the files and test cases that documents name are there" "$(cd "$top" &&
        for document in $texts; do
            named_in "$document" | while IFS="$(printf '\t')" read -r file title; do
                # shellcheck disable=SC2086 # a pattern such as tests/gpu/*.c
                ls -d $file >/dev/null 2>&1 || echo "$document: $file is missing"
                [ -z "$title" ] || grep -qF "\"$title\"" "$file" ||
                    echo "$document: $file has no case \"$title\""
            done
        done)"
}

# The rows of tables: `names` in the second column and later are in a file that the row names, or are
# definitions of the schema.
check_rows() {
    find "$top/src" "$top/data" -name '*.[ch]' -o -name '*.def' -o -name '*.cc' -o -name '*.json' >sources
    empty "HACKING.md: the functions of a row are in its files" "$(
        awk -F'`' '/^\| / {
            row = ""
            for (i = 2; i <= NF; i += 2)
                if ($i ~ /\.(c|cc|h|def)$/) row = row " " $i
            past = $1 ~ /\|.*\|/
            for (i = 2; i <= NF; i += 2) {
                if (past && $i ~ /^[A-Za-z][A-Za-z0-9_]*$/ && row != "") print $i row
                past = past || $(i + 1) ~ /\|/
            }
        }' "$top/HACKING.md" | while read -r name files; do
            found=$(for file in $files smemcalc-1.schema.json; do grep "/${file##*/}\$" sources; done)
            # shellcheck disable=SC2086 # several files
            grep -qwF "$name" $found || echo "$name is not in$(printf ' %s' $files)"
        done)"
}

check_readme() {
    empty "README.md leads to every document, some by way of doc/" "$(cd "$top" &&
        for document in HACKING.md doc/*.md; do
            grep -qF "]($document)" README.md || grep -qF "](${document#doc/})" doc/emulator.md ||
                echo "$document is missing"
        done)"
    lines=$(wc -l <"$top/README.md")
    empty "README.md has fewer than 150 lines" "$([ "$lines" -lt 150 ] || echo "it has $lines")"
}

check_results() {
    results=$top/results/h200.json
    if [ -f "$results" ]; then
        "$results_page" "$results" "$top/results/README.md" >results.md
        same_lines "results/README.md is that of results/h200.json (make update-results-page)" \
            "$top/results/README.md" results.md
    else
        skip "the page of results" "there are none yet: results/h200.json"
    fi
}

# --- Examples -------------------------------------------------------------------------------------

# Cuts a document into examples/PREFIX-N.command, .kind, .place (FILE:LINE) and, where output is
# shown, .expected.
cut_examples() { # PREFIX BEGIN END DOCUMENT: BEGIN and END are regular expressions
    awk -v base="examples/$1" -v begin="$2" -v end="$3" -v document="$4" '
        /^\.\\" example: / { words = $3; next }
        inside && $0 ~ end { inside = 0; words = ""; next }
        !inside && $0 ~ begin {
            inside = 1; name = ""
            if ($0 ~ /^```/) words = substr($0, length("```console") + 1)
            next
        }
        inside && /^\$ / {
            name = sprintf("%s-%03d", base, ++count)
            print substr($0, 3) > (name ".command"); print words > (name ".kind")
            print document ":" NR > (name ".place")
            next
        }
        inside && name { print > (name ".expected") }' "$top/$4"
}

cut_files() { # DOCUMENT: its ```cuda blocks
    awk '
        /^```cuda$/ { first = inside = 1; next }
        /^```$/ { inside = 0 }
        inside && first { file = $2; sub(/:$/, "", file); first = 0 }
        inside { print > file }' "$top/$1"
}

prefix() { # DOCUMENT
    echo "$1" | tr / _
}

why_not() { # KIND: why such an example cannot be run here
    case " $1 " in
    *" gpu "*) [ "$gpu" = yes ] || echo "there is no GPU" ;;
    *" nvrtc "*) [ "$nvrtc" = yes ] || echo "there is no NVRTC 13.0" ;;
    esac
}

# ./quickstart ARGUMENT... stands for the program, which the test has built already.
run_example() { # FILE without suffix; prints what the command prints
    sed 's|^\./quickstart|SMEMCALC_PROGRAM=& smemcalc|' "$1.command" >command.sh
    sh ./command.sh 2>&1 </dev/null
}

# Like diff, but a line `...` of the first file stands for any number of lines of the second.
differences() { # EXPECTED SEEN
    if ! grep -qx '\.\.\.' "$1"; then
        diff "$1" "$2"
        return
    fi
    awk -v expected="$1" '
        # Whether lines from..to of the example stand at line at of the output.
        function stands(from, to, at,    i) {
            if (at < 1 || at + to - from > seen_lines)
                return 0
            for (i = from; i <= to; i++)
                if (wanted[i] != seen[at + i - from])
                    return 0
            return 1
        }
        function complain(from) {
            print "line " from " of the example and those after it are not there, or not in this place:"
            print "  " wanted[from]
            print "the output:"
            for (i = 1; i <= seen_lines; i++) print "  " seen[i]
            exit
        }
        { seen[NR] = $0 }
        END {
            seen_lines = NR
            while ((getline line < expected) > 0) wanted[++wanted_lines] = line
            wanted[wanted_lines + 1] = "..."
            next_line = 1
            for (from = 1; from <= wanted_lines + 1; from = to + 2) {
                for (to = from - 1; wanted[to + 1] != "..."; to++);
                last = to == wanted_lines
                at = last && to >= from ? seen_lines - (to - from) : next_line
                if (from > 1 && !last)
                    while (at + to - from <= seen_lines && !stands(from, to, at)) at++
                if (to >= from && (at < next_line || !stands(from, to, at)))
                    complain(from)
                next_line = at + to - from + 1
            }
        }' "$2"
}

check_example() { # FILE without suffix
    read -r kind <"$1.kind" || kind=
    name="$(cat "$1.place"): $(cat "$1.command")"
    case $kind in *no-run*) return ;; esac
    reason=$(why_not "$kind")
    if [ -n "$reason" ]; then
        skip "$name" "$reason"
        return
    fi
    seen=$(run_example "$1")
    status=$?
    printf '%s\n' "$seen" >"$1.seen"
    case " $kind " in *" gpu "*) shown=no ;; *) shown=yes ;; esac
    if [ "$shown" = yes ] && grep -qvsx '\.\.\.' "$1.expected"; then
        empty "$name" "$(differences "$1.expected" "$1.seen")"
    elif [ "$status" -ne 0 ] || [ -z "$seen" ]; then
        fail "$name" "exit status $status: $seen"
    else
        pass "$name"
    fi
}

# A command whose output is shown whole is followed by what it printed just now.
write_anew() { # DOCUMENT
    awk -v base="examples/$(prefix "$1")" '
        function lines(file,    line, count) {
            while ((getline line < file) > 0) {
                count++
                if (line == "...") count = -1e9
            }
            close(file)
            return count
        }
        inside && /^```$/ { inside = 0; replaced = 0 }
        /^```console/ { inside = 1 }
        inside && /^\$ / {
            name = sprintf("%s-%03d", base, ++count); print; replaced = 0
            if (lines(name ".expected") > 0 && lines(name ".seen") > 0) {
                while ((getline line < (name ".seen")) > 0) print line
                replaced = 1
            }
            next
        }
        inside && replaced { next }
        { print }' "$top/$1" >document.new && cat document.new >"$top/$1"
}

check_examples() { # DOCUMENT
    case $1 in
    data/* | results/*) return ;;
    man/*) cut_examples "$(prefix "$1")" '^[.]Bd -literal' '^[.]Ed' "$1" ;;
    *) cut_examples "$(prefix "$1")" '^```console' '^```$' "$1" ;;
    esac
    for command in "examples/$(prefix "$1")"-*.command; do
        if [ -e "$command" ]; then
            check_example "${command%.command}"
        else
            skip "examples of $1" "it has none"
        fi
    done
    case ${GENERATE:+$1} in *.md) write_anew "$1" ;; esac
}

# --- The documents given, or all ------------------------------------------------------------------

all=$(cd "$top" && echo README.md HACKING.md doc/*.md man/*.[0-9] data/README.md results/*.md)
documents=$*
[ $# -gt 0 ] || documents=$all
for document in $documents; do
    case " $all " in
    *" $document "*) ;;
    *)
        echo "docs.sh: no document '$document'; there are: $all" >&2
        exit 2
        ;;
    esac
done
markdown=$(echo "$documents" | tr ' ' '\n' | grep '\.md$')
texts=$(echo "$markdown" | grep -v '^data/\|^results/')

cp "$here"/data/merge/node[12].json "$here"/data/merge/checks.json . # the reports of doc/many-gpus.md
cp "$here/data/trace/step.json" .     # the trace of doc/trace.md
cp "$here/data/trace/torch-h200.json" . # that of README.md and doc/trace.md

case $(smemcalc --tile 32 --device 9.0 --format json 2>/dev/null) in
*'"nvrtc 13.0 '*) nvrtc=yes ;;
*) nvrtc=no ;;
esac

for document in $all; do
    cut_files "$document"
done
[ -z "$markdown" ] || check_links
for document in $documents; do
    case $document in
    man/smemcalc.1) check_options ;;
    man/smemcalc-formats.5)
        check_fields
        "$update_formats" <"$formats" >formats.5
        same_lines "smemcalc-formats(5) lists the fields of the tables (make update-tables)" \
            "$formats" formats.5
        ;;
    README.md) check_readme ;;
    HACKING.md) check_rows ;;
    doc/tables.md)
        "$top/doc/tables.sh" "$top" smemcalc >tables.md
        same_lines "doc/tables.md lists the devices and kernels (make update-tables)" \
            "$top/doc/tables.md" tables.md
        ;;
    doc/ptx.md)
        "$ptx_table" --page >ptx.md
        same_lines "doc/ptx.md is that of src/machine/emulator/instructions.def (make update-tables)" \
            "$top/doc/ptx.md" ptx.md
        ;;
    results/README.md) check_results ;;
    esac
    check_examples "$document"
done

finish_cases
