#!/bin/sh
# Gates as a user or a CI job runs them: gate files, right and wrong; what is violated, allowed,
# stale; markdown, JUnit and SARIF. Run in the build folder. The schemas are those of
# tests/report_schemas.sh in $REPORT_SCHEMAS or in report-schemas, where they are.
#   gate.sh [--strict]   nothing may be skipped

# shellcheck disable=SC2015 # what a case has to complain about is printed by the last command
set -u
export LC_ALL=C NO_COLOR=1 SMEMCALC_PROGRAM=smemcalc SOURCE_DATE_EPOCH=1767225600 # 2026-01-01
unset SMEMCALC_NVRTC SMEMCALC_CACHE_DIR

here=$(cd "$(dirname "$0")" && pwd) || exit 99
program=$PWD/smemcalc
schemas=${REPORT_SCHEMAS:-$PWD/report-schemas}
strict=${1-}
# shellcheck source=tests/cases.sh
. "$here/cases.sh"

[ -x "$program" ] || { echo "gate.sh: no ./smemcalc here" >&2; exit 77; }
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
export SMEMCALC_CACHE_DIR="$scratch/cache"
cp "$here/data/inspect/own-sm90.ptxas" "$scratch/build.log" && cd "$scratch" || exit 99
cp "$here/data/inspect/own-sm90.cubin" . || exit 99

printf '[[limit]]\nmax_registers = 255\n' >least.toml
"$program" inspect build.log -d 9.0 --gate least.toml >out 2>err
case $?:$(cat err) in
3:*'without toml++'*)
    skip "gate files" "this build has no toml++"
    finish_cases
    ;;
esac

strictly() { # NAME WHY: skipped, unless nothing may be
    if [ "$strict" = --strict ]; then fail "$1" "$2"; else skip "$1" "$2"; fi
}

# --- Verdicts -------------------------------------------------------------------------------------

# The kernels of the log: six_barriers 14 registers, spilling 32 and 732 bytes, bounded 10.
judged() { # NAME STATUS EXPECTED-OUTPUT [ARGUMENT...]; the gate file is on standard input
    name=$1 wanted=$2 expected=$3
    shift 3
    cat >gate.toml
    "$program" inspect build.log -d 9.0 --gate gate.toml "$@" >out 2>err
    status=$?
    empty "$name" "$(
        [ "$status" -eq "$wanted" ] || echo "exit status $status, not $wanted"
        printf '%s\n' "$expected" | diff - out
        cat err)"
}

judged "a build within all limits passes" 0 '3 kernels judged: no violation' <<'END'
[[limit]]
max_registers = 32
max_static_smem_bytes = 2000
max_barriers = 6
END

judged "each violation is a line that names the limit" 1 \
'build.log: spilling on compute capability 9.0: 32 registers per thread, but at most 31 allowed (gate.toml:1)
build.log: spilling on compute capability 9.0: 732 bytes spilled per thread (stores 352, loads 380), but at most 731 allowed (gate.toml:1)
build.log: bounded on compute capability 9.0: 2000 bytes of static shared memory per block, but at most 1999 allowed (gate.toml:1)
2 of 3 kernels violate 3 limits' <<'END'
[[limit]]
max_registers = 31
max_spill_bytes = 731
max_static_smem_bytes = 1999
END

judged "of two limits the later counts, for the kernels that it names" 0 \
    '3 kernels judged: no violation' <<'END'
[[limit]]
max_registers = 14
[[limit]]
kernel = "spill*"
max_registers = 32
END

judged "a limit for one device" 1 \
'build.log: spilling on compute capability 9.0: 32 registers per thread, but at most 20 allowed (gate.toml:4)
gate.toml:1: note: [[limit]] for device '"'8.0'"', which is none of those judged
1 of 3 kernels violates 1 limit' <<'END'
[[limit]]
device = "8.0"
max_registers = 1
[[limit]]
device = "sm_90"
max_registers = 20
END

judged "an unknown block size is not judged: exit status 2" 2 \
'build.log: void six_barriers<float, 4>(float*) on compute capability 9.0: blocks and occupancy are not judged: its block size is unknown; state it in [threads], or with --threads NAME=N
1 kernel judged: no violation; not judged, as the launch is unknown: 1' <<'END'
[[limit]]
kernel = "six*"
min_blocks = 1
END

