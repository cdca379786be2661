#!/bin/sh
# inspect on projects: folders, compile_commands.json, logs of parallel builds, several files of
# which some fail. Run in the build folder.

set -u
export LC_ALL=C NO_COLOR=1 SMEMCALC_PROGRAM=smemcalc
unset SMEMCALC_NVRTC SMEMCALC_CACHE_DIR

here=$(cd "$(dirname "$0")" && pwd) || exit 99
program=$PWD/smemcalc
# shellcheck source=tests/cases.sh
. "$here/cases.sh"

[ -x "$program" ] || { echo "inputs.sh: no ./smemcalc here" >&2; exit 77; }
scratch=$(mktemp -d) && scratch=$(cd "$scratch" && pwd -P) || exit 99
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
export SMEMCALC_CACHE_DIR="$scratch/cache" TMPDIR="$scratch/tmp"
mkdir "$scratch/tmp" "$scratch/work" && cd "$scratch/work" || exit 99
data=$here/data/inspect
# shellcheck source=tests/toolkit.sh
. "$here/toolkit.sh"

# Runs inspect with CSV to the file `out` and messages to `err`; compares the exit status and what
# the columns file and registers say, sorted.
reads() { # NAME STATUS FILE:REGISTERS... -- ARGUMENT...
    name=$1 wanted=$2
    shift 2
    : >expected
    while [ "$1" != -- ]; do
        echo "$1" >>expected
        shift
    done
    shift
    "$program" inspect "$@" --format csv >out 2>err </dev/null
    status=$?
    sed '1d; s/"[^"]*"/NAME/; s/^\([^,]*\),[^,]*,[^,]*,\([0-9]*\),.*/\1:\2/' out | sort >got
    empty "$name" "$(
        [ "$status" -eq "$wanted" ] || { echo "exit status $status, not $wanted"; cat err; }
        sort expected | diff - got)"
}

says() { # NAME LINE: a line of the last message
    empty "$1" "$(grep -qxF -e "smemcalc: $2" err || { echo "missing: $2"; cat err; })"
}

# --- Folders --------------------------------------------------------------------------------------

mkdir -p tree/a/.hidden tree/b tree/.git none
cp "$data/own-sm90.cubin" tree/a/one.cubin && cp "$data/own-sm90.cubin" tree/a/.hidden/ &&
    cp "$data/own-sm90.cubin" tree/.git/ && cp "$data/own-sm75.cubin" tree/b/two.cubin || exit 99
cp "$data/own.cu" tree/b/two.cu || exit 99
ln -s .. tree/b/loop && ln -s nowhere tree/b/dangling && echo text >tree/readme.txt
echo 'int x;' >none/x.c
one='tree/a/one.cubin:14 tree/a/one.cubin:32 tree/a/one.cubin:10'
two=$("$program" inspect tree/b/two.cubin --format csv 2>/dev/null |
    sed '1d; s/"[^"]*"/NAME/; s/^\([^,]*\),[^,]*,[^,]*,\([0-9]*\),.*/\1:\2/')
# shellcheck disable=SC2086
reads "a folder is walked; hidden names, loops and links to nothing are passed" 0 $one $two -- tree
says "a source whose code is there is left out, in one note" "note: tree: 1 source left out, because \
compiled code or a file that includes it is there; name a file to have it compiled"
says "files without kernels are counted" "note: 1 file without kernels skipped"
# shellcheck disable=SC2086
reads "a folder and a file in it are read once" 0 $one $two -- tree tree/a/one.cubin tree/a tree
reads "a folder without kernels is a failure" 2 -- none
says "a folder without kernels is named with the number of its files" "none: no file with kernels in this folder (1 file)"
cp "$data/own-sm90.cubin" tree/b/three.cubin && cp "$data/own-sm90.ptxas" tree/b/make.log || exit 99
# shellcheck disable=SC2086
reads "what several files of a folder hold is listed once" 0 $one $two -- tree
empty "a log and machine code complete each other" "$(
    grep -q '^tree/a/one.cubin,spilling,compute capability 9.0,32,352,380,.*,1024,launch_bounds' out ||
        cat out)"
