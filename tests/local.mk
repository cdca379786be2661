# The unit tests are one CUnit program: a file and a line in suites.def for each module.
# Every test program and script ends its output with a line "N passed, N failed, N skipped".

# The limit for each of them: with sanitizers, all of them together take less on two processors.
TEST_SECONDS = 1800
LOG_COMPILER = $(TEST_LIMIT)

EXTRA_DIST += tests/data/golden_cc1_cc2.csv

if HAVE_CUNIT
check_PROGRAMS += tests/unit
TESTS += tests/unit
endif

tests_unit_CPPFLAGS = -I$(srcdir)/tests $(AM_CPPFLAGS) $(CUNIT_CFLAGS) -DSMC_SOURCE_DIR='"$(abs_srcdir)"'
tests_unit_LDADD = libsmc.la $(CUNIT_LIBS) $(SQLITE_LIBS)
tests_unit_SOURCES = \
	tests/catalog_sets.c tests/catalog_sets.h \
	tests/launches.c tests/launches.h \
	tests/suites.def \
	tests/machine/stored_kernel.c tests/machine/stored_kernel.h \
	tests/temporary.c tests/temporary.h \
	tests/show/test_annotation.c \
	tests/machine/test_array_advice.c \
	tests/machine/test_bank_accesses.c \
	tests/rules/distributed_patterns.def tests/rules/test_banks.c \
	tests/base/test_base.c \
	tests/rules/test_batch.c \
	tests/answers/test_choices.c \
	tests/show/test_cli.c \
	tests/code/test_compile.c \
	tests/hardware/test_confirm.c \
	tests/rules/test_conflict_free.c \
	tests/rules/test_tiles.c \
	tests/code/test_cubin.c \
	tests/rules/test_carveouts.c \
	tests/rules/test_catalog.c \
	tests/hardware/test_ceilings.c \
	tests/rules/test_catalog_sets.c \
	tests/rules/test_compare.c \
	tests/machine/test_contract.c \
	tests/machine/test_deadlocks.c \
	tests/rules/test_device_file.c \
	tests/rules/test_devices.c \
	tests/answers/test_diff.c \
	tests/machine/test_call_stack.c \
	tests/machine/test_calls.c \
	tests/machine/test_clusters.c \
	tests/machine/test_tensor_copies.c tests/tensor_cases.c tests/tensor_cases.h \
	tests/machine/test_mbarrier.c \
	tests/machine/test_peers.c \
	tests/machine/test_pipelines.c \
	tests/machine/test_ranks.c \
	tests/machine/test_warpgroups.c \
	tests/machine/test_async.c \
	tests/machine/test_textures.c \
	tests/machine/test_emulator.c \
	tests/hardware/test_executor.c \
	tests/code/test_fatbin.c \
	tests/hardware/test_fleet.c \
	tests/code/test_host_code.c \
	tests/answers/test_inspect.c \
	tests/base/test_expression.c \
	tests/machine/test_joins.c \
	tests/show/test_lesson.c \
	tests/machine/test_machine.c tests/machine_text.c tests/machine_text.h \
	tests/code/test_machine_code.c \
	tests/machine/test_timing.c \
	tests/answers/test_trace_chrome.c \
	tests/answers/test_trace_ncu.c \
	tests/answers/test_trace_nsys.c \
	tests/answers/test_trace_own.c \
	tests/answers/test_trace_tables.c \
	tests/answers/test_trace_triton.c \
	tests/hardware/test_merge.c \
	tests/code/test_build_log.c \
	tests/code/test_compile_commands.c \
	tests/code/test_logs.c \
	tests/rules/test_model.c \
	tests/rules/test_next_steps.c \
	tests/hardware/test_user.c \
	tests/show/test_plot.c tests/show/test_plot_trace.c \
	tests/plot_support.c tests/plot_support.h tests/share.c tests/share.h tests/trace_support.c tests/trace_support.h \
	tests/show/test_report.c \
	tests/answers/test_gate.c \
	tests/rules/test_headroom.c \
	tests/hardware/test_health.c tests/hardware/health_emulated.c tests/hardware/health_emulated.h \
	tests/answers/test_selection.c \
	tests/show/test_series.c \
	tests/rules/test_sm.c \
	tests/rules/test_sm_groups.c \
	tests/special_functions.def tests/machine/test_special_functions.c \
	tests/hardware/test_stop.c \
	tests/hardware/test_stragglers.c \
	tests/answers/test_sweep.c \
	tests/show/test_tui_banks.c tests/show/test_tui_devices.c tests/show/test_tui_roofline.c tests/show/test_tui_trace.c tests/show/test_tui_views.c \
	tests/view_sitting.c tests/view_sitting.h \
	tests/show/test_tui_confirm.c \
	tests/answers/test_trace_answer.c tests/show/test_trace_report.c tests/trace_sample.c tests/trace_sample.h \
	tests/hardware/test_tune.c \
	tests/answers/test_workload.c \
	tests/show/test_tui_chart.c tests/show/test_tui_explore.c tests/show/test_tui_fields.c \
	tests/show/test_tui_frame.c tests/show/test_tui_glyph.c tests/show/test_tui_keys.c \
	tests/show/test_tui_layout.c tests/show/test_tui_memo.c tests/show/test_tui_popup.c \
	tests/show/test_tui_open.c \
	tests/show/test_tui_script.c tests/show/test_tui_sm_drawing.c \
	tests/tui_support.c tests/tui_support.h \
	tests/unit.c tests/unit.h

