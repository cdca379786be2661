libsmc_la_SOURCES += \
	src/cli/arguments.c \
	src/cli/ask.c src/cli/ask.h \
	src/cli/ask_kernel.c src/cli/ask_kernel.h \
	src/cli/ask_banks.c src/cli/ask_banks.h \
	src/cli/banks_csv.c src/cli/banks_csv.h \
	src/cli/cli.c src/cli/cli.h \
	src/cli/cmd_banks.c src/cli/cmd_batch.c src/cli/cmd_best.c src/cli/cmd_carveout.c \
	src/cli/cmd_devices.c src/cli/cmd_help.c src/cli/cmd_kernels.c src/cli/cmd_limits.c \
	src/cli/cmd_query.c src/cli/cmd_run.c \
	src/cli/command.h src/cli/commands.def \
	src/cli/groups.def \
	src/cli/help.c src/cli/help.h \
	src/cli/options.c src/cli/options.def src/cli/options.h \
	src/cli/output.c src/cli/output.h
