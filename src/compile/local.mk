# Sources of this folder.
libsmc_la_SOURCES += src/compile/compile.h
