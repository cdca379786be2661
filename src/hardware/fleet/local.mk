# Sources of this folder.
libsmc_la_SOURCES += \
	src/hardware/fleet/check.c src/hardware/fleet/check.h \
	src/hardware/fleet/check_lines.c \
	src/hardware/fleet/checks.c src/hardware/checks.h \
	src/hardware/fleet/health.c src/hardware/fleet/health.h \
	src/hardware/fleet/health_figures.def \
	src/hardware/fleet/health_tests.def \
	src/hardware/fleet/health_units.def \
	src/hardware/fleet/host_health.c \
	src/hardware/fleet/hostlist.c src/hardware/fleet/hostlist.h \
	src/hardware/fleet/merge.c \
	src/hardware/fleet/merge_read.c \
	src/hardware/fleet/stragglers.c src/hardware/fleet/stragglers.h

# What `smemcalc check` compares with, computed by the emulator; written anew by: make update-health
BUILT_SOURCES += src/hardware/fleet/health_lanes.inc src/hardware/fleet/health_results.inc
CLEANFILES += src/hardware/fleet/health_lanes.inc src/hardware/fleet/health_results.inc
EXTRA_DIST += data/health_lanes.csv data/health_results.csv

src/hardware/fleet/health_lanes.inc: data/health_lanes.csv data/table.awk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && LC_ALL=C $(AWK) \
	  -f $(srcdir)/data/table.awk $(srcdir)/data/health_lanes.csv > $@.tmp && mv $@.tmp $@

src/hardware/fleet/health_results.inc: data/health_results.csv data/table.awk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && LC_ALL=C $(AWK) -v text="kernel options" \
	  -f $(srcdir)/data/table.awk $(srcdir)/data/health_results.csv > $@.tmp && mv $@.tmp $@
