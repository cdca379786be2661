libsmc_la_SOURCES += \
	src/query/axes.def \
	src/query/banks_source.c \
	src/query/banks.c src/query/banks.h \
	src/query/banks_change.c src/query/banks_change.h \
	src/query/best.c src/query/best.h \
	src/query/bound_cost.c src/query/bound_cost.h \
	src/query/candidates.c src/query/candidates.h \
	src/query/family.c src/query/family.h \
	src/query/evaluate.c \
	src/query/query.c src/query/query.h \
	src/query/sweep.c src/query/sweep.h \
	src/query/tune.c src/query/tune.h src/query/tune_states.def \
	src/query/time.c