judged "[threads] states the block size, --threads goes before it" 1 \
'build.log: void six_barriers<float, 4>(float*) on compute capability 9.0: 4 blocks per SM, limited by warps, but 5 required (gate.toml:5)
1 of 3 kernels violates 1 limit' --threads 'six*=512' <<'END'
[threads]
"spilling" = 128
"six*" = 256
"bounded" = 64
[[limit]]
min_blocks = 5
min_occupancy = 30
END

cp build.log build.log.kept
cat >build.log <<'END'
{"schema":"smemcalc-inspect/1","kernels":[{"name":"tiles","file":"tiles.o","source":"embedded",
"compiled_for":"sm_90","registers_per_thread":32,"static_smem_bytes":0,"barriers_per_block":1,
"calls_unlinked":true}]}
END
printf '[[limit]]\nmax_registers = 255\n' >gate.toml
"$program" inspect build.log -d 9.0 --gate gate.toml >out 2>err
empty "figures before linking are not judged" "$([ $? -eq 1 ] || echo status; grep -v 'note: figures before' err
    grep -q 'tiles.o: tiles .*: its figures are from before linking.*judge the linked program' out || cat out)"

cat >build.log <<'END'
{"schema":"smemcalc-inspect/1","kernels":[{"name":"tiles","file":"tiles.cu","source":"nvrtc",
"compiled_for":"sm_90","registers_per_thread":32,"static_smem_bytes":0,"barriers_per_block":1,
"uses_dynamic_smem":true}]}
END
judged "unknown dynamic shared memory is not judged: exit status 2" 2 \
'tiles.cu: tiles on compute capability 9.0: blocks and occupancy are not judged: the launch gives its dynamic shared memory; state it in [dynamic_smem], or with --dynamic-smem NAME=BYTES
1 kernel judged: no violation; not judged, as the launch is unknown: 1' --threads 256 <<'END'
[[limit]]
min_blocks = 1
END

judged "where dynamic shared memory is unknown, other limits are judged" 0 '1 kernel judged: no violation' <<'END'
[[limit]]
max_registers = 40
END

judged "[dynamic_smem] states the dynamic shared memory" 1 \
'tiles.cu: tiles on compute capability 9.0: 4 blocks per SM, limited by shared memory, but 5 required (gate.toml:4)
gate.toml:3: note: [dynamic_smem] '"'gone'"' names no kernel
1 of 1 kernel violates 1 limit' --threads 256 <<'END'
[dynamic_smem]
"til*" = 50000
"gone" = 1
[[limit]]
min_blocks = 5
END

judged "sizes in a gate file may have units" 1 \
'tiles.cu: tiles on compute capability 9.0: 4 blocks per SM, limited by shared memory, but 5 required (gate.toml:3)
1 of 1 kernel violates 1 limit' --threads 256 <<'END'
[dynamic_smem]
"til*" = "49 KB"
[[limit]]
min_blocks = 5
max_static_smem_bytes = "64K"
END

judged "--dynamic-smem goes before [dynamic_smem]" 0 '1 kernel judged: no violation' \
    --threads 256 --dynamic-smem tiles=16K <<'END'
[dynamic_smem]
"til*" = 50000
[[limit]]
min_blocks = 5
END
mv build.log.kept build.log

judged "assume_threads judges kernels of unknown block size" 1 \
'build.log: spilling on compute capability 9.0: 8 blocks per SM, limited by warps and registers, but 9 required (gate.toml:2)
1 of 1 kernel violates 1 limit' <<'END'
assume_threads = 256
[[limit]]
kernel = "spilling"
min_blocks = 9
END

judged "what a log does not record is no pass" 1 \
'build.log: spilling on compute capability 9.0: require_launch_bounds cannot be judged: the input does not record it (gate.toml:1)
1 of 1 kernel violates 1 limit' <<'END'
[[limit]]
kernel = "spilling"
require_launch_bounds = true
END

judged "an allowance has a reason, and an end" 0 \
'build.log: note: spilling on compute capability 9.0: 32 registers per thread, but at most 31 allowed (gate.toml:1); allowed: rewritten in Q3, until 2026-01-01
3 kernels judged: no violation; 1 violation is allowed' <<'END'
[[limit]]
max_registers = 31
[[allow]]
kernel = "spilling"
limit = "max_registers"
reason = "rewritten in Q3"
expires = 2026-01-01
END

