libsmc_la_SOURCES += \
	src/hardware/doctor/doctor.c src/hardware/doctor.h \
	src/hardware/doctor/doctor_build.c \
	src/hardware/doctor/doctor_cuda.c \
	src/hardware/doctor/doctor_rows.c \
	src/hardware/doctor/subjects.h \
	src/hardware/doctor/doctor_surroundings.c

# The commit for `smemcalc --version --verbose`: that of a checkout of git, none in an archive. The
# file is touched only where it changes.
BUILT_SOURCES += src/hardware/doctor/commit.inc
CLEANFILES += src/hardware/doctor/commit.inc
.PHONY: look-at-commit
src/hardware/doctor/commit.inc: look-at-commit
	@$(MKDIR_P) $(@D)
	@! test -e $(srcdir)/.git || \
	  git -C $(srcdir) describe --always --abbrev=12 --exclude='*' --dirty 2>/dev/null | \
	  $(SED) 's/.*/"&"/' >$@.tmp
	@test -e $@.tmp || : >$@.tmp
	@if cmp -s $@.tmp $@; then rm -f $@.tmp; else mv $@.tmp $@; fi
