# Sources of this folder.
libsmc_la_SOURCES += src/report/report.h
