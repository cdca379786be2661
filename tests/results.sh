#!/bin/sh
# Results of GPU tests: parts are combined, and results/README.md's page is made from them. The
# parts are made up (tests/data/results); GENERATE=1 writes what is expected anew.

set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd) || exit 99
data=$here/data/results
golden=$here/golden
page=$PWD/tests/results_page
tests=$PWD/tests/gpu/gpu_tests
# shellcheck source=tests/cases.sh
. "$here/cases.sh"

scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT

same() { # NAME GOLDEN FILE
    [ -z "${GENERATE-}" ] || cp "$3" "$golden/$2"
    empty "$1" "$(diff "$golden/$2" "$3")"
}

refused() { # NAME PATTERN COMMAND...: it fails and says why
    name=$1 pattern=$2
    shift 2
    if said=$("$@" 2>&1); then
        fail "$name" "it succeeds"
    else
        case $said in
        *$pattern*) pass "$name" ;;
        *) fail "$name" "$said" ;;
        esac
    fi
}

if [ -x "$tests" ]; then
    "$tests" --join "$scratch/all.json" "$data/catalog.json" "$data/suites.json" \
        "$data/sgemm.json" "$data/stencil.json"
    same "the parts of a run's results are joined" results.json "$scratch/all.json"
    refused "results of another GPU are not joined" '"gpu" is not that of' \
        "$tests" --join "$scratch/other.json" "$data/catalog.json" "$data/other_gpu.json"
    refused "results that are missing are not joined" 'nothing.json' \
        "$tests" --join "$scratch/other.json" "$data/nothing.json"
    empty "results that cannot be joined write nothing" "$(ls "$scratch/other.json" 2>/dev/null)"
else
    skip "the parts of a run's results are joined" "built without the GPU tests"
fi

"$page" "$golden/results.json" >"$scratch/page.md"
same "the page of results" results_page.md "$scratch/page.md"
"$page" "$data/suites.json" >"$scratch/part.md"
empty "the page leaves out results that are missing" "$(grep -n 'matmul-register\|matmul-tiled-racy' "$scratch/part.md")"

# shellcheck disable=SC2016 # a marker, not a command
printf '%s\n' before '<!-- results: written by `make update-results-page` -->' old \
    '<!-- end of results -->' after >"$scratch/document"
{
    sed 2q "$scratch/document"
    cat "$scratch/page.md"
    sed -n '4,$p' "$scratch/document"
} >"$scratch/expected"
"$page" "$golden/results.json" "$scratch/document" >"$scratch/new"
empty "the page replaces only what is between the markers of a document" "$(diff "$scratch/expected" "$scratch/new")"
"$page" "$golden/results.json" "$scratch/new" >"$scratch/again"
empty "a page that is written twice is the same" "$(diff "$scratch/new" "$scratch/again")"

echo before >"$scratch/bare"
refused "a document without the page's markers is refused" 'lacks the two markers' "$page" "$golden/results.json" "$scratch/bare"
echo '{"schema": "other/1"}' >"$scratch/foreign.json"
refused "results of another schema are refused" 'smemcalc-results/1' "$page" "$scratch/foreign.json"

finish_cases
