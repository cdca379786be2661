# Exercises: reading, judging, and the built-in ones, whose texts are built in as bytes and installed
# as examples for teachers.
EXERCISE_FILES = \
	exercises/reverse-static/task.md \
	exercises/reverse-static/reference.cu \
	exercises/reverse-static/skeleton.cu \
	exercises/reverse-dynamic/task.md \
	exercises/reverse-dynamic/reference.cu \
	exercises/reverse-dynamic/skeleton.cu \
	exercises/missing-barrier/task.md \
	exercises/missing-barrier/reference.cu \
	exercises/missing-barrier/skeleton.cu \
	exercises/opt-in/task.md \
	exercises/opt-in/reference.cu \
	exercises/opt-in/skeleton.cu \
	exercises/tiled-matmul/task.md \
	exercises/tiled-matmul/naive.cu \
	exercises/tiled-matmul/register.cu \
	exercises/tiled-matmul/skeleton.cu \
	exercises/tiled-matmul/tiled.cu \
	exercises/matmul-tails/task.md \
	exercises/matmul-tails/naive.cu \
	exercises/matmul-tails/skeleton.cu \
	exercises/matmul-tails/tiled.cu \
	exercises/aat-conflict/task.md \
	exercises/aat-conflict/naive.cu \
	exercises/aat-conflict/padded.cu \
	exercises/aat-conflict/skeleton.cu \
	exercises/swizzle/task.md \
	exercises/swizzle/reference.cu \
	exercises/swizzle/skeleton.cu \
	exercises/stencil/task.md \
	exercises/stencil/reference.cu \
	exercises/stencil/skeleton.cu \
	exercises/histogram/task.md \
	exercises/histogram/reference.cu \
	exercises/histogram/skeleton.cu \
	exercises/reduction/task.md \
	exercises/reduction/reference.cu \
	exercises/reduction/skeleton.cu \
	exercises/transpose/task.md \
	exercises/transpose/naive.cu \
	exercises/transpose/skeleton.cu \
	exercises/transpose/tiled.cu \
	exercises/occupancy-golf/task.md \
	exercises/occupancy-golf/reference.cu \
	exercises/occupancy-golf/skeleton.cu \
	exercises/time-golf/task.md \
	exercises/time-golf/naive.cu \
	exercises/time-golf/skeleton.cu \
	exercises/time-golf/warps.cu

libsmc_la_SOURCES += \
	src/hardware/exercise/exercise.c src/hardware/exercise.h \
	src/hardware/exercise/exercise_figures.def \
	src/hardware/exercise/exercise_judge.c \
	src/hardware/exercise/exercise_launch.c src/hardware/exercise/exercise_launch.h \
	src/hardware/exercise/exercise_outcomes.def \
	src/hardware/exercise/named_reference.c \
	src/hardware/exercise/submissions.c \
	src/hardware/exercise/wrong_causes.def \
	src/hardware/exercise/wrong_result.c src/hardware/exercise/wrong_result.h

EXTRA_DIST += $(EXERCISE_FILES)

EXERCISE_MADE = src/hardware/exercise/exercise_texts.inc src/hardware/exercise/exercises.inc
BUILT_SOURCES += $(EXERCISE_MADE)
CLEANFILES += $(EXERCISE_MADE)

src/hardware/exercise/exercise_texts.inc: $(EXERCISE_FILES) src/base/embed.sh
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	  $(SHELL) $(srcdir)/src/base/embed.sh $(srcdir) exercises/ $(EXERCISE_FILES) > $@.tmp && \
	  mv $@.tmp $@

# Each folder with a task, in the order of the files.
src/hardware/exercise/exercises.inc: src/hardware/exercise/local.mk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && printf '%s\n' $(EXERCISE_FILES) | \
	  sed -n 's|exercises/\(.*\)/task.md|EXERCISE("\1")|p' > $@.tmp && mv $@.tmp $@
