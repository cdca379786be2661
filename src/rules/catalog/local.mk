# The catalog, and the kernels' text: built in as bytes, installed as files.
KERNELS = \
	kernels/aat_conflict.cu \
	kernels/aat_naive.cu \
	kernels/aat_padded.cu \
	kernels/aat_swizzled.cu \
	kernels/ceiling_cache.cu \
	kernels/ceiling_tensor.cu \
	kernels/ceiling_fma.cu \
	kernels/ceiling_latency.cu \
	kernels/ceiling_launch.cu \
	kernels/ceiling_pipe.cu \
	kernels/ceiling_read.cu \
	kernels/ceiling_shared.cu \
	kernels/ceiling_write.cu \
	kernels/health_memory.cu \
	kernels/health_sms.cu \
	kernels/histogram_block.cu \
	kernels/histogram_cluster.cu \
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
	src/rules/catalog/catalog.c src/rules/catalog.h \
	src/rules/catalog/catalog_family.c src/rules/catalog/catalog_family.h \
	src/rules/catalog/helpers.c \
	src/rules/catalog/histogram.c \
	src/rules/catalog/kernels.def \
	src/rules/catalog/matmul_register.c \
	src/rules/params.def \
	src/rules/catalog/product.c src/rules/catalog/product.h \
	src/rules/catalog/residency.c \
	src/rules/catalog/reverse.c \
	src/rules/catalog/stencil.c \
	src/rules/catalog/values.c

kernelsdir = $(pkgdatadir)/kernels
dist_kernels_DATA = $(KERNELS)

BUILT_SOURCES += src/rules/catalog/texts.inc
CLEANFILES += src/rules/catalog/texts.inc

src/rules/catalog/texts.inc: $(KERNELS) src/base/embed.sh
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	  $(SHELL) $(srcdir)/src/base/embed.sh $(srcdir) kernels/ $(KERNELS) > $@.tmp && mv $@.tmp $@
