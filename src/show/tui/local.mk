libsmc_la_SOURCES += \
	src/show/tui/actions.def \
	src/show/tui/banks_state.c src/show/tui/banks_state.h \
	src/show/tui/chart_view.c src/show/tui/chart_view.h \
	src/show/tui/confirm_state.c src/show/tui/confirm_state.h \
	src/show/tui/device_facts.def \
	src/show/tui/devices_state.c src/show/tui/devices_state.h \
	src/show/tui/draw_explore.c \
	src/show/tui/draw_time.c \
	src/show/tui/explore.c src/show/tui/explore.h \
	src/show/tui/frame.c src/show/tui/frame.h \
	src/show/tui/frame_file.c \
	src/show/tui/key_names.def \
	src/show/tui/keys.c src/show/tui/keys.def src/show/tui/keys.h \
	src/show/tui/lists.c \
	src/show/tui/memo.c src/show/tui/memo.h \
	src/show/tui/open_file.c src/show/tui/open_file.h \
	src/show/tui/open_file_jobs.c \
	src/show/tui/open_file_launch.c \
	src/show/tui/palette.c \
	src/show/tui/popup.c \
	src/show/tui/prompts.c \
	src/show/tui/rects.c \
	src/show/tui/restore.c src/show/tui/restore.h \
	src/show/tui/roofline_state.h \
	src/show/tui/signs.def \
	src/show/tui/styles.def \
	src/show/tui/terminal.h \
	src/show/tui/terminal_script.c \
	src/show/tui/trace_list.c src/show/tui/trace_list.h \
	src/show/tui/tui.h \
	src/show/tui/tui_explorer.c \
	src/show/tui/tui_fields.c src/show/tui/tui_fields.def src/show/tui/tui_fields.h \
	src/show/tui/tui_run.c \
	src/show/tui/tui_state.c src/show/tui/tui_state.h \
	src/show/tui/view_banks.c \
	src/show/tui/view_confirm.c \
	src/show/tui/view_devices.c \
	src/show/tui/view_explore.c \
	src/show/tui/view_lessons.c \
	src/show/tui/view_roofline.c \
	src/show/tui/view_trace.c \
	src/show/tui/views.def \
	src/show/tui/widgets.h \
	src/show/tui/worker.c src/show/tui/worker.h

if HAVE_CURSES
libsmc_la_SOURCES += \
	src/show/tui/terminal_curses.c
libsmc_la_LIBADD += $(CURSES_LIBS)
else
libsmc_la_SOURCES += \
	src/show/tui/terminal_none.c
endif
