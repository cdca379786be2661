# Sources of this folder. Without the CUDA runtime the program still links: `none` is the back end.
libsmc_la_SOURCES += \
	src/hardware/executor/back_end.c \
	src/hardware/executor/barrier_advice.c \
	src/hardware/executor/both.c \
	src/hardware/executor/c_types.c src/hardware/executor/c_types.h \
	src/hardware/executor/counters.h \
	src/hardware/executor/emulator_back_end.c \
	src/hardware/executor/executor.c src/hardware/executor.h \
	src/hardware/executor/measured_ceilings.c \
	src/hardware/executor/metrics.def \
	src/hardware/executor/none.c \
	src/hardware/executor/types.def \
	src/hardware/executor/user.c src/hardware/user.h \
	src/hardware/executor/user_argument.c src/hardware/executor/user_argument.h \
	src/hardware/executor/user_choice.c \
	src/hardware/executor/user_code.c src/hardware/executor/user_code.h \
	src/hardware/executor/user_memory.c \
	src/hardware/executor/user_parameters.c \
	src/hardware/executor/user_time.c src/hardware/executor/user_time.h \
	src/hardware/executor/user_values.c

if HAVE_CUDA
libsmc_la_SOURCES += \
	src/hardware/executor/gpu.c src/hardware/executor/gpu.h \
	src/hardware/executor/gpu_bench.c \
	src/hardware/executor/gpu_ceilings.c src/hardware/executor/gpu_ceilings.h \
	src/hardware/executor/gpu_clusters.c \
	src/hardware/executor/gpu_device.c \
	src/hardware/fleet/gpu_health.c \
	src/hardware/executor/gpu_launch.c \
	src/hardware/executor/gpu_measure.c \
	src/hardware/executor/gpu_measurements.c \
	src/hardware/executor/gpu_probe.c \
	src/hardware/executor/gpu_sm_measurements.c \
	src/hardware/executor/gpu_tensor_maps.c \
	src/hardware/executor/gpu_textures.c
endif

# CUPTI's headers are C++ in one respect: one of them includes <string>. For C it may be empty.
if HAVE_CUPTI
AM_CPPFLAGS += -I$(builddir)/src/hardware/executor/cupti
BUILT_SOURCES += src/hardware/executor/cupti/string
CLEANFILES += src/hardware/executor/cupti/string
libsmc_la_SOURCES += \
	src/hardware/executor/gpu_counters.c

src/hardware/executor/gpu_counters.lo: src/hardware/executor/cupti/string
src/hardware/executor/cupti/string:
	$(AM_V_GEN)$(MKDIR_P) $(@D) && : > $@
else
libsmc_la_SOURCES += \
	src/hardware/executor/no_counters.c
endif
