# Checks of smemcalc's own.

# SMC_CHECK_CUDA: --with-cuda[=DIR] and --without-cuda. Sets CUDA_CPPFLAGS, CUDA_LIBS (a static
# cudart, so that the program starts on a machine without CUDA), have_cuda, have_cupti (its headers;
# the library is opened when the program runs), have_occupancy_header and cuda_summary. An explicit request that cannot be met is an error; a guess that fails is not.
AC_DEFUN([SMC_CHECK_CUDA], [
AC_ARG_WITH([cuda],
  [AS_HELP_STRING([--with-cuda@<:@=DIR@:>@], [launch kernels with the CUDA Toolkit in DIR [guessed]])],
  [], [with_cuda=check])
have_cuda=no
have_cupti=no
have_occupancy_header=no
cuda_summary="no (--without-cuda)"
AS_IF([test "x$with_cuda" != xno], [
  cuda_summary="no (no CUDA Toolkit found)"
  AS_CASE([$with_cuda],
    [yes|check], [smc_cuda_dirs="$CUDA_PATH $CUDA_HOME /usr/local/cuda /opt/cuda /usr/lib/cuda /usr"],
    [smc_cuda_dirs="$with_cuda"])
  for smc_dir in $smc_cuda_dirs; do
    AS_IF([test -r "$smc_dir/include/cuda_occupancy.h" && test "x$have_occupancy_header" = xno],
      [have_occupancy_header=yes; CUDA_CPPFLAGS="-isystem $smc_dir/include"])
    for smc_lib in lib64 lib lib/x86_64-linux-gnu lib/aarch64-linux-gnu targets/x86_64-linux/lib; do
      AS_IF([test "x$have_cuda" = xno && test -r "$smc_dir/include/cuda_runtime_api.h" &&
             test -r "$smc_dir/$smc_lib/libcudart_static.a"],
        [SMC_TRY_CUDA([$smc_dir], [$smc_lib])])
    done
  done
  AS_IF([test "x$have_cuda" = xno && test "x$with_cuda" != xcheck],
    [AC_MSG_ERROR([--with-cuda: no cuda_runtime_api.h with libcudart_static.a in: $smc_cuda_dirs])])
])
AS_IF([test "x$have_cuda" = xyes], [AC_DEFINE([HAVE_CUDA], [1], [Built with the CUDA runtime])])
AC_SUBST([CUDA_CPPFLAGS])
AC_SUBST([CUDA_LIBS])
])

# SMC_CHECK_NEWEST_CUDA_HEADERS: --with-newest-cuda-headers[=DIR], for the tests that hold the model
# to the newest cuda_occupancy.h beside the installed one. Guessed: what tests/newest_cuda.sh put
# into the build folder. Sets NEWEST_CUDA_CPPFLAGS and newest_cuda_summary.
AC_DEFUN([SMC_CHECK_NEWEST_CUDA_HEADERS], [
AC_ARG_WITH([newest-cuda-headers],
  [AS_HELP_STRING([--with-newest-cuda-headers@<:@=DIR@:>@],
    [also test against the cuda_occupancy.h in DIR [newest-cuda in the build folder]])],
  [], [with_newest_cuda_headers=check])
newest_cuda_summary=no
AS_CASE([$with_newest_cuda_headers],
  [no], [smc_dirs=],
  [yes|check], [smc_dirs=`ls -d "$(pwd)"/newest-cuda/nvidia/*/include 2>/dev/null`],
  [smc_dirs="$with_newest_cuda_headers $with_newest_cuda_headers/include"])
for smc_dir in $smc_dirs; do
  AS_IF([test -r "$smc_dir/cuda_occupancy.h" && test -r "$smc_dir/cuda.h"],
    [newest_cuda_summary="$smc_dir"
     NEWEST_CUDA_CPPFLAGS="-DHAVE_OCCUPANCY_HEADER -isystem $smc_dir"])
done
AS_IF([test "x$newest_cuda_summary" = xno],
  [AS_CASE([$with_newest_cuda_headers], [no|check], [],
    [AC_MSG_ERROR([--with-newest-cuda-headers: no cuda_occupancy.h with cuda.h in: $smc_dirs])])])
AC_SUBST([NEWEST_CUDA_CPPFLAGS])
])