# Every command with one allocation failing, and the next, ... It takes long: early, so that it does
# not end alone.
check_PROGRAMS += tests/allocation
TESTS += tests/allocation
tests_allocation_CPPFLAGS = $(AM_CPPFLAGS) -DSMC_SOURCE_DIR='"$(abs_srcdir)"'
tests_allocation_LDADD = libsmc.la -ldl
tests_allocation_SOURCES = tests/allocation.c tests/share.c tests/share.h

# NVIDIA's own header as an oracle: for the model, and for the dynamic shared memory that limits
# shows. The installed one, and the newest where configure was given or found it; a machine without
# one skips it.
check_PROGRAMS += tests/oracle tests/oracle_newest tests/headroom_oracle tests/headroom_oracle_newest
TESTS += tests/oracle tests/oracle_newest tests/headroom_oracle tests/headroom_oracle_newest
tests_oracle_LDADD = libsmc.la
tests_oracle_SOURCES = tests/oracle.c tests/oracle_device.h tests/oracle_launches.h
tests_oracle_CPPFLAGS = $(AM_CPPFLAGS) -DORACLE_HEADER_OPTION='"--with-cuda=DIR"'
if HAVE_OCCUPANCY_HEADER
tests_oracle_CPPFLAGS += -DHAVE_OCCUPANCY_HEADER
endif
tests_headroom_oracle_LDADD = libsmc.la
tests_headroom_oracle_SOURCES = tests/headroom_oracle.c tests/oracle_device.h
tests_headroom_oracle_CPPFLAGS = $(tests_oracle_CPPFLAGS)
tests_oracle_newest_LDADD = libsmc.la
tests_oracle_newest_SOURCES = $(tests_oracle_SOURCES)
tests_oracle_newest_CPPFLAGS = $(NEWEST_CUDA_CPPFLAGS) $(AM_CPPFLAGS) \
	-DORACLE_HEADER_OPTION='"--with-newest-cuda-headers=DIR"'
tests_headroom_oracle_newest_LDADD = libsmc.la
tests_headroom_oracle_newest_SOURCES = $(tests_headroom_oracle_SOURCES)
tests_headroom_oracle_newest_CPPFLAGS = $(tests_oracle_newest_CPPFLAGS)

