# shellcheck shell=bash
# The folders and the number of jobs are .ci/run's:
# shellcheck disable=SC2154
# The steps of .ci/run that make a release and packages of it: the archive, Debian's packages, a
# static program, one for aarch64. What they fetch is kept between runs in $kept.

kept=${XDG_CACHE_HOME:-$HOME/.cache}/smemcalc-ci

# --- Minimal systems ------------------------------------------------------------------------------

# A minimal Debian as an archive, made where it is not there yet; the mirror is the one that this
# machine's apt has.
base_of_debian() { # ARCHIVE
    local making=$work/debian-base
    [ ! -s "$1" ] || return 0
    # shellcheck disable=SC2046 # there may be no mirror
    mkdir -p "${1%/*}" &&
        debootstrap --variant=minbase bookworm "$making" $(debian_mirror) &&
        tar -C "$making" -cf "$1.new" . && rm -rf "$making" && mv "$1.new" "$1"
}

debian_mirror() {
    # shellcheck disable=SC2016 # the words are apt's
    apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Codename: bookworm' | head -n 1
}

# Unpacks a minimal Debian into the folder, or skips the step.
unpack_debian() { # FOLDER
    local archive=$kept/bookworm-minbase.tar
    [ "$(id -u)" -eq 0 ] || skip_step "only root can enter another system"
    command -v debootstrap >/dev/null || skip_step "there is no debootstrap"
    unshare -m -p -f --kill-child true || skip_step "no mount namespaces here"
    base_of_debian "$archive" || skip_step "debootstrap cannot make a minimal Debian"
    rm -rf "$1"
    mkdir -p "$1" && tar -C "$1" -xf "$archive" && mkdir "$1/root/smemcalc" || return
    cp /etc/resolv.conf "$1/etc/resolv.conf"
    [ -z "${PIP_CERT-}" ] || cp "$PIP_CERT" "$1/root/certificates"
}

in_debian() { # FOLDER COMMAND: in /root/smemcalc
    # shellcheck disable=SC2016 # $1 and $2 are the inner shell's
    unshare -m -p -f --kill-child sh -c 'mount -t proc proc "$1/proc" &&
        mount -t devpts -o newinstance,ptmxmode=0666 devpts "$1/dev/pts" &&
        exec env -i HOME=/root TERM=dumb PATH=/usr/sbin:/usr/bin:/sbin:/bin \
            DEBIAN_FRONTEND=noninteractive ${PIP_CERT:+PIP_CERT=/root/certificates} \
            chroot "$1" sh -c "cd /root/smemcalc && $2"' sh "$@"
}

# --- The archive ----------------------------------------------------------------------------------

version_of_release() {
    sed -n 's/^AC_INIT(\[smemcalc\], \[\([^]]*\)\].*/\1/p' "$root/configure.ac"
}

# The archive of a release in $work/release, made once.
release() { # prints its path
    local archive
    archive=$work/release/smemcalc-$(version_of_release).tar.xz
    [ -s "$archive" ] || (configure_in release && make -s dist) >&2 || return
    echo "$archive"
}

# --- Debian's packages ----------------------------------------------------------------------------

# The source package as a maintainer makes it, in smemcalc-VERSION/.
debian_source() { # FOLDER
    local version archive
    version=$(version_of_release)
    archive=$(release) && cp "$archive" "$1/smemcalc_$version.orig.tar.xz" &&
        tar -C "$1" -xf "$archive" && cp -r "$root/packaging/debian" "$1/smemcalc-$version/debian"
}

# The first five commands of README.md that need no files of the reader's, of the installed program.
readme_commands() { # NUMBER
    awk '/^```console( nvrtc)?$/ { inside = 1; next } /^```/ { inside = 0 }
        inside && !/\.cu/ && sub(/^\$ /, "") { sub(/^\.\/quickstart /, "smemcalc "); print }' "$root/README.md" |
        head -n "$1"
}

