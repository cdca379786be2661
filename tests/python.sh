#!/bin/sh
# The Python package: the wheel of `make python`, unpacked and used by each Python that is at hand,
# and by none if there is none. Run in the build folder.

set -u
export LC_ALL=C
sanitize=${SANITIZE_FLAGS-}
make=${MAKE:-make}
here=$(cd "$(dirname "$0")" && pwd) || exit 99
source=$(dirname "$here")
unset MAKEFLAGS MFLAGS MAKELEVEL
# shellcheck source=tests/cases.sh
. "$here/cases.sh"
build=$PWD
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT

is_new_enough() { # PYTHON
    "$1" -c 'import sys, ctypes; sys.exit(sys.version_info < (3, 9))' 2>/dev/null
}

if [ -n "$sanitize" ]; then
    skip "the package" "the library is built with sanitizers"
    finish_cases
elif ! is_new_enough python3; then
    skip "the package" "there is no python3, or it is older than 3.9"
    finish_cases
fi

if ! "$make" -s python >"$scratch/make.log" 2>&1; then
    fail "make python" "$(tail "$scratch/make.log")"
    finish_cases
fi
wheel=$(find "$build/python" -name 'smemcalc-*.whl')
empty "the wheel needs no other library than the C library" "$(
    python3 -m zipfile -e "$wheel" "$scratch/unpacked"
    readelf -d "$scratch/unpacked/smemcalc/libsmemcalc.so" 2>/dev/null | grep NEEDED | grep -v 'libc\.so')"
if python3 -c 'import pip' 2>/dev/null; then
    empty "pip installs the wheel" "$(python3 -m pip install --quiet --no-index --no-deps \
        --disable-pip-version-check --root-user-action ignore --target "$scratch/installed" "$wheel" 2>&1
        diff -r -x '*.pyc' -x __pycache__ -x RECORD -x INSTALLER -x REQUESTED -x direct_url.json \
            "$scratch/unpacked" "$scratch/installed")"
else
    skip "pip installs the wheel" "there is no pip"
fi

export PYTHONPATH="$scratch/unpacked" PYTHONDONTWRITEBYTECODE=1 SMEMCALC_PROGRAM="$build/smemcalc"
export SMEMCALC_TEST_DATA="$here/data" SMEMCALC_CACHE_DIR="$scratch/cache"
tests() { # NAME PYTHON LAUNCHES
    name=$1 python=$2 launches=$3
    if SMEMCALC_TEST_LAUNCHES=$launches "$python" "$here/python/test_smemcalc.py" >out 2>&1; then
        pass "$name: $(tail -n 1 out)"
    else
        fail "$name" "$(tail -n 30 out)"
    fi
}
cd "$scratch" || exit 99
tests "python3, 100,000 launches" python3 100000
for python in python3.9 python3.10 python3.11 python3.12 python3.13; do
    if is_new_enough "$python"; then tests "$python" "$python" 2000; else skip "$python" "it is not at hand"; fi
done
if [ -e "$build/.libs/libsmemcalc_cuda.so" ]; then
    empty "this machine's GPU, of which the emulator has the driver" "$(
        "$build/smemcalc" trace --on emulator --device "RTX 4090" --output trace.txt -- \
            python3 -c 'import smemcalc as sm; print(sm.device(), sm.occupancy(256, 72).resident_blocks)' 2>&1 |
            grep -vx '<Device NVIDIA GeForce RTX 4090, compute capability 8.9, 128 SMs> 384')"
else
    skip "this machine's GPU" "the emulator's driver is not built"
fi
empty "the examples of doc/python.md" "$(PATH="$build:$PATH" python3 -m doctest "$source/doc/python.md")"
empty "the notebook doc/python.ipynb" "$(
    PATH="$build:$PATH" python3 "$here/python/notebook.py" "$source/doc/python.ipynb" 2>&1)"
sed 's/2 blocks/3 blocks/' "$source/doc/python.ipynb" >other.ipynb
empty "another output of a notebook is found" "$(
    PATH="$build:$PATH" python3 "$here/python/notebook.py" other.ipynb 2>&1 | grep -q '^cell [0-9]*: ' || echo "it is not")"
if python3 -m mypy --version >/dev/null 2>&1; then
    empty "mypy --strict" "$(python3 -m mypy --strict unpacked/smemcalc 2>&1 | grep -v ^Success)"
else
    skip "mypy --strict" "there is no mypy"
fi
finish_cases
