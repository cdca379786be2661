#!/bin/sh
# Fetches NVIDIA's newest wheels into FOLDER, for what is tested against the newest CUDA beside the
# installed one: NVRTC, the headers of the runtime, and with `compiler` nvcc and cuobjdump, too.
#   tests/newest_cuda.sh FOLDER [compiler]
# Exit status 77, with the reason, if that is impossible.

set -u
[ $# -ge 1 ] || { echo "usage: newest_cuda.sh FOLDER [compiler]" >&2; exit 2; }
folder=$1
wheels='nvidia-cuda-nvrtc nvidia-cuda-runtime'
[ "${2-}" != compiler ] || wheels="$wheels nvidia-cuda-nvcc nvidia-cuda-cuobjdump nvidia-cuda-cccl"

if ! command -v python3 >/dev/null || ! python3 -m pip --version >/dev/null 2>&1; then
    echo "no newest CUDA: there is no pip here" >&2
    exit 77
fi
mkdir -p "$folder" || exit 1
# shellcheck disable=SC2086 # several names
python3 -m pip install --quiet --disable-pip-version-check --upgrade --no-compile \
    --target "$folder" $wheels >"$folder/pip.log" 2>&1 || {
    tail -n 3 "$folder/pip.log" >&2
    echo "no newest CUDA: pip could not install $wheels" >&2
    exit 77
}
ls -d "$folder"/nvidia/*/include/cuda_occupancy.h
