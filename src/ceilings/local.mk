# Sources of this folder.
libsmc_la_SOURCES += \
	src/ceilings/ceilings_file.c src/ceilings/ceilings_file.h \
	src/ceilings/entry.c src/ceilings/entry.h
