# The unit tests are one CUnit program: a file and a line in suites.def for each module.
# Every test program and script ends its output with a line "N passed, N failed, N skipped".

EXTRA_DIST += tests/data/golden_cc1_cc2.csv

if HAVE_CUNIT
check_PROGRAMS += tests/unit
TESTS += tests/unit
endif

tests_unit_CPPFLAGS = $(AM_CPPFLAGS) $(CUNIT_CFLAGS) -DSMC_SOURCE_DIR='"$(abs_srcdir)"'
tests_unit_LDADD = libsmc.la $(CUNIT_LIBS)
tests_unit_SOURCES = \
	tests/suites.def \
	tests/test_base.c \
	tests/test_catalog.c \
	tests/test_compare.c \
	tests/test_devices.c \
	tests/unit.c tests/unit.h

