# The public library: the rules, and what they need of base. Its header includes theirs, which are
# installed below smemcalc/ and find one another there as here.

include_HEADERS = include/smemcalc.h
baseincludedir = $(includedir)/smemcalc/base
baseinclude_HEADERS = src/base/status.h
rulesincludedir = $(includedir)/smemcalc/rules
rulesinclude_HEADERS = \
	src/rules/bank_operations.def src/rules/banks.h src/rules/devices.h src/rules/headroom.h \
	src/rules/launch.h src/rules/limits.def src/rules/next_steps.h src/rules/occupancy.h \
	src/rules/refusals.def src/rules/sm.h src/rules/smem_modes.def

lib_LTLIBRARIES += libsmemcalc.la
libsmemcalc_la_SOURCES = $(library_sources)
libsmemcalc_la_CPPFLAGS = $(AM_CPPFLAGS) -DSMC_LIBRARY
libsmemcalc_la_CFLAGS = $(AM_CFLAGS)
libsmemcalc_la_LIBADD = $(UTF8PROC_LIBS)
libsmemcalc_la_LDFLAGS = \
	$(SANITIZE_FLAGS) $(HARDENING_LDFLAGS) -no-undefined -version-info 0:0:0 -export-symbols smemcalc.sym
EXTRA_libsmemcalc_la_DEPENDENCIES = smemcalc.sym
CLEANFILES += smemcalc.sym

# The layout that src/rules/model/public_layout.c holds, after a struct or an enum has gained something.
EXTRA_DIST += include/layout.awk include/layout.sh
.PHONY: update-layout
update-layout:
	$(MAKE) install-includeHEADERS install-baseincludeHEADERS install-rulesincludeHEADERS DESTDIR=$(abs_builddir)/layout.headers
	(sed '/\*\//q' $(srcdir)/src/rules/model/public_layout.def && \
	  $(srcdir)/include/layout.sh $(CC) -I$(abs_builddir)/layout.headers$(includedir)) >layout.new
	cat layout.new >$(srcdir)/src/rules/model/public_layout.def && rm -rf layout.new layout.headers

pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = smemcalc.pc

# What is declared in the headers is what is exported.
smemcalc.sym: $(rulesinclude_HEADERS) include/local.mk
	$(AM_V_GEN)cd $(srcdir) && $(SED) -n \
	  '/^#ifndef SMEMCALC_H/,/^#endif/d; s/^[a-z][a-z0-9_ ]*[ *]\(smc_[a-z0-9_]*\)(.*/\1/p' \
	  $(rulesinclude_HEADERS) > $(abs_builddir)/$@.tmp && \
	  mv $(abs_builddir)/$@.tmp $(abs_builddir)/$@
