# Sources of this folder.
libsmc_la_SOURCES += src/executor/executor.h
