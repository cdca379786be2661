/* The rows of an examination, each with the command that fixes what it reports. */
#include "base/memory.h"
#include "hardware/doctor/subjects.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "code/tools.h"

void smc_doctor_send_rows(struct smc_doctor *doctor)
{
    for (; doctor->sink && doctor->sent < doctor->count; doctor->sent++) {
        const struct smc_doctor_row *row = &doctor->row[doctor->sent];
        if (write(doctor->sink, row, sizeof *row) != (ssize_t)sizeof *row)
            return;
    }
}

struct smc_doctor_row *smc_doctor_add(struct smc_doctor *doctor, enum smc_doctor_state health,
                                      const char *subject, const char *format, ...)
{
    size_t last = doctor->count < SMC_DOCTOR_ROWS ? doctor->count : SMC_DOCTOR_ROWS - 1;
    struct smc_doctor_row *row = &doctor->row[last];
    smc_doctor_send_rows(doctor); /* those before are complete, and stay if the process ends now */
    memset(row, 0, sizeof *row);
    row->health = health;
    snprintf(row->subject, sizeof row->subject, "%s", subject);
    SMC_PRINT_TO(row->found, format);
    smc_utf8_make_safe(row->found);
    doctor->count = last + 1;
    return row;
}

void smc_doctor_mend(struct smc_doctor_row *row, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(row->mend, sizeof row->mend, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof row->mend) /* half a command is worse than none */
        row->mend[0] = '\0';
    smc_utf8_make_safe(row->mend);
}

static const char *as_root(void)
{
    return geteuid() == 0 ? "" : "sudo ";
}

void smc_doctor_mend_package(struct smc_doctor_row *row, const char *package)
{
    char path[SMC_TOOL_PATH];
    if (smc_tool_find("apt-get", path))
        smc_doctor_mend(row, "%sapt-get install -y %s", as_root(), package);
}

/* Debian and others refuse to install into the user's folder without that setting. */
static bool is_managed(void)
{
    SMC_AUTO(smc_folder_matches_free) struct smc_folder_matches found = {0};
    smc_folder_match("/usr/lib/python3*/EXTERNALLY-MANAGED", &found);
    return found.count > 0;
}

void smc_doctor_mend_wheel(struct smc_doctor_row *row, const char *package)
{
    char path[SMC_TOOL_PATH];
    bool active = smc_folder_variable("VIRTUAL_ENV") || smc_folder_variable("CONDA_PREFIX");
    bool has_pip = active || smc_tool_find("pip3", path) || smc_tool_find("pip", path);
    if (!smc_tool_find("python3", path) && !smc_tool_find("apt-get", path))
        return;
    /* What apt-get will install may be managed; an older pip has no such option, but ignores the
       variable. */
    bool breaks = !active && (!has_pip || is_managed());
    char pip[128] = "";
    /* A new system has no lists of packages. What pip recommends is a compiler, which takes
     * minutes. */
    if (!has_pip)
        snprintf(pip, sizeof pip,
                 "%sapt-get update && %sapt-get install -y --no-install-recommends python3-pip && ",
                 as_root(), as_root());
    smc_doctor_mend(row, "%s%spython3 -m pip install %s%s", pip,
                    breaks ? "PIP_BREAK_SYSTEM_PACKAGES=1 " : "", active ? "" : "--user ", package);
}

bool smc_doctor_is_healthy(const struct smc_doctor *doctor)
{
    for (size_t i = 0; i < doctor->count; i++)
        if (doctor->row[i].health == SMC_DOCTOR_BROKEN)
            return false;
    return true;
}
