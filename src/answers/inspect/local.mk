libsmc_la_SOURCES += \
	src/answers/inspect/bank_conflicts.c \
	src/answers/inspect/entry.c \
	src/answers/inspect/inspect_answer.c \
	src/answers/inspect/lint.c \
	src/answers/inspect/verdicts.def
