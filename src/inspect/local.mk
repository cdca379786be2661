libsmc_la_SOURCES += \
	src/inspect/answer.c \
	src/inspect/architecture.c \
	src/inspect/compilers.h \
	src/inspect/demangle.c src/inspect/demangle.h \
	src/inspect/input.c src/inspect/input.h \
	src/inspect/inspect.h src/inspect/sources.def \
	src/inspect/kernels.c src/inspect/kernels.h \
	src/inspect/lint.c src/inspect/verdicts.def \
	src/inspect/read.c src/inspect/read_cubin.c src/inspect/read_embedded.c \
	src/inspect/read_log.c src/inspect/readers.h \
	src/inspect/require.c \
	src/inspect/tools.c src/inspect/tools.h \
	src/inspect/with_nvrtc.c src/inspect/with_tools.c
