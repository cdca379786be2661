# Sources of this folder.
libsmc_la_SOURCES += \
	src/confirm/allocation.c src/confirm/allocation.h \
	src/confirm/confirm.c src/confirm/confirm.h \
	src/confirm/conflicts.c \
	src/confirm/counted.c src/confirm/counted.h \
	src/confirm/dram.c src/confirm/dram.h \
	src/confirm/everywhere.c src/confirm/everywhere.h \
	src/confirm/figures.def src/confirm/series.c src/confirm/series.h \
	src/confirm/series_figures.c src/confirm/series_run.c \
	src/confirm/series_verdict.c \
	src/confirm/known_ceilings.c src/confirm/known_ceilings.h \
	src/confirm/launch.c src/confirm/launch.h \
	src/confirm/memory.c src/confirm/memory.h \
	src/confirm/merge.h src/confirm/merge_compare.c \
	src/confirm/merge_documents.c src/confirm/merge_documents.h \
	src/confirm/merge_judge.c src/confirm/merge_judge.h \
	src/confirm/merge_question.c src/confirm/merge_question.h \
	src/confirm/merge_read.c \
	src/confirm/own.c src/confirm/own.h \
	src/confirm/rows.c src/confirm/rows.h
