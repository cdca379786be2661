# The catalog, and the kernels' text: built in as bytes, installed as files.
KERNELS = \
	kernels/aat_conflict.cu \
	kernels/aat_naive.cu \
	kernels/aat_padded.cu \
	kernels/aat_swizzled.cu \
	kernels/ceiling_cache.cu \
	kernels/ceiling_fma.cu \
	kernels/ceiling_latency.cu \
	kernels/ceiling_launch.cu \
	kernels/ceiling_pipe.cu \
	kernels/ceiling_read.cu \
	kernels/ceiling_shared.cu \
	kernels/ceiling_write.cu \
	kernels/health_memory.cu \
	kernels/health_sms.cu \
	kernels/matmul_a_tile.cu \
	kernels/matmul_async.cu \
	kernels/matmul_naive.cu \
	kernels/matmul_register.cu \
	kernels/matmul_tiled.cu \
	kernels/matmul_tiled_racy.cu \
	kernels/residency.cu \
	kernels/reverse_dynamic.cu \
	kernels/reverse_static.cu \
	kernels/stencil_dynamic.cu \
	kernels/stencil_naive.cu \
	kernels/stencil_static.cu \
	kernels/stencil_window.cu

libsmc_la_SOURCES += \
	src/catalog/catalog.c src/catalog/catalog.h \
	src/catalog/family.c src/catalog/family.h \
	src/catalog/helpers.c src/catalog/helpers.h \
	src/catalog/kernels.def \
	src/catalog/matmul_register.c \
	src/catalog/params.def \
	src/catalog/product.c src/catalog/product.h \
	src/catalog/residency.c \
	src/catalog/reverse.c \
	src/catalog/stencil.c \
	src/catalog/values.c

kernelsdir = $(pkgdatadir)/kernels
dist_kernels_DATA = $(KERNELS)

BUILT_SOURCES += src/catalog/texts.inc
CLEANFILES += src/catalog/texts.inc
EXTRA_DIST += kernels/embed.awk

src/catalog/texts.inc: $(KERNELS) kernels/embed.awk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	  for file in $(KERNELS); do \
	    od -An -v -tu1 $(srcdir)/$$file > $@.tmp0 && \
	    $(AWK) -v name=$${file#kernels/} -f $(srcdir)/kernels/embed.awk $@.tmp0 || exit 1; \
	  done > $@.tmp && rm -f $@.tmp0 && mv $@.tmp $@
