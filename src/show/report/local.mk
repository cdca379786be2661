libsmc_la_SOURCES += \
	src/show/report/advice.c \
	src/show/report/annotation_report.c \
	src/show/report/answer_report.c \
	src/show/report/bank_accesses_report.c \
	src/show/report/banks_report.c src/show/report/banks_report.h \
	src/show/report/best_kernels.c \
	src/show/report/best_report.c \
	src/show/report/carveouts_report.c \
	src/show/report/ceilings_report.c \
	src/show/report/csv.c \
	src/show/report/device_table.c \
	src/show/report/devices_report.c \
	src/show/report/diff_report.c src/show/report/diff_report.h \
	src/show/report/doctor_report.c \
	src/show/report/emulator_findings.c src/show/report/emulator_findings.h \
	src/show/report/exercise_report.c \
	src/show/report/explain.c \
	src/show/report/findings_junit.c \
	src/show/report/findings_report.c src/show/report/findings_report.h \
	src/show/report/findings_sarif.c \
	src/show/report/fleet.c \
	src/show/report/limits_report.c \
	src/show/report/health_report.c \
	src/show/report/inspect_report.c \
	src/show/report/memory_report.c \
	src/show/report/json.c \
	src/show/report/kernels_report.c \
	src/show/report/launch_calls.c \
	src/show/report/merge_report.c \
	src/show/report/openmetrics.c \
	src/show/report/overview.c src/show/report/overview.h \
	src/show/report/pair_report.c \
	src/show/report/report.h \
	src/show/report/report_fields.c src/show/report/report_fields.h \
	src/show/report/report_values.c \
	src/show/report/run_report.c \
	src/show/report/series_report.c \
	src/show/report/sweep_report.c \
	src/show/report/text_table.c src/show/report/text_table.h \
	src/show/report/time_report.c \
	src/show/report/trace_report.c \
	src/show/report/trace_table.c \
	src/show/report/tile_report.c \
	src/show/report/tune_report.c \
	src/show/report/user_report.c \
	src/show/report/workload.c \
	src/show/report/writer_json.c \
	src/show/report/writers.c src/show/report/writers.def src/show/report/writers.h

# The lists of fields in smemcalc-formats(5): make update-tables
check_PROGRAMS += src/show/report/update_formats
src_show_report_update_formats_SOURCES = src/show/report/update_formats.c
src_show_report_update_formats_LDADD = libsmc.la

# The JSON Schema of the reports.
dist_pkgdata_DATA = data/smemcalc-1.schema.json
