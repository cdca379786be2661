#!/bin/sh
# The user's own kernels, however many: a file instead of a command, block sizes, the headline, the
# order, filters and templates. Run in the build folder.

set -u
export LC_ALL=C NO_COLOR=1 SMEMCALC_PROGRAM=smemcalc
unset COLUMNS SMEMCALC_NVRTC SMEMCALC_CACHE_DIR

here=$(cd "$(dirname "$0")" && pwd) || exit 99
program=$PWD/smemcalc
# shellcheck source=tests/cases.sh
. "$here/cases.sh"

[ -x "$program" ] || { echo "own_kernels.sh: no ./smemcalc here" >&2; exit 77; }
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
export SMEMCALC_CACHE_DIR="$scratch/cache"
cp -r "$here/data/inspect" "$scratch/data" && chmod -R u+w "$scratch/data" && cd "$scratch/data" ||
    exit 99
# shellcheck source=tests/toolkit.sh
. "$here/toolkit.sh"

# kernel NAME REGISTERS [SPILLED [SHARED]]: its lines of a log, for 9.0
kernel() {
    printf "ptxas info    : Compiling entry function '%s' for 'sm_90'\n" "$1"
    printf 'ptxas info    : Function properties for %s\n' "$1"
    printf '    0 bytes stack frame, %d bytes spill stores, %d bytes spill loads\n' "${3-0}" "${3-0}"
    printf 'ptxas info    : Used %d registers, used 1 barriers, %d bytes smem\n' "$2" "${4-0}"
}

# Standard output and error in `out` and `err`, the status in `status`.
ask() { # ARGUMENT...
    $hidden "$program" "$@" >out 2>err
    status=$?
}
hidden= # or the command that hides nvcc

ends() { # STATUS MESSAGE ARGUMENT...
    wanted=$1 message=$2
    shift 2
    ask "$@" </dev/null
    empty "smemcalc $*" "$(
        [ "$status" -eq "$wanted" ] || echo "exit status $status, not $wanted"
        grep -qxF -e "smemcalc: $message" err || { echo "missing: $message" && cat err; })"
}

has() { # FILE PATTERN
    grep -q -e "$2" "$1" || { echo "missing in $1: $2" && cat "$1"; }
}

lacks() { # FILE PATTERN
    ! grep -e "$2" "$1"
}

answered() {
    [ "$status" -eq 0 ] || echo "exit status $status"
    cat err
}

equal() { # NAME FOUND WANTED
    empty "$1" "$([ "$2" = "$3" ] || printf 'found:  %s\nwanted: %s\n' "$2" "$3")"
}

kernels() { # the kernels of the CSV in `out`, joined by blanks
    sed 1d out | cut -d, -f2 | tr '\n' ' ' | sed 's/ $//'
}

# --- A file instead of a command ------------------------------------------------------------------

ask inspect own-sm90.ptxas && mv out expected
ask own-sm90.ptxas
empty "smemcalc FILE inspects the file" "$(answered; diff expected out)"
ask --threads 128 own-sm90.ptxas --format csv
empty "smemcalc inspects a file after options" "$(answered; [ "$(wc -l <out)" -eq 4 ] || cat out)"
ask --format csv -- own-sm90.ptxas
empty "smemcalc inspects a file after --" "$(answered; [ "$(wc -l <out)" -eq 4 ] || cat out)"
ask - <own-sm90.ptxas
empty "smemcalc - inspects standard input" "$(answered; has out '^standard input (log')"
cp own-sm90.ptxas run && cp own-sm90.ptxas word
ask ./run
empty "./run is a file, though run is a command" "$(answered; has out '^./run (log')"
ask word
empty "a word that is a file's name is the file" "$(answered; has out '^word (log')"
ends 2 "nosuch.cu: No such file or directory" nosuch.cu
ends 2 "./nosuch: No such file or directory" ./nosuch
ends 2 "unknown command 'nosuch'; 'smemcalc help' lists them" nosuch
ends 2 "unknown command 'inspct'; did you mean 'inspect'?" inspct
ends 2 "'run': a command comes first: smemcalc run ..." --tile 8 run
ask --device 9.0 --tile 8 --no-nvrtc
empty "options alone are still a query" "$(answered; has out 'blocks per SM')"
ask own-sm90.ptxas --help
empty "help on a file is that of inspect" "$(answered; has out '--require-occupancy')"

