#!/bin/bash
# How many kernels of public projects the emulator decodes, by project, and why not the others. Needs
# nvcc and what results/corpus.txt lists, in FOLDER/OWNER+NAME for each project, for example by
#   git clone https://github.com/OWNER/NAME FOLDER/OWNER+NAME
#   git -C FOLDER/OWNER+NAME checkout COMMIT
# PTX is kept in FOLDER/ptx and not compiled again. Run in the build folder, after `make
# bench/decode_kernels`:
#   bench/corpus.sh FOLDER [PROJECT]...    all projects that are there by default; or as 'NVIDIA*'
# Exit status 1 if fewer kernels are decoded than listed.

set -u
export LC_ALL=C
list=$(dirname "$0")/../results/corpus.txt
decode=$PWD/bench/decode_kernels
[ $# -gt 0 ] || { sed -n '2,/^$/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[ -x "$decode" ] || { echo "corpus.sh: make bench/decode_kernels first" >&2; exit 1; }
folder=$(cd "$1" && pwd) || exit 1
shift
[ $# -gt 0 ] || set -- '*'
mkdir -p "$folder/ptx/stub/CL"
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# Headers that old projects include, and of whose contents kernels need nothing.
stub=$folder/ptx/stub
: >"$stub/config.h"
echo 'typedef int cl_int; typedef void *cl_platform_id, *cl_device_id, *cl_context,
*cl_command_queue, *cl_program, *cl_kernel, *cl_mem, *cl_event;
typedef unsigned long cl_ulong, cl_device_type;' >"$stub/CL/cl.h"

is_wanted() { # PROJECT PATTERN...
    local project=$1 pattern
    shift
    for pattern; do
        # shellcheck disable=SC2254 # it is a pattern
        case $project in $pattern) return 0 ;; esac
    done
    return 1
}

compile() { # FILE PTX OPTIONS
    local near
    near=$(dirname "$1")
    local options=${3//-Istub/-I$stub}
    case $options in *-arch=*) ;; *) options="$options -arch=sm_90" ;; esac
    # shellcheck disable=SC2086 # options are words
    nvcc -ptx -lineinfo -std=c++17 -w "-I$near" "-I$near/.." "-I$near/../.." $options \
        -o "$2" "$1" >"$2.log" 2>&1 || { rm -f "$2"; return 1; }
}

project='' options='' skipped=1
while IFS=$'\t' read -r kind first second third fourth; do
    case $kind in
    project)
        project=${first/\//+} options=$third skipped=1
        is_wanted "$first" "$@" || continue
        if [ -d "$folder/$project" ]; then skipped=0; else
            echo "$first is not in $folder/$project, at commit $second"
        fi
        ;;
    file)
        [ "$skipped" = 0 ] || continue
        cd "$folder/$project" || exit 1
        if [ "$(sha256sum "$fourth" | cut -d' ' -f1)" != "$first" ]; then
            echo "$project/$fourth: missing, or not as listed"
            continue
        fi
        ptx=$folder/ptx/$project~${fourth//\//\~}.ptx
        [ -e "$ptx" ] || compile "$fourth" "$ptx" "$options" ||
            { echo "$project/$fourth: not compiled, see $ptx.log"; continue; }
        "$decode" "$ptx" >"$scratch/decoded" || exit 1
        cat "$scratch/decoded" >>"$scratch/all"
        printf '%s\t%s\t%s\t%s\n' "$project" "$third" "$(wc -l <"$scratch/decoded")" \
            "$(grep -c $'\tdecoded$' "$scratch/decoded")" >>"$scratch/counts"
        ;;
    esac
done <"$list"
[ -s "$scratch/counts" ] || { echo "corpus.sh: no file was compiled" >&2; exit 1; }

echo
awk -F'\t' '$3 != "decoded" { print $3 }' "$scratch/all" |
    sed -E 's/^PTX line [0-9]+( \([^)]*\))?: //; s/%[a-z]+[0-9]+/%/g' | sort | uniq -c | sort -rn
awk -F'\t' '{ listed[$1] += $2; all[$1] += $3; decoded[$1] += $4; l += $2; a += $3; d += $4 }
    END { for (p in all) printf "%s: %d of %d decoded\n", p, decoded[p], all[p] | "sort"
          close("sort")
          printf "together %d of %d, %.2f %%\n", d, a, 100 * d / a
          exit d < l }' "$scratch/counts"
