libsmc_la_SOURCES += \
	src/source/cpp_declarations.c src/source/cpp_declarations.h \
	src/source/cpp_tokens.c src/source/cpp_tokens.h \
	src/source/device_part.c src/source/device_part.h \
	src/source/predefined_macros.def \
	src/source/host_piece.c src/source/host_piece.h \
	src/source/instantiations.c src/source/instantiations.h \
	src/source/library_calls.c src/source/library_calls.h \
	src/source/object_types.c src/source/object_types.h \
	src/source/shared_arrays.c src/source/shared_arrays.h \
	src/source/source_tree.c src/source/source_tree.h \
	src/source/standard_headers.c src/source/standard_headers.h \
	src/source/unlaunched.c src/source/unlaunched.h
