libsmc_la_SOURCES += \
	src/doctor/build.c \
	src/doctor/cuda.c \
	src/doctor/doctor.c src/doctor/doctor.h \
	src/doctor/rows.c \
	src/doctor/subjects.h \
	src/doctor/surroundings.c

# The commit for `smemcalc --version --verbose`: that of a checkout of git, none in an archive. The
# file is touched only where it changes.
BUILT_SOURCES += src/doctor/commit.inc
CLEANFILES += src/doctor/commit.inc
.PHONY: look-at-commit
src/doctor/commit.inc: look-at-commit
	@$(MKDIR_P) $(@D)
	@! test -e $(srcdir)/.git || \
	  git -C $(srcdir) describe --always --abbrev=12 --exclude='*' --dirty 2>/dev/null | \
	  $(SED) 's/.*/"&"/' >$@.tmp
	@test -e $@.tmp || : >$@.tmp
	@if cmp -s $@.tmp $@; then rm -f $@.tmp; else mv $@.tmp $@; fi
