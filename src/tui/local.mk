libsmc_la_SOURCES += \
	src/tui/actions.def src/tui/device_columns.def \
	src/tui/device_facts.def src/tui/fields.def src/tui/key_names.def src/tui/keys.def \
	src/tui/signs.def src/tui/styles.def src/tui/views.def \
	src/tui/ansi.c src/tui/ansi.h \
	src/tui/banks_state.c src/tui/banks_state.h \
	src/tui/chart.c src/tui/chart.h \
	src/tui/command.c src/tui/command.h \
	src/tui/confirm_state.c src/tui/confirm_state.h \
	src/tui/devices_draw.h src/tui/devices_layout.c src/tui/devices_layout.h \
	src/tui/devices_state.c src/tui/devices_state.h \
	src/tui/draw_comparison.c src/tui/draw_devices.c \
	src/tui/draw_launch.c \
	src/tui/draw_sm.c src/tui/draw_words.c src/tui/explore_draw.h \
	src/tui/edit.c src/tui/edit.h \
	src/tui/explore.c src/tui/explore.h \
	src/tui/explore_layout.c src/tui/explore_layout.h \
	src/tui/field_edit.c src/tui/field_numbers.c src/tui/field_numbers.h \
	src/tui/fields.c src/tui/fields.h \
	src/tui/frame.c src/tui/frame.h \
	src/tui/glyph.c src/tui/glyph.h \
	src/tui/job.c src/tui/job.h \
	src/tui/keys.c src/tui/keys.h \
	src/tui/lessons_state.h src/tui/view_lessons.c \
	src/tui/list.c src/tui/list.h \
	src/tui/looks.c src/tui/looks.h \
	src/tui/memo.c src/tui/memo.h \
	src/tui/pick.c src/tui/pick.h \
	src/tui/popup.c src/tui/popup.h \
	src/tui/prompt.c src/tui/prompt.h \
	src/tui/rect.c src/tui/rect.h \
	src/tui/restore.c src/tui/restore.h \
	src/tui/run.c src/tui/tui.h \
	src/tui/screen.c src/tui/state.c src/tui/state.h \
	src/tui/script.h src/tui/terminal.h src/tui/terminal_script.c \
	src/tui/sm_drawing.c src/tui/sm_drawing.h \
	src/tui/view_banks.c src/tui/view_confirm.c src/tui/view_confirm.h src/tui/view_devices.c \
	src/tui/view_explore.c src/tui/views.c \
	src/tui/worker.c src/tui/worker.h

if HAVE_CURSES
libsmc_la_SOURCES += src/tui/terminal_curses.c
libsmc_la_LIBADD += $(CURSES_LIBS)
else
libsmc_la_SOURCES += src/tui/terminal_none.c
endif
