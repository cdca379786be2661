#!/bin/bash
# Kernels of public projects: how many the emulator decodes, by project, and why not the others; or,
# with --run, what happened when those of results/corpus_runs.txt ran with the arguments that it
# lists. Needs nvcc and what results/corpus.txt lists, in FOLDER/OWNER+NAME for each project, for
# example by
#   git clone https://github.com/OWNER/NAME FOLDER/OWNER+NAME
#   git -C FOLDER/OWNER+NAME checkout COMMIT
# PTX is kept in FOLDER/ptx and not compiled again. Run in the build folder, after `make
# bench/decode_kernels`; --run needs jq and ./smemcalc, or the program that SMEMCALC names:
#   bench/corpus.sh FOLDER [PROJECT]...    all projects that are there by default; or as 'NVIDIA*'
#   bench/corpus.sh --run [--on emulator|both] [--device NAME] FOLDER [PROJECT]...
# --on both also compares memory with that of a GPU, bit for bit. The device of the emulator is 9.0.
# Exit status 1 if fewer kernels are decoded than listed; with --run if one is refused or has
# findings where that is not listed, has none of the findings listed, or left other memory than the
# GPU.

set -u
export LC_ALL=C
results=$(cd "$(dirname "$0")/../results" && pwd) || exit 1
list=$results/corpus.txt runs=$results/corpus_runs.txt
decode=$PWD/bench/decode_kernels
export SMEMCALC=${SMEMCALC:-$PWD/smemcalc}
running='' on=emulator device=''
while [ $# -gt 0 ]; do
    case $1 in
    --run) running=1 ;;
    --on | --device)
        [ $# -gt 1 ] || { echo "corpus.sh: option $1 needs a value" >&2; exit 2; }
        if [ "$1" = --on ]; then on=$2; else device=$2; fi
        shift
        ;;
    -*) echo "corpus.sh: unknown option '$1'" >&2; exit 2 ;;
    *) break ;;
    esac
    shift
done
[ $# -gt 0 ] || { sed -n '2,/^$/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
case $on in
emulator) device=${device:-9.0} ;;
both) ;;
*) echo "corpus.sh: option --on: '$on' is not emulator or both" >&2; exit 2 ;;
esac
[ -n "$running" ] || [ -x "$decode" ] ||
    { echo "corpus.sh: make bench/decode_kernels first" >&2; exit 1; }
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

