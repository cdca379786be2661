libsmc_la_SOURCES += \
	src/trace/answer.c src/trace/answer.h \
	src/trace/bounds.def \
	src/trace/chrome.c \
	src/trace/collect.c src/trace/collect.h \
	src/trace/input.c src/trace/input.h \
	src/trace/launch_tables.c \
	src/trace/merge.c \
	src/trace/ncu.c src/trace/ncu_metrics.def \
	src/trace/ncu_numbers.c src/trace/ncu_numbers.h \
	src/trace/ncu_text.c src/trace/ncu_text.h \
	src/trace/gate.c src/trace/gate.h \
	src/trace/modules.c src/trace/modules.h \
	src/trace/records.c src/trace/records.h \
	src/trace/inject/names.h src/trace/inject/records.h \
	src/trace/nsys.c \
	src/trace/json_stream.c src/trace/json_stream.h \
	src/trace/own.c \
	src/trace/read.c src/trace/read.h \
	src/trace/sources.def \
	src/trace/sqlite.c src/trace/sqlite.h \
	src/trace/trace.c src/trace/trace.h \
	src/trace/triton.c

# The library that is injected into programs. It links nothing of CUDA and nothing of ours, and shows
# no names but those of the driver that it hooks.
if LINUX_GNU
pkglib_LTLIBRARIES += libsmemcalc_trace.la
endif
libsmemcalc_trace_la_SOURCES = \
	src/trace/inject/abi.h src/trace/inject/driver_calls.def \
	src/trace/inject/cupti.c src/trace/inject/cupti.h \
	src/trace/inject/hooks.c src/trace/inject/hooks.h \
	src/trace/inject/inject.c src/trace/inject/inject.h \
	src/trace/inject/modules.c src/trace/inject/modules.h \
	src/trace/inject/names.h src/trace/inject/records.h \
	src/trace/inject/seen.c src/trace/inject/seen.h \
	src/trace/inject/table.c src/trace/inject/table.h
libsmemcalc_trace_la_CFLAGS = -shared -std=c11 $(WARNING_CFLAGS) $(HARDENING_CFLAGS) -fvisibility=hidden \
	-fno-sanitize=all
libsmemcalc_trace_la_LDFLAGS = $(HARDENING_LDFLAGS) -module -avoid-version -shared -Wl,-z,defs -Wl,-z,nodelete
libsmemcalc_trace_la_LIBADD = -lpthread -ldl
