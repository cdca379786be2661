#!/bin/sh
# smemcalc doctor: each subject present, missing and failing, with fake drivers, libraries and tools;
# nothing that hangs or crashes stops it; the commands that fix what is wrong work. And --version --verbose. Run in
# the build folder.
# Words are split on purpose:
# shellcheck disable=SC2086

set -u
fake=$PWD/tests/gpu/fake_smemcalc
pty=$PWD/tests/trace/pty
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"

command -v jq >/dev/null || { skip "doctor" "there is no jq"; finish_cases; }
unset CUDA_VISIBLE_DEVICES
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0" # a crash ends by its signal there, too

# The report of `program` in `out` and its exit status in `seen`; standard error is to be empty.
examine() { # ARGUMENT...
    "$program" doctor --format json "$@" >out 2>err
    seen=$?
}

# The same with a time limit that is doubled until this machine comes to what hangs within it,
# whatever else runs. The limit is in $limit.
examine_hanging() { # COMMAND that tells whether it came to that
    limit=250
    until examine --timeout $limit; eval "$1" || [ $limit -gt 60000 ]; do
        limit=$((2 * limit))
    done
}

# What the last report says of a subject; the exit status follows from its rows.
says() { # NAME STATE SUBJECT PATTERN
    empty "$1" "$(
        [ ! -s err ] || { echo "on standard error:"; cat err; }
        [ "$(jq .healthy out)" = "$([ $seen -eq 0 ] && echo true || echo false)" ] &&
            [ $seen -le 1 ] || echo "exit status $seen"
        jq -r --arg state "$2" --arg subject "$3" \
            '.checks[] | select(.state == $state and .subject == $subject) | .found' out 2>&1 |
            grep -Eq -- "$4" || { echo "no $2 $3: $4"; jq -c '.checks[]' out 2>&1; })"
}
mends() { # SUBJECT: its command
    jq -r --arg subject "$1" '[.checks[] | select(.subject == $subject and .mend)][0].mend' out
}
is_broken() { # NAME: something is, so the exit status is 1
    empty "$1" "$([ $seen -eq 1 ] || { echo "exit status $seen"; jq -c '.checks[]' out; })"
}
is_healthy() { # NAME
    empty "$1" "$([ $seen -eq 0 ] || { echo "exit status $seen"; jq -c '.checks[]' out; })"
}

# --- This machine -----------------------------------------------------------------------------------

examine
is_healthy "what a program needs is here"
empty "every subject has a row" "$(for subject in system driver nvcc ptxas cache ceilings \
    'temporary files' terminal locale libraries NVRTC; do
    jq -e --arg s "$subject" 'any(.checks[]; .subject == $s)' out >/dev/null || echo "$subject"
done)"
empty "a folder for the cache is tried and not left" "$([ ! -e cache ] || ls -d cache)"
says "the cache is told" ok cache "^$scratch/cache: writable, [0-9]+ entries"
smemcalc doctor >text
empty "the text has a line for each row, in columns" "$(sed -n '3,/^$/p' text |
    grep -Ev '^((ok      |note    |broken  )[a-zA-Z0-9+ ]{16}[^ ].*)?$')"
empty "the text has as many lines as there are checks" "$(
    lines=$(sed -n '3,/^$/p' text | grep -c .)
    [ "$lines" -eq "$(jq '.checks | length' out)" ] || echo "$lines lines")"
smemcalc doctor --format csv >rows.csv
empty "CSV has a line for each check" "$([ "$(wc -l <rows.csv)" -gt "$(jq '.checks | length' out)" ] || cat rows.csv)"
SMEMCALC_PROGRAM=./quickstart smemcalc doctor --format json >quick
empty "the commands that mend begin as the program was called" "$(jq -r '.checks[].mend' quick | grep -w smemcalc)"

# --- Folders and files ------------------------------------------------------------------------------