step_debian_package() {
    local building=$work/debian-build installed=$work/debian-installed version
    version=$(version_of_release)
    unpack_debian "$building" && debian_source "$building/root/smemcalc" || return
    in_debian "$building" "cd smemcalc-$version && apt-get -q update &&
        apt-get -q -y --no-install-recommends install build-essential fakeroot &&
        apt-get -q -y --no-install-recommends build-dep . &&
        DEB_BUILD_OPTIONS=parallel=$(nproc) dpkg-buildpackage -us -uc" 2>&1 | tee "$work/debian-build.log"
    [ "${PIPESTATUS[0]}" -eq 0 ] || return
    # Not a compilation: a line of what configure found.
    blhc --all --ignore-line ' *C\+\+ names .*' "$work/debian-build.log" || return
    cd "$building/root/smemcalc" &&
        lintian --allow-root -E -i --fail-on error,warning,experimental smemcalc_*.changes || return

    unpack_debian "$installed" && cp ./*.deb "$root/tests/data/trace/torch-h200.json" \
        "$installed/root/smemcalc" || return
    in_debian "$installed" 'apt-get -q update &&
        apt-get -q -y --no-install-recommends install ./*.deb' || return
    readme_commands 5 >"$installed/root/smemcalc/commands" || return
    [ "$(wc -l <"$installed/root/smemcalc/commands")" -eq 5 ] || return
    in_debian "$installed" 'sh -eux commands' || return
    # shellcheck disable=SC2016 # $0 is the inner shell's
    unshare -m -p -f --kill-child sh -c 'mount -t proc proc "$0/proc" &&
        mount --rbind /dev "$0/dev" && autopkgtest --no-built-binaries ./*.deb ./*.dsc -- chroot "$0"' \
        "$installed" || return
    cd "$work" && rm -rf "$building" "$installed"
}

# --- RPM and Conda --------------------------------------------------------------------------------

# They are read by the programs that build packages of them; nothing is built.
step_package_recipes() {
    local version
    version=$(version_of_release)
    grep -qx "Version: *$version" packaging/rpm/smemcalc.spec &&
        head -n 1 packaging/debian/changelog | grep -qF "smemcalc ($version-" &&
        rpmspec -P packaging/rpm/smemcalc.spec >/dev/null &&
        rpmlint --strict -r packaging/rpm/smemcalc.rpmlintrc packaging/rpm/smemcalc.spec || return
    pip3 install -q --no-deps --target "$work/rattler-build" py-rattler-build ||
        skip_step "the RPM spec is fine; py-rattler-build could not be fetched"
    PYTHONPATH=$work/rattler-build packaging/conda/render.py
}

# --- The archive, twice ---------------------------------------------------------------------------

# The archive of a copy of this tree, made with another folder, umask, time zone, language and date of
# files.
archive_of_copy() { # FOLDER UMASK TIMEZONE LOCALE
    (
        umask "$2"
        export TZ=$3 LC_ALL=$4 LOCPATH=$work/locales
        mkdir -p "$1" && cd "$root" &&
            git ls-files -z --cached --others --exclude-standard |
            tar --null -T - --ignore-failed-read -cf - | tar -C "$1" --touch --no-same-permissions -xf - &&
            cd "$1" && autoreconf -fi && mkdir "build here" && cd "build here" &&
            ../configure -q && make -s dist
    )
}

step_reproducible() {
    local first=$work/reproducible-1 second="$work/reproducible 2/with blank"
    SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct)
    export SOURCE_DATE_EPOCH
    mkdir "$work/locales" && localedef -i de_DE -f UTF-8 "$work/locales/de_DE.UTF-8" || return
    archive_of_copy "$first" 022 UTC C &
    archive_of_copy "$second" 077 Asia/Kathmandu de_DE.UTF-8 && wait $! || return
    cmp "$first/build here"/*.tar.xz "$second/build here"/*.tar.xz || return
    # Unpacked, without git and without SOURCE_DATE_EPOCH, it makes itself again.
    unset SOURCE_DATE_EPOCH
    mkdir "$work/reproducible-3" && cd "$work/reproducible-3" &&
        tar -xf "$first/build here"/*.tar.xz && cd smemcalc-* && ./configure -q && make -s dist &&
        cmp "$first/build here"/*.tar.xz ./*.tar.xz && sha256sum ./*.tar.xz
}

# --- Another optimizer ----------------------------------------------------------------------------

# What is inlined across files has warnings that are not true, which are therefore no errors here.
step_lto_o3() {
    configure_in lto --without-cuda CFLAGS='-O3 -flto=auto' AR=gcc-ar RANLIB=gcc-ranlib \
        NM=gcc-nm && make -s "$jobs" generated &&
        make -s "$jobs" smemcalc libsmemcalc.la tests/unit tests/emulated tests/ptx_conformance &&
        srcdir=$root tests/unit && tests/ptx_conformance && passes_or_skips tests/emulated
}

passes_or_skips() { # COMMAND...
    "$@" || [ $? -eq 77 ]
}

# --- A static program -----------------------------------------------------------------------------

# It runs where nothing else is: alone in a folder that is made its root.
alone() { # ARGUMENT...
    unshare -r chroot "$work/alone" /smemcalc "$@"
}

step_static() {
    unshare -r true || skip_step "no user namespaces here"
    configure_in static --enable-werror --enable-static-program --without-cuda --without-cairo &&
        make -s "$jobs" generated && make -s "$jobs" smemcalc || return
    if readelf -lW smemcalc | grep INTERP; then return 1; fi
    mkdir -p "$work/alone" && cp smemcalc "$root/tests/data/source/cooperative.cu" "$work/alone" || return
    alone --tile 32 --device H200 --format json >one.json &&
        jq -e '.occupancy.blocks_per_sm == 2' one.json &&
        alone run --on emulator --tile 16 --size 64 --device H200 2>err &&
        grep 'linked statically and can load no NVRTC' err &&
        alone banks --kernel aat-conflict --tile 32 | grep '992 conflicts' || return
    # Kernels in source need a compiler.
    alone /cooperative.cu --device H200
    [ $? -eq 3 ]
}

# --- aarch64 --------------------------------------------------------------------------------------

libraries_of_debian=libc6-dev,libcunit1-dev,libelf-dev,libiberty-dev,libjansson-dev,liblz4-dev
libraries_of_debian+=,libncurses-dev,libsqlite3-dev,libtomlplusplus-dev,libutf8proc-dev
libraries_of_debian+=,libyajl-dev,libzstd-dev,zlib1g-dev

# The libraries and headers of Debian for aarch64 in an archive, made where it is not there yet.
libraries_for_aarch64() { # ARCHIVE
    local making=$work/arm64 package
    [ ! -s "$1" ] || return 0
    # shellcheck disable=SC2046 # there may be no mirror
    mkdir -p "${1%/*}" "$making/libraries/usr/lib" && ln -s usr/lib "$making/libraries/lib" &&
        debootstrap --foreign --arch=arm64 --variant=minbase --include=$libraries_of_debian bookworm \
            "$making/system" $(debian_mirror) || return
    for package in "$making"/system/var/cache/apt/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$package" |
            tar -C "$making/libraries" --keep-directory-symlink --exclude='./usr/share/doc*' \
                --exclude='./usr/share/man*' --exclude='./dev*' -xf - || return
    done
    tar -C "$making/libraries" -cf "$1.new" lib usr/lib usr/include && rm -rf "$making" &&
        mv "$1.new" "$1"
}

# Links from the root, such as libm.so, would lead to this machine's own files.
keep_links_inside() { # FOLDER
    find "$1" -type l -lname '/*' -printf '%p\t%l\n' |
        while IFS=$'\t' read -r link target; do
            ln -sfnr "$1$target" "$link"
        done
}

# What the emulator computes: the whole report of kernels of the catalog, but for the time that it
# took, and the bytes of mathematical functions and calls.
emulated() { # FOLDER PROGRAM...
    local folder=$1 kernel
    mkdir -p "$folder"
    shift
    for kernel in $("$@" kernels --format json | jq -r '.kernels[].name'); do
        case $kernel in residency | reverse-static | *-racy) continue ;; esac
        "$@" run --on emulator --kernel "$kernel" --size 64 --device H200 --no-nvrtc --format json \
            >"$folder/report" && grep -v '"elapsed_ms"' "$folder/report" >"$folder/$kernel.json" &&
            rm "$folder/report" || return
    done
    "$@" run "$root/tests/data/emulator/calls.ptx" --entry mathematics --grid 16 --block 32 \
        --arg f64x512 --arg f64x512:random --on emulator --device H200 \
        --dump "1:$folder/mathematics" >/dev/null
}

# What reads bytes, rounds or counts; suites that go through many launches take too long under qemu.
suites_for_qemu=(annotation bank_accesses banks base call_stack calls carveouts catalog ceilings cubin
    device_file devices emulator expression fatbin logs machine machine_code model textures)

step_aarch64() {
    local archive=$kept/bookworm-arm64-libraries.tar system=$work/aarch64-system qemu
    command -v aarch64-linux-gnu-gcc >/dev/null || skip_step "there is no compiler for aarch64"
    qemu="qemu-aarch64-static -L $system"
    qemu-aarch64-static --version >/dev/null || skip_step "there is no qemu-aarch64-static"
    libraries_for_aarch64 "$archive" || skip_step "debootstrap cannot fetch libraries for aarch64"
    mkdir -p "$system" && tar -C "$system" -xf "$archive" && keep_links_inside "$system" || return
    configure_in aarch64 --host=aarch64-linux-gnu --enable-werror --without-cuda --without-cairo \
        CC="aarch64-linux-gnu-gcc --sysroot=$system" CXX="aarch64-linux-gnu-g++ --sysroot=$system" \
        PKG_CONFIG=pkg-config PKG_CONFIG_SYSROOT_DIR="$system" \
        PKG_CONFIG_LIBDIR="$system/usr/lib/aarch64-linux-gnu/pkgconfig" &&
        make -s "$jobs" && make -s "$jobs" tests/unit || return
    # shellcheck disable=SC2086 # words
    $qemu ./smemcalc --tile 32 --device H200 && emulated bits $qemu ./smemcalc &&
        srcdir=$root $qemu tests/unit "${suites_for_qemu[@]}" || return
    configure_in gcc --enable-werror CC=gcc && make -s "$jobs" generated &&
        make -s "$jobs" smemcalc && emulated bits ./smemcalc && cd "$work" &&
        diff -r gcc/bits aarch64/bits
}

# --- Other C libraries ----------------------------------------------------------------------------

# The headers of libraries alone, without those of the C library that they stand beside.
headers_of_libraries() { # FOLDER
    local folder header
    mkdir -p "$1"
    for folder in /usr/include "/usr/include/$(gcc -print-multiarch)"; do
        for header in cairo elfutils curses.h gelf.h jansson.h jansson_config.h libelf.h libiberty \
            lz4.h lz4frame.h ncurses.h ncurses_dll.h ncursesw sqlite3.h term.h unctrl.h utf8proc.h yajl zconf.h zlib.h zstd.h; do
            [ ! -e "$folder/$header" ] || ln -sf "$folder/$header" "$1/"
        done
    done
}

# Compiles each source but those of the GPU back end and of what is loaded into programs that use
# CUDA.
compile_each() { # COMPILER...
    (cd "$root" && git ls-files 'src/*.c') | grep -Ev '^src/(hardware/[a-z]+/gpu|guests/)' |
        (
            cd "$work/portable" &&
                xargs -P "$(nproc)" -I{} "$@" -std=c11 -DHAVE_CONFIG_H -I. -I../../src -Isrc \
                    -isystem headers -isystem headers/cairo -isystem headers/yajl \
                    '-DSMC_TRACE_LIBRARY_FOLDER=""' -c "../../{}" -o /dev/null
        )
}

# The program without a GPU compiles with musl, and for macOS, whose headers come with Zig. Nothing is
# linked: the libraries are Debian's.
step_portable() {
    local zig=$work/zig
    configure_in portable --without-cuda ac_cv_header_linux_seccomp_h=no && make -s generated && headers_of_libraries headers &&
        compile_each musl-gcc -Wall -Werror || return
    pip3 install -q --no-deps --target "$zig" ziglang || skip_step "compiled with musl; ziglang could not be fetched"
    ln -sf "/usr/include/$(uname -m)-linux-musl/elf.h" headers/ && echo '#include <sys/cdefs.h>' >headers/features.h
    export ZIG_GLOBAL_CACHE_DIR=$work/zig-cache ZIG_LOCAL_CACHE_DIR=$work/zig-cache
    compile_each "$zig/ziglang/zig" cc -target aarch64-macos -Wall -Werror
}
