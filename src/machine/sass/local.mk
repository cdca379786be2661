# Sources of this folder.
libsmc_la_SOURCES += \
	src/machine/sass/async.c src/machine/sass/async.h \
	src/machine/sass/atomics.c src/machine/sass/atomics.h \
	src/machine/sass/constant_lines.c src/machine/sass/constant_lines.h \
	src/machine/sass/floats.c src/machine/sass/floats.h \
	src/machine/sass/lane_groups.c src/machine/sass/lane_groups.h \
	src/machine/sass/local_lines.c src/machine/sass/local_lines.h \
	src/machine/sass/local_memory.c src/machine/sass/local_memory.h \
	src/machine/sass/meetings.c src/machine/sass/meetings.h \
	src/machine/sass/past_warp.c src/machine/sass/past_warp.h \
	src/machine/sass/patterns.c src/machine/sass/patterns.h \
	src/machine/rates.h \
	src/machine/sass/returned.c src/machine/sass/returned.h \
	src/machine/sass/sass_evaluate.c \
	src/machine/sass/sass_instruction.c src/machine/sass/sass_instruction.h \
	src/machine/sass/sass_launch.c src/machine/sass/sass_launch.h \
	src/machine/sass/sass_operations.def \
	src/machine/sass/sass_program.c src/machine/sass/sass_program.h \
	src/machine/sass/sass_warp.c src/machine/sass/sass_warp.h \
	src/machine/sass/together.c \
	src/machine/sass/texture_lines.c src/machine/sass/texture_lines.h \
	src/machine/sass/tickets.c src/machine/sass/tickets.h \
	src/machine/timing.h \
	src/machine/sass/walk.c src/machine/sass/walk.h \
	src/machine/sass/walk_grid.c src/machine/sass/walk_grid.h \
	src/machine/sass/warp_memory.c src/machine/sass/warp_memory.h \
	src/machine/sass/warp_trace.c src/machine/sass/warp_trace.h

# A prediction spends most of its time in walks of warps, which -O3 makes a tenth shorter.
SASS_OBJECTS = $(filter src/machine/sass/%,$(am_libsmc_la_OBJECTS))
$(SASS_OBJECTS): CFLAGS := $(CFLAGS:-O2=-O3)