: >file
SMEMCALC_CACHE_DIR=$scratch/file/cache examine
says "a cache that cannot be made" broken cache 'Not a directory: every run compiles anew'
is_broken "a cache that cannot be made is exit status 1"
empty "the command for a cache that cannot be made mends it" "$(
    eval "$(mends cache | sed "s,/tmp/,$scratch/,")"
    "$program" doctor >mended 2>&1 || cat mended)"
SMEMCALC_CACHE_DIR='' XDG_CACHE_HOME='' HOME='' examine
says "no folder for a cache" broken cache 'name no folder'
TMPDIR=/nowhere examine
says "a missing temporary folder" broken 'temporary files' '^/nowhere: No such file'

printf '{"schema": 1' >ceilings.json
examine
says "doctor tells of damaged ceilings" broken ceilings 'ceilings.json.*'
eval "$(mends ceilings)"
examine
is_healthy "the command for damaged ceilings moves them away"
empty "damaged ceilings are kept under another name" "$([ -f ceilings.json.damaged ] || ls)"
SMEMCALC_CEILINGS='' XDG_CONFIG_HOME='' HOME='' examine
says "no folder for ceilings" broken ceilings 'give no place for'
empty "without a folder for ceilings there is no command" "$(mends ceilings | grep -v '^null$')"
touch "a user's ceilings"
SMEMCALC_CEILINGS="$scratch/a user's ceilings" examine
says "an empty file of ceilings" broken ceilings "a user's ceilings"
eval "$(mends ceilings)"
empty "a name with a quote is one word of its command" "$([ -f "a user's ceilings.damaged" ] || ls)"

# --- The locale, fonts, the terminal -----------------------------------------------------------------

LC_ALL=xx_XX.UTF-8 examine
says "a locale that is not installed" note locale '^xx_XX.UTF-8 is not installed'
LC_ALL=C examine
says "a locale without UTF-8" note locale '^C: not UTF-8'
empty "the command for a locale without UTF-8" "$([ "$(mends locale)" = 'export LC_ALL=C.UTF-8' ] || mends locale)"
if [ "$(LC_ALL=C.UTF-8 locale charmap 2>/dev/null)" = UTF-8 ]; then
    LC_ALL=C.UTF-8 examine
    says "a locale with UTF-8" ok locale '^C.UTF-8: UTF-8$'
    LC_ALL='' LC_CTYPE='' LANG=C.UTF-8 examine
    says "a locale with UTF-8 by LANG" ok locale '^C.UTF-8: UTF-8$'
else
    skip "a locale with UTF-8" "there is none"
fi
if jq -e 'any(.checks[]; .subject == "fonts")' out >/dev/null; then
    echo '<?xml version="1.0"?><fontconfig></fontconfig>' >no-fonts.conf
    FONTCONFIG_FILE=$scratch/no-fonts.conf examine
    says "doctor notes that there are no fonts" note fonts '^none'
    is_healthy "no fonts is only a note"
    mkdir damaged
    echo "no library" >damaged/libcairo.so.2
    LD_LIBRARY_PATH=$scratch/damaged examine
    says "doctor notes that cairo cannot be loaded" note cairo '^cannot be loaded'
    empty "the command for cairo names its package" "$(mends cairo | grep -v libcairo2)"
    LD_LIBRARY_PATH=$scratch/damaged smemcalc --threads 256 --plot cairo.svg >out 2>err
    code=$?
    empty "a picture without cairo is refused" "$([ $code -eq 3 ] || echo "exit status $code"
        grep -q '^smemcalc: option --plot: cairo cannot be loaded' err || cat err)"
    LD_LIBRARY_PATH=$scratch/damaged smemcalc --threads 256 >out 2>err
    code=$?
    empty "without a picture cairo is not loaded" "$([ $code -eq 0 ] || cat err)"
else
    says "doctor notes that pictures are not built in" note cairo '^not built in'
fi

# --- nvcc ----------------------------------------------------------------------------------------------

