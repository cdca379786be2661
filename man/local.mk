# Manual pages.
dist_man_MANS = man/smemcalc.1 man/smemcalc.3 man/smemcalc-formats.5
