#!/bin/sh
# The stand-ins for the compilers of the CUDA Toolkit, by which other suites run without one: what they
# recorded of a compiler they repeat, and they answer nothing else. The compiler here is a script that
# says that it ran. Run in the build folder.

set -u
export LC_ALL=C
unset TEST_LIVE TEST_RECORD CUDA_HOME CUDA_PATH NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS CPATH

here=$(cd "$(dirname "$0")" && pwd) || exit 99
# shellcheck source=tests/cases.sh
. "$here/cases.sh"
for tool in xz objcopy "${CC:-cc}"; do
    # shellcheck disable=SC2086 # a compiler may have options
    command -v ${tool%% *} >/dev/null || { echo "toolkit_records.sh: no $tool" >&2; exit 77; }
done
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/suites/toolkit" "$folder/installed/bin" "$folder/project" && cd "$folder" || exit 99
cp "$here/cases.sh" "$here/toolkit.sh" suites && cp "$here/toolkit/stand-in" "$here/toolkit/update" \
    suites/toolkit || exit 99

# --- A compiler and a suite -----------------------------------------------------------------------

cat >installed/bin/nvcc <<'END_OF_NVCC'
#!/bin/sh
output='' sources='' is_object=''
echo "ran: $*" >>"$RUNS"
while [ $# -gt 0 ]; do
    case $1 in
    --version) echo "Cuda compilation tools, release 13.0, V13.0.88" ;;
    --dryrun) printf '#$ _HERE_=%s\n#$ PATH=%s:%s\n' "${0%/*}" "${0%/*}" "$PATH" >&2 && exit ;;
    -c) is_object=yes ;;
    -o) output=$2 && shift ;;
    -*) ;;
    *) sources="$sources $1" ;;
    esac
    shift
done
[ -n "$output" ] || exit 0
echo "in $PWD:$sources" >&2
! grep -q fault $sources || exit 3
cat $sources ${NVCC_APPEND_FLAGS+flags} >code
if [ -n "$is_object" ]; then
    echo 'int secret_of_the_host;' | ${CC:-cc} -c -x c - -o host.o &&
        objcopy --add-section .nv_fatbin=code --set-section-flags .nv_fatbin=alloc,readonly host.o \
            "$output"
else
    cp code "$output"
