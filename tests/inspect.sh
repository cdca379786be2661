#!/bin/sh
# inspect as a user or a script runs it: on stored output of compilers, and on what compilers make
# of the same source. Run in the build folder.

set -u
export LC_ALL=C NO_COLOR=1 SMEMCALC_PROGRAM=smemcalc
unset SMEMCALC_NVRTC SMEMCALC_CACHE_DIR

here=$(cd "$(dirname "$0")" && pwd) || exit 99
program=$PWD/smemcalc
# shellcheck source=tests/cases.sh
. "$here/cases.sh"

[ -x "$program" ] || { echo "inspect.sh: no ./smemcalc here" >&2; exit 77; }
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
export SMEMCALC_CACHE_DIR="$scratch/cache" TMPDIR="$scratch/tmp"
mkdir "$scratch/tmp" || exit 99
cp -r "$here/data/inspect" "$scratch/data" && chmod -R u+w "$scratch/data" && cd "$scratch/data" ||
    exit 99
# shellcheck source=tests/toolkit.sh
. "$here/toolkit.sh"

inspect() {
    "$program" inspect "$@"
}

# Text that standard output must contain.
prints() { # NAME EXPECTED ARGUMENT...
    name=$1 expected=$2
    shift 2
    inspect "$@" >out 2>err
    status=$?
    empty "$name" "$(
        [ "$status" -eq 0 ] || echo "exit status $status"
        printf '%s\n' "$expected" | diff - out
        cat err)"
}

# Exit status, and a line on standard error.
ends() { # STATUS MESSAGE ARGUMENT...
    wanted=$1 message=$2
    shift 2
    inspect "$@" >out 2>err </dev/null
    status=$?
    empty "inspect $*" "$(
        [ "$status" -eq "$wanted" ] || echo "exit status $status, not $wanted"
        grep -qxF -e "smemcalc: $message" err || { echo "missing: $message" && cat err; })"
}

# Text that a file must contain, to be used within `empty`.
has() { # FILE PATTERN
    grep -q -e "$2" "$1" || { echo "missing in $1: $2" && cat "$1"; }
}

head='file,kernel,device,registers,spill_stores,spill_loads,static_smem,dynamic_smem,barriers,'
head=$head'blocks_per_sm,warps_per_sm,occupancy_percent,limiters,threads,threads_source,'
head=$head'best_threads,best_occupancy_percent,compiled_for,loads,stack,parameter_bytes,constant_bytes,global_bytes'
template='void six_barriers<float, 4>(float*)'
[ "$(inspect own-sm90.cubin --format csv | grep -c '_Z12six_barriersIfLi4EEvPT_')" -eq 0 ] ||
    template=_Z12six_barriersIfLi4EEvPT_
case $template in *,*) quoted="\"$template\"" ;; *) quoted=$template ;; esac

# --- Recorded output ------------------------------------------------------------------------------

prints "a log in CSV" "$head
own-sm90.ptxas,$quoted,compute capability 9.0,14,0,0,0,0,6,10,40,62.5,barriers,128,given,224,98.4375,sm_90,1,0,,,
own-sm90.ptxas,spilling,compute capability 9.0,32,352,380,0,0,0,16,64,100,warps+registers,128,given,128,100,sm_90,1,184,,,
own-sm90.ptxas,bounded,compute capability 9.0,10,0,0,2000,0,1,16,64,100,warps,128,given,128,100,sm_90,1,0,,," \
    own-sm90.ptxas --threads 128 --format csv
prints "machine code in CSV, without the driver's reserve, with its launch bounds" "$head
own-sm90.cubin,$quoted,compute capability 9.0,14,,,0,0,6,,,,,,unknown,224,98.4375,sm_90,1,0,,,
own-sm90.cubin,spilling,compute capability 9.0,32,,,0,0,0,2,64,100,warps+registers,1024,launch_bounds,128,100,sm_90,1,184,,,
own-sm90.cubin,bounded,compute capability 9.0,10,,,2000,0,1,16,64,100,warps,128,launch_bounds,128,100,sm_90,1,0,,," \
    own-sm90.cubin --format csv
prints "cuobjdump's report, where the reserve is counted" "$head
own-sm90-cuda12.res-usage,$quoted,compute capability 9.0,14,,,0,4096,,8,64,100,warps,256,assumed,128,100,,,0,,,
own-sm90-cuda12.res-usage,spilling,compute capability 9.0,32,,,0,4096,,8,64,100,warps+registers,256,assumed,128,100,,,184,,,
own-sm90-cuda12.res-usage,bounded,compute capability 9.0,10,,,2000,4096,,8,64,100,warps,256,assumed,128,100,,,0,,," \
    own-sm90-cuda12.res-usage --assume-threads 256 --device sm_90 --dynamic-smem 4K --format csv

