# For scripts that test the program as a user or a script runs it; to be sourced, in the build
# folder. Changes to a private folder, where `smemcalc` is the program.
# Functions are called by name, words are split and kept whole on purpose:
# shellcheck disable=SC2086,SC2317
# shellcheck shell=sh

export LC_ALL=C NO_COLOR=1 SMEMCALC_PROGRAM=smemcalc
unset SOURCE_DATE_EPOCH

here=$(cd "$(dirname "$0")" && pwd) || exit 99
golden=$here/golden
program=$PWD/smemcalc
# shellcheck source=tests/cases.sh
. "$here/cases.sh"

[ -x "$program" ] || { echo "$0: no ./smemcalc here" >&2; exit 77; }
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
export SMEMCALC_CACHE_DIR="$scratch/cache" SMEMCALC_CEILINGS="$scratch/ceilings.json"
cd "$scratch" || exit 99

smemcalc() {
    "$program" "$@"
}

# The program handles Ctrl-C now. (A shell before it may, too, and NVRTC while it compiles.)
catches_interrupts() { # PID
    grep -q 'smemcalc$' "/proc/$1/comm" 2>/dev/null &&
        grep -q '^SigCgt:.*[012389ab]..[2367abef]$' "/proc/$1/status" 2>/dev/null
}

# The output, with the exit status as its last line, is that of tests/golden/NAME.
golden() { # NAME ARGUMENT...
    name=$1
    shift
    { smemcalc "$@" 2>&1; echo "exit status $?"; } >out
    if [ -n "${GENERATE-}" ]; then
        cp out "$golden/$name"
    fi
    empty "golden $name" "$(diff "$golden/$name" out 2>&1)"
}

# The same for the lines that a filter of jq makes of JSON: only what the test is about, so that
# the file is easy to review.
golden_fields() { # NAME FILTER ARGUMENT...
    name=$1 filter=$2
    shift 2
    { smemcalc "$@" 2>&1; echo "{\"exit status\":$?}"; } | jq -c "$filter" >out 2>&1
    if [ -n "${GENERATE-}" ]; then
        cp out "$golden/$name"
    fi
    empty "golden fields $name" "$(diff "$golden/$name" out 2>&1)"
}

# From then on screens of the explorer come without the bar of keys, which names every screen that
# there is: golden ones would change with each new one.
leave_out_keys() {
    smemcalc() {
        "$program" "$@" >unfiltered
        code=$?
        sed '/^ F1 help/d' unfiltered
        return $code
    }
}

# The command that the explorer's `y` shows, cut out of a screen in ASCII as a user would copy it.
command_shown() { # FILE
    awk '
        !start && (start = index($0, "+- the same on the command line")) {
            match(substr($0, start), /-\+/)
            width = RSTART + 1
            next
        }
        start && substr($0, start, 2) == "+-" { exit }
        start { print substr($0, start + 2, width - 4) }' "$1" | sed 's/ *$//'
}

# Nothing on standard output, and exactly this line on standard error.
refuses() { # STATUS MESSAGE ARGUMENT...
    status=$1 message=$2
    shift 2
    smemcalc "$@" >out 2>err
    seen=$?
    printf 'smemcalc: %s\n' "$message" >expected
    complaint=$(
        [ "$seen" -eq "$status" ] || echo "exit status $seen, not $status"
        [ ! -s out ] || echo "something on standard output"
        diff expected err
    )
    empty "refuses: $*" "$complaint"
}

# A filter of jq answers true.
holds() { # NAME FILTER FILE
    if [ "$(jq "$2" "$3" 2>&1)" = true ]; then pass "$1"; else fail "$1" "$(jq -c . "$3" 2>&1)"; fi
}