# Whether the table has what CUDA has, the newest where it was fetched.
check_PROGRAMS += tests/current
tests_current_LDADD = libsmc.la
tests_current_SOURCES = tests/current.c
TESTS += tests/current.sh
EXTRA_DIST += tests/current.sh tests/newest_cuda.sh

# limits, best and carveout, as a person or a script uses them.
TESTS += tests/limits.sh
EXTRA_DIST += tests/limits.sh
TESTS += tests/own_kernel_commands.sh tests/compile_cache.sh
EXTRA_DIST += tests/own_kernel_commands.sh tests/compile_cache.sh

# What the model takes for granted of ptxas, with the NVRTC of this machine.
check_PROGRAMS += tests/ptxas_facts
TESTS += tests/ptxas_facts
tests_ptxas_facts_LDADD = libsmc.la
tests_ptxas_facts_SOURCES = tests/ptxas_facts.c tests/share.c tests/share.h

# The command line, as a person or a script uses it.
TESTS += tests/cli.sh
EXTRA_DIST += tests/cli.sh tests/golden

# What goes wrong on a GPU, on a fake one.
TESTS += tests/bounded.sh
EXTRA_DIST += tests/bounded.sh

# A person's own kernels, from their source.
TESTS += tests/source.sh
EXTRA_DIST += tests/source.sh

# Measured ceilings.
TESTS += tests/calibrate.sh
TESTS += tests/check.sh
EXTRA_DIST += tests/calibrate.sh
EXTRA_DIST += tests/check.sh

# The error of predicted times.
check_PROGRAMS += bench/time_error
TESTS += tests/time_error.sh
EXTRA_DIST += tests/time_error.sh

# The JSON Schema.
TESTS += tests/schema.sh
EXTRA_DIST += tests/schema.sh tests/schema.py tests/data/schema/commands

# Hardware counters, those of a fake GPU.
TESTS += tests/counters.sh
EXTRA_DIST += tests/counters.sh

# Runs side by side.
TESTS += tests/compare_run.sh
EXTRA_DIST += tests/compare_run.sh

# Shapes ranked and measured.
TESTS += tests/tune.sh
EXTRA_DIST += tests/tune.sh

# Every GPU of a machine.
TESTS += tests/all_gpus.sh
EXTRA_DIST += tests/all_gpus.sh

# Reports of many GPUs.
TESTS += tests/merge.sh tests/merge_checks.sh
EXTRA_DIST += tests/slurm.sh tests/merge.sh tests/merge_checks.sh tests/data/checks.awk tests/data/merge

# A person's own devices.
TESTS += tests/device_file.sh
EXTRA_DIST += tests/device_file.sh tests/data/devices

# Completion in the shells that are here.
TESTS += tests/completion.sh
EXTRA_DIST += tests/completion.sh

# The library, installed in a temporary folder.
TESTS += tests/library.sh
EXTRA_DIST += tests/library.sh tests/library_misuse.c tests/library_threads.c

# The Python package; without a python3 it is skipped.
TESTS += tests/python.sh
EXTRA_DIST += tests/python.sh tests/python/notebook.py tests/python/test_smemcalc.py tests/python/kernels_gpu.py

AM_TESTS_ENVIRONMENT = \
	CC='$(CC)' MAKE='$(MAKE)' SANITIZE_FLAGS='$(SANITIZE_FLAGS)'; export CC MAKE SANITIZE_FLAGS;
# Counts beside the kernel's lines; a machine without an NVRTC skips it.
TESTS += tests/annotate.sh
EXTRA_DIST += tests/annotate.sh
TESTS += tests/exercise.sh
EXTRA_DIST += tests/exercise.sh tests/data/exercises
TESTS += tests/findings.sh
EXTRA_DIST += tests/findings.sh tests/data/findings

# Banks: their pictures, the stream of accesses.
TESTS += tests/banks.sh
EXTRA_DIST += tests/banks.sh tests/command.sh

