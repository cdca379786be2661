# Sources of this folder.
libsmc_la_SOURCES += \
	src/timing/terms.def \
	src/timing/timing.c src/timing/timing.h
