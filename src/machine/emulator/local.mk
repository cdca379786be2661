# Sources of this folder, which the libraries of src/guests/shim have as well.
emulator_sources = \
	src/machine/emulator/access_log.c src/machine/emulator/access_log.h \
	src/machine/emulator/annotation.c \
	src/machine/emulator/arena.c src/machine/emulator/arena.h \
	src/machine/emulator/array_advice.c src/machine/array_advice.h \
	src/machine/emulator/bank_accesses.c src/machine/bank_accesses.h \
	src/machine/emulator/bank_kinds.c \
	src/machine/emulator/bank_verdicts.def \
	src/machine/emulator/bank_walk.c src/machine/emulator/bank_walk.h \
	src/machine/emulator/block.c \
	src/machine/emulator/bulk_copies.c src/machine/emulator/bulk_copies.h \
	src/machine/emulator/cluster_barrier.c \
	src/machine/emulator/cluster_memory.c \
	src/machine/emulator/cluster_ranks.c \
	src/machine/emulator/clusters.c src/machine/emulator/clusters.h \
	src/machine/emulator/contract.c \
	src/machine/emulator/decode.c src/machine/emulator/decode.h \
	src/machine/emulator/call_stack.c \
	src/machine/emulator/calls.c \
	src/machine/emulator/decode_arithmetic.c \
	src/machine/emulator/decode_calls.c \
	src/machine/emulator/decode_compare.c \
	src/machine/emulator/decode_matrix.c \
	src/machine/emulator/decode_mbarrier.c \
	src/machine/emulator/decode_program.c \
	src/machine/emulator/decode_steps.c \
	src/machine/emulator/decode_textures.c \
	src/machine/emulator/decode_video.c \
	src/machine/emulator/decode_wgmma.c \
	src/machine/emulator.h \
	src/machine/emulator/fidelity.c \
	src/machine/emulator/findings.c src/machine/findings.def \
	src/machine/emulator/frames.c src/machine/emulator/frames.h \
	src/machine/emulator/functions.c \
	src/machine/emulator/heap.c \
	src/machine/emulator/instructions.c src/machine/emulator/instructions.def \
	src/machine/emulator/joins.c \
	src/machine/emulator/lane_changes.c src/machine/emulator/lane_join.c src/machine/emulator/ptx_types.c \
	src/machine/emulator/lane_values.c src/machine/emulator/lane_values.h \
	src/machine/emulator/emulator_launch.c \
	src/machine/emulator/malloc.c \
	src/machine/emulator/matrix.h \
	src/machine/emulator/mbarrier.c src/machine/emulator/mbarrier.h \
	src/machine/emulator/emulator_memory.c \
	src/machine/emulator/memory_shapes.c src/machine/emulator/memory_shapes.h \
	src/machine/emulator/mnemonics.def \
	src/machine/narrow.h \
	src/machine/emulator/op_kinds.def \
	src/machine/emulator/emulator_steps.h \
	src/machine/emulator/pending.c src/machine/emulator/pending.h \
	src/machine/emulator/print.c \
	src/machine/emulator/wgmma_registers.c \
	src/machine/emulator/proxies.c src/machine/emulator/proxies.h \
	src/machine/emulator/op_slots.c \
	src/machine/emulator/ops_compare.c \
	src/machine/emulator/ops_float.c \
	src/machine/emulator/ops_half.c \
	src/machine/emulator/ops_integer.c \
	src/machine/emulator/ops_matrix.c \
	src/machine/emulator/ops_video.c \
	src/machine/emulator/order.c src/machine/emulator/order.h \
	src/machine/emulator/peers.c src/machine/emulator/peers.h \
	src/machine/emulator/past_blocks.c src/machine/emulator/past_blocks.h \
	src/machine/emulator/emulator_program.c src/machine/emulator/emulator_program.h \
	src/machine/emulator/ptx.h \
	src/machine/emulator/ptx_initial.c \
	src/machine/emulator/ptx_lexer.c src/machine/emulator/ptx_lexer.h \
	src/machine/emulator/ptx_loc.c \
	src/machine/emulator/ptx_operands.c \
	src/machine/emulator/ptx_parse.c \
	src/machine/emulator/ptx_reader.h \
	src/machine/emulator/ptx_types.def \
	src/machine/emulator/reconvergence.c \
	src/machine/emulator/emulator_state.h \
	src/machine/emulator/sequences.c \
	src/machine/emulator/shadow.c src/machine/emulator/shadow.h \
	src/machine/emulator/shadow_cells.h \
	src/machine/emulator/shadow_check.c \
	src/machine/emulator/shadow_lanes.c \
	src/machine/emulator/shadow_sync.c \
	src/machine/emulator/special_functions.c src/machine/emulator/special_functions.h \
	src/machine/emulator/special_functions.def \
	src/machine/emulator/specials.def \
	src/machine/emulator/steps_control.c \
	src/machine/emulator/steps_memory.c \
	src/machine/emulator/tensor_copies.c \
	src/machine/emulator/tensor_maps.c src/machine/tensor_maps.h \
	src/machine/emulator/texels.c src/machine/texels.h \
	src/machine/emulator/textures.c \
	src/machine/emulator/concurrent_blocks.c src/machine/emulator/concurrent_blocks.h \
	src/machine/emulator/unset_values.c src/machine/emulator/unset_values.h \
	src/machine/emulator/unwritten.c \
	src/machine/emulator/warp.c \
	src/machine/emulator/wgmma.c
libsmc_la_SOURCES += \
	$(emulator_sources)
