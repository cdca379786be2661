# Sources of this folder.
libsmc_la_SOURCES += \
	src/confirm/confirm.c src/confirm/confirm.h \
	src/confirm/rows.c src/confirm/rows.h
