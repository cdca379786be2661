#!/bin/bash
# Adds an input, such as one that showed a fault, to those that `make check` runs a fuzzer with:
#   tests/fuzz/add.sh NAME FILE
#   tests/fuzz/add.sh NAME -      the input is on standard input
# Exit status 1: it was not added, for the reason printed; 2: wrong usage.

set -uo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/fuzz/kept.sh
. "$source/tests/fuzz/kept.sh"

stop() { # STATUS MESSAGE
    printf 'add.sh: %s\n' "$2" >&2
    exit "$1"
}

[ $# -eq 2 ] || {
    echo 'usage: tests/fuzz/add.sh NAME FILE|-' >&2
    exit 2
}
name=$1 called=$2
row=$(rows | awk -F '\t' -v name="$name" '$1 == name')
[ -n "$row" ] || stop 2 "unknown fuzzer '$name'; tests/fuzz/fuzzers.def lists all"
[ "$2" != - ] || called='standard input'
[ "$2" = - ] || { [ -r "$2" ] && [ ! -d "$2" ]; } || stop 2 "'$2' is not a file that can be read"
[ -w "$corpus" ] || stop 1 "the folder $corpus cannot be written"
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
kept=$scratch/kept input=$scratch/input
mkdir "$kept"
{ [ "$2" = - ] || exec <"$2"; head -c $((most_bytes + 1)); } >"$input" || stop 1 "cannot read $called"
bytes=$(wc -c <"$input")
[ "$bytes" -gt 0 ] || stop 1 "$called is empty"
[ "$bytes" -le "$most_bytes" ] || stop 1 "$called has more than $most_bytes bytes"

unpack_kept "$name" "$kept" || stop 1 "$corpus/$name.tar.gz cannot be unpacked"
while IFS= read -r other; do
    ! cmp -s "$input" "$other" || stop 1 "$called is there already: ${other#"$source"/}"
done < <(seeds_of "${row##*$'\t'}")
for other in "$kept"/*; do
    ! cmp -s "$input" "$other" || stop 1 "$called is there already: ${other##*/} in $name.tar.gz"
done
added=$(sha1sum <"$input" | cut -d ' ' -f 1) # as libFuzzer names inputs
mv "$input" "$kept/$added"
pack_kept "$name" "$kept" || stop 1 "$corpus/$name.tar.gz cannot be written"
printf 'added %s (%d bytes) to tests/fuzz/corpus/%s.tar.gz, which has %d inputs now\n' \
    "$added" "$bytes" "$name" "$(find "$kept" -type f | wc -l)"
