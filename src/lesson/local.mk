libsmc_la_SOURCES += \
	src/lesson/check.c \
	src/lesson/figures.c src/lesson/figures.h \
	src/lesson/lesson.c src/lesson/lesson.h src/lesson/lessons.def \
	src/lesson/lesson_8800_gtx.c src/lesson/lesson_banks.c src/lesson/lesson_carveout.c \
	src/lesson/lesson_memory.c src/lesson/lesson_occupancy.c src/lesson/lesson_shared_memory.c \
	src/lesson/lesson_tiling.c \
	src/lesson/parts.h \
	src/lesson/scene.c src/lesson/scene.h
