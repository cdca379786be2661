library_sources += \
	src/rules/allocation.h \
	src/rules/bank_operations.def \
	src/rules/model/banks.c src/rules/banks.h \
	src/rules/model/carveouts.c \
	src/rules/model/choices.c \
	src/rules/model/conflict_free.c \
	src/rules/model/cute.c \
	src/rules/model/distributed.c \
	src/rules/model/headroom.c src/rules/headroom.h \
	src/rules/launch.h \
	src/rules/model/public_layout.c src/rules/model/public_layout.def \
	src/rules/limits.def \
	src/rules/model/next_steps.c src/rules/next_steps.h \
	src/rules/model/occupancy.c src/rules/occupancy.h \
	src/rules/model/refusals.c src/rules/refusals.def \
	src/rules/model/registers.c \
	src/rules/model/rules.def \
	src/rules/model/sectors.c \
	src/rules/model/shared_memory.c \
	src/rules/model/sm.c src/rules/sm.h \
	src/rules/model/sm_fields.def \
	src/rules/smem_modes.def \
	src/rules/model/tile.c \
	src/rules/model/tile_search.c \
	src/rules/model/tile_text.c