# --- Local memory ---------------------------------------------------------------------------------

kernel plain 32 >stack.log
kernel arrays 40 | sed 's/^    0 bytes stack/    4096 bytes stack/' >>stack.log
ask stack.log --threads 128
empty "local arrays are in the table, with spills or without" "$(
    answered
    has out '^  device        regs spills B stack B smem B threads blocks  occup.  limited by$'
    has out '^  CC 9.0          40        0    4096      0     128     12    75 %  registers$'
    has out '^  CC 9.0          32        0       0      0     128     16   100 %  '
    has out '^  stack B bytes per thread in local memory: local arrays, spilled registers,'
    awk 'length > 80' out)"
ask stack.log --threads 128 --kernel plain
empty "a table of kernels without a stack frame has no column for it" "$(answered; lacks out 'stack B')"
ask stack.log --threads 128 --dynamic-smem 64K --kernel plain
empty "a block with more than 48 KB has the call to paste" "$(
    answered
    tr -s '\n ' ' ' <out | grep -qF 'call before the launch: cudaFuncSetAttribute(plain, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536)' || cat out)"

# --- Block sizes ----------------------------------------------------------------------------------

kernel sum 72 0 8192 >sum.log
ask sum.log
empty "an unknown block size is shown as such, with the best one" "$(
    answered
    has out '^  CC 9.0  *72 .* ?  *?  *?$'
    has out '^      32:39% 64:44% 128:44% 256:38% 384:38% 512:25% 768:38% 1024:0%$'
    has out 'best block size: 128 threads (43.8 %, 7 blocks), limited by registers'
    has out '__launch_bounds__(128, 8)'
    awk 'length > 80' out)"
ask sum.log --format csv
empty "CSV leaves empty what follows from the block size" "$(
    answered
    has out '^sum.log,sum,compute capability 9.0,72,0,0,8192,0,1,,,,,,unknown,128,43.75,sm_90,1,0,,,$')"
if command -v jq >/dev/null; then
    ask sum.log --format json
    jq -c '.kernels[] | [.kernel.threads_per_block, .kernel.threads_source,
        .kernel.best_threads_per_block, (.kernel.blocks_per_sm_by_warps | length),
        .occupancy.blocks_per_sm, .occupancy.percent, .occupancy.limits.registers,
        .occupancy.outcome, .next_steps]' out >got
    echo '[null,"unknown",128,32,null,null,null,"launches",[]]' >expected
    empty "JSON has null for what follows from an unknown block size" "$(diff expected got)"
else
    skip "JSON has null for what follows from an unknown block size" "no jq"
fi
for option in --require-occupancy=50 --require-blocks=2; do
    ends 2 "option ${option%=*}: the block size of 1 of 1 answers is unknown, the first for sum; \
state it with --threads NAME=N, or --assume-threads N for all" sum.log "$option"
done
ends 1 "sum.log: sum on compute capability 9.0: 72 registers per thread, but at most 64 allowed" \
    sum.log --max-regs 64
ends 1 "sum.log: sum on compute capability 9.0: 3 blocks per SM, limited by registers, \
but 4 required" \
    sum.log --assume-threads 256 --require-blocks 4

source_of() { # the threads and their source of each kernel
    sed 1d out | cut -d, -f2,14,15 | tr '\n' ' ' | sed 's/ $//'
}
{ kernel sum 32 && kernel gemm_a 32 && kernel gemm_b 32; } >three.log
for list in 'gemm*=256,sum=8x8' 'sum=64,gemm*=16x16' 'sum=64,256'; do
    ask three.log --format csv --threads "$list"
    case $list in *,256) rest=given ;; *) rest=listed ;; esac
    empty "block sizes by name: --threads $list" "$(answered
        [ "$(source_of)" = "sum,64,listed gemm_a,256,$rest gemm_b,256,$rest" ] || cat out)"