AC_DEFUN([SMC_TRY_CUDA], [
  smc_saved_CPPFLAGS=$CPPFLAGS
  smc_saved_LIBS=$LIBS
  CPPFLAGS="$CPPFLAGS -isystem $1/include"
  LIBS="-L$1/$2 -lcudart_static -lpthread -ldl -lrt $LIBS"
  AC_MSG_CHECKING([for a static CUDA runtime in $1/$2])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <cuda_runtime_api.h>
#if CUDART_VERSION < 12080
#error "cudaLibraryLoadData needs CUDA 12.8"
#endif]], [[return cudaLibraryLoadData(0, 0, 0, 0, 0, 0, 0, 0);]])],
    [have_cuda=yes
     CUDA_CPPFLAGS="-isystem $1/include"
     CUDA_LIBS="-L$1/$2 -lcudart_static -lpthread -ldl -lrt"
     cuda_summary="yes ($1)"
     for smc_cupti in include extras/CUPTI/include; do
       AS_IF([test "x$have_cupti" = xno && test -r "$1/$smc_cupti/cupti_range_profiler.h"],
         [have_cupti=yes
          AS_IF([test "x$smc_cupti" != xinclude],
            [CUDA_CPPFLAGS="$CUDA_CPPFLAGS -isystem $1/$smc_cupti"])])
     done])
  AC_MSG_RESULT([$have_cuda])
  CPPFLAGS=$smc_saved_CPPFLAGS
  LIBS=$smc_saved_LIBS
])

# SMC_STATIC_LIBRARY(VARIABLE, MODULE): the static libraries of a pkg-config module and of what it
# needs, by their paths; -lNAME stays where the compiler knows no libNAME.a, and for the C library's
# own, which a machine has in its own version. For programs that are carried to another machine.
AC_DEFUN([SMC_STATIC_LIBRARY], [
AC_MSG_CHECKING([for static libraries of $2])
$1=
for smc_word in `$PKG_CONFIG --libs --static "$2" 2>/dev/null`; do
  AS_CASE([$smc_word], [-lc|-lm|-ldl|-lrt|-lpthread], [], [-l*], [
    smc_name=${smc_word#-l}
    for smc_file in "lib$smc_name.a" "lib${smc_name}_s.a"; do
      smc_path=`$CC -print-file-name="$smc_file" 2>/dev/null`
      AS_IF([test -r "$smc_path"], [smc_word=$smc_path])
    done])
  $1="$$1 $smc_word"
done
AC_MSG_RESULT([${$1:-none}])
AC_SUBST([$1])
])

# SMC_OPTIONAL_LIBRARY(VARIABLE, NAME, MODULE, PURPOSE): --with-NAME and --without-NAME for a library
# that pkg-config knows. Sets have_NAME, VARIABLE_CFLAGS, VARIABLE_LIBS and VARIABLE_STATIC, and
# defines HAVE_VARIABLE. An explicit request that cannot be met is an error.
AC_DEFUN([SMC_OPTIONAL_LIBRARY], [
AC_ARG_WITH([$2], [AS_HELP_STRING([--without-$2], [do without $4])], [], [with_$2=check])
have_$2=no
AS_IF([test "x$with_$2" != xno],
  [PKG_CHECK_MODULES([$1], [$3], [have_$2=yes],
    [AS_IF([test "x$with_$2" != xcheck], [AC_MSG_ERROR([--with-$2: $$1_PKG_ERRORS])])])])
AS_IF([test "x$have_$2" = xyes],
  [AC_DEFINE([HAVE_$1], [1], [Built with $4])
   SMC_STATIC_LIBRARY([$1_STATIC], [$3])])
])

# SMC_CHECK_DEMANGLER: --with-libiberty and --without-libiberty. Sets DEMANGLE_LIBS and
# demangle_summary; without it kernels keep their mangled names.
AC_DEFUN([SMC_CHECK_DEMANGLER], [
AC_ARG_WITH([libiberty],
  [AS_HELP_STRING([--without-libiberty], [show C++ kernels by their mangled names])],
  [], [with_libiberty=check])
have_libiberty=no
demangle_summary="mangled (--without-libiberty)"
AS_IF([test "x$with_libiberty" != xno], [
  demangle_summary="mangled (libiberty was not found: libiberty-dev)"
  smc_saved_LIBS=$LIBS
  LIBS="-liberty $LIBS"
  AC_MSG_CHECKING([for libiberty's demangler])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <libiberty/demangle.h>
static void take(const char *text, size_t length, void *context)
{
    (void)text, (void)length, (void)context;
}]], [[return cplus_demangle_v3_callback("_Z1fv", DMGL_PARAMS | DMGL_NO_RECURSE_LIMIT, take, 0);]])],
    [have_libiberty=yes
     DEMANGLE_LIBS="-liberty"
     demangle_summary="demangled (libiberty)"
     AC_DEFINE([HAVE_LIBIBERTY], [1], [C++ names are demangled with libiberty])])
  AC_MSG_RESULT([$have_libiberty])
  LIBS=$smc_saved_LIBS
  AS_IF([test "x$have_libiberty" = xno && test "x$with_libiberty" != xcheck],
    [AC_MSG_ERROR([--with-libiberty: libiberty/demangle.h or -liberty was not found])])
])
AC_SUBST([DEMANGLE_LIBS])
])

