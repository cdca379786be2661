#!/bin/sh
# Exercises: each is solved by the solution in tests/data/exercises/right and not by its skeleton;
# the wrong ones beside it have the verdict and the cause that their folder is named after; tasks of
# one's own; what a class may do to the one who judges it. Needs an NVRTC.
# The words of a launch are split on purpose:
# shellcheck disable=SC2086

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
wrong "option --jobs: only with --judge FOLDER" stencil x.cu --jobs 2
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
wrong "other.cu: twice(int*) does not have the task's parameters, twice(int *x, int n)" mine other.cu
sed 's/twice/thrice/' mine/reference.cu >other.cu
wrong "other.cu: the task needs one kernel twice(int *x, int n); the file has thrice(int*, int)" mine other.cu
sed 's/void/void __launch_bounds__(16)/' mine/reference.cu >other.cu
wrong "other.cu: the launch has 32 threads per block, more than the 16 of the launch bounds of twice(int*, int)" \
    mine other.cu
echo 'int' >other.cu
wrong "other.cu" mine other.cu
{ echo '// launch: block = 16;; block = N; size = 3'; cat mine/reference.cu; } >other.cu
wrong "other.cu: the launch: '// launch: size' is not as" mine other.cu
sed -i 's/ = i32/ = i33/; s/\[n\] i32/[n] i33/' mine/task.md
wrong "exercise mine: " mine mine/reference.cu

# --- References by name ---------------------------------------------------------------------------

cat >own.cu <<'END'
template <typename T> __device__ void product(const T *a, const T *b, T *c, int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    T sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}
__global__ void mm(const float *a, const float *b, float *c, int m, int n, int k) { product(a, b, c, m, n, k); }
__global__ void mm64(const double *a, const double *b, double *c, int m, int n, int k) { product(a, b, c, m, n, k); }
__global__ void reversed(const int *in, int *out, int n) { out[n - 1 - threadIdx.x] = in[threadIdx.x]; }
__global__ void turned(float *out, const float *in) { out[threadIdx.x * 4 + threadIdx.y] = in[threadIdx.y * 8 + threadIdx.x]; }
__global__ void window(const float *in, float *out, int n)
{
    float sum = 0;
    for (int i = (int)threadIdx.x - 2; i <= (int)threadIdx.x + 2; i++)
        sum += i >= 0 && i < n ? in[i] : 0;
    out[threadIdx.x] = sum;
}
__global__ void total(const double *x, double *sum, int n)
{
    double own = 0;
    for (int i = 0; i < n; i++)
        own += x[i];
    *sum = own;
}
END
compared() { # STATUS WORDS OPTION...: of a run of own.cu
    wanted=$1 words=$2
    shift 2
    smemcalc run own.cu --on emulator --device 9.0 "$@" >out 2>errors
    status=$?
    empty "a reference: $*" "$(
        [ "$status" -eq "$wanted" ] || echo "exit status $status"
        cat out errors | tr -s ' \n' ' ' | grep -qF -e "$words" || cat out errors)"
}
product="--grid 2x4 --block 8x8 -a 32 -a 16 -a 5" # of which the arrays come first
for sizes in "" :m=32 :k=5,m=32,a=@1; do
    compared 0 "arg 3: all 512 elements are as in matmul$sizes" --entry mm -a f32x160:random -a f32x80:random \
        -a f32x512:random $product --expect "3=matmul$sizes"
done
compared 0 "all 512 elements" --entry mm64 -a f64x160:random -a f64x80:random -a f64x512 $product --expect 3=matmul
compared 1 "arg 3: the first is element 0" --entry mm -a f32x160:random -a f32x80:random -a f32x512 $product \
    --expect 3=matmul:a=@2,b=@1,m=16
compared 0 "arg 2: all 9" --entry reversed --grid 1 --block 9 -a i32x9:ramp -a i32x9 -a 9 --expect 2=reverse:d=@1
compared 0 "arg 1: all 32" --entry turned --grid 1 --block 8x4 -a f32x32 -a f32x32:random --expect 1=transpose:rows=4
compared 0 "arg 2: all 20" --entry window --grid 1 --block 20 -a f32x20:random -a f32x20 -a 20 --expect 2=stencil:radius=2
compared 1 "arg 2: the first is element 0" --entry window --grid 1 --block 20 -a f32x20:random -a f32x20 -a 20 \
    --expect 2=stencil:radius=3
compared 0 "arg 2: all 1 element is as in row-sums" --entry total --grid 1 --block 1 -a f64x50:random -a f64x1 -a 50 --expect 2=row-sums
compared 0 "arg 2: all 9" --entry reversed --grid 1 --block 9 -a i32x9:ramp -a i32x9 -a 9 --expect "2=$here/../exercises/opt-in:d=@1"
compared 2 "'2=reverse': its arrays d (the result) are not as many as those of the launch: name them, such as d=@1" \
    --entry reversed --grid 1 --block 9 -a i32x9:ramp -a i32x9 -a 9 --expect 2=reverse
