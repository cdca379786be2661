# Sources of this folder.
libsmc_la_SOURCES += \
	src/machine/timing/arguments.c src/machine/timing/arguments.h \
	src/machine/timing/crowds.c src/machine/timing/crowds.h \
	src/machine/timing/dram.c \
	src/machine/timing/fetch.c src/machine/timing/fetch.h \
	src/machine/timing/known_traces.c src/machine/timing/known_traces.h \
	src/machine/timing/l1.c src/machine/timing/l1.h \
	src/machine/timing/l2.c src/machine/timing/l2.h \
	src/machine/timing/launch_model.h src/machine/timing/long_loops.c \
	src/machine/timing/means.c src/machine/timing/means.h \
	src/machine/timing/module_values.c src/machine/timing/module_values.h \
	src/machine/timing/operands.c src/machine/timing/operands.h \
	src/machine/timing/panels.c src/machine/timing/panels.h \
	src/machine/timing/phases.c src/machine/timing/phases.h \
	src/machine/timing/predictable.c \
	src/machine/timing/products.c src/machine/timing/products.def \
	src/machine/timing/rates.c \
	src/machine/timing/reuse.c src/machine/timing/reuse.h \
	src/machine/timing/row_parts.c src/machine/timing/row_parts.h \
	src/machine/timing/run_sample.c src/machine/timing/sample.c \
	src/machine/timing/sm_atomics.c \
	src/machine/timing/sm_blocks.c src/machine/timing/sm_constants.c \
	src/machine/timing/sm_memory.c src/machine/timing/sm_state.h src/machine/timing/sm_waits.c \
	src/machine/timing/sm_schedule.c src/machine/timing/sm_schedule.h \
	src/machine/timing/surveyed_traces.c \
	src/machine/timing/terms.def \
	src/machine/timing/time_terms.c src/machine/timing/timing.c \
	src/machine/timing/traces.c src/machine/timing/traces.h \
	src/machine/timing/uneven_sms.c \
	src/machine/timing/walk_failures.c
