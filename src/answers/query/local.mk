libsmc_la_SOURCES += \
	src/answers/query/axes.def \
	src/answers/query/banks_change.c \
	src/answers/query/banks_query.c src/answers/banks_query.h \
	src/answers/query/banks_source.c \
	src/answers/query/banks_tile.c \
	src/answers/query/best.c src/answers/best.h \
	src/answers/query/bound_cost.c \
	src/answers/query/candidates.c \
	src/answers/query/evaluate_query.c \
	src/answers/query/family_query.c \
	src/answers/query/query.c src/answers/query.h \
	src/answers/query/sweep.c src/answers/sweep.h \
	src/answers/query/time_query.c \
	src/answers/query/tune.c src/answers/tune.h \
	src/answers/query/tune_states.def \
	src/answers/query/workload_query.c
