# Sources of this folder.
libsmc_la_SOURCES += \
	src/confirm/confirm.c src/confirm/confirm.h \
	src/confirm/emulated.c src/confirm/emulated.h \
	src/confirm/figures.def src/confirm/series.c src/confirm/series.h \
	src/confirm/series_figures.c src/confirm/series_run.c \
	src/confirm/launch.c src/confirm/launch.h \
	src/confirm/own.c src/confirm/own.h \
	src/confirm/rows.c src/confirm/rows.h