done
ask three.log --format csv --threads gemm_a=64 --threads 'gemm*=128' --assume-threads 512
empty "the first pattern counts; --assume-threads is for the rest" "$(answered
    [ "$(source_of)" = "sum,512,assumed gemm_a,64,listed gemm_b,128,listed" ] || cat out)"
ends 2 "option --threads: 'gemm=x' is neither a number or shape (16x16) of threads, nor NAME=N" \
    three.log --threads gemm=x
ends 2 "option --threads: '=5' is neither a number or shape (16x16) of threads, nor NAME=N" \
    three.log --threads =5
ends 2 "option --threads: '0' is neither a number or shape (16x16) of threads, nor NAME=N" \
    three.log --threads 0
ends 2 "option --threads: '' is neither a number or shape (16x16) of threads, nor NAME=N" \
    three.log --threads ''
ends 0 "warning: option --threads: unknown kernel 'smu'; did you mean 'sum'?" \
    three.log --threads smu=64,256
kernel _Z1kILi4ELi5EEvv 32 >template.log
if "$program" template.log | grep -q 'k<4, 5>'; then
    ask template.log --format csv --threads 'k<4, 5>=96,128'
    empty "a comma within template arguments separates nothing" \
        "$(answered; has out ',96,listed,')"
    ask own-sm90.cubin --format csv --threads 'six*=128'
    empty "launch bounds are the block size, unless stated otherwise" "$(answered
        has out ',128,listed,.*'; has out 'spilling,.*,1024,launch_bounds,')"
else
    skip "a comma within template arguments" "names are not demangled here"
fi

# --- Order and filters ----------------------------------------------------------------------------

{
    kernel good 32
    kernel spiller 40 128
    kernel low 255
    kernel heavy 40 0 45000
    kernel spiller2 40 16
} >many.log
ask many.log --threads 256 --format csv
empty "CSV is in the order of the file" \
    "$(answered; [ "$(kernels)" = "good spiller low heavy spiller2" ] || cat out)"
sorted() { # ORDER KERNELS
    ask many.log --threads 256 --format csv --sort "$1"
    empty "the order of kernels by --sort $1" "$(answered; [ "$(kernels)" = "$2" ] || cat out)"
}
sorted file "good spiller low heavy spiller2"
sorted occupancy "low heavy spiller spiller2 good"
sorted registers "low heavy spiller spiller2 good"
sorted spills "spiller spiller2 low heavy good"
sorted smem "heavy low spiller spiller2 good"
sorted name "good heavy low spiller spiller2"
sorted threads "low heavy spiller spiller2 good"
only() { # LIST KERNELS
    ask many.log --threads 256 --format csv --only "$1"
    empty "the kernels that --only $1 keeps" "$(answered; [ "$(kernels)" = "$2" ] || cat out)"
}
only spilling "spiller spiller2"
only below=50 "low"
only limited-by=shared_memory "heavy"
only spilling,below=80 "spiller spiller2"
ask many.log --threads 256 --format csv --only failing --require-occupancy 70
empty "--only failing keeps what is below the requirement" "$(
    [ "$status" -eq 1 ] || echo "exit status $status"
    [ "$(kernels)" = "low heavy" ] || cat out)"
ask many.log --threads 2048 --format csv --only failing --only limited-by=barriers
empty "several --only keep kernels of which all hold" "$(
    [ "$status" -eq 0 ] || echo "exit status $status"
    [ -z "$(kernels)" ] || cat out
    has err 'note: option --only: no kernel meets the conditions')"
ask many.log --threads 1024 --format csv --only limited-by=registers,failing
empty "what cannot be launched is limited by what refuses it" "$(answered
    [ "$(kernels)" = "low" ] || cat out)"
{ kernel half 64 && kernel quarter 128 && kernel whole 32; } >sizes.log
ask sizes.log --format csv --only below=25
empty "--only below keeps what reaches no more at any block size" "$(answered
    [ "$(kernels)" = "quarter" ] || cat out)"
ask sizes.log --threads 256 --format csv --only below=25
empty "--only below keeps what reaches less at its block size" "$(
    [ -z "$(kernels)" ] || cat out
    has err 'no kernel meets the conditions$')"
