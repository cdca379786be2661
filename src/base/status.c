/* Status codes and the messages that go with them. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

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
