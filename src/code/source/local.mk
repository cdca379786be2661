libsmc_la_SOURCES += \
	src/code/source/cpp_declarations.c src/code/source/cpp_declarations.h \
	src/code/source/cpp_tokens.c src/code/cpp_tokens.h \
	src/code/source/device_part.c src/code/source/device_part.h \
	src/code/source/host_piece.c src/code/source/host_piece.h \
	src/code/source/instantiations.c src/code/source/instantiations.h \
	src/code/source/library_calls.c src/code/source/library_calls.h \
	src/code/source/object_types.c src/code/source/object_types.h \
	src/code/source/predefined_macros.def \
	src/code/source/shared_arrays.c src/code/source/shared_arrays.h \
	src/code/source/source_tree.c src/code/source_tree.h \
	src/code/source/standard_headers.c src/code/source/standard_headers.h \
	src/code/source/unlaunched.c src/code/source/unlaunched.h
