# Sources of this folder.
libsmc_la_SOURCES += \
	src/emulator/address.h \
	src/emulator/annotation.c \
	src/emulator/arena.c src/emulator/arena.h \
	src/emulator/block.c \
	src/emulator/counts.c \
	src/emulator/decode.c src/emulator/decode.h \
	src/emulator/decode_bits.c \
	src/emulator/decode_control.c \
	src/emulator/decode_float.c src/emulator/decode_float.h \
	src/emulator/decode_integer.c \
	src/emulator/decode_memory.c \
	src/emulator/decode_move.c \
	src/emulator/decode_operand.c \
	src/emulator/emulator.h \
	src/emulator/findings.c src/emulator/findings.def \
	src/emulator/flow.c \
	src/emulator/joins.c \
	src/emulator/lanes.h \
	src/emulator/launch.c \
	src/emulator/memory.c \
	src/emulator/mnemonics.def \
	src/emulator/ops.h \
	src/emulator/ops_bits.c \
	src/emulator/ops_compare.c \
	src/emulator/ops_convert.c \
	src/emulator/ops_float.c \
	src/emulator/ops_integer.c \
	src/emulator/ops_select.c \
	src/emulator/program.c src/emulator/program.h \
	src/emulator/ptx_body.c \
	src/emulator/ptx_lexer.c src/emulator/ptx_lexer.h \
	src/emulator/ptx_module.h \
	src/emulator/ptx_numbers.c \
	src/emulator/ptx_operand.c \
	src/emulator/ptx_parse.c src/emulator/ptx_parts.h \
	src/emulator/ptx_symbols.c \
	src/emulator/ptx_types.def \
	src/emulator/runtime.h \
	src/emulator/shadow.c src/emulator/shadow.h \
	src/emulator/specials.def \
	src/emulator/steps.h \
	src/emulator/steps_async.c \
	src/emulator/steps_atomic.c \
	src/emulator/steps_control.c \
	src/emulator/steps_memory.c \
	src/emulator/steps_warp.c \
	src/emulator/warp.c
