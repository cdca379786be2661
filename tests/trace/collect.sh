#!/bin/sh
# What is collected from programs that run with the injected library: here on a fake driver and a
# fake CUPTI, in every way that a program can launch, end and fail.

set -u
export LC_ALL=C
tests=$(dirname "$0")/..
# shellcheck source=tests/cases.sh
. "$tests/cases.sh"

here=$(pwd)
if ! [ -e "$here/.libs/libsmemcalc_trace.so" ]; then
    skip "the injected library" "no shared libraries are built"
    finish_cases
fi
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/lib" "$scratch/driver" "$scratch/tmp"
ln -s "$here/tests/trace/.libs/libfake_cuda.so" "$scratch/lib/libcuda.so.1"
ln -s "$here/tests/trace/.libs/libfake_cuda.so" "$scratch/driver/libcuda.so.1"
ln -s "$here/tests/trace/.libs/libfake_cupti.so" "$scratch/lib/libcupti.so.13"
export LD_LIBRARY_PATH="$scratch/lib" TMPDIR="$scratch/tmp"
export SMEMCALC_TRACE_LIBRARY="$here/.libs/libsmemcalc_trace.so"
export SMEMCALC_CUPTI="$scratch/lib/libcupti.so.13"
app=$here/tests/trace/app

# Runs the program; what was collected is in $scratch/out, the program's own output in app_out.
traced() { # ARGUMENT...
    # shellcheck disable=SC2154,SC2086 # words
    $default_signals "$here/tests/trace/traced" "$@" >"$scratch/app_out" 2>"$scratch/app_err" 3>"$scratch/out"
}

has() { # NAME PATTERN
    if grep -Eq -e "$2" "$scratch/out"; then pass "$1"; else
        fail "$1" "no line matches: $2
$(cat "$scratch/out" "$scratch/app_err")"
    fi
}

lacks() { # NAME PATTERN
    if grep -Eq -e "$2" "$scratch/out"; then fail "$1" "a line matches: $2
$(cat "$scratch/out")"; else pass "$1"; fi
}

sum() { # FIELD [KERNEL]: of all launch lines
    awk -v field="$1=" -v kernel="${2-}" '
        $1 == "launch" && (kernel == "" || $2 == kernel) {
            for (i = 3; i <= NF; i++)
                if (index($i, field) == 1) all += substr($i, length(field) + 1) }
        END { print all + 0 }' "$scratch/out"
}

is() { # NAME EXPECTED SEEN
    if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "expected: $2
seen: $3
$(cat "$scratch/out")"; fi
}

# --- Configurations -------------------------------------------------------------------------------

traced "$app" launch axpy,40,1024 100 256 2048 5 launch axpy,40,1024 50 256 2048 2
has "an execution has its configuration" '^launch axpy device=NVIDIA H100.* grid=100x1x1 block=256x1x1 cluster=0x0x0 regs=40 static=1024 dynamic=2048 .* sm=102400 launches=5 graph=0 timed=5 total=500 least=100 greatest=100 api=6 '
has "launches with another grid are another configuration" ' grid=50x1x1 .* launches=2 .* total=100 '
has "times make the course" '^course ns=600$'
has "the source is CUPTI" '^source cupti$'
has "the release of CUPTI is reported" '^tool CUPTI 13.0$'
has "the GPU is reported as the driver says" '^device NVIDIA H100 80GB HBM3 cc=90 sms=132 known=1$'
lacks "no launch of two configurations is lost" 'no time|lost|dropped|no sense'
for finds in dlsym proc; do
    for kernels in '' 1; do
        APP_FINDS=$finds APP_KERNELS=$kernels traced "$app" launch k,24,16 3 32 0 7 cluster c 8 64 4
        has "functions by $finds, kernels $kernels: the driver answers" '^launch k .* regs=24 static=16 .* launches=7 .* api=32 '
        has "functions by $finds, kernels $kernels: clusters are recorded" '^launch c .* cluster=4x1x1 .* launches=1 '
        APP_FINDS=$finds APP_KERNELS=$kernels traced --hooks "$app" launch k,24,16 3 32 0 7 cluster c 8 64 4
        has "hooks, functions by $finds, kernels $kernels: the driver answers" '^launch k .* regs=24 static=16 .* launches=7 .* timed=0 .* api=32 '
        has "hooks, functions by $finds, kernels $kernels: clusters are recorded" '^launch c .* cluster=4x1x1 .* launches=1 '
    done
