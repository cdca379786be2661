libsmc_la_SOURCES += \
	src/inspect/answer.c \
	src/inspect/compilers.c src/inspect/compilers.h \
	src/inspect/cpp_declarations.c src/inspect/cpp_declarations.h \
	src/inspect/cpp_tokens.c src/inspect/cpp_tokens.h \
	src/inspect/device_part.c src/inspect/device_part.h \
	src/inspect/findings.c src/inspect/findings.h \
	src/inspect/entry.c src/inspect/entry.h \
	src/inspect/findings.c src/inspect/findings.h src/inspect/finding_rules.def \
	src/inspect/inspect.h src/inspect/sources.def \
	src/inspect/instantiations.c src/inspect/instantiations.h \
	src/inspect/kernels.c src/inspect/kernels.h \
	src/inspect/lint.c src/inspect/verdicts.def \
	src/inspect/read.c \
	src/inspect/readers.c src/inspect/readers.h \
	src/inspect/source_tree.c src/inspect/source_tree.h \
	src/inspect/standard_headers.c src/inspect/standard_headers.h \
	src/inspect/tools.c src/inspect/tools.h
