library_sources += \
	src/model/banks.c src/model/banks.h \
	src/model/carveouts.c src/model/carveouts.h \
	src/model/choices.c src/model/choices.h src/model/rules.def \
	src/model/limits.def src/model/refusals.def \
	src/model/next_steps.c src/model/next_steps.h \
	src/model/launch.h src/model/occupancy.c src/model/occupancy.h \
	src/model/refusals.c src/model/refusals.h \
	src/model/registers.c src/model/registers.h \
	src/model/conflict_free.c src/model/conflict_free.h \
	src/model/headroom.c src/model/headroom.h \
	src/model/round.h \
	src/model/sectors.c src/model/sectors.h \
	src/model/shared_memory.c src/model/shared_memory.h \
	src/model/sm.c src/model/sm.h src/model/sm_fields.def src/model/smem_modes.def
