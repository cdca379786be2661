# The documents. They are installed in the folders they have here, so that their links work.
nobase_dist_doc_DATA = \
	LICENSE README.md HACKING.md \
	doc/ci.md doc/confirmation.md doc/emulator.md doc/exercises.md doc/explorer.md doc/many-gpus.md doc/model.md \
	doc/own-kernels.md doc/platforms.md doc/ptx.md doc/python.md doc/python.ipynb \
	doc/tables.md doc/time.md doc/trace.md doc/tune.md doc/tutorial.md doc/banks.svg doc/explore.svg \
	data/README.md results/README.md results/corpus.md

# The page of devices and kernels, and the fields in smemcalc-formats(5).
EXTRA_DIST += doc/tables.sh
.PHONY: update-tables
update-tables: smemcalc$(EXEEXT) src/show/report/update_formats$(EXEEXT) tests/ptx_table$(EXEEXT)
	tests/ptx_table$(EXEEXT) --page >ptx.new
	cat ptx.new >$(srcdir)/doc/ptx.md && rm -f ptx.new
	$(srcdir)/doc/tables.sh $(srcdir) ./smemcalc >tables.new
	cat tables.new >$(srcdir)/doc/tables.md && rm -f tables.new
	src/show/report/update_formats$(EXEEXT) <$(srcdir)/man/smemcalc-formats.5 >formats.new
	cat formats.new >$(srcdir)/man/smemcalc-formats.5 && rm -f formats.new

# The documents' pictures, taken of the explorer anew: make update-screens
EXTRA_DIST += doc/screen_svg.awk doc/update_screens.sh
.PHONY: update-screens
update-screens: smemcalc$(EXEEXT)
	$(srcdir)/doc/update_screens.sh $(srcdir)
