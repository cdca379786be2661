# What the scripts share that build and run the fuzzers, or change their kept inputs. To be sourced,
# with the folder of the source in `source`.
# shellcheck shell=bash disable=SC2034,SC2154

corpus=$source/tests/fuzz/corpus
most_bytes=4096 # of a kept input

# NAME FILE LONGEST DICTIONARY SEEDS of each row of fuzzers.def, with tabs between them.
rows() {
    sed -n 's/^FUZZER(\([a-z_]*\), \([a-z_]*\), \([0-9]*\), "\(.*\)", "\(.*\)")$/\1\t\2\t\3\t\4-\t\5/p' \
        "$source/tests/fuzz/fuzzers.def"
}

# The paths of a fuzzer's seeds.
seeds_of() { # PATTERNS
    (
        shopt -s nullglob
        cd "$source" || exit
        for pattern in $1; do # each is expanded
            [ ! -e "$pattern" ] || printf '%s\n' "$source/$pattern"
        done
    )
}

unpack_kept() { # NAME FOLDER: nothing where a fuzzer has no input yet
    [ ! -e "$corpus/$1.tar.gz" ] || tar -xzf "$corpus/$1.tar.gz" -C "$2"
}

# All files of the folder. The same inputs make the same bytes, whoever packs them and when.
pack_kept() { # NAME FOLDER
    local new=$corpus/$1.new
    (cd "$2" && find . -type f -printf '%P\0' | LC_ALL=C sort -z |
        tar --format=ustar --owner=0 --group=0 --numeric-owner --mode=644 --mtime=@0 \
            --null --files-from=- -cf -) | gzip -9n >"$new" &&
        mv "$new" "$corpus/$1.tar.gz" && return
    rm -f "$new"
    return 1
}
