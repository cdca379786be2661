libsmc_la_SOURCES += \
	src/tui/actions.def src/tui/device_facts.def src/tui/fields.def src/tui/key_names.def \
	src/tui/keys.def src/tui/signs.def src/tui/styles.def src/tui/views.def \
	src/tui/banks.c src/tui/banks.h \
	src/tui/chart.c src/tui/chart.h \
	src/tui/confirm.c src/tui/confirm.h \
	src/tui/devices.c src/tui/devices.h \
	src/tui/draw_explore.c src/tui/draw_time.c src/tui/explore.c src/tui/explore.h \
	src/tui/explorer.c \
	src/tui/fields.c src/tui/fields.h \
	src/tui/frame.c src/tui/frame.h \
	src/tui/keys.c src/tui/keys.h \
	src/tui/lessons.h \
	src/tui/memo.c src/tui/memo.h \
	src/tui/restore.c src/tui/restore.h \
	src/tui/roofline.h \
	src/tui/run.c src/tui/tui.h \
	src/tui/state.c src/tui/state.h \
	src/tui/terminal.h src/tui/terminal_script.c \
	src/tui/trace_list.c src/tui/trace_list.h \
	src/tui/view_banks.c src/tui/view_confirm.c src/tui/view_confirm.h src/tui/view_devices.c \
	src/tui/view_explore.c src/tui/view_lessons.c src/tui/view_roofline.c src/tui/view_trace.c \
	src/tui/widgets.c src/tui/widgets.h \
	src/tui/worker.c src/tui/worker.h

if HAVE_CURSES
libsmc_la_SOURCES += src/tui/terminal_curses.c
libsmc_la_LIBADD += $(CURSES_LIBS)
else
libsmc_la_SOURCES += src/tui/terminal_none.c
endif