fi
END_OF_NVCC
cp installed/bin/nvcc installed/bin/ptxas && chmod +x installed/bin/*

cat >suites/user.sh <<'END_OF_SUITE'
#!/bin/sh
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cases.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
. "$here/toolkit.sh"
cp -r project "$scratch/project" && cd "$scratch/project" || exit 99
. ./commands
finish_cases
END_OF_SUITE

cat >project/commands <<'END_OF_COMMANDS'
show() {
    "$@" >out 2>err
    echo "status $?"
    sed 's/^/out: /' out
    sed "/ PATH=/d; s,${nvcc%/*},PLACE,; s,$scratch,SCRATCH,; s/^/err: /" err
}
show "$nvcc" -Iinc -cubin -o a.cubin a.cu
cat a.cubin
show nvcc -cubin -o bad.cubin bad.cu
[ ! -e bad.cubin ] || echo "a file that the compiler did not write"
show nvcc -c a.cu -o a.o
grep -c 'the kernel' a.o
grep -c 'secret_of_the_host' a.o
show nvcc --dryrun a.cu
grep -qxF "#\$ PATH=${nvcc%/*}:$PATH" err && echo "the present PATH"
show ptxas -o b.cubin a.cubin
pass "the compilers were asked"
END_OF_COMMANDS
mkdir project/inc
printf '#include "size.h"\nthe kernel\n' >project/a.cu
echo 'a size' >project/inc/size.h
echo 'a fault' >project/bad.cu

# Standard output and error in `out`, the status in `status`; whether a compiler ran in `runs`.
export RUNS="$folder/runs"
with_compiler() { # COMMAND...
    : >"$RUNS"
    PATH="$folder/installed/bin:$PATH" "$@" >out 2>&1
    status=$?
}
without_compiler() {
    : >"$RUNS"
    CUDA_HOME=/nowhere sh suites/user.sh >out 2>&1
    status=$?
}

# --- Records --------------------------------------------------------------------------------------

without_compiler
empty "without any record each command fails, and the suite with it" "$(
    [ "$status" -eq 1 ] || echo "exit status $status"
    grep -q '^0 passed, 1 failed\|^1 passed, 1 failed' out || cat out
    grep -q '^ *nvcc -Iinc -cubin -o a.cubin a.cu$' out || cat out)"
with_compiler env TEST_LIVE=1 sh suites/user.sh
mv out live
empty "TEST_LIVE=1 runs the installed compiler" "$(
    [ "$status" -eq 0 ] || echo "exit status $status"
    [ "$(grep -c '^ran: ' "$RUNS")" -ge 5 ] || cat "$RUNS" live)"
with_compiler suites/toolkit/update
empty "update records what a suite asks" "$(
    [ "$status" -eq 0 ] || echo "exit status $status"
    grep -qx 'tests/user.sh: 5 records' out || cat out
    head -n 1 suites/toolkit/user.txt | grep -vx '13.0, V13.0.88'
    grep -q ' 3 nvcc -cubin -o bad.cubin bad.cu$' suites/toolkit/user.txt ||
        cat suites/toolkit/user.txt)"
without_compiler
empty "then the suite runs without a compiler" "$(
    [ "$status" -eq 0 ] || echo "exit status $status"
    cat "$RUNS")"
# The host's code, which is in the compiler's own object alone, is a line of each.
empty "what the compiler printed and wrote, its messages and its status are repeated" "$(
    sed '/^1$/d; /^0$/d' live >expected
    sed '/^1$/d; /^0$/d' out | diff expected -)"
empty "of an object the device code is kept, and the host's code is not" "$(
    sed -n '/^[01]$/p' out | tr '\n' ' ' | grep -vx '1 0 '
    tar -xOJf suites/toolkit/user.tar.xz | grep -a secret_of_the_host)"
with_compiler suites/toolkit/update user
empty "what is recorded of this version is not asked again" "$(
    [ "$status" -eq 0 ] || cat out
    grep -v -e --version "$RUNS")"
sed -i 's/V13.0.88/V13.0.99/' installed/bin/nvcc
cp suites/toolkit/user.txt former.txt
with_compiler suites/toolkit/update user
empty "another version is asked for everything" "$(
    [ "$(grep -vc -e --version "$RUNS")" -eq 5 ] || cat "$RUNS" out
    sed 1d former.txt >former && sed 1d suites/toolkit/user.txt | diff former -)"

# --- What has no record ---------------------------------------------------------------------------

asks_anew() { # NAME CHANGE: a command that changes the project
    cp -r project kept
    eval "$2"
    without_compiler
    rm -r project && mv kept project
    empty "no record answers $1" "$(
        [ "$status" -eq 1 ] || echo "exit status $status"
        grep -q '^err: nvcc fatal   : there is no record of this command' out || cat out
        grep -q 'make -C build update-toolkit-records SUITES=user$' out || cat out
        cat "$RUNS")"
}
asks_anew "a changed source" 'echo more >>project/a.cu'
asks_anew "a changed header" 'echo more >>project/inc/size.h'
asks_anew "a header that hides another one" 'echo other >project/size.h'
asks_anew "a header that no longer is there" 'rm project/inc/size.h'
asks_anew "another option" 'sed -i "s/-Iinc/-Iinc -O1/" project/commands'
asks_anew "another folder" 'sed -i "1i mkdir deep; cd deep; cp -r ../*.cu ../inc ." project/commands'
asks_anew "another NVCC_APPEND_FLAGS" \
    'sed -i "1i NVCC_APPEND_FLAGS=-O1; export NVCC_APPEND_FLAGS" project/commands'
asks_anew "another CPATH" 'sed -i "1i CPATH=inc; export CPATH" project/commands'
export NVCC_APPEND_FLAGS=-O1 CPATH=/usr
without_compiler
unset NVCC_APPEND_FLAGS CPATH
empty "what the user set for nvcc does not matter" "$([ "$status" -eq 0 ] || cat out)"
echo '#if __has_include("later.h")' >>project/a.cu
with_compiler suites/toolkit/update
empty "a source may ask for a header that is not there" "$([ "$status" -eq 0 ] || cat out)"
asks_anew "the source when the header is there" 'echo late >project/inc/later.h'

finish_cases
