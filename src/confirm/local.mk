# Sources of this folder.
libsmc_la_SOURCES += \
	src/confirm/confirm.c src/confirm/confirm.h \
	src/confirm/emulated.c src/confirm/emulated.h \
	src/confirm/everywhere.c src/confirm/everywhere.h \
	src/confirm/launch.c src/confirm/launch.h \
	src/confirm/own.c src/confirm/own.h \
	src/confirm/rows.c src/confirm/rows.h
