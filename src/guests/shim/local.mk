# CUDA's driver and runtime on the emulator, which `smemcalc trace --on emulator` lets programs find
# as libcuda.so.1 and libcudart.so.12 or .13. They show only CUDA's names.
if LINUX_GNU
pkglib_LTLIBRARIES += libsmemcalc_cuda.la libsmemcalc_cudart12.la libsmemcalc_cudart13.la \
	libsmemcalc_cudart_static.la
endif
EXTRA_DIST += src/guests/shim/cuda.map src/guests/shim/cudart12.map src/guests/shim/cudart13.map

SHIM_CFLAGS = -shared -std=c11 -ffp-contract=off $(WARNING_CFLAGS) $(HARDENING_CFLAGS) \
	-fvisibility=hidden -fno-sanitize=all
SHIM_DRIVER = -Wl,--no-as-needed,.libs/libsmemcalc_cuda.so
SHIM_LDFLAGS = $(HARDENING_LDFLAGS) -module -avoid-version -shared -Wl,-z,defs -Wl,-z,nodelete

libsmemcalc_cuda_la_SOURCES = \
	src/guests/shim/api.h src/guests/shim/device_attributes.def src/guests/shim/driver.c src/guests/shim/driver.h \
	src/guests/shim/driver_arrays.c src/guests/shim/driver_kernels.c src/guests/shim/driver_memory.c \
	src/guests/shim/driver_tensors.c src/guests/shim/captures.c \
	src/guests/shim/errors.def src/guests/shim/graphs.c src/guests/shim/shim_launch.c src/guests/shim/shim_memory.c \
	src/guests/shim/shim_modules.c src/guests/shim/shim_records.c src/guests/shim/shim.h src/guests/inject/inject_table.c \
	src/base/file.c src/base/platform.c src/base/signals.c \
	src/code/compile/cubin.c src/code/compile/build_note.c src/code/compile/ptx_facts.c src/code/readers/fatbin.c \
	$(emulator_sources) $(library_sources)
libsmemcalc_cuda_la_CFLAGS = $(SHIM_CFLAGS)
libsmemcalc_cuda_la_LDFLAGS = $(SHIM_LDFLAGS) \
	-Wl,--version-script=$(srcdir)/src/guests/shim/cuda.map
libsmemcalc_cuda_la_LIBADD = $(LIBELF_LIBS) $(LZ4_LIBS) $(ZSTD_LIBS) $(UTF8PROC_LIBS) \
	-lpthread -ldl -lm
EXTRA_libsmemcalc_cuda_la_DEPENDENCIES = src/guests/shim/cuda.map

libsmemcalc_cudart12_la_SOURCES = src/guests/shim/api.h src/guests/shim/properties.h src/guests/shim/shim_runtime.c \
	src/guests/shim/shim_runtime.h src/guests/shim/runtime_arrays.c src/guests/shim/runtime_graphs.c \
	src/guests/shim/runtime_memory.c src/guests/shim/unsupported.def
libsmemcalc_cudart12_la_CPPFLAGS = $(AM_CPPFLAGS) -DSHIM_RUNTIME=12
libsmemcalc_cudart12_la_CFLAGS = $(SHIM_CFLAGS)
libsmemcalc_cudart12_la_LDFLAGS = $(SHIM_LDFLAGS) $(SHIM_DRIVER) \
	-Wl,--version-script=$(srcdir)/src/guests/shim/cudart12.map
EXTRA_libsmemcalc_cudart12_la_DEPENDENCIES = libsmemcalc_cuda.la src/guests/shim/cudart12.map

libsmemcalc_cudart13_la_SOURCES = src/guests/shim/api.h src/guests/shim/properties.h src/guests/shim/shim_runtime.c \
	src/guests/shim/shim_runtime.h src/guests/shim/runtime_arrays.c src/guests/shim/runtime_graphs.c \
	src/guests/shim/runtime_memory.c src/guests/shim/unsupported.def
libsmemcalc_cudart13_la_CPPFLAGS = $(AM_CPPFLAGS) -DSHIM_RUNTIME=13
libsmemcalc_cudart13_la_CFLAGS = $(SHIM_CFLAGS)
libsmemcalc_cudart13_la_LDFLAGS = $(SHIM_LDFLAGS) $(SHIM_DRIVER) \
	-Wl,--version-script=$(srcdir)/src/guests/shim/cudart13.map
EXTRA_libsmemcalc_cudart13_la_DEPENDENCIES = libsmemcalc_cuda.la src/guests/shim/cudart13.map

# For programs that have the runtime within: preloaded, it makes their calls those of a library.
libsmemcalc_cudart_static_la_SOURCES = src/guests/shim/linked_runtime.c
libsmemcalc_cudart_static_la_CFLAGS = $(SHIM_CFLAGS)
libsmemcalc_cudart_static_la_LDFLAGS = $(SHIM_LDFLAGS) -Wl,-z,initfirst
libsmemcalc_cudart_static_la_LIBADD = -ldl
