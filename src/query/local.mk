libsmc_la_SOURCES += \
	src/query/best.c src/query/best.h \
	src/query/banks.c src/query/banks.h \
	src/query/banks_parts.h \
	src/query/banks_change.c src/query/banks_change.h \
	src/query/banks_row.c src/query/banks_row.h \
	src/query/banks_remedy.c src/query/banks_rewrite.c src/query/banks_source.c \
	src/query/sweep.c src/query/sweep.h \
	src/query/sweep_axes.c src/query/axes.def \
	src/query/query.c src/query/query.h \
	src/query/workload.c src/query/workload.h
