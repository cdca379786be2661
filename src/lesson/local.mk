libsmc_la_SOURCES += \
	src/lesson/engine.c \
	src/lesson/lesson.h \
	src/lesson/lesson_8800_gtx.c \
	src/lesson/lesson_banks.c \
	src/lesson/lesson_carveout.c \
	src/lesson/lesson_memory.c \
	src/lesson/lesson_occupancy.c \
	src/lesson/lesson_shared_memory.c \
	src/lesson/lesson_tiling.c \
	src/lesson/lesson_time.c \
	src/lesson/lessons.def \
	src/lesson/scene.c src/lesson/scene.h
