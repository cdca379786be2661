#!/bin/sh
# The documentation tells the truth: the man page names the options that --help does, every key and
# column of the machine-readable outputs, and every example of README.md and of the man page runs
# and prints what is shown.
#
# Examples are the lines "$ command" in README's ```console blocks and in the man page's
# `.Bd -literal` blocks; the lines up to the next command are the expected output. A word behind
# ```console, or a comment `.\" example: WORD` before .Bd, says what a block needs:
#   gpu     a GPU; figures differ from run to run, so only the exit status counts
#   nvrtc   NVRTC 13.0, because the output names it
#   no-run  is not run: installs something, or stands for a person's own files
# A block ```cuda whose first line is `// NAME.cu: ...` is that file, for the examples to use.
# With GENERATE=1 README's shown outputs are written anew.

set -u
export LC_ALL=C NO_COLOR=1
unset SMEMCALC_PROGRAM
unset COLUMNS SMEMCALC_NVRTC SMEMCALC_CACHE_DIR

here=$(cd "$(dirname "$0")" && pwd) || exit 99
readme=$here/../README.md
manual=$here/../man/smemcalc.1
program=$PWD/smemcalc
results_page=$PWD/tests/results_page
# shellcheck source=tests/cases.sh
. "$here/cases.sh"

scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/examples"
printf '#!/bin/sh\nexport SMEMCALC_PROGRAM="${SMEMCALC_PROGRAM:-smemcalc}"\nexec "%s" "$@"\n' "$program" >"$scratch/bin/smemcalc"
chmod +x "$scratch/bin/smemcalc"
export PATH="$scratch/bin:$PATH" SMEMCALC_CACHE_DIR="$scratch/cache"
export SMEMCALC_CEILINGS="$scratch/ceilings.json"
cd "$scratch" || exit 99

smemcalc devices --device gpu0 >/dev/null 2>&1 && gpu=yes || gpu=no

same_lines() { # NAME FILE FILE
    empty "$1" "$(diff "$2" "$3")"
}

# --- Options --------------------------------------------------------------------------------------

smemcalc --help | sed -n 's/^  *\(-., \)\{0,1\}\(--[a-z][a-z-]*\).*/\2/p' | sort -u >options-help
sed -n 's/^\.It .*Fl -\([a-z][a-z-]*\).*/--\1/p' "$manual" | sort -u >options-manual
[ -s options-help ] || fail "--help shows options"
same_lines "the man page has the options of --help" options-help options-manual

smemcalc --help | sed -n 's/^  *\(-.\), \(--[a-z-]*\).*/\1 \2/p' | sort -u >letters-help
sed -n 's/^\.It Fl \([a-zA-Z]\) *, Fl -\([a-z-]*\).*/-\1 --\2/p' "$manual" | sort >letters-manual
same_lines "the man page has the letters of --help" letters-help letters-manual

smemcalc --help | sed -n '/^Commands/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p' | sort >commands-help
sed -n '/^\.Sh COMMANDS/,/^\.Sh OPTIONS/s/^\.It Cm \([a-z]*\).*/\1/p' "$manual" | sort >commands-manual
[ -s commands-help ] || fail "--help shows commands"
same_lines "the man page has the commands of --help" commands-help commands-manual

empty "the man page has every lesson" "$(smemcalc lesson | sed '/^$/,$d; s/ .*//' |
    while read -r lesson; do
        grep -qx "\.It $lesson" "$manual" || printf '%s is missing\n' "$lesson"
    done)"

# --- Keys and columns -----------------------------------------------------------------------------

sed -n '/^\.Sh OUTPUT FORMATS/,/^\.Sh ENVIRONMENT/p' "$manual" | grep -oE '[a-z0-9_-]+' |
    sort -u >documented

undocumented() { # words on stdin
    sort -u | comm -23 - documented | sed 's/$/ is not in OUTPUT FORMATS/'
}

json_keys() { # COMMAND...
    smemcalc "$@" --format json | jq -r '[paths | .[] | strings] | unique | .[]'
}

documented_json() { # NAME COMMAND...
    name=$1
    shift
    keys=$(json_keys "$@") || keys=
    if [ -z "$keys" ]; then
        fail "$name" "no JSON keys from: smemcalc $*"
    else
        empty "$name" "$(printf '%s\n' "$keys" | undocumented)"
    fi
}

