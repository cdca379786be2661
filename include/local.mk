# The public library: the layers model and devices, and what they need of base. Its header includes
# theirs, which are installed below smemcalc/ and find one another as ../layer/file.h there as here.

include_HEADERS = include/smemcalc.h
baseincludedir = $(includedir)/smemcalc/base
baseinclude_HEADERS = src/base/status.h
modelincludedir = $(includedir)/smemcalc/model
modelinclude_HEADERS = \
	src/model/launch.h src/model/limits.def src/model/next_steps.h src/model/occupancy.h \
	src/model/refusals.def src/model/sm.h src/model/smem_modes.def
devicesincludedir = $(includedir)/smemcalc/devices
devicesinclude_HEADERS = src/devices/devices.h

lib_LTLIBRARIES += libsmemcalc.la
libsmemcalc_la_SOURCES = $(library_sources)
libsmemcalc_la_CPPFLAGS = $(AM_CPPFLAGS) -DSMC_LIBRARY
libsmemcalc_la_CFLAGS = $(AM_CFLAGS)
libsmemcalc_la_LIBADD = $(UTF8PROC_LIBS)
libsmemcalc_la_LDFLAGS = \
	$(SANITIZE_FLAGS) $(HARDENING_LDFLAGS) -no-undefined -version-info 0:0:0 -export-symbols smemcalc.sym
EXTRA_libsmemcalc_la_DEPENDENCIES = smemcalc.sym
CLEANFILES += smemcalc.sym

pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = smemcalc.pc

# What is declared in the headers is what is exported.
smemcalc.sym: $(modelinclude_HEADERS) $(devicesinclude_HEADERS) include/local.mk
	$(AM_V_GEN)cd $(srcdir) && $(SED) -n \
	  's/^[a-z][a-z0-9_ ]*[ *]\(smc_[a-z0-9_]*\)(.*/\1/p' \
	  $(modelinclude_HEADERS) $(devicesinclude_HEADERS) > $(abs_builddir)/$@.tmp && \
	  mv $(abs_builddir)/$@.tmp $(abs_builddir)/$@
