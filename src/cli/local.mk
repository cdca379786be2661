libsmc_la_SOURCES += \
	src/cli/ask.h \
	src/cli/ask_devices.c \
	src/cli/ask_file.c \
	src/cli/ask_gate.c src/cli/ask_gate.h \
	src/cli/ask_inspect.c src/cli/ask_inspect.h \
	src/cli/ask_kernel.c \
	src/cli/cli.c src/cli/cli.h \
	src/cli/cmd_banks.c \
	src/cli/cmd_batch.c \
	src/cli/cmd_best.c \
	src/cli/cmd_calibrate.c \
	src/cli/cmd_carveout.c \
	src/cli/cmd_check.c \
	src/cli/cmd_completion.c \
	src/cli/cmd_devices.c \
	src/cli/cmd_diff.c \
	src/cli/cmd_doctor.c \
	src/cli/cmd_help.c src/cli/help.h \
	src/cli/cmd_inspect.c \
	src/cli/cmd_kernels.c \
	src/cli/cmd_lesson.c \
	src/cli/cmd_limits.c \
	src/cli/cmd_merge.c \
	src/cli/cmd_query.c \
	src/cli/commands.c \
	src/cli/cmd_run.c src/cli/run.h src/cli/run_sanitize.c src/cli/run_series.c \
	src/cli/run_settings.c src/cli/run_source.c \
	src/cli/cmd_sweep.c \
	src/cli/cmd_tui.c \
	src/cli/cmd_trace.c \
	src/cli/cmd_tune.c \
	src/cli/command.h src/cli/commands.def \
	src/cli/idle_options.c \
	src/cli/options.c src/cli/options.def src/cli/options.h src/cli/groups.def \
	src/cli/output.c src/cli/output.h \
	src/cli/progress.c src/cli/progress.h

# The program writes its own completions; where it cannot run here, none are installed.
if !CROSS_COMPILING
bashcompletiondir = $(datadir)/bash-completion/completions
zshcompletiondir = $(datadir)/zsh/site-functions
fishcompletiondir = $(datadir)/fish/vendor_completions.d
nodist_bashcompletion_DATA = completions/smemcalc
nodist_zshcompletion_DATA = completions/_smemcalc
nodist_fishcompletion_DATA = completions/smemcalc.fish
CLEANFILES += $(nodist_bashcompletion_DATA) $(nodist_zshcompletion_DATA) \
	$(nodist_fishcompletion_DATA)

completions/smemcalc: smemcalc$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && ./smemcalc$(EXEEXT) completion bash > $@.tmp && mv $@.tmp $@
completions/_smemcalc: smemcalc$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && ./smemcalc$(EXEEXT) completion zsh > $@.tmp && mv $@.tmp $@
completions/smemcalc.fish: smemcalc$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && ./smemcalc$(EXEEXT) completion fish > $@.tmp && mv $@.tmp $@
endif
