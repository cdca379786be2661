/* Every fuzzer is a function that is called with an input of any bytes and aborts if what the
   program makes of them is wrong. */
#ifndef FUZZ_H
#define FUZZ_H

#include "config.h"

#include <stddef.h>
#include <stdint.h>

#define FUZZER(name, ...) int fuzz_##name(const uint8_t *data, size_t size);
#include "fuzzers.def"
#undef FUZZER

#endif
