libsmc_la_SOURCES += \
	src/show/plot/banks_plot.c \
	src/show/plot/candidates_plot.c \
	src/show/plot/chart.c src/show/plot/chart.h \
	src/show/plot/page.c src/show/plot/page.h \
	src/show/plot/paint.c src/show/plot/paint.h \
	src/show/plot/picture.c src/show/plot/picture.h \
	src/show/plot/plot.h \
	src/show/plot/query_plot.c \
	src/show/plot/roofline_plot.c \
	src/show/plot/sweep_plot.c \
	src/show/plot/trace_plot.c

# One of the two; cairo's flags are for its file alone. Nothing is linked with cairo: the program
# loads it.
EXTRA_DIST += src/show/plot/paint_cairo.c src/show/plot/cairo_functions.def src/show/plot/paint_none.c
libsmc_la_LIBADD += -lm
if HAVE_CAIRO
noinst_LTLIBRARIES += libpaint.la
libpaint_la_SOURCES = src/show/plot/paint_cairo.c
libpaint_la_CPPFLAGS = $(AM_CPPFLAGS) $(CAIRO_CFLAGS)
libsmc_la_LIBADD += libpaint.la
else
libsmc_la_SOURCES += \
	src/show/plot/paint_none.c
endif