compared 2 "'1=transpose': rows does not follow from the sizes of the arrays: give it, as rows=64" --entry turned \
    --grid 1 --block 8x4 -a f32x32 -a f32x32:random --expect 1=transpose
mm="--entry mm -a f32x160 -a f32x80"
compared 2 "'matmull' is neither a file nor a reference: matmul, transpose, stencil" $mm -a f32x512 $product --expect 3=matmull
compared 2 "'q' is none of m=N, n=N, k=N, a=@N, b=@N, c=@N" $mm -a f32x512 $product --expect 3=matmul:q=1
compared 2 "'m=x' is not between 0 and 2147483647" $mm -a f32x512 $product --expect 3=matmul:m=x
compared 2 "'a=@4': no array is that argument" $mm -a f32x512 $product --expect 3=matmul:a=@4
compared 2 "a has a multiple of 31 elements, but argument 1 has 160" $mm -a f32x512 $product --expect 3=matmul:m=31
compared 2 "a[m][k] has 32 x 6 elements, but argument 1 has 160" $mm -a f32x512 $product --expect 3=matmul:m=32,k=6
compared 2 "no sizes fit the elements of its arrays: a[m][k] of 160, b[k][n] of 80, c[m][n] of 513" $mm -a f32x513 \
    $product --expect 3=matmul
compared 2 "argument 2 is f64, but another array is i32" --entry mm -a i32x160 -a f64x80 -a f32x512 $product --expect 3=matmul
compared 2 "argument 1 is u32, but a is f32, f64 or i32" --entry mm -a u32x160 -a f32x80 -a f32x512 $product --expect 3=matmul

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

# --- Causes ---------------------------------------------------------------------------------------

mkdir sum
printf '%s\n' --- 'title: Sum' 'kernel: sum' 'argument: a[n] f32:random' 'argument: b[n] f32:random' \
    'argument: c[n] f32 result' 'argument: n i32' 'case: n=100' 'block: 32' 'grid: (n+bx-1)/bx' --- '# Sum' \
    >sum/task.md
cat >sum/reference.cu <<'END'
__global__ void sum(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + 2 * b[i];
}
END
caused() { # WORDS SED
    sed "$2" sum/reference.cu >other.cu
    smemcalc exercise sum other.cu >out 2>errors
    empty "the cause of $2" "$(tr -s ' \n' ' ' <out | grep -qF -e "$1" || cat out errors)"
}
caused "a and b are used in each other's place" 's/a\[i\] + 2 \* b\[i\]/b[i] + 2 * a[i]/'
caused "this is a copy of b" 's/a\[i\] + 2 \* b/b/'
caused "every element is 3 times the right one" 's/a\[i\] + 2/3 * a[i] + 6/'
caused "all of c is 0" 's/a\[i\] + .*/0;/'
caused "c is right in the opposite order" 's/c\[i\]/c[n - 1 - i]/'
caused "a is read one element too late" 's/a\[i\]/a[i + 1 < n ? i + 1 : i]/'
caused "only the elements of the first block are right, all from index 32 on are not written" 's/blockIdx.x \*/0 */'
caused "all wrong elements are as before the launch: no thread writes them" 's/i < n/i < n \&\& i % 7 < 5/'
caused "half of a is left out: only 0 to 15 of every 32 elements count" 's/a\[i\]/(i % 32 < 16 ? a[i] : 0)/'

# --- A class --------------------------------------------------------------------------------------

mkdir -p class/a class/b
printf '__global__ void reverse(int *d, int n)\n{\n    for (volatile int i = 0;; i++)\n        d[0] = i;\n}\n' >class/a/reverse-static.cu
printf '#error no\n' >class/b/reverse-static.cu
echo >class/notes.cu
cp "$data/right/reverse-static.cu" class/
smemcalc exercise --judge class --timeout 200 --format csv >out 2>errors
status=$?
smemcalc exercise --judge class --timeout 200 --format csv --jobs 1 >one 2>errors
empty "one at a time gives the same report" "$(cut -d, -f1-4 out >a; cut -d, -f1-4 one | diff a -)"
cut -d, -f2,4 out >seen
printf '%s\n' file,verdict class/reverse-static.cu,solved class/a/reverse-static.cu,unfinished \
    class/b/reverse-static.cu,unusable >expected
empty "a class: endless, not compiling, no exercise's" "$(
    [ $status -eq 1 ] || echo "exit status $status"
    sort expected >a; sort seen | diff a -
    grep -q "^smemcalc: note: class/notes.cu was not judged: unknown exercise 'notes'" errors || cat errors)"
mkdir few
cp "$data/right/reverse-static.cu" few
printf '__global__ void other() {}\n' >few/reverse-dynamic.cu
golden exercise-class.txt exercise --judge few --timeout 60000
finish_cases
