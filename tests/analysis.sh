#!/bin/bash
# The static analyzers over src, as many files at a time as there are processors: gcc -fanalyzer,
# clang-tidy (.clang-tidy) and cppcheck (tests/cppcheck.supp). What was reviewed and is no fault is
# listed in tests/analyzer.supp and tests/cppcheck.supp with its reason; anything else fails, and so
# does a line of tests/analyzer.supp without a finding.
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
# shellcheck disable=SC2086 # a list of patterns
mapfile -t files < <(find ${FILES:-src} -name '*.c' ! -path 'src/executor/gpu*' | sort)
export FLAGS="${flags[*]}"

each_file() { # COMMAND: of "$file", with the words of $FLAGS
    # shellcheck disable=SC2016 # the inner shell's
    printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 1 bash -c 'file=$1; '"$1" bash 2>&1
}

# FILE FUNCTION CHECK: MESSAGE of each warning.
run_analyzer() {
    # shellcheck disable=SC2016
    each_file 'gcc -std=c11 -O1 -fanalyzer -fdiagnostics-plain-output $FLAGS -c "$file" -o /dev/null 2>&1 |
        awk '"'"'
            / In function / { split($0, part, "\x27"); name = part[2] }
            /: warning: .*\[-Wanalyzer-/ || /: error: / {
                file = $0; sub(/:.*/, "", file)
                check = $0; sub(/.*\[-W/, "", check); sub(/\].*/, "", check)
                print file " " name " " check "\t" $0
            }'"'"'' | sort -u >"$build/analyzer.found"
    grep -v '^#' tests/analyzer.supp | sed 's/ *#.*//' |
        grep -F "$(printf '%s ' "${files[@]}" | tr ' ' '\n' | sed '/./s/$/ /')" | sort -u >"$build/analyzer.known"
    cut -f 1 "$build/analyzer.found" | sort -u >"$build/analyzer.keys"
    comm -13 "$build/analyzer.known" "$build/analyzer.keys" | while read -r key; do
        grep -F "$key	" "$build/analyzer.found" | cut -f 2
    done
    comm -23 "$build/analyzer.known" "$build/analyzer.keys" |
        sed 's/^/tests\/analyzer.supp: no longer found: /'
}

run_tidy() {
    # shellcheck disable=SC2016
    each_file 'clang-tidy --quiet "$file" -- -std=c11 $FLAGS 2>&1' |
        grep -E '(warning|error): .*\[' | sort -u
}

run_cppcheck() {
    cppcheck --quiet --enable=warning,performance,portability --std=c11 -j "$(nproc)" \
        -D__x86_64__ -D__STDC_VERSION__=201112L "${flags[@]}" --suppress=missingInclude \
        --suppressions-list=tests/cppcheck.supp --template='{file}:{line}: {severity}: {message} [{id}]' \
        "${files[@]}" 2>&1 | sort -u
}

failed=0
for tool; do
    start=$SECONDS
    case $tool in
    analyzer) found=$(run_analyzer) ;;
    tidy) found=$(run_tidy) ;;
    cppcheck) found=$(run_cppcheck) ;;
    *)
        echo "unknown tool '$tool'" >&2
        exit 2
        ;;
    esac
    printf '%-9s %3d findings, %4d s\n' "$tool" "$(printf '%s' "$found" | grep -c '')" $((SECONDS - start))
    [ -z "$found" ] || {
        printf '%s\n' "$found"
        failed=1
    }
done
exit "$failed"