mkdir tools
printf '#!/bin/sh\necho "Cuda compilation tools, release 12.4, V12.4.131"\n' >tools/nvcc
printf '#!/bin/sh\nexit 1\n' >tools/ptxas
chmod +x tools/nvcc tools/ptxas
PATH=$scratch/tools:$PATH examine
says "an nvcc that works" ok nvcc "^12.4 \($scratch/tools/nvcc\)"
says "a ptxas that fails" broken ptxas 'does not answer'
TMPDIR=/nowhere PATH=$scratch/tools:$PATH examine
says "an nvcc that has no temporary folder" broken nvcc 'cannot be run: .*/nowhere'
printf '#!/bin/sh\necho $$ >%s/pid\nwhile :; do sleep 0.1; done\n' "$scratch" >tools/nvcc
PATH=$scratch/tools:$PATH examine_hanging '[ -s pid ]'
says "an nvcc that hangs" broken nvcc "no answer within $limit ms"
# A process that has ended may wait for its parent to notice.
runs() { # PID
    kill -0 "$1" 2>/dev/null && ! grep -q '^[0-9]* (.*) Z' "/proc/$1/stat" 2>/dev/null
}
empty "an nvcc that hangs is ended" "$([ -s pid ] || echo "it did not start"
    for _ in 1 2 3 4 5 6 7 8 9 10; do runs "$(cat pid)" && sleep 1; done
    runs "$(cat pid)" && echo "it runs")"
PATH=/usr/bin:/bin CUDA_HOME=/nowhere examine
if [ -x /usr/bin/nvcc ]; then
    skip "no nvcc" "/usr/bin has one"
else
    says "doctor notes that there is no nvcc" note nvcc '^none'
fi

# --- NVRTC ---------------------------------------------------------------------------------------------

SMEMCALC_NVRTC=/nowhere/libnvrtc.so examine
says "an NVRTC that is not there" broken NVRTC '^SMEMCALC_NVRTC: .*/nowhere'
empty "the command for an NVRTC that is not there" "$([ "$(mends NVRTC)" = 'unset SMEMCALC_NVRTC' ] || mends NVRTC)"

others='jq -e "any(.checks[]; .subject == \"cache\" and .state == \"ok\")" out >/dev/null'
cat >fake.c <<'SOURCE'
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int is(const char *word) { return strcmp(getenv("FAKE_NVRTC"), word) == 0; }
int nvrtcVersion(int *major, int *minor)
{
    if (is("crashes"))
        abort();
    while (is("hangs"))
        sleep(1);
    *major = 99;
    *minor = 1;
    return is("fails");
}
int nvrtcGetNumSupportedArchs(int *count) { return *count = 1, 0; }
int nvrtcGetSupportedArchs(int *archs) { return *archs = 90, 0; }
int nvrtcCreateProgram(void) { return is("empty"); }
int nvrtcDestroyProgram(void) { return 0; }
int nvrtcCompileProgram(void) { return 0; }
int nvrtcGetProgramLogSize(void) { return 1; }
int nvrtcGetProgramLog(void) { return 1; }
int nvrtcGetCUBINSize(void *program, size_t *bytes) { return *bytes = 4, program != NULL && is("empty"); }
int nvrtcGetCUBIN(void *program, char *cubin) { return memcpy(cubin, "code", 4), program == cubin; }
int nvrtcGetPTXSize(void) { return 1; }
int nvrtcGetPTX(void) { return 1; }
SOURCE
# CC may be several words.
if ${CC:-cc} -w -shared -fPIC -o fake.so fake.c 2>/dev/null; then
    export SMEMCALC_NVRTC="$scratch/fake.so" FAKE_NVRTC
    FAKE_NVRTC=works examine
    empty "an NVRTC is described" "$(jq -r '.checks[] | select(.subject == "NVRTC") | .found' out |
        grep -q '^99.1, compiles for CC 9.0 to 9.0' || jq -c '.checks[]' out)"
    if env -u SMEMCALC_NVRTC "$program" --tile 8 --device 9.0 | grep -q '(NVRTC '; then
        skip "what is lacking of the table" "another NVRTC has it"
    else
        says "an NVRTC that lacks compute capabilities of the table is noted" note NVRTC 'but not for 7.5, which smemcalc knows'
    fi
    FAKE_NVRTC=empty examine
    says "an NVRTC that compiles nothing" broken NVRTC '^99.1 .*: it compiles no kernel'
    is_broken "an NVRTC that compiles nothing is exit status 1"
    # As on a fresh Debian 12: what pip needs is not there yet, nor the file by which it refuses.
    mkdir fresh
    printf '#!/bin/sh\n' >fresh/apt-get
    chmod +x fresh/apt-get
    VIRTUAL_ENV='' CONDA_PREFIX='' PATH=$scratch/fresh FAKE_NVRTC=empty examine
    empty "the command that installs NVRTC where pip is not installed" "$(mends NVRTC | grep -Ev \
        '^(sudo )?apt-get update && (sudo )?apt-get install -y --no-install-recommends python3-pip && PIP_BREAK_SYSTEM_PACKAGES=1 python3 -m pip install --user nvidia-cuda-nvrtc$')"
    FAKE_NVRTC=fails examine
    says "an NVRTC that fails" broken NVRTC 'does not describe itself'
    FAKE_NVRTC=crashes examine
    says "an NVRTC that crashes" broken NVRTC '^crashed while it was tried: Aborted'
    FAKE_NVRTC=hangs examine_hanging "$others"
    says "an NVRTC that hangs" broken NVRTC "^no answer within $limit ms"
    says "an NVRTC that hangs does not keep others from being examined" ok cache writable
    unset SMEMCALC_NVRTC