inspect - --threads 128 --format csv <own-sm90.ptxas | sed 's/^standard input,/own-sm90.ptxas,/' >piped
inspect own-sm90.ptxas --threads 128 --format csv >named
empty "standard input gives the same as a file" "$(diff named piped)"

inspect cub.ptxas --assume-threads 256 --verbose >out 2>err
empty "text names each kernel once, with a line for each architecture" "$(
    for cc in 7.5 8.0 9.0 12.0; do
        [ "$(grep -c "^  CC $cc " out)" -eq 6 ] || echo "not 6 lines for $cc"
    done
    awk 'length > 80' out
    cat err)"
empty "text tells the next step" "$(grep -q 'a .* block needs' out || cat out)"
printf "ptxas info    : Compiling entry function '\001\033[31mk' for 'sm_90'\nptxas info    : Used 8 registers\n" |
    inspect - >out 2>&1
empty "control characters in a kernel's name are replaced, colours removed" \
    "$(grep -q '^?k' out || cat out; LC_ALL=C tr -d '\n' <out | grep '[[:cntrl:]]')"

ends 1 "own-sm90.cubin: spilling on compute capability 9.0: 32 registers per thread, but at most 31 \
allowed" own-sm90.cubin --max-regs 31
ends 1 "own-sm90.cubin: spilling on compute capability 9.0: 2 blocks per SM, limited by warps \
and registers, but 3 required" \
    own-sm90.cubin --assume-threads 256 --require-blocks 3
ends 1 "own-sm75.cubin: bounded on compute capability 7.5: occupancy 50 %, limited by block \
slots, but 90 % is required" \
    own-sm75.cubin --threads 32 --require-occupancy 90
inspect own-sm90.cubin --assume-threads 256 --max-regs 32 --require-blocks 2 --require-occupancy 100 \
    >/dev/null 2>err
status=$?
empty "inspect is silent about requirements that are met" "$([ "$status" -eq 0 ] || echo "status $status"; cat err)"
ends 1 "own-sm90.cubin: bounded on compute capability 9.0: 0 blocks per SM, but 1 required" \
    own-sm90.cubin --threads 256 --require-blocks 1

ends 2 "option --require-occupancy: the block size of 1 of 3 answers is unknown, the first for \
$template; state it with --threads NAME=N, or --assume-threads N for all" \
    own-sm90.cubin --require-occupancy 50
ends 1 "own-sm90.cubin: spilling on compute capability 9.0: 32 registers per thread, but at most 31 \
allowed" own-sm90.cubin --max-regs 31

inspect relocatable-sm90.cubin --threads 32 >out 2>err
empty "figures before linking are noted" "$(grep -q '^smemcalc: note: figures before linking: 2 kernels call' err ||
    cat err)"
inspect relocatable-sm90.cubin --threads 32 --format json >out 2>err
empty "JSON tells whose figures are those before linking" "$([ "$(grep -c '"calls_unlinked": true' out)" -eq 2 ] || cat out)"
inspect relocatable-sm90.cubin --max-regs 255 >out 2>err
status=$?
empty "figures before linking pass no requirement" "$([ "$status" -eq 1 ] || echo "status $status"
    grep -q 'calls(float\*) .*: its figures are from before linking' err || cat err
    grep 'alone.*linking' err)"
empty "kernels that call nothing are final" \
    "$(inspect relocatable-sm90.cubin --kernel alone --max-regs 255 2>err >out || echo "status $?")"

# --- Launch bounds --------------------------------------------------------------------------------

inspect --lint own-sm90.cubin --device 1.3 --device 9.0 --format csv >out 2>err
status=$?
empty "a lint breaks where a block of 1024 threads does not launch" "$(
    [ "$status" -eq 1 ] || echo "exit status $status"
    has out '^own-sm90.cubin,spilling,compute capability 1.3,1024,,,0,warps,cannot_launch$'
    cat err)"
empty "of machine code a lint does not claim how many blocks were promised" "$(
    ! grep ',holds$' out
    has out '^own-sm90.cubin,spilling,compute capability 9.0,1024,,32,2,warps+registers,unknown$')"