ask sizes.log --format csv --only below=100
empty "--only below=100 leaves out 100 %" "$([ "$(kernels)" = "half quarter" ] || cat out)"
for format in text csv; do
    ask sizes.log --format "$format" --only below=10
    empty "--only keeps nothing as block sizes are unknown: $format" "$([ "$(wc -l <err)" -eq 1 ] || cat err
        has err 'note: option --only: no kernel .* at its best block size; state the block size of its launches with --threads ')"
done
ask many.log --threads 256 --top 1 --require-occupancy 70
empty "kernels that --only leaves out are judged, too" "$(
    [ "$status" -eq 1 ] || echo "exit status $status"
    [ "$(wc -l <err)" -eq 2 ] || cat err
    has out '; 1 shown$')"
ask many.log --threads 256 --format csv --sort registers --top 2
empty "--top limits the kernels shown" "$(answered; [ "$(kernels)" = "low heavy" ] || cat out)"
ask many.log --threads 256 --format csv --kernel 'spill*' --kernel low
empty "--kernel chooses the kernels shown" "$(answered; [ "$(kernels)" = "spiller low spiller2" ] || cat out)"
ask many.log --threads 256 --kernel 'spill*' --require-occupancy 80
empty "--kernel also chooses what is judged" "$(
    [ "$(wc -l <err)" -eq 2 ] || cat err
    has err 'spiller on'; has err 'spiller2 on')"
ends 2 "option --kernel: unknown kernel 'spiler'; did you mean 'spiller'?" many.log --kernel spiler
ends 2 "option --kernel: unknown kernel 'q*'; the input has good, spiller, low, heavy, spiller2" \
    many.log --kernel 'q*'
only below=50% "low"
only "below=50 %" "low"
only limited-by=smem "heavy"
only "limited-by=shared memory" "heavy"
only limited-by=regs,below=50 "low"
sorted regs "low heavy spiller spiller2 good"
for percent in 5%5 %50 50%%; do
    ends 2 "option --only: below=$percent: not a whole number between 1 and 100" \
        many.log --only "below=$percent"
done
ends 2 "option --only: 'fast' is not failing, spilling, unknown, limited-by=LIMIT or below=PERCENT" \
    many.log --only fast
ends 2 "option --only: below=x: not a whole number between 1 and 100" many.log --only below=x
ends 2 "option --only: limited-by=luck: not one of warps, registers, shared_memory, blocks, \
barriers, virtual_resources, cluster" many.log --only limited-by=luck
ends 2 "option --sort: 'size' is not one of file, occupancy, registers, spills, smem, threads, name" \
    many.log --sort size

# --- Text -----------------------------------------------------------------------------------------

ask many.log --threads 256
empty "the headline, and the worst first" "$(
    answered
    has out '^5 kernels; 2 spill; 1 below 25 %; worst: low (12.5 %, registers)$'
    [ "$(grep -c '^[a-z][a-z]*2*$' out)" -eq 5 ] || cat out
    [ "$(grep '^[a-z][a-z]*2*$' out | head -n 1)" = low ] || cat out)"
ask many.log --threads 2048
empty "the headline counts kernels that cannot launch" "$(answered; has out '5 cannot launch')"
ask three.log --threads 256
empty "the headline names no worst kernel where all are at 100 %" "$(answered; has out '^3 kernels; all at 100 %$')"
ask sum.log
empty "one kernel has no headline" "$(answered; lacks out '^1 kernel')"
ask many.log three.log --threads 256
empty "several files are counted, and each kernel names its own" "$(
    answered
    has out '^8 kernels in 2 files; '
    [ "$(grep -c '^  in many.log (log of ptxas)$' out)" -eq 5 ] || cat out)"

# 400 kernels: 40 templates of 9 instances, and 40 other kernels.
{
    i=10
    while [ $i -lt 50 ]; do
        kernel "plain$i" $((2 * i + 20))
        j=1
        while [ $j -lt 10 ]; do
            kernel "_Z6gemm${i}ILi${j}EEvv" $((i + 8 * j + 40)) $((i < 13 ? 4 * j : 0)) 64
            j=$((j + 1))
        done
        i=$((i + 1))
    done
} >crowd.log
ask crowd.log --threads 256
empty "400 kernels fit a page, no line is too long" "$(
    answered
    [ "$(wc -l <out)" -le 60 ] || echo "$(wc -l <out) lines"
    awk 'length > 80' out
    has out '^400 kernels; 27 spill; '
    has out '^[0-9]* more kernels: --top all lists each, --verbose shows each in full')"
