# Sources of this folder.
libsmc_la_SOURCES += src/confirm/confirm.h
