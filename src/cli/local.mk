libsmc_la_SOURCES += \
	src/cli/arguments.c \
	src/cli/ask.c src/cli/ask.h \
	src/cli/ask_axes.c src/cli/ask_axes.h \
	src/cli/ask_ceilings.c src/cli/ask_ceilings.h \
	src/cli/ask_devices.c src/cli/ask_devices.h \
	src/cli/ask_kernel.c src/cli/ask_kernel.h \
	src/cli/ask_own.c src/cli/ask_own.h \
	src/cli/ask_place.c src/cli/ask_place.h \
	src/cli/ask_questions.c src/cli/ask_questions.h \
	src/cli/ask_series.c src/cli/ask_series.h \
	src/cli/ask_banks.c src/cli/ask_banks.h \
	src/cli/banks_csv.c src/cli/banks_csv.h \
	src/cli/cli.c src/cli/cli.h \
	src/cli/cmd_batch.c \
	src/cli/cmd_completion.c src/cli/completion.c src/cli/completion.h \
	src/cli/completion_bash.c src/cli/completion_fish.c src/cli/completion_zsh.c \
	src/cli/shells.def \
	src/cli/cmd_banks.c src/cli/cmd_best.c src/cli/cmd_carveout.c \
	src/cli/cmd_calibrate.c src/cli/cmd_devices.c src/cli/cmd_help.c src/cli/cmd_inspect.c src/cli/cmd_kernels.c src/cli/cmd_lesson.c \
	src/cli/cmd_limits.c src/cli/cmd_merge.c \
	src/cli/cmd_query.c src/cli/cmd_run.c src/cli/run_everywhere.c src/cli/run_everywhere.h \
	src/cli/run_source.c src/cli/run_source.h src/cli/cmd_sweep.c src/cli/cmd_tui.c \
	src/cli/command.h src/cli/commands.def \
	src/cli/groups.def \
	src/cli/help.c src/cli/help.h \
	src/cli/idle_options.c src/cli/idle_options.def src/cli/idle_options.h \
	src/cli/interrupt.c src/cli/interrupt.h \
	src/cli/options.c src/cli/options.def src/cli/options.h \
	src/cli/output.c src/cli/output.h \
	src/cli/picture.c src/cli/picture.h \
	src/cli/progress.c src/cli/progress.h \
	src/cli/run_series.c src/cli/run_series.h \
	src/cli/run_stop.c src/cli/run_stop.h \
	src/cli/stream.c src/cli/stream.h

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
