libsmc_la_SOURCES += \
	src/report/advice.c src/report/annotation.c src/report/answer.c src/report/bank_accesses.c src/report/bank_accesses.h src/report/banks.c \
	src/report/banks.h src/report/best.c src/report/best_kernels.c src/report/carveouts.c src/report/ceilings.c \
	src/report/csv.c src/report/csv_parts.h src/report/device_table.c \
	src/report/device_table.h src/report/devices.c \
	src/report/diff.c src/report/diff.h src/report/doctor.c src/report/emulator_findings.c \
	src/report/emulator_findings.h src/report/explain.c src/report/fleet.c src/report/fleet.h src/report/fields.c \
	src/report/fields.h src/report/findings.c src/report/findings.h \
	src/report/findings_junit.c src/report/findings_sarif.c src/report/headroom.c src/report/health.c src/report/health.h \
	src/report/launch_calls.c \
	src/report/openmetrics.c src/report/openmetrics.h src/report/inspect.c src/report/json.c \
	src/report/json_parts.h src/report/kernel_names.c src/report/kernel_names.h \
	src/report/kernels.c src/report/layout.c src/report/layout.h src/report/merge.c src/report/overview.c src/report/overview.h \
	src/report/user.c src/report/report.h src/report/run.c src/report/run.h \
	src/report/series.c src/report/series.h src/report/sweep.c \
	src/report/text_parts.h src/report/time.c src/report/time.h src/report/words.c src/report/words.h src/report/workload.c \
	src/report/text_parts.h src/report/trace.c \
	src/report/trace_table.c src/report/trace_table.h \
	src/report/tune.c src/report/words.c src/report/words.h src/report/workload.c \
	src/report/writer_json.c src/report/writers.c

# The lists of fields in smemcalc-formats(5): make update-tables
check_PROGRAMS += src/report/update_formats
src_report_update_formats_SOURCES = src/report/update_formats.c
src_report_update_formats_LDADD = libsmc.la
