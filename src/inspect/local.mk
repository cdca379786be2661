libsmc_la_SOURCES += \
	src/inspect/answer.c \
	src/inspect/compilers.c src/inspect/compilers.h \
	src/inspect/embedded.c src/inspect/embedded.h \
	src/inspect/fatbin.c src/inspect/fatbin.h \
	src/inspect/findings.c src/inspect/findings.h \
	src/inspect/inspect.h src/inspect/sources.def \
	src/inspect/kernels.c src/inspect/kernels.h \
	src/inspect/lint.c src/inspect/verdicts.def \
	src/inspect/read.c \
	src/inspect/readers.c src/inspect/readers.h \
	src/inspect/tools.c src/inspect/tools.h
