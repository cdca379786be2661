#!/bin/sh
# inspect and the shape of a block: bank conflicts of kernels that read threadIdx.y, and the options
# that say it. Run in the build folder.

# shellcheck disable=SC2086 # words are split on purpose
set -u

# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"
# shellcheck source=tests/toolkit.sh
. "$here/toolkit.sh"

# A column of rows of 32 words: a warp of 32x8 stores with a stride of 128 bytes.
entry() { # NAME BOUNDS
    cat <<END
.visible .entry $1()
$2
{
    .reg .b32 %r<6>;
    .shared .align 4 .b8 tile_$1[4096];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %tid.y;
    mad.lo.u32 %r3, %r1, 32, %r2;
    shl.b32 %r3, %r3, 2;
    mov.u32 %r4, tile_$1;
    add.u32 %r4, %r4, %r3;
    st.shared.u32 [%r4], %r1;
    ret;
}
END
}
{
    printf '.version 7.0\n.target sm_80\n.address_size 64\n'
    entry free ''
    entry bounded '.maxntid 256, 1, 1'
    entry shaped '.maxntid 32, 8, 1'
    entry only '.reqntid 32, 8'
} >shapes.ptx

# The most conflicts in one warp of each kernel; null: not looked for.
conflicts() { # ARGUMENT...
    smemcalc inspect shapes.ptx --device 8.0 "$@" --format json 2>err |
        jq -c '[.kernels[] | [.kernel.name, ([.kernel.bank_accesses.accesses[]?.most_conflicts] | max)]] | sort'
}

becomes() { # NAME EXPECTED NOTE ARGUMENT...
    name=$1 expected=$2 note=$3
    shift 3
    empty "$name" "$(
        found=$(conflicts "$@")
        [ "$found" = "$expected" ] || echo "$found"
        [ "$(grep -c 'bank conflicts' err)" -eq "$(printf '%s' "$note" | grep -c .)" ] || cat err
        grep -qF -e "$note" err || [ -z "$note" ] || cat err)"
}

if smemcalc inspect shapes.ptx --device 8.0 >/dev/null 2>&1 && command -v jq >/dev/null; then
    becomes "the kernel's own shape" \
        '[["bounded",null],["free",null],["only",31],["shaped",31]]' \
        'note: bank conflicts of 1 kernel are unknown: they depend on the shape of the block; state it with --threads 32x8 or NAME=32x8'
    becomes "--threads with a shape" \
        '[["bounded",31],["free",31],["only",31],["shaped",31]]' '' --threads 32x8
    becomes "--threads with another shape" \
        '[["bounded",7],["free",7],["only",7],["shaped",7]]' '' --threads 8x32
    becomes "--threads with a number that the bounds' shape has" \
        '[["bounded",null],["free",null],["only",31],["shaped",31]]' \
        'note: bank conflicts of 2 kernels are unknown: they depend on the shape of the block' --threads 256
    becomes "kernels on two devices count once" \
        '[["bounded",null],["bounded",null],["free",null],["free",null],["only",31],["only",31],["shaped",31],["shaped",31]]' \
        'note: bank conflicts of 2 kernels are unknown: they depend on the shape of the block' \
        --threads 256 --device 9.0
    becomes "--threads of one kernel" \
        '[["bounded",null],["free",31],["only",31],["shaped",31]]' \
        'note: bank conflicts of 1 kernel are unknown' --threads free=32x8
    becomes "--assume-threads with a shape" \
        '[["bounded",null],["free",31],["only",31],["shaped",31]]' \
        'note: bank conflicts of 1 kernel are unknown' --assume-threads 32x8
    gate='[[limit]]
kernel = "*"
max_registers = 255'
    printf '%s\n' 'assume_threads = "32x8"' "$gate" >assumed.toml
    printf '%s\n' '[threads]' 'free = "32x8"' 'bounded = 256' "$gate" >listed.toml
    smemcalc inspect shapes.ptx --device 8.0 --gate assumed.toml >/dev/null 2>err
    if ! grep -q 'toml++' err; then
        becomes "a gate's assume_threads with a shape" \
            '[["bounded",null],["free",31],["only",31],["shaped",31]]' \
            'note: bank conflicts of 1 kernel are unknown' --gate assumed.toml
        becomes "a gate's [threads] with a shape" \
            '[["bounded",null],["free",31],["only",31],["shaped",31]]' \
            'note: bank conflicts of 1 kernel are unknown' --gate listed.toml
        becomes "options before a gate's block sizes" \
            '[["bounded",null],["free",7],["only",31],["shaped",31]]' \
            'note: bank conflicts of 1 kernel are unknown' --gate assumed.toml --assume-threads 8x32
        printf '%s\n' '[threads]' '"*" = "64x32"' "$gate" >large.toml
        refuses 2 'large.toml:2: [threads] *: not a shape such as "32x8" of up to 1024 threads' \
            inspect shapes.ptx --gate large.toml
    fi
    becomes "a line is a shape" \
        '[["bounded",31],["free",31],["only",31],["shaped",31]]' '' --threads 256x1
else
    skip "shapes of blocks" "there is no ptxas, or no jq"
fi

refuses 2 "option --block: not for the command inspect: --threads accepts a shape, such as 32x8 or NAME=32x8" \
    inspect shapes.ptx --block 32x8
for command in inspect diff; do
    refuses 2 "option --entry: not for the command $command: --kernel PATTERN chooses kernels" \
        $command shapes.ptx --entry free