# SMC_CHECK_TOML: --with-toml and --without-toml. toml++ is headers of C++, so that it needs a C++
# compiler as well. Sets have_toml, toml_summary and CXX_LIBS: the C++ runtime, linked statically
# where there is such a library, because loading it would take longer than most answers; not with
# sanitizers, which need to see the one that throws.
AC_DEFUN([SMC_CHECK_TOML], [
AC_ARG_WITH([toml],
  [AS_HELP_STRING([--without-toml], [do without gate files])],
  [], [with_toml=check])
have_toml=no
toml_summary="no (--without-toml)"
AS_IF([test "x$with_toml" != xno], [
  toml_summary="no (toml++ 3 or its C++17 compiler was not found: libtomlplusplus-dev, g++)"
  AC_MSG_CHECKING([for toml++])
  AC_LANG_PUSH([C++])
  smc_saved_CXXFLAGS=$CXXFLAGS
  CXXFLAGS="$CXXFLAGS -std=c++17"
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>
#if TOML_LIB_MAJOR < 3
#error "too old"
#endif]], [[return !toml::parse("a = 1")]])], [have_toml=yes])
  CXXFLAGS=$smc_saved_CXXFLAGS
  AC_LANG_POP([C++])
  AC_MSG_RESULT([$have_toml])
  AS_IF([test "x$have_toml" = xno && test "x$with_toml" != xcheck],
    [AC_MSG_ERROR([--with-toml: toml++/toml.h cannot be compiled])])
])
AS_IF([test "x$have_toml" = xyes], [
  AC_DEFINE([HAVE_TOML], [1], [Gate files are read with toml++])
  toml_summary="yes (toml++)"
  CXX_LIBS=-lstdc++
  smc_path=`$CXX -print-file-name=libstdc++.a 2>/dev/null`
  AS_IF([test -r "$smc_path" && test "x$enable_asan" != xyes],
    [CXX_LIBS="-l:libstdc++.a -l:libgcc_eh.a"])
])
AC_SUBST([CXX_LIBS])
])

# SMC_TRY_FLAG(VARIABLE, FLAG, [LINKER'S FLAG OF THE TRIAL]): appends FLAG to VARIABLE if a program
# can be compiled and linked with it without a warning, and sets smc_tried to yes or no.
AC_DEFUN([SMC_TRY_FLAG], [
AC_MSG_CHECKING([whether $CC accepts $2])
smc_saved_CFLAGS=$CFLAGS
smc_saved_LIBS=$LIBS
CFLAGS="-Werror $2 $CFLAGS"
LIBS="$DEMANGLE_LIBS $CXX_LIBS $LIBS"
smc_tried=no
AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <stdio.h>
#include <string.h>]], [[char text[64]; return !fgets(text, sizeof text, stdin) || strlen(text)]])],
  [$1="$$1 m4_default([$3], [$2])"; smc_tried=yes])
CFLAGS=$smc_saved_CFLAGS
LIBS=$smc_saved_LIBS
AC_MSG_RESULT([$smc_tried])
])