# src/code/compile with the NVRTC of this machine; a machine without one skips both.
check_PROGRAMS += tests/nvrtc tests/compile_all
TESTS += tests/nvrtc tests/compile_all
tests_nvrtc_LDADD = libsmc.la
tests_nvrtc_LDFLAGS = -Wl,--wrap=smc_nvrtc_compile,--wrap=smc_nvrtc_compile_with # counted
tests_nvrtc_SOURCES = tests/nvrtc.c tests/compilations.c tests/compilations.h \
	tests/temporary.c tests/temporary.h
tests_compile_all_LDADD = libsmc.la
tests_compile_all_SOURCES = \
	tests/compile_all.c \
	tests/share.c tests/share.h \
	tests/temporary.c tests/temporary.h

# The PTX that comes with the program.
TESTS += tests/built_in_ptx.sh
EXTRA_DIST += tests/built_in_ptx.sh

# Bank conflicts without running, against the emulator; a machine without an NVRTC skips it.
check_PROGRAMS += tests/bank_accesses
TESTS += tests/bank_accesses
tests_bank_accesses_LDADD = libsmc.la
tests_bank_accesses_SOURCES = \
	tests/bank_accesses.c \
	tests/launches.c tests/launches.h \
	tests/share.c tests/share.h \
	tests/temporary.c tests/temporary.h
EXTRA_DIST += tests/bank_kernels tests/data/emulator

# The catalog's kernels, emulated; a machine without an NVRTC skips it.
check_PROGRAMS += tests/emulated
TESTS += tests/emulated
tests_emulated_LDADD = libsmc.la
tests_emulated_SOURCES = \
	tests/catalog_sets.c tests/catalog_sets.h \
	tests/emulated.c \
	tests/launches.c tests/launches.h \
	tests/share.c tests/share.h \
	tests/temporary.c tests/temporary.h

# PTX instruction by instruction, against references of the tests' own.
ptx_cases_sources = \
	tests/ptx/approximate.c \
	tests/ptx/block_cases.h \
	tests/ptx/cases.c tests/ptx/cases.def tests/ptx/cases.h \
	tests/ptx/clusters.c \
	tests/ptx/exact.c tests/ptx/exact.h \
	tests/ptx/floating.c \
	tests/ptx/integer.c \
	tests/ptx/lanes.c \
	tests/ptx/matrix.c tests/ptx/matrix.h \
	tests/ptx/memory.c \
	tests/ptx/operands.c \
	tests/ptx/video.c \
	tests/ptx/wgmma.c
# The table of instructions, and its page.
check_PROGRAMS += tests/ptx_table
TESTS += tests/ptx_table
tests_ptx_table_LDADD = libsmc.la
tests_ptx_table_SOURCES = tests/ptx_table.c
check_PROGRAMS += tests/ptx_conformance
TESTS += tests/ptx_conformance
tests_ptx_conformance_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests
tests_ptx_conformance_LDADD = libsmc.la -lm
tests_ptx_conformance_SOURCES = \
	tests/ptx_conformance.c tests/share.c tests/share.h $(ptx_cases_sources)

# What users reported, from a folder of such cases; no suite.
EXTRA_DIST += tests/reported.sh

# Mutants of those kernels, which the emulator sees.
TESTS += tests/mutants.sh
EXTRA_DIST += tests/mutants.sh tests/mutants.list

# Kernels out of compilers' real output, of which the suites with tests/toolkit.sh have records.
TESTS += tests/toolkit_records.sh
EXTRA_DIST += tests/toolkit_records.sh tests/toolkit.sh tests/toolkit
check_PROGRAMS += tests/hardware/update_health
tests_hardware_update_health_SOURCES = tests/hardware/update_health.c \
	tests/hardware/health_emulated.c tests/hardware/health_emulated.h
tests_hardware_update_health_LDADD = libsmc.la

.PHONY: update-health
update-health: tests/hardware/update_health$(EXEEXT)
	$(AM_V_GEN)for table in lanes results; do \
	  tests/hardware/update_health$(EXEEXT) $$table > health.csv.tmp && \
	  mv health.csv.tmp $(srcdir)/data/health_$$table.csv || exit 1; \
	done

