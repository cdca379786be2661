#!/bin/sh
# Prints the layout of the smemcalc.h that the compiler finds, as rows of src/rules/model/public_layout.def:
#   layout.sh CC [FLAG...]
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo '#include <smemcalc.h>' >"$folder/headers.c"
"$@" -E "$folder/headers.c" | awk -f "$here/layout.awk" >"$folder/rows.c"
"$@" "$folder/rows.c" -o "$folder/rows"
"$folder/rows"
