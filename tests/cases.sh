# Counts test cases in a script; to be sourced. The script ends with `finish_cases`, which prints
# "N passed, N failed, N skipped" and exits: 0, 1 if a case failed or none ran, 77 if all were
# skipped. With tests/toolkit.sh, a command without a record is a failed case.
#
# A suite sees the same wherever it is run: what it must know of the caller's it takes before it
# sources this, and nothing else of the caller's settings remains. How it finds tools does (PATH,
# LD_LIBRARY_PATH, CUDA_HOME), and how a whole run is done (LC_ALL and SMEMCALC_PROGRAM, which suites
# set themselves, SMEMCALC_SANDBOX, GENERATE).
# shellcheck shell=sh

exec </dev/null
umask 022
# shellcheck disable=SC2046 # a word for each
unset CDPATH $(awk 'BEGIN {
    prefixes = "SMEMCALC|FAKE|APP|CUDA_VISIBLE|NVCC|SLURM|SLURMD|PMI|PMIX|OMPI|XDG|GIT|TMUX|NCURSES|GREP"
    names = "BASH_ENV|COLUMNS|CPATH|CPLUS_INCLUDE_PATH|C_INCLUDE_PATH|CUDACXX|CUDAHOSTCXX|EDITOR|ENV" \
        "|ESCDELAY|LANGUAGE|LINES|MAKEFLAGS|MAKELEVEL|MFLAGS|POSIXLY_CORRECT|SMEMCALC|TMUX|VISUAL"
    for (name in ENVIRON)
        if (name ~ "^((" prefixes ")_[A-Za-z0-9_]*|" names ")$" && name !~ /^SMEMCALC_(PROGRAM|SANDBOX)$/)
            print name
}')
case ${TMPDIR-/} in
*[!A-Za-z0-9/._+-]* | [!/]*) unset TMPDIR ;; # scratch folders have names that no shell splits
esac
export TERM=dumb XDG_CONFIG_HOME=/nonexistent # no ceilings that the user measured

# In front of a command: it has the default actions of signals, whatever the caller ignores (nohup does,
# and a shell for what it runs in the background). Empty where env is too old for it.
# shellcheck disable=SC2034
default_signals=$(env --default-signal true 2>/dev/null && echo env --default-signal)

cases_passed=0 cases_failed=0 cases_skipped=0

pass() { # NAME
    cases_passed=$((cases_passed + 1))
    printf 'ok      %s\n' "$1"
}

fail() { # NAME [WHY]
    cases_failed=$((cases_failed + 1))
    printf 'FAILED  %s\n' "$1"
    [ -z "${2-}" ] || printf '%s\n' "$2" | sed 's/^/        /'
}

skip() { # NAME WHY
    cases_skipped=$((cases_skipped + 1))
    printf 'skipped %s: %s\n' "$1" "$2"
}

empty() { # NAME TEXT: the case passes where there is nothing to complain about
    if [ -z "$2" ]; then pass "$1"; else fail "$1" "$2"; fi
}

# A long suite runs a fixed share of its cases, and all of them with TEST_WHOLE=1 in the environment.
is_whole() {
    [ "${TEST_WHOLE:-0}" != 0 ]
}

print_share() { # RUN ALL CASES
    if [ "$1" -lt "$2" ]; then
        printf '%d of %d %s; TEST_WHOLE=1 runs all\n' "$1" "$2" "$3"
    else
        printf 'all %d %s\n' "$2" "$3"
    fi
}

has_ended() { # PID: a child of this shell, whose status may wait to be fetched
    ! kill -0 "$1" 2>/dev/null || grep -q '^State:	Z' "/proc/$1/status" 2>/dev/null
}

await() { # PID COMMAND [ARGUMENT...]: until the command succeeds; false once the child has ended
    awaited=$1
    shift
    until "$@" 2>/dev/null; do
        ! has_ended "$awaited" || return 1
        sleep 0.02
    done
}

finish_cases() {
    [ ! -s "${unrecorded_commands-}" ] || fail "each command of a compiler has a record" \
        "$(sort -u "$unrecorded_commands")
make -C build update-toolkit-records SUITES=$(basename "$0" .sh)"
    printf '%d passed, %d failed, %d skipped\n' "$cases_passed" "$cases_failed" "$cases_skipped"
    [ "$cases_failed" -eq 0 ] || exit 1
    [ "$cases_passed" -eq 0 ] || exit 0
    [ "$cases_skipped" -eq 0 ] || exit 77
    exit 1
}
