# shellcheck shell=bash
# The folders and the number of jobs are .ci/run's:
# shellcheck disable=SC2154
# The steps of .ci/run that are too slow for every change, or random, and the record of their last
# runs, results/scheduled.tsv: step, commit, date (UTC), verdict, seconds.

# --- Steps ----------------------------------------------------------------------------------------

# All suites, with all of what `check` takes a share of, and with the compilers of this machine;
# those of failing calls are a step of their own.
step_whole() {
    configure_in gcc --enable-werror CC=gcc && make -s "$jobs" &&
        TEST_WHOLE=1 TEST_LIVE=1 make -s -k "$jobs" check TESTS="$(suites_without "$failing_calls")"
}

failing_calls='faults/faults|faults/hostile|allocation'

# Each call of typical commands fails once; signals, limits and full disks. On a busy machine each of
# these suites takes longer than the limit of suites that run a share.
step_faults() {
    configure_in gcc --enable-werror CC=gcc && make -s "$jobs" &&
        TEST_WHOLE=1 make -s -k "$jobs" check TEST_SECONDS=7200 TESTS="tests/${failing_calls//|/ tests/}"
}

# Without what compares numbers, documents or compilers, and runs nothing that other suites do not.
step_sanitizers_whole() {
    local tests left_out='(headroom_)?oracle(_newest)?|compile_all|ptxas_facts|time_error.sh|current.sh'
    left_out+='|docs.sh|layers.sh|results.sh|recipes.sh'
    configure_in sanitizers --enable-werror --enable-asan CFLAGS='-O1 -g' && make -s "$jobs" &&
        tests=$(suites_without "$left_out") && make -s "$jobs" check TESTS="$tests"
}

step_without_cuda() { # what concerns GPUs; the gate runs all tests where there is no toolkit
    configure_in without-cuda --enable-werror --without-cuda && make -s "$jobs" &&
        make -s "$jobs" check TESTS='tests/unit tests/all_gpus.sh tests/calibrate.sh
            tests/check.sh tests/cli.sh tests/counters.sh tests/docs.sh tests/doctor.sh
            tests/merge.sh tests/source.sh tests/time.sh tests/trace.sh tests/tune.sh'
}

step_without_cairo() { # what draws
    configure_in without-cairo --enable-werror --without-cairo && make -s "$jobs" &&
        make -s "$jobs" check TESTS='tests/unit tests/banks.sh tests/cli.sh tests/roofline.sh
            tests/sweep.sh tests/time.sh tests/trace.sh tests/trace_plot.sh tests/tune.sh'
}

