/* Status codes and the messages that go with them. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum smc_status smc_fail(struct smc_error *error, enum smc_status status, const char *format, ...)
{
    if (error) {
        va_list args;
        va_start(args, format);
        vsnprintf(error->message, sizeof error->message, format, args);
        va_end(args);
        smc_utf8_make_safe(error->message);
    }
    return status;
}

enum smc_status smc_fail_in(struct smc_error *error, enum smc_status status, const char *where, ...)
{
    struct smc_error inner;
    va_list args;
    if (status == SMC_OK || !error)
        return status;
    memcpy(&inner, error, sizeof inner);
    va_start(args, where);
    vsnprintf(error->message, sizeof error->message, where, args);
    va_end(args);
    size_t length = strlen(error->message);
    snprintf(error->message + length, sizeof error->message - length, ": %s", inner.message);
    smc_utf8_make_safe(error->message);
    return status;
}
