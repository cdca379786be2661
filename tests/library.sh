#!/bin/sh
# The public library as another program uses it: installed, found with pkg-config and with CMake, its
# header compiled as C and as C++, the examples of smemcalc(3) compiled and run, its ABI, misuse,
# symbols, threads.
# Run in the build folder. CC, MAKE and SANITIZE_FLAGS are those of the build.

set -u
export LC_ALL=C SMEMCALC_PROGRAM=smemcalc
unset MAKEFLAGS MFLAGS MAKELEVEL
here=$(cd "$(dirname "$0")" && pwd) || exit 99
source=$(dirname "$here")
build=$PWD
manual=$source/man/smemcalc.3
sanitize=${SANITIZE_FLAGS-}
cc=${CC:-cc}
# shellcheck source=tests/cases.sh
. "$here/cases.sh"

scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
root=$scratch/root
"${MAKE:-make}" -s install DESTDIR="$root" >"$scratch/install.log" 2>&1 ||
    { fail "make install" "$(tail "$scratch/install.log")"; finish_cases; }
cd "$scratch" || exit 99

pc=$(find "$root" -name smemcalc.pc)
libdir=$(dirname "$(dirname "$pc")")
[ -n "$pc" ] || { fail "smemcalc.pc is installed"; finish_cases; }
shared=$(find "$libdir" -name 'libsmemcalc.so.0')
static=$(find "$libdir" -name 'libsmemcalc.a')
symbols=$build/smemcalc.sym

# --- Flags ----------------------------------------------------------------------------------------

if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH="${pc%/*}" PKG_CONFIG_SYSROOT_DIR="$root"
    export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
    cflags=$(pkg-config --cflags smemcalc) libs=$(pkg-config --libs smemcalc)
    empty "pkg-config names the installed folders" "$(
        case $cflags in *"-I$root"*) ;; *) echo "cflags: $cflags" ;; esac
        case $libs in *"-L$root"*-lsmemcalc*) ;; *) echo "libs: $libs" ;; esac)"
    empty "pkg-config has the program's version" "$(
        echo "smemcalc $(pkg-config --modversion smemcalc)" >version
        "$build/smemcalc" --version | diff - version)"
else
    skip "pkg-config names the installed folders" "there is no pkg-config"
    cflags=-I$(dirname "$(find "$root" -name smemcalc.h)") libs="-L$libdir -lsmemcalc"
fi

# --- The example of the manual --------------------------------------------------------------------

block() { # WORD: the literal block behind the comment `.\" example: WORD`
    awk -v word="$1" '/^\.\\" example: / { found = $3 == word; next }
        found && /^\.Bd/ { inside = 1; next }
        inside && /^\.Ed/ { exit }
        inside { gsub(/\\e/, "\\"); print }' "$manual"
}

block program >example.c
block output >expected
cp example.c example.cc
[ -s example.c ] || fail "smemcalc(3) has an example"
[ -s expected ] || fail "smemcalc(3) shows what the example prints"

# Words are split on purpose: several flags.
runs() { # NAME FILE LINK COMPILER FLAG...
    name=$1 file=$2 link=$3
    shift 3
    if ! command -v "$1" >/dev/null; then
        skip "$name" "there is no $1"
        return
    fi
    # shellcheck disable=SC2086
    if ! "$@" -Wall -Wextra -Wpedantic -Werror $sanitize $cflags "$file" -o program $link \
        >compiler.log 2>&1; then
        fail "$name" "$(head -n 20 compiler.log)"
        return
    fi
    LD_LIBRARY_PATH=$libdir ./program >out 2>&1 || echo "exit status $?" >>out
    empty "$name" "$(diff expected out)"
}

anywhere=${shared:+$libs}
anywhere=${anywhere:-$static -lutf8proc}
# A sanitizer's run-time library is that of the compiler which built the library.
if [ -z "$sanitize" ]; then
    for compiler in gcc clang; do
        runs "the library's example, $compiler, C11" example.c "$anywhere" $compiler -std=c11
    done
    for compiler in g++ clang++; do
        for standard in c++11 c++17; do
            runs "the library's example, $compiler, $standard" example.cc "$anywhere" $compiler -std=$standard
        done
    done
else
    skip "the example by other compilers" "the library is built with sanitizers"
