#!/bin/sh
# The compile cache of the user's own sources: what was compiled is not compiled again, and every
# change that could change the answer compiles anew, with nvcc and with NVRTC. Run in the build
# folder.

# Functions are called by name:
# shellcheck disable=SC2317
set -u

# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"
command -v jq >/dev/null || { echo "$0: no jq" >&2; exit 77; }
# shellcheck source=tests/toolkit.sh
. "$here/toolkit.sh"
unset NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH

mkdir inc early
echo '#define BYTES 1024' >inc/size.h
cat >kernel.cu <<'END'
#include "size.h"
#ifndef FACTOR
#define FACTOR 1
#endif
__global__ void fill(char *out)
{
    __shared__ volatile char values[BYTES * FACTOR];
    values[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = values[threadIdx.x ^ 1];
}
END

# What was written a moment ago is not stored, as it may not be what the compiler read.
make_old() {
    find . -name cache -prune -o -type f \( -name '*.cu' -o -name '*.h' -o -name '*.ptx' \) \
        -exec touch -t "${written-202601010000}" {} +
}

inspect() { # ARGUMENT...
    make_old
    smemcalc inspect "$@" --compiler-options "-Iearly -Iinc ${options-}" --format json >answer.json 2>err
}

# The compiler runs the given number of times ("yes" or "no"), and the kernel has these bytes.
expect() { # NAME YES_OR_NO BYTES ARGUMENT...
    name=$1 runs=$2 bytes=$3
    shift 3
    forget_runs
    inspect "$@"
    seen=$(jq '.kernels[0].kernel.static_smem_bytes' answer.json 2>&1)
    has_run && ran=yes || ran=no
    empty "$with: $name" "$(
        [ "$seen" = "$bytes" ] || { echo "static_smem_bytes: $seen, not $bytes" && cat err; }
        [ "$ran" = "$runs" ] || echo "the compiler ran: $ran"
        [ "$runs" = yes ] || ! has_started || echo "the compiler was started: $(cat started)")"
}