done
has "the source of records is the hooks" '^source hooks$'
has "the report says that launches by hooks have no times" 'have no times'
traced "$app" device 1 launch k 1 1024 0 1
has "a launch on the second GPU names it" '^launch k device=NVIDIA L4 .* api=1 '
FAKE_API_BLOCKS=3 traced "$app" launch k 1 64 0 1
has "the recorded occupancy is the driver's answer, not the model's" ' api=3 '

# A launch that the driver refuses for want of registers: CUPTI has a record of it nevertheless.
for way in '' --hooks; do
    # shellcheck disable=SC2086
    traced $way "$app" launch k,225,0 1 288 0 3 launch k,225,0 1 256 0 2
    is "refused launches$way are not counted" 2 "$(sum launches)"
    lacks "refused launches$way are no configuration" 'block=288x1x1'
done

# Two functions of one name: the driver's answer for one of them is not that for the other.
traced "$app" launch k,32,0 1 1024 0 1 launch k,64,0 1 1024 0 1
has "one name, two kernels: the first" '^launch k .* regs=32 .* launches=1 .* api=2 '
has "one name, two kernels: the second" '^launch k .* regs=64 .* launches=1 .* api=1 '
FAKE_CUPTI_LACKS=307 traced "$app" launch k,64,0 1 1024 0 1 capture k,32,0 0 cluster k,32,0 1 1024 1
has "an execution that no call answers for" '^launch k .* regs=64 .* launches=1 .* api=-1 '

# --- Graphs ---------------------------------------------------------------------------------------

for way in '' --hooks; do
    # shellcheck disable=SC2086
    traced $way "$app" capture g 10 child 4
    is "graph$way: captured launches are not counted" 34 "$(sum launches)"
    is "graph$way: all are of graphs" 34 "$(sum graph)"
    has "graph$way: a node that was changed" '^launch g .* grid=99x1x1 .* launches=10 .* api=16 '
    lacks "graph$way: a node as it was before it changed is not counted" '^launch g .* grid=12x1x1'
    has "graph$way: a child graph" '^launch inner .* launches=4 .* api=32 '
    lacks "graph$way: nothing is missing" 'could not be counted'
done

for way in '' --hooks; do
    # shellcheck disable=SC2086
    traced $way "$app" disable d 5 update u 4 perthread p launch after 1 32 0 2
    is "graph$way: a disabled node is not counted" 10 "$(sum launches d)"
    is "graph$way: launches of an updated graph are counted" 8 "$(sum launches u)"
    has "graph$way: the first node of an updated graph, named as before it" '^launch u .* grid=77x1x1 .* launches=4 '
    has "graph$way: the second node of an updated graph, named as before it" '^launch u .* grid=52x1x1 .* launches=4 '
    is "graph$way: launches captured from the default stream of a thread are not counted" '0 2' "$(sum launches p) $(sum launches after)"
    # shellcheck disable=SC2086
    FAKE_REUSES_AT_ONCE=1 traced $way "$app" recycle r 3
    has "graph$way: a handle that is used again at once" '^launch r .* grid=2x1x1 .* launches=3 .* api=32 '
done
FAKE_CUPTI_LACKS=650 traced "$app" disable d 5
is "where all records arrived, they are counted, not the calls of graphs" 10 "$(sum launches d)"
lacks "where all records arrived, no launch lacks its time" 'no time'
FAKE_CUPTI_LACKS=696 traced "$app" update u 4
is "records are counted after an update of a graph that CUPTI does not report" 8 "$(sum launches u)"

# --- Threads --------------------------------------------------------------------------------------

for way in '' --hooks; do
    # shellcheck disable=SC2086
    traced $way "$app" threads 64 1600 configs 3000
    is "threads$way: every launch of 64 is counted" 102400 "$(sum launches worker)"
    is "threads$way: 3000 configurations" 3000 "$(sum launches many)"
done

# --- Processes ------------------------------------------------------------------------------------

for way in '' --hooks; do
    # shellcheck disable=SC2086
    traced $way "$app" launch before 1 32 0 3 fork launch both 2 32 0 4
    is "fork$way: launches before it are counted" 3 "$(sum launches before)"
    is "fork$way: launches of both processes are counted" 8 "$(sum launches both)"
    is "fork$way: two processes are listed" 2 "$(grep -c '^process /' "$scratch/out")"
    # shellcheck disable=SC2086
    traced $way sh -c "$app launch one 1 32 0 2; exec $app launch two 1 32 0 3"
    is "launches of several programs of one command are counted$way" '2 3' "$(sum launches one) $(sum launches two)"