mkdir same && cp "$data/own-sm90.cubin" same/1 && cp same/1 same/2 && cp same/1 same/3 || exit 99
reads "three files of a folder that are the same are one" 0 same/1:14 same/1:32 same/1:10 -- same
says "the kernels of the two others are counted" "note: same: 6 kernels that several files hold with the same \
results are listed once"
head -c 900 "$data/own-sm90.cubin" >tree/b/cut.cubin
# shellcheck disable=SC2086
reads "a damaged file of a folder is reported, the rest is answered" 2 $one $two -- tree
empty "a damaged file of a folder is named" "$(grep -q '^smemcalc: tree/b/cut.cubin: ' err || cat err)"
rm tree/b/cut.cubin
if [ "$(id -u)" -eq 0 ]; then
    skip "a folder that may not be read is reported" "root may read all"
else
    chmod 000 tree/a
    # shellcheck disable=SC2086
    reads "a folder that may not be read is reported" 2 $two -- tree
    chmod 755 tree/a
fi

# --- Several files --------------------------------------------------------------------------------

# shellcheck disable=SC2086
reads "files that fail are a line each, the rest is answered" 2 $one -- \
    tree/a/one.cubon none/x.c tree/a/one.cubin missing
says "a missing file with a similar neighbour proposes it" \
    "tree/a/one.cubon: No such file or directory; did you mean 'tree/a/one.cubin'?"
says "a missing file is named" "missing: No such file or directory"
empty "three files that fail are three lines" "$([ "$(grep -c . err)" -eq 3 ] || cat err)"
ln -s nowhere link
reads "a link to nothing is an error" 2 -- link
says "a link to nothing does not propose itself" "link: No such file or directory"
mkdir many
for hundred in 0 1 2 3 4 5 6 7 8 9; do
    # shellcheck disable=SC2046 # a hundred names
    tee $(seq -f "many/$hundred%02g.cubin" 0 99) <"$data/own-sm90.cubin" >tee_out
