libsmc_la_SOURCES += \
	src/code/readers/architecture.c \
	src/code/readers/compilation.h \
	src/code/readers/compile_commands.c src/code/readers/compile_commands.h \
	src/code/readers/compilers.c src/code/compilers.h \
	src/code/readers/demangle.c \
	src/code/readers/doubles.c src/code/readers/doubles.h \
	src/code/readers/embedded.c src/code/readers/embedded.h \
	src/code/readers/fatbin.c \
	src/code/readers/input_bytes.c \
	src/code/readers/input_list.c \
	src/code/readers/inputs.c src/code/inputs.h \
	src/answers/inspect.h \
	src/code/readers/kernel_sources.def \
	src/code/readers/left_out.c src/code/readers/left_out.h \
	src/code/readers/names.c src/code/names.h \
	src/code/readers/nvcc_commands.c src/code/readers/nvcc_commands.h \
	src/code/readers/nvcc_default.c src/code/readers/nvcc_default.h \
	src/code/readers/output_cache.c src/code/readers/output_cache.h \
	src/code/readers/read_kernels.c \
	src/code/readers/readers.c \
	src/code/readers/saved.c \
	src/code/readers/shared_ptx.c \
	src/code/readers/stable_names.c \
	src/code/readers/stated.c \
	src/code/readers/toolkit_compilers.c \
	src/code/readers/tools.c src/code/tools.h \
	src/code/readers/user_kernels.c src/code/user_kernels.h

BUILT_SOURCES += src/code/readers/nvcc_defaults.inc
CLEANFILES += src/code/readers/nvcc_defaults.inc
EXTRA_DIST += data/nvcc_defaults.csv

src/code/readers/nvcc_defaults.inc: data/nvcc_defaults.csv data/table.awk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && LC_ALL=C $(AWK) -v text="source" -v cc=compute_capability \
	  -f $(srcdir)/data/table.awk $(srcdir)/data/nvcc_defaults.csv > $@.tmp && mv $@.tmp $@
