# Sources of this folder.
libsmc_la_SOURCES += src/cli/cli.c src/cli/cli.h