judged "an allowance that has expired no longer counts, and the report says so" 1 \
'build.log: spilling on compute capability 9.0: 32 registers per thread, but at most 31 allowed (gate.toml:1); it was allowed until 2025-12-31 (gate.toml:3)
1 of 3 kernels violates 1 limit' <<'END'
[[limit]]
max_registers = 31
[[allow]]
kernel = "spilling"
reason = "rewritten in Q3"
expires = 2025-12-31
END

judged "allowances that no longer apply are noted" 0 \
'gate.toml:5: note: [[allow]] for '"'bounded'"' is not needed: there is no such violation
gate.toml:2: note: [threads] '"'gone'"' names no kernel
3 kernels judged: no violation' <<'END'
[threads]
gone = 64
[[limit]]
max_registers = 64
[[allow]]
kernel = "bounded"
limit = "max_registers"
reason = "?"
END

judged "a limit that names no kernel fails" 2 \
'gate.toml:1: [[limit]] for '"'spiling*'"' names no kernel; did you mean '"'spilling'"'?
gate.toml:4: [[limit]] for '"'nothing*'"' names no kernel; if it may match none, add optional = true
1 kernel judged: no violation; 2 limits name no kernel' <<'END'
[[limit]]
kernel = "spiling*"
max_registers = 64
[[limit]]
kernel = "nothing*"
max_registers = 1
[[limit]]
kernel = "bounded"
max_registers = 64
END
"$program" inspect build.log -d 9.0 --gate gate.toml --format junit >out 2>err
empty "a limit that names no kernel is a failure in JUnit" "$([ "$(grep -c '\[\[limit\]\] for .* names no kernel' out)" -eq 2 ] || cat out err)"

judged "a limit that names no kernel passes if it is optional, or --kernel leaves out others" 0 \
'gate.toml:1: note: [[limit]] for '"'six*'"' names no kernel
1 kernel judged: no violation' --kernel bounded <<'END'
[[limit]]
kernel = "six*"
max_registers = 64
[[limit]]
kernel = "nothing*"
optional = true
max_registers = 1
[[limit]]
kernel = "bounded"
max_registers = 64
END

judged "a limit of an option goes before the gate file's" 1 \
'build.log: spilling on compute capability 9.0: 32 registers per thread, but at most 20 allowed
1 of 3 kernels violates 1 limit' --max-regs 20 <<'END'
[[limit]]
max_registers = 255
END

printf 'devices = ["9.0"]\n[[limit]]\nmin_occupancy = 1\n' >gate.toml
"$program" inspect own-sm90.cubin --gate gate.toml --threads 256 >out 2>err
status=$?
empty "a gate file names devices; a kernel that cannot launch there violates it" "$(
    [ "$status" -eq 1 ] || echo "exit status $status"
    grep -qF 'bounded on compute capability 9.0: cannot launch with 256 threads per block' out ||
        cat out err)"

# --- Comparisons ----------------------------------------------------------------------------------

# From the log: `spilling` loses blocks, `bounded` only has more registers.
sed 's/Used 32 registers/Used 34 registers/; s/Used 10 registers/Used 12 registers/' build.log >new.log

compared() { # NAME STATUS [ARGUMENT...]; the gate file is on standard input
    name=$1 wanted=$2
    shift 2
    cat >gate.toml
    "$program" diff build.log new.log --gate gate.toml "$@" >out 2>err
    status=$?
    empty "$name" "$([ "$status" -eq "$wanted" ] || { echo "exit status $status, not $wanted"; cat out err; })"
}
says() { # TEXT [FILE]: however its lines are broken
    empty "$name: the report says $1" "$(tr -s ' \n' ' ' <"${2-out}" | grep -qF -e "$1" || cat "${2-out}")"
}

