libsmc_la_SOURCES += \
	src/plot/banks.c \
	src/plot/candidates.c \
	src/plot/chart.c src/plot/chart.h \
	src/plot/page.c src/plot/page.h \
	src/plot/paint.c src/plot/paint.h \
	src/plot/picture.c src/plot/picture.h \
	src/plot/plot.h \
	src/plot/query.c \
	src/plot/roofline.c \
	src/plot/sweep.c \
	src/plot/trace.c

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
