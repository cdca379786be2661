# Faults in typical commands: calls that fail, one after another, by a library that is preloaded, and
# a hostile machine.
check_PROGRAMS += tests/faults/faults tests/faults/hostile
check_LTLIBRARIES += tests/faults/libfaulty.la
TESTS += tests/faults/faults tests/faults/hostile
FAULT_TRIALS = \
	tests/faults/plan.h tests/faults/trial.c tests/faults/trial.h tests/share.c tests/share.h
tests_faults_faults_SOURCES = tests/faults/faults.c $(FAULT_TRIALS)
tests_faults_faults_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests -D_GNU_SOURCE -DSMC_SOURCE_DIR='"$(abs_srcdir)"'
tests_faults_faults_CFLAGS = $(FAKE_CFLAGS)
tests_faults_faults_LDFLAGS =
tests_faults_hostile_SOURCES = tests/faults/hostile.c $(FAULT_TRIALS)
tests_faults_hostile_CPPFLAGS = $(tests_faults_faults_CPPFLAGS)
tests_faults_hostile_CFLAGS = $(FAKE_CFLAGS)
tests_faults_hostile_LDFLAGS =
tests_faults_libfaulty_la_SOURCES = tests/faults/faulty.c tests/faults/plan.h
tests_faults_libfaulty_la_CPPFLAGS = -D_GNU_SOURCE
tests_faults_libfaulty_la_CFLAGS = -std=c11 $(WARNING_CFLAGS) -fno-sanitize=all -U_FORTIFY_SOURCE \
	-fno-omit-frame-pointer
tests_faults_libfaulty_la_LDFLAGS = $(FAKE_FLAGS)
tests_faults_libfaulty_la_LIBADD = -ldl -lpthread