else
    skip "fake NVRTCs" "no C compiler"
fi

# --- The driver and its GPUs ------------------------------------------------------------------------------

on_fake() { # WORDS-FOR-THE-FAKE ARGUMENT...
    words=$1
    shift
    export FAKE_GPU="$words"
    program=$fake examine "$@"
    unset FAKE_GPU
}

if [ -x "$fake" ]; then
    on_fake well
    says "a driver that works" ok driver 'for CUDA 12.4; 1 GPU$'
    says "a GPU that works" ok GPU '^0: NVIDIA H200, CC 9.0, 132 SMs, '
    says "counters that are not permitted" note counters 'profiling is not permitted'
    is_healthy "counters that are not permitted are only a note"
    FAKE_COUNTS='1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16' on_fake 'two'
    says "counters that are permitted" ok counters 'CUPTI may read those of GPU 1'
    on_fake driverless
    says "doctor notes that there is no driver" note driver .
    is_healthy "no driver is only a note"
    on_fake none
    says "a driver without a GPU" note driver 'finds none'
    for word in outdated:driver:'is for CUDA 12.4, this program needs' \
        prohibited:GPU:'compute mode Prohibited' busy:GPU:'another process' \
        damaged:GPU:'memory is damaged' lost:GPU:'fallen off the bus'; do
        pattern=${word#*:}
        on_fake "${word%%:*}"
        says "doctor tells of a GPU that is ${word%%:*}" broken "${pattern%%:*}" "${pattern#*:}"
        is_broken "doctor with a GPU that is ${word%%:*} is exit status 1"
    done
    export FAKE_GPU=stuck
    program=$fake examine_hanging "$others"
    unset FAKE_GPU
    says "a driver that hangs" broken driver "^no answer within $limit ms"
    says "a driver that hangs does not keep others from being examined" ok cache writable
    on_fake bursts
    says "a driver that crashes" broken driver '^crashed while it was tried: Segmentation fault'
else
    skip "fake drivers" "no fake GPU in this build"
fi

# Linux's /proc/driver as NVIDIA's module fills it. A date has numbers, too.
cat >version <<'END'
NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (dvs-builder@U22-I3)  Tue Sep 23 10:11:16 UTC 2025
GCC version:  gcc version 12.2.0 (Debian 12.2.0-14+deb12u1)
END
# shellcheck disable=SC2016 # the words are the inner shell's
with_module='mount -t tmpfs none /proc/driver && mkdir /proc/driver/nvidia &&
    cp version /proc/driver/nvidia && exec "$@"'
if unshare -rm sh -c "$with_module" sh true 2>/dev/null; then
    unshare -rm sh -c "$with_module" sh "$program" doctor --format json >out
    empty "the release of the kernel module" "$(jq -r '.checks[] | select(.subject == "driver").found' out |
        grep -vE '(^|module )580\.95\.05[,;]')"
