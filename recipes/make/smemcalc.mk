# For a Makefile of GNU make: writes the output of ptxas for each .cu file next to its object; `make
# gate` checks it. Set CU_SOURCES before the line `include smemcalc.mk`.

NVCC ?= nvcc
SMEMCALC ?= smemcalc
SMEMCALC_GATE ?= smemcalc.toml
SMEMCALC_FLAGS ?=

CU_OBJECTS := $(CU_SOURCES:.cu=.o)
CU_LOGS := $(CU_SOURCES:.cu=.ptxas)

# The log is written together with its object, and removed if the compiler fails.
%.o %.ptxas: %.cu
	$(NVCC) $(NVCCFLAGS) -Xptxas -v -c $< -o $*.o 2>$*.ptxas || { cat $*.ptxas >&2; rm -f $*.ptxas $*.o; false; }

.PHONY: gate
gate: $(CU_LOGS)
	$(SMEMCALC) inspect $^ --gate $(SMEMCALC_GATE) $(SMEMCALC_FLAGS)