# Whether --run needs the file.
runs_in() { # PROJECT FILE
    grep -q -F "$1"$'\t'"$2"$'\t' "$runs"
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
        [ -z "$running" ] || runs_in "${project/+//}" "$fourth" || continue
        cd "$folder/$project" || exit 1
        if [ "$(sha256sum "$fourth" | cut -d' ' -f1)" != "$first" ]; then
            echo "$project/$fourth: missing, or not as listed"
            continue
        fi
        ptx=$folder/ptx/$project~${fourth//\//\~}.ptx
        [ -e "$ptx" ] || compile "$fourth" "$ptx" "$options" ||
            { echo "$project/$fourth: not compiled, see $ptx.log"; continue; }
        [ -z "$running" ] || continue
        "$decode" "$ptx" >"$scratch/decoded" || exit 1
        cat "$scratch/decoded" >>"$scratch/all"
        printf '%s\t%s\t%s\t%s\n' "$project" "$third" "$(wc -l <"$scratch/decoded")" \
            "$(grep -c $'\tdecoded$' "$scratch/decoded")" >>"$scratch/counts"
        ;;
    esac
done <"$list"

# --- Running them ---------------------------------------------------------------------------------

# One line of corpus_runs.txt to a line of what happened: project, verdict, findings, elements that
# differ, file and kernel, and why.
run_kernel() { # LINE
    local project file entry grid block smem arguments note word next=--arg
    IFS=$'\t' read -r project file entry grid block smem arguments note <<<"$1"
    local ptx=$folder/ptx/${project/\//+}~${file//\//\~}.ptx out verdict why='' status
    local -a words=(--entry "$entry" --grid "$grid" --block "$block" --on "$on")
    [ -e "$ptx" ] || return
    [ -z "$device" ] || words+=(--device "$device")
    [ "$smem" = 0 ] || words+=(--dynamic-smem "$smem")
    set -f
    for word in $arguments; do
        if [ "$word" = --set ]; then next=--set; else words+=("$next" "$word") next=--arg; fi
    done
    out=$(mktemp "$scratch/run.XXXXXX")
    timeout 60 "$SMEMCALC" run "$ptx" "${words[@]}" --format json >"$out" 2>"$out.err"
    status=$?
    local findings=0 differing=0 by_order=0
    [ ! -s "$out" ] || read -r findings differing by_order < <(jq -r '[([.findings[].times] | add),
        ([.memory[].differing_from_emulated] | add), ([.memory[].by_order_of_atomics] | add)] |
        map(. // 0) | join(" ")' "$out")
    if [ "$status" = 124 ] || grep -q 'not finished after' "$out.err"; then
        verdict="too slow"
    elif [ "$status" = 2 ] || [ "$status" = 3 ]; then
        verdict=refused
    elif [ ! -s "$out" ] || { [ -s "$out.err" ] && [ "$status" != 0 ]; }; then
        verdict=failed
    elif [ "$on" = both ] && [ "$differing" != "$by_order" ]; then
        verdict=differs
    elif [ "$on" = both ] && [ "$differing" -gt 0 ]; then
        verdict="differs by the order of atomics"
    elif [ "$on" = both ]; then
        verdict=equal
    elif [ "$findings" -gt 0 ]; then
        verdict=findings
    else
        verdict=clean
    fi
    case $verdict in
    refused | failed | too*)
        why=$(tr '\n\t' '  ' <"$out.err")
        why="${note:-not listed}: ${why//"$ptx"/PTX}"
        ;;
    *)
        if [ "$findings" -gt 0 ]; then why=${note:-not listed}; fi
        if [ "$findings" = 0 ] && [ -n "$note" ]; then why="none of the findings listed: $note"; fi
        ;;
    esac
    printf '%s\t%s\t%s\t%s\t%s %s\t%s\n' "$project" "$verdict" "$findings" "$differing" "$file" \
        "$entry" "$why"
}

run_all() { # PROJECT-PATTERN...
    # shellcheck disable=SC2016 # for the other shell
    local call='run_kernel "$1"'
    export folder scratch on device
    export -f run_kernel
    while IFS= read -r line; do
        case $line in '#'* | '') continue ;; esac
        ! is_wanted "${line%%$'\t'*}" "$@" || printf '%s\0' "$line"
    done <"$runs" | xargs -0 -n 1 -P "$(nproc)" bash -c "$call" run_kernel | sort >"$scratch/ran"
    [ -s "$scratch/ran" ] || { echo "corpus.sh: no kernel ran" >&2; exit 1; }
    echo
    awk -F'\t' '($2 != "clean" && $2 != "equal") || $6 != "" {
        counts = ($3 ? ", " $3 " findings" : "") ($4 ? ", " $4 " elements differ" : "")
        print ($2 == "findings" ? substr(counts, 3) : $2 counts) ": " $1 " " $5
        if ($6 != "") print "    " $6
    }' "$scratch/ran"
    echo
    awk -F'\t' 'function count(what) { n[$1, what]++; n["together", what]++; verdict[what] }
        { all[$1]++; all["together"]++; count($2) }
        $3 && $2 != "findings" { count("with findings") }
        $6 ~ /^(not listed|none of)/ || $2 ~ /^(failed|too slow|differs)$/ { bad = 1 }
        function line(name, v, counts) {
            for (v in verdict) if ((name, v) in n) counts = counts ", " n[name, v] " " v
            return name ": " all[name] " kernels" counts
        }
        END { for (p in all) if (p != "together") print line(p) | "sort"
              close("sort")
              print line("together")
              exit bad }' "$scratch/ran"
}

if [ -n "$running" ]; then
    run_all "$@"
    exit
fi
[ -s "$scratch/counts" ] || { echo "corpus.sh: no file was compiled" >&2; exit 1; }

echo
awk -F'\t' '$3 != "decoded" { print $3 }' "$scratch/all" |
    sed -E 's/^PTX line [0-9]+( \([^)]*\))?: //; s/%[a-z]+[0-9]+/%/g' | sort | uniq -c | sort -rn
awk -F'\t' '{ listed[$1] += $2; all[$1] += $3; decoded[$1] += $4; l += $2; a += $3; d += $4 }
    END { for (p in all) printf "%s: %d of %d decoded\n", p, decoded[p], all[p] | "sort"
          close("sort")
          printf "together %d of %d, %.2f %%\n", d, a, 100 * d / a
          exit d < l }' "$scratch/counts"