else
    skip "the release of the kernel module" "no mounts and namespaces here"
fi

# --- The terminal -------------------------------------------------------------------------------------------

says_on_terminal() { # NAME PATTERN
    "$pty" "$scratch/never" "$program" doctor >text 2>&1
    empty "$1" "$(tr -d '\r' <text | grep -Eq "$2" || cat text)"
}
if [ -x "$pty" ]; then
    TERM=no-such-terminal says_on_terminal "a terminal that is not described" \
        '^note +terminal +TERM=no-such-terminal is not described'
    empty "the command for a terminal that is not described" "$(tr -d '\r' <text |
        grep -q '^  terminal  *export TERM=xterm-256color$' || cat text)"
    of_size() { # ROWS COLUMNS NAME PATTERN: on an xterm of this size
        TERM=xterm "$pty" "$scratch/never" sh -c "stty rows $1 cols $2; exec \"\$0\" doctor" \
            "$program" >text 2>&1
        empty "$3" "$(tr -d '\r' <text | grep -Eq "$4" || cat text)"
    }
    of_size 24 80 "a terminal without colours" \
        '^ok +terminal +xterm, 80 x 24, no colours \(NO_COLOR\)$'
    of_size 10 40 "a terminal that is too small" '^note +terminal +xterm, 40 x 10: the explorer needs'
    empty "the command for a terminal that is too small" "$(tr -d '\r' <text | grep -q '^  terminal  *resize -s ' || cat text)"
    unset NO_COLOR
    of_size 30 100 "a terminal with colours" 'ok +terminal +xterm, 100 x 30, colours$'
    export NO_COLOR=1
else
    skip "terminals" "no tests/trace/pty in this build"
fi

# --- --version --verbose --------------------------------------------------------------------------------------

smemcalc --version --verbose >version
first=$(smemcalc --version)
empty "--version --verbose begins like --version" "$([ "$(head -n 1 version)" = "$first" ] || cat version)"
empty "--version --verbose has what a report needs" "$(for label in compiler hardening libraries system driver NVRTC; do
    grep -q "^$label  *[^ ]" version || echo "$label"
done)"
empty "--version --verbose has few lines" "$([ "$(wc -l <version)" -le 20 ] || cat version)"
if commit=$(git -C "$here" rev-parse --short=12 HEAD 2>/dev/null) && [ -e "$here/../.git" ]; then
    empty "--version --verbose has the commit" "$(grep -Eq "^commit +[0-9a-f]{12}(-dirty)?$" version ||
        { echo "$commit"; cat version; })"
fi
refuses 2 "option --verbose: only with --version, and for merge, inspect and trace" --tile 32 --verbose

# --- The distribution ---------------------------------------------------------------------------------

# As /etc/os-release names it, in quotation marks of either kind or in none.
own_mounts="unshare $([ "$(id -u)" = 0 ] && echo -m || echo -rm)" # COMMAND
touch os-release
if $own_mounts mount --bind os-release /etc/os-release 2>/dev/null; then
    while IFS=@ read -r line shown; do
        printf 'ID=some\n%s\nPRETTY_NAMES=none\n' "$line" >os-release
        # shellcheck disable=SC2016 # the inner shell's
        $own_mounts sh -c 'mount --bind os-release /etc/os-release && "$1" doctor --format json' \
            sh "$program" >out 2>err </dev/null
        seen=$?
        says "the distribution of $line" ok system "$shown"
    done <<'END'
PRETTY_NAME="Some Linux 7 (it)"@, Some Linux 7 [(]it[)]$
PRETTY_NAME='Some Linux 7 (it)'@, Some Linux 7 [(]it[)]$
PRETTY_NAME=Some@, Some$
NAME=other@^Linux [^,]*$
END
else
    skip "names of distributions" "nothing can be mounted here"
fi

finish_cases
