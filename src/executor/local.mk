# Sources of this folder. Without the CUDA runtime the program still links: `none` takes its place.
libsmc_la_SOURCES += \
	src/executor/attempt.c \
	src/executor/both.c \
	src/executor/ceilings.h \
	src/executor/check.c src/executor/check.h \
	src/executor/clock.c src/executor/clock.h \
	src/executor/counters.h \
	src/executor/default.c \
	src/executor/conflicts.c src/executor/emulated_run.c src/executor/emulated_run.h \
	src/executor/emulator.c \
	src/executor/emulator_own.c src/executor/emulator_own.h \
	src/executor/executor.h \
	src/executor/live.c src/executor/live.h \
	src/executor/metrics.c src/executor/metrics.h src/executor/metrics.def \
	src/executor/none.c \
	src/executor/own.h \
	src/executor/request_compile.c src/executor/request_compile.h \
	src/executor/samples.c src/executor/samples.h \
	src/executor/verify.c src/executor/verify.h

if HAVE_CUDA
libsmc_la_SOURCES += \
	src/executor/gpu.c src/executor/gpu.h \
	src/executor/gpu_buffers.c \
	src/executor/gpu_ceilings.c src/executor/gpu_ceilings.h \
	src/executor/gpu_ceilings_bench.c \
	src/executor/gpu_ceilings_latency.c \
	src/executor/gpu_ceilings_launch.c \
	src/executor/gpu_ceilings_memory.c \
	src/executor/gpu_ceilings_sm.c \
	src/executor/gpu_count.c \
	src/executor/gpu_device.c \
	src/executor/gpu_errors.c \
	src/executor/gpu_launch.c \
	src/executor/gpu_nvml.c \
	src/executor/gpu_own.c \
	src/executor/gpu_stopwatch.c \
	src/executor/gpu_wait.c \
	src/executor/probe.c \
	src/executor/timing.c
else
libsmc_la_SOURCES += src/executor/no_ceilings.c
endif

# CUPTI's headers are C++ in one respect: one of them includes <string>. For C it may be empty.
if HAVE_CUPTI
AM_CPPFLAGS += -I$(builddir)/src/executor/cupti
BUILT_SOURCES += src/executor/cupti/string
CLEANFILES += src/executor/cupti/string
libsmc_la_SOURCES += \
	src/executor/gpu_counters.c \
	src/executor/gpu_cupti.c src/executor/gpu_cupti.h

src/executor/gpu_counters.lo src/executor/gpu_cupti.lo: src/executor/cupti/string
src/executor/cupti/string:
	$(AM_V_GEN)$(MKDIR_P) $(@D) && : > $@
else
libsmc_la_SOURCES += src/executor/no_counters.c
endif