done

traced "$app" launch k 1 32 0 1
has "a process is listed with its command line" "^process $app launch k 1 32 0 1\$"

# --- Ends -----------------------------------------------------------------------------------------

ends() { # NAME EXIT STEP...
    ends_name=$1 ends_exit=$2
    shift 2
    traced "$app" launch k 5 32 0 6 "$@"
    has "a traced program ends by $ends_name: its exit is reported" "^exit 1 $ends_exit\$"
    is "a traced program ends by $ends_name: its launches are counted" 6 "$(sum launches k)"
}
ends "exit" '3 0' exit 3
ends "_exit" '4 0' _exit 4
has "_exit: the report says that launches have no time" '6 launches have no time: it ended before'
ends "SIGKILL" '0 9' raise 9
has "SIGKILL: the report says that launches have no time" '6 launches have no time: it ended before'
traced "$app" disable d 5 update u 4 _exit 4
is "_exit: launches of graphs as they were called" '10 8' "$(sum launches d) $(sum launches u)"
rm -f "$scratch/came"
FAKE_CUPTI_LACKS=696 FAKE_CUPTI_SHOWS=8:$scratch/came traced "$app" update u 4 \
    await "$scratch/came" update u 1 _exit 4
is "_exit: not more launches of graphs than were called" 10 "$(sum launches u)"
rm -f "$scratch/came"
FAKE_CUPTI_SHOWS=6:$scratch/came ends "_exit after the records came" '4 0' await "$scratch/came" _exit 4
has "_exit after the records came: launches have times" ' timed=6 '
ends "SIGSEGV" '0 11' crash
has "SIGSEGV: the records are fetched" ' timed=6 '
ends "abort" '0 6' raise 6
has "abort: the records are fetched" ' timed=6 '
ends "SIGTERM" '0 15' raise 15
has "SIGTERM: the records are fetched" ' timed=6 '
ends "a signal of the kernel, as Ctrl-C is" '0 5' trap launch after 1 32 0 1
is "Ctrl-C: nothing runs after it" 0 "$(sum launches after)"
for way in '' --hooks; do
    # shellcheck disable=SC2086
    traced $way "$app" launch k 5 32 0 6 reopen "$scratch/own$way" configs 3000
    has "descriptors that are closed$way: the program ends as it does" '^exit 1 0 0$'
    is "descriptors that are closed$way: the program's files are its own" 0 "$(wc -c <"$scratch/own$way")"
    is "descriptors that are closed$way: launches before are counted" 6 "$(sum launches k)"
done
ends "a handler of the program's own" '61 0' handler 11 crash
is "a handler of the program's own runs" 'own handler' "$(cat "$scratch/app_out")"

# Ctrl-C on a terminal: the program gets SIGINT once, and the report comes in any case.
smemcalc=$here/smemcalc
for way in '' --without-cupti; do
    rm -f "$scratch/ready" "$scratch/report"
    # shellcheck disable=SC2086
    "$here/tests/trace/pty" "$scratch/ready" "$smemcalc" trace $way --output "$scratch/report" -- \
        "$app" launch k 5 32 0 6 count 2 "$scratch/ready" launch after 1 32 0 1 exit 3 >"$scratch/out" 2>&1
    status=$?
    if [ $status -eq 77 ]; then
        skip "Ctrl-C on a terminal$way" "no pseudo-terminal can be opened"
        continue
    fi
    is "Ctrl-C on a terminal$way: the exit status is the program's" 3 $status
    has "Ctrl-C on a terminal$way: the program gets it once" 'received 1[^0-9]*$'
    is "Ctrl-C on a terminal$way: the report follows" 1 "$(grep -c '^7 launches of 2 kernels' "$scratch/report")"
    rm -f "$scratch/ready" "$scratch/report"
    # shellcheck disable=SC2086
    "$here/tests/trace/pty" "$scratch/ready" "$smemcalc" trace $way --output "$scratch/report" -- \
        sh -c "$app launch k 5 32 0 6; : >$scratch/ready; exec sleep 300" >"$scratch/out" 2>&1
    is "Ctrl-C that ends the program$way: the exit status" 130 $?
    is "Ctrl-C that ends the program$way: the report" 1 "$(grep -c '^6 launches of' "$scratch/report")"
done

# --- What passes through --------------------------------------------------------------------------

