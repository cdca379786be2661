libsmc_la_SOURCES += \
	src/batch/batch.c src/batch/batch.h \
	src/batch/columns.c src/batch/columns.def src/batch/columns.h \
	src/batch/device_cache.c src/batch/device_cache.h \
	src/batch/results.def \
	src/batch/row.c src/batch/row.h \
	src/batch/writer.c src/batch/writer.h
