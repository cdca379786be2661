libsmc_la_SOURCES += \
	src/show/cli/ask.h \
	src/show/cli/ask_devices.c \
	src/show/cli/ask_file.c \
	src/show/cli/ask_gate.c \
	src/show/cli/ask_inspect.c src/show/cli/ask_inspect.h \
	src/show/cli/ask_kernel.c \
	src/show/cli/ask_words.c src/show/cli/ask_words.h \
	src/show/cli/cli.c src/show/cli/cli.h \
	src/show/cli/cmd_banks.c \
	src/show/cli/cmd_batch.c \
	src/show/cli/cmd_best.c \
	src/show/cli/cmd_calibrate.c \
	src/show/cli/cmd_carveout.c \
	src/show/cli/cmd_check.c \
	src/show/cli/cmd_completion.c \
	src/show/cli/cmd_devices.c \
	src/show/cli/cmd_diff.c \
	src/show/cli/cmd_doctor.c \
	src/show/cli/cmd_exercise.c \
	src/show/cli/cmd_help.c \
	src/show/cli/cmd_inspect.c \
	src/show/cli/cmd_kernels.c \
	src/show/cli/cmd_lesson.c \
	src/show/cli/cmd_limits.c \
	src/show/cli/cmd_merge.c \
	src/show/cli/cmd_query.c \
	src/show/cli/cmd_run.c src/show/cli/cmd_run.h \
	src/show/cli/cmd_sweep.c \
	src/show/cli/cmd_trace.c \
	src/show/cli/cmd_tui.c \
	src/show/cli/cmd_tune.c \
	src/show/cli/command.h \
	src/show/cli/commands.c src/show/cli/commands.def \
	src/show/cli/groups.def \
	src/show/cli/idle_options.c \
	src/show/cli/interrupt.c src/show/cli/interrupt.h \
	src/show/cli/options.c src/show/cli/options.def src/show/cli/options.h \
	src/show/cli/output.c src/show/cli/output.h \
	src/show/cli/progress.c src/show/cli/progress.h \
	src/show/cli/run_sanitize.c \
	src/show/cli/run_pair.c \
	src/show/cli/run_series.c \
	src/show/cli/run_settings.c \
	src/show/cli/run_source.c

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