growth='assume_threads = 256
devices = ["9.0"]
[diff]'
compared "growth that nothing tolerates" 1 <<END
$growth
END
says '2 of 3 kernels are worse; 1 lost resident blocks'
compared "growth of registers alone is tolerated; lost blocks are not" 1 <<END
$growth
allow_registers = 2
END
says '2 of 3 kernels are worse (1 as allowed)'
says '8 -> 6 blocks per SM (100 % -> 75 %) at 256 threads, limited by registers; registers tolerated by [diff]'
compared "all growth is tolerated" 0 <<END
$growth
allow_registers = 2
allow_blocks = 2
allow_occupancy = 25
END
says '2 of 3 kernels are worse (2 as allowed)'
compared "one less is not" 1 <<END
$growth
allow_registers = 2
allow_blocks = 1
allow_occupancy = 25
END
compared "an entry allows the rest, and is not stale" 0 <<END
$growth
allow_registers = 2
[[allow]]
kernel = "spilling"
reason = "rewritten in Q3"
expires = 2026-01-01
END
says 'registers tolerated by [diff]; blocks, occupancy allowed: rewritten in Q3, until 2026-01-01'
empty "$name: no note on it" "$(grep 'not needed' out)"
compared "... until it expires" 1 <<END
$growth
allow_registers = 2
[[allow]]
kernel = "spilling"
reason = "rewritten in Q3"
expires = 2025-12-31
END
says 'blocks, occupancy: it was allowed until 2025-12-31 (gate.toml:5)'
compared "limits judge the new build" 1 --fail-on never <<END
$growth
[[limit]]
max_registers = 33
END
says 'new.log: spilling on compute capability 9.0: 34 registers per thread, but at most 33 allowed (gate.toml:4)'
says '1 of 3 kernels violates 1 limit'
compared "limits that hold, and nothing else counts" 0 --fail-on never <<END
$growth
[[limit]]
max_registers = 34
END
says '3 kernels judged: no violation'
compared "a limit that needs a block size" 2 --fail-on never <<'END'
devices = ["9.0"]
[[limit]]
min_blocks = 1
END
compared "--device, --assume-threads before those of the file" 1 -d 8.0 --assume-threads 128 --format csv <<END
$growth
END
says 'compute capability 8.0'
says ',128,'
cat >gate.toml <<END
$growth
[threads]
spilling = 128
[[limit]]
max_registers = 33
[[allow]]
kernel = "bounded"
reason = "known"
END
for format in json csv; do
    "$program" diff build.log new.log --gate gate.toml --format $format >out 2>err
    says 'smemcalc: new.log: spilling on compute capability 9.0: 34 registers per thread, but at most 33' err
done
"$program" diff build.log new.log --gate gate.toml --format json >out 2>err
empty "JSON of a gate has what is allowed, and why, and the block size of [threads]" "$(
    jq -c '.diff.changes[] | [.name, .allowed, .allowed_by, .after.threads_per_block]' out >seen
    printf '%s\n' '["spilling",[],null,128]' '["bounded",["registers"],"allowed: known",256]' | diff - seen)"
"$program" diff build.log new.log --gate gate.toml --format markdown >out 2>err
empty "markdown of diff has the limits, then the comparison" "$(
    grep '^### ' out >seen
    printf '### smemcalc%s\n' ', limits of the gate file: 1 error, 0 warnings' \
        ': 2 of 3 kernels are worse (1 as allowed); 1 lost resident blocks' | diff - seen)"
"$program" diff build.log new.log --gate gate.toml --format junit >diff.xml 2>err
status=$?
empty "JUnit of diff has one case for a kernel, whatever is wrong with it" "$(
    [ $status -eq 1 ] || echo "exit status $status"
    grep -q '<testsuites name="smemcalc" tests="3" failures="1"' diff.xml || cat diff.xml
    [ "$(grep -c 'new.log: registers: 34\|new.log: blocks: 32 -' diff.xml)" -eq 2 ] || cat diff.xml)"
"$program" diff build.log new.log --gate gate.toml --format sarif >diff.sarif 2>err
status=$?
empty "SARIF of diff has violations of limits and changes" "$(
    [ $status -eq 1 ] || echo "exit status $status"
    jq -r '.runs[0].results[] | .ruleId + " " + .level' diff.sarif >seen
    printf '%s\n' 'registers error' 'blocks error' 'registers note' | diff - seen)"

# --- What is no gate file -------------------------------------------------------------------------

refused() { # MESSAGE, for gate.toml
    "$program" inspect build.log -d 9.0 --gate gate.toml >out 2>err
    status=$?
    empty "a gate file is refused: $1" "$(
        [ "$status" -eq 2 ] || echo "exit status $status, not 2"
        [ ! -s out ] || cat out
        [ "$(wc -l <err)" -eq 1 ] || echo "not one line"
        grep -qF -e "smemcalc: gate.toml$1" err || cat err)"
}