traced "$app" write 3000000
is "3 MB of a traced program's output pass through" 3000001 "$(wc -c <"$scratch/app_out")"
is "nothing is added to a traced program's standard error" '' "$(cat "$scratch/app_err")"
traced "$here/no-such-program"
is "a traced program that is not there: the status" 2 $?
has "a traced program that is not there is named" "'$here/no-such-program' cannot be run: No such file"
printf 'line\n' | "$here/tests/trace/traced" cat >"$scratch/app_out" 3>"$scratch/out"
is "standard input passes through to a traced program" line "$(cat "$scratch/app_out")"
has "a program without CUDA is reported as one" 'no process of the program started CUDA'

# --- CUPTI that is old, absent, refuses or loses --------------------------------------------------

for version in 13 14 15 16 17 18 22 28; do
    FAKE_CUPTI_VERSION=$version traced "$app" cluster c 8 64 4 launch k 3 32 16 2
    has "CUPTI $version: records" '^launch k .* cluster=0x0x0 .* dynamic=16 .* timed=2 total=6 .* api=32 '
    is "CUPTI $version: clusters" 1 "$(sum timed c)"
done
has "an older release of CUPTI has its name" '^tool CUPTI 12.9$'
FAKE_CUPTI_DROPS=7 traced "$app" launch k 1 32 0 1
has "records that CUPTI dropped are noted" 'CUPTI dropped 7 records'
FAKE_CUPTI_REFUSES=1 traced "$app" launch k 1 32 0 1
has "a refusal by CUPTI is noted" 'was not recorded: cuptiSubscribe: CUPTI_ERROR_MULTIPLE'
FAKE_CUPTI_REFUSES=1 SMEMCALC_TRACE_MODE=auto traced "$app" launch k 1 32 0 1
has "where CUPTI refuses, the hooks count launches" '^launch k .* launches=1 .* timed=0 '
SMEMCALC_TRACE_MODE=auto traced "$app" launch k 1 32 0 1
has "where CUPTI works, the hooks are idle" '^launch k .* launches=1 .* timed=1 '
SMEMCALC_CUPTI=/nonexistent traced "$app" launch k 1 32 0 3
has "no CUPTI: the reason is reported" 'without CUPTI .no CUPTI of CUDA 11 or later was found.: launches were counted'
has "no CUPTI: the hooks count" '^launch k .* launches=3 .* timed=0 '
CUDA_INJECTION64_PATH=/other.so traced "$app" launch k 1 32 0 3
is "another tool's injected library: the status" 2 $?
has "another tool's injected library is named" 'CUDA_INJECTION64_PATH is already set to /other.so'

# --- Parts ----------------------------------------------------------------------------------------

for way in '' --hooks; do
    # shellcheck disable=SC2086
    traced $way --skip 3 --count 4 "$app" launch a 1 32 0 5 launch b 1 32 0 5
    is "skip and count$way, in the order of launches" '2 2' "$(sum launches a) $(sum launches b)"
    has "skip and count$way: what is left out" '^skipped 6$'
    # The program launches b only after the report has come. On a slow machine a launch of a may come
    # after a short duration.
    for duration in 300 3000 30000; do
        rm -f "$scratch/go" "$scratch/out"
        # shellcheck disable=SC2086
        traced $way --duration $duration "$app" launch a 1 32 0 5 await "$scratch/go" \
            launch b 1 32 0 5 exit 7 &
        await $! grep -q '^course' "$scratch/out"
        cp "$scratch/out" "$scratch/report"
        : >"$scratch/go"
        wait $!
        [ "$(sum launches a)" -ne 5 ] || break
    done
    has "duration$way: the program ends as it does" '^afterwards 1 7 0$'
    cp "$scratch/report" "$scratch/out"
    has "duration$way: the report comes although the program goes on" '^course'
    is "duration$way: with its records" '5 0' "$(sum launches a) $(sum launches b)"
    rm -f "$scratch/go"
    # shellcheck disable=SC2086
    traced $way --duration 600000 "$app" launch a 1 32 0 5 exit 6
    has "a longer duration$way ends with the program" '^exit 1 6 0$'
done
traced --kernel 'b*' "$app" launch a 1 32 0 5 launch b 1 32 0 6
is "--kernel counts only the kernels that match" '0 6' "$(sum launches a) $(sum launches b)"

# --- Machine code ---------------------------------------------------------------------------------