# The newest CUDA that NVIDIA's wheels have: the model against its header, the table and the readers
# against its compiler.
step_current() {
    local newest=$work/newest-cuda
    tests/newest_cuda.sh "$newest" compiler || {
        [ $? -ne 77 ] || skip_step "NVIDIA's newest wheels could not be fetched"
        return 1
    }
    configure_in current --enable-werror "--with-newest-cuda-headers=$(ls -d "$newest"/nvidia/*/include)" &&
        make -s "$jobs" && make -s "$jobs" check TESTS='tests/oracle tests/oracle_newest
            tests/headroom_oracle tests/headroom_oracle_newest' &&
        make -s "$jobs" tests/current &&
        LD_LIBRARY_PATH=$(ls -d "$newest"/nvidia/*/lib) ../../tests/findings.sh &&
        NEWEST_CUDA=$newest ../../tests/current.sh --strict
}

# SARIF, JUnit and the workflows of the recipes against schemas that others wrote.
step_schemas() {
    local schemas=$work/schemas
    tests/report_schemas.sh "$schemas" || {
        [ $? -ne 77 ] || skip_step "the schemas could not be fetched"
        return 1
    }
    configure_in gcc --enable-werror CC=gcc && make -s "$jobs" &&
        REPORT_SCHEMAS=$schemas ../../tests/gate.sh --strict &&
        REPORT_SCHEMAS=$schemas ../../tests/recipes.sh --strict
}

step_without_libraries() { # those that a user may lack, and a C++ compiler
    configure_in without-libraries --enable-werror --without-toml --without-lz4 --without-zstd \
        --without-zlib --without-sqlite ac_cv_header_linux_seccomp_h=no CXX=false && make -s "$jobs" &&
        make -s "$jobs" check \
            TESTS='tests/unit tests/gate.sh tests/recipes.sh tests/cli.sh tests/trace.sh'
}

# The archive builds, and has all files; the other steps run all tests.
step_distcheck() {
    local missing
    configure_in dist &&
        make -s "$jobs" distcheck TESTS='tests/unit tests/cli.sh tests/docs.sh' || return
    missing=$(comm -13 <(tar -tf smemcalc-*.tar.xz | sed 's,^[^/]*/,,' | sort) \
        <(git -C "$root" ls-files | grep -vx .gitignore | sort))
    [ -z "$missing" ] || {
        printf 'the archive lacks:\n%s\n' "$missing"
        return 1
    }
}

step_distcheck_without_cuda() {
    configure_in dist &&
        make -s "$jobs" distcheck DISTCHECK_CONFIGURE_FLAGS=--without-cuda TESTS=tests/unit
}

# Checks merged on a real Slurm: its daemons run in namespaces of their own, for about 20 seconds.
step_slurm() {
    configure_in gcc --enable-werror CC=gcc && make -s "$jobs" || return
    ! grep -q '^#define HAVE_CUDA 1' config.h || make -s "$jobs" tests/gpu/fake_smemcalc || return
    timeout -k 10 150 ../../tests/slurm.sh || {
        [ $? -ne 77 ] || exit 77 # its last line has the reason
        return 1
    }
}

step_install() {
    local to=$work/installed
    rm -rf "$to"
    configure_in install --enable-werror --prefix=/usr && make -s "$jobs" && make -s install DESTDIR="$to" || return
    cd / && "$to/usr/bin/smemcalc" --tile 32 --device H200 --no-nvrtc >/dev/null &&
        [ -s "$to/usr/share/man/man1/smemcalc.1" ] &&
        cd "$work/install" && make -s uninstall DESTDIR="$to" &&
        ! find "$to" ! -type d | grep .
}

# What valgrind says of a program and of all its processes. Their exit statuses do not count: it
# computes long double in 64 bits, which a test of precision notices. It does not know the ioctl by
# which a pseudo-terminal is opened.
finds_nothing() { # PROGRAM ARGUMENT...
    rm -f valgrind.*.log
    valgrind -q --leak-check=full --log-file=valgrind.%p.log \
        --suppressions="$root/tests/valgrind.supp" "$@"
    ! cat valgrind.*.log | grep -v 'unhandled ioctl 0x5441\|could cause spurious\|README_MISSING'
}

# Without tui_chart and lesson, which go through all kernels, devices and widths.
unit_finds_nothing() {
    local suites
    mapfile -t suites < <(sed -n 's/^SUITE(\(.*\))$/\1/p' "$root/tests/suites.def" |
        grep -vx 'tui_chart\|lesson')
    srcdir=$root finds_nothing tests/unit "${suites[@]}"
}

# The explorer over a whole sitting, and on curses over one that has each of its keys once.
step_valgrind() {
    configure_in gcc --enable-werror CC=gcc &&
        make -s "$jobs" check TESTS= || return
    sed 's/^\(key [^ ]*\) .*/\1/' "$root/bench/sitting.txt" >sitting.txt
    unit_finds_nothing &&
        finds_nothing ./smemcalc tui --script "$root/bench/sitting.txt" &&
        finds_nothing bench/tui_speed sitting.txt
}

# The fuzzers, each for a minute, on the inputs that are kept in the tree, with new seeds each time.
step_fuzz() {
    tests/fuzz/build.sh "$work/fuzz" && tests/fuzz/run.sh "$work/fuzz" "${FUZZ_SECONDS:-60}"
}

# What the tests run of src, without the sandbox, which would refuse to open the counters' files. Not
# among them: those that let calls of the system fail, since the counters are such calls, too; those of
# how the library is linked, which counters change; those that run nothing of src; and those that go
# through all kernels, sizes, devices or compilers, and take minutes for what the others run as well.
step_coverage() {
    local counted="-O1 -g --coverage -fprofile-update=atomic -include $root/tests/coverage_exit.h"
    local left_out='faults/.*|library.sh|hardening.sh|layers.sh|results.sh|recipes.sh'
    left_out+='|(headroom_)?oracle(_newest)?|compile_all|ptxas_facts|disassembly|built_in_ptx.sh'
    left_out+='|mutants.sh|time_error.sh|memory.sh|docs.sh'
    local tests status
    export SMEMCALC_SANDBOX=off GCOV_ERROR_FILE=/dev/null # tests/sandbox.sh has it nevertheless
    configure_in coverage CC=gcc CFLAGS="$counted" CXXFLAGS="$counted" && make -s "$jobs" || return
    tests=$(suites_without "$left_out") || return
    make -s "$jobs" check TESTS="$tests"
    status=$?
    "$root/tests/coverage.py" . "$root" 95 85 && [ "$status" -eq 0 ]
}

# All files; the gate analyses those that changed since this step last passed.
step_analysis_whole() {
    configure_in analysis --without-cuda CC=gcc && "$root/tests/analysis.sh" .
}


# --- The record -----------------------------------------------------------------------------------

record=$root/results/scheduled.tsv
stale_after=14 # days

# The scheduled steps, those never run first, then by the date of their last run.
oldest_first() {
    printf '%s\n' "${scheduled_steps[@]}" |
        awk -F '\t' 'FNR == NR { date[$1] = $3; next } { print ($1 in date ? date[$1] : "-") "\t" $1 }' \
            "$record" - | sort -s -k 1,1 | cut -f 2
}

# Whether the step ends in what is left of --minutes, if it takes as long as the last time.
fits() { # STEP
    local needs
    [ -n "$minutes" ] || return 0
    needs=$(awk -F '\t' -v step="$1" '$1 == step { print $5 }' "$record")
    [ "$SECONDS" -lt $((minutes * 60)) ] && [ $((SECONDS + ${needs:-0})) -le $((minutes * 60)) ] && return
    printf '%-24s not run: no time is left for it\n' "$1"
    return 1
}

# Writes the step's row anew. The commit has a + where the tree differs from it, but for the record
# itself (":!/PATH" would exclude another file: the slash is a part of git's sign).
record_step() { # STEP
    local commit
    # shellcheck disable=SC2154 # run_step sets them
    commit=$(git rev-parse --short=12 HEAD)
    [ -z "$(git status --porcelain -- . ":(exclude)$record")" ] || commit+=+
    {
        head -n 1 "$record"
        {
            tail -n +2 "$record" | awk -F '\t' -v step="$1" '$1 != step'
            printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$commit" "$(date -u +%Y-%m-%dT%H:%MZ)" "$verdict" "$seconds"
        } | sort
    } >"$record.new" && mv "$record.new" "$record"
}

# A line for each step that last failed, or has not run for a while. Notes: they fail nothing.
note_scheduled() {
    printf '%s\n' "${scheduled_steps[@]}" |
        awk -F '\t' -v since="$(date -u -d "$stale_after days ago" +%Y-%m-%dT%H:%MZ)" -v days="$stale_after" '
            FNR == NR { commit[$1] = $2; date[$1] = $3; verdict[$1] = $4; next }
            !($1 in date) { print "note: scheduled step " $1 ": never run"; next }
            verdict[$1] == "FAILED" { print "note: scheduled step " $1 ": failed at " commit[$1] ", " date[$1] }
            date[$1] < since { print "note: scheduled step " $1 ": last run " date[$1] ", more than " days " days ago" }
            ' "$record" -
}