if grep -q 'gemm49<' out; then
    empty "the instances of a template share a line" "$(
        has out '^ *12-25% registers  *256  *97-161  *0  *64  *9  gemm49<..>$')"
    ask crowd.log --threads 256 --instances --top all
    empty "--instances shows each instance of a template" "$(answered; [ "$(grep -c ' gemm[0-9]*<[1-9]>$' out)" -eq 360 ] || cat out)"
    ask crowd.log --threads 256 --top all
    empty "--top all has a line for each template" "$(answered; [ "$(grep -c "registers .* [a-z]" out)" -eq 80 ] || { wc -l out; tail -5 out; })"
else
    skip "the instances of a template share a line" "names are not demangled here"
fi
ask crowd.log --threads 256 --verbose
empty "--verbose shows each of 400 kernels in full" "$(answered; [ "$(grep -c '^  CC 9.0' out)" -eq 400 ] || wc -l out)"
ask crowd.log --threads 256 --top 3
empty "a few kernels are shown in full" "$(answered; [ "$(grep -c '^  CC 9.0' out)" -eq 3 ] || cat out)"
ask crowd.log --threads 256 --device 8.0 --device 9.0 --device "H100 PCIe"
empty "several devices: a line for each template, at the worst of them" "$(
    answered
    [ "$(grep -c '^~ CC 8.0 *+2  ' out)" -eq 20 ] || cat out
    [ "$(wc -l <out)" -le 80 ] || echo "$(wc -l <out) lines"
    awk 'length > 80' out
    has out '^  ~ estimated: the machine code does not load on the device$'
    has out '^  + so many more devices or architectures'
    has out '^      +2 more architectures$')"
ask crowd.log --threads 256 --device 8.0 --device 9.0 --kernel 'plain1*'
empty "few kernels are shown on each device" "$(
    answered
    { [ "$(grep -c '^~ CC 8.0' out)" -eq 10 ] && [ "$(grep -c '^  CC 9.0' out)" -eq 10 ]; } || cat out
    lacks out '^  +')"

{ i=0; while [ $i -lt 25 ]; do kernel "k$i" 64; i=$((i + 1)); done; } >one.log
sed 's/sm_90/sm_100/' one.log >later.log
sed 's/sm_90/sm_120/; s/k0/new/' one.log >newest.log
cat newest.log later.log one.log >versions.log
ask versions.log --threads 256
empty "several architectures: a line for each kernel" "$(
    answered
    [ "$(grep -c '^ CC [0-9.]* *+[12]  *[0-9]' out)" -eq 20 ] || cat out
    has out '^26 kernels'
    has out '^6 more kernels: '
    has out '^      +[12] more architectures*$')"
ask versions.log --threads 256 --kernel 'k3'
empty "compute capabilities ascend" "$(
    answered
    [ "$(grep -o '^  CC [0-9.]*' out | tr -d '\n')" = '  CC 9.0  CC 10.0  CC 12.0' ] || cat out)"

# --- Machine code that does not load --------------------------------------------------------------

{ kernel loads 32; kernel old 255 64 | sed 's/sm_90/sm_80/'; kernel older 255 | sed 's/sm_90/sm_75/'
} >mixed.log
ask mixed.log --threads 256 --device 9.0
empty "kernels that do not load are left out, where others do" "$(
    answered
    lacks out '^old'
    lacks out '1 spills'
    has out '^2 kernels have no machine code for compute capability 9.0 and are left out:$'
    has out '^--verbose shows them$'
    lacks out '^  ~')"
