# CUDA's driver and runtime on the emulator.
check_PROGRAMS += tests/shim/app tests/shim/abi
TESTS += tests/shim.sh tests/shim/abi
EXTRA_DIST += tests/shim.sh tests/shim/runtime.cu tests/shim/hopper.cu
tests_shim_app_SOURCES = tests/shim/app.c
tests_shim_app_CFLAGS = -std=c11 -fno-sanitize=all
tests_shim_app_LDFLAGS =
tests_shim_app_LDADD = -ldl
tests_shim_abi_SOURCES = tests/shim/abi.c
if HAVE_CUDA
tests_shim_abi_CPPFLAGS = $(AM_CPPFLAGS) -DHAVE_CUDA_RUNTIME_HEADERS
endif