if command -v jq >/dev/null; then
    documented_json "every JSON key of a query" --tile 32 --device H200 --no-nvrtc
    documented_json "every JSON key of an own kernel" --threads 256 --regs 40 --grid 100 --device 9.0
    documented_json "every JSON key of devices" devices --device H200
    documented_json "every JSON key of kernels" kernels
    printf '{"schema": "smemcalc-ceilings/1", "ceilings": [{"device": "NVIDIA A30"}]}' >ceilings.json
    documented_json "every JSON key of ceilings" --tile 32 --device A30 --no-nvrtc
    rm ceilings.json
    documented_json "every JSON key of inspect" inspect "$here/data/inspect/own-sm90.cubin"
    documented_json "every JSON key of merge" merge "$here/data/merge/node1.json" "$here/data/merge/node3.json"
    documented_json "every JSON key of a lint" inspect --lint "$here/data/inspect/own-sm90.cubin"
    if [ "$gpu" = yes ]; then
        documented_json "every JSON key of a run" run --tile 8 --size 64
    else
        skip "every JSON key of a run" "there is no GPU"
    fi
else
    skip "JSON keys are documented" "there is no jq"
fi
empty "every CSV column of a query" "$(smemcalc --tile 32 --device H200 --no-nvrtc --format csv |
    head -n 1 | tr -d '\r' | tr ',' '\n' | undocumented)"

empty "every CSV column of merge" "$(smemcalc merge --format csv "$here/data/merge/node1.json" |
    head -n 1 | tr ',' '\n' | undocumented)"

for lint in "" --lint; do
    # shellcheck disable=SC2086 # no word where empty
    empty "every CSV column of inspect $lint" "$(smemcalc inspect $lint \
        "$here/data/inspect/own-sm90.cubin" --format csv | head -n 1 | tr ',' '\n' | undocumented)"
done

# --- Pictures and tables of README.md -------------------------------------------------------------

pictures=$(sed -n 's/^!\[.*\](\(.*\))$/\1/p' "$readme")
[ -n "$pictures" ] || fail "README has pictures"
empty "README's pictures are there" "$(for picture in $pictures; do
    [ -s "$here/../$picture" ] || printf '%s is missing\n' "$picture"
done)"

empty "README has every compute capability" "$(sed -n '2,$s/^\([0-9.]*\),.*/\1/p' \
    "$here/../data/compute_capabilities.csv" | while read -r cc; do
        grep -q "^| $cc |" "$readme" || printf '%s is missing\n' "$cc"
    done)"
empty "README has every board" "$(sed -n '2,$s/^\([^,]*\),.*/\1/p' "$here/../data/devices.csv" |
    while read -r board; do
        grep -q "[|,] ${board}[ ,]" "$readme" || printf '%s is missing\n' "$board"
    done)"
kernels=$(smemcalc kernels --format csv | sed -n '2,$s/,.*//p')
[ -n "$kernels" ] || fail "the program lists its kernels"
empty "README has every kernel" "$(for kernel in $kernels; do
    grep -q "^|.*\`$kernel\`.*|" "$readme" || printf '%s is missing\n' "$kernel"
done)"

# --- What was seen on a GPU ------------------------------------------------------------------------

results=$here/../results/h200.json
if [ -f "$results" ]; then
    "$results_page" "$results" "$readme" >README.results
    same_lines "README's page is that of results/h200.json (make update-results-page)" \
        "$readme" README.results
else
    skip "README's page of results" "there are none yet: results/h200.json"
fi

# --- Examples -------------------------------------------------------------------------------------

# Cuts a document into examples/N.command, N.kind and, where output is shown, N.expected.
cut_examples() { # PREFIX BEGIN END: regular expressions; document on stdin
    awk -v base="examples/$1" -v begin="$2" -v end="$3" '
        /^\.\\" example: / { words = $3; next }
        inside && $0 ~ end { inside = 0; words = ""; next }
        !inside && $0 ~ begin {
            inside = 1; name = ""
            if ($0 ~ /^```/) words = substr($0, length("```console") + 1)
            next
        }
        inside && /^\$ / {
            name = sprintf("%s-%03d", base, ++count)
            print substr($0, 3) > (name ".command"); print words > (name ".kind")
            next
        }
        inside && name { print > (name ".expected") }'
}

cut_examples readme '^```console' '^```$' <"$readme"
cut_examples manual '^[.]Bd -literal' '^[.]Ed' <"$manual"

awk '
    /^```cuda$/ { first = inside = 1; next }
    /^```$/ { inside = 0 }
    inside && first { file = $2; sub(/:$/, "", file); first = 0 }
    inside { print > file }' "$readme"

case $(smemcalc --tile 32 --device 9.0 --format json 2>/dev/null) in
*'"nvrtc 13.0 '*) nvrtc=yes ;;
*) nvrtc=no ;;
esac