limit='[[limit]]
max_registers = 1'
printf '' >gate.toml
refused ': no [[limit]] in it: at least one is needed'
printf '[[limit]]\nmax_register = 1\n' >gate.toml
refused ":2: unknown key of [[limit]] 'max_register'; did you mean 'max_registers'?"
printf '[[limit]]\nmax_registers = "a"\n' >gate.toml
refused ':2: [[limit]] max_registers: not a whole number between 1 and 255'
printf '[[limit]]\nmax_registers = 256\n' >gate.toml
refused ':2: [[limit]] max_registers: not a whole number between 1 and 255'
printf '[[limit]]\nmax_registers = 32.5\n' >gate.toml
refused ':2: [[limit]] max_registers: not a whole number between 1 and 255'
printf '[[limit]]\nmin_occupancy = nan\n' >gate.toml
refused ':2: [[limit]] min_occupancy: not a number between 0 and 100'
printf '[[limit]]\nkernel = "x"\n' >gate.toml
refused ':1: [[limit]]: no limit in it'
printf '[[limit]]\nkernel = 3\nmax_registers = 1\n' >gate.toml
refused ':2: [[limit]] kernel: not a text in quotes'
printf '[limit]\nmax_registers = 1\n' >gate.toml
refused ':1: limit: not tables, each begun by its name in double brackets'
printf 'limit = [1]\n' >gate.toml
refused ':1: limit: not tables, each begun by its name in double brackets'
printf '%s\n[[allow]]\nkernel = "x"\n' "$limit" >gate.toml
refused ':3: [[allow]]: it gives no reason'
printf '%s\n[[allow]]\nreason = "x"\n' "$limit" >gate.toml
refused ':3: [[allow]]: it names no kernel'
printf '%s\n[[allow]]\nexpires = "2026-01-01"\n' "$limit" >gate.toml
refused ':4: [[allow]] expires: not a date without quotes'
printf '%s\n[[allow]]\nexpires = 2026-02-30\n' "$limit" >gate.toml
refused ':4: '
printf '%s\n[[allow]]\nlimit = "registers"\n' "$limit" >gate.toml
refused ':4: [[allow]] limit: not the key of a limit in quotes: max_registers'
printf '%s\n[dynamic_smem]\nx = -1\n' "$limit" >gate.toml
refused ':4: [dynamic_smem] x: not a whole number between 0 and 1048576'
printf '%s\n[dynamic_smem]\nx = "48.3K"\n' "$limit" >gate.toml
refused ':4: [dynamic_smem] x: not a size such as "48 KB", or too large'
printf '%s\n[threads]\nx = 0\n' "$limit" >gate.toml
refused ':4: [threads] x: not a whole number between 1 and 1024'
printf '%s\n[diff]\nallow_register = 1\n' "$limit" >gate.toml
refused ":4: unknown key of [diff] 'allow_register'; did you mean 'allow_registers'?"
printf '[diff]\nallow_registers = 1\n' >gate.toml
refused ': no [[limit]] in it: at least one is needed'
printf 'devices = "A100"\n%s\n' "$limit" >gate.toml
refused ':1: devices: not a list, such as'
printf 'limits = 1\n' >gate.toml
refused ":1: unknown key 'limits'; did you mean 'limit'?"
printf '%s\nmax_registers = 2\n' "$limit" >gate.toml
refused ':3: '
printf '[[limit]\n' >gate.toml
refused ':1: '
printf '\377\n' >gate.toml
refused ':1: '
printf 'a = "\\u0000"\n' >gate.toml
refused ':1: a text contains the character NUL'
{ printf 'a.'; head -c 2000 /dev/zero | tr '\0' a; printf ' = 1\n'; } >gate.toml
refused ':1: the line is longer than 1024 bytes'
awk 'BEGIN { for (i = 0; i < 400; i++) printf "a."; print "a = 1" }' >gate.toml
refused ':1: tables are nested too deeply'
awk 'BEGIN { printf "a = "; for (i = 0; i < 400; i++) printf "["; print "" }' >gate.toml
refused ':1: '
printf '\303\251 = 1\n' >gate.toml # e acute, which needs quotes in a key
refused ':1: '
printf '"\033[31mx" = 1\n' >gate.toml
refused ':1: '
empty "no escape sequence of a gate file reaches the terminal" "$(grep -l "$(printf '\033')" err)"

