#!/bin/sh
# The recipes for continuous integration do what they say: CMake's function on a library, Make's
# fragment, git's hook in a repository, the commands of the workflow and the job. The compiler is a
# stand-in that prints a real log. Run in the build folder.
#   recipes.sh [--strict]   nothing may be skipped

# shellcheck disable=SC2015 # what a case has to complain about is printed by the last command
set -u
export LC_ALL=C NO_COLOR=1 SMEMCALC_PROGRAM=smemcalc SOURCE_DATE_EPOCH=1767225600
unset SMEMCALC_NVRTC SMEMCALC_CACHE_DIR SMEMCALC SMEMCALC_GATE MAKEFLAGS MAKELEVEL MFLAGS CUDACXX
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

here=$(cd "$(dirname "$0")" && pwd) || exit 99
recipes=$here/../recipes
program=$PWD/smemcalc
schemas=${REPORT_SCHEMAS:-$PWD/report-schemas}
strict=${1-}
# shellcheck source=tests/cases.sh
. "$here/cases.sh"

[ -x "$program" ] || { echo "recipes.sh: no ./smemcalc here" >&2; exit 77; }
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
export SMEMCALC_CACHE_DIR="$scratch/cache" HOME="$scratch" GIT_CONFIG_NOSYSTEM=1
# shellcheck source=tests/toolkit.sh
. "$here/toolkit.sh"
mkdir -p prefix/bin prefix/share/cmake/Smemcalc stand-ins
ln -s "$program" prefix/bin/smemcalc
cp "$recipes"/cmake/*.cmake prefix/share/cmake/Smemcalc
cp "$here/data/inspect/own-sm90.ptxas" log
# shellcheck disable=SC2016 # for the scripts
printf '#!/bin/sh\nfor last; do :; done\n: >"$last"\ncat "%s/log" >&2\n' "$scratch" >stand-ins/nvcc
printf '#!/bin/sh\ncat "%s/log"\n' "$scratch" >stand-ins/make
chmod +x stand-ins/*

printf '[[limit]]\nmax_registers = 32\n' >wide.toml
printf '[[limit]]\nmax_registers = 31\n' >narrow.toml
"$program" inspect log -d 9.0 --gate wide.toml >out 2>err
case $?:$(cat err) in
3:*'without toml++'*)
    skip "recipes" "this build has no toml++"
    finish_cases
    ;;
esac

strictly() { # NAME WHY: skipped, unless nothing may be
    if [ "$strict" = --strict ]; then fail "$1" "$2"; else skip "$1" "$2"; fi
}

"$program" inspect log --assume-threads 64 -d 9.0 --gate "$recipes/smemcalc.toml" >out 2>err
status=$?
empty "the example of a gate file is read" "$([ $status -le 1 ] && tail -n 1 out | grep -q '3 kernels' || cat out err)"

# --- Make -----------------------------------------------------------------------------------------

mkdir make && cd make || exit 99
cp "$recipes/make/smemcalc.mk" . && touch a.cu b.cu
printf 'CU_SOURCES = a.cu b.cu\nall: a.o b.o\ninclude smemcalc.mk\n' >Makefile
gate_of_make() { # GATE
    make gate NVCC="$scratch/stand-ins/nvcc" SMEMCALC="$program" SMEMCALC_GATE="../$1" \
        SMEMCALC_FLAGS='-d 9.0' >out 2>&1
}
gate_of_make wide.toml
status=$?
empty "make gate passes a build within its limits" "$(
    [ $status -eq 0 ] && [ -s a.ptxas ] && [ -f b.o ] && grep -q 'kernels judged: no violation' out || cat out)"
gate_of_make narrow.toml
status=$?
empty "make gate fails a build beyond its limits" "$(
    [ $status -ne 0 ] && grep -q 'b.ptxas: spilling on compute capability 9.0: 32 registers' out || cat out)"
printf '#!/bin/sh\necho broken >&2\nexit 1\n' >../stand-ins/broken && chmod +x ../stand-ins/broken
touch a.cu
make gate NVCC=../stand-ins/broken >out 2>&1
status=$?
empty "make gate stops where the compiler fails" "$(
    [ $status -ne 0 ] && grep -q broken out && [ ! -e a.ptxas ] || cat out)"
cd "$scratch" || exit 99

# --- git ------------------------------------------------------------------------------------------

if ! command -v git >/dev/null; then
    strictly "git's hook" "there is no git"
else
    git init -q repository && cd repository || exit 99
    git config user.email nobody@example.com && git config user.name Nobody
    cp "$recipes/pre-commit/smemcalc-gate" .git/hooks/pre-commit
    cp ../narrow.toml smemcalc.toml
    # shellcheck disable=SC2016 # for the script
    printf '#!/bin/sh\nprintf "%%s\\n" "$@" >"%s/words"\nexit ${VERDICT-0}\n' "$scratch" >../stand-ins/smemcalc
    chmod +x ../stand-ins/smemcalc
    printf '__global__ void k(float *x) { x[threadIdx.x] = 1; }\n' >'a b.cu'
    touch other.c && git add . && mkdir deep && cd deep || exit 99
    SMEMCALC=$scratch/stand-ins/smemcalc git commit -qm one >out 2>&1
    status=$?
    cd ..
    empty "the hook of pre-commit judges what is staged" "$(
        [ $status -eq 0 ] || cat deep/out
        printf '%s\n' inspect --kernel '*' --gate smemcalc.toml -- 'a b.cu' | diff - ../words)"
    echo >>'a b.cu' && git add 'a b.cu'
    SMEMCALC=$scratch/stand-ins/smemcalc VERDICT=1 git commit -qm two >out 2>&1
    status=$?
    empty "the hook of pre-commit prevents a commit" "$(
        [ $status -ne 0 ] && [ "$(git log --oneline | wc -l)" -eq 1 ] || cat out)"
    rm ../words
    SMEMCALC=nowhere .git/hooks/pre-commit >out 2>&1
    status=$?
    empty "the hook of pre-commit tells that the program is missing" "$([ $status -eq 3 ] && grep -q 'nowhere was not found' out || cat out)"
    printf 'devices = ["9.0"]\n[[limit]]\nmax_registers = 1\n' >smemcalc.toml
    SMEMCALC=$program .git/hooks/pre-commit 'a b.cu' >out 2>&1
    status=$?
    case $status:$(cat out) in
    3:*) skip "the hook of pre-commit judges a kernel's source" "no compiler for CUDA here" ;;
    *) empty "the hook of pre-commit judges a kernel's source" "$([ $status -eq 1 ] && grep -q 'registers per thread, but at most 1' out || cat out)" ;;
    esac
    cd "$scratch" || exit 99
fi

# --- Workflows ------------------------------------------------------------------------------------

cat >steps.py <<'END'
import sys, yaml
root = yaml.safe_load(open(sys.argv[1]))
if "jobs" in root:
    for step in [step for job in root["jobs"].values() for step in job["steps"]]:
        if step.get("name") == sys.argv[2]:
            print(step["run"] if "run" in step else step["with"]["script"])
elif sys.argv[2] == "script":
    print("\n".join(root["kernels"]["script"]))
END
cat >validate.py <<'END'
import json, sys, yaml, jsonschema
class Loader(yaml.SafeLoader): # "on" is a key, not true
    pass
Loader.yaml_implicit_resolvers = {k: [r for r in v if r[0] != "tag:yaml.org,2002:bool"]
                                  for k, v in yaml.SafeLoader.yaml_implicit_resolvers.items()}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", __import__("re").compile("^(true|false)$"), "tf")
schema = json.load(open(sys.argv[1]))
validator = jsonschema.validators.validator_for(schema)(schema)
for error in validator.iter_errors(yaml.load(open(sys.argv[2]), Loader)):
    print(list(error.absolute_path), error.message[:200])
END

runs() { # NAME STATUS FILE STEP: the commands of a step, with stand-ins for make
    python3 steps.py "$3" "$4" >commands
    PATH="$scratch/stand-ins:$scratch/prefix/bin:$PATH" GITHUB_STEP_SUMMARY=summary.md \
        bash -e commands >out 2>&1
    status=$?
    empty "$1" "$([ -s commands ] || echo "no such step"; [ $status -eq "$2" ] || { echo "exit status $status" && cat commands out; })"
}

# The script of the comment, with stand-ins for GitHub's interface.
comment_on_github() {
    if ! command -v node >/dev/null; then
        skip "GitHub: the comment" "there is no node"
        return
    fi
    python3 steps.py "$github" Comment >comment.js
    cat >interface.js <<'END'
const calls = [];
const issues = {
  listComments: 'list',
  createComment: async words => calls.push(['create', words.issue_number, words.body]),
  updateComment: async words => calls.push(['update', words.comment_id, words.body]),
};
const github = {
  rest: { issues },
  paginate: async (what, words) => what === 'list' && words.issue_number === 7 ? JSON.parse(process.argv[2]) : [],
};
const context = { repo: { owner: 'o', repo: 'r' }, issue: { number: 7 } };
const script = require('fs').readFileSync('comment.js', 'utf8');
const run = Object.getPrototypeOf(async function () {}).constructor;
new run('require', 'github', 'context', script)(require, github, context).then(() =>
  calls.forEach(call => console.log(call[0], call[1], call[2].split('\n')[0], call[2].includes('12 registers'))));
END
    commented "a first comment" 'create 7 <!-- smemcalc --> true' \
        '[{"id":1,"user":null,"body":null},{"id":2,"user":{"type":"User"},"body":"<!-- smemcalc -->"}]'
    commented "the comment is updated" 'update 9 <!-- smemcalc --> true' \
        '[{"id":1,"user":{"type":"Bot"},"body":"x"},{"id":9,"user":{"type":"Bot"},"body":"<!-- smemcalc -->\nold"}]'
}
commented() { # NAME EXPECTED COMMENTS
    empty "GitHub: $1" "$(echo "$2" >expected; node interface.js "$3" 2>&1 | diff expected -)"
}

rm -f stand-ins/smemcalc
printf 'devices = ["9.0"]\n' | cat - narrow.toml >smemcalc.toml
if ! command -v python3 >/dev/null || ! python3 -c 'import yaml' 2>/dev/null; then
    strictly "workflows" "there is no python3-yaml"
elif ! command -v bash >/dev/null; then
    strictly "workflows" "there is no bash"
else
    github=$recipes/github/smemcalc.yml gitlab=$recipes/gitlab/smemcalc.gitlab-ci.yml
    runs "GitHub: the build step" 0 "$github" Build
    runs "GitHub: the check step fails" 1 "$github" 'Check the kernels'
    runs "GitHub: the summary step" 0 "$github" Summary
    empty "GitHub: the job leaves its reports" "$(
        grep -q '"version": "2.1.0"' smemcalc.sarif || cat smemcalc.sarif
        grep -q '^### smemcalc: 1 error' summary.md || cat summary.md)"
    runs "GitHub: build of the base branch" 0 "$github" 'Build the base branch'
    sed -i 's/Used 10 registers/Used 12 registers/' build.log
    runs "GitHub: the comparison step" 0 "$github" Compare
    empty "GitHub: the comparison is in the summary" "$(
        grep -q '^### smemcalc: 1 of 3 kernels is worse' comparison.md || cat comparison.md
        grep -q '^### smemcalc, limits of the gate file: 1 error' comparison.md || cat comparison.md
        grep -q '10 -> 12 registers' summary.md || cat summary.md)"
    mv build.log kept.log
    cp comparison.md kept.md
    runs "GitHub: a comparison that cannot be made fails" 1 "$github" Compare
    mv kept.log build.log
    mv kept.md comparison.md
    comment_on_github
    sanitize=$recipes/github/smemcalc-sanitize.yml
    "$program" --tile 4 -d 9.0 --format json 2>/dev/null | grep -q '"nvrtc ' && nvrtc=yes || nvrtc=no
    if [ "$nvrtc" = no ]; then
        strictly "GitHub: sanitize" "there is no NVRTC"
    else
        cp "$here/data/findings/stacks.cu" "$here/data/findings/stacks.h" .
        export LAUNCH='stacks.cu --entry one_caller --grid 1 --block 64 --arg i32x64'
        runs "GitHub: the sanitize step fails" 1 "$sanitize" 'Run on the emulator'
        empty "GitHub: the findings of --sanitize are in SARIF" "$(grep -q '"ruleId": "race_write_read"' smemcalc.sarif || cat smemcalc.sarif)"
        runs "GitHub: the findings as text" 0 "$sanitize" 'Show the findings'
        empty "GitHub: the findings of --sanitize have call stacks" "$(grep -q 'called from one_caller at stacks.cu' out || cat out)"
    fi
    runs "GitLab: the job fails" 1 "$gitlab" script
    empty "GitLab: the job leaves JUnit" "$(grep -q '<testsuites name="smemcalc" tests="3" failures="1"' smemcalc.xml || cat smemcalc.xml)"
    cp wide.toml smemcalc.toml
    sed -i '1i devices = ["9.0"]' smemcalc.toml
    runs "GitLab: the job passes" 0 "$gitlab" script
    python3 -c 'import sys, yaml; hooks = yaml.safe_load(open(sys.argv[1])); print(hooks[0]["entry"])' \
        "$here/../.pre-commit-hooks.yaml" >entry 2>&1
    empty "pre-commit: the hook is there" "$([ -x "$here/../$(cat entry)" ] || cat entry)"
    if [ ! -s "$schemas/workflow.json" ]; then
        strictly "workflows against their schemas" "tests/report_schemas.sh has not fetched them"
    elif ! python3 -c 'import jsonschema' 2>/dev/null; then
        strictly "workflows against their schemas" "there is no python3-jsonschema"
    else
        for workflow in "$github" "$sanitize"; do
            empty "GitHub's schema: $(basename "$workflow")" \
                "$(python3 validate.py "$schemas/workflow.json" "$workflow" 2>&1)"
        done
        empty "the example for GitLab against GitLab's schema" "$(python3 validate.py "$schemas/gitlab.json" "$gitlab" 2>&1)"
    fi
fi

# --- CMake ----------------------------------------------------------------------------------------

cat >kernels.cu <<'END'
__global__ void scale(float *x, float by) { x[blockIdx.x * blockDim.x + threadIdx.x] *= by; }
END
if ! command -v cmake >/dev/null; then
    strictly "CMake's function" "there is no cmake"
elif [ -z "$nvcc" ] || ! "$nvcc" -arch=sm_90 -fatbin -o kernels.fatbin kernels.cu; then
    skip "CMake's function" "there is no nvcc"
else
    # CMake knows CUDA only with a real nvcc. The function is the same for every language.
    language=C
    [ -z "${TEST_LIVE-}" ] || language=CUDA
    mkdir project && mv kernels.* project && cd project || exit 99
    printf '__asm__(".section .nv_fatbin,\\"a\\"\\n.incbin \\"%s\\"\\n.previous\\n");\n' \
        "$PWD/kernels.fatbin" >kernels.c
    cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(example LANGUAGES ${LANGUAGE})
enable_testing()
find_package(Smemcalc REQUIRED)
set(kernels kernels.c)
if(LANGUAGE STREQUAL CUDA)
    set(kernels kernels.cu)
endif()
add_library(kernels STATIC ${kernels})
set_target_properties(kernels PROPERTIES CUDA_ARCHITECTURES 90)
smemcalc_gate(kernels DEVICES 9.0 OPTIONS --threads 128)
add_library(objects OBJECT ${kernels})
set_target_properties(objects PROPERTIES CUDA_ARCHITECTURES 90)
smemcalc_gate(objects GATE narrow.toml REPORT report.sarif)
END
    printf '[[limit]]\nmin_blocks = 2\nmax_registers = 64\n' >smemcalc.toml
    printf 'devices = ["9.0"]\n[[limit]]\nmax_registers = 1\n' >narrow.toml
    CUDACXX=$nvcc cmake -S . -B build -DLANGUAGE=$language -DCMAKE_PREFIX_PATH="$scratch/prefix" \
        >out 2>&1 &&
        cmake --build build >>out 2>&1
    status=$?
    empty "CMake: a project with smemcalc_gate" "$([ $status -eq 0 ] || tail -n 30 out)"
    (cd build && ctest) >out 2>&1
    empty "CMake: the tests of smemcalc_gate" "$(
        grep -q 'smemcalc.kernels .* *Passed' out && grep -q 'smemcalc.objects .*Failed' out || cat out)"
    cmake --build build --target kernels_gate >out 2>&1
    status=$?
    empty "CMake: the target of smemcalc_gate passes" "$(
        [ $status -eq 0 ] && grep -q '1 kernel judged: no violation' out || cat out)"
    cmake --build build --target objects_gate >out 2>&1
    status=$?
    empty "CMake: the target of smemcalc_gate fails, and leaves its report" "$(
        [ $status -ne 0 ] && grep -q '"ruleId": "registers"' build/report.sarif || cat out)"
    sed -i 's/(kernels DEVICES/(kernels WRONG DEVICES/' CMakeLists.txt
    cmake -B build >out 2>&1
    empty "CMake: smemcalc_gate refuses an unknown argument" "$(grep -q 'unknown argument' out || cat out)"
    cd "$scratch" || exit 99
fi

finish_cases
