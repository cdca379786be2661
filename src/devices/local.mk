library_sources += \
	src/devices/boards.c src/devices/boards.h \
	src/devices/capabilities.c \
	src/devices/ceilings.c src/devices/ceilings.def src/devices/ceilings.h \
	src/devices/devices.h \
	src/devices/find.c
libsmc_la_SOURCES += \
	src/devices/ceilings_entry.c src/devices/ceilings_entry.h \
	src/devices/ceilings_file.c src/devices/ceilings_file.h \
	src/devices/device_file.c src/devices/device_file.h \
	src/devices/device_file_keys.c src/devices/device_file_keys.h \
	src/devices/device_file_read.c src/devices/device_file_read.h

BUILT_SOURCES += src/devices/boards.inc src/devices/capabilities.inc src/devices/ceilings.inc
CLEANFILES += src/devices/boards.inc src/devices/capabilities.inc src/devices/ceilings.inc
EXTRA_DIST += data/table.awk data/compute_capabilities.csv data/devices.csv data/ceilings.csv

src/devices/capabilities.inc: data/compute_capabilities.csv data/table.awk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && LC_ALL=C $(AWK) \
	  -v text="compute_capability family reg_alloc_granularity smem_carveouts_kb uncertain_cells source" \
	  -f $(srcdir)/data/table.awk $(srcdir)/data/compute_capabilities.csv > $@.tmp && mv $@.tmp $@

src/devices/boards.inc: data/devices.csv data/table.awk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && LC_ALL=C $(AWK) \
	  -v text="name other_names chip compute_capability uncertain_cells source" \
	  -f $(srcdir)/data/table.awk $(srcdir)/data/devices.csv > $@.tmp && mv $@.tmp $@

src/devices/ceilings.inc: data/ceilings.csv data/table.awk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && LC_ALL=C $(AWK) -v text="device driver date" \
	  -f $(srcdir)/data/table.awk $(srcdir)/data/ceilings.csv > $@.tmp && mv $@.tmp $@
