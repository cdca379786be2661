# Sources of this folder.
libsmc_la_SOURCES += \
	src/own/argument.c src/own/argument.h src/own/types.def \
	src/own/entry.c src/own/entry.h \
	src/own/memory.c src/own/memory.h \
	src/own/own.c src/own/own.h
