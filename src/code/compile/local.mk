libsmc_la_SOURCES += \
	src/code/compile/build.c src/code/compile/build.h \
	src/code/compile/build_log.c src/code/compile/build_log.h \
	src/code/compile/build_note.c src/code/compile/build_note.h \
	src/code/compile/builds.c \
	src/code/compile/cache.c \
	src/code/compile/compile.c src/code/compile.h \
	src/code/compile/cubin.c \
	src/code/compile/machine_code.c src/code/machine_code.h \
	src/code/compile/module_memory.c \
	src/code/compile/nvrtc.c src/code/nvrtc.h \
	src/code/compile/ptx_dynamic_smem.c src/code/compile/ptx_dynamic_smem.h \
	src/code/compile/ptx_facts.c src/code/ptx_facts.h \
	src/code/compile/ptxas_log.c src/code/ptxas_log.h \
	src/code/compile/resource_table.c src/code/compile/resource_table.h \
	src/code/compile/resources.c src/code/compile/resources.h \
	src/code/compile/source.c

BUILT_SOURCES += src/code/compile/resources.inc
CLEANFILES += src/code/compile/resources.inc
EXTRA_DIST += data/resources.csv

src/code/compile/resources.inc: data/resources.csv data/table.awk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && LC_ALL=C $(AWK) -v text="kernel defines nvrtc" \
	  -f $(srcdir)/data/table.awk $(srcdir)/data/resources.csv > $@.tmp && mv $@.tmp $@

# Writes data/resources.csv anew, with the libraries named (the first that knows an architecture
# compiles for it): make update-resources NVRTC="/a/libnvrtc.so.13 /b/libnvrtc.so.12". With
# ONLY="sm_107 matmul-tiled" only the rows of those architectures and kernels are new.
check_PROGRAMS += src/code/compile/update_resources
src_code_compile_update_resources_SOURCES = src/code/compile/update_resources.c
src_code_compile_update_resources_LDADD = libsmc.la

.PHONY: update-resources
update-resources: src/code/compile/update_resources$(EXEEXT)
	$(AM_V_GEN)src/code/compile/update_resources$(EXEEXT) $(NVRTC) $(ONLY) > resources.csv.tmp && \
	  mv resources.csv.tmp $(srcdir)/data/resources.csv

# PTX for machines without an NVRTC; written anew by: make update-ptx NVRTC=/a/libnvrtc.so.13
BUILT_SOURCES += src/code/compile/built_in_ptx.inc
CLEANFILES += src/code/compile/built_in_ptx.inc
EXTRA_DIST += data/ptx.txt data/ptx.awk

src/code/compile/built_in_ptx.inc: data/ptx.txt data/ptx.awk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && LC_ALL=C $(AWK) -f $(srcdir)/data/ptx.awk \
	  $(srcdir)/data/ptx.txt > $@.tmp && mv $@.tmp $@

check_PROGRAMS += src/code/compile/update_ptx
src_code_compile_update_ptx_SOURCES = src/code/compile/update_ptx.c
src_code_compile_update_ptx_LDADD = libsmc.la

.PHONY: update-ptx
update-ptx: src/code/compile/update_ptx$(EXEEXT)
	$(AM_V_GEN)src/code/compile/update_ptx$(EXEEXT) $(NVRTC) > ptx.txt.tmp && \
	  mv ptx.txt.tmp $(srcdir)/data/ptx.txt