inspect --lint own-sm90.cubin >out 2>err
empty "a lint of machine code does not claim a number of blocks in words" "$(
    ! grep holds out
    has out '^  9.0 .*cannot be checked: 16 blocks at 10 registers$'
    has out ' unknown: machine code keeps the threads, not the blocks$')"
ends 2 "option --lint: nothing was checked: machine code does not tell how many blocks its launch \
bounds promise; source and PTX do" own-sm90.cubin --lint --device 9.0
inspect --lint own-sm90.cubin --format csv >out 2>err
empty "a lint of machine code is of the architecture it was compiled for" "$(
    [ "$(sed '1d; s/^[^,]*,[^,]*,//; s/,.*//' out | sort -u)" = "compute capability 9.0" ] || cat out)"
ends 2 "option --lint: nothing was checked: no kernel has launch bounds, or the input does not tell \
them; source, PTX and machine code do" own-sm90.ptxas --lint
if command -v jq >/dev/null; then
    inspect own-sm90.cubin --lint --device 9.0 --format json 2>err | jq -c \
        '.launch_bounds[] | [.name, .max_threads_per_block, .min_blocks_per_sm, .verdict]' >out
    printf '%s\n' '["spilling",1024,null,"unknown"]' '["bounded",128,null,"unknown"]' >expected
    empty "JSON of a lint of machine code does not claim a number of blocks" "$(diff expected out)"
else
    skip "JSON of a lint of machine code does not claim a number of blocks" "no jq"
fi

# --- Architectures --------------------------------------------------------------------------------

printf '%s\n' "ptxas info    : Compiling entry function 'k' for 'sm_90a'" \
    "ptxas info    : Used 40 registers, used 1 barriers" >accelerated.ptxas
inspect accelerated.ptxas --threads 256 --device 9.0 --device 10.0 >out 2>err
empty "code for sm_90a does not load elsewhere, and the answer says so" "$(
    grep -A1 '^~ CC 10.0 ' out >there
    has there '^      estimated from machine code for sm_90a, which this device cannot load$'
    [ "$(grep -c 'cannot load' out)" -eq 1 ] || cat out
    cat err)"
inspect accelerated.ptxas --threads 256 --device 10.0 --format csv >out 2>err
empty "CSV has a note on code for sm_90a that does not load" "$(
    [ "$(wc -l <out)" -eq 2 ] || cat out
    has err '^smemcalc: note: in 1 of 1 rows the machine code does not load on the device: estimates$')"
printf '%s\n' "ptxas info    : Compiling entry function 'k' for 'sm_90a'" \
    "ptxas info    : Used 30 registers, used 1 barriers, 60000 bytes smem" >large.ptxas
inspect large.ptxas --threads 128 --device 9.0 --format csv >out 2>err
empty "static shared memory above 48 KB that was compiled launches" \
    "$(grep -q '^large.ptxas,k,.*,60000,0,1,3,12,18.75,shared_memory,128,' out || cat out err)"
ends 1 "accelerated.ptxas: k on compute capability 10.0: machine code for sm_90a does not load there: compile with -gencode arch=compute_100,code=sm_100" \
    accelerated.ptxas --threads 256 --device 10.0 --max-regs 255
ends 2 "accelerated.ptxas: compiled for sm_91a: compute capability 9.1 is newer than this table; \
name a device with --device" "$(sed -i s/sm_90a/sm_91a/ accelerated.ptxas; echo accelerated.ptxas)"
if command -v jq >/dev/null; then
    for suffix in 0 a 0f; do
        printf '%s\n' "ptxas info    : Compiling entry function 'k' for 'sm_10$suffix'" \
            "ptxas info    : Used 40 registers, 16+16 bytes smem" >old.ptxas
        inspect old.ptxas --device 10.3 --threads 32 --format json | jq -c \
            '.kernels[].kernel | [.compiled_for, .loads, .stack_bytes, .spill_store_bytes]'
    done >out
    printf '%s\n' '["sm_100",true,null,null]' '["sm_10a",false,null,null]' \
        '["sm_100f",true,null,null]' >expected
    empty "JSON: the architecture with its letter, and null where nothing is told" \
        "$(diff expected out)"
else
    skip "JSON: the architecture with its letter" "no jq"
fi

# --- Inputs that cannot be read -------------------------------------------------------------------

