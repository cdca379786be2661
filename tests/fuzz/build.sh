#!/bin/bash
# Builds the fuzzers of fuzzers.def with libFuzzer, AddressSanitizer and UBSan, each with its seeds,
# dictionary and options, as OSS-Fuzz expects them:
#   tests/fuzz/build.sh OUT [NAME...]
# CC, CXX, CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE, OUT and WORK (the build folder) may be given by the
# environment, as OSS-Fuzz does.

set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
fuzz=$source/tests/fuzz
# shellcheck source=tests/fuzz/kept.sh
. "$fuzz/kept.sh"
[ $# -eq 0 ] || {
    OUT=$1
    shift
}
[ -n "${OUT-}" ] || {
    echo 'usage: tests/fuzz/build.sh OUT [NAME...]' >&2
    exit 2
}
mkdir -p "$OUT"
OUT=$(cd "$OUT" && pwd)
build=${WORK:-$OUT.build}
sanitizers='-fsanitize=address,undefined -fno-sanitize-recover=undefined -fsanitize=fuzzer-no-link'
export CC=${CC:-clang} CXX=${CXX:-clang++}
export CFLAGS=${CFLAGS:--O1 -g -fno-omit-frame-pointer $sanitizers}
export CXXFLAGS=${CXXFLAGS:-$CFLAGS}
engine=${LIB_FUZZING_ENGINE:--fsanitize=fuzzer}

# --- The library, once ------------------------------------------------------------------------------

[ -x "$source/configure" ] || (cd "$source" && autoreconf -fi)
mkdir -p "$build"
cd "$build"
[ -f Makefile ] || "$source/configure" -q --disable-shared --without-cuda --without-cairo >configure.log
make -s "-j$(nproc)" fuzz-tables
make -s "-j$(nproc)" libsmc.la
libraries=$(make -s fuzz-libraries | tail -n 1 | tr ' ' '\n' | grep -v '\.la$') # those are in libsmc

# --- The fuzzers ------------------------------------------------------------------------------------

compile() { # SOURCE OBJECT FLAG...
    local file=$1 object=$2
    shift 2
    # shellcheck disable=SC2086 # lists of words
    "$CC" $CFLAGS -std=c11 -I. -Isrc -I"$source/src" -I"$fuzz" "$@" -c "$file" -o "$object"
}

# Not in one folder with the library's: names of files are the same.
build_fuzzer() { # NAME FILE
    compile "$fuzz/$2.c" "fuzz/$1.o"
    compile "$fuzz/libfuzzer.c" "fuzz/$1.entry.o" "-DFUZZ_FUNCTION=fuzz_$1"
    # shellcheck disable=SC2086,SC2016 # the linker's $ORIGIN
    "$CXX" $CXXFLAGS "fuzz/$1.entry.o" "fuzz/$1.o" fuzz/machine_text.o .libs/libsmc.a $engine \
        $libraries -Wl,-rpath,'$ORIGIN/lib' -o "$OUT/$1"
}

give_inputs() { # NAME LONGEST DICTIONARY SEEDS
    local name=$1
    [ "$3" = - ] || cp "$fuzz/${3%-}.dict" "$OUT/$name.dict"
    printf '[libfuzzer]\nmax_len = %s\ntimeout = 25\n' "$2" >"$OUT/$name.options"
    rm -rf "$OUT/${name}_seeds"
    mkdir "$OUT/${name}_seeds"
    unpack_kept "$name" "$OUT/${name}_seeds"
    # Seeds of several folders may have the same name.
    seeds_of "$4" | xargs -r -d '\n' cp --backup=numbered -t "$OUT/${name}_seeds"
    rm -f "$OUT/${name}_seed_corpus.zip"
    ! command -v zip >/dev/null || (cd "$OUT/${name}_seeds" && zip -qr "$OUT/${name}_seed_corpus.zip" .)
}

# What the runtime of OSS-Fuzz lacks goes with the fuzzers.
give_libraries() {
    mkdir -p "$OUT/lib"
    find "$OUT" -maxdepth 1 -type f -executable -exec ldd {} + | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u |
        grep -v '/lib\(c\|m\|dl\|rt\|pthread\|gcc_s\|stdc++\|resolv\)\.so' |
        xargs -r -I{} cp -Lu {} "$OUT/lib/"
}

mkdir -p fuzz
compile "$source/tests/machine_text.c" fuzz/machine_text.o
wanted=" $* "
running=0
while IFS=$'\t' read -r name file longest dictionary seeds; do
    [ $# -eq 0 ] || [[ $wanted = *" $name "* ]] || continue
    [ "$running" -lt "$(nproc)" ] || {
        wait -n
        running=$((running - 1))
    }
    (
        build_fuzzer "$name" "$file"
        give_inputs "$name" "$longest" "$dictionary" "$seeds"
    ) &
    running=$((running + 1))
done < <(rows)
while [ "$running" -gt 0 ]; do
    wait -n
    running=$((running - 1))
done
[ -z "${FUZZING_ENGINE-}" ] || give_libraries