ask mixed.log --threads 256 --device 9.0 --verbose
empty "--verbose shows kernels that do not load, marked and not counted" "$(
    answered
    [ "$(grep -c '^~ CC 9.0' out)" -eq 2 ] || cat out
    [ "$(grep -c '^  CC 9.0' out)" -eq 1 ] || cat out
    lacks out 'below 25'
    has out 'marked ~ and not$'
    has out '^  ~ estimated: the machine code does not load on the device$')"
ask mixed.log --threads 256 --device 9.0 --device 8.6
empty "on several devices, a kernel is left out where it does not load" "$(
    answered
    [ "$(grep -c '^  CC' out)" -eq 2 ] || cat out
    has out '^2 kernels; 1 spills; 1 below 25 %; worst: old '
    has out '^3 kernels have no machine code for some of the devices and are left out')"
ask mixed.log --threads 256 --device 10.0
empty "where no kernel loads, all are shown and counted" "$(
    answered
    [ "$(grep -c '^~ CC 10.0' out)" -eq 3 ] || cat out
    has out '^3 kernels; 1 spills; 2 below 25 %'
    lacks out 'left out')"
ask mixed.log --threads 256 --device 9.0 --format csv
empty "CSV has kernels that do not load, and what they were compiled for" "$(
    [ "$status" -eq 0 ] || echo "exit status $status"
    has out ',compiled_for,loads,stack,parameter_bytes,constant_bytes,global_bytes$'
    has out '^mixed.log,loads,.*,sm_90,1,0,,,$'
    has out '^mixed.log,old,.*,sm_80,0,0,,,$')"
ask mixed.log one.log --threads 256 --device 8.0
empty "a file whose code does not load there is shown" "$(
    answered
    has out '^26 kernels in 2 files; '
    has out '^2 kernels have no machine code for compute capability 8.0')"

{ kernel a1 32 && kernel a2 32 && kernel a3 32; kernel b1 32 | sed 's/sm_90/sm_80/'; } >sorts.log
ends 1 "sorts.log: 3 kernels on compute capability 10.0: machine code for sm_90 does not load \
there: compile with -gencode arch=compute_100,code=sm_100" sorts.log --device 10.0 --max-regs 64
empty "a line for each device and architecture" "$(
    [ "$(wc -l <err)" -eq 2 ] || cat err
    has err '^smemcalc: sorts.log: b1 on compute capability 10.0: machine code for sm_80 does not')"
ask sorts.log --device 10.0 --max-regs 64 --format junit
empty "JUnit has each kernel on each device" "$([ "$(grep -c '<failure' out)" -eq 4 ] || cat out)"

n=0
while [ $n -lt 14 ]; do
    n=$((n + 1)) && kernel "k$n" 32 $((n % 2 * 8))
done >table.log
ask table.log --threads 256
empty "the signs of a table are explained" "$(
    answered
    has out '100% warps+ '
    has out '^  warps+ warps, and other limits as well, which --verbose names$'
    has out '^  spills B bytes per thread: in the table stores and loads together, below it')"
ask many.log --threads 256
empty "the signs of spills are explained" "$(answered; has out '^  spills B bytes per thread, stores + loads$'
    lacks out '^  warps+')"

ask many.log --threads 256 --device H100 --device A100
empty "which board of several with the same limits does not matter" "$(answered)"
ask many.log --threads 256 --device 'RTX 6000'
empty "which board of several with other limits was taken is noted once" "$(
    [ "$(grep -c "note: closest match for 'RTX 6000': Quadro RTX 6000" err)" -eq 1 ] || cat err
    [ "$(wc -l <err)" -eq 1 ] || cat err)"
printf '[[limit]]\nmax_registers = 255\n' >least.toml
ask many.log --threads 256 --device 'RTX 6000' --gate least.toml
empty "which board of several was taken is not noted in gates" "$(lacks err 'closest match')"

# --- Words ----------------------------------------------------------------------------------------

ask many.log --threads 256 --only below=10
empty "a filter that keeps nothing" "$(
    answered
    has out '^none of 5 kernels meets the conditions of --only; 2 spill')"
