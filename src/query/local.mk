libsmc_la_SOURCES += \
	src/query/query.c src/query/query.h