# shellcheck disable=SC2317
damage() { # COMMAND of a file
    for file in "$SMEMCALC_CACHE_DIR"/*.smc; do
        "$1" "$file"
    done
}
cut_short() {
    bytes=$(wc -c <"$1")
    head -c $((bytes - 1)) "$1" >shorter && cat shorter >"$1"
}
overwrite() {
    bytes=$(wc -c <"$1")
    printf 'X' | dd of="$1" bs=1 seek=$((bytes * 9 / 10)) conv=notrunc 2>dd_err
}

check_all() {
    set -- kernel.cu --device 9.0
    expect "the first call of inspect compiles" yes 1024 "$@"
    cp answer.json first.json
    expect "the second call of inspect does not compile" no 1024 "$@"
    empty "$with: the second call answers as the first" "$(diff first.json answer.json)"
    expect "another architecture is compiled" yes 1024 kernel.cu --device 8.0
    options=-DFACTOR=2 expect "with another option the source is compiled" yes 2048 "$@"
    options=-DFACTOR=2 expect "with the same option the source is not compiled again" no 2048 "$@"
    expect "without the option the first result serves" no 1024 "$@"

    echo '#define BYTES 3072' >inc/size.h
    expect "with a changed header the source is compiled" yes 3072 "$@"
    expect "with the header as it was the source is not compiled" no 3072 "$@"
    echo '#define BYTES 512' >early/size.h
    expect "with a header that hides another one the source is compiled" yes 512 "$@"
    rm early/size.h
    expect "with a header that no longer hides another one the source is compiled" yes 3072 "$@"
    sed -i 's/threadIdx.x ^ 1/threadIdx.x ^ 2/' kernel.cu
    expect "a changed source is compiled" yes 3072 "$@"

    expect "before its files are damaged the cache serves" no 3072 "$@"
    damage cut_short
    expect "files of the cache that are cut short do not serve" yes 3072 "$@"
    damage overwrite
    expect "damaged files of the cache do not serve" yes 3072 "$@"
    expect "files of the cache that replace damaged ones serve" no 3072 "$@"
    expect "--no-cache compiles" yes 3072 "$@" --no-cache
    cp "$program" another_build
    [ ! -d "${program%/*}/nvrtc" ] || ln -sfn "${program%/*}/nvrtc" nvrtc # it is looked for beside the program
    program=$PWD/another_build expect "another build of smemcalc compiles" yes 3072 "$@"
    rm another_build
    options=-DNEW written=203701010000 expect "a source newer than the call is compiled" yes 3072 "$@"
    options=-DNEW expect "what was compiled from files newer than the call is not stored" yes 3072 "$@"

    printf '#if __has_include("extra.h")\n#include "extra.h"\n#endif\n' | cat - kernel.cu >asks.cu
    expect "a source that asks whether a file exists is compiled" yes 3072 asks.cu --device 9.0
    echo '#define FACTOR 2' >extra.h
    expect "a source that asks for a file is compiled again once it exists" yes 6144 asks.cu --device 9.0
    rm extra.h

    # An error is kept as well, with its message, and not longer than its cause.
    sed 's/BYTES \* FACTOR/BYTES * FACTOR * UNKNOWN/' kernel.cu >wrong.cu
    make_old
    smemcalc inspect wrong.cu --device 9.0 --compiler-options -Iinc >out 2>first_err
    forget_runs
    smemcalc inspect wrong.cu --device 9.0 --compiler-options -Iinc >out 2>err
    status=$?
    empty "$with: the second call gives the same error" "$(diff first_err err
        grep -q 'UNKNOWN. is undefined' err || cat err
        [ "$status" -eq 2 ] || echo "status $status"
        ! has_run || echo "the compiler ran")"
    printf '#include "late.h"\n' | cat - kernel.cu >late.cu
    inspect late.cu --device 9.0
    echo '#define FACTOR 4' >inc/late.h
    expect "once a missing header exists the source is compiled" yes 12288 late.cu --device 9.0
    rm inc/late.h

    echo '#define BYTES 1024' >inc/size.h
    sed -i 's/threadIdx.x ^ 2/threadIdx.x ^ 1/' kernel.cu
}

# --- nvcc: a script tells whether it ran ----------------------------------------------------------

with=nvcc
forget_runs() { rm -f ran started; }
has_run() { [ -e ran ]; }
has_started() { [ -e started ]; } # if only to ask what it would do
if [ -n "$nvcc" ]; then
    mkdir bin
    cat >bin/nvcc <<END
#!/bin/sh
echo "\$*" >>"$PWD/started"
case " \$* " in *" --dryrun "*) ;; *) touch "$PWD/ran" ;; esac
exec "$nvcc" "\$@"
END
    chmod +x bin/nvcc
    path=$PATH
    PATH=$PWD/bin:$PATH
    check_all
    set -- kernel.cu --device 9.0
    expect "without NVCC_APPEND_FLAGS and NVCC_PREPEND_FLAGS the source is compiled" yes 1024 "$@"
    NVCC_APPEND_FLAGS=-DFACTOR=3 expect "NVCC_APPEND_FLAGS compiles again" yes 3072 "$@"
    NVCC_PREPEND_FLAGS=-DFACTOR=5 expect "NVCC_PREPEND_FLAGS compiles again" yes 5120 "$@"
    expect "without NVCC_APPEND_FLAGS and NVCC_PREPEND_FLAGS the first result serves" no 1024 "$@"
    mkdir more && echo '#define FACTOR 2' >more/more.h
    printf '#include <more.h>\n' | cat - kernel.cu >more.cu
    CPATH=$PWD/more expect "with CPATH the source is compiled" yes 2048 more.cu --device 9.0
    CPATH=$PWD/more expect "with the same CPATH the source is not compiled again" no 2048 more.cu --device 9.0
    mkdir other && echo '#define FACTOR 3' >other/more.h
    CPATH=$PWD/other expect "with another CPATH the source is compiled" yes 3072 more.cu --device 9.0
    touch bin/nvcc
    expect "with another nvcc the source is compiled" yes 1024 "$@"
    expect "best finds what inspect compiled" no 1024 "$@"
    forget_runs
    smemcalc best kernel.cu --device 9.0 --compiler-options "-Iearly -Iinc " >out 2>err
    empty "best does not compile again" "$(has_run && echo "the compiler ran"; cat err)"
    "$nvcc" -arch=sm_90 -Iinc -ptx -o kernel.ptx kernel.cu
    sed 's/nvcc"/ptxas"/' bin/nvcc >bin/ptxas && chmod +x bin/ptxas
    expect "PTX is compiled" yes 1024 kernel.ptx --device 9.0
    expect "the same PTX is not compiled again" no 1024 kernel.ptx --device 9.0
    expect "PTX for another architecture is compiled" yes 1024 kernel.ptx --device 10.0
    sed -i 's/1024/1040/' kernel.ptx
    expect "changed PTX is compiled" yes 1040 kernel.ptx --device 9.0

    # Only nvcc finds what a host template launches.
    cat >twice.cu <<'END'
template <class T> __global__ void twice(T *x) { x[threadIdx.x] *= 2; }
template <class T> void host(T *p) { auto q = p; twice<<<1, 32>>>(q); }
int main() { host((float *)nullptr); }
END
    run_twice() { # prints the compilers that were started
        forget_runs
        rm -f linker.*
        LD_DEBUG=files LD_DEBUG_OUTPUT=$PWD/linker smemcalc run twice.cu --entry 'twice<float>' --grid 1 \
            --block 32 --arg f32x32:ramp --on emulator --device 9.0 >out 2>err || cat err
        cat started 2>/dev/null
        grep -l 'calling init.*libnvrtc' linker.* 2>/dev/null
    }
    make_old
    run_twice >first
    empty "run compiles what NVRTC cannot with nvcc, without a word of NVRTC" \
        "$([ -s first ] || echo "nothing was started"; cat err)"
    empty "a second run of an unchanged source starts no compiler" "$(run_twice; cat err)"
    forget_runs
    smemcalc inspect twice.cu --device 9.0 >out 2>err
    empty "inspect uses what run compiled" "$(cat started err 2>/dev/null)"
    PATH=$path
else
    skip "the cache of nvcc's compilations" "no nvcc"
fi

# --- NVRTC: the dynamic linker tells whether it was loaded ----------------------------------------

with=NVRTC
forget_runs() { rm -f linker.*; }
has_started() { has_run; }
has_run() { grep -q 'calling init.*libnvrtc' linker.*; }
smemcalc() {
    PATH=/usr/bin:/bin CUDA_HOME=/nowhere CUDA_PATH=/nowhere \
        LD_DEBUG=files LD_DEBUG_OUTPUT=$PWD/linker "$program" "$@"
}
make_old
smemcalc inspect kernel.cu --device 9.0 --compiler-options -Iinc >out 2>err
if ! has_run; then
    skip "the cache of NVRTC's compilations" "no NVRTC, or a linker that does not tell"
else
    check_all
    with="NVRTC, host code"
    printf 'int main() { fill<<<1, 32>>>(nullptr); }\n' >>kernel.cu
    check_all
    printf '#define NAME "size.h"\n#include NAME\n' | cat - kernel.cu >macro.cu
    expect "a source with a header that a macro names is compiled" yes 1024 macro.cu --device 9.0
    sed -i s/1024/2048/ inc/size.h
    expect "a source with a header that a macro names is compiled each time" yes 2048 macro.cu --device 9.0
fi
finish_cases
