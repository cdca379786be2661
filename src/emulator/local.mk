# Sources of this folder, which the libraries of src/shim have as well.
emulator_sources = \
	src/emulator/access_log.c src/emulator/access_log.h \
	src/emulator/annotation.c \
	src/emulator/arena.c src/emulator/arena.h \
	src/emulator/array_advice.c src/emulator/array_advice.h \
	src/emulator/bank_accesses.c src/emulator/bank_accesses.h \
	src/emulator/bank_kinds.c \
	src/emulator/bank_verdicts.def \
	src/emulator/bank_walk.c src/emulator/bank_walk.h \
	src/emulator/block.c \
	src/emulator/bulk_copies.c src/emulator/bulk_copies.h \
	src/emulator/clusters.c src/emulator/clusters.h \
	src/emulator/contract.c \
	src/emulator/decode.c src/emulator/decode.h \
	src/emulator/call_stack.c \
	src/emulator/calls.c \
	src/emulator/decode_arithmetic.c \
	src/emulator/decode_calls.c \
	src/emulator/decode_compare.c \
	src/emulator/decode_matrix.c \
	src/emulator/decode_mbarrier.c \
	src/emulator/decode_program.c \
	src/emulator/decode_steps.c \
	src/emulator/decode_textures.c \
	src/emulator/decode_video.c \
	src/emulator/decode_wgmma.c \
	src/emulator/emulator.h \
	src/emulator/findings.c src/emulator/findings.def \
	src/emulator/heap.c \
	src/emulator/instructions.c src/emulator/instructions.def \
	src/emulator/joins.c \
	src/emulator/lane_changes.c src/emulator/lane_join.c src/emulator/ptx_types.c \
	src/emulator/lane_values.c src/emulator/lane_values.h \
	src/emulator/launch.c \
	src/emulator/matrix.h \
	src/emulator/mbarrier.c src/emulator/mbarrier.h \
	src/emulator/memory.c \
	src/emulator/memory_shapes.c src/emulator/memory_shapes.h \
	src/emulator/mnemonics.def \
	src/emulator/narrow.h \
	src/emulator/operations.h \
	src/emulator/print.c \
	src/emulator/ops_compare.c \
	src/emulator/ops_float.c \
	src/emulator/ops_half.c \
	src/emulator/ops_integer.c \
	src/emulator/ops_matrix.c \
	src/emulator/ops_video.c \
	src/emulator/order.c src/emulator/order.h \
	src/emulator/peers.c src/emulator/peers.h \
	src/emulator/other_blocks.c src/emulator/other_blocks.h \
	src/emulator/program.h \
	src/emulator/ptx.h \
	src/emulator/ptx_initial.c \
	src/emulator/ptx_lexer.c src/emulator/ptx_lexer.h \
	src/emulator/ptx_loc.c \
	src/emulator/ptx_operands.c \
	src/emulator/ptx_parse.c \
	src/emulator/ptx_reader.h \
	src/emulator/ptx_types.def \
	src/emulator/reconvergence.c \
	src/emulator/runtime.h \
	src/emulator/shadow.c src/emulator/shadow.h \
	src/emulator/shadow_cells.h \
	src/emulator/shadow_lanes.c \
	src/emulator/special_functions.c src/emulator/special_functions.h \
	src/emulator/special_functions.def \
	src/emulator/specials.def \
	src/emulator/steps_control.c \
	src/emulator/steps_memory.c \
	src/emulator/tensor_copies.c \
	src/emulator/tensor_maps.c src/emulator/tensor_maps.h \
	src/emulator/textures.c \
	src/emulator/unwritten.c \
	src/emulator/warp.c \
	src/emulator/wgmma.c
libsmc_la_SOURCES += $(emulator_sources)
