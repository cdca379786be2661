/* smemcalc doctor: what works on this machine, and the commands that fix the rest; and the versions
   that a bug report needs. */
#include "config.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/memory.h"
#include "show/cli/ask.h"
#include "show/cli/output.h"
#include "show/plot/paint.h"

static bool can_load_cairo(void)
{
    return smc_plot_open_files(NULL) == SMC_OK;
}

static void describe_terminal(uint32_t timeout_ms, struct smc_text *out,
                              struct smc_doctor_request *request)
{
    struct winsize size = {0};
    const struct smc_report_style *style = smc_output_style(out);
    *request = (struct smc_doctor_request){
        .timeout_ms = timeout_ms,
        .is_terminal = isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0,
        .colour = style->colour,
        .locale_is_utf8 = style->utf8,
        .has_cairo = smc_plot_has_files ? can_load_cairo : NULL,
        .has_font = smc_plot_has_font,
    };
    request->columns = size.ws_col;
    request->rows = size.ws_row;
}

enum smc_status smc_cmd_doctor(const struct smc_arguments *arguments, struct smc_text *out,
                               struct smc_error *error)
{
    struct smc_doctor_request request;
    smc_auto_free struct smc_doctor *doctor = smc_calloc(1, sizeof *doctor);
    if (!doctor)
        return smc_out_of_memory(error);
    describe_terminal((uint32_t)arguments->number[SMC_OPTION_DOCTOR_TIMEOUT], out, &request);
    smc_doctor_examine(&request, false, doctor);
    smc_ask_writer(arguments)->doctor(doctor, out);
    bool healthy = smc_doctor_is_healthy(doctor);
    return healthy ? SMC_OK : SMC_SHORTFALL;
}

enum smc_status smc_help_versions(struct smc_text *out, struct smc_error *error)
{
    struct smc_doctor_request request;
    smc_auto_free struct smc_doctor *doctor = smc_calloc(1, sizeof *doctor);
    if (!doctor)
        return smc_out_of_memory(error);
    describe_terminal((uint32_t)smc_options[SMC_OPTION_DOCTOR_TIMEOUT].initial, out, &request);
    smc_doctor_examine(&request, true, doctor);
    smc_doctor_build(out);
    for (size_t i = 0; i < doctor->count; i++)
        smc_text_safe_line(out, "%-11s %s", doctor->row[i].subject, doctor->row[i].found);
    return SMC_OK;
}