printf 'hello\n' >hello.txt
printf 'k.cu(3): error: identifier "q" is undefined\n' >failed.txt
printf "ptxas info    : 0 bytes gmem\n" >empty.txt
head -c 3000 own-sm90.cubin >cut.cubin
ends 2 "inspect: no FILE is given; '-' reads what a compiler prints"
ends 2 "nowhere: No such file or directory; did you mean 'there'?" nowhere
ends 2 "hello.txt: neither CUDA source, PTX, machine code, a program with it, nor the output of \
'ptxas -v' or 'cuobjdump -res-usage'" hello.txt
ends 2 'failed.txt: no kernel in this log: k.cu(3): error: identifier "q" is undefined' failed.txt
ends 2 "empty.txt: no kernel in this log" empty.txt
ends 2 "cut.cubin: damaged machine code: its table of sections extends beyond the end of the file" \
    cut.cubin
ends 2 "own-sm90-cuda12.res-usage: it does not say what it was compiled for; name that with \
--device" own-sm90-cuda12.res-usage
cp "$(command -v ls)" program && ends 2 "program: no CUDA code in it" program
mkdir cut
for file in own-sm75 own-sm90-cuda12 own-sm120; do
    size=$(wc -c <$file.cubin) at=64
    while [ "$at" -lt "$size" ]; do
        head -c "$at" $file.cubin >cut/$file.$at
        at=$((at + 64))
    done
done
inspect cut/own-* >out 2>err
status=$?
{
    [ "$status" -eq 2 ] || echo "exit status $status"
    cat out
    sed 's/^smemcalc: \(cut[^:]*\): damaged machine code: ..*/\1/' err | sort >refused
    printf '%s\n' cut/own-* | sort | diff - refused
} >complaints
empty "machine code cut after each 64 bytes is refused in one line" "$(cat complaints)"

: >nothing
ln -s loop loop
truncate -s 3G huge
awk 'BEGIN { for (i = 1; i <= 4000; i++) printf "%c", x = (x * 1103 + 12345) % 251 }' >junk
ends 2 "nothing: empty" nothing
ends 2 "standard input: empty" -
ends 2 "'': No such file or directory" ''
ends 2 "loop: Too many levels of symbolic links" loop
ends 2 "huge: longer than 2 GiB" huge
ends 2 "junk: neither CUDA source, PTX, machine code, a program with it, nor the output of \
'ptxas -v' or 'cuobjdump -res-usage'" junk
if [ "$(id -u)" -ne 0 ]; then
    : >closed && chmod 0 closed
    ends 2 "closed: Permission denied" closed
else
    skip "a file that may not be read" "root may read all"
fi

# --- Inputs that can be read in part --------------------------------------------------------------

{ cat own-sm90.ptxas && printf "ptxas info    : Compiling entry function 'last' for 'sm_90a'\n"; } \
    >cut.ptxas
ends 2 "cut.ptxas: last for sm_90a: its registers are missing: the log is cut off, or several \
compilations wrote it at once" cut.ptxas
for figures in "10 registers, used 1 barriers, 4294967296 bytes smem" \
    "10 registers, used 1 barriers, 10x24 bytes smem" "10 registers, used 1 barriers, -1024 bytes smem" \
    "10 registers, used 99999999999 barriers" "4294967296 registers"; do
    printf "ptxas info    : Compiling entry function 'k' for 'sm_90'\nptxas info    : Used %s\n" \
        "$figures" >damaged.ptxas
    ends 2 "damaged.ptxas: k for sm_90: a number of its resources cannot be read: the log is damaged" \
        damaged.ptxas
done
for figures in "256 registers, used 1 barriers" "10 registers, used 17 barriers"; do
    printf "ptxas info    : Compiling entry function 'k' for 'sm_90'\nptxas info    : Used %s\n" \
        "$figures" >damaged.ptxas
    ends 2 "damaged.ptxas: k for sm_90: more registers or barriers than the architecture has: the log is \
damaged" damaged.ptxas
done
empty "the rest of a log that was cut is answered" "$([ "$(grep -c '^  CC 9.0' out)" -eq 3 ] || cat out)"

bytes() { # NUMBER COUNT: the number in so many bytes, the lowest first
    number=$1 left=$2
    while [ "$left" -gt 0 ]; do
        # shellcheck disable=SC2059 # the format is made here
        printf "\\$(printf %03o $((number % 256)))"
        number=$((number / 256)) left=$((left - 1))
    done
}

part() { # FILE CC: machine code as nvcc lays it into programs
    bytes 2 2 && bytes 257 2 && bytes 64 4 && bytes "$(wc -c <"$1")" 8 && bytes 0 12 &&
        bytes "$2" 4 && bytes 0 32 && cat "$1"
}

