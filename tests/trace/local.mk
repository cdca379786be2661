# The library that is injected into programs, with a fake driver and a fake CUPTI.
check_PROGRAMS += tests/trace/app tests/trace/pty tests/trace/traced
check_LTLIBRARIES += tests/trace/libfake_cuda.la tests/trace/libfake_cupti.la
TESTS += tests/trace/collect.sh tests/trace/races.sh
EXTRA_DIST += tests/trace/collect.sh tests/trace/races.sh

FAKE_FLAGS = -module -avoid-version -shared -rpath /nowhere
FAKE_CFLAGS = -std=c11 $(WARNING_CFLAGS) -fvisibility=hidden -fno-sanitize=all

tests_trace_app_SOURCES = tests/trace/app.c src/guests/inject/abi.h
tests_trace_app_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_trace_app_CFLAGS = $(FAKE_CFLAGS)
tests_trace_app_LDFLAGS =
tests_trace_libfake_cuda_la_SOURCES = tests/trace/fake_driver.c tests/trace/fake.h
tests_trace_libfake_cuda_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir) -D_GNU_SOURCE
tests_trace_libfake_cuda_la_CFLAGS = $(FAKE_CFLAGS)
tests_trace_libfake_cuda_la_LDFLAGS = $(FAKE_FLAGS)
tests_trace_libfake_cuda_la_LIBADD = -ldl
tests_trace_libfake_cupti_la_SOURCES = tests/trace/fake_cupti.c tests/trace/fake.h
tests_trace_libfake_cupti_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir) -D_GNU_SOURCE
tests_trace_libfake_cupti_la_CFLAGS = $(FAKE_CFLAGS)
tests_trace_libfake_cupti_la_LDFLAGS = $(FAKE_FLAGS)
tests_trace_libfake_cupti_la_LIBADD = -ldl -lpthread
tests_trace_pty_SOURCES = tests/trace/pty.c
tests_trace_pty_CPPFLAGS = $(AM_CPPFLAGS) -D_GNU_SOURCE
tests_trace_pty_CFLAGS = $(FAKE_CFLAGS)
tests_trace_pty_LDFLAGS =
tests_trace_traced_SOURCES = tests/trace/traced.c
tests_trace_traced_LDADD = libsmc.la

# What the library declares of CUDA against the installed headers.
check_PROGRAMS += tests/trace/abi
TESTS += tests/trace/abi
tests_trace_abi_SOURCES = tests/trace/abi.c src/guests/inject/abi.h
tests_trace_abi_CPPFLAGS = $(AM_CPPFLAGS)
if HAVE_CUPTI
tests_trace_abi_CPPFLAGS += -DHAVE_CUPTI_HEADERS
tests/trace/tests_trace_abi-abi.$(OBJEXT) tests/trace/abi-abi.$(OBJEXT): src/hardware/executor/cupti/string
endif
