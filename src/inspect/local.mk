libsmc_la_SOURCES += \
	src/inspect/answer.c \
	src/inspect/changes.def \
	src/inspect/compilers.c src/inspect/compilers.h \
	src/inspect/diff.c src/inspect/diff.h \
	src/inspect/findings.c src/inspect/findings.h \
	src/inspect/entry.c src/inspect/entry.h \
	src/inspect/findings.c src/inspect/findings.h src/inspect/finding_rules.def \
	src/inspect/inspect.h src/inspect/sources.def \
	src/inspect/kernels.c src/inspect/kernels.h \
	src/inspect/lint.c src/inspect/verdicts.def \
	src/inspect/names.c src/inspect/names.h \
	src/inspect/read.c \
	src/inspect/readers.c src/inspect/readers.h \
	src/inspect/saved.c src/inspect/saved.h \
	src/inspect/stable_names.c src/inspect/stable_names.h \
	src/inspect/selection.c src/inspect/selection.h \
	src/inspect/tools.c src/inspect/tools.h