{ part own-sm75.cubin 75 && part cut.cubin 90 && part own-sm120.cubin 90; } >parts
{ printf 'a program P\355U\272' && bytes 1 2 && bytes 16 2 && bytes "$(wc -c <parts)" 8 &&
    cat parts; } >damaged.o
at=$((26 + 64 + $(wc -c <own-sm75.cubin) + 64))
ends 2 "damaged.o: machine code at byte $at: its table of sections extends beyond the end of the file" \
    damaged.o
ends 2 "damaged.o: machine code at byte $((at + 64 + $(wc -c <cut.cubin))): it is for sm_120, where \
code for sm_90 should be" damaged.o
empty "what is sound of a damaged program is answered" "$(
    [ "$(grep -c '^  CC 7.5' out)" -eq 3 ] || cat out
    [ "$(wc -l <err)" -eq 2 ] || cat err)"
head -c 2000 damaged.o >damaged-cut.o
ends 2 "damaged-cut.o: machine code at byte 26: a part of it extends beyond its end" damaged-cut.o

inspect nowhere own-sm90.cubin hello.txt --format csv >out 2>err
status=$?
empty "a file that fails does not keep the others from their answers" "$(
    [ "$status" -eq 2 ] || echo "exit status $status"
    [ "$(wc -l <out)" -eq 4 ] || cat out
    [ "$(wc -l <err)" -eq 2 ] || cat err)"

# --- Names that look like something else ----------------------------------------------------------

cp own-sm90.ptxas ./-x.ptxas && cp own-sm90.ptxas ./--lint
inspect --threads 128 --format csv -- -x.ptxas --lint >out 2>err
status=$?
empty "inspect: '--' ends the options" "$(
    [ "$status" -eq 0 ] || echo "exit status $status"
    [ "$(grep -c '^--lint,' out)" -eq 3 ] || cat out
    [ "$(grep -c '^-x.ptxas,' out)" -eq 3 ] || cat out
    cat err)"
newline=$(printf 'a\nb\033c')
cp own-sm90.ptxas "$newline"
ends 1 "a?b?c: spilling on compute capability 9.0: 32 registers per thread, but at most 31 allowed" \
    "$newline" --max-regs 31
empty "a name of several lines does not split a message" "$([ "$(wc -l <err)" -eq 1 ] || cat err)"
inspect "$newline" --format csv >out 2>err
empty "a name of several lines does not split a row of CSV" "$([ "$(grep -c '^"a?b?c",' out)" -eq $(($(wc -l <out) - 1)) ] || cat out)"
cp cut.ptxas "$newline" && inspect "$newline" >out 2>err
empty "a name of several lines does not split a message on what is missing" "$(
    [ "$(wc -l <err)" -eq 1 ] || cat err
    has err '^smemcalc: a?b?c: last for sm_90a: ')"

# --- Compilers ------------------------------------------------------------------------------------

columns() { # of CSV: all but the file
    cut -d, -f2- | sort
}

inspect_with() { # nvcc or NVRTC, ARGUMENT...
    compiler=$1
    shift
    if [ "$compiler" = nvcc ]; then
        inspect "$@"
    else
        env PATH=/usr/bin:/bin CUDA_HOME=/nowhere CUDA_PATH=/nowhere "$program" inspect "$@"
    fi
}

check_source() { # nvcc or NVRTC
    inspect_with "$1" own.cu --device 9.0 --device 8.0 --format csv >out 2>err
    status=$?
    note=
    [ "$1" = nvcc ] || note='smemcalc: note: registers and spills are those of NVRTC: nvcc may count others'
    empty "source through $1; CSV has a note on NVRTC" "$(
        [ "$status" -eq 0 ] || echo "exit status $status"
        [ "$(cat err)" = "$note" ] || cat err
        grep -q '^own.cu,bounded,compute capability 8.0,[0-9]*,0,0,2000,0,1,16,64,100,warps,128,launch_bounds,' out ||
            cat out)"
    inspect_with "$1" --lint own.cu --format csv >out 2>err
    status=$?
    empty "a lint of source is of the architectures that $1 has, and no others" "$(
        [ "$status" -eq 1 ] || echo "exit status $status"
        grep -q '^own.cu,spilling,compute capability 7.5,1024,2,[0-9]*,1,.*,ignored$' out || cat out
        grep -q '^own.cu,spilling,compute capability 9.0,1024,2,32,2,warps+registers,holds$' out ||
            cat out
        grep 'compute capability [1234][.]\|cannot_launch' out
        cat err)"
    printf '__global__ void k(int *p) { __shared__ int a[20000]; a[threadIdx.x] = *p; *p = a[*p]; }' |
        inspect_with "$1" - --device 9.0 >out 2>err
    empty "too much static shared memory is an answer of $1" \
        "$(grep -q 'cannot compile: 80000 bytes (0x13880)' out || cat out err)"
    [ -p pipe ] || mkfifo pipe
    cat own.cu >pipe &
    inspect_with "$1" pipe --device 9.0 --format csv >out 2>err
    empty "source from a pipe that has a name, with $1" \
        "$(grep -q '^pipe,.*spilling' out || cat out err)"
}