usage() { # MESSAGE ARGUMENT...
    message=$1
    shift
    "$program" "$@" >out 2>err </dev/null
    status=$?
    empty "wrong usage is refused: $*" "$(
        [ "$status" -eq 2 ] || echo "exit status $status, not 2"
        grep -qF -e "$message" err || cat err)"
}

usage 'nowhere.toml' inspect build.log --gate nowhere.toml
usage "option --format: 'sarif' needs --gate" inspect build.log --format sarif
usage "option --gate: not together with --lint" inspect build.log --gate least.toml --lint
usage "option --format: 'sarif'" --tile 32 --format sarif

# --- Reports --------------------------------------------------------------------------------------

cat >gate.toml <<'END'
[[limit]]
max_registers = 31
[[limit]]
kernel = "gone*"
max_registers = 1
[[allow]]
kernel = "six*"
limit = "max_spill_bytes"
reason = "stale | `x` <b>"
END
mkdir -p 'a folder/50%'
awkward='a folder/50%/build & "log".txt'
cp build.log "$awkward"

report() { # FORMAT FILE...
    format=$1
    shift
    "$program" inspect "$@" -d 9.0 --gate gate.toml --format "$format" 2>err
}

report sarif build.log "$awkward" >out.sarif
status=$?
result() { # NUMBER FILTER
    jq -r ".runs[0].results[$1] | $2" out.sarif
}
empty "SARIF of a gate: version, tool, rules and results" "$(
    [ "$status" -eq 1 ] || echo "exit status $status"
    [ "$(jq -r '.version + " " + .runs[0].tool.driver.name' out.sarif)" = "2.1.0 smemcalc" ] || echo version
    [ "$(jq -r '[.runs[0] | .tool.driver.rules as $r | .results[] | $r[.ruleIndex].id == .ruleId] | all' out.sarif)" = true ] || echo ruleIndex
    [ "$(result 0 .ruleId)" = registers ] || result 0 .
    [ "$(result 0 .level)" = error ] || result 0 .
    [ "$(result 0 .message.text)" = 'spilling on compute capability 9.0: 32 registers per thread, but at most 31 allowed (gate.toml:1)' ] || result 0 .)"
empty "SARIF of a gate: file and line of a result" "$(
    [ "$(result 0 '.locations[0].logicalLocations[0] | .fullyQualifiedName + " " + .kind')" = 'spilling function' ] || result 0 .
    [ "$(result 0 '.locations[0].physicalLocation.artifactLocation.uri')" = build.log ] || result 0 .
    [ "$(result 1 '.locations[0].physicalLocation.artifactLocation.uri')" = 'a%20folder/50%25/build%20&%20%22log%22.txt' ] || result 1 .
    [ "$(result -1 '.ruleId + " " + .level + " " + (.locations[0].physicalLocation.region.startLine | tostring)')" = 'gate_file note 6' ] || result -1 .)"
report sarif "$PWD/build.log" >absolute.sarif
sed 's/= 31/= 30/; 1i # moved' gate.toml >moved.toml
"$program" inspect build.log -d 9.0 --gate moved.toml --format sarif >later.sarif 2>err
print_of() { # FILE [NUMBER]
    jq -r ".runs[0].results[${2-0}].partialFingerprints.primaryLocationLineHash" "$1"
}
empty "SARIF of a gate: the fingerprint of a finding is the same in another folder" "$(
    print_of out.sarif | grep -qE '^[0-9a-f]{16}:1$' || print_of out.sarif
    [ "$(print_of out.sarif)" = "$(print_of later.sarif)" ] || echo "by other numbers another"
    [ "$(print_of out.sarif)" = "$(print_of absolute.sarif)" ] || echo "by another path another"
    [ "$(print_of out.sarif)" != "$(print_of out.sarif 1)" ] || echo "two files, one fingerprint")"
"$program" inspect - -d 9.0 --max-regs 31 --format sarif <build.log >piped.sarif 2>err
empty "SARIF of limits that are options, and of standard input" "$(
    [ "$(jq -r '.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri' piped.sarif)" = standard%20input ] ||
        cat piped.sarif err)"

