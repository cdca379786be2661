# Sources of this folder. Without the CUDA runtime the program still links: `none` is the back end.
libsmc_la_SOURCES += \
	src/executor/both.c \
	src/executor/ceilings.c src/executor/ceilings.h \
	src/executor/check.c src/executor/check.h \
	src/executor/clock.c src/executor/clock.h \
	src/executor/counters.h \
	src/executor/emulator.c \
	src/executor/executor.c src/executor/executor.h \
	src/executor/metrics.def \
	src/executor/none.c \
	src/executor/types.def \
	src/executor/user.c src/executor/user.h src/executor/user_time.c src/executor/user_time.h \
	src/executor/user_argument.c src/executor/user_argument.h \
	src/executor/user_memory.c

if HAVE_CUDA
libsmc_la_SOURCES += \
	src/executor/gpu.c src/executor/gpu.h \
	src/executor/gpu_ceilings.c src/executor/gpu_ceilings.h \
	src/executor/gpu_device.c \
	src/executor/gpu_launch.c \
	src/executor/gpu_measure.c \
	src/executor/gpu_measurements.c \
	src/executor/gpu_probe.c \
	src/executor/gpu_sm_measurements.c
endif

# CUPTI's headers are C++ in one respect: one of them includes <string>. For C it may be empty.
if HAVE_CUPTI
AM_CPPFLAGS += -I$(builddir)/src/executor/cupti
BUILT_SOURCES += src/executor/cupti/string
CLEANFILES += src/executor/cupti/string
libsmc_la_SOURCES += src/executor/gpu_counters.c

src/executor/gpu_counters.lo: src/executor/cupti/string
src/executor/cupti/string:
	$(AM_V_GEN)$(MKDIR_P) $(@D) && : > $@
else
libsmc_la_SOURCES += src/executor/no_counters.c
endif
