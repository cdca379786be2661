# Benchmarks: `make bench` runs them all and prints their figures. make check only builds them.
check_PROGRAMS += bench/model_speed
bench_model_speed_SOURCES = bench/model_speed.c tests/oracle_device.h tests/oracle_launches.h
bench_model_speed_LDADD = libsmc.la
bench_model_speed_CPPFLAGS = $(AM_CPPFLAGS)
if HAVE_OCCUPANCY_HEADER
bench_model_speed_CPPFLAGS += -DHAVE_OCCUPANCY_HEADER
endif
check_PROGRAMS += bench/tui_speed
bench_tui_speed_SOURCES = bench/tui_speed.c
bench_tui_speed_LDADD = libsmc.la
bench_tui_speed_CPPFLAGS = $(AM_CPPFLAGS)
if HAVE_CURSES
bench_tui_speed_CPPFLAGS += -DHAVE_CURSES
endif
# For bench/libraries.sh, which `make bench` does not run: its libraries are large.
check_PROGRAMS += bench/list_kernels
bench_list_kernels_SOURCES = bench/list_kernels.c
bench_list_kernels_LDADD = libsmc.la
# The error of predicted times: without a GPU it predicts, and compares with saved measurements.
own_kernels = \
	bench/kernels/bitonic_sort.cu \
	bench/kernels/black_scholes.cu \
	bench/kernels/histogram.cu \
	bench/kernels/n_body.cu \
	bench/kernels/reduction.cu \
	bench/kernels/scan.cu \
	bench/kernels/softmax.cu \
	bench/kernels/spmv.cu \
	bench/kernels/stencil_2d.cu \
	bench/kernels/transpose.cu
EXTRA_DIST += $(own_kernels)
bench_time_error_SOURCES = bench/time_error.c \
	bench/own_emulate.c \
	bench/own_kernels.c bench/own_kernels.h \
	bench/timed_file.c \
	bench/timed_launch.c bench/timed_launch.h
bench_time_error_LDADD = libsmc.la -lm
if HAVE_CUDA
bench_time_error_SOURCES += bench/gpu_bench.c bench/gpu_bench.h bench/timed_gpu.c
EXTRA_PROGRAMS += bench/sgemm_speed bench/stencil_speed
bench_sgemm_speed_SOURCES = bench/sgemm_speed.c bench/gpu_bench.c bench/gpu_bench.h
bench_sgemm_speed_LDADD = libsmc.la -lm
bench_stencil_speed_SOURCES = bench/stencil_speed.c bench/gpu_bench.c bench/gpu_bench.h
bench_stencil_speed_LDADD = libsmc.la
gpu_benchmarks = bench/sgemm_speed$(EXEEXT) bench/stencil_speed$(EXEEXT)
endif
CLEANFILES += bench/sgemm_speed$(EXEEXT) bench/stencil_speed$(EXEEXT)
EXTRA_DIST += bench/batch.sh bench/emulator_speed.sh bench/libraries.sh bench/sitting.txt bench/start.sh

.PHONY: bench
bench: smemcalc$(EXEEXT) bench/model_speed$(EXEEXT) bench/tui_speed$(EXEEXT) $(gpu_benchmarks)
	bench/model_speed$(EXEEXT)
	$(srcdir)/bench/batch.sh
	$(srcdir)/bench/start.sh
	bench/tui_speed$(EXEEXT) $(srcdir)/bench/sitting.txt
	$(srcdir)/bench/emulator_speed.sh
	for program in $(gpu_benchmarks); do $$program || [ $$? -eq 77 ] || exit 1; done
