/* A fuzzer is a function that receives any bytes as its input, and aborts if the program handles
   them wrongly. The input is a block of memory of its own, so that reading one byte too many is
   seen. */
#ifndef FUZZ_H
#define FUZZ_H

#include "config.h"

#include <stddef.h>
#include <stdint.h>

#define FUZZER(name, ...) int fuzz_##name(const uint8_t *data, size_t size);
#include "fuzzers.def"
#undef FUZZER

#endif
