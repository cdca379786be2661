library_sources += \
	src/base/parse.c src/base/parse.h \
	src/base/status.c src/base/status.h \
	src/base/suggest.c src/base/suggest.h \
	src/base/text.c src/base/text.h
