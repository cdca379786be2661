#!/bin/sh
# What is built has the hardening that configure found: position-independent programs, full RELRO,
# no executable stack, the stack protector, fortified calls, and control-flow protection; the
# libraries that are injected into programs, too. Run in the build folder.

set -u
export LC_ALL=C
# shellcheck source=tests/cases.sh
. "$(dirname "$0")/cases.sh"

[ -r config.h ] || { echo "$0: no ./config.h here" >&2; exit 77; }
found=$(sed -n 's/^#define SMC_HARDENING "\(.*\)"$/\1/p' config.h)
case $found in
'' | no' '* | none) skip "hardening" "configure: ${found:-no summary}"; finish_cases ;;
esac
command -v readelf >/dev/null || { skip "hardening" "there is no readelf"; finish_cases; }
# shellcheck disable=SC2086 # CC may be several words
machine=$(${CC:-cc} -dumpmachine 2>/dev/null)

has() { # WORDS: in configure's summary
    case ", $found," in *", $1"*) true ;; *) false ;; esac
}

libraries=$(ls .libs/libsmemcalc.so .libs/libsmemcalc_*.so)
count=$(printf '%s\n' "$libraries" | wc -l)
empty "the library, that of traces and those of CUDA on the emulator were built" \
    "$([ "$count" -eq 6 ] || echo "$libraries")"

flag() { # NAME FILE PATTERN READELF-OPTION
    empty "$1: $2" "$(readelf -W "$4" "$2" | grep -Eq "$3" || echo "readelf $4 shows no $3")"
}

for file in smemcalc $libraries; do
    has 'full RELRO' && flag "RELRO" "$file" '^ +GNU_RELRO ' -l
    has 'full RELRO' && flag "all symbols are bound at start" "$file" 'FLAGS.* (BIND_)?NOW' -d
    has 'no executable stack' && flag "no executable stack" "$file" '^ +GNU_STACK .* RW +0x' -l
done
has PIE && flag "position-independent" smemcalc 'Type: +DYN \(Position-Independent|Flags:.* PIE' -dh

# Where there are arrays on the stack, and calls that have a checked form.
guarded='smemcalc .libs/libsmemcalc.so .libs/libsmemcalc_cuda.so .libs/libsmemcalc_trace.so'
for file in $guarded; do
    has 'stack protector' && flag "the stack protector" "$file" '__stack_chk_fail' --dyn-syms
    has 'fortify' && flag "fortified calls" "$file" ' __[a-z]+_chk@' --dyn-syms
done

# An object of ours: of the program, what is linked in of other libraries decides as well.
case $machine in
x86_64-*)
    if has 'control flow'; then
        flag "control-flow protection" src/main.o 'IBT, SHSTK' -n
    fi
    if has 'stack clash' && command -v objdump >/dev/null; then
        # shellcheck disable=SC2016 # the words are the assembler's
        empty "large frames are probed page by page" "$(objdump -d smemcalc |
            grep -Eq '(or[bq]|mov[bq]) +\$0x0,(0x[0-9a-f]+)?\(%rsp' || echo "no probe")"
    fi
    ;;
aarch64-*)
    has 'control flow' && flag "control-flow protection" src/main.o 'BTI, PAC' -n
    ;;
esac

finish_cases
