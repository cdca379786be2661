libsmc_la_SOURCES += \
	src/report/advice.c src/report/annotation.c src/report/answer.c src/report/banks_words.c \
	src/report/banks_words.h src/report/ceilings.c src/report/csv.c src/report/csv_banks.c \
	src/report/csv_best.c src/report/csv_carveouts.c src/report/csv_merge.c \
	src/report/csv_parts.h src/report/csv_rooms.c src/report/devices.c src/report/explain.c \
	src/report/fields.c src/report/fields.h src/report/inspect.c src/report/json.c \
	src/report/json_banks.c src/report/json_best.c src/report/json_carveouts.c \
	src/report/json_merge.c src/report/json_parts.h src/report/json_rooms.c \
	src/report/json_run.c src/report/kernel_names.c src/report/kernel_names.h \
	src/report/kernels.c src/report/layout.c src/report/layout.h src/report/own.c \
	src/report/report.h src/report/series.c src/report/series.h src/report/sweep.c \
	src/report/text.c src/report/text_bank_grid.c src/report/text_banks.c \
	src/report/text_best.c src/report/text_best_compare.c src/report/text_carveouts.c \
	src/report/text_everywhere.c src/report/text_merge.c src/report/text_parts.h \
	src/report/text_rooms.c src/report/text_rooms_compare.c src/report/text_run.c \
	src/report/text_side_by_side.c src/report/text_side_by_side.h src/report/words.c \
	src/report/words.h src/report/words_best.c src/report/words_run.c src/report/words_run.h \
	src/report/workload.c src/report/writers.c