if "$program" --tile 8 --device 9.0 --no-cache --format json 2>/dev/null |
    grep -q '"registers_source": "nvrtc'; then
    check_source NVRTC
else
    skip "source through NVRTC" "no NVRTC"
fi
if [ -n "$nvcc" ]; then
    check_source nvcc
else
    skip "source through nvcc" "no nvcc"
fi

if ! command -v jq >/dev/null; then
    skip "CUB: machine code and log" "no jq"
elif [ -n "$nvcc" ] && "$nvcc" -arch=sm_90 -cubin -o own.cubin own.cu >log 2>&1; then
    for cc in 75 80 90 120; do
        "$nvcc" -arch=sm_$cc -Xptxas -v -cubin -o cub.cubin cub.cu >cub.log 2>&1
        for form in cubin log; do
            inspect cub.$form --format json | jq -r '.kernels[].kernel | [.mangled_name,
                .compiled_for, .registers_per_thread, .static_smem_bytes, .stack_bytes,
                .barriers_per_block] | @csv' | sort >$form.csv
        done
        empty "CUB for sm_$cc: machine code and log give the same registers" "$(
            [ "$(wc -l <cubin.csv)" -ge 6 ] || echo "fewer than 6 kernels"
            diff cubin.csv log.csv)"
    done
    printf '#include <cstdio>\n#include "own.cu"\nint main() { bounded<<<1, 1>>>(nullptr); }\n' >main.cu
    inspect main.cu --device 9.0 --format csv >out 2>err
    empty "source with host code goes to nvcc" \
        "$(grep -q '^main.cu,bounded,compute capability 9.0,10,0,0,2000' out || cat out err)"
    printf '#include <cstdio>\n__global__ void k() {\n    int x = q;\n}\n' >bad.cu
    ends 2 'bad.cu:3: error: identifier "q" is undefined' bad.cu
    "$nvcc" -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -c -o own.o own.cu
    inspect own.o --threads 128 --format csv | columns >object
    empty "an object holds machine code for two architectures" "$(
        [ "$(wc -l <object)" -eq 7 ] || cat object
        inspect own-sm90.cubin --threads 128 --format csv | columns | grep 9.0 >code
        grep 9.0 object | diff code -)"
    "$nvcc" -arch=sm_90a -cubin -o accelerated.cubin own.cu
    inspect accelerated.cubin --device 9.0 --device 10.0 >out 2>err
    empty "machine code for sm_90a is known as such" "$(
        [ "$(grep -c 'estimated from machine code for sm_90a' out)" -eq 3 ] || cat out err)"
    empty "no folder of the compilers is left behind" "$(ls "$TMPDIR")"
else
    for name in "CUB: machine code and log" "source with host code" "an object"; do
        skip "$name" "no nvcc that works"
    done
fi

if [ -n "$nvcc" ] && "$nvcc" -arch=compute_80 -ptx -o own.ptx own.cu; then
    inspect own.ptx --format csv >out 2>err
    empty "PTX goes to ptxas, for its own architecture" \
        "$(grep -q '^own.ptx,bounded,compute capability 8.0,10,0,0,2000,0,1,16' out || cat out err)"
    cp own.ptx ./-own.ptx && inspect --format csv -- -own.ptx >out 2>err
    empty "PTX in a file that looks like an option" \
        "$(has out '^-own.ptx,bounded,compute capability 8.0,10,')"
    inspect own.ptx --lint --device 8.0 --format csv >out 2>err
    empty "PTX tells what its launch bounds promise" \
        "$(has out '^own.ptx,bounded,compute capability 8.0,128,3,10,16,warps,holds$')"
    inspect - --device 9.0 --format csv <own.ptx >out 2>err
    empty "PTX from standard input, for another architecture" \
        "$(grep -q '^standard input,bounded,compute capability 9.0,10,0,0,2000,0,1,16' out || cat out err)"
else
    skip "PTX goes to ptxas" "no ptxas"
