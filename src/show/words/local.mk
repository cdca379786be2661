libsmc_la_SOURCES += \
	src/show/words/kernel_names.c src/show/words/kernel_names.h \
	src/show/words/layout.c src/show/words/layout.h \
	src/show/words/paragraphs.c src/show/words/paragraphs.h \
	src/show/words/words.c src/show/words/words.h
