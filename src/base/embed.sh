#!/bin/sh
# Files as C, for struct smc_embedded_text: TEXT("NAME", bytes) for each, the bytes as decimal numbers.
# Usage: embed.sh SOURCE PREFIX FILE...; the files are in SOURCE, and NAME is FILE without PREFIX.
source=$1 prefix=$2
shift 2
for file; do
    bytes=$(od -An -v -tu1 "$source/$file") || exit 1
    printf 'TEXT("%s"%s)\n' "${file#"$prefix"}" "$(printf '%s\n' "$bytes" | tr -s ' ' ,)"
done
