#!/bin/sh
# Suites depend on nothing around them: not on the caller's settings, its standard input, the signals
# that it ignores, nor on processes of others.

set -u
export LC_ALL=C
tests=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 99
# shellcheck source=tests/cases.sh
. "$tests/cases.sh"

scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99

# --- Settings -------------------------------------------------------------------------------------

# What a suite sees: its environment, then its standard input.
cat >suite.sh <<END
. '$tests/cases.sh'
env
echo "mode \$(umask)"
sed 's/^/input /'
END

# All that the program reads; what finds tools, and what suites set themselves, remains.
grep -rhoE 'getenv\("[A-Z_]+"|"(SMEMCALC|XDG|SLURMD?|PMIX|OMPI|NVCC)_[A-Z_]+"' "$tests/../src" |
    sed 's/getenv(//; s/"//g' | sort -u |
    grep -vxE 'CUDA_HOME|CUDA_PATH|LD_LIBRARY_PATH|NO_COLOR|PATH|TMPDIR|SOURCE_DATE_EPOCH|SMEMCALC_(PROGRAM|SANDBOX)' >variables
[ "$(wc -l <variables)" -ge 20 ] || fail "the variables that the program reads are found" "$(cat variables)"
more='CDPATH COLUMNS CPATH ENV FAKE_GPU GIT_DIR LINES MAKEFLAGS NVCC_APPEND_FLAGS POSIXLY_CORRECT TMUX'
# shellcheck disable=SC2046,SC2086 # a word for each
printf 'typed\n' | (umask 077 && env $(sed 's/$/=of-the-caller/' variables) \
    $(printf '%s=of-the-caller\n' $more) sh suite.sh) >seen 2>&1
empty "a suite sees no setting of its caller" "$(grep of-the-caller seen)"
empty "a suite does not read its caller's standard input" "$(grep '^input' seen)"
empty "files of a suite have the usual modes" "$(grep '^mode' seen | grep -vx 'mode 0*22')"
for folder in 'of the caller' of-the-caller; do
    TMPDIR=$folder sh suite.sh >seen 2>&1
    empty "a suite makes no scratch folder in '$folder'" "$(grep '^TMPDIR=' seen)"
done
sh suite.sh <&- >seen 2>&1
empty "a suite whose standard input is closed has an empty one" "$(grep -vE '^(mode|[A-Za-z_0-9]*=)' seen)"

# --- Signals --------------------------------------------------------------------------------------

if [ -n "$default_signals" ]; then
    for signal in HUP INT PIPE TERM; do
        sh -c "trap '' $signal; $default_signals sh -c 'kill -$signal \$\$'; exit \$?" 2>seen
        status=$?
        empty "SIG$signal acts although the caller ignores it" "$(
            [ "$(kill -l $status 2>&1)" = "$signal" ] || { echo "exit status $status"; cat seen; })"
    done
else
    skip "signals that the caller ignores" "no env --default-signal"
fi

# --- Processes ------------------------------------------------------------------------------------

sleep 600 &
empty "a child that runs has not ended" "$(has_ended $! && echo "it has")"
empty "what a child does is awaited" "$(await $! test -d "/proc/$!" || [ ! -d /proc ] || echo "in vain")"
kill -KILL $!
empty "a child that ends is not awaited for ever" "$(await $! false && echo "it goes on")"
wait $! 2>/dev/null

# Somebody else may run the same program beside the tests.
empty "no suite looks for processes by name on the whole machine" "$(cd "$tests" &&
    grep -nE '(^|[^a-z_/])(pgrep|pkill|pidof|killall|ps +(-[A-Za-z]*[eAtuC]|a?ux))' -- *.sh */*.sh |
    grep -vE '^surroundings.sh:|^[^:]*:[0-9]*: *#')"
empty "every suite begins with cases.sh" "$(cd "$tests/.." &&
    grep -h '^TESTS += ' tests/local.mk tests/*/local.mk | tr ' ' '\n' | grep '\.sh$' |
    xargs grep -LE '^\. .*/(cases|command)\.sh"$')"

finish_cases
