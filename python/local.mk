# The Python package. `make python` builds a wheel with the library inside, in build/python.
python_sources = \
	python/smemcalc/__init__.py python/smemcalc/_banks.py python/smemcalc/_device.py \
	python/smemcalc/_driver.py python/smemcalc/_kernels.py python/smemcalc/_library.py \
	python/smemcalc/_occupancy.py python/smemcalc/_program.py python/smemcalc/_table.py \
	python/smemcalc/py.typed
EXTRA_DIST += $(python_sources) python/layout.awk python/wheel.py
python_package = python/wheel/smemcalc

.PHONY: python
python: $(python_package)/libsmemcalc.so $(python_package)/_layout.py $(python_sources)
	cd $(srcdir) && cp $(python_sources) $(abs_builddir)/$(python_package)
	$(PYTHON3) $(srcdir)/python/wheel.py $(PACKAGE_VERSION) $(python_package) $(srcdir)/LICENSE \
	  $(srcdir)/doc/python.md python

# From the objects of libsmemcalc.so, with utf8proc inside.
$(python_package)/libsmemcalc.so: libsmemcalc.la
	@$(MKDIR_P) $(python_package)
	$(AM_V_CCLD)$(LIBTOOL) $(AM_V_lt) --tag=CC --mode=link $(CC) $(CFLAGS) $(libsmemcalc_la_CFLAGS) -module \
	  -avoid-version -no-undefined -shared -rpath /smemcalc -export-symbols smemcalc.sym $(SANITIZE_FLAGS) \
	  $(HARDENING_LDFLAGS) -s -o python/libsmemcalc_wheel.la $(libsmemcalc_la_OBJECTS) $(UTF8PROC_STATIC)
	cp python/.libs/libsmemcalc_wheel.so $@

# For a distribution's package, whose library is the system's: make install-python pythondir=/FOLDER
.PHONY: install-python
install-python: $(python_package)/_layout.py
	$(MKDIR_P) "$(DESTDIR)$(pythondir)/smemcalc"
	cd $(srcdir) && $(INSTALL_DATA) $(python_sources) "$(DESTDIR)$(pythondir)/smemcalc"
	$(INSTALL_DATA) $(python_package)/_layout.py "$(DESTDIR)$(pythondir)/smemcalc"

$(python_package)/_layout.py: $(srcdir)/src/rules/model/public_layout.def $(srcdir)/python/layout.awk
	@$(MKDIR_P) $(python_package)
	$(AM_V_GEN)$(AWK) -f $(srcdir)/python/layout.awk $(srcdir)/src/rules/model/public_layout.def >$@.tmp && mv $@.tmp $@

PYTHON3 = python3
CLEANFILES += python/*.whl python/libsmemcalc_wheel.la python/.libs/* $(python_package)/*
