library_sources += \
	src/base/expression.c src/base/expression.h \
	src/base/memory.c src/base/memory.h \
	src/base/parse.c src/base/parse.h \
	src/base/status.c src/base/status.h \
	src/base/suggest.c \
	src/base/text.c src/base/text.h \
	src/base/utf8.c

EXTRA_DIST += src/base/embed.sh

# Not for the library.
libsmc_la_SOURCES += \
	src/base/clock.c \
	src/base/csv_reader.c src/base/csv_reader.h \
	src/base/file.c src/base/file.h \
	src/base/folder.c \
	src/base/gzip.c \
	src/base/hash.h \
	src/base/machine.c \
	src/base/numbers.c src/base/numbers.h \
	src/base/platform.c src/base/platform.h \
	src/base/program.c \
	src/base/sandbox.c src/base/sandbox.def src/base/sandbox.h \
	src/base/signals.c src/base/signals.h
