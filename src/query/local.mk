libsmc_la_SOURCES += \
	src/query/best.c src/query/best.h \
	src/query/query.c src/query/query.h