fi
# shellcheck disable=SC2086
runs "the library's example, linked as the build is" example.c "$anywhere" $cc -std=c11
for example in array choice layout; do
    block $example >$example.c
    block ${example}_output >expected
    # shellcheck disable=SC2086
    runs "the example '$example'" $example.c "$anywhere" $cc -std=c11
done
empty "every example of smemcalc(3) is run" "$(
    grep '^\.\\" example: ' "$manual" | grep -vE ' (program|output|(array|choice|layout)(_output)?)$')"
block output >expected
if [ -n "$static" ]; then
    # shellcheck disable=SC2086
    runs "the library's example, linked statically" example.c "$static -lutf8proc" $cc -std=c11
else
    skip "the library's example, linked statically" "there is no static library"
fi

# --- Misuse and versions --------------------------------------------------------------------------

cp "$here/library_misuse.c" misuse.c
cp misuse.c misuse.cc
"$build/smemcalc" --version | sed 's/^smemcalc/version/' >expected
# shellcheck disable=SC2086
runs "misuse is an error in the library's words" misuse.c "$anywhere" $cc -std=c11
[ -n "$sanitize" ] || runs "the same in C++" misuse.cc "$anywhere" g++ -std=c++11

if command -v cmake >/dev/null && [ -n "$shared" ] && [ -z "$sanitize" ]; then
    mkdir user
    cat >user/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(user C)
find_package(Smemcalc ${WANTED} REQUIRED)
add_executable(program ${EXAMPLE})
target_link_libraries(program Smemcalc::smemcalc)
END
    prefix=$(dirname "$(dirname "$(dirname "$(find "$root" -name SmemcalcConfig.cmake)")")")
    with_cmake() { # VERSION: configures a project that wants it
        cmake -S user -B "user/$1" -DWANTED="$1" -DEXAMPLE="$scratch/example.c" \
            -DCMAKE_PREFIX_PATH="${prefix%/share}" >cmake.log 2>&1
    }
    block output >expected
    empty "find_package(Smemcalc 0.1) and Smemcalc::smemcalc" "$(
        { with_cmake 0.1 && cmake --build user/0.1; } >build.log 2>&1 || tail cmake.log build.log
        user/0.1/program 2>&1 | diff expected -)"
    for version in 0.2 1.0 0.0; do
        if with_cmake $version; then fail "find_package(Smemcalc $version) fails"; else
            pass "find_package(Smemcalc $version) fails"
        fi
    done
else
    skip "find_package(Smemcalc)" "there is no cmake or no shared library"
fi

# --- The ABI --------------------------------------------------------------------------------------

# src/rules/model/public_layout.c holds what public_layout.def says, which is what the headers of the release said.
# shellcheck disable=SC2086
empty "the layout of every public struct and enum is held" "$(
    sed '1,/\*\//d' "$source/src/rules/model/public_layout.def" >held
    "$source/include/layout.sh" $cc $cflags 2>&1 | diff held -)"
headers=$(dirname "$(find "$root" -name smemcalc.h)")
layout_holds() { # HEADERS: the library's source compiles with them
    $cc -std=c11 -fsyntax-only -I"$1" -I"$source/src" "$source/src/rules/model/public_layout.c" 2>seeded.log
}
if $cc -std=c11 -E -dM -x c /dev/null | grep -q '__SIZEOF_POINTER__ 8'; then
    layout_holds "$headers/smemcalc" || fail "the layout holds" "$(head seeded.log)"
    sed -n 's/^STRUCT(\([a-z_]*\),.*/\1/p' held >structs
    [ "$(wc -l <structs)" -ge 10 ] || fail "there are structs"
    empty "a member that is added to any public struct is noticed, at its begin and at its end" "$(
        while read -r struct; do
            for at in begin end; do
                rm -rf seeded
                cp -R "$headers/smemcalc" seeded
                sed -i "/^struct $struct {/,/^}/{ # of this struct
                    $([ $at = begin ] && echo "s/^struct $struct {/&uint64_t seed;/" || echo 's/^}/uint64_t seed;}/')
                }" seeded/rules/*.h seeded/base/*.h
                grep -q seed seeded/*/*.h || echo "$struct: not found"
                if layout_holds seeded; then echo "$struct, $at"; fi
            done
        done <structs)"
    cp -R "$headers/smemcalc" swapped
    sed -i 's/^    SMC_STEP_THREADS,.*/    SMC_STEP_SEED,/' swapped/rules/next_steps.h
    if layout_holds swapped; then fail "a lost enumerator is noticed"; else pass "a lost enumerator is noticed"; fi
