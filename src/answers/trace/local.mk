libsmc_la_SOURCES += \
	src/answers/trace/bounds.def \
	src/answers/trace/chrome.c \
	src/answers/trace/collect.c \
	src/answers/trace/json_stream.c src/answers/trace/json_stream.h \
	src/answers/trace/launch_tables.c \
	src/answers/trace/ncu.c \
	src/answers/trace/ncu_metrics.def \
	src/answers/trace/ncu_numbers.c src/answers/trace/ncu_numbers.h \
	src/answers/trace/ncu_text.c src/answers/trace/ncu_text.h \
	src/answers/trace/nsys.c \
	src/answers/trace/own.c \
	src/answers/trace/records_read.c src/answers/trace/records_read.h \
	src/answers/trace/sqlite.c src/answers/trace/sqlite.h \
	src/answers/trace/trace.c src/answers/trace/trace.h \
	src/answers/trace/trace_answer.c src/answers/trace_answer.h \
	src/answers/trace/trace_gate.c \
	src/answers/trace/trace_input.c src/answers/trace/trace_input.h \
	src/answers/trace/trace_merge.c \
	src/answers/trace/trace_read.c \
	src/answers/trace_records.h \
	src/answers/trace/trace_sources.def \
	src/answers/trace/triton.c

# The library that is injected into programs. It links nothing of CUDA and nothing of ours, and shows
# no names but those of the driver that it hooks.
if LINUX_GNU
pkglib_LTLIBRARIES += libsmemcalc_trace.la
endif
libsmemcalc_trace_la_SOURCES = \
	src/guests/inject/abi.h src/guests/inject/driver_calls.def \
	src/guests/inject/cupti.c src/guests/inject/cupti.h \
	src/guests/inject/hooks.c src/guests/inject/hooks.h \
	src/guests/inject/inject.c src/guests/inject/inject.h \
	src/guests/inject/inject_modules.c src/guests/inject/inject_modules.h \
	src/answers/trace_records.h src/answers/trace_records.h \
	src/guests/inject/seen.c src/guests/inject/seen.h \
	src/guests/inject/inject_table.c src/guests/inject/inject_table.h
libsmemcalc_trace_la_CFLAGS = -shared -std=c11 $(WARNING_CFLAGS) $(HARDENING_CFLAGS) -fvisibility=hidden \
	-fno-sanitize=all
libsmemcalc_trace_la_LDFLAGS = $(HARDENING_LDFLAGS) -module -avoid-version -shared -Wl,-z,defs -Wl,-z,nodelete
libsmemcalc_trace_la_LIBADD = -lpthread -ldl
