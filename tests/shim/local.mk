# CUDA's driver and runtime on the emulator.
check_PROGRAMS += tests/shim/app tests/shim/abi
TESTS += tests/shim.sh tests/shim/abi
EXTRA_DIST += tests/shim.sh tests/shim/runtime.cu tests/shim/hopper.cu \
	tests/shim/launches.cu tests/shim/launches.h100.txt.gz
tests_shim_app_SOURCES = tests/shim/app.c tests/shim/calls.h
tests_shim_app_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_shim_app_CFLAGS = -std=c11 -fno-sanitize=all
tests_shim_app_LDFLAGS =
tests_shim_app_LDADD = -ldl
check_PROGRAMS += tests/shim/driver_calls tests/shim/driver_memory tests/shim/runtime_calls
tests_shim_driver_calls_SOURCES = tests/shim/driver_calls.c tests/shim/calls.h
tests_shim_driver_calls_CPPFLAGS = $(tests_shim_app_CPPFLAGS)
tests_shim_driver_calls_CFLAGS = $(tests_shim_app_CFLAGS)
tests_shim_driver_calls_LDFLAGS =
tests_shim_driver_calls_LDADD = -ldl
tests_shim_driver_memory_SOURCES = tests/shim/driver_memory.c tests/shim/calls.h
tests_shim_driver_memory_CPPFLAGS = $(tests_shim_app_CPPFLAGS)
tests_shim_driver_memory_CFLAGS = $(tests_shim_app_CFLAGS)
tests_shim_driver_memory_LDFLAGS =
tests_shim_driver_memory_LDADD = -ldl
tests_shim_runtime_calls_SOURCES = tests/shim/runtime_calls.c tests/shim/calls.h
tests_shim_runtime_calls_CPPFLAGS = $(tests_shim_app_CPPFLAGS)
tests_shim_runtime_calls_CFLAGS = $(tests_shim_app_CFLAGS)
tests_shim_runtime_calls_LDFLAGS =
tests_shim_runtime_calls_LDADD = -ldl
check_PROGRAMS += tests/shim/captures
tests_shim_captures_SOURCES = tests/shim/captures.c tests/shim/calls.h
tests_shim_captures_CPPFLAGS = $(tests_shim_app_CPPFLAGS)
tests_shim_captures_CFLAGS = $(tests_shim_app_CFLAGS)
tests_shim_captures_LDFLAGS =
tests_shim_captures_LDADD = -ldl -lpthread
check_PROGRAMS += tests/shim/mistakes
tests_shim_mistakes_SOURCES = tests/shim/mistakes.c tests/shim/calls.h
tests_shim_mistakes_CPPFLAGS = $(tests_shim_app_CPPFLAGS)
tests_shim_mistakes_CFLAGS = $(tests_shim_app_CFLAGS)
tests_shim_mistakes_LDFLAGS =
tests_shim_mistakes_LDADD = -ldl
check_PROGRAMS += tests/shim/linked12 tests/shim/linked13
tests_shim_linked12_SOURCES = tests/shim/linked.c
tests_shim_linked12_CPPFLAGS = $(tests_shim_app_CPPFLAGS) -DLINKED_RUNTIME=12
tests_shim_linked12_CFLAGS = $(tests_shim_app_CFLAGS)
tests_shim_linked12_LDFLAGS =
tests_shim_linked12_LDADD =
tests_shim_linked13_SOURCES = tests/shim/linked.c
tests_shim_linked13_CPPFLAGS = $(tests_shim_app_CPPFLAGS) -DLINKED_RUNTIME=13
tests_shim_linked13_CFLAGS = $(tests_shim_app_CFLAGS)
tests_shim_linked13_LDFLAGS =
tests_shim_linked13_LDADD =
tests_shim_abi_SOURCES = tests/shim/abi.c
if HAVE_CUDA
tests_shim_abi_CPPFLAGS = $(AM_CPPFLAGS) -DHAVE_CUDA_RUNTIME_HEADERS
endif
