libsmc_la_SOURCES += \
	src/devicefile/device_file.c src/devicefile/device_file.h \
	src/devicefile/keys.c src/devicefile/keys.h \
	src/devicefile/read_device.c src/devicefile/read_device.h
