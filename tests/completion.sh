#!/bin/sh
# Completion: what bash, zsh and fish offer for lines that a user types, and that every option,
# command, kernel and board is offered. Run in the build folder.

set -u
export LC_ALL=C SMEMCALC_PROGRAM=smemcalc
here=$(cd "$(dirname "$0")" && pwd) || exit 99
program=$PWD/smemcalc
# shellcheck source=tests/cases.sh
. "$here/cases.sh"

scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
PATH=${program%/*}:$PATH # the scripts run it
for shell in bash zsh fish; do
    "$program" completion "$shell" >"$scratch/$shell" || fail "a script for $shell"
done
touch mine.json 'my gpu.json'
mkdir kernels

# --- Nothing is missing ---------------------------------------------------------------------------

"$program" help all | sed -n 's/^  *\(-., \)\{0,1\}--\([a-z][a-z-]*\).*/\2/p' | sort -u >options
"$program" --help | sed -n '/^Commands/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p' | sort -u >commands
"$program" kernels --format csv | sed '1d;s/,.*//' >kernels.txt
"$program" lesson | sed '/^$/,$d; s/ .*//' | sort >lessons
"$program" devices --format csv | sed '1d;s/,.*//;s/^NVIDIA //;s/^\(GeForce\|Tesla\) //' >boards
for list in options commands kernels.txt lessons boards; do
    [ "$(wc -l <$list)" -ge 5 ] || fail "the program lists its ${list%.txt}"
done

# What the scripts ask the program: the words that may follow, without their meanings
asked() { # WORD...
    "$program" __complete "$@" | sed '1d;s/	.*//'
}

lacks() { # LIST: its words that are not among the standard input's
    sort -u | comm -23 "$1" -
}

sort -o kernels.txt kernels.txt
sort -u -o boards boards
empty "every option is offered" "$(while read -r command; do
    asked "$command" -
done <commands | sed 's/^--//' | lacks options)"
empty "every command is offered" "$(asked '' | lacks commands)"
empty "every lesson is offered" "$(asked lesson '' | lacks lessons)"
empty "every kernel is offered" "$(asked --kernel '' | lacks kernels.txt)"
empty "every board is offered" "$(asked --device '' | lacks boards)"

# Each name that is offered means one board. Four are also the name that drivers print for another
# chip, and a note says so.
asked --device '' | grep -vx 'gpu0' >offered
[ "$(wc -l <offered)" -ge 90 ] || fail "boards and compute capabilities are offered"
empty "every device offered is found" "$(while read -r name; do
    "$program" devices --device "$name" 2>&1 >found || echo "$name is refused"
    grep -q "$name" found || echo "$name is another"
done <offered | grep -vE "^smemcalc: note: .*; also GeForce GTX? [0-9]+ G[FKM][0-9]+$")"

# --- bash -----------------------------------------------------------------------------------------

cat >ask.bash <<'END'
# WORD...: prints what is offered for the last word, a line each
source ./bash || exit
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_smemcalc
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
END

offers() { # NAME EXPECTED WORD...: in any order
    name=$1 expected=$2
    shift 2
    bash ask.bash smemcalc "$@" 2>&1 | sort >seen
    empty "bash: $name" "$(printf '%s' "$expected" | sort | diff - seen)"
}

lines() { # WORD...
    printf '%s\n' "$@"
}

if command -v bash >/dev/null; then
    empty "bash reads its script" "$(bash -n bash 2>&1)"
    offers "commands come first on the line" "$(cat commands; echo)
" ''
    offers "the beginning of a command" "$(lines run)
" ru
    offers "the beginning of an option" "$(lines --device --device-file)
" --dev
    offers "options of the command only" "$(lines --gpu)
" run --gp
    offers "no option of another command" '' devices --gp
    offers "the words that an option takes" "$(lines text json jsonl csv)
" --format ''
    offers "the letter of an option" "$(lines json jsonl)
" -f j
    offers "a value after =" "$(lines json jsonl)
" --format = j
    offers "all values after =" "$(lines float double int32)
" --dtype =
    offers "a board by its model" "$(lines 'RTX\ 4090' 'RTX\ 4090\ D' 'RTX\ 4090\ Laptop\ GPU')
" --device 'RTX\ 409'
    offers "a board in a quote" "$(lines 'RTX 4090' 'RTX 4090 D' 'RTX 4090 Laptop GPU')
" --device '"rtx 409'
    offers "a compute capability" "$(lines 12.0 12.1)
" -d 12
    offers "a kernel of the catalog for --kernel" "$(lines residency)
" --kernel resid
    offers "files for an option that takes one" "$(lines mine.json 'my gpu.json')
" --device-file m
    offers "folders for an option that takes one" "$(lines kernels)
" --kernel-dir k
    offers "nothing for an option that takes a number" '' --tile ''
    offers "files for a command that takes one" "$(lines mine.json 'my gpu.json')
" batch m
    offers "commands for help" "$(lines devices diff doctor)
" help d
    offers "shells for completion" "$(lines bash zsh fish)
" completion ''
    offers "lessons for the command lesson" "$(lines banks)
" lesson ba
    offers "options after a value" "$(lines --format)
" --tile 8 --fo
else
    skip "what bash offers" "there is no bash"
fi

# --- zsh and fish ---------------------------------------------------------------------------------

if command -v zsh >/dev/null; then
    empty "zsh reads its script" "$(zsh -f -n zsh 2>&1)"
else
    skip "zsh reads its script" "there is no zsh"
fi

fish_offers() { # NAME EXPECTED LINE
    # shellcheck disable=SC2016
    fish --no-config -c 'source fish; complete -C "$argv[1]"' "$3" 2>&1 | sed 's/	.*//' |
        sort >seen
    empty "fish: $1" "$(printf '%s\n' "$2" | sort | diff - seen)"
}

if command -v fish >/dev/null; then
    export HOME="$scratch" XDG_CONFIG_HOME="$scratch" XDG_DATA_HOME="$scratch"
    empty "fish reads its script" "$(fish --no-config -n fish 2>&1)"
    fish_offers "commands come first" "$(cat commands)" 'smemcalc '
    fish_offers "options of the command only" --gpu 'smemcalc run --gp'
    fish_offers "words of an option" "$(lines csv json jsonl text)" 'smemcalc --format '
    fish_offers "a board by its model" "$(lines 'RTX 4090' 'RTX 4090 D' 'RTX 4090 Laptop GPU')" 'smemcalc --device RTX\ 409'
    fish_offers "a kernel" residency 'smemcalc --kernel resid'
    fish_offers "lessons" banks 'smemcalc lesson ba'
    fish_offers "commands for help" "$(lines devices diff doctor)" 'smemcalc help d'
else
    skip "what fish offers" "there is no fish"
fi

# --- Wrong usage ----------------------------------------------------------------------------------

refuses() { # MESSAGE ARGUMENT...
    message=$1
    shift
    "$program" "$@" >out 2>err
    status=$?
    empty "refuses: $*" "$(
        [ "$status" -eq 2 ] || echo "exit status $status, not 2"
        [ ! -s out ] || echo "something on standard output"
        echo "smemcalc: $message" | diff - err)"
}

refuses "completion: name a shell, one of bash, zsh, fish" completion
refuses "unknown shell 'tcsh'; name one of bash, zsh, fish" completion tcsh
refuses "'zsh' is not an option; options begin with two dashes ('smemcalc help completion')" completion bash zsh

finish_cases
