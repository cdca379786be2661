# Benchmarks: `make bench` runs them all and prints their figures. They are no part of make check.
EXTRA_PROGRAMS += bench/model_speed
bench_model_speed_SOURCES = bench/model_speed.c tests/oracle_device.h tests/oracle_launches.h
bench_model_speed_LDADD = libsmc.la
bench_model_speed_CPPFLAGS = $(AM_CPPFLAGS)
if HAVE_OCCUPANCY_HEADER
bench_model_speed_CPPFLAGS += -DHAVE_OCCUPANCY_HEADER
endif
CLEANFILES += bench/model_speed$(EXEEXT)
EXTRA_DIST += bench/batch.sh bench/emulator_speed.sh bench/start.sh

.PHONY: bench
bench: smemcalc$(EXEEXT) bench/model_speed$(EXEEXT)
	bench/model_speed$(EXEEXT)
	$(srcdir)/bench/batch.sh
	$(srcdir)/bench/start.sh
	$(srcdir)/bench/emulator_speed.sh
