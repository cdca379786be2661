# Sources of this folder.
libsmc_la_SOURCES += src/catalog/catalog.h src/catalog/params.def