done
refuses 2 "option --threads: not for the command best: it proposes a block size; 'limits' and \
'inspect' answer for a given one with --threads" best shapes.ptx --threads 256
for command in best banks limits sweep; do
    refuses 2 "option --kernel: not with FILE 'shapes.ptx': --entry NAME chooses its kernel" \
        $command shapes.ptx --kernel free
done
refuses 2 "option --kernel: only with kernels of the catalog, not with your own source; --entry NAME chooses \
a kernel of the source" run x.cu --kernel free

# What a failed compilation printed is no source, whatever words its errors have.
printf '%s\n' 'a/b.cu(115): error: kernel launch from __device__ or __global__ functions' \
    '     k<<<1, 1>>>(x);' '1 error detected in the compilation of "a/b.cu".' >failed.log
refuses 2 "failed.log: no kernel in this log: a/b.cu(115): error: kernel launch from __device__ or \
__global__ functions" inspect failed.log
printf '%s\n' 'b.cu:3:10: fatal error: x.h: No such file' '__global__ void k();' >failed.txt
refuses 2 "failed.txt: no kernel in this log: b.cu:3:10: fatal error: x.h: No such file" \
    inspect failed.txt
printf '%s\n' "nvcc fatal   : __global__ is no option" >fatal
refuses 2 "fatal: no kernel in this log: nvcc fatal   : __global__ is no option" inspect fatal
printf '%s\n' '// b.cu(3): error: this is a comment' 'const char *s = "b.cu(3): error: text";' \
    'extern "C" __global__ void k(float *x) { *x = 1; }' >source.cpp
cp source.cpp source.cu
if smemcalc inspect source.cu --device 8.0 >/dev/null 2>&1; then
    smemcalc inspect source.cpp --device 8.0 --threads 32 --format csv >out 2>err
    empty "source that mentions an error is source" "$(grep -q '^source.cpp,k,' out || cat out err)"
else
    skip "source that mentions an error" "there is no compiler"
fi

# A container with PTX alone: ptxas compiles it as it does a file of PTX. Without kernels it is like
# one without any code.
byte() { # NUMBER
    # shellcheck disable=SC2059 # the format is the byte
    printf "\\$(printf %03o "$1")"
}
part() { # CC TEXT, of up to 128 bytes
    printf '\001\000\001\001@\000\000\000\200\000\000\000\000\000\000\000'
    head -c 12 /dev/zero
    byte "$1"
    head -c 3 /dev/zero
    head -c 32 /dev/zero
    printf '.version 7.8\n.target sm_%s\n.address_size 64\n%-84s' "$1" "$2"
}
container() { # PART...: CC TEXT
    printf 'P\355U\272\001\000\020\000'
    bytes=$(($# * 96))
    byte $((bytes % 256))
    byte $((bytes / 256))
    head -c 6 /dev/zero
    while [ $# -gt 0 ]; do
        part "$1" "$2"
        shift 2
    done
}
k='.visible .entry k()
.maxntid 32, 8, 1
{ ret; }'
container 80 '.func f() { ret; }' >host.fatbin
container 80 "$k" >one.fatbin
container 80 "$k" 90 "$k" >two.fatbin
container 80 '.visible .entry k() { bad; }' >bad.fatbin
refuses 2 "host.fatbin: no kernel in it" inspect host.fatbin

compiled() { # NAME EXPECTED ARGUMENT...: the kernel, architecture and threads of each row
    name=$1 expected=$2
    shift 2
    smemcalc inspect "$@" --format json >out 2>err
    found=$(jq -r '.kernels[].kernel | "\(.name) \(.compiled_for) \(.threads_per_block)"' out)
    empty "$name" "$([ "$found" = "$expected" ] || { echo "$found"; cat err; })"
}
if smemcalc inspect shapes.ptx --device 8.0 >/dev/null 2>&1 && command -v jq >/dev/null; then
    compiled "PTX in a container" "k sm_80 256" one.fatbin
    compiled "PTX for two architectures" "k sm_80 256
k sm_90 256" two.fatbin
    compiled "PTX for a device, as a driver selects it" "k sm_86 256
k sm_90 256" two.fatbin --device 8.6 --device 9.0
    smemcalc inspect bad.fatbin >out 2>err
    status=$?
    empty "PTX in a container that does not compile" "$(
        [ "$status" -eq 2 ] || echo "exit status $status"
        grep -q '^smemcalc: bad.fatbin: PTX at byte 80: line 4: error: [^:]*' err || cat err)"
else
    skip "PTX in containers" "there is no ptxas, or no jq"
fi
PATH='' CUDA_HOME=/nowhere "$program" inspect one.fatbin >out 2>err
status=$?
empty "PTX in a container without ptxas" "$(
    [ "$status" -eq 3 ] || echo "exit status $status"
    grep -qF 'one.fatbin: holds PTX, but no machine code; compiling it needs ptxas' err || cat err)"
mkdir folder && cp host.fatbin folder
printf "ptxas info    : Compiling entry function 'k' for 'sm_80'\nptxas info    : Used 40 registers, used 1 barriers\n" \
    >folder/k.log
smemcalc inspect folder --threads 32 --format csv >out 2>err
status=$?
empty "an object without kernels is skipped in a folder" "$(
    [ "$status" -eq 0 ] || echo "exit status $status"
    grep -qx 'smemcalc: note: 1 file without kernels skipped' err || cat err)"

finish_cases
