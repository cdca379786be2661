libsmc_la_SOURCES += \
	src/query/banks.c src/query/banks.h \
	src/query/banks_parts.h \
	src/query/banks_row.c src/query/banks_row.h \
	src/query/banks_remedy.c src/query/banks_rewrite.c src/query/banks_source.c \
	src/query/query.c src/query/query.h
