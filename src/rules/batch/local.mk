libsmc_la_SOURCES += \
	src/rules/batch/batch.c src/rules/batch.h \
	src/rules/batch/columns.def \
	src/rules/batch/json_rows.c src/rules/batch/json_rows.h \
	src/rules/batch/results.def \
	src/rules/batch/writer.c src/rules/batch/writer.h
