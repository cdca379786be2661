#!/bin/bash
# The static analyzers over src, all at once, each on as many files at a time as there are processors:
# gcc -fanalyzer, clang-tidy (.clang-tidy) and cppcheck (tests/cppcheck.supp). What was reviewed and is
# no fault is listed in tests/analyzer.supp and tests/cppcheck.supp with its reason; anything else
# fails, and so does a file on which a tool fails, and a line of tests/analyzer.supp without a finding.
# gcc -fanalyzer gets ANALYZER_SECONDS of processor time for a file; one that needs more is a finding
# "FILE - not-analysed". Exit status 77: a tool is missing.
#   tests/analysis.sh BUILD [TOOL...]   BUILD: a configured build folder; TOOL: analyzer, tidy, cppcheck
# FILES, in the environment, limits it to these files: FILES='src/base/*.c'.

set -uo pipefail
[ $# -gt 0 ] || {
    echo 'usage: tests/analysis.sh BUILD [analyzer|tidy|cppcheck ...]' >&2
    exit 2
}
source=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd) || exit 2
shift
[ $# -gt 0 ] || set -- analyzer tidy cppcheck
export LC_ALL=C CCACHE_DISABLE=1
make -s -C "$build" fuzz-tables || exit 1
cd "$source" || exit 1
read -ra flags < <(make -s -C "$build" analysis-flags | tail -n 1)
# What includes CUDA's headers is left to the builds: the headers have most of the findings.
# The longest first: the last to end is then a short one.
# shellcheck disable=SC2086 # a list of patterns
mapfile -t files < <(find ${FILES:-src} -name '*.c' ! -path 'src/hardware/*/gpu*' -printf '%s %p\n' | sort -rn | cut -d ' ' -f 2)
export FLAGS="${flags[*]}" SHORT=$build/short ANALYZER_SECONDS=${ANALYZER_SECONDS:-240}

each_file() { # COMMAND: of "$file", with the words of $FLAGS
    # shellcheck disable=SC2016 # the inner shell's
    printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 1 bash -c 'file=$1; '"$1" bash 2>&1
}

# KEY TAB MESSAGE of each warning; the key is FILE FUNCTION CHECK. A table of 18,000 rows would take it
# minutes: it gets the first ones, which are like the others.
run_analyzer() {
    local table=code/compile/resources.inc
    mkdir -p "$build/short/${table%/*}"
    head -n 20 "$build/src/$table" >"$build/short/$table"
    # shellcheck disable=SC2016
    each_file 'ulimit -t "$ANALYZER_SECONDS"
        gcc -std=c11 -O1 -fanalyzer -fdiagnostics-plain-output -I"$SHORT" $FLAGS -c "$file" -o /dev/null 2>&1 |
        awk -v file="$file" '"'"'
            / In function / { split($0, part, "\xe2\x80\x98|\xe2\x80\x99|\x27"); name = part[2] }
            /: warning: .*\[-Wanalyzer-/ {
                check = $0; sub(/.*\[-W/, "", check); sub(/\].*/, "", check)
                where = $0; sub(/:.*/, "", where)
                print where " " name " " check "\t" $0
            }
            / error: / && !failed { failed = $0 }
            END {
                if (failed ~ /signal terminated/)
                    print file " - not-analysed\t" file ": not analysed in the time that it has"
                else if (failed)
                    print file " - error\t" failed
            }'"'"'' | sort -u >"$build/analyzer.found"
    grep -v '^#' tests/analyzer.supp | sed 's/ *#.*//' |
        grep -F "$(printf '%s \n' "${files[@]}")" | sort -u >"$build/analyzer.known"
    cut -f 1 "$build/analyzer.found" | sort -u >"$build/analyzer.keys"
    comm -13 "$build/analyzer.known" "$build/analyzer.keys" | while read -r key; do
        grep -F "$key	" "$build/analyzer.found" | cut -f 2
    done
    comm -23 "$build/analyzer.known" "$build/analyzer.keys" |
        sed 's/^/tests\/analyzer.supp: no longer found: /'
}

# Not 'sizeof(A*)': the program has arrays of pointers, whose elements have that size; where the
# pointer is meant to be followed, -Wsizeof-pointer-memaccess of both compilers is an error.
run_tidy() {
    # shellcheck disable=SC2016
    each_file 'clang-tidy --quiet "$file" -- -std=c11 $FLAGS 2>&1 ||
        echo "$file: error: clang-tidy fails on it [status]"' |
        grep -E '(warning|error): .*\[' | grep -vF "suspicious usage of 'sizeof(A*)'" | sort -u
}

run_cppcheck() {
    cppcheck --quiet --enable=warning,performance,portability --std=c11 -j "$(nproc)" \
        -D__cppcheck__ -D__x86_64__ -D__STDC_VERSION__=201112L "${flags[@]}" --suppress=missingInclude \
        --suppressions-list=tests/cppcheck.supp --template='{file}:{line}: {severity}: {message} [{id}]' \
        "${files[@]}" 2>&1 | sort -u
}

timed() { # TOOL: what it found to TOOL.out, its times to TOOL.time
    local TIMEFORMAT='%R s, %U s of processor time'
    {
        time case $1 in
        analyzer) run_analyzer ;;
        tidy) run_tidy ;;
        *) run_cppcheck ;;
        esac >"$build/$1.out" 2>&3
    } 3>&2 2>"$build/$1.time"
}

for tool; do
    case $tool in
    analyzer) program=gcc ;;
    tidy) program=clang-tidy ;;
    cppcheck) program=cppcheck ;;
    *)
        echo "unknown tool '$tool'" >&2
        exit 2
        ;;
    esac
    command -v "$program" >/dev/null || {
        echo "$program is not installed"
        exit 77
    }
done
for tool; do
    timed "$tool" &
done
wait
failed=0
for tool; do
    found=$(grep -c '' "$build/$tool.out")
    printf '%-9s %3d findings in %d files, %s\n' "$tool" "$found" "${#files[@]}" "$(tail -n 1 "$build/$tool.time")"
    [ "$found" -eq 0 ] || {
        cat "$build/$tool.out"
        failed=1
    }
done
exit "$failed"