.PHONY: update-toolkit-records
update-toolkit-records: all # SUITES: such as "diff inspect"; by default all
	$(MAKE) check TESTS=
	$(srcdir)/tests/toolkit/update $(SUITES)
TESTS += tests/host_code.sh
EXTRA_DIST += tests/host_code.sh tests/data/source
TESTS += tests/inspect.sh tests/own_kernels.sh tests/inputs.sh tests/block_shape.sh
EXTRA_DIST += \
	tests/inspect.sh tests/own_kernels.sh tests/inputs.sh tests/block_shape.sh tests/data/inspect
TESTS += tests/pasted.sh
EXTRA_DIST += tests/pasted.sh
TESTS += tests/diff.sh
EXTRA_DIST += tests/diff.sh tests/data/diff

# Traces of Nsight Systems and Nsight Compute.
EXTRA_DIST += tests/data/trace/ncu_details.csv tests/data/trace/ncu_raw.csv

# Gates: their files, verdicts and reports; recipes for continuous integration.
TESTS += tests/trace.sh
EXTRA_DIST += tests/trace.sh tests/data/trace

TESTS += tests/gate.sh tests/recipes.sh
EXTRA_DIST += tests/gate.sh tests/recipes.sh tests/report_schemas.sh

# results/README.md's page of what was seen on a GPU, made from a results file.
check_PROGRAMS += tests/results_page
tests_results_page_SOURCES = tests/results_page.c
tests_results_page_LDADD = $(JANSSON_LIBS) -lm
TESTS += tests/results.sh
EXTRA_DIST += tests/results.sh tests/data/results results
.PHONY: update-results-page
update-results-page: tests/results_page$(EXEEXT)
	tests/results_page$(EXEEXT) $(srcdir)/results/h200.json $(srcdir)/results/README.md >results.new
	cat results.new >$(srcdir)/results/README.md && rm -f results.new

# Scripts; cases.sh counts for them.
TESTS += tests/layers.sh tests/docs.sh tests/surroundings.sh
EXTRA_DIST += tests/cases.sh tests/circles.awk tests/docs.sh tests/layers.awk tests/layers.sh tests/surroundings.sh

# A stream of launches.
TESTS += tests/batch.sh
EXTRA_DIST += tests/batch.sh tests/data/launches.csv

# The explorer's first screen.
TESTS += tests/tui_explore.sh
EXTRA_DIST += tests/tui_explore.sh

# Sweeps and pictures.
TESTS += tests/sweep.sh
EXTRA_DIST += tests/sweep.sh

TESTS += tests/time.sh
EXTRA_DIST += tests/time.sh
TESTS += tests/roofline.sh
EXTRA_DIST += tests/roofline.sh

# The lessons on the screen; lessons from files.
TESTS += tests/tui_lessons.sh tests/lesson.sh
EXTRA_DIST += tests/tui_lessons.sh tests/lesson.sh

# What libraries leak is not ours to mend. LeakSanitizer up to GCC 13 and Clang 16 takes some
# thread-local storage of loaded libraries for that of a glibc before 2.25, reads a pointer in front
# of it that is none, and ends by "Tracer caught signal 11": hence intercept_tls_get_addr=0.
LSAN_SETTINGS = print_suppressions=0:intercept_tls_get_addr=0
AM_TESTS_ENVIRONMENT += \
	LSAN_OPTIONS=suppressions=$(abs_srcdir)/tests/lsan.supp:$(LSAN_SETTINGS); export LSAN_OPTIONS;
EXTRA_DIST += tests/lsan.supp tests/valgrind.supp