ask sum.log --threads 256 --only spilling
empty "a filter that does not keep the only kernel" "$(
    answered
    has out '^the only kernel does not meet the conditions of --only$')"
{ kernel a 32 && kernel b 32 8; } >spill.log
ask spill.log --threads 256
empty "the headline counts a kernel that spills" "$(answered; has out '^2 kernels; 1 spills; ')"
{
    i=0
    while [ $i -lt 12 ]; do kernel "plain$i" 32; i=$((i + 1)); done
    kernel _Z1kILi4EEvv 255 && kernel _Z1kILi5EEvv 16 0 45000
} >different.log
ask different.log --threads 256
if grep -q 'k<' out; then
    empty "instances with different limits name none" "$(answered; has out '% varies .*  k<\.\.>$')"
else
    skip "instances with different limits name none" "names are not demangled here"
fi
ask own-sm90.cubin
empty "spills that machine code does not record are unknown" "$(
    answered; has out '^  - spills: not recorded in machine code (ptxas -v prints them)$')"
ask own-sm90-cuda12.res-usage --threads 256 --device 9.0
empty "spills that a log does not record are unknown" "$(
    answered; has out '^  - spills: not recorded in this log (ptxas -v prints them)$')"
ask sum.log --require-occupancy 50
empty "what cannot be judged is one line, not a table" "$(
    [ "$status" -eq 2 ] || echo "exit status $status"
    [ "$(wc -l <err)" -eq 1 ] || cat err
    cat out)"

{ i=0; while [ $i -lt 1500 ]; do kernel "k$i" 64; i=$((i + 1)); done; } >big.log
ask big.log --device 9.0
empty "1500 kernels are counted in the headline" "$(answered; has out '^1500 kernels; ')"

# --- Dynamic shared memory ------------------------------------------------------------------------

# saved NAME [MEMBER]: a kernel of a saved file
saved() {
    printf '{"name":"%s","source":"nvrtc","compiled_for":"sm_90","registers_per_thread":32' "$1"
    printf ',"static_smem_bytes":1024,"barriers_per_block":1%s}' "${2-}"
}
{
    printf '{"schema":"smemcalc-inspect/1","kernels":[%s,\n%s,\n%s]}\n' \
        "$(saved tiles ',"uses_dynamic_smem":true')" \
        "$(saved plain ',"uses_dynamic_smem":false')" "$(saved older)"
} >dynamic.json

ask dynamic.json --threads 256 --sort file
empty "dynamic shared memory that nothing states is marked, with one footnote" "$(
    answered
    has out '1024+? '
    [ "$(grep -c '1024+?' out)" -eq 1 ] || echo "marked elsewhere"
    has out '  +? uses dynamic shared memory, which the launch gives'
    [ "$(grep -c 'which the launch gives' out)" -eq 1 ] || echo "not one footnote")"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do
    saved "k$i" ',"uses_dynamic_smem":true'
    [ "$i" -eq 13 ] || echo ,
done | { printf '{"schema":"smemcalc-inspect/1","kernels":[' && cat && echo ']}'; } >many.json
ask many.json --threads 256
empty "unknown dynamic shared memory is marked in the table of many kernels" "$(
    answered
    has out ' 1024+?  k13$'
    [ "$(grep -c 'which the launch gives' out)" -eq 1 ] || echo "not one footnote")"

column() { # ARGUMENT...: kernel and dynamic_smem
    ask dynamic.json --threads 256 --format csv "$@"
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
             NR > 1 { printf "%s=%s ", $at["kernel"], $at["dynamic_smem"] }' out
    grep -v 'are those of NVRTC' err
}
equal "CSV leaves dynamic shared memory empty where it is used but not stated" "$(column)" 'tiles= plain=0 older=0 '
equal "--dynamic-smem counts for all kernels but those known to use none" \
    "$(column --dynamic-smem 48K)" 'tiles=49152 plain=0 older=49152 '
equal "--dynamic-smem 0 states that none is used" "$(column --dynamic-smem 0)" 'tiles=0 plain=0 older=0 '
equal "--dynamic-smem by name: the first pattern that matches counts" \
    "$(column --dynamic-smem 'til*=16K,t*=8' --dynamic-smem plain=4)" \
    'tiles=16384 plain=4 older=0 '
