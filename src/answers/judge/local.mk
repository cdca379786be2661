libsmc_la_SOURCES += \
	src/answers/judge/gate_allowances.c \
	src/answers/judge/changes.def \
	src/answers/judge/diff.c src/answers/diff.h \
	src/answers/judge/finding_rules.def \
	src/answers/judge/gate.c src/answers/gate.h \
	src/answers/judge/gate_diff.c \
	src/answers/judge/gate_file.c \
	src/answers/judge/gate_limits.def \
	src/answers/judge/gate_toml.h \
	src/answers/judge/gate_toml_tree.c \
	src/answers/judge/judge_findings.c src/answers/judge_findings.h \
	src/answers/judge/selection.c src/answers/selection.h

# toml++ is C++: a part of its own, so that a build without a C++ compiler does without it.
if HAVE_TOML
noinst_LTLIBRARIES += libtoml.la
libtoml_la_SOURCES = src/answers/judge/gate_toml.cc
# Without the folder of stand-ins for C++ headers, by which C includes CUPTI's.
libtoml_la_CPPFLAGS = -I$(srcdir)/src -I$(builddir)
libtoml_la_CXXFLAGS = $(AM_CXXFLAGS) -static
libtoml_la_LDFLAGS = $(AM_LDFLAGS) -static
libsmc_la_LIBADD += libtoml.la $(CXX_LIBS)
endif
