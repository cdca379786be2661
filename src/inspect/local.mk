libsmc_la_SOURCES += \
	src/inspect/answer.c \
	src/inspect/bank_conflicts.c src/inspect/bank_conflicts.h \
	src/inspect/changes.def \
	src/inspect/compile_commands.c src/inspect/compile_commands.h \
	src/inspect/compilers.c src/inspect/compilers.h \
	src/inspect/cpp_declarations.c src/inspect/cpp_declarations.h \
	src/inspect/cpp_tokens.c src/inspect/cpp_tokens.h \
	src/inspect/device_part.c src/inspect/device_part.h \
	src/inspect/diff.c src/inspect/diff.h \
	src/inspect/embedded.c src/inspect/embedded.h \
	src/inspect/entry.c src/inspect/entry.h \
	src/inspect/fatbin.c src/inspect/fatbin.h \
	src/inspect/finding_rules.def \
	src/inspect/findings.c src/inspect/findings.h \
	src/inspect/gate.c src/inspect/gate.h \
	src/inspect/gate_diff.c \
	src/inspect/gate_file.c \
	src/inspect/gate_limits.def \
	src/inspect/gate_toml.h \
	src/inspect/gate_tree.c \
	src/inspect/inputs.c src/inspect/inputs.h \
	src/inspect/inspect.h \
	src/inspect/instantiations.c src/inspect/instantiations.h \
	src/inspect/kernels.c src/inspect/kernels.h \
	src/inspect/lint.c \
	src/inspect/names.c src/inspect/names.h \
	src/inspect/read.c \
	src/inspect/readers.c src/inspect/readers.h \
	src/inspect/saved.c src/inspect/saved.h \
	src/inspect/selection.c src/inspect/selection.h \
	src/inspect/source_tree.c src/inspect/source_tree.h \
	src/inspect/sources.def \
	src/inspect/stable_names.c src/inspect/stable_names.h \
	src/inspect/standard_headers.c src/inspect/standard_headers.h \
	src/inspect/tools.c src/inspect/tools.h \
	src/inspect/verdicts.def

# toml++ is C++: a part of its own, so that a build without a C++ compiler does without it.
if HAVE_TOML
noinst_LTLIBRARIES += libtoml.la
libtoml_la_SOURCES = src/inspect/gate_toml.cc
# Without the folder of stand-ins for C++ headers, by which C includes CUPTI's.
libtoml_la_CPPFLAGS = -I$(srcdir)/src -I$(builddir)
libtoml_la_CXXFLAGS = $(AM_CXXFLAGS) -static
libtoml_la_LDFLAGS = $(AM_LDFLAGS) -static
libsmc_la_LIBADD += libtoml.la $(CXX_LIBS)
endif