fi
# A compiler that ends its caller while it works, and leaves a file. It runs until it is killed.
mkdir fake
cat >fake/nvcc <<'END'
#!/bin/sh
touch "$TMPDIR/left"
echo $$ >"$0.pid"
kill -"$SIGNAL" $PPID
while :; do sleep 1; done
END
chmod +x fake/nvcc
printf '#include <nowhere>\n__global__ void k() {}\n' >host.cu
# Where a script is started by nohup or in the background, its children have signals ignored: as here
# on purpose, so that it is seen on every machine that they are reset.
with_default_signals() { # COMMAND...
    # shellcheck disable=SC2016 # the inner shell's
    sh -c 'trap "" INT TERM HUP; exec env --default-signal=INT,TERM,HUP "$@"' sh "$@"
}
if env --default-signal=INT true 2>/dev/null; then
    for signal in INT TERM HUP; do
        with_default_signals env SIGNAL=$signal PATH="$PWD/fake:$PATH" \
            "$program" inspect host.cu --device 9.0 >out 2>err
        status=$?
        empty "SIG$signal ends inspect as such, its compiler and their files" "$(
            [ "$(kill -l "$status" 2>&1)" = "$signal" ] || echo "exit status $status"
            ! kill -0 "$(cat fake/nvcc.pid)" 2>/dev/null || echo "the compiler runs"
            ls "$TMPDIR"
            rm fake/nvcc.pid)"
    done
else
    skip "signals end inspect" "no env --default-signal"
fi
mkdir killed
printf '#!/bin/sh\nkill -KILL $$\n' >killed/nvcc
chmod +x killed/nvcc
PATH="$PWD/killed:$PATH"
ends 4 "$PWD/killed/nvcc: ended by a signal: Killed" host.cu --device 9.0
printf '#!/bin/sh\nexit 139 # as a shell reports a signal\n' >killed/nvcc
ends 4 "$PWD/killed/nvcc: ended by a signal: Segmentation fault" host.cu --device 9.0
PATH=${PATH#*:}
PATH="$PWD/fake:$PATH"
many=$(i=0; while [ "$i" -lt 53 ]; do printf ' -DX%d' "$i"; i=$((i + 1)); done)
ends 2 "option --compiler-options: more than 49 options" host.cu --device 9.0 \
    --compiler-options "$many"
PATH=${PATH#*:}

printf '.version 7.0\n.target sm_80\n.visible .entry k() { ret; }\n' >small.ptx
PATH=/nowhere CUDA_HOME=/nowhere CUDA_PATH=/nowhere "$program" inspect small.ptx >out 2>err
status=$?
empty "without ptxas the message says what is needed" "$([ "$status" -eq 3 ] || echo "$status"
    grep -q '^smemcalc: small.ptx: needs ptxas of the CUDA Toolkit' err || cat err)"

# Two files may each have a kernel of the same name: neither hides the other from a check.
{
    for regs in 10 64; do
        printf "ptxas info    : Compiling entry function 'kernel' for 'sm_90'\n"
        printf 'ptxas info    : Used %s registers, used 0 barriers\n' "$regs"
    done
} >twice.ptxas
ends 1 "twice.ptxas: kernel on compute capability 9.0: 64 registers per thread, but at most 20 \
allowed" twice.ptxas --device 9.0 --max-regs 20
ends 2 "option --max-regs: not together with --lint, which checks a kernel's own bounds" \
    twice.ptxas --lint --max-regs 20

# --- Many kernels in 80 columns -------------------------------------------------------------------

log_of() { # NAME...: the log of kernels
    for kernel; do
        printf "ptxas info    : Compiling entry function '%s' for 'sm_90'\n" "$kernel"
        printf 'ptxas info    : Used 40 registers, used 0 barriers\n'
    done
}

prefix=prefix_that_all_of_the_kernels_have_in_common_
ends_differ='' middles_differ=''
for i in 1 2 3 4 5 6 7 8; do
    ends_differ="$ends_differ ${prefix}f$i ${prefix}h$i"
    middles_differ="$middles_differ $prefix${prefix}f$i$prefix$prefix $prefix${prefix}h$i$prefix$prefix"
done
# shellcheck disable=SC2086 # a list of names
log_of $ends_differ >ends.ptxas
# shellcheck disable=SC2086
log_of $middles_differ >middles.ptxas
inspect ends.ptxas --top all >out 2>err
empty "names are cut where they stay distinct" "$(
    [ "$(awk '/ registers / && /%/ { print $NF }' out | sort -u | grep -c '\.\.')" -eq 16 ] || cat out
    awk 'length($0) > 80' out)"
