libsmc_la_SOURCES += \
	src/sweep/answer.c \
	src/sweep/axes.c src/sweep/axes.def \
	src/sweep/sweep.h
