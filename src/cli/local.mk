libsmc_la_SOURCES += \
	src/cli/arguments.c \
	src/cli/ask.c src/cli/ask.h \
	src/cli/ask_kernel.c src/cli/ask_kernel.h \
	src/cli/cli.c src/cli/cli.h \
	src/cli/cmd_devices.c src/cli/cmd_help.c src/cli/cmd_inspect.c src/cli/cmd_kernels.c \
	src/cli/cmd_query.c src/cli/cmd_run.c \
	src/cli/command.h src/cli/commands.def \
	src/cli/groups.def \
	src/cli/help.c src/cli/help.h \
	src/cli/options.c src/cli/options.def src/cli/options.h \
	src/cli/output.c src/cli/output.h