if [ "$nvrtc" = no ]; then
    skip "every JSON key of an own source" "there is no NVRTC 13.0"
elif command -v jq >/dev/null; then
    documented_json "every JSON key of an own source" run --source smooth.cu --grid 4 --block 256 \
        --arg f32x1K --arg f32x1K:random --arg i32:1K --on emulator --device H200
fi

compared="run --on emulator --kernel stencil --radius 1:2 --size 64 --device 9.0"
if [ "$nvrtc" = yes ] && command -v jq >/dev/null; then
    # shellcheck disable=SC2086 # words
    documented_json "every JSON key of a comparison" $compared
    # shellcheck disable=SC2086
    empty "every CSV column of a comparison" "$(smemcalc $compared --format csv | head -n 1 |
        tr ',' '\n' | undocumented)"
else
    skip "keys of a comparison are documented" "there is no NVRTC 13.0, or no jq"
fi

annotated="run --on emulator --tile 4 --size 8 --device 9.0 --annotate"
if [ "$nvrtc" = yes ] && command -v jq >/dev/null; then
    # shellcheck disable=SC2086 # words
    documented_json "every JSON key of an annotated run" $annotated
    # shellcheck disable=SC2086
    empty "every CSV column of an annotated run" "$(smemcalc $annotated --format csv | head -n 1 |
        tr ',' '\n' | undocumented)"
else
    skip "keys of an annotated run are documented" "there is no NVRTC 13.0, or no jq"
fi

why_not() { # KIND: why such an example cannot be run here
    case " $1 " in
    *" gpu "*) [ "$gpu" = yes ] || echo "there is no GPU" ;;
    *" nvrtc "*) [ "$nvrtc" = yes ] || echo "there is no NVRTC 13.0" ;;
    esac
}

# ./quickstart ARGUMENT... stands for the program, which the test has built already.
run_example() { # FILE without suffix; prints what the command prints
    sed 's|^\./quickstart|SMEMCALC_PROGRAM=& smemcalc|' "$1.command" >command.sh
    sh ./command.sh 2>&1 </dev/null
}

check_example() { # FILE without suffix
    read -r kind <"$1.kind" || kind=
    name="$(basename "$1"): $(cat "$1.command")"
    case $kind in *no-run*) return ;; esac
    reason=$(why_not "$kind")
    if [ -n "$reason" ]; then
        skip "$name" "$reason"
        return
    fi
    seen=$(run_example "$1")
    status=$?
    printf '%s\n' "$seen" >"$1.seen"
    case " $kind " in *" gpu "*) shown=no ;; *) shown=yes ;; esac
    if [ "$shown" = yes ] && [ -f "$1.expected" ]; then
        same_lines "$name" "$1.expected" "$1.seen"
    elif [ "$status" -ne 0 ] || [ -z "$seen" ]; then
        fail "$name" "exit status $status: $seen"
    else
        pass "$name"
    fi
}

# A command whose output is shown is followed by what it printed just now.
write_readme_anew() {
    awk -v base="examples/readme" '
        function flush_seen(    line) {
            while ((getline line < (name ".seen")) > 0) print line
        }
        inside && /^```$/ { inside = 0; name = "" }
        /^```console/ { inside = 1 }
        inside && /^\$ / {
            name = sprintf("%s-%03d", base, ++count); print; replaced = 0
            if ((getline line < (name ".expected")) > 0 && (getline line < (name ".seen")) > 0) {
                close(name ".seen"); flush_seen(); replaced = 1
            }
            next
        }
        inside && name && replaced { next }
        { print }' "$readme" >README.new && cat README.new >"$readme"
}

for command in examples/*.command; do
    check_example "${command%.command}"
done
[ -z "${GENERATE-}" ] || write_readme_anew

finish_cases