inspect middles.ptxas --top all >out 2>err
empty "long names are whole, on a line before their figures" "$(
    for name in $middles_differ; do
        tr -d '\n ' <out | grep -q "$name" || echo "no $name"
    done
    awk 'length($0) > 80' out)"

# --- Machine code within files ----------------------------------------------------------------------

# A container of three cubins, compressed with LZ4 and with Zstandard.
without_file() { # CSV of several architectures, without the header
    sed 1d | columns | cut -d, -f2- | sort
}
"$program" inspect own.fatbin --format csv >out 2>err
case $?,$(cat err) in
3,*'which this build does not read'*)
    skip "a container of compressed machine code" "a build without liblz4 or libzstd"
    ;;
*)
    for cubin in own-sm75 own-sm90 own-sm120; do
        inspect $cubin.cubin --format csv | without_file
    done | sort >code
    empty "a container of compressed machine code" "$(
        cat err
        without_file <out | diff code -)"
    # shellcheck disable=SC2002 # a pipe, not a file
    cat own.fatbin | inspect - --format csv 2>err | without_file >piped
    empty "a container of compressed machine code from a pipe" "$(cat err; diff code piped)"
    size=$(wc -c <own.fatbin)
    head -c $((size - 100)) own.fatbin >cut.fatbin
    inspect cut.fatbin --format csv >out 2>err
    status=$?
    empty "a truncated container: the rest is answered" "$(
        [ "$status" -eq 2 ] || echo "exit status $status"
        has err '^smemcalc: cut.fatbin: machine code at byte [0-9]*: a part of it extends'
        [ "$(sed 1d out | wc -l)" -eq 6 ] || cat out)"
    ;;
esac

if [ -n "$nvcc" ] && "$nvcc" -arch=sm_90 -c -o own.o own.cu; then
    inspect own.o --format csv | without_file >code
    for mode in none speed balance size; do
        "$nvcc" -arch=sm_90 -Xfatbin -compress-all --compress-mode=$mode -c -o $mode.o own.cu \
            2>/dev/null || { skip "an object compressed for $mode" "nvcc has no such mode" && continue; }
        inspect $mode.o --format csv 2>err | without_file >object
        empty "an object compressed for $mode" "$(cat err; diff code object)"
    done
    ar rc libown.a own.o && "$nvcc" -shared -arch=sm_90 -Xcompiler -fPIC -o libown.so own.cu
    for library in libown.a libown.so; do
        inspect $library --format csv 2>err | without_file >inside
        empty "machine code in $library" "$(grep -v 'is empty, as linkers' err; diff code inside)"
    done
    at=$(LC_ALL=C grep -aob 'P.U.\{13\}' libown.a | head -n 1 | cut -d: -f1)
    size=$(wc -c <libown.a)
    { head -c "$((at + 24))" libown.a && printf '\377\377\377\377' &&
        tail -c "$((size - at - 28))" libown.a; } >damaged.a
    inspect damaged.a >out 2>err
    status=$?
    empty "a damaged member of an archive is named" "$(
        [ "$status" -eq 2 ] || echo "exit status $status"
        has err '^smemcalc: damaged.a(own.o): machine code at byte [0-9]*: ')"
else
    skip "machine code in objects and libraries" "no nvcc that works"
fi

reports_as() { # NAME CUBIN DEVICE: cuobjdump's report on standard input gives what the cubin does
    inspect - --device "$3" --format csv | sed 's/"[^"]*"/quoted/' | cut -d, -f2,4,7 | sort >report
    inspect "$2" --format csv | sed 's/"[^"]*"/quoted/' | cut -d, -f2,4,7 | sort >code
    empty "$1" "$(
        [ "$(wc -l <report)" -eq 4 ] || cat report
        diff code report)"
}
reports_as "cuobjdump's own report gives the same" own-sm90-cuda12.cubin 9.0 \
    <own-sm90-cuda12.res-usage
if [ -n "${TEST_LIVE-}" ] && command -v cuobjdump >/dev/null; then
    cuobjdump -res-usage own-sm75.cubin |
        reports_as "the installed cuobjdump's report gives the same" own-sm75.cubin 7.5
fi

inspect own-sm90.cubin --device A100-SXM4-80GB --threads 128 >out 2>err
empty "a device's name is whole where there is room" "$(grep -q '^~ A100-SXM4-80GB  *10 ' out ||
    cat out)"

finish_cases
