# Sources of this folder.
libsmc_la_SOURCES += \
	src/confirm/confirm.c src/confirm/confirm.h \
	src/confirm/all_gpus.c src/confirm/all_gpus.h \
	src/confirm/figures.def \
	src/confirm/host_health.c src/confirm/host_health.h \
	src/confirm/known_ceilings.c src/confirm/known_ceilings.h \
	src/confirm/launch.c src/confirm/launch.h \
	src/confirm/memory.c \
	src/confirm/merge.c src/confirm/merge.h \
	src/confirm/merge_read.c \
	src/confirm/tuning.c src/confirm/tuning.h \
	src/confirm/tuning_source.c src/confirm/tuning_source.h \
	src/confirm/user.c \
	src/confirm/rows.c \
	src/confirm/series.c src/confirm/series.h
