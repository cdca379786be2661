/* The functions of a program: those that the device's runtime library provides, where a function's
   address leads, and whether a call fits. */
#include "machine/emulator/emulator_program.h"

enum { MOST_LIBRARY_PARAMETERS = 5 };

static const struct {
    const char *name;
    uint8_t result, parameter[MOST_LIBRARY_PARAMETERS]; /* bytes */
} library[SMC_LIBRARY_COUNT] = {
    [SMC_LIBRARY_VPRINTF] = {"vprintf", 4, {8, 8}},
    [SMC_LIBRARY_ASSERTFAIL] = {"__assertfail", 0, {8, 8, 4, 8, 8}},
    [SMC_LIBRARY_MALLOC] = {"malloc", 8, {8}},
    [SMC_LIBRARY_FREE] = {"free", 0, {8}},
};

enum smc_library_function smc_library_named(struct smc_span name)
{
    for (int n = SMC_LIBRARY_NONE + 1; n < SMC_LIBRARY_COUNT; n++)
        if (smc_span_is(name, library[n].name))
            return (enum smc_library_function)n;
    return SMC_LIBRARY_NONE;
}

uint32_t smc_function_at(const struct smc_program *program, uint64_t address)
{
    uint64_t number = (address - SMC_CODE_BASE) / SMC_CODE_STEP;
    return address > SMC_CODE_BASE && address % SMC_CODE_STEP == 0 && number <= program->functions
               ? (uint32_t)number
               : 0;
}

static bool sizes_match(const struct smc_passed *actual, uint32_t count,
                        const struct smc_passed *formal, uint32_t expected)
{
    if (count != expected)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (actual[i].bytes && actual[i].bytes != formal[i].bytes)
            return false;
    return true;
}

bool smc_call_matches(const struct smc_call *call, const struct smc_function *callee)
{
    if (callee->library == SMC_LIBRARY_NONE)
        return sizes_match(call->argument, call->arguments, callee->parameter,
                           callee->parameters) &&
               (call->results == 0 ||
                sizes_match(call->result, call->results, callee->result, callee->results));
    uint32_t count = 0;
    const uint8_t *bytes = library[callee->library].parameter;
    while (count < MOST_LIBRARY_PARAMETERS && bytes[count])
        count++;
    if (call->arguments != count || call->results > 1 ||
        (call->results && call->result[0].bytes != library[callee->library].result))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (call->argument[i].bytes && call->argument[i].bytes != bytes[i])
            return false;
    return true;
}