# The explorer's screens of banks and devices.
TESTS += tests/trace_plot.sh tests/tui_views.sh
EXTRA_DIST += tests/trace_plot.sh tests/tui_views.sh
# The explorer on a terminal.
check_PROGRAMS += tests/crash_smemcalc
tests_crash_smemcalc_LDADD = libsmc.la
tests_crash_smemcalc_SOURCES = tests/crash_smemcalc.c
TESTS += tests/tui_confirm.sh tests/tui_file.sh tests/tui_terminal.sh tests/tui_work.sh
EXTRA_DIST += tests/terminal.sh tests/tui_confirm.sh tests/tui_file.sh tests/tui_terminal.sh \
	tests/tui_work.sh

TESTS += tests/memory.sh
EXTRA_DIST += tests/memory.sh

# For a run that shows how far it is.
.PHONY: list-suites
list-suites:
	@echo $(TESTS)

# What .ci/run repeats where a CUDA Toolkit is: the GPU back end on a fake GPU, and the compilers.
.PHONY: list-toolkit-suites
list-toolkit-suites:
	@echo tests/gpu/gpu_tests tests/gpu/fake_tests tests/all_gpus.sh tests/bounded.sh \
		tests/calibrate.sh tests/check.sh tests/compare_run.sh tests/counters.sh tests/current.sh \
		tests/docs.sh tests/doctor.sh tests/merge.sh tests/oracle tests/headroom_oracle tests/shim/abi \
		tests/source.sh tests/trace/abi tests/tui_confirm.sh tests/tune.sh

# What .ci/run repeats with sanitizers: the unit tests, the command line, what reads files, and the
# emulator.
.PHONY: list-sanitized-suites
list-sanitized-suites:
	@echo tests/unit tests/cli.sh tests/banks.sh tests/batch.sh tests/completion.sh \
		tests/device_file.sh tests/diff.sh tests/gate.sh tests/host_code.sh tests/inputs.sh \
		tests/inspect.sh tests/merge.sh tests/own_kernels.sh tests/source.sh tests/trace.sh \
		tests/fuzz/run_corpus tests/annotate.sh tests/emulated tests/exercise.sh tests/findings.sh \
		tests/ptx_conformance tests/shim.sh

# A developer's loop: a minute at most, in a tree that is built. DOCS: the documents to check, by
# default those that differ from the last commit.
QUICK_SUITES = tests/unit tests/cli.sh tests/sweep.sh tests/gate.sh tests/trace.sh tests/batch.sh \
	tests/tui_views.sh tests/layers.sh
changed_docs = git -C $(srcdir) diff --name-only HEAD -- '*.md' 'man/*.[0-9]'
.PHONY: check-quick
check-quick: all
	$(MAKE) $(AM_MAKEFLAGS) check check_PROGRAMS=tests/unit$(EXEEXT) check_LTLIBRARIES= \
		TESTS='$(QUICK_SUITES)'
	@docs="$${DOCS-`$(changed_docs)`}"; test -z "$$docs" || \
		srcdir=$(srcdir) sh $(srcdir)/tests/docs.sh $$docs

# The decoder of machine code against nvdisasm.
check_PROGRAMS += tests/disassembly
TESTS += tests/disassembly
tests_disassembly_LDADD = libsmc.la
tests_disassembly_SOURCES = \
	tests/disassembly.c \
	tests/machine_text.c tests/machine_text.h \
	tests/temporary.c tests/temporary.h

# What protects against misused memory is in what was built.
TESTS += tests/hardening.sh
EXTRA_DIST += tests/hardening.sh

# What works on this machine.
TESTS += tests/doctor.sh
EXTRA_DIST += tests/doctor.sh

# The sandbox of readers and of the emulator.
check_PROGRAMS += tests/sandbox_calls
tests_sandbox_calls_SOURCES = tests/sandbox_calls.c
tests_sandbox_calls_LDADD = libsmc.la
TESTS += tests/sandbox.sh
EXTRA_DIST += tests/sandbox.sh

# What the tests run of src, by `.ci/run coverage`.
EXTRA_DIST += tests/coverage.py tests/coverage.list tests/coverage_exit.h
