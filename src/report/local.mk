libsmc_la_SOURCES += \
	src/report/advice.c src/report/annotation.c src/report/answer.c src/report/banks.c \
	src/report/banks_words.h src/report/best.c src/report/carveouts.c src/report/ceilings.c \
	src/report/csv.c src/report/csv_merge.c src/report/csv_parts.h src/report/device_table.c \
	src/report/device_table.h src/report/devices.c src/report/explain.c src/report/fields.c \
	src/report/fields.h src/report/headroom.c src/report/inspect.c src/report/json.c \
	src/report/json_merge.c src/report/json_parts.h src/report/json_run.c \
	src/report/kernel_names.c src/report/kernel_names.h src/report/kernels.c \
	src/report/layout.c src/report/layout.h src/report/own.c src/report/report.h \
	src/report/series.c src/report/series.h src/report/sweep.c src/report/text.c \
	src/report/text_everywhere.c src/report/text_merge.c src/report/text_parts.h \
	src/report/text_run.c src/report/words.c src/report/words.h src/report/words_run.c \
	src/report/words_run.h src/report/workload.c src/report/writers.c
