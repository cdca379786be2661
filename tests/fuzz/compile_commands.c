/* Fuzzes compile_commands.json and the words of its commands. */
#include "fuzz.h"

#include <stdlib.h>

#include "base/text.h"
#include "code/readers/compile_commands.h"

int fuzz_compile_commands(const uint8_t *data, size_t size)
{
    struct smc_text text = {0}, faults = {0};
    struct smc_inputs inputs = {0};
    struct smc_words words = {0};
    struct smc_error error;
    size_t others;
    smc_text_append_bytes(&text, (const char *)data, size);
    smc_compile_commands_is(&text);
    smc_compile_commands_read("x.json", &text, &inputs, &others, &faults, &error);
    smc_words_split(smc_text_string(&text), &words);
    smc_words_free(&words);
    smc_inputs_free(&inputs);
    smc_text_free(&faults);
    smc_text_free(&text);
    return 0;
}
