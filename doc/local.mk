# The pictures of README.md, taken of the explorer anew: make update-screens
EXTRA_DIST += doc/banks.svg doc/explore.svg doc/screen_svg.awk doc/update_screens.sh
.PHONY: update-screens
update-screens: smemcalc$(EXEEXT)
	$(srcdir)/doc/update_screens.sh $(srcdir)
