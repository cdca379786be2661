# Sources of this folder.
libsmc_la_SOURCES += \
	src/fleet/checks.c src/fleet/checks.h \
	src/fleet/check_lines.c \
	src/fleet/hostlist.c src/fleet/hostlist.h \
	src/fleet/stragglers.c src/fleet/stragglers.h
