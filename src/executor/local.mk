# Sources of this folder. Without the CUDA runtime the program still links: `none` takes its place.
libsmc_la_SOURCES += \
	src/executor/clock.c src/executor/clock.h \
	src/executor/default.c \
	src/executor/executor.h \
	src/executor/live.c src/executor/live.h \
	src/executor/none.c \
	src/executor/verify.c src/executor/verify.h

if HAVE_CUDA
libsmc_la_SOURCES += \
	src/executor/gpu.c src/executor/gpu.h \
	src/executor/gpu_buffers.c \
	src/executor/gpu_device.c \
	src/executor/gpu_launch.c \
	src/executor/probe.c \
	src/executor/sm_clock.c \
	src/executor/timing.c
endif
