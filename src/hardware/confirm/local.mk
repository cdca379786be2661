# Sources of this folder.
libsmc_la_SOURCES += \
	src/hardware/confirm/all_gpus.c src/hardware/all_gpus.h \
	src/hardware/confirm/confirm.c src/hardware/confirm/confirm.h \
	src/hardware/confirm/confirm_rows.c \
	src/hardware/confirm/confirmed_launch.c src/hardware/confirmed_launch.h \
	src/hardware/figures.def \
	src/hardware/host_health.h \
	src/hardware/confirm/known_ceilings.c \
	src/hardware/measured_ceilings.h \
	src/hardware/confirm/memory_confirm.c \
	src/hardware/merge.h \
	src/hardware/confirm/series.c src/hardware/series.h \
	src/hardware/confirm/tuning.c src/hardware/confirm/tuning.h \
	src/hardware/confirm/tuning_source.c src/hardware/tuning_source.h \
	src/hardware/confirm/user_confirm.c \
	src/hardware/confirm/user_pair.c
