libsmc_la_SOURCES +=