# SMC_CHECK_HARDENING: --disable-hardening. What the compiler and the linker have against the misuse
# of memory. Sets HARDENING_CFLAGS and HARDENING_LDFLAGS, for all that is built, PIE_CFLAGS and
# PIE_LDFLAGS, for programs, and hardening_summary. After the libraries, since one that is only a
# static one decides whether programs can be position-independent. _FORTIFY_SOURCE needs
# optimization, does not go with sanitizers, and may come from the distribution's flags.
AC_DEFUN([SMC_CHECK_HARDENING], [
AC_ARG_ENABLE([hardening],
  [AS_HELP_STRING([--disable-hardening],
    [do without _FORTIFY_SOURCE, stack and control-flow protection, PIE and full RELRO])],
  [], [enable_hardening=yes])
HARDENING_CFLAGS=
HARDENING_LDFLAGS=
PIE_CFLAGS=
PIE_LDFLAGS=
hardening_summary="no (--disable-hardening)"
AS_IF([test "x$enable_hardening" != xno], [
  hardening_summary=
  AC_MSG_CHECKING([for _FORTIFY_SOURCE])
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#ifdef _FORTIFY_SOURCE
#error set
#endif]], [])], [smc_fortify=unset], [smc_fortify="as in the compiler's flags"])
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#ifndef __OPTIMIZE__
#error needed
#endif]], [])], [], [smc_fortify="no (not optimized)"])
  AS_IF([test "x$enable_asan" = xyes], [smc_fortify="no (sanitizers)"])
  AC_MSG_RESULT([$smc_fortify])
  for smc_level in 3 2; do
    AS_IF([test "x$smc_fortify" = xunset],
      [SMC_TRY_FLAG([HARDENING_CFLAGS], [-D_FORTIFY_SOURCE=$smc_level])
       AS_IF([test "x$smc_tried" = xyes], [smc_fortify=$smc_level])])
  done
  AS_CASE([$smc_fortify], [@<:@23@:>@], [hardening_summary="fortify $smc_fortify,"],
    [as*], [hardening_summary="fortify $smc_fortify,"])
  SMC_TRY_FLAG([HARDENING_CFLAGS], [-fstack-protector-strong])
  AS_IF([test "x$smc_tried" = xyes], [hardening_summary="$hardening_summary stack protector,"])
  SMC_TRY_FLAG([HARDENING_CFLAGS], [-fstack-clash-protection])
  AS_IF([test "x$smc_tried" = xyes], [hardening_summary="$hardening_summary stack clash,"])
  smc_tried=no
  AS_CASE([$host_cpu],
    [x86_64|i?86], [SMC_TRY_FLAG([HARDENING_CFLAGS], [-fcf-protection])],
    [aarch64*], [SMC_TRY_FLAG([HARDENING_CFLAGS], [-mbranch-protection=standard])])
  AS_IF([test "x$smc_tried" = xyes], [hardening_summary="$hardening_summary control flow,"])
  SMC_TRY_FLAG([PIE_LDFLAGS], [-fPIE -pie], [-pie])
  AS_IF([test "x$smc_tried" = xyes],
    [PIE_CFLAGS=-fPIE; hardening_summary="$hardening_summary PIE,"])
  SMC_TRY_FLAG([HARDENING_LDFLAGS], [-Wl,-z,relro,-z,now])
  AS_IF([test "x$smc_tried" = xyes], [hardening_summary="$hardening_summary full RELRO,"])
  SMC_TRY_FLAG([HARDENING_LDFLAGS], [-Wl,-z,noexecstack])
  AS_IF([test "x$smc_tried" = xyes], [hardening_summary="$hardening_summary no executable stack,"])
  hardening_summary=`AS_ECHO(["${hardening_summary:-none}"]) | $SED 's/^ //;s/,$//'`
])
AC_DEFINE_UNQUOTED([SMC_HARDENING], ["$hardening_summary"], [What protects against misused memory])
AC_SUBST([HARDENING_CFLAGS])
AC_SUBST([HARDENING_LDFLAGS])
AC_SUBST([PIE_CFLAGS])
AC_SUBST([PIE_LDFLAGS])
])

# SMC_LIST_LIBRARIES: defines SMC_LIBRARIES, what this build has: "jansson 2.14, libelf 0.188, ...".
AC_DEFUN([SMC_LIST_LIBRARIES], [
smc_modules="jansson libutf8proc libelf yajl"
AS_IF([test "x$have_cairo" = xyes], [smc_modules="$smc_modules cairo"])
AS_IF([test "x$have_curses" = xyes], [smc_modules="$smc_modules ncursesw"])
AS_IF([test "x$have_lz4" = xyes], [smc_modules="$smc_modules liblz4"])
AS_IF([test "x$have_zstd" = xyes], [smc_modules="$smc_modules libzstd"])
AS_IF([test "x$have_zlib" = xyes], [smc_modules="$smc_modules zlib"])
AS_IF([test "x$have_sqlite" = xyes], [smc_modules="$smc_modules sqlite3"])
smc_libraries=
for smc_module in $smc_modules; do
  smc_libraries="$smc_libraries$smc_module `$PKG_CONFIG --modversion $smc_module`, "
done
AS_IF([test "x$have_libiberty" = xyes], [smc_libraries="${smc_libraries}libiberty, "])
AS_IF([test "x$have_toml" = xyes], [smc_libraries="${smc_libraries}toml++, "])
AC_DEFINE_UNQUOTED([SMC_LIBRARIES], ["${smc_libraries%, }"], [The libraries of this build])
])
