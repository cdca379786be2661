/* The entry of libFuzzer: the fuzzer that FUZZ_FUNCTION names. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return FUZZ_FUNCTION(data, size);
}
