/* Fuzzes arguments and variables of kernels as they are typed: what is accepted has a size, and
   its members come in order; those of a structure by value stand for it. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "hardware/executor/user_argument.h"

struct members {
    uint64_t end;
    const char *typed;
};

static enum smc_status visit(void *context, const struct smc_user_argument *member, uint64_t place,
                             struct smc_error *error)
{
    struct members *members = context;
    (void)error;
    if (place < members->end || member->form == SMC_USER_STRUCT)
        abort();
    members->end = place + 1;
    return SMC_OK;
}

static void check_members(const struct smc_user_argument *argument)
{
    struct members members = {.typed = argument->typed};
    struct smc_error error = {""};
    uint64_t bytes;
    uint32_t align;
    if (smc_user_members(argument->typed, visit, &members, &bytes, &align, &error) != SMC_OK ||
        members.end > bytes || align == 0 || bytes % align != 0)
        abort();
}

static void check_error(const struct smc_error *error)
{
    if (!error->message[0] || strpbrk(error->message, "\033\n\r"))
        abort();
}

int fuzz_user_argument(const uint8_t *data, size_t size)
{
    struct smc_user_argument argument;
    struct smc_user_variable variable;
    struct smc_error error = {""};
    struct smc_text typed = {0};
    smc_text_append_bytes(&typed, (const char *)data, size);
    const char *text = smc_text_string(&typed);
    if (smc_user_argument_parse(text, &argument, &error) != SMC_OK)
        check_error(&error);
    else if (argument.form == SMC_USER_STRUCT || argument.form == SMC_USER_LIST)
        check_members(&argument);
    else if (argument.form == SMC_USER_PLAIN && smc_user_argument_bytes(&argument) == 0)
        abort();
    if (smc_user_variable_parse(text, &variable, &error) != SMC_OK)
        check_error(&error);
    else if (variable.name[0] == '\0' || smc_user_variable_name(text) == 0)
        abort();
    smc_text_free(&typed);
    return 0;
}
