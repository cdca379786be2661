#!/bin/sh
# Prints doc/tables.md: the devices of data/*.csv and the kernels that the program lists.
#   tables.sh SOURCE-FOLDER PROGRAM

set -eu
data=$1/data
program=$2
export LC_ALL=C

# Splits a row of CSV into field[1], field[2], ...
csv='
function split_row(row,    n, quoted, i, c) {
    split("", field)
    n = 1
    for (i = 1; i <= length(row); i++) {
        c = substr(row, i, 1)
        if (c == "\"") {
            if (quoted && substr(row, i + 1, 1) == "\"") { field[n] = field[n] c; i++ }
            else quoted = !quoted
        } else if (c == "," && !quoted) n++
        else field[n] = field[n] c
    }
}'

cat <<'HEAD'
# Devices and kernels

<!-- Written by `make update-tables`; do not edit. -->

## Devices

`smemcalc devices` lists these boards and the GPUs of your machine with their figures; `smemcalc
devices --device NAME` shows one in full. `--device` accepts any unique part of a board's name, a
compute capability (`9.0` or `sm_90`), or a GPU of this machine (`gpu0`).

| compute capability | family | boards |
|---|---|---|
HEAD
awk "$csv"'
    FNR == 1 { next }
    { split_row($0) }
    FILENAME ~ /devices/ {
        if (!seen[field[1], field[3]]++)
            boards[field[3]] = boards[field[3]] (boards[field[3]] ? ", " : "") field[1]
        next
    }
    { printf "| %s | %s | %s |\n", field[1], field[2], boards[field[1]] ? boards[field[1]] : "-" }
' "$data/devices.csv" "$data/compute_capabilities.csv"

cat <<'HEAD'

## Kernels

`smemcalc kernels` lists the parameters of each. Every file in `kernels/` is a short lesson;
`--kernel-dir` compiles an edited copy.

| kernel | family | what it does | parameters |
|---|---|---|---|
HEAD
"$program" kernels --format csv | tr -d '\r' | awk "$csv"'
    NR == 1 { next }
    {
        split_row($0)
        gsub(/\+/, "` `--", field[3])
        printf "| `%s` | %s | %s | `--%s` |\n", field[1], field[2], field[4], field[3]
    }'
