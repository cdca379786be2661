# For a Makefile of GNU make: what ptxas prints about each .cu file is kept beside its object, and
# `make gate` judges it. Set CU_SOURCES before the line `include smemcalc.mk`.

NVCC ?= nvcc
SMEMCALC ?= smemcalc
SMEMCALC_GATE ?= smemcalc.toml
SMEMCALC_FLAGS ?=

CU_OBJECTS := $(CU_SOURCES:.cu=.o)
CU_LOGS := $(CU_SOURCES:.cu=.ptxas)

# A log is written anew with its object, and removed where the compiler fails.
%.o %.ptxas: %.cu
	$(NVCC) $(NVCCFLAGS) -Xptxas -v -c $< -o $*.o 2>$*.ptxas || { cat $*.ptxas >&2; rm -f $*.ptxas $*.o; false; }

.PHONY: gate
gate: $(CU_LOGS)
	$(SMEMCALC) inspect $^ --gate $(SMEMCALC_GATE) $(SMEMCALC_FLAGS)
