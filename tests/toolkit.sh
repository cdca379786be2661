# The compilers of the CUDA Toolkit for a suite; to be sourced after cases.sh, when $here and $scratch
# are set. `nvcc` becomes the path of nvcc, its folder the first on PATH. These are stand-ins that give
# what the real ones gave when they were recorded (tests/toolkit/stand-in), so the suite is fast and
# the same on every machine. A command without a record is a failed case.
#   TEST_LIVE=1 tests/SUITE.sh               the installed compilers; `nvcc` is empty without them
#   make -C build update-toolkit-records     records what is missing, or of another version
# Variables come from the suite, and are for it and cases.sh:
# shellcheck disable=SC2034,SC2154
# shellcheck shell=sh

toolkit=$scratch/toolkit
toolkit_records=$here/toolkit/$(basename "$0" .sh)
unrecorded_commands=$toolkit/unrecorded
installed_nvcc=$(command -v nvcc) || installed_nvcc=${CUDA_HOME:-/usr/local/cuda}/bin/nvcc

make_stand_ins() { # VERSION, such as "13.0, V13.0.88": with what the program looks for beside nvcc
    nvcc=$toolkit/cuda-${1%%,*}/bin/nvcc
    (
        mkdir -p "${nvcc%/*}" && cd "${nvcc%/*}/.." || exit
        major=${1%%.*} headers=targets/x86_64-linux/include
        mkdir -p nvvm/bin include $headers || exit
        for tool in bin/nvcc bin/ptxas nvvm/bin/cicc; do
            cp "$here/toolkit/stand-in" $tool && chmod +x $tool || exit
        done
        echo "#define CUDA_VERSION ${major}000" >include/cuda.h
        echo '// of the stand-ins' >$headers/cuda_runtime.h
        find . -type f -exec touch -t 202601010000 {} + # the compile cache passes over new files
    )
}

unpack_records() { # FOLDER
    mkdir -p "$1" || return
    [ ! -f "$toolkit_records.tar.xz" ] || tar -C "$1" -xJf "$toolkit_records.tar.xz"
}

[ -n "${TEST_LIVE-}" ] || unset NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS CPATH
toolkit_version=$(sed -n 1p "$toolkit_records.txt" 2>/dev/null)
if [ -n "${TEST_RECORD-}" ]; then # a folder: tests/toolkit/update makes it
    version=$("$installed_nvcc" --version | sed -n 's/^Cuda compilation tools, release //p')
    [ -n "$version" ] || { echo "$0: no nvcc" >&2; exit 99; }
    [ "$version" != "$toolkit_version" ] || unpack_records "$TEST_RECORD" || exit 99
    make_stand_ins "$version" || exit 99
    ln -s "$TEST_RECORD" "$toolkit/records" || exit 99
    echo "${installed_nvcc%/*}" >"$toolkit/live"
    echo "$version" >"$TEST_RECORD/version"
elif [ -n "${TEST_LIVE-}" ]; then
    nvcc=$installed_nvcc
    [ -x "$nvcc" ] || nvcc=
else
    command -v xz >/dev/null || { echo "$0: no xz" >&2; exit 77; }
    make_stand_ins "${toolkit_version:-0.0}" || exit 99
    unpack_records "$toolkit/records" || { echo "$0: damaged records" >&2; exit 99; }
fi
[ -z "$nvcc" ] || PATH="${nvcc%/*}:$PATH"
export PATH
