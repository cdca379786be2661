# Manual pages.
dist_man_MANS = man/smemcalc.1 man/smemcalc.3 man/smemcalc-formats.5 man/smemcalc-lesson.5

# `man smc_occupancy_compute` shows smemcalc(3), and so does the name of every function.
install-data-local: smemcalc.sym
	$(MKDIR_P) "$(DESTDIR)$(man3dir)"
	while read -r name; do \
	  echo '.so man3/smemcalc.3' >"$(DESTDIR)$(man3dir)/$$name.3" || exit 1; \
	done <smemcalc.sym
uninstall-local: smemcalc.sym
	while read -r name; do rm -f "$(DESTDIR)$(man3dir)/$$name.3"; done <smemcalc.sym
