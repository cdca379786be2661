libsmc_la_SOURCES += \
	src/compile/build.c src/compile/build.h \
	src/compile/builds.c src/compile/builds.h \
	src/compile/build_note.c src/compile/build_note.h \
	src/compile/build_log.c src/compile/build_log.h \
	src/compile/cache.c src/compile/cache.h \
	src/compile/compile.c src/compile/compile.h \
	src/compile/cubin.c src/compile/cubin.h \
	src/compile/machine_code.c src/compile/machine_code.h \
	src/compile/nvrtc.c src/compile/nvrtc.h \
	src/compile/ptx.c src/compile/ptx.h \
	src/compile/ptx_dynamic_smem.c src/compile/ptx_dynamic_smem.h \
	src/compile/ptxas_log.c src/compile/ptxas_log.h \
	src/compile/resources.c src/compile/resources.h \
	src/compile/source.c src/compile/source.h \
	src/compile/table.c src/compile/table.h

BUILT_SOURCES += src/compile/resources.inc
CLEANFILES += src/compile/resources.inc
EXTRA_DIST += data/resources.csv

src/compile/resources.inc: data/resources.csv data/table.awk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && LC_ALL=C $(AWK) -v text="kernel defines nvrtc" \
	  -f $(srcdir)/data/table.awk $(srcdir)/data/resources.csv > $@.tmp && mv $@.tmp $@

# Writes data/resources.csv anew, with the libraries named (the first that knows an architecture
# compiles for it): make update-resources NVRTC="/a/libnvrtc.so.13 /b/libnvrtc.so.12". With
# ONLY="sm_107 matmul-tiled" only the rows of those architectures and kernels are new.
check_PROGRAMS += src/compile/update_resources
src_compile_update_resources_SOURCES = src/compile/update_resources.c
src_compile_update_resources_LDADD = libsmc.la

.PHONY: update-resources
update-resources: src/compile/update_resources$(EXEEXT)
	$(AM_V_GEN)src/compile/update_resources$(EXEEXT) $(NVRTC) $(ONLY) > resources.csv.tmp && \
	  mv resources.csv.tmp $(srcdir)/data/resources.csv

# PTX for machines without an NVRTC; written anew by: make update-ptx NVRTC=/a/libnvrtc.so.13
BUILT_SOURCES += src/compile/built_in_ptx.inc
CLEANFILES += src/compile/built_in_ptx.inc
EXTRA_DIST += data/ptx.txt data/ptx.awk

src/compile/built_in_ptx.inc: data/ptx.txt data/ptx.awk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && LC_ALL=C $(AWK) -f $(srcdir)/data/ptx.awk \
	  $(srcdir)/data/ptx.txt > $@.tmp && mv $@.tmp $@

check_PROGRAMS += src/compile/update_ptx
src_compile_update_ptx_SOURCES = src/compile/update_ptx.c
src_compile_update_ptx_LDADD = libsmc.la

.PHONY: update-ptx
update-ptx: src/compile/update_ptx$(EXEEXT)
	$(AM_V_GEN)src/compile/update_ptx$(EXEEXT) $(NVRTC) > ptx.txt.tmp && \
	  mv ptx.txt.tmp $(srcdir)/data/ptx.txt