report junit build.log "$awkward" >out.xml
empty "JUnit of a gate: suites for files, cases for kernels, failures" "$(
    grep -q '<testsuites name="smemcalc" tests="7" failures="3" errors="0"' out.xml || head -n 2 out.xml
    grep -q '<testsuite name="build.log" tests="3" failures="1"' out.xml || cat out.xml
    grep -q '<testcase name="bounded on compute capability 9.0" classname="build.log" .*/>' out.xml || cat out.xml
    grep -q '<testsuite name="a folder/50%/build &amp; &quot;log&quot;.txt"' out.xml || cat out.xml
    grep -q '<failure message="32 registers per thread, but at most 31 allowed (gate.toml:1)" type="registers">' out.xml || cat out.xml)"

report markdown build.log >out.md
# shellcheck disable=SC2016 # the backquotes are markdown's
empty "markdown of a gate: a table, with folded notes" "$(
    head -n 1 out.md | grep -qx '### smemcalc: 2 errors, 0 warnings' || head -n 1 out.md
    grep -qxF '| error | `spilling` | compute capability 9.0 | 32 registers per thread, but at most 31 allowed (gate.toml:1) | build.log |' out.md || cat out.md
    grep -qF '<details><summary>1 note</summary>' out.md || cat out.md)"

"$program" inspect build.log -d 9.0 --gate gate.toml --format csv >out 2>err
status=$?
empty "CSV of a gate is that of inspect; violations go to standard error" "$(
    [ "$status" -eq 1 ] || echo "exit status $status"
    head -n 1 out | grep -q '^file,kernel,device,' || head -n 1 out
    grep -qF 'smemcalc: build.log: spilling on compute capability 9.0: 32 registers' err || cat err)"

# What the emulator finds: the same reports, with call stacks. tests/findings.sh is about them.
"$program" --tile 4 -d 9.0 --format json >probe.json 2>/dev/null
case $(cat probe.json) in
*'"nvrtc '*)
    for kernel in called header inlined one_caller two_callers; do
        "$program" run "$here/data/findings/stacks.cu" --entry "$kernel" --grid 1 --block 64 -a i32x64 \
            -d 9.0 --sanitize sarif >"$kernel.sarif" 2>err
        empty "SARIF of --sanitize: $kernel" "$([ -s "$kernel.sarif" ] || cat err)"
    done
    "$program" run "$here/data/findings/stacks.cu" --entry header --grid 1 --block 64 -a i32x64 -d 9.0 \
        --sanitize junit >header.xml 2>err
    ;;
*) strictly "SARIF of --sanitize" "there is no NVRTC" ;;
esac

# --- Schemas --------------------------------------------------------------------------------------

cat >validate.py <<'END'
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
validator = jsonschema.validators.validator_for(schema)(schema)
for error in validator.iter_errors(json.load(open(sys.argv[2]))):
    print(list(error.absolute_path), error.message[:200])
END
if [ ! -s "$schemas/sarif.json" ]; then
    strictly "SARIF against its schema" "tests/report_schemas.sh has not fetched it"
elif ! python3 -c 'import jsonschema' 2>/dev/null; then
    strictly "SARIF against its schema" "there is no python3-jsonschema"
else
    for file in *.sarif; do
        empty "$file against the schema of SARIF 2.1.0" \
            "$(python3 validate.py "$schemas/sarif.json" "$file" 2>&1)"
    done
    sed 's/"level": "error"/"level": "fatal"/' out.sarif >wrong.sarif
    [ -n "$(python3 validate.py "$schemas/sarif.json" wrong.sarif 2>&1)" ] ||
        fail "the schema notices a wrong level"
fi
if [ ! -s "$schemas/junit.xsd" ]; then
    strictly "JUnit against an XSD" "tests/report_schemas.sh has not fetched it"
elif ! command -v xmllint >/dev/null; then
    strictly "JUnit against an XSD" "there is no xmllint"
else
    for file in *.xml; do
        empty "$file against Jenkins' XSD of JUnit" \
            "$(xmllint --noout --schema "$schemas/junit.xsd" "$file" 2>&1 | grep -v ' validates$')"
    done
fi

finish_cases
