# The public library: the rules, and what they need of base. Its header includes theirs, which are
# installed below smemcalc/ and find one another there as here.

include_HEADERS = include/smemcalc.h
baseincludedir = $(includedir)/smemcalc/base
baseinclude_HEADERS = src/base/status.h
rulesincludedir = $(includedir)/smemcalc/rules
rulesinclude_HEADERS = \
	src/rules/bank_operations.def src/rules/banks.h src/rules/devices.h src/rules/launch.h \
	src/rules/limits.def src/rules/next_steps.h src/rules/occupancy.h src/rules/refusals.def \
	src/rules/sm.h src/rules/smem_modes.def

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
smemcalc.sym: $(rulesinclude_HEADERS) include/local.mk
	$(AM_V_GEN)cd $(srcdir) && $(SED) -n \
	  '/^#ifndef SMEMCALC_H/,/^#endif/d; s/^[a-z][a-z0-9_ ]*[ *]\(smc_[a-z0-9_]*\)(.*/\1/p' \
	  $(rulesinclude_HEADERS) > $(abs_builddir)/$@.tmp && \
	  mv $(abs_builddir)/$@.tmp $(abs_builddir)/$@
