libsmc_la_SOURCES += \
	src/plot/banks.c \
	src/plot/cells.c \
	src/plot/curves.c \
	src/plot/devices.c \
	src/plot/diagram.c \
	src/plot/files.c src/plot/files.h \
	src/plot/grid.c \
	src/plot/heat.c \
	src/plot/inks.c \
	src/plot/line.c \
	src/plot/page.c src/plot/page.h \
	src/plot/picture.c src/plot/picture.h \
	src/plot/plot.h \
	src/plot/sweep_parts.h src/plot/sweep_plot.c \
	src/plot/ticks.c src/plot/ticks.h

# One of the two; cairo's flags are for its file alone.
EXTRA_DIST += src/plot/paint_cairo.c src/plot/paint_none.c
libsmc_la_LIBADD += $(CAIRO_LIBS) -lm
if HAVE_CAIRO
noinst_LTLIBRARIES += libpaint.la
libpaint_la_SOURCES = src/plot/paint_cairo.c
libpaint_la_CPPFLAGS = $(AM_CPPFLAGS) $(CAIRO_CFLAGS)
libsmc_la_LIBADD += libpaint.la
else
libsmc_la_SOURCES += src/plot/paint_none.c
endif
