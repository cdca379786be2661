#!/bin/sh
# Exercises: each is solved by the solution in tests/data/exercises/right and not by its skeleton;
# the wrong ones beside it have the verdict and the cause that their folder is named after; tasks of
# one's own; what a class may do to the one who judges it. Needs an NVRTC.

set -u
# shellcheck source=tests/command.sh
. "$(dirname "$0")/command.sh"
data=$here/data/exercises

wrong() { # MESSAGE ARGUMENT...
    message=$1
    shift
    smemcalc exercise "$@" >out 2>errors </dev/null
    status=$?
    empty "wrong usage: $*" "$(
        [ "$status" -eq 2 ] || echo "exit status $status"
        [ ! -s out ] || cat out
        grep -qF -e "smemcalc: $message" errors || cat errors)"
}

# --- Tasks ----------------------------------------------------------------------------------------

golden exercise-list.txt exercise
golden exercise-task.txt exercise missing-barrier
empty "the task writes a file to begin with" "$(diff "$here/../exercises/missing-barrier/skeleton.cu" missing-barrier.cu 2>&1)"
echo mine >missing-barrier.cu
smemcalc exercise missing-barrier >out 2>&1
empty "a file that exists is left alone" "$({ grep -qx mine missing-barrier.cu && grep -q "left alone" out; } || cat out)"
wrong "unknown exercise 'tiled-matmull'; did you mean 'tiled-matmul'?" tiled-matmull
wrong "option --judge: not with FILE 'x.cu'" stencil x.cu --judge .
wrong "option --format: only with a solution" stencil --format json
mkdir nothing
wrong "option --judge: 'nothing' has no .cu file" --judge nothing

# --- A task of one's own --------------------------------------------------------------------------

mkdir mine
task() { # LINE...: mine/task.md
    { echo ---; printf '%s\n' "title: Twice" "kernel: twice" "$@" ---; echo "# Twice"; } >mine/task.md
}
complain() { # MESSAGE LINE...
    message=$1
    shift
    task "$@"
    wrong "mine/task.md:4: $message" mine
}
complain "'colour': no line of an exercise begins with this word" "colour: red"
complain "'n': a case is written n=1000 radius=3" "case: n"
complain "'1.5': a whole number is needed" "case: n=1.5"
complain "'speed': no figure has this name" "goal: speed = 1"
complain "'time_ms': a line 'solutions:' before it names the solution" "goal: time_ms <= 100 % of tiled"
complain "'conflicts': a goal is written" "goal: conflicts 0"
complain "'lots': a tolerance is a share" "tolerance: lots"
complain "'x[n': an argument is written" "argument: x[n f32"
task "argument: x[n] f32:zero result" "argument: y[n] f32:zero result"
wrong "mine/task.md:5: 'y': only one argument is the result" mine
task "block: 1" "grid: 1" "case: n=1" "argument: x[n] f32:random"
wrong "mine/task.md:8: title, kernel, block, grid, case and argument" mine
task "block: 32"
wrong "mine/task.md:5: title, kernel, block, grid, case and argument" mine
printf 'no lines\n' >mine/task.md
wrong "mine/task.md:1: 'no lines': '---' or 'key: value' is needed" mine

smemcalc run --on emulator --tile 4 --size 8 -d 9.0 >/dev/null 2>out || {
    skip "solutions are judged" "there is no NVRTC: $(cat out)"
    finish_cases
}

task "argument: x[n] i32:random result" "argument: n i32" "case: n=100" "block: 32" \
    "grid: (n+bx-1)/bx" "goal: registers <= 4*n"
printf '__global__ void twice(int *x, int n)\n{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n)\n        x[i] *= 2;\n}\n' >mine/reference.cu
golden exercise-mine.txt exercise mine mine/reference.cu
sed 's/\*= 2/+= 2/' mine/reference.cu >other.cu
golden exercise-mine-wrong.txt exercise mine other.cu
sed 's/, int n)/)/; s/i < n/i < 100/' mine/reference.cu >other.cu
wrong "option --arg: " mine other.cu
echo 'int' >other.cu
wrong "other.cu" mine other.cu
{ echo '// launch: block = 16;; block = N; size = 3'; cat mine/reference.cu; } >other.cu
wrong "other.cu: the launch: '// launch: size' is not as" mine other.cu
sed -i 's/ = i32/ = i33/; s/\[n\] i32/[n] i33/' mine/task.md
wrong "exercise mine: " mine mine/reference.cu

# --- The built-in ones ----------------------------------------------------------------------------

command -v jq >/dev/null || { skip "solutions are judged" "there is no jq"; finish_cases; }
verdicts='if .submissions then .submissions[] |
    [(.file | split("/") | .[-2:] | join("/")), .verdict, (.findings | map(.kind) | unique | join(" ")),
     .barrier_after, .wrong_result.cause_text, (.goals // [] | map(select(.met | not) | .figure) | join(" "))]
    else . end'

smemcalc exercise | sed '/^$/,$d; s/ .*//' >names
smemcalc exercise --judge "$data/right" --format json >right.json 2>errors
empty "each exercise has a solution that solves it" "$(
    jq -r '.submissions[] | select(.verdict == "solved") | .exercise' right.json | sort >solved
    sort names | diff - solved; cat errors)"
mkdir skeletons
while read -r name; do cp "$here/../exercises/$name/skeleton.cu" "skeletons/$name.cu"; done <names
smemcalc exercise --judge skeletons --format json >skeletons.json 2>errors
empty "no skeleton is solved, or does not compile, but those that are empty" "$(
    jq -r '.submissions[] | select(.verdict == "solved" or .verdict == "unusable") | .exercise' skeletons.json
    cat errors)"
golden_fields exercise-wrong.jsonl "$verdicts" exercise --judge "$data/wrong" --format json
golden exercise-fault.txt exercise reverse-static "$data/wrong/no-barrier/reverse-static.cu"
golden exercise-cause.txt exercise matmul-tails "$data/wrong/grid-down/matmul-tails.cu"
smemcalc exercise tiled-matmul "$data/right/tiled-matmul.cu" --format csv >out
empty "CSV of one" "$({ [ "$(wc -l <out)" -eq 2 ] && grep -q "^tiled-matmul,.*,solved," out; } || cat out)"

# --- A class --------------------------------------------------------------------------------------

mkdir -p class/a class/b
printf '__global__ void reverse(int *d, int n)\n{\n    for (volatile int i = 0;; i++)\n        d[0] = i;\n}\n' >class/a/reverse-static.cu
printf '#error no\n' >class/b/reverse-static.cu
echo >class/notes.cu
cp "$data/right/reverse-static.cu" class/
smemcalc exercise --judge class --timeout 200 --format csv >out 2>errors
status=$?
cut -d, -f2,4 out >seen
printf '%s\n' file,verdict class/reverse-static.cu,solved class/a/reverse-static.cu,unfinished \
    class/b/reverse-static.cu,unusable >expected
empty "a class: endless, not compiling, no exercise's" "$(
    [ $status -eq 1 ] || echo "exit status $status"
    sort expected >a; sort seen | diff a -
    grep -q "^smemcalc: note: class/notes.cu was not judged: unknown exercise 'notes'" errors || cat errors)"
finish_cases
