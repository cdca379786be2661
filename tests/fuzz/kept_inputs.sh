#!/bin/bash
# The kept inputs of the fuzzers: add.sh and run.sh change the archives in a copy of the tree, with a
# program in place of libFuzzer's, and run_corpus reads them.

set -u
export LC_ALL=C
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 99
# shellcheck source=tests/cases.sh
. "$top/tests/cases.sh"

program=$PWD/tests/fuzz/run_corpus
tar --version 2>/dev/null | grep -q GNU || {
    skip "kept inputs" "packing them needs GNU tar"
    finish_cases
}
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
source=$scratch/tree
fuzz=$source/tests/fuzz
mkdir -p "$fuzz/corpus" "$scratch/fuzzers/expression_seeds"
cp "$top"/tests/fuzz/*.sh "$top/tests/fuzz/fuzzers.def" "$fuzz"
cp "$top"/tests/fuzz/corpus/*.tar.gz "$fuzz/corpus"
chmod -R u+w "$source"
ln -s "$top/tests/data" "$source/tests/data"
# shellcheck source=tests/fuzz/kept.sh
. "$fuzz/kept.sh"
cd "$scratch" || exit 99

archive() { # [NAME]
    echo "$fuzz/corpus/${1-expression}.tar.gz"
}

inputs() { # [NAME]: the names of the kept inputs
    tar -tzf "$(archive "$@")"
}

sha1() { # FILE
    sha1sum <"$1" | cut -d ' ' -f 1
}

add() { # ARGUMENT...
    "$fuzz/add.sh" "$@" >out 2>err
    status=$?
}

adds() { # NAME FUZZER BYTES: the last add did
    if [ "$status" -eq 0 ] && grep -qx "added [0-9a-f]* ($3 bytes) to tests/fuzz/corpus/$2.tar.gz, which has [0-9]* inputs now" out &&
        inputs "$2" | grep -qx "$(cut -d ' ' -f 2 out)"; then pass "$1"; else
        fail "$1" "status $status
$(cat out err)"
    fi
}

# The archives stay as they are, and the reason is one line.
refuses() { # NAME STATUS PATTERN ARGUMENT...
    local name=$1 wanted=$2 pattern=$3 before
    before=$(cat "$fuzz/corpus/"* | cksum)
    shift 3
    add "$@"
    if [ "$status" -eq "$wanted" ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] && grep -qe "$pattern" err &&
        [ "$before" = "$(cat "$fuzz/corpus/"* | cksum)" ]; then pass "$name"; else
        fail "$name" "expected status $wanted and '$pattern', seen $status
$(cat out err)"
    fi
}

# --- The archives of the tree ---------------------------------------------------------------------

mkdir all
while IFS=$'\t' read -r name _ _ _ seeds; do
    mkdir "all/$name"
    unpack_kept "$name" "all/$name"
    (
        cd "all/$name" || exit
        sha1sum -- * | awk -v name="$name" '$1 != $2 { print name ": " $2 " is not called by its SHA-1" }'
        find . -type f -size "+${most_bytes}c" -printf "$name: %f has %s bytes\n"
        seeds_of "$seeds" | xargs -r -d '\n' sha1sum | while read -r sum seed; do
            [ ! -e "$sum" ] || echo "$name: $sum is $seed, too"
        done
    )
    cp "$(archive "$name")" before.tar.gz
    pack_kept "$name" "all/$name"
    cmp <(gzip -dc before.tar.gz) <(gzip -dc "$(archive "$name")")
done < <(rows) >faults 2>&1
empty "each archive is as add.sh packs it, with short inputs that are no seeds" "$(cat faults)"

# --- Adding ---------------------------------------------------------------------------------------

printf '1 + 2 * threads' >one
printf '(regs' >two
inputs >before
add expression one
adds "an input is added from a file" expression 15
inputs | grep -vx "$(sha1 one)" >after
empty "the other inputs stay" "$(diff before after 2>&1)"
empty "the input is stored as it was" "$(tar -xzOf "$(archive)" "$(sha1 one)" 2>&1 | cmp - one 2>&1)"
refuses "an input that is kept already is refused" 1 'one is there already: [0-9a-f]* in expression' \
    expression one
refuses "the same input from standard input is refused, too" 1 'standard input is there already' \
    expression - <one
add expression - <two
adds "an input is added from standard input" expression 5

cp "$(archive)" both.tar.gz
cp "$top/tests/fuzz/corpus/expression.tar.gz" "$(archive)"
add expression two
add expression one
empty "the order in which inputs are added does not change the archive" \
    "$(cmp both.tar.gz "$(archive)" 2>&1)"

head -c 4096 /dev/zero >longest
head -c 4097 /dev/zero >longer
add machine longest
adds "an input of 4 kB is added" machine 4096
refuses "an input above 4 kB is refused" 1 'longer has more than 4096 bytes' machine longer
refuses "an input above 4 kB from standard input is refused" 1 'standard input has more than' machine - <longer
: >nothing
refuses "an empty input is refused" 1 'nothing is empty' machine nothing
refuses "an empty standard input is refused" 1 'standard input is empty' machine - <nothing
refuses "a seed of the fuzzer is refused" 1 'there already: tests/data/launches.csv$' batch \
    "$top/tests/data/launches.csv"
rm "$(archive cache)"
add cache one
adds "the first input of a fuzzer makes its archive" cache 15

refuses "add.sh without arguments prints its usage" 2 '^usage: '
refuses "add.sh with a fuzzer alone prints its usage" 2 '^usage: ' expression
refuses "add.sh with two files prints its usage" 2 '^usage: ' expression one two
refuses "a fuzzer that does not exist is refused" 2 "unknown fuzzer 'expressions'" expressions one
refuses "a pattern is no fuzzer" 2 "unknown fuzzer '.*'" '.*' one
refuses "a file that does not exist is refused" 2 "'three' is not a file" expression three
refuses "a folder is refused" 2 "'all' is not a file" expression all

# --- What libFuzzer finds -------------------------------------------------------------------------

cat >fuzzers/expression <<'END'
#!/bin/bash
for word; do
    case $word in
    -artifact_prefix=*) prefix=${word#*=} ;;
    -merge=1) merge=yes ;;
    -*) ;;
    *) folders+=("$word") ;;
    esac
done
if [ -n "${merge-}" ]; then
    cp "${folders[1]}"/* "$FOUND" "${folders[0]}"
else
    cp "$FOUND" "${prefix}crash-1"
    echo "Test unit written to ${prefix}crash-1" >&2
    exit 77
fi
END
chmod +x fuzzers/expression
printf '[libfuzzer]\nmax_len = 500\ntimeout = 25\n' >fuzzers/expression.options
printf 'a %%\n b' >found
FOUND=found "$fuzz/run.sh" fuzzers 1 expression >out 2>&1
sed -n 's/^ *\(echo .*add.sh.*\)/\1/p' out >pasted
(cd "$source" && bash "$scratch/pasted") >out 2>err
status=$?
adds "the command that run.sh prints for a find adds it" expression 6
FOUND=longer "$fuzz/run.sh" fuzzers 1 expression >out 2>&1
sed -n 's/^ *\(echo .*\)/\1/p' out >pasted
bash pasted
empty "the command for a find that is too large makes a file of it" "$(cmp longer expression.input 2>&1)"

# Its first run ends at a timeout, as on a busy machine.
cat >fuzzers/batch <<'END'
#!/bin/bash
for word; do
    case $word in
    -artifact_prefix=*) prefix=${word#*=} ;;
    *-timeout-1) [ "$INPUT" = fast ] || while :; do :; done && exit ;;
    esac
done
[ ! -e fuzzers/batch.before ] || exit 0
: >fuzzers/batch.before
echo input >"${prefix}timeout-1"
echo "Test unit written to ${prefix}timeout-1" >&2
exit 70
END
chmod +x fuzzers/batch
printf '[libfuzzer]\nmax_len = 500\ntimeout = 1\n' >fuzzers/batch.options
INPUT=fast "$fuzz/run.sh" fuzzers 600 batch >out 2>&1
empty "a timeout of an input that needs little processor time is no find" "$(grep -q '^batch  *ok' out || cat out)"
rm -f fuzzers/batch.before
INPUT=slow "$fuzz/run.sh" fuzzers 600 batch >out 2>&1
empty "a timeout of an input that needs more processor time is a find" \
    "$(grep -q '^batch  *FAILED' out || cat out)"

printf '1 <= regs' >three
new=$(sha1 three)
mv three "$new"
inputs >before
FOUND=$new "$fuzz/run.sh" fuzzers keep expression >out 2>&1
inputs >after
empty "run.sh keep adds the new input and leaves the others" \
    "$(diff <(printf '%s\n' "$new" | sort - before) after 2>&1)"

# --- Running them ---------------------------------------------------------------------------------

export srcdir=$source

runs() { # NAME LINES ARGUMENT...
    local name=$1 lines=$2
    shift 2
    if "$program" "$@" >out 2>&1 && [ "$(head -n 1 out)" = "$lines" ]; then pass "$name"; else
        fail "$name" "$(cat out)"
    fi
}

runs "run_corpus runs all kept inputs" "ok      expression: $(inputs | wc -l) inputs" expression
runs "run_corpus runs one kept input by its name" '' expression "$new"
runs "run_corpus runs a file" '' expression ./one

fails() { # NAME PATTERN ARGUMENT...
    local name=$1 pattern=$2
    shift 2
    if "$program" "$@" >out 2>&1; then fail "$name" "it succeeds"; else
        empty "$name" "$(grep -qe "$pattern" out || cat out)"
    fi
}

fails "run_corpus refuses the name of an input that is not kept" 'has no input of that name' expression 0123
head -c 300 "$(archive ptx)" >part && mv part "$(archive ptx)"
fails "an archive that is cut off fails its fuzzer" '^FAILED  ptx: 0 inputs' ptx
gzip -dc "$(archive gate)" | head -c 2000 | gzip >part && mv part "$(archive gate)"
fails "a tar archive that is cut off fails its fuzzer" 'is no tar archive, or is incomplete' gate
rm "$(archive gate)"
fails "a fuzzer without an archive fails" 'gate.tar.gz: No such file' gate
tar -czf "$(archive gate)" -T /dev/null
fails "a fuzzer without kept inputs fails" 'gate.tar.gz: has no input' gate

finish_cases
