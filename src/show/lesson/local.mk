libsmc_la_SOURCES += \
	src/show/lesson/engine.c \
	src/show/lesson/lesson.h \
	src/show/lesson/lesson_8800_gtx.c \
	src/show/lesson/lesson_banks.c \
	src/show/lesson/lesson_carveout.c \
	src/show/lesson/lesson_memory.c \
	src/show/lesson/lesson_occupancy.c \
	src/show/lesson/lesson_shared_memory.c \
	src/show/lesson/lesson_tiling.c \
	src/show/lesson/lesson_time.c \
	src/show/lesson/lessons.def \
	src/show/lesson/scene.c src/show/lesson/scene.h
