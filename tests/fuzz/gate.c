/* Fuzzes gate files. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "answers/gate.h"

int fuzz_gate(const uint8_t *data, size_t size)
{
    struct smc_gate gate;
    struct smc_error error = {""};
    enum smc_status status = smc_gate_parse((const char *)data, size, "x", &gate, &error);
    if (status != SMC_OK && (!error.message[0] || strpbrk(error.message, "\033\n\r")))
        abort();
    if (status == SMC_OK) {
        struct smc_inspect_rows rows = {0};
        struct smc_gate_verdict verdict = {0};
        smc_gate_judge(&gate, &rows, 20260101, NULL, &verdict, &error);
        smc_gate_verdict_free(&verdict);
        smc_gate_free(&gate);
    }
    return 0;
}
