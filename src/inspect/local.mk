libsmc_la_SOURCES += \
	src/inspect/architecture.c src/inspect/architecture.h \
	src/inspect/answer.c \
	src/inspect/bank_conflicts.c src/inspect/bank_conflicts.h \
	src/inspect/compilation.h \
	src/inspect/compile_commands.c src/inspect/compile_commands.h \
	src/inspect/compilers.c src/inspect/compilers.h \
	src/inspect/doubles.c src/inspect/doubles.h \
	src/inspect/embedded.c src/inspect/embedded.h \
	src/inspect/entry.c src/inspect/entry.h \
	src/inspect/fatbin.c src/inspect/fatbin.h \
	src/inspect/input.c src/inspect/input_list.c \
	src/inspect/inputs.c src/inspect/inputs.h \
	src/inspect/inspect.h \
	src/inspect/kernels.c src/inspect/kernels.h \
	src/inspect/left_out.c src/inspect/left_out.h \
	src/inspect/lint.c \
	src/inspect/names.c src/inspect/names.h \
	src/inspect/nvcc_default.c src/inspect/nvcc_default.h \
	src/inspect/nvcc_commands.c src/inspect/nvcc_commands.h \
	src/inspect/output_cache.c src/inspect/output_cache.h \
	src/inspect/read.c \
	src/inspect/readers.c src/inspect/readers.h \
	src/inspect/saved.c src/inspect/saved.h \
	src/inspect/sources.def \
	src/inspect/stable_names.c src/inspect/stable_names.h \
	src/inspect/tools.c src/inspect/tools.h \
	src/inspect/toolkit_compilers.c \
	src/inspect/verdicts.def

BUILT_SOURCES += src/inspect/nvcc_defaults.inc
CLEANFILES += src/inspect/nvcc_defaults.inc
EXTRA_DIST += data/nvcc_defaults.csv

src/inspect/nvcc_defaults.inc: data/nvcc_defaults.csv data/table.awk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && LC_ALL=C $(AWK) -v text="source" -v cc=compute_capability \
	  -f $(srcdir)/data/table.awk $(srcdir)/data/nvcc_defaults.csv > $@.tmp && mv $@.tmp $@