traced --keep "$scratch/kept/deep" "$app" module first module second module first unload launch k 1 32 0 1
is "modules are kept once" 2 "$(find "$scratch/kept/deep" -name '*.cubin' | wc -l)"
is "no other files are kept with modules" 2 "$(find "$scratch/kept/deep" -type f | wc -l)"

set --
for module in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    set -- "$@" module same module "other $module"
done
FAKE_CUPTI_VERSION=22 traced --keep "$scratch/kept/many" sh -c "ulimit -f 200; exec \"\$@\"" sh "$app" module large "$@" launch k 1 32 0 3
has "a module beyond the limit of file sizes does not end the program" '^exit 1 0 0$'
has "a module beyond the limit of file sizes is noted" 'the machine code of 1 module could not be kept'
is "modules besides one beyond the limit of file sizes are kept" 21 "$(find "$scratch/kept/many" -type f -name '*.cubin' | wc -l)"
is "modules that are kept are named once each" 21 "$(grep -c '^module ' "$scratch/out")"
is "launches after a module that cannot be kept are counted" 3 "$(sum timed k)"
for folder in /proc "$scratch/app_out/deep" "$scratch/app_out"; do
    rm -f "$scratch/ran"
    traced --keep "$folder" "$app" launch k 1 32 0 1 reopen "$scratch/ran"
    is "modules cannot be kept in ${folder#"$scratch/"}: the status" 2 $?
    has "modules cannot be kept in ${folder#"$scratch/"}" "option --keep-modules: .*$folder.*:"
    is "modules cannot be kept in ${folder#"$scratch/"}: the program is not run" no "$([ -e "$scratch/ran" ] && echo yes || echo no)"
done

# --- Paths with blanks ----------------------------------------------------------------------------

mkdir "$scratch/a b:c" && cp "$here/.libs/libsmemcalc_trace.so" "$scratch/a b:c/"
for way in '' --hooks; do
    # shellcheck disable=SC2086
    SMEMCALC_TRACE_LIBRARY="$scratch/a b:c/libsmemcalc_trace.so" traced $way "$app" launch k 1 32 0 4
    is "a library in a folder with a blank$way" 4 "$(sum launches k)"
    is "a library in a folder with a blank$way: the loader prints nothing" '' "$(cat "$scratch/app_err")"
done
TMPDIR="$scratch/a b:c" SMEMCALC_TRACE_LIBRARY="$scratch/a b:c/libsmemcalc_trace.so" \
    traced --hooks "$app" launch k 1 32 0 4
is "no folder without a blank for the library: the status" 3 $?
has "no folder without a blank for the library is reported" 'LD_PRELOAD separates paths by blanks and colons'

# --- The library beside the program ---------------------------------------------------------------

# The two alone in a folder, as `make gpu-bundle` makes it; a link to the program elsewhere.
mkdir "$scratch/carried" "$scratch/links"
cp "$here/smemcalc" "$here/.libs/libsmemcalc_trace.so" "$scratch/carried"
ln -s "$scratch/carried/smemcalc" "$scratch/links/smemcalc"
for program in carried/smemcalc links/smemcalc; do
    (unset SMEMCALC_TRACE_LIBRARY && cd "$scratch/links" &&
        exec "$scratch/$program" trace --format json -- "$app" launch beside 1 32 0 4) \
        >"$scratch/app_out" 2>"$scratch/out"
    is "the library beside $program records its launches: status" 0 $?
    has "the library beside $program records its launches" '"launches": 4,'
done
# shellcheck disable=SC2016 # for the traced program
(unset SMEMCALC_TRACE_LIBRARY &&
    "$scratch/carried/smemcalc" trace --without-cupti -- sh -c 'echo "$LD_PRELOAD" >&3' 3>"$scratch/out" >/dev/null 2>&1)
is "the library beside the program is used, not another" \
    "$(cd "$scratch/carried" && pwd -P)/libsmemcalc_trace.so" "$(cat "$scratch/out")"

# --- No space -------------------------------------------------------------------------------------

TMPDIR=/nonexistent traced "$app" launch k 1 32 0 1
is "no folder for records: the status" 4 $?
has "no folder for records is reported" '/nonexistent: no folder for the records'
traced sh -c "ulimit -f 600; exec $app configs 3000"
has "a limit of file sizes that cuts records is reported" 'launches found no space in the file of records'
has "a limit of file sizes that cuts records does not end the program" '^exit 1 0 0$'
is "no file of a trace stays" '' "$(ls -A "$scratch/tmp")"

finish_cases
