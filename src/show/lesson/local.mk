# The lessons, in the recommended order: built in as bytes, installed as files for teachers to read.
LESSON_FILES = lessons/en/8800-gtx.md \
	lessons/en/tiling.md \
	lessons/en/banks.md \
	lessons/en/shared-memory.md \
	lessons/en/occupancy.md \
	lessons/en/memory.md \
	lessons/en/carveout.md \
	lessons/en/time.md \
	lessons/zh/8800-gtx.md \
	lessons/zh/tiling.md \
	lessons/zh/banks.md \
	lessons/zh/shared-memory.md \
	lessons/zh/occupancy.md \
	lessons/zh/memory.md \
	lessons/zh/carveout.md \
	lessons/zh/time.md

libsmc_la_SOURCES += \
	src/show/lesson/lesson.h \
	src/show/lesson/lesson_blocks.c src/show/lesson/lesson_blocks.h \
	src/show/lesson/lesson_file.c \
	src/show/lesson/lesson_html.c \
	src/show/lesson/lesson_text.c \
	src/show/lesson/lesson_scene.c src/show/lesson/lesson_scene.h \
	src/show/lesson/lesson_words.c src/show/lesson/lesson_words.def \
	src/show/lesson/lesson_words.h

lessonsdir = $(pkgdatadir)
nobase_dist_lessons_DATA = $(LESSON_FILES)
EXTRA_DIST += lessons/zh/glossary.tsv

BUILT_SOURCES += src/show/lesson/texts.inc
CLEANFILES += src/show/lesson/texts.inc

src/show/lesson/texts.inc: $(LESSON_FILES) src/base/embed.sh
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	  $(SHELL) $(srcdir)/src/base/embed.sh $(srcdir) lessons/ $(LESSON_FILES) > $@.tmp && mv $@.tmp $@
