# The tests that need a GPU, and `make gpu-bundle`: one folder to carry to a machine that has one
# but no build tools. `make check` runs the tests too; without a GPU they count as skipped.

EXTRA_DIST += tests/gpu/confirm_view.sh tests/gpu/run-all.sh tests/gpu/tune_bar.sh
.PHONY: gpu-bundle clean-gpu-bundle

if HAVE_GPU_TESTS
check_PROGRAMS += tests/gpu/gpu_tests tests/gpu/fake_tests
TESTS += tests/gpu/gpu_tests tests/gpu/fake_tests

tests_gpu_fake_tests_CPPFLAGS = $(AM_CPPFLAGS) $(CUNIT_CFLAGS)
tests_gpu_fake_tests_LDADD = libsmc.la $(CUNIT_LIBS) -lm
tests_gpu_fake_tests_LDFLAGS = -Wl,--wrap=smc_clock_ms # the fake GPU's
tests_gpu_fake_tests_SOURCES = \
	tests/gpu/fake_counters.c \
	tests/gpu/fake_cuda.c tests/gpu/fake_cuda.h \
	tests/gpu/fake_health.c tests/gpu/fake_health.h \
	tests/gpu/fake_tests.c \
	tests/temporary.c tests/temporary.h

# The whole program on the fake runtime, for tests of what it shows.
check_PROGRAMS += tests/gpu/fake_smemcalc
tests_gpu_fake_smemcalc_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests
tests_gpu_fake_smemcalc_LDADD = libsmc.la -lm
tests_gpu_fake_smemcalc_LDFLAGS = -Wl,--wrap=smc_nvrtc_compile,--wrap=smc_nvrtc_compile_with # counted
tests_gpu_fake_smemcalc_SOURCES = \
	tests/compilations.c tests/compilations.h \
	tests/gpu/fake_counters.c \
	tests/gpu/fake_cuda.c tests/gpu/fake_cuda.h \
	tests/gpu/fake_health.c tests/gpu/fake_health.h \
	tests/gpu/fake_smemcalc.c

check_LTLIBRARIES += tests/gpu/libfake_nvml.la
tests_gpu_libfake_nvml_la_SOURCES = tests/gpu/fake_nvml.c
tests_gpu_libfake_nvml_la_CFLAGS = $(FAKE_CFLAGS)
tests_gpu_libfake_nvml_la_LDFLAGS = $(FAKE_FLAGS)

tests_gpu_gpu_tests_CPPFLAGS = $(AM_CPPFLAGS) $(CUNIT_CFLAGS) -I$(srcdir)/tests
tests_gpu_gpu_tests_LDADD = libsmc.la $(CUNIT_LIBS) -lm
tests_gpu_gpu_tests_SOURCES = \
	tests/gpu/cases.c \
	tests/gpu/counted.c tests/gpu/counted.h \
	tests/gpu/gpu_tests.c tests/gpu/gpu_tests.h \
	tests/gpu/results.c tests/gpu/results.h tests/gpu/results_join.c \
	tests/gpu/test_banks.c \
	tests/gpu/test_ceilings.c \
	tests/gpu/test_catalog.c \
	tests/gpu/test_device.c \
	tests/gpu/test_emulator.c \
	tests/gpu/test_failures.c \
	tests/gpu/test_health.c \
	tests/gpu/test_kernels.c \
	tests/gpu/test_ptx.c \
	tests/gpu/test_residency.c \
	tests/gpu/test_tensor_copies.c \
	tests/gpu/test_textures.c \
	tests/catalog_sets.c tests/catalog_sets.h \
	tests/launches.c tests/launches.h \
	tests/temporary.c tests/temporary.h \
	tests/tensor_cases.c tests/tensor_cases.h \
	$(ptx_cases_sources)

# Kernels as the bytes of an array: the bundle has no source tree.
CLEANFILES += tests/gpu/tensor_copies.inc tests/gpu/textures.inc
tests/gpu/gpu_tests-test_tensor_copies.$(OBJEXT): tests/gpu/tensor_copies.inc
tests/gpu/gpu_tests-test_textures.$(OBJEXT): tests/gpu/textures.inc
tests/gpu/tensor_copies.inc tests/gpu/textures.inc: tests/gpu/%.inc: tests/data/emulator/%.ptx
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	  od -An -v -tu1 $(srcdir)/tests/data/emulator/$*.ptx | \
	  sed 's/\([0-9][0-9]*\)/\1,/g' > $@.tmp && mv $@.tmp $@

# Linked anew, with the static libraries where there are such: the programs then need nothing but
# the C library. libsmc is libtool's archive itself, since its .la names the shared libraries. The
# libraries of `trace` stand beside the program; those of the emulator need libelf, liblz4, libzstd and
# libutf8proc, since static ones need not be fit for a shared library.
bundle_link = $(CC) $(AM_CFLAGS) $(CFLAGS) $(AM_LDFLAGS) $(LDFLAGS)
# Pictures stay behind: cairo is not to be had as one static library.
bundle_libs = $(DEFS) $(AM_CPPFLAGS) $(srcdir)/src/show/plot/paint_none.c .libs/libsmc.a $(CUNIT_STATIC) $(JANSSON_STATIC) $(LIBELF_STATIC) $(YAJL_STATIC) $(ZLIB_STATIC) $(SQLITE_STATIC) $(LZ4_STATIC) $(ZSTD_STATIC) $(UTF8PROC_STATIC) $(CURSES_STATIC) $(CUDA_LIBS) $(DEMANGLE_LIBS) $(CXX_LIBS) $(LIBS) -lm

gpu-bundle: smemcalc$(EXEEXT) tests/gpu/gpu_tests$(EXEEXT) bench/time_error$(EXEEXT) $(gpu_benchmarks) \
		$(pkglib_LTLIBRARIES)
	rm -rf gpu-bundle
	$(MKDIR_P) gpu-bundle
	$(bundle_link) -o gpu-bundle/smemcalc $(smemcalc_OBJECTS) $(bundle_libs)
	$(bundle_link) -o gpu-bundle/gpu_tests $(tests_gpu_gpu_tests_OBJECTS) $(bundle_libs)
	$(bundle_link) -o gpu-bundle/sgemm_speed $(bench_sgemm_speed_OBJECTS) $(bundle_libs)
	$(bundle_link) -o gpu-bundle/stencil_speed $(bench_stencil_speed_OBJECTS) $(bundle_libs)
	$(bundle_link) -o gpu-bundle/time_error $(bench_time_error_OBJECTS) $(bundle_libs)
	$(MKDIR_P) gpu-bundle/own-kernels
	for file in $(own_kernels); do $(INSTALL_DATA) $(srcdir)/$$file gpu-bundle/own-kernels || exit 1; done
	for file in .libs/libsmemcalc_*.so; do \
	  [ ! -e $$file ] || $(INSTALL_DATA) $$file gpu-bundle || exit 1; done
	$(INSTALL_SCRIPT) $(srcdir)/tests/gpu/confirm_view.sh $(srcdir)/tests/gpu/run-all.sh \
		$(srcdir)/tests/gpu/tune_bar.sh gpu-bundle
	@echo "gpu-bundle: carry the folder gpu-bundle to a machine with a GPU and start ./run-all.sh"

clean-local: clean-gpu-bundle
clean-gpu-bundle:
	rm -rf gpu-bundle
else
gpu-bundle:
	@echo "gpu-bundle: needs the CUDA runtime and CUnit: see the end of configure's output" >&2
	@false
endif
