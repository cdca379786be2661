# Sources of this folder. Without the CUDA runtime the program still links: `none` is the back end.
libsmc_la_SOURCES += \
	src/executor/back_end.c \
	src/executor/both.c \
	src/executor/c_types.c src/executor/c_types.h \
	src/executor/ceilings.c src/executor/ceilings.h \
	src/executor/check.c src/executor/check.h \
	src/executor/counters.h \
	src/executor/emulator.c \
	src/executor/executor.c src/executor/executor.h \
	src/executor/health.c src/executor/health.h \
	src/executor/health_emulated.c src/executor/health_emulated.h \
	src/executor/health_figures.def src/executor/health_tests.def src/executor/health_units.def \
	src/executor/metrics.def \
	src/executor/none.c \
	src/executor/barrier_advice.c \
	src/executor/types.def \
	src/executor/user.c src/executor/user.h src/executor/user_time.c src/executor/user_time.h \
	src/executor/user_argument.c src/executor/user_argument.h \
	src/executor/user_memory.c \
	src/executor/user_choice.c \
	src/executor/user_parameters.c \
	src/executor/user_values.c

if HAVE_CUDA
libsmc_la_SOURCES += \
	src/executor/gpu.c src/executor/gpu.h \
	src/executor/gpu_bench.c \
	src/executor/gpu_ceilings.c src/executor/gpu_ceilings.h \
	src/executor/gpu_device.c \
	src/executor/gpu_health.c \
	src/executor/gpu_launch.c \
	src/executor/gpu_measure.c \
	src/executor/gpu_measurements.c \
	src/executor/gpu_probe.c \
	src/executor/gpu_sm_measurements.c
endif

# CUPTI's headers are C++ in one respect: one of them includes <string>. For C it may be empty.
if HAVE_CUPTI
AM_CPPFLAGS += -I$(builddir)/src/executor/cupti
BUILT_SOURCES += src/executor/cupti/string
CLEANFILES += src/executor/cupti/string
libsmc_la_SOURCES += src/executor/gpu_counters.c

src/executor/gpu_counters.lo: src/executor/cupti/string
src/executor/cupti/string:
	$(AM_V_GEN)$(MKDIR_P) $(@D) && : > $@
else
libsmc_la_SOURCES += src/executor/no_counters.c
endif

# What `smemcalc check` compares with, computed by the emulator; written anew by: make update-health
BUILT_SOURCES += src/executor/health_lanes.inc src/executor/health_results.inc
CLEANFILES += src/executor/health_lanes.inc src/executor/health_results.inc
EXTRA_DIST += data/health_lanes.csv data/health_results.csv

src/executor/health_lanes.inc: data/health_lanes.csv data/table.awk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && LC_ALL=C $(AWK) \
	  -f $(srcdir)/data/table.awk $(srcdir)/data/health_lanes.csv > $@.tmp && mv $@.tmp $@

src/executor/health_results.inc: data/health_results.csv data/table.awk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && LC_ALL=C $(AWK) -v text="kernel options" \
	  -f $(srcdir)/data/table.awk $(srcdir)/data/health_results.csv > $@.tmp && mv $@.tmp $@

check_PROGRAMS += src/executor/update_health
src_executor_update_health_SOURCES = src/executor/update_health.c
src_executor_update_health_LDADD = libsmc.la

.PHONY: update-health
update-health: src/executor/update_health$(EXEEXT)
	$(AM_V_GEN)for table in lanes results; do \
	  src/executor/update_health$(EXEEXT) $$table > health.csv.tmp && \
	  mv health.csv.tmp $(srcdir)/data/health_$$table.csv || exit 1; \
	done
