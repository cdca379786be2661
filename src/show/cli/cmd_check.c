/* smemcalc check: whether the GPUs of this machine are healthy. */
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "show/cli/output.h"

/* Replaces the file in one step, so that no reader sees half of it. NULL: standard output. */
static enum smc_status deliver(const char *path, struct smc_text *out, struct smc_error *error)
{
    if (!path)
        return SMC_OK;
    enum smc_status status = smc_file_write(path, true, out, error);
    smc_text_free(out);
    return status;
}

enum smc_status smc_cmd_check(const struct smc_arguments *arguments, struct smc_text *out,
                              struct smc_error *error)
{
    struct smc_host_health health;
    struct smc_error why = {""};
    const struct smc_host_check check = {
        .gpu_index = (int)arguments->number[SMC_OPTION_CHECKED_GPU],
        .timeout_ms = (uint32_t)arguments->number[SMC_OPTION_TIMEOUT],
        .compile =
            {
                .no_cache = arguments->given[SMC_OPTION_NO_CACHE],
                .no_nvrtc = arguments->given[SMC_OPTION_NO_NVRTC],
                .ptx_suffices = true,
                .builds = arguments->builds,
            },
    };
    enum smc_status status = smc_host_health_check(&check, &health, &why);
    const char *path = arguments->text[SMC_OPTION_CHECK_OUTPUT];
    if (path && strcmp(path, "-") == 0) /* standard output */
        path = NULL;
    enum smc_health_format format =
        (enum smc_health_format)arguments->number[SMC_OPTION_CHECK_FORMAT];
    smc_output_style_of(path ? -1 : STDOUT_FILENO, out);
    /* Why no GPU was checked is on standard error: on the terminal it would be there twice. */
    if (path || format != SMC_HEALTH_TEXT || !why.message[0])
        smc_health_write(&health, format, out);
    smc_host_health_free(&health);
    SMC_TRY(deliver(path, out, error));
    return why.message[0] ? smc_fail(error, status, "check: %s", why.message) : status;
}