else
    skip "changes of the layout are noticed" "pointers have not 64 bits"
fi
empty "the headers refer to no file that is not installed" "$(cd "$headers" &&
    find smemcalc.h smemcalc -type f | while read -r file; do # without what is not its interface
        sed '/^#ifndef SMEMCALC_H \/\*/,/^#endif/d' "$file" |
            grep -noE '[a-z_]+/[a-z_/]+\.(c|h|def|csv|md|sh|awk)\b' | sed "s|^|$file:|"
    done | while IFS=: read -r file line path; do
        [ -e "$path" ] || [ -e "smemcalc/$path" ] || [ -e "$(dirname "$file")/$path" ] ||
            echo "$file:$line: $path"
    done)"

# --- Symbols --------------------------------------------------------------------------------------

sort "$symbols" >declared
[ "$(wc -l <declared)" -ge 15 ] || fail "the headers declare functions"
empty "every symbol of the library begins with smc_" "$(grep -v '^smc_' declared)"
empty "every symbol of the library is in smemcalc(3)" "$(while read -r symbol; do
    grep -qE "^\.F[no] $symbol( |$)" "$manual" || echo "$symbol"
done <declared)"
empty "smemcalc(3) has no other symbol" \
    "$(sed -n 's/^\.F[no] \(smc_[a-z0-9_]*\).*/\1/p' "$manual" | sort -u | comm -23 - declared)"
pages=$(dirname "$(find "$root" -name smemcalc.3)")
empty "man finds every function" "$(while read -r symbol; do
    [ -s "$pages/$symbol.3" ] && (cd "$pages/.." && [ -e "$(sed 's/^\.so //' "man3/$symbol.3")" ]) ||
        echo "$symbol"
done <declared)"
if [ -n "$shared" ] && command -v nm >/dev/null; then
    nm -D --defined-only "$shared" | sed 's/.* //; s/@.*//' | sort >exported
    empty "what the headers declare is exported, and nothing else" "$(diff declared exported)"
else
    skip "what is exported" "there is no shared library or no nm"
fi
if [ -n "$static" ] && [ -z "$sanitize" ] && command -v size >/dev/null; then
    variables() { # FILE: its sections of variables, which a constant's relocations are not in
        size -A "$1" | awk '$1 ~ /^\.(t?bss|t?data|data\.rel|data\.rel\.local)$/ && $2 > 0 { print $1, $2 }'
    }
    echo 'static int calls; int *count(void); int *count(void) { calls++; return &calls; }' >global.c
    $cc -c global.c -o global.o
    [ -n "$(variables global.o)" ] || fail "a variable is noticed"
    empty "the library has no variable that can change" "$(variables "$static")"
else
    skip "the library has no variable that can change" "no static library, no size, or sanitizers"
fi

# --- Threads --------------------------------------------------------------------------------------

# All of the library except the user's files and measurements, which are JSON.
sources=$(for folder in base rules/model rules/devices; do ls "$source/src/$folder/"*.c; done | grep -vE "/(ceilings|device_file)[a-z_]*[.]c$")
echo 'int main(void) { return 0; }' >try.c
thread_flags=
if [ -z "$sanitize" ] && $cc -fsanitize=thread try.c -o try 2>/dev/null && ./try 2>/dev/null; then
    thread_flags=-fsanitize=thread
fi
case $source$build in
*' '*) skip "threads" "a folder with a space in its name" ;;
*)
    zlib=$(grep -q 'define HAVE_ZLIB 1' "$build/config.h" && echo -lz)
    # shellcheck disable=SC2086
    if $cc -std=c11 -O1 -g -D_GNU_SOURCE $sanitize $thread_flags $cflags -I"$source/src" \
        -I"$build/src" -I"$build" "$here/library_threads.c" $sources -o threads -lpthread -lutf8proc \
        -ljansson $zlib >log 2>&1; then
        every=6
        ! is_whole || every=1
        empty "threads get the same answers${thread_flags:+, under ThreadSanitizer}" "$(
            ./threads $every >out 2>&1 || head -n 40 out
            grep -vx "0 of 4 threads differ" out)"
        print_share $((36 / every / every)) 36 "shares of the devices and launches"
    else
        fail "threads" "$(head -n 20 log)"
    fi
    ;;
esac

finish_cases