done
# shellcheck disable=SC3045 # where a shell lacks it the test fails
(ulimit -n 32 && "$program" inspect many/*.cubin --format csv >out 2>err)
status=$?
empty "a thousand files do not exhaust descriptors" "$(
    [ "$status" -eq 0 ] || echo "exit status $status"
    [ "$(wc -l <out)" -eq 3001 ] || wc -l <out
    cat err)"

# --- Thin archives --------------------------------------------------------------------------------

mkdir -p thin/objects && cp "$data/own-sm90.cubin" thin/objects/kernels.o && echo host >thin/host.o
{
    printf '!<thin>\n%-48s%-10s`\nobjects/kernels.o/\nhost.o/\nmissing.o/\n' // 38
    printf '%-48s%-10s`\n' /0 14696 /19 5 /27 100
} >thin/lib.a
reads "a thin archive with a missing member is an error" 2 thin/objects/kernels.o:10 thin/objects/kernels.o:14 \
    thin/objects/kernels.o:32 -- thin/lib.a
empty "the members of a thin archive are read" "$([ "$(grep -c '^thin/objects/kernels.o,' out)" -eq 3 ] || cat out)"
says "a missing member of a thin archive is named" "thin/lib.a: its member thin/missing.o: No such file or directory"
"$program" best thin/lib.a >out 2>err
says "a member of a thin archive from another folder is named" \
    "thin/lib.a: a thin archive, which only names its members: name one of them"

# --- compile_commands.json ------------------------------------------------------------------------

mkdir -p 'my project/inc' 'my project/out'
cp "$data/own-sm90.cubin" 'my project/out/a.o' && echo '__global__ void a() {}' >'my project/a.cu'
printf '#include "size.h"\n__global__ void own(float *p)\n{\n    __shared__ float s[SIZE SECOND];\n    s[threadIdx.x] = p[1];\n    __syncthreads();\n    p[0] = s[2];\n}\n' \
    >'my project/b.cu'
echo '#define SIZE 100' >'my project/inc/size.h'
touch -t 202001010000 'my project/a.cu'
cat >compile_commands.json <<EOF
[{"directory": "$PWD/my project/out", "file": "../a.cu",
  "arguments": ["/usr/bin/nvcc", "-arch=sm_90", "-c", "../a.cu", "-o", "a.o"]},
 {"directory": "$PWD/my project/out", "file": "../b.cu", "output": "b.o",
  "command": "nvcc -I../inc '-DSECOND= + 20' -D\"UNUSED=\\\\\"x y\\\\\"\" --generate-code=arch=compute_80,code=[compute_80,sm_80] -MD -MT b.o -MF b.d -x cu -c ../b.cu -o b.o"},
 {"directory": "$PWD", "file": "x.c", "command": "gcc -c x.c"}]
EOF
"$program" inspect compile_commands.json --format csv >out 2>err
status=$?
cp out compiled.csv
if grep -q -e 'nvcc.* neither on PATH' -e 'no NVRTC was found' err; then
    skip "a source is compiled with the options of its entry" "no compiler"
    wanted=3
else
    empty "a source is compiled with the options of its entry, for its architecture" "$(
        grep -q '^my project/out/../b.cu,own(float\*),compute capability 8.0,[0-9]*,[0-9]*,[0-9]*,480,' out ||
            cat out err)"
    wanted=0
fi
case $("$program" --tile 8 --device 9.0 --format json 2>/dev/null) in
*'"nvrtc '*)
    PATH=/usr/bin:/bin CUDA_HOME=/nowhere CUDA_PATH=/nowhere \
        "$program" inspect compile_commands.json --format csv >by_nvrtc 2>err2
    empty "without nvcc, NVRTC compiles a source with the options of its entry" "$(
        grep -q '^my project/out/../b.cu,own(float\*),compute capability 8.0,[0-9]*,[0-9]*,[0-9]*,480,' by_nvrtc ||
            cat by_nvrtc err2)" ;;
*) skip "without nvcc, NVRTC compiles a source with the options of its entry" "no NVRTC" ;;
esac
cat >targets.json <<EOF
[{"directory": "$PWD/my project/out", "file": "../b.cu", "command": "nvcc -arch=sm_80 -DSECOND= -I../inc -c ../b.cu -o a.dir/b.o"},
 {"directory": "$PWD/my project/out", "file": "../b.cu", "command": "nvcc -arch=sm_80 -DSECOND=*2 -I../inc -c ../b.cu -o b.dir/b.o"},
 {"directory": "$PWD/my project/out", "file": "../b.cu", "command": "nvcc -arch=sm_80 -DSECOND=*3 -I../inc -c ../b.cu"}]
EOF
PATH=/usr/bin:/bin CUDA_HOME=/nowhere CUDA_PATH=/nowhere "$program" inspect targets.json --format csv >by_nvrtc 2>err2
if grep -q 'no NVRTC was found' err2; then
    skip "targets that compile one source are told apart in the report" "no NVRTC"
else
    empty "targets that compile one source are told apart in the report" "$(
        cut -d, -f1,7 by_nvrtc | sed 1d | sort >seen
        printf '%s\n' 'my project/out/../b.cu (a.dir/b.o),400' 'my project/out/../b.cu (b.dir/b.o),800' \
            'my project/out/../b.cu (entry 3),1200' | diff - seen; grep -v 'are those of NVRTC' err2)"
fi
empty "an object that is newer than its source is read" "$(
    [ "$status" -eq $wanted ] || echo "exit status $status"
    [ "$(grep -c '^my project/out/a.o,' out)" -eq 3 ] || cat out err)"
if [ $wanted -eq 0 ]; then
    echo "[{\"directory\": \"$PWD\", \"file\": \"my project/a.cu\",
      \"command\": \"ccache /nowhere/cuda-13.0/bin/nvcc -c 'my project/a.cu'\"}]" >c.json
    for device in '' 8.0; do
        # shellcheck disable=SC2086 # no word, or two
        "$program" inspect c.json ${device:+--device $device} --format csv >out 2>err
        empty "an entry without an architecture has nvcc's own${device:+, unless --device is given}" "$(
            grep -q ",compute capability ${device:-7.5}," out || cat out
            cat err)"
    done
    "$program" inspect 'my project/a.cu' 'my project/inc/../a.cu' 'my project/./a.cu' >out 2>err
    empty "the device of source is assumed, and one note says so" "$(
        grep -q '^smemcalc: note: source is compiled for compute capability 9.0, which is assumed: --device chooses another, such as --device A100$' err ||
            grep -q 'that of the GPU here' err || cat err
        [ "$(wc -l <err)" -eq 1 ] || cat err)"
    "$program" inspect 'my project/a.cu' --device 9.0 >out 2>err
    empty "no note on the device of source if it is named" "$(cat err)"
    mkdir both && cp -r 'my project' both/p && rm both/p/a.cu &&
        sed "s|$PWD/my project|$PWD/both/p|g" compile_commands.json >both/compile_commands.json
    "$program" inspect both --format csv >out 2>err
    status=$?
    empty "a source of a folder with compile_commands.json is compiled with its entry" "$(
        [ "$status" -eq 0 ] || echo "exit status $status"
        grep -q '^both/p/b.cu,own(float\*),compute capability 8.0,[0-9]*,[0-9]*,[0-9]*,480,' out ||
            cat out err)"
fi
echo '[{"directory": "/x", "file": "x.c", "command": "gcc x.c"}]' >c.json
reads "compile_commands.json without CUDA is an error" 2 -- c.json
says "says so" "c.json: none of its 1 entry compiles CUDA"
echo '[{"directory": "/x", "file": "x.cu", "command": "nvcc \"x.cu"}]' >c.json
reads "compile_commands.json with an unclosed quote is an error" 2 -- c.json
says "an unclosed quote in compile_commands.json is named with its entry" "c.json: entry 1 (x.cu) has neither \"arguments\" nor a \"command\" \
with closed quotes"
echo '[{"directory": "/x", "file": "x.cu", ' >c.json
reads "compile_commands.json that is cut off is an error" 2 -- c.json
empty "compile_commands.json that is cut off is named with its line" "$(grep -q '^smemcalc: c.json:[0-9]*: ' err || cat err)"
cp "$data/empty-sm80.cubin" empty.o && touch -t 202001010000 host.cu && mkfifo pipe
echo "[{\"directory\": \"$PWD\", \"file\": \"host.cu\", \"command\": \"nvcc -c host.cu -o empty.o\"}]" >c.json
reads "compile_commands.json whose files have no kernel is an error" 2 -- c.json
says "says so" "c.json: no kernel in any of the 1 file read"
# shellcheck disable=SC2086
reads "compile_commands.json without kernels beside a file with kernels is no error" 0 $one -- c.json tree/a/one.cubin
for special in "$PWD/pipe" /dev/zero; do
    echo "[{\"directory\": \"/\", \"file\": \"$special\", \"command\": \"nvcc -x cu\"}]" >c.json
    reads "a source that is $special" 2 -- c.json
    says "a source of compile_commands.json that is $special is refused" "c.json: entry 1 ($special) is not a file"
done
if grep -q ',compute capability 8.0,' compiled.csv; then
    for option in --run --clean-targets -dryrun --help -E "-odir /nowhere" --device-link; do
        echo "[{\"directory\": \"$PWD/my project\", \"file\": \"a.cu\", \"command\": \"nvcc $option -arch=sm_80 -c a.cu\"}]" >c.json
        "$program" inspect c.json --format csv >out 2>err
        empty "an entry's $option is left out" "$(
            [ "$(grep -c 'a.cu,a(),' out)" -eq 1 ] || cat out err)"
        [ -s by_nvrtc ] || continue
        PATH=/usr/bin:/bin CUDA_HOME=/nowhere CUDA_PATH=/nowhere \
            "$program" inspect c.json --format csv >out 2>err
        empty "an entry's $option is left out for NVRTC" "$(
            [ "$(grep -c 'a.cu,a(),' out)" -eq 1 ] || cat out err)"
    done
fi

# --- Logs -----------------------------------------------------------------------------------------

sed 's/^/[12:01:33] /' "$data/own-sm90.ptxas" >stamped.log
sed "s/^/2026-01-01T00:00:00.0000000Z /; s/info/$(printf '\033')[32minfo$(printf '\033')[0m/; s/\$/$(printf '\r')/" \
    "$data/own-sm90.ptxas" >github.log
for log in stamped.log github.log; do
    reads "$log: times, colours and carriage returns" 0 $log:14 $log:32 $log:10 -- $log
done
(cat "$data/own-sm90.ptxas"; echo "make: *** [Makefile:3: b.o] Error 1") >failed.log
reads "the log of a build that failed is read, with an error" 2 failed.log:14 failed.log:32 failed.log:10 -- failed.log
says "the log of a build that failed names the failure" "failed.log: the build failed: make: *** [Makefile:3: b.o] Error 1"
for registers in 128 123 128; do
    echo "ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'"
    echo "ptxas info    : Used $registers registers, used 1 barriers"
done >programs.log
reads "two programs with a kernel of the same name" 0 programs.log:123 programs.log:128 -- programs.log
says "kernels of the same name in two programs are told by name, figures and lines" "warning: programs.log: k(float*): compiled several \
times with different results, each of which counts: sm_90: 123 registers (line 3); sm_90: 128 \
registers (line 5)"
"$program" inspect programs.log --max-regs 125 >out 2>err
status=$?
empty "of kernels of the same name in two programs the worse one counts" "$([ $status -eq 1 ] || { echo "exit status $status" && cat out err; })"
head -n 8 "$data/own-sm90.ptxas" >cut.log
"$program" inspect cut.log --format csv >out 2>err
status=$?
empty "a build log that ends in the middle is noted" "$(
    [ "$status" -eq 2 ] || { echo "exit status $status" && cat out err; })"
(echo 'ptxas info    : 0 bytes gmem'; echo 'ptxas fatal   : Unresolved extern function f') >fatal.log
reads "a build log with 'ptxas fatal' is an error" 2 -- fatal.log

# --- Standard input has one name ------------------------------------------------------------------

# What the command writes of its standard input calls it so, and nothing else.
named() { # FILE WORDS ARGUMENT...: the words are in a line that it writes
    from=$1 words=$2
    shift 2
    "$program" "$@" <"$from" >out 2>err
    empty "'$*' names standard input" "$(
        grep -hqF -e "$words" out err || cat out err
        grep -hE '(^|[^a-z])stdin([^a-z]|$)|"-"|^-,|^smemcalc: (warning: )?-:|(of|in) -( |$)' out err)"
}

log=$data/own-sm90.ptxas
named "$log" 'standard input (log' inspect -
named "$log" 'standard input,' inspect - --format csv
named "$log" '"file": "standard input"' inspect - --format json
named "$log" '"uri": "standard%20input"' inspect - --max-regs 1 --format sarif
named "$log" 'file="standard input"' inspect - --max-regs 1 --format junit
named "$log" 'smemcalc: standard input: ' inspect - --max-regs 1
named "$log" 'spilling of standard input' limits - --entry spilling --threads 64
named "$log" 'kernels of standard input' best -
named "$log" 'standard input: not a trace' trace --read -
named "$log" 'smemcalc: standard input:1: ' merge -
named "$log" 'smemcalc: standard input:1: ' batch -
named "$log" 'smemcalc: standard input:1:' devices --device-file -
named "$log" 'smemcalc: standard input:' tui --script -
named /dev/null 'smemcalc: standard input: empty' inspect -
named "$data/own-sm90.cubin" 'smemcalc: standard input: machine code is read from a file alone' run - --grid 1 --block 1 --on emulator --device 9.0
echo '__global__ void wrong(int *a) { a[0] = b; }' >wrong.cu
PATH=/usr/bin:/bin CUDA_HOME=/nowhere CUDA_PATH=/nowhere named wrong.cu \
    'smemcalc: standard input:' inspect - --device 9.0

# --- What nvcc makes ------------------------------------------------------------------------------

if [ -z "$nvcc" ]; then
    skip "a parallel build" "no nvcc"
    finish_cases
fi
mkdir build
: >build/Makefile
for n in 1 2 3 4; do
    sed "s/\\(spilling\\|bounded\\|six_barriers\\)/\\1_$n/g" "$data/own.cu" >"build/$n.cu"
    printf "%s.o: %s.cu\\n\\t'%s' -arch=sm_90 -Xptxas -v -c %s.cu -o %s.o\\n" \
        "$n" "$n" "$nvcc" "$n" "$n" >>build/Makefile
done
make -C build -j4 1.o 2.o 3.o 4.o >build.log 2>&1
status=$?
empty "make -j builds the example" "$([ $status -eq 0 ] || cat build.log)"
"$program" inspect build.log --format csv >out 2>err
status=$?
"$program" inspect build --format csv >objects 2>err2
empty "the log of a parallel build says what its objects hold, or that it is ambiguous" "$(
    [ $status -eq 0 ] || grep -q 'several compilations' err || cat err
    columns() { sed '1d; s/"[^"]*"/NAME/g' "$1" | cut -d , -f 2-4,7 | grep -v NAME | sort; }
    columns out >a && columns objects >b
    [ $status -ne 0 ] || diff a b
    [ $status -eq 0 ] || comm -23 a b
    [ "$(wc -l <b)" -ge 8 ] || cat objects err2)"
finish_cases
