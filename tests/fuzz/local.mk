# The fuzzers: their kept inputs run with the tests, build.sh and run.sh run them with libFuzzer.

check_PROGRAMS += tests/fuzz/run_corpus
TESTS += tests/fuzz/run_corpus tests/fuzz/kept_inputs.sh
tests_fuzz_run_corpus_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests/fuzz -DSMC_SOURCE_DIR='"$(abs_srcdir)"'
tests_fuzz_run_corpus_LDADD = libsmc.la
tests_fuzz_run_corpus_SOURCES = \
	tests/fuzz/fuzz.h tests/fuzz/fuzzers.def tests/fuzz/run_corpus.c \
	tests/machine_text.c tests/machine_text.h \
	tests/fuzz/bank_accesses.c \
	tests/fuzz/banks_csv.c \
	tests/fuzz/batch.c \
	tests/fuzz/build_log.c \
	tests/fuzz/cache.c \
	tests/fuzz/ceilings_file.c \
	tests/fuzz/compile_commands.c \
	tests/fuzz/cubin.c \
	tests/fuzz/device_file.c \
	tests/fuzz/expression.c \
	tests/fuzz/fatbin.c \
	tests/fuzz/gate.c \
	tests/fuzz/host_code.c \
	tests/fuzz/inspect_cubin.c \
	tests/fuzz/inspect_log.c \
	tests/fuzz/layout.c \
	tests/fuzz/lesson.c \
	tests/fuzz/machine.c \
	tests/fuzz/merge.c \
	tests/fuzz/nvcc_commands.c \
	tests/fuzz/ptx.c \
	tests/fuzz/ptxas_log.c \
	tests/fuzz/saved.c \
	tests/fuzz/thin_archive.c \
	tests/fuzz/tiles.c \
	tests/fuzz/trace_file.c \
	tests/fuzz/trace_json.c \
	tests/fuzz/trace_records.c \
	tests/fuzz/tui_script.c \
	tests/fuzz/user_argument.c

# What a fuzzer is linked with, besides libsmc, for build.sh.
.PHONY: fuzz-tables fuzz-libraries
fuzz-tables: $(BUILT_SOURCES)
fuzz-libraries:
	@echo $(libsmc_la_LIBADD) $(LIBS)

# With what the static analyzers read src, and what they found that is no fault.
.PHONY: analysis-flags
analysis-flags:
	@echo $(DEFS) -I$(abs_srcdir)/src -I$(abs_builddir)/src -I$(abs_builddir) $(YAJL_CFLAGS) $(CAIRO_CFLAGS) -DSHIM_RUNTIME=13
EXTRA_DIST += .clang-tidy .gitattributes tests/analysis.sh tests/analyzer.supp tests/cppcheck.supp

EXTRA_DIST += \
	tests/fuzz/README.md tests/fuzz/add.sh tests/fuzz/build.sh tests/fuzz/kept.sh \
	tests/fuzz/kept_inputs.sh tests/fuzz/run.sh tests/fuzz/libfuzzer.c \
	tests/fuzz/corpus \
	tests/fuzz/banks_csv.dict \
	tests/fuzz/batch.dict \
	tests/fuzz/ceilings_file.dict \
	tests/fuzz/compile_commands.dict \
	tests/fuzz/device_file.dict \
	tests/fuzz/expression.dict \
	tests/fuzz/gate.dict \
	tests/fuzz/host_code.dict \
	tests/fuzz/merge.dict \
	tests/fuzz/nvcc_commands.dict \
	tests/fuzz/ptx.dict \
	tests/fuzz/ptxas_log.dict \
	tests/fuzz/thin_archive.dict \
	tests/fuzz/tiles.dict \
	tests/fuzz/trace_json.dict \
	tests/fuzz/trace_ncu.dict \
	tests/fuzz/tui_script.dict \
	tests/fuzz/user_argument.dict
