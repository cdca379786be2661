# Sources of this folder.
libsmc_la_SOURCES += \
	src/timing/arguments.c src/timing/arguments.h \
	src/timing/l1.c src/timing/l1.h \
	src/timing/rates.c src/timing/rates.h \
	src/timing/sm.c src/timing/sm.h \
	src/timing/terms.def \
	src/timing/timing.c src/timing/timing.h \
	src/timing/traces.c src/timing/traces.h
