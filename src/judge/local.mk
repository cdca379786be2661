libsmc_la_SOURCES += \
	src/judge/changes.def \
	src/judge/diff.c src/judge/diff.h \
	src/judge/finding_rules.def \
	src/judge/findings.c src/judge/findings.h \
	src/judge/allowances.c \
	src/judge/gate.c src/judge/gate.h \
	src/judge/gate_diff.c \
	src/judge/gate_file.c \
	src/judge/gate_limits.def \
	src/judge/gate_toml.h \
	src/judge/gate_tree.c \
	src/judge/selection.c src/judge/selection.h

# toml++ is C++: a part of its own, so that a build without a C++ compiler does without it.
if HAVE_TOML
noinst_LTLIBRARIES += libtoml.la
libtoml_la_SOURCES = src/judge/gate_toml.cc
# Without the folder of stand-ins for C++ headers, by which C includes CUPTI's.
libtoml_la_CPPFLAGS = -I$(srcdir)/src -I$(builddir)
libtoml_la_CXXFLAGS = $(AM_CXXFLAGS) -static
libtoml_la_LDFLAGS = $(AM_LDFLAGS) -static
libsmc_la_LIBADD += libtoml.la $(CXX_LIBS)
endif
