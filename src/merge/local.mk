# Sources of this folder.
libsmc_la_SOURCES += \
	src/merge/compare.c src/merge/merge.h \
	src/merge/documents.c src/merge/documents.h \
	src/merge/judge.c src/merge/judge.h \
	src/merge/question.c src/merge/question.h \
	src/merge/read.c