ask dynamic.json --threads 256 --dynamic-smem tiles=16K
empty "dynamic shared memory that is stated has no footnote" "$(answered && lacks out '+?')"
ends 2 "option --dynamic-smem: 'tiles=x' is neither a size (40000, 48K) nor NAME=SIZE" \
    dynamic.json --dynamic-smem tiles=x
ends 2 "option --dynamic-smem: '=4' is neither a size (40000, 48K) nor NAME=SIZE" \
    dynamic.json --dynamic-smem =4
ask dynamic.json --threads 256 --dynamic-smem tilse=16K
empty "a name that no kernel has is a warning" "$(
    [ "$status" -eq 0 ] || echo "exit status $status"
    has err "option --dynamic-smem: .*'tilse'")"
ends 2 "option --require-blocks: 1 of 3 answers cannot be judged, the first for tiles: it uses \
dynamic shared memory, which the launch gives; state it with --dynamic-smem NAME=BYTES" \
    dynamic.json --threads 256 --require-blocks 1
ask dynamic.json --threads 256 --require-blocks 5 --dynamic-smem tiles=48K
empty "a requirement is judged with what is stated" "$(
    [ "$status" -eq 1 ] || echo "exit status $status"
    has err 'tiles on .*: 4 blocks per SM, limited by shared memory, but 5 required')"
ask dynamic.json --threads 256 --max-regs 64
empty "a requirement on registers does not need dynamic shared memory" "$(answered)"
ask dynamic.json --save again.json
equal "--save keeps which kernels use dynamic shared memory" "$(grep -c '"uses_dynamic_smem":true' again.json) \
$(grep -c '"uses_dynamic_smem":false' again.json) $(grep -c uses_dynamic again.json)" '1 1 2'
ask best dynamic.json --entry tiles
empty "limits and sweep say that dynamic shared memory is not stated" "$(
    [ "$status" -eq 0 ] || echo "exit status $status"
    has err 'tiles uses dynamic shared memory, which the launch gives')"
ask best dynamic.json --entry tiles --dynamic-smem 1K
empty "limits does not mention dynamic shared memory that is stated" "$(answered && lacks err 'dynamic')"
ask best dynamic.json --entry plain
empty "limits does not mention dynamic shared memory that is unused" "$(answered && lacks err 'dynamic')"

cat >dynamic.cu <<'END'
extern __shared__ float tile[];
__global__ void uses(float *o) { tile[threadIdx.x] = o[0]; __syncthreads(); o[1] = tile[o[2] > 0]; }
__global__ void plain(float *o) { o[threadIdx.x] = 1; }
END
cat >much.cu <<'END'
__global__ void much(int *o) { __shared__ int a[13312]; a[threadIdx.x] = *o; __syncthreads(); *o = a[*o]; }
END
check_source() { # nvcc or NVRTC
    ask dynamic.cu --device 9.0 --threads 256 --format csv
    if [ "$status" -eq 3 ]; then
        skip "source compiled by $1" "there is no $1"
        return
    fi
    equal "source compiled by $1 tells which kernels use dynamic shared memory" "$(
        [ "$status" -eq 0 ] || echo "exit status $status"
        grep -v 'are those of NVRTC' err
        ask dynamic.cu --device 9.0 --threads 256 --format json
        jq -c '[.kernels | sort_by(.kernel.name)[].kernel
               | .uses_dynamic_smem, .dynamic_smem_bytes]' out)" \
        '[false,0,true,null]'
    # It is an answer, and breaks every limit that is stated.
    ask much.cu --format json
    empty "a kernel that $1 cannot compile" "$(
        [ "$status" -eq 0 ] || echo "exit status $status"
        lacks err 'does not say'
        jq -e '[.kernels[].occupancy.blocks_per_sm] == [0]' out >/dev/null || cat out
        ask much.cu --max-regs 255
        [ "$status" -eq 1 ] || echo "exit status $status with a limit"
        has err 'cannot be compiled')"
}
if [ -n "$nvcc" ]; then
    check_source nvcc
else
    skip "source compiled by nvcc" "there is no nvcc"
fi
hidden='env PATH=/usr/bin:/bin CUDA_HOME=/nowhere CUDA_PATH=/nowhere'
check_source NVRTC
hidden=

finish_cases
