library_sources += \
	src/rules/devices/devices.c \
	src/rules/devices/capabilities.c \
	src/rules/devices/ceilings.c src/rules/devices/ceilings.def src/rules/ceilings.h \
	src/rules/devices.h \
	src/rules/devices/properties.c
libsmc_la_SOURCES += \
	src/rules/devices/ceilings_file.c \
	src/rules/devices/sm_groups.c \
	src/rules/devices/device_file.c src/rules/device_file.h

BUILT_SOURCES += src/rules/devices/boards.inc src/rules/devices/capabilities.inc src/rules/devices/ceilings.inc
CLEANFILES += src/rules/devices/boards.inc src/rules/devices/capabilities.inc src/rules/devices/ceilings.inc
EXTRA_DIST += data/table.awk data/compute_capabilities.csv data/devices.csv data/ceilings.csv

# Columns whose members of struct smc_capability have another name, or are not members of its sm.
capability_members = compute_capability=sm.cc uncertain_cells=uncertain source=sources \
	reg_alloc_granularity=sm.regs_allocated_per_block sm_subpartitions=sm.subpartitions \
	occ_barriers_per_sm=sm.barriers_per_sm last_cuda_major=last_cuda_major \
	cubin_smem_has_reserve=cubin_smem_has_reserve cubin_for_itself_only=cubin_for_itself_only \
	ptxas_writes_properties=ptxas_writes_properties machine_code_format=machine_code_format \
	fp64_lanes_per_sm=fp64_lanes_per_sm tensor_fmas_per_sm=tensor_fmas_per_sm \
	half_lanes_per_sm=half_lanes_per_sm tensor_bit_fmas_per_sm=tensor_bit_fmas_per_sm

src/rules/devices/capabilities.inc: data/compute_capabilities.csv data/table.awk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && LC_ALL=C $(AWK) \
	  -v text="family uncertain_cells source" -v within=sm -v cc=compute_capability \
	  -v flag=reg_alloc_granularity=block \
	  -v kilobytes=smem_carveouts_kb=smem_carveout_count:smem_carveout_bytes \
	  -v rename="$(capability_members)" \
	  -f $(srcdir)/data/table.awk $(srcdir)/data/compute_capabilities.csv > $@.tmp && mv $@.tmp $@

src/rules/devices/boards.inc: data/devices.csv data/table.awk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && LC_ALL=C $(AWK) \
	  -v text="name other_names chip compute_capability uncertain_cells source sm_groups" \
	  -f $(srcdir)/data/table.awk $(srcdir)/data/devices.csv > $@.tmp && mv $@.tmp $@

src/rules/devices/ceilings.inc: data/ceilings.csv data/table.awk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && LC_ALL=C $(AWK) -v text="device driver date" \
	  -f $(srcdir)/data/table.awk $(srcdir)/data/ceilings.csv > $@.tmp && mv $@.tmp $@
