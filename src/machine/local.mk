# Sources of this folder.
libsmc_la_SOURCES += \
	src/machine/evaluate.c \
	src/machine/floats.c src/machine/floats.h \
	src/machine/instruction.c src/machine/instruction.h \
	src/machine/launch.c src/machine/launch.h \
	src/machine/operations.def \
	src/machine/patterns.c src/machine/patterns.h \
	src/machine/program.c src/machine/program.h \
	src/machine/warp_trace.c src/machine/warp_trace.h \
	src/machine/walk.c src/machine/walk.h \
	src/machine/warp.c src/machine/warp.h
