libsmc_la_SOURCES += \
	src/batch/batch.c src/batch/batch.h src/batch/columns.def src/batch/results.def \
	src/batch/writer.c src/batch/writer.h
