# Counts test cases in a script; to be sourced. The script ends with `finish_cases`, which prints
# "N passed, N failed, N skipped" and exits: 0, 1 if a case failed or none ran, 77 if all were
# skipped. With tests/toolkit.sh, a command without a record is a failed case.
# shellcheck shell=sh

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
